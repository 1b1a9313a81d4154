//! `listen.proxies`: programs before the daemon that speak for its visitors.

use std::net::IpAddr;

use anyhow::{Context, bail};

/// Addresses and networks of proxies, whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proxies(Vec<(IpAddr, u8)>);

impl Proxies {
    /// Reads addresses (`127.0.0.1`, `::1`) and networks (`10.0.0.0/8`).
    ///
    /// # Errors
    ///
    /// Returns which of them is neither.
    pub fn read(names: &[String]) -> anyhow::Result<Self> {
        let network = |name: &String| {
            let (address, bits) = match name.split_once('/') {
                Some((address, bits)) => (address, Some(bits)),
                None => (name.as_str(), None),
            };
            let what = || format!("`{name}` is neither an address nor a network");
            let address: IpAddr = address.parse().with_context(what)?;
            let most = if address.is_ipv4() { 32 } else { 128 };
            let bits = bits.map_or(Ok(most), str::parse).with_context(what)?;
            if bits > most {
                bail!("`{name}` has more than {most} bits");
            }
            Ok((address, bits))
        };
        Ok(Self(
            names.iter().map(network).collect::<anyhow::Result<_>>()?,
        ))
    }

    /// Returns true if `address` is a listed proxy.
    pub fn are_at(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|(network, bits)| {
            let (network, address, width) = match (network, address) {
                (IpAddr::V4(network), IpAddr::V4(address)) => {
                    (network.to_bits().into(), address.to_bits().into(), 32)
                }
                (IpAddr::V6(network), IpAddr::V6(address)) => {
                    (network.to_bits(), address.to_bits(), 128)
                }
                _ => return false,
            };
            let differ: u128 = network ^ address;
            differ.checked_shr(width - u32::from(*bits)).unwrap_or(0) == 0
        })
    }

    /// The client at `address` that limits for one client are for; none where many clients have that address: it is that of
    /// a proxy, or that by which every program of this machine comes.
    pub fn limited(&self, address: IpAddr) -> Option<IpAddr> {
        let address = address.to_canonical();
        let own = [
            IpAddr::from([127, 0, 0, 1]),
            IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1_u16]),
        ];
        (!own.contains(&address) && !self.are_at(address)).then_some(address)
    }

    /// The client that the proxy at `peer` names last in `forwarded`, the hops of `X-Forwarded-For` in their order, other
    /// proxies aside. Whoever is no proxy is the client.
    pub fn client<'a>(
        &self,
        peer: IpAddr,
        forwarded: impl DoubleEndedIterator<Item = &'a str>,
    ) -> IpAddr {
        let mut client = peer.to_canonical();
        for hop in forwarded.rev() {
            if !self.are_at(client) {
                return client;
            }
            // What comes before something that is no address was written by nobody knows whom.
            let Some(address) = address(hop.trim()) else {
                return client;
            };
            client = address.to_canonical();
        }
        client
    }
}

/// The address of a hop, which may have a port.
fn address(hop: &str) -> Option<IpAddr> {
    let with_port = |hop: &str| hop.parse::<std::net::SocketAddr>().ok();
    let bare = hop.trim_start_matches('[').trim_end_matches(']');
    (bare.parse().ok()).or_else(|| with_port(hop).map(|address| address.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxies(names: &[&str]) -> Proxies {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        Proxies::read(&names).unwrap()
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn networks_hold_their_addresses() {
        let proxies = proxies(&["127.0.0.1", "10.1.0.0/16", "2001:db8::/32", "0.0.0.0/32"]);
        for (address, is_proxy) in [
            ("127.0.0.1", true),
            ("::ffff:127.0.0.1", true),
            ("127.0.0.2", false),
            ("10.1.255.255", true),
            ("10.2.0.0", false),
            ("2001:db8:ffff::1", true),
            ("2001:db9::1", false),
            ("::1", false),
        ] {
            assert_eq!(proxies.are_at(ip(address)), is_proxy, "{address}");
        }
        assert!(
            super::Proxies::read(&["0.0.0.0/0".to_owned()])
                .unwrap()
                .are_at(ip("8.8.8.8"))
        );
        for wrong in [
            "here",
            "10.0.0.0/33",
            "10.0.0.0/x",
            "::1/129",
            "10.0.0.0/-1",
        ] {
            assert!(Proxies::read(&[wrong.to_owned()]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_client_is_the_last_hop_that_is_no_proxy() {
        let client_of = |proxies: &Proxies, peer: &str, hops: &str| {
            proxies.client(ip(peer), hops.split(',')).to_string()
        };
        let one = proxies(&["127.0.0.1", "10.0.0.0/8"]);
        assert_eq!(
            client_of(&one, "127.0.0.1", "198.51.100.7, 192.0.2.9"),
            "192.0.2.9"
        );
        assert_eq!(
            client_of(&one, "127.0.0.1", "192.0.2.9, 10.0.0.3"),
            "192.0.2.9"
        );
        assert_eq!(client_of(&one, "127.0.0.1", "10.0.0.3"), "10.0.0.3");
        assert_eq!(client_of(&one, "127.0.0.1", "192.0.2.9:4711"), "192.0.2.9");
        assert_eq!(
            client_of(&one, "127.0.0.1", "[2001:db8::1]:4711"),
            "2001:db8::1"
        );
        assert_eq!(
            client_of(&one, "127.0.0.1", "192.0.2.9, unknown"),
            "127.0.0.1"
        );
        assert_eq!(client_of(&one, "127.0.0.1", ""), "127.0.0.1");
        // Others may say what they like.
        assert_eq!(client_of(&one, "203.0.113.5", "192.0.2.9"), "203.0.113.5");
        assert_eq!(
            client_of(&one, "::ffff:203.0.113.5", "192.0.2.9"),
            "203.0.113.5"
        );
        assert_eq!(
            client_of(&Proxies::default(), "127.0.0.1", "192.0.2.9"),
            "127.0.0.1"
        );
    }

    #[test]
    fn who_speaks_for_many_is_not_limited_as_one() {
        let some = proxies(&["10.0.0.1"]);
        for many in ["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.1"] {
            assert_eq!(some.limited(ip(many)), None, "{many}");
        }
        for one in ["127.0.0.2", "10.0.0.2", "192.0.2.1"] {
            assert_eq!(some.limited(ip(one)), Some(ip(one)), "{one}");
        }
    }
}
