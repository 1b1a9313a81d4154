//! Converts a schema of a document to a normalised one.

use std::mem::take;
use std::sync::Arc;

use serde_json::{Map, Number, Value};

use super::{Additional, Bound, Discriminator, Named, Schema, Type, ValueNote, Xml};
use crate::resource::Resource;
use crate::version::Version;
use base::data::pointer::{child, item};
use base::data::yaml::{SPELLED, spelled};
use base::diagnostic::{Code, Diagnostic};

/// Maximum depth of schemas; deeper ones are treated as unrestricted. No document that people write
/// comes near.
const MAX_DEPTH: usize = 200;

/// Lowers the schema `value` at `pointer`, and those within it.
pub fn parse(version: Version, value: &Value, pointer: &str) -> Arc<Schema> {
    parse_within(version, value, pointer, None)
}

/// Lowers the schema `value` at `pointer` in the resource `enclosing`, and those within it.
pub fn parse_within(
    version: Version,
    value: &Value,
    pointer: &str,
    enclosing: Option<&Resource>,
) -> Arc<Schema> {
    let reader = Reader { version };
    // OpenAPI 3.0 knows no `$id`.
    let members = value.as_object().filter(|_| version == Version::V31);
    let whole = members.map(|members| Resource::whole(members, pointer));
    let enclosing = enclosing.or(whole.as_ref()).filter(|_| members.is_some());
    let mut schema = reader.schema(value, pointer.to_owned(), 0, enclosing);
    if let (Some(whole), true) = (whole, schema.dynamic_anchors.is_empty()) {
        schema.dynamic_anchors = whole.dynamic_anchors;
    }
    Arc::new(schema)
}

struct Reader {
    version: Version,
}

/// The members of a schema with the place they are read from.
struct Source<'a> {
    members: &'a Map<String, Value>,
    pointer: &'a str,
    depth: usize,
    /// Resource that its references are resolved against.
    around: Option<&'a Resource>,
}

impl<'a> Source<'a> {
    fn text(&self, key: &str) -> Option<String> {
        self.members.get(key)?.as_str().map(str::to_owned)
    }

    fn is(&self, key: &str) -> bool {
        self.members.get(key) == Some(&Value::Bool(true))
    }

    fn count(&self, key: &str) -> Option<u64> {
        let number = self.members.get(key)?.as_number()?;
        number.as_u64().or_else(|| {
            let float = number.as_f64().filter(|n| *n >= 0.0 && n.fract() == 0.0)?;
            Some(float as u64)
        })
    }

    fn number(&self, key: &str) -> Option<Number> {
        self.members.get(key)?.as_number().cloned()
    }

    fn array(&self, key: &str) -> Option<&'a Vec<Value>> {
        self.members.get(key)?.as_array()
    }
}

impl Reader {
    fn schema(
        &self,
        value: &Value,
        pointer: String,
        depth: usize,
        enclosing: Option<&Resource>,
    ) -> Schema {
        let Value::Object(members) = value else {
            let is_never = *value == Value::Bool(false);
            return Schema {
                pointer,
                is_never,
                ..Schema::default()
            };
        };
        if depth > MAX_DEPTH {
            return Schema {
                pointer,
                ..Schema::default()
            };
        }
        let own = enclosing
            .and_then(|enclosing| Resource::identified(members, &pointer, Some(enclosing)));
        let enclosing = own.as_ref().or(enclosing);
        let source = Source {
            members,
            pointer: &pointer,
            depth,
            around: enclosing,
        };
        let reference = source.text("$ref").map(|reference| match enclosing {
            Some(enclosing) => enclosing.reference(&reference),
            None => reference,
        });
        let mut schema = Schema {
            reference,
            ..Schema::default()
        };
        if let Some(own) = &own {
            schema.dynamic_anchors.clone_from(&own.dynamic_anchors);
        }
        if schema.reference.is_none()
            && let Some(dynamic) = source.text("$dynamicRef")
        {
            let (reference, name) = match enclosing {
                Some(enclosing) => enclosing.dynamic_reference(&dynamic),
                None => (dynamic, None),
            };
            (schema.reference, schema.dynamic) = (Some(reference), name);
        }
        schema.extras = extras(members);
        schema.description = source.text("description");
        schema.is_deprecated = source.is("deprecated");
        if schema.reference.is_some() && self.version == Version::V30 {
            // A Reference Object has no siblings in 3.0; what is only shown is read all the same.
            let is_shown = |key: &String| matches!(key.as_str(), "x-docs" | "x-mint" | "x-default");
            schema.extras.retain(|key, _| is_shown(key));
            schema.pointer = pointer;
            return schema;
        }
        self.annotations(&source, &mut schema);
        self.values(&source, &mut schema);
        self.objects(&source, &mut schema);
        self.arrays(&source, &mut schema);
        self.scalars(&source, &mut schema);
        self.composition(&source, &mut schema);
        self.types(&source, &mut schema);
        self.content(&source, &mut schema);
        let spellings = members.get(SPELLED).and_then(Value::as_object);
        if let Some(spellings) = spellings {
            spell(&mut schema, spellings);
            schema.spellings = Some(Arc::new(spellings.clone()));
        }
        if !schema.is_inferred {
            spell_values(&mut schema);
        }
        schema.pointer = pointer;
        schema
    }

