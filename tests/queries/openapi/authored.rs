//! What an author writes is on the page: examples of each place, links, how values are sent, who may send a request.

use expect_test::expect;
use highlight::by_grammar;
use openapi::endpoint::{Endpoint, Modelled};
use queries::head::page_head;
use queries::outputs::route_table;
use theme::article::{self, Article};
use theme::reference::{self, Context};
use theme::words::in_english;

use super::seen::POST;
use super::{page, plain};
use crate::support::TestSite;

/// The page as one text of HTML, in English.
pub(super) fn drawn(page: &Modelled<Endpoint>) -> String {
    let context = Context {
        base_path: "",
        by_grammar: &by_grammar,
        is_expanded: false,
    };
    let drawn = reference::endpoint(&page.value, context);
    let side = format!("{}{}", drawn.side, drawn.examples);
    let main = format!("{}{}", drawn.security, drawn.main);
    let head = format!("{}{}", drawn.bar, drawn.head);
    in_english(&reference::whole(&head, &side, "", &main).into_string()).into_owned()
}

#[track_caller]
fn has(html: &str, texts: &[&str]) {
    for text in texts {
        assert!(html.contains(text), "{text} is not in\n{html}");
    }
}

#[test]
fn every_example_of_a_request_is_there_to_be_chosen() {
    let document = plain(
        "
paths:
  /p:
    post:
      requestBody:
        content:
          application/json:
            schema: {type: object, properties: {a: {type: integer}}}
            examples:
              one: {summary: The first, description: It is **small**, value: {a: 1}}
              two: {summary: The second, value: {a: 222}}
              three: {externalValue: 'https://example.com/three.json'}
",
    );
    let html = drawn(&page(&document, POST));
    has(
        &html,
        &[
            "<option>The first</option><option>The second</option><option>three</option>",
            "<strong>small</strong>",
            "222",
            r#"<a href="https://example.com/three.json""#,
        ],
    );
    // One example is in the code.
    let document = plain(
        "paths: {/p: {post: {requestBody: {content: {application/json: {example: {a: 1}}}}}}}",
    );
    assert!(!drawn(&page(&document, POST)).contains("body-examples"));
}

#[test]
fn examples_of_parameters_have_their_names() {
    let document = plain(
        "paths: {/p: {post: {parameters: [{name: a, in: query, schema: {type: string}, examples: {one: {summary: The first, value: x}, two: {value: yy}}}], responses: {'200': {description: ok, headers: {X-A: {schema: {type: string}, examples: {other: {summary: Another, value: zz}}}}}}}}}",
    );
    has(
        &drawn(&page(&document, POST)),
        &[
            r#"<code>x</code> <span class="value-name">The first</span> <code>yy</code> <span class="value-name">two</span>"#,
            r#"<code>zz</code> <span class="value-name">Another</span>"#,
        ],
    );
}

#[test]
fn examples_of_callbacks_are_shown_with_them() {
    let document = plain(
        "
paths:
  /p:
    post:
      callbacks:
        done:
          '{$request.body#/url}':
            post:
              requestBody: {content: {application/json: {schema: {type: object}, examples: {sent: {summary: What is sent, value: {id: 4711}}, other: {value: {id: 4712}}}}}}
              responses: {'200': {description: ok, content: {application/json: {example: {back: 4713}}}}}
",
    );
    has(
        &drawn(&page(&document, POST)),
        &["<option>What is sent</option>", "4711", "4712", "4713"],
    );
}

