//! Messages: headers, payload, examples.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::views::{Message, MessageExample, Payload};
use crate::direction::Hidden;
use crate::endpoint::Example;
use crate::media::pretty;
use crate::operation::external_docs;
use crate::reference::ResolvedObject;
use crate::schema::Schema;
use crate::version::Version;
use crate::view::{Page, Scope};
use base::data::pointer::{child, item, segments};

/// Media type of payloads without one.
const JSON: &str = "application/json";

/// Returns the scope of the rows of a message; ids begin with `prefix`. Nothing is hidden: the
/// document does not state which side reads and which writes.
pub(super) fn scope(prefix: &str) -> Scope {
    Scope {
        prefix: prefix.to_owned(),
        depth: 0,
        hidden: Hidden::Nothing,
        is_request: false,
    }
}

/// A schema of a message, with its place.
enum Source<'d> {
    /// A JSON Schema, by its pointer.
    Schema(String),
    /// Several that hold together.
    All(Vec<String>),
    /// A schema of another language.
    Other(&'d str, &'d Value),
}

impl<'d> Page<'_, 'd> {
    /// The messages of a list of references.
    pub(super) fn messages(
        &mut self,
        list: Option<&'d Value>,
        pointer: &str,
        prefix: &str,
    ) -> Vec<Message> {
        let list = list.and_then(Value::as_array).into_iter().flatten();
        let mut messages = Vec::new();
        for (i, value) in list.enumerate() {
            let target = super::target(value);
            let key = target.and_then(|target| segments(&target).last());
            messages.extend(self.message(key, value, &item(pointer, i), prefix));
        }
        messages
    }

    /// All messages of a channel.
    pub(super) fn all_messages(
        &mut self,
        channel: &ResolvedObject<'d>,
        prefix: &str,
    ) -> Vec<Message> {
        let at = child(&channel.pointer, "messages");
        let listed = channel.members.get("messages").and_then(Value::as_object);
        let mut messages = Vec::new();
        for (key, value) in listed.into_iter().flatten() {
            messages.extend(self.message(Some(key.clone()), value, &child(&at, key), prefix));
        }
        messages
    }

    fn message(
        &mut self,
        key: Option<String>,
        value: &'d Value,
        pointer: &str,
        prefix: &str,
    ) -> Option<Message> {
        let own = self.follow(value, pointer)?;
        let traits = self.traits(&own);
        let holders: Vec<&ResolvedObject<'d>> = std::iter::once(&own).chain(&traits).collect();
        let text = |key: &str| {
            let mut texts = holders.iter().filter_map(|found| found.text(key));
            texts.find(|text| !text.trim().is_empty())
        };
        let member = |key: &str| {
            let mut holders = holders.iter();
            holders.find_map(|found| Some((found.members.get(key)?, child(&found.pointer, key))))
        };
        let name = text("name").map(str::to_owned).or(key);
        let title = text("title").map(str::to_owned).or_else(|| name.clone());
        let title = title.unwrap_or_else(|| "Message".to_owned());
        let anchor = self.anchor(&format!("{prefix}-{}", name.as_deref().unwrap_or(&title)));
        let description = super::about(text("summary"), text("description"));
        let usual = self.schemas.document.value("/defaultContentType");
        let content_type = text("contentType").or_else(|| usual?.as_str());
        let payload = member("payload");
        let headers = holders.iter().filter_map(|found| {
            let headers = found.members.get("headers")?;
            Some(self.source(headers, &child(&found.pointer, "headers")))
        });
        let headers = all_of(headers.collect());
        let payload = payload.map(|(value, at)| self.source(value, &at));
        let of_headers = scope(&format!("{anchor}-header"));
        let of_payload = scope(&anchor);
        let (headers, header_schema) = self.payload(headers, &of_headers);
        let (payload, schema) = self.payload(payload, &of_payload);
        let listed = holders.iter().find_map(|found| {
            let list = found.members.get("examples")?;
            Some((found, list.as_array().filter(|list| !list.is_empty())?))
        });
        let examples = match listed {
            Some((holder, list)) => {
                let schemas = (schema.as_ref(), header_schema.as_ref());
                self.message_examples(holder, list, content_type, schemas, &of_payload)
            }
            None => self.made_example(
                content_type,
                schema.as_ref(),
                header_schema.as_ref(),
                &of_payload,
            ),
        };
        let correlation = member("correlationId");
        let correlation = correlation.and_then(|(value, at)| self.follow(value, &at));
        let correlation = correlation.and_then(|found| {
            let about = found.text("description").unwrap_or_default();
            Some((found.text("location")?.to_owned(), about.to_owned()))
        });
        let is = |key: &str| holders.iter().any(|found| found.is(key));
        let members: Vec<&Map<String, Value>> = holders.iter().map(|found| found.members).collect();
        Some(Message {
            anchor,
            name: name.filter(|name| *name != title),
            title,
            content_type: content_type.map(str::to_owned),
            is_deprecated: is("deprecated") || is("x-deprecated"),
            description,
            external_docs: members.iter().find_map(|members| external_docs(members)),
            headers,
            payload,
            correlation,
            examples,
            bindings: self.bindings(&holders, false),
        })
    }

    /// Determines the language of a schema (AsyncAPI 3.0, Multi Format Schema Object).
    fn source(&mut self, value: &'d Value, pointer: &str) -> Source<'d> {
        // A reference may lead to a schema with a format, but one that names nothing is a schema with that fault.
        let (value, pointer) = match value.get("$ref").is_some() {
            true => match self.follow(value, pointer) {
                Some(found) => (Some(found.members), found.pointer),
                None => (None, pointer.to_owned()),
            },
            false => (value.as_object(), pointer.to_owned()),
        };
        let Some((members, schema)) = value.and_then(|it| Some((it, it.get("schema")?))) else {
            return Source::Schema(pointer);
        };
        match members.get("schemaFormat").and_then(Value::as_str) {
            Some(format) if !is_json_schema(format) => Source::Other(format, schema),
            Some(format) if is_openapi_30(format) => {
                let pointer = child(&pointer, "schema");
                self.schemas.read_as(Version::V30, &pointer);
                Source::Schema(pointer)
            }
            // `schema` is not a keyword of JSON Schema, so its value is the schema.
            _ => Source::Schema(child(&pointer, "schema")),
        }
    }

    fn payload(
        &mut self,
        source: Option<Source<'d>>,
        scope: &Scope,
    ) -> (Payload, Option<Arc<Schema>>) {
        match source {
            None => (Payload::None, None),
            Some(Source::Schema(pointer)) => {
                let schema = self.schemas.at(&pointer);
                self.payload_view(schema, scope)
            }
            Some(Source::All(pointers)) => {
                let place = format!("{}&all", pointers[0]);
                let parts = pointers
                    .iter()
                    .map(|at| json!({ "$ref": format!("#{at}") }));
                let all = json!({ "allOf": parts.collect::<Vec<_>>() });
                let version = self.schemas.document.version();
                let schema = crate::schema::parse(version, &all, &place);
                self.payload_view(Some(schema), scope)
            }
            Some(Source::Other(format, schema)) => {
                let (language, text) = match schema {
                    Value::String(text) => (language_of(format), text.clone()),
                    value => ("json", pretty(value)),
                };
                let text = Payload::Text {
                    format: format.to_owned(),
                    language: language.to_owned(),
                    text,
                };
                (text, None)
            }
        }
    }

    /// A schema as a page shows it.
    fn payload_view(
        &mut self,
        schema: Option<Arc<Schema>>,
        scope: &Scope,
    ) -> (Payload, Option<Arc<Schema>>) {
        let Some(schema) = schema else {
            return (Payload::None, None);
        };
        let mut root = self.root(&schema, scope);
        // What both sides see is neither read nor written only.
        root.note = root.note.filter(|note| note == "no valid value");
        (Payload::Schema(Box::new(root)), Some(schema))
    }

    /// Returns the author's examples: `list`, which `holder` (the message or a trait) has, with the
    /// schemas of payload and headers.
    fn message_examples(
        &mut self,
        holder: &ResolvedObject<'d>,
        list: &'d [Value],
        content_type: Option<&str>,
        (schema, header_schema): (Option<&Arc<Schema>>, Option<&Arc<Schema>>),
        scope: &Scope,
    ) -> Vec<MessageExample> {
        let pointer = child(&holder.pointer, "examples");
        let mut labels = HashSet::new();
        let mut examples = Vec::new();
        for (i, example) in list.iter().enumerate() {
            let Some(found) = self.follow(example, &item(&pointer, i)) else {
                continue;
            };
            let media = content_type.unwrap_or(JSON);
            let mut example_view = match found.members.get("payload") {
                Some(value) => {
                    let at = child(&found.pointer, "payload");
                    let value = self.authored(media, schema, value, &at, scope);
                    let value = self.texts_of(schema, value, holder.members);
                    self.example(media, schema, &value)
                }
                None => self.example(media, None, &Value::Object(Map::new())),
            };
            let label = found.text("summary").or_else(|| found.text("name"));
            example_view.key = found.text("name").unwrap_or_default().to_owned();
            example_view.label = label.map_or_else(|| format!("Example {}", i + 1), str::to_owned);
            if !labels.insert(example_view.label.clone()) {
                example_view.label = format!("{} ({})", example_view.label, i + 1);
            }
            if !found.members.contains_key("payload") {
                example_view.text = String::new();
            }
            let headers = found.members.get("headers").map(|value| {
                let value = self.texts_of(header_schema, value.clone(), holder.members);
                pretty(&value)
            });
            examples.push(MessageExample {
                payload: example_view,
                headers,
            });
        }
        examples
    }

    /// An example that the schema gives, or that is made of it.
    fn made_example(
        &mut self,
        content_type: Option<&str>,
        schema: Option<&Arc<Schema>>,
        headers: Option<&Arc<Schema>>,
        scope: &Scope,
    ) -> Vec<MessageExample> {
        let Some(of_payload) = schema else {
            return Vec::new();
        };
        let media = content_type.unwrap_or(JSON);
        let (examples, _) = self.schema_examples(media, of_payload, scope);
        let headers = match self.is_discarded() {
            true => None,
            false => headers.and_then(|headers| self.schemas.sample(headers, scope.hidden)),
        };
        let headers = headers.filter(|value| value.as_object().is_some_and(|it| !it.is_empty()));
        let headers = headers.as_ref().map(pretty);
        let examples = examples.into_iter().map(|payload: Example| MessageExample {
            payload,
            headers: headers.clone(),
        });
        examples.collect()
    }
}

