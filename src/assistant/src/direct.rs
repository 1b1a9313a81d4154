//! Direct statements: the sentence, the row of a table or the item of a list that says what is asked for.
//!
//! A statement is shown above the quotes, as it stands on its page. There is one only where its words are those of the
//! question: a definition begins with what is defined, a row or an item with what it is about, and a sentence has most of the
//! question, with a number where one is asked for.

use queries::site::{Block, Line};
use quire_search::index::words::primary;

use super::passage::Reader;
use super::sentences::{plain, sentences};

/// Maximum number of words of what a definition defines, and of what a row or an item is about.
const MAX_SUBJECT: usize = 6;
/// Maximum number of words of a statement.
const MAX_WORDS: usize = 60;
/// Minimum share of the words of the question that the key of a row or an item has.
const KEY: f32 = 0.2;
/// Minimum share of them that a statement has.
const OF_ENTRY: f32 = 0.5;
const OF_NUMBER: f32 = 0.5;
const OF_CHOICE: f32 = 0.6;

/// How definitions are asked for and begin, in a language.
struct Definitions {
    language: &'static str,
    /// What stands before the subject of a question, and after it.
    before: &'static [&'static str],
    after: &'static [&'static str],
    /// Words that may stand before a subject.
    articles: &'static [&'static str],
    /// What follows the subject of a definition.
    verbs: &'static [&'static str],
    /// What follows that in a sentence that defines nothing: "is not", "is available".
    not: &'static [&'static str],
}

/// What follows the verb in English sentences that define nothing.
const NOT_DEFINED: &[&str] = &[
    "not",
    "no",
    "only",
    "also",
    "required",
    "available",
    "supported",
    "disabled",
    "enabled",
    "always",
    "never",
    "often",
    "usually",
    "currently",
    "now",
    "still",
    "already",
    "optional",
    "deprecated",
    "free",
    "sent",
    "used",
    "in",
    "on",
    "at",
    "for",
    "from",
    "by",
    "to",
    "with",
];

/// Words that stand for what was named before, and name nothing.
const UNNAMED: &[&str] = &[
    "it", "this", "that", "they", "these", "those", "here", "there", "这", "这个", "那", "它",
    "これ", "それ",
];

const DEFINITIONS: &[Definitions] = &[
    Definitions {
        language: "en",
        before: &["what is", "what's", "what are", "what does", "define"],
        after: &["mean", "stand for"],
        articles: &["a", "an", "the"],
        verbs: &[
            "is",
            "are",
            "means",
            "mean",
            "lets",
            "let",
            "helps",
            "help",
            "provides",
            "provide",
            "enables",
            "enable",
            "gives",
            "allows",
            "allow",
            "represents",
            "represent",
            "refers",
            "describes",
            "describe",
            "stands",
        ],
        not: NOT_DEFINED,
    },
    Definitions {
        language: "de",
        before: &["was ist", "was sind", "was bedeutet"],
        after: &[],
        articles: &["ein", "eine", "einen", "der", "die", "das"],
        verbs: &["ist", "sind", "bedeutet", "bezeichnet"],
        not: &[
            "nicht",
            "nur",
            "auch",
            "kein",
            "keine",
            "erforderlich",
            "verfügbar",
        ],
    },
    Definitions {
        language: "fr",
        before: &["qu'est-ce que c'est que", "qu'est-ce que", "qu'est-ce qu'"],
        after: &[],
        articles: &["un", "une", "des", "le", "la", "les"],
        verbs: &["est", "sont", "désigne", "permet"],
        not: &[
            "pas",
            "seulement",
            "aussi",
            "requis",
            "requise",
            "disponible",
        ],
    },
    Definitions {
        language: "es",
        before: &["qué es", "qué son", "que es", "que son"],
        after: &[],
        articles: &["un", "una", "unos", "unas", "el", "la", "los", "las"],
        verbs: &["es", "son", "significa", "permite"],
        not: &[
            "solo",
            "también",
            "necesario",
            "necesaria",
            "obligatorio",
            "obligatoria",
        ],
    },
    Definitions {
        language: "pt",
        before: &["o que é", "o que são"],
        after: &[],
        articles: &["um", "uma", "o", "a", "os", "as"],
        verbs: &["é", "são", "significa", "permite"],
        not: &[
            "apenas",
            "também",
            "necessário",
            "necessária",
            "obrigatório",
            "obrigatória",
        ],
    },
    Definitions {
        language: "it",
        before: &["cos'è", "che cos'è", "cosa è", "cosa sono"],
        after: &[],
        articles: &["un", "uno", "una", "il", "lo", "la", "i", "gli", "le"],
        verbs: &["è", "sono", "significa", "permette"],
        not: &[
            "solo",
            "anche",
            "necessario",
            "necessaria",
            "obbligatorio",
            "disponibile",
        ],
    },
    Definitions {
        language: "nl",
        before: &["wat is", "wat zijn", "wat betekent"],
        after: &[],
        articles: &["een", "de", "het"],
        verbs: &["is", "zijn", "betekent"],
        not: &["niet", "alleen", "ook", "vereist", "beschikbaar"],
    },
    Definitions {
        language: "zh",
        before: &["什么是"],
        after: &["是什么意思", "是什么"],
        articles: &[],
        verbs: &["是"],
        not: &["否", "不是", "必", "可选"],
    },
    Definitions {
        language: "ja",
        before: &[],
        after: &[
            "とは何ですか",
            "とは何",
            "って何ですか",
            "は何ですか",
            "とは",
        ],
        articles: &[],
        verbs: &["とは"],
        not: &["別", "異", "違", "限"],
    },
];

