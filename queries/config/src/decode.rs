//! Decodes JSON to typed values, and reports every error at its exact place.
//!
//! A value that cannot be read is reported once and becomes `None`; the caller falls back to a
//! default, and everything around it is used. Two macros turn a table of fields into a struct and
//! its decoder: `record!` for objects and `words!` for choices.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::reference::Document;
use base::data::pointer;
use base::diagnostic::{Advice, Code, Diagnostic, Near, near};
use base::place::{Part, Place};

/// Errors of decoding, and the document that locates them.
pub struct Log<'d> {
    /// The document that is decoded.
    pub document: &'d Document,
    /// Errors, in the order of the document.
    pub diagnostics: Vec<Diagnostic>,
    /// The fields that were looked for, there or not, by their pointers; with the words that a
    /// field of words can have. Only recorded for callers that need to know which parts of a
    /// configuration are read.
    pub known: Option<BTreeMap<String, Vec<&'static str>>>,
}

impl<'d> Log<'d> {
    /// An empty log of `document`.
    pub fn new(document: &'d Document) -> Self {
        Self {
            document,
            diagnostics: Vec::new(),
            known: None,
        }
    }

    /// The place of the value at `pointer`.
    pub fn place(&self, pointer: &str) -> Place {
        self.document.place(pointer, Part::Value)
    }

    /// Reports something about the key or the value at `pointer`.
    pub fn report(
        &mut self,
        code: Code,
        pointer: &str,
        part: Part,
        message: String,
        advice: Option<Advice>,
    ) {
        let diagnostic = Diagnostic::new(code, self.document.place(pointer, part), message);
        self.diagnostics.push(diagnostic.advise(advice));
    }
}

/// A node of the document: its value and where it stands.
#[derive(Clone, Debug)]
pub struct Node<'a> {
    /// The value.
    pub value: &'a Value,
    /// Pointer in the resolved document.
    pub pointer: String,
}

/// Something that can be read from a node. When it cannot, the reason is in the log.
pub trait Decode: Sized {
    /// Reads the node.
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self>;
}

impl<'a> Node<'a> {
    /// The whole document.
    pub fn root(document: &'a Document) -> Self {
        Self {
            value: &document.value,
            pointer: String::new(),
        }
    }

    /// The items of an array with their positions; anything else is reported.
    pub fn items(&self, log: &mut Log<'_>) -> Option<Vec<Self>> {
        let Some(items) = self.value.as_array() else {
            self.reject(log, "a list");
            return None;
        };
        let items = items.iter().enumerate();
        Some(
            items
                .map(|(i, value)| Self {
                    value,
                    pointer: pointer::item(&self.pointer, i),
                })
                .filter(|item| !log.document.is_broken(&item.pointer))
                .collect(),
        )
    }

    /// The members of an object, in the order written; anything else is reported.
    pub fn members(&self, log: &mut Log<'_>) -> Option<Vec<(&'a str, Self)>> {
        let Some(members) = self.value.as_object() else {
            self.reject(log, "an object");
            return None;
        };
        let members = members.iter().map(|(key, value)| {
            let pointer = pointer::child(&self.pointer, key);
            (key.as_str(), Self { value, pointer })
        });
        Some(
            members
                .filter(|(_, member)| !log.document.is_broken(&member.pointer))
                .collect(),
        )
    }

