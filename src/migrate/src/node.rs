//! Values of configurations, each with its place: what JavaScript, YAML and JSON are read into.

use std::sync::Arc;

use queries::base::data::{json, pointer, yaml};
use queries::base::path::SitePath;
use serde_json::Value;

/// Deepest nesting that is converted.
const MAX_DEPTH: usize = 128;

/// A value and where it is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    /// Value.
    pub(crate) data: Data,
    /// Place.
    pub(crate) place: Place,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Data {
    Null,
    Bool(bool),
    /// A number as it is written.
    Number(String),
    Text(String),
    List(Vec<Node>),
    /// Members in order. Several may have the key [`SPREAD`]: spreads of what is unknown.
    Object(Vec<(String, Node)>),
    /// Something that only a program can tell, as a noun phrase.
    Unknown(String),
}

/// Key of what is spread into an object and is not known.
pub(crate) const SPREAD: &str = "...";

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// Path of the file, relative to the folder of the site.
    pub(crate) file: Arc<str>,
    /// Position in it.
    pub(crate) spot: Spot,
}

/// A position in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Spot {
    /// Byte offset.
    Offset(usize),
    /// JSON pointer.
    Pointer(String),
}

impl Place {
    /// The start of the file at `path`.
    pub(crate) fn of_file(path: &str) -> Self {
        Self::at(path, 0)
    }

    /// The byte `offset` of the file at `path`.
    pub(crate) fn at(path: &str, offset: usize) -> Self {
        let spot = Spot::Offset(offset);
        let file = path.into();
        Self { file, spot }
    }

    /// Returns the byte offset in `text`, the content of the file.
    pub(crate) fn offset(&self, text: &str) -> usize {
        let is_json = self.file.ends_with(".json");
        let found = match &self.spot {
            Spot::Offset(offset) => return *offset,
            Spot::Pointer(at) if is_json => {
                json::position(text, at, queries::base::place::Part::Value)
            }
            Spot::Pointer(at) => yaml::position(text, at, queries::base::place::Part::Value),
        };
        found.map_or(0, |(offset, _)| offset)
    }
}

impl Node {
    /// A value that only a program can tell.
    pub(crate) fn unknown(what: impl Into<String>, place: Place) -> Self {
        let data = Data::Unknown(what.into());
        Self { data, place }
    }

    /// Converts `value`, the document in the file at `path`.
    pub(crate) fn of_value(path: &SitePath, value: &Value) -> Self {
        convert(value, &path.as_str().into(), &mut String::new(), 0)
    }

    /// The member `key`.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        let found = self.members().iter().rev().find(|(name, _)| name == key);
        found.map(|(_, node)| node)
    }

    /// The member at the end of `keys`, each within the one before.
    pub(crate) fn at(&self, keys: &[&str]) -> Option<&Self> {
        keys.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The members of an object; empty for anything else.
    pub(crate) fn members(&self) -> &[(String, Self)] {
        match &self.data {
            Data::Object(members) => members,
            _ => &[],
        }
    }

    /// The items of a list; empty for anything else.
    pub(crate) fn items(&self) -> &[Self] {
        match &self.data {
            Data::List(items) => items,
            _ => &[],
        }
    }

    /// The text, if it is one.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text of the member `key`.
    pub(crate) fn text_of(&self, key: &str) -> Option<&str> {
        self.get(key)?.text()
    }

    /// The boolean of the member `key`.
    pub(crate) fn bool_of(&self, key: &str) -> Option<bool> {
        match self.get(key)?.data {
            Data::Bool(bool) => Some(bool),
            _ => None,
        }
    }

    /// The number of the member `key`.
    pub(crate) fn number_of(&self, key: &str) -> Option<f64> {
        match &self.get(key)?.data {
            Data::Number(number) | Data::Text(number) => number.parse().ok(),
            _ => None,
        }
    }

    /// Returns true if it is an object.
    pub(crate) fn is_object(&self) -> bool {
        matches!(self.data, Data::Object(_))
    }

    /// Returns true if it is a list.
    pub(crate) fn is_list(&self) -> bool {
        matches!(self.data, Data::List(_))
    }

    /// Returns true if it is `false`.
    pub(crate) fn is_false(&self) -> bool {
        matches!(self.data, Data::Bool(false))
    }

    /// Number of values in it.
    pub(crate) fn size(&self) -> usize {
        match &self.data {
            Data::List(items) => 1 + items.iter().map(Self::size).sum::<usize>(),
            Data::Object(members) => 1 + members.iter().map(|(_, node)| node.size()).sum::<usize>(),
            _ => 1,
        }
    }

    /// Calls `found` with each part that is not known.
    pub(crate) fn each_unknown<'n>(&'n self, found: &mut dyn FnMut(&'n Place, &'n str)) {
        match &self.data {
            Data::Unknown(what) => found(&self.place, what),
            Data::List(items) => items.iter().for_each(|item| item.each_unknown(found)),
            Data::Object(members) => {
                members
                    .iter()
                    .for_each(|(_, node)| node.each_unknown(found));
            }
            _ => {}
        }
    }
}

fn convert(value: &Value, file: &Arc<str>, at: &mut String, depth: usize) -> Node {
    let place = Place {
        file: file.clone(),
        spot: Spot::Pointer(at.clone()),
    };
    if depth > MAX_DEPTH {
        return Node::unknown("a value that is nested too deeply", place);
    }
    let outer = at.len();
    let data = match value {
        Value::Null => Data::Null,
        Value::Bool(bool) => Data::Bool(*bool),
        Value::Number(number) => Data::Number(number.to_string()),
        Value::String(text) => Data::Text(text.clone()),
        Value::Array(items) => {
            let items = items.iter().enumerate().map(|(i, item)| {
                pointer::push_item(at, i);
                let node = convert(item, file, at, depth + 1);
                at.truncate(outer);
                node
            });
            Data::List(items.collect())
        }
        Value::Object(members) => {
            let members = members.iter().map(|(key, member)| {
                pointer::push(at, key);
                let node = convert(member, file, at, depth + 1);
                at.truncate(outer);
                (key.clone(), node)
            });
            Data::Object(members.collect())
        }
    };
    Node { data, place }
}
