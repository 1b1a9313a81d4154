//! Validates the structure of each object against the published JSON Schemas of OpenAPI.
//!
//! `schemas/` holds unmodified copies from the OpenAPI Initiative. They are prepared once: where a
//! reference or an object is allowed, only one of the two is validated, so that errors are about
//! the one that the author meant.

use std::collections::BTreeSet;
use std::sync::{LazyLock, OnceLock};

use base::data::pointer;
use base::diagnostic::{Advice, Code, near, nearest};
use jsonschema::error::ValidationErrorKind as Fault;
use jsonschema::{Draft, PatternOptions, Registry, ValidationError, Validator};
use serde_json::{Map, Value, json};

use crate::Finding;
use crate::objects::{Edition, Holds, Kind, kind_at};

/// The published schema of an edition, and what was made of its definitions so far.
struct PublishedSchema {
    /// Pointer to its definitions.
    definitions: &'static str,
    registry: Registry<'static>,
    /// Validators, by [`Kind`]: each is made when the first object of its kind is judged, for one takes about a
    /// millisecond and half a megabyte.
    validators: [OnceLock<Option<Validator>>; Kind::Xml as usize + 1],
}

static V30: LazyLock<PublishedSchema> = LazyLock::new(|| {
    PublishedSchema::new(
        "#/definitions/",
        prepared_30(read(include_str!("../schemas/3.0.json"))),
    )
});
static V31: LazyLock<PublishedSchema> = LazyLock::new(|| {
    PublishedSchema::new(
        "#/$defs/",
        with_schemas(read(include_str!("../schemas/3.1.json"))),
    )
});
static V32: LazyLock<PublishedSchema> = LazyLock::new(|| {
    PublishedSchema::new(
        "#/$defs/",
        with_schemas(read(include_str!("../schemas/3.2.json"))),
    )
});

fn read(text: &str) -> Value {
    serde_json::from_str(text).expect("a published schema is JSON")
}

/// Name of the published schema, for references of validators.
const NAME: &str = "https://quire.invalid/openapi";

impl PublishedSchema {
    fn new(definitions: &'static str, mut schema: Value) -> Self {
        if let Value::Object(root) = &mut schema {
            root.remove("$id");
        }
        let registry = Registry::new()
            .draft(Draft::Draft202012)
            .add(NAME, schema)
            .and_then(|registry| registry.prepare());
        Self {
            definitions,
            registry: registry.expect("a published schema is valid"),
            validators: [const { OnceLock::new() }; Kind::Xml as usize + 1],
        }
    }

    fn validator(&self, edition: Edition, kind: Kind) -> Option<&Validator> {
        let validator = self.validators[kind as usize].get_or_init(|| {
            let name = definition(edition, kind)?;
            // Patterns of the published schemas are run over texts of authors: in linear time.
            let options = jsonschema::options()
                .with_draft(Draft::Draft202012)
                .with_registry(&self.registry)
                .with_pattern_options(PatternOptions::regex())
                .should_validate_formats(true);
            let schema = json!({ "$ref": format!("{NAME}{}{name}", self.definitions) });
            Some(options.build(&schema).expect("a published schema is valid"))
        });
        validator.as_ref()
    }
}

