//! Texts that are bytes where they stand: a whole body of a binary media type, and parts of `multipart` whose media type is
//! binary. In JSON the same schema is a text (OpenAPI 3.1, 4.8.14.4 and 4.8.15).

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Flat, Schemas, Union};
use crate::media::Format;
use crate::schema::{Additional, Schema, Type, is_binary_media};

/// How many unions and arrays in each other are looked into.
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
        let flat = self.flat(schema);
        let mut merged = (*flat.schema).clone();
        let mut is_changed = false;
        for (name, property) in &mut merged.properties {
            let of_part = encoding.get(name).and_then(binary_type);
            if let Some(file) = self.as_file(property, of_part.as_deref(), 0) {
                *property = file;
                is_changed = true;
            }
        }
        if let Some(Additional::Schema(other)) = &merged.additional
            && let Some(file) = self.as_file(other, None, 0)
        {
            merged.additional = Some(Additional::Schema(file));
            is_changed = true;
        }
        let mut unions = (*flat.unions).clone();
        if depth < MAX_DEPTH {
            is_changed |= self.change_branches(&mut unions, |schemas, branch| {
                schemas.with_files(branch, encoding, depth + 1)
            });
        }
        is_changed.then(|| self.form_of(schema, &flat, merged, unions, "files"))
    }

    /// A text, or an array of texts, as a file; `None` if it is none. `of_part` is the binary media type that the body or the
    /// encoding of the part has.
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
            let is_changed = self.change_branches(&mut unions, |schemas, branch| {
                schemas.as_file(branch, of_part, depth + 1)
            });
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

    fn change_branches(
        &mut self,
        unions: &mut [Union],
        change: impl Fn(&mut Self, &Arc<Schema>) -> Option<Arc<Schema>>,
    ) -> bool {
        let mut is_changed = false;
        for branch in unions.iter_mut().flat_map(|union| &mut union.branches) {
            if let Some(changed) = change(self, branch) {
                *branch = changed;
                is_changed = true;
            }
        }
        is_changed
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

/// The media type that the `contentType` of an encoding says, if all that it lists are binary.
fn binary_type(encoding: &Value) -> Option<String> {
    let listed = encoding.get("contentType")?.as_str()?;
    let mut types = listed.split(',').map(str::trim);
    let is_binary = types.clone().all(is_binary_media);
    types.next().filter(|_| is_binary).map(str::to_owned)
}
