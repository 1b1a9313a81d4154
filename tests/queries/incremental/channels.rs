//! Edits of an AsyncAPI document: the words of a message redraw the channels that show it, and a new operation its channel.

use expect_test::{Expect, expect};
use queries::search::search_manifest;
use queries::site::route_table;

use crate::support::{TestSite, differences};

const DOCS: &str = r##"{"theme": "mint", "name": "Harbor", "colors": {"primary": "#00aa77"}, "navigation": {"tabs": [
    {"tab": "Guides", "pages": ["index"]}, {"tab": "Live", "asyncapi": "live.json"}, {"tab": "Requests", "openapi": "api.json"}]}}"##;

const API: &str = r##"{"openapi": "3.1.0", "info": {"title": "Harbor", "version": "1"}, "paths": {
    "/tugs": {"get": {"summary": "Tugs", "responses": {"200": {"description": "Fine."}}}}}}"##;

const LIVE: &str = r##"{
  "asyncapi": "3.0.0",
  "info": {"title": "Harbor", "version": "1"},
  "servers": {"main": {"host": "live.example", "protocol": "wss"}},
  "channels": {
    "berths": {"title": "Berths", "address": "/berths", "description": "All berths.", "messages": {"docked": {"$ref": "#/components/messages/Docked"}}},
    "pilots": {"address": "/pilots", "messages": {"moved": {"$ref": "#/components/messages/Moved"}}}
  },
  "operations": {
    "berthTaken": {"action": "send", "channel": {"$ref": "#/channels/berths"}, "summary": "Tells of ships."}
  },
  "components": {
    "messages": {
      "Docked": {"description": "A ship is fast.", "payload": {"$ref": "#/components/schemas/Place"}},
      "Moved": {"description": "A pilot moved.", "payload": {"$ref": "#/components/schemas/Place"}}
    },
    "schemas": {"Place": {"type": "object", "properties": {"lat": {"type": "number"}}}}
  }
}
"##;

/// A site with two channels whose every question was asked, and whose document was edited before.
fn site() -> TestSite {
    let mut site = TestSite::new(&[
        ("docs.json", DOCS),
        ("index.mdx", "---\ntitle: Welcome\n---\n\nHello.\n"),
        ("api.json", API),
        ("live.json", LIVE),
    ]);
    site.outputs();
    site.set("live.json", edited());
    site.outputs();
    site.take();
    site
}

/// The document after a first edit of each part that is edited, which lowers its durability.
fn edited() -> String {
    LIVE.replace("All berths", "Each berth")
        .replace("Tells of ships", "Says which ships")
}

/// Checks which queries run between an edit of the document and the answers to what is asked of all pages: the pages
/// themselves and what is found of them.
#[track_caller]
fn check(from: &str, to: &str, expected: Expect) {
    let mut site = site();
    let before = edited();
    let after = before.replacen(from, to, 1);
    assert!(before != after, "`{from}` is not there");
    site.set("live.json", after);
    for page in route_table(&site.db, site.site).clone().pages.values() {
        queries::frame::page_html(&site.db, site.site, *page, &Default::default());
    }
    search_manifest(&site.db, site.site);
    let mut text = String::new();
    for (query, keys) in site.take_keys() {
        text.push_str(&format!("{query} ×{}: {}\n", keys.len(), keys.join(", ")));
    }
    expected.assert_eq(&text.replace(": \n", "\n"));
    let differences = differences(&site.outputs(), &site.fresh().outputs());
    assert_eq!(differences, "", "stale answers");
}