    fn child(&self, source: &Source<'_>, key: &str) -> Option<Arc<Schema>> {
        let value = source.members.get(key)?;
        if !value.is_object() && !value.is_boolean() {
            return None;
        }
        let pointer = child(source.pointer, key);
        Some(Arc::new(self.schema(
            value,
            pointer,
            source.depth + 1,
            source.around,
        )))
    }

    fn children(&self, source: &Source<'_>, key: &str) -> Vec<Arc<Schema>> {
        let base = child(source.pointer, key);
        let items = source.array(key).into_iter().flatten().enumerate();
        items
            .filter(|(_, value)| value.is_object() || value.is_boolean())
            .map(|(index, value)| {
                Arc::new(self.schema(value, item(&base, index), source.depth + 1, source.around))
            })
            .collect()
    }

    fn schema_map(&self, source: &Source<'_>, key: &str) -> Named {
        let base = child(source.pointer, key);
        let members = source.members.get(key).and_then(Value::as_object);
        let members = members.into_iter().flatten();
        members
            .filter(|(_, value)| value.is_object() || value.is_boolean())
            .map(|(name, value)| {
                let schema =
                    self.schema(value, child(&base, name), source.depth + 1, source.around);
                (name.clone(), Arc::new(schema))
            })
            .collect()
    }

    fn annotations(&self, source: &Source<'_>, schema: &mut Schema) {
        let title = source.text("title").map(|title| title.trim().to_owned());
        schema.title = title.filter(|title| !title.is_empty());
        schema.default = source.members.get("default").cloned();
        schema
            .examples
            .extend(source.members.get("example").cloned());
        if let Some(examples) = source.array("examples") {
            schema.examples.extend(examples.iter().cloned());
        }
        schema.external_docs = source.members.get("externalDocs").and_then(|docs| {
            let text = |key: &str| docs.get(key)?.as_str().map(str::to_owned);
            Some((text("url")?, text("description")))
        });
        schema.is_read_only = source.is("readOnly");
        schema.is_write_only = source.is("writeOnly");
        schema.says_nullable = source.is("nullable") && self.version == Version::V30;
        schema.is_only_nullable =
            source.is("nullable") && source.members.keys().all(|key| is_annotation(key));
        schema.xml = source
            .members
            .get("xml")
            .and_then(Value::as_object)
            .map(|xml| {
                let text = |key: &str| xml.get(key).and_then(Value::as_str).map(str::to_owned);
                let is = |key: &str| xml.get(key) == Some(&Value::Bool(true));
                Xml {
                    name: text("name"),
                    prefix: text("prefix"),
                    namespace: text("namespace"),
                    is_attribute: is("attribute"),
                    is_wrapped: is("wrapped"),
                }
            });
    }

