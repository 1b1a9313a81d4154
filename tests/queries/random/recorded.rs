//! What the results of a database rest on, as the engine itself has written it down.
//!
//! The engine says it in its trace (`tracing`): after a write that changes nothing each result is
//! looked through once, and the engine tells what it was made from, in order. Nothing runs then, so
//! every question that the trace shows is one of those that the test asks.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use queries::db::Database;
use salsa::{Database as _, Durability};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Dispatch, Event, Metadata, Subscriber};

use super::engine::{Node, names, node_of};
use crate::support::TestSite;

/// What results rest on.
#[derive(Debug, Default)]
pub(super) struct RecordedReads {
    /// Questions of the test, in order, as often as they were asked.
    pub(super) asked: Vec<Node>,
    /// Results that were looked through. Of those that can never change the engine does not
    /// remember what they rest on.
    pub(super) changing: BTreeSet<Node>,
    /// What each result that was wanted was made from.
    pub(super) reads: BTreeMap<Node, Vec<Node>>,
}

thread_local! {
    static MESSAGES: RefCell<Messages> = RefCell::default();
}

/// Messages of the engine, with the names of the engine: `page_title(Id(3))`,
/// `SourceFile.digest(Id(3))`.
#[derive(Debug, Default)]
struct Messages {
    asked: Vec<String>,
    /// The numbers of the queries whose reads are wanted.
    wanted: BTreeSet<String>,
    changing: BTreeSet<String>,
    reads: BTreeMap<String, Vec<String>>,
    backdated: BTreeSet<String>,
}

/// Asks `db` something; returns the queries as well that ran and came out equal, on this thread.
pub(super) fn while_listening<T>(
    db: &Database,
    ask: impl FnOnce(&Database) -> T,
) -> (T, BTreeSet<String>) {
    MESSAGES.take();
    let answer = listening(db, Subject::Backdating, ask);
    (answer, MESSAGES.take().backdated)
}

fn listening<T>(db: &Database, subject: Subject, ask: impl FnOnce(&Database) -> T) -> T {
    let dispatch = Dispatch::new(Listener {
        subject,
        spans: AtomicU64::new(1),
    });
    tracing::dispatcher::with_default(&dispatch, || salsa::attach(db, || ask(db)))
}

/// What the results of a site rest on that was asked for everything; of all results only those that
/// ran and that `is_wanted`, to save time: the engine writes much.
pub(super) fn recorded(
    site: &mut TestSite,
    ran: &BTreeMap<String, Node>,
    is_wanted: impl Fn(&Node) -> bool,
) -> RecordedReads {
    site.db.synthetic_write(Durability::HIGH);
    site.take();
    let wanted = ran.iter().filter(|(_, node)| is_wanted(node));
    MESSAGES.set(Messages {
        wanted: wanted.map(|(query, _)| query.clone()).collect(),
        ..Messages::default()
    });
    listening(&site.db, Subject::Reads, |_| site.outputs_and_backlinks());
    assert_eq!(site.take(), "", "nothing changed, so nothing runs");
    let messages = MESSAGES.take();
    let names = names(site);
    let node = |text: &String| node_of(&names, text);
    let reads = messages.reads.iter();
    RecordedReads {
        asked: messages.asked.iter().map(node).collect(),
        changing: (messages.changing.iter())
            .map(|query| ran.get(query).cloned().unwrap_or_else(|| node(query)))
            .collect(),
        reads: reads
            .map(|(query, reads)| (node(query), reads.iter().map(node).collect()))
            .collect(),
    }
}

/// What a listener wants to hear of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    /// Results that came out equal.
    Backdating,
    /// Questions, and what their answers rest on.
    Reads,
}

struct Listener {
    subject: Subject,
    spans: AtomicU64,
}

/// Line at which the engine tells what it looks through, as soon as one such message was met.
static WANTED: AtomicU32 = AtomicU32::new(0);

const BACKDATING: &str = "salsa::function::backdate";
const ASKING: &str = "salsa::function::fetch";
const VERIFYING: &str = "salsa::function::maybe_changed_after";

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let target = metadata.target();
        // The engine asks first whether anybody listens at all.
        if target == "salsa::tracing" {
            return true;
        }
        match self.subject {
            Subject::Backdating => target == BACKDATING,
            Subject::Reads => target == ASKING || target.starts_with(VERIFYING),
        }
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        if self.subject == Subject::Reads {
            let mut text = Text::default();
            span.record(&mut text);
            MESSAGES.with_borrow_mut(|messages| messages.asked.push(text.text));
        }
        Id::from_u64(self.spans.fetch_add(1, Ordering::Relaxed))
    }

    fn event(&self, event: &Event<'_>) {
        let mut text = Text::default();
        if self.subject == Subject::Backdating {
            event.record(&mut text);
            if let Some((query, _)) = text.text.split_once(" value is equal") {
                MESSAGES.with_borrow_mut(|messages| messages.backdated.insert(query.to_owned()));
            }
            return;
        }
        // Of the messages of that place one is wanted; the others are not even written out once its
        // line is known.
        let line = event.metadata().line().unwrap_or_default();
        let wanted = WANTED.load(Ordering::Relaxed);
        if wanted != 0 && wanted != line {
            return;
        }
        text.is_deep = true;
        event.record(&mut text);
        let Some((query, memo)) = text.text.split_once(DEEP) else {
            return;
        };
        WANTED.store(line, Ordering::Relaxed);
        MESSAGES.with_borrow_mut(|messages| {
            messages.changing.insert(query.to_owned());
            if messages.wanted.contains(query) {
                messages.reads.insert(query.to_owned(), reads_of(memo));
            }
        });
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

/// How the message goes on, after the name of a query, that tells what it rests on.
const DEEP: &str = ": deep_verify_memo(";

/// The text of a message. Stops as soon as it turns out to be another one than is wanted: most are
/// long, and thousands are written.
#[derive(Default)]
struct Text {
    text: String,
    /// Whether only messages are wanted that tell what a wanted query rests on.
    is_deep: bool,
}

impl Write for Text {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        let is_after_name = self.is_deep && part.starts_with(": ") && !self.text.contains(": ");
        if is_after_name {
            let is_wanted =
                || MESSAGES.with_borrow(|messages| messages.wanted.contains(&self.text));
            if !part.starts_with(DEEP) {
                self.text.clear();
                return Err(fmt::Error);
            } else if !is_wanted() {
                self.text.push_str(DEEP);
                return Err(fmt::Error);
            }
        }
        self.text.push_str(part);
        Ok(())
    }
}

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if matches!(field.name(), "message" | "query") {
            // It stops where no more is wanted.
            let _ = write!(self, "{value:?}");
        }
    }
}
