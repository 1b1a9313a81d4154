//! One schema for both dialects; nothing behind this file looks at the version again.
//!
//! References, `allOf` and unions stay as they are: what they mean is decided in `merge`, where it is known who
//! asks. Whatever is malformed is left out; there is no schema that cannot be read.

mod parse;

use std::sync::Arc;

use serde_json::{Map, Number, Value};

use crate::pattern::Pattern;
use base::diagnostic::Diagnostic;

pub(crate) use self::parse::is_binary_media;
pub use self::parse::{parse, parse_within};

/// A type of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// `"…"`.
    String,
    /// A number without a fraction.
    Integer,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// `[…]`.
    Array,
    /// `{…}`.
    Object,
    /// `null`.
    Null,
}

impl Type {
    /// The word of the specification.
    pub fn word(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Array => "array",
            Self::Object => "object",
            Self::Null => "null",
        }
    }

    /// The type that a word of the specification names.
    pub fn of_word(word: &str) -> Option<Self> {
        Some(match word {
            "string" => Self::String,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "boolean" => Self::Boolean,
            "array" => Self::Array,
            "object" => Self::Object,
            "null" => Self::Null,
            _ => return None,
        })
    }

    /// The type of a value; numbers without a fraction are integers.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(number) if super::number::is_integer(number) => Self::Integer,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }
}

/// Named schemas in the order of the document.
pub type Named = Vec<(String, Arc<Schema>)>;

/// A limit of a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The number, as written.
    pub number: Number,
    /// Whether the number itself is outside.
    pub is_exclusive: bool,
}

/// Unnamed members that an object may have (`additionalProperties`, `unevaluatedProperties`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Additional {
    /// None.
    Closed,
    /// Members of this schema.
    Schema(Arc<Schema>),
}

/// `discriminator`: the property whose value determines the branch of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discriminator {
    /// The property.
    pub property: String,
    /// Values and the schemas they name, as written.
    pub mapping: Vec<(String, String)>,
    /// Schema of values whose discriminator is absent or names none, as written (`defaultMapping`, OpenAPI 3.2, 4.25).
    pub default_mapping: Option<String>,
}

/// `xml`: how a value is written as XML.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Xml {
    /// The name of the element or attribute.
    pub name: Option<String>,
    /// The prefix of the name.
    pub prefix: Option<String>,
    /// The namespace of the element.
    pub namespace: Option<String>,
    /// Whether it is an attribute of its parent.
    pub is_attribute: bool,
    /// Whether the items of an array are within an element of their own.
    pub is_wrapped: bool,
}

/// Names for `$dynamicRef` with the schemas that they mean: those of the outermost resource that has them (JSON Schema 2020-12,
/// Core, 8.2.3.2).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Names and pointers, sorted.
    pub bindings: Vec<(String, String)>,
}

impl Scope {
    /// The schema that a name means.
    pub fn get(&self, name: &str) -> Option<&String> {
        let found = self.bindings.iter().find(|(known, _)| known == name);
        found.map(|(_, pointer)| pointer)
    }
}

