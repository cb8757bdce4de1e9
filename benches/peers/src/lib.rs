//! Other extractors behind one function, and the labelled pages they are run over.
//!
//! Every peer gets the page as our decoder reads it, so that extraction alone is compared, and its
//! own defaults except that reader comments are left out.

use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use serde::Deserialize;
use url::Url;

/// Decoded page and its URL → article text; `Err` in the peer's own words.
pub type Extract = fn(&str, Option<&str>) -> Result<String, String>;

/// Name (crate, for those whose Python namesake is a peer as well) and function.
pub const PEERS: [(&str, Extract); 6] = [
    ("rs-dom_smoothie", dom_smoothie),
    ("rs-trafilatura", trafilatura),
    ("rs-rs-trafilatura", rs_trafilatura),
    ("rs-readability", readability),
    ("rs-legible", legible),
    ("rs-pagesift", pagesift_text),
];

fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// dom_smoothie as its documentation shows it; formatted text keeps paragraphs apart.
pub fn dom_smoothie(html: &str, url: Option<&str>) -> Result<String, String> {
    let config = dom_smoothie::Config {
        text_mode: dom_smoothie::TextMode::Formatted,
        ..dom_smoothie::Config::default()
    };
    let mut reader = dom_smoothie::Readability::new(html, url, Some(config)).map_err(words)?;
    Ok(reader.parse().map_err(words)?.text_content.to_string())
}

/// trafilatura for Rust, with the fallbacks that its documentation recommends.
pub fn trafilatura(html: &str, url: Option<&str>) -> Result<String, String> {
    let mut options =
        trafilatura::Options::default().with_fallback(true).with_exclude_comments(true);
    options.original_url = url.and_then(|u| Url::parse(u).ok());
    Ok(trafilatura::extract(html, &options).map_err(words)?.content_text)
}

/// rs-trafilatura; its page classifier may use the URL.
pub fn rs_trafilatura(html: &str, url: Option<&str>) -> Result<String, String> {
    let options =
        rs_trafilatura::Options { url: url.map(str::to_owned), ..rs_trafilatura::Options::default() };
    Ok(rs_trafilatura::extract_with_options(html, &options).map_err(words)?.content_text)
}

/// readability; wants a URL, whichever.
pub fn readability(html: &str, url: Option<&str>) -> Result<String, String> {
    let url = Url::parse(url.unwrap_or("http://localhost/")).map_err(words)?;
    let mut bytes = html.as_bytes();
    Ok(readability::extractor::extract(&mut bytes, &url).map_err(words)?.text)
}

/// legible.
pub fn legible(html: &str, url: Option<&str>) -> Result<String, String> {
    Ok(legible::parse(html, url, None).map_err(words)?.text_content)
}

/// pagesift-content as it comes: Markdown.
pub fn pagesift(html: &str, url: Option<&str>) -> Result<String, String> {
    Ok(pagesift_content::process(html, &pagesift_options(url)).markdown)
}

/// pagesift-content, its text.
pub fn pagesift_text(html: &str, url: Option<&str>) -> Result<String, String> {
    let options = pagesift_content::Options { plain_text: true, ..pagesift_options(url) };
    Ok(pagesift_content::process(html, &options).plain_text.unwrap_or_default())
}

fn pagesift_options(url: Option<&str>) -> pagesift_content::Options {
    let base_url = url.and_then(|url| Url::parse(url).ok());
    pagesift_content::Options { base_url, ..pagesift_content::Options::default() }
}

/// Runs a peer; a panic is one more kind of error.
pub fn guarded(extract: Extract, html: &str, url: Option<&str>) -> Result<String, String> {
    catch_unwind(AssertUnwindSafe(|| extract(html, url)))
        .unwrap_or_else(|_| Err("the extractor panicked".into()))
}

/// A labelled article page.
pub struct Page {
    pub id: String,
    pub url: Option<String>,
    pub bytes: Vec<u8>,
}

#[derive(Deserialize)]
struct Gold {
    id: String,
    url: Option<String>,
    text: Option<String>,
    page_type: Option<String>,
    #[serde(default)]
    suspect: bool,
}

/// The article pages of a corpus folder that have a gold text, by id.
pub fn pages(folder: &Path) -> Result<Vec<Page>, Box<dyn std::error::Error>> {
    let gold = std::fs::read_to_string(folder.join("gold.jsonl"))?;
    let mut pages = Vec::new();
    for line in gold.lines().filter(|l| !l.trim().is_empty()) {
        let gold: Gold = serde_json::from_str(line)?;
        let article = gold.page_type.as_deref().unwrap_or("article") == "article";
        let labelled = gold.text.as_deref().is_some_and(|t| !t.trim().is_empty());
        if gold.suspect || !article || !labelled {
            continue;
        }
        let plain = folder.join("pages").join(format!("{}.html", gold.id));
        let bytes = if plain.exists() {
            std::fs::read(plain)?
        } else {
            let packed = folder.join("pages").join(format!("{}.html.gz", gold.id));
            let mut bytes = Vec::new();
            flate2::read::GzDecoder::new(std::fs::File::open(packed)?).read_to_end(&mut bytes)?;
            bytes
        };
        pages.push(Page { id: gold.id, url: gold.url, bytes });
    }
    pages.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(pages)
}

/// CPU seconds of this thread so far.
pub fn cpu_seconds() -> f64 {
    crawler::meter::cpu().as_secs_f64()
}

/// Runs work on a thread with a stack for peers that descend a page's tree by recursion.
pub fn on_large_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(work);
    thread.expect("a thread can be started").join().expect("the work does not panic")
}
