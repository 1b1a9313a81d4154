//! Endpoints of models: an address, and a key that is read from the environment or a file.

use std::path::Path;

use anyhow::{Context, bail};
use url::Url;

use super::secret;

/// An endpoint, as settings name it.
#[derive(Clone, Copy, Debug)]
pub struct NamedEndpoint<'a> {
    /// Address, with or without the path of the operation.
    pub url: &'a str,
    /// The environment variable with the key.
    pub key_env: Option<&'a str>,
    /// The file with the key.
    pub key_file: Option<&'a Path>,
    /// Whether it may be on this machine or in its network, and be asked without TLS there.
    pub private: bool,
}

impl NamedEndpoint<'_> {
    /// The address of the operation whose path ends in `ending`, such as `/embeddings`.
    ///
    /// # Errors
    ///
    /// Says what is wrong with `url`, and how to mend it.
    pub fn address(&self, ending: &str) -> anyhow::Result<Url> {
        let url = self.url;
        let mut url: Url = url.parse().with_context(|| {
            format!("`url` is `{url}`: write an address such as `https://api.openai.com/v1`")
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
        if !path.ends_with(ending) {
            url.set_path(&format!("{path}{ending}"));
        }
        Ok(url)
    }

    /// The key that is sent, if one is configured.
    ///
    /// # Errors
    ///
    /// Says that it is named and not there.
    pub fn key(&self) -> anyhow::Result<Option<String>> {
        secret(self.key_env, self.key_file)
    }
}
