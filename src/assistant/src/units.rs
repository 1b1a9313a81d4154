//! Units of numbers, and numbers that are written as words, in the languages of most sites.

/// A unit, by the name that all ways to write it share.
pub(super) type Unit = &'static str;

/// Units, and how they are written: in lower case; with a star where an ending may follow.
const UNITS: &[(Unit, &[&str])] = &[
    (
        "ms",
        &[
            "ms",
            "msec",
            "millisecond*",
            "millisekunde*",
            "milliseconde*",
            "milisegundo*",
            "миллисекунд*",
            "ミリ秒",
            "毫秒",
            "밀리초",
        ],
    ),
    (
        "µs",
        &[
            "µs",
            "μs",
            "us",
            "microsecond*",
            "mikrosekunde*",
            "マイクロ秒",
            "微秒",
        ],
    ),
    (
        "s",
        &[
            "s",
            "sec",
            "secs",
            "second",
            "seconds",
            "sekunde*",
            "seconde*",
            "segundo*",
            "secondi",
            "secondo",
            "секунд*",
            "сек",
            "秒",
            "초",
            "ثانية",
            "ثوان",
            "ثواني",
        ],
    ),
    (
        "min",
        &[
            "m",
            "min",
            "mins",
            "minute*",
            "minuto*",
            "minuut",
            "minuten",
            "минут*",
            "мин",
            "分",
            "분",
            "دقيقة",
            "دقائق",
        ],
    ),
    (
        "h",
        &[
            "h",
            "hr",
            "hrs",
            "hour",
            "hours",
            "stunde*",
            "heure*",
            "hora",
            "horas",
            "ora",
            "ore",
            "uur",
            "час*",
            "時間",
            "小时",
            "小時",
            "시간",
            "ساعة",
            "ساعات",
        ],
    ),
    (
        "d",
        &[
            "d", "day", "days", "tag", "tage", "tagen", "jour*", "día*", "dia", "dias", "giorn*",
            "dag", "dagen", "день", "дня", "дней", "日", "天", "일", "يوم", "أيام",
        ],
    ),
    (
        "week",
        &[
            "w",
            "week",
            "weeks",
            "woche*",
            "semaine*",
            "semana*",
            "settiman*",
            "недел*",
            "週*",
            "周",
            "주",
            "أسبوع",
            "أسابيع",
        ],
    ),
    (
        "month",
        &[
            "month",
            "months",
            "monat*",
            "mois",
            "mes",
            "meses",
            "mês",
            "mesi",
            "maand*",
            "месяц*",
            "か月",
            "ヶ月",
            "カ月",
            "个月",
            "個月",
            "개월",
            "شهر",
            "أشهر",
        ],
    ),
    (
        "year",
        &[
            "y",
            "yr",
            "yrs",
            "year",
            "years",
            "jahr*",
            "an",
            "ans",
            "année*",
            "año*",
            "ano",
            "anos",
            "ann*",
            "jaar",
            "год*",
            "лет",
            "年",
            "년",
            "سنة",
            "سنوات",
        ],
    ),
    (
        "B",
        &[
            "b",
            "byte",
            "bytes",
            "octet*",
            "байт*",
            "バイト",
            "字节",
            "字節",
            "바이트",
            "بايت",
        ],
    ),
    (
        "kB",
        &[
            "kb",
            "kilobyte*",
            "ko",
            "кб",
            "килобайт*",
            "キロバイト",
            "千字节",
        ],
    ),
    (
        "MB",
        &[
            "mb",
            "megabyte*",
            "mo",
            "мб",
            "мегабайт*",
            "メガバイト",
            "兆字节",
        ],
    ),
    (
        "GB",
        &[
            "gb",
            "gigabyte*",
            "go",
            "гб",
            "гигабайт*",
            "ギガバイト",
            "吉字节",
        ],
    ),
    ("TB", &["tb", "terabyte*", "to", "тб", "терабайт*"]),
    ("KiB", &["kib", "kibibyte*"]),
    ("MiB", &["mib", "mebibyte*"]),
    ("GiB", &["gib", "gibibyte*"]),
    (
        "%",
        &[
            "%",
            "percent",
            "prozent",
            "pour cent",
            "procent",
            "процент*",
            "パーセント",
            "퍼센트",
            "٪",
        ],
    ),
    (
        "€",
        &[
            "€",
            "eur",
            "euro",
            "euros",
            "евро",
            "ユーロ",
            "欧元",
            "유로",
        ],
    ),
    (
        "$",
        &[
            "$",
            "usd",
            "dollar*",
            "dólar*",
            "доллар*",
            "ドル",
            "美元",
            "달러",
        ],
    ),
    ("£", &["£", "gbp"]),
    ("¥", &["¥", "jpy", "円", "엔"]),
    ("元", &["元", "cny"]),
    ("px", &["px", "pixel*"]),
    ("hz", &["hz"]),
    ("°", &["°", "°c", "°f"]),
];

/// Words after which a number of an abbreviation that is also another word is none: `5 to 10`, `2 an`.
const SPACED_IS_WORD: &[&str] = &[
    "to", "go", "mo", "ko", "an", "ans", "mes", "ore", "ora", "ano", "us", "y", "w", "b", "mo",
];

