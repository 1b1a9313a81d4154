//! Shared bytes of a text.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Bytes of a text; cheap to clone. They may be part of a longer buffer, so that the next text can
/// be read into it.
#[derive(Clone)]
pub struct TextBytes(Shared);

#[derive(Clone)]
enum Shared {
    Slice(Arc<[u8]>),
    Buffer(Arc<Vec<u8>>),
}

impl TextBytes {
    /// Returns true if both are the same bytes in memory.
    pub fn ptr_eq(&self, other: &Self) -> bool {
        std::ptr::eq::<[u8]>(&**self, &**other)
    }

    /// Returns their buffer, if it is not shared; they are still in it.
    pub fn into_buffer(self) -> Option<Vec<u8>> {
        match self.0 {
            Shared::Slice(_) => None,
            Shared::Buffer(buffer) => Arc::try_unwrap(buffer).ok(),
        }
    }
}

impl Deref for TextBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Shared::Slice(bytes) => bytes,
            Shared::Buffer(buffer) => buffer,
        }
    }
}

impl AsRef<[u8]> for TextBytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl From<Vec<u8>> for TextBytes {
    fn from(buffer: Vec<u8>) -> Self {
        Self(Shared::Buffer(Arc::new(buffer)))
    }
}

impl From<Arc<[u8]>> for TextBytes {
    fn from(bytes: Arc<[u8]>) -> Self {
        Self(Shared::Slice(bytes))
    }
}

impl From<Arc<str>> for TextBytes {
    fn from(text: Arc<str>) -> Self {
        Arc::<[u8]>::from(text).into()
    }
}

impl From<String> for TextBytes {
    fn from(text: String) -> Self {
        text.into_bytes().into()
    }
}

impl From<&[u8]> for TextBytes {
    fn from(bytes: &[u8]) -> Self {
        Arc::<[u8]>::from(bytes).into()
    }
}

impl From<&str> for TextBytes {
    fn from(text: &str) -> Self {
        text.as_bytes().into()
    }
}

impl PartialEq for TextBytes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for TextBytes {}

impl fmt::Debug for TextBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_had_back_when_nobody_else_reads_it() {
        let mut buffer = Vec::with_capacity(100);
        buffer.extend_from_slice(b"text");
        let at = buffer.as_ptr();
        let bytes = TextBytes::from(buffer);
        let other = bytes.clone();
        assert!(bytes.ptr_eq(&other));
        assert_eq!(bytes, TextBytes::from("text"));
        assert!(!bytes.ptr_eq(&TextBytes::from("text")));
        assert_eq!(bytes.into_buffer(), None);
        let buffer = other.into_buffer().expect("the last one");
        assert_eq!((buffer.as_ptr(), buffer.capacity()), (at, 100));
        assert_eq!(TextBytes::from("text").into_buffer(), None);
    }
}
