//! Edits of a specification: an operation's words redraw its page, a shared schema the pages that reach it, and what
//! no page reaches redraws nothing.

use std::collections::BTreeMap;

use expect_test::{Expect, expect};
use queries::site::{route_table, set_cache_capacity};

use crate::support::{TestSite, differences};

const DOCS: &str = r##"{"theme": "mint", "name": "Museum", "colors": {"primary": "#00aa77"}, "navigation": {"tabs": [
    {"tab": "Guides", "pages": ["index"]}, {"tab": "API", "openapi": "api.json"}]}}"##;

const API: &str = r##"{
  "openapi": "3.1.0",
  "info": {"title": "Museum", "version": "1"},
  "paths": {
    "/tickets": {
      "get": {"summary": "List tickets", "description": "All of them.", "responses": {"200": {"description": "Fine.",
        "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Ticket"}}}}}}},
      "post": {"summary": "Buy a ticket", "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Ticket"}}}},
        "responses": {"201": {"description": "Bought."}}}
    },
    "/hours": {
      "get": {"summary": "Opening hours", "responses": {"200": {"description": "Fine."}}}
    }
  },
  "components": {"schemas": {
    "Ticket": {"type": "object", "properties": {"id": {"type": "string"}}},
    "Unused": {"type": "object", "description": "Nobody shows it.", "properties": {"id": {"type": "string"}}},
    "Price": {"type": "number"}
  }}
}
"##;

/// A site with three operations whose every question was asked, and whose specification was edited before: an operation, and
/// what it says of itself.
fn site() -> TestSite {
    let mut site = TestSite::new(&[
        ("docs.json", DOCS),
        ("index.mdx", "---\ntitle: Welcome\n---\n\nHello.\n"),
        (
            "api.json",
            &API.replace("\"version\": \"1\"", "\"version\": \"0\""),
        ),
    ]);
    site.outputs();
    site.set("api.json", API.replace("All of them", "Every one"));
    site.outputs();
    site.take();
    site
}

/// Checks which queries run between an edit of the specification and the answers to everything that the preview asks:
/// routes and all pages.
#[track_caller]
fn check(from: &str, to: &str, expected: Expect) {
    let mut site = site();
    let before = API.replace("All of them", "Every one");
    let after = before.replacen(from, to, 1);
    assert!(before != after || from == to, "`{from}` is not there");
    site.set("api.json", after);
    for page in route_table(&site.db, site.site).clone().pages.values() {
        queries::frame::page_html(&site.db, site.site, *page, &Default::default());
    }
    let mut text = String::new();
    for (query, keys) in site.take_keys() {
        text.push_str(&format!("{query} ×{}: {}\n", keys.len(), keys.join(", ")));
    }
    expected.assert_eq(&text.replace(": \n", "\n"));
    let differences = differences(&site.outputs(), &site.fresh().outputs());
    assert_eq!(differences, "", "stale answers");
}

