//! Pages as Markdown, for programs and for readers without a browser: what the page says in reading
//! order, once, and none of what is rendered around it.

use std::sync::Arc;

use crate::binding::{model_about, operation_about};
use crate::body::{Reference, documented_spec, page_body, reference_of, whole_groups};
use crate::config::{content_config, has_schemas};
use crate::db::Db;
use crate::fragment::{Fragment, component_fragment, model_twin, operation_fragment, part_address};
use crate::inputs::Site;
use crate::navigation::PageId;
use crate::navigation::inherit::SpecKind;
use crate::openapi::{SpecNode, value_at};
use crate::page::{entry_name, front_matter_of, is_introduction, marker_of, meta_of, title_of};
use crate::search::html::blocks::{Block, Line, Piece, markdown};
use crate::search::html::pieces;
use crate::search::reference::{drawn_description, group_blocks};
use crate::trace::{Subject, cached_reading, digest_of};
use base::data::yaml;
use openapi::channel::name_of;
use openapi::fragment::Room;
use openapi::search::{FieldGroup, RequiredField};
use serde::Serialize;

/// A page as Markdown, CommonMark with the tables of GitHub: title, description and text, headings and links included; of
/// an endpoint method and path, what a request must have, the code that sends it and its part of the specification, unless
/// the site wants its fields as lists instead (`markdown.schema: false`).
///
/// Links lead to addresses of the site with its base path. Read on request, by no memoized query.
/// Wakes with the text of the page and with what it shows of a specification; forgotten when
/// thousands of others were asked for since: the text of all pages is composed of it.
#[salsa::tracked(lru = 4096)]
pub fn page_markdown(db: &dyn Db, page: PageId) -> Arc<str> {
    render_page(
        db,
        page,
        fragment_of(db, page, Room::TWIN),
        Omission::Elsewhere,
    )
}

/// A page as a part of the text of all pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PagePart {
    /// The page as Markdown; none if it is [`page_markdown`].
    pub text: Option<Arc<str>>,
    /// The components that are left out of it, to be told once for all pages.
    pub components: Vec<SpecNode>,
}

/// A page as a part of the text of all pages: without its components, if these are long, because other pages reach them too.
///
/// Read when that text is composed. Wakes with the text of the page.
#[salsa::tracked(lru = 4096)]
pub fn page_part(db: &dyn Db, page: PageId) -> PagePart {
    let fragment = has_fragment(db, page).then(|| fragment_of(db, page, Room::WITHIN));
    let fragment = fragment.flatten();
    let is_long = |fragment: &Fragment| !fragment.omitted.is_empty();
    let spec = documented_spec(db, page);
    let (Some(_), Some(spec), Some(bare)) = (
        fragment.filter(is_long),
        spec,
        fragment_of(db, page, Room::NONE),
    ) else {
        return PagePart {
            text: None,
            components: Vec::new(),
        };
    };
    let components = bare.omitted.iter();
    let components = components.map(|key| SpecNode::new(db, spec, key.clone()));
    PagePart {
        components: components.collect(),
        text: Some(render_page(db, page, Some(bare), Omission::AtTheEnd)),
    }
}

/// A component as Markdown: a part of the text of all pages, told once.
#[salsa::tracked]
pub fn component_markdown(db: &dyn Db, node: SpecNode) -> Arc<str> {
    let value = value_at(db, node.spec(db), node.pointer(db));
    let value = value.cloned().unwrap_or_default();
    let block = markdown(&[Block::Code {
        language: Some("yaml".to_owned()),
        title: None,
        text: yaml::to_yaml(&value),
    }]);
    Arc::from(format!("\n## `#{}`\n\n{block}\n", node.pointer(db)))
}

/// Place of the parts of a specification that are left out of a page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Omission {
    /// On the pages of data models, or in the specification.
    Elsewhere,
    /// In the text of all pages: on the pages of data models, or at its end.
    AtTheEnd,
}

