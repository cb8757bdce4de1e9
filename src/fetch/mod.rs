//! URL to bytes: the only outgoing socket of the crawler. One request is one hop: redirects are
//! answers, and nothing is asked twice behind the caller's back. (One exception: a server that closes a kept connection
//! instead of answering is asked once more over a new one, and keeps no connection with us any more.)
//!
//! Must not know: robots rules, pace, what is in the bytes. Whoever calls has asked those first.

mod body;
mod dial;
mod dialled;
mod failure;
pub mod guard;
pub mod headers;
mod kept;
mod memory;
mod settings;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use reqwest::header;
use url::{Host, Url};

use crate::model::{Failure, Millis};
use body::{Body, Limits};
pub use dial::{Found, Lookup};
use guard::Guard;
pub use headers::Headers;
use memory::{Memory, Reservation};
pub use settings::{Identity, Settings};

/// Addresses of a name by the system's resolver; none of them is dialled.
///
/// # Errors
/// The name is not known, or nobody answers.
pub async fn look_up(name: &str) -> std::io::Result<Vec<std::net::IpAddr>> {
    dial::system()(name.to_owned()).await
}

/// Encoded bytes decoded at a time, between two looks at how much memory the body takes.
const SLICE: usize = 4 * 1024;

/// What is asked for; decides the cap and what is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Page,
    Feed,
    Sitemap,
    Robots,
    /// A WebSub hub: the answer's text is of no interest.
    Hub,
}

impl Kind {
    /// The word used in metrics and logs.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Page => "page",
            Kind::Feed => "feed",
            Kind::Sitemap => "sitemap",
            Kind::Robots => "robots",
            Kind::Hub => "hub",
        }
    }

    fn accept(self) -> &'static str {
        match self {
            Kind::Page => "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5",
            Kind::Feed => {
                "application/rss+xml,application/atom+xml,application/feed+json,\
                 application/rdf+xml;q=0.9,application/xml;q=0.8,text/xml;q=0.8,*/*;q=0.5"
            }
            Kind::Sitemap => "application/xml,text/xml;q=0.9,*/*;q=0.5",
            Kind::Robots => "text/plain,*/*;q=0.5",
            Kind::Hub => "*/*",
        }
    }
}

/// One hop.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub url: &'a Url,
    pub kind: Kind,
    /// Sent as If-None-Match.
    pub etag: Option<&'a str>,
    /// Sent as If-Modified-Since.
    pub last_modified: Option<&'a str>,
    /// Sent as Cookie.
    pub cookie: Option<&'a str>,
    /// Instead of what the kind accepts.
    pub accept: Option<&'a str>,
    /// Sent by POST as `application/x-www-form-urlencoded`.
    pub form: Option<&'a str>,
}

impl<'a> Request<'a> {
    /// An unconditional GET, with the kind's own Accept.
    pub fn new(url: &'a Url, kind: Kind) -> Self {
        Request {
            url,
            kind,
            etag: None,
            last_modified: None,
            cookie: None,
            accept: None,
            form: None,
        }
    }
}

/// What came back, whatever its status.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub headers: Headers,
    /// Decoded.
    pub body: Vec<u8>,
    pub extent: Extent,
    /// Octets of the body on the wire.
    pub encoded: u64,
    /// Start to response head, milliseconds.
    pub first_byte_ms: Millis,
    /// Start to last byte, milliseconds.
    pub elapsed_ms: Millis,
    /// Address that answered.
    pub addr: Option<SocketAddr>,
    /// Header fields of the request, Host left out.
    pub sent: Vec<(String, String)>,
    /// All header fields of the answer, as received.
    pub fields: Vec<(String, Vec<u8>)>,
    /// Memory that the body holds of the budget.
    _reserved: Reservation,
}

