//! Pages per second of the whole pipeline over a loopback web, next to the same client fetching
//! the same URLs and throwing them away. Prints both and their ratio; `benches/pipeline.sh` runs
//! it. Arguments: outlets, pages per outlet.
//!
//! `WORKERS=1,2,4` compares the embedded store with a throw-away PostgreSQL instead, on which so many
//! processes crawl the same web side by side; `ROUNDS` (3) rounds of all, taking turns.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use crawler::config::Config;
use crawler::crawl::{self, Engine};
use crawler::fetch::{Fetcher, Kind, Request};
use crawler::frontier::address;
use crawler::model::{Brand, Span};
use crawler::store;
use crawler::store::decision::Who;
use rayon::prelude::*;

#[allow(dead_code, reason = "each bench uses its part of it")]
mod news;
#[allow(dead_code, reason = "each bench uses its part of it")]
mod pages;
#[allow(dead_code, reason = "each bench uses its part of it")]
#[path = "../tests/it/scratch.rs"]
mod scratch;

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The argument that makes a process one of several workers; the store's URL follows.
const WORKER: &str = "--worker";
/// Furnitures held in memory; every URL shows an article of its own in one of them.
const BODIES: u64 = 64;

fn main() -> anyhow::Result<()> {
    // `cargo bench` passes `--bench`; `cargo test` passes nothing and wants it short.
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|a| a == WORKER) {
        return worker(&arguments[at + 1]);
    }
    let bench = arguments.iter().any(|a| a == "--bench");
    let numbers: Vec<usize> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let outlets = numbers.first().copied().unwrap_or(if bench { 48 } else { 2 });
    let each = numbers.get(1).copied().unwrap_or(if bench { 50 } else { 2 });
    let web = serve(outlets, each)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let config = config();

    if let Ok(workers) = std::env::var("WORKERS") {
        let workers = workers.split(',').map(str::parse).collect::<Result<Vec<usize>, _>>()?;
        return shared(&runtime, &config, &web, &workers, outlets * each);
    }

    let fetcher = fetcher(&config)?;
    let (began, cpu) = (Instant::now(), cpu_time());
    let bytes = runtime.block_on(discard(&fetcher, &web, each));
    let (alone, cpu_alone) = (began.elapsed(), cpu_time() - cpu);

    let dir = tempfile::tempdir()?;
    let (began, cpu) = (Instant::now(), cpu_time());
    let articles = runtime.block_on(whole(&config, &web, dir.path()))?;
    let (all, cpu_all) = (began.elapsed(), cpu_time() - cpu);

    let pages = outlets * each;
    let rate = |n: usize, time: Duration| n as f64 / time.as_secs_f64();
    println!("pages               {pages} at {outlets} outlets, {} KB each", bytes / pages / 1000);
    println!("fetch and discard   {:8.1} pages/s", rate(pages, alone));
    println!("whole pipeline      {:8.1} pages/s ({articles} articles)", rate(pages, all));
    println!("ratio               {:8.2}", alone.as_secs_f64() / all.as_secs_f64());
    let each = |cpu: Duration| cpu.as_secs_f64() * 1_000.0 / pages as f64;
    println!("CPU, server's too   {:8.2} ms and {:.2} ms a page", each(cpu_alone), each(cpu_all));
    println!("ratio of CPU        {:8.2}", cpu_alone.as_secs_f64() / cpu_all.as_secs_f64());
    anyhow::ensure!(articles == pages as u64, "{articles} articles of {pages} pages");
    Ok(())
}

/// CPU time of this process: on a machine that others use as well, what can be compared.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
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

/// Crawls over a new embedded store, and returns how many articles came of it.
async fn whole(config: &Config, web: &[SocketAddr], dir: &std::path::Path) -> anyhow::Result<u64> {
    let engine = seeded(config, web, dir).await?;
    crawl(engine).await
}

