//! Built-in objects and functions of JavaScript, as far as documentation uses them.

mod collections;

use std::rc::Rc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use self::collections::map_method;
pub use self::collections::{change, construct, is_change};
use super::eval::{Fault, Program, Value};

/// Maximum number of items of an array and of repetitions of a string.
const MAX_ITEMS: usize = 10_000;

/// Returns true if `name` is an object of the language.
pub fn is_global(name: &str) -> bool {
    matches!(
        name,
        "Math" | "Object" | "JSON" | "Array" | "Number" | "String" | "console"
    )
}

/// Returns true if `name` is a function of the language.
pub fn is_function(name: &str) -> bool {
    matches!(
        name,
        "String"
            | "Number"
            | "Boolean"
            | "parseInt"
            | "parseFloat"
            | "isNaN"
            | "encodeURIComponent"
            | "encodeURI"
            | "btoa"
    )
}

/// A constant such as `Math.PI`.
pub fn constant(global: &str, name: &str) -> Result<Value, Fault> {
    match (global, name) {
        ("Math", "PI") => Ok(Value::Number(std::f64::consts::PI)),
        ("Math", "E") => Ok(Value::Number(std::f64::consts::E)),
        ("Number", "MAX_SAFE_INTEGER") => Ok(Value::Number(9_007_199_254_740_991.0)),
        _ => Err(format!("`{global}.{name}`")),
    }
}

fn argument(arguments: &[Value], index: usize) -> Value {
    arguments.get(index).cloned().unwrap_or(Value::Undefined)
}

/// `String(x)` and the like.
pub fn call_function(name: &str, arguments: &[Value]) -> Result<Value, Fault> {
    let first = argument(arguments, 0);
    Ok(match name {
        "String" => Value::Text(first.to_text()?),
        "Boolean" => Value::Bool(first.is_truthy()),
        "parseInt" => Value::Number(first.to_number().trunc()),
        "isNaN" => Value::Bool(first.to_number().is_nan()),
        "btoa" => {
            let text = first.to_text()?;
            let bytes = text.chars().map(|c| u8::try_from(c).ok());
            let Some(bytes) = bytes.collect::<Option<Vec<u8>>>() else {
                return Err("`btoa` of letters beyond Latin-1".to_owned());
            };
            Value::text(BASE64_STANDARD.encode(bytes))
        }
        "encodeURIComponent" | "encodeURI" => {
            let text = first.to_text()?;
            // ECMA-262, 19.2.6.5: an address keeps what parts it.
            let kept: &[u8] = match name {
                "encodeURI" => b"-_.!~*'();/?:@&=+$,#",
                _ => b"-_.!~*'()",
            };
            let keep = |byte: u8| byte.is_ascii_alphanumeric() || kept.contains(&byte);
            let encoded = text.bytes().map(|byte| {
                if keep(byte) {
                    (byte as char).to_string()
                } else {
                    format!("%{byte:02X}")
                }
            });
            Value::text(encoded.collect::<String>())
        }
        _ => Value::Number(first.to_number()),
    })
}