    fn values(&self, source: &Source<'_>, schema: &mut Schema) {
        let one = source.members.get("const").map(|value| vec![value.clone()]);
        schema.values = one.or_else(|| source.array("enum").cloned());
        let spellings = source.members.get(SPELLED).and_then(Value::as_object);
        if spellings.is_some() && source.text("type").as_deref() == Some("string") {
            // Before `~` becomes a type of its own.
            let is_text = |value: &&mut Value| !value.is_null() || !source.is("nullable");
            for value in schema.values.iter_mut().flatten().filter(is_text) {
                *value = spelled(value, spellings).map_or_else(|| value.clone(), Value::String);
            }
        }
        let Some(values) = &schema.values else {
            return;
        };
        let notes = |keys: &[&str]| {
            let found = keys.iter().find_map(|key| source.members.get(*key));
            let texts = values.iter().enumerate().map(|(index, value)| {
                let note = match found? {
                    Value::Array(notes) => notes.get(index)?,
                    Value::Object(notes) => match value {
                        Value::String(text) => notes.get(text)?,
                        other => notes.get(&other.to_string())?,
                    },
                    _ => return None,
                };
                note.as_str().map(str::to_owned)
            });
            texts.collect::<Vec<Option<String>>>()
        };
        let descriptions = notes(&["x-enumDescriptions", "x-enum-descriptions", "x-mint-enum"]);
        let names = notes(&["x-enum-varnames", "x-enumNames"]);
        if descriptions.iter().chain(&names).any(Option::is_some) {
            let pairs = names.into_iter().zip(descriptions);
            schema.value_notes = pairs
                .map(|(name, description)| ValueNote { name, description })
                .collect();
        }
    }

    fn objects(&self, source: &Source<'_>, schema: &mut Schema) {
        schema.properties = self.schema_map(source, "properties");
        schema.required = texts(source.array("required"));
        schema.pattern_properties = self.schema_map(source, "patternProperties");
        schema.additional = self.additional(source, "additionalProperties");
        schema.unevaluated = self.additional(source, "unevaluatedProperties");
        schema.is_open = source.is("additionalProperties");
        schema.knows_all = source.is("unevaluatedProperties");
        let is_composed = ["allOf", "oneOf", "anyOf", "$ref"]
            .iter()
            .any(|key| source.members.contains_key(*key));
        let has_own = !schema.properties.is_empty() || !schema.pattern_properties.is_empty();
        if is_composed && !has_own && schema.additional == Some(Additional::Closed) {
            // It knows only the properties beside it (JSON Schema 2020-12, Core, 10.3.2.3) and would exclude all there are;
            // what is meant is `unevaluatedProperties`.
            schema.additional = None;
            schema.unevaluated.get_or_insert(Additional::Closed);
            let problem = Diagnostic::new(
                Code::AllofClosed,
                child(source.pointer, "additionalProperties"),
                "`additionalProperties: false` allows only the properties beside it, and there are none; those of the members \
                 are shown",
            );
            let hint = "remove it, or write `unevaluatedProperties: false` (from OpenAPI 3.1 on)";
            schema.diagnostics.push(problem.hint(hint));
        }
        schema.additional_name = source.text("x-additionalPropertiesName");
        schema.property_names = self.child(source, "propertyNames");
        schema.min_properties = source.count("minProperties");
        schema.max_properties = source.count("maxProperties");
        let dependent = source.members.get("dependentRequired");
        let dependent = dependent.and_then(Value::as_object).into_iter().flatten();
        schema.dependent_required = dependent
            .map(|(name, names)| (name.clone(), texts(names.as_array())))
            .collect();
        schema.dependent_schemas = self.schema_map(source, "dependentSchemas");
    }

    fn additional(&self, source: &Source<'_>, key: &str) -> Option<Additional> {
        match source.members.get(key)? {
            Value::Bool(false) => Some(Additional::Closed),
            Value::Object(_) => Some(Additional::Schema(self.child(source, key)?)),
            _ => None,
        }
    }

    fn arrays(&self, source: &Source<'_>, schema: &mut Schema) {
        schema.items = self.child(source, "items");
        schema.prefix_items = self.children(source, "prefixItems");
        if schema.prefix_items.is_empty() {
            // How a tuple was written up to draft 2019-09.
            schema.prefix_items = self.children(source, "items");
            if !schema.prefix_items.is_empty() {
                schema.items = self.child(source, "additionalItems");
            }
        }
        let is_alone = [
            "allOf",
            "oneOf",
            "anyOf",
            "$ref",
            "$dynamicRef",
            "if",
            "contains",
        ]
        .iter()
        .chain(&["dependentSchemas"])
        .all(|key| !source.members.contains_key(*key));
        if schema.items.is_none() && !schema.prefix_items.is_empty() && is_alone {
            schema.items = self.child(source, "unevaluatedItems");
        } else if schema.items.is_none() {
            let says_all = || {
                source
                    .is("unevaluatedItems")
                    .then(|| self.child(source, "unevaluatedItems"))
            };
            schema.unevaluated_items = self
                .additional(source, "unevaluatedItems")
                .or_else(|| says_all()?.map(Additional::Schema));
        }
        schema.contains = self.child(source, "contains");
        schema.min_contains = source.count("minContains");
        schema.max_contains = source.count("maxContains");
        schema.min_items = source.count("minItems");
        schema.max_items = source.count("maxItems");
        schema.is_unique = source.is("uniqueItems");
    }