/// The unit of a number between `before` and `after`.
pub(super) fn unit_of(before: &str, after: &str) -> Option<Unit> {
    let is_spaced = after.starts_with([' ', '-', '\u{a0}', '\u{202f}', '\u{2009}']);
    let word = match is_spaced {
        true => after
            .chars()
            .next()
            .map_or("", |blank| &after[blank.len_utf8()..]),
        false => after,
    };
    let is_letter = |c: char| c.is_alphabetic() || "%٪€$£¥°".contains(c);
    let end = word.find(|c| !is_letter(c)).unwrap_or(word.len());
    // No unit is longer, in any script.
    let end = word[..end].char_indices().nth(16).map_or(end, |(at, _)| at);
    let word = word[..end].to_lowercase();
    let is_spaced_word = is_spaced && SPACED_IS_WORD.contains(&word.as_str());
    if !word.is_empty() && !is_spaced_word {
        let unspaced = word.starts_with(|c: char| c >= '\u{3041}');
        let is = |form: &&str| match form.strip_suffix('*') {
            Some(start) => word.starts_with(start),
            None if unspaced => word.starts_with(*form),
            None => word == **form,
        };
        // The longest form: a month in Chinese begins as a piece does, a millisecond as a thousand.
        let units = UNITS
            .iter()
            .flat_map(|(unit, forms)| forms.iter().map(move |form| (*unit, form)));
        let found = units
            .filter(|(_, form)| is(form))
            .max_by_key(|(_, form)| form.len());
        if let Some((unit, _)) = found {
            return Some(unit);
        }
    }
    let before = before.trim_end_matches(' ').chars().next_back();
    match before {
        Some('$') => Some("$"),
        Some('€') => Some("€"),
        Some('£') => Some("£"),
        Some('¥') => Some("¥"),
        _ => None,
    }
}

/// Returns true if `word`, in lower case, is a unit.
pub(super) fn is_unit(word: &str) -> bool {
    let mut forms = UNITS.iter().flat_map(|(_, forms)| *forms);
    forms.any(|form| *form == word)
}

/// The number that `word`, in lower case, says.
pub(super) fn number_words(word: &str) -> Option<u32> {
    const WORDS: &[(u32, &[&str])] = &[
        (0, &["zero", "null", "cero", "zéro"]),
        (
            1,
            &[
                "one", "once", "first", "single", "ein", "eine", "einen", "einem", "einmal", "un",
                "une", "uno", "una", "один", "одна", "一",
            ],
        ),
        (
            2,
            &[
                "two", "twice", "second", "both", "zwei", "zweimal", "deux", "dos", "due", "dois",
                "два", "две", "二", "两",
            ],
        ),
        (
            3,
            &[
                "three", "third", "drei", "dreimal", "trois", "tres", "tre", "três", "три", "三",
            ],
        ),
        (
            4,
            &[
                "four",
                "fourth",
                "vier",
                "quatre",
                "cuatro",
                "quattro",
                "quatro",
                "четыре",
                "四",
            ],
        ),
        (
            5,
            &[
                "five", "fifth", "fünf", "cinq", "cinco", "cinque", "пять", "五",
            ],
        ),
        (6, &["six", "sixth", "sechs", "seis", "sei", "шесть", "六"]),
        (
            7,
            &[
                "seven", "seventh", "sieben", "sept", "siete", "sette", "sete", "семь", "七",
            ],
        ),
        (
            8,
            &[
                "eight",
                "eighth",
                "acht",
                "huit",
                "ocho",
                "otto",
                "oito",
                "восемь",
                "八",
            ],
        ),
        (
            9,
            &[
                "nine",
                "ninth",
                "neun",
                "neuf",
                "nueve",
                "nove",
                "девять",
                "九",
            ],
        ),
        (
            10,
            &[
                "ten",
                "tenth",
                "zehn",
                "dix",
                "diez",
                "dieci",
                "dez",
                "десять",
                "十",
            ],
        ),
        (11, &["eleven", "elf", "onze"]),
        (12, &["twelve", "dozen", "zwölf", "douze", "doce"]),
        (15, &["fifteen", "fünfzehn", "quinze", "quince"]),
        (20, &["twenty", "zwanzig", "vingt", "veinte"]),
        (24, &["twenty-four", "vierundzwanzig"]),
        (30, &["thirty", "dreißig", "trente", "treinta"]),
        (50, &["fifty", "half", "fünfzig", "cinquante", "cincuenta"]),
        (60, &["sixty", "sechzig", "soixante", "sesenta"]),
        (100, &["hundred", "hundert", "cent", "cien", "cento", "百"]),
        (1000, &["thousand", "tausend", "mille", "mil", "千"]),
        (1_000_000, &["million", "millionen", "millón"]),
    ];
    let found = WORDS.iter().find(|(_, words)| words.contains(&word));
    found.map(|(value, _)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_known_however_they_are_written() {
        for (after, unit) in [
            (" seconds.", Some("s")),
            ("s", Some("s")),
            ("-second window", Some("s")),
            (" Minuten", Some("min")),
            ("分钟", Some("min")),
            ("秒以内", Some("s")),
            ("ミリ秒", Some("ms")),
            ("か月", Some("month")),
            ("時間です", Some("h")),
            (" минут", Some("min")),
            ("%", Some("%")),
            (" percent", Some("%")),
            (" MB", Some("MB")),
            (" MiB", Some("MiB")),
            (" to 10", None),
            (" requests", None),
            (".", None),
        ] {
            assert_eq!(unit_of("", after), unit, "{after}");
        }
        assert_eq!(unit_of("costs $", " a month"), Some("$"));
    }
}
