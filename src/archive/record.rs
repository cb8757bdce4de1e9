//! An exchange as WARC 1.1 records: request, response, metadata (ISO 28500:2017 §5–6).
//!
//! Must not know: files, compression.

use std::fmt::Write as _;

use jiff::Timestamp;
use sha2::{Digest, Sha256};

use super::Exchange;
use crate::model::{Millis, hex};

/// The `warcinfo` record that a file begins with.
pub(super) fn info(file: &str, at: Millis, software: &str) -> Vec<u8> {
    let body = format!(
        "software: {software}\r\nformat: WARC File Format 1.1\r\n\
         conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n\
         robots: RFC 9309\r\n"
    );
    let id = id("warcinfo", at, file.as_bytes(), &[]);
    let head = [
        ("WARC-Type", "warcinfo".to_owned()),
        ("WARC-Record-ID", id),
        ("WARC-Date", date(at)),
        ("WARC-Filename", file.to_owned()),
        ("Content-Type", "application/warc-fields".to_owned()),
    ];
    frame(&head, body.as_bytes())
}

/// The records of an exchange; request and metadata name the response that they belong to.
pub(super) fn of(exchange: &Exchange<'_>) -> [Vec<u8>; 3] {
    let response = response(exchange);
    let request = request(exchange);
    let mut metadata = String::new();
    for (name, value) in exchange.metadata {
        let _ = write!(metadata, "{name}: {}\r\n", line(value));
    }
    let about = |kind: &str, block: &[u8]| id(kind, exchange.at, exchange.url.as_bytes(), block);
    let of = about("response", &response);
    let common = |kind: &str, id: String| {
        vec![
            ("WARC-Type", kind.to_owned()),
            ("WARC-Record-ID", id),
            ("WARC-Date", date(exchange.at)),
            ("WARC-Target-URI", line(exchange.url)),
        ]
    };
    let mut head = common("response", of.clone());
    if let Some(address) = exchange.address {
        head.push(("WARC-IP-Address", address.to_string()));
    }
    if exchange.withheld {
        // WARC 1.1 §5.13.
        head.push(("WARC-Truncated", "unspecified".to_owned()));
    }
    head.push(("WARC-Payload-Digest", digest(exchange.body)));
    head.push(("WARC-Block-Digest", digest(&response)));
    head.push(("Content-Type", "application/http;msgtype=response".to_owned()));
    let response = frame(&head, &response);

    let mut head = common("request", about("request", &request));
    head.push(("WARC-Concurrent-To", of.clone()));
    head.push(("Content-Type", "application/http;msgtype=request".to_owned()));
    let request = frame(&head, &request);

    let mut head = common("metadata", about("metadata", metadata.as_bytes()));
    head.push(("WARC-Refers-To", of.clone()));
    head.push(("WARC-Concurrent-To", of));
    head.push(("Content-Type", "application/warc-fields".to_owned()));
    let metadata = frame(&head, metadata.as_bytes());
    [request, response, metadata]
}

/// The request as sent, as far as the HTTP client shows it.
fn request(exchange: &Exchange<'_>) -> Vec<u8> {
    let url = url::Url::parse(exchange.url).ok();
    let (host, path) = url.as_ref().map_or((String::new(), exchange.url), |url| {
        let host = url.host_str().unwrap_or_default();
        let host = url.port().map_or(host.to_owned(), |port| format!("{host}:{port}"));
        (host, &url[url::Position::BeforePath..url::Position::AfterQuery])
    });
    let mut out = format!("GET {} HTTP/1.1\r\nHost: {host}\r\n", line(path));
    for (name, value) in exchange.request {
        let _ = write!(out, "{name}: {}\r\n", line(value));
    }
    out.push_str("\r\n");
    out.into_bytes()
}

/// The answer as HTTP/1.1. Codings of message and content are removed already: the fields that
/// tell of them keep their values under other names, and the length is that of the body here.
fn response(exchange: &Exchange<'_>) -> Vec<u8> {
    let reason = reason(exchange.status);
    let mut out = format!("HTTP/1.1 {} {reason}\r\n", exchange.status).into_bytes();
    for (name, value) in exchange.fields {
        let coding = ["content-encoding", "transfer-encoding", "content-length"]
            .iter()
            .any(|coding| name.eq_ignore_ascii_case(coding));
        if coding {
            out.extend_from_slice(b"X-Archive-Orig-");
        }
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b": ");
        out.extend(value.iter().filter(|b| !matches!(b, b'\r' | b'\n' | 0)));
        out.extend_from_slice(b"\r\n");
    }
    let _ = std::io::Write::write_fmt(
        &mut out,
        format_args!("Content-Length: {}\r\n\r\n", exchange.body.len()),
    );
    out.extend_from_slice(exchange.body);
    out
}

fn frame(head: &[(&str, String)], block: &[u8]) -> Vec<u8> {
    let mut out = String::from("WARC/1.1\r\n");
    for (name, value) in head {
        let _ = write!(out, "{name}: {value}\r\n");
    }
    let _ = write!(out, "Content-Length: {}\r\n\r\n", block.len());
    let mut out = out.into_bytes();
    out.extend_from_slice(block);
    out.extend_from_slice(b"\r\n\r\n");
    out
}

/// A value on one line.
fn line(value: &str) -> String {
    value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn date(at: Millis) -> String {
    let instant = Timestamp::from_millisecond(at).unwrap_or(Timestamp::UNIX_EPOCH);
    instant.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

/// A `WARC-Block-Digest`.
pub(super) fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(&Sha256::digest(bytes)))
}

/// A UUID of version 8 (RFC 9562 §5.8) over what the record is and holds.
fn id(kind: &str, at: Millis, name: &[u8], block: &[u8]) -> String {
    let mut hash = Sha256::new();
    for part in [kind.as_bytes(), &at.to_be_bytes(), name, block] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.update(std::process::id().to_be_bytes());
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(hash.finalize()).for_each(|(to, from)| *to = from);
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = format!("{:032x}", u128::from_be_bytes(bytes));
    let (a, b, c, d, e) = (&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]);
    format!("<urn:uuid:{a}-{b}-{c}-{d}-{e}>")
}

/// Readers expect a phrase; clients must ignore it (RFC 9112 §4).
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        403 => "Forbidden",
        404 => "Not Found",
        410 => "Gone",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => match status / 100 {
            1 => "Informational",
            2 => "Success",
            3 => "Redirection",
            4 => "Client Error",
            _ => "Server Error",
        },
    }
}
