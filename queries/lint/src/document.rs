//! Rules that a document breaks as a whole: what its parts say of each other.

use std::collections::{BTreeMap, BTreeSet};

use base::data::pointer;
use base::diagnostic::{Code, near, nearest};
use serde_json::Value;

use crate::Finding;
use crate::objects::{COMPONENTS, Edition, Kind, TOP, of_slice, walk};
use crate::operations::placeholders;

/// Facts about one slice that rules for a document need: names, not texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Security requirements: place, security scheme, scopes.
    pub requirements: Vec<(String, String, Vec<String>)>,
    /// The tags of operations, with their places.
    pub tags: Vec<(String, String)>,
    /// Targets of discriminators, with their places.
    pub mappings: Vec<(String, String)>,
    /// The scopes of a security scheme of OAuth; `None` of anything else.
    pub scopes: Option<BTreeSet<String>>,
    /// The names that the list of tags has, with the places of those without a description.
    pub tag_list: Vec<(String, bool)>,
    /// Whether a component belongs to others by its `allOf`.
    pub is_subtype: bool,
    /// Whether the slice is an operation that says nothing of security.
    pub is_open: bool,
    /// The parameters of an operation or of a path item; the one that a component is.
    pub parameters: Vec<Parameter>,
    /// The `operationId` of an operation.
    pub operation_id: Option<String>,
    /// The summary of an operation.
    pub summary: Option<String>,
    /// The links of responses.
    pub links: Vec<Link>,
}

/// A parameter, as far as links need to know it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameter {
    /// Name.
    pub name: String,
    /// Value of `in`.
    pub location: String,
    /// The pointer of the component that stands for it.
    pub referred: Option<String>,
}

/// A link of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// The `operationId` of its operation, or a reference to it.
    pub target: String,
    /// Names of parameters, with their places.
    pub parameters: Vec<(String, String)>,
}

/// The facts of the slice at `key`.
pub fn facts(key: &str, value: &Value) -> Facts {
    let mut facts = Facts::default();
    walk(
        of_slice(key),
        value,
        &mut key.to_owned(),
        &mut |at, object| {
            let text = |name: &str| object.value.get(name).and_then(Value::as_str);
            match object.kind {
                Kind::Requirement => {
                    for (scheme, scopes) in object.value.as_object().into_iter().flatten() {
                        let scopes = scopes.as_array().into_iter().flatten();
                        let scopes = scopes.filter_map(Value::as_str).map(str::to_owned);
                        let place = pointer::child(at, scheme);
                        facts
                            .requirements
                            .push((place, scheme.clone(), scopes.collect()));
                    }
                }
                Kind::Parameter if !at.contains("/callbacks/") => {
                    let of = |name: &str| text(name).unwrap_or_default().to_owned();
                    let referred = text("$ref").and_then(|to| to.strip_prefix('#'));
                    facts.parameters.push(Parameter {
                        name: of("name"),
                        location: of("in"),
                        referred: referred.map(str::to_owned),
                    });
                }
                Kind::Link => {
                    let reference = text("operationRef").filter(|to| to.starts_with('#'));
                    let named = object.value.get("parameters").and_then(Value::as_object);
                    let base = pointer::child(at, "parameters");
                    let parameters = named
                        .into_iter()
                        .flatten()
                        .map(|(name, _)| (pointer::child(&base, name), name.clone()));
                    if let Some(target) = text("operationId").or(reference) {
                        facts.links.push(Link {
                            target: target.to_owned(),
                            parameters: parameters.collect(),
                        });
                    }
                }
                Kind::Operation => {
                    if !object.is_inner {
                        facts.operation_id = text("operationId").map(str::to_owned);
                        let summary = text("summary").map(str::trim);
                        facts.summary = summary.filter(|text| !text.is_empty()).map(str::to_owned);
                    }
                    facts.is_open |= !object.is_inner && object.value.get("security").is_none();
                    let tags = object.value.get("tags").and_then(Value::as_array);
                    for (i, tag) in tags.into_iter().flatten().enumerate() {
                        if let Some(tag) = tag.as_str() {
                            let place = pointer::item(&pointer::child(at, "tags"), i);
                            facts.tags.push((place, tag.to_owned()));
                        }
                    }
                }
                Kind::Discriminator => {
                    let mapping = object.value.get("mapping").and_then(Value::as_object);
                    for (name, target) in mapping.into_iter().flatten() {
                        if let Some(target) = target.as_str() {
                            let place = pointer::child(&pointer::child(at, "mapping"), name);
                            facts.mappings.push((place, target.to_owned()));
                        }
                    }
                }
                Kind::SecurityScheme if text("type") == Some("oauth2") => {
                    let flows = object.value.get("flows").and_then(Value::as_object);
                    let scopes = flows.into_iter().flatten();
                    let scopes = scopes.filter_map(|(_, flow)| flow.get("scopes")?.as_object());
                    facts.scopes = Some(scopes.flatten().map(|(name, _)| name.clone()).collect());
                }
                Kind::Tag => {
                    if let Some(name) = text("name") {
                        let is_described = text("description").is_some_and(|text| !text.is_empty());
                        facts.tag_list.push((name.to_owned(), is_described));
                    }
                }
                Kind::Schema if !object.is_inner => {
                    let parts = object.value.get("allOf").and_then(Value::as_array);
                    facts.is_subtype = parts
                        .is_some_and(|parts| parts.iter().any(|part| part.get("$ref").is_some()));
                }
                _ => {}
            }
        },
    );
    facts
}

