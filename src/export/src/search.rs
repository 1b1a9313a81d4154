//! The search of an export: files that the browser reads, so that no service is needed.
//!
//! `index.json` says what there is: the numbers of the order (`index/weights.rs`), the figures of each language, and files.
//! The vocabulary says which words there are, lists where they stand, sizes how long pages are; heads are what is shown of a
//! page at once, texts what excerpts are taken from. A question reads the vocabulary, the lists of its words, and the
//! pages it shows. Pieces are named after what they hold: an old table of contents never meets a new piece. The same site
//! gives the same bytes.

mod files;
mod lists;
mod part;
mod segment;
mod words;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use queries::site::{ArtifactStore, PageId};
use queries::theme::assets::asset_url;
use serde::Serialize;

use quire_search::index::lookup::{METHODS, REFERENCE_SIGNS, REFERENCE_WORDS};
use quire_search::index::stop_words::{asking, stop_words};
use quire_search::index::synonyms::NamedWord;
use quire_search::index::weights::Weights;

use files::Files;
use part::Brief;
pub use part::{Part, Parts};
use segment::TextPiece;
pub use segment::{Run, RunEntries, Segment, key, lengths};
use words::{GatheredWords, Language};

/// Folder of the search files, below the output folder.
pub const FOLDER: &str = "_search";

/// About how many bytes of texts stand in one piece: what is read for one result.
const TEXTS: usize = 12 * 1024;

/// About how many bytes of heads stand in one piece.
const HEADS: usize = 32 * 1024;

/// Inputs that all pages share.
pub struct Site<'a> {
    /// The labels above each page in the navigation, outermost first.
    pub breadcrumbs: &'a HashMap<PageId, Arc<[String]>>,
    /// Base path.
    pub base: &'a str,
    /// Groups of words that mean the same.
    pub synonyms: &'a [Vec<String>],
}

/// The table of contents.
#[derive(Serialize)]
struct Contents<'a> {
    /// Base path.
    base: &'a str,
    /// Number of pages.
    pages: usize,
    /// Number of versions of pages.
    versions: usize,
    /// Ranking weights.
    weights: Weights,
    /// Words that mark a lookup query.
    lookup: Lookup,
    /// Chinese, Japanese and Korean words of questions that only ask.
    asking: [String; 3],
    /// Properties that pages share: kind, place, version, language, boost.
    classes: Vec<Class>,
    /// The class of each page, by how many pages in a row have it.
    runs: Vec<(usize, usize)>,
    /// Words that mean the same.
    synonyms: &'a [Vec<String>],
    /// Each language, that of most pages first.
    languages: Vec<Words>,
    /// Number of pages per piece of sizes, and its file.
    sizes: Vec<(usize, String)>,
    /// Number of pages per piece of heads, and its file.
    heads: Vec<(usize, String)>,
    /// Number of pages per piece of texts, its file, and the file of the omitted rest.
    texts: Vec<(usize, String, Option<String>)>,
    /// Letters that are no others with accents, and what they are looked up as.
    letters: BTreeMap<char, String>,
    /// The file of operations, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    operations: Option<String>,
    /// The script with what few questions need.
    seldom: String,
}

/// Words that mark a lookup query (as opposed to a question).
#[derive(Serialize)]
struct Lookup {
    methods: &'static [&'static str],
    words: &'static [&'static str],
    signs: String,
}

/// The words of one language.
#[derive(Serialize)]
struct Words {
    code: String,
    /// Words of questions that say nothing.
    stop: String,
    /// Groups of names that mean the same in the field, of words by their lists, or their stems if they have none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    names: Vec<Vec<Vec<NamedWord>>>,
    totals: Figures,
    /// The first word of each piece of the vocabulary, and its file.
    words: Vec<(String, String)>,
    /// Number of lists per piece, and its file.
    lists: Vec<(usize, String)>,
}

