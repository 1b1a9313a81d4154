//! Diagnostics of a specification as a whole, whatever its pages show of it.

use std::collections::{BTreeSet, HashMap};

use base::data::asyncapi2::ORIGIN;
use base::data::{pointer, swagger};
use base::diagnostic::{Code, Diagnostic, Severity};
use base::path::SitePath;
use base::place::Place;
use openapi::index::EntryKind;
use openapi::slice;

use super::{
    SpecNode, has_members, is_asyncapi, is_before_31, is_there, operation_index, operation_places,
    path_parameters, slice_facts, slice_faults, slice_references, spec_anchors, spec_edition,
    text_at, value_at,
};
use crate::db::Db;
use crate::inputs::Spec;

/// The diagnostics of a document as a whole: as text, its version, references, rules of OpenAPI.
/// What is wrong with an operation is said where it is rendered.
#[salsa::tracked]
pub fn spec_diagnostics(db: &dyn Db, spec: Spec) -> Vec<Diagnostic> {
    let path = spec.path(db);
    let mut diagnostics = spec.problems(db).clone();
    // What is wrong with an overlay costs what it would change.
    let is_error =
        |found: &Diagnostic| found.severity() == Severity::Error && found.place.path() == path;
    let can_be_read = !diagnostics.iter().any(is_error);
    if is_asyncapi(db, spec) {
        diagnostics.extend(asyncapi_diagnostics(db, spec, can_be_read));
        return diagnostics;
    }
    let mut found = vec![
        version(db, spec),
        features(db, spec),
        broken_references(db, spec),
        repeated_ids(db, spec),
        path_faults(db, spec),
    ];
    // What is missing in half a document may stand in the other half.
    if can_be_read {
        found.extend([broken_rules(db, spec), broken_by_all(db, spec)]);
    }
    let is_swagger = value_at(db, spec, "/swagger").is_some_and(swagger::is_convertible);
    let found = found.into_iter().flatten();
    let found = found.filter(|found| !(is_swagger && is_style_of_swagger(db, spec, found)));
    let found = found.map(|found| match is_swagger {
        true => in_words_of_swagger(found),
        false => found,
    });
    let found = lint::grouped(found.collect()).into_iter();
    diagnostics.extend(found.map(|found| in_file(path, found)));
    // A document that cannot be read has none either, and that was said.
    let can_be_read = spec_edition(db, spec).is_some() && !diagnostics.iter().any(is_error);
    if can_be_read && operation_places(db, spec).places.is_empty() {
        let message = "the document has no operations: `paths` and `webhooks` are empty or absent";
        let place = Place::value(path, "/paths");
        diagnostics.push(Diagnostic::new(Code::NoOperations, place, message));
    }
    diagnostics
}

/// Diagnostics of an AsyncAPI document, without those of its text; of an incomplete document only
/// what it says.
fn asyncapi_diagnostics(db: &dyn Db, spec: Spec, is_whole: bool) -> Vec<Diagnostic> {
    let path = spec.path(db);
    let mut found = asyncapi_version(db, spec);
    let is_read = !found.iter().any(|it| it.severity() == Severity::Error);
    found.extend(broken_references(db, spec));
    if is_read && is_whole {
        found.extend(broken_rules(db, spec));
        if operation_places(db, spec).places.is_empty() {
            let message = "the document has no channels: `channels` is empty or absent";
            found.push(Diagnostic::new(Code::NoOperations, "/channels", message));
        }
    }
    let found = lint::grouped(found).into_iter();
    found.map(|found| in_file(path, found)).collect()
}

/// The version of AsyncAPI that the document says it is of, unless it is the one that is known.
fn asyncapi_version(db: &dyn Db, spec: Spec) -> Vec<UnplacedDiagnostic> {
    if let Some(version) = text_at(db, spec, &format!("/{ORIGIN}")) {
        let message = format!("AsyncAPI {version} document; reading it as AsyncAPI 3.0");
        let found = Diagnostic::new(Code::AsyncapiConverted, "/asyncapi", message);
        return vec![found.hint("convert it to AsyncAPI 3, for example with `asyncapi convert`")];
    }
    let version = text_at(db, spec, "/asyncapi").unwrap_or_default();
    let mut numbers = version.split('.');
    match (numbers.next(), numbers.next()) {
        (Some("3"), Some("0" | "1") | None) => Vec::new(),
        (Some("3"), _) => {
            let message = format!("AsyncAPI {version} is not supported yet; treating it as 3.1");
            vec![Diagnostic::new(Code::VersionNewer, "/asyncapi", message)]
        }
        (major, _) => {
            let message =
                format!("`asyncapi: {version}` is not a version of AsyncAPI that can be read");
            let hint = match major {
                Some("1") => "2 and 3 can; convert it, for example with `asyncapi convert`",
                _ => "2 and 3 can: write `asyncapi: 3.0.0`",
            };
            let found = Diagnostic::new(Code::UnsupportedVersion, "/asyncapi", message);
            vec![found.hint(hint)]
        }
    }
}

