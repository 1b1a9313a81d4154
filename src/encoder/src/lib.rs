//! Text encoders of the BERT family, as sentence-transformers writes them to a folder, run in this process.
//!
//! `Model::read` reads a folder into memory (`folder.rs`, `weights.rs`): a file that is replaced in the meantime changes
//! nothing that was read. A text becomes tokens (`tokens.rs`), those go through the layers (`transformer.rs`, whose operations
//! between products are in `operations.rs`) and become one vector (`pooling.rs`). `Workers` do that on threads of the
//! model's own.
//!
//! It knows neither settings nor sites: a folder goes in, numbers come out.

#![cfg(feature = "bert")]

mod folder;
mod operations;
mod pooling;
mod tokens;
mod transformer;
mod weights;
mod workers;

use std::path::Path;

pub use workers::{Pending, Workers};

/// Number of tokens that a thread processes at once. More are not faster, and questions would wait
/// for them.
const TOKENS: usize = 512;

/// Kind of a text: models may have a prompt for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The text that is looked for.
    Query,
    /// A text to be found.
    Document,
}

/// A model that was read from a folder.
pub struct Model {
    tokens: tokens::Tokens,
    transformer: transformer::Transformer,
    pooling: pooling::Pooling,
    /// Named by everything that was read.
    identity: String,
}

impl Model {
    /// Reads the model in `folder`.
    ///
    /// # Errors
    ///
    /// Names the file that is wrong, what is wrong with it, and what can be done.
    pub fn read(folder: &Path) -> anyhow::Result<Self> {
        // Whatever the libraries that read these files were not written for is an error, too.
        let read = std::panic::AssertUnwindSafe(|| folder::read(folder));
        std::panic::catch_unwind(read).unwrap_or_else(|_| {
            anyhow::bail!(
                "{}: reading the model failed: its files are damaged, or of no kind that is known",
                folder.display()
            )
        })
    }

    /// Names the model by everything that was read: whatever changes a vector changes it.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// The numbers of the vectors of `texts`, which are of one kind. Computes on the threads of the
    /// pool (`rayon`) that it is called in.
    ///
    /// # Errors
    ///
    /// Returns the failure of the model.
    pub fn numbers(&self, texts: &[String], kind: Kind) -> anyhow::Result<Vec<Vec<f32>>> {
        let texts = texts.iter().map(|text| self.tokens.of(text, kind));
        self.vectors(&texts.collect::<anyhow::Result<Vec<_>>>()?)
    }

    /// The vectors of texts that were made tokens.
    fn vectors(&self, texts: &[Vec<u32>]) -> anyhow::Result<Vec<Vec<f32>>> {
        let states = self.transformer.states(texts)?;
        let vectors: Vec<Vec<f32>> = states
            .iter()
            .map(|rows| self.pooling.vector(rows, self.transformer.hidden()))
            .collect();
        let mut numbers = vectors.iter().flatten();
        anyhow::ensure!(
            numbers.all(|number| number.is_finite()),
            "the model made a number that is none: its weights are damaged"
        );
        Ok(vectors)
    }
}
