//! Manifests: every output of a published site, stored when its deployment ends, so that a process
//! can serve it without the sources and without computing anything.
//!
//! A manifest is an object of JSON that maps each path to a part of an object, with what its reply
//! needs: media type, caching, policy. The outputs of a page are parts of one object, so a page that
//! an edit leaves as it was costs a deployment nothing but its entries.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::ensure;
use bytes::Bytes;
use queries::base::content::ContentHash;
use queries::base::path::Route;
use queries::site::{self, CardLook, Moves};
use serde::{Deserialize, Serialize};

use quire_engine::gzip;
use quire_search::stored::StoredSearch;
use quire_storage::Storage;
use quire_storage::objects::ObjectId;

use crate::release::read_object;

mod render;

pub(crate) use render::{MissingOutput, Renderer};

/// Version of the format of a manifest. Others are not read.
const FORMAT: u32 = 1;

/// Origin of the absolute addresses in stored texts; replies name that of the request or of the
/// operator in its place. It resolves to nothing (RFC 6761, 6.4).
pub const ORIGIN: &str = "https://origin.quire.invalid";

/// Every output of a published site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the format: 1.
    pub format: u32,
    /// Id of the site.
    pub site: String,
    /// Name of the site by its configuration.
    pub name: Option<String>,
    /// Version of the program that rendered it.
    pub program: String,
    /// Host names of the site by the settings of the daemon.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub domains: Vec<String>,
    /// Address of the site, if the operator has set one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// Whether its author is untrusted: files of the site run nothing.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_untrusted: bool,
    /// Pages by route.
    pub pages: BTreeMap<String, ManifestPage>,
    /// Outputs by path: of pages, files of the author, texts for programs, files of the theme.
    pub entries: BTreeMap<String, ManifestEntry>,
    /// Policies that entries refer to by their index.
    pub policies: Vec<String>,
    /// Redirects in the order of the configuration.
    pub redirects: Vec<ManifestRedirect>,
    /// Destination of the home address if no page is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<String>,
    /// The first page below each folder that has none of its own.
    pub folders: BTreeMap<String, String>,
    /// The page for every other path.
    pub not_found: ManifestEntry,
    /// Look of the pictures of pages.
    pub card_look: CardLook,
    /// Search; `None` if its index could not be stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<ManifestSearch>,
}

/// Search of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestSearch {
    /// Objects of the files of the index, by name.
    pub files: BTreeMap<String, ObjectId>,
    /// What answers need besides.
    #[serde(flatten)]
    pub stored: StoredSearch,
}

/// A page of a manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestPage {
    /// Digest of everything that its outputs are made from; `None` if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ObjectId>,
    /// Paths of its other outputs: Markdown, feed, picture, script of components.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// Whether views of it are counted.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_counted: bool,
    /// What answers need of it; `None` if it is not to be found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<ManifestAnswers>,
}

/// What answers need of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestAnswers {
    /// Title of the page.
    pub title: String,
    /// Code of its language, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The label of its product, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// Its version, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Its blocks, as JSON, in the object of the page; `None` if it only leads to another page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<ManifestBlocks>,
}

/// Place of the blocks of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestBlocks {
    /// As [`ManifestEntry::start`].
    pub start: u64,
    /// As [`ManifestEntry::size`].
    pub size: u64,
    /// As [`ManifestEntry::packed`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packed: Option<u64>,
}

/// One output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestEntry {
    /// Object that holds its bytes.
    pub object: ObjectId,
    /// Position of its first byte there.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub start: u64,
    /// Number of its bytes.
    pub size: u64,
    /// Number of its bytes in the object, compressed with gzip; `None` if it is not compressed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packed: Option<u64>,
    /// Digest that stands for its bytes.
    pub digest: ObjectId,
    /// Media type.
    pub media_type: String,
    /// Kind.
    #[serde(default, skip_serializing_if = "EntryKind::is_plain")]
    pub kind: EntryKind,
    /// Caching.
    #[serde(default, skip_serializing_if = "EntryCaching::is_default")]
    pub caching: EntryCaching,
    /// Index of the Content-Security-Policy that it is sent with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<usize>,
}

impl Default for ManifestEntry {
    /// An entry without bytes.
    fn default() -> Self {
        let digest = ObjectId(ContentHash::of(b""));
        Self {
            object: digest,
            start: 0,
            size: 0,
            packed: None,
            digest,
            media_type: String::new(),
            kind: EntryKind::Plain,
            caching: EntryCaching::Revalidate,
            policy: None,
        }
    }
}

/// Kind of an output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// Bytes as they are sent.
    #[default]
    Plain,
    /// A page.
    Page,
    /// A text with absolute addresses, which begin with [`ORIGIN`].
    Text,
    /// A list of texts with their SHA-256 digests, which are those of the texts as they are sent.
    TextList,
    /// A file of the author.
    File,
    /// Bytes that are compressed with gzip.
    Gzip,
    /// Content of a picture, as JSON; the picture is drawn when it is asked for.
    Card,
}

