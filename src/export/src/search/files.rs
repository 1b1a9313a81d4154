//! The files of the search of an export: packed on every core, named after what they hold.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use queries::base::content::ContentHash;
use queries::site::{ArtifactStore, PROGRAM};

use super::lists::Packer;
use super::segment::PackedPiece;
use super::{FOLDER, Write};
use quire_storage::machine;

/// Files as they are made.
pub(super) struct Files<'a> {
    write: &'a Write<'a>,
    /// The files that are written, by number.
    written_files: Vec<PackedPiece>,
    /// Files that are not written: what their names begin with, and what they hold before it is packed.
    pending: Vec<(&'static str, Vec<u8>)>,
    /// Store of packed pieces for the next build.
    store: Option<&'a dyn ArtifactStore>,
}

impl<'a> Files<'a> {
    /// Writer without files; `write` is called for each.
    pub(super) fn new(write: &'a Write<'a>, store: Option<&'a dyn ArtifactStore>) -> Self {
        Self {
            write,
            written_files: Vec::new(),
            pending: Vec::new(),
            store,
        }
    }

    /// Store of packed pieces.
    pub(super) fn store(&self) -> Option<&'a dyn ArtifactStore> {
        self.store
    }

    /// Writes a file that is not a piece.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) {
        (self.write)(format!("{FOLDER}/{name}"), bytes);
    }

    /// Adds a file; returns its number.
    pub(super) fn add(&mut self, stem: &'static str, bytes: Vec<u8>) -> usize {
        self.pending.push((stem, bytes));
        self.written_files.len() + self.pending.len() - 1
    }

    /// Packs and writes what was added, on every core.
    pub(super) fn flush(&mut self) -> anyhow::Result<()> {
        let pending = std::mem::take(&mut self.pending);
        let next = AtomicUsize::new(0);
        let (write, kept) = (self.write, self.store);
        let work = || -> anyhow::Result<Vec<(usize, PackedPiece)>> {
            let (mut packer, mut done) = (None, Vec::new());
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some((stem, bytes)) = pending.get(i) else {
                    return Ok(done);
                };
                let known = kept.map(|kept| (kept, key(bytes)));
                let packed = match known.and_then(|(kept, key)| kept.get(key)) {
                    Some(packed) => packed,
                    None => {
                        let packed = packer.get_or_insert_with(Packer::new).packed(bytes)?;
                        if let Some((kept, key)) = known {
                            kept.put(key, packed.clone(), None);
                        }
                        Arc::from(packed)
                    }
                };
                let name = format!("{stem}-{}.bin", ContentHash::of(&packed).short());
                write(format!("{FOLDER}/{name}"), &packed);
                let key = known.map(|(_, key)| key);
                done.push((i, PackedPiece { key, name }));
            }
        };
        let mut done = std::thread::scope(|scope| {
            let others = (1..machine::cores().min(pending.len())).map(|_| scope.spawn(work));
            let others: Vec<_> = others.collect();
            let mut done = work()?;
            for other in others {
                let Ok(other) = other.join() else { continue };
                done.extend(other?);
            }
            anyhow::Ok(done)
        })?;
        done.sort_unstable_by_key(|(i, _)| *i);
        self.written_files
            .extend(done.into_iter().map(|(_, packed)| packed));
        Ok(())
    }

    /// The file with this number.
    pub(super) fn packed(&self, number: usize) -> PackedPiece {
        self.written_files.get(number).cloned().unwrap_or_default()
    }

    /// The name of the file with this number.
    pub(super) fn name(&self, number: usize) -> String {
        self.packed(number).name
    }

    /// `pieces` with the names of their files.
    pub(super) fn with_names<T: Clone>(&self, pieces: &[(T, usize)]) -> Vec<(T, String)> {
        let pieces = pieces.iter();
        pieces
            .map(|(key, number)| (key.clone(), self.name(*number)))
            .collect()
    }
}

/// The key of a packed piece: the same program packs the same bytes alike.
fn key(bytes: &[u8]) -> ContentHash {
    ContentHash::of_parts([b"search piece", PROGRAM.as_bytes(), bytes])
}
