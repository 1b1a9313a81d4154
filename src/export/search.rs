//! The search of an export: files that the browser reads, so that no service is needed.
//!
//! `index.json` says what there is: the numbers of the order (`index/weights.rs`), the figures of each language, and files.
//! The vocabulary says which words there are, lists where they stand, sizes how long pages are; heads are what is shown of a
//! page at once, texts what excerpts are taken from. A question reads the vocabulary, the lists of its words, and the
//! pages it shows. Pieces are named after what they hold: an old table of contents never meets a new piece. The same site
//! gives the same bytes.

mod lists;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use queries::base::content::ContentHash;
use queries::site::SearchDocument;
use queries::theme::assets::asset_url;
use serde::Serialize;

use crate::index::lookup::{METHODS, REFERENCE_SIGNS, REFERENCE_WORDS};
use crate::index::pages::Totals;
use crate::index::stop_words::stop_words;
use crate::index::synonyms::NamedWord;
use crate::index::weights::{WEIGHTS, Weights};

use super::addresses::Addresses;
use words::{Gathered, Language, OfPage};

/// Where the files are, below the output folder.
pub const FOLDER: &str = "_search";

/// About how many bytes of texts stand in one piece: what is read for one result.
const TEXTS: usize = 12 * 1024;

/// About how many bytes of heads stand in one piece.
const HEADS: usize = 32 * 1024;

/// The most characters of a passage that excerpts are taken from.
const EXCERPT: usize = 1200;

/// A site as it is searched.
pub struct Site<'a> {
    /// What can be found of each page, in the order of their addresses.
    pub documents: &'a [Arc<SearchDocument>],
    /// The labels above each of them in the navigation, outermost first.
    pub breadcrumbs: &'a [&'a [String]],
    /// What stands before every address.
    pub base: &'a str,
    /// The addresses of pages.
    pub addresses: &'a Addresses<'a>,
    /// Groups of words that mean the same.
    pub synonyms: &'a [Vec<String>],
}

/// The table of contents.
#[derive(Serialize)]
struct Contents<'a> {
    /// What stands before every address.
    base: &'a str,
    /// How many pages there are.
    pages: usize,
    /// How many versions they have.
    versions: usize,
    /// What pages are ranked by.
    weights: Weights,
    /// What tells questions that look something up.
    lookup: Lookup,
    /// What pages have in common: kind, place, version, language, boost.
    classes: Vec<Class<'a>>,
    /// The class of each page, by how many pages in a row have it.
    runs: Vec<(usize, usize)>,
    /// Words that mean the same.
    synonyms: &'a [Vec<String>],
    /// Each language, that of most pages first.
    languages: Vec<Words>,
    /// How many pages each piece of sizes has, and its file.
    sizes: Vec<(usize, String)>,
    /// How many pages each piece of heads has, and its file.
    heads: Vec<(usize, String)>,
    /// How many pages each piece of texts has, its file, and the file of what it leaves out.
    texts: Vec<(usize, String, Option<String>)>,
    /// The file of operations, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    operations: Option<String>,
    /// The script with what few questions need.
    seldom: String,
}

/// What tells questions that look something up from those that ask.
#[derive(Serialize)]
struct Lookup {
    methods: &'static [&'static str],
    words: &'static [&'static str],
    signs: String,
}

/// The words of one language.
#[derive(Serialize)]
struct Words {
    code: String,
    /// Words of questions that say nothing.
    stop: String,
    /// Groups of names that mean the same in the field, of words by their lists, or their stems if they have none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    names: Vec<Vec<Vec<NamedWord>>>,
    totals: Figures,
    /// The first word of each piece of the vocabulary, and its file.
    words: Vec<(String, String)>,
    /// How many lists each piece has, and its file.
    lists: Vec<(usize, String)>,
}

/// What all pages of a language have together.
#[derive(Serialize)]
struct Figures {
    pages: u64,
    passages: u64,
    page_words: [u64; 6],
    passage_words: [u64; 6],
}

