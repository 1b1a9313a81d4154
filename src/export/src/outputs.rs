//! Manifest of an output folder: the state in which a build left each file, and the inputs it was
//! made from. The next build neither renders nor reads a file that is unchanged.
//!
//! Nothing here is believed without a look at the file: a row counts as long as the system says the same of the file.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use queries::base::content::ContentHash;
use queries::site::PROGRAM;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::SHELL;
use quire_storage::store::Store;
use quire_storage::store::stats::Stat;
use quire_storage::{Expected, Kind, Name, Record, Storage, wait};

const MAGIC: &[u8; 8] = b"quireout";

/// Output folders that are remembered; one more, and only the newest is.
const MAX_FOLDERS: usize = 16;

/// State in which a file was left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// Digest of what it holds.
    pub holds: ContentHash,
    stat: Stat,
    /// Whether `stat` alone says that it holds what it held. If not, it is read.
    is_certain: bool,
}

impl FileRecord {
    /// A file that this process has written and given its name, where nobody knew it before.
    pub fn after_write(file: &File, holds: ContentHash) -> Option<Self> {
        let stat = Stat::of(&file.metadata().ok()?);
        Some(Self {
            holds,
            is_certain: stat.is_of_a_fine_clock(),
            stat,
        })
    }

    /// A file that was found to hold it, after `stat` was taken.
    pub fn from_stat(stat: Stat, holds: ContentHash) -> Self {
        Self {
            holds,
            is_certain: stat.is_quiet(SystemTime::now()),
            stat,
        }
    }

    /// The file at `path`, if it is as it was left: by what the system says of it, else by what it holds.
    pub fn revalidate(&self, path: &Path) -> Option<Self> {
        let stat = Stat::of(
            &path
                .symlink_metadata()
                .ok()
                .filter(|known| known.is_file())?,
        );
        if self.is_certain && stat == self.stat {
            return Some(self.clone());
        }
        if stat.size() != self.stat.size() {
            return None;
        }
        let (stat, bytes) = read(path).ok()?;
        (ContentHash::of(&bytes) == self.holds).then(|| Self::from_stat(stat, self.holds))
    }
}

/// Content of the file at `path`, and its metadata from before it was read.
pub fn read(path: &Path) -> io::Result<(Stat, Vec<u8>)> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    io::Read::read_to_end(&mut file, &mut bytes)?;
    Ok((Stat::of(&metadata), bytes))
}

/// A page that a build has composed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageRecord {
    /// The name of all that it follows from.
    pub source: ContentHash,
    /// Number of bytes.
    pub bytes: u64,
    /// Paths of the files beside it: all that it leaves out, the script of its components.
    pub companions: Vec<String>,
    /// The addresses in both that lead on.
    pub moved: BTreeSet<String>,
    /// Digest of its search document; `None` if it is not searchable.
    pub found: Option<ContentHash>,
    /// Whether it shows a diagram.
    pub has_diagram: bool,
    /// Whether it names a picture that stands for it.
    pub has_card: bool,
    /// Whether it has no diagnostics, and this depends on `source` only.
    pub is_sound: bool,
}

/// Manifest entry of `llms-full.txt`: the text of all pages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FullTextRecord {
    /// Digest of the inputs that all pages share, which include the list of pages and its order.
    pub surroundings: ContentHash,
    /// Size of the text before the first page, in bytes.
    pub opening: usize,
    /// Size of each page in bytes; `None` for a page that is not in it.
    pub pages: Vec<Option<usize>>,
}

/// The separate pages with the rows of large components, which other pages link to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowPagesRecord {
    /// Digest of the inputs that all pages share.
    pub surroundings: ContentHash,
    /// Paths of their files.
    pub files: Vec<String>,
    /// Whether one of them shows a diagram.
    pub has_diagram: bool,
}

/// The files of one output folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outputs {
    /// Inputs of all files, and the report of the build.
    pub whole: Option<(ContentHash, Vec<u8>)>,
    /// Each file by its path below the folder.
    pub files: FxHashMap<String, FileRecord>,
    /// The pages, by the paths of their files.
    pub pages: FxHashMap<String, PageRecord>,
    /// Texts of pages for programs, by the paths of their files: the name of all that each follows from, and whether there is one.
    pub texts: FxHashMap<String, (ContentHash, bool)>,
    /// The text of all pages.
    pub full: Option<FullTextRecord>,
    /// Pages with rows that pages link to.
    pub rows: Option<RowPagesRecord>,
}

