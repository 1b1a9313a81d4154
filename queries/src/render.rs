//! The look of a site: templates from view structs to HTML, the theme the browser gets, and the bodies of pages.
//!
//! Files in this folder only draw: a view struct goes in, markup comes out, and nothing there sees the database or
//! decides what is true. Strings from users are escaped by the templates; slots that take [`maud::PreEscaped`] hold
//! HTML that was rendered before. The queries are here.

pub mod article;
pub mod banner;
pub mod code_scheme;
pub mod colour;
pub mod components;
pub mod console;
pub mod document;
mod element;
pub mod eyebrow;
pub mod fence;
pub mod footer;
pub mod formula;
pub mod header;
pub mod highlight;
pub mod html;
pub mod icon;
pub mod icon_library;
mod image;
mod instance;
pub mod language;
pub mod layout;
pub mod measurements;
pub mod not_found;
pub mod pager;
pub mod pill;
pub mod problem;
pub mod prose;
pub mod reference;
pub mod search;
pub mod sidebar;
pub mod site_style;
pub mod switcher;
pub mod theme;
pub mod toc;
pub mod utility;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::config::api::{AuthConfig, AuthMethod};
use crate::config::{api_config, icon_set, theme_config};
use crate::content::ContentHash;
use crate::db::Db;
use crate::diagnostic::{Code, Diagnostic};
use crate::imports::{self, page_imports};
use crate::inputs::{Site, SourceFile};
use crate::mdx::js::eval::{Loaded, Program};
use crate::mdx::{self, Document, Dollars, Node, js};
use crate::navigation::PageId;
use crate::openapi::document::Plain;
use crate::openapi::endpoint::Row;
use crate::openapi::model::model;
use crate::openapi::operation::endpoint;
use crate::openapi::search::{SearchText, model_text, search_text};
use crate::openapi::{Operation, SpecNode};
use crate::page::manual::{self, ManualFault};
use crate::page::{
    ImageKey, binding_diagnostics, bound_operation, bound_schema, front_matter, image_size,
    page_title,
};
use crate::path::SitePath;
use crate::place::Place;
use crate::reference::{SpecDocument, SpecQuestion, problem_diagnostics, reference_settings};
use crate::sources::{self, Asking};
use crate::store::Kind;
use crate::trace::{Asked, digest_of, kept, kept_fact};

use highlight::Spans;
use prose::{Body, BodyContext, OutlineEntry, SourceText, WrittenLink};

/// What a body is asked about while it is drawn, besides its own text.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum BodyQuestion {
    /// Which files does it import, and what do they hold?
    Imports,
    /// What are the variables of the site?
    Variables,
    /// What do dollar signs mean?
    Dollars,
    /// Below which path is the site served?
    BasePath,
    /// Where are the names of icons looked up?
    Icons,
    /// How large is the picture at this path?
    Image(SitePath),
}

impl BodyQuestion {
    /// Asks it for the page `file`.
    fn ask(&self, db: &dyn Db, file: SourceFile) -> ContentHash {
        let site = Site::get(db);
        match self {
            Self::Imports => sources::imports_digest(db, page_imports(db, file)),
            Self::Variables => sources::variables_digest(db),
            Self::Dollars => digest_of(&formula_signs(db, site)),
            Self::BasePath => digest_of(site.base_path(db)),
            Self::Icons => digest_of(&icon_set(db, site).word()),
            Self::Image(path) => digest_of(&image_size(db, ImageKey::new(db, path.clone()))),
        }
    }
}

/// The body of a page: the expensive leaf. Wakes when the file changes, or one that it imports; nothing else does.
///
/// Read by the page itself, and by the projections below, which keep everyone else asleep. Evicted when many others were
/// asked for since: what was drawn is kept elsewhere (`store.rs`).
#[salsa::tracked(lru = 512)]
pub fn page_body(db: &dyn Db, file: SourceFile) -> Body {
    let (path, digest) = (file.path(db), file.digest(db));
    kept(
        db,
        Kind::PageBody,
        &[path.as_str().as_bytes(), digest.as_bytes()],
        |question: &BodyQuestion| question.ask(db, file),
        |asked| drawn_body(db, file, asked),
    )
}

