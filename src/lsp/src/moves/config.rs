//! Configuration in JSON, changed in place: its layout stays.

use queries::base::path::Route;

use super::Moves;

/// Keys whose values name a page or a file though they have no slash.
const NAMING: &[&str] = &[
    "pages",
    "root",
    "href",
    "destination",
    "openapi",
    "asyncapi",
    "source",
    "url",
    "light",
    "dark",
    "favicon",
    "logo",
    "file",
    "path",
];

/// A container that is open while JSON is read.
enum Open {
    Object { key: String },
    Array { key: String },
}

/// Returns the text of a configuration with entries that follow the moves, and how many were changed.
/// Sources of redirects stay: they are old addresses.
pub(super) fn rewrite(text: &str, moves: &Moves) -> (String, usize) {
    let mut out = String::with_capacity(text.len());
    let (mut open, mut rest, mut count) = (Vec::<Open>::new(), text, 0);
    while let Some(at) = rest.find(['"', '{', '}', '[', ']']) {
        out.push_str(&rest[..at]);
        let from = &rest[at..];
        let Some(len) = string_len(from) else {
            let key = key_of(&open);
            match &from[..1] {
                "{" => open.push(Open::Object { key: key.clone() }),
                "[" => open.push(Open::Array { key }),
                _ => drop(open.pop()),
            }
            out.push_str(&from[..1]);
            rest = &from[1..];
            continue;
        };
        rest = &from[len..];
        let value = serde_json::from_str::<String>(&from[..len]).unwrap_or_default();
        let is_key = rest.trim_start().starts_with(':');
        if let (true, Some(Open::Object { key })) = (is_key, open.last_mut()) {
            *key = value;
            out.push_str(&from[..len]);
            continue;
        }
        let key = key_of(&open);
        let is_source = key == "source" && is_in_redirects(&open);
        let may_name = value.contains('/') || NAMING.contains(&key.as_str());
        match moves.entry(&value).filter(|_| may_name && !is_source) {
            Some(new) => {
                count += 1;
                out.push_str(&serde_json::Value::from(new).to_string());
            }
            None => out.push_str(&from[..len]),
        }
    }
    out.push_str(rest);
    (out, count)
}

/// Returns the files that `$ref` names anywhere in a configuration.
pub(super) fn references(text: &str) -> Vec<String> {
    fn collect(value: &serde_json::Value, found: &mut Vec<String>) {
        match value {
            serde_json::Value::Object(members) => {
                let reference = members.get("$ref").and_then(|value| value.as_str());
                found.extend(reference.map(str::to_owned));
                members.values().for_each(|value| collect(value, found));
            }
            serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    if let Ok(document) = serde_json::from_str(text) {
        collect(&document, &mut found);
    }
    found
}

/// Returns the key under which the next value stands; that of the array it is in.
fn key_of(open: &[Open]) -> String {
    match open.last() {
        Some(Open::Object { key } | Open::Array { key }) => key.clone(),
        None => String::new(),
    }
}

fn is_in_redirects(open: &[Open]) -> bool {
    let is_redirects = |open: &Open| matches!(open, Open::Array { key } if key == "redirects");
    open.iter().any(is_redirects)
}

/// Returns the length of the string at the start of `text`, quotes included.
fn string_len(text: &str) -> Option<usize> {
    let mut escaped = false;
    let inner = text.strip_prefix('"')?;
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at + 2),
            _ => {}
        }
    }
    Some(text.len())
}

/// Returns the file that holds the redirects of a configuration, if it is another one.
pub(super) fn redirects_file(text: &str) -> Option<String> {
    let document: serde_json::Value = serde_json::from_str(text).ok()?;
    let file = document.get("redirects")?.get("$ref")?.as_str()?;
    Some(file.to_owned())
}

/// Adds redirects from the old addresses, in front of those that are there. The text is that of a
/// configuration, or a list of redirects alone.
pub(super) fn with_redirects(text: &str, routes: &[(Route, Route)]) -> Option<String> {
    let document: serde_json::Value = serde_json::from_str(text).ok()?;
    let is_list = document.is_array();
    let list = match is_list {
        true => Some(&document),
        false => document.get("redirects"),
    };
    let known = list.and_then(|list| list.as_array());
    let is_new = |(old, _): &&(Route, Route)| {
        let known = known.into_iter().flatten();
        let mut sources = known.filter_map(|redirect| redirect["source"].as_str());
        !sources.any(|source| source.trim_end_matches('/') == old.as_str())
    };
    let indent = indent_of(text);
    let depth = indent.repeat(if is_list { 1 } else { 2 });
    let entries = routes.iter().filter(is_new).map(|(old, new)| {
        let (source, destination) = (old.as_str(), new.as_str());
        let redirect = serde_json::json!({ "source": source, "destination": destination });
        format!("{depth}{}", spaced(&redirect))
    });
    let entries = entries.collect::<Vec<_>>().join(",\n");
    if entries.is_empty() {
        return None;
    }
    if known.is_none() {
        let end = text.rfind('}').filter(|_| list.is_none())?;
        let before = text[..end].trim_end();
        let comma = if before.ends_with('{') { "" } else { "," };
        let rest = &text[end..];
        return Some(format!(
            "{before}{comma}\n{indent}\"redirects\": [\n{entries}\n{indent}]\n{rest}"
        ));
    }
    let at = match is_list {
        true => text.find('[')? + 1,
        false => list_start(text)?,
    };
    let (before, after) = text.split_at(at);
    let behind = after.trim_start();
    Some(match behind.starts_with(']') {
        true if is_list => format!("{before}\n{entries}\n{behind}"),
        true => format!("{before}\n{entries}\n{indent}{behind}"),
        false => format!("{before}\n{entries},{after}"),
    })
}

