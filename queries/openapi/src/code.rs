//! Code that sends a request, in many languages.
//!
//! Each sample sends exactly the request that it is given: the address is percent-encoded already, headers are complete
//! (but for `multipart/form-data`, whose boundary the client chooses), texts are escaped by the rules of the language.
//!
//! Code is generated from templates (`code/languages/`), which the form of a page also fills in
//! while a reader types.

mod quote;
mod scope;
mod template;

use std::sync::LazyLock;

pub(crate) use scope::body_text;

use serde_json::Value;

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Method in upper case.
    pub method: String,
    /// The absolute URL, encoded.
    pub url: String,
    /// Headers in the order in which they are sent, `Content-Type` among them.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub payload: Option<Payload>,
}

/// The body of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// JSON.
    Json(Value),
    /// Text as it is: XML, forms, whatever.
    Text(String),
    /// A form in parts.
    Multipart(Vec<Part>),
    /// The bytes of a file.
    File,
}

/// A part of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Name.
    pub name: String,
    /// Content; `None` is a file.
    pub text: Option<String>,
    /// Media type, where it is not the usual one.
    pub content_type: Option<String>,
    /// Headers of its own: names and values.
    pub headers: Vec<(String, String)>,
}

/// A language of code samples.
#[derive(Debug, PartialEq, Eq)]
pub struct Language {
    /// Name in the configuration.
    pub id: &'static str,
    /// Tab.
    pub label: &'static str,
    /// Name for coloring.
    pub highlight: &'static str,
}

impl Language {
    /// The code that sends `request`, without a line break at its end.
    pub fn sample(&self, request: &Request) -> String {
        let text = scope::body_text(request);
        let frame = scope::frame(request, text.as_deref());
        let mut code = template::fill(&SECTIONS, self.id, &frame);
        code.truncate(code.trim_end_matches([' ', '\t', '\r', '\n']).len());
        code
    }
}

/// The templates of all languages.
const TABLE: &str = concat!(
    include_str!("code/languages/shell.tpl"),
    include_str!("code/languages/script.tpl"),
    include_str!("code/languages/compiled.tpl"),
    include_str!("code/languages/managed.tpl"),
);

/// [`TABLE`] as it is filled in. It is a constant, so this can never be stale.
static SECTIONS: LazyLock<Vec<template::Section>> = LazyLock::new(|| template::sections(TABLE));

/// Every language, in the order of the table.
pub static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let languages = SECTIONS
        .iter()
        .filter_map(|section| match section.title[..] {
            [id, label, highlight] => Some(Language {
                id,
                label,
                highlight,
            }),
            _ => None,
        });
    languages.collect()
});

/// Default languages of a site, in order.
pub const DEFAULT: &[&str] = &["curl", "python", "javascript", "php", "go", "java", "ruby"];

/// The language that a configuration or an author names, under its own name or a usual one.
pub fn language(name: &str) -> Option<&'static Language> {
    let name = name.to_lowercase();
    let id = match name.as_str() {
        "bash" | "shell" | "sh" | "shell-session" | "cli" => "curl",
        "py" | "python3" => "python",
        "js" | "fetch" => "javascript",
        "nodejs" | "node.js" => "node",
        "golang" => "go",
        "rb" => "ruby",
        "c#" | "cs" | "dotnet" | ".net" => "csharp",
        "ps" | "ps1" | "pwsh" => "powershell",
        "kt" => "kotlin",
        "rs" => "rust",
        "ts" => "typescript",
        "libcurl" => "c",
        other => other,
    };
    LANGUAGES.iter().find(|language| language.id == id)
}
