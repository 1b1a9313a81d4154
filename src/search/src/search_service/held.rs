//! State of the index for each part of a site: recorded only here, page by page.
//!
//! The digest of a part is made from those of its pages, so indexing a single page cannot leave it
//! unchanged.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

use queries::base::content::ContentHash;
use queries::base::path::Route;
use queries::site::FoundPages;

use super::survey::Part;

/// The digests of pages by their routes.
pub(super) type Digests = BTreeMap<Route, ContentHash>;

/// The pages in the index, by part, with the digests of their indexed documents.
#[derive(Default)]
pub(super) struct IndexedPages(HashMap<Part, IndexedPart>);

#[derive(Default)]
struct IndexedPart {
    pages: Digests,
    /// Digest of `pages`, when it was asked for since they changed.
    digest: OnceCell<ContentHash>,
}

impl IndexedPages {
    /// Returns true if there are no parts at all (a part may have no pages).
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The digest of each part, as [`FoundPages`] has it.
    pub(super) fn parts(&self) -> HashMap<Part, ContentHash> {
        let parts = self.0.iter().map(|(part, entry)| {
            let pages = entry.pages.iter().map(|(route, digest)| (route, *digest));
            let digest = entry.digest.get_or_init(|| FoundPages::digest(pages));
            (*part, *digest)
        });
        parts.collect()
    }

    /// The digest of a page.
    pub(super) fn page(&self, route: &Route) -> Option<ContentHash> {
        let mut parts = self.0.values();
        parts.find_map(|entry| entry.pages.get(route)).copied()
    }

    /// The part that a page is of.
    pub(super) fn part_of(&self, route: &Route) -> Option<Part> {
        let mut parts = self.0.iter();
        let found = parts.find(|(_, entry)| entry.pages.contains_key(route));
        found.map(|(part, _)| *part)
    }

    /// Notes that the index has a page of `part` with this digest.
    pub(super) fn put(&mut self, part: Part, route: &Route, digest: ContentHash) {
        let entry = self.0.entry(part).or_default();
        entry.pages.insert(route.clone(), digest);
        entry.digest.take();
    }

    /// Notes that the index has `pages` of `part`, and no others.
    pub(super) fn set(&mut self, part: Part, pages: Digests) {
        let digest = OnceCell::new();
        self.0.insert(part, IndexedPart { pages, digest });
    }

    /// Takes the pages of `part` out.
    pub(super) fn take(&mut self, part: Part) -> Digests {
        let removed = self.0.remove(&part);
        removed.map(|removed| removed.pages).unwrap_or_default()
    }

    /// Takes the pages of all parts out that are not `present`.
    pub(super) fn take_absent(&mut self, present: &[Part]) -> Digests {
        let absent = self.0.extract_if(|part, _| !present.contains(part));
        absent.flat_map(|(_, entry)| entry.pages).collect()
    }
}
