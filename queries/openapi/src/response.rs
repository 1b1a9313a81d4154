//! Responses, for code that makes or checks them: the schema of a body, a value of a header.

use std::sync::Arc;

use super::direction::Hidden;
use super::document::Document;
use super::endpoint::Location;
use super::index::OTHERS;
use super::merge::Schemas;
use super::operation::path_items;
use super::reference::{ResolvedObject, follow};
use super::schema::Schema;
use super::serialize::{self, Serialization};
use base::data::pointer::{child, segments};

/// The response that the operation at `pointer` has under `status`, as written: the value there or
/// behind its references.
fn response<'d>(
    document: &dyn Document<'d>,
    pointer: &str,
    status: &str,
) -> Option<ResolvedObject<'d>> {
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
    follow(document, document.value(&at)?, &at, &mut Vec::new())
}

/// The schema of the form `media` of the response that the operation at `pointer` has under `status`, both as written.
pub(super) fn response_schema(
    schemas: &mut Schemas<'_, '_>,
    pointer: &str,
    status: &str,
    media: &str,
) -> Option<Arc<Schema>> {
    let document = schemas.document;
    let nothing = &mut Vec::new();
    let response = response(document, pointer, status)?;
    let content = response.members.get("content")?.get(media)?;
    let at = child(&child(&response.pointer, "content"), media);
    let form = follow(document, content, &at, nothing)?;
    let key = ["schema", "itemSchema"]
        .into_iter()
        .find(|key| form.members.contains_key(*key))?;
    schemas.at(&child(&form.pointer, key))
}

/// A value of the header `name` of that response, made of its schema and serialized accordingly.
pub(super) fn response_header(
    schemas: &mut Schemas<'_, '_>,
    pointer: &str,
    status: &str,
    name: &str,
) -> Option<String> {
    let document = schemas.document;
    let response = response(document, pointer, status)?;
    let header = response.members.get("headers")?.get(name)?;
    let at = child(&child(&response.pointer, "headers"), name);
    let header = follow(document, header, &at, &mut Vec::new())?;
    let mut at = header.pointer.clone();
    if !header.members.contains_key("schema") {
        let content = header.members.get("content")?.as_object()?;
        at = child(&child(&at, "content"), content.keys().next()?);
    }
    let schema = schemas.at(&child(&at, "schema"))?;
    let value = schemas.sample(&schema, Hidden::WriteOnly)?;
    let spec = Serialization::of(header.members, Location::Header);
    Some(serialize::header(&spec, &value))
}
