//! Documents of small sites.

use std::collections::BTreeMap;

use base::path::Route;
use expect_test::{Expect, expect};
use queries::frame::{PageOptions, page_html};
use queries::navigation::PageId;
use queries::search::{SearchDocument, bucket_search, search_source, spec_search};

use super::{documents, shown};
use crate::support::TestSite;

#[track_caller]
fn check(files: &[(&str, &str)], expected: Expect) {
    let site = TestSite::new(files);
    let documents = documents(&site);
    same_as_listed(&site, &documents);
    for (page, document) in &documents {
        let html = page_html(&site.db, site.site, *page, &PageOptions::default()).html;
        for anchor in document
            .passages
            .iter()
            .filter_map(|passage| passage.anchor.as_ref())
        {
            let is_there = html.contains(&format!(" id=\"{anchor}\""));
            assert!(is_there, "{} has no #{anchor}", document.route);
        }
    }
    let text: String = documents
        .iter()
        .map(|(_, document)| shown(document))
        .collect();
    expected.assert_eq(&text);
}

fn config(navigation: &str) -> String {
    format!(
        r##"{{"theme": "mint", "name": "Museum", "colors": {{"primary": "#00aa77"}}, "variables": {{"hours": "nine to five"}}, {navigation}}}"##
    )
}

/// The lists name the documents that there are, and nothing else.
#[track_caller]
fn same_as_listed(site: &TestSite, documents: &[(PageId, SearchDocument)]) {
    let (db, site) = (&site.db, site.site);
    let buckets = site.buckets(db).iter();
    let buckets = buckets.map(|bucket| bucket_search(db, *bucket));
    let specs = site.specs(db).iter().map(|spec| spec_search(db, *spec));
    let listed: BTreeMap<Route, PageId> = buckets
        .chain(specs)
        .flat_map(|found| &found.pages)
        .map(|(route, found)| (route.clone(), found.page))
        .collect();
    let documents = documents.iter();
    let documents: BTreeMap<Route, PageId> = documents
        .map(|(page, document)| (document.route.clone(), *page))
        .collect();
    assert_eq!(listed, documents);
}

