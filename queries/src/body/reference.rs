//! References on pages: operations, webhooks, channels and data models.

use serde::{Deserialize, Serialize};

use crate::binding::{bound_schema, model_about, model_of, operation_about};
use crate::body::manual::manual_reference;
use crate::body::reads::grammar_spans;
use crate::body::rows::{RowsLink, rows_links};
use crate::db::Db;
use crate::inputs::Spec;
use crate::navigation::PageId;
use crate::openapi::{Operation, SpecNode};
use crate::page::front_matter;
use crate::reference::{SpecDocument, SpecRead, page_level};
use crate::store::Kind;
use crate::trace::{ReadLog, Subject, cached};
use base::content::ContentHash;
use base::diagnostic::{Code, Diagnostic, Severity};
use base::path::SitePath;
use base::place::Place;
use openapi::channel::{channel, name_of};
use openapi::introduction::{INTRODUCTION, introduction};
use openapi::model::model;
use openapi::operation::endpoint;
use openapi::playground::Playground;
use openapi::search::{SearchText, channel_text, introduction_text, model_text, search_text};
use theme::prose::{self, OutlineEntry};
use theme::reference::{self, SharedLink};

/// Reference of a page to a specification: an operation, a webhook, a channel or a data model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The bar with method and address of a request that a reader can send.
    pub bar: String,
    /// Part above the author's own text: description.
    pub head: String,
    /// Part beside it: code samples; empty if there are none.
    pub side: String,
    /// Part below those: examples.
    pub examples: String,
    /// `x-docs.content`, which stands before the page's own text.
    pub content: String,
    /// `x-docs.content` for programs, where the author tells them something else.
    pub content_for_programs: Option<String>,
    /// Authentication of requests, rendered after them.
    pub security: String,
    /// Main part: parameters, body, responses.
    pub main: String,
    /// Data of the interactive playground; empty where nothing can be sent.
    pub island: String,
    /// Whether the document says where it can be sent.
    pub has_server: bool,
    /// Headings, for the table of contents.
    pub outline: Vec<OutlineEntry>,
    /// The places that links can lead to.
    pub anchors: Vec<String>,
    /// The links of its descriptions.
    pub links: Vec<String>,
    /// Rules of the utility classes that its content uses.
    pub styles: String,
    /// First sentences as plain text.
    pub summary: String,
    /// The rows whose contents are on a page of their own.
    pub shared: Vec<SharedLink>,
    /// Searchable text, without `content` and the parts in `shared`.
    pub search: SearchText,
    /// Diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

impl Reference {
    /// Schemas that contradict themselves: where each stands and how, a line of Markdown for each.
    pub fn contradictions(&self) -> Vec<String> {
        let found = self.diagnostics.iter();
        let found = found.filter(|found| found.code == Code::AllofConflict);
        let lines = found.filter_map(|found| match &found.place {
            Place::Pointer { pointer, .. } => Some(format!("`#{pointer}`: {}", found.message)),
            _ => None,
        });
        lines.collect()
    }
}

/// Identity of a specification in the keys of stored values of its pages.
pub(super) fn source_key(db: &dyn Db, spec: Spec) -> Vec<u8> {
    let (path, name) = (spec.path(db), spec.name(db));
    match path == name {
        true => path.as_str().as_bytes().to_vec(),
        false => format!("{path}\0{name}").into_bytes(),
    }
}

/// What pages show of an operation: the expensive leaf of an API reference. Wakes when the operation changes, or a schema,
/// parameter or other component that it reaches. Evicted when many others were asked for since: those of a large
/// specification are hundreds of kilobytes each.
#[salsa::tracked(lru = 128)]
pub fn operation_reference(db: &dyn Db, operation: Operation) -> Reference {
    let (spec, key) = (operation.spec(db), operation.key(db));
    cached(
        db,
        Kind::OperationReference,
        Subject::of(&[&source_key(db, spec), key.as_bytes()]),
        (spec, key.as_str()),
        drawn_operation,
    )
}

