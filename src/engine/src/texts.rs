//! Texts as the host hears of them. A large one is compared with what it was, once: that tells its digest and where it was
//! edited, without reading the rest.

use std::collections::HashMap;

use queries::base::content::pieces::Pieces;
use queries::base::content::{ContentHash, LARGE, TextBytes};
use queries::base::data::split::{common_prefix, common_suffix};
use queries::base::path::SitePath;
use queries::change::Text;

/// The pieces of the large texts that were seen, with the digest of each text. The texts themselves are held by who needs
/// them.
#[derive(Default)]
pub struct Texts(HashMap<SitePath, (ContentHash, Pieces)>);

impl Texts {
    /// Records `bytes` as the content of the file at `path`. `before` may give the previous content
    /// with its digest.
    pub fn see(
        &mut self,
        path: &SitePath,
        bytes: TextBytes,
        before: Option<(&TextBytes, ContentHash)>,
    ) -> Text {
        if bytes.len() < LARGE {
            self.0.remove(path);
            let digest = ContentHash::of(&bytes);
            return Text::new(bytes, digest);
        }
        let alike = before.map(|(before, _)| compare(before, &bytes));
        let pieces = match (self.0.get(path), before, alike) {
            (Some((known, pieces)), Some((_, digest)), Some(alike)) if *known == digest => {
                pieces.edited(&bytes, alike)
            }
            _ => Pieces::of(&bytes),
        };
        let digest = pieces.digest();
        self.0.insert(path.clone(), (digest, pieces));
        match before.zip(alike) {
            Some(((before, _), alike)) => Text::compared(bytes, digest, before.clone(), alike),
            None => Text::new(bytes, digest),
        }
    }

    /// Forgets the text at `path`.
    pub fn forget(&mut self, path: &SitePath) {
        self.0.remove(path);
    }
}

/// Lengths of the common prefix and suffix of two large texts; compared from both ends at once.
fn compare(before: &[u8], after: &[u8]) -> (usize, usize) {
    std::thread::scope(|scope| {
        let end = scope.spawn(|| common_suffix(before, after));
        let begin = common_prefix(before, after);
        // Nothing is known to be alike if it cannot be told.
        (begin, end.join().unwrap_or(0))
    })
}
