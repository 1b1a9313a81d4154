//! Previews: any branch, tag or commit of a site's repository, served without a checkout.
//!
//! A preview is a site of its own whose files are those of a commit. It follows its branch: when that has moved, what
//! differs is read. Its address is `REF--ID`, where the name of the ref is written as it may stand in a host name.

mod memory;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use queries::base::content::ContentHash;
use queries::theme::console::Difference;
use serde::Serialize;

use crate::service::Service;
use crate::sites::{SiteSlot, now};
use quire_settings::label;
use quire_source::repository::{Ref, Tree};

pub use memory::PreviewMemory;
use memory::{Open, estimate, lock};

/// Interval of checks whether the branch has moved.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Longest label of a host name (RFC 1035, 2.3.4).
const LABEL: usize = 63;

/// The previews of one site.
pub struct Previews {
    settings: quire_settings::Previews,
    open: Arc<Open>,
    memory: Arc<PreviewMemory>,
}

/// One preview.
pub struct Preview {
    /// Its ref as written in its host name.
    pub label: String,
    /// Site of the preview.
    pub slot: Arc<SiteSlot>,
    /// Files of the ref.
    pub tree: Arc<Tree>,
    /// When it was opened, in seconds since 1970.
    pub opened: u64,
    /// Cached difference from the site, with the revisions of site and preview it was computed at.
    pub difference: tokio::sync::Mutex<Option<([u64; 2], Arc<Difference>)>>,
    /// Memory limit shared with other previews.
    memory: Arc<PreviewMemory>,
    /// Estimated bytes; 0 until the preview is in memory.
    bytes: AtomicU64,
    started_at: Instant,
    /// Milliseconds from `began` to the last look at the ref.
    last_look_ms: AtomicU64,
    look_lock: tokio::sync::Mutex<()>,
}

/// A preview as lists show it.
#[derive(Clone, Debug, Serialize)]
pub struct PreviewEntry {
    /// The name of the branch, tag or commit.
    #[serde(rename = "ref")]
    pub name: String,
    /// Its ref as written in its host name.
    pub label: String,
    /// The commit that is shown; that of the ref if the preview is not open.
    pub commit: String,
    /// Whether it is open: it has been visited, and has not expired.
    pub open: bool,
    /// When it was opened, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opened: Option<u64>,
    /// Seconds since the last visit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_s: Option<u64>,
}

impl Default for Previews {
    fn default() -> Self {
        Self::new(quire_settings::Previews::default(), Arc::default())
    }
}

impl Previews {
    /// No previews; they share `memory` with those of other sites.
    pub fn new(settings: quire_settings::Previews, memory: Arc<PreviewMemory>) -> Self {
        let open = Arc::default();
        memory.share(&open);
        Self {
            settings,
            open,
            memory,
        }
    }

    /// Returns true if `settings` are in effect.
    pub fn are_set(&self, settings: &quire_settings::Previews) -> bool {
        self.settings == *settings
    }

    /// Returns true if specifications are fetched for them.
    pub fn may_fetch(&self) -> bool {
        self.settings.fetch
    }

    /// The sites of the open previews.
    pub fn slots(&self) -> Vec<Arc<SiteSlot>> {
        self.lock()
            .values()
            .map(|preview| preview.slot.clone())
            .collect()
    }

    /// The open previews.
    pub fn open(&self) -> Vec<Arc<Preview>> {
        self.lock().values().cloned().collect()
    }

    /// The preview of `label`, if it is open.
    pub fn get(&self, label: &str) -> Option<Arc<Preview>> {
        self.lock().get(label).cloned()
    }

