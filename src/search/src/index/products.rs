//! Products that questions name.

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
/// with as another one does tell nothing: "Python SDK" beside "Go SDK" is named by "Python". Of labels that stand in
/// each other the longer one is named.
pub fn named_product<'a>(query: &str, labels: &[&'a str]) -> NamedProduct<'a> {
    let asked = words(query);
    let all: Vec<Vec<String>> = labels.iter().map(|label| words(label)).collect();
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
        let starts = asked.windows(told.len()).enumerate();
        let places = starts.filter(|(_, words)| *words == told);
        let places = places.flat_map(|(start, _)| {
            let whole = asked[start..].starts_with(label);
            start..start + if whole { label.len() } else { told.len() }
        });
        let places: Vec<usize> = places.collect();
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

/// The words of a text, in lower case.
fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric() && !"+#.".contains(c));
    let words = words.map(|word| word.trim_matches('.'));
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
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
            ("node.js keys", &brands, NamedProduct::One("Node.js")),
            ("", &brands, NamedProduct::No),
            ("anything", &["", "?"], NamedProduct::No),
        ] {
            assert_eq!(named_product(query, labels), expected, "{query}");
        }
    }
}
