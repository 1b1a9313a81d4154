//! What the playground is given of an operation: the form of its body, the headers of its parts.

use openapi::endpoint::{Endpoint, Modelled};
use openapi::playground::Input;

use super::plain;
use super::seen::{PETS, POST, schema, with};

/// What the form of a body is made of, in a few words.
fn form(page: &Modelled<Endpoint>) -> String {
    fn words(input: &Input) -> String {
        match input {
            Input::Object { fields, .. } => {
                let fields = fields.iter().map(|field| {
                    let mark = if field.required { "!" } else { "" };
                    format!("{}{mark}: {}", field.name, words(&field.input))
                });
                format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
            }
            Input::Union { branches } => {
                let branches = branches.iter();
                let branches =
                    branches.map(|branch| format!("{} {}", branch.label, words(&branch.input)));
                branches.collect::<Vec<_>>().join(" | ")
            }
            Input::Choice { values } => serde_json::to_string(values).unwrap(),
            Input::Text { .. } => "text".to_owned(),
            Input::Json => "json".to_owned(),
            other => format!("{other:?}"),
        }
    }
    let playground = page.value.playground.as_ref().expect("a form");
    words(playground.bodies[0].input.as_ref().expect("an input"))
}

#[test]
fn a_union_beside_properties_is_a_form() {
    let text = "{type: object, required: [a], properties: {a: {type: string}, b: {type: string}}, ";
    for (rest, expected) in [
        (
            "oneOf: [{title: One, properties: {c: {type: string}}, required: [c, b]}, {title: Two, properties: {b: {enum: [x, y]}}}]}",
            "One {a!: text, b!: text, c!: text} | Two {a!: text, b: [\"x\",\"y\"]}",
        ),
        // Branches that say only what is needed.
        (
            "anyOf: [{required: [b]}, {required: [a]}]}",
            "b required {a!: text, b!: text} | a required {a!: text, b: text}",
        ),
        // No object is a string.
        (
            "anyOf: [{type: string}, {required: [a]}]}",
            "{a!: text, b: text}",
        ),
    ] {
        let page = schema(&format!("{text}{rest}"));
        assert_eq!(form(&page), expected, "{rest}");
    }
    let page = with(
        PETS,
        "{type: object, required: [petType], properties: {petType: {type: string}}, oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}], discriminator: {propertyName: petType, mapping: {hound: '#/components/schemas/Dog'}}}",
    );
    let form = form(&page);
    assert!(form.contains("petType!: [\"Cat\"]"), "{form}");
    assert!(form.contains("petType!: [\"hound\"]"), "{form}");
}

#[test]
fn headers_of_parts_are_known_as_far_as_the_document_says() {
    let document = plain(
        r##"
paths:
  /p:
    post:
      requestBody:
        content:
          multipart/form-data:
            schema: {type: object, properties: {a: {type: string}}}
            encoding:
              a:
                headers:
                  X-Example: {schema: {type: string}, example: one}
                  X-Default: {schema: {$ref: '#/components/schemas/Size'}}
                  X-Open: {schema: {type: string}}
                  X-Referred: {$ref: '#/components/headers/Only'}
                  Content-Type: {schema: {type: string}, example: text/plain}
      responses: {'200': {description: ''}}
components:
  schemas: {Size: {type: integer, default: 7}}
  headers: {Only: {schema: {enum: [o]}}}
"##,
    );
    let page = super::page(&document, POST);
    let playground = page.value.playground.expect("a form");
    let headers = &playground.bodies[0].encodings[0].headers;
    let headers: Vec<String> = headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    assert_eq!(headers, ["X-Example: one", "X-Default: 7", "X-Referred: o"]);
}

#[test]
fn parts_are_written_by_styles_from_openapi_3_1_on() {
    let of = |version: &str, media: &str, encoding: &str| {
        let document = plain(&format!(
            "{{openapi: {version}, paths: {{/p: {{post: {{requestBody: {{content: {{{media}: {{schema: {{type: object, properties: {{a: {{type: object}}}}}}, encoding: {{a: {encoding}}}}}}}}}, responses: {{'200': {{description: ''}}}}}}}}}}}}"
        ));
        let page = super::page(&document, POST);
        let playground = page.value.playground.expect("a form");
        playground.bodies[0].encodings[0].styled
    };
    let (parts, form) = ("multipart/form-data", "application/x-www-form-urlencoded");
    assert!(of("3.1.0", parts, "{style: deepObject}"));
    assert!(of(
        "3.1.0",
        parts,
        "{explode: false, contentType: application/json}"
    ));
    assert!(!of("3.0.3", parts, "{style: deepObject}"));
    assert!(!of("3.1.0", parts, "{contentType: application/json}"));
    assert!(of("3.0.3", form, "{style: deepObject}"));
}