/// The page as Markdown, with that part of its specification.
fn render_page(
    db: &dyn Db,
    page: PageId,
    fragment: Option<Fragment>,
    omission: Omission,
) -> Arc<str> {
    let front_matter = front_matter_of(db, page);
    let reference = reference_of(db, page);
    let description = front_matter.description.as_deref().unwrap_or("").trim();
    // That of an operation is part of what follows, and that of what opens a reference is its beginning.
    let is_own = reference.is_none_or(|reference| {
        page.file().is_some() && reference.search.description.trim() != description
    });
    let top = Top {
        title: &title_of(db, page),
        description: if is_own { description } else { "" },
        url: front_matter.url.as_deref(),
        is_deprecated: front_matter.deprecated == Some(true),
    };
    let own = page.file();
    let own = own.map_or("", |file| page_body(db, file).for_programs());
    let Some(reference) = reference else {
        let above = digest_of(&top);
        let parts = [&above.as_bytes()[..], own.as_bytes()];
        let text: String = cached_reading(db, "page markdown", Subject::of(&parts), || {
            let mut out = Writer::new(&top);
            out.pieces(pieces(own), top.title);
            out.text
        });
        return Arc::from(text);
    };
    let mut out = Writer::new(&top);
    if let Some(line) = request_line(db, page, reference) {
        out.paragraph(&line);
    }
    out.pieces(pieces(&drawn_description(&reference.search)), top.title);
    let content = reference.content_for_programs.as_ref();
    out.pieces(pieces(content.unwrap_or(&reference.content)), top.title);
    if page.file().is_some() {
        out.pieces(pieces(own), top.title);
    }
    let omitted = fragment.as_ref().map(|fragment| {
        let spec = documented_spec(db, page);
        let links = fragment.omitted.iter().map(|pointer| {
            let address = spec.and_then(|spec| match omission {
                Omission::Elsewhere => part_address(db, spec, pointer),
                Omission::AtTheEnd => model_twin(db, spec, pointer),
            });
            match address {
                Some(address) => format!("- [`#{pointer}`](<{address}>)"),
                None => format!("- `#{pointer}`, at the end of this text"),
            }
        });
        links.collect::<Vec<String>>()
    });
    let fields = fragment.ok_or_else(|| whole_groups(db, page, reference));
    out.reference(reference, fields, &omitted.unwrap_or_default());
    Arc::from(out.text)
}

/// Top of the text of a page.
#[derive(Serialize)]
struct Top<'a> {
    title: &'a str,
    /// Description by the author; empty if there is none.
    description: &'a str,
    /// Destination of the page.
    url: Option<&'a str>,
    is_deprecated: bool,
}

/// The twin of a page that is served beside it: the page as Markdown, and what its author tells programs. Composed, and not
/// kept.
pub fn page_twin(db: &dyn Db, site: Site, page: PageId) -> String {
    let instructions = instructions(db, site);
    let end = instructions.map_or_else(String::new, |text| format!("\n---\n\n{text}"));
    format!("{}{end}", page_markdown(db, page))
}

/// Instructions of the author to programs that read the site (`markdown.instructions`), as a block
/// of Markdown.
pub fn instructions(db: &dyn Db, site: Site) -> Option<String> {
    let texts = content_config(db, site).markdown.instructions.0.iter();
    let texts: Vec<&str> = texts
        .map(|text| text.trim())
        .filter(|text| !text.is_empty())
        .collect();
    let block = match texts[..] {
        [] => return None,
        [one] => one.to_owned(),
        _ => {
            let items = texts
                .iter()
                .map(|text| format!("- {}", text.replace('\n', "\n  ")));
            items.collect::<Vec<_>>().join("\n")
        }
    };
    Some(format!("**Instructions for agents**\n\n{block}\n"))
}

/// Method and path of the endpoint that a page shows.
fn request_line(db: &dyn Db, page: PageId, reference: &Reference) -> Option<String> {
    let (method, path) = match operation_of(db, page) {
        // A channel is known by its address, and says its name first.
        Some(operation) if name_of(operation.key(db)).is_some() => {
            let (method, name) = entry_name(db, operation);
            let marker = marker_of(meta_of(db, operation), &method);
            match reference.search.address.as_deref() {
                Some("") => return Some(format!("`{marker}`")),
                Some(address) => (marker, address.to_owned()),
                None => (marker, name),
            }
        }
        Some(operation) => entry_name(db, operation),
        // Of an endpoint that is described in MDX they are its first words; a data model has one alone.
        None => match reference.search.words.as_slice() {
            [method, path, ..] => (method.to_ascii_uppercase(), path.clone()),
            _ => return None,
        },
    };
    Some(format!("`{method} {path}`"))
}

