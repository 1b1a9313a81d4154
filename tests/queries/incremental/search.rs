//! What can be found: an edit wakes the text of the page that it changes, one list and the manifest; labels, colors and
//! titles read no text; what was forgotten is asked for again without drawing it.

use std::sync::Arc;

use expect_test::{Expect, expect};
use queries::base::path::Route;
use queries::blocks::answer_blocks;
use queries::navigation::PageId;
use queries::search::{PageKind, breadcrumbs, page_embeddings, search_document, search_manifest};
use queries::site::route_table;

use super::{DOCS, EDITED, TICKETS, museum};
use crate::artifacts::Artifacts;
use crate::support::{TestSite, differences};

/// A museum of whose pages everything was found, and whose file at `path` was edited before.
fn found_and_edited_at(path: &str, bytes: &str) -> TestSite {
    let mut site = museum();
    site.outputs();
    site.set(path, bytes);
    site.outputs();
    site.take();
    site
}

/// Checks which queries run when an index follows an edit: the manifest, then the documents and vectors of all pages.
#[track_caller]
fn check(site: &mut TestSite, path: &str, bytes: &str, expected: Expect) {
    site.set(path, bytes);
    search_manifest(&site.db, site.site);
    breadcrumbs(&site.db, site.site);
    for page in route_table(&site.db, site.site).clone().pages.values() {
        search_document(&site.db, *page);
        page_embeddings(&site.db, *page);
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
fn words() {
    let mut site = found_and_edited_at(EDITED, &TICKETS.replace("a day", "two days"));
    let text = TICKETS.replace("a day", "three days");
    check(
        &mut site,
        EDITED,
        &text,
        expect![[r#"
            bucket_search ×1: bucket 25
            embedded_passages ×1: guides/tickets.mdx
            front_matter ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
            page_shape ×1: guides/tickets.mdx
            page_text ×1: guides/tickets.mdx
            page_text_digest ×1: guides/tickets.mdx
            passage_embeddings ×1: passage
            passage_windows ×2: passage, passage
            search_digest ×1: guides/tickets.mdx
            search_manifest ×1
        "#]],
    );
}

/// What is drawn otherwise and says the same wakes no list.
#[test]
fn looks() {
    let mut site = found_and_edited_at(EDITED, &TICKETS.replace("a day", "*a day*"));
    let text = TICKETS.replace("a day", "**a day**");
    check(
        &mut site,
        EDITED,
        &text,
        expect![[r#"
        front_matter ×1: guides/tickets.mdx
        page_body ×1: guides/tickets.mdx
        page_text ×1: guides/tickets.mdx
    "#]],
    );
}

/// A title is embedded with each passage of its page, and reads no text.
#[test]
fn a_title() {
    let mut site = found_and_edited_at(EDITED, TICKETS.trim_end());
    let text = TICKETS.replace("title: Tickets", "title: Entry");
    check(
        &mut site,
        EDITED,
        text.trim_end(),
        expect![[r#"
            bucket_search ×1: bucket 25
            embedded_passages ×1: guides/tickets.mdx
            embedded_title ×1: guides/tickets.mdx
            front_matter ×1: guides/tickets.mdx
            page_body ×1: guides/tickets.mdx
            page_facets ×1: guides/tickets.mdx
            page_kind ×1: guides/tickets.mdx
            page_text ×1: guides/tickets.mdx
            page_title ×1: guides/tickets.mdx
            passage_embeddings ×2: passage, passage
            passage_windows ×2: passage, passage
            search_digest ×1: guides/tickets.mdx
            search_manifest ×1
        "#]],
    );
}

#[test]
fn a_page_that_hides_itself() {
    let mut site = found_and_edited_at(EDITED, TICKETS.trim_end());
    let text = TICKETS.replace("title: Tickets\n", "title: Tickets\nhidden: true\n");
    check(
        &mut site,
        EDITED,
        text.trim_end(),
        expect![[r#"
            bucket_search ×1: bucket 25
            embedded_passages ×1: guides/tickets.mdx
            embedded_title ×1: guides/tickets.mdx
            front_matter ×1: guides/tickets.mdx
            page_facets ×1: guides/tickets.mdx
            page_indexing ×1
            search_digest ×1: guides/tickets.mdx
            search_manifest ×1
        "#]],
    );
}

/// The label of a group narrows no search down.
#[test]
fn the_label_of_a_group() {
    let mut site = found_and_edited_at("docs.json", &format!("{DOCS}\n"));
    let docs = DOCS.replace("\"Use\"", "\"Enjoy\"");
    check(
        &mut site,
        "docs.json",
        &docs,
        expect![[r#"
            breadcrumbs ×1
            generated_pages ×1
            navigation_config ×1
            navigation_tree ×1
            placements ×1
            redirects ×1
            search_config ×1
            sections ×1
            site_config ×1
            theme_config ×1
        "#]],
    );
}

/// That of a tab does: the facets of its pages are other ones, and no text is read.
#[test]
fn the_label_of_a_tab() {
    let mut site = found_and_edited_at("docs.json", &format!("{DOCS}\n"));
    let docs = DOCS.replace("\"Reference\"", "\"Collection\"");
    check(
        &mut site,
        "docs.json",
        &docs,
        expect![[r#"
            breadcrumbs ×1
            bucket_search ×2: bucket 104, bucket 118
            embedded_title ×2: things/handles.mdx, things/spoons.mdx
            generated_pages ×1
            navigation_config ×1
            navigation_tree ×1
            page_facets ×5: guides/tickets.mdx, guides/visits.mdx, index.mdx, things/handles.mdx, things/spoons.mdx
            page_kind ×2: things/handles.mdx, things/spoons.mdx
            placements ×1
            redirects ×1
            search_config ×1
            search_digest ×2: things/handles.mdx, things/spoons.mdx
            search_manifest ×1
            sections ×1
            site_config ×1
            theme_config ×1
        "#]],
    );
}

#[test]
fn a_color() {
    let mut site = found_and_edited_at("docs.json", &format!("{DOCS}\n"));
    let docs = DOCS.replace("#00aa77", "#00aa78");
    check(
        &mut site,
        "docs.json",
        &docs,
        expect![[r#"
            icon_set ×1
            navigation_config ×1
            redirects ×1
            search_config ×1
            site_config ×1
            skill_name ×1
            theme_config ×1
        "#]],
    );
}

/// Words that mean the same are the business of the index.
#[test]
fn synonyms() {
    let mut site = found_and_edited_at("docs.json", &format!("{DOCS}\n"));
    let search = r#""search": {"synonyms": [["ticket", "admission"]]}, "navigation""#;
    let docs = DOCS.replace("\"navigation\"", search);
    check(
        &mut site,
        "docs.json",
        &docs,
        expect![[r#"
            embedded_title ×5: guides/tickets.mdx, guides/visits.mdx, index.mdx, things/handles.mdx, things/spoons.mdx
            icon_set ×1
            navigation_config ×1
            redirects ×1
            search_config ×1
            site_config ×1
            skill_name ×1
            theme_config ×1
        "#]],
    );
}

/// Only pages that the navigation does not show ask whether all are to be found.
#[test]
fn indexing() {
    let mut site = found_and_edited_at("docs.json", &format!("{DOCS}\n"));
    let docs = DOCS.replace(
        "\"navigation\"",
        r#""seo": {"indexing": "all"}, "navigation""#,
    );
    check(
        &mut site,
        "docs.json",
        &docs,
        expect![[r#"
        navigation_config ×1
        redirects ×1
        search_config ×1
        site_config ×1
        theme_config ×1
    "#]],
    );
}

const API: &str = r###"{"openapi": "3.1.0", "info": {"title": "Museum", "version": "1"}, "paths": {
    "/tickets": {"get": {"summary": "List tickets", "description": "All of them.", "responses": {"200": {"description": "Fine."}}}},
    "/hours": {"get": {"summary": "Opening hours", "description": "Each day.", "responses": {"200": {"description": "Fine."}}}}}}"###;

/// An operation wakes its own document and the list of its specification.
#[test]
fn an_operation() {
    let docs = DOCS.replace(
        "{\"tab\": \"Reference\"",
        r#"{"tab": "API", "openapi": "api.json"}, {"tab": "Reference""#,
    );
    let mut site = TestSite::new(&[
        ("docs.json", docs.as_str()),
        ("index.mdx", "---\ntitle: Welcome\n---\n\nHello.\n"),
        (EDITED, TICKETS),
        ("guides/visits.mdx", "# Visits\n"),
        ("things/spoons.mdx", "# Spoons\n"),
        ("things/handles.mdx", "# Handles\n"),
        ("api.json", API),
    ]);
    site.outputs();
    let text = API.replace("All of them", "Every one");
    site.set("api.json", &text);
    site.outputs();
    site.take();
    let text = text.replace("Every one", "Each of them");
    check(
        &mut site,
        "api.json",
        &text,
        expect![[r#"
            embedded_passages ×1: GET /tickets in api-reference
            generated_front_matter ×1: GET /tickets in api-reference
            operation_reference ×1: GET /tickets
            page_facets ×1: GET /tickets in api-reference
            page_shape ×1: GET /tickets in api-reference
            page_text ×1: GET /tickets in api-reference
            page_text_digest ×1: GET /tickets in api-reference
            passage_embeddings ×1: passage
            passage_windows ×2: passage, passage
            search_digest ×1: GET /tickets in api-reference
            search_manifest ×1
            slice_meta ×1: GET /tickets
            slice_value ×1: GET /tickets
            spec_search ×1: api.json
        "#]],
    );
}

/// Texts and bodies are forgotten when many others were asked for. Who asks for them again finds them, and nothing is made
/// but what was edited.
#[test]
fn what_was_forgotten_is_not_drawn_again() {
    let names: Vec<String> = (0..700).map(|n| format!("page-{n}")).collect();
    let list: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    let docs = format!(
        r##"{{"theme": "mint", "name": "Museum", "colors": {{"primary": "#00aa77"}}, "navigation": {{"pages": [{}]}}}}"##,
        list.join(", ")
    );
    let pages = names.iter();
    let pages = pages.map(|name| (format!("{name}.mdx"), format!("## On {name}\n\nWords.\n")));
    let mut files: Vec<(String, String)> = pages.collect();
    files.push(("docs.json".to_owned(), docs));
    let artifacts = Arc::new(Artifacts::default());
    let mut site = TestSite::keeping(&files, &artifacts);
    let ask = |site: &TestSite| {
        let pages = names.iter().map(|name| site.file(&format!("{name}.mdx")));
        let documents = pages.map(|file| search_document(&site.db, PageId::File(file)));
        documents.collect::<Vec<_>>()
    };
    search_manifest(&site.db, site.site);
    let before = ask(&site);
    for n in 0..2 {
        site.set("page-5.mdx", format!("## On page-5\n\nOther words {n}.\n"));
        search_manifest(&site.db, site.site);
        artifacts.take();
        site.take();
    }
    let mut after = ask(&site);
    // About two hundred of them were forgotten.
    assert!(site.take_keys()["page_text"].len() > 100);
    assert_eq!(artifacts.take_made(), [""; 0]);
    let text = &after[5].as_ref().unwrap().passages[0].body;
    assert_eq!(text, "Other words 1.");
    after[5].clone_from(&before[5]);
    assert!(after == before);
}

/// What a label of the navigation says of the pages below it makes them another kind.
#[test]
fn a_label_that_says_what_pages_are_for() {
    let mut site = found_and_edited_at("docs.json", &format!("{DOCS}\n"));
    let kind_of = |site: &TestSite, route: &str| {
        let table = route_table(&site.db, site.site);
        let page = table.pages[&Route::new(route).unwrap()];
        search_document(&site.db, page).unwrap().kind
    };
    assert_eq!(kind_of(&site, "/guides/tickets"), PageKind::Guide);
    let docs = DOCS.replace("\"Use\"", "\"Concepts\"");
    check(
        &mut site,
        "docs.json",
        &docs,
        expect![[r#"
            breadcrumbs ×1
            bucket_search ×2: bucket 25, bucket 64
            embedded_title ×2: guides/tickets.mdx, guides/visits.mdx
            generated_pages ×1
            navigation_config ×1
            navigation_tree ×1
            page_facets ×5: guides/tickets.mdx, guides/visits.mdx, index.mdx, things/handles.mdx, things/spoons.mdx
            page_kind ×2: guides/tickets.mdx, guides/visits.mdx
            placements ×1
            redirects ×1
            search_config ×1
            search_digest ×2: guides/tickets.mdx, guides/visits.mdx
            search_manifest ×1
            sections ×1
            site_config ×1
            theme_config ×1
        "#]],
    );
    assert_eq!(kind_of(&site, "/guides/tickets"), PageKind::Concept);
}

/// What is quoted of pages: an edit reads the page anew that it changes, and no other; a label reads none.
#[test]
fn quotes() {
    let mut site = found_and_edited_at(EDITED, &TICKETS.replace("a day", "two days"));
    let mut quoted_after = |path: &str, bytes: &str| {
        site.set(path, bytes);
        for page in route_table(&site.db, site.site).clone().pages.values() {
            answer_blocks(&site.db, *page);
        }
        site.take_keys().remove("page_blocks").unwrap_or_default()
    };
    let text = TICKETS.replace("a day", "three days");
    assert_eq!(quoted_after(EDITED, &text), [EDITED]);
    let text = DOCS.replace("\"Use\"", "\"Visit\"");
    assert_ne!(text, DOCS);
    assert_eq!(quoted_after("docs.json", &text), [""; 0]);
}
