//! Products that questions name.

use super::stop_words::stop_words;

/// The product that a question names, of several with these labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedProduct<'a> {
    /// The one with this label.
    One(&'a str),
    /// Several: it compares them.
    Several,
    /// None.
    No,
}

/// The product that `query` names, of those with these `labels`, each of which is there once. Words that a label ends
/// with as another one does tell nothing: "Python SDK" beside "Go SDK" is named by "Python". A single word names one where
/// it is written as a name, or stands behind a word such as "in": "Go", and not "go". Of labels that stand in each other
/// the longer one is named.
pub fn named_product<'a>(query: &str, labels: &[&'a str]) -> NamedProduct<'a> {
    let lower = query.to_lowercase();
    let typed: Vec<&str> = words(query).collect();
    let asked: Vec<String> = typed.iter().map(|word| word.to_lowercase()).collect();
    let all: Vec<Vec<String>> = (labels.iter())
        .map(|label| words(label).map(str::to_lowercase).collect())
        .collect();
    let mut named: Vec<(&str, Vec<usize>)> = Vec::new();
    for (i, label) in all.iter().enumerate() {
        let others = (all.iter().enumerate()).filter(|(other, _)| *other != i);
        let same_end = |other: &[String]| {
            let ends = label.iter().rev().zip(other.iter().rev());
            ends.take_while(|(a, b)| a == b).count()
        };
        let shared = others.map(|(_, other)| same_end(other)).max();
        let own = label.len() - shared.unwrap_or_default();
        let told = match own {
            0 => &label[..],
            own => &label[..own],
        };
        if told.is_empty() {
            continue;
        }
        let is_whole = |start: usize| label.len() > 1 && asked[start..].starts_with(label);
        let starts = asked.windows(told.len()).enumerate();
        let places = starts.filter(|(start, words)| {
            *words == told && (told.len() > 1 || is_whole(*start) || is_name(&typed, *start))
        });
        let places = places.flat_map(|(start, _)| {
            let length = match is_whole(start) {
                true => label.len(),
                false => told.len(),
            };
            start..start + length
        });
        let mut places: Vec<usize> = places.collect();
        // Without blanks between words a label stands anywhere.
        if let [word] = &label[..]
            && word.contains(is_unspaced)
            && let Some(at) = lower.find(word.as_str())
        {
            places = (at..at + word.len()).collect();
        }
        if !places.is_empty() {
            named.push((labels[i], places));
        }
    }
    let is_within = |(_, places): &(&str, Vec<usize>)| {
        named.iter().any(|(_, others)| {
            others.len() > places.len() && places.iter().all(|place| others.contains(place))
        })
    };
    let mut whole = named.iter().filter(|one| !is_within(one));
    match (whole.next(), whole.next()) {
        (Some((label, _)), None) => NamedProduct::One(label),
        (Some(_), Some(_)) => NamedProduct::Several,
        (None, _) => NamedProduct::No,
    }
}

/// Words behind which the name of a product stands.
const BEFORE_NAMES: &[&str] = &[
    "by", "for", "from", "in", "into", "of", "on", "to", "using", "via", "with",
];

/// Returns true if the word at `at` is written as a name, or stands where one does.
fn is_name(typed: &[&str], at: usize) -> bool {
    let word = typed[at];
    let is_common = stop_words("en").contains(word.to_lowercase().as_str());
    let capitals = word.chars().filter(|c| c.is_uppercase()).count();
    let is_sign = word.contains(|c: char| !c.is_alphabetic());
    let is_behind = at > 0 && BEFORE_NAMES.contains(&typed[at - 1].to_lowercase().as_str());
    let is_capital = capitals > 0 && (at > 0 || !is_common);
    is_capital || capitals > 1 || is_sign || is_behind && !is_common
}

/// Returns true for letters of scripts that have no blanks between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// The words of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !"+#.".contains(c));
    let words = words.map(|word| word.trim_matches('.'));
    words.filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_named_by_the_words_that_tell_it_from_others() {
        let sdks = ["TypeScript SDK", "Python SDK", "C# SDK"];
        let brands = ["Atlas", "Atlas Search", "Realm", "Node.js"];
        for (query, labels, expected) in [
            (
                "How do I install the Python SDK?",
                &sdks[..],
                NamedProduct::One("Python SDK"),
            ),
            ("tools in python.", &sdks, NamedProduct::One("Python SDK")),
            ("C# clients", &sdks, NamedProduct::One("C# SDK")),
            ("Which SDK do I install?", &sdks, NamedProduct::No),
            ("pythonic names", &sdks, NamedProduct::No),
            ("Python or TypeScript?", &sdks, NamedProduct::Several),
            ("keys of atlas", &brands, NamedProduct::One("Atlas")),
            (
                "keys of Atlas-Search",
                &brands,
                NamedProduct::One("Atlas Search"),
            ),
            ("from Atlas to Atlas Search", &brands, NamedProduct::Several),
            ("search for keys", &brands, NamedProduct::No),
            (
                "Where do I go for keys?",
                &["Go SDK", "Python SDK"],
                NamedProduct::No,
            ),
            (
                "Where are keys in Go?",
                &["Go SDK", "Python SDK"],
                NamedProduct::One("Go SDK"),
            ),
            (
                "keys of the go sdk",
                &["Go SDK", "Python SDK"],
                NamedProduct::One("Go SDK"),
            ),
            (
                "How do I search for keys?",
                &["Search", "Keys"],
                NamedProduct::One("Keys"),
            ),
            (
                "when the kettle boils",
                &["The Kettle", "Travel Kettle"],
                NamedProduct::One("The Kettle"),
            ),
            (
                "lids for the travel kettle",
                &["The Kettle", "Travel Kettle"],
                NamedProduct::One("Travel Kettle"),
            ),
            (
                "如何安装云产品？",
                &["云产品", "本地产品"],
                NamedProduct::One("云产品"),
            ),
            ("node.js keys", &brands, NamedProduct::One("Node.js")),
            ("", &brands, NamedProduct::No),
            ("anything", &["", "?"], NamedProduct::No),
        ] {
            assert_eq!(named_product(query, labels), expected, "{query}");
        }
    }
}
