//! Objects: rows by digest.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use queries::base::content::ContentHash;
use quire_storage::objects::{ObjectInfo, Objects, hex};
use quire_storage::{Error, Pending};

use crate::Postgres;

/// Most bytes of objects in one statement.
const BATCH: usize = 4 << 20;
/// Most digests in one statement.
const DIGESTS: usize = 1000;

#[derive(Clone)]
pub(crate) struct DatabaseObjects(Postgres);

fn digest_of(bytes: &[u8]) -> Option<ContentHash> {
    quire_storage::objects::from_hex(
        &bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>(),
    )
}

impl DatabaseObjects {
    pub(crate) fn new(storage: Postgres) -> Self {
        Self(storage)
    }

    async fn read(&self, digest: &ContentHash) -> Result<Option<Bytes>, Error> {
        let storage = &self.0;
        if let Some(known) = storage.fetched.get(digest).await {
            return Ok(Some(known));
        }
        let sql = "select bytes from quire_objects where place = $1 and digest = $2";
        let key: &[u8] = digest.as_bytes();
        let what = format!("the object {}", hex(digest));
        let rows = storage
            .client
            .query(("read", &what), sql, &[&storage.place, &key])
            .await?;
        let Some(bytes) = rows.first().map(|row| row.get::<_, Vec<u8>>(0)) else {
            return Ok(None);
        };
        if ContentHash::of(&bytes) != *digest {
            tracing::warn!("ignoring the damaged object {}", hex(digest));
            return Ok(None);
        }
        let bytes = Bytes::from(bytes);
        storage.fetched.keep(digest, &bytes).await;
        Ok(Some(bytes))
    }

    /// Makes those of `digests` that exist as new; returns them, sorted. `sizes` are conditions, if
    /// they are known.
    async fn renew(
        &self,
        digests: &[ContentHash],
        sizes: Option<&[i64]>,
    ) -> Result<Vec<ContentHash>, Error> {
        let storage = &self.0;
        let now = storage.now();
        let mut found = Vec::new();
        for (chunk, part) in digests.chunks(DIGESTS).enumerate() {
            let keys: Vec<&[u8]> = part.iter().map(|digest| &digest.as_bytes()[..]).collect();
            let sizes = sizes.map(|sizes| &sizes[chunk * DIGESTS..][..part.len()]);
            // Rows are locked in one order, whoever touches them.
            let sql = "
                with wanted as (
                    select digest, size from unnest($2::bytea[], $3::bigint[]) as all_wanted(digest, size)),
                known as (
                    select known.digest from quire_objects as known
                    join wanted on wanted.digest = known.digest
                        and known.size = coalesce(wanted.size, known.size)
                    where place = $1 order by known.digest for update of known)
                update quire_objects as touched
                set stored = coalesce($4::timestamptz, clock_timestamp())
                from known where touched.place = $1 and touched.digest = known.digest
                returning touched.digest";
            let rows = storage
                .client
                .query(
                    ("touch", "objects"),
                    sql,
                    &[&storage.place, &keys, &sizes, &now],
                )
                .await?;
            found.extend(rows.iter().filter_map(|row| digest_of(row.get(0))));
        }
        found.sort_by(|one, other| one.as_bytes().cmp(other.as_bytes()));
        Ok(found)
    }

    async fn insert(&self, objects: &[(ContentHash, Bytes)]) -> Result<(), Error> {
        let storage = &self.0;
        let keys: Vec<&[u8]> = objects.iter().map(|(key, _)| &key.as_bytes()[..]).collect();
        let values: Vec<&[u8]> = objects.iter().map(|(_, bytes)| &bytes[..]).collect();
        let sql = "
            insert into quire_objects (place, digest, size, stored, bytes)
            select $1, digest, length(bytes), coalesce($4::timestamptz, clock_timestamp()), bytes
            from unnest($2::bytea[], $3::bytea[]) as new(digest, bytes)
            on conflict (place, digest) do update
                set stored = excluded.stored, size = excluded.size, bytes = excluded.bytes";
        storage
            .client
            .query(
                ("write", "objects"),
                sql,
                &[&storage.place, &keys, &values, &storage.now()],
            )
            .await?;
        Ok(())
    }

