//! Search: how good answers are and how long they take.
//!
//! `cargo bench --bench index -- [quality] [latency] [model]`: without a name, the first two. `quality` asks real sites the
//! questions of the corpus and prints a table; `latency` measures answers, edits, builds and memory on sites made of the
//! same pages; `model` is what a model in a folder costs.

#![allow(clippy::print_stdout, reason = "figures for who measures")]
#![allow(dead_code, reason = "parts of the tests are shared")]

#[path = "../tests/shell/search/engines.rs"]
mod engines;
#[path = "../tests/shell/search/exact.rs"]
mod exact;
#[path = "../tests/shell/search/judged.rs"]
mod judged;
#[path = "support/latency.rs"]
mod latency;
#[path = "../tests/shell/search/meanings.rs"]
mod meanings;
#[path = "support/model.rs"]
mod model;
#[path = "../tests/shell/search/nonsense.rs"]
mod nonsense;
#[path = "support/other.rs"]
mod other;
#[path = "../tests/shell/search/questions.rs"]
mod questions;
#[path = "../tests/random_numbers.rs"]
mod random_numbers;

use std::collections::BTreeMap;

use engines::DEPTH;
use judged::{Figures, JudgedSite, SITES};
use meanings::Meanings;
use queries::site::Embedder;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let names: Vec<String> = std::env::args()
        .skip(1)
        .filter(|name| !name.starts_with('-'))
        .collect();
    let wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    let meanings = Meanings;
    if wanted("quality") {
        quality();
    }
    if names.iter().any(|name| name == "sites") {
        sites();
    }
    if wanted("latency") {
        latency::latency(&meanings);
    }
    if names.iter().any(|name| name == "model") {
        match judged::site("mem0") {
            Some(site) => model::model(&site),
            None => println!("no corpus: set QUIRE_SHARED"),
        }
    }
}

fn quality() {
    let only = std::env::var("QUIRE_SITES").unwrap_or_default();
    for name in SITES {
        if !only.is_empty() && !only.contains(name) {
            continue;
        }
        let Some(site) = judged::site(name) else {
            println!("no corpus: set QUIRE_SHARED");
            return;
        };
        let passages: usize = site
            .documents
            .iter()
            .map(|document| document.passages.len())
            .sum();
        println!(
            "\n{name}: {} pages, {passages} passages, {} questions",
            site.documents.len(),
            site.questions.len()
        );
        for (engine, figures) in tables(&site) {
            print!("{engine:16}");
            for (kind, one) in figures {
                print!(" {kind} {:.3}", one.ndcg);
                if kind == "all" {
                    print!(" (mrr {:.3} r {:.3})", one.mrr, one.recall);
                }
            }
            println!();
        }
        let told = nonsense::told(&site, &judged::index(&site));
        println!(
            "by meaning alone  nonsense answered {} of {}, paraphrases kept {} of {}, questions kept {} of {}",
            told.answered, told.nonsense, told.kept, told.paraphrases, told.near, told.questions
        );
    }
}

/// The sites whose questions are made of their pages.
const OTHERS: [&str; 9] = [
    "continue",
    "crewai",
    "fastmcp",
    "mcp-use",
    "polar",
    "spree",
    "stagehand",
    "vocode",
    "x402",
];

/// Every site of the corpus, by words and with vectors, beside the weights that documentation sites use.
fn sites() {
    let only = std::env::var("QUIRE_SITES").unwrap_or_default();
    let given = SITES.into_iter().map(|name| (name, judged::site(name)));
    let made = OTHERS
        .into_iter()
        .map(|name| (name, judged::made_site(name)));
    println!(
        "site pages questions | 4/2/1 keyword fused | first: title heading operation, values, word | the same by words"
    );
    let (mut sum, mut count) = ([0.0; 3], 0.0);
    for (name, site) in given.chain(made) {
        let Some(site) = site.filter(|_| only.is_empty() || only.contains(name)) else {
            continue;
        };
        let index = judged::index(&site);
        let boosted = engines::title_boosted(&site.documents);
        let vector = |query: &str| Embedder::built_in().embed(query);
        let by_words = |query: &str| judged::routes(&index, query, None, DEPTH);
        let fused = |query: &str| judged::routes(&index, query, Some(&vector(query)), DEPTH);
        let all =
            |figures: BTreeMap<String, Figures>| figures.get("all").map_or(0.0, |all| all.ndcg);
        let row = [
            all(judged::figures(&site.questions, |query| {
                boosted.weighted(query)
            })),
            all(judged::figures(&site.questions, by_words)),
            all(judged::figures(&site.questions, fused)),
        ];
        let probes = exact::probes(&site.documents);
        let shares = |kept: BTreeMap<&str, (usize, usize)>| {
            let kinds = ["title", "heading", "operation", "with values", "word"];
            let share = |kind| match kept.get(kind) {
                Some((is, all)) => format!("{:.2} of {all}", *is as f64 / *all as f64),
                None => "-".to_owned(),
            };
            kinds.map(share).join(", ")
        };
        println!(
            "{name} {} {} | {:.3} {:.3} {:.3} | {} | {}",
            site.documents.len(),
            site.questions.len(),
            row[0],
            row[1],
            row[2],
            shares(exact::kept(&probes, fused)),
            shares(exact::kept(&probes, by_words)),
        );
        for (sum, one) in sum.iter_mut().zip(row) {
            *sum += one;
        }
        count += 1.0;
    }
    println!(
        "mean {:.4} {:.4} {:.4}",
        sum[0] / count,
        sum[1] / count,
        sum[2] / count
    );
}

fn tables(site: &JudgedSite) -> Vec<(&'static str, BTreeMap<String, Figures>)> {
    let mut tables = Vec::new();
    if std::env::var("QUIRE_OURS").is_err() {
        let default = engines::by_default(&site.documents);
        tables.push((
            "tantivy default",
            judged::figures(&site.questions, |query| default.parsed(query)),
        ));
        let boosted = engines::title_boosted(&site.documents);
        tables.push((
            "title boosted",
            judged::figures(&site.questions, |query| boosted.weighted(query)),
        ));
    }
    let index = judged::index(site);
    tables.push((
        "keyword",
        judged::figures(&site.questions, |query| {
            judged::routes(&index, query, None, DEPTH)
        }),
    ));
    let semantic = |query: &str| Embedder::built_in().embed(query);
    let meanings = judged::figures(&site.questions, |query| {
        judged::routes(&index, "", Some(&semantic(query)), DEPTH)
    });
    tables.push(("vectors", meanings));
    let both = judged::figures(&site.questions, |query| {
        judged::routes(&index, query, Some(&semantic(query)), DEPTH)
    });
    tables.push(("both", both));
    tables.extend(other::rows(site));
    for with_vectors in [false, true] {
        let mut seed = 0;
        let typed = judged::figures(&site.questions, |query| {
            seed += 1;
            let query = judged::mistyped(query, seed).unwrap_or_else(|| query.to_owned());
            judged::routes(
                &index,
                &query,
                with_vectors.then(|| semantic(&query)).as_ref(),
                DEPTH,
            )
        });
        tables.push((
            if with_vectors {
                "both, typos"
            } else {
                "keyword, typos"
            },
            typed,
        ));
    }
    tables
}
