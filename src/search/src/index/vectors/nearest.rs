//! Nearest pages of a question: by every vector, or, where there are very many, by those that have
//! nearly the same signs.

use super::{NOBODY, QueryVector, Vectors};
use crate::index::dot;

/// Number of vectors from which those that point elsewhere are skipped by their signs: below,
/// comparing all of them takes less than everything else in a question.
const PREFILTER_THRESHOLD: usize = 32_000;

/// Minimum number of vectors that are compared in full then.
const MIN_CANDIDATES: usize = 1_000;

/// Share of vectors compared then: one in this many. Of 7,829 vectors of real passages the ten
/// nearest pages are among one in fifty but for one in twenty-four, and among a thousand but for
/// one in five hundred (`tests/shell/search/nearest.rs`); the more there are, the fewer are missed
/// by the same share.
const SHARE: usize = 50;

/// Number of vectors to prefetch ahead of the current one.
const AHEAD: usize = 12;

/// Restrictions on the vectors besides nearness.
pub struct Among<'a> {
    /// One more than the highest number of a page.
    pub numbers: usize,
    /// Slots whose cosine is wanted whatever it is: those of pages that are found otherwise too.
    pub surely: &'a [u32],
    /// Returns true for wanted pages; without it all are.
    pub is_wanted: Option<&'a dyn Fn(u32) -> bool>,
}

impl Vectors {
    /// Returns true if there are so many vectors that a prefilter selects those that are compared
    /// exactly.
    pub fn is_long(&self) -> bool {
        self.count() >= PREFILTER_THRESHOLD
    }

    /// Returns the nearness of each page to `question`, by number: the cosine of its nearest
    /// passage, 0 for what points away. Of very many vectors, only the nearest and those that are
    /// wanted `surely` are compared.
    pub fn nearest(&self, question: &QueryVector, among: &Among<'_>) -> Vec<f32> {
        if !self.is_long() || among.surely.len() > self.count() / 4 {
            return self.nearest_of_all(question, among.numbers);
        }
        self.nearest_by_signs(question, among, MIN_CANDIDATES.max(self.count() / SHARE))
    }

    /// Compares every vector.
    pub fn nearest_of_all(&self, question: &QueryVector, numbers: usize) -> Vec<f32> {
        let mut best = vec![0.0_f32; numbers];
        if question.lines.len() != self.lines() {
            return best;
        }
        let mut products = Vec::with_capacity(self.per_stretch());
        for stretch in &self.stretches {
            dot::products(&question.lines, &stretch.numbers, &mut products);
            let slots = products.iter().zip(&stretch.inverses);
            // Vectors of a page lie side by side: what is best of it so far stays at hand.
            let (mut page, mut most) = (NOBODY, 0.0_f32);
            for ((product, inverse), owner) in slots.zip(&stretch.owners) {
                let cosine = *product as f32 * inverse;
                if *owner == page {
                    most = most.max(cosine);
                    continue;
                }
                raise(&mut best, page, most);
                (page, most) = (*owner, cosine);
            }
            raise(&mut best, page, most);
        }
        for best in &mut best {
            *best *= question.inverse;
        }
        best
    }

    /// Compares the `keep` vectors, or somewhat more, whose signs differ least from those of the
    /// question, and those that are wanted surely.
    pub fn nearest_by_signs(
        &self,
        question: &QueryVector,
        among: &Among<'_>,
        keep: usize,
    ) -> Vec<f32> {
        let mut best = vec![0.0_f32; among.numbers];
        if question.lines.len() != self.lines() {
            return best;
        }
        // The number of vectors at each distance determines the cut-off.
        let mut counts = vec![0_usize; self.lines() * dot::LINE + 1];
        let mut all: Vec<u16> = Vec::with_capacity(self.slots);
        let mut distances = Vec::with_capacity(self.per_stretch());
        for stretch in &self.stretches {
            dot::distances(&question.signs, &stretch.signs, &mut distances);
            if let Some(is_wanted) = among.is_wanted {
                leave_out(&mut distances, &stretch.owners, is_wanted);
            }
            for distance in &distances {
                if let Some(count) = counts.get_mut(usize::from(*distance)) {
                    *count += 1;
                }
            }
            all.extend_from_slice(&distances);
        }
        // A slot that is free still has its signs: it is not counted.
        for slot in &self.free {
            let distance = std::mem::replace(&mut all[*slot as usize], u16::MAX);
            if let Some(count) = counts.get_mut(usize::from(distance)) {
                *count -= 1;
            }
        }
        let mut sum = 0;
        let most = counts.iter().position(|count| {
            sum += count;
            sum >= keep
        });
        let most = most.unwrap_or(counts.len());
        let near = all.iter().enumerate();
        let near = near.filter(|(_, distance)| usize::from(**distance) <= most);
        let near = near.map(|(slot, _)| slot as u32);
        let picked: Vec<u32> = near.chain(among.surely.iter().copied()).collect();
        let vector = |slot: u32| {
            let (stretch, place) = self.place(slot)?;
            let vector = &stretch.numbers[place * self.lines()..(place + 1) * self.lines()];
            Some((vector, stretch.inverses[place], stretch.owners[place]))
        };
        let mut product = Vec::with_capacity(1);
        for (i, slot) in picked.iter().enumerate() {
            if let Some((soon, ..)) = picked.get(i + AHEAD).and_then(|soon| vector(*soon)) {
                dot::fetch(soon);
            }
            let Some((vector, inverse, owner)) = vector(*slot) else {
                continue;
            };
            dot::products(&question.lines, vector, &mut product);
            let product = product.first().copied().unwrap_or_default() as f32;
            raise(&mut best, owner, product * inverse * question.inverse);
        }
        best
    }
}

