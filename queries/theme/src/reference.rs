//! The pages of an API reference: from the model of an operation, of a channel or of a data model to HTML.
//!
//! [`endpoint`], [`channel`], [`model`] and [`introduction`] render what was decided before; the
//! layout of the page is in [`whole`]. Descriptions are third-party Markdown ([`mdx::plain`]).

mod channel;
mod examples;
mod field;
mod header;
mod introduction;
mod light;
mod rows;
mod sections;

pub use channel::channel;
pub use introduction::introduction;
pub use light::{Light, light, shortened};

use highlight::ByGrammar;
use maud::{Markup, PreEscaped, html};

use crate::components::callout::{Callout, CalloutKind, callout};
use crate::components::code_block::{CodeBlock, code_block};
use crate::fence;
use crate::html::slot;
use crate::icon::icon;
use crate::label::line_of_others;
use crate::prose::{AsideKind, OutlineEntry};
use crate::words::{self, Word};
use mdx::heading::HeadingIds;
use mdx::plain::{self, BlockQuoteKind, Headings};
use openapi::direction::Direction;
use openapi::endpoint::{Endpoint, Kind, Link, Model};
use openapi::playground::Playground;
use openapi::shared::SharedRows;
use serde::{Deserialize, Serialize};

/// A rendered page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderedReference {
    /// The bar with method and address of a request that a reader can send; empty for what the API sends.
    pub bar: String,
    /// Description, below the name of a webhook.
    pub head: String,
    /// Code samples, next to the text where there is room; empty if there are none.
    pub side: String,
    /// Examples of responses or of a model, which stand below them.
    pub examples: String,
    /// Authentication of requests.
    pub security: String,
    /// Everything else that stands after the author's own words.
    pub main: String,
    /// The headings of `security` and `main`.
    pub outline: Vec<OutlineEntry>,
    /// The ids of the headings of the description, which are the first of `outline`.
    pub sections: Vec<String>,
    /// Every id.
    pub anchors: Vec<String>,
    /// The links of descriptions as written.
    pub links: Vec<String>,
    /// The rows whose contents are on a page of their own.
    pub shared: Vec<SharedLink>,
}

/// A row whose contents are on a page of their own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SharedLink {
    /// The id of the row, which the ids of its contents begin with.
    pub anchor: String,
    /// The pointer of the component that it is.
    pub pointer: String,
    /// Direction of its values.
    pub direction: Direction,
}

/// Rendering options of a reference page.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The path below which the site is served.
    pub base_path: &'a str,
    /// Highlights code in languages without a built-in lexer.
    pub by_grammar: ByGrammar<'a>,
    /// Whether rows are initially expanded.
    pub is_expanded: bool,
}

/// Renders the page of an operation or of a webhook.
pub fn endpoint(view: &Endpoint, context: Context<'_>) -> RenderedReference {
    let mut writer = Writer::new(context);
    let bar = header::header(&mut writer, view);
    let side = writer.samples(view);
    let examples = writer.response_examples(view);
    let security = writer.security(&view.security);
    let main = html! {
        @for group in &view.parameters { (writer.parameters(group)) }
        @if let Some(body) = &view.body { (writer.body(body)) }
        (writer.callbacks(&view.callbacks))
        (writer.responses(view))
        @if let Some(link) = &view.external_docs { (external(link)) }
    };
    let text = writer.opening(&view.description);
    let (bar, head) = match is_webhook(view) {
        true => (html! {}, html! { (bar) (text) }),
        false => (bar, text),
    };
    RenderedReference {
        bar: bar.0,
        security: security.0,
        ..writer.finish(&head, &side, &examples, &main)
    }
}

/// Renders the page of a data model.
pub fn model(view: &Model, context: Context<'_>) -> RenderedReference {
    let mut writer = Writer::new(context);
    let examples = html! {
        @if !view.examples.is_empty() {
            section.reference-panel aria-label=(Word::Example) {
                div.reference-panel-head { span.reference-panel-title { (Word::Example) } }
                (writer.examples(&view.examples))
            }
        }
    };
    let heading = writer.heading("properties", Word::Properties.english());
    let properties = sections::section(heading, writer.root(&view.root));
    let main = html! {
        (properties)
        @if let Some(link) = &view.external_docs { (external(link)) }
    };
    let head = writer.opening(&view.description);
    writer.finish(&head, &html! {}, &examples, &main)
}

/// Renders the page with what is in a component.
pub fn shared_rows(view: &SharedRows, context: Context<'_>) -> RenderedReference {
    let mut writer = Writer::new(context);
    let head = writer.text(&view.description, Headings::From(2));
    let main = writer.shared_rows(&view.root);
    writer.finish(&head, &html! {}, &html! {}, &main)
}

