//! Pages as Markdown: each thing that a page says is there once, in reading order, and nothing that is drawn around it.

use expect_test::{Expect, expect};
use queries::frame::{PageOptions, page_html};
use queries::markdown::page_markdown;
use queries::outputs::route_table;
use queries::site::{MachineText, machine_text};
use serde_json::{Value, json};

use crate::support::TestSite;

const DOCS: &str = r##"{"theme": "mint", "name": "A", "colors": {"primary": "#000000"},
    "api": {"mdx": {"server": "https://api.example"}},
    "navigation": {"tabs": [{"tab": "Guides", "pages": ["page", "other"]}, {"tab": "API", "openapi": "api.json"}]}}"##;

const API: &str = r##"{
  "openapi": "3.1.0", "info": {"title": "A", "version": "1"}, "servers": [{"url": "https://api.example"}],
  "security": [{"key": []}],
  "paths": {
    "/pets/{id}": {
      "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
      "get": {"operationId": "readPet", "summary": "Read a pet", "description": "One pet, *whole*.\n\n- of any age",
        "x-docs": {"content": "Ask **gently**."}, "deprecated": true,
        "responses": {"200": {"description": "Fine.", "content": {"application/json": {
          "schema": {"$ref": "#/components/schemas/Pet"}}}}}}
    }
  },
  "components": {
    "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}, "unused": {"type": "http", "scheme": "basic"}},
    "schemas": {
      "Pet": {"type": "object", "properties": {"name": {"type": "string"}, "mother": {"$ref": "#/components/schemas/Pet"}}},
      "Unused": {"type": "string"}
    }
  }
}"##;

fn markdown(page: &str, route: &str) -> String {
    let site = TestSite::new(&[
        ("docs.json", DOCS),
        ("page.mdx", page),
        ("other.mdx", "---\ntitle: Other\n---\n\nElse.\n"),
        ("images/a.png", ""),
        ("api.json", API),
    ]);
    let table = route_table(&site.db, site.site).clone();
    let mut pages = table.pages.iter();
    let (_, page) = pages
        .find(|(known, _)| known.as_str().ends_with(route))
        .expect("the page");
    page_markdown(&site.db, *page).to_string()
}

#[track_caller]
fn check(page: &str, expected: Expect) {
    expected.assert_eq(&markdown(page, "/page"));
}

#[test]
fn alerts_of_descriptions_are_callouts() {
    let api = API.replace("- of any age", "> [!WARNING]\\n> It *bites*.");
    let site = TestSite::new(&[
        ("docs.json", DOCS),
        ("page.mdx", "---\ntitle: Page\n---\n"),
        ("other.mdx", "---\ntitle: Other\n---\n"),
        ("api.json", &api),
    ]);
    let table = route_table(&site.db, site.site).clone();
    let mut pages = table.pages.iter();
    let (_, page) = pages
        .find(|(route, _)| route.as_str().ends_with("/read-a-pet"))
        .expect("the page");
    let text = page_markdown(&site.db, *page);
    assert!(text.contains("\n> **Warning:** It *bites*.\n"), "{text}");
    let html = &page_html(&site.db, site.site, *page, &PageOptions::default()).html;
    let (_, callout) = html.split_once("data-kind=\"warning\"").expect("a callout");
    assert!(callout.contains("<p>It <em>bites</em>.</p>"), "{callout}");
}

/// A channel says its address, whether that is its name or another; one without an address says none.
#[test]
fn channels_are_told_by_their_addresses() {
    let docs = r##"{"theme": "mint", "name": "A", "colors": {"primary": "#000000"},
        "navigation": {"tabs": [{"tab": "E", "asyncapi": "events.json"}]}}"##;
    let events = r##"{"asyncapi": "3.0.0", "info": {"title": "E", "version": "1"},
        "servers": {"main": {"host": "x.example", "protocol": "kafka"}},
        "channels": {
            "chat": {"address": "chat"}, "orders": {"address": "shop.orders"}, "deep": {"address": "/deep/er"},
            "dynamic": {"address": null}, "blank": {"address": ""}, "unsaid": {}, "kafka": {"address": "kafka"},
            "two-words": {"address": "two-words"}, "by": {"address": "by.{id}", "parameters": {"id": {}}},
            "titled": {"title": "Titled", "address": "titled"}
        }}"##;
    let site = TestSite::new(&[("docs.json", docs), ("events.json", events)]);
    let table = route_table(&site.db, site.site).clone();
    let mut told: Vec<String> = Vec::new();
    for (route, page) in &table.pages {
        let text = page_markdown(&site.db, *page).to_string();
        let line = text.lines().find(|line| line.starts_with("`KAFKA"));
        if let (Some((_, name)), Some(line)) = (route.as_str().split_once("/channels/"), line) {
            told.push(format!("{name} {line}"));
        }
    }
    told.sort();
    let expected = [
        "blank `KAFKA`",
        "by `KAFKA by.{id}`",
        "chat `KAFKA chat`",
        "deep `KAFKA /deep/er`",
        "dynamic `KAFKA`",
        "kafka `KAFKA kafka`",
        "orders `KAFKA shop.orders`",
        "titled `KAFKA titled`",
        "two-words `KAFKA two-words`",
        "unsaid `KAFKA`",
    ];
    assert_eq!(told, expected);
}

