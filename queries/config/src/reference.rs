//! `$ref` between configuration files: one document out of many, that remembers where each of its nodes was written.
//!
//! Only whole objects of the form `{"$ref": "./x.json", …}` are replaced. How deep and how large the result may grow is
//! bounded, because a few small files that name each other twice would otherwise unfold without end.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use base::data::pointer;
use base::diagnostic::{Code, Diagnostic, Parsed};
use base::path::SitePath;
use base::place::{Part, Place};

/// Deepest nesting of the resolved document, and longest chain of references.
const MAX_DEPTH: usize = 128;
/// Maximum number of nodes of the resolved document.
const MAX_NODES: usize = 500_000;

/// A node of some file: the file and the pointer in it.
type Address = (SitePath, String);

/// Origin of a node of the resolved document.
#[derive(Clone, Debug)]
struct Origin {
    /// Address of its key.
    key: Address,
    /// Address of its value.
    value: Address,
}

/// A configuration with every reference replaced. Pointers into it are told apart from pointers into files: only
/// [`Document::place`] turns one into the other.
#[derive(Debug)]
pub struct Document {
    /// The value without references.
    pub value: Value,
    /// The nodes that were not written where their parent was; always holds the root.
    origins: BTreeMap<String, Origin>,
    /// The nodes whose reference could not be followed, which has been reported already.
    broken: BTreeSet<String>,
}

impl Document {
    /// A document without references, written in `path`.
    pub fn new(path: &SitePath, value: Value) -> Self {
        let root = (path.clone(), String::new());
        let origin = Origin {
            key: root.clone(),
            value: root,
        };
        Self {
            value,
            origins: BTreeMap::from([(String::new(), origin)]),
            broken: BTreeSet::new(),
        }
    }

    /// Place where the node at `at` was written.
    pub fn place(&self, at: &str, part: Part) -> Place {
        let (path, pointer) = self.address(at, part);
        Place::Pointer {
            path,
            pointer,
            part,
        }
    }

    /// Returns true if the node at `at` stands for a reference that could not be resolved.
    pub fn is_broken(&self, at: &str) -> bool {
        self.broken.contains(at)
    }

    /// Returns true if everything below the node at `at` was written where the node itself was, and
    /// could be read.
    pub fn is_whole(&self, at: &str) -> bool {
        let start = format!("{at}/");
        let origin = self.origins.range(start.clone()..).next();
        let broken = self.broken.range(start.clone()..).next();
        let is_below = |known: &String| known.starts_with(&start);
        !origin.is_some_and(|(known, _)| is_below(known)) && !broken.is_some_and(is_below)
    }

    /// Records that the node at `to` of this document is the node at `from` of `other`.
    pub fn adopt(&mut self, to: &str, other: &Self, from: &str) {
        let origin = Origin {
            key: other.address(from, Part::Key),
            value: other.address(from, Part::Value),
        };
        self.origins.insert(to.to_owned(), origin);
        for (at, origin) in other.origins.range(format!("{from}/")..) {
            let Some(rest) = suffix_after(at, from) else {
                break;
            };
            self.origins.insert(format!("{to}{rest}"), origin.clone());
        }
        let broken = other.broken.range(from.to_owned()..);
        let broken = broken.filter_map(|at| suffix_after(at, from));
        self.broken
            .extend(broken.map(|rest| format!("{to}{rest}")).collect::<Vec<_>>());
    }

    fn address(&self, at: &str, part: Part) -> Address {
        // Most configurations are one file.
        if let (1, false, Some(root)) = (self.origins.len(), at.is_empty(), self.origins.get("")) {
            let (path, pointer) = &root.value;
            return (path.clone(), format!("{pointer}{at}"));
        }
        let mut end = at.len();
        loop {
            if let Some(origin) = self.origins.get(&at[..end]) {
                let (path, pointer) = if end == at.len() && part == Part::Key {
                    &origin.key
                } else {
                    &origin.value
                };
                return (path.clone(), format!("{pointer}{}", &at[end..]));
            }
            // The root is always there, so a pointer that is no pointer ends here as well.
            end = at[..end].rfind('/').unwrap_or(0);
        }
    }

