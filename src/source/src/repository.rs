//! Repositories: their refs, and the files of a commit, read without checking anything out.
//!
//! The `git` program does the reading. Names that come from outside are never taken for options, nothing asks for a
//! password, and no hook runs.

mod checkout;
mod history;
mod leftovers;
mod remote;

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use anyhow::{Context, bail};
use dashmap::DashMap;
use queries::base::content::ContentHash;
use queries::base::path::SitePath;
use queries::site::{ImageSize, RepositoryLinks, Subject};

use crate::ignored::{IGNORE_FILE, Rules};
use crate::images::image_size;
use crate::sources::{Content, FileState, SourceContent, is_text};
use quire_engine::host::FileChange;
use quire_storage::Scratch;
use quire_storage::crash_point;

pub use checkout::{Checkout, HeadStamp};
pub use history::dates_in;
pub use leftovers::clear_leftovers;
pub use remote::links_in;

/// Largest file of a commit that is read, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// Largest file that is sent from memory, in bytes.
const SMALL: u64 = 1 << 20;

/// Largest picture whose size is looked up, in bytes.
const MAX_PICTURE: u64 = 4 << 20;

/// A repository on this machine.
pub struct Repository {
    /// The `.git` folder, or the folder of a bare one.
    folder: PathBuf,
    /// Image dimensions by object: each is read once.
    pictures: DashMap<String, Option<ImageSize>>,
    /// Contents of texts by object and extension, for as long as they are in use: branches share
    /// most files.
    texts: DashMap<(String, String), Text>,
    /// Copies of large files that are being sent, by their object.
    copies: DashMap<String, Weak<File>>,
    /// Held by who makes one of them.
    copying: Mutex<()>,
}

/// A text in use.
struct Text {
    digest: ContentHash,
    subject: Option<Subject>,
    bytes: Weak<[u8]>,
}

/// A branch or tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ref {
    /// Short name, such as `main` or `feature/search`.
    pub name: String,
    /// The commit that it names.
    pub commit: String,
    /// When that was made, in seconds since 1970.
    pub time: u64,
    /// The first line of its message.
    pub subject: String,
}

impl Repository {
    /// The repository that holds `folder`, and where in it the folder is; `None` if there is none.
    pub fn containing(folder: &Path) -> anyhow::Result<Option<(Arc<Self>, String)>> {
        let output = git()
            .arg("-C")
            .arg(folder)
            .args(["rev-parse", "--absolute-git-dir", "--show-prefix"])
            .stderr(Stdio::null())
            .output()
            .context("start `git`: previews of branches need it")?;
        if !output.status.success() {
            return Ok(None);
        }
        let text = String::from_utf8(output.stdout).context("the path is not UTF-8")?;
        let mut lines = text.lines();
        let folder = lines.next().context("`git` names no repository")?;
        let prefix = lines.next().unwrap_or_default().trim_end_matches('/');
        Ok(Some((
            Arc::new(Self::at(Path::new(folder))),
            prefix.to_owned(),
        )))
    }

