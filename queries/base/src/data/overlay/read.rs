//! Reads overlay documents from text, with their diagnostics.

use serde_json::{Map, Value};
use serde_json_path::JsonPath;

use super::{Action, Change, Overlay, kind_of};
use crate::data::split::Format;
use crate::data::{json, pointer, yaml};
use crate::diagnostic::{Code, Diagnostic, Near, near};
use crate::path::SitePath;
use crate::place::Place;

/// Maximum number of characters of a target, and maximum nesting of its brackets: it is read by
/// recursion.
const MAX_TARGET: (usize, usize) = (4096, 32);

/// Fields of an overlay, and of an action.
const FIELDS: [&[&str]; 2] = [
    &["overlay", "info", "extends", "actions"],
    &["target", "description", "update", "remove"],
];

impl Overlay {
    /// The overlay in the file at `path`, which is applied to the specification `source`.
    pub fn parse(path: &SitePath, bytes: &[u8], source: &SitePath) -> Self {
        let mut reader = Reader {
            path,
            problems: Vec::new(),
        };
        let text = String::from_utf8_lossy(bytes);
        let value = reader.value(&text);
        let actions = value.and_then(|value| reader.overlay(&value, source));
        Self {
            path: path.clone(),
            actions: actions.unwrap_or_default(),
            problems: reader.problems,
        }
    }

    /// Returns true if the file at `path` is an overlay that can be read, even with errors in its
    /// actions.
    pub fn is_one(path: &SitePath, bytes: &[u8]) -> bool {
        let mut reader = Reader {
            path,
            problems: Vec::new(),
        };
        let value = reader.value(&String::from_utf8_lossy(bytes));
        value.is_some_and(|value| reader.overlay(&value, path).is_some())
    }
}