/// A diagnostic before it is known how its file is called.
type UnplacedDiagnostic = Diagnostic<String>;

/// A diagnostic in the file at `path`: of a misspelt field at its name, else at its value.
fn in_file(path: &SitePath, found: UnplacedDiagnostic) -> Diagnostic {
    let is_of_name = found.code == Code::SpecFieldUnknown && found.replacement.is_some();
    found.at(|pointer| match is_of_name {
        true => Place::key(path, pointer),
        false => Place::value(path, pointer),
    })
}

/// Returns true if a diagnostic is about a style that a `collectionFormat` was converted to:
/// OpenAPI 3 does not allow each of them everywhere.
fn is_style_of_swagger(db: &dyn Db, spec: Spec, found: &UnplacedDiagnostic) -> bool {
    found.code == Code::SpecValueInvalid
        && found.place.ends_with("/style")
        && text_at(db, spec, &found.place).is_some_and(|style| style.ends_with("Delimited"))
}

/// A diagnostic of a converted document in the names that its author uses.
fn in_words_of_swagger(mut found: UnplacedDiagnostic) -> UnplacedDiagnostic {
    let places = [
        ("#/components/schemas/", "#/definitions/"),
        ("#/components/", "#/"),
    ];
    for (converted, written) in places {
        found.message = found.message.replace(converted, written);
    }
    if found.code == Code::ServersMissing {
        found.hint = Some(
            "add `host` and `schemes`: without them, readers cannot send requests from the page"
                .to_owned(),
        );
    }
    found
}

/// The version that the document says it is of, unless it can be read.
fn version(db: &dyn Db, spec: Spec) -> Vec<UnplacedDiagnostic> {
    let unsupported = |at: &str, message: String, hint: &str| {
        vec![Diagnostic::new(Code::UnsupportedVersion, at, message).hint(hint)]
    };
    match (text_at(db, spec, "/openapi"), text_at(db, spec, "/swagger")) {
        // Both are in what a document of Swagger was converted to.
        (Some(_), Some(version)) => {
            let message = format!("Swagger {version} document; reading it as OpenAPI 3.0");
            let hint = "convert it to OpenAPI 3, for example with swagger2openapi";
            vec![Diagnostic::new(Code::SwaggerConverted, "/swagger", message).hint(hint)]
        }
        (Some(version), _) if is_known_version(&version) => Vec::new(),
        (Some(version), _) if version.starts_with("3.") => {
            let message = format!("OpenAPI {version} is not supported yet; treating it as 3.2");
            vec![Diagnostic::new(Code::VersionNewer, "/openapi", message)]
        }
        (Some(version), _) => {
            let message =
                format!("`openapi: {version}` is not a version of OpenAPI that can be read");
            unsupported("/openapi", message, "3.0, 3.1 and 3.2 can")
        }
        (None, Some(version)) => {
            let message = format!(
                "`swagger: {version}` is a version before OpenAPI 3.0, which cannot be read"
            );
            let hint = "convert it, for example with swagger2openapi";
            unsupported("/swagger", message, hint)
        }
        (None, None) => {
            let message = "the document does not say which version of OpenAPI it is";
            let hint = "add `openapi: 3.1.0` at its top";
            unsupported("/openapi", message.to_owned(), hint)
        }
    }
}

/// Returns true if the fields of a version of OpenAPI are known.
fn is_known_version(version: &str) -> bool {
    ["3.0", "3.1", "3.2"].iter().any(|minor| {
        let patch = version.strip_prefix(minor);
        patch.is_some_and(|patch| patch.is_empty() || patch.starts_with('.'))
    })
}

