//! Layout of pages in the index: one entry for each passage, and one dictionary for all words.
//!
//! A word is stored as `en:word`, a separator and its part of the page, so words of different
//! languages are separate, one lookup finds a word in every part, and one automaton over one
//! dictionary finds mistyped words. The entry of a page's first passage also holds the properties
//! of the page. Besides its words an entry has its text, for excerpts; the vectors of a page have
//! an entry of their own, which may be written later.

use memchr::memchr;
use queries::base::content::ContentHash;
use queries::base::path::Route;
use queries::site::{PageKind, Passage, Product, SearchDocument, is_embedded};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use tantivy::TantivyDocument;
use tantivy::schema::{
    BytesOptions, Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use crate::index::vectors::{self, Embedding};
use crate::index::words::{Analyzer, QueryWord};

/// Separator of a word and its part: below every letter, so all parts of a word are neighbors.
pub const SEPARATOR: u8 = 1;

/// The name of the tokenizer that takes terms as they are.
pub const LINES: &str = "lines";

/// Number of separate statistics: see [`Part::kind`].
pub const KINDS: usize = 6;

/// Maximum number of separate passages of a page; further ones are left out.
pub const MAX_PASSAGES: usize = u16::MAX as usize;

/// The place of the vectors of a page among its entries.
pub const VECTORS: u16 = u16::MAX;

/// Part of a page that contains a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Part {
    /// Title.
    Title = b't',
    /// Address.
    Path = b'p',
    /// Names of an endpoint.
    Names = b'n',
    /// Heading of the passage.
    Heading = b'h',
    /// Heading above that one.
    Above = b'a',
    /// Prose.
    Body = b'b',
    /// Code.
    Code = b'c',
    /// Vocabulary of the page.
    Typed = b'v',
}

impl Part {
    /// Returns the part in the last byte of a key.
    pub fn of(letter: u8) -> Option<Self> {
        use Part::{Above, Body, Code, Heading, Names, Path, Title, Typed};
        let all = [Title, Path, Names, Heading, Above, Body, Code, Typed];
        all.into_iter().find(|part| *part as u8 == letter)
    }

    /// Statistics that it counts for: 0 title, 1 path, 2 names, 3 headings, 4 body, 5 code. The
    /// vocabulary counts for none; its list takes the place of the first.
    pub fn kind(self) -> usize {
        match self {
            Self::Title | Self::Typed => 0,
            Self::Path => 1,
            Self::Names => 2,
            Self::Heading | Self::Above => 3,
            Self::Body => 4,
            Self::Code => 5,
        }
    }
}

/// The key of all parts of `word` in `language`, without the part.
pub fn key(language: &str, word: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(language.len() + word.len() + 2);
    key.extend_from_slice(language.as_bytes());
    key.push(b':');
    key.extend_from_slice(word.as_bytes());
    key
}

/// The key of `word` as it is typed in pages of `language`, without the part. The vocabulary of a page stands with its
/// first entry: stems cannot be compared with what is mistyped or unfinished, as the end of a word decides its stem.
pub fn typed_key(language: &str, word: &str) -> Vec<u8> {
    let mut key = key(language, word);
    key[language.len()] = b'~';
    key
}

/// Number of words of a passage: its headings with those above, its prose, its code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassageSizes(pub [u32; 3]);

impl PassageSizes {
    fn packed(self) -> u64 {
        let [headings, body, code] = self.0.map(u64::from);
        headings.min(0xffff) << 48 | body.min(0xff_ffff) << 24 | code.min(0xff_ffff)
    }

    /// Sizes after a round trip through their column, which clamps them.
    pub fn kept(self) -> Self {
        Self::unpacked(self.packed())
    }

    /// Inverse of `Self::packed`.
    pub fn unpacked(packed: u64) -> Self {
        Self([packed >> 48, packed >> 24 & 0xff_ffff, packed & 0xff_ffff].map(|size| size as u32))
    }
}

