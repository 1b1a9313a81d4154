//! The docs repository on disk: which files count, and what each one holds now.
//!
//! Nothing outside the root is ever read ([`root_dir`]): a symbolic link that leads out of it, or to a file that does not count,
//! is as good as absent. What the system does
//! not let us read is not absent: it is [`FileState::Unreadable`], and what it held before stays.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fs;
use std::io::{self, BufReader, ErrorKind, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, RwLock};

use bytes::Bytes;

use crate::ignored::{IGNORE_FILE, Rules};
use crate::images::image_size;
use crate::root_dir;
use queries::base::content::{ContentHash, LARGE, TextBytes};
use queries::base::path::SitePath;
use queries::change::FileChange;
use queries::site::SETTINGS;
use quire_storage::machine;
use quire_storage::store::stats::{Fact, Stat, Stats};
use rustix::io::Errno;

pub use queries::change::{FileState, SourceContent, Unreadable};

/// The list of what a build wrote, in its output folder.
pub const BUILD_LIST: &str = ".quire-files";

/// Largest text file that is read, in bytes.
const MAX_TEXT: u64 = 64 << 20;

/// A file that is to be sent to a client.
pub struct OwnFile {
    /// Content.
    pub content: Content,
    /// Digest of the content at the time of opening, if it is known without reading the file.
    pub digest: Option<ContentHash>,
}

/// Content of a file.
pub enum Content {
    /// A handle. Parts are read at places, so that several readers may have it at once.
    Open(Arc<fs::File>),
    /// All of it.
    Read(Bytes),
}

impl Content {
    /// All of it, if it is at most `most` bytes.
    pub fn read(self, most: u64) -> io::Result<Self> {
        let file = match &self {
            Self::Open(file) if file.metadata()?.len() <= most => file,
            _ => return Ok(self),
        };
        let mut bytes = Vec::new();
        (&**file).read_to_end(&mut bytes)?;
        Ok(Self::Read(bytes.into()))
    }
}

/// Number of files up to which the calling thread reads them itself.
const PARALLEL_THRESHOLD: usize = 4;

/// One docs repository.
pub struct Sources {
    /// Path that was asked for, absolute: as time goes by it may name one folder after the other.
    requested_path: PathBuf,
    /// The folder that it named when it was followed last, without links; shared with those made by [`Sources::reopen`].
    root: Arc<RwLock<PathBuf>>,
    /// Whether the folder had a configuration when it was opened: without it, it is being replaced.
    has_config: bool,
    /// The one file of the site, if a file was asked for.
    only: Option<SitePath>,
    /// Ignore rules, shared like the root.
    ignore: Arc<RwLock<Arc<Rules>>>,
    stats: Option<Arc<Stats>>,
    buffers: Mutex<Buffers>,
    /// Files with hard links: a write by another path causes no event.
    several_names: Mutex<BTreeSet<SitePath>>,
}

/// Texts of large specifications that were read as they are followed: into the buffer of the last
/// but one the next is read. Newly allocated memory is mapped by the system page by page, which
/// takes longer than reading the file.
type Buffers = HashMap<SitePath, [Option<TextBytes>; 2]>;

/// Initial spare capacity of the buffer of a large text: the next version may be longer.
const SPARE: usize = 64 << 10;

/// Result of a walk over a folder.
#[derive(Debug, Default)]
pub struct Walk {
    /// The files that count.
    pub files: Vec<SitePath>,
    /// Symbolic links that may be files that count: what they hold changes with files elsewhere.
    pub links: Vec<SitePath>,
    /// The folders, the one walked first.
    pub folders: Vec<PathBuf>,
    /// Paths that could not be listed or read, the root as `.`.
    pub unreadable: Vec<FileChange>,
}

/// Maximum number of entries of a folder without a configuration that are looked at for content.
const MAX_SEEN: usize = 20_000;

/// Number of bytes at the begin of a file in which a specification names its format.
const HEAD: u64 = 16 << 10;

/// Returns true if the folder at `root` holds a configuration, readable or not.
pub(crate) fn has_config(root: &Path) -> bool {
    let is_there = |name: &str| match root.join(name).symlink_metadata() {
        Ok(_) => true,
        // Reading it says what is wrong with it.
        Err(error) => !is_absence(&error),
    };
    is_there("docs.json") || is_there("mint.json")
}

