//! Snapshot of the index: occurrences of words, and properties of pages.

use std::sync::{Arc, OnceLock};

use tantivy::index::SegmentId;
use tantivy::postings::Postings as _;
use tantivy::schema::{IndexRecordOption, Value};
use tantivy::{
    DocAddress, DocId, DocSet, InvertedIndexReader, Searcher, SegmentReader, TERMINATED,
};
use tantivy::{TantivyDocument, TantivyError};

use crate::index::compounds::Endings;
use crate::index::entries::{
    self, Fields, KINDS, Part, PassageSizes, SEPARATOR, StoredEntry, StoredPassage,
};
use crate::index::pages::Pages;

/// The list of headings above a passage: behind those of [`Part::kind`].
pub const ABOVE: usize = KINDS;

/// A word in a part of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posting {
    /// The number of the entry within the snapshot.
    pub entry: u32,
    /// The number of its page.
    pub page: u32,
    /// Number of occurrences there.
    pub times: u32,
}

/// Occurrences of a word: a list for each kind of part, and [`ABOVE`]. Each is in the order of
/// entries.
#[derive(Clone, Debug, Default)]
pub struct Occurrences(pub [Vec<Posting>; KINDS + 1]);

impl Occurrences {
    /// Returns the number of postings in all parts.
    pub fn count(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }
}

/// Columns of a segment with the places of its entries.
#[derive(Debug)]
pub struct Places {
    pages: Vec<u32>,
    ordinals: Vec<u16>,
    sizes: Vec<PassageSizes>,
    /// The pages whose first entry is here and which it is, by number of page.
    first: Vec<(u32, DocId)>,
    /// Words by their endings, once they were asked for.
    endings: OnceLock<Endings>,
}

/// A part of the index that was written at once, or merged from such.
pub struct Segment {
    reader: SegmentReader,
    /// The dictionary of its words.
    pub words: Arc<InvertedIndexReader>,
    places: Arc<Places>,
    /// The number of its first entry.
    base: u32,
}

impl Segment {
    /// Words by their endings.
    ///
    /// # Errors
    ///
    /// Returns what could not be read of the dictionary.
    pub(super) fn endings(&self) -> std::io::Result<&Endings> {
        if let Some(endings) = self.places.endings.get() {
            return Ok(endings);
        }
        let endings = Endings::of(&self.words)?;
        Ok(self.places.endings.get_or_init(|| endings))
    }
}

/// The index at one moment.
pub struct Snapshot {
    searcher: Searcher,
    /// Segments; entries are numbered through them.
    pub segments: Vec<Segment>,
    /// Pages.
    pub pages: Pages,
    fields: Fields,
    entries: u32,
}

impl Snapshot {
    /// Creates a snapshot of what `searcher` finds and of the same `pages`. Columns that `before`
    /// read of segments that still exist are not read again.
    ///
    /// # Errors
    ///
    /// Returns what the store of words could not read.
    pub fn new(
        searcher: Searcher,
        pages: Pages,
        fields: Fields,
        before: Option<&Self>,
    ) -> Result<Self, TantivyError> {
        let mut segments = Vec::new();
        let mut base = 0;
        for reader in searcher.segment_readers() {
            let known = before.and_then(|before| before.places(reader.segment_id()));
            let places = match known {
                Some(places) => places,
                None => Arc::new(places(reader)?),
            };
            let words = reader.inverted_index(fields.words)?;
            segments.push(Segment {
                reader: reader.clone(),
                words,
                places,
                base,
            });
            base += reader.max_doc();
        }
        Ok(Self {
            searcher,
            segments,
            pages,
            fields,
            entries: base,
        })
    }

    fn places(&self, id: SegmentId) -> Option<Arc<Places>> {
        let same = self
            .segments
            .iter()
            .find(|segment| segment.reader.segment_id() == id)?;
        Some(Arc::clone(&same.places))
    }

    /// One more than the highest number of an entry.
    pub fn entries(&self) -> usize {
        self.entries as usize
    }

    /// Returns the number of deleted entries that still occupy space.
    pub fn deleted(&self) -> usize {
        self.segments
            .iter()
            .map(|segment| segment.reader.num_deleted_docs() as usize)
            .sum()
    }

    fn segment_of(&self, entry: u32) -> (usize, &Segment) {
        let i = self
            .segments
            .partition_point(|segment| segment.base <= entry)
            - 1;
        (i, &self.segments[i])
    }

