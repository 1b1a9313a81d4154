//! Trace of one question: the queries it asked, by caller, which of them ran, and how long each
//! took.
//!
//! The engine marks each question with a span (`tracing`); here they are gathered, on the thread that asks and only while
//! it is being traced. A query that runs while an older result is being checked has no span of its own: it is noted when
//! it begins, and lasts until the next thing happens.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use queries::site::{QueryEvent, Step};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Dispatch, Event, Metadata, Subscriber};

/// Trace of one question.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Every query that was asked, in the order of asking.
    pub calls: Vec<Call>,
}

/// One query that was asked.
#[derive(Clone, Debug)]
pub struct Call {
    /// Name and key: `name(key)`.
    pub query: String,
    /// The call that asked, by its place in the list.
    pub parent: Option<usize>,
    /// Whether it ran; else its last result was taken.
    pub ran: bool,
    /// Offset from the beginning of the trace.
    pub start: Duration,
    /// Duration of the answer, with everything asked for it.
    pub took: Duration,
}

struct Recording {
    start: Instant,
    calls: Vec<Call>,
    open: Vec<usize>,
    /// The call that was noted without a span and that nothing has followed yet.
    last_call: Option<usize>,
}

thread_local! {
    static RECORDING: RefCell<Option<Recording>> = const { RefCell::new(None) };
}

/// Does `work`, and tells what the engine did for it on this thread.
pub fn record<T>(work: impl FnOnce() -> T) -> (T, Trace) {
    let before = RECORDING.with_borrow_mut(|recording| {
        recording.replace(Recording {
            start: Instant::now(),
            calls: Vec::new(),
            open: Vec::new(),
            last_call: None,
        })
    });
    let inner = tracing::dispatcher::get_default(Dispatch::clone);
    let dispatch = Dispatch::new(Collector {
        inner,
        next: AtomicU64::new(1),
    });
    let done = tracing::dispatcher::with_default(&dispatch, work);
    let recording = RECORDING.with_borrow_mut(|recording| std::mem::replace(recording, before));
    let calls = recording.map_or_else(Vec::new, |mut recording| {
        recording.settle();
        recording.calls
    });
    (done, Trace { calls })
}

/// Takes note of a step of the engine, if this thread is being traced.
pub fn note(event: &QueryEvent) {
    if event.step != Step::Executes {
        return;
    }
    RECORDING.with_borrow_mut(|recording| {
        let Some(recording) = recording else { return };
        let query = event.to_string();
        if let Some(call) = recording
            .open
            .last()
            .map(|open| &mut recording.calls[*open])
            && call.query == query
            && !call.ran
        {
            call.ran = true;
            return;
        }
        recording.settle();
        recording.last_call = Some(recording.calls.len());
        let call = recording.call(query, true);
        recording.calls.push(call);
    });
}

impl Recording {
    fn call(&self, query: String, ran: bool) -> Call {
        Call {
            query,
            parent: self.open.last().copied(),
            ran,
            start: self.start.elapsed(),
            took: Duration::ZERO,
        }
    }

    /// Ends the noted query.
    fn settle(&mut self) {
        if let Some(noted) = self.last_call.take() {
            let call = &mut self.calls[noted];
            call.took = self.start.elapsed().saturating_sub(call.start);
        }
    }
}

/// Gathers the spans of the engine, and hands everything else on.
struct Collector {
    inner: Dispatch,
    next: AtomicU64,
}

thread_local! {
    /// The queries of spans that were made and not entered yet.
    static MADE: RefCell<BTreeMap<u64, String>> = const { RefCell::new(BTreeMap::new()) };
}

struct QueryField(String);

impl Visit for QueryField {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "query" {
            // Writing into a string does not fail.
            let _ = write!(self.0, "{value:?}");
        }
    }
}

