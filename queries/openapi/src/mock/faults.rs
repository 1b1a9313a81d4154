//! Everything that is wrong with a value, as far as one fault does not hide another.

use std::sync::Arc;

use base::data::pointer::{self, child, item};
use serde_json::Value;

use super::Rule;
use crate::direction::Hidden;
use crate::merge::Schemas;
use crate::schema::{Additional, Schema, Type};

/// Maximum number of reported faults.
const MAX_FAULTS: usize = 20;
/// Maximum depth in a value to which they are searched one by one.
const MAX_DEPTH: usize = 32;

/// A fault of a value.
pub(super) struct Fault {
    /// The pointer into the value.
    pub(super) at: String,
    /// The rule that it breaks.
    pub(super) rule: Rule,
    /// Message for people.
    pub(super) message: String,
}

impl Fault {
    /// A fault at a place that there must or must not be.
    fn of_member(at: String, keyword: &'static str, actual: Option<&Value>) -> Self {
        let expected = match keyword {
            "required" => pointer::segments(&at)
                .last()
                .map_or(Value::Null, Value::from),
            _ => Value::Bool(false),
        };
        Self::new(at, keyword, expected, actual, "")
    }

    fn new(
        at: String,
        keyword: &'static str,
        expected: Value,
        actual: Option<&Value>,
        place: &str,
    ) -> Self {
        let short = |value: &Value| value.to_string().len() <= MAX_GIVEN;
        let rule_text = match (keyword, &expected) {
            ("required", _) => "it is required (`required`)".to_owned(),
            ("additionalProperties" | "unevaluatedProperties", _) => {
                format!("the schema has no such property (`{keyword}` is false)")
            }
            ("uniqueItems", _) => "no item may be there twice (`uniqueItems`)".to_owned(),
            ("oneOf", _) => "it must be of exactly one branch of `oneOf`".to_owned(),
            ("anyOf", _) => "it must be of a branch of `anyOf`".to_owned(),
            (keyword, Value::Null) => format!("`{keyword}` of the schema fails"),
            (keyword, Value::Array(several)) => {
                let several: Vec<String> = several.iter().take(20).map(Value::to_string).collect();
                format!("`{keyword}` is one of {}", several.join(", "))
            }
            (keyword, expected) => format!("`{keyword}` is {expected}"),
        };
        let actual = actual.filter(|_| keyword != "required");
        let found = match actual {
            Some(value) if short(value) => format!(", and {value} was given"),
            Some(value) => format!(", and {} was given", Type::of(value).word()),
            None => String::new(),
        };
        let place = match place {
            "" => String::new(),
            place => format!(" (`#{place}`)"),
        };
        Self {
            at,
            message: format!("{rule_text}{found}{place}"),
            rule: Rule {
                keyword,
                expected: Some(expected).filter(|it| short(it)).unwrap_or_default(),
                given: actual.filter(|it| short(it)).cloned().unwrap_or_default(),
            },
        }
    }
}

/// Longest value that is repeated, as JSON.
const MAX_GIVEN: usize = 100;

/// The faults of `value`. Those of members and of items are reported one by one; of what a value
/// violates as a whole, the first.
pub(super) fn faults(
    schemas: &mut Schemas<'_, '_>,
    schema: &Arc<Schema>,
    value: &Value,
    hidden: Hidden,
) -> Vec<Fault> {
    let mut search = Search {
        schemas,
        hidden,
        faults: Vec::new(),
    };
    search.value(schema, value, "", 0);
    search.faults
}

struct Search<'s, 'a, 'd> {
    schemas: &'s mut Schemas<'a, 'd>,
    hidden: Hidden,
    faults: Vec<Fault>,
}

impl Search<'_, '_, '_> {
    fn value(&mut self, schema: &Arc<Schema>, value: &Value, at: &str, depth: usize) {
        if self.faults.len() >= MAX_FAULTS {
            return;
        }
        let Err(failure) = self.schemas.check(schema, value, self.hidden) else {
            return;
        };
        let before = self.faults.len();
        if depth < MAX_DEPTH {
            self.check_children(schema, value, at, depth);
        }
        if self.faults.len() == before {
            let path = failure.at();
            let place = format!("{at}{path}");
            let given = value.pointer(&path);
            let fault = match failure.keyword {
                "required" => Fault::of_member(
                    child(&place, failure.expected().as_str().unwrap_or_default()),
                    "required",
                    None,
                ),
                keyword => Fault::new(place, keyword, failure.expected(), given, failure.place()),
            };
            self.faults.push(fault);
        }
    }

    /// Looks at the members of an object and the items of an array.
    fn check_children(&mut self, schema: &Arc<Schema>, value: &Value, at: &str, depth: usize) {
        let flat = self.schemas.flat(schema);
        let schema = &flat.schema;
        match value {
            Value::Object(members) => {
                for name in &schema.required {
                    let property = schema.property(name).cloned();
                    let flat = property.map(|property| self.schemas.flat(&property));
                    let is_hidden = flat.is_some_and(|flat| self.hidden.hides(&flat.schema));
                    if !members.contains_key(name) && !is_hidden {
                        self.add(Fault::of_member(child(at, name), "required", None));
                    }
                }
                for (name, member) in members {
                    let at = child(at, name);
                    match (schema.property(name).cloned(), &schema.additional) {
                        (Some(property), _) => self.value(&property, member, &at, depth + 1),
                        (None, _) if !schema.pattern_properties.is_empty() => {}
                        (None, Some(Additional::Schema(other))) => {
                            self.value(&other.clone(), member, &at, depth + 1);
                        }
                        (None, Some(Additional::Closed)) => {
                            let keyword = "additionalProperties";
                            self.add(Fault::of_member(at, keyword, Some(member)));
                        }
                        (None, None) => {}
                    }
                }
            }
            Value::Array(items) => {
                for (index, one) in items.iter().enumerate() {
                    let of_item = schema.prefix_items.get(index).or(schema.items.as_ref());
                    if let Some(of_item) = of_item.cloned() {
                        self.value(&of_item, one, &item(at, index), depth + 1);
                    }
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, fault: Fault) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(fault);
        }
    }
}
