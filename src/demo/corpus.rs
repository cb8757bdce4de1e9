//! A labelled corpus folder (`pages/<id>.html` and `gold.jsonl`) as a small web: one outlet per
//! domain, the original bytes without a declared charset, and one feed per outlet.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use super::site::{Body, Reply, Web};
use crate::model::escaped;

/// Host of pages whose domain is not known.
const NO_DOMAIN: &str = "nodomain.test";
/// Entries in one feed: below the number that readers take from one.
const ENTRIES: usize = 1_000;

/// What the corpus says about one page.
#[derive(Clone, Debug, Deserialize)]
pub struct Gold {
    pub id: String,
    /// Where the page was found once; it is served under [`Gold::served`].
    pub url: Option<String>,
    pub lang: Option<String>,
    /// Registered domain.
    pub domain: Option<String>,
    /// The article's text, one paragraph a line.
    pub text: String,
    pub title: Option<String>,
    pub published: Option<String>,
    pub page_type: Option<String>,
    /// Lines of `text` that may be missing without error.
    #[serde(default)]
    pub optional: Vec<String>,
    /// URL on the small web; filled in by [`load`].
    #[serde(skip)]
    pub served: String,
}

/// Reads `gold.jsonl` and builds the web. Errors: an unreadable folder, or a line (named) that is
/// not what it should be. A page whose file is missing answers 404.
pub fn load(folder: &Path) -> Result<(Web, Vec<Gold>)> {
    let path = folder.join("gold.jsonl");
    let lines = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let mut gold = Vec::new();
    for (number, line) in lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let page: Gold = serde_json::from_slice(line.as_bytes())
            .with_context(|| format!("{} line {}", path.display(), number + 1))?;
        gold.push(page);
    }
    let mut web = Web::default();
    let mut by_host: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (number, page) in gold.iter_mut().enumerate() {
        let host = page.domain.as_deref().unwrap_or(NO_DOMAIN).to_ascii_lowercase();
        let place = format!("/pages/{}.html", path_segment(&page.id));
        page.served = format!("http://{host}{place}");
        if let Some(file) = file_of(folder, &page.id) {
            let body = Body::File(file);
            let content_type = Some("text/html".to_owned());
            web.add(&host, &place, Reply { content_type, body, ..Reply::ok(Vec::new()) })?;
        }
        by_host.entry(host).or_default().push(number);
    }
    for (host, numbers) in by_host {
        for (part, numbers) in numbers.chunks(ENTRIES).enumerate() {
            let place = format!("/feed-{part}.xml");
            let pages: Vec<&Gold> = numbers.iter().filter_map(|&n| gold.get(n)).collect();
            let reply = Reply {
                content_type: Some("application/rss+xml; charset=utf-8".to_owned()),
                validators: true,
                ..Reply::ok(feed(&host, &pages).into_bytes())
            };
            web.feeds.push(format!("http://{host}{place}"));
            web.add(&host, &place, reply)?;
        }
    }
    Ok((web, gold))
}

/// The page's file; ids with path parts that lead out of the folder have none.
fn file_of(folder: &Path, id: &str) -> Option<PathBuf> {
    let outside = id.split(['/', '\\']).any(|part| part == "..") || id.starts_with(['/', '\\']);
    let file = folder.join("pages").join(format!("{id}.html"));
    (!outside && file.is_file()).then_some(file)
}

/// An id as it may stand in a URL's path (RFC 3986 §3.3); the rest percent-encoded.
fn path_segment(id: &str) -> String {
    let mut out = String::new();
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

fn feed(host: &str, pages: &[&Gold]) -> String {
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rss version=\"2.0\" \
         xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><channel><title>{host}</title>\
         <link>http://{host}/</link><description/>\n"
    );
    for page in pages {
        let _ = write!(out, "<item><link>{}</link>", escaped(&page.served));
        if let Some(title) = &page.title {
            let _ = write!(out, "<title>{}</title>", escaped(title));
        }
        if let Some(date) = &page.published {
            let _ = write!(out, "<dc:date>{}</dc:date>", escaped(date));
        }
        out.push_str("</item>\n");
    }
    out.push_str("</channel></rss>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_becomes_outlets() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("pages")).unwrap();
        std::fs::write(folder.path().join("pages/a b.html"), b"<p>caf\xe9</p>").unwrap();
        let gold = "{\"id\":\"a b\",\"domain\":\"One.test\",\"text\":\"caf\u{e9}\",\"title\":\"A & B\"}\n\
                    {\"id\":\"../../etc/passwd\",\"text\":\"\"}\n";
        std::fs::write(folder.path().join("gold.jsonl"), gold).unwrap();
        let (web, gold) = load(folder.path()).unwrap();
        assert_eq!(gold[0].served, "http://one.test/pages/a%20b.html");
        assert_eq!(web.feeds(), ["http://nodomain.test/feed-0.xml", "http://one.test/feed-0.xml"]);
        let page = web.reply("one.test", "/pages/a%20b.html").unwrap();
        assert_eq!(page.content_type.as_deref(), Some("text/html"));
        assert!(matches!(&page.body, Body::File(path) if path.ends_with("pages/a b.html")));
        assert!(web.reply("nodomain.test", "/pages/..%2F..%2Fetc%2Fpasswd.html").is_none());
        let feed = web.reply("one.test", "/feed-0.xml").unwrap();
        let Body::Bytes(feed) = &feed.body else { panic!("a feed is bytes") };
        assert!(String::from_utf8_lossy(feed).contains("<title>A &amp; B</title>"));
    }

    #[test]
    fn a_bad_line_is_named() {
        let folder = tempfile::tempdir().unwrap();
        assert!(load(folder.path()).is_err());
        std::fs::write(folder.path().join("gold.jsonl"), "\n{\"id\":1}\n").unwrap();
        assert!(format!("{:#}", load(folder.path()).unwrap_err()).contains("line 2"));
    }
}
