//! What the results of a database rest on, as the engine itself has written it down.
//!
//! The engine says it in its trace (`tracing`): after a write that changes nothing each result is looked through once, and
//! the engine tells what it was made from, in order. Nothing runs then, so every question that the trace shows is one of
//! those that the test asks.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use salsa::{Database, Durability};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Dispatch, Event, Metadata, Subscriber};

use crate::support::TestSite;

/// What results rest on.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    /// The questions of the test, in order, as often as they were asked.
    pub(super) asked: Vec<String>,
    /// What each result was made from, by the names of the engine: `page_title(Id(3))`, `SourceFile.digest(Id(3))`. Of
    /// results that can never change it remembers nothing.
    pub(super) reads: BTreeMap<String, Vec<String>>,
    /// The queries that ran and came out equal.
    backdated: BTreeSet<String>,
}

thread_local! {
    static RECORDED: RefCell<Recorded> = RefCell::default();
}

/// Asks a site for everything; with the queries that ran and came out equal.
pub(super) fn while_listening(site: &TestSite) -> (BTreeMap<String, String>, BTreeSet<String>) {
    RECORDED.take();
    let outputs = listening(site);
    (outputs, RECORDED.take().backdated)
}

fn listening(site: &TestSite) -> BTreeMap<String, String> {
    let dispatch = Dispatch::new(Listener(AtomicU64::new(1)));
    tracing::dispatcher::with_default(&dispatch, || salsa::attach(&site.db, || site.outputs()))
}

/// What the results of a site rest on that was asked for everything.
pub(super) fn recorded(site: &mut TestSite) -> Recorded {
    site.db.synthetic_write(Durability::HIGH);
    site.take();
    RECORDED.take();
    listening(site);
    assert_eq!(site.take(), "", "nothing changed, so nothing runs");
    RECORDED.take()
}

struct Listener(AtomicU64);

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let target = metadata.target();
        metadata.name() == "fetch"
            || target.starts_with("salsa::function::maybe_changed_after")
            || target == "salsa::function::backdate"
            || target == "salsa::tracing"
            || target == "salsa::function::fetch"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut text = Text::new("");
        span.record(&mut text);
        RECORDED.with_borrow_mut(|recorded| recorded.asked.push(text.text));
        Id::from_u64(self.0.fetch_add(1, Ordering::Relaxed))
    }

    fn event(&self, event: &Event<'_>) {
        if event.metadata().target() == "salsa::function::backdate" {
            let mut text = Text::new("");
            event.record(&mut text);
            let (query, _) = text
                .text
                .split_once(" value is equal")
                .expect("what is equal");
            RECORDED.with_borrow_mut(|recorded| recorded.backdated.insert(query.to_owned()));
            return;
        }
        let mut text = Text::new(": deep_verify_memo(");
        event.record(&mut text);
        if let Some((query, memo)) = text.text.split_once(": deep_verify_memo(") {
            let reads = reads_of(memo);
            RECORDED.with_borrow_mut(|recorded| recorded.reads.insert(query.to_owned(), reads));
        }
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// What a result was made from, as its text says.
fn reads_of(memo: &str) -> Vec<String> {
    let mut lines = memo.lines().map(str::trim);
    let mut reads = Vec::new();
    while lines.any(|line| line == "Input(") {
        let read = lines.next().expect("a read has a name");
        reads.push(read.trim_end_matches(',').to_owned());
    }
    reads
}

/// The text of a message. Stops as soon as it turns out to be another one: most are long, and thousands are written.
struct Text {
    text: String,
    wanted: &'static str,
}

impl Text {
    fn new(wanted: &'static str) -> Self {
        Self {
            text: String::new(),
            wanted,
        }
    }
}

impl Write for Text {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        let is_other = part.starts_with(": ") && !part.starts_with(self.wanted);
        if is_other && !self.text.contains('\n') {
            return Err(fmt::Error);
        }
        self.text.push_str(part);
        Ok(())
    }
}

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if matches!(field.name(), "message" | "query") && write!(self, "{value:?}").is_err() {
            self.text.clear();
        }
    }
}
