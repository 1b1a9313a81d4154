//! The only way from this process to the network. Nothing else connects to an address, and nothing else makes a client that
//! could: `tests/queries/layers.rs` holds the sources to it.
//!
//! How far a request reaches depends on who wrote its address. The operator (command line, environment, `quire.toml`) may
//! name any; what others wrote, in a site or through a page, reaches public addresses and the origins that the operator
//! allows. That is decided for each request anew, and redirects are requests: no client follows one by itself.

pub mod guard;

use std::collections::BTreeSet;
use std::net::IpAddr;

use anyhow::Context;
use reqwest::{Client, ClientBuilder, Method, RequestBuilder, Url};

use guard::{Network, NotPublic, Resolver};

/// A way to the network, as far as the operator lets it lead.
pub struct Door {
    /// Reaches public addresses.
    public: Client,
    /// Whether an address that stands in a URL is public.
    is_public: fn(IpAddr) -> bool,
    /// Reaches every address, for origins that are allowed.
    anywhere: Client,
    allowed: BTreeSet<String>,
}

impl Door {
    /// A door to public addresses, and to the origins that the operator `allowed` wherever they are. `configure` says what
    /// a connection may cost.
    ///
    /// # Errors
    ///
    /// Returns why the system lets no client be made.
    pub fn new(
        network: Network,
        allowed: BTreeSet<String>,
        configure: impl Fn(ClientBuilder) -> ClientBuilder,
    ) -> anyhow::Result<Self> {
        // It fails only when one is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = |resolver| {
            let own = ClientBuilder::new()
                .referer(false)
                .user_agent(concat!("quire/", env!("CARGO_PKG_VERSION")));
            configure(own)
                // A proxy would resolve names, and nobody would check to what.
                .no_proxy()
                .redirect(reqwest::redirect::Policy::none())
                .dns_resolver(resolver)
                .build()
                .context("a client of HTTP")
        };
        Ok(Self {
            is_public: network.is_public,
            public: client(Resolver::public_only(network.clone()))?,
            anywhere: client(Resolver::of_any(network))?,
            allowed,
        })
    }

    /// A request for `url`, which is not sent yet.
    ///
    /// # Errors
    ///
    /// Returns that its host is an address that is not public. Names are checked where they are resolved.
    pub fn request(&self, method: Method, url: Url) -> Result<RequestBuilder, NotPublic> {
        if self.allows(&url) {
            return Ok(self.anywhere.request(method, url));
        }
        let host = url.host_str().unwrap_or_default();
        match guard::literal(host).is_none_or(self.is_public) {
            true => Ok(self.public.request(method, url)),
            false => Err(NotPublic(host.to_owned())),
        }
    }

    /// Whether the operator allows the origin of `url`, wherever it is.
    pub fn allows(&self, url: &Url) -> bool {
        self.allowed.contains(&url.origin().ascii_serialization())
    }
}
