//! Versions of OpenAPI, as far as they decide how schemas are read.

/// The dialect that a document is read with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// OpenAPI 3.0: its own dialect of schemas.
    V30,
    /// OpenAPI 3.1 and what came after: JSON Schema 2020-12.
    V31,
}

impl Version {
    /// Returns the version in the `openapi` field; `None` if it is not supported.
    pub fn of(text: &str) -> Option<Self> {
        if text == "3.0" || text.starts_with("3.0.") {
            Some(Self::V30)
        } else {
            (text == "3" || text.starts_with("3.")).then_some(Self::V31)
        }
    }
}