/// Draws the body of a page.
fn drawn_body(db: &dyn Db, file: SourceFile, asked: &Asked<BodyQuestion>) -> Body {
    let site = Site::get(db);
    let note = |question: BodyQuestion| {
        asked.note(|| question, |question| question.ask(db, file));
    };
    let asking = |what| {
        note(match what {
            Asking::Imports => BodyQuestion::Imports,
            Asking::Variables => BodyQuestion::Variables,
        });
    };
    let loader = sources::load(db, file, &asking);
    let has_dollars = loader
        .sources
        .iter()
        .any(|source| source.text.contains('$'));
    let dollars = if has_dollars {
        note(BodyQuestion::Dollars);
        formula_signs(db, site)
    } else {
        Dollars::default()
    };
    let mut program = Program::default();
    let (mut files, mut snippets, mut missing) = (Vec::new(), BTreeMap::new(), Vec::new());
    for (source, file) in loader.sources.iter().zip(&loader.files) {
        let path = file.path(db);
        let is_markdown = matches!(path.extension().as_str(), "mdx" | "md");
        let document = if is_markdown {
            mdx::parse_with(path, &source.text, dollars)
        } else {
            Document::default()
        };
        let module = if is_markdown {
            js::parse::module(&document.modules.join("\n\n"))
        } else {
            js::parse::module(&source.text)
        };
        let number = |words: &str| loader.number(path, words);
        let targets: Vec<Option<usize>> = module
            .imports
            .iter()
            .map(|(_, _, from)| number(from))
            .collect();
        for ((_, _, from), target) in module.imports.iter().zip(&targets) {
            if target.is_none() && is_markdown && imports::names_a_file(from) {
                missing.push(missing_import(path, &source.text, from));
            }
        }
        for node in &document.nodes {
            if let Node::Element(element) = node
                && let Some(name) = element.snippet_file()
                && let Some(number) = number(&format!("{}{name}", imports::SNIPPET))
            {
                snippets.insert(name.to_owned(), number);
            }
        }
        program.modules.push(Loaded {
            module,
            targets,
            is_markdown,
        });
        files.push(SourceText {
            path,
            text: &source.text,
            document,
        });
    }
    let by_grammar = |language: &str, code: &str| kept_spans(db, language, code);
    let images = |path: &SitePath| {
        note(BodyQuestion::Image(path.clone()));
        image_size(db, ImageKey::new(db, path.clone()))
    };
    note(BodyQuestion::BasePath);
    note(BodyQuestion::Icons);
    let context = BodyContext {
        images: &images,
        files: &files,
        program: &program,
        snippets: &snippets,
        base_path: site.base_path(db),
        icons: icon_set(db, site).into(),
        by_grammar: &by_grammar,
    };
    let mut body = prose::body(context);
    body.diagnostics.extend(missing);
    if let Some(at) = loader.sources[0].invalid_at {
        let place = Place::in_text(file.path(db), files[0].text, at, 1);
        let message = "the file is not UTF-8; what cannot be read is shown as `\u{fffd}`";
        let diagnostic = Diagnostic::new(Code::InvalidUtf8, place, message);
        body.diagnostics
            .push(diagnostic.hint("save the file as UTF-8"));
    }
    body
}

mod tracked {
    #![allow(missing_docs, reason = "salsa writes methods without documentation")]

    /// A block of code that a grammar colours, of one page.
    ///
    /// It is known by what it says, so a page that is drawn anew finds the blocks again that did not change; those that it
    /// no longer has go with their colours. (An interned block would be shared between pages, but those of durable pages
    /// are never let go, and one in a hundred blocks is of this kind.)
    #[salsa::tracked(debug)]
    pub struct GrammarBlock<'db> {
        /// Its language, as the author calls it.
        pub language: String,
        /// Its text, without marks.
        pub code: String,
    }
}

pub use tracked::GrammarBlock;

/// The colours of a block that a grammar colours.
///
/// Read by the body of its page. Wakes when its own text changes: a grammar reads 0.4 MB/s
/// (`benches/highlight.rs`), so a block of a kilobyte takes milliseconds, which nobody should wait for who edits the
/// words around it. Blocks with a lexer are not kept: at 100 to 600 MB/s one of 300 bytes takes one to three
/// microseconds, and to remember it some more memory than that is worth.
#[salsa::tracked]
pub fn grammar_spans<'db>(db: &'db dyn Db, block: GrammarBlock<'db>) -> Spans {
    let (language, code) = (block.language(db), block.code(db));
    let parts = [language.as_bytes(), code.as_bytes()];
    kept_fact(db, Kind::GrammarSpans, &parts, || {
        highlight::by_grammar(language, code)
    })
}

/// The same, for whoever has the text but not the block. To be called from within a query, which then owns the block.
fn kept_spans(db: &dyn Db, language: &str, code: &str) -> Spans {
    if !highlight::has_grammar(language) {
        return Spans::new();
    }
    let block = GrammarBlock::new(db, language.to_owned(), code.to_owned());
    grammar_spans(db, block).clone()
}

