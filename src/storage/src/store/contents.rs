//! The content store: bytes of text files by digest.
//!
//! A digest names its bytes for ever, so a read can never be stale. Bytes that stand in a file are
//! read when they are first asked for, checked by their digest, and let go when others were asked
//! for since; bytes that stand nowhere else stay. Contents are reference-counted: users of a digest
//! register, and unused contents are dropped.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use queries::base::content::{ContentHash, TextBytes};
use queries::site::ContentLost;
use rustc_hash::FxHashMap;

/// Maximum number of bytes held that could be read again, unless a single content is larger.
const BUDGET: usize = 8 << 20;

/// Bytes by digest.
pub struct Contents {
    cache: Mutex<Cache>,
    budget: usize,
}

#[derive(Default)]
struct Cache {
    entries: FxHashMap<ContentHash, StoredContent>,
    /// Contents that could be read again, oldest first.
    loaded: BTreeMap<u64, ContentHash>,
    /// When the next one is counted.
    next: u64,
    /// Sum of their bytes.
    bytes: usize,
}

#[derive(Default)]
struct StoredContent {
    bytes: Option<TextBytes>,
    /// Files that held them when they were looked at last, each with its users.
    places: FxHashMap<PathBuf, usize>,
    /// Users who have them from elsewhere.
    pinned: usize,
    /// Their key in `loaded`.
    load_order: Option<u64>,
}

/// Size of the held contents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContentSize {
    /// Number of known contents.
    pub contents: usize,
    /// Number of bytes in memory.
    pub bytes: usize,
}

impl Default for Contents {
    fn default() -> Self {
        Self::with_budget(BUDGET)
    }
}

impl Contents {
    /// A store that holds about `budget` bytes of what it could read again.
    pub fn with_budget(budget: usize) -> Self {
        Self {
            cache: Mutex::default(),
            budget,
        }
    }

    /// Knows `digest` for one more user, who has its bytes, or knows the file that holds them, or both. Without a file
    /// they stay in memory as long as they are used.
    pub fn retain(&self, digest: ContentHash, bytes: Option<TextBytes>, place: Option<PathBuf>) {
        let mut cache = self.lock();
        let stored = cache.entries.entry(digest).or_default();
        let is_pinned = place.is_none();
        match place {
            Some(place) => *stored.places.entry(place).or_default() += 1,
            None => stored.pinned += 1,
        }
        // Who has them for good may share them with others: theirs are the ones that stay.
        if bytes.is_some() && (is_pinned || stored.bytes.is_none()) {
            stored.bytes = bytes;
        }
        cache.count(digest);
        cache.make_room(self.budget);
    }

    /// Removes one user of `digest`, the one that registered it with `place`. The last one takes
    /// the bytes along; returns whether it was that.
    pub fn release(&self, digest: ContentHash, place: Option<&Path>) -> bool {
        let mut cache = self.lock();
        let Some(stored) = cache.entries.get_mut(&digest) else {
            return false;
        };
        match place {
            Some(place) => {
                if let Some(users) = stored.places.get_mut(place) {
                    *users -= 1;
                    if *users == 0 {
                        stored.places.remove(place);
                    }
                }
            }
            None => stored.pinned = stored.pinned.saturating_sub(1),
        }
        let is_last = stored.places.is_empty() && stored.pinned == 0;
        if is_last {
            if let Some(stored) = cache.entries.remove(&digest)
                && let Some(at) = stored.load_order
            {
                cache.loaded.remove(&at);
                cache.bytes -= stored.bytes.map_or(0, |bytes| bytes.len());
            }
        } else {
            cache.count(digest);
        }
        is_last
    }

    /// Returns the bytes with the digest `digest`; `Ok(None)` if no input uses it, an error if no
    /// file has this content any more.
    pub fn bytes(&self, digest: ContentHash) -> Result<Option<TextBytes>, ContentLost> {
        let place = match self.lock().entries.get(&digest) {
            None => return Ok(None),
            Some(StoredContent {
                bytes: Some(bytes), ..
            }) => return Ok(Some(bytes.clone())),
            // Most contents are in one file, and one of a thousand equal files is enough.
            Some(stored) => stored.places.keys().next().cloned(),
        };
        // Read outside of the lock, so that other threads do not wait for the disk.
        let read_at = |place: &PathBuf| {
            let is_file = fs::metadata(place).is_ok_and(|metadata| metadata.is_file());
            let bytes = is_file.then(|| fs::read(place).ok())??;
            (ContentHash::of_text(&bytes) == digest).then_some(bytes)
        };
        let read = place.as_ref().and_then(read_at).or_else(|| {
            let places = self.lock().entries.get(&digest)?.places.clone();
            places.keys().find_map(read_at)
        });
        let bytes: TextBytes = read.ok_or(ContentLost(digest))?.into();
        let mut cache = self.lock();
        if let Some(stored) = cache.entries.get_mut(&digest)
            && stored.bytes.is_none()
        {
            stored.bytes = Some(bytes.clone());
            cache.count(digest);
            cache.make_room(self.budget);
        }
        Ok(Some(bytes))
    }

