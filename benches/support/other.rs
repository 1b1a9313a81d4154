//! Answers with the vectors of an endpoint: of `QUIRE_EMBEDDER_URL`, whose model is `QUIRE_EMBEDDER_MODEL`.

use std::collections::HashMap;
use std::sync::Arc;

use queries::content::ContentHash;
use queries::search::embed::Embedder;
use queries::search::passage_texts;
use quire::embedder::endpoint::Endpoint;
use quire::index::others::{Given, Other};
use quire::index::vectors::Vector;
use quire::index::{Changed, Changes, Index, Options, Question};
use quire::settings::EmbedderSettings;

use crate::engines::DEPTH;
use crate::judged::{self, Figures, JudgedSite};

/// How many texts are sent at once.
const BATCH: usize = 64;

/// A name and the figures of each kind of question.
type Row = (&'static str, std::collections::BTreeMap<String, Figures>);

/// How well questions are answered by words and the vectors of the endpoint, and by those alone; nothing without one.
pub(crate) fn rows(site: &JudgedSite) -> Vec<Row> {
    let variable = |name: &str| std::env::var(name).ok();
    let (Some(url), Some(model)) = (
        variable("QUIRE_EMBEDDER_URL"),
        variable("QUIRE_EMBEDDER_MODEL"),
    ) else {
        return Vec::new();
    };
    let settings = EmbedderSettings {
        private: true,
        ..EmbedderSettings::new(&url, &model)
    };
    let endpoint = Endpoint::new(&settings).expect("settings");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.expect("a runtime");
    let embed = |texts: &[String]| -> Vec<Vector> {
        let batches = texts.chunks(BATCH);
        let vectors = batches.flat_map(|batch| {
            let vectors = runtime.block_on(endpoint.embed(batch));
            vectors.expect("the endpoint answers")
        });
        vectors.collect()
    };
    let index = index(site, &embed);
    let asked: Vec<String> = (site.questions.iter())
        .map(|question| question.query.clone())
        .collect();
    let asked: HashMap<String, Vector> = asked.iter().cloned().zip(embed(&asked)).collect();
    let answers = |query: &str, words: &str| {
        let own = Embedder::built_in().embed(query);
        let answer = index.search(&Question {
            query: words,
            semantic: Some(&own),
            other: Some((&model, &asked[query])),
            limit: DEPTH,
            ..Question::default()
        });
        assert!(answer.embedder.is_some() || answer.results.is_empty());
        let found = answer.results.into_iter();
        found.map(|hit| hit.url.as_str().to_owned()).collect()
    };
    let alone = judged::figures(&site.questions, |query| answers(query, ""));
    let both = judged::figures(&site.questions, |query| answers(query, query));
    vec![("endpoint", alone), ("both, endpoint", both)]
}

/// The index of a site, all of whose passages have vectors of the endpoint.
fn index(site: &JudgedSite, embed: &dyn Fn(&[String]) -> Vec<Vector>) -> Index {
    let options = Options {
        other: Some(Other::default()),
        ..Options::default()
    };
    let index = Index::open(None, options).expect("an index");
    let changed = site.documents.iter().map(|document| Changed {
        digest: ContentHash::of(&serde_json::to_vec(document).expect("json")),
        document: Arc::new(document.clone()),
    });
    let changed: Vec<Changed> = changed.collect();
    let changes = Changes {
        gone: &[],
        changed: &changed,
    };
    let own = |document: &queries::search::SearchDocument, i: usize| {
        site.vectors[document.route.as_str()][i].clone()
    };
    index.follow(&changes, own).expect("followed");
    let mut given = Given::new();
    for document in &site.documents {
        let texts = document.passages.iter();
        let texts: Vec<Vec<String>> = texts
            .map(|passage| passage_texts(&document.title, passage))
            .collect();
        let mut vectors = embed(&texts.concat()).into_iter();
        for (passage, texts) in document.passages.iter().zip(&texts) {
            let of_passage = vectors.by_ref().take(texts.len()).collect();
            given.insert(passage.digest(&document.title), of_passage);
        }
    }
    let routes = site.documents.iter().map(|document| &document.route);
    index.give(routes, &given).expect("given");
    assert_eq!(index.complete(), site.documents.len());
    index
}
