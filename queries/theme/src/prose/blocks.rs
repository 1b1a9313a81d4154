//! Blocks and marks of Markdown: what begins is held back until it ends, where its content decides about it.

use super::{OutlineEntry, Writer, paragraphs};
use crate::assets;
use crate::components::callout::{Callout, CalloutKind, callout};
use crate::components::code_block::code_block;
use crate::components::diagram::diagram;
use crate::components::prose;
use crate::fence;
use crate::html::{push_escaped, slot, text_of};
use crate::image::{AuthoredAttributes, Image};
use mdx::markdown::{
    Alignment, BlockQuoteKind, CodeBlockKind, Event, LinkType, Tag, TagEnd, is_silent, node_index,
};

/// Element being written whose output is held back until its end.
pub(super) enum OpenElement {
    Heading(u8),
    Item {
        is_task: Option<bool>,
    },
    Table,
    Quote(Option<BlockQuoteKind>),
    Code(String),
    Image {
        url: String,
        title: String,
        image: Image,
    },
    Footnote(String),
}

impl<'a> Writer<'a> {
    pub(super) fn start(
        &mut self,
        tag: Tag<'_>,
        out: &mut String,
        saved_output: &mut Vec<(OpenElement, String)>,
        state: &mut EventState,
    ) {
        let mut hold =
            |what: OpenElement, out: &mut String| saved_output.push((what, std::mem::take(out)));
        match tag {
            Tag::Paragraph | Tag::HtmlBlock | Tag::MetadataBlock(_) => {}
            Tag::Heading { level, .. } => hold(OpenElement::Heading(level as u8), out),
            Tag::BlockQuote(kind) => hold(OpenElement::Quote(kind), out),
            Tag::CodeBlock(kind) => {
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                hold(OpenElement::Code(String::new()), out);
                state.info = info;
            }
            Tag::List(Some(1)) => out.push_str("<ol>\n"),
            Tag::List(Some(start)) => out.push_str(&format!("<ol start=\"{start}\">\n")),
            Tag::List(None) => out.push_str("<ul>\n"),
            Tag::Item => hold(OpenElement::Item { is_task: None }, out),
            Tag::FootnoteDefinition(name) => hold(OpenElement::Footnote(name.into_string()), out),
            Tag::Table(alignments) => {
                hold(OpenElement::Table, out);
                state.alignments = alignments;
            }
            Tag::TableHead => {
                state.begin_row(true);
                out.push_str("<thead><tr>");
            }
            Tag::TableRow => {
                state.begin_row(false);
                out.push_str("<tr>");
            }
            Tag::TableCell => out.push_str(state.cell_start()),
            Tag::Emphasis => out.push_str("<em>"),
            Tag::Strong => out.push_str("<strong>"),
            Tag::Strikethrough => out.push_str("<del>"),
            Tag::Link {
                link_type,
                dest_url,
                title,
                ..
            } => {
                let url = match link_type {
                    LinkType::Email if !dest_url.starts_with("mailto:") => {
                        format!("mailto:{dest_url}")
                    }
                    _ => self.link(&dest_url),
                };
                push_attribute_tag(out, "a", "href", &url, &title);
                out.push('>');
                state.was_in_link = std::mem::replace(&mut self.is_in_link, true);
                state.link_start = out.len();
            }
            Tag::Image {
                dest_url, title, ..
            } => {
                let url = self.asset(&dest_url);
                let image = self.image(&dest_url);
                hold(
                    OpenElement::Image {
                        url,
                        title: title.into_string(),
                        image,
                    },
                    out,
                );
            }
            Tag::DefinitionList => out.push_str("<dl>"),
            Tag::DefinitionListTitle => out.push_str("<dt>"),
            Tag::DefinitionListDefinition => out.push_str("<dd>"),
            Tag::Superscript => out.push_str("<sup>"),
            Tag::Subscript => out.push_str("<sub>"),
        }
    }

