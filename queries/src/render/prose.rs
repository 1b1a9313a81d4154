//! The body of a page: Markdown events, elements and expressions become HTML, in one pass over the document.

mod values;

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::{Code, Diagnostic};
use crate::inputs::ImageSize;
use crate::mdx::heading::HeadingIds;
use crate::mdx::js::eval::{Program, Scope, Value};
use crate::mdx::markdown::{
    Alignment, BlockQuoteKind, CodeBlockKind, Event, LinkType, Tag, TagEnd, events, is_silent,
    node_index,
};
use crate::mdx::{Document, Fragment, Node, js};
use crate::page::link::{self, LinkTarget};
use crate::path::SitePath;
use crate::place::BlockIndex;
use crate::render::components::callout::{Callout, CalloutKind, callout};
use crate::render::components::code_block::{CodeBlock, code_block};
use crate::render::components::diagram::diagram;
use crate::render::components::{panel, prose, view};
use crate::render::fence;
use crate::render::formula;
use crate::render::highlight::{ByGrammar, by_grammar};
use crate::render::html::{push_escaped, slot, text_of};
use crate::render::icon;
use crate::render::icon_library::Library;
use crate::render::image::{Heights, Image, Written};
use crate::render::instance::Instance;
use crate::render::theme;
use crate::render::utility;

/// What the body of a page renders to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// The HTML inside the article.
    pub html: String,
    /// Its headings in order.
    pub outline: Vec<OutlineEntry>,
    /// Every place that a link can lead to, in order of their names: headings, and elements with an id.
    pub anchors: Vec<String>,
    /// Its links as written, each once, in order of appearance.
    pub links: Vec<WrittenLink>,
    /// The rules of the utility classes that its elements have.
    pub styles: String,
    /// What was wrong.
    pub diagnostics: Vec<Diagnostic>,
}

/// A link of a page, and where it is written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WrittenLink {
    /// The address as written.
    pub href: String,
    /// The snippet that it stands in, if not in the page itself.
    pub snippet: Option<SitePath>,
}

/// One heading of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineEntry {
    /// 1 to 6.
    pub level: u8,
    /// Its anchor.
    pub id: String,
    /// Its text.
    pub title: String,
}

/// What a body is drawn from: the page, and the files that it imports.
#[derive(Clone, Copy)]
pub struct BodyContext<'a> {
    /// The page first, then what it imports, by their numbers in the program.
    pub files: &'a [SourceText<'a>],
    /// What they declare.
    pub program: &'a Program,
    /// The files that `<Snippet file="…">` names, by that name.
    pub snippets: &'a BTreeMap<String, usize>,
    /// The path below which the site is served.
    pub base_path: &'a str,
    /// Where the names of icons are looked up first.
    pub icons: Library,
    /// Colours code without a lexer.
    pub by_grammar: ByGrammar<'a>,
    /// How large the picture at a path is by itself.
    pub images: &'a dyn Fn(&SitePath) -> Option<ImageSize>,
}

/// A file and what was read from it.
pub struct SourceText<'a> {
    /// Its path.
    pub path: &'a SitePath,
    /// Its text, for the places of diagnostics.
    pub text: &'a str,
    /// Its content, if it is Markdown.
    pub document: Document,
}

/// Deepest nesting of snippets in snippets.
const MAX_SNIPPETS: usize = 12;

