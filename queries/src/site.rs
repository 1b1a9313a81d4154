//! The façade: what the shell asks of a site as a whole.

mod causes;
pub mod editor;
pub mod report;
pub mod routes;

pub use crate::alternates::default_language;
pub use crate::binding::bound_operation;
use crate::binding::{model_about, operation_about};
pub use crate::blocks::{PageBlocks, PassageBlocks, RequestSample, answer_blocks, page_blocks};
pub use crate::body::{
    ISLANDS, PageIslands, islands_path, operation_reference, page_anchors, page_body,
    page_diagnostics, page_islands, page_links,
};
pub use crate::card::{CardLook, Picture, card_look, page_card};
pub use crate::catalog::{
    CatalogOperation, CatalogPage, CatalogSchema, catalog_operations, catalog_pages, catalog_specs,
    checked_reply, nearest_pages, operation_contradictions, operation_document, operation_of_page,
    readable_page, schema_names, schemas_named, spec_download, spec_text,
};
pub use crate::config::{
    api_config, derived_config, navigation_config, search_config, theme_config, upgraded_config,
};
pub use crate::db::{Database, Db, Observer, QueryEvent, Step};
pub use crate::feed::feed_path;
pub use crate::fragment::Fragment;
pub use crate::frame::{
    ARCHIVE, PageContent, PageHtml, PageOptions, RepositoryLinks, SIDEBARS, WHOLE, card_path,
    content_policy, has_card, is_asset_used, is_counted, linked_rows, not_found_html,
    own_file_query, own_style, page_content, page_html, page_source, rows_html, rows_within,
    sidebar_script, sidebar_scripts, surroundings, twin_path, whole_page_html,
};
pub use crate::imports::page_imports;
pub use crate::inputs::{
    FileBucket, SETTINGS, Site, SourceFile, Spec, file_named, is_config, is_foundation,
};
pub use crate::links::{
    external_links, leads_to_headings, link_diagnostics, place_of_link, redirect_diagnostics,
    spec_link_diagnostics,
};
pub use crate::markdown::{page_markdown, page_twin};
pub use crate::mock::{MOCK, MockRequest, mock_answer};
pub use crate::navigation::{PageId, generated_pages};
pub use crate::openapi::spec_diagnostics;
pub use crate::outputs::{
    LLMS, LLMS_FULL, MachineText, Moves, Output, RouteTable, bucket_assets, is_asset, moved,
    resolve, route_table,
};
pub use crate::page::{bucket_pages, is_page, page_list, page_route, route_of};
pub use crate::programs::{
    SiteOrigin, Skill, canonical_base, full_text_end, full_text_of, full_text_parts, index_entry,
    machine_text, read_for_programs, skills,
};
pub use crate::reference::{ComponentRows, ROWS, rows_at};
pub use crate::relay::relay_origins;
pub use crate::search::html::blocks::{Block, Line, markdown};
pub use crate::search::{
    Facets, FoundPage, FoundPages, PageKind, Passage, Product, SearchDocument, breadcrumbs,
    bucket_search, is_embedded, page_embeddings, page_facets, page_windows, passage_texts,
    search_digest, search_document, search_manifest, search_source, spec_search,
};
pub use crate::skill::skill_name;
pub use crate::store::{ArtifactStore, ContentLost, ContentStore, Kind, Outcome, PROGRAM};
use base::content::TextBytes;
pub use base::data::yaml::to_yaml as written_yaml;
pub use base::image::ImageSize;
pub use config::chrome::Search as SearchConfig;
pub use config::redirect::{Redirect, is_pattern, redirected, source_of};
pub use embedding::{DIMENSIONS, Embedder, Embedding, Texts, cosine};
pub use mdx::front_matter::Subject;
pub use mdx::link::{LinkTarget, resolve as resolve_link};
pub use openapi::code::{Language as CodeLanguage, language as code_language};
pub use openapi::mock::Answer as MockAnswer;
pub use openapi::mock::returned::Returned;
pub use openapi::origin::covers as origin_covers;
pub use theme::words::translated;

