//! Quotes of the passages that answer a question.

use std::collections::BTreeMap;

use queries::base::path::Route;
use queries::site::{CodeLanguage, PageBlocks, PassageBlocks};

use super::direct::{AnswerType, statement};
use super::passage::{Length, Reader, beginning, extract};
use super::retrieval::texts;
use super::{Citation, operation};
use quire_search::index::FoundPassage;
use quire_search::stored::Answers;

/// Maximum number of quoted passages, and of those per page.
pub(super) const QUOTED: usize = 4;
pub(super) const QUOTED_OF_PAGE: usize = 2;

/// A passage is quoted below the best one if it is worth so much of it.
const BESIDE: f32 = 0.5;

/// Lengths of the first extract and of the others. With those of the first for all, answers to questions in other words than the
/// pages' have 56 lines in place of 41, and .62 in place of .61 of them say what they must.
pub(super) const FIRST: Length = Length::of(150);
const OTHER: Length = Length {
    words: 60,
    parts: 6,
    lines: 12,
};

/// Words of the beginning of a passage that nothing is asked of.
pub(super) const BEGINNING: usize = 50;

/// Maximum number of passages listed that a text introduces.
const MAX_ANNOUNCED: usize = 12;

/// A quote, with the sentence, row or item of its passage that says what is asked for, if one does.
pub(super) struct StatedQuote {
    pub(super) statement: Option<String>,
    /// The share of the question that the statement has.
    pub(super) share: f32,
    /// Whether the passage is of an operation.
    pub(super) is_operation: bool,
    pub(super) quote: Quote,
}

/// A quoted passage.
#[derive(Clone)]
pub(super) struct Quote {
    pub(super) citation: Citation,
    pub(super) text: String,
}

pub(super) fn citation(url: &Route, anchor: Option<&str>, place: Vec<String>) -> Citation {
    let anchor = anchor.map_or(String::new(), |anchor| format!("#{anchor}"));
    Citation {
        url: format!("{}{anchor}", url.href()),
        place,
    }
}

