//! The forms of a body: their rows, examples and samples.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::endpoint::{
    Block, Contents, Example, Location, MediaType, Name, Player, Root, Span, View,
};
use super::reference::{Target, follow, resolve};
use super::sample::parsed_example;
use super::schema::{Additional, Schema, Type};
use super::serialize::{self, Written};
use super::version::Version;
use super::view::{Page, Scope};
use base::data::pointer::{self, child};
use base::data::yaml::SPELLED;
use base::diagnostic::{Code, Diagnostic, near};

/// Longest chain of references that is followed.
const MAX_ALIASES: usize = 16;

/// Maximum depth of unions within unions.
const MAX_UNIONS: usize = 8;

/// A form of a body, with what code samples and the playground need.
pub(super) struct Form {
    pub(super) media: MediaType,
    pub(super) schema: Option<Arc<Schema>>,
    /// The value of the first example.
    pub(super) value: Option<Value>,
    /// The `encoding`, by property.
    pub(super) encoding: Map<String, Value>,
    /// Whether it has parts that are known by their places and have no names (OpenAPI 3.2, 4.15.4).
    pub(super) is_positional: bool,
}

/// Format of a media type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    Xml,
    /// `application/x-www-form-urlencoded`.
    Form,
    /// `multipart/…`.
    Multipart,
    /// A sequence of JSON values: one per line (JSON Lines), or each after a record separator (RFC
    /// 7464).
    Lines,
    /// `text/event-stream`.
    Events,
    /// Text of any kind.
    Text,
    /// Bytes.
    Binary,
}

impl Format {
    pub(super) fn of(name: &str) -> Self {
        let name = name.split(';').next().unwrap_or(name).trim().to_lowercase();
        match name.as_str() {
            name if is_json(name) || name == "*/*" => Self::Json,
            name if name.ends_with("/xml") || name.ends_with("+xml") => Self::Xml,
            "application/x-www-form-urlencoded" => Self::Form,
            name if name.starts_with("multipart/") => Self::Multipart,
            "text/event-stream" => Self::Events,
            name if LINES.contains(&name) || name.ends_with("+json-seq") => Self::Lines,
            name if super::schema::is_binary_media(name) => Self::Binary,
            _ => Self::Text,
        }
    }
}

/// Media types of sequences of JSON (OpenAPI 3.2, 4.14.4).
const LINES: [&str; 6] = [
    "application/jsonl",
    "application/json-lines",
    "application/x-jsonlines",
    "application/x-ndjson",
    "application/ndjson",
    "application/json-seq",
];

/// `value`, or each of its items, as a line.
fn lines(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let lines: Vec<String> = items.iter().map(Value::to_string).collect();
            lines.join("\n")
        }
        one => one.to_string(),
    }
}

/// The fields of an event, in the order in which they are sent.
const EVENT: [&str; 4] = ["event", "id", "retry", "data"];

