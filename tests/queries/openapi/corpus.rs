//! Real documents: every operation and every model gets a page.

use std::time::{Duration, Instant};

use base::path::SitePath;
use openapi::endpoint::Settings;
use openapi::model::model;
use openapi::operation::endpoint;
use openapi::plain::Plain;
use openapi::search::search_text;
use serde_json::Value;

use super::operations;

/// A document of the corpus.
pub(super) struct Entry {
    pub(super) file: String,
    pub(super) is_ok: bool,
    pub(super) root: Option<Value>,
}

/// The documents of the corpus; none on machines that do not have it, which is said.
pub(super) fn documents() -> Vec<Entry> {
    let Some(corpus) = crate::corpus::corpus() else {
        eprintln!("SKIPPED: no corpus; set QUIRE_SHARED");
        return Vec::new();
    };
    let manifest = std::fs::read_to_string(corpus.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let listed = manifest["openapi"].as_array().unwrap();
    let entries = listed.iter().map(|entry| {
        let file = entry["file"].as_str().unwrap().to_owned();
        let bytes = std::fs::read(corpus.join("openapi").join(&file)).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_start_matches('\u{feff}');
        let root = if file.ends_with(".json") {
            let path = SitePath::new(&file).unwrap();
            let parsed = base::data::json::parse(&path, text);
            parsed.value.is_object().then_some(parsed.value)
        } else {
            base::data::yaml::parse_document(text)
                .ok()
                .map(|document| document.value)
        };
        Entry {
            is_ok: entry["expect"] == "ok",
            root: root.filter(Value::is_object),
            file,
        }
    });
    entries.collect()
}

/// The text of a document of the corpus.
pub(super) fn text(file: &str) -> String {
    let corpus = crate::corpus::corpus().expect("a document of the corpus");
    let bytes = std::fs::read(corpus.join("openapi").join(file)).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn every_operation_and_every_model_has_a_page() {
    let settings = Settings::default();
    let (mut operations_count, mut models, mut read) = (0, 0, 0);
    let mut slowest: Vec<(Duration, String)> = Vec::new();
    let mut codes = std::collections::BTreeMap::new();
    for entry in documents() {
        let Some(root) = entry.root else {
            assert!(!entry.is_ok, "{} was not read", entry.file);
            continue;
        };
        read += 1;
        let document = Plain::new(root.clone());
        for pointer in operations(&root) {
            let start = Instant::now();
            let page = endpoint(&&document, &pointer, &settings);
            slowest.push((start.elapsed(), format!("{} {pointer}", entry.file)));
            let page = page.unwrap_or_else(|| panic!("{} {pointer} has no page", entry.file));
            assert!(!search_text(&page.value).text().is_empty());
            operations_count += 1;
            for problem in page.diagnostics {
                *codes.entry(problem.code.name()).or_insert(0) += 1;
            }
        }
        let schemas = root
            .pointer("/components/schemas")
            .and_then(Value::as_object);
        for (name, _) in schemas.into_iter().flatten() {
            let pointer = base::data::pointer::child("/components/schemas", name);
            let start = Instant::now();
            let page = model(&&document, &pointer, &settings);
            slowest.push((start.elapsed(), format!("{} {pointer}", entry.file)));
            assert!(page.is_some(), "{} {pointer} has no page", entry.file);
            models += 1;
        }
    }
    slowest.sort();
    let median = slowest.get(slowest.len() / 2).map(|(time, _)| *time);
    println!("{read} documents, {operations_count} operations, {models} models; median {median:?}");
    for (time, what) in slowest.iter().rev().take(12) {
        println!("{time:?} {what}");
    }
    println!("{codes:#?}");
}
