//! `quire openapi`: specifications looked at by themselves, without a site around them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use queries::base::data::split::{Format, SplitDocument};
use queries::base::diagnostic::Code;
use queries::base::path::SitePath;
use queries::site::{self, operation_reference, routes};
use serde_json::{Value, json};

use crate::check::Findings;
use quire_engine::host::{FileChange, HostOptions, SiteHost};
use quire_engine::report;
use quire_source::sources::FileState;

/// A site that consists of the pages of `specs`, each a group of its own.
fn site_of(specs: &[PathBuf]) -> anyhow::Result<SiteHost> {
    let mut changes = Vec::new();
    let mut groups = Vec::new();
    let mut names = BTreeSet::new();
    for spec in specs {
        let path = name_of(spec, &names)?;
        let text = std::fs::read(spec).with_context(|| format!("read {}", spec.display()))?;
        let kind = match is_asyncapi(&path, &text) {
            true => "asyncapi",
            false => "openapi",
        };
        groups.push(json!({ "group": path.to_string(), kind: path.to_string() }));
        changes.push(FileChange {
            path: path.clone(),
            state: FileState::Text(text.into()),
        });
        names.insert(path);
    }
    let docs = json!({
        "theme": "mint", "name": "API", "colors": { "primary": "#0a7a5a" }, "navigation": { "groups": groups },
        // Only what describes itself is asked for.
        "api": { "introduction": false },
    });
    let path = SitePath::new("docs.json").ok_or_else(|| anyhow!("no path"))?;
    let state = FileState::Text(docs.to_string().into());
    changes.push(FileChange { path, state });
    let host = SiteHost::new("", HostOptions::default());
    host.apply(changes);
    Ok(host)
}

/// Whether the document at `path` says that it is one of AsyncAPI.
fn is_asyncapi(path: &SitePath, text: &[u8]) -> bool {
    let Some(format) = Format::of(path) else {
        return false;
    };
    let document = SplitDocument::split(path, format, text.into());
    let has = |key: &str| document.slices.iter().any(|slice| &*slice.key == key);
    has("/asyncapi") && !has("/openapi")
}

/// The path under which a specification is known: as it was given, if no other has that name.
fn name_of(spec: &Path, used_paths: &BTreeSet<SitePath>) -> anyhow::Result<SitePath> {
    let file_name = spec.file_name().and_then(|name| name.to_str());
    let given = spec.to_str().and_then(SitePath::new);
    let path = given.or_else(|| SitePath::new(file_name?));
    let Some(path) = path else {
        bail!("{}: the name is not UTF-8", spec.display());
    };
    if Format::of(&path).is_none() {
        bail!(
            "{}: a specification ends in .json, .yaml or .yml",
            spec.display()
        );
    }
    if used_paths.contains(&path) {
        bail!("{}: this specification is named twice", spec.display());
    }
    Ok(path)
}

/// Everything that is wrong with `specs`. Where links to a site lead is not known here.
pub fn findings(specs: &[PathBuf]) -> anyhow::Result<Findings> {
    let host = site_of(specs)?;
    let operations = host.read(|db, site| site::documented_operations(db, site));
    let operations = operations.map_err(|error| anyhow!("list the operations: {error:?}"))?;
    for drawn in host.read_all(&operations, |db, _, operation| {
        operation_reference(db, *operation);
    }) {
        drawn.map_err(|error| anyhow!("draw an operation: {error:?}"))?;
    }
    let reports = host.read(|db, site| report::reports(db, site));
    let mut reports = reports.map_err(|error| anyhow!("check the specifications: {error:?}"))?;
    let is_of_site = |code| matches!(code, Code::BrokenLink | Code::BrokenAnchor);
    reports.retain(|report| !is_of_site(report.diagnostic.code));
    Ok(Findings {
        reports,
        pages: operations.len(),
        prefix: String::new(),
    })
}

/// The pages that `specs` would get, in the form of `quire routes`.
pub fn pages(specs: &[PathBuf]) -> anyhow::Result<Value> {
    let host = site_of(specs)?;
    let routes = host.read(|db, site| routes::routes(db, site));
    routes.map_err(|error| anyhow!("list the routes: {error:?}"))
}
