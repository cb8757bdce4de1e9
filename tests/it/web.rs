//! A small web on loopback: four outlets on addresses of their own, each with a feed, ten articles,
//! a forbidden page, one that is gone and a redirect. It keeps a log of what it was asked, so that
//! politeness can be judged from the other side of the wire.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Outlets, and articles per outlet that their feeds list.
pub const OUTLETS: usize = 4;
pub const ARTICLES: usize = 10;
/// The first so many articles of each outlet are the same story everywhere.
pub const SHARED: usize = 3;
/// Time that each answer takes, so that overlapping requests would meet.
const THINKING: Duration = Duration::from_millis(5);

/// One request as the server saw it.
#[derive(Clone, Debug)]
pub struct Hit {
    pub outlet: usize,
    pub path: String,
    pub began: Instant,
    /// Just before the answer was written: nobody can have read it earlier.
    pub ended: Instant,
}

/// The running web; its threads end with the process.
pub struct Web {
    pub addresses: Vec<SocketAddr>,
    log: Arc<Mutex<Vec<Hit>>>,
}

/// What all connections share.
struct Shared {
    addresses: Vec<SocketAddr>,
    log: Arc<Mutex<Vec<Hit>>>,
}

impl Web {
    /// Starts to listen on 127.0.0.2 and following.
    pub fn start() -> Web {
        let listeners: Vec<TcpListener> = (0..OUTLETS)
            .map(|outlet| TcpListener::bind(format!("127.0.0.{}:0", outlet + 2)).unwrap())
            .collect();
        let addresses: Vec<SocketAddr> =
            listeners.iter().map(|l| l.local_addr().unwrap()).collect();
        let log = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::new(Shared { addresses: addresses.clone(), log: log.clone() });
        for (outlet, listener) in listeners.into_iter().enumerate() {
            let shared = shared.clone();
            std::thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    let shared = shared.clone();
                    std::thread::spawn(move || {
                        // A client that goes away (killed, as many here are) is no trouble.
                        let _ = serve(&shared, outlet, &stream);
                    });
                }
            });
        }
        Web { addresses, log }
    }

    pub fn url(&self, outlet: usize, path: &str) -> String {
        format!("http://{}{path}", self.addresses[outlet])
    }

    /// The seed list.
    pub fn feeds(&self) -> String {
        (0..OUTLETS).map(|outlet| self.url(outlet, "/feed.xml") + "\n").collect()
    }

    /// What was asked so far, in order of arrival.
    pub fn hits(&self) -> Vec<Hit> {
        let mut hits = self.log.lock().unwrap().clone();
        hits.sort_by_key(|hit| hit.began);
        hits
    }

    /// Replaces this web's addresses by names, so that runs over different webs compare.
    pub fn anonymous(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (outlet, address) in self.addresses.iter().enumerate() {
            text = text.replace(&address.to_string(), &format!("outlet-{outlet}"));
        }
        text
    }
}

fn serve(shared: &Shared, outlet: usize, stream: &TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let began = Instant::now();
        let path = line.split(' ').nth(1).unwrap_or("/").to_owned();
        while line.trim_end() != "" {
            line.clear();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
        }
        std::thread::sleep(THINKING);
        let answer = answer(shared, outlet, &path);
        let ended = Instant::now();
        shared.log.lock().unwrap().push(Hit { outlet, path, began, ended });
        (&*stream).write_all(&answer)?;
    }
}

fn answer(shared: &Shared, outlet: usize, path: &str) -> Vec<u8> {
    let here = |path: &str| format!("http://{}{path}", shared.addresses[outlet]);
    let is = |kind: &str| format!("Content-Type: {kind}");
    let (status, header, body) = match path {
        "/robots.txt" => {
            ("200 OK", is("text/plain"), "User-agent: *\nDisallow: /private/\n".to_owned())
        }
        "/feed.xml" => ("200 OK", is("application/rss+xml"), feed(outlet, here)),
        "/old.html" => {
            ("301 Moved Permanently", format!("Location: {}", here("/new.html")), String::new())
        }
        "/away.html" => {
            let neighbour = shared.addresses[(outlet + 1) % OUTLETS];
            let to = format!("Location: http://{neighbour}/guest-{outlet}.html");
            ("302 Found", to, String::new())
        }
        _ => match number(path) {
            Some(article) => ("200 OK", is("text/html; charset=utf-8"), page(outlet, article)),
            None => ("404 Not Found", is("text/html"), "<h1>Not here</h1>".to_owned()),
        },
    };
    format!("HTTP/1.1 {status}\r\n{header}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
        .into_bytes()
}

/// Which article a path shows.
fn number(path: &str) -> Option<usize> {
    let name = path.strip_prefix('/')?.strip_suffix(".html")?;
    match name.split_once('-') {
        Some(("news", n)) => n.parse().ok().filter(|n| *n < ARTICLES),
        Some(("guest", n)) => n.parse::<usize>().ok().map(|n| 20 + n),
        _ => match name {
            "new" => Some(30),
            "private/secret" => Some(40),
            _ => None,
        },
    }
}

fn feed(outlet: usize, here: impl Fn(&str) -> String) -> String {
    let mut items = String::new();
    let mut item = |path: &str, title: &str| {
        let _ = write!(items, "<item><title>{title}</title><link>{}</link></item>", here(path));
    };
    for article in 0..ARTICLES {
        item(&format!("/news-{article}.html"), &headline(outlet, article));
    }
    item("/private/secret.html", "Not for robots");
    item("/missing.html", "Gone since");
    item("/old.html", "Moved within the house");
    item("/away.html", "Moved to a neighbour");
    format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>Outlet {outlet}</title>{items}\
         </channel></rss>"
    )
}

