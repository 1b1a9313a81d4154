//! Man pages of the program and of each command, from the grammar of the command line.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use roff::{Roff, roman};

use super::arguments::Cli;

/// Source that stands at the foot of each page.
const SOURCE: &str = concat!("quire ", env!("CARGO_PKG_VERSION"));

/// Returns the program and its commands, each with its full name.
fn root() -> Command {
    let mut root = Cli::command().disable_help_subcommand(true);
    root.build();
    root
}

/// Writes the page of the program.
pub(super) fn print(out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&page(root())?)
}

/// Writes `quire.1`, `quire-dev.1` and so on into `folder`.
pub(super) fn write_all(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
    let mut commands = vec![root()];
    while let Some(command) = commands.pop() {
        commands.extend(command.get_subcommands().cloned());
        let path = folder.join(Man::new(command.clone()).get_filename());
        let page = page(command)?;
        fs::write(&path, page).with_context(|| format!("write {}", path.display()))?;
    }
    Ok(())
}

/// Renders the page of `command`. Examples keep their lines, which a section of clap_mangen would fill.
fn page(command: Command) -> io::Result<Vec<u8>> {
    let help = command.get_after_help().map(ToString::to_string);
    let man = Man::new(command.clone());
    let man = man.source(SOURCE).manual("Quire manual");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.get_subcommands().next().is_some() {
        man.render_subcommands_section(&mut page)?;
    }
    let mut end = Roff::new();
    examples(&mut end, &help.unwrap_or_default());
    if command.get_name() != "quire" {
        end.control("SH", ["SEE ALSO"]).text([roman("quire(1)")]);
    }
    end.to_writer(&mut page)?;
    Ok(page)
}

/// Renders the paragraphs after the options: examples, and notes behind them. Indented lines are commands.
fn examples(page: &mut Roff, help: &str) {
    for (number, paragraph) in help.split("\n\n").enumerate() {
        let lines = match paragraph.strip_prefix("Examples:\n") {
            Some(lines) => {
                page.control("SH", ["EXAMPLES"]);
                lines
            }
            None if number == 1 => {
                page.control("SH", ["NOTES"]);
                paragraph
            }
            None => {
                page.control("PP", []);
                paragraph
            }
        };
        for line in lines.lines() {
            match line.strip_prefix("  ") {
                Some(line) => {
                    page.control("nf", []);
                    page.text([roman(line)]);
                    page.control("fi", []);
                }
                None => {
                    page.text([roman(line)]);
                }
            }
        }
    }
}
