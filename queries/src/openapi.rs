//! Specifications, of OpenAPI and of AsyncAPI: what a document holds, as small facts that stand between it and its readers.
//!
//! The shell cuts a document into slices (`base/src/data/split.rs`) and sets one input for each.
//! Nothing here reads a document as a whole: a query that needs the value at a pointer reads that
//! pointer ([`value_at`]), and salsa records the slice it is in. An edit of one operation wakes its
//! own page; an edit of a shared schema the pages that reach it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

use serde_json::Value;

use crate::db::Db;
use crate::inputs::{Site, Spec, SpecSlice};
use crate::store::Kind;
use crate::trace::{Subject, cached_fact};
use base::content::ContentHash;
use base::data::{json, pointer};
use base::diagnostic::Diagnostic;
use base::path::SitePath;
use config::SpecSource;
use openapi::index::{
    EntryKind, LabelOverrides, Method, OperationEntry, OperationIndex, OperationMeta, SchemaMeta,
    TagNames,
};
use openapi::introduction::{self, INTRODUCTION};
use openapi::version::Version;
use openapi::{channel, index, rules, slice};

mod check;

pub use check::spec_diagnostics;
pub use keys::{GeneratedPage, Operation, OperationPart, SpecNode};

mod keys {
    #![allow(missing_docs, reason = "salsa writes methods without documentation")]

    use super::Spec;

    /// A place in a specification, by its JSON pointer.
    ///
    /// Interned and never forgotten: a specification names a few thousand, and a handle that outlives a revision can stand
    /// in the addresses that the shell publishes.
    #[salsa::interned(unsafe(no_lifetime), debug, revisions = usize::MAX)]
    pub struct SpecNode {
        #[returns(copy)]
        pub spec: Spec,
        /// The pointer (RFC 6901).
        #[returns(ref)]
        pub pointer: String,
    }

    /// A page that is made of an operation.
    #[salsa::interned(unsafe(no_lifetime), debug, revisions = usize::MAX)]
    pub struct GeneratedPage {
        #[returns(copy)]
        pub operation: Operation,
        /// The folder of the page as the configuration has it: an operation that is listed below two has two pages.
        #[returns(ref)]
        pub directory: String,
    }

    /// An operation or a webhook, by the path and method under which the document lists it
    /// (`/paths/~1users~1{id}/get`), whether it stands there or behind a reference; or a channel (`/channels/chat`); or the
    /// document as a whole (`/info`), which the page is about that opens its reference; or a data model that has a page
    /// (`/components/schemas/Ticket`).
    #[salsa::interned(unsafe(no_lifetime), debug, revisions = usize::MAX)]
    pub struct Operation {
        #[returns(copy)]
        pub spec: Spec,
        /// The pointer (RFC 6901).
        #[returns(ref)]
        pub key: String,
    }

    /// A part of the operations of a specification: those from number `64 × part` on.
    #[salsa::interned(debug, revisions = usize::MAX)]
    pub struct OperationPart<'db> {
        #[returns(copy)]
        pub spec: Spec,
        #[returns(copy)]
        pub part: usize,
    }
}

/// What a slice holds.
///
/// Read by its projections and by the pages that reach it. Wakes when the bytes of the slice change; a change of white
/// space goes no further. Evicted when many others were asked for since: a document of 13 MB is 52 MB as values.
#[salsa::tracked(lru = 512)]
pub fn slice_value(db: &dyn Db, slice: SpecSlice) -> Value {
    json::spelled(&db.bytes(slice.digest(db)))
}

/// Sets how many values of slices are kept.
pub fn set_cache_capacity(db: &mut dyn Db, capacity: usize) {
    slice_value::set_lru_capacity(db, capacity);
}

/// The slices of a specification by their pointers. Wakes when one appears or vanishes.
#[salsa::tracked]
pub fn slices_by_key(db: &dyn Db, spec: Spec) -> HashMap<String, SpecSlice> {
    let slices = spec.slices(db).iter();
    slices
        .map(|slice| (slice.key(db).to_string(), *slice))
        .collect()
}

/// The slice at exactly this pointer. A query of its own, so that a slice that appears elsewhere
/// wakes no reader.
#[salsa::tracked(returns(copy))]
pub fn slice_named(db: &dyn Db, node: SpecNode) -> Option<SpecSlice> {
    slices_by_key(db, node.spec(db))
        .get(node.pointer(db))
        .copied()
}