struct Reader<'r> {
    path: &'r SitePath,
    problems: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn say(&mut self, code: Code, at: impl Into<String>, message: impl Into<String>, hint: &str) {
        let problem = Diagnostic::new(code, Place::value(self.path, at.into()), message);
        self.problems.push(match hint {
            "" => problem,
            hint => problem.hint(hint),
        });
    }

    fn value(&mut self, text: &str) -> Option<Value> {
        match Format::of(self.path) {
            Some(Format::Json) => {
                let parsed = json::parse(self.path, text);
                let is_broken = |found: &Diagnostic| found.code == Code::InvalidJson;
                let is_read = !parsed.diagnostics.iter().any(is_broken);
                self.problems.extend(parsed.diagnostics);
                is_read.then_some(parsed.value)
            }
            Some(Format::Yaml) => match yaml::parse_document(text) {
                Ok(parsed) => {
                    for at in parsed.repeated {
                        let name = pointer::segments(&at).last().unwrap_or_default();
                        let message =
                            format!("`{name}` appears more than once here; the last one is used");
                        let place = Place::key(self.path, at);
                        let problem = Diagnostic::new(Code::DuplicateKey, place, message);
                        self.problems.push(problem.hint("remove all but one"));
                    }
                    Some(parsed.value)
                }
                Err(error) => {
                    let place = Place::in_text(self.path, text, error.at, 1);
                    let message = format!("not valid YAML: {}", error.message);
                    let problem = Diagnostic::new(Code::InvalidYaml, place, message);
                    self.problems.push(problem.hint(
                        "check the indentation, quotes and colons at or just before this position",
                    ));
                    None
                }
            },
            None => {
                let message =
                    "the file is no overlay: its name ends in none of `.yaml`, `.yml` and `.json`";
                self.say(Code::OverlayInvalid, "", message, "");
                None
            }
        }
    }

    /// The actions of a document.
    fn overlay(&mut self, value: &Value, source: &SitePath) -> Option<Vec<Action>> {
        let Value::Object(members) = value else {
            let message = format!("the document is no overlay: it is {}", kind_of(value));
            self.say(
                Code::OverlayInvalid,
                "",
                message,
                "an overlay has `overlay: 1.0.0` at its top",
            );
            return None;
        };
        match members.get("overlay") {
            Some(version) if is_readable(version) => {}
            Some(version) => {
                let message = format!(
                    "`overlay: {}` is no version that can be read",
                    source_text(version)
                );
                self.say(Code::OverlayInvalid, "/overlay", message, "1.0 can");
                return None;
            }
            None => {
                let message = "the document does not say which version of Overlays it is";
                self.say(
                    Code::OverlayInvalid,
                    "",
                    message,
                    "add `overlay: 1.0.0` at its top",
                );
                // It may be another kind of document.
                members.get("actions")?;
            }
        }
        self.unknown("", members, FIELDS[0]);
        for name in ["title", "version"] {
            let info = members.get("info");
            if info
                .and_then(|info| info.get(name))
                .is_none_or(|named| !named.is_string())
            {
                let at = if info.is_some() { "/info" } else { "" };
                let message = format!("the overlay has no `info.{name}`");
                self.say(
                    Code::SpecFieldMissing,
                    at,
                    message,
                    "Overlays 1.0 require it",
                );
            }
        }
        match members.get("extends") {
            Some(Value::String(extended)) if !is_same(extended, self.path, source) => {
                let message =
                    format!("the overlay extends `{extended}`, and is applied to `{source}`");
                let hint = "name the specification that it is meant for, or leave `extends` out";
                self.say(Code::OverlayExtends, "/extends", message, hint);
            }
            None | Some(Value::String(_)) => {}
            Some(other) => {
                let message = format!("`extends` must be a text, not {}", kind_of(other));
                self.say(Code::OverlayInvalid, "/extends", message, "");
            }
        }
        let actions = match members.get("actions") {
            Some(Value::Array(actions)) if !actions.is_empty() => actions,
            Some(Value::Array(_)) => {
                self.say(
                    Code::OverlayInvalid,
                    "/actions",
                    "the overlay has no actions",
                    "",
                );
                return None;
            }
            Some(other) => {
                let message = format!("`actions` must be a list, not {}", kind_of(other));
                self.say(Code::OverlayInvalid, "/actions", message, "");
                return None;
            }
            None => {
                let hint = "add `actions`, each with a `target` and an `update` or `remove: true`";
                self.say(
                    Code::OverlayInvalid,
                    "",
                    "the overlay has no `actions`",
                    hint,
                );
                return None;
            }
        };
        let actions = actions.iter().enumerate();
        Some(
            actions
                .filter_map(|(i, action)| self.action(&format!("/actions/{i}"), action))
                .collect(),
        )
    }

    fn action(&mut self, at: &str, action: &Value) -> Option<Action> {
        let Value::Object(members) = action else {
            let message = format!("an action must be an object, not {}", kind_of(action));
            self.say(Code::OverlayInvalid, at, message, "");
            return None;
        };
        self.unknown(at, members, FIELDS[1]);
        let target = match members.get("target") {
            Some(Value::String(text)) => {
                let target = self.target(&format!("{at}/target"), text);
                target.map(|target| (text.clone(), target))
            }
            Some(other) => {
                let message = format!("`target` must be a text, not {}", kind_of(other));
                self.say(Code::OverlayInvalid, format!("{at}/target"), message, "");
                None
            }
            None => {
                let hint = "add the JSONPath of what it changes, such as `$.paths['/pets'].get`";
                self.say(Code::OverlayInvalid, at, "the action has no `target`", hint);
                None
            }
        };
        let is_removed = match members.get("remove") {
            None => false,
            Some(Value::Bool(remove)) => *remove,
            Some(other) => {
                let message = format!("`remove` must be `true` or `false`, not {}", kind_of(other));
                self.say(Code::OverlayInvalid, format!("{at}/remove"), message, "");
                return None;
            }
        };
        let change = match (is_removed, members.get("update")) {
            (true, _) => Change::Remove,
            (false, Some(update)) => Change::Update(update.clone()),
            (false, None) => {
                let message = "the action has neither `update` nor `remove: true`";
                self.say(Code::OverlayInvalid, at, message, "");
                return None;
            }
        };
        let at = at.to_owned();
        let (text, target) = target?;
        Some(Action {
            at,
            text,
            target,
            change,
        })
    }

    fn target(&mut self, at: &str, text: &str) -> Option<JsonPath> {
        let depth = text.chars().scan(0usize, |depth, c| {
            match c {
                '(' | '[' => *depth += 1,
                ')' | ']' => *depth = depth.saturating_sub(1),
                _ => {}
            }
            Some(*depth)
        });
        if text.len() > MAX_TARGET.0 || depth.max().unwrap_or(0) > MAX_TARGET.1 {
            let message = "the target is longer or deeper than what is read";
            self.say(Code::OverlayInvalid, at, message, "");
            return None;
        }
        match JsonPath::parse(text) {
            Ok(target) => Some(target),
            Err(error) => {
                let (read, rest) = text
                    .split_at_checked(error.position())
                    .unwrap_or((text, ""));
                let message = match (read, rest) {
                    (_, "") => format!("`{text}` is not a JSONPath: it ends too early"),
                    (_, rest) => format!("`{text}` is not a JSONPath: `{rest}` cannot be read"),
                };
                let hint = match text.starts_with('$') {
                    true => {
                        "names with signs in them stand in quotes and brackets: `$.paths['/pets'].get`"
                    }
                    false => "a JSONPath begins with `$`, the document: `$.paths['/pets'].get`",
                };
                self.say(Code::OverlayInvalid, at, message, hint);
                None
            }
        }
    }

    /// Reports fields that are neither in `allowed` nor extensions (`x-…`).
    fn unknown(&mut self, at: &str, members: &Map<String, Value>, allowed: &[&str]) {
        for name in members.keys() {
            if allowed.contains(&name.as_str()) || name.starts_with("x-") {
                continue;
            }
            let near = near(name, allowed.iter().copied());
            let message = format!("Overlays have no field `{name}` here");
            let place = Place::key(self.path, pointer::child(at, name));
            let problem = Diagnostic::new(Code::SpecFieldUnknown, place, message);
            self.problems.push(problem.advise(near.map(Near::advice)));
        }
    }
}

