//! Rules of one schema: keywords that contradict each other, their values, or the version of the document.

use std::collections::BTreeSet;

use base::data::pointer;
use base::diagnostic::{Code, Severity, near, nearest};
use serde_json::{Map, Number, Value};

use crate::Finding;
use crate::objects::{Edition, Kind, Object};

/// The rules that the schema `object` at `at` breaks.
pub(crate) fn violations(edition: Edition, at: &str, object: Object<'_>, found: &mut Vec<Finding>) {
    let Value::Object(schema) = object.value else {
        return;
    };
    if schema.get("$ref").is_some_and(Value::is_string) && edition == Edition::V30 {
        // Whoever reads 3.0 ignores all of it.
        let mut ignored = schema.keys().filter(|key| !is_harmless(key));
        if let Some(first) = ignored.next() {
            let message = format!("`{first}` beside `$ref` has no effect in OpenAPI 3.0");
            let place = pointer::child(at, first);
            let finding = Finding::new(Code::RefSiblings, place, message);
            found.push(
                finding.hint(
                    "wrap the reference: `allOf: [{ $ref: … }]`, or raise `openapi` to 3.1.0",
                ),
            );
        }
        return;
    }
    let rules = Rules {
        edition,
        at,
        schema,
        object,
        findings: found,
    };
    rules.run();
}

/// Returns true if a key beside a reference is a note to readers, and nothing is lost with it.
fn is_harmless(key: &str) -> bool {
    matches!(
        key,
        "$ref" | "description" | "summary" | "title" | "example"
    ) || key.starts_with("x-")
}

struct Rules<'a, 'v> {
    edition: Edition,
    at: &'a str,
    schema: &'v Map<String, Value>,
    object: Object<'v>,
    findings: &'a mut Vec<Finding>,
}

impl Rules<'_, '_> {
    fn run(mut self) {
        self.keywords();
        self.type_keywords();
        self.array_items();
        self.enumeration();
        self.constant();
        self.default();
        self.pattern();
        self.ranges();
        self.choices();
        self.required();
    }

    fn say(&mut self, code: Code, field: &str, message: String, hint: Option<&str>) {
        let place = match field {
            "" => self.at.to_owned(),
            field => pointer::child(self.at, field),
        };
        let finding = Finding::new(code, place, message);
        self.findings.push(match hint {
            Some(hint) => finding.hint(hint),
            None => finding,
        });
    }

    /// The types that the schema allows; none if it does not say.
    fn types(&self) -> Vec<&str> {
        match self.schema.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }

    fn is_nullable(&self) -> bool {
        self.schema.get("nullable") == Some(&Value::Bool(true)) || self.types().contains(&"null")
    }

    /// Misspelt keywords (of 3.0 the published schema finds all), and those of another version.
    fn keywords(&mut self) {
        if self.edition == Edition::V30 {
            return;
        }
        for name in self.schema.keys() {
            if Kind::Schema.field(name).is_some() || name.starts_with("x-") {
                continue;
            }
            let known = Kind::Schema.fields().iter().map(|field| field.0);
            // Short words are near to everything.
            let near = near(name, known).filter(|_| name.len() > 3);
            let message = format!("`{name}` is not a keyword of a schema");
            let is_far = near.is_none();
            let advice = match near {
                Some(near) => near.advice(),
                None => "readers of the schema ignore it".into(),
            };
            let place = pointer::child(self.at, name);
            let finding = Finding::new(Code::SpecFieldUnknown, place, message);
            self.findings.push(finding.hint(advice));
            if is_far && let Some(last) = self.findings.last_mut() {
                // JSON Schema lets authors write what they like (2020-12 Core, 6.5).
                last.severity = Severity::Info;
            }
        }
        if self.schema.get("nullable").is_some_and(Value::is_boolean) {
            let message = "`nullable` is of OpenAPI 3.0; from 3.1 on null is a type".to_owned();
            self.say(
                Code::KeywordVersion,
                "nullable",
                message,
                Some("write `type: [string, \"null\"]`, with the type of the value"),
            );
        }
        for bound in ["exclusiveMinimum", "exclusiveMaximum"] {
            if self.schema.get(bound).is_some_and(Value::is_boolean) {
                let message = format!("`{bound}` is a number from OpenAPI 3.1 on");
                self.say(
                    Code::KeywordVersion,
                    bound,
                    message,
                    Some("write the bound itself in its place"),
                );
            }
        }
    }

