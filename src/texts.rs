//! Texts as the host hears of them. A large one is compared with what it was, once: that tells its digest and where it was
//! edited, without reading the rest.

use std::collections::HashMap;
use std::sync::Arc;

use queries::content::pieces::Pieces;
use queries::content::{ContentHash, LARGE};
use queries::data::split::{common_prefix, common_suffix};
use queries::path::SitePath;

/// What a file holds.
pub struct Text {
    /// Its bytes.
    pub bytes: Arc<[u8]>,
    /// Their digest.
    pub digest: ContentHash,
    same: Option<Same>,
}

/// What a file held before, and how many bytes both texts begin and end with alike.
struct Same {
    before: Arc<[u8]>,
    bytes: (usize, usize),
}

impl Text {
    /// One that was not compared with anything.
    pub fn new(bytes: Arc<[u8]>, digest: ContentHash) -> Self {
        Self {
            bytes,
            digest,
            same: None,
        }
    }

    /// How many bytes this and `before` begin and end with alike.
    pub fn same_as(&self, before: &Arc<[u8]>) -> (usize, usize) {
        match &self.same {
            Some(same) if Arc::ptr_eq(&same.before, before) => same.bytes,
            _ => compare(before, &self.bytes),
        }
    }
}

/// The pieces of the large texts that were seen, with the digest of each text. The texts themselves are held by who needs
/// them.
#[derive(Default)]
pub struct Texts(HashMap<SitePath, (ContentHash, Pieces)>);

impl Texts {
    /// What the file at `path` holds, which is `bytes` now. Whoever holds what it was before may give it, with its digest.
    pub fn see(
        &mut self,
        path: &SitePath,
        bytes: Arc<[u8]>,
        before: Option<(&Arc<[u8]>, ContentHash)>,
    ) -> Text {
        if bytes.len() < LARGE {
            self.0.remove(path);
            let digest = ContentHash::of(&bytes);
            return Text::new(bytes, digest);
        }
        let same = before.map(|(before, _)| Same {
            before: before.clone(),
            bytes: compare(before, &bytes),
        });
        let pieces = match (self.0.get(path), before, &same) {
            (Some((known, pieces)), Some((_, digest)), Some(same)) if *known == digest => {
                pieces.edited(&bytes, same.bytes)
            }
            _ => Pieces::of(&bytes),
        };
        let digest = pieces.digest();
        self.0.insert(path.clone(), (digest, pieces));
        Text {
            bytes,
            digest,
            same,
        }
    }

    /// Forgets the text at `path`.
    pub fn forget(&mut self, path: &SitePath) {
        self.0.remove(path);
    }
}

/// How many bytes `before` and `after` begin and end with alike; large ones are compared from both ends at once.
fn compare(before: &[u8], after: &[u8]) -> (usize, usize) {
    if after.len() < LARGE {
        return (common_prefix(before, after), common_suffix(before, after));
    }
    std::thread::scope(|scope| {
        let end = scope.spawn(|| common_suffix(before, after));
        let begin = common_prefix(before, after);
        // Nothing is known to be alike if it cannot be told.
        (begin, end.join().unwrap_or(0))
    })
}
