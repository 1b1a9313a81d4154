//! Replies that quote passages, and refusals.

use queries::site::translated;

use super::extract::PreparedAnswer;
use super::quotes::{Quote, citation, link};
use super::{Answered, Citation, Engine, Reply};
use quire_search::index::{FoundPassage, IndexState};

/// Number of nearest pages listed where nothing answers.
const MAX_NEAREST_PAGES: usize = 3;

/// Reply that quotes passages, below the `statement` that says what is asked for, if there is one.
pub(super) fn reply(
    statement: Option<String>,
    quotes: Vec<Quote>,
    confidence: f32,
    language: &str,
) -> Reply {
    let lead = translated("From the documentation:", language);
    // A quote that begins with it says it first.
    let is_new = |statement: &String| {
        let mut quotes = quotes.iter();
        quotes
            .next()
            .is_some_and(|first| !first.text.starts_with(statement.as_str()))
    };
    match statement.filter(is_new) {
        Some(statement) => quoted(&format!("{statement}\n\n{lead}"), quotes, confidence),
        None => quoted(lead, quotes, confidence),
    }
}

/// Reply that quotes what comes nearest.
pub(super) fn nearest(quotes: Vec<Quote>, confidence: f32, language: &str) -> Reply {
    let lead = translated("This passage may answer it:", language);
    Reply {
        answered: Answered::Partly,
        ..quoted(lead, quotes, confidence)
    }
}

fn quoted(lead: &str, quotes: Vec<Quote>, confidence: f32) -> Reply {
    let mut text = lead.to_owned();
    let mut citations: Vec<Citation> = Vec::new();
    for (place, quote) in quotes.into_iter().enumerate() {
        if place == 1 {
            // The others stand below a line.
            text.push_str("\n\n---");
        }
        text.push_str(&format!(
            "\n\n**{}**\n\n{}",
            link(&quote.citation),
            quote.text
        ));
        if !citations.contains(&quote.citation) {
            citations.push(quote.citation);
        }
    }
    extracted(Answered::Fully, text, citations, confidence)
}

/// Refusal in the place of `prepared`, whose passages answer nothing.
pub(super) fn refused(prepared: &PreparedAnswer) -> Reply {
    let mut pages: Vec<Citation> = Vec::new();
    for passage in &prepared.passages {
        let url = passage.citation.url.split('#').next().unwrap_or_default();
        let page = Citation {
            url: url.to_owned(),
            place: passage.citation.place.iter().take(1).cloned().collect(),
        };
        if pages.len() < MAX_NEAREST_PAGES && !pages.contains(&page) {
            pages.push(page);
        }
    }
    Reply {
        state: prepared.reply.state,
        ..refusal_of(pages, prepared.reply.confidence, &prepared.language)
    }
}

/// Refusal, with the nearest pages.
pub(super) fn refusal(found: &[FoundPassage], confidence: f32, language: &str) -> Reply {
    refusal_of(
        nearest_pages(found, MAX_NEAREST_PAGES),
        confidence,
        language,
    )
}

/// Refusal that lists the pages of `citations`.
fn refusal_of(citations: Vec<Citation>, confidence: f32, language: &str) -> Reply {
    let text = "The documentation does not seem to answer this.";
    let mut text = translated(text, language).to_owned();
    if !citations.is_empty() {
        let lead = translated("The nearest pages:", language);
        text.push_str(&format!(" {lead}\n"));
        for citation in &citations {
            text.push_str(&format!("\n- {}", link(citation)));
        }
    }
    extracted(Answered::Not, text, citations, confidence)
}

/// The first `most` pages of `found`.
fn nearest_pages(found: &[FoundPassage], most: usize) -> Vec<Citation> {
    let mut pages: Vec<Citation> = Vec::new();
    for passage in found {
        let page = citation(&passage.url, None, vec![passage.title.clone()]);
        if pages.len() < most && !pages.contains(&page) {
            pages.push(page);
        }
    }
    pages
}

/// Reply of the engine without a model, of an index that the caller names.
fn extracted(answered: Answered, text: String, citations: Vec<Citation>, confidence: f32) -> Reply {
    Reply {
        answered,
        engine: Engine::Extract,
        text,
        citations,
        confidence,
        notice: None,
        state: IndexState::default(),
    }
}