/// An engine over the store that the settings name, which has brands and feeds.
async fn seeded(
    config: &Config,
    web: &[SocketAddr],
    dir: &std::path::Path,
) -> anyhow::Result<Arc<Engine>> {
    let engine = engine(config, dir)?;
    let preparing = engine.clone();
    let feeds: String = web.iter().map(|site| format!("http://{site}/feed.xml\n")).collect();
    let runtime = tokio::runtime::Handle::current();
    tokio::task::spawn_blocking(move || {
        let who = Who::program();
        let brands = (0..100)
            .map(|n| Brand { name: format!("Brand{n}"), whole_word: true, ..Brand::default() })
            .collect();
        crawl::orders::brands::edit(
            &preparing,
            &who,
            crawl::orders::brands::Edit::Replace(brands),
            &crawl::orders::brands::Terms::default(),
        )?;
        crawl::orders::seed::seed(&preparing, &runtime, &who, &feeds, &mut |_| {
            std::ops::ControlFlow::Continue(())
        })
    })
    .await??;
    Ok(engine)
}

fn engine(config: &Config, dir: &std::path::Path) -> anyhow::Result<Arc<Engine>> {
    let (config, dir) = (config.clone(), dir.to_owned());
    // Dialling a database waits for the network.
    std::thread::spawn(move || {
        let store = store::open(&dir, &config.store)?;
        Engine::new(store, config.crawl(), fetcher(&config)?)
    })
    .join()
    .map_err(|_| anyhow::anyhow!("the store could not be opened"))?
}

async fn crawl(engine: Arc<Engine>) -> anyhow::Result<u64> {
    let (_stop, stopped) = tokio::sync::watch::channel(false);
    crawl::run(engine.clone(), true, stopped).await?;
    Ok(engine.progress.read().articles)
}

/// One of several workers: says that it is ready, waits to be told, crawls, says how many articles.
fn worker(url: &str) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut config = config();
    config.store.url = Some(url.to_owned());
    let dir = tempfile::tempdir()?;
    let engine = engine(&config, dir.path())?;
    println!("ready");
    std::io::stdin().read_line(&mut String::new())?;
    println!("{}", runtime.block_on(crawl(engine))?);
    Ok(())
}

/// A worker in a process of its own.
struct Worker {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Worker {
    /// Returns when it is ready.
    fn start(url: &str) -> anyhow::Result<Worker> {
        let mut child = Command::new(std::env::current_exe()?)
            .args([WORKER, url])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let out = child.stdout.take().expect("piped");
        let mut worker = Worker { child, answers: BufReader::new(out) };
        anyhow::ensure!(worker.answer()? == "ready", "a worker did not start");
        Ok(worker)
    }

    fn go(&mut self) -> anyhow::Result<()> {
        Ok(writeln!(self.child.stdin.take().expect("piped"))?)
    }

