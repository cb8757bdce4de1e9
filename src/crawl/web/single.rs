//! One URL that a person asks about: its bytes, or the robots.txt that governs it. Each pace key on the
//! way is asked under a turn of its own, so pace and lease hold as in the crawl.
//!
//! Must not know: what the bytes mean, how the answer is printed.

use anyhow::{Result, anyhow, bail};
use serde::{Deserialize, Serialize};

use crate::fetch::Kind;
use crate::frontier::{Address, address};
use crate::model::{Bytes, RobotsRecord};

use super::gate::{Conditions, MAX_HOPS, Walk};
use crate::crawl::Engine;

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
    let mut walk = Walk::new(start(url)?, MAX_HOPS);
    let answer = engine.gate.errand(&mut walk, kind, &Conditions::default()).await;
    let response = answer.map_err(|denied| anyhow!("{}: {denied}", walk.at().url))?;
    if !(200..300).contains(&response.status) {
        bail!("{}: HTTP status {}", walk.at().url, response.status);
    }
    Ok(Single {
        url: walk.at().url.to_string(),
        content_type: response.headers.content_type.clone(),
        body: Bytes(response.body),
    })
}

/// The robots.txt that governs a URL: the one that is known, while it is fresh, else fetched.
///
/// # Errors
/// Says why it was not asked for; an answer of whatever status is none.
pub async fn robots(engine: &Engine, url: &str) -> Result<RobotsRecord> {
    let at = start(url)?;
    let denied = |denied| anyhow!("{}: {denied}", at.url);
    let mut turn = engine.gate.turn(&at).await.map_err(denied)?;
    let record = engine.gate.record(&mut turn, &at).await;
    engine.gate.done(turn).await.map_err(denied)?;
    record.map_err(denied)
}
