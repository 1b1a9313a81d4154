//! The assistant: how good and how quick answers without a model are.
//!
//! `cargo bench --bench answers -- [needs] [features] [show]`: asks three real sites (or `QUIRE_SITES=a,b`) the pairs of
//! `tests/shell/assistant/pairs.rs`, what no documentation answers and what the product does not have; `needs` asks six the
//! questions of `tests/shell/assistant/needs` instead, and `features` prints what speaks for each passage that is found for
//! them, tab-separated; `show` prints answers. The vectors are those of the program, or of the embedder that the environment
//! names (`support/embedder.rs`), kept in the folder `QUIRE_EMBEDDER_CACHE`.

#![allow(clippy::print_stdout, reason = "figures for who measures")]
#![allow(dead_code, reason = "parts of the tests are shared")]

#[path = "../tests/shell/assistant/asked.rs"]
mod asked;
#[path = "support/embedder.rs"]
mod embedder;
#[path = "../tests/shell/assistant/needs.rs"]
mod needs;
#[path = "../tests/shell/search/off_topic.rs"]
mod off_topic;
#[path = "../tests/shell/assistant/pairs.rs"]
mod pairs;

use std::path::PathBuf;
use std::sync::Arc;

use quire_assistant::{Conversation, retrieve};
use quire_search::embedder::{Embedder, Patience};
use quire_storage::directory::Directory;
use quire_storage::memory::Memory;
use quire_storage::store::embedding_cache::EmbeddingCache;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let is_asked = |wanted: &str| std::env::args().any(|name| name == wanted);
    let is_shown = is_asked("show");
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let shared = std::env::var_os("QUIRE_SHARED").map_or_else(beside, PathBuf::from);
    let sites = shared.join("corpus/sites");
    if !sites.exists() {
        println!("no corpus: set QUIRE_SHARED");
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    let other = embedder::settings().map(|settings| {
        let cache = match std::env::var_os("QUIRE_EMBEDDER_CACHE") {
            Some(folder) => EmbeddingCache::new(&Directory::new(folder.as_ref())),
            None => EmbeddingCache::new(&Memory::default()),
        };
        let handle = runtime.handle().clone();
        Embedder::new(&settings, Arc::new(cache), handle, Patience::short()).expect("an embedder")
    });
    if is_asked("needs") || is_asked("features") {
        return serve_needs(&sites, other.as_ref(), is_shown, is_asked("features"));
    }
    let wanted = std::env::var("QUIRE_SITES").unwrap_or_else(|_| "trigger,mem0,polar".to_owned());
    for name in wanted.split(',') {
        let site = asked::Site::open_with(&sites.join(name), other.clone());
        let figures = site.figures();
        println!("{name}: {figures}");
        if is_asked("confidences") {
            for (kind, questions) in [
                (
                    "pairs",
                    site.pairs
                        .iter()
                        .map(|pair| pair.question.as_str())
                        .collect::<Vec<_>>(),
                ),
                ("lacking", site.lacking.iter().map(String::as_str).collect()),
                ("off topic", off_topic::OFF_TOPIC.to_vec()),
            ] {
                let mut all: Vec<f32> = questions.iter().map(|q| site.ask(q).confidence).collect();
                all.sort_by(f32::total_cmp);
                let at = |share: usize| all[(all.len() - 1) * share / 100];
                println!(
                    "  {kind}: {:?}",
                    [0, 5, 10, 25, 50, 75, 90, 95, 100].map(at)
                );
            }
        }
        if is_shown {
            show(&site);
        }
    }
}

/// Asks the questions of people.
fn serve_needs(
    sites: &std::path::Path,
    other: Option<&Arc<Embedder>>,
    is_shown: bool,
    are_features: bool,
) {
    let mut all = Vec::new();
    for (name, text) in needs::SITES {
        let site = asked::Site::open_with(&sites.join(name), other.cloned());
        let needs = needs::needs(text);
        if are_features {
            features(&site, name, &needs);
            continue;
        }
        let served = needs::served(&site, &needs, |need, what, reply| {
            if is_shown {
                println!(
                    "\n### {name}: {}\n({what})\n\n{}",
                    need.question, reply.text
                );
            }
        });
        println!("{name:10} {served}");
        all.push(served);
    }
    if !all.is_empty() {
        println!("{:10} {}", "mean", mean(&all));
    }
}

/// Prints a line for every passage found for `needs`: the site, the question, whether the passage and its page
/// answer it, and what speaks for it.
fn features(site: &asked::Site, name: &str, needs: &[needs::Need]) {
    for (number, need) in needs.iter().enumerate() {
        let conversation = Conversation::of(need.question);
        let found = retrieve(&site.search, &conversation).expect("passages");
        for (place, passage) in found.passages.iter().enumerate() {
            let evidence = passage.evidence;
            let is_page = need
                .places
                .iter()
                .any(|(route, _)| *route == passage.url.href());
            println!(
                "{name}\t{number}\t{}\t{place}\t{}\t{}\t{:.4}\t{:.4}\t{}\t{:.4}\t{:.4}\t{:.4}\t{:.4}\t{:.4}\t{:.4}\t{:?}\t{}#{}\t{}",
                u8::from(!need.places.is_empty()),
                u8::from(need.is_answered_by(passage)),
                u8::from(is_page),
                passage.score,
                passage.confidence,
                passage.page_rank,
                passage.page_score,
                passage.own_score,
                evidence.words,
                evidence.coverage,
                evidence.title,
                evidence.near.unwrap_or(-1.0),
                passage.kind,
                passage.url.href(),
                passage.shown.anchor.as_deref().unwrap_or(""),
                need.question,
            );
        }
    }
}

/// The mean of several sites.
fn mean(all: &[needs::Served]) -> needs::Served {
    let of = |figure: fn(&needs::Served) -> f64| {
        all.iter().map(figure).sum::<f64>() / all.len().max(1) as f64
    };
    needs::Served {
        questions: all.iter().map(|one| one.questions).sum(),
        searched_page: of(|one| one.searched_page),
        page: of(|one| one.page),
        section_first: of(|one| one.section_first),
        section: of(|one| one.section),
        gain: of(|one| one.gain),
        key: of(|one| one.key),
        key_first: of(|one| one.key_first),
        lines: of(|one| one.lines),
        answered: of(|one| one.answered),
        partly: of(|one| one.partly),
        refused: of(|one| one.refused),
        lacking_unanswered: of(|one| one.lacking_unanswered),
        lacking_refused: of(|one| one.lacking_refused),
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
        if reply.answered == quire_assistant::Answered::Not {
            println!(
                "refused {:.2}: {} ({})",
                reply.confidence, pair.question, pair.route
            );
        }
    }
}
