//! Specifications that are elsewhere: fetched over https, from origins that the operator allows over http as well, kept for
//! the next start without a network.
//!
//! A change there changes nothing here by itself (SPEC 2.5): they are fetched when a site is built or checked, and when a
//! preview begins or its configuration names a new one. Whoever may push a branch writes its configuration, too: for the
//! preview of one nothing is fetched, unless the operator says so.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use queries::base::content::{ContentHash, TextBytes};
use queries::base::path::SitePath;
use queries::site::{api_config, navigation_config};

use crate::sources::FileState;
use quire_engine::host::{FileChange, SiteHost};
use quire_net::network::Door;
use quire_net::network::guard::{Network, NotPublic};
use quire_settings::relay::origin;
use quire_storage::directory::Directory;
use quire_storage::folders;
use quire_storage::memory::Memory;
use quire_storage::{Error, Expected, Kind, Name, Record, Storage, wait};

/// Longest a document may take in all: redirects, pauses and further tries included.
const TIME: Duration = Duration::from_secs(15);
/// Number of documents fetched concurrently.
const AT_ONCE: usize = 8;
/// Longest to wait for a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// Largest document that is read.
const MAX_BYTES: usize = 64 << 20;
/// Maximum number of redirects followed.
const REDIRECTS: usize = 5;

/// The addresses of specifications that the configuration of a site names, in its order, each once.
pub fn urls(host: &SiteHost) -> Vec<String> {
    let named = host.read(|db, site| {
        let (navigation, api) = (navigation_config(db, site), api_config(db, site));
        let of_navigation = [navigation.openapi(), navigation.asyncapi()].concat();
        let of_api = api.openapi.iter().chain(&api.asyncapi);
        let named = of_navigation.into_iter().chain(of_api);
        let urls = named.map(|reference| reference.spec.source.clone());
        urls.collect::<Vec<String>>()
    });
    let mut urls = named.unwrap_or_default();
    urls.retain(|url| url.starts_with("https://") || url.starts_with("http://"));
    let mut seen = BTreeSet::new();
    urls.retain(|url| seen.insert(url.clone()));
    urls
}

/// Cache of fetched documents, by address.
#[derive(Clone)]
pub struct Cache {
    storage: Arc<dyn Storage>,
}

/// Cached document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachedDocument {
    /// The document.
    pub content: TextBytes,
    /// Validators of this version (RFC 9110, 8.8): entity tag and date, empty if the server sent
    /// none.
    validators: [String; 2],
}

/// The first words of a record of the cache.
const FORMAT: &str = "quire specification 3";

/// Reach of a fetched document. One that was fetched because the operator allows its origin is only
/// for sites whose operator does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Fetched from a public address.
    Public,
    /// Fetched from an allowed origin.
    Allowed,
}

impl Scope {
    fn word(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Allowed => "allowed",
        }
    }
}

impl Cache {
    /// The cache of the user: `$XDG_CACHE_HOME/quire/specs`, else `~/.cache/quire/specs`; in memory
    /// if neither is known.
    pub fn of_user() -> Self {
        match folders::cache() {
            Some(base) => Self::new(Arc::new(Directory::new(&base.join("quire")))),
            None => Self::new(Arc::new(Memory::default())),
        }
    }

    /// The cache in `storage`.
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    fn name(url: &str, scope: Scope) -> Name {
        let digest = ContentHash::of(format!("{} {url}", scope.word()).as_bytes());
        Name::of(Kind::Specification, &digest.short())
    }

    /// Returns the document last fetched from `url`; `None` if the record is damaged.
    pub fn get(&self, url: &str, scope: Scope) -> Option<CachedDocument> {
        let Record { bytes, .. } = wait(self.storage.get(&Self::name(url, scope))).ok()??;
        // The address stands in it: two of them may have the same name.
        let head = format!("{FORMAT} {}\n{url}\n", scope.word());
        let mut rest = bytes.strip_prefix(head.as_bytes())?;
        let mut line = || {
            let end = rest.iter().position(|byte| *byte == b'\n')?;
            let line = String::from_utf8(rest[..end].to_vec()).ok()?;
            rest = &rest[end + 1..];
            Some(line)
        };
        let (digest, validators) = (line()?, [line()?, line()?]);
        (ContentHash::of(rest).short() == digest).then(|| CachedDocument {
            content: rest.into(),
            validators,
        })
    }

