//! Answers that are comparable: between words and meanings, and between versions.

use std::sync::Arc;

use quire_search::search_service::{SearchQuery, SearchService};
use quire_source::load::load_with;

use crate::support::folder::Folder;

fn found(folder: &Folder, query: &str, semantic: bool) -> Vec<(String, f32)> {
    let host = load_with(folder.path(), "", None, None)
        .expect("a site")
        .host;
    let search = SearchService::new(Arc::new(host), None);
    let answer = search.find(&SearchQuery {
        query: query.to_owned(),
        semantic,
        limit: 10,
        ..SearchQuery::default()
    });
    let hits = answer.expect("an answer").results;
    hits.iter().map(|hit| (hit.url.href(), hit.score)).collect()
}

#[test]
fn a_language_without_vectors_keeps_the_order_of_words() {
    let page = |title: &str, body: &str| format!("---\ntitle: {title}\n---\n\n{body}\n");
    let pages = [
        (
            "de/a.mdx",
            page("Schlüssel", "Ein Schlüssel öffnet die Tür."),
        ),
        (
            "de/b.mdx",
            page(
                "Türen",
                "Eine Tür hat ein Schloss.\n\n## Schlüssel drehen\n\nDrehe den Schlüssel im Schloss der Tür.",
            ),
        ),
        (
            "de/c.mdx",
            page(
                "Schlösser",
                "Schlösser, Schlüssel, Schlüssel und noch ein Schlüssel.",
            ),
        ),
        (
            "de/d.mdx",
            page(
                "Fenster",
                "Fenster haben keinen Schlüssel, aber einen Griff.",
            ),
        ),
        ("en/e.mdx", page("Keys", "A key opens the door.")),
    ];
    let config = r##"{"name":"Türen","theme":"mint","colors":{"primary":"#000000"},"navigation":{"languages":[
        {"language":"de","groups":[{"group":"A","pages":["de/a","de/b","de/c","de/d"]}]},
        {"language":"en","groups":[{"group":"B","pages":["en/e"]}]}]}}"##;
    let mut files = vec![("docs.json", config)];
    files.extend(pages.iter().map(|(path, text)| (*path, text.as_str())));
    let folder = Folder::new(&files);
    for query in [
        "Schlüssel",
        "Schlüssel drehen",
        "Schloss der Tür",
        "Wie drehe ich den Schlüssel im Schloss?",
    ] {
        let urls = |semantic| -> Vec<String> {
            let found = found(&folder, query, semantic).into_iter();
            found
                .map(|(url, _)| url)
                .filter(|url| url.starts_with("/de/"))
                .collect()
        };
        let by_words = urls(false);
        assert!(!by_words.is_empty(), "{query}");
        // What comes near adds pages behind them, if any.
        assert_eq!(urls(true)[..by_words.len()], by_words, "{query}");
    }
}

#[test]
fn a_version_that_is_named_comes_first() {
    let page = |version: &str| {
        format!("---\ntitle: Install\n---\n\nInstall the client of {version}. Then start it.\n")
    };
    let (one, two) = (page("the first release"), page("the second release"));
    let folder = Folder::new(&[
        (
            "docs.json",
            r##"{"name":"Tea","theme":"mint","colors":{"primary":"#000000"},"navigation":{"versions":[
                {"version":"v2","default":true,"groups":[{"group":"A","pages":["v2/install"]}]},
                {"version":"v1","groups":[{"group":"A","pages":["v1/install"]}]}]}}"##,
        ),
        ("v2/install.mdx", two.as_str()),
        ("v1/install.mdx", one.as_str()),
    ]);
    for semantic in [false, true] {
        for (query, first) in [
            ("install the client", "/v2/install"),
            ("install the client v1", "/v1/install"),
            ("install the client version 1", "/v1/install"),
            ("install the client v2", "/v2/install"),
        ] {
            let found = found(&folder, query, semantic);
            assert_eq!(found[0].0, first, "{query} {semantic}");
        }
    }
}
