//! Embeds texts as vectors: sums of the vectors of their words, from a table
//! (`queries/embedding/models/README.md`).
//!
//! A text is cut into the pieces of the vocabulary (WordPiece: lower case, accents gone, then always the longest piece that
//! fits) and their rows are summed. A word that cannot be put together of pieces is none. The table was made from English
//! documentation and tells nothing of other languages.

mod rows;
mod texts;
mod words;

use std::sync::LazyLock;

pub use texts::Texts;
use words::Folding;

/// Number of dimensions of a vector.
pub const DIMENSIONS: usize = 256;

/// Maximum number of bytes of a word that is looked up.
const MAX_WORD: usize = 200;

/// Maximum number of bytes of a piece.
const MAX_PIECE: usize = 64;

/// Meaning of a text. Vectors of texts about the same subject point in the same direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    /// The direction, its largest number being 127 or -127; zeros of a text without a known word.
    pub vector: [i8; DIMENSIONS],
    /// The length of `vector`.
    pub norm: f32,
}

impl Eq for Embedding {}

impl Embedding {
    /// The vector in the direction of `sum`.
    fn of(sum: &[f32; DIMENSIONS]) -> Self {
        let largest = sum
            .iter()
            .fold(0.0_f32, |most, value| most.max(value.abs()));
        let mut vector = [0; DIMENSIONS];
        if largest > 0.0 {
            let scale = 127.0 / largest;
            for (to, from) in vector.iter_mut().zip(sum) {
                // Within -127 and 127 by the scale.
                *to = (from * scale).round() as i8;
            }
        }
        let squares: i32 = vector.iter().map(|value| i32::from(*value).pow(2)).sum();
        Self {
            vector,
            norm: (squares as f32).sqrt(),
        }
    }
}

/// Similarity of two texts, from -1 to 1; 0 if one of them has no known word.
pub fn cosine(a: &Embedding, b: &Embedding) -> f32 {
    let products = a.vector.iter().zip(&b.vector);
    let dot: i32 = products.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
    let lengths = a.norm * b.norm;
    if lengths > 0.0 {
        dot as f32 / lengths
    } else {
        0.0
    }
}

/// The table, ready to be used.
pub struct Embedder {
    folding: Folding,
    /// The pieces of the vocabulary, one after the other; `starts` says where each begins.
    pieces: &'static [u8],
    starts: Vec<u32>,
    /// Rows by their pieces: open addressing, 0 for a free place, else the number of the row and 1.
    slots: Vec<u32>,
    longest: usize,
    scales: Vec<f32>,
    /// The rows, one after the other.
    rows: Vec<i8>,
}

static MODEL: &[u8] = include_bytes!("../models/docs-static-256.dse");

/// Pure data, worked out once.
static BUILT_IN: LazyLock<Embedder> =
    LazyLock::new(|| Embedder::read(MODEL).expect("the model of this program is whole"));

impl Embedder {
    /// Name of the vectors of [`Embedder::built_in`]: another name means other vectors.
    pub const NAME: &'static str = "docs-static-256";

    /// The table of this program. The first call takes some milliseconds.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Reads a table: `DSE1`, four little-endian numbers (dimensions, rows, bits, bytes of the vocabulary), the vocabulary
    /// as lines, to the next multiple of 64 a scale for each row as a half-precision number, to the next multiple of 64 the
    /// rows, four bits for each number, the lower four first, plus 8. `None` if it is not of that form.
    fn read(bytes: &'static [u8]) -> Option<Self> {
        let number = |at: usize| {
            let bytes = bytes.get(at..at + 4)?;
            Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
        };
        let (dimensions, count, bits, len) = (number(4)?, number(8)?, number(12)?, number(16)?);
        if !bytes.starts_with(b"DSE1") || dimensions != DIMENSIONS || bits != 4 {
            return None;
        }
        let pieces = bytes.get(20..20 + len)?;
        let scales_at = (20 + len).next_multiple_of(64);
        let scales = bytes.get(scales_at..scales_at + 2 * count)?;
        let rows_at = (scales_at + 2 * count).next_multiple_of(64);
        let rows = bytes.get(rows_at..rows_at + count * DIMENSIONS / 2)?;
        let pairs = scales.chunks_exact(2);
        let scales = pairs.map(|pair| half(u16::from_le_bytes([pair[0], pair[1]])));
        let nibbles = rows.iter().flat_map(|byte| [byte & 15, byte >> 4]);
        let mut embedder = Self {
            folding: Folding::new(),
            pieces,
            starts: Vec::with_capacity(count + 1),
            slots: vec![0; (count * 4).next_power_of_two()],
            longest: 0,
            scales: scales.collect(),
            rows: nibbles.map(|nibble| nibble as i8 - 8).collect(),
        };
        embedder.starts.push(0);
        let ends = memchr::memchr_iter(b'\n', pieces).chain(
            // The last line may have no end.
            (!pieces.ends_with(b"\n")).then_some(len),
        );
        let starts = ends.map(|end| end as u32 + 1);
        embedder.starts.extend(starts);
        if embedder.starts.len() != count + 1 {
            return None;
        }
        for row in 0..count {
            let piece = embedder.piece(row);
            embedder.longest = embedder.longest.max(piece.len());
            let (is_rest, letters) = letters(piece);
            let mask = embedder.slots.len() - 1;
            let hashed = letters
                .iter()
                .fold(beginning(is_rest), |hash, byte| with(hash, *byte));
            let mut slot = place(hashed) & mask;
            while embedder.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            embedder.slots[slot] = row as u32 + 1;
        }
        (embedder.longest <= MAX_PIECE).then_some(embedder)
    }

