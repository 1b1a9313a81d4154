//! `quire.toml`: what the daemon serves and how. Every key has a default; an unknown key is an error.

mod assistant;
mod embedder;
mod endpoint;
mod mcp;
mod proxies;
mod quotas;
mod rates;
pub mod relay;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

pub use assistant::{AssistantSettings, ModelApi, ModelSettings, RerankSettings};
pub use embedder::{EmbedderSettings, Maker};
pub use endpoint::NamedEndpoint;
pub use mcp::McpSettings;
pub use proxies::Proxies;
pub use quotas::QuotaSettings;
pub use rates::RateSettings;
pub use relay::RelaySettings;

/// The whole file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The folder that the daemon keeps its state in; the user's cache folder if it is not set. It may be deleted while no
    /// daemon runs on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<PathBuf>,
    /// Format of the log on standard error.
    pub log: LogFormat,
    /// After how many minutes without a request a site is put out of memory; it comes back with the next one. 0: never.
    pub idle_minutes: u64,
    /// Addresses that the daemon listens on.
    pub listen: Listen,
    /// Limits of connections.
    pub limits: Limits,
    /// Rates of expensive operations.
    pub rates: RateSettings,
    /// Previews of branches, tags and commits.
    pub previews: Previews,
    /// How deployments are run, and what is stored of them.
    pub deployments: DeploymentSettings,
    /// Most that each site may take, unless its own `quotas` say otherwise.
    pub quotas: QuotaSettings,
    /// Place of what deployments publish.
    pub storage: StorageSettings,
    /// Specifications that sites name by an address.
    pub fetch: FetchSettings,
    /// The playground's requests to the documented APIs.
    pub relay: RelaySettings,
    /// Severity of rules for specifications, by rule. A site reads it from the `quire.toml` of its
    /// own folder, which may be this file.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub rules: BTreeMap<String, String>,
    /// What `quire check` leaves out: `external` lists paths that other software serves below the address of a site. A
    /// site reads it from the `quire.toml` of its own folder, which may be this file.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub check: BTreeMap<String, Vec<String>>,
    /// The sites by their ids.
    pub sites: BTreeMap<String, SiteSettings>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            state: None,
            log: LogFormat::Text,
            idle_minutes: 60,
            listen: Listen::default(),
            limits: Limits::default(),
            rates: RateSettings::default(),
            previews: Previews::default(),
            deployments: DeploymentSettings::default(),
            quotas: QuotaSettings::default(),
            storage: StorageSettings::default(),
            fetch: FetchSettings::default(),
            relay: RelaySettings::default(),
            rules: BTreeMap::new(),
            check: BTreeMap::new(),
            sites: BTreeMap::new(),
        }
    }
}

/// Format of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogFormat {
    /// A line of text for each event.
    #[default]
    Text,
    /// A JSON object for each event.
    Json,
}

/// The least that is wrong with a site that keeps it from being published.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailOn {
    /// Errors of its configuration, specifications and files that cannot be read, faults of the program; not what is wrong with
    /// a page or an operation, which costs that alone.
    #[default]
    Error,
    /// Every error and every warning, of pages too.
    Warning,
    /// A configuration or a specification that could be read and cannot be any more.
    Never,
}

/// Addresses that the daemon listens on.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Listen {
    /// Address for visitors.
    pub address: SocketAddr,
    /// Address for administrators: status, metrics, feedback, and deployments and previews of sites
    /// without a token. Every client of it is an administrator, so it must not be reachable by
    /// others. The socket in the state folder serves the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin: Option<SocketAddr>,
    /// Addresses and networks of reverse proxies: of their requests the client is whom `X-Forwarded-For` names last, other
    /// proxies aside, the scheme is that of `X-Forwarded-Proto`, and they may have as many connections as there are. Nobody else
    /// is believed. 127.0.0.1 and ::1 may have as many connections without being listed.
    pub proxies: Vec<String>,
}

impl Default for Listen {
    fn default() -> Self {
        Self {
            address: SocketAddr::from(([127, 0, 0, 1], 3000)),
            admin: None,
            proxies: Vec::new(),
        }
    }
}

