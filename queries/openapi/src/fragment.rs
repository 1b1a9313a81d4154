//! The part of a document that one page is about, as a document of its own: what is documented, with the parts that it
//! reaches.
//!
//! References, names of discriminators and children of a base are followed by the functions that pages follow them by, so
//! that a page and its fragment never disagree about what belongs to an operation.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, VecDeque};

use serde_json::{Map, Value, json};

use super::channel;
use super::document::Document;
use super::index::OTHERS;
use super::operation::path_items;
use super::reference::{Target, mapped, resolve};
use super::resource::Resource;
use super::slice::{has_free_names, is_data};
use base::data::pointer::{child, item, segments};

/// Members of an operation about its rendering, which its page has already applied.
const DRAWN: &[&str] = &[
    "x-docs",
    "x-mint",
    "x-codeSamples",
    "x-code-samples",
    "x-readme",
];

/// Members of a document whose members, and theirs, are known to be maps.
const CUT: &[&str] = &["paths", "webhooks", "channels", "operations", "components"];

/// Deepest chain of bases and of references to a channel that is followed.
const MAX_CHAIN: usize = 16;

/// A part of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fragment {
    /// Subject and the parts that it reaches, each at its place in the document.
    pub value: Value,
    /// Pointers of the parts that it reaches and that there is no room for.
    pub omitted: Vec<String>,
}

/// Capacity of a fragment for the parts that are reached.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Bytes, as JSON.
    pub bytes: usize,
    /// Bytes that the roots of parameters and of the request body may have beyond that: without them no request can be
    /// written.
    pub request: usize,
}

impl Room {
    /// Room for nothing but what is documented.
    pub const NONE: Self = Self {
        bytes: 0,
        request: 0,
    };
    /// Room in the Markdown of a page.
    pub const TWIN: Self = Self {
        bytes: 16 * 1024,
        request: 48 * 1024,
    };
    /// Room in the Markdown of a page among that of all pages; where there is more, a note at the
    /// end says so once.
    pub const WITHIN: Self = Self {
        bytes: 4 * 1024,
        request: 0,
    };
    /// Room in the answer to a request for one operation.
    pub const ANSWER: Self = Self {
        bytes: 48 * 1024,
        request: 48 * 1024,
    };
}

/// Reason for which a part is reached. What comes last is left out first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    /// The request: parameters, body, credentials.
    Request,
    /// Content of successful responses.
    Success,
    /// Everything else.
    Other,
}

/// Reference to a part.
#[derive(Clone, Debug)]
struct Edge {
    /// Pointer to the part.
    pointer: String,
    /// Whether values of it are values of the part that names it: a base that a component extends brings none of its other
    /// children.
    is_used: bool,
}

/// A value whose edges begin a fragment.
struct Start<'d> {
    need: Need,
    pointer: String,
    value: &'d Value,
}

