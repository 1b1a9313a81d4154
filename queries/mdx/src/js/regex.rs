//! Regular expressions, as far as the syntax of JavaScript is also that of the `regex` crate: no look-around, no
//! references back. Matching takes time in proportion to the text, whatever the expression.

use std::rc::Rc;

use super::eval::{Fault, Program, Value};

/// Maximum number of bytes of a compiled expression.
const MAX_COMPILED: usize = 1 << 20;

/// A regular expression, compiled.
#[derive(Debug)]
pub struct Regex {
    compiled: regex::Regex,
    is_global: bool,
}

impl Regex {
    /// Compiles `/source/flags`.
    pub fn new(source: &str, flags: &str) -> Result<Self, Fault> {
        let fault = || format!("`/{source}/{flags}`");
        let compiled = regex::RegexBuilder::new(source)
            .case_insensitive(flags.contains('i'))
            .multi_line(flags.contains('m'))
            .dot_matches_new_line(flags.contains('s'))
            .size_limit(MAX_COMPILED)
            .build()
            .map_err(|_| fault())?;
        if flags.contains(|flag| !"gimsu".contains(flag)) {
            return Err(fault());
        }
        Ok(Self {
            compiled,
            is_global: flags.contains('g'),
        })
    }

    /// Returns true if it matches anywhere in `text`.
    pub fn is_match(&self, text: &str) -> bool {
        self.compiled.is_match(text)
    }

    /// A method of `text` whose first argument is this expression.
    pub fn text_method(
        &self,
        program: &Program,
        text: &Rc<str>,
        name: &str,
        arguments: &[Value],
    ) -> Result<Value, Fault> {
        let found = |found: Option<regex::Match<'_>>| {
            found.map_or(Value::Undefined, |found| Value::text(found.as_str()))
        };
        Ok(match name {
            "split" => {
                let parts = self.compiled.split(text).map(Value::text);
                Value::Array(parts.collect::<Vec<_>>().into())
            }
            "search" => {
                let at = self.compiled.find(text).map(|found| found.start());
                let at = at.map(|at| text[..at].encode_utf16().count() as f64);
                Value::Number(at.unwrap_or(-1.0))
            }
            "match" if self.is_global => {
                let all: Vec<Value> = (self.compiled.find_iter(text))
                    .map(|found| Value::text(found.as_str()))
                    .collect();
                if all.is_empty() {
                    Value::Null
                } else {
                    Value::Array(all.into())
                }
            }
            "match" => match self.compiled.captures(text) {
                Some(groups) => Value::Array(groups.iter().map(found).collect::<Vec<_>>().into()),
                None => Value::Null,
            },
            "replace" | "replaceAll" => {
                let replacement = arguments.get(1).cloned().unwrap_or(Value::Undefined);
                let count = if self.is_global { usize::MAX } else { 1 };
                let mut replaced = String::with_capacity(text.len());
                let mut at = 0;
                for groups in self.compiled.captures_iter(text).take(count) {
                    let Some(whole) = groups.get(0) else { continue };
                    replaced.push_str(&text[at..whole.start()]);
                    at = whole.end();
                    if let Value::Function(..) = replacement {
                        let groups = groups.iter().map(found).collect();
                        replaced.push_str(&program.call(&replacement, groups)?.to_text()?);
                    } else {
                        push_replacement(&mut replaced, &replacement.to_text()?, &groups);
                    }
                }
                replaced.push_str(&text[at..]);
                Value::text(replaced)
            }
            _ => return Err(format!("`{name}` of a regular expression")),
        })
    }
}

/// `$1`, `$&` and `$$` of a replacement (ECMA-262, GetSubstitution).
fn push_replacement(out: &mut String, replacement: &str, groups: &regex::Captures<'_>) {
    let mut rest = replacement;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let number = after.chars().next().and_then(|c| match c {
            '&' => Some(0),
            c => c.to_digit(10).map(|digit| digit as usize),
        });
        match number.filter(|number| *number < groups.len()) {
            Some(number) => {
                out.push_str(groups.get(number).map_or("", |group| group.as_str()));
                rest = &after[1..];
            }
            None => {
                out.push('$');
                rest = after.strip_prefix('$').unwrap_or(after);
            }
        }
    }
    out.push_str(rest);
}