/// A document, as far as its rules need to know it.
pub struct Document<'a> {
    /// Edition.
    pub edition: Edition,
    /// The pointers of its slices, in the order of the document, with their facts.
    pub slices: Vec<(&'a str, &'a Facts)>,
    /// The pointers that references lead to.
    pub referred: &'a BTreeSet<String>,
    /// Whether references lead to other documents, which are not read.
    pub has_other_files: bool,
}

/// The rules that a document breaks.
pub fn violations(document: &Document<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    top(document, &mut found);
    paths(document, &mut found);
    security(document, &mut found);
    scopes(document, &mut found);
    tags(document, &mut found);
    mappings(document, &mut found);
    links(document, &mut found);
    summaries(document, &mut found);
    if !document.has_other_files {
        unused(document, &mut found);
    }
    found
}

/// Parameters that links give to operations which have none of that name.
fn links(document: &Document<'_>, found: &mut Vec<Finding>) {
    let parameters: BTreeMap<&str, &Facts> = document
        .slices
        .iter()
        .map(|(key, facts)| (*key, *facts))
        .collect();
    let of_id: BTreeMap<&str, &str> = document
        .slices
        .iter()
        .filter_map(|(key, facts)| Some((facts.operation_id.as_deref()?, *key)))
        .collect();
    for (_, facts) in &document.slices {
        for link in &facts.links {
            let target = match link.target.strip_prefix('#') {
                Some(pointer) => Some(pointer),
                None => of_id.get(link.target.as_str()).copied(),
            };
            let Some((target, operation)) =
                target.and_then(|target| parameters.get_key_value(target))
            else {
                continue;
            };
            let item = target
                .rsplit_once('/')
                .map(|(item, _)| format!("{item}/parameters"));
            let shared = item.and_then(|item| parameters.get(item.as_str()).copied());
            let mut known = Vec::new();
            let mut is_whole = true;
            for facts in std::iter::once(*operation).chain(shared) {
                for parameter in &facts.parameters {
                    match parameter.referred.as_deref().map(|to| parameters.get(to)) {
                        None => known.push(parameter),
                        Some(Some(component)) => known.extend(&component.parameters),
                        Some(None) => is_whole = false,
                    }
                }
            }
            for (place, name) in &link.parameters {
                let (location, plain) = match name.split_once('.') {
                    Some((location @ ("path" | "query" | "header" | "cookie"), rest)) => {
                        (Some(location), rest)
                    }
                    _ => (None, name.as_str()),
                };
                let is_it = |parameter: &&Parameter| {
                    parameter.name == plain
                        && location.is_none_or(|location| parameter.location == location)
                };
                if is_whole && !known.iter().any(is_it) {
                    let message =
                        format!("the operation that the link leads to has no parameter `{plain}`");
                    let finding = Finding::new(Code::LinkParameter, &**place, message);
                    let names = known.iter().map(|parameter| parameter.name.as_str());
                    found.push(match nearest(plain, names) {
                        Some(near) => finding.hint(format!("did you mean `{near}`?")),
                        None => finding.hint("name a parameter of that operation"),
                    });
                }
            }
        }
    }
}

