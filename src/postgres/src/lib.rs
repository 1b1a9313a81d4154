//! Storage in a PostgreSQL database, for several machines: records, objects, leases.
//!
//! `schema.sql` has the tables; the first process that writes makes them, in the first schema of the
//! search path. A record is replaced by a statement with a condition, so of several writers one wins,
//! and the database tells listeners of it (`NOTIFY`). Leases end by the clock of the database. Caches,
//! scratch folders and records that can be made again stay on this machine: they are those of the
//! `local` storage.
//!
//! Each statement can be sent twice with the effect of once, so one whose answer was lost with the
//! connection is sent again. If another process has written the record in between, the second attempt is
//! a conflict, and the caller finds what it wrote below the other. Statements run on a thread of their own, and the futures can be polled
//! anywhere.

mod change;
mod client;
mod lease;
mod object;
mod record;
mod tls;

use std::sync::Arc;
use std::time::SystemTime;

use anyhow::Context;
use quire_storage::fetched::Fetched;
use quire_storage::memory::Memory;
use quire_storage::{
    Area, Blobs, Clock, Lease, Leases, Objects, Pending, Scratch, Storage, Term, skew, wait,
};

use change::Listener;
use client::Client;

/// Version of the tables.
const SCHEMA: i32 = 1;

/// Storage in a database. Clones are the same storage.
#[derive(Clone)]
pub struct Postgres {
    client: Client,
    /// The part of the storage; empty for the whole.
    place: String,
    local: Arc<dyn Storage>,
    fetched: Fetched,
    /// Clock in place of that of the database.
    clock: Option<Clock>,
    listener: Arc<Listener>,
}

/// Whether a process writes to the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It only reads.
    Read,
    /// It writes as well.
    Write,
}

impl Postgres {
    /// Opens the storage at `url`, `postgres://USER@HOST:PORT/DATABASE`. A password that is not in
    /// the address is that of `PGPASSWORD`; `PGSSLROOTCERT` is a file of authorities in place of those
    /// of the system. `local` takes what is of use to this machine alone; without it nothing is kept.
    /// For [`Access::Write`] the tables are made if there are none. Blocks.
    ///
    /// # Errors
    ///
    /// Fails if the address cannot be read, the database cannot be reached, its tables are of another
    /// version, or they may not be made.
    pub fn open(
        url: &str,
        access: Access,
        local: Option<Arc<dyn Storage>>,
    ) -> anyhow::Result<Self> {
        let variable = |name: &str| std::env::var(name).ok();
        let postgres = Self::with(url, &variable, local, None)?;
        postgres.prepare(access)?;
        Ok(postgres)
    }

    /// The storage at `url`, with `variable` in place of the environment, whose leases end, and whose
    /// objects grow old, by `clock` if there is one. Nothing is asked of it.
    ///
    /// # Errors
    ///
    /// Fails if the address cannot be read.
    pub fn with(
        url: &str,
        variable: &dyn Fn(&str) -> Option<String>,
        local: Option<Arc<dyn Storage>>,
        clock: Option<Clock>,
    ) -> anyhow::Result<Self> {
        let client = Client::open(url, variable)?;
        Ok(Self {
            listener: Arc::new(Listener::new(client.clone())),
            client,
            place: String::new(),
            fetched: Fetched::in_storage(local.as_ref()),
            local: local.unwrap_or_else(|| Arc::new(Memory::default())),
            clock,
        })
    }

    /// Compares the version of the tables, and makes them for [`Access::Write`]. Says if the clock of this
    /// machine is off. Blocks.
    ///
    /// # Errors
    ///
    /// As of [`Postgres::open`].
    pub fn prepare(&self, access: Access) -> anyhow::Result<()> {
        let client = self.client.clone();
        let asked = self.client.worker.run(async move {
            let version = match access {
                Access::Read => client.version().await?,
                Access::Write => Some(client.make_tables().await?),
            };
            Ok((version, client.now().await?))
        });
        let place = &self.client.place;
        let (version, now) = wait(asked)?;
        if let Some(told) = skew::told(SystemTime::now(), now, "the database") {
            tracing::warn!("{place}: {told}");
        }
        match version {
            // A daemon makes them.
            None | Some(SCHEMA) => Ok(()),
            Some(version) => Err(anyhow::anyhow!(
                "its tables are of version {version}, this program reads version {SCHEMA}; use the program that wrote them or a later one"
            ))
            .with_context(|| place.to_string()),
        }
    }

    /// The time that is given in place of that of the database.
    fn now(&self) -> Option<SystemTime> {
        self.clock.as_ref().map(|clock| clock())
    }
}

impl Leases for Postgres {
    fn take<'a>(&'a self, name: &'a str, term: Term) -> Pending<'a, Lease> {
        lease::take(self, name, term)
    }

    fn renew<'a>(&'a self, lease: &'a Lease, term: Term) -> Pending<'a, ()> {
        lease::renew(self, lease, term)
    }

    fn release(&self, lease: Lease) -> Pending<'_, ()> {
        lease::release(self, &lease)
    }
}

impl Storage for Postgres {
    fn blobs(&self, area: Area) -> Arc<dyn Blobs> {
        self.local.blobs(area)
    }

    fn objects(&self) -> Arc<dyn Objects> {
        Arc::new(object::DatabaseObjects::new(self.clone()))
    }

    fn scratch(&self, name: &str) -> Option<Scratch> {
        self.local.scratch(name)
    }

    fn below(&self, folder: &str) -> Arc<dyn Storage> {
        let local = self.local.below(folder);
        Arc::new(Self {
            place: format!("{}/{folder}", self.place),
            fetched: self.fetched.below(&local),
            local,
            ..self.clone()
        })
    }
}
