//! A language model behind an endpoint: how it is asked, what it says as it says it, and when it is left alone.
//!
//! A request is tried again once if nothing came of it. A stream that ends without saying that the answer does is a
//! failure, whatever came before.

pub mod events;
pub mod limits;
mod wire;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout, timeout_at};

use events::Events;
use limits::{Breaker, DailyUse};
use quire_net::endpoint::{Endpoint, Fault, KeyHeader, next_chunk};
use quire_settings::{ModelApi, ModelSettings, RerankSettings};
pub use wire::{Ending, Prompt, Speaker, Turn};
use wire::{Event, Habits};

/// An answer may take so many times as long as a model may be silent.
const SILENCES: u32 = 4;
/// Maximum size of an answer that is not streamed, in bytes.
const MAX_WHOLE: usize = 1 << 20;
/// Delay before a retry, if the endpoint names none.
const PAUSE: Duration = Duration::from_millis(500);
/// How long an answer waits until its use is written down.
const KEEPING: Duration = Duration::from_secs(1);
/// Time limit of the reranker.
const RERANK_TIME: Duration = Duration::from_secs(5);
/// Maximum size of a response of the reranker, in bytes.
const MAX_ORDER: usize = 1 << 20;

/// Why a model gives no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// The daily limit of answers is reached.
    Capped,
    /// The circuit breaker is open after consecutive failures.
    Resting,
    /// This request failed, with the reason.
    Failed(String),
}

impl std::fmt::Display for Unanswered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Capped => f.write_str("it wrote as many answers today as it may (`per_day`)"),
            Self::Resting => f.write_str("it failed several times, and is not asked for a while"),
            Self::Failed(why) => f.write_str(why),
        }
    }
}

/// Counters of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// The name of the model.
    pub model: String,
    /// Number of requested answers.
    pub asked: u64,
    /// Number of complete answers.
    pub answered: u64,
    /// Number of answers requested today, and the limit.
    pub today: (u64, Option<u64>),
    /// Whether it is not asked for a while.
    pub is_resting: bool,
    /// Why the last request failed, if it did.
    pub error: Option<String>,
}

/// A model of a site.
pub struct Model {
    settings: ModelSettings,
    endpoint: Endpoint,
    reranker: Option<(Endpoint, String)>,
    places: Arc<Semaphore>,
    state: Mutex<State>,
    requests_count: AtomicU64,
    answers_count: AtomicU64,
    /// Called with each day's use, so that a restart knows it.
    keep: Arc<dyn Fn(DailyUse) + Send + Sync>,
}

#[derive(Default)]
struct State {
    breaker: Breaker,
    today: DailyUse,
    habits: Habits,
    error: Option<String>,
}

impl Model {
    /// The model that `settings` name, with the one that orders passages for it. `used` is what was used of a day before
    /// this start, and `keep` is told what is used, where it may block.
    ///
    /// # Errors
    ///
    /// Says what is wrong with an address or a key.
    pub fn new(
        settings: &ModelSettings,
        rerank: Option<&RerankSettings>,
        used: DailyUse,
        keep: impl Fn(DailyUse) + Send + Sync + 'static,
    ) -> anyhow::Result<Self> {
        settings.check()?;
        let key_header = match settings.api {
            ModelApi::OpenAi => KeyHeader::Bearer,
            ModelApi::Anthropic => KeyHeader::ApiKey,
        };
        let endpoint = Endpoint::new(
            &settings.endpoint(),
            settings.api.ending(),
            key_header,
            None,
        );
        let mut endpoint = endpoint.context("the model of the assistant")?;
        if settings.api == ModelApi::Anthropic {
            endpoint = endpoint.with("anthropic-version", "2023-06-01");
        }
        let reranker = rerank.map(|rerank| {
            let endpoint = Endpoint::new(
                &rerank.endpoint(),
                RerankSettings::ending(),
                KeyHeader::Bearer,
                Some(RERANK_TIME),
            );
            let endpoint = endpoint.context("the model that orders passages")?;
            anyhow::Ok((endpoint, rerank.model.clone()))
        });
        Ok(Self {
            settings: settings.clone(),
            endpoint,
            reranker: reranker.transpose()?,
            places: Arc::new(Semaphore::new(settings.requests)),
            state: Mutex::new(State {
                today: used,
                ..State::default()
            }),
            requests_count: AtomicU64::new(0),
            answers_count: AtomicU64::new(0),
            keep: Arc::new(keep),
        })
    }

