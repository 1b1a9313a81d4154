//! Faults of the program that a site shows at present: what each costs, until it works again.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::host::ReadError;

/// Scope of a fault in the addresses of the site.
pub const ADDRESSES: &str = "addresses";
/// Scope of a fault in the search documents.
pub const SEARCH: &str = "search";
/// Scope of a fault in the breadcrumbs of search results.
pub const BREADCRUMBS: &str = "breadcrumbs of search results";
/// Scope of a fault in passages of the assistant.
pub const QUOTES: &str = "quotes of the assistant";
/// Scope of a fault in answers of the MCP server.
pub const PROGRAMS: &str = "MCP server";
/// Scope of a fault in texts for programs.
pub const TEXTS: &str = "texts for programs";
/// Scope of a fault in pictures of pages.
pub const CARDS: &str = "pictures of pages";
/// Scope of a fault in the diagnostics of the whole site.
pub const DIAGNOSTICS: &str = "diagnostics";

/// Maximum number of faults stored one by one.
const MAX_FAULTS: usize = 100;

/// The present faults of one site, by what they cost: a route, or one of the constants above.
#[derive(Debug, Default)]
pub struct Faults {
    present: Mutex<BTreeMap<String, String>>,
    count: AtomicU64,
    rebuilt: AtomicU64,
}

impl Faults {
    /// Notes that `what` failed. Only a panic is a fault: a question that a write overtook is asked again.
    pub fn note(&self, what: &str, error: &ReadError) {
        let ReadError::Panicked(message) = error else {
            return;
        };
        self.count.fetch_add(1, Ordering::Relaxed);
        let mut present = self.lock();
        if present.len() < MAX_FAULTS || present.contains_key(what) {
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

    /// Notes that the database was rebuilt.
    pub fn note_rebuilt(&self) {
        self.rebuilt.fetch_add(1, Ordering::Relaxed);
    }

    /// Scopes that fail, with the message of the panic.
    pub fn present(&self) -> Vec<(String, String)> {
        let present = self.lock();
        let present = present.iter();
        present
            .map(|(what, why)| (what.clone(), why.clone()))
            .collect()
    }

    /// Returns true if `what` is known to fail.
    pub fn is_present(&self, what: &str) -> bool {
        self.lock().contains_key(what)
    }

    /// Returns true if no fault is known.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Number of faults since the site was started, and of rebuilt databases.
    pub fn counts(&self) -> (u64, u64) {
        let (seen, rebuilt) = (&self.count, &self.rebuilt);
        (
            seen.load(Ordering::Relaxed),
            rebuilt.load(Ordering::Relaxed),
        )
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