/// `Object.keys(x)` and the like.
pub fn call_global(
    program: &Program,
    global: &str,
    name: &str,
    arguments: &[Value],
) -> Result<Value, Fault> {
    let first = argument(arguments, 0);
    let array = |values: Vec<Value>| Value::Array(values.into());
    let number = first.to_number();
    Ok(match (global, name, &first) {
        ("Object", "keys", Value::Object(members)) => array(
            members
                .iter()
                .map(|(key, _)| Value::Text(key.clone()))
                .collect(),
        ),
        ("Object", "values", Value::Object(members)) => {
            array(members.iter().map(|(_, value)| value.clone()).collect())
        }
        ("Object", "entries", Value::Object(members)) => array(
            members
                .iter()
                .map(|(key, value)| array(vec![Value::Text(key.clone()), value.clone()]))
                .collect(),
        ),
        ("Object", "fromEntries", Value::Array(entries)) => {
            let mut members = Vec::new();
            for entry in entries.iter() {
                let Value::Array(pair) = entry else {
                    return Err("`Object.fromEntries` of what is no pair".to_owned());
                };
                set_member(
                    &mut members,
                    argument(pair, 0).to_text()?,
                    argument(pair, 1),
                );
            }
            Value::Object(members.into())
        }
        ("Object", "assign", Value::Object(_)) => {
            let mut members = Vec::new();
            for argument in arguments {
                if let Value::Object(added) = argument {
                    for (key, value) in added.iter() {
                        set_member(&mut members, key.clone(), value.clone());
                    }
                }
            }
            Value::Object(members.into())
        }
        // Nobody listens.
        ("console", ..) => Value::Undefined,
        ("String", "fromCharCode" | "fromCodePoint", _) => {
            let units: Vec<u16> = (arguments.iter())
                .flat_map(|unit| {
                    let c = char::from_u32(unit.to_number() as u32).unwrap_or('\u{fffd}');
                    c.encode_utf16(&mut [0; 2]).to_vec()
                })
                .collect();
            Value::text(String::from_utf16_lossy(&units))
        }
        ("Array", "isArray", first) => Value::Bool(matches!(first, Value::Array(_))),
        ("Array", "from", from) => {
            let items = match from {
                Value::Object(members) => {
                    let length = members.iter().find(|(key, _)| &**key == "length");
                    let length = length.map_or(0.0, |(_, length)| length.to_number());
                    if length > MAX_ITEMS as f64 {
                        return Err("an array that is too long".to_owned());
                    }
                    vec![Value::Undefined; length as usize]
                }
                from => {
                    (from.items()).ok_or_else(|| "`Array.from` of what has no items".to_owned())?
                }
            };
            match argument(arguments, 1) {
                Value::Undefined => array(items),
                made => array(
                    (items.into_iter().enumerate())
                        .map(|(i, item)| program.call(&made, vec![item, Value::Number(i as f64)]))
                        .collect::<Result<_, _>>()?,
                ),
            }
        }
        ("Math", "floor", _) => Value::Number(number.floor()),
        ("Math", "ceil", _) => Value::Number(number.ceil()),
        ("Math", "round", _) => Value::Number((number + 0.5).floor()),
        // A page looks the same whenever it is built.
        ("Math", "random", _) => Value::Number(0.5),
        ("Math", "trunc", _) => Value::Number(number.trunc()),
        ("Math", "sign", _) if number == 0.0 => Value::Number(0.0),
        ("Math", "sign", _) => Value::Number(number.signum()),
        ("Math", "sqrt", _) => Value::Number(number.sqrt()),
        ("Math", "log10", _) => Value::Number(number.log10()),
        ("Math", "pow", _) => Value::Number(number.powf(argument(arguments, 1).to_number())),
        ("Math", "abs", _) => Value::Number(number.abs()),
        ("Math", "max", _) => Value::Number(
            arguments
                .iter()
                .map(Value::to_number)
                .fold(f64::NEG_INFINITY, f64::max),
        ),
        ("Math", "min", _) => Value::Number(
            arguments
                .iter()
                .map(Value::to_number)
                .fold(f64::INFINITY, f64::min),
        ),
        ("JSON", "stringify", first) => {
            let json = to_json(first)?;
            let pretty = argument(arguments, 2).is_truthy();
            Value::text(if pretty {
                format!("{json:#}")
            } else {
                json.to_string()
            })
        }
        ("Number", "isNaN", first) => {
            Value::Bool(matches!(first, Value::Number(number) if number.is_nan()))
        }
        ("Number", "isFinite", first) => {
            Value::Bool(matches!(first, Value::Number(number) if number.is_finite()))
        }
        ("Number", "isInteger", _) => Value::Bool(number.fract() == 0.0),
        ("Number", "parseInt" | "parseFloat", _) => return call_function(name, arguments),
        _ => return Err(format!("`{global}.{name}`")),
    })
}

/// A value as JSON.
pub fn to_json(value: &Value) -> Result<serde_json::Value, Fault> {
    Ok(match value {
        Value::Undefined | Value::Null => serde_json::Value::Null,
        Value::Bool(bool) => (*bool).into(),
        Value::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
            (*number as i64).into()
        }
        Value::Number(number) => {
            serde_json::Number::from_f64(*number).map_or(serde_json::Value::Null, Into::into)
        }
        Value::Text(text) => (**text).into(),
        Value::Array(items) => items
            .iter()
            .map(to_json)
            .collect::<Result<Vec<_>, _>>()?
            .into(),
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(key, value)| Ok((key.to_string(), to_json(value)?)));
            serde_json::Value::Object(members.collect::<Result<_, Fault>>()?)
        }
        _ => return Err(format!("{} as JSON", value.type_name())),
    })
}