    fn put(&self, url: &str, scope: Scope, document: &CachedDocument) -> Result<(), Error> {
        let [tag, date] = document
            .validators
            .each_ref()
            .map(|value| value.replace('\n', " "));
        let digest = ContentHash::of(&document.content).short();
        let head = format!(
            "{FORMAT} {}\n{url}\n{digest}\n{tag}\n{date}\n",
            scope.word()
        );
        let bytes = [head.as_bytes(), &document.content].concat();
        // Many processes fetch the same: whichever came last has the newest.
        wait((self.storage).put(&Self::name(url, scope), &bytes, Expected::Any))?;
        Ok(())
    }
}

/// Applies what `cache` has of the specifications of `host` and `policy` lets be used; returns the addresses of which it has
/// nothing.
pub fn apply_cached(host: &SiteHost, cache: &Cache, policy: &FetchPolicy) -> Vec<String> {
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for url in urls(host) {
        match policy.cached(cache, &url) {
            Some(kept) => found.push(change(&url, kept.content)),
            None => missing.push(url),
        }
    }
    host.apply(found);
    missing
}

fn change(url: &str, bytes: TextBytes) -> FileChange {
    FileChange {
        path: SitePath::of_url(url),
        state: FileState::Text(bytes),
    }
}

/// Fetches the specifications of `host` and applies them. One that cannot be fetched keeps what was fetched before, on this
/// run or an earlier one; `warn` is told. Returns what it was told of those that are older now than they should be.
pub async fn refresh(
    host: &SiteHost,
    cache: &Cache,
    policy: &FetchPolicy,
    warn: &(dyn Fn(&str) + Sync),
) -> Vec<String> {
    let urls = urls(host);
    let mut outdated = Vec::new();
    for fetched in all(&urls, cache, policy).await {
        match fetched.content {
            Ok(content) => host.apply([change(&fetched.url, content)]),
            Err(error) => {
                let cached = policy.cached(cache, &fetched.url);
                let rest = match cached {
                    Some(_) => "; what was fetched before is used",
                    None => "",
                };
                let message = format!("{} could not be fetched: {error:#}{rest}", fetched.url);
                warn(&message);
                if cached.is_some() {
                    outdated.push(message);
                }
                host.apply(cached.map(|cached| change(&fetched.url, cached.content)))
            }
        };
    }
    outdated
}

