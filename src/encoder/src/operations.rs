//! Matrix operations of an encoder, row by row, on the calling thread. The same operations of the
//! library would use every core.

use candle_core::{CpuStorage, InplaceOp1, InplaceOp2, Layout, Result, bail};

/// Activation function between layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activation {
    /// `x Φ(x)`, by the error function.
    Gelu,
    /// GELU approximated by the hyperbolic tangent.
    GeluTanh,
    /// Nothing below zero.
    Relu,
}

impl Activation {
    fn of(self, x: f32) -> f32 {
        match self {
            Self::Gelu => 0.5 * x * (1.0 + error_function(x * std::f32::consts::FRAC_1_SQRT_2)),
            Self::GeluTanh => {
                let inner = (2.0 / std::f32::consts::PI).sqrt() * (x + 0.044_715 * x * x * x);
                0.5 * x * (1.0 + inner.tanh())
            }
            Self::Relu => x.max(0.0),
        }
    }
}

/// The exponential function of numbers up to zero, within a few parts in ten million, in steps that a compiler makes of many
/// numbers at once.
fn exponential(x: f32) -> f32 {
    use std::f32::consts::{LN_2, LOG2_E};
    /// Added to a number, it leaves no place for what is behind the point.
    const ROUND: f32 = 12_582_912.0;
    // Below, the result is no number of the usual kind; nothing here is that small and matters. What is no number stays so.
    let x = if x < -87.0 { -87.0 } else { x };
    let rounded = x * LOG2_E + ROUND;
    let power = rounded - ROUND;
    // In two steps, as the logarithm has more digits than a number.
    let rest = x - power * 0.693_359_4 + power * (0.693_359_4 - LN_2);
    let sum = [
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ];
    let sum = sum.iter().fold(0.0_f32, |sum, factor| sum * rest + factor);
    let bits = rounded.to_bits().wrapping_add(127) << 23;
    sum * f32::from_bits(bits)
}

/// The error function, by formula 7.1.26 of Abramowitz and Stegun: within 1.5e-7.
fn error_function(x: f32) -> f32 {
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    let sum = [
        1.061_405_4,
        -1.453_152,
        1.421_413_8,
        -0.284_496_74,
        0.254_829_6,
    ]
    .iter()
    .fold(0.0_f32, |sum, factor| sum * t + factor)
        * t;
    (1.0 - sum * exponential(-x * x)).copysign(x)
}

/// Number of results that a row is folded into before they are joined.
const LANES: usize = 16;

/// Folds numbers into [`LANES`] results and joins those. In order, each step would wait for the one before.
fn in_lanes(
    numbers: &[f32],
    first: f32,
    step: impl Fn(f32, f32) -> f32,
    join: impl Fn(f32, f32) -> f32,
) -> f32 {
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    let mut lanes = [first; LANES];
    for chunk in chunks {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *lane = step(*lane, *number);
        }
    }
    for (lane, number) in lanes.iter_mut().zip(rest) {
        *lane = step(*lane, *number);
    }
    lanes.into_iter().fold(first, join)
}

fn sum(numbers: &[f32]) -> f32 {
    in_lanes(numbers, 0.0, |sum, number| sum + number, |a, b| a + b)
}

/// The largest number; what is no number is left out.
fn largest(numbers: &[f32]) -> f32 {
    let larger = |a: f32, b: f32| if b > a { b } else { a };
    in_lanes(numbers, f32::NEG_INFINITY, larger, larger)
}

/// Adds a bias to each row.
pub(crate) struct Shift<'a>(pub(crate) &'a [f32]);

/// Adds a bias to each row and applies the activation function.
pub(crate) struct Activate<'a>(pub(crate) &'a [f32], pub(crate) Activation);

/// Applies softmax to each row.
pub(crate) struct Softmax;

/// Adds numbers and the other matrix to each row, and brings it to mean and variance.
pub(crate) struct Normalize<'a> {
    pub(crate) shift: &'a [f32],
    pub(crate) scale: &'a [f32],
    pub(crate) offset: &'a [f32],
    pub(crate) epsilon: f32,
}

/// Elements of a matrix, row after row.
fn numbers<'a>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [f32]> {
    let (CpuStorage::F32(numbers), Some((from, to))) = (storage, layout.contiguous_offsets())
    else {
        bail!("these numbers are of another kind or stand in another order");
    };
    numbers
        .get(from..to)
        .ok_or_else(|| candle_core::Error::Msg("a matrix ends early".to_owned()))
}