/// Returns the fragment of the operation, the webhook or the channel at `pointer`, if it exists.
///
/// What an operation inherits is written out: the `security` of the document, parameters and servers of its path.
pub fn operation_fragment<'d>(
    document: &dyn Document<'d>,
    pointer: &str,
    room: Room,
) -> Option<Fragment> {
    if let Some(name) = channel::name_of(pointer) {
        return channel_fragment(document, pointer, &name, room);
    }
    let (own_item, method) = pointer.rsplit_once('/')?;
    let method = segments(&format!("/{method}")).next()?;
    let mut names = segments(own_item);
    let (kind, path) = (names.next()?, names.next()?);
    let is_webhook = kind == "webhooks";
    let items = path_items(document, own_item);
    let member = |key: &str| {
        let mut found = items.iter().map(|at| child(at, key));
        found.find_map(|at| Some((document.value(&at)?, at)))
    };
    let other = || {
        let (_, others) = member(OTHERS)?;
        let at = child(&others, &method);
        Some((document.value(&at)?, at))
    };
    let named = member(&method);
    let is_other = named.is_none();
    let (operation, at) = named.or_else(other)?;
    let operation = operation.as_object()?;

    let mut starts = Vec::new();
    let mut shared = Map::new();
    for key in ["parameters", "servers"] {
        let Some((value, at)) = member(key) else {
            continue;
        };
        if key == "servers" && (is_webhook || operation.contains_key(key)) {
            continue;
        }
        shared.insert(key.to_owned(), value.clone());
        starts.push(Start {
            need: Need::Request,
            pointer: at,
            value,
        });
    }
    let inherited = match is_webhook || operation.contains_key("security") {
        true => None,
        false => document.value("/security"),
    };
    for (key, value) in operation {
        let at = child(&at, key);
        let need = match key.as_str() {
            "parameters" | "requestBody" => Need::Request,
            "responses" => {
                starts.extend(responses(value, &at));
                continue;
            }
            "callbacks" => {
                let callbacks = value.as_object().into_iter().flatten();
                starts.extend(callbacks.map(|(name, value)| Start {
                    need: Need::Other,
                    pointer: child(&at, name),
                    value,
                }));
                continue;
            }
            key if is_data(key, value) => continue,
            _ => Need::Other,
        };
        starts.push(Start {
            need,
            pointer: at,
            value,
        });
    }
    let own = own_members(operation, inherited);
    let schemes = schemes(own.get("security"));
    let has_servers = own.contains_key("servers") || shared.contains_key("servers");

    match is_other {
        true => shared.insert(OTHERS.to_owned(), json!({ method: own })),
        false => shared.insert(method, Value::Object(own)),
    };
    let mut top = Map::new();
    if !has_servers
        && !is_webhook
        && let Some(servers) = document.value("/servers")
    {
        top.insert("servers".to_owned(), servers.clone());
    }
    let mut paths = Map::new();
    paths.insert(path, Value::Object(shared));
    top.insert(kind, Value::Object(paths));
    Some(reached(document, top, schemes, &starts, &at, room))
}

/// The fragment of a channel: itself, the operations on it, the servers, and the parts that these reach.
fn channel_fragment<'d>(
    document: &dyn Document<'d>,
    pointer: &str,
    name: &str,
    room: Room,
) -> Option<Fragment> {
    let mut at = pointer.to_owned();
    for _ in 0..MAX_CHAIN {
        match channel::target(document.value(&at)?) {
            Some(next) => at = next,
            None => break,
        }
    }
    let value = document.value(&at)?;
    let mut starts = Vec::new();
    let start = |pointer: &str, value: &'d Value| Start {
        need: Need::Request,
        pointer: pointer.to_owned(),
        value,
    };
    let mut operations = Map::new();
    let mut operation_pointers = document.channel_operations(pointer);
    if at != pointer {
        operation_pointers.extend(document.channel_operations(&at));
    }
    for operation in operation_pointers {
        let Some(value) = document.value(&operation) else {
            continue;
        };
        starts.push(start(&operation, value));
        let name = segments(&operation).last();
        operations.extend(name.zip(Some(without_drawn(value))));
    }
    starts.push(start(&at, value));
    let mut top = Map::new();
    if let Some(servers) = document.value("/servers") {
        starts.push(start("/servers", servers));
        top.insert("servers".to_owned(), servers.clone());
    }
    top.insert("channels".to_owned(), json!({ name: without_drawn(value) }));
    if !operations.is_empty() {
        top.insert("operations".to_owned(), Value::Object(operations));
    }
    Some(reached(document, top, Vec::new(), &starts, &at, room))
}

/// Returns the fragment of a component, such as a data model, if it exists.
pub fn component_fragment<'d>(
    document: &dyn Document<'d>,
    pointer: &str,
    room: Room,
) -> Option<Fragment> {
    let value = document.value(pointer)?;
    let mut top = Map::new();
    put(&mut top, pointer, value.clone());
    let start = Start {
        need: Need::Request,
        pointer: pointer.to_owned(),
        value,
    };
    Some(reached(document, top, Vec::new(), &[start], pointer, room))
}

/// The pointers of the parts that the parts at `starts` reach, these among them, in their order.
pub fn reached_from(document: &dyn Document<'_>, starts: BTreeSet<String>) -> BTreeSet<String> {
    let mut open: Vec<Edge> = starts.into_iter().map(used).collect();
    let mut seen = HashMap::new();
    while let Some(edge) = open.pop() {
        let Some(value) = document.value(&edge.pointer) else {
            continue;
        };
        if is_new(&mut seen, &edge) {
            open.extend(edges(document, value, &edge.pointer, edge.is_used));
        }
    }
    seen.into_keys().collect::<BTreeSet<String>>()
}