fn missing_import(path: &SitePath, text: &str, words: &str) -> Diagnostic {
    let at = text.find(words).unwrap_or(0);
    let message = format!("`{words}` is not there");
    Diagnostic::new(
        Code::MissingImport,
        Place::in_text(path, text, at, words.len()),
        message,
    )
    .hint("imports are relative to the file, or begin with `/` for the root of the site")
}

/// What dollar signs mean in pages (`styling.latex`): formulas where the site says so, dollars where it says not, and
/// else what they can hardly mean otherwise.
///
/// Read by the bodies of pages with a dollar sign. Apart from the rest of the configuration, so that an edit there wakes
/// none of them.
#[salsa::tracked(returns(copy))]
pub fn formula_signs(db: &dyn Db, site: Site) -> Dollars {
    match theme_config(db, site).styling.latex {
        Some(true) => Dollars::Formulas,
        Some(false) => Dollars::Text,
        None => Dollars::Pairs,
    }
}

/// What a page shows of a specification: of an operation, a webhook or a data model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// What stands before the author's own words: method and path, description.
    pub head: String,
    /// What stands beside them: code samples; empty if there are none.
    pub side: String,
    /// What stands below those: examples.
    pub examples: String,
    /// `x-docs.content`, which stands before the page's own text.
    pub content: String,
    /// What stands after them: authorization, parameters, body, responses.
    pub main: String,
    /// What an interactive playground reads; empty where nothing can be sent.
    pub island: String,
    /// Its headings.
    pub outline: Vec<OutlineEntry>,
    /// The places that links can lead to.
    pub anchors: Vec<String>,
    /// The links of its descriptions.
    pub links: Vec<String>,
    /// Rules of the utility classes that its content uses.
    pub styles: String,
    /// Its first sentences as plain text.
    pub summary: String,
    /// What can be found of it, but for `content`.
    pub search: SearchText,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
}

/// What pages show of an operation: the expensive leaf of an API reference. Wakes when the operation changes, or a schema,
/// parameter or other component that it reaches. Evicted when many others were asked for since: those of a large
/// specification are hundreds of kilobytes each.
#[salsa::tracked(lru = 128)]
pub fn operation_reference(db: &dyn Db, operation: Operation) -> Reference {
    let (spec, key) = (operation.spec(db), operation.key(db));
    kept(
        db,
        Kind::OperationReference,
        &[spec.path(db).as_str().as_bytes(), key.as_bytes()],
        |question: &SpecQuestion| question.ask(db, spec),
        |asked| drawn_operation(db, operation, asked),
    )
}

/// Draws what pages show of an operation.
fn drawn_operation(db: &dyn Db, operation: Operation, asked: &Asked<SpecQuestion>) -> Reference {
    let site = Site::get(db);
    let spec = operation.spec(db);
    let document = SpecDocument::new(db, spec, asked);
    document.note(|| SpecQuestion::Settings);
    document.note(|| SpecQuestion::BasePath);
    let settings = reference_settings(db, site);
    let Some(modelled) = endpoint(&document, operation.key(db), settings) else {
        return Reference::default();
    };
    let view = modelled.value;
    let drawn = reference::endpoint(
        &view,
        reference_context(db, &|language, code| kept_spans(db, language, code)),
    );
    let mut reference = of_drawn(drawn, view.meta_description.clone());
    reference.search = search_text(&view);
    reference.island = (view.playground.iter())
        .filter(|playground| !playground.servers.is_empty())
        .map(reference::island)
        .collect();
    reference.diagnostics = problem_diagnostics(spec.path(db), modelled.problems);
    if let Some(content) = &view.content {
        document.note(|| SpecQuestion::Icons);
        let icons = icon_set(db, site).into();
        let body = prose::text_body(spec.path(db), content, site.base_path(db), icons);
        reference::take_own(&mut reference.side, &mut reference.examples, &body.beside);
        reference.content = body.html;
        reference.styles = body.styles;
        reference.outline.splice(0..0, body.outline);
        reference.anchors.extend(body.anchors);
        reference.anchors.sort();
        reference.anchors.dedup();
        let links = body.links.into_iter().map(|link| link.href);
        reference.links.extend(links);
        let place = format!("{}/x-docs/content", operation.key(db));
        let place = Place::value(spec.path(db), place);
        reference
            .diagnostics
            .extend(body.diagnostics.into_iter().map(|diagnostic| Diagnostic {
                place: place.clone(),
                ..diagnostic
            }));
    }
    reference
}