    /// Keywords of one type in a schema of another.
    fn type_keywords(&mut self) {
        let types = self.types();
        // A type that there is not is told by its value.
        let known = [
            "string", "number", "integer", "boolean", "array", "object", "null",
        ];
        if types.is_empty() || types.iter().any(|name| !known.contains(name)) {
            return;
        }
        let of: [(&[&str], &[&str]); 4] = [
            (&["string"], &["minLength", "maxLength", "pattern"]),
            (
                &["number", "integer"],
                &[
                    "minimum",
                    "maximum",
                    "exclusiveMinimum",
                    "exclusiveMaximum",
                    "multipleOf",
                ],
            ),
            (
                &["array"],
                &[
                    "items",
                    "minItems",
                    "maxItems",
                    "uniqueItems",
                    "prefixItems",
                    "contains",
                ],
            ),
            (
                &["object"],
                &[
                    "properties",
                    "required",
                    "additionalProperties",
                    "minProperties",
                    "maxProperties",
                    "patternProperties",
                ],
            ),
        ];
        let mut without_effect = Vec::new();
        for (wanted, keywords) in of {
            if types.iter().any(|name| wanted.contains(name)) {
                continue;
            }
            let keyword = keywords
                .iter()
                .find(|keyword| self.schema.contains_key(**keyword));
            if let Some(keyword) = keyword {
                without_effect.push((*keyword, wanted[0]));
            }
        }
        let named = types.join("` or `");
        for (keyword, wanted) in without_effect {
            // `required: true` of a property, as version 3 of JSON Schema had it, has a rule of its own.
            if keyword == "required" && !self.schema[keyword].is_array() {
                continue;
            }
            let message = format!("`{keyword}` has no effect where the type is `{named}`");
            let hint = format!("it belongs to the type `{wanted}`");
            self.say(Code::KeywordType, keyword, message, Some(&hint));
        }
    }

    fn array_items(&mut self) {
        let is_array = self.schema.get("type") == Some(&Value::from("array"));
        if !is_array || self.object.is_part {
            return;
        }
        let says = [
            "items",
            "prefixItems",
            "contains",
            "allOf",
            "anyOf",
            "oneOf",
            "$ref",
        ];
        if !says
            .iter()
            .any(|keyword| self.schema.contains_key(*keyword))
        {
            let message = "the array has no `items`".to_owned();
            self.say(Code::ArrayItems, "", message, Some("add `items`"));
        }
    }

    fn enumeration(&mut self) {
        let Some(values) = self.schema.get("enum").and_then(Value::as_array) else {
            return;
        };
        let mut seen = BTreeSet::new();
        let types = self.types();
        let is_nullable = self.is_nullable();
        let is_right = |value: &Value| {
            let may_be_null = value.is_null() && is_nullable;
            may_be_null || types.is_empty() || types.iter().any(|name| is_of(value, name))
        };
        let wrong = values
            .iter()
            .find(|value| !is_right(value))
            .map(ToString::to_string);
        let twice = values
            .iter()
            .map(ToString::to_string)
            .find(|value| !seen.insert(value.clone()));
        let named = types.join("` or `");
        if let Some(value) = wrong {
            let message = format!("`{value}` of `enum` is not of the type `{named}`");
            self.say(Code::EnumInvalid, "enum", message, None);
        }
        if let Some(value) = twice {
            let message = format!("`{value}` is listed twice in `enum`");
            self.say(Code::EnumInvalid, "enum", message, None);
        }
    }

    /// A constant of another type.
    fn constant(&mut self) {
        let Some(constant) = self.schema.get("const") else {
            return;
        };
        let types = self.types();
        let may_be_null = constant.is_null() && self.is_nullable();
        if !types.is_empty() && !may_be_null && !types.iter().any(|name| is_of(constant, name)) {
            let named = types.join("` or `");
            let constant = short(constant);
            let message = format!("`const` is `{constant}`, which is not of the type `{named}`");
            self.say(Code::EnumInvalid, "const", message, None);
        }
    }

