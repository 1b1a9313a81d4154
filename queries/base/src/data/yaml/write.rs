//! Values as YAML of block style, for readers: members in their order, long texts as they are. Every reader of YAML 1.1 or
//! 1.2 gets the value that was written.

use serde_json::{Map, Value};

use super::spelling::{SPELLED, is_data};

/// Spellings of the scalars around, by their JSON.
type Spellings<'s> = Option<&'s Map<String, Value>>;

/// Writes `value` as a YAML document that ends with a line break. Scalars of the author's data are spelled as they were.
pub fn to_yaml(value: &Value) -> String {
    let mut out = String::new();
    node(value, 0, None, &mut out);
    out
}

/// Writes a value that begins where `out` ends.
fn node(value: &Value, indent: usize, spellings: Spellings<'_>, out: &mut String) {
    match value {
        Value::Object(members) if !members.is_empty() => object(members, indent, spellings, out),
        Value::Array(items) if !items.is_empty() => array(items, indent, spellings, out),
        value => {
            scalar(value, indent, spellings, out);
            out.push('\n');
        }
    }
}

/// Writes members, each on lines of its own; the first begins where `out` ends.
fn object(members: &Map<String, Value>, indent: usize, spellings: Spellings<'_>, out: &mut String) {
    let own = members.get(SPELLED).and_then(Value::as_object);
    let members = members.iter().filter(|(name, _)| *name != SPELLED);
    for (i, (name, value)) in members.enumerate() {
        if i > 0 {
            blanks(indent, out);
        }
        match is_plain(name) {
            true => out.push_str(name),
            false => quoted(name, out),
        }
        out.push(':');
        let is_block = match value {
            Value::Object(members) => !members.is_empty(),
            Value::Array(items) => !items.is_empty(),
            _ => false,
        };
        match is_block {
            true => {
                out.push('\n');
                blanks(indent + 2, out);
            }
            false => out.push(' '),
        }
        let own = own.filter(|_| is_data(name, value));
        node(value, indent + 2, spellings.or(own), out);
    }
}

/// Writes items, each on lines of its own; the first begins where `out` ends.
fn array(items: &[Value], indent: usize, spellings: Spellings<'_>, out: &mut String) {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            blanks(indent, out);
        }
        out.push_str("- ");
        node(item, indent + 2, spellings, out);
    }
}

fn blanks(count: usize, out: &mut String) {
    out.extend(std::iter::repeat_n(' ', count));
}

/// Writes a scalar, or an empty container; lines of a text are indented by `indent`.
fn scalar(value: &Value, indent: usize, spellings: Spellings<'_>, out: &mut String) {
    let spelled = spellings.filter(|_| !value.is_string());
    let spelled = spelled.and_then(|spellings| spellings.get(&value.to_string())?.as_str());
    match value {
        _ if spelled.is_some() => out.push_str(spelled.unwrap_or_default()),
        Value::String(text) if is_plain(text) => out.push_str(text),
        Value::String(text) => match chomping(text).filter(|_| indent > 0) {
            Some(sign) => {
                out.push_str(sign);
                for line in text.trim_end_matches('\n').split('\n') {
                    out.push('\n');
                    if !line.is_empty() {
                        blanks(indent, out);
                        out.push_str(line);
                    }
                }
            }
            None => quoted(text, out),
        },
        other => out.push_str(&other.to_string()),
    }
}

/// Writes `text` between quotes. A JSON string means the same in YAML, but for three line breaks
/// that only one of them knows.
fn quoted(text: &str, out: &mut String) {
    let json = Value::from(text).to_string();
    for c in json.chars() {
        match is_odd(c) {
            true => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => out.push(c),
        }
    }
}

