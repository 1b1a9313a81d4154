//! Vectors of passages: who has them, and that an edit of one passage embeds no other.

use std::sync::Arc;

use base::content::ContentHash;
use embedding::{Embedder, Embedding, Texts, cosine};
use queries::navigation::PageId;
use queries::search::{page_embeddings, page_windows, search_document};

use crate::support::TestSite;

const PAGE: &str = "---\ntitle: Tickets\n---\n\nBuy a ticket at the desk.\n\n## Prices\n\nTwelve euros each.\n\n## Opening hours\n\nFrom nine to five.\n";

fn site(more: &str, language: &str) -> TestSite {
    let docs = format!(
        r##"{{"theme": "mint", "name": "Museum", "colors": {{"primary": "#00aa77"}}, {more}
            "navigation": {{"languages": [{{"language": "{language}", "pages": ["tickets", "hidden"]}}]}}}}"##
    );
    TestSite::new(&[
        ("docs.json", docs.as_str()),
        ("tickets.mdx", PAGE),
        ("hidden.mdx", "---\nhidden: true\n---\n\nNothing.\n"),
    ])
}

/// [`page_embeddings`], made of the texts.
fn made_of_texts(site: &TestSite, page: PageId) -> Vec<(ContentHash, Arc<[Embedding]>)> {
    let mut texts = Texts::new(Embedder::built_in());
    let passages = page_windows(&site.db, page).into_iter();
    let embedded = passages.map(|(passage, windows)| {
        let vectors = windows.iter().map(|text| texts.embed(text));
        (passage, vectors.collect())
    });
    embedded.collect()
}

#[test]
fn each_passage_has_vectors_of_its_own() {
    let site = site("", "en");
    let page = PageId::File(site.file("tickets.mdx"));
    let document = search_document(&site.db, page).unwrap();
    let embeddings = page_embeddings(&site.db, page);
    let digests = document.passages.iter();
    let digests: Vec<_> = digests.map(|passage| passage.digest("Tickets")).collect();
    let embedded: Vec<_> = embeddings.iter().map(|(digest, _)| *digest).collect();
    assert_eq!(digests, embedded);
    let question = Embedder::built_in().embed("when is it open?");
    let scores = embeddings.iter().map(|(_, vectors)| {
        assert_eq!(vectors.len(), 1);
        cosine(&vectors[0], &question)
    });
    let scores: Vec<f32> = scores.collect();
    assert!(scores[2] > scores[0] && scores[2] > scores[1], "{scores:?}");
    // Held by nothing they are the same.
    assert_eq!(made_of_texts(&site, page), embeddings);
    // What is said of a passage is said with the page and the headings above it.
    let whole = Embedder::built_in().embed("Tickets. Prices. Twelve euros each.");
    assert_eq!(embeddings[1].1[0], whole);
}

#[test]
fn other_languages_hidden_pages_and_sites_that_want_none_have_none() {
    let has = |site: &TestSite, path: &str| {
        let page = PageId::File(site.file(path));
        let embeddings = page_embeddings(&site.db, page);
        assert_eq!(made_of_texts(site, page), embeddings);
        !embeddings.is_empty()
    };
    assert!(has(&site("", "en"), "tickets.mdx"));
    assert!(!has(&site("", "en"), "hidden.mdx"));
    assert!(!has(&site("", "de"), "tickets.mdx"));
    let off = r#""search": {"semantic": false},"#;
    assert!(!has(&site(off, "en"), "tickets.mdx"));
}

/// The queries that make vectors, with how often they ran.
fn made(site: &TestSite) -> Vec<(String, usize)> {
    page_embeddings(&site.db, PageId::File(site.file("tickets.mdx")));
    let executed = site.take_keys().into_iter();
    let executed = executed.map(|(name, keys)| (name, keys.len()));
    executed
        .filter(|(name, _)| name.starts_with("passage_"))
        .collect()
}

#[test]
fn an_edit_of_one_passage_embeds_that_one() {
    let mut site = site("", "en");
    let all = |n| {
        vec![
            ("passage_embeddings".to_owned(), n),
            ("passage_windows".to_owned(), n),
        ]
    };
    assert_eq!(made(&site), all(3));
    // The first edit makes the page less durable, and everything that rests on it counts as changed once.
    site.set("tickets.mdx", PAGE.replace("Twelve", "Thirteen"));
    made(&site);
    site.set("tickets.mdx", PAGE.replace("Twelve", "Fourteen"));
    let one = vec![
        ("passage_embeddings".to_owned(), 1),
        ("passage_windows".to_owned(), 3),
    ];
    assert_eq!(made(&site), one);
    // Words of the configuration that say nothing of search.
    let docs = site.text("docs.json").replace("#00aa77", "#00aa78");
    site.set("docs.json", docs);
    assert_eq!(made(&site), []);
    // A title stands before every passage.
    site.set(
        "tickets.mdx",
        PAGE.replace("title: Tickets", "title: Entry"),
    );
    assert_eq!(made(&site), all(3));
}