/// The pointers of the parts that the part at `pointer` names itself.
pub fn named_by(document: &dyn Document<'_>, pointer: &str) -> Vec<String> {
    let Some(value) = document.value(pointer) else {
        return Vec::new();
    };
    let mut seen = BTreeSet::from([pointer.to_owned()]);
    let edges = edges(document, value, pointer, true).into_iter();
    let pointers = edges.map(|edge| edge.pointer);
    pointers
        .filter(|pointer| seen.insert(pointer.clone()))
        .collect()
}

/// Fills `top` with the parts that `starts` and `schemes` reach. The value at `own` is in it.
fn reached<'d>(
    document: &dyn Document<'d>,
    top: Map<String, Value>,
    schemes: Vec<String>,
    starts: &[Start<'d>],
    own: &str,
    room: Room,
) -> Fragment {
    let mut value = top;
    let mut seen = HashMap::new();
    let mut omitted = Vec::new();
    let mut parts = Map::new();
    let (mut free, mut extra) = (room.bytes, room.request);
    for need in [Need::Request, Need::Success, Need::Other] {
        let mut open: VecDeque<(Edge, bool)> = VecDeque::new();
        if need == Need::Request {
            open.extend(schemes.iter().map(|at| (used(at.clone()), true)));
        }
        for start in starts.iter().filter(|start| start.need == need) {
            let edges = edges(document, start.value, &start.pointer, true).into_iter();
            open.extend(edges.map(|edge| (edge, need == Need::Request)));
        }
        while let Some((edge, is_root)) = open.pop_front() {
            let pointer = &edge.pointer;
            let is_own = pointer == own || pointer.starts_with(&format!("{own}/"));
            let Some(part) = document.value(pointer).filter(|_| !is_own) else {
                continue;
            };
            let was_met = seen.contains_key(pointer);
            if !is_new(&mut seen, &edge) {
                continue;
            }
            if was_met {
                // A base that is now used itself: its children come in addition.
                if !omitted.contains(pointer) {
                    let more = edges(document, part, pointer, true).into_iter();
                    open.extend(more.map(|edge| (edge, false)));
                }
                continue;
            }
            let size = part.to_string().len();
            if size <= free {
                free -= size;
            } else if is_root && size <= extra {
                extra -= size;
            } else {
                omitted.push(pointer.clone());
                continue;
            }
            // The root of a body that is a component itself is what that holds.
            let is_root = is_root && !pointer.starts_with("/components/schemas/");
            let more = edges(document, part, pointer, edge.is_used).into_iter();
            open.extend(more.map(|edge| (edge, is_root)));
            put(&mut parts, pointer, part.clone());
        }
    }
    for (key, inner) in parts {
        // The subject itself may be in the same section as its parts.
        match value.get_mut(&key) {
            Some(own) => merge(own, inner),
            None => {
                value.insert(key, inner);
            }
        }
    }
    Fragment {
        value: Value::Object(value),
        omitted,
    }
}

fn used(pointer: String) -> Edge {
    Edge {
        pointer,
        is_used: true,
    }
}

/// Notes that a part was reached; returns whether it has edges that were not followed.
fn is_new(seen: &mut HashMap<String, bool>, edge: &Edge) -> bool {
    match seen.get_mut(&edge.pointer) {
        Some(is_used) if *is_used || !edge.is_used => false,
        Some(is_used) => {
            *is_used = true;
            true
        }
        None => {
            seen.insert(edge.pointer.clone(), edge.is_used);
            true
        }
    }
}

/// The responses of an operation, each by itself.
fn responses<'d>(responses: &'d Value, pointer: &str) -> Vec<Start<'d>> {
    let responses = responses.as_object().into_iter().flatten();
    let is_success = |status: &str| status.starts_with('2');
    let has_success = responses.clone().any(|(status, _)| is_success(status));
    let starts = responses.map(|(status, value)| Start {
        need: match is_success(status) || (!has_success && status == "default") {
            true => Need::Success,
            false => Need::Other,
        },
        pointer: child(pointer, status),
        value,
    });
    starts.collect()
}

