//! Paths of pictures of pages, and the pages that name one.

use super::PageOptions;
use crate::db::Db;
use crate::head::{PageHead, page_head};
use crate::navigation::PageId;
use base::path::Route;

/// Path of the card of the page at `route`: `/og/guides/a.png`; that of the home page is
/// `/og/index.png`.
pub fn card_path(route: &Route) -> String {
    match route.as_str() {
        "/" => "/og/index.png".to_owned(),
        route => format!("/og{route}.png"),
    }
}

/// Returns true if the head of a page names its card.
pub fn has_card(db: &dyn Db, page: PageId, options: &PageOptions) -> bool {
    is_named(page_head(db, page), options)
}

/// Like [`has_card`], of a head.
pub(super) fn is_named(head: &PageHead<'_>, options: &PageOptions) -> bool {
    options.cards && base_of(head, options).is_some() && !has_image(head)
}

/// Returns true if the author sets a picture for a page.
fn has_image(head: &PageHead<'_>) -> bool {
    let mut names = head.meta.iter().map(|(name, _)| name.as_str());
    names.any(|name| matches!(name, "og:image" | "twitter:image"))
}

/// Base of absolute URLs of a page: the canonical one of the author, else the address of the site.
pub(super) fn base_of<'a>(head: &'a PageHead<'_>, options: &'a PageOptions) -> Option<&'a str> {
    let own = head.canonical_base.as_deref();
    let base = own.or(options.base_url.as_deref());
    base.map(|base| base.trim_end_matches('/'))
}
