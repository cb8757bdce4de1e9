//! Which addresses and ports may be dialled. Everything that is not plain public unicast is
//! denied unless the operator opened it; and without a contact nothing outside what was opened.
//!
//! Must not know: names, URLs, HTTP.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;
use std::sync::LazyLock;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

/// What the operator opens beyond the public internet's web ports.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Address ranges that may be dialled although they are not public, e.g. `127.0.0.0/8`; and
    /// without a contact the only ones.
    pub allow: Vec<Range>,
    /// Ports beside 80 and 443, e.g. `8080` or `1-65535`.
    pub allow_ports: Vec<Ports>,
}

/// An address range in CIDR notation; a bare address is a range of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range(pub IpNet);

/// A port or a range of ports, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ports {
    pub first: u16,
    pub last: u16,
}

impl FromStr for Range {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        let s = s.trim();
        let net = s.parse::<IpNet>().or_else(|_| s.parse::<IpAddr>().map(IpNet::from));
        net.map(Range).map_err(|_| {
            format!("`{s}` is not an address range; write for example 127.0.0.0/8 or fd00::/8")
        })
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl FromStr for Ports {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        let (first, last) = s.split_once('-').unwrap_or((s, s));
        match (first.trim().parse(), last.trim().parse()) {
            (Ok(first), Ok(last)) if first <= last => Ok(Ports { first, last }),
            _ => Err(format!("`{s}` is no port or range of ports; write 8080 or 8000-8099")),
        }
    }
}

impl fmt::Display for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            write!(f, "{}", self.first)
        } else {
            write!(f, "{}-{}", self.first, self.last)
        }
    }
}

impl Serialize for Range {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Range {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d)?.parse().map_err(serde::de::Error::custom)
    }
}

impl Serialize for Ports {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Ports {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Ports;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a port or a range such as \"8000-8099\"")
            }
            fn visit_str<E: serde::de::Error>(self, s: &str) -> Result<Ports, E> {
                s.parse().map_err(E::custom)
            }
            fn visit_u64<E: serde::de::Error>(self, n: u64) -> Result<Ports, E> {
                n.to_string().parse().map_err(E::custom)
            }
            fn visit_i64<E: serde::de::Error>(self, n: i64) -> Result<Ports, E> {
                n.to_string().parse().map_err(E::custom)
            }
        }
        d.deserialize_any(Visitor)
    }
}

/// What is never public web, by the IANA special-purpose address registries (IPv4 and IPv6) and
/// the metadata services of clouds that lie outside them.
static DENIED: LazyLock<Vec<(IpNet, &'static str)>> = LazyLock::new(|| {
    let table = [
        ("0.0.0.0/8", "this network"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "carrier-grade NAT"),
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "a metadata service"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "reserved for protocols"),
        ("192.0.2.0/24", "documentation"),
        ("192.31.196.0/24", "AS112"),
        ("192.52.193.0/24", "AMT"),
        ("192.88.99.0/24", "6to4 relay"),
        ("192.168.0.0/16", "private"),
        ("192.175.48.0/24", "AS112"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("64:ff9b::/96", "NAT64"),
        ("64:ff9b:1::/48", "NAT64"),
        ("fc00::/7", "private"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
        ("2001::/32", "Teredo"),
        ("2001:2::/48", "benchmarking"),
        ("2001::/23", "reserved for protocols"),
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "6to4"),
        ("2620:4f:8000::/48", "AS112"),
        ("3fff::/20", "documentation"),
    ];
    let parse = |(net, what): (&str, _)| (net.parse().expect("a valid range"), what);
    table.into_iter().map(parse).collect()
});

/// Why this address is no public one, if so. IPv4-mapped addresses count as what they map.
pub fn special(ip: IpAddr) -> Option<&'static str> {
    let ip = ip.to_canonical();
    let listed = DENIED.iter().find(|(net, _)| net.contains(&ip)).map(|(_, what)| *what);
    match ip {
        // Global unicast is 2000::/3; the rest is unassigned or special.
        IpAddr::V6(v6) if listed.is_none() && v6.segments()[0] >> 13 != 1 => Some("not public"),
        _ => listed,
    }
}

/// The rule in force.
#[derive(Clone, Debug)]
pub struct Guard {
    settings: Settings,
    has_contact: bool,
}

impl Guard {
    pub fn new(settings: &Settings, has_contact: bool) -> Guard {
        Guard { settings: settings.clone(), has_contact }
    }

    /// May this address be dialled? The error says why not, in words for `refused(…)`.
    pub fn address(&self, ip: IpAddr) -> Result<(), String> {
        let canonical = ip.to_canonical();
        if self.settings.allow.iter().any(|range| range.0.contains(&canonical)) {
            return Ok(());
        }
        match special(ip) {
            Some(what) => Err(format!("address {ip} is {what}")),
            None if !self.has_contact => Err(NO_CONTACT.to_owned()),
            None => Ok(()),
        }
    }

    /// May this port be dialled?
    pub fn port(&self, port: u16) -> Result<(), String> {
        let listed = |p: &Ports| (p.first..=p.last).contains(&port);
        if matches!(port, 80 | 443) || self.settings.allow_ports.iter().any(listed) {
            Ok(())
        } else {
            Err(format!("port {port} is not allowed"))
        }
    }

