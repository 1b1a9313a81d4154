//! Words of the field that mean the same on every site: what abbreviations stand for, and what makers of different products
//! call one thing. The table of a language is `synonyms/<code>.txt`, which says how it was made.

use std::collections::HashMap;
use std::sync::OnceLock;

use serde::Serialize;

use crate::index::words::{Analyzer, Forms, QueryWord};

/// The tables, by the code of their language.
const TABLES: [(&str, &str); 1] = [("en", include_str!("synonyms/en.txt"))];

/// The table of one language, read.
pub struct Synonyms {
    /// Groups of names, each of its words in order.
    groups: Vec<Vec<Vec<Forms>>>,
    /// The groups that have a name which begins with a word.
    by_word: HashMap<String, Vec<usize>>,
}

/// A word of a name, in the form that exports use to look words up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum NamedWord {
    /// Number of the word.
    Number(usize),
    /// Stem of a word that has no number.
    Stem(String),
}

impl Synonyms {
    /// The table of a language; `None` if it has none.
    pub fn of(language: &str) -> Option<&'static Self> {
        static READ: [OnceLock<Synonyms>; TABLES.len()] = [const { OnceLock::new() }; TABLES.len()];
        let place = TABLES.iter().position(|(code, _)| *code == language)?;
        let read = READ.get(place)?;
        Some(read.get_or_init(|| Self::read(TABLES[place])))
    }

    fn read((language, table): (&str, &str)) -> Self {
        let analyzer = Analyzer::new(language);
        let lines = table.lines().filter(|line| !line.starts_with('#'));
        let forms = |name: &str| {
            let words = analyzer.question(name).into_iter();
            words.map(|word| word.whole).collect::<Vec<Forms>>()
        };
        // Without stop words "log in" would be the same as "log".
        let is_whole = |(name, forms): &(&str, Vec<Forms>)| forms.len() > 1 || !name.contains(' ');
        let groups = lines.map(|line| {
            let names = line.split(", ").map(|name| (name, forms(name)));
            let names = names.filter(is_whole).map(|(_, forms)| forms);
            names.collect::<Vec<Vec<Forms>>>()
        });
        let groups: Vec<Vec<Vec<Forms>>> = groups.collect();
        let mut by_word: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, group) in groups.iter().enumerate() {
            for first in group.iter().filter_map(|name| name.first()) {
                let known = by_word.entry(first.term.clone()).or_default();
                if known.last() != Some(&place) {
                    known.push(place);
                }
            }
        }
        Self { groups, by_word }
    }

    /// The groups that have a name of one word which `number` knows, with the numbers of their
    /// words or else their stems: for exports, which look words up elsewhere.
    pub fn with_words(&self, number: &dyn Fn(&Forms) -> Option<usize>) -> Vec<Vec<Vec<NamedWord>>> {
        let read = |form: &Forms| match number(form) {
            Some(number) => NamedWord::Number(number),
            None => NamedWord::Stem(form.term.clone()),
        };
        let is_known = |name: &Vec<Forms>| matches!(&name[..], [one] if number(one).is_some());
        let groups = self.groups.iter();
        let groups = groups.filter(|group| group.iter().any(is_known));
        groups
            .map(|group| {
                let names = group.iter();
                names.map(|name| name.iter().map(read).collect()).collect()
            })
            .collect()
    }

    /// Synonyms of one word for `words`, each with the place of the word that it replaces, in the
    /// order of the question.
    pub fn names(&self, words: &[QueryWord]) -> Vec<(usize, &Forms)> {
        let is_asked = |form: &Forms| words.iter().any(|word| word.whole.term == form.term);
        let mut names = Vec::new();
        for (asked, word) in words.iter().enumerate() {
            let groups = self.by_word.get(&word.whole.term);
            for group in groups.into_iter().flatten() {
                let group = &self.groups[*group];
                let is_said = group.iter().any(|name| {
                    name.first()
                        .is_some_and(|first| first.term == word.whole.term)
                        && name.iter().all(is_asked)
                });
                let others = group.iter().filter(|name| name.len() == 1).flatten();
                if is_said {
                    names.extend(
                        others
                            .filter(|form| !is_asked(form))
                            .map(|form| (asked, form)),
                    );
                }
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, expected: &[(usize, &str)]) {
        let words = Analyzer::new("en").question(query);
        let names = Synonyms::of("en").unwrap().names(&words);
        let names: Vec<(usize, &str)> = names
            .iter()
            .map(|(asked, form)| (*asked, form.typed.as_str()))
            .collect();
        assert_eq!(names, expected, "{query}");
    }

    #[test]
    fn names_stand_for_the_words_they_mean() {
        check("k8s", &[(0, "kubernetes")]);
        check("install kubernetes", &[(0, "setup"), (1, "k8s")]);
        // A name of several words is met where all of them are asked for, and stands for none.
        check("single sign on", &[(0, "sso"), (0, "saml")]);
        check("single room", &[]);
        check("log in", &[]);
        check("sso", &[(0, "saml")]);
        check("", &[]);
    }

    #[test]
    fn languages_without_a_table_have_none() {
        assert!(Synonyms::of("de").is_none());
    }

    /// Nothing else would detect a table that does not follow its own rules.
    #[test]
    fn tables_are_in_order_and_every_group_has_two_names() {
        for (_, table) in TABLES {
            for line in table.lines().filter(|line| !line.starts_with('#')) {
                let names: Vec<&str> = line.split(", ").collect();
                assert!(names.len() > 1, "{line}");
                assert_eq!(line, line.to_lowercase(), "{line}");
                assert!(names.iter().all(|name| !name.trim().is_empty()), "{line}");
            }
        }
    }
}
