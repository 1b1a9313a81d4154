//! Resolves references. Only those within the document are followed.

use serde_json::{Map, Value};

use super::document::Document;
use super::resource;
use super::slice::{Anchors, decode_fragment};
use base::data::pointer::segments;
use base::diagnostic::{Code, Diagnostic};

/// Target of a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Resolved: pointer in the document.
    Found(String),
    /// In another document.
    External,
    /// Unresolved: the document has no such value.
    Missing,
}

/// Resolves `reference`, as written in the document.
pub fn resolve(document: &dyn Document<'_>, reference: &str) -> Target {
    let (file, fragment) = match reference.split_once('#') {
        Some((file, fragment)) => (file, decode_fragment(fragment)),
        None => (reference, String::new()),
    };
    let base = match file {
        "" => String::new(),
        id => match identified(document, id) {
            Some(base) => base,
            // The name that the document gives itself (OpenAPI 3.2, 4.1.2.1), else the one of its file (RFC 3986, 5.1.3).
            None if is_own_address(document, id) => String::new(),
            None => return Target::External,
        },
    };
    let found = if fragment.is_empty() || fragment.starts_with('/') {
        let pointer = format!("{base}{fragment}");
        (!pointer.is_empty() && document.value(&pointer).is_some()).then_some(pointer)
    } else {
        let in_resource =
            (!base.is_empty()).then(|| document.anchor(&format!("{file}#{fragment}")));
        in_resource.flatten().or_else(|| document.anchor(&fragment))
    };
    found.map_or(Target::Missing, Target::Found)
}

/// The pointer of the schema whose `$id` is `id`, either of which may be relative to the address of the document.
fn identified(document: &dyn Document<'_>, id: &str) -> Option<String> {
    if let Some(found) = document.identified(id) {
        return Some(found);
    }
    let named = document.value("/$self").and_then(Value::as_str);
    let own = named.map_or_else(|| document.base(), str::to_owned);
    let mut others = other_names(id, &own).into_iter();
    others.find_map(|other| document.identified(&other))
}

/// The pointer that `reference` names in the document with these `anchors`, at the address `own`;
/// whether something is there is not inspected.
pub fn pointer_of(
    anchors: &Anchors,
    reference: &str,
    own: impl FnOnce() -> String,
) -> Option<String> {
    let (file, fragment) = match reference.split_once('#') {
        Some((file, fragment)) => (file, decode_fragment(fragment)),
        None => (reference, String::new()),
    };
    let base = match anchors.ids.get(file) {
        _ if file.is_empty() => String::new(),
        Some(base) => base.clone(),
        None => {
            let own = own();
            let others = other_names(file, &own);
            let known_base = others.iter().find_map(|other| anchors.ids.get(other));
            known_base
                .cloned()
                .or_else(|| is_own(&own, file).then(String::new))?
        }
    };
    if fragment.is_empty() || fragment.starts_with('/') {
        return Some(format!("{base}{fragment}"));
    }
    let in_resource = anchors.anchors.get(&format!("{file}#{fragment}"));
    let in_resource = in_resource.filter(|_| !base.is_empty());
    in_resource
        .or_else(|| anchors.anchors.get(&fragment))
        .cloned()
}

/// Other ways to write the address `id` in the document at `own`: whole, from the root of its host, and relative to it.
pub fn other_names(id: &str, own: &str) -> Vec<String> {
    let folder = own.rfind('/').map_or("", |at| &own[..=at]);
    let whole = resource::resolve(id, own);
    let relative = id.strip_prefix(folder).filter(|_| !folder.is_empty());
    let origin = own
        .find("://")
        .and_then(|at| own[at + 3..].find('/').map(|end| at + 3 + end));
    let from_root = origin.and_then(|end| id.strip_prefix(&own[..end]));
    let written = [Some(&*whole), relative, from_root, id.strip_prefix("./")];
    let others = written.into_iter().flatten().filter(|other| *other != id);
    others.map(str::to_owned).collect()
}

fn is_own_address(document: &dyn Document<'_>, file: &str) -> bool {
    let own = document.value("/$self").and_then(Value::as_str);
    match own {
        Some(own) => is_own(own, file),
        None => is_own(&document.base(), file),
    }
}

/// Returns true if `file`, the part of a reference before `#`, is the address `own` that the
/// document gives itself, resolved against it.
pub fn is_own(own: &str, file: &str) -> bool {
    let own = own.split('#').next().unwrap_or(own);
    if file == own {
        return true;
    }
    let file = file.strip_prefix("./").unwrap_or(file);
    let folder = own.rfind('/').map_or("", |at| &own[..=at]);
    let origin = own
        .find("://")
        .and_then(|at| Some(at + 3 + own[at + 3..].find('/')?));
    let from_root = file.starts_with('/') && origin.is_some_and(|at| own[at..] == *file);
    from_root || own.strip_prefix(folder) == Some(file)
}

