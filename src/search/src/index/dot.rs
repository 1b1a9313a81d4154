//! Products of vectors of small numbers, and how many signs differ, with the widest instructions that the processor has.
//!
//! One of two places with `unsafe` (the other one is `queries/embedding/src/rows.rs`): a function compiled for some
//! instructions may only be called where the processor has them, which is asked at run time, and loads take pointers. The
//! plain loops stay for other processors, and as the judges of the others.
#![expect(
    unsafe_code,
    reason = "calls to functions compiled for more than every processor has, behind the question whether it has that, and loads"
)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    _MM_HINT_T0, _mm_prefetch, _mm256_abs_epi8, _mm256_add_epi32, _mm256_loadu_si256,
    _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_set1_epi16, _mm256_setzero_si256,
    _mm256_sign_epi8, _mm256_storeu_si256, _mm512_dpbusd_epi32, _mm512_loadu_si512,
    _mm512_reduce_add_epi32, _mm512_set1_epi8, _mm512_setzero_si512, _mm512_xor_si512,
};

/// Numbers of a vector that are read at once: a line of the cache. A vector is some lines, filled up with zeros. Its
/// numbers are from -127 to 127: the negative of each is one too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Line(pub [i8; LINE]);

/// Number of elements of a [`Line`].
pub const LINE: usize = 64;

/// The product of two vectors of as many lines.
pub fn product(a: &[Line], b: &[Line]) -> i32 {
    let lines = a.iter().zip(b);
    let products = lines.map(|(a, b)| {
        let pairs = a.0.iter().zip(&b.0);
        pairs
            .map(|(a, b)| i32::from(*a) * i32::from(*b))
            .sum::<i32>()
    });
    products.sum()
}

/// Writes the product of `question` and each of `vectors`, which are contiguous, to `products`.
pub fn products(question: &[Line], vectors: &[Line], products: &mut Vec<i32>) {
    products.clear();
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni") {
            // SAFETY: the processor has both, as was just asked; the function has no other condition.
            return unsafe { products_vnni(question, vectors, products) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2, as was just asked; the function has no other condition.
            return unsafe { products_avx2(question, vectors, products) };
        }
    }
    products_plain(question, vectors, products);
}

/// Asks the memory for `vector`, which is compared soon: those that are picked lie anywhere, and waiting for each takes
/// longer than comparing it.
#[inline]
pub fn fetch(vector: &[Line]) {
    #[cfg(target_arch = "x86_64")]
    for line in vector {
        // SAFETY: the instruction is one of all processors of this kind and reads nothing that the program could see.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.0.as_ptr()) };
    }
}

fn products_plain(question: &[Line], vectors: &[Line], products: &mut Vec<i32>) {
    let vectors = vectors.chunks_exact(question.len().max(1));
    products.extend(vectors.map(|vector| product(vector, question)));
}

/// AVX2 version: the absolute values of the question, times the values of the vector with the signs
/// of both, added in pairs to 16 bits. That is why -128 is not allowed: two of its squares do not
/// fit, and it has no negative.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn products_avx2(question: &[Line], vectors: &[Line], products: &mut Vec<i32>) {
    let ones = _mm256_set1_epi16(1);
    for vector in vectors.chunks_exact(question.len().max(1)) {
        // Two sums, so that one addition need not wait for the other.
        let mut sums = [_mm256_setzero_si256(); 2];
        for (question, line) in question.iter().zip(vector) {
            for (half, sum) in sums.iter_mut().enumerate() {
                let (question, line) = (&question.0[32 * half..], &line.0[32 * half..]);
                // SAFETY: both are at least the 32 bytes that are read; the instruction asks for no alignment.
                let (question, line) = unsafe {
                    (
                        _mm256_loadu_si256(question.as_ptr().cast()),
                        _mm256_loadu_si256(line.as_ptr().cast()),
                    )
                };
                let pairs = _mm256_maddubs_epi16(
                    _mm256_abs_epi8(question),
                    _mm256_sign_epi8(line, question),
                );
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
            }
        }
        let mut lanes = [0_i32; 8];
        // SAFETY: `lanes` is the 32 bytes that are written; the instruction asks for no alignment.
        unsafe {
            _mm256_storeu_si256(
                lanes.as_mut_ptr().cast(),
                _mm256_add_epi32(sums[0], sums[1]),
            );
        };
        products.push(lanes.iter().sum());
    }
}

