//! Values and requests on the wire, byte for byte: the table of section 4.8.12.4 of the specification, and what it leaves
//! open. The cases are data (`tests/wire/`), because the script of the playground is run against the same
//! (`tests/browser/wire.test.mjs`).

use std::path::Path;

use openapi::code::{LANGUAGES, Part, Payload, Request};
use openapi::endpoint::{Location, Settings};
use openapi::plain::Plain;
use openapi::playground::Style;
use openapi::serialize::{
    Serialization, Written, address, cookie, form, header, inner_separators, path, query, style_of,
};
use serde_json::{Map, Value};

use super::page_with;

fn file(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/wire")
        .join(name)
}

fn cases(name: &str) -> Value {
    let text = std::fs::read_to_string(file(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn text<'v>(case: &'v Value, key: &str) -> &'v str {
    case[key]
        .as_str()
        .unwrap_or_else(|| panic!("`{key}` of {case}"))
}

#[test]
fn values_are_written_as_the_table_says() {
    let cases = cases("values.json");
    for case in cases["values"].as_array().unwrap() {
        let is = |key: &str| case[key] == Value::Bool(true);
        let spec = Serialization {
            style: style_of(text(case, "style")).unwrap(),
            explode: is("explode"),
            allow_reserved: is("allowReserved"),
            written: match (is("json"), case["content"].as_str()) {
                (true, _) => Written::Json,
                (false, Some("form")) => Written::Form,
                (false, Some(_)) => Written::Text,
                (false, None) => Written::Style,
            },
            is_whole: is("whole"),
            inner: inner_separators(case.get("inner")),
        };
        let (name, value) = (text(case, "name"), &case["value"]);
        let written = match text(case, "in") {
            "path" => path(&spec, name, value),
            "query" => query(&spec, name, value).join("&"),
            "header" => header(&spec, value),
            "cookie" => cookie(&spec, name, value).join("; "),
            place => panic!("no place `{place}`"),
        };
        assert_eq!(written, text(case, "wire"), "{}", case["case"]);
    }
    for case in cases["addresses"].as_array().unwrap() {
        assert_eq!(
            address(text(case, "base"), text(case, "path")),
            text(case, "wire")
        );
    }
    for case in cases["forms"].as_array().unwrap() {
        let pairs: Vec<String> = serde_json::from_value(case["pairs"].clone()).unwrap();
        assert_eq!(form(&pairs), text(case, "wire"));
    }
}

/// Each document has one operation, whose examples are the values of the request. What the page says of it (`island`) and its
/// first sample (`curl`) are as written there; `UPDATE_EXPECT=1` writes them.
#[test]
fn requests_are_those_of_the_table() {
    let mut cases = cases("requests.json");
    let before = cases.clone();
    for case in cases.as_array_mut().unwrap() {
        let settings = Settings {
            languages: vec!["curl".to_owned()],
            ..Settings::default()
        };
        let document = Plain::new(case["document"].clone());
        let (path, item) = one(&case["document"]["paths"]);
        let (method, _) = one(item);
        let pointer = format!(
            "/paths/{}/{method}",
            path.replace('~', "~0").replace('/', "~1")
        );
        let page = page_with(&document, &pointer, &settings).value;
        case["island"] = serde_json::to_value(page.playground.unwrap()).unwrap();
        case["curl"] = page.samples[0].variants[0].source.clone().into();
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let written = serde_json::to_string_pretty(&cases).unwrap();
        std::fs::write(file("requests.json"), written + "\n").unwrap();
    } else {
        assert_eq!(cases, before, "(UPDATE_EXPECT=1 takes it over)");
    }
}

/// The code of each language for requests with everything that could break a literal; `UPDATE_EXPECT=1` writes it.
#[test]
fn samples_are_those_of_the_table() {
    let mut cases = cases("samples.json");
    let before = cases.clone();
    for case in cases.as_array_mut().unwrap() {
        let request = request_of(&case["request"]);
        let samples = LANGUAGES
            .iter()
            .map(|language| (language.id.to_owned(), language.sample(&request).into()));
        case["samples"] = Value::Object(samples.collect());
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let written = serde_json::to_string_pretty(&cases).unwrap();
        std::fs::write(file("samples.json"), written + "\n").unwrap();
    } else {
        assert_eq!(cases, before, "(UPDATE_EXPECT=1 takes it over)");
    }
}

/// The request of a case: `body` has `json`, `text`, `file` or `parts`.
fn request_of(value: &Value) -> Request {
    let body = value["body"]
        .as_object()
        .and_then(|body| body.iter().next());
    let part = |part: &Value| Part {
        name: text(part, "name").to_owned(),
        text: part.get("text").map(|_| text(part, "text").to_owned()),
        content_type: part.get("type").map(|_| text(part, "type").to_owned()),
        headers: part.get("headers").map_or_else(Vec::new, |headers| {
            serde_json::from_value(headers.clone()).unwrap()
        }),
    };
    Request {
        method: text(value, "method").to_owned(),
        url: text(value, "url").to_owned(),
        headers: serde_json::from_value(value["headers"].clone()).unwrap(),
        payload: body.map(|(kind, body)| match kind.as_str() {
            "json" => Payload::Json(body.clone()),
            "text" => Payload::Text(body.as_str().unwrap().to_owned()),
            "parts" => Payload::Multipart(body.as_array().unwrap().iter().map(part).collect()),
            _ => Payload::File,
        }),
    }
}

/// The one member of an object.
fn one(object: &Value) -> (&String, &Value) {
    let members: &Map<String, Value> = object.as_object().unwrap();
    assert_eq!(members.len(), 1, "{object}");
    members.iter().next().unwrap()
}

#[test]
fn defaults_of_styles() {
    let of = |text: &str, location| {
        let members: Value = serde_json::from_str(text).unwrap();
        let spec = Serialization::of(members.as_object().unwrap(), location);
        (spec.style, spec.explode)
    };
    assert_eq!(of("{}", Location::Query), (Style::Form, true));
    assert_eq!(of("{}", Location::Cookie), (Style::Form, true));
    assert_eq!(of("{}", Location::Path), (Style::Simple, false));
    assert_eq!(of("{}", Location::Header), (Style::Simple, false));
    assert_eq!(
        of(r#"{"style":"pipeDelimited"}"#, Location::Query),
        (Style::PipeDelimited, false)
    );
    assert_eq!(
        of(r#"{"style":"deepObject","explode":false}"#, Location::Query),
        (Style::DeepObject, true)
    );
}
