//! The link check: does every link of a page lead somewhere on the site?

mod field;
mod spec;

use std::collections::BTreeMap;

pub use spec::spec_link_diagnostics;

use field::FieldWords;

use crate::binding::{model_about, operation_about};
use crate::body::{
    RowsLink, links_of_page, model_anchors, page_anchors, page_links, reference_anchors,
    rows_anchors,
};
use crate::config::{external_paths, redirects};
use crate::db::Db;
use crate::imports::page_imports;
use crate::inputs::{Site, SourceFile, file_named};
use crate::navigation::{PageId, generated_pages, similar};
use crate::outputs::{self, AskedAddresses, Output};
use crate::page::{page_list, route_of};
use crate::reference::model_uses;
use base::diagnostic::{Advice, Code, Diagnostic, MAX_LISTED_PER_CODE, Tally, near};
use base::path::{SitePath, encode_path};
use base::place::Place;
use config::redirect;
use mdx::front_matter::body_start;
use mdx::link::{LinkTarget, is_script, resolve};
use openapi::shared::ROWS;
use theme::prose::WrittenLink;
use theme::reference::USED_BY;

/// Diagnostics of the links of a page.
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
    let (mut tally, mut absent) = (Tally::default(), 0);
    for link in links {
        let own = Some(PageId::File(file));
        let found = match link.is_shown {
            true => missing_file(db, file.path(db), &link.href),
            false => fault(db, file.path(db), own, &link.href, &tally),
        };
        let Some((code, message, advice)) = found else {
            continue;
        };
        let place = Place::File(file.path(db).clone());
        let mut found = Diagnostic::new(code, place, message).advise(advice);
        // These are counted for the whole site, which shows the place of the first.
        let is_absent = absent_file(&found).is_some();
        if is_absent {
            absent += 1;
        }
        if is_absent && absent > MAX_LISTED_PER_CODE {
            diagnostics.push(found);
        } else if is_absent || tally.count(code) {
            // Nearly every link is fine, so the text is read only for one that is not.
            found.place = place_of(db, file, link);
            diagnostics.push(found);
        }
    }
    tally.add_rest(&mut diagnostics);
    diagnostics
}

/// The addresses outside of the site that pages link to or show, each with its pages. Not memoized: asked for once, by who
/// asks those addresses.
pub fn external_links(db: &dyn Db, site: Site) -> BTreeMap<String, Vec<SourceFile>> {
    let mut links: BTreeMap<String, Vec<SourceFile>> = BTreeMap::new();
    for file in page_list(db, site).value.values() {
        for link in page_links(db, *file) {
            let is_external = resolve(file.path(db), &link.href) == LinkTarget::External;
            if is_external && !is_script(&link.href) {
                let pages = links.entry(link.href.clone()).or_default();
                if pages.last() != Some(file) {
                    pages.push(*file);
                }
            }
        }
    }
    links
}

/// Place where the page `file` has the link `href`.
pub fn place_of_link(db: &dyn Db, file: SourceFile, href: &str) -> Place {
    let mut links = page_links(db, file).iter();
    match links.find(|link| link.href == href) {
        Some(link) => place_of(db, file, link),
        None => Place::File(file.path(db).clone()),
    }
}

/// Returns true if the diagnostics of a page's links can change with the bodies of other pages: if
/// one links to a heading there.
pub fn leads_to_headings(db: &dyn Db, file: SourceFile) -> bool {
    let others_heading = |link: &WrittenLink| {
        let LinkTarget::Site { path, fragment, .. } = resolve(file.path(db), &link.href) else {
            return false;
        };
        match page_behind(db, &path).flatten() {
            Some((PageId::File(_), of_redirect)) => of_redirect.or(fragment).is_some(),
            Some((PageId::Generated(_), _)) | None => false,
        }
    };
    let links = page_links(db, file).iter();
    links.filter(|link| !link.is_shown).any(others_heading)
}

/// What is wrong with a link: kind, message and advice.
type Fault = (Code, String, Option<Advice>);

