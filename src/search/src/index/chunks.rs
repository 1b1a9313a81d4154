//! A long list that is cheap to copy and to change: readers keep the old one while a writer makes the next.

use std::sync::Arc;

/// Number of elements copied when one changes.
const CHUNK: usize = 256;

/// A list in chunks that its copies share.
#[derive(Clone, Debug)]
pub struct Chunks<T> {
    chunks: Vec<Arc<Vec<T>>>,
    len: usize,
}

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Self {
            chunks: Vec::new(),
            len: 0,
        }
    }
}

impl<T: Clone> Chunks<T> {
    /// Returns the number of elements.
    pub fn count(&self) -> usize {
        self.len
    }

    /// The element at `i`.
    pub fn get(&self, i: usize) -> Option<&T> {
        self.chunks.get(i / CHUNK)?.get(i % CHUNK)
    }

    /// Puts `value` in the place of the element at `i`, or behind the last.
    pub fn set(&mut self, i: usize, value: T) {
        if i >= self.len {
            self.push(value);
        } else if let Some(place) = self
            .chunks
            .get_mut(i / CHUNK)
            .map(|chunk| &mut Arc::make_mut(chunk)[i % CHUNK])
        {
            *place = value;
        }
    }

    /// Adds `value` behind the last.
    pub fn push(&mut self, value: T) {
        if self.len.is_multiple_of(CHUNK) {
            self.chunks.push(Arc::new(Vec::with_capacity(CHUNK)));
        }
        if let Some(chunk) = self.chunks.last_mut() {
            Arc::make_mut(chunk).push(value);
            self.len += 1;
        }
    }

    /// All elements, in stretches that lie side by side.
    pub fn stretches(&self) -> impl Iterator<Item = &[T]> {
        self.chunks.iter().map(|chunk| &chunk[..])
    }

    /// All elements.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.stretches().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_keeps_what_it_was() {
        let mut list = Chunks::default();
        for i in 0..1000 {
            list.push(i);
        }
        let before = list.clone();
        list.set(700, 0);
        list.set(1000, 7);
        assert_eq!((before.get(700), before.count()), (Some(&700), 1000));
        assert_eq!(
            (list.get(700), list.get(1000), list.count()),
            (Some(&0), Some(&7), 1001)
        );
        assert!(before.iter().copied().eq(0..1000));
    }
}