    pub(super) fn end(
        &mut self,
        tag: TagEnd,
        out: &mut String,
        saved_output: &mut Vec<(OpenElement, String)>,
        state: &mut EventState,
        custom_id: &mut Option<String>,
    ) {
        match tag {
            TagEnd::List(true) => out.push_str("</ol>\n"),
            TagEnd::List(false) => out.push_str("</ul>\n"),
            TagEnd::TableHead => out.push_str("</tr></thead><tbody>\n"),
            TagEnd::TableRow => out.push_str("</tr>\n"),
            TagEnd::TableCell => state.end_cell(out),
            TagEnd::Emphasis => out.push_str("</em>"),
            TagEnd::Strong => out.push_str("</strong>"),
            TagEnd::Strikethrough => out.push_str("</del>"),
            TagEnd::Link => {
                let inner = out.split_off(state.link_start.min(out.len()));
                out.push_str(&paragraphs::without_links(inner));
                out.push_str("</a>");
                self.is_in_link = state.was_in_link;
            }
            TagEnd::DefinitionList => out.push_str("</dl>"),
            TagEnd::DefinitionListTitle => out.push_str("</dt>"),
            TagEnd::DefinitionListDefinition => out.push_str("</dd>"),
            TagEnd::Superscript => out.push_str("</sup>"),
            TagEnd::Subscript => out.push_str("</sub>"),
            TagEnd::Heading(_)
            | TagEnd::BlockQuote(_)
            | TagEnd::CodeBlock
            | TagEnd::Item
            | TagEnd::FootnoteDefinition
            | TagEnd::Table
            | TagEnd::Image => {
                let Some((what, before)) = saved_output.pop() else {
                    return;
                };
                let inner = std::mem::replace(out, before);
                self.release(what, &inner, out, state, custom_id);
            }
            // What stands on lines of its own is not one word with what follows.
            TagEnd::HtmlBlock if !out.is_empty() && !out.ends_with('\n') => out.push('\n'),
            TagEnd::Paragraph | TagEnd::HtmlBlock | TagEnd::MetadataBlock(_) => {}
        }
    }

    /// Renders what was held back around its content.
    pub(super) fn release(
        &mut self,
        what: OpenElement,
        inner: &str,
        out: &mut String,
        state: &EventState,
        custom_id: &mut Option<String>,
    ) {
        let rendered = match what {
            OpenElement::Heading(level) => {
                let title = text_of(inner).trim().to_owned();
                let id = match custom_id.take() {
                    Some(id) => self.ids.claim(id),
                    None => self.ids.next(&title),
                };
                let is_shown = level == 1
                    && self
                        .shown_heading
                        .is_some_and(|shown| shown.split_whitespace().eq(title.split_whitespace()));
                if is_shown {
                    self.shown_heading = None;
                    let mut names = self.ids.aliases(&title, &id);
                    names.insert(0, id);
                    names
                        .iter()
                        .for_each(|name| out.push_str(&prose::alias(name).into_string()));
                    return;
                }
                self.body.outline.push(OutlineEntry {
                    level,
                    id: id.clone(),
                    title: title.clone(),
                });
                let aliases = self.ids.aliases(&title, &id);
                let depth = self.depth(level);
                prose::heading(
                    &prose::Heading {
                        level,
                        is_below_title: self.context.is_below_title,
                        depth,
                        id: Some(id),
                        aliases,
                        text: title,
                    },
                    slot(&paragraphs::without_headings(inner.trim())),
                )
            }
            OpenElement::Item {
                is_task: Some(done),
            } => prose::task_item(done, slot(inner)),
            OpenElement::Item { is_task: None } => {
                out.push_str("<li>");
                out.push_str(inner);
                out.push_str("</li>\n");
                return;
            }
            OpenElement::Table => {
                let rows = format!("{inner}</tbody>");
                prose::table(slot(&rows))
            }
            OpenElement::Quote(None) => {
                out.push_str("<blockquote>\n");
                out.push_str(inner);
                out.push_str("</blockquote>\n");
                return;
            }
            OpenElement::Quote(Some(kind)) => {
                let kind = CalloutKind::of_alert(kind);
                callout(
                    &Callout {
                        kind,
                        ..Callout::default()
                    },
                    slot(inner),
                )
            }
            OpenElement::Code(code) => {
                let info = self.interpolated(state.info.clone());
                let code = self.interpolated(code);
                match fence::language(&info) {
                    Some("mermaid") => diagram(&fence::diagram(
                        &info,
                        &code,
                        self.theme_url(assets::DIAGRAMS),
                    )),
                    Some("math" | "katex") => {
                        let at = self.offset_of(&code);
                        out.push_str(&self.formula(&code, true, at));
                        out.push('\n');
                        return;
                    }
                    _ => code_block(&self.code_block(&info, &code)),
                }
            }
            OpenElement::Image { url, title, image } => {
                push_attribute_tag(out, "img", "src", &url, &title);
                out.push_str(" alt=\"");
                push_escaped(out, &text_of(inner));
                out.push('"');
                image.push_attributes(out, &AuthoredAttributes::default(), &mut self.heights);
                out.push('>');
                return;
            }
            OpenElement::Footnote(name) => {
                self.footnotes.define(name, inner.to_owned());
                return;
            }
        };
        out.push_str(&rendered.into_string());
        out.push('\n');
    }
}

