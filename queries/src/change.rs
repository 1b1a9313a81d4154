//! Changes of files, written into the inputs: the one writer, used by the host, the tests and the benches.
//!
//! A batch is read before it is written: [`Inputs::prepare`] compares digests and cuts specifications while readers go on,
//! [`Inputs::write`] starts one revision for all of it. Durabilities, buckets and slices are decided here and nowhere else.
//! No disk and no lock: where bytes stay is the business of a [`ContentSink`].

mod overlays;
mod specs;
mod text;

pub use specs::Part;
pub use text::Text;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use salsa::{Durability, Setter};

use crate::db::Database;
use crate::inputs::{
    BUCKETS, FileBucket, Site, SourceFile, SpecSlice, bucket_of, is_config, is_foundation,
};
use crate::store::ArtifactStore;
use crate::trace::digest_of;
use base::content::{ContentHash, TextBytes};
use base::data::overlay::Overlay;
use base::data::split::{Format, is_cut_json, is_json};
use base::image::ImageSize;
use base::path::{SitePath, at_or_below};
use mdx::front_matter::Subject;
use mdx::front_matter::subject;

use overlays::{SpecOverlays, overlaid};
use specs::{Draft, Specs, TextEffect};

/// A file as it was found.
#[derive(Clone, Debug)]
pub struct FileChange {
    /// Path of the file.
    pub path: SitePath,
    /// Current state of the path.
    pub state: FileState,
}

/// State of a path.
#[derive(Clone, Debug)]
pub enum FileState {
    /// No such file, or one that does not count.
    Absent,
    /// A file the core reads.
    Text(TextBytes),
    /// A file the core reads, of which more is known, and perhaps not read.
    Seen(SourceContent),
    /// A file that is only passed on; the digest is that of its length and modification time. A picture says how large it
    /// is.
    Opaque(ContentHash, Option<ImageSize>),
    /// Something that could not be read: what was there before stays.
    Unreadable(Unreadable),
}

/// Why something could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Path and error of the system.
    pub why: Arc<str>,
    /// Remedy.
    pub hint: Arc<str>,
}

/// Facts about a file that the core reads.
#[derive(Clone, Debug)]
pub struct SourceContent {
    /// The digest of its bytes.
    pub digest: ContentHash,
    /// Subject that it names.
    pub subject: Option<Subject>,
    /// Bytes of the file, if they were read.
    pub bytes: Option<TextBytes>,
}

impl SourceContent {
    /// Facts about the file at `path` with the content `bytes`.
    pub fn of(path: &SitePath, bytes: TextBytes) -> Self {
        let digest = ContentHash::of_text(&bytes);
        Self::with_digest(path, bytes, digest)
    }

    /// Like [`SourceContent::of`], of bytes with a known digest.
    pub fn with_digest(path: &SitePath, bytes: TextBytes, digest: ContentHash) -> Self {
        Self {
            digest,
            subject: subject(path, &bytes),
            bytes: Some(bytes),
        }
    }

    fn content(&self) -> Content {
        Content {
            digest: self.digest,
            is_text: true,
            image_size: None,
            subject: self.subject.clone(),
        }
    }
}

/// Policy for accepting file contents that may be incomplete.
#[derive(Clone, Copy, Debug)]
pub enum Adoption<'a> {
    /// Accept everything: first read, deployment, one-shot command.
    AsItIs,
    /// Reject an incomplete version of a document that was complete, and an unreadable
    /// configuration. The files are those that are still open for writing.
    WhenWhole(&'a BTreeSet<SitePath>),
    /// Nothing of a document that could be read and cannot be any more. With files that are still open for writing, no end in
    /// the middle either.
    WhenReadable(Option<&'a BTreeSet<SitePath>>),
}

/// Why a document is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalCause {
    /// The text ends in the middle.
    Cut,
    /// The document could be read, and cannot be any more.
    Broken,
    /// The document was an overlay of a specification, and is none any more.
    NoOverlay,
}

/// Summary of an applied batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppliedChanges {
    /// Files whose content differs from before.
    pub changed: Vec<SitePath>,
    /// Files that appeared.
    pub added: Vec<SitePath>,
    /// Files that vanished.
    pub removed: Vec<SitePath>,
    /// The parts of specifications that changed.
    pub parts: Vec<Part>,
}

