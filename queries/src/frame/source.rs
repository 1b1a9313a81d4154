//! Digest of everything that a page is made from: an equal digest means an equal page, without
//! composing it again.

use super::PageOptions;
use crate::body::page_body_name;
use crate::change::FileFacts;
use crate::db::Db;
use crate::inputs::Site;
use crate::navigation::PageId;
use crate::page::{front_matter, is_page, route_of};
use crate::store::PROGRAM;
use crate::trace::digest_of;
use base::content::ContentHash;

/// The digest of all that the pages of a site follow from, but for what each holds itself: of what others can rest on of `files`, which
/// are all there are, of the base path, of how pages are composed, and of the program.
///
/// An edit below the frontmatter of a page leaves it as it is; so does a picture in place of another one of that size.
pub fn surroundings(
    db: &dyn Db,
    site: Site,
    files: &[FileFacts],
    options: &PageOptions,
) -> ContentHash {
    let shared: Vec<_> = (files.iter())
        .map(|facts| (&facts.path, shared(db, facts)))
        .collect();
    let options = format!("{options:?}");
    ContentHash::of_parts([
        PROGRAM.as_bytes(),
        site.base_path(db).as_bytes(),
        options.as_bytes(),
        digest_of(&shared).as_bytes(),
    ])
}

/// The digest of what of a file others than its own page can rest on. What bodies import is named by them, and not meant.
fn shared(db: &dyn Db, facts: &FileFacts) -> ContentHash {
    let is_imported = || {
        matches!(
            facts.path.extension().as_str(),
            "mdx" | "md" | "jsx" | "tsx"
        )
    };
    match facts.text {
        Some(_) if is_page(&facts.path) => digest_of(front_matter(db, facts.file)),
        Some(_) if is_imported() => digest_of(&()),
        Some(digest) => digest,
        None => digest_of(&facts.image_size),
    }
}

/// The name of all that `page` follows from, as HTML, as Markdown and as what is found of it: of
/// the [`surroundings`] and of what it holds itself. `None` if its text was not rendered yet, or
/// nothing is stored.
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
