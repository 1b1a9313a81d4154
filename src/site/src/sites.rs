//! The sites of one process, and which of them a host name means. A site is started when it is first asked for and put
//! out of memory when nobody asks any more.

pub mod deploy;
mod model;
pub mod preview;
mod slot;

use std::collections::{BTreeMap, HashMap};
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use dashmap::DashMap;

use crate::analytics;
use crate::feedback;
use crate::service::Service;
use crate::sites::deploy::{Deployments, Part, Places};
use crate::sites::model::SharedModel;
use crate::sites::preview::PreviewMemory;
use crate::sites::slot::previews_of;
use quire_settings::{AssistantSettings, Settings, SiteSettings};
use quire_source::fetch::FetchPolicy;
use quire_source::repository;
use quire_storage::directory::Directory;
use quire_storage::memory::Memory;
use quire_storage::store::Store;
use quire_storage::{Changes, Error, Kind, Name, Scratch, Stamp, Storage, wait};

pub use slot::{SiteSlot, folder_missing};

/// The folder of the artifacts below that of the state.
const ARTIFACTS: &str = "artifacts";

/// The folder of the search indexes, one for each site.
const INDEXES: &str = "search";

/// The folder of the copies of repositories.
const REPOSITORIES: &str = "repositories";

/// Time between two sweeps of what deployments have stored.
const SWEEP: Duration = Duration::from_secs(60 * 60);

/// The sites of one process.
pub struct Sites {
    slots: DashMap<String, Arc<SiteSlot>>,
    domains: RwLock<Domains>,
    storage: Arc<dyn Storage>,
    /// Storage of this machine: indexes, copies of repositories.
    local: Arc<dyn Storage>,
    store: Arc<Store>,
    /// Room for the previews of all sites.
    previews: RwLock<Arc<PreviewMemory>>,
    /// How this process takes part in deployments.
    part: Part,
    /// Set by the first configuration.
    places: OnceLock<Arc<Places>>,
    /// Lists of deployments as they were read last, where others write them too.
    seen: Mutex<HashMap<Name, Stamp>>,
    /// Why what another process has published is not published here, by site.
    behind: Mutex<BTreeMap<String, String>>,
    /// Why the storage could not be read when it was looked at last.
    outage: Mutex<Option<String>>,
    /// Time of the last sweep of what deployments have stored.
    swept: Mutex<Option<Instant>>,
}

#[derive(Default)]
struct Domains {
    /// The site of each host name.
    sites: BTreeMap<String, String>,
    /// Suffixes of preview hosts after `REF--ID`, with a leading dot, besides `.localhost`.
    previews: Vec<String>,
}

/// Result of resolving a Host header.
pub enum HostMatch {
    /// A site.
    Site(Arc<SiteSlot>),
    /// A preview of a site, by the label of its ref.
    Preview(Arc<SiteSlot>, String),
    /// This machine, which has several sites or none.
    Machine,
    /// Nothing here.
    Unknown,
}

impl HostMatch {
    /// Returns true for a preview.
    pub fn is_preview(&self) -> bool {
        matches!(self, Self::Preview(..))
    }
}

impl Sites {
    /// Sites that keep what they must remember in `state`.
    pub fn new(state: Option<&Path>) -> Self {
        let Some(state) = state else {
            let memory = Arc::new(Memory::default());
            return Self::over(memory.clone(), memory, Store::in_memory());
        };
        Self::published_in(Arc::new(Directory::new(state)), state, None)
    }

    /// Sites whose deployments are in `storage`, and whose caches are in the folder `state`, which
    /// cannot be written if `closed` says why.
    pub fn published_in(
        storage: Arc<dyn Storage>,
        state: &Path,
        closed: Option<&Arc<str>>,
    ) -> Self {
        let artifacts = state.join(ARTIFACTS);
        let (local, store) = match closed {
            None => (Directory::new(state), Store::open(&artifacts)),
            Some(why) => (
                Directory::closed(state, why),
                Store::open_to_read(&artifacts, why),
            ),
        };
        if closed.is_none() {
            clear_leftovers(&local);
        }
        Self::over(storage, Arc::new(local), store)
    }

    /// Sites that read what is kept in `state` and cannot write there: `why` says why.
    pub fn read_only(state: &Path, why: &Arc<str>) -> Self {
        Self::published_in(Arc::new(Directory::closed(state, why)), state, Some(why))
    }

    fn over(storage: Arc<dyn Storage>, local: Arc<dyn Storage>, store: Arc<Store>) -> Self {
        Self {
            slots: DashMap::new(),
            domains: RwLock::default(),
            storage,
            local,
            store,
            previews: RwLock::default(),
            part: Part::Alone,
            places: OnceLock::new(),
            seen: Mutex::default(),
            behind: Mutex::default(),
            outage: Mutex::default(),
            swept: Mutex::default(),
        }
    }