impl AppliedChanges {
    /// Returns true if nothing changed.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.added.is_empty() && self.removed.is_empty()
    }
}

/// Store of the bytes behind digests, for as long as an input names them.
pub trait ContentSink {
    /// Notes that an input names `digest`: of the file at `path`, or of a part of a document.
    fn retain(&self, digest: ContentHash, bytes: Option<TextBytes>, path: Option<&SitePath>);

    /// Notes that an input that named `digest` names another one, or is gone.
    fn release(&self, digest: ContentHash, path: Option<&SitePath>);
}

/// Makes a [`Text`] of the bytes of the file at a path, given its bytes and digest before if they are known: see
/// [`Text::compared`].
pub type Follow<'a> =
    dyn FnMut(&SitePath, TextBytes, Option<(&TextBytes, ContentHash)>) -> Text + 'a;

/// Context of reading a batch.
pub struct Reading<'a> {
    /// Makes a [`Text`] of the bytes of a file.
    pub follow: &'a mut Follow<'a>,
    /// Store of sliced specifications.
    pub artifacts: Option<&'a dyn ArtifactStore>,
    /// Policy for incomplete files.
    pub adoption: Adoption<'a>,
    /// The bytes behind a digest that an input names.
    pub bytes: &'a dyn Fn(ContentHash) -> Option<TextBytes>,
}

/// The inputs of one site, and everything that their writer knows about its files.
pub struct Inputs {
    site: Site,
    /// Address of the site, if it is known.
    address: Option<String>,
    /// Whether a site without `docs.json` is made of what is there.
    derives_config: bool,
    buckets: Vec<FileBucket>,
    sources: BTreeMap<SitePath, KnownFile>,
    specs: Specs,
    /// Files that were edited since they were last promoted.
    low_durability: BTreeSet<SitePath>,
    /// Files whose next sight counts as a change, whatever they hold.
    force_changed: BTreeSet<SitePath>,
    /// Days of the last commits that changed files, those that are not there yet too.
    dates: Dates,
}

/// Days by the paths of files: `2026-11-21`.
pub type Dates = BTreeMap<SitePath, Arc<str>>;

struct KnownFile {
    file: SourceFile,
    digest: ContentHash,
    image_size: Option<ImageSize>,
    subject: Option<Subject>,
    modified: Option<Arc<str>>,
    exists: bool,
    is_text: bool,
}

/// Facts about a file.
#[derive(Clone, Debug)]
pub struct FileFacts {
    /// Path below the content root, or its address.
    pub path: SitePath,
    /// Input of the core.
    pub file: SourceFile,
    /// The digest of its text; `None` if it is only passed on.
    pub text: Option<ContentHash>,
    /// Image dimensions.
    pub image_size: Option<ImageSize>,
}

/// Content of a file, as its inputs are set.
#[derive(Clone, PartialEq)]
struct Content {
    digest: ContentHash,
    is_text: bool,
    image_size: Option<ImageSize>,
    subject: Option<Subject>,
}

impl KnownFile {
    fn new(db: &Database, path: &SitePath, content: Content, modified: Option<Arc<str>>) -> Self {
        let Content {
            digest,
            is_text,
            image_size,
            subject,
        } = content;
        // A page is HIGH until it is edited, so that an edit walks what it changed and not the site.
        let durability = match is_foundation(path) {
            true => Durability::MEDIUM,
            false => Durability::HIGH,
        };
        let (path, about, date) = (path.clone(), subject.clone(), modified.clone());
        let file = SourceFile::builder(path, digest, image_size, about, date)
            .durability(durability)
            .path_durability(Durability::NEVER_CHANGE)
            .image_size_durability(Durability::HIGH)
            .subject_durability(Durability::HIGH)
            .modified_durability(Durability::HIGH)
            .new(db);
        Self {
            file,
            digest,
            image_size,
            subject,
            modified,
            exists: true,
            is_text,
        }
    }

    fn content(&self) -> Content {
        Content {
            digest: self.digest,
            is_text: self.is_text,
            image_size: self.image_size,
            subject: self.subject.clone(),
        }
    }

