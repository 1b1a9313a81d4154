//! Gives passages their vectors: those in the embedding cache at once, the others as they are made.
//!
//! A text is paid for once. Who asks for one claims it, so that another site that has the same text waits and finds it in
//! the cache; what an end cuts off is in the cache up to the last batch.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use queries::base::content::ContentHash;
use queries::base::path::Route;
use tokio::task::JoinSet;

use super::source::{Fault, Kind};
use super::{Embedder, Passages};
use crate::index::external::{Lacking, PassageVectors};
use crate::index::vectors::Vector;
use quire_storage::store::embedding_cache::vector_key;

/// Number of pages embedded at a time: their vectors are searchable soon, and few texts are in
/// memory.
const PAGES: usize = 64;

/// Number of batches that may be refused in a row: beyond it the texts are not at fault, and the
/// others are not sent just to be refused as well.
const REFUSALS: u64 = 3;

/// Action after a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// Wait until something changes.
    Wait,
    /// Try again after a pause.
    Rest,
}

/// State kept from pass to pass.
#[derive(Default)]
struct PassState {
    /// Passages that are skipped because the endpoint refuses one of their texts.
    skipped: Arc<HashSet<ContentHash>>,
    /// Texts that the endpoint refuses; they are not sent again.
    given_up: HashSet<ContentHash>,
}

/// Gives vectors to `passages` whenever it is woken, until those are gone or the embedder is stopped.
pub(super) async fn run(passages: Weak<impl Passages>, embedder: Arc<Embedder>) {
    let mut stopped = embedder.stop_sender.subscribe();
    let work = async {
        let mut known = PassState::default();
        loop {
            let next = pass(&passages, &embedder, &mut known).await;
            if passages.strong_count() == 0 {
                return;
            }
            match next {
                Some(Next::Wait) => embedder.wake.notified().await,
                // What panicked may do so again.
                Some(Next::Rest) | None => tokio::select! {
                    () = (embedder.patience.sleep)(embedder.patience.rest) => {}
                    () = embedder.wake.notified() => {}
                },
            }
        }
    };
    tokio::select! {
        () = work => {}
        // The sender is gone only with the embedder.
        _ = stopped.wait_for(|stopped| *stopped) => {}
    }
}

/// Gives vectors to `passages` as far as the endpoint answers.
pub(super) async fn once(passages: &Arc<impl Passages>, embedder: &Arc<Embedder>) {
    pass(
        &Arc::downgrade(passages),
        embedder,
        &mut PassState::default(),
    )
    .await;
}

/// One pass over everything that lacks vectors; `None` if the passages are gone, or something panicked.
async fn pass(
    passages: &Weak<impl Passages>,
    embedder: &Arc<Embedder>,
    known: &mut PassState,
) -> Option<Next> {
    if embedder.ready().await.is_err() {
        return Some(Next::Rest);
    }
    let lacking = {
        let (passages, embedder) = (passages.upgrade()?, embedder.clone());
        let skipped = known.skipped.clone();
        run_blocking(move || from_shelf(&*passages, &embedder, &skipped)).await?
    };
    for pages in lacking.chunks(PAGES) {
        let (texts, missing) = {
            let (passages, embedder) = (passages.upgrade()?, embedder.clone());
            let pages = pages.to_vec();
            run_blocking(move || uncached_texts(&*passages, &embedder, &pages)).await?
        };
        let given_up = &mut known.given_up;
        let missing: BTreeMap<ContentHash, String> = (missing.into_iter())
            .filter(|(text, _)| !given_up.contains(text))
            .collect();
        let (at_hand, outcome) = ask(embedder, missing, given_up).await;
        let skipped = texts
            .iter()
            .filter(|(_, texts)| texts.iter().any(|text| given_up.contains(text)));
        Arc::make_mut(&mut known.skipped).extend(skipped.map(|(passage, _)| *passage));
        let (passages, embedder, pages) = (passages.upgrade()?, embedder.clone(), pages.to_vec());
        run_blocking(move || {
            let vectors_by_passage = texts.iter().filter_map(|(passage, texts)| {
                let vectors = texts.iter().map(|text| {
                    let at_hand = at_hand.get(text).cloned();
                    at_hand.or_else(|| embedder.on_shelf(text))
                });
                Some((*passage, vectors.collect::<Option<Arc<[Vector]>>>()?))
            });
            let vectors_by_passage: PassageVectors = vectors_by_passage.collect();
            give(
                &*passages,
                pages.into_iter().map(|page| page.route).collect(),
                &vectors_by_passage,
            );
        })
        .await?;
        if outcome.is_err() {
            return Some(Next::Rest);
        }
    }
    Some(Next::Wait)
}

