//! Specifications that are elsewhere: fetched over https, kept for the next start without a network.
//!
//! A change there changes nothing here by itself (SPEC 2.5): they are fetched when a site is built or checked, and when a
//! preview begins or its configuration names a new one.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use queries::config::{api_config, navigation_config};
use queries::content::ContentHash;
use queries::path::SitePath;

use crate::host::{FileChange, SiteHost};
use crate::sources::FileState;

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
        urls.extend(api.iter().map(|spec| spec.source.clone()));
        urls
    });
    let mut urls = named.unwrap_or_default();
    urls.retain(|url| url.starts_with("https://"));
    let mut seen = std::collections::BTreeSet::new();
    urls.retain(|url| seen.insert(url.clone()));
    urls
}

/// What was fetched before, by address.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// The cache of the user: `$XDG_CACHE_HOME/quire/specs`, else `~/.cache/quire/specs`; none if neither is known.
    pub fn of_user() -> Self {
        let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache"));
        let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let base = base.filter(|base| base.is_absolute()).or_else(home);
        Self {
            folder: base.map(|base| base.join("quire/specs")),
        }
    }

    /// A cache in `folder`.
    pub fn in_folder(folder: &Path) -> Self {
        Self {
            folder: Some(folder.to_owned()),
        }
    }

    fn file(&self, url: &str) -> Option<PathBuf> {
        let name = ContentHash::of(url.as_bytes()).short();
        Some(self.folder.as_ref()?.join(name))
    }

    /// What was fetched from `url` last.
    pub fn get(&self, url: &str) -> Option<Arc<[u8]>> {
        let bytes = fs::read(self.file(url)?).ok()?;
        // The first line is the address: two of them may have the same name.
        let content = bytes.strip_prefix(url.as_bytes())?.strip_prefix(b"\n")?;
        Some(Arc::from(content))
    }

    fn put(&self, url: &str, content: &[u8]) -> anyhow::Result<()> {
        let Some(path) = self.file(url) else {
            return Ok(());
        };
        let folder = path.parent().context("a folder")?;
        fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(url.as_bytes())?;
        file.write_all(b"\n")?;
        file.write_all(content)?;
        file.persist(path)?;
        Ok(())
    }
}

/// Applies what `cache` has of the specifications of `host`; returns the addresses of which it has nothing.
pub fn apply_cached(host: &SiteHost, cache: &Cache) -> Vec<String> {
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for url in urls(host) {
        match cache.get(&url) {
            Some(bytes) => found.push(change(&url, bytes)),
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
/// run or an earlier one; `warn` is told.
pub async fn refresh(host: &SiteHost, cache: &Cache, warn: &(dyn Fn(&str) + Sync)) {
    let urls = urls(host);
    if urls.is_empty() {
        return;
    }
    let client = match client() {
        Ok(client) => client,
        Err(error) => {
            warn(&format!("specifications cannot be fetched: {error:#}"));
            return;
        }
    };
    for url in urls {
        match fetch(&client, &url).await {
            Ok(bytes) => {
                if let Err(error) = cache.put(&url, &bytes) {
                    tracing::warn!("{url} could not be kept for the next start: {error:#}");
                }
                host.apply([change(&url, bytes)]);
            }
            Err(error) => {
                let kept = cache.get(&url);
                let rest = match kept {
                    Some(_) => "; what was fetched before is used",
                    None => "",
                };
                let cause = error.root_cause();
                warn(&format!("{url} could not be fetched: {cause}{rest}"));
                host.apply(kept.map(|bytes| change(&url, bytes)));
            }
        }
    }
}

/// The same for commands that have nothing else to wait for.
pub fn refresh_now(
    host: &SiteHost,
    cache: &Cache,
    warn: &(dyn Fn(&str) + Sync),
) -> anyhow::Result<()> {
    if urls(host).is_empty() {
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(refresh(host, cache, warn));
    Ok(())
}

fn client() -> anyhow::Result<reqwest::Client> {
    // It fails only when one is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let policy = reqwest::redirect::Policy::custom(|attempt| {
        if attempt.previous().len() > REDIRECTS {
            attempt.error("too many redirects")
        } else if attempt.url().scheme() != "https" {
            attempt.error("a redirect to an address that is not https")
        } else {
            attempt.follow()
        }
    });
    Ok(reqwest::Client::builder()
        .https_only(true)
        .redirect(policy)
        .connect_timeout(CONNECT)
        .timeout(TIME)
        .user_agent(concat!("quire/", env!("CARGO_PKG_VERSION")))
        .build()?)
}

async fn fetch(client: &reqwest::Client, url: &str) -> anyhow::Result<Arc<[u8]>> {
    let mut reply = client.get(url).send().await?;
    let status = reply.status();
    if !status.is_success() {
        bail!("the server answered {status}");
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = reply.chunk().await? {
        if bytes.len() + chunk.len() > MAX_BYTES {
            bail!("the document is larger than {} MiB", MAX_BYTES >> 20);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(Arc::from(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_by_its_address() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(folder.path());
        assert_eq!(cache.get("https://a.example/x"), None);
        cache.put("https://a.example/x", b"one").unwrap();
        cache.put("https://a.example/x", b"two").unwrap();
        assert_eq!(
            cache.get("https://a.example/x").as_deref(),
            Some(&b"two"[..])
        );
        // Cut off on a full disk: it is as if nothing had been kept.
        let file = cache.file("https://a.example/x").unwrap();
        fs::write(file, "https://a.exam").unwrap();
        assert_eq!(cache.get("https://a.example/x"), None);
    }
}