/// Properties of a page besides its words.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PageRecord {
    /// Number, of no meaning but that no other page has it.
    pub number: u32,
    /// Route.
    pub route: Route,
    /// Title.
    pub title: String,
    /// The words of its title, as a question for them would be read.
    pub title_words: String,
    /// Digests of the words of each heading, as a question for them would be read.
    pub heading_words: Vec<u64>,
    /// The method and the path of the operation that it is about.
    pub operation: Option<(String, String)>,
    /// Purpose.
    pub kind: PageKind,
    /// Destination, if it has no text of its own.
    pub leads_to: Option<String>,
    /// Description by its author.
    pub description: String,
    /// The digest of the document that it was made from.
    pub digest: ContentHash,
    /// The code of the language that its words are in.
    pub language: String,
    /// The code of its language as its site writes it.
    pub named_language: Option<String>,
    /// The label of its tab.
    pub tab: Option<String>,
    /// Its product.
    pub product: Option<Product>,
    /// The label of its version.
    pub version: Option<String>,
    /// Whether that version is another one than the site shows first.
    pub is_old: bool,
    /// Key that a page of a version shares with its copies in other versions, and with no other
    /// page.
    pub copy: Option<u64>,
    /// Tags.
    pub tags: Vec<String>,
    /// Boost relative to other pages, in thousandths.
    pub boost: i64,
    /// Number of words by kind; headings without those above them.
    pub sizes: [u32; KINDS],
    /// Number of words in the headings of its passages together with those above.
    pub headings_of_passages: u32,
    /// The digests of its passages: those that have vectors, in order.
    pub passages: Vec<ContentHash>,
}

impl PageRecord {
    /// Returns the number of its entries, without that of its vectors.
    pub fn entries(&self) -> u32 {
        self.passages.len().max(1) as u32
    }

    /// Returns true if its passages have vectors, where meanings are compared.
    pub fn is_embedded(&self) -> bool {
        self.leads_to.is_none() && is_embedded(self.named_language.as_deref())
    }
}

/// Stored content of a passage, for display.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StoredPassage {
    /// The id of its heading.
    pub anchor: Option<String>,
    /// The headings above it and its own.
    pub headings: Vec<String>,
    /// Prose.
    pub body: String,
    /// Code.
    pub code: String,
}

impl From<StoredPassage> for Passage {
    fn from(content: StoredPassage) -> Self {
        let StoredPassage {
            anchor,
            headings,
            body,
            code,
        } = content;
        Self {
            anchor,
            headings,
            body,
            code,
        }
    }
}

/// The words of a question as one text: those of a title are equal if the title is what is asked for.
pub fn asked_words(question: &[QueryWord]) -> String {
    let words: Vec<&str> = question
        .iter()
        .map(|word| word.whole.term.as_str())
        .collect();
    words.join(" ")
}

/// Digest of the words of a heading.
pub fn digest_of_words(words: &str) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&ContentHash::of(words.as_bytes()).as_bytes()[..8]);
    u64::from_le_bytes(first)
}

/// Key that the copies of a page in several versions share, and no other page: the last part of
/// their addresses, and the titles.
pub fn copy_of(document: &SearchDocument) -> Option<u64> {
    document.facets.version.as_ref()?;
    let (_, name) = document.route.as_str().rsplit_once('/')?;
    let language = document.facets.language.as_deref().unwrap_or_default();
    let title = document.title.to_lowercase();
    Some(digest_of_words(&format!("{language}\n{name}\n{title}")))
}

/// The method and the path of the operation that a page is about.
pub fn operation_of(document: &SearchDocument) -> Option<(String, String)> {
    let [method, path, ..] = &document.names[..] else {
        return None;
    };
    let is_method = !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase());
    (is_method && path.starts_with('/')).then(|| (method.clone(), path.clone()))
}

/// Stored (not indexed) data of an entry.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredEntry {
    /// Properties of its page, in the entry of the first passage.
    pub page: Option<PageRecord>,
    /// Text.
    pub shown: StoredPassage,
}

/// The fields of an entry.
#[derive(Clone, Copy, Debug)]
pub struct Fields {
    /// Words.
    pub words: Field,
    /// The number of its page, by which it is deleted.
    pub page: Field,
    /// The number of its page and its own place there, as a column.
    pub place: Field,
    /// Passage sizes ([`PassageSizes`]), as a column.
    pub sizes: Field,
    /// Serialized [`StoredEntry`]; in the entry at [`VECTORS`], the output of `packed` in `vectors.rs`.
    pub kept: Field,
}