/// A digest of what a slice holds: that of its JSON without the white space between its parts.
///
/// Read by what is kept of a slice or of a page that reaches it. Wakes when the bytes of the slice change; a change of
/// white space goes no further.
#[salsa::tracked(returns(copy))]
pub fn slice_digest(db: &dyn Db, slice: SpecSlice) -> ContentHash {
    json::compact_digest(&db.bytes(slice.digest(db)))
}

/// End positions of the pieces of `pointer` at which there may be a slice.
fn slice_ends(pointer: &str) -> Vec<usize> {
    let depth = match pointer::segments(pointer).next().as_deref() {
        Some("paths" | "webhooks" | "components") => 3,
        Some("channels" | "operations") => 2,
        _ => 1,
    };
    let ends = pointer.match_indices('/').map(|(at, _)| at).skip(1);
    ends.chain([pointer.len()]).take(depth).collect()
}

/// The part of `pointer` that tells in which slice it is.
pub fn slice_pointer(pointer: &str) -> &str {
    let end = slice_ends(pointer).pop();
    end.map_or(pointer, |end| &pointer[..end])
}

/// The slice that holds what stands at `pointer`, and the pointer from there.
pub fn slice_around<'p>(db: &dyn Db, spec: Spec, pointer: &'p str) -> Option<(SpecSlice, &'p str)> {
    slice_ends(pointer).into_iter().rev().find_map(|end| {
        let node = SpecNode::new(db, spec, pointer[..end].to_owned());
        Some((slice_named(db, node)?, &pointer[end..]))
    })
}

/// The value at the decoded pointer `pointer` of `spec`; `None` if nothing is there, or only a container that is cut into
/// slices. The reader wakes with the slice that holds it.
pub fn value_at<'db>(db: &'db dyn Db, spec: Spec, pointer: &str) -> Option<&'db Value> {
    let (slice, rest) = slice_around(db, spec, pointer)?;
    slice_value(db, slice).pointer(rest)
}

/// What lists, routes and sidebars say about the operation that a slice holds. Read by the index of its specification; words
/// of a description must not wake that.
///
/// It reads the slice itself and no value of it: the index asks thousands, and after a first edit of one looks at them all.
#[salsa::tracked]
pub fn slice_meta(db: &dyn Db, slice: SpecSlice) -> OperationMeta {
    let digest = slice.digest(db);
    cached_fact(
        db,
        Kind::OperationMeta,
        Subject::of_text(&[], digest),
        || OperationMeta::read_text(&db.bytes(digest)),
    )
}

/// Metadata for lists of an operation that a reference leads to, within a slice or outside of all
/// of them.
#[salsa::tracked]
fn distant_meta(db: &dyn Db, node: SpecNode) -> OperationMeta {
    let value = value_at(db, node.spec(db), node.pointer(db));
    value.map_or_else(OperationMeta::default, OperationMeta::read)
}

/// Metadata for lists of the channel at a place: title, tags, protocols. Read by the index of its
/// document; words of a description, messages and operations must not wake that.
#[salsa::tracked]
fn channel_meta(db: &dyn Db, node: SpecNode) -> OperationMeta {
    let value = |pointer: &str| value_at(db, node.spec(db), pointer);
    value(node.pointer(db)).map_or_else(OperationMeta::default, |channel| {
        channel::meta(channel, &value)
    })
}

/// Pointer prefix of the data models of a document.
const MODELS: &str = "/components/schemas/";

/// Returns true if a pointer of a specification is that of a data model that a page can be about.
pub fn is_model(pointer: &str) -> bool {
    let name = pointer.strip_prefix(MODELS);
    name.is_some_and(|name| !name.contains('/'))
}

/// What lists say about the generated page of a data model: its title, else its name. Stands between the schema and the lists;
/// words of a description must not wake these.
#[salsa::tracked]
fn model_meta(db: &dyn Db, node: SpecNode) -> OperationMeta {
    let schema = schema_meta(db, node);
    let name = || pointer::segments(node.pointer(db)).last();
    OperationMeta {
        deprecated: schema.deprecated,
        label: LabelOverrides {
            title: schema.title.clone().or_else(name),
            hide_api_marker: Some(true),
            ..LabelOverrides::default()
        },
        ..OperationMeta::default()
    }
}