/// `value`, or each of its items, as an event of a stream; `None` if it is no event.
fn events(value: &Value) -> Option<String> {
    let items = match value {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    let mut text = String::new();
    for item in items {
        let event = item.as_object()?;
        if event.is_empty() || event.keys().any(|name| !EVENT.contains(&name.as_str())) {
            return None;
        }
        let fields = EVENT
            .iter()
            .filter_map(|name| Some((name, event.get(*name)?)));
        for (name, value) in fields {
            let value = match value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            for line in value.lines() {
                text.push_str(&format!("{name}: {line}\n"));
            }
        }
        text.push('\n');
    }
    Some(text.trim_end().to_owned())
}

pub(super) fn is_json(name: &str) -> bool {
    let name = name.split(';').next().unwrap_or(name).trim();
    name.ends_with("/json") || name.ends_with("+json") || name.ends_with("/*+json")
}

/// The form that is open first: `application/json`, else the first of JSON, else the first.
pub(super) fn open_media(names: &[&str]) -> usize {
    let plain = |name: &&str| name.split(';').next().map(str::trim) == Some("application/json");
    let first = names.iter().position(plain);
    first
        .or_else(|| names.iter().position(|name| is_json(name)))
        .unwrap_or(0)
}

/// `root` with the media types of its parts: those of its places (`prefixEncoding`), those of each
/// item (`itemEncoding`).
fn with_types_of_parts(mut root: Root, media: &Map<String, Value>) -> Root {
    let type_of =
        |encoding: Option<&Value>| Some(encoding?.get("contentType")?.as_str()?.to_owned());
    let places = media.get("prefixEncoding").and_then(Value::as_array);
    let places = places.map(Vec::as_slice).unwrap_or_default();
    let other = type_of(media.get("itemEncoding"));
    let mut is_told = false;
    for row in &mut root.view.contents.rows {
        let Name::Index(place) = &row.name else {
            continue;
        };
        let number = place.trim_matches(['[', ']']).parse::<usize>().ok();
        let own = number.and_then(|number| places.get(number));
        let item_type = match own {
            Some(own) => type_of(Some(own)),
            None => other.clone(),
        };
        is_told |= own.is_none() && item_type.is_some();
        let chip = item_type.map(|item_type| vec![Span::code(item_type)]);
        row.view.chips.extend(chip);
    }
    if !is_told {
        // There is no row of an item by itself.
        let chip = other.map(|item_type| vec![Span::code(item_type)]);
        root.view.chips.extend(chip);
    }
    root
}

impl<'d> Page<'_, 'd> {
    /// Returns the forms of a `content` object at `pointer`.
    pub(super) fn forms(
        &mut self,
        content: Option<&'d Value>,
        pointer: &str,
        scope: &Scope,
    ) -> Vec<Form> {
        let Some(content) = content.and_then(|content| self.follow(content, pointer)) else {
            return Vec::new();
        };
        let mut forms = Vec::new();
        for (name, media) in content.members {
            let pointer = child(&content.pointer, name);
            if let Some(found) = self.follow(media, &pointer) {
                forms.push(self.form(name, found.members, &found.pointer, scope));
            }
        }
        forms
    }

    fn form(
        &mut self,
        name: &str,
        members: &'d Map<String, Value>,
        pointer: &str,
        scope: &Scope,
    ) -> Form {
        // `itemSchema` (3.2) describes the events of a stream.
        let key = ["schema", "itemSchema"]
            .into_iter()
            .find(|key| members.contains_key(*key));
        let encoding = members.get("encoding").and_then(Value::as_object).cloned();
        let encoding = encoding.unwrap_or_default();
        let has_named_parts = matches!(Format::of(name), Format::Form | Format::Multipart);
        let schema = key.and_then(|key| self.schemas.at(&child(pointer, key)));
        if let Some(schema) = schema.as_ref().filter(|_| has_named_parts) {
            self.check_encoding(schema, &encoding, pointer);
        }
        let schema = schema.map(|schema| self.schemas.as_content(name, &schema, &encoding));
        let mut root = schema
            .as_ref()
            .map(|schema| self.described_root(schema, scope));
        let is_positional = Format::of(name) == Format::Multipart
            && (key == Some("itemSchema")
                || ["prefixEncoding", "itemEncoding"]
                    .iter()
                    .any(|key| members.contains_key(*key)));
        if is_positional {
            root = root.map(|root| with_types_of_parts(root, members));
            if scope.is_request && !self.is_discarded() {
                let message = format!(
                    "the parts of `{name}` have places and no names, so samples send a file as it is"
                );
                self.schemas
                    .problem(Code::PositionalParts, pointer, message);
            }
        }
        if let (Some(schema), Some(root), Format::Multipart) =
            (&schema, &mut root, Format::of(name))
        {
            let encoding = members.get("encoding").and_then(Value::as_object);
            let at = child(pointer, "encoding");
            self.say_encodings(schema, &mut root.view.contents, encoding, &at, scope);
        }
        if let (Some(schema), Some(root), Format::Form) = (&schema, &mut root, Format::of(name)) {
            let encoding = members.get("encoding").and_then(Value::as_object);
            self.say_styles(schema, &mut root.view.contents, encoding);
        }
        let (examples, value) = self.examples(name, members, schema.as_ref(), pointer, scope);
        Form {
            media: MediaType {
                name: name.to_owned(),
                root,
                examples,
            },
            schema,
            value,
            encoding,
            is_positional,
        }
    }

    /// Returns the schema of a body or a response, with the annotations of the whole.
    fn described_root(&mut self, schema: &Arc<Schema>, scope: &Scope) -> Root {
        let mut root = self.root(schema, scope);
        root.view.annotations = self.described(schema, scope);
        root
    }

    /// Adds to the rows of a form in parts, and to those behind its choosers, what the parts are: their media types, and headers of
    /// their own.
    fn say_encodings(
        &mut self,
        schema: &Arc<Schema>,
        contents: &mut Contents,
        encoding: Option<&'d Map<String, Value>>,
        pointer: &str,
        scope: &Scope,
    ) {
        let branches = contents.choosers.iter_mut();
        let branches = branches.flat_map(|chooser| &mut chooser.branches);
        let inner = branches.map(|branch| &mut branch.view.contents);
        let blocks = contents.blocks.iter_mut();
        for inner in inner.chain(blocks.map(|block| &mut block.view.contents)) {
            self.say_encodings(schema, inner, encoding, pointer, scope);
        }
        let version = self.schemas.document.version();
        for row in &mut contents.rows {
            let Name::Plain(name) = &row.name else {
                continue;
            };
            let part_encoding = encoding.and_then(|all| all.get(name)?.as_object());
            let kind =
                part_encoding.and_then(|part_encoding| part_encoding.get("contentType")?.as_str());
            let property = self.part_schema(schema, name, 0);
            let kind = match kind.map(str::trim).filter(|kind| !kind.is_empty()) {
                Some(_) if is_styled_part(version, part_encoding) => None,
                Some(kind) => Some(kind.to_owned()),
                None => property.and_then(|property| self.type_of_file(&property)),
            };
            let is_told = |kind: &String| {
                let mut chips = row.view.chips.iter();
                chips.any(|chip| matches!(&chip[..], [one] if one.text == *kind))
            };
            let kind = kind.filter(|kind| !is_told(kind));
            row.view
                .chips
                .extend(kind.map(|kind| vec![Span::code(kind)]));
            let of_headers = Scope {
                prefix: format!("{}-header", row.anchor),
                ..scope.clone()
            };
            let at = child(&child(pointer, name), "headers");
            let headers = part_encoding.and_then(|part_encoding| part_encoding.get("headers"));
            let rows = self.headers(headers, &at, &of_headers);
            if !rows.is_empty() {
                let mut view = View::default();
                view.contents.rows = rows;
                let title = vec![Span::words("Headers")];
                row.view.contents.blocks.push(Block { title, view });
            }
        }
    }

    /// Adds a chip to each property of a form whose `encoding` defines a `style`: how its value is
    /// serialized.
    fn say_styles(
        &mut self,
        schema: &Arc<Schema>,
        contents: &mut Contents,
        encoding: Option<&'d Map<String, Value>>,
    ) {
        for row in &mut contents.rows {
            let Name::Plain(name) = &row.name else {
                continue;
            };
            let part_encoding = encoding.and_then(|all| all.get(name)?.as_object());
            let spec = encoding_of(part_encoding);
            let Some(property) = self.part_schema(schema, name, 0) else {
                continue;
            };
            if part_encoding.is_some_and(|part_encoding| part_encoding.contains_key("style")) {
                let chip = self.sent_as(name, Location::Query, &spec, Some(&property), None);
                row.view.chips.extend(chip);
            }
        }
    }

    /// The schema of the property `name` of a form, or of the first branch that has it.
    pub(super) fn part_schema(
        &mut self,
        schema: &Arc<Schema>,
        name: &str,
        depth: usize,
    ) -> Option<Arc<Schema>> {
        let flat = self.schemas.flat(schema);
        let own = flat.schema.property(name).cloned();
        if own.is_some() || depth >= MAX_UNIONS {
            return own;
        }
        let mut branches = flat.unions.iter().flat_map(|union| &union.branches);
        branches.find_map(|branch| self.part_schema(branch, name, depth + 1))
    }

    /// Returns the media type of a file, or of the files of an array; `None` if it is unknown or
    /// `application/octet-stream`.
    fn type_of_file(&mut self, property: &Arc<Schema>) -> Option<String> {
        let mut flat = self.schemas.flat(property);
        if let (false, Some(items)) = (flat.schema.is_binary, flat.schema.items.clone()) {
            flat = self.schemas.flat(&items);
        }
        let kind = flat.schema.content_media_type.clone();
        kind.filter(|kind| flat.schema.is_binary && kind != "application/octet-stream")
    }

    /// Reports encodings of properties that the schema of a form does not have.
    fn check_encoding(
        &mut self,
        schema: &Arc<Schema>,
        encoding: &Map<String, Value>,
        pointer: &str,
    ) {
        let flat = self.schemas.flat(schema);
        let is_open = !flat.schema.pattern_properties.is_empty()
            || matches!(flat.schema.additional, Some(Additional::Schema(_)))
            || flat.unresolved.is_some();
        if is_open || !flat.schema.has_structure() && flat.unions.is_empty() {
            return;
        }
        for name in encoding.keys().filter(|name| !name.starts_with("x-")) {
            if self.schemas.has_property(schema, name) {
                continue;
            }
            let message = format!("`encoding` is of `{name}`, which the schema does not have");
            let at = child(&child(pointer, "encoding"), name);
            let problem = Diagnostic::new(Code::EncodingUnknown, at, message);
            let names = flat
                .schema
                .properties
                .iter()
                .map(|(known, _)| known.as_str());
            let problem = match near(name, names) {
                Some(near) => problem.hint(near.advice_with(None)),
                None => problem.hint("name a property of the schema"),
            };
            self.schemas.diagnostics.insert(problem);
        }
    }

    /// The examples of a media type: the first source that is there, else a sample.
    pub(super) fn examples(
        &mut self,
        name: &str,
        members: &'d Map<String, Value>,
        schema: Option<&Arc<Schema>>,
        pointer: &str,
        scope: &Scope,
    ) -> (Vec<Example>, Option<Value>) {
        let named = members.get("examples").and_then(Value::as_object);
        if let Some(named) = named.filter(|named| !named.is_empty()) {
            let mut examples = Vec::new();
            let mut first = None;
            let base = child(pointer, "examples");
            for (key, example) in named {
                let at = child(&base, key);
                let mut diagnostics = Vec::new();
                let found = follow(self.schemas.document, example, &at, &mut diagnostics);
                self.schemas.diagnostics.extend(diagnostics);
                let Some(found) = found else {
                    continue;
                };
                let label = found.text("summary").unwrap_or(key).to_owned();
                let description = found.text("description").unwrap_or_default().to_owned();
                let href = found.text("externalValue").map(str::to_owned);
                // In 3.2 the value is `dataValue`, and `serializedValue` is exactly what is sent (OpenAPI 3.2, 4.19).
                let of = |key: &'static str| Some((key, found.members.get(key)?));
                let value = of("value").or_else(|| of("dataValue"));
                let serialized = found.text("serializedValue");
                let mut example = match value {
                    Some((key, value)) => {
                        let at = child(&found.pointer, key);
                        let value = self.authored_of(name, members, schema, value, &at, scope);
                        let value = self.texts_of(schema, value, found.members);
                        first = first.or_else(|| Some(value.clone()));
                        self.example(name, schema, &value)
                    }
                    None => empty(),
                };
                if value.is_none() || serialized.is_some() {
                    example.language = language(name).to_owned();
                    example.text = serialized.unwrap_or_default().to_owned();
                }
                example.key = key.clone();
                example.label = label;
                example.description = description;
                example.href = href.filter(|_| value.is_none());
                examples.push(example);
            }
            return (examples, first);
        }
        if let Some(example) = members.get("example") {
            let at = child(pointer, "example");
            let value = self.authored_of(name, members, schema, example, &at, scope);
            let value = self.texts_of(schema, value, members);
            return (vec![self.example(name, schema, &value)], Some(value));
        }
        match schema {
            Some(schema) => self.schema_examples(name, schema, scope),
            None => (Vec::new(), None),
        }
    }

    /// The example that a schema gives, else a sample.
    pub(super) fn schema_examples(
        &mut self,
        name: &str,
        schema: &Arc<Schema>,
        scope: &Scope,
    ) -> (Vec<Example>, Option<Value>) {
        let flat = self.schemas.flat(schema);
        if let Some(written) = flat.schema.examples.first() {
            let example = self.schemas.without_hidden(schema, written, scope.hidden);
            let value = parsed_example(&flat.schema, &example);
            let schemas = &mut self.schemas;
            let is_partial = !schemas.fits(schema, &value, scope.hidden)
                && schemas.is_of_member(schema, written, &value, scope.hidden);
            if !is_partial {
                let at = format!("{}/example", flat.schema.pointer);
                let value = self.authored(name, Some(schema), &example, &at, scope);
                let spellings = flat.schema.spellings.as_deref();
                let value = self.schemas.with_texts(schema, &value, spellings, 0);
                return (vec![self.example(name, Some(schema), &value)], Some(value));
            }
        }
        if self.is_discarded() {
            return (Vec::new(), None);
        }
        let Some(value) = self.schemas.sample(schema, scope.hidden) else {
            return (Vec::new(), None);
        };
        let mut example = self.example(name, Some(schema), &value);
        example.is_generated = true;
        (vec![example], Some(value))
    }

    /// `value`, of the data of `members`, with the texts that it holds as their author spelled them.
    pub(super) fn texts_of(
        &mut self,
        schema: Option<&Arc<Schema>>,
        value: Value,
        members: &Map<String, Value>,
    ) -> Value {
        let spellings = members.get(SPELLED).and_then(Value::as_object);
        match schema {
            Some(schema) => self.schemas.with_texts(schema, &value, spellings, 0),
            None => value,
        }
    }

    /// An example of a media type: of a stream, each of its items.
    fn authored_of(
        &mut self,
        name: &str,
        media: &Map<String, Value>,
        schema: Option<&Arc<Schema>>,
        value: &Value,
        pointer: &str,
        scope: &Scope,
    ) -> Value {
        let is_stream = !media.contains_key("schema") && media.contains_key("itemSchema");
        match value {
            Value::Array(items) if is_stream => {
                let items = items.iter().enumerate();
                let items = items.map(|(i, item)| {
                    self.authored(name, schema, item, &pointer::item(pointer, i), scope)
                });
                Value::Array(items.collect())
            }
            value => self.authored(name, schema, value, pointer, scope),
        }
    }

    /// Returns true if `value` is written out as the media type `name` writes it, although the
    /// schema, which describes the decoded value, allows no text (OpenAPI 3.1.1, 4.8.19: what JSON
    /// cannot be, such as a document of XML, is a string).
    fn is_written_out(&mut self, name: &str, schema: &Arc<Schema>, value: &Value) -> bool {
        if !value.is_string() {
            return false;
        }
        match Format::of(name) {
            Format::Json | Format::Multipart => return false,
            Format::Text
                if name.starts_with("text/plain")
                    && is_scalar(&self.schemas.flat(schema).schema) =>
            {
                return false;
            }
            _ => {}
        }
        !self.takes_text(schema, 0)
    }

    /// Returns true if some text can be valid.
    fn takes_text(&mut self, schema: &Arc<Schema>, depth: usize) -> bool {
        let flat = self.schemas.flat(schema);
        if depth > MAX_UNIONS {
            return true;
        }
        let values = flat.schema.values.as_ref();
        flat.schema.allows(Type::String)
            && values.is_none_or(|values| values.iter().any(Value::is_string))
            && flat.unions.iter().all(|union| {
                let mut branches = union.branches.iter();
                branches.any(|branch| self.takes_text(branch, depth + 1))
            })
    }

    /// Checks the examples of a schema from the one at `first` on. Those of a member of `allOf` need not be of the whole.
    pub(super) fn check_examples(&mut self, schema: &Arc<Schema>, first: usize, scope: &Scope) {
        let flat = self.schemas.flat(schema);
        let merged = &flat.schema;
        if merged.examples.len() <= first || !self.is_author(schema, &merged.examples) {
            return;
        }
        for (index, written) in merged.examples.iter().enumerate().skip(first) {
            // The serialized form of a media type is a text, regardless of the schema.
            if written.is_string() && !self.takes_text(schema, 0) && !is_scalar(merged) {
                continue;
            }
            let example = self.schemas.without_hidden(schema, written, scope.hidden);
            let at = match merged.examples.len() {
                1 => format!("{}/example", merged.pointer),
                _ => format!("{}/examples/{index}", merged.pointer),
            };
            self.authored("application/json", Some(schema), &example, &at, scope);
        }
    }

    /// Returns true if `examples` are those of the schema itself, or of its target.
    fn is_author(&mut self, schema: &Arc<Schema>, examples: &[Value]) -> bool {
        let mut schema = schema.clone();
        for _ in 0..MAX_ALIASES {
            let Some(reference) = schema.reference.clone() else {
                return schema.all_of.is_empty() && schema.examples == examples;
            };
            let Target::Found(pointer) = resolve(self.schemas.document, &reference) else {
                return false;
            };
            match self.schemas.at(&pointer) {
                Some(next) if schema.examples.is_empty() => schema = next,
                _ => return false,
            }
        }
        false
    }

    /// An example of the author's, checked; a text that is JSON where none is wanted is read as such.
    pub(super) fn authored(
        &mut self,
        name: &str,
        schema: Option<&Arc<Schema>>,
        authored: &Value,
        pointer: &str,
        scope: &Scope,
    ) -> Value {
        let Some(schema) = schema else {
            return authored.clone();
        };
        let flat = self.schemas.flat(schema);
        let value = parsed_example(&flat.schema, authored);
        if let Err(failure) = self.schemas.check(schema, &value, scope.hidden) {
            if self.is_written_out(name, schema, authored) {
                return authored.clone();
            }
            let schema = match failure.place() {
                "" => String::new(),
                place => format!(" (schema at `{place}`)"),
            };
            let message = format!(
                "the example is not valid: {}{schema}",
                failure.message_for(&value)
            );
            // What is written as a text has no places of its own; that of the text is the nearest then.
            let place = format!("{pointer}{}", failure.at());
            let problem = Diagnostic::new(Code::ExampleMismatch, place, message);
            self.schemas.diagnostics.insert(problem);
        } else {
            self.schemas.check_formats(schema, &value, pointer);
        }
        value
    }

    pub(super) fn example(
        &mut self,
        name: &str,
        schema: Option<&Arc<Schema>>,
        value: &Value,
    ) -> Example {
        let (language, text) = match (Format::of(name), value) {
            (Format::Xml, Value::String(text)) => ("xml", text.clone()),
            (Format::Xml, value) => match schema {
                Some(schema) => ("xml", self.schemas.xml(schema, value)),
                None => ("json", pretty(value)),
            },
            (Format::Json, Value::String(text)) => match schema {
                // A text that is an example of something else was not JSON, so it is printed as it is.
                Some(schema) => {
                    let flat = self.schemas.flat(schema);
                    let is_text = flat.schema.allows(Type::String);
                    ("json", if is_text { pretty(value) } else { text.clone() })
                }
                None if serde_json::from_str::<Value>(text).is_ok() => ("json", text.clone()),
                None => ("json", pretty(value)),
            },
            (Format::Form, Value::Object(_)) => ("text", self.form_text(value, &Map::new())),
            (Format::Json | Format::Multipart | Format::Form, value) => ("json", pretty(value)),
            (_, Value::String(text)) => ("text", text.clone()),
            (Format::Lines, value) => ("json", lines(value)),
            (Format::Events, value) => match events(value) {
                Some(text) => ("text", text),
                None => ("json", pretty(value)),
            },
            (_, value) => ("json", pretty(value)),
        };
        let is_address = text.starts_with("http://") || text.starts_with("https://");
        let kind = name.split('/').next().unwrap_or_default();
        let player = match kind {
            "image" => Some(Player::Image),
            "audio" => Some(Player::Audio),
            "video" => Some(Player::Video),
            _ => None,
        };
        Example {
            language: language.to_owned(),
            text,
            player: player.filter(|_| is_address),
            ..empty()
        }
    }

    /// A form (`application/x-www-form-urlencoded`) of the members of `value`.
    pub(super) fn form_text(&self, value: &Value, encoding: &Map<String, Value>) -> String {
        let members = value.as_object().into_iter().flatten();
        let pairs: Vec<String> = members
            .flat_map(|(name, value)| {
                let part_encoding = encoding.get(name).and_then(Value::as_object);
                serialize::query(&encoding_of(part_encoding), name, value)
            })
            .collect();
        serialize::form(&pairs)
    }
}

