//! What is found, and what is shown of it.

use std::time::{Duration, Instant};

use queries::base::path::Route;
use queries::search::{PageKind, SearchDocument};
use quire_search::index::weights::Weights;
use quire_search::index::{Changes, Filter, Index, Mode, Options, Question};

use crate::search::invented::{ask, changed, embed, embedding, follow, index, page, routes};

fn library() -> Vec<SearchDocument> {
    vec![
        page(
            "/install",
            "Install",
            &[
                ("", "Download the program and put it on your path."),
                ("Linux", "Use your package manager."),
            ],
        ),
        page(
            "/deploy",
            "Deploying",
            &[
                ("", "Publish the site."),
                (
                    "Webhooks",
                    "A webhook tells us of pushes. Its signature is checked.",
                ),
            ],
        ),
        page(
            "/auth",
            "Authentication",
            &[(
                "",
                "Every request carries an API key in the `Authorization` header.",
            )],
        ),
        page(
            "/reference",
            "Reference",
            &[(
                "",
                "Call getUserById or set max_retries to configure retries.",
            )],
        ),
    ]
}

#[test]
fn words_are_found_in_every_part_of_a_page() {
    let index = index(&library());
    for (query, expected) in [
        ("install", "/install"),
        ("linux", "/install"),
        ("signatures", "/deploy"),
        ("reference", "/reference"),
        ("get user", "/reference"),
        ("getuserbyid", "/reference"),
        ("getUserById", "/reference"),
        ("max_retries", "/reference"),
        ("maxRetries", "/reference"),
    ] {
        assert_eq!(
            routes(&index, query).first().map(String::as_str),
            Some(expected),
            "{query}"
        );
    }
    assert_eq!(routes(&index, "zebra"), [""; 0]);
    assert_eq!(routes(&index, ""), [""; 0]);
    assert_eq!(routes(&index, "?!"), [""; 0]);
}

/// Codes, each with a page that has it in its text, as its title and in a heading; and pages with what they are made of.
#[test]
fn a_code_is_found_before_what_it_is_made_of() {
    let codes = [
        "190876A-C",
        "RFC-7231",
        "ISO-8601-1",
        "KB4012212",
        "ABC-123-X",
        "v2.3.1-rc.1",
        "gpt-4o-mini",
        "E-0042",
        "utf-8",
        "x86-64",
        "1.2.3-beta",
    ];
    let pieces = [
        page("/c", "C++ guide", &[("", "How to use C++, X and E.")]),
        page(
            "/beta",
            "Beta 1",
            &[("RFC and ISO", "An rc of 8 or 64 bits.")],
        ),
        page(
            "/mini",
            "Mini",
            &[("GPT 4o", "ABC 123 and UTF 16, x86 and 3.1.")],
        ),
        page(
            "/123",
            "123",
            &[("", "0042 and 231, 7231 and 8601. 190876 A")],
        ),
    ];
    let mut wrong = Vec::new();
    for code in codes {
        let sentence = format!("The part {code} fits the blue stand.");
        let of_code = [
            page("/wanted", "Spare parts", &[("", &sentence)]),
            page("/wanted", code, &[("", "What there is to say of it.")]),
            page("/wanted", "Spare parts", &[(code, "What there is to say.")]),
        ];
        for (i, wanted) in of_code.into_iter().enumerate() {
            let mut pages = pieces.to_vec();
            pages.push(wanted);
            let index = index(&pages);
            let typed = [code.to_owned(), code.to_lowercase(), code.to_uppercase()];
            let more = [format!("{code} stand"), format!("part {code}?")];
            for query in typed.iter().chain(&more) {
                let found = routes(&index, query);
                if found.first().map(String::as_str) != Some("/wanted") {
                    wrong.push((format!("{query} {i}"), found));
                }
            }
        }
        let found = routes(&index(&pieces), code);
        if found.contains(&"/c".to_owned()) {
            wrong.push((format!("{code}, which is nowhere"), found));
        }
    }
    assert!(wrong.is_empty(), "{}: {wrong:#?}", wrong.len());
}