    /// Sets what differs. Digests are compared first: a setter starts a revision even for an equal value.
    fn set(&mut self, db: &mut Database, path: &SitePath, content: Content) {
        if self.digest != content.digest {
            self.digest = content.digest;
            let durability = match is_foundation(path) {
                true => Durability::MEDIUM,
                false => Durability::LOW,
            };
            let set = self.file.set_digest(db);
            set.with_durability(durability).to(content.digest);
        }
        self.is_text = content.is_text;
        if self.image_size != content.image_size {
            self.image_size = content.image_size;
            let set = self.file.set_image_size(db);
            set.with_durability(Durability::HIGH).to(content.image_size);
        }
        if self.subject != content.subject {
            self.subject.clone_from(&content.subject);
            let set = self.file.set_subject(db);
            set.with_durability(Durability::HIGH).to(content.subject);
        }
    }
}

/// A batch that was read and not written yet.
#[derive(Default)]
pub struct Batch {
    applied: AppliedChanges,
    /// States to set, by path: the last state of each file, where it differs from the current one.
    states: BTreeMap<SitePath, State>,
    drafts: Vec<Draft>,
    /// Overlays named by the configuration, if they may have changed.
    overlays: Option<SpecOverlays>,
    held_back: Vec<(SitePath, Text, RefusalCause)>,
    missing_config: Option<SitePath>,
}

/// Content of a file, with its bytes if they were read; `None` if it is gone.
type State = Option<(Content, Option<TextBytes>)>;

impl Batch {
    /// Summary of the batch, without the parts of specifications.
    pub fn applied(&self) -> &AppliedChanges {
        &self.applied
    }

    /// The documents that are not taken, with the reason.
    pub fn held_back(&self) -> &[(SitePath, Text, RefusalCause)] {
        &self.held_back
    }

    /// The configuration that is gone, which is not taken either.
    pub fn missing_config(&self) -> Option<&SitePath> {
        self.missing_config.as_ref()
    }
}

/// Digests that no input names any more. To be released when the readers of the old revision are gone.
#[must_use]
pub struct Released(Vec<(ContentHash, Option<SitePath>)>);

impl Released {
    /// Releases them.
    pub fn to(self, contents: &dyn ContentSink) {
        for (digest, path) in self.0 {
            contents.release(digest, path.as_ref());
        }
    }
}

impl Inputs {
    /// The inputs of a site without files, which is served below `base_path`, at an unknown address.
    pub fn new(db: &Database, base_path: &str) -> Self {
        Self::at(db, base_path, None)
    }

    /// Like [`Inputs::new`], at `address`.
    pub fn at(db: &Database, base_path: &str, address: Option<&str>) -> Self {
        let bucket = |_| FileBucket::builder(Vec::new()).durability(Durability::HIGH);
        let buckets: Vec<FileBucket> = (0..BUCKETS).map(|i| bucket(i).new(db)).collect();
        let address = address.map(|address| address.trim_end_matches('/').to_owned());
        let site = Site::builder(buckets.clone(), base_path.to_owned(), Vec::new())
            .address(address.clone())
            .durability(Durability::HIGH)
            .specs_durability(Durability::HIGH)
            .new(db);
        Self {
            site,
            address,
            derives_config: false,
            buckets,
            sources: BTreeMap::new(),
            specs: Specs::default(),
            low_durability: BTreeSet::new(),
            force_changed: BTreeSet::new(),
            dates: Dates::new(),
        }
    }

    /// Creates the inputs of the same site in the empty database `db`, as a start from the present
    /// files would.
    pub fn rebuilt(&self, db: &mut Database, base_path: &str, contents: &dyn ContentSink) -> Self {
        let address = self.address.as_deref();
        let mut rebuilt = Self::at(db, base_path, address);
        for (path, known) in self.sources.iter().filter(|(_, known)| known.exists) {
            let content = known.content();
            if known.is_text {
                contents.retain(known.digest, None, Some(path));
            }
            let known = KnownFile::new(db, path, content, known.modified.clone());
            rebuilt.sources.insert(path.clone(), known);
        }
        if self.derives_config {
            rebuilt.derive_config(db);
        }
        rebuilt.specs = self.specs.rebuilt(db);
        for digest in rebuilt.specs.digests() {
            contents.retain(digest, None, None);
        }
        rebuilt.dates = self.dates.clone();
        rebuilt.list(db, &(0..BUCKETS).collect());
        rebuilt.set_specs(db);
        rebuilt
    }

