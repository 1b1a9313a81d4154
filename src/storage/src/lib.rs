//! Storage: everything that outlives the process, behind a small set of traits.
//!
//! - [`Records`]: small named values, changed by compare-and-set.
//! - [`Blobs`]: values by digest, stored once, checked whenever they are read.
//! - [`Objects`]: immutable values by the digest of their bytes, until they are deleted.
//! - [`Leases`]: exclusive rights to a name, with or without an end.
//! - [`Scratch`]: a local folder for what needs files of its own (the search index, copies of
//!   repositories).
//!
//! [`directory::Directory`] keeps them in a folder of the machine, [`memory::Memory`] until the
//! process ends. Blobs of a directory are an append-only [`pack::Pack`]. The crates `quire-bucket` and
//! `quire-postgres` have implementations for object stores and databases; [`split::Split`] puts two
//! together. What each must do is written down in
//! `tests/shell/storage.rs`. Nothing outside of this module writes below a state folder.
//!
//! The futures of `Directory` and `Memory` do their work in the thread that polls them and are ready at
//! once, so callers that have no runtime use [`wait`]. An implementation that needs a runtime
//! brings its own.

pub mod allocator;
pub mod crash_point;
pub mod directory;
pub mod fetched;
pub mod folders;
pub mod held;
mod lock;
pub mod machine;
pub mod memory;
pub mod objects;
pub mod pack;
pub mod recent;
mod record;
pub mod replace;
pub mod scratch;
pub mod skew;
pub mod split;
pub mod store;
pub mod worker;

use std::fmt;
use std::future::Future;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, SystemTime};

use futures_util::future::try_join_all;
use queries::base::content::ContentHash;

pub use objects::{ObjectInfo, Objects};
pub use record::{Expected, Kind, Name, Record, Stamp, Version};
pub use scratch::Scratch;

/// The outcome of an operation, once it is done.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// Source of the current time; tests bring their own.
pub type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

/// The clock of the system.
pub fn system_clock() -> Clock {
    Arc::new(SystemTime::now)
}

/// Reason for which an operation failed.
#[derive(Debug)]
pub enum Error {
    /// The record does not exist.
    NotFound,
    /// Another writer came first: the version is not the expected one, or the lease is someone
    /// else's.
    Conflict,
    /// The storage is read-only: no write will succeed, now or later.
    ReadOnly(Failed),
    /// There is no room; there may be some later.
    Full(Failed),
    /// Anything else.
    Other(Failed),
}

/// An operation of the system that failed.
#[derive(Debug)]
pub struct Failed {
    action: &'static str,
    place: String,
    /// Error of the system.
    pub source: io::Error,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => f.write_str("not found"),
            Self::Conflict => f.write_str("another writer came first"),
            Self::ReadOnly(failed) | Self::Full(failed) | Self::Other(failed) => {
                let Failed {
                    action,
                    place,
                    source,
                } = failed;
                write!(f, "{action} {place}: {source}")
            }
        }
    }
}

impl std::error::Error for Error {}

impl Error {
    /// The error of `action` at `path`.
    pub(crate) fn of(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::at(action, path.display().to_string(), source)
    }

    /// The error of `action`, a verb, at `place`. Its kind follows from that of `source`.
    pub fn at(action: &'static str, place: String, source: io::Error) -> Self {
        let kind = source.kind();
        let failed = Failed {
            action,
            place,
            source,
        };
        match kind {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Self::ReadOnly(failed),
            // A limit of the process on the size of files is a small disk.
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                Self::Full(failed)
            }
            _ => Self::Other(failed),
        }
    }

    /// The error of the system, if that is what failed.
    pub fn into_io(self) -> io::Error {
        match self {
            Self::NotFound => ErrorKind::NotFound.into(),
            Self::Conflict => ErrorKind::WouldBlock.into(),
            Self::ReadOnly(failed) | Self::Full(failed) | Self::Other(failed) => failed.source,
        }
    }
}

/// Small named values. Writers of one record never lose each other's changes; readers see a whole
/// value, old or new.
pub trait Records: Send + Sync {
    /// Returns the record, `None` if there is none.
    fn get<'a>(&'a self, name: &'a Name) -> Pending<'a, Option<Record>>;

