//! The page with the rows of a component, which pages of operations lead to and take the rows from.

use super::section::SectionHeader;
use super::{
    PageHtml, PageOptions, add_own_files, add_vendors, finish, own_files, search_view,
    set_language, site_frame,
};
use crate::body::{Reference, component_rows, documented_spec, reference_of, rows_of};
use crate::db::Db;
use crate::frame::frame_header;
use crate::head::page_head;
use crate::inputs::{Site, Spec};
use crate::navigation::PageId;
use crate::reference::{ComponentRows, ROWS, reach_digest};
use base::content::ContentHash;
use openapi::shared;
use theme::article::{self, Article, Mode};
use theme::html::slot;
use theme::reference;
use theme::{language, layout, sidebar};

/// Composes the page with the rows of a component, in `language`. No program finds it by itself: what is on it is a part of
/// the pages that lead there.
pub fn rows_html(
    db: &dyn Db,
    site: Site,
    rows: ComponentRows,
    language: &str,
    options: &PageOptions,
) -> PageHtml {
    let frame = site_frame(db, site);
    let html = component_rows(db, rows);
    let mut document = frame.document.clone();
    set_language(&mut document, Some(language));
    add_vendors(db, site, None, &mut document, options);
    document.noindex = true;
    document.title.clone_from(&html.search.title);
    document.search = (options.search.clone()).map(|source| search_view(db, None, source));
    add_own_files(&mut document, own_files(db, site));
    let header = SectionHeader::of(frame_header(db, site));
    let content = reference::whole(&html.head, "", "", &html.main).into_string();
    let content = localized(content, site.base_path(db).as_str(), &document.lang);
    let article = Article {
        title: Some(html.search.title.clone()),
        mode: Mode::Wide,
        ..Article::default()
    };
    let article = article::article(&article, &Default::default(), slot(&content));
    let path = rows.path(db, language);
    let shown = sidebar::bare(&header.drawer);
    let parts = layout::Parts {
        banner: &frame.banner,
        header: &header.bar,
        sidebar: &shown,
        article: &article.into_string(),
        footer: &frame.footer,
        ..layout::Parts::default()
    };
    finish(
        document,
        Mode::Wide,
        parts,
        &header.drawer,
        &path,
        [None, None],
        options,
    )
}

/// The pages of rows that a page leads to, and the language that they are in there.
pub fn linked_rows(db: &dyn Db, page: PageId) -> (Vec<ComponentRows>, &str) {
    let rows = reference_of(db, page).and_then(|given| {
        let spec = documented_spec(db, page).filter(|_| !given.shared.is_empty())?;
        Some(rows_of(db, spec, given))
    });
    let language = page_head(db, page).language.as_deref();
    (
        rows.unwrap_or_default(),
        language.map_or("en", language::tag),
    )
}

/// The pages of rows that the page of a component leads to.
pub fn rows_within(db: &dyn Db, rows: ComponentRows) -> Vec<ComponentRows> {
    rows_of(db, rows.node(db).spec(db), component_rows(db, rows))
}

/// `content` whose links to rows lead to those in `language`.
pub(super) fn localized(content: String, base_path: &str, language: &str) -> String {
    let link = format!("<a data-rows=\"{}\" href=\"{base_path}{ROWS}", shared::ROWS);
    match memchr::memmem::find(content.as_bytes(), link.as_bytes()).is_some() {
        true => content.replace(&link, &format!("{link}{language}/")),
        false => content,
    }
}

/// Returns the digest of the rows on separate pages that `reference` links to; part of the digest of
/// its page.
pub(super) fn shared_digest(db: &dyn Db, spec: Spec, reference: &Reference) -> Option<ContentHash> {
    let rows = rows_of(db, spec, reference);
    let digests = rows.iter().map(|rows| reach_digest(db, rows.node(db)));
    let digests: Vec<ContentHash> = digests.collect();
    let parts = digests.iter().map(|digest| &digest.as_bytes()[..]);
    (!digests.is_empty()).then(|| ContentHash::of_parts(parts))
}
