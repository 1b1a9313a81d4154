//! How much the weights know of the sites that they were chosen on: each site is left out in turn, weights are chosen on the
//! others, and the site that had no part in it is judged with them.

use queries::site::{Embedder, Embedding};
use quire_search::index::relevance_threshold::relevance_threshold;
use quire_search::index::weights::Weights;
use quire_search::index::{Index, Question};

use crate::engines::DEPTH;
use crate::judged;
use crate::sites;

/// What a meaning counts beside words, what a title counts that is about the question, and what a page is worth that has none
/// of it: the numbers that move the order most.
const GRID: [[f32; 3]; 3] = [[1.25, 1.6, 2.0], [0.1, 0.2, 0.35], [0.5, 0.6, 0.7]];

/// All weights that are tried; those of the program are the first.
fn tried() -> Vec<Weights> {
    let [meanings, titles, coverages] = GRID;
    let mut all = vec![Weights::default()];
    for meaning in meanings {
        for title in titles {
            for uncovered in coverages {
                all.push(Weights {
                    meaning,
                    title,
                    uncovered,
                    ..Weights::default()
                });
            }
        }
    }
    all
}

/// Prints for each site the figure with the weights of the program, and with those that are best on all others.
pub(crate) fn left_out() {
    let tried = tried();
    // By site: its figure with each of the weights.
    let mut figures: Vec<(&str, Vec<f64>)> = Vec::new();
    for (name, site) in sites::wanted() {
        let index = judged::index(&site);
        let asked: Vec<(&judged::JudgedQuestion, Embedding)> = (site.questions.iter())
            .map(|question| (question, Embedder::built_in().embed(&question.query)))
            .collect();
        let of_weights = tried.iter().map(|weights| {
            let each = asked.iter().map(|(question, vector)| {
                let ranking = ranking(&index, &question.query, vector, weights);
                judged::figures_of(question, &ranking).ndcg
            });
            each.sum::<f64>() / asked.len() as f64
        });
        figures.push((name, of_weights.collect()));
    }
    if figures.len() < 2 {
        println!("nothing is left out of less than two sites");
        return;
    }
    println!(
        "| site | weights of the program | chosen on the others | meaning, title, uncovered | best of all on it |"
    );
    println!("|---|---|---|---|---|");
    let (mut with_ours, mut with_chosen) = (0.0, 0.0);
    for (name, of_site) in &figures {
        let on_others = |place: usize| -> f64 {
            let others = figures.iter().filter(|(other, _)| other != name);
            others.map(|(_, of_other)| of_other[place]).sum()
        };
        let chosen =
            (0..tried.len()).fold(0, |best, place| match on_others(place) > on_others(best) {
                true => place,
                false => best,
            });
        let most = of_site.iter().copied().fold(0.0, f64::max);
        let weights = &tried[chosen];
        println!(
            "| {name} | {:.4} | {:.4} | {}, {}, {} | {most:.4} |",
            of_site[0], of_site[chosen], weights.meaning, weights.title, weights.uncovered
        );
        with_ours += of_site[0];
        with_chosen += of_site[chosen];
    }
    let count = figures.len() as f64;
    println!(
        "| mean | {:.4} | {:.4} | | |",
        with_ours / count,
        with_chosen / count
    );
}

fn ranking(index: &Index, query: &str, vector: &Embedding, weights: &Weights) -> Vec<String> {
    let answer = index.search(&Question {
        query,
        semantic: Some(vector),
        relevance_threshold: relevance_threshold(query),
        limit: DEPTH,
        weights,
        ..Question::default()
    });
    let found = answer.results.into_iter();
    found.map(|hit| hit.url.as_str().to_owned()).collect()
}
