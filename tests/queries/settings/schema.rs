//! The JSON Schema of `docs.json`, which `quire init` writes for editors: `UPDATE_EXPECT=1` writes it
//! again from the samples and the descriptions of fields.
//!
//! It says no more than is known: properties with their descriptions, the words of fields of words,
//! and the type of flags and numbers. Editors must not complain of what the program accepts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use base::path::SitePath;
use config::fields::description;
use config::reference::Document;
use config::site::known_fields;
use serde_json::{Map, Value, json};

use super::{field_of, samples};
use crate::corpus::corpus;

const PATH: &str = "../src/cli/init/docs.schema.json";

/// Elements of the navigation by the fields that list them.
const LISTS: &[&str] = &[
    "groups",
    "tabs",
    "anchors",
    "dropdowns",
    "products",
    "versions",
    "languages",
    "menu",
];

/// What samples show of a field.
#[derive(Default)]
struct FieldSamples {
    words: Vec<&'static str>,
    values: Vec<Value>,
}

impl FieldSamples {
    fn is_any(&self, is: fn(&Value) -> bool) -> bool {
        self.values.iter().any(is)
    }

    fn are_all(&self, are: fn(&Value) -> bool) -> bool {
        !self.values.is_empty() && self.values.iter().all(are)
    }

    /// Returns the schema of the field, without those of the fields in it.
    fn schema(&self, about: Option<&str>) -> Value {
        let mut schema = Map::new();
        if let Some(about) = about {
            schema.insert("description".to_owned(), about.into());
        }
        let is_word = |value: &Value| {
            value
                .as_str()
                .is_some_and(|word| self.words.contains(&word))
        };
        if !self.words.is_empty() && self.values.iter().all(is_word) {
            schema.insert("enum".to_owned(), json!(self.words));
        } else if self.are_all(Value::is_boolean) {
            schema.insert("type".to_owned(), "boolean".into());
        } else if self.are_all(Value::is_number) {
            schema.insert("type".to_owned(), "number".into());
        }
        Value::Object(schema)
    }
}

fn seen_fields() -> BTreeMap<String, FieldSamples> {
    let mut seen: BTreeMap<String, FieldSamples> = BTreeMap::new();
    for sample in samples() {
        let document = Document::new(&SitePath::new("docs.json").unwrap(), sample.clone());
        for (pointer, words) in known_fields(&document) {
            if let Some(value) = sample.pointer(&pointer) {
                let field = seen.entry(field_of(&pointer)).or_default();
                field.words = words;
                field.values.push(value.clone());
            }
        }
    }
    seen
}

/// Adds `child` to `schema` of a field with the values of `seen`: to the object, and to the items of
/// the list, that it can be.
fn add(schema: &mut Value, seen: Option<&FieldSamples>, name: &str, child: &Value) {
    let is_list = seen.is_some_and(|seen| seen.is_any(Value::is_array));
    if is_list {
        schema["items"]["properties"][name] = child.clone();
    }
    if !is_list || seen.is_some_and(|seen| seen.is_any(Value::is_object)) {
        schema["properties"][name] = child.clone();
    }
}

/// Returns the schema of the fields below `root`, each with those in it.
fn properties_of(root: &str, seen: &BTreeMap<String, FieldSamples>) -> Value {
    let mut whole = json!({});
    let below = seen.keys().filter_map(|field| {
        let name = field.strip_prefix(root)?.strip_prefix('/')?;
        (!name.contains('/')).then_some((field, name))
    });
    for (field, name) in below {
        let mut schema = seen[field].schema(description(field));
        let inner = properties_of(field, seen);
        for (inner_name, inner) in inner["properties"].as_object().into_iter().flatten() {
            add(&mut schema, Some(&seen[field]), inner_name, inner);
        }
        whole["properties"][name] = schema;
    }
    whole
}

