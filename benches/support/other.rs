//! Answers with the vectors of another embedder (`embedder.rs`).

use std::collections::HashMap;
use std::sync::Arc;

use queries::base::content::ContentHash;
use queries::search::passage_texts;
use queries::site::Embedder;
use quire_search::embedder::source::{Kind, Source};
use quire_search::index::external::{External, PassageVectors};
use quire_search::index::vectors::Vector;
use quire_search::index::{ChangedPage, Changes, Index, Options, Question};

use crate::embedder;
use crate::engines::DEPTH;
use crate::judged::{self, Figures, JudgedSite};

/// How many texts are sent at once.
const BATCH: usize = 64;

/// A name and the figures of each kind of question.
type Row = (&'static str, std::collections::BTreeMap<String, Figures>);

/// How well questions are answered by words and those vectors, and by the vectors alone; nothing without them.
pub(crate) fn rows(site: &JudgedSite) -> Vec<Row> {
    let Some(other) = Other::of(site) else {
        return Vec::new();
    };
    let alone = judged::figures(&site.questions, |query| other.routes(query, ""));
    let both = judged::figures(&site.questions, |query| other.routes(query, query));
    vec![("other", alone), ("both, other", both)]
}

/// The index of a site with those vectors, and those of its questions.
pub(crate) struct Other {
    index: Index,
    model: String,
    asked: HashMap<String, Vector>,
}

impl Other {
    /// `None`: there is nothing that makes vectors.
    pub(crate) fn of(site: &JudgedSite) -> Option<Self> {
        let settings = embedder::settings()?;
        let source = Source::new(&settings).expect("settings");
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let runtime = runtime.expect("a runtime");
        let embed = |texts: &[String], kind: Kind| -> Vec<Vector> {
            let batches = texts.chunks(BATCH);
            let vectors = batches.flat_map(|batch| {
                let vectors = runtime.block_on(source.embed(batch, kind));
                vectors.expect("vectors")
            });
            vectors.collect()
        };
        let index = index(site, &|texts| embed(texts, Kind::Passage));
        let asked: Vec<String> = (site.questions.iter())
            .map(|question| question.query.clone())
            .collect();
        let vectors = embed(&asked, Kind::Question);
        Some(Self {
            index,
            model: settings.name(),
            asked: asked.into_iter().zip(vectors).collect(),
        })
    }

    /// The routes for a question of the site, of which `words` are looked for.
    pub(crate) fn routes(&self, query: &str, words: &str) -> Vec<String> {
        let own = Embedder::built_in().embed(query);
        let answer = self.index.search(&Question {
            query: words,
            semantic: Some(&own),
            other: Some((&self.model, &self.asked[query])),
            limit: DEPTH,
            ..Question::default()
        });
        assert!(answer.embedder.is_some() || answer.results.is_empty());
        let found = answer.results.into_iter();
        found.map(|hit| hit.url.as_str().to_owned()).collect()
    }
}

/// The index of a site, all of whose passages have vectors of the other model.
fn index(site: &JudgedSite, embed: &dyn Fn(&[String]) -> Vec<Vector>) -> Index {
    let options = Options {
        other: Some(External::default()),
        ..Options::default()
    };
    let index = Index::open(None, options).expect("an index");
    let changed = site.documents.iter().map(|document| ChangedPage {
        digest: ContentHash::of(&serde_json::to_vec(document).expect("json")),
        document: Arc::new(document.clone()),
    });
    let changed: Vec<ChangedPage> = changed.collect();
    let changes = Changes {
        gone: &[],
        changed: &changed,
    };
    let own = |document: &queries::search::SearchDocument, i: usize| {
        site.vectors[document.route.as_str()][i].clone()
    };
    index.follow(&changes, own).expect("followed");
    let mut given = PassageVectors::new();
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
    assert_eq!(index.pin().complete(), site.documents.len());
    index
}