    fn default(&mut self) {
        let Some(default) = self.schema.get("default") else {
            return;
        };
        if default.is_null() {
            // "Nothing" is what many mean by it.
            return;
        }
        let types = self.types();
        let values = self.schema.get("enum").and_then(Value::as_array);
        if !types.is_empty() && !types.iter().any(|name| is_of(default, name)) {
            let message = format!(
                "the default `{}` is not of the type `{}`",
                short(default),
                types.join("` or `")
            );
            self.say(Code::DefaultInvalid, "default", message, None);
        } else if values.is_some_and(|values| !values.contains(default)) {
            let message = format!("the default `{}` is none of `enum`", short(default));
            self.say(Code::DefaultInvalid, "default", message, None);
        }
    }

    fn pattern(&mut self) {
        let Some(Value::String(pattern)) = self.schema.get("pattern") else {
            return;
        };
        if let Some(fault) = fault_of_pattern(pattern) {
            let message = format!("`pattern` cannot be read as a regular expression: {fault}");
            self.say(
                Code::PatternInvalid,
                "pattern",
                message,
                Some("write it as ECMA-262 has it"),
            );
        }
    }

    fn ranges(&mut self) {
        let bounds = [
            ("minimum", "maximum"),
            ("minLength", "maxLength"),
            ("minItems", "maxItems"),
            ("minProperties", "maxProperties"),
            ("minContains", "maxContains"),
        ];
        for (least, most) in bounds {
            if let (Some(low), Some(high)) = (self.number(least), self.number(most))
                && low > high
            {
                let message = format!("`{least}` is more than `{most}`: no value fits");
                self.say(Code::RangeEmpty, least, message, None);
            }
        }
        self.exclusive_range();
        if let (Some(Value::Array(required)), Some(most)) =
            (self.schema.get("required"), self.number("maxProperties"))
        {
            let names: BTreeSet<&str> = required.iter().filter_map(Value::as_str).collect();
            if names.len() as f64 > most {
                let message =
                    "more properties are required than `maxProperties` allows: no value fits";
                self.say(Code::RangeEmpty, "maxProperties", message.to_owned(), None);
            }
        }
        let listed = self.schema.get("prefixItems").and_then(Value::as_array);
        let listed = listed.map_or(0, Vec::len);
        if self.schema.get("items") == Some(&Value::Bool(false))
            && self
                .number("minItems")
                .is_some_and(|least| least > listed as f64)
        {
            let message = "`minItems` is more than the items that there may be: no value fits";
            self.say(Code::RangeEmpty, "minItems", message.to_owned(), None);
        }
        for (bound, exclusive) in [
            ("minimum", "exclusiveMinimum"),
            ("maximum", "exclusiveMaximum"),
        ] {
            let is_number = |name| self.schema.get(name).is_some_and(Value::is_number);
            if is_number(bound) && is_number(exclusive) {
                let message =
                    format!("`{bound}` and `{exclusive}` are both given; the narrower one applies");
                self.say(
                    Code::RangeDoubled,
                    exclusive,
                    message,
                    Some("leave the other one out"),
                );
            }
        }
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.schema.get(name)?.as_number().and_then(Number::as_f64)
    }

    /// Limits of which one excludes itself, which is a number or, in 3.0, says so of the other.
    fn exclusive_range(&mut self) {
        let is = |name| self.schema.get(name) == Some(&Value::Bool(true));
        let (low, high) = (self.number("minimum"), self.number("maximum"));
        let (above, below) = (
            self.number("exclusiveMinimum"),
            self.number("exclusiveMaximum"),
        );
        let is_crossed = |low: Option<f64>, high: Option<f64>| {
            low.is_some_and(|low| high.is_some_and(|high| low >= high))
        };
        let is_one = low.is_some() && low == high;
        let field = if is_crossed(above, below) || is_crossed(above, high) {
            "exclusiveMinimum"
        } else if is_crossed(low, below) {
            "exclusiveMaximum"
        } else if is_one && is("exclusiveMinimum") {
            "exclusiveMinimum"
        } else if is_one && is("exclusiveMaximum") {
            "exclusiveMaximum"
        } else {
            return;
        };
        let message = "no number is within the limits: no value fits".to_owned();
        self.say(Code::RangeEmpty, field, message, None);
    }