/// The data models of a specification, as lists have them, in the order of the document. Read by the navigation of sites that
/// want a page of each; wakes when one appears, vanishes or gets another title.
#[salsa::tracked]
pub fn spec_models(db: &dyn Db, spec: Spec) -> Arc<Vec<OperationEntry>> {
    if is_asyncapi(db, spec) || !is_readable(db, spec) {
        return Arc::default();
    }
    let keys = spec.slices(db).iter().map(|slice| slice.key(db));
    let models = keys.filter(|key| is_model(key)).map(|key| {
        let node = SpecNode::new(db, spec, key.to_string());
        OperationEntry {
            key: key.to_string(),
            at: key.to_string(),
            kind: EntryKind::Model,
            method: Method::Other(index::MODEL.into()),
            path: index::unescaped(&key[MODELS.len()..]),
            meta: model_meta(db, node).clone(),
        }
    });
    Arc::new(models.collect())
}

/// Returns true if a pointer of a specification is that of a channel.
fn is_channel(pointer: &str) -> bool {
    pointer.starts_with("/channels/") || pointer.starts_with("/components/channels/")
}

/// Metadata for lists of the page that opens the reference of a specification; `None` if no page
/// can. Read by the navigation; words of a description must not wake it.
#[salsa::tracked]
pub fn introduction_meta(db: &dyn Db, spec: Spec) -> Option<OperationMeta> {
    if !is_readable(db, spec) {
        return None;
    }
    Some(introduction::meta(value_at(db, spec, INTRODUCTION)))
}

/// Metadata for lists of the operation, channel, introduction or data model at a place.
pub fn operation_meta(db: &dyn Db, node: SpecNode) -> &OperationMeta {
    if node.pointer(db) == INTRODUCTION {
        static NOTHING: LazyLock<OperationMeta> = LazyLock::new(OperationMeta::default);
        return introduction_meta(db, node.spec(db))
            .as_ref()
            .unwrap_or(&NOTHING);
    }
    if is_model(node.pointer(db)) {
        return model_meta(db, node);
    }
    if is_channel(node.pointer(db)) {
        return channel_meta(db, node);
    }
    match slice_named(db, node) {
        Some(slice) => slice_meta(db, slice),
        None => distant_meta(db, node),
    }
}

/// Metadata for lists of a data model. Read by the title and the label of its page; words of a
/// description must not wake it.
#[salsa::tracked]
pub fn schema_meta(db: &dyn Db, node: SpecNode) -> SchemaMeta {
    let value = value_at(db, node.spec(db), node.pointer(db));
    value.map_or_else(SchemaMeta::default, SchemaMeta::read)
}

/// The tags of a specification, with the names their groups have.
#[salsa::tracked]
pub fn tag_names(db: &dyn Db, spec: Spec) -> TagNames {
    value_at(db, spec, "/tags").map_or_else(TagNames::default, TagNames::read)
}

/// Returns true if a specification is an AsyncAPI document. Read by lookups of specifications;
/// wakes when the document begins or ceases to be one.
#[salsa::tracked(returns(copy))]
pub fn is_asyncapi(db: &dyn Db, spec: Spec) -> bool {
    let member = |pointer: &str| slice_named(db, SpecNode::new(db, spec, pointer.to_owned()));
    member("/asyncapi").is_some() && member("/openapi").is_none()
}

/// The channel that the operation in a slice is about. Stands between the words of operations and the pages of channels.
#[salsa::tracked]
fn slice_channel(db: &dyn Db, slice: SpecSlice) -> Option<String> {
    channel::channel_of(slice_value(db, slice))
}

/// The operations on each channel of an AsyncAPI document, in the order of the document, by their pointers.
///
/// Wakes when an operation appears, vanishes or is about another channel.
#[salsa::tracked]
fn spec_channel_operations(db: &dyn Db, spec: Spec) -> BTreeMap<String, Vec<String>> {
    let mut operations = BTreeMap::<String, Vec<String>>::new();
    let slices = spec.slices(db).iter();
    for slice in slices.filter(|slice| slice.key(db).starts_with("/operations/")) {
        if let Some(channel) = slice_channel(db, *slice) {
            let of_channel = operations.entry(channel.clone()).or_default();
            of_channel.push(slice.key(db).to_string());
        }
    }
    operations
}

/// The operations on one channel. Stands between all of them and its page.
#[salsa::tracked]
pub fn channel_operations(db: &dyn Db, node: SpecNode) -> Vec<String> {
    let of_channel = spec_channel_operations(db, node.spec(db)).get(node.pointer(db));
    of_channel.cloned().unwrap_or_default()
}

