//! Storage of an index: in memory or in a folder, checked when it is opened, rebuilt when it
//! differs from what was committed.
//!
//! The folder is a scratch folder of storage: the library maps its files into memory and writes
//! them itself, so they are not blobs. It holds one store of words and no other files. The last
//! commit records its settings and a sum of everything stored; a store that does not match the sum,
//! or was made by another version or with other settings, is removed. Everything in an index comes
//! from the site, so only time is lost.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use tantivy::directory::RamDirectory;
use tantivy::indexer::{
    AddOperation, IndexWriterOptions, MergeCandidate, MergePolicy, SegmentWriter, UserOperation,
};
use tantivy::schema::Value;
use tantivy::store::Compressor;
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{
    Directory, IndexBuilder, IndexReader, IndexSettings, IndexWriter, ReloadPolicy, SegmentMeta,
    TantivyDocument,
};

use crate::index::directory::Unsynced;
use crate::index::entries::{self, Fields, Lines, PageRecord, StoredEntry, VECTORS};
use crate::index::pages::Pages;
use crate::index::snapshot::Snapshot;
use crate::index::vectors;
use quire_storage::Scratch;
use quire_storage::crash_point;

/// Version of the stored form of the same pages; changes with the splitting of words, the schema,
/// and this format.
const VERSION: u32 = 8;

/// Bytes of text compressed together: few, as an excerpt needs one passage.
const BLOCK: usize = 4096;
/// Number of decompressed blocks of text cached per segment.
const BLOCKS_AT_HAND: usize = 32;
/// Number of segments of about the same size that are merged into one.
const FACTOR: usize = 4;

/// Initial heap of the term dictionary, in bytes; it grows on demand.
const INITIAL_HEAP: usize = 1_000_000;

/// The store of words, and what reads it.
pub struct Store {
    /// The store itself.
    pub index: tantivy::Index,
    /// Its files as they are; the library shows them without their checksums.
    directory: Box<dyn Directory>,
    /// Reader; reloaded only on request.
    pub reader: IndexReader,
    /// The fields of its entries.
    pub fields: Fields,
}

/// Opened store, and the pages that it has.
pub struct OpenedIndex {
    /// The store.
    pub store: Store,
    /// Pages.
    pub snapshot: Snapshot,
}

/// Opens the store in `folder`, in memory if there is none. `made_by` names the settings.
///
/// # Errors
///
/// Returns why neither the store could be opened nor another be put in its place.
pub fn open(folder: Option<&Path>, made_by: &str) -> anyhow::Result<OpenedIndex> {
    let Some(folder) = folder else {
        let directory = RamDirectory::create();
        let index = builder().open_or_create(directory.clone())?;
        return read_index(index, Box::new(directory), None);
    };
    let scratch = Scratch::at(folder);
    scratch.create()?;
    if !is_empty(folder)? {
        // A damage that the checks do not know of may trip the reader of words; the folder is then as good as damaged.
        let found = std::panic::catch_unwind(|| open_existing(folder, made_by));
        match found.unwrap_or_else(|_| Err(anyhow::anyhow!("its reader failed"))) {
            Ok(opened) => return Ok(opened),
            Err(error) => {
                tracing::warn!(folder = %folder.display(), "rebuilding the search index: {error:#}");
            }
        }
        scratch.remove_files(|name| is_ours(&name.to_string_lossy()))?;
        crash_point::reach("search-removed");
    }
    let directory = Unsynced::open(folder)?;
    let index = builder().open_or_create(directory.clone())?;
    crash_point::reach("search-created");
    read_index(index, Box::new(directory), None)
}

/// Returns the text that a commit of `pages` stores about itself.
pub fn signature(made_by: &str, pages: &Pages) -> String {
    format!(
        "quire {VERSION} {made_by} pages={} seal={:032x}",
        pages.count(),
        pages.seal
    )
}

/// Returns true if `folder` holds files of a store, valid or not.
pub fn is_kept(folder: &Path) -> bool {
    folder.join("meta.json").exists()
}

fn is_empty(folder: &Path) -> std::io::Result<bool> {
    Ok(!std::fs::read_dir(folder)?
        .flatten()
        .any(|entry| is_ours(&entry.file_name().to_string_lossy())))
}

