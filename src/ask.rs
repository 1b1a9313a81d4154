//! The `ask` command: one question to a site in a folder, for people and for scripts.

use std::io::Write;
use std::sync::Arc;

use anyhow::Context;
use tokio::sync::mpsc;

use crate::search_command::{Place, Style, searched};
use quire_assistant::model::Model;
use quire_assistant::model::limits::DailyUse;
use quire_assistant::{Conversation, Failed, Reply, id, json, respond};
use quire_engine::host::STACK;
use quire_search::search_service::NotReady;
use quire_settings::ModelSettings;

/// Pieces of text that wait to be written.
const QUEUE: usize = 16;

/// Asks a site once and writes the answer to `out`, for people while it comes or as JSON. With `model`, that writes it.
///
/// # Errors
///
/// Returns why the site cannot be read, `out` not be written, or the answer broke off.
pub fn ask(
    place: &Place<'_>,
    model: Option<&ModelSettings>,
    question: &str,
    style: Style,
    out: &mut dyn Write,
) -> anyhow::Result<Reply> {
    let model = model.map(|model| Model::new(model, None, DailyUse::default(), |_| ()));
    let model = model.transpose()?.map(Arc::new);
    let site = searched(place, true)?;
    let search = Arc::new(site.search_service);
    let conversation = Conversation::of(question);
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.thread_stack_size(STACK).enable_all().build()?;
    let asked = conversation.clone();
    let reply = runtime.block_on(async {
        if style == Style::Json {
            return Ok(respond(&search, model.as_ref(), asked, None, None).await);
        }
        let (tell, mut pieces) = mpsc::channel(QUEUE);
        let answer = async {
            let tell = tell;
            respond(&search, model.as_ref(), asked, None, Some(&tell)).await
        };
        let write = async {
            let mut lines = Lines {
                style,
                is_start: true,
            };
            while let Some(piece) = pieces.recv().await {
                lines.write(&piece, out)?;
            }
            anyhow::Ok(())
        };
        let (reply, written) = tokio::join!(answer, write);
        written.map(|()| reply)
    })?;
    let reply = reply.map_err(|failed| match failed {
        Failed::Search(error) => error,
        Failed::NotReady => NotReady.into(),
        Failed::BrokenOff => anyhow::anyhow!("the language model did not say the rest"),
    });
    if style != Style::Json {
        writeln!(out)?;
    }
    let reply = reply.context("the answer broke off")?;
    if style == Style::Json {
        writeln!(out, "{:#}", json(&id(&conversation, &reply), &reply))?;
    }
    Ok(reply)
}

/// Lines of an answer, as a terminal shows them.
struct Lines {
    style: Style,
    is_start: bool,
}

impl Lines {
    fn write(&mut self, piece: &str, out: &mut dyn Write) -> anyhow::Result<()> {
        for line in piece.split_inclusive('\n') {
            let bare = line.trim_end_matches('\n');
            let is_place = self.is_start && bare.starts_with("**[") && bare.ends_with(")**");
            match self.style {
                Style::Colored if is_place => {
                    write!(out, "\x1b[1m{}\x1b[0m", bare.trim_matches('*'))?;
                    write!(out, "{}", &line[bare.len()..])?;
                }
                _ => write!(out, "{line}")?,
            }
            self.is_start = line.ends_with('\n');
        }
        out.flush()?;
        Ok(())
    }
}