/// Like [`refresh`], for commands that have nothing else to wait for.
pub fn refresh_now(
    host: &SiteHost,
    cache: &Cache,
    policy: &FetchPolicy,
    warn: &(dyn Fn(&str) + Sync),
) -> anyhow::Result<Vec<String>> {
    if urls(host).is_empty() {
        return Ok(Vec::new());
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    Ok(runtime.block_on(refresh(host, cache, policy, warn)))
}

/// The variable with the origins that may be fetched from wherever they are, separated by commas or spaces.
const ALLOW: &str = "QUIRE_FETCH_ALLOW";

/// Policy for fetches of a site, by who wrote the addresses.
#[derive(Clone, Debug, Default)]
pub struct FetchPolicy {
    /// Origins that the operator allows wherever they are; of all others public addresses are asked.
    allowed: BTreeSet<String>,
    /// Whether servers of this machine are asked, on any port: what an author develops.
    allows_local: bool,
    /// Whether the addresses are those of a branch that anybody may have pushed: then nothing is asked.
    is_of_branch: bool,
    /// The addresses that the site itself names. A branch is shown what was fetched of them, and of no others.
    named_urls: Arc<Mutex<BTreeSet<String>>>,
}

impl FetchPolicy {
    /// The policy for a site whose operator allows the origins `allowed`, and those that the environment names.
    ///
    /// # Errors
    ///
    /// Returns which of them is no origin.
    pub fn of_site(allowed: &[String]) -> anyhow::Result<Self> {
        let environment = std::env::var(ALLOW).unwrap_or_default();
        let environment = environment
            .split([',', ' '])
            .filter(|text| !text.is_empty());
        let environment = environment.map(|text| origin(text).context(ALLOW));
        let allowed = allowed.iter().map(|text| origin(text));
        Ok(Self {
            allowed: allowed.chain(environment).collect::<anyhow::Result<_>>()?,
            ..Self::default()
        })
    }

    /// Returns the policy for a preview of an API under development, which asks servers of this machine as well.
    #[must_use]
    pub fn with_local(self) -> Self {
        Self {
            allows_local: true,
            ..self
        }
    }

    /// The origins that may be asked wherever they are, of those of `urls` that are on this machine too.
    pub(crate) fn origins(&self, urls: &[String]) -> BTreeSet<String> {
        let local = urls.iter().filter(|url| self.allows_local && is_local(url));
        let local = local.filter_map(|url| origin_of(url));
        self.allowed.iter().cloned().chain(local).collect()
    }

    /// Returns true if `other` allows the same origins.
    pub fn allows_as(&self, other: &Self) -> bool {
        self.allowed == other.allowed
    }

    /// The policy for the preview of a branch of such a site; `may_fetch` if the operator lets it be fetched for as well.
    pub fn of_branch(&self, may_fetch: bool) -> Self {
        match may_fetch {
            true => Self {
                allowed: self.allowed.clone(),
                allows_local: self.allows_local,
                ..Self::default()
            },
            false => Self {
                is_of_branch: true,
                ..self.clone()
            },
        }
    }

    /// Records the URLs that the configuration of the site names, unless this is a preview of a
    /// branch.
    pub fn note_named(&self, urls: &BTreeSet<String>) {
        if !self.is_of_branch {
            self.urls_of_branch().clone_from(urls);
        }
    }

    fn urls_of_branch(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        self.named_urls
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn scope(&self, url: &str) -> Scope {
        let is_allowed = origin_of(url).is_some_and(|origin| self.allowed.contains(&origin));
        match is_allowed || self.allows_local && is_local(url) {
            true => Scope::Allowed,
            false => Scope::Public,
        }
    }

    /// Cached document of `url`, if it may be used.
    fn cached(&self, cache: &Cache, url: &str) -> Option<CachedDocument> {
        let may_use = !self.is_of_branch || self.urls_of_branch().contains(url);
        may_use.then(|| cache.get(url, self.scope(url))).flatten()
    }
}

fn origin_of(url: &str) -> Option<String> {
    let url = reqwest::Url::parse(url).ok()?;
    Some(url.origin().ascii_serialization())
}

/// Returns true if `url` is of a server of this machine.
fn is_local(url: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(url) else {
        return false;
    };
    matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"))
}

/// Result of a fetch.
pub struct FetchResult {
    /// The address.
    pub url: String,
    /// The document, or why there is none.
    pub content: anyhow::Result<TextBytes>,
    /// Whether it is the one that was kept.
    pub is_same: bool,
}

impl FetchResult {
    fn failed(url: &str, error: anyhow::Error) -> Self {
        Self {
            url: url.to_owned(),
            content: Err(error),
            is_same: false,
        }
    }

    /// The document as a change of the site, if there is one.
    pub fn change(&self) -> Option<FileChange> {
        let content = self.content.as_ref().ok()?;
        Some(change(&self.url, content.clone()))
    }
}

/// Fetches each of `urls`, several at once, and keeps what comes; nothing of those of a branch. A server that says that nothing
/// has changed sends nothing again; one that fails for the moment is asked again after a pause.
pub async fn all(urls: &[String], cache: &Cache, policy: &FetchPolicy) -> Vec<FetchResult> {
    all_within(TIME, urls, cache, policy).await
}

async fn all_within(
    time: Duration,
    urls: &[String],
    cache: &Cache,
    policy: &FetchPolicy,
) -> Vec<FetchResult> {
    if policy.is_of_branch || urls.is_empty() {
        return Vec::new();
    }
    let door = Arc::new(door(policy, urls));
    let turns = Arc::new(tokio::sync::Semaphore::new(AT_ONCE));
    let running: Vec<_> = (urls.iter())
        .map(|url| {
            let (door, turns, cache) = (door.clone(), turns.clone(), cache.clone());
            let (url, scope) = (url.clone(), policy.scope(url));
            tokio::spawn(async move {
                let _turn = turns.acquire().await;
                fetch_one(time, &door, &url, scope, &cache).await
            })
        })
        .collect();
    let mut fetched = Vec::with_capacity(urls.len());
    for (url, running) in urls.iter().zip(running) {
        let done = running.await;
        fetched.push(done.unwrap_or_else(|error| FetchResult::failed(url, error.into())));
    }
    fetched
}

/// Fetches `url` within `time`, and keeps what comes.
async fn fetch_one(
    time: Duration,
    door: &Door,
    url: &str,
    scope: Scope,
    cache: &Cache,
) -> FetchResult {
    let cached = cache.get(url, scope);
    let fetching = tokio::time::timeout(time, patiently(door, url, cached.as_ref()));
    let (content, is_same) = match fetching.await {
        Ok(Ok(Some(new))) => {
            let is_same = cached.is_some_and(|cached| cached.content == new.content);
            if let Err(error) = cache.put(url, scope, &new) {
                tracing::warn!("failed to cache {url}: {error}");
            }
            (Ok(new.content), is_same)
        }
        Ok(Ok(None)) => {
            let cached = cached.context("the server says that nothing has changed since nothing");
            (cached.map(|cached| cached.content), true)
        }
        Ok(Err(error)) => (Err(error), false),
        Err(_) => (Err(anyhow!("it did not come within {time:?}")), false),
    };
    FetchResult {
        url: url.to_owned(),
        content,
        is_same,
    }
}

fn door(policy: &FetchPolicy, urls: &[String]) -> Door {
    Door::new(Network::default(), policy.origins(urls), |client| {
        client.connect_timeout(CONNECT)
    })
}

/// Refuses an address that is neither https nor of an origin that the operator allows.
fn check_scheme(door: &Door, url: &reqwest::Url) -> anyhow::Result<()> {
    if url.scheme() == "https" || url.scheme() == "http" && door.allows(url) {
        return Ok(());
    }
    bail!(
        "it is not https; whoever runs this may allow its origin: {ALLOW}, or `allow` of `[fetch]` in quire.toml"
    )
}

/// Delays before retries.
const PAUSES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(2)];

/// Fetches `url`; nothing if it is what was kept.
async fn patiently(
    door: &Door,
    url: &str,
    cached: Option<&CachedDocument>,
) -> anyhow::Result<Option<CachedDocument>> {
    let address = reqwest::Url::parse(url)?;
    check_scheme(door, &address)?;
    let mut pauses = PAUSES.into_iter();
    loop {
        let error = match fetch(door, address.clone(), cached).await {
            Ok(fetched) => return Ok(fetched),
            Err(error) => error,
        };
        if let Some(NotPublic(host)) = error.chain().find_map(|cause| cause.downcast_ref()) {
            bail!(
                "the address of {host} is not public; whoever runs this may allow its origin: {ALLOW}, or `allow` of `[fetch]` in quire.toml"
            );
        }
        let may_pass = match error.downcast_ref::<FetchRefusal>() {
            Some(FetchRefusal(status)) => status.is_server_error() || status.as_u16() == 429,
            None => error
                .downcast_ref::<reqwest::Error>()
                .is_some_and(|error| error.is_connect() || error.is_timeout() || error.is_body()),
        };
        match pauses.next().filter(|_| may_pass) {
            Some(pause) => tokio::time::sleep(pause).await,
            // The innermost cause says what went wrong; what is around it repeats the address.
            None => bail!("{}", error.root_cause()),
        }
    }
}

/// The server answered, but not with the document.
#[derive(Debug)]
struct FetchRefusal(reqwest::StatusCode);

impl std::fmt::Display for FetchRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the server answered {}", self.0)
    }
}

