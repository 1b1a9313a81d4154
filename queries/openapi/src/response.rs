//! The schema of what comes back, for whoever makes or checks a body of it.

use std::sync::Arc;

use super::index::OTHERS;
use super::merge::Schemas;
use super::operation::path_items;
use super::reference::follow;
use super::schema::Schema;
use base::data::pointer::{child, segments};

/// The schema of the form `media` of the response that the operation at `pointer` has under `status`, both as written.
pub(super) fn response_schema(
    schemas: &mut Schemas<'_, '_>,
    pointer: &str,
    status: &str,
    media: &str,
) -> Option<Arc<Schema>> {
    let document = schemas.document;
    let (item, method) = pointer.rsplit_once('/')?;
    let method = segments(&format!("/{method}")).last()?;
    let items = path_items(document, item);
    let below = |at: &str| {
        let named = child(at, &method);
        let other = child(&child(at, OTHERS), &method);
        [named, other]
            .into_iter()
            .find(|at| document.value(at).is_some())
    };
    let operation = items.iter().find_map(|at| below(at))?;
    let at = child(&child(&operation, "responses"), status);
    let nothing = &mut Vec::new();
    let response = follow(document, document.value(&at)?, &at, nothing)?;
    let content = response.members.get("content")?.get(media)?;
    let at = child(&child(&response.pointer, "content"), media);
    let form = follow(document, content, &at, nothing)?;
    let key = ["schema", "itemSchema"]
        .into_iter()
        .find(|key| form.members.contains_key(*key))?;
    schemas.at(&child(&form.pointer, key))
}