/// A normalised schema (OpenAPI 3.1, 4.8.24; 3.0 is lowered to it).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    /// Pointer in the document; a schema merged of several has their pointers joined by `&`.
    pub pointer: String,
    /// `$ref` or `$dynamicRef`; of a resource with an `$id`, as it is written outside of it.
    pub reference: Option<String>,
    /// Name that the reference looks for among the resources around it, if it is a `$dynamicRef`.
    pub dynamic: Option<String>,
    /// Names for `$dynamicRef` that it gives schemas within it, with their pointers, if it is a resource.
    pub dynamic_anchors: Vec<(String, String)>,
    /// Schemas that names for `$dynamicRef` mean in it, see `merge::dynamic`.
    pub scope: Option<Arc<Scope>>,
    /// Whether nothing is valid.
    pub is_never: bool,
    /// The types it allows in the order of the document, `null` among them; `None` is any.
    pub types: Option<Vec<Type>>,
    /// Whether the types are guessed from its keywords.
    pub is_inferred: bool,
    /// Whether `null` is valid in addition.
    pub or_null: bool,
    /// Branches of unions that are `null` and have a title or a description.
    pub null_branches: Vec<Arc<Schema>>,
    /// Whether the author wrote `nullable: true`, whatever came of it.
    pub says_nullable: bool,
    /// Whether `nullable: true` is its only constraint: in a union, a branch for `null`.
    pub is_only_nullable: bool,
    /// `enum`, or the one value of `const`.
    pub values: Option<Vec<Value>>,
    /// Spellings of scalars in its data (`example`, `default`, `enum`), see
    /// [`SPELLED`](base::data::yaml::SPELLED).
    pub spellings: Option<Arc<Map<String, Value>>>,
    /// Names and descriptions of the values, from extensions; as long as `values` or empty.
    pub value_notes: Vec<ValueNote>,
    /// `properties`.
    pub properties: Named,
    /// `required`.
    pub required: Vec<String>,
    /// `patternProperties`.
    pub pattern_properties: Named,
    /// `additionalProperties`; `None` is anything.
    pub additional: Option<Additional>,
    /// Whether it allows any others (`additionalProperties: true`), which `unevaluatedProperties`
    /// does not count.
    pub is_open: bool,
    /// Whether it knows every property of an object that is valid (`unevaluatedProperties: true`), to what is around it.
    pub knows_all: bool,
    /// `x-additionalPropertiesName`.
    pub additional_name: Option<String>,
    /// `unevaluatedProperties`; `None` is anything.
    pub unevaluated: Option<Additional>,
    /// `propertyNames`.
    pub property_names: Option<Arc<Schema>>,
    /// `minProperties`.
    pub min_properties: Option<u64>,
    /// `maxProperties`.
    pub max_properties: Option<u64>,
    /// `dependentRequired`.
    pub dependent_required: Vec<(String, Vec<String>)>,
    /// `dependentSchemas`.
    pub dependent_schemas: Named,
    /// `items`; with a prefix, what follows it.
    pub items: Option<Arc<Schema>>,
    /// `prefixItems`.
    pub prefix_items: Vec<Arc<Schema>>,
    /// `unevaluatedItems`, if the schema has no `items`, and, with `prefixItems`, no other keyword
    /// that evaluates items; `None` allows anything.
    pub unevaluated_items: Option<Additional>,
    /// `contains`.
    pub contains: Option<Arc<Schema>>,
    /// `minContains`.
    pub min_contains: Option<u64>,
    /// `maxContains`.
    pub max_contains: Option<u64>,
    /// `minItems`.
    pub min_items: Option<u64>,
    /// `maxItems`.
    pub max_items: Option<u64>,
    /// `uniqueItems`.
    pub is_unique: bool,
    /// `allOf`.
    pub all_of: Vec<Arc<Schema>>,
    /// Whether its titles, descriptions and annotations do not apply to the schema it is merged
    /// into: an `additionalProperties` constrains a property that another member names, and does
    /// not describe it.
    pub is_silent: bool,
    /// `oneOf`.
    pub one_of: Vec<Arc<Schema>>,
    /// `anyOf`.
    pub any_of: Vec<Arc<Schema>>,
    /// `not`.
    pub not: Vec<Arc<Schema>>,
    /// `if`.
    pub condition: Option<Arc<Schema>>,
    /// `then`.
    pub then: Option<Arc<Schema>>,
    /// `else`.
    pub otherwise: Option<Arc<Schema>>,
    /// `discriminator`.
    pub discriminator: Option<Discriminator>,
    /// `minimum` or `exclusiveMinimum`.
    pub min: Option<Bound>,
    /// `maximum` or `exclusiveMaximum`.
    pub max: Option<Bound>,
    /// `multipleOf`, of each member of an `allOf`.
    pub multiple_of: Vec<Number>,
    /// `minLength`, in characters.
    pub min_length: Option<u64>,
    /// `maxLength`, in characters.
    pub max_length: Option<u64>,
    /// `pattern`, of each member of an `allOf`.
    pub patterns: Vec<String>,
    /// `format`, of each member of an `allOf`.
    pub formats: Vec<String>,
    /// `contentEncoding`.
    pub content_encoding: Option<String>,
    /// `contentMediaType`.
    pub content_media_type: Option<String>,
    /// `contentSchema`.
    pub content_schema: Option<Arc<Schema>>,
    /// Whether it is binary content, not JSON; its media type is `content_media_type`.
    pub is_binary: bool,
    /// `title`.
    pub title: Option<String>,
    /// `description`, Markdown.
    pub description: Option<String>,
    /// Descriptions of members of `allOf` and of referenced schemas that another `description` takes the place of.
    pub inner_descriptions: Vec<String>,
    /// `default`.
    pub default: Option<Value>,
    /// `example`, then `examples`.
    pub examples: Vec<Value>,
    /// `readOnly`.
    pub is_read_only: bool,
    /// `writeOnly`.
    pub is_write_only: bool,
    /// `deprecated`.
    pub is_deprecated: bool,
    /// `externalDocs`: address and description.
    pub external_docs: Option<(String, Option<String>)>,
    /// `xml`.
    pub xml: Option<Xml>,
    /// `x-docs` or `x-mint`, `x-default` and whatever else a configured pill may be read from: extensions, plain texts,
    /// numbers, booleans and short lists.
    pub extras: Map<String, Value>,
    /// Diagnostics.
    pub diagnostics: Vec<Diagnostic<String>>,
}

