//! `crawler extract`: pages for people, many pages as JSON lines for scripts.

use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::crawl::web::document;
use crate::crawl::web::single::{Single, Sought};
use crate::decode;
use crate::extract::label::Reason;
use crate::extract::{self, Explanation, Limits, Model};
use crate::frontier::address;
use crate::mention;
use crate::meter::cpu;
use crate::model::{Article, Found, Precision, Stamp, Zone};
use crate::serve::order::Order;

use super::context::{self, Context};
use super::{BAD_NEWS, explain, plain, print, usage};

/// Largest local page, decoded; the same as the crawl's default cap.
const MAX_PAGE: u64 = 10 << 20;
/// Pages handed to the threads at a time: bounds memory, keeps the order.
const CHUNK: usize = 256;

#[derive(clap::Args)]
pub(super) struct Args {
    /// Pages (.html or .html.gz), or URLs. Of several, --json prints an array whose elements have `path`, and `error` where
    /// a page could not be read; ends with 3 where some failed, with 1 where all did
    #[arg(value_name = "PATH|URL")]
    paths: Vec<String>,
    /// File with more paths, one per line; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// One JSON object per line, in input order
    #[arg(long)]
    jsonl: bool,
    /// Number of threads
    #[arg(long, default_value_t = 1, value_name = "N")]
    jobs: usize,
    /// Model file instead of the configured one
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Each block with its label, its probability and the strongest reasons
    #[arg(long, conflicts_with = "jsonl")]
    explain: bool,
    /// Write the page with its blocks coloured by label to this file; `-` is standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["jsonl", "explain"])]
    html: Option<PathBuf>,
}

/// What is asked of one page.
enum View<'a> {
    Article,
    Reasons,
    Html(&'a Path),
}

/// What is printed of one page.
enum Told {
    /// `--json`
    Value(Value),
    Text(String),
}

/// One page's line; scripts rely on these names.
#[derive(Serialize)]
struct Line {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    title: Option<String>,
    authors: Vec<String>,
    /// As printed on the page, normalised to ISO 8601 with the precision that was printed.
    published: Option<String>,
    language: Option<String>,
    model: String,
    /// CPU seconds of decode + parse + extract.
    seconds: f64,
}

pub(super) fn run(args: Args, context: &Context) -> Result<ExitCode> {
    let config = context.config()?;
    let model = context::model(args.model.as_ref().or(config.model.as_ref()))?;
    let mut paths = args.paths;
    if let Some(list) = &args.list {
        paths.extend(read_list(list)?);
    }
    if paths.is_empty() {
        return Err(usage("nothing to extract: name pages, a URL, or a list with --list"));
    }
    if args.jsonl {
        if let Some(url) = paths.iter().find(|path| path.contains("://")) {
            let sentence = format!("--jsonl reads files alone: name the URL {url} without --jsonl");
            return Err(usage(sentence));
        }
        return many(&paths, &model, &config.extract, args.jobs);
    }
    let view = match &args.html {
        Some(_) if paths.len() > 1 => return Err(usage("--html shows one page; name one")),
        Some(file) => View::Html(file),
        None if args.explain => View::Reasons,
        None => View::Article,
    };
    let (mut failed, mut shown, mut told) = (0, 0, Vec::new());
    for path in &paths {
        let page = if path.contains("://") {
            fetch(path, context)
        } else {
            read(Path::new(path)).map(|bytes| (path.clone(), bytes, None))
        };
        let result = page.and_then(|(url, bytes, content_type)| {
            one(&url, &bytes, content_type.as_deref(), &model, &config.extract, &view, context)
        });
        match result {
            Ok(Told::Value(page)) if paths.len() == 1 => print::json(&page)?,
            Ok(Told::Value(page)) => told.push(of_path(path, page)),
            Ok(Told::Text(text)) => {
                if paths.len() > 1 {
                    println!("{}page       {path}", if shown > 0 { "\n" } else { "" });
                }
                shown += 1;
                if !text.is_empty() {
                    println!("{}", text.trim_end());
                }
            }
            Err(error) => {
                failed += 1;
                if context.json() && paths.len() > 1 {
                    told.push(of_path(path, json!({ "error": format!("{error:#}") })));
                    continue;
                }
                // Of a URL the error says itself at which hop it came.
                match path.contains("://") {
                    true => eprintln!("crawler: {error:#}"),
                    false => eprintln!("crawler: {path}: {error:#}"),
                }
            }
        }
    }
    if context.json() && paths.len() > 1 {
        print::json(&told)?;
    }
    Ok(ended(failed, paths.len()))
}