#[test]
fn codes_are_told_from_each_other_and_found_by_their_pieces() {
    let pages = [
        page(
            "/one",
            "Notes",
            &[("", "Version 1.2.3-beta of 2024-01-15.")],
        ),
        page(
            "/two",
            "Notes",
            &[("", "Version 1.2.4 of 2024-01-16, in utf-8.")],
        ),
        page("/three", "123", &[("", "Call 123, or 404 for ISO-8601-1.")]),
        page(
            "/four",
            "Numbers",
            &[("", "About 4.04 of 12.3 and ISO-8601-2.")],
        ),
    ];
    let index = index(&pages);
    for (query, expected) in [
        ("1.2.3", "/one"),
        ("1.2.4", "/two"),
        ("1.2.3-beta", "/one"),
        ("1.2.3-bet", "/one"),
        ("1.2.3-gamma", "/one"),
        ("2024-01-15", "/one"),
        ("2024-01-16", "/two"),
        ("utf8", "/two"),
        ("UTF 8", "/two"),
        ("utf\u{2011}8", "/two"),
        ("404", "/three"),
        ("4.04", "/four"),
        ("123", "/three"),
        ("12.3", "/four"),
        ("ISO-8601-1", "/three"),
        ("ISO-8601-2", "/four"),
        ("\"8601-2\"", "/four"),
    ] {
        let found = routes(&index, query);
        assert_eq!(
            found.first().map(String::as_str),
            Some(expected),
            "{query}: {found:?}"
        );
    }
}

#[test]
fn parts_of_compounds_are_found_in_pages_of_any_language() {
    let index = index(&[
        page(
            "/street",
            "Straße",
            &[("", "Donaudampfschifffahrtsgesellschaft und Größenänderung.")],
        ),
        page(
            "/other",
            "Home",
            &[("", "Start with the gesture and the author.")],
        ),
    ]);
    for query in [
        "dampfschiff",
        "Gesellschaft",
        "Änderung",
        "änderung ",
        "Dampfschifffahrt",
        "fahrtsgesellschaft",
        "donaudampf ",
    ] {
        assert_eq!(routes(&index, query), ["/street"], "{query}");
    }
    // Few letters stand in the middle of a word by chance, and one that is there is meant.
    for query in ["schiff ", "hor", "esture"] {
        assert!(
            !routes(&index, query).contains(&"/street".to_owned()),
            "{query}"
        );
    }
}

#[test]
fn mistyped_and_unfinished_words_are_found() {
    let index = index(&library());
    for query in [
        "authentcation",
        "authetnication",
        "auhtentication",
        "Authenticatoin",
        "authenticati",
        "authentic",
    ] {
        assert_eq!(
            routes(&index, query).first().map(String::as_str),
            Some("/auth"),
            "{query}"
        );
    }
    assert_eq!(
        routes(&index, "webh").first().map(String::as_str),
        Some("/deploy")
    );
    assert_eq!(
        routes(&index, "webh "),
        [""; 0],
        "a finished word is not the beginning of another"
    );
    assert_eq!(
        routes(&index, "kay"),
        [""; 0],
        "short words are taken as they are"
    );
}

/// Of each mistyped word other corrections stand on more pages than what is meant.
fn mistakable() -> Vec<SearchDocument> {
    let mut pages = vec![
        page(
            "/hooks",
            "Verifying calls",
            &[
                ("", "Who calls your server."),
                ("Checks", "Compare the signature of every webhook."),
            ],
        ),
        page(
            "/apart",
            "A page of two things",
            &[
                ("Names", "Call a rebook so."),
                ("Contracts", "A signature ends it."),
            ],
        ),
        page(
            "/contracts",
            "Signature of contracts",
            &[("", "A contract has a signature.")],
        ),
        page("/weights", "Weights", &[("", "Lifting makes strong.")]),
        page(
            "/settings",
            "Settings",
            &[("", "Set a variable in the environment of the server.")],
        ),
    ];
    for (word, count) in [
        ("rebook", 6),
        ("ebook", 5),
        ("webbook", 4),
        ("signatory", 3),
        ("valuable", 6),
        ("invariable", 4),
    ] {
        pages.extend((0..count).map(|n| {
            let route = format!("/{word}-{n}");
            page(&route, word, &[("", &format!("Of a {word} alone, {n}."))])
        }));
    }
    pages
}