use std::collections::{BTreeMap, HashMap};

use crate::body::{Reference, model_reference, rows_diagnostics, rows_of};
use crate::config::{config_file, external_paths, file_rules, site_config, spec_rules};
use crate::frame::stray_asset_diagnostics;
use crate::navigation::{
    api_spec_diagnostics, has_navigation, is_listed, navigation_tree, overlay_diagnostics,
};
use crate::openapi::{Operation, SpecNode};
use crate::page::front_matter;
use crate::page::locating::Locating;
pub use crate::page::locating::{Edit, edited};
use base::diagnostic::{Code, Diagnostic, Severity};
use base::path::{Route, SitePath};
use base::place::{Located, Place};

/// Diagnostics of the pages of one bucket.
#[salsa::tracked]
pub fn bucket_diagnostics(db: &dyn Db, bucket: FileBucket) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for file in bucket_pages(db, bucket) {
        diagnostics.extend(page_file_diagnostics(db, *file));
    }
    diagnostics
}

/// Diagnostics of one page: of itself, its links, its place in the navigation.
fn page_file_diagnostics(db: &dyn Db, file: SourceFile) -> Vec<Diagnostic> {
    let mut diagnostics = page_diagnostics(db, file).clone();
    diagnostics.extend_from_slice(link_diagnostics(db, file));
    diagnostics.extend(orphan_diagnostic(db, file).clone());
    diagnostics
}

/// Diagnostic of a page that is not in the navigation. Wakes when that changes.
#[salsa::tracked]
pub fn orphan_diagnostic(db: &dyn Db, file: SourceFile) -> Option<Diagnostic> {
    // Every reader begins at the home page.
    let is_home = Route::of_page(file.path(db)) == Route::home();
    if is_home
        || is_listed(db, file)
        || !has_navigation(db, Site::get(db))
        || front_matter(db, file).value.hidden == Some(true)
    {
        return None;
    }
    let place = Place::File(file.path(db).clone());
    let message =
        "the page is not in the navigation; it is served, but readers only find it by its address";
    Some(
        Diagnostic::new(Code::OrphanPage, place, message)
            .hint("list it in docs.json, or set `hidden: true` in its frontmatter"),
    )
}

/// Diagnostics of the site as a whole: configuration, navigation, routes.
pub fn config_diagnostics(db: &dyn Db, site: Site) -> Vec<Diagnostic> {
    let mut diagnostics = site_config(db, site).diagnostics.clone();
    diagnostics.extend_from_slice(&file_rules(db, site).diagnostics);
    diagnostics.extend_from_slice(&external_paths(db, site).diagnostics);
    diagnostics.extend_from_slice(&navigation_tree(db, site).diagnostics);
    diagnostics.extend(api_spec_diagnostics(db, site));
    diagnostics.extend(overlay_diagnostics(db, site));
    diagnostics.extend_from_slice(&page_list(db, site).diagnostics);
    diagnostics.extend_from_slice(redirect_diagnostics(db, site));
    diagnostics.extend(stray_asset_diagnostics(db, site));
    diagnostics
}

/// Everything that is wrong with the site, by file and place.
pub fn site_diagnostics(db: &dyn Db, site: Site) -> Vec<Diagnostic> {
    site_diagnostics_with(db, site, &KnownParts::new())
}

/// Diagnostics of some parts of a site ([`part_diagnostics`]), collected while the parts were in
/// memory.
pub type KnownParts = HashMap<DiagnosticPart, Vec<Diagnostic>>;