/// Definition of a kind in the published schema of an edition.
fn definition(edition: Edition, kind: Kind) -> Option<&'static str> {
    let (old, new) = match kind {
        Kind::Callback => ("Callback", "callbacks"),
        Kind::Contact => ("Contact", "contact"),
        Kind::Discriminator => ("Discriminator", "quire-discriminator"),
        Kind::Encoding => ("Encoding", "encoding"),
        Kind::Example => ("Example", "example"),
        Kind::ExternalDocs => ("ExternalDocumentation", "external-documentation"),
        Kind::Header => ("Header", "header"),
        Kind::Info => ("Info", "info"),
        Kind::License => ("License", "license"),
        Kind::Link => ("Link", "link"),
        Kind::MediaType => ("MediaType", "media-type"),
        Kind::Operation => ("Operation", "operation"),
        Kind::Parameter => ("Parameter", "parameter"),
        Kind::PathItem => ("PathItem", "path-item"),
        Kind::RequestBody => ("RequestBody", "request-body"),
        Kind::Requirement => ("SecurityRequirement", "security-requirement"),
        Kind::Response => ("Response", "response"),
        Kind::Responses => ("Responses", "responses"),
        Kind::Schema => ("Schema", "schema"),
        Kind::SecurityScheme => ("SecurityScheme", "security-scheme"),
        Kind::Server => ("Server", "server"),
        Kind::Tag => ("Tag", "tag"),
        Kind::Xml => ("XML", "quire-xml"),
        Kind::Flow | Kind::Flows | Kind::ServerVariable => return None,
    };
    Some(if edition == Edition::V30 { old } else { new })
}

fn validator(edition: Edition, kind: Kind) -> Option<&'static Validator> {
    let published = match edition {
        Edition::V30 => &V30,
        Edition::V31 => &V31,
        Edition::V32 => &V32,
    };
    published.validator(edition, kind)
}

/// The published schema of 3.0 in the dialect of today, without choices that the author's text decides.
fn prepared_30(mut schema: Value) -> Value {
    choose(&mut schema);
    if let Value::Object(root) = &mut schema {
        root.insert("$schema".to_owned(), json!(DIALECT));
        if let Some(id) = root.remove("id") {
            root.insert("$id".to_owned(), id);
        }
    }
    let types = [
        ("apiKey", "APIKeySecurityScheme"),
        ("http", "HTTPSecurityScheme"),
        ("oauth2", "OAuth2SecurityScheme"),
        ("openIdConnect", "OpenIdConnectSecurityScheme"),
    ];
    let of_type = types.map(|(name, definition)| {
        json!({
            "if": { "properties": { "type": { "const": name } } },
            "then": { "$ref": format!("#/definitions/{definition}") },
        })
    });
    schema["definitions"]["SecurityScheme"] = json!({
        "type": "object",
        "required": ["type"],
        "properties": { "type": { "enum": types.map(|(name, _)| name) } },
        "if": { "properties": { "type": { "enum": types.map(|(name, _)| name) } } },
        "then": { "allOf": of_type },
    });
    schema["definitions"]["HTTPSecurityScheme"]
        .as_object_mut()
        .and_then(|scheme| scheme.remove("oneOf"));
    // Each place of a parameter by itself, as in the schema of 3.1.
    let places = schema["definitions"]["ParameterLocation"]["oneOf"].take();
    let of_place = places.as_array().into_iter().flatten().map(|place| {
        let name = place["properties"]["in"]["enum"][0].clone();
        json!({ "if": { "properties": { "in": { "const": name } } }, "then": place })
    });
    schema["definitions"]["ParameterLocation"] = json!({
        "properties": { "in": { "enum": ["path", "query", "header", "cookie"] } },
        "allOf": of_place.collect::<Vec<_>>(),
    });
    schema
}

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Rewrites a schema and all its subschemas for better errors: `oneOf` of an object and a reference
/// becomes "if `$ref` is present, a reference, else the object", so only one branch reports.
/// Boolean `exclusiveMinimum` of draft 4 becomes the numeric one of 2020-12.
fn choose(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.get("exclusiveMinimum") == Some(&Value::Bool(true))
                && let Some(bound) = members.remove("minimum")
            {
                members.insert("exclusiveMinimum".to_owned(), bound);
            }
            let is_reference =
                |one: &Value| one.get("$ref") == Some(&json!("#/definitions/Reference"));
            let choices = members.get("oneOf").and_then(Value::as_array);
            if let Some(choices) = choices.filter(|choices| choices.iter().any(is_reference)) {
                let mut rest: Vec<Value> = choices
                    .iter()
                    .filter(|one| !is_reference(one))
                    .cloned()
                    .collect();
                let object = match rest.len() {
                    1 => rest.remove(0),
                    _ => {
                        // `additionalProperties`: a schema or a boolean.
                        rest.retain(|one| one.get("$ref").is_some());
                        json!({ "if": { "type": "boolean" }, "else": rest.pop() })
                    }
                };
                members.remove("oneOf");
                members.insert(
                    "if".to_owned(),
                    json!({ "type": "object", "required": ["$ref"] }),
                );
                members.insert(
                    "then".to_owned(),
                    json!({ "$ref": "#/definitions/Reference" }),
                );
                members.insert("else".to_owned(), object);
            }
            members.iter_mut().for_each(|(_, member)| choose(member));
        }
        Value::Array(items) => items.iter_mut().for_each(choose),
        _ => {}
    }
}