fn headline(outlet: usize, article: usize) -> String {
    let mut words = Words::new(seed_of(outlet, article) ^ 0xbead);
    let mut title = format!("{} {} and the", words.coined(), words.coined());
    for _ in 0..3 {
        let _ = write!(title, " {}", words.coined());
    }
    title
}

/// Shared articles have the same seed, and so the same text, at every outlet.
fn seed_of(outlet: usize, article: usize) -> u64 {
    if article < SHARED { article as u64 } else { (1000 * (outlet + 1) + article) as u64 }
}

/// One article in its outlet's template: the text names Acme, the furniture names Umbra.
fn page(outlet: usize, article: usize) -> String {
    let mut words = Words::new(seed_of(outlet, article));
    let paragraphs: String = (0..6)
        .map(|n| {
            let brand = if n == article % 6 { " Acme said so in a statement." } else { "" };
            format!("<p>{}{brand}</p>\n", words.paragraph())
        })
        .collect();
    let title = headline(outlet, article);
    let hour = article % 24;
    let published = format!("2026-11-{:02}T{hour:02}:{:02}:00Z", 10 + article % 3, 10 * outlet);
    let (main, side) =
        [("article", "aside"), ("section", "div"), ("main", "nav"), ("div", "ul")][outlet % 4];
    let teasers: String = (0..5)
        .map(|n| format!("<li><a href=\"/news-{n}.html\">Umbra and what comes next</a></li>"))
        .collect();
    format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <meta property=\"article:published_time\" content=\"{published}\"></head><body>\
         <nav><a href=\"/\">Home</a> <a href=\"/umbra\">Umbra</a> <a href=\"/more\">More</a></nav>\
         <{main} class=\"t{outlet}\"><h1>{title}</h1>{paragraphs}</{main}>\
         <{side} class=\"related\"><ul>{teasers}</ul></{side}>\
         <footer><a href=\"/imprint\">Imprint</a> <a href=\"/umbra\">Umbra</a></footer></body></html>"
    )
}

/// Made-up prose from a seed: coined words held together by common ones.
struct Words {
    state: u64,
    vocabulary: Vec<String>,
}

impl Words {
    fn new(seed: u64) -> Words {
        let mut words = Words { state: seed.wrapping_mul(0x9e37_79b9) + 1, vocabulary: Vec::new() };
        words.vocabulary = (0..80).map(|_| words.coin()).collect();
        words
    }

    /// Knuth's linear congruential generator; the upper bits are good enough for words.
    fn below(&mut self, n: usize) -> usize {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % n
    }

    fn coin(&mut self) -> String {
        const HEADS: [&str; 12] =
            ["br", "t", "gl", "m", "str", "v", "pl", "n", "s", "kr", "d", "f"];
        const TAILS: [&str; 10] =
            ["ond", "ar", "ime", "ust", "el", "ock", "anth", "ive", "er", "oon"];
        let syllables = 2 + self.below(2);
        (0..syllables)
            .fold(String::new(), |word, _| word + HEADS[self.below(12)] + TAILS[self.below(10)])
    }

    fn coined(&mut self) -> String {
        let at = self.below(self.vocabulary.len());
        self.vocabulary[at].clone()
    }

    fn paragraph(&mut self) -> String {
        const COMMON: [&str; 24] = [
            "the", "of", "and", "in", "to", "with", "for", "on", "at", "by", "from", "that", "was",
            "is", "it", "as", "not", "after", "over", "but", "has", "were", "who", "which",
        ];
        let mut text = String::new();
        for _ in 0..4 {
            let mut sentence = String::new();
            for place in 0..14 {
                let word =
                    if place % 3 == 1 { COMMON[self.below(24)].to_owned() } else { self.coined() };
                sentence = sentence + if place == 0 { "" } else { " " } + &word;
            }
            let (first, rest) = sentence.split_at(1);
            let _ = write!(text, "{}{rest}. ", first.to_uppercase());
        }
        text.trim_end().to_owned()
    }
}
