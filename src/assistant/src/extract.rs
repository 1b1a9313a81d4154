//! The engine without a model: the passages that answer best, quoted.

use queries::base::path::Route;

use super::conversation::{Conversation, Sought};
use super::direct::{AnswerType, definition, names};
use super::passage::{Reader, beginning, beginning_of, code_of, extract};
use super::quotes::{
    BEGINNING, FIRST, QUOTED, QUOTED_OF_PAGE, Quote, StatedQuote, citation, quotes,
};
use super::replies::{nearest, refusal, reply};
use super::retrieval::{AS_ASKED, Retrieved, current_page, retrieve};
use super::{Answered, Citation, Reply, operation};
use quire_search::index::FoundPassage;
use quire_search::stored::Answers;

/// Words of prose of the passage of a definition, and number of other passages quoted.
const DEFINED_WORDS: usize = 90;
const BESIDE_DEFINITION: usize = 1;

/// A passage that a language model may use for its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct QuotablePassage {
    /// Place.
    pub citation: Citation,
    /// Text, as CommonMark with tables.
    pub text: String,
}

/// Preparation of the last question of a conversation.
#[derive(Clone, Debug)]
pub struct PreparedAnswer {
    /// The question, with references to earlier messages resolved.
    pub query: String,
    /// The answer that quotes passages, or says that nothing answers.
    pub reply: Reply,
    /// The code of the language of what it quotes.
    pub(super) language: String,
    /// Name of the site.
    pub(super) site_name: String,
    /// The passages that another answer may be written from, best first; none where nothing answers.
    pub passages: Vec<QuotablePassage>,
}

impl From<Reply> for PreparedAnswer {
    /// A reply as it is, from which nothing else is written.
    fn from(reply: Reply) -> Self {
        Self {
            query: String::new(),
            reply,
            language: String::new(),
            site_name: String::new(),
            passages: Vec::new(),
        }
    }
}

/// Answers the last question of `conversation` from the site that `search` follows.
///
/// # Errors
///
/// Returns why nothing can be found: as [`Answers::passages`].
pub fn answer(search: &dyn Answers, conversation: &Conversation) -> anyhow::Result<Reply> {
    let sought = conversation.sought();
    if let Some(at) = current_page(conversation).filter(|_| sought.is_here)
        && let Some(reply) = of_page(search, &sought, &at)?
    {
        return Ok(reply);
    }
    if let Some((reply, _)) = in_language(search, &sought)? {
        return Ok(reply);
    }
    reply_or_refusal(search, &retrieve(search, conversation)?)
}

/// Like [`answer`], with the passages that another answer may be written from.
///
/// # Errors
///
/// As [`answer`].
pub fn prepare(
    search: &dyn Answers,
    conversation: &Conversation,
) -> anyhow::Result<PreparedAnswer> {
    let sought = conversation.sought();
    if let Some(at) = current_page(conversation).filter(|_| sought.is_here)
        && let Some(reply) = of_page(search, &sought, &at)?
    {
        return Ok(PreparedAnswer {
            query: sought.question,
            reply,
            language: search.language_at(&at)?,
            site_name: search.site_name(),
            passages: given_of_page(search, &at)?,
        });
    }
    if let Some((reply, at)) = in_language(search, &sought)? {
        return Ok(PreparedAnswer {
            query: sought.resolved.unwrap_or(sought.question),
            site_name: search.site_name(),
            reply,
            language: search.language_at(&at)?,
            passages: given_of_page(search, &at)?,
        });
    }
    let retrieved = retrieve(search, conversation)?;
    let reply = reply_or_refusal(search, &retrieved)?;
    let passages = match reply.answered {
        Answered::Not => Vec::new(),
        _ => passage_texts(search, &retrieved.passages)?,
    };
    Ok(PreparedAnswer {
        language: retrieved.language(search)?,
        site_name: search.site_name(),
        query: retrieved.query,
        reply,
        passages,
    })
}