/// Like [`site_diagnostics`], where `cached_parts` need not be asked for.
pub fn site_diagnostics_with(
    db: &dyn Db,
    site: Site,
    cached_parts: &KnownParts,
) -> Vec<Diagnostic> {
    let of_part = |part: DiagnosticPart| match cached_parts.get(&part) {
        Some(found) => found.clone(),
        None => part_diagnostics(db, site, part),
    };
    let mut diagnostics = config_diagnostics(db, site);
    for spec in site.specs(db) {
        diagnostics.extend(document_diagnostics(db, site, *spec));
    }
    for operation in documented_operations(db, site) {
        diagnostics.extend(of_part(DiagnosticPart::Operation(operation)));
    }
    for node in documented_models(db, site) {
        diagnostics.extend(of_part(DiagnosticPart::Model(node)));
    }
    for bucket in site.buckets(db) {
        let pages = || {
            let pages = bucket_pages(db, *bucket).iter();
            pages.map(|file| DiagnosticPart::Page(*file))
        };
        match pages().any(|page| cached_parts.contains_key(&page)) {
            true => diagnostics.extend(pages().flat_map(of_part)),
            false => diagnostics.extend_from_slice(bucket_diagnostics(db, *bucket)),
        }
    }
    diagnostics.sort_by(|a, b| (a.place.path(), a).cmp(&(b.place.path(), b)));
    diagnostics.dedup();
    causes::once_each(diagnostics)
}

/// Diagnostics of a document as a whole, with the severities of the site.
pub fn document_diagnostics(db: &dyn Db, site: Site, spec: Spec) -> Vec<Diagnostic> {
    let found = found_in_document(db, site, spec);
    found.map(|found| at_origin(db, spec, found)).collect()
}

/// Like [`document_diagnostics`], but at the places of the document whatever its overlays say there.
fn found_in_document(db: &dyn Db, site: Site, spec: Spec) -> impl Iterator<Item = Diagnostic> {
    let of_document = graded(db, site, spec_diagnostics(db, spec));
    of_document.chain(graded(db, site, spec_link_diagnostics(db, spec)))
}

/// Diagnostics of an operation on its pages.
fn operation_diagnostics(db: &dyn Db, site: Site, operation: Operation) -> Vec<Diagnostic> {
    let spec = operation.spec(db);
    reference_diagnostics(db, site, spec, operation_reference(db, operation))
}

/// Diagnostics of what pages show of `spec`, and of the rows that they link to.
fn reference_diagnostics(
    db: &dyn Db,
    site: Site,
    spec: Spec,
    reference: &Reference,
) -> Vec<Diagnostic> {
    let shared = rows_of(db, spec, reference).into_iter();
    let shared = shared.flat_map(|rows| rows_diagnostics(db, rows));
    let mut found: Vec<Diagnostic> = reference
        .diagnostics
        .iter()
        .chain(shared)
        .cloned()
        .collect();
    found.sort();
    found.dedup();
    let found = graded(db, site, &found);
    found.map(|found| at_origin(db, spec, found)).collect()
}

/// Diagnostics of a data model on its pages.
fn model_diagnostics(db: &dyn Db, site: Site, node: SpecNode) -> Vec<Diagnostic> {
    reference_diagnostics(db, site, node.spec(db), model_reference(db, node))
}

/// Moves a diagnostic to the overlay that says what stands at its place of `spec`, if one does.
fn at_origin(db: &dyn Db, spec: Spec, mut found: Diagnostic) -> Diagnostic {
    let Place::Pointer {
        path,
        pointer,
        part,
    } = &found.place
    else {
        return found;
    };
    let origins = match path == spec.path(db) {
        true => spec.origins(db).iter(),
        false => [].iter(),
    };
    let around = origins.filter(|(at, _)| found.place.is_within(at));
    let nearest = around.max_by_key(|(at, _)| at.len());
    if let Some((
        at,
        Place::Pointer {
            path,
            pointer: origin,
            ..
        },
    )) = nearest
    {
        found.place = Place::Pointer {
            path: path.clone(),
            pointer: format!("{origin}{}", &pointer[at.len()..]),
            part: *part,
        };
    }
    found
}

/// Diagnostics of specifications, as the rules of the site count them.
fn graded<'a>(
    db: &'a dyn Db,
    site: Site,
    found: &'a [Diagnostic],
) -> impl Iterator<Item = Diagnostic> + 'a {
    let rules = spec_rules(db, site);
    found.iter().filter_map(|found| rules.grade(found.clone()))
}