/// The channels of an AsyncAPI document, in its order, each with the pointer that its references lead to.
fn channel_places(db: &dyn Db, spec: Spec) -> Vec<(String, Method, String)> {
    let method = Method::Other(index::CHANNEL.into());
    let keys = spec.slices(db).iter().map(|slice| slice.key(db));
    let channels = keys.filter(|key| key.starts_with("/channels/"));
    let placements = channels.filter_map(|key| {
        let mut at = key.to_string();
        // A chain of references ends, a ring of them is cut.
        for _ in 0..16 {
            let value = value_at(db, spec, &at)?;
            match channel::target(value) {
                Some(next) => at = next,
                None => {
                    return value
                        .is_object()
                        .then(|| (key.to_string(), method.clone(), at));
                }
            }
        }
        None
    });
    placements.collect()
}

/// The methods below each path and webhook, in the order of the document, with the pointer at which each stands; or its
/// channels.
///
/// Stands between the slices and the index: the index reads one projection of each operation.
#[salsa::tracked]
fn operation_places(db: &dyn Db, spec: Spec) -> OperationPlaces {
    let mut places: Vec<(String, Vec<(Method, String)>)> = Vec::new();
    if is_asyncapi(db, spec) {
        let places = match is_readable(db, spec) {
            true => channel_places(db, spec),
            false => Vec::new(),
        };
        return OperationPlaces::of(places);
    }
    if !is_readable(db, spec) {
        return OperationPlaces::default();
    }
    let is_before_31 = is_before_31(db, spec);
    for slice in spec.slices(db) {
        let key = slice.key(db);
        let mut parts = key.splitn(4, '/').skip(1);
        let (Some(kind @ ("paths" | "webhooks")), Some(name), member) =
            (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        if kind == "webhooks" && is_before_31 {
            continue;
        }
        let item = format!("/{kind}/{name}");
        if places.last().is_none_or(|(last, _)| *last != item) {
            places.push((item, Vec::new()));
        }
        let Some((_, methods)) = places.last_mut() else {
            continue;
        };
        match member {
            Some("$ref") => {
                let target = slice_value(db, *slice).as_str().unwrap_or_default();
                methods.extend(methods_behind(db, spec, target, 0));
            }
            Some(index::OTHERS) => {
                let others = Method::others(slice_value(db, *slice));
                for method in others {
                    let at = pointer::child(key, method.key());
                    methods.retain(|(known, _)| *known != method);
                    methods.push((method, at));
                }
            }
            Some(member) => {
                if let Some(method) = Method::of(member) {
                    // What stands beside a reference wins over what it leads to.
                    methods.retain(|(known, _)| *known != method);
                    methods.push((method, key.to_string()));
                }
            }
            None => {}
        }
    }
    let places = places.into_iter().flat_map(|(item, mut methods)| {
        methods.sort_by(|(one, _), (other, _)| one.cmp(other));
        methods
            .into_iter()
            .map(move |(method, at)| (item.clone(), method, at))
    });
    OperationPlaces::of(places.collect())
}

/// The key of what is listed below `item`: a channel is listed by itself, an operation by its method.
fn key_of(item: &str, method: &Method) -> String {
    match is_channel(item) {
        true => item.to_owned(),
        false => pointer::child(item, method.key()),
    }
}

/// Places of the operations of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct OperationPlaces {
    /// The path item, the method, and the pointer of the operation itself.
    places: Vec<(String, Method, String)>,
    /// Their numbers by key.
    by_key: HashMap<String, usize>,
}

impl OperationPlaces {
    fn of(places: Vec<(String, Method, String)>) -> Self {
        let keys = places.iter().enumerate().rev();
        let by_key = keys.map(|(i, (item, method, _))| (key_of(item, method), i));
        Self {
            by_key: by_key.collect(),
            places,
        }
    }
}

