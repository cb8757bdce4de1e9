//! Sitemaps (sitemaps.org protocol 0.9), Google-news sitemaps and indexes of them. Only URLs with
//! a `news:` part are entries: a plain sitemap lists everything a site ever wrote. An index lists its sitemaps in any
//! order: first come those that call themselves news, then the newest.
//!
//! Must not know: RSS, Atom.

use url::Url;

use super::markup::split;
use super::markup::{Token, Tokens, decode};
use super::newest::Newest;
use super::{Parsed, Settings, date, entry};
use crate::model::{Entry, FeedFormat};

/// One `<url>` or `<sitemap>`.
#[derive(Default)]
struct Record {
    location: Option<String>,
    news: bool,
    title: Option<String>,
    published: Option<String>,
    modified: Option<String>,
    language: Option<String>,
    keywords: Option<String>,
}

/// Reads mended text. Records that are cut off are left out.
pub(super) fn parse(text: &str, url: &str, limits: &Settings) -> Parsed {
    let base = Url::parse(url).ok();
    let mut parsed = Parsed::new(FeedFormat::Sitemap);
    let mut newest = Newest::new(limits.max_entries);
    let mut news_maps = Newest::growing(limits.max_sitemaps);
    let mut other_maps = Newest::growing(limits.max_sitemaps);
    let mut without = 0;
    let mut record: Option<Record> = None;
    let mut field: Option<(String, String)> = None;
    for token in Tokens::new(text) {
        match token {
            Token::Open { name, empty, .. } => {
                let (prefix, local) = split(name);
                match (prefix.as_str(), local.as_str()) {
                    (_, "sitemapindex") => parsed.format = FeedFormat::SitemapIndex,
                    (_, "url" | "sitemap") => {
                        record = Some(Record::default());
                        field = None;
                    }
                    // `image:title` is not the article's.
                    ("image" | "video", _) => field = None,
                    (_, "news") => {
                        if let Some(record) = &mut record {
                            record.news = true;
                        }
                    }
                    _ if !empty => field = Some((local, String::new())),
                    _ => {}
                }
            }
            Token::Text(text) => collect(&mut field, &decode(text)),
            Token::Cdata(text) => collect(&mut field, text),
            Token::Close { name } => {
                let (_, local) = split(name);
                if let Some((name, text)) = field.take()
                    && let Some(record) = &mut record
                {
                    record.set(&name, text);
                }
                let Some(done) = (match local.as_str() {
                    "url" | "sitemap" => record.take(),
                    _ => None,
                }) else {
                    continue;
                };
                let Some(location) =
                    done.location.as_deref().and_then(|l| entry::address(l, base.as_ref(), limits))
                else {
                    without += usize::from(done.news || local == "sitemap");
                    continue;
                };
                if local == "sitemap" {
                    let modified = done.modified.as_deref().and_then(date::parse);
                    let maps = if names_news(&location) { &mut news_maps } else { &mut other_maps };
                    maps.push(location, modified.as_ref());
                } else if done.news {
                    parsed.format = FeedFormat::NewsSitemap;
                    let entry = done.entry(location, limits);
                    let published = entry.published.clone();
                    newest.push(entry, published.as_ref());
                } else {
                    parsed.plain += 1;
                }
            }
        }
    }
    (parsed.entries, parsed.left_out) = newest.finish();
    let ((maps, beyond), (others, older)) = (news_maps.newest_first(), other_maps.newest_first());
    let listed = maps.len() + others.len();
    parsed.sitemaps = maps.into_iter().chain(others).take(limits.max_sitemaps).collect();
    parsed.sitemaps_left_out = beyond + older + listed - parsed.sitemaps.len();
    let first = parsed.entries.first().and_then(|e| e.language.as_ref());
    parsed.language =
        first.filter(|l| parsed.entries.iter().all(|e| e.language.as_ref() == Some(*l))).cloned();
    entry::tell_gaps(&mut parsed, without, limits);
    parsed
}

/// Does a sitemap call itself news: by its path, not by the name of its paper?
pub fn names_news(location: &str) -> bool {
    Url::parse(location).is_ok_and(|url| {
        let query = url.query().unwrap_or_default();
        [url.path(), query].iter().any(|part| part.to_ascii_lowercase().contains("news"))
    })
}

fn collect(field: &mut Option<(String, String)>, text: &str) {
    const MOST: usize = 16 * 1024;
    if let Some((_, collected)) = field
        && collected.len() + text.len() <= MOST
    {
        collected.push_str(text);
    }
}

impl Record {
    fn set(&mut self, name: &str, text: String) {
        let slot = match name {
            "loc" => &mut self.location,
            "title" => &mut self.title,
            "publication_date" => &mut self.published,
            "lastmod" => &mut self.modified,
            "language" => &mut self.language,
            "keywords" => &mut self.keywords,
            _ => return,
        };
        slot.get_or_insert(text);
    }

    fn entry(self, url: String, limits: &Settings) -> Entry {
        let dates = [self.published.as_deref(), self.modified.as_deref()];
        let keywords = self.keywords.as_deref().unwrap_or_default().split(',');
        Entry {
            url,
            id: None,
            title: entry::text(self.title.as_deref(), limits.max_title),
            summary: None,
            published: dates.into_iter().flatten().find_map(date::parse),
            authors: Vec::new(),
            categories: keywords
                .filter_map(|k| entry::text(Some(k), 200))
                .take(limits.max_names)
                .collect(),
            language: entry::language(self.language.as_deref()),
        }
    }
}
