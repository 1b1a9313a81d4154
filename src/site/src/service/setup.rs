//! Setup of a site: what [`Service::start`] takes.
//!
//! [`Service::start`]: super::Service::start

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use quire_assistant::model::Model;
use quire_settings::{AssistantSettings, EmbedderSettings, FailOn, McpSettings, QuotaSettings};
use quire_source::fetch::FetchPolicy;
use quire_source::repository::Tree;
use quire_storage::objects::ObjectId;
use quire_storage::store::Store;

use super::Edit;
use crate::analytics::Analytics;
use crate::editor::Editor;
use crate::feedback::Feedback;
use crate::release::Releases;

/// Files of a site.
#[derive(Clone)]
pub enum Source {
    /// In a folder.
    Folder(PathBuf),
    /// In a commit of a repository, without a checkout.
    Tree(Arc<Tree>),
}

/// When the search index of a site is built, and where it is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum IndexMode {
    /// In memory, built by the first search.
    #[default]
    Lazy,
    /// In memory, updated after each change.
    InMemory,
    /// On disk, updated after each change.
    OnDisk(PathBuf),
}

/// A site, and how it is served: what [`Service::start`](super::Service::start) takes.
#[derive(Clone)]
pub struct Setup {
    /// Id.
    pub id: String,
    /// Origin of its files.
    pub source: SiteSource,
    /// Appearance of its pages.
    pub publication: Publication,
    /// Search.
    pub search: SearchSetup,
    /// Shared services of the process, and settings of those that answer.
    pub services: Services,
    /// Callbacks.
    pub hooks: Hooks,
}

/// Origin of the files of a site, and when they are read.
#[derive(Clone)]
pub struct SiteSource {
    /// Folder or commit.
    pub files: Source,
    /// Whether a change in the folder is published at once; otherwise only a deployment publishes.
    pub watch: bool,
    /// Whether a folder without `docs.json` is made a site of what is there.
    pub derives_config: bool,
    /// Whether a watched folder is also polled, whatever its file system.
    pub poll: bool,
    /// Findings that keep a deployment from being published.
    pub fail_on: FailOn,
    /// Quotas that keep a deployment from being published.
    pub quotas: QuotaSettings,
    /// Addresses that specifications may be fetched from.
    pub fetching: FetchPolicy,
    /// Releases of its deployments; `None` if none are stored.
    pub releases: Option<Releases>,
    /// The release to begin with, rather than with what the files hold now.
    pub released: Option<ObjectId>,
}

/// Appearance of the pages of a site.
#[derive(Clone, Default)]
pub struct Publication {
    /// Address of the site, such as `https://docs.example.org`, for canonical links.
    pub base_url: Option<String>,
    /// Host names of the site.
    pub domains: Vec<String>,
    /// Whether it is the site that visitors get, and no preview: only then services of
    /// `integrations` are loaded.
    pub published: bool,
    /// Whether the content comes from an untrusted author; its scripts are not run.
    pub untrusted: bool,
    /// Whether open pages are notified of changes, and show errors.
    pub live: bool,
    /// Whether its specifications are mocked.
    pub mock: bool,
}

/// Search of a site.
#[derive(Clone, Default)]
pub struct SearchSetup {
    /// When and where the index is built.
    pub mode: IndexMode,
    /// Embedder of passages besides the built-in one.
    pub embedder: Option<EmbedderSettings>,
    /// Maximum time that a request waits until the index has followed; `None` for as long as it
    /// takes.
    pub deadline: Option<Duration>,
}

/// Shared services of the process, and settings of those that answer.
#[derive(Clone)]
pub struct Services {
    /// Contents and artifacts; shared by the sites of a process.
    pub store: Arc<Store>,
    /// Feedback of readers.
    pub feedback: Arc<Feedback>,
    /// Counts of views and searches; nothing is counted without them.
    pub analytics: Option<Arc<Analytics>>,
    /// Settings of the assistant.
    pub assistant: AssistantSettings,
    /// Language model that writes answers.
    pub model: Option<Arc<Model>>,
    /// Settings of the MCP server.
    pub mcp: McpSettings,
    /// Editor that opens files of the site, where the author sits at this machine.
    pub editor: Option<Editor>,
}

impl Services {
    /// Services of a site by itself: no counts, no model, no editor; default settings.
    pub fn of(store: Arc<Store>, feedback: Feedback) -> Self {
        Self {
            store,
            feedback: Arc::new(feedback),
            analytics: None,
            assistant: AssistantSettings::default(),
            model: None,
            mcp: McpSettings::default(),
            editor: None,
        }
    }
}

/// Callbacks of a site.
#[derive(Clone)]
pub struct Hooks {
    /// Called after each published change.
    pub on_publish: Arc<dyn Fn(&Edit) + Send + Sync>,
    /// Sink for messages to the user.
    pub log: Arc<dyn Fn(&str) + Send + Sync>,
}

impl Default for Hooks {
    /// Callbacks of a site without a terminal: messages are warnings of the log.
    fn default() -> Self {
        Self {
            on_publish: Arc::new(|_| ()),
            log: Arc::new(|message| tracing::warn!("{message}")),
        }
    }
}

impl SiteSource {
    /// Returns true if a change of its files is published without a deployment.
    pub fn is_followed(&self) -> bool {
        self.watch && matches!(self.files, Source::Folder(_))
    }

    /// A watched folder. What it names is fetched by `fetching`.
    pub fn watched(folder: PathBuf, fetching: FetchPolicy) -> Self {
        Self {
            files: Source::Folder(folder),
            watch: true,
            derives_config: true,
            poll: false,
            fail_on: FailOn::Never,
            quotas: QuotaSettings::default(),
            fetching,
            releases: None,
            released: None,
        }
    }
}
