//! Names under which the crawler may be asked. A page elsewhere whose own name was rebound to our
//! address asks under that name: so an address or `localhost` proves that no such page is asking,
//! and other names must be the operator's.
//!
//! Must not know: HTTP, connections.

use std::net::IpAddr;

/// The operator's names.
pub struct Hosts(Vec<String>);

impl Hosts {
    pub fn new(names: &[String]) -> Hosts {
        Hosts(names.iter().map(|name| plain(name)).collect())
    }

    /// May the crawler be asked under this `host[:port]`?
    pub fn allow(&self, authority: &str) -> bool {
        let Some(host) = name_of(authority) else { return false };
        let literal = host.trim_start_matches('[').trim_end_matches(']');
        let host = plain(host);
        literal.parse::<IpAddr>().is_ok()
            || host == "localhost"
            || host.ends_with(".localhost")
            || self.0.contains(&host)
    }
}

fn plain(name: &str) -> String {
    name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
}

/// The host of `host[:port]`, brackets of IPv6 included; `None` if it is not of this form.
pub fn name_of(authority: &str) -> Option<&str> {
    let end = match authority.strip_prefix('[') {
        Some(rest) => rest.find(']')? + 2,
        None => authority.find(':').unwrap_or(authority.len()),
    };
    let (host, port) = authority.split_at_checked(end)?;
    let port = port.strip_prefix(':').unwrap_or(port);
    let usable = !host.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    (usable && !host.contains(['/', '@', '?', '#', ' '])).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_loopback_names_and_the_operators() {
        let hosts = Hosts::new(&["News.Example.org".to_owned(), "crawler".to_owned()]);
        for (authority, expect) in [
            ("localhost", true),
            ("LOCALHOST:8080", true),
            ("localhost.:8080", true),
            ("crawler.localhost:1", true),
            ("127.0.0.1:8080", true),
            ("127.9.9.9", true),
            ("10.0.0.1", true),
            ("[::1]:8080", true),
            ("[::ffff:127.0.0.1]:8080", true),
            ("[2001:db8::1]:80", true),
            ("news.example.org", true),
            ("NEWS.example.org.:443", true),
            ("crawler:8080", true),
            ("evil.example", false),
            ("evil.news.example.org", false),
            ("example.org", false),
            ("localhost.evil.example:8080", false),
            ("127.0.0.1.evil.example", false),
            ("127.0.0.1@evil.example", false),
            ("evil.example:80@localhost", false),
            ("localhost:80:80", false),
            ("[::1", false),
            ("[", false),
            ("", false),
            (":80", false),
            (".", false),
        ] {
            assert_eq!(hosts.allow(authority), expect, "{authority}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_allowed_is_an_address_or_a_known_name(authority in "[a-z0-9.:\\[\\]@/ -]{0,24}") {
            let hosts = Hosts::new(&["crawler.example".to_owned()]);
            if hosts.allow(&authority) {
                let host = name_of(&authority).unwrap().trim_matches(['[', ']']).to_owned();
                let name = host.strip_suffix('.').unwrap_or(&host);
                let local = name == "localhost" || name.ends_with(".localhost");
                proptest::prop_assert!(
                    local || name == "crawler.example" || host.parse::<IpAddr>().is_ok()
                );
            }
        }
    }
}