/// The methods of the path item that `reference` leads to.
fn methods_behind(db: &dyn Db, spec: Spec, reference: &str, depth: usize) -> Vec<(Method, String)> {
    let Some(item) = reference.strip_prefix('#') else {
        return Vec::new();
    };
    let item = slice::decode_fragment(item);
    // A chain of references ends, a ring of them is cut.
    if depth > 16 {
        return Vec::new();
    }
    if let Some(Value::Object(members)) = value_at(db, spec, &item) {
        if let Some(Value::String(next)) = members.get("$ref") {
            return methods_behind(db, spec, next, depth + 1);
        }
        let named = members.keys().filter_map(|name| Method::of(name));
        let named = named.map(|method| (pointer::child(&item, method.key()), method));
        let others = members.get(index::OTHERS).into_iter();
        let at = pointer::child(&item, index::OTHERS);
        let others = others.flat_map(Method::others);
        let others = others.map(|method| (pointer::child(&at, method.key()), method));
        return named
            .chain(others)
            .map(|(at, method)| (method, at))
            .collect();
    }
    let mut methods = Vec::new();
    let below = format!("{item}/");
    for slice in spec.slices(db) {
        let Some(member) = slice.key(db).strip_prefix(&below) else {
            continue;
        };
        if member == "$ref" {
            let next = slice_value(db, *slice).as_str().unwrap_or_default();
            methods.extend(methods_behind(db, spec, next, depth + 1));
        } else if member == index::OTHERS {
            let others = Method::others(slice_value(db, *slice));
            methods.extend(others.map(|method| {
                let at = pointer::child(slice.key(db), method.key());
                (method, at)
            }));
        } else if let Some(method) = Method::of(member) {
            methods.push((method, slice.key(db).to_string()));
        }
    }
    methods
}

/// Number of operations in a part of the index.
const PART: usize = 64;

/// Operations of one part. After an edit of one operation only its part is gone through.
#[salsa::tracked]
fn operation_part<'db>(db: &'db dyn Db, part: OperationPart<'db>) -> Arc<Vec<OperationEntry>> {
    let spec = part.spec(db);
    let places = operation_places(db, spec).places.iter();
    let slices = slices_by_key(db, spec);
    let places = places.skip(part.part(db) * PART).take(PART);
    let entries = places.map(|(item, method, at)| {
        let meta = match slices.get(at) {
            _ if is_channel(at) => channel_meta(db, SpecNode::new(db, spec, at.clone())),
            Some(slice) => slice_meta(db, *slice),
            None => distant_meta(db, SpecNode::new(db, spec, at.clone())),
        };
        let mut parts = item.splitn(3, '/').skip(1);
        let kind = match parts.next() {
            Some("webhooks") => EntryKind::Webhook,
            Some("channels") => EntryKind::Channel,
            _ => EntryKind::Operation,
        };
        let name = index::unescaped(parts.next().unwrap_or_default());
        OperationEntry {
            key: key_of(item, method),
            at: at.clone(),
            kind,
            method: method.clone(),
            path: name,
            meta: meta.clone(),
        }
    });
    Arc::new(entries.collect())
}

/// The operations and webhooks of a specification, or its channels: the firewall between it and the navigation. Wakes when one appears,
/// vanishes or is renamed; descriptions, parameters and schemas must not wake it.
#[salsa::tracked]
pub fn operation_index(db: &dyn Db, spec: Spec) -> Arc<OperationIndex> {
    let count = operation_places(db, spec).places.len().div_ceil(PART);
    let parts = (0..count).map(|part| {
        let part = OperationPart::new(db, spec, part);
        Arc::clone(operation_part(db, part))
    });
    Arc::new(OperationIndex {
        parts: parts.collect(),
        tags: tag_names(db, spec).clone(),
    })
}

/// Place of an operation in its document: its key, or the place that a reference leads to.
#[salsa::tracked]
pub fn operation_place(db: &dyn Db, operation: Operation) -> Option<String> {
    let all = operation_places(db, operation.spec(db));
    let place = *all.by_key.get(operation.key(db))?;
    all.places.get(place).map(|(_, _, at)| at.clone())
}

/// The operation whose `operationId` is the name that `node` holds in place of a pointer.
#[salsa::tracked(returns(copy))]
pub fn operation_named(db: &dyn Db, node: SpecNode) -> Option<Operation> {
    let spec = node.spec(db);
    let named = operation_index(db, spec)
        .entries()
        .find(|entry| entry.meta.id.as_ref() == Some(node.pointer(db)))?;
    Some(Operation::new(db, spec, named.key.clone()))
}

/// The specification that `name` means: its path or address, else, as authors shorten them, the end of its path, its name
/// without extension, a part of its path, a part of its name; of several the first in order of their paths.
#[salsa::tracked]
pub fn spec_paths(db: &dyn Db, site: Site) -> Vec<(String, Spec)> {
    let mut specs: Vec<(String, Spec)> = (site.specs(db).iter())
        .map(|spec| (spec.name(db).to_string(), *spec))
        .collect();
    specs.sort_by(|(a, _), (b, _)| a.cmp(b));
    specs
}