    /// Counters so far.
    pub fn status(&self) -> Status {
        let state = self.state();
        Status {
            model: self.settings.model.clone(),
            asked: self.requests_count.load(Ordering::Relaxed),
            answered: self.answers_count.load(Ordering::Relaxed),
            today: (state.today.count, self.settings.per_day),
            is_resting: state.breaker.rests(Instant::now()),
            error: state.error.clone(),
        }
    }

    /// Asks `prompt`; what is returned has begun to answer.
    ///
    /// # Errors
    ///
    /// Returns why nothing is said.
    pub async fn ask(self: &Arc<Self>, prompt: &Prompt) -> Result<Answering, Unanswered> {
        if !self.state().breaker.may_ask(Instant::now()) {
            return Err(Unanswered::Resting);
        }
        let used = {
            let mut state = self.state();
            if !state.today.take(today(), self.settings.per_day) {
                return Err(Unanswered::Capped);
            }
            state.today
        };
        let keep = self.keep.clone();
        // What is not written by then, or fails, is written with the next use.
        let _ = timeout(KEEPING, tokio::task::spawn_blocking(move || keep(used))).await;
        self.requests_count.fetch_add(1, Ordering::Relaxed);
        let until = tokio::time::Instant::now() + self.silence() * SILENCES;
        let begun = timeout_at(until, self.begin(prompt)).await;
        let begun = begun.unwrap_or_else(|_| Err(timeout_fault()));
        begun.map_err(|fault| self.failed(&fault))
    }

    /// Sends `prompt` until something is said, at most twice.
    async fn begin(self: &Arc<Self>, prompt: &Prompt) -> Result<Answering, Fault> {
        let places = self.places.clone();
        let Ok(place) = places.acquire_owned().await else {
            return Err(Fault::Closed("it is closed".to_owned()));
        };
        let place = Arc::new(place);
        let until = tokio::time::Instant::now() + self.silence() * SILENCES;
        let mut is_again = false;
        loop {
            let habits = self.state().habits;
            let begun = timeout(self.silence(), self.once(prompt, habits, &place, until)).await;
            let fault = match begun.unwrap_or_else(|_| Err(timeout_fault())) {
                Ok(answering) => return Ok(answering),
                Err(fault) => fault,
            };
            if let Fault::Refused(message) = &fault
                && let Some(next) = habits.after(message)
            {
                self.state().habits = next;
                continue;
            }
            match fault {
                Fault::Later(wait, _) if !is_again => {
                    let wait = wait.unwrap_or(PAUSE);
                    if wait > self.silence() {
                        return Err(fault);
                    }
                    is_again = true;
                    sleep(wait).await;
                }
                fault => return Err(fault),
            }
        }
    }

    /// Sends `prompt` and waits for the first words.
    async fn once(
        self: &Arc<Self>,
        prompt: &Prompt,
        habits: Habits,
        place: &Arc<OwnedSemaphorePermit>,
        until: tokio::time::Instant,
    ) -> Result<Answering, Fault> {
        let ModelSettings { api, model, .. } = &self.settings;
        let body = wire::body(*api, model, prompt, (self.settings.max_tokens, habits));
        let reply = self.endpoint.post(body.to_string()).await?;
        let is_whole = reply.headers().get(CONTENT_TYPE).is_some_and(|value| {
            let value = value.to_str().unwrap_or_default();
            value.trim_start().starts_with("application/json")
        });
        let mut answering = Answering {
            model: self.clone(),
            _place: place.clone(),
            source: None,
            events: Events::default(),
            unread: VecDeque::new(),
            first: None,
            ending: None,
            until,
        };
        if is_whole {
            let reply = Endpoint::read(reply, MAX_WHOLE).await?;
            answering.unread = wire::whole_events(*api, &reply).into();
        } else {
            answering.source = Some(reply);
        }
        answering.first = answering.read().await?;
        Ok(answering)
    }

