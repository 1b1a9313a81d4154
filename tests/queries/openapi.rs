//! The model of reference pages, as plain functions over documents in memory.

#![expect(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "what is skipped, and figures of the corpus, are told"
)]

mod algebra;
mod authored;
mod channels;
mod code;
mod completeness;
mod corpus;
mod drawn;
mod edition32;
mod examples;
mod extent;
mod files;
mod forms;
mod introduced;
mod lines;
mod mock;
mod parts;
mod resources;
mod robust;
mod rules;
mod samples;
mod seen;
mod sent;
mod spelling;
mod subtypes;
mod swagger;
mod table;
mod twins;
mod wire;

use openapi::endpoint::{Contents, Endpoint, Model, Modelled, Row, Settings};
use openapi::model::model;
use openapi::operation::endpoint;
use openapi::plain::Plain;
use serde_json::{Value, json};

/// The document `yaml`; `openapi` is 3.1.0 unless it says otherwise.
fn plain(yaml: &str) -> Plain {
    let mut root = base::data::yaml::parse_document(yaml).unwrap().value;
    let members = root.as_object_mut().unwrap();
    members.entry("openapi").or_insert(json!("3.1.0"));
    Plain::new(root)
}

/// The page of the operation at `pointer`.
fn page(document: &Plain, pointer: &str) -> Modelled<Endpoint> {
    page_with(document, pointer, &Settings::default())
}

fn page_with(document: &Plain, pointer: &str, settings: &Settings) -> Modelled<Endpoint> {
    endpoint(&document, pointer, settings).unwrap_or_else(|| panic!("no operation at {pointer}"))
}

/// The page of the model `name`.
fn model_page(document: &Plain, name: &str) -> Modelled<Model> {
    let pointer = format!("/components/schemas/{name}");
    model(&document, &pointer, &Settings::default()).unwrap()
}

/// A document with schemas, and `POST /p` whose body and whose answer are `schema`.
fn both_ways(version: &str, schemas: &str, schema: &str) -> Plain {
    let schemas: Value = base::data::yaml::parse_document(schemas).unwrap().value;
    let schema: Value = base::data::yaml::parse_document(schema).unwrap().value;
    let content = json!({ "application/json": { "schema": schema } });
    Plain::new(json!({
        "openapi": version,
        "paths": { "/p": { "post": {
            "requestBody": { "content": content },
            "responses": { "200": { "description": "", "content": content } },
        } } },
        "components": { "schemas": schemas },
    }))
}

/// Rows as lines: indentation, name, type, pills; then what else there is.
fn outline(contents: &Contents) -> String {
    let mut lines = String::new();
    write_contents(contents, 0, &mut lines);
    lines
}

fn write_row(row: &Row, depth: usize, lines: &mut String) {
    let pad = "  ".repeat(depth);
    let label = row.view.label.plain();
    let mark = if row.view.label.is_recursive {
        " (recursive)"
    } else {
        ""
    };
    let pills: Vec<&str> = row.after.iter().map(|pill| pill.text.as_str()).collect();
    let pills = pills.join(" ");
    let line = format!("{pad}{} {label}{mark} {pills}", row.name.text());
    lines.push_str(line.trim_end());
    lines.push('\n');
    write_contents(&row.view.contents, depth + 1, lines);
}

fn write_contents(contents: &Contents, depth: usize, lines: &mut String) {
    let pad = "  ".repeat(depth);
    for row in &contents.rows {
        write_row(row, depth, lines);
    }
    for chooser in &contents.choosers {
        let property = chooser
            .property
            .as_deref()
            .map(|name| format!(" by {name}"));
        lines.push_str(&format!(
            "{pad}{}{}\n",
            chooser.words,
            property.unwrap_or_default()
        ));
        for branch in &chooser.branches {
            lines.push_str(&format!("{pad}| {}\n", branch.label));
            write_contents(&branch.view.contents, depth + 1, lines);
        }
    }
    for block in &contents.blocks {
        let title: String = block.title.iter().map(|span| span.text.as_str()).collect();
        lines.push_str(&format!("{pad}{title}\n"));
        write_contents(&block.view.contents, depth + 1, lines);
    }
}

/// The codes of what was wrong, each once, in the order of the alphabet.
fn codes<T>(page: &Modelled<T>) -> Vec<&'static str> {
    let mut codes: Vec<&str> = page
        .diagnostics
        .iter()
        .map(|found| found.code.name())
        .collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// Every operation of a document: the pointers of paths, then those of webhooks.
fn operations(root: &Value) -> Vec<String> {
    let mut pointers = Vec::new();
    for place in ["paths", "webhooks"] {
        let items = root.get(place).and_then(Value::as_object);
        for (path, item) in items.into_iter().flatten() {
            for (method, operation) in item.as_object().into_iter().flatten() {
                let is_method = matches!(
                    method.as_str(),
                    "get" | "put" | "post" | "delete" | "options" | "head" | "patch" | "trace"
                );
                if is_method && operation.is_object() {
                    let path = base::data::pointer::child(&format!("/{place}"), path);
                    pointers.push(format!("{path}/{method}"));
                }
            }
        }
    }
    pointers
}