#[test]
fn an_example_is_shown_as_it_is_sent() {
    let document = plain(
        r#"
openapi: 3.2.0
paths:
  /p:
    post:
      requestBody:
        content:
          application/xml:
            schema: {type: object, properties: {a: {type: integer}}}
            examples:
              one: {dataValue: {a: 1}, serializedValue: "<own a='1'/>"}
          application/json:
            schema: {type: object, properties: {a: {type: integer}}}
            examples:
              data: {dataValue: {a: 2}}
              text: {serializedValue: '{"a":   3}'}
"#,
    );
    let page = page(&document, POST);
    let media = &page.value.body.as_ref().unwrap().media;
    let shown = |at: usize| {
        let examples = media[at].examples.iter();
        let shown = examples.map(|one| (one.language.clone(), one.text.clone()));
        shown.collect::<Vec<_>>()
    };
    let text = |language: &str, text: &str| (language.to_owned(), text.to_owned());
    assert_eq!(shown(0), [text("xml", "<own a='1'/>")]);
    assert_eq!(
        shown(1),
        [
            text("json", "{\n  \"a\": 2\n}"),
            text("json", "{\"a\":   3}")
        ]
    );
}

#[test]
fn a_description_for_the_page_is_the_description() {
    let document = plain(
        "paths: {/p: {post: {description: of the operation, x-docs: {metadata: {description: of the page}}}}}",
    );
    let page = page(&document, POST);
    assert_eq!(page.value.description, "of the page");
    assert_eq!(page.value.meta_description.as_deref(), Some("of the page"));
}

#[test]
fn schemas_lead_to_other_documentation() {
    let document = plain(
        "
paths: {/p: {post: {requestBody: {content: {application/json: {schema: {type: object, externalDocs: {url: 'https://example.com/body'}, properties: {a: {$ref: '#/components/schemas/A'}, b: {type: string, externalDocs: {url: 'javascript:x', description: Bad}}}}}}}}}}
components: {schemas: {A: {type: string, externalDocs: {url: 'https://example.com/a', description: More on A}}}}
",
    );
    let html = drawn(&page(&document, POST));
    has(
        &html,
        &[
            r#"<a href="https://example.com/body">example.com"#,
            r#"<a href="https://example.com/a">More on A"#,
            "Bad",
        ],
    );
    assert!(!html.contains("javascript:"), "{html}");
}

#[test]
fn how_several_values_are_sent_is_said() {
    let document = plain(
        "
paths:
  /p/{ids}:
    post:
      parameters:
        - {name: ids, in: path, required: true, schema: {type: array, items: {type: integer}}}
        - {name: tags, in: query, schema: {type: array, items: {type: string}}}
        - {name: csv, in: query, explode: false, schema: {type: array, items: {type: string}}}
        - {name: pipes, in: query, style: pipeDelimited, schema: {type: array, items: {type: string}}}
        - {name: filter, in: query, style: deepObject, schema: {type: object, properties: {name: {type: string}, age: {type: integer}}}}
        - {name: of, in: query, style: deepObject, schema: {type: object, properties: {id: {type: integer}, at: {type: string}, rules: {type: array, items: {type: object, properties: {field: {type: string}}}}}}}
        - {name: in, in: query, style: deepObject, schema: {type: object, properties: {any: {type: array, items: {type: string}}, size: {type: object, properties: {min: {type: integer}}}}}}
        - {name: free, in: query, style: deepObject, schema: {type: object}}
        - {name: X-Map, in: header, schema: {type: object, additionalProperties: {type: string}}}
        - {name: q, in: query, schema: {type: string}}
      responses: {'200': {description: ok, headers: {X-List: {schema: {type: array, items: {type: string}}, examples: {one: {value: [x]}}}}}}
",
    );
    let page = page(&document, "/paths/~1p~1{ids}/post");
    let rows = page.value.parameters.iter().flat_map(|group| &group.rows);
    let rows = rows.chain(&page.value.responses[0].headers);
    let said: Vec<String> = rows
        .map(|row| {
            let chips = row.view.chips.iter().flatten();
            let text: String = chips.map(|span| span.text.as_str()).collect();
            format!("{} {text}", row.name.text())
        })
        .collect();
    assert_eq!(
        said,
        [
            "ids sent as 1,2",
            "tags sent as tags=a&tags=b",
            "csv sent as csv=a,b",
            "pipes sent as pipes=a|b",
            "filter sent as filter[name]=a&filter[age]=1",
            "of sent as of[id]=1&of[rules][0][field]=b",
            "in sent as in[any]=a&in[any]=b&in[size][min]=1",
            "free sent as free[key1]=a&free[key2]=b",
            "q ",
            "X-Map sent as X-Map: key1,a,key2,b",
            "X-List sent as X-List: x",
        ]
    );
    assert_eq!(
        page.value.responses[0].headers[0].view.examples,
        ["[\"x\"]"]
    );
}

