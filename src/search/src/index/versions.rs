//! Versions that questions name. The script that searches exports has the same rule (`namedVersion` in
//! `queries/theme/js/searcher.js`).

/// The version that `query` names, of those with these `labels`: `v2`, "version 2.0". `None` if it names none or
/// several; a label without a digit is a word like any other.
pub fn named_version<'a>(query: &str, labels: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let lower = query.to_lowercase();
    let sign = |c: char| "?!.,;:()[]\"'".contains(c);
    let words: Vec<&str> = lower
        .split_whitespace()
        .map(|word| word.trim_matches(sign))
        .collect();
    let is_named = |label: &str| {
        let label = label.to_lowercase();
        let has_digit = label.bytes().any(|byte| byte.is_ascii_digit());
        // "OAuth 2.0" and "2 factors" name none.
        let is_number = label.starts_with(|c: char| c.is_ascii_digit());
        has_digit
            && words.iter().enumerate().any(|(at, word)| {
                let is_version = at > 0 && matches!(words[at - 1], "version" | "release" | "v");
                *word == label && (!is_number || is_version)
                    || word.strip_prefix('v') == Some(&label)
                    || is_version && label.strip_prefix('v') == Some(word)
            })
    };
    let mut named = labels.filter(|label| is_named(label));
    let first = named.next()?;
    named.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_named_by_its_label() {
        let labels = ["v1", "v2", "2.0", "Next", "2024-06"];
        let named = |query| named_version(query, labels.into_iter());
        for (query, label) in [
            ("install v1", Some("v1")),
            ("How do I install V2?", Some("v2")),
            ("install version 1", Some("v1")),
            ("errors (version 2.0)", Some("2.0")),
            ("Configure OAuth 2.0", None),
            ("errors of v2.0", Some("2.0")),
            ("changes of release 2024-06", Some("2024-06")),
            // Two, none, and what is no version.
            ("migrate from v1 to v2", None),
            ("next steps", None),
            ("2 clients", None),
            ("v10", None),
            ("", None),
        ] {
            assert_eq!(named(query), label, "{query}");
        }
    }
}
