//! The meanings of passages as vectors, side by side, and which pages come nearest to a question.
//!
//! Every vector is looked at: those of a documentation site are read faster than a graph of neighbors could be followed,
//! the answer is exact, and a passage that goes leaves nothing behind but a free slot. Where there are very many, those
//! whose signs differ most from the question's are left out (`nearest`). All vectors of a table are of one model, and
//! have as many numbers.

pub mod nearest;

use std::sync::Arc;

pub use queries::site::{DIMENSIONS, Embedding};

use crate::index::dot::{self, LINE, Line};

/// The owner of a slot that is free.
const NOBODY: u32 = u32::MAX;

/// Number of bytes copied when a vector changes.
const STRETCH: usize = 64 << 10;

/// Number of bytes of a stored vector of this program.
const PACKED: usize = 4 + DIMENSIONS;

/// A direction in the space of some model.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector {
    /// Numbers, the largest being 127 or -127; zeros of what is about nothing.
    pub numbers: Box<[i8]>,
    /// The length of `numbers`.
    pub length: f32,
}

impl Vector {
    /// The vector in the direction of `numbers`, which must be finite.
    pub fn of(numbers: &[f32]) -> Self {
        let largest = numbers
            .iter()
            .fold(0.0_f32, |most, number| most.max(number.abs()));
        let scale = if largest > 0.0 { 127.0 / largest } else { 0.0 };
        // Within -127 and 127 by the scale; one that is too large for a number of its own points nowhere.
        let numbers = numbers.iter().map(|number| (number * scale).round() as i8);
        Self::of_numbers(numbers.collect())
    }

    /// The vector with these numbers.
    pub fn of_numbers(numbers: Box<[i8]>) -> Self {
        let squares: i32 = numbers.iter().map(|number| i32::from(*number).pow(2)).sum();
        Self {
            numbers,
            length: (squares as f32).sqrt(),
        }
    }
}

/// The numbers of a vector, wherever they are, and their length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View<'a> {
    /// The numbers.
    pub numbers: &'a [i8],
    /// Length of a vector.
    pub length: f32,
}

impl<'a> From<&'a Embedding> for View<'a> {
    fn from(embedding: &'a Embedding) -> Self {
        Self {
            numbers: &embedding.vector,
            length: embedding.norm,
        }
    }
}

impl<'a> From<&'a Vector> for View<'a> {
    fn from(vector: &'a Vector) -> Self {
        Self {
            numbers: &vector.numbers,
            length: vector.length,
        }
    }
}

/// A vector to which others are compared.
#[derive(Clone, Debug)]
pub struct QueryVector {
    lines: Box<[Line]>,
    signs: Box<[u64]>,
    inverse: f32,
}

impl<'a, T: Into<View<'a>>> From<T> for QueryVector {
    fn from(view: T) -> Self {
        let view = view.into();
        let lines: Box<[Line]> = lines(view.numbers).collect();
        Self {
            signs: lines.iter().map(signs).collect(),
            lines,
            inverse: inverse(view.length),
        }
    }
}

/// The vectors of all passages. A copy is cheap and shares what does not change.
#[derive(Clone, Debug)]
pub struct Vectors {
    dimensions: usize,
    stretches: Vec<Arc<Stretch>>,
    slots: usize,
    free: Vec<u32>,
}

/// Some vectors: their numbers, contiguous, and the properties of each.
#[derive(Clone, Debug, Default)]
struct Stretch {
    numbers: Vec<Line>,
    /// Bits: which of the numbers are negative.
    signs: Vec<u64>,
    /// One divided by the length, so that nothing need be divided while they are compared; 0 of a free slot.
    inverses: Vec<f32>,
    /// The number of the page of each.
    owners: Vec<u32>,
}

impl Default for Vectors {
    fn default() -> Self {
        Self::new(DIMENSIONS)
    }
}

impl Vectors {
    /// A table for vectors of so many numbers.
    pub fn new(dimensions: usize) -> Self {
        Self {
            dimensions: dimensions.max(1),
            stretches: Vec::new(),
            slots: 0,
            free: Vec::new(),
        }
    }

    /// Returns the number of dimensions of a vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Returns the number of lines of a vector.
    fn lines(&self) -> usize {
        self.dimensions.div_ceil(LINE)
    }

    /// Returns the number of vectors in a stretch.
    fn per_stretch(&self) -> usize {
        (STRETCH / (self.lines() * LINE)).max(1)
    }

    /// Returns the number of vectors.
    pub fn count(&self) -> usize {
        self.slots - self.free.len()
    }

