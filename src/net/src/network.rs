//! The only way from this process to the network. Nothing else connects to an address, and nothing else makes a client that
//! could: `tests/queries/layers.rs` holds the sources to it.
//!
//! How far a request reaches depends on who wrote its address. The operator (command line,
//! environment, `quire.toml`) may name any; what others wrote, in a site or through a page, reaches
//! public addresses and the origins that the operator allows. This is checked for each request,
//! redirects included: no client follows a redirect by itself.

pub mod guard;

use std::collections::BTreeSet;
use std::sync::OnceLock;

use reqwest::{Client, ClientBuilder, Method, RequestBuilder, Url};

use guard::{Network, NotPublic, Resolver};

/// A way to the network, as far as the operator lets it lead. Its clients are made when the first request is: most processes
/// make none, and the certificates of the system are slow to read.
pub struct Door {
    network: Network,
    allowed: BTreeSet<String>,
    configure: Box<dyn Fn(ClientBuilder) -> ClientBuilder + Send + Sync>,
    clients: OnceLock<Result<Clients, String>>,
}

struct Clients {
    /// Reaches public addresses.
    public: Client,
    /// Reaches every address, for origins that are allowed.
    anywhere: Client,
    /// Why nothing can be asked by TLS, if so.
    without_tls: Option<String>,
}

/// Why a request is not sent.
#[derive(Debug)]
pub enum NotSent {
    /// The host is an address that is not public.
    NotPublic(NotPublic),
    /// The system lets no such client be made; why.
    NoClient(String),
}

impl std::fmt::Display for NotSent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotPublic(host) => host.fmt(f),
            Self::NoClient(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for NotSent {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NotPublic(host) => Some(host),
            Self::NoClient(_) => None,
        }
    }
}

impl Clients {
    fn new(
        network: &Network,
        configure: &dyn Fn(ClientBuilder) -> ClientBuilder,
    ) -> Result<Self, String> {
        // It fails only when one is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = |resolver, has_tls: bool| {
            let own = ClientBuilder::new()
                .referer(false)
                .user_agent(concat!("quire/", env!("CARGO_PKG_VERSION")));
            let own = configure(own)
                // A proxy would resolve names, and nobody would check to what.
                .no_proxy()
                .redirect(reqwest::redirect::Policy::none())
                .dns_resolver(resolver);
            match has_tls {
                true => own,
                false => own.tls_certs_only([]),
            }
            .build()
        };
        let both = |has_tls| -> Result<_, reqwest::Error> {
            let public = client(Resolver::public_only(network.clone()), has_tls)?;
            Ok((public, client(Resolver::of_any(network.clone()), has_tls)?))
        };
        let ((public, anywhere), without_tls) = match both(true) {
            Ok(both) => (both, None),
            // A machine without certificates can still ask what needs none.
            Err(error) => (
                both(false).map_err(|_| no_client(&error))?,
                Some(no_client(&error)),
            ),
        };
        Ok(Self {
            public,
            anywhere,
            without_tls,
        })
    }
}

/// Error for a client that cannot be created, with the remedy.
fn no_client(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    format!(
        "TLS: {cause} (the certificates of public authorities are read from the system: install `ca-certificates`, or name them by SSL_CERT_FILE or SSL_CERT_DIR)"
    )
}

impl Door {
    /// A door to public addresses, and to the origins that the operator `allowed` wherever they are. `configure` says what
    /// a connection may cost.
    pub fn new(
        network: Network,
        allowed: BTreeSet<String>,
        configure: impl Fn(ClientBuilder) -> ClientBuilder + Send + Sync + 'static,
    ) -> Self {
        Self {
            network,
            allowed,
            configure: Box::new(configure),
            clients: OnceLock::new(),
        }
    }

    /// A request for `url`, which is not sent yet.
    ///
    /// # Errors
    ///
    /// Returns that [`Door::reaches`] says no, or that the system lets no client be made. Names are checked where they are
    /// resolved.
    pub fn request(&self, method: Method, url: Url) -> Result<RequestBuilder, NotSent> {
        self.reaches(&url).map_err(NotSent::NotPublic)?;
        let clients = (self.clients).get_or_init(|| Clients::new(&self.network, &self.configure));
        let clients = (clients.as_ref()).map_err(|why| NotSent::NoClient(why.clone()))?;
        if let Some(why) = &clients.without_tls
            && url.scheme() == "https"
        {
            return Err(NotSent::NoClient(why.clone()));
        }
        match self.allows(&url) {
            true => Ok(clients.anywhere.request(method, url)),
            false => Ok(clients.public.request(method, url)),
        }
    }

    /// Checks that a request for `url` may be made, as far as the host in the URL tells.
    ///
    /// # Errors
    ///
    /// Returns that its host is an address that is not public, and its origin not allowed.
    pub fn reaches(&self, url: &Url) -> Result<(), NotPublic> {
        let host = url.host_str().unwrap_or_default();
        let is_public = || guard::literal(host).is_none_or(self.network.is_public);
        match self.allows(url) || is_public() {
            true => Ok(()),
            false => Err(NotPublic(host.to_owned())),
        }
    }

    /// Returns true if the operator allows the origin of `url`.
    pub fn allows(&self, url: &Url) -> bool {
        self.allowed.contains(&url.origin().ascii_serialization())
    }
}
