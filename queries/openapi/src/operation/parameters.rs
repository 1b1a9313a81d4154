//! Parameters: those of the path item, replaced and followed by those of the operation.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::path_item::PathItem;
use crate::endpoint::{Example, Location, Name, ParameterGroup, Phrase, Row, Span, View};
use crate::playground::Style;
use crate::reference::follow;
use crate::schema::{Schema, Type};
use crate::serialize::{self, Serialization, is_defined, style_of};
use crate::validate::Hidden;
use crate::view::{Page, Scope};
use base::data::pointer::{child, item};
use base::diagnostic::Code;

/// A parameter with what code samples and the playground need.
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) location: Location,
    pub(crate) row: Row,
    pub(crate) spec: Serialization,
    pub(crate) schema: Option<Arc<Schema>>,
    /// An example, a default, else a sample.
    pub(crate) value: Option<Value>,
    /// Whether the author gives the value.
    pub(crate) is_authored: bool,
    /// Whether it may be sent empty.
    pub(crate) allows_empty: bool,
    /// `x-default`, else the default of the schema.
    pub(crate) prefill: Option<Value>,
}

struct Source<'d> {
    members: &'d Map<String, Value>,
    pointer: String,
    name: &'d str,
    location: Location,
}

/// Names of header parameters that the standard ignores.
const RESERVED: [&str; 3] = ["accept", "content-type", "authorization"];

/// What is said of values that are sent as `written`: as people read it; what is sent is encoded.
fn sent(written: String) -> Phrase {
    let signs = [
        ("%5B", "["),
        ("%5D", "]"),
        ("%7C", "|"),
        ("%7B", "{"),
        ("%7D", "}"),
        ("%22", "\""),
        ("%3A", ":"),
        ("%2C", ","),
    ];
    let written = signs
        .iter()
        .fold(written, |text, (code, sign)| text.replace(code, sign));
    vec![Span::words("sent as "), Span::code(written)]
}

