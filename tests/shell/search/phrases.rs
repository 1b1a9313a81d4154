//! Words in quotes stand next to each other.

use queries::search::SearchDocument;
use quire_search::index::{Index, Options, Question};

use crate::search::invented::{ask, embedding, follow, index, page, routes};

fn library() -> Vec<SearchDocument> {
    let mut pages = vec![
        page(
            "/limits",
            "Limits",
            &[
                (
                    "",
                    "There is a rate. There is also a limit to what we rate.",
                ),
                ("Every hour", "The rate limit of a key is reset each hour."),
            ],
        ),
        page("/rate", "Rate", &[("", "What limits the rate of a limit.")]),
        page("/headings", "Answers", &[("The rate limit", "See there.")]),
        page("/title", "Rate limit", &[("", "All about it.")]),
        page("/code", "Settings", &[("", "Set it so.")]),
        page("/accents", "Café", &[("", "Un cafe crème, l’addition.")]),
    ];
    pages[4].passages[0].code = "client.setRateLimit({ max_retries: 3 })".to_owned();
    pages
}

#[track_caller]
fn check(query: &str, expected: &[&str]) {
    let mut found = routes(&index(&library()), query);
    found.sort();
    assert_eq!(found, expected, "{query}");
}

#[test]
fn words_in_quotes_stand_next_to_each_other_in_title_heading_prose_or_code() {
    let expected = ["/code", "/headings", "/limits", "/title"];
    check("\"rate limit\"", &expected);
    check("“rate limit”", &expected);
    check("\"RATE LIMIT\" ", &expected);
    check("\"rate-limit\"", &expected);
    check("\"limit rate\"", &[]);
    check("\"max retries\"", &["/code"]);
}

#[test]
fn words_that_say_nothing_count_in_quotes() {
    check("\"limit of a key\"", &["/limits"]);
    check("\"limit of the key\"", &[]);
    check("\"of a\"", &["/limits", "/rate"]);
}

#[test]
fn quoted_phrases_disable_prefix_fuzzy_and_stemming() {
    check("\"rate limi\"", &[]);
    check("\"rate limt\"", &[]);
    check("\"rate limits\"", &[]);
    check("\"cafe creme\"", &["/accents"]);
    check("\"CAFÉ crème\"", &["/accents"]);
}

#[test]
fn phrases_and_words_are_mixed() {
    check("\"rate limit\" \"reset each hour\"", &["/limits"]);
    check("\"rate limit\" \"all about\"", &["/title"]);
    check("\"rate limit\" \"nobody has this\"", &[]);
    let index = index(&library());
    let first = |query: &str| routes(&index, query).swap_remove(0);
    assert_eq!(first("\"rate limit\" hour"), "/limits");
    assert_eq!(first("\"rate limit\" settings"), "/code");
}

#[test]
fn a_quote_that_is_not_closed_is_as_if_it_were_not_there() {
    let index = index(&library());
    let as_words = routes(&index, "rate limi");
    assert!(as_words.contains(&"/rate".to_owned()));
    assert_eq!(routes(&index, "\"rate limi"), as_words);
    assert_eq!(routes(&index, "rate \"limi"), as_words);
    assert_eq!(routes(&index, "\"\" rate limi"), as_words);
    assert_eq!(routes(&index, "rate limi\""), routes(&index, "rate limi "));
    assert_eq!(routes(&index, "\""), [""; 0]);
}

#[test]
fn the_passage_with_the_phrase_is_shown() {
    let index = index(&library());
    let answer = index.search(&Question {
        query: "\"rate limit\" hour",
        limit: 9,
        sections: true,
        ..Question::default()
    });
    let shown = |route: &str| {
        let hit = answer.results.iter().find(|hit| hit.url.as_str() == route);
        let section = &hit.expect("found").sections[0];
        let matches = section.snippet.matches.iter();
        let marked: Vec<&str> = matches
            .map(|bytes| &section.snippet.text[bytes.clone()])
            .collect();
        (section.title.clone(), marked.join("|"))
    };
    assert_eq!(
        shown("/limits"),
        ("Every hour".into(), "rate limit|hour".into())
    );
    assert_eq!(shown("/code"), ("Settings".into(), "RateLimit".into()));
}

#[test]
fn what_means_the_same_has_no_part_in_it() {
    let index = index(&library());
    let vector = embedding("Answers See there.");
    let answer = index.search(&Question {
        query: "\"all about it\"",
        semantic: Some(&vector),
        limit: 9,
        ..Question::default()
    });
    let found: Vec<&str> = answer.results.iter().map(|hit| hit.url.as_str()).collect();
    assert_eq!(found, ["/title"]);
}

#[test]
fn languages_without_blanks_have_phrases_too() {
    let mut page = page(
        "/zh",
        "配置文件",
        &[("", "在设置中启用缓存。部署时读取环境变量。")],
    );
    page.facets.language = Some("zh".to_owned());
    let index = index(&[page]);
    for (query, is_found) in [
        ("\"环境变量\"", true),
        ("\"读取环境\"", true),
        ("\"变量环境\"", false),
        ("\"境\" 部署", true),
    ] {
        assert_eq!(!routes(&index, query).is_empty(), is_found, "{query}");
    }
}

#[test]
fn reading_has_a_bound() {
    let has_both = "one two. Of words there are many.";
    let mut pages: Vec<SearchDocument> = (0..1100)
        .map(|i| page(&format!("/p{i:04}"), "Page", &[("", has_both)]))
        .collect();
    // It ranks behind all the others, which have the words more often for their length.
    let long = "There are other things to say here, a great many of them. ".repeat(40);
    pages.push(page("/last", "Page", &[("", &format!("{long} two one"))]));
    let index = Index::open(None, Options::default()).expect("an index");
    follow(&index, &pages);
    assert_eq!(ask(&index, "\"one two\"").results.len(), 50);
    assert_eq!(
        routes(&index, "\"two one\""),
        [""; 0],
        "what ranks behind a thousand passages that were read in vain is not found"
    );
    assert_eq!(routes(&index, "\"two one\" things"), ["/last"]);
}
