//! The objects of OpenAPI and their fields: what stands where in a document, by version.
//!
//! One table says which fields an object has and what they hold. Whoever looks for objects walks a value with it, so that
//! examples, defaults and extensions are data whatever they look like.

use base::data::pointer;
use serde_json::Value;

/// The versions of OpenAPI that are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Edition {
    /// OpenAPI 3.0, with a dialect of schemas of its own.
    V30,
    /// OpenAPI 3.1: schemas are JSON Schema 2020-12.
    V31,
    /// OpenAPI 3.2 and what comes after.
    V32,
}

impl Edition {
    /// The edition that the `openapi` field says; `None` if it is none of 3.
    pub fn of(text: &str) -> Option<Self> {
        let is = |minor: &str| text == minor || text.starts_with(&format!("{minor}."));
        match text {
            _ if is("3.0") => Some(Self::V30),
            _ if is("3.1") || text == "3" => Some(Self::V31),
            _ if text.starts_with("3.") => Some(Self::V32),
            _ => None,
        }
    }

    /// Number, as authors write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::V30 => "3.0",
            Self::V31 => "3.1",
            Self::V32 => "3.2",
        }
    }
}

/// The kinds of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "named as OpenAPI names them")]
pub enum Kind {
    Callback,
    Contact,
    Discriminator,
    Encoding,
    Example,
    ExternalDocs,
    Flow,
    Flows,
    Header,
    Info,
    License,
    Link,
    MediaType,
    Operation,
    Parameter,
    PathItem,
    RequestBody,
    Requirement,
    Response,
    Responses,
    Schema,
    SecurityScheme,
    Server,
    ServerVariable,
    Tag,
    Xml,
}

/// Content of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// A scalar, or arbitrary data.
    Data,
    /// One object.
    One(Kind),
    /// A list of objects.
    List(Kind),
    /// A map from arbitrary names to objects.
    Map(Kind),
    /// A list of such maps' values: an object, or in JSON Schema a boolean or a list.
    Either(Kind),
}

use Edition::{V30, V31, V32};
use Holds::{Data, Either, List, Map, One};

/// A field: its name, what it holds, and since which edition there is one.
type Field = (&'static str, Holds, Edition);

impl Kind {
    /// The kind with its article, as sentences have it.
    pub fn with_article(self) -> &'static str {
        match self {
            Self::Callback => "a callback",
            Self::Contact => "`contact`",
            Self::Discriminator => "a discriminator",
            Self::Encoding => "an encoding",
            Self::Example => "an example",
            Self::ExternalDocs => "`externalDocs`",
            Self::Flow => "an OAuth flow",
            Self::Flows => "`flows`",
            Self::Header => "a header",
            Self::Info => "`info`",
            Self::License => "`license`",
            Self::Link => "a link",
            Self::MediaType => "a media type",
            Self::Operation => "an operation",
            Self::Parameter => "a parameter",
            Self::PathItem => "a path",
            Self::RequestBody => "a request body",
            Self::Requirement => "a security requirement",
            Self::Response => "a response",
            Self::Responses => "`responses`",
            Self::Schema => "a schema",
            Self::SecurityScheme => "a security scheme",
            Self::Server => "a server",
            Self::ServerVariable => "a variable of a server",
            Self::Tag => "a tag",
            Self::Xml => "`xml`",
        }
    }

    /// The fields of the kind, of all editions. Empty for kinds whose names are free.
    pub fn fields(self) -> &'static [Field] {
        match self {
            Self::Callback | Self::Requirement | Self::Responses => &[],
            Self::Contact => CONTACT,
            Self::Discriminator => DISCRIMINATOR,
            Self::Encoding => ENCODING,
            Self::Example => EXAMPLE,
            Self::ExternalDocs => EXTERNAL_DOCS,
            Self::Flow => FLOW,
            Self::Flows => FLOWS,
            Self::Header => HEADER,
            Self::Info => INFO,
            Self::License => LICENSE,
            Self::Link => LINK,
            Self::MediaType => MEDIA_TYPE,
            Self::Operation => OPERATION,
            Self::Parameter => PARAMETER,
            Self::PathItem => PATH_ITEM,
            Self::RequestBody => REQUEST_BODY,
            Self::Response => RESPONSE,
            Self::Schema => SCHEMA,
            Self::SecurityScheme => SECURITY_SCHEME,
            Self::Server => SERVER,
            Self::ServerVariable => SERVER_VARIABLE,
            Self::Tag => TAG,
            Self::Xml => XML,
        }
    }

    /// The field of this name, if the kind has one in any edition.
    pub fn field(self, name: &str) -> Option<&'static Field> {
        self.fields().iter().find(|field| field.0 == name)
    }

    /// Content of the field `name`.
    pub fn holds(self, name: &str) -> Holds {
        match self {
            _ if name.starts_with("x-") => Data,
            Self::Responses => One(Self::Response),
            Self::Callback => One(Self::PathItem),
            _ => self.field(name).map_or(Data, |field| field.1),
        }
    }

    /// Returns true if a `$ref` may take its place. In a schema of 3.1 it is a keyword like others.
    pub fn may_be_reference(self) -> bool {
        matches!(
            self,
            Self::Callback
                | Self::Example
                | Self::Header
                | Self::Link
                | Self::MediaType
                | Self::Parameter
                | Self::PathItem
                | Self::RequestBody
                | Self::Response
                | Self::Schema
                | Self::SecurityScheme
        )
    }
}