#[test]
fn who_may_send_a_request_is_said() {
    let html = |security: &str| {
        let document = plain(&format!(
            "paths: {{/p: {{post: {{security: {security}}}}}}}\ncomponents: {{securitySchemes: {{a: {{type: http, scheme: bearer}}}}}}"
        ));
        drawn(&page(&document, POST))
    };
    has(
        &html("[{}]"),
        &["Authorizations", "No authentication is needed."],
    );
    let optional = html("[{}, {a: []}]");
    has(&optional, &["Optional: the request may be sent without."]);
    assert!(!optional.contains("pill-required"), "{optional}");
    assert!(html("[{a: []}]").contains("pill-required"));
    assert!(!html("[]").contains("Authorizations"));
}

/// SPEC 2.6 (S25): of a plain page, too.
#[test]
fn the_version_of_a_page_stands_beside_its_title() {
    let docs = r##"{"theme": "mint", "name": "A", "colors": {"primary": "#0a7"}, "navigation": {"versions": [
        {"version": "v2", "groups": [{"group": "API", "openapi": "api.json"}, {"group": "Own", "pages": ["own", "bound", "guide"]}]}]}}"##;
    let api = r##"{"openapi": "3.1.0", "info": {"title": "A", "version": "1"}, "paths": {"/a": {
        "get": {"summary": "Read"},
        "post": {"summary": "Write", "x-docs": {"metadata": {"version": "beta"}}},
        "put": {"summary": "Put", "x-docs": {"metadata": {"version": "gamma"}}}}}}"##;
    let site = TestSite::new(&[
        ("docs.json", docs),
        ("api.json", api),
        ("own.mdx", "---\nopenapi: GET /a\nversion: own\n---\n"),
        ("bound.mdx", "---\nopenapi: PUT /a\n---\n"),
        ("guide.mdx", "---\ntitle: Guide\nversion: v2\n---\n"),
    ]);
    let table = route_table(&site.db, site.site);
    let versions: Vec<String> = (table.pages.iter())
        .map(|(route, page)| {
            let version = &page_head(&site.db, *page).version;
            format!("{route} {}", version.as_deref().unwrap_or("-"))
        })
        .collect();
    expect![[r#"
        /api-reference/introduction v2
        /api-reference/put gamma
        /api-reference/read v2
        /api-reference/write beta
        /bound gamma
        /guide v2
        /own own"#]]
    .assert_eq(&versions.join("\n"));
    let article = Article {
        title: Some("Read".to_owned()),
        version: Some("v2".to_owned()),
        ..Article::default()
    };
    let html = article::article(&article, &maud::html! {}, maud::PreEscaped("")).into_string();
    assert!(
        html.contains(r#"Read <span class="pill">v2</span></h1>"#),
        "{html}"
    );
}

/// What code sends for each form of a body is known to the page where a reader chooses another example of it.
#[test]
fn a_page_with_several_examples_of_a_body_has_its_requests() {
    let samples = |examples: &str| {
        let document = plain(&format!(
            "servers: [{{url: https://a}}]\npaths: {{/p: {{post: {{requestBody: {{content: {{application/json: {{schema: {{type: object}}, examples: {{{examples}}}}}}}}}, responses: {{}}}}}}}}"
        ));
        let page = page(&document, "/paths/~1p/post");
        page.value.playground.unwrap().samples.len()
    };
    assert_eq!(samples("a: {value: {n: 1}}, b: {value: {n: 2}}"), 1);
    assert_eq!(samples("a: {value: {n: 1}}"), 0);
}
