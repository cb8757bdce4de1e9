//! `crawler check`: why a URL, a robots file, a feed or a charset is read the way it is. With
//! `--jsonl` a filter for scripts: requests on standard input, answers on standard output, one a
//! line, in order, without any network.

mod lines;
mod request;
mod words;

use std::io::Read as _;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use clap::{Subcommand, ValueEnum};
use serde_json::{Map, Value, json};
use url::Url;

use crate::config::Config;
use crate::crawl::clock::now;
use crate::crawl::web::single::{Single, Sought};
use crate::decode;
use crate::feed;
use crate::frontier::robots::{Standing, standing};
use crate::frontier::{AddressError, Robots, address};
use crate::model::RobotsRecord;
use crate::serve::order::Order;

use super::context::Context;
use super::{extract, print, usage};
use request::Request;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Does robots.txt allow a URL, and by which rule?
    #[command(
        after_help = "With --jsonl a request has `url`, and the file as `robots_b64` (base64; `bytes_b64` will do) \
        or `file` (its path); `user_agent` is whose rules are read, without it our own."
    )]
    Robots(Source),
    /// What is in a feed, and what had to be repaired?
    #[command(
        after_help = "With --jsonl a request has the feed as `bytes_b64` (base64) or `file` (its path); `url` or `base` \
        is its address, which relative links need, and `content_type` the header field that it came with."
    )]
    Feed(Source),
    /// Which charset does a page have, and who says so?
    #[command(
        after_help = "With --jsonl a request has the page as `bytes_b64` (base64) or `file` (its path); `content_type` is \
        the header field that it came with, and `url` its address, whose country helps where nobody says a charset."
    )]
    Charset(Source),
    /// Canonical form, key, outlet and pace key of a URL
    #[command(after_help = "With --jsonl a request has `url`, and `base` if it is relative.")]
    Url(Source),
}

#[derive(clap::Args)]
struct Source {
    /// A local file or a URL (`robots`: the file, then the URL to ask about; `url`: a URL, then that of its page if it is
    /// relative)
    #[arg(value_name = "FILE|URL")]
    sources: Vec<String>,
    /// Read requests from standard input, one JSON object per line; blank lines are skipped. The answer repeats `id`; keys
    /// that are not named below are passed over
    #[arg(long, conflicts_with = "sources")]
    jsonl: bool,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Topic {
    Robots,
    Feed,
    Charset,
    Url,
}

/// What there is to say.
struct Answer {
    /// By name, in the order of printing.
    fields: Map<String, Value>,
    /// The same in a sentence, with the reason.
    why: String,
}

impl Answer {
    fn new(fields: Value, why: String) -> Answer {
        let fields = if let Value::Object(fields) = fields { fields } else { Map::new() };
        Answer { fields, why }
    }

    /// All fields, the reason among them.
    fn whole(mut self) -> Map<String, Value> {
        self.fields.insert("why".into(), self.why.into());
        self.fields
    }
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
        lines::filter(topic, &config)?;
        return Ok(ExitCode::SUCCESS);
    }
    let answer = asked(topic, &source.sources, &config, context)?;
    if context.json() {
        print::json(&answer.whole())?;
    } else {
        show(&answer);
    }
    Ok(ExitCode::SUCCESS)
}

/// Answers the plain form: files are read, URLs are fetched as the crawl would.
fn asked(topic: Topic, sources: &[String], config: &Config, context: &Context) -> Result<Answer> {
    match (topic, sources) {
        (Topic::Url, [given]) => url(given, None),
        (Topic::Url, [given, base]) => url(given, Some(base)),
        (Topic::Url, _) => Err(usage("name a URL, and a base URL if it is relative")),
        (Topic::Robots, [given]) if given.contains("://") => {
            let record = context.ask_one(Order::Robots { url: given.clone() })?;
            let at = address(given, None).map_err(|e| anyhow!("{given}: {e}"))?;
            Ok(recorded(&record, &config.user_agent.token, &at.url))
        }
        (Topic::Robots, [path, given]) => robots(&file(path)?, &config.user_agent.token, given),
        (Topic::Robots, _) => Err(usage("name a URL, or a robots file and a URL")),
        (Topic::Feed | Topic::Charset, [source]) if source.contains("://") => {
            let sought = if topic == Topic::Feed { Sought::Feed } else { Sought::Page };
            let got: Single = context.ask_one(Order::Fetch { url: source.clone(), sought })?;
            let (body, kind) = (got.body.0, got.content_type.as_deref());
            match topic {
                Topic::Feed => feed(&body, kind, &got.url, config),
                _ => Ok(charset(&body, kind, Some(&got.url))),
            }
        }
        (Topic::Feed, [path]) => feed(&file(path)?, None, "", config),
        (Topic::Charset, [path]) => Ok(charset(&file(path)?, None, None)),
        (Topic::Feed | Topic::Charset, _) => Err(usage("name one file or URL")),
    }
}