/// A part of [`site_diagnostics`] that can be asked for by itself: a fault in one costs no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DiagnosticPart {
    /// Configuration, navigation and routes.
    Site,
    /// A specification, and the links of its descriptions.
    Spec(Spec),
    /// The page of an operation.
    Operation(Operation),
    /// The page of a data model.
    Model(SpecNode),
    /// A page.
    Page(SourceFile),
}

/// The parts of [`site_diagnostics`].
pub fn diagnostic_parts(db: &dyn Db, site: Site) -> Vec<DiagnosticPart> {
    let specs = site.specs(db).iter();
    let mut parts = vec![DiagnosticPart::Site];
    parts.extend(specs.map(|spec| DiagnosticPart::Spec(*spec)));
    let operations = documented_operations(db, site).into_iter();
    parts.extend(operations.map(DiagnosticPart::Operation));
    let models = documented_models(db, site).into_iter();
    parts.extend(models.map(DiagnosticPart::Model));
    let buckets = site.buckets(db).iter();
    let pages = buckets.flat_map(|bucket| bucket_pages(db, *bucket));
    parts.extend(pages.map(|file| DiagnosticPart::Page(*file)));
    parts
}

/// Diagnostics of one part.
pub fn part_diagnostics(db: &dyn Db, site: Site, part: DiagnosticPart) -> Vec<Diagnostic> {
    match part {
        DiagnosticPart::Site => config_diagnostics(db, site),
        DiagnosticPart::Spec(spec) => document_diagnostics(db, site, spec),
        DiagnosticPart::Operation(operation) => operation_diagnostics(db, site, operation),
        DiagnosticPart::Model(node) => model_diagnostics(db, site, node),
        DiagnosticPart::Page(file) => page_file_diagnostics(db, file),
    }
}

/// The part of [`site_diagnostics`] that is about what a page shows of a specification, if it does.
pub fn reference_part(db: &dyn Db, page: PageId) -> Option<DiagnosticPart> {
    let operation = operation_about(db, page).map(DiagnosticPart::Operation);
    operation.or_else(|| model_about(db, page).map(DiagnosticPart::Model))
}

/// Place of a part, for diagnostics about all of it.
pub fn part_place(db: &dyn Db, part: DiagnosticPart) -> Place {
    let in_spec = |spec: Spec, pointer: &str| Place::value(spec.path(db), pointer.to_owned());
    match part {
        DiagnosticPart::Site => config_place(),
        DiagnosticPart::Spec(spec) => Place::File(spec.path(db).clone()),
        DiagnosticPart::Operation(operation) => in_spec(operation.spec(db), operation.key(db)),
        DiagnosticPart::Model(node) => in_spec(node.spec(db), node.pointer(db)),
        DiagnosticPart::Page(file) => Place::File(file.path(db).clone()),
    }
}

/// The configuration as a whole.
pub fn config_place() -> Place {
    Place::File(SitePath::new("docs.json").expect("a constant path"))
}

/// The operations that have a page, generated or written, each once.
pub fn documented_operations(db: &dyn Db, site: Site) -> Vec<Operation> {
    let generated = generated_pages(db, site).pages.values();
    let generated = generated.filter_map(|page| operation_about(db, PageId::Generated(*page)));
    let mut operations: Vec<Operation> = generated.collect();
    let files = page_list(db, site).value.values();
    operations.extend(files.filter_map(|file| bound_operation(db, *file)));
    let mut seen = std::collections::HashSet::new();
    operations.retain(|operation| seen.insert(*operation));
    operations
}

/// The data models that have a page, generated or written, each once.
fn documented_models(db: &dyn Db, site: Site) -> Vec<SpecNode> {
    let generated = generated_pages(db, site).pages.values();
    let generated = generated.map(|page| PageId::Generated(*page));
    let files = page_list(db, site).value.values();
    let pages = generated.chain(files.map(|file| PageId::File(*file)));
    let mut seen = std::collections::HashSet::new();
    let models = pages.filter_map(|page| model_about(db, page));
    models.filter(|node| seen.insert(*node)).collect()
}