    /// Unions that leave no choice.
    fn choices(&mut self) {
        for union in ["oneOf", "anyOf"] {
            let Some(branches) = self.schema.get(union).and_then(Value::as_array) else {
                continue;
            };
            let targets = branches
                .iter()
                .filter_map(|branch| branch.get("$ref")?.as_str());
            let mut seen = BTreeSet::new();
            let twice = targets.into_iter().find(|target| !seen.insert(*target));
            let message = match (branches.len(), twice) {
                (1, _) => format!("`{union}` has one schema, so there is nothing to choose"),
                (_, Some(target)) => format!("`{union}` has `{target}` twice"),
                _ => continue,
            };
            self.say(Code::UnionChoice, union, message, None);
        }
    }

    /// Required properties that nothing describes, where the schema says all that there is.
    fn required(&mut self) {
        let Some(Value::Array(required)) = self.schema.get("required") else {
            return;
        };
        let Some(Value::Object(properties)) = self.schema.get("properties") else {
            return;
        };
        let never = |name: &&str| properties.get(*name) == Some(&Value::Bool(false));
        if let Some(name) = required.iter().filter_map(Value::as_str).find(never) {
            let message = format!("`{name}` is required, and its schema is `false`: no value fits");
            self.say(Code::RequiredUndefined, "required", message, None);
        }
        let others = [
            "allOf",
            "anyOf",
            "oneOf",
            "$ref",
            "if",
            "dependentSchemas",
            "patternProperties",
        ];
        let may_be_elsewhere = others
            .iter()
            .any(|keyword| self.schema.contains_key(*keyword))
            || self
                .schema
                .get("additionalProperties")
                .is_some_and(|rest| rest != &Value::Bool(false));
        if self.object.is_part || may_be_elsewhere {
            return;
        }
        let names = required.iter().filter_map(Value::as_str);
        let missing: Vec<&str> = names
            .filter(|name| !properties.contains_key(*name))
            .collect();
        if let Some(first) = missing.first() {
            let message = format!("`{first}` is required and not among the properties");
            let near = nearest(first, properties.keys().map(String::as_str));
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            self.say(
                Code::RequiredUndefined,
                "required",
                message,
                hint.as_deref(),
            );
        }
    }
}

/// A value as messages show it.
fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Returns true if a value is of the type with this name; unknown types are not judged here.
fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => {
            let number = value.as_number();
            number.is_some_and(|number| number.as_f64().is_none_or(|number| number.fract() == 0.0))
        }
        _ => true,
    }
}

/// Why a pattern of ECMA-262 cannot be read; `None` if it can, as far as anybody knows.
///
/// What only ECMA-262 has (looks around, references back, `\u`, `\c`, `\/`) is taken out before the parser of another dialect
/// judges the rest: it must not report what browsers read.
fn fault_of_pattern(pattern: &str) -> Option<String> {
    let text = common(pattern);
    let parsed = regex::RegexBuilder::new(&text).size_limit(1 << 20).build();
    match parsed {
        Ok(_) | Err(regex::Error::CompiledTooBig(_)) => None,
        Err(regex::Error::Syntax(text)) => {
            let last = text
                .lines()
                .rev()
                .find_map(|line| line.trim().strip_prefix("error: "));
            let last = last.unwrap_or("it has a fault").to_owned();
            // Classes and groups that differ between dialects are not faults.
            let is_certain = [
                "unclosed",
                "unopened",
                "repetition operator missing",
                "repetition quantifier",
                "incomplete",
                "invalid character class range",
                "dangling",
            ];
            is_certain
                .iter()
                .any(|part| last.contains(part))
                .then_some(last)
        }
        Err(_) => None,
    }
}