/// Author's note on one value of an enumeration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueNote {
    /// The name beside it.
    pub name: Option<String>,
    /// Markdown.
    pub description: Option<String>,
}

impl Schema {
    /// The schema of the member `name` of an object: that of the property, of the first pattern that matches, or of all others.
    pub fn member(&self, name: &str) -> Option<Arc<Self>> {
        self.property(name).cloned().or_else(|| self.other(name))
    }

    /// The schema of a member that is not among the properties.
    pub fn other(&self, name: &str) -> Option<Arc<Self>> {
        let matches = |pattern: &String| {
            Pattern::new(pattern).is_some_and(|pattern| pattern.is_match(name) == Some(true))
        };
        let mut patterns = self.pattern_properties.iter();
        let by_pattern = patterns.find(|(pattern, _)| matches(pattern));
        let of = |additional: &Option<Additional>| match additional {
            Some(Additional::Schema(schema)) => Some(schema.clone()),
            _ => None,
        };
        let others = || of(&self.additional).or_else(|| of(&self.unevaluated));
        by_pattern.map(|(_, schema)| schema.clone()).or_else(others)
    }

    /// The schema of the item at `index` of an array.
    pub fn item(&self, index: usize) -> Option<&Arc<Self>> {
        self.prefix_items.get(index).or(self.items.as_ref())
    }

    /// The property of this name.
    pub fn property(&self, name: &str) -> Option<&Arc<Schema>> {
        let found = self.properties.iter().find(|(known, _)| known == name);
        found.map(|(_, schema)| schema)
    }

    /// The schemas within it, itself apart.
    pub(crate) fn parts_mut(&mut self) -> Vec<&mut Arc<Self>> {
        let mut parts: Vec<&mut Arc<Self>> = Vec::new();
        for named in [
            &mut self.properties,
            &mut self.pattern_properties,
            &mut self.dependent_schemas,
        ] {
            parts.extend(named.iter_mut().map(|(_, schema)| schema));
        }
        for listed in [
            &mut self.prefix_items,
            &mut self.all_of,
            &mut self.one_of,
            &mut self.any_of,
            &mut self.not,
            &mut self.null_branches,
        ] {
            parts.extend(listed);
        }
        for single in [
            &mut self.property_names,
            &mut self.items,
            &mut self.contains,
            &mut self.condition,
            &mut self.then,
            &mut self.otherwise,
            &mut self.content_schema,
        ] {
            parts.extend(single);
        }
        for others in [
            &mut self.additional,
            &mut self.unevaluated,
            &mut self.unevaluated_items,
        ] {
            if let Some(Additional::Schema(schema)) = others {
                parts.push(schema);
            }
        }
        parts
    }