/// Returns true for a page, and for a file that names a format of specifications in its first bytes.
fn may_be_content(site_path: &SitePath, path: &Path) -> bool {
    match site_path.extension().as_str() {
        "md" | "mdx" => true,
        "yaml" | "yml" | "json" => {
            // Opening a pipe would wait for its other end.
            if !fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
                return false;
            }
            let mut head = Vec::new();
            let file = fs::File::open(path).map(|file| file.take(HEAD));
            let is_read = file.is_ok_and(|mut file| file.read_to_end(&mut head).is_ok());
            let head = String::from_utf8_lossy(&head);
            let formats = ["openapi", "swagger", "asyncapi"];
            is_read && formats.iter().any(|format| head.contains(format))
        }
        _ => false,
    }
}

impl Sources {
    /// The repository at `root`, or the file at `root` alone, as a site of one specification; its
    /// path is made absolute.
    pub fn open(root: &Path) -> io::Result<Self> {
        let absolute = std::path::absolute(root)?;
        let only = absolute.is_file().then(|| absolute.file_name()?.to_str());
        let only = only.flatten().and_then(SitePath::new);
        let absolute = match (&only, absolute.parent()) {
            (Some(_), Some(folder)) => folder.to_owned(),
            _ => absolute,
        };
        let root = absolute.canonicalize()?;
        let ignore = rules(&root, only.as_ref())?;
        Ok(Self {
            requested_path: absolute,
            has_config: only.is_none() && has_config(&root),
            only,
            root: Arc::new(RwLock::new(root)),
            ignore: Arc::new(RwLock::new(Arc::new(ignore))),
            stats: None,
            buffers: Mutex::default(),
            several_names: Mutex::default(),
        })
    }

    /// Returns another handle to the same folder. Both share the root and the ignore rules, but not
    /// buffers.
    #[must_use]
    pub fn reopen(&self) -> Self {
        Self {
            requested_path: self.requested_path.clone(),
            has_config: self.has_config,
            only: self.only.clone(),
            root: self.root.clone(),
            ignore: self.ignore.clone(),
            stats: None,
            buffers: Mutex::default(),
            several_names: Mutex::default(),
        }
    }

    /// Sets `stats`, the cache of file metadata and digests: unchanged files are not read.
    #[must_use]
    pub fn with_stat_cache(mut self, stats: Option<Arc<Stats>>) -> Self {
        self.stats = stats;
        self
    }

    /// Returns true if the folder had a configuration when it was opened.
    pub fn has_config(&self) -> bool {
        self.has_config
    }