/// At most [`QUOTED`] quotes of `found` about a query: that of the best passage, and then the others in
/// order of the pages, those of one page in reading order.
pub(super) fn quotes(
    search: &dyn Answers,
    (query, wanted, code): (&str, &AnswerType, Option<&'static CodeLanguage>),
    found: &[FoundPassage],
) -> anyhow::Result<Vec<StatedQuote>> {
    let texts = texts(found);
    let mut chosen: Vec<(&Route, usize, StatedQuote)> = Vec::new();
    let mut readers: BTreeMap<String, Reader> = BTreeMap::new();
    let most = found.iter().map(|passage| passage.score);
    let most = most.fold(f32::MIN_POSITIVE, f32::max);
    for passage in found {
        let least = match chosen.len() {
            0 => 0.0,
            _ => BESIDE,
        };
        let of_page = chosen
            .iter()
            .filter(|(url, ..)| **url == passage.url)
            .count();
        if chosen.len() == QUOTED || passage.score < least * most {
            break;
        }
        let most_of_page = match passage.operation {
            // What a request needs is said with the first.
            Some(_) => 1,
            None => QUOTED_OF_PAGE,
        };
        if of_page >= most_of_page {
            continue;
        }
        let Some((_, language, blocks)) = search.page_at(&passage.url)? else {
            continue;
        };
        // What passages in one language are compared with is worked out once.
        let reader = readers.entry(language).or_insert_with_key(|language| {
            Reader::new(query, language, &texts).preferring(wanted, code)
        });
        let length = match chosen.is_empty() {
            true => FIRST,
            false => OTHER,
        };
        let mut labels = vec![passage.title.clone()];
        labels.extend(passage.shown.headings.iter().cloned());
        // The same place in another version says the same in other words.
        let mut is_copied = false;
        for (url, _, quoted) in &chosen {
            let is_same = **url != passage.url && quoted.quote.citation.place == labels;
            is_copied = is_copied
                || is_same
                    && search.filter_at(url)?.version != search.filter_at(&passage.url)?.version;
        }
        if is_copied {
            continue;
        }
        let request = match chosen.iter().any(|(_, _, quote)| quote.is_operation) {
            false => Request::Whole,
            true => Request::Named,
        };
        let Some((place, text)) = quote(passage, &blocks, reader, (length, request), code) else {
            continue;
        };
        // Of the best one, whose code may be too long to quote, the beginning is quoted at least.
        let is_cut = (blocks.passages.get(place)).is_some_and(|part| part.blocks.len() > 1);
        let is_best = chosen.is_empty() && is_cut;
        if text.is_empty() || !is_best && !says_something(&text) {
            continue;
        }
        // Copies of a page say the same.
        if chosen
            .iter()
            .any(|(_, _, quoted)| quoted.quote.text == text)
        {
            continue;
        }
        let citation = citation(&passage.url, passage.shown.anchor.as_deref(), labels);
        let blocks = blocks.passages.get(place).map(|part| &part.blocks);
        let said = blocks.and_then(|blocks| statement(blocks, wanted, reader));
        let (share, statement) = said.map_or((0.0, None), |(share, said)| (share, Some(said)));
        let quoted = StatedQuote {
            statement,
            share,
            is_operation: passage.operation.is_some(),
            quote: Quote { citation, text },
        };
        chosen.push((&passage.url, place, quoted));
    }
    let pages: Vec<&Route> = chosen.iter().map(|(url, ..)| *url).collect();
    let rank = |url: &Route| pages.iter().position(|page| *page == url);
    if let Some((_, others)) = chosen.split_first_mut() {
        others.sort_by_key(|(url, place, _)| (rank(url), *place));
    }
    Ok(chosen.into_iter().map(|(_, _, quoted)| quoted).collect())
}

/// Part of the request of an operation that is quoted.
#[derive(Clone, Copy, Debug)]
enum Request {
    /// Method and path, what is required, and a sample: of the first operation of an answer.
    Whole,
    /// Method and path.
    Named,
}

/// Quote of `passage`, and its position on the page.
fn quote(
    passage: &FoundPassage,
    page: &PageBlocks,
    reader: &mut Reader,
    (length, request): (Length, Request),
    code: Option<&CodeLanguage>,
) -> Option<(usize, String)> {
    let parts = &page.passages;
    let place = parts
        .iter()
        .position(|part| part.passage.anchor == passage.shown.anchor);
    let mut text = place.map_or(String::new(), |place| {
        extract(&parts[place].blocks, reader, length)
    });
    if let Some(place) = place
        && text.ends_with([':', '：'])
    {
        text.push_str(&subsection_links(parts, place, &passage.url));
    }
    let Some((method, path)) = &passage.operation else {
        return place.map(|place| (place, text));
    };
    // What it does stands before what of it was asked for.
    let first = parts.first().filter(|first| first.passage.anchor.is_none());
    let about = first.filter(|_| place != Some(0));
    let about = about.map_or(String::new(), |first| beginning(&first.blocks, BEGINNING));
    let request = match request {
        Request::Whole => operation::quote((method, path), page, code),
        Request::Named => format!("`{method} {path}`"),
    };
    let mut texts = vec![about, text, request];
    texts.retain(|text| !text.is_empty());
    Some((place.unwrap_or(0), texts.join("\n\n")))
}

/// Returns true if an extract is more than the beginning of what follows it.
fn says_something(text: &str) -> bool {
    text.contains(char::is_alphanumeric) && !text.ends_with([':', '：'])
}

/// Returns links to the passages one level below the one at `place`, for a text that introduces
/// them.
fn subsection_links(parts: &[PassageBlocks], place: usize, url: &Route) -> String {
    let above = &parts[place].passage.headings;
    let below = parts[place + 1..].iter();
    let below = below.take_while(|part| part.passage.headings.starts_with(above));
    let below = below.filter(|part| part.passage.headings.len() == above.len() + 1);
    let mut list = String::new();
    for part in below.take(MAX_ANNOUNCED) {
        let heading = part.passage.headings.last().cloned().unwrap_or_default();
        let citation = citation(url, part.passage.anchor.as_deref(), vec![heading]);
        list.push_str(&format!("\n- {}", link(&citation)));
    }
    match list.is_empty() {
        true => list,
        false => format!("\n{list}"),
    }
}

/// A link to the place of `citation`.
pub(super) fn link(citation: &Citation) -> String {
    let mut title = String::new();
    for c in citation.title().chars() {
        if matches!(c, '\\' | '`' | '*' | '[' | ']' | '<') {
            title.push('\\');
        }
        title.push(c);
    }
    format!("[{title}]({})", citation.url)
}
