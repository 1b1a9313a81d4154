//! Pages: which files are pages, at which routes, and what each says about itself.

pub mod link;

use std::collections::BTreeMap;

use crate::data::json;
use crate::db::Db;
use crate::diagnostic::{Code, Diagnostic, Parsed};
use crate::inputs::{FileBucket, ImageSize, Site, SourceFile, file_named};
use crate::mdx::front_matter::{self as source, FrontMatter};
use crate::path::{Route, SitePath};
use crate::place::{Located, Place, block_span};

/// Whether the file at `path` is a page: MDX or Markdown, outside of every folder of snippets.
pub fn is_page(path: &SitePath) -> bool {
    matches!(path.extension().as_str(), "mdx" | "md")
        && !path
            .folder()
            .split('/')
            .any(|folder| matches!(folder, "snippets" | "_snippets"))
}

/// What a page says about itself, and what is wrong with it.
///
/// Read by the page's own projections only. It runs on every edit of its file, and is almost always equal to before,
/// which is what keeps navigation and sidebars asleep while someone types.
#[salsa::tracked]
pub fn front_matter(db: &dyn Db, file: SourceFile) -> Parsed<FrontMatter> {
    let bytes = db.bytes(file.digest(db));
    source::parse(file.path(db), &String::from_utf8_lossy(&bytes))
}

/// What a sidebar, a switcher or a link to the next page shows of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageLabel {
    /// Its title, or the shorter one for the sidebar.
    pub label: String,
    /// The name of its icon.
    pub icon: Option<String>,
    /// The style of its icon.
    pub icon_type: Option<String>,
    /// A label beside it.
    pub tag: Option<String>,
    /// Whether it is marked as deprecated.
    pub deprecated: bool,
    /// Whether it is left out.
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
    let matter = &front_matter(db, file).value;
    let title = || page_title(db, file).clone();
    PageLabel {
        label: matter.sidebar_title.clone().unwrap_or_else(title),
        icon: matter.icon.clone(),
        icon_type: matter.icon_type.clone(),
        tag: matter.tag.clone(),
        deprecated: matter.deprecated == Some(true),
        hidden: matter.hidden,
        url: matter.url.clone(),
        method: if matter.hide_api_marker == Some(true) {
            None
        } else {
            method(matter)
        },
    }
}

/// The title of a page: its own, or one made from its name.
#[salsa::tracked]
pub fn page_title(db: &dyn Db, file: SourceFile) -> String {
    match &front_matter(db, file).value.title {
        Some(title) if !title.trim().is_empty() => title.clone(),
        _ => title_of_name(page_route(db, file).last_segment()),
    }
}

/// The method of the endpoint in `openapi:` or `api:`; the spec may stand before it.
fn method(matter: &FrontMatter) -> Option<String> {
    let bound = matter.openapi.as_deref().or(matter.api.as_deref())?;
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

/// A title from the last segment of a route: `-` and `_` become spaces, the first letter upper case.
pub fn title_of_name(name: &str) -> String {
    let words = name.replace(['-', '_'], " ");
    let mut chars = words.trim().chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => "Home".to_owned(),
    }
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
    bucket
        .files(db)
        .iter()
        .copied()
        .filter(|file| is_page(file.path(db)))
        .collect()
}

/// Every page of the site by its route.
///
/// Read by whoever must know whether a route is a page. Wakes when a page appears or vanishes, never when one changes.
#[salsa::tracked]
pub fn page_list(db: &dyn Db, site: Site) -> Parsed<BTreeMap<Route, SourceFile>> {
    let mut pages: Vec<SourceFile> = site
        .buckets(db)
        .iter()
        .flat_map(|bucket| bucket_pages(db, *bucket))
        .copied()
        .collect();
    // `.mdx` before `.md`, so that it wins a collision.
    pages.sort_by(|a, b| {
        let key = |file: &SourceFile| (file.path(db).stem(), file.path(db).extension() == "md");
        key(a).cmp(&key(b))
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
        /// Where it is, or would be.
        #[returns(ref)]
        pub path: SitePath,
    }
}

/// How large the picture is by itself; `None` if it is not there or cannot tell.
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
    let text = String::from_utf8_lossy(&bytes);
    let path = file.path(db);
    let span = match &diagnostic.place {
        Place::File(_) => None,
        Place::Pointer { pointer, part, .. } if path.extension() == "json" => {
            json::position(&text, pointer, *part)
        }
        Place::Pointer { pointer, part, .. } => source::position(&text, pointer, *part),
        Place::Block {
            block,
            line,
            column,
            width,
            ..
        } => block_span(&text, *block, *line, *column, *width),
    };
    let (at, len) = span.unwrap_or((0, 0));
    Located::of_span(path, &text, at, len)
}
