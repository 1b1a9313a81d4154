//! Edits of texts. `None` is returned if a text has no place for one.

/// `text` with a word put into one of its lines of prose.
pub(super) fn with_word(text: &str, count: usize, random: &mut fastrand::Rng) -> Option<String> {
    let (mut is_code, mut is_matter) = (false, text.starts_with("---"));
    let mut places = Vec::new();
    let mut at = 0;
    for (i, line) in text.split_inclusive('\n').enumerate() {
        let start = at;
        at += line.len();
        if is_matter {
            is_matter = i == 0 || line.trim_end() != "---";
            continue;
        }
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        let is_prose = line.len() > 30 && line.starts_with(|c: char| c.is_ascii_alphabetic());
        let is_plain =
            !line.contains(['<', '{', '`', '[', '|', '$']) && !line.starts_with("import");
        if !is_code && is_prose && is_plain {
            places.push(start + line.find(' ')?);
        }
    }
    let place = *places.get(random.usize(..places.len().max(1)))?;
    Some(format!(
        "{} measured{count}{}",
        &text[..place],
        &text[place..]
    ))
}

/// `text` with another title in its front matter.
pub(super) fn with_title(text: &str, count: usize) -> Option<String> {
    let at = text.find("\ntitle: ")? + 1;
    let end = at + text[at..].find('\n')?;
    let is_in_matter =
        text.starts_with("---") && text[3..].find("\n---").is_some_and(|close| end < close + 4);
    is_in_matter.then(|| format!("{}title: \"Measured {count}\"{}", &text[..at], &text[end..]))
}

/// The text of the configuration with another primary color.
pub(super) fn with_color(text: &str, random: &mut fastrand::Rng) -> Option<String> {
    let at = text.find("\"primary\"")?;
    let hash = at + text[at..].find('#')?;
    let color = text.get(hash + 1..hash + 7)?;
    let is_color = color.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_color.then(|| {
        format!(
            "{}{:06x}{}",
            &text[..hash + 1],
            random.u32(..0x00ff_ffff),
            &text[hash + 7..]
        )
    })
}

/// The text of the configuration with another label of a group.
pub(super) fn with_label(text: &str, count: usize, random: &mut fastrand::Rng) -> Option<String> {
    let places: Vec<usize> = text
        .match_indices("\"group\"")
        .map(|(at, _)| at + 7)
        .collect();
    let at = *places.get(random.usize(..places.len().max(1)))?;
    let open = at + text[at..].find('"')?;
    let close = open + 1 + text[open + 1..].find('"')?;
    Some(format!(
        "{}Measured {count}{}",
        &text[..open + 1],
        &text[close..]
    ))
}

/// The text of a specification with a word put before one of its descriptions.
pub(super) fn with_description(
    text: &str,
    count: usize,
    random: &mut fastrand::Rng,
) -> Option<String> {
    let is_json = text.trim_start().starts_with('{');
    let key = if is_json {
        "\"description\":"
    } else {
        " description: "
    };
    let places: Vec<usize> = text
        .match_indices(key)
        .map(|(at, key)| at + key.len())
        .collect();
    for _ in 0..50 {
        let at = *places.get(random.usize(..places.len().max(1)))?;
        let rest = &text[at..];
        let word = match is_json {
            true => at + (rest.len() - rest.trim_start().len()) + 1,
            false => at,
        };
        let is_text = match is_json {
            true => text[at..].trim_start().starts_with('"'),
            // A plain scalar on one line.
            false => {
                rest.starts_with(|c: char| c.is_ascii_alphabetic())
                    && !rest.lines().next()?.contains(": ")
            }
        };
        if is_text {
            return Some(format!(
                "{}measured{count} {}",
                &text[..word],
                &text[word..]
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_goes_into_prose_and_nowhere_else() {
        let text = "---\ntitle: A\ndescription: A line that is long enough to be prose\n---\n\n```\nThis line of code is long enough to be prose\n```\n\nThis line of words is long enough to be prose.\n";
        let mut random = fastrand::Rng::with_seed(1);
        let edited = with_word(text, 7, &mut random).unwrap();
        assert!(
            edited.contains("\nThis measured7 line of words"),
            "{edited}"
        );
        assert_eq!(edited.len(), text.len() + " measured7".len());
        assert_eq!(with_word("# Only a heading\n", 7, &mut random), None);
    }

    #[test]
    fn titles_labels_and_colors() {
        assert_eq!(
            with_title("---\nicon: x\ntitle: A\n---\n\ntitle: B\n", 3).as_deref(),
            Some("---\nicon: x\ntitle: \"Measured 3\"\n---\n\ntitle: B\n")
        );
        assert_eq!(with_title("---\nicon: x\n---\n\ntitle: B\n", 3), None);
        let mut random = fastrand::Rng::with_seed(1);
        assert_eq!(
            with_label(r#"{"group": "A", "pages": []}"#, 3, &mut random).as_deref(),
            Some(r#"{"group": "Measured 3", "pages": []}"#)
        );
        let color = with_color(r##"{"primary": "#000000"}"##, &mut random).unwrap();
        assert_eq!(color.len(), r##"{"primary": "#000000"}"##.len());
    }

    #[test]
    fn descriptions_of_specifications() {
        let mut random = fastrand::Rng::with_seed(1);
        assert_eq!(
            with_description(r#"{"description": "A"}"#, 3, &mut random).as_deref(),
            Some(r#"{"description": "measured3 A"}"#)
        );
        assert_eq!(
            with_description("a:\n  description: A b\n", 3, &mut random).as_deref(),
            Some("a:\n  description: measured3 A b\n")
        );
        assert_eq!(
            with_description("a:\n  description: >\n    A\n", 3, &mut random),
            None
        );
    }
}