/// Limits of connections.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Maximum number of connections; further ones get 503.
    pub connections: usize,
    /// Maximum number of connections of one client: an address, or an IPv6 network (/64). A client
    /// never gets more than an eighth of the free ones.
    pub client_connections: usize,
    /// Maximum number of HTTP/2 connections, each of which carries up to 64 concurrent requests.
    pub http2_connections: usize,
    /// Maximum number of HTTP/2 connections of one client.
    pub client_http2_connections: usize,
    /// Maximum number of event streams of open pages (`live`); further ones get 503.
    pub event_streams: usize,
    /// Maximum number of event streams of one client.
    pub client_event_streams: usize,
    /// Time limit of a request header in seconds, from the end of the request before.
    pub header_seconds: u64,
    /// Idle timeout of a connection in seconds, whatever else is sent on it.
    pub idle_seconds: u64,
    /// Time limit in seconds for a client that reads nothing of a reply.
    pub write_seconds: u64,
    /// Grace period for running requests after a stop, in seconds.
    pub stop_seconds: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1024,
            client_connections: 64,
            http2_connections: 256,
            client_http2_connections: 16,
            event_streams: 512,
            client_event_streams: 32,
            header_seconds: 5,
            idle_seconds: 60,
            write_seconds: 30,
            stop_seconds: 10,
        }
    }
}

impl Limits {
    fn check(&self) -> anyhow::Result<()> {
        let all = 1..=1_000_000;
        check_ranges(&[
            ("connections", self.connections, all.clone()),
            ("client_connections", self.client_connections, all.clone()),
            ("http2_connections", self.http2_connections, all.clone()),
            (
                "client_http2_connections",
                self.client_http2_connections,
                all.clone(),
            ),
            ("event_streams", self.event_streams, all.clone()),
            ("client_event_streams", self.client_event_streams, all),
        ])
    }
}

/// Previews of branches, tags and commits.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Previews {
    /// Number of days without a visit after which a preview is closed.
    pub days: u64,
    /// Maximum number of open previews of one site; the least recently visited one is closed.
    pub most: usize,
    /// Maximum estimated memory, in megabytes, of the previews of all sites together; the least
    /// recently visited ones are closed. A single preview may exceed it.
    pub memory_mb: u64,
    /// Whether a preview fetches the specifications that its branch names. If so, anyone who can
    /// push a branch decides which URLs this machine requests; otherwise a preview uses the
    /// documents that its site has fetched.
    pub fetch: bool,
}

impl Default for Previews {
    fn default() -> Self {
        Self {
            days: 7,
            most: 50,
            memory_mb: 1024,
            fetch: false,
        }
    }
}

/// How deployments are run, and what is stored of them, of sites that publish by deployments (`git`,
/// or `root` with `watch = false`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeploymentSettings {
    /// Number of deployments of each site that can be gone back to, 1 to 200. Files that they share
    /// are stored once.
    pub keep: usize,
    /// Number of sites that are built at the same time; of others that wait, the one that has waited
    /// longest is next, whatever number of deployments each has. 0: one for each core, at least 4.
    pub parallel: usize,
}

impl DeploymentSettings {
    /// Number of sites that are built at the same time.
    pub fn places(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        match self.parallel {
            0 => cores().max(4),
            parallel => parallel,
        }
    }
}

impl Default for DeploymentSettings {
    fn default() -> Self {
        Self {
            keep: 20,
            parallel: 0,
        }
    }
}

/// Place of what deployments publish, with the lists of deployments, feedback and counts, if that is
/// not the state folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct StorageSettings {
    /// A bucket that speaks S3: `s3://BUCKET/PREFIX`. Default: the state folder. Credentials, region
    /// and endpoint come from the environment (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`,
    /// `AWS_REGION`, `AWS_ENDPOINT_URL`) or from the role of the machine. Needs a program with the
    /// feature `s3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blobs: Option<String>,
    /// A PostgreSQL database: `postgres://USER@HOST/DATABASE`. It has the lists of deployments,
    /// feedback and counts, and servers hear from it of each deployment at once; without `blobs` it has
    /// what deployments publish, too. The password comes from the environment (`PGPASSWORD`), and
    /// `PGSSLROOTCERT` names a file of authorities in place of those of the system. Needs a program
    /// with the feature `postgres`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<String>,
    /// Part of the process among those that publish there: `all`; `serve` for one that accepts
    /// deployments, follows and serves, and leaves running them to the others; or `build` for one that
    /// runs deployments and shows previews, and serves no published site.
    pub role: Role,
}

/// Part of a process among those that publish to one storage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It does everything.
    #[default]
    All,
    /// It does not run deployments.
    Serve,
    /// It does not serve published sites.
    Build,
}