    /// The site.
    pub fn site(&self) -> Site {
        self.site
    }

    /// The buckets of its files.
    pub fn buckets(&self) -> &[FileBucket] {
        &self.buckets
    }

    /// The files that exist, in order of their paths, with their digests.
    pub fn files(&self) -> impl Iterator<Item = (&SitePath, SourceFile, ContentHash)> {
        let present = self.sources.iter().filter(|(_, known)| known.exists);
        present.map(|(path, known)| (path, known.file, known.digest))
    }

    /// The files that exist whose paths are `path` or lie below it, in order of their paths; `""` means all.
    pub fn files_under(&self, path: &str) -> impl Iterator<Item = &SitePath> {
        let present = at_or_below(&self.sources, path).filter(|(_, known)| known.exists);
        present.map(|(path, _)| path)
    }

    /// Makes a site of pages and specifications if there is no `docs.json`. Called before files are
    /// added.
    pub fn derive_config(&mut self, db: &mut Database) {
        self.derives_config = true;
        let set = self.site.set_derives_config(db);
        set.with_durability(Durability::HIGH).to(true);
    }

    /// The digest of all that queries can ask for: of the files and their days, and of the path below which the site is
    /// served.
    pub fn digest(&self, base_path: &str) -> ContentHash {
        let present = self.sources.iter().filter(|(_, known)| known.exists);
        let facts: Vec<_> = present
            .map(|(path, known)| (path, known.digest, known.image_size, &known.modified))
            .collect();
        digest_of(&(base_path, &self.address, self.derives_config, facts))
    }

    /// Fetched documents by address, in the order of addresses, with the digests of their texts.
    pub fn fetched(&self) -> impl Iterator<Item = (&SitePath, ContentHash)> {
        self.specs.fetched()
    }

    /// Facts about each existing file, in order of paths.
    pub fn facts(&self) -> Vec<FileFacts> {
        let present = self.sources.iter().filter(|(_, known)| known.exists);
        let facts = present.map(|(path, known)| FileFacts {
            path: path.clone(),
            file: known.file,
            text: known.is_text.then_some(known.digest),
            image_size: known.image_size,
        });
        facts.collect()
    }

    /// The files that exist of which queries know no more than the name, the length and the time.
    pub fn opaque_files(&self) -> impl Iterator<Item = &SitePath> {
        let opaque = self.sources.iter();
        let opaque = opaque.filter(|(_, known)| known.exists && !known.is_text);
        opaque.map(|(path, _)| path)
    }

    /// Every file there ever was: its input stays the same when it vanishes and comes back.
    pub fn all_files(&self) -> impl Iterator<Item = (&SitePath, SourceFile)> {
        self.sources.iter().map(|(path, known)| (path, known.file))
    }

    /// The files that were edited since they were last promoted.
    pub fn low_durability(&self) -> &BTreeSet<SitePath> {
        &self.low_durability
    }

    /// Each part of each specification: its input, where it is, its digest.
    pub fn parts(&self) -> impl Iterator<Item = (SpecSlice, Part, ContentHash)> {
        self.specs.parts()
    }

    /// The part of a specification that would change if the file at `path` held `text`, if it is one part.
    pub fn part_changed_by(&self, path: &SitePath, text: &Text) -> Option<Part> {
        self.specs.part_changed_by(path, text)
    }

    /// Counts the next sight of the files at `paths` as a change: they changed and nobody was told.
    pub fn announce_again(&mut self, paths: impl IntoIterator<Item = SitePath>) {
        self.force_changed.extend(paths);
    }

