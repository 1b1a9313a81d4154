//! Documents of older formats, which are read as equivalent newer ones: Swagger 2.0 and AsyncAPI 2.

use std::borrow::Cow;

use serde_json::Value;

use super::{asyncapi2, swagger};

/// An older format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Older {
    /// Swagger 2.0, read as OpenAPI 3.0.
    Swagger,
    /// AsyncAPI 2, read as AsyncAPI 3.0.
    AsyncApi2,
}

impl Older {
    /// The format of a document; `value` returns the value at a pointer of it. `None` if it is not
    /// one that is converted.
    pub fn of(value: &dyn Fn(&str) -> Option<Value>) -> Option<Self> {
        if value("/swagger").is_some_and(|version| swagger::is_convertible(&version)) {
            return value("/openapi").is_none().then_some(Self::Swagger);
        }
        let asyncapi = value("/asyncapi")?;
        asyncapi2::is_convertible(&asyncapi).then_some(Self::AsyncApi2)
    }

    /// The format that the text of a document is of.
    pub fn of_text(text: &str) -> Option<Self> {
        if swagger::is_swagger(text) {
            return Some(Self::Swagger);
        }
        asyncapi2::is_asyncapi_2(text).then_some(Self::AsyncApi2)
    }

    /// The document as one of the newer format.
    pub fn converted(self, root: Value) -> Value {
        match self {
            Self::Swagger => swagger::converted(root),
            Self::AsyncApi2 => asyncapi2::converted(root),
        }
    }

    /// Returns the origin of the value at a pointer of the converted document.
    pub fn origin(self, pointer: &str) -> Cow<'_, str> {
        Cow::Owned(match self {
            Self::Swagger => swagger::origin(pointer),
            Self::AsyncApi2 => asyncapi2::origin(pointer),
        })
    }
}

/// Returns true if a document in JSON or YAML has the member `name` at its top with a wanted value.
/// A look at the text: it may also find a member elsewhere.
pub(super) fn has_member(text: &str, name: &str, is_wanted: impl Fn(&str) -> bool) -> bool {
    text.match_indices(name).any(|(at, name)| {
        let before = text[..at].trim_end_matches(['"', '\'']);
        let is_member = before.is_empty()
            || before.ends_with('\n')
            || before.trim_end().ends_with(['{', ',', '\u{feff}']);
        let value = text[at + name.len()..].trim_start_matches(['"', '\'']);
        let value = value.trim_start().strip_prefix(':');
        let value = value.map(|value| value.trim_start().trim_start_matches(['"', '\'']));
        is_member && value.is_some_and(&is_wanted)
    })
}
