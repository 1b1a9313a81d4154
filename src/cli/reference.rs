//! The reference of commands in the manual, from the grammar of the command line: `UPDATE_EXPECT=1`
//! writes it anew.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use clap::{Arg, Command, CommandFactory};

use super::arguments::Cli;

/// Text in which nothing is MDX outside of its code spans.
fn escaped(text: &str) -> String {
    let parts = text
        .split('`')
        .enumerate()
        .map(|(index, part)| match index % 2 {
            0 => part.replace('{', "\\{").replace('<', "&lt;"),
            _ => format!("`{part}`"),
        });
    parts.collect()
}

/// Writes an option or an argument.
fn write_argument(argument: &Arg, out: &mut String) {
    let values = argument.get_value_names().unwrap_or_default();
    let takes_value = argument.get_action().takes_values();
    let value = match values.first() {
        Some(value) if takes_value => format!(" <{value}>"),
        _ => String::new(),
    };
    let name = match (argument.get_long(), argument.get_short()) {
        (Some(long), Some(short)) => format!("-{short}, --{long}{value}"),
        (Some(long), None) => format!("--{long}{value}"),
        (None, Some(short)) => format!("-{short}{value}"),
        (None, None) => values
            .first()
            .map_or_else(String::new, |value| format!("<{value}>")),
    };
    let help = argument.get_long_help().or(argument.get_help());
    let help = help.map_or_else(String::new, |help| escaped(&help.to_string()));
    write!(out, "- `{name}`: {}", help.trim_end_matches('.')).unwrap();
    let possible: Vec<String> = argument
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if takes_value && possible.len() > 2 {
        write!(out, ". One of {}", possible.join(", ")).unwrap();
    }
    let defaults = argument.get_default_values().iter();
    let defaults: Vec<String> = defaults
        .map(|value| value.to_string_lossy().into_owned())
        .collect();
    let is_told = defaults.concat().is_empty() || help.contains("default");
    if takes_value && !is_told {
        write!(out, ". Default: `{}`", defaults.join(" ")).unwrap();
    }
    out.push_str(".\n");
}

/// Returns true if `line` of a help text is a command to type.
fn is_example(line: &str) -> bool {
    line.starts_with("  ")
}

/// Writes lines below the options: text, or examples, each below its comment.
fn write_lines(lines: &[&str], out: &mut String) {
    if !lines.first().is_some_and(|line| is_example(line)) {
        write!(out, "\n{}\n", with_addresses(&lines.join(" "))).unwrap();
        return;
    }
    out.push_str("\n```sh wrap\n");
    for line in lines {
        let (example, comment) = line.trim().split_once("  ").unwrap_or((line.trim(), ""));
        if !comment.is_empty() {
            writeln!(out, "# {}", comment.trim()).unwrap();
        }
        writeln!(out, "{example}").unwrap();
    }
    out.push_str("```\n");
}

/// Escaped text in which addresses are code: they are patterns, and nobody can follow them.
fn with_addresses(text: &str) -> String {
    let words = text.split_whitespace().map(|word| {
        let is_address = word.starts_with("http://") || word.starts_with("https://");
        let address = word.trim_end_matches([';', ',', '.', ':']);
        match is_address {
            true => format!("`{address}`{}", &word[address.len()..]),
            false => word.to_owned(),
        }
    });
    escaped(&words.collect::<Vec<_>>().join(" "))
}

fn write_command(name: &str, command: &Command, out: &mut String) {
    let about = command
        .get_about()
        .map_or_else(String::new, ToString::to_string);
    write!(
        out,
        "\n## quire {name}\n\n{}.\n",
        escaped(about.trim_end_matches('.'))
    )
    .unwrap();
    let mut arguments: Vec<&Arg> = command.get_arguments().collect();
    arguments.retain(|argument| !argument.is_hide_set() && argument.get_id() != "help");
    if !arguments.is_empty() {
        out.push('\n');
    }
    for argument in arguments {
        write_argument(argument, out);
    }
    let help = command.get_after_help().map(ToString::to_string);
    for paragraph in help.iter().flat_map(|help| help.split("\n\n")) {
        let lines: Vec<&str> = paragraph
            .lines()
            .filter(|line| *line != "Examples:")
            .collect();
        for lines in lines.chunk_by(|one, next| is_example(one) == is_example(next)) {
            write_lines(lines, out);
        }
    }
    for inner in command
        .get_subcommands()
        .filter(|inner| inner.get_name() != "help")
    {
        write_command(&format!("{name} {}", inner.get_name()), inner, out);
    }
}

#[test]
fn each_command_and_option_is_in_the_manual() {
    let mut page = "---\ntitle: Commands and options\ndescription: \"Every command of the program with its \
        options and examples, as `--help` prints them.\"\n---\n\n{/* Written by src/cli/reference.rs from \
        the grammar of the command line. */}\n\nExit codes: 0 fine, 1 the site has errors or an output \
        could not be written, 2 wrong usage or nothing to work on. `-q` prints only results and errors, \
        `-v` more.\n"
        .to_owned();
    for command in Cli::command()
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
    {
        write_command(command.get_name(), command, &mut page);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/manual/reference/commands.mdx");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "{} (UPDATE_EXPECT=1 writes it)",
        path.display()
    );
}
