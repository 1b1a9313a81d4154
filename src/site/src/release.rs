//! Releases: every input of a published site, stored when its deployment ends, so that a later
//! process, or a later deployment, can publish exactly that again.
//!
//! A release is an object of JSON that names each file with the object of its bytes and the digest
//! that its input had. Files that two releases share, of whichever sites, are stored once. What is
//! served follows from a release alone: neither the folder nor the repository is asked. Its outputs,
//! as they were rendered, are in its [manifest](crate::manifest).

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::File;
use std::sync::Arc;

use anyhow::{Context, bail};
use bytes::Bytes;
use queries::base::content::{ContentHash, TextBytes};
use queries::base::image::ImageSize;
use queries::base::path::SitePath;
use queries::change::FileState;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::manifest::Manifest;
use quire_engine::gzip;
use quire_engine::host::{FileChange, SourceFacts};
use quire_storage::objects::{ObjectId, Objects};
use quire_storage::{Storage, wait};

/// Version of the format of a release. Others are not read.
const FORMAT: u32 = 1;

/// Maximum number of bytes of the JSON of a release or a manifest.
const MAX_JSON: usize = 1 << 30;

/// All inputs of a published site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Release {
    /// Version of the format: 1.
    pub format: u32,
    /// Id of the site.
    pub site: String,
    /// Number of the deployment that published it first.
    pub deployment: u64,
    /// Version of the program that stored it.
    pub program: String,
    /// The commit, of a site from a repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Files by their paths, and fetched documents by their addresses.
    pub files: BTreeMap<String, ReleaseFile>,
    /// Object of the manifest of its outputs; `None` if none could be stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<ObjectId>,
}

/// A file of a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReleaseFile {
    /// Object with its bytes.
    pub object: ObjectId,
    /// Number of bytes.
    pub size: u64,
    /// Digest that its input had.
    pub digest: ObjectId,
    /// Whether the core reads it; other files are only passed on.
    pub is_text: bool,
    /// Size of a picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<ImageSize>,
}

/// Differences between two releases, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReleaseDiff {
    /// Files that only the later one has.
    pub added: Vec<String>,
    /// Files with other bytes.
    pub changed: Vec<String>,
    /// Files that only the earlier one has.
    pub removed: Vec<String>,
}

impl Release {
    /// Number of bytes of all files.
    pub fn size(&self) -> u64 {
        self.files.values().map(|file| file.size).sum()
    }

    /// The file at `path` if its input has `digest`.
    pub fn file(&self, path: &SitePath, digest: ContentHash) -> Option<&ReleaseFile> {
        let file = self.files.get(path.as_str())?;
        (file.digest.0 == digest).then_some(file)
    }

    /// Returns what `later` has that differs from this one.
    pub fn diff(&self, later: &Self) -> ReleaseDiff {
        let mut diff = ReleaseDiff::default();
        for (path, file) in &later.files {
            match self.files.get(path) {
                None => diff.added.push(path.clone()),
                Some(before) if before.object != file.object => diff.changed.push(path.clone()),
                Some(_) => {}
            }
        }
        let gone = self
            .files
            .keys()
            .filter(|path| !later.files.contains_key(*path));
        diff.removed.extend(gone.cloned());
        diff
    }
}

/// Stores releases and reads them.
#[derive(Clone)]
pub struct Releases {
    storage: Arc<dyn Storage>,
}

impl Releases {
    /// Releases in the objects of `storage`.
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// Returns the release that the object `id` holds.
    ///
    /// # Errors
    ///
    /// Fails if the object is missing, damaged, or of another format.
    pub fn load(&self, id: ObjectId) -> anyhow::Result<Release> {
        let format = |release: &Release| release.format;
        read_object(&*self.storage, id, ("release", FORMAT), format)
    }

    /// Returns the objects that the release `id` needs, itself among them.
    ///
    /// # Errors
    ///
    /// Fails if the release or its manifest cannot be read.
    pub fn objects_of(&self, id: ObjectId) -> anyhow::Result<BTreeSet<ObjectId>> {
        let release = self.load(id)?;
        let mut objects = BTreeSet::from([id]);
        objects.extend(release.files.values().map(|file| file.object));
        objects.extend(release.manifest);
        if let Some(manifest) = self.manifest(&release)? {
            objects.extend(manifest.objects());
        }
        Ok(objects)
    }

    /// Returns the bytes of a file of a release.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read, are missing or damaged.
    pub fn bytes(&self, file: &ReleaseFile) -> anyhow::Result<Bytes> {
        let id = file.object;
        let bytes = wait(self.storage.objects().get(&id.0))?;
        bytes.with_context(|| format!("the object {id} is missing or damaged"))
    }

    /// Returns the file of the object of `file`, if it has one on this machine.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be opened.
    pub fn open(&self, file: &ReleaseFile) -> anyhow::Result<Option<File>> {
        Ok(self.storage.objects().file(&file.object.0)?)
    }