fn schema() -> Value {
    let mut seen = seen_fields();
    let (of_elements, of_document): (BTreeMap<_, _>, BTreeMap<_, _>) = std::mem::take(&mut seen)
        .into_iter()
        .partition(|(field, _)| field.starts_with("/navigation/…/"));
    let mut element = properties_of("/navigation/…", &of_elements);
    element["description"] = "An element of the navigation.".into();
    let reference = json!({ "$ref": "#/$defs/element" });
    let about = |name: &str| description(&format!("/navigation/…/{name}"));
    for list in LISTS {
        element["properties"][*list] =
            json!({ "description": about(list), "type": "array", "items": reference });
    }
    element["properties"]["pages"] = json!({ "description": about("pages"), "items": {
        "anyOf": [{ "type": "string" }, reference]
    } });
    element["properties"]["global"] =
        json!({ "description": about("global"), "$ref": "#/$defs/element" });
    let mut whole = properties_of("", &of_document);
    whole["properties"]["navigation"] =
        json!({ "description": description("/navigation"), "$ref": "#/$defs/element" });
    whole["properties"]["$schema"] = json!({ "description": "Schema of this file, for editors." });
    whole["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    whole["title"] = "docs.json".into();
    whole["description"] = "Configuration of a documentation site of Quire.".into();
    whole["type"] = "object".into();
    whole["required"] = json!(["theme", "name", "colors", "navigation"]);
    whole["$defs"] = json!({ "element": element });
    whole
}

/// The schema as it is checked in.
fn written() -> Value {
    serde_json::from_str(&fs::read_to_string(path()).unwrap()).unwrap()
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(PATH)
}

#[test]
fn the_schema_for_editors_is_that_of_the_fields() {
    let text = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(path(), &text).unwrap();
    }
    let found = fs::read_to_string(path()).unwrap_or_default();
    assert!(
        found == text,
        "{} (UPDATE_EXPECT=1 writes it)",
        path().display()
    );
}

#[track_caller]
fn check_valid(validator: &jsonschema::Validator, name: &str, document: &Value) {
    let errors = validator.iter_errors(document);
    let errors: Vec<String> = errors
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert_eq!(errors, [""; 0], "{name}");
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
fn the_schema_for_editors_accepts_what_the_program_accepts() {
    let validator = jsonschema::validator_for(&written()).unwrap();
    for (i, sample) in samples().iter().enumerate() {
        check_valid(&validator, &format!("sample {i}"), sample);
    }
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let mut configurations = vec![
        fixtures.join("museum/docs.json"),
        fixtures.join("manual/docs.json"),
    ];
    match corpus() {
        Some(corpus) => {
            for site in fs::read_dir(corpus.join("sites")).unwrap() {
                let site = site.unwrap().path();
                let of_site = ["docs.json", "docs/docs.json"].map(|name| site.join(name));
                configurations.extend(of_site.into_iter().filter(|path| path.is_file()));
            }
            assert!(configurations.len() > 10, "{configurations:?}");
        }
        None => eprintln!("SKIPPED real sites of the schema: no corpus; set QUIRE_SHARED"),
    }
    for path in configurations {
        let text = fs::read_to_string(&path).unwrap();
        let document = serde_json::from_str(&text).unwrap();
        check_valid(&validator, &path.display().to_string(), &document);
    }
}

#[test]
fn the_schema_for_editors_finds_wrong_words_and_types() {
    let validator = jsonschema::validator_for(&written()).unwrap();
    for (pointer, value, is_valid) in [
        ("/theme", json!("maple"), true),
        ("/theme", json!("mapel"), false),
        ("/api/playground/display", json!("none"), true),
        ("/api/playground/display", json!("non"), false),
        ("/search/synonyms", json!([["a", "b"]]), true),
        ("/feedback/thumbs", json!("true"), false),
        (
            "/navigation/groups",
            json!([{ "group": "A", "pages": ["a", { "group": "B", "hidden": 1 }] }]),
            false,
        ),
        (
            "/navigation/groups",
            json!([{ "group": "A", "pages": ["a", { "group": "B", "hidden": true }] }]),
            true,
        ),
        ("/navigation/tabs", json!("a"), false),
    ] {
        let mut document = json!({
            "theme": "mint", "name": "A", "colors": { "primary": "#123456" },
            "navigation": { "groups": [] }, "api": { "playground": { "display": "simple" } },
            "feedback": { "thumbs": true }, "search": { "synonyms": [] },
        });
        document["navigation"]["tabs"] = json!([]);
        *document.pointer_mut(pointer).unwrap() = value.clone();
        assert_eq!(
            validator.is_valid(&document),
            is_valid,
            "{pointer}: {value}"
        );
    }
    let described: BTreeSet<String> = (written()["properties"].as_object().unwrap().iter())
        .filter(|(_, field)| field.get("description").is_none())
        .map(|(name, _)| name.clone())
        .collect();
    assert!(described.is_empty(), "{described:?}");
}
