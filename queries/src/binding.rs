//! Bindings of pages by their frontmatter: to an operation, a webhook, a channel or a data model of
//! a specification.

pub mod reference;

use std::collections::{HashMap, HashSet};

use self::reference::Bound;
use crate::config::api_config;
use crate::db::Db;
use crate::inputs::{Site, SourceFile, Spec};
use crate::navigation::{PageId, specs_in_scope};
use crate::openapi::{
    GeneratedPage, Operation, SpecNode, is_asyncapi, is_model, operation_index, slice_named,
    spec_named, spec_of_source, spec_paths,
};
use base::data::pointer;
use base::diagnostic::{Advice, Code, Diagnostic, Severity, near};
use base::place::Place;
use openapi::index::{EntryKind, find_spec};

/// What diagnostics begin with that find no specification: a name, or `with` and what is looked for, follows.
pub const NO_SPECIFICATION: &str = "there is no specification";
/// The same of AsyncAPI documents.
pub const NO_DOCUMENT: &str = "there is not an AsyncAPI document";

/// Result of a page's `openapi:`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binding {
    /// The page has none.
    None,
    /// An operation, a webhook or a channel.
    Operation(Operation),
    /// Nothing: what is wrong, and what to do.
    Unresolved(String, Option<Advice>),
}

/// An operation or a webhook of one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedOperation {
    /// The specification that has it.
    spec: Spec,
    /// Pointer below its path: `/paths/~1users/get`.
    key: String,
    /// Whether its path ends with a slash.
    has_slash: bool,
}

/// Lookup key of an operation: method, and path without the trailing slash.
fn operation_name(method: &str, path: &str) -> String {
    let path = match path.strip_suffix('/') {
        Some("") | None => path,
        Some(without) => without,
    };
    format!("{} {path}", method.to_ascii_lowercase())
}

/// Lookup key of a webhook: a word that is not a method, and the name.
fn webhook_name(name: &str) -> String {
    format!("webhook {name}")
}

/// Lookup key of a channel: another word that is not a method, and the name.
fn channel_name(name: &str) -> String {
    format!("channel {name}")
}

/// The operations of each name in all specifications, in order of the paths of those.
///
/// Read by the binding of each page. Stands between it and the lists of operations: wakes with the latter, and differs only
/// where an operation appears, vanishes or is renamed.
#[salsa::tracked]
pub fn named_operations(db: &dyn Db, site: Site) -> HashMap<String, Vec<NamedOperation>> {
    let mut operations_by_name: HashMap<String, Vec<NamedOperation>> = HashMap::new();
    for (_, spec) in spec_paths(db, site) {
        for entry in operation_index(db, *spec).entries() {
            let name = match entry.kind {
                EntryKind::Operation => operation_name(entry.method.key(), &entry.path),
                EntryKind::Webhook => webhook_name(&entry.path),
                EntryKind::Channel => channel_name(&entry.path),
                // No index has them.
                EntryKind::Introduction | EntryKind::Model => continue,
            };
            operations_by_name
                .entry(name)
                .or_default()
                .push(NamedOperation {
                    spec: *spec,
                    key: entry.key.clone(),
                    has_slash: entry.path.ends_with('/'),
                });
        }
    }
    operations_by_name
}

/// The operation that the `openapi:` of a page names, or the channel that its `asyncapi:` does.
///
/// A specification that the page does not name is that of the navigation around it, else those of `api.openapi`, else the
/// first that has the operation. The navigation is read only where several have it: the labels of the navigation must not
/// cost a look at every page. Wakes when the frontmatter changes, and when an operation appears, vanishes or is renamed.
#[salsa::tracked]
pub fn page_binding(db: &dyn Db, file: SourceFile) -> Binding {
    let Some(subject) = file.subject(db) else {
        return Binding::None;
    };
    let site = Site::get(db);
    let text = match (&subject.operation, &subject.channel) {
        (Some(text), _) => text,
        (None, Some(text)) => return channel_binding(db, site, file, text),
        (None, None) => return Binding::None,
    };
    let bound = reference::bound(text);
    let (named, name, is_slashed) = match &bound {
        Bound::Operation(named, method, path) => {
            (*named, operation_name(method, path), path.ends_with('/'))
        }
        Bound::Webhook(named, name) => (*named, webhook_name(name), name.ends_with('/')),
        Bound::Unreadable => {
            let message = format!("`{text}` names no operation");
            let hint = "write `METHOD /path`, or the path of a specification before it";
            return Binding::Unresolved(message, Some(hint.into()));
        }
    };
    let named_spec = match named {
        Some(name) => match spec_named(db, site, name, Some(file.path(db))) {
            Some(spec) => Some(nearest_of(db, site, file, spec)),
            None => {
                let message = format!("{NO_SPECIFICATION} `{name}`");
                return Binding::Unresolved(message, None);
            }
        },
        None => None,
    };
    let known = named_operations(db, site).get(&name);
    // The path exactly as the document has it (SPEC 2.5), but for a slash at its end.
    let of = |spec: Spec| {
        let mut of_spec = known
            .into_iter()
            .flatten()
            .filter(move |one| one.spec == spec);
        let first = of_spec.clone().next();
        let exact = of_spec.find(|one| one.has_slash == is_slashed);
        let found = exact.or(first)?;
        Some(Operation::new(db, spec, found.key.clone()))
    };
    let found = match (named_spec, known.map_or(&[][..], |known| known)) {
        (Some(spec), _) => of(spec),
        (None, []) => None,
        (None, [first, others @ ..]) if others.iter().all(|one| one.spec == first.spec) => {
            of(first.spec)
        }
        (None, _) => specs_around(db, site, file).into_iter().find_map(of),
    };
    match found {
        Some(operation) => Binding::Operation(operation),
        None => {
            let specs = match named_spec {
                Some(spec) => vec![spec],
                None => specs_around(db, site, file),
            };
            unresolved(db, &specs, text, &bound)
        }
    }
}