/// How much of the body there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    Whole,
    /// Longer than the cap and cut there (robots.txt alone).
    Cut,
    /// Not read: 1xx, 204, 304 and redirects, and pages whose content type is no text (images,
    /// audio, video, fonts, archives, PDF). Or not readable, with a status of 400 or more: a refusal
    /// is one without its body, too.
    Unread,
}

/// Why there is no response.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FetchError {
    #[error("{}", .0.name())]
    Failed(Failure),
    /// Not dialled; in words.
    #[error("refused({0})")]
    Refused(String),
    /// Not dialled: every address that the name has just now is denied. It may have others later.
    #[error("refused({0})")]
    AddressDenied(String),
}

impl From<Failure> for FetchError {
    fn from(failure: Failure) -> Self {
        FetchError::Failed(failure)
    }
}

/// The fetcher could not be set up; in words.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct SetupError(String);

/// The one client. Cheap to clone; clones share connections and the memory budget.
#[derive(Clone, Debug)]
pub struct Fetcher {
    client: reqwest::Client,
    settings: Settings,
    /// The User-Agent header.
    agent: String,
    guard: Arc<Guard>,
    hosts: Arc<HashMap<String, SocketAddr>>,
    memory: Memory,
    closing: Arc<kept::Closing>,
}

impl Fetcher {
    /// A fetcher that resolves names by the system.
    pub fn new(
        settings: &Settings,
        guard: &guard::Settings,
        identity: &Identity,
    ) -> Result<Fetcher, SetupError> {
        Self::with_hosts(settings, guard, identity, HashMap::new())
    }

    /// A fetcher for the demo and for tests: the hosts given (lower case) are found at these
    /// addresses, without DNS and whatever port the URL names. The guard judges the address and
    /// the port that are really dialled, as always.
    pub fn with_hosts(
        settings: &Settings,
        guard: &guard::Settings,
        identity: &Identity,
        hosts: HashMap<String, SocketAddr>,
    ) -> Result<Fetcher, SetupError> {
        Self::with_lookup(settings, guard, identity, hosts, dial::system())
    }

    /// A fetcher that looks names up as the caller does. Whatever comes of it, the guard judges each
    /// address, each time.
    pub fn with_lookup(
        settings: &Settings,
        guard: &guard::Settings,
        identity: &Identity,
        hosts: HashMap<String, SocketAddr>,
        lookup: Lookup,
    ) -> Result<Fetcher, SetupError> {
        let largest = settings.page_cap.max(settings.feed_cap).max(settings.robots_cap);
        if settings.in_flight / 2 < largest {
            return Err(SetupError(format!(
                "fetch.in_flight ({} bytes) must hold at least two bodies of the largest cap \
                 ({largest} bytes)",
                settings.in_flight
            )));
        }
        let name = identity.user_agent();
        let agent = header::HeaderValue::from_str(&name)
            .map_err(|_| SetupError(format!("`{name}` cannot be sent as a user agent")))?;
        let guard = Arc::new(Guard::new(guard, identity.contact().is_some()));
        let hosts = Arc::new(hosts);
        let names = Arc::new(dial::Names { guard: guard.clone(), hosts: hosts.clone(), lookup });
        crate::tls::provider();
        let builder = || {
            reqwest::Client::builder()
                .user_agent(agent.clone())
                .dns_resolver(names.clone())
                .redirect(reqwest::redirect::Policy::none())
                .retry(reqwest::retry::never())
                .referer(false)
                .no_proxy()
                .no_gzip()
                .no_brotli()
                .no_zstd()
                .no_deflate()
                .connector_layer(dialled::Noting)
                .connect_timeout(settings.connect.duration())
                .http1_max_headers(settings.header_fields as usize)
                // A policy in several lines, a field without a colon: browsers read past them, and so nobody at the
                // outlet notices.
                .http1_allow_obsolete_multiline_headers_in_responses(true)
                .http1_allow_spaces_after_header_name_in_responses(true)
                .http1_ignore_invalid_headers_in_responses(true)
                .http2_max_header_list_size(settings.header_bytes)
                .pool_idle_timeout(settings.idle.duration())
                .pool_max_idle_per_host(usize::from(settings.idle.0 > 0))
        };
        // A machine without root certificates can still crawl plain http (and itself).
        let client = builder().build().or_else(|error| {
            tracing::warn!("no root certificates, https will fail: {}", failure::chain(&error));
            builder().tls_certs_only([]).build()
        });
        let client = client.map_err(|e| SetupError(failure::chain(&e)))?;
        let memory = Memory::new(settings.in_flight as usize);
        let settings = settings.clone();
        let closing = Arc::default();
        Ok(Fetcher { client, settings, agent: name, guard, hosts, memory, closing })
    }

