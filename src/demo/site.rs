//! The web as plain data: host → path → reply, rendered once when loaded, and the request log.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::outlet::{self, Outlet};
use super::request::Request;
use super::truth::Truth;
use super::{feeds, page};
use crate::model::{Brand, Millis};

/// What one path of one outlet answers.
#[derive(Clone, Debug)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    pub content_type: Option<String>,
    /// Target of a redirect.
    pub location: Option<String>,
    /// Answer validators and `304 Not Modified` (RFC 9110 §13.1).
    pub validators: bool,
    pub body: Body,
}

/// Where a reply's bytes come from.
#[derive(Clone, Debug)]
pub enum Body {
    Bytes(Vec<u8>),
    File(PathBuf),
    /// One chunk sent many times, so that a huge page costs no memory here.
    Repeat {
        chunk: Vec<u8>,
        times: usize,
    },
}

/// All outlets, their feeds, and the log of what was requested from them.
#[derive(Debug, Default)]
pub struct Web {
    pub(super) sites: BTreeMap<String, HashMap<String, Reply>>,
    pub(super) feeds: Vec<String>,
    log: Mutex<Vec<Request>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Brands {
    brand: Vec<Brand>,
}

impl Web {
    /// Renders the embedded outlets. Errors name the outlet whose embedded files are wrong; the
    /// tests keep that from happening.
    pub fn load() -> Result<Web> {
        let mut web = Web::default();
        for outlet in outlet::load_all()? {
            web.add_outlet(&outlet).with_context(|| outlet.host.clone())?;
        }
        Ok(web)
    }

    fn add_outlet(&mut self, outlet: &Outlet) -> Result<()> {
        for article in &outlet.articles {
            let html = page::render(outlet, article);
            let reply = Reply {
                content_type: Some(outlet.content_type.clone()),
                ..Reply::ok(page::encode(&html, &outlet.charset)?)
            };
            self.add(&outlet.host, &outlet.path_of(article), reply)?;
        }
        for feed in &outlet.feed {
            let reply = Reply {
                content_type: Some(feed.content_type.clone()),
                validators: true,
                ..Reply::ok(page::encode(&feeds::render(outlet, feed), &feed.charset)?)
            };
            self.add(&outlet.host, &feed.path, reply)?;
            self.feeds.push(format!("http://{}{}", outlet.host, feed.path));
        }
        for route in &outlet.route {
            let text = route.body.clone().into_bytes();
            let reply = Reply {
                status: route.status,
                content_type: Some(route.content_type.clone()),
                location: route.location.clone(),
                validators: false,
                body: match route.repeat {
                    Some(times) => Body::Repeat { chunk: text, times },
                    None => Body::Bytes(text),
                },
            };
            self.add(&outlet.host, &route.path, reply)?;
        }
        Ok(())
    }

    /// Adds one path; two replies for one path are an error.
    pub(super) fn add(&mut self, host: &str, path: &str, reply: Reply) -> Result<()> {
        let site = self.sites.entry(host.to_owned()).or_default();
        ensure!(site.insert(path.to_owned(), reply).is_none(), "{host}{path} stands twice");
        Ok(())
    }

    /// URLs of all feeds, to be seeded.
    pub fn feeds(&self) -> &[String] {
        &self.feeds
    }

    /// Every host with the address it is served on, for the fetcher's name resolution.
    pub fn hosts(&self, address: SocketAddr) -> HashMap<String, SocketAddr> {
        self.sites.keys().map(|host| (host.clone(), address)).collect()
    }

    /// The fictional companies whose mentions are counted (`web/brands.toml`).
    pub fn brands() -> Result<Vec<Brand>> {
        let brands: Brands = toml::from_str(include_str!("web/brands.toml"))?;
        Ok(brands.brand)
    }

    /// What a right crawl of the embedded outlets counts (`web/truth.toml`).
    pub fn truth() -> Result<Truth> {
        Truth::parse(include_str!("web/truth.toml"))
    }

    /// The reply of a host's path, query included.
    pub fn reply(&self, host: &str, path: &str) -> Option<&Reply> {
        self.sites.get(host)?.get(path)
    }

    /// The log so far, in order of arrival.
    pub fn requests(&self) -> Vec<Request> {
        self.lock().clone()
    }

    /// Requests that began before the previous one to the same host had ended, or less than `delay`
    /// milliseconds after: pairs of the earlier and the later.
    pub fn pace_breaks(&self, delay: Millis) -> Vec<(Request, Request)> {
        let mut last: HashMap<String, Request> = HashMap::new();
        let mut breaks = Vec::new();
        for request in self.requests() {
            if let Some(before) = last.insert(request.host.clone(), request.clone())
                && before.end.is_none_or(|end| request.start < end.saturating_add(delay))
            {
                breaks.push((before, request));
            }
        }
        breaks
    }

    /// Opens a line of the log and gives its number.
    pub(super) fn log_start(&self, request: Request) -> usize {
        let mut log = self.lock();
        log.push(request);
        log.len() - 1
    }

    /// Fills in how the request of that line was answered.
    pub(super) fn log_change(&self, line: usize, change: impl FnOnce(&mut Request)) {
        if let Some(request) = self.lock().get_mut(line) {
            change(request);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Request>> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reply {
    /// Status 200 with these bytes, nothing declared.
    pub(super) fn ok(bytes: Vec<u8>) -> Reply {
        Reply {
            status: 200,
            content_type: None,
            location: None,
            validators: false,
            body: Body::Bytes(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pace_is_read_from_the_log() {
        let web = Web::default();
        for (host, start, end) in [
            ("a", 0, Some(10)),
            ("b", 5, Some(20)),
            ("a", 110, None),
            ("b", 119, Some(130)),
            ("a", 900, Some(901)),
        ] {
            web.log_start(Request {
                start,
                end,
                host: host.to_owned(),
                path: "/".to_owned(),
                status: 200,
                user_agent: String::new(),
            });
        }
        let found: Vec<(Millis, Millis)> =
            web.pace_breaks(100).iter().map(|(a, b)| (a.start, b.start)).collect();
        assert_eq!(found, [(5, 119), (110, 900)]);
    }
}
