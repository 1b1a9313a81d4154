//! The body of a page: Markdown events, elements and expressions become HTML, in one pass over the document.

mod blocks;
mod footnotes;
pub mod islands;
pub(crate) mod paragraphs;
mod resources;
mod values;

use blocks::{EventState, OpenElement, Paragraph};
use footnotes::Footnotes;

use std::collections::{BTreeMap, BTreeSet};

use highlight::{ByGrammar, by_grammar};
use serde::{Deserialize, Serialize};

use crate::components::{panel, prose, view};
use crate::html::{push_escaped, slot};
use crate::icon_library::Library;
use crate::image::Heights;
use crate::problem::{Problem, ProblemSeverity};
use base::diagnostic::{Code, Diagnostic, Tally};
use base::image::ImageSize;
use base::path::SitePath;
use base::place::{BlockIndex, Place};
use mdx::heading::HeadingIds;
use mdx::js::eval::{Program, Scope};
use mdx::markdown::{Event, Tag, TagEnd, events, is_silent, node_index};
use mdx::{Document, Fragment, Node, js};

/// Rendered body of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    /// HTML inside the article, without the elements next to it.
    pub html: String,
    /// HTML for programs, where the author has other content for them (`<Visibility>`).
    pub for_programs: Option<String>,
    /// Elements next to the text, in order; each is in the text too, for narrow screens.
    pub asides: Vec<(AsideKind, String)>,
    /// Headings in order.
    pub outline: Vec<OutlineEntry>,
    /// Every place that a link can lead to, in order of their names: headings, and elements with an id.
    pub anchors: Vec<String>,
    /// Links as written, each once, in order of appearance.
    pub links: Vec<WrittenLink>,
    /// The rules of the utility classes that its elements have.
    pub styles: String,
    /// Uses of components that a script goes on with in a browser, by the numbers of their marks in the HTML.
    pub islands: Vec<Island>,
    /// Diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

/// A use of a component with state, or an expression that shows one. Its HTML stands between two comments, which
/// [`islands`] takes apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Island {
    /// Name of the component; empty for an expression.
    pub name: String,
    /// File in whose scope it stands.
    pub file: SitePath,
    /// JSX: what a script evaluates. `$s(n)` is the slot with the number n.
    pub source: String,
    /// Names that it knows besides those of its file, with their values in JavaScript.
    pub locals: Vec<(String, String)>,
    /// HTML of what it shows at first, if that is not all that its states show.
    pub first: Option<String>,
    /// Components of the theme that it shows: keys of `mdx::js::part`, and their HTML.
    pub parts: Vec<(String, String)>,
    /// Diagnostic if no script can be made of it; the reason is to be added.
    pub otherwise: Diagnostic,
}

/// Elements next to the text of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AsideKind {
    /// An example of a request.
    Request,
    /// An example of a response.
    Response,
    /// Anything else.
    Panel,
}

impl Body {
    /// The HTML inside the article as texts for programs are made of it.
    pub fn for_programs(&self) -> &str {
        self.for_programs.as_deref().unwrap_or(&self.html)
    }

    /// HTML inside the article, with the elements next to it in a column of their own.
    pub fn whole(&self) -> String {
        if self.asides.is_empty() {
            return self.html.clone();
        }
        let asides: String = self.asides.iter().map(|(_, html)| html.as_str()).collect();
        panel::with_aside(slot(&self.html), slot(&asides)).into_string()
    }
}

/// A link of a page, and where it is written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct WrittenLink {
    /// The address as written.
    pub href: String,
    /// Snippet that contains it, if it is not in the page itself.
    pub snippet: Option<SitePath>,
    /// Whether the page shows what is there, such as a picture, and readers do not follow it.
    pub is_shown: bool,
}

/// One heading of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineEntry {
    /// 1 to 6.
    pub level: u8,
    /// Anchor.
    pub id: String,
    /// Text.
    pub title: String,
}

/// Inputs for rendering a body: the page, and the files that it imports.
#[derive(Clone, Copy)]
pub struct BodyContext<'a> {
    /// The page first, then what it imports, by their numbers in the program.
    pub files: &'a [SourceText<'a>],
    /// Their declarations.
    pub program: &'a Program,
    /// The files that `<Snippet file="…">` names, by that name.
    pub snippets: &'a BTreeMap<String, usize>,
    /// The path below which the site is served.
    pub base_path: &'a str,
    /// Library in which names of icons are looked up first.
    pub icons: Library,
    /// Colors code without a lexer.
    pub by_grammar: ByGrammar<'a>,
    /// Returns the natural size of the picture at a path.
    pub images: &'a dyn Fn(&SitePath) -> Option<ImageSize>,
    /// Whether it stands below the title of a page; a text by itself does not know what it stands below.
    pub has_title: bool,
    /// Text of the level-1 heading that the page has as its title and does not repeat.
    pub shown_heading: Option<&'a str>,
    /// Whether the title is an `<h1>` above the text, so that there is no other.
    pub is_below_title: bool,
    /// Author of the text, which determines the allowed HTML.
    pub by: By,
}