/// Returns the members of an operation without those about its rendering, with inherited ones.
fn own_members(operation: &Map<String, Value>, inherited: Option<&Value>) -> Map<String, Value> {
    let mut own = Map::new();
    let mut inherited = inherited.filter(|value| value.is_array());
    for (key, value) in operation {
        if DRAWN.contains(&key.as_str()) {
            continue;
        }
        // Before what is long.
        if matches!(
            key.as_str(),
            "parameters" | "requestBody" | "responses" | "callbacks"
        ) && let Some(security) = inherited.take()
        {
            own.insert("security".to_owned(), security.clone());
        }
        own.insert(key.clone(), value.clone());
    }
    if let Some(security) = inherited {
        own.insert("security".to_owned(), security.clone());
    }
    own
}

fn without_drawn(value: &Value) -> Value {
    let mut value = value.clone();
    if let Value::Object(members) = &mut value {
        members.retain(|name, _| !DRAWN.contains(&name.as_str()));
    }
    value
}

/// The pointers of the security schemes that requirements name, each once.
fn schemes(security: Option<&Value>) -> Vec<String> {
    let mut schemes = Vec::new();
    for alternative in security.and_then(Value::as_array).into_iter().flatten() {
        for name in alternative.as_object().into_iter().flat_map(Map::keys) {
            let at = child("/components/securitySchemes", name);
            if !schemes.contains(&at) {
                schemes.push(at);
            }
        }
    }
    schemes
}

/// Returns the parts that `value` at `pointer` names: by references, by discriminators, and as its
/// children.
fn edges(document: &dyn Document<'_>, value: &Value, pointer: &str, is_used: bool) -> Vec<Edge> {
    let mut found = Edges {
        document,
        is_used,
        edges: Vec::new(),
        top: pointer.to_owned(),
    };
    if is_schema(pointer) && is_used && inherits_discriminator(document, value, 0) {
        found.children(pointer);
    }
    found.walk(value, &mut pointer.to_owned(), false, None);
    found.edges
}

/// Returns true if a component is a schema.
fn is_schema(pointer: &str) -> bool {
    let name = pointer.strip_prefix("/components/schemas/");
    name.is_some_and(|name| !name.contains('/'))
}

/// Returns true if a base of the component `value` has a discriminator, so that its values may be
/// those of its children.
fn inherits_discriminator(document: &dyn Document<'_>, value: &Value, depth: usize) -> bool {
    let bases = value.get("allOf").and_then(Value::as_array);
    // A component that extends an alias extends its target.
    let bases = bases.into_iter().flatten().chain([value]);
    let mut references = bases.filter_map(|base| base.get("$ref")?.as_str());
    depth < MAX_CHAIN
        && references.any(|reference| {
            let Target::Found(pointer) = resolve(document, reference) else {
                return false;
            };
            let Some(base) = document.value(&pointer) else {
                return false;
            };
            base.get("discriminator").is_some_and(Value::is_object)
                || inherits_discriminator(document, base, depth + 1)
        })
}

struct Edges<'a, 'd> {
    document: &'a dyn Document<'d>,
    is_used: bool,
    edges: Vec<Edge>,
    /// Pointer where the walk begins.
    top: String,
}

impl Edges<'_, '_> {
    fn walk(
        &mut self,
        value: &Value,
        pointer: &mut String,
        is_named: bool,
        enclosing: Option<&Resource>,
    ) {
        match value {
            Value::Object(members) => {
                let own = match is_named {
                    true => None,
                    false => Resource::identified(members, pointer, enclosing),
                };
                let enclosing = own.as_ref().or(enclosing);
                // A text among free names can only be meant as a reference, too.
                self.references(members, pointer, enclosing);
                if !is_named {
                    self.discriminator(members, pointer);
                }
                for (key, member) in members {
                    if (!is_named && is_data(key, member))
                        || !(member.is_object() || member.is_array())
                    {
                        continue;
                    }
                    let length = pointer.len();
                    *pointer = child(pointer, key);
                    self.walk(member, pointer, has_free_names(key) && !is_named, enclosing);
                    pointer.truncate(length);
                }
            }
            Value::Array(items) => {
                for (index, inner) in items.iter().enumerate() {
                    let length = pointer.len();
                    *pointer = item(pointer, index);
                    self.walk(inner, pointer, false, enclosing);
                    pointer.truncate(length);
                }
            }
            _ => {}
        }
    }