/// Writes an object on one line, with blanks.
fn spaced(object: &serde_json::Value) -> String {
    let members = object.as_object().into_iter().flatten();
    let members = members.map(|(key, value)| format!("\"{key}\": {value}"));
    format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
}

/// Returns the offset behind the bracket that opens `redirects` at the top of the document.
fn list_start(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0usize, 0);
    while at < text.len() {
        let rest = &text[at..];
        if let Some(len) = string_len(rest) {
            let after = rest[len..].trim_start();
            if depth == 1 && &rest[..len] == "\"redirects\"" && after.starts_with(':') {
                return Some(at + rest.find('[')? + 1);
            }
            at += len;
            continue;
        }
        match rest.as_bytes()[0] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += rest.chars().next().map_or(1, char::len_utf8);
    }
    None
}

/// Returns the indentation of the first member.
fn indent_of(text: &str) -> String {
    let line = text.lines().nth(1).unwrap_or("  ");
    let indent = &line[..line.len() - line.trim_start().len()];
    match indent.is_empty() {
        true => "  ".to_owned(),
        false => indent.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use queries::base::path::SitePath;

    use super::*;

    fn moves() -> Moves {
        let path = |text: &str| SitePath::new(text).expect("a path");
        let files = [("start.mdx", "begin.mdx"), ("a/old.mdx", "b/new.mdx")];
        Moves::new(files.map(|(old, new)| (path(old), path(new))).into())
    }

    #[test]
    fn entries_are_changed_and_the_layout_stays() {
        let before = "{\n  \"name\": \"start\",\n  \"navigation\": { \"groups\": [\n    { \"group\": \
            \"start\", \"pages\": [\"start\", \"a/old\"] }\n  ] },\n  \"navbar\": {\"links\": \
            [{\"label\": \"a\", \"href\": \"/a/old#x\"}]},\n  \"redirects\": [\n    { \"source\": \
            \"/a/old\", \"destination\": \"/start\" }\n  ]\n}\n";
        let after = "{\n  \"name\": \"start\",\n  \"navigation\": { \"groups\": [\n    { \"group\": \
            \"start\", \"pages\": [\"begin\", \"b/new\"] }\n  ] },\n  \"navbar\": {\"links\": \
            [{\"label\": \"a\", \"href\": \"/b/new#x\"}]},\n  \"redirects\": [\n    { \"source\": \
            \"/a/old\", \"destination\": \"/begin\" }\n  ]\n}\n";
        assert_eq!(rewrite(before, &moves()), (after.to_owned(), 4));
    }

    #[test]
    fn redirects_are_added_once() {
        let routes = moves().routes();
        let none = "{\n  \"name\": \"a\"\n}\n";
        let added = "{\n  \"name\": \"a\",\n  \"redirects\": [\n    { \"source\": \"/a/old\", \
            \"destination\": \"/b/new\" },\n    { \"source\": \"/start\", \"destination\": \
            \"/begin\" }\n  ]\n}\n";
        assert_eq!(with_redirects(none, &routes).as_deref(), Some(added));
        assert_eq!(with_redirects(added, &routes), None);
        let empty = "{\n  \"redirects\": []\n}\n";
        let filled = with_redirects(empty, &routes[..1]).expect("a redirect");
        let expected = "{\n  \"redirects\": [\n    { \"source\": \"/a/old\", \"destination\": \
            \"/b/new\" }\n  ]\n}\n";
        assert_eq!(filled, expected);
        let list = "[\n  { \"source\": \"/x\", \"destination\": \"/y\" }\n]\n";
        let longer = "[\n  { \"source\": \"/a/old\", \"destination\": \"/b/new\" },\n  { \
            \"source\": \"/x\", \"destination\": \"/y\" }\n]\n";
        assert_eq!(with_redirects(list, &routes[..1]).as_deref(), Some(longer));
        let referring = "{\"redirects\": {\"$ref\": \"r.json\"}}";
        assert_eq!(redirects_file(referring).as_deref(), Some("r.json"));
        assert_eq!(with_redirects(referring, &routes), None);
        let more = with_redirects(&filled, &routes).expect("another");
        assert!(
            serde_json::from_str::<serde_json::Value>(&more).is_ok(),
            "{more}"
        );
    }
}
