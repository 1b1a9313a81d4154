//! What a page follows from, as one name: whoever has composed it before knows without composing it again that it is the same.

use super::PageOptions;
use crate::body::page_body_name;
use crate::change::Shared;
use crate::db::Db;
use crate::inputs::Site;
use crate::navigation::PageId;
use crate::page::{front_matter, route_of};
use crate::store::PROGRAM;
use crate::trace::digest_of;
use base::content::ContentHash;
use base::path::SitePath;

/// The digest of all that the pages of a site follow from, but for what each holds itself: of `shared`, which is what files
/// hold that several can rest on, of the base path, of how they are composed, and of the program.
///
/// An edit below the frontmatter of a page leaves it as it is; so does a picture in place of another one of that size.
pub fn surroundings(
    db: &dyn Db,
    site: Site,
    shared: &[(SitePath, Shared)],
    options: &PageOptions,
) -> ContentHash {
    let facts = shared.iter().map(|(path, shared)| {
        let held = match shared {
            Shared::FrontMatter(file) => digest_of(front_matter(db, *file)),
            Shared::Text(digest) => *digest,
            Shared::Picture(size) => digest_of(size),
        };
        (path, held)
    });
    let facts = digest_of(&facts.collect::<Vec<_>>());
    let options = format!("{options:?}");
    ContentHash::of_parts([
        PROGRAM.as_bytes(),
        site.base_path(db).as_bytes(),
        options.as_bytes(),
        facts.as_bytes(),
    ])
}

/// The name of all that `page` follows from, as HTML, as Markdown and as what is found of it: of the [`surroundings`] and of what it
/// holds itself. `None` if its text was not drawn yet, or nothing is stored.
///
/// A page reads no text below the frontmatter of another one; only what is wrong with its links follows from that.
pub fn page_source(db: &dyn Db, page: PageId, surroundings: ContentHash) -> Option<ContentHash> {
    let own = match page {
        PageId::File(file) => digest_of(&(page_body_name(db, file)?, file.modified(db))),
        PageId::Generated(_) => digest_of(&route_of(db, page)),
    };
    Some(ContentHash::of_parts([
        &b"page"[..],
        own.as_bytes(),
        surroundings.as_bytes(),
    ]))
}