/// VNNI version: 64 products by one instruction. It needs one unsigned side, so 128 is added to
/// each number of the vector, and 128 times the sum of the question subtracted in the end.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vnni")]
fn products_vnni(question: &[Line], vectors: &[Line], products: &mut Vec<i32>) {
    let numbers = question.iter().flat_map(|line| line.0);
    let too_much = 128 * numbers.map(i32::from).sum::<i32>();
    let shift = _mm512_set1_epi8(i8::MIN);
    for vector in vectors.chunks_exact(question.len().max(1)) {
        let mut sum = _mm512_setzero_si512();
        for (question, line) in question.iter().zip(vector) {
            // SAFETY: both are the 64 bytes that are read; the instruction asks for no alignment.
            let (question, line) = unsafe {
                (
                    _mm512_loadu_si512(question.0.as_ptr().cast()),
                    _mm512_loadu_si512(line.0.as_ptr().cast()),
                )
            };
            sum = _mm512_dpbusd_epi32(sum, _mm512_xor_si512(line, shift), question);
        }
        products.push(_mm512_reduce_add_epi32(sum) - too_much);
    }
}

/// Writes how many bits of `question` and of each of `signs`, which are contiguous, differ to
/// `distances`.
pub fn distances(question: &[u64], signs: &[u64], distances: &mut Vec<u16>) {
    distances.clear();
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor counts bits, as was just asked; the function has no other condition.
        return unsafe { distances_popcnt(question, signs, distances) };
    }
    distances_plain(question, signs, distances);
}

#[inline]
fn distances_plain(question: &[u64], signs: &[u64], distances: &mut Vec<u16>) {
    let signs = signs.chunks_exact(question.len().max(1));
    distances.extend(signs.map(|signs| {
        let words = signs.iter().zip(question);
        words.map(|(a, b)| (a ^ b).count_ones() as u16).sum::<u16>()
    }));
}

/// Loop over both vectors with the instruction that counts bits.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn distances_popcnt(question: &[u64], signs: &[u64], distances: &mut Vec<u16>) {
    distances_plain(question, signs, distances);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(seed: u32) -> impl FnMut() -> u32 {
        let mut next = seed;
        move || {
            next = next.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            next >> 8
        }
    }

    /// All ways to multiply agree, for vectors of so many lines.
    fn check(lines: usize) {
        let mut random = random(lines as u32);
        let mut one = |_| Line(std::array::from_fn(|_| (random() as u8 as i8).max(-127)));
        let mut all: Vec<Vec<Line>> = (0..50)
            .map(|_| (0..lines).map(&mut one).collect())
            .collect();
        all.push(vec![Line([127; LINE]); lines]);
        all.push(vec![Line([-127; LINE]); lines]);
        all.push(vec![Line([0; LINE]); lines]);
        let side_by_side = all.concat();
        for question in &all {
            let judged: Vec<i32> = all.iter().map(|one| product(question, one)).collect();
            let mut found = Vec::new();
            products(question, &side_by_side, &mut found);
            assert_eq!(found, judged);
            found.clear();
            products_plain(question, &side_by_side, &mut found);
            assert_eq!(found, judged);
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                found.clear();
                // SAFETY: the processor has AVX2, as was just asked.
                unsafe { products_avx2(question, &side_by_side, &mut found) };
                assert_eq!(found, judged);
            }
        }
    }

    #[test]
    fn all_ways_agree_and_the_widest_numbers_do_not_overflow() {
        for lines in [1, 4, 6, 12, 48] {
            check(lines);
        }
        let widest = [Line([127; LINE]); 48];
        assert_eq!(product(&widest, &widest), 3072 * 127 * 127);
    }

    #[test]
    fn differing_signs_are_counted() {
        let mut random = random(3);
        let mut word =
            || u64::from(random()) << 40 ^ u64::from(random()) << 20 ^ u64::from(random());
        let signs: Vec<u64> = (0..4 * 50).map(|_| word()).collect();
        let (mut counted, mut plain) = (Vec::new(), Vec::new());
        distances(&signs[..4], &signs, &mut counted);
        distances_plain(&signs[..4], &signs, &mut plain);
        assert_eq!(counted, plain);
        assert_eq!(counted[0], 0);
        distances(&[0, 0], &[0b101, 1, 0, u64::MAX], &mut counted);
        assert_eq!(counted, [3, 64]);
    }
}