    /// The longest that [`Fetcher::get`] can take, milliseconds; leases are measured by it.
    pub fn deadline(&self) -> Millis {
        self.settings.total.0
    }

    /// One request, one answer. Ends within the total deadline, the wait for memory included.
    ///
    /// # Errors
    /// `Refused` if the guard does not let it be dialled, `Failed` with the limit that was met or
    /// the way the network failed. Any HTTP status is an answer; of one below 400 the body must be
    /// readable.
    pub async fn get(&self, request: Request<'_>) -> Result<Response, FetchError> {
        self.measured(request).await.0
    }

    /// As [`Fetcher::get`], with the octets of the body that came, as sent or decoded, whichever are more: also
    /// where it failed.
    pub async fn measured(&self, request: Request<'_>) -> (Result<Response, FetchError>, usize) {
        let mut octets = Octets::default();
        let answer = self.ask(request, &mut octets).await;
        let encoded = usize::try_from(octets.encoded).unwrap_or(usize::MAX);
        (answer, octets.decoded.max(encoded))
    }

    async fn ask(&self, request: Request<'_>, octets: &mut Octets) -> Result<Response, FetchError> {
        let started = Instant::now();
        let deadline = started + self.settings.total.duration();
        let late = |_| Failure::Deadline;
        let head = tokio::time::timeout_at(deadline.into(), self.send(request, started));
        let Head { mut response, first_byte_ms, sent, mut reserved } =
            head.await.map_err(late)??;

        let status = response.status().as_u16();
        let headers = headers::read(response.headers(), SystemTime::now());
        let addr = response.remote_addr();
        let fields = response.headers().iter();
        let fields = fields.map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()));
        let fields = fields.collect();
        let (mut bytes, mut extent) = (Vec::new(), Extent::Unread);
        if is_read(status, request.kind, headers.content_type.as_deref()) {
            let limits = self.limits(request.kind);
            let body = self.body(&mut response, limits, &mut reserved, octets);
            match tokio::time::timeout_at(deadline.into(), body).await.map_err(late).flatten() {
                Ok(read) => (bytes, extent) = read,
                Err(_) if status >= 400 => {}
                Err(failure) => return Err(failure.into()),
            }
        }
        reserved.shrink(bytes.len());
        Ok(Response {
            status,
            headers,
            body: bytes,
            extent,
            encoded: octets.encoded,
            first_byte_ms,
            elapsed_ms: millis(started.elapsed()),
            addr,
            sent,
            fields,
            _reserved: reserved,
        })
    }

    /// Dials and asks, until the head of the answer is there.
    async fn send(&self, request: Request<'_>, started: Instant) -> Result<Head, FetchError> {
        let (url, host) = self.admit(request.url)?;
        let reserved = self.memory.begin(self.cap(request.kind)).await?;

        let method = match request.form {
            None => self.client.get(url),
            Some(form) => self
                .client
                .post(url)
                .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
                .body(form.to_owned()),
        };
        let mut builder = method
            .header(header::ACCEPT, request.accept.unwrap_or(request.kind.accept()))
            .header(header::ACCEPT_ENCODING, body::ACCEPT_ENCODING);
        let conditions = [
            (header::HOST, host.as_deref()),
            (header::IF_NONE_MATCH, request.etag),
            (header::IF_MODIFIED_SINCE, request.last_modified),
            (header::COOKIE, request.cookie),
        ];
        for (name, value) in conditions {
            // What cannot be sent is left out: without a validator the answer is unconditional.
            if let Some(value) = value.and_then(|v| header::HeaderValue::from_str(v).ok()) {
                builder = builder.header(name, value);
            }
        }
        let server = request.url.origin();
        let mut built = builder.build().map_err(|e| failure::of_send(&e))?;
        self.closing.prepare(&mut built, &server);
        let mut sent = vec![("user-agent".to_owned(), self.agent.clone())];
        for (name, value) in built.headers().iter().filter(|(name, _)| **name != header::HOST) {
            sent.push((name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()));
        }
        let first_byte = self.settings.first_byte.duration().saturating_sub(started.elapsed());
        let answer = self.closing.send(&self.client, built, server);
        let response = match tokio::time::timeout(first_byte, answer).await {
            Err(_) => return Err(Failure::FirstByteTimeout.into()),
            Ok(sent) => sent?,
        };
        let first_byte_ms = millis(started.elapsed());
        self.check_head(response.headers())?;
        Ok(Head { response, first_byte_ms, sent, reserved })
    }

    /// What to request and which Host to name, if the guard agrees.
    fn admit(&self, url: &Url) -> Result<(Url, Option<String>), FetchError> {
        let port = match (url.scheme(), url.port_or_known_default()) {
            ("http" | "https", Some(port)) => port,
            (scheme, _) => {
                return Err(FetchError::Refused(format!("scheme `{scheme}` is not allowed")));
            }
        };
        let mut url = url.clone();
        let refused = FetchError::Refused;
        match url.host() {
            Some(Host::Ipv4(ip)) => self.guard.socket((ip, port).into()).map_err(refused)?,
            Some(Host::Ipv6(ip)) => self.guard.socket((ip, port).into()).map_err(refused)?,
            Some(Host::Domain(name)) => {
                if let Some(addr) = self.hosts.get(name) {
                    self.guard.socket(*addr).map_err(refused)?;
                    // An explicit port would override the one of the table: name it in Host only.
                    let host = url.port().map(|port| format!("{name}:{port}"));
                    if host.is_some() && url.set_port(None).is_err() {
                        return Err(Failure::BadUrl("no port".to_owned()).into());
                    }
                    return Ok((url, host));
                }
                self.guard.port(port).map_err(refused)?;
            }
            None => return Err(Failure::BadUrl("no host".to_owned()).into()),
        }
        Ok((url, None))
    }

    /// Largest body of a kind, decoded, bytes.
    fn cap(&self, kind: Kind) -> usize {
        let cap = match kind {
            Kind::Page => self.settings.page_cap,
            Kind::Feed | Kind::Sitemap => self.settings.feed_cap,
            Kind::Robots | Kind::Hub => self.settings.robots_cap,
        };
        cap as usize
    }

    fn limits(&self, kind: Kind) -> Limits {
        let truncate = matches!(kind, Kind::Robots | Kind::Hub);
        Limits { cap: self.cap(kind), ratio: self.settings.ratio, truncate }
    }

    fn check_head(&self, map: &header::HeaderMap) -> Result<(), Failure> {
        let octets: usize = map.iter().map(|(n, v)| n.as_str().len() + v.len()).sum();
        if map.len() > self.settings.header_fields as usize {
            Err(Failure::Headers(format!("{} fields", map.len())))
        } else if octets > self.settings.header_bytes as usize {
            Err(Failure::Headers(format!("{octets} bytes")))
        } else {
            Ok(())
        }
    }

    /// Reads and decodes the body; `octets` tells how much of it, also if that fails.
    async fn body(
        &self,
        response: &mut reqwest::Response,
        limits: Limits,
        reserved: &mut Reservation,
        octets: &mut Octets,
    ) -> Result<(Vec<u8>, Extent), Failure> {
        let mut body = Body::new(content_encoding(response.headers())?.as_deref(), limits)?;
        if !self.receive(response, &mut body, reserved, octets).await? {
            return Ok((body.cut(), Extent::Cut));
        }
        let bytes = body.finish(is_framed(response))?;
        octets.decoded = bytes.len();
        Ok((bytes, Extent::Whole))
    }

    /// Reads the body to its end (`true`) or to the cap that cuts it (`false`). Whoever sends
    /// slower than the minimum rate runs out of time: each received byte buys some.
    async fn receive(
        &self,
        response: &mut reqwest::Response,
        body: &mut Body,
        reserved: &mut Reservation,
        octets: &mut Octets,
    ) -> Result<bool, Failure> {
        let begun = Instant::now();
        let mut waited = Duration::ZERO;
        loop {
            let bought = match self.settings.min_rate {
                0 => f64::from(u32::MAX),
                rate => body.encoded() as f64 / f64::from(rate),
            };
            let allowed = self.settings.min_rate_grace.duration() + Duration::from_secs_f64(bought);
            let left = (allowed + waited).saturating_sub(begun.elapsed());
            let piece = match tokio::time::timeout(left, response.chunk()).await {
                Err(_) => return Err(Failure::TooSlow),
                Ok(chunk) => chunk.map_err(|e| failure::of_body(&e))?,
            };
            match piece {
                None => return Ok(true),
                Some(piece) => {
                    for slice in piece.chunks(SLICE) {
                        let more = body.push(slice);
                        *octets = Octets { encoded: body.encoded(), decoded: body.len() };
                        if !more? {
                            return Ok(false);
                        }
                        let full = Instant::now();
                        self.memory.grow(reserved, body.len()).await?;
                        waited += full.elapsed();
                    }
                }
            }
        }
    }
}

