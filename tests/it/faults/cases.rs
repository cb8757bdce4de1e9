//! The faults, one by one: what is answered, and how it has to end.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::time::Duration;

use crate::server::{Ask, Hit, Step, answer};
use crate::web::html;

type Reply = Box<dyn Fn(&Ask, &Spot) -> Option<Vec<Step>> + Send + Sync>;
type Judge = Box<dyn Fn(&[Hit]) -> Option<String> + Send + Sync>;

/// One outlet that misbehaves.
pub struct Case {
    pub name: &'static str,
    /// What its feed lists.
    pub entries: Vec<String>,
    /// Its answer; `None`: as an outlet without faults would.
    pub reply: Reply,
    /// Its entries by outcome.
    pub expect: Vec<(&'static str, u64)>,
    /// Words of what is said of its feed, if that fails.
    pub said: Option<&'static str>,
    /// What is wrong with the requests it saw, if anything.
    pub saw: Option<Judge>,
}

/// An outlet's place in the web.
pub struct Spot {
    pub addresses: Vec<SocketAddr>,
    pub outlet: usize,
    /// How often each path was asked, this time included.
    pub asked: Mutex<BTreeMap<String, usize>>,
}

impl Spot {
    pub fn here(&self, path: &str) -> String {
        format!("http://{}{path}", self.addresses[self.outlet])
    }