    /// The piece of a row as it is written in the vocabulary.
    fn piece(&self, row: usize) -> &'static [u8] {
        let (from, to) = (self.starts[row] as usize, self.starts[row + 1] as usize);
        self.pieces.get(from..to - 1).unwrap_or(b"")
    }

    /// The row of a piece that begins a word, or continues it; `hashed` is of its letters.
    fn row(&self, is_rest: bool, piece: &[u8], hashed: u64) -> Option<usize> {
        let mask = self.slots.len() - 1;
        let mut slot = place(hashed) & mask;
        loop {
            let row = (self.slots[slot] as usize).checked_sub(1)?;
            if letters(self.piece(row)) == (is_rest, piece) {
                return Some(row);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Puts the rows of the pieces of `word` into `found`; returns whether it can be put together of pieces.
    fn tokenize(&self, word: &[u8], found: &mut Vec<u32>) -> bool {
        found.clear();
        let mut from = 0;
        while from < word.len() && word.len() <= MAX_WORD {
            let rest = &word[from..word.len().min(from + self.longest)];
            let mut hashes = [0; MAX_PIECE];
            let mut hashed = beginning(from > 0);
            for (hash, byte) in hashes.iter_mut().zip(rest) {
                hashed = with(hashed, *byte);
                *hash = hashed;
            }
            let piece = (1..=rest.len())
                .rev()
                .find_map(|len| Some((self.row(from > 0, &rest[..len], hashes[len - 1])?, len)));
            let Some((row, len)) = piece else {
                return false;
            };
            found.push(row as u32);
            from += len;
        }
        from == word.len()
    }

    /// How well the vocabulary knows the words of `text`: how many letters its pieces have on average. Words that it
    /// knows are pieces as they are; what means nothing to it, in whatever language, falls into pieces of one or two
    /// letters, and its vector says as little as those do. A word that cannot be put together of pieces counts as a piece
    /// without letters. 0 of a text without a word.
    pub fn familiarity(&self, text: &str) -> f32 {
        let mut found: Vec<u32> = Vec::with_capacity(8);
        let (mut letters, mut pieces) = (0, 0);
        self.folding.words(text, |word| {
            // A sign is a word to the vocabulary, and to nobody else.
            if word.len() == 1 && !word[0].is_ascii_alphanumeric() {
                return;
            }
            let is_known = self.tokenize(word, &mut found);
            letters += if is_known { word.len() } else { 0 };
            pieces += if is_known { found.len() } else { 1 };
        });
        letters as f32 / pieces.max(1) as f32
    }

    /// Embedding of `text`. [`Texts`] gives the same for many texts, faster.
    pub fn embed(&self, text: &str) -> Embedding {
        Texts::new(self).embed(text)
    }
}

/// Whether a piece continues a word, and its letters.
fn letters(piece: &[u8]) -> (bool, &[u8]) {
    match piece.strip_prefix(b"##") {
        Some(rest) if !rest.is_empty() => (true, rest),
        _ => (false, piece),
    }
}

/// The hash of a piece without letters that begins a word, or continues it (FNV-1a). That of a longer piece is made of that
/// of a shorter one, so all beginnings of a word cost as much as the word.
fn beginning(is_rest: bool) -> u64 {
    0xcbf2_9ce4_8422_2325 ^ u64::from(is_rest)
}

/// The hash of a piece with one byte more.
fn with(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
}

/// A number that differs for different hashes, mostly also in its last bits.
fn place(hash: u64) -> usize {
    (hash ^ (hash >> 29)) as usize
}

/// The value of a half-precision number (IEEE 754, binary16).
fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 0x3ff));
    match exponent {
        0 => sign * fraction * 2.0_f32.powi(-24),
        _ => sign * (1.0 + fraction / 1024.0) * 2.0_f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a reader of the file must find: pieces, rows, the first numbers of the vector of length 1.
    #[track_caller]
    fn check(text: &str, pieces: &str, rows: &[u32], first: [f32; 8]) {
        let embedder = Embedder::built_in();
        let (mut found, mut of_word) = (Vec::new(), Vec::new());
        embedder.folding.words(text, |word| {
            if embedder.tokenize(word, &mut of_word) {
                found.append(&mut of_word);
            }
        });
        let names = found.iter().map(|row| embedder.piece(*row as usize));
        let names: Vec<_> = names.map(String::from_utf8_lossy).collect();
        assert_eq!(names.join(" "), pieces);
        assert_eq!(found, rows);
        let sum = Texts::new(embedder).sum(text);
        let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
        for (value, expected) in sum.iter().zip(first) {
            let value = if length > 0.0 { value / length } else { 0.0 };
            assert!((value - expected).abs() < 6e-6, "{value} {expected}");
        }
    }

    #[test]
    fn texts_have_the_vectors_that_the_model_was_made_with() {
        check(
            "How do I rotate an API key?",
            "how do i rotate an api key ?",
            &[243, 193, 46, 22428, 133, 16020, 1259, 30],
            [
                0.10281, 0.01089, -0.09274, 0.03476, -0.02248, -0.04858, 0.00269, 0.07683,
            ],
        );
        check(
            "Configure webhooks for OpenAPI callbacks",
            "con ##fi ##gur ##e web ##ho ##ok ##s for open ##ap ##i call ##backs",
            &[
                7643, 6986, 25453, 177, 2887, 4920, 4673, 129, 119, 444, 7444, 186, 769, 10330,
            ],
            [
                -0.09556, 0.04433, -0.02638, -0.04052, 0.06555, -0.11846, 0.05972, -0.04288,
            ],
        );
        check(
            "Die Größe naïve café",
            "die gr ##o ##ße naive cafe",
            &[1394, 22736, 194, 15591, 13843, 5782],
            [
                -0.06383, -0.06889, -0.00817, -0.06637, -0.17497, -0.20112, -0.05208, 0.04457,
            ],
        );
        check(
            "getUserById returns user_id",
            "get ##user ##by ##id returns user _ id",
            &[245, 18411, 1876, 1707, 3765, 3424, 36, 7022],
            [
                -0.04592, 0.02185, 0.08721, 0.20355, -0.15152, -0.01907, -0.03669, -0.00927,
            ],
        );
        check("", "", &[], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn a_sum_is_scaled_to_its_largest_number() {
        let mut sum = [0.0; DIMENSIONS];
        (sum[0], sum[1], sum[2]) = (0.5, -1.0, 0.251);
        let embedding = Embedding::of(&sum);
        assert_eq!(embedding.vector[..4], [64, -127, 32, 0]);
        assert!((embedding.norm - 145.77).abs() < 0.01, "{}", embedding.norm);
    }

    #[test]
    fn texts_about_the_same_are_alike() {
        let embed = |text| Embedder::built_in().embed(text);
        let (a, b) = (embed("reset password"), embed("forgot login credentials"));
        assert!(
            (cosine(&a, &b) - 0.3368).abs() < 0.002,
            "{}",
            cosine(&a, &b)
        );
        assert!((cosine(&a, &a) - 1.0).abs() < 1e-6);
        assert!(cosine(&a, &b) > cosine(&a, &embed("color of the logo")));
        assert_eq!(cosine(&a, &embed("")), 0.0);
        assert_eq!(embed("日本語 \u{1f600}"), embed(""));
    }

    #[test]
    fn what_falls_to_pieces_is_less_familiar() {
        let familiarity = |text| Embedder::built_in().familiarity(text);
        assert_eq!(familiarity("rotate the key"), 4.0);
        assert_eq!(familiarity("rotate the key?!"), 4.0);
        // web ##ho ##ok ##s
        assert_eq!(familiarity("webhooks"), 2.0);
        assert!(familiarity("xkqzv") < 1.5);
        assert_eq!(familiarity("ключ"), 0.0);
        assert_eq!(familiarity("key ключ"), 1.5);
        assert_eq!(familiarity(""), 0.0);
        assert_eq!(familiarity(&"x".repeat(100_000)), 0.0);
    }

    #[test]
    fn words_are_spelt_as_the_vocabulary_spells_them() {
        let spelt = |text: &str| {
            let mut words = Vec::new();
            Folding::new().words(text, |word| {
                words.push(String::from_utf8_lossy(word).into_owned());
            });
            words.join(" ")
        };
        assert_eq!(spelt("Crème\u{ad}BRÛLÉE, ok?"), "cremebrulee , ok ?");
        assert_eq!(spelt("e\u{301}a\0b\tc"), "eab c");
        assert_eq!(spelt("a→b x_y Ǆ ẞ Ấ"), "a → b x _ y ǆ ß a");
        assert_eq!(spelt(" \n "), "");
    }

    #[test]
    fn a_file_that_is_no_table_is_none() {
        assert!(Embedder::read(b"").is_none());
        assert!(Embedder::read(b"DSE1").is_none());
        assert!(Embedder::read(&MODEL[..MODEL.len() - 1]).is_none());
        assert!(Embedder::read(&MODEL[1..]).is_none());
    }

    #[test]
    fn words_of_any_length_end() {
        let embed = |text: &str| Embedder::built_in().embed(text);
        assert_eq!(embed(&"x".repeat(100_000)), embed(""));
        assert_ne!(embed(&"ab ".repeat(10_000)), embed(""));
    }
}