fn is_question(metadata: &Metadata<'_>) -> bool {
    // The engine asks first whether anyone listens at all: that is neither a span nor an event.
    let is_span = metadata.is_span() && metadata.name() == "fetch";
    metadata.target().starts_with("salsa")
        && (is_span || !(metadata.is_span() || metadata.is_event()))
}

impl Subscriber for Collector {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        is_question(metadata)
            || (!metadata.target().starts_with("salsa") && self.inner.enabled(metadata))
    }

    fn max_level_hint(&self) -> Option<tracing::level_filters::LevelFilter> {
        Some(tracing::level_filters::LevelFilter::DEBUG)
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let mut query = QueryField(String::new());
        attributes.record(&mut query);
        MADE.with_borrow_mut(|made| made.insert(id, query.0));
        Id::from_u64(id)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        self.inner.event(event);
    }

    fn enter(&self, id: &Id) {
        let query = MADE
            .with_borrow_mut(|made| made.remove(&id.into_u64()))
            .unwrap_or_default();
        RECORDING.with_borrow_mut(|recording| {
            let Some(recording) = recording else { return };
            recording.settle();
            let call = recording.call(query, false);
            recording.open.push(recording.calls.len());
            recording.calls.push(call);
        });
    }

    fn exit(&self, _: &Id) {
        RECORDING.with_borrow_mut(|recording| {
            let Some(recording) = recording else { return };
            recording.settle();
            if let Some(open) = recording.open.pop() {
                let call = &mut recording.calls[open];
                call.took = recording.start.elapsed().saturating_sub(call.start);
            }
        });
    }
}

/// Names of query keys for people, by the text between the parentheses of a call.
pub type Names = BTreeMap<String, NamedKey>;

/// A key of queries, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedKey {
    /// Path, or part of a specification.
    pub name: String,
    /// The digest of its content.
    pub digest: String,
}

impl Trace {
    /// The names of the queries that ran, with their keys, in the order in which they began.
    pub fn ran(&self) -> impl Iterator<Item = &Call> {
        self.calls.iter().filter(|call| call.ran)
    }

    /// Duration of the whole.
    pub fn took(&self) -> Duration {
        let ends = self.calls.iter().map(|call| call.start + call.took);
        ends.max().unwrap_or_default()
    }