    /// Reads `changes`: compares digests, cuts specifications. Readers go on in the meantime.
    pub fn prepare(
        &mut self,
        changes: impl IntoIterator<Item = FileChange>,
        reading: &mut Reading<'_>,
    ) -> Batch {
        let mut batch = Batch::default();
        for FileChange { path, state } in changes {
            let text = match &state {
                FileState::Unreadable(_) => continue,
                FileState::Text(bytes) => {
                    let before = self.specs.text(&path);
                    Some((reading.follow)(&path, bytes.clone(), before))
                }
                FileState::Seen(seen) => {
                    let bytes = seen.bytes.clone();
                    bytes.map(|bytes| Text::new(bytes, seen.digest))
                }
                FileState::Opaque(..) | FileState::Absent => None,
            };
            let text = text.map(|text| {
                let followed = self.specs.follow(&path, &text);
                (text, followed)
            });
            if let Some((text, followed)) = &text
                && let Some(why) = self.is_held_back(&path, text, followed, reading)
            {
                batch.held_back.push((path, text.clone(), why));
                continue;
            }
            let (text, followed) = text.unzip();
            let draft = (self.specs).draft(&path, text.as_ref().zip(followed), reading.artifacts);
            batch.drafts.extend(draft);
            if path.is_url() {
                continue;
            }
            let state = match (state, text) {
                (FileState::Text(bytes), Some(text)) => {
                    let seen = SourceContent::with_digest(&path, bytes, text.digest);
                    Some((seen.content(), seen.bytes))
                }
                (FileState::Seen(seen), _) => Some((seen.content(), seen.bytes)),
                (FileState::Opaque(digest, image_size), _) => {
                    let content = Content {
                        digest,
                        is_text: false,
                        image_size,
                        subject: None,
                    };
                    Some((content, None))
                }
                (FileState::Absent | FileState::Text(_) | FileState::Unreadable(_), _) => None,
            };
            batch.states.insert(path, state);
        }
        if !matches!(reading.adoption, Adoption::AsItIs) {
            self.keep_config(&mut batch);
        }
        self.apply_overlays(&mut batch, reading);
        let Batch {
            applied,
            states,
            drafts,
            ..
        } = &mut batch;
        states
            .retain(|path, state| self.differs(path, state.as_ref().map(|(now, _)| now), applied));
        for path in drafts.iter().map(Draft::path).filter(|path| path.is_url()) {
            if !applied.changed.contains(path) {
                applied.changed.push(path.clone());
            }
        }
        batch
    }

    /// Cuts the documents of `batch` that have overlays, and those whose overlays are in it.
    fn apply_overlays(&self, batch: &mut Batch, reading: &Reading<'_>) {
        let states = &batch.states;
        let digest = |state: &State| state.as_ref().map(|(content, _)| content.digest);
        let before = |path: &SitePath| {
            let known = self.sources.get(path).filter(|known| known.exists);
            known.map(|known| known.digest)
        };
        let has_changed = |path: &SitePath| {
            let state = states.get(path);
            state.is_some_and(|state| digest(state) != before(path))
        };
        let mut read = |path: &SitePath| match states.get(path) {
            Some(Some((_, Some(bytes)))) => Some(bytes.clone()),
            Some(state) => (reading.bytes)(digest(state)?),
            None => (reading.bytes)(before(path)?),
        };
        // The configuration, and what it refers to.
        let is_other = states
            .keys()
            .any(|path| is_foundation(path) && has_changed(path));
        batch.overlays = is_other.then(|| overlays::configured_overlays(&mut read));
        let wanted = batch
            .overlays
            .as_ref()
            .unwrap_or(self.specs.configured_overlays());
        let drafts = &mut batch.drafts;
        (self.specs).draft_overlaid(wanted, drafts, &mut read, &has_changed);
    }

    /// Takes the removal of the configuration out of `batch` if no other one would be there.
    fn keep_config(&self, batch: &mut Batch) {
        let is_there = |path: &SitePath| match batch.states.get(path) {
            Some(state) => state.is_some(),
            None => self.exists(path),
        };
        let names = ["docs.json", "mint.json"].into_iter();
        let paths: Vec<SitePath> = names.filter_map(SitePath::new).collect();
        if paths.iter().any(is_there) {
            return;
        }
        for path in paths.into_iter().filter(|path| self.exists(path)) {
            batch.states.remove(&path);
            batch.missing_config.get_or_insert(path);
        }
    }

    /// Returns true if a file exists at `path`.
    pub fn exists(&self, path: &SitePath) -> bool {
        self.sources.get(path).is_some_and(|known| known.exists)
    }

