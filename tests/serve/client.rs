//! The plainest HTTP client: one request, one connection, any headers.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

use serde_json::Value;

pub struct Answer {
    pub status: u16,
    /// Lower-case names.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.body))
    }
}

/// Sends these lines (without the last, empty one) and reads until the end.
pub fn send(at: SocketAddr, lines: &[&str]) -> Answer {
    exchange(at, &format!("{}\r\n\r\n", lines.join("\r\n")))
}

/// POST of a form with a proper Host.
pub fn post(at: SocketAddr, path: &str, fields: &[&str], body: &str) -> Answer {
    let mut lines = vec![
        format!("POST {path} HTTP/1.1"),
        format!("Host: {at}"),
        "Connection: close".to_owned(),
        "Content-Type: application/x-www-form-urlencoded".to_owned(),
        format!("Content-Length: {}", body.len()),
    ];
    lines.extend(fields.iter().map(|field| (*field).to_owned()));
    exchange(at, &format!("{}\r\n\r\n{body}", lines.join("\r\n")))
}

/// Orders something with a token; fields beside the usual ones, as lines.
pub fn order(
    at: SocketAddr,
    token: &str,
    request: &str,
    fields: &[&str],
    body: impl AsRef<[u8]>,
) -> Answer {
    let body = body.as_ref();
    let mut lines = vec![
        format!("{request} HTTP/1.1"),
        format!("Host: {at}"),
        "Connection: close".to_owned(),
        format!("Authorization: Bearer {token}"),
        format!("Content-Length: {}", body.len()),
    ];
    lines.extend(fields.iter().map(|field| (*field).to_owned()));
    let head = format!("{}\r\n\r\n", lines.join("\r\n"));
    exchange_bytes(at, &[head.as_bytes(), body].concat())
}

/// A JSON request to another program, which may keep the connection open, and its JSON answer.
pub fn json(at: SocketAddr, method: &str, path: &str, body: &Value) -> Value {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let head = format!("{method} {path} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n");
    let length = format!("Content-Length: {}\r\n\r\n", body.len());
    let mut stream = TcpStream::connect(at).unwrap();
    stream.write_all(format!("{head}{length}{body}").as_bytes()).unwrap();
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let line = line.trim().to_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(n) = line.strip_prefix("content-length:") {
            length = n.trim().parse().unwrap();
        }
    }
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes).unwrap();
    serde_json::from_slice(&bytes).unwrap_or(Value::Null)
}

fn exchange(at: SocketAddr, request: &str) -> Answer {
    exchange_bytes(at, request.as_bytes())
}

fn exchange_bytes(at: SocketAddr, request: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(at).unwrap();
    // A refused body need not be taken to its end.
    let _ = stream.write_all(request);
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").expect("a whole answer");
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_string()))
        .collect();
    Answer { status, headers, body: body.to_string() }
}

/// GET with a proper Host.
pub fn get(at: SocketAddr, path: &str) -> Answer {
    let (request, host) = (format!("GET {path} HTTP/1.1"), format!("Host: {at}"));
    send(at, &[&request, &host, "Connection: close"])
}