impl Role {
    /// Name in the settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Serve => "serve",
            Self::Build => "build",
        }
    }
}

/// Specifications that sites name by an address: they are fetched from public addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct FetchSettings {
    /// Origins, such as `https://specs.internal:8443`, that they are fetched from wherever they are: on this machine and in
    /// its network, too.
    pub allow: Vec<String>,
}

/// One site.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct SiteSettings {
    /// The folder of its `docs.json`; relative to the file that says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<PathBuf>,
    /// Instead of `root`: the address of a repository, of which a copy is kept in the state folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git: Option<String>,
    /// Branch that is published, for `git`.
    pub branch: String,
    /// Folder of `docs.json` in the repository, for `git`.
    pub folder: String,
    /// Hosts that are this site, besides `ID.localhost`.
    pub domains: Vec<String>,
    /// `REF--ID.` before this host is a preview, besides `REF--ID.localhost`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview_domain: Option<String>,
    /// Address, such as `https://docs.example.org`, for canonical links, the site map, feeds and lists for programs. Without it
    /// the last three have the host that the client named and the scheme that a proxy of `listen.proxies` says, else `http`, and
    /// there are no canonical links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// Whether a change in the folder is published at once, for `root`; otherwise a deployment
    /// publishes.
    pub watch: bool,
    /// Whether every file is polled every two seconds as well, for `root` with `watch`: for file
    /// systems that do not report all changes. NFS, SMB, 9P, FUSE and overlays are polled without
    /// it.
    pub poll: bool,
    /// Findings that keep a deployment from being published.
    pub fail_on: FailOn,
    /// Whether open pages reload in place and show what is wrong with them.
    pub live: bool,
    /// Whether any branch, tag or commit can be seen at `REF--ID`.
    pub previews: bool,
    /// Whether it is counted what is read and searched for, by day, without anything about who does.
    pub analytics: bool,
    /// Whether the operations of its specifications answer with their examples, below `/_quire/mock/`.
    pub mock: bool,
    /// The environment variable with the token that deployments and new previews need.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_env: Option<String>,
    /// The file with that token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_file: Option<PathBuf>,
    /// The environment variable with the secret of the webhook (`X-Hub-Signature-256`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook_secret_env: Option<String>,
    /// The file with that secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook_secret_file: Option<PathBuf>,
    /// Time that a search waits for pages saved a moment before to be indexed, in milliseconds.
    /// After it the search answers from what is indexed.
    pub search_deadline_ms: u64,
    /// Embedder that makes vectors of its passages besides this program, for search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedder: Option<EmbedderSettings>,
    /// Settings of the assistant.
    pub assistant: AssistantSettings,
    /// Settings of the MCP server at `/mcp`.
    pub mcp: McpSettings,
    /// Most that it may take; what is not set follows `[quotas]`.
    pub quotas: QuotaSettings,
}

impl Default for SiteSettings {
    fn default() -> Self {
        Self {
            root: None,
            git: None,
            branch: "main".to_owned(),
            folder: String::new(),
            domains: Vec::new(),
            preview_domain: None,
            base_url: None,
            watch: true,
            poll: false,
            fail_on: FailOn::Error,
            live: false,
            previews: true,
            analytics: true,
            mock: false,
            token_env: None,
            token_file: None,
            webhook_secret_env: None,
            webhook_secret_file: None,
            search_deadline_ms: SEARCH_DEADLINE_MS,
            embedder: None,
            assistant: AssistantSettings::default(),
            mcp: McpSettings::default(),
            quotas: QuotaSettings::default(),
        }
    }
}

/// Default of [`SiteSettings::search_deadline_ms`].
pub const SEARCH_DEADLINE_MS: u64 = 100;

impl SiteSettings {
    /// The site in `folder`.
    pub fn of_folder(folder: &Path) -> Self {
        Self {
            root: Some(folder.to_owned()),
            ..Self::default()
        }
    }

    /// The token that deployments need, if one is configured.
    pub fn token(&self) -> anyhow::Result<Option<String>> {
        secret(self.token_env.as_deref(), self.token_file.as_deref())
    }

    /// The secret that webhooks are signed with, if one is configured.
    pub fn webhook_secret(&self) -> anyhow::Result<Option<String>> {
        secret(
            self.webhook_secret_env.as_deref(),
            self.webhook_secret_file.as_deref(),
        )
    }
}

