//! The environment: which of its variables set keys, and which are others'.
//!
//! Must not know: what the settings do, what their values may be.

use std::collections::BTreeMap;
use std::ffi::OsString;

use anyhow::{Result, anyhow};

use super::keys::Keys;

/// Environment variables with this prefix set keys: `CRAWLER_PACE__DELAY=2s` is `pace.delay`.
const PREFIX: &str = "CRAWLER_";
/// Variables with the prefix that are not settings: test hooks and the log filter.
const OTHER: [&str; 3] = ["CRAWLER_ABORT_AT", "CRAWLER_CLOCK", "CRAWLER_LOG"];
/// Protocols of a Kubernetes Service.
const PROTOCOLS: [&str; 3] = ["tcp", "udp", "sctp"];

/// The variables that set keys, with their values. In the order of their names, so that a section's keys stand
/// beside what is short for one.
pub(super) fn variables(
    environment: impl Iterator<Item = (OsString, OsString)>,
    known: &Keys,
) -> Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for (name, value) in environment {
        // What others name and write is none of our business, whatever bytes it is of.
        if !name.as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            continue;
        }
        let name = name.into_string().map_err(|name| {
            anyhow!("environment variable {}: its name is not UTF-8", name.to_string_lossy())
        })?;
        if OTHER.contains(&name.as_str()) {
            continue;
        }
        let value = value
            .into_string()
            .map_err(|_| anyhow!("environment variable {name}: its value is not UTF-8"))?;
        if known.has(&key_of(&name)) || !is_service_link(&name, &value) {
            found.insert(name, value);
        }
    }
    Ok(found)
}

/// The key that a variable with the prefix sets.
pub(super) fn key_of(variable: &str) -> String {
    let key = variable.strip_prefix(PREFIX).unwrap_or(variable);
    key.to_lowercase().replace("__", ".")
}

/// Is this what Kubernetes tells every pod of a Service that is named `crawler` or `crawler-…`? It does so for all
/// Services of a namespace, whoever made them (`NAME_SERVICE_HOST`, `NAME_PORT=tcp://…`,
/// `NAME_PORT_80_TCP_ADDR` …).
fn is_service_link(name: &str, value: &str) -> bool {
    let is_url = PROTOCOLS.iter().any(|protocol| value.starts_with(&format!("{protocol}://")));
    let of_a_port = |rest: &str| {
        let mut parts = rest.split('_');
        let number = parts.next().is_some_and(|n| n.parse::<u16>().is_ok());
        let protocol = parts.next().map(str::to_lowercase);
        let is_one = protocol.is_some_and(|p| PROTOCOLS.contains(&p.as_str()));
        number && is_one && matches!(parts.next(), None | Some("PROTO" | "PORT" | "ADDR"))
    };
    name.ends_with("_SERVICE_HOST")
        || name.ends_with("_SERVICE_PORT")
        || name.contains("_SERVICE_PORT_")
        || (name.ends_with("_PORT") && is_url)
        || name.rsplit_once("_PORT_").is_some_and(|(_, rest)| of_a_port(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The variables that are read as settings, or what is wrong with one.
    fn read_of(pairs: &[(&[u8], &[u8])]) -> Result<Vec<String>, String> {
        use std::os::unix::ffi::OsStringExt;
        let os = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
        let pairs = pairs.iter().map(|(name, value)| (os(name), os(value)));
        let read = variables(pairs, &Keys::new()).map_err(|e| e.to_string())?;
        Ok(read.into_keys().collect())
    }

    #[test]
    fn a_kubernetes_service_was_taken_for_settings() {
        for service in [
            "CRAWLER",
            "CRAWLER_METRICS",
            "CRAWLER_IMPORT_OLD",
            "CRAWLER_PORT",
            "CRAWLER_PORT_FORWARD",
        ] {
            for (rest, value) in [
                ("SERVICE_HOST", "10.96.0.5"),
                ("SERVICE_PORT", "80"),
                ("SERVICE_PORT_HTTP", "80"),
                ("PORT", "tcp://10.96.0.5:80"),
                ("PORT_80_TCP", "tcp://10.96.0.5:80"),
                ("PORT_80_TCP_PROTO", "tcp"),
                ("PORT_80_TCP_PORT", "80"),
                ("PORT_80_TCP_ADDR", "10.96.0.5"),
                ("PORT_53_UDP_ADDR", "fd00::5"),
            ] {
                let name = format!("{service}_{rest}");
                assert_eq!(read_of(&[(name.as_bytes(), value.as_bytes())]), Ok(vec![]), "{name}");
            }
        }
        // What somebody means as a setting is read, so that a slip is told.
        for name in ["CRAWLER_PORT", "CRAWLER_LISTEN", "CRAWLER_PORT_LIST", "CRAWLER_SERVICE"] {
            assert_eq!(read_of(&[(name.as_bytes(), b"8080")]), Ok(vec![name.to_owned()]));
        }
    }

    #[test]
    fn a_variable_that_is_not_utf8_was_a_panic() {
        assert_eq!(read_of(&[(b"X", b"\xff"), (b"\xff", b"x")]), Ok(vec![]));
        assert_eq!(read_of(&[(b"CRAWLER_LOG", b"\xff")]), Ok(vec![]));
        let wrong = read_of(&[(b"CRAWLER_CONTACT", b"\xff")]).unwrap_err();
        assert_eq!(wrong, "environment variable CRAWLER_CONTACT: its value is not UTF-8");
        let wrong = read_of(&[(b"CRAWLER_\xff", b"x")]).unwrap_err();
        assert_eq!(wrong, "environment variable CRAWLER_\u{fffd}: its name is not UTF-8");
    }
}
