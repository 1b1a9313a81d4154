//! One site of a process: what is known of it while it is not in memory, how it is started, and how a
//! preview of it is.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use anyhow::Context;
use tokio::sync::Semaphore;

use super::deploy::{self, Deployments, Places};
use super::model::SharedModel;
use super::preview::Previews;
use super::{INDEXES, REPOSITORIES, Sites, write};
use crate::analytics::Analytics;
use crate::feedback::Feedback;
use crate::service::{
    Edit, Hooks, IndexMode, Publication, SearchSetup, Service, Services, Setup, SiteSource, Source,
};
use quire_assistant::model::Model;
use quire_engine::meter::Meter;
use quire_settings::{QuotaSettings, Settings, SiteSettings};
use quire_source::fetch::FetchPolicy;
use quire_source::repository::{Repository, Tree};
use quire_storage::memory::Memory;
use quire_storage::store::Store;

/// The place of one site: what is known of it while it is not in memory.
pub struct SiteSlot {
    /// Id.
    pub id: String,
    /// Settings.
    pub settings: SiteSettings,
    /// Previews.
    pub previews: Previews,
    /// Deployments.
    pub deployments: Arc<Deployments>,
    /// Feedback of readers.
    pub feedback: Arc<Feedback>,
    pub(super) analytics: Option<Arc<Analytics>>,
    /// Language model, which its previews ask too.
    model: Arc<SharedModel>,
    /// Places of deployments that are run at the same time.
    pub(super) places: Arc<Places>,
    /// Policy for fetches.
    pub(super) fetching: FetchPolicy,
    setup: ServiceConfigFn,
    /// Store of its previews.
    store: Arc<Store>,
    /// The repository of its files, once it was looked for and found: what it knows serves every preview.
    repository: Mutex<Option<(Arc<Repository>, String)>>,
    pub(super) service: RwLock<Option<Arc<Service>>>,
    starting: tokio::sync::Mutex<()>,
    started_at: Instant,
    /// Milliseconds from `began` to the last request.
    last_asked: AtomicU64,
    failure: RwLock<Option<String>>,
}

/// Makes the set-up of a site when it is to be started. Blocks.
type ServiceConfigFn = Box<dyn Fn() -> anyhow::Result<Setup> + Send + Sync>;

/// Settings of the previews of `site`.
pub(super) fn previews_of(site: &SiteSettings, settings: &Settings) -> quire_settings::Previews {
    let all = &settings.previews;
    quire_settings::Previews {
        most: site.quotas.previews.unwrap_or(all.most),
        ..all.clone()
    }
}

impl SiteSlot {
    pub(super) fn new(
        id: &str,
        settings: SiteSettings,
        deployments: Arc<Deployments>,
        feedback: Arc<Feedback>,
        store: Arc<Store>,
        model: Arc<SharedModel>,
        setup: ServiceConfigFn,
    ) -> Self {
        Self {
            id: id.to_owned(),
            settings,
            previews: Previews::default(),
            deployments,
            feedback,
            analytics: None,
            model,
            places: Arc::new(Places::new(Semaphore::MAX_PERMITS)),
            fetching: FetchPolicy::default(),
            setup,
            store,
            repository: Mutex::default(),
            service: RwLock::new(None),
            starting: tokio::sync::Mutex::new(()),
            started_at: Instant::now(),
            last_asked: AtomicU64::new(0),
            failure: RwLock::new(None),
        }
    }

