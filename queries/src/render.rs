//! The look of a site: templates from view structs to HTML, the theme the browser gets, and the bodies of pages.
//!
//! Files in this folder only draw: a view struct goes in, markup comes out, and nothing there sees the database or
//! decides what is true. Strings from users are escaped by the templates; slots that take [`maud::PreEscaped`] hold
//! HTML that was rendered before. The queries are here.

pub mod article;
pub mod banner;
pub mod colour;
pub mod components;
pub mod document;
mod element;
pub mod eyebrow;
pub mod fence;
pub mod footer;
pub mod header;
pub mod html;
pub mod icon;
pub mod language;
pub mod layout;
pub mod not_found;
pub mod pager;
pub mod pill;
pub mod problem;
pub mod prose;
pub mod sidebar;
pub mod site_style;
pub mod switcher;
pub mod theme;
pub mod toc;

#[cfg(test)]
mod gallery;

use crate::db::Db;
use crate::diagnostic::{Code, Diagnostic};
use crate::inputs::{Site, SourceFile};
use crate::mdx;
use crate::page::front_matter;
use crate::place::Place;

use prose::{Body, BodyContext};

/// The body of a page: the expensive leaf. Wakes when the file changes; nothing else does.
///
/// Read by the page itself, and by the projections below, which keep everyone else asleep.
#[salsa::tracked]
pub fn page_body(db: &dyn Db, file: SourceFile) -> Body {
    let bytes = db.bytes(file.digest(db));
    let text = String::from_utf8_lossy(&bytes);
    let document = mdx::parse(file.path(db), &text);
    let base_path = Site::get(db).base_path(db);
    let context = BodyContext {
        path: file.path(db),
        text: &text,
        base_path,
    };
    let mut body = prose::body(context, &document);
    if matches!(text, std::borrow::Cow::Owned(_)) {
        let at = bytes
            .utf8_chunks()
            .next()
            .map_or(0, |chunk| chunk.valid().len());
        let place = Place::in_text(file.path(db), &text, at, 1);
        let message = "the file is not UTF-8; what cannot be read is shown as `\u{fffd}`";
        let diagnostic = Diagnostic::new(Code::InvalidUtf8, place, message);
        body.diagnostics
            .push(diagnostic.hint("save the file as UTF-8"));
    }
    body
}

/// The places of a page that links can lead to: what links from other pages depend on.
#[salsa::tracked]
pub fn page_anchors(db: &dyn Db, file: SourceFile) -> Vec<String> {
    page_body(db, file).anchors.clone()
}

/// The links of a page as written: what the link check depends on.
#[salsa::tracked]
pub fn page_links(db: &dyn Db, file: SourceFile) -> Vec<String> {
    page_body(db, file).links.clone()
}

/// What is wrong with a page itself: its frontmatter and its body.
#[salsa::tracked]
pub fn page_diagnostics(db: &dyn Db, file: SourceFile) -> Vec<Diagnostic> {
    let mut diagnostics = front_matter(db, file).diagnostics.clone();
    diagnostics.extend_from_slice(&page_body(db, file).diagnostics);
    diagnostics
}