/// `x.map(f)` and the like.
pub fn call_method(
    program: &Program,
    object: &Value,
    name: &str,
    arguments: Vec<Value>,
) -> Result<Value, Fault> {
    match object {
        Value::Array(items) => array_method(program, items, name, &arguments),
        Value::Set(items) => match name {
            "has" => array_method(program, items, "includes", &arguments),
            "forEach" => array_method(program, items, name, &arguments),
            "values" | "keys" => Ok(Value::Array(items.clone())),
            _ => Err(format!("`{name}` of a set")),
        },
        Value::Map(pairs) => map_method(program, pairs, name, &arguments),
        Value::Text(text) => match (argument(&arguments, 0), name) {
            (Value::Regex(regex), _) => regex.text_method(program, text, name, &arguments),
            (_, "match" | "search") => Err(format!("`{name}` without a regular expression")),
            _ => text_method(text, name, &arguments),
        },
        Value::Regex(regex) if name == "test" => Ok(Value::Bool(
            regex.is_match(&argument(&arguments, 0).to_text()?),
        )),
        Value::Number(number) if name == "toFixed" => {
            let digits = (argument(&arguments, 0).to_number() as usize).min(20);
            Ok(Value::text(format!("{number:.digits$}")))
        }
        Value::Number(number) if name == "toLocaleString" => Ok(Value::text(grouped(*number))),
        Value::Number(_) | Value::Bool(_) if matches!(name, "toString" | "toLocaleString") => {
            object.to_text().map(Value::Text)
        }
        _ => Err(format!("`{name}` of {}", object.type_name())),
    }
}

/// Sets a member of an object that is made.
fn set_member(members: &mut Vec<(Rc<str>, Value)>, key: Rc<str>, value: Value) {
    match members.iter_mut().find(|(known, _)| *known == key) {
        Some((_, known)) => *known = value,
        None => members.push((key, value)),
    }
}

/// A number as English writes it: thousands apart, three digits behind the point at most.
fn grouped(number: f64) -> String {
    if !number.is_finite() {
        return number.to_string();
    }
    let text = format!("{:.3}", number.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let fraction = fraction.trim_end_matches('0');
    let mut out = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        out = format!("{out}.{fraction}");
    }
    match number < 0.0 && out.contains(|c: char| ('1'..='9').contains(&c)) {
        true => format!("-{out}"),
        false => out,
    }
}

/// `items` in the order of `is_after`, which may fail and need not be an order: equal ones stay as they are.
fn sorted(
    mut items: Vec<Value>,
    is_after: &mut dyn FnMut(&Value, &Value) -> Result<bool, Fault>,
) -> Result<Vec<Value>, Fault> {
    if items.len() < 2 {
        return Ok(items);
    }
    let right = items.split_off(items.len() / 2);
    let left = sorted(items, is_after)?;
    let right = sorted(right, is_after)?;
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let next = match is_after(a, b)? {
            true => right.next(),
            false => left.next(),
        };
        merged.extend(next);
    }
    merged.extend(left);
    merged.extend(right);
    Ok(merged)
}