    fn times(&self, path: &str) -> usize {
        self.asked.lock().unwrap().get(path).copied().unwrap_or(0)
    }
}

const FAULT: &str = "/fault.html";
const HTML: &str = "Content-Type: text/html; charset=utf-8";
const RSS: &str = "Content-Type: application/rss+xml";
const DRIP: Duration = Duration::from_millis(100);
/// What comes of an outlet whose second page is the fault.
fn beside(outcome: &'static str) -> Vec<(&'static str, u64)> {
    match outcome {
        "article" => vec![("article", 2)],
        other => vec![("article", 1), (other, 1)],
    }
}

fn case(
    name: &'static str,
    expect: Vec<(&'static str, u64)>,
    reply: impl Fn(&Ask, &Spot) -> Option<Vec<Step>> + Send + Sync + 'static,
) -> Case {
    let entries = vec!["/fine.html".to_owned(), FAULT.to_owned()];
    Case { name, entries, reply: Box::new(reply), expect, said: None, saw: None }
}

/// The same fault in so many pages of one outlet, one after the other: what is hard to read once is to
/// be hard all the time.
fn again(mut case: Case, times: usize) -> Case {
    case.entries.pop();
    case.entries.extend((0..times).map(|n| format!("{FAULT}?{n}")));
    for (outcome, count) in &mut case.expect {
        *count = match (*outcome, *count) {
            ("article", 2) => 1 + times as u64,
            ("article", count) => count,
            (_, count) => count * times as u64,
        };
    }
    case
}

/// One faulty page beside a good one.
fn page(name: &'static str, outcome: &'static str, steps: Vec<Step>) -> Case {
    case(name, beside(outcome), move |ask, _| is_fault(ask.path).then(|| steps.clone()))
}

fn is_fault(path: &str) -> bool {
    path.split('?').next() == Some(FAULT)
}

/// An outlet whose feed cannot be read, so that nothing else is known of it.
fn unread(name: &'static str, path: &'static str, said: &'static str, steps: Vec<Step>) -> Case {
    let mut case = case(name, vec![], move |ask, _| (ask.path == path).then(|| steps.clone()));
    case.said = Some(said);
    case
}

fn raw(text: &str) -> Step {
    Step::Send(text.as_bytes().to_vec())
}

fn article(seed: u64) -> String {
    html(seed, 0, 1, "2026-11-10T08:00:00Z")
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut coder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    coder.write_all(bytes).unwrap();
    coder.finish().unwrap()
}

fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut coder = brotli::CompressorWriter::new(&mut out, 4096, 3, 22);
    coder.write_all(bytes).unwrap();
    drop(coder);
    out
}

/// Every case; what is hard to unpack or to read comes so many `times`.
pub fn all(times: usize) -> Vec<Case> {
    let mut all = wire();
    all.extend(bombs().into_iter().map(|case| again(case, times)));
    all.extend(redirects());
    all.extend(limits());
    all.extend(robots());
    all.extend(content().into_iter().map(|case| again(case, times)));
    all.extend(feeds());
    all
}

/// Broken or slow transfers.
fn wire() -> Vec<Case> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
    let stall = || Step::Forever(Vec::new(), Duration::from_secs(1));
    let long = "x".repeat(300);
    vec![
        page("no answer at all", "failed(first byte timeout)", vec![stall()]),
        page(
            "a head in drips",
            "failed(first byte timeout)",
            vec![
                raw("HTTP/1.1 200 OK\r\n"),
                Step::Forever(b"X-Drip: 1\r\n".to_vec(), Duration::from_millis(300)),
            ],
        ),
        page(
            "an interim answer forever",
            "failed(first byte timeout)",
            vec![Step::Forever(b"HTTP/1.1 100 Continue\r\n\r\n".to_vec(), DRIP)],
        ),
        page(
            "a body in drips",
            "failed(too slow)",
            vec![
                raw(&format!("{head}Content-Length: 100000\r\n\r\n<p>")),
                Step::Forever(b"word ".to_vec(), DRIP),
            ],
        ),
        page(
            "a body that stalls",
            "failed(too slow)",
            vec![raw(&format!("{head}Content-Length: 100000\r\n\r\n<p>")), stall()],
        ),
        page("closed without a word", "failed(reset)", vec![Step::Close]),
        page("reset without a word", "failed(reset)", vec![Step::Reset]),
        page("reset in the head", "failed(reset)", vec![raw("HTTP/1.1 200 O"), Step::Reset]),
        page(
            "reset in the body",
            "failed(reset)",
            vec![raw(&format!("{head}Content-Length: 100000\r\n\r\n{long}")), Step::Reset],
        ),
        page(
            "less than the length says",
            "failed(reset)",
            vec![raw(&format!("{head}Content-Length: 100000\r\n\r\n{long}")), Step::Close],
        ),
        page(
            "more than the length says",
            "article",
            vec![
                raw(&{
                    let body = article(71);
                    format!("{head}Content-Length: {}\r\n\r\n{body}{long}", body.len())
                }),
                Step::Close,
            ],
        ),
        page(
            "two lengths",
            "failed(headers)",
            vec![
                raw(&format!("{head}Content-Length: 10\r\nContent-Length: 20\r\n\r\n{long}")),
                Step::Close,
            ],
        ),
        page(
            "bad chunks",
            "failed(reset)",
            vec![
                raw(&format!("{head}Transfer-Encoding: chunked\r\n\r\nzzz\r\n{long}\r\n0\r\n\r\n")),
                Step::Close,
            ],
        ),
        page(
            "chunks without an end",
            "failed(reset)",
            vec![
                raw(&format!("{head}Transfer-Encoding: chunked\r\n\r\n12c\r\n{long}\r\n")),
                Step::Close,
            ],
        ),
        page("not HTTP", "failed(headers)", vec![raw("SSH-2.0-OpenSSH_9.6\r\n"), Step::Close]),
        page(
            "an endless body",
            "failed(too large)",
            vec![
                raw(&format!("{head}\r\n")),
                Step::Forever(b"<p>word</p>".repeat(20_000), Duration::ZERO),
            ],
        ),
        page(
            "an endless head",
            "failed(headers)",
            vec![
                raw("HTTP/1.1 200 OK\r\n"),
                Step::Forever(b"X-More: and more\r\n".repeat(1_000), Duration::ZERO),
            ],
        ),
        {
            let mut case = case("nobody listens", vec![("article", 1)], |_, _| None);
            // The port of TCP's multiplexer: nothing answers there, and it is another outlet.
            case.entries = vec!["/fine.html".to_owned(), "http://127.0.0.1:1/x.html".to_owned()];
            case
        },
    ]
}