    /// The fields of an object; anything else is reported.
    pub fn fields<'l, 'd>(&self, log: &'l mut Log<'d>) -> Option<Fields<'a, 'l, 'd>> {
        let Some(members) = self.value.as_object() else {
            self.reject(log, "an object");
            return None;
        };
        Some(Fields {
            members,
            pointer: self.pointer.clone(),
            keys: Vec::new(),
            log,
        })
    }

    /// Reports that the value should have been something else.
    pub fn reject(&self, log: &mut Log<'_>, expected: &str) {
        let message = format!(
            "{} must be {expected}, not {}",
            self.subject(),
            excerpt(self.value)
        );
        self.complain(log, message, None);
    }

    /// Reports an unusable value.
    pub fn complain(&self, log: &mut Log<'_>, message: String, advice: Option<Advice>) {
        log.report(
            Code::InvalidField,
            &self.pointer,
            Part::Value,
            message,
            advice,
        );
    }

    /// Name of the node in messages: its key, or that of the list it is in.
    pub fn subject(&self) -> String {
        let mut names: Vec<String> = pointer::segments(&self.pointer).collect();
        let Some(last) = names.pop() else {
            return "the configuration".to_owned();
        };
        if last.parse::<usize>().is_err() {
            return format!("`{last}`");
        }
        match names.iter().rfind(|name| name.parse::<usize>().is_err()) {
            Some(list) => format!("each item of `{list}`"),
            None => "each item".to_owned(),
        }
    }
}

/// A value as it is named in a message.
fn excerpt(value: &Value) -> String {
    match value {
        Value::Null => "`null`".to_owned(),
        Value::Bool(bool) => format!("`{bool}`"),
        Value::Number(number) => format!("the number `{number}`"),
        Value::String(text) if text.is_empty() => "an empty text".to_owned(),
        Value::String(text) => {
            let line = text.lines().next().unwrap_or("");
            let cut: String = line.chars().take(40).collect();
            let dots = if cut.len() < text.len() { "…" } else { "" };
            format!("`{cut}{dots}`")
        }
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// The fields of one object. Remembers which were asked for, so that the others can be reported at the end.
pub struct Fields<'a, 'l, 'd> {
    members: &'a Map<String, Value>,
    /// Pointer to the object.
    pub pointer: String,
    keys: Vec<&'static str>,
    /// Log of errors.
    pub log: &'l mut Log<'d>,
}

impl<'a> Fields<'a, '_, '_> {
    /// The node at `key`, not decoded.
    pub fn node(&mut self, key: &'static str) -> Option<Node<'a>> {
        self.keys.push(key);
        if let Some(known) = &mut self.log.known {
            known.entry(pointer::child(&self.pointer, key)).or_default();
        }
        let value = self.members.get(key)?;
        let pointer = pointer::child(&self.pointer, key);
        (!self.log.document.is_broken(&pointer)).then_some(Node { value, pointer })
    }

    /// Returns true if `key` is present, readable or not.
    pub fn has(&self, key: &str) -> bool {
        self.members.contains_key(key)
    }

    /// The field at `key`; `None` when it is absent or was reported.
    pub fn optional<T: Decode>(&mut self, key: &'static str) -> Option<T> {
        let node = self.node(key)?;
        T::decode(&node, self.log)
    }

    /// The field at `key`, or that it is absent; nothing when it was reported.
    pub fn strict<T: Decode>(&mut self, key: &'static str) -> Option<Option<T>> {
        let is_there = self.has(key);
        let read = self.optional(key);
        (read.is_some() || !is_there).then_some(read)
    }

    /// The field at `key`; its absence is reported at the object.
    pub fn required<T: Decode>(&mut self, key: &'static str) -> Option<T> {
        if !self.has(key) {
            self.missing(key);
        }
        self.optional(key)
    }

    /// Reports the absence of `key`.
    pub fn missing(&mut self, key: &str) {
        let pointer = self.pointer.clone();
        let part = if pointer.is_empty() {
            Part::Value
        } else {
            Part::Key
        };
        let message = match pointer::segments(&pointer).last() {
            Some(name) if name.parse::<usize>().is_err() => format!("`{name}` needs `{key}`"),
            Some(_) => format!("`{key}` is missing here"),
            None => format!("the configuration needs `{key}`"),
        };
        self.log
            .report(Code::MissingField, &pointer, part, message, None);
    }

    /// Reports every member that was not read, with the nearest known name. Keys that begin with
    /// `$` or `x-` are ignored.
    pub fn finish(self) {
        for key in self.members.keys() {
            if self.keys.contains(&key.as_str()) || key.starts_with('$') || key.starts_with("x-") {
                continue;
            }
            let known = self.keys.iter().copied();
            let known = known.filter(|name| !self.members.contains_key(*name));
            let near = near(key, known);
            let pointer = pointer::child(&self.pointer, key);
            let message = format!("`{key}` is not known here and is ignored");
            let advice = near.map(Near::advice);
            self.log
                .report(Code::UnknownField, &pointer, Part::Key, message, advice);
        }
    }
}

impl Decode for String {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        let text = node.value.as_str().map(str::to_owned);
        if text.is_none() {
            node.reject(log, "a text");
        }
        text
    }
}

/// Destination of a link: a path of the site, or a URL that a browser opens rather than runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Href(pub String);

/// Schemes whose addresses a browser runs, or that hold a document of their own.
const REFUSED_SCHEMES: [&str; 4] = ["javascript:", "vbscript:", "data:", "blob:"];

impl Decode for Href {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        let text = String::decode(node, log)?;
        // Browsers leave out white space and control characters of a scheme (WHATWG URL, 4.4).
        let is_sign = |c: &char| !c.is_whitespace() && !c.is_control();
        let start: String = text.chars().filter(is_sign).take(16).collect();
        let start = start.to_ascii_lowercase();
        let Some(scheme) = (REFUSED_SCHEMES.iter()).find(|scheme| start.starts_with(**scheme))
        else {
            return Some(Self(text));
        };
        let message = format!("{} may not lead to a `{scheme}` address", node.subject());
        let hint = "use an `https://` address or a path of the site".to_owned();
        node.complain(log, message, Some(hint.into()));
        None
    }
}

