//! Vectors of real passages: what is left out by signs, where there are very many, is not missed.

use queries::base::path::Route;
use queries::search::SearchDocument;
use queries::site::Embedder;
use quire_search::index::vectors::nearest::Among;
use quire_search::index::vectors::{QueryVector, Vectors};
use quire_search::index::{Embedding, Index, Question};

use crate::random_numbers::Random;
use crate::search::invented::{embedding, index, page};
use crate::search::judged::{SITES, site};

/// How many questions of each site are asked.
const QUESTIONS: usize = 100;

/// Pages of the ten nearest that are among the ten nearest by signs too, of all that are.
fn recall(table: &Vectors, pages: usize, questions: &[String], keep: usize) -> f64 {
    let among = Among {
        numbers: pages,
        surely: &[],
        is_wanted: None,
    };
    let ten = |near: Vec<f32>| {
        let mut pages: Vec<usize> = (0..near.len()).filter(|page| near[*page] > 0.0).collect();
        pages.sort_by(|a, b| near[*b].total_cmp(&near[*a]).then(a.cmp(b)));
        pages.truncate(10);
        pages
    };
    let (mut all, mut found) = (0, 0);
    for question in questions {
        let asked = QueryVector::from(&Embedder::built_in().embed(question));
        let exact = ten(table.nearest_of_all(&asked, pages));
        let by_signs = ten(table.nearest_by_signs(&asked, &among, keep));
        all += exact.len();
        found += exact.iter().filter(|page| by_signs.contains(page)).count();
    }
    found as f64 / all as f64
}

#[test]
#[allow(clippy::print_stdout, reason = "figures for who chooses the share")]
fn hardly_any_of_the_nearest_pages_is_missed_by_signs() {
    let (mut table, mut pages, mut questions) = (Vectors::default(), 0, Vec::new());
    for name in SITES {
        let Some(site) = site(name) else {
            println!("no corpus: set QUIRE_SHARED");
            return;
        };
        let mut routes: Vec<&String> = site.vectors.keys().collect();
        routes.sort();
        for route in routes {
            let vectors: Vec<&Embedding> = site.vectors[route].iter().flatten().collect();
            for vector in vectors {
                table.insert(pages as u32, vector);
            }
            pages += 1;
        }
        let asked = site.questions.iter().map(|question| question.query.clone());
        questions.extend(asked.step_by((site.questions.len() / QUESTIONS).max(1)));
    }
    let count = table.count();
    assert!(count > 5_000, "{count}");
    // The least that are looked at, and the share, which is chosen for many more.
    let at_least = recall(&table, pages, &questions, 1_000);
    let share = recall(&table, pages, &questions, count / 50);
    println!(
        "{count} vectors, {} questions: 1,000 kept {at_least:.4}, one in fifty {share:.4}",
        questions.len()
    );
    assert!(at_least >= 0.99, "{at_least}");
    assert!(share >= 0.94, "{share}");
}

#[test]
fn few_vectors_are_compared_one_by_one() {
    let mut table = Vectors::default();
    let words = [
        "reset a password",
        "colors of the logo",
        "rotate keys",
        "prices",
    ];
    for (page, text) in words.iter().enumerate() {
        table.insert(page as u32, &Embedder::built_in().embed(text));
    }
    let asked = QueryVector::from(&Embedder::built_in().embed("forgot my login"));
    let among = Among {
        numbers: words.len(),
        surely: &[],
        is_wanted: Some(&|_| false),
    };
    let near = table.nearest(&asked, &among);
    assert_eq!(near, table.nearest_of_all(&asked, words.len()));
    assert!(near[0] > near[1]);
}

/// The addresses of the pages that answer `query`, with what they are worth.
fn found(
    index: &Index,
    query: &str,
    semantic: Option<&Embedding>,
    limit: usize,
) -> Vec<(Route, f32)> {
    let answer = index.search(&Question {
        query,
        semantic,
        limit,
        ..Question::default()
    });
    let hits = answer.results.into_iter();
    hits.map(|hit| (hit.url, hit.score)).collect()
}

#[test]
fn only_the_best_are_looked_at_and_they_are_the_best_of_all() {
    let random = &mut Random::new(11);
    let words = [
        "deploy", "server", "token", "cache", "stream", "queue", "worker", "schema",
    ];
    let documents: Vec<SearchDocument> = (0..120)
        .map(|i| {
            let text: Vec<&str> = (0..6).map(|_| words[random.below(words.len())]).collect();
            let mut page = page(&format!("/p-{i}"), text[0], &[("", &text.join(" "))]);
            page.boost = [1000, 1000, 3000, 500, 0][random.below(5)];
            page
        })
        .collect();
    // Without a page that is worth nothing the others are cut closer.
    let worth: Vec<SearchDocument> =
        (documents.iter().filter(|page| page.boost > 0).cloned()).collect();
    for documents in [documents, worth] {
        let index = index(&documents);
        let queries = ["zzqx deployed", "token", "caches streams", "zzqx"];
        for (query, is_semantic) in queries
            .iter()
            .flat_map(|query| [(*query, true), (*query, false)])
        {
            let meaning = embedding(&query.replace("zzqx ", ""));
            let ask = |limit| found(&index, query, is_semantic.then_some(&meaning), limit);
            let all = ask(1000);
            for limit in [1, 3, 10, 50] {
                assert_eq!(ask(limit), all[..limit.min(all.len())], "{query} {limit}");
            }
        }
    }
}

/// Title is worth more than what the others have of its words.
#[test]
fn a_page_with_the_title_of_the_question_is_looked_at_whatever_else_is_there() {
    let mut documents: Vec<SearchDocument> = (0..60)
        .map(|i| {
            let text = "A queue and its schema, and the schema of a queue.";
            page(&format!("/p-{i}"), "schema queue", &[("", text)])
        })
        .collect();
    documents.push(page(
        "/wanted",
        "Queue schema",
        &[("", "A queue and its schema, and the schema of a queue, in some more words than the others.")],
    ));
    let index = index(&documents);
    for is_semantic in [true, false] {
        let meaning = embedding("queue schema");
        let ask = |limit| {
            found(
                &index,
                "queue schema",
                is_semantic.then_some(&meaning),
                limit,
            )
        };
        let all = ask(1000);
        assert_eq!(ask(5), all[..5]);
        assert!(all[..5].iter().any(|(url, _)| url.as_str() == "/wanted"));
    }
}
