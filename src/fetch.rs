//! Specifications that are elsewhere: fetched over https, kept for the next start without a network.
//!
//! A change there changes nothing here by itself (SPEC 2.5): they are fetched when a site is built or checked, and when a
//! preview begins or its configuration names a new one.

pub mod guard;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use queries::base::content::ContentHash;
use queries::base::path::SitePath;
use queries::site::{api_config, navigation_config};

use crate::folders;
use crate::host::{FileChange, SiteHost};
use crate::sources::FileState;
use crate::storage::directory::Directory;
use crate::storage::memory::Memory;
use crate::storage::{Error, Expected, Kind, Name, Record, Storage, wait};

/// Longest a fetch may take, from the first byte sent to the last one read.
const TIME: Duration = Duration::from_secs(30);
/// Longest to wait for a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// Largest document that is read.
const MAX_BYTES: usize = 64 << 20;
/// How many times a redirect is followed.
const REDIRECTS: usize = 5;

/// The addresses of specifications that the configuration of a site names, in its order, each once. Only `https` is ever
/// fetched; the navigation says so of the others.
pub fn urls(host: &SiteHost) -> Vec<String> {
    let named = host.read(|db, site| {
        let navigation = navigation_config(db, site).openapi();
        let mut urls: Vec<String> = (navigation.iter())
            .map(|reference| reference.spec.source.clone())
            .collect();
        let api = &api_config(db, site).openapi;
        urls.extend(api.iter().map(|reference| reference.spec.source.clone()));
        urls
    });
    let mut urls = named.unwrap_or_default();
    urls.retain(|url| url.starts_with("https://"));
    let mut seen = std::collections::BTreeSet::new();
    urls.retain(|url| seen.insert(url.clone()));
    urls
}

/// What was fetched before, by address.
#[derive(Clone)]
pub struct Cache {
    storage: Arc<dyn Storage>,
}

/// What is kept of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The document.
    pub content: Arc<[u8]>,
    /// What the server called this version (RFC 9110, 8.8): its entity tag and its date, empty if it did not.
    validators: [String; 2],
}

/// The first words of a record of the cache.
const FORMAT: &str = "quire specification 2";

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

    fn name(url: &str) -> Name {
        Name::of(
            Kind::Specification,
            &ContentHash::of(url.as_bytes()).short(),
        )
    }

    /// Returns the document last fetched from `url`; `None` if the record is damaged.
    pub fn get(&self, url: &str) -> Option<Kept> {
        let Record { bytes, .. } = wait(self.storage.get(&Self::name(url))).ok()??;
        // The address stands in it: two of them may have the same name.
        let head = format!("{FORMAT}\n{url}\n");
        let mut rest = bytes.strip_prefix(head.as_bytes())?;
        let mut line = || {
            let end = rest.iter().position(|byte| *byte == b'\n')?;
            let line = String::from_utf8(rest[..end].to_vec()).ok()?;
            rest = &rest[end + 1..];
            Some(line)
        };
        let (digest, validators) = (line()?, [line()?, line()?]);
        (ContentHash::of(rest).short() == digest).then(|| Kept {
            content: Arc::from(rest),
            validators,
        })
    }

    fn put(&self, url: &str, kept: &Kept) -> Result<(), Error> {
        let [tag, date] = kept
            .validators
            .each_ref()
            .map(|value| value.replace('\n', " "));
        let digest = ContentHash::of(&kept.content).short();
        let head = format!("{FORMAT}\n{url}\n{digest}\n{tag}\n{date}\n");
        let bytes = [head.as_bytes(), &kept.content].concat();
        // Many processes fetch the same: whichever came last has the newest.
        wait((self.storage).put(&Self::name(url), &bytes, Expected::Any))?;
        Ok(())
    }
}

/// Applies what `cache` has of the specifications of `host`; returns the addresses of which it has nothing.
pub fn apply_cached(host: &SiteHost, cache: &Cache) -> Vec<String> {
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for url in urls(host) {
        match cache.get(&url) {
            Some(kept) => found.push(change(&url, kept.content)),
            None => missing.push(url),
        }
    }
    host.apply(found);
    missing
}

fn change(url: &str, bytes: Arc<[u8]>) -> FileChange {
    FileChange {
        path: SitePath::of_url(url),
        state: FileState::Text(bytes),
    }
}

/// Fetches the specifications of `host` and applies them. One that cannot be fetched keeps what was fetched before, on this
/// run or an earlier one; `warn` is told. Returns what it was told of those that are older now than they should be.
pub async fn refresh(host: &SiteHost, cache: &Cache, warn: &(dyn Fn(&str) + Sync)) -> Vec<String> {
    let urls = urls(host);
    let mut outdated = Vec::new();
    for fetched in all(&urls, cache, FetchPolicy::Anywhere).await {
        match fetched.content {
            Ok(content) => host.apply([change(&fetched.url, content)]),
            Err(error) => {
                let kept = cache.get(&fetched.url);
                let rest = match kept {
                    Some(_) => "; what was fetched before is used",
                    None => "",
                };
                let message = format!("{} could not be fetched: {error:#}{rest}", fetched.url);
                warn(&message);
                if kept.is_some() {
                    outdated.push(message);
                }
                host.apply(kept.map(|kept| change(&fetched.url, kept.content)))
            }
        };
    }
    outdated
}

/// Like [`refresh`], for commands that have nothing else to wait for.
pub fn refresh_now(
    host: &SiteHost,
    cache: &Cache,
    warn: &(dyn Fn(&str) + Sync),
) -> anyhow::Result<Vec<String>> {
    if urls(host).is_empty() {
        return Ok(Vec::new());
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    Ok(runtime.block_on(refresh(host, cache, warn)))
}

/// How far a fetch may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchPolicy {
    /// Wherever the person who asks can reach as well: on their own machine.
    Anywhere,
    /// Public addresses only: for a server, whom others tell what to fetch.
    Public,
}