/// Returns true if a document is of OpenAPI 3.0, which has neither webhooks nor dialects.
fn is_before_31(db: &dyn Db, spec: Spec) -> bool {
    let version = value_at(db, spec, "/openapi").and_then(Value::as_str);
    version.and_then(Version::of) == Some(Version::V30)
}

/// Returns true if slices exist below a pointer.
fn has_members(db: &dyn Db, spec: Spec, pointer: &str) -> bool {
    let below = format!("{pointer}/");
    let mut slices = spec.slices(db).iter();
    slices.any(|slice| slice.key(db).starts_with(&below))
}

/// The operations that name each data model, in the order of the document: in themselves, or by a parameter, a request body,
/// a response or another component that they name and that is no schema.
///
/// Wakes when a reference appears or vanishes anywhere in the document.
#[salsa::tracked]
fn spec_users(db: &dyn Db, spec: Spec) -> BTreeMap<String, Vec<String>> {
    let mut targets: HashMap<&str, BTreeSet<String>> = HashMap::new();
    for slice in spec.slices(db) {
        let references = slice_references(db, *slice).iter();
        let named = references.filter_map(|(_, reference)| reference.strip_prefix('#'));
        targets.insert(slice.key(db), named.map(slice::decode_fragment).collect());
    }
    let mut users = BTreeMap::<String, Vec<String>>::new();
    for (item, method, at) in &operation_places(db, spec).places {
        let shared = pointer::child(item, "parameters");
        let mut open = vec![at.clone(), shared];
        let mut seen = BTreeSet::new();
        while let Some(key) = open.pop() {
            // What stands within a slice names what the slice names.
            let slice = slice_around(db, spec, &key).map(|(slice, _)| slice.key(db));
            let named = slice.and_then(|slice| targets.get(&**slice));
            for target in named.into_iter().flatten() {
                let is_schema = target.starts_with("/components/schemas/");
                if seen.insert(target.clone()) && !is_schema {
                    open.push(target.clone());
                }
            }
        }
        for target in seen {
            let of_target = users.entry(target).or_default();
            of_target.push(key_of(item, method));
        }
    }
    users.retain(|target, _| target.starts_with("/components/schemas/"));
    users
}

/// The operations that name one data model. Stands between all of them and its page.
#[salsa::tracked]
pub fn schema_users(db: &dyn Db, node: SpecNode) -> Vec<Operation> {
    let spec = node.spec(db);
    let users = spec_users(db, spec).get(node.pointer(db));
    let users = users.into_iter().flatten();
    users
        .map(|key| Operation::new(db, spec, key.clone()))
        .collect()
}

/// Diagnostics of the slice at a place, by itself. Wakes when it changes, or the version of the
/// document.
#[salsa::tracked]
fn slice_faults(db: &dyn Db, node: SpecNode) -> Vec<Diagnostic<String>> {
    let Some(slice) = slice_named(db, node) else {
        return Vec::new();
    };
    let (key, value) = (slice.key(db), slice_value(db, slice));
    if is_asyncapi(db, node.spec(db)) {
        return channel::faults(key, value);
    }
    let mut faults = rules::ignored(key, value);
    if let Some(edition) = spec_edition(db, node.spec(db)) {
        faults.extend(lint::slice_findings(edition, key, value));
    }
    faults
}

/// Facts about one slice for the rules of the document.
#[salsa::tracked]
fn slice_facts(db: &dyn Db, slice: SpecSlice) -> lint::document::Facts {
    lint::document::facts(slice.key(db), slice_value(db, slice))
}

/// The edition of OpenAPI that a document is of; `None` if its version cannot be read.
#[salsa::tracked(returns(copy))]
fn spec_edition(db: &dyn Db, spec: Spec) -> Option<lint::objects::Edition> {
    lint::objects::Edition::of(&version_text(db, spec)?)
}

/// The references of a slice, with their places.
#[salsa::tracked]
pub fn slice_references(db: &dyn Db, slice: SpecSlice) -> Vec<(String, String)> {
    rules::references_at(slice.key(db), slice_value(db, slice))
}

/// The names that schemas of a slice give themselves.
#[salsa::tracked]
fn slice_anchors(db: &dyn Db, slice: SpecSlice) -> slice::Anchors {
    slice::anchors_in(slice_value(db, slice), slice.key(db))
}

