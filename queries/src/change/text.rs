//! The text of a file, and how far it is the text that it was before.

use base::content::{ContentHash, TextBytes};
use base::data::split::{common_prefix, common_suffix};

/// Content of a file.
#[derive(Clone)]
pub struct Text {
    /// Bytes of the file.
    pub bytes: TextBytes,
    /// Digest of `bytes`.
    pub digest: ContentHash,
    same: Option<Same>,
}

/// Previous content of a file, and the lengths of the common prefix and suffix.
#[derive(Clone)]
struct Same {
    before: TextBytes,
    bytes: (usize, usize),
}

impl Text {
    /// A text that was not compared with anything.
    pub fn new(bytes: TextBytes, digest: ContentHash) -> Self {
        Self {
            bytes,
            digest,
            same: None,
        }
    }

    /// A text that begins and ends like `before` with so many bytes each.
    pub fn compared(
        bytes: TextBytes,
        digest: ContentHash,
        before: TextBytes,
        alike: (usize, usize),
    ) -> Self {
        let same = Some(Same {
            before,
            bytes: alike,
        });
        Self {
            bytes,
            digest,
            same,
        }
    }

    /// Lengths of the common prefix and suffix with `before`.
    pub fn same_as(&self, before: &TextBytes) -> (usize, usize) {
        match &self.same {
            Some(same) if same.before.ptr_eq(before) => same.bytes,
            _ => (
                common_prefix(before, &self.bytes),
                common_suffix(before, &self.bytes),
            ),
        }
    }
}
