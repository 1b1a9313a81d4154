//! What a model in a folder costs: how many passages it makes vectors of in a second, how long a question takes beside that
//! and alone, and how much memory there is.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use queries::search::passage_texts;
use quire_engine::meter::resident_bytes;
use quire_search::embedder::source::{Kind, Source};

use crate::embedder;
use crate::judged::JudgedSite;

/// About how many passages are taken.
const PASSAGES: usize = 1024;
/// How many questions are asked each time.
const QUESTIONS: usize = 200;

/// Measures the source that the environment names, on passages and questions of a site.
pub(crate) fn model(site: &JudgedSite) {
    let Some(settings) = embedder::settings() else {
        println!("no model: set QUIRE_EMBEDDER_FOLDER");
        return;
    };
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let before = resident_bytes();
    let source = Arc::new(Source::new(&settings).expect("settings"));
    let began = Instant::now();
    let first = ["a first question".to_owned()];
    let embedded = runtime.block_on(source.embed(&first, Kind::Question));
    embedded.expect("a vector");
    println!(
        "read and asked once in {:.2} s, {} MB more memory",
        began.elapsed().as_secs_f64(),
        (resident_bytes() - before) >> 20
    );
    let texts = site.documents.iter().map(|document| {
        let passages = document.passages.iter();
        let texts = passages.flat_map(|passage| passage_texts(&document.title, passage));
        texts.collect::<Vec<String>>()
    });
    let texts: Vec<Vec<String>> = texts.collect();
    // Pages from all over the site: those of one part are alike.
    let stride = texts.iter().map(Vec::len).sum::<usize>() / PASSAGES + 1;
    let pages: Vec<&Vec<String>> = texts.iter().step_by(stride).collect();
    // As a site asks for them: a text that stands twice once.
    let passages: BTreeSet<&String> = pages.iter().copied().flatten().collect();
    let passages: Vec<String> = passages.into_iter().cloned().collect();
    let questions = site.questions.iter().map(|question| question.query.clone());
    let questions: Vec<String> = questions.cycle().take(QUESTIONS).collect();
    let ask = || {
        let mut times: Vec<Duration> = Vec::new();
        for question in &questions {
            let began = Instant::now();
            let embedded = source.embed(std::slice::from_ref(question), Kind::Question);
            runtime.block_on(embedded).expect("a vector");
            times.push(began.elapsed());
        }
        times.sort();
        let at = |part: f64| times[(times.len() as f64 * part) as usize].as_secs_f64() * 1000.0;
        format!(
            "p50 {:.1} ms, p90 {:.1} ms, p99 {:.1} ms",
            at(0.5),
            at(0.9),
            at(0.99)
        )
    };
    println!("questions alone: {}", ask());
    let (began, processor) = (Instant::now(), processor_seconds());
    for batch in passages.chunks(settings.batch) {
        let embedded = source.embed(batch, Kind::Passage);
        runtime.block_on(embedded).expect("vectors");
    }
    let took = began.elapsed().as_secs_f64();
    let processor = processor_seconds() - processor;
    println!(
        "{} passages of {} letters each: {:.1} a second, {:.1} a second of a processor, {} MB of memory",
        passages.len(),
        passages.iter().map(String::len).sum::<usize>() / passages.len().max(1),
        passages.len() as f64 / took,
        passages.len() as f64 / processor,
        resident_bytes() >> 20
    );
    println!(
        "of {} pages, {:.1} passages each: {:.1} CPU s for 1,000",
        pages.len(),
        passages.len() as f64 / pages.len() as f64,
        processor * 1000.0 / pages.len() as f64
    );
    let is_done = Arc::new(AtomicBool::new(false));
    let (beside, until) = (source.clone(), is_done.clone());
    let batch = settings.batch;
    runtime.spawn(async move {
        for batch in passages.chunks(batch).cycle() {
            if until.load(Ordering::Relaxed) {
                return;
            }
            beside.embed(batch, Kind::Passage).await.expect("vectors");
        }
    });
    println!("questions beside passages: {}", ask());
    is_done.store(true, Ordering::Relaxed);
}

/// Time on processors of this process, in seconds: ticks of a hundredth.
fn processor_seconds() -> f64 {
    let status = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = status.rsplit(") ").next().unwrap_or_default().split(' ');
    let ticks = fields
        .skip(11)
        .take(2)
        .filter_map(|ticks| ticks.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}