impl std::ops::Deref for Href {
    type Target = String;

    fn deref(&self) -> &String {
        &self.0
    }
}

impl Decode for bool {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        let bool = node.value.as_bool();
        if bool.is_none() {
            node.reject(log, "`true` or `false`");
        }
        bool
    }
}

/// A number in thousandths, so that it can be compared exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Thousandths(pub i64);

impl Decode for Thousandths {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        match node.value.as_f64() {
            // The cast saturates, so that no number a user can write is out of range.
            Some(number) => Some(Self((number * 1000.0).round() as i64)),
            None => {
                node.reject(log, "a number");
                None
            }
        }
    }
}

/// A color as `#` and 3 or 6 hexadecimal digits, in lower case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Color(String);

impl Color {
    /// Returns the color written in `text`; `None` if it is not of that form.
    pub fn new(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#')?;
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_hex && matches!(digits.len(), 3 | 6)).then(|| Self(text.to_ascii_lowercase()))
    }

    /// The color as CSS reads it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Decode for Color {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        let color = node.value.as_str().and_then(Self::new);
        if color.is_none() {
            node.reject(log, "a color such as `#0a7` or `#00aa77`");
        }
        color
    }
}

impl<T: Decode> Decode for Vec<T> {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        let items = node.items(log)?;
        Some(
            items
                .iter()
                .filter_map(|item| T::decode(item, log))
                .collect(),
        )
    }
}

/// A list that may be written as its only item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneOrMany<T>(pub Vec<T>);

impl<T> Default for OneOrMany<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Decode> Decode for OneOrMany<T> {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        if node.value.is_array() {
            Vec::decode(node, log).map(Self)
        } else {
            T::decode(node, log).map(|item| Self(vec![item]))
        }
    }
}

/// An object whose keys are the user's own, in the order written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairs<T>(pub Vec<(String, T)>);

impl<T> Default for Pairs<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Pairs<T> {
    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&T> {
        let found = self.0.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value)
    }
}

impl<T: Decode> Decode for Pairs<T> {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        let members = node.members(log)?;
        let pairs = members
            .iter()
            .filter_map(|(key, member)| Some(((*key).to_owned(), T::decode(member, log)?)));
        Some(Self(pairs.collect()))
    }
}

