//! Sites that are served from what their deployments have stored: no sources, no database. What a
//! process of `quire serve` answers from.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use anyhow::Context;
use bytes::Bytes;
use queries::base::path::{Route, SitePath};
use queries::site::{Moves, PageBlocks, Product};
use queries::theme::card::Card;

use crate::manifest::{Manifest, ManifestEntry, Outputs};
use crate::release::Releases;
use crate::sites::deploy::list::published_in;
use quire_cards as cards;
use quire_search::index::{Filter, FoundPassages};
use quire_search::search_service::{FoundBlocks, SearchQuery};
use quire_search::stored::{Answers, FixedSearch, language_or_default};
use quire_storage::objects::ObjectId;
use quire_storage::recent::RecentBytes;
use quire_storage::store::Store;
use quire_storage::{Kind, Name, Scratch, Stamp, Storage, wait};

/// Most bytes of outputs in memory as they are stored, of all sites together.
const CACHE_BYTES: usize = 16 << 20;

/// The sites of a storage, each as it was published last.
pub struct ServedSites {
    shared: Arc<Shared>,
    sites: RwLock<BTreeMap<String, Arc<ServedSite>>>,
    /// Records of deployments as they were read last.
    stamps: Mutex<HashMap<Name, Stamp>>,
    /// Why the last publication of a site is not served, by site.
    failures: Mutex<BTreeMap<String, String>>,
    /// Why the storage could not be read when it was looked at last.
    outage: Mutex<Option<String>>,
}

/// Place of an output: object, position and number of bytes there, whether they are compressed. An
/// author may store an object that equals a compressed output.
type Place = (ObjectId, u64, u64, bool);

struct Shared {
    storage: Arc<dyn Storage>,
    /// Folder of the indexes that are in use.
    indexes: PathBuf,
    /// Outputs by their place.
    recent: Mutex<RecentBytes<Place>>,
    /// Pictures of pages.
    pictures: Arc<Store>,
}

/// A published site.
pub struct ServedSite {
    /// Id.
    pub id: String,
    /// Number of the deployment.
    pub deployment: u64,
    /// Outputs.
    pub outputs: Outputs,
    manifest: ObjectId,
    /// Files of the site that pictures of pages show, by path.
    pictured: BTreeMap<String, ObjectId>,
    shared: Arc<Shared>,
    search: OnceLock<Result<Arc<FixedSearch>, String>>,
}

impl ServedSites {
    /// The sites of `storage`; `cache` takes files that can be made again.
    pub fn new(storage: Arc<dyn Storage>, cache: &Path) -> Self {
        Self {
            shared: Arc::new(Shared {
                storage,
                indexes: cache.join("indexes"),
                recent: Mutex::new(RecentBytes::new(CACHE_BYTES)),
                pictures: Store::in_memory(),
            }),
            sites: RwLock::default(),
            stamps: Mutex::default(),
            failures: Mutex::default(),
            outage: Mutex::default(),
        }
    }

    /// Takes up what was published since the last time; returns the ids of those sites. A site
    /// whose publication cannot be read stays as it is. Blocks.
    ///
    /// # Errors
    ///
    /// Fails if the deployments cannot be listed.
    pub fn refresh(&self) -> anyhow::Result<Vec<String>> {
        let storage = &self.shared.storage;
        let listed = wait(storage.stamps(Kind::Deployments));
        let why = listed.as_ref().err().map(ToString::to_string);
        *lock(&self.outage) = why;
        let mut changed = Vec::new();
        let mut names = BTreeSet::new();
        // Before they are read: what is written in between is seen the next time.
        for (name, stamp) in listed? {
            let id = name.as_str().to_owned();
            names.insert(id.clone());
            if lock(&self.stamps).get(&name) == Some(&stamp) {
                continue;
            }
            match self.load(&name) {
                Ok(is_new) => {
                    lock(&self.failures).remove(&id);
                    changed.extend(is_new.then(|| id.clone()));
                    lock(&self.stamps).insert(name, stamp);
                }
                Err(error) => {
                    self.note_failure(&id, format!("{error:#}"));
                }
            }
        }
        for site in self.all() {
            if !names.contains(&site.id) {
                self.note_failure(&site.id, "its list of deployments is gone".to_owned());
            }
        }
        if !changed.is_empty() {
            self.shared.clear_indexes(&self.all());
        }
        Ok(changed)
    }

    fn note_failure(&self, id: &str, why: String) {
        let before = lock(&self.failures).insert(id.to_owned(), why.clone());
        if before.as_ref() != Some(&why) {
            match self.get(id) {
                Some(_) => tracing::error!(site = id, "serving what was published before: {why}"),
                None => tracing::error!(site = id, "serving nothing of this site: {why}"),
            }
        }
        // A record with the stamp of one that was read before may be another file.
        lock(&self.stamps).retain(|name, _| name.as_str() != id);
    }