    /// Forgets what was known of the node at `at` and those below it.
    fn forget(&mut self, at: &str) {
        // What is below a node stands together in the order of pointers; the node itself may stand apart.
        let start = format!("{at}/");
        self.origins.remove(at);
        self.broken.remove(at);
        while let Some((known, _)) = self.origins.range(start.clone()..).next()
            && known.starts_with(&start)
        {
            let known = known.clone();
            self.origins.remove(&known);
        }
        while let Some(known) = self.broken.range(start.clone()..).next()
            && known.starts_with(&start)
        {
            let known = known.clone();
            self.broken.remove(&known);
        }
    }
}

/// Rest of `pointer` after `at`, if `pointer` is `at` or below it.
fn suffix_after<'a>(pointer: &'a str, at: &str) -> Option<&'a str> {
    let rest = pointer.strip_prefix(at)?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// Replaces every reference in `value`, the content of `path`. `load` reads a file of the site; `None` when there is no
/// such file.
pub fn resolve(
    path: &SitePath,
    value: Value,
    load: &mut dyn FnMut(&SitePath) -> Option<Parsed<Value>>,
) -> Parsed<Document> {
    let mut resolver = Resolver {
        document: Document::new(path, Value::Null),
        diagnostics: Vec::new(),
        files: BTreeMap::new(),
        stack: vec![(path.clone(), String::new())],
        nodes: 0,
        load,
    };
    let mut from = (path.clone(), String::new());
    let value = resolver.expand(value, &mut String::new(), &mut from, 0);
    resolver.document.value = value;
    Parsed {
        value: resolver.document,
        diagnostics: resolver.diagnostics,
    }
}

struct Resolver<'l> {
    document: Document,
    diagnostics: Vec<Diagnostic>,
    /// Each file that was asked for; `None` when there is none.
    files: BTreeMap<SitePath, Option<Value>>,
    /// The references that are being followed.
    stack: Vec<Address>,
    nodes: usize,
    load: &'l mut dyn FnMut(&SitePath) -> Option<Parsed<Value>>,
}