    async fn store(&self, objects: Vec<Bytes>) -> Result<(), Error> {
        // Sorted, as rows are locked.
        let mut new: BTreeMap<[u8; 32], (ContentHash, Bytes)> = BTreeMap::new();
        for bytes in objects {
            let digest = ContentHash::of(&bytes);
            new.insert(*digest.as_bytes(), (digest, bytes));
        }
        let digests: Vec<ContentHash> = new.values().map(|(digest, _)| *digest).collect();
        let sizes: Vec<i64> = new
            .values()
            .map(|(_, bytes)| i64::try_from(bytes.len()).unwrap_or(i64::MAX))
            .collect();
        let known = self.renew(&digests, Some(&sizes)).await?;
        let known: HashSet<[u8; 32]> = known.iter().map(|digest| *digest.as_bytes()).collect();
        let (mut batch, mut size) = (Vec::new(), 0);
        for (key, object) in new {
            if known.contains(&key) {
                continue;
            }
            size += object.1.len();
            batch.push(object);
            if size > BATCH {
                self.insert(&batch).await?;
                (batch, size) = (Vec::new(), 0);
            }
        }
        match batch.is_empty() {
            true => Ok(()),
            false => self.insert(&batch).await,
        }
    }

    async fn remove(&self, digest: &ContentHash, before: SystemTime) -> Result<bool, Error> {
        let storage = &self.0;
        // Clocks may differ, so what counts is the age by the clock of the database.
        let age = SystemTime::now().duration_since(before).unwrap_or_default();
        let before = storage.now().map(|_| before);
        let sql = "
            delete from quire_objects
            where place = $1 and digest = $2
                and stored < coalesce($3::timestamptz, clock_timestamp() - make_interval(secs => $4::float8))
            returning 1";
        let key: &[u8] = digest.as_bytes();
        let what = format!("the object {}", hex(digest));
        let rows = storage
            .client
            .query(
                ("remove", &what),
                sql,
                &[&storage.place, &key, &before, &age.as_secs_f64()],
            )
            .await?;
        if !rows.is_empty() {
            storage.fetched.forget(digest).await;
        }
        Ok(!rows.is_empty())
    }

    async fn all(&self) -> Result<Vec<ObjectInfo>, Error> {
        let storage = &self.0;
        let sql = "select digest, size, stored from quire_objects where place = $1 order by digest";
        let rows = storage
            .client
            .query(("list", "objects"), sql, &[&storage.place])
            .await?;
        let all = rows.iter().filter_map(|row| {
            Some(ObjectInfo {
                digest: digest_of(row.get(0))?,
                size: row.get::<_, i64>(1).try_into().unwrap_or_default(),
                stored: row.get(2),
            })
        });
        Ok(all.collect())
    }
}

impl Objects for DatabaseObjects {
    fn get<'a>(&'a self, digest: &'a ContentHash) -> Pending<'a, Option<Bytes>> {
        let (own, digest) = (self.clone(), *digest);
        let worker = &self.0.client.worker;
        worker.run(async move { own.read(&digest).await })
    }

    fn put(&self, bytes: Bytes) -> Pending<'_, ContentHash> {
        let own = self.clone();
        self.0.client.worker.run(async move {
            let digest = ContentHash::of(&bytes);
            own.store(vec![bytes]).await?;
            Ok(digest)
        })
    }

    fn touch<'a>(&'a self, digest: &'a ContentHash) -> Pending<'a, bool> {
        let (own, digest) = (self.clone(), *digest);
        self.0.client.worker.run(async move {
            let found = own.renew(&[digest], None).await?;
            Ok(!found.is_empty())
        })
    }

    fn put_all(&self, objects: Vec<Bytes>) -> Pending<'_, ()> {
        let own = self.clone();
        let worker = &self.0.client.worker;
        worker.run(async move { own.store(objects).await })
    }

    fn touch_all(&self, digests: Vec<ContentHash>) -> Pending<'_, Vec<ContentHash>> {
        let own = self.clone();
        let worker = &self.0.client.worker;
        worker.run(async move { own.renew(&digests, None).await })
    }

    /// Longer than any deployment takes.
    fn grace(&self) -> Duration {
        Duration::from_secs(24 * 60 * 60)
    }

    fn delete<'a>(&'a self, digest: &'a ContentHash, before: SystemTime) -> Pending<'a, bool> {
        let (own, digest) = (self.clone(), *digest);
        let worker = &self.0.client.worker;
        worker.run(async move { own.remove(&digest, before).await })
    }

    fn file(&self, _: &ContentHash) -> Result<Option<File>, Error> {
        Ok(None)
    }

    fn list(&self) -> Pending<'_, Vec<ObjectInfo>> {
        let own = self.clone();
        let worker = &self.0.client.worker;
        worker.run(async move { own.all().await })
    }
}