/// Phrases of questions for a number.
const MEASURED: &[&str] = &[
    "how long",
    "how many",
    "how much",
    "how often",
    "how big",
    "how large",
    "how fast",
    "how old",
    "how far",
    "how soon",
];
/// Words of questions for a number.
const MEASURES: &[&str] = &[
    "limit", "limits", "maximum", "max", "minimum", "min", "size", "timeout", "rate", "price",
    "cost", "costs", "number", "port", "duration", "interval", "default", "defaults",
];
/// Beginnings of questions that are answered by yes or no.
const CHOICES: &[&str] = &[
    "can", "could", "does", "do", "did", "is", "are", "will", "would", "should", "must", "may",
    "has", "have",
];
/// Numbers as words.
const NUMBERS: &[&str] = &[
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "fifteen",
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "ninety",
    "hundred",
    "thousand",
    "million",
    "twice",
    "unlimited",
];

/// What a question asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AnswerType {
    /// What its subject is: the words of that, in lower case.
    Definition(Vec<String>),
    /// A number.
    Number,
    /// Whether something is so.
    Choice,
    /// Anything else.
    Other,
}

impl AnswerType {
    /// What `question` asks for, on pages in `language`.
    pub(super) fn of(question: &str, language: &str) -> Self {
        let lower = question.to_lowercase().replace('’', "'");
        let lower = lower.trim_matches(|c: char| c.is_whitespace() || "?？¿؟!¡.。".contains(c));
        let words: Vec<&str> = words_of(lower).collect();
        let is_way = matches!(
            words[..],
            ["how", "do" | "can" | "to" | "should", ..] | ["why", ..]
        );
        let names_measure = !is_way && words.iter().any(|word| MEASURES.contains(word));
        if names_measure || MEASURED.iter().any(|phrase| lower.contains(phrase)) {
            return Self::Number;
        }
        if let Some(subject) = subject(lower, language) {
            return Self::Definition(subject);
        }
        match words.first().is_some_and(|first| CHOICES.contains(first)) {
            true => Self::Choice,
            false => Self::Other,
        }
    }
}

