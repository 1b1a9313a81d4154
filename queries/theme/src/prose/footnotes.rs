//! Footnotes of a page.

use std::collections::BTreeMap;

use crate::components::prose;

/// Footnotes: numbered in the order of their first mention, rendered at the end of the page.
#[derive(Clone, Default)]
pub(super) struct Footnotes {
    order: Vec<String>,
    /// The number of each that is mentioned, and how often it is.
    mentions: BTreeMap<String, (usize, usize)>,
    definitions: BTreeMap<String, String>,
}

impl Footnotes {
    pub(super) fn mention(&mut self, name: &str) -> (usize, usize) {
        if let Some((number, mentions)) = self.mentions.get_mut(name) {
            *mentions += 1;
            return (*number, *mentions);
        }
        self.order.push(name.to_owned());
        let first = (self.order.len(), 1);
        self.mentions.insert(name.to_owned(), first);
        first
    }

    pub(super) fn define(&mut self, name: String, html: String) {
        self.definitions.entry(name).or_insert(html);
    }

    pub(super) fn draw(&mut self) -> String {
        let notes: Vec<(String, String)> = self
            .order
            .iter()
            .filter_map(|name| Some((name.clone(), self.definitions.remove(name)?)))
            .collect();
        if notes.is_empty() {
            String::new()
        } else {
            prose::footnotes(&notes).into_string()
        }
    }
}
