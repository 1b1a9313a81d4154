//! Storage in a bucket of an object store that speaks S3, for several machines: records, objects,
//! leases.
//!
//! ```text
//! PREFIX/KIND/NAME         a record; its version is the entity tag
//! PREFIX/objects/AB/CDEF…  an object; its metadata say when it was stored
//! PREFIX/condemned/HEX     an object that a sweep is about to delete
//! PREFIX/leases/NAME       a lease: its number, and its end in milliseconds since 1970
//! PREFIX/check-…           what a process tries conditional writes with
//! ```
//!
//! A record is replaced by a conditional write (`If-None-Match: *`, `If-Match`), so of several
//! writers one wins, whatever machine they run on. Caches, scratch folders and records that can be
//! made again stay on this machine: they are those of the `local` storage.
//!
//! What was read of objects is kept on this machine, and compared with their digests when it is read
//! again.
//!
//! Times are those of the store: clocks of machines may differ. What is stored says when, and is compared with the `Date` of
//! answers.
//!
//! Requests run on a thread of their own, so the futures can be polled anywhere.

mod client;
mod clock;
mod lease;
mod object;

use std::sync::Arc;

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::{PutMode, UpdateVersion};
use queries::base::content::ContentHash;
use quire_storage::{
    Area, Blobs, Clock, Error, Expected, Kind, Lease, Leases, Name, Objects, Pending, Record,
    Records, Scratch, Stamp, Storage, Term, Version,
};

use quire_storage::fetched::Fetched;
use quire_storage::memory::Memory;

use client::{Client, Found};
use clock::Time;

/// Storage in a bucket. Clones are the same storage.
#[derive(Clone)]
pub struct Bucket {
    client: Client,
    local: Arc<dyn Storage>,
    fetched: Fetched,
    time: Time,
}

/// Whether a process writes to the bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It only reads.
    Read,
    /// It writes as well.
    Write,
}

impl Bucket {
    /// Opens the storage at `url`, `s3://BUCKET` or `s3://BUCKET/PREFIX`. Credentials, region and
    /// endpoint are those of the environment (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`,
    /// `AWS_REGION`, `AWS_ENDPOINT_URL` and so on) or of the machine. `local` takes what is of use
    /// to this machine alone; without it nothing is kept. Blocks.
    ///
    /// # Errors
    ///
    /// Fails if the address is none of a bucket, the bucket cannot be read, or for
    /// [`Access::Write`] does not write on a condition.
    pub fn open(
        url: &str,
        access: Access,
        local: Option<Arc<dyn Storage>>,
    ) -> anyhow::Result<Self> {
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
            Some((name, value))
        });
        let bucket = Self::with(url, variables, local, None)?;
        bucket.client.check(access)?;
        Ok(bucket)
    }

    /// The storage at `url`, with `variables` in place of the environment, whose leases end, and whose
    /// objects grow old, by `clock` if there is one. Nothing is asked of it.
    ///
    /// # Errors
    ///
    /// Fails if the address is none of a bucket.
    pub fn with(
        url: &str,
        variables: impl IntoIterator<Item = (String, String)>,
        local: Option<Arc<dyn Storage>>,
        clock: Option<Clock>,
    ) -> anyhow::Result<Self> {
        let client = Client::open(url, variables)?;
        Ok(Self {
            time: clock.map_or_else(|| Time::Store(client.clock.clone()), Time::Given),
            client,
            fetched: Fetched::in_storage(local.as_ref()),
            local: local.unwrap_or_else(|| Arc::new(Memory::default())),
        })
    }

    fn is_local(kind: Kind) -> bool {
        !Kind::LASTING.contains(&kind)
    }
}

fn version(tag: Option<&str>) -> Version {
    Version::new(tag.unwrap_or_default().as_bytes())
}

fn stamp(found: &Found) -> Stamp {
    // Listings have parts of seconds where the rest has none.
    let text = format!(
        "{:?} {} {}",
        found.tag,
        found.size,
        found.modified_ms / 1000
    );
    let digest = ContentHash::of(text.as_bytes());
    let mut numbers = [0; 4];
    for (number, bytes) in numbers.iter_mut().zip(digest.as_bytes().chunks(8)) {
        *number = bytes
            .iter()
            .fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    }
    Stamp(numbers)
}