/// Reduces `pattern` to the syntax that both dialects of regular expressions have: other escapes
/// become the letter `a`.
fn common(pattern: &str) -> String {
    let mut text = String::with_capacity(pattern.len());
    let mut chars = pattern.chars().peekable();
    let mut is_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(escaped) if escaped.is_ascii_alphanumeric() => match escaped {
                    'd' | 'w' | 's' | 'D' | 'W' | 'S' => text.extend(['\\', escaped]),
                    'b' | 'B' if !is_class => {}
                    'u' if chars.peek() == Some(&'{') => {
                        chars.by_ref().find(|c| *c == '}');
                        text.push('a');
                    }
                    'u' | 'x' => {
                        let digits = if escaped == 'u' { 4 } else { 2 };
                        for _ in 0..digits {
                            chars.next_if(char::is_ascii_hexdigit);
                        }
                        text.push('a');
                    }
                    'p' | 'P' | 'k' if matches!(chars.peek(), Some('{' | '<')) => {
                        chars.by_ref().find(|c| matches!(c, '}' | '>'));
                        text.push('a');
                    }
                    'c' => {
                        chars.next();
                        text.push('a');
                    }
                    _ => text.push('a'),
                },
                Some(escaped) => {
                    if escaped.is_ascii_punctuation() {
                        text.push('\\');
                    }
                    text.push(escaped);
                }
                // A pattern that ends in a backslash.
                None => text.push('\\'),
            },
            '[' if is_class => text.push_str("\\["),
            '[' => {
                is_class = true;
                text.push('[');
                if chars.next_if_eq(&'^').is_some() {
                    text.push('^');
                }
                // Empty classes are read by ECMA-262 and mean nothing or everything.
                if chars.next_if_eq(&']').is_some() {
                    is_class = false;
                    text.push_str("a]");
                }
            }
            ']' if is_class => {
                is_class = false;
                text.push(']');
            }
            ']' => text.push_str("\\]"),
            '&' | '~' if is_class => text.extend(['\\', c]),
            '(' if !is_class && chars.peek() == Some(&'?') => {
                // `(?=`, `(?!`, `(?<=`, `(?<!`, `(?<name>`: a group.
                text.push('(');
                chars.next();
                if chars.next_if_eq(&'<').is_some() {
                    if chars.next_if(|c| matches!(c, '=' | '!')).is_none() {
                        chars.by_ref().find(|c| *c == '>');
                    }
                } else if chars.next_if(|c| matches!(c, '=' | '!' | ':')).is_none() {
                    text.push('?');
                }
            }
            // Braces that count nothing stand for themselves.
            '{' if !is_class => {
                let rest: String = chars.clone().take_while(|c| *c != '}').collect();
                let counts = rest
                    .split(',')
                    .all(|part| part.chars().all(|c| c.is_ascii_digit()));
                let is_count = counts && rest.starts_with(|c: char| c.is_ascii_digit());
                text.push_str(if is_count { "{" } else { "\\{" });
            }
            '}' if !is_class => {
                let open = text.rfind(['{', '}']);
                let is_count = open
                    .is_some_and(|at| text[at..].starts_with('{') && !text[..at].ends_with('\\'));
                text.push_str(if is_count { "}" } else { "\\}" });
            }
            _ => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_browsers_read_have_no_fault() {
        for pattern in [
            "^[a-z]+$",
            r"^(?!x)(?<=a)(?<year>\d{4})\k<year>\1\u{1F600}\u0041\x41$",
            r"^\/a\-b[^\]\[&&~]*[]{,}$",
            r"[\b\w-]",
            r"^[\p{L}\p{Nd}]+$",
            "a{2,3}b{x}c{2}}",
            "[^]",
            r"^\cA$",
        ] {
            assert_eq!(fault_of_pattern(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn patterns_that_nobody_reads_have_one() {
        for pattern in ["(a", "a)", "[a", "*a", "[z-a]", "a\\", "(?<name"] {
            assert!(fault_of_pattern(pattern).is_some(), "{pattern}");
        }
    }
}