/// Statistics of all pages of a language.
#[derive(Serialize)]
struct Figures {
    pages: u64,
    passages: u64,
    page_words: [u64; 6],
    passage_words: [u64; 6],
}

#[derive(Clone, PartialEq, Eq, Hash, Serialize)]
struct Class {
    kind: &'static str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    breadcrumb: Arc<[String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tab: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    boost: Option<i64>,
    /// Whether they are of another version than the site shows first.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    old: bool,
}

/// Called with the path of each file below the output folder and its bytes, by several threads.
pub type Write<'a> = dyn Fn(String, &[u8]) + Sync + 'a;

/// Joins what pages bring, in the order of their addresses, to the files by which they are found. What is whole is packed
/// and written on the way: no more is held than the lists of words, and a few bytes for each page.
pub struct Builder<'a> {
    site: Site<'a>,
    files: Files<'a>,
    /// Number of pages.
    pages: usize,
    words: GatheredWords,
    versions: BTreeSet<String>,
    classes: Vec<Class>,
    known_classes: HashMap<Class, usize>,
    /// The class of each page, by how many pages in a row have it.
    runs: Vec<(usize, usize)>,
    operations: Vec<(usize, String, String)>,
    /// Heads as JSON, and what they share with their copies: these are numbered when all are known.
    heads: Vec<(String, Option<u64>)>,
    sizes: Joining,
    size_pieces: Vec<(usize, usize)>,
    /// Number of pages per piece of texts, its file, and the file of the omitted rest.
    texts: Vec<(usize, String, Option<String>)>,
}

/// A piece as it grows, with how many values it has.
#[derive(Default)]
struct Joining {
    piece: Vec<u8>,
    count: usize,
}

impl Joining {
    /// Adds a value to a list of JSON.
    fn push_json(&mut self, value: &str) {
        self.piece.push(if self.count == 0 { b'[' } else { b',' });
        self.piece.extend_from_slice(value.as_bytes());
        self.count += 1;
    }

    fn take(&mut self) -> (usize, Vec<u8>) {
        (
            std::mem::take(&mut self.count),
            std::mem::take(&mut self.piece),
        )
    }

    fn take_json(&mut self) -> (usize, Vec<u8>) {
        self.piece.push(b']');
        self.take()
    }
}

impl<'a> Builder<'a> {
    /// A builder without pages, which calls `write` for each file. What is slow to make is kept in `store`.
    pub fn new(site: Site<'a>, write: &'a Write<'a>, store: Option<&'a dyn ArtifactStore>) -> Self {
        Self {
            site,
            files: Files::new(write, store),
            pages: 0,
            words: GatheredWords::default(),
            versions: BTreeSet::new(),
            classes: Vec::new(),
            known_classes: HashMap::new(),
            runs: Vec::new(),
            operations: Vec::new(),
            heads: Vec::new(),
            sizes: Joining::default(),
            size_pieces: Vec::new(),
            texts: Vec::new(),
        }
    }

    /// Adds runs of pages behind those before, and writes what is whole.
    ///
    /// # Errors
    ///
    /// Returns what could not be written as JSON, or not be packed.
    pub fn add(&mut self, runs: Vec<Run>) -> anyhow::Result<()> {
        let mut found = Vec::with_capacity(runs.len());
        for run in &runs {
            found.push(match &run.found {
                RunEntries::Kept(_) => Vec::new(),
                RunEntries::Parts(_, parts) => self.text_pieces(parts)?,
            });
        }
        self.files.flush()?;
        for (run, pieces) in runs.into_iter().zip(found) {
            let segment = match run.found {
                RunEntries::Kept(segment) => segment,
                RunEntries::Parts(key, parts) => {
                    let texts = pieces
                        .into_iter()
                        .map(|piece| piece.with_file_names(&self.files));
                    let segment = Segment::of(parts, texts.collect());
                    if let (Some(store), Some(key)) = (self.files.store(), key) {
                        segment.keep(store, key);
                    }
                    segment
                }
            };
            self.add_segment(&run.pages, segment);
        }
        self.files.flush()
    }

