//! Pages: which files are pages, at which routes, and what each says about itself.

pub mod locating;
pub mod manual;
pub mod skill;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::binding::{bound_operation, bound_schema, model_of};
use crate::config::is_ordered_by_names;
use crate::db::Db;
use crate::inputs::{FileBucket, Site, SourceFile, file_named};
use crate::navigation::{PageId, generated_pages, generated_place, replaced_page};
use crate::openapi::{
    GeneratedPage, Operation, SpecNode, is_model, operation_meta, operation_place, schema_meta,
    value_at,
};
use crate::page::locating::Locating;
use crate::store::Kind;
use crate::trace::{Subject, cached_fact};
use base::data::pointer;
use base::diagnostic::{Code, Diagnostic, Parsed};
use base::image::ImageSize;
use base::path::{Route, SitePath, title_of_name, unnumbered};
use base::place::{Located, Place};
use mdx::front_matter::{self as source, FrontMatter};
use mdx::plain::{self, Links};
use openapi::channel;
use openapi::index::{CHANNEL, INFO, MODEL, OperationEntry, OperationMeta, WEBHOOK};
use openapi::introduction::{self, INTRODUCTION};
use openapi::title::{operation_description, summary_title};
use theme::html::text_of;

/// Returns true if the file at `path` is a page: MDX or Markdown, outside of every folder of
/// snippets.
pub fn is_page(path: &SitePath) -> bool {
    matches!(path.extension().as_str(), "mdx" | "md")
        && skill::skill_in(path).is_none()
        && !path
            .folder()
            .split('/')
            .any(|folder| matches!(folder, "snippets" | "_snippets"))
}

/// Frontmatter of a page, and its diagnostics.
///
/// Read by the page's own projections only. It runs on every edit of its file, and is almost always equal to before,
/// which is what keeps navigation and sidebars asleep while someone types.
#[salsa::tracked]
pub fn front_matter(db: &dyn Db, file: SourceFile) -> Parsed<FrontMatter> {
    let (path, digest) = (file.path(db), file.digest(db));
    let parts = [path.as_str().as_bytes()];
    let made_of = Subject::of_text(&parts, digest);
    cached_fact(db, Kind::FrontMatter, made_of, || {
        source::parse(path, &String::from_utf8_lossy(&db.bytes(digest)))
    })
}

/// Label of a page in a sidebar, a switcher or a link to the next page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageLabel {
    /// Title, or the shorter one for the sidebar.
    pub label: String,
    /// The name of its icon.
    pub icon: Option<String>,
    /// The style of its icon.
    pub icon_type: Option<String>,
    /// A label beside it.
    pub tag: Option<String>,
    /// Whether it is marked as deprecated.
    pub deprecated: bool,
    /// Whether it is hidden.
    pub hidden: Option<bool>,
    /// An address to lead to instead.
    pub url: Option<String>,
    /// The HTTP method of the endpoint it documents, in upper case.
    pub method: Option<String>,
}

/// The label of a page.
///
/// Read by the sidebar of each section that lists the page. Separate from the body, so that a sidebar sleeps while
/// someone types.
#[salsa::tracked]
pub fn page_label(db: &dyn Db, file: SourceFile) -> PageLabel {
    let front_matter = &front_matter(db, file).value;
    let title = || page_title(db, file).clone();
    PageLabel {
        label: front_matter.sidebar_title.clone().unwrap_or_else(title),
        icon: front_matter.icon.clone(),
        icon_type: front_matter.icon_type.clone(),
        tag: front_matter.tag.clone(),
        deprecated: match front_matter.deprecated {
            Some(deprecated) => deprecated,
            None => is_deprecated(db, file),
        },
        hidden: front_matter.hidden,
        url: front_matter.url.clone(),
        method: match front_matter.hide_api_marker {
            Some(true) => None,
            _ if front_matter.asyncapi.is_some() => bound_operation(db, file)
                .map(|operation| marker_of(meta_of(db, operation), &entry_name(db, operation).0)),
            _ => method(front_matter),
        },
    }
}

/// Returns true if the subject of a page is deprecated.
fn is_deprecated(db: &dyn Db, file: SourceFile) -> bool {
    match (bound_operation(db, file), bound_schema(db, file)) {
        (Some(operation), _) => meta_of(db, operation).deprecated,
        (None, Some(Ok(node))) => schema_meta(db, node).deprecated,
        (None, _) => false,
    }
}

/// The label of a generated page. Read by the pages beside it, which lead to it.
#[salsa::tracked]
pub fn generated_label(db: &dyn Db, page: GeneratedPage) -> PageLabel {
    let operation = page.operation(db);
    operation_label(meta_of(db, operation), entry_name(db, operation))
}