#[derive(Clone, PartialEq, Eq, Serialize)]
struct Class<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    breadcrumb: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    tab: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    boost: Option<i64>,
    /// Whether they are of another version than the site shows first.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    old: bool,
}

/// What is shown of a page at once.
#[derive(Serialize)]
struct Head<'a> {
    title: &'a str,
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    /// Where it leads, if it has no text of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    leads: Option<&'a str>,
    /// A number that it shares with its copies in other versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    copy: Option<usize>,
}

/// What excerpts of a page are taken from.
#[derive(Serialize)]
struct Texts<'a> {
    description: &'a str,
    /// The id of the heading of each passage, the heading, and the text.
    sections: Vec<(&'a str, &'a str, String)>,
}

/// Files as they are made.
#[derive(Default)]
struct Files(Vec<(String, Vec<u8>)>);

impl Files {
    fn add(&mut self, stem: &str, bytes: Vec<u8>) -> String {
        let name = format!("{stem}-{}.bin", ContentHash::of(&bytes).short());
        self.0.push((format!("{FOLDER}/{name}"), bytes));
        name
    }

    /// Pieces of a stem, each with what stands before its file.
    fn pieces<T>(
        &mut self,
        stem: &str,
        pieces: anyhow::Result<Vec<(T, Vec<u8>)>>,
    ) -> anyhow::Result<Vec<(T, String)>> {
        let pieces = pieces?.into_iter();
        Ok(pieces
            .map(|(key, bytes)| (key, self.add(stem, bytes)))
            .collect())
    }
}

/// The files by which the pages of `site` are found.
///
/// # Errors
///
/// Returns what could not be written as JSON, or not be packed.
pub fn files(site: &Site<'_>) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let Site {
        documents,
        base,
        synonyms,
        ..
    } = *site;
    let mut files = Files::default();
    let Gathered { pages, languages } = words::gathered(documents);
    let languages: Vec<Words> = (languages.into_iter())
        .map(|language| words_of(language, &mut files))
        .collect::<anyhow::Result<_>>()?;
    let sizes = files.pieces("sizes", lists::sizes(&pages))?;
    let copies = copies(&pages);
    let heads = documents.iter().zip(&pages).zip(&copies);
    let heads: Vec<String> = heads
        .map(|((document, page), copy)| {
            serde_json::to_string(&head(site.addresses, document, page, *copy))
        })
        .collect::<Result<_, _>>()?;
    let heads = files.pieces("heads", joined(&heads, HEADS))?;
    let texts = texts(documents, &mut files)?;
    let operations = operations(&pages, &mut files)?;
    let (classes, runs) = classes(site);
    let versions = documents.iter();
    let versions: BTreeSet<&String> = versions
        .filter_map(|document| document.facets.version.as_ref())
        .collect();
    let contents = Contents {
        base,
        pages: documents.len(),
        versions: versions.len(),
        weights: WEIGHTS,
        lookup: Lookup {
            methods: METHODS,
            words: REFERENCE_WORDS,
            signs: REFERENCE_SIGNS.iter().collect(),
        },
        classes,
        runs,
        synonyms,
        languages,
        sizes,
        heads,
        texts,
        operations,
        seldom: asset_url("seldom.js"),
    };
    let contents = serde_json::to_vec(&contents)?;
    files.0.push((format!("{FOLDER}/index.json"), contents));
    Ok(files.0)
}

fn words_of(language: Language, files: &mut Files) -> anyhow::Result<Words> {
    let stop: BTreeSet<&str> = stop_words(&language.code).iter().copied().collect();
    let stop: Vec<&str> = stop.into_iter().collect();
    let Totals {
        pages,
        passages,
        page_words,
        passage_words,
    } = language.totals;
    Ok(Words {
        stop: stop.join(" "),
        names: language.names,
        totals: Figures {
            pages,
            passages,
            page_words,
            passage_words,
        },
        words: files.pieces("words", lists::vocabulary(&language.vocabulary))?,
        lists: files.pieces("lists", lists::lists(&language.lists))?,
        code: language.code,
    })
}

