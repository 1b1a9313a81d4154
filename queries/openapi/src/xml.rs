//! Samples as XML (OpenAPI 3.1, 4.8.26).

use std::sync::Arc;

use serde_json::Value;

use super::merge::Schemas;
use super::schema::{Schema, Xml};
use super::serialize::text;

/// Maximum depth of elements.
const MAX_DEPTH: usize = 40;

struct Writer<'s, 'a, 'd> {
    schemas: &'s mut Schemas<'a, 'd>,
    text: String,
}

impl Schemas<'_, '_> {
    /// `value` as an XML document with two spaces of indentation.
    pub(super) fn xml(&mut self, schema: &Arc<Schema>, value: &Value) -> String {
        let flat = self.flat(schema);
        let xml = flat.schema.xml.clone().unwrap_or_default();
        let component = flat
            .component
            .as_deref()
            .and_then(super::reference::component_name);
        let name = xml
            .name
            .clone()
            .or(component)
            .unwrap_or_else(|| "root".to_owned());
        let mut writer = Writer {
            schemas: self,
            text: String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"),
        };
        match value {
            Value::Array(items) => {
                // The root of a document is one element, so its items are within it.
                let inner = flat.schema.items.clone();
                let item_name = inner.as_ref().map(|inner| writer.name_of(inner, "item"));
                writer.open(&name, &xml, 0);
                writer.text.push('>');
                for item in items {
                    let name = item_name.clone().unwrap_or_else(|| "item".to_owned());
                    writer.element(&name, inner.as_ref(), item, 1);
                }
                writer
                    .text
                    .push_str(&format!("\n</{}>", prefixed(&name, &xml)));
            }
            value => writer.element(&name, Some(schema), value, 0),
        }
        writer.text
    }
}

fn prefixed(name: &str, xml: &Xml) -> String {
    match &xml.prefix {
        Some(prefix) => format!("{prefix}:{name}"),
        None => name.to_owned(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

impl Writer<'_, '_, '_> {
    fn xml_of(&mut self, schema: Option<&Arc<Schema>>) -> Xml {
        let xml = schema.and_then(|schema| self.schemas.flat(schema).schema.xml.clone());
        xml.unwrap_or_default()
    }

    fn name_of(&mut self, schema: &Arc<Schema>, fallback: &str) -> String {
        let xml = self.xml_of(Some(schema));
        xml.name.unwrap_or_else(|| fallback.to_owned())
    }

    /// `<name namespace`, on a line of its own.
    fn open(&mut self, name: &str, xml: &Xml, depth: usize) {
        self.text.push('\n');
        self.text.push_str(&"  ".repeat(depth));
        self.text.push_str(&format!("<{}", prefixed(name, xml)));
        if let Some(namespace) = &xml.namespace {
            let prefix = xml.prefix.as_ref().map(|prefix| format!(":{prefix}"));
            let prefix = prefix.unwrap_or_default();
            self.text
                .push_str(&format!(" xmlns{prefix}=\"{}\"", escaped(namespace)));
        }
    }

    fn element(&mut self, name: &str, schema: Option<&Arc<Schema>>, value: &Value, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        let xml = self.xml_of(schema);
        let members = match value {
            Value::Object(members) => members,
            Value::Array(items) => {
                for item in items {
                    self.element(name, None, item, depth);
                }
                return;
            }
            scalar => {
                self.open(name, &xml, depth);
                if scalar.is_null() {
                    self.text.push_str("/>");
                } else {
                    let content = escaped(&text(scalar));
                    self.text
                        .push_str(&format!(">{content}</{}>", prefixed(name, &xml)));
                }
                return;
            }
        };
        self.open(name, &xml, depth);
        let flat = schema.map(|schema| self.schemas.flat(schema));
        let mut children = Vec::new();
        for (key, member) in members {
            let property = flat
                .as_ref()
                .and_then(|flat| flat.schema.property(key))
                .cloned();
            let xml = self.xml_of(property.as_ref());
            let name = xml.name.clone().unwrap_or_else(|| key.clone());
            if xml.is_attribute && !member.is_object() && !member.is_array() {
                let name = prefixed(&name, &xml);
                self.text
                    .push_str(&format!(" {name}=\"{}\"", escaped(&text(member))));
            } else {
                children.push((name, property, xml, member));
            }
        }
        if children.is_empty() {
            self.text.push_str("/>");
            return;
        }
        self.text.push('>');
        for (name, property, xml, member) in children {
            match member {
                Value::Array(items) => self.items(&name, property.as_ref(), &xml, items, depth + 1),
                member => self.element(&name, property.as_ref(), member, depth + 1),
            }
        }
        self.text.push('\n');
        self.text.push_str(&"  ".repeat(depth));
        self.text.push_str(&format!("</{}>", prefixed(name, &xml)));
    }

    /// The items of an array repeat its element; with `wrapped` they are within one.
    fn items(
        &mut self,
        name: &str,
        schema: Option<&Arc<Schema>>,
        xml: &Xml,
        items: &[Value],
        depth: usize,
    ) {
        let flat = schema.map(|schema| self.schemas.flat(schema));
        let inner = flat.and_then(|flat| flat.schema.items.clone());
        let named = inner.as_ref().map(|inner| self.name_of(inner, name));
        let item_name = named.unwrap_or_else(|| name.to_owned());
        if !xml.is_wrapped {
            for item in items {
                self.element(&item_name, inner.as_ref(), item, depth);
            }
            return;
        }
        self.open(name, xml, depth);
        self.text.push('>');
        for item in items {
            self.element(&item_name, inner.as_ref(), item, depth + 1);
        }
        self.text.push('\n');
        self.text.push_str(&"  ".repeat(depth));
        self.text.push_str(&format!("</{}>", prefixed(name, xml)));
    }
}