#[test]
fn mistyped_words_are_corrected_to_what_occurs_together() {
    let index = index(&mistakable());
    for (query, expected) in [
        ("webook signatrue", "/hooks"),
        ("signatrue webook", "/hooks"),
        ("how do I check the signatrue of a webook?", "/hooks"),
        ("enviroment varaible", "/settings"),
        ("varaible of the enviroment of a servr", "/settings"),
    ] {
        let found = routes(&index, query);
        assert_eq!(found.first().map(String::as_str), Some(expected), "{query}");
        assert!(
            !found.iter().any(|page| page.starts_with("/rebook-")),
            "{query}: {found:?}"
        );
    }
    // The parts of an identifier are words, too.
    let found = routes(&index, "webookSignatrue");
    assert!(
        found.contains(&"/hooks".to_owned()) && !found.contains(&"/rebook-0".to_owned()),
        "{found:?}"
    );
    // One alone has all of its corrections, and so have two that nothing has together.
    for query in ["webook", "webook lfting"] {
        let found = routes(&index, query);
        assert!(
            found.contains(&"/rebook-0".to_owned()),
            "{query}: {found:?}"
        );
    }
    // What is known is left as it is, and so is what may go on.
    for query in ["rebook signatrue", "ebook variable", "webook sign"] {
        let found = routes(&index, query);
        let first = found.first().expect("a page");
        assert!(first != "/hooks", "{query}: {found:?}");
    }
}

#[test]
fn a_page_that_changes_is_found_by_what_it_says_now() {
    let index = index(&library());
    follow(
        &index,
        &[page("/auth", "Signing in", &[("", "Passkeys only.")])],
    );
    assert_eq!(routes(&index, "authorization header"), [""; 0]);
    assert_eq!(routes(&index, "passkey"), ["/auth"]);
    let gone = [Route::new("/auth").expect("a route")];
    let followed = index
        .follow(
            &Changes {
                gone: &gone,
                changed: &[],
            },
            embed,
        )
        .expect("followed");
    assert_eq!((followed.pages, followed.passages), (3, 5));
    assert_eq!(routes(&index, "passkey"), [""; 0]);
}

#[test]
fn only_passages_that_are_new_are_embedded() {
    let index = index(&library());
    let mut edited = library().swap_remove(1);
    edited.passages[1].body.push_str(" Then it is rolled out.");
    let follow = |document: &SearchDocument| {
        index
            .follow(
                &Changes {
                    gone: &[],
                    changed: &[changed(document)],
                },
                embed,
            )
            .expect("followed")
    };
    assert_eq!(follow(&edited).embedded, 1);
    assert_eq!(follow(&edited).embedded, 0);
    edited.passages.swap(0, 1);
    assert_eq!(follow(&edited).embedded, 0);
    edited.title.push('!');
    assert_eq!(follow(&edited).embedded, 2);
}

#[test]
fn the_manifest_names_what_the_index_holds() {
    let library = library();
    let index = index(&library);
    let expected = library
        .iter()
        .map(|one| (one.route.clone(), changed(one).digest))
        .collect();
    assert_eq!(index.manifest(), expected);
}