    /// Adds a vector of the page with this number; returns its slot. One of another number of dimensions is about nothing.
    pub fn insert<'a>(&mut self, page: u32, vector: impl Into<View<'a>>) -> u32 {
        let vector = vector.into();
        let is_ours = vector.numbers.len() == self.dimensions;
        let numbers = if is_ours { vector.numbers } else { &[] };
        let inverse = inverse(if is_ours { vector.length } else { 0.0 });
        let slot = self.free.pop().unwrap_or(self.slots as u32);
        let (per_stretch, width) = (self.per_stretch(), self.lines());
        let (stretch, place) = (slot as usize / per_stretch, slot as usize % per_stretch);
        if stretch == self.stretches.len() {
            self.stretches.push(Arc::default());
        }
        let stretch = Arc::make_mut(&mut self.stretches[stretch]);
        if place == stretch.owners.len() {
            let end = stretch.numbers.len() + width;
            stretch.numbers.resize(end, Line([0; LINE]));
            stretch.signs.resize(end, 0);
            stretch.inverses.push(0.0);
            stretch.owners.push(NOBODY);
            self.slots += 1;
        }
        let mut lines = lines(numbers);
        for i in place * width..(place + 1) * width {
            let line = lines.next().unwrap_or(Line([0; LINE]));
            stretch.numbers[i] = line;
            stretch.signs[i] = signs(&line);
        }
        stretch.inverses[place] = inverse;
        stretch.owners[place] = page;
        slot
    }

    /// Takes a vector away.
    pub fn remove(&mut self, slot: u32) {
        let per_stretch = self.per_stretch();
        let Some(stretch) = self.stretches.get_mut(slot as usize / per_stretch) else {
            return;
        };
        let stretch = Arc::make_mut(stretch);
        let place = slot as usize % per_stretch;
        if stretch
            .owners
            .get(place)
            .is_some_and(|owner| *owner != NOBODY)
        {
            stretch.owners[place] = NOBODY;
            stretch.inverses[place] = 0.0;
            self.free.push(slot);
        }
    }

    fn place(&self, slot: u32) -> Option<(&Stretch, usize)> {
        let per_stretch = self.per_stretch();
        let stretch = self.stretches.get(slot as usize / per_stretch)?;
        let place = slot as usize % per_stretch;
        (place < stretch.owners.len()).then_some((stretch, place))
    }

    /// The vector in a slot.
    pub fn get(&self, slot: u32) -> Option<Vector> {
        let (stretch, place) = self.place(slot)?;
        let width = self.lines();
        let lines = &stretch.numbers[place * width..(place + 1) * width];
        let numbers = lines.iter().flat_map(|line| line.0);
        Some(Vector::of_numbers(numbers.take(self.dimensions).collect()))
    }

    /// Returns the cosine of the vector in a slot and `question`; 0 if one of them is zero.
    pub fn cosine(&self, slot: u32, question: &QueryVector) -> f32 {
        let Some((stretch, place)) = self.place(slot) else {
            return 0.0;
        };
        let width = self.lines();
        if question.lines.len() != width {
            return 0.0;
        }
        let vector = &stretch.numbers[place * width..(place + 1) * width];
        dot::product(vector, &question.lines) as f32 * stretch.inverses[place] * question.inverse
    }
}

/// One divided by the length; nothing of what points nowhere.
fn inverse(length: f32) -> f32 {
    if length > 0.0 { length.recip() } else { 0.0 }
}

fn lines(numbers: &[i8]) -> impl Iterator<Item = Line> {
    numbers.chunks(LINE).map(|numbers| {
        let mut line = Line([0; LINE]);
        for (to, from) in line.0.iter_mut().zip(numbers) {
            // -128 has no negative: see [`Line`].
            *to = (*from).max(-i8::MAX);
        }
        line
    })
}

fn signs(line: &Line) -> u64 {
    let bits = line.0.iter().enumerate();
    bits.fold(0, |signs, (i, number)| signs | u64::from(*number < 0) << i)
}

/// Converts a vector of the right number of dimensions to an embedding as the table of this program
/// makes them.
pub fn embedding(vector: &Vector) -> Option<Embedding> {
    Some(Embedding {
        vector: vector.numbers[..].try_into().ok()?,
        norm: vector.length,
    })
}

/// Serializes the vectors of the passages of a page.
pub fn packed(passages: &[Vec<Embedding>]) -> Vec<u8> {
    let count: usize = passages.iter().map(Vec::len).sum();
    let mut bytes = Vec::with_capacity(2 * passages.len() + count * PACKED);
    for vectors in passages {
        // A passage has a few windows.
        bytes.extend((vectors.len() as u16).to_le_bytes());
        for one in vectors {
            bytes.extend(one.norm.to_le_bytes());
            bytes.extend(one.vector.map(|number| number.to_le_bytes()[0]));
        }
    }
    bytes
}

/// Inverse of [`packed`]; `None` if `bytes` are malformed.
pub fn unpacked(mut bytes: &[u8]) -> Option<Vec<Vec<Embedding>>> {
    let mut passages = Vec::new();
    while let Some((count, rest)) = bytes.split_first_chunk() {
        let count = usize::from(u16::from_le_bytes(*count));
        let (packed, rest) = rest.split_at_checked(count * PACKED)?;
        let mut vectors = Vec::with_capacity(count);
        for bytes in packed.chunks_exact(PACKED) {
            let (norm, numbers) = bytes.split_first_chunk()?;
            let mut vector = [0; DIMENSIONS];
            for (number, byte) in vector.iter_mut().zip(numbers) {
                *number = i8::from_le_bytes([*byte]);
            }
            vectors.push(Embedding {
                vector,
                norm: f32::from_le_bytes(*norm),
            });
        }
        passages.push(vectors);
        bytes = rest;
    }
    bytes.is_empty().then_some(passages)
}