#[test]
fn operation_description() {
    check(
        "Every one.",
        "Each of them.",
        expect![[r#"
            generated_front_matter ×1: GET /tickets in api-reference
            operation_reference ×1: GET /tickets
            page_head ×1: GET /tickets in api-reference
            schema_at ×1: /paths/~1tickets/get/responses/200/content/application~1json/schema
            slice_meta ×1: GET /tickets
            slice_value ×1: GET /tickets
        "#]],
    );
}

#[test]
fn operation_summary() {
    check(
        "\"List tickets\"",
        "\"All tickets\"",
        expect![[r#"
            first_pages ×1
            generated_front_matter ×1: GET /tickets in api-reference
            generated_label ×1: GET /tickets in api-reference
            generated_pages ×1
            generated_place ×4: /info in api-reference, GET /hours in api-reference, GET /tickets in api-reference, POST /tickets in api-reference
            language_twins ×1
            navigation_tree ×1
            operation_index ×1: api.json
            operation_part ×1: part 0 of api.json
            operation_reference ×2: /info, GET /tickets
            overview ×1: api.json
            page_head ×4: /info in api-reference, GET /hours in api-reference, GET /tickets in api-reference, POST /tickets in api-reference
            replaced_page ×1: index.mdx
            route_table ×1
            schema_at ×1: /paths/~1tickets/get/responses/200/content/application~1json/schema
            section_sidebar ×1: [1]
            sections ×1
            slice_meta ×1: GET /tickets
            slice_value ×1: GET /tickets
            subject_pages ×1
        "#]],
    );
}

/// Words of the document itself are on the page that opens the reference, and nowhere else.
#[test]
fn info_version() {
    check(
        "\"version\": \"1\"",
        "\"version\": \"2\"",
        expect![[r#"
            generated_front_matter ×1: /info in api-reference
            introduction_meta ×1: api.json
            operation_reference ×1: /info
            slice_value ×1: /info
        "#]],
    );
}

/// The title of the API is in the sidebar, and beside the page that follows.
#[test]
fn info_title() {
    check(
        "\"title\": \"Museum\"",
        "\"title\": \"Gallery\"",
        expect![[r#"
            generated_front_matter ×1: /info in api-reference
            generated_label ×1: /info in api-reference
            generated_pages ×1
            introduction_meta ×1: api.json
            language_twins ×1
            navigation_tree ×1
            operation_reference ×1: /info
            page_head ×2: /info in api-reference, GET /tickets in api-reference
            section_sidebar ×1: [1]
            sections ×1
            slice_value ×1: /info
        "#]],
    );
}

#[test]
fn shared_schema() {
    check(
        r#""Ticket": {"type": "object", "properties": {"id": {"type": "string"}}}"#,
        r#""Ticket": {"type": "object", "properties": {"id": {"type": "integer"}}}"#,
        expect![[r#"
            operation_reference ×2: GET /tickets, POST /tickets
            schema_at ×1: /components/schemas/Ticket
            slice_value ×1: /components/schemas/Ticket
        "#]],
    );
}

#[test]
fn schema_refs() {
    check(
        r#""Ticket": {"type": "object", "properties": {"id": {"type": "string"}}}"#,
        r##""Ticket": {"type": "object", "properties": {"id": {"type": "string"}, "price": {"$ref": "#/components/schemas/Price"}}}"##,
        expect![[r#"
            is_large ×1: /components/schemas/Price
            operation_reference ×2: GET /tickets, POST /tickets
            schema_at ×2: /components/schemas/Price, /components/schemas/Ticket
            slice_value ×1: /components/schemas/Ticket
        "#]],
    );
}

/// Edits of a site with a page of each data model, after each of which exactly this runs that is about data models.
#[test]
fn pages_of_data_models_rest_on_what_they_show() {
    let docs = DOCS.replacen('{', r#"{"api": {"models": true}, "#, 1);
    let filler: String = (0..300)
        .map(|n| {
            format!(r#""M{n}": {{"type": "object", "properties": {{"a": {{"type": "string"}}}}}},"#)
        })
        .collect();
    let api = API.replace("\"Price\":", &format!("{filler}\"Price\":"));
    let mut site = TestSite::new(&[
        ("docs.json", docs.as_str()),
        ("index.mdx", "---\ntitle: Welcome\n---\n\nHello.\n"),
        ("api.json", api.as_str()),
    ]);
    let pages = route_table(&site.db, site.site).pages.len();
    assert_eq!(pages, 1 + 1 + 3 + 303);
    let ask = |site: &mut TestSite| {
        for page in route_table(&site.db, site.site).clone().pages.values() {
            queries::frame::page_html(&site.db, site.site, *page, &Default::default());
        }
        site.take_keys()
    };
    // Values and drawn pages of more than are kept would be made again by whoever asks for all.
    set_cache_capacity(&mut site.db, 4096);
    ask(&mut site);
    let edited = (api.replace("All of them.", "All of these."))
        .replace("Nobody shows it.", "Nobody shows that.")
        .replace(r#""M7": {"#, r#""M7": {"description": "The seventh.", "#);
    site.set("api.json", edited);
    ask(&mut site);
    let mut check = |from: &str, to: &str, expected: Expect| {
        let text = site.text("api.json");
        assert!(text.contains(from), "`{from}` is not there");
        site.set("api.json", text.replacen(from, to, 1));
        let mut text = String::new();
        for (query, keys) in ask(&mut site) {
            let shown = match keys.len() {
                0..=4 => keys.join(", "),
                _ => "…".to_owned(),
            };
            text.push_str(&format!("{query} ×{}: {shown}\n", keys.len()));
        }
        expected.assert_eq(&text.replace(": \n", "\n"));
    };
    check(
        "All of these.",
        "Every one.",
        expect![[r#"
        generated_front_matter ×1: GET /tickets in api-reference
        operation_reference ×1: GET /tickets
        page_head ×1: GET /tickets in api-reference
        schema_at ×1: /paths/~1tickets/get/responses/200/content/application~1json/schema
        slice_meta ×1: GET /tickets
        slice_references ×1: GET /tickets
        slice_value ×1: GET /tickets
    "#]],
    );
    check(
        "Nobody shows that.",
        "Nobody at all.",
        expect![[r#"
        model_reference ×1: /components/schemas/Unused
        schema_at ×1: /components/schemas/Unused
        schema_meta ×1: /components/schemas/Unused
        slice_references ×1: /components/schemas/Unused
        slice_value ×1: /components/schemas/Unused
    "#]],
    );
    check(
        "\"The seventh.\"",
        "\"The seventh.\", \"title\": \"Seven\"",
        expect![[r#"
            generated_front_matter ×1: /components/schemas/M7 in api-reference
            generated_label ×1: /components/schemas/M7 in api-reference
            generated_pages ×1
            language_twins ×1
            model_meta ×1: /components/schemas/M7
            model_reference ×1: /components/schemas/M7
            navigation_tree ×1
            page_head ×3: /components/schemas/M6 in api-reference, /components/schemas/M7 in api-reference, /components/schemas/M8 in api-reference
            schema_at ×1: /components/schemas/M7
            schema_meta ×1: /components/schemas/M7
            section_sidebar ×1: [1]
            sections ×1
            slice_references ×1: /components/schemas/M7
            slice_value ×1: /components/schemas/M7
            spec_models ×1: api.json
        "#]],
    );
}

#[test]
fn unused_schema() {
    check("Nobody shows it.", "Nobody at all.", expect![[""]]);
}

#[test]
fn operation_added() {
    check(
        "\"/hours\": {",
        "\"/hours\": {\"put\": {\"summary\": \"Change them\", \"responses\": {\"200\": {\"description\": \"Done.\"}}},",
        expect![[r#"
            first_pages ×1
            generated_front_matter ×1: PUT /hours in api-reference
            generated_label ×1: PUT /hours in api-reference
            generated_pages ×1
            generated_place ×5: /info in api-reference, GET /hours in api-reference, GET /tickets in api-reference, POST /tickets in api-reference, PUT /hours in api-reference
            generated_section ×5: /info in api-reference, GET /hours in api-reference, GET /tickets in api-reference, POST /tickets in api-reference, PUT /hours in api-reference
            language_twins ×1
            model_href ×1: /components/schemas/Ticket
            navigation_tree ×1
            operation_index ×1: api.json
            operation_part ×1: part 0 of api.json
            operation_place ×4: GET /hours, GET /tickets, POST /tickets, PUT /hours
            operation_places ×1: api.json
            operation_reference ×2: /info, PUT /hours
            overview ×1: api.json
            page_alternates ×1: PUT /hours in api-reference
            page_head ×5: /info in api-reference, GET /hours in api-reference, GET /tickets in api-reference, POST /tickets in api-reference, PUT /hours in api-reference
            page_section ×1: index.mdx
            replaced_page ×1: index.mdx
            route_table ×1
            section_sidebar ×1: [1]
            sections ×1
            sections_by_page ×1
            slice_meta ×1: PUT /hours
            slice_named ×25: /asyncapi, /components/schemas/Ticket, /externalDocs, /info, /openapi, /paths, /paths/~1hours, /paths/~1hours/$ref, /paths/~1hours/parameters, /paths/~1hours/servers, /paths/~1hours/x-docs, /paths/~1hours/x-mint, /paths/~1tickets, /paths/~1tickets/$ref, /paths/~1tickets/parameters, /paths/~1tickets/servers, /paths/~1tickets/x-docs, /paths/~1tickets/x-mint, /security, /servers, /tags, GET /hours, GET /tickets, POST /tickets, PUT /hours
            slice_value ×1: PUT /hours
            slices_by_key ×1: api.json
            subject_pages ×1
        "#]],
    );
}

#[test]
fn saved_with_other_white_space() {
    check(
        "\"summary\": \"List tickets\"",
        "\"summary\":   \"List tickets\"",
        expect![[r#"
            slice_meta ×1: GET /tickets
            slice_value ×1: GET /tickets
        "#]],
    );
}

#[test]
fn white_space_between_operations() {
    check("  \"components\"", "\n\n  \"components\"", expect![[""]]);
}

/// The page of a data model is drawn again when the schema changes, or one that it reaches, and then only.
#[test]
fn a_data_model_rests_on_what_it_reaches() {
    let api = API.replace(
        r#""properties": {"id": {"type": "string"}}},
    "Unused""#,
        r##""properties": {"price": {"$ref": "#/components/schemas/Price"}}},
    "Unused""##,
    );
    let mut site = TestSite::new(&[
        ("docs.json", DOCS),
        (
            "index.mdx",
            "---\ntitle: Welcome\n---\n\n[Price](/ticket#price)\n",
        ),
        (
            "ticket.mdx",
            "---\ntitle: Ticket\nopenapi-schema: Ticket\n---\n",
        ),
        ("api.json", &api),
    ]);
    site.outputs();
    let edits = [
        (
            r#""Price": {"type": "number"}"#,
            r#""Price": {"type": "integer"}"#,
            true,
        ),
        ("Nobody shows it.", "Nobody at all.", false),
        ("Opening hours", "Hours", false),
    ];
    let mut text = api;
    for (from, to, is_drawn) in edits {
        assert!(text.contains(from), "`{from}` is not there");
        text = text.replace(from, to);
        site.take();
        site.set("api.json", &text);
        site.html("ticket.mdx");
        queries::site::site_diagnostics(&site.db, site.site);
        let ran = site.take_keys();
        assert_eq!(ran.contains_key("model_reference"), is_drawn, "{from}");
        assert_eq!(ran.contains_key("model_anchors"), is_drawn, "{from}");
        let differences = differences(&site.outputs(), &site.fresh().outputs());
        assert_eq!(differences, "", "stale answers");
    }
}

/// Users of a data model are asked for apart from what it is: words of an operation wake neither, a new title only the list, and
/// another model none of both.
#[test]
fn who_uses_a_data_model_is_apart_from_the_model() {
    let mut site = TestSite::new(&[
        ("docs.json", DOCS),
        ("index.mdx", "---\ntitle: Welcome\n---\n\nHello.\n"),
        ("ticket.mdx", "---\nopenapi-schema: Ticket\n---\n"),
        ("api.json", API),
    ]);
    site.outputs();
    site.touch_specs();
    let edits: [(&str, &str, &[&str]); 6] = [
        ("All of them.", "Every one.", &[]),
        (
            "\"List tickets\"",
            "\"All tickets\"",
            &["model_uses", "page_head"],
        ),
        ("\"Opening hours\"", "\"Hours\"", &[]),
        ("Nobody shows it.", "Nobody at all.", &[]),
        (
            r#""Ticket": {"type": "object", "#,
            r#""Ticket": {"type": "object", "title": "A ticket", "#,
            &["model_reference", "page_head", "page_title", "schema_meta"],
        ),
        (
            r##""items": {"$ref": "#/components/schemas/Ticket"}"##,
            r##""items": {"$ref": "#/components/schemas/Price"}"##,
            &["model_uses", "page_head", "schema_users", "spec_users"],
        ),
    ];
    let mut text = API.to_owned();
    for (from, to, should) in edits {
        assert!(text.contains(from), "`{from}` is not there");
        text = text.replace(from, to);
        site.take();
        site.set("api.json", &text);
        site.html("ticket.mdx");
        let ran = site.take_keys();
        let about = |name: &&String| {
            let name = name.as_str();
            name.starts_with("model_")
                || name.starts_with("page_")
                || name.contains("schema_") && name != "schema_at"
                || name == "spec_users"
        };
        let ran: Vec<&str> = ran.keys().filter(about).map(String::as_str).collect();
        assert_eq!(ran, should, "{from}");
        let differences = differences(&site.outputs(), &site.fresh().outputs());
        assert_eq!(differences, "", "stale answers");
    }
}

/// The links of descriptions are checked again when one of them changes, and when a page comes or goes; not for words.
#[test]
fn links_of_descriptions_are_apart_from_their_words() {
    let api = API.replace("All of them.", "All of [them](/ticket).");
    let mut site = TestSite::new(&[
        ("docs.json", DOCS.to_owned()),
        (
            "index.mdx",
            "---\ntitle: Welcome\n---\n\nHello.\n".to_owned(),
        ),
        ("api.json", api.clone()),
    ]);
    site.outputs();
    site.touch_specs();
    let checked = |site: &TestSite| {
        let diagnostics = queries::site::site_diagnostics(&site.db, site.site);
        let ran = site.take_keys();
        let is_broken = diagnostics
            .iter()
            .any(|one| one.code.name() == "broken-link");
        let count = |name: &str| ran.get(name).map_or(0, Vec::len);
        (
            count("slice_links"),
            count("spec_link_diagnostics"),
            is_broken,
        )
    };
    site.set("api.json", api.replace("All of [", "Every one of ["));
    assert_eq!(checked(&site), (1, 0, true));
    site.add("ticket.mdx", "---\ntitle: Ticket\n---\n");
    assert_eq!(checked(&site), (0, 1, false));
    site.set("api.json", api.replace("(/ticket)", "(/tickets)"));
    assert_eq!(checked(&site), (1, 1, true));
    let differences = differences(&site.outputs(), &site.fresh().outputs());
    assert_eq!(differences, "", "stale answers");
}

/// The first edit of a part of a specification makes it less durable, so the list of operations runs for that alone; what
/// rests on the list runs for the first such part only, and for an edit after that nothing does.
#[test]
fn first_edits_run_the_list_once() {
    let mut site = TestSite::new(&[
        ("docs.json", DOCS),
        ("index.mdx", "---\ntitle: Welcome\n---\n\nHello.\n"),
        ("api.json", API),
    ]);
    site.outputs();
    let mut text = API.to_owned();
    let lists = ["navigation_tree", "operation_index", "section_sidebar"];
    let edits: [(&str, &str, &[&str]); 3] = [
        ("All of them.", "Every one.", &lists[..2]),
        ("Nobody shows it.", "Nobody at all.", &[]),
        ("Every one.", "Each of them.", &[]),
    ];
    for (from, to, should) in edits {
        assert!(text.contains(from), "`{from}` is not there");
        text = text.replace(from, to);
        site.take();
        site.set("api.json", &text);
        site.outputs();
        let ran = site.take_keys();
        let ran: Vec<&str> = lists
            .into_iter()
            .filter(|list| ran.contains_key(*list))
            .collect();
        assert_eq!(ran, should, "{from}");
        let differences = differences(&site.outputs(), &site.fresh().outputs());
        assert_eq!(differences, "", "stale answers");
    }
}

/// The list is made of parts of 64 operations: the first edit of one goes through its part and no other, and what rests on
/// the list sleeps. The list itself is put together again when a part becomes less durable. An operation that appears may
/// stand before any: all parts are gone through.
#[test]
fn a_first_edit_goes_through_one_part_of_the_list() {
    let api = |count: usize| {
        let paths = (0..count).map(|i| {
            format!(
                r#""/pets/{i:03}": {{ "get": {{ "description": "Words of {i:03}.", "responses": {{}} }} }}"#
            )
        });
        let paths: Vec<String> = paths.collect();
        let paths = paths.join(",\n");
        format!(r#"{{ "openapi": "3.1.0", "info": {{}}, "paths": {{ {paths} }} }}"#)
    };
    let mut site = TestSite::new(&[("docs.json", DOCS), ("api.json", &api(100))]);
    site.outputs();
    let mut text = api(100);
    let count = |ran: &BTreeMap<String, Vec<String>>, name: &str| ran.get(name).map_or(0, Vec::len);
    for (number, parts, lists, trees) in [
        ("001", 1, 1, 1),
        ("002", 1, 0, 0),
        ("070", 1, 1, 0),
        ("071", 1, 0, 0),
        ("070", 0, 0, 0),
    ] {
        text = text.replace(&format!(" {number}."), &format!(" more {number}."));
        site.take();
        site.set("api.json", &text);
        site.outputs();
        let ran = site.take_keys();
        assert_eq!(count(&ran, "operation_part"), parts, "{number}");
        assert_eq!(count(&ran, "operation_index"), lists, "{number}");
        assert_eq!(count(&ran, "navigation_tree"), trees, "{number}");
        assert_eq!(count(&ran, "operation_reference"), 1, "{number}");
        let differences = differences(&site.outputs(), &site.fresh().outputs());
        assert_eq!(differences, "", "stale answers");
    }
    let added = text.replace(
        "\"/pets/070\"",
        "\"/pets/new\": { \"get\": { \"responses\": {} } },\n\"/pets/070\"",
    );
    assert_ne!(added, text);
    site.take();
    site.set("api.json", &added);
    site.outputs();
    let ran = site.take_keys();
    assert_eq!(count(&ran, "operation_part"), 2);
    // Its own page, and what opens the reference and leads there.
    assert_eq!(count(&ran, "operation_reference"), 2);
    let differences = differences(&site.outputs(), &site.fresh().outputs());
    assert_eq!(differences, "", "stale answers");
}
