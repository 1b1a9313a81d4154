//! Neither the order of edits nor what was merged when shows in an answer: the same pages have the same scores.

use std::collections::BTreeMap;

use queries::base::path::Route;
use queries::search::SearchDocument;
use quire_search::index::{Answer, Changes, Index, Options, Question};

use crate::random_numbers::Random;
use crate::search::invented::{changed, embed, embedding, follow, index, page};

const WORDS: &[&str] = &[
    "deploy",
    "deploying",
    "deployment",
    "server",
    "token",
    "config",
    "configure",
    "webhook",
    "retry",
    "retries",
    "cache",
    "caching",
    "user_id",
    "getUserById",
    "stream",
    "streaming",
    "queue",
    "worker",
    "the",
    "of",
    "schema",
    "secret",
];

fn sentence(random: &mut Random, length: usize) -> String {
    let words: Vec<&str> = (0..length)
        .map(|_| WORDS[random.below(WORDS.len())])
        .collect();
    words.join(" ")
}

fn document(random: &mut Random, route: usize) -> SearchDocument {
    let passages: Vec<(String, String)> = (0..random.below(5))
        .map(|i| {
            let words = random.below(3);
            let heading = if i == 0 {
                String::new()
            } else {
                sentence(random, words + 1)
            };
            let length = random.below(30);
            (heading, sentence(random, length))
        })
        .collect();
    let passages: Vec<(&str, &str)> = passages
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    let mut page = page(&format!("/page-{route}"), &sentence(random, 2), &passages);
    if random.below(4) == 0 {
        page.facets.language = Some(["fr", "de"][random.below(2)].to_owned());
    }
    page.description = if random.below(2) == 0 {
        sentence(random, 4)
    } else {
        String::new()
    };
    page
}

fn answers(index: &Index) -> Vec<Answer> {
    let queries = [
        "deploy",
        "conf",
        "webhok",
        "the",
        "retry server",
        "get user by id",
        "str",
        "cachng token queue",
        "user_id",
        "secret schema w",
    ];
    let vector = embedding("deploy the worker");
    let mut answers = Vec::new();
    for query in queries {
        for semantic in [None, Some(&vector)] {
            answers.push(index.search(&Question {
                query,
                semantic,
                limit: 50,
                sections: true,
                ..Question::default()
            }));
        }
    }
    answers
}

/// Two that change an index at the same time wait for each other, and neither takes back what the other did.
#[test]
fn changes_at_the_same_time_are_all_there() {
    const EDITS: usize = 40;
    let edited = |writer: usize, edit: usize| {
        let route = format!("/page-{writer}-{}", edit % 4);
        page(&route, "deploy", &[("", &format!("secret of edit {edit}"))])
    };
    let lived = index(&[]);
    std::thread::scope(|scope| {
        for writer in 0..2 {
            let lived = &lived;
            scope.spawn(move || (0..EDITS).for_each(|edit| follow(lived, &[edited(writer, edit)])));
        }
    });
    let last = (0..2).flat_map(|writer| (EDITS - 4..EDITS).map(move |edit| edited(writer, edit)));
    let fresh = index(&last.collect::<Vec<_>>());
    assert_eq!(lived.manifest(), fresh.manifest());
    assert_eq!(answers(&lived), answers(&fresh));
}

#[test]
fn scores_know_nothing_of_the_history() {
    let steps = std::env::var("QUIRE_RANDOM_STEPS")
        .ok()
        .and_then(|steps| steps.parse().ok())
        .unwrap_or(60);
    let seed = std::env::var("QUIRE_RANDOM_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or(1);
    let random = &mut Random::new(seed);
    let folder = tempfile::tempdir().expect("a folder");
    let open = || Index::open(Some(folder.path()), Options::default()).expect("an index");
    let mut lived = open();
    let mut pages: BTreeMap<Route, SearchDocument> = BTreeMap::new();
    let mut most_segments = 0;
    for step in 0..steps {
        let mut edits = Vec::new();
        let mut gone = Vec::new();
        for _ in 0..=random.below(3) {
            let document = {
                let route = random.below(40);
                document(random, route)
            };
            if random.below(4) == 0 {
                pages.remove(&document.route);
                gone.push(document.route);
            } else {
                edits.push(document);
            }
        }
        // What is told to be gone goes first, so a page that is also told to be new is there.
        for document in &edits {
            pages.insert(document.route.clone(), document.clone());
        }
        let changes: Vec<_> = edits.iter().map(changed).collect();
        lived
            .follow(
                &Changes {
                    gone: &gone,
                    changed: &changes,
                },
                embed,
            )
            .expect("followed");
        match random.below(8) {
            0 => lived.rest(),
            1 => {
                drop(lived);
                lived = open();
                assert_eq!(
                    lived.manifest().len(),
                    pages.len(),
                    "seed {seed} step {step}: nothing is lost"
                );
            }
            _ => {}
        }
        most_segments = most_segments.max(lived.segments().0);
        if step % 5 == 4 {
            let mut order: Vec<SearchDocument> = pages.values().cloned().collect();
            for i in (1..order.len()).rev() {
                order.swap(i, random.below(i + 1));
            }
            let fresh = index(&order);
            for (lived, fresh) in answers(&lived).into_iter().zip(answers(&fresh)) {
                assert_eq!(lived, fresh, "seed {seed} step {step}");
                let bits = |answer: &Answer| {
                    answer
                        .results
                        .iter()
                        .map(|hit| hit.score.to_bits())
                        .collect::<Vec<_>>()
                };
                assert_eq!(bits(&lived), bits(&fresh), "seed {seed} step {step}");
            }
            assert!(
                answers(&lived)
                    .iter()
                    .any(|answer| answer.results.len() > 3),
                "there is something to compare"
            );
        }
    }
    assert!((2..24).contains(&most_segments), "{most_segments} segments");
}