/// Features that the version of the document does not have: webhooks before 3.1, another dialect
/// from then on.
fn features(db: &dyn Db, spec: Spec) -> Vec<UnplacedDiagnostic> {
    let is_before_31 = is_before_31(db, spec);
    let mut found = Vec::new();
    if is_before_31 && has_members(db, spec, "/webhooks") {
        let message = "OpenAPI 3.0 knows no `webhooks`; they have no pages";
        let webhooks = Diagnostic::new(Code::WebhooksNeed31, "/webhooks", message);
        found.push(webhooks.hint("raise `openapi` to 3.1.0"));
    }
    let dialect = text_at(db, spec, "/jsonSchemaDialect").filter(|dialect| !is_known(dialect));
    if let (Some(dialect), false) = (dialect, is_before_31) {
        let message = format!("the dialect `{dialect}` is not known; schemas are read as 2020-12");
        let dialect = Diagnostic::new(Code::DialectUnknown, "/jsonSchemaDialect", message);
        found.push(dialect.hint(format!("leave it out, or write `{}`", DIALECTS[0])));
    }
    found
}

/// The dialects of JSON Schema that schemas are read with (OpenAPI 3.1, 4.8.24.5): that of OpenAPI, and what it is based on.
const DIALECTS: [&str; 2] = [
    "https://spec.openapis.org/oas/3.1/dialect/base",
    "https://json-schema.org/draft/2020-12/schema",
];

fn is_known(dialect: &str) -> bool {
    DIALECTS.contains(&dialect.trim_end_matches('#'))
}

/// Violations of OpenAPI rules within single slices.
fn broken_rules(db: &dyn Db, spec: Spec) -> Vec<UnplacedDiagnostic> {
    let slices = spec.slices(db).iter();
    slices
        .flat_map(|slice| {
            let node = SpecNode::new(db, spec, slice.key(db).to_string());
            slice_faults(db, node).clone()
        })
        .collect()
}

/// Violations of rules about the document as a whole.
fn broken_by_all(db: &dyn Db, spec: Spec) -> Vec<UnplacedDiagnostic> {
    let Some(edition) = spec_edition(db, spec) else {
        return Vec::new();
    };
    let slices = spec.slices(db).iter();
    let references = slices
        .clone()
        .flat_map(|slice| slice_references(db, *slice));
    let has_other_files = references
        .clone()
        .any(|(_, reference)| !reference.starts_with('#'));
    let targets = references.filter_map(|(_, reference)| reference.strip_prefix('#'));
    let referred: BTreeSet<String> = targets.map(slice::decode_fragment).collect();
    lint::document::violations(&lint::document::Document {
        edition,
        slices: slices
            .map(|slice| (&**slice.key(db), slice_facts(db, *slice)))
            .collect(),
        referred: &referred,
        has_other_files,
    })
}

/// The references that lead nowhere, or out of the document.
fn broken_references(db: &dyn Db, spec: Spec) -> Vec<UnplacedDiagnostic> {
    let slices = spec.slices(db).iter();
    let references = slices.flat_map(|slice| slice_references(db, *slice));
    let mut outside: Vec<Outside<'_>> = Vec::new();
    // Asked for where references are not of the form that needs no address.
    let mut own: Option<String> = None;
    let diagnostics = references.filter_map(|(pointer, reference)| {
        let (file, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let mut is_own = || {
            let own = own.get_or_insert_with(|| {
                let named = text_at(db, spec, "/$self");
                named.unwrap_or_else(|| spec.path(db).as_str().to_owned())
            });
            openapi::reference::is_own(own, file)
        };
        if !file.is_empty() && is_identified(db, spec, file, fragment) {
            return None;
        }
        if !file.is_empty() && !is_own() {
            match outside.iter_mut().find(|known| known.file == file) {
                Some(known) => known.count += 1,
                None => outside.push(Outside {
                    file,
                    first: pointer,
                    count: 1,
                }),
            }
            return None;
        };
        let target = SpecNode::new(db, spec, slice::decode_fragment(fragment));
        if is_there(db, target) {
            return None;
        }
        let message = format!("`{reference}` leads nowhere");
        let hint = "look at the spelling of its last part, and whether the component is defined";
        Some(Diagnostic::new(Code::RefMissing, &**pointer, message).hint(hint))
    });
    let mut found: Vec<UnplacedDiagnostic> = diagnostics.collect();
    found.extend(external_references(&outside));
    found
}

/// Returns true if a reference leads into a schema of the document with an `$id`.
fn is_identified(db: &dyn Db, spec: Spec, file: &str, fragment: &str) -> bool {
    let names = spec_anchors(db, spec);
    if names.ids.is_empty() {
        return false;
    }
    let own = text_at(db, spec, "/$self");
    let own = own.unwrap_or_else(|| spec.path(db).as_str().to_owned());
    let others = openapi::reference::other_names(file, &own).into_iter();
    let mut all = std::iter::once(file.to_owned()).chain(others);
    let Some((name, base)) = all.find_map(|name| Some((name.clone(), names.ids.get(&name)?)))
    else {
        return false;
    };
    let fragment = slice::decode_fragment(fragment);
    match fragment.is_empty() || fragment.starts_with('/') {
        true => value_at(db, spec, &format!("{base}{fragment}")).is_some(),
        false => {
            let within = format!("{name}#{fragment}");
            names.anchors.contains_key(&within) || names.anchors.contains_key(&fragment)
        }
    }
}

/// The references of a document to one other file.
struct Outside<'a> {
    file: &'a str,
    /// Place of the first one.
    first: &'a str,
    count: usize,
}

