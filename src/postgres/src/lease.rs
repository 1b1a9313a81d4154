//! Leases: rows that are replaced when they have ended.

use std::time::{Duration, SystemTime};

use quire_storage::held::{LOOK, TERM};
use quire_storage::{Error, Lease, Pending, Term};

use crate::Postgres;
use crate::client::Client;

/// A lease in the database.
#[derive(Clone)]
struct Row {
    client: Client,
    place: String,
    name: String,
    now: Option<SystemTime>,
}

fn seconds(term: Term) -> Option<f64> {
    match term {
        Term::Process => None,
        Term::For(time) => Some(time.as_secs_f64()),
    }
}

impl Row {
    fn of(storage: &Postgres, name: &str) -> Self {
        Self {
            client: storage.client.clone(),
            place: storage.place.clone(),
            name: name.to_owned(),
            now: storage.now(),
        }
    }

    /// Takes it if it is nobody's.
    async fn take(&self, number: i64, term: Term) -> Result<bool, Error> {
        // Null of the seconds is an end of null: a lease of a process.
        let sql = "
            insert into quire_leases as held (place, name, number, ends, renewed)
            values ($1, $2, $3,
                coalesce($4::timestamptz, clock_timestamp()) + make_interval(secs => $5::float8),
                clock_timestamp())
            on conflict (place, name) do update
                set number = excluded.number, ends = excluded.ends, renewed = excluded.renewed
                where held.number = excluded.number
                    or held.ends <= coalesce($4::timestamptz, clock_timestamp())
                    or held.ends is null
                        and held.renewed < clock_timestamp() - make_interval(secs => $6::float8)
            returning number";
        let what = ("take", &*format!("the lease `{}`", self.name));
        let process = TERM.as_secs_f64();
        let taken = self
            .client
            .query(
                what,
                sql,
                &[
                    &self.place,
                    &self.name,
                    &number,
                    &self.now,
                    &seconds(term),
                    &process,
                ],
            )
            .await?;
        Ok(!taken.is_empty())
    }

    /// When it was renewed last, if it is of a process.
    async fn renewed(&self) -> Result<Option<SystemTime>, Error> {
        let sql =
            "select renewed from quire_leases where place = $1 and name = $2 and ends is null";
        let what = ("read", &*format!("the lease `{}`", self.name));
        let rows = self
            .client
            .query(what, sql, &[&self.place, &self.name])
            .await?;
        Ok(rows.first().map(|row| row.get(0)))
    }

    /// Extends the lease of `number`; false if somebody else has it.
    async fn extend(&self, number: i64, term: Term) -> Result<bool, Error> {
        let sql = "
            update quire_leases
            set ends = coalesce($4::timestamptz, clock_timestamp()) + make_interval(secs => $5::float8),
                renewed = clock_timestamp()
            where place = $1 and name = $2 and number = $3
            returning number";
        let what = ("renew", &*format!("the lease `{}`", self.name));
        let renewed = self
            .client
            .query(
                what,
                sql,
                &[&self.place, &self.name, &number, &self.now, &seconds(term)],
            )
            .await?;
        Ok(!renewed.is_empty())
    }

    async fn release(&self, number: i64) -> Result<(), Error> {
        let sql = "delete from quire_leases where place = $1 and name = $2 and number = $3";
        let what = ("release", &*format!("the lease `{}`", self.name));
        self.client
            .query(what, sql, &[&self.place, &self.name, &number])
            .await?;
        Ok(())
    }

    /// Renews the lease of this process until it is released or lost.
    fn keep(self, number: i64) {
        let (client, name) = (self.client.clone(), self.name.clone());
        let held = &client.held;
        held.keep(&client.worker, &name, number.cast_unsigned(), move || {
            let row = self.clone();
            async move { row.extend(number, Term::Process).await }
        });
    }
}

pub(crate) fn take<'a>(storage: &Postgres, name: &str, term: Term) -> Pending<'a, Lease> {
    let row = Row::of(storage, name);
    storage.client.worker.run(async move {
        let number = fastrand::i64(1..);
        if !row.take(number, term).await? {
            // A process that was killed does not release its lease.
            let before = row.renewed().await?;
            let (mut renewed, mut waited) = (before, Duration::ZERO);
            loop {
                if renewed != before || waited > TERM {
                    return Err(Error::Conflict);
                }
                // One with an end, or one that was released just now.
                if before.is_some() {
                    tokio::time::sleep(LOOK).await;
                    waited += LOOK;
                }
                if row.take(number, term).await? {
                    break;
                }
                if before.is_none() {
                    return Err(Error::Conflict);
                }
                renewed = row.renewed().await?;
            }
        }
        let lease = Lease::numbered(&row.name, number.cast_unsigned());
        if term == Term::Process {
            row.keep(number);
        }
        Ok(lease)
    })
}

pub(crate) fn renew<'a>(storage: &Postgres, lease: &Lease, term: Term) -> Pending<'a, ()> {
    let row = Row::of(storage, lease.name());
    let number = lease.number();
    storage.client.worker.run(async move {
        let number = number.ok_or(Error::Conflict)?.cast_signed();
        match row.extend(number, term).await? {
            true => Ok(()),
            false => Err(Error::Conflict),
        }
    })
}

pub(crate) fn release<'a>(storage: &Postgres, lease: &Lease) -> Pending<'a, ()> {
    let row = Row::of(storage, lease.name());
    let number = lease.number();
    storage.client.held.end(number.unwrap_or_default());
    storage.client.worker.run(async move {
        match number {
            Some(number) => row.release(number.cast_signed()).await,
            None => Ok(()),
        }
    })
}