/// What a page shows of the endpoint that its author describes in MDX (`api:`, SPEC 2.6): method and address, authorization,
/// parameters of the path without a field of their own, code. The author's fields are its body.
///
/// Wakes when the file changes; asked only of pages with `api:`.
#[salsa::tracked]
pub fn manual_reference(db: &dyn Db, file: SourceFile) -> Reference {
    let path = file.path(db);
    let matter = &front_matter(db, file).value;
    if matter.api.is_none() {
        return Reference::default();
    }
    let digest = file.digest(db);
    kept(
        db,
        Kind::ManualReference,
        &[path.as_str().as_bytes(), digest.as_bytes()],
        |question: &ManualQuestion| question.ask(db, file),
        |asked| drawn_manual(db, file, asked),
    )
}

/// What an endpoint that is described in MDX is asked about, besides its own text.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum ManualQuestion {
    /// What does the configuration say of APIs?
    Config,
    /// What is the page called?
    Title,
    /// How are pages modelled?
    Settings,
    /// Below which path is the site served?
    BasePath,
}

impl ManualQuestion {
    /// Asks it for the page `file`.
    fn ask(&self, db: &dyn Db, file: SourceFile) -> ContentHash {
        let site = Site::get(db);
        match self {
            Self::Config => digest_of(&manual_config(db)),
            Self::Title => digest_of(page_title(db, file)),
            Self::Settings => digest_of(reference_settings(db, site)),
            Self::BasePath => digest_of(site.base_path(db)),
        }
    }
}

/// What the configuration says of endpoints that are described in MDX, as far as they need to know it.
fn manual_config(db: &dyn Db) -> (&[String], Option<String>) {
    let config = api_config(db, Site::get(db));
    let auth = (config.auth.as_ref()).map(|auth| format!("{:?} {:?}", auth.method, auth.name));
    (&config.servers, auth)
}

/// Draws what a page shows of the endpoint that its author describes in MDX.
fn drawn_manual(db: &dyn Db, file: SourceFile, asked: &Asked<ManualQuestion>) -> Reference {
    let note = |question: ManualQuestion| {
        asked.note(|| question, |question| question.ask(db, file));
    };
    let path = file.path(db);
    let matter = &front_matter(db, file).value;
    let Some(api) = &matter.api else {
        return Reference::default();
    };
    note(ManualQuestion::Config);
    note(ManualQuestion::Title);
    let bytes = db.bytes(file.digest(db));
    let fields = manual::fields(&mdx::parse_with(
        path,
        &String::from_utf8_lossy(&bytes),
        Dollars::default(),
    ));
    let config = api_config(db, Site::get(db));
    let own = matter.auth_method.as_deref().and_then(AuthMethod::named);
    let auth = match own {
        Some(method) => Some(AuthConfig {
            method: Some(method),
            name: config.auth.as_ref().and_then(|auth| auth.name.clone()),
        }),
        None => config.auth.clone(),
    };
    let title = page_title(db, file);
    let made = match manual::document(api, title, &config.servers, auth.as_ref(), &fields) {
        Ok(made) => made,
        Err(fault) => {
            let (code, message, hint) = match fault {
                ManualFault::Unreadable => (
                    Code::InvalidFrontMatterField,
                    format!("`{api}` is not a method and an address"),
                    "write `METHOD https://…` or `METHOD /path`",
                ),
                ManualFault::ServerMissing => (
                    Code::ServerMissing,
                    format!("`{api}` has no server to be relative to"),
                    "set `api.mdx.server` in docs.json, or write the whole address",
                ),
            };
            let place = Place::value(path, "/api");
            return Reference {
                diagnostics: vec![Diagnostic::new(code, place, message).hint(hint)],
                ..Reference::default()
            };
        }
    };
    note(ManualQuestion::Settings);
    note(ManualQuestion::BasePath);
    let document = Plain::new(made.value);
    let settings = reference_settings(db, Site::get(db));
    let Some(modelled) = endpoint(&&document, &made.pointer, settings) else {
        return Reference::default();
    };
    let mut view = modelled.value;
    for group in &mut view.parameters {
        let is_left = |row: &Row| made.undescribed.iter().any(|name| name == row.name.text());
        group.rows.retain(is_left);
    }
    view.parameters.retain(|group| !group.rows.is_empty());
    view.body = None;
    let drawn = reference::endpoint(
        &view,
        reference_context(db, &|language, code| kept_spans(db, language, code)),
    );
    let mut reference = of_drawn(drawn, None);
    reference.search = search_text(&view);
    reference.island = (view.playground.iter()).map(reference::island).collect();
    reference
}