const INFO: &[Field] = &[
    ("title", Data, V30),
    ("summary", Data, V31),
    ("description", Data, V30),
    ("termsOfService", Data, V30),
    ("contact", One(Kind::Contact), V30),
    ("license", One(Kind::License), V30),
    ("version", Data, V30),
];
const CONTACT: &[Field] = &[
    ("name", Data, V30),
    ("url", Data, V30),
    ("email", Data, V30),
];
const LICENSE: &[Field] = &[
    ("name", Data, V30),
    ("identifier", Data, V31),
    ("url", Data, V30),
];
const SERVER: &[Field] = &[
    ("url", Data, V30),
    ("description", Data, V30),
    ("name", Data, V32),
    ("variables", Map(Kind::ServerVariable), V30),
];
const SERVER_VARIABLE: &[Field] = &[
    ("enum", Data, V30),
    ("default", Data, V30),
    ("description", Data, V30),
];
const PATH_ITEM: &[Field] = &[
    ("$ref", Data, V30),
    ("summary", Data, V30),
    ("description", Data, V30),
    ("get", One(Kind::Operation), V30),
    ("put", One(Kind::Operation), V30),
    ("post", One(Kind::Operation), V30),
    ("delete", One(Kind::Operation), V30),
    ("options", One(Kind::Operation), V30),
    ("head", One(Kind::Operation), V30),
    ("patch", One(Kind::Operation), V30),
    ("trace", One(Kind::Operation), V30),
    ("query", One(Kind::Operation), V32),
    ("additionalOperations", Map(Kind::Operation), V32),
    ("servers", List(Kind::Server), V30),
    ("parameters", List(Kind::Parameter), V30),
];
const OPERATION: &[Field] = &[
    ("tags", Data, V30),
    ("summary", Data, V30),
    ("description", Data, V30),
    ("externalDocs", One(Kind::ExternalDocs), V30),
    ("operationId", Data, V30),
    ("parameters", List(Kind::Parameter), V30),
    ("requestBody", One(Kind::RequestBody), V30),
    ("responses", One(Kind::Responses), V30),
    ("callbacks", Map(Kind::Callback), V30),
    ("deprecated", Data, V30),
    ("security", List(Kind::Requirement), V30),
    ("servers", List(Kind::Server), V30),
];
const EXTERNAL_DOCS: &[Field] = &[("description", Data, V30), ("url", Data, V30)];
const PARAMETER: &[Field] = &[
    ("name", Data, V30),
    ("in", Data, V30),
    ("description", Data, V30),
    ("required", Data, V30),
    ("deprecated", Data, V30),
    ("allowEmptyValue", Data, V30),
    ("style", Data, V30),
    ("explode", Data, V30),
    ("allowReserved", Data, V30),
    ("schema", One(Kind::Schema), V30),
    ("example", Data, V30),
    ("examples", Map(Kind::Example), V30),
    ("content", Map(Kind::MediaType), V30),
];
const HEADER: &[Field] = &[
    ("description", Data, V30),
    ("required", Data, V30),
    ("deprecated", Data, V30),
    ("allowEmptyValue", Data, V30),
    ("style", Data, V30),
    ("explode", Data, V30),
    ("allowReserved", Data, V30),
    ("schema", One(Kind::Schema), V30),
    ("example", Data, V30),
    ("examples", Map(Kind::Example), V30),
    ("content", Map(Kind::MediaType), V30),
];
const REQUEST_BODY: &[Field] = &[
    ("description", Data, V30),
    ("content", Map(Kind::MediaType), V30),
    ("required", Data, V30),
];
const MEDIA_TYPE: &[Field] = &[
    ("schema", One(Kind::Schema), V30),
    ("itemSchema", One(Kind::Schema), V32),
    ("example", Data, V30),
    ("examples", Map(Kind::Example), V30),
    ("encoding", Map(Kind::Encoding), V30),
    ("prefixEncoding", List(Kind::Encoding), V32),
    ("itemEncoding", One(Kind::Encoding), V32),
];
const ENCODING: &[Field] = &[
    ("contentType", Data, V30),
    ("headers", Map(Kind::Header), V30),
    ("style", Data, V30),
    ("explode", Data, V30),
    ("allowReserved", Data, V30),
    ("encoding", Map(Kind::Encoding), V32),
    ("prefixEncoding", List(Kind::Encoding), V32),
    ("itemEncoding", One(Kind::Encoding), V32),
];
const RESPONSE: &[Field] = &[
    ("summary", Data, V32),
    ("description", Data, V30),
    ("headers", Map(Kind::Header), V30),
    ("content", Map(Kind::MediaType), V30),
    ("links", Map(Kind::Link), V30),
];
const EXAMPLE: &[Field] = &[
    ("summary", Data, V30),
    ("description", Data, V30),
    ("value", Data, V30),
    ("dataValue", Data, V32),
    ("serializedValue", Data, V32),
    ("externalValue", Data, V30),
];
const LINK: &[Field] = &[
    ("operationRef", Data, V30),
    ("operationId", Data, V30),
    ("parameters", Data, V30),
    ("requestBody", Data, V30),
    ("description", Data, V30),
    ("server", One(Kind::Server), V30),
];
const TAG: &[Field] = &[
    ("name", Data, V30),
    ("summary", Data, V32),
    ("description", Data, V30),
    ("externalDocs", One(Kind::ExternalDocs), V30),
    ("parent", Data, V32),
    ("kind", Data, V32),
];
const SECURITY_SCHEME: &[Field] = &[
    ("type", Data, V30),
    ("description", Data, V30),
    ("name", Data, V30),
    ("in", Data, V30),
    ("scheme", Data, V30),
    ("bearerFormat", Data, V30),
    ("flows", One(Kind::Flows), V30),
    ("openIdConnectUrl", Data, V30),
    ("oauth2MetadataUrl", Data, V32),
    ("deprecated", Data, V32),
];
const FLOWS: &[Field] = &[
    ("implicit", One(Kind::Flow), V30),
    ("password", One(Kind::Flow), V30),
    ("clientCredentials", One(Kind::Flow), V30),
    ("authorizationCode", One(Kind::Flow), V30),
    ("deviceAuthorization", One(Kind::Flow), V32),
];
const FLOW: &[Field] = &[
    ("authorizationUrl", Data, V30),
    ("deviceAuthorizationUrl", Data, V32),
    ("tokenUrl", Data, V30),
    ("refreshUrl", Data, V30),
    ("scopes", Data, V30),
];
const DISCRIMINATOR: &[Field] = &[
    ("propertyName", Data, V30),
    ("mapping", Data, V30),
    ("defaultMapping", Data, V32),
];
const XML: &[Field] = &[
    ("name", Data, V30),
    ("namespace", Data, V30),
    ("prefix", Data, V30),
    ("attribute", Data, V30),
    ("wrapped", Data, V30),
    ("nodeType", Data, V32),
];
const SCHEMA: &[Field] = &[
    ("$ref", Data, V30),
    ("title", Data, V30),
    ("multipleOf", Data, V30),
    ("maximum", Data, V30),
    ("exclusiveMaximum", Data, V30),
    ("minimum", Data, V30),
    ("exclusiveMinimum", Data, V30),
    ("maxLength", Data, V30),
    ("minLength", Data, V30),
    ("pattern", Data, V30),
    ("maxItems", Data, V30),
    ("minItems", Data, V30),
    ("uniqueItems", Data, V30),
    ("maxProperties", Data, V30),
    ("minProperties", Data, V30),
    ("required", Data, V30),
    ("enum", Data, V30),
    ("type", Data, V30),
    ("allOf", List(Kind::Schema), V30),
    ("oneOf", List(Kind::Schema), V30),
    ("anyOf", List(Kind::Schema), V30),
    ("not", One(Kind::Schema), V30),
    ("items", Either(Kind::Schema), V30),
    ("properties", Map(Kind::Schema), V30),
    ("additionalProperties", One(Kind::Schema), V30),
    ("description", Data, V30),
    ("format", Data, V30),
    ("default", Data, V30),
    ("nullable", Data, V30),
    ("discriminator", One(Kind::Discriminator), V30),
    ("readOnly", Data, V30),
    ("writeOnly", Data, V30),
    ("xml", One(Kind::Xml), V30),
    ("externalDocs", One(Kind::ExternalDocs), V30),
    ("example", Data, V30),
    ("deprecated", Data, V30),
    ("$id", Data, V31),
    ("$schema", Data, V31),
    ("$anchor", Data, V31),
    ("$dynamicAnchor", Data, V31),
    ("$dynamicRef", Data, V31),
    ("$vocabulary", Data, V31),
    ("$comment", Data, V31),
    ("$defs", Map(Kind::Schema), V31),
    ("definitions", Map(Kind::Schema), V31),
    ("const", Data, V31),
    ("examples", Data, V31),
    ("if", One(Kind::Schema), V31),
    ("then", One(Kind::Schema), V31),
    ("else", One(Kind::Schema), V31),
    ("prefixItems", List(Kind::Schema), V31),
    ("contains", One(Kind::Schema), V31),
    ("minContains", Data, V31),
    ("maxContains", Data, V31),
    ("patternProperties", Map(Kind::Schema), V31),
    ("propertyNames", One(Kind::Schema), V31),
    ("dependentSchemas", Map(Kind::Schema), V31),
    ("dependentRequired", Data, V31),
    ("dependencies", Data, V31),
    ("unevaluatedItems", One(Kind::Schema), V31),
    ("unevaluatedProperties", One(Kind::Schema), V31),
    ("contentEncoding", Data, V31),
    ("contentMediaType", Data, V31),
    ("contentSchema", One(Kind::Schema), V31),
];