    pub(super) fn configured(
        id: &str,
        site: &SiteSettings,
        sites: &Sites,
        settings: &Settings,
    ) -> Self {
        let (name, own, shared) = (id.to_owned(), site.clone(), sites.store.clone());
        let copy = sites.local.scratch(&format!("{REPOSITORIES}/{id}.git"));
        let mirrored: Mutex<Option<Arc<Repository>>> = Mutex::default();
        let index = sites.local.scratch(&format!("{INDEXES}/{id}"));
        let mode = index.map_or(IndexMode::InMemory, |index| {
            IndexMode::OnDisk(index.path().to_owned())
        });
        // What was said stays whatever is configured.
        let feedback = sites.get(id).map(|slot| slot.feedback.clone());
        let feedback =
            feedback.unwrap_or_else(|| Arc::new(Feedback::new(sites.storage.clone(), id)));
        let feedback_log = feedback.clone();
        let analytics = site.analytics.then(|| {
            // One record has one who counts.
            let known = sites.get(id).and_then(|slot| slot.analytics.clone());
            known.unwrap_or_else(|| Arc::new(Analytics::new(sites.storage.clone(), id)))
        });
        let counts = analytics.clone();
        // What was accepted under other settings is in the same list.
        let deployments = sites.get(id).map(|slot| slot.deployments.clone());
        let deployments = deployments.unwrap_or_else(|| {
            Arc::new(Deployments::open_as(sites.part, sites.storage.clone(), id))
        });
        let deployed = deployments.clone();
        let storage = sites.storage.clone();
        let model = Arc::new(SharedModel::new(&site.assistant, storage, id));
        let model_handle = model.clone();
        let fetching = FetchPolicy::of_site(&settings.fetch.allow).unwrap_or_default();
        let policy = fetching.clone();
        let make = move || {
            let source = match (&own.root, &own.git) {
                (Some(root), _) => Source::Folder(root.clone()),
                (None, Some(url)) => {
                    let folder = copy.as_ref().context("a copy needs a state folder")?;
                    let mut mirrored = mirrored.lock().unwrap_or_else(PoisonError::into_inner);
                    let repository = match &*mirrored {
                        Some(repository) => repository.clone(),
                        None => mirrored
                            .insert(Arc::new(Repository::mirror(url, folder)?))
                            .clone(),
                    };
                    // What was fetched since may be what was not to be published.
                    let last = deployed.published_commit();
                    let folder = own.folder.trim_matches('/');
                    let tree = Tree::new(repository, folder, &own.branch).with_initial_commit(last);
                    Source::Tree(Arc::new(tree))
                }
                (None, None) => anyhow::bail!("the site has neither `root` nor `git`"),
            };
            let model = model_handle.get().context("assistant")?;
            let with = With {
                store: shared.clone(),
                mode: mode.clone(),
                model,
                feedback: feedback_log.clone(),
                analytics: counts.clone(),
                fetching: policy.clone(),
                untrusted: false,
            };
            let mut setup = setup_of(&name, source, &own, with);
            if !setup.source.is_followed() {
                setup.source.released = deployed.published_release();
                setup.source.releases = Some(deployed.releases());
            }
            Ok(setup)
        };
        let store = sites.store.clone();
        let mut slot = Self::new(
            id,
            site.clone(),
            deployments,
            feedback,
            store,
            model,
            Box::new(make),
        );
        slot.previews = Previews::new(previews_of(site, settings), sites.preview_memory());
        slot.fetching = fetching;
        slot.analytics = analytics;
        slot
    }

    /// The id of the preview of `label` of this site.
    pub fn preview_id(&self, label: &str) -> String {
        format!("{label}--{}", self.id)
    }

    /// The place of a preview of this site: what `tree` holds.
    ///
    /// What a `untrusted` one holds is on no branch and no tag.
    pub fn of_preview(&self, label: &str, tree: Arc<Tree>, untrusted: bool) -> Self {
        let id = self.preview_id(label);
        let (name, own, store) = (id.clone(), self.settings.clone(), self.store.clone());
        let feedback = Arc::new(Feedback::in_folder(None, &id));
        let (model, feedback_log) = (self.model.clone(), feedback.clone());
        let policy = self.fetching.of_branch(self.previews.may_fetch());
        let make = move || {
            let model = model.get().context("assistant")?;
            let source = Source::Tree(tree.clone());
            let with = With {
                store: store.clone(),
                mode: IndexMode::Lazy,
                model,
                feedback: feedback_log.clone(),
                analytics: None,
                fetching: policy.clone(),
                untrusted,
            };
            Ok(setup_of(&name, source, &own, with))
        };
        let store = self.store.clone();
        let deployments = Deployments::open(Arc::new(Memory::default()), &id);
        let slot = Self::new(
            &id,
            self.settings.clone(),
            Arc::new(deployments),
            feedback,
            store,
            self.model.clone(),
            Box::new(make),
        );
        Self {
            places: self.places.clone(),
            ..slot
        }
    }

