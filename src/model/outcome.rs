//! How entries end.
//!
//! Must not know: who makes and who uses it.

use serde::{Deserialize, Serialize};

use super::{Arrived, Day, Entry, Millis, PageType, Sight, UrlKey};

/// How an entry ended. Every entry has exactly one at any time (invariant 9).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Waiting for its first or next attempt.
    Pending,
    Article,
    /// The same canonical URL is already in the store under this key.
    Known(UrlKey),
    /// Redirected to another pace key; the target is an entry of its own.
    Moved(UrlKey),
    Forbidden {
        rule: String,
        line: Option<u32>,
    },
    /// Not dialled: no contact configured, or an address that the guard denies.
    Refused(String),
    Failed(Failure),
    /// Fetched, but not a news article (no text, content type, noindex when obeyed).
    NotArticle(String),
    TooOld,
    /// Removed by the operator.
    Forgotten,
    // Stored by position: new ones stand here.
    /// Fetched, and a page of another kind by what it shows: [`PageType::outcome`].
    OtherPage(PageType),
}

impl Outcome {
    /// The stable short name used in counters, tables and the API.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Pending => "pending",
            Outcome::Article => "article",
            Outcome::Known(_) => "known",
            Outcome::Moved(_) => "moved",
            Outcome::Forbidden { .. } => "forbidden",
            Outcome::Refused(_) => "refused",
            Outcome::Failed(f) => f.name(),
            Outcome::NotArticle(_) => "not an article",
            Outcome::TooOld => "too old",
            Outcome::Forgotten => "forgotten",
            Outcome::OtherPage(kind) => kind.outcome().unwrap_or("not an article"),
        }
    }
}

/// Why a fetch or an extraction failed for good.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    Dns(String),
    Connect(String),
    Tls(String),
    FirstByteTimeout,
    Deadline,
    TooSlow,
    TooLarge,
    CompressionRatio,
    Encoding(String),
    Headers(String),
    Reset(String),
    Status(u16),
    RateLimited,
    RedirectLoop,
    TooManyRedirects,
    BadRedirect(String),
    BadUrl(String),
    RobotsUnreachable,
    ExtractDeadline,
    ExtractLimit(String),
    GaveUp(String),
    /// It ended the process again and again.
    Quarantined,
    // Newer than stored records: this stays the last.
    /// It is redirected to a host that may not be asked yet, and our own limit on waiting for such is reached.
    WaitTooLong,
}

impl Failure {
    /// The stable short name used in counters and tables.
    pub fn name(&self) -> &'static str {
        match self {
            Failure::Dns(_) => "failed(dns)",
            Failure::Connect(_) => "failed(connect)",
            Failure::Tls(_) => "failed(tls)",
            Failure::FirstByteTimeout => "failed(first byte timeout)",
            Failure::Deadline => "failed(deadline)",
            Failure::TooSlow => "failed(too slow)",
            Failure::TooLarge => "failed(too large)",
            Failure::CompressionRatio => "failed(compression ratio)",
            Failure::Encoding(_) => "failed(content encoding)",
            Failure::Headers(_) => "failed(headers)",
            Failure::Reset(_) => "failed(reset)",
            Failure::Status(_) => "failed(status)",
            Failure::RateLimited => "failed(rate limited)",
            Failure::RedirectLoop => "failed(redirect loop)",
            Failure::TooManyRedirects => "failed(too many redirects)",
            Failure::BadRedirect(_) => "failed(bad redirect)",
            Failure::BadUrl(_) => "failed(bad url)",
            Failure::RobotsUnreachable => "failed(robots unreachable)",
            Failure::ExtractDeadline => "failed(extract deadline)",
            Failure::ExtractLimit(_) => "failed(extract limit)",
            Failure::GaveUp(_) => "failed(gave up)",
            Failure::Quarantined => "failed(quarantined)",
            Failure::WaitTooLong => "failed(wait too long)",
        }
    }
}

impl Failure {
    /// What happened, as a clause.
    pub fn words(&self) -> String {
        let clause = match self {
            Failure::Dns(why) => return format!("its name could not be resolved ({why})"),
            Failure::Connect(why) => return format!("no connection could be made ({why})"),
            Failure::Tls(why) => return format!("no secure connection could be made ({why})"),
            Failure::FirstByteTimeout => "the server did not begin to answer in time",
            Failure::Deadline => "the answer was not complete in time",
            Failure::TooSlow => "the answer came too slowly",
            Failure::TooLarge => "the answer is larger than what is read",
            Failure::CompressionRatio => "the answer unpacks to far more than was sent",
            Failure::Encoding(why) => {
                return format!("the content encoding of the answer cannot be undone ({why})");
            }
            Failure::Headers(why) => {
                return format!("the header fields of the answer cannot be read ({why})");
            }
            Failure::Reset(why) => return format!("the connection broke off ({why})"),
            Failure::Status(status) => return format!("the server answered with status {status}"),
            Failure::RateLimited => "the server kept asking for fewer requests",
            Failure::RedirectLoop => "its redirects lead in a circle",
            Failure::TooManyRedirects => "it is redirected too often",
            Failure::BadRedirect(why) => return format!("it is redirected to no URL ({why})"),
            Failure::BadUrl(why) => return format!("it cannot be requested ({why})"),
            Failure::RobotsUnreachable => "robots.txt could not be had, which forbids everything",
            Failure::ExtractDeadline => "the page took too long to read",
            Failure::ExtractLimit(why) => return format!("the page exceeds a limit ({why})"),
            Failure::Quarantined => "the crawler ended twice while nothing but this page was read",
            Failure::GaveUp(why) => return format!("it was given up ({why})"),
            Failure::WaitTooLong => {
                "we would have to wait too long for the host that it is redirected to"
            }
        };
        clause.to_owned()
    }
}

/// All that is known about one entry's URL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UrlRecord {
    pub key: UrlKey,
    pub canonical: String,
    pub outlet: String,
    pub pace_key: String,
    pub feed: UrlKey,
    pub entry: Entry,
    /// First committed sighting.
    pub first_seen: Millis,
    /// Day of arrival (of `first_seen`), the bucket of the outcome counters.
    pub arrival: Day,
    /// Came with the first poll of its feed; what only others have named did not.
    pub backlog: bool,
    pub outcome: Outcome,
    pub attempts: u32,
    /// Next attempt, while pending.
    pub next: Millis,
    /// Last failure while pending, in words.
    pub last_error: Option<String>,
    /// Redirects that led here, oldest first.
    pub chain: Vec<String>,
    // Newer than stored records: these three stay the last, in this order.
    /// Only feeds that do not speak for its outlet, or pages of other outlets, have named it so far.
    #[serde(default, deserialize_with = "super::feed::or_default")]
    pub foreign: bool,
    /// What was known when a feed that speaks for its outlet first listed it.
    #[serde(default, deserialize_with = "super::feed::or_default")]
    pub sight: Sight,
    /// Whether it counts among the arrivals of its outlet, and when.
    #[serde(default, deserialize_with = "super::feed::or_default")]
    pub arrived: Arrived,
}

impl UrlRecord {
    /// The day and the instant at which it has arrived, if it counts.
    pub fn arrives(&self) -> Option<(Day, Millis)> {
        match self.arrived {
            Arrived::Seen => (!self.backlog).then_some((self.arrival, self.first_seen)),
            Arrived::Not => None,
            Arrived::Listed(day, at) => Some((day, at)),
        }
    }
}
