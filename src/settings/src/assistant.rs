//! `[sites.ID.assistant]`: what the assistant of a site offers besides its own operation, and the language model that may
//! write its answers.
//!
//! A model belongs to the operator, not to the author of a site: there is a key in it, and what is sent to an endpoint
//! leaves the machine.

use std::path::PathBuf;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

use super::{NamedEndpoint, check_ranges};

/// Settings of the assistant of a site.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct AssistantSettings {
    /// Whether it also answers at `/v1/chat/completions`, in the form of OpenAI.
    pub chat_completions: bool,
    /// Whether pages have a panel that asks it.
    pub panel: bool,
    /// The language model that writes answers from what is found; without one what is found is quoted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelSettings>,
    /// The model that puts what is found in another order before it is given to `model`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerank: Option<RerankSettings>,
}

impl Default for AssistantSettings {
    fn default() -> Self {
        Self {
            chat_completions: false,
            panel: true,
            model: None,
            rerank: None,
        }
    }
}

/// Form in which a model is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelApi {
    /// Chat completions, as OpenAI defined them: OpenAI, Ollama, vLLM, llama.cpp and many others.
    #[default]
    OpenAi,
    /// Messages, as Anthropic defined them.
    Anthropic,
}

/// A language model behind an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSettings {
    /// Form in which it is asked: `openai` or `anthropic`.
    #[serde(default)]
    pub api: ModelApi,
    /// The address of the endpoint, such as `https://api.openai.com/v1` or `https://api.anthropic.com/v1`;
    /// `/chat/completions` or `/messages` is added if it does not end so.
    pub url: String,
    /// The name of its model.
    pub model: String,
    /// The environment variable with the key that is sent to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// The file with that key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_file: Option<PathBuf>,
    /// Whether it may be on this machine or in its network, and be asked without TLS there.
    #[serde(default)]
    pub private: bool,
    /// Maximum number of tokens of an answer.
    #[serde(default = "max_tokens")]
    pub max_tokens: u32,
    /// Maximum silence of the model in seconds, before the first token and between tokens; an
    /// answer may take four times as long.
    #[serde(default = "seconds")]
    pub seconds: u64,
    /// Maximum number of answers that the model writes for the site in a day (UTC); further ones
    /// are quoted. `None`: no limit.
    #[serde(default = "per_day", skip_serializing_if = "Option::is_none")]
    pub per_day: Option<u64>,
    /// Number of answers that are written at once; further ones wait.
    #[serde(default = "requests")]
    pub requests: usize,
}

/// A model that says how well passages answer a question (`POST /v1/rerank`, as Jina, Cohere, vLLM and llama.cpp have it).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RerankSettings {
    /// The address of the endpoint; `/rerank` is added if it does not end so.
    pub url: String,
    /// The name of its model.
    pub model: String,
    /// The environment variable with the key that is sent to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// The file with that key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_file: Option<PathBuf>,
    /// Whether it may be on this machine or in its network, and be asked without TLS there.
    #[serde(default)]
    pub private: bool,
}

fn max_tokens() -> u32 {
    1024
}

fn seconds() -> u64 {
    30
}

#[expect(clippy::unnecessary_wraps, reason = "the default of an optional key")]
fn per_day() -> Option<u64> {
    Some(1000)
}

fn requests() -> usize {
    8
}

impl AssistantSettings {
    /// Checks the values.
    ///
    /// # Errors
    ///
    /// Names the key, and how to mend it.
    pub fn check(&self) -> anyhow::Result<()> {
        if let Some(model) = &self.model {
            model.check().context("model")?;
        }
        if let Some(rerank) = &self.rerank {
            if self.model.is_none() {
                bail!("rerank: it orders what a `model` is given, and none is named");
            }
            if rerank.model.trim().is_empty() {
                bail!("rerank: `model` is empty: name the model that the endpoint is to use");
            }
            rerank.endpoint().address(RERANK).context("rerank")?;
        }
        Ok(())
    }
}

/// Ending of the path of each operation.
const CHAT: &str = "/chat/completions";
const MESSAGES: &str = "/messages";
const RERANK: &str = "/rerank";

impl ModelApi {
    /// The ending of the path of its operation.
    pub fn ending(self) -> &'static str {
        match self {
            Self::OpenAi => CHAT,
            Self::Anthropic => MESSAGES,
        }
    }
}

impl ModelSettings {
    /// The model called `model` at `url`, asked in the form of `api`.
    pub fn new(api: ModelApi, url: &str, model: &str) -> Self {
        Self {
            api,
            url: url.to_owned(),
            model: model.to_owned(),
            key_env: None,
            key_file: None,
            private: false,
            max_tokens: max_tokens(),
            seconds: seconds(),
            per_day: per_day(),
            requests: requests(),
        }
    }

    /// Endpoint of the model.
    pub fn endpoint(&self) -> NamedEndpoint<'_> {
        NamedEndpoint {
            url: &self.url,
            key_env: self.key_env.as_deref(),
            key_file: self.key_file.as_deref(),
            private: self.private,
        }
    }

    /// Checks the values.
    ///
    /// # Errors
    ///
    /// Names the key, and how to mend it.
    pub fn check(&self) -> anyhow::Result<()> {
        self.endpoint().address(self.api.ending())?;
        if self.model.trim().is_empty() {
            bail!("`model` is empty: name the model that writes the answers");
        }
        check_ranges(&[
            ("max_tokens", self.max_tokens as usize, 16..=32_768),
            ("seconds", self.seconds as usize, 1..=600),
            ("requests", self.requests, 1..=1024),
        ])
    }
}

impl RerankSettings {
    /// Endpoint of the reranker.
    pub fn endpoint(&self) -> NamedEndpoint<'_> {
        NamedEndpoint {
            url: &self.url,
            key_env: self.key_env.as_deref(),
            key_file: self.key_file.as_deref(),
            private: self.private,
        }
    }

    /// The ending of the path of its operation.
    pub fn ending() -> &'static str {
        RERANK
    }
}
