//! Rules of OpenAPI: each document of a fixture breaks the rule that it is called by and no other, what many slips have in
//! common is one line, and sites grade rules.

use std::collections::BTreeSet;

use base::diagnostic::{Code, Diagnostic, Severity};
use expect_test::{Expect, expect};
use queries::site::{document_diagnostics, site_diagnostics};

use crate::cases::{files, fixtures};
use crate::support::TestSite;

/// A site whose only specification is `document`, with `rules` for it.
fn site(document: &str, rules: &str) -> TestSite {
    let docs = format!(
        r##"{{"theme": "mint", "name": "Rules", "colors": {{"primary": "#0a7a5a"}},
            "navigation": {{"groups": [{{"group": "API", "openapi": "a.yaml"}}]}}, "api": {{"rules": {rules}}}}}"##
    );
    TestSite::new(&[("docs.json", &*docs), ("a.yaml", document)])
}

/// What is said of the document of a site.
fn said(site: &TestSite) -> Vec<Diagnostic> {
    let all = site_diagnostics(&site.db, site.site).into_iter();
    let of_document = all.filter(|found| found.place.path().to_string() == "a.yaml");
    of_document.collect()
}

#[track_caller]
fn check(document: &str, expected: Expect) {
    let found = said(&site(document, "{}"));
    let lines = found
        .iter()
        .filter(|found| found.severity() != Severity::Info);
    let lines = lines.map(|found| {
        let hint = found.hint.as_ref().map(|hint| format!(" ({hint})"));
        format!(
            "{}: {}{}\n",
            found.code.name(),
            found.message,
            hint.unwrap_or_default()
        )
    });
    expected.assert_eq(&lines.collect::<String>());
}

#[test]
fn each_document_breaks_the_rule_that_it_is_called_by() {
    let folder = fixtures().join("openapi-rules/site/rules");
    let documents = files(&folder);
    assert!(documents.len() >= 51, "{}", documents.len());
    for (name, text) in documents {
        let text = String::from_utf8(text).unwrap();
        let site = site(&text, "{}");
        let codes: BTreeSet<&str> = said(&site).iter().map(|found| found.code.name()).collect();
        let rule = name.strip_suffix(".yaml").unwrap();
        assert_eq!(codes, BTreeSet::from([rule]), "{name}");
        // Where the document does not break it, nothing is said of it.
        let code = Code::from_name(rule).unwrap();
        assert!(
            said(&self::site(CLEAN, "{}"))
                .iter()
                .all(|found| found.code != code)
        );
    }
}

/// A document that breaks no rule.
const CLEAN: &str = r##"
openapi: 3.1.0
info: { title: Rules, version: "1", description: None is broken., contact: { name: Ada }, license: { name: MIT, identifier: MIT } }
servers: [{ url: "https://{region}.museum.test", variables: { region: { default: eu, enum: [eu, us] } } }]
tags: [{ name: things, description: Things. }]
paths:
  /things/{id}:
    get:
      operationId: readThing
      summary: Read a thing
      description: One of them.
      tags: [things]
      parameters: [{ name: id, in: path, required: true, schema: { type: string, pattern: "^(?!x)[a-z]+$" } }]
      security: [{ login: ["read:things"] }]
      responses:
        "200": { description: The thing, content: { application/json: { schema: { $ref: "#/components/schemas/Thing" } } } }
        default: { $ref: "#/components/responses/Mistake" }
components:
  securitySchemes:
    login: { type: oauth2, flows: { clientCredentials: { tokenUrl: "https://api.museum.test/token", scopes: { "read:things": Read } } } }
  responses:
    Mistake: { description: A mistake }
  schemas:
    Thing:
      type: object
      required: [kind]
      discriminator: { propertyName: kind, mapping: { cup: Cup } }
      properties: { kind: { type: string }, default: { type: [string, "null"], enum: [a, null], default: a }, x-y: { example: { $ref: "#/no" } } }
    Cup: { allOf: [{ $ref: "#/components/schemas/Thing" }, { required: [size] }], properties: { size: { type: integer, minimum: 1, maximum: 3 } } }
"##;

#[test]
fn a_document_that_breaks_no_rule_hears_nothing() {
    let found = said(&site(CLEAN, "{}"));
    assert_eq!(found, []);
}

#[test]
fn a_document_of_3_0_that_breaks_no_rule_hears_nothing() {
    let old = CLEAN
        .replace("3.1.0", "3.0.3")
        .replace("identifier: MIT", "url: \"https://museum.test/mit\"")
        .replace("type: [string, \"null\"]", "type: string, nullable: true");
    assert_eq!(said(&site(&old, "{}")), []);
}