/// Small on the wire, large in memory.
fn bombs() -> Vec<Case> {
    let zeros = vec![b'0'; 30 << 20];
    let coded = |name, coding: &str, outcome, body: Vec<u8>| {
        let coding = format!("Content-Encoding: {coding}");
        page(name, outcome, answer("200 OK", &[HTML, &coding], body))
    };
    let zipped = gzip(&zeros);
    vec![
        coded("a gzip bomb", "gzip", "failed(compression ratio)", zipped.clone()),
        coded("a brotli bomb", "br", "failed(compression ratio)", brotli(&zeros)),
        coded(
            "a zstd bomb",
            "zstd",
            "failed(compression ratio)",
            zstd::encode_all(&zeros[..], 3).unwrap(),
        ),
        coded("gzip in gzip", "gzip, gzip", "failed(content encoding)", gzip(&zipped)),
        coded("gzip that is none", "gzip", "failed(content encoding)", article(7).into_bytes()),
        coded("gzip cut short", "gzip", "failed(content encoding)", {
            let whole = gzip(article(8).as_bytes());
            whole[..whole.len() / 2].to_vec()
        }),
        coded("a coding nobody knows", "lzma", "failed(content encoding)", vec![0; 100]),
    ]
}

fn moved(to: &str) -> Vec<Step> {
    answer("302 Found", &[&format!("Location: {to}")], "")
}

fn redirects() -> Vec<Case> {
    let to = |name, outcome, target: &'static str| page(name, outcome, moved(target));
    let mut all = vec![
        to("a redirect to itself", "failed(redirect loop)", FAULT),
        case("a redirect loop", beside("failed(redirect loop)"), |ask, _| match ask.path {
            FAULT => Some(moved("/other.html")),
            "/other.html" => Some(moved(FAULT)),
            _ => None,
        }),
        case("a redirect chain", beside("failed(too many redirects)"), |ask, _| {
            let n = match ask.path {
                FAULT => 0,
                path => path.strip_prefix("/chain-")?.parse::<usize>().ok()?,
            };
            Some(moved(&format!("/chain-{}", n + 1)))
        }),
        to("a redirect to nowhere", "failed(bad redirect)", ""),
        to("a redirect to a file", "failed(bad redirect)", "file:///etc/passwd"),
        to("a redirect to a script", "failed(bad redirect)", "javascript:alert(1)"),
        to("a redirect to a private address", "moved", "http://10.0.0.1/x.html"),
        to("a redirect to the link-local address", "moved", "http://169.254.169.254/latest/"),
        to("a redirect to a mapped address", "moved", "http://[::ffff:10.0.0.1]/x.html"),
        to("a redirect to a forbidden page", "forbidden", "/private/x.html"),
        to("a redirect to TLS that is none", "failed(robots unreachable)", "https://HERE/"),
    ];
    // The last one needs the outlet's own address, which is another scheme's there.
    if let Some(last) = all.last_mut() {
        last.reply = Box::new(|ask, spot| {
            (ask.path == FAULT).then(|| moved(&spot.here("/tls.html").replace("http:", "https:")))
        });
    }
    for case in &mut all {
        case.saw = Some(Box::new(|hits| {
            let forbidden = hits.iter().find(|hit| hit.path.starts_with("/private/"))?;
            Some(format!("{} was requested", forbidden.path))
        }));
    }
    all
}