/// The schema of the index and its fields.
pub fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let words = TextFieldIndexing::default()
        .set_tokenizer(LINES)
        .set_index_option(IndexRecordOption::WithFreqs)
        .set_fieldnorms(false);
    let column = NumericOptions::default().set_fast();
    let fields = Fields {
        words: schema.add_text_field("words", TextOptions::default().set_indexing_options(words)),
        page: schema.add_u64_field("page", NumericOptions::default().set_indexed()),
        place: schema.add_u64_field("place", column.clone()),
        sizes: schema.add_u64_field("sizes", column),
        kept: schema.add_bytes_field("kept", BytesOptions::default().set_stored()),
    };
    (schema.build(), fields)
}

/// The page of an entry and its place there, as they are in their column.
pub fn unpacked_place(packed: u64) -> (u32, u16) {
    ((packed >> 16) as u32, packed as u16)
}

/// A page, ready to be written.
pub struct Entries {
    /// Properties of the page.
    pub record: PageRecord,
    /// One for each passage, one if it has none.
    pub documents: Vec<TantivyDocument>,
    /// Sum of the [`seal`]s of its stored bytes.
    pub seal: u128,
}

/// Digest of the stored bytes of an entry. Seals of many entries are added up, so a sum can be
/// updated from the old and the new seal of one page.
pub fn seal(stored: &[u8]) -> u128 {
    let mut first = [0; 16];
    first.copy_from_slice(&ContentHash::of(stored).as_bytes()[..16]);
    u128::from_le_bytes(first)
}

/// Number of words of a page, by place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageWords {
    /// Number by kind; headings without those above them.
    pub sizes: [u32; KINDS],
    /// Number in the headings of its passages together with those above.
    pub headings_of_passages: u32,
    /// Sizes of each passage; one for a page without passages.
    pub passages: Vec<PassageSizes>,
}

/// Calls `each` with every word of `document`: the number of its passage, its part, its lookup
/// forms and how it was typed.
pub fn words(
    document: &SearchDocument,
    analyzer: &mut Analyzer,
    mut each: impl FnMut(usize, Part, &str, &str),
) -> PageWords {
    let mut all = PageWords::default();
    let count = document.passages.len().clamp(1, MAX_PASSAGES);
    for i in 0..count {
        let mut add = |part: Part, text: &str| {
            let mut count = 0_u32;
            analyzer.terms(text, |_, term, typed| {
                count += 1;
                each(i, part, term, typed);
            });
            count
        };
        if i == 0 {
            all.sizes[0] = add(Part::Title, &document.title);
            all.sizes[1] = add(Part::Path, document.route.as_str());
            let names = document.names.iter();
            all.sizes[2] = names.map(|name| add(Part::Names, name)).sum();
        }
        let passage = document.passages.get(i);
        let headings = passage.and_then(|passage| passage.headings.split_last());
        let (own, above) = match headings {
            Some((own, above)) => (add(Part::Heading, own), above),
            None => (0, &[][..]),
        };
        let above = above.iter().map(|heading| add(Part::Above, heading));
        let above: u32 = above.sum();
        let mut body = passage.map_or(0, |passage| add(Part::Body, &passage.body));
        if i == 0 {
            body += add(Part::Body, &document.description);
            let keywords = document.keywords.iter();
            body += keywords.map(|word| add(Part::Body, word)).sum::<u32>();
        }
        let code = passage.map_or(0, |passage| add(Part::Code, &passage.code));
        all.sizes[3] += own;
        all.sizes[4] += body;
        all.sizes[5] += code;
        all.headings_of_passages += own + above;
        all.passages.push(PassageSizes([own + above, body, code]));
    }
    all
}

/// The entry with the vectors of the passages of the page with this number, in order, and its [`seal`].
pub fn entry_of_vectors(
    fields: Fields,
    number: u32,
    vectors: &[Vec<Embedding>],
) -> (TantivyDocument, u128) {
    let packed = vectors::packed(vectors);
    let seal = seal(&packed);
    let mut document = entry(fields, number, VECTORS, PassageSizes::default());
    document.add_bytes(fields.kept, &packed);
    (document, seal)
}

/// An entry of the page with this number, without its stored content.
fn entry(fields: Fields, number: u32, place: u16, sizes: PassageSizes) -> TantivyDocument {
    let mut document = TantivyDocument::default();
    document.add_u64(fields.page, u64::from(number));
    document.add_u64(fields.place, u64::from(number) << 16 | u64::from(place));
    document.add_u64(fields.sizes, sizes.packed());
    document
}

