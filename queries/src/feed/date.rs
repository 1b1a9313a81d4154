//! Dates as people write them in a changelog, and as RSS wants them (RFC 822).

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The date that `text` is, if it is one and nothing else: `2026-01-02`, `January 2, 2026`, `2 Jan 2026`, `January 2026`.
/// A month stands for its first day.
pub(super) fn of_text(text: &str) -> Option<String> {
    let words: Vec<&str> = text
        .split([' ', ',', '-', '/', '.'])
        .filter(|word| !word.is_empty())
        .collect();
    let number = |word: &str| {
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let ending = &word[digits.len()..];
        let is_number = matches!(ending, "" | "st" | "nd" | "rd" | "th");
        digits.parse::<u32>().ok().filter(|_| is_number)
    };
    let year = |word: &str| number(word).filter(|year| word.len() == 4 && *year >= 1970);
    let (year, month, day) = match words[..] {
        [y, m, d] if year(y).is_some() => (year(y)?, number(m)?, number(d)?),
        [m, d, y] if month_of(m).is_some() => (year(y)?, month_of(m)?, number(d)?),
        [d, m, y] if month_of(m).is_some() => (year(y)?, month_of(m)?, number(d)?),
        [m, y] => (year(y)?, month_of(m)?, 1),
        _ => return None,
    };
    let is_date = (1..=12).contains(&month) && (1..=days_of(year, month)).contains(&day);
    is_date.then(|| format_date(year, month, day))
}

fn month_of(word: &str) -> Option<u32> {
    let word = word.to_lowercase();
    let is_short = word.len() == 3 || word == "sept";
    let found = (MONTHS.iter().zip(1..))
        .find(|(name, _)| **name == word || is_short && name.starts_with(&word));
    found.map(|(_, number)| number)
}

fn is_leap(year: u32) -> bool {
    year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400)
}

fn days_of(year: u32, month: u32) -> u32 {
    match month {
        2 => 28 + u32::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn format_date(year: u32, month: u32, day: u32) -> String {
    let before: u32 = (1..month).map(|month| days_of(year, month)).sum();
    let past = year - 1;
    let days = past * 365 + past / 4 - past / 100 + past / 400 + before + day;
    // The first of January of the year 1 was a Monday.
    let weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][(days % 7) as usize];
    let name = MONTHS[month as usize - 1];
    let (first, rest) = name.split_at(1);
    format!(
        "{weekday}, {day:02} {}{} {year} 00:00:00 GMT",
        first.to_ascii_uppercase(),
        &rest[..2]
    )
}

#[cfg(test)]
mod tests {
    use super::of_text;

    #[test]
    fn a_date_is_read_in_the_ways_people_write_it() {
        for text in [
            "2026-01-02",
            "2026/1/2",
            "January 2, 2026",
            "Jan 2nd, 2026",
            "2 January 2026",
        ] {
            let date = of_text(text);
            assert_eq!(
                date.as_deref(),
                Some("Fri, 02 Jan 2026 00:00:00 GMT"),
                "{text}"
            );
        }
        let month = of_text("February 2024");
        assert_eq!(month.as_deref(), Some("Thu, 01 Feb 2024 00:00:00 GMT"));
        let leap = of_text("2024-02-29");
        assert_eq!(leap.as_deref(), Some("Thu, 29 Feb 2024 00:00:00 GMT"));
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "v1.2.3",
            "2025-02-29",
            "Week of May 3",
            "13/13/2026",
            "",
            "2026",
            "May",
        ] {
            assert_eq!(of_text(text), None, "{text}");
        }
    }
}