/// Operations that readers cannot tell apart, since they have the same summary.
fn summaries(document: &Document<'_>, found: &mut Vec<Finding>) {
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    for (key, facts) in document
        .slices
        .iter()
        .filter(|(key, _)| key.starts_with("/paths/"))
    {
        let Some(summary) = facts.summary.as_deref() else {
            continue;
        };
        let Some(first) = known.get(summary) else {
            known.insert(summary, key);
            continue;
        };
        let mut segments = pointer::segments(first).skip(1);
        let (path, method) = (
            segments.next().unwrap_or_default(),
            segments.next().unwrap_or_default(),
        );
        let message = format!(
            "`{summary}` is the summary of `{} {path}`, too",
            method.to_uppercase()
        );
        let finding = Finding::new(
            Code::SummaryDuplicate,
            pointer::child(key, "summary"),
            message,
        );
        found.push(
            finding.hint("readers find operations by their summaries: say in which they differ"),
        );
    }
}

/// Reports unknown fields at the top level, below `components` and in `paths`, and missing required
/// ones.
fn top(document: &Document<'_>, found: &mut Vec<Finding>) {
    let edition = document.edition;
    let mut names = BTreeSet::new();
    let mut later = BTreeSet::new();
    let mut sections = BTreeSet::new();
    for (key, _) in &document.slices {
        let segments: Vec<String> = pointer::segments(key).collect();
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        let Some(first) = segments.first() else {
            continue;
        };
        if names.insert((*first).to_owned())
            && !first.starts_with("x-")
            // What a document of Swagger was converted to keeps the field that says so.
            && *first != "swagger"
            && !TOP.iter().any(|(name, _)| name == first)
        {
            let known = TOP.iter().filter(|(_, since)| *since <= edition);
            let place = format!("/{}", pointer::child("", first).trim_start_matches('/'));
            found.push(unknown(
                place,
                first,
                "the document",
                known.map(|(name, _)| *name),
            ));
        } else if let Some((name, since)) = TOP.iter().find(|(name, _)| name == first)
            && *since > edition
            // Pages say that there are no webhooks.
            && *name != "webhooks"
            && later.insert(*name)
        {
            found.push(of_later_version(&format!("/{name}"), name, *since, edition));
        }
        match segments[..] {
            ["components", section] | ["components", section, _] => {
                if sections.insert(section.to_owned()) && !section.starts_with("x-") {
                    let known = COMPONENTS.iter().filter(|(.., since)| *since <= edition);
                    let place = pointer::child("/components", section);
                    match COMPONENTS.iter().find(|(name, ..)| *name == section) {
                        Some((name, _, since)) if *since > edition => {
                            found.push(of_later_version(&place, name, *since, edition));
                        }
                        Some(_) => {}
                        None => found.push(unknown(
                            place,
                            section,
                            "`components`",
                            known.map(|(name, ..)| *name),
                        )),
                    }
                }
                if let ["components", section, name] = segments[..]
                    && !section.starts_with("x-")
                    && !name.starts_with("x-")
                    && !name
                        .chars()
                        .all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
                {
                    let message = format!("`{name}` is not a name that a component can have");
                    let finding = Finding::new(Code::ComponentName, *key, message);
                    found.push(
                        finding.hint(
                            "names of components consist of letters, digits, `.`, `_` and `-`",
                        ),
                    );
                }
            }
            ["paths" | "webhooks", _, member]
                if !member.starts_with("x-") && Kind::PathItem.field(member).is_none() =>
            {
                let fields = Kind::PathItem.fields().iter();
                let known = fields
                    .filter(|field| field.2 <= edition)
                    .map(|field| field.0);
                found.push(unknown((*key).to_owned(), member, "a path", known));
            }
            _ => {}
        }
    }
    let mut need = |name: &str| {
        if !names.contains(name) {
            let message = format!("the document needs `{name}`");
            found.push(Finding::new(Code::SpecFieldMissing, "", message));
        }
    };
    need("info");
    if edition == Edition::V30 {
        need("paths");
    }
    if !names.contains("servers") && names.contains("paths") {
        let message = "the document has no `servers`";
        let finding = Finding::new(Code::ServersMissing, "", message);
        found.push(
            finding.hint("add `servers`: without one, readers cannot send requests from the page"),
        );
    }
}