/// Returns a reply that quotes `retrieved`, or a refusal if the confidence is too low.
fn reply_or_refusal(search: &dyn Answers, retrieved: &Retrieved) -> anyhow::Result<Reply> {
    let (found, confidence) = (&retrieved.passages, retrieved.confidence);
    let state = retrieved.state;
    let language = retrieved.language(search)?;
    let wanted = AnswerType::of(&retrieved.question, &language);
    if let AnswerType::Definition(subject) = &wanted
        && let Some(stated) = defined(search, retrieved, subject)?
    {
        let others = quotes(search, (&retrieved.query, &wanted, None), found)?;
        let cited = &stated.quote.citation.url;
        let others = others.into_iter().map(|other| other.quote);
        let others = others.filter(|other| other.citation.url != *cited);
        let mut quotes = vec![stated.quote.clone()];
        quotes.extend(others.take(BESIDE_DEFINITION));
        return Ok(Reply {
            state,
            ..reply(
                stated.statement,
                quotes,
                confidence.max(AS_ASKED),
                &language,
            )
        });
    }
    if !retrieved.is_near() {
        // It says so in the language of the question.
        let language = retrieved.asked_in.as_ref().unwrap_or(&language);
        return Ok(Reply {
            state,
            ..refusal(found, confidence, language)
        });
    }
    let is_sure = retrieved.is_sure();
    let asked = (retrieved.query.as_str(), &wanted, retrieved.code);
    let mut quoted = quotes(search, asked, found)?;
    let best = quoted.iter().enumerate().max_by(|(a, one), (b, other)| {
        let share = |stated: &StatedQuote| stated.share;
        // Of equal ones the first.
        share(one).total_cmp(&share(other)).then(b.cmp(a))
    });
    let best = best.filter(|(_, stated)| is_sure && stated.statement.is_some());
    let best = best.map(|(_, best)| (best.statement.clone(), best.quote.citation.url.clone()));
    let mut statement = None;
    if let Some((best, place)) = best {
        // What a statement stands in is quoted first, and at the length of that.
        let is_stated = |passage: &FoundPassage| {
            let anchor = passage.shown.anchor.as_deref();
            citation(&passage.url, anchor, Vec::new()).url == place
        };
        if let Some(at) = found.iter().position(is_stated).filter(|at| *at > 0) {
            let mut found = found.clone();
            found[..=at].rotate_right(1);
            quoted = quotes(search, asked, &found)?;
        }
        statement = best;
    }
    let quotes: Vec<Quote> = quoted.into_iter().map(|stated| stated.quote).collect();
    let reply = match (quotes.is_empty(), is_sure) {
        (true, _) => refusal(found, confidence, &language),
        (false, true) => reply(statement, quotes, confidence, &language),
        (false, false) => nearest(quotes, confidence, &language),
    };
    Ok(Reply { state, ..reply })
}

/// The definition of `subject`: that of the page that the question is asked on, or else that of a page or a passage that it
/// names, or else the first in what was found and on the home page.
fn defined(
    search: &dyn Answers,
    retrieved: &Retrieved,
    subject: &[String],
) -> anyhow::Result<Option<StatedQuote>> {
    let mut home = search.home()?;
    if let Some(page) = &home {
        let of_home = search.filter_at(page)?;
        let (filter, is) = (
            &retrieved.filter,
            |wanted: &Option<String>, has: &Option<String>| {
                wanted.is_none() || has.is_none() || wanted == has
            },
        );
        let is_wanted = is(&filter.language, &of_home.language)
            && is(&filter.version, &of_home.version)
            && is(&filter.product, &of_home.product);
        if !is_wanted {
            home = None;
        }
    }
    let mut pages: Vec<&Route> = retrieved.at.iter().collect();
    pages.extend(retrieved.passages.iter().map(|passage| &passage.url));
    pages.extend(&home);
    let mut seen: Vec<&Route> = Vec::new();
    let mut best: Option<(usize, StatedQuote)> = None;
    for url in pages {
        if seen.contains(&url) {
            continue;
        }
        seen.push(url);
        let Some((title, language, blocks)) = search.page_at(url)? else {
            continue;
        };
        let is_here = retrieved.at.as_ref() == Some(url);
        for part in &blocks.passages {
            let is_lead = part.passage.anchor.is_none();
            let is_found = retrieved
                .passages
                .iter()
                .any(|found| found.url == *url && found.shown.anchor == part.passage.anchor);
            if !is_lead && !is_found {
                continue;
            }
            let heading = part.passage.headings.last().unwrap_or(&title);
            let rank = match () {
                () if is_here && is_lead => 3,
                () if names(heading, subject) => 2,
                () if is_lead => 1,
                () => 0,
            };
            if best.as_ref().is_some_and(|(most, _)| *most >= rank) {
                continue;
            }
            let Some(statement) = definition(&part.blocks, subject, &language) else {
                continue;
            };
            let mut place = vec![title.clone()];
            place.extend(part.passage.headings.iter().cloned());
            let quote = Quote {
                citation: citation(url, part.passage.anchor.as_deref(), place),
                text: beginning(&part.blocks, DEFINED_WORDS),
            };
            let stated = StatedQuote {
                statement: Some(statement),
                share: 1.0,
                is_operation: false,
                quote,
            };
            best = Some((rank, stated));
        }
    }
    Ok(best.map(|(_, stated)| stated))
}