    fn scalars(&self, source: &Source<'_>, schema: &mut Schema) {
        let mut bound = |inclusive: &str, exclusive: &str| {
            let limit = source.number(inclusive);
            match source.members.get(exclusive) {
                Some(Value::Bool(true)) => {
                    if limit.is_none() {
                        let message =
                            format!("`{exclusive}: true` without `{inclusive}` has no meaning");
                        let problem = Diagnostic::new(
                            Code::BoundWithoutValue,
                            child(source.pointer, exclusive),
                            message,
                        );
                        let problem = problem.hint(format!("write the limit as `{inclusive}`"));
                        schema.diagnostics.push(problem);
                    }
                    limit.map(|number| (number, true))
                }
                // Both may be given in 3.1; the exclusive one counts where it is as strict.
                Some(Value::Number(number)) => {
                    let looser = limit.filter(|limit| {
                        let order = crate::number::compare(limit, number);
                        match inclusive {
                            "minimum" => order.is_gt(),
                            _ => order.is_lt(),
                        }
                    });
                    Some(looser.map_or((number.clone(), true), |limit| (limit, false)))
                }
                _ => limit.map(|number| (number, false)),
            }
            .map(|(number, is_exclusive)| Bound {
                number,
                is_exclusive,
            })
        };
        let (min, max) = (
            bound("minimum", "exclusiveMinimum"),
            bound("maximum", "exclusiveMaximum"),
        );
        (schema.min, schema.max) = (min, max);
        let step = source.number("multipleOf");
        schema.multiple_of = step
            .filter(|step| step.as_f64().is_some_and(|step| step > 0.0))
            .into_iter()
            .collect();
        schema.min_length = source.count("minLength");
        schema.max_length = source.count("maxLength");
        schema.patterns = source.text("pattern").into_iter().collect();
        schema.formats = source.text("format").into_iter().collect();
    }

    fn composition(&self, source: &Source<'_>, schema: &mut Schema) {
        schema.all_of = self.children(source, "allOf");
        for (key, is_one) in [("oneOf", true), ("anyOf", false)] {
            let all = self.children(source, key);
            let (nulls, mut branches): (Vec<_>, Vec<_>) =
                all.into_iter().partition(|branch| is_null(branch));
            if !nulls.is_empty() {
                schema.or_null = true;
                let is_told =
                    |null: &Arc<Schema>| null.title.is_some() || null.description.is_some();
                schema
                    .null_branches
                    .extend(nulls.into_iter().filter(is_told));
                if branches.is_empty() {
                    schema.types = Some(vec![Type::Null]);
                } else if branches.len() == 1 {
                    schema.all_of.append(&mut branches);
                }
            }
            if is_one {
                schema.one_of = branches;
            } else {
                schema.any_of = branches;
            }
        }
        schema.not = self.child(source, "not").into_iter().collect();
        let is_empty_not = source.members.get("not").is_some_and(|not| {
            *not == Value::Bool(true) || not.as_object().is_some_and(Map::is_empty)
        });
        if is_empty_not {
            schema.is_never = true;
            schema.not.clear();
        }
        schema.condition = self.child(source, "if");
        if schema.condition.is_some() {
            schema.then = self.child(source, "then");
            schema.otherwise = self.child(source, "else");
        }
        let discriminator = source.members.get("discriminator");
        schema.discriminator = discriminator.and_then(|value| {
            // A bare name is what documents before 3.0 have.
            let property = value.get("propertyName").unwrap_or(value).as_str()?;
            let mapping = value.get("mapping").and_then(Value::as_object);
            let mapping = mapping.into_iter().flatten();
            Some(Discriminator {
                property: property.to_owned(),
                mapping: mapping
                    .filter_map(|(value, target)| {
                        Some((value.clone(), target.as_str()?.to_owned()))
                    })
                    .collect(),
                default_mapping: value
                    .get("defaultMapping")
                    .and_then(Value::as_str)
                    .map(str::to_owned),
            })
        });
    }

