//! JavaScript literals in attributes and expressions: strings, numbers, arrays, objects. Nothing is ever run.

use serde_json::{Map, Number, Value};

/// Deepest nesting of arrays and objects that is read.
const MAX_DEPTH: usize = 32;

/// The value of `source` if it is a literal: JSON with single quotes, bare keys, trailing commas, template strings
/// without placeholders, `undefined` (as null) and a sign.
pub fn literal(source: &str) -> Option<Value> {
    let mut reader = Reader {
        text: source,
        at: 0,
    };
    let value = reader.value(0)?;
    reader.skip_space();
    (reader.at == source.len()).then_some(value)
}

/// Returns the text of a literal: strings as they are, numbers in decimal; nothing for null,
/// booleans, arrays, objects.
pub fn to_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        loop {
            let trimmed = self.rest().trim_start();
            self.at = self.text.len() - trimmed.len();
            if let Some(comment) = trimmed.strip_prefix("/*") {
                let Some(end) = comment.find("*/") else {
                    return;
                };
                self.at += end + 4;
            } else if trimmed.starts_with("//") {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else {
                return;
            }
        }
    }

    fn peek(&mut self) -> Option<char> {
        self.skip_space();
        self.rest().chars().next()
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.peek()? {
            '"' | '\'' | '`' => self.string().map(Value::String),
            '[' => self.array(depth),
            '{' => self.object(depth),
            '(' => {
                self.eat('(');
                let value = self.value(depth + 1)?;
                self.eat(')').then_some(value)
            }
            c if c.is_ascii_digit() || matches!(c, '-' | '+' | '.') => self.number(),
            _ => {
                let word = self.word()?;
                match word.as_str() {
                    "true" => Some(Value::Bool(true)),
                    "false" => Some(Value::Bool(false)),
                    "null" | "undefined" => Some(Value::Null),
                    _ => None,
                }
            }
        }
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        self.eat('[');
        let mut items = Vec::new();
        while !self.eat(']') {
            items.push(self.value(depth + 1)?);
            if !self.eat(',') {
                return self.eat(']').then_some(Value::Array(items));
            }
        }
        Some(Value::Array(items))
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.eat('{');
        let mut members = Map::new();
        while !self.eat('}') {
            let key = match self.peek()? {
                '"' | '\'' => self.string()?,
                c if c.is_ascii_digit() => to_text(&self.number()?)?,
                _ => self.word()?,
            };
            if !self.eat(':') {
                return None;
            }
            members.insert(key, self.value(depth + 1)?);
            if !self.eat(',') {
                return self.eat('}').then_some(Value::Object(members));
            }
        }
        Some(Value::Object(members))
    }

    fn word(&mut self) -> Option<String> {
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
            .unwrap_or(rest.len());
        let word = rest[..end].to_owned();
        self.at += end;
        (end > 0).then_some(word)
    }

    fn number(&mut self) -> Option<Value> {
        let negative = self.eat('-');
        if !negative {
            self.eat('+');
        }
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '_'))
            .unwrap_or(rest.len());
        let digits = rest[..end].replace('_', "");
        self.at += end;
        let sign = if negative { -1 } else { 1 };
        if let Some(hex) = digits.strip_prefix("0x") {
            return i64::from_str_radix(hex, 16)
                .ok()
                .map(|n| Value::from(sign * n));
        }
        if let Ok(integer) = digits.parse::<i64>() {
            return Some(Value::from(sign * integer));
        }
        let float = digits.parse::<f64>().ok()?;
        Number::from_f64(float * sign as f64).map(Value::Number)
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.peek()?;
        self.at += 1;
        let mut text = String::new();
        let mut chars = self.text[self.at..].char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                c if c == quote => {
                    self.at += i + 1;
                    return Some(text);
                }
                '$' if quote == '`' && self.text[self.at + i..].starts_with("${") => return None,
                '\\' => match chars.next()?.1 {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    'r' => text.push('\r'),
                    'u' => {
                        let digits: String = match chars.next()?.1 {
                            '{' => chars
                                .by_ref()
                                .map(|(_, c)| c)
                                .take_while(|c| *c != '}')
                                .collect(),
                            first => std::iter::once(first)
                                .chain(chars.by_ref().take(3).map(|(_, c)| c))
                                .collect(),
                        };
                        text.push(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?);
                    }
                    '\n' => {}
                    other => text.push(other),
                },
                c => text.push(c),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn literals_of_javascript_are_read() {
        for (source, value) in [
            ("3", json!(3)),
            (" -1.5 ", json!(-1.5)),
            ("'it\\'s'", json!("it's")),
            ("`two\nlines`", json!("two\nlines")),
            ("[1, 'a', true,]", json!([1, "a", true])),
            (
                "{ width: \"50%\", 'a-b': [], /* c */ n: undefined }",
                json!({"width": "50%", "a-b": [], "n": null}),
            ),
            ("'\\u00e9\\u{1F680}'", json!("é🚀")),
        ] {
            assert_eq!(literal(source), Some(value), "{source}");
        }
    }

    #[test]
    fn what_would_have_to_run_is_not_a_literal() {
        for source in [
            "props.a", "`a ${b}`", "f()", "1 + 2", "{a, b}", "x => x", "[", "'open", "{...a}",
        ] {
            assert_eq!(literal(source), None, "{source}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        assert_eq!(literal(&"[".repeat(100_000)), None);
    }
}
