//! Texts that are bytes: in parts of `multipart` and as whole bodies of a binary media type.

use openapi::endpoint::{Endpoint, Modelled};

use super::authored::drawn;
use super::seen::{POST, chips, request, response, row};
use super::{page, plain};

const PDF: &str = "{type: string, contentMediaType: application/pdf}";

/// The page of a request whose body is of this media type, with a component `Upload`.
fn body(version: &str, media: &str, schema: &str, rest: &str) -> Modelled<Endpoint> {
    let document = plain(&format!(
        "
openapi: {version}
servers: [{{url: 'https://api.example.com'}}]
paths:
  /p:
    post:
      requestBody: {{content: {{{media}: {{schema: {schema}{rest}}}}}}}
      responses: {{'200': {{description: ok, content: {{{media}: {{schema: {schema}}}}}}}}}
components: {{schemas: {{Upload: {{type: string, contentMediaType: application/octet-stream, description: A file}}, Maybe: {{anyOf: [{{$ref: '#/components/schemas/Upload'}}, {{type: 'null'}}]}}}}}}
"
    ));
    page(&document, POST)
}

fn curl(page: &Modelled<Endpoint>) -> &str {
    let curl = page.value.samples.iter().find(|sample| sample.id == "curl");
    &curl.expect("curl").variants[0].source
}

#[test]
fn text_of_a_binary_media_type_is_a_file_in_a_part() {
    for (schema, label, form) in [
        (PDF, "file", "'v=@file;type=application/pdf'"),
        (
            "{type: string, contentMediaType: application/octet-stream}",
            "file",
            "'v=@file'",
        ),
        (
            "{contentMediaType: image/png}",
            "file",
            "'v=@file;type=image/png'",
        ),
        (
            "{type: [string, 'null'], contentMediaType: image/png}",
            "file | null",
            "'v=@file;type=image/png'",
        ),
        ("{$ref: '#/components/schemas/Upload'}", "file", "'v=@file'"),
        (
            "{$ref: '#/components/schemas/Maybe'}",
            "file | null",
            "'v=@file'",
        ),
        (
            "{allOf: [{$ref: '#/components/schemas/Upload'}], description: Yours}",
            "file",
            "'v=@file'",
        ),
        (
            "{anyOf: [{type: string, contentMediaType: application/octet-stream}, {type: 'null'}], title: Photo}",
            "file | null",
            "'v=@file'",
        ),
        (
            "{type: array, items: {type: string, contentMediaType: application/octet-stream}}",
            "file[]",
            "'v=@file'",
        ),
        (
            "{type: array, items: {$ref: '#/components/schemas/Upload'}}",
            "file[]",
            "'v=@file'",
        ),
        (
            "{anyOf: [{type: array, items: {$ref: '#/components/schemas/Upload'}}, {type: 'null'}]}",
            "file[] | null",
            "'v=@file'",
        ),
    ] {
        let page = body(
            "3.1.0",
            "multipart/form-data",
            &format!("{{type: object, properties: {{n: {{type: string}}, v: {schema}}}}}"),
            "",
        );
        let v = row(&request(&page).contents, "v");
        assert_eq!(v.view.label.plain(), label, "{schema}");
        let code = curl(&page);
        assert!(
            code.contains(form) || code.contains("'v=@file"),
            "{schema}: {code}"
        );
        assert!(!code.contains("v=string"), "{schema}: {code}");
        let input = format!("{:?}", page.value.playground);
        assert!(input.contains("File"), "{schema}: {input}");
        assert_eq!(
            row(&response(&page).contents, "v").view.label.plain(),
            label.replace("file", "binary"),
            "{schema}"
        );
    }
}

