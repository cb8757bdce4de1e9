//! Pages per second of the whole pipeline over a loopback web, next to the same client fetching
//! the same URLs and throwing them away. Prints both and their ratio; `benches/pipeline.sh` runs
//! it. Arguments: outlets, pages per outlet.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crawler::config::Config;
use crawler::crawl::{self, Engine};
use crawler::extract::Model;
use crawler::fetch::{Fetcher, Kind, Request};
use crawler::frontier::address;
use crawler::model::{Brand, Span};
use crawler::store;

#[allow(dead_code, reason = "each bench uses its part of it")]
mod pages;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Furnitures held in memory; every URL shows an article of its own in one of them.
const BODIES: u64 = 64;

fn main() -> anyhow::Result<()> {
    // `cargo bench` passes `--bench`; `cargo test` passes nothing and wants it short.
    let bench = std::env::args().any(|a| a == "--bench");
    let numbers: Vec<usize> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let outlets = numbers.first().copied().unwrap_or(if bench { 48 } else { 2 });
    let each = numbers.get(1).copied().unwrap_or(if bench { 50 } else { 2 });
    let web = serve(outlets, each)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let config = config();

    let fetcher = fetcher(&config)?;
    let began = Instant::now();
    let bytes = runtime.block_on(discard(&fetcher, &web, each));
    let alone = began.elapsed();

    let dir = tempfile::tempdir()?;
    let began_all = Instant::now();
    let articles = runtime.block_on(whole(&config, &web, dir.path()))?;
    let all = began_all.elapsed();

    let pages = outlets * each;
    let rate = |n: usize, time: Duration| n as f64 / time.as_secs_f64();
    println!("pages               {pages} at {outlets} outlets, {} KB each", bytes / pages / 1000);
    println!("fetch and discard   {:8.1} pages/s", rate(pages, alone));
    println!("whole pipeline      {:8.1} pages/s ({articles} articles)", rate(pages, all));
    println!("ratio               {:8.2}", alone.as_secs_f64() / all.as_secs_f64());
    anyhow::ensure!(articles == pages as u64, "{articles} articles of {pages} pages");
    Ok(())
}

/// No delays, all of loopback open, a hundred brands.
fn config() -> Config {
    let mut config = Config { once_patience: Span(1_000), ..Config::default() };
    config.guard.allow = vec!["127.0.0.0/8".parse().expect("a network")];
    config.guard.allow_ports = vec!["1-65535".parse().expect("ports")];
    config.pace.delay = Span(0);
    config.pace.adaptive = 0.0;
    config
}

fn fetcher(config: &Config) -> anyhow::Result<Fetcher> {
    Ok(Fetcher::new(&config.fetch, &config.guard, &config.identity())?)
}

/// As many connections at a time as the crawl has workers; robots.txt, feed, then every page.
async fn discard(fetcher: &Fetcher, web: &[SocketAddr], each: usize) -> usize {
    let workers = &tokio::sync::Semaphore::new(Config::default().workers);
    let sites = web.iter().map(|site| async move {
        let _worker = workers.acquire().await.expect("never closed");
        let mut bytes = 0;
        let get = async |path: String, kind| {
            let at = address(&format!("http://{site}{path}"), None).expect("a valid URL");
            let answer = fetcher.get(Request::new(&at.url, kind)).await;
            answer.expect("an answer").body.len()
        };
        get("/robots.txt".to_owned(), Kind::Robots).await;
        get("/feed.xml".to_owned(), Kind::Feed).await;
        for n in 0..each {
            bytes += get(format!("/{n}.html"), Kind::Page).await;
        }
        bytes
    });
    futures::future::join_all(sites).await.into_iter().sum()
}