    fn types(&self, source: &Source<'_>, schema: &mut Schema) {
        let declared: Option<Vec<Type>> = match source.members.get("type") {
            Some(Value::String(word)) => Type::of_word(word).map(|one| vec![one]),
            Some(Value::Array(words)) => {
                let words = words.iter().filter_map(Value::as_str);
                let types: Vec<Type> = words.filter_map(Type::of_word).collect();
                (!types.is_empty()).then_some(types)
            }
            _ => None,
        };
        let is_declared = declared.is_some();
        if let Some(mut types) = declared {
            // `null` is last, wherever it was written.
            let has_null = types.contains(&Type::Null);
            types.retain(|one| *one != Type::Null);
            if has_null || schema.says_nullable {
                types.push(Type::Null);
            }
            schema.types = Some(types);
        } else if schema.types.is_none() {
            schema.types = inferred(source.members, schema);
            schema.is_inferred = schema.types.is_some();
        }
        if schema.says_nullable {
            self.nullable(source, schema, is_declared);
        }
        let has_null = |values: &Vec<Value>| values.contains(&Value::Null);
        if schema.values.as_ref().is_some_and(has_null) {
            schema.or_null = true;
        }
    }

    /// Applies `nullable: true` where it does not simply extend `type` (OpenAPI 3.0.3, 4.7.24.1).
    fn nullable(&self, source: &Source<'_>, schema: &mut Schema, is_declared: bool) {
        let pointer = child(source.pointer, "nullable");
        let is_composed =
            !schema.all_of.is_empty() || !schema.any_of.is_empty() || !schema.one_of.is_empty();
        if !is_declared {
            // Next to references and unions there is no `type` to extend, so it is applied as
            // written.
            schema.or_null |= is_composed;
            let message = "`nullable` has no effect without `type` in the same schema";
            let problem = Diagnostic::new(Code::NullableWithoutType, pointer, message);
            schema.diagnostics.push(problem.hint("add `type`"));
            return;
        }
        // What is composed beside it need not allow `null`; authors mean the whole.
        schema.or_null |= is_composed;
        let values = schema.values.as_ref();
        if values.is_some_and(|values| !values.contains(&Value::Null)) {
            let message = "`nullable` beside an `enum` that does not list `null`";
            let problem = Diagnostic::new(Code::NullableEnum, pointer, message);
            schema
                .diagnostics
                .push(problem.hint("add `null` to the `enum`"));
        }
    }

    fn content(&self, source: &Source<'_>, schema: &mut Schema) {
        schema.content_encoding = source.text("contentEncoding");
        schema.content_media_type = source.text("contentMediaType");
        schema.content_schema = self.child(source, "contentSchema");
        let is_string = schema
            .types
            .as_ref()
            .is_some_and(|types| types.contains(&Type::String));
        let format = schema.formats.first().map(String::as_str);
        if is_string && format == Some("binary") {
            schema.is_binary = true;
            if schema.content_media_type.is_none() {
                schema.content_media_type = Some("application/octet-stream".to_owned());
            }
        }
        if is_string && format == Some("byte") && schema.content_encoding.is_none() {
            schema.content_encoding = Some("base64".to_owned());
        }
        let is_bare = !source.members.contains_key("type") && schema.content_encoding.is_none();
        if is_bare
            && schema
                .content_media_type
                .as_deref()
                .is_some_and(is_binary_media)
        {
            schema.is_binary = true;
            schema.types = Some(vec![Type::String]);
            schema.is_inferred = true;
        }
    }
}

/// Returns true if content of a media type is binary.
pub(crate) fn is_binary_media(name: &str) -> bool {
    let name = name.split(';').next().unwrap_or(name).trim();
    let is_text = name.starts_with("text/")
        || [
            "json",
            "xml",
            "yaml",
            "javascript",
            "x-www-form-urlencoded",
            "graphql",
        ]
        .iter()
        .any(|word| name.ends_with(word));
    !is_text
}

/// Returns true if a branch is `null`: by its type, by its only value, or as generators for 3.0
/// write it, by `nullable` alone.
fn is_null(schema: &Schema) -> bool {
    schema.reference.is_none()
        && (schema.types.as_deref() == Some(&[Type::Null])
            || schema.values.as_deref() == Some(&[Value::Null])
            || schema.is_only_nullable)
}