#[test]
fn slips_are_told_in_the_words_of_authors() {
    check(
        &CLEAN
            .replace("operationId: readThing", "operationID: readThing")
            .replace("in: path, required: true", "in: pth, required: \"yes\"")
            .replace("description: A mistake", "descripton: A mistake")
            .replace("tokenUrl", "tokenURL")
            .replace(
                "type: integer, minimum: 1",
                "type: intger, requried: [a], minimum: one",
            ),
        expect![[r#"
            spec-field-missing: a response needs `description` (`descripton` stands there: did you mean `description`?)
            spec-field-unknown: `descripton` is not a field of a response (did you mean `description`?)
            spec-field-type: `minimum` must be a number
            spec-field-unknown: `requried` is not a keyword of a schema (did you mean `required`?)
            spec-value-invalid: `type` cannot be `intger` (did you mean `integer`?)
            spec-field-missing: an OAuth flow needs `tokenUrl` (`tokenURL` stands there: did you mean `tokenUrl`?)
            spec-field-unknown: `tokenURL` is not a field of an OAuth flow (did you mean `tokenUrl`?)
            path-parameter-missing: no parameter describes `{id}` of the path (add a parameter `id` with `in: path`)
            spec-field-unknown: `operationID` is not a field of an operation (did you mean `operationId`?)
            spec-value-invalid: `in` cannot be `pth` (did you mean `path`?)
            spec-field-type: `required` must be `true` or `false`
        "#]],
    );
}

/// Slips that other linters tell and that are easy to overlook, each held against one of the corpus by hand.
#[test]
fn slips_of_whole_documents_are_told() {
    let told = |document: &str| {
        let found = said(&site(document, "{}"));
        let lines = found
            .iter()
            .map(|found| format!("{}: {}", found.code.name(), found.message));
        lines.collect::<Vec<_>>().join("\n")
    };
    let both = "license: { name: MIT, identifier: MIT, url: \"https://museum.test/mit\" }";
    let neither = "license: { name: MIT }";
    let license = "license: { name: MIT, identifier: MIT }";
    for (from, to, expected) in [
        (
            license,
            both,
            "spec-fields-exclusive: `license` has `identifier` or `url`, not both",
        ),
        (
            license,
            neither,
            "license-url: `license` does not say where its terms are",
        ),
        (
            "version: \"1\"",
            "version: \"1\", termsOfService: no hat",
            "spec-value-invalid: `termsOfService` must be an address (RFC 3986)",
        ),
        (
            "name: Ada",
            "name: Ada, email: \"ada at museum\"",
            "spec-value-invalid: `email` must be an address of mail",
        ),
        (
            "tags: [{ name: things, description: Things. }]",
            "",
            "tag-undefined: operations have tags, but the document has no list of tags",
        ),
        (
            "discriminator: { propertyName: kind, mapping: { cup: Cup } }",
            "discriminator: { mapping: { cup: Cup } }",
            "spec-field-missing: a discriminator needs `propertyName`",
        ),
        (
            "content: { application/json:",
            "content: { aplication/json:",
            "media-type-invalid: `aplication` is no type of media",
        ),
        (
            "https://{region}.museum.test",
            "https://{region}.localhost:8080",
            "server-example: `{region}.localhost` is the machine of each reader",
        ),
        (
            "schema: { $ref: \"#/components/schemas/Thing\" }",
            "schema: { $ref: \"#/components/securitySchemes/login\" }",
            "ref-kind: `#/components/securitySchemes/login` is a security scheme, but a schema is expected here",
        ),
        (
            "mapping: { cup: Cup }",
            "mapping: { cup: a cup }",
            "discriminator-mapping: the discriminator leads to `a cup`, which does not exist",
        ),
        (
            "\"200\": { description: The thing, content: { application/json: { schema: { $ref: \"#/components/schemas/Thing\" } } } }",
            "\"400\": { description: None, content: { application/json: { schema: { $ref: \"#/components/schemas/Thing\" } } } }",
            "success-response: operation has no 2xx or 3xx response",
        ),
    ] {
        assert!(CLEAN.contains(from), "{from}");
        assert_eq!(told(&CLEAN.replace(from, to)), expected);
    }
}

/// Each of two paths is the more concrete one somewhere: nothing says which one a request means.
#[test]
fn paths_that_one_request_fits_alike_are_told() {
    let told = |paths: &[&str]| {
        let mut document = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths:\n".to_owned();
        for path in paths {
            document.push_str(&format!(
                "  {path}: {{get: {{responses: {{'200': {{description: OK}}}}}}}}\n"
            ));
        }
        let found = said(&site(&document, "{}"));
        let overlaps = found.iter().filter(|found| found.code == Code::PathOverlap);
        overlaps
            .map(|found| found.message.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        told(&["/{kind}/mine", "/books/{id}"]),
        ["a request can fit `/{kind}/mine` and `/books/{id}` alike"]
    );
    for apart in [
        ["/books/mine", "/books/{id}"],
        ["/books/{id}", "/books/{id}/pages"],
        ["/{kind}/mine", "/books/{id}:read"],
        ["/{kind}/mine", "/books/yours"],
    ] {
        assert_eq!(told(&apart), [""; 0], "{apart:?}");
    }
    let other_method = CLEAN.replace(
        "paths:\n",
        "paths:\n  /{kind}/mine: { put: { responses: { '200': { description: OK } } } }\n",
    );
    assert!(other_method.contains("/things/{id}:\n    get:") && other_method.contains("put:"));
    let found = said(&site(&other_method, "{}"));
    assert!(found.iter().all(|found| found.code != Code::PathOverlap));
    // As many as nobody writes: some are told, soon.
    let many: Vec<String> = (0..3_000)
        .map(|i| format!("/a{i}/{{x}}/b/{{y}}/c{i}"))
        .collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(told(&many), [""; 0]);
}

#[test]
fn an_operation_without_responses_is_told() {
    let at = CLEAN.find("      responses:").unwrap();
    let document = format!(
        "{}{}",
        &CLEAN[..at],
        &CLEAN[CLEAN.find("components:").unwrap()..]
    );
    let told = |document: &str| -> Vec<&str> {
        let found = said(&site(document, "{}")).into_iter();
        found
            .map(|found| found.code.name())
            .filter(|name| *name != "component-unused")
            .collect()
    };
    assert_eq!(told(&document), ["success-response"]);
    let old = document
        .replace("3.1.0", "3.0.3")
        .replace("identifier: MIT", "url: \"https://museum.test/mit\"");
    let old = old.replace("type: [string, \"null\"]", "type: string, nullable: true");
    assert_eq!(told(&old), ["spec-field-missing"]);
}

#[test]
fn what_3_0_does_not_know_is_told() {
    check(
        &CLEAN.replace("3.1.0", "3.0.3").replace(
            "size: { type: integer,",
            "size: { type: [integer, \"null\"], const: 1,",
        ),
        expect![[r#"
            spec-field-unknown: `const` is a field of a schema from OpenAPI 3.1 on; the document is of 3.0 (write `enum` with one value, or raise `openapi` to 3.1.0)
            spec-field-type: a list of types is read from OpenAPI 3.1 on (raise `openapi` to 3.1.0, or write one type and `nullable: true`)
            spec-field-type: a list of types is read from OpenAPI 3.1 on (raise `openapi` to 3.1.0, or write one type and `nullable: true`)
            spec-field-unknown: `identifier` is a field of `license` from OpenAPI 3.1 on; the document is of 3.0 (raise `openapi`, or leave it out)
        "#]],
    );
}

#[test]
fn security_schemes_are_told_what_their_type_needs() {
    check(
        &CLEAN.replace(
            "  securitySchemes:\n",
            "  securitySchemes:\n    key: { type: apiKey, name: X-Key }\n    http: { type: http }\n    odd: { type: oauth }\n",
        ),
        expect![[r#"
            spec-field-missing: a security scheme of type `http` needs `scheme`
            spec-field-missing: a security scheme of type `apiKey` needs `in`
            spec-value-invalid: `type` cannot be `oauth` (did you mean `oauth2`?)
        "#]],
    );
}

#[test]
fn a_body_of_swagger_2_is_told_where_it_goes() {
    check(
        &CLEAN.replace(
            "schema: { type: string, pattern: \"^(?!x)[a-z]+$\" } }]",
            "type: string }, { in: body, name: thing, schema: { type: object } }]",
        ),
        expect![[r#"
            spec-field-missing: a parameter needs `schema` or `content`
            spec-field-unknown: `type` is not a field of a parameter (put it below `schema`)
            spec-value-invalid: `in` cannot be `body` (describe it as the `requestBody` of the operation)
        "#]],
    );
}

#[test]
fn a_reference_below_a_default_response_is_followed() {
    check(
        &CLEAN.replace(
            "#/components/responses/Mistake",
            "#/components/responses/Mistakes",
        ),
        expect![[r#"
            ref-missing: `#/components/responses/Mistakes` leads nowhere (look at the spelling of its last part, and whether the component is defined)
        "#]],
    );
    // What stands in data is a name like any other.
    check(
        &CLEAN.replace(
            "{ type: string, pattern:",
            "{ default: { $ref: '#/a' }, examples: [{ $ref: '#/b' }], x-z: { $ref: '#/c' }, pattern:",
        ),
        expect![""],
    );
}

#[test]
fn one_cause_is_one_line() {
    let paths: String = (0..1034)
        .map(|i| format!("  /p{i}: {{ get: {{ operationId: o{i}, responses: {{ '200': {{ description: Fine, hedaers: {{}} }} }} }} }}\n"))
        .collect();
    let document = format!("openapi: 3.1.0\ninfo: {{ title: A, version: '1' }}\npaths:\n{paths}");
    let found = said(&site(&document, "{}"));
    let mut lines: Vec<String> = found
        .iter()
        .map(|found| format!("{} {}", found.code.name(), found.message))
        .collect();
    lines.sort();
    expect![[r#"
        error-response operation has no 4xx response (here and in 1033 more places)
        info-contact `info` has no `contact`
        info-description `info` has no `description`
        info-license `info` has no `license`
        operation-description operation has no `description` (here and in 1033 more places)
        operation-security operation has no `security` and the document has no default (here and in 1033 more places)
        operation-summary operation has no `summary` (here and in 1033 more places)
        operation-tags operation has no `tags` (here and in 1033 more places)
        servers-missing the document has no `servers`
        spec-field-unknown `hedaers` is not a field of a response (here and in 1033 more places)
    "#]]
    .assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn a_site_grades_rules() {
    let document = CLEAN.replace("operationId: readThing", "operationID: readThing");
    let graded = |rules: &str| {
        let found = said(&site(&document, rules));
        let graded = found
            .iter()
            .map(|found| (found.code.name(), found.severity()));
        graded.collect::<Vec<_>>()
    };
    let (unknown, missing) = ("spec-field-unknown", "operation-id-missing");
    assert_eq!(
        graded("{}"),
        [(missing, Severity::Info), (unknown, Severity::Warning)]
    );
    assert_eq!(
        graded(r#"{"spec-field-unknown": "error", "operation-id-missing": "off"}"#),
        [(unknown, Severity::Error)]
    );
    // The same where one document is asked for, as `dev` does.
    let site = site(&document, r#"{"spec-field-unknown": "off"}"#);
    let spec = site.site.specs(&site.db)[0];
    let found = document_diagnostics(&site.db, site.site, spec);
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn rules_that_are_not_there_or_cannot_be_graded_are_told() {
    let site = site(
        CLEAN,
        r#"{"spec-field-unkown": "off", "invalid-yaml": "off", "tag-undefined": "maybe"}"#,
    );
    let found = site_diagnostics(&site.db, site.site);
    let lines: Vec<String> = found
        .iter()
        .map(|found| {
            format!(
                "{}: {} ({})\n",
                found.code.name(),
                found.message,
                found.hint.as_deref().unwrap_or("")
            )
        })
        .collect();
    expect![[r#"
        unknown-field: `invalid-yaml` cannot be graded: a document that it is said of is not read ()
        unknown-field: `spec-field-unkown` is not a rule (did you mean `spec-field-unknown`?)
        invalid-field: `tag-undefined` must be one of `off`, `info`, `warning`, `error`, not `maybe` ()
    "#]]
    .assert_eq(&lines.concat());
}

/// A document with these paths and components, whose rules of style are left out of what is said.
fn told_of(version: &str, paths: &str, rest: &str) -> String {
    let document = format!(
        "openapi: {version}\ninfo: {{title: T, version: '1'}}\nservers: [{{url: 'https://api.museum.test'}}]\nsecurity: []\npaths:\n{paths}\n{rest}\n"
    );
    let found = said(&site(&document, "{}")).into_iter();
    let is_of_style = |found: &Diagnostic| {
        let name = found.code.name();
        name.starts_with("info-")
            || name.starts_with("operation-")
            || matches!(name, "error-response" | "component-unused")
    };
    let lines = found.filter(|found| !is_of_style(found)).map(|found| {
        format!(
            "{} {}: {}",
            found.severity().word(),
            found.code.name(),
            found.message
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn references_in_data_of_the_author_are_data() {
    let told = told_of(
        "3.1.0",
        "  /a: {get: {responses: {'200': {description: ok}}, x-a: {$ref: other.yaml}}, x-b: {$ref: 'https://other.test/x.yaml'}}\n  x-c: {$ref: '#/no'}",
        "x-d: {$ref: '#/no'}\ncomponents: {x-e: {f: {$ref: '#/no'}}, schemas: {x-g: {type: object, example: {$ref: '#/no'}, x-h: [{$ref: no.yaml}]}}}",
    );
    assert_eq!(told, "");
    // The name of a component is free, and what is in one is not.
    let told = told_of(
        "3.1.0",
        "  /a: {get: {responses: {'200': {description: ok}}}}",
        "components: {schemas: {x-g: {$ref: '#/components/schemas/no'}}}",
    );
    assert!(told.contains("error ref-missing"), "{told}");
}

#[test]
fn map_of_media_types_behind_a_reference_is_followed() {
    let paths = "  /a: {get: {responses: {'200': {description: ok, content: {$ref: '#/components/mediaTypes/M'}}}}}";
    let rest = "components: {mediaTypes: {M: {application/json: {schema: {type: object, properties: {id: {type: string}}}}}}}";
    let said = told_of("3.2.0", paths, rest);
    assert_eq!(
        said,
        "warning ref-kind: `content` cannot be a reference; it is followed"
    );
    let document = super::plain(&format!("openapi: 3.2.0\npaths:\n{paths}\n{rest}\n"));
    let page = super::page(&document, "/paths/~1a/get");
    let rows = super::outline(&super::seen::response(&page).contents);
    assert_eq!(rows, "id string\n");
    let paths = "  /a: {get: {responses: {$ref: '#/components/x-all'}}}";
    let rest = "components: {x-all: {'200': {description: all of them}}}";
    let said = told_of("3.1.0", paths, rest);
    assert_eq!(
        said,
        "warning ref-kind: `responses` cannot be a reference; it is followed"
    );
    let document = super::plain(&format!("paths:\n{paths}\n{rest}\n"));
    let page = super::page(&document, "/paths/~1a/get");
    assert_eq!(page.value.responses[0].description, "all of them");
    // A whole section of the author's own is found in the cut document, too.
    let paths = "  /a: {get: {responses: {'200': {description: ok, content: {$ref: '#/components/x-content'}}}}}";
    let rest = "components: {x-content: {application/json: {schema: {type: object, properties: {own_id: {type: string}}}}}}";
    let document =
        format!("openapi: 3.1.0\ninfo: {{title: T, version: '1'}}\npaths:\n{paths}\n{rest}\n");
    let docs = r##"{"theme": "mint", "name": "Rules", "colors": {"primary": "#0a7a5a"}, "navigation": {"pages": ["p"]}}"##;
    let page = "---\nopenapi: a.yaml GET /a\n---\n";
    let site = TestSite::new(&[("docs.json", docs), ("a.yaml", &document), ("p.mdx", page)]);
    assert!(site.html("p.mdx").contains("own_id"));
}

#[test]
fn other_documents_are_a_line_each() {
    let parameters = |files: &[&str]| {
        let listed: Vec<String> = files
            .iter()
            .map(|file| format!("{{$ref: '{file}'}}"))
            .collect();
        format!(
            "  /a/{{id}}: {{get: {{parameters: [{}], responses: {{'200': {{description: ok}}}}}}}}",
            listed.join(", ")
        )
    };
    // What is not read may describe the path.
    let told = told_of("3.1.0", &parameters(&["p.yaml#/id", "p.yaml#/limit"]), "");
    assert_eq!(
        told,
        "error ref-external: `p.yaml` is another document and is not read (2 references)"
    );
    let many = ["p.yaml#/id", "p.yaml#/b", "q.yaml", "r.yaml", "s.yaml"];
    let told = told_of("3.1.0", &parameters(&many), "");
    assert_eq!(
        told,
        "error ref-external: `p.yaml` and 3 more files are other documents and are not read (5 references)"
    );
    assert!(told_of("3.1.0", &parameters(&[]), "").contains("path-parameter-missing"));
}

#[test]
fn document_refers_to_itself_by_its_own_address() {
    for (own, reference) in [
        (
            "https://api.museum.test/v1/api.yaml",
            "https://api.museum.test/v1/api.yaml",
        ),
        ("https://api.museum.test/v1/api.yaml", "api.yaml"),
        ("https://api.museum.test/v1/api.yaml", "./api.yaml"),
        ("https://api.museum.test/v1/api.yaml", "/v1/api.yaml"),
        ("/v1/api.yaml", "api.yaml"),
    ] {
        let paths = format!(
            "  /a: {{get: {{responses: {{'200': {{description: ok, summary: Found, content: {{application/json: {{schema: {{$ref: '{reference}#/components/schemas/E'}}}}}}}}}}}}}}"
        );
        let rest = format!(
            "$self: {own}\ncomponents: {{schemas: {{E: {{type: object, properties: {{n: {{type: integer}}}}}}}}}}"
        );
        assert_eq!(told_of("3.2.0", &paths, &rest), "", "{own} {reference}");
        let document = super::plain(&format!("openapi: 3.2.0\npaths:\n{paths}\n{rest}\n"));
        let page = super::page(&document, "/paths/~1a/get");
        let rows = super::outline(&super::seen::response(&page).contents);
        assert_eq!(rows, "n integer\n", "{own} {reference}");
        assert!(super::authored::drawn(&page).contains("Found"));
    }
    // Without a name of its own it is what its file is called.
    for reference in ["a.yaml", "./a.yaml"] {
        let paths = format!(
            "  /a: {{get: {{responses: {{'200': {{description: ok, content: {{application/json: {{schema: {{$ref: '{reference}#/components/schemas/E'}}}}}}}}}}}}}}"
        );
        let rest = "components: {schemas: {E: {type: object, properties: {n: {type: integer}}}}}";
        assert_eq!(told_of("3.1.0", &paths, rest), "", "{reference}");
        let mut document = super::plain(&format!("openapi: 3.1.0\npaths:\n{paths}\n{rest}\n"));
        document.base = "https://docs.museum.test/reference/a.yaml".to_owned();
        let page = super::page(&document, "/paths/~1a/get");
        let rows = super::outline(&super::seen::response(&page).contents);
        assert_eq!(rows, "n integer\n", "{reference}");
    }
    let other = "  /a: {get: {responses: {'200': {description: ok, content: {application/json: {schema: {$ref: 'other.yaml'}}}}}}}";
    assert!(
        told_of("3.2.0", other, "$self: https://api.museum.test/api.yaml").contains("ref-external")
    );
}

#[test]
fn fields_of_later_versions_are_named() {
    let told = told_of(
        "3.1.0",
        "  /a: {get: {responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/E'}}}}}}}",
        "$self: https://api.museum.test/\ncomponents: {mediaTypes: {}, schemas: {E: {type: object, required: [k], properties: {k: {type: string, xml: {nodeType: text}}}, discriminator: {propertyName: k, defaultMapping: E}}}}",
    );
    for field in [
        "`$self` is a field from OpenAPI 3.2 on",
        "`defaultMapping` is a field",
        "`nodeType` is a field",
    ] {
        assert!(told.contains(field), "{field}\n{told}");
    }
}

#[test]
fn paths_with_templates_in_different_places_overlap() {
    let overlap = |one: &str, other: &str| {
        let operation = |path: &str| {
            let names: Vec<String> = lint::placeholders(path)
                .map(|name| {
                    format!("{{name: {name}, in: path, required: true, schema: {{type: string}}}}")
                })
                .collect();
            format!(
                "  {path}: {{get: {{parameters: [{}], responses: {{'200': {{description: ok}}}}}}}}\n",
                names.join(", ")
            )
        };
        told_of(
            "3.1.0",
            &format!("{}{}", operation(one), operation(other)),
            "",
        )
        .contains("path-overlap")
    };
    assert!(overlap("/bookings/{id}/payment", "/{any}/{thing}/payment"));
    assert!(overlap("/{id}/things", "/things/{name}"));
    assert!(!overlap("/users/me", "/users/{id}"));
    assert!(!overlap(
        "/repos/{owner}/{repo}/issues/{n}",
        "/repos/{owner}/{repo}/issues/comments"
    ));
    assert!(!overlap("/a/{id}/x", "/b/{id}/x"));
}

#[test]
fn examples_are_held_against_their_formats() {
    let told = told_of(
        "3.1.0",
        "  /a: {get: {responses: {'200': {description: ok, content: {application/json: {schema: {type: object, properties: {id: {type: string, format: uuid, examples: [not-a-uuid]}, at: {type: string, format: date, examples: ['2025-01-15']}}}}}}}}}",
        "",
    );
    assert_eq!(
        told,
        "info example-mismatch: the example is not valid: it is not of the format `uuid`"
    );
}

#[test]
fn discriminator_is_a_property_of_a_branch() {
    let told = |property: &str| {
        told_of(
            "3.1.0",
            "  /a: {get: {responses: {'200': {description: ok, content: {application/json: {schema: {oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}], discriminator: {propertyName: kind}}}}}}}}",
            &format!(
                "components: {{schemas: {{A: {{type: object, properties: {{{property}: {{type: string}}}}}}, B: {{type: object, properties: {{b: {{type: string}}}}}}}}}}"
            ),
        )
    };
    assert_eq!(
        told("sort"),
        "info discriminator-property: no branch has the property `kind` of the discriminator"
    );
    assert_eq!(told("kind"), "");
}

#[test]
fn formats_of_lists_of_swagger_are_no_slips() {
    let shared = "{name: b, in: body, schema: {type: object}}";
    let list = |name: &str, place: &str, format: &str| {
        format!(
            "{{name: {name}, in: {place}, required: true, type: array, items: {{type: string}}, collectionFormat: {format}}}"
        )
    };
    let mut parameters = Vec::new();
    for (place, formats) in [
        ("query", &["csv", "ssv", "tsv", "pipes", "multi"][..]),
        ("header", &["csv", "ssv", "tsv", "pipes"]),
        ("formData", &["csv", "ssv", "tsv", "pipes", "multi"]),
    ] {
        let of_place = formats.iter().enumerate();
        parameters.extend(of_place.map(|(i, format)| list(&format!("{place}{i}"), place, format)));
    }
    let paths = ["csv", "ssv", "tsv", "pipes"].map(|format| {
        let parameter = list("id", "path", format);
        format!("  /{format}/{{id}}: {{get: {{parameters: [{parameter}], responses: {{'200': {{description: ok}}}}}}}}\n")
    });
    let headers = "{X-A: {type: array, items: {type: string}, collectionFormat: pipes}, X-B: {type: array, items: {type: string}, collectionFormat: tsv}}";
    let document = format!(
        "
swagger: '2.0'
info: {{title: A, version: '1'}}
host: a.test
paths:
  /a: {{post: {{parameters: [{}], responses: {{'200': {{description: ok, headers: {headers}}}}}}}}}
  /b: {{post: {{parameters: [{{$ref: '#/parameters/Shared'}}], responses: {{'200': {{description: ok}}}}}}}}
  /c: {{parameters: [{{$ref: '#/parameters/Common'}}], post: {{responses: {{'200': {{description: ok}}}}}}}}
{}
parameters: {{Shared: {shared}, Common: {shared}, Unused: {shared}}}
",
        parameters.join(", "),
        paths.concat()
    );
    let told = |document: &str| {
        let found = said(&site(document, "{}")).into_iter();
        let found = found.filter(|found| {
            found.severity() != Severity::Info || found.code == Code::ComponentUnused
        });
        let lines = found.map(|found| format!("{}: {}", found.code.name(), found.message));
        lines.collect::<Vec<_>>()
    };
    assert_eq!(
        told(&document),
        ["component-unused: the document never refers to `Unused`"]
    );
    // A style of OpenAPI 3 is where it may be.
    let own = CLEAN.replace("in: path,", "in: path, style: pipeDelimited,");
    assert_eq!(
        told(&own),
        [
            "style-undefined: the style `pipeDelimited` is not defined for this value, so it is sent as `form`",
            "spec-value-invalid: `style` cannot be `pipeDelimited`",
        ]
    );
}

#[test]
fn extensions_of_components_hold_what_they_hold() {
    for section in [
        "x-a: { $ref: \"https://a.test/b.yaml\" }",
        "x-a: { \"no name\": 1 }",
    ] {
        let document = CLEAN.replace("components:\n", &format!("components:\n  {section}\n"));
        assert_eq!(said(&site(&document, "{}")), [], "{section}");
    }
    check(
        &CLEAN.replace(
            "  responses:\n    Mistake",
            "  responses:\n    \"A b\": { $ref: \"#/components/responses/Mistake\" }\n    Mistake",
        ),
        expect![[r#"
            component-name: `A b` is not a name that a component can have (names of components consist of letters, digits, `.`, `_` and `-`)
        "#]],
    );
}

#[test]
fn a_scheme_of_another_document_is_not_missing() {
    let of = |scheme: &str| {
        CLEAN
            .replace("login: [\"read:things\"]", "login: []")
            .replace(
                "login: { type: oauth2",
                &format!("login: {scheme}\n    other: {{ type: oauth2"),
            )
    };
    let outside = || {
        expect![[r#"
        ref-external: `sec.yaml` is another document and is not read (bundle the document, for example with redocly bundle)
    "#]]
    };
    check(&of("{ $ref: sec.yaml }"), outside());
    check(&of("{ $ref: \"sec.yaml#/k\" }"), outside());
    // Through another component, too.
    check(
        &of("{ $ref: \"#/components/securitySchemes/third\" }\n    third: { $ref: sec.yaml }"),
        outside(),
    );
    check(
        &of("{ $ref: \"#/components/securitySchemes/none\" }"),
        expect![[r#"
            ref-missing: `#/components/securitySchemes/none` leads nowhere (look at the spelling of its last part, and whether the component is defined)
        "#]],
    );
    check(
        &CLEAN.replace("security: [{ login", "security: [{ logon"),
        expect![[r#"
            security-missing: the security scheme `logon` is not defined (define it under `components.securitySchemes`)
        "#]],
    );
}

#[test]
fn addresses_of_schemes_may_have_variables() {
    for (version, scheme) in [
        (
            "3.1.0",
            "type: openIdConnect, openIdConnectUrl: \"https://{region}.museum.test/o\"",
        ),
        (
            "3.2.0",
            "type: openIdConnect, openIdConnectUrl: \"https://{region}.museum.test/o\"",
        ),
        (
            "3.2.0",
            "type: oauth2, oauth2MetadataUrl: \"https://{region}.museum.test/o\", flows: { clientCredentials: { tokenUrl: \"https://{region}.museum.test/t\", scopes: {} } }",
        ),
    ] {
        let document = CLEAN
            .replace("3.1.0", version)
            .replace("login: [\"read:things\"]", "login: []")
            .replace(
                "login: { type: oauth2",
                &format!("login: {{ {scheme} }}\n    other: {{ type: oauth2"),
            );
        let found = said(&site(&document, "{}")).into_iter();
        let codes: Vec<&str> = found.map(|found| found.code.name()).collect();
        assert_eq!(codes, ["component-unused"], "{version} {scheme}");
    }
}

#[test]
fn a_schema_that_contradicts_itself_is_told_once() {
    let cases = [
        ("{type: integer, minimum: 5, maximum: 3}", "range-empty"),
        (
            "{type: number, minimum: 5, exclusiveMaximum: 5}",
            "range-empty",
        ),
        (
            "{type: number, exclusiveMinimum: 5, exclusiveMaximum: 4}",
            "range-empty",
        ),
        ("{type: string, minLength: 3, maxLength: 2}", "range-empty"),
        (
            "{type: array, items: {type: string}, minItems: 3, maxItems: 2}",
            "range-empty",
        ),
        (
            "{type: array, prefixItems: [{type: string}], items: false, minItems: 2}",
            "range-empty",
        ),
        (
            "{type: array, items: {}, contains: {type: string}, minContains: 3, maxContains: 2}",
            "range-empty",
        ),
        (
            "{type: object, minProperties: 3, maxProperties: 2}",
            "range-empty",
        ),
        (
            "{type: object, required: [a, b], maxProperties: 1}",
            "range-empty",
        ),
        ("{type: integer, enum: [a]}", "enum-invalid"),
        ("{type: integer, const: a}", "enum-invalid"),
        (
            "{type: object, properties: {a: false}, required: [a]}",
            "required-undefined",
        ),
    ];
    for (schema, code) in cases {
        let document = format!(
            "openapi: 3.1.0\ninfo: {{title: T, version: '1', description: D, license: {{name: MIT, identifier: MIT}}}}\nservers: [{{url: https://api.example.com}}]\nsecurity: []\npaths:\n  /p:\n    get:\n      operationId: p\n      summary: P\n      description: D\n      tags: [t]\n      responses:\n        '200': {{description: ok, content: {{application/json: {{schema: {schema}}}}}}}\n        '400': {{description: no}}\ntags: [{{name: t, description: T}}]\n"
        );
        let found = said(&site(&document, "{}"));
        let codes: Vec<&str> = (found.iter())
            .filter(|found| found.severity() != Severity::Info)
            .map(|found| found.code.name())
            .collect();
        assert_eq!(codes, [code], "{schema}: {found:?}");
    }
}