    /// The preview of `label` of the site at `parent`, opened if it is not; `None` if no ref is called so. Blocks.
    pub fn visit(&self, parent: &SiteSlot, label: &str) -> anyhow::Result<Option<Arc<Preview>>> {
        if let Some(preview) = self.get(label) {
            return Ok(Some(preview));
        }
        let Some((repository, prefix)) = parent.repository()? else {
            return Ok(None);
        };
        let refs = repository.refs()?;
        let (name, untrusted) = match labels(&refs, &parent.id).remove(label) {
            Some(found) => (found.name.clone(), false),
            None if is_commit(label) => match repository.resolve(label)? {
                Some(commit) => (label.to_owned(), !repository.is_taken_up(&commit)?),
                None => return Ok(None),
            },
            None => return Ok(None),
        };
        let tree = Arc::new(Tree::new(repository, &prefix, &name));
        let preview = Arc::new(Preview {
            label: label.to_owned(),
            slot: Arc::new(parent.of_preview(label, tree.clone(), untrusted)),
            tree,
            opened: now(),
            difference: tokio::sync::Mutex::default(),
            memory: self.memory.clone(),
            bytes: AtomicU64::new(0),
            started_at: Instant::now(),
            last_look_ms: AtomicU64::new(0),
            look_lock: tokio::sync::Mutex::new(()),
        });
        let mut open = self.lock();
        let preview = open.entry(label.to_owned()).or_insert(preview).clone();
        while open.len() > self.settings.most.max(1) {
            let oldest = open
                .values()
                .filter(|other| other.label != label)
                .max_by_key(|other| other.slot.idle_time())
                .map(|other| other.label.clone());
            let Some(oldest) = oldest else { break };
            open.remove(&oldest);
        }
        Ok(Some(preview))
    }

    /// Closes the preview of `label`; whether it was open.
    pub fn close(&self, label: &str) -> bool {
        self.lock().remove(label).is_some()
    }

    /// Closes previews that were not visited for the time in the settings.
    pub fn sweep(&self) {
        let most = Duration::from_secs(self.settings.days.max(1) * 24 * 60 * 60);
        self.lock()
            .retain(|_, preview| preview.slot.idle_time() < most);
    }

    /// Every ref of the repository of `parent` and what is open of them, the newest commit first. Blocks.
    pub fn list(&self, parent: &SiteSlot) -> anyhow::Result<Vec<PreviewEntry>> {
        let mut open: BTreeMap<String, Arc<Preview>> = self.lock().clone();
        let mut previews = Vec::new();
        if let Some((repository, _)) = parent.repository()? {
            let refs = repository.refs()?;
            let labels = labels(&refs, &parent.id);
            let mut by_name: BTreeMap<&str, &str> = BTreeMap::new();
            for (label, found) in &labels {
                by_name.insert(&found.name, label);
            }
            for found in &refs {
                let Some(label) = by_name.get(found.name.as_str()) else {
                    continue;
                };
                let preview = open.remove(*label);
                previews.push(entry(&found.name, label, &found.commit, preview.as_deref()));
            }
        }
        for preview in open.values() {
            let commit = preview.tree.commit();
            previews.push(entry(
                &preview.tree.name,
                &preview.label,
                &commit,
                Some(preview),
            ));
        }
        Ok(previews)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Arc<Preview>>> {
        lock(&self.open)
    }
}

fn entry(name: &str, label: &str, commit: &str, preview: Option<&Preview>) -> PreviewEntry {
    let shown = preview.map(|preview| preview.tree.commit());
    let shown = shown.filter(|shown| !shown.is_empty());
    PreviewEntry {
        name: name.to_owned(),
        label: label.to_owned(),
        commit: shown.unwrap_or_else(|| commit.to_owned()),
        open: preview.is_some(),
        opened: preview.map(|preview| preview.opened),
        idle_s: preview.map(|preview| preview.slot.idle_time().as_secs()),
    }
}

impl Preview {
    /// Returns the site of the preview, starting it if necessary; may close other previews to stay within the memory limit.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be started.
    pub async fn service(self: &Arc<Self>) -> Result<Arc<Service>, String> {
        if self.slot.running().is_some() {
            return self.slot.service().await;
        }
        // Places are given for as long as there is the process.
        let _place = self.memory.places.acquire().await;
        let service = self.slot.service().await?;
        self.weigh();
        Ok(service)
    }

    /// Estimated bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Updates the estimate and closes other previews if it no longer fits.
    fn weigh(self: &Arc<Self>) {
        let bytes = estimate(self.tree.text_bytes());
        self.bytes.store(bytes, Ordering::Relaxed);
        self.memory.make_room(self);
    }

