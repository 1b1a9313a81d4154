//! Resources of the machine.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::OnceLock;

/// Number of threads that run at once. Determined once: the value comes from files of the control
/// group.
pub fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(2, usize::from))
}

/// The addresses of the machine that others in its networks reach; none where the system has no list of them to read.
pub fn addresses() -> BTreeSet<IpAddr> {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let mut addresses = of_routes(&read("/proc/net/fib_trie"));
    addresses.extend(of_interfaces(&read("/proc/net/if_inet6")));
    addresses
}

/// Addresses of version 4 in the routes of Linux: those of the machine itself, without loopback.
fn of_routes(text: &str) -> BTreeSet<IpAddr> {
    let mut last = None;
    let mut found = BTreeSet::new();
    for line in text.lines().map(str::trim) {
        if let Some(address) = line.strip_prefix("|-- ") {
            last = address.parse::<Ipv4Addr>().ok();
        } else if line == "/32 host LOCAL" {
            found.extend(last.filter(|address| !address.is_loopback()));
        }
    }
    found.into_iter().map(IpAddr::V4).collect()
}

/// Addresses of version 6 in the interfaces of Linux. One of a single link cannot be opened without naming the interface, which
/// browsers do not take.
fn of_interfaces(text: &str) -> BTreeSet<IpAddr> {
    let address = |line: &str| {
        let digits = line.split_ascii_whitespace().next()?;
        let bits = u128::from_str_radix(digits, 16).ok()?;
        Some(Ipv6Addr::from(bits))
    };
    let addresses = text.lines().filter_map(address);
    let is_reached =
        |address: &Ipv6Addr| !address.is_loopback() && !address.is_unicast_link_local();
    addresses.filter(is_reached).map(IpAddr::V6).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_addresses_of_the_machine_are_those_that_others_reach() {
        let routes = "Main:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 0.0.0.0\n        /0 universe UNICAST\n           |-- 127.0.0.1\n              \
            /32 host LOCAL\n           |-- 192.0.2.0\n              /24 link UNICAST\n           |-- 192.0.2.2\n              \
            /32 host LOCAL\n        |-- 192.0.2.255\n           /32 link BROADCAST\nLocal:\n           |-- 192.0.2.2\n              \
            /32 host LOCAL\n           |-- 10.1.0.7\n              /32 link UNICAST\n              /32 host LOCAL\n";
        let expected = ["10.1.0.7", "192.0.2.2"].map(|text| text.parse().unwrap());
        assert_eq!(of_routes(routes), BTreeSet::from(expected));
        let interfaces = "fd000000000000000000000000000002 04 40 00 82     eth0\nfe8000000000000000fc00fffe000001 04 40 20 80     \
            eth0\n00000000000000000000000000000001 01 80 10 80       lo\n";
        let expected = ["fd00::2".parse().unwrap()];
        assert_eq!(of_interfaces(interfaces), BTreeSet::from(expected));
        assert!(of_routes("").is_empty() && of_interfaces("no list\n").is_empty());
    }
}