/// Checks that numbers are within their ranges.
fn check_ranges(numbers: &[(&str, usize, RangeInclusive<usize>)]) -> anyhow::Result<()> {
    for (name, value, range) in numbers {
        if !range.contains(value) {
            bail!(
                "`{name}` is {value}: it can be {} to {}",
                range.start(),
                range.end()
            );
        }
    }
    Ok(())
}

/// Checks the address of a database, which may not hold a password: files of settings are printed,
/// copied and kept in repositories.
fn check_database(url: &str) -> anyhow::Result<()> {
    let rest = url.strip_prefix("postgres://");
    let rest = rest.or_else(|| url.strip_prefix("postgresql://"));
    let rest = rest.context("write `postgres://USER@HOST/DATABASE`")?;
    let credentials = rest
        .split_once('@')
        .map_or("", |(credentials, _)| credentials);
    if credentials.contains(':') || rest.contains("password=") {
        bail!("it holds a password: set PGPASSWORD in the environment of the daemon instead");
    }
    Ok(())
}

/// A secret from the environment or a file. One that is named and not there is an error: nothing is open by mistake.
fn secret(variable: Option<&str>, file: Option<&Path>) -> anyhow::Result<Option<String>> {
    let value = match (variable, file) {
        (Some(name), _) => {
            std::env::var(name).with_context(|| format!("read the variable {name}"))?
        }
        (None, Some(path)) => {
            std::fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?
        }
        (None, None) => return Ok(None),
    };
    let value = value.trim();
    if value.is_empty() {
        bail!("the secret is empty");
    }
    Ok(Some(value.to_owned()))
}

impl Settings {
    /// Reads the file at `path`; paths in it are relative to it.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
        let mut settings: Self = toml::from_str(&text)
            .map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
        let base = path.parent().unwrap_or(Path::new(""));
        let relative = |file: &mut Option<PathBuf>| {
            if let Some(file) = file {
                *file = base.join(&*file);
            }
        };
        relative(&mut settings.state);
        for site in settings.sites.values_mut() {
            relative(&mut site.root);
            relative(&mut site.token_file);
            relative(&mut site.webhook_secret_file);
            if let Some(embedder) = &mut site.embedder {
                relative(&mut embedder.key_file);
                relative(&mut embedder.folder);
            }
            if let Some(model) = &mut site.assistant.model {
                relative(&mut model.key_file);
            }
            if let Some(rerank) = &mut site.assistant.rerank {
                relative(&mut rerank.key_file);
            }
        }
        settings
            .check()
            .and_then(|()| settings.check_rules(base))
            .with_context(|| path.display().to_string())?;
        Ok(settings)
    }

    /// Checks the rules of the file in the folder `base`.
    fn check_rules(&self, base: &Path) -> anyhow::Result<()> {
        let real = |folder: &Path| std::fs::canonicalize(folder).ok();
        let base = match base == Path::new("") {
            true => Path::new("."),
            false => base,
        };
        let roots = self.sites.values().filter_map(|site| site.root.as_deref());
        let mut roots = roots.filter_map(real);
        if !self.rules.is_empty() && !roots.any(|root| Some(root) == real(base)) {
            bail!(
                "rules: no site is in this folder; each has its rules in the `quire.toml` of its own folder"
            );
        }
        Ok(())
    }

    /// Checks the values.
    pub fn check(&self) -> anyhow::Result<()> {
        self.relay.check().context("relay")?;
        Proxies::read(&self.listen.proxies).context("listen.proxies")?;
        self.limits.check().context("limits")?;
        self.rates.check().context("rates")?;
        check_ranges(&[
            ("keep", self.deployments.keep, 1..=200),
            ("parallel", self.deployments.parallel, 0..=1024),
        ])
        .context("deployments")?;
        self.quotas.check().context("quotas")?;
        if let Some(blobs) = &self.storage.blobs
            && !blobs.starts_with("s3://")
        {
            bail!("storage: `blobs` is `{blobs}`: write `s3://BUCKET/PREFIX`");
        }
        if let Some(records) = &self.storage.records {
            check_database(records).context("storage: records")?;
        }
        if self.storage.role != Role::All
            && self.storage.blobs.is_none()
            && self.storage.records.is_none()
        {
            bail!(
                "storage: `role = \"{}\"` needs `blobs` or `records`: nobody else publishes to a state folder, or serves it",
                self.storage.role.name()
            );
        }
        for allowed in &self.fetch.allow {
            relay::origin(allowed).context("fetch: allow")?;
        }
        let mut hosts: BTreeMap<String, &str> = BTreeMap::new();
        for (id, site) in &self.sites {
            check_id(id)?;
            if site.root.is_some() == site.git.is_some() {
                bail!(
                    "sites.{id}: set either `root` (a folder) or `git` (the address of a repository)"
                );
            }
            if site.folder.split('/').any(|part| part == "..") {
                bail!("sites.{id}.folder leads out of the repository");
            }
            if let Some(embedder) = &site.embedder {
                let what = || format!("sites.{id}.embedder");
                embedder.check().with_context(what)?;
            }
            let deadline = usize::try_from(site.search_deadline_ms).unwrap_or(usize::MAX);
            check_ranges(&[("search_deadline_ms", deadline, 0..=60_000)])
                .with_context(|| format!("sites.{id}"))?;
            let what = || format!("sites.{id}.quotas");
            site.quotas.check().with_context(what)?;
            let what = || format!("sites.{id}.mcp");
            site.mcp.check().with_context(what)?;
            let assistant = || format!("sites.{id}.assistant");
            site.assistant.check().with_context(assistant)?;
            for domain in &site.domains {
                if let Some(other) = hosts.insert(domain.to_ascii_lowercase(), id) {
                    bail!("{domain} is a domain of both `{other}` and `{id}`");
                }
            }
        }
        Ok(())
    }
}