/// The operation that a page is about.
pub(crate) fn operation_of(db: &dyn Db, page: PageId) -> Option<crate::openapi::Operation> {
    operation_about(db, page).filter(|operation| !is_introduction(db, *operation))
}

/// Returns true if a page is about a part of a specification: an operation, a channel, a data
/// model.
pub(crate) fn has_fragment(db: &dyn Db, page: PageId) -> bool {
    operation_of(db, page).is_some() || model_about(db, page).is_some()
}

/// The part of a specification that a page is about, with what it reaches as far as there is room, if the site wants it.
fn fragment_of(db: &dyn Db, page: PageId, room: Room) -> Option<Fragment> {
    if !has_schemas(db, Site::get(db)) {
        return None;
    }
    if let Some(operation) = operation_of(db, page) {
        let mut fragment = operation_fragment(db, operation, room)?;
        forget_prose(&mut fragment.value);
        return Some(fragment);
    }
    component_fragment(db, model_about(db, page)?, room)
}

/// Removes from the operation or the channel of a fragment what stands above it on the page.
fn forget_prose(value: &mut serde_json::Value) {
    let channels = value.get_mut("channels");
    let channels = channels.and_then(serde_json::Value::as_object_mut);
    for (_, channel) in channels.into_iter().flatten() {
        if let Some(channel) = channel.as_object_mut() {
            channel.retain(|name, _| !matches!(name.as_str(), "title" | "description"));
        }
    }
    let items = value.as_object_mut().into_iter().flatten();
    let items = items.filter(|(key, _)| matches!(key.as_str(), "paths" | "webhooks"));
    let items = items
        .filter_map(|(_, items)| items.as_object_mut())
        .flatten();
    let operations = items.filter_map(|(_, item)| item.as_object_mut()).flatten();
    for operation in operations.filter_map(|(_, operation)| operation.as_object_mut()) {
        operation.retain(|name, _| !matches!(name.as_str(), "summary" | "description"));
    }
}

/// Markdown that is being written.
struct Writer {
    text: String,
}

impl Writer {
    fn new(top: &Top<'_>) -> Self {
        let words: Vec<&str> = top.title.split_whitespace().collect();
        let mut out = Self {
            text: format!("# {}\n", words.join(" ")),
        };
        let lines = top.description.lines();
        let lines: Vec<String> = lines
            .map(|line| format!("> {line}").trim_end().to_owned())
            .collect();
        out.paragraph(&lines.join("\n"));
        if let Some(url) = top.url {
            out.paragraph(&format!("This page leads to <{url}>."));
        }
        if top.is_deprecated {
            out.paragraph("**Deprecated.**");
        }
        out
    }

    fn paragraph(&mut self, text: &str) {
        if !text.is_empty() {
            self.text.push('\n');
            self.text.push_str(text);
            self.text.push('\n');
        }
    }

    /// Writes what stands below the title. A first heading that repeats that is none, and those below it move up.
    fn pieces(&mut self, pieces: Vec<Piece>, title: &str) {
        let mut blocks: Vec<Block> = Vec::new();
        // What was written before each quotation that is open.
        let mut around: Vec<(String, Option<&str>)> = Vec::new();
        let mut above = 0;
        let mut is_first = true;
        for piece in pieces {
            match piece {
                Piece::Heading { depth, markdown } => {
                    self.blocks(&mut blocks);
                    if depth == 0 {
                        above = usize::from(is_first && unescaped(&markdown) == title);
                        let is_title = above == 1;
                        is_first = false;
                        if is_title {
                            continue;
                        }
                    }
                    let level = (depth + 2 - above.min(depth)).min(6);
                    self.paragraph(&format!("{} {markdown}", "#".repeat(level)));
                }
                Piece::Block(block) => blocks.push(block),
                Piece::Quote(label) => {
                    self.blocks(&mut blocks);
                    around.push((std::mem::take(&mut self.text), label));
                }
                Piece::QuoteEnd => {
                    self.blocks(&mut blocks);
                    if let Some((before, label)) = around.pop() {
                        let inner = std::mem::replace(&mut self.text, before);
                        self.paragraph(&quoted(inner.trim(), label));
                    }
                }
            }
        }
        self.blocks(&mut blocks);
    }

