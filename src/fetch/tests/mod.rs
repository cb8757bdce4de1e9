//! Against real sockets: a small server that says exactly what a test tells it to.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

mod kept;

use super::body::tests::encode;
use super::*;
use crate::model::{MINUTE, Span};

/// One thing that the server does after it has read a request head.
#[derive(Clone)]
enum Step {
    Send(Vec<u8>),
    /// Say nothing more, keep the connection open.
    Stall,
    /// Close with RST instead of FIN.
    Reset,
    /// Close.
    Close,
}
use Step::*;

struct Server {
    addr: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
    connections: Arc<AtomicUsize>,
}

impl Server {
    /// Answers the n-th request with the n-th script, the last one repeatedly; a connection whose
    /// script ends without `Close` waits for its next request.
    async fn start(scripts: Vec<Vec<Step>>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let connections = Arc::new(AtomicUsize::new(0));
        let server = Server { addr, heads: heads.clone(), connections: connections.clone() };
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(Self::serve(socket, scripts.clone(), heads.clone()));
            }
        });
        server
    }

    async fn serve(mut socket: TcpStream, scripts: Vec<Vec<Step>>, heads: Arc<Mutex<Vec<String>>>) {
        while let Some(head) = Self::head(&mut socket).await {
            let number = {
                let mut heads = heads.lock().unwrap();
                heads.push(head);
                heads.len() - 1
            };
            for step in scripts.get(number).or(scripts.last()).unwrap() {
                match step {
                    Send(bytes) => {
                        if socket.write_all(bytes).await.is_err() {
                            return;
                        }
                    }
                    Stall => std::future::pending().await,
                    Reset => {
                        socket.set_zero_linger().unwrap();
                        return;
                    }
                    Close => return,
                }
            }
        }
    }

    async fn head(socket: &mut TcpStream) -> Option<String> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(socket.read_u8().await.ok()?);
        }
        Some(String::from_utf8(head).unwrap())
    }

    fn url(&self, path: &str) -> Url {
        Url::parse(&format!("http://{}{path}", self.addr)).unwrap()
    }

    fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

fn ok(fields: &str, body: &[u8]) -> Vec<Step> {
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n{fields}\r\n", body.len());
    vec![Send([head.as_bytes(), body].concat())]
}

fn raw(text: &str) -> Step {
    Send(text.as_bytes().to_vec())
}

fn open() -> guard::Settings {
    guard::Settings {
        allow: vec!["127.0.0.0/8".parse().unwrap()],
        allow_ports: vec!["1-65535".parse().unwrap()],
    }
}

fn identity(contact: Option<&str>) -> Identity {
    Identity { token: "crawler".to_owned(), contact: contact.map(str::to_owned) }
}

/// Limits small enough for tests; no deadline that a busy machine would meet.
fn small() -> Settings {
    Settings {
        page_cap: 64 * 1024,
        feed_cap: 128 * 1024,
        robots_cap: 1024,
        in_flight: 1024 * 1024,
        ..Settings::default()
    }
}

fn fetcher(settings: &Settings) -> Fetcher {
    Fetcher::new(settings, &open(), &identity(None)).unwrap()
}

async fn page(settings: &Settings, script: Vec<Step>) -> Result<Response, FetchError> {
    let server = Server::start(vec![script]).await;
    fetcher(settings).get(Request::new(&server.url("/"), Kind::Page)).await
}

/// With the octets that came.
async fn measured(settings: &Settings, script: Vec<Step>) -> (Result<Response, FetchError>, usize) {
    let server = Server::start(vec![script]).await;
    fetcher(settings).measured(Request::new(&server.url("/"), Kind::Page)).await
}