#[test]
fn encoding_says_that_a_part_is_a_file() {
    let of = |schema: &str, kind: &str| {
        let schema = format!("{{type: object, properties: {{v: {schema}}}}}");
        let encoding = format!(", encoding: {{v: {{contentType: '{kind}'}}}}");
        let page = body("3.1.0", "multipart/form-data", &schema, &encoding);
        row(&request(&page).contents, "v").view.label.plain()
    };
    assert_eq!(of("{type: string}", "image/png"), "file");
    assert_eq!(of("{type: string}", "image/png, image/jpeg"), "file");
    assert_eq!(of("{}", "application/octet-stream"), "file");
    assert_eq!(
        of("{type: array, items: {type: string}}", "image/*"),
        "file[]"
    );
    assert_eq!(of("{type: string}", "text/plain"), "string");
    assert_eq!(
        of(
            "{type: object, properties: {a: {type: string}}}",
            "application/octet-stream"
        ),
        "object"
    );
    assert_eq!(
        of("{type: string, contentEncoding: base64}", "image/png"),
        "string"
    );
    assert_eq!(of("{type: string, enum: [a]}", "image/png"), "\"a\"");
}

#[test]
fn text_is_no_file_where_it_is_text() {
    let of = |media: &str, schema: &str| {
        let page = body(
            "3.1.0",
            media,
            &format!("{{type: object, properties: {{v: {schema}}}}}"),
            "",
        );
        row(&request(&page).contents, "v").view.label.plain()
    };
    assert_eq!(of("application/json", PDF), "string");
    assert_eq!(
        of(
            "multipart/form-data",
            "{type: string, contentMediaType: text/csv}"
        ),
        "string"
    );
    assert_eq!(
        of(
            "multipart/form-data",
            "{type: string, contentMediaType: application/json}"
        ),
        "string"
    );
    assert_eq!(
        of(
            "multipart/form-data",
            "{type: string, contentMediaType: image/png, contentEncoding: base64}"
        ),
        "string"
    );
    assert_eq!(
        of(
            "multipart/form-data",
            "{type: object, properties: {f: {type: string, contentMediaType: image/png}}}"
        ),
        "object"
    );
}

#[test]
fn whole_body_of_a_binary_media_type_is_a_file() {
    for (media, schema) in [
        (
            "application/octet-stream",
            "{type: string, contentMediaType: application/octet-stream}",
        ),
        ("image/png", "{type: string, contentMediaType: image/png}"),
        ("application/pdf", PDF),
        ("application/octet-stream", "{type: string}"),
        ("image/png", "{}"),
        (
            "application/octet-stream",
            "{$ref: '#/components/schemas/Upload'}",
        ),
    ] {
        let page = body("3.1.0", media, schema, "");
        assert_eq!(request(&page).label.plain(), "file", "{media} {schema}");
        assert_eq!(response(&page).label.plain(), "binary", "{media} {schema}");
        assert!(
            curl(&page).contains("--data-binary '@file'"),
            "{media} {schema}: {}",
            curl(&page)
        );
    }
    assert!(drawn(&body("3.1.0", "image/png", "{type: string}", "")).contains("file"));
}

