//! Places of storage as users name them: a folder, a bucket, a database, or the last two together.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use anyhow::bail;
use quire_settings::StorageSettings;
use quire_storage::Storage;
use quire_storage::directory::Directory;
use quire_storage::split::Split;

/// A folder, a bucket that speaks S3, or a PostgreSQL database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A folder.
    Folder(PathBuf),
    /// `s3://BUCKET/PREFIX`.
    Bucket(String),
    /// `postgres://USER@HOST/DATABASE`.
    Database(String),
    /// Objects in the first place, records and leases in the second.
    Both(Box<Place>, Box<Place>),
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once("://") {
            None => Ok(Self::Folder(text.into())),
            Some(("s3", _)) => Ok(Self::Bucket(text.to_owned())),
            Some(("postgres" | "postgresql", _)) => Ok(Self::Database(text.to_owned())),
            Some((scheme, _)) => Err(format!(
                "`{scheme}://` is not supported; give a folder, `s3://BUCKET/PREFIX` or `postgres://USER@HOST/DATABASE`"
            )),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => write!(f, "{}", folder.display()),
            Self::Bucket(url) => f.write_str(url),
            Self::Database(url) => f.write_str(&quire_storage::shown_address(url)),
            Self::Both(objects, records) => write!(f, "{objects} with {records}"),
        }
    }
}

/// Whether a process writes to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

impl Place {
    /// The place that `settings` name instead of the state folder, if they do.
    pub fn of(settings: &StorageSettings) -> Option<Self> {
        let blobs = settings.blobs.clone().map(Self::Bucket);
        let records = settings.records.clone().map(Self::Database);
        match (blobs, records) {
            (Some(blobs), Some(records)) => Some(blobs.with_records(records)),
            (blobs, records) => blobs.or(records),
        }
    }

    /// This place with records and leases in `records` instead.
    pub fn with_records(self, records: Self) -> Self {
        Self::Both(Box::new(self), Box::new(records))
    }

    /// Returns true if processes of other machines may write there.
    pub fn is_shared(&self) -> bool {
        !matches!(self, Self::Folder(_))
    }

    /// Opens the storage there to read it; `local` is a folder for what is of use to this machine
    /// alone, if that is to be kept.
    ///
    /// # Errors
    ///
    /// Fails if it is a bucket or a database that cannot be read.
    pub fn read(&self, local: Option<&Path>) -> anyhow::Result<Arc<dyn Storage>> {
        self.open(Access::Read, local)
    }

    /// Opens the storage there to write it; a folder and the tables of a database are made. `local` is
    /// as for [`Place::read`].
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be made, or the bucket or the database cannot be read and written.
    pub fn write(&self, local: Option<&Path>) -> anyhow::Result<Arc<dyn Storage>> {
        self.open(Access::Write, local)
    }

    fn open(&self, access: Access, local: Option<&Path>) -> anyhow::Result<Arc<dyn Storage>> {
        match (self, access) {
            (Self::Folder(folder), Access::Read) => Ok(Arc::new(Directory::closed(
                folder,
                &"it is only read here".into(),
            ))),
            (Self::Folder(folder), Access::Write) => {
                let directory = Directory::new(folder);
                directory.create()?;
                Ok(Arc::new(directory))
            }
            (Self::Bucket(url), _) => bucket(url, access, local),
            (Self::Database(url), _) => database(url, access, local),
            (Self::Both(objects, records), _) => {
                if !matches!(**records, Self::Database(_)) {
                    bail!(
                        "{records}: records are in a database; give `postgres://USER@HOST/DATABASE`"
                    );
                }
                Ok(Arc::new(Split {
                    records: records.open(access, local)?,
                    objects: objects.open(access, local)?,
                }))
            }
        }
    }
}

/// Storage in the folder of this machine.
#[cfg(any(feature = "s3", feature = "postgres"))]
fn local_storage(local: Option<&Path>) -> Option<Arc<dyn Storage>> {
    local.map(|local| Arc::new(Directory::new(local)) as Arc<dyn Storage>)
}

#[cfg(feature = "s3")]
fn bucket(url: &str, access: Access, local: Option<&Path>) -> anyhow::Result<Arc<dyn Storage>> {
    use quire_bucket::{Access as Rights, Bucket};

    let rights = match access {
        Access::Write => Rights::Write,
        Access::Read => Rights::Read,
    };
    Ok(Arc::new(Bucket::open(url, rights, local_storage(local))?))
}

#[cfg(not(feature = "s3"))]
fn bucket(url: &str, _: Access, _: Option<&Path>) -> anyhow::Result<Arc<dyn Storage>> {
    bail!(
        "{url}: this program cannot use buckets; build one that can with `cargo install --features s3`"
    )
}

#[cfg(feature = "postgres")]
fn database(url: &str, access: Access, local: Option<&Path>) -> anyhow::Result<Arc<dyn Storage>> {
    use quire_postgres::{Access as Rights, Postgres};

    let rights = match access {
        Access::Write => Rights::Write,
        Access::Read => Rights::Read,
    };
    Ok(Arc::new(Postgres::open(url, rights, local_storage(local))?))
}

#[cfg(not(feature = "postgres"))]
fn database(url: &str, _: Access, _: Option<&Path>) -> anyhow::Result<Arc<dyn Storage>> {
    let url = quire_storage::shown_address(url);
    bail!(
        "{url}: this program cannot use databases; build one that can with `cargo install --features postgres`"
    )
}