/// The head of an answer, its body still to come.
struct Head {
    response: reqwest::Response,
    first_byte_ms: Millis,
    sent: Vec<(String, String)>,
    reserved: Reservation,
}

/// How much of a body came.
#[derive(Clone, Copy, Default)]
struct Octets {
    encoded: u64,
    decoded: usize,
}

/// Does the end of the body show otherwise than by the end of the connection (RFC 9112 §6.3)?
fn is_framed(response: &reqwest::Response) -> bool {
    let fields = response.headers();
    response.version() >= reqwest::Version::HTTP_2
        || fields.contains_key(header::CONTENT_LENGTH)
        || fields.contains_key(header::TRANSFER_ENCODING)
}

/// Is the body worth its bytes?
fn is_read(status: u16, kind: Kind, content_type: Option<&str>) -> bool {
    if matches!(status, 0..=199 | 204 | 300..=399) {
        return false;
    }
    let binary = ["image/", "audio/", "video/", "font/", "application/pdf", "application/zip"];
    let content_type = content_type.unwrap_or_default().to_ascii_lowercase();
    kind != Kind::Page || !binary.iter().any(|start| content_type.starts_with(start))
}

/// The codings of a response as one list.
fn content_encoding(map: &header::HeaderMap) -> Result<Option<String>, Failure> {
    let mut all = Vec::new();
    for value in map.get_all(header::CONTENT_ENCODING) {
        let text = value.to_str().map_err(|_| Failure::Encoding("unreadable".to_owned()))?;
        all.push(text.trim());
    }
    all.retain(|coding| !coding.is_empty());
    Ok(Some(all.join(", ")).filter(|list| !list.is_empty()))
}

fn millis(duration: Duration) -> Millis {
    Millis::try_from(duration.as_millis()).unwrap_or(Millis::MAX)
}

#[cfg(test)]
mod tests;