    /// Follows the ref, if it was not looked at for a moment: what differs is published before this returns.
    pub async fn follow(self: &Arc<Self>) {
        let due = || {
            let looked = Duration::from_millis(self.last_look_ms.load(Ordering::Relaxed));
            self.started_at.elapsed().saturating_sub(looked) >= LOOK_AGAIN
        };
        if !due() || self.tree.commit().is_empty() {
            return;
        }
        let _looking = self.look_lock.lock().await;
        if !due() {
            return;
        }
        let preview = self.clone();
        let looked = tokio::task::spawn_blocking(move || {
            if preview.tree.has_moved()
                && let Some(service) = preview.slot.running()
                && let Err(error) = service.core().reread()
            {
                tracing::warn!(
                    preview = preview.label,
                    "{error:#}; still serving the previous commit"
                );
            }
            preview.weigh();
        });
        // A fault there is told by the log; the last commit stays.
        let _ = looked.await;
        let now = u64::try_from(self.started_at.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_look_ms.store(now, Ordering::Relaxed);
    }
}

/// Host labels of `refs`. Names that give the same label get a digest, except the first in order.
pub fn labels<'a>(refs: &'a [Ref], id: &str) -> BTreeMap<String, &'a Ref> {
    let mut sorted: Vec<&Ref> = refs.iter().collect();
    sorted.sort_by(|a, b| a.name.cmp(&b.name));
    let mut labels = BTreeMap::new();
    let most = LABEL.saturating_sub(id.len() + 2);
    for found in sorted {
        let plain = label(&found.name);
        let digest = ContentHash::of(found.name.as_bytes()).short();
        let digest: String = digest
            .to_ascii_lowercase()
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .take(7)
            .collect();
        let is_good = !plain.is_empty() && plain.len() <= most && !labels.contains_key(&plain);
        let label = match is_good {
            true => plain,
            false => {
                let room = most.saturating_sub(digest.len() + 1);
                let start = plain[..plain.len().min(room)].trim_end_matches('-');
                match start {
                    "" => digest,
                    _ => format!("{start}-{digest}"),
                }
            }
        };
        labels.insert(label, found);
    }
    labels
}

/// Returns true if `label` may name a commit: 7 to 40 hexadecimal digits.
pub fn is_commit(label: &str) -> bool {
    (7..=40).contains(&label.len()) && label.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(names: &[&str], expected: &[(&str, &str)]) {
        let refs: Vec<Ref> = names
            .iter()
            .map(|name| Ref {
                name: (*name).to_owned(),
                commit: String::new(),
                time: 0,
                subject: String::new(),
            })
            .collect();
        let labels = labels(&refs, "docs");
        let found: Vec<(&str, &str)> = labels
            .iter()
            .map(|(label, found)| (label.as_str(), found.name.as_str()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn names_of_branches_in_addresses() {
        check(&["main"], &[("main", "main")]);
        check(
            &["Feature/New_Search"],
            &[("feature-new-search", "Feature/New_Search")],
        );
        check(&["a--b"], &[("a-b", "a--b")]);
    }

    #[test]
    fn names_that_come_out_the_same_are_told_apart() {
        let names = ["a/b", "a-b", "ü"].map(|name| Ref {
            name: name.to_owned(),
            commit: String::new(),
            time: 0,
            subject: String::new(),
        });
        let labels = labels(&names, "docs");
        assert_eq!(labels.len(), 3);
        assert_eq!(labels["a-b"].name, "a-b");
        assert!(
            labels
                .keys()
                .all(|label| label.len() <= 63 - "--docs".len())
        );
    }

    #[test]
    fn a_long_name_fits_into_a_label() {
        let name = "x".repeat(200);
        let refs = [Ref {
            name,
            commit: String::new(),
            time: 0,
            subject: String::new(),
        }];
        let labels = labels(&refs, "documentation");
        let label = labels.keys().next().expect("a label");
        assert!(label.len() + "--documentation".len() <= 63, "{label}");
    }
}
