//! One URL that a person asks about: its bytes, or the robots.txt that governs it. Each hop takes a turn
//! of its own, so pace and lease hold as in the crawl.
//!
//! Must not know: what the bytes mean, how the answer is printed.

use anyhow::{Result, anyhow, bail};
use serde::{Deserialize, Serialize};

use crate::fetch::Kind;
use crate::frontier::{Address, address};
use crate::model::{Bytes, RobotsRecord};

use super::discover::words;
use crate::crawl::Engine;
use crate::crawl::MAX_HOPS;

/// What is expected behind a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sought {
    Page,
    Feed,
}

/// What was there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Single {
    /// Where the redirects ended.
    pub url: String,
    pub content_type: Option<String>,
    /// Decoded, no longer than the crawl's own cap.
    pub body: Bytes,
}

fn start(url: &str) -> Result<Address> {
    address(url, None).map_err(|e| anyhow!("{url}: {e}"))
}

/// Requests a URL, following redirects.
///
/// # Errors
/// Says which hop was refused, or ended otherwise than with a 2xx.
pub async fn fetch(engine: &Engine, url: &str, sought: Sought) -> Result<Single> {
    let kind = match sought {
        Sought::Page => Kind::Page,
        Sought::Feed => Kind::Feed,
    };
    let mut at = start(url)?;
    for _ in 0..MAX_HOPS {
        let denied = |d| anyhow!("{}: {}", at.url, words(&d));
        let mut turn = engine.gate.turn(&at).await.map_err(denied)?;
        let answer = engine.gate.get(&mut turn, &at, kind, &Default::default()).await;
        engine.gate.done(turn).await.map_err(denied)?;
        let response = answer.map_err(denied)?;
        match (response.status, response.headers.location.as_deref()) {
            (200..=299, _) => {
                return Ok(Single {
                    url: at.url.to_string(),
                    content_type: response.headers.content_type,
                    body: Bytes(response.body),
                });
            }
            (301 | 302 | 303 | 307 | 308, Some(next)) => {
                at = address(next, Some(at.url.as_str()))
                    .map_err(|e| anyhow!("{} redirects to `{next}`: {e}", at.url))?;
            }
            (status, _) => bail!("{}: HTTP status {status}", at.url),
        }
    }
    bail!("{url}: more than {MAX_HOPS} redirects")
}

/// The robots.txt that governs a URL: the one that is known, while it is fresh, else fetched.
///
/// # Errors
/// Says why it was not asked for; an answer of whatever status is none.
pub async fn robots(engine: &Engine, url: &str) -> Result<RobotsRecord> {
    let at = start(url)?;
    let denied = |d| anyhow!("{}: {}", at.url, words(&d));
    let mut turn = engine.gate.turn(&at).await.map_err(denied)?;
    let record = engine.gate.record(&mut turn, &at).await;
    engine.gate.done(turn).await.map_err(denied)?;
    record.map_err(denied)
}