    /// Texts of `parts` in pieces, whose files are not written yet.
    fn text_pieces(&mut self, parts: &[(usize, Part)]) -> anyhow::Result<Vec<PendingTexts>> {
        let (mut pieces, mut texts, mut rest) = (Vec::new(), Joining::default(), Vec::new());
        for (i, (_, part)) in (1..).zip(parts) {
            texts.push_json(&part.texts);
            rest.push(&part.rest);
            if texts.piece.len() < TEXTS && i < parts.len() {
                continue;
            }
            let (pages, piece) = texts.take_json();
            let is_cut = rest.iter().any(|of_page| !of_page.is_empty());
            pieces.push(PendingTexts {
                pages,
                texts: self.files.add("texts", piece),
                rest: match is_cut {
                    true => Some(self.files.add("rest", serde_json::to_vec(&rest)?)),
                    false => None,
                },
            });
            rest.clear();
        }
        Ok(pieces)
    }

    fn add_segment(&mut self, pages: &[PageId], segment: Segment) {
        self.words.join(self.pages, &segment.languages);
        for (at, brief) in segment.pages {
            self.words.count(&brief);
            self.add_page(pages.get(at).copied(), brief);
        }
        let texts = segment.texts.into_iter();
        self.texts.extend(texts.map(|piece| {
            let rest = piece.rest.map(|rest| rest.name);
            (piece.pages, piece.texts.name, rest)
        }));
    }

    fn add_page(&mut self, page: Option<PageId>, part: Brief) {
        if let Some((method, path)) = part.operation {
            self.operations.push((self.pages, method, path));
        }
        self.pages += 1;
        words::push_sizes(&mut self.sizes.piece, &part.counted);
        self.sizes.count += 1;
        if self.sizes.piece.len() >= lists::SIZES {
            self.end_sizes();
        }
        self.heads.push((part.head, part.copy));
        if let Some(version) = &part.version
            && !self.versions.contains(version)
        {
            self.versions.insert(version.clone());
        }
        let places = self.site.breadcrumbs;
        let class = Class {
            kind: part.kind.name(),
            breadcrumb: page
                .and_then(|page| places.get(&page).cloned())
                .unwrap_or_default(),
            tab: part.tab,
            version: part.version,
            language: part.named_language,
            boost: part.boost,
            old: part.is_old,
        };
        let at = match self.known_classes.get(&class) {
            Some(at) => *at,
            None => {
                self.known_classes.insert(class.clone(), self.classes.len());
                self.classes.push(class);
                self.classes.len() - 1
            }
        };
        match self.runs.last_mut() {
            Some((class, count)) if *class == at => *count += 1,
            _ => self.runs.push((at, 1)),
        }
    }

    fn end_sizes(&mut self) {
        let (count, piece) = self.sizes.take();
        let file = self.files.add("sizes", piece);
        self.size_pieces.push((count, file));
    }

    /// Writes the files that cover all pages; `index.json`, which lists the others, last.
    ///
    /// # Errors
    ///
    /// As [`Builder::add`].
    pub fn finish(mut self) -> anyhow::Result<()> {
        if self.sizes.count > 0 {
            self.end_sizes();
        }
        let heads = self.head_pieces();
        let operations = match self.operations.is_empty() {
            true => None,
            false => Some((self.files).add("operations", serde_json::to_vec(&self.operations)?)),
        };
        let letters = self.words.letters();
        let languages = std::mem::take(&mut self.words).finished().into_iter();
        let languages: Vec<Pending> = languages
            .map(|language| Pending::new(language, &mut self.files))
            .collect();
        self.files.flush()?;
        let files = &self.files;
        let contents = Contents {
            base: self.site.base,
            pages: self.pages,
            versions: self.versions.len(),
            weights: Weights::default(),
            lookup: Lookup {
                methods: METHODS,
                words: REFERENCE_WORDS,
                signs: REFERENCE_SIGNS.iter().collect(),
            },
            asking: asking().map(|words| words.join(" ")),
            classes: self.classes,
            runs: self.runs,
            synonyms: self.site.synonyms,
            languages: (languages.into_iter())
                .map(|language| language.with_file_names(files))
                .collect(),
            sizes: files.with_names(&self.size_pieces),
            heads: files.with_names(&heads),
            texts: self.texts,
            letters,
            operations: operations.map(|file| files.name(file)),
            seldom: asset_url("seldom.js"),
        };
        let contents = serde_json::to_vec(&contents)?;
        files.write("index.json", &contents);
        Ok(())
    }

