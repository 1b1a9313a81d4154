//! `[relay]`: the playground's requests, which are sent to the documented API by this server.
//!
//! It belongs to the operator, not to the author of a site: what it may reach is a matter of the
//! network around it.

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use url::Url;

/// Settings of the playground's relay.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct RelaySettings {
    /// Whether there is one; without it readers' browsers send by themselves.
    pub enabled: bool,
    /// Origins, such as `http://127.0.0.1:8080`, that it may reach from every site although no
    /// document of the site names them, and wherever they are: on this machine and in its network,
    /// too.
    pub allow: Vec<String>,
    /// Maximum number of requests of a client per minute.
    pub requests_per_minute: u32,
    /// Maximum number of requests of all clients of a site per minute.
    pub site_requests_per_minute: u32,
    /// Maximum number of concurrent requests of a client.
    pub client_requests: usize,
    /// Maximum number of concurrent requests of all clients.
    pub requests: usize,
    /// Values of the command line; they survive a reload of the configuration.
    #[serde(skip)]
    pub overrides: RelayOverrides,
}

/// Values of the command line for the relay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RelayOverrides {
    /// Origins that are allowed beside those of the configuration.
    pub allow: Vec<String>,
    /// Whether there is none, whatever the configuration says.
    pub is_off: bool,
}

impl Default for RelaySettings {
    fn default() -> Self {
        Self {
            enabled: true,
            allow: Vec::new(),
            requests_per_minute: 60,
            site_requests_per_minute: 600,
            client_requests: 6,
            requests: 64,
            overrides: RelayOverrides::default(),
        }
    }
}

impl RelaySettings {
    /// Adds what the command line says.
    pub fn override_with(&mut self, overrides: RelayOverrides) {
        self.allow.extend(overrides.allow.iter().cloned());
        self.enabled &= !overrides.is_off;
        self.overrides = overrides;
    }

    /// Checks the values.
    pub fn check(&self) -> anyhow::Result<()> {
        for allowed in &self.allow {
            origin(allowed).context("allow")?;
        }
        let limits = [
            ("requests_per_minute", self.requests_per_minute == 0),
            (
                "site_requests_per_minute",
                self.site_requests_per_minute == 0,
            ),
            ("client_requests", self.client_requests == 0),
            ("requests", self.requests == 0),
        ];
        for (name, is_none) in limits {
            if is_none {
                bail!("`{name}` is 0; write `enabled = false` for no relay");
            }
        }
        Ok(())
    }
}

/// The origin that an operator wrote, in the form in which origins are compared.
pub fn origin(text: &str) -> anyhow::Result<String> {
    let url = Url::parse(text).with_context(|| format!("`{text}` is no origin"))?;
    let is_origin = matches!(url.scheme(), "http" | "https")
        && url.username().is_empty()
        && url.password().is_none()
        && url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none();
    if !is_origin {
        bail!(
            "`{text}` is no origin: write scheme, host and port, such as `http://127.0.0.1:8080`"
        );
    }
    Ok(url.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_has_a_scheme_a_host_and_a_port() {
        for (text, expected) in [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("HTTPS://API.Example:443/", "https://api.example"),
            ("http://[::1]:1", "http://[::1]:1"),
        ] {
            assert_eq!(origin(text).unwrap(), expected, "{text}");
        }
        for text in [
            "",
            "localhost:8080",
            "127.0.0.1",
            "*",
            "https://*/x",
            "https://a.example/v1",
            "https://a.example?x",
            "https://a.example#x",
            "https://user@a.example",
            "ftp://a.example",
        ] {
            assert!(origin(text).is_err(), "{text}");
        }
    }

    #[test]
    fn limits_of_nothing_are_refused() {
        let settings = RelaySettings {
            client_requests: 0,
            ..RelaySettings::default()
        };
        let error = settings.check().unwrap_err().to_string();
        assert!(error.contains("`client_requests` is 0"), "{error}");
    }
}
