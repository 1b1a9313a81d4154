//! Temporary sites.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A temporary folder with files.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    /// A folder with `files`, each a path and a text.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().expect("a temporary folder"));
        for (path, text) in files {
            folder.write(path, text);
        }
        folder
    }

    /// A copy of the folder at `source`.
    pub(crate) fn copy_of(source: &Path) -> Self {
        let folder = Self::new(&[]);
        copy(source, folder.path());
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.path().join(path)
    }

    /// Writes in place, as most programs do.
    #[track_caller]
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("it is below the folder")).expect("make folders");
        fs::write(path, text).expect("write");
    }

    /// Writes another file and renames it over this one, as many editors do.
    #[track_caller]
    pub(crate) fn write_by_rename(&self, path: &str, text: &str) {
        let temporary = format!("{path}.tmp~");
        self.write(&temporary, text);
        self.rename(&temporary, path);
    }

    #[track_caller]
    pub(crate) fn rename(&self, from: &str, to: &str) {
        fs::rename(self.at(from), self.at(to)).expect("rename");
    }

    #[track_caller]
    pub(crate) fn remove(&self, path: &str) {
        let path = self.at(path);
        if path.is_dir() && !path.is_symlink() {
            fs::remove_dir_all(path).expect("remove a folder");
        } else {
            fs::remove_file(path).expect("remove a file");
        }
    }

    pub(crate) fn read(&self, path: &str) -> String {
        let bytes = fs::read(self.at(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        String::from_utf8(bytes).unwrap_or_else(|_| panic!("{path}: it is no text"))
    }
}

/// The texts of the files of `folder` whose paths begin with `prefix`; at least one.
#[track_caller]
pub(crate) fn text_below(folder: &Folder, prefix: &str) -> String {
    let mut files = files_of(folder.path());
    files.retain(|path| path.starts_with(prefix));
    assert!(!files.is_empty(), "no file begins with {prefix}");
    files.iter().map(|path| folder.read(path)).collect()
}

/// Every file below `folder`, by its path there, in order.
pub(crate) fn files_of(folder: &Path) -> Vec<String> {
    fn walk(root: &Path, folder: &Path, files: &mut Vec<String>) {
        for entry in fs::read_dir(folder).expect("list") {
            let path = entry.expect("list").path();
            if path.is_dir() {
                walk(root, &path, files);
            } else {
                let path = path.strip_prefix(root).expect("it is below");
                files.push(path.to_str().expect("UTF-8").to_owned());
            }
        }
    }
    let mut files = Vec::new();
    walk(folder, folder, &mut files);
    files.sort();
    files
}

fn copy(from: &Path, to: &Path) {
    for file in files_of(from) {
        let target = to.join(&file);
        fs::create_dir_all(target.parent().expect("it is below")).expect("make folders");
        // The copy is written anew: its source may be read-only.
        let bytes = fs::read(from.join(file)).expect("read");
        fs::write(target, bytes).expect("write");
    }
}

/// Lets the files be as quiet as those of a real site: none was written within the last two seconds.
pub(crate) fn let_files_rest(folder: &Path) {
    // The times of a file cannot be set back as a whole (ctime), so the test waits for what a real site has long done.
    let newest = || {
        let mut newest = SystemTime::UNIX_EPOCH;
        let mut pending = vec![folder.to_owned()];
        while let Some(folder) = pending.pop() {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                let metadata = entry.metadata().unwrap();
                newest = newest.max(metadata.modified().unwrap());
                if metadata.is_dir() {
                    pending.push(entry.path());
                }
            }
        }
        newest
    };
    let rested = || newest() + Duration::from_millis(2_300);
    while let Ok(rest) = rested().duration_since(SystemTime::now()) {
        std::thread::sleep(rest);
    }
}