/// Seeds, crawls once over a new embedded store, and returns how many articles came of it.
async fn whole(config: &Config, web: &[SocketAddr], dir: &std::path::Path) -> anyhow::Result<u64> {
    let store = store::open(dir, &config.store)?;
    let engine = Engine::new(store, config.crawl(), Model::by_hand(), fetcher(config)?)?;
    let preparing = engine.clone();
    let feeds: String = web.iter().map(|site| format!("http://{site}/feed.xml\n")).collect();
    let runtime = tokio::runtime::Handle::current();
    tokio::task::spawn_blocking(move || {
        let brands = (0..100)
            .map(|n| Brand { name: format!("Brand{n}"), whole_word: true, ..Brand::default() })
            .collect();
        crawl::brands::replace(&preparing, brands, false)?;
        crawl::seed::seed(&preparing, &runtime, &feeds, &mut |_| true)
    })
    .await??;
    let (_stop, stopped) = tokio::sync::watch::channel(false);
    crawl::run(engine.clone(), true, stopped).await?;
    Ok(engine.progress.read().articles)
}

/// What the web serves: furniture cut where its article stands, and the articles.
struct Content {
    bodies: Vec<(Vec<u8>, Vec<u8>)>,
    articles: Vec<String>,
}

impl Content {
    fn new(pages: usize) -> Content {
        let cut = |page: Vec<u8>| {
            let text = String::from_utf8_lossy(&page);
            match (text.find("<article"), text.rfind("</article>")) {
                // Pages that were given stay as they are.
                (Some(from), Some(to)) if !pages::are_given() => {
                    (text[..from].into(), text[to + "</article>".len()..].into())
                }
                _ => (page, Vec::new()),
            }
        };
        let count = if pages::are_given() { 0 } else { pages };
        let articles = (0..count as u64).map(|n| pages::another_article(1_000 + n)).collect();
        Content { bodies: pages::pages(BODIES).into_iter().map(cut).collect(), articles }
    }

    fn page(&self, n: usize) -> [&[u8]; 3] {
        let (before, after) = &self.bodies[n % self.bodies.len()];
        let article = self.articles.get(n).map_or("", String::as_str);
        [before, article.as_bytes(), after]
    }
}

/// Starts the web: one address per outlet, answers from memory.
fn serve(outlets: usize, each: usize) -> anyhow::Result<Vec<SocketAddr>> {
    let content = Arc::new(Content::new(outlets * each));
    let mut web = Vec::new();
    for outlet in 0..outlets {
        let place = format!("127.0.{}.{}:0", 1 + outlet / 200, 1 + outlet % 200);
        let listener = TcpListener::bind(place)?;
        web.push(listener.local_addr()?);
        let content = content.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let content = content.clone();
                // A connection ends when its client does.
                std::thread::spawn(move || drop(answer(&stream, outlet, each, &content)));
            }
        });
    }
    Ok(web)
}

fn answer(
    stream: &TcpStream,
    outlet: usize,
    each: usize,
    content: &Content,
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let host = stream.local_addr()?;
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let path = line.split(' ').nth(1).unwrap_or("/").to_owned();
        while line.trim_end() != "" {
            line.clear();
            reader.read_line(&mut line)?;
        }
        let number = path
            .trim_start_matches('/')
            .strip_suffix(".html")
            .and_then(|n| n.parse::<usize>().ok());
        let listed = if path == "/feed.xml" { feed(host, each) } else { String::new() };
        let (kind, parts) = match (path.as_str(), number) {
            ("/feed.xml", _) => ("application/rss+xml", [listed.as_bytes(), b"", b""]),
            (_, Some(n)) => ("text/html; charset=utf-8", content.page(outlet * each + n)),
            _ => ("text/plain", [&b"User-agent: *\nDisallow: /private/\n"[..], b"", b""]),
        };
        let length: usize = parts.iter().map(|part| part.len()).sum();
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n");
        let mut out = stream;
        out.write_all(head.as_bytes())?;
        for part in parts {
            out.write_all(part)?;
        }
    }
}

fn feed(host: SocketAddr, each: usize) -> String {
    let items: String = (0..each)
        .map(|n| format!("<item><title>Page {n}</title><link>http://{host}/{n}.html</link></item>"))
        .collect();
    format!("<rss version=\"2.0\"><channel><title>Bench</title>{items}</channel></rss>")
}