/// What the definition is of that `question` asks for, in lower case.
fn subject(question: &str, language: &str) -> Option<Vec<String>> {
    let code = primary(language);
    for definitions in DEFINITIONS {
        // Names are asked for in English everywhere.
        if definitions.language != code && definitions.language != "en" {
            continue;
        }
        let before = definitions.before.iter();
        let rest = before
            .filter_map(|before| question.strip_prefix(before))
            .min_by_key(|rest| rest.len());
        let after = definitions.after.iter();
        let rest_after = after
            .filter_map(|after| rest.unwrap_or(question).strip_suffix(after))
            .min_by_key(|rest| rest.len());
        // "What does X mean" has both.
        let is_half =
            rest.is_some_and(|_| question.starts_with("what does")) && rest_after.is_none();
        let Some(rest) = rest_after.or(rest).filter(|_| !is_half) else {
            continue;
        };
        let mut words: Vec<String> = words_of(rest).map(str::to_owned).collect();
        if words
            .first()
            .is_some_and(|first| definitions.articles.contains(&first.as_str()))
        {
            words.remove(0);
        }
        let is_named = !words.iter().all(|word| UNNAMED.contains(&word.as_str()));
        if is_named && words.len() <= MAX_SUBJECT {
            return Some(words);
        }
    }
    None
}

/// The words of `text`, without the signs around them.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_'))
        .filter(|word| !word.is_empty())
}

/// Returns true if both are the same word, in the singular or the plural.
fn is_same(word: &str, other: &str) -> bool {
    let of_plural = |plural: &str, word: &str| {
        plural.strip_suffix("es") == Some(word) || plural.strip_suffix('s') == Some(word)
    };
    word == other || of_plural(word, other) || of_plural(other, word)
}

/// Returns true if `text` names `subject` and nothing else.
pub(super) fn names(text: &str, subject: &[String]) -> bool {
    let lower = text.to_lowercase();
    let words: Vec<&str> = words_of(&lower).collect();
    words.len() == subject.len()
        && words
            .iter()
            .zip(subject)
            .all(|(word, of)| is_same(word, of))
}

/// The first sentence of `blocks` that says what `subject` is, as CommonMark.
pub(super) fn definition(blocks: &[Block], subject: &[String], language: &str) -> Option<String> {
    let code = primary(language);
    let paragraphs = blocks.iter().filter_map(|block| match block {
        Block::Paragraph(line) => Some(line),
        _ => None,
    });
    for line in paragraphs {
        for sentence in sentences(&line.markdown) {
            if defines(&plain(sentence), subject, &code) && count(sentence) <= MAX_WORDS {
                return Some(sentence.to_owned());
            }
        }
    }
    None
}

/// Returns true if `sentence` begins with `subject` and says what it is.
fn defines(sentence: &str, subject: &[String], code: &str) -> bool {
    let lower = sentence.to_lowercase().replace('*', "");
    DEFINITIONS
        .iter()
        .filter(|definitions| definitions.language == code)
        .any(|definitions| {
            if definitions.articles.is_empty() {
                // Words are not apart.
                let subject = subject.join(" ");
                let rest = lower
                    .trim_start()
                    .strip_prefix(&subject)
                    .map(str::trim_start);
                let mut verbs = definitions.verbs.iter();
                let after = rest.and_then(|rest| verbs.find_map(|verb| rest.strip_prefix(verb)));
                let is_not = |after: &str| definitions.not.iter().any(|not| after.starts_with(not));
                return after.is_some_and(|after| !is_not(after));
            }
            let mut rest = lower.as_str();
            let mut words = std::iter::from_fn(|| {
                rest = rest.trim_start();
                // What is added in parentheses is no word.
                if rest.starts_with('(') {
                    rest = rest
                        .split_once(')')
                        .map_or("", |(_, after)| after)
                        .trim_start();
                }
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                let word = &rest[..end];
                rest = &rest[end..];
                (!word.is_empty()).then_some(word)
            })
            .peekable();
            words.next_if(|word| definitions.articles.contains(word));
            let trimmed = |word: &str| {
                word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_')
                    .to_owned()
            };
            let is_named = subject
                .iter()
                .all(|of| words.next().is_some_and(|word| is_same(&trimmed(word), of)));
            is_named
                && words
                    .next()
                    .is_some_and(|verb| definitions.verbs.contains(&verb))
                && words
                    .next()
                    .is_some_and(|next| !definitions.not.contains(&trimmed(next).as_str()))
        })
}

