//! Stores what a deployment has published as a release, and publishes releases.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail};
use bytes::Bytes;
use queries::base::path::SitePath;
use queries::change::FileState;
use queries::site::{Db, file_named, theme_config};

use super::{Content, Core, Edit, OwnFile, lock};
use crate::manifest::{Manifest, ManifestSearch, MissingOutput, Renderer};
use crate::release::{Release, Releases};
use quire_engine::host::{FileChange, SourceFacts};
use quire_engine::meter;
use quire_engine::unfinished::Adoption;
use quire_source::repository::Reading;
use quire_storage::objects::{ObjectId, Objects};
use quire_storage::wait;

/// Number of times that a release is begun again because the site changed meanwhile.
const MAX_ATTEMPTS: usize = 3;

/// Releases of a site.
#[derive(Default)]
pub(super) struct ReleaseState {
    /// The one that is published, with its id; `None` from a deployment until it is stored.
    published: Option<(ObjectId, Arc<Release>)>,
    /// The one that was stored or published last, whose files need not be stored again.
    last: Option<Arc<Release>>,
}

/// Mark of a release that is being published; goes with this value, also in a panic.
struct Restoring<'a>(&'a AtomicBool);

impl<'a> Restoring<'a> {
    fn begin(mark: &'a AtomicBool) -> Self {
        mark.store(true, Ordering::Release);
        Self(mark)
    }
}

impl Drop for Restoring<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl Core {
    /// Returns true if only deployments publish the site, so that a release of it stays published.
    pub(crate) fn is_deployed(&self) -> bool {
        self.setup.source.releases.is_some() && !self.setup.source.is_followed()
    }

    /// The release that is published, if one is.
    pub(super) fn released(&self) -> Option<Arc<Release>> {
        let state = lock(&self.released);
        let published = state.published.as_ref();
        published.map(|(_, release)| release.clone())
    }

    /// The id of the release that is published, if one is.
    pub(crate) fn released_id(&self) -> Option<ObjectId> {
        let state = lock(&self.released);
        state.published.as_ref().map(|(id, _)| *id)
    }

    fn set_released(&self, id: ObjectId, release: &Arc<Release>) {
        *lock(&self.released) = ReleaseState {
            published: Some((id, release.clone())),
            last: Some(release.clone()),
        };
    }

    /// Notes that the published release is replaced by something that is not stored yet.
    pub(super) fn replace_released(&self) {
        lock(&self.released).published = None;
    }

    /// Publishes the release of the last deployment, or what the files hold if there is none.
    pub(super) fn begin(self: &Arc<Self>) -> anyhow::Result<Edit> {
        if let Some(id) = self.setup.source.released {
            match self.restore(id) {
                Ok((edit, _)) => return Ok(edit),
                Err(error) => tracing::error!(
                    site = self.id,
                    "publishing the present files, not the last deployment: {error:#}"
                ),
            }
        }
        self.begin_anew()
    }

    /// Publishes the release `id`; nothing of it if some of it cannot be read.
    pub(crate) fn restore(self: &Arc<Self>, id: ObjectId) -> anyhow::Result<(Edit, Arc<Release>)> {
        let releases = self.setup.source.releases.as_ref();
        let releases = releases.context("no releases of this site are stored")?;
        let release = Arc::new(releases.load(id)?);
        let _turn = lock(&self.publish_lock);
        let changes = releases.changes(&release, &self.publisher.host().sources())?;
        self.set_released(id, &release);
        let restoring = Restoring::begin(&self.is_restoring);
        let edit = self.publish_and_tell(changes, Adoption::AsItIs);
        drop(restoring);
        Ok((edit, release))
    }

