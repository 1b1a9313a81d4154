//! Whatever stands anywhere in a configuration, it is read without a panic and complained about once.

use base::diagnostic::Severity;
use queries::config::site_config;
use queries::navigation::{page_section, sections};
use serde_json::{Value, json};

use crate::support::{TestSite, shown};

/// The pointers of all nodes below `pointer`.
fn pointers(value: &Value, pointer: String, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                pointers(member, format!("{pointer}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                pointers(item, format!("{pointer}/{i}"), found);
            }
        }
        _ => {}
    }
    found.push(pointer);
}

#[track_caller]
fn check_every_node(file: &str, config: &Value) {
    let mut found = Vec::new();
    pointers(config, String::new(), &mut found);
    for pointer in found {
        for wrong in [
            json!(null),
            json!(-1.5),
            json!(""),
            json!("x y"),
            json!([]),
            json!([[]]),
            json!({}),
            json!({"$ref": file}),
            json!({"$ref": "nope.json"}),
        ] {
            let mut edited = config.clone();
            *edited.pointer_mut(&pointer).unwrap() = wrong.clone();
            let text = edited.to_string();
            let site = TestSite::new(&[(file, text.as_str()), ("a.mdx", ""), ("b/index.mdx", "")]);
            let config = site_config(&site.db, site.site);
            for section in sections(&site.db, site.site) {
                section.breadcrumb(&site.db);
            }
            page_section(&site.db, site.file("a.mdx"));
            let errors = config.diagnostics.iter();
            let errors: Vec<_> = errors
                .filter(|d| d.severity() == Severity::Error)
                .cloned()
                .collect();
            // An empty object may lack several fields; the file in itself repeats what is wrong with it.
            let is_one_cause = !wrong.is_object() || wrong["$ref"] == "nope.json";
            assert!(
                errors.len() <= 1 || !is_one_cause,
                "{wrong} at {pointer}:\n{}",
                shown(&errors)
            );
        }
    }
}

#[test]
fn a_wrong_value_anywhere_is_one_error() {
    let config = serde_json::from_str(r##"{
        "theme": "mint", "name": "A", "colors": {"primary": "#0a7", "light": "#fff"}, "logo": {"light": "/l", "dark": "/d"},
        "favicon": "/f", "fonts": {"heading": {"family": "F", "weight": 1}}, "background": {"color": {"dark": "#000"}},
        "styling": {"codeblocks": {"theme": "x", "languages": {"custom": ["g"]}}}, "errors": {"404": {"redirect": true}},
        "navbar": {"links": [{"label": "L", "href": "/", "icon": {"name": "x"}}], "primary": {"type": "github", "href": "/"}},
        "footer": {"socials": {"x": "/"}, "links": [{"header": "H", "items": [{"label": "L", "href": "/"}]}]},
        "banner": {"content": "c", "color": "#000"}, "contextual": {"options": ["copy", {"title": "t", "href": "/"}]},
        "redirects": [{"source": "/a", "destination": "/b"}], "variables": {"v": "1"}, "seo": {"metatags": {"a": "b"}, "paths": [{"path": "/", "metatags": {}}]},
        "integrations": {"ga4": {"measurementId": "G"}}, "server": "/s", "display": "none", "auth": {"method": "key"},
        "api": {"openapi": ["a.json"], "playground": {"display": "auth"}, "mdx": {"server": "x", "auth": {"method": "key"}}},
        "navigation": {"global": {"anchors": [{"anchor": "G", "href": "/g"}]}, "languages": [{"language": "en", "banner": {"content": "b"}, "versions": [
            {"version": "1", "tag": "t", "tabs": [{"tab": "T", "openapi": {"source": "a.json"}, "menu": [{"item": "I", "pages": ["a", "GET /x"]}]},
                {"tab": "L", "href": "/l"}, {"tab": "U", "groups": [{"group": "G", "root": "a", "boost": 1, "pages": ["b", {"group": "H", "pages": ["a"]}]}]}]}]}]}
    }"##)
    .unwrap();
    check_every_node("docs.json", &config);
}

#[test]
fn a_wrong_value_anywhere_in_a_legacy_file_is_one_error() {
    let config = serde_json::from_str(r##"{
        "name": "A", "colors": {"primary": "#0a7", "background": {"light": "#fff"}}, "modeToggle": {"default": "dark"}, "font": {"family": "F", "url": "/f"},
        "topbarLinks": [{"name": "N", "url": "/"}], "topbarCtaButton": {"type": "github", "url": "/"}, "primaryTab": {"name": "P"},
        "versions": ["1", {"name": "2"}], "tabs": [{"name": "T", "url": "b"}], "anchors": [{"name": "A", "url": "https://a.io"}],
        "navigation": [{"group": "G", "version": "1", "pages": ["a", {"group": "H", "pages": ["b/index"]}]}],
        "api": {"baseUrl": ["/"], "auth": {"method": "key"}, "playground": {"mode": "show", "disableProxy": true}, "request": {"example": {"languages": ["curl"]}}},
        "footerSocials": [{"type": "x", "url": "/"}], "footer": {"links": [{"title": "T", "links": [{"label": "L", "url": "/"}]}]}, "analytics": {"ga4": {"measurementId": "G"}},
        "seo": {"indexHiddenPages": true}, "metadata": {"og:x": "y"}, "background": {"style": "grid"}, "codeBlock": {"mode": "auto"}, "eyebrow": {"display": "section"}
    }"##)
    .unwrap();
    check_every_node("mint.json", &config);
}