/// Parts of a request that a page shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Display {
    /// Method, address, authorization, and a form that sends it.
    #[default]
    Interactive,
    /// No form.
    Simple,
    /// Method, address, parameters, bodies and samples, without authorization.
    None,
}

/// The addresses of what renders the form of a request when a reader asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opener {
    /// Script.
    pub script: String,
    /// Stylesheet.
    pub styles: String,
    /// Words of the page's language; none in English.
    pub words: Option<String>,
    /// URL of the relay for requests; an export has none.
    pub relay: Option<String>,
    /// URL of the mock server, if there is one.
    pub mock: Option<String>,
}

/// Adds the button that opens the form next to the bar with method and address.
pub fn bar(bar: &str, opener: Option<&Opener>) -> Markup {
    html! {
        @if let Some(opener) = opener {
            div.endpoint-row {
                (slot(bar))
                button.try-button.tryit-button.button type="button" aria-haspopup="dialog"
                    data-playground=(opener.script) data-styles=(opener.styles) data-words=[&opener.words] data-relay=[&opener.relay] data-mock=[&opener.mock] {
                    (icon("play").unwrap_or_default()) (Word::TryIt)
                }
            }
        } @else { (slot(bar)) }
    }
}

/// Puts a page together: `head`, the elements next to the text (below it where there is no room),
/// the author's own words, `main`.
pub fn whole(head: &str, side: &str, own: &str, main: &str) -> Markup {
    html! {
        div.reference data-beside[!side.is_empty()] {
            div.reference-head { (slot(head)) }
            @if !side.is_empty() { aside.reference-side aria-label=(Word::Examples) { (slot(side)) } }
            div.reference-main { (slot(own)) (slot(main)) }
        }
    }
}

/// An author's words with the fields open that are folded in them.
pub fn opened(own: &str) -> String {
    own.replace(
        r#"<details class="expandable">"#,
        r#"<details class="expandable" open>"#,
    )
}

/// Puts the examples of an author in place of those that were made: of requests, of responses. What else stands beside the
/// author's words follows.
pub fn take_own(side: &mut String, examples: &mut String, own: &[(AsideKind, String)]) {
    let of = |kind: AsideKind| {
        let parts = own.iter().filter(move |(other, _)| *other == kind);
        parts.map(|(_, html)| html.as_str()).collect::<String>()
    };
    for (kind, place) in [
        (AsideKind::Request, &mut *side),
        (AsideKind::Response, &mut *examples),
    ] {
        let own = of(kind);
        if !own.is_empty() {
            *place = own;
        }
    }
    examples.push_str(&of(AsideKind::Panel));
}

/// An operation that a data model is used by, as its page lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// Method in upper case; `WEBHOOK` for one.
    pub method: String,
    /// The title of its page.
    pub title: String,
    /// Page.
    pub href: String,
}

/// Renders the operations that a data model is used by.
pub fn uses(uses: &[Use]) -> Markup {
    html! {
        section.reference-section.api-section {
            h2.api-section-heading-title id=(USED_BY) {
                (Word::UsedBy)
                a.anchor href={ "#" (USED_BY) } aria-label=(Word::LinkTo.around(&html! { (Word::UsedBy) })) {}
            }
            ul.uses {
                @for one in uses {
                    li { a href=(one.href) {
                        span.method data-method=(one.method.to_ascii_lowercase()) { (one.method) }
                        span.uses-title { (one.title) }
                    } }
                }
            }
        }
    }
}

/// The id of the list of operations that a data model is used by.
pub const USED_BY: &str = "used-by";

/// Id of the section on authentication.
pub const AUTHORIZATIONS: &str = "authorizations";

/// Data for an interactive playground, which no browser runs.
pub fn island(playground: &Playground) -> String {
    let json = serde_json::to_string(playground).unwrap_or_default();
    // Within a script the one thing that ends it is `</script`, and `<!--` has a meaning too.
    let json = json.replace('<', "\\u003c");
    html! { script type="application/json" id="quire-playground" { (PreEscaped(json)) } }
        .into_string()
}

fn external(link: &Link) -> Markup {
    html! {
        p.external-docs {
            @if plain::is_safe_link(&link.href) {
                a href=(link.href) { (line_of_others(&link.label)) (icon("arrow-up-right").unwrap_or_default()) }
            } @else { (line_of_others(&link.label)) }
        }
    }
}

/// Renders parts of a page, and notes what others ask of it.
struct Writer<'a> {
    context: Context<'a>,
    outline: Vec<OutlineEntry>,
    sections: Vec<String>,
    anchors: Vec<String>,
    links: Vec<String>,
    shared: Vec<SharedLink>,
    /// Whether headings are rendered into the outline: not those of callbacks, which are folded.
    is_outlined: bool,
}