/// The statement of `blocks` that says what is `wanted`, as CommonMark, with the share of the question that it has.
pub(super) fn statement(
    blocks: &[Block],
    wanted: &AnswerType,
    reader: &mut Reader,
) -> Option<(f32, String)> {
    let mut best: Option<(f32, String)> = None;
    let mut consider = |worth: f32, least: f32, text: String| {
        let is_best = best.as_ref().is_none_or(|(most, _)| worth > *most);
        if worth >= least && is_best && !text.is_empty() && count(&text) <= MAX_WORDS {
            best = Some((worth, text));
        }
    };
    let mut head: &[Line] = &[];
    for block in blocks {
        match block {
            Block::Row {
                is_head: true,
                cells,
                ..
            } => head = cells,
            Block::Row {
                is_first, cells, ..
            } => {
                if *is_first {
                    head = &[];
                }
                let key = cells.first().map_or("", |cell| cell.text.as_str());
                if is_key(key, reader) {
                    let all = head.iter().chain(cells).map(|cell| cell.text.as_str());
                    let all: Vec<&str> = all.collect();
                    consider(
                        reader.words_of(&all.join(" ")),
                        OF_ENTRY,
                        row(head, cells, reader),
                    );
                }
            }
            Block::Item { line, .. } => {
                if key_of(line).is_some_and(|key| is_key(key, reader)) {
                    consider(reader.words_of(&line.text), OF_ENTRY, line.markdown.clone());
                } else {
                    of_sentences(line, wanted, reader, &mut consider);
                }
            }
            Block::Paragraph(line) => of_sentences(line, wanted, reader, &mut consider),
            Block::Title(_) | Block::Code { .. } => {}
        }
    }
    best
}

/// Has every sentence of `line` considered that says what is `wanted`.
fn of_sentences(
    line: &Line,
    wanted: &AnswerType,
    reader: &mut Reader,
    consider: &mut impl FnMut(f32, f32, String),
) {
    let least = match wanted {
        AnswerType::Number => OF_NUMBER,
        AnswerType::Choice => OF_CHOICE,
        AnswerType::Definition(_) | AnswerType::Other => return,
    };
    for sentence in sentences(&line.markdown) {
        let text = plain(sentence);
        // A lead says nothing yet, and a question asks the same again.
        let end = text.trim_end_matches(['*', '_', ' ', '"', ')']);
        let is_lead = end.ends_with([':', '：', '?', '？', '؟']);
        if !is_lead && (*wanted != AnswerType::Number || has_number(&text)) {
            consider(reader.words_of(&text), least, sentence.to_owned());
        }
    }
}

/// What the item `line` is about, if it says so first: "Retries: ten".
fn key_of(line: &Line) -> Option<&str> {
    let marks = [":", " - ", " – ", " — ", "："].iter();
    let found = marks.filter_map(|mark| line.text.split_once(mark));
    let (key, rest) = found.min_by_key(|(key, _)| key.len())?;
    (!rest.trim().is_empty() && words_of(key).count() <= MAX_SUBJECT).then_some(key)
}

/// Returns true if the question names `key`.
fn is_key(key: &str, reader: &mut Reader) -> bool {
    (1..=MAX_SUBJECT).contains(&words_of(key).count())
        && reader.has_all(key)
        && reader.words_of(key) >= KEY
}

/// A row as a sentence: what it is about, and its cells under their heads, those that the question names if it names any.
fn row(head: &[Line], cells: &[Line], reader: &mut Reader) -> String {
    let Some((key, rest)) = cells.split_first() else {
        return String::new();
    };
    let mut parts: Vec<(bool, String)> = Vec::new();
    for (at, cell) in rest.iter().enumerate() {
        if cell.markdown.trim().is_empty() {
            continue;
        }
        match head.get(at + 1).filter(|head| !head.text.trim().is_empty()) {
            Some(head) => {
                let is_named = reader.has_all(&head.text);
                let head = head.markdown.trim();
                parts.push((is_named, format!("{head}: {}", cell.markdown)));
            }
            None => parts.push((false, cell.markdown.clone())),
        }
    }
    if parts.iter().any(|(is_named, _)| *is_named) {
        parts.retain(|(is_named, _)| *is_named);
    }
    let parts: Vec<String> = parts.into_iter().map(|(_, part)| part).collect();
    match parts.is_empty() {
        true => String::new(),
        false => format!("{} — {}", key.markdown, parts.join(" · ")),
    }
}

