//! Documents made up for tests, and the index that holds them.

use std::sync::Arc;

use queries::base::content::ContentHash;
use queries::base::path::Route;
use queries::search::{Facets, PageKind, Passage, SearchDocument};
use quire_search::index::{Answer, ChangedPage, Changes, Embedding, Index, Options, Question};

use crate::random_numbers::Random;

/// A page with a passage for each of `passages`: heading, prose. An empty heading is what stands before the first.
pub(super) fn page(route: &str, title: &str, passages: &[(&str, &str)]) -> SearchDocument {
    let passages = passages
        .iter()
        .enumerate()
        .map(|(i, (heading, body))| Passage {
            anchor: (!heading.is_empty()).then(|| format!("passage-{i}")),
            headings: if heading.is_empty() {
                Vec::new()
            } else {
                vec![(*heading).to_owned()]
            },
            body: (*body).to_owned(),
            code: String::new(),
        });
    SearchDocument {
        route: Route::new(route).expect("a route"),
        title: title.to_owned(),
        description: String::new(),
        keywords: Vec::new(),
        facets: Facets::default(),
        kind: PageKind::default(),
        leads_to: None,
        boost: 1000,
        names: Vec::new(),
        passages: passages.collect(),
    }
}

/// `document` as it is told to an index.
pub(super) fn changed(document: &SearchDocument) -> ChangedPage {
    let digest = ContentHash::of(&serde_json::to_vec(document).expect("json"));
    ChangedPage {
        digest,
        document: Arc::new(document.clone()),
    }
}

/// Tells `index` of pages that are new or another.
pub(super) fn follow(index: &Index, documents: &[SearchDocument]) {
    let changed: Vec<ChangedPage> = documents.iter().map(changed).collect();
    index
        .follow(
            &Changes {
                gone: &[],
                changed: &changed,
            },
            embed,
        )
        .expect("followed");
}

/// An index in memory that holds `documents`.
pub(super) fn index(documents: &[SearchDocument]) -> Index {
    let index = Index::open(None, Options::default()).expect("an index");
    follow(&index, documents);
    index
}

/// The answer to `query` by words.
pub(super) fn ask(index: &Index, query: &str) -> Answer {
    index.search(&Question {
        query,
        limit: 50,
        ..Question::default()
    })
}

/// The routes that answer `query`, best first.
pub(super) fn routes(index: &Index, query: &str) -> Vec<String> {
    let found = ask(index, query).results;
    found
        .into_iter()
        .map(|hit| hit.url.as_str().to_owned())
        .collect()
}

/// A vector for a text: texts with the same words have nearly the same.
pub(super) fn embedding(text: &str) -> Embedding {
    let mut sum = [0_i32; 256];
    for word in text.split_whitespace() {
        let seed = ContentHash::of(word.to_lowercase().as_bytes()).as_bytes()[0];
        let mut random = Random::new(u64::from(seed));
        sum.iter_mut()
            .for_each(|number| *number += random.below(255) as i32 - 127);
    }
    let most = sum
        .iter()
        .map(|number| number.abs())
        .max()
        .unwrap_or(1)
        .max(1);
    let vector = sum.map(|number| (number * 127 / most) as i8);
    let square: i32 = vector
        .iter()
        .map(|number| i32::from(*number) * i32::from(*number))
        .sum();
    Embedding {
        vector,
        norm: (square as f32).sqrt(),
    }
}

/// The vectors of a passage.
pub(super) fn embed(document: &SearchDocument, passage: usize) -> Vec<Embedding> {
    let passage = &document.passages[passage];
    vec![embedding(&format!("{} {}", document.title, passage.body))]
}