/// The headers of a message and of its traits as one: they are merged, and what is no JSON Schema cannot be.
fn all_of(mut sources: Vec<Source<'_>>) -> Option<Source<'_>> {
    let pointers = sources.iter().filter_map(|source| match source {
        Source::Schema(pointer) => Some(pointer.clone()),
        Source::All(_) | Source::Other(..) => None,
    });
    let pointers: Vec<String> = pointers.collect();
    match sources.len() {
        0 => None,
        count if count > 1 && pointers.len() == count => Some(Source::All(pointers)),
        _ => Some(sources.swap_remove(0)),
    }
}

/// Returns true if a `schemaFormat` is read as JSON Schema: the dialects of AsyncAPI, of OpenAPI,
/// and JSON Schema itself.
fn is_json_schema(format: &str) -> bool {
    let name = format.split(';').next().unwrap_or(format).trim();
    let name = name.to_ascii_lowercase();
    [
        "application/vnd.aai.asyncapi",
        "application/schema",
        "application/vnd.oai.openapi",
    ]
    .iter()
    .any(|known| {
        name.strip_prefix(known)
            .is_some_and(|rest| matches!(rest, "" | "+json" | "+yaml"))
    })
}

/// Returns true if a `schemaFormat` is the dialect of OpenAPI 3.0.
fn is_openapi_30(format: &str) -> bool {
    let format = format.to_ascii_lowercase();
    let mut parameters = format.split(';').map(str::trim);
    let name = parameters.next().unwrap_or_default();
    name.starts_with("application/vnd.oai.openapi")
        && parameters.any(|parameter| {
            let value = parameter
                .strip_prefix("version")
                .map(|rest| rest.trim_start_matches([' ', '=']).trim_matches('"'));
            value.and_then(Version::of) == Some(Version::V30)
        })
}

/// The language that the text of a schema is colored as.
fn language_of(format: &str) -> &'static str {
    match format {
        format if format.contains("protobuf") => "protobuf",
        format if format.contains("json") || format.contains("avro") => "json",
        format if format.contains("yaml") || format.contains("raml") => "yaml",
        format if format.contains("xml") => "xml",
        _ => "text",
    }
}
