//! Products of vectors of small numbers, with the widest instructions that the processor has.
//!
//! The one place with `unsafe`: a function compiled for AVX2 may only be called where the processor has it, which is
//! asked at run time. Everything else is a plain loop that the compiler turns into those instructions.
#![expect(
    unsafe_code,
    reason = "calls to functions compiled for AVX2, behind the question whether it is there"
)]

use crate::index::vectors::DIMENSIONS;

/// The product of two vectors.
pub fn dot(a: &[i8; DIMENSIONS], b: &[i8; DIMENSIONS]) -> i32 {
    let products = a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b));
    products.sum()
}

/// Calls `found` with the product of `question` and the vector of each of `slots`.
pub fn each<T>(
    question: &[i8; DIMENSIONS],
    slots: &[T],
    vector: impl Fn(&T) -> &[i8; DIMENSIONS],
    found: impl FnMut(&T, i32),
) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, as was just asked; the function has no other condition.
        return unsafe { each_avx2(question, slots, vector, found) };
    }
    each_plain(question, slots, vector, found);
}

/// [`each_plain`], compiled for AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn each_avx2<T>(
    question: &[i8; DIMENSIONS],
    slots: &[T],
    vector: impl Fn(&T) -> &[i8; DIMENSIONS],
    found: impl FnMut(&T, i32),
) {
    each_plain(question, slots, vector, found);
}

#[inline(always)]
fn each_plain<T>(
    question: &[i8; DIMENSIONS],
    slots: &[T],
    vector: impl Fn(&T) -> &[i8; DIMENSIONS],
    mut found: impl FnMut(&T, i32),
) {
    // Widened once, not for every vector.
    let question = question.map(i16::from);
    for slot in slots {
        let products = question
            .iter()
            .zip(vector(slot))
            .map(|(a, b)| i32::from(*a) * i32::from(*b));
        found(slot, products.sum());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_numbers_do_not_overflow_and_both_ways_agree() {
        let mut next = 1_u32;
        let mut random = || {
            next = next.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (next >> 24) as u8 as i8
        };
        let vectors: Vec<[i8; DIMENSIONS]> =
            (0..50).map(|_| std::array::from_fn(|_| random())).collect();
        let mut all = vectors.clone();
        all.push([i8::MIN; DIMENSIONS]);
        for question in &all {
            let (mut wide, mut plain) = (Vec::new(), Vec::new());
            each(question, &all, |one| one, |_, product| wide.push(product));
            each_plain(question, &all, |one| one, |_, product| plain.push(product));
            let expected = all.iter().map(|one| {
                one.iter()
                    .zip(question)
                    .map(|(a, b)| i32::from(*a) * i32::from(*b))
                    .sum::<i32>()
            });
            assert_eq!(wide, plain);
            assert_eq!(wide, expected.collect::<Vec<_>>());
        }
        assert_eq!(
            dot(&[i8::MIN; DIMENSIONS], &[i8::MIN; DIMENSIONS]),
            256 * 128 * 128
        );
    }
}