/// Diagnostics for an author who looks at `page`. Those of the site as a whole are added, and so
/// are rules that other parts of its specification break.
pub fn diagnostics_for_page(db: &dyn Db, page: PageId) -> Vec<Diagnostic> {
    let site = Site::get(db);
    let mut diagnostics = Vec::new();
    let mut reported = Vec::new();
    if let PageId::File(file) = page {
        diagnostics.extend_from_slice(page_diagnostics(db, file));
        diagnostics.extend_from_slice(link_diagnostics(db, file));
    }
    if let Some(node) = model_about(db, page) {
        reported.push((node.spec(db), node.pointer(db).clone()));
        diagnostics.extend(model_diagnostics(db, site, node));
    }
    if let Some(operation) = operation_about(db, page) {
        reported.push((operation.spec(db), operation.key(db).clone()));
        diagnostics.extend(operation_diagnostics(db, site, operation));
    }
    for (spec, pointer) in reported {
        let of_page = found_in_document(db, site, spec)
            .filter(|found| found.severity() == Severity::Error || found.place.is_within(&pointer));
        diagnostics.extend(of_page.map(|found| at_origin(db, spec, found)));
    }
    diagnostics
}

/// Turns the place of a diagnostic into line and column, from the text as it is now.
pub fn located(db: &dyn Db, diagnostic: &Diagnostic) -> Located {
    let located = located_all(db, std::slice::from_ref(diagnostic)).pop();
    located.map_or_else(
        || Located::of_span(diagnostic.place.path(), "", 0, 0),
        |(located, _)| located,
    )
}

/// Turns the places of `diagnostics` into lines and columns, in their order, and their replacements into edits. Each file
/// is read once.
pub fn located_all(db: &dyn Db, diagnostics: &[Diagnostic]) -> Vec<(Located, Vec<Edit>)> {
    let mut by_path: BTreeMap<&SitePath, Vec<usize>> = BTreeMap::new();
    for (i, diagnostic) in diagnostics.iter().enumerate() {
        by_path.entry(diagnostic.place.path()).or_default().push(i);
    }
    let mut located: BTreeMap<usize, (Located, Vec<Edit>)> = BTreeMap::new();
    for (path, of_path) in by_path {
        let bytes = text_at(db, path);
        let mut locating = Locating::new(path, bytes.as_deref().unwrap_or_default());
        located.extend(of_path.into_iter().map(|i| {
            let found = &diagnostics[i];
            (i, (locating.of(&found.place), locating.edits(found)))
        }));
    }
    located.into_values().collect()
}

/// The text at `path`: of a page, a specification or the configuration.
pub fn text_at(db: &dyn Db, path: &SitePath) -> Option<TextBytes> {
    let specs = Site::get(db).specs(db);
    let digest = match specs.iter().find(|spec| spec.path(db) == path) {
        Some(spec) => spec.digest(db),
        None => file_named(db, path)
            .or_else(|| config_file(db).filter(|file| file.path(db) == path))?
            .digest(db),
    };
    Some(db.bytes(digest))
}

/// Sets how many results each query keeps that lets go of its results, instead of the number that stands beside it.
///
/// For tests, which evict everything at each step, and for processes with many sites and little memory.
pub fn set_cache_capacity(db: &mut dyn Db, capacity: usize) {
    crate::openapi::set_cache_capacity(db, capacity);
    crate::body::set_cache_capacity(db, capacity);
    crate::head::set_cache_capacity(db, capacity);
    crate::card::set_cache_capacity(db, capacity);
    crate::search::set_cache_capacity(db, capacity);
    crate::blocks::set_cache_capacity(db, capacity);
    crate::markdown::set_cache_capacity(db, capacity);
}