/// A paragraph being written. One with nothing but elements is not a paragraph: its elements become
/// blocks.
pub(super) struct Paragraph {
    pub(super) start: usize,
    pub(super) has_text: bool,
}

impl Paragraph {
    pub(super) fn see(&mut self, event: &Event<'_>) {
        self.has_text |= match event {
            Event::Text(text) => !text.trim().is_empty(),
            Event::InlineHtml(html) => node_index(html).is_none() && !is_silent(html),
            Event::SoftBreak | Event::Html(_) | Event::End(_) => false,
            _ => true,
        };
    }
}

/// State from earlier events that later ones need: the columns of a table, the language of a block
/// of code, the link that is open.
#[derive(Default)]
pub(super) struct EventState {
    alignments: Vec<Alignment>,
    column: usize,
    is_head: bool,
    /// The info string of the code block being read.
    info: String,
    /// Whether the link being read stands within another one.
    was_in_link: bool,
    /// Start of the content of the link being rendered.
    link_start: usize,
}

impl EventState {
    pub(super) fn begin_row(&mut self, is_head: bool) {
        self.is_head = is_head;
        self.column = 0;
    }

    pub(super) fn cell_start(&mut self) -> &'static str {
        let alignment = self
            .alignments
            .get(self.column)
            .copied()
            .unwrap_or(Alignment::None);
        self.column += 1;
        match (self.is_head, alignment) {
            (true, Alignment::None) => "<th>",
            (true, Alignment::Left) => "<th style=\"text-align:left\">",
            (true, Alignment::Center) => "<th style=\"text-align:center\">",
            (true, Alignment::Right) => "<th style=\"text-align:right\">",
            (false, Alignment::None) => "<td>",
            (false, Alignment::Left) => "<td style=\"text-align:left\">",
            (false, Alignment::Center) => "<td style=\"text-align:center\">",
            (false, Alignment::Right) => "<td style=\"text-align:right\">",
        }
    }

    /// Ends a cell. One of the head that is empty heads nothing, and is no header (WCAG 1.3.1: technique H51).
    pub(super) fn end_cell(&self, out: &mut String) {
        let begun = out.rfind("<th").filter(|_| self.is_head);
        let is_empty = |at: &usize| out[*at..].find('>') == Some(out.len() - at - 1);
        match begun.filter(is_empty) {
            Some(at) => {
                out.replace_range(at..at + "<th".len(), "<td");
                out.push_str("</td>");
            }
            None => out.push_str(if self.is_head { "</th>" } else { "</td>" }),
        }
    }
}

fn push_attribute_tag(out: &mut String, tag: &str, attribute: &str, url: &str, title: &str) {
    out.push('<');
    out.push_str(tag);
    out.push(' ');
    out.push_str(attribute);
    out.push_str("=\"");
    push_escaped(out, url);
    out.push('"');
    if !title.is_empty() {
        out.push_str(" title=\"");
        push_escaped(out, title);
        out.push('"');
    }
}