    /// Returns the indices of `passages`, best answer to `question` first, as the reranker orders
    /// them; passages that it omits are left out. Without a reranker the order is unchanged.
    ///
    /// # Errors
    ///
    /// Returns the failure of the reranker.
    pub async fn order(&self, question: &str, passages: &[String]) -> Result<Vec<usize>, Fault> {
        let as_they_are = || (0..passages.len()).collect();
        let Some((endpoint, model)) = &self.reranker else {
            return Ok(as_they_are());
        };
        let body = json!({
            "model": model,
            "query": question,
            "documents": passages,
            "top_n": passages.len(),
            "return_documents": false,
        });
        let reply = endpoint.post(body.to_string()).await?;
        let reply = Endpoint::read(reply, MAX_ORDER).await?;
        let order: Order = serde_json::from_slice(&reply)
            .map_err(|_| Fault::Useless("what it sent is no answer of `/v1/rerank`".to_owned()))?;
        let mut results = order.results;
        results.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.index.cmp(&b.index)));
        let mut ordered: Vec<usize> = Vec::new();
        for one in results {
            if one.index >= passages.len() || !one.score.is_finite() {
                let why = "it numbered passages that it was not given";
                return Err(Fault::Useless(why.to_owned()));
            }
            if !ordered.contains(&one.index) {
                ordered.push(one.index);
            }
        }
        match ordered.is_empty() {
            true => Ok(as_they_are()),
            false => Ok(ordered),
        }
    }

    fn silence(&self) -> Duration {
        Duration::from_secs(self.settings.seconds)
    }

    /// Notes that a request failed, and says it when the one before did not.
    fn failed(&self, fault: &Fault) -> Unanswered {
        let why = fault.to_string();
        let why = self.endpoint.fit_to_print(&why).unwrap_or_default();
        let asks_for = match fault {
            Fault::Later(wait, _) => *wait,
            _ => None,
        };
        let mut state = self.state();
        state.breaker.failed(Instant::now(), asks_for);
        if state.error.is_none() {
            let model = &self.settings.model;
            tracing::warn!(model, "the assistant's model failed: {why}");
        }
        state.error = Some(why.clone());
        Unanswered::Failed(why)
    }

    fn succeeded(&self) {
        self.answers_count.fetch_add(1, Ordering::Relaxed);
        let mut state = self.state();
        state.breaker.succeeded();
        if state.error.take().is_some() {
            let model = &self.settings.model;
            tracing::info!(model, "the assistant's model is available again");
        }
    }

    /// Locks the state, which is valid at every moment.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Deserialize)]
struct Order {
    results: Vec<Ordered>,
}

#[derive(Deserialize)]
struct Ordered {
    index: usize,
    #[serde(alias = "relevance_score")]
    score: f64,
}

fn timeout_fault() -> Fault {
    Fault::Later(None, "it did not answer in time".to_owned())
}

/// Days since 1970 (UTC).
fn today() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs() / 86_400)
}

/// A model that answers. Nothing more is asked of it when this is dropped.
pub struct Answering {
    model: Arc<Model>,
    _place: Arc<OwnedSemaphorePermit>,
    /// Source of events; `None` if the response came at once.
    source: Option<Response>,
    events: Events,
    /// Events that were read and not returned yet.
    unread: VecDeque<Event>,
    first: Option<String>,
    ending: Option<Ending>,
    until: tokio::time::Instant,
}

impl Answering {
    /// The next words; `None` when the answer has come to its end.
    ///
    /// # Errors
    ///
    /// Returns why the rest does not come.
    pub async fn next(&mut self) -> Result<Option<String>, Unanswered> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        let silence = tokio::time::Instant::now() + self.model.silence();
        let read = timeout_at(self.until.min(silence), self.read()).await;
        match read.unwrap_or_else(|_| Err(timeout_fault())) {
            Ok(piece) => {
                if piece.is_none() {
                    self.model.succeeded();
                }
                Ok(piece)
            }
            Err(fault) => Err(self.model.failed(&fault)),
        }
    }

    /// Why the model said no more, when it has.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    async fn read(&mut self) -> Result<Option<String>, Fault> {
        loop {
            while let Some(event) = self.unread.pop_front() {
                match event {
                    Event::Text(text) => return Ok(Some(text)),
                    Event::End(ending) => self.ending = Some(ending),
                    Event::Failed(why, true) => return Err(Fault::Later(None, why)),
                    Event::Failed(why, false) => return Err(Fault::Useless(why)),
                    Event::Closed => return self.end(),
                }
            }
            let Some(source) = &mut self.source else {
                return self.end();
            };
            let Some(bytes) = next_chunk(source).await? else {
                return self.end();
            };
            let read = self.events.push(&bytes);
            let read = read.map_err(|_| {
                Fault::Useless("it sent an event of more than a mebibyte".to_owned())
            })?;
            let api = self.model.settings.api;
            let events = read.iter().flat_map(|data| wire::events(api, data));
            self.unread.extend(events);
        }
    }

    /// The end of a stream, which is one only if the answer was said to be at its own.
    fn end(&mut self) -> Result<Option<String>, Fault> {
        match self.ending {
            Some(_) => Ok(None),
            None => Err(Fault::Later(None, "it broke off".to_owned())),
        }
    }
}