    /// The inputs that were asked about: what each is called and the digest of what it holds.
    pub fn inputs<'a>(&self, names: &'a Names) -> BTreeSet<(&'a str, &'a str)> {
        let keys = self.calls.iter().filter_map(|call| key(&call.query));
        // What has no content of its own is no input.
        let named = keys
            .filter_map(|key| names.get(key))
            .filter(|named| !named.digest.is_empty());
        named
            .map(|named| (named.name.as_str(), named.digest.as_str()))
            .collect()
    }

    /// The calls as a tree, `depth` levels of it. What was asked by the same query more than once is shown once; `all` shows
    /// those that did not run too.
    pub fn tree(&self, names: &Names, depth: usize, all: bool) -> String {
        let mut children: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
        for (i, call) in self.calls.iter().enumerate() {
            children.entry(call.parent).or_default().push(i);
        }
        let mut out = String::new();
        self.branch(names, &children, None, 0, depth, all, &mut out);
        out
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "a walk and what it carries along"
    )]
    fn branch(
        &self,
        names: &Names,
        children: &BTreeMap<Option<usize>, Vec<usize>>,
        parent: Option<usize>,
        level: usize,
        depth: usize,
        all: bool,
        out: &mut String,
    ) {
        let mut seen = BTreeSet::new();
        let below = children.get(&parent).into_iter().flatten().copied();
        let visible: Vec<usize> = below
            .filter(|i| seen.insert(self.calls[*i].query.as_str()))
            .filter(|i| all || self.has_run(children, *i))
            .collect();
        let mut counts: BTreeMap<&str, (usize, Duration)> = BTreeMap::new();
        for i in &visible {
            let (count, took) = counts.entry(function(&self.calls[*i].query)).or_default();
            *count += 1;
            *took += self.calls[*i].took;
        }
        let pad = "  ".repeat(level);
        for i in visible {
            let call = &self.calls[i];
            // Many of a kind are one line, where the first of them stands.
            let name = function(&call.query);
            let (count, sum) = counts.get(name).copied().unwrap_or_default();
            if count > COLLAPSE_THRESHOLD {
                let _ = writeln!(
                    out,
                    "{:>9.1} µs  {pad}{name} × {count}",
                    sum.as_secs_f64() * 1e6
                );
                counts.remove(name);
                continue;
            }
            if count == 0 {
                continue;
            }
            let took = match call.ran {
                true => format!("{:>9.1} µs", call.took.as_secs_f64() * 1e6),
                false => format!("{:>12}", "kept"),
            };
            let _ = writeln!(out, "{took}  {pad}{}", readable(&call.query, names));
            if level + 1 < depth {
                self.branch(names, children, Some(i), level + 1, depth, all, out);
            }
        }
    }

    fn has_run(&self, children: &BTreeMap<Option<usize>, Vec<usize>>, call: usize) -> bool {
        let below = children.get(&Some(call));
        self.calls[call].ran
            || below
                .into_iter()
                .flatten()
                .any(|below| self.has_run(children, *below))
    }

    /// The trace as Chrome's trace viewer and Perfetto read it.
    pub fn chrome(&self, names: &Names) -> serde_json::Value {
        let events: Vec<serde_json::Value> = self
            .calls
            .iter()
            .map(|call| {
                serde_json::json!({
                    "name": readable(&call.query, names), "cat": if call.ran { "ran" } else { "kept" },
                    "ph": "X", "pid": 1, "tid": 1,
                    "ts": call.start.as_secs_f64() * 1e6, "dur": call.took.as_secs_f64() * 1e6,
                })
            })
            .collect();
        serde_json::json!({ "traceEvents": events, "displayTimeUnit": "ns" })
    }
}

/// Number of sibling queries of one kind above which a tree shows them as one line.
const COLLAPSE_THRESHOLD: usize = 4;

/// The name in `name(key)`.
fn function(query: &str) -> &str {
    query.split('(').next().unwrap_or(query)
}

/// The key in `name(key)`.
fn key(query: &str) -> Option<&str> {
    query.split_once('(')?.1.strip_suffix(')')
}

/// `query` with its key as people know it.
pub fn readable(query: &str, names: &Names) -> String {
    match (
        query.split_once('('),
        key(query).and_then(|key| names.get(key)),
    ) {
        (Some((name, _)), Some(named)) => format!("{name}({})", named.name),
        (Some((name, _)), None) => name.to_owned(),
        _ => query.to_owned(),
    }
}

/// A trace that many may read.
pub type SharedTrace = Arc<Trace>;

#[cfg(test)]
mod tests {
    use super::*;

    fn call(query: &str, parent: Option<usize>, ran: bool) -> Call {
        Call {
            query: query.to_owned(),
            parent,
            ran,
            start: Duration::ZERO,
            took: Duration::from_micros(5),
        }
    }

    #[test]
    fn a_tree_shows_what_ran_and_who_asked() {
        let trace = Trace {
            calls: vec![
                call("page(Id(1))", None, true),
                call("body(Id(2))", Some(0), false),
                call("title(Id(2))", Some(0), true),
                call("title(Id(2))", Some(0), false),
            ],
        };
        let named = NamedKey {
            name: "a.mdx".to_owned(),
            digest: "d".to_owned(),
        };
        let names = Names::from([("Id(2)".to_owned(), named)]);
        let tree = trace.tree(&names, 9, false);
        assert_eq!(tree, "      5.0 µs  page\n      5.0 µs    title(a.mdx)\n");
        assert_eq!(trace.tree(&names, 9, true).lines().count(), 3);
        assert_eq!(trace.inputs(&names), BTreeSet::from([("a.mdx", "d")]));
    }
}
