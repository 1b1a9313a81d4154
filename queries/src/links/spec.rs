//! The links in the descriptions of a specification.

use serde_json::Value;

use super::fault;
use crate::db::Db;
use crate::inputs::{Spec, SpecSlice};
use crate::navigation::is_introduced;
use crate::openapi::slice_value;
use base::data::pointer;
use base::diagnostic::{Diagnostic, Tally};
use base::place::Place;
use mdx::plain::{self, Headings};

/// What is wrong with the links in the descriptions of a specification: those that begin with `/`, which mean the same on
/// each page that shows them.
///
/// Wakes when such a link changes, when a page of the site appears or vanishes, and when the headings of a page change that
/// it links to; not when words change.
#[salsa::tracked]
pub fn spec_link_diagnostics(db: &dyn Db, spec: Spec) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    // Of a specification each is listed: it is written by others, who may want the whole list.
    let tally = Tally::default();
    let is_introduced = is_introduced(db, spec);
    let links = spec.slices(db).iter();
    let links = links.filter(|slice| is_introduced || !opens(slice.key(db)));
    for (at, link) in links.flat_map(|slice| slice_links(db, *slice)) {
        if let Some((code, message, advice)) = fault(db, spec.path(db), None, link, &tally) {
            let place = Place::value(spec.path(db), at.clone());
            let diagnostic = Diagnostic::new(code, place, message).advise(advice);
            // The place is the whole description.
            diagnostics.push(Diagnostic {
                replacement: None,
                ..diagnostic
            });
        }
    }
    diagnostics
}

/// The links to the site in the descriptions of a slice, each with the pointer of its description. Stands between the
/// words and the check.
#[salsa::tracked]
fn slice_links(db: &dyn Db, slice: SpecSlice) -> Vec<(String, String)> {
    let key = slice.key(db);
    let is_shown = [
        "/paths/",
        "/webhooks/",
        "/components/",
        "/channels/",
        "/operations/",
    ];
    if !is_shown.iter().any(|part| key.starts_with(part)) && !opens(key) {
        return Vec::new();
    }
    let mut links = Vec::new();
    collect(slice_value(db, slice), &mut key.to_string(), &mut links);
    links
}

/// Returns true if only the page that opens the reference shows texts of a slice.
fn opens(key: &str) -> bool {
    matches!(key, "/info" | "/tags" | "/servers" | "/externalDocs")
}

fn collect(value: &Value, at: &mut String, links: &mut Vec<(String, String)>) {
    let length = at.len();
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                match (key.as_str(), member) {
                    ("description", Value::String(text)) => {
                        let at = pointer::child(at, key);
                        let found = links_of(text).into_iter();
                        links.extend(found.map(|link| (at.clone(), link)));
                    }
                    // Data of the author's is drawn as it is.
                    ("example" | "examples" | "default" | "const" | "enum" | "value", _) => {}
                    (key, Value::Object(_) | Value::Array(_)) if !key.starts_with("x-") => {
                        *at = pointer::child(at, key);
                        collect(member, at, links);
                        at.truncate(length);
                    }
                    _ => {}
                }
            }
        }
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                *at = pointer::item(at, i);
                collect(item, at, links);
                at.truncate(length);
            }
        }
        _ => {}
    }
}

/// The links of a description that begin with `/`, each once.
fn links_of(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    // Most descriptions have none, and are not read as Markdown a second time.
    let signs = ["](/", "](</", "]:", "href"];
    if !signs.iter().any(|sign| text.contains(sign)) {
        return links;
    }
    let mut code = |_: &str, _: &str| String::new();
    let mut link = |href: &str| {
        let is_local = href.starts_with('/') && !href.starts_with("//");
        if is_local && !links.iter().any(|known| known == href) {
            links.push(href.to_owned());
        }
        href.to_owned()
    };
    plain::html(text, Headings::Flat, &mut code, &mut link);
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_descriptions_are_those_that_are_drawn() {
        let text =
            "[a](/a) ![i](/i.png) `[b](/b)` [c](c) <a href=\"/d#e\">d</a> [a](/a) [f]\n\n[f]: /f\n";
        let links = links_of(text);
        assert!(links.contains(&"/a".to_owned()) && links.contains(&"/f".to_owned()));
        assert!(links.contains(&"/d#e".to_owned()));
        assert!(!links.contains(&"/b".to_owned()) && !links.contains(&"c".to_owned()));
        assert_eq!(links.iter().filter(|link| *link == "/a").count(), 1);
    }
}