/// Audience of a rendered text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Audience {
    /// People, on the page.
    People,
    /// Programs, in the texts that are made for them.
    Programs,
}

/// Author of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The author of the site: any HTML.
    Author,
    /// The author of a specification: elements that show text and pictures, without classes, styles
    /// and names.
    Specification,
}

/// A file and what was read from it.
pub struct SourceText<'a> {
    /// Path.
    pub path: &'a SitePath,
    /// Text, for the places of diagnostics.
    pub text: &'a str,
    /// Content, if it is Markdown.
    pub document: Document,
}

/// Maximum number of rendered parts of a page, as Markdown counts them: starts of elements, and
/// elements by themselves. A page of half a megabyte of short paragraphs has as many; a snippet of
/// twenty that is rendered by each of a hundred others soon has them.
pub const MAX_PAGE_NODES: usize = 200_000;

/// Deepest nesting of snippets in snippets.
const MAX_SNIPPETS: usize = 12;

/// Renders the first of the files: for people, and for programs where their content differs.
pub fn body(context: BodyContext<'_>) -> Body {
    let (mut body, has_audiences) = body_for(context, Audience::People);
    if has_audiences {
        let (other, _) = body_for(context, Audience::Programs);
        // Its errors are on no page, and must be reported all the same.
        for link in other.links {
            if !body.links.contains(&link) {
                body.links.push(link);
            }
        }
        for diagnostic in other.diagnostics {
            if !body.diagnostics.contains(&diagnostic) {
                body.diagnostics.push(diagnostic);
            }
        }
        body.for_programs = Some(other.html);
    }
    body
}

/// Renders the first of the files for an audience; says whether parts of it are for one alone.
fn body_for(context: BodyContext<'_>, audience: Audience) -> (Body, bool) {
    let Some(page) = context.files.first() else {
        return (Body::default(), false);
    };
    let mut writer = Writer {
        context,
        audience,
        has_audiences: false,
        file: 0,
        scope: Scope::of_module(0),
        snippets_open: 0,
        shown_heading: context.shown_heading,
        is_in_link: false,
        step_level: None,
        levels: Vec::new(),
        views: Vec::new(),
        tags: Vec::new(),
        ids: HeadingIds::default(),
        footnotes: Footnotes::default(),
        blocks: BTreeMap::new(),
        classes: BTreeSet::new(),
        has_image: false,
        heights: Heights::default(),
        unknown: BTreeSet::new(),
        tally: Tally::default(),
        reported: BTreeSet::new(),
        nodes: 0,
        slots: 0,
        is_aside: false,
        body: Body {
            diagnostics: page.document.diagnostics.clone(),
            ..Body::default()
        },
    };
    let mut html = writer.fragment(&page.document.root, Wrap::Paragraphs);
    html.push_str(&writer.footnotes.draw());
    if writer.nodes > MAX_PAGE_NODES {
        html.push_str(&writer.is_cut_short());
    }
    std::mem::take(&mut writer.tally).add_rest(&mut writer.body.diagnostics);
    if writer.tags.len() > 1 {
        html.insert_str(0, &view::tag_filter(&writer.tags).into_string());
    }
    if writer.views.len() > 1 {
        html.insert_str(0, &view::view_switch(&writer.views).into_string());
    }
    writer.body.html = html;
    let sheet = utility::stylesheet(&writer.classes, context.base_path);
    writer.check_classes(&sheet);
    writer.body.styles = match writer.body.islands.is_empty() {
        true => sheet,
        false => {
            // What a script will show has the classes that are somewhere in its text.
            writer
                .classes
                .extend(context.files.iter().flat_map(script_words));
            utility::stylesheet(&writer.classes, context.base_path)
        }
    };
    let lost = writer.ids.lost_aliases();
    if !lost.is_empty() {
        writer.body.html = prose::without_aliases(&writer.body.html, &lost);
    }
    writer.body.anchors = writer.ids.into_anchors();
    let mut seen = BTreeSet::new();
    let is_new: Vec<bool> = (writer.body.links.iter())
        .map(|link| seen.insert(link))
        .collect();
    let mut is_new = is_new.into_iter();
    writer.body.links.retain(|_| is_new.next() == Some(true));
    (writer.body, writer.has_audiences)
}