/// Longest id of a site.
pub const MAX_ID: usize = 40;

/// `name` as it may stand in a host name: lower-case letters, digits and single hyphens.
pub fn label(name: &str) -> String {
    let mut label = String::with_capacity(name.len());
    for c in name.chars() {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() => label.push(c),
            _ if !label.is_empty() && !label.ends_with('-') => label.push('-'),
            _ => {}
        }
    }
    label.trim_end_matches('-').to_owned()
}

/// An id is part of a host name: lower-case letters, digits and single hyphens, at most 40.
pub fn check_id(id: &str) -> anyhow::Result<()> {
    let is_good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let hyphens = id.starts_with('-') || id.ends_with('-') || id.contains("--");
    if id.is_empty() || id.len() > MAX_ID || !id.bytes().all(is_good) || hyphens {
        bail!(
            "`{id}` cannot be the id of a site: use lower-case letters, digits and single hyphens, at most 40"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_error(text: &str, part: &str) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("quire.toml");
        std::fs::write(&path, text).unwrap();
        let error = format!("{:#}", Settings::read(&path).unwrap_err());
        assert!(error.contains(part), "{error}");
        assert!(error.contains("quire.toml"), "{error}");
    }

    #[test]
    fn what_cannot_be_meant_is_said() {
        check_error("sotes = 1", "unknown field `sotes`");
        check_error("[sites.Docs]\nroot = \"a\"", "`Docs` cannot be the id");
        check_error("[sites.a--b]\nroot = \"a\"", "`a--b` cannot be the id");
        check_error("[sites.a]", "set either `root`");
        check_error("[sites.a]\nroot = \"a\"\ngit = \"b\"", "set either `root`");
        check_error(
            "[sites.a]\nroot = \"a\"\ndomains = [\"x.org\"]\n[sites.b]\nroot = \"b\"\ndomains = [\"X.org\"]",
            "a domain of both",
        );
        check_error("[listen]\naddress = \"here\"", "line 2");
        check_error("[relay]\nallowed = []", "unknown field `allowed`");
        check_error(
            "[listen]\nproxies = [\"proxy.internal\"]",
            "listen.proxies: `proxy.internal` is neither",
        );
        check_error(
            "[limits]\nevent_streams = 0",
            "limits: `event_streams` is 0",
        );
        check_error(
            "[rates]\nsite_searches = 0",
            "rates: `site_searches` is 0: it can be 1 to",
        );
        check_error(
            "[fetch]\nallow = [\"specs.internal\"]",
            "fetch: allow: `specs.internal` is no origin",
        );
        check_error(
            "[relay]\nallow = [\"127.0.0.1\"]",
            "relay: allow: `127.0.0.1` is no origin",
        );
        check_error("[relay]\nrequests_per_minute = 0", "`enabled = false`");
        check_error(
            "[rules]\ntag-undefined = \"off\"\n[sites.a]\nroot = \"elsewhere\"",
            "rules: no site is in this folder",
        );
        check_error(
            "[sites.a]\nroot = \"a\"\n[sites.a.mcp]\ncalls_per_hour = 0",
            "sites.a.mcp: `calls_per_hour` is 0; write `enabled = false`",
        );
        let embedder =
            |lines: &str| format!("[sites.a]\nroot = \"a\"\n[sites.a.embedder]\n{lines}");
        check_error(
            &embedder("url = \"https://a.example/v1\""),
            "sites.a.embedder: `model` is missing",
        );
        check_error(&embedder("model = \"m\""), "`url` is missing");
        check_error(&embedder(""), "nobody is named who makes vectors");
        check_error(
            &embedder("url = \"https://a.example\"\nmodel = \"m\"\nthreads = 2"),
            "`threads` is for a `folder`",
        );
        for endpoint in ["url = \"https://a.example\"", "model = \"m\""] {
            check_error(
                &embedder(&format!("folder = \"models/minilm\"\n{endpoint}")),
                "both a `folder` and an endpoint are named",
            );
        }
        for of_endpoint in [
            "key_env = \"K\"",
            "key_file = \"k\"",
            "dimensions = 8",
            "requests = 2",
            "private = true",
        ] {
            check_error(
                &embedder(&format!("folder = \"models/minilm\"\n{of_endpoint}")),
                "is for an endpoint, and a `folder` is named",
            );
        }
        check_error(
            &embedder("url = \"here\"\nmodel = \"m\""),
            "write an address",
        );
        check_error(
            &embedder("url = \"http://127.0.0.1:11434/v1\"\nmodel = \"m\""),
            "add `private = true`",
        );
        check_error(
            &embedder("url = \"https://u:p@a.example\"\nmodel = \"m\""),
            "`key_env`",
        );
        check_error(
            &embedder("url = \"https://a.example\"\nmodel = \"m\"\nbatch = 0"),
            "sites.a.embedder: `batch` is 0",
        );
        check_error(
            &embedder("url = \"https://a.example\"\nmodel = \"m\"\nkey = \"s\""),
            "unknown field `key`",
        );
    }

    #[test]
    fn a_site_may_have_its_rules_beside_its_settings() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("quire.toml");
        let text = "[rules]\ntag-undefined = \"off\"\n[sites.a]\nroot = \".\"";
        std::fs::write(&path, text).unwrap();
        let settings = Settings::read(&path).unwrap();
        assert_eq!(settings.rules["tag-undefined"], "off");
    }

    #[cfg(not(feature = "bert"))]
    #[test]
    fn a_program_without_models_says_how_to_get_one_with_them() {
        let folder = "[sites.a]\nroot = \"a\"\n[sites.a.embedder]\nfolder = \"minilm\"";
        check_error(folder, "sites.a.embedder: `folder` needs a program");
        check_error(folder, "`cargo build --release --features bert`");
    }

    #[cfg(feature = "bert")]
    #[test]
    fn the_folder_of_a_model_is_beside_the_settings() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("quire.toml");
        let text = "[sites.a]\nroot = \"a\"\n[sites.a.embedder]\nfolder = \"models/minilm\"";
        std::fs::write(&path, text).unwrap();
        let settings = Settings::read(&path).unwrap();
        let embedder = settings.sites["a"].embedder.as_ref().unwrap();
        assert_eq!(embedder.folder, Some(folder.path().join("models/minilm")));
        assert_eq!(embedder.name(), "minilm");
        check_error(&format!("{text}\nthreads = 0"), "`threads` is 0");
    }

    #[test]
    fn what_is_printed_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("quire.toml");
        std::fs::write(&path, "[sites.docs]\nroot = \"docs\"").unwrap();
        let settings = Settings::read(&path).unwrap();
        assert_eq!(
            settings.sites["docs"].root,
            Some(folder.path().join("docs"))
        );
        let again = folder.path().join("again.toml");
        std::fs::write(&again, toml::to_string(&settings).unwrap()).unwrap();
        assert_eq!(Settings::read(&again).unwrap(), settings);
    }

    #[test]
    fn a_secret_that_is_named_must_be_there() {
        let mut site = SiteSettings::default();
        assert_eq!(site.token().unwrap(), None);
        site.token_file = Some("/nonexistent/token".into());
        assert!(site.token().is_err());
    }
}