/// Returns true if overlays of this version can be read: those of 1.
fn is_readable(version: &Value) -> bool {
    source_text(version).split('.').next() == Some("1")
}

/// A value as its author wrote it, about.
fn source_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// Returns true if the document that the overlay at `path` extends may be `source`. An address may
/// be that of a file of the site.
fn is_same(extended: &str, path: &SitePath, source: &SitePath) -> bool {
    match (extended.contains("://"), source.is_url()) {
        (true, true) => SitePath::of_url(extended) == *source,
        (true, false) => true,
        (false, true) => false,
        (false, false) => {
            let named = match extended.strip_prefix('/') {
                Some(from_root) => from_root.to_owned(),
                None => format!("{}/{extended}", path.folder()),
            };
            let mut segments = Vec::new();
            for segment in named.split('/') {
                match segment {
                    "" | "." => {}
                    ".." => drop(segments.pop()),
                    segment => segments.push(segment),
                }
            }
            segments.join("/") == source.as_str()
        }
    }
}

/// Returns the pointer of the largest value that a target can select, as far as its leading names
/// determine it, and whether that is all of it.
pub(super) fn static_prefix(target: &str) -> (String, bool) {
    let Some(mut rest) = target.strip_prefix('$').filter(|rest| !rest.contains('$')) else {
        return (String::new(), false);
    };
    let mut prefix = String::new();
    loop {
        let name = match rest.as_bytes() {
            [] => return (prefix, true),
            [b'.', next, ..] if next.is_ascii_alphabetic() || *next == b'_' => {
                let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let end = rest[1..]
                    .find(|c| !is_part(c))
                    .map_or(rest.len(), |end| end + 1);
                let name = &rest[1..end];
                rest = &rest[end..];
                name
            }
            [b'[', quote @ (b'\'' | b'"'), ..] => {
                let quoted = &rest[2..];
                let Some(end) = quoted.find(char::from(*quote)) else {
                    return (prefix, false);
                };
                let name = &quoted[..end];
                let Some(after) = quoted[end + 1..].strip_prefix(']') else {
                    return (prefix, false);
                };
                if name.contains('\\') {
                    return (prefix, false);
                }
                rest = after;
                name
            }
            _ => return (prefix, false),
        };
        // A name that goes on with other letters was not read as a whole.
        if rest.starts_with(|c: char| !matches!(c, '.' | '[')) {
            let end = prefix.len();
            return (prefix[..end].to_owned(), false);
        }
        pointer::push(&mut prefix, name);
    }
}
