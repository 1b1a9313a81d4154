//! Translated sites, asked for the titles and headings of their pages in each language: with and without a filter.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use queries::search::SearchDocument;
use queries::site::Embedder;
use quire_search::index::words::primary;
use quire_search::index::{Filter, Index, Question};

use crate::judged::{self, JudgedSite};

/// The sites with pages in several languages.
const SITES: [&str; 2] = ["mintlify", "crewai"];
/// The most questions in a language, taken at even distances.
const MOST: usize = 300;

/// Texts of one language, with the routes of the pages that have them.
type Texts = BTreeMap<String, BTreeSet<String>>;

/// Prints for each language how many of the questions have their page first, and within the first three.
pub(crate) fn languages() {
    println!(
        "site language questions | first, first three: without filter | with it | results in other languages under it"
    );
    for name in SITES {
        let Some(corpus) = judged::corpus() else {
            println!("no corpus: set QUIRE_SHARED");
            return;
        };
        let folder = corpus.join("sites").join(name);
        let (documents, vectors, _) = judged::documents(&folder, |_, _| true);
        let mut site = JudgedSite {
            documents,
            vectors,
            questions: Vec::new(),
        };
        // Versions are copies of each other.
        let mut versions: BTreeMap<Option<String>, usize> = BTreeMap::new();
        for document in &site.documents {
            *versions.entry(document.facets.version.clone()).or_default() += 1;
        }
        let largest = versions.into_iter().max_by_key(|(_, pages)| *pages);
        let largest = largest.and_then(|(version, _)| version);
        (site.documents).retain(|document| document.facets.version == largest);
        let languages = site
            .documents
            .iter()
            .map(|document| (document.route.as_str().to_owned(), language(document)));
        let languages: BTreeMap<String, String> = languages.collect();
        let mut texts: BTreeMap<String, Texts> = BTreeMap::new();
        for document in &site.documents {
            let of_language = texts.entry(language(document)).or_default();
            let headings = document.passages.iter();
            let headings = headings.filter_map(|passage| passage.headings.last());
            for text in headings.chain([&document.title]) {
                let route = document.route.as_str().to_owned();
                let text = text.replace(['`', '"'], "");
                of_language.entry(text).or_default().insert(route);
            }
        }
        let index = judged::index(&site);
        for (language, texts) in texts {
            let is_plain = |text: &String| text.chars().any(char::is_alphabetic);
            // A text of several pages has no first answer.
            let texts = texts
                .into_iter()
                .filter(|(text, routes)| routes.len() == 1 && is_plain(text));
            let texts: Vec<_> = texts.collect();
            let step = texts.len().div_ceil(MOST).max(1);
            let mut kept = [[0; 2]; 2];
            let (mut asked, mut all, mut of_others) = (0, 0, 0);
            for (text, routes) in texts.into_iter().step_by(step) {
                asked += 1;
                for (i, filter) in [None, Some(language.as_str())].into_iter().enumerate() {
                    let found = found(&index, &text, filter);
                    let place = found.iter().position(|route| routes.contains(route));
                    kept[i][0] += usize::from(place == Some(0));
                    kept[i][1] += usize::from(place.is_some_and(|place| place < 3));
                    if filter.is_some() {
                        all += found.len();
                        let others = found.iter().filter(|route| languages[*route] != language);
                        of_others += others.count();
                    }
                }
            }
            let [without, with] = kept.map(|kept| {
                let [first, three] = kept.map(|kept| kept as f64 / f64::from(asked));
                format!("{first:.3}, {three:.3}")
            });
            println!("{name} {language} {asked} | {without} | {with} | {of_others} of {all}");
        }
    }
    compounds();
}

/// Prints how long answers by words take on pages in English, and on the same pages if they were in a language with compounds:
/// those are looked for in all its words.
fn compounds() {
    let Some(mut site) = judged::site("mintlify") else {
        return;
    };
    for language in ["en", "de"] {
        for document in &mut site.documents {
            document.facets.language = Some(language.to_owned());
        }
        let index = judged::index(&site);
        let start = Instant::now();
        for question in &site.questions {
            index.search(&Question {
                query: &question.query,
                limit: 10,
                ..Question::default()
            });
        }
        let mean = start.elapsed() / site.questions.len() as u32;
        println!("by words, pages in {language}: {mean:?} for an answer");
    }
}

fn language(document: &SearchDocument) -> String {
    primary(document.facets.language.as_deref().unwrap_or("en"))
}

fn found(index: &Index, query: &str, language: Option<&str>) -> Vec<String> {
    let vector = Embedder::built_in().embed(query);
    let answer = index.search(&Question {
        query,
        semantic: Some(&vector),
        relevance_threshold: quire_search::index::relevance_threshold::relevance_threshold(query),
        limit: 10,
        filter: Filter {
            language: language.map(str::to_owned),
            ..Filter::default()
        },
        ..Question::default()
    });
    let found = answer.results.into_iter();
    found.map(|hit| hit.url.as_str().to_owned()).collect()
}
