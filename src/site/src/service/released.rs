//! Stores what a deployment has published as a release, and publishes releases.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::{Context, bail};
use bytes::Bytes;
use queries::base::path::SitePath;
use queries::change::FileState;
use queries::site::file_named;

use super::{Content, Core, Edit, OwnFile, lock};
use crate::release::Release;
use quire_engine::host::{FileChange, SourceFacts};
use quire_engine::unfinished::Adoption;
use quire_source::repository::Reading;
use quire_storage::objects::ObjectId;

/// Number of times that a release is begun again because the site changed meanwhile.
const MAX_ATTEMPTS: usize = 3;

/// Releases of a site.
#[derive(Default)]
pub(super) struct ReleaseState {
    /// The one that is published; `None` from a deployment until it is stored.
    published: Option<Arc<Release>>,
    /// The one that was stored or published last, whose files need not be stored again.
    last: Option<Arc<Release>>,
}

impl Core {
    /// Returns true if only deployments publish the site, so that a release of it stays published.
    pub(crate) fn is_deployed(&self) -> bool {
        self.setup.source.releases.is_some() && !self.setup.source.is_followed()
    }

    /// The release that is published, if one is.
    pub(super) fn released(&self) -> Option<Arc<Release>> {
        lock(&self.released).published.clone()
    }

    fn set_released(&self, release: &Arc<Release>) {
        *lock(&self.released) = ReleaseState {
            published: Some(release.clone()),
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
        self.reread()
    }

    /// Publishes the release `id`; nothing of it if some of it cannot be read.
    pub(crate) fn restore(self: &Arc<Self>, id: ObjectId) -> anyhow::Result<(Edit, Arc<Release>)> {
        let releases = self.setup.source.releases.as_ref();
        let releases = releases.context("no releases of this site are stored")?;
        let release = Arc::new(releases.load(id)?);
        let _turn = lock(&self.publish_lock);
        let changes = releases.changes(&release, &self.publisher.host().sources())?;
        self.set_released(&release);
        self.is_restoring.store(true, Ordering::Release);
        let edit = self.publish_and_tell(changes, Adoption::AsItIs);
        self.is_restoring.store(false, Ordering::Release);
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
            match releases.save(of, host.sources(), before.as_deref(), &read) {
                Ok((id, release)) if left == 0 || host.revision() == revision => {
                    let release = Arc::new(release);
                    self.set_released(&release);
                    return Ok((id, release));
                }
                Err(error) if left == 0 || host.revision() == revision => return Err(error),
                // A document was fetched meanwhile.
                _ => {}
            }
        }
        bail!("the site changes all the time")
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