/// What came of one address.
pub struct Fetched {
    /// The address.
    pub url: String,
    /// The document, or why there is none.
    pub content: anyhow::Result<Arc<[u8]>>,
    /// Whether it is the one that was kept.
    pub is_same: bool,
}

impl Fetched {
    /// The document as a change of the site, if there is one.
    pub fn change(&self) -> Option<FileChange> {
        let content = self.content.as_ref().ok()?;
        Some(change(&self.url, content.clone()))
    }
}

/// Fetches each of `urls`, in order, and keeps what comes. A server that says that nothing has changed sends nothing again;
/// one that fails for the moment is asked again after a pause.
pub async fn all(urls: &[String], cache: &Cache, policy: FetchPolicy) -> Vec<Fetched> {
    let client = match client(policy) {
        Ok(client) => client,
        Err(error) => {
            let why = format!("{error:#}");
            let failed = urls.iter().map(|url| Fetched {
                url: url.clone(),
                content: Err(anyhow::anyhow!("{why}")),
                is_same: false,
            });
            return failed.collect();
        }
    };
    let mut fetched = Vec::with_capacity(urls.len());
    for url in urls {
        let kept = cache.get(url);
        let (content, is_same) = match patiently(&client, url, kept.as_ref(), policy).await {
            Ok(Some(new)) => {
                let is_same = kept.is_some_and(|kept| kept.content == new.content);
                if let Err(error) = cache.put(url, &new) {
                    tracing::warn!("{url} could not be kept for the next start: {error}");
                }
                (Ok(new.content), is_same)
            }
            Ok(None) => {
                let kept = kept.context("the server says that nothing has changed since nothing");
                (kept.map(|kept| kept.content), true)
            }
            Err(error) => (Err(error), false),
        };
        fetched.push(Fetched {
            url: url.clone(),
            content,
            is_same,
        });
    }
    fetched
}

fn client(policy: FetchPolicy) -> anyhow::Result<reqwest::Client> {
    // It fails only when one is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let redirects = reqwest::redirect::Policy::custom(move |attempt| {
        if attempt.previous().len() > REDIRECTS {
            attempt.error("too many redirects")
        } else if attempt.url().scheme() != "https" {
            attempt.error("a redirect to an address that is not https")
        } else if policy == FetchPolicy::Public && !guard::may_ask(attempt.url().host_str()) {
            attempt.error("a redirect to an address that is not public")
        } else {
            attempt.follow()
        }
    });
    let mut client = reqwest::Client::builder()
        .https_only(true)
        .redirect(redirects)
        .connect_timeout(CONNECT)
        .timeout(TIME)
        .user_agent(concat!("quire/", env!("CARGO_PKG_VERSION")));
    if policy == FetchPolicy::Public {
        client = client
            .no_proxy()
            .dns_resolver(guard::Resolver::public_only(guard::Network::default()));
    }
    Ok(client.build()?)
}

/// How long to wait before each further try.
const PAUSES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(2)];

/// Fetches `url`; nothing if it is what was kept.
async fn patiently(
    client: &reqwest::Client,
    url: &str,
    kept: Option<&Kept>,
    policy: FetchPolicy,
) -> anyhow::Result<Option<Kept>> {
    let address = reqwest::Url::parse(url)?;
    if policy == FetchPolicy::Public && !guard::may_ask(address.host_str()) {
        bail!("the address is not public");
    }
    let mut pauses = PAUSES.into_iter();
    loop {
        let error = match fetch(client, address.clone(), kept).await {
            Ok(fetched) => return Ok(fetched),
            Err(error) => error,
        };
        let may_pass = match error.downcast_ref::<Refused>() {
            Some(Refused(status)) => status.is_server_error() || status.as_u16() == 429,
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
struct Refused(reqwest::StatusCode);

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the server answered {}", self.0)
    }
}

impl std::error::Error for Refused {}

async fn fetch(
    client: &reqwest::Client,
    url: reqwest::Url,
    kept: Option<&Kept>,
) -> anyhow::Result<Option<Kept>> {
    let mut request = client.get(url);
    if let Some(Kept {
        validators: [tag, date],
        ..
    }) = kept
    {
        if !tag.is_empty() {
            request = request.header("if-none-match", tag);
        }
        if !date.is_empty() {
            request = request.header("if-modified-since", date);
        }
    }
    let mut reply = request.send().await?;
    let status = reply.status();
    if status == reqwest::StatusCode::NOT_MODIFIED && kept.is_some() {
        return Ok(None);
    }
    if !status.is_success() {
        return Err(Refused(status).into());
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
    Ok(Some(Kept {
        content: Arc::from(bytes),
        validators,
    }))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn kept(text: &str) -> Kept {
        Kept {
            content: Arc::from(text.as_bytes()),
            validators: ["\"1\"".to_owned(), String::new()],
        }
    }

    #[test]
    fn what_is_kept_is_found_by_its_address() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(Arc::new(Directory::new(folder.path())));
        let url = "https://a.example/x";
        assert_eq!(cache.get(url), None);
        cache.put(url, &kept("one")).unwrap();
        cache.put(url, &kept("two\nlines")).unwrap();
        assert_eq!(cache.get(url), Some(kept("two\nlines")));
        // Cut off on a full disk: it is as if nothing had been kept.
        let name = Cache::name(url);
        let file = folder.path().join("specs").join(name.as_str());
        let whole = fs::read(&file).unwrap();
        for length in 0..whole.len() {
            fs::write(&file, &whole[..length]).unwrap();
            assert_eq!(cache.get(url), None, "{length}");
        }
    }
}
