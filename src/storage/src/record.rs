//! Names and versions of records, and the properties of each kind.

use queries::base::content::ContentHash;

use crate::Error;
use crate::replace::When;

/// The kinds of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The deployments of a site, by its id.
    Deployments,
    /// A specification that was fetched, by its address.
    Specification,
    /// Answers of other sites to links.
    Links,
    /// Facts about the files of a site, by its folder.
    Files,
    /// State of an output folder after a build, by its path.
    Outputs,
    /// Feedback of readers of a site, by its id.
    Feedback,
    /// Counts of views and searches of a site, by its id.
    Analytics,
    /// Answers written today by the language model of a site, by its id.
    ModelUse,
}

/// Properties of a kind of record.
pub(super) struct Properties {
    /// The folder of its files.
    pub(super) folder: &'static str,
    /// Suffix of those files.
    pub(super) suffix: &'static str,
    /// Moment by which a record has to be on the disk.
    pub(super) when: When,
    /// Points before and after a record is replaced.
    pub(super) points: [&'static str; 2],
}

impl Kind {
    /// The kinds that cannot be made again. The others are caches of one machine.
    pub const LASTING: [Self; 4] = [
        Self::Deployments,
        Self::Feedback,
        Self::Analytics,
        Self::ModelUse,
    ];

    /// Returns the folder of the records, relative to that of the storage.
    pub fn folder(self) -> &'static str {
        self.properties().folder
    }

    /// Returns the name of the record in the file `file_name` of that folder; `None` if it is none.
    pub fn name_of(self, file_name: &str) -> Option<Name> {
        let name = file_name.strip_suffix(self.properties().suffix)?;
        Name::new(self, name)
    }

    pub(super) fn properties(self) -> Properties {
        match self {
            Self::Deployments => {
                let points = ["deployments-written", "deployments-replaced"];
                Properties {
                    folder: "deployments",
                    suffix: ".jsonl",
                    // Whoever asked for one is told that it will be done.
                    when: When::Now,
                    points,
                }
            }
            Self::Specification => {
                let points = ["specification-written", "specification-replaced"];
                Properties {
                    folder: "specs",
                    suffix: "",
                    when: When::Later,
                    points,
                }
            }
            Self::Links => {
                // Fetched from elsewhere, as specifications are.
                let points = ["specification-written", "specification-replaced"];
                Properties {
                    folder: "links",
                    suffix: ".json",
                    when: When::Later,
                    points,
                }
            }
            Self::Feedback => {
                let points = ["feedback-written", "feedback-replaced"];
                Properties {
                    folder: "feedback",
                    suffix: ".jsonl",
                    when: When::Later,
                    points,
                }
            }
            Self::Analytics => {
                let points = ["analytics-written", "analytics-replaced"];
                Properties {
                    folder: "analytics",
                    suffix: ".json",
                    when: When::Later,
                    points,
                }
            }
            Self::ModelUse => {
                let points = ["model-use-written", "model-use-replaced"];
                Properties {
                    folder: "model-use",
                    suffix: ".json",
                    when: When::Later,
                    points,
                }
            }
            Self::Outputs => {
                let points = ["outputs-written", "outputs-replaced"];
                Properties {
                    folder: "outputs",
                    suffix: "",
                    when: When::Later,
                    points,
                }
            }
            Self::Files => {
                let points = ["stats-written", "stats-replaced"];
                Properties {
                    folder: "files",
                    suffix: "",
                    when: When::Later,
                    points,
                }
            }
        }
    }
}

/// The name of a record, which every implementation can hold: at most 200 bytes of letters, digits,
/// `-`, `_` and `.`, the first no `.`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    kind: Kind,
    name: String,
}

impl Name {
    /// The name of a record of `kind`; `None` if `name` can be none.
    pub fn new(kind: Kind, name: &str) -> Option<Self> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let is_name =
            (1..=200).contains(&name.len()) && !name.starts_with('.') && name.bytes().all(is_plain);
        is_name.then(|| Self {
            kind,
            name: name.to_owned(),
        })
    }

    /// The name of the record of `kind` for whatever is called `text`: that itself if it can be a
    /// name, else its digest.
    pub fn of(kind: Kind, text: &str) -> Self {
        Self::new(kind, text).unwrap_or_else(|| Self {
            kind,
            name: ContentHash::of(text.as_bytes()).short(),
        })
    }

    /// Returns the kind of the record.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the path of the record, relative to the folder of the storage, with `/`.
    pub fn path(&self) -> String {
        let Properties { folder, suffix, .. } = self.kind.properties();
        format!("{folder}/{}{suffix}", self.name)
    }

    /// Returns the name among the records of its kind.
    pub fn as_str(&self) -> &str {
        &self.name
    }
}

/// Identifies a state of a record. Two states with the same bytes may share a version, as entity
/// tags of object stores do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Version(Box<[u8]>);

impl Version {
    /// The version that an implementation knows as `bytes`.
    pub fn new(bytes: &[u8]) -> Self {
        Self(bytes.into())
    }

    /// The version as an implementation knows it.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// A record as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Contents of the record.
    pub bytes: Vec<u8>,
    /// Version of the record that has these bytes, for compare-and-set.
    pub version: Version,
}

/// Value that differs between two states of a record ([`Records::stamp`](crate::Records::stamp)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp(pub [u64; 4]);

/// Condition on which a record is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The record must not exist.
    Absent,
    /// The record in this state.
    Version(Version),
    /// Anything: the last writer wins. For what can be made again.
    Any,
}

impl Expected {
    /// Checks what is there.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] if it is something else.
    pub fn check(&self, found: Option<&Version>) -> Result<(), Error> {
        let is_met = match self {
            Self::Absent => found.is_none(),
            Self::Version(version) => found == Some(version),
            Self::Any => true,
        };
        is_met.then_some(()).ok_or(Error::Conflict)
    }
}