    /// Reads what the deployments of `name` have published last; returns true if it is another
    /// publication than the one that is served.
    fn load(&self, name: &Name) -> anyhow::Result<bool> {
        let shared = &self.shared;
        let id = name.as_str();
        let record = wait(shared.storage.get(name))?;
        let record = record.context("the list of deployments is gone")?;
        let Some((deployment, release)) = published_in(&record.bytes) else {
            return Ok(false);
        };
        let release = release.with_context(|| {
            format!("nothing is stored of the deployment {deployment}; deploy the site again")
        })?;
        let release = Releases::new(shared.storage.clone()).load(release)?;
        let manifest = release.manifest.with_context(|| {
            format!("the deployment {deployment} has no outputs; deploy the site again")
        })?;
        let known = self.get(id);
        if let Some(known) = known.filter(|known| known.manifest == manifest)
            && known.deployment == deployment
        {
            return Ok(false);
        }
        let outputs = Outputs::new(Manifest::load(&*shared.storage, manifest)?);
        let look = &outputs.manifest.card_look;
        let pictured = [&look.logo, &look.background].into_iter().flatten();
        let pictured = pictured.filter_map(|picture| {
            let file = release.file(&picture.path, picture.digest)?;
            Some((picture.path.as_str().to_owned(), file.object))
        });
        let site = ServedSite {
            id: id.to_owned(),
            deployment,
            manifest,
            pictured: pictured.collect(),
            shared: shared.clone(),
            search: OnceLock::new(),
            outputs,
        };
        let mut sites = self.sites.write().unwrap_or_else(PoisonError::into_inner);
        sites.insert(id.to_owned(), Arc::new(site));
        Ok(true)
    }

    /// The site of this id.
    pub fn get(&self, id: &str) -> Option<Arc<ServedSite>> {
        let sites = self.sites.read().unwrap_or_else(PoisonError::into_inner);
        sites.get(id).cloned()
    }

    /// Every site, by id.
    pub fn all(&self) -> Vec<Arc<ServedSite>> {
        let sites = self.sites.read().unwrap_or_else(PoisonError::into_inner);
        sites.values().cloned().collect()
    }

    /// Returns true if no site is served.
    pub fn is_empty(&self) -> bool {
        let sites = self.sites.read().unwrap_or_else(PoisonError::into_inner);
        sites.is_empty()
    }

    /// Why the last publication of a site is not served, by site.
    pub fn failures(&self) -> BTreeMap<String, String> {
        lock(&self.failures).clone()
    }

    /// Why the storage cannot be read at present; what was read before is served.
    pub fn outage(&self) -> Option<String> {
        lock(&self.outage).clone()
    }

    /// The site that `host` names: a name in lower case without a port. `ID.localhost` names the
    /// site `ID`, and any name of this machine the only one.
    pub fn at(&self, host: &str) -> Option<Arc<ServedSite>> {
        let all = self.all();
        let has_domain = |site: &&Arc<ServedSite>| {
            let mut domains = site.outputs.manifest.domains.iter();
            domains.any(|domain| domain.eq_ignore_ascii_case(host))
        };
        if let Some(site) = all.iter().find(has_domain) {
            return Some(site.clone());
        }
        if let Some(id) = host.strip_suffix(".localhost") {
            return self.get(id);
        }
        match all.as_slice() {
            [site] if crate::sites::is_this_machine(host) => Some(site.clone()),
            _ => None,
        }
    }
}

impl ServedSite {
    /// The bytes of `entry` as they are stored, if they are in memory: they may be compressed
    /// ([`ManifestEntry::unpack`]).
    pub fn at_hand(&self, entry: &ManifestEntry) -> Option<Bytes> {
        lock(&self.shared.recent).get(&place(entry))
    }

    /// Reads the bytes of `entry` as they are stored, compared with their digest. Blocks.
    ///
    /// # Errors
    ///
    /// Fails if they are missing or damaged.
    pub fn read(&self, entry: &ManifestEntry) -> anyhow::Result<Bytes> {
        let object = self.shared.object(entry.object)?;
        let part = entry.part_of(&object)?;
        // A part of an object would keep all of it in memory.
        let bytes = match part.len() < object.len() {
            true => Bytes::copy_from_slice(&part),
            false => part,
        };
        lock(&self.shared.recent).put(place(entry), bytes.clone());
        Ok(bytes)
    }

    /// Opens the local file of `entry`, if it is a whole object and has one. Its bytes are not
    /// compared with their digest.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be opened.
    pub fn open(&self, entry: &ManifestEntry) -> anyhow::Result<Option<std::fs::File>> {
        let Some(file) = self.shared.storage.objects().file(&entry.object.0)? else {
            return Ok(None);
        };
        let is_whole =
            entry.start == 0 && entry.packed.is_none() && file.metadata()?.len() == entry.size;
        Ok(is_whole.then_some(file))
    }