/// Puts vectors of pages that are not wanted out of the way: those behind each other are mostly of one page.
fn leave_out(distances: &mut [u16], owners: &[u32], is_wanted: &dyn Fn(u32) -> bool) {
    let mut last = (NOBODY, false);
    for (distance, owner) in distances.iter_mut().zip(owners) {
        if *owner != last.0 {
            last = (*owner, is_wanted(*owner));
        }
        if !last.1 {
            *distance = u16::MAX;
        }
    }
}

/// Brings what is `best` of a page to at least `cosine`.
fn raise(best: &mut [f32], page: u32, cosine: f32) {
    if let Some(best) = best.get_mut(page as usize) {
        *best = best.max(cosine);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::vectors::Vector;

    fn random(seed: u32) -> impl FnMut() -> f32 {
        let mut next = seed;
        move || {
            next = next.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (next >> 8) as f32 / (1 << 23) as f32 - 1.0
        }
    }

    fn vector(random: &mut impl FnMut() -> f32, dimensions: usize) -> Vector {
        let numbers: Vec<f32> = (0..dimensions).map(|_| random()).collect();
        Vector::of(&numbers)
    }

    fn plain(a: &Vector, b: &Vector) -> f32 {
        let products = a.numbers.iter().zip(&b.numbers);
        let product: i32 = products.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
        product as f32 / (a.length * b.length)
    }

    /// Vectors of any number of dimensions are compared exactly, as slots come and go.
    #[track_caller]
    fn check(dimensions: usize) {
        let random = &mut random(dimensions as u32);
        let mut table = Vectors::new(dimensions);
        let mut had: Vec<Option<(u32, Vector)>> = Vec::new();
        for i in 0..700 {
            if i % 3 == 2 {
                let gone = (random().abs() * had.len() as f32) as usize;
                if had[gone].take().is_some() {
                    table.remove(gone as u32);
                }
            }
            let one = vector(random, dimensions);
            let page = (random().abs() * 50.0) as u32;
            let slot = table.insert(page, &one) as usize;
            had.resize(had.len().max(slot + 1), None);
            assert_eq!(had[slot].replace((page, one)), None);
        }
        let before = table.clone();
        table.remove(had.iter().position(Option::is_some).unwrap() as u32);
        assert_eq!(
            (before.count(), table.count()),
            (table.count() + 1, table.count())
        );
        let question = vector(random, dimensions);
        let query = QueryVector::from(&question);
        let mut judged = vec![0.0_f32; 50];
        for (slot, (page, one)) in had
            .iter()
            .enumerate()
            .filter_map(|(i, one)| Some((i, one.as_ref()?)))
        {
            let cosine = plain(one, &question);
            assert!((before.cosine(slot as u32, &query) - cosine).abs() < 1e-6);
            assert_eq!(before.get(slot as u32).as_ref(), Some(one));
            judged[*page as usize] = judged[*page as usize].max(cosine);
        }
        let found = before.nearest_of_all(&query, 50);
        for (found, judged) in found.iter().zip(&judged) {
            assert!((found - judged).abs() < 1e-6, "{found} {judged}");
        }
        let among = Among {
            numbers: 50,
            surely: &[],
            is_wanted: None,
        };
        assert_eq!(before.nearest(&query, &among), found);
        assert_eq!(before.nearest_by_signs(&query, &among, usize::MAX), found);
    }

    #[test]
    fn vectors_of_any_size_are_compared_exactly() {
        for dimensions in [1, 63, 64, 100, 256, 384, 1536, 3072] {
            check(dimensions);
        }
    }

    #[test]
    fn what_is_wanted_surely_or_not_at_all_is_heeded_by_signs_too() {
        let random = &mut random(7);
        let mut table = Vectors::new(128);
        let slots: Vec<u32> = (0..3000)
            .map(|page| table.insert(page, &vector(random, 128)))
            .collect();
        let query = QueryVector::from(&vector(random, 128));
        let exact = table.nearest_of_all(&query, 3000);
        let surely = &slots[100..110];
        let is_wanted = |page: u32| page.is_multiple_of(10);
        let among = Among {
            numbers: 3000,
            surely,
            is_wanted: Some(&is_wanted),
        };
        let found = table.nearest_by_signs(&query, &among, 20);
        let looked_at = found.iter().zip(&exact).filter(|(found, _)| **found != 0.0);
        assert!(looked_at.clone().count() < 100);
        for (page, found) in found.iter().enumerate() {
            assert!(*found == 0.0 || *found == exact[page]);
            assert!(*found == 0.0 || is_wanted(page as u32) || (100..110).contains(&page));
        }
        assert_eq!(found[100..110], exact[100..110]);
        let mut best: Vec<usize> = (0..3000).step_by(10).collect();
        best.sort_by(|a, b| exact[*b].total_cmp(&exact[*a]));
        assert_eq!(found[best[0]], exact[best[0]]);
    }

    #[test]
    fn a_vector_of_another_size_is_about_nothing() {
        let random = &mut random(1);
        let mut table = Vectors::new(256);
        let slot = table.insert(0, &vector(random, 384));
        let asked = QueryVector::from(&vector(random, 256));
        assert_eq!(table.cosine(slot, &asked), 0.0);
        assert_eq!(
            table.nearest_of_all(&QueryVector::from(&vector(random, 384)), 1),
            [0.0]
        );
    }
}