/// Returns true if a file of this name belongs to a store of words.
fn is_ours(name: &str) -> bool {
    let (stem, _) = name.split_once('.').unwrap_or((name, ""));
    let is_segment = stem.len() == 32 && stem.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_segment
        || name == "meta.json"
        || name == ".managed.json"
        || name.starts_with(".tantivy-")
        || name.starts_with(".tmp")
}

fn builder() -> IndexBuilder {
    let settings = IndexSettings {
        docstore_compression: Compressor::Lz4,
        docstore_blocksize: BLOCK,
        docstore_compress_dedicated_thread: false,
        ..IndexSettings::default()
    };
    IndexBuilder::new()
        .schema(entries::schema().0)
        .settings(settings)
}

fn open_existing(folder: &Path, made_by: &str) -> anyhow::Result<OpenedIndex> {
    let directory = Unsynced::open(folder)?;
    let index = tantivy::Index::open(directory.clone())?;
    let metas = index.load_metas()?;
    anyhow::ensure!(
        index.schema() == entries::schema().0,
        "its fields are others"
    );
    let files: BTreeSet<PathBuf> = metas.list_segment_files().into_iter().collect();
    for file in files {
        if folder.join(&file).exists() {
            anyhow::ensure!(
                index.directory().validate_checksum(&file)?,
                "{} is damaged",
                file.display()
            );
        }
    }
    let payload = metas.payload.unwrap_or_default();
    if payload.is_empty() {
        anyhow::ensure!(metas.segments.is_empty(), "it does not say what made it");
        return read_index(index, Box::new(directory), None);
    }
    read_index(index, Box::new(directory), Some((&payload, made_by)))
}

/// Part of an entry kept until all entries of its page were read: everything but its text.
struct PartialEntry {
    ordinal: u16,
    seal: u128,
    page: Option<PageRecord>,
    /// Packed.
    vectors: Option<Box<[u8]>>,
}

/// Reads all pages of `index`; they must match its last commit, if that is known.
fn read_index(
    index: tantivy::Index,
    directory: Box<dyn Directory>,
    commit: Option<(&str, &str)>,
) -> anyhow::Result<OpenedIndex> {
    index
        .tokenizers()
        .register(entries::LINES, TextAnalyzer::from(Lines::default()));
    let (_, fields) = entries::schema();
    let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual);
    let reader: IndexReader = reader
        .doc_store_cache_num_blocks(BLOCKS_AT_HAND)
        .try_into()?;
    let searcher = reader.searcher();
    let mut entries_of: BTreeMap<u32, Vec<PartialEntry>> = BTreeMap::new();
    for segment in searcher.segment_readers() {
        let place = segment.fast_fields().u64("place")?;
        let store = segment.get_store_reader(1)?;
        let mut count = 0;
        // Documents come in order, without those that were deleted.
        let mut alive = segment.doc_ids_alive();
        for document in store.iter::<TantivyDocument>(segment.alive_bitset()) {
            let (document, doc) = (document?, alive.next());
            let (page, ordinal) = doc
                .and_then(|doc| place.first(doc))
                .map(entries::unpacked_place)
                .unwrap_or_default();
            let bytes = document
                .get_first(fields.kept)
                .and_then(|value| value.as_bytes());
            let bytes = bytes.ok_or_else(|| anyhow::anyhow!("an entry is empty"))?;
            let (page_of, vectors) = match ordinal {
                VECTORS => (None, Some(bytes.into())),
                _ => (postcard::from_bytes::<StoredEntry>(bytes)?.page, None),
            };
            entries_of.entry(page).or_default().push(PartialEntry {
                ordinal,
                seal: entries::seal(bytes),
                page: page_of,
                vectors,
            });
            count += 1;
        }
        anyhow::ensure!(count == segment.num_docs(), "entries are missing");
    }
    let mut pages = Pages::default();
    for (number, mut entries) in entries_of {
        entries.sort_by_key(|read| read.ordinal);
        let seals = entries.iter().map(|read| read.seal);
        let seal = seals.fold(0_u128, u128::wrapping_add);
        let packed = entries.last_mut().and_then(|last| last.vectors.take());
        let vectors = packed.map(|packed| {
            let vectors = vectors::unpacked(&packed);
            vectors.ok_or_else(|| anyhow::anyhow!("vectors are incomplete"))
        });
        let vectors = vectors.transpose()?;
        let record = entries.into_iter().find_map(|read| read.page);
        let record = record.filter(|record| record.number == number);
        let record = record.ok_or_else(|| anyhow::anyhow!("a page is incomplete"))?;
        pages.insert(record, vectors.as_deref(), seal);
    }
    pages.find_free_numbers();
    if let Some((commit, made_by)) = commit {
        anyhow::ensure!(
            commit == signature(made_by, &pages),
            "it was made otherwise or changed since"
        );
    }
    let snapshot = Snapshot::new(searcher, pages, fields, None)?;
    Ok(OpenedIndex {
        store: Store {
            index,
            directory,
            reader,
            fields,
        },
        snapshot,
    })
}