/// What is wrong with one link that is written in the file at `path`, and what to do about it, which is not looked for where
/// `tally` is full. `own` is the page of the file, whose headings `#…` means.
fn fault(
    db: &dyn Db,
    path: &SitePath,
    own: Option<PageId>,
    link: &str,
    tally: &Tally,
) -> Option<Fault> {
    let site = Site::get(db);
    let (target, fragment) = match resolve(path, link) {
        LinkTarget::External if is_script(link) => {
            let scheme: String = link.trim().chars().take_while(|c| *c != ':').collect();
            let message = format!("links to `{scheme}:` addresses are left out of pages");
            let hint = "link to a page, to a file of the site or to an `https://` address";
            return Some((Code::BrokenLink, message, Some(hint.into())));
        }
        LinkTarget::External => return None,
        LinkTarget::Heading(fragment) => (own?, Some(fragment)),
        LinkTarget::Site {
            path: wanted,
            fragment,
            ..
        } => match page_behind(db, &wanted) {
            Some(Some((target, own))) => (target, own.or(fragment)),
            Some(None) => return None,
            None if is_external(db, &wanted) => return None,
            None if tally.is_full(Code::BrokenLink) => {
                return Some((Code::BrokenLink, String::new(), None));
            }
            None if is_private_file(db, &wanted) => {
                let message = format!("`{link}` is a file that the site does not serve");
                let hint = "files such as `.txt`, `.csv`, `.xml` and `.zip` are served; write an `https://` address for others";
                return Some((Code::BrokenLink, message, Some(hint.into())));
            }
            None => {
                let files = page_list(db, site).value.keys();
                let routes = files.chain(generated_pages(db, site).pages.keys());
                let routes: Vec<&str> = routes.map(|route| &route.as_str()[1..]).collect();
                let near = similar(wanted.trim_start_matches('/'), &routes);
                let message = format!("`{link}` does not exist");
                let advice = near.map(|near| {
                    let near = near.map(|near| format!("/{near}"));
                    let rest = link.find(['?', '#']).map_or("", |at| &link[at..]);
                    let written = format!("{}{rest}", near.word);
                    // One that is broken in another way is no help.
                    let is_sound = fault(db, path, own, &written, tally).is_none();
                    near.advice_with(is_sound.then_some(written))
                });
                return Some((Code::BrokenLink, message, advice));
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
    let operation = operation_about(db, target);
    let schema = || model_about(db, target);
    let anchors = match (operation, schema()) {
        (Some(operation), _) => &reference_anchors(db, operation)[..],
        (None, Some(node)) => &model_anchors(db, node)[..],
        (None, None) => &[],
    };
    let wanted = FieldWords::of(&fragment);
    let is_meant = |id: &String| wanted.as_ref().is_some_and(|wanted| wanted.is(id));
    let is_used_by = || schema().is_some_and(|node| !model_uses(db, node).is_empty());
    if is_among(anchors) || anchors.iter().any(is_meant) || (fragment == USED_BY && is_used_by()) {
        return None;
    }
    let rows = links_of_page(db, target);
    if is_in_rows(db, rows, &fragment) || wanted.is_some_and(|one| is_meant_in_rows(db, rows, &one))
    {
        return None;
    }
    if tally.is_full(Code::BrokenAnchor) {
        return Some((Code::BrokenAnchor, String::new(), None));
    }
    let near = near(&fragment, own.iter().chain(anchors).map(String::as_str));
    let target = match target {
        PageId::File(file) => file.path(db).to_string(),
        PageId::Generated(_) => route_of(db, target).to_string(),
    };
    let message = format!("no heading `#{fragment}` in {target}");
    let advice = near.map(|near| {
        let near = near.map(|near| format!("#{near}"));
        // A redirect says itself which heading it leads to.
        let start = link
            .split_once('#')
            .map(|(start, _)| format!("{start}{}", near.word));
        near.advice_with(start)
    });
    Some((Code::BrokenAnchor, message, advice))
}

/// Returns true if the author says that other software serves `path`.
fn is_external(db: &dyn Db, path: &str) -> bool {
    external_paths(db, Site::get(db)).value.covers(path)
}

/// Returns true if there is a file at `path` that visitors do not get.
fn is_private_file(db: &dyn Db, path: &str) -> bool {
    let Some(wanted) = SitePath::new(path.trim_start_matches('/')) else {
        return false;
    };
    !wanted.extension().is_empty() && file_named(db, &wanted).is_some()
}

/// Diagnostics of a picture or another file that the page at `path` shows.
fn missing_file(db: &dyn Db, path: &SitePath, src: &str) -> Option<Fault> {
    let LinkTarget::Site { path, .. } = resolve(path, src) else {
        return None;
    };
    let path_wanted = SitePath::new(&path).filter(outputs::is_asset)?;
    if outputs::resolve(&AskedAddresses::new(db), &path).is_some() || is_external(db, &path) {
        return None;
    }
    let buckets = Site::get(db).buckets(db).iter();
    let files = buckets.flat_map(|bucket| bucket.files(db));
    let wanted_kind = kind_of_file(&path_wanted);
    let siblings = files.filter(|(file, _)| {
        file.folder() == path_wanted.folder()
            && kind_of_file(file) == wanted_kind
            && outputs::is_asset(file)
    });
    let siblings: Vec<&str> = siblings.map(|(file, _)| file.file_name()).collect();
    if siblings.is_empty() {
        let message = format!("`/{path_wanted}` {ABSENT} {wanted_kind}");
        let hint =
            "check out the whole repository (Git LFS keeps large files apart), or correct the path";
        return Some((Code::MissingFile, message, Some(hint.into())));
    }
    let message = format!("`{src}` is not a file of the site");
    let near = near(path_wanted.file_name(), siblings);
    let advice = near.map(|near| {
        let folder = src.rfind('/').map_or("", |at| &src[..=at]);
        let written = format!("{folder}{}", encode_path(&near.word));
        near.advice_with(Some(written))
    });
    Some((Code::MissingFile, message, advice))
}

/// Words of the diagnostic of a file whose folder has none of its kind, between its path and its kind.
const ABSENT: &str = "is not there, and its folder has no other";

/// Kind and path of the file of which `found` says that it is not there, nor another one of its folder.
pub fn absent_file(found: &Diagnostic) -> Option<(&str, &str)> {
    let is_missing = found.code == Code::MissingFile;
    let (path, kind) = found.message.split_once(ABSENT).filter(|_| is_missing)?;
    Some((kind.trim(), path.trim().trim_matches('`')))
}

/// What a file is to readers.
fn kind_of_file(file: &SitePath) -> &'static str {
    match file.extension().as_str() {
        "png" | "jpg" | "jpeg" | "gif" | "webp" | "avif" | "bmp" | "apng" => "picture",
        "svg" => "drawing",
        "mp4" | "webm" | "mov" | "ogv" => "film",
        "mp3" | "ogg" | "wav" => "recording",
        _ => "file",
    }
}

/// Diagnostics of the redirects of the configuration: those without a destination, and circles.
///
/// Wakes when redirects change, and when a page or a file of the site appears or vanishes.
#[salsa::tracked]
pub fn redirect_diagnostics(db: &dyn Db, site: Site) -> Vec<Diagnostic> {
    let addresses = AskedAddresses::new(db);
    let mut diagnostics = Vec::new();
    for redirect in redirects(db, site) {
        // What a placeholder stands for is known when somebody asks.
        let is_pattern = |text: &str| text.contains([':', '*']);
        let (source, to) = (redirect.source.as_str(), redirect.destination.as_str());
        let Some(place) = &redirect.place else {
            continue;
        };
        if !redirect::is_pattern(redirect)
            && let Some(found) = outputs::resolve(&addresses, &source_path(source))
            && !matches!(found, Output::Moved { .. })
        {
            let message =
                format!("`{source}` is on the site, which shows it; the redirect is never used");
            let diagnostic = Diagnostic::new(Code::DuplicateRedirect, place.clone(), message);
            diagnostics.push(diagnostic.hint("remove the redirect, or what is at its source"));
            continue;
        }
        if is_pattern(source) || is_pattern(to) || !to.starts_with('/') {
            continue;
        }
        if is_external(db, to) {
            continue;
        }
        let Some((code, message, hint)) = redirect_fault(&addresses, source, to) else {
            continue;
        };
        let diagnostic = Diagnostic::new(code, place.clone(), message);
        diagnostics.push(diagnostic.hint(hint));
    }
    diagnostics
}

/// The path that is asked for where a redirect of `source` leads on.
fn source_path(source: &str) -> String {
    format!("/{}", redirect::decoded(source.trim_matches('/')))
}

/// Diagnostic of the redirect of `source` to `to`. Each fault is reported at one redirect: the last
/// before a missing destination, the first by name in a circle.
fn redirect_fault(
    addresses: &AskedAddresses<'_>,
    source: &str,
    to: &str,
) -> Option<(Code, String, &'static str)> {
    let root = SitePath::new("docs.json")?;
    let source_path = source_path(source);
    let mut seen = vec![source_path.clone()];
    let mut next = to.to_owned();
    loop {
        let LinkTarget::Site { path, .. } = resolve(&root, &next) else {
            return None;
        };
        if path == source_path {
            let is_first = seen.iter().all(|path| source_path <= *path);
            let message = format!("`{source}` is redirected in a circle");
            let hint = "remove one of the redirects that lead back";
            return is_first.then_some((Code::RedirectLoop, message, hint));
        }
        if seen.contains(&path) {
            return None;
        }
        match outputs::resolve(addresses, &path) {
            Some(Output::Moved { to, .. }) => next = to,
            None if seen.len() == 1 => {
                let message =
                    format!("`{source}` is redirected to `{to}`, which is not on the site");
                let hint = "name a page of the site, or remove the redirect";
                return Some((Code::BrokenRedirect, message, hint));
            }
            _ => return None,
        }
        seen.push(path);
    }
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
        Output::File(_)
        | Output::Archive
        | Output::Text(_)
        | Output::Card(_)
        | Output::Islands(_)
        | Output::Theme(_) => None,
    })
}