#[test]
fn text_stands_below_title_and_description() {
    check(
        "---\ntitle: The page\ndescription: What it is about.\n---\n\nFirst *words*, **strong** ones and `code`.\n\n## A part\n\n> Quoted.\n\n### Below\n\nSee [other](/other) and [more](https://a.example/x).\n\n## Next\n\nEnd.\n",
        expect![[r#"
            # The page

            > What it is about.

            First *words*, **strong** ones and `code`.

            ## A part

            > Quoted.

            ### Below

            See [other](/other) and [more](https://a.example/x).

            ## Next

            End.
        "#]],
    );
}

#[test]
fn a_first_heading_that_repeats_the_title_is_none() {
    check(
        "---\ntitle: The page\n---\n\nBefore.\n\n# The page\n\nText.\n\n## A part\n\nMore.\n",
        expect![[r#"
            # The page

            Before.

            Text.

            ## A part

            More.
        "#]],
    );
}

#[test]
fn code_tables_lists_and_images_are_whole() {
    check(
        "---\ntitle: The page\n---\n\n| a | b |\n| - | - |\n| 1 | `x \\| y` |\n\n1. one\n2. two\n   - inner\n\n```js file.js\nconst a = \"<b>\";\n```\n\n![A *picture*](/images/a.png)\n",
        expect![[r#"
            # The page

            | a | b |
            | --- | --- |
            | 1 | `x \| y` |

            1. one
            2. two
               - inner

            ```js file.js
            const a = "<b>";
            ```

            ![A picture](/images/a.png)
        "#]],
    );
}

#[test]
fn components_are_what_they_say() {
    check(
        "---\ntitle: The page\n---\n\n<Note>Mind this.</Note>\n\n<Card title=\"Go on\" href=\"/other\">There is more.</Card>\n\n<Accordion title=\"Folded\">Inner text.</Accordion>\n\nAfter it.\n\n<Tabs><Tab title=\"One\">first</Tab><Tab title=\"Two\">second</Tab></Tabs>\n",
        expect![[r#"
            # The page

            > **Note:** Mind this.

            **[Go on](/other)**

            There is more.

            ## Folded

            Inner text.

            After it.

            **One**

            first

            **Two**

            second
        "#]],
    );
}

#[test]
fn callouts_keep_their_kind() {
    check(
        "---\ntitle: The page\n---\n\n<Warning>Not *twice*.</Warning>\n\n<Tip title=\"Faster\">\nFirst.\n\n- one\n- two\n\n```sh\nls\n```\n</Tip>\n\n<Danger>\n- only\n</Danger>\n\n<Callout icon=\"star\">Own.</Callout>\n\n> [!CAUTION]\n> Hot.\n\n- a\n\n  <Check>\n  Done.\n  </Check>\n- b\n",
        expect![[r#"
            # The page

            > **Warning:** Not *twice*.

            > **Tip:** Faster
            >
            > First.
            >
            > - one
            > - two
            >
            > ```sh
            > ls
            > ```

            > **Danger:**
            >
            > - only

            > Own.

            > **Danger:** Hot.

            - a

              **Check:** Done.
            - b
        "#]],
    );
}

/// What is for humans is on the page alone, what is for agents in the texts for programs alone.
#[test]
fn visibility_is_that_of_the_audience() {
    const PAGE: &str = r#"---
title: The page
---

import Shared from "/snippets/shared.mdx";

<Visibility for="agents">
Robots *one*. See [there](/other).
</Visibility>

<Visibility for="humans">
People one.
</Visibility>

Inline <Visibility for="agents">robots two</Visibility><Visibility for="humans">people two</Visibility> end.

<Note>

<Visibility for="agents">Robots three.</Visibility>

<Visibility for="humans">People three.</Visibility>

</Note>

<Visibility for="agents">
<Card title="Robots four" href="/other">In it.</Card>

<Visibility for="humans">Nobody.</Visibility>
</Visibility>

<Visibility for="humans">
<Card title="People four" href="/other">In it.</Card>
</Visibility>

- item <Visibility for="agents">robots five</Visibility>
- <Visibility for="humans">people five</Visibility>

<Shared />

<Visibility>Both.</Visibility>
"#;
    let site = TestSite::new(&[
        ("docs.json", DOCS),
        ("page.mdx", PAGE),
        ("other.mdx", "---\ntitle: Other\n---\n\nElse.\n"),
        (
            "snippets/shared.mdx",
            "<Visibility for=\"agents\">Robots six.</Visibility>\n\n<Visibility for=\"humans\">People six.</Visibility>\n",
        ),
        ("api.json", API),
    ]);
    let table = route_table(&site.db, site.site).clone();
    let (_, page) = table
        .pages
        .iter()
        .find(|(route, _)| route.as_str() == "/page")
        .unwrap();
    let twin = page_markdown(&site.db, *page).to_string();
    let full = machine_text(&site.db, site.site, MachineText::Full, "").unwrap();
    let html = page_html(&site.db, site.site, *page, &PageOptions::default()).html;
    for number in ["one", "two", "three", "four", "five", "six"] {
        let has = |text: &str, who: &str| {
            let text = text.to_lowercase().replace('*', "");
            text.contains(&format!("{who} {number}"))
        };
        for text in [&twin, &full] {
            assert!(has(text, "robots"), "{number}: {text}");
            assert!(!has(text, "people"), "{number}: {text}");
        }
        assert!(
            has(&html, "people") && !has(&html, "robots"),
            "{number}: {html}"
        );
    }
    for text in [&twin, &full, &html] {
        assert!(text.contains("Both.") && !text.contains("Nobody"), "{text}");
    }
    let index = machine_text(&site.db, site.site, MachineText::Index, "").unwrap();
    assert!(
        index.contains("[The page](/page.md): Robots one."),
        "{index}"
    );
}

#[test]
fn an_operation_has_its_part_of_the_specification() {
    let text = markdown("---\ntitle: Page\n---\n", "read-a-pet");
    expect![[r##"
        # Read a pet

        **Deprecated.**

        `GET /pets/{id}`

        One pet, *whole*.

        - of any age

        Ask **gently**.

        ## Required

        - `id` (path, string)

        ## Request

        ```bash
        curl --globoff \
          --url 'https://api.example/pets/{id}' \
          --header 'Authorization: Bearer <token>'
        ```

        ## OpenAPI

        ```yaml api.json
        servers:
          - url: https://api.example
        paths:
          /pets/{id}:
            parameters:
              - name: id
                in: path
                required: true
                schema:
                  type: string
            get:
              operationId: readPet
              deprecated: true
              security:
                - key: []
              responses:
                "200":
                  description: Fine.
                  content:
                    application/json:
                      schema:
                        $ref: "#/components/schemas/Pet"
        components:
          securitySchemes:
            key:
              type: http
              scheme: bearer
          schemas:
            Pet:
              type: object
              properties:
                name:
                  type: string
                mother:
                  $ref: "#/components/schemas/Pet"
        ```
    "##]]
    .assert_eq(&text);
}

#[test]
fn an_endpoint_that_is_described_in_mdx_has_its_fields() {
    check(
        "---\ntitle: Buy\napi: POST /tickets/{kind}\n---\n\n<ParamField body=\"day\" type=\"string\" required>The day of the visit.</ParamField>\n\n<ResponseField name=\"code\" type=\"string\">What the door reads.</ResponseField>\n",
        expect![[r##"
            # Buy

            `POST /tickets/{kind}`

            `day` string body required

            The day of the visit.

            `code` string

            What the door reads.

            ## Required

            - `kind` (path, string)

            ## Request

            ```bash
            curl --request POST \
              --globoff \
              --url 'https://api.example/tickets/{kind}' \
              --header 'Content-Type: application/json' \
              --data '{
              "day": "string"
            }'
            ```

            ## Path parameters

            - `kind`
        "##]],
    );
}

/// Data models that all reach each other: the twin of each holds some of the others, the text of all pages each model once.
#[test]
fn data_models_are_told_with_some_of_what_they_reach_and_once_in_all() {
    const MODELS: usize = 60;
    let schemas = (0..MODELS).map(|n| {
        let reference = |to: usize| json!({"$ref": format!("#/components/schemas/M{}", to % MODELS)});
        let schema = json!({"type": "object", "description": "word ".repeat(200),
            "properties": {"one": reference(n + 1), "more": {"type": "array", "items": reference(n * 7 + 2)}}});
        (format!("M{n}"), schema)
    });
    let schemas: serde_json::Map<String, Value> = schemas.collect();
    let answer = json!({"description": "Fine.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/M0"}}}});
    let api = json!({"openapi": "3.1.0", "info": {"title": "A", "version": "1"},
        "paths": {"/a": {"get": {"summary": "Ask", "responses": {"200": answer}}}}, "components": {"schemas": schemas}});
    let docs = r##"{"theme": "mint", "name": "A", "colors": {"primary": "#0a7"}, "api": {"models": true}, "navigation": {"openapi": "api.json"}}"##;
    let site = TestSite::new(&[("docs.json", docs), ("api.json", &api.to_string())]);
    let pages = &route_table(&site.db, site.site).pages;
    let mut count = 0;
    for (route, page) in pages
        .iter()
        .filter(|(route, _)| route.as_str().contains("/models/"))
    {
        let text = page_markdown(&site.db, *page);
        assert!(text.len() < 24 * 1024, "{route}: {} bytes", text.len());
        assert!(
            text.contains("Left out, as it is long:\n\n- [`#/components/schemas/M"),
            "{route}"
        );
        count += 1;
    }
    assert_eq!(count, MODELS);
    let full = machine_text(&site.db, site.site, MachineText::Full, "").unwrap();
    // Its description stands above it too.
    let times = full.matches(&"word ".repeat(199)).count();
    assert_eq!(times, 2 * MODELS);
    for n in 0..MODELS {
        assert_eq!(full.matches(&format!("    M{n}:\n")).count(), 1, "M{n}");
    }
}