/// Maximum number of referenced files that are reported one by one.
const MAX_FILES: usize = 3;

/// Diagnostics of references out of the document: one per file, or one for many files.
fn external_references(outside: &[Outside<'_>]) -> Vec<UnplacedDiagnostic> {
    let places = |count: usize| match count {
        1 => String::new(),
        count => format!(" ({count} references)"),
    };
    let say = |at: &str, message: String| {
        let hint = "bundle the document, for example with redocly bundle";
        Diagnostic::new(Code::RefExternal, at, message).hint(hint)
    };
    match outside {
        [first, rest @ ..] if outside.len() > MAX_FILES => {
            let count = outside.iter().map(|one| one.count).sum();
            let message = format!(
                "`{}` and {} more files are other documents and are not read{}",
                first.file,
                rest.len(),
                places(count)
            );
            vec![say(first.first, message)]
        }
        few => {
            let lines = few.iter().map(|one| {
                let message = format!(
                    "`{}` is another document and is not read{}",
                    one.file,
                    places(one.count)
                );
                say(one.first, message)
            });
            lines.collect()
        }
    }
}

/// The ids that several operations have.
fn repeated_ids(db: &dyn Db, spec: Spec) -> Vec<UnplacedDiagnostic> {
    let mut known = HashMap::new();
    let mut found = Vec::new();
    for entry in operation_index(db, spec).entries() {
        let Some(id) = &entry.meta.id else { continue };
        if let Some(other) = known.insert(id, entry) {
            let place = format!("{}/operationId", entry.at);
            let other = format!("{} {}", other.method.name(), other.path);
            let message = format!("`{id}` is the `operationId` of `{other}` already");
            let repeated = Diagnostic::new(Code::OperationIdDuplicate, place, message);
            found.push(repeated.hint("give each operation an id of its own"));
        }
    }
    found
}

/// Parts of paths that no parameter describes, and parameters that are no part of their path.
fn path_faults(db: &dyn Db, spec: Spec) -> Vec<UnplacedDiagnostic> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let entries = operation_index(db, spec).entries();
    for entry in entries.filter(|entry| entry.kind == EntryKind::Operation) {
        let (item, _) = entry.key.rsplit_once('/').unwrap_or_default();
        let own = path_parameters(db, SpecNode::new(db, spec, entry.at.clone()));
        let shared = path_parameters(db, SpecNode::new(db, spec, item.to_owned()));
        let names: BTreeSet<&str> = lint::placeholders(&entry.path).collect();
        for name in &names {
            let is_name = |known: &String| known == name;
            // What was not read may be the parameter.
            let is_whole = own.is_whole && shared.is_whole;
            if is_whole && !own.names.iter().any(is_name) && !shared.names.iter().any(is_name) {
                let message = format!("no parameter describes `{{{name}}}` of the path");
                let missing = Diagnostic::new(Code::PathParameterMissing, &*entry.at, message);
                found.push(missing.hint(format!("add a parameter `{name}` with `in: path`")));
            }
        }
        for (owner, parameters) in [(&*entry.at, own), (item, shared)] {
            for name in parameters
                .names
                .iter()
                .filter(|name| !names.contains(name.as_str()))
            {
                let place = pointer::child(owner, "parameters");
                // Those of a path are the same for each of its operations.
                if seen.insert((place.clone(), name.clone())) {
                    let message =
                        format!("the path has no `{{{name}}}`, which a parameter describes");
                    let unused = Diagnostic::new(Code::PathParameterUnused, place, message);
                    found.push(unused.hint("fix the name or remove the parameter"));
                }
            }
        }
    }
    found
}
