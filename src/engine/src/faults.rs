//! Faults of the program that a site shows at present: what each costs, until it works again.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::host::ReadError;

/// What a fault costs when the addresses of the site cannot be computed.
pub const ADDRESSES: &str = "addresses";
/// What a fault costs when pages are not found by search.
pub const SEARCH: &str = "search";
/// What a fault costs when search results cannot say where the navigation lists them.
pub const BREADCRUMBS: &str = "breadcrumbs of search results";
/// What a fault costs when pages cannot be quoted.
pub const QUOTES: &str = "quotes of the assistant";
/// What a fault costs when programs are not answered.
pub const PROGRAMS: &str = "MCP server";
/// What a fault costs when texts for programs cannot be made.
pub const TEXTS: &str = "texts for programs";
/// What a fault costs when pictures of pages cannot be drawn.
pub const CARDS: &str = "pictures of pages";
/// What a fault costs when the site cannot be checked as a whole.
pub const DIAGNOSTICS: &str = "diagnostics";

/// Most faults that are remembered one by one.
const MOST: usize = 100;

/// The present faults of one site, by what they cost: a route, or one of the constants above.
#[derive(Debug, Default)]
pub struct Faults {
    present: Mutex<BTreeMap<String, String>>,
    seen: AtomicU64,
    rebuilt: AtomicU64,
}

impl Faults {
    /// Notes that `what` failed. Only a panic is a fault: a question that a write overtook is asked again.
    pub fn note(&self, what: &str, error: &ReadError) {
        let ReadError::Panicked(message) = error else {
            return;
        };
        self.seen.fetch_add(1, Ordering::Relaxed);
        let mut present = self.lock();
        if present.len() < MOST || present.contains_key(what) {
            present.insert(what.to_owned(), message.clone());
        }
    }

    /// Notes that `what` works.
    pub fn clear(&self, what: &str) {
        // Nearly always there is nothing to clear.
        let mut present = self.lock();
        if !present.is_empty() {
            present.remove(what);
        }
    }

    /// Forgets the faults of pages that are no longer there.
    pub fn retain_pages(&self, is_there: impl Fn(&str) -> bool) {
        let is_page = |what: &str| what.starts_with('/');
        self.lock()
            .retain(|what, _| !is_page(what) || is_there(what));
    }

    /// Notes that the database was made anew.
    pub fn note_rebuilt(&self) {
        self.rebuilt.fetch_add(1, Ordering::Relaxed);
    }

    /// What does not work, with the message of its panic.
    pub fn present(&self) -> Vec<(String, String)> {
        let present = self.lock();
        let present = present.iter();
        present
            .map(|(what, why)| (what.clone(), why.clone()))
            .collect()
    }

    /// Whether `what` is known to fail.
    pub fn is_present(&self, what: &str) -> bool {
        self.lock().contains_key(what)
    }

    /// Whether nothing is known to fail.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// How many faults there were since the site was started, and how often its database was made anew.
    pub fn counts(&self) -> (u64, u64) {
        let (seen, rebuilt) = (&self.seen, &self.rebuilt);
        (
            seen.load(Ordering::Relaxed),
            rebuilt.load(Ordering::Relaxed),
        )
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
