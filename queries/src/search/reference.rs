//! The text of what a page shows of a specification: a passage for what is said of it, one for each group of fields.

use super::Passage;
use super::html;
use super::html::blocks::{Block, Line};
use mdx::plain::{self, BlockQuoteKind, Blocks, Headings};
use openapi::search::{FieldGroup, SearchText};
use theme::components::callout::CalloutKind;
use theme::html::escaped;

/// Passages above the author's own text: the description, Markdown; one for each of its headings
/// that can be linked to.
pub(crate) fn description(text: &SearchText) -> Vec<Passage> {
    if !text.sections.is_empty() {
        return html::passages(&drawn_description(text));
    }
    let (body, code) = read(&text.description, '\n');
    let passage = Passage {
        anchor: None,
        headings: Vec::new(),
        body,
        code,
    };
    let is_empty = passage.body.is_empty() && passage.code.is_empty();
    (!is_empty).then_some(passage).into_iter().collect()
}

/// Passages after it: parameters, body, responses, a line for each field.
pub(crate) fn fields(groups: &[FieldGroup]) -> impl Iterator<Item = Passage> {
    groups.iter().map(group)
}

fn group(group: &FieldGroup) -> Passage {
    let (mut body, mut code) = read(&group.description, '\n');
    for (name, about) in &group.fields {
        let (about, about_code) = read(about, ' ');
        if !body.is_empty() {
            body.push('\n');
        }
        body.push_str(name);
        if !about.is_empty() {
            body.push(' ');
            body.push_str(&about);
        }
        code.push_str(&about_code);
    }
    Passage {
        anchor: Some(group.anchor.clone()),
        headings: vec![group.title.clone()],
        body,
        code,
    }
}

/// The prose and the code of `markdown`, lines of the prose ending in `line`.
fn read(markdown: &str, line: char) -> (String, String) {
    let is_plain = !markdown
        .bytes()
        .any(|byte| b"*_`[]<>#&|~\\\n".contains(&byte));
    if is_plain {
        let words: Vec<&str> = markdown.split_whitespace().collect();
        return (words.join(" "), String::new());
    }
    let drawn = rendered_text(markdown);
    let (mut body, mut code) = (String::new(), String::new());
    for passage in html::passages(&drawn) {
        body.push_str(&passage.body);
        code.push_str(&passage.code);
    }
    match line {
        '\n' => (body, code),
        _ => (body.replace('\n', &line.to_string()), code),
    }
}

/// The passages of [`description`], each with its blocks.
pub(crate) fn described_blocks(text: &SearchText) -> Vec<(Passage, Vec<Block>)> {
    if !text.sections.is_empty() {
        return html::passages_with_blocks(&drawn_description(text));
    }
    let passages = description(text).into_iter();
    passages
        .map(|passage| (passage, blocks(&text.description)))
        .collect()
}

/// The description with its headings, where these can be linked to.
pub(crate) fn drawn_description(text: &SearchText) -> String {
    let headings = match text.sections.is_empty() {
        true => Headings::Flat,
        false => Headings::From(2),
    };
    drawn_as(&text.description, headings, &text.sections)
}

fn rendered_text(markdown: &str) -> String {
    drawn_as(markdown, Headings::Flat, &[])
}

/// `ids` are those of the headings.
fn drawn_as(markdown: &str, headings: Headings, ids: &[String]) -> String {
    let mut ids = ids.iter().cloned();
    let mut name = |_: u8, _: &str| plain::HeadingName {
        id: ids.next().unwrap_or_default(),
        link: String::new(),
    };
    plain::sectioned(
        markdown,
        headings,
        &mut SearchBlocks,
        &mut str::to_owned,
        &mut name,
    )
}

/// Blocks as [`html`](super::html) reads them.
struct SearchBlocks;

impl Blocks for SearchBlocks {
    fn code(&mut self, info: &str, source: &str) -> String {
        let language = info.split_whitespace().next().unwrap_or("");
        format!(
            "<pre><code class=\"language-{}\">{}</code></pre>",
            escaped(language),
            escaped(source)
        )
    }

    fn alert(&mut self, kind: BlockQuoteKind, inner: &str) -> String {
        let kind = CalloutKind::of_alert(kind).name();
        format!("<div class=\"callout\" data-kind=\"{kind}\">{inner}</div>")
    }
}

/// The blocks of Markdown that a specification holds.
pub(crate) fn blocks(markdown: &str) -> Vec<Block> {
    let passages = html::passages_with_blocks(&rendered_text(markdown));
    passages
        .into_iter()
        .flat_map(|(_, blocks)| blocks)
        .collect()
}

/// The blocks of a group of fields: what is said of it, an item for each field.
pub(crate) fn group_blocks(group: &FieldGroup) -> Vec<Block> {
    let mut found = blocks(&group.description);
    for (name, about) in &group.fields {
        let mut line = Line {
            text: name.clone(),
            markdown: format!("`{name}`"),
        };
        let about = blocks(about);
        for part in about.iter().flat_map(Block::lines) {
            line.text.push(' ');
            line.text.push_str(&part.text);
            line.markdown.push(' ');
            line.markdown.push_str(&part.markdown);
        }
        found.push(Block::Item {
            depth: 1,
            number: None,
            is_continued: false,
            line,
        });
        let is_code = |block: &Block| matches!(block, Block::Code { .. });
        found.extend(about.into_iter().filter(is_code));
    }
    found
}
