//! Embedded text of a passage: its place on the page, its prose, and code where there is little
//! prose.

use super::Passage;

/// Words of prose in one window.
const WINDOW: usize = 180;

/// Below this many words of prose the beginning of the code is embedded too.
const LITTLE: usize = 25;

/// Words of code that are embedded then.
const CODE: usize = 60;

/// Windows of one passage: a passage of a whole book must not cost more than the site.
const MAX_WINDOWS: usize = 32;

/// The texts to embed for a passage of a page with this title: `title. heading > path. body`, a window of 180 words each.
/// Nothing for a passage without words of its own.
pub(super) fn windows(title: &str, passage: &Passage) -> Vec<String> {
    let mut place = String::from(title);
    if !passage.headings.is_empty() {
        place.push_str(". ");
        place.push_str(&passage.headings.join(" > "));
    }
    place.push('.');
    let mut words: Vec<&str> = passage.body.split_whitespace().collect();
    if words.len() < LITTLE {
        words.extend(passage.code.split_whitespace().take(CODE));
    }
    if words.is_empty() {
        return match passage.headings.is_empty() {
            true => Vec::new(),
            false => vec![place],
        };
    }
    let windows = words.chunks(WINDOW).take(MAX_WINDOWS);
    windows
        .map(|window| format!("{place} {}", window.join(" ")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(headings: &[&str], body: &str, code: &str) -> Passage {
        Passage {
            anchor: None,
            headings: headings.iter().map(|&heading| heading.to_owned()).collect(),
            body: body.to_owned(),
            code: code.to_owned(),
        }
    }

    #[test]
    fn the_place_stands_before_the_prose() {
        let windows = |passage: &Passage| windows("Tickets", passage);
        assert_eq!(
            windows(&passage(&["Prices", "Groups"], "Half\nof it.", "")),
            ["Tickets. Prices > Groups. Half of it."]
        );
        assert_eq!(
            windows(&passage(&[], "Buy one.", "")),
            ["Tickets. Buy one."]
        );
        assert_eq!(windows(&passage(&["Prices"], "", "")), ["Tickets. Prices."]);
        assert_eq!(windows(&passage(&[], "", "")), [""; 0]);
    }

    #[test]
    fn little_prose_is_helped_by_code() {
        let code = "x ".repeat(100);
        let helped = &windows("T", &passage(&[], &"w ".repeat(24), &code))[0];
        assert_eq!(helped.matches('x').count(), CODE);
        let alone = &windows("T", &passage(&[], &"w ".repeat(25), &code))[0];
        assert_eq!(alone.matches('x').count(), 0);
    }

    #[test]
    fn long_prose_falls_into_windows() {
        let windows = |words: usize| windows("T", &passage(&[], &"w ".repeat(words), "")).len();
        assert_eq!([windows(180), windows(181), windows(361)], [1, 2, 3]);
        assert_eq!(windows(1_000_000), MAX_WINDOWS);
    }
}
