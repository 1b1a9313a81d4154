//! Objects in a bucket.
//!
//! An upload costs a request and its bytes, so an object younger than [`FRESH`] is not sent again. A
//! sweep spares what is younger than [`GRACE`], so a deployment has the difference to finish.
//!
//! Buckets do not delete on a condition. A sweep writes `condemned/HEX`, looks at the age of the
//! object again, and deletes it. Who stores it at the same time writes it, looks for that mark, and
//! then for the object: if the sweep looked at the age before, one of both is as it must not be, and
//! it is written again.

use std::fs::File;
use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::PutMode;
use queries::base::content::ContentHash;
use quire_storage::fetched::Fetched;
use quire_storage::objects::{ObjectInfo, Objects, from_hex, hex};
use quire_storage::{Error, Pending};

use crate::client::{Client, Found};
use crate::clock::Time;

/// Age up to which an object counts as stored now.
const FRESH: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Age below which a sweep spares an object.
const GRACE: Duration = Duration::from_secs(14 * 24 * 60 * 60);
/// Most requests at once.
const AT_ONCE: usize = 16;
/// Attempts to store an object that a sweep deletes at the same time, and the pause between two.
const ATTEMPTS: usize = 20;
const PAUSE: Duration = Duration::from_millis(250);

const FOLDER: &str = "objects";

#[derive(Clone)]
pub(crate) struct BucketObjects {
    client: Client,
    fetched: Fetched,
    time: Time,
}

fn path(digest: &ContentHash) -> String {
    let name = hex(digest);
    let (start, rest) = name.split_at(2);
    format!("{FOLDER}/{start}/{rest}")
}

fn mark(digest: &ContentHash) -> String {
    format!("condemned/{}", hex(digest))
}

/// When it was stored, in milliseconds since 1970.
fn stored(found: &Found) -> u64 {
    found.stored_ms.unwrap_or(found.modified_ms)
}

impl BucketObjects {
    pub(crate) fn new(client: Client, fetched: Fetched, time: Time) -> Self {
        Self {
            client,
            fetched,
            time,
        }
    }

    fn is_fresh(&self, found: &Found) -> bool {
        let age = self.time.now_ms().saturating_sub(stored(found));
        u128::from(age) < FRESH.as_millis()
    }

    /// The object as this machine has it, or as the bucket has.
    async fn read(&self, digest: &ContentHash) -> Result<Option<Bytes>, Error> {
        if let Some(known) = self.fetched.get(digest).await {
            return Ok(Some(known));
        }
        let fetched = self.fetch(digest).await?;
        if let Some(bytes) = &fetched {
            self.fetched.keep(digest, bytes).await;
        }
        Ok(fetched)
    }

    async fn fetch(&self, digest: &ContentHash) -> Result<Option<Bytes>, Error> {
        let Some((_, bytes)) = self.client.get(&path(digest)).await? else {
            return Ok(None);
        };
        if ContentHash::of(&bytes) != *digest {
            tracing::warn!("ignoring the damaged object {}", hex(digest));
            return Ok(None);
        }
        Ok(Some(bytes))
    }

    async fn store(&self, bytes: Bytes) -> Result<ContentHash, Error> {
        let digest = ContentHash::of(&bytes);
        let found = self.client.head(&path(&digest)).await?;
        let is_there = |found: &Found| found.size == bytes.len() as u64 && self.is_fresh(found);
        if !found.as_ref().is_some_and(is_there) {
            self.write(&digest, bytes).await?;
        }
        Ok(digest)
    }