    fn references(
        &mut self,
        members: &Map<String, Value>,
        pointer: &str,
        enclosing: Option<&Resource>,
    ) {
        for key in ["$ref", "$dynamicRef"] {
            let Some(Value::String(reference)) = members.get(key) else {
                continue;
            };
            let reference = match enclosing {
                Some(enclosing) => Cow::Owned(enclosing.reference(reference)),
                None => Cow::Borrowed(reference),
            };
            if let Target::Found(target) = resolve(self.document, &reference) {
                // What a component extends is its base, and not what its values are.
                let is_base = is_schema(&self.top)
                    && pointer
                        .strip_prefix(&self.top)
                        .is_some_and(|rest| match rest.is_empty() {
                            // An alias of a base is a base.
                            true => !self.is_used,
                            false => {
                                rest.starts_with("/allOf/")
                                    && rest.matches('/').count() == 2
                                    && (!self.is_used || self.is_extension())
                            }
                        });
                self.add(&target, !is_base);
            }
        }
    }

    fn discriminator(&mut self, members: &Map<String, Value>, pointer: &str) {
        let Some(Value::Object(discriminator)) = members.get("discriminator") else {
            return;
        };
        let has_union = ["oneOf", "anyOf"]
            .iter()
            .any(|key| members.get(*key).is_some_and(Value::is_array));
        if !has_union && !self.is_used && pointer == self.top {
            return;
        }
        let mapping = discriminator.get("mapping").and_then(Value::as_object);
        let targets = mapping.into_iter().flat_map(Map::values);
        for target in targets.chain(discriminator.get("defaultMapping")) {
            let target = target.as_str();
            if let Some(target) = target.and_then(|target| mapped(self.document, target)) {
                self.add(&target, true);
            }
        }
        if !has_union {
            self.children(pointer);
        }
    }

    /// Returns true if the current component is more than another name of one schema.
    fn is_extension(&self) -> bool {
        let value = self.document.value(&self.top);
        let members = value.and_then(Value::as_object);
        members.is_some_and(|members| {
            let all = members.get("allOf").and_then(Value::as_array);
            let says = |key: &str| members.contains_key(key);
            all.is_some_and(|all| all.len() > 1) || says("properties") || says("required")
        })
    }

    /// Adds the components that extend the schema at `pointer`.
    fn children(&mut self, pointer: &str) {
        for subtype in self.document.subtypes(pointer) {
            self.add(&subtype, true);
        }
    }

    fn add(&mut self, target: &str, is_used: bool) {
        let pointer = self.part_around(target);
        let is_known = |edge: &Edge| edge.pointer == pointer && (edge.is_used || !is_used);
        if !self.edges.iter().any(is_known) {
            self.edges.push(Edge { pointer, is_used });
        }
    }

    /// Returns the pointer of the part that contains the value at `pointer`: a component, or the
    /// target of the reference; where that is in a list the list, as items of a list have no place
    /// without those before them.
    fn part_around(&self, pointer: &str) -> String {
        let names: Vec<String> = segments(pointer).collect();
        let mut at = String::new();
        for (depth, name) in names.iter().enumerate() {
            at = child(&at, name);
            if depth == 2 && names[0] == "components" {
                return at;
            }
            // What holds operations and the like is cut, and no list: to ask for it would be a read for nothing.
            let is_cut = depth < 2 && CUT.contains(&names[0].as_str());
            if depth + 1 < names.len()
                && !is_cut
                && self.document.value(&at).is_some_and(Value::is_array)
            {
                return at;
            }
        }
        at
    }
}

/// Puts `value` at `pointer` below `members`.
pub fn put(members: &mut Map<String, Value>, pointer: &str, value: Value) {
    let names: Vec<String> = segments(pointer).collect();
    let Some((last, above)) = names.split_last() else {
        return;
    };
    let mut at = members;
    for name in above {
        let below = at
            .entry(name.clone())
            .or_insert_with(|| Value::Object(Map::new()));
        let Value::Object(below) = below else {
            return;
        };
        at = below;
    }
    at.insert(last.clone(), value);
}

/// Adds the members of `more` to `value`; what is there stays.
fn merge(value: &mut Value, more: Value) {
    let (Value::Object(members), Value::Object(more)) = (value, more) else {
        return;
    };
    for (key, inner) in more {
        match members.get_mut(&key) {
            Some(own) => merge(own, inner),
            None => {
                members.insert(key, inner);
            }
        }
    }
}