#[test]
fn the_mode_is_the_one_that_was_used() {
    let with = index(&library());
    let vector = embedding("Publish the site.");
    let ask = |index: &Index, semantic, language: Option<&str>| {
        let filter = Filter {
            language: language.map(str::to_owned),
            ..Filter::default()
        };
        index.search(&Question {
            query: "publish",
            semantic,
            limit: 10,
            filter,
            ..Question::default()
        })
    };
    let answer = ask(&with, Some(&vector), None);
    assert_eq!(
        (answer.mode, answer.results[0].url.as_str()),
        (Mode::Semantic, "/deploy")
    );
    assert_eq!(ask(&with, None, None).mode, Mode::Keyword);
    assert_eq!(ask(&with, Some(&vector), Some("fr")).mode, Mode::Keyword);
    let without = Index::open(None, Options::default()).expect("an index");
    let changes: Vec<_> = library().iter().map(changed).collect();
    without
        .follow(
            &Changes {
                gone: &[],
                changed: &changes,
            },
            |_, _| Vec::new(),
        )
        .expect("followed");
    assert_eq!(ask(&without, Some(&vector), None).mode, Mode::Keyword);
    assert_eq!(
        ask(&without, Some(&vector), None).results[0].url.as_str(),
        "/deploy"
    );
}

#[test]
fn pages_are_found_by_meaning_alone() {
    let index = index(&library());
    let vector = embedding("Deploying Publish the site.");
    let question = Question {
        query: "zzzz",
        semantic: Some(&vector),
        limit: 1,
        ..Question::default()
    };
    let answer = index.search(&question);
    assert_eq!(answer.results[0].url.as_str(), "/deploy");
    assert_eq!(answer.results[0].snippet.text, "Publish the site.");
    assert!(answer.results[0].snippet.matches.is_empty());
}

#[test]
fn what_shares_no_word_must_come_near() {
    let index = index(&library());
    let vector = embedding("Deploying Publish the site.");
    let found = |query: &str, relevance_threshold: f32| {
        let answer = index.search(&Question {
            query,
            semantic: Some(&vector),
            relevance_threshold,
            limit: 9,
            ..Question::default()
        });
        assert_eq!(answer.mode, Mode::Semantic, "vectors were compared");
        let hits = answer.results.into_iter();
        let mut routes: Vec<String> = hits.map(|hit| hit.url.as_str().to_owned()).collect();
        routes.sort();
        routes.join(" ")
    };
    assert_eq!(found("zzzz", 0.999), "/deploy");
    assert_eq!(found("zzzz", 1.1), "");
    // What has a word is an answer however far it is.
    assert_eq!(found("reference", 1.1), "/reference");
    // Beside such a page the others must come nearly as near as the nearest.
    assert!(found("zzzz", 0.0).split(' ').count() > found("reference", 0.0).split(' ').count());
}