/// The fields at the top of a document, and since when there are those.
pub const TOP: &[(&str, Edition)] = &[
    ("openapi", V30),
    ("info", V30),
    ("servers", V30),
    ("paths", V30),
    ("components", V30),
    ("security", V30),
    ("tags", V30),
    ("externalDocs", V30),
    ("webhooks", V31),
    ("jsonSchemaDialect", V31),
    ("$self", V32),
];

/// The sections of `components`, with what each holds.
pub const COMPONENTS: &[(&str, Kind, Edition)] = &[
    ("schemas", Kind::Schema, V30),
    ("responses", Kind::Response, V30),
    ("parameters", Kind::Parameter, V30),
    ("examples", Kind::Example, V30),
    ("requestBodies", Kind::RequestBody, V30),
    ("headers", Kind::Header, V30),
    ("securitySchemes", Kind::SecurityScheme, V30),
    ("links", Kind::Link, V30),
    ("callbacks", Kind::Callback, V30),
    ("pathItems", Kind::PathItem, V31),
    ("mediaTypes", Kind::MediaType, V32),
];

/// Content of the slice of a document with this pointer.
pub fn of_slice(key: &str) -> Holds {
    let segments: Vec<String> = pointer::segments(key).collect();
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    match segments[..] {
        ["info"] => One(Kind::Info),
        ["servers"] => List(Kind::Server),
        ["tags"] => List(Kind::Tag),
        ["security"] => List(Kind::Requirement),
        ["externalDocs"] => One(Kind::ExternalDocs),
        ["paths", name, ..] if name.starts_with("x-") => Data,
        ["paths" | "webhooks", _, member] => Kind::PathItem.holds(member),
        ["paths" | "webhooks", _] => One(Kind::PathItem),
        ["components", section, _] => {
            let found = COMPONENTS.iter().find(|(name, ..)| *name == section);
            found.map_or(Data, |(_, kind, _)| One(*kind))
        }
        _ => Data,
    }
}

