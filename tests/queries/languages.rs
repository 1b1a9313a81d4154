//! The words of the frame: each page in those of its language, what is read of it in English, and nothing drawn twice.

use queries::frame::{PageOptions, not_found_html};
use queries::site::{page_twin, route_table};
use theme::language;

use crate::support::TestSite;

const SPEC: &str = r##"{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "servers": [{"url": "https://a.example"}],
  "paths": {"/a": {"post": {"summary": "Make", "deprecated": true, "security": [{"key": []}],
    "parameters": [{"name": "q", "in": "query", "required": true, "schema": {"type": "string", "minLength": 3, "maxLength": 40, "enum": ["one"]}}],
    "requestBody": {"content": {"application/json": {"schema": {"type": "object", "properties": {"inner": {"type": "object", 
      "properties": {"x": {"type": "integer", "multipleOf": 5}}}}}}}},
    "responses": {"200": {"description": "ok"}}}}},
  "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}}"##;

const PAGE: &str = "---\ntitle: T\n---\n\n## One\n\n<Note>n</Note>\n\n<Expandable title=\"more\">x</Expandable>\n\n```js\nlet a;\n```\n\n## Two\n\ntext\n";

/// A site with the same pages in each of `languages`, which all show the operation of one document.
fn site_in(languages: &[&str]) -> TestSite {
    let nodes = languages.iter().map(|code| {
        let group = format!(r#"{{"group": "API", "openapi": {{"source": "api.json", "directory": "{code}/api"}}}}"#);
        format!(r#"{{"language": "{code}", "groups": [{{"group": "G", "pages": ["{code}/start", "{code}/next"]}}, {group}]}}"#)
    });
    let nodes = nodes.collect::<Vec<_>>().join(",");
    let docs = format!(
        r##"{{"theme": "mint", "name": "A", "colors": {{"primary": "#0a7"}}, "navigation": {{"languages": [{nodes}]}}}}"##
    );
    let mut files = vec![
        ("docs.json".to_owned(), docs),
        ("api.json".to_owned(), SPEC.to_owned()),
    ];
    for code in languages {
        files.push((format!("{code}/start.mdx"), PAGE.to_owned()));
        files.push((format!("{code}/next.mdx"), PAGE.to_owned()));
    }
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (&**path, &**text))
        .collect();
    TestSite::new(&files)
}

#[test]
fn each_page_is_in_the_words_of_its_language() {
    let site = site_in(&["en", "de", "ar"]);
    let outputs = site.outputs();
    let has = |route: &str, words: &[&str]| {
        let html = &outputs[route];
        for word in words {
            assert!(html.contains(word), "{word} on {route}");
        }
    };
    has(
        "/en/start",
        &[
            "On this page",
            "Show more",
            "Copy code",
            "aria-label=\"Note\"",
            "Skip to content",
        ],
    );
    has(
        "/de/start",
        &[
            "Auf dieser Seite",
            "more zeigen",
            "Code kopieren",
            "aria-label=\"Hinweis\"",
            ">Weiter",
            "quire-words",
        ],
    );
    has(
        "/ar/start",
        &["في هذه الصفحة", "dir=\"rtl\"", "lang=\"ar\"", "نسخ الكود"],
    );
    has(
        "/en/api/make",
        &[
            "Query parameters",
            ">required<",
            "Authorizations",
            "3 – 40 characters",
            "multiple of 5",
            "Responses",
        ],
    );
    let german = [
        "Abfrageparameter",
        ">erforderlich<",
        "Autorisierung",
        "3 – 40 Zeichen",
        "Vielfaches von 5",
        ">Antworten",
        "Veraltet",
        "1 Eigenschaft zeigen",
    ];
    has("/de/api/make", &german);
    let english = [
        "Query parameters",
        ">required<",
        "Authorizations",
        "characters",
        "multiple of",
        "Responses",
        "On this page",
        "Copy code",
    ];
    for word in english {
        assert!(!outputs["/de/api/make"].contains(word), "{word}");
    }
    assert!(!outputs["/en/start"].contains("quire-words"));
}

#[test]
fn every_language_code_is_whole() {
    let codes: Vec<&str> = language::NAMES.iter().map(|(code, _)| *code).collect();
    let outputs = site_in(&codes);
    let outputs = outputs.outputs();
    for code in codes {
        let html = &outputs[&format!("/{code}/start")];
        assert!(
            html.contains(&format!("lang=\"{}\"", language::tag(code))),
            "{code}"
        );
        assert_eq!(html.contains("On this page"), code == "en", "{code}");
    }
}

#[test]
fn what_is_read_of_a_page_is_in_english() {
    let site = site_in(&["de", "en"]);
    let db = &site.db;
    for page in route_table(db, site.site).pages.values() {
        let twin = page_twin(db, site.site, *page);
        assert!(!twin.contains('\u{FDD0}'), "{twin}");
        let text = queries::search::page_text(db, *page);
        let text = serde_json::to_string(&**text).expect("texts are JSON");
        assert!(!text.contains('\u{FDD0}'), "{text}");
    }
}

#[test]
fn what_is_missing_is_said_in_the_language_of_its_address() {
    let site = site_in(&["en", "de"]);
    let said = |route: &str| not_found_html(&site.db, site.site, route, &PageOptions::default());
    let german = said("/de/nothing");
    assert!(
        german.contains("Diese Seite gibt es nicht") && german.contains("lang=\"de\""),
        "{german}"
    );
    assert!(
        german.contains("Unter <code>/de/nothing</code> ist nichts"),
        "{german}"
    );
    assert!(german.contains("<title>Seite nicht gefunden"), "{german}");
    assert!(said("/nothing").contains("This page does not exist"));
}