/// The AsyncAPI documents of the site, those of `api.asyncapi` first.
fn asyncapi_specs(db: &dyn Db, site: Site) -> Vec<Spec> {
    let configured = api_config(db, site).asyncapi.iter();
    let configured = configured.filter_map(|one| spec_of_source(db, site, &one.spec));
    let all = spec_paths(db, site).iter().map(|(_, spec)| *spec);
    let mut specs: Vec<Spec> = configured.chain(all).collect();
    specs.retain(|spec| is_asyncapi(db, *spec));
    let mut seen = HashSet::new();
    specs.retain(|spec| seen.insert(*spec));
    specs
}

/// The channel that `text` names: in the document before its name, else in the first that has one of that name.
fn channel_binding(db: &dyn Db, site: Site, file: SourceFile, text: &str) -> Binding {
    let known = |name: &str| named_operations(db, site).get(&channel_name(name));
    let of = |spec: Spec, name: &str| {
        let mut of_name = known(name)?.iter();
        let found = of_name.find(|one| one.spec == spec)?;
        Some(Operation::new(db, spec, found.key.clone()))
    };
    let specs = asyncapi_specs(db, site);
    for (named, name) in reference::channels(text) {
        let found = match named {
            None => specs.iter().find_map(|spec| of(*spec, name)),
            Some(named) => {
                asyncapi_named(db, site, file, &specs, named).and_then(|spec| of(spec, name))
            }
        };
        if let Some(operation) = found {
            return Binding::Operation(operation);
        }
    }
    let (named, name) = reference::bound_channel(text);
    let given = named.map(|named| (named, asyncapi_named(db, site, file, &specs, named)));
    let searched = match given {
        Some((_, Some(spec))) => vec![spec],
        Some((named, None)) => {
            let paths = specs.iter().map(|spec| spec.name(db).as_str());
            let near = near(named.trim_start_matches('/'), paths);
            let message = format!("{NO_DOCUMENT} `{named}`");
            let advice = near.map(|near| {
                let written = text.replacen(named, &near.word, 1);
                near.advice_with(Some(written))
            });
            return Binding::Unresolved(message, advice);
        }
        None => specs,
    };
    let names: Vec<&str> = (searched.iter().map(|spec| spec.name(db).as_str())).collect();
    let message = match names[..] {
        [] => format!("{NO_DOCUMENT} with the channel `{name}`"),
        [one] => format!("the channel `{name}` is not in `{one}`"),
        _ => format!("the channel `{name}` is in none of the AsyncAPI documents"),
    };
    let channels = searched
        .iter()
        .flat_map(|spec| operation_index(db, *spec).entries());
    let near = near(name, channels.map(|entry| entry.path.as_str()));
    let advice = match (near, name.is_empty()) {
        (Some(near), _) => {
            let written = at_end(text, name, &near.word);
            Some(near.advice_with(written))
        }
        (None, true) => None,
        (None, false) => Some("the name is a key of `channels`".into()),
    };
    Binding::Unresolved(message, advice)
}