/// The label of the page of an operation, as its section lists it.
pub fn listed_label(entry: &OperationEntry) -> PageLabel {
    operation_label(&entry.meta, (entry.marker(), entry.path.clone()))
}

fn operation_label(meta: &OperationMeta, name: (String, String)) -> PageLabel {
    let label = &meta.label;
    let method = marker_of(meta, &name.0);
    PageLabel {
        label: match &label.sidebar_title {
            Some(title) => title.clone(),
            None => title_by(meta, name),
        },
        icon: label.icon.clone(),
        icon_type: None,
        tag: label.tag.clone(),
        deprecated: label.deprecated.unwrap_or(meta.deprecated),
        hidden: label.hidden,
        url: label.url.clone(),
        method: (label.hide_api_marker != Some(true)).then_some(method),
    }
}

/// The word beside the title of an operation's page: its method; the protocol of a channel, if the document says it.
pub fn marker_of(meta: &OperationMeta, method: &str) -> String {
    match &meta.protocol {
        Some(protocol) => channel::marker(protocol),
        None => method.to_owned(),
    }
}

/// The label of any page.
pub fn label_of(db: &dyn Db, page: PageId) -> &PageLabel {
    match page {
        PageId::File(file) => page_label(db, file),
        PageId::Generated(page) => generated_label(db, page),
    }
}

/// Metadata of an operation for lists; empty once it is gone.
pub fn meta_of(db: &dyn Db, operation: Operation) -> &OperationMeta {
    // Neither is in the index.
    let is_apart = is_introduction(db, operation) || is_model(operation.key(db));
    let place = match is_apart {
        true => None,
        false => operation_place(db, operation).clone(),
    };
    let place = place.unwrap_or_else(|| operation.key(db).clone());
    operation_meta(db, SpecNode::new(db, operation.spec(db), place))
}

/// The method in upper case (`WEBHOOK` and `CHANNEL` of those) and the path or name of an operation.
pub fn entry_name(db: &dyn Db, operation: Operation) -> (String, String) {
    let mut segments = pointer::segments(operation.key(db));
    let kind = segments.next().unwrap_or_default();
    let path = segments.next().unwrap_or_default();
    let method = match kind.as_str() {
        "webhooks" => WEBHOOK.to_owned(),
        "channels" => CHANNEL.to_owned(),
        "info" => INFO.to_owned(),
        "components" => {
            let name = segments.next().unwrap_or_default();
            return (MODEL.to_owned(), name);
        }
        _ => segments.next().unwrap_or_default().to_ascii_uppercase(),
    };
    (method, path)
}

/// Returns true if `marker` stands for a subject known by name, not by method and path.
pub fn is_named(marker: &str) -> bool {
    matches!(marker, WEBHOOK | CHANNEL | INFO | MODEL)
}

/// Returns true if generated pages are about a document as a whole, not an operation of it.
pub fn is_introduction(db: &dyn Db, operation: Operation) -> bool {
    operation.key(db) == INTRODUCTION
}

/// The title of the page of an operation (SPEC 2.7): its summary, or the beginning of a long one; without one, method and
/// path.
pub fn operation_title(db: &dyn Db, operation: Operation) -> String {
    title_by(meta_of(db, operation), entry_name(db, operation))
}

/// The title of the page of an operation, of what lists say about it, method and path.
pub fn title_by(meta: &OperationMeta, (method, name): (String, String)) -> String {
    let summary = || meta.summary.as_deref().map(summary_title);
    let title = meta.label.title.clone().or_else(summary);
    title.unwrap_or_else(|| match is_named(&method) {
        true => name,
        false => format!("{method} {name}"),
    })
}

/// Frontmatter of a generated page: `x-docs.metadata`, completed by the operation.
#[salsa::tracked]
pub fn generated_front_matter(db: &dyn Db, page: GeneratedPage) -> FrontMatter {
    let mut front_matter = operation_front_matter(db, page.operation(db));
    if front_matter.version.is_none() {
        front_matter.version = generated_place(db, page)
            .as_ref()
            .and_then(|place| place.version.clone());
    }
    front_matter
}