    /// Returns the ordinal of an entry: the number of its passage on the page.
    pub fn ordinal(&self, entry: u32) -> u16 {
        let (_, segment) = self.segment_of(entry);
        segment.places.ordinals[(entry - segment.base) as usize]
    }

    /// The number of the page of an entry.
    pub fn page_of(&self, entry: u32) -> u32 {
        let (_, segment) = self.segment_of(entry);
        segment.places.pages[(entry - segment.base) as usize]
    }

    /// The entries of all segments that have the word with this key, without what was deleted.
    ///
    /// # Errors
    ///
    /// Returns what could not be read.
    pub fn find(&self, key: Vec<u8>) -> std::io::Result<Occurrences> {
        let mut from = key;
        let mut to = from.clone();
        from.push(SEPARATOR);
        to.push(SEPARATOR + 1);
        let mut found = Occurrences::default();
        for segment in &self.segments {
            let mut parts = segment
                .words
                .terms()
                .range()
                .ge(&from)
                .lt(&to)
                .into_stream()?;
            while parts.advance() {
                let Some(part) = parts.key().last().and_then(|&letter| Part::of(letter)) else {
                    continue;
                };
                let list = &mut found.0[if part == Part::Above {
                    ABOVE
                } else {
                    part.kind()
                }];
                let alive = segment.reader.alive_bitset();
                let mut postings = segment
                    .words
                    .read_postings_from_terminfo(parts.value(), IndexRecordOption::WithFreqs)?;
                list.reserve(parts.value().doc_freq as usize);
                let mut doc = postings.doc();
                while doc != TERMINATED {
                    if alive.is_none_or(|alive| alive.is_alive(doc)) {
                        let page = segment.places.pages[doc as usize];
                        list.push(Posting {
                            entry: segment.base + doc,
                            page,
                            times: postings.term_freq(),
                        });
                    }
                    doc = postings.advance();
                }
            }
        }
        Ok(found)
    }

    /// The sizes of the entries in `postings`, one after the other.
    pub fn sizes<'a>(&'a self, postings: &'a [Posting]) -> impl Iterator<Item = PassageSizes> {
        let mut segments = self.segments.iter();
        let mut segment = segments.next();
        postings.iter().map(move |posting| {
            while let Some(now) = segment {
                let place = posting.entry.wrapping_sub(now.base) as usize;
                if let Some(sizes) = now.places.sizes.get(place) {
                    return *sizes;
                }
                segment = segments.next();
            }
            PassageSizes::default()
        })
    }

    /// Returns the stored content of a passage, for display.
    pub fn shown_content(&self, page: u32, ordinal: u16) -> Option<StoredPassage> {
        let address = self.segments.iter().enumerate().find_map(|(i, segment)| {
            let first = &segment.places.first;
            let start = first.partition_point(|(number, _)| *number < page);
            let mut same = first[start..]
                .iter()
                .take_while(|(number, _)| *number == page);
            let (_, doc) = same.find(|(_, doc)| !segment.reader.is_deleted(*doc))?;
            // The entries of a page are written together, and merging keeps their order.
            Some(DocAddress::new(i as u32, doc + u32::from(ordinal)))
        })?;
        let document = self.searcher.doc::<TantivyDocument>(address).ok()?;
        Some(kept(&document, self.fields)?.shown)
    }
}

/// Returns the stored content of an entry.
pub fn kept(document: &TantivyDocument, fields: Fields) -> Option<StoredEntry> {
    let bytes = document.get_first(fields.kept)?.as_bytes()?;
    postcard::from_bytes(bytes).ok()
}

fn places(reader: &SegmentReader) -> Result<Places, TantivyError> {
    let (place, sizes) = (
        reader.fast_fields().u64("place")?,
        reader.fast_fields().u64("sizes")?,
    );
    let count = reader.max_doc();
    let mut places = Places {
        pages: Vec::new(),
        ordinals: Vec::new(),
        sizes: Vec::new(),
        first: Vec::new(),
        endings: OnceLock::new(),
    };
    for doc in 0..count {
        let (page, ordinal) = entries::unpacked_place(place.first(doc).unwrap_or_default());
        places.pages.push(page);
        places.ordinals.push(ordinal);
        places
            .sizes
            .push(PassageSizes::unpacked(sizes.first(doc).unwrap_or_default()));
        if ordinal == 0 {
            places.first.push((page, doc));
        }
    }
    places.first.sort_unstable();
    Ok(places)
}
