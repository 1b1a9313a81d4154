//! Recovery from a faulty database: a new one is built next to the running one, and replaces it if
//! it can do what the old one cannot.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use queries::base::path::Route;
use queries::site::{PageOptions, page_html, route_table, search_manifest};

use super::Core;
use quire_engine::host::SiteHost;

/// Failed work, to be tried in the rebuilt database.
#[derive(Clone, Debug)]
pub(crate) enum Probe {
    /// A page could not be rendered.
    Page(Route),
    /// The addresses of the site could not be computed.
    Addresses,
    /// Pages could not be found.
    Search,
}

impl Probe {
    /// Returns true if it succeeds in `host`.
    fn works(&self, host: &SiteHost) -> bool {
        let works = host.read(|db, site| match self {
            Self::Page(route) => {
                if let Some(page) = route_table(db, site).pages.get(route) {
                    page_html(db, site, *page, &PageOptions::default());
                }
            }
            Self::Addresses => drop(route_table(db, site)),
            Self::Search => drop(search_manifest(db, site)),
        });
        works.is_ok()
    }
}

/// When a database is rebuilt.
#[derive(Default)]
pub(super) struct RecoveryState {
    is_running: AtomicBool,
    attempts: Mutex<Attempt>,
}

#[derive(Default)]
struct Attempt {
    /// The revision before which nothing is tried again.
    not_before: u64,
    /// Number of consecutive rebuilds that did not help.
    failures: u32,
}

impl RecoveryState {
    /// Returns true if a rebuild should be tried at `revision`. A fault that every database has is
    /// tried at the next revision, then two later, then four, so that edits of other files do not
    /// pay for it.
    fn is_due(&self, revision: u64) -> bool {
        let tried = self.attempts.lock().unwrap_or_else(PoisonError::into_inner);
        revision >= tried.not_before
    }

    fn note(&self, revision: u64, has_helped: bool) {
        let mut tried = self.attempts.lock().unwrap_or_else(PoisonError::into_inner);
        tried.failures = match has_helped {
            true => 0,
            false => (tried.failures + 1).min(16),
        };
        tried.not_before = revision + (1 << tried.failures.saturating_sub(1));
    }
}

impl Core {
    /// Rebuilds the database in the background because `probe` failed; one rebuild at a time.
    pub(crate) fn mend(self: &Arc<Self>, probe: Probe) {
        if !self.recovery.is_due(self.publisher.host().revision())
            || self.recovery.is_running.swap(true, Ordering::AcqRel)
        {
            return;
        }
        let core = self.clone();
        self.runtime.spawn_blocking(move || {
            core.mend_now(&probe);
            core.recovery.is_running.store(false, Ordering::Release);
        });
    }

    /// Rebuilds the database and replaces the present one if `probe` works in the new one; returns
    /// true if it did.
    pub(crate) fn mend_now(self: &Arc<Self>, probe: &Probe) -> bool {
        let previous_host = self.publisher.host();
        let anew = Arc::new(previous_host.rebuilt());
        let mut has_helped = probe.works(&anew);
        if has_helped {
            // Nobody writes while it is put into its place. What was written meanwhile is in the old one alone.
            let _turn = super::lock(&self.publish_lock);
            let anew = match previous_host.revision() == anew.revision() {
                true => anew,
                false => Arc::new(previous_host.rebuilt()),
            };
            has_helped = Arc::ptr_eq(&self.publisher.host(), &previous_host);
            if has_helped {
                self.publisher.replace_host(anew.clone());
                self.search_service.replace_host(anew);
                self.publisher.faults().note_rebuilt();
            }
        }
        self.recovery.note(previous_host.revision(), has_helped);
        match has_helped {
            true => tracing::warn!(
                site = self.id,
                "rebuilt the query database after a fault: {probe:?}"
            ),
            false => tracing::error!(
                site = self.id,
                "the fault persists in a rebuilt database: {probe:?}"
            ),
        }
        if has_helped {
            self.follow_pages(false);
        }
        has_helped
    }
}
