//! Takes out of stylesheets and scripts what is written for their readers: notes, indents and blank lines. Nobody who reads a
//! page waits for a sixth of them.
//!
//! A line of a script is joined to the one before it where a statement goes on, as if the formatter had not cut it; nothing inside
//! a line is touched. `tests/browser/assets.test.mjs` holds the tokens of what is served against those of the sources.

#![expect(
    clippy::disallowed_methods,
    reason = "it runs before the theme is compiled"
)]

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets it"));
    println!("cargo:rerun-if-changed=build.rs");
    for folder in ["css", "js"] {
        println!("cargo:rerun-if-changed={folder}");
        write_below(Path::new(folder), &out);
    }
}

/// Writes the files below `folder` to the same places below `out`.
fn write_below(folder: &Path, out: &Path) {
    let made = out.join(folder);
    fs::create_dir_all(&made).unwrap_or_else(|error| panic!("{made:?}: {error}"));
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            write_below(&path, out);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let end = path.extension().and_then(|end| end.to_str());
        let text = match end {
            Some("css") => tight(&lines_of(&without_notes(&text))),
            Some("js") => joined(&lines_of(&without_lines_of_notes(&text))),
            _ => text,
        };
        let to = out.join(&path);
        fs::write(&to, text).unwrap_or_else(|error| panic!("{to:?}: {error}"));
    }
}

/// The lines that say something, without indents.
fn lines_of(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// A script whose statements are whole lines: a line that ends with an operator, a comma or an open bracket, or begins with what
/// cannot begin a statement, is not the end of one. The comma behind the last of several lines goes.
fn joined(js: &str) -> String {
    let mut text = String::with_capacity(js.len());
    for line in js.lines() {
        if line.starts_with([')', ']', '}']) && text.ends_with(',') {
            text.pop();
        }
        let is_member = line.starts_with("?.") || line.starts_with('.') && !line.starts_with("..");
        if !text.is_empty()
            && !text.ends_with(['(', '['])
            && !line.starts_with([')', ']'])
            && !is_member
        {
            let goes_on = text.ends_with([',', '{', '=', '?', '+', '*', '|', '&', '-'])
                || text.ends_with("=>")
                || line.starts_with(['?', ':', '}']);
            text.push(if goes_on { ' ' } else { '\n' });
        }
        text.push_str(line);
    }
    text.push('\n');
    text
}

/// A stylesheet without the blanks that stand beside braces, and behind colons, semicolons and commas: nothing needs them there
/// but strings, and a custom property that is empty.
fn tight(css: &str) -> String {
    let mut text = String::with_capacity(css.len());
    let mut quote = None;
    let mut chars = css.chars().peekable();
    while let Some(c) = chars.next() {
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            _ => {}
        }
        let is_near = |text: &str| text.ends_with(['{', '}', ';', ',', ':']);
        if quote.is_none() && c == ' ' {
            let next = chars.peek();
            let is_empty = text.ends_with(':') && next == Some(&';');
            if !is_empty && (is_near(&text) || matches!(next, Some('{' | '}'))) {
                continue;
            }
        }
        if quote.is_none() && c == '}' && text.ends_with(';') {
            text.pop();
        }
        text.push(c);
    }
    text
}

/// A stylesheet without its notes, which strings hold none of (CSS Syntax 3, section 4.3.2).
fn without_notes(css: &str) -> String {
    let mut text = String::with_capacity(css.len());
    let mut quote = None;
    let mut rest = css;
    while let Some(c) = rest.chars().next() {
        if quote.is_none() && rest.starts_with("/*") {
            let end = rest.find("*/").expect("a note that ends");
            rest = &rest[end + 2..];
            continue;
        }
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            _ => {}
        }
        assert!(
            c != '\\' || quote.is_none() || !rest[1..].starts_with(['"', '\'']),
            "{rest:.40}"
        );
        text.push(c);
        rest = &rest[c.len_utf8()..];
    }
    text
}

/// A script without the lines that are notes from end to end.
fn without_lines_of_notes(js: &str) -> String {
    let mut text = String::with_capacity(js.len());
    let mut is_note = false;
    for line in js.lines() {
        let trimmed = line.trim();
        is_note |= trimmed.starts_with("/*");
        let ends = trimmed.ends_with("*/");
        if !is_note && !trimmed.starts_with("//") {
            text.push_str(line);
            text.push('\n');
        }
        assert!(
            !is_note || ends || !trimmed.contains("*/"),
            "code after a note: {line}"
        );
        is_note &= !ends;
    }
    text
}