/// Servers that ask to be left alone.
fn limits() -> Vec<Case> {
    let after = |name, status: &'static str, field: &'static str, wait: Duration| {
        let mut case = case(name, beside("article"), move |ask, spot| {
            (ask.path == FAULT && spot.times(FAULT) % 2 == 1).then(|| {
                answer(
                    status,
                    &[field].iter().filter(|f| !f.is_empty()).copied().collect::<Vec<_>>(),
                    "later",
                )
            })
        });
        case.saw = Some(Box::new(move |hits| {
            let at = hits.iter().position(|hit| hit.status >= 400)?;
            let (limit, next) = (&hits[at], hits.get(at + 1)?);
            // Instants are kept in milliseconds: a distance can look that much shorter.
            let gap = next.began - limit.ended + Duration::from_millis(1);
            (gap < wait).then(|| format!("asked again after {gap:?}"))
        }));
        case
    };
    vec![
        after("429 with Retry-After", "429 Too Many", "Retry-After: 1", Duration::from_secs(1)),
        after("503 with Retry-After", "503 Busy", "Retry-After: 1", Duration::from_secs(1)),
        after("429 without", "429 Too Many", "", Duration::from_millis(50)),
        after("503 without", "503 Busy", "", Duration::from_millis(50)),
        page("429 for good", "failed(rate limited)", answer("429 Too Many", &[], "")),
        page("an error for good", "failed(status)", answer("500 Broken", &[], "")),
        {
            let mut case = case(
                "a burst of 403",
                // The first two do not look like a limit of the rate: they are asked for again in half an hour.
                vec![("pending", 2), ("failed(rate limited)", 4)],
                |ask, _| ask.path.ends_with(".html").then(|| answer("403 Forbidden", &[], "no")),
            );
            case.entries = (0..6).map(|n| format!("/{n}.html")).collect();
            case
        },
    ]
}

fn robots() -> Vec<Case> {
    let robots = |name, expect: Vec<(&'static str, u64)>, steps: Vec<Step>| {
        case(name, expect, move |ask, _| (ask.path == "/robots.txt").then(|| steps.clone()))
    };
    let mut nothing = vec![
        unread("robots.txt fails", "/robots.txt", "status 500", answer("500 Broken", &[], "")),
        unread(
            "robots.txt is late",
            "/robots.txt",
            "failed(first byte timeout)",
            vec![Step::Forever(Vec::new(), Duration::from_secs(1))],
        ),
        unread(
            "robots.txt is cut off",
            "/robots.txt",
            "failed(reset)",
            vec![
                raw("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nUser-agent: *\n"),
                Step::Close,
            ],
        ),
        unread(
            "robots.txt lies at a refused address",
            "/robots.txt",
            "robots.txt unreachable: it is redirected to an address that is refused",
            moved("http://169.254.169.254/robots.txt"),
        ),
        unread(
            "robots.txt forbids the feed",
            "/robots.txt",
            "robots.txt forbids it (line 2: Disallow: /)",
            answer("200 OK", &[], "User-agent: crawler\nDisallow: /"),
        ),
    ];
    for case in &mut nothing {
        case.saw = Some(Box::new(|hits| {
            let other = hits.iter().find(|hit| hit.path != "/robots.txt")?;
            Some(format!("{} was requested", other.path))
        }));
    }
    let huge = format!(
        "User-agent: *\nDisallow: /fault\n{}\nAllow: /fault.html\n",
        "# so much to say\n".repeat(400_000)
    );
    nothing.extend([
        robots("robots.txt of 6 MB", beside("forbidden"), answer("200 OK", &[], huge)),
        robots("robots.txt is HTML", beside("article"), answer("200 OK", &[HTML], article(9))),
        robots("robots.txt leads in circles", beside("article"), moved("/robots.txt")),
        case("robots.txt lies elsewhere", beside("forbidden"), |ask, _| match ask.path {
            "/robots.txt" => Some(moved("/rules.txt")),
            "/rules.txt" => Some(answer("200 OK", &[], "User-agent: *\nDisallow: /fault.html")),
            _ => None,
        }),
        case("robots.txt lies at a neighbour", vec![("article", 1)], |ask, spot| {
            let sound = spot.addresses[0];
            (ask.path == "/robots.txt").then(|| moved(&format!("http://{sound}/robots.txt")))
        }),
    ]);
    if let Some(last) = nothing.last_mut() {
        last.entries = vec!["/fine.html".to_owned(), "/private/x.html".to_owned()];
        last.expect = beside("forbidden");
    }
    nothing
}