fn of_later_version(place: &str, name: &str, since: Edition, edition: Edition) -> Finding {
    let message = format!(
        "`{name}` is a field from OpenAPI {} on; the document is of {}",
        since.name(),
        edition.name()
    );
    Finding::new(Code::SpecFieldUnknown, place, message).hint("raise `openapi`, or leave it out")
}

fn unknown<'k>(
    place: String,
    name: &str,
    of: &str,
    candidates: impl Iterator<Item = &'k str>,
) -> Finding {
    let advice = match near(name, candidates) {
        Some(near) => near.advice(),
        None => "extensions begin with `x-`".into(),
    };
    Finding::new(
        Code::SpecFieldUnknown,
        place,
        format!("`{name}` is not a field of {of}"),
    )
    .hint(advice)
}

/// Paths that no request has, and such that lead to the same.
fn paths(document: &Document<'_>, found: &mut Vec<Finding>) {
    let mut shapes: BTreeMap<String, String> = BTreeMap::new();
    let mut paths_by_shape: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (key, _) in &document.slices {
        let mut segments = pointer::segments(key);
        let (Some("paths"), Some(path)) = (segments.next().as_deref(), segments.next()) else {
            continue;
        };
        let is_known = paths_by_shape.contains_key(&path);
        let methods = paths_by_shape.entry(path.clone()).or_default();
        methods.extend(segments.next());
        if path.starts_with("x-") || is_known {
            continue;
        }
        let place = pointer::child("/paths", &path);
        let mut say = |code: Code, message: String, hint: &str| {
            found.push(Finding::new(code, &*place, message).hint(hint));
        };
        let names: Vec<&str> = placeholders(&path).collect();
        let distinct: BTreeSet<&&str> = names.iter().collect();
        let has_open = path.matches('{').count() != path.matches('}').count();
        if !path.starts_with('/') {
            say(
                Code::PathInvalid,
                format!("the path `{path}` does not begin with `/`"),
                "write it from the root of the server",
            );
        } else if path.contains(['?', '#']) {
            say(
                Code::PathInvalid,
                format!("the path `{path}` has a `?` or a `#`"),
                "describe queries by parameters with `in: query`",
            );
        } else if has_open || names.contains(&"") {
            say(
                Code::PathInvalid,
                format!("the braces of `{path}` do not name a parameter"),
                "write `{name}`",
            );
        } else if distinct.len() < names.len() {
            say(
                Code::PathInvalid,
                format!("`{path}` has a parameter twice"),
                "give each its own name",
            );
        } else if path.len() > 1 && path.ends_with('/') {
            say(
                Code::PathTrailingSlash,
                format!("the path `{path}` ends in `/`"),
                "many servers take it for another address",
            );
        }
        let shape = shape(&path);
        if let Some(other) = shapes.get(&shape) {
            say(
                Code::PathAmbiguous,
                format!("`{path}` and `{other}` are the same to a request"),
                "write one of them, with all operations",
            );
        } else {
            shapes.insert(shape, path.clone());
        }
    }
    overlaps(&paths_by_shape, found);
}

/// The most segments that are compared to find paths that one request fits alike; the paths behind are not told of.
const MAX_COMPARED_SEGMENTS: usize = 2_000_000;

