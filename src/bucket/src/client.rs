//! Requests to a bucket, on a thread of their own.

use std::future::Future;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use bytes::Bytes;
use futures_util::future::join_all;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
use object_store::aws::AmazonS3Builder;
use object_store::path::Path;
use object_store::{
    Attribute, Attributes, ClientOptions, GetOptions, ObjectMeta, ObjectStore, ObjectStoreExt,
    PutMode, PutOptions, RetryConfig, UpdateVersion,
};
use quire_storage::held::Held;
use quire_storage::worker::Worker;
use quire_storage::{Error, Pending, wait};

use crate::Access;
use crate::clock::{MACHINE_CREDENTIALS, StoreClock};

/// Attempts of a request after the first, and the time for all of them.
const RETRIES: usize = 3;
const RETRY_TIME: Duration = Duration::from_secs(20);
/// Pause before the second attempt of a write on a condition; each further one is twice as long.
const RETRY_PAUSE: Duration = Duration::from_millis(100);
/// Writers that try a condition at the same time, and how often they do.
const WRITERS: usize = 8;
const ROUNDS: usize = 2;
/// Time for a request and its answer. An upload of 64 MB at 2 MB/s fits.
const REQUEST_TIME: Duration = Duration::from_secs(60);
const CONNECT_TIME: Duration = Duration::from_secs(5);

/// Metadata of an object: when it was stored, in milliseconds since 1970.
const STORED: &str = "quire-stored";
/// Metadata of what was written on a condition: a random number of that write.
const WRITER: &str = "quire-writer";

/// Code of the answer to a request that was signed by a clock which is off.
const SKEWED: &str = "RequestTimeTooSkewed";
/// Maximum number of characters of a cause in a message.
const MAX_CAUSE: usize = 300;

/// Requests below one address. Clones are the same.
#[derive(Clone)]
pub(crate) struct Client {
    store: Arc<dyn ObjectStore>,
    /// The same, which tries once: for writes on a condition.
    once: Arc<dyn ObjectStore>,
    /// `s3://BUCKET/PREFIX`, for messages.
    url: Arc<str>,
    prefix: Path,
    pub(crate) clock: StoreClock,
    pub(crate) worker: Worker,
    pub(crate) held: Held,
}

/// Facts about something in the bucket.
pub(crate) struct Found {
    /// Last part of its path.
    pub(crate) file_name: String,
    /// Its path below the prefix.
    pub(crate) path: String,
    /// Entity tag.
    pub(crate) tag: Option<String>,
    /// Number of bytes.
    pub(crate) size: u64,
    /// When it was written, by the clock of the store, in milliseconds since 1970.
    pub(crate) modified_ms: u64,
    /// When it was stored, by the clock of the store as the writer knew it; `None` in listings.
    pub(crate) stored_ms: Option<u64>,
    /// Number of the write on a condition that it is of; `None` in listings.
    writer: Option<String>,
}

