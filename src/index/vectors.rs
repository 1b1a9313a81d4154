//! The meanings of passages as vectors, side by side, and which pages come nearest to a question.
//!
//! Every vector is looked at: 256 bytes each are read faster than a graph of neighbours could be followed for as many
//! passages as a documentation site has, the answer is exact, and a passage that goes leaves nothing behind but a free
//! slot.

pub use queries::search::embed::{DIMENSIONS, Embedding};

use crate::index::chunks::Chunks;
use crate::index::dot;

/// The owner of a slot that is free.
const NOBODY: u32 = u32::MAX;

/// A vector and whose it is.
#[derive(Clone, Debug)]
struct Slot {
    embedding: Embedding,
    page: u32,
}

impl Slot {
    /// How near it is to a vector with which its product is this, as a cosine; 0 if one of them is about nothing.
    fn cosine(&self, product: i32, question: &Embedding) -> f32 {
        let lengths = self.embedding.norm * question.norm;
        if lengths > 0.0 {
            product as f32 / lengths
        } else {
            0.0
        }
    }
}

/// The vectors of all passages.
#[derive(Clone, Debug, Default)]
pub struct Vectors {
    slots: Chunks<Slot>,
    free: Vec<u32>,
}

impl Vectors {
    /// How many vectors there are.
    pub fn count(&self) -> usize {
        self.slots.count() - self.free.len()
    }

    /// Adds a vector of the page with this number; returns its slot.
    pub fn insert(&mut self, page: u32, embedding: &Embedding) -> u32 {
        let slot = self.free.pop().unwrap_or(self.slots.count() as u32);
        let embedding = embedding.clone();
        self.slots.set(slot as usize, Slot { embedding, page });
        slot
    }

    /// Takes a vector away.
    pub fn remove(&mut self, slot: u32) {
        if let Some(old) = self.slots.get(slot as usize) {
            let freed = Slot {
                page: NOBODY,
                ..old.clone()
            };
            self.slots.set(slot as usize, freed);
            self.free.push(slot);
        }
    }

    /// The vector in a slot.
    pub fn get(&self, slot: u32) -> Option<&Embedding> {
        Some(&self.slots.get(slot as usize)?.embedding)
    }

    /// How near the vector in a slot is to `question`, as a cosine.
    pub fn cosine(&self, slot: u32, question: &Embedding) -> f32 {
        let slot = self.slots.get(slot as usize);
        slot.map_or(0.0, |slot| {
            slot.cosine(dot::dot(&slot.embedding.vector, &question.vector), question)
        })
    }

    /// How near each page is to `question`, by number: the cosine of its nearest passage, 0 for what points away.
    pub fn nearest(&self, question: &Embedding, numbers: usize) -> Vec<f32> {
        let mut best = vec![0.0_f32; numbers];
        for stretch in self.slots.stretches() {
            dot::each(
                &question.vector,
                stretch,
                |slot| &slot.embedding.vector,
                |slot, product| {
                    if let Some(best) = best.get_mut(slot.page as usize) {
                        *best = best.max(slot.cosine(product, question));
                    }
                },
            );
        }
        best
    }
}

/// Vectors as bytes, to be kept.
pub fn packed(vectors: &[Embedding]) -> Vec<u8> {
    let bytes = vectors.iter().flat_map(|one| {
        let norm = one.norm.to_le_bytes();
        norm.into_iter()
            .chain(one.vector.iter().map(|number| number.to_le_bytes()[0]))
    });
    bytes.collect()
}

/// What [`packed`] packed.
pub fn unpacked(bytes: &[u8]) -> Vec<Embedding> {
    let mut vectors = Vec::new();
    for bytes in bytes.chunks_exact(4 + DIMENSIONS) {
        let mut norm = [0; 4];
        norm.copy_from_slice(&bytes[..4]);
        let mut vector = [0; DIMENSIONS];
        for (number, byte) in vector.iter_mut().zip(&bytes[4..]) {
            *number = i8::from_le_bytes([*byte]);
        }
        vectors.push(Embedding {
            vector,
            norm: f32::from_le_bytes(norm),
        });
    }
    vectors
}
