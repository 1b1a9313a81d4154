//! Words of a large site that is new are found first, and what is meant by them when every page has its vectors.

use std::sync::Arc;

use queries::base::path::{Route, SitePath};
use queries::search::{Passage, SearchDocument};
use quire_engine::host::{FileChange, HostOptions, SiteHost};
use quire_search::index::{
    Answer, ChangedPage, Changes, Embedding, Index, Mode, Options, Question,
};
use quire_search::search_service::{SearchQuery, SearchService};
use quire_source::sources::FileState;

use crate::search::invented::{changed, embed, embedding, page};

fn options() -> Options {
    Options {
        embedder: "invented".to_owned(),
        ..Options::default()
    }
}

fn library() -> Vec<SearchDocument> {
    let mut other = page("/de/start", "Anfang", &[("", "Wie man beginnt.")]);
    other.facets.language = Some("de".to_owned());
    vec![
        page(
            "/install",
            "Install",
            &[("", "Download the program."), ("Linux", "Use a package.")],
        ),
        page("/deploy", "Deploying", &[("", "Publish the site.")]),
        page(
            "/auth",
            "Authentication",
            &[("", "Every request carries a key.")],
        ),
        page("/empty", "Nothing yet", &[]),
        other,
    ]
}

/// What [`embed`] makes of a passage, whose text the index has kept.
fn embed_kept(title: &str, passage: &Passage) -> Option<Vec<Embedding>> {
    Some(vec![embedding(&format!("{title} {}", passage.body))])
}

/// Takes up pages together with their vectors, those of languages that are embedded.
fn follow(index: &Index, documents: &[SearchDocument], gone: &[Route]) {
    let changed: Vec<ChangedPage> = documents.iter().map(changed).collect();
    let changes = Changes {
        gone,
        changed: &changed,
    };
    let followed = index.follow(&changes, |document, i| match document.facets.language {
        None => embed(document, i),
        Some(_) => Vec::new(),
    });
    followed.expect("followed");
}

fn put_words(index: &Index, documents: &[SearchDocument]) {
    let changed: Vec<ChangedPage> = documents.iter().map(changed).collect();
    let mut taking = index.begin(changed.len());
    let changes = Changes {
        gone: &[],
        changed: &changed,
    };
    taking.put(&changes, None).expect("taken up");
    taking.finish().expect("written");
}

/// Answers by words and by what they mean.
fn answers(index: &Index) -> Vec<Answer> {
    let queries = [
        "package",
        "publish site",
        "Install Download the program.",
        "beginnt",
    ];
    let answers = queries.into_iter().map(|query| {
        let meaning = embedding(query);
        index.search(&Question {
            query,
            semantic: Some(&meaning),
            limit: 50,
            sections: true,
            ..Question::default()
        })
    });
    answers.collect()
}

#[test]
fn meanings_are_compared_when_every_page_has_its_vectors() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = || Index::open(Some(folder.path()), options()).expect("an index");
    let mut documents = library();
    let by_words = |index: &Index| {
        let answers = answers(index);
        assert!(index.lacks_vectors() && !index.has_vectors());
        assert!(answers.iter().all(|answer| answer.mode == Mode::Keyword));
        assert!(answers.iter().all(|answer| !answer.results.is_empty()));
    };
    let index = open();
    put_words(&index, &documents);
    by_words(&index);
    // One that is edited has its vectors at once; the others still wait.
    documents[1].passages[0].body.push_str(" Then tell others.");
    follow(&index, &documents[1..2], &[]);
    by_words(&index);
    assert_eq!(index.embed(1, embed_kept).expect("written"), 1);
    by_words(&index);
    // Who is stopped now goes on later.
    drop(index);
    let index = open();
    by_words(&index);
    assert_eq!(index.embed(9, embed_kept).expect("written"), 2);
    assert_eq!(index.embed(9, embed_kept).expect("nothing"), 0);
    let at_once = Index::open(None, options()).expect("an index");
    follow(&at_once, &documents, &[]);
    let expected = answers(&at_once);
    assert!(expected.iter().any(|answer| answer.mode != Mode::Keyword));
    assert!(!index.lacks_vectors() && index.has_vectors());
    assert_eq!(answers(&index), expected);
    drop(index);
    assert_eq!(answers(&open()), expected);
    // What is edited or goes afterwards takes its vectors along.
    let index = open();
    documents[2].title = "Signing in".to_owned();
    for index in [&index, &at_once] {
        let gone = [documents[0].route.clone()];
        follow(index, &documents[2..3], &gone);
    }
    assert_eq!(answers(&index), answers(&at_once));
}

#[test]
fn a_page_that_is_edited_while_others_are_embedded_keeps_what_it_says_now() {
    let index = Index::open(None, options()).expect("an index");
    let mut documents = library();
    put_words(&index, &documents);
    documents[2].passages[0].body = "Passkeys only.".to_owned();
    let mut is_edited = false;
    let embed_meanwhile = |title: &str, passage: &Passage| {
        if !std::mem::replace(&mut is_edited, true) {
            follow(&index, &documents[2..3], &[]);
        }
        embed_kept(title, passage)
    };
    assert_eq!(index.embed(9, embed_meanwhile).expect("written"), 3);
    assert!(!index.lacks_vectors());
    let at_once = Index::open(None, options()).expect("an index");
    follow(&at_once, &documents, &[]);
    assert_eq!(answers(&index), answers(&at_once));
}

#[test]
fn who_is_sent_to_follow_a_large_site_embeds_it_in_the_end() {
    let service = || {
        let host = Arc::new(SiteHost::new("", HostOptions::default()));
        let mut names: Vec<String> = (0..1001).map(|n| format!("page-{n}")).collect();
        names[7] = "retries".to_owned();
        let docs = serde_json::json!({
            "name": "Many", "theme": "mint", "colors": {"primary": "#000000"},
            "navigation": {"pages": names},
        });
        let pages = names.iter().map(|name| {
            let text = match name.as_str() {
                "retries" => "A request that failed is sent again after a pause.",
                _ => "A cup of tea.",
            };
            (
                format!("{name}.mdx"),
                format!("---\ntitle: {name}\n---\n\n{text}\n"),
            )
        });
        let files = pages.chain([("docs.json".to_owned(), docs.to_string())]);
        let changes = files.map(|(path, text)| FileChange {
            path: SitePath::new(&path).expect("a path"),
            state: FileState::Text(text.as_str().into()),
        });
        host.apply(changes.collect::<Vec<_>>());
        SearchService::new(host, None)
    };
    let find = |service: &SearchService| {
        let wanted = SearchQuery {
            query: "how are failing calls repeated".to_owned(),
            semantic: true,
            limit: 5,
            ..SearchQuery::default()
        };
        service.find(&wanted).expect("an answer")
    };
    let (at_once, words_first) = (service(), service());
    at_once.follow().expect("an index");
    let followed = words_first.follow_after(|| ()).expect("an index");
    let (index, followed) = followed.expect("nobody else was at it");
    // Their vectors came after that.
    assert_eq!((followed.pages, followed.embedded), (1001, 0));
    assert!(!index.lacks_vectors() && words_first.size().semantic);
    let answer = find(&words_first);
    assert_eq!(answer.mode, Mode::Semantic);
    assert_eq!(answer.results[0].url.as_str(), "/retries");
    assert_eq!(answer, find(&at_once));
}
