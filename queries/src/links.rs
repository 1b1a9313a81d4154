//! The link check: does every link of a page lead somewhere on the site?

mod spec;

pub use spec::spec_link_diagnostics;

use crate::binding::{bound_operation, bound_schema};
use crate::body::{model_anchors, page_anchors, page_links, reference_anchors};
use crate::db::Db;
use crate::imports::page_imports;
use crate::inputs::{Site, SourceFile, file_named};
use crate::navigation::{PageId, generated_pages, similar};
use crate::outputs::{self, AskedAddresses, Output};
use crate::page::{page_list, route_of};
use crate::reference::model_uses;
use base::diagnostic::{Code, Diagnostic, nearest};
use base::path::SitePath;
use base::place::Place;
use mdx::front_matter::body_start;
use mdx::link::{LinkTarget, resolve};
use theme::prose::WrittenLink;
use theme::reference::USED_BY;

/// What is wrong with the links of a page.
///
/// Wakes when the links of the page change, when a page of the site appears or vanishes, and when the headings of a page
/// that it links to change; not when words change.
#[salsa::tracked]
pub fn link_diagnostics(db: &dyn Db, file: SourceFile) -> Vec<Diagnostic> {
    let links = page_links(db, file);
    if links.is_empty() {
        return Vec::new();
    }
    let mut diagnostics = Vec::new();
    for link in links {
        let own = Some(PageId::File(file));
        if let Some((code, message, hint)) = fault(db, file.path(db), own, &link.href) {
            // Nearly every link is fine, so the text is read only for one that is not.
            let place = place_of(db, file, link);
            let diagnostic = Diagnostic::new(code, place, message);
            diagnostics.push(match hint {
                Some(hint) => diagnostic.hint(hint),
                None => diagnostic,
            });
        }
    }
    diagnostics
}

/// What is wrong with one link that is written in the file at `path`, and what to do about it. `own` is the page of the
/// file, whose headings `#…` means.
fn fault(
    db: &dyn Db,
    path: &SitePath,
    own: Option<PageId>,
    link: &str,
) -> Option<(Code, String, Option<String>)> {
    let site = Site::get(db);
    let (target, fragment) = match resolve(path, link) {
        LinkTarget::External => return None,
        LinkTarget::Heading(fragment) => (own?, Some(fragment)),
        LinkTarget::Site { path, fragment, .. } => match page_behind(db, &path) {
            Some(Some((target, own))) => (target, own.or(fragment)),
            Some(None) => return None,
            None => {
                let files = page_list(db, site).value.keys();
                let routes = files.chain(generated_pages(db, site).pages.keys());
                let routes: Vec<&str> = routes.map(|route| &route.as_str()[1..]).collect();
                let near = similar(path.trim_start_matches('/'), &routes);
                let message = format!("`{link}` leads to no page of the site");
                return Some((
                    Code::BrokenLink,
                    message,
                    near.map(|near| format!("did you mean `/{near}`?")),
                ));
            }
        },
    };
    let fragment = fragment.filter(|fragment| !fragment.is_empty() && fragment != "top")?;
    let is_among = |anchors: &[String]| {
        let mut anchors = anchors.iter();
        anchors.any(|id| *id == fragment || id.eq_ignore_ascii_case(&fragment))
    };
    let own = match target {
        PageId::File(target) => &page_anchors(db, target)[..],
        PageId::Generated(_) => &[],
    };
    if is_among(own) {
        return None;
    }
    // Asked for last: what a page is about says its frontmatter, which must not wake those who link to its headings.
    let operation = match target {
        PageId::File(target) => bound_operation(db, target),
        PageId::Generated(page) => Some(page.operation(db)),
    };
    let schema = || bound_schema(db, target.file()?)?.ok();
    let given = match (operation, schema()) {
        (Some(operation), _) => &reference_anchors(db, operation)[..],
        (None, Some(node)) => &model_anchors(db, node)[..],
        (None, None) => &[],
    };
    let is_used_by = || schema().is_some_and(|node| !model_uses(db, node).is_empty());
    if is_among(given) || (fragment == USED_BY && is_used_by()) {
        return None;
    }
    let near = nearest(&fragment, own.iter().chain(given).map(String::as_str));
    let target = match target {
        PageId::File(file) => file.path(db).to_string(),
        PageId::Generated(_) => route_of(db, target).to_string(),
    };
    let message = format!("`{link}` leads to no heading of {target}");
    Some((
        Code::BrokenAnchor,
        message,
        near.map(|near| format!("did you mean `#{near}`?")),
    ))
}

/// The page that a link to `path` leads to, with the heading that a redirect leads to; `Some(None)` for another output, and
/// `None` if the server has nothing at `path`.
fn page_behind(db: &dyn Db, path: &str) -> Option<Option<(PageId, Option<String>)>> {
    let addresses = AskedAddresses::new(db);
    Some(match outputs::resolve(&addresses, path)? {
        Output::Page(page, _) => Some((page, None)),
        Output::Moved { to, .. } => {
            let root = SitePath::new("docs.json")?;
            let LinkTarget::Site { path, fragment, .. } = resolve(&root, &to) else {
                return Some(None);
            };
            match outputs::resolve(&addresses, &path) {
                Some(Output::Page(page, _)) => Some((page, fragment)),
                // Where redirects lead is said of redirects.
                _ => None,
            }
        }
        Output::File(_) | Output::Archive | Output::Text(_) | Output::Theme(_) => None,
    })
}

/// Where `link` is written: in the snippet that it stands in, or in the page, which may have given it to the snippet, or
/// in a file of components.
fn place_of(db: &dyn Db, page: SourceFile, link: &WrittenLink) -> Place {
    let snippet = link.snippet.as_ref();
    let snippet = snippet.and_then(|path| file_named(db, path));
    let here = |file: SourceFile| place_in(db, file, &link.href, &["](", "\"", "'"]);
    let anywhere = || place_in(db, page, &link.href, &[""]);
    snippet
        .and_then(here)
        .or_else(|| here(page))
        .or_else(|| page_imports(db, page).values().copied().find_map(here))
        .or_else(anywhere)
        .unwrap_or_else(|| Place::File(page.path(db).clone()))
}

/// The first place in the body of `file` where `href` stands behind one of `signs`; the first of them that is found
/// counts.
fn place_in(db: &dyn Db, file: SourceFile, href: &str, signs: &[&str]) -> Option<Place> {
    let bytes = db.bytes(file.digest(db));
    let text = String::from_utf8_lossy(&bytes);
    let body = body_start(&text);
    let after = |sign: &&str| {
        let at = text[body..].find(&format!("{sign}{href}"))?;
        Some(body + at + sign.len())
    };
    let at = signs.iter().find_map(after)?;
    Some(Place::in_text(file.path(db), &text, at, href.len()))
}
