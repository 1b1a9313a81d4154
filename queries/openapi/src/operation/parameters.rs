//! Parameters: those of the path item, replaced and followed by those of the operation.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::path_item::PathItem;
use crate::direction::Hidden;
use crate::endpoint::{Example, Location, Name, ParameterGroup, Phrase, Row, Span, View};
use crate::media::Format;
use crate::merge::Flat;
use crate::playground::Style;
use crate::reference::follow;
use crate::schema::{Schema, Type};
use crate::serialize::{self, Serialization, Written, is_defined, style_of};
use crate::view::{Page, Scope};
use base::data::pointer::{child, item};
use base::diagnostic::{Code, Diagnostic};

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

/// Note on values that are sent as `serialized`: in readable form; it is encoded when sent.
fn wire_phrase(serialized: String) -> Phrase {
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
    let serialized = signs
        .iter()
        .fold(serialized, |text, (code, sign)| text.replace(code, sign));
    vec![Span::words("sent as "), Span::code(serialized)]
}

/// Returns true if a discriminator determines the schema of values.
fn is_discriminated(flat: &Flat) -> bool {
    let mut unions = flat.unions.iter();
    flat.base.is_some() || unions.any(|union| union.discriminator.is_some())
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
        let (schema, around, media) = self.parameter_schema(source);
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
        let (examples, example) =
            self.examples(media, around, schema.as_ref(), &source.pointer, &scope);
        // What is written as text is the text that is shown.
        let example = match (example, examples.first()) {
            (Some(Value::Array(_) | Value::Object(_)), Some(shown))
                if spec.written == Written::Text && Format::of(media) == Format::Xml =>
            {
                Some(Value::String(shown.text.clone()))
            }
            (example, _) => example,
        };
        let is_own = around.contains_key("example")
            || around
                .get("examples")
                .and_then(Value::as_object)
                .is_some_and(|own| !own.is_empty());
        if is_own {
            // Fields of the parameter take precedence over those of its schema.
            show_examples(&mut row.view, &examples);
        }
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
        let documented = value.as_ref().filter(|_| has_example || default.is_some());
        row.view.chips.extend(self.sent_as(
            source.name,
            source.location,
            &spec,
            schema.as_ref(),
            documented,
        ));
        if let Some(text) = value.as_ref().filter(|_| spec.style == Style::Cookie)
            && serialize::cookie(&spec, source.name, text)
                .iter()
                .any(|pair| !serialize::is_cookie(pair))
        {
            let message = "the style `cookie` writes the value as it is, and no cookie holds blanks, `;`, `\"`, `\\` or other than ASCII";
            let problem = Diagnostic::new(
                Code::StyleUndefined,
                source.pointer.clone(),
                message.to_owned(),
            );
            let hint = "encode the example, or use the style `form`";
            self.schemas.diagnostics.insert(problem.hint(hint));
        }
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

    /// Shows by example how several values are written in one place: readers do not know the styles
    /// by their names. The example is `documented`, the author's value, or a sample, cut to two of its
    /// items as far as the schema allows that.
    pub(crate) fn sent_as(
        &mut self,
        name: &str,
        location: Location,
        spec: &Serialization,
        schema: Option<&Arc<Schema>>,
        documented: Option<&Value>,
    ) -> Option<Phrase> {
        let schema = schema?;
        let flat = self.schemas.flat(schema);
        let mut types = flat.schema.types.iter().flatten();
        let kind = match types.find(|kind| **kind != Type::Null) {
            Some(kind) => *kind,
            // What a discriminator chooses between are objects.
            None if is_discriminated(&flat) => Type::Object,
            None => return None,
        };
        if !matches!(kind, Type::Array | Type::Object) || spec.written == Written::Text {
            return None;
        }
        let is_deep = spec.style == Style::DeepObject && spec.written == Written::Style;
        let value = match kind {
            Type::Array => self.two_items(schema, documented),
            _ => self.two_members(schema, documented, is_deep),
        };
        let value = value?;
        let serialized = match location {
            Location::Path => serialize::path(spec, name, &value),
            Location::Query => serialize::query(spec, name, &value).join("&"),
            Location::Header => format!("{name}: {}", serialize::header(spec, &value)),
            Location::Cookie => serialize::cookie(spec, name, &value).join("; "),
        };
        Some(wire_phrase(serialized)).filter(|_| !written_nothing(&value))
    }

    /// Returns true if `value` is valid, whatever the direction.
    fn is_valid(&mut self, schema: &Arc<Schema>, value: &Value) -> bool {
        let checked = self.schemas.check(schema, value, Hidden::Nothing);
        checked.is_ok()
    }

    /// A value of an array with two items, or with as many as it must or may have.
    fn two_items(&mut self, schema: &Arc<Schema>, documented: Option<&Value>) -> Option<Value> {
        if let Some(Value::Array(items)) = documented
            && !items.is_empty()
        {
            let cut = Value::Array(items.iter().take(2).cloned().collect());
            let is_valid = self.is_valid(schema, &cut);
            return Some(if is_valid {
                cut
            } else {
                Value::Array(items.clone())
            });
        }
        let letters = serde_json::json!(["a", "b"]);
        if self.is_valid(schema, &letters) {
            return Some(letters);
        }
        let sample = self.schemas.sample(schema, Hidden::Nothing)?;
        let Value::Array(items) = &sample else {
            return None;
        };
        let [first, ..] = items.as_slice() else {
            return None;
        };
        // Values that a list or the next number gives.
        let of_items = self.schemas.flat(schema).schema.items.clone();
        let of_items = of_items.map(|items| self.schemas.flat(&items));
        let listed = of_items.and_then(|flat| flat.schema.values.clone());
        let mut others: Vec<Value> = listed
            .into_iter()
            .flatten()
            .filter(|one| one != first)
            .collect();
        others.truncate(3);
        others.extend(
            first
                .as_i64()
                .and_then(|number| number.checked_add(1))
                .map(Value::from),
        );
        others.push(first.clone());
        for other in others {
            let two = Value::Array(vec![first.clone(), other]);
            if items.len() < 2 && self.is_valid(schema, &two) {
                return Some(two);
            }
        }
        let cut = Value::Array(items.iter().take(2).cloned().collect());
        let is_valid = self.is_valid(schema, &cut);
        Some(if is_valid { cut } else { sample })
    }

    /// A value of an object with two members, or with those that it must or may have; deep ones with a list of objects among them
    /// if there is any.
    fn two_members(
        &mut self,
        schema: &Arc<Schema>,
        documented: Option<&Value>,
        is_deep: bool,
    ) -> Option<Value> {
        let flat = self.schemas.flat(schema);
        let of = flat.schema.clone();
        if is_discriminated(&flat) && documented.is_none() {
            return self.two_of_branch(schema, &flat);
        }
        if of.properties.is_empty() {
            let example = serde_json::json!({ "key1": "a", "key2": "b" });
            return match documented {
                Some(Value::Object(members)) if !members.is_empty() => {
                    let cut = Value::Object(members.clone().into_iter().take(2).collect());
                    let is_valid = self.is_valid(schema, &cut);
                    Some(if is_valid {
                        cut
                    } else {
                        Value::Object(members.clone())
                    })
                }
                _ if self.is_valid(schema, &example) => Some(example),
                _ => self.schemas.sample(schema, Hidden::Nothing),
            };
        }
        let documented_members = documented.and_then(Value::as_object);
        let mut members: Vec<(String, Value)> = Vec::new();
        let mut is_nested = false;
        let mut count = 0;
        for (property, schema) in &of.properties {
            let is_required = of.required.contains(property);
            let value = match documented_members.and_then(|members| members.get(property)) {
                Some(value) => Some(value.clone()),
                // The author's example has what belongs together.
                None if documented_members.is_some() && !is_required => continue,
                None if is_deep => self.told_in_brackets(schema, count, 0),
                None => self.plain_value(schema, count),
            };
            let Some(value) = value else {
                continue;
            };
            let is_list = is_deep
                && matches!(&value, Value::Array(items) if items.iter().any(Value::is_object));
            if is_required || count < 2 {
                members.push((property.clone(), value));
            } else if is_list && !is_nested {
                // In the place of the last that is not needed.
                let last = members
                    .iter()
                    .rposition(|(name, _)| !of.required.contains(name));
                match last {
                    Some(last) => members[last] = (property.clone(), value),
                    None => continue,
                }
            } else {
                continue;
            }
            is_nested |= is_list;
            count += 1;
        }
        let value = Value::Object(members.into_iter().collect());
        if self.is_valid(schema, &value) {
            return Some(value);
        }
        let sample = documented_members.map(|members| Value::Object(members.clone()));
        sample.or_else(|| self.schemas.sample(schema, Hidden::Nothing))
    }

    /// The sample of a schema with a discriminator, cut to the value that chooses its branch, what is required and one more.
    fn two_of_branch(&mut self, schema: &Arc<Schema>, flat: &Flat) -> Option<Value> {
        let sample = self.schemas.sample(schema, Hidden::Nothing)?;
        let members = sample.as_object()?;
        let unions = flat.unions.iter();
        let chosen = unions.filter_map(|union| union.discriminator.as_ref());
        let chosen: Vec<&String> = (chosen.chain(&flat.schema.discriminator))
            .map(|one| &one.property)
            .collect();
        let (deciding, others): (Vec<_>, Vec<_>) =
            members.iter().partition(|(name, _)| chosen.contains(name));
        let mut cut = Map::new();
        for (name, value) in deciding.into_iter().chain(others) {
            cut.insert(name.clone(), value.clone());
            let short = Value::Object(cut.clone());
            if cut.len() >= 2 && self.is_valid(schema, &short) {
                return Some(short);
            }
        }
        Some(sample)
    }

    /// A letter where a text may be anything, else a sample.
    fn plain_value(&mut self, schema: &Arc<Schema>, letter: usize) -> Option<Value> {
        let flat = self.schemas.flat(schema);
        let letter = Value::from(["a", "b"][letter.min(1)]);
        let is_text = flat
            .schema
            .types
            .iter()
            .flatten()
            .any(|kind| *kind == Type::String);
        let is_told = !flat.schema.examples.is_empty() || flat.schema.default.is_some();
        if is_text && !is_told && flat.schema.formats.is_empty() && self.is_valid(schema, &letter) {
            return Some(letter);
        }
        self.schemas.sample(schema, Hidden::Nothing)
    }

    /// A value of the form that `schema` says, of letters where they are allowed; none of what is too deep.
    fn told_in_brackets(
        &mut self,
        schema: &Arc<Schema>,
        letter: usize,
        depth: usize,
    ) -> Option<Value> {
        if depth > 2 {
            return None;
        }
        let flat = self.schemas.flat(schema);
        let mut types = flat.schema.types.iter().flatten();
        let value = match types.find(|kind| **kind != Type::Null) {
            Some(Type::Array) => {
                let item = flat.schema.items.clone();
                let inner = item.and_then(|item| self.told_in_brackets(&item, letter, depth + 1));
                match inner {
                    Some(inner) if inner.is_object() || inner.is_array() => {
                        Value::Array(vec![inner])
                    }
                    _ => {
                        let pairs = [["a", "b"], ["b", "c"]][letter.min(1)];
                        let letters = serde_json::json!(pairs);
                        match self.is_valid(schema, &letters) {
                            true => letters,
                            false => return self.two_items(schema, None),
                        }
                    }
                }
            }
            Some(Type::Object) if flat.schema.properties.is_empty() => {
                let made = serde_json::json!({ "key": (["a", "b"][letter.min(1)]) });
                match self.is_valid(schema, &made) {
                    true => made,
                    false => return self.schemas.sample(schema, Hidden::Nothing),
                }
            }
            Some(Type::Object) => {
                let required = &flat.schema.required;
                let mut members = Map::new();
                for (name, property) in &flat.schema.properties {
                    let is_first = members.is_empty() && required.is_empty();
                    if !is_first && !required.contains(name) {
                        continue;
                    }
                    let value = self.told_in_brackets(property, letter, depth + 1);
                    members.extend(value.map(|value| (name.clone(), value)));
                }
                Value::Object(members)
            }
            _ => return self.plain_value(schema, letter),
        };
        Some(value)
    }

    /// The schema of a parameter, and the object that has its examples, itself or its media type, with the name of that.
    fn parameter_schema(
        &mut self,
        source: &Source<'d>,
    ) -> (Option<Arc<Schema>>, &'d Map<String, Value>, &'d str) {
        const USUAL: &str = "application/json";
        if source.members.contains_key("schema") {
            let schema = self.schemas.at(&child(&source.pointer, "schema"));
            return (schema, source.members, USUAL);
        }
        let content = source.members.get("content").and_then(Value::as_object);
        let media = content.and_then(|content| content.iter().next());
        match media.and_then(|(name, media)| Some((name, media.as_object()?))) {
            Some((name, media)) => {
                let at = child(&child(&source.pointer, "content"), name);
                (self.schemas.at(&child(&at, "schema")), media, name)
            }
            None => (None, source.members, USUAL),
        }
    }

    /// The rows of `headers` (of a response or of a part) at `pointer`.
    pub(crate) fn headers(
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
            let (schema, around, media) = self.parameter_schema(&source);
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
            let (mut examples, value) = self.examples(media, around, None, &source.pointer, scope);
            let typed = value.clone();
            let typed = typed.map(|value| self.texts_of(schema.as_ref(), value, around));
            if let ([one], Some(typed)) = (&mut examples[..], &typed)
                && value.as_ref() != Some(typed)
            {
                one.text = typed.to_string();
            }
            if let Some(schema) = &schema {
                self.check_header(media, around, schema, &source.pointer, scope);
            }
            if examples.iter().any(|example| !example.text.is_empty()) {
                show_examples(&mut row.view, &examples);
            }
            let spec = Serialization::of(source.members, source.location);
            row.view.chips.extend(self.sent_as(
                source.name,
                source.location,
                &spec,
                schema.as_ref(),
                value.as_ref(),
            ));
            rows.push(row);
        }
        rows
    }
}

impl<'d> Page<'_, 'd> {
    /// Checks the examples of a header, its own and those of its schema.
    fn check_header(
        &mut self,
        media: &str,
        header: &'d Map<String, Value>,
        schema: &Arc<Schema>,
        pointer: &str,
        scope: &Scope,
    ) {
        self.check_examples(schema, 0, scope);
        let flat = self.schemas.flat(schema);
        // A list may be written as it is sent.
        let is_list = flat.schema.allows(Type::Array) || flat.schema.allows(Type::Object);
        let has_example = header
            .get("example")
            .is_some_and(|one| !(is_list && one.is_string()));
        let is_read = |example: &Value| {
            let value = example.get("value").or_else(|| example.get("dataValue"));
            !(is_list && value.is_none_or(Value::is_string))
        };
        let named = header.get("examples").and_then(Value::as_object);
        let has_named = named.is_some_and(|named| named.values().all(is_read));
        if has_example && named.is_none() || has_named {
            self.examples(media, header, Some(schema), pointer, scope);
        }
    }
}

/// Returns true for a value of which nothing is sent.
fn written_nothing(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
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

/// Returns an example for a row: texts without quotes.
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