/// The names that schemas of a document give themselves. Asked for by references that are no pointers, which few
/// documents have.
#[salsa::tracked]
pub(crate) fn spec_anchors(db: &dyn Db, spec: Spec) -> slice::Anchors {
    let mut all = slice::Anchors::default();
    for slice in spec.slices(db) {
        let own = slice_anchors(db, *slice);
        for (name, pointer) in &own.anchors {
            all.anchors
                .entry(name.clone())
                .or_insert_with(|| pointer.clone());
        }
        for (id, pointer) in &own.ids {
            all.ids.entry(id.clone()).or_insert_with(|| pointer.clone());
        }
    }
    all
}

/// Returns true if a reference resolves: to a value, to a container that was split into slices, or
/// to the `$anchor` of a schema.
#[salsa::tracked(returns(copy))]
fn is_there(db: &dyn Db, node: SpecNode) -> bool {
    let (spec, pointer) = (node.spec(db), node.pointer(db));
    if pointer.is_empty() {
        return true;
    }
    if !pointer.starts_with('/') {
        let named = |slice: &SpecSlice| {
            let anchors = slice::anchors_in(slice_value(db, *slice), "");
            anchors.anchors.contains_key(pointer)
        };
        return spec.slices(db).iter().any(named);
    }
    value_at(db, spec, pointer).is_some() || has_members(db, spec, pointer)
}

/// Path parameters of an operation, or of a path item for all of its operations.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PathParameters {
    names: Vec<String>,
    /// Whether all of its parameters were read.
    is_whole: bool,
}

/// The names of the path parameters of an operation, or of those that a path item has for all of its operations.
#[salsa::tracked]
fn path_parameters(db: &dyn Db, node: SpecNode) -> PathParameters {
    let (spec, pointer) = (node.spec(db), node.pointer(db));
    let parameters = value_at(db, spec, &format!("{pointer}/parameters"));
    let parameters = parameters.and_then(Value::as_array).into_iter().flatten();
    let mut found = PathParameters {
        names: Vec::new(),
        is_whole: true,
    };
    for parameter in parameters {
        let parameter = match parameter.get("$ref") {
            Some(Value::String(reference)) => reference
                .strip_prefix('#')
                .and_then(|fragment| value_at(db, spec, &slice::decode_fragment(fragment))),
            _ => Some(parameter),
        };
        found.is_whole &= parameter.is_some();
        let of_path = parameter.filter(|one| one.get("in") == Some(&Value::from("path")));
        let name = of_path.and_then(|one| one.get("name")?.as_str());
        found.names.extend(name.map(str::to_owned));
    }
    found
}

/// Returns true if pages are made of a specification: not if its version is not supported.
fn is_readable(db: &dyn Db, spec: Spec) -> bool {
    let version = match is_asyncapi(db, spec) {
        true => text_at(db, spec, "/asyncapi"),
        false => version_text(db, spec),
    };
    version.is_some_and(|version| version.starts_with("3."))
}

/// The version of OpenAPI that a document says it is of; numbers as they are written.
fn version_text(db: &dyn Db, spec: Spec) -> Option<String> {
    text_at(db, spec, "/openapi")
}

/// The text at `pointer`; numbers as they are written.
fn text_at(db: &dyn Db, spec: Spec, pointer: &str) -> Option<String> {
    match value_at(db, spec, pointer)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The specification that the configuration means with `source`: that with its overlays, else the one of its path.
pub fn spec_of_source(db: &dyn Db, site: Site, source: &SpecSource) -> Option<Spec> {
    let path = source.path()?;
    let overlays = source.overlay_paths();
    let specs = || spec_paths(db, site).iter();
    let exact = specs().find(|(_, spec)| *spec.path(db) == path && *spec.overlays(db) == overlays);
    let named = || specs().find(|(name, _)| name == path.as_str());
    exact.or_else(named).map(|(_, spec)| *spec)
}

/// The specification that `name` means in the file `from`, see [`index::find_spec`].
pub fn spec_named(db: &dyn Db, site: Site, name: &str, from: Option<&SitePath>) -> Option<Spec> {
    let specs = spec_paths(db, site);
    let found = index::find_spec(name, from, specs.iter().map(|(path, _)| path.as_str()))?;
    specs.get(found).map(|(_, spec)| *spec)
}
