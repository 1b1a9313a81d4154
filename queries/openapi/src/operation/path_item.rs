//! A path item: its members and those of the one that it refers to.

use serde_json::Value;

use crate::document::Document;
use crate::index::OTHERS;
use crate::slice::decode_fragment;
use crate::view::Page;
use base::data::pointer::child;
use base::diagnostic::Code;

/// Members of a path item: its own, then those behind its `$ref`.
pub(super) struct PathItem {
    pointers: Vec<String>,
}

/// The pointers of the path item at `pointer` and of those behind its `$ref`.
pub(crate) fn path_items(document: &dyn Document<'_>, pointer: &str) -> Vec<String> {
    let mut pointers = vec![pointer.to_owned()];
    let mut at = pointer.to_owned();
    while let Some(reference) = document.value(&child(&at, "$ref")) {
        let Some(fragment) = reference.as_str().and_then(|text| text.strip_prefix('#')) else {
            break;
        };
        at = decode_fragment(fragment);
        if pointers.contains(&at) {
            break;
        }
        pointers.push(at.clone());
    }
    pointers
}

impl PathItem {
    pub(super) fn new(page: &mut Page<'_, '_>, pointer: &str) -> Self {
        let pointers = path_items(page.schemas.document, pointer);
        Self { pointers }
    }

    /// The operation of a method that has no member of its own, and its pointer.
    pub(super) fn other<'d>(
        &self,
        page: &mut Page<'_, 'd>,
        method: &str,
    ) -> Option<(&'d Value, String)> {
        let (_, others) = self.member(page, OTHERS)?;
        let at = child(&others, method);
        Some((page.schemas.document.value(&at)?, at))
    }

    /// A member and its pointer. One that both define is the item's own, and is reported.
    pub(super) fn member<'d>(
        &self,
        page: &mut Page<'_, 'd>,
        key: &str,
    ) -> Option<(&'d Value, String)> {
        let document = page.schemas.document;
        let found = self.pointers.iter().filter_map(|pointer| {
            let at = child(pointer, key);
            document.value(&at).map(|value| (value, at))
        });
        let mut found: Vec<(&'d Value, String)> = found.collect();
        if found.len() > 1 {
            let message = format!("`{key}` is defined here and in the path item referred to");
            page.schemas
                .problem(Code::PathitemConflict, &found[0].1, message);
        }
        (!found.is_empty()).then(|| found.swap_remove(0))
    }
}
