//! Lists, sets and maps that change.

use super::{Fault, MAX_ITEMS, Program, Value, argument, range};
use crate::js::values::make_mut;

pub(super) fn map_method(
    program: &Program,
    pairs: &[(Value, Value)],
    name: &str,
    arguments: &[Value],
) -> Result<Value, Fault> {
    let first = argument(arguments, 0);
    let found = || pairs.iter().find(|(key, _)| key.equals(&first));
    let array = |values: Vec<Value>| Value::Array(values.into());
    Ok(match name {
        "has" => Value::Bool(found().is_some()),
        "get" => found().map_or(Value::Undefined, |(_, value)| value.clone()),
        "keys" => array(pairs.iter().map(|(key, _)| key.clone()).collect()),
        "values" => array(pairs.iter().map(|(_, value)| value.clone()).collect()),
        "entries" => array(
            (pairs.iter())
                .map(|(key, value)| array(vec![key.clone(), value.clone()]))
                .collect(),
        ),
        "forEach" => {
            for (key, value) in pairs {
                program.call(&first, vec![value.clone(), key.clone()])?;
            }
            Value::Undefined
        }
        _ => return Err(format!("`{name}` of a map")),
    })
}

/// `new Set(items)`, `new Map(pairs)`.
pub fn construct(name: &str, arguments: &[Value]) -> Result<Value, Fault> {
    let first = argument(arguments, 0);
    let items = match &first {
        first if first.is_nullish() => Vec::new(),
        first => first.items().unwrap_or_default(),
    };
    let mut collection = match name {
        "Set" => Value::Set(Vec::new().into()),
        "Map" => Value::Map(Vec::new().into()),
        _ => return Err(format!("`new {name}`")),
    };
    for item in items {
        match name {
            "Set" => change(&mut collection, "add", &[item])?,
            _ => {
                let pair = item.items().unwrap_or_default();
                change(
                    &mut collection,
                    "set",
                    &[argument(&pair, 0), argument(&pair, 1)],
                )?
            }
        };
    }
    Ok(collection)
}

/// Returns true if a method of this name changes its object, if that is an array, a set or a map.
pub fn is_change(name: &str) -> bool {
    matches!(
        name,
        "push"
            | "pop"
            | "shift"
            | "unshift"
            | "splice"
            | "sort"
            | "reverse"
            | "add"
            | "set"
            | "delete"
            | "clear"
    )
}

/// Calls the method `name` of `value`, which changes it.
pub fn change(value: &mut Value, name: &str, arguments: &[Value]) -> Result<Value, Fault> {
    let first = argument(arguments, 0);
    let is_longer = |len: usize| len + arguments.len() > MAX_ITEMS;
    let too_long = || "an array that is too long".to_owned();
    match value {
        Value::Array(items) => {
            let items = make_mut(items)?;
            if is_longer(items.len()) {
                return Err(too_long());
            }
            Ok(match name {
                "push" => {
                    items.extend(arguments.iter().cloned());
                    Value::Number(items.len() as f64)
                }
                "unshift" => {
                    items.splice(..0, arguments.iter().cloned());
                    Value::Number(items.len() as f64)
                }
                "pop" => items.pop().unwrap_or(Value::Undefined),
                "shift" if items.is_empty() => Value::Undefined,
                "shift" => items.remove(0),
                "splice" => {
                    let (from, _) = range(&arguments[..arguments.len().min(1)], items.len());
                    let count = match arguments.get(1) {
                        Some(count) => {
                            (count.to_number().max(0.0) as usize).min(items.len() - from)
                        }
                        None => items.len() - from,
                    };
                    let added = arguments.iter().skip(2).cloned();
                    let removed: Vec<Value> = items.splice(from..from + count, added).collect();
                    Value::Array(removed.into())
                }
                _ => return Err(format!("`{name}` of an array")),
            })
        }
        Value::Set(items) => {
            let items = make_mut(items)?;
            let at = items.iter().position(|item| item.equals(&first));
            Ok(match (name, at) {
                ("add", None) if is_longer(items.len()) => return Err(too_long()),
                ("add", at) => {
                    if at.is_none() {
                        items.push(first);
                    }
                    Value::Undefined
                }
                ("delete", at) => {
                    at.map(|at| items.remove(at));
                    Value::Bool(at.is_some())
                }
                ("clear", _) => {
                    items.clear();
                    Value::Undefined
                }
                _ => return Err(format!("`{name}` of a set")),
            })
        }
        Value::Map(pairs) => {
            let pairs = make_mut(pairs)?;
            let at = pairs.iter().position(|(key, _)| key.equals(&first));
            Ok(match (name, at) {
                ("set", None) if is_longer(pairs.len()) => return Err(too_long()),
                ("set", at) => {
                    let value = argument(arguments, 1);
                    match at {
                        Some(at) => pairs[at].1 = value,
                        None => pairs.push((first, value)),
                    }
                    Value::Undefined
                }
                ("delete", at) => {
                    at.map(|at| pairs.remove(at));
                    Value::Bool(at.is_some())
                }
                ("clear", _) => {
                    pairs.clear();
                    Value::Undefined
                }
                _ => return Err(format!("`{name}` of a map")),
            })
        }
        value => Err(format!("`{name}` of {}", value.type_name())),
    }
}