/// Place where `link` is written: in its snippet, or in the page, which may have passed it to the
/// snippet, or in a component file.
fn place_of(db: &dyn Db, page: SourceFile, link: &WrittenLink) -> Place {
    let snippet = link.snippet.as_ref();
    let snippet = snippet.and_then(|path| file_named(db, path));
    let here = |file: SourceFile| place_in(db, file, &link.href, &["](", "\"", "'"]);
    let anywhere = || place_in(db, page, &link.href, &[""]);
    snippet
        .and_then(here)
        .or_else(|| here(page))
        .or_else(|| page_imports(db, page).values().copied().find_map(here))
        .or_else(|| in_front_matter(db, page, &link.href))
        .or_else(anywhere)
        .unwrap_or_else(|| Place::File(page.path(db).clone()))
}

/// The place of a link in the description of a page.
fn in_front_matter(db: &dyn Db, page: SourceFile, href: &str) -> Option<Place> {
    let bytes = db.bytes(page.digest(db));
    let text = String::from_utf8_lossy(&bytes);
    let at = text[..body_start(&text)].find(&format!("]({href}"))? + "](".len();
    Some(Place::in_text(page.path(db), &text, at, href.len()))
}

/// The first place in the body of `file` where `href` stands behind one of `signs`; the first of them that is found
/// counts.
fn place_in(db: &dyn Db, file: SourceFile, href: &str, signs: &[&str]) -> Option<Place> {
    let bytes = db.bytes(file.digest(db));
    let text = String::from_utf8_lossy(&bytes);
    let body = body_start(&text);
    let after = |sign: &&str| {
        let wanted = format!("{sign}{href}");
        let mut found = text[body..].match_indices(&wanted);
        // Another link may begin with this one.
        let (at, _) = found.find(|(at, written)| {
            let rest = &text[body + at + written.len()..];
            rest.starts_with(|c: char| c.is_whitespace() || "\"')>".contains(c))
        })?;
        Some(body + at + sign.len())
    };
    let at = signs.iter().find_map(after)?;
    Some(Place::in_text(file.path(db), &text, at, href.len()))
}