/// Values in pieces of lists of about `size` bytes, each with how many it has.
fn joined(values: &[String], size: usize) -> anyhow::Result<Vec<(usize, Vec<u8>)>> {
    let (mut pieces, mut piece, mut count) = (Vec::new(), String::from("["), 0);
    for (i, value) in values.iter().enumerate() {
        if count > 0 {
            piece.push(',');
        }
        piece.push_str(value);
        count += 1;
        if piece.len() >= size || i + 1 == values.len() {
            piece.push(']');
            pieces.push((count, lists::packed(piece.as_bytes())?));
            (piece, count) = (String::from("["), 0);
        }
    }
    Ok(pieces)
}

/// The pieces of texts, and of what they leave out.
fn texts(
    documents: &[Arc<SearchDocument>],
    files: &mut Files,
) -> anyhow::Result<Vec<(usize, String, Option<String>)>> {
    let values: Vec<String> = (documents.iter())
        .map(|document| serde_json::to_string(&texts_of(document)))
        .collect::<Result<_, _>>()?;
    let mut texts = Vec::new();
    let mut left = documents;
    for (count, bytes) in joined(&values, TEXTS)? {
        let (here, others) = left.split_at(count.min(left.len()));
        left = others;
        let left_out: Vec<Vec<String>> = here.iter().map(|document| rest(document)).collect();
        let name = files.add("texts", bytes);
        let is_cut = left_out.iter().any(|of_page| !of_page.is_empty());
        let rest = match is_cut {
            true => Some(files.add("rest", lists::packed(&serde_json::to_vec(&left_out)?)?)),
            false => None,
        };
        texts.push((count, name, rest));
    }
    Ok(texts)
}

/// The file of operations: the number of each page that is about one, its method and its path.
fn operations(pages: &[OfPage], files: &mut Files) -> anyhow::Result<Option<String>> {
    let known = pages.iter().enumerate().filter_map(|(number, page)| {
        let (method, path) = page.operation.as_ref()?;
        Some((number, method, path))
    });
    let known: Vec<_> = known.collect();
    Ok(match known.is_empty() {
        true => None,
        false => Some(files.add("operations", lists::packed(&serde_json::to_vec(&known)?)?)),
    })
}

fn head<'a>(
    addresses: &Addresses<'_>,
    document: &'a SearchDocument,
    page: &'a OfPage,
    copy: Option<usize>,
) -> Head<'a> {
    let operation = page.operation.as_ref();
    Head {
        title: &document.title,
        url: addresses.page(&document.route),
        method: operation.map(|(method, _)| &method[..]),
        path: operation.map(|(_, path)| &path[..]),
        leads: document.leads_to.as_deref(),
        copy,
    }
}

/// The number of the copies of each page, from 1; of pages without copies none.
fn copies(pages: &[OfPage]) -> Vec<Option<usize>> {
    let mut count: BTreeMap<u64, (usize, usize)> = BTreeMap::new();
    for copy in pages.iter().filter_map(|page| page.copy) {
        let next = count.len() + 1;
        count.entry(copy).or_insert((next, 0)).1 += 1;
    }
    let number = |page: &OfPage| {
        let (number, pages) = count.get(&page.copy?)?;
        (*pages > 1).then_some(*number)
    };
    pages.iter().map(number).collect()
}

fn texts_of(document: &SearchDocument) -> Texts<'_> {
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
    Texts {
        description: &document.description,
        sections: sections.collect(),
    }
}

/// What [`texts_of`] leaves out of the texts of each passage, up to the last that has something. Only words in quotes are
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

/// What pages have in common, and which page has what.
fn classes<'a>(site: &Site<'a>) -> (Vec<Class<'a>>, Vec<(usize, usize)>) {
    let mut classes: Vec<Class<'a>> = Vec::new();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (document, breadcrumb) in site.documents.iter().zip(site.breadcrumbs) {
        let facets = &document.facets;
        let class = Class {
            kind: document.kind.name(),
            breadcrumb,
            tab: facets.tab.as_deref(),
            version: facets.version.as_deref(),
            language: facets.language.as_deref(),
            boost: (document.boost != 1000).then_some(document.boost),
            old: facets.is_old,
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