/// The published schema of 3.1 or 3.2 with the dialect of its Schema Objects, which it leaves open.
fn with_schemas(mut schema: Value) -> Value {
    refer(&mut schema);
    // They may have variables of a server in braces; what they come to is looked at where they are resolved.
    for holder in ["/$defs/oauth-flows", "/$defs/security-scheme"] {
        if let Some(holder) = schema.pointer_mut(holder) {
            without_formats(holder);
        }
    }
    let texts = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    schema["$defs"]["quire-discriminator"] = json!({
        "type": "object",
        "required": ["propertyName"],
        "properties": { "propertyName": { "type": "string" }, "mapping": texts, "defaultMapping": { "type": "string" } },
        "patternProperties": { "^x-": true },
        "unevaluatedProperties": false,
    });
    schema["$defs"]["quire-xml"] = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string" }, "namespace": { "type": "string" }, "prefix": { "type": "string" },
            "attribute": { "type": "boolean" }, "wrapped": { "type": "boolean" }, "nodeType": { "type": "string" },
        },
        "patternProperties": { "^x-": true },
        "unevaluatedProperties": false,
    });
    schema["$defs"]["schema"] = json!({ "$ref": DIALECT });
    schema
}

/// Takes away what texts below `schema` must look like.
fn without_formats(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.remove("format");
            members.values_mut().for_each(without_formats);
        }
        Value::Array(items) => items.iter_mut().for_each(without_formats),
        _ => {}
    }
}

/// Has Schema Objects found by name: no anchor is looked up while a document is judged.
fn refer(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.remove("$dynamicRef").is_some() {
                members.insert("$ref".to_owned(), json!("#/$defs/schema"));
            }
            members.iter_mut().for_each(|(_, member)| refer(member));
        }
        Value::Array(items) => items.iter_mut().for_each(refer),
        _ => {}
    }
}

/// Maximum number of faults reported for one object: for an altogether different object one is
/// enough.
const MAX_FAULTS: usize = 20;

/// The faults of the shape of an object that stands at `at`.
pub(crate) fn faults(edition: Edition, kind: Kind, value: &Value, at: &str) -> Vec<Finding> {
    let Some(validator) = validator(edition, kind) else {
        return Vec::new();
    };
    // Where it leads is another question, and a schema of 3.1 has keywords beside it.
    let refers = value.as_object().is_some_and(is_reference) && kind.may_be_reference();
    let has_siblings =
        matches!(kind, Kind::PathItem) || (kind == Kind::Schema && edition > Edition::V30);
    if refers && !has_siblings {
        return Vec::new();
    }
    let mut teller = Teller {
        edition,
        kind,
        at,
        value,
        findings: Vec::new(),
        reported: BTreeSet::new(),
        doubtful: Vec::new(),
    };
    for error in validator.iter_errors(value) {
        teller.tell(&error);
        if teller.findings.len() >= MAX_FAULTS {
            break;
        }
    }
    teller.doubts();
    teller.findings
}