impl<'a> Writer<'a> {
    fn new(context: Context<'a>) -> Self {
        Self {
            context,
            outline: Vec::new(),
            sections: Vec::new(),
            anchors: Vec::new(),
            links: Vec::new(),
            shared: Vec::new(),
            is_outlined: true,
        }
    }

    fn finish(
        mut self,
        head: &Markup,
        side: &Markup,
        examples: &Markup,
        main: &Markup,
    ) -> RenderedReference {
        self.anchors.sort();
        self.anchors.dedup();
        let mut seen = std::collections::BTreeSet::new();
        self.links.retain(|link| seen.insert(link.clone()));
        RenderedReference {
            head: head.0.clone(),
            side: side.0.clone(),
            examples: examples.0.clone(),
            main: main.0.clone(),
            outline: self.outline,
            sections: self.sections,
            anchors: self.anchors,
            links: self.links,
            shared: self.shared,
            ..RenderedReference::default()
        }
    }

    /// Renders a description; nothing of an empty one.
    fn text(&mut self, text: &str, headings: Headings) -> Markup {
        self.sectioned(text, headings, &mut |_, _| plain::HeadingName::default())
    }

    /// Renders the description that a page begins with: its headings are the first of the page.
    /// Called when all else is rendered, whose ids are taken.
    fn opening(&mut self, text: &str) -> Markup {
        let mut ids = HeadingIds::default();
        for anchor in &self.anchors {
            ids.note(anchor);
        }
        let mut outline = Vec::new();
        let rendered = self.sectioned(text, Headings::From(2), &mut |level, title| {
            let id = ids.next(title);
            outline.push(OutlineEntry {
                level,
                id: id.clone(),
                title: title.to_owned(),
            });
            let link = html! { a.anchor href={ "#" (id) } aria-label=(Word::LinkTo.of(title)) {} };
            plain::HeadingName {
                id,
                link: link.into_string(),
            }
        });
        let sections = outline.iter().map(|entry| entry.id.clone());
        self.sections.extend(sections);
        self.anchors.extend(self.sections.clone());
        self.outline.splice(0..0, outline);
        rendered
    }

    fn sectioned(&mut self, text: &str, headings: Headings, names: plain::Names<'_>) -> Markup {
        if text.trim().is_empty() {
            return html! {};
        }
        let (by_grammar, base_path) = (self.context.by_grammar, self.context.base_path);
        let mut blocks = DescriptionBlocks { by_grammar };
        let links = &mut self.links;
        let mut link = |href: &str| {
            links.push(href.to_owned());
            let is_local = href.starts_with('/') && !href.starts_with("//");
            match base_path.trim_end_matches('/') {
                base if is_local => format!("{base}{href}"),
                _ => href.to_owned(),
            }
        };
        let html = plain::sectioned(text, headings, &mut blocks, &mut link, names);
        html! { div.reference-text { (PreEscaped(html)) } }
    }

    /// Renders the heading of a section.
    fn heading(&mut self, id: &str, title: &str) -> Markup {
        let title = &*words::spoken(title);
        self.anchors.push(id.to_owned());
        if !self.is_outlined {
            return html! { p.reference-heading id=(id) { (title) } };
        }
        self.outline.push(OutlineEntry {
            level: 2,
            id: id.to_owned(),
            title: title.to_owned(),
        });
        html! {
            h2.api-section-heading-title id=(id) {
                (title)
                a.anchor href={ "#" (id) } aria-label=(Word::LinkTo.around(&html! { (title) })) {}
            }
        }
    }

    /// A block of code in `language`.
    fn code(&self, language: &str, source: &str) -> CodeBlock {
        fence::code_block(language, source, self.context.by_grammar)
    }
}

/// Returns true if a page is about a request that the API sends.
fn is_webhook(view: &Endpoint) -> bool {
    view.kind == Kind::Webhook
}

/// Blocks of descriptions as pages show them.
struct DescriptionBlocks<'a> {
    by_grammar: ByGrammar<'a>,
}

impl plain::Blocks for DescriptionBlocks<'_> {
    fn code(&mut self, info: &str, source: &str) -> String {
        code_block(&fence::code_block(info, source, self.by_grammar)).into_string()
    }

    fn alert(&mut self, kind: BlockQuoteKind, inner: &str) -> String {
        let view = Callout {
            kind: CalloutKind::of_alert(kind),
            ..Callout::default()
        };
        callout(&view, slot(inner)).into_string()
    }
}
