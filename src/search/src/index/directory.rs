//! The folder of a store of words, written without waiting for the disk.
//!
//! What a computer that loses its power had not written yet may be missing, half or empty
//! afterwards. The index is made of the site and can be rebuilt, and whatever is opened is added up
//! first (`persistence.rs`); so no edit waits for a disk. A process that ends, however it ends,
//! loses nothing.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tantivy::directory::error::{
    DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError,
};
use tantivy::directory::{
    AntiCallToken, DirectoryLock, FileHandle, Lock, MmapDirectory, OwnedBytes, TerminatingWrite,
    WatchCallback, WatchHandle, WritePtr,
};
use tantivy::{Directory, HasLen};

/// Number of removed files after which their mappings are dropped.
const REMOVED: usize = 256;

/// Extension of the files that store texts.
const TEXTS: &str = "store";

/// Maximum number of bytes of texts read at once; longer ranges are mapped until they are dropped.
/// Summing up a file reads as many at a time, copying asks for all of it.
const READ: usize = 1 << 20;

/// A folder of the index whose files are memory-mapped. Stored texts are read instead: they are
/// most of the index, a search needs a few kilobytes of them, and mapped pages count as memory of
/// the process.
#[derive(Clone, Debug)]
pub(super) struct Unsynced {
    folder: PathBuf,
    mapped: MmapDirectory,
    /// Number of files removed since mappings were dropped.
    removed: Arc<AtomicUsize>,
}

impl Unsynced {
    /// Opens `folder`.
    ///
    /// # Errors
    ///
    /// Returns why it is none.
    pub(super) fn open(folder: &Path) -> Result<Self, OpenDirectoryError> {
        Ok(Self {
            folder: folder.to_owned(),
            mapped: MmapDirectory::open(folder)?,
            removed: Arc::default(),
        })
    }

    /// Drops unused mappings and returns the number of files that are still mapped. The library
    /// keeps the path of each file that was ever mapped, and what its mapping was, until it is
    /// asked for its figures; and each edit writes files of its own.
    fn forget_unused(&self) -> usize {
        self.removed.store(0, Ordering::Relaxed);
        self.mapped.get_cache_info().mmapped.len()
    }
}

/// A file of texts.
#[derive(Debug)]
struct Texts {
    file: File,
    length: usize,
    path: PathBuf,
    mapped: MmapDirectory,
}

impl HasLen for Texts {
    fn len(&self) -> usize {
        self.length
    }
}

impl FileHandle for Texts {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        if range.start > range.end || range.end > self.length {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        // A file that was removed in the meantime is still read.
        if range.len() > READ
            && let Ok(all) = self.mapped.get_file_handle(&self.path)
        {
            return all.read_bytes(range);
        }
        let mut bytes = vec![0; range.len()];
        self.file.read_exact_at(&mut bytes, range.start as u64)?;
        Ok(OwnedBytes::new(bytes))
    }
}

/// A file that is written.
struct UnsyncedFile(File);

impl Write for UnsyncedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl TerminatingWrite for UnsyncedFile {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.0.flush()
    }
}

impl Directory for Unsynced {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        if path.extension().is_none_or(|ending| ending != TEXTS) {
            return self.mapped.get_file_handle(path);
        }
        let failed = |error: io::Error| match error.kind() {
            ErrorKind::NotFound => OpenReadError::FileDoesNotExist(path.to_owned()),
            _ => OpenReadError::wrap_io_error(error, path.to_owned()),
        };
        let file = File::open(self.folder.join(path)).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len() as usize;
        Ok(Arc::new(Texts {
            file,
            length,
            path: path.to_owned(),
            mapped: self.mapped.clone(),
        }))
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.mapped.delete(path)?;
        if self.removed.fetch_add(1, Ordering::Relaxed) >= REMOVED {
            self.forget_unused();
        }
        Ok(())
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.mapped.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true);
        let file = file.open(self.folder.join(path)).map_err(|error| {
            let path = path.to_owned();
            match error.kind() {
                ErrorKind::AlreadyExists => OpenWriteError::FileAlreadyExists(path),
                _ => OpenWriteError::wrap_io_error(error, path),
            }
        })?;
        Ok(BufWriter::new(Box::new(UnsyncedFile(file))))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.mapped.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        let mut temporary = tempfile::Builder::new().tempfile_in(&self.folder)?;
        temporary.write_all(data)?;
        temporary.into_temp_path().persist(self.folder.join(path))?;
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.mapped.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.mapped.watch(callback)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files of an edit are opened, read and removed again, and others stay.
    #[test]
    fn mappings_of_removed_files_are_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let files = Unsynced::open(folder.path()).unwrap();
        let write = |name: &str| {
            let mut file = files.open_write(Path::new(name)).unwrap();
            file.write_all(b"words").unwrap();
            file.terminate().unwrap();
            files.get_file_handle(Path::new(name)).unwrap()
        };
        let kept = write("kept");
        for n in 0..2 * REMOVED {
            let name = n.to_string();
            drop(write(&name));
            files.delete(Path::new(&name)).unwrap();
            assert!(files.removed.load(Ordering::Relaxed) <= REMOVED);
        }
        assert_eq!(files.forget_unused(), 1);
        assert_eq!(kept.len(), 5);
    }

    /// Texts are read a little at a time, copied as a whole, and both also after their file was removed.
    #[test]
    fn texts_are_mapped_only_when_all_of_them_are_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let files = Unsynced::open(folder.path()).unwrap();
        let path = Path::new("a.store");
        assert!(matches!(
            files.get_file_handle(path),
            Err(OpenReadError::FileDoesNotExist(_))
        ));
        let bytes: Vec<u8> = (0..=u8::MAX).cycle().take(READ + 300).collect();
        let mut file = files.open_write(path).unwrap();
        file.write_all(&bytes).unwrap();
        file.terminate().unwrap();
        let mapped = || files.mapped.get_cache_info().mmapped.len();
        let texts = files.get_file_handle(path).unwrap();
        assert_eq!(texts.len(), bytes.len());
        let read = |range: Range<usize>| texts.read_bytes(range).unwrap().to_vec();
        assert!(read(299..299).is_empty());
        assert_eq!(read(300..READ + 300), bytes[300..]);
        assert_eq!(mapped(), 0);
        let all = texts.read_bytes(0..bytes.len()).unwrap();
        assert_eq!(all.as_slice(), bytes);
        assert_eq!(mapped(), 1);
        drop(all);
        assert_eq!(mapped(), 0);
        assert!(texts.read_bytes(300..bytes.len() + 1).is_err());
        files.delete(path).unwrap();
        assert_eq!(read(0..5), bytes[..5]);
        assert_eq!(read(0..bytes.len()), bytes);
    }
}
