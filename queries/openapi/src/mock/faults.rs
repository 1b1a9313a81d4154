//! Everything that is wrong with a value, as far as one fault does not hide another.

use std::sync::Arc;

use base::data::pointer::{child, item};
use serde_json::Value;

use crate::merge::Schemas;
use crate::schema::{Additional, Schema};
use crate::validate::{Failure, Hidden};

/// Most faults that are said.
const MOST: usize = 20;
/// How deep in a value they are looked for one by one.
const MAX_DEPTH: usize = 32;

/// The faults of `value`: the pointer into it, and what is wrong there. Those of members and of items are said one by one; of
/// what a value violates as a whole, the first.
pub(super) fn faults(
    schemas: &mut Schemas<'_, '_>,
    schema: &Arc<Schema>,
    value: &Value,
    hidden: Hidden,
) -> Vec<(String, String)> {
    let mut search = Search {
        schemas,
        hidden,
        found: Vec::new(),
    };
    search.value(schema, value, "", 0);
    search.found
}

struct Search<'s, 'a, 'd> {
    schemas: &'s mut Schemas<'a, 'd>,
    hidden: Hidden,
    found: Vec<(String, String)>,
}

impl Search<'_, '_, '_> {
    fn value(&mut self, schema: &Arc<Schema>, value: &Value, at: &str, depth: usize) {
        if self.found.len() >= MOST {
            return;
        }
        let Err(failure) = self.schemas.check(schema, value, self.hidden) else {
            return;
        };
        let before = self.found.len();
        if depth < MAX_DEPTH {
            self.within(schema, value, at, depth);
        }
        if self.found.len() == before {
            self.found.push((at.to_owned(), message(&failure)));
        }
    }

    /// Looks at the members of an object and the items of an array.
    fn within(&mut self, schema: &Arc<Schema>, value: &Value, at: &str, depth: usize) {
        let flat = self.schemas.flat(schema);
        let schema = &flat.schema;
        match value {
            Value::Object(members) => {
                for name in &schema.required {
                    let property = schema.property(name).cloned();
                    let flat = property.map(|property| self.schemas.flat(&property));
                    let is_hidden = flat.is_some_and(|flat| self.hidden.hides(&flat.schema));
                    if !members.contains_key(name) && !is_hidden {
                        self.say(child(at, name), "it is required");
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
                            self.say(at, "the schema has no such property");
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

    fn say(&mut self, at: String, words: &str) {
        if self.found.len() < MOST {
            self.found.push((at, words.to_owned()));
        }
    }
}

/// What is wrong with a value, for people.
fn message(failure: &Failure) -> String {
    let keyword = failure.keyword;
    match failure.place() {
        "" => format!("`{keyword}` of the schema fails"),
        place => format!("`{keyword}` of the schema at `#{place}` fails"),
    }
}