    /// Size of the held contents.
    pub fn size(&self) -> ContentSize {
        let cache = self.lock();
        let bytes = cache
            .entries
            .values()
            .filter_map(|stored| stored.bytes.as_ref());
        ContentSize {
            contents: cache.entries.len(),
            bytes: bytes.map(|bytes| bytes.len()).sum(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cache {
    /// Counts `digest` among what can be let go, if it can, and is not yet.
    fn count(&mut self, digest: ContentHash) {
        let Some(stored) = self.entries.get_mut(&digest) else {
            return;
        };
        let Some(bytes) = &stored.bytes else { return };
        match (stored.pinned == 0, stored.load_order) {
            (true, None) => {
                stored.load_order = Some(self.next);
                self.loaded.insert(self.next, digest);
                self.next += 1;
                self.bytes += bytes.len();
            }
            (false, Some(at)) => {
                stored.load_order = None;
                self.loaded.remove(&at);
                self.bytes -= bytes.len();
            }
            (true, Some(_)) | (false, None) => {}
        }
    }

    /// Lets go of what is held longest until `budget` is kept; the last one that was added stays.
    fn make_room(&mut self, budget: usize) {
        while self.bytes > budget && self.loaded.len() > 1 {
            let Some((_, digest)) = self.loaded.pop_first() else {
                return;
            };
            if let Some(stored) = self.entries.get_mut(&digest) {
                stored.load_order = None;
                self.bytes -= stored.bytes.take().map_or(0, |bytes| bytes.len());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_go_with_their_last_user() {
        let store = Contents::default();
        let digest = ContentHash::of(b"a");
        store.retain(digest, Some("a".into()), None);
        store.retain(digest, Some("a".into()), None);
        store.release(digest, None);
        assert_eq!(store.bytes(digest), Ok(Some("a".into())));
        store.release(digest, None);
        assert_eq!(store.bytes(digest), Ok(None));
        assert_eq!(store.size(), ContentSize::default());
    }

    #[test]
    fn what_stands_in_a_file_is_read_when_it_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let store = Contents::with_budget(25);
        let place = |name: &str| folder.path().join(name);
        let texts = ["first text", "second text", "third text"];
        for text in texts {
            fs::write(place(text), text).unwrap();
            store.retain(ContentHash::of(text.as_bytes()), None, Some(place(text)));
        }
        assert_eq!(store.size().bytes, 0);
        for text in texts.iter().chain(&texts) {
            let digest = ContentHash::of(text.as_bytes());
            assert_eq!(store.bytes(digest), Ok(Some((*text).into())));
            assert!(store.size().bytes <= 25);
        }
        // The file holds something else by now, and nobody has told.
        let first = ContentHash::of(texts[0].as_bytes());
        fs::write(place(texts[0]), "other text").unwrap();
        assert_eq!(store.bytes(first), Err(ContentLost(first)));
        // Another file that holds the same does.
        fs::write(place("copy"), texts[0]).unwrap();
        store.retain(first, None, Some(place("copy")));
        assert_eq!(store.bytes(first), Ok(Some(texts[0].into())));
        store.release(first, Some(&place("copy")));
        store.release(first, Some(&place(texts[0])));
        assert_eq!(store.bytes(first), Ok(None));
    }

    /// Small texts never come near the budget, so nothing else would ever let go of them.
    #[test]
    fn nothing_is_left_of_texts_that_were_replaced() {
        let (store, place) = (Contents::default(), PathBuf::from("page.mdx"));
        let mut before = None;
        for n in 0..1000u32 {
            let text = n.to_string();
            let digest = ContentHash::of(text.as_bytes());
            store.retain(digest, Some(text.as_str().into()), Some(place.clone()));
            // Somebody else has it, too, for a while.
            store.retain(digest, None, None);
            store.release(digest, None);
            if let Some(before) = before.replace(digest) {
                store.release(before, Some(&place));
            }
        }
        let cache = store.lock();
        assert_eq!(
            (cache.entries.len(), cache.loaded.len(), cache.bytes),
            (1, 1, 3)
        );
    }

    #[test]
    fn what_stands_nowhere_else_stays() {
        let folder = tempfile::tempdir().unwrap();
        let store = Contents::with_budget(1);
        let digest = ContentHash::of(b"slice");
        store.retain(
            digest,
            Some("slice".into()),
            Some(folder.path().join("none")),
        );
        store.retain(digest, Some("slice".into()), None);
        for n in 0..10u8 {
            store.retain(
                ContentHash::of(&[n]),
                Some([n][..].into()),
                Some(folder.path().join("none")),
            );
        }
        assert_eq!(store.bytes(digest), Ok(Some("slice".into())));
    }
}