#[test]
fn words_of_a_message_wake_its_channel_alone() {
    check(
        "A ship is fast.",
        "A ship lies here.",
        expect![[r#"
        operation_reference ×1: live.json: /channels/berths
        page_shape ×1: live.json: /channels/berths in api-reference
        page_text ×1: live.json: /channels/berths in api-reference
        page_text_digest ×1: live.json: /channels/berths in api-reference
        search_digest ×1: live.json: /channels/berths in api-reference
        search_manifest ×1
        slice_value ×1: live.json: /components/messages/Docked
        spec_search ×1: live.json
    "#]],
    );
}

#[test]
fn words_of_a_channel_wake_no_list() {
    check(
        "Each berth.",
        "Every berth.",
        expect![[r#"
        channel_meta ×1: live.json: /channels/berths
        generated_front_matter ×1: live.json: /channels/berths in api-reference
        operation_places ×1: live.json
        operation_reference ×1: live.json: /channels/berths
        page_facets ×1: live.json: /channels/berths in api-reference
        page_head ×1: live.json: /channels/berths in api-reference
        page_shape ×1: live.json: /channels/berths in api-reference
        page_text ×1: live.json: /channels/berths in api-reference
        page_text_digest ×1: live.json: /channels/berths in api-reference
        search_digest ×1: live.json: /channels/berths in api-reference
        search_manifest ×1
        slice_value ×1: live.json: /channels/berths
        spec_search ×1: live.json
    "#]],
    );
}

#[test]
fn words_of_an_operation_wake_its_channel_alone() {
    check(
        "Says which ships.",
        "Says what ships.",
        expect![[r#"
            operation_reference ×1: live.json: /channels/berths
            page_shape ×1: live.json: /channels/berths in api-reference
            page_text ×1: live.json: /channels/berths in api-reference
            page_text_digest ×1: live.json: /channels/berths in api-reference
            search_digest ×1: live.json: /channels/berths in api-reference
            search_manifest ×1
            slice_channel ×1: live.json: /operations/berthTaken
            slice_value ×1: live.json: /operations/berthTaken
            spec_search ×1: live.json
        "#]],
    );
}

#[test]
fn a_schema_wakes_the_channels_that_reach_it() {
    check(
        r#""type": "number""#,
        r#""type": "integer""#,
        expect![[r#"
        operation_reference ×2: live.json: /channels/berths, live.json: /channels/pilots
        page_text ×2: live.json: /channels/berths in api-reference, live.json: /channels/pilots in api-reference
        schema_at ×1: live.json: /components/schemas/Place
        slice_value ×1: live.json: /components/schemas/Place
    "#]],
    );
}

#[test]
fn a_protocol_wakes_the_lists() {
    check(
        r#""protocol": "wss""#,
        r#""protocol": "ws""#,
        expect![[r#"
            channel_meta ×2: live.json: /channels/berths, live.json: /channels/pilots
            generated_front_matter ×2: live.json: /channels/berths in api-reference, live.json: /channels/pilots in api-reference
            generated_label ×2: live.json: /channels/berths in api-reference, live.json: /channels/pilots in api-reference
            generated_pages ×1
            language_twins ×1
            navigation_tree ×1
            operation_index ×1: live.json
            operation_part ×1: part 0 of live.json
            operation_reference ×3: live.json: /channels/berths, live.json: /channels/pilots, live.json: /info
            overview ×1: live.json
            page_facets ×2: live.json: /channels/berths in api-reference, live.json: /channels/pilots in api-reference
            page_head ×3: live.json: /channels/berths in api-reference, live.json: /channels/pilots in api-reference, live.json: /info in api-reference
            page_shape ×3: live.json: /channels/berths in api-reference, live.json: /channels/pilots in api-reference, live.json: /info in api-reference
            page_text ×3: live.json: /channels/berths in api-reference, live.json: /channels/pilots in api-reference, live.json: /info in api-reference
            page_text_digest ×3: live.json: /channels/berths in api-reference, live.json: /channels/pilots in api-reference, live.json: /info in api-reference
            placements ×1
            search_digest ×3: live.json: /channels/berths in api-reference, live.json: /channels/pilots in api-reference, live.json: /info in api-reference
            search_manifest ×1
            section_sidebar ×1: [1]
            sections ×1
            slice_value ×1: live.json: /servers
            spec_search ×1: live.json
        "#]],
    );
}

#[test]
fn an_operation_that_moves_wakes_both_channels() {
    check(
        r##""channel": {"$ref": "#/channels/berths"}"##,
        r##""channel": {"$ref": "#/channels/pilots"}"##,
        expect![[r#"
            channel_operations ×2: live.json: /channels/berths, live.json: /channels/pilots
            operation_reference ×2: live.json: /channels/berths, live.json: /channels/pilots
            page_shape ×2: live.json: /channels/berths in api-reference, live.json: /channels/pilots in api-reference
            page_text ×2: live.json: /channels/berths in api-reference, live.json: /channels/pilots in api-reference
            page_text_digest ×2: live.json: /channels/berths in api-reference, live.json: /channels/pilots in api-reference
            search_digest ×2: live.json: /channels/berths in api-reference, live.json: /channels/pilots in api-reference
            search_manifest ×1
            slice_channel ×1: live.json: /operations/berthTaken
            slice_value ×1: live.json: /operations/berthTaken
            spec_channel_operations ×1: live.json
            spec_search ×1: live.json
        "#]],
    );
}