fn array_method(
    program: &Program,
    items: &Rc<Vec<Value>>,
    name: &str,
    arguments: &[Value],
) -> Result<Value, Fault> {
    let first = argument(arguments, 0);
    let call = |item: &Value, index: usize| {
        program.call(&first, vec![item.clone(), Value::Number(index as f64)])
    };
    let array = |values: Vec<Value>| Value::Array(values.into());
    Ok(match name {
        "map" => array(
            items
                .iter()
                .enumerate()
                .map(|(i, item)| call(item, i))
                .collect::<Result<_, _>>()?,
        ),
        "flatMap" => {
            let mut flat = Vec::new();
            for (i, item) in items.iter().enumerate() {
                match call(item, i)? {
                    Value::Array(inner) => flat.extend(inner.iter().cloned()),
                    value => flat.push(value),
                }
            }
            array(flat)
        }
        "filter" => {
            let mut kept = Vec::new();
            for (i, item) in items.iter().enumerate() {
                if matches!(&first, Value::Undefined) && item.is_truthy()
                    || call(item, i)?.is_truthy()
                {
                    kept.push(item.clone());
                }
            }
            array(kept)
        }
        "find" | "findIndex" | "some" | "every" => {
            for (i, item) in items.iter().enumerate() {
                let holds = call(item, i)?.is_truthy();
                match name {
                    "find" if holds => return Ok(item.clone()),
                    "findIndex" if holds => return Ok(Value::Number(i as f64)),
                    "some" if holds => return Ok(Value::Bool(true)),
                    "every" if !holds => return Ok(Value::Bool(false)),
                    _ => {}
                }
            }
            match name {
                "find" => Value::Undefined,
                "findIndex" => Value::Number(-1.0),
                _ => Value::Bool(name == "every"),
            }
        }
        "includes" => Value::Bool(items.iter().any(|item| item.equals(&first))),
        "indexOf" => {
            let at = items.iter().position(|item| item.equals(&first));
            Value::Number(at.map_or(-1.0, |at| at as f64))
        }
        "lastIndexOf" => {
            let at = items.iter().rposition(|item| item.equals(&first));
            Value::Number(at.map_or(-1.0, |at| at as f64))
        }
        "keys" => array((0..items.len()).map(|i| Value::Number(i as f64)).collect()),
        "values" => Value::Array(items.clone()),
        "entries" => array(
            (items.iter().enumerate())
                .map(|(i, item)| array(vec![Value::Number(i as f64), item.clone()]))
                .collect(),
        ),
        "join" => {
            let separator = if first.is_nullish() {
                ",".into()
            } else {
                first.to_text()?
            };
            let texts = items.iter().map(|item| {
                if item.is_nullish() {
                    Ok("".into())
                } else {
                    item.to_text()
                }
            });
            Value::text(texts.collect::<Result<Vec<Rc<str>>, _>>()?.join(&separator))
        }
        "slice" => {
            let (from, to) = range(arguments, items.len());
            array(items[from..to].to_vec())
        }
        "concat" => {
            let mut all = items.to_vec();
            for argument in arguments {
                match argument {
                    Value::Array(inner) => all.extend(inner.iter().cloned()),
                    value => all.push(value.clone()),
                }
            }
            if all.len() > MAX_ITEMS {
                return Err("an array that is too long".to_owned());
            }
            array(all)
        }
        "forEach" => {
            for (i, item) in items.iter().enumerate() {
                call(item, i)?;
            }
            Value::Undefined
        }
        "reduce" | "reduceRight" => {
            let mut indexed: Vec<(usize, &Value)> = items.iter().enumerate().collect();
            if name == "reduceRight" {
                indexed.reverse();
            }
            let mut rest = indexed.into_iter();
            let mut whole = match (arguments.get(1), items.is_empty()) {
                (Some(start), _) => start.clone(),
                (None, true) => return Err("`reduce` of an empty array".to_owned()),
                (None, false) => rest
                    .next()
                    .map_or(Value::Undefined, |(_, item)| item.clone()),
            };
            for (i, item) in rest {
                let index = Value::Number(i as f64);
                let next = program.call(&first, vec![whole, item.clone(), index])?;
                whole = program.shallow(next)?;
            }
            whole
        }
        "reverse" | "toReversed" => array(items.iter().rev().cloned().collect()),
        "flat" => array(
            items
                .iter()
                .flat_map(|item| match item {
                    Value::Array(inner) => inner.to_vec(),
                    value => vec![value.clone()],
                })
                .collect(),
        ),
        "sort" | "toSorted" => {
            let mut by_text = |a: &Value, b: &Value| Ok(a.to_text()? > b.to_text()?);
            let mut by_call = |a: &Value, b: &Value| {
                let order = program.call(&first, vec![a.clone(), b.clone()])?;
                Ok(order.to_number() > 0.0)
            };
            array(match first {
                Value::Undefined => sorted(items.to_vec(), &mut by_text)?,
                _ => sorted(items.to_vec(), &mut by_call)?,
            })
        }
        "at" => {
            let index = first.to_number();
            let index = if index < 0.0 {
                items.len() as f64 + index
            } else {
                index
            };
            if index < 0.0 {
                Value::Undefined
            } else {
                items
                    .get(index as usize)
                    .cloned()
                    .unwrap_or(Value::Undefined)
            }
        }
        _ => return Err(format!("`{name}` of an array")),
    })
}

/// `text` in a normalization form of Unicode (UAX #15).
fn normalized(text: &str, form: &Value) -> Result<String, Fault> {
    use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
    let form = match form {
        Value::Undefined => "NFC".into(),
        form => form.to_text()?,
    };
    let normalized = match &*form {
        "NFC" => ComposingNormalizerBorrowed::new_nfc().normalize(text),
        "NFKC" => ComposingNormalizerBorrowed::new_nfkc().normalize(text),
        "NFD" => DecomposingNormalizerBorrowed::new_nfd().normalize(text),
        "NFKD" => DecomposingNormalizerBorrowed::new_nfkd().normalize(text),
        _ => return Err(format!("the form `{form}` of `normalize`")),
    };
    Ok(normalized.into_owned())
}