/// Renders what pages show of the channel at `key`.
fn drawn_channel(log: &ReadLog<'_, SpecRead>, key: &str) -> Reference {
    let document = SpecDocument::new(log);
    let (settings, base_path) = (document.settings(), document.base_path());
    let Some(modelled) = channel(&document, key, settings) else {
        return Reference::default();
    };
    let view = modelled.value;
    let context = reference::Context {
        base_path,
        by_grammar: &|language, code| grammar_spans(log, language, code),
        is_expanded: settings.is_expanded,
    };
    let mut drawn = reference::channel(&view, context);
    let search = sectioned(channel_text(&view), &mut drawn);
    let mut reference = of_drawn(drawn, view.meta_description.clone());
    reference.search = search;
    reference.diagnostics = page_level(document.path(), modelled.diagnostics);
    if let Some(content) = &view.content {
        add_content(&mut reference, &document, key, content);
    }
    reference
}

/// Renders the page that opens the reference of a document.
fn drawn_introduction(log: &ReadLog<'_, SpecRead>) -> Reference {
    let document = SpecDocument::new(log);
    let (settings, base_path) = (document.settings(), document.base_path());
    let modelled = introduction(&document, document.overview());
    let view = modelled.value;
    let context = reference::Context {
        base_path,
        by_grammar: &|language, code| grammar_spans(log, language, code),
        is_expanded: settings.is_expanded,
    };
    let mut drawn = reference::introduction(&view, context);
    Reference {
        search: sectioned(introduction_text(&view), &mut drawn),
        diagnostics: page_level(document.path(), modelled.diagnostics),
        ..of_drawn(drawn, view.meta_description)
    }
}

/// Renders what pages show of the operation or the channel at `key`, or of the document as a whole.
fn drawn_operation(log: &ReadLog<'_, SpecRead>, key: &str) -> Reference {
    if key == INTRODUCTION {
        return drawn_introduction(log);
    }
    if name_of(key).is_some() {
        return drawn_channel(log, key);
    }
    let document = SpecDocument::new(log);
    let (settings, base_path) = (document.settings(), document.base_path());
    let Some(modelled) = endpoint(&document, key, settings) else {
        return Reference::default();
    };
    let view = modelled.value;
    let context = reference::Context {
        base_path,
        by_grammar: &|language, code| grammar_spans(log, language, code),
        is_expanded: settings.is_expanded,
    };
    let mut drawn = reference::endpoint(&view, context);
    let search = sectioned(search_text(&view), &mut drawn);
    let mut reference = of_drawn(drawn, view.meta_description.clone());
    reference.search = search;
    let playground = view.playground.as_ref();
    reference.has_server = playground.is_some_and(|playground| !playground.servers.is_empty());
    reference.island = island(view.playground, base_path, Some(document.path()));
    reference.diagnostics = page_level(document.path(), modelled.diagnostics);
    if let Some(content) = &view.content {
        add_content(&mut reference, &document, key, content);
    }
    reference
}

/// Adds what the author of a specification writes for the page of what stands at `key` (`x-docs.content`).
fn add_content(
    reference: &mut Reference,
    document: &SpecDocument<'_, '_>,
    key: &str,
    content: &str,
) {
    let body = prose::text_body(
        document.path(),
        content,
        document.base_path(),
        crate::config::library(document.icons()),
        prose::By::Specification,
    );
    reference::take_own(&mut reference.side, &mut reference.examples, &body.asides);
    reference.content = body.html;
    reference.content_for_programs = body.for_programs;
    reference.styles = body.styles;
    reference.outline.splice(0..0, body.outline);
    reference.anchors.extend(body.anchors);
    reference.anchors.sort();
    reference.anchors.dedup();
    let links = body.links.into_iter().map(|link| link.href);
    reference.links.extend(links);
    let place = Place::value(document.path(), format!("{key}/x-docs/content"));
    let found = body.diagnostics.into_iter();
    reference
        .diagnostics
        .extend(found.map(|diagnostic| Diagnostic {
            place: place.clone(),
            replacement: None,
            ..diagnostic
        }));
}

/// Reference of a page to a data model. Wakes when the schema changes, or another that it reaches.
#[salsa::tracked(lru = 128)]
pub fn model_reference(db: &dyn Db, node: SpecNode) -> Reference {
    let (spec, pointer) = (node.spec(db), node.pointer(db));
    cached(
        db,
        Kind::ModelReference,
        Subject::of(&[&source_key(db, spec), pointer.as_bytes()]),
        (spec, pointer.as_str()),
        drawn_model,
    )
}