    fn blocks(&mut self, blocks: &mut Vec<Block>) {
        let mut taken = std::mem::take(blocks);
        for block in &mut taken {
            if let Block::Title(line) = block {
                let markdown = format!("**{}**", line.markdown.replace("**", ""));
                let text = std::mem::take(&mut line.text);
                *block = Block::Paragraph(Line { text, markdown });
            }
        }
        self.paragraph(&markdown(&taken));
    }

    /// Writes what a page shows of a specification. Fields are told once: by the specification itself, or as lists where
    /// the page has none.
    fn reference(
        &mut self,
        reference: &Reference,
        fields: Result<Fragment, Vec<FieldGroup>>,
        omitted: &[String],
    ) {
        let search = &reference.search;
        if !search.required.is_empty() {
            self.paragraph("## Required");
            let fields: Vec<String> = search.required.iter().map(required).collect();
            self.paragraph(&fields.join("\n"));
        }
        if let Some(sample) = &search.sample {
            self.paragraph("## Request");
            self.paragraph(&markdown(&[Block::Code {
                language: Some(sample.language.clone()),
                title: None,
                text: sample.code.clone(),
            }]));
        }
        let fragment = match fields {
            Ok(fragment) => fragment,
            Err(groups) => {
                for group in &groups {
                    self.paragraph(&format!("## {}", group.title));
                    self.paragraph(&markdown(&group_blocks(group)));
                }
                return;
            }
        };
        let kind = match fragment.value.get("channels") {
            Some(_) => SpecKind::AsyncApi,
            None => SpecKind::OpenApi,
        };
        self.paragraph(&format!("## {}", kind.names()[0]));
        self.paragraph(&markdown(&[Block::Code {
            language: Some("yaml".to_owned()),
            title: Some(fragment.spec),
            text: yaml::to_yaml(&fragment.value),
        }]));
        if !omitted.is_empty() {
            self.paragraph("Left out, as it is long:");
            self.paragraph(&omitted.join("\n"));
        }
        let contradictions = reference.contradictions().into_iter();
        let lines: Vec<String> = contradictions.map(|line| format!("- {line}")).collect();
        if !lines.is_empty() {
            self.paragraph(CONTRADICTIONS);
            self.paragraph(&lines.join("\n"));
        }
    }
}

/// Opening words of the list of schemas that contradict themselves.
const CONTRADICTIONS: &str = "These schemas contradict themselves, so that no value may fit:";

/// `text` as a quotation. That of a callout says its kind first: `> **Warning:** …`.
fn quoted(text: &str, label: Option<&str>) -> String {
    if text.is_empty() {
        return String::new();
    }
    let label = label.map(|label| format!("**{label}:**"));
    // What begins with a word goes on in the line of the kind; lists, code and tables begin below it.
    let is_prose = text.starts_with(|c: char| c.is_alphanumeric() || "*[`\"'(".contains(c))
        && !text.starts_with("```")
        && !text.split_whitespace().next().is_some_and(|word| {
            word.ends_with('.') && word.trim_end_matches('.').parse::<u32>().is_ok()
        });
    let text = match (label, is_prose) {
        (None, _) => text.to_owned(),
        (Some(label), true) => format!("{label} {text}"),
        (Some(label), false) => format!("{label}\n\n{text}"),
    };
    let lines: Vec<String> = text
        .lines()
        .map(|line| format!("> {line}").trim_end().to_owned())
        .collect();
    lines.join("\n")
}

fn required(field: &RequiredField) -> String {
    let label = match field.label.is_empty() {
        true => String::new(),
        false => format!(", {}", field.label),
    };
    format!("- `{}` ({}{label})", field.name, field.place)
}

/// The text that `markdown` shows, as far as it has escapes alone.
fn unescaped(markdown: &str) -> String {
    let mut chars = markdown.chars();
    let mut out = String::with_capacity(markdown.len());
    while let Some(c) = chars.next() {
        out.extend(match c {
            '\\' => chars.next(),
            c => Some(c),
        });
    }
    out
}

pub(crate) fn set_cache_capacity(db: &mut dyn Db, capacity: usize) {
    page_markdown::set_lru_capacity(db, capacity);
    page_part::set_lru_capacity(db, capacity);
}
