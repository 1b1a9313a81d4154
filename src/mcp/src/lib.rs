//! The Model Context Protocol: what programs may ask of a site, as tools that they call and resources that they read.
//!
//! What a tool is and says is ours; [`server`] alone knows the crate that speaks the protocol. Pages that search does not
//! find are in no answer.

pub mod arguments;
mod brief;
pub mod local;
mod operations;
mod pages;
mod questions;
mod resources;
pub mod server;
mod tools;

use std::sync::Arc;

use queries::site::{Db, Site};
use serde_json::{Map, Value};

use tools::Handler;
pub use tools::{TOOLS, Tool};

use arguments::Arguments;
use quire_search::search_service::Wait;
use quire_site::service::{Service, SiteHandle};

/// Longest text of one answer, in characters; more is read on from an offset.
const MAX_TEXT: usize = 60_000;

/// Reason for which a tool does not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Invalid arguments or a missing subject; a sentence that says how to go on.
    Wrong(String),
    /// No tool or resource has that name.
    Unknown(String),
    /// A fault of ours; the log says more.
    Internal,
}

impl Failure {
    fn invalid(message: impl Into<String>) -> Self {
        Self::Wrong(message.into())
    }
}

/// Tools and resources of one site.
#[derive(Clone)]
pub struct SiteTools {
    service: Arc<Service>,
}

impl SiteTools {
    /// The tools of a site.
    pub fn new(service: Arc<Service>) -> Self {
        Self { service }
    }

    /// The site.
    pub fn site(&self) -> &SiteHandle {
        self.service.handle()
    }

    /// The name of the site, for people.
    pub fn name(&self) -> String {
        (self.site().name()).unwrap_or_else(|| self.site().id().to_owned())
    }

    /// Instructions that a model gets before its first call.
    pub fn instructions(&self) -> String {
        format!(
            "The documentation of {}. Use `search` to find pages by words or meaning and `get_page` to read one, or a section \
             of it, as Markdown. Of the API use `list_operations` and `get_operation` for endpoints and `get_schema` for data \
             models. `ask` quotes the passages that answer a question. Cite the `url` of what you use.",
            self.name()
        )
    }

    /// Calls a tool, with what was written before it was called; returns Markdown.
    ///
    /// # Errors
    ///
    /// Returns why it does not answer.
    pub async fn call(
        &self,
        name: &str,
        argument_map: Map<String, Value>,
    ) -> Result<String, Failure> {
        let tool = TOOLS
            .iter()
            .find(|tool| tool.name == name)
            .ok_or_else(|| Failure::Unknown(format!("there is no tool `{name}`")))?;
        match tool.handler {
            Handler::Blocks(handler) => {
                let answer =
                    move |tools: &Self| handler(tools, &Arguments::new(tool, &argument_map)?);
                // Others do not wait for the index.
                self.work(name == "search", answer).await
            }
            Handler::Waits(handler) => {
                let arguments = Arguments::new(tool, &argument_map)?;
                let synced = self.service.sync_for(Wait::Answer).await;
                handler(self, &arguments, synced).await
            }
        }
    }

    /// Does what may take a while beside the requests of others, when there is a place. If it
    /// `searches`, it waits for the index too, by the same deadline.
    async fn work<T: Send + 'static>(
        &self,
        searches: bool,
        work: impl FnOnce(&Self) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let synced = self.service.sync_for(Wait::Answer).await;
        let due = synced.due.filter(|_| searches);
        let tools = self.clone();
        let done = self.site().run_blocking(due, move |_| work(&tools)).await;
        done.unwrap_or_else(|error| {
            tracing::error!("a tool of the MCP server failed: {error}");
            Err(Failure::Internal)
        })
    }

    /// Asks the database of the site.
    fn read<T>(&self, ask: impl Fn(&dyn Db, Site) -> T) -> Result<T, Failure> {
        self.site().read_for_program(ask).map_err(|error| {
            tracing::error!("the MCP server: {error:?}");
            Failure::Internal
        })
    }
}

/// The part of `text` from character `offset` on that fits into one answer, and where the next begins.
fn part(text: &str, offset: usize) -> (&str, Option<usize>) {
    let at = |count: usize| text.char_indices().nth(count).map(|(at, _)| at);
    let Some(from) = at(offset) else {
        return ("", None);
    };
    match at(offset + MAX_TEXT) {
        None => (&text[from..], None),
        Some(to) => {
            // At the end of a line, if there is one.
            let piece = &text[from..to];
            let piece = piece.rfind('\n').map_or(piece, |end| &piece[..=end]);
            (piece, Some(offset + piece.chars().count()))
        }
    }
}