/// How a command ends of whose pages some have failed.
fn ended(failed: usize, all: usize) -> ExitCode {
    match failed {
        0 => ExitCode::SUCCESS,
        n if n == all => ExitCode::FAILURE,
        _ => ExitCode::from(BAD_NEWS),
    }
}

/// What is told of one of several pages: an object that begins with the page's path.
fn of_path(path: &str, page: Value) -> Value {
    let mut object = Map::from_iter([("path".to_owned(), path.into())]);
    match page {
        Value::Object(page) => object.extend(page),
        blocks => {
            object.insert("blocks".to_owned(), blocks);
        }
    }
    Value::Object(object)
}

/// A value as `print::json` shows it.
fn value<T: Serialize>(shown: &T) -> Result<Value> {
    Ok(serde_json::from_slice(&serde_json::to_vec(shown)?)?)
}

fn read_list(list: &Path) -> Result<Vec<String>> {
    let text = if list == Path::new("-") {
        std::io::read_to_string(std::io::stdin()).context("cannot read standard input")?
    } else {
        std::fs::read_to_string(list)
            .with_context(|| format!("cannot read the list {}", list.display()))?
    };
    Ok(text.lines().map(str::trim).filter(|l| !l.is_empty()).map(str::to_string).collect())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let file = std::fs::File::open(path).context("cannot open the page")?;
    let mut bytes = Vec::new();
    let mut reader: Box<dyn Read> = if path.extension().is_some_and(|e| e == "gz") {
        Box::new(flate2::read::MultiGzDecoder::new(file))
    } else {
        Box::new(file)
    };
    reader.by_ref().take(MAX_PAGE + 1).read_to_end(&mut bytes).context("cannot read the page")?;
    if bytes.len() as u64 > MAX_PAGE {
        bail!("the page is larger than {}", print::bytes(MAX_PAGE));
    }
    Ok(bytes)
}

fn many(paths: &[String], model: &Model, limits: &Limits, jobs: usize) -> Result<ExitCode> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs.max(1))
        .build()
        .context("cannot start the threads")?;
    let mut out = BufWriter::new(plain::output());
    let mut failed = 0;
    for chunk in paths.chunks(CHUNK) {
        let lines: Vec<Line> =
            pool.install(|| chunk.par_iter().map(|path| line(path, model, limits)).collect());
        for line in lines {
            failed += usize::from(line.error.is_some());
            out.write_all(&serde_json::to_vec(&line)?)?;
            out.write_all(b"\n")?;
        }
    }
    out.flush()?;
    Ok(ended(failed, paths.len()))
}

fn line(path: &str, model: &Model, limits: &Limits) -> Line {
    let mut line = Line {
        path: path.to_string(),
        text: None,
        error: None,
        title: None,
        authors: Vec::new(),
        published: None,
        language: None,
        model: model.id().to_string(),
        seconds: 0.0,
    };
    let bytes = match read(Path::new(path)) {
        Ok(bytes) => bytes,
        Err(error) => {
            line.error = Some(format!("{error:#}"));
            return line;
        }
    };
    let began = cpu();
    let html = decode::html(&bytes, None, None).text;
    if let Some(what) = document::no_page(&bytes, &html) {
        line.error = Some(refused(what));
        return line;
    }
    let extraction = extract::article(&html, &extract::Hints::default(), model, limits);
    line.seconds = (cpu() - began).as_secs_f64();
    if let Some(limit) = extraction.limit {
        line.error = Some(limit);
        return line;
    }
    let article = extraction.article;
    line.title = article.title.map(|t| t.value);
    line.authors = article.authors.into_iter().map(|a| a.value).collect();
    line.published = article.published.as_ref().map(iso);
    line.language = article.language.map(|l| l.value);
    line.text = Some(article.text);
    line
}

/// What is no page, though it may read like one.
fn refused(what: &str) -> String {
    let reads = if what == document::FEED { ": `crawler check feed` reads it" } else { "" };
    format!("this is {what}, not a page{reads}")
}

/// A stamp in ISO 8601, as exact as it was printed.
pub(super) fn iso(stamp: &Stamp) -> String {
    match (stamp.precision, stamp.offset) {
        (Precision::Day, _) => stamp.local.date().to_string(),
        (_, None) => stamp.local.to_string(),
        (_, Some(offset)) => {
            let (sign, s) = (if offset < 0 { '-' } else { '+' }, offset.abs());
            format!("{}{sign}{:02}:{:02}", stamp.local, s / 3600, s / 60 % 60)
        }
    }
}