    /// The picture that `entry` describes, as a PNG; `None` for a fault of what draws. Blocks.
    ///
    /// # Errors
    ///
    /// Fails if its content cannot be read.
    pub fn picture(&self, entry: &ManifestEntry) -> anyhow::Result<Option<Arc<[u8]>>> {
        let card: Card = serde_json::from_slice(&entry.unpack(self.read(entry)?)?)?;
        let read = |path: &SitePath| {
            let object = self.pictured.get(path.as_str())?;
            Some(self.shared.object(*object).ok()?.to_vec())
        };
        let look = &self.outputs.manifest.card_look;
        let drawn = cards::painter().card_in_turn(&*self.shared.pictures, look, &card, &read);
        Ok(drawn.map(|card| card.bytes))
    }

    /// The search of the site, opened when it is first asked for. Blocks.
    ///
    /// # Errors
    ///
    /// Returns why the index cannot be used.
    pub fn search(&self) -> Result<Arc<FixedSearch>, String> {
        let opened = self.search.get_or_init(|| {
            let search = self.open_search();
            search.map(Arc::new).map_err(|error| format!("{error:#}"))
        });
        opened.clone()
    }

    fn open_search(&self) -> anyhow::Result<FixedSearch> {
        let search = self.outputs.manifest.search.as_ref();
        let search = search.context("no search index was stored")?;
        let folder = Scratch::at(&self.shared.indexes.join(self.manifest.to_string()));
        let files = search.files.iter();
        folder.create_with(
            files.map(|(name, object)| Ok((name.clone(), self.shared.object(*object)?))),
        )?;
        FixedSearch::open(folder.path(), search.stored.clone())
    }
}

impl Answers for ServedSite {
    fn passages(&self, query: &SearchQuery) -> anyhow::Result<FoundPassages> {
        let search = self.search().map_err(anyhow::Error::msg)?;
        Ok(search.passages(query))
    }

    fn languages(&self) -> anyhow::Result<Vec<String>> {
        Ok(self.search().map_err(anyhow::Error::msg)?.languages())
    }

    fn versions(&self) -> anyhow::Result<Vec<String>> {
        Ok(self.search().map_err(anyhow::Error::msg)?.versions())
    }

    fn products(&self) -> anyhow::Result<Vec<(Product, String)>> {
        Ok(self.search().map_err(anyhow::Error::msg)?.products())
    }

    fn home(&self) -> anyhow::Result<Option<Route>> {
        let home = Route::home();
        Ok(match self.outputs.page(&home) {
            Some(_) => Some(home),
            None => self.outputs.home(),
        })
    }

    fn page_at(&self, url: &Route) -> anyhow::Result<Option<FoundBlocks>> {
        let answers = self
            .outputs
            .page(url)
            .and_then(|page| page.answers.as_ref());
        let (Some(answers), Some(page)) = (answers, self.outputs.entry(url.as_str())) else {
            return Ok(None);
        };
        let Some(blocks) = answers.blocks else {
            return Ok(None);
        };
        let place = ManifestEntry {
            start: blocks.start,
            size: blocks.size,
            packed: blocks.packed,
            ..page.clone()
        };
        let blocks = place.unpack(self.read(&place)?)?;
        let language = language_or_default(answers.language.clone());
        let blocks: PageBlocks = serde_json::from_slice(&blocks)?;
        Ok(Some((answers.title.clone(), language, Arc::new(blocks))))
    }

    fn filter_at(&self, url: &Route) -> anyhow::Result<Filter> {
        let answers = self
            .outputs
            .page(url)
            .and_then(|page| page.answers.as_ref());
        Ok(answers.map_or_else(Filter::default, |answers| Filter {
            product: answers.product.clone(),
            version: answers.version.clone(),
            language: answers.language.clone(),
            ..Filter::default()
        }))
    }
}

impl Shared {
    fn object(&self, id: ObjectId) -> anyhow::Result<Bytes> {
        let bytes = wait(self.storage.objects().get(&id.0))?;
        bytes.with_context(|| format!("the object {id} is missing or damaged"))
    }

    /// Removes the indexes of what is not served any more. Open files stay readable.
    fn clear_indexes(&self, sites: &[Arc<ServedSite>]) {
        let used: BTreeSet<String> = sites.iter().map(|site| site.manifest.to_string()).collect();
        for folder in Scratch::at(&self.indexes).folders() {
            let name = folder.path().file_name().and_then(|name| name.to_str());
            if name.is_some_and(|name| name.len() == 64 && !used.contains(name)) {
                // What stays costs room and nothing else.
                let _ = folder.remove();
            }
        }
    }
}

fn place(entry: &ManifestEntry) -> Place {
    let size = entry.packed.unwrap_or(entry.size);
    (entry.object, entry.start, size, entry.packed.is_some())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
