//! Many texts, each word of which is cut once: those of a site have most of their words in common.

use rustc_hash::FxHashMap;

use crate::rows::sum;
use crate::{DIMENSIONS, Embedder, Embedding, MAX_WORD};

/// Capacity of the word cache; it is cleared when full.
const MAX_CACHED_WORDS: usize = 32 * 1024;

/// Embeds texts one after the other. What a text is about does not depend on those before it.
pub struct Texts<'a> {
    embedder: &'a Embedder,
    /// The numbers of words.
    word_numbers: FxHashMap<Box<[u8]>, u32>,
    words: Vec<Word>,
    /// The rows of the words, one word after the other.
    rows: Vec<u32>,
    /// Words of the text that is read, in the order in which they first stand there.
    read: Vec<u32>,
    /// Rows of the word that is cut.
    piece_rows: Vec<u32>,
    /// The rows of the text that is read, and how much each counts.
    picked: Vec<(u32, f32)>,
}

/// A word that is known.
#[derive(Clone, Copy)]
struct Word {
    /// Range of its rows among all; empty for a word that cannot be composed of pieces.
    from: u32,
    to: u32,
    /// Number of occurrences in the current text.
    count: u32,
}

impl<'a> Texts<'a> {
    /// Texts to be embedded by `embedder`.
    pub fn new(embedder: &'a Embedder) -> Self {
        Self {
            embedder,
            word_numbers: FxHashMap::default(),
            words: Vec::new(),
            rows: Vec::new(),
            read: Vec::new(),
            piece_rows: Vec::new(),
            picked: Vec::new(),
        }
    }

    /// Embedding of `text`.
    pub fn embed(&mut self, text: &str) -> Embedding {
        Embedding::of(&self.sum(text))
    }

    /// The sum of the rows of a text. A row is added once, times the number of its words: in the order of the text, so that
    /// the sum is the same whatever was read before.
    pub(super) fn sum(&mut self, text: &str) -> [f32; DIMENSIONS] {
        if self.words.len() > MAX_CACHED_WORDS {
            self.word_numbers.clear();
            self.words.clear();
            self.rows.clear();
        }
        let Self {
            embedder,
            word_numbers: known,
            words,
            rows,
            read,
            piece_rows: cut,
            picked,
        } = self;
        embedder.folding.words(text, |word| {
            // Nothing is known of it, and it may be as long as a picture in letters.
            if word.len() > MAX_WORD {
                return;
            }
            let number = match known.get(word) {
                Some(number) => *number,
                None => {
                    let from = rows.len() as u32;
                    if embedder.tokenize(word, cut) {
                        rows.extend_from_slice(cut);
                    }
                    let (number, to) = (words.len() as u32, rows.len() as u32);
                    words.push(Word { from, to, count: 0 });
                    known.insert(word.into(), number);
                    number
                }
            };
            let word = &mut words[number as usize];
            if word.count == 0 {
                read.push(number);
            }
            word.count += 1;
        });
        picked.clear();
        for number in read.drain(..) {
            let word = &mut words[number as usize];
            let count = std::mem::take(&mut word.count) as f32;
            let rows = &rows[word.from as usize..word.to as usize];
            let scale = |row: &u32| (*row, embedder.scales[*row as usize] * count);
            picked.extend(rows.iter().map(scale));
        }
        sum(&embedder.rows, picked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_say_the_same_after_any_others() {
        let alone = |text: &str| Texts::new(Embedder::built_in()).embed(text);
        let mut texts = Texts::new(Embedder::built_in());
        for text in [
            "Rotate the API key, then rotate the other key.",
            "",
            "key the rotate",
            "Rotate the API key, then rotate the other key.",
            "ключ xkqzv ключ",
        ] {
            assert_eq!(texts.embed(text), alone(text), "{text}");
        }
    }

    #[test]
    fn a_word_counts_as_often_as_it_stands_there() {
        let sum = |text: &str| Texts::new(Embedder::built_in()).sum(text);
        let (once, thrice) = (sum("webhooks"), sum("webhooks webhooks Webhooks"));
        for (once, thrice) in once.iter().zip(thrice) {
            assert!((3.0 * once - thrice).abs() < 1e-3, "{once} {thrice}");
        }
        assert!(once.iter().any(|number| *number != 0.0));
    }

    #[test]
    fn words_of_long_ago_are_forgotten() {
        let mut texts = Texts::new(Embedder::built_in());
        let before = texts.embed("rotate a key");
        for i in 0..2 * MAX_CACHED_WORDS / 100 + 2 {
            let words: Vec<String> = (0..100).map(|j| format!("w{i}x{j}")).collect();
            texts.embed(&words.join(" "));
            assert!(
                texts.words.len() <= MAX_CACHED_WORDS + 100
                    && texts.word_numbers.len() == texts.words.len()
            );
        }
        assert_eq!(texts.embed("rotate a key"), before);
        let known = texts.word_numbers.len();
        texts.embed(&"x".repeat(MAX_WORD + 1));
        assert_eq!(texts.word_numbers.len(), known);
    }
}