/// The AsyncAPI document that `name` means in `file`, shortened as authors do.
fn asyncapi_named(
    db: &dyn Db,
    site: Site,
    file: SourceFile,
    specs: &[Spec],
    name: &str,
) -> Option<Spec> {
    let from = Some(file.path(db));
    let paths = specs.iter().map(|spec| spec.name(db).as_str());
    let found = find_spec(name, from, paths).and_then(|found| specs.get(found).copied());
    // An address is no path, and is compared as it is.
    found.or_else(|| spec_named(db, site, name, from).filter(|spec| specs.contains(spec)))
}

/// The specification in scope of a page, among those made of the document of `spec` with several
/// overlays.
fn nearest_of(db: &dyn Db, site: Site, file: SourceFile, spec: Spec) -> Spec {
    let is_other = |other: &Spec| *other != spec && other.path(db) == spec.path(db);
    let mut specs = spec_paths(db, site).iter();
    if !specs.any(|(_, other)| is_other(other)) {
        return spec;
    }
    let scoped = specs_in_scope(db, file).iter();
    let mut scoped = scoped.filter_map(|source| spec_of_source(db, site, source));
    scoped.find(is_other).unwrap_or(spec)
}

/// The specifications that a page may mean, the nearest first: those of the navigation around it, those of `api.openapi`,
/// all of them.
fn specs_around(db: &dyn Db, site: Site, file: SourceFile) -> Vec<Spec> {
    let configured = api_config(db, site).openapi.iter();
    let configured = configured.map(|reference| &reference.spec);
    let scoped = specs_in_scope(db, file).iter().chain(configured);
    let scoped = scoped.filter_map(|source| {
        spec_of_source(db, site, source).or_else(|| spec_named(db, site, &source.source, None))
    });
    let all = spec_paths(db, site).iter().map(|(_, spec)| *spec);
    scoped.chain(all).collect()
}

/// Diagnostic for a name that none of `specs` has.
fn unresolved(db: &dyn Db, specs: &[Spec], text: &str, bound: &Bound<'_>) -> Binding {
    let what = match bound {
        Bound::Operation(_, method, path) => format!("operation `{method} {path}`"),
        Bound::Webhook(_, name) => format!("webhook `{name}`"),
        Bound::Unreadable => String::new(),
    };
    if specs.is_empty() {
        let message = format!("{NO_SPECIFICATION} with the {what}");
        return Binding::Unresolved(message, None);
    }
    let names: Vec<String> = (specs.iter())
        .map(|spec| format!("`{}`", spec.name(db)))
        .collect();
    let missing = || match names.len() {
        0..=3 => format!("the {what} is not in {}", names.join(", ")),
        count => format!("the {what} is in none of the {count} specifications"),
    };
    let near = match bound {
        Bound::Operation(_, method, path) => {
            let indexes: Vec<_> = (specs.iter())
                .map(|spec| operation_index(db, *spec).clone())
                .collect();
            crate::navigation::generate::nearest_operation(&indexes, method, path)
        }
        Bound::Webhook(_, name) => {
            let indexes = specs.iter().map(|spec| operation_index(db, *spec));
            let webhooks = indexes.flat_map(|index| index.entries());
            let webhooks = webhooks.filter(|entry| entry.kind == EntryKind::Webhook);
            let names: Vec<&str> = webhooks.map(|entry| entry.path.as_str()).collect();
            match (near(name, names.iter().copied()), names.is_empty()) {
                (Some(near), _) => Some(near),
                (None, true) => {
                    let hint = "the name is a key of `webhooks`, of which there are none";
                    return Binding::Unresolved(missing(), Some(hint.into()));
                }
                (None, false) => {
                    let hint = "the name is a key of `webhooks`, exactly as it is written there";
                    return Binding::Unresolved(missing(), Some(hint.into()));
                }
            }
        }
        Bound::Unreadable => None,
    };
    let advice = near.map(|near| {
        // A specification that the page names before the operation stays.
        let written = match bound {
            Bound::Operation(Some(named), ..) => Some(format!("{named} {}", near.word)),
            Bound::Operation(None, ..) => Some(near.word.clone()),
            Bound::Webhook(_, name) => at_end(text, name, &near.word),
            Bound::Unreadable => None,
        };
        near.advice_with(written)
    });
    Binding::Unresolved(missing(), advice)
}

/// Returns `text` with `near` in place of `name` at its end.
fn at_end(text: &str, name: &str, near: &str) -> Option<String> {
    let before = text.trim_end().strip_suffix(name)?;
    Some(format!("{before}{near}"))
}