    /// A member of `x-docs` (`x-mint` is the same extension).
    pub fn docs(&self, member: &str) -> Option<&Value> {
        docs(&self.extras, member)
    }

    /// Returns true if `null` is among its types or also allowed.
    pub fn is_nullable(&self) -> bool {
        let listed = |types: &Vec<Type>| types.contains(&Type::Null);
        self.or_null || self.types.as_ref().is_some_and(listed)
    }

    /// Returns true if it allows values of a type, as far as its own `type` determines.
    pub fn allows(&self, kind: Type) -> bool {
        let Some(types) = &self.types else {
            return true;
        };
        types.contains(&kind) || kind == Type::Integer && types.contains(&Type::Number)
    }

    /// Returns true if it is only another name for its target, and at most changes its title,
    /// description, annotations, or allows `null`.
    pub fn is_alias(&self) -> bool {
        let is_wrapper = match self.all_of.as_slice() {
            [] => self.reference.is_some(),
            [one] => one.reference.is_some() && self.reference.is_none(),
            _ => false,
        };
        let types = self.types.as_deref().unwrap_or_default();
        let own = Self {
            all_of: Vec::new(),
            ..self.clone()
        };
        is_wrapper
            && (types.is_empty() || types.contains(&Type::Null))
            && !own.has_structure_beside_types()
    }

    /// Takes away what it is called, described as and shown with.
    pub(crate) fn strip_annotations(&mut self) {
        self.title = None;
        self.description = None;
        self.inner_descriptions.clear();
        self.null_branches.clear();
        self.default = None;
        self.examples.clear();
        self.is_deprecated = false;
        self.external_docs = None;
        self.xml = None;
        self.extras.clear();
        self.diagnostics.clear();
    }

    /// Returns true if it has keywords other than titles, descriptions and annotations.
    pub fn has_structure(&self) -> bool {
        self.reference.is_some() || self.has_structure_beside_reference()
    }

    /// Schema whatever it refers to.
    pub fn has_structure_beside_reference(&self) -> bool {
        self.types.is_some() || self.has_structure_beside_types()
    }

    /// Schema whatever it refers to and whatever types it allows.
    pub(crate) fn has_structure_beside_types(&self) -> bool {
        let of_objects = !self.properties.is_empty()
            || !self.required.is_empty()
            || !self.pattern_properties.is_empty()
            || self.additional.is_some()
            || self.unevaluated.is_some()
            || self.property_names.is_some()
            || self.min_properties.is_some()
            || self.max_properties.is_some()
            || !self.dependent_required.is_empty()
            || !self.dependent_schemas.is_empty();
        let of_arrays = self.items.is_some()
            || !self.prefix_items.is_empty()
            || self.contains.is_some()
            || self.unevaluated_items.is_some()
            || self.min_items.is_some()
            || self.max_items.is_some()
            || self.is_unique;
        let of_scalars = self.values.is_some()
            || self.min.is_some()
            || self.max.is_some()
            || !self.multiple_of.is_empty()
            || self.min_length.is_some()
            || self.max_length.is_some()
            || !self.patterns.is_empty()
            || !self.formats.is_empty();
        let of_content = self.content_encoding.is_some()
            || self.content_media_type.is_some()
            || self.content_schema.is_some()
            || self.is_binary;
        let composed = !self.all_of.is_empty()
            || !self.one_of.is_empty()
            || !self.any_of.is_empty()
            || !self.not.is_empty()
            || self.condition.is_some()
            || self.discriminator.is_some();
        self.is_never || of_objects || of_arrays || of_scalars || of_content || composed
    }
}

/// A member of `x-docs` (`x-mint` is the same extension) of an object of the document.
pub fn docs<'a>(members: &'a Map<String, Value>, member: &str) -> Option<&'a Value> {
    let of = |name: &str| members.get(name)?.get(member);
    of("x-docs").or_else(|| of("x-mint"))
}