/// Kind of the entries in each list of components (OpenAPI 3.2, 4.7.1).
const COMPONENTS: &[(&str, Kind)] = &[
    ("schemas", Kind::Schema),
    ("responses", Kind::Response),
    ("parameters", Kind::Parameter),
    ("examples", Kind::Example),
    ("requestBodies", Kind::RequestBody),
    ("headers", Kind::Header),
    ("securitySchemes", Kind::SecurityScheme),
    ("links", Kind::Link),
    ("callbacks", Kind::Callback),
    ("pathItems", Kind::PathItem),
    ("mediaTypes", Kind::MediaType),
];

/// A reference at `at`, in place of a `kind`, to a component that is something else.
pub(crate) fn strayed(kind: Kind, value: &Value, at: &str) -> Option<Finding> {
    let target = value.get("$ref")?.as_str()?;
    let (list, name) = target.strip_prefix("#/components/")?.split_once('/')?;
    let (_, there) = COMPONENTS.iter().find(|(known, _)| *known == list)?;
    let is_whole = !name.contains('/');
    let is_asked = COMPONENTS.iter().any(|(_, known)| *known == kind);
    (is_whole && is_asked && *there != kind).then(|| {
        let message = format!(
            "`{target}` is {}, but {} is expected here",
            there.with_article(),
            kind.with_article()
        );
        Finding::new(Code::RefKind, pointer::child(at, "$ref"), message)
    })
}

/// Puts the faults that the library finds into words.
struct Teller<'a> {
    edition: Edition,
    kind: Kind,
    at: &'a str,
    value: &'a Value,
    findings: Vec<Finding>,
    reported: BTreeSet<(Code, String)>,
    /// Objects and fields of them that the library does not expect there, though such objects can have them.
    doubtful: Vec<(String, String)>,
}

