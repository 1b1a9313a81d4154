//! Footnotes of a page.

use std::collections::BTreeMap;

use crate::components::prose;

/// Footnotes: numbered in the order of their first mention, drawn at the end of the page.
#[derive(Default)]
pub(super) struct Footnotes {
    order: Vec<String>,
    mentions: BTreeMap<String, usize>,
    definitions: BTreeMap<String, String>,
}

impl Footnotes {
    pub(super) fn mention(&mut self, name: &str) -> (usize, usize) {
        let mentions = self.mentions.entry(name.to_owned()).or_insert(0);
        *mentions += 1;
        if *mentions == 1 {
            self.order.push(name.to_owned());
        }
        let number = self
            .order
            .iter()
            .position(|known| known == name)
            .map_or(0, |at| at + 1);
        (number, *mentions)
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