    /// Current problems of its settings, or of what they name, for the operator.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some(root) = &self.settings.root
            && let Err(error) = root.metadata()
        {
            let missing = folder_missing(&self.id, &root.display().to_string());
            warnings.push(format!("{missing}: {error}"));
        }
        let (token, secret) = (self.settings.token(), self.settings.webhook_secret());
        for (error, what) in [(token.err(), "with a token"), (secret.err(), "by webhooks")] {
            warnings.extend(error.map(|error| {
                format!(
                    "no deployment {what} of the site {} is accepted: {error:#}",
                    self.id
                )
            }));
        }
        warnings
    }

    /// Returns true if a change of its folder is published without a deployment.
    pub fn is_followed(&self) -> bool {
        self.settings.watch && self.settings.root.is_some()
    }

    /// Counts of what is read and searched for, if it is counted.
    pub fn analytics(&self) -> Option<&Arc<Analytics>> {
        self.analytics.as_ref()
    }

    /// The repository that its files come from, and where in it they are; `None` if they come from none.
    pub fn repository(&self) -> anyhow::Result<Option<(Arc<Repository>, String)>> {
        let mut known = self
            .repository
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if known.is_none() {
            *known = match (self.setup)()?.source.files {
                Source::Folder(folder) => Repository::containing(&folder)?,
                Source::Tree(tree) => Some((tree.repository().clone(), tree.prefix().to_owned())),
            };
        }
        Ok(known.clone())
    }

    /// The site, started if it is not in memory.
    pub async fn service(self: &Arc<Self>) -> Result<Arc<Service>, String> {
        let now = self.started_at.elapsed().as_millis();
        self.last_asked
            .store(u64::try_from(now).unwrap_or(u64::MAX), Ordering::Relaxed);
        if let Some(service) = self.running() {
            return Ok(service);
        }
        let _starting = self.starting.lock().await;
        if let Some(service) = self.running() {
            return Ok(service);
        }
        let slot = self.clone();
        let starting = tokio::task::spawn_blocking(move || (slot.setup)().and_then(Service::start));
        let started = match starting.await {
            Ok(started) => started.map_err(|error| format!("{error:#}")),
            Err(error) => Err(format!("the site could not be started: {error}")),
        };
        match started {
            Ok(service) => {
                let service = Arc::new(service);
                *write(&self.failure) = None;
                *write(&self.service) = Some(service.clone());
                tracing::info!(site = self.id, "loaded site");
                if service.core().is_deployed() {
                    deploy::begin(self.clone());
                }
                Ok(service)
            }
            Err(error) => {
                tracing::error!(site = self.id, "{error}");
                *write(&self.failure) = Some(error.clone());
                Err(error)
            }
        }
    }

    /// The site, if it is in memory.
    pub fn running(&self) -> Option<Arc<Service>> {
        self.service
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Why it could not be started the last time.
    pub fn failure(&self) -> Option<String> {
        self.failure
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Meter of its engine, if it is loaded.
    pub fn meter(&self) -> Option<Arc<Meter>> {
        self.running().map(|service| service.core().meter.clone())
    }

    /// Time since the last request.
    pub fn idle_time(&self) -> Duration {
        let last = Duration::from_millis(self.last_asked.load(Ordering::Relaxed));
        self.started_at.elapsed().saturating_sub(last)
    }

    /// Puts it out of memory, unless someone has an open page of it or it would not come back as it is; whether it was there.
    pub fn unload(&self) -> bool {
        let mut service = write(&self.service);
        let is_needed = service.as_ref().is_some_and(|service| {
            let core = service.core();
            core.readers.is_any() || !core.can_be_read_again()
        });
        if is_needed {
            return false;
        }
        let gone = service.take();
        drop(service);
        gone.is_some()
    }
}

/// Beginning of the warning that the folder `root` of the site `id` is missing.
pub fn folder_missing(id: &str, root: &str) -> String {
    format!("the folder of the site {id}, {root}, is not there")
}

/// Values of a setup besides the settings of the site.
struct With {
    store: Arc<Store>,
    mode: IndexMode,
    model: Option<Arc<Model>>,
    feedback: Arc<Feedback>,
    analytics: Option<Arc<Analytics>>,
    fetching: FetchPolicy,
    untrusted: bool,
}

fn setup_of(id: &str, source: Source, settings: &SiteSettings, with: With) -> Setup {
    let is_preview = with.mode == IndexMode::Lazy;
    let name = id.to_owned();
    let warned = id.to_owned();
    Setup {
        id: id.to_owned(),
        source: SiteSource {
            derives_config: false,
            files: source,
            watch: settings.watch && !is_preview,
            poll: settings.poll,
            fail_on: settings.fail_on,
            // What a preview takes is limited by the memory of all.
            quotas: match is_preview {
                true => QuotaSettings::default(),
                false => settings.quotas,
            },
            fetching: with.fetching,
            releases: None,
            released: None,
        },
        publication: Publication {
            base_url: settings.base_url.clone(),
            domains: settings.domains.clone(),
            published: !is_preview,
            untrusted: with.untrusted,
            live: settings.live || is_preview,
            mock: settings.mock,
        },
        search: SearchSetup {
            mode: with.mode,
            embedder: settings.embedder.clone(),
            deadline: Some(Duration::from_millis(settings.search_deadline_ms)),
        },
        services: Services {
            store: with.store,
            feedback: with.feedback,
            analytics: with.analytics,
            assistant: settings.assistant.clone(),
            model: with.model,
            mcp: settings.mcp,
            editor: None,
        },
        hooks: Hooks {
            on_publish: Arc::new(move |edit: &Edit| {
                let files: Vec<String> = edit.paths().take(5).map(ToString::to_string).collect();
                tracing::info!(
                    site = name,
                    revision = edit.revision,
                    files = edit.paths().count(),
                    first = files.join(" "),
                    queries = edit.executed,
                    ms = edit.took.as_secs_f64() * 1000.0,
                    "published"
                );
            }),
            log: Arc::new(move |message| tracing::warn!(site = warned, "{message}")),
        },
    }
}