/// Draws the first of the files.
pub fn body(context: BodyContext<'_>) -> Body {
    let Some(page) = context.files.first() else {
        return Body::default();
    };
    let mut writer = Writer {
        context,
        file: 0,
        scope: Scope::of_module(0),
        snippets_open: 0,
        is_in_link: false,
        step_level: None,
        views: Vec::new(),
        tags: Vec::new(),
        beside: String::new(),
        ids: HeadingIds::default(),
        footnotes: Footnotes::default(),
        blocks: BTreeMap::new(),
        classes: BTreeSet::new(),
        has_image: false,
        heights: Heights::default(),
        body: Body {
            diagnostics: page.document.diagnostics.clone(),
            ..Body::default()
        },
    };
    let mut html = writer.fragment(&page.document.root, Wrap::Paragraphs);
    html.push_str(&writer.footnotes.draw());
    if writer.tags.len() > 1 {
        html.insert_str(0, &view::tag_filter(&writer.tags).into_string());
    }
    if writer.views.len() > 1 {
        html.insert_str(0, &view::view_switch(&writer.views).into_string());
    }
    if !writer.beside.is_empty() {
        html = panel::beside(slot(&html), slot(&writer.beside)).into_string();
    }
    writer.body.html = html;
    writer.body.styles = utility::stylesheet(&writer.classes, context.base_path);
    for alias in writer.ids.lost_aliases() {
        let markup = prose::alias(alias).into_string();
        writer.body.html = writer.body.html.replacen(&markup, "", 1);
    }
    writer.body.anchors = writer.ids.into_anchors();
    let mut seen = BTreeSet::new();
    let is_new: Vec<bool> = (writer.body.links.iter())
        .map(|link| seen.insert(link))
        .collect();
    let mut is_new = is_new.into_iter();
    writer.body.links.retain(|_| is_new.next() == Some(true));
    writer.body
}

/// Draws a text that stands by itself, such as the banner of `path`.
pub fn text_body(path: &SitePath, text: &str, base_path: &str) -> Body {
    let files = [SourceText {
        path,
        text,
        document: crate::mdx::parse(path, text),
    }];
    let mut program = Program::default();
    program.modules.push(js::eval::Loaded::default());
    body(BodyContext {
        files: &files,
        program: &program,
        snippets: &BTreeMap::new(),
        base_path,
        icons: Library::default(),
        by_grammar: &by_grammar,
        images: &|_| None,
    })
}

/// Markdown of one line, such as a caption, as inline HTML, and its links.
fn inline_body(path: &SitePath, text: &str, base_path: &str) -> Option<(String, Vec<WrittenLink>)> {
    let body = text_body(path, text, base_path);
    let html = body.html.trim();
    let inner = html.strip_prefix("<p>")?.strip_suffix("</p>")?;
    (!inner.contains("<p>")).then(|| (inner.to_owned(), body.links))
}

pub(super) use values::BodyPart;

/// Whether paragraphs of a fragment get their tags.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrap {
    Paragraphs,
    /// Inside of what may hold text only: `<p>`, `<span>`, a line.
    Bare,
}

pub(super) struct Writer<'a> {
    context: BodyContext<'a>,
    /// The file that is being drawn, by its number.
    file: usize,
    scope: Scope,
    snippets_open: usize,
    /// Whether an element around is a link: there bare addresses are text.
    is_in_link: bool,
    /// The level of the titles of steps that name none.
    pub(super) step_level: Option<u8>,
    /// The views of the page: title and drawn icon, in order.
    pub(super) views: Vec<(String, String)>,
    /// The tags of the entries of a changelog, in order.
    pub(super) tags: Vec<String>,
    /// What stands beside the text: examples and panels.
    beside: String,
    pub(super) ids: HeadingIds,
    footnotes: Footnotes,
    blocks: BTreeMap<usize, BlockIndex>,
    /// The classes that authors gave to elements.
    classes: BTreeSet<String>,
    /// Whether a picture was drawn already: all but the first load when they are near.
    has_image: bool,
    pub(super) heights: Heights,
    pub(super) body: Body,
}