/// Paths with operations of one method that one request fits alike, each of which is the more concrete one somewhere:
/// OpenAPI leaves open which counts (3.1, 4.8.8.1).
fn overlaps(paths: &BTreeMap<String, BTreeSet<String>>, found: &mut Vec<Finding>) {
    let split = paths.iter().map(|(path, methods)| {
        let segments: Vec<&str> = path.split('/').collect();
        (path, segments, methods)
    });
    let mut of_length: BTreeMap<usize, Vec<_>> = BTreeMap::new();
    for path in split {
        of_length.entry(path.1.len()).or_default().push(path);
    }
    let mut compared = 0;
    for group in of_length.values() {
        for (i, (path, segments, methods)) in group.iter().enumerate() {
            let mut before = group[..i].iter();
            let other = before.find(|(_, others, of_other)| {
                let (mut is_first, mut is_other, mut is_behind) = (false, false, false);
                let fits = segments.iter().zip(others).all(|(a, b)| {
                    compared += 1;
                    let (is_open, is_other_open) = (a.contains('{'), b.contains('{'));
                    // A path is matched by its fixed parts first if it has no others behind them.
                    is_behind |= (is_first || is_other) && is_open && is_other_open;
                    is_first |= is_other_open && !is_open;
                    is_other |= is_open && !is_other_open;
                    // What stands beside a parameter in its segment tells them apart, or may.
                    a == b
                        || is_parameter(a) && (is_parameter(b) || !is_other_open)
                        || is_parameter(b) && !is_open
                });
                let is_unclear = is_first && is_other || is_behind;
                fits && is_unclear && !methods.is_disjoint(of_other)
            });
            if compared > MAX_COMPARED_SEGMENTS {
                return;
            }
            if let Some((other, ..)) = other {
                let message = format!("a request can fit `{path}` and `{other}` alike");
                let place = pointer::child("/paths", path);
                let finding = Finding::new(Code::PathOverlap, place, message);
                found.push(finding.hint("OpenAPI does not say which one counts"));
            }
        }
    }
}

/// Returns true if a segment of a path is one parameter.
fn is_parameter(segment: &str) -> bool {
    let inner = segment
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'));
    inner.is_some_and(|inner| !inner.contains(['{', '}']))
}

/// A path without the names of its parameters.
fn shape(path: &str) -> String {
    let mut shape = String::new();
    for (i, part) in path.split('{').enumerate() {
        match part.split_once('}') {
            Some((_, rest)) if i > 0 => {
                shape.push_str("{}");
                shape.push_str(rest);
            }
            _ => shape.push_str(part),
        }
    }
    shape
}

/// Operations of which nobody knows whether they are open to all.
fn security(document: &Document<'_>, found: &mut Vec<Finding>) {
    if document.slices.iter().any(|(key, _)| *key == "/security") {
        return;
    }
    let open = document
        .slices
        .iter()
        .filter(|(key, facts)| facts.is_open && key.starts_with("/paths/"));
    for (key, _) in open {
        let message = "operation has no `security` and the document has no default";
        let finding = Finding::new(Code::OperationSecurity, *key, message);
        found.push(finding.hint("write `security: []` at the top if the API is open to all"));
    }
}

fn scopes(document: &Document<'_>, found: &mut Vec<Finding>) {
    let mut known = BTreeMap::new();
    for (key, facts) in &document.slices {
        if let (Some(scopes), Some(name)) = (
            &facts.scopes,
            key.strip_prefix("/components/securitySchemes/"),
        ) {
            let name = pointer::segments(&format!("/{name}"))
                .next()
                .unwrap_or_default();
            known.insert(name, scopes);
        }
    }
    for (_, facts) in &document.slices {
        for (place, scheme, scopes) in &facts.requirements {
            let Some(known) = known.get(scheme) else {
                continue;
            };
            for scope in scopes.iter().filter(|scope| !known.contains(*scope)) {
                let message = format!("the scope `{scope}` is not among those of `{scheme}`");
                let finding = Finding::new(Code::ScopeUndefined, &**place, message);
                let near = nearest(scope, known.iter().map(String::as_str));
                found.push(match near {
                    Some(near) => finding.hint(format!("did you mean `{near}`?")),
                    None => finding.hint("list it in the `scopes` of its flow"),
                });
            }
        }
    }
}