    /// Writes the record if it is as `expected`, in one step. When this returns, the record is as
    /// durable as its [`Kind`] asks for.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] if it is not.
    fn put<'a>(
        &'a self,
        name: &'a Name,
        bytes: &'a [u8],
        expected: Expected,
    ) -> Pending<'a, Version>;

    /// Removes the record if it still has `version`.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] if there is none, [`Error::Conflict`] if it has another version.
    fn delete<'a>(&'a self, name: &'a Name, version: &'a Version) -> Pending<'a, ()>;

    /// Returns a value that changes whenever the record is written, without reading it; `None` if
    /// there is no record. For callers that look again and again.
    fn stamp<'a>(&'a self, name: &'a Name) -> Pending<'a, Option<Stamp>>;

    /// Returns the names of `kind` that begin with `prefix`, sorted.
    fn list<'a>(&'a self, kind: Kind, prefix: &'a str) -> Pending<'a, Vec<Name>>;

    /// Returns the names of `kind` with their stamps, sorted: both in one request where the storage
    /// is not on this machine.
    fn stamps(&self, kind: Kind) -> Pending<'_, Vec<(Name, Stamp)>> {
        Box::pin(async move {
            let mut stamps = Vec::new();
            for name in self.list(kind, "").await? {
                let stamp = self.stamp(&name).await?;
                // It may be gone again.
                stamps.extend(stamp.map(|stamp| (name, stamp)));
            }
            Ok(stamps)
        })
    }

    /// Returns a value that changes soon after a record was written, whoever wrote it; `None` where
    /// storage does not tell. What it tells may be lost: whoever waits for it looks from time to time
    /// all the same.
    fn changes(&self) -> Option<Changes> {
        None
    }
}

/// Number of records that [`read_all`] reads at the same time.
const READ_AT_ONCE: usize = 32;

/// Returns the records `names` in their order, `None` for those that are not there.
pub fn read_all<'a>(
    records: &'a dyn Records,
    names: &'a [Name],
) -> Pending<'a, Vec<Option<Record>>> {
    Box::pin(async move {
        let mut read = Vec::with_capacity(names.len());
        // Some begin a read as soon as it is asked for.
        for names in names.chunks(READ_AT_ONCE) {
            read.extend(try_join_all(names.iter().map(|name| records.get(name))).await?);
        }
        Ok(read)
    })
}

/// Deletes the record `name`, in whatever state it is, unless somebody else does. Blocks.
///
/// # Errors
///
/// Fails if it may be there still.
pub fn delete_any(records: &dyn Records, name: &Name) -> Result<(), Error> {
    let Some(record) = wait(records.get(name))? else {
        return Ok(());
    };
    match wait(records.delete(name, &record.version)) {
        Ok(()) | Err(Error::NotFound | Error::Conflict) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Number that grows with each change of a record ([`Records::changes`]).
pub type Changes = tokio::sync::watch::Receiver<u64>;

/// Values by digest: of their bytes, or of everything that their bytes follow from. A value is
/// never the truth: one that was damaged is missing, not wrong, and [`Blobs::sweep`] may drop those
/// that nobody reads.
pub trait Blobs: Send + Sync {
    /// Returns the value as it was put, `None` if there is none or it was damaged.
    fn get<'a>(&'a self, key: &'a ContentHash) -> Pending<'a, Option<Arc<[u8]>>>;

    /// Returns whether there is a value. One that was damaged counts until someone reads it.
    fn contains<'a>(&'a self, key: &'a ContentHash) -> Pending<'a, bool>;

    /// Stores the value unless there is one; returns whether it did. Of several writers exactly one
    /// does.
    fn put_if_absent(&self, key: ContentHash, bytes: Arc<[u8]>) -> Pending<'_, bool>;

    /// Stores the value in place of the one that is there: for a reader that could not make sense
    /// of that.
    fn put(&self, key: ContentHash, bytes: Arc<[u8]>) -> Pending<'_, ()>;

    /// Drops the value if it is not durable yet: it will not be read again.
    fn withdraw(&self, _key: &ContentHash) {}

    /// Returns whether so much was put that it is time for a [`Blobs::flush`].
    fn is_flush_due(&self) -> bool {
        false
    }

    /// Makes durable what was put. Until then it can be read, but is lost with the process. What
    /// cannot be written stays readable, and the next flush tries again.
    fn flush(&self) -> Pending<'_, ()>;

    /// Flushes, then makes room: for idle moments.
    fn sweep(&self) -> Pending<'_, ()>;

    /// Does what the end of the store does, for a process that ends without it: makes durable what was
    /// put, and what helps the next one.
    fn finish(&self) -> Pending<'_, ()> {
        self.flush()
    }

    /// Counts the values, and the bytes that they take.
    fn size(&self) -> Size;

    /// Returns whether nothing can be made durable, by any process like this one.
    fn is_closed(&self) -> bool {
        false
    }
}

/// Size of a store of blobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Number of values, those not written yet among them.
    pub entries: usize,
    /// Number of bytes written.
    pub bytes: u64,
}