/// Renders what pages show of the data model at `pointer`.
fn drawn_model(log: &ReadLog<'_, SpecRead>, pointer: &str) -> Reference {
    let document = SpecDocument::new(log);
    let (settings, base_path) = (document.settings(), document.base_path());
    let Some(modelled) = model(&document, pointer, settings) else {
        return Reference::default();
    };
    let context = reference::Context {
        base_path,
        by_grammar: &|language, code| grammar_spans(log, language, code),
        is_expanded: settings.is_expanded,
    };
    let mut drawn = reference::model(&modelled.value, context);
    Reference {
        search: sectioned(model_text(&modelled.value), &mut drawn),
        diagnostics: page_level(document.path(), modelled.diagnostics),
        ..of_drawn(drawn, modelled.value.meta_description)
    }
}

/// Reference of a page, if it has one. Asks only for the page's binding.
pub fn reference_of(db: &dyn Db, page: PageId) -> Option<&Reference> {
    if let Some(operation) = operation_about(db, page) {
        return Some(operation_reference(db, operation));
    }
    let file = match page {
        PageId::File(file) => file,
        PageId::Generated(page) => return Some(model_reference(db, model_of(db, page)?)),
    };
    if let Some(node) = bound_schema(db, file) {
        return Some(model_reference(db, node.ok()?));
    }
    // A page whose address cannot be told is the author's words under the message that says so.
    front_matter(db, file).value.api.as_ref()?;
    let manual = manual_reference(db, file);
    // What is wrong with a field costs only that field.
    let is_error = |found: &Diagnostic| found.severity() == Severity::Error;
    (!manual.diagnostics.iter().any(is_error)).then_some(manual)
}

/// The specification that a page shows something of: an operation, or a data model.
pub fn documented_spec(db: &dyn Db, page: PageId) -> Option<Spec> {
    let operation = operation_about(db, page);
    let model = || Some(model_about(db, page)?.spec(db));
    operation.map(|operation| operation.spec(db)).or_else(model)
}

/// `text` with the ids that the headings of its description have in `rendered`.
pub(super) fn sectioned(
    text: SearchText,
    rendered: &mut reference::RenderedReference,
) -> SearchText {
    SearchText {
        sections: std::mem::take(&mut rendered.sections),
        ..text
    }
}

pub(super) fn of_drawn(
    rendered: reference::RenderedReference,
    summary: Option<String>,
) -> Reference {
    Reference {
        bar: rendered.bar,
        head: rendered.head,
        side: rendered.side,
        examples: rendered.examples,
        security: rendered.security,
        main: rendered.main,
        outline: rendered.outline,
        anchors: rendered.anchors,
        links: rendered.links,
        shared: rendered.shared,
        summary: summary.unwrap_or_default(),
        ..Reference::default()
    }
}

/// Returns the embedded data of the playground of a page; empty for pages without a request.
/// Without a server, requests can only go to the mock.
pub(super) fn island(
    playground: Option<Playground>,
    base_path: &str,
    spec: Option<&SitePath>,
) -> String {
    let Some(mut playground) = playground else {
        return String::new();
    };
    // A digest: readers may not be meant to know where the document lies. With the base path, because sites below
    // different ones share what a browser remembers.
    let name = spec.map_or("", SitePath::as_str);
    let digest = ContentHash::of_parts([base_path.as_bytes(), name.as_bytes()]);
    playground.spec = digest.short();
    reference::island(&playground)
}

/// The places of a reference that links can lead to: what links from other pages depend on.
#[salsa::tracked]
pub fn reference_anchors(db: &dyn Db, operation: Operation) -> Vec<String> {
    operation_reference(db, operation).anchors.clone()
}

/// The rows of an operation whose contents are on a page of their own: where else links to it can lead.
#[salsa::tracked]
pub fn reference_shared(db: &dyn Db, operation: Operation) -> Vec<RowsLink> {
    rows_links(db, operation.spec(db), operation_reference(db, operation))
}

/// The rows of a data model whose contents are on a page of their own.
#[salsa::tracked]
pub fn model_shared(db: &dyn Db, node: SpecNode) -> Vec<RowsLink> {
    rows_links(db, node.spec(db), model_reference(db, node))
}

/// The places of a data model that links can lead to: what links from other pages depend on.
#[salsa::tracked]
pub fn model_anchors(db: &dyn Db, node: SpecNode) -> Vec<String> {
    model_reference(db, node).anchors.clone()
}

/// Sets how many results each query of this module keeps that lets go of its results.
pub(super) fn set_cache_capacity(db: &mut dyn Db, capacity: usize) {
    operation_reference::set_lru_capacity(db, capacity);
    model_reference::set_lru_capacity(db, capacity);
}