    /// Returns true if the folder holds a page or a file that may be a specification: looks at
    /// a bounded number of entries, folders of the upper levels first.
    pub fn holds_content(&self) -> bool {
        let (root, ignore) = (self.root(), self.ignore());
        let mut pending = VecDeque::from([root.clone()]);
        let mut seen = 0;
        while let Some(folder) = pending.pop_front() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                seen += 1;
                if seen > MAX_SEEN {
                    return false;
                }
                let path = entry.path();
                let below = path.strip_prefix(&root).ok().and_then(Path::to_str);
                let Some(site_path) = below.and_then(SitePath::new) else {
                    continue;
                };
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if ignore.is_ignored(&site_path, is_folder) {
                    continue;
                }
                if is_folder && !is_output(&path) {
                    pending.push_back(path);
                } else if !is_folder && may_be_content(&site_path, &path) {
                    return true;
                }
            }
        }
        false
    }

    /// Path that was asked for, absolute; links in it are not followed.
    pub fn requested_path(&self) -> &Path {
        &self.requested_path
    }

    /// The absolute path of the root, without links.
    pub fn root(&self) -> PathBuf {
        let root = self.root.read().unwrap_or_else(PoisonError::into_inner);
        root.clone()
    }

    /// Goes to the folder that the path names now.
    pub fn follow(&self) -> io::Result<()> {
        let root = self.requested_path.canonicalize()?;
        *self.root.write().unwrap_or_else(PoisonError::into_inner) = root;
        Ok(())
    }

    /// Reads the author's ignore rules again; those before stay if they cannot be read.
    pub fn reload_ignore_rules(&self) -> io::Result<()> {
        let rules = Arc::new(rules(&self.root(), self.only.as_ref())?);
        *self.ignore.write().unwrap_or_else(PoisonError::into_inner) = rules;
        Ok(())
    }

    /// Returns true if READMEs or changelogs are pages by the configuration as it is now and were not
    /// when the rules were read, or the other way round.
    pub fn counts_pages_otherwise(&self) -> bool {
        let now = rules(&self.root(), self.only.as_ref());
        now.is_ok_and(|now| !now.counts_like(&self.ignore()))
    }

    fn ignore(&self) -> Arc<Rules> {
        let rules = self.ignore.read().unwrap_or_else(PoisonError::into_inner);
        rules.clone()
    }

    /// The path below the root of the absolute path `path`; `None` outside of it, or when it is not UTF-8.
    pub fn site_path(&self, path: &Path) -> Option<SitePath> {
        let root = self.root.read().unwrap_or_else(PoisonError::into_inner);
        let below = path.strip_prefix(&*root).ok()?.to_str()?;
        (!below.is_empty()).then(|| SitePath::new(below))?
    }

    /// Absolute path of the file at `path`.
    pub fn absolute(&self, path: &SitePath) -> PathBuf {
        self.root().join(path.as_str())
    }

    /// Whether the file or folder at `path` does not count: hidden, of the repository, or ignored by its author.
    pub fn is_ignored(&self, path: &SitePath, is_folder: bool) -> bool {
        self.ignore().is_ignored(path, is_folder)
    }

    /// Walks the folder at `folder`, an absolute path. `see_folder` is called for each folder before it is listed, so
    /// that a watch set there misses nothing that comes later.
    pub fn walk(&self, folder: &Path, see_folder: &mut dyn FnMut(&Path)) -> Walk {
        let mut walk = Walk::default();
        let (root, ignore) = (self.root(), self.ignore());
        let mut pending = vec![folder.to_owned()];
        while let Some(folder) = pending.pop() {
            see_folder(&folder);
            let below = folder.strip_prefix(&root).ok().and_then(Path::to_str);
            let entries = fs::read_dir(&folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
            let entries = match entries {
                Ok(entries) => entries,
                Err(error) => {
                    let path = self.site_path(&folder).unwrap_or_else(whole_site);
                    walk.unreadable.extend(unreadable(path, &folder, &error));
                    continue;
                }
            };
            for entry in entries {
                let name = entry.file_name();
                let site_path = below.zip(name.to_str()).and_then(|(below, name)| {
                    let separator = if below.is_empty() { "" } else { "/" };
                    SitePath::new(&format!("{below}{separator}{name}"))
                });
                let Some(site_path) = site_path else {
                    continue;
                };
                let kind = match entry.file_type() {
                    Ok(kind) => kind,
                    Err(error) => {
                        let path = entry.path();
                        walk.unreadable.extend(unreadable(site_path, &path, &error));
                        continue;
                    }
                };
                if ignore.is_ignored(&site_path, kind.is_dir()) {
                    continue;
                }
                if kind.is_dir() {
                    let path = entry.path();
                    if !is_output(&path) {
                        pending.push(path);
                    }
                    continue;
                }
                if kind.is_symlink() {
                    walk.links.push(site_path.clone());
                }
                // What a link leads to may be unreadable: then looking at it says so.
                let is_link = || !matches!(self.leads_to_a_file(&site_path), Ok(false));
                if kind.is_file() || (kind.is_symlink() && is_link()) {
                    walk.files.push(site_path);
                }
            }
            walk.folders.push(folder);
        }
        walk.files.sort_unstable();
        walk
    }

    /// Returns true if the link at `path` leads to a file that counts: not if it is dangling, or
    /// leads out of the root or to an ignored file.
    fn leads_to_a_file(&self, path: &SitePath) -> io::Result<bool> {
        let root = self.root();
        let place = optional(root_dir::place_of(&root, path))?.flatten();
        let Some(place) = place.filter(|place| !self.ignore().is_private(place)) else {
            return Ok(false);
        };
        let metadata = optional(fs::metadata(root.join(place.as_str())))?;
        Ok(metadata.is_some_and(|metadata| metadata.is_file()))
    }

    /// Returns true if a link in `path` leads out of the root.
    pub fn leads_out(&self, path: &SitePath) -> bool {
        let root = self.root();
        let is_file = fs::metadata(root.join(path.as_str())).is_ok_and(|found| found.is_file());
        is_file && matches!(root_dir::place_of(&root, path), Ok(None))
    }

    /// Looks at every file that is there, and at those of `known_paths`.
    pub fn everything(&self, known_paths: impl IntoIterator<Item = SitePath>) -> Vec<FileChange> {
        let walk = self.walk(&self.root(), &mut |_| {});
        let mut paths = walk.files;
        paths.extend(known_paths);
        paths.sort();
        paths.dedup();
        let states = self.look_all(&paths);
        let changes = paths.into_iter().zip(states);
        let mut changes: Vec<FileChange> = changes
            .map(|(path, state)| FileChange { path, state })
            .collect();
        changes.extend(walk.unreadable);
        changes
    }

    /// Returns true if the file at `path` was written by a build into a folder of the site.
    fn is_output(&self, path: &SitePath) -> bool {
        let mut folder = path.folder();
        while !folder.is_empty() {
            if is_output(&self.root().join(folder)) {
                return true;
            }
            folder = folder.rfind('/').map_or("", |at| &folder[..at]);
        }
        false
    }

    /// Opens the file at `path` for serving; `None` when it is gone, or leads out of the root or to what is left out.
    pub fn open_file(&self, path: &SitePath) -> io::Result<Option<fs::File>> {
        let rules = self.ignore();
        let opened = root_dir::open(&self.root(), path, |place| !rules.is_private(place));
        Ok(optional(opened)?.flatten())
    }

    /// Reads the current state of `path`.
    pub fn look(&self, path: &SitePath) -> FileState {
        self.look_at(path, true)
    }

    /// Like [`Sources::look`]; `follows` as in [`Sources::look_again`].
    fn look_at(&self, path: &SitePath, follows: bool) -> FileState {
        let state = self.read(path, follows);
        if matches!(state, Ok(FileState::Absent)) {
            self.lock_buffers().remove(path);
        }
        if let (Ok(FileState::Absent), Some(stats)) = (&state, &self.stats) {
            stats.forget(path);
        }
        state.unwrap_or_else(|error| FileState::Unreadable(why(&self.absolute(path), &error)))
    }

    fn read(&self, path: &SitePath, follows: bool) -> io::Result<FileState> {
        if self.is_ignored(path, false) || self.is_output(path) {
            return Ok(FileState::Absent);
        }
        let Some(mut file) = self.open_file(path)? else {
            return Ok(FileState::Absent);
        };
        let metadata = file.metadata()?;
        if !metadata.is_file() || is_own_output(&metadata) {
            return Ok(FileState::Absent);
        }
        self.note_names(path, &metadata);
        let stat = Stat::of(&metadata);
        if !is_text(path) || metadata.len() > MAX_TEXT {
            let digest = opaque_digest(&metadata);
            let size = image_size(path, BufReader::new(file));
            if let Some(stats) = &self.stats {
                stats.note(path, stat, Fact::Opaque(digest, size));
            }
            return Ok(FileState::Opaque(digest, size));
        }
        // Of a large specification the host knows what it was: its digest costs what is new. What is noted of it is noted
        // when it is seen at a start.
        let length = metadata.len() as usize;
        let is_followed = follows && is_whole(path) && length >= LARGE;
        let bytes = match is_followed {
            true => self.read_followed(path, &mut file, length)?,
            false => read_text(&mut file, length, Vec::new())?.into(),
        };
        let Some(stats) = self.stats.as_ref().filter(|_| !is_followed) else {
            return Ok(FileState::Text(bytes));
        };
        let seen = SourceContent::of(path, bytes);
        stats.note(path, stat, Fact::Text(seen.digest, seen.subject.clone()));
        Ok(FileState::Seen(seen))
    }

    /// Content of `file`, a large specification at `path`, read into the buffer of the last but one
    /// version.
    fn read_followed(
        &self,
        path: &SitePath,
        file: &mut impl Read,
        length: usize,
    ) -> io::Result<TextBytes> {
        let known = self.lock_buffers().remove(path);
        let [before, last] = known.unwrap_or_default();
        let buffer = before.and_then(TextBytes::into_buffer);
        let buffer = buffer.unwrap_or_else(|| Vec::with_capacity(length + SPARE));
        let bytes = TextBytes::from(read_text(file, length, buffer)?);
        let texts = [last, Some(bytes.clone())];
        self.lock_buffers().insert(path.clone(), texts);
        Ok(bytes)
    }

    /// Notes whether the file at `path` has other names (hard links).
    fn note_names(&self, path: &SitePath, metadata: &fs::Metadata) {
        let has_others = metadata.nlink() > 1;
        let several = self.several_names.lock();
        let mut several = several.unwrap_or_else(PoisonError::into_inner);
        match has_others {
            true => several.insert(path.clone()),
            false if several.is_empty() => false,
            false => several.remove(path),
        };
    }

    /// Returns the files that had several hard links when they were last read.
    pub fn files_of_several_names(&self) -> BTreeSet<SitePath> {
        let several = self.several_names.lock();
        several.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Frees the buffers that large texts are read into. Call it while idle.
    pub fn give_up_buffers(&self) {
        self.lock_buffers().clear();
    }

    fn lock_buffers(&self) -> MutexGuard<'_, Buffers> {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// State of `path` if its metadata is unchanged, without reading it. `plain` caches which
    /// folders are no links.
    fn cached_state(
        &self,
        path: &SitePath,
        root: &Path,
        plain: &mut HashMap<String, bool>,
    ) -> Option<FileState> {
        let stats = self.stats.as_ref()?;
        let absolute = root.join(path.as_str());
        let metadata = fs::symlink_metadata(&absolute).ok()?;
        if metadata.is_file() {
            self.note_names(path, &metadata);
        }
        let fact = metadata
            .is_file()
            .then(|| stats.fact(path, &Stat::of(&metadata)))??;
        let folder = path.folder();
        let is_plain = match plain.get(folder) {
            Some(is_plain) => *is_plain,
            None => {
                let absolute = root.join(folder);
                let is_itself = absolute.canonicalize().is_ok_and(|real| real == absolute);
                let is_plain = is_itself && !self.is_output(path);
                plain.insert(folder.to_owned(), is_plain);
                is_plain
            }
        };
        if !is_plain || self.is_ignored(path, false) {
            return None;
        }
        match fact {
            // It may be cut, and for that it is read.
            Fact::Text(digest, subject) if is_whole(path) => {
                let mut file = self.open_file(path).ok().flatten()?;
                let bytes = read_text(&mut file, metadata.len() as usize, Vec::new()).ok()?;
                // Not written while it was read.
                let is_quiet = Stat::of(&file.metadata().ok()?) == Stat::of(&metadata);
                is_quiet.then_some(FileState::Seen(SourceContent {
                    digest,
                    subject,
                    bytes: Some(bytes.into()),
                }))
            }
            Fact::Text(digest, subject) => Some(FileState::Seen(SourceContent {
                digest,
                subject,
                bytes: None,
            })),
            Fact::Opaque(digest, size) => Some(FileState::Opaque(digest, size)),
        }
    }

    /// States of `paths`, in their order, read by several threads.
    pub fn look_all(&self, paths: &[SitePath]) -> Vec<FileState> {
        self.look_at_all(paths, false)
    }

    /// Looks at files that were seen before: of large specifications it need not be told more than what they hold.
    pub fn look_again(&self, paths: &[SitePath]) -> Vec<FileState> {
        self.look_at_all(paths, true)
    }

    fn look_at_all(&self, paths: &[SitePath], follows: bool) -> Vec<FileState> {
        let root = self.root();
        let look = |paths: &[SitePath]| {
            let mut plain = HashMap::new();
            let states = paths.iter().map(|path| {
                let known = self.cached_state(path, &root, &mut plain);
                known.unwrap_or_else(|| self.look_at(path, follows))
            });
            states.collect::<Vec<_>>()
        };
        // An edit is one file, and a thread takes longer to start than that takes to read.
        if paths.len() <= PARALLEL_THRESHOLD {
            let looked = panic::catch_unwind(AssertUnwindSafe(|| look(paths)));
            return looked.unwrap_or_default();
        }
        let chunk = paths.len().div_ceil(machine::cores());
        std::thread::scope(|scope| {
            let workers = paths.chunks(chunk).map(|paths| scope.spawn(|| look(paths)));
            let workers: Vec<_> = workers.collect();
            workers
                .into_iter()
                .flat_map(|worker| worker.join().unwrap_or_default())
                .collect()
        })
    }
}

/// Content of `file`, of which `length` bytes are expected, in `buffer`; its previous content is
/// overwritten.
fn read_text(file: &mut impl Read, length: usize, mut buffer: Vec<u8>) -> io::Result<Vec<u8>> {
    buffer.clear();
    // One byte more, so that the end is met without a longer buffer.
    buffer.reserve(length + 1);
    // Somebody may be writing to it.
    file.take(MAX_TEXT.max(length as u64))
        .read_to_end(&mut buffer)?;
    Ok(buffer)
}

/// Returns true if the file at `path` is always read in full: it may be a specification, which is
/// sliced when it is read.
fn is_whole(path: &SitePath) -> bool {
    matches!(path.extension().as_str(), "json" | "yaml" | "yml")
}

/// Returns true if a build has written to `folder`: the output of a site is not part of it.
fn is_output(folder: &Path) -> bool {
    folder.join(BUILD_LIST).exists()
}

/// Digest of a file that is not read: its length, and when it was written.
pub fn opaque_digest(metadata: &fs::Metadata) -> ContentHash {
    let modified = metadata
        .modified()
        .ok()
        .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
        .map_or(0, |since| since.as_nanos());
    ContentHash::of_parts([
        &metadata.len().to_le_bytes()[..],
        &modified.to_le_bytes()[..],
    ])
}

/// Returns true if the core reads the content of the file at `path`.
pub fn is_text(path: &SitePath) -> bool {
    let is_settings = path.as_str() == SETTINGS;
    is_settings
        || matches!(
            path.extension().as_str(),
            "mdx" | "md" | "json" | "yaml" | "yml" | "jsx" | "tsx" | "js" | "ts" | "css"
        )
}

/// Returns true if this process writes its output to the file: `quire dev . > dev.log` in the
/// folder of a site. As a file of the site, each line about a change would be a change.
fn is_own_output(metadata: &fs::Metadata) -> bool {
    static OUTPUTS: LazyLock<Vec<(u64, u64)>> = LazyLock::new(|| {
        let (out, error) = (io::stdout(), io::stderr());
        let outputs = [out.as_fd(), error.as_fd()].map(|output| output.try_clone_to_owned());
        let files = outputs.into_iter().flatten().map(fs::File::from);
        let metadata = files.filter_map(|file| file.metadata().ok());
        let files = metadata.filter(fs::Metadata::is_file);
        files.map(|file| (file.dev(), file.ino())).collect()
    });
    OUTPUTS.contains(&(metadata.dev(), metadata.ino()))
}

/// The author's ignore rules. Without them it is unknown what may be published, so failing to read
/// them is an error.
fn rules(root: &Path, only: Option<&SitePath>) -> io::Result<Rules> {
    let text = rules_text(root).map_err(|error| {
        let why = format!("read {}: {error}", root.join(IGNORE_FILE).display());
        io::Error::new(error.kind(), why)
    })?;
    let rules = Rules::of(&String::from_utf8_lossy(&text));
    Ok(match only {
        Some(path) => rules.only(path.clone()),
        None => {
            let names = ["docs.json", "mint.json"].into_iter();
            let mut config = names.filter_map(|name| fs::read(root.join(name)).ok());
            rules.with_config(config.next().as_deref())
        }
    })
}

fn rules_text(root: &Path) -> io::Result<Vec<u8>> {
    let path = SitePath::of_url(IGNORE_FILE);
    let mut text = Vec::new();
    match optional(root_dir::open(root, &path, |_| true))? {
        None => {}
        Some(None) => return Err(io::Error::other("it is not a file of the site")),
        Some(Some(file)) => {
            file.take(MAX_TEXT).read_to_end(&mut text)?;
        }
    }
    Ok(text)
}

/// The path of the site as a whole, for what is wrong with its folder.
pub fn whole_site() -> SitePath {
    SitePath::of_url(".")
}

/// `None` where there is nothing. Every other error means that there may be something.
fn optional<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(error) if is_absence(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns true if `error` means that nothing exists at a path.
pub fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Change for the unreadable `path`, which is at `place`; `None` if nothing exists there.
fn unreadable(path: SitePath, place: &Path, error: &io::Error) -> Option<FileChange> {
    let state = FileState::Unreadable(why(place, error));
    (!is_absence(error)).then_some(FileChange { path, state })
}

/// Why what is at `place` cannot be read, and what to do.
pub fn why(place: &Path, error: &io::Error) -> Unreadable {
    let hint = match Errno::from_io_error(error) {
        Some(Errno::ACCESS | Errno::PERM) => {
            "let the user who runs quire read it and the folders above it"
        }
        Some(Errno::MFILE | Errno::NFILE) => {
            "too many files are open: allow more (`ulimit -n`, `LimitNOFILE=` of systemd) or fewer connections (`limits.connections`)"
        }
        Some(Errno::LOOP) => "the link leads back to itself: let it lead to a file, or remove it",
        Some(Errno::IO | Errno::STALE) => {
            "the disk or the network failed: the log of the system says more"
        }
        _ => "see to what the system says of it",
    };
    Unreadable {
        why: format!("{} cannot be read: {error}", place.display()).into(),
        hint: format!("{hint}; it is looked at again by itself").into(),
    }
}

#[cfg(test)]
mod tests;
