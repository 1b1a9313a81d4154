//! An answer of the search as programs get it.

use std::ops::Range;

use serde_json::{Map, Value, json};

use super::rounded;
use crate::index::{Answer, Hit, Indexing, SectionHit, Snippet};

/// An answer as programs get it (SPEC 2.2): `mode` is the one that was used. With the passages of each page if `sections`.
///
/// In addition to the fields of the specification a result states its kind and why it was found:
/// `kind`, `breadcrumb`, `method` and `path` of an operation, `tab`, `version`, `language`, and
/// `matches`, the ranges of `title` and `snippet` that were asked for, in UTF-16 code units as
/// JavaScript counts. Where nothing was found, `suggestions` are questions that find something.
/// `revision` is the revision of the site that the results come from, if it is an earlier one;
/// `indexing` is the progress of the first index, if it is not complete.
pub fn json(answer: &Answer, sections: bool) -> Value {
    let results = answer.results.iter().map(|hit| result(hit, sections));
    let mode = answer.mode.name();
    let mut shown = json!({ "mode": mode, "results": results.collect::<Vec<Value>>() });
    if let Some(embedder) = &answer.embedder {
        shown["embedder"] = json!(embedder);
    }
    if let Some(revision) = answer.revision {
        shown["revision"] = json!(revision);
    }
    if let Some(indexing) = &answer.indexing {
        shown["indexing"] = self::indexing(*indexing);
    }
    if !answer.suggestions.is_empty() {
        shown["suggestions"] = json!(answer.suggestions);
    }
    shown
}

/// Progress of the first index, as programs get it.
pub fn indexing(indexing: Indexing) -> Value {
    json!({ "done": indexing.done, "of": indexing.of })
}

fn result(hit: &Hit, sections: bool) -> Value {
    let mut object = Map::new();
    let url = hit.leads_to.clone();
    object.insert("title".to_owned(), json!(hit.title));
    object.insert(
        "url".to_owned(),
        json!(url.unwrap_or_else(|| hit.url.href())),
    );
    object.insert("snippet".to_owned(), json!(hit.snippet.text));
    object.insert("score".to_owned(), json!(rounded(hit.score)));
    object.insert("kind".to_owned(), json!(hit.kind.name()));
    object.insert("breadcrumb".to_owned(), json!(hit.breadcrumb));
    let operation = hit.operation.as_ref();
    let given = [
        ("method", operation.map(|(method, _)| method)),
        ("path", operation.map(|(_, path)| path)),
        ("tab", hit.tab.as_ref()),
        ("version", hit.version.as_ref()),
        ("language", hit.language.as_ref()),
    ];
    for (name, value) in given {
        if let Some(value) = value {
            object.insert(name.to_owned(), json!(value));
        }
    }
    object.insert(
        "matches".to_owned(),
        matches((&hit.title, &hit.title_matches), &hit.snippet),
    );
    if sections {
        let sections = hit.sections.iter().map(section);
        object.insert("sections".to_owned(), sections.collect());
    }
    Value::Object(object)
}

fn section(section: &SectionHit) -> Value {
    json!({
        "title": section.title,
        "anchor": section.anchor,
        "snippet": section.snippet.text,
        "score": rounded(section.score),
        "matches": matches((&section.title, &section.title_matches), &section.snippet),
    })
}

/// Matched ranges of a title and of an excerpt, as JSON.
fn matches((title, of_title): (&str, &[Range<usize>]), snippet: &Snippet) -> Value {
    json!({
        "title": in_code_units(title, of_title),
        "snippet": in_code_units(&snippet.text, &snippet.matches),
    })
}

/// Ranges of the bytes of `text`, which are in order, as ranges of its UTF-16 code units.
fn in_code_units(text: &str, ranges: &[Range<usize>]) -> Vec<[usize; 2]> {
    let (mut at, mut units) = (0, 0);
    let mut upto = |byte: usize| {
        units += text
            .get(at..byte)
            .map_or(0, |piece| piece.encode_utf16().count());
        at = byte;
        units
    };
    ranges
        .iter()
        .map(|range| [upto(range.start), upto(range.end)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_counted_as_javascript_counts() {
        // One unit, two bytes; two units, four bytes; one unit, three bytes.
        let text = "ä𝄞 key 鍵";
        let key = text.find("key").unwrap();
        let sign = text.find('鍵').unwrap();
        assert_eq!(
            in_code_units(text, &[key..key + 3, sign..sign + 3]),
            [[4, 7], [8, 9]]
        );
        assert!(in_code_units(text, &[]).is_empty());
    }
}