    async fn write(&self, digest: &ContentHash, bytes: Bytes) -> Result<(), Error> {
        let path = path(digest);
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                tokio::time::sleep(PAUSE).await;
            }
            let now = Some(self.time.now_ms());
            let put = (self.client).put(&path, bytes.clone(), PutMode::Overwrite, now);
            put.await?;
            match self.client.head(&mark(digest)).await? {
                // The sweep may have ended in between.
                None if self.client.head(&path).await?.is_some() => return Ok(()),
                None => {}
                // Of a sweep that was killed.
                Some(found) if !self.is_recent(&found) => {
                    self.client.delete(&mark(digest)).await?;
                }
                Some(_) => {}
            }
        }
        let error = io::Error::other("a sweep is deleting it; try again in some minutes");
        Err(Error::at(
            "write",
            format!("the object {}", hex(digest)),
            error,
        ))
    }

    /// Whether a sweep may be about to act on `mark`.
    fn is_recent(&self, mark: &Found) -> bool {
        self.time.now_ms().saturating_sub(stored(mark)) < 10 * 60 * 1000
    }

    async fn renew(&self, digest: &ContentHash) -> Result<bool, Error> {
        let Some(found) = self.client.head(&path(digest)).await? else {
            return Ok(false);
        };
        if self.is_fresh(&found) {
            return Ok(true);
        }
        let Some(bytes) = self.fetch(digest).await? else {
            return Ok(false);
        };
        self.write(digest, bytes).await?;
        Ok(true)
    }

    async fn remove(&self, digest: &ContentHash, before: SystemTime) -> Result<bool, Error> {
        // A clock that is ahead would have everything old.
        let before = self.time.of_caller_ms(before);
        let is_old = |found: Option<&Found>| found.is_some_and(|found| stored(found) < before);
        if !is_old(self.client.head(&path(digest)).await?.as_ref()) {
            return Ok(false);
        }
        let now = Some(self.time.now_ms());
        let mark = mark(digest);
        let put = self
            .client
            .put(&mark, Bytes::new(), PutMode::Overwrite, now);
        put.await?;
        let deleted = async {
            let is_old = is_old(self.client.head(&path(digest)).await?.as_ref());
            if is_old {
                self.client.delete(&path(digest)).await?;
                self.fetched.forget(digest).await;
            }
            Ok(is_old)
        };
        let deleted = deleted.await;
        self.client.delete(&mark).await?;
        deleted
    }

    async fn all(&self) -> Result<Vec<ObjectInfo>, Error> {
        let mut files = self.client.list(FOLDER);
        let mut objects = Vec::new();
        while let Some(file) = files.try_next().await? {
            let name = file.path.strip_prefix(FOLDER).unwrap_or_default();
            if let Some(digest) = from_hex(&name.replace('/', "")) {
                objects.push(ObjectInfo {
                    digest,
                    size: file.size,
                    stored: UNIX_EPOCH + Duration::from_millis(file.modified_ms),
                });
            }
        }
        objects.sort_by(|one, other| one.digest.as_bytes().cmp(other.digest.as_bytes()));
        Ok(objects)
    }
}

impl Objects for BucketObjects {
    fn get<'a>(&'a self, digest: &'a ContentHash) -> Pending<'a, Option<Bytes>> {
        let (own, digest) = (self.clone(), *digest);
        self.client.run(async move { own.read(&digest).await })
    }

    fn put(&self, bytes: Bytes) -> Pending<'_, ContentHash> {
        let own = self.clone();
        self.client.run(async move { own.store(bytes).await })
    }

    fn touch<'a>(&'a self, digest: &'a ContentHash) -> Pending<'a, bool> {
        let (own, digest) = (self.clone(), *digest);
        self.client.run(async move { own.renew(&digest).await })
    }

    fn put_all(&self, objects: Vec<Bytes>) -> Pending<'_, ()> {
        let own = self.clone();
        self.client.run(async move {
            let puts = stream::iter(objects).map(|bytes| own.store(bytes));
            let mut puts = puts.buffer_unordered(AT_ONCE);
            while puts.try_next().await?.is_some() {}
            Ok(())
        })
    }

    fn touch_all(&self, digests: Vec<ContentHash>) -> Pending<'_, Vec<ContentHash>> {
        let own = self.clone();
        self.client.run(async move {
            let touched = stream::iter(digests).map(|digest| {
                let own = &own;
                async move { Ok(own.renew(&digest).await?.then_some(digest)) }
            });
            let touched: Vec<Option<ContentHash>> = touched.buffered(AT_ONCE).try_collect().await?;
            Ok(touched.into_iter().flatten().collect())
        })
    }

    fn grace(&self) -> Duration {
        GRACE
    }

    fn delete<'a>(&'a self, digest: &'a ContentHash, before: SystemTime) -> Pending<'a, bool> {
        let (own, digest) = (self.clone(), *digest);
        self.client
            .run(async move { own.remove(&digest, before).await })
    }

    fn file(&self, _: &ContentHash) -> Result<Option<File>, Error> {
        Ok(None)
    }

    fn list(&self) -> Pending<'_, Vec<ObjectInfo>> {
        let own = self.clone();
        self.client.run(async move { own.all().await })
    }
}
