//! A small web on loopback: outlets on addresses of their own, each with a feed, articles of which
//! some are the same everywhere, a forbidden page, one that is gone and redirects.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::ops::Deref;
use std::time::Duration;

use crate::server::{Ask, Server, Step, answer};

/// Outlets, and articles per outlet that their feeds list.
pub const OUTLETS: usize = 4;
pub const ARTICLES: usize = 10;
/// The first so many articles of each outlet are the same story everywhere.
pub const SHARED: usize = 3;
/// Time that each answer takes, so that overlapping requests would meet.
const THINKING: Duration = Duration::from_millis(5);

/// An answer with an RSS feed of these items.
pub fn rss(items: &str) -> Vec<Step> {
    let feed = format!("<rss version=\"2.0\"><channel><title>F</title>{items}</channel></rss>");
    answer("200 OK", &["Content-Type: application/rss+xml"], feed)
}

/// An outlet whose feed lists these pages: name, more header fields, HTML.
pub fn paper(pages: Vec<(&'static str, &'static [&'static str], String)>) -> Server {
    Server::start(1, |addresses| {
        let here = addresses[0].to_string();
        move |ask: &Ask| {
            if ask.path == "/feed.xml" {
                let item = |(name, ..): &(&str, _, _)| {
                    format!("<item><link>http://{here}/{name}.html</link></item>")
                };
                return rss(&pages.iter().map(item).collect::<String>());
            }
            let asked = |(name, ..): &&(&str, _, _)| ask.path == format!("/{name}.html");
            let Some((_, fields, html)) = pages.iter().find(asked) else {
                return answer("404 Not Found", &[], "");
            };
            let kind = ["Content-Type: text/html; charset=utf-8"];
            answer("200 OK", &[&kind[..], fields].concat(), html)
        }
    })
}

/// The running web.
pub struct Web {
    server: Server,
}

impl Deref for Web {
    type Target = Server;
    fn deref(&self) -> &Server {
        &self.server
    }
}

impl Web {
    pub fn start() -> Web {
        Web::with(OUTLETS, ARTICLES)
    }

    /// A web of another size.
    pub fn with(outlets: usize, articles: usize) -> Web {
        let server = Server::start(outlets, |addresses| {
            let addresses = addresses.to_vec();
            move |ask: &Ask| {
                std::thread::sleep(THINKING);
                reply(&addresses, articles, ask)
            }
        });
        Web { server }
    }

    /// The seed list.
    pub fn feeds(&self) -> String {
        (0..self.addresses.len()).map(|outlet| self.url(outlet, "/feed.xml") + "\n").collect()
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

fn reply(addresses: &[SocketAddr], articles: usize, ask: &Ask) -> Vec<Step> {
    let outlet = ask.outlet;
    let here = |path: &str| format!("http://{}{path}", addresses[outlet]);
    match ask.path {
        "/robots.txt" => {
            answer("200 OK", &["Content-Type: text/plain"], "User-agent: *\nDisallow: /private/\n")
        }
        "/feed.xml" => {
            let feed = feed(outlet, articles, here);
            answer("200 OK", &["Content-Type: application/rss+xml"], feed)
        }
        "/old.html" => {
            let to = format!("Location: {}", here("/new.html"));
            answer("301 Moved Permanently", &[&to], "")
        }
        "/away.html" => {
            let neighbour = addresses[(outlet + 1) % addresses.len()];
            let to = format!("Location: http://{neighbour}/guest-{outlet}.html");
            answer("302 Found", &[&to], "")
        }
        path => match number(path, articles) {
            Some(article) => {
                let page = page(outlet, article);
                answer("200 OK", &["Content-Type: text/html; charset=utf-8"], page)
            }
            None => answer("404 Not Found", &["Content-Type: text/html"], "<h1>Not here</h1>"),
        },
    }
}

/// Which article a path shows.
fn number(path: &str, articles: usize) -> Option<usize> {
    let name = path.strip_prefix('/')?.strip_suffix(".html")?;
    match name.split_once('-') {
        Some(("news", n)) => n.parse().ok().filter(|n| *n < articles),
        Some(("guest", n)) => n.parse::<usize>().ok().map(|n| articles + 20 + n),
        _ => match name {
            "new" => Some(articles + 10),
            "private/secret" => Some(articles + 11),
            _ => None,
        },
    }
}

fn feed(outlet: usize, articles: usize, here: impl Fn(&str) -> String) -> String {
    let mut items = String::new();
    let mut item = |path: &str, title: &str| {
        let _ = write!(items, "<item><title>{title}</title><link>{}</link></item>", here(path));
    };
    for article in 0..articles {
        item(&format!("/news-{article}.html"), &headline(seed_of(outlet, article)));
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

/// The headline of the article with this seed.
pub fn headline(seed: u64) -> String {
    let mut words = Words::new(seed ^ 0xbead);
    let mut title = format!("{} {} and the", words.coined(), words.coined());
    for _ in 0..3 {
        let _ = write!(title, " {}", words.coined());
    }
    title
}

/// Shared articles have the same seed, and so the same text, at every outlet.
fn seed_of(outlet: usize, article: usize) -> u64 {
    if article < SHARED { article as u64 } else { (100_000 * (outlet + 1) + article) as u64 }
}

/// One article of an outlet.
fn page(outlet: usize, article: usize) -> String {
    let (day, hour, minute) = (10 + article % 3, article % 24, 2 * (outlet % 30));
    let published = format!("2026-11-{day:02}T{hour:02}:{minute:02}:00Z");
    html(seed_of(outlet, article), outlet, article % 6, &published)
}

/// An article whose title and text come from a seed, in an outlet's template: one paragraph of its
/// text names Acme, the furniture names Umbra.
pub fn html(seed: u64, outlet: usize, naming: usize, published: &str) -> String {
    let mut words = Words::new(seed);
    let paragraphs: String = (0..6)
        .map(|n| {
            let brand = if n == naming { " Acme said so in a statement." } else { "" };
            format!("<p>{}{brand}</p>\n", words.paragraph())
        })
        .collect();
    let title = headline(seed);
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