/// Diagnostics of the operation or schema that a page names.
pub fn binding_diagnostics(db: &dyn Db, file: SourceFile) -> Vec<Diagnostic> {
    let Some(subject) = file.subject(db) else {
        return Vec::new();
    };
    let mut diagnostics = Vec::new();
    if (subject.operation.is_some() || subject.channel.is_some())
        && let Binding::Unresolved(message, advice) = page_binding(db, file)
    {
        let (code, place) = match subject.operation {
            Some(_) => (Code::UnresolvedOperation, "/openapi"),
            None => (Code::UnresolvedChannel, "/asyncapi"),
        };
        let place = Place::value(file.path(db), place);
        let diagnostic = Diagnostic::new(code, place, message.clone());
        diagnostics.push(diagnostic.advise(advice.clone()));
    }
    if let (Some(written), Some(Err(found))) = (&subject.schema, bound_schema(db, file)) {
        let (named, name) = reference::bound_schema(written);
        let (message, hint) = match (&found[..], named) {
            ([], Some(named)) => (
                format!("there is no schema `{name}` in `{named}`"),
                "the name is a key of `components.schemas`".to_owned(),
            ),
            ([], None) => (
                format!("no specification has a schema `{name}`"),
                "the name is a key of `components.schemas`".to_owned(),
            ),
            (several, _) => (
                format!(
                    "several specifications have a schema `{name}`: {}",
                    several.join(", ")
                ),
                format!("name one before it: `{} {name}`", several[0]),
            ),
        };
        let place = Place::value(file.path(db), "/openapi-schema");
        let mut diagnostic = Diagnostic::new(Code::UnresolvedSchema, place, message).hint(hint);
        if !found.is_empty() {
            // No one of them may be taken for the one that is meant (SPEC 2.6).
            diagnostic.severity = Severity::Error;
        }
        diagnostics.push(diagnostic);
    }
    diagnostics
}

/// The operation or the channel that a page is bound to.
pub fn bound_operation(db: &dyn Db, file: SourceFile) -> Option<Operation> {
    // Most pages have no binding, and the question would be one more thing to remember of each.
    let subject = file.subject(db).as_ref()?;
    subject.operation.as_ref().or(subject.channel.as_ref())?;
    match page_binding(db, file) {
        Binding::Operation(operation) => Some(*operation),
        Binding::None | Binding::Unresolved(..) => None,
    }
}

/// The operation, the webhook or the channel that a page is about, or the document as a whole.
pub fn operation_about(db: &dyn Db, page: PageId) -> Option<Operation> {
    match page {
        PageId::File(file) => bound_operation(db, file),
        PageId::Generated(page) => {
            Some(page.operation(db)).filter(|operation| !is_model(operation.key(db)))
        }
    }
}

/// The data model that a page is about.
pub fn model_about(db: &dyn Db, page: PageId) -> Option<SpecNode> {
    match page {
        PageId::File(file) => bound_schema(db, file)?.ok(),
        PageId::Generated(page) => {
            let is_model = is_model(page.operation(db).key(db));
            is_model.then(|| model_of(db, page)).flatten()
        }
    }
}

/// The data model that a generated page is about.
///
/// A question of its own: a place is made for it, which counts as a change, and what is forgotten and made again would wake
/// its readers.
#[salsa::tracked(returns(copy))]
pub fn model_of(db: &dyn Db, page: GeneratedPage) -> Option<SpecNode> {
    let operation = page.operation(db);
    let (spec, key) = (operation.spec(db), operation.key(db));
    is_model(key).then(|| SpecNode::new(db, spec, key.clone()))
}

/// The schema that the `openapi-schema:` of a page names, or the specifications that all have one of that name, or none.
pub fn bound_schema(db: &dyn Db, file: SourceFile) -> Option<Result<SpecNode, Vec<String>>> {
    let text = file.subject(db).as_ref()?.schema.as_ref()?;
    let site = Site::get(db);
    let (named, name) = reference::bound_schema(text);
    let specs: Vec<_> = match named {
        Some(named) => spec_named(db, site, named, Some(file.path(db)))
            .into_iter()
            .collect(),
        None => spec_paths(db, site).iter().map(|(_, spec)| *spec).collect(),
    };
    let key = pointer::child("/components/schemas", name);
    let mut nodes: Vec<SpecNode> = (specs.iter())
        .map(|spec| SpecNode::new(db, *spec, key.clone()))
        .filter(|node| slice_named(db, *node).is_some())
        .collect();
    // That of requests is meant, unless the other document is named: `openapi-schema` is the name of the field.
    let is_of_requests = |node: &SpecNode| !is_asyncapi(db, node.spec(db));
    if nodes.len() > 1 && nodes.iter().any(is_of_requests) {
        nodes.retain(is_of_requests);
    }
    Some(match nodes[..] {
        [node] => Ok(node),
        _ => Err(nodes
            .iter()
            .map(|node| node.spec(db).name(db).to_string())
            .collect()),
    })
}