impl Teller<'_> {
    fn say(&mut self, code: Code, place: String, message: String, advice: Option<Advice>) {
        if self.reported.insert((code, place.clone())) {
            let finding = Finding::new(code, place, message);
            self.findings.push(finding.advise(advice));
        }
    }

    fn tell(&mut self, error: &ValidationError<'_>) {
        let path: Vec<String> = pointer::segments(error.instance_path().as_str()).collect();
        if self.is_within_reference(&path) {
            return;
        }
        let (kind, rest) = kind_at(self.kind, &path);
        if rest.first().is_some_and(|name| name.starts_with("x-")) {
            // The published schemas ask some extensions to be objects.
            return;
        }
        let place = format!("{}{}", self.at, error.instance_path().as_str());
        match error.kind() {
            Fault::AdditionalProperties { unexpected }
            | Fault::UnevaluatedProperties { unexpected } => {
                for name in unexpected {
                    self.unknown(kind, rest, &place, name);
                }
            }
            Fault::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let whole = self.value.pointer(error.instance_path().as_str());
                self.report_missing(kind, rest, place, name, whole);
            }
            Fault::Type { .. } if kind == Kind::Schema && rest == ["type"] => {
                let message = "a list of types is read from OpenAPI 3.1 on".to_owned();
                let hint = "raise `openapi` to 3.1.0, or write one type and `nullable: true`";
                self.reported
                    .insert((Code::SpecValueInvalid, place.clone()));
                self.say(Code::SpecFieldType, place, message, Some(hint.into()));
            }
            Fault::Type { .. } => {
                let subject = match (rest, path.last()) {
                    ([], Some(field)) if field.parse::<usize>().is_err() => format!("`{field}`"),
                    _ => subject(kind, rest),
                };
                let message = format!(
                    "{subject} must be {}",
                    types(error.kind()).unwrap_or_else(|| "something else".to_owned())
                );
                self.say(Code::SpecFieldType, place, message, None);
            }
            Fault::Enum { options } => {
                let options: Vec<&Value> = options.as_array().into_iter().flatten().collect();
                self.not_one_of(kind, rest, place, error.instance(), &options);
            }
            Fault::Constant { expected_value } => {
                if kind == Kind::Parameter && rest == ["required"] {
                    let message = "a parameter of the path must have `required: true`".to_owned();
                    self.say(Code::SpecValueInvalid, place, message, None);
                } else {
                    self.not_one_of(kind, rest, place, error.instance(), &[expected_value]);
                }
            }
            Fault::Pattern { .. } => {
                let message = format!(
                    "{} cannot be {}",
                    subject(kind, rest),
                    excerpt(error.instance())
                );
                self.say(Code::SpecValueInvalid, place, message, None);
            }
            Fault::MinItems { .. } | Fault::MinProperties { .. } => {
                let message = format!("{} must not be empty", subject(kind, rest));
                self.say(Code::SpecValueInvalid, place, message, None);
            }
            Fault::MaxProperties { .. } => {
                let message = format!("{} must have one entry only", subject(kind, rest));
                self.say(Code::SpecValueInvalid, place, message, None);
            }
            Fault::UniqueItems => {
                let message = format!("{} lists something twice", subject(kind, rest));
                self.say(Code::SpecValueInvalid, place, message, None);
            }
            Fault::Minimum { limit } => {
                let message = format!("{} must be {limit} or more", subject(kind, rest));
                self.say(Code::SpecValueInvalid, place, message, None);
            }
            Fault::ExclusiveMinimum { limit } => {
                let message = format!("{} must be more than {limit}", subject(kind, rest));
                self.say(Code::SpecValueInvalid, place, message, None);
            }
            Fault::Not { schema } => {
                let names = schema.get("required").and_then(Value::as_array);
                let names: Vec<&str> = names
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .collect();
                // Where one excludes the other, the schema stands under its name.
                let path: Vec<String> = pointer::segments(error.schema_path().as_str()).collect();
                match names[..] {
                    [one, other] => self.exclusive(kind, place, one, other),
                    [other] => {
                        if let [.., keyword, one, _] = &path[..]
                            && keyword == "dependentSchemas"
                        {
                            self.exclusive(kind, place, one, other);
                        }
                    }
                    _ => {}
                }
            }
            // Addresses of servers and operations have templates, and references are told where they lead.
            Fault::Format { format }
                if matches!(
                    kind,
                    Kind::Info | Kind::License | Kind::Contact | Kind::ExternalDocs
                ) =>
            {
                let wanted = match &**format {
                    "email" => "an address of mail",
                    _ => "an address (RFC 3986)",
                };
                let message = format!("{} must be {wanted}", subject(kind, rest));
                self.say(Code::SpecValueInvalid, place, message, None);
            }
            // A text, such as the `$ref` of a map of headers, has neither.
            Fault::OneOfMultipleValid { .. } if !error.instance().is_object() => {}
            Fault::OneOfMultipleValid { .. } => self.both(kind, place),
            Fault::OneOfNotValid { context } | Fault::AnyOf { context } => {
                self.none_of(kind, rest, &place, error, context);
            }
            Fault::PropertyNames { error } => {
                let name = excerpt(error.instance());
                let message = format!("{name} cannot be a name in {}", subject(kind, rest));
                self.say(Code::SpecValueInvalid, place, message, None);
            }
            Fault::FalseSchema => {
                // What the last word of the path names must not be there.
                if let Some((name, above)) = path.split_last() {
                    let (kind, rest) = kind_at(self.kind, above);
                    let parent = place.rsplit_once('/').map_or("", |(parent, _)| parent);
                    self.unknown(kind, rest, parent, name);
                }
            }
            _ => {}
        }
    }

    /// Returns true if a fault is of a map of media types or of responses that is written as a
    /// reference: that was reported.
    fn is_within_reference(&self, path: &[String]) -> bool {
        let mut value = self.value;
        let mut is_map = self.kind == Kind::Responses;
        for name in path.iter().map(Some).chain([None]) {
            if is_map && value.as_object().is_some_and(is_reference) {
                return true;
            }
            let Some(name) = name else {
                break;
            };
            is_map = matches!(name.as_str(), "content" | "responses");
            let item = || value.get(name.parse::<usize>().ok()?);
            match value.get(name).or_else(item) {
                Some(inner) => value = inner,
                None => break,
            }
        }
        false
    }

    /// Reports fields without effect in objects that have no other fault.
    fn doubts(&mut self) {
        for (place, name) in std::mem::take(&mut self.doubtful) {
            let is_elsewhere = |one: &Finding| {
                let rest = one.place.strip_prefix(&place);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            if !self.findings.iter().any(is_elsewhere) {
                let message = format!("`{name}` has no effect here");
                self.say(
                    Code::SpecFieldUnknown,
                    pointer::child(&place, &name),
                    message,
                    None,
                );
            }
        }
    }

    /// Reports that `name` is not a field of an object at `place`.
    fn unknown(&mut self, kind: Kind, rest: &[String], place: &str, name: &str) {
        let at = pointer::child(place, name);
        if !rest.is_empty() {
            return;
        }
        if kind == Kind::Responses {
            // Statuses are judged where responses are drawn.
            return;
        }
        if kind == Kind::MediaType && self.kind == kind && name.contains('/') {
            // A map of media types, which a `content` refers to.
            return;
        }
        match kind.field(name) {
            // It may be said only because something else of the object is wrong.
            Some((_, _, since)) if *since <= self.edition => {
                self.doubtful.push((place.to_owned(), name.to_owned()));
            }
            Some((_, _, since)) => {
                let message = format!(
                    "`{name}` is a field of {} from OpenAPI {} on; the document is of {}",
                    kind.with_article(),
                    since.name(),
                    self.edition.name()
                );
                let hint = replacement(kind, name, self.edition);
                self.say(Code::SpecFieldUnknown, at, message, hint.map(Advice::from));
            }
            None => {
                let message = format!("`{name}` is not a field of {}", kind.with_article());
                let known = kind.fields().iter().filter(|field| field.2 <= self.edition);
                let is_of_schema = Kind::Schema.field(name).is_some();
                let hint = match near(name, known.map(|field| field.0)) {
                    _ if kind.holds("schema") != Holds::Data && is_of_schema => {
                        "put it below `schema`".into()
                    }
                    Some(known) => known.advice(),
                    None => "extensions begin with `x-`".into(),
                };
                self.say(Code::SpecFieldUnknown, at, message, Some(hint));
            }
        }
    }

    fn report_missing(
        &mut self,
        kind: Kind,
        rest: &[String],
        place: String,
        name: &str,
        whole: Option<&Value>,
    ) {
        if !rest.is_empty() {
            return;
        }
        let message = match (kind, name) {
            // Said of every parameter that does not say where it is.
            (Kind::Parameter, "required") if whole.is_none_or(|one| one.get("in").is_none()) => {
                return;
            }
            (Kind::Parameter, "required") => {
                "a parameter of the path must have `required: true`".to_owned()
            }
            // Said as that it is empty.
            (Kind::Responses, _) => return,
            (Kind::SecurityScheme, _) => {
                let of_type = whole.and_then(|scheme| scheme.get("type")?.as_str());
                let of_type =
                    of_type.map_or_else(String::new, |of_type| format!(" of type `{of_type}`"));
                format!("a security scheme{of_type} needs `{name}`")
            }
            _ => format!("{} needs `{name}`", kind.with_article()),
        };
        // Several fields can be missing at one place.
        if self
            .reported
            .insert((Code::SpecFieldMissing, format!("{place} {name}")))
        {
            let hint = suggestion(kind, name, whole, self.edition);
            let finding = Finding::new(Code::SpecFieldMissing, place, message);
            self.findings.push(match hint {
                Some(hint) => finding.hint(hint),
                None => finding,
            });
        }
    }

    fn not_one_of(
        &mut self,
        kind: Kind,
        rest: &[String],
        place: String,
        value: &Value,
        options: &[&Value],
    ) {
        let names: Vec<String> = options.iter().map(|option| excerpt(option)).collect();
        let message = format!("{} cannot be {}", subject(kind, rest), excerpt(value));
        let texts = options.iter().filter_map(|option| option.as_str());
        let hint = match value.as_str().and_then(|value| near(value, texts)) {
            _ if kind == Kind::Parameter && (value == "body" || value == "formData") => {
                "describe it as the `requestBody` of the operation".into()
            }
            _ if value == "null" && kind == Kind::Schema => {
                "write `nullable: true` beside the type of the value".into()
            }
            Some(option) => option.advice(),
            None if names.len() == 1 => format!("write {}", names[0]).into(),
            None => format!("it is one of {}", names.join(", ")).into(),
        };
        self.say(Code::SpecValueInvalid, place, message, Some(hint));
    }

    fn exclusive(&mut self, kind: Kind, place: String, one: &str, other: &str) {
        let message = format!("{} has `{one}` or `{other}`, not both", kind.with_article());
        self.say(Code::SpecFieldsExclusive, place, message, None);
    }

    /// Several choices fit: those between which an object must decide.
    fn both(&mut self, kind: Kind, place: String) {
        match kind {
            Kind::Parameter | Kind::Header => self.exclusive(kind, place, "schema", "content"),
            Kind::Link => self.exclusive(kind, place, "operationRef", "operationId"),
            _ => {}
        }
    }

    /// Reports that no choice fits: what is missing if all miss something, else the faults of the
    /// choice that fits best.
    fn none_of(
        &mut self,
        kind: Kind,
        rest: &[String],
        place: &str,
        error: &ValidationError<'_>,
        context: &[Vec<ValidationError<'static>>],
    ) {
        let needed: Vec<&str> = context.iter().filter_map(|branch| needed(branch)).collect();
        if rest.is_empty() && needed.len() == context.len() && !needed.is_empty() {
            let names: Vec<String> = needed.iter().map(|name| format!("`{name}`")).collect();
            let message = format!("{} needs {}", kind.with_article(), names.join(" or "));
            self.say(Code::SpecFieldMissing, place.to_owned(), message, None);
            return;
        }
        // The choices of `type` in a schema: a name or a list of names.
        if kind == Kind::Schema && rest == ["type"] {
            let names: Vec<Value> = TYPES.iter().map(|name| json!(name)).collect();
            let names: Vec<&Value> = names.iter().collect();
            self.not_one_of(kind, rest, place.to_owned(), error.instance(), &names);
            return;
        }
        let best = context.iter().min_by_key(|branch| {
            let deepest = branch
                .iter()
                .map(|one| one.instance_path().as_str().len())
                .max();
            (std::cmp::Reverse(deepest), branch.len())
        });
        for one in best.into_iter().flatten() {
            self.tell(one);
        }
    }
}

const TYPES: [&str; 7] = [
    "string", "number", "integer", "boolean", "array", "object", "null",
];

/// The field that a choice wants before all else.
fn needed<'e>(branch: &'e [ValidationError<'static>]) -> Option<&'e str> {
    branch.iter().find_map(|error| match error.kind() {
        Fault::Required { property } => property.as_str(),
        _ => None,
    })
}

/// Subject of a fault: an object, or a field of it.
fn subject(kind: Kind, rest: &[String]) -> String {
    match rest {
        [] => kind.with_article().to_owned(),
        [field] => format!("`{field}`"),
        [field, ..] => format!("an entry of `{field}`"),
    }
}

/// Expected types of a fault, in words.
fn types(fault: &Fault) -> Option<String> {
    let Fault::Type { kind } = fault else {
        return None;
    };
    // The library prints the names of JSON Schema: `string`, or a list of them.
    let name = |text: &str| match text {
        "string" => "a text",
        "object" => "an object",
        "array" => "a list",
        "boolean" => "`true` or `false`",
        "integer" => "a whole number",
        "number" => "a number",
        _ => "null",
    };
    Some(match kind {
        jsonschema::error::TypeKind::Single(one) => name(&one.to_string()).to_owned(),
        jsonschema::error::TypeKind::Multiple(many) => {
            let names: Vec<String> = many
                .iter()
                .map(|one| name(&one.to_string()).to_owned())
                .collect();
            names.join(" or ")
        }
    })
}

/// A value as a message shows it: short.
fn excerpt(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Object(_) => return "an object".to_owned(),
        Value::Array(_) => return "a list".to_owned(),
        other => other.to_string(),
    };
    let short: String = text.chars().take(40).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("`{short}{more}`")
}

/// Replacement for a field of a later edition.
fn replacement(kind: Kind, name: &str, edition: Edition) -> Option<String> {
    if (kind, edition) == (Kind::Schema, Edition::V30) {
        let instead = match name {
            "const" => "`enum` with one value",
            "examples" => "`example`",
            "$defs" | "definitions" => "`components/schemas`",
            _ => "",
        };
        if !instead.is_empty() {
            return Some(format!("write {instead}, or raise `openapi` to 3.1.0"));
        }
    }
    Some("raise `openapi`, or leave it out".to_owned())
}

/// Suggestion for an unknown field: one with a similar name, or the successor of one from older
/// versions.
fn suggestion(kind: Kind, name: &str, whole: Option<&Value>, edition: Edition) -> Option<String> {
    let members = whole?.as_object()?;
    if kind == Kind::Parameter && name == "schema" && members.contains_key("type") {
        return Some("put `type` below `schema`".to_owned());
    }
    let is_unknown = |member: &&String| {
        let known = kind.field(member).is_some_and(|field| field.2 <= edition);
        !known && !member.starts_with("x-")
    };
    let unknown = members.keys().filter(is_unknown).map(String::as_str);
    nearest(name, unknown).map(|near| format!("`{near}` stands there: did you mean `{name}`?"))
}

/// Returns true if `members` are those of a reference rather than of an object.
pub(crate) fn is_reference(members: &Map<String, Value>) -> bool {
    members.get("$ref").is_some_and(Value::is_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault_lines(edition: Edition, kind: Kind, value: &Value) -> Vec<String> {
        let found = faults(edition, kind, value, "/x");
        let lines = found
            .iter()
            .map(|one| format!("{}: {}", one.place, one.message));
        lines.collect()
    }

    #[test]
    fn what_stands_deep_in_an_operation_is_judged() {
        let schema = json!({ "array": { "item": {} } });
        let operation = json!({
            "responses": { "200": { "description": "A", "content": { "application/json": { "schema": schema } } } },
        });
        let path = "/x/responses/200/content/application~1json/schema/array";
        assert_eq!(
            fault_lines(Edition::V30, Kind::Operation, &operation),
            [format!("{path}: `array` is not a field of a schema")]
        );
    }

    #[test]
    fn a_field_that_means_nothing_beside_others_is_told_unless_something_else_is_wrong() {
        let scheme = json!({ "type": "http", "scheme": "basic", "name": "X-Key" });
        for edition in [Edition::V30, Edition::V31, Edition::V32] {
            assert_eq!(
                fault_lines(edition, Kind::SecurityScheme, &scheme),
                ["/x/name: `name` has no effect here"]
            );
        }
        let parameter = json!({ "name": "a", "in": "path", "schema": {}, "style": "simple" });
        assert_eq!(
            fault_lines(Edition::V31, Kind::Parameter, &parameter),
            ["/x: a parameter of the path must have `required: true`"]
        );
    }
}