/// Diagnostic of a reference that leads out of the document or nowhere.
pub(super) fn reference_diagnostic(
    target: &Target,
    reference: &str,
    pointer: &str,
) -> Diagnostic<String> {
    let at = format!("{pointer}/$ref");
    if *target == Target::External {
        let message = format!("`{reference}` leads out of the document and is not followed");
        Diagnostic::new(Code::RefExternal, at, message)
            .hint("put what it refers to under `components` of this document")
    } else {
        let message = format!("`{reference}` leads nowhere");
        Diagnostic::new(Code::RefMissing, at, message)
    }
}

/// The name of the component (or of the member of `$defs`) at `pointer`.
pub(super) fn component_name(pointer: &str) -> Option<String> {
    let segments: Vec<String> = segments(pointer).collect();
    match segments.as_slice() {
        [components, _, name] if components == "components" => Some(name.clone()),
        [.., defs, name] if defs == "$defs" || defs == "definitions" => Some(name.clone()),
        _ => None,
    }
}

/// Returns true if FastAPI generated `name` for the body of an operation, from its function, path
/// and method: `Body_read_flow_runs_flow_runs_filter_post`. It means nothing to readers.
pub(super) fn is_internal(name: &str) -> bool {
    let methods = ["_delete", "_get", "_patch", "_post", "_put"];
    name.starts_with("Body_") && methods.iter().any(|method| name.ends_with(method))
}

/// The schema that a discriminator's `mapping` names: by a reference, or by the bare name of a component.
pub(super) fn mapped(document: &dyn Document<'_>, target: &str) -> Option<String> {
    if target.contains('#') {
        let internal = target
            .split_once('#')
            .map(|(_, fragment)| format!("#{fragment}"))?;
        if let Target::Found(pointer) = resolve(document, &internal) {
            return Some(pointer);
        }
    }
    let name = target.rsplit('/').next().unwrap_or(target);
    let name = [".json", ".yaml", ".yml"]
        .iter()
        .fold(name, |name, extension| name.trim_end_matches(extension));
    [target, name].into_iter().find_map(|name| {
        let pointer = base::data::pointer::child("/components/schemas", name);
        document.value(&pointer).map(|_| pointer)
    })
}

/// An object of the document, inline or behind references.
pub(super) struct ResolvedObject<'d> {
    /// Members.
    pub(super) members: &'d Map<String, Value>,
    /// Pointer to it.
    pub(super) pointer: String,
    /// The first component that was named on the way.
    pub(super) name: Option<String>,
    /// `summary` beside the reference (3.1).
    pub(super) summary: Option<&'d str>,
    /// `description` beside the reference (3.1).
    pub(super) description: Option<&'d str>,
}

impl<'d> ResolvedObject<'d> {
    /// A text among its members; members next to the reference take precedence.
    pub(super) fn text(&self, key: &str) -> Option<&'d str> {
        let override_text = match key {
            "summary" => self.summary,
            "description" => self.description,
            _ => None,
        };
        override_text.or_else(|| self.members.get(key)?.as_str())
    }

    /// Returns true if a member is `true`.
    pub(super) fn is(&self, key: &str) -> bool {
        self.members.get(key) == Some(&Value::Bool(true))
    }
}

/// Follows the references of an object that is no schema (a parameter, a response) to the object itself.
///
/// `None` if it is no object or leads nowhere; the latter is added to `diagnostics`.
pub(super) fn follow<'d>(
    document: &dyn Document<'d>,
    value: &'d Value,
    pointer: &str,
    diagnostics: &mut Vec<Diagnostic<String>>,
) -> Option<ResolvedObject<'d>> {
    let mut found = ResolvedObject {
        members: value.as_object()?,
        pointer: pointer.to_owned(),
        name: None,
        summary: None,
        description: None,
    };
    let mut seen = vec![pointer.to_owned()];
    while let Some(reference) = found.members.get("$ref").and_then(Value::as_str) {
        if document.version() == super::version::Version::V31 {
            found.summary = found.text("summary");
            found.description = found.text("description");
        }
        let target = resolve(document, reference);
        let Target::Found(next) = target else {
            diagnostics.push(reference_diagnostic(&target, reference, &found.pointer));
            return None;
        };
        if seen.contains(&next) {
            diagnostics.push(looped(reference, &found.pointer));
            return None;
        }
        found.members = document.value(&next)?.as_object()?;
        found.name = found.name.or_else(|| component_name(&next));
        found.pointer = next.clone();
        seen.push(next);
    }
    Some(found)
}

/// Diagnostic of a reference that leads to itself.
pub(super) fn looped(reference: &str, pointer: &str) -> Diagnostic<String> {
    let message = format!("`{reference}` leads back to itself");
    Diagnostic::new(Code::RefLoop, format!("{pointer}/$ref"), message)
}