#[test]
fn file_behind_composition_is_sent_as_a_file() {
    let file = "{type: string, format: binary}";
    let form = |schema: &str, version: &str| body(version, "multipart/form-data", schema, "");
    for shape in [
        format!(
            "{{oneOf: [{{type: object, title: F, required: [v], properties: {{v: {file}}}}}, {{type: object, title: U, required: [url], properties: {{url: {{type: string}}}}}}]}}"
        ),
        format!(
            "{{type: object, properties: {{note: {{type: string}}}}, oneOf: [{{required: [v], properties: {{v: {file}}}}}, {{required: [url], properties: {{url: {{type: string}}}}}}]}}"
        ),
        format!(
            "{{allOf: [{{type: object, properties: {{note: {{type: string}}}}}}, {{oneOf: [{{required: [v], properties: {{v: {file}}}}}]}}]}}"
        ),
        format!(
            "{{type: object, properties: {{v: {{oneOf: [{file}, {{type: string, maxLength: 3}}]}}}}}}"
        ),
        format!("{{type: object, properties: {{v: {{anyOf: [{file}, {{type: 'null'}}]}}}}}}"),
        format!("{{type: object, required: [v], patternProperties: {{'^v': {file}}}}}"),
        format!("{{type: object, required: [v], additionalProperties: {file}}}"),
        format!(
            "{{type: object, properties: {{k: {{const: a}}}}, if: {{properties: {{k: {{const: a}}}}}}, then: {{required: [v], properties: {{v: {file}}}}}}}"
        ),
        format!("{{type: object, properties: {{v: {{type: array, prefixItems: [{file}]}}}}}}"),
        "{type: object, properties: {v: {}}}".to_owned(),
        "{type: object, properties: {v: {description: Any file}}}".to_owned(),
    ] {
        let page = form(&shape, "3.1.0");
        assert!(
            curl(&page).contains("'v=@file'"),
            "{shape}\n{}",
            curl(&page)
        );
        let python = page
            .value
            .samples
            .iter()
            .find(|sample| sample.id == "python");
        let python = &python.expect("python").variants[0].source;
        assert!(python.contains("open("), "{shape}\n{python}");
    }
    // A media type of bytes says the same, wherever it stands.
    for shape in [
        format!("{{type: object, oneOf: [{{required: [v], properties: {{v: {PDF}}}}}]}}"),
        format!("{{type: object, required: [v], patternProperties: {{'^v': {PDF}}}}}"),
        format!(
            "{{type: object, properties: {{k: {{const: a}}}}, if: {{properties: {{k: {{const: a}}}}}}, then: {{required: [v], properties: {{v: {PDF}}}}}}}"
        ),
    ] {
        let page = form(&shape, "3.1.0");
        assert!(curl(&page).contains("v=@file"), "{shape}\n{}", curl(&page));
    }
    // In 3.0 what has no type is any value; so is what has an example.
    for (version, shape) in [
        ("3.0.3", "{type: object, properties: {v: {}}}"),
        ("3.1.0", "{type: object, properties: {v: {examples: [a]}}}"),
        ("3.1.0", "{type: object, properties: {v: {enum: [a]}}}"),
    ] {
        let page = form(shape, version);
        assert!(!curl(&page).contains("@file"), "{shape}\n{}", curl(&page));
    }
}

#[test]
fn file_of_a_child_of_a_base_is_sent_as_a_file() {
    let schemas = "
Base: {type: object, required: [kind], discriminator: {propertyName: kind}, properties: {kind: {type: string}}}
Image: {allOf: [{$ref: '#/components/schemas/Base'}, {type: object, required: [v], properties: {v: {type: string, contentMediaType: image/png}}}]}
";
    let indented = schemas
        .trim()
        .lines()
        .map(|line| format!("    {line}\n"))
        .collect::<String>();
    let document = plain(&format!(
        "openapi: 3.1.0\npaths:\n  /p:\n    post:\n      requestBody: {{content: {{multipart/form-data: {{schema: {{$ref: '#/components/schemas/Base'}}}}}}}}\n      responses: {{'204': {{description: ok}}}}\ncomponents:\n  schemas:\n{indented}"
    ));
    let page = page(&document, POST);
    assert!(curl(&page).contains("v=@file"), "{}", curl(&page));
    assert!(
        curl(&page).contains("kind=Image") || curl(&page).contains("kind=\"Image\""),
        "{}",
        curl(&page)
    );
}

/// The code of a form in parts whose properties and encodings are these.
fn parts(version: &str, properties: &str, encoding: &str) -> String {
    let schema = format!("{{type: object, properties: {{{properties}}}}}");
    let encoding = format!(", encoding: {{{encoding}}}");
    curl(&body(version, "multipart/form-data", &schema, &encoding)).to_owned()
}

