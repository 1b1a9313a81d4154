//! Questions whose first answer nobody doubts: a title, a heading, an operation, and a word that pages of prose are about.

use std::collections::{BTreeMap, BTreeSet};

use queries::search::SearchDocument;
use quire_search::index::words::Analyzer;

/// The most questions of a kind that a site is asked, taken at even distances.
const MOST: usize = 300;
/// How many words a site is asked for.
const WORDS: usize = 30;
/// What stands for the values of a path.
const VALUES: [&str; 3] = ["8f14e45f", "42", "cus_9s6XKzkNRiz8i3"];

/// A question and the pages that must come first.
pub(crate) struct Probe {
    /// Title, heading, operation, operation with values, word.
    pub(crate) kind: &'static str,
    /// The question.
    pub(crate) query: String,
    /// The routes of which one must be among the first `within`.
    pub(crate) routes: BTreeSet<String>,
    /// How far down it may be.
    pub(crate) within: usize,
}

/// The probes of a site with these pages.
pub(crate) fn probes(documents: &[SearchDocument]) -> Vec<Probe> {
    let mut probes = Vec::new();
    let mut add = |kind: &'static str, rows: BTreeMap<String, BTreeSet<String>>| {
        // Capitals tell nothing apart for who types.
        let mut alike: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (text, routes) in &rows {
            let all = alike.entry(text.to_lowercase()).or_default();
            all.extend(routes.iter().cloned());
        }
        let rows: Vec<_> = rows
            .into_iter()
            .filter(|(text, _)| alike[&text.to_lowercase()].len() == 1)
            .collect();
        let step = rows.len().div_ceil(MOST).max(1);
        probes.extend(rows.into_iter().step_by(step).map(|(query, routes)| Probe {
            kind,
            query,
            routes,
            within: 1,
        }));
    };
    let titles = gather(documents, |document| vec![document.title.clone()]);
    let taken: BTreeSet<String> = titles.keys().map(|title| title.to_lowercase()).collect();
    add("title", titles);
    add(
        "heading",
        gather(documents, |document| {
            let own = document.passages.iter();
            let own = own.filter_map(|passage| passage.headings.last());
            own.filter(|heading| !taken.contains(&heading.to_lowercase()))
                .cloned()
                .collect()
        }),
    );
    let operation = |document: &SearchDocument| {
        let [method, path, ..] = &document.names[..] else {
            return None;
        };
        let is_operation = path.starts_with('/') && method.bytes().all(|b| b.is_ascii_uppercase());
        is_operation.then(|| (method.clone(), path.clone()))
    };
    add(
        "operation",
        gather(documents, |document| {
            let named = operation(document);
            named
                .map(|(method, path)| format!("{method} {path}"))
                .into_iter()
                .collect()
        }),
    );
    add(
        "with values",
        gather(documents, |document| {
            let named = operation(document).filter(|(_, path)| path.contains('{'));
            let filled = named.map(|(method, path)| format!("{method} {}", with_values(&path)));
            filled.into_iter().collect()
        }),
    );
    probes.extend(words(documents));
    probes
}

fn gather(
    documents: &[SearchDocument],
    texts: impl Fn(&SearchDocument) -> Vec<String>,
) -> BTreeMap<String, BTreeSet<String>> {
    let mut rows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for document in documents {
        for text in texts(document) {
            let text = text.replace(['`', '"'], "");
            if !text.trim().is_empty() {
                let route = document.route.as_str().to_owned();
                rows.entry(text).or_default().insert(route);
            }
        }
    }
    rows
}

/// A path with a value in place of each parameter.
fn with_values(path: &str) -> String {
    let mut values = VALUES.iter().cycle();
    let segments = path
        .split('/')
        .map(|segment| match segment.starts_with('{') {
            true => values.next().copied().unwrap_or_default(),
            false => segment,
        });
    segments.collect::<Vec<_>>().join("/")
}

/// The words that most titles of prose have, with the pages of prose that have them in their titles.
fn words(documents: &[SearchDocument]) -> Vec<Probe> {
    let analyzer = Analyzer::new("en");
    let mut pages: BTreeMap<String, (String, BTreeSet<String>)> = BTreeMap::new();
    for document in documents
        .iter()
        .filter(|document| document.names.is_empty())
    {
        let words = document.title.split(|c: char| !c.is_ascii_alphabetic());
        for word in words.filter(|word| word.len() >= 4) {
            let word = word.to_lowercase();
            let (_, routes) = pages
                .entry(analyzer.stem(&word))
                .or_insert_with(|| (word, BTreeSet::new()));
            routes.insert(document.route.as_str().to_owned());
        }
    }
    let mut pages: Vec<_> = pages.into_values().collect();
    pages.sort_by_key(|(word, routes)| (std::cmp::Reverse(routes.len()), word.clone()));
    // What a quarter of all titles say is said of everything.
    let prose = documents
        .iter()
        .filter(|document| document.names.is_empty())
        .count();
    let telling = pages
        .into_iter()
        .filter(|(_, routes)| routes.len() * 4 <= prose);
    let probe = |(query, routes)| Probe {
        kind: "word",
        query,
        routes,
        within: 2,
    };
    telling.take(WORDS).map(probe).collect()
}

/// How many of the probes of each kind came where they must, and how many there are.
pub(crate) fn kept(
    probes: &[Probe],
    mut rank: impl FnMut(&str) -> Vec<String>,
) -> BTreeMap<&'static str, (usize, usize)> {
    let mut kept: BTreeMap<&'static str, (usize, usize)> = BTreeMap::new();
    for probe in probes {
        let ranking = rank(&probe.query);
        let first = ranking.iter().take(probe.within);
        let is_there = first.into_iter().any(|route| probe.routes.contains(route));
        let (is, all) = kept.entry(probe.kind).or_default();
        *is += usize::from(is_there);
        *all += 1;
    }
    kept
}