/// Pages that are hard to read.
fn content() -> Vec<Case> {
    let html = |name, outcome, body: Vec<u8>| page(name, outcome, answer("200 OK", &[HTML], body));
    let text = "Acme said so. ".repeat(50);
    let mut attributes = String::from("<p ");
    for n in 0..1_000_000 {
        let _ = write!(attributes, "a{n:x}=1 ");
    }
    attributes.push('>');
    vec![
        html(
            "nested 100,000 deep",
            "failed(extract limit)",
            format!("<html><body>{}<p>{text}</p>", "<div>".repeat(100_000)).into_bytes(),
        ),
        html("a million attributes", "failed(extract limit)", attributes.into_bytes()),
        html(
            "a million elements",
            "failed(extract limit)",
            "<b></b><i></i>".repeat(500_000).into_bytes(),
        ),
        page("50 MB of text", "failed(too large)", {
            let body = b"<p>".iter().copied().chain(b"word ".repeat(10 << 20)).collect::<Vec<u8>>();
            answer("200 OK", &[HTML], body)
        }),
        html("9 MB in one word", "article", {
            let body =
                article(10).replace("</body>", &format!("<p>{}</p></body>", "w".repeat(9 << 20)));
            body.into_bytes()
        }),
        page(
            "an image",
            "not an article",
            answer("200 OK", &["Content-Type: image/png"], "\u{89}PNG"),
        ),
        html("nothing at all", "not an article(error page)", Vec::new()),
        page("UTF-16 that is UTF-8", "article", {
            let kind = "Content-Type: text/html; charset=utf-16";
            answer("200 OK", &[kind], article(11))
        }),
        page("a charset nobody knows", "article", {
            let kind = "Content-Type: text/html; charset=klingon-7";
            answer("200 OK", &[kind], article(12))
        }),
        page("bytes of no charset", "article", {
            let body = article(13).into_bytes();
            let body: Vec<u8> = body
                .iter()
                .flat_map(|b| if *b == b'q' { vec![0xff, 0xfe, 0x00] } else { vec![*b] })
                .collect();
            answer("200 OK", &[HTML], body)
        }),
    ]
}

/// Feeds that cannot be read, and one that can.
fn feeds() -> Vec<Case> {
    let feed = |name, expect: Vec<(&'static str, u64)>, steps: Vec<Step>| {
        case(name, expect, move |ask, _| (ask.path == "/feed.xml").then(|| steps.clone()))
    };
    let billion: String = (1..12)
        .map(|n| format!("<!ENTITY l{n} \"{}\">", format!("&l{};", n - 1).repeat(10)))
        .collect();
    let bomb = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE rss [<!ENTITY l0 \"lol\">{billion}]><rss version=\"2.0\">\
         <channel><title>&l11;</title></channel></rss>"
    );
    vec![
        unread(
            "an endless feed",
            "/feed.xml",
            "the answer is larger than what is read",
            vec![
                raw("HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\n\r\n<rss><channel>"),
                Step::Forever(b"<item><title>More</title></item>".repeat(2_000), Duration::ZERO),
            ],
        ),
        feed("a feed of entities", vec![], answer("200 OK", &[RSS], bomb)),
        unread(
            "a feed that is a page",
            "/feed.xml",
            "this is an HTML page, not a feed",
            answer("200 OK", &[HTML], article(14)),
        ),
        unread("a feed of zeros", "/feed.xml", "the answer unpacks to far more than was sent", {
            let fields = [RSS, "Content-Encoding: gzip"];
            answer("200 OK", &fields, gzip(&vec![0; 30 << 20]))
        }),
        unread(
            "a feed in circles",
            "/feed.xml",
            "its redirects lead in a circle",
            moved("/feed.xml"),
        ),
        case("a feed nested 100,000 deep", vec![], |ask, _| {
            (ask.path == "/feed.xml").then(|| {
                let body = format!("<rss><channel>{}", "<a>".repeat(100_000));
                answer("200 OK", &[RSS], body)
            })
        }),
        case("a feed cut off", vec![("article", 1)], |ask, spot| {
            (ask.path == "/feed.xml").then(|| {
                let (one, two) = (spot.here("/fine.html"), spot.here("/lost.h"));
                let body = format!(
                    "<rss version=\"2.0\"><channel><item><link>{one}</link></item><item><link>{two}"
                );
                answer("200 OK", &[RSS], body)
            })
        }),
    ]
}