impl Client {
    /// Requests to `url`, with the settings among `variables`.
    pub(crate) fn open(
        url: &str,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> anyhow::Result<Self> {
        let place = url.strip_prefix("s3://");
        let place = place.with_context(|| format!("`{url}` is not `s3://BUCKET/PREFIX`"))?;
        let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
        if bucket.is_empty() {
            bail!("`{url}` names no bucket; write `s3://BUCKET/PREFIX`");
        }
        let prefix = Path::parse(prefix.trim_end_matches('/'))
            .with_context(|| format!("`{url}` has a prefix that cannot be used"))?;
        // Nobody else may have chosen one. An error says that one is chosen.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = ClientOptions::new()
            .with_timeout(REQUEST_TIME)
            .with_connect_timeout(CONNECT_TIME)
            // Only an endpoint that the operator names is without TLS.
            .with_allow_http(true);
        let clock = StoreClock::default();
        let mut builder = AmazonS3Builder::new()
            .with_client_options(client)
            .with_http_connector(clock.clone())
            .with_disable_bulk_delete(true);
        for (name, value) in variables {
            let name = name.to_ascii_lowercase();
            if name.starts_with("aws_")
                && let Ok(key) = name.parse()
            {
                builder = builder.with_config(key, value);
            }
        }
        let builder = builder.with_bucket_name(bucket);
        let retries = RetryConfig {
            max_retries: RETRIES,
            retry_timeout: RETRY_TIME,
            ..RetryConfig::default()
        };
        let store = builder.clone().with_retry(retries.clone()).build();
        let store = store.with_context(|| format!("open {url}"))?;
        let once = RetryConfig {
            max_retries: 0,
            ..retries
        };
        let once = builder.with_retry(once).build();
        let once = once.with_context(|| format!("open {url}"))?;
        let worker = Worker::start("quire-bucket", "the bucket");
        let worker = worker.context("start the thread of the bucket")?;
        Ok(Self {
            store: Arc::new(store),
            once: Arc::new(once),
            url: url.trim_end_matches('/').into(),
            prefix,
            clock,
            worker,
            held: Held::default(),
        })
    }

    /// The requests below `folder`.
    pub(crate) fn below(&self, folder: &str) -> Self {
        Self {
            url: format!("{}/{folder}", self.url).into(),
            prefix: self.prefix.clone().join(folder),
            ..self.clone()
        }
    }

    /// Runs `work` on the thread of the bucket, also if the future is dropped.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> Pending<'static, T> {
        self.worker.run(work)
    }

    /// Checks that the bucket can be used as `access` needs, and says if the clock of this machine is off. Blocks.
    pub(crate) fn check(&self, access: Access) -> anyhow::Result<()> {
        let client = self.clone();
        let reading = self.run(async move { client.list("deployments").try_next().await });
        wait(reading)?;
        if let Some(told) = self.clock.told() {
            tracing::warn!("{}: {told}", self.url);
        }
        if access == Access::Read {
            return Ok(());
        }
        let client = self.clone();
        if let Some(missing) = wait(self.run(async move { client.missing().await }))? {
            bail!(
                "{}: the store ignores {missing}, so several writers would lose each other's changes; use one with conditional writes",
                self.url
            );
        }
        Ok(())
    }

