//! `crawler check`: why a URL, a robots file, a feed or a charset is read the way it is. With
//! `--jsonl` a filter for scripts: requests on standard input, answers on standard output, one a
//! line, in order, without any network.

use std::io::{BufRead, Read as _, Write};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use base64::Engine as _;
use clap::{Subcommand, ValueEnum};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::config::Config;
use crate::decode;
use crate::feed;
use crate::fetch::Kind;
use crate::frontier::{Robots, address};
use crate::store;

use super::context::{self, Context};
use super::{extract, print};

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Would robots.txt let us fetch a URL, by which rule?
    Robots(Source),
    /// What is in a feed, and what had to be repaired?
    Feed(Source),
    /// Which charset is a page in, and who says so?
    Charset(Source),
    /// Canonical form, key, outlet and pace key of a URL
    Url(Source),
}

#[derive(clap::Args)]
struct Source {
    /// A local file or a URL (`robots`: the file, then the URL to ask about)
    #[arg(value_name = "FILE|URL")]
    sources: Vec<String>,
    /// Read requests from standard input, one JSON object a line
    #[arg(long)]
    jsonl: bool,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Topic {
    Robots,
    Feed,
    Charset,
    Url,
}

/// A request of any topic; each uses its own keys.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Request {
    url: Option<String>,
    base: Option<String>,
    robots_b64: Option<String>,
    user_agent: Option<String>,
    bytes_b64: Option<String>,
    file: Option<String>,
    content_type: Option<String>,
}

pub(super) fn run(args: Args, context: &Context) -> Result<ExitCode> {
    let (topic, source) = match args.what {
        What::Robots(source) => (Topic::Robots, source),
        What::Feed(source) => (Topic::Feed, source),
        What::Charset(source) => (Topic::Charset, source),
        What::Url(source) => (Topic::Url, source),
    };
    let config = context.config()?;
    if source.jsonl {
        filter(topic, &config)?;
        return Ok(ExitCode::SUCCESS);
    }
    let request = request(topic, &source.sources, context)?;
    let answer = answer(topic, &request, &config)?;
    if context.json() {
        print::json(&answer)?;
    } else {
        words(&answer);
    }
    Ok(ExitCode::SUCCESS)
}

/// Longest request line, bytes: a feed of the largest size in base64 fits.
const LINE: u64 = 32 << 20;

fn filter(topic: Topic, config: &Config) -> Result<()> {
    let mut input = std::io::stdin().lock();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.by_ref().take(LINE).read_until(b'\n', &mut line);
        if read.context("cannot read standard input")? == 0 {
            return Ok(());
        }
        let whole = line.ends_with(b"\n") || (line.len() as u64) < LINE;
        if !whole {
            input.skip_until(b'\n').context("cannot read standard input")?;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let reply = if whole {
            reply(topic, &line, config)
        } else {
            json!({ "id": null, "error": format!("a request line is longer than {LINE} bytes") })
        };
        serde_json::to_writer(&mut out, &reply)?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
}

/// The answer to one line, which names the request's id whenever one can be read.
fn reply(topic: Topic, line: &[u8], config: &Config) -> Value {
    let parsed: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => return json!({ "id": null, "error": format!("not a request: {error}") }),
    };
    let id = parsed.get("id").cloned().unwrap_or(Value::Null);
    let answered = serde_json::from_value::<Request>(parsed)
        .context("not a request")
        .and_then(|request| answer(topic, &request, config));
    let mut reply = match answered {
        Ok(reply) => reply,
        Err(error) => json!({ "error": format!("{error:#}") }),
    };
    if let Value::Object(fields) = &mut reply {
        fields.shift_insert(0, "id".into(), id);
    }
    reply
}

fn answer(topic: Topic, request: &Request, config: &Config) -> Result<Value> {
    match topic {
        Topic::Url => url(request),
        Topic::Charset => charset(request),
        Topic::Robots => robots(request, config),
        Topic::Feed => feed(request, config),
    }
}

fn bytes(request: &Request) -> Result<Vec<u8>> {
    match (&request.bytes_b64, &request.file) {
        (Some(text), _) => base64(text, "bytes_b64"),
        (None, Some(file)) => std::fs::read(file).with_context(|| format!("cannot read {file}")),
        (None, None) => bail!("`bytes_b64` or `file` is missing"),
    }
}

fn base64(text: &str, key: &str) -> Result<Vec<u8>> {
    base64::engine::general_purpose::STANDARD
        .decode(text)
        .with_context(|| format!("`{key}` is not base64"))
}

fn url(request: &Request) -> Result<Value> {
    let url = request.url.as_deref().context("`url` is missing")?;
    let at = address(url, request.base.as_deref()).map_err(|e| anyhow::anyhow!("{e}"))?;
    Ok(json!({
        "canonical": at.canonical,
        "key": at.key,
        "outlet": at.outlet,
        "pace_key": at.pace_key,
    }))
}

fn charset(request: &Request) -> Result<Value> {
    let (encoding, source) = decode::sniff(&bytes(request)?, request.content_type.as_deref(), None);
    Ok(json!({ "encoding": encoding.name(), "source": source.name() }))
}