/// An object of a document.
#[derive(Clone, Copy, Debug)]
pub struct Object<'v> {
    /// Kind.
    pub kind: Kind,
    /// The value: an object, or what the author wrote in its place.
    pub value: &'v Value,
    /// Whether it is a part of a composition, which knows only a part of what the whole says.
    pub is_part: bool,
    /// Whether it stands below another object of the slice.
    pub is_inner: bool,
}

/// Maximum nesting that is checked, to bound the use of the stack.
const MAX_DEPTH: usize = 96;

/// Calls `see` with each object of a value that `holds` describes, in the order of the text, with its pointer.
pub fn walk<'v>(
    holds: Holds,
    value: &'v Value,
    at: &mut String,
    see: &mut dyn FnMut(&str, Object<'v>),
) {
    Walk { see, depth: 0 }.value(holds, value, at, false);
}

struct Walk<'s, 'v> {
    see: &'s mut dyn FnMut(&str, Object<'v>),
    depth: usize,
}

impl<'v> Walk<'_, 'v> {
    fn value(&mut self, holds: Holds, value: &'v Value, at: &mut String, is_part: bool) {
        let length = at.len();
        match (holds, value) {
            (Data, _) => {}
            (Either(kind), Value::Array(_)) => self.value(List(kind), value, at, is_part),
            (One(kind) | Either(kind), _) => self.object(kind, value, at, is_part),
            (List(kind), Value::Array(items)) => {
                for (i, item) in items.iter().enumerate() {
                    pointer::push_item(at, i);
                    self.object(kind, item, at, is_part);
                    at.truncate(length);
                }
            }
            (Map(kind), Value::Object(members)) => {
                for (name, member) in members {
                    pointer::push(at, name);
                    self.object(kind, member, at, is_part);
                    at.truncate(length);
                }
            }
            // What should be a list or a map and is not is a fault of the object around it.
            (List(_) | Map(_), _) => {}
        }
    }

    fn object(&mut self, kind: Kind, value: &'v Value, at: &mut String, is_part: bool) {
        let is_inner = self.depth > 0;
        (self.see)(
            at,
            Object {
                kind,
                value,
                is_part,
                is_inner,
            },
        );
        let Value::Object(members) = value else {
            return;
        };
        if self.depth >= MAX_DEPTH {
            return;
        }
        self.depth += 1;
        let length = at.len();
        for (name, member) in members {
            let holds = kind.holds(name);
            if holds == Data {
                continue;
            }
            let composes = matches!(
                name.as_str(),
                "allOf" | "oneOf" | "anyOf" | "not" | "if" | "then" | "else" | "dependentSchemas"
            );
            pointer::push(at, name);
            self.value(holds, member, at, kind == Kind::Schema && composes);
            at.truncate(length);
        }
        self.depth -= 1;
    }
}

