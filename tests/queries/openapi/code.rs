//! Code samples: what they look like, and that they are programs of their languages.

use std::io::Write;
use std::process::{Command, Stdio};

use openapi::code::{DEFAULT, LANGUAGES, Part, Payload, Request, language};
use openapi::endpoint::Settings;
use serde_json::json;

use super::{page, page_with, plain};

const DOCUMENT: &str = "
servers: [{url: 'https://api.example.com/v1/'}]
security: [{token: []}]
paths:
  /users:
    post:
      parameters:
        - {name: tag, in: query, schema: {type: array, items: {type: string}}, example: [a, b]}
        - {name: unset, in: query, schema: {type: string}}
      requestBody: {content: {application/json: {example: {name: O'Hara}}}}
      responses: {'200': {description: ok, content: {text/csv: {schema: {type: string}}}}}
      x-codeSamples:
        - {lang: Shell, label: CLI, source: pets add}
components: {securitySchemes: {token: {type: http, scheme: bearer}}}
";

#[test]
fn the_sample_of_the_sheet() {
    let document = plain(
        &DOCUMENT
            .replace("text/csv", "application/json")
            .replace("Shell", "R"),
    );
    let page = page(&document, "/paths/~1users/post");
    let ids: Vec<&str> = page
        .value
        .samples
        .iter()
        .map(|sample| sample.id.as_str())
        .collect();
    assert_eq!(ids[0], "r");
    assert_eq!(ids[1..], *DEFAULT);
    let expected = r#"curl --request POST \
  --url 'https://api.example.com/v1/users?tag=a&tag=b' \
  --header 'Authorization: Bearer <token>' \
  --header 'Content-Type: application/json' \
  --data '{
  "name": "O'\''Hara"
}'"#;
    assert_eq!(page.value.samples[1].variants[0].source, expected);
}

/// A tab is known by its label: each has its own.
#[test]
fn labels_of_samples_are_told_apart() {
    let document = plain(&DOCUMENT.replace(
        "{lang: Shell, label: CLI, source: pets add}",
        "{lang: Shell, source: a}\n        - {lang: Shell, source: b}\n        - {lang: Go, label: Tool, source: c}",
    ));
    let page = page(&document, "/paths/~1users/post");
    let labels = page.value.samples.iter().map(|sample| &*sample.label);
    let labels: Vec<&str> = labels.take(4).collect();
    // Nothing is made in the languages of the author.
    assert_eq!(labels, ["cURL", "cURL (2)", "Tool", "Python"]);
    let ids: Vec<&str> = page
        .value
        .samples
        .iter()
        .map(|sample| &*sample.id)
        .collect();
    assert_eq!(
        ids,
        [
            "curl",
            "curl",
            "go",
            "python",
            "javascript",
            "php",
            "java",
            "ruby"
        ]
    );
}

#[test]
fn samples_of_the_author_come_before_ours() {
    let document = plain(DOCUMENT);
    let settings = Settings {
        languages: vec!["bash".to_owned(), "py".to_owned(), "nope".to_owned()],
        ..Settings::default()
    };
    let page = page_with(&document, "/paths/~1users/post", &settings);
    let samples: Vec<(&str, &str, bool)> = page
        .value
        .samples
        .iter()
        .map(|sample| {
            (
                sample.id.as_str(),
                sample.label.as_str(),
                sample.is_authored,
            )
        })
        .collect();
    assert_eq!(
        samples,
        // The author's in place of ours.
        [("curl", "CLI", true), ("python", "Python", false)]
    );
    // The answer is not JSON, so the request says what it wants.
    assert!(
        page.value.samples[1].variants[0]
            .source
            .contains("\"Accept\": \"text/csv\"")
    );
    let none = Settings {
        is_generated: false,
        ..Settings::default()
    };
    assert_eq!(
        page_with(&document, "/paths/~1users/post", &none)
            .value
            .samples
            .len(),
        1
    );
}

/// `api.examples`: which languages in which order, which values; nothing is made where the site says so.
#[test]
fn settings_say_what_samples_have() {
    let document = plain(
        "
servers: [{url: 'https://h'}]
security: [{token: []}, {key: []}]
paths:
  /a:
    get:
      parameters:
        - {name: must, in: query, required: true, schema: {type: string}, example: m}
        - {name: may, in: query, schema: {type: string}, example: o}
      responses: {'200': {description: ok}}
components: {securitySchemes: {token: {type: http, scheme: bearer}, key: {type: apiKey, in: query, name: k}}}
",
    );
    let of = |settings: &Settings| page_with(&document, "/paths/~1a/get", settings).value;
    let languages = |names: &[&str]| Settings {
        languages: names.iter().map(|name| (*name).to_owned()).collect(),
        ..Settings::default()
    };
    let view = of(&languages(&[
        "Go", "nodejs", "golang", "cobol", "C#", "bash",
    ]));
    let ids: Vec<&str> = view.samples.iter().map(|sample| &*sample.id).collect();
    assert_eq!(ids, ["go", "node", "csharp", "curl"]);
    let url = |settings: &Settings| {
        let source = of(settings).samples[0].variants[0].source.clone();
        source.lines().next().unwrap().to_owned()
    };
    let all = Settings {
        has_optional: true,
        ..languages(&["http"])
    };
    assert_eq!(url(&all), "GET /a?must=m&may=o HTTP/1.1");
    let required = Settings {
        has_optional: false,
        ..languages(&["http"])
    };
    assert_eq!(url(&required), "GET /a?must=m HTTP/1.1");
    let none = Settings {
        is_generated: false,
        ..Settings::default()
    };
    assert!(of(&none).samples.is_empty());
    let prefill = |is_prefilled: bool| {
        let settings = Settings {
            is_prefilled,
            ..Settings::default()
        };
        let playground = of(&settings).playground.unwrap();
        playground.parameters[1].prefill.clone()
    };
    assert_eq!(prefill(false), None);
    assert_eq!(prefill(true), Some("o".into()));
    // What a page with another authorization begins with: neither base address nor credentials.
    let playground = of(&all).playground.unwrap();
    assert_eq!(playground.samples.len(), 1);
    assert_eq!(playground.samples[0].target, "/a?must=m&may=o");
    assert_eq!(playground.samples[0].headers, []);
}

/// Requests with everything that could break a literal.
fn requests() -> Vec<Request> {
    let nasty = "a'b\"c\\d\n$e #{f} `g` %h \u{7} é \"\"\" ''' \\(x) ?? {0} ${i} @j";
    let request = |method: &str, payload: Option<Payload>, kind: Option<&str>| Request {
        method: method.to_owned(),
        url: "https://api.example.com/v1/users/a%2Fb?tag=a&q=%24x'y".to_owned(),
        headers: [
            ("Authorization", Some("Bearer <token>")),
            ("X-Quote", Some("it's \"$HOME\" #{x} \\ `y`")),
            ("Content-Type", kind),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
        .collect(),
        payload,
    };
    let part = |name: &str, text: Option<&str>, kind: Option<&str>| Part {
        name: name.to_owned(),
        text: text.map(str::to_owned),
        content_type: kind.map(str::to_owned),
        headers: Vec::new(),
    };
    let json_type = Some("application/json");
    let big: serde_json::Value =
        serde_json::from_str("{\"n\": 9007199254740993123, \"f\": 0.10}").unwrap();
    vec![
        request("GET", None, None),
        request("DELETE", None, None),
        request("HEAD", None, None),
        request(
            "POST",
            Some(Payload::Json(
                json!({ "text": nasty, "list": [1, true, null, {}], "empty": [] }),
            )),
            json_type,
        ),
        request("PATCH", Some(Payload::Json(big)), json_type),
        request(
            "PUT",
            Some(Payload::Text(nasty.to_owned())),
            Some("text/plain"),
        ),
        request(
            "POST",
            Some(Payload::Text("a=b+c&d=%26".to_owned())),
            Some("application/x-www-form-urlencoded"),
        ),
        request("POST", Some(Payload::File), Some("image/png")),
        request(
            "POST",
            Some(Payload::Multipart(vec![
                part("text", Some(nasty), None),
                part("meta", Some("{\"a\":1}"), Some("application/vnd.x+json")),
                part("file", None, None),
                part("file", None, Some("image/png")),
            ])),
            None,
        ),
    ]
}

/// Whether a program reads a text without a complaint; `None` if this machine does not have it.
fn accepts(program: &str, arguments: &[&str], text: &str) -> Option<Result<(), String>> {
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.ok()?;
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    if output.status.success() {
        return Some(Ok(()));
    }
    Some(Err(String::from_utf8_lossy(&output.stderr).into_owned()))
}

#[test]
fn samples_are_programs_of_their_languages() {
    let checks: [(&str, &str, &[&str]); 10] = [
        ("curl", "bash", &["-n"]),
        ("httpie", "bash", &["-n"]),
        ("wget", "bash", &["-n"]),
        (
            "python",
            "python3",
            &["-c", "import ast, sys; ast.parse(sys.stdin.buffer.read())"],
        ),
        ("javascript", "node", &["--input-type=module", "--check"]),
        ("node", "node", &["--input-type=module", "--check"]),
        ("php", "php", &["-l"]),
        ("ruby", "ruby", &["-c"]),
        ("go", "gofmt", &["-l"]),
        (
            "rust",
            "rustfmt",
            &[
                "--check",
                "--edition",
                "2021",
                "--config",
                "error_on_unformatted=false",
            ],
        ),
    ];
    for (id, program, arguments) in checks {
        let language = language(id).unwrap();
        for request in requests() {
            let source = language.sample(&request);
            match accepts(program, arguments, &source) {
                None => {
                    eprintln!("SKIPPED: no {program} to read {id}");
                    break;
                }
                Some(Ok(())) => {}
                // A formatter may want other lines; it complains about what is no program.
                Some(Err(error)) if id == "rust" && !error.contains("error") => {}
                Some(Err(error)) => panic!("{id}: {error}\n{source}"),
            }
        }
    }
}

/// Python and JavaScript are run against stand-ins that print what they are asked to send.
#[test]
fn scripts_send_what_the_request_says() {
    let python = "
import json, sys, types
def send(method):
    def call(url, headers=None, json=None, data=None, files=None):
        body = JSON.dumps(json) if json is not None else (data.decode() if isinstance(data, bytes) else None)
        print(JSON.dumps({'method': method, 'url': url, 'headers': headers or {}, 'body': body}))
        return types.SimpleNamespace(text='')
    return call
JSON = json
requests = types.ModuleType('requests')
for name in ['get', 'post', 'put', 'patch', 'delete', 'head', 'options']:
    setattr(requests, name, send(name.upper()))
sys.modules['requests'] = requests
source = sys.stdin.buffer.read().decode()
exec(source)
";
    let javascript = "
globalThis.fetch = async (url, options = {}) => {
  console.log(JSON.stringify({ method: options.method ?? 'GET', url, headers: options.headers ?? {}, body: options.body ?? null }));
  return { text: async () => '' };
};
const source = await new Promise((done) => { let text = ''; process.stdin.on('data', (part) => { text += part; }).on('end', () => done(text)); });
await (new (Object.getPrototypeOf(async function () {}).constructor)(source))();
";
    let runs: [(&str, &str, &[&str]); 2] = [
        ("python", "python3", &["-c", python]),
        (
            "javascript",
            "node",
            &["--input-type=module", "-e", javascript],
        ),
    ];
    for (id, program, arguments) in runs {
        for request in requests() {
            if matches!(request.payload, Some(Payload::File | Payload::Multipart(_))) {
                continue;
            }
            let source = language(id).unwrap().sample(&request);
            let Some(output) = run(program, arguments, &source) else {
                eprintln!("SKIPPED: no {program} to run {id}");
                break;
            };
            let line = output.lines().next().unwrap_or_default();
            let sent: serde_json::Value =
                serde_json::from_str(line).unwrap_or_else(|_| panic!("{id}: {output}\n{source}"));
            assert_eq!(sent["method"], request.method);
            assert_eq!(sent["url"], request.url);
            for (name, value) in &request.headers {
                assert_eq!(sent["headers"][name], *value, "{id} {name}");
            }
            match &request.payload {
                Some(Payload::Json(value)) => {
                    let body: serde_json::Value =
                        serde_json::from_str(sent["body"].as_str().unwrap()).unwrap();
                    assert_eq!(body, *value, "{id}");
                }
                Some(Payload::Text(text)) => assert_eq!(sent["body"], *text, "{id}"),
                _ => assert!(sent["body"].is_null(), "{id}"),
            }
        }
    }
}

fn run(program: &str, arguments: &[&str], text: &str) -> Option<String> {
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.ok()?;
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    Some(format!(
        "{}{errors}",
        String::from_utf8_lossy(&output.stdout)
    ))
}

#[test]
fn every_language_writes_every_request() {
    assert!(DEFAULT.iter().all(|name| language(name).is_some()));
    for language in LANGUAGES.iter() {
        for request in requests() {
            let source = language.sample(&request);
            assert!(
                source.contains("/v1/users/a%2Fb?tag=a&q="),
                "{}: {source}",
                language.id
            );
            assert!(
                source.contains("Bearer <token>"),
                "{}: {source}",
                language.id
            );
        }
    }
}

#[test]
fn a_path_without_examples_keeps_the_names_of_its_parameters() {
    let document = plain(
        r"
servers: [{url: https://a.example/v1}]
paths:
  /x/{open_id}/{known}/{listed}/{usual}:
    get:
      parameters:
        - {name: open_id, in: path, required: true, schema: {type: string, format: uuid}}
        - {name: known, in: path, required: true, schema: {type: string}, example: a b}
        - {name: listed, in: path, required: true, schema: {enum: [one, two]}}
        - {name: usual, in: path, required: true, schema: {type: integer, default: 3}}
      responses: {'200': {description: ''}}
",
    );
    let page = page(
        &document,
        "/paths/~1x~1{open_id}~1{known}~1{listed}~1{usual}/get",
    );
    let source = &page.value.samples[0].variants[0].source;
    let url = "--url 'https://a.example/v1/x/{open_id}/a%20b/one/3'";
    assert!(source.contains(url), "{source}");
}