    /// Why the document at `path` is to stay as it was rather than to hold this text; `None` if it is not.
    fn is_held_back(
        &self,
        path: &SitePath,
        text: &Text,
        followed: &TextEffect,
        reading: &Reading<'_>,
    ) -> Option<RefusalCause> {
        let is_cut = |open: &BTreeSet<SitePath>| {
            self.is_cut_by(path, (text, followed), open.contains(path), reading)
        };
        let (open, is_strict) = match reading.adoption {
            Adoption::AsItIs => return None,
            Adoption::WhenWhole(open) => (Some(open), false),
            Adoption::WhenReadable(open) => (open, true),
        };
        if open.is_some_and(is_cut) {
            return Some(RefusalCause::Cut);
        }
        // With another part a document can be read as before, whatever it is for.
        let is_broken = is_strict
            && !followed.is_slice()
            && (self.specs.is_broken_by(path, followed)
                || is_foundation(path) && self.is_broken_by(path, text, reading));
        if is_broken {
            return Some(RefusalCause::Broken);
        }
        let is_none = |_: &TextBytes| !Overlay::is_one(path, &text.bytes);
        let was_one = self.overlay_before(path, text, reading).filter(is_none);
        was_one
            .filter(|_| is_strict)
            .map(|_| RefusalCause::NoOverlay)
    }

    /// Content of the file at `path`, if it is an applied overlay and differs from this text.
    fn overlay_before(
        &self,
        path: &SitePath,
        text: &Text,
        reading: &Reading<'_>,
    ) -> Option<TextBytes> {
        overlaid(self.specs.configured_overlays()).find(|key| key.overlays.contains(path))?;
        let known = self.sources.get(path).filter(|known| known.exists)?;
        let bytes = match known.digest == text.digest {
            true => None,
            false => (reading.bytes)(known.digest),
        };
        bytes.filter(|bytes| Overlay::is_one(path, bytes))
    }

    /// Returns true if the file at `path` was valid JSON and would not be with this text.
    fn is_broken_by(&self, path: &SitePath, text: &Text, reading: &Reading<'_>) -> bool {
        let known = self.sources.get(path).filter(|known| known.exists);
        known.is_some_and(|known| {
            known.digest != text.digest
                && !is_json(&text.bytes)
                && (reading.bytes)(known.digest).is_some_and(|bytes| is_json(&bytes))
        })
    }

    /// Returns true if the document at `path`, which was complete, would be incomplete with this
    /// text; for the configuration, if it would be unreadable.
    fn is_cut_by(
        &self,
        path: &SitePath,
        (text, followed): (&Text, &TextEffect),
        is_open: bool,
        reading: &Reading<'_>,
    ) -> bool {
        if self.specs.is_cut_by(path, text, followed, is_open) {
            return true;
        }
        // Half of the actions are an overlay too, which does not take away what it should.
        let is_open = is_open && Format::of(path) == Some(Format::Yaml);
        let overlay = self.overlay_before(path, text, reading);
        if overlay.is_some_and(|before| is_open || before.starts_with(&text.bytes)) {
            return true;
        }
        if followed.is_slice() {
            return false;
        }
        // The configuration is JSON, too, and so is what it refers to.
        let known = self.sources.get(path).filter(|known| known.exists);
        known.is_some_and(|known| {
            let is_broken = match is_config(path) {
                true => !is_json(&text.bytes),
                false => is_foundation(path) && is_cut_json(&text.bytes),
            };
            is_broken
                && known.digest != text.digest
                && (reading.bytes)(known.digest).is_some_and(|bytes| is_json(&bytes))
        })
    }

    /// Returns true if the file at `path` must be set to `now`; records that in `applied`.
    fn differs(
        &mut self,
        path: &SitePath,
        now: Option<&Content>,
        applied: &mut AppliedChanges,
    ) -> bool {
        let known = self.sources.get(path).filter(|known| known.exists);
        let (list, differs) = match (known, now) {
            (None, None) => return false,
            (None, Some(_)) => (&mut applied.added, true),
            (Some(_), None) => (&mut applied.removed, true),
            (Some(known), Some(now)) => (&mut applied.changed, known.content() != *now),
        };
        if differs || self.force_changed.remove(path) {
            list.push(path.clone());
        }
        differs
    }