/// Returns true if `text` has a number that counts or measures something.
pub(super) fn has_number(text: &str) -> bool {
    text.split_whitespace().any(|word| {
        let word = word.trim_matches(|c: char| "()[]\"'`,.;:!?*".contains(c));
        let number =
            word.trim_start_matches(['$', '€', '£', '¥', '~', '<', '>', '≤', '≥', '+', '-']);
        let digits = number
            .chars()
            .take_while(|c| c.is_ascii_digit() || ".,_".contains(*c));
        let digits: usize = digits.map(char::len_utf8).sum();
        let unit = &number[digits..];
        let is_number = number.starts_with(|c: char| c.is_ascii_digit())
            && unit.chars().count() <= 12
            && unit
                .chars()
                .all(|c| c.is_alphabetic() || "%-/°µ".contains(c));
        is_number || NUMBERS.contains(&word.to_lowercase().as_str())
    })
}

fn count(text: &str) -> usize {
    text.split_whitespace().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(markdown: &str) -> Line {
        Line {
            text: plain(markdown).replace("**", ""),
            markdown: markdown.to_owned(),
        }
    }

    fn row(is_first: bool, is_head: bool, cells: &[&str]) -> Block {
        Block::Row {
            is_first,
            is_head,
            cells: cells.iter().map(|cell| line(cell)).collect(),
        }
    }

    fn item(text: &str) -> Block {
        Block::Item {
            depth: 1,
            number: None,
            is_continued: false,
            line: line(text),
        }
    }

    fn said(question: &str, blocks: &[Block]) -> Option<String> {
        let texts: Vec<String> = blocks
            .iter()
            .flat_map(Block::lines)
            .map(|line| line.text.clone())
            .collect();
        let wanted = AnswerType::of(question, "en");
        let asked = super::super::conversation::without_measure(question);
        let mut reader = Reader::new(&asked, "en", &texts);
        statement(blocks, &wanted, &mut reader).map(|(_, said)| said)
    }

    fn defined(question: &str, language: &str, text: &str) -> Option<String> {
        let AnswerType::Definition(subject) = AnswerType::of(question, language) else {
            return None;
        };
        definition(&[Block::Paragraph(line(text))], &subject, language)
    }

    #[test]
    fn a_question_says_what_it_wants() {
        let subject = |words: &[&str]| {
            AnswerType::Definition(words.iter().map(|word| (*word).to_owned()).collect())
        };
        for (question, language, wanted) in [
            ("What is a webhook?", "en", subject(&["webhook"])),
            ("what's the seat limit", "en", AnswerType::Number),
            ("What is it?", "en", AnswerType::Other),
            ("这是什么？", "zh", AnswerType::Other),
            (
                "How do I change the default language?",
                "en",
                AnswerType::Other,
            ),
            ("What does RAG mean?", "en", subject(&["rag"])),
            ("Was ist ein Webhook?", "de", subject(&["webhook"])),
            ("Qu’est-ce qu’un jeton ?", "fr", subject(&["jeton"])),
            ("¿Qué es un token?", "en", AnswerType::Other),
            ("¿Qué es un token?", "es", subject(&["token"])),
            ("什么是令牌？", "zh", subject(&["令牌"])),
            ("令牌是什么？", "zh", subject(&["令牌"])),
            ("トークンとは何ですか？", "ja", subject(&["トークン"])),
            ("What does the server return?", "en", AnswerType::Other),
            ("How long does a token last?", "en", AnswerType::Number),
            ("Which timeout has a task?", "en", AnswerType::Number),
            ("Can I sell entry?", "en", AnswerType::Choice),
            ("How do I rotate keys?", "en", AnswerType::Other),
            ("", "en", AnswerType::Other),
            ("?", "ja", AnswerType::Other),
        ] {
            assert_eq!(AnswerType::of(question, language), wanted, "{question}");
        }
    }

    #[test]
    fn a_definition_begins_with_what_it_defines() {
        let text = "Some words. **Webhooks** (also called hooks) are requests that we send. More.";
        let sentence = "**Webhooks** (also called hooks) are requests that we send.";
        assert_eq!(
            defined("What is a webhook?", "en", text).as_deref(),
            Some(sentence)
        );
        assert_eq!(
            defined("What is `quire`?", "en", "`quire` is a program.").as_deref(),
            Some("`quire` is a program.")
        );
        let chinese = "先看这里。令牌是一串字符。";
        assert_eq!(
            defined("什么是令牌？", "zh", chinese).as_deref(),
            Some("令牌是一串字符。")
        );
        let german = "Ein Webhook ist eine Anfrage.";
        assert_eq!(
            defined("Was ist ein Webhook?", "de", german).as_deref(),
            Some(german)
        );
        for (question, text) in [
            ("What is a webhook?", "A webhook endpoint is an address."),
            ("What is a webhook?", "Webhooks arrive late."),
            (
                "What are webhooks?",
                "Webhooks are not available on the free plan.",
            ),
            ("What is a webhook?", "A webhook is sent at once."),
            (
                "What is a webhook?",
                "Where a webhook is sent is up to you.",
            ),
            ("What is an endpoint address?", "An endpoint is an address."),
            ("What is a webhook?", ""),
        ] {
            assert_eq!(defined(question, "en", text), None, "{text}");
        }
    }

    #[test]
    fn a_row_is_what_it_is_about_with_what_is_asked_of_it() {
        let table = [
            row(true, true, &["Plan", "Seats", "Price"]),
            row(false, false, &["Free", "1", "$0"]),
            row(false, false, &["**Team**", "20", "$9"]),
        ];
        assert_eq!(
            said("How many seats has the team plan?", &table).as_deref(),
            Some("**Team** — Seats: 20")
        );
        assert_eq!(
            said("team plan", &table).as_deref(),
            Some("**Team** — Seats: 20 · Price: $9")
        );
        assert_eq!(said("Which plan is best for schools?", &table), None);
        // Without a head, and with an empty cell.
        let bare = [row(true, false, &["`retries`", "", "3"])];
        assert_eq!(
            said("What about retries?", &bare).as_deref(),
            Some("`retries` — 3")
        );
    }

    #[test]
    fn an_item_is_what_it_is_about() {
        let list = [
            item("Retries: ten in all"),
            item("**Timeout** — 30 s"),
            item("Nothing else:"),
        ];
        assert_eq!(
            said("What about retries?", &list).as_deref(),
            Some("Retries: ten in all")
        );
        assert_eq!(
            said("the timeout", &list).as_deref(),
            Some("**Timeout** — 30 s")
        );
        assert_eq!(said("something else", &list), None);
    }

    #[test]
    fn a_number_and_a_choice_are_whole_sentences() {
        let text = "Refresh tokens are secret. A refresh token lasts 30 days. Personal repositories are not supported by the GitHub benefit.";
        let blocks = [Block::Paragraph(line(text))];
        assert_eq!(
            said("How long does a refresh token last?", &blocks).as_deref(),
            Some("A refresh token lasts 30 days.")
        );
        assert_eq!(
            said(
                "Does the GitHub benefit support personal repositories?",
                &blocks
            )
            .as_deref(),
            Some("Personal repositories are not supported by the GitHub benefit.")
        );
        assert_eq!(
            said(
                "How many refresh tokens are there for robots at night?",
                &blocks
            ),
            None
        );
        assert_eq!(said("How do I get a refresh token?", &blocks), None);
    }

    #[test]
    fn a_number_counts_or_measures() {
        for text in [
            "30 days",
            "(10GB)",
            "about $15.",
            "99.9%",
            "three times",
            "1,000 memories",
        ] {
            assert!(has_number(text), "{text}");
        }
        for text in [
            "",
            "HTTP/2",
            "v1",
            "sha256sum-of-everything",
            "none",
            "oauth2",
        ] {
            assert!(!has_number(text), "{text}");
        }
    }
}