/// Returns the serialization of a property of a form (OpenAPI 3.1.1, 4.8.15): by its style if there
/// is one, else by its type.
pub(super) fn encoding_of(encoding: Option<&Map<String, Value>>) -> serialize::Serialization {
    let empty = Map::new();
    let encoding = encoding.unwrap_or(&empty);
    let mut spec = serialize::Serialization::of(encoding, super::endpoint::Location::Query);
    let kind = encoding.get("contentType").and_then(Value::as_str);
    let is_styled = ["style", "explode", "allowReserved"]
        .iter()
        .any(|key| encoding.contains_key(*key));
    spec.written = match kind {
        Some(kind) if is_json(kind) && !encoding.contains_key("style") => Written::Json,
        _ if is_styled => Written::Style,
        _ => Written::Property,
    };
    spec
}

/// Returns true if the values of a schema are neither objects nor arrays by its types.
fn is_scalar(schema: &Schema) -> bool {
    let is_part = |kind: &Type| matches!(kind, Type::Object | Type::Array);
    let types = schema.types.as_ref();
    types.is_some_and(|types| !types.iter().any(is_part))
}

/// Returns true if a part of a form is written by a style: from OpenAPI 3.1 on an explicit one
/// replaces a media type (3.1.1, 4.8.15.1.2); before, parts have none.
pub(super) fn is_styled_part(version: Version, encoding: Option<&Map<String, Value>>) -> bool {
    let names = ["style", "explode", "allowReserved"];
    version == Version::V31
        && encoding.is_some_and(|encoding| names.iter().any(|name| encoding.contains_key(*name)))
}

/// The language that text of a media type is colored as.
fn language(name: &str) -> &'static str {
    match Format::of(name) {
        Format::Json | Format::Lines => "json",
        Format::Xml => "xml",
        Format::Events | Format::Form | Format::Multipart | Format::Text | Format::Binary => "text",
    }
}

fn empty() -> Example {
    Example {
        key: String::new(),
        label: "Example".to_owned(),
        description: String::new(),
        language: String::new(),
        text: String::new(),
        href: None,
        player: None,
        is_generated: false,
    }
}

pub(super) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