/// Record of the manifest of one output folder.
pub struct Memory {
    storage: Arc<dyn Storage>,
    name: Name,
}

impl Memory {
    /// Record of `folder` in `store`; `None` if nothing is kept there.
    pub fn of(store: &Store, folder: &Path) -> Option<Self> {
        Some(Self::new(store.storage()?, folder))
    }

    fn new(storage: Arc<dyn Storage>, folder: &Path) -> Self {
        let folder = ContentHash::of(folder.as_os_str().as_encoded_bytes());
        Self {
            storage,
            name: Name::of(Kind::Outputs, &folder.short()),
        }
    }

    /// Manifest of the last build by this program; empty if there is none.
    pub fn load(&self) -> Outputs {
        self.loaded().unwrap_or_default()
    }

    fn loaded(&self) -> Option<Outputs> {
        let Record { bytes, .. } = wait(self.storage.get(&self.name)).ok()??;
        let (bytes, hash) = bytes.split_at_checked(bytes.len().checked_sub(32)?)?;
        let body = bytes.strip_prefix(&header()[..])?;
        if ContentHash::of(bytes).as_bytes() != hash {
            let name = self.name.as_str();
            tracing::warn!("the build manifest {name} is corrupt; rewriting every file");
            return None;
        }
        postcard::from_bytes(body).ok()
    }

    /// Remembers `outputs` in place of those before.
    pub fn save(&self, outputs: &Outputs) {
        let mut bytes = header();
        // About what each takes: to grow by doubling copies all of it.
        bytes.reserve(128 * (outputs.files.len() + outputs.pages.len() + outputs.texts.len()));
        let Ok(mut bytes) = postcard::to_extend(outputs, bytes) else {
            return;
        };
        let hash = ContentHash::of(&bytes);
        bytes.extend_from_slice(hash.as_bytes());
        if let Err(error) = wait(self.storage.put(&self.name, &bytes, Expected::Any)) {
            tracing::debug!("what the build wrote is not remembered: {error}");
        }
        self.forget_others();
    }

    fn forget_others(&self) {
        let known = wait(self.storage.list(Kind::Outputs, "")).unwrap_or_default();
        if known.len() <= MAX_FOLDERS {
            return;
        }
        for other in known.iter().filter(|name| **name != self.name) {
            if let Ok(Some(record)) = wait(self.storage.get(other)) {
                let _ = wait(self.storage.delete(other, &record.version));
            }
        }
    }
}

fn header() -> Vec<u8> {
    [&MAGIC[..], PROGRAM.as_bytes(), SHELL.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quire_storage::memory::Memory as InMemory;

    fn left() -> FileRecord {
        let file = File::open("Cargo.toml").expect("a file");
        FileRecord::after_write(&file, ContentHash::of(b"")).expect("it is there")
    }

    #[test]
    fn what_another_program_left_is_not_known() {
        let storage: Arc<dyn Storage> = Arc::new(InMemory::default());
        let memory = Memory::new(storage.clone(), Path::new("/out"));
        let outputs = Outputs {
            whole: Some((ContentHash::of(b"site"), b"said".to_vec())),
            files: [("index.html".to_owned(), left())].into_iter().collect(),
            ..Outputs::default()
        };
        memory.save(&outputs);
        assert_eq!(memory.load(), outputs);
        // The same bytes with a correct digest, of a program with other sources.
        let mut bytes = wait(storage.get(&memory.name)).unwrap().unwrap().bytes;
        bytes.truncate(bytes.len() - 32);
        bytes[MAGIC.len() + PROGRAM.len()] ^= 1;
        let hash = ContentHash::of(&bytes);
        bytes.extend_from_slice(hash.as_bytes());
        wait(storage.put(&memory.name, &bytes, Expected::Any)).unwrap();
        assert_eq!(memory.load(), Outputs::default());
    }

    #[test]
    fn folders_that_nobody_builds_to_are_forgotten() {
        let storage: Arc<dyn Storage> = Arc::new(InMemory::default());
        for i in 0..40 {
            let memory = Memory::new(storage.clone(), Path::new(&format!("/out/{i}")));
            memory.save(&Outputs::default());
            let known = wait(storage.list(Kind::Outputs, "")).unwrap();
            assert!(known.contains(&memory.name) && known.len() <= MAX_FOLDERS);
        }
    }
}
