//! The assistant: how good and how quick answers without a model are.
//!
//! `cargo bench --bench answers -- [show]`: asks three real sites (or `QUIRE_SITES=a,b`) the pairs of
//! `tests/shell/assistant/pairs.rs`, what no documentation answers and what the product does not have; `show` prints answers.

#![allow(clippy::print_stdout, reason = "figures for who measures")]
#![allow(dead_code, reason = "parts of the tests are shared")]

#[path = "../tests/shell/assistant/asked.rs"]
mod asked;
#[path = "../tests/shell/search/off_topic.rs"]
mod off_topic;
#[path = "../tests/shell/assistant/pairs.rs"]
mod pairs;

use std::path::PathBuf;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let is_shown = std::env::args().any(|name| name == "show");
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let shared = std::env::var_os("QUIRE_SHARED").map_or_else(beside, PathBuf::from);
    let sites = shared.join("corpus/sites");
    if !sites.exists() {
        println!("no corpus: set QUIRE_SHARED");
        return;
    }
    let wanted = std::env::var("QUIRE_SITES").unwrap_or_else(|_| "trigger,mem0,polar".to_owned());
    for name in wanted.split(',') {
        let site = asked::Site::open(&sites.join(name));
        let figures = site.figures();
        println!("{name}: {figures}");
        if is_shown {
            show(&site);
        }
    }
}

/// Prints some answers, and what was answered and refused wrongly or nearly so.
fn show(site: &asked::Site) {
    let step = site.pairs.len().div_ceil(10).max(1);
    for pair in site.pairs.iter().step_by(step) {
        let reply = site.ask(&pair.question);
        println!(
            "\n--- {} ({}, wanted {}#{}, {:.2})\n{}",
            pair.question, pair.kind, pair.route, pair.anchor, reply.confidence, reply.text
        );
    }
    for (kind, questions) in [
        (
            "lacking",
            site.lacking
                .iter()
                .map(String::as_str)
                .collect::<Vec<&str>>(),
        ),
        ("off topic", off_topic::OFF_TOPIC.to_vec()),
    ] {
        let replies = questions
            .iter()
            .map(|question| (site.ask(question), question));
        let mut surest: Vec<_> = replies.collect();
        surest.sort_by(|(a, _), (b, _)| b.confidence.total_cmp(&a.confidence));
        for (reply, question) in surest.iter().take(8) {
            println!("{kind} {:.2}: {question}", reply.confidence);
        }
    }
    for pair in &site.pairs {
        let reply = site.ask(&pair.question);
        if !reply.is_answered {
            println!(
                "refused {:.2}: {} ({})",
                reply.confidence, pair.question, pair.route
            );
        }
    }
}