/// Words of the scripts of a file that could be classes.
fn script_words<'a>(file: &'a SourceText<'_>) -> impl Iterator<Item = String> + use<'a> {
    let is_markdown = matches!(file.path.extension().as_str(), "mdx" | "md");
    let modules = file.document.modules.iter().map(String::as_str);
    let text = (!is_markdown).then_some(file.text);
    let words = modules
        .chain(text)
        .flat_map(|text| text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`')));
    let is_class = |word: &&str| {
        word.starts_with(|c: char| {
            c.is_ascii_lowercase() || matches!(c, '-' | '!' | '[' | '@' | '*')
        }) && word.len() <= 120
    };
    words.filter(is_class).map(str::to_owned)
}

/// Renders a single text, such as the banner of `path`, with the icons of the site.
pub fn text_body(path: &SitePath, text: &str, base_path: &str, icons: Library, by: By) -> Body {
    let files = [SourceText {
        path,
        text,
        document: mdx::parse(path, text),
    }];
    let mut program = Program::default();
    program.modules.push(js::eval::LoadedModule::default());
    body(BodyContext {
        files: &files,
        program: &program,
        snippets: &BTreeMap::new(),
        base_path,
        icons,
        by_grammar: &by_grammar,
        images: &|_| None,
        has_title: false,
        shown_heading: None,
        is_below_title: false,
        by,
    })
}

/// Markdown of one line, such as a caption, as inline HTML, and its links.
fn inline_body(
    path: &SitePath,
    text: &str,
    base_path: &str,
    icons: Library,
    by: By,
) -> Option<(String, Vec<WrittenLink>)> {
    let body = text_body(path, text, base_path, icons, by);
    let html = body.html.trim();
    let inner = html.strip_prefix("<p>")?.strip_suffix("</p>")?;
    (!inner.contains("<p>")).then(|| (inner.to_owned(), body.links))
}

pub(super) use values::BodyPart;
use values::ComponentUse;

/// Wrapping of the paragraphs of a fragment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrap {
    Paragraphs,
    /// Inside of what may hold text only: `<p>`, `<span>`, a line.
    Bare,
}

pub(super) struct Writer<'a> {
    context: BodyContext<'a>,
    audience: Audience,
    /// Whether a part was met that is for one audience alone.
    has_audiences: bool,
    /// The file that is being rendered, by its number.
    file: usize,
    scope: Scope,
    snippets_open: usize,
    /// Heading that is still to be left out.
    shown_heading: Option<&'a str>,
    /// Whether an element around is a link: there bare addresses are text.
    is_in_link: bool,
    /// The level of the titles of steps that name none.
    pub(super) step_level: Option<u8>,
    /// The levels of the headings that what comes next stands below.
    levels: Vec<u8>,
    /// The views of the page: title and rendered icon, in order.
    pub(super) views: Vec<(String, String)>,
    /// The tags of the entries of a changelog, in order.
    pub(super) tags: Vec<String>,
    pub(super) ids: HeadingIds,
    footnotes: Footnotes,
    blocks: BTreeMap<usize, BlockIndex>,
    /// The classes that authors gave to elements.
    classes: BTreeSet<String>,
    /// Whether a picture was rendered already: all but the first load when they are near.
    has_image: bool,
    pub(super) heights: Heights,
    /// Unknown names of icons and languages that were reported.
    unknown: BTreeSet<String>,
    /// Number of diagnostics by code.
    tally: Tally,
    /// Reported errors, since a snippet that is used twice is reported once: its file, the place in
    /// it, code and message.
    reported: BTreeSet<(usize, usize, Code, String)>,
    /// Number of parts met.
    nodes: usize,
    /// Number of slots: children of components of the site, marked in their HTML.
    slots: usize,
    /// Whether what is rendered is not on the page as it is loaded.
    is_aside: bool,
    pub(super) body: Body,
}

impl<'a> Writer<'a> {
    /// Returns true if the page has an `<h1>` above the text.
    pub(super) fn is_below_title(&self) -> bool {
        self.context.is_below_title
    }

    /// Returns true if a part is rendered that is for `audience`, in the author's words.
    pub(super) fn is_for(&mut self, audience: Option<&str>) -> bool {
        let wanted = match audience {
            Some("humans") => Audience::People,
            Some("agents") => Audience::Programs,
            _ => return true,
        };
        self.has_audiences = true;
        wanted == self.audience
    }

    /// Renders `fragment`.
    pub(super) fn fragment(&mut self, fragment: &'a Fragment, wrap: Wrap) -> String {
        let wrap = if fragment.is_inline { Wrap::Bare } else { wrap };
        let mut out = String::with_capacity(fragment.text.len() * 3 / 2);
        let mut saved_output: Vec<(OpenElement, String)> = Vec::new();
        let mut custom_id: Option<String> = None;
        let mut paragraph: Option<Paragraph> = None;
        let mut state = EventState::default();
        // How many parts are open that are left out.
        let mut left_out = 0usize;
        let definitions = &self.document().definitions;
        for event in events(&fragment.text, definitions, !self.is_in_link) {
            // What was begun is ended.
            let is_end = matches!(event, Event::End(_));
            if left_out > 0 || !(is_end || self.has_room()) {
                match event {
                    Event::Start(_) => left_out += 1,
                    Event::End(_) => left_out -= 1,
                    _ => {}
                }
                continue;
            }
            if let Some(paragraph) = &mut paragraph {
                paragraph.see(&event);
            }
            match event {
                Event::Start(Tag::Paragraph) => {
                    paragraph = Some(Paragraph {
                        start: out.len(),
                        has_text: false,
                    });
                    // Nearly every paragraph has text; where one has not, the tag is taken back.
                    if wrap == Wrap::Paragraphs {
                        out.push_str("<p>");
                    }
                }
                Event::End(TagEnd::Paragraph) => {
                    if let Some(Paragraph { start, has_text }) = paragraph.take()
                        && wrap == Wrap::Paragraphs
                    {
                        if has_text && paragraphs::holds_block(&out[start + 3..]) {
                            let inner = out.split_off(start + 3);
                            out.truncate(start);
                            out.push_str(&paragraphs::around_blocks(&inner));
                        } else if has_text {
                            out.push_str("</p>\n");
                        } else {
                            out.replace_range(start..start + 3, "");
                            // What stands on lines of its own is not one word with what follows.
                            out.push('\n');
                        }
                    }
                }
                Event::Start(tag) => self.start(tag, &mut out, &mut saved_output, &mut state),
                Event::End(tag) => {
                    self.end(tag, &mut out, &mut saved_output, &mut state, &mut custom_id);
                }
                Event::Text(text) => match saved_output.last_mut() {
                    Some((OpenElement::Code(code), _)) => code.push_str(&text),
                    _ => push_escaped(&mut out, &text),
                },
                Event::Code(code) => {
                    out.push_str("<code>");
                    push_escaped(&mut out, &code);
                    out.push_str("</code>");
                }
                Event::Html(html) | Event::InlineHtml(html) => match node_index(&html) {
                    Some(index) => {
                        self.node(index, &mut out, saved_output.last(), &mut custom_id);
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
                    if let Some((OpenElement::Item { is_task }, _)) = saved_output.last_mut() {
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

    fn node(
        &mut self,
        index: usize,
        out: &mut String,
        enclosing: Option<&(OpenElement, String)>,
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
                if let (Some((OpenElement::Heading(_), _)), Some(id)) =
                    (enclosing, source.strip_prefix('#'))
                {
                    *custom_id = Some(id.trim().to_owned());
                    return;
                }
                match self.rendered(source) {
                    Ok(rendered) => {
                        let used = ComponentUse {
                            at: *at,
                            name: "",
                            source: source.clone(),
                            slots: Vec::new(),
                        };
                        let drawn = self.draw_used(used, rendered);
                        out.push_str(&drawn);
                    }
                    Err(fault) => {
                        let shown: String = source.chars().take(40).collect();
                        let message = format!("`{{{shown}}}` has no value at build time: {fault}");
                        let hint = "it is shown as it is written; for a brace in text write `\\{`";
                        self.report(Code::UnsupportedExpression, *at, 1, message, hint);
                        push_escaped(out, &format!("{{{source}}}"));
                    }
                }
            }
            None => {}
        }
    }

    /// Counts a part of the page; returns whether it is rendered.
    pub(super) fn has_room(&mut self) -> bool {
        self.nodes += 1;
        self.nodes <= MAX_PAGE_NODES
    }

    /// Reports that the page has more parts than are rendered, to its author and at its end.
    fn is_cut_short(&mut self) -> String {
        let message =
            format!("a page has at most {MAX_PAGE_NODES} parts; the rest of this one is left out");
        let hint = "split it into several pages; a snippet counts each time it is drawn";
        let path = self.context.files[0].path;
        let problem = Problem {
            severity: ProblemSeverity::Warning,
            code: Code::PageNodeLimit.name().to_owned(),
            message: message.clone(),
            path: path.to_string(),
            hint: Some(hint.to_owned()),
            ..Problem::default()
        };
        let place = Place::File(path.clone());
        let diagnostic = Diagnostic::new(Code::PageNodeLimit, place, message);
        self.body.diagnostics.push(diagnostic.hint(hint));
        crate::problem::problem(&problem).into_string()
    }

    fn document(&self) -> &'a Document {
        &self.context.files[self.file].document
    }
}