/// What is being written, when it is not the page itself: held back until its end.
enum Held {
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
    /// Draws `fragment`.
    pub(super) fn fragment(&mut self, fragment: &'a Fragment, wrap: Wrap) -> String {
        let wrap = if fragment.is_inline { Wrap::Bare } else { wrap };
        let mut out = String::with_capacity(fragment.text.len() * 3 / 2);
        let mut held: Vec<(Held, String)> = Vec::new();
        let mut custom_id: Option<String> = None;
        let mut paragraph: Option<Paragraph> = None;
        let mut table = TableState::default();
        let definitions = &self.document().definitions;
        for event in events(&fragment.text, definitions, !self.is_in_link) {
            if let Some(paragraph) = &mut paragraph {
                paragraph.see(&event);
            }
            match event {
                Event::Start(Tag::Paragraph) => {
                    paragraph = Some(Paragraph {
                        start: out.len(),
                        has_text: false,
                    });
                }
                Event::End(TagEnd::Paragraph) => {
                    if let Some(Paragraph {
                        start,
                        has_text: true,
                    }) = paragraph.take()
                        && wrap == Wrap::Paragraphs
                    {
                        out.insert_str(start, "<p>");
                        out.push_str("</p>\n");
                    }
                }
                Event::Start(tag) => self.start(tag, &mut out, &mut held, &mut table),
                Event::End(tag) => self.end(tag, &mut out, &mut held, &mut table, &mut custom_id),
                Event::Text(text) => match held.last_mut() {
                    Some((Held::Code(code), _)) => code.push_str(&text),
                    _ => push_escaped(&mut out, &text),
                },
                Event::Code(code) => {
                    out.push_str("<code>");
                    push_escaped(&mut out, &code);
                    out.push_str("</code>");
                }
                Event::Html(html) | Event::InlineHtml(html) => match node_index(&html) {
                    Some(index) => {
                        self.node(index, &mut out, held.last(), &mut custom_id);
                        // A formula is a word of its paragraph.
                        if let Some(paragraph) = &mut paragraph {
                            paragraph.has_text |= self.is_inline_formula(index);
                        }
                    }
                    None if is_silent(&html) => {}
                    None => push_escaped(&mut out, &html),
                },
                Event::SoftBreak => out.push('\n'),
                Event::HardBreak => out.push_str("<br>\n"),
                Event::Rule => out.push_str("<hr>\n"),
                Event::TaskListMarker(done) => {
                    if let Some((Held::Item { is_task }, _)) = held.last_mut() {
                        *is_task = Some(done);
                    }
                }
                Event::FootnoteReference(name) => {
                    let (number, mention) = self.footnotes.mention(&name);
                    out.push_str(&prose::footnote_reference(number, &name, mention).into_string());
                }
                Event::InlineMath(text) | Event::DisplayMath(text) => push_escaped(&mut out, &text),
            }
        }
        out
    }