/// Gives texts in the data of `schema` the spelling of their author, where types within it make
/// them texts.
fn spell(schema: &mut Schema, spellings: &Map<String, Value>) {
    let (mut examples, mut default) = (take(&mut schema.examples), schema.default.take());
    let mut values = schema.values.take();
    let data = examples.iter_mut().chain(&mut default);
    for value in data.chain(values.iter_mut().flatten()) {
        spell_value(schema, value, spellings);
    }
    (schema.examples, schema.default, schema.values) = (examples, default, values);
}

fn spell_value(schema: &Schema, value: &mut Value, spellings: &Map<String, Value>) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                if let Some(schema) = schema.item(index) {
                    spell_value(schema, item, spellings);
                }
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                if let Some(schema) = schema.member(name) {
                    spell_value(&schema, member, spellings);
                }
            }
        }
        Value::String(_) => {}
        scalar => {
            let is_text = schema.types.as_deref() == Some(&[Type::String]) && !schema.or_null;
            if is_text && let Some(text) = spelled(scalar, Some(spellings)) {
                *scalar = Value::String(text);
            }
        }
    }
}

/// Turns numbers and booleans among the values of a string into texts: `enum: [1.0, 2.0]` lacks its quotes.
fn spell_values(schema: &mut Schema) {
    let types = schema.types.as_deref().unwrap_or_default();
    let is_text = types.contains(&Type::String)
        && types
            .iter()
            .all(|kind| matches!(kind, Type::String | Type::Null));
    for value in schema.values.iter_mut().flatten().filter(|_| is_text) {
        if value.is_number() || value.is_boolean() {
            *value = Value::String(value.to_string());
        }
    }
}

/// Returns true if a keyword does not restrict the values of a schema.
fn is_annotation(key: &str) -> bool {
    matches!(key, "nullable" | "title" | "description" | "deprecated") || key.starts_with("x-")
}

fn texts(values: Option<&Vec<Value>>) -> Vec<String> {
    let texts = values.into_iter().flatten().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

/// Returns the members that pills are read from: extensions, and short values.
fn extras(members: &Map<String, Value>) -> Map<String, Value> {
    let is_plain = |value: &Value| !value.is_object() && !value.is_array();
    let is_kept = |key: &str, value: &Value| match value {
        _ if key == SPELLED => false,
        _ if key.starts_with("x-") => true,
        _ if key.starts_with('$') => false,
        Value::Array(items) => {
            key != "enum" && key != "required" && items.len() <= 16 && items.iter().all(is_plain)
        }
        Value::Object(_) => false,
        _ => !matches!(key, "description" | "example" | "default"),
    };
    let kept = members.iter().filter(|(key, value)| is_kept(key, value));
    kept.map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// The types that the keywords of a schema without `type` are about.
fn inferred(members: &Map<String, Value>, schema: &Schema) -> Option<Vec<Type>> {
    if let Some(values) = &schema.values {
        let mut types = Vec::new();
        for value in values {
            let of = Type::of(value);
            if !types.contains(&of) {
                types.push(of);
            }
        }
        let has_null = types.contains(&Type::Null);
        types.retain(|one| *one != Type::Null);
        if has_null {
            types.push(Type::Null);
        }
        return (!types.is_empty()).then_some(types);
    }
    let mut types = Vec::new();
    for key in members.keys() {
        let of = match key.as_str() {
            "properties"
            | "additionalProperties"
            | "patternProperties"
            | "required"
            | "minProperties"
            | "maxProperties"
            | "propertyNames"
            | "dependentRequired"
            | "unevaluatedProperties" => Type::Object,
            "items" | "prefixItems" | "minItems" | "maxItems" | "uniqueItems" | "contains" => {
                Type::Array
            }
            "pattern" | "minLength" | "maxLength" | "contentEncoding" | "contentMediaType" => {
                Type::String
            }
            "format" => match schema.formats.first().map(String::as_str) {
                Some("int32" | "int64") => Type::Integer,
                Some("float" | "double" | "decimal") => Type::Number,
                _ => Type::String,
            },
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
                Type::Number
            }
            _ => continue,
        };
        if !types.contains(&of) {
            types.push(of);
        }
    }
    (!types.is_empty()).then_some(types)
}