    /// Tries writes on a condition; returns what the store does not heed.
    async fn missing(&self) -> Result<Option<&'static str>, Error> {
        // Other processes may start now, too.
        let path = format!("check-{:016x}", fastrand::u64(..));
        let missing = self.missing_at(&path).await?;
        self.delete(&path).await?;
        Ok(missing)
    }

    async fn missing_at(&self, path: &str) -> Result<Option<&'static str>, Error> {
        let update = |e_tag| {
            PutMode::Update(UpdateVersion {
                e_tag,
                version: None,
            })
        };
        let tag = self.put(path, "1".into(), PutMode::Overwrite, None).await?;
        match self.put(path, "2".into(), PutMode::Create, None).await {
            Err(Error::Conflict) => {}
            written => return written.map(|_| Some("`If-None-Match: *`")),
        }
        let other = Some("\"0123456789abcdef0123456789abcdef\"".to_owned());
        match self.put(path, "3".into(), update(other), None).await {
            Err(Error::Conflict) => {}
            written => return written.map(|_| Some("`If-Match`")),
        }
        let mut tag = match self.put(path, "4".into(), update(tag), None).await {
            Err(Error::Conflict) => return Ok(Some("its own entity tags in `If-Match`")),
            written => written?,
        };
        // Some compare, then write, and hold no lock between.
        for round in 0..ROUNDS {
            let writes = (0..WRITERS).map(|writer| {
                let body = format!("{round} {writer}");
                self.put(path, body.into(), update(tag.clone()), None)
            });
            let mut winners = 0;
            // Some let only one write of a name a second through: that is no loss.
            for new in join_all(writes).await.into_iter().flatten() {
                winners += 1;
                tag = new;
            }
            if winners > 1 {
                return Ok(Some("`If-Match` of writers that come at the same time"));
            }
            if winners == 0 {
                break;
            }
        }
        Ok(None)
    }

    fn at(&self, path: &str) -> Path {
        let mut at = self.prefix.clone();
        for part in path.split('/') {
            at = at.join(part);
        }
        at
    }

    fn error(&self, action: &'static str, path: &str, error: &object_store::Error) -> Error {
        use object_store::Error as E;
        let kind = match error {
            E::NotFound { .. } => ErrorKind::NotFound,
            E::PermissionDenied { .. } | E::Unauthenticated { .. } => ErrorKind::PermissionDenied,
            _ => ErrorKind::Other,
        };
        // The innermost error names the cause; those around it repeat addresses.
        let mut cause: &dyn std::error::Error = error;
        let mut is_asking_machine = false;
        while let Some(source) = cause.source() {
            is_asking_machine |= cause.to_string().contains(MACHINE_CREDENTIALS);
            cause = source;
        }
        let cause = cause.to_string();
        let first = cause.lines().next().unwrap_or_default();
        let first: String = first.chars().take(MAX_CAUSE).collect();
        let why = match (answer_of(&cause), error) {
            (Some(answer), _) => match self.clock.told().filter(|_| answer.contains(SKEWED)) {
                Some(told) => format!("{told}: {answer}"),
                None => answer,
            },
            _ if is_asking_machine => {
                "no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role".to_owned()
            }
            (None, E::PermissionDenied { .. }) => "permission denied".to_owned(),
            (None, E::Unauthenticated { .. }) => "the credentials were refused".to_owned(),
            (None, _) => first,
        };
        let place = format!("{}/{path}", self.url);
        Error::at(action, place, io::Error::new(kind, why))
    }

    fn found(&self, meta: &ObjectMeta, attributes: &Attributes) -> Found {
        let stored = attributes.get(&Attribute::Metadata(STORED.into()));
        let writer = attributes.get(&Attribute::Metadata(WRITER.into()));
        let path = meta.location.prefix_match(&self.prefix);
        let path = path.map(|parts| {
            let parts: Vec<_> = parts.map(|part| part.as_ref().to_owned()).collect();
            parts.join("/")
        });
        Found {
            file_name: meta.location.filename().unwrap_or_default().to_owned(),
            path: path.unwrap_or_default(),
            tag: meta.e_tag.clone(),
            size: meta.size,
            modified_ms: meta
                .last_modified
                .timestamp_millis()
                .try_into()
                .unwrap_or(0),
            stored_ms: stored.and_then(|ms| ms.parse().ok()),
            writer: writer.map(|writer| writer.to_string()),
        }
    }

    /// What is at `path`, with its bytes.
    pub(crate) async fn get(&self, path: &str) -> Result<Option<(Found, Bytes)>, Error> {
        let failed = |error| self.error("read", path, &error);
        let reply = match self.store.get(&self.at(path)).await {
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            reply => reply.map_err(failed)?,
        };
        let found = self.found(&reply.meta, &reply.attributes);
        Ok(Some((found, reply.bytes().await.map_err(failed)?)))
    }

    /// What is at `path`, without its bytes.
    pub(crate) async fn head(&self, path: &str) -> Result<Option<Found>, Error> {
        let options = GetOptions {
            head: true,
            ..GetOptions::default()
        };
        match self.store.get_opts(&self.at(path), options).await {
            Ok(reply) => Ok(Some(self.found(&reply.meta, &reply.attributes))),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.error("read", path, &error)),
        }
    }

    /// Writes `bytes` to `path` on the condition of `mode`; returns the entity tag.
    pub(crate) async fn put(
        &self,
        path: &str,
        bytes: Bytes,
        mode: PutMode,
        stored_ms: Option<u64>,
    ) -> Result<Option<String>, Error> {
        let stored = stored_ms.map(|ms| (Attribute::Metadata(STORED.into()), ms.to_string()));
        let at = self.at(path);
        if mode == PutMode::Overwrite {
            let options = PutOptions {
                attributes: stored.into_iter().collect(),
                ..PutOptions::default()
            };
            let written = self.store.put_opts(&at, bytes.into(), options).await;
            let written = written.map_err(|error| self.error("write", path, &error))?;
            return Ok(written.e_tag);
        }
        let is_update = matches!(mode, PutMode::Update(_));
        let writer = format!("{:016x}", fastrand::u64(..));
        let own = (Attribute::Metadata(WRITER.into()), writer.clone());
        let options = PutOptions {
            mode,
            attributes: stored.into_iter().chain([own]).collect(),
            ..PutOptions::default()
        };
        let mut attempt = 0;
        loop {
            use object_store::Error as E;
            let written = self
                .once
                .put_opts(&at, bytes.clone().into(), options.clone());
            let error = match written.await {
                Ok(written) => return Ok(written.e_tag),
                Err(E::AlreadyExists { .. } | E::Precondition { .. }) => {
                    return Err(Error::Conflict);
                }
                // A version of nothing is not the present one.
                Err(E::NotFound { .. }) if is_update => return Err(Error::Conflict),
                Err(error) => error,
            };
            if !matches!(error, E::Generic { .. }) || attempt == RETRIES {
                return Err(self.error("write", path, &error));
            }
            // The store failed, or its answer was lost: it may have written all the same, and would
            // refuse the second attempt because of the first.
            tokio::time::sleep(RETRY_PAUSE * (1 << attempt)).await;
            attempt += 1;
            if let Some(found) = self.head(path).await?
                && found.writer.as_ref() == Some(&writer)
            {
                return Ok(found.tag);
            }
        }
    }

    /// Deletes what is at `path`, if anything is.
    pub(crate) async fn delete(&self, path: &str) -> Result<(), Error> {
        match self.store.delete(&self.at(path)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(self.error("remove", path, &error)),
        }
    }

    /// Everything below `folder`.
    pub(crate) fn list(&self, folder: &str) -> BoxStream<'static, Result<Found, Error>> {
        self.list_from(folder, "")
    }

    /// Everything below `folder` that stands behind `name` in the order of bytes.
    pub(crate) fn list_from(
        &self,
        folder: &str,
        name: &str,
    ) -> BoxStream<'static, Result<Found, Error>> {
        let client = self.clone();
        let folder = folder.to_owned();
        let at = self.at(&folder);
        let files = match name {
            "" => self.store.list(Some(&at)),
            name => self
                .store
                .list_with_offset(Some(&at), &at.clone().join(name)),
        };
        let files = files.map(move |file| match file {
            Ok(meta) => Ok(client.found(&meta, &Attributes::new())),
            Err(error) => Err(client.error("list", &folder, &error)),
        });
        files.boxed()
    }
}

