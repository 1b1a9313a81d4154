//! Answers from the content of a site, with the places that they come from.
//!
//! The engine that is always there needs no model: it finds the passages that answer best and quotes them. What it says
//! stands on a page, word for word; what no passage answers it says it does not know. The same content gives the same
//! answer, whatever was edited before.
//!
//! A site may have a language model that writes from the same passages. It is asked only what the pages answer, and is
//! believed only what it cites, and what the cited passages bear out; where it fails, or nothing is left, the passages are
//! quoted as ever.

mod blocks;
mod checked;
mod cited;
mod conversation;
mod direct;
mod evidence;
mod extract;
mod facts;
mod generate;
mod judge;
pub mod model;
mod numbers;
mod operation;
mod passage;
mod prompt;
mod quotes;
mod replies;
mod retrieval;
mod sentences;
mod statements;
mod units;

pub use conversation::{Conversation, Message, Role};
pub use extract::{PreparedAnswer, QuotablePassage, answer, prepare};
pub use generate::{Failed, respond};
pub use retrieval::{CONFIDENT, Retrieved, retrieve};

use queries::base::content::ContentHash;
use quire_search::index::IndexState;
use quire_search::search_service::indexing;
use serde_json::{Value, json};

/// Maker of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// This program, by quoting pages.
    Extract,
    /// The language model of the site.
    Model,
    /// This program, because the language model of the site did not answer.
    Degraded,
}

impl Engine {
    /// The name that programs get.
    pub fn name(self) -> &'static str {
        match self {
            Self::Extract => "extract",
            Self::Model => "model",
            Self::Degraded => "degraded",
        }
    }
}

/// Whether the pages answer a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// They do.
    Fully,
    /// They may: a page about it is quoted, and it is not sure that the passage answers.
    Partly,
    /// They do not; the nearest pages are listed.
    Not,
}

impl Answered {
    /// Value of `metadata.answered`.
    fn json(self) -> Value {
        match self {
            Self::Fully => json!(true),
            Self::Partly => json!("partly"),
            Self::Not => json!(false),
        }
    }
}

/// A place that an answer comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// Address on the site, with the anchor of the passage.
    pub url: String,
    /// The title of the page and the headings above the passage, outermost first.
    pub place: Vec<String>,
}

impl Citation {
    /// The title of the page and the headings, as one text.
    pub fn title(&self) -> String {
        self.place.join(" › ")
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// Whether the content of the site holds an answer.
    pub answered: Answered,
    /// Maker.
    pub engine: Engine,
    /// The answer, CommonMark with tables.
    pub text: String,
    /// The places that it was taken from, each once, in the order of the text; the nearest pages where nothing answers.
    pub citations: Vec<Citation>,
    /// Probability that the best passage answers the question, 0 to 1.
    pub confidence: f32,
    /// Notice for the reader: the model failed, or was cut short, or sentences of it were left out.
    pub notice: Option<String>,
    /// State of the index that it comes from.
    pub state: IndexState,
}

/// The id of a reply to `conversation`: the same question to the same content has the same one (SPEC 2.4).
pub fn id(conversation: &Conversation, reply: &Reply) -> String {
    id_of(conversation, &reply.text)
}

/// The id of a reply to `conversation` that says `reply`.
pub fn id_of(conversation: &Conversation, reply: &str) -> String {
    let mut text = String::new();
    for message in &conversation.messages {
        text.push_str(message.role.name());
        text.push('\0');
        text.push_str(&message.content);
        text.push('\0');
    }
    text.push_str(reply);
    let digest = ContentHash::of(text.as_bytes()).short();
    // Thirteen digits of it are a number that JavaScript holds exactly.
    let number = u64::from_str_radix(digest.get(..13).unwrap_or("0"), 16).unwrap_or_default();
    format!("assistant-{number}")
}

/// A reply as programs get it (SPEC 2.4), with a part for each source and whether there was an answer.
pub fn json(id: &str, reply: &Reply) -> Value {
    let mut parts = vec![json!({ "type": "text", "text": reply.text })];
    parts.extend(sources(reply));
    json!({
        "id": id,
        "role": "assistant",
        "parts": parts,
        "metadata": metadata(reply),
    })
}

/// The parts that say what `reply` was taken from; none where nothing answers, as nothing was taken.
pub fn sources(reply: &Reply) -> impl Iterator<Item = Value> {
    let cited = reply.citations.iter();
    let cited = cited.filter(|_| reply.answered != Answered::Not);
    cited.enumerate().map(|(i, citation)| {
        json!({
            "type": "source-url",
            "sourceId": format!("source-{}", i + 1),
            "url": citation.url,
            "title": citation.title(),
        })
    })
}

/// Metadata of a reply: whether there is an answer, the engine, and the state of the index as in the answers of the search
/// ([`quire_search::search_service::json`]).
pub fn metadata(reply: &Reply) -> Value {
    let answered = reply.answered.json();
    let mut metadata = json!({ "answered": answered, "engine": reply.engine.name() });
    if let Some(mode) = reply.state.mode {
        metadata["mode"] = json!(mode.name());
    }
    if let Some(revision) = reply.state.revision {
        metadata["revision"] = json!(revision);
    }
    if let Some(progress) = reply.state.indexing {
        metadata["indexing"] = indexing(progress);
    }
    if let Some(notice) = &reply.notice {
        metadata["notice"] = json!(notice);
    }
    metadata
}