/// Unions in unions, so many levels of so many branches, each with fields of its own.
fn nested_unions(levels: usize, branches: usize) -> String {
    let mut schemas = Vec::new();
    for level in 0..levels {
        let names = (0..branches).map(|n| format!("{{$ref: '#/components/schemas/L{level}B{n}'}}"));
        let names: Vec<String> = names.collect();
        schemas.push(format!("Level{level}: {{oneOf: [{}]}}", names.join(", ")));
        for n in 0..branches {
            let inner = match level + 1 < levels {
                true => format!("{{$ref: '#/components/schemas/Level{}'}}", level + 1),
                false => "{type: string}".to_owned(),
            };
            schemas.push(format!(
                "L{level}B{n}: {{type: object, properties: {{kind: {{const: l{level}b{n}}}, inner: {inner}}}}}"
            ));
        }
    }
    format!("{{{}}}", schemas.join(", "))
}

#[test]
fn a_form_with_too_many_inputs_is_less_deep_everywhere() {
    let first = "{type: object, properties: {first: {$ref: '#/components/schemas/Level0'}, last: {type: string}}}";
    let form_of = |levels, branches| form(&with(&nested_unions(levels, branches), first));
    // As deep as it is.
    assert_eq!(
        form_of(2, 2),
        "{first: L0B0 {kind: [\"l0b0\"], inner: L1B0 {kind: [\"l1b0\"], inner: text} | L1B1 {kind: [\"l1b1\"], inner: text}} | \
         L0B1 {kind: [\"l0b1\"], inner: L1B0 {kind: [\"l1b0\"], inner: text} | L1B1 {kind: [\"l1b1\"], inner: text}}, last: text}"
    );
    // What is inside of it is raw JSON in each branch alike, and what follows is there.
    let branches = (0..12).map(|n| format!("L0B{n} {{kind: [\"l0b{n}\"], inner: json}}"));
    let branches: Vec<String> = branches.collect();
    let expected = format!("{{first: {}, last: text}}", branches.join(" | "));
    assert_eq!(form_of(4, 12), expected);
}

#[test]
fn a_union_of_raw_json_alone_is_raw_json() {
    let page = schema(
        "{type: object, properties: {a: {oneOf: [{title: One}, {title: Two, type: object}]}}}",
    );
    assert_eq!(form(&page), "{a: json}");
}

/// Parts in branches are parts, too, and headers of parts are sent by each language that can.
#[test]
fn parts_behind_a_chooser_say_what_they_are() {
    let document = plain(
        "
openapi: 3.1.0
servers: [{url: 'https://h.example'}]
paths:
  /p:
    post:
      requestBody:
        content:
          multipart/form-data:
            schema:
              type: object
              required: [note]
              properties: {note: {type: string}}
              oneOf:
                - {title: Picture, required: [picture], properties: {picture: {type: string, contentMediaType: image/png}}}
                - {title: Data, required: [data], properties: {data: {type: object, properties: {a: {type: string}}}}}
            encoding:
              note: {headers: {X-Rate: {schema: {type: integer, const: 5}}}}
              data: {contentType: application/xml}
      responses: {}
",
    );
    let page = super::page(&document, POST);
    let root = page.value.body.as_ref().unwrap().media[0].root.as_ref();
    let contents = &root.unwrap().view.contents;
    let chooser = &contents.choosers[0];
    let of = |branch: usize, name: &str| {
        let row = super::seen::row(&chooser.branches[branch].view.contents, name);
        super::seen::chips(&row.view)
    };
    assert_eq!(of(0, "picture"), ["image/png"]);
    assert_eq!(of(1, "data"), ["application/xml"]);
    let note = super::seen::row(contents, "note");
    assert_eq!(note.view.contents.blocks.len(), 1);
    let curl = &page.value.samples[0].variants[0].source;
    assert!(
        curl.contains(r#"--form 'note=string;headers="X-Rate: 5"'"#),
        "{curl}"
    );
}

/// An object that a part has as XML is typed as XML, as no form knows how it is written.
#[test]
fn parts_of_xml_are_put_in_as_texts() {
    let document = |encoding: &str| {
        plain(&format!(
            "
openapi: 3.1.0
servers: [{{url: 'https://h.example'}}]
paths: {{/p: {{post: {{requestBody: {{content: {{multipart/form-data: {{schema: {{type: object, required: [pet], properties: {{pet: {{$ref: '#/components/schemas/Pet'}}, all: {{type: array, items: {{$ref: '#/components/schemas/Pet'}}}}, note: {{type: string}}}}}}, encoding: {encoding}}}}}}}, responses: {{}}}}}}}}
components: {{schemas: {{Pet: {{type: object, properties: {{name: {{type: string}}}}}}}}}}
"
        ))
    };
    let xml = "{pet: {contentType: application/xml}, all: {contentType: text/xml}}";
    let page = super::page(&document(xml), POST);
    let shown = form(&page);
    assert!(shown.starts_with("{pet!: text, all: List"), "{shown}");
    assert!(!shown.contains("name"), "{shown}");
    let playground = page.value.playground.as_ref().unwrap();
    let Some(Input::Object { fields, .. }) = &playground.bodies[0].input else {
        panic!("no object");
    };
    let prefill = fields[0].prefill.as_ref().and_then(|text| text.as_str());
    assert_eq!(
        prefill,
        Some("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Pet>\n  <name>string</name>\n</Pet>")
    );
    let page = super::page(&document("{pet: {contentType: application/json}}"), POST);
    assert!(
        form(&page).starts_with("{pet!: {name: text}"),
        "{}",
        form(&page)
    );
}