/// The message and the code of an answer of a store, which is XML, in `text`.
fn answer_of(text: &str) -> Option<String> {
    let element = |name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        Some(rest.split_once(&format!("</{name}>"))?.0)
    };
    let code = element("Code")?;
    Some(match element("Message") {
        Some(message) => format!("{message} ({code})"),
        None => code.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_of_a_store_is_one_line() {
        let text = "404 Not Found: <?xml version=\"1.0\"?>\n<Error><Code>NoSuchKey</Code>\
                    <Message>The key does not exist.</Message></Error>";
        let said = answer_of(text);
        assert_eq!(said.as_deref(), Some("The key does not exist. (NoSuchKey)"));
        assert_eq!(
            answer_of("<Code>SlowDown</Code>").as_deref(),
            Some("SlowDown")
        );
        assert_eq!(answer_of("connection refused"), None);
    }

    #[test]
    fn an_address_names_a_bucket_and_a_prefix() {
        let none = || std::iter::empty();
        for url in ["docs", "s3://", "s3:///prefix", "http://bucket/"] {
            assert!(Client::open(url, none()).is_err(), "{url}");
        }
        let client = Client::open("s3://docs/a/b/", none()).expect("an address");
        assert_eq!(client.at("deployments/x").as_ref(), "a/b/deployments/x");
        let below = client.below("previews");
        assert_eq!(below.at("x").as_ref(), "a/b/previews/x");
        let whole = Client::open("s3://docs", none()).expect("an address");
        assert_eq!(whole.at("x").as_ref(), "x");
    }
}
