//! The bodies of pages, rendered: what authors write, and what pages show of a specification. The
//! expensive leaves, found in the artifact store where they were rendered before.
//!
//! Renderers have no database: they read through a log (`trace.rs`), with the readers of this
//! folder and [`SpecDocument`].
//!
//! [`SpecDocument`]: crate::reference::SpecDocument

mod facts;
mod islands;
mod manual;
mod reads;
mod reference;
mod rows;
mod sources;

pub use facts::page_facts;
pub use islands::{ISLANDS, PageIslands, file_script, islands_path, page_islands, page_uses};
pub use manual::manual_reference;
pub use reads::formula_signs;
pub use reference::{
    Reference, documented_spec, model_anchors, model_reference, model_shared, operation_reference,
    reference_anchors, reference_of, reference_shared,
};
pub use rows::{
    RowsLink, component_rows, links_of_page, rows_anchors, rows_diagnostics, rows_of, whole_groups,
};

use std::collections::BTreeMap;

use crate::binding::binding_diagnostics;
use crate::body::reads::{BodyRead, BodyReader};
use crate::db::Db;
use crate::exports::exporter;
use crate::inputs::SourceFile;
use crate::page::{described, front_matter};
use crate::store::Kind;
use crate::trace::{ReadLog, Subject, cached, cached_name, store_of};
use base::content::ContentHash;
use base::diagnostic::{Code, Diagnostic, Tally};
use base::path::{SitePath, is_dotted};
use base::place::Place;
use config::chrome::contextual_of_page;
use mdx::front_matter::{self as source, body_start};
use mdx::js::eval::{LoadedModule, Program};
use mdx::{self, Document, Dollars, Node, js};
use theme::prose::{self, Body, BodyContext, SourceText, WrittenLink};

/// The body of a page: the expensive leaf. Wakes when the file changes, or one that it imports; nothing else does.
///
/// Read by the page itself, and by the projections below, which keep everyone else asleep. Evicted
/// when many others were asked for since: what was rendered is in the artifact store.
#[salsa::tracked(lru = 128)]
pub fn page_body(db: &dyn Db, file: SourceFile) -> Body {
    found_or_drawn(db, file)
}

fn found_or_drawn(db: &dyn Db, file: SourceFile) -> Body {
    let (path, digest) = (file.path(db), file.digest(db));
    cached(
        db,
        Kind::PageBody,
        Subject::of_text(&[path.as_str().as_bytes()], digest),
        (file, ()),
        |log: &ReadLog<'_, BodyRead>, ()| render_body(&BodyReader::new(log)),
    )
}

/// The name of [`page_body`], known without reading it; `None` if it was not rendered yet. Two
/// bodies with one name are equal, and so is all else that follows from the text of the file alone.
pub fn page_body_name(db: &dyn Db, file: SourceFile) -> Option<ContentHash> {
    let (path, digest) = (file.path(db), file.digest(db));
    let parts = [path.as_str().as_bytes()];
    let made_of = Subject::of_text(&parts, digest);
    cached_name::<BodyRead>(db, Kind::PageBody, made_of, file)
}

/// Like [`page_body_name`], of a body that is rendered if it was not yet; `None` where nothing is
/// stored.
///
/// The caller has made the same reads as rendering, whether the body was stored, is rendered now,
/// or is still in memory. So what wakes a query does not depend on earlier reads.
fn page_body_name_if_stored(db: &dyn Db, file: SourceFile) -> Option<ContentHash> {
    store_of(db, Kind::PageBody)?;
    page_body_name(db, file)
        .or_else(|| {
            page_body(db, file);
            page_body_name(db, file)
        })
        .or_else(|| {
            found_or_drawn(db, file);
            page_body_name(db, file)
        })
}