/// Runs blocking `work` on the blocking pool; `None` if it panicked.
async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}

fn give(passages: &impl Passages, routes: Vec<Route>, vectors: &PassageVectors) {
    if let Err(error) = passages.give(&routes, vectors) {
        tracing::warn!("failed to add embeddings to the search index: {error:#}");
    }
}

/// Gives all passages that lack vectors those that are in the cache; returns what is still lacking.
fn from_shelf(
    passages: &impl Passages,
    embedder: &Embedder,
    skipped: &HashSet<ContentHash>,
) -> Vec<Lacking> {
    let is_skipped = |passage: &ContentHash| skipped.contains(passage);
    let mut lacking = passages.lacking(usize::MAX, &is_skipped);
    let mut pages_left = Vec::new();
    while !lacking.is_empty() {
        let mut pages = lacking.split_off(lacking.len().saturating_sub(8 * PAGES));
        let all = pages.iter().flat_map(|page| &page.passages);
        let cached_vectors = all.filter_map(|passage| {
            let texts = embedder.cache.texts(passage)?;
            let vectors = texts.iter().map(|text| embedder.on_shelf(text));
            Some((*passage, vectors.collect::<Option<Arc<[Vector]>>>()?))
        });
        let cached_vectors: PassageVectors = cached_vectors.collect();
        let mut routes = Vec::new();
        for page in &mut pages {
            let had = page.passages.len();
            page.passages
                .retain(|passage| !cached_vectors.contains_key(passage));
            // A page without passages only has to be marked as complete.
            if page.passages.len() < had || had == 0 {
                routes.push(page.route.clone());
            }
        }
        if !routes.is_empty() {
            give(passages, routes, &cached_vectors);
        }
        pages_left.extend(pages.into_iter().filter(|page| !page.passages.is_empty()));
    }
    pages_left.reverse();
    pages_left
}

/// The texts of passages, by their digests.
type Texts = BTreeMap<ContentHash, Vec<ContentHash>>;

/// Returns the digests of the texts of each passage of `pages`, and the texts without a cached
/// vector.
fn uncached_texts(
    passages: &impl Passages,
    embedder: &Embedder,
    pages: &[Lacking],
) -> (Texts, BTreeMap<ContentHash, String>) {
    let (mut of_passages, mut missing) = (Texts::new(), BTreeMap::new());
    for (passage, texts) in passages.texts(pages) {
        let digests: Vec<ContentHash> = (texts.iter())
            .map(|text| ContentHash::of(text.as_bytes()))
            .collect();
        embedder.cache.put_texts(&passage, &digests);
        for (digest, text) in digests.iter().zip(texts) {
            if embedder.on_shelf(digest).is_none() {
                missing.insert(*digest, text);
            }
        }
        of_passages.insert(passage, digests);
    }
    (of_passages, missing)
}

impl Embedder {
    fn key(&self, text: &ContentHash) -> ContentHash {
        let identity = self.identity.get().map_or("", String::as_str);
        vector_key(identity, self.settings.dimensions, text)
    }

    /// The vector of a text that was paid for before.
    fn on_shelf(&self, text: &ContentHash) -> Option<Vector> {
        let vector = Vector::of_numbers(self.cache.vector(&self.key(text))?);
        // Another process may have stored vectors of another size under the same name.
        self.is_ours(&vector).then_some(vector)
    }
}

/// Vectors by the digests of their texts.
type AtHand = HashMap<ContentHash, Vector>;