/// Frontmatter that an operation gives its page (SPEC 2.7).
fn operation_front_matter(db: &dyn Db, operation: Operation) -> FrontMatter {
    let spec = operation.spec(db);
    if is_introduction(db, operation) {
        return FrontMatter {
            title: Some(operation_title(db, operation)),
            description: introduction::described(value_at(db, spec, INTRODUCTION)),
            ..FrontMatter::default()
        };
    }
    if is_model(operation.key(db)) {
        return FrontMatter {
            title: Some(operation_title(db, operation)),
            deprecated: meta_of(db, operation).deprecated.then_some(true),
            ..FrontMatter::default()
        };
    }
    let place = operation_place(db, operation).clone();
    let Some(value) = place.and_then(|place| value_at(db, spec, &place)) else {
        return FrontMatter::default();
    };
    let metadata = openapi::index::extension(value).and_then(|docs| docs.get("metadata"));
    let mut front_matter = metadata.map_or_else(FrontMatter::default, source::of_value);
    (front_matter.openapi, front_matter.asyncapi) = (None, None);
    // Readers' groups are said in three places, and all count.
    let item = operation
        .key(db)
        .rsplit_once('/')
        .map_or("", |(item, _)| item);
    let mut groups: Vec<serde_json::Value> = Vec::new();
    let given = [
        front_matter.other.remove("groups"),
        docs_groups(
            value_at(db, spec, &format!("{item}/x-docs"))
                .or_else(|| value_at(db, spec, &format!("{item}/x-mint"))),
        ),
        docs_groups(value.get("x-docs").or_else(|| value.get("x-mint"))),
    ];
    for group in given
        .into_iter()
        .flatten()
        .filter_map(|groups| match groups {
            serde_json::Value::Array(groups) => Some(groups),
            _ => None,
        })
        .flatten()
    {
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    if !groups.is_empty() {
        front_matter
            .other
            .insert("groups".to_owned(), groups.into());
    }
    if front_matter.title.is_none() {
        front_matter.title = Some(operation_title(db, operation));
    }
    if front_matter.description.is_none() {
        let description =
            value
                .as_object()
                .map(|members| match channel::name_of(operation.key(db)) {
                    Some(_) => channel::description(members),
                    None => operation_description(members),
                });
        let description = description.filter(|text| !text.is_empty());
        front_matter.description = description.map(str::to_owned);
    }
    if front_matter.deprecated.is_none() {
        front_matter.deprecated = value.get("deprecated").and_then(|flag| flag.as_bool());
    }
    front_matter
}

fn docs_groups(docs: Option<&serde_json::Value>) -> Option<serde_json::Value> {
    docs?.get("groups").cloned()
}

/// A description as its words, and as HTML if there is Markdown in it, with links to what `link` gives for each address.
pub fn described(text: &str, link: Links<'_>) -> (String, Option<String>) {
    let html = plain::line(text, link);
    let words = html.as_deref().map(text_of);
    (words.unwrap_or_else(|| text.to_owned()), html)
}

/// Frontmatter of any page; fields that it lacks come from its operation.
pub fn front_matter_of(db: &dyn Db, page: PageId) -> std::borrow::Cow<'_, FrontMatter> {
    use std::borrow::Cow;
    let file = match page {
        PageId::Generated(page) => return Cow::Borrowed(generated_front_matter(db, page)),
        PageId::File(file) => file,
    };
    let own = &front_matter(db, file).value;
    let Some(operation) = bound_operation(db, file).or_else(|| replaced_operation(db, file, own))
    else {
        if own.deprecated.is_some() || !is_deprecated(db, file) {
            return Cow::Borrowed(own);
        }
        let mut front_matter = own.clone();
        front_matter.deprecated = Some(true);
        return Cow::Owned(front_matter);
    };
    let given = operation_front_matter(db, operation);
    let mut front_matter = own.clone();
    front_matter.title = front_matter.title.or(given.title);
    front_matter.sidebar_title = front_matter.sidebar_title.or(given.sidebar_title);
    front_matter.description = front_matter.description.or(given.description);
    front_matter.deprecated = front_matter.deprecated.or(given.deprecated);
    front_matter.playground = front_matter.playground.or(given.playground);
    front_matter.version = front_matter.version.or(given.version);
    Cow::Owned(front_matter)
}

/// The operation of the page that the author replaced by this file, for what the file does not say itself.
fn replaced_operation(db: &dyn Db, file: SourceFile, own: &FrontMatter) -> Option<Operation> {
    if own.title.is_some() && own.description.is_some() {
        return None;
    }
    replaced_page(db, file).map(|page| page.operation(db))
}

/// The address of any page; that of a generated page that the navigation no longer lists is the home page.
pub fn route_of(db: &dyn Db, page: PageId) -> Route {
    match page {
        PageId::File(file) => page_route(db, file).clone(),
        PageId::Generated(page) => match generated_place(db, page) {
            Some(place) => place.route.clone(),
            None => Route::home(),
        },
    }
}

