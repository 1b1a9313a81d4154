//! The search of an export: files that the browser reads, so that no service is needed.
//!
//! `index.json` says what there is; lists of words stand in pieces by their first letters, texts of pages in pieces by
//! their addresses. A question reads the pieces of its words and those of the pages it shows. Pieces are named after what
//! they hold: an old table of contents never meets a new piece. The same site gives the same bytes.

mod lists;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use queries::base::content::ContentHash;
use queries::site::SearchDocument;
use queries::theme::assets::asset_url;
use serde::Serialize;

use crate::index::stop_words::stop_words;
use crate::index::words::folded;

/// Where the files are, below the output folder.
pub(super) const FOLDER: &str = "_search";

/// About how many bytes of texts stand in one piece: what is read for one result.
const TEXTS: usize = 12 * 1024;

/// The most characters of a passage that excerpts are taken from.
const EXCERPT: usize = 1200;

/// What is told of an endpoint by a pill before its title.
const METHODS: &[&str] = &[
    "GET", "PUT", "POST", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "WEBHOOK",
];

/// The table of contents.
#[derive(Serialize)]
struct Contents<'a> {
    /// What stands before every address.
    base: &'a str,
    /// How many pages there are.
    pages: usize,
    /// What pages have in common: version, language, tab, boost.
    classes: Vec<Class<'a>>,
    /// The class of each page, by how many pages in a row have it.
    runs: Vec<(usize, usize)>,
    /// Words that mean the same.
    synonyms: Vec<Vec<String>>,
    /// The first word of each piece of lists, and its file.
    words: Vec<(String, String)>,
    /// How many pages each piece of texts has, its file, and the file of what it leaves out.
    texts: Vec<(usize, String, Option<String>)>,
    /// The script with what few questions need.
    seldom: String,
    /// By language, that of most pages first: words of questions that say nothing.
    stop: Vec<(String, String)>,
}

#[derive(Clone, PartialEq, Eq, Serialize)]
struct Class<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    tab: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    boost: Option<i64>,
}

/// What is shown of a page.
#[derive(Serialize)]
struct Record<'a> {
    title: &'a str,
    url: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    /// The id of the heading of each passage, the heading, and the text.
    sections: Vec<(&'a str, &'a str, String)>,
}

/// The files by which `documents`, in the order of their addresses, are found below `base`.
pub(super) fn files(
    documents: &[Arc<SearchDocument>],
    base: &str,
    synonyms: &[Vec<String>],
) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    let mut add = |stem: &str, extension: &str, bytes: Vec<u8>| {
        let name = format!("{stem}-{}.{extension}", ContentHash::of(&bytes).short());
        files.push((format!("{FOLDER}/{name}"), bytes));
        name
    };
    let pieces = lists::pieces(words::gathered(documents));
    let words = pieces.into_iter();
    let words = words.map(|piece| (piece.from, add("words", "bin", piece.bytes)));
    let words = words.collect();
    let mut texts = Vec::new();
    let (mut piece, mut left_out) = (String::from("["), Vec::new());
    for (i, document) in documents.iter().enumerate() {
        if !left_out.is_empty() {
            piece.push(',');
        }
        piece.push_str(&serde_json::to_string(&record(document))?);
        left_out.push(rest(document));
        if piece.len() >= TEXTS || i + 1 == documents.len() {
            piece.push(']');
            let whole = std::mem::replace(&mut piece, String::from("["));
            let name = add("texts", "json", whole.into_bytes());
            let is_cut = left_out.iter().any(|of_page| !of_page.is_empty());
            let rest = match is_cut {
                true => Some(add("rest", "json", serde_json::to_vec(&left_out)?)),
                false => None,
            };
            texts.push((left_out.len(), name, rest));
            left_out.clear();
        }
    }
    let (classes, runs) = classes(documents);
    let fold = |word: &String| folded(&word.to_lowercase());
    let contents = Contents {
        base,
        pages: documents.len(),
        classes,
        runs,
        synonyms: synonyms
            .iter()
            .map(|group| group.iter().map(fold).collect())
            .collect(),
        words,
        texts,
        seldom: asset_url("seldom.js"),
        stop: stop(documents),
    };
    let contents = serde_json::to_vec(&contents)?;
    files.push((format!("{FOLDER}/index.json"), contents));
    Ok(files)
}

fn record(document: &SearchDocument) -> Record<'_> {
    let method = document.names.first().map(String::as_str);
    let sections = document.passages.iter().map(|passage| {
        let text = match passage.body.trim() {
            "" => passage.code.trim(),
            body => body,
        };
        (
            passage.anchor.as_deref().unwrap_or_default(),
            passage.headings.last().map_or("", String::as_str),
            text.chars().take(EXCERPT).collect(),
        )
    });
    Record {
        title: &document.title,
        url: document.route.href(),
        description: &document.description,
        method: method.filter(|method| METHODS.contains(method)),
        sections: sections.collect(),
    }
}

/// What [`record`] leaves out of the texts of each passage, up to the last that has something. Only words in quotes are
/// looked for there.
fn rest(document: &SearchDocument) -> Vec<String> {
    let rest = document.passages.iter().map(|passage| {
        let (body, code) = (passage.body.trim(), passage.code.trim());
        let is_cut = |text: &str| text.chars().nth(EXCERPT).is_some();
        match body {
            "" if is_cut(code) => code.to_owned(),
            "" => String::new(),
            // What is cut is there as a whole: words may stand on both sides of the cut.
            body if is_cut(body) => format!("{body}\n{code}").trim().to_owned(),
            _ => code.to_owned(),
        }
    });
    let mut rest: Vec<String> = rest.collect();
    while rest.last().is_some_and(String::is_empty) {
        rest.pop();
    }
    rest
}

/// By language, that of most pages first: words of questions that say nothing.
fn stop(documents: &[Arc<SearchDocument>]) -> Vec<(String, String)> {
    let mut pages: BTreeMap<String, usize> = BTreeMap::new();
    for document in documents {
        *pages.entry(words::language(document)).or_default() += 1;
    }
    let mut languages: Vec<(String, usize)> = pages.into_iter().collect();
    languages.sort_by_key(|(_, pages)| std::cmp::Reverse(*pages));
    let languages = languages.into_iter();
    languages
        .map(|(code, _)| {
            let words: BTreeSet<&str> = stop_words(&code).iter().copied().collect();
            let words: Vec<&str> = words.into_iter().collect();
            (code, words.join(" "))
        })
        .collect()
}

/// What pages have in common, and which page has what.
fn classes(documents: &[Arc<SearchDocument>]) -> (Vec<Class<'_>>, Vec<(usize, usize)>) {
    let mut classes: Vec<Class<'_>> = Vec::new();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for document in documents {
        let facets = &document.facets;
        let class = Class {
            tab: facets.tab.as_deref(),
            version: facets.version.as_deref(),
            language: facets.language.as_deref(),
            boost: (document.boost != 1000).then_some(document.boost),
        };
        let known = classes.iter().position(|known| *known == class);
        let at = known.unwrap_or_else(|| {
            classes.push(class);
            classes.len() - 1
        });
        match runs.last_mut() {
            Some((class, count)) if *class == at => *count += 1,
            _ => runs.push((at, 1)),
        }
    }
    (classes, runs)
}
