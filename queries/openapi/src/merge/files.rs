//! Texts that are bytes in their context: a whole body of a binary media type, and parts of
//! `multipart` whose media type is binary. In JSON the same schema is a text (OpenAPI 3.1, 4.8.14.4
//! and 4.8.15).

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Flat, Schemas, Union};
use crate::media::Format;
use crate::schema::{Additional, Schema, Type, is_binary_media};
use crate::version::Version;

/// Maximum depth of nested unions and arrays that are searched.
const MAX_DEPTH: usize = 4;

impl Schemas<'_, '_> {
    /// `schema` as content of the media type `name`, with files for texts that are bytes there.
    pub(crate) fn as_content(
        &mut self,
        name: &str,
        schema: &Arc<Schema>,
        encoding: &Map<String, Value>,
    ) -> Arc<Schema> {
        let content = match Format::of(name) {
            Format::Binary => self.as_file(schema, Some(name), 0),
            Format::Multipart => self.with_files(schema, encoding, 0),
            _ => None,
        };
        content.unwrap_or_else(|| schema.clone())
    }

    /// An object whose members are parts, with files among them; `None` if none is.
    fn with_files(
        &mut self,
        schema: &Arc<Schema>,
        encoding: &Map<String, Value>,
        depth: usize,
    ) -> Option<Arc<Schema>> {
        let mut flat = (*self.flat(schema)).clone();
        let mut merged = (*flat.schema).clone();
        let mut is_changed = false;
        for (name, property) in &mut merged.properties {
            let of_part = encoding.get(name).and_then(binary_type);
            is_changed |= self.change(property, |schemas, property| {
                schemas.as_part(property, of_part.as_deref())
            });
        }
        for (_, other) in &mut merged.pattern_properties {
            is_changed |= self.change(other, |schemas, other| schemas.as_part(other, None));
        }
        if let Some(Additional::Schema(other)) = &mut merged.additional {
            is_changed |= self.change(other, |schemas, other| schemas.as_part(other, None));
        }
        // The children of a base are its branches.
        let mut unions = self.choices(&flat);
        if depth < MAX_DEPTH {
            let mut inner: Vec<&mut Arc<Schema>> = unions
                .iter_mut()
                .flat_map(|union| &mut union.branches)
                .collect();
            inner.extend(&mut merged.then);
            inner.extend(&mut merged.otherwise);
            inner.extend(merged.dependent_schemas.iter_mut().map(|(_, one)| one));
            for one in inner {
                is_changed |= self.change(one, |schemas, one| {
                    schemas.with_files(one, encoding, depth + 1)
                });
            }
        }
        flat.base = None;
        is_changed.then(|| self.form_of(schema, &flat, merged, unions, "files"))
    }

    /// Returns the schema of a part as a file; `None` if it is not a file. A part without any type
    /// is one (OpenAPI 3.1.1, 4.8.15.1.2).
    fn as_part(&mut self, schema: &Arc<Schema>, of_part: Option<&str>) -> Option<Arc<Schema>> {
        let flat = self.flat(schema);
        let merged = &flat.schema;
        let says_nothing = merged.types.is_none()
            && !merged.has_structure()
            && merged.examples.is_empty()
            && merged.default.is_none()
            && flat.unions.is_empty()
            && flat.unresolved.is_none();
        let is_bytes = says_nothing && !matches!(self.document.version(), Version::V30);
        let of_part = of_part.or(is_bytes.then_some("application/octet-stream"));
        self.as_file(schema, of_part, 0)
    }

    fn change(
        &mut self,
        schema: &mut Arc<Schema>,
        change: impl FnOnce(&mut Self, &Arc<Schema>) -> Option<Arc<Schema>>,
    ) -> bool {
        let changed = change(self, schema);
        let is_changed = changed.is_some();
        if let Some(changed) = changed {
            *schema = changed;
        }
        is_changed
    }

    /// Returns a text, or an array of texts, as a file; `None` if it is not one. `of_part` is the
    /// binary media type that the body or the encoding of the part has.
    fn as_file(
        &mut self,
        schema: &Arc<Schema>,
        of_part: Option<&str>,
        depth: usize,
    ) -> Option<Arc<Schema>> {
        let flat = self.flat(schema);
        if depth > MAX_DEPTH || flat.schema.is_binary || flat.schema.values.is_some() {
            return None;
        }
        let mut merged = (*flat.schema).clone();
        let mut unions = (*flat.unions).clone();
        let mut kinds = merged.types.iter().flatten();
        let mut kinds_but_null = kinds.clone().filter(|kind| **kind != Type::Null);
        let is_array = kinds_but_null.clone().all(|kind| *kind == Type::Array);
        if is_array && let Some(items) = &merged.items {
            merged.items = Some(self.as_file(items, of_part, depth + 1)?);
            return Some(self.form_of(schema, &flat, merged, unions, "files"));
        }
        if !unions.is_empty() {
            let mut is_changed = false;
            for branch in unions.iter_mut().flat_map(|union| &mut union.branches) {
                is_changed |= self.change(branch, |schemas, branch| {
                    schemas.as_file(branch, of_part, depth + 1)
                });
            }
            return is_changed.then(|| self.form_of(schema, &flat, merged, unions, "files"));
        }
        let is_text = kinds_but_null.all(|kind| *kind == Type::String);
        let is_any = merged.types.is_none() && !merged.has_structure();
        let own = merged.content_media_type.as_deref();
        let own = own.filter(|own| is_binary_media(own));
        let media = own.or(of_part.filter(|_| merged.content_media_type.is_none()))?;
        let is_encoded = merged.content_encoding.is_some() || !merged.formats.is_empty();
        if !(is_text && merged.types.is_some() || is_any) || is_encoded {
            return None;
        }
        let is_nullable = kinds.any(|kind| *kind == Type::Null);
        let mut types = vec![Type::String];
        types.extend(is_nullable.then_some(Type::Null));
        let media = media.to_owned();
        let name = format!("file={media}");
        merged.types = Some(types);
        merged.is_binary = true;
        merged.content_media_type = Some(media);
        Some(self.form_of(schema, &flat, merged, Vec::new(), &name))
    }

    /// Adds `merged` as another form of `schema`, under a pointer of its own.
    fn form_of(
        &mut self,
        schema: &Schema,
        flat: &Flat,
        mut merged: Schema,
        unions: Vec<Union>,
        name: &str,
    ) -> Arc<Schema> {
        let pointer = format!("{}&{name}", schema.pointer);
        merged.pointer = format!("{}&{name}", merged.pointer);
        let form = Arc::new(Flat {
            schema: Arc::new(merged),
            unions: Arc::new(unions),
            ..flat.clone()
        });
        self.raws.insert(pointer.clone(), form.clone());
        self.flats.insert(pointer.clone(), form);
        Arc::new(Schema {
            pointer,
            ..schema.clone()
        })
    }
}

/// Returns the media type in the `contentType` of an encoding, if all that it lists are binary.
fn binary_type(encoding: &Value) -> Option<String> {
    let listed = encoding.get("contentType")?.as_str()?;
    let mut types = listed.split(',').map(str::trim);
    let is_binary = types.clone().all(is_binary_media);
    types.next().filter(|_| is_binary).map(str::to_owned)
}
