//! How documentation begins: with a verb or a noun, never with a pronoun that only its author can resolve.

use std::path::Path;

use crate::cases::own_files;

/// First words that say nothing by themselves.
const PRONOUNS: &[&str] = &[
    "He", "It", "Its", "She", "Their", "Them", "These", "They", "Those", "Who", "Whom", "Whose",
];

/// First words of sentences that lean on the one before.
const PHRASES: &[&str] = &["The same ", "The same.", "The same,", "What became "];

/// Whether a comment of documentation opens with a pronoun.
fn leans(line: &str) -> bool {
    let text = ["/// ", "//! "]
        .iter()
        .find_map(|mark| line.strip_prefix(mark));
    let Some(text) = text else { return false };
    let word = text.split(|sign: char| !sign.is_alphanumeric()).next();
    PRONOUNS.contains(&word.unwrap_or_default())
        || PHRASES.iter().any(|phrase| text.starts_with(phrase))
}

#[test]
fn documentation_opens_with_a_verb_or_a_noun() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut wrong, mut count) = (String::new(), 0);
    for folder in ["src", "queries", "tests", "benches"] {
        for (path, bytes) in own_files(&root.join(folder)) {
            if !path.ends_with(".rs") {
                continue;
            }
            let text = String::from_utf8(bytes).unwrap();
            let mut is_begun = false;
            for (number, line) in text.lines().enumerate() {
                let line = line.trim_start();
                let is_doc = line.starts_with("///") || line.starts_with("//!");
                if is_doc && !is_begun {
                    count += 1;
                    if leans(line) {
                        wrong.push_str(&format!("{folder}/{path}:{}: {line}\n", number + 1));
                    }
                }
                is_begun = is_doc;
            }
        }
    }
    assert_eq!(wrong, "");
    assert!(count > 3000, "{count} comments of documentation");
}

#[test]
fn a_pronoun_is_seen_where_it_opens_a_comment() {
    assert!(leans("/// They."));
    assert!(leans("//! Its name."));
    assert!(leans("/// The same, for others."));
    assert!(!leans("/// Items of a list."));
    assert!(!leans("/// Name of the thing, as its author calls it."));
    assert!(!leans("// They say why, and may begin as they like."));
}