    /// Stores the files of a release of `site` with `sources`; `read` returns the bytes of each.
    /// Files that `before` has as well are read only if their objects are gone.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read or nothing can be stored.
    pub fn save_files(
        &self,
        (site, deployment, commit): (&str, u64, Option<String>),
        sources: Vec<SourceFacts>,
        before: Option<&Release>,
        read: &dyn Fn(&SourceFacts) -> anyhow::Result<Bytes>,
    ) -> anyhow::Result<Release> {
        let objects = self.storage.objects();
        let known = |facts: &SourceFacts| before?.file(&facts.path, facts.digest);
        let digests = sources.iter().filter_map(known).map(|file| file.object.0);
        // The sweep may have taken the objects of a release that no deployment names.
        let stored: HashSet<ContentHash> = wait(objects.touch_all(digests.collect()))?
            .into_iter()
            .collect();
        let mut files = BTreeMap::new();
        for facts in sources {
            let known = known(&facts).filter(|file| stored.contains(&file.object.0));
            let file = match known {
                Some(known) => known.clone(),
                None => {
                    let path = &facts.path;
                    let bytes = read(&facts).with_context(|| format!("read {path}"))?;
                    let size = bytes.len() as u64;
                    ReleaseFile {
                        object: ObjectId(wait(objects.put(bytes))?),
                        size,
                        digest: ObjectId(facts.digest),
                        is_text: facts.is_text,
                        picture: facts.image_size,
                    }
                }
            };
            files.insert(facts.path.as_str().to_owned(), file);
        }
        Ok(Release {
            format: FORMAT,
            site: site.to_owned(),
            deployment,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            commit,
            files,
            manifest: None,
        })
    }

    /// Stores a [`Release`] whose files are stored, or a [`Manifest`], as JSON; returns its id.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be stored.
    pub fn save(&self, value: &impl Serialize) -> anyhow::Result<ObjectId> {
        let text = gzip::pack(&serde_json::to_vec(value)?);
        Ok(ObjectId(wait(self.storage.objects().put(text.into()))?))
    }

    /// Objects that take files and outputs.
    pub fn objects(&self) -> Arc<dyn Objects> {
        self.storage.objects()
    }

    /// Returns the manifest of `release`, if it has one.
    ///
    /// # Errors
    ///
    /// Fails if it is missing, damaged, or of another format.
    pub fn manifest(&self, release: &Release) -> anyhow::Result<Option<Manifest>> {
        let id = release.manifest;
        id.map(|id| Manifest::load(&*self.storage, id)).transpose()
    }

    /// Returns the changes that make a site with `sources` that of `release`.
    ///
    /// # Errors
    ///
    /// Fails if a file that differs cannot be read: then nothing is to be changed.
    pub fn changes(
        &self,
        release: &Release,
        sources: &[SourceFacts],
    ) -> anyhow::Result<Vec<FileChange>> {
        let known: BTreeMap<&str, ContentHash> = (sources.iter())
            .map(|facts| (facts.path.as_str(), facts.digest))
            .collect();
        let mut changes = Vec::new();
        for (path, file) in &release.files {
            if known.get(&**path) == Some(&file.digest.0) {
                continue;
            }
            let is_url = path.contains("://");
            let site_path = match is_url {
                true => Some(SitePath::of_url(path)),
                false => SitePath::new(path),
            };
            let site_path = site_path.with_context(|| format!("{path} is not a path of a site"))?;
            let state = match file.is_text {
                true => {
                    let bytes = self.bytes(file).with_context(|| format!("read {path}"))?;
                    FileState::Text(TextBytes::from(bytes.to_vec()))
                }
                false => FileState::Opaque(file.digest.0, file.picture),
            };
            changes.push(FileChange {
                path: site_path,
                state,
            });
        }
        let is_gone = |facts: &&SourceFacts| !release.files.contains_key(facts.path.as_str());
        let gone = sources.iter().filter(is_gone);
        changes.extend(gone.map(|facts| FileChange {
            path: facts.path.clone(),
            state: FileState::Absent,
        }));
        Ok(changes)
    }
}

/// Reads the JSON of the object `id`, which is a `what` of `format`; `format_of` says of which
/// format one is.
///
/// # Errors
///
/// Fails if the object is missing, damaged, or of another format.
pub(crate) fn read_object<T: DeserializeOwned>(
    storage: &dyn Storage,
    id: ObjectId,
    (what, format): (&str, u32),
    format_of: impl Fn(&T) -> u32,
) -> anyhow::Result<T> {
    let bytes = wait(storage.objects().get(&id.0))?;
    let bytes = bytes.with_context(|| format!("the {what} {id} is missing or damaged"))?;
    // Those of earlier versions are not compressed.
    let bytes = match gzip::is_packed(&bytes) {
        true => gzip::unpack(&bytes, MAX_JSON)
            .with_context(|| format!("read the {what} {id}"))?
            .into(),
        false => bytes,
    };
    let value: T =
        serde_json::from_slice(&bytes).with_context(|| format!("read the {what} {id}"))?;
    let found = format_of(&value);
    if found != format {
        bail!("the {what} {id} has format {found}; this version reads format {format}");
    }
    Ok(value)
}