/// The kind of the object at `path` below an object of `kind`, and the rest of the path within that object.
pub fn kind_at(kind: Kind, path: &[String]) -> (Kind, &[String]) {
    let Some((name, rest)) = path.split_first() else {
        return (kind, path);
    };
    match (kind.holds(name), rest.split_first()) {
        (One(inner) | Either(inner), _) => kind_at(inner, rest),
        (List(inner) | Map(inner), Some((_, below))) => kind_at(inner, below),
        _ => (kind, path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn seen(key: &str, value: &Value) -> Vec<String> {
        let mut seen = Vec::new();
        walk(
            of_slice(key),
            value,
            &mut key.to_owned(),
            &mut |at, object| {
                seen.push(format!("{:?} {at}", object.kind));
            },
        );
        seen
    }

    #[test]
    fn data_of_the_author_holds_no_objects() {
        let operation = json!({
            "responses": { "default": { "description": "x", "headers": { "example": { "schema": { "type": "string", "default": { "properties": {} } } } } } },
            "x-y": { "schema": {} },
        });
        assert_eq!(
            seen("/paths/~1a/get", &operation),
            [
                "Operation /paths/~1a/get",
                "Responses /paths/~1a/get/responses",
                "Response /paths/~1a/get/responses/default",
                "Header /paths/~1a/get/responses/default/headers/example",
                "Schema /paths/~1a/get/responses/default/headers/example/schema",
            ]
        );
    }

    #[test]
    fn names_of_properties_are_free() {
        let schema = json!({ "properties": { "properties": { "items": [{}, true] }, "x-a": {} } });
        assert_eq!(
            seen("/components/schemas/x-b", &schema),
            [
                "Schema /components/schemas/x-b",
                "Schema /components/schemas/x-b/properties/properties",
                "Schema /components/schemas/x-b/properties/properties/items/0",
                "Schema /components/schemas/x-b/properties/properties/items/1",
                "Schema /components/schemas/x-b/properties/x-a",
            ]
        );
    }

    #[test]
    fn the_kind_below_a_path_is_known() {
        let path = |text: &str| -> Vec<String> { pointer::segments(text).collect() };
        let at = |text: &str| {
            let path = path(text);
            let (kind, rest) = kind_at(Kind::Operation, &path);
            (kind, rest.join("/"))
        };
        assert_eq!(at("/parameters/0/in"), (Kind::Parameter, "in".to_owned()));
        assert_eq!(
            at("/responses/200/content/a~1b/schema/properties/example/type"),
            (Kind::Schema, "type".to_owned())
        );
        assert_eq!(at("/tags/0"), (Kind::Operation, "tags/0".to_owned()));
    }
}
