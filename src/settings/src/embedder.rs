//! `[sites.ID.embedder]`: an embedding model instead of the built-in table of vectors.
//!
//! A setting of the operator, not of the author of a site: it holds a key, and texts sent to an
//! endpoint leave the machine. A model in a local folder needs a program built with `--features
//! bert`.

use std::path::{Path, PathBuf};

use anyhow::bail;
use serde::{Deserialize, Serialize};
use url::Url;

use super::{NamedEndpoint, check_ranges};

/// Either an endpoint that makes vectors of texts (`POST /v1/embeddings` as OpenAI defined it), or a folder with a model.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EmbedderSettings {
    /// The address of the endpoint, such as `https://api.openai.com/v1`; `/embeddings` is added if it does not end so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The name of its model. Stored vectors belong to this name: another name means new vectors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The folder of a model of the BERT family, which is then run here. Vectors are kept by what its files hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// Number of threads that embed passages, for `folder`; by default half of the cores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<usize>,
    /// The environment variable with the key that is sent to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// The file with that key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_file: Option<PathBuf>,
    /// Number of dimensions of a vector, for models that offer a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<usize>,
    /// Number of texts per request; for `folder`, the number embedded before they are stored.
    #[serde(default = "batch")]
    pub batch: usize,
    /// Number of concurrent requests.
    #[serde(default = "requests")]
    pub requests: usize,
    /// Whether it may be on this machine or in its network, and be asked without TLS there.
    #[serde(default)]
    pub private: bool,
    /// The codes of the languages whose pages it compares; without any, all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
}

/// Source of the vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker<'a> {
    /// An endpoint, and the name of its model.
    Endpoint {
        /// Address.
        url: &'a str,
        /// The name.
        model: &'a str,
    },
    /// The model in this folder.
    Folder(&'a Path),
}

/// Error of a build that cannot run models.
const WITHOUT_MODELS: &str = "`folder` needs a program that can run models, and this one was built without: build it with \
    `cargo build --release --features bert`, or name an endpoint by `url` and `model`";

/// Maximum number of embedding threads.
const MAX_THREADS: usize = 256;

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
            url: Some(url.to_owned()),
            model: Some(model.to_owned()),
            ..Self::empty()
        }
    }

    /// The model in `folder`.
    pub fn of_folder(folder: &Path) -> Self {
        Self {
            folder: Some(folder.to_owned()),
            ..Self::empty()
        }
    }

    fn empty() -> Self {
        Self {
            url: None,
            model: None,
            folder: None,
            threads: None,
            key_env: None,
            key_file: None,
            dimensions: None,
            batch: batch(),
            requests: requests(),
            private: false,
            languages: Vec::new(),
        }
    }

    /// Source of the vectors.
    ///
    /// # Errors
    ///
    /// Says that nobody is named, or more than one.
    pub fn maker(&self) -> anyhow::Result<Maker<'_>> {
        match (&self.folder, &self.url, &self.model) {
            (Some(folder), None, None) => Ok(Maker::Folder(folder)),
            (None, Some(url), Some(model)) => Ok(Maker::Endpoint { url, model }),
            (Some(_), _, _) => bail!(
                "both a `folder` and an endpoint are named: give either `folder`, or `url` and `model`"
            ),
            (None, Some(_), None) => {
                bail!("`model` is missing: name the model that the endpoint is to use")
            }
            (None, None, Some(_)) => {
                bail!(
                    "`url` is missing: name the endpoint that has the `model`, or give a `folder`"
                )
            }
            (None, None, None) => bail!(
                "nobody is named who makes vectors: give `url` and `model` of an endpoint, or the `folder` of a model"
            ),
        }
    }

    /// Name of the model: that of the endpoint, or the folder.
    pub fn name(&self) -> String {
        let folder = self.folder.as_deref();
        match (&self.model, folder.and_then(Path::file_name)) {
            (Some(model), _) => model.clone(),
            (None, Some(name)) => name.to_string_lossy().into_owned(),
            (None, None) => folder.unwrap_or(Path::new("")).display().to_string(),
        }
    }

    /// The endpoint, of one.
    pub fn endpoint(&self) -> NamedEndpoint<'_> {
        NamedEndpoint {
            url: self.url.as_deref().unwrap_or_default(),
            key_env: self.key_env.as_deref(),
            key_file: self.key_file.as_deref(),
            private: self.private,
        }
    }

    /// Address of the endpoint.
    ///
    /// # Errors
    ///
    /// As [`NamedEndpoint::address`].
    pub fn address(&self) -> anyhow::Result<Url> {
        self.endpoint().address("/embeddings")
    }

    /// Checks the values.
    pub fn check(&self) -> anyhow::Result<()> {
        match self.maker()? {
            Maker::Endpoint { model, .. } => {
                self.address()?;
                if model.trim().is_empty() {
                    bail!("`model` is empty: name the model that makes the vectors");
                }
                if self.threads.is_some() {
                    bail!("`threads` is for a `folder`: of an endpoint, set `requests`");
                }
            }
            Maker::Folder(_) => self.check_folder()?,
        }
        check_ranges(&[
            ("batch", self.batch, 1..=2048),
            ("requests", self.requests, 1..=32),
            ("dimensions", self.dimensions.unwrap_or(1), 1..=8192),
            ("threads", self.threads.unwrap_or(1), 1..=MAX_THREADS),
        ])
    }

    /// Checks the keys that exclude `folder`.
    fn check_folder(&self) -> anyhow::Result<()> {
        let others = [
            ("key_env", self.key_env.is_some()),
            ("key_file", self.key_file.is_some()),
            ("dimensions", self.dimensions.is_some()),
            ("requests", self.requests != requests()),
            ("private", self.private),
        ];
        if let Some((name, _)) = others.iter().find(|(_, is_set)| *is_set) {
            bail!("`{name}` is for an endpoint, and a `folder` is named");
        }
        if !cfg!(feature = "bert") {
            bail!(WITHOUT_MODELS);
        }
        Ok(())
    }
}