#[test]
fn a_page_is_found_as_it_is_drawn() {
    let docs = config(r#""navigation": {"pages": ["tickets"]}"#);
    check(
        &[
            ("docs.json", &docs),
            ("snippets/fee.mdx", "The fee is **{props.amount}** euros.\n"),
            (
                "tickets.mdx",
                "---\ntitle: Tickets\ndescription: How to get in.\nkeywords: [entry, admission]\nboost: 2\ntag: NEW\n---\n\
                 import Fee from '/snippets/fee.mdx'\n\nOpen {{hours}}.\n\n# Tickets\n\nBuy one.\n\n## Prices\n\n<Fee amount={12} />\n\n\
                 ```js buy.js\nbuy(1 < 2)\n```\n\n### For groups\n\n![A group](/a.png)\n\n<Tabs><Tab title=\"Old\">Half.</Tab><Tab title=\"Young\">Free.</Tab></Tabs>\n",
            ),
        ],
        expect![[r#"
            /tickets "Tickets"
              description How to get in.
              keywords entry, admission
              tags NEW
              boost 2000
              # 
                Open nine to five.
                Buy one.
              #prices Prices
                The fee is 12 euros.
                | buy.js
                | buy(1 < 2)
              #for-groups Prices > For groups
                A group
                Old
                Half.
                Young
                Free.
        "#]],
    );
}

const API: &str = r###"
openapi: 3.1.0
info: {title: Museum, version: "1"}
servers: [{url: "https://api.example.org"}]
tags: [{name: tickets, x-group: Buying}]
paths:
  /museumTickets/{ticket_id}:
    get:
      operationId: getTicket
      tags: [tickets]
      summary: One ticket
      description: "A **ticket**.\n\n## Limits\n\nTen a second.\n\n```sh\ncurl -i\n```"
      x-docs: {content: "## Before you start\n\nLog in."}
      security: [{key: []}]
      parameters:
        - {name: ticket_id, in: path, required: true, description: "Which *one*.", schema: {type: string}}
        - {name: lang, in: query, schema: {type: string, enum: [en, de]}}
      responses:
        "200": {description: It., content: {application/json: {schema: {$ref: "#/components/schemas/Ticket"}}}}
        "404": {description: No such ticket., content: {application/json: {schema: {type: object, properties: {id: {type: string, description: Its number.}, fault: {type: string}}}}}}
    delete: {x-hidden: true, summary: Gone, responses: {"204": {description: Gone.}}}
webhooks:
  sold:
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Ticket"}}}}
      responses: {"200": {description: Thanks.}}
components:
  securitySchemes: {key: {type: apiKey, in: header, name: X-Key, description: "Ask us."}}
  schemas:
    Ticket:
      type: object
      description: Lets one person in.
      properties:
        id: {type: string, description: Its number.}
        seats: {type: array, items: {type: object, properties: {row: {type: integer, description: Counted from the stage.}}}}
"###;

#[test]
fn an_operation_is_found_by_all_that_its_page_says() {
    let docs = config(
        r#""navigation": {"tabs": [{"tab": "API", "groups": [{"group": "All", "openapi": "api.yaml"}, {"group": "More", "pages": ["bound", "model", "manual"]}]}]}"#,
    );
    check(
        &[
            ("docs.json", &docs),
            ("api.yaml", API),
            (
                "bound.mdx",
                "---\ntitle: My ticket\nopenapi: GET /museumTickets/{ticket_id}\n---\n\n## Hints\n\nKeep it.\n",
            ),
            ("model.mdx", "---\nopenapi-schema: Ticket\n---\n"),
            (
                "manual.mdx",
                "---\ntitle: By hand\napi: POST https://api.example.org/things/{id}\n---\n\n<ParamField body=\"color\" type=\"string\">Of it.</ParamField>\n",
            ),
        ],
        expect![[r#"
            /api-reference/introduction "Museum"
              tab API
              #about About
                Version 1
                Specification /api.yaml
              #servers Base URLs
                https://api.example.org
              #authentication Authorizations
                X-Key API key in header Ask us.
              #tag-tickets Buying
                GET One ticket
              #tag-API-Reference API Reference
                WEBHOOK sold
            /api-reference/sold "sold"
              names POST, sold, 200
              tab API
              #body Payload
                id Its number.
                seats
                row Counted from the stage.
              #response-200 Response 200
                Thanks.
            /api-reference/tickets/one-ticket "One ticket"
              description A ticket.
              names GET, /museumTickets/{ticket_id}, museum, museumTickets, Tickets, ticket, id, getTicket, Buying, 200, 404
              tab API
              tags Buying
              # 
                A ticket.
              #limits Limits
                Ten a second.
                | curl -i
              #before-you-start Before you start
                Log in.
              #authorizations Authorizations
                X-Key API key in header Ask us.
              #path-parameters Path parameters
                ticket_id Which one.
              #query-parameters Query parameters
                lang en de
              #response-200 Response 200
                It.
                id Its number.
                seats
                row Counted from the stage.
              #response-404 Response 404
                No such ticket.
                fault
            /bound "My ticket"
              description A ticket.
              names GET, /museumTickets/{ticket_id}, museum, museumTickets, Tickets, ticket, id, getTicket, Buying, 200, 404
              tab API
              tags Buying
              # 
                A ticket.
              #limits Limits
                Ten a second.
                | curl -i
              #before-you-start Before you start
                Log in.
              #hints Hints
                Keep it.
              #authorizations Authorizations
                X-Key API key in header Ask us.
              #path-parameters Path parameters
                ticket_id Which one.
              #query-parameters Query parameters
                lang en de
              #response-200 Response 200
                It.
                id Its number.
                seats
                row Counted from the stage.
              #response-404 Response 404
                No such ticket.
                fault
            /manual "By hand"
              names POST, /things/{id}, things, id
              tab API
              # 
                color string body
                Of it.
              #path-parameters Path parameters
                id
            /model "Ticket"
              description Lets one person in.
              names Ticket
              tab API
              # 
                Lets one person in.
              #properties Properties
                id Its number.
                seats
                row Counted from the stage.
        "#]],
    );
}

/// Each row of the matrix on a site: who is found, and where in the navigation.
#[test]
fn who_is_found_says_the_matrix() {
    let docs = |more: &str| {
        config(&format!(
            r#"{more} "navigation": {{"tabs": [
                {{"tab": "Guides", "groups": [
                    {{"group": "Open", "boost": 1.5, "pages": ["shown", "hidden", "noindex", "unsearchable", "elsewhere", "boosted"]}},
                    {{"group": "Closed", "hidden": true, "pages": ["below", "back"]}},
                    {{"group": "Side door", "hidden": true, "searchable": true, "pages": ["readmitted", "hides-itself"]}},
                    {{"group": "Left out", "searchable": false, "pages": ["left-out"]}}]}},
                {{"tab": "API", "openapi": "api.yaml"}}]}}"#
        ))
    };
    let found = |docs: &str| {
        let pages: Vec<(String, String)> = [
            ("shown", ""),
            ("hidden", "hidden: true"),
            ("noindex", "noindex: true"),
            ("unsearchable", "searchable: false"),
            ("elsewhere", "url: https://example.org"),
            ("boosted", "boost: 3"),
            ("below", ""),
            ("back", "hidden: false"),
            ("readmitted", ""),
            ("hides-itself", "hidden: true"),
            ("left-out", ""),
            ("unlisted", ""),
        ]
        .map(|(name, matter)| {
            (
                format!("{name}.mdx"),
                format!("---\n{matter}\n---\n\nText.\n"),
            )
        })
        .to_vec();
        let mut files = vec![("docs.json".to_owned(), docs.to_owned())];
        files.push(("api.yaml".to_owned(), API.to_owned()));
        // The same page once more, behind the first.
        files.push(("shown.md".to_owned(), "Never served.\n".to_owned()));
        files.extend(pages);
        let site = TestSite::new(&files);
        same_as_listed(&site, &documents(&site));
        let lines = documents(&site).into_iter().map(|(_, document)| {
            let tab = document.facets.tab.unwrap_or_default();
            format!("{} {tab} {}\n", document.route, document.boost)
        });
        lines.collect::<String>()
    };
    expect![[r#"
        /api-reference/introduction API 1000
        /api-reference/sold API 1000
        /api-reference/tickets/one-ticket API 1000
        /back Guides 1000
        /boosted Guides 3000
        /elsewhere Guides 1500
        /readmitted Guides 1000
        /shown Guides 1500
    "#]]
    .assert_eq(&found(&docs("")));
    expect![[r#"
        /api-reference/introduction API 1000
        /api-reference/sold API 1000
        /api-reference/tickets/one-ticket API 1000
        /back Guides 1000
        /below Guides 1000
        /boosted Guides 3000
        /elsewhere Guides 1500
        /hidden Guides 1500
        /hides-itself Guides 1000
        /readmitted Guides 1000
        /shown Guides 1500
        /unlisted  1000
    "#]]
    .assert_eq(&found(&docs(r#""seo": {"indexing": "all"},"#)));
}

#[test]
fn a_page_of_several_versions_and_languages_belongs_to_none() {
    let docs = config(
        r#""navigation": {"languages": [
            {"language": "en", "versions": [{"version": "v1", "pages": ["a", "both"]}, {"version": "v2", "pages": ["b", "both"]}]},
            {"language": "de", "pages": ["de/a", "b"]}]}"#,
    );
    check(
        &[
            ("docs.json", &docs),
            ("a.mdx", ""),
            ("b.mdx", ""),
            ("both.mdx", ""),
            ("de/a.mdx", ""),
        ],
        expect![[r#"
            /a "A"
              version v1
              language en
            /b "B"
            /both "Both"
              language en
            /de/a "A"
              language de
        "#]],
    );
}

#[test]
fn an_operation_whose_summary_is_a_paragraph_has_one_short_title_everywhere() {
    let more = "It is kept for a *while*. ".repeat(8);
    let spec = format!(
        "openapi: 3.1.0\ninfo: {{title: T, version: '1'}}\npaths:\n  /files:\n    post:\n      summary: Uploads a `File`. {more}\n      responses: {{}}\n"
    );
    let docs = config(r#""navigation": {"groups": [{"group": "API", "openapi": "api.yaml"}]}"#);
    let site = TestSite::new(&[("docs.json", &docs), ("api.yaml", &spec)]);
    let [_, (page, document)] = &documents(&site)[..] else {
        panic!("one operation, one page below what opens the reference");
    };
    assert_eq!(document.title, "Uploads a File.");
    assert!(
        document
            .description
            .starts_with("Uploads a File. It is kept for a while.")
    );
    let html = page_html(&site.db, site.site, *page, &PageOptions::default()).html;
    assert!(
        html.contains("<h1 id=\"page-title\">Uploads a File.</h1>"),
        "{html}"
    );
    assert!(html.contains("<title>Uploads a File. "), "{html}");
    let (_, sidebar) = html.split_once("class=\"sidebar").expect("a sidebar");
    let (sidebar, _) = sidebar.split_once("<main").expect("the page");
    assert!(
        sidebar.contains("Uploads a File.") && !sidebar.contains("It is kept"),
        "{sidebar}"
    );
    assert!(html.contains("It is kept for a <em>while</em>."), "{html}");
}

#[test]
fn as_long_as_its_source_is_the_same_a_document_is() {
    let config = config(
        r#""navigation": {"tabs": [{"tab": "Guides", "pages": ["a", "b"]}, {"tab": "API", "openapi": "api.json"}]}"#,
    );
    let mut site = TestSite::new(&[
        ("docs.json", &config[..]),
        (
            "a.mdx",
            "---\ntitle: A\n---\n\nWords.\n\n<Snippet file=\"tip.mdx\" />\n",
        ),
        ("b.mdx", "---\ntitle: B\n---\n\n## Loam\n\nHeavy.\n"),
        ("snippets/tip.mdx", "Add sand.\n"),
        (
            "api.json",
            r#"{"openapi": "3.1.0", "info": {"title": "API", "version": "1"}, "paths": {"/plants": {"get": {
                "summary": "List plants", "description": "Tall ones.", "responses": {"200": {"description": "All"}}}}}}"#,
        ),
    ]);
    let look = |site: &TestSite| {
        let documents = documents(site).into_iter();
        let known = documents.map(|(page, document)| {
            let source = search_source(&site.db, page);
            (document.route.clone(), (source, document))
        });
        known.collect::<BTreeMap<_, _>>()
    };
    let mut before = look(&site);
    for (path, from, to, changed) in [
        ("a.mdx", "Words", "Letters", 1),
        ("b.mdx", "title: B", "title: Beds", 1),
        ("b.mdx", "## Loam", "## Clay", 1),
        ("snippets/tip.mdx", "sand", "lime", 1),
        ("docs.json", "Guides", "Manuals", 2),
        ("docs.json", "#00aa77", "#aa0077", 0),
        ("api.json", "Tall ones", "Small ones", 1),
    ] {
        let text = site.text(path).replace(from, to);
        site.set(path, text);
        let now = look(&site);
        let others = now.iter().filter(|(route, (source, document))| {
            let (old_source, old) = &before[*route];
            assert!(source.is_some());
            assert!(source != old_source || document == old, "{path}: {route}");
            source != old_source
        });
        assert_eq!(others.count(), changed, "{path}: {to}");
        before = now;
    }
}
