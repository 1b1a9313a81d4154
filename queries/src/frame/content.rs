//! Content of a page, apart from its frame: to compare two versions of a site.

use crate::body::page_body;
use crate::db::Db;
use crate::navigation::PageId;
use crate::page::{front_matter_of, title_of};
use base::content::ContentHash;

use super::reference_of;

/// Content of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageContent {
    /// Title.
    pub title: String,
    /// Digest of its title, its description, its body, and its operation or data model.
    pub digest: ContentHash,
}

/// Content of `page`. Renders its body if needed.
pub fn page_content(db: &dyn Db, page: PageId) -> PageContent {
    let title = title_of(db, page);
    let front_matter = front_matter_of(db, page);
    let body = page
        .file()
        .map_or("", |file| page_body(db, file).html.as_str());
    let reference = reference_of(db, page).map(|given| {
        [
            &given.bar,
            &given.head,
            &given.side,
            &given.content,
            &given.security,
            &given.main,
        ]
    });
    let description = front_matter.description.as_deref().unwrap_or_default();
    let own = [title.as_str(), description, body].map(str::as_bytes);
    let given = reference.iter().flatten().map(|part| part.as_bytes());
    PageContent {
        digest: ContentHash::of_parts(own.into_iter().chain(given)),
        title,
    }
}