/// Renders the body of a page.
fn render_body(reader: &BodyReader<'_, '_>) -> Body {
    let loader = crate::body::sources::load(reader);
    let has_dollars = loader
        .sources
        .iter()
        .any(|source| source.text.contains('$'));
    let dollars = if has_dollars {
        reader.dollars()
    } else {
        Dollars::default()
    };
    let mut program = Program::with_components(theme::component_names());
    let (mut files, mut snippets, mut missing) = (Vec::new(), BTreeMap::new(), Vec::new());
    let mut tally = Tally::default();
    for source in &loader.sources {
        let path = source.path;
        let is_markdown = matches!(path.extension().as_str(), "mdx" | "md");
        let document = if is_markdown {
            mdx::parse_with(path, &source.text, dollars)
        } else {
            Document::default()
        };
        let mut module = match is_markdown {
            true => js::parse::module(&document.modules.join("\n\n")),
            false if matches!(path.extension().as_str(), "ts" | "tsx") => {
                let plain = island::without_types(&source.text);
                js::parse::module(plain.as_deref().unwrap_or(&source.text))
            }
            false => js::parse::module(&source.text),
        };
        // `import Tabs from "@theme/Tabs"`: what a package has is not here, and the theme has its own.
        module.imports.retain(|(name, _, from)| {
            mdx::imports::names_a_file(from) || !theme::is_component(name)
        });
        let number = |words: &str| loader.number(path, words);
        let targets: Vec<Option<usize>> = module
            .imports
            .iter()
            .map(|(_, _, from)| number(from))
            .collect();
        for ((_, _, from), target) in module.imports.iter().zip(&targets) {
            let is_missing = target.is_none() && is_markdown && mdx::imports::names_a_file(from);
            if is_missing && tally.count(Code::MissingImport) {
                missing.push(missing_import(path, &source.text, from));
            }
        }
        for node in &document.nodes {
            if let Node::Element(element) = node
                && let Some(name) = element.snippet_file()
                && let Some(number) = number(&format!("{}{name}", mdx::imports::SNIPPET))
            {
                snippets.insert(name.to_owned(), number);
            }
        }
        program.modules.push(LoadedModule {
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
    let (path, text) = (files[0].path, files[0].text);
    // The frontmatter of most pages says nothing of how the text begins.
    let body_at = body_start(text);
    let concerns_title =
        text[..body_at].contains("mode") || mdx::heading::first_title(&text[body_at..]).is_some();
    let titled = concerns_title.then(|| source::parse(path, text).value);
    let mut body = prose::body(BodyContext {
        images: &|path: &SitePath| reader.image_size(path),
        files: &files,
        program: &program,
        snippets: &snippets,
        base_path: reader.base_path(),
        icons: reader.icons(),
        by_grammar: &|language: &str, code: &str| reader.spans(language, code),
        has_title: true,
        shown_heading: titled.as_ref().and_then(|page| page.shown_heading()),
        is_below_title: titled.as_ref().is_none_or(|page| page.has_header()),
        by: prose::By::Author,
    });
    for link in description_links(files[0].path, files[0].text) {
        if !body.links.contains(&link) {
            body.links.push(link);
        }
    }
    tally.add_rest(&mut missing);
    body.diagnostics.extend(missing);
    if let Some(at) = loader.sources[0].invalid_at {
        let place = Place::in_text(files[0].path, files[0].text, at, 1);
        let message = "the file is not UTF-8; what cannot be read is shown as `\u{fffd}`";
        let diagnostic = Diagnostic::new(Code::InvalidUtf8, place, message);
        body.diagnostics
            .push(diagnostic.hint("save the file as UTF-8"));
    }
    body
}

/// The links in the description of a page, which is a line of Markdown: readers follow them as those of its text.
fn description_links(path: &SitePath, text: &str) -> Vec<WrittenLink> {
    let mut links = Vec::new();
    // Few have any.
    if !text[..body_start(text)].contains("](") {
        return links;
    }
    if let Some(description) = &source::parse(path, text).value.description {
        described(description, &mut |href| {
            links.push(WrittenLink {
                href: href.to_owned(),
                snippet: None,
                is_shown: false,
            });
            href.to_owned()
        });
    }
    links
}

fn missing_import(path: &SitePath, text: &str, words: &str) -> Diagnostic {
    let at = text.find(words).unwrap_or(0);
    let (message, hint) = match is_dotted(words) {
        true => (
            format!("`{words}` is hidden"),
            "names that begin with a dot belong to no site: give the file another name",
        ),
        false => (
            format!("`{words}` is not there"),
            "imports are relative to the file, or begin with `/` for the root of the site",
        ),
    };
    Diagnostic::new(
        Code::MissingImport,
        Place::in_text(path, text, at, words.len()),
        message,
    )
    .hint(hint)
}

/// The places of a page that links can lead to: what links from other pages depend on.
#[salsa::tracked]
pub fn page_anchors(db: &dyn Db, file: SourceFile) -> Vec<String> {
    page_facts(db, file).anchors.clone()
}

/// The links of a page as written: what the link check depends on.
#[salsa::tracked]
pub fn page_links(db: &dyn Db, file: SourceFile) -> Vec<WrittenLink> {
    page_facts(db, file).links.clone()
}

/// Diagnostics of a page itself: its frontmatter, the operation it names, its body.
#[salsa::tracked]
pub fn page_diagnostics(db: &dyn Db, file: SourceFile) -> Vec<Diagnostic> {
    let parsed = front_matter(db, file);
    let mut diagnostics = parsed.diagnostics.clone();
    if let Some(menu) = &parsed.value.contextual {
        diagnostics.extend(contextual_of_page(file.path(db), menu).diagnostics);
    }
    diagnostics.extend(binding_diagnostics(db, file));
    if front_matter(db, file).value.api.is_some() {
        diagnostics.extend_from_slice(&manual_reference(db, file).diagnostics);
    }
    let facts = page_facts(db, file);
    let found = facts.diagnostics.iter();
    diagnostics.extend(found.map(|found| with_import(db, found)));
    diagnostics.extend(islands::island_diagnostics(db, file, &facts.otherwise));
    diagnostics
}

/// A diagnostic of a component that is not known, with the import that is missing if a file of the site exports it.
fn with_import(db: &dyn Db, found: &Diagnostic) -> Diagnostic {
    let name = || found.message.strip_prefix("`<")?.split_once(['>', '.']);
    let name = name().filter(|_| found.code == Code::UnknownComponent);
    let exporter = name.and_then(|(name, _)| Some((name, exporter(db, found.place.path(), name)?)));
    let Some((name, path)) = exporter else {
        return found.clone();
    };
    let hint = format!("{path} exports it: add `import {{ {name} }} from '/{path}'`");
    found.clone().hint(hint)
}

/// Sets how many results each query of this module keeps that lets go of its results.
pub fn set_cache_capacity(db: &mut dyn Db, capacity: usize) {
    page_body::set_lru_capacity(db, capacity);
    facts::set_cache_capacity(db, capacity);
    reference::set_cache_capacity(db, capacity);
    rows::set_cache_capacity(db, capacity);
}