impl Resolver<'_> {
    /// Returns `value`, which was written at `from`, as it stands at `at` of the resolved document. Both pointers are as they
    /// were afterwards: nodes are many, references few.
    fn expand(&mut self, value: Value, at: &mut String, from: &mut Address, depth: usize) -> Value {
        self.nodes += 1;
        if depth > MAX_DEPTH || self.nodes > MAX_NODES {
            if self.nodes <= MAX_NODES + 1 {
                let message = "the configuration nests too deeply or is too large to be read";
                self.complain(Code::InvalidField, from, message.to_owned(), None);
            }
            self.document.broken.insert(at.clone());
            return Value::Null;
        }
        let above = (at.len(), from.1.len());
        let mut child = |value: Value, push: &dyn Fn(&mut String)| {
            // Nothing can be wrong with most of them, and nobody asks where they are.
            let is_leaf = !matches!(value, Value::Array(_) | Value::Object(_));
            if is_leaf && depth < MAX_DEPTH && self.nodes < MAX_NODES {
                self.nodes += 1;
                return value;
            }
            push(at);
            push(&mut from.1);
            let value = self.expand(value, at, from, depth + 1);
            at.truncate(above.0);
            from.1.truncate(above.1);
            value
        };
        match value {
            Value::Array(items) => {
                let items = items.into_iter().enumerate();
                let items = items.map(|(i, item)| child(item, &|at| pointer::push_item(at, i)));
                Value::Array(items.collect())
            }
            Value::Object(members) if members.contains_key("$ref") => {
                self.follow(members, at, from, depth)
            }
            Value::Object(mut members) => {
                for (key, member) in &mut members {
                    *member = child(member.take(), &|at| pointer::push(at, key));
                }
                Value::Object(members)
            }
            value => value,
        }
    }

    fn follow(
        &mut self,
        mut members: Map<String, Value>,
        at: &str,
        from: &Address,
        depth: usize,
    ) -> Value {
        let link = members.shift_remove("$ref").unwrap_or_default();
        let link_at = (from.0.clone(), pointer::child(&from.1, "$ref"));
        let Some((value, mut target)) = self.target(&link, &link_at) else {
            self.document.broken.insert(at.to_owned());
            return Value::Null;
        };
        self.document
            .origins
            .entry(at.to_owned())
            .or_insert_with(|| Origin {
                key: from.clone(),
                value: target.clone(),
            })
            .value = target.clone();
        self.stack.push(target.clone());
        let value = self.expand(value, &mut at.to_owned(), &mut target, depth + 1);
        self.stack.pop();
        // Siblings override the members of an object; beside an array they have no meaning.
        let Value::Object(mut merged) = value else {
            return value;
        };
        for (key, sibling) in members {
            let mut child = pointer::child(at, &key);
            let mut sibling_at = (from.0.clone(), pointer::child(&from.1, &key));
            self.document.forget(&child);
            let origin = Origin {
                key: sibling_at.clone(),
                value: sibling_at.clone(),
            };
            self.document.origins.insert(child.clone(), origin);
            let sibling = self.expand(sibling, &mut child, &mut sibling_at, depth + 1);
            merged.insert(key, sibling);
        }
        Value::Object(merged)
    }

    /// The value that `link` names and where it stands; otherwise the reason has been reported.
    fn target(&mut self, link: &Value, at: &Address) -> Option<(Value, Address)> {
        let Some(link) = link.as_str() else {
            let message = "`$ref` must be the path of a JSON file".to_owned();
            self.complain(Code::InvalidField, at, message, None);
            return None;
        };
        let (file, fragment) = link.split_once('#').unwrap_or((link, ""));
        let path = if file.is_empty() {
            Some(at.0.clone())
        } else {
            at.0.resolve(file)
        };
        let Some(path) = path.filter(|_| !link.contains("://")) else {
            let message = format!("`{link}` is not a file of this folder");
            let hint = "only files below the folder of the configuration can be referenced";
            self.complain(Code::MissingRef, at, message, Some(hint));
            return None;
        };
        let target = (path, fragment.trim_end_matches('/').to_owned());
        if self.stack.len() > MAX_DEPTH || self.stack.contains(&target) {
            let message = format!("`{link}` leads back to itself");
            let hint = "break the circle of `$ref`s";
            self.complain(Code::CyclicRef, at, message, Some(hint));
            return None;
        }
        if !self.files.contains_key(&target.0) {
            let loaded = (self.load)(&target.0).map(|parsed| {
                self.diagnostics.extend(parsed.diagnostics);
                parsed.value
            });
            self.files.insert(target.0.clone(), loaded);
        }
        let Some(value) = self.files.get(&target.0).and_then(Option::as_ref) else {
            let message = format!("there is no file `{}`", target.0);
            self.complain(Code::MissingRef, at, message, None);
            return None;
        };
        // A file that is not JSON has been reported when it was read.
        if value.is_null() && target.1.is_empty() {
            return None;
        }
        match value.pointer(&target.1).cloned() {
            Some(value) => Some((value, target)),
            None => {
                let message = format!("`{}` has nothing at `{}`", target.0, target.1);
                self.complain(Code::MissingRef, at, message, None);
                None
            }
        }
    }

    fn complain(&mut self, code: Code, at: &Address, message: String, hint: Option<&str>) {
        let place = Place::value(&at.0, at.1.clone());
        let diagnostic = Diagnostic::new(code, place, message);
        self.diagnostics.push(match hint {
            Some(hint) => diagnostic.hint(hint),
            None => diagnostic,
        });
    }
}