#[test]
fn filters_narrow_an_answer_down() {
    let mut pages = library();
    for page in &mut pages {
        page.passages[0].body.push_str(" Shared.");
        page.facets.tab = Some(
            if page.title == "Install" {
                "Guides"
            } else {
                "API"
            }
            .to_owned(),
        );
    }
    pages[1].facets.version = Some("v2".to_owned());
    pages[0].facets.version = Some("v1".to_owned());
    pages[2].facets.tags = vec!["security".to_owned()];
    let index = index(&pages);
    let ask = |filter| {
        let answer = index.search(&Question {
            query: "shared",
            limit: 9,
            filter,
            ..Question::default()
        });
        let is_ordered = answer.results.is_sorted_by(|a, b| a.score >= b.score);
        assert!(is_ordered, "the best of what is wanted");
        let mut routes: Vec<_> = answer
            .results
            .iter()
            .map(|hit| hit.url.as_str().to_owned())
            .collect();
        routes.sort();
        routes.join(" ")
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(
        ask(Filter {
            tab: some("Guides"),
            ..Filter::default()
        }),
        "/install"
    );
    assert_eq!(
        ask(Filter {
            version: some("v2"),
            tab: some("API"),
            ..Filter::default()
        }),
        // Those of no version belong to all of them.
        "/auth /deploy /reference"
    );
    assert_eq!(
        ask(Filter {
            version: some("v2"),
            ..Filter::default()
        }),
        "/auth /deploy /reference",
        "nothing of another version"
    );
    assert_eq!(
        ask(Filter {
            tag: some("security"),
            ..Filter::default()
        }),
        "/auth"
    );
    assert_eq!(
        ask(Filter {
            tag: some("none"),
            ..Filter::default()
        }),
        ""
    );
}

#[test]
fn languages_keep_their_words_apart() {
    let mut french = page(
        "/fr/chat",
        "Le chat",
        &[("", "Un chat dort. Les chats dorment.")],
    );
    french.facets.language = Some("fr".to_owned());
    let english = page("/chat", "Chat", &[("", "Talk to the assistant.")]);
    let index = index(&[french, english]);
    let mut both = routes(&index, "chat");
    both.sort();
    assert_eq!(both, ["/chat", "/fr/chat"]);
    let filter = Filter {
        language: Some("fr-CA".to_owned()),
        ..Filter::default()
    };
    let answer = index.search(&Question {
        query: "dormir chats",
        limit: 9,
        filter,
        ..Question::default()
    });
    assert_eq!(answer.results.len(), 1);
    assert_eq!(answer.results[0].url.as_str(), "/fr/chat");
}

#[test]
fn pages_without_blanks_between_words_are_found() {
    let mut page = page(
        "/zh",
        "配置文件",
        &[("", "在设置中启用缓存。部署时读取环境变量。")],
    );
    page.facets.language = Some("zh-Hans".to_owned());
    let index = index(&[page]);
    for query in ["环境变量", "缓存", "部署"] {
        assert_eq!(routes(&index, query), ["/zh"], "{query}");
    }
    let snippet = &ask(&index, "环境变量").results[0].snippet;
    let shown: Vec<&str> = snippet
        .matches
        .iter()
        .map(|bytes| &snippet.text[bytes.clone()])
        .collect();
    assert_eq!(shown, ["环境变量"]);
}

#[test]
fn synonyms_and_boost_are_the_authors_choice() {
    let synonyms = [["sign in", "authentication"].map(str::to_owned).to_vec()];
    let index = Index::open(None, Options::default()).expect("an index");
    let mut pages = library();
    pages.push(page(
        "/other",
        "Other",
        &[("", "authentication authentication")],
    ));
    follow(&index, &pages);
    assert_eq!(routes(&index, "how do I sign in"), [""; 0]);
    let question = Question {
        query: "how do I sign in",
        synonyms: &synonyms,
        limit: 9,
        ..Question::default()
    };
    assert_eq!(index.search(&question).results.len(), 2);
    // Not the title of a page: what is asked for by its name is first whatever others are worth.
    let first = routes(&index, "authentication token");
    pages
        .iter_mut()
        .find(|page| {
            page.route.as_str() != first[0] && first.contains(&page.route.as_str().to_owned())
        })
        .expect("the second")
        .boost = 9000;
    follow(&index, &pages);
    let boosted = ask(&index, "authentication token");
    assert_eq!(boosted.results[0].url.as_str(), first[1]);
    assert!(
        boosted
            .results
            .iter()
            .all(|hit| (0.0..=1.0).contains(&hit.score)),
        "{boosted:?}"
    );
}

#[test]
fn each_question_brings_its_weights() {
    let index = index(&library());
    let best = |query: &str, weights: &Weights| {
        let answer = index.search(&Question {
            query,
            weights,
            limit: 1,
            ..Question::default()
        });
        let best = answer.results.into_iter().next();
        best.map(|hit| (hit.url.to_string(), hit.score))
    };
    let ours = Weights::default();
    let (page, score) = best("signatrue of pushes", &ours).expect("a page");
    assert_eq!(page, "/deploy");
    // Of the expansion, and of the confidence.
    let corrects_nothing = Weights {
        max_mistyped: 0,
        ..ours
    };
    let unsure = Weights {
        confidence: [-9.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        ..ours
    };
    assert!(best("signatrue", &ours).is_some());
    assert_eq!(best("signatrue", &corrects_nothing), None);
    let (_, low) = best("signatrue of pushes", &unsure).expect("a page");
    assert!(low < 0.001 && score > 0.1, "{low} {score}");
    assert_eq!(best("signatrue of pushes", &ours), Some((page, score)));
}

#[test]
fn excerpts_show_what_was_asked_for() {
    let long = "Nothing here. ".repeat(40)
        + "The signature of a webhook is checked before anything else. "
        + &"More words. ".repeat(40);
    let index = index(&[page(
        "/hooks",
        "Hooks",
        &[("", "Intro."), ("Signature", &long)],
    )]);
    let hit = ask(&index, "webhok signatures").results.remove(0);
    let marked: Vec<&str> = hit
        .snippet
        .matches
        .iter()
        .map(|bytes| &hit.snippet.text[bytes.clone()])
        .collect();
    assert_eq!(marked, ["signature", "webhook"]);
    assert!(
        hit.snippet
            .text
            .starts_with("…The signature of a webhook is checked before anything else."),
        "{:?}",
        hit.snippet
    );
    assert!(
        hit.snippet.text.ends_with("words.…") || hit.snippet.text.ends_with("More…"),
        "{:?}",
        hit.snippet
    );
    let sections = index.search(&Question {
        query: "signature",
        limit: 1,
        sections: true,
        ..Question::default()
    });
    let sections = &sections.results[0].sections;
    assert_eq!(sections[0].anchor.as_deref(), Some("passage-1"));
    assert_eq!(sections[0].title, "Signature");
}

#[test]
fn a_page_without_a_text_is_found_by_its_title() {
    let index = index(&[page("/empty", "Nothing written", &[])]);
    let hit = ask(&index, "written").results.remove(0);
    assert_eq!(
        (hit.url.as_str(), hit.snippet.text.as_str()),
        ("/empty", "")
    );
}

#[test]
fn readers_do_not_wait_for_the_writer() {
    let index = index(&library());
    let edited = page("/install", "Install", &[("", "Unpack the archive.")]);
    let changes = [changed(&edited)];
    let embed = |_: &SearchDocument, _| {
        // The writer is at work: what was there before is still the answer.
        assert_eq!(routes(&index, "download"), ["/install"]);
        assert_eq!(routes(&index, "unpack"), [""; 0]);
        Vec::new()
    };
    let changes = Changes {
        gone: &[],
        changed: &changes,
    };
    index.follow(&changes, embed).expect("followed");
    assert_eq!(routes(&index, "unpack"), ["/install"]);
}

#[test]
fn the_writer_is_let_go_when_nothing_changes() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = |keep_writer| Options {
        keep_writer,
        ..Options::default()
    };
    let first =
        Index::open(Some(folder.path()), options(Duration::from_millis(20))).expect("an index");
    follow(&first, &library());
    let second =
        Index::open(Some(folder.path()), options(Duration::from_secs(60))).expect("an index");
    let edit = [changed(&page("/new", "New", &[]))];
    let changes = Changes {
        gone: &[],
        changed: &edit,
    };
    let waiting = Instant::now();
    // Only one can have it at a time.
    while second.follow(&changes, embed).is_err() {
        assert!(
            waiting.elapsed() < Duration::from_secs(60),
            "it is never let go"
        );
        std::thread::yield_now();
    }
    assert_eq!(routes(&second, "new"), ["/new"]);
    assert!(
        first.follow(&changes, embed).is_err(),
        "it is another's now"
    );
    assert_eq!(
        routes(&first, "install"),
        ["/install"],
        "what was there is still found"
    );
}

/// The first result for `query`, with no more than one wanted.
fn first(index: &Index, query: &str) -> String {
    let question = Question {
        query,
        limit: 1,
        ..Question::default()
    };
    let hit = index.search(&question).results.pop();
    hit.map(|hit| hit.url.as_str().to_owned())
        .unwrap_or_default()
}

#[test]
fn what_is_asked_for_by_its_name_is_first_however_much_others_say_of_it() {
    let text = "rotate keys ".repeat(20);
    let mut pages: Vec<SearchDocument> = (0..60)
        .map(|i| page(&format!("/talk/{i}"), "Talk of keys", &[("", &text)]))
        .collect();
    let long = "Everything else that operators do. ".repeat(200);
    pages.push(page(
        "/operate",
        "Operating",
        &[("", &long), ("Rotate keys", "Twice.")],
    ));
    pages.push(page("/locks", "Locks", &[("", &long)]));
    pages.push(page("/locks/get", "Get locks", &[("", &long)]));
    let index = index(&pages);
    assert_eq!(first(&index, "rotate keys"), "/operate");
    assert_eq!(first(&index, "Rotating the keys"), "/operate");
    assert_eq!(first(&index, "locks"), "/locks");
    assert_eq!(first(&index, "get locks"), "/locks/get");
}

#[test]
fn an_operation_is_found_by_its_path_with_values_in_it() {
    let operation = |method: &str, path: &str| {
        let route = format!(
            "/api/{}{}",
            method.to_lowercase(),
            path.replace(['{', '}'], "")
        );
        let mut page = page(
            &route,
            "Operation",
            &[("", "Things of the shop, and their parts.")],
        );
        page.names = vec![method.to_owned(), path.to_owned()];
        page
    };
    let mut pages = library();
    for path in [
        "/things",
        "/things/{id}",
        "/things/{id}/parts",
        "/things/{id}/parts/{part}",
    ] {
        pages.extend(["GET", "POST"].map(|method| operation(method, path)));
    }
    pages.push(page(
        "/things",
        "Things",
        &[("", "GET /things/{id} and GET /things say all of things.")],
    ));
    let index = index(&pages);
    for (query, expected) in [
        ("GET /things", "/api/get/things"),
        ("post /things/{id}", "/api/post/things/id"),
        ("GET /things/8f14", "/api/get/things/id"),
        (
            "/things/8f14/parts/cus_9s6X",
            "/api/get/things/id/parts/part",
        ),
        (
            "https://shop.example/v2/things/42/parts?limit=2",
            "/api/get/things/id/parts",
        ),
    ] {
        assert_eq!(first(&index, query), expected, "{query}");
    }
}

/// Of operations that a path names alike, addresses decide only where methods do not.
#[test]
fn operations_of_one_path_are_found_in_the_order_of_their_methods() {
    let operation = |method: &str, route: &str| {
        let mut page = page(route, "Operation", &[("", "Things of the shop.")]);
        page.names = vec![method.to_owned(), "/things/{id}".to_owned()];
        page
    };
    let pages = [
        operation("DELETE", "/api/a"),
        operation("PATCH", "/api/b"),
        operation("PURGE", "/api/c"),
        operation("PUT", "/api/d"),
        operation("GET", "/api/e"),
        operation("POST", "/api/f"),
    ];
    let index = index(&pages);
    for query in ["/things/{id}", "/things/8f14"] {
        let found = routes(&index, query);
        let expected = ["/api/e", "/api/f", "/api/d", "/api/b", "/api/a", "/api/c"];
        assert_eq!(found, expected, "{query}");
    }
    assert_eq!(routes(&index, "things")[0], "/api/a");
}

#[test]
fn guides_rank_above_reference_pages() {
    // Alike but for what they are: of equals the first address is first.
    let text = "Webhooks tell of what happens.";
    let mut reference = page("/api", "Events", &[("", text)]);
    reference.kind = PageKind::Operation;
    let index = index(&[reference, page("/guide", "Events", &[("", text)])]);
    assert_eq!(first(&index, "webhooks tell"), "/guide");
    assert_eq!(first(&index, "webhooks tell reference"), "/api");
    assert_eq!(first(&index, "webhooks tell endpoint"), "/api");
}

#[test]
fn a_page_with_all_words_comes_before_one_that_repeats_some() {
    let repeated = "token token token token token token token token";
    let pages = [
        page(
            "/all",
            "First",
            &[("", "The token of a session expires after a while of rest.")],
        ),
        page("/one", "Second", &[("", repeated)]),
        page(
            "/other",
            "Third",
            &[("", "A session is a visit of one reader.")],
        ),
    ];
    assert_eq!(first(&index(&pages), "session token expires"), "/all");
}
