//! How sure answers are: the numbers of `src/search/src/index/confidence.rs`, fitted on the sites of the corpus. Questions of a site
//! are answered by it, those of other sites are not (some are all the same: what they cost is the same for every fit).
//! Each site is judged by numbers that were fitted without it.

use queries::site::Embedder;
use quire_search::index::confidence::{Evidence, FIGURES};

use crate::judged::{self, JudgedQuestion};
use crate::off_topic::OFF_TOPIC;
use crate::sites;

/// The most questions of a site that are asked, and of others that it is asked.
const MOST: usize = 300;
/// How many steps a fit takes; it stands still long before.
const STEPS: usize = 30;
/// What keeps numbers small that nothing speaks for.
const RIDGE: f64 = 1e-3;

/// What speaks for the best answer to a question, and whether the site answers it.
type Sample = ([f64; FIGURES], bool);

struct Site {
    name: &'static str,
    samples: Vec<Sample>,
    /// Questions that no site answers.
    off_topic: Vec<[f64; FIGURES]>,
}

/// Fits both sets of numbers, and prints them with how well they tell questions apart.
pub(crate) fn confidence() {
    let all: Vec<_> = sites::wanted().collect();
    for is_semantic in [false, true] {
        let questions: Vec<Vec<&JudgedQuestion>> = (all.iter())
            .map(|(_, site)| every(&site.questions, MOST))
            .collect();
        let sites = all.iter().enumerate().map(|(place, (name, site))| {
            let index = judged::index(site);
            let figures = |query: &str| {
                let vector = is_semantic.then(|| Embedder::built_in().embed(query));
                let evidence = judged::evidence(&index, query, vector.as_ref());
                figures(evidence.unwrap_or_default(), is_semantic)
            };
            let own = questions[place].iter();
            let mut samples: Vec<Sample> = own.map(|one| (figures(&one.query), true)).collect();
            let others = questions.iter().enumerate();
            let others = others.filter(|(other, _)| *other != place);
            let others: Vec<&JudgedQuestion> =
                others.flat_map(|(_, them)| them.iter().copied()).collect();
            let others = every(&others, samples.len());
            samples.extend(others.iter().map(|one| (figures(&one.query), false)));
            Site {
                name,
                samples,
                off_topic: OFF_TOPIC.iter().map(|query| figures(query)).collect(),
            }
        });
        print(&sites.collect::<Vec<Site>>(), is_semantic);
    }
}

fn print(sites: &[Site], is_semantic: bool) {
    println!(
        "{}\nsite | AUC, answered of own, refused of others, refused of everyday life",
        if is_semantic {
            "by meaning"
        } else {
            "by words"
        }
    );
    for (place, site) in sites.iter().enumerate() {
        let without = sites.iter().enumerate();
        let without = without.filter(|(other, _)| *other != place);
        let without = without.flat_map(|(_, other)| &other.samples);
        let weights = fitted(&without.copied().collect::<Vec<Sample>>());
        let score = |figures: &[f64; FIGURES]| product(figures, &weights);
        let share =
            |of: Vec<bool>| of.iter().filter(|is| **is).count() as f64 / of.len().max(1) as f64;
        let answered = |wanted: bool| {
            let them = site.samples.iter().filter(|(_, is)| *is == wanted);
            share(
                them.map(|(figures, is)| (score(figures) > 0.0) == *is)
                    .collect(),
            )
        };
        let refused = site.off_topic.iter().map(|figures| score(figures) <= 0.0);
        println!(
            "{} | {:.3} {:.2} {:.2} {:.2}",
            site.name,
            area(&site.samples, score),
            answered(true),
            answered(false),
            share(refused.collect())
        );
    }
    let all: Vec<Sample> = sites.iter().flat_map(|site| site.samples.clone()).collect();
    println!("fitted on all: {:.3?}", fitted(&all));
}

fn figures(evidence: Evidence, is_semantic: bool) -> [f64; FIGURES] {
    let evidence = Evidence {
        near: evidence.near.filter(|_| is_semantic),
        ..evidence
    };
    evidence.figures().map(f64::from)
}

/// At most `most` of `all`, at even distances.
fn every<'a, T>(all: impl IntoIterator<Item = &'a T>, most: usize) -> Vec<&'a T> {
    let all: Vec<&T> = all.into_iter().collect();
    let step = all.len().div_ceil(most.max(1)).max(1);
    all.into_iter().step_by(step).collect()
}

fn product(figures: &[f64; FIGURES], weights: &[f64; FIGURES]) -> f64 {
    figures.iter().zip(weights).map(|(a, b)| a * b).sum()
}

/// How often a question that is answered has more than one that is not.
fn area(samples: &[Sample], score: impl Fn(&[f64; FIGURES]) -> f64) -> f64 {
    let of = |wanted: bool| {
        let them = samples.iter().filter(|(_, is)| *is == wanted);
        them.map(|(figures, _)| score(figures))
            .collect::<Vec<f64>>()
    };
    let (yes, no) = (of(true), of(false));
    let mut sum = 0.0;
    for a in &yes {
        for b in &no {
            sum += match a.total_cmp(b) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
        }
    }
    sum / (yes.len() * no.len()).max(1) as f64
}

/// The numbers of a logistic regression on `samples` (Newton's method).
fn fitted(samples: &[Sample]) -> [f64; FIGURES] {
    let mut weights = [0.0; FIGURES];
    for _ in 0..STEPS {
        let mut slope = weights.map(|weight| -RIDGE * weight);
        let mut bend = [[0.0; FIGURES]; FIGURES];
        for (i, row) in bend.iter_mut().enumerate() {
            row[i] = RIDGE;
        }
        for (figures, is) in samples {
            let likely = 1.0 / (1.0 + (-product(figures, &weights)).exp());
            let wrong = f64::from(u8::from(*is)) - likely;
            let spread = likely * (1.0 - likely);
            for i in 0..FIGURES {
                slope[i] += wrong * figures[i] / samples.len() as f64;
                for j in 0..FIGURES {
                    bend[i][j] += spread * figures[i] * figures[j] / samples.len() as f64;
                }
            }
        }
        let step = solved(bend, slope);
        for (weight, step) in weights.iter_mut().zip(step) {
            *weight += step;
        }
    }
    weights
}

/// The solution of a system of linear equations (Gauss).
fn solved(mut rows: [[f64; FIGURES]; FIGURES], mut right: [f64; FIGURES]) -> [f64; FIGURES] {
    for i in 0..FIGURES {
        let most = (i..FIGURES).max_by(|a, b| rows[*a][i].abs().total_cmp(&rows[*b][i].abs()));
        let most = most.expect("a row");
        rows.swap(i, most);
        right.swap(i, most);
        let (row, known) = (rows[i], right[i]);
        for (other, right) in rows.iter_mut().zip(&mut right).skip(i + 1) {
            let factor = other[i] / row[i];
            for (number, one) in other.iter_mut().zip(row) {
                *number -= factor * one;
            }
            *right -= factor * known;
        }
    }
    let mut solution = [0.0; FIGURES];
    for i in (0..FIGURES).rev() {
        let known: f64 = (i + 1..FIGURES).map(|j| rows[i][j] * solution[j]).sum();
        solution[i] = (right[i] - known) / rows[i][i];
    }
    solution
}