fn tags(document: &Document<'_>, found: &mut Vec<Finding>) {
    let list = document.slices.iter().find(|(key, _)| *key == "/tags");
    let Some((_, list)) = list.filter(|(_, facts)| !facts.tag_list.is_empty()) else {
        // One slip, however many operations have tags.
        let mut used = document.slices.iter().flat_map(|(_, facts)| &facts.tags);
        if let Some((place, _)) = used.next() {
            let message = "operations have tags, but the document has no list of tags";
            let finding = Finding::new(Code::TagUndefined, &**place, message);
            found.push(finding.hint(
                "list them in `tags` at the top of the document, in the order of the navigation",
            ));
        }
        return;
    };
    let mut names = BTreeSet::new();
    for (i, (name, is_described)) in list.tag_list.iter().enumerate() {
        let place = pointer::item("/tags", i);
        if !names.insert(name.as_str()) {
            let message = format!("the tag `{name}` is listed twice");
            found.push(Finding::new(Code::TagDuplicate, &*place, message));
        }
        if !is_described {
            let message = "tag has no `description`";
            found.push(Finding::new(Code::TagDescription, place, message));
        }
    }
    let mut reported = BTreeSet::new();
    for (_, facts) in &document.slices {
        for (place, tag) in &facts.tags {
            if !names.contains(tag.as_str()) && reported.insert(tag) {
                let message = format!("the tag `{tag}` is not in the list of tags");
                let finding = Finding::new(Code::TagUndefined, &**place, message);
                found.push(match nearest(tag, names.iter().copied()) {
                    Some(near) => finding.hint(format!("did you mean `{near}`?")),
                    None => finding.hint("add it to `tags` at the top of the document"),
                });
            }
        }
    }
}

/// Target of a discriminator mapping: a name of a schema, or a reference (OpenAPI 3.1, 4.8.25).
fn target_of_mapping(target: &str) -> Option<String> {
    if let Some(pointer) = target.strip_prefix('#') {
        return pointer.starts_with('/').then(|| pointer.to_owned());
    }
    let is_name = target
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    let is_file = [".json", ".yaml", ".yml"]
        .iter()
        .any(|end| target.ends_with(end));
    // What has a space is no reference either (RFC 3986).
    (is_name && !is_file || target.contains(char::is_whitespace))
        .then(|| pointer::child("/components/schemas", target))
}

fn mappings(document: &Document<'_>, found: &mut Vec<Finding>) {
    let keys: BTreeSet<&str> = document.slices.iter().map(|(key, _)| *key).collect();
    for (_, facts) in &document.slices {
        for (place, target) in &facts.mappings {
            let Some(pointer) = target_of_mapping(target) else {
                continue;
            };
            let is_component = pointer.starts_with("/components/schemas/");
            if is_component && pointer.matches('/').count() == 3 && !keys.contains(pointer.as_str())
            {
                let message =
                    format!("the discriminator leads to `{target}`, which does not exist");
                let names = keys
                    .iter()
                    .filter_map(|key| key.strip_prefix("/components/schemas/"));
                let name = pointer.rsplit('/').next().unwrap_or_default();
                let finding = Finding::new(Code::DiscriminatorMapping, &**place, message);
                found.push(match nearest(name, names) {
                    Some(near) => finding.hint(format!("did you mean `{near}`?")),
                    None => finding.hint("name a schema of `components/schemas`"),
                });
            }
        }
    }
}

/// Components that nothing in the document refers to.
fn unused(document: &Document<'_>, found: &mut Vec<Finding>) {
    let mapped: BTreeSet<String> = document
        .slices
        .iter()
        .flat_map(|(_, facts)| facts.mappings.iter())
        .filter_map(|(_, target)| target_of_mapping(target))
        .collect();
    let schemes: BTreeSet<&str> = document
        .slices
        .iter()
        .flat_map(|(_, facts)| facts.requirements.iter())
        .map(|(_, scheme, _)| scheme.as_str())
        .collect();
    for (key, facts) in &document.slices {
        let segments: Vec<String> = pointer::segments(key).collect();
        let ["components", section, name] =
            segments.iter().map(String::as_str).collect::<Vec<_>>()[..]
        else {
            continue;
        };
        if !COMPONENTS.iter().any(|(known, ..)| *known == section) {
            continue;
        }
        let is_used = match section {
            "securitySchemes" => schemes.contains(name),
            _ => {
                let below = format!("{key}/");
                facts.is_subtype
                    || mapped.contains(*key)
                    || document.referred.contains(*key)
                    || (document.referred.range(below.clone()..).next())
                        .is_some_and(|first| first.starts_with(&below))
            }
        };
        if !is_used {
            let message = format!("the document never refers to `{name}`");
            found.push(Finding::new(Code::ComponentUnused, *key, message));
        }
    }
}