    /// Writes `batch`: readers are asked to stop once, and see all of it or nothing.
    pub fn write(
        &mut self,
        db: &mut Database,
        batch: Batch,
        contents: &dyn ContentSink,
    ) -> (AppliedChanges, Released) {
        let Batch {
            mut applied,
            states,
            drafts,
            overlays,
            held_back: _,
            missing_config: _,
        } = batch;
        let mut released = Vec::new();
        let mut touched: BTreeSet<usize> = BTreeSet::new();
        for (path, state) in states {
            let Some((content, bytes)) = state else {
                if let Some(known) = self.sources.get_mut(&path) {
                    known.exists = false;
                    touched.insert(bucket_of(&path));
                }
                continue;
            };
            let Some(known) = self.sources.get_mut(&path) else {
                if content.is_text {
                    contents.retain(content.digest, bytes, Some(&path));
                }
                touched.insert(bucket_of(&path));
                let modified = self.dates.get(&path).cloned();
                let known = KnownFile::new(db, &path, content, modified);
                self.sources.insert(path, known);
                continue;
            };
            if known.digest != content.digest {
                if content.is_text {
                    contents.retain(content.digest, bytes, Some(&path));
                }
                if known.is_text {
                    released.push((known.digest, Some(path.clone())));
                }
                if !is_foundation(&path) {
                    self.low_durability.insert(path.clone());
                }
            }
            known.set(db, &path, content);
            if !known.exists {
                known.exists = true;
                touched.insert(bucket_of(&path));
            }
        }
        self.list(db, &touched);
        let mut slices = Vec::new();
        let mut are_others = false;
        let mut writer = specs::Writer {
            db,
            retain: &mut |digest, bytes| contents.retain(digest, Some(bytes), None),
            forgotten: &mut slices,
            edited: &mut applied.parts,
        };
        for draft in drafts {
            are_others |= self.specs.write(draft, &mut writer);
        }
        are_others |= overlays.is_some_and(|wanted| self.specs.set_wanted(wanted));
        if are_others {
            self.set_specs(db);
        }
        released.extend(slices.into_iter().map(|digest| (digest, None)));
        (applied, Released(released))
    }

    /// Sets when files were changed last, of those whose day differs; returns whether there are some. Files that appear later
    /// have their days from `dates` too.
    pub fn set_dates(&mut self, db: &mut Database, dates: Dates) -> bool {
        let mut is_changed = false;
        for (path, known) in &mut self.sources {
            let modified = dates.get(path);
            if known.modified.as_ref() != modified {
                known.modified = modified.cloned();
                let set = known.file.set_modified(db);
                set.with_durability(Durability::HIGH).to(modified.cloned());
                is_changed = true;
            }
        }
        self.dates = dates;
        is_changed
    }

    /// Days of the last commits that changed files.
    pub fn dates(&self) -> &Dates {
        &self.dates
    }

    /// Gives edited files HIGH durability again, in one batch; returns which. For idle moments: each promoted file is read
    /// once more, and every memo is validated once.
    pub fn promote(&mut self, db: &mut Database) -> BTreeSet<SitePath> {
        let low_durability = std::mem::take(&mut self.low_durability);
        for path in &low_durability {
            if let Some(known) = self.sources.get(path) {
                let set = known.file.set_digest(db);
                set.with_durability(Durability::HIGH).to(known.digest);
            }
        }
        low_durability
    }

    /// Releases everything: the site ends.
    pub fn release(&self, contents: &dyn ContentSink) {
        for (path, known) in self.sources.iter().filter(|(_, known)| known.is_text) {
            contents.release(known.digest, Some(path));
        }
        for digest in self.specs.digests() {
            contents.release(digest, None);
        }
    }

    /// Sets the files of the buckets `touched`.
    fn list(&self, db: &mut Database, touched: &BTreeSet<usize>) {
        // One pass over the files for all buckets: a first read of a large site touches every one.
        let mut members: BTreeMap<usize, Vec<(SitePath, SourceFile)>> =
            touched.iter().map(|bucket| (*bucket, Vec::new())).collect();
        if members.is_empty() {
            return;
        }
        for (path, file, _) in self.files() {
            if let Some(members) = members.get_mut(&bucket_of(path)) {
                members.push((path.clone(), file));
            }
        }
        for (bucket, members) in members {
            self.buckets[bucket].set_files(db).to(members);
        }
    }

    fn set_specs(&self, db: &mut Database) {
        let set = self.site.set_specs(db);
        set.with_durability(Durability::HIGH)
            .to(self.specs.present());
    }
}
