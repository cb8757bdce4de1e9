//! Who is at the other end of a connection, and for whom a proxy asks.
//!
//! Must not know: connections, what is asked.

use std::net::{IpAddr, Ipv6Addr};

use ipnet::IpNet;

use super::Lane;

/// The other end of a connection; each of its requests carries it.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    pub address: IpAddr,
    pub lane: Lane,
    /// By TLS of ours.
    pub encrypted: bool,
}

/// The address that counts for a client: of IPv6 the network of 64 bits, which one machine has whole.
pub(super) fn client(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX))),
        v4 => v4,
    }
}

/// The client behind trusted proxies: of the addresses in `X-Forwarded-For`, the last that is no
/// proxy's. What stands before it anybody may have written. Without a trusted proxy, the peer.
pub fn forwarded<'a>(
    peer: IpAddr,
    fields: impl DoubleEndedIterator<Item = &'a str>,
    proxies: &[IpNet],
) -> IpAddr {
    let trusted = |address: &IpAddr| proxies.iter().any(|net| net.contains(address));
    let mut at = peer.to_canonical();
    for field in fields.rev().flat_map(|line| line.rsplit(',')) {
        if !trusted(&at) {
            break;
        }
        // What is no address was not written by a proxy that we know: its own address counts.
        let Some(address) = address(field.trim()) else { break };
        at = address;
    }
    client(at)
}

/// `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]:80`.
fn address(text: &str) -> Option<IpAddr> {
    let bare = || text.parse::<IpAddr>().ok();
    let with_port = || text.parse::<std::net::SocketAddr>().ok().map(|at| at.ip());
    let in_brackets = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    bare().or_else(with_port).or_else(in_brackets).map(|ip: IpAddr| ip.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_address_that_is_no_proxys_counts() {
        let proxies: Vec<IpNet> =
            ["10.0.0.0/8", "fd00::/8"].iter().map(|net| net.parse().unwrap()).collect();
        for (peer, fields, expect) in [
            ("192.0.2.9", &["198.51.100.1"][..], "192.0.2.9"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.1"], "198.51.100.1"),
            ("::ffff:10.0.0.1", &["198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &["203.0.113.5, 198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &["203.0.113.5", "198.51.100.1, 10.0.0.2"], "198.51.100.1"),
            ("10.0.0.1", &["203.0.113.5, nonsense"], "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.1:4711"], "198.51.100.1"),
            ("fd00::1", &["[2001:db8::1]:443"], "2001:db8::"),
            ("2001:db8:1:2:3:4:5:6", &[], "2001:db8:1:2::"),
            ("10.0.0.1", &[""], "10.0.0.1"),
        ] {
            let found = forwarded(peer.parse().unwrap(), fields.iter().copied(), &proxies);
            assert_eq!(found, expect.parse::<IpAddr>().unwrap(), "{peer} {fields:?}");
        }
    }
}
