//! The `search` command: one question to a site in a folder, for people and for scripts.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use crate::finder::{Finder, Wanted, json, rounded};
use crate::index::Snippet;
use crate::load::load_with;

/// Searches the site in `folder` once and writes what is found to `out`, for people or as JSON. What was drawn before is
/// taken from the folder `state`.
///
/// # Errors
///
/// Returns why the site cannot be read or `out` not be written.
pub fn search(
    folder: &Path,
    state: Option<&Path>,
    wanted: &Wanted,
    style: Style,
    out: &mut dyn Write,
) -> anyhow::Result<usize> {
    let loaded = load_with(folder, "", None, state)?;
    let finder = Finder::new(Arc::new(loaded.host), None);
    let answer = finder.find(wanted)?;
    let count = answer.results.len();
    if style == Style::Json {
        writeln!(out, "{:#}", json(&answer, wanted.sections))?;
        return Ok(count);
    }
    let (bold, faint, plain) = match style {
        Style::Coloured => ("\x1b[1m", "\x1b[2m", "\x1b[0m"),
        _ => ("", "", ""),
    };
    for hit in &answer.results {
        let score = rounded(hit.score);
        writeln!(
            out,
            "{bold}{}{plain}  {}  {faint}{score:.2}{plain}",
            hit.title, hit.url
        )?;
        for section in &hit.sections {
            if let Some(anchor) = &section.anchor {
                writeln!(out, "    {}  {faint}#{anchor}{plain}", section.title)?;
            }
            write_snippet(out, &section.snippet, bold, plain)?;
        }
        if hit.sections.is_empty() {
            write_snippet(out, &hit.snippet, bold, plain)?;
        }
        writeln!(out)?;
    }
    if count == 0 {
        writeln!(out, "nothing was found for `{}`", wanted.query)?;
    }
    Ok(count)
}

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// As JSON.
    Json,
    /// As text.
    Plain,
    /// As text for a terminal.
    Coloured,
}

fn write_snippet(
    out: &mut dyn Write,
    snippet: &Snippet,
    bold: &str,
    plain: &str,
) -> std::io::Result<()> {
    if snippet.text.is_empty() {
        return Ok(());
    }
    let (mut text, mut at) = (String::new(), 0);
    for found in &snippet.matches {
        let before = snippet.text.get(at..found.start).unwrap_or_default();
        let word = snippet.text.get(found.clone()).unwrap_or_default();
        text.push_str(&format!("{before}{bold}{word}{plain}"));
        at = found.end;
    }
    text.push_str(snippet.text.get(at..).unwrap_or_default());
    writeln!(out, "    {text}")
}