fn text_method(text: &Rc<str>, name: &str, arguments: &[Value]) -> Result<Value, Fault> {
    let first = argument(arguments, 0);
    let first_text = || first.to_text();
    Ok(match name {
        "toUpperCase" => Value::text(text.to_uppercase()),
        "toLowerCase" => Value::text(text.to_lowercase()),
        "trim" => Value::text(text.trim()),
        "trimStart" => Value::text(text.trim_start()),
        "trimEnd" => Value::text(text.trim_end()),
        "toString" => Value::Text(text.clone()),
        "normalize" => Value::text(normalized(text, &first)?),
        "charCodeAt" | "codePointAt" => {
            let c = text.chars().nth(first.to_number().max(0.0) as usize);
            c.map_or(Value::Number(f64::NAN), |c| {
                Value::Number(f64::from(u32::from(c)))
            })
        }
        "lastIndexOf" => {
            let at = text.rfind(&*first_text()?);
            let at = at.map(|at| text[..at].encode_utf16().count());
            Value::Number(at.map_or(-1.0, |at| at as f64))
        }
        "localeCompare" => {
            let other = first_text()?;
            // Letters count before capitals, as in the alphabets of people.
            let order = (text.to_lowercase(), &**text).cmp(&(other.to_lowercase(), &*other));
            Value::Number(f64::from(order as i8))
        }
        "includes" => Value::Bool(text.contains(&*first_text()?)),
        "startsWith" => Value::Bool(text.starts_with(&*first_text()?)),
        "endsWith" => Value::Bool(text.ends_with(&*first_text()?)),
        "indexOf" => {
            let at = text
                .find(&*first_text()?)
                .map(|at| text[..at].encode_utf16().count());
            Value::Number(at.map_or(-1.0, |at| at as f64))
        }
        "replace" => {
            Value::text(text.replacen(&*first_text()?, &argument(arguments, 1).to_text()?, 1))
        }
        "replaceAll" => {
            Value::text(text.replace(&*first_text()?, &argument(arguments, 1).to_text()?))
        }
        "split" => {
            let separator = first_text()?;
            let parts: Vec<Value> = if separator.is_empty() {
                text.chars().map(|c| Value::text(c.to_string())).collect()
            } else {
                text.split(&*separator).map(Value::text).collect()
            };
            Value::Array(parts.into())
        }
        "slice" | "substring" => {
            let chars: Vec<char> = text.chars().collect();
            let (from, to) = range(arguments, chars.len());
            Value::text(chars[from..to].iter().collect::<String>())
        }
        "charAt" => first_char(text, first.to_number()),
        "concat" => {
            let mut whole = text.to_string();
            for argument in arguments {
                whole.push_str(&argument.to_text()?);
            }
            Value::text(whole)
        }
        "repeat" => {
            let count = first.to_number().max(0.0) as usize;
            if count.saturating_mul(text.len()) > MAX_ITEMS * 10 {
                return Err("a string that is too long".to_owned());
            }
            Value::text(text.repeat(count))
        }
        "padStart" | "padEnd" => {
            let length = (first.to_number().max(0.0) as usize).min(MAX_ITEMS);
            let fill = match argument(arguments, 1) {
                Value::Undefined => " ".into(),
                fill => fill.to_text()?,
            };
            let missing = length.saturating_sub(text.chars().count());
            let padding: String = fill
                .chars()
                .cycle()
                .take(if fill.is_empty() { 0 } else { missing })
                .collect();
            Value::text(if name == "padStart" {
                padding + text
            } else {
                text.to_string() + &padding
            })
        }
        _ => return Err(format!("`{name}` of a string")),
    })
}

fn first_char(text: &str, index: f64) -> Value {
    let c = text.chars().nth(index.max(0.0) as usize);
    Value::text(c.map_or(String::new(), |c| c.to_string()))
}

/// The range that `slice(from, to)` means; negative numbers count from the end.
fn range(arguments: &[Value], len: usize) -> (usize, usize) {
    let at = |value: Value, default: usize| match value {
        Value::Undefined => default,
        value => {
            let index = value.to_number();
            let index = if index < 0.0 {
                len as f64 + index
            } else {
                index
            };
            (index.max(0.0) as usize).min(len)
        }
    };
    let from = at(argument(arguments, 0), 0);
    let to = at(argument(arguments, 1), len);
    (from, to.max(from))
}