#[test]
fn part_is_written_as_its_media_type_says() {
    let object = "o: {type: object, xml: {name: box}, properties: {a: {type: string, example: 'x&y'}, n: {type: integer}}}";
    for version in ["3.0.3", "3.1.0"] {
        let code = parts(version, object, "o: {contentType: application/xml}");
        assert!(code.contains("<box>"), "{code}");
        assert!(code.contains("<a>x&amp;y</a>"), "{code}");
        assert!(code.contains("application/xml"), "{code}");
        assert!(!code.contains('{'), "{code}");
        let list = format!("l: {{type: array, items: {}}}", &object[3..]);
        let code = parts(version, &list, "l: {contentType: text/xml}");
        assert!(code.contains("<box>") && !code.contains('{'), "{code}");
        let code = parts(
            version,
            object,
            "o: {contentType: application/x-www-form-urlencoded}",
        );
        assert!(code.contains("a=x%26y&n=1"), "{code}");
        let code = parts(version, object, "o: {contentType: application/json}");
        assert!(code.contains(r#"{\"a\":\"x&y\",\"n\":1}"#), "{code}");
        let code = parts(version, object, "");
        assert!(code.contains(r#"{\"a\":\"x&y\",\"n\":1}"#), "{code}");
    }
}

#[test]
fn part_is_written_by_its_style() {
    let object =
        "o: {type: object, properties: {a: {type: string, example: x y}, n: {type: integer}}}";
    let deep = "o: {style: deepObject, contentType: application/json}";
    let code = parts("3.1.0", object, deep);
    assert!(code.contains("o[a]=") && code.contains("x y"), "{code}");
    assert!(code.contains("o[n]=") && !code.contains("json"), "{code}");
    // Before 3.1 forms in parts have no styles.
    let code = parts("3.0.3", object, deep);
    assert!(!code.contains("o[a]") && code.contains("json"), "{code}");
    let list = "l: {type: array, example: [a, b], items: {type: string}}";
    let code = parts("3.1.0", list, "l: {style: form, explode: false}");
    assert!(code.contains("a,b"), "{code}");
    let code = parts("3.1.0", list, "l: {style: pipeDelimited, explode: false}");
    assert!(code.contains("a|b"), "{code}");
    let code = parts("3.1.0", list, "l: {explode: true}");
    assert!(code.contains("l=a") && code.contains("l=b"), "{code}");
    // A file is a file.
    let file = "f: {type: string, contentMediaType: image/png}";
    let code = parts("3.1.0", file, "f: {style: form}");
    assert!(code.contains("f=@file"), "{code}");
}

#[test]
fn page_says_what_parts_are() {
    let properties = "f: {type: string, contentMediaType: image/png}, l: {type: array, items: {type: string, contentMediaType: image/gif}}, p: {type: string}, o: {type: object, properties: {a: {type: string}}}, b: {type: string, format: binary}, s: {type: object, properties: {a: {type: string}}}";
    let encoding = ", encoding: {p: {contentType: 'text/csv, text/tab-separated-values', headers: {X-Part: {required: true, description: Which part, schema: {type: integer}}, Content-Type: {schema: {type: string}}}}, o: {contentType: application/xml}, s: {contentType: application/xml, style: deepObject}}";
    let schema = format!("{{type: object, properties: {{{properties}}}}}");
    let page = body("3.1.0", "multipart/form-data", &schema, encoding);
    let of = |name: &str| chips(&row(&request(&page).contents, name).view);
    assert_eq!(of("f"), ["image/png"]);
    assert_eq!(of("l"), ["image/gif"]);
    assert_eq!(of("p"), ["text/csv, text/tab-separated-values"]);
    assert_eq!(of("o"), ["application/xml"]);
    assert_eq!(of("b"), [""; 0]);
    assert_eq!(of("s"), [""; 0]);
    let blocks = &row(&request(&page).contents, "p").view.contents.blocks;
    let headers = &blocks[0].view.contents.rows;
    assert_eq!(headers.len(), 1);
    assert_eq!(headers[0].name.text(), "X-Part");
    assert!(headers[0].is_required);
    let html = drawn(&page);
    assert!(
        html.contains("X-Part") && html.contains("Which part"),
        "{html}"
    );
    assert!(html.contains(">Headers</p>"), "{html}");
}

#[test]
fn range_of_media_types_is_sent_as_one_of_them() {
    for (range, sent) in [
        ("image/*", "image/png"),
        ("'*/*'", "application/json"),
        ("text/*", "text/plain"),
        ("font/*", "application/octet-stream"),
        ("image/webp", "image/webp"),
    ] {
        let page = body("3.1.0", range, "{type: string}", "");
        let header = format!("Content-Type: {sent}'");
        assert!(curl(&page).contains(&header), "{range}\n{}", curl(&page));
    }
}