fn robots(request: &Request, config: &Config) -> Result<Value> {
    let body = match &request.robots_b64 {
        Some(text) => base64(text, "robots_b64")?,
        None => bytes(request)?,
    };
    let agent = request.user_agent.as_deref().unwrap_or(&config.user_agent.token);
    let url = request.url.as_deref().context("`url` is missing")?;
    // A whole User-Agent header may be given; groups name its product token (RFC 9309 §2.2.1).
    let plain = |c: char| c.is_ascii_alphabetic() || c == '-' || c == '_' || c == '*';
    let token = agent.split(|c: char| !plain(c)).next().unwrap_or(agent);
    // So may a path: robots.txt knows no host.
    let here = url::Url::parse("http://localhost/").context("a base for paths")?;
    let url = here.join(url).with_context(|| format!("`{url}` is not a URL"))?;
    let rules = Robots::parse(&body, token);
    let decision = rules.decide(&url);
    Ok(json!({
        "allowed": decision.allowed,
        "rule": decision.rule,
        "line": decision.line,
        "crawl_delay": rules.crawl_delay,
        "sitemaps": rules.sitemaps,
    }))
}

fn feed(request: &Request, config: &Config) -> Result<Value> {
    let bytes = feed::unpack(&bytes(request)?, &config.feed)?.into_owned();
    let kind = request.content_type.as_deref();
    let text = decode::feed(&bytes, kind).text;
    let base = request.url.as_deref().or(request.base.as_deref()).unwrap_or("");
    let parsed = feed::parse_text(&text, kind, base, &config.feed)?;
    Ok(json!({
        "format": parsed.format,
        "title": parsed.title,
        "repaired": parsed.repaired,
        "entries": feed_rows(&parsed),
    }))
}

/// Entries in document order. Nobody can fetch an item without an address, but whoever checks a feed
/// misses it.
fn feed_rows(parsed: &feed::Parsed) -> Vec<Value> {
    let row =
        |url: Option<&str>, title: &Option<String>, stamp: &Option<_>, id: &Option<String>| {
            let published = stamp.as_ref().map(extract::iso);
            json!({ "url": url, "title": title, "published": published, "id": id })
        };
    let entries = parsed.entries.iter();
    let mut rows: Vec<Value> =
        entries.map(|e| row(Some(&e.url), &e.title, &e.published, &e.id)).collect();
    for item in parsed.unlinked.iter().rev() {
        let url = item.link.as_deref();
        rows.insert(item.place, row(url, &item.title, &item.published, &item.id));
    }
    rows
}

/// Builds the request of the plain form: files are read, URLs are fetched politely.
fn request(topic: Topic, sources: &[String], context: &Context) -> Result<Request> {
    let mut request = Request::default();
    match (topic, sources) {
        (Topic::Url, [url]) => request.url = Some(url.clone()),
        (Topic::Url, [url, base]) => {
            request.url = Some(url.clone());
            request.base = Some(base.clone());
        }
        (Topic::Robots, [url]) => {
            let at = address(url, None).map_err(|e| anyhow::anyhow!("{e}"))?;
            let robots = crate::frontier::robots::location(&at.url).to_string();
            request.bytes_b64 = Some(fetch(&robots, Kind::Robots, context)?.0);
            request.url = Some(url.clone());
        }
        (Topic::Robots, [file, url]) => {
            request.file = Some(file.clone());
            request.url = Some(url.clone());
        }
        (Topic::Feed | Topic::Charset, [source]) if source.contains("://") => {
            let kind = if topic == Topic::Feed { Kind::Feed } else { Kind::Page };
            let (body, content_type) = fetch(source, kind, context)?;
            request.bytes_b64 = Some(body);
            request.content_type = content_type;
            request.url = Some(source.clone());
        }
        (Topic::Feed | Topic::Charset, [source]) => request.file = Some(source.clone()),
        (Topic::Robots, _) => bail!("name a URL, or a robots file and a URL"),
        (Topic::Url, _) => bail!("name a URL, and a base URL if it is relative"),
        _ => bail!("name one file or URL"),
    }
    Ok(request)
}

fn fetch(url: &str, kind: Kind, context: &Context) -> Result<(String, Option<String>)> {
    let config = context.config()?;
    let engine = context::engine(&config, store::memory(), None)?;
    let at = address(url, None).map_err(|e| anyhow::anyhow!("{e}"))?;
    let denied = |d| anyhow::anyhow!("{}", crate::crawl::discover::words(&d));
    context::runtime()?.block_on(async {
        let mut turn = engine.gate.turn(&at).await.map_err(denied)?;
        let answer = engine.gate.get(&mut turn, &at, kind, &Default::default()).await;
        engine.gate.done(turn).await.map_err(denied)?;
        let response = answer.map_err(denied)?;
        if !(200..300).contains(&response.status) {
            bail!("{url}: HTTP status {}", response.status);
        }
        let body = base64::engine::general_purpose::STANDARD.encode(&response.body);
        Ok((body, response.headers.content_type.clone()))
    })
}

fn words(answer: &Value) {
    let Value::Object(fields) = answer else { return };
    for (name, value) in fields {
        match value {
            Value::Array(rows) if rows.iter().any(Value::is_object) => {
                println!("{name}: {}", rows.len());
                let mut table = print::table(&["published", "title", "url"]);
                for row in rows {
                    let text = |key: &str| row[key].as_str().unwrap_or("–").to_string();
                    let cells =
                        vec![text("published"), print::clip(&text("title"), 60), text("url")];
                    print::row(&mut table, cells);
                }
                print::show(&table);
            }
            Value::String(text) => println!("{name}: {text}"),
            Value::Null => println!("{name}: –"),
            other => println!("{name}: {other}"),
        }
    }
}
