//! One vector of a text from those of its tokens.

/// Pooling of token vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Vector of the first token.
    First,
    /// The mean of all.
    Mean,
    /// The mean of all, times the square root of how many there are.
    MeanByRoot,
    /// The largest number of all at each place.
    Largest,
}

/// Pooling and normalization of the vector of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pooling {
    pub(crate) choice: Choice,
    /// Whether it is made as long as one.
    pub(crate) is_normalized: bool,
}

impl Pooling {
    /// The vector of a text whose tokens have these, one after the other, each of `hidden` numbers. Of no tokens, zeros.
    pub(crate) fn vector(self, tokens: &[f32], hidden: usize) -> Vec<f32> {
        let mut vector = vec![0.0; hidden];
        let count = tokens.len() / hidden.max(1);
        let mut rows = tokens.chunks_exact(hidden.max(1));
        match self.choice {
            Choice::First => {
                if let Some(first) = rows.next() {
                    vector.copy_from_slice(first);
                }
            }
            Choice::Mean | Choice::MeanByRoot => {
                for row in rows {
                    for (sum, number) in vector.iter_mut().zip(row) {
                        *sum += number;
                    }
                }
                let count = count.max(1) as f32;
                let by = match self.choice {
                    Choice::MeanByRoot => count.sqrt(),
                    _ => count,
                };
                for number in &mut vector {
                    *number /= by;
                }
            }
            Choice::Largest => {
                if let Some(first) = rows.next() {
                    vector.copy_from_slice(first);
                }
                for row in rows {
                    for (most, number) in vector.iter_mut().zip(row) {
                        *most = most.max(*number);
                    }
                }
            }
        }
        if self.is_normalized {
            let length = vector
                .iter()
                .map(|number| number * number)
                .sum::<f32>()
                .sqrt();
            // As sentence-transformers guards it.
            let length = length.max(1e-12);
            for number in &mut vector {
                *number /= length;
            }
        }
        vector
    }
}