/// Answer to a question that asks for what was answered in another language of code: the code of the operation or of the
/// passage that was cited, in that; with its page. `None` if it has no such code.
fn in_language(search: &dyn Answers, sought: &Sought) -> anyhow::Result<Option<(Reply, Route)>> {
    let (Some(cited), Some(code), true) = (&sought.cited, sought.code, sought.is_only_code) else {
        return Ok(None);
    };
    let Some((title, language, blocks)) = search.page_at(&cited.page)? else {
        return Ok(None);
    };
    let part = blocks
        .passages
        .iter()
        .find(|part| part.passage.anchor == cited.anchor);
    let of_part = || {
        let part = part?;
        let text = code_of(&part.blocks, code)?;
        let mut place = vec![title.clone()];
        place.extend(part.passage.headings.iter().cloned());
        let citation = citation(&cited.page, part.passage.anchor.as_deref(), place);
        Some(Quote { citation, text })
    };
    let of_operation = operation::sample_in(&blocks, code).map(|sample| Quote {
        citation: citation(&cited.page, None, vec![title.clone()]),
        text: operation::code(sample),
    });
    let quote = of_operation.or_else(of_part);
    Ok(quote.map(|quote| (reply(None, vec![quote], 1.0, &language), cited.page.clone())))
}

/// Texts of the passages `found`, each as far as an answer needs it.
fn passage_texts(
    search: &dyn Answers,
    found: &[FoundPassage],
) -> anyhow::Result<Vec<QuotablePassage>> {
    let mut passage_texts: Vec<QuotablePassage> = Vec::new();
    for passage in found {
        let Some((_, _, blocks)) = search.page_at(&passage.url)? else {
            continue;
        };
        let anchor = &passage.shown.anchor;
        let part = blocks
            .passages
            .iter()
            .find(|part| part.passage.anchor == *anchor);
        let mut texts = part.map_or(Vec::new(), |part| vec![beginning_of(&part.blocks)]);
        if let Some((method, path)) = &passage.operation {
            texts.push(operation::quote((method, path), &blocks, None));
        }
        let mut place = vec![passage.title.clone()];
        place.extend(passage.shown.headings.iter().cloned());
        let citation = citation(&passage.url, anchor.as_deref(), place);
        texts.retain(|text| !text.is_empty());
        let text = texts.join("\n\n");
        let is_copy = |known: &QuotablePassage| known.citation == citation || known.text == text;
        if !text.is_empty() && !passage_texts.iter().any(is_copy) {
            passage_texts.push(QuotablePassage { citation, text });
        }
    }
    Ok(passage_texts)
}

/// Texts of the page at `at`, in reading order.
fn given_of_page(search: &dyn Answers, at: &Route) -> anyhow::Result<Vec<QuotablePassage>> {
    let Some((title, _, blocks)) = search.page_at(at)? else {
        return Ok(Vec::new());
    };
    let parts = blocks.passages.iter().map(|part| {
        let mut place = vec![title.clone()];
        place.extend(part.passage.headings.iter().cloned());
        QuotablePassage {
            citation: citation(at, part.passage.anchor.as_deref(), place),
            text: beginning_of(&part.blocks),
        }
    });
    Ok(parts.filter(|part| !part.text.is_empty()).collect())
}

/// Answers a question about the page at `at` from that page; `None` if it is not to be found.
fn of_page(search: &dyn Answers, sought: &Sought, at: &Route) -> anyhow::Result<Option<Reply>> {
    let Some((title, language, blocks)) = search.page_at(at)? else {
        return Ok(None);
    };
    let texts: Vec<String> = (blocks.passages.iter())
        .map(|part| format!("{}\n{}", part.passage.headings.join(" "), part.passage.body))
        .collect();
    let mut reader = Reader::new(&sought.question, &language, &texts)
        .preferring(&AnswerType::of(&sought.question, &language), sought.code);
    let mut ranked: Vec<(usize, f32)> = (texts.iter().enumerate())
        .map(|(i, text)| (i, reader.words_of(text)))
        .collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    // A question that names nothing of the page asks for what it is about.
    let is_about_all = ranked.first().is_none_or(|(_, worth)| *worth <= 0.0);
    let mut chosen: Vec<usize> = match is_about_all {
        true => (0..texts.len().min(QUOTED)).collect(),
        false => {
            let telling = ranked.iter().filter(|(_, worth)| *worth > 0.0);
            telling.take(QUOTED_OF_PAGE).map(|(i, _)| *i).collect()
        }
    };
    chosen.sort_unstable();
    let mut quotes = Vec::new();
    for i in chosen {
        let part = &blocks.passages[i];
        let text = match is_about_all {
            true => beginning(&part.blocks, BEGINNING),
            false => extract(&part.blocks, &mut reader, FIRST),
        };
        if text.is_empty() {
            continue;
        }
        let mut place = vec![title.clone()];
        place.extend(part.passage.headings.iter().cloned());
        quotes.push(Quote {
            citation: citation(at, part.passage.anchor.as_deref(), place),
            text,
        });
    }
    Ok((!quotes.is_empty()).then(|| reply(None, quotes, 1.0, &language)))
}