/// Reads one word out of a table; anything else is reported with the nearest word.
pub fn word<T: Copy>(node: &Node<'_>, log: &mut Log<'_>, table: &[(&'static str, T)]) -> Option<T> {
    if let Some(known) = &mut log.known {
        let words = table.iter().map(|(word, _)| *word);
        known.insert(node.pointer.clone(), words.collect());
    }
    let text = node.value.as_str();
    let found = table.iter().find(|(word, _)| text == Some(*word));
    if let Some((_, value)) = found {
        return Some(*value);
    }
    let words = table.iter().map(|(word, _)| *word);
    let list: Vec<String> = words.clone().map(|word| format!("`{word}`")).collect();
    let message = format!(
        "{} must be one of {}, not {}",
        node.subject(),
        list.join(", "),
        excerpt(node.value)
    );
    let near = text.and_then(|text| near(text, words));
    node.complain(log, message, near.map(Near::advice));
    None
}

/// Defines an enum of words and its decoder. The first word is the default.
macro_rules! words {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $first:ident = $first_word:literal $(, $variant:ident = $word:literal)* $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            #[default]
            #[doc = concat!("`", $first_word, "`.")]
            $first,
            $(#[doc = concat!("`", $word, "`.")] $variant,)*
        }

        impl $name {
            /// Every choice with the word it is written as.
            pub const ALL: &[(&'static str, Self)] =
                &[($first_word, Self::$first) $(, ($word, Self::$variant))*];

            /// The word it is written as.
            pub fn word(self) -> &'static str {
                match self { Self::$first => $first_word, $(Self::$variant => $word,)* }
            }
        }

        impl $crate::decode::Decode for $name {
            fn decode(
                node: &$crate::decode::Node<'_>,
                log: &mut $crate::decode::Log<'_>,
            ) -> Option<Self> {
                $crate::decode::word(node, log, Self::ALL)
            }
        }
    };
}

/// Defines a struct that is decoded from an object, and implements `Decode` for it. Each field
/// names its key and its kind: `required`; `optional` (an `Option`); `strict` (an `Option`; if the
/// value is present but invalid, the whole object is rejected); `standard` (the default of its type
/// if absent); `or(value)` (`value` if absent). `: Default` after the name, which is possible only
/// without `required` fields, also implements `Default` as the value of an empty object.
macro_rules! record {
    (
        $(#[$meta:meta])*
        pub struct $name:ident : Default {
            $($(#[$field_meta:meta])* pub $field:ident: $type:ty = $kind:ident $(($default:expr))? $key:literal,)*
        }
    ) => {
        record! {
            $(#[$meta])*
            pub struct $name {
                $($(#[$field_meta])* pub $field: $type = $kind $(($default))? $key,)*
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: record!(@absent $kind $(($default))?),)* }
            }
        }
    };
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($(#[$field_meta:meta])* pub $field:ident: $type:ty = $kind:ident $(($default:expr))? $key:literal,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name {
            $($(#[$field_meta])* pub $field: $type,)*
        }

        impl $crate::decode::Decode for $name {
            fn decode(
                node: &$crate::decode::Node<'_>,
                log: &mut $crate::decode::Log<'_>,
            ) -> Option<Self> {
                let mut fields = node.fields(log)?;
                $(let $field = record!(@read fields $kind $(($default))? $key);)*
                fields.finish();
                Some(Self { $($field: record!(@take $kind $field),)* })
            }
        }
    };
    (@read $fields:ident required $key:literal) => { $fields.required($key) };
    (@read $fields:ident strict $key:literal) => { $fields.strict($key) };
    (@read $fields:ident optional $key:literal) => { $fields.optional($key) };
    (@read $fields:ident standard $key:literal) => { $fields.optional($key).unwrap_or_default() };
    (@read $fields:ident or($default:expr) $key:literal) => {
        $fields.optional($key).unwrap_or($default)
    };
    (@take required $field:ident) => { $field? };
    (@take strict $field:ident) => { $field? };
    (@take $kind:ident $field:ident) => { $field };
    (@absent optional) => { None };
    (@absent standard) => { Default::default() };
    (@absent or($default:expr)) => { $default };
}

pub(crate) use {record, words};
