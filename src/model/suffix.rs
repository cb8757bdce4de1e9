//! Where a host's registered domain begins, by the Public Suffix List, and what can be the name of an outlet.
//!
//! The list is half a megabyte of machine code, inlined wherever it is asked: [`longest`] alone asks it, so that it is
//! compiled once.

use psl::{Suffix, Type};

#[inline(never)]
fn longest(host: &[u8]) -> Option<Suffix<'_>> {
    psl::suffix(host)
}

/// The registered domain of `host`, private suffixes such as `blogspot.com` counted; `host` itself where there is none.
pub fn registered_domain(host: &str) -> &str {
    let suffix = longest(host.as_bytes()).map_or(0, |suffix| suffix.as_bytes().len());
    above(host, suffix).map_or(host, |domain| domain.strip_suffix('.').unwrap_or(domain))
}

/// The registered domain by the list's ICANN section alone: walks up while the suffix is a private one.
pub fn icann_domain(host: &str) -> &str {
    let mut suffix = longest(host.as_bytes());
    while let Some(private) = suffix.filter(|s| s.typ() == Some(Type::Private)) {
        let name = private.as_bytes();
        let parent = name.iter().position(|&b| b == b'.').and_then(|dot| name.get(dot + 1..));
        suffix = parent.and_then(longest);
    }
    above(host, suffix.map_or(0, |s| s.as_bytes().len())).unwrap_or(host)
}

/// Is `name` (lower case) a suffix that the list has?
pub fn is_public_suffix(name: &str) -> bool {
    longest(name.as_bytes())
        .is_some_and(|suffix| suffix.is_known() && suffix.as_bytes().len() == name.len())
}

/// Can what begins with this host, as somebody writes it, be on the web: has it a dot, or is it this machine's or an
/// address of IPv6?
pub fn is_host(name: &str) -> bool {
    let host = name.split([':', '/']).next().unwrap_or_default().to_ascii_lowercase();
    host.starts_with('[') || host == "localhost" || host.trim_matches('.').contains('.')
}

/// The name of an outlet, in small letters: a registered domain; a host with its port where it is an address or local.
///
/// # Errors
/// No outlet can have it.
pub fn outlet_name(name: &str) -> Result<String, String> {
    let lower = name.to_ascii_lowercase();
    let sign = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.:[]".contains(c);
    if !is_host(&lower) || !lower.chars().all(sign) {
        return Err(format!(
            "`{name}` is no outlet: write a registered domain such as acme.example"
        ));
    }
    match registered_domain(&lower) {
        domain if domain == lower || lower.contains(':') => Ok(lower),
        domain => Err(format!("`{name}` belongs to `{domain}`: write that")),
    }
}

/// A suffix of `length` bytes with the label above it; `None` where there is no such label.
fn above(host: &str, length: usize) -> Option<&str> {
    let labels = host.get(..host.len().checked_sub(length + 1)?).filter(|l| !l.is_empty())?;
    host.get(labels.rfind('.').map_or(0, |dot| dot + 1)..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_begin_one_label_before_the_suffix() {
        for (host, private, icann) in [
            ("www.herald.example", "herald.example", "herald.example"),
            ("news.bbc.co.uk", "bbc.co.uk", "bbc.co.uk"),
            ("ann.blogspot.com", "ann.blogspot.com", "blogspot.com"),
            ("com", "com", "com"),
            ("", "", ""),
            ("herald.example.", "herald.example", "herald.example."),
        ] {
            assert_eq!((registered_domain(host), icann_domain(host)), (private, icann), "{host}");
        }
        assert!(is_public_suffix("com") && !is_public_suffix("herald"));
    }

    proptest::proptest! {
        /// The list's own reading of a registered domain.
        #[test]
        fn as_the_list_says(host in "[a-z]{0,3}(\\.[a-z]{0,3}|\\.com|\\.co\\.uk|\\.github\\.io){0,4}") {
            let theirs = psl::domain_str(&host).unwrap_or(&host);
            proptest::prop_assert_eq!(registered_domain(&host), theirs);
        }
    }
}