async fn failure(settings: &Settings, script: Vec<Step>) -> Failure {
    match page(settings, script).await {
        Err(FetchError::Failed(failure)) => failure,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_plain_answer() {
    let fields = "content-type: text/html\r\netag: \"a\"\r\ncache-control: max-age=60\r\n";
    let server = Server::start(vec![ok(fields, b"<p>hello")]).await;
    let url = server.url("/x?y=1");
    let request = Request {
        etag: Some("\"old\""),
        last_modified: Some("then"),
        ..Request::new(&url, Kind::Feed)
    };
    let fetcher =
        Fetcher::new(&small(), &open(), &identity(Some("https://e.example/bot"))).unwrap();
    let got = fetcher.get(request).await.unwrap();
    assert_eq!((got.status, got.body.as_slice(), got.encoded), (200, &b"<p>hello"[..], 8));
    assert_eq!(got.headers.content_type.as_deref(), Some("text/html"));
    assert_eq!(got.headers.etag.as_deref(), Some("\"a\""));
    assert_eq!(got.headers.max_age, Some(MINUTE));
    assert_eq!(got.addr, Some(server.addr));
    let head = server.heads().remove(0).to_lowercase();
    let agent =
        format!("user-agent: crawler/{} (+https://e.example/bot)", env!("CARGO_PKG_VERSION"));
    for line in [
        "get /x?y=1 http/1.1",
        &format!("host: {}", server.addr),
        &agent,
        "accept-encoding: gzip, br, zstd",
        "if-none-match: \"old\"",
        "if-modified-since: then",
    ] {
        assert!(head.lines().any(|l| l == line), "{line} in {head}");
    }
    assert!(!head.contains("cookie") && !head.contains("referer"));
}

#[tokio::test]
async fn codings_and_caps() {
    let plain = b"word ".repeat(2_000);
    let zeros = vec![b'0'; 200_000];
    for encoding in ["gzip", "br", "zstd"] {
        let fields = format!("content-encoding: {encoding}\r\n");
        let got = page(&small(), ok(&fields, &encode(encoding, &plain))).await.unwrap();
        assert_eq!(got.body, plain);
        assert!(got.encoded < 200);
        let bomb = ok(&fields, &encode(encoding, &zeros));
        assert_eq!(failure(&small(), bomb.clone()).await, Failure::TooLarge, "{encoding}");
        let cut = ok(&fields, &encode(encoding, &plain)[..10]);
        assert!(matches!(failure(&small(), cut).await, Failure::Encoding(_)), "{encoding}");
        // Where only the end of the connection tells that this was all.
        let head = format!("HTTP/1.1 200 OK\r\n{fields}\r\n");
        let torn = Send([head.as_bytes(), &encode(encoding, &plain)[..10]].concat());
        let torn = failure(&small(), vec![torn, Close]).await;
        assert!(matches!(torn, Failure::Reset(_)), "{encoding}: {torn:?}");
    }
    let large = Settings { page_cap: 4 << 20, in_flight: 8 << 20, ..small() };
    let bomb = ok("content-encoding: gzip\r\n", &encode("gzip", &vec![0; 3 << 20]));
    assert_eq!(failure(&large, bomb).await, Failure::CompressionRatio);
    for stacked in [
        "content-encoding: gzip, gzip\r\n",
        "content-encoding: gzip\r\ncontent-encoding: br\r\n",
        "content-encoding: deflate\r\n",
    ] {
        let got = failure(&small(), ok(stacked, b"x")).await;
        assert!(matches!(got, Failure::Encoding(_)), "{stacked}");
    }
}

#[tokio::test]
async fn plain_caps_by_kind() {
    let server = Server::start(vec![ok("", &[b'x'; 100_000])]).await;
    let fetcher = fetcher(&small());
    let url = server.url("/");
    let page = fetcher.get(Request::new(&url, Kind::Page)).await;
    assert_eq!(page.unwrap_err(), FetchError::Failed(Failure::TooLarge));
    for kind in [Kind::Feed, Kind::Sitemap] {
        assert_eq!(fetcher.get(Request::new(&url, kind)).await.unwrap().body.len(), 100_000);
    }
    let robots = fetcher.get(Request::new(&url, Kind::Robots)).await.unwrap();
    assert_eq!((robots.body.len(), robots.extent), (1024, Extent::Cut));
    // Without a length, in chunks.
    let chunk = format!("{:x}\r\n{}\r\n", 40_000, "y".repeat(40_000));
    let endless = format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{chunk}{chunk}");
    assert_eq!(failure(&small(), vec![raw(&endless), Stall]).await, Failure::TooLarge);
}

#[tokio::test]
async fn every_status_is_an_answer() {
    for status in [204, 304, 301, 302, 307, 308, 400, 404, 410, 429, 500, 503] {
        let text = format!(
            "HTTP/1.1 {status} X\r\nlocation: /next\r\nretry-after: 5\r\ncontent-length: 0\r\n\r\n"
        );
        let server = Server::start(vec![vec![raw(&text)]]).await;
        let url = server.url("/");
        let got = fetcher(&small()).get(Request::new(&url, Kind::Page)).await.unwrap();
        assert_eq!(got.status, status);
        assert_eq!(got.headers.location.as_deref(), Some("/next"));
        assert_eq!(got.headers.retry_after, Some(5_000));
        assert_eq!(server.heads().len(), 1, "one hop");
    }
}

/// What came of an answer that failed is known, too: junk behind a page, a body that ends too early.
#[tokio::test]
async fn what_came_is_measured_also_where_it_failed() {
    let page = encode("gzip", b"page");
    let junk = [&page[..], &[b'x'; 50_000]].concat();
    let (got, came) = measured(&small(), ok("content-encoding: gzip\r\n", &junk)).await;
    assert_eq!((got.unwrap().body, came), (b"page".to_vec(), junk.len()));
    let head = raw("HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n");
    let (got, came) = measured(&small(), vec![head, Send(vec![b'x'; 30_000]), Close]).await;
    assert!(matches!(got, Err(FetchError::Failed(Failure::Reset(_)))), "{got:?}");
    assert_eq!(came, 30_000);
}

/// Of a refusal its status and headers count, whatever is wrong with its body.
#[tokio::test]
async fn a_refusal_without_a_readable_body_is_an_answer() {
    let head = |status: u16, fields: &str| {
        raw(&format!("HTTP/1.1 {status} X\r\nretry-after: 5\r\n{fields}\r\n"))
    };
    let short = Settings { min_rate_grace: Span(80), ..small() };
    let brief = Settings { total: Span(300), ..small() };
    let zeros = encode("gzip", &[b'0'; 200_000]);
    let bomb = format!("content-encoding: gzip\r\ncontent-length: {}\r\n", zeros.len());
    let cap = 64 * 1024;
    for status in [403, 404, 410, 429, 503] {
        let long = head(status, "content-length: 100000\r\n");
        for (what, settings, script, read) in [
            ("cut", small(), vec![long.clone(), raw("abc"), Close], 3..=3),
            ("reset", small(), vec![long.clone(), raw("abc"), Reset], 0..=3),
            ("deflate", small(), vec![head(status, "content-encoding: deflate\r\n"), Close], 0..=0),
            (
                "no gzip",
                small(),
                vec![head(status, "content-encoding: gzip\r\n"), raw("<p>"), Close],
                3..=3,
            ),
            ("slow", short.clone(), vec![long.clone(), raw("abc"), Stall], 3..=3),
            ("late", brief.clone(), vec![long.clone(), raw("abc"), Stall], 3..=3),
            ("too large", small(), vec![long, Send(vec![b'x'; 100_000])], cap..=cap + SLICE),
            ("bomb", small(), vec![head(status, &bomb), Send(zeros.clone())], cap..=cap),
        ] {
            let (got, came) = measured(&settings, script).await;
            let got = got.unwrap();
            assert_eq!((got.status, got.headers.retry_after), (status, Some(5_000)), "{what}");
            assert_eq!((got.body.len(), got.extent), (0, Extent::Unread), "{what}");
            assert!(read.contains(&came), "{what}: {came}");
        }
    }
}

/// Servers that take the field for the charset send what is not encoded at all.
#[tokio::test]
async fn a_charset_is_no_coding() {
    for name in ["utf-8", "UTF8", "iso-8859-1", "windows-1251", "binary", "8bit"] {
        let got = page(&small(), ok(&format!("content-encoding: {name}\r\n"), b"<p>hello")).await;
        assert_eq!(got.unwrap().body, b"<p>hello", "{name}");
    }
}

/// A policy in several lines cost an outlet every page, and its robots.txt.
#[tokio::test]
async fn fields_that_browsers_read_past() {
    for fields in [
        "content-security-policy: default-src 'self';\r\n  img-src *\r\n",
        "x a: b\r\n",
        "x-a : b\r\n",
        "no colon\r\n",
        ": nothing\r\n",
    ] {
        let fields = format!("{fields}content-type: text/plain\r\n");
        let got = page(&small(), ok(&fields, b"some body")).await.unwrap();
        assert_eq!((got.status, &*got.body), (200, &b"some body"[..]), "{fields}");
        assert_eq!(got.headers.content_type.as_deref(), Some("text/plain"), "{fields}");
    }
}

#[tokio::test]
async fn what_is_no_text_is_not_read() {
    for (fields, body, extent) in [
        ("content-type: video/mp4\r\n", 0, Extent::Unread),
        ("content-type: Application/PDF\r\ncontent-encoding: x\r\n", 0, Extent::Unread),
        ("content-type: application/octet-stream\r\n", 9, Extent::Whole),
        ("", 9, Extent::Whole),
    ] {
        let got = page(&small(), ok(fields, b"some body")).await.unwrap();
        assert_eq!((got.body.len(), got.extent), (body, extent), "{fields}");
    }
}

#[tokio::test]
async fn deadlines_have_their_own_reasons() {
    let short = Span(80);
    let head = raw("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n");
    let first = Settings { first_byte: short, ..small() };
    assert_eq!(failure(&first, vec![Stall]).await, Failure::FirstByteTimeout);
    let drip = vec![raw("HTTP/1.1 200 OK\r\nx-a: "), Stall];
    assert_eq!(failure(&first, drip).await, Failure::FirstByteTimeout);
    let slow = Settings { min_rate_grace: short, ..small() };
    assert_eq!(failure(&slow, vec![head.clone(), raw("abc"), Stall]).await, Failure::TooSlow);
    let total = Settings { total: short, ..small() };
    assert_eq!(failure(&total, vec![head, Stall]).await, Failure::Deadline);
}

#[tokio::test]
async fn broken_answers() {
    for (script, expect) in [
        (vec![Close], "failed(reset)"),
        (vec![Reset], "failed(reset)"),
        (vec![raw("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc"), Close], "failed(reset)"),
        (vec![raw("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc"), Reset], "failed(reset)"),
        (
            vec![raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab"), Close],
            "failed(reset)",
        ),
        (vec![raw("220 mail.example ESMTP\r\n\r\n"), Close], "failed(headers)"),
        (vec![raw("HTTP/1.1 twenty OK\r\nx-a: b\r\n\r\n"), Close], "failed(headers)"),
        (vec![raw("HTTP/1.1 200 OK\r\nx-a: b\0c\r\n\r\n"), Close], "failed(headers)"),
        (vec![raw("HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n"), Close], "failed(headers)"),
    ] {
        let got = failure(&small(), script).await;
        assert_eq!(got.name(), expect, "{got:?}");
    }
    let fields = "x-a: b\r\n".repeat(300);
    assert_eq!(failure(&small(), ok(&fields, b"")).await.name(), "failed(headers)");
    let fields = format!("x-a: {}\r\n", "b".repeat(200_000));
    assert_eq!(failure(&small(), ok(&fields, b"")).await.name(), "failed(headers)");
    // Nobody listens.
    let addr = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let url = Url::parse(&format!("http://{addr}/")).unwrap();
    let got = fetcher(&small()).get(Request::new(&url, Kind::Page)).await.unwrap_err();
    assert!(matches!(got, FetchError::Failed(Failure::Connect(_))), "{got:?}");
    // Not TLS at all.
    let server = Server::start(vec![ok("", b"")]).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let _ = socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
    });
    let url = Url::parse(&format!("https://{addr}/")).unwrap();
    let got = fetcher(&small()).get(Request::new(&url, Kind::Page)).await.unwrap_err();
    assert!(matches!(got, FetchError::Failed(Failure::Tls(_))), "{got:?}");
    assert!(server.heads().is_empty());
}

#[tokio::test]
async fn the_guard_stands_before_every_dial() {
    let contact = Some("bot@e.example");
    let closed = guard::Settings { allow: vec![], ..open() };
    let server = Server::start(vec![ok("", b"")]).await;
    let port = server.addr.port();
    for (host, reason) in [
        ("127.0.0.1", "address 127.0.0.1 is loopback"),
        ("2130706433", "address 127.0.0.1 is loopback"),
        ("127.1", "address 127.0.0.1 is loopback"),
        ("0x7f.0.0.1", "address 127.0.0.1 is loopback"),
        ("0.0.0.0", "address 0.0.0.0 is this network"),
        ("[::1]", "address ::1 is loopback"),
        ("[::ffff:127.0.0.1]", "address ::ffff:127.0.0.1 is loopback"),
        ("169.254.169.254", "address 169.254.169.254 is link-local"),
        ("localhost", "address 127.0.0.1 is loopback"),
        ("x.localhost", "address 127.0.0.1 is loopback"),
    ] {
        let fetcher = Fetcher::new(&small(), &closed, &identity(contact)).unwrap();
        let url = Url::parse(&format!("http://{host}:{port}/")).unwrap();
        let got = fetcher.get(Request::new(&url, Kind::Page)).await.unwrap_err();
        assert_eq!(got, FetchError::Refused(reason.to_owned()), "{host}");
    }
    let web = guard::Settings { allow_ports: vec![], ..open() };
    let fetcher = Fetcher::new(&small(), &web, &identity(contact)).unwrap();
    let got = fetcher.get(Request::new(&server.url("/"), Kind::Page)).await.unwrap_err();
    assert_eq!(got, FetchError::Refused(format!("port {port} is not allowed")));
    let file = Url::parse("file:///etc/passwd").unwrap();
    let got = fetcher.get(Request::new(&file, Kind::Page)).await.unwrap_err();
    assert_eq!(got, FetchError::Refused("scheme `file` is not allowed".to_owned()));
    assert_eq!(server.connections.load(Ordering::SeqCst), 0);
    // Opened, the names of this machine work without DNS.
    let local = Url::parse(&format!("http://x.localhost:{port}/")).unwrap();
    let got = self::fetcher(&small()).get(Request::new(&local, Kind::Page)).await.unwrap();
    assert_eq!(got.status, 200);
}

fn names(answers: Vec<Result<Vec<&str>, &'static str>>) -> Lookup {
    let answers: Vec<Result<Vec<std::net::IpAddr>, _>> = answers
        .into_iter()
        .map(|a| a.map(|ips| ips.iter().map(|ip| ip.parse().unwrap()).collect()))
        .collect();
    let asked = AtomicUsize::new(0);
    Arc::new(move |_| {
        let n = asked.fetch_add(1, Ordering::SeqCst).min(answers.len() - 1);
        let answer = answers[n].clone().map_err(std::io::Error::other);
        Box::pin(async move { answer })
    })
}

#[tokio::test]
async fn names_are_judged_by_what_they_resolve_to() {
    let server =
        Server::start(vec![vec![raw("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"), Close]]).await;
    let url = Url::parse(&format!("http://rebind.example:{}/", server.addr.port())).unwrap();
    let get = async |contact: Option<&str>, answers| {
        let (hosts, lookup) = (HashMap::new(), names(answers));
        let fetcher =
            Fetcher::with_lookup(&small(), &open(), &identity(contact), hosts, lookup).unwrap();
        let mut all = Vec::new();
        for _ in 0..2 {
            all.push(fetcher.get(Request::new(&url, Kind::Page)).await.map(|r| r.status));
        }
        all
    };
    let inward = |why: &str| Err(FetchError::AddressDenied(why.to_owned()));
    let contact = Some("bot@e.example");
    // The second answer is judged like the first.
    let rebound = get(contact, vec![Ok(vec!["127.0.0.1"]), Ok(vec!["169.254.169.254"])]).await;
    assert_eq!(rebound, [Ok(200), inward("address 169.254.169.254 is link-local")]);
    // Of several addresses only the permitted are dialled.
    let mixed = get(contact, vec![Ok(vec!["10.0.0.1", "::1", "127.0.0.1"])]).await;
    assert_eq!(mixed, [Ok(200), Ok(200)]);
    let none = get(contact, vec![Ok(vec!["10.0.0.1", "::1"])]).await;
    assert_eq!(none[0], inward("address 10.0.0.1 is private"));
    let silent = get(None, vec![Ok(vec!["8.8.8.8"])]).await;
    assert_eq!(silent[0], Err(FetchError::Refused("no contact".to_owned())));
    let dns = |why: &str| Err(FetchError::Failed(Failure::Dns(why.to_owned())));
    // Names that do not resolve now may be of a range that was opened, contact or not.
    for contact in [contact, None] {
        assert_eq!(get(contact, vec![Err("no such name")]).await[0], dns("no such name"));
    }
    assert_eq!(get(contact, vec![Ok(vec![])]).await[0], dns("no address"));
}

#[tokio::test]
async fn without_a_contact_public_addresses_are_not_dialled() {
    for contact in [None, Some(""), Some("  ")] {
        let fetcher = Fetcher::new(&small(), &open(), &identity(contact)).unwrap();
        let url = Url::parse("http://8.8.8.8/").unwrap();
        let got = fetcher.get(Request::new(&url, Kind::Page)).await.unwrap_err();
        assert_eq!(got.to_string(), "refused(no contact)");
        let (closed, hosts) = (guard::Settings::default(), HashMap::new());
        let lookup = names(vec![Err("no such name")]);
        let fetcher =
            Fetcher::with_lookup(&small(), &closed, &identity(contact), hosts, lookup).unwrap();
        let url = Url::parse("http://news.example/").unwrap();
        let got = fetcher.get(Request::new(&url, Kind::Page)).await.unwrap_err();
        assert_eq!(got.to_string(), "refused(no contact)");
    }
}

#[tokio::test]
async fn hosts_of_the_demo() {
    let server = Server::start(vec![ok("", b"")]).await;
    let hosts = || HashMap::from([("morgenpost.test".to_owned(), server.addr)]);
    let fetcher = Fetcher::with_hosts(&small(), &open(), &identity(None), hosts()).unwrap();
    for (url, host) in [
        ("http://morgenpost.test/a", "host: morgenpost.test"),
        ("http://morgenpost.test:8080/a", "host: morgenpost.test:8080"),
    ] {
        let url = Url::parse(url).unwrap();
        assert_eq!(fetcher.get(Request::new(&url, Kind::Page)).await.unwrap().status, 200);
        let head = server.heads().pop().unwrap();
        assert!(head.to_lowercase().lines().any(|line| line == host), "{head}");
    }
    let closed = guard::Settings::default();
    let fetcher = Fetcher::with_hosts(&small(), &closed, &identity(None), hosts()).unwrap();
    let url = Url::parse("http://morgenpost.test/a").unwrap();
    let got = fetcher.get(Request::new(&url, Kind::Page)).await.unwrap_err();
    assert_eq!(got, FetchError::Refused("address 127.0.0.1 is loopback".to_owned()));
}

#[tokio::test]
async fn bodies_in_flight_are_bounded() {
    let server =
        Server::start(vec![ok("", &[b'x'; 50_000]), ok("", &[b'x'; 900]), vec![Stall]]).await;
    // 256 KiB for beginnings, 4 KiB each, and 256 KiB for what is longer.
    let settings = Settings { in_flight: 512 * 1024, ..small() };
    let fetcher = fetcher(&settings);
    let url = server.url("/");
    let free = || fetcher.memory.free();
    assert_eq!(free(), (256, 256));
    let first = fetcher.get(Request::new(&url, Kind::Page)).await.unwrap();
    assert_eq!(free(), (256 - 4, 256 - 45), "the body keeps what it takes");
    let second = fetcher.get(Request::new(&url, Kind::Page)).await.unwrap();
    assert_eq!(free(), (256 - 5, 256 - 45));
    drop((first, second));
    assert_eq!(free(), (256, 256));
    // A request that is not answered holds no more than a beginning.
    let slow = fetcher.clone();
    let stalled = {
        let url = url.clone();
        tokio::spawn(async move { slow.get(Request::new(&url, Kind::Page)).await.map(drop) })
    };
    while server.heads().len() < 3 {
        tokio::task::yield_now().await;
    }
    assert_eq!(free(), (256 - 4, 256));
    stalled.abort();
}

#[tokio::test]
async fn a_body_that_finds_no_room_waits_until_its_deadline() {
    let server = Server::start(vec![ok("", &[b'x'; 50_000])]).await;
    let url = server.url("/");
    let settings = Settings { in_flight: 512 * 1024, total: Span(300), ..small() };
    let fetcher = fetcher(&settings);
    let mut hog = fetcher.memory.begin(250 * 1024).await.unwrap();
    fetcher.memory.grow(&mut hog, 250 * 1024).await.unwrap();
    let got = fetcher.get(Request::new(&url, Kind::Page)).await.unwrap_err();
    assert_eq!(got, FetchError::Failed(Failure::Deadline));
    drop(hog);
    // Without room for a beginning nothing is dialled.
    let mut hogs = Vec::new();
    for _ in 0..64 {
        hogs.push(fetcher.memory.begin(4 * 1024).await.unwrap());
    }
    let dialled = server.heads().len();
    let got = fetcher.get(Request::new(&url, Kind::Page)).await.unwrap_err();
    assert_eq!(got, FetchError::Failed(Failure::Deadline));
    assert_eq!(server.heads().len(), dialled);
}

#[test]
fn setup_errors_are_sentences() {
    let tiny = Settings { in_flight: 1, ..Settings::default() };
    let error = Fetcher::new(&tiny, &open(), &identity(None)).unwrap_err().to_string();
    assert!(error.starts_with("fetch.in_flight (1 bytes) must hold"), "{error}");
    let error = Fetcher::new(&small(), &open(), &identity(Some("a\nb"))).unwrap_err().to_string();
    assert!(error.ends_with("cannot be sent as a user agent"), "{error}");
}