    /// The same sites of a process that takes part in deployments as `part`.
    pub fn taking_part(self, part: Part) -> Self {
        Self { part, ..self }
    }

    /// Tells of what other processes write, if the storage does.
    pub fn changes(&self) -> Option<Changes> {
        self.storage.changes()
    }

    /// Takes up what other processes have accepted and published. Blocks; must be called where a runtime
    /// is entered.
    ///
    /// # Errors
    ///
    /// Fails if the lists of deployments cannot be read.
    pub fn follow(&self) -> Result<(), Error> {
        let followed = self.take_up();
        let why = followed.as_ref().err().map(ToString::to_string);
        *lock(&self.outage) = why;
        followed
    }

    /// Why the storage cannot be read at present; what was published before is served.
    pub fn outage(&self) -> Option<String> {
        lock(&self.outage).clone()
    }

    /// Why what another process has published is not published here, by site.
    pub fn behind(&self) -> BTreeMap<String, String> {
        lock(&self.behind).clone()
    }

    fn take_up(&self) -> Result<(), Error> {
        let stamps = wait(self.storage.stamps(Kind::Deployments))?;
        lock(&self.behind).retain(|id, _| self.slots.contains_key(id));
        lock(&self.seen).retain(|name, _| self.slots.contains_key(name.as_str()));
        for (name, stamp) in stamps {
            let Some(slot) = self.get(name.as_str()) else {
                continue;
            };
            // A fault in one site does not keep the others from being followed.
            let caught_up = std::panic::catch_unwind(AssertUnwindSafe(|| {
                self.take_up_list(&slot, &name, stamp)
            }));
            let why = match caught_up {
                Ok(caught_up) => caught_up.err().map(|error| format!("{error:#}")),
                Err(_) => Some("a fault of the program; its log says more".to_owned()),
            };
            let mut behind = lock(&self.behind);
            if let Some(why) = &why
                && behind.get(&slot.id) != Some(why)
            {
                tracing::error!(site = slot.id, "serving what was published before: {why}");
            }
            match why {
                Some(why) => behind.insert(slot.id.clone(), why),
                None => behind.remove(&slot.id),
            };
        }
        Ok(())
    }

    fn take_up_list(&self, slot: &Arc<SiteSlot>, name: &Name, stamp: Stamp) -> anyhow::Result<()> {
        if lock(&self.seen).get(name) != Some(&stamp) {
            slot.deployments.refresh()?;
            lock(&self.seen).insert(name.clone(), stamp);
        }
        deploy::catch_up(slot)
    }

    /// One site that is started already, with any id.
    pub fn of_service(service: Service) -> Self {
        let sites = Self {
            store: service.store().clone(),
            ..Self::new(None)
        };
        let id = service.core().id.clone();
        let slot = SiteSlot::new(
            &id,
            SiteSettings::default(),
            Arc::new(Deployments::open(sites.storage.clone(), &id)),
            service.handle().feedback().clone(),
            service.store().clone(),
            Arc::new(SharedModel::new(
                &AssistantSettings::default(),
                sites.storage.clone(),
                &id,
            )),
            Box::new(|| anyhow::bail!("the site has ended")),
        );
        *write(&slot.service) = Some(Arc::new(service));
        sites.slots.insert(id, Arc::new(slot));
        sites
    }

    /// Makes the sites those of `settings`. Sites whose settings are the same go on undisturbed; returns the ids of those
    /// that are new or different.
    pub fn configure(&self, settings: &Settings) -> Vec<String> {
        let mut domains = Domains::default();
        let mut changed = Vec::new();
        // Settings that cannot be meant are refused before they come here.
        let fetching = FetchPolicy::of_site(&settings.fetch.allow).unwrap_or_default();
        let memory = PreviewMemory::of(&settings.previews);
        if self.preview_memory().limit() != memory.limit() {
            *write(&self.previews) = Arc::new(memory);
        }
        let places = || Arc::new(Places::new(settings.deployments.places()));
        let places = self.places.get_or_init(places);
        for (id, site) in &settings.sites {
            let site = &SiteSettings {
                quotas: site.quotas.or(settings.quotas),
                ..site.clone()
            };
            let previews = previews_of(site, settings);
            for domain in &site.domains {
                domains
                    .sites
                    .insert(domain.to_ascii_lowercase(), id.clone());
            }
            if let Some(domain) = &site.preview_domain {
                domains
                    .previews
                    .push(format!(".{}", domain.to_ascii_lowercase()));
            }
            let is_same = self.slots.get(id).is_some_and(|slot| {
                let has_all = slot.fetching.allows_as(&fetching);
                slot.settings == *site && has_all && slot.previews.are_set(&previews)
            });
            if !is_same {
                let mut slot = SiteSlot::configured(id, site, self, settings);
                slot.places = places.clone();
                for warning in slot.warnings() {
                    tracing::warn!(site = id, "{warning}");
                }
                self.slots.insert(id.clone(), Arc::new(slot));
                changed.push(id.clone());
            }
        }
        self.slots.retain(|id, _| settings.sites.contains_key(id));
        for slot in self.all() {
            let quotas = slot.settings.quotas;
            let daily = (quotas.daily_build_seconds).filter(|_| !slot.is_followed());
            slot.deployments
                .set_limits(settings.deployments.keep, daily);
        }
        *write(&self.domains) = domains;
        changed
    }

