//! Every site of the corpus, asked with every engine: ours by words, with vectors and as an export, and those that others
//! would take. Pages that hold the very text of a question do not count, for any of them.

use std::collections::BTreeMap;

use queries::site::Embedder;

use crate::engines::{self, DEPTH};
use crate::exact;
use crate::intervals::{Interval, interval};
use crate::judged::{self, JudgedQuestion, JudgedSite, SITES};
use crate::other::Other;
use crate::peers;

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

/// The engines: the floor, ours, those of others, and ours with the vectors of another model.
const ENGINES: [&str; 8] = [
    "4/2/1",
    "keyword",
    "fused",
    "export",
    "minisearch",
    "flexsearch",
    "pagefind",
    "other model",
];

/// The kinds of questions whose first answer nobody doubts.
const KINDS: [&str; 5] = ["title", "heading", "operation", "with values", "word"];

/// How many of the questions that are answered worst are printed.
const WORST: usize = 20;

/// What a site was asked, and the rankings of each engine.
struct SiteRankings {
    name: &'static str,
    pages: usize,
    questions: Vec<JudgedQuestion>,
    /// By engine: of each question, the nDCG and what it is made of.
    figures: BTreeMap<&'static str, Vec<judged::Figures>>,
    /// By engine: how many exact questions of a kind have their page first, and of how many.
    exact: BTreeMap<&'static str, BTreeMap<&'static str, (usize, usize)>>,
    /// The routes of the fused ranking for each question.
    fused: Vec<Vec<String>>,
}

impl SiteRankings {
    fn ndcg(&self, engine: &str) -> Vec<f64> {
        let figures = self.figures.get(engine).into_iter().flatten();
        figures.map(|one| one.ndcg).collect()
    }

    /// How much better the fused ranking answers each question than `engine` does.
    fn gains(&self, engine: &str) -> Vec<f64> {
        let fused = self.ndcg("fused").into_iter().zip(self.ndcg(engine));
        fused.map(|(fused, other)| fused - other).collect()
    }
}

/// The sites that are asked, one after the other; none, and says so, without a corpus.
pub(crate) fn wanted() -> impl Iterator<Item = (&'static str, JudgedSite)> {
    if judged::corpus().is_none() {
        println!("no corpus: set QUIRE_SHARED");
    }
    let only = std::env::var("QUIRE_SITES").unwrap_or_default();
    let names = SITES.into_iter().chain(OTHERS);
    let names =
        names.filter(move |name| only.is_empty() || only.split(',').any(|one| one == *name));
    names.filter_map(|name| {
        let site = match SITES.contains(&name) {
            true => judged::site(name),
            false => judged::made_site(name),
        };
        Some((name, site?))
    })
}

/// Asks all sites, or those of `QUIRE_SITES`, and prints the tables.
pub(crate) fn sites(is_worst: bool) {
    let mut all = Vec::new();
    for (name, site) in wanted() {
        let asked = asked(name, site);
        print_site(&asked);
        all.push(asked);
    }
    print_means(&all);
    if is_worst {
        print_worst(&all);
    }
}

fn asked(name: &'static str, site: JudgedSite) -> SiteRankings {
    let index = judged::index(&site);
    let boosted = engines::title_boosted(&site.documents);
    let vector = |query: &str| Embedder::built_in().embed(query);
    let by_words = |query: &str| judged::routes(&index, query, None, DEPTH);
    let fused = |query: &str| judged::routes(&index, query, Some(&vector(query)), DEPTH);
    let rankings = |rank: &dyn Fn(&str) -> Vec<String>| -> Vec<Vec<String>> {
        let questions = site.questions.iter();
        questions.map(|question| rank(&question.query)).collect()
    };
    let probes = exact::probes(&site.documents);
    let typed: Vec<String> = probes.iter().map(|probe| probe.query.clone()).collect();
    let mut found: BTreeMap<&'static str, Vec<Vec<String>>> = BTreeMap::new();
    found.insert("4/2/1", rankings(&|query| boosted.weighted(query)));
    found.insert("keyword", rankings(&by_words));
    found.insert("fused", rankings(&fused));
    let mut of_peers = peers::rankings(&site, &typed);
    for engine in peers::ENGINES {
        if let Some(of_peer) = of_peers.remove(engine) {
            found.insert(engine, of_peer);
        }
    }
    match Other::of(&site) {
        Some(other) => {
            let routes = rankings(&|query| other.routes(query, query));
            found.insert("other model", routes);
        }
        None => println!(
            "SKIPPED other model: `--features bert` and QUIRE_EMBEDDER_FOLDER, a model of the BERT family"
        ),
    }
    let figures = found.iter().map(|(engine, rankings)| {
        let each = site.questions.iter().zip(rankings);
        let figures = each.map(|(question, ranking)| judged::figures_of(question, ranking));
        (*engine, figures.collect())
    });
    let mut exact = BTreeMap::from([
        (
            "4/2/1",
            exact::kept(&probes, |query| boosted.weighted(query)),
        ),
        ("keyword", exact::kept(&probes, by_words)),
        ("fused", exact::kept(&probes, fused)),
    ]);
    if let Some(of_probes) = of_peers.remove("export probes") {
        let of_probe: BTreeMap<String, Vec<String>> = typed.into_iter().zip(of_probes).collect();
        let kept = exact::kept(&probes, |query| of_probe[query].clone());
        exact.insert("export", kept);
    }
    SiteRankings {
        name,
        pages: site.documents.len(),
        figures: figures.collect(),
        exact,
        fused: found.remove("fused").unwrap_or_default(),
        questions: site.questions,
    }
}

