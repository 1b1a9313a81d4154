//! Digests of contents.

pub mod pieces;
mod text_bytes;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use text_bytes::TextBytes;

/// Number of bytes from which the digest of a text is that of its pieces.
pub const LARGE: usize = 1 << 20;

/// The blake3 digest of some bytes (256 bit). Two equal digests are taken to mean equal bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// The digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The digest of a file that holds `text`: that of its bytes, or, of [`LARGE`] and more, that of its
    /// [pieces](pieces::Pieces), which an edit changes few of.
    pub fn of_text(text: &[u8]) -> Self {
        if text.len() < LARGE {
            Self::of(text)
        } else {
            pieces::Pieces::of(text).digest()
        }
    }

    /// The digest of the bytes that `parts` are, one after the other: [`ContentHash::of`] them joined.
    pub fn of_joined(parts: &[impl AsRef<[u8]>]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(part.as_ref());
        }
        Self(*hasher.finalize().as_bytes())
    }

    /// Returns the digest of several parts, each delimited by its length.
    pub fn of_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self(*hasher.finalize().as_bytes())
    }

    /// The digest whose raw bytes are `bytes`, for what was written down.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The raw bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first 16 hexadecimal digits: enough for an `ETag` or a file name.
    pub fn short(&self) -> String {
        self.0[..8]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.short())
    }
}
