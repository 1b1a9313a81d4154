//! Search: how good answers are and how long they take.
//!
//! `cargo bench --bench index -- [quality] [latency] [answers] [fresh] [model] [sites] [worst] [left-out] [languages]
//! [confidence]`: without a name, the first two. `quality` asks real sites the questions of the corpus and prints a table;
//! `latency` measures answers, edits, builds and memory on sites made of the same pages, `answers` only answers (of a site of
//! `QUIRE_PASSAGES` passages, to one client with `QUIRE_ALONE=1`); `fresh` writes files
//! of a site and asks the program about each; `model` is what a model in a folder costs; `sites` asks all sites with all
//! engines, `worst` also prints the questions that are answered worst; `left-out` chooses weights on all sites but one and
//! judges that one; `languages` asks translated sites for their titles and headings; `confidence` fits how sure answers are.

#![allow(clippy::print_stdout, reason = "figures for who measures")]
#![allow(dead_code, reason = "parts of the tests are shared")]

#[path = "support/confidence.rs"]
mod confidence;
#[path = "support/embedder.rs"]
mod embedder;
#[path = "../tests/shell/search/engines.rs"]
mod engines;
#[path = "../tests/shell/search/exact.rs"]
mod exact;
#[path = "support/fresh.rs"]
mod fresh;
#[path = "support/mod.rs"]
mod generated;
#[path = "../tests/shell/search/intervals.rs"]
mod intervals;
#[path = "../tests/shell/search/judged.rs"]
mod judged;
#[path = "support/languages.rs"]
mod languages;
#[path = "support/latency.rs"]
mod latency;
#[path = "support/left_out.rs"]
mod left_out;
#[path = "../tests/shell/search/meanings.rs"]
mod meanings;
#[path = "support/model.rs"]
mod model;
#[path = "../tests/shell/search/nonsense.rs"]
mod nonsense;
#[path = "../tests/shell/search/off_topic.rs"]
mod off_topic;
#[path = "support/other.rs"]
mod other;
#[path = "support/peers.rs"]
mod peers;
#[path = "../tests/shell/search/questions.rs"]
mod questions;
#[path = "support/sites.rs"]
mod sites;

use std::collections::BTreeMap;

use engines::DEPTH;
use generated::random_numbers;
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
    let is_worst = names.iter().any(|name| name == "worst");
    if is_worst || names.iter().any(|name| name == "sites") {
        sites::sites(is_worst);
    }
    if names.iter().any(|name| name == "left-out") {
        left_out::left_out();
    }
    if names.iter().any(|name| name == "confidence") {
        confidence::confidence();
    }
    if names.iter().any(|name| name == "languages") {
        languages::languages();
    }
    if wanted("latency") {
        latency::latency(&meanings);
    }
    if names.iter().any(|name| name == "answers") {
        latency::all_answers(&meanings);
    }
    if names.iter().any(|name| name == "fresh") {
        fresh::fresh();
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