/// What a page shows of a data model. Wakes when the schema changes, or another that it reaches.
#[salsa::tracked(lru = 128)]
pub fn model_reference(db: &dyn Db, node: SpecNode) -> Reference {
    let (spec, pointer) = (node.spec(db), node.pointer(db));
    kept(
        db,
        Kind::ModelReference,
        &[spec.path(db).as_str().as_bytes(), pointer.as_bytes()],
        |question: &SpecQuestion| question.ask(db, spec),
        |asked| drawn_model(db, node, asked),
    )
}

/// Draws what pages show of a data model.
fn drawn_model(db: &dyn Db, node: SpecNode, asked: &Asked<SpecQuestion>) -> Reference {
    let document = SpecDocument::new(db, node.spec(db), asked);
    document.note(|| SpecQuestion::Settings);
    document.note(|| SpecQuestion::BasePath);
    let settings = reference_settings(db, Site::get(db));
    let Some(modelled) = model(&document, node.pointer(db), settings) else {
        return Reference::default();
    };
    let drawn = reference::model(
        &modelled.value,
        reference_context(db, &|language, code| kept_spans(db, language, code)),
    );
    Reference {
        search: model_text(&modelled.value),
        diagnostics: problem_diagnostics(node.spec(db).path(db), modelled.problems),
        ..of_drawn(drawn, modelled.value.meta_description)
    }
}

/// What a page shows of a specification, if it does. Asks only what the page is bound to.
pub fn reference_of(db: &dyn Db, page: PageId) -> Option<&Reference> {
    let operation = match page {
        PageId::File(file) => bound_operation(db, file),
        PageId::Generated(page) => Some(page.operation(db)),
    };
    if let Some(operation) = operation {
        return Some(operation_reference(db, operation));
    }
    let file = page.file()?;
    if let Some(node) = bound_schema(db, file) {
        return Some(model_reference(db, node.ok()?));
    }
    // A page whose address cannot be told is the author's words under the message that says so.
    front_matter(db, file).value.api.as_ref()?;
    let manual = manual_reference(db, file);
    manual.diagnostics.is_empty().then_some(manual)
}

fn reference_context<'a>(
    db: &'a dyn Db,
    by_grammar: highlight::ByGrammar<'a>,
) -> reference::Context<'a> {
    reference::Context {
        base_path: Site::get(db).base_path(db),
        by_grammar,
        is_expanded: reference_settings(db, Site::get(db)).is_expanded,
    }
}

fn of_drawn(drawn: reference::Drawn, summary: Option<String>) -> Reference {
    Reference {
        head: drawn.head,
        side: drawn.side,
        examples: drawn.examples,
        main: drawn.main,
        outline: drawn.outline,
        anchors: drawn.anchors,
        links: drawn.links,
        summary: summary.unwrap_or_default(),
        ..Reference::default()
    }
}

/// The places of a page that links can lead to: what links from other pages depend on.
#[salsa::tracked]
pub fn page_anchors(db: &dyn Db, file: SourceFile) -> Vec<String> {
    page_body(db, file).anchors.clone()
}

/// The places of a reference that links can lead to: what links from other pages depend on.
#[salsa::tracked]
pub fn reference_anchors(db: &dyn Db, operation: Operation) -> Vec<String> {
    operation_reference(db, operation).anchors.clone()
}

/// The places of a data model that links can lead to: what links from other pages depend on.
#[salsa::tracked]
pub fn model_anchors(db: &dyn Db, node: SpecNode) -> Vec<String> {
    model_reference(db, node).anchors.clone()
}

/// The links of a page as written: what the link check depends on.
#[salsa::tracked]
pub fn page_links(db: &dyn Db, file: SourceFile) -> Vec<WrittenLink> {
    page_body(db, file).links.clone()
}

/// What is wrong with a page itself: its frontmatter, the operation it names, its body.
#[salsa::tracked]
pub fn page_diagnostics(db: &dyn Db, file: SourceFile) -> Vec<Diagnostic> {
    let mut diagnostics = front_matter(db, file).diagnostics.clone();
    diagnostics.extend(binding_diagnostics(db, file));
    if front_matter(db, file).value.api.is_some() {
        diagnostics.extend_from_slice(&manual_reference(db, file).diagnostics);
    }
    diagnostics.extend_from_slice(&page_body(db, file).diagnostics);
    diagnostics
}