/// Cuts `document` into words.
pub fn entries(
    fields: Fields,
    number: u32,
    (document, digest): (&SearchDocument, ContentHash),
    (language, analyzer): (&str, &mut Analyzer),
) -> Entries {
    let mut record = record_of(document, digest, number, language);
    record.title_words = asked_words(&analyzer.question_of_page(&document.title));
    let headings = document.passages.iter().take(MAX_PASSAGES);
    let headings = headings.filter_map(|passage| passage.headings.last());
    record.heading_words = headings
        .map(|own| digest_of_words(&asked_words(&analyzer.question_of_page(own))))
        .collect();
    let count = document.passages.len().clamp(1, MAX_PASSAGES);
    let mut lines = vec![String::new(); count];
    let mut vocabulary: FxHashSet<String> = FxHashSet::default();
    let mut typed_lines = String::new();
    let counted = words(document, analyzer, |i, part, term, typed| {
        push_line(&mut lines[i], language, ':', term, part);
        if !vocabulary.contains(typed) {
            vocabulary.insert(typed.to_owned());
            push_line(&mut typed_lines, language, '~', typed, Part::Typed);
        }
    });
    lines[0].push_str(&typed_lines);
    record.sizes = counted.sizes;
    record.headings_of_passages = counted.headings_of_passages;
    let mut sum = 0_u128;
    let lines = lines.into_iter().zip(counted.passages).enumerate();
    let documents = lines.map(|(i, (words, sizes))| {
        let shown = document.passages.get(i).map(|passage| StoredPassage {
            anchor: passage.anchor.clone(),
            headings: passage.headings.clone(),
            body: passage.body.clone(),
            code: passage.code.clone(),
        });
        let stored = StoredEntry {
            page: (i == 0).then(|| record.clone()),
            shown: shown.unwrap_or_default(),
        };
        // There are no more than have a place.
        let mut document = entry(fields, number, i as u16, sizes);
        document.add_text(fields.words, words);
        // Only what serialises itself by hand can fail, and nothing here does.
        let stored = postcard::to_allocvec(&stored).unwrap_or_default();
        sum = sum.wrapping_add(seal(&stored));
        document.add_bytes(fields.kept, &stored);
        document
    });
    let documents = documents.collect();
    Entries {
        record,
        documents,
        seal: sum,
    }
}

fn record_of(
    document: &SearchDocument,
    digest: ContentHash,
    number: u32,
    language: &str,
) -> PageRecord {
    let passages = document.passages.iter().take(MAX_PASSAGES);
    PageRecord {
        number,
        route: document.route.clone(),
        title: document.title.clone(),
        title_words: String::new(),
        heading_words: Vec::new(),
        operation: operation_of(document),
        kind: document.kind,
        leads_to: document.leads_to.clone(),
        description: document.description.clone(),
        digest,
        language: language.to_owned(),
        named_language: document.facets.language.clone(),
        tab: document.facets.tab.clone(),
        product: document.facets.product.clone(),
        version: document.facets.version.clone(),
        is_old: document.facets.is_old,
        copy: copy_of(document),
        tags: document.facets.tags.clone(),
        boost: document.boost,
        sizes: [0; KINDS],
        headings_of_passages: 0,
        passages: passages
            .map(|passage| passage.digest(&document.title))
            .collect(),
    }
}

/// Adds a word to those of an entry, as the tokenizer takes them: one to a line.
fn push_line(text: &mut String, language: &str, sign: char, word: &str, part: Part) {
    text.push_str(language);
    text.push(sign);
    text.push_str(word);
    text.push(char::from(SEPARATOR));
    text.push(char::from(part as u8));
    text.push('\n');
}

/// Tokenizer that returns every line as a term.
#[derive(Clone, Default)]
pub struct Lines(Token);

/// Token stream over the remaining lines.
pub struct RestOfLines<'a> {
    rest: &'a str,
    token: &'a mut Token,
}

impl Tokenizer for Lines {
    type TokenStream<'a> = RestOfLines<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> RestOfLines<'a> {
        self.0.reset();
        RestOfLines {
            rest: text,
            token: &mut self.0,
        }
    }
}

impl TokenStream for RestOfLines<'_> {
    fn advance(&mut self) -> bool {
        let Some(end) = memchr(b'\n', self.rest.as_bytes()) else {
            return false;
        };
        let line = &self.rest[..end];
        self.rest = &self.rest[end + 1..];
        self.token.text.clear();
        self.token.text.push_str(line);
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