/// Answers one line of the filter.
fn requested(topic: Topic, request: &Request, config: &Config) -> Result<Answer> {
    let kind = request.content_type.as_deref();
    let given = || request.url.as_deref().context("`url` is missing");
    match topic {
        Topic::Url => url(given()?, request.base.as_deref()),
        Topic::Charset => Ok(charset(&request.bytes()?, kind, request.url.as_deref())),
        Topic::Robots => {
            let agent = request.user_agent.as_deref().unwrap_or(&config.user_agent.token);
            robots(&request.robots()?, agent, given()?)
        }
        Topic::Feed => {
            let base = request.url.as_deref().or(request.base.as_deref());
            feed(&request.bytes()?, kind, base.unwrap_or(""), config)
        }
    }
}

/// A file that the user has named, whatever kind of file it is.
fn file(path: &str) -> Result<Vec<u8>> {
    let open = std::fs::File::open(path).with_context(|| format!("cannot read {path}"))?;
    bounded(open, path)
}

/// All of a file, if it is no longer than a request of the filter could be.
fn bounded(open: std::fs::File, path: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = request::LARGEST;
    open.take(most + 1).read_to_end(&mut bytes).with_context(|| format!("cannot read {path}"))?;
    if bytes.len() as u64 > most {
        anyhow::bail!("{path} is larger than {}", print::bytes(most));
    }
    Ok(bytes)
}

fn url(given: &str, base: Option<&str>) -> Result<Answer> {
    let at = address(given, base).map_err(|e| match e {
        AddressError::Relative => {
            anyhow!("`{given}`: {e}: write the whole URL, or the URL of its page behind it")
        }
        e => anyhow!("`{given}`: {e}"),
    })?;
    let why = words::url(given, base, &at);
    let fields = json!({
        "canonical": at.canonical,
        "key": at.key,
        "outlet": at.outlet,
        "pace_key": at.pace_key,
    });
    Ok(Answer::new(fields, why))
}

/// What the crawl reads a page as, whose address helps where it has to guess.
fn charset(bytes: &[u8], content_type: Option<&str>, at: Option<&str>) -> Answer {
    let at = at.and_then(|url| address(url, None).ok());
    let tld = at.as_ref().and_then(|at| at.top_level_domain());
    let read = decode::html(bytes, content_type, tld);
    let (declared, by) = decode::sniff(bytes, content_type, tld);
    let fields = json!({ "encoding": read.encoding, "source": read.source.name() });
    Answer::new(fields, words::charset(&read, declared.name(), by))
}

/// What a robots.txt says about a URL; a path will do, since the file knows no host.
fn robots(body: &[u8], agent: &str, given: &str) -> Result<Answer> {
    // A whole User-Agent header may be given; groups name its product token (RFC 9309 §2.2.1).
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '*');
    let token = agent.split(|c: char| !plain(c)).next().unwrap_or(agent);
    let here = Url::parse("http://localhost/").context("a base for paths")?;
    let url = here.join(given).with_context(|| format!("`{given}` is not a URL"))?;
    Ok(judged(&Robots::parse(body, token), token, &url))
}

/// What the robots.txt of a site says, or what its absence means (RFC 9309 §2.3.1).
fn recorded(record: &RobotsRecord, token: &str, url: &Url) -> Answer {
    let rules = Robots::of(record, token);
    let (allowed, verdict, why) = match standing(record, now()) {
        Standing::Rules => return judged(&rules, token, url),
        // The file itself may always be asked for (§2.2.2).
        Standing::Unreachable(_) if url.path() == "/robots.txt" => {
            return judged(&rules, token, url);
        }
        Standing::Allow(why) => (true, "allowed", why),
        Standing::Unreachable(why) => (false, "forbidden for now", why),
    };
    Answer::new(fields(allowed, None, None, &rules), format!("{verdict}: {why}"))
}

fn judged(rules: &Robots, token: &str, url: &Url) -> Answer {
    let decision = rules.decide(url);
    let why = words::robots(rules, &decision, token);
    // Without a line it is no rule of the file but a reason in words.
    let rule = decision.rule.filter(|_| decision.line.is_some());
    Answer::new(fields(decision.allowed, rule, decision.line, rules), why)
}

fn fields(allowed: bool, rule: Option<String>, line: Option<u32>, rules: &Robots) -> Value {
    json!({
        "allowed": allowed,
        "rule": rule,
        "line": line,
        "group": rules.group,
        "crawl_delay": rules.crawl_delay,
        "sitemaps": rules.sitemaps,
    })
}

fn feed(bytes: &[u8], kind: Option<&str>, base: &str, config: &Config) -> Result<Answer> {
    let bytes = feed::unpack(bytes, &config.feed)?;
    let text = decode::feed(&bytes, kind).text;
    let parsed = feed::parse_text(&text, kind, base, &config.feed)?;
    let why = words::feed(&parsed);
    let fields = json!({
        "format": parsed.format,
        "title": parsed.title,
        "repaired": parsed.repaired,
        "entries": feed_rows(&parsed),
    });
    Ok(Answer::new(fields, why))
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

fn show(answer: &Answer) {
    println!("{}", answer.why);
    for (name, value) in &answer.fields {
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
                print::show(table);
            }
            Value::Array(texts) => {
                let texts: Vec<&str> = texts.iter().filter_map(Value::as_str).collect();
                println!(
                    "{name}: {}",
                    if texts.is_empty() { "–".into() } else { texts.join(", ") }
                );
            }
            Value::String(text) => println!("{name}: {text}"),
            Value::Null => println!("{name}: –"),
            other => println!("{name}: {other}"),
        }
    }
}