    /// Store shared by the sites.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// Room for the previews of all sites.
    fn preview_memory(&self) -> Arc<PreviewMemory> {
        let memory = self.previews.read();
        memory.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The site of this id.
    pub fn get(&self, id: &str) -> Option<Arc<SiteSlot>> {
        self.slots.get(id).map(|slot| slot.clone())
    }

    /// Every site, by id.
    pub fn all(&self) -> Vec<Arc<SiteSlot>> {
        let mut slots: Vec<Arc<SiteSlot>> = self.slots.iter().map(|slot| slot.clone()).collect();
        slots.sort_by(|a, b| a.id.cmp(&b.id));
        slots
    }

    /// Resolves `host`: a name in lower case without a port.
    pub fn at(&self, host: &str) -> HostMatch {
        let domains = self.domains.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = domains.sites.get(host).and_then(|id| self.get(id)) {
            return HostMatch::Site(slot);
        }
        let suffixes = domains
            .previews
            .iter()
            .map(String::as_str)
            .chain([".localhost"]);
        for label in suffixes.filter_map(|suffix| host.strip_suffix(suffix)) {
            if let Some((name, id)) = label.rsplit_once("--") {
                if let Some(slot) = self.get(id) {
                    return HostMatch::Preview(slot, name.to_owned());
                }
            } else if host.ends_with(".localhost")
                && let Some(slot) = self.get(label)
            {
                return HostMatch::Site(slot);
            }
        }
        drop(domains);
        if !is_this_machine(host) {
            return HostMatch::Unknown;
        }
        match self.all().as_slice() {
            [slot] if host == "localhost" || !host.ends_with(".localhost") => {
                HostMatch::Site(slot.clone())
            }
            // A single site that nobody named: any name of this machine is as good as another.
            [slot] if slot.settings == SiteSettings::default() => HostMatch::Site(slot.clone()),
            _ => HostMatch::Machine,
        }
    }

    /// Unloads sites that were not requested since `idle`, closes previews that have expired, and
    /// writes what was made and counted since the last time.
    pub fn sweep(&self, idle: Duration) {
        for slot in self.all() {
            slot.previews.sweep();
            if !idle.is_zero() && slot.idle_time() >= idle && slot.unload() {
                tracing::info!(site = slot.id, "unloaded site: idle");
            }
        }
        self.keep();
        let mut swept = self.swept.lock().unwrap_or_else(PoisonError::into_inner);
        if swept.is_none_or(|last| last.elapsed() >= SWEEP) {
            *swept = Some(Instant::now());
            match deploy::sweep::sweep(&self.storage, SystemTime::now()) {
                Ok(0) => {}
                Ok(deleted) => tracing::info!(deleted, "deleted objects of old deployments"),
                Err(error) => tracing::warn!("keeping all objects of deployments: {error:#}"),
            }
            let storage = &*self.storage;
            let deleted =
                analytics::delete_old(storage).and_then(|()| feedback::delete_old(storage));
            match deleted {
                // A folder that cannot be written keeps everything, as was said when it was opened.
                Ok(()) | Err(Error::ReadOnly(_)) => {}
                Err(error) => tracing::warn!("keeping old feedback and page counts: {error}"),
            }
        }
    }

    /// Writes what was made and counted since the last time: what is kept on this machine first.
    /// Blocks.
    pub fn keep(&self) {
        self.store.idle();
        for slot in self.all() {
            if let Some(analytics) = &slot.analytics {
                analytics.flush();
            }
        }
    }

    /// Has nobody wait for counts that are not written yet; returns the ids of those sites.
    pub fn give_up_counts(&self) -> Vec<String> {
        let mut slots = self.all();
        slots.retain(|slot| (slot.analytics.as_ref()).is_some_and(|counts| counts.give_up()));
        slots.iter().map(|slot| slot.id.clone()).collect()
    }

    /// Ends the streams to open pages.
    pub fn end_streams(&self) {
        for slot in self.all() {
            let previews = slot.previews.slots();
            for service in [slot]
                .into_iter()
                .chain(previews)
                .filter_map(|slot| slot.running())
            {
                service.core().readers.end();
            }
        }
    }
}

/// Removes what a daemon that was killed left unfinished in `storage`.
fn clear_leftovers(storage: &Directory) {
    storage.clear_leftovers(Kind::Deployments);
    storage.clear_leftovers(Kind::Feedback);
    storage.clear_leftovers(Kind::Analytics);
    storage.clear_leftovers(Kind::ModelUse);
    storage.clear_leftover_objects();
    for name in [INDEXES, REPOSITORIES] {
        for scratch in storage.scratch(name).iter().flat_map(Scratch::folders) {
            match name {
                INDEXES => scratch.clear_leftovers(),
                _ => repository::clear_leftovers(&scratch),
            }
        }
    }
    if let Some(repositories) = storage.scratch(REPOSITORIES) {
        repositories.clear_leftovers();
    }
}

/// Returns true if `host` names this machine on any network.
pub(crate) fn is_this_machine(host: &str) -> bool {
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<std::net::Ipv4Addr>().is_ok()
        || host.starts_with('[')
}

/// The time, in seconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sites(ids: &[&str]) -> Sites {
        let mut settings = Settings::default();
        for id in ids {
            let mut site = SiteSettings::of_folder(Path::new("/nonexistent"));
            site.domains = vec![format!("{id}.example.org")];
            site.preview_domain = Some("previews.example.org".to_owned());
            settings.sites.insert((*id).to_owned(), site);
        }
        let sites = Sites::new(None);
        sites.configure(&settings);
        sites
    }

    #[test]
    fn other_settings_have_the_same_deployments() {
        let sites = sites(&["docs"]);
        let before = sites.get("docs").unwrap();
        let mut settings = Settings::default();
        let changed = SiteSettings::of_folder(Path::new("/elsewhere"));
        settings.sites.insert("docs".to_owned(), changed);
        assert_eq!(sites.configure(&settings), ["docs"]);
        let after = sites.get("docs").unwrap();
        assert!(!Arc::ptr_eq(&before, &after));
        assert!(Arc::ptr_eq(&before.deployments, &after.deployments));
    }

    #[test]
    fn what_may_be_fetched_follows_the_settings() {
        let sites = sites(&["docs"]);
        let mut settings = Settings::default();
        let site = sites.get("docs").unwrap().settings.clone();
        settings.sites.insert("docs".to_owned(), site);
        assert_eq!(sites.configure(&settings), [""; 0]);
        settings.fetch.allow = vec!["https://specs.internal:8443".to_owned()];
        assert_eq!(sites.configure(&settings), ["docs"]);
        // The same origin in other words.
        settings.fetch.allow = vec!["HTTPS://specs.internal:8443/".to_owned()];
        assert_eq!(sites.configure(&settings), [""; 0]);
        settings.previews.fetch = true;
        assert_eq!(sites.configure(&settings), ["docs"]);
        assert!(sites.get("docs").unwrap().previews.may_fetch());
    }

    #[track_caller]
    fn check(ids: &[&str], host: &str, expected: &str) {
        let found = match sites(ids).at(host) {
            HostMatch::Site(slot) => slot.id.clone(),
            HostMatch::Preview(slot, name) => format!("{name} of {}", slot.id),
            HostMatch::Machine => "machine".to_owned(),
            HostMatch::Unknown => "unknown".to_owned(),
        };
        assert_eq!(found, expected, "{host}");
    }

    #[test]
    fn a_host_means_one_site() {
        let two = &["docs", "api"];
        check(two, "docs.localhost", "docs");
        check(two, "api.example.org", "api");
        check(two, "main--docs.localhost", "main of docs");
        check(two, "a--b--docs.previews.example.org", "a--b of docs");
        check(two, "main--other.localhost", "machine");
        check(two, "docs.previews.example.org", "unknown");
        check(two, "localhost", "machine");
        check(two, "127.0.0.1", "machine");
        check(two, "[::1]", "machine");
        check(two, "evil.example", "unknown");
        check(two, "docs.example.org.evil.example", "unknown");
        check(&["docs"], "localhost", "docs");
        check(&["docs"], "127.0.0.1", "docs");
        check(&["docs"], "other.localhost", "machine");
        check(&["docs"], "evil.example", "unknown");
    }
}