    /// Joins the heads (titles and other result data of pages) to files; returns the number of
    /// heads and the file number of each. Copies of a page get a common number, from
    /// 1.
    fn head_pieces(&mut self) -> Vec<(usize, usize)> {
        let mut copies: BTreeMap<u64, (usize, usize)> = BTreeMap::new();
        for copy in self.heads.iter().filter_map(|(_, copy)| *copy) {
            let next = copies.len() + 1;
            copies.entry(copy).or_insert((next, 0)).1 += 1;
        }
        let (mut pieces, mut heads) = (Vec::new(), Joining::default());
        let last = self.heads.len();
        for (i, (mut head, copy)) in (1..).zip(std::mem::take(&mut self.heads)) {
            let copy = copy.and_then(|copy| copies.get(&copy));
            if let Some((number, 2..)) = copy {
                // `copy` becomes the last member of the object.
                head.truncate(head.len() - 1);
                head.push_str(&format!(",\"copy\":{number}}}"));
            }
            heads.push_json(&head);
            if heads.piece.len() >= HEADS || i == last {
                let (count, piece) = heads.take_json();
                pieces.push((count, self.files.add("heads", piece)));
            }
        }
        pieces
    }
}

/// A piece of texts whose files are not written yet, by their numbers.
struct PendingTexts {
    pages: usize,
    texts: usize,
    rest: Option<usize>,
}

impl PendingTexts {
    fn with_file_names(self, files: &Files<'_>) -> TextPiece {
        TextPiece {
            pages: self.pages,
            texts: files.packed(self.texts),
            rest: self.rest.map(|rest| files.packed(rest)),
        }
    }
}

/// The words of a language whose files are not written yet.
struct Pending {
    words: Words,
    vocabulary: Vec<(String, usize)>,
    lists: Vec<(usize, usize)>,
}

impl Pending {
    fn new(language: Language, files: &mut Files<'_>) -> Self {
        let stop: BTreeSet<&str> = stop_words(&language.code).iter().copied().collect();
        let stop: Vec<&str> = stop.into_iter().collect();
        let totals = language.totals;
        let vocabulary = lists::vocabulary(&language.vocabulary).into_iter();
        let vocabulary = vocabulary.map(|(first, piece)| (first, files.add("words", piece)));
        let vocabulary = vocabulary.collect();
        let lists = lists::lists(language.lists).into_iter();
        let lists = lists.map(|(count, piece)| (count, files.add("lists", piece)));
        Self {
            lists: lists.collect(),
            vocabulary,
            words: Words {
                stop: stop.join(" "),
                names: language.names,
                totals: Figures {
                    pages: totals.pages,
                    passages: totals.passages,
                    page_words: totals.page_words,
                    passage_words: totals.passage_words,
                },
                words: Vec::new(),
                lists: Vec::new(),
                code: language.code,
            },
        }
    }

    fn with_file_names(self, files: &Files<'_>) -> Words {
        Words {
            words: files.with_names(&self.vocabulary),
            lists: files.with_names(&self.lists),
            ..self.words
        }
    }
}