    /// Both.
    pub fn socket(&self, addr: SocketAddr) -> Result<(), String> {
        self.address(addr.ip())?;
        self.port(addr.port())
    }

    /// Is there no address at all that may be dialled?
    pub fn opens_nothing(&self) -> bool {
        !self.has_contact && self.settings.allow.is_empty()
    }
}

/// Why nothing is dialled as long as nobody can be asked about it.
pub const NO_CONTACT: &str = "no contact";
/// What is to be done about it.
pub const SET_CONTACT: &str = "set contact = \"you@example.org\" in config.toml, or CRAWLER_CONTACT, or \
     --set contact=you@example.org (publishers see it)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (ip, expect) in [
            ("0.0.0.0", Some("this network")),
            ("10.1.2.3", Some("private")),
            ("100.64.0.1", Some("carrier-grade NAT")),
            ("100.63.255.255", None),
            ("100.100.100.200", Some("carrier-grade NAT")),
            ("100.128.0.0", None),
            ("127.0.0.1", Some("loopback")),
            ("127.255.255.255", Some("loopback")),
            ("168.63.129.16", Some("a metadata service")),
            ("169.254.169.254", Some("link-local")),
            ("172.15.255.255", None),
            ("172.16.0.1", Some("private")),
            ("172.31.255.255", Some("private")),
            ("172.32.0.0", None),
            ("192.0.0.192", Some("reserved for protocols")),
            ("192.0.2.1", Some("documentation")),
            ("192.88.99.1", Some("6to4 relay")),
            ("192.168.1.1", Some("private")),
            ("198.18.0.1", Some("benchmarking")),
            ("198.19.255.255", Some("benchmarking")),
            ("198.20.0.0", None),
            ("203.0.113.9", Some("documentation")),
            ("224.0.0.1", Some("multicast")),
            ("255.255.255.255", Some("reserved")),
            ("8.8.8.8", None),
            ("::", Some("unspecified")),
            ("::1", Some("loopback")),
            ("::127.0.0.1", Some("not public")),
            ("::ffff:127.0.0.1", Some("loopback")),
            ("::ffff:169.254.169.254", Some("link-local")),
            ("::ffff:8.8.8.8", None),
            ("64:ff9b::127.0.0.1", Some("NAT64")),
            ("64:ff9b:1::10.0.0.1", Some("NAT64")),
            ("100::1", Some("not public")),
            ("2001:0:1::1", Some("Teredo")),
            ("2001:2::1", Some("benchmarking")),
            ("2001:20::1", Some("reserved for protocols")),
            ("2001:db8::1", Some("documentation")),
            ("2002:7f00:1::", Some("6to4")),
            ("2606:4700::1", None),
            ("2a00:1450::1", None),
            ("3fff::1", Some("documentation")),
            ("5f00::1", Some("not public")),
            ("fc00::1", Some("private")),
            ("fd00:ec2::254", Some("private")),
            ("fe80::1", Some("link-local")),
            ("fec0::1", Some("site-local")),
            ("ff02::1", Some("multicast")),
        ] {
            assert_eq!(special(ip.parse().unwrap()), expect, "{ip}");
        }
    }

    #[test]
    fn what_is_opened() {
        let settings: Settings = toml::from_str(
            "allow = [\"127.0.0.0/8\", \"fd00::7\"]\nallow_ports = [8080, \"9000-9009\"]",
        )
        .unwrap();
        let silent = Guard::new(&settings, false);
        let named = Guard::new(&settings, true);
        for (addr, without, with) in [
            ("127.0.0.1:80", "", ""),
            ("127.0.0.1:8080", "", ""),
            ("127.0.0.1:9009", "", ""),
            ("127.0.0.1:9010", "port 9010 is not allowed", "port 9010 is not allowed"),
            ("[::ffff:127.0.0.1]:80", "", ""),
            ("[fd00::7]:443", "", ""),
            ("[fd00::8]:443", "address fd00::8 is private", "address fd00::8 is private"),
            ("[::1]:80", "address ::1 is loopback", "address ::1 is loopback"),
            ("8.8.8.8:443", "no contact", ""),
            ("8.8.8.8:25", "no contact", "port 25 is not allowed"),
        ] {
            let addr = addr.parse().unwrap();
            assert_eq!(silent.socket(addr).err().unwrap_or_default(), without, "{addr}");
            assert_eq!(named.socket(addr).err().unwrap_or_default(), with, "{addr}");
        }
    }

    #[test]
    fn settings_say_what_is_wrong() {
        for bad in ["allow = [\"127/8\"]", "allow_ports = [70000]", "allow_ports = [\"9-1\"]"] {
            assert!(toml::from_str::<Settings>(bad).is_err(), "{bad}");
        }
        let same = toml::to_string(&Settings {
            allow: vec!["10.0.0.1".parse().unwrap()],
            allow_ports: vec!["1-65535".parse().unwrap(), "81".parse().unwrap()],
        })
        .unwrap();
        assert_eq!(same, "allow = [\"10.0.0.1/32\"]\nallow_ports = [\"1-65535\", \"81\"]\n");
    }
}