    /// Stores what is published now as the release of `deployment`.
    pub(crate) fn store_release(
        &self,
        deployment: u64,
        commit: Option<String>,
    ) -> anyhow::Result<(ObjectId, Arc<Release>)> {
        let releases = self.setup.source.releases.as_ref();
        let releases = releases.context("no releases of this site are stored")?;
        let _turn = lock(&self.publish_lock);
        let host = self.publisher.host();
        let before = lock(&self.released).last.clone();
        let read = |facts: &SourceFacts| {
            if facts.is_text {
                let bytes = host.store().contents().bytes(facts.digest);
                let bytes = bytes.map_err(|_| anyhow::anyhow!("its content has changed"))?;
                return Ok(Bytes::from_owner(bytes.context("its content has changed")?));
            }
            let opened = self.open_source(&facts.path)?.context("the file is gone")?;
            match opened.content.read(u64::MAX)? {
                Content::Read(bytes) => Ok(bytes),
                Content::Open(_) => bail!("the file is too large"),
            }
        };
        for left in (0..MAX_ATTEMPTS).rev() {
            let revision = host.revision();
            let of = (&*self.id, deployment, commit.clone());
            let stored = releases.save_files(of, host.sources(), before.as_deref(), &read);
            let stored = stored.and_then(|mut release| {
                let manifest = self.store_manifest(releases, &release, before.as_deref());
                release.manifest = Some(manifest.context("store the outputs")?);
                Ok((releases.save(&release)?, Arc::new(release)))
            });
            // Otherwise a document was fetched meanwhile.
            if left == 0 || host.revision() == revision {
                if let Ok((id, release)) = &stored {
                    self.set_released(*id, release);
                }
                return stored;
            }
        }
        bail!("the site changes all the time")
    }

    /// Stores the outputs of `release`, which is published.
    fn store_manifest(
        &self,
        releases: &Releases,
        release: &Release,
        before: Option<&Release>,
    ) -> anyhow::Result<ObjectId> {
        let before = before.and_then(|before| {
            let manifest = releases.manifest(before);
            let manifest = manifest.inspect_err(|error| {
                tracing::warn!(site = self.id, "rendering every page again: {error:#}");
            });
            manifest.ok().flatten()
        });
        let objects = releases.objects();
        let name = |db: &dyn Db, site| theme_config(db, site).name.clone();
        let name = self.publisher.host().read(|db, site| name(db, site));
        let publication = &self.setup.publication;
        let identity = Manifest {
            site: self.id.clone(),
            name: name.ok(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            domains: publication.domains.clone(),
            base_url: publication.base_url.clone(),
            is_untrusted: publication.untrusted,
            ..Manifest::default()
        };
        let render = || {
            let renderer = |before| Renderer::new(&self.publisher, &*objects, release, before);
            let mut manifest = match renderer(before.as_ref()).render(identity.clone()) {
                Err(error) if error.is::<MissingOutput>() => {
                    tracing::warn!(site = self.id, "rendering every page again: {error:#}");
                    renderer(None).render(identity)?
                }
                rendered => rendered?,
            };
            manifest.search = self.store_search(&*objects);
            releases.save(&manifest)
        };
        meter::in_background(render)
    }

    /// Stores the search index with what is published.
    fn store_search(&self, objects: &dyn Objects) -> Option<ManifestSearch> {
        let mut files = BTreeMap::new();
        let mut put = |name: &str, bytes: Vec<u8>| {
            files.insert(name.to_owned(), ObjectId(wait(objects.put(bytes.into()))?));
            Ok(())
        };
        match self.search_service.store(&mut put) {
            Ok(stored) => Some(ManifestSearch { files, stored }),
            Err(error) => {
                tracing::error!(
                    site = self.id,
                    "failed to store the search index: {error:#}"
                );
                None
            }
        }
    }

    /// The file at `path` of the release that is published, if its pages show that one.
    pub(super) fn open_released(&self, path: &SitePath) -> io::Result<Option<OwnFile>> {
        let (Some(release), Some(releases)) = (self.released(), &self.setup.source.releases) else {
            return Ok(None);
        };
        let digest = self.publisher.host().read(|db, _| {
            let file = file_named(db, path)?;
            Some(file.digest(db))
        });
        let Some(digest) = digest.ok().flatten() else {
            return Ok(None);
        };
        let Some(file) = release.file(path, digest) else {
            return Ok(None);
        };
        let opened = releases.open(file).map_err(io::Error::other)?;
        let content = match opened {
            Some(opened) => Content::Open(Arc::new(opened)),
            None => Content::Read(releases.bytes(file).map_err(io::Error::other)?),
        };
        let digest = (!file.is_text).then_some(digest);
        Ok(Some(OwnFile { content, digest }))
    }

    /// Files that are published and that a commit has not.
    pub(super) fn gone(&self, reading: &Reading) -> Vec<FileChange> {
        let files = self.publisher.host().files_under([""]).into_iter();
        let gone = files.filter(|path| !path.is_url() && !reading.has(path));
        gone.map(|path| FileChange {
            path,
            state: FileState::Absent,
        })
        .collect()
    }
}
