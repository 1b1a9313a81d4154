//! Records: rows that are replaced on a condition.

use quire_storage::{
    Changes, Error, Expected, Kind, Name, Pending, Record, Records, Stamp, Version,
};

use crate::Postgres;
use crate::change::CHANNEL;

fn version(number: i64) -> Version {
    Version::new(&number.to_le_bytes())
}

fn number(version: &Version) -> Option<i64> {
    Some(i64::from_le_bytes(version.as_bytes().try_into().ok()?))
}

fn stamp(number: i64) -> Stamp {
    Stamp([number.cast_unsigned(), 0, 0, 0])
}

fn is_local(kind: Kind) -> bool {
    !Kind::LASTING.contains(&kind)
}

impl Postgres {
    /// The record of `name`: its version and, `with_bytes`, its contents.
    async fn row(&self, name: &Name, with_bytes: bool) -> Result<Option<(i64, Vec<u8>)>, Error> {
        let sql = match with_bytes {
            true => {
                "select version, bytes from quire_records where place = $1 and kind = $2 and name = $3"
            }
            false => {
                "select version, ''::bytea from quire_records where place = $1 and kind = $2 and name = $3"
            }
        };
        let (kind, text) = (name.kind().folder(), name.as_str());
        let found = self
            .client
            .query(("read", &name.path()), sql, &[&self.place, &kind, &text])
            .await?;
        Ok(found.first().map(|row| (row.get(0), row.get(1))))
    }

    async fn write(&self, name: &Name, bytes: &[u8], expected: Expected) -> Result<Version, Error> {
        let (kind, text) = (name.kind().folder(), name.as_str());
        // By its number a write is known again that was answered to nobody.
        let new: i64 = fastrand::i64(1..);
        let told = format!("{}/{kind}", self.place);
        let sql = match &expected {
            Expected::Absent => format!(
                "with written as (
                    insert into quire_records as known (place, kind, name, version, bytes)
                    values ($1, $2, $3, $4, $5)
                    on conflict (place, kind, name) do update set version = $4 where known.version = $4
                    returning 1)
                 select pg_notify('{CHANNEL}', $6::text) from written"
            ),
            Expected::Any => format!(
                "with written as (
                    insert into quire_records (place, kind, name, version, bytes)
                    values ($1, $2, $3, $4, $5)
                    on conflict (place, kind, name) do update set version = $4, bytes = $5
                    returning 1)
                 select pg_notify('{CHANNEL}', $6::text) from written"
            ),
            Expected::Version(_) => format!(
                "with written as (
                    update quire_records set version = $4, bytes = $5
                    where place = $1 and kind = $2 and name = $3 and version in ($4, $7)
                    returning 1)
                 select pg_notify('{CHANNEL}', $6::text) from written"
            ),
        };
        let what = ("write", &*name.path());
        let rows = match &expected {
            Expected::Version(before) => {
                let before = number(before).ok_or(Error::Conflict)?;
                let parameters: &[&(dyn tokio_postgres::types::ToSql + Sync)] =
                    &[&self.place, &kind, &text, &new, &bytes, &told, &before];
                self.client.query(what, &sql, parameters).await?
            }
            _ => {
                let parameters: &[&(dyn tokio_postgres::types::ToSql + Sync)] =
                    &[&self.place, &kind, &text, &new, &bytes, &told];
                self.client.query(what, &sql, parameters).await?
            }
        };
        match rows.is_empty() {
            true => Err(Error::Conflict),
            false => Ok(version(new)),
        }
    }

    async fn remove(&self, name: &Name, expected: &Version) -> Result<(), Error> {
        let expected = number(expected).ok_or(Error::Conflict)?;
        let (kind, text) = (name.kind().folder(), name.as_str());
        let told = format!("{}/{kind}", self.place);
        let sql = format!(
            "with removed as (
                delete from quire_records
                where place = $1 and kind = $2 and name = $3 and version = $4
                returning 1)
             select pg_notify('{CHANNEL}', $5::text) from removed"
        );
        let what = ("remove", &*name.path());
        let removed = self
            .client
            .query(what, &sql, &[&self.place, &kind, &text, &expected, &told])
            .await?;
        if !removed.is_empty() {
            return Ok(());
        }
        match self.row(name, false).await? {
            Some(_) => Err(Error::Conflict),
            None => Err(Error::NotFound),
        }
    }

    async fn named(&self, kind: Kind, prefix: &str) -> Result<Vec<(Name, Stamp)>, Error> {
        let folder = kind.folder();
        // By bytes, as names compare.
        let sql = "select name, version from quire_records where place = $1 and kind = $2 and starts_with(name, $3) order by name collate \"C\"";
        let rows = self
            .client
            .query(("list", folder), sql, &[&self.place, &folder, &prefix])
            .await?;
        let named = rows.iter().filter_map(|row| {
            let name = Name::new(kind, row.get(0))?;
            Some((name, stamp(row.get(1))))
        });
        Ok(named.collect())
    }
}

impl Records for Postgres {
    fn get<'a>(&'a self, name: &'a Name) -> Pending<'a, Option<Record>> {
        if is_local(name.kind()) {
            return self.local.get(name);
        }
        let (own, name) = (self.clone(), name.clone());
        self.client.worker.run(async move {
            let found = own.row(&name, true).await?;
            Ok(found.map(|(number, bytes)| Record {
                bytes,
                version: version(number),
            }))
        })
    }

    fn put<'a>(
        &'a self,
        name: &'a Name,
        bytes: &'a [u8],
        expected: Expected,
    ) -> Pending<'a, Version> {
        if is_local(name.kind()) {
            return self.local.put(name, bytes, expected);
        }
        let (own, name, bytes) = (self.clone(), name.clone(), bytes.to_vec());
        self.client
            .worker
            .run(async move { own.write(&name, &bytes, expected).await })
    }

    fn delete<'a>(&'a self, name: &'a Name, expected: &'a Version) -> Pending<'a, ()> {
        if is_local(name.kind()) {
            return self.local.delete(name, expected);
        }
        let (own, name, expected) = (self.clone(), name.clone(), expected.clone());
        self.client
            .worker
            .run(async move { own.remove(&name, &expected).await })
    }

    fn stamp<'a>(&'a self, name: &'a Name) -> Pending<'a, Option<Stamp>> {
        if is_local(name.kind()) {
            return self.local.stamp(name);
        }
        let (own, name) = (self.clone(), name.clone());
        self.client.worker.run(async move {
            let found = own.row(&name, false).await?;
            Ok(found.map(|(number, _)| stamp(number)))
        })
    }

    fn list<'a>(&'a self, kind: Kind, prefix: &'a str) -> Pending<'a, Vec<Name>> {
        if is_local(kind) {
            return self.local.list(kind, prefix);
        }
        let (own, prefix) = (self.clone(), prefix.to_owned());
        self.client.worker.run(async move {
            let named = own.named(kind, &prefix).await?.into_iter();
            Ok(named.map(|(name, _)| name).collect())
        })
    }

    fn stamps(&self, kind: Kind) -> Pending<'_, Vec<(Name, Stamp)>> {
        if is_local(kind) {
            return self.local.stamps(kind);
        }
        let own = self.clone();
        self.client
            .worker
            .run(async move { own.named(kind, "").await })
    }

    fn changes(&self) -> Option<Changes> {
        Some(self.listener.changes())
    }
}
