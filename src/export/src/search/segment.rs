//! Segments: what the search of an export needs of a run of pages, joined and packed once. A build after an edit takes those
//! that the edit did not touch as they were kept, and reads none of their pages.

use std::collections::BTreeMap;

use queries::base::content::ContentHash;
use queries::base::path::Route;
use queries::site::{ArtifactStore, PROGRAM, PageId};
use serde::{Deserialize, Serialize};

use super::part::{Brief, Part};
use super::words::{GatheredWords, JoinedWords};
use crate::SHELL;

/// Maximum number of pages of a segment.
const MAX_PAGES: usize = 512;

/// One page in this many begins a segment.
const USUAL: u64 = 256;

/// Lengths of the segments of `routes`, which are sorted. A page begins a segment if the digest of
/// its own address says so: pages that come and go leave other segments unchanged.
pub fn lengths<'a>(routes: impl Iterator<Item = &'a Route>) -> Vec<usize> {
    let mut lengths: Vec<usize> = Vec::new();
    for route in routes {
        let digest = ContentHash::of(route.as_str().as_bytes());
        let begins = digest
            .as_bytes()
            .first_chunk()
            .map(|bytes| u64::from_le_bytes(*bytes));
        match lengths.last_mut() {
            Some(length)
                if *length < MAX_PAGES && begins.is_some_and(|begins| begins % USUAL != 0) =>
            {
                *length += 1;
            }
            _ => lengths.push(1),
        }
    }
    lengths
}

/// Pages that stand beside each other, each with what is found of it, or all of them as an earlier build kept them.
pub struct Run {
    /// The pages; none if the site has no navigation for them to stand in.
    pub pages: Vec<PageId>,
    /// Search entries.
    pub found: RunEntries,
}

impl Run {
    /// Number of its pages that have to be joined.
    pub fn joined(&self) -> usize {
        match self.found {
            RunEntries::Kept(_) => 0,
            RunEntries::Parts(..) => self.pages.len(),
        }
    }
}

/// Search entries of the pages of a [`Run`].
pub enum RunEntries {
    /// All of them, kept from an earlier build.
    Kept(Segment),
    /// One part per searchable page, with its number in the run; the segment is stored under the
    /// key, if there is one.
    Parts(Option<ContentHash>, Vec<(usize, Part)>),
}

/// Search entries of a run of pages.
#[derive(Serialize, Deserialize)]
pub struct Segment {
    /// The pages that are to be found, with their numbers in the run.
    pub(super) pages: Vec<(usize, Brief)>,
    /// The words of each language.
    pub(super) languages: BTreeMap<String, JoinedWords>,
    /// The pieces of texts, in order; no piece has pages of two segments.
    pub(super) texts: Vec<TextPiece>,
}

/// A piece of texts.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct TextPiece {
    /// Number of pages.
    pub(super) pages: usize,
    /// The file of what excerpts are taken from.
    pub(super) texts: PackedPiece,
    /// The file of what that leaves out, if there is anything.
    pub(super) rest: Option<PackedPiece>,
}

/// A piece that is packed.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct PackedPiece {
    /// Key in the store; `None` if it is not stored.
    pub(super) key: Option<ContentHash>,
    /// The name of its file.
    pub(super) name: String,
}

/// The key of the segment of pages whose search documents have these digests; pages that are not to be found have none.
pub fn key(sources: &[Option<ContentHash>], addresses: &[u8]) -> ContentHash {
    let mut bytes = Vec::with_capacity(sources.len() * 33);
    for source in sources {
        bytes.push(u8::from(source.is_some()));
        bytes.extend_from_slice(source.as_ref().map_or(&[][..], |source| source.as_bytes()));
    }
    ContentHash::of_parts([
        b"search segment",
        PROGRAM.as_bytes(),
        SHELL.as_bytes(),
        addresses,
        &bytes,
    ])
}

impl Segment {
    /// The segment that is kept under `key`, if each file of its texts is there, or can be written again; `is_left` says, by the
    /// name of a file, whether the output folder has it as an earlier build left it.
    pub fn load(
        store: &dyn ArtifactStore,
        key: ContentHash,
        is_left: &dyn Fn(&str) -> bool,
        write: &dyn Fn(&str, &[u8]),
    ) -> Option<Self> {
        let segment: Self = postcard::from_bytes(&store.get(key)?).ok()?;
        for packed in segment.packed().filter(|packed| !is_left(&packed.name)) {
            write(&packed.name, &store.get(packed.key?)?);
        }
        Some(segment)
    }

    fn packed(&self) -> impl Iterator<Item = &PackedPiece> {
        let pieces = self.texts.iter();
        pieces.flat_map(|piece| {
            [Some(&piece.texts), piece.rest.as_ref()]
                .into_iter()
                .flatten()
        })
    }

    /// The segment of `parts`, whose texts stand in `texts`.
    pub(super) fn of(parts: Vec<(usize, Part)>, texts: Vec<TextPiece>) -> Self {
        let mut words = GatheredWords::default();
        let mut pages = Vec::with_capacity(parts.len());
        for (i, (at, part)) in parts.into_iter().enumerate() {
            words.add(i, &part);
            pages.push((at, part.brief));
        }
        Self {
            pages,
            languages: words.merge(),
            texts,
        }
    }

    /// Keeps it under `key`.
    pub(super) fn keep(&self, store: &dyn ArtifactStore, key: ContentHash) {
        if let Ok(bytes) = postcard::to_allocvec(self) {
            store.put(key, bytes, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routes(count: usize) -> Vec<Route> {
        let routes = (0..count).map(|i| Route::new(&format!("/guides/page-{i:05}")));
        routes.map(|route| route.expect("a route")).collect()
    }

    /// The first page of each segment.
    fn firsts(routes: &[Route]) -> Vec<&Route> {
        let mut at = 0;
        let lengths = lengths(routes.iter()).into_iter();
        let firsts = lengths.map(|length| {
            at += length;
            &routes[at - length]
        });
        firsts.collect()
    }

    #[test]
    fn a_page_that_comes_moves_at_most_the_segment_that_it_stands_in() {
        let before = routes(10_000);
        let firsts_before = firsts(&before);
        assert!(
            (20..=60).contains(&firsts_before.len()),
            "{}",
            firsts_before.len()
        );
        for at in [0, 1, 4_321, 9_999] {
            let mut after = before.clone();
            after.remove(at);
            let moved = firsts(&after);
            let other = |one: &[&Route], two: &[&Route]| {
                one.iter().filter(|route| !two.contains(route)).count()
            };
            let (gone, new) = (other(&firsts_before, &moved), other(&moved, &firsts_before));
            assert!(gone <= 3 && new <= 3, "{at}: {gone} gone, {new} new");
        }
        assert!(
            lengths(before.iter())
                .into_iter()
                .all(|length| length <= MAX_PAGES)
        );
    }
}