    /// The repository whose `.git` folder is `folder`.
    pub fn at(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            pictures: DashMap::new(),
            texts: DashMap::new(),
            copies: DashMap::new(),
            copying: Mutex::new(()),
        }
    }

    /// The copy of `url` in `folder`; it is made if it is not there.
    pub fn mirror(url: &str, folder: &Scratch) -> anyhow::Result<Self> {
        if !folder.path().join("HEAD").is_file() {
            let clone = |half: &Path| {
                let mut clone = git();
                clone
                    .args(["clone", "--quiet", "--mirror", "--", url])
                    .arg(half);
                run(&mut clone).map(drop)
            };
            folder.create_whole(clone, || crash_point::reach("repository-cloned"))?;
            crash_point::reach("repository-kept");
        }
        Ok(Self::at(folder.path()))
    }

    /// Brings the copy up to date with where it was made from.
    pub fn fetch(&self) -> anyhow::Result<()> {
        let mut fetch = self.git();
        fetch.args(["fetch", "--quiet", "--prune", "--no-auto-gc"]);
        run(&mut fetch)?;
        crash_point::reach("repository-fetched");
        Ok(())
    }

    fn git(&self) -> Command {
        let mut command = git();
        command.arg("--git-dir").arg(&self.folder);
        command
    }

    /// Branches and tags, the newest commit first. A branch of `origin` counts unless there is one here of that name.
    pub fn refs(&self) -> anyhow::Result<Vec<Ref>> {
        let mut list = self.git();
        let format = "%(refname)%00%(objectname)%00%(*objectname)%00%(committerdate:unix)%00%(contents:subject)%00";
        list.args(["for-each-ref", "--sort=-committerdate", "--format", format]);
        list.args(["refs/heads", "refs/tags", "refs/remotes/origin"]);
        let text = run(&mut list)?;
        let text = String::from_utf8_lossy(&text);
        let mut refs: Vec<(u8, Ref)> = Vec::new();
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\0').collect();
            let [full, object, peeled, time, subject, ..] = fields[..] else {
                continue;
            };
            let ranks = ["refs/heads/", "refs/remotes/origin/", "refs/tags/"];
            let Some((rank, name)) = (0..)
                .zip(ranks)
                .find_map(|(rank, prefix)| Some((rank, full.strip_prefix(prefix)?)))
            else {
                continue;
            };
            if name == "HEAD" {
                continue;
            }
            let commit = if peeled.is_empty() { object } else { peeled };
            refs.push((
                rank,
                Ref {
                    name: name.to_owned(),
                    commit: commit.to_owned(),
                    time: time.parse().unwrap_or(0),
                    subject: subject.to_owned(),
                },
            ));
        }
        let mut best: BTreeMap<&str, u8> = BTreeMap::new();
        for (rank, found) in &refs {
            let known = best.entry(&found.name).or_insert(*rank);
            *known = (*known).min(*rank);
        }
        let wanted: Vec<bool> = refs
            .iter()
            .map(|(rank, found)| best[found.name.as_str()] == *rank)
            .collect();
        let refs = refs.into_iter().zip(wanted).filter(|(_, wanted)| *wanted);
        Ok(refs.map(|((_, found), _)| found).collect())
    }

    /// Returns true if a branch or a tag holds `commit`. Commits of proposals from forks are on
    /// none.
    pub fn is_taken_up(&self, commit: &str) -> anyhow::Result<bool> {
        let mut list = self.git();
        list.args(["for-each-ref", "--count=1", "--contains", commit]);
        list.args(["refs/heads", "refs/tags", "refs/remotes/origin"]);
        Ok(!run(&mut list)?.is_empty())
    }

    /// The commit that `name` names: a branch, a tag, or a commit by at least seven digits of its name.
    pub fn resolve(&self, name: &str) -> anyhow::Result<Option<String>> {
        let is_commit = name.len() >= 7 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let mut candidates = vec![
            format!("refs/heads/{name}"),
            format!("refs/remotes/origin/{name}"),
            format!("refs/tags/{name}"),
        ];
        if is_commit {
            candidates.push(name.to_owned());
        }
        for candidate in candidates {
            let mut parse = self.git();
            parse.args(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
            parse.arg(format!("{candidate}^{{commit}}"));
            let output = parse
                .stderr(Stdio::null())
                .output()
                .context("start `git`")?;
            if output.status.success() {
                let commit = String::from_utf8_lossy(&output.stdout).trim().to_owned();
                return Ok(Some(commit));
            }
        }
        Ok(None)
    }

    /// The commit at which the branch that is checked out left `name`, which may be anything that Git
    /// understands; that of `name` itself where the history is not known so far.
    pub fn branch_point(&self, name: &str) -> anyhow::Result<String> {
        let mut base = self.git();
        base.args(["merge-base", "--end-of-options", "HEAD", name]);
        let mut parse = self.git();
        parse.args(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
        parse.arg(format!("{name}^{{commit}}"));
        let found = run(&mut base).or_else(|_| run(&mut parse));
        let found = found.with_context(|| format!("`{name}` names no commit of the repository"))?;
        Ok(String::from_utf8_lossy(&found).trim().to_owned())
    }

    /// Returns true if `later` is `earlier` or a descendant of it.
    fn is_ancestor(&self, earlier: &str, later: &str) -> bool {
        let mut ask = self.git();
        ask.args(["merge-base", "--is-ancestor", "--end-of-options"]);
        run(ask.args([earlier, later])).is_ok()
    }

    /// The files of `commit` at and below `prefix`, by their paths below it.
    fn entries(&self, commit: &str, prefix: &str) -> anyhow::Result<BTreeMap<SitePath, Entry>> {
        let mut list = self.git();
        list.args([
            "ls-tree",
            "-r",
            "-z",
            "--full-tree",
            "--end-of-options",
            commit,
        ]);
        if !prefix.is_empty() {
            list.args(["--", prefix]);
        }
        let bytes = run(&mut list)?;
        let mut entries = BTreeMap::new();
        for record in bytes
            .split(|byte| *byte == 0)
            .filter(|record| !record.is_empty())
        {
            // A name that is not UTF-8 cannot be an address.
            let Ok(record) = std::str::from_utf8(record) else {
                continue;
            };
            let Some((head, path)) = record.split_once('\t') else {
                continue;
            };
            let mut fields = head.split_whitespace();
            let (Some(mode), Some(kind), Some(object)) =
                (fields.next(), fields.next(), fields.next())
            else {
                continue;
            };
            // Links could lead anywhere, and modules of other repositories are not here.
            if kind != "blob" || !mode.starts_with("100") {
                continue;
            }
            let below = match prefix {
                "" => Some(path),
                _ => path
                    .strip_prefix(prefix)
                    .and_then(|rest| rest.strip_prefix('/')),
            };
            if let Some(path) = below.and_then(SitePath::new) {
                let object = object.to_owned();
                entries.insert(path, Entry { object });
            }
        }
        Ok(entries)
    }

    /// Lengths of `objects`, in their order; 0 for a missing one.
    fn sizes(&self, objects: &[&str]) -> anyhow::Result<Vec<u64>> {
        if objects.is_empty() {
            return Ok(Vec::new());
        }
        let mut check = self.git();
        check.args(["cat-file", "--batch-check=%(objectsize)"]);
        check
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = check.spawn().context("start `git`")?;
        let mut stdin = child.stdin.take().context("`git` takes no questions")?;
        let questions: String = objects.iter().map(|object| format!("{object}\n")).collect();
        let asking = std::thread::spawn(move || stdin.write_all(questions.as_bytes()));
        let output = child.wait_with_output()?;
        // It ends by itself when nothing more is asked.
        let _ = asking.join();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut sizes: Vec<u64> = text.lines().map(|size| size.parse().unwrap_or(0)).collect();
        sizes.resize(objects.len(), 0);
        Ok(sizes)
    }

    /// The contents of `objects`, in their order.
    fn contents(&self, objects: &[&str]) -> anyhow::Result<Vec<Vec<u8>>> {
        if objects.is_empty() {
            return Ok(Vec::new());
        }
        let mut cat = self.git();
        cat.args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = cat.stderr(Stdio::null()).spawn().context("start `git`")?;
        let mut stdin = child.stdin.take().context("`git` takes no questions")?;
        let stdout = child.stdout.take().context("`git` gives no answers")?;
        let questions: String = objects.iter().map(|object| format!("{object}\n")).collect();
        // Both pipes fill up: one thread asks while this one listens.
        let asking = std::thread::spawn(move || stdin.write_all(questions.as_bytes()));
        let mut answers = std::io::BufReader::with_capacity(1 << 16, stdout);
        let mut contents = Vec::with_capacity(objects.len());
        for object in objects {
            let head = line(&mut answers)?;
            let size = head
                .rsplit(' ')
                .next()
                .and_then(|size| size.parse::<u64>().ok());
            let Some(size) = size.filter(|_| head.contains(" blob ")) else {
                bail!("the repository has no object {object}");
            };
            let mut bytes = Vec::with_capacity(size.min(MAX_FILE) as usize);
            (&mut answers).take(size).read_to_end(&mut bytes)?;
            line(&mut answers)?;
            contents.push(bytes);
        }
        // It ends by itself when nothing more is asked.
        let _ = asking.join();
        child.wait()?;
        Ok(contents)
    }
}

impl Repository {
    /// Content of `object`: small ones are read; large ones are copied to an unnamed file that all
    /// readers share.
    fn content(&self, object: &str) -> io::Result<Content> {
        if let Some(file) = self.copy_of(object) {
            return Ok(Content::Open(file));
        }
        let mut cat = self.git();
        cat.args(["cat-file", "blob", object]);
        cat.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = cat.spawn()?;
        let stdout = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let read = self.take_content(object, stdout);
        // It has ended, or nobody reads what it writes.
        let status = child.wait()?;
        match &read {
            Ok((_, true)) if !status.success() => {
                Err(io::Error::other("`git` does not give the object"))
            }
            _ => read.map(|(content, _)| content),
        }
    }

    /// Content of `object` from `stdout`, and whether it was read to the end.
    fn take_content(&self, object: &str, mut stdout: ChildStdout) -> io::Result<(Content, bool)> {
        let mut start = Vec::new();
        (&mut stdout).take(SMALL + 1).read_to_end(&mut start)?;
        if start.len() as u64 <= SMALL {
            return Ok((Content::Read(start.into()), true));
        }
        // One after the other: whoever comes second finds the copy of the first.
        let _turn = (self.copying.lock()).unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = self.copy_of(object) {
            return Ok((Content::Open(file), false));
        }
        let mut file = tempfile::tempfile()?;
        file.write_all(&start)?;
        io::copy(&mut stdout, &mut file)?;
        let file = Arc::new(file);
        self.copies.retain(|_, copy| copy.strong_count() > 0);
        self.copies.insert(object.to_owned(), Arc::downgrade(&file));
        Ok((Content::Open(file), true))
    }

    fn copy_of(&self, object: &str) -> Option<Arc<File>> {
        self.copies.get(object)?.upgrade()
    }
}

fn line(from: &mut impl Read) -> anyhow::Result<String> {
    let mut line = Vec::new();
    let mut byte = [0];
    loop {
        from.read_exact(&mut byte)
            .context("`git` ended before it had answered")?;
        if byte[0] == b'\n' {
            return Ok(String::from_utf8_lossy(&line).into_owned());
        }
        line.push(byte[0]);
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    object: String,
}

impl Repository {
    /// Content of the text of `entry` at `path`, if it is in use.
    fn loaded_content(&self, path: &SitePath, entry: &Entry) -> Option<SourceContent> {
        let text = self.texts.get(&(entry.object.clone(), path.extension()))?;
        Some(SourceContent {
            digest: text.digest,
            subject: text.subject.clone(),
            bytes: Some(text.bytes.upgrade()?.into()),
        })
    }

    /// Bytes of the text of `entry` at `path`; `None` if it is not used.
    fn length(&self, path: &SitePath, entry: &Entry) -> u64 {
        let text = self.texts.get(&(entry.object.clone(), path.extension()));
        let bytes = text.and_then(|text| text.bytes.upgrade());
        bytes.map_or(0, |bytes| bytes.len() as u64)
    }

    /// Takes note of what the text of `entry` at `path` holds.
    fn see(&self, path: &SitePath, entry: &Entry, bytes: Vec<u8>) -> SourceContent {
        let bytes: Arc<[u8]> = Arc::from(bytes);
        let seen = SourceContent::of(path, bytes.clone().into());
        let text = Text {
            digest: seen.digest,
            subject: seen.subject.clone(),
            bytes: Arc::downgrade(&bytes),
        };
        self.texts
            .insert((entry.object.clone(), path.extension()), text);
        seen
    }

    /// Drops texts that are not used any more.
    fn forget(&self) {
        self.texts.retain(|_, text| text.bytes.strong_count() > 0);
    }
}

/// The files of one commit of a repository, at and below a folder. The commit may be another one later: then what differs
/// is read.
pub struct Tree {
    repository: Arc<Repository>,
    prefix: String,
    /// Ref that it follows: a branch, a tag or a commit.
    pub name: String,
    /// The commit that is read first, if it is there.
    first: Option<String>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    commit: String,
    files: BTreeMap<SitePath, Entry>,
}

/// A commit that was read.
pub struct Reading {
    /// Differences from the commit that was adopted last.
    pub changes: Vec<FileChange>,
    state: State,
}

impl Reading {
    /// Returns true if the commit has a file at `path`.
    pub fn has(&self, path: &SitePath) -> bool {
        self.state.files.contains_key(path)
    }
}

impl Tree {
    /// The files below `prefix` of what `name` names.
    pub fn new(repository: Arc<Repository>, prefix: &str, name: &str) -> Self {
        Self {
            repository,
            prefix: prefix.to_owned(),
            name: name.to_owned(),
            first: None,
            state: Mutex::default(),
        }
    }

    /// Begins at `commit`: what the name names now is read the next time.
    #[must_use]
    pub fn with_initial_commit(mut self, commit: Option<String>) -> Self {
        self.first = commit;
        self
    }

    /// Address of its files on the web.
    pub fn links(&self) -> Option<RepositoryLinks> {
        self.repository.links(&self.prefix, Some(&self.name))
    }

    /// The repository.
    pub fn repository(&self) -> &Arc<Repository> {
        &self.repository
    }

    /// The folder in it.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The commit that was adopted last; empty before the first.
    pub fn commit(&self) -> String {
        self.lock().commit.clone()
    }

    /// Bytes of the texts that anybody uses of the commit that was adopted last.
    pub fn text_bytes(&self) -> u64 {
        let state = self.lock();
        let files = state.files.iter().filter(|(path, _)| is_text(path));
        let lengths = files.map(|(path, entry)| self.repository.length(path, entry));
        lengths.sum()
    }

    /// Returns true if `name` points at another commit than the one adopted last.
    pub fn has_moved(&self) -> bool {
        let now = self.repository.resolve(&self.name);
        now.is_ok_and(|now| now.is_some_and(|now| now != self.commit()))
    }

    /// Makes what was read that whose files these are.
    pub fn adopt(&self, reading: Reading) {
        *self.lock() = reading.state;
        self.repository.forget();
    }

    /// Reads what its name names now. It is what this tree holds when it is adopted.
    pub fn read(&self) -> anyhow::Result<Reading> {
        self.read_since(true)
    }

    /// Like [`Tree::read`], of every file rather than of those that differ from the commit that was
    /// adopted last, and without the commit to begin at.
    pub fn read_whole(&self) -> anyhow::Result<Reading> {
        self.read_since(false)
    }

    fn read_since(&self, adopted: bool) -> anyhow::Result<Reading> {
        let Some(mut commit) = self.repository.resolve(&self.name)? else {
            bail!(
                "`{}` is no branch, tag or commit of the repository",
                self.name
            );
        };
        // It may be of another branch, or have been rewritten away.
        if let Some(first) = &self.first
            && adopted
            && self.commit().is_empty()
            && self.repository.is_ancestor(first, &commit)
        {
            commit.clone_from(first);
        }
        let mut entries = self.repository.entries(&commit, &self.prefix)?;
        let has = |name: &str| SitePath::new(name).is_some_and(|path| entries.contains_key(&path));
        if !has("docs.json") && !has("mint.json") {
            bail!(
                "`{}` has neither docs.json nor mint.json in /{}",
                self.name,
                self.prefix
            );
        }
        let content = |name: &str| -> anyhow::Result<Option<Vec<u8>>> {
            let entry = SitePath::new(name).and_then(|path| entries.get(&path));
            let Some(entry) = entry else {
                return Ok(None);
            };
            Ok(Some(self.repository.contents(&[&entry.object])?.concat()))
        };
        let rules = content(IGNORE_FILE)?.unwrap_or_default();
        let config = match content("docs.json")? {
            Some(config) => Some(config),
            None => content("mint.json")?,
        };
        let rules = Rules::of(&String::from_utf8_lossy(&rules)).with_config(config.as_deref());
        entries.retain(|path, _| !rules.is_ignored(path, false));
        let none = BTreeMap::new();
        let state = self.lock();
        let known = match adopted {
            true => &state.files,
            false => &none,
        };
        let mut changes = Vec::new();
        let (mut texts, mut others) = (Vec::new(), Vec::new());
        for (path, entry) in &entries {
            if known.get(path) != Some(entry) {
                match is_text(path) {
                    true => texts.push((path, entry)),
                    false => others.push((path, entry)),
                }
            }
        }
        let mut unread = Vec::new();
        for (path, entry) in texts {
            match self.repository.loaded_content(path, entry) {
                Some(seen) => changes.push(FileChange {
                    path: path.clone(),
                    state: FileState::Seen(seen),
                }),
                None => unread.push((path, entry)),
            }
        }
        let unread = self.no_longer_than(MAX_FILE, unread)?;
        let objects: Vec<&str> = unread
            .iter()
            .map(|(_, entry)| entry.object.as_str())
            .collect();
        let contents = self.repository.contents(&objects)?;
        for ((path, entry), bytes) in unread.into_iter().zip(contents) {
            changes.push(FileChange {
                path: path.clone(),
                state: FileState::Seen(self.repository.see(path, entry, bytes)),
            });
        }
        self.see_pictures(&others)?;
        for (path, entry) in others {
            let size = self
                .repository
                .pictures
                .get(&entry.object)
                .and_then(|size| *size);
            let state = FileState::Opaque(ContentHash::of(entry.object.as_bytes()), size);
            changes.push(FileChange {
                path: path.clone(),
                state,
            });
        }
        let gone = known.keys().filter(|path| !entries.contains_key(*path));
        changes.extend(gone.map(|path| FileChange {
            path: path.clone(),
            state: FileState::Absent,
        }));
        drop(state);
        let state = State {
            commit,
            files: entries,
        };
        Ok(Reading { changes, state })
    }

    /// Returns the number of bytes of all files of the commit that was read.
    ///
    /// # Errors
    ///
    /// Fails if the repository cannot be asked.
    pub fn size_of(&self, reading: &Reading) -> anyhow::Result<u64> {
        let entries = reading.state.files.values();
        let objects: Vec<&str> = entries.map(|entry| &*entry.object).collect();
        Ok(self.repository.sizes(&objects)?.iter().sum())
    }

    /// Files that have at most `most` bytes.
    fn no_longer_than<'a>(
        &self,
        most: u64,
        files: Vec<(&'a SitePath, &'a Entry)>,
    ) -> anyhow::Result<Vec<(&'a SitePath, &'a Entry)>> {
        let objects: Vec<&str> = files
            .iter()
            .map(|(_, entry)| entry.object.as_str())
            .collect();
        let sizes = self.repository.sizes(&objects)?;
        let kept = files
            .into_iter()
            .zip(sizes)
            .filter(|(_, size)| *size <= most);
        Ok(kept.map(|(file, _)| file).collect())
    }

    /// Reads the sizes of the images among `files` that are not known yet.
    fn see_pictures(&self, files: &[(&SitePath, &Entry)]) -> anyhow::Result<()> {
        let pictures = &self.repository.pictures;
        let is_picture = |path: &SitePath| {
            let extension = path.extension();
            matches!(
                extension.as_str(),
                "png" | "apng" | "jpg" | "jpeg" | "gif" | "webp" | "avif" | "bmp" | "ico" | "svg"
            )
        };
        let unseen: Vec<_> = files
            .iter()
            .copied()
            .filter(|(path, entry)| is_picture(path) && !pictures.contains_key(&entry.object))
            .collect();
        let unseen = self.no_longer_than(MAX_PICTURE, unseen)?;
        // A few at a time: they need not be in memory all at once.
        for chunk in unseen.chunks(32) {
            let objects: Vec<&str> = chunk
                .iter()
                .map(|(_, entry)| entry.object.as_str())
                .collect();
            let contents = self.repository.contents(&objects)?;
            for ((path, entry), bytes) in chunk.iter().zip(contents) {
                let size = image_size(path, Cursor::new(bytes));
                pictures.insert(entry.object.clone(), size);
            }
        }
        Ok(())
    }

    /// Content of the file at `path`, to be sent; `None` if the commit has no such file.
    pub fn content(&self, path: &SitePath) -> io::Result<Option<Content>> {
        let object = self.lock().files.get(path).map(|file| file.object.clone());
        object
            .map(|object| self.repository.content(&object))
            .transpose()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.name, self.repository.folder.display())?;
        if !self.prefix.is_empty() {
            write!(f, ", {}", self.prefix)?;
        }
        Ok(())
    }
}

/// `git`, so that it never prompts and runs no other program.
fn git() -> Command {
    let mut command = Command::new("git");
    command
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("LC_ALL", "C")
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .args([
            "-c",
            "core.hooksPath=/dev/null",
            "-c",
            "core.fsmonitor=false",
        ])
        .stdin(Stdio::null());
    command
}

/// Runs `command` and returns what it prints; what it complains about is the error.
fn run(command: &mut Command) -> anyhow::Result<Vec<u8>> {
    let output = command.output().context("start `git`")?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        bail!("git: {}", complaint.trim());
    }
    Ok(output.stdout)
}