/// What `extract --json` prints.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    article: &'a Article,
    /// Of each of its blocks: where a name that stands in it belongs.
    zones: Vec<Zone>,
    agencies: &'a [Found<String>],
}

/// Fetches one page as the crawl would, through the daemon if there is one.
pub(super) fn fetch(url: &str, context: &Context) -> Result<(String, Vec<u8>, Option<String>)> {
    let order = Order::Fetch { url: url.to_owned(), sought: Sought::Page };
    let got: Single = context.ask_one(order)?;
    Ok((got.url, got.body.0, got.content_type))
}

fn one(
    url: &str,
    bytes: &[u8],
    content_type: Option<&str>,
    model: &Model,
    limits: &Limits,
    view: &View<'_>,
    context: &Context,
) -> Result<Told> {
    let decoded = decoded(bytes, content_type, url);
    if let Some(what) = document::no_page(bytes, &decoded.text) {
        bail!(refused(what));
    }
    let hints = extract::Hints {
        url: Some(url).filter(|url| url.contains("://")),
        ..extract::Hints::default()
    };
    if !matches!(view, View::Article) {
        return show_reasons(
            &extract::explain(&decoded.text, &hints, model, limits),
            url,
            view,
            context,
        );
    }
    let extraction = extract::article(&decoded.text, &hints, model, limits);
    if let Some(limit) = extraction.limit {
        bail!("{limit}");
    }
    let article = extraction.article;
    if context.json() {
        let zones = mention::zones(&article);
        let shown = Shown { article: &article, zones, agencies: &extraction.agencies };
        return Ok(Told::Value(value(&shown)?));
    }
    let found = |f: &Option<crate::model::Found<String>>| {
        f.as_ref()
            .map_or_else(|| "–".into(), |f| format!("{} ({})", f.value, print::word(&f.source)))
    };
    let authors: Vec<&str> = article.authors.iter().map(|a| a.value.as_str()).collect();
    let mended = match decoded.mended {
        0 => String::new(),
        count => format!(", {} had been encoded twice", print::many(count as u64, "character")),
    };
    let lines = [
        format!("title      {}", found(&article.title)),
        format!("authors    {}", if authors.is_empty() { "–".into() } else { authors.join(", ") }),
        format!("agencies   {}", super::articles::agencies(Some(&extraction.agencies))),
        format!("published  {}", article.published.as_ref().map_or_else(|| "–".into(), iso)),
        format!("language   {}", found(&article.language)),
        format!("charset    {} ({}{mended})", decoded.encoding, decoded.source.name()),
    ];
    Ok(Told::Text(format!("{}\n\n{}", lines.join("\n"), article.text)))
}

/// A page as the crawl reads it, whose address helps where it has to guess.
fn decoded<'a>(bytes: &'a [u8], content_type: Option<&str>, url: &str) -> decode::Decoded<'a> {
    let at = address(url, None).ok();
    decode::html(bytes, content_type, at.as_ref().and_then(|at| at.top_level_domain()))
}

fn show_reasons(
    explanation: &Explanation,
    url: &str,
    view: &View<'_>,
    context: &Context,
) -> Result<Told> {
    if let Some(limit) = &explanation.extraction.limit {
        bail!("{limit}");
    }
    Ok(match view {
        View::Html(file) if *file == Path::new("-") => Told::Text(explain::html(explanation, url)),
        View::Html(file) => {
            std::fs::write(file, explain::html(explanation, url))
                .with_context(|| format!("cannot write {}", file.display()))?;
            Told::Text(String::new())
        }
        _ if context.json() => {
            let article = &explanation.extraction.article;
            let blocks = article.blocks.iter().zip(mention::zones(article));
            let rows = blocks.zip(&explanation.blocks).map(|((block, zone), explained)| {
                let reason = |r: &Reason| json!({ "text": r.text, "weight": r.weight });
                let reasons: Vec<_> = explained.reasons.iter().map(reason).collect();
                json!({ "text": block.text, "label": block.label, "zone": zone,
                        "probability": block.probability, "reasons": reasons })
            });
            Told::Value(rows.collect())
        }
        _ => Told::Text(explain::text(explanation)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The crawl read another text than `extract` showed.
    #[test]
    fn the_country_of_an_address_helps_to_guess() {
        let page = b"<p>\xC1\xE8\xDE</p>";
        assert_eq!(decoded(page, None, "https://a.gr/").text, "<p>Αθή</p>");
        assert_ne!(decoded(page, None, "page.html").text, "<p>Αθή</p>");
    }
}
