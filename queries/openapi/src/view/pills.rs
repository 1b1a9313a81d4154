//! The pills of a row.

use serde_json::{Map, Value};

use super::Page;
use crate::endpoint::{Pill, PillKind};
use crate::merge::Flat;
use crate::schema::{Schema, docs};
use crate::view::literal;
use base::diagnostic::Code;

impl Page<'_, '_> {
    /// `x-docs.pre`.
    pub(super) fn pills_before(
        &mut self,
        schema: &Schema,
        container: Option<&Map<String, Value>>,
    ) -> Vec<String> {
        self.own_pills(schema, container, "pre")
    }

    /// Pills of the specification, those of the configuration, `x-docs.post`; no text twice.
    pub(super) fn pills_after(
        &mut self,
        flat: &Flat,
        is_required: bool,
        is_deprecated: bool,
        container: Option<&Map<String, Value>>,
    ) -> Vec<Pill> {
        let schema = &flat.schema;
        let mut pills: Vec<Pill> = Vec::new();
        let mut add = |kind, text: String| {
            if !pills.iter().any(|pill| pill.text == text) {
                pills.push(Pill { kind, text });
            }
        };
        let built_in = [
            (is_required, PillKind::Required, "required"),
            (is_deprecated, PillKind::Deprecated, "deprecated"),
            (schema.is_read_only, PillKind::ReadOnly, "read-only"),
            (schema.is_write_only, PillKind::WriteOnly, "write-only"),
        ];
        for (_, kind, text) in built_in.into_iter().filter(|(is_shown, ..)| *is_shown) {
            add(kind, text.to_owned());
        }
        for key in &self.settings.pills {
            if key == "nullable" {
                if schema.is_nullable() || schema.says_nullable {
                    add(PillKind::Configured, key.clone());
                }
                continue;
            }
            let value = container.and_then(|container| container.get(key));
            for text in value
                .or_else(|| schema.extras.get(key))
                .map_or(Vec::new(), |v| configured(key, v))
            {
                add(PillKind::Configured, text);
            }
        }
        for text in self.own_pills(schema, container, "post") {
            add(PillKind::Own, text);
        }
        pills
    }

    fn own_pills(
        &mut self,
        schema: &Schema,
        container: Option<&Map<String, Value>>,
        member: &str,
    ) -> Vec<String> {
        let of_parameter = container.and_then(|container| docs(container, member));
        let of_schema = schema.docs(member).cloned();
        let mut texts: Vec<String> = Vec::new();
        let mut has_other = false;
        for list in of_parameter.into_iter().chain(of_schema.as_ref()) {
            let items = match list {
                Value::Array(items) => items.as_slice(),
                one => std::slice::from_ref(one),
            };
            for item in items {
                match item {
                    Value::String(text) if texts.contains(text) => {}
                    Value::String(text) => texts.push(text.clone()),
                    _ => has_other = true,
                }
            }
        }
        if has_other {
            let message = format!("`x-docs.{member}` has an entry that is not a text");
            self.schemas
                .problem(Code::PillType, &schema.pointer, message);
        }
        texts
    }
}

/// The pills of the value of a configured key.
fn configured(key: &str, value: &Value) -> Vec<String> {
    match value {
        Value::String(text) if !text.is_empty() => vec![text.clone()],
        Value::Bool(true) => vec![key.to_owned()],
        Value::Number(number) => vec![number.to_string()],
        Value::Array(items) => {
            let plain = items
                .iter()
                .filter(|item| item.is_string() || item.is_number());
            plain.map(literal).filter(|text| text != "\"\"").collect()
        }
        _ => Vec::new(),
    }
}
