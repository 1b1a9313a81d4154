//! Memory limit shared by all previews of a process: over it, the least recently visited are closed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::Semaphore;

use super::Preview;
use quire_storage::machine::cores;

/// Estimated bytes of a preview without texts.
const EMPTY: u64 = 4 << 20;

/// Bytes per byte of text of a preview of which every page was read. Five sites of 243 to 1,060 pages took 6.4, 11, 14, 14 and 18;
/// after a single page a preview takes 2 MB.
const PER_BYTE: u64 = 16;

/// The open previews of a site, by label.
pub(super) type Open = Mutex<BTreeMap<String, Arc<Preview>>>;

/// Memory limit shared by the previews of all sites of a process.
pub struct PreviewMemory {
    /// Limit in estimated bytes.
    limit: u64,
    sites: Mutex<Vec<Weak<Open>>>,
    /// Permits for starting previews: each uses a core, and memory that is counted only once it has started.
    pub(super) places: Semaphore,
}

impl Default for PreviewMemory {
    fn default() -> Self {
        Self::of(&quire_settings::Previews::default())
    }
}

impl PreviewMemory {
    /// Creates the limit of `settings`.
    pub fn of(settings: &quire_settings::Previews) -> Self {
        Self {
            limit: settings.memory_mb.saturating_mul(1 << 20),
            sites: Mutex::default(),
            places: Semaphore::new(cores().div_ceil(2)),
        }
    }

    /// Limit in bytes.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Adds the previews of a site to those that share the limit.
    pub(super) fn share(&self, open: &Arc<Open>) {
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        sites.retain(|open| open.strong_count() > 0);
        sites.push(Arc::downgrade(open));
    }

    /// Closes the least recently visited previews of any site until the rest fit; never closes `visited`.
    pub(super) fn make_room(&self, visited: &Arc<Preview>) {
        let sites: Vec<Arc<Open>> = {
            let sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
            sites.iter().filter_map(Weak::upgrade).collect()
        };
        let mut open: Vec<(&Open, Arc<Preview>)> = Vec::new();
        for site in &sites {
            let previews = lock(site);
            open.extend(previews.values().map(|preview| (&**site, preview.clone())));
        }
        open.sort_by_key(|(_, preview)| preview.slot.idle_time());
        let mut bytes: u64 = open.iter().map(|(_, preview)| preview.bytes()).sum();
        while bytes > self.limit
            && let Some((site, preview)) = open.pop()
        {
            if Arc::ptr_eq(&preview, visited) {
                continue;
            }
            bytes -= preview.bytes();
            lock(site).remove(&preview.label);
            tracing::info!(
                preview = preview.slot.id,
                "closed preview: memory limit reached (previews.memory_mb)"
            );
        }
    }
}

/// Estimates the memory of a preview with `texts` bytes of text, as if every page was read.
pub(super) fn estimate(texts: u64) -> u64 {
    EMPTY + PER_BYTE * texts
}

pub(super) fn lock(open: &Open) -> std::sync::MutexGuard<'_, BTreeMap<String, Arc<Preview>>> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}
