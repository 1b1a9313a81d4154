//! Products of vectors of small numbers, with the widest instructions that the processor has.
//!
//! The one place with `unsafe`: a function compiled for AVX2 may only be called where the processor has it, which is
//! asked at run time, and its loads take pointers. A plain loop over bytes is widened four times too far by the compiler;
//! it stays for other processors, and as the judge of the other.
#![expect(
    unsafe_code,
    reason = "calls to functions compiled for AVX2 behind the question whether it is there, and their loads"
)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_add_epi32, _mm256_cvtepi8_epi16, _mm256_madd_epi16,
    _mm256_setzero_si256, _mm256_storeu_si256,
};

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
    mut found: impl FnMut(&T, i32),
) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, as was just asked; the function has no other condition.
        return unsafe { each_avx2(question, slots, vector, found) };
    }
    for slot in slots {
        found(slot, dot(question, vector(slot)));
    }
}

/// The same with AVX2: sixteen numbers at a time, as 16 bits, whose products are added in pairs. The question is widened
/// once.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn each_avx2<T>(
    question: &[i8; DIMENSIONS],
    slots: &[T],
    vector: impl Fn(&T) -> &[i8; DIMENSIONS],
    mut found: impl FnMut(&T, i32),
) {
    let question: [__m256i; DIMENSIONS / 16] = std::array::from_fn(|i| widened(question, i));
    for slot in slots {
        let vector = vector(slot);
        // Two sums, so that one addition need not wait for the other. None overflows: 256 products of at most 2^14.
        let mut sums = [_mm256_setzero_si256(); 2];
        for (i, part) in question.iter().enumerate() {
            sums[i % 2] =
                _mm256_add_epi32(sums[i % 2], _mm256_madd_epi16(*part, widened(vector, i)));
        }
        let mut lanes = [0_i32; 8];
        // SAFETY: `lanes` is the 32 bytes that are written; the instruction asks for no alignment.
        unsafe {
            _mm256_storeu_si256(
                lanes.as_mut_ptr().cast(),
                _mm256_add_epi32(sums[0], sums[1]),
            );
        };
        found(slot, lanes.iter().sum());
    }
}

/// The numbers of a vector from 16 times `i` on, each in 16 bits.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn widened(vector: &[i8; DIMENSIONS], i: usize) -> __m256i {
    let part = &vector[16 * i..16 * i + 16];
    // SAFETY: `part` is the 16 bytes that are read; the instruction asks for no alignment.
    _mm256_cvtepi8_epi16(unsafe { _mm_loadu_si128(part.as_ptr().cast()) })
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
        let mut all: Vec<[i8; DIMENSIONS]> =
            (0..50).map(|_| std::array::from_fn(|_| random())).collect();
        all.push([i8::MIN; DIMENSIONS]);
        for question in &all {
            let mut wide = Vec::new();
            each(question, &all, |one| one, |_, product| wide.push(product));
            let plain: Vec<i32> = all.iter().map(|one| dot(question, one)).collect();
            assert_eq!(wide, plain);
        }
        assert_eq!(
            dot(&[i8::MIN; DIMENSIONS], &[i8::MIN; DIMENSIONS]),
            256 * 128 * 128
        );
    }
}