impl<'d> Page<'_, 'd> {
    /// The parameters of an operation; ids of their rows begin with `prefix`.
    pub(super) fn parameters(
        &mut self,
        operation: &'d Map<String, Value>,
        pointer: &str,
        item: Option<&PathItem>,
        prefix: &str,
    ) -> Vec<Parameter> {
        let of_path = item.and_then(|item| item.member(self, "parameters"));
        let own = operation.get("parameters");
        let own = own.map(|own| (own, child(pointer, "parameters")));
        let mut sources: Vec<Source<'d>> = Vec::new();
        for (list, at) in of_path.into_iter().chain(own) {
            for source in self.sources(list, &at) {
                let same = |other: &Source<'_>| {
                    other.name == source.name && other.location == source.location
                };
                match sources.iter().position(same) {
                    Some(index) => sources[index] = source,
                    None => sources.push(source),
                }
            }
        }
        let mut parameters = Vec::new();
        for location in Location::ALL {
            for source in sources.iter().filter(|source| source.location == location) {
                parameters.push(self.parameter(source, prefix));
            }
        }
        parameters
    }

    fn sources(&mut self, list: &'d Value, pointer: &str) -> Vec<Source<'d>> {
        let mut sources = Vec::new();
        for (index, parameter) in list.as_array().into_iter().flatten().enumerate() {
            let at = item(pointer, index);
            let mut diagnostics = Vec::new();
            let found = follow(self.schemas.document, parameter, &at, &mut diagnostics);
            self.schemas.diagnostics.extend(diagnostics);
            let Some(found) = found else {
                continue;
            };
            let text = |key: &str| found.members.get(key).and_then(Value::as_str);
            let location = match text("in") {
                Some("path") => Location::Path,
                Some("query" | "querystring") => Location::Query,
                Some("header") => Location::Header,
                Some("cookie") => Location::Cookie,
                _ => continue,
            };
            let Some(name) = text("name") else {
                continue;
            };
            if location == Location::Header && RESERVED.contains(&name.to_lowercase().as_str()) {
                let message = format!(
                    "the header `{name}` is described elsewhere, so the parameter is ignored"
                );
                self.schemas
                    .problem(Code::HeaderReserved, &found.pointer, message);
                continue;
            }
            sources.push(Source {
                members: found.members,
                pointer: found.pointer,
                name,
                location,
            });
        }
        sources
    }

    fn parameter(&mut self, source: &Source<'d>, prefix: &str) -> Parameter {
        let spec = Serialization::of(source.members, source.location);
        let (schema, around) = self.parameter_schema(source);
        let scope = Scope {
            prefix: format!("{prefix}{}", source.location.word()),
            depth: 0,
            hidden: Hidden::Nothing,
            is_request: true,
        };
        let is = |key: &str| source.members.get(key) == Some(&Value::Bool(true));
        let is_required = is("required") || source.location == Location::Path;
        let any = Arc::new(Schema {
            pointer: format!("{}&any", source.pointer),
            ..Schema::default()
        });
        let of_row = schema.as_ref().unwrap_or(&any);
        let name = Name::Plain(source.name.to_owned());
        let mut row = self.row(name, of_row, is_required, Some(source.members), &scope);
        let (examples, example) = self.examples(
            "application/json",
            around,
            schema.as_ref(),
            &source.pointer,
            &scope,
        );
        let is_own = around.contains_key("example")
            || around
                .get("examples")
                .and_then(Value::as_object)
                .is_some_and(|own| !own.is_empty());
        if is_own {
            // What the parameter says wins over what its schema says.
            show_examples(&mut row.view, &examples);
        }
        row.view
            .chips
            .extend(self.sent_as(source.name, source.location, &spec, schema.as_ref()));
        let flat = schema.as_ref().map(|schema| self.schemas.flat(schema));
        let merged = flat.as_ref().map(|flat| &flat.schema);
        let x_default = source.members.get("x-default");
        let x_default =
            x_default.or_else(|| merged.and_then(|merged| merged.extras.get("x-default")));
        let x_default = x_default.cloned();
        let default = merged.and_then(|merged| merged.default.clone());
        let has_example = is_own || merged.is_some_and(|merged| !merged.examples.is_empty());
        let is_authored = x_default.is_some() || default.is_some() || has_example;
        let value = x_default.clone().or(example);
        let style = source
            .members
            .get("style")
            .and_then(Value::as_str)
            .and_then(style_of);
        let is_odd = style.is_some()
            && value
                .as_ref()
                .is_some_and(|value| !is_defined(&spec, value));
        if is_odd {
            let word = source
                .members
                .get("style")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let message = format!(
                "the style `{word}` is not defined for this value, so it is sent as `form`"
            );
            self.schemas
                .problem(Code::StyleUndefined, &source.pointer, message);
        }
        Parameter {
            name: source.name.to_owned(),
            location: source.location,
            row,
            spec,
            schema,
            value,
            is_authored,
            allows_empty: is("allowEmptyValue"),
            prefill: x_default.or(default),
        }
    }

    /// How several values are written in one place, by example: nobody knows the styles by their names.
    fn sent_as(
        &mut self,
        name: &str,
        location: Location,
        spec: &Serialization,
        schema: Option<&Arc<Schema>>,
    ) -> Option<Phrase> {
        let flat = self.schemas.flat(schema?);
        let types: Vec<Type> = flat.schema.types.iter().flatten().copied().collect();
        let value = match types.iter().find(|kind| **kind != Type::Null)? {
            Type::Array => serde_json::json!(["a", "b"]),
            Type::Object => {
                if spec.style == Style::DeepObject && !spec.json {
                    return Some(sent(self.deep_example(name, spec, &flat.schema)));
                }
                let names = flat.schema.properties.iter().map(|(name, _)| name.as_str());
                let names = names.chain(["key1", "key2"]).take(2);
                let members = names.zip(["a", "b"]);
                members
                    .map(|(name, value)| (name.to_owned(), Value::from(value)))
                    .collect()
            }
            _ => return None,
        };
        let written = match location {
            Location::Path => serialize::path(spec, name, &value),
            Location::Query => serialize::query(spec, name, &value).join("&"),
            Location::Header => format!("{name}: {}", serialize::header(spec, &value)),
            Location::Cookie => serialize::cookie(spec, name, &value).join("; "),
        };
        Some(sent(written))
    }

    /// How an object in brackets is written: two of its members, of which one is a list of objects if there is any.
    fn deep_example(&mut self, name: &str, spec: &Serialization, of: &Schema) -> String {
        let mut members: Vec<(String, Value)> = Vec::new();
        let mut is_nested = false;
        for (property, schema) in &of.properties {
            let Some(value) = self.told_in_brackets(schema, members.len(), 0) else {
                continue;
            };
            let is_list =
                matches!(&value, Value::Array(items) if items.iter().any(|item| !item.is_string()));
            if members.len() < 2 || (is_list && !is_nested) {
                members.truncate(1);
                members.push((property.clone(), value));
                is_nested |= is_list;
            }
        }
        for key in ["key1", "key2"].iter().skip(members.len()) {
            let value = ["a", "b"][members.len()];
            members.push(((*key).to_owned(), value.into()));
        }
        let value = Value::Object(members.into_iter().collect());
        serialize::query(spec, name, &value).join("&")
    }

    /// A value of the form that `schema` says, of letters; none of what is too deep.
    fn told_in_brackets(
        &mut self,
        schema: &Arc<Schema>,
        letter: usize,
        depth: usize,
    ) -> Option<Value> {
        if depth > 2 {
            return None;
        }
        let letters = ["a", "b", "c"];
        let letter = letter.min(1);
        let flat = self.schemas.flat(schema);
        let mut types = flat.schema.types.iter().flatten();
        Some(match types.find(|kind| **kind != Type::Null) {
            Some(Type::Array) => {
                let item = flat.schema.items.clone();
                let inner = item.and_then(|item| self.told_in_brackets(&item, letter, depth + 1));
                match inner {
                    Some(inner) if !inner.is_string() => Value::Array(vec![inner]),
                    _ => serde_json::json!([letters[letter], letters[letter + 1]]),
                }
            }
            Some(Type::Object) => {
                let mut properties = flat.schema.properties.iter();
                let first = properties.find_map(|(name, schema)| {
                    let value = self.told_in_brackets(schema, letter, depth + 1)?;
                    Some((name.clone(), value))
                });
                let first = first.unwrap_or_else(|| ("key".to_owned(), letters[letter].into()));
                Value::Object([first].into_iter().collect())
            }
            _ => letters[letter].into(),
        })
    }

    /// The schema of a parameter, and the object that has its examples: itself, or its media type.
    fn parameter_schema(
        &mut self,
        source: &Source<'d>,
    ) -> (Option<Arc<Schema>>, &'d Map<String, Value>) {
        if source.members.contains_key("schema") {
            let schema = self.schemas.at(&child(&source.pointer, "schema"));
            return (schema, source.members);
        }
        let content = source.members.get("content").and_then(Value::as_object);
        let media = content.and_then(|content| content.iter().next());
        match media.and_then(|(name, media)| Some((name, media.as_object()?))) {
            Some((name, media)) => {
                let at = child(&child(&source.pointer, "content"), name);
                (self.schemas.at(&child(&at, "schema")), media)
            }
            None => (None, source.members),
        }
    }

    /// The rows of `headers` (of a response or of a part), which stand at `pointer`.
    pub(super) fn headers(
        &mut self,
        headers: Option<&'d Value>,
        pointer: &str,
        scope: &Scope,
    ) -> Vec<Row> {
        let mut rows = Vec::new();
        for (name, header) in headers.and_then(Value::as_object).into_iter().flatten() {
            if name.eq_ignore_ascii_case("content-type") {
                continue;
            }
            let at = child(pointer, name);
            let mut diagnostics = Vec::new();
            let found = follow(self.schemas.document, header, &at, &mut diagnostics);
            self.schemas.diagnostics.extend(diagnostics);
            let Some(found) = found else {
                continue;
            };
            let source = Source {
                members: found.members,
                pointer: found.pointer.clone(),
                name,
                location: Location::Header,
            };
            let (schema, around) = self.parameter_schema(&source);
            let any = Arc::new(Schema {
                pointer: format!("{}&any", found.pointer),
                ..Schema::default()
            });
            let of_row = schema.as_ref().unwrap_or(&any);
            let is_required = found.is("required");
            let name = Name::Plain(name.clone());
            let mut row = self.row(name, of_row, is_required, Some(found.members), scope);
            if let Some(description) = found.description {
                row.description = description.to_owned();
            }
            let (examples, _) =
                self.examples("application/json", around, None, &source.pointer, scope);
            if examples.iter().any(|example| !example.text.is_empty()) {
                show_examples(&mut row.view, &examples);
            }
            let spec = Serialization::of(source.members, source.location);
            row.view.chips.extend(self.sent_as(
                source.name,
                source.location,
                &spec,
                schema.as_ref(),
            ));
            rows.push(row);
        }
        rows
    }
}

/// Shows `examples` in a row, with their names if their author gave them any.
fn show_examples(view: &mut View, examples: &[Example]) {
    let shown = examples.iter().filter(|example| !example.text.is_empty());
    let texts = shown.clone().map(|example| trimmed(&example.text));
    view.examples = texts.collect();
    if examples.iter().any(|example| !example.key.is_empty()) {
        view.example_labels = shown.map(|example| example.label.clone()).collect();
    }
}

/// An example as it stands in a row: texts without quotes.
fn trimmed(text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(value) => crate::view::literal(&value),
        Err(_) => text.to_owned(),
    }
}

/// The rows by place.
pub(crate) fn groups(parameters: &[Parameter]) -> Vec<ParameterGroup> {
    let groups = Location::ALL.into_iter().map(|location| {
        let rows = parameters
            .iter()
            .filter(|parameter| parameter.location == location);
        ParameterGroup {
            location,
            rows: rows.map(|parameter| parameter.row.clone()).collect(),
        }
    });
    groups.filter(|group| !group.rows.is_empty()).collect()
}