impl Bucket {
    /// The records of `kind` whose names begin with `prefix`, sorted. No other names are asked for, but for those
    /// of the last answer.
    fn stamps_of<'a>(&self, kind: Kind, prefix: &str) -> Pending<'a, Vec<(Name, Stamp)>> {
        let (client, prefix) = (self.client.clone(), prefix.to_owned());
        self.client.run(async move {
            let files = client.list_from(kind.folder(), &prefix);
            let files = files.try_take_while(|file| {
                let is_one = file.file_name.starts_with(&prefix);
                std::future::ready(Ok(is_one))
            });
            let files: Vec<Found> = files.try_collect().await?;
            let named = |file: &Found| {
                let name = kind.name_of(&file.file_name)?;
                // Not of a folder below it.
                (name.path() == file.path).then(|| (name, stamp(file)))
            };
            let mut stamps: Vec<_> = files.iter().filter_map(named).collect();
            stamps.sort_by(|(one, _), (other, _)| one.cmp(other));
            Ok(stamps)
        })
    }
}

impl Records for Bucket {
    fn stamp<'a>(&'a self, name: &'a Name) -> Pending<'a, Option<Stamp>> {
        if Self::is_local(name.kind()) {
            return self.local.stamp(name);
        }
        let (client, path) = (self.client.clone(), name.path());
        let head = async move { client.head(&path).await };
        let head = self.client.run(head);
        Box::pin(async move { Ok(head.await?.as_ref().map(stamp)) })
    }

    fn get<'a>(&'a self, name: &'a Name) -> Pending<'a, Option<Record>> {
        if Self::is_local(name.kind()) {
            return self.local.get(name);
        }
        let (client, path) = (self.client.clone(), name.path());
        self.client.run(async move {
            let found = client.get(&path).await?;
            Ok(found.map(|(found, bytes)| Record {
                version: version(found.tag.as_deref()),
                bytes: bytes.into(),
            }))
        })
    }

    fn put<'a>(
        &'a self,
        name: &'a Name,
        bytes: &'a [u8],
        expected: Expected,
    ) -> Pending<'a, Version> {
        if Self::is_local(name.kind()) {
            return self.local.put(name, bytes, expected);
        }
        let mode = match expected {
            Expected::Absent => PutMode::Create,
            Expected::Any => PutMode::Overwrite,
            Expected::Version(version) => PutMode::Update(UpdateVersion {
                e_tag: Some(String::from_utf8_lossy(version.as_bytes()).into_owned()),
                version: None,
            }),
        };
        let (client, path) = (self.client.clone(), name.path());
        let bytes = Bytes::copy_from_slice(bytes);
        self.client.run(async move {
            let tag = client.put(&path, bytes, mode, None).await?;
            Ok(version(tag.as_deref()))
        })
    }

    /// Buckets do not delete on a condition: what is written between the comparison and the
    /// deletion goes with the record.
    fn delete<'a>(&'a self, name: &'a Name, expected: &'a Version) -> Pending<'a, ()> {
        if Self::is_local(name.kind()) {
            return self.local.delete(name, expected);
        }
        let (client, path) = (self.client.clone(), name.path());
        let expected = expected.clone();
        self.client.run(async move {
            let found = client.head(&path).await?.ok_or(Error::NotFound)?;
            Expected::Version(expected).check(Some(&version(found.tag.as_deref())))?;
            client.delete(&path).await
        })
    }

    fn list<'a>(&'a self, kind: Kind, prefix: &'a str) -> Pending<'a, Vec<Name>> {
        if Self::is_local(kind) {
            return self.local.list(kind, prefix);
        }
        let stamps = self.stamps_of(kind, prefix);
        Box::pin(async move { Ok(stamps.await?.into_iter().map(|(name, _)| name).collect()) })
    }

    fn stamps(&self, kind: Kind) -> Pending<'_, Vec<(Name, Stamp)>> {
        if Self::is_local(kind) {
            return self.local.stamps(kind);
        }
        self.stamps_of(kind, "")
    }
}

impl Leases for Bucket {
    fn take<'a>(&'a self, name: &'a str, term: Term) -> Pending<'a, Lease> {
        lease::take(&self.client, &self.time, name, term)
    }

    fn renew<'a>(&'a self, lease: &'a Lease, term: Term) -> Pending<'a, ()> {
        lease::renew(&self.client, &self.time, lease, term)
    }

    fn release(&self, lease: Lease) -> Pending<'_, ()> {
        lease::release(&self.client, &lease)
    }
}

impl Storage for Bucket {
    fn blobs(&self, area: Area) -> Arc<dyn Blobs> {
        self.local.blobs(area)
    }

    fn objects(&self) -> Arc<dyn Objects> {
        Arc::new(object::BucketObjects::new(
            self.client.clone(),
            self.fetched.clone(),
            self.time.clone(),
        ))
    }

    fn scratch(&self, name: &str) -> Option<Scratch> {
        self.local.scratch(name)
    }

    fn below(&self, folder: &str) -> Arc<dyn Storage> {
        let local = self.local.below(folder);
        Arc::new(Self {
            client: self.client.below(folder),
            fetched: self.fetched.below(&local),
            local,
            time: self.time.clone(),
        })
    }
}
