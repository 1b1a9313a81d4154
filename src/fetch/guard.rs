//! Which addresses may be fetched from: public ones, so that nobody reaches into the network of this machine by naming an
//! address in a configuration (server-side request forgery).
//!
//! The names of hosts are resolved here, and the connection is made to what was checked; a literal address is checked
//! before the request, and with each redirect.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Resolves names to public addresses.
pub(crate) struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        let host = name.as_str().to_owned();
        Box::pin(async move {
            let found: Vec<SocketAddr> =
                tokio::net::lookup_host((host.as_str(), 0)).await?.collect();
            let public: Vec<SocketAddr> = found
                .into_iter()
                .filter(|address| is_public(address.ip()))
                .collect();
            if public.is_empty() {
                return Err(format!("{host} is no public address").into());
            }
            let addresses: Addrs = Box::new(public.into_iter());
            Ok(addresses)
        })
    }
}

/// Whether a URL with this host may be asked for, as far as that can be told without resolving it.
pub(crate) fn may_ask(host: Option<&str>) -> bool {
    let Some(host) = host else { return false };
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    literal.parse::<IpAddr>().map_or(true, is_public)
}

/// Whether `address` is one of the public network: none of this machine, of a private network, of a provider's inside, for
/// documentation or for many at once, and none that hides one of those.
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
        || (a == 198 && (b == 18 || b == 19))
        || (a == 198 && b == 51 && c == 100)
        || (a == 203 && b == 0 && c == 113)
        || a >= 224;
    !is_special
}

/// IANA IPv6 special-purpose registry. Only 2000::/3 is global unicast (RFC 4291); what carries an IPv4 address is refused
/// whole, as nothing public is only there.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    let is_global = (0x2000..0x4000).contains(&a);
    let is_special = (a == 0x2001 && (b < 0x0200 || b == 0x0db8)) || a == 0x2002 || a == 0x3fff;
    is_global && !is_special
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
            "3fff::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
            assert!(
                !may_ask(Some(&format!("[{address}]"))) || address.contains('.'),
                "{address}"
            );
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
    fn a_literal_in_an_address_is_checked() {
        assert!(!may_ask(Some("127.0.0.1")));
        assert!(!may_ask(Some("[::1]")));
        assert!(!may_ask(None));
        assert!(may_ask(Some("example.org")));
        assert!(may_ask(Some("8.8.8.8")));
    }
}