fn shown(Interval { mean, low, high }: Interval) -> String {
    format!("{mean:.3} [{low:.3}, {high:.3}]")
}

fn print_site(asked: &SiteRankings) {
    println!(
        "\n{}: {} pages, {} questions",
        asked.name,
        asked.pages,
        asked.questions.len()
    );
    println!(
        "| engine | nDCG@10 | MRR@10 | recall@10 | {} |",
        KINDS.join(" | ")
    );
    println!("|---|---|---|---|{}", "---|".repeat(KINDS.len()));
    for engine in ENGINES {
        let Some(figures) = asked.figures.get(engine) else {
            continue;
        };
        let mean = |of: fn(&judged::Figures) -> f64| {
            figures.iter().map(of).sum::<f64>() / figures.len().max(1) as f64
        };
        let exact = KINDS.map(|kind| {
            let kept = asked.exact.get(engine).and_then(|kept| kept.get(kind));
            kept.map_or("-".to_owned(), |(is, all)| {
                format!("{:.2} of {all}", *is as f64 / *all as f64)
            })
        });
        println!(
            "| {engine} | {} | {:.3} | {:.3} | {} |",
            shown(interval(&[&asked.ndcg(engine)])),
            mean(|one| one.mrr),
            mean(|one| one.recall),
            exact.join(" | ")
        );
    }
    println!(
        "fused − 4/2/1: {}",
        shown(interval(&[&asked.gains("4/2/1")]))
    );
}

/// The nDCG of all sites in one table, and the means of the sites.
fn print_means(all: &[SiteRankings]) {
    println!(
        "\n| site | pages | questions | {} | fused − 4/2/1 |",
        ENGINES.join(" | ")
    );
    println!("|---|---|---|{}---|", "---|".repeat(ENGINES.len()));
    for asked in all {
        let figures = ENGINES.map(|engine| match asked.figures.contains_key(engine) {
            true => format!("{:.3}", interval(&[&asked.ndcg(engine)]).mean),
            false => "-".to_owned(),
        });
        println!(
            "| {} | {} | {} | {} | {} |",
            asked.name,
            asked.pages,
            asked.questions.len(),
            figures.join(" | "),
            shown(interval(&[&asked.gains("4/2/1")]))
        );
    }
    let over_sites = |of: &dyn Fn(&SiteRankings) -> Vec<f64>| {
        let values: Vec<Vec<f64>> = all.iter().map(of).collect();
        let values: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
        interval(&values)
    };
    println!("\nmeans of the sites, with 95 % of 1,000 draws of questions:");
    for engine in ENGINES {
        let has = all
            .iter()
            .filter(|asked| asked.figures.contains_key(engine));
        if has.count() < all.len() {
            continue;
        }
        println!(
            "{engine:12} {}",
            shown(over_sites(&|asked| asked.ndcg(engine)))
        );
        if engine != "fused" {
            let gains = over_sites(&|asked| asked.gains(engine));
            println!("             fused is better by {}", shown(gains));
        }
    }
}

/// The questions that are answered worst, of every site in turn, with what is found instead.
fn print_worst(all: &[SiteRankings]) {
    let mut of_sites: Vec<_> = all
        .iter()
        .map(|asked| {
            let mut worst: Vec<(f64, usize)> = asked.ndcg("fused").into_iter().zip(0..).collect();
            worst.sort_by(|(a, i), (b, j)| a.total_cmp(b).then(i.cmp(j)));
            worst.into_iter().peekable()
        })
        .collect();
    println!("\nthe {WORST} questions that are answered worst:");
    let mut printed = 0;
    while printed < WORST {
        // Of those that are answered alike, one of each site before another of the same.
        let least = of_sites
            .iter_mut()
            .filter_map(|worst| Some(worst.peek()?.0));
        let Some(least) = least.min_by(f64::total_cmp) else {
            return;
        };
        for (asked, worst) in all.iter().zip(&mut of_sites) {
            let next = worst.next_if(|(ndcg, _)| *ndcg <= least);
            let Some((ndcg, place)) = next.filter(|_| printed < WORST) else {
                continue;
            };
            printed += 1;
            let question = &asked.questions[place];
            let found = question.counted(&asked.fused[place]).take(3);
            let found: Vec<&str> = found.map(String::as_str).collect();
            println!(
                "{printed}. {} {} {ndcg:.3}: {}\n   wanted {}\n   found {}",
                asked.name,
                question.kind,
                question.query,
                question.best().unwrap_or_default(),
                found.join(" ")
            );
        }
    }
}