/// Returns true if a row of one of `links`, at any depth, gets the id `fragment` when it is
/// rendered.
fn is_in_rows(db: &dyn Db, links: &[RowsLink], fragment: &str) -> bool {
    let mut links = links.iter();
    links.any(|link| {
        let start = fragment.get(..link.anchor.len());
        if !start.is_some_and(|start| start.eq_ignore_ascii_case(&link.anchor)) {
            return false;
        }
        let within = format!("{ROWS}{}", &fragment[link.anchor.len()..]);
        let (anchors, inner) = rows_anchors(db, link.rows);
        // The names of rows are longer than what they replace, so this ends.
        anchors.iter().any(|id| id.eq_ignore_ascii_case(&within))
            || within.len() < fragment.len() && is_in_rows(db, inner, &within)
    })
}

/// Like [`is_in_rows`], by the words of the field.
fn is_meant_in_rows(db: &dyn Db, links: &[RowsLink], words: &FieldWords) -> bool {
    links.iter().any(|link| {
        let within = words.within(&link.anchor, ROWS);
        let (anchors, inner) = match within.is_empty() {
            true => return false,
            false => rows_anchors(db, link.rows),
        };
        // What is wanted has fewer words each time, so this ends.
        within.iter().any(|one| {
            anchors.iter().any(|id| one.is(id))
                || one.len() < words.len() && is_meant_in_rows(db, inner, one)
        })
    })
}
