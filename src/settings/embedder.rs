//! `[sites.ID.embedder]`: who makes other vectors of passages than this program.
//!
//! It belongs to the operator, not to the author of a site: there is a key in it, and what is sent leaves the machine.

use std::path::PathBuf;

use anyhow::{Context, bail};
use reqwest::Url;
use serde::{Deserialize, Serialize};

use super::secret;

/// An endpoint that makes vectors of texts (`POST /v1/embeddings` as OpenAI defined it).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EmbedderSettings {
    /// Its address, such as `https://api.openai.com/v1`; `/embeddings` is added if it does not end so.
    pub url: String,
    /// The name of the model. Vectors are kept by it: another name means other vectors.
    pub model: String,
    /// The environment variable with the key that is sent to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// The file with that key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_file: Option<PathBuf>,
    /// How many numbers a vector is to have, of models that let one choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<usize>,
    /// How many texts are sent at once.
    #[serde(default = "batch")]
    pub batch: usize,
    /// How many requests run at once.
    #[serde(default = "requests")]
    pub requests: usize,
    /// Whether it may be on this machine or in its network, and be asked without TLS there.
    #[serde(default)]
    pub private: bool,
    /// The codes of the languages whose pages it compares; without any, all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
}

fn batch() -> usize {
    64
}

fn requests() -> usize {
    1
}

impl EmbedderSettings {
    /// The endpoint at `url`, whose model is called `model`.
    pub fn new(url: &str, model: &str) -> Self {
        Self {
            url: url.to_owned(),
            model: model.to_owned(),
            key_env: None,
            key_file: None,
            dimensions: None,
            batch: batch(),
            requests: requests(),
            private: false,
            languages: Vec::new(),
        }
    }

    /// Where vectors are asked for.
    ///
    /// # Errors
    ///
    /// Says what is wrong with `url`, and how to mend it.
    pub fn address(&self) -> anyhow::Result<Url> {
        let mut url: Url = self.url.parse().with_context(|| {
            format!(
                "`url` is `{}`: write an address such as `https://api.openai.com/v1`",
                self.url
            )
        })?;
        match (url.scheme(), self.private) {
            ("https", _) | ("http", true) => {}
            ("http", false) => bail!(
                "`url` is not https: what is sent could be read on the way; for a server in your own network add `private = true`"
            ),
            (scheme, _) => bail!("`url` begins with `{scheme}:`; only https is asked"),
        }
        if url.host_str().is_none_or(str::is_empty) {
            bail!("`url` names no host");
        }
        if !url.username().is_empty() || url.password().is_some() {
            bail!("`url` holds a password: name the key by `key_env` or `key_file` instead");
        }
        let path = url.path().trim_end_matches('/').to_owned();
        if !path.ends_with("/embeddings") {
            url.set_path(&format!("{path}/embeddings"));
        }
        Ok(url)
    }

    /// The key that is sent, if one is configured.
    pub fn key(&self) -> anyhow::Result<Option<String>> {
        secret(self.key_env.as_deref(), self.key_file.as_deref())
    }

    /// Says what cannot be meant.
    pub fn check(&self) -> anyhow::Result<()> {
        self.address()?;
        if self.model.trim().is_empty() {
            bail!("`model` is empty: name the model that makes the vectors");
        }
        let ranges = [
            ("batch", self.batch, 1..=2048),
            ("requests", self.requests, 1..=32),
            ("dimensions", self.dimensions.unwrap_or(1), 1..=8192),
        ];
        for (name, value, range) in ranges {
            if !range.contains(&value) {
                bail!(
                    "`{name}` is {value}: it can be {} to {}",
                    range.start(),
                    range.end()
                );
            }
        }
        Ok(())
    }
}
