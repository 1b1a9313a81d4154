//! Guard against server-side request forgery: only public addresses are connected to, whatever
//! address a configuration names.
//!
//! The names of hosts are resolved here, and the connection is made to what was checked; an address that stands in a URL is
//! checked with each request.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Looks up the addresses of a host.
pub trait Lookup: Send + Sync + 'static {
    /// The addresses of `host`, a name that is no address itself.
    fn lookup(&self, host: String) -> LookupResult;
}

/// Addresses that are being looked up.
pub type LookupResult = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Asks the system.
pub struct SystemLookup;

impl Lookup for SystemLookup {
    fn lookup(&self, host: String) -> LookupResult {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// View of the network: name resolution, and the addresses that count as public.
#[derive(Clone)]
pub struct Network {
    /// Looks names up.
    pub lookup: Arc<dyn Lookup>,
    /// Test for public addresses: [`is_public`], except in tests.
    pub is_public: fn(IpAddr) -> bool,
}

impl Default for Network {
    fn default() -> Self {
        Self {
            lookup: Arc::new(SystemLookup),
            is_public,
        }
    }
}

/// Resolves the names that a client of HTTP connects to. What is connected to is what was checked
/// here: the name is not resolved a second time.
pub(crate) struct Resolver {
    lookup: Arc<dyn Lookup>,
    accepts: fn(IpAddr) -> bool,
}

impl Resolver {
    /// Resolves names whose addresses are all public, and no others.
    pub(crate) fn public_only(network: Network) -> Arc<Self> {
        Arc::new(Self {
            lookup: network.lookup,
            accepts: network.is_public,
        })
    }

    /// Resolves every name.
    pub(crate) fn of_any(network: Network) -> Arc<Self> {
        Arc::new(Self {
            lookup: network.lookup,
            accepts: |_| true,
        })
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (lookup, accepts) = (self.lookup.clone(), self.accepts);
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let found = lookup.lookup(host.clone()).await;
            let found = found.map_err(|error| NoAddress(host.clone(), error))?;
            // A name that is here and there at once is no public one, whichever address comes
            // first.
            if !found.iter().all(|address| accepts(*address)) {
                return Err(NotPublic(host).into());
            }
            let addresses = found.into_iter().map(|address| SocketAddr::new(address, 0));
            let addresses: Addrs = Box::new(addresses);
            Ok(addresses)
        })
    }
}

/// A host some address of which is not public.
#[derive(Debug)]
pub struct NotPublic(pub String);

impl std::fmt::Display for NotPublic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} is no public address", self.0)
    }
}

impl std::error::Error for NotPublic {}

/// A host whose addresses cannot be told.
#[derive(Debug)]
pub struct NoAddress(String, io::Error);

impl std::fmt::Display for NoAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the address of {} cannot be told", self.0)
    }
}

impl std::error::Error for NoAddress {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.1)
    }
}

/// The address that a host of a URL is, if it is no name.
pub(crate) fn literal(host: &str) -> Option<IpAddr> {
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    literal.parse().ok()
}

/// Returns true if `address` is public: not of this machine, a private network or the inside of a
/// provider, not for documentation or multicast, and not an IPv6 form of one of those.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// IANA IPv4 special-purpose registry (RFC 6890 and its successors).
fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = a == 0
        || a == 10
        || a == 127
        || (a == 100 && (64..128).contains(&b))
        || (a == 169 && b == 254)
        || (a == 172 && (16..32).contains(&b))
        || (a == 192 && b == 168)
        || (a == 192 && b == 0 && (c == 0 || c == 2))
        || (a == 192 && b == 88 && c == 99)
        // Where machines of one provider ask for what they are (Azure); of the others it is in the
        // ranges of this list.
        || address == Ipv4Addr::new(168, 63, 129, 16)
        || (a == 198 && (b == 18 || b == 19))
        || (a == 198 && b == 51 && c == 100)
        || (a == 203 && b == 0 && c == 113)
        || a >= 224;
    !is_special
}

/// IANA IPv6 special-purpose registry. Only 2000::/3 is global unicast (RFC 4291); what carries an
/// IPv4 address is refused whole, as nothing public is only there.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, _, _, e, f, ..] = address.segments();
    let is_global = (0x2000..0x4000).contains(&a);
    let is_special = (a == 0x2001 && (b < 0x0200 || b == 0x0db8)) || a == 0x2002 || a == 0x3fff;
    // ISATAP: an interface that is an IPv4 address (RFC 5214, 6.1).
    let is_embedded = (e & 0xfcff) == 0 && f == 0x5efe;
    is_global && !is_special && !is_embedded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_inside_are_refused() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "168.63.129.16",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::8.8.8.8",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2606:4700::5efe:7f00:1",
            "2606:4700::200:5efe:7f00:1",
            "3fff::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn public_addresses_are_not() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.0.1",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.17.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2001:4860:4860::8888",
            "2a00:1450::1",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn a_literal_in_an_address_is_known() {
        let loopback: IpAddr = "::1".parse().unwrap();
        assert_eq!(literal("127.0.0.1"), "127.0.0.1".parse().ok());
        assert_eq!(literal("[::1]"), Some(loopback));
        assert_eq!(literal("example.org"), None);
    }
}
