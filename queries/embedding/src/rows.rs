//! Sums of rows, with the widest instructions that the processor has.
//!
//! One of two places with `unsafe` (the other one is `src/index/dot.rs`): a function compiled for some instructions may only
//! be called where the processor has them, which is asked at run time. It is the same function for all of them, and each
//! number of a sum is added up in the same order by all, so what a text is about depends on no processor.
#![expect(
    unsafe_code,
    reason = "calls to functions compiled for more than every processor has, behind the question whether it has that"
)]

use crate::DIMENSIONS;

/// Adds up the rows of `table` with these numbers, each times the number beside it, in their order.
pub(crate) fn sum(table: &[i8], picked: &[(u32, f32)]) -> [f32; DIMENSIONS] {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
            // SAFETY: the processor has both, as was just asked; the function has no other condition.
            return unsafe { sum_avx512(table, picked) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2, as was just asked; the function has no other condition.
            return unsafe { sum_avx2(table, picked) };
        }
    }
    sum_plain(table, picked)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
fn sum_avx512(table: &[i8], picked: &[(u32, f32)]) -> [f32; DIMENSIONS] {
    sum_by::<128>(table, picked)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn sum_avx2(table: &[i8], picked: &[(u32, f32)]) -> [f32; DIMENSIONS] {
    sum_by::<64>(table, picked)
}

fn sum_plain(table: &[i8], picked: &[(u32, f32)]) -> [f32; DIMENSIONS] {
    sum_by::<32>(table, picked)
}

/// The sum, `WIDTH` numbers at a time: as many as there are registers for, so that no sum is stored before it is done.
#[inline(always)]
fn sum_by<const WIDTH: usize>(table: &[i8], picked: &[(u32, f32)]) -> [f32; DIMENSIONS] {
    let mut sum = [0.0; DIMENSIONS];
    for (at, sum) in sum.chunks_exact_mut(WIDTH).enumerate() {
        let mut part = [0.0_f32; WIDTH];
        for (row, scale) in picked {
            let start = *row as usize * DIMENSIONS + at * WIDTH;
            let numbers = &table[start..start + WIDTH];
            for (sum, number) in part.iter_mut().zip(numbers) {
                *sum += scale * f32::from(*number);
            }
        }
        sum.copy_from_slice(&part);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of numbers as the model has them, and larger ones.
    fn table(rows: usize) -> Vec<i8> {
        let mut state = 7_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8 as i8
        };
        (0..rows * DIMENSIONS).map(|_| next()).collect()
    }

    #[test]
    fn every_processor_adds_up_the_same() {
        let table = table(40);
        for count in [0, 1, 2, 40] {
            let picked: Vec<(u32, f32)> = (0..count)
                .map(|i| (i * 7 % 40, 0.013 * (i + 1) as f32))
                .collect();
            // A number after the other.
            let mut one_by_one = [0.0_f32; DIMENSIONS];
            for (row, scale) in &picked {
                for (i, sum) in one_by_one.iter_mut().enumerate() {
                    *sum += scale * f32::from(table[*row as usize * DIMENSIONS + i]);
                }
            }
            let bits = |sum: [f32; DIMENSIONS]| sum.map(f32::to_bits);
            let expected = bits(one_by_one);
            assert_eq!(bits(sum_plain(&table, &picked)), expected, "{count}");
            assert_eq!(bits(sum(&table, &picked)), expected, "{count}");
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has AVX2, as was just asked.
                let sum = unsafe { sum_avx2(&table, &picked) };
                assert_eq!(bits(sum), expected, "{count}");
            }
        }
    }
}
