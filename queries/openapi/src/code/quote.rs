//! Texts as literals of each language.

use serde_json::{Number, Value};

/// `text` as the literal that templates call `name`; `None` if there is no such.
pub(super) fn literal(name: &str, text: &str) -> Option<String> {
    Some(match name {
        "common" => double(text, COMMON),
        "dollar" => double(text, DOLLAR),
        "ruby" => double(text, RUBY),
        "php" => double(text, PHP),
        "braces" => double(text, BRACES),
        "c" => c(text),
        "sh" => shell(text),
        "ps" => powershell(text),
        "single" => single(text),
        "hashes" => hashes(text),
        _ => return None,
    })
}

/// Rules of a double-quoted literal.
#[derive(Clone, Copy)]
struct Rules {
    /// Characters that get a backslash besides `"` and `\`.
    also: &'static str,
    /// Escapes of control characters.
    control: Control,
}

#[derive(Clone, Copy)]
enum Control {
    /// `\u0007`.
    Four,
    /// `\u{7}`.
    Braces,
    /// `\007`.
    Octal,
}

/// JavaScript, Python, Go, Java, C#.
const COMMON: Rules = Rules {
    also: "",
    control: Control::Four,
};
/// Kotlin and Dart, where `$` begins an expression.
const DOLLAR: Rules = Rules {
    also: "$",
    control: Control::Four,
};
/// Ruby, where `#` may begin one.
const RUBY: Rules = Rules {
    also: "#",
    control: Control::Four,
};
/// PHP, where it may as well.
const PHP: Rules = Rules {
    also: "$",
    control: Control::Braces,
};
/// Rust and Swift.
const BRACES: Rules = Rules {
    also: "",
    control: Control::Braces,
};
const C: Rules = Rules {
    also: "",
    control: Control::Octal,
};

/// Returns true if a character is invisible in code. Line separators end a literal in old
/// JavaScript.
pub(super) fn is_hidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// The signs around a raw text of Rust: as many as no quote within is followed by.
fn hashes(text: &str) -> String {
    let mut hashes = String::from("#");
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    hashes
}

/// A literal of C, in which two question marks would begin a trigraph.
fn c(text: &str) -> String {
    let mut quoted = String::new();
    for c in double(text, C).chars() {
        if c == '?' && quoted.ends_with('?') {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted
}

/// `text` between double quotes.
fn double(text: &str, rules: Rules) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if rules.also.contains(c) => quoted.extend(['\\', c]),
            c if is_hidden(c) => match rules.control {
                Control::Four => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
                Control::Braces => quoted.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
                Control::Octal => {
                    for byte in c.to_string().bytes() {
                        quoted.push_str(&format!("\\{byte:03o}"));
                    }
                }
            },
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Quotes for a POSIX shell.
fn shell(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Quotes for PowerShell, which treats curly quotes as straight ones.
fn powershell(text: &str) -> String {
    let mut quoted = String::from("'");
    for c in text.chars() {
        if matches!(c, '\'' | '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}') {
            quoted.push(c);
        }
        quoted.push(c);
    }
    quoted.push('\'');
    quoted
}

/// Between single quotes where `\` and `'` get a backslash: PHP, Ruby.
fn single(text: &str) -> String {
    format!("'{}'", text.replace('\\', r"\\").replace('\'', r"\'"))
}

/// The words of a language for what JSON has.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    pub(super) yes: &'a str,
    pub(super) no: &'a str,
    pub(super) null: &'a str,
}

/// A JSON value as a literal, indented by `indent` spaces after its first line; keys are quoted.
pub(super) fn native(value: &Value, words: Words<'_>, indent: usize, step: usize) -> String {
    let inner = " ".repeat(indent + step);
    let outer = " ".repeat(indent);
    match value {
        Value::Null => words.null.to_owned(),
        Value::Bool(true) => words.yes.to_owned(),
        Value::Bool(false) => words.no.to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => double(text, COMMON),
        Value::Array(items) if items.is_empty() => "[]".to_owned(),
        Value::Object(members) if members.is_empty() => "{}".to_owned(),
        Value::Array(items) => {
            let lines = items
                .iter()
                .map(|item| format!("{inner}{}", native(item, words, indent + step, step)));
            format!("[\n{}\n{outer}]", lines.collect::<Vec<_>>().join(",\n"))
        }
        Value::Object(members) => {
            let lines = members.iter().map(|(key, member)| {
                let member = native(member, words, indent + step, step);
                format!("{inner}{}: {member}", double(key, COMMON))
            });
            format!("{{\n{}\n{outer}}}", lines.collect::<Vec<_>>().join(",\n"))
        }
    }
}

/// Returns true if a value stays the same when a script reads it as a literal and writes it as
/// JSON: numbers keep their text, and no key is one that JavaScript treats otherwise.
pub(super) fn is_native(value: &Value) -> bool {
    match value {
        Value::Number(number) => is_plain(number),
        Value::Array(items) => items.iter().all(is_native),
        Value::Object(members) => members.iter().all(|(key, member)| {
            let is_index = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit());
            key != "__proto__" && !is_index && is_native(member)
        }),
        _ => true,
    }
}

fn is_plain(number: &Number) -> bool {
    let text = number.to_string();
    let digits = text.trim_start_matches('-');
    if digits.len() > 15 || digits.contains(['e', 'E']) || text == "-0" {
        return false;
    }
    !digits.contains('.') || !digits.ends_with('0') && !digits.starts_with("0.00000")
}