/// The pages of one bucket that say what they are about, with the operation and the data model that it is.
///
/// Read by the list of all such pages, which looks at the buckets and not at each page after an edit of the navigation.
#[salsa::tracked]
fn bucket_subjects(
    db: &dyn Db,
    bucket: FileBucket,
) -> Vec<(SourceFile, Option<Operation>, Option<SpecNode>)> {
    let pages = bucket_pages(db, bucket).iter().copied();
    let pages = pages.filter(|file| file.subject(db).is_some());
    let pages = pages.map(|file| {
        let node = bound_schema(db, file).and_then(Result::ok);
        (file, bound_operation(db, file), node)
    });
    pages.collect()
}

/// The page of each operation and of each data model: written by the author first, else generated.
///
/// Read by the links between pages of a reference. Frontmatter wakes it only where it says what a page is about.
#[salsa::tracked]
pub fn subject_pages(db: &dyn Db, site: Site) -> Arc<SubjectPages> {
    let mut pages = SubjectPages::default();
    for bucket in site.buckets(db) {
        for (file, operation, node) in bucket_subjects(db, *bucket) {
            if let Some(operation) = operation {
                let page = PageId::File(*file);
                pages.operations.entry(*operation).or_insert(page);
            }
            if let Some(node) = node {
                pages.models.entry(*node).or_insert(PageId::File(*file));
            }
        }
    }
    for page in generated_pages(db, site).pages.values() {
        let operation = page.operation(db);
        if is_introduction(db, operation) {
            continue;
        }
        let is_model = is_model(operation.key(db));
        if let Some(node) = is_model.then(|| model_of(db, *page)).flatten() {
            let page = PageId::Generated(*page);
            pages.models.entry(node).or_insert(page);
            continue;
        }
        let page = PageId::Generated(*page);
        pages.operations.entry(operation).or_insert(page);
    }
    Arc::new(pages)
}

/// The pages about operations and data models.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubjectPages {
    /// The page of each operation.
    pub operations: HashMap<Operation, PageId>,
    /// The page of each data model.
    pub models: HashMap<SpecNode, PageId>,
}

/// The address of the page of a data model, as it is written into HTML. Stands between the set of such pages and each page
/// that could link to one.
#[salsa::tracked]
pub fn model_href(db: &dyn Db, node: SpecNode) -> Option<String> {
    let site = Site::get(db);
    let page = *subject_pages(db, site).models.get(&node)?;
    Some(format!(
        "{}{}",
        site.base_path(db),
        route_of(db, page).href()
    ))
}

/// The address of the page of an operation, as it is written into HTML.
#[salsa::tracked]
pub fn operation_href(db: &dyn Db, operation: Operation) -> Option<String> {
    let site = Site::get(db);
    let page = *subject_pages(db, site).operations.get(&operation)?;
    Some(format!(
        "{}{}",
        site.base_path(db),
        route_of(db, page).href()
    ))
}

/// The title of a page: `title`, that of its subject, its first level-1 heading, or one made from
/// its name.
#[salsa::tracked]
pub fn page_title(db: &dyn Db, file: SourceFile) -> String {
    let front_matter = &front_matter(db, file).value;
    match front_matter.own_title() {
        Some(title) => title.to_owned(),
        None => match bound_operation(db, file)
            .or_else(|| Some(replaced_page(db, file)?.operation(db)))
        {
            Some(operation) => operation_title(db, operation),
            None => match bound_schema(db, file) {
                Some(Ok(node)) => schema_title(db, node),
                _ => match front_matter.heading_as_title() {
                    Some(heading) => heading.to_owned(),
                    None => title_of_file(db, file),
                },
            },
        },
    }
}

/// Returns the title that the name of a file gives its page.
fn title_of_file(db: &dyn Db, file: SourceFile) -> String {
    let route = page_route(db, file);
    let name = route.last_segment();
    match is_ordered_by_names(db, Site::get(db)) {
        true => title_of_name(unnumbered(name)),
        false => title_of_name(name),
    }
}

/// The title of the page of a data model: its own, else its name.
fn schema_title(db: &dyn Db, node: SpecNode) -> String {
    let name = || pointer::segments(node.pointer(db)).last();
    let title = schema_meta(db, node).title.clone();
    title.or_else(name).unwrap_or_default()
}

/// The title of any page.
pub fn title_of(db: &dyn Db, page: PageId) -> String {
    match page {
        PageId::File(file) => page_title(db, file).clone(),
        PageId::Generated(page) => operation_title(db, page.operation(db)),
    }
}