impl EntryKind {
    fn is_plain(&self) -> bool {
        *self == Self::Plain
    }
}

/// Caching of an output by clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryCaching {
    /// They ask each time whether it is current.
    #[default]
    Revalidate,
    /// For ever: its path names its content.
    Immutable,
    /// For ever where the query names this digest.
    ByQuery(ObjectId),
}

impl EntryCaching {
    fn is_default(&self) -> bool {
        *self == Self::Revalidate
    }
}

/// A redirect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestRedirect {
    /// The old address; may hold `:name` and `*`.
    pub source: String,
    /// The new one.
    pub destination: String,
    /// Whether readers may remember it.
    pub permanent: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

impl Manifest {
    /// Objects that it refers to.
    pub fn objects(&self) -> BTreeSet<ObjectId> {
        let entries = self.entries.values().chain([&self.not_found]);
        let search = self.search.iter().flat_map(|search| search.files.values());
        let entries = entries.map(|entry| entry.object);
        entries.chain(search.copied()).collect()
    }

    /// Number of bytes of all outputs.
    pub fn size(&self) -> u64 {
        self.entries.values().map(|entry| entry.size).sum()
    }

    /// Returns the index of `policy`, which is added if it is new.
    fn add_policy(&mut self, policy: &str) -> usize {
        let known = self.policies.iter().position(|known| known == policy);
        known.unwrap_or_else(|| {
            self.policies.push(policy.to_owned());
            self.policies.len() - 1
        })
    }

    /// Reads the manifest that the object `id` holds.
    ///
    /// # Errors
    ///
    /// Fails if the object is missing, damaged, or of another format.
    pub fn load(storage: &dyn Storage, id: ObjectId) -> anyhow::Result<Self> {
        read_object(storage, id, ("manifest", FORMAT), |manifest: &Self| {
            manifest.format
        })
    }
}

impl ManifestEntry {
    /// Its bytes as they are in its object, perhaps compressed.
    ///
    /// # Errors
    ///
    /// Fails if the object is shorter than the entry says.
    pub fn part_of(&self, object: &Bytes) -> anyhow::Result<Bytes> {
        let (start, size) = (
            self.start as usize,
            self.packed.unwrap_or(self.size) as usize,
        );
        let end = start.saturating_add(size);
        ensure!(
            end <= object.len(),
            "the object {} is too short",
            self.object
        );
        Ok(object.slice(start..end))
    }

    /// Its bytes, which are `part` in its object.
    ///
    /// # Errors
    ///
    /// Fails if they are compressed and damaged.
    pub fn unpack(&self, part: Bytes) -> anyhow::Result<Bytes> {
        match self.packed {
            None => Ok(part),
            Some(_) => {
                let bytes = gzip::unpack(&part, self.size as usize)?;
                ensure!(
                    bytes.len() as u64 == self.size,
                    "an output of the object {} is too short",
                    self.object
                );
                Ok(bytes.into())
            }
        }
    }
}

/// A manifest that is looked up: redirects are parsed.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// The manifest.
    pub manifest: Manifest,
    redirects: Vec<site::Redirect>,
}

impl Outputs {
    /// Outputs of `manifest`.
    pub fn new(mut manifest: Manifest) -> Self {
        let redirects = std::mem::take(&mut manifest.redirects).into_iter();
        let redirects = redirects.map(|redirect| site::Redirect {
            source: redirect.source,
            destination: redirect.destination,
            permanent: redirect.permanent,
            place: None,
        });
        Self {
            redirects: redirects.collect(),
            manifest,
        }
    }

    /// The output at `path`, percent-decoded.
    pub fn entry(&self, path: &str) -> Option<&ManifestEntry> {
        self.manifest.entries.get(path)
    }

    /// The destination of `path` if nothing is there, and whether it is permanent.
    pub fn moved(&self, path: &str) -> Option<(String, bool)> {
        site::moved(self, path)
    }

    /// The page at `route`.
    pub fn page(&self, route: &Route) -> Option<&ManifestPage> {
        self.manifest.pages.get(route.as_str())
    }
}

impl Moves for Outputs {
    fn has_page(&self, route: &Route) -> bool {
        self.page(route).is_some()
    }

    fn redirected(&self, path: &str) -> Option<(String, bool)> {
        site::redirected(&self.redirects, path)
    }

    fn home(&self) -> Option<Route> {
        self.manifest.home.as_deref().and_then(Route::new)
    }

    fn first_below(&self, route: &Route) -> Option<Route> {
        let first = self.manifest.folders.get(route.as_str());
        first.and_then(|first| Route::new(first))
    }
}