    fn answer(&mut self) -> anyhow::Result<String> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        Ok(line.trim().to_owned())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It has ended, or has failed: either way nobody waits for it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Pages a second over one PostgreSQL by so many workers, beside the embedded store.
fn shared(
    runtime: &tokio::runtime::Runtime,
    config: &Config,
    web: &[SocketAddr],
    workers: &[usize],
    pages: usize,
) -> anyhow::Result<()> {
    let server = scratch::Scratch::start();
    let rounds = std::env::var("ROUNDS").map_or(Ok(3), |n| n.parse::<usize>())?;
    println!("|round|workers|pages/s|of the embedded store's|commits/s|claims/s|bytes/article|");
    println!("|--:|--:|--:|--:|--:|--:|--:|");
    for round in 1..=rounds {
        let dir = tempfile::tempdir()?;
        let began = Instant::now();
        let articles = runtime.block_on(whole(config, web, dir.path()))?;
        let alone = articles as f64 / began.elapsed().as_secs_f64();
        println!("|{round}|embedded|{alone:.1}|1.00||||");
        for workers in workers {
            let name = format!("r{round}w{workers}");
            let mut config = config.clone();
            config.store.url = Some(server.database(&name));
            drop(runtime.block_on(seeded(&config, web, dir.path()))?);
            let url = config.store.url.as_deref().unwrap_or_default();
            let mut all: Vec<Worker> =
                (0..*workers).map(|_| Worker::start(url)).collect::<anyhow::Result<_>>()?;
            let before = counters(&config)?;
            let began = Instant::now();
            all.iter_mut().try_for_each(Worker::go)?;
            let mut articles = 0;
            for worker in &mut all {
                articles += worker.answer()?.parse::<u64>().context("a worker failed")?;
            }
            let took = began.elapsed().as_secs_f64();
            anyhow::ensure!(articles == pages as u64, "{articles} articles of {pages} pages");
            let [commits, claims, bytes] = counters(&config)?;
            println!(
                "|{round}|{workers}|{:.1}|{:.2}|{:.0}|{:.0}|{}|",
                articles as f64 / took,
                articles as f64 / took / alone,
                (commits - before[0]) as f64 / took,
                (claims - before[1]) as f64 / took,
                (bytes - before[2]) / pages as i64,
            );
        }
    }
    Ok(())
}

/// Transactions, claims and bytes of a database since it was made.
fn counters(config: &Config) -> anyhow::Result<[i64; 3]> {
    let url = config.store.url.as_deref().unwrap_or_default();
    let mut client = postgres::Client::connect(url, postgres::NoTls)?;
    // What sessions have done is told when they are idle, at the latest a second later.
    std::thread::sleep(Duration::from_millis(1_200));
    let row = client.query_one(
        "SELECT (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()), \
         coalesce((SELECT calls FROM pg_stat_user_functions \
         WHERE schemaname = 'crawler_data' AND funcname = 'claim'), 0), \
         pg_database_size(current_database())",
        &[],
    )?;
    Ok([row.get(0), row.get(1), row.get(2)])
}

/// What the web serves, compressed as the web is: furniture, and in it an article of each page's own.
struct Content {
    pages: Vec<Vec<u8>>,
}

impl Content {
    fn new(count: usize) -> Content {
        let bodies: Vec<String> = pages::pages(BODIES)
            .into_iter()
            .map(|page| String::from_utf8_lossy(&page).into_owned())
            .collect();
        let mut news = news::News::new(1);
        let articles: Vec<String> = (0..count).map(|_| article(&news.next())).collect();
        let page = |(n, article): (usize, &String)| {
            let body = &bodies[n % bodies.len()];
            let cut = (body.find("<article"), body.rfind("</article>"));
            let page = match cut {
                // Pages that were given stay as they are.
                (Some(from), Some(to)) if !pages::are_given() => {
                    format!("{}{article}{}", &body[..from], &body[to + "</article>".len()..])
                }
                _ => body.clone(),
            };
            let mut coder = flate2::write::GzEncoder::new(Vec::new(), Default::default());
            // A vector takes every write.
            coder.write_all(page.as_bytes()).and_then(|()| coder.finish()).unwrap_or_default()
        };
        Content { pages: articles.par_iter().enumerate().map(page).collect() }
    }
}

/// Words as an article element: sentences of 16 words, paragraphs of four sentences.
fn article(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let sentence = |words: &[&str]| format!("{}. ", words.join(" "));
    let paragraph =
        |words: &[&str]| format!("<p>{}</p>", words.chunks(16).map(sentence).collect::<String>());
    let title = words.get(..8).unwrap_or_default().join(" ");
    let body: String = words.chunks(64).map(paragraph).collect();
    format!("<article class=\"article\"><h1>{title}</h1>{body}</article>")
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
        let page = number.and_then(|n| content.pages.get(outlet * each + n));
        let (kind, body) = match (path.as_str(), page) {
            ("/feed.xml", _) => ("application/rss+xml", listed.as_bytes()),
            (_, Some(page)) => ("text/html\r\nContent-Encoding: gzip", page.as_slice()),
            _ => ("text/plain", &b"User-agent: *\nDisallow: /private/\n"[..]),
        };
        let length = body.len();
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n");
        let mut out = stream;
        out.write_all(head.as_bytes())?;
        out.write_all(body)?;
    }
}

fn feed(host: SocketAddr, each: usize) -> String {
    let items: String = (0..each)
        .map(|n| format!("<item><title>Page {n}</title><link>http://{host}/{n}.html</link></item>"))
        .collect();
    format!("<rss version=\"2.0\"><channel><title>Bench</title>{items}</channel></rss>")
}