    fn start(
        &mut self,
        tag: Tag<'_>,
        out: &mut String,
        held: &mut Vec<(Held, String)>,
        table: &mut TableState,
    ) {
        let mut hold = |what: Held, out: &mut String| held.push((what, std::mem::take(out)));
        match tag {
            Tag::Paragraph | Tag::HtmlBlock | Tag::MetadataBlock(_) => {}
            Tag::Heading { level, .. } => hold(Held::Heading(level as u8), out),
            Tag::BlockQuote(kind) => hold(Held::Quote(kind), out),
            Tag::CodeBlock(kind) => {
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                hold(Held::Code(String::new()), out);
                table.info = info;
            }
            Tag::List(Some(1)) => out.push_str("<ol>\n"),
            Tag::List(Some(start)) => out.push_str(&format!("<ol start=\"{start}\">\n")),
            Tag::List(None) => out.push_str("<ul>\n"),
            Tag::Item => hold(Held::Item { is_task: None }, out),
            Tag::FootnoteDefinition(name) => hold(Held::Footnote(name.into_string()), out),
            Tag::Table(alignments) => {
                hold(Held::Table, out);
                table.alignments = alignments;
            }
            Tag::TableHead => {
                table.begin_row(true);
                out.push_str("<thead><tr>");
            }
            Tag::TableRow => {
                table.begin_row(false);
                out.push_str("<tr>");
            }
            Tag::TableCell => out.push_str(table.cell_start()),
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
                table.was_in_link = std::mem::replace(&mut self.is_in_link, true);
            }
            Tag::Image {
                dest_url, title, ..
            } => {
                let url = self.asset(&dest_url);
                let image = self.image(&dest_url);
                hold(
                    Held::Image {
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

    fn end(
        &mut self,
        tag: TagEnd,
        out: &mut String,
        held: &mut Vec<(Held, String)>,
        table: &mut TableState,
        custom_id: &mut Option<String>,
    ) {
        match tag {
            TagEnd::List(true) => out.push_str("</ol>\n"),
            TagEnd::List(false) => out.push_str("</ul>\n"),
            TagEnd::TableHead => out.push_str("</tr></thead><tbody>\n"),
            TagEnd::TableRow => out.push_str("</tr>\n"),
            TagEnd::TableCell => out.push_str(table.cell_end()),
            TagEnd::Emphasis => out.push_str("</em>"),
            TagEnd::Strong => out.push_str("</strong>"),
            TagEnd::Strikethrough => out.push_str("</del>"),
            TagEnd::Link => {
                out.push_str("</a>");
                self.is_in_link = table.was_in_link;
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
                let Some((what, before)) = held.pop() else {
                    return;
                };
                let inner = std::mem::replace(out, before);
                self.release(what, &inner, out, table, custom_id);
            }
            TagEnd::Paragraph | TagEnd::HtmlBlock | TagEnd::MetadataBlock(_) => {}
        }
    }

    /// Draws what was held back around its content.
    fn release(
        &mut self,
        what: Held,
        inner: &str,
        out: &mut String,
        table: &TableState,
        custom_id: &mut Option<String>,
    ) {
        let drawn = match what {
            Held::Heading(level) => {
                let title = text_of(inner).trim().to_owned();
                let id = match custom_id.take() {
                    Some(id) => self.ids.claim(id),
                    None => self.ids.next(&title),
                };
                self.body.outline.push(OutlineEntry {
                    level,
                    id: id.clone(),
                    title: title.clone(),
                });
                let alias = self.ids.alias(&title, &id);
                prose::heading(
                    &prose::Heading {
                        level,
                        id: Some(id),
                        alias,
                        text: title,
                    },
                    slot(inner.trim()),
                )
            }
            Held::Item {
                is_task: Some(done),
            } => prose::task_item(done, slot(inner)),
            Held::Item { is_task: None } => {
                out.push_str("<li>");
                out.push_str(inner);
                out.push_str("</li>\n");
                return;
            }
            Held::Table => {
                let rows = format!("{inner}</tbody>");
                prose::table(slot(&rows))
            }
            Held::Quote(None) => {
                out.push_str("<blockquote>\n");
                out.push_str(inner);
                out.push_str("</blockquote>\n");
                return;
            }
            Held::Quote(Some(kind)) => {
                let kind = match kind {
                    BlockQuoteKind::Note => CalloutKind::Note,
                    BlockQuoteKind::Tip => CalloutKind::Tip,
                    BlockQuoteKind::Important => CalloutKind::Info,
                    BlockQuoteKind::Warning => CalloutKind::Warning,
                    BlockQuoteKind::Caution => CalloutKind::Danger,
                };
                callout(
                    &Callout {
                        kind,
                        ..Callout::default()
                    },
                    slot(inner),
                )
            }
            Held::Code(code) => {
                let info = self.interpolated(table.info.clone());
                let code = self.interpolated(code);
                match fence::language(&info) {
                    Some("mermaid") => {
                        diagram(&fence::diagram(&info, &code, self.theme_url("mermaid.js")))
                    }
                    Some("math" | "katex") => {
                        let at = self.offset_of(&code);
                        out.push_str(&self.formula(&code, true, at));
                        out.push('\n');
                        return;
                    }
                    _ => code_block(&self.code_block(&info, &code)),
                }
            }
            Held::Image { url, title, image } => {
                push_attribute_tag(out, "img", "src", &url, &title);
                out.push_str(" alt=\"");
                push_escaped(out, &text_of(inner));
                out.push('"');
                image.push_attributes(out, &Written::default(), &mut self.heights);
                out.push('>');
                return;
            }
            Held::Footnote(name) => {
                self.footnotes.define(name, inner.to_owned());
                return;
            }
        };
        out.push_str(&drawn.into_string());
        out.push('\n');
    }

    fn node(
        &mut self,
        index: usize,
        out: &mut String,
        within: Option<&(Held, String)>,
        custom_id: &mut Option<String>,
    ) {
        match self.document().nodes.get(index) {
            Some(Node::Element(element)) => {
                let drawn = self.element(element);
                out.push_str(&drawn);
            }
            Some(Node::Formula {
                source,
                is_display,
                at,
            }) => {
                let drawn = self.formula(source, *is_display, *at);
                out.push_str(&drawn);
            }
            Some(Node::Expression { source, at }) => {
                if let (Some((Held::Heading(_), _)), Some(id)) = (within, source.strip_prefix('#'))
                {
                    *custom_id = Some(id.trim().to_owned());
                    return;
                }
                match self.value(source) {
                    Ok(value) => {
                        let drawn = self.draw_value(&value);
                        out.push_str(&drawn);
                    }
                    Err(fault) => {
                        let shown: String = source.chars().take(40).collect();
                        let message =
                            format!("`{{{shown}}}` has no value when the site is built: {fault}");
                        let hint = "it is shown as it is written; for a brace in text write `\\{`";
                        self.report(Code::UnsupportedExpression, *at, 1, message, hint);
                        push_escaped(out, &format!("{{{source}}}"));
                    }
                }
            }
            None => {}
        }
    }

    fn document(&self) -> &'a Document {
        &self.context.files[self.file].document
    }

    /// The address of a link as written, resolved; the link is remembered for the link check.
    pub(super) fn link(&mut self, href: &str) -> String {
        self.see_link(href.to_owned());
        link::href(self.context.files[0].path, self.context.base_path, href)
    }

    fn see_link(&mut self, href: String) {
        let files = self.context.files;
        let snippet = files.get(self.file).filter(|_| self.file > 0);
        let snippet = snippet.map(|source| source.path.clone());
        self.body.links.push(WrittenLink { href, snippet });
    }

    /// Draws `text`, one line of Markdown; what is more than a line is shown as it is written.
    pub(super) fn inline_text(&mut self, text: &str) -> String {
        let drawn = text
            .contains(['*', '_', '`', '[', '<', '~'])
            .then(|| inline_body(self.context.files[0].path, text, self.context.base_path));
        match drawn.flatten() {
            Some((html, links)) => {
                links.into_iter().for_each(|link| self.see_link(link.href));
                html
            }
            None => super::html::escaped(text),
        }
    }

    /// The address of an image or another file as written, resolved.
    pub(super) fn asset(&self, src: &str) -> String {
        link::href(self.context.files[0].path, self.context.base_path, src)
    }

    /// The picture at `src`, as written: how large it is, and whether it is the first of the page.
    pub(super) fn image(&mut self, src: &str) -> Image {
        let size = match link::resolve(self.context.files[0].path, src) {
            LinkTarget::Site { path, .. } => {
                SitePath::new(&path).and_then(|path| (self.context.images)(&path))
            }
            LinkTarget::External | LinkTarget::Heading(_) => None,
        };
        let is_first = !std::mem::replace(&mut self.has_image, true);
        Image { size, is_first }
    }

    /// Remembers the classes that an author gave to an element: their rules go with the page.
    pub(super) fn see_classes(&mut self, classes: &str) {
        for class in classes.split_whitespace() {
            if !self.classes.contains(class) {
                self.classes.insert(class.to_owned());
            }
        }
    }

    /// The icon that `name` of a component names, looked up in `style`: addresses are resolved, elements drawn.
    pub(super) fn icon(&mut self, instance: &Instance<'a>) -> Option<String> {
        let style = instance.text("iconType");
        match instance.prop("icon")? {
            Value::Text(name) if name.starts_with(['/', '.']) => Some(self.asset(name)),
            Value::Text(name) => {
                let library = match instance
                    .text("library")
                    .or_else(|| instance.text("iconLibrary"))
                    .as_deref()
                {
                    Some("lucide") => Library::Lucide,
                    Some("tabler") => Library::Tabler,
                    Some("fontawesome") => Library::FontAwesome,
                    _ => self.context.icons,
                };
                Some(icon::qualified(library, style.as_deref(), name))
            }
            value @ Value::Element(_) => {
                let value = value.clone();
                Some(self.draw_value(&value))
            }
            _ => None,
        }
    }

    /// The block of `code` under `info`, with its icon looked up.
    pub(super) fn code_block(&self, info: &str, code: &str) -> CodeBlock {
        let mut block = fence::code_block(info, code, self.context.by_grammar);
        block.icon = block.icon.map(|icon| self.code_icon(&icon));
        block
    }

    /// Draws a formula that stands at byte `at` of the file.
    pub(super) fn formula(&mut self, source: &str, is_display: bool, at: usize) -> String {
        match formula::formula(source, is_display) {
            Ok(math) => math,
            Err(fault) => {
                let message = format!("the formula cannot be drawn: {fault}");
                let hint =
                    "its source is shown in its place; for a dollar sign in text write `\\$`";
                self.report(Code::InvalidFormula, at, 1, message, hint);
                prose::invalid_formula(source.trim(), &fault).into_string()
            }
        }
    }

    fn is_inline_formula(&self, index: usize) -> bool {
        let node = self.document().nodes.get(index);
        matches!(
            node,
            Some(Node::Formula {
                is_display: false,
                ..
            })
        )
    }

    /// Where `text` stands in the file that is drawn; at its beginning if it was put together.
    pub(super) fn offset_of(&self, text: &str) -> usize {
        let line = text
            .lines()
            .find(|line| !line.trim().is_empty())
            .unwrap_or_default();
        let source = self.context.files.get(self.file);
        source
            .and_then(|source| source.text.find(line.trim()))
            .unwrap_or(0)
    }

    /// The address of a file of the theme.
    pub(super) fn theme_url(&self, name: &str) -> String {
        format!(
            "{}{}",
            self.context.base_path.trim_end_matches('/'),
            theme::asset_url(name)
        )
    }

    /// The icon that the info string of a code block names.
    fn code_icon(&self, name: &str) -> String {
        if name.starts_with(['/', '.']) {
            self.asset(name)
        } else {
            icon::qualified(self.context.icons, None, name)
        }
    }

    pub(super) fn report(
        &mut self,
        code: Code,
        at: usize,
        len: usize,
        message: String,
        hint: &str,
    ) {
        let Some(source) = self.context.files.get(self.file) else {
            return;
        };
        let blocks = self
            .blocks
            .entry(self.file)
            .or_insert_with(|| BlockIndex::new(source.text));
        let place = blocks.place(source.path, source.text, at, len);
        let diagnostic = Diagnostic::new(code, place, message).hint(hint);
        // A snippet that is used twice is wrong once.
        if !self.body.diagnostics.contains(&diagnostic) {
            self.body.diagnostics.push(diagnostic);
        }
    }
}

/// A paragraph being written. One that holds nothing but elements is none: its elements stand as blocks.
struct Paragraph {
    start: usize,
    has_text: bool,
}

impl Paragraph {
    fn see(&mut self, event: &Event<'_>) {
        self.has_text |= match event {
            Event::Text(text) => !text.trim().is_empty(),
            Event::InlineHtml(html) => node_index(html).is_none() && !is_silent(html),
            Event::SoftBreak | Event::Html(_) | Event::End(_) => false,
            _ => true,
        };
    }
}

#[derive(Default)]
struct TableState {
    alignments: Vec<Alignment>,
    column: usize,
    is_head: bool,
    /// The info string of the code block being read.
    info: String,
    /// Whether the link being read stands within another one.
    was_in_link: bool,
}

impl TableState {
    fn begin_row(&mut self, is_head: bool) {
        self.is_head = is_head;
        self.column = 0;
    }

    fn cell_start(&mut self) -> &'static str {
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

    fn cell_end(&self) -> &'static str {
        if self.is_head { "</th>" } else { "</td>" }
    }
}

/// Footnotes: numbered in the order of their first mention, drawn at the end of the page.
#[derive(Default)]
struct Footnotes {
    order: Vec<String>,
    mentions: BTreeMap<String, usize>,
    definitions: BTreeMap<String, String>,
}

impl Footnotes {
    fn mention(&mut self, name: &str) -> (usize, usize) {
        let mentions = self.mentions.entry(name.to_owned()).or_insert(0);
        *mentions += 1;
        if *mentions == 1 {
            self.order.push(name.to_owned());
        }
        let number = self
            .order
            .iter()
            .position(|known| known == name)
            .map_or(0, |at| at + 1);
        (number, *mentions)
    }

    fn define(&mut self, name: String, html: String) {
        self.definitions.entry(name).or_insert(html);
    }

    fn draw(&mut self) -> String {
        let notes: Vec<(String, String)> = self
            .order
            .iter()
            .filter_map(|name| Some((name.clone(), self.definitions.remove(name)?)))
            .collect();
        if notes.is_empty() {
            String::new()
        } else {
            prose::footnotes(&notes).into_string()
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
