//! The `ask` command: one question to a site in a folder, for people and for scripts.

use std::io::Write;

use crate::assistant::{Conversation, answer, id, json};
use crate::search::{Place, Style, searched};

/// Asks a site once and writes the answer to `out`, for people or as JSON; returns whether the site held one.
///
/// # Errors
///
/// Returns why the site cannot be read or `out` not be written.
pub fn ask(
    place: &Place<'_>,
    question: &str,
    style: Style,
    out: &mut dyn Write,
) -> anyhow::Result<bool> {
    let site = searched(place, true)?;
    let conversation = Conversation::of(question);
    let reply = answer(&site.search_service, &conversation)?;
    if style == Style::Json {
        writeln!(out, "{:#}", json(&id(&conversation, &reply), &reply))?;
        return Ok(reply.is_answered);
    }
    for line in reply.text.lines() {
        let is_place = line.starts_with("**[") && line.ends_with(")**");
        match style {
            Style::Colored if is_place => {
                writeln!(out, "\x1b[1m{}\x1b[0m", line.trim_matches('*'))?;
            }
            _ => writeln!(out, "{line}")?,
        }
    }
    Ok(reply.is_answered)
}
