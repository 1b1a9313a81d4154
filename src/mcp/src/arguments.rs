//! Arguments of a tool: each is validated, and errors name the argument.

use serde_json::{Map, Value};

use super::{Failure, Tool};

/// The arguments of one call.
pub struct Arguments<'a> {
    given: &'a Map<String, Value>,
}

impl<'a> Arguments<'a> {
    /// The arguments `fields` to `tool`.
    ///
    /// # Errors
    ///
    /// Names one that the tool does not have.
    pub(super) fn new(tool: &Tool, fields: &'a Map<String, Value>) -> Result<Self, Failure> {
        let schema = (tool.input)();
        let known = schema["properties"].as_object();
        let is_known = |name: &String| known.is_some_and(|known| known.contains_key(name));
        if let Some(unknown) = fields.keys().find(|name| !is_known(name)) {
            let names = known.into_iter().flatten();
            let names: Vec<String> = names.map(|(name, _)| format!("`{name}`")).collect();
            return Err(Failure::Wrong(format!(
                "`{}` has no argument `{unknown}`; it has {}",
                tool.name,
                names.join(", ")
            )));
        }
        Ok(Self { given: fields })
    }

    fn value(&self, name: &str) -> Option<&'a Value> {
        self.given.get(name).filter(|value| !value.is_null())
    }

    /// A text of at most `most` characters; one that is empty is not given.
    pub(super) fn text(&self, name: &str, most: usize) -> Result<Option<&'a str>, Failure> {
        let Some(value) = self.value(name) else {
            return Ok(None);
        };
        let Value::String(text) = value else {
            return Err(Failure::Wrong(format!("`{name}` must be a string")));
        };
        if text.chars().count() > most {
            return Err(Failure::Wrong(format!(
                "`{name}` must have at most {most} characters"
            )));
        }
        let text = text.trim();
        Ok((!text.is_empty()).then_some(text))
    }

    /// A text that must be given.
    pub(super) fn required(&self, name: &str, most: usize) -> Result<&'a str, Failure> {
        self.text(name, most)?
            .ok_or_else(|| Failure::Wrong(format!("`{name}` is missing")))
    }

    /// A whole number of `range`, or `default`.
    pub(super) fn number(
        &self,
        name: &str,
        range: std::ops::RangeInclusive<usize>,
        default: usize,
    ) -> Result<usize, Failure> {
        let Some(value) = self.value(name) else {
            return Ok(default);
        };
        let number = value
            .as_u64()
            .and_then(|number| usize::try_from(number).ok());
        number
            .filter(|number| range.contains(number))
            .ok_or_else(|| {
                let (from, to) = (range.start(), range.end());
                Failure::Wrong(format!(
                    "`{name}` must be a whole number from {from} to {to}"
                ))
            })
    }

    /// Yes or no, or `None`.
    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>, Failure> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => Err(Failure::Wrong(format!("`{name}` must be true or false"))),
        }
    }
}