impl std::error::Error for FetchRefusal {}

/// Sends the request and follows redirects; each request is checked again.
async fn send(
    door: &Door,
    mut url: reqwest::Url,
    cached: Option<&CachedDocument>,
) -> anyhow::Result<reqwest::Response> {
    for _ in 0..=REDIRECTS {
        let mut request = door.request(reqwest::Method::GET, url.clone())?;
        if let Some(CachedDocument {
            validators: [tag, date],
            ..
        }) = cached
        {
            if !tag.is_empty() {
                request = request.header("if-none-match", tag);
            }
            if !date.is_empty() {
                request = request.header("if-modified-since", date);
            }
        }
        let reply = request.send().await?;
        let location = reply.headers().get("location");
        let location =
            location.filter(|_| matches!(reply.status().as_u16(), 301..=303 | 307 | 308));
        let Some(location) = location else {
            return Ok(reply);
        };
        let to = location.to_str().ok().and_then(|to| url.join(to).ok());
        url = to.context("a redirect to what is no address")?;
        check_scheme(door, &url).context("a redirect")?;
    }
    bail!("too many redirects")
}

async fn fetch(
    door: &Door,
    url: reqwest::Url,
    cached: Option<&CachedDocument>,
) -> anyhow::Result<Option<CachedDocument>> {
    let mut reply = send(door, url, cached).await?;
    let status = reply.status();
    if status == reqwest::StatusCode::NOT_MODIFIED && cached.is_some() {
        return Ok(None);
    }
    if !status.is_success() {
        return Err(FetchRefusal(status).into());
    }
    let header = |name: &str| {
        let value = reply
            .headers()
            .get(name)
            .and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_owned()
    };
    let validators = [header("etag"), header("last-modified")];
    let mut bytes = Vec::new();
    while let Some(chunk) = reply.chunk().await? {
        if bytes.len() + chunk.len() > MAX_BYTES {
            bail!("the document is larger than {} MiB", MAX_BYTES >> 20);
        }
        bytes.extend_from_slice(&chunk);
    }
    bytes.shrink_to_fit();
    Ok(Some(CachedDocument {
        content: bytes.into(),
        validators,
    }))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Read, Write};
    use std::net::{Ipv4Addr, TcpListener};

    use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
    use rustls::{ServerConfig, ServerConnection, StreamOwned};

    use super::*;

    fn kept(text: &str) -> CachedDocument {
        CachedDocument {
            content: text.into(),
            validators: ["\"1\"".to_owned(), String::new()],
        }
    }

    #[test]
    fn what_is_kept_is_found_by_its_address() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(Arc::new(Directory::new(folder.path())));
        let url = "https://a.example/x";
        let public = Scope::Public;
        assert_eq!(cache.get(url, public), None);
        cache.put(url, public, &kept("one")).unwrap();
        cache.put(url, public, &kept("two\nlines")).unwrap();
        assert_eq!(cache.get(url, public), Some(kept("two\nlines")));
        assert_eq!(cache.get(url, Scope::Allowed), None);
        // Cut off on a full disk: it is as if nothing had been kept.
        let name = Cache::name(url, public);
        let file = folder.path().join("specs").join(name.as_str());
        let whole = fs::read(&file).unwrap();
        for length in 0..whole.len() {
            fs::write(&file, &whole[..length]).unwrap();
            assert_eq!(cache.get(url, public), None, "{length}");
        }
    }

    fn runtime() -> tokio::runtime::Runtime {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_all().build().unwrap()
    }

    /// A server that never says a word: each document costs its time, and no more than one document does, however many there
    /// are.
    #[test]
    fn documents_are_waited_for_side_by_side() {
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (opened, connections) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // It is held open until the test is over.
                if opened.send(stream).is_err() {
                    break;
                }
            }
        });
        // Each is at an address of its own, so that a second try is told from the first of the next.
        let origins = (1..=AT_ONCE).map(|n| format!("https://127.0.0.{n}:{port}"));
        let urls: Vec<String> = origins.collect();
        let policy = FetchPolicy::of_site(&urls).unwrap();
        let cache = Cache::new(Arc::new(Memory::default()));
        let fetching = async {
            let time = Duration::from_secs(3600);
            let fetching = all_within(time, &urls, &cache, &policy);
            let waiting = tokio::task::spawn_blocking(move || {
                let opened = connections.into_iter().take(AT_ONCE);
                let opened: Vec<_> = opened.collect();
                let addresses = opened.iter().map(|stream| stream.local_addr().unwrap());
                addresses.collect::<BTreeSet<_>>().len()
            });
            // None of them has ended when the last one has begun.
            tokio::select! {
                fetched = fetching => panic!("{} came", fetched.len()),
                addresses = waiting => addresses.unwrap(),
            }
        };
        assert_eq!(runtime().block_on(fetching), AT_ONCE);
        let urls = &urls[..2];
        let fetched = all_within(Duration::from_millis(50), urls, &cache, &policy);
        for fetched in runtime().block_on(fetched) {
            let error = fetched.content.unwrap_err().to_string();
            assert!(error.contains("did not come within 50ms"), "{error}");
        }
    }

    /// A server without TLS that answers `times` requests with a document.
    fn plain_server(times: usize) -> String {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten().take(times) {
                let mut stream = std::io::BufReader::new(stream);
                let mut line = String::new();
                while std::io::BufRead::read_line(&mut stream, &mut line).unwrap_or(0) > 2 {
                    line.clear();
                }
                let reply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
                let _ = stream.get_mut().write_all(reply.as_bytes());
            }
        });
        origin
    }

    /// SPEC 2.5 (S12): `openapi` is an address; http only where whoever runs this says so.
    #[test]
    fn http_is_asked_where_the_operator_allows_its_origin() {
        let origin = plain_server(2);
        let urls = [format!("{origin}/openapi.json")];
        let cache = Cache::new(Arc::new(Memory::default()));
        let fetched = |policy: FetchPolicy| {
            let mut fetched = runtime().block_on(all(&urls, &cache, &policy));
            fetched.remove(0).content.map_err(|error| error.to_string())
        };
        let refused = fetched(FetchPolicy::of_site(&[]).unwrap()).unwrap_err();
        assert!(refused.contains("it is not https"), "{refused}");
        let other = ["http://127.0.0.1:1".to_owned()];
        assert!(fetched(FetchPolicy::of_site(&other).unwrap()).is_err());
        let allowed = fetched(FetchPolicy::of_site(std::slice::from_ref(&origin)).unwrap());
        assert_eq!(&*allowed.unwrap(), b"{}");
        // A preview asks what is developed on this machine, and nothing else over http.
        let local = FetchPolicy::of_site(&[]).unwrap().with_local();
        assert_eq!(&*fetched(local.clone()).unwrap(), b"{}");
        let elsewhere = ["http://192.0.2.1/x".to_owned()];
        let elsewhere = runtime()
            .block_on(all(&elsewhere, &cache, &local))
            .remove(0);
        let refused = elsewhere.content.unwrap_err().to_string();
        assert!(refused.contains("it is not https"), "{refused}");
    }

    /// A server that goes on sending: what counts is the document, not the pause between two bytes.
    #[test]
    fn a_document_that_trickles_is_given_up() {
        let own = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(own.signing_key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![own.cert.der().clone()], key)
            .unwrap();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let origin = format!("https://{}", listener.local_addr().unwrap());
        let serving = std::thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let connection = ServerConnection::new(Arc::new(config)).unwrap();
            let mut stream = StreamOwned::new(connection, stream);
            stream.read_exact(&mut [0]).unwrap();
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n";
            let mut sent = head.as_bytes().to_vec();
            let mut count = 0;
            while stream
                .write_all(&sent)
                .and_then(|()| stream.flush())
                .is_ok()
            {
                sent = b" ".to_vec();
                count += 1;
                std::thread::park_timeout(Duration::from_millis(1));
            }
            count
        });
        let certificate = reqwest::Certificate::from_der(own.cert.der()).unwrap();
        let allowed = BTreeSet::from([origin.clone()]);
        let door = Door::new(Network::default(), allowed, move |client| {
            client.tls_certs_only([certificate.clone()])
        });
        let cache = Cache::new(Arc::new(Memory::default()));
        let (time, url) = (Duration::from_millis(500), format!("{origin}/x"));
        let fetched = runtime().block_on(fetch_one(time, &door, &url, Scope::Allowed, &cache));
        let error = fetched.content.unwrap_err().to_string();
        assert!(error.contains("did not come within 500ms"), "{error}");
        assert_eq!(cache.get(&url, Scope::Allowed), None);
        drop(door);
        assert!(serving.join().unwrap() > 1, "some of it came");
    }
}