/// Requests the vectors of `missing` and stores them; an error if the endpoint does not answer.
/// Notes the texts that it refuses in `given_up`.
async fn ask(
    embedder: &Arc<Embedder>,
    mut missing: BTreeMap<ContentHash, String>,
    given_up: &mut HashSet<ContentHash>,
) -> (AtHand, Result<(), ()>) {
    let mut at_hand = AtHand::new();
    while !missing.is_empty() {
        let freed = embedder.cache.freed();
        tokio::pin!(freed);
        freed.as_mut().enable();
        let claim = embedder
            .cache
            .claim(missing.keys().map(|text| embedder.key(text)));
        let is_mine = |text: &ContentHash| claim.keys.contains(&embedder.key(text));
        // Another may have got some between a look at the cache and the claim.
        let found = missing.keys().filter(|text| is_mine(text));
        let found: Vec<_> = found
            .filter_map(|text| Some((*text, embedder.on_shelf(text)?)))
            .collect();
        for (text, vector) in found {
            missing.remove(&text);
            at_hand.insert(text, vector);
        }
        let mine: Vec<(ContentHash, String)> =
            missing.extract_if(.., |text, _| is_mine(text)).collect();
        if mine.is_empty() && !missing.is_empty() {
            freed.await;
            continue;
        }
        let batches: Vec<_> = mine.chunks(embedder.settings.batch).collect();
        for together in batches.chunks(embedder.settings.requests) {
            let mut requests = JoinSet::new();
            for batch in together {
                let (embedder, batch) = (embedder.clone(), batch.to_vec());
                requests.spawn(async move { embed(&embedder, batch).await });
            }
            let mut is_down = false;
            while let Some(done) = requests.join_next().await {
                match done {
                    Ok(BatchOutcome::Vectors(vectors)) => at_hand.extend(vectors),
                    Ok(BatchOutcome::GivenUp(texts)) => {
                        given_up.extend(texts);
                        is_down |= embedder.counts.refused.load(Ordering::Relaxed) >= REFUSALS;
                    }
                    Ok(BatchOutcome::Down) | Err(_) => is_down = true,
                }
            }
            if is_down {
                return (at_hand, Err(()));
            }
        }
    }
    (at_hand, Ok(()))
}

/// Outcome of a batch.
enum BatchOutcome {
    Vectors(Vec<(ContentHash, Vector)>),
    GivenUp(Vec<ContentHash>),
    Down,
}

/// Requests the vectors of a batch until there is a response, and stores them.
async fn embed(embedder: &Arc<Embedder>, batch: Vec<(ContentHash, String)>) -> BatchOutcome {
    let (digests, texts): (Vec<ContentHash>, Vec<String>) = batch.into_iter().unzip();
    let mut pauses = embedder.patience.pauses.iter();
    let counts = &embedder.counts;
    loop {
        let fault = match embedder.request(&texts, Kind::Passage).await {
            Ok(vectors) => {
                counts.refused.store(0, Ordering::Relaxed);
                counts
                    .embedded
                    .fetch_add(texts.len() as u64, Ordering::Relaxed);
                let embeddings: Vec<(ContentHash, Vector)> =
                    digests.into_iter().zip(vectors).collect();
                for (text, vector) in &embeddings {
                    embedder
                        .cache
                        .put_vector(embedder.key(text), &vector.numbers);
                }
                let cache = embedder.cache.clone();
                // What cannot be written stays in memory.
                let _ = run_blocking(move || cache.flush()).await;
                return BatchOutcome::Vectors(embeddings);
            }
            Err(fault) => fault,
        };
        match fault {
            Fault::Later(wait, _) => match pauses.next() {
                Some(pause) => (embedder.patience.sleep)(wait.unwrap_or(*pause)).await,
                None => return BatchOutcome::Down,
            },
            Fault::Closed(_) => return BatchOutcome::Down,
            Fault::Refused(why) | Fault::Useless(why) => {
                counts.refused.fetch_add(1, Ordering::Relaxed);
                counts
                    .failed
                    .fetch_add(texts.len() as u64, Ordering::Relaxed);
                tracing::warn!(
                    model = embedder.name(),
                    "{} passages could not be embedded: {why}",
                    texts.len()
                );
                return BatchOutcome::GivenUp(digests);
            }
        }
    }
}