/// The method of the endpoint in `openapi:` or `api:`; the spec may stand before it.
fn method(front_matter: &FrontMatter) -> Option<String> {
    let bound = front_matter
        .openapi
        .as_deref()
        .or(front_matter.api.as_deref())?;
    bound
        .split_whitespace()
        .map(str::to_ascii_uppercase)
        .find(|word| {
            matches!(
                word.as_str(),
                "GET"
                    | "POST"
                    | "PUT"
                    | "PATCH"
                    | "DELETE"
                    | "HEAD"
                    | "OPTIONS"
                    | "TRACE"
                    | "WEBHOOK"
            )
        })
}

/// The route of a page. `a/index.mdx` stands for `/a`, unless `a.mdx` does.
///
/// Wakes when a file appears or vanishes, and then only for pages called `index`.
#[salsa::tracked]
pub fn page_route(db: &dyn Db, file: SourceFile) -> Route {
    let path = file.path(db);
    let route = Route::of_page(path);
    let folder = path.folder();
    if folder.is_empty() || route.as_str().trim_start_matches('/') == path.stem() {
        return route;
    }
    let has_sibling = ["mdx", "md"].iter().any(|extension| {
        SitePath::new(&format!("{folder}.{extension}"))
            .is_some_and(|sibling| file_named(db, &sibling).is_some())
    });
    if has_sibling {
        Route::new(path.stem()).unwrap_or(route)
    } else {
        route
    }
}

/// The pages of one bucket, in order of their paths. Wakes when a file of the bucket appears or vanishes.
#[salsa::tracked]
pub fn bucket_pages(db: &dyn Db, bucket: FileBucket) -> Vec<SourceFile> {
    let files = bucket.files(db).iter();
    let wanted = files.filter(|(path, _)| is_page(path));
    wanted.map(|(_, file)| *file).collect()
}

/// Every page of the site by its route.
///
/// Read by queries that check whether a route is a page. Wakes when a page appears or vanishes,
/// never when one changes.
#[salsa::tracked]
pub fn page_list(db: &dyn Db, site: Site) -> Parsed<BTreeMap<Route, SourceFile>> {
    let mut pages: Vec<SourceFile> = site
        .buckets(db)
        .iter()
        .flat_map(|bucket| bucket_pages(db, *bucket))
        .copied()
        .collect();
    // `.mdx` before `.md`, so that it wins a collision.
    pages.sort_by_cached_key(|file| {
        let path = file.path(db);
        (path.stem(), path.extension() == "md")
    });
    let mut by_route = BTreeMap::new();
    let mut diagnostics = Vec::new();
    for file in pages {
        let route = page_route(db, file);
        match by_route.get(route) {
            None => {
                by_route.insert(route.clone(), file);
            }
            Some(other) => {
                let other: &SourceFile = other;
                let message = format!("`{route}` is already the route of {}", other.path(db));
                diagnostics.push(
                    Diagnostic::new(
                        Code::RouteCollision,
                        Place::File(file.path(db).clone()),
                        message,
                    )
                    .hint("rename one of the two files"),
                );
            }
        }
    }
    Parsed {
        value: by_route,
        diagnostics,
    }
}

pub use keys::ImageKey;

mod keys {
    #![allow(missing_docs, reason = "salsa writes methods without documentation")]

    use super::SitePath;

    /// A picture that a page shows, by its path.
    ///
    /// None is ever forgotten: there are few, and what rests on one is worth more than its path.
    #[salsa::interned(debug, revisions = usize::MAX)]
    pub struct ImageKey<'db> {
        /// Path, existing or not.
        #[returns(ref)]
        pub path: SitePath,
    }
}

/// Intrinsic dimensions of the picture; `None` if it does not exist or has none.
///
/// Read by the bodies that show it. Stands between them and the files: a body must not wake because a file appears
/// elsewhere, nor because the picture has other pixels.
#[salsa::tracked(returns(copy))]
pub fn image_size<'db>(db: &'db dyn Db, image: ImageKey<'db>) -> Option<ImageSize> {
    file_named(db, image.path(db))?.image_size(db)
}

/// Turns the place of a diagnostic in `file` into line and column, from the text as it is now. Not memoized: it changes
/// with every edit, and only what is shown is located.
pub fn located(db: &dyn Db, file: SourceFile, diagnostic: &Diagnostic) -> Located {
    let bytes = db.bytes(file.digest(db));
    Locating::new(file.path(db), &bytes).of(&diagnostic.place)
}