/// Exclusive rights to a name.
pub trait Leases: Send + Sync {
    /// Takes the lease of `name`, which is a plain file name.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] while someone else holds it.
    fn take<'a>(&'a self, name: &'a str, term: Term) -> Pending<'a, Lease>;

    /// Renews a lease: its term starts again.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] if it had expired and was taken since: the former holder must stop.
    fn renew<'a>(&'a self, lease: &'a Lease, term: Term) -> Pending<'a, ()>;

    /// Ends a lease. One that was lost already stays whose it is.
    fn release(&self, lease: Lease) -> Pending<'_, ()>;
}

/// Time for which a lease is held without being renewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// Ends when it is released or the process ends, whatever ends that. Storage that cannot see it
    /// renews by itself.
    Process,
    /// Ends after this time.
    For(Duration),
}

/// A lease that was taken.
pub struct Lease {
    name: String,
    proof: Proof,
}

impl Lease {
    /// The lease of `name` that has `number`, which no other of that name has.
    pub fn numbered(name: &str, number: u64) -> Self {
        Self {
            name: name.to_owned(),
            proof: Proof::Number(number),
        }
    }

    /// Name of the lease.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of a lease that was made by [`Lease::numbered`].
    pub fn number(&self) -> Option<u64> {
        match self.proof {
            Proof::Number(number) => Some(number),
            Proof::File(_) => None,
        }
    }
}

/// Proof of a lease, for the implementation that gave it.
enum Proof {
    /// The file that is locked; the lock goes with it.
    File(std::fs::File),
    /// A number that no other lease of the same name has.
    Number(u64),
}

/// Properties of a store of blobs.
#[derive(Clone, Copy, Debug)]
pub struct Area {
    /// The folder below that of the storage; empty for that one itself.
    pub folder: &'static str,
    /// Maximum number of bytes.
    pub limit: u64,
}

/// One place with all that is kept in it.
pub trait Storage: Records + Leases {
    /// Opens the blobs of `area`. Whatever is wrong with them costs time only, so this does not
    /// fail.
    fn blobs(&self, area: Area) -> Arc<dyn Blobs>;

    /// Returns the objects.
    fn objects(&self) -> Arc<dyn Objects>;

    /// A local folder of this name, which need not exist yet; `None` if nothing is kept on this
    /// machine, or if the folder is not there and cannot be made.
    fn scratch(&self, name: &str) -> Option<Scratch>;

    /// The storage of this name within this one.
    fn below(&self, folder: &str) -> Arc<dyn Storage>;
}

/// Blocks this thread until an operation is done.
///
/// # Errors
///
/// Returns that of the operation.
pub fn wait<T>(pending: Pending<'_, T>) -> Result<T, Error> {
    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    // In a task of tokio, which has a budget of operations until it yields, and never yields here.
    let mut pending = std::pin::pin!(tokio::task::unconstrained(pending));
    // What is in memory or on a disk is ready at once: no waker is made for it.
    if let Poll::Ready(done) = (pending.as_mut()).poll(&mut Context::from_waker(Waker::noop())) {
        return done;
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    loop {
        match pending.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(done) => return done,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// The address `url` of a database without its password, for people.
pub fn shown_address(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return "…".to_owned();
    };
    // As the client of PostgreSQL reads it: credentials end at the first `@`.
    let (credentials, rest) = match rest.split_once('@') {
        Some((credentials, rest)) => (Some(credentials), rest),
        None => (None, rest),
    };
    let user = credentials.and_then(|credentials| credentials.split([':', '?', '/']).next());
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (hosts, path) = rest.split_at(end);
    let database = path.trim_start_matches('/').split('?').next();
    let database = database.unwrap_or_default();
    // Of an address that is wrong, a part of the password may be left.
    let hosts = hosts.rsplit('@').next().unwrap_or_default();
    // A socket of this machine is a folder.
    let hosts = hosts.replace("%2F", "/");
    match user {
        Some(user) => format!("{scheme}://{user}@{hosts}/{database}"),
        None => format!("{scheme}://{hosts}/{database}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        let cases = [
            (
                "postgres://docs:secret@db.example:5432/docs?password=secret",
                "postgres://docs@db.example:5432/docs",
            ),
            ("postgres://db/docs", "postgres://db/docs"),
            (
                "postgresql://docs@%2Fvar%2Frun%2Fpostgresql/docs",
                "postgresql://docs@/var/run/postgresql/docs",
            ),
            ("postgres://a:b@c:d@host", "postgres://a@host/"),
            ("postgres://docs:se/cret@db/docs", "postgres://docs@db/docs"),
            ("postgres://docs:se?cret@db/docs", "postgres://docs@db/docs"),
            ("host=db password=secret", "…"),
        ];
        for (url, expected) in cases {
            assert_eq!(shown_address(url), expected);
        }
    }
}
