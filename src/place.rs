//! Places of storage as users name them: a folder, or a bucket.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use quire_storage::Storage;
use quire_storage::directory::Directory;

/// A folder, or a bucket that speaks S3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A folder.
    Folder(PathBuf),
    /// `s3://BUCKET/PREFIX`.
    Bucket(String),
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once("://") {
            None => Ok(Self::Folder(text.into())),
            Some(("s3", _)) => Ok(Self::Bucket(text.to_owned())),
            Some((scheme, _)) => Err(format!(
                "`{scheme}://` is not supported; give a folder or `s3://BUCKET/PREFIX`"
            )),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => write!(f, "{}", folder.display()),
            Self::Bucket(url) => f.write_str(url),
        }
    }
}

impl Place {
    /// Opens the storage there to read it; `local` is a folder for what is of use to this machine
    /// alone, if that is to be kept.
    ///
    /// # Errors
    ///
    /// Fails if it is a bucket that cannot be read.
    pub fn read(&self, local: Option<&Path>) -> anyhow::Result<Arc<dyn Storage>> {
        match self {
            Self::Folder(folder) => Ok(Arc::new(Directory::closed(
                folder,
                &"it is only read here".into(),
            ))),
            Self::Bucket(url) => bucket(url, false, local),
        }
    }

    /// Opens the storage there to write it; a folder is made. `local` is as for [`Place::read`].
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be made, or the bucket cannot be read and written.
    pub fn write(&self, local: Option<&Path>) -> anyhow::Result<Arc<dyn Storage>> {
        match self {
            Self::Folder(folder) => {
                let directory = Directory::new(folder);
                directory.create()?;
                Ok(Arc::new(directory))
            }
            Self::Bucket(url) => bucket(url, true, local),
        }
    }
}

#[cfg(feature = "s3")]
fn bucket(url: &str, is_written: bool, local: Option<&Path>) -> anyhow::Result<Arc<dyn Storage>> {
    use quire_bucket::{Access, Bucket};

    let access = match is_written {
        true => Access::Write,
        false => Access::Read,
    };
    let local = local.map(|local| Arc::new(Directory::new(local)) as Arc<dyn Storage>);
    Ok(Arc::new(Bucket::open(url, access, local)?))
}

#[cfg(not(feature = "s3"))]
fn bucket(url: &str, _: bool, _: Option<&Path>) -> anyhow::Result<Arc<dyn Storage>> {
    anyhow::bail!(
        "{url}: this program cannot use buckets; build one that can with `cargo install --features s3`"
    )
}