impl Store {
    /// Copies the files of the last commit; `put` takes each with its name. There must be no writer.
    ///
    /// # Errors
    ///
    /// Returns what could not be read, or that of `put`.
    pub fn copy(
        &self,
        put: &mut dyn FnMut(&str, Vec<u8>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let directory = &self.directory;
        let files = self.index.load_metas()?.list_segment_files();
        for file in BTreeSet::from_iter(files) {
            // A segment without deletions has no file of them.
            if directory.exists(&file)? {
                let bytes = directory.open_read(&file)?.read_bytes()?;
                put(&file.to_string_lossy(), bytes.to_vec())?;
            }
        }
        put("meta.json", directory.atomic_read(Path::new("meta.json"))?)
    }

    /// Opens the only writer, with room for `memory` bytes of words until they are written.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be opened: another process writes, the disk is full.
    pub fn writer(&self, memory: usize) -> tantivy::Result<IndexWriter> {
        let options = IndexWriterOptions::builder()
            .num_worker_threads(1)
            .num_merge_threads(1)
            .memory_budget_per_thread(memory)
            .build();
        let writer = self.index.writer_with_options(options)?;
        writer.set_merge_policy(Box::new(ByOrderOfSize));
        Ok(writer)
    }

    /// Runs the operations of a few pages: what they add becomes a segment that is written here. The threads of a writer
    /// begin with a table for half a million words each time, and clearing that costs more than an edit does.
    ///
    /// # Errors
    ///
    /// Returns why they could not be written.
    pub fn write_few(
        &self,
        writer: &IndexWriter,
        operations: Vec<Vec<UserOperation>>,
    ) -> tantivy::Result<()> {
        let mut added = Vec::new();
        for operation in operations.into_iter().flatten() {
            match operation {
                UserOperation::Add(document) => added.push(document),
                UserOperation::Delete(term) => {
                    // What was added before is deleted, too, though it is not in a segment yet.
                    let number = term.value().as_u64();
                    added.retain(|document| {
                        let page = document.get_first(self.fields.page);
                        page.and_then(|page| page.as_u64()) != number
                    });
                    writer.delete_term(term);
                }
            }
        }
        if added.is_empty() {
            return Ok(());
        }
        let count = added.len() as u32;
        let segment = writer.new_segment();
        let mut writing = SegmentWriter::for_segment(INITIAL_HEAP, segment.clone())?;
        for (opstamp, document) in (0..).zip(added) {
            writing.add_document(AddOperation { opstamp, document })?;
        }
        writing.finalize()?;
        let segment = segment.with_max_doc(count).meta().clone();
        segment.untrack_temp_docstore();
        // Deletions requested a moment ago are part of it, too: none of its pages has a number that
        // is deleted with it (`Pages::settle`).
        writer.add_segment(segment)
    }
}

/// Merges segments when there are several of about the same size, and those of which half was deleted: so their number
/// grows with the logarithm of the size of the site, and an entry is copied as often.
#[derive(Debug)]
struct ByOrderOfSize;

impl MergePolicy for ByOrderOfSize {
    fn compute_merge_candidates(&self, segments: &[SegmentMeta]) -> Vec<MergeCandidate> {
        let mut by_order: BTreeMap<u32, Vec<&SegmentMeta>> = BTreeMap::new();
        let mut candidates = Vec::new();
        for segment in segments {
            if segment.num_deleted_docs() * 2 > segment.max_doc() {
                candidates.push(MergeCandidate(vec![segment.id()]));
            } else {
                by_order
                    .entry(segment.num_docs().max(1).ilog(FACTOR as u32))
                    .or_default()
                    .push(segment);
            }
        }
        for same in by_order.into_values().filter(|same| same.len() >= FACTOR) {
            candidates.push(MergeCandidate(
                same.iter().map(|segment| segment.id()).collect(),
            ));
        }
        candidates
    }
}
