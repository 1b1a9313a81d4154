//! Sample objects and arrays.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Extent, Gap, Node, SampledValue, Sampler, is_among};
use crate::format::is_of_format;
use crate::merge::{Flat, Schemas};
use crate::number;
use crate::pattern::Pattern;
use crate::schema::{Additional, Schema, Type};

/// Maximum number of items and members that are made for a schema's minimum.
const MAX_COUNT: u64 = 200;

/// Returns the number of blanks before a line of a sample at this depth.
fn indent(depth: usize) -> usize {
    2 * depth
}

/// Texts that differ from `text` in one digit or letter, the last ones first.
fn alike(text: &str) -> impl Iterator<Item = String> + '_ {
    let signs = text.char_indices().rev();
    signs.flat_map(move |(at, sign)| {
        let others = match sign {
            '0'..='9' => "123456789",
            'a'..='z' => "abcdefghijklmnopqrstuvwxyz",
            'A'..='Z' => "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
            _ => "",
        };
        others
            .chars()
            .filter(move |other| *other != sign)
            .map(move |other| {
                let mut text = text.to_owned();
                text.replace_range(at..=at, other.encode_utf8(&mut [0; 4]));
                text
            })
    })
}

impl Sampler<'_, '_, '_> {
    pub(super) fn object(&mut self, flat: &Flat, depth: usize) -> Node {
        let schema = &flat.schema;
        let mut members = Map::new();
        let mut is_whole = true;
        let mut omitted_names = Vec::new();
        for (name, property) in &schema.properties {
            let inner = self.schemas.flat(property);
            if self.hidden.hides(&inner.schema) {
                continue;
            }
            let is_required = schema.required.contains(name);
            let is_container =
                inner.schema.allows(Type::Object) || inner.schema.allows(Type::Array);
            let is_known = inner.schema.types.is_some() || !inner.unions.is_empty();
            let is_too_deep = depth >= self.limits.depth && is_container && is_known;
            let is_left_out =
                self.extent == Extent::Required || is_too_deep || self.size > self.limits.size;
            if is_left_out && !is_required {
                continue;
            }
            self.size += name.len() + 6 + indent(depth + 1);
            if let Some(value) = self.member_of_example(flat, name, property) {
                self.size += value.to_string().len();
                members.insert(name.clone(), value);
                continue;
            }
            match self.node(property, depth + 1, is_required) {
                // An optional value that is not valid costs only itself.
                Ok(made) if !made.is_valid && !is_required => {
                    is_whole = false;
                    omitted_names.push((name, property, made.value));
                }
                Ok(made) => {
                    is_whole &= made.is_whole;
                    members.insert(name.clone(), made.value);
                }
                Err(Gap::Recursive) if is_required => {
                    let value = self.recursive(property);
                    members.insert(name.clone(), value);
                }
                Err(Gap::Never) if is_required => return Err(Gap::Never),
                Err(_) => {}
            }
        }
        for name in &schema.required {
            if !members.contains_key(name) && schema.property(name).is_none() {
                let made = self.unnamed(schema, name, depth)?;
                members.insert(name.clone(), made.value);
            }
        }
        self.dependent(schema, &mut members, depth)?;
        self.map_members(schema, &mut members, depth);
        if let Some(max) = schema.max_properties {
            let names: Vec<String> = members.keys().rev().cloned().collect();
            for name in names {
                if members.len() as u64 > max && !schema.required.contains(&name) {
                    members.shift_remove(&name);
                }
            }
        }
        if members.is_empty() {
            for (name, property, value) in omitted_names {
                if self.schemas.fits(property, &value, self.hidden) {
                    members.insert(name.clone(), value);
                }
            }
        }
        self.size += indent(depth) + 4;
        let value = Value::Object(members);
        Ok(if is_whole {
            SampledValue::valid(value)
        } else {
            SampledValue::reduced(value)
        })
    }

    /// The member `name` of an example that is no example of the whole: that of a member of `allOf`. `None` where it is not valid.
    fn member_of_example(
        &mut self,
        flat: &Flat,
        name: &str,
        property: &Arc<Schema>,
    ) -> Option<Value> {
        let value = flat.schema.examples.first()?.as_object()?.get(name)?;
        let value = self.schemas.without_hidden(property, value, self.hidden);
        let spellings = flat.schema.spellings.as_deref();
        let typed = self.schemas.with_texts(property, &value, spellings, 0);
        self.accepts(property, &typed).then_some(typed)
    }

    /// Returns a value in place of a schema within itself: `null` or something empty if that is
    /// valid, else an object that is not.
    fn recursive(&mut self, schema: &Arc<Schema>) -> Value {
        let flat = self.schemas.flat(schema);
        if flat.schema.is_nullable() {
            return Value::Null;
        }
        for empty in [Value::Array(Vec::new()), Value::Object(Map::new())] {
            if flat.schema.allows(Type::of(&empty)) && self.accepts(schema, &empty) {
                return empty;
            }
        }
        let is_known = |known: &Arc<Schema>| known.pointer == schema.pointer;
        if !self.endless.iter().any(is_known) {
            self.endless.push(schema.clone());
        }
        Value::Object(Map::new())
    }

    fn unnamed(&mut self, schema: &Schema, name: &str, depth: usize) -> Node {
        match schema.other(name) {
            Some(other) => match self.node(&other, depth + 1, true) {
                Err(Gap::Recursive) => Ok(SampledValue::valid(self.recursive(&other))),
                node => node,
            },
            None => Ok(SampledValue::valid(Value::String("any".to_owned()))),
        }
    }

    fn dependent(
        &mut self,
        schema: &Schema,
        members: &mut Map<String, Value>,
        depth: usize,
    ) -> Result<(), Gap> {
        for (name, names) in &schema.dependent_required {
            if !members.contains_key(name) {
                continue;
            }
            for name in names {
                if members.contains_key(name) || self.schemas.is_hidden(schema, name, self.hidden) {
                    continue;
                }
                let made = match schema.property(name) {
                    Some(property) => self.node(&property.clone(), depth + 1, true)?,
                    None => self.unnamed(schema, name, depth)?,
                };
                members.insert(name.clone(), made.value);
            }
        }
        Ok(())
    }

    /// Members with keys of their own: one where there would be none, more where a minimum asks for them.
    fn map_members(&mut self, schema: &Schema, members: &mut Map<String, Value>, depth: usize) {
        let has_schema = matches!(schema.additional, Some(Additional::Schema(_)))
            || matches!(schema.unevaluated, Some(Additional::Schema(_)))
            || !schema.pattern_properties.is_empty();
        let is_one_wanted = has_schema
            && members.is_empty()
            && schema.properties.is_empty()
            && self.extent == Extent::Full
            && self.size < self.limits.size;
        let wanted = u64::from(is_one_wanted)
            .max(schema.min_properties.unwrap_or(0))
            .min(MAX_COUNT);
        let is_closed = schema.additional == Some(Additional::Closed);
        if is_closed && schema.pattern_properties.is_empty() {
            return;
        }
        let mut index = 0;
        while (members.len() as u64) < wanted && index < 2 * MAX_COUNT {
            index += 1;
            let Some(key) = self.key(schema, index as usize) else {
                return;
            };
            if members.contains_key(&key) || schema.property(&key).is_some() {
                continue;
            }
            match self.unnamed(schema, &key, depth) {
                Ok(made)
                    if made.is_valid
                        || (members.len() as u64) < schema.min_properties.unwrap_or(0) =>
                {
                    self.size += key.len() + 6 + indent(depth + 1);
                    members.insert(key, made.value);
                }
                Ok(_) | Err(_) => return,
            }
        }
    }

    /// The `index`th key of a map, from 1.
    fn key(&mut self, schema: &Schema, index: usize) -> Option<String> {
        if let Some(names) = &schema.property_names {
            let flat = self.schemas.flat(names);
            if let Some(values) = &flat.schema.values {
                return values.get(index - 1)?.as_str().map(str::to_owned);
            }
            let texts = self.strings(&flat.schema);
            let mut valid = Vec::new();
            for text in texts {
                let value = Value::String(text.clone());
                if self.accepts(names, &value) && !valid.contains(&text) {
                    valid.push(text);
                }
            }
            return valid.get(index - 1).cloned();
        }
        let is_map = matches!(schema.additional, Some(Additional::Schema(_)));
        if !is_map && let Some((pattern, _)) = schema.pattern_properties.first() {
            return Pattern::new(pattern)?.samples(0, None).nth(index - 1);
        }
        let base = schema.additional_name.as_deref().unwrap_or("key");
        Some(if index == 1 {
            base.to_owned()
        } else {
            format!("{base}{index}")
        })
    }

    pub(super) fn array(&mut self, flat: &Flat, depth: usize, is_needed: bool) -> Node {
        let schema = &flat.schema;
        let max = schema.max_items.unwrap_or(u64::MAX);
        let min = schema.min_items.unwrap_or(0).min(MAX_COUNT);
        let wanted = min.max(1).max(schema.prefix_items.len() as u64).min(max) as usize;
        let mut items: Vec<Value> = Vec::new();
        let mut is_whole = true;
        let is_closed = schema.items.as_ref().is_some_and(|items| {
            let flat = self.schemas.flat(items);
            flat.schema.is_never
        });
        let any = Arc::new(Schema::default());
        for index in 0..wanted {
            let is_prefix = index < schema.prefix_items.len();
            if !is_prefix
                && (is_closed || !schema.prefix_items.is_empty() && items.len() as u64 >= min)
            {
                break;
            }
            let of = schema
                .prefix_items
                .get(index)
                .or(schema.items.as_ref())
                .unwrap_or(&any);
            let of = match &schema.contains {
                Some(contains) if (index as u64) < schema.min_contains.unwrap_or(1).min(max) => {
                    Schemas::all_of(&[of.clone(), contains.clone()])
                }
                _ => of.clone(),
            };
            self.size += indent(depth + 1) + 2;
            let item = match self.node(&of, depth + 1, true) {
                Ok(made) => {
                    is_whole &= made.is_whole;
                    made.value
                }
                Err(Gap::Recursive) if (items.len() as u64) < min => self.recursive(&of),
                Err(Gap::Recursive) if items.is_empty() && !is_needed => {
                    return Err(Gap::Recursive);
                }
                Err(Gap::Never) if (items.len() as u64) < min => return Err(Gap::Never),
                Err(_) => break,
            };
            let item = if schema.is_unique && is_among(&items, &item) {
                match self.varied(&of, &item, &items) {
                    Some(item) => item,
                    None => break,
                }
            } else {
                item
            };
            items.push(item);
        }
        let contained = schema.min_contains.unwrap_or(1).min(max).min(MAX_COUNT) as usize;
        if let Some(contains) = &schema.contains {
            for _ in items.len()..contained {
                items.push(self.node(contains, depth + 1, true)?.value);
            }
        }
        self.size += indent(depth) + 4;
        let value = Value::Array(items);
        Ok(if is_whole {
            SampledValue::valid(value)
        } else {
            SampledValue::reduced(value)
        })
    }

    /// A value like `value` that is not among `others`.
    fn varied(&mut self, schema: &Arc<Schema>, value: &Value, others: &[Value]) -> Option<Value> {
        let flat = self.schemas.flat(schema);
        let merged = flat.schema.clone();
        let mut candidates: Vec<Value> = merged.values.clone().unwrap_or_default();
        candidates.extend(merged.examples.iter().cloned());
        match value {
            Value::Bool(one) => candidates.push(Value::Bool(!one)),
            Value::Number(number) => {
                let one = serde_json::Number::from(1);
                let step = merged.multiple_of.first().unwrap_or(&one).clone();
                let down = number::of_text(&format!("-{step}")).unwrap_or(one);
                for step in [step, down] {
                    let mut next = number.clone();
                    for _ in 0..=others.len() {
                        let Some(sum) = number::add(&next, &step) else {
                            break;
                        };
                        next = sum;
                        candidates.push(Value::Number(next.clone()));
                    }
                }
            }
            Value::String(text) => {
                let count = others.len() + 1;
                if !merged.formats.is_empty() {
                    let of_formats = alike(text).filter(|text| {
                        let mut formats = merged.formats.iter();
                        formats.all(|format| is_of_format(format, text))
                    });
                    candidates.extend(of_formats.take(count).map(Value::String));
                }
                candidates.extend((2..=count + 1).map(|n| Value::String(format!("{text}-{n}"))));
                candidates.extend(self.strings(&merged).into_iter().map(Value::String));
                for pattern in merged.patterns.iter().filter_map(|text| Pattern::new(text)) {
                    let min = merged.min_length.unwrap_or(0) as usize;
                    let max = merged.max_length.map(|max| max as usize);
                    let texts: Vec<String> = pattern.samples(min, max).collect();
                    candidates.extend(texts.into_iter().map(Value::String));
                }
                // A text whose length is fixed changes at its end.
                let mut letters: Vec<char> = text.chars().collect();
                for letter in 'a'..='z' {
                    if let Some(last) = letters.last_mut() {
                        *last = letter;
                        candidates.push(Value::String(letters.iter().collect()));
                    }
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    let Some(property) = merged.property(name).cloned() else {
                        continue;
                    };
                    let known: Vec<Value> = others
                        .iter()
                        .filter_map(|other| other.get(name).cloned())
                        .collect();
                    if let Some(new) = self.varied(&property, member, &known) {
                        let mut members = members.clone();
                        members.insert(name.clone(), new);
                        candidates.push(Value::Object(members));
                    }
                }
            }
            Value::Array(items) => {
                if let (Some(of), Some(first)) = (&merged.items, items.first()) {
                    let firsts = others.iter().filter_map(|other| other.get(0).cloned());
                    let known: Vec<Value> = firsts.collect();
                    let new = self.varied(of, first, &known);
                    candidates.extend(new.map(|new| Value::Array(vec![new])));
                }
            }
            Value::Null => {}
        }
        for union in flat.unions.iter() {
            for branch in union.branches.clone() {
                candidates.extend(self.node(&branch, 0, true).map(|made| made.value));
            }
        }
        candidates
            .into_iter()
            .find(|candidate| !is_among(others, candidate) && self.accepts(schema, candidate))
    }
}