fn numbers_mut<'a>(storage: &'a mut CpuStorage, layout: &Layout) -> Result<&'a mut [f32]> {
    let (CpuStorage::F32(numbers), Some((from, to))) = (storage, layout.contiguous_offsets())
    else {
        bail!("these numbers are of another kind or stand in another order");
    };
    numbers
        .get_mut(from..to)
        .ok_or_else(|| candle_core::Error::Msg("a matrix ends early".to_owned()))
}

impl InplaceOp1 for Shift<'_> {
    fn name(&self) -> &'static str {
        "shift"
    }

    fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> Result<()> {
        for row in numbers_mut(storage, layout)?.chunks_exact_mut(self.0.len()) {
            for (number, shift) in row.iter_mut().zip(self.0) {
                *number += shift;
            }
        }
        Ok(())
    }
}

impl InplaceOp1 for Activate<'_> {
    fn name(&self) -> &'static str {
        "activate"
    }

    fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> Result<()> {
        for row in numbers_mut(storage, layout)?.chunks_exact_mut(self.0.len()) {
            for (number, shift) in row.iter_mut().zip(self.0) {
                *number = self.1.of(*number + shift);
            }
        }
        Ok(())
    }
}

impl InplaceOp1 for Softmax {
    fn name(&self) -> &'static str {
        "softmax"
    }

    fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> Result<()> {
        let width = layout.dims().last().copied().unwrap_or(1).max(1);
        for row in numbers_mut(storage, layout)?.chunks_exact_mut(width) {
            let most = largest(row);
            for number in row.iter_mut() {
                *number = exponential(*number - most);
            }
            let factor = 1.0 / sum(row);
            for number in row {
                *number *= factor;
            }
        }
        Ok(())
    }
}

impl InplaceOp2 for Normalize<'_> {
    fn name(&self) -> &'static str {
        "normalize"
    }

    fn cpu_fwd(
        &self,
        storage: &mut CpuStorage,
        layout: &Layout,
        other: &CpuStorage,
        other_layout: &Layout,
    ) -> Result<()> {
        let width = self.shift.len();
        let others = numbers(other, other_layout)?.chunks_exact(width);
        for (row, other) in numbers_mut(storage, layout)?
            .chunks_exact_mut(width)
            .zip(others)
        {
            for ((number, other), shift) in row.iter_mut().zip(other).zip(self.shift) {
                *number += other + shift;
            }
            normalize(row, self.scale, self.offset, self.epsilon);
        }
        Ok(())
    }
}

/// Brings a row to mean and variance, as the model learned them for each place.
pub(crate) fn normalize(row: &mut [f32], scale: &[f32], offset: &[f32], epsilon: f32) {
    let count = row.len() as f32;
    let mean = sum(row) / count;
    for number in row.iter_mut() {
        *number -= mean;
    }
    let variance = in_lanes(row, 0.0, |sum, number| sum + number * number, |a, b| a + b) / count;
    let factor = 1.0 / (variance + epsilon).sqrt();
    for ((number, scale), offset) in row.iter_mut().zip(scale).zip(offset) {
        *number = *number * factor * scale + offset;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_function_is_that_of_the_library() {
        for i in 0..=8_700_u16 {
            let x = -f32::from(i) / 100.0;
            let (found, expected) = (exponential(x), x.exp());
            assert!(
                (found - expected).abs() <= 5e-7 * expected,
                "{x}: {found}, not {expected}"
            );
        }
        assert!(exponential(-1e30) < 1e-37);
        assert!(exponential(f32::NEG_INFINITY) < 1e-37);
        assert!(exponential(f32::NAN).is_nan());
    }

    #[test]
    fn rows_of_any_length_are_folded() {
        for length in [0_u16, 1, 15, 16, 17, 32, 40] {
            let row: Vec<f32> = (1..=length).map(|i| -f32::from(i)).collect();
            assert_eq!(sum(&row), row.iter().sum::<f32>(), "{length}");
            assert_eq!(
                largest(&row),
                row.first().copied().unwrap_or(f32::NEG_INFINITY)
            );
        }
        assert_eq!(largest(&[f32::NAN, -1.0]), -1.0);
        assert!(sum(&[f32::NAN, 1.0]).is_nan());
    }

    #[test]
    fn the_error_function_is_that_of_the_tables() {
        // Abramowitz and Stegun, table 7.1.
        for (x, expected) in [
            (0.0, 0.0),
            (0.1, 0.112_463),
            (0.5, 0.520_500),
            (1.0, 0.842_701),
            (1.5, 0.966_105),
            (2.0, 0.995_322),
            (5.0, 1.0),
            (f32::INFINITY, 1.0),
        ] {
            assert!((error_function(x) - expected).abs() < 1e-6, "{x}");
            assert!((error_function(-x) + expected).abs() < 1e-6, "-{x}");
        }
    }
}
