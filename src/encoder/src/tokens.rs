//! Tokens of a text, as the tokenizer of a model cuts it.

use std::path::Path;

use anyhow::{Context, anyhow, ensure};
use tokenizers::{PostProcessor, Tokenizer, TruncationParams};

use crate::Kind;

/// Cuts texts into tokens.
pub(crate) struct Tokens {
    tokenizer: Tokenizer,
    /// Whether a text is written in small letters before it is cut.
    is_lower_case: bool,
    /// Prompt of a query.
    query: String,
    /// Prompt of a document.
    document: String,
}

/// Settings for reading texts, besides the tokenizer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    /// Maximum number of tokens of a text; the rest is cut off.
    pub(crate) max_tokens: usize,
    /// Whether a text is written in small letters before it is cut.
    pub(crate) is_lower_case: bool,
    /// Prompt of a query.
    pub(crate) query: String,
    /// Prompt of a document.
    pub(crate) document: String,
}

impl Tokens {
    /// The tokenizer in `bytes`, of the file at `path`, for a model that knows `known` tokens.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is invalid.
    pub(crate) fn new(
        path: &Path,
        bytes: &[u8],
        known: usize,
        reading: Reading,
    ) -> anyhow::Result<Self> {
        let wrong = |error: tokenizers::Error| anyhow!("{}: {error}", path.display());
        let mut tokenizer = Tokenizer::from_bytes(bytes).map_err(|error| {
            anyhow!(
                "{}: this is no tokenizer that is known ({error}): save the model again",
                path.display()
            )
        })?;
        let ids = tokenizer.get_vocab(true).into_values();
        let largest = ids.max().map_or(0, |id| id as usize);
        ensure!(
            largest < known,
            "{}: it has the token {largest}, and `vocab_size` of config.json is {known}: the two are of different models",
            path.display()
        );
        let added = tokenizer
            .get_post_processor()
            .map_or(0, |processor| processor.added_tokens(false));
        ensure!(
            added < reading.max_tokens,
            "{}: it adds {added} tokens to each text, and a text can have {}",
            path.display(),
            reading.max_tokens
        );
        let truncation = TruncationParams {
            max_length: reading.max_tokens,
            ..TruncationParams::default()
        };
        // Whatever the file says: nothing is filled up here, and texts are cut where the model ends.
        tokenizer.with_padding(None);
        tokenizer.with_truncation(Some(truncation)).map_err(wrong)?;
        let tokens = Self {
            tokenizer,
            is_lower_case: reading.is_lower_case,
            query: reading.query,
            document: reading.document,
        };
        tokens
            .of("A text to begin with.", Kind::Document)
            .with_context(|| path.display().to_string())?;
        Ok(tokens)
    }

    /// The tokens of a text, of this kind.
    ///
    /// # Errors
    ///
    /// Returns the error of the tokenizer.
    pub(crate) fn of(&self, text: &str, kind: Kind) -> anyhow::Result<Vec<u32>> {
        let before = match kind {
            Kind::Query => &self.query,
            Kind::Document => &self.document,
        };
        let text = format!("{before}{}", text.trim());
        let text = match self.is_lower_case {
            true => text.to_lowercase(),
            false => text,
        };
        let tokens = self.tokenizer.encode_fast(text, true);
        let tokens =
            tokens.map_err(|error| anyhow!("a text cannot be cut into tokens: {error}"))?;
        Ok(tokens.get_ids().to_vec())
    }
}