/// Returns true if YAML readers disagree about `c` within a text.
fn is_odd(c: char) -> bool {
    matches!(
        c,
        '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    )
}

/// Returns the sign of a block scalar for `text`; `None` if it must be quoted.
fn chomping(text: &str) -> Option<&'static str> {
    let sign = match text.strip_suffix('\n') {
        None => "|-",
        Some(rest) if !rest.is_empty() && !rest.ends_with('\n') => "|",
        Some(_) => return None,
    };
    let is_readable = |c: char| (!c.is_control() || c == '\n') && !is_odd(c);
    // The indentation of the first line is that of all.
    let is_line = |(i, line): (usize, &str)| {
        let is_blank = line.trim().is_empty();
        line.is_empty() == is_blank && (i > 0 || !(is_blank || line.starts_with(' ')))
    };
    let is_good = text.contains('\n')
        && text.chars().all(is_readable)
        && (text.trim_end_matches('\n').split('\n').enumerate()).all(is_line);
    is_good.then_some(sign)
}

/// Returns true if `text` can be written without quotes in any position.
fn is_plain(text: &str) -> bool {
    const WORDS: &[&str] = &["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    let is_first = |c: char| c.is_alphabetic() || matches!(c, '/' | '_' | '$');
    let is_inner = |c: char| !c.is_control() && !is_odd(c) && (c == ' ' || !c.is_whitespace());
    text.starts_with(is_first)
        && text.chars().all(is_inner)
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::parse;
    use super::*;

    #[test]
    fn documents_read_as_people_write_them() {
        let value = json!({
            "paths": { "/pets/{id}": { "get": {
                "summary": "One pet",
                "description": "First line.\n\n- an item\n",
                "tags": ["pets", "yes"],
                "parameters": [{ "name": "id", "in": "path", "required": true }],
                "responses": { "200": { "$ref": "#/components/responses/Pet" }, "default": {} },
            } } },
            "none": [],
            "nothing": null,
            "note": "a: b",
        });
        let expected = "\
paths:
  /pets/{id}:
    get:
      summary: One pet
      description: |
        First line.

        - an item
      tags:
        - pets
        - \"yes\"
      parameters:
        - name: id
          in: path
          required: true
      responses:
        \"200\":
          $ref: \"#/components/responses/Pet\"
        default: {}
none: []
nothing: null
note: \"a: b\"
";
        assert_eq!(to_yaml(&value), expected);
    }

    #[test]
    fn what_is_written_reads_as_it_was() {
        let texts = [
            "",
            " ",
            "a",
            "a ",
            " a",
            "a\n",
            "a\n\n",
            "\n",
            "a\nb",
            "a\n b\n",
            " a\nb",
            "a\n\nb",
            "a\n \nb",
            "a\tb",
            "a\r\nb",
            "#a",
            "a #b",
            "a#b",
            "a:",
            "a: b",
            "a:b",
            "- a",
            "-",
            "~",
            "null",
            "Null",
            "TRUE",
            "on",
            "1",
            "1e3",
            "0x1f",
            "2024-01-01",
            "'a'",
            "\"a\"",
            "[a]",
            "{a}",
            "&a",
            "*a",
            "!a",
            "|",
            ">",
            "%a",
            "@a",
            "`a`",
            "? a",
            "---",
            "...",
            "a\u{85}b",
            "a\u{2028}b",
            "\u{feff}a",
            "ä ö",
            "日本\n語",
            "<<",
            "=",
            "a\n---\nb",
            "a\n# b",
            "\u{7}",
            ".inf",
            "nan",
            "_",
            "$ref",
            "/a/{b}",
            "a\n\tb",
            "a\n\n",
            "a\u{a0}",
            "\u{a0}",
        ];
        for text in texts {
            for value in [
                json!({ "a": text }),
                json!({ text: 1 }),
                json!([text, { "b": [text] }]),
                json!({ "a": { "b": [[text], []] } }),
            ] {
                let yaml = to_yaml(&value);
                assert_eq!(parse(&yaml), Ok(value), "{text:?}:\n{yaml}");
            }
        }
        for value in [
            json!(1),
            json!(-1.5),
            json!("a"),
            json!("a\nb"),
            json!({}),
            json!([]),
        ] {
            assert_eq!(parse(&to_yaml(&value)), Ok(value));
        }
    }
}
