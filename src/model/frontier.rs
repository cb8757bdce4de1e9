//! Tasks, leases, pace and robots: who may be asked what, and when.
//!
//! Must not know: who makes and who uses it.

use serde::{Deserialize, Serialize};

use super::{Millis, UrlKey};

/// What is to be done at a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskKind {
    Poll,
    Fetch,
}

/// One due piece of work under a pace key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    pub kind: TaskKind,
    pub key: UrlKey,
    pub url: String,
    pub due: Millis,
    /// Failed attempts so far.
    pub attempts: u32,
}

/// What goes before a task of its pace key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Precedence {
    /// When the first urgent task is due: a poll, or a first attempt at what an outlet's own feeds bring.
    /// `None`: there is none, or the task is urgent itself.
    pub urgent: Option<Millis>,
    /// Only others have named the task's entry.
    pub foreign: bool,
}

/// What one host under a pace key has asked for; persisted with the pace key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostPace {
    pub host: String,
    /// When it last answered, or was last asked in vain.
    pub last: Millis,
    /// Its Crawl-delay, milliseconds; 0: none.
    pub delay: Millis,
    /// Pause that it has asked for.
    pub blocked_until: Millis,
    /// When it last asked for one.
    pub paused: Option<Millis>,
    /// Weighted consecutive failures.
    pub failures: f32,
    /// Consecutive 403 answers.
    pub forbidden_run: u32,
    /// No request of the queue is put off to an earlier instant: others have been before.
    pub booked: Millis,
}

/// A task that was under way when a process ended uncleanly, until it has been through alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspect {
    pub kind: TaskKind,
    pub key: UrlKey,
    /// How often the process has ended while it was under way alone.
    pub ends: u32,
}

impl Suspect {
    /// Is it known to end the process? Once may be chance.
    pub fn is_proven(&self) -> bool {
        self.ends >= 2
    }
}

/// Politeness state of one pace key; persisted at claim, before the first byte is sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pace {
    /// No request before this instant.
    pub next_at: Millis,
    /// Longest distance between the end of one request and the start of the next that a host under it
    /// has, milliseconds: so long is waited where nobody knows who was asked last.
    pub delay: Millis,
    /// Longer pause, by the operator or because several of its hosts asked for one.
    pub blocked_until: Millis,
    /// Exponentially weighted mean response time of successful answers, milliseconds.
    pub response_ms: f32,
    /// Pauses of the whole pace key since a host last answered well.
    pub failures: f32,
    /// Delay fixed by the operator, milliseconds.
    pub operator_delay: Option<Millis>,
    /// Hosts of which something is to be remembered, and the one asked last.
    #[serde(default)]
    pub hosts: Vec<HostPace>,
}

impl Pace {
    /// How long is surely waited between two requests: [`Pace::delay`], or what the operator has fixed since, if that is
    /// longer.
    pub fn distance(&self) -> Millis {
        self.delay.max(self.operator_delay.unwrap_or(0))
    }
}

/// A worker's time-limited right to one pace key, with the tasks to drain under it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lease {
    pub pace_key: String,
    pub owner: String,
    /// Fences every write made under this lease.
    pub epoch: u64,
    pub until: Millis,
    pub pace: Pace,
    pub tasks: Vec<Task>,
    /// Those of the tasks that are to be done while nothing else is.
    pub suspects: Vec<Suspect>,
}

/// A cached robots.txt of one scheme+host+port.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotsRecord {
    /// `scheme://host:port`.
    pub origin: String,
    pub fetched: Millis,
    /// Instant after which it must be fetched again.
    pub fresh_until: Millis,
    pub status: RobotsStatus,
    /// The first 500 KiB of the body, empty unless `Fetched`; octets that are no UTF-8 stand in it
    /// percent-encoded.
    pub body: String,
    /// Since when the file has been unreachable, if it is.
    pub unreachable_since: Option<Millis>,
}

/// How the last robots.txt fetch ended (RFC 9309 §2.3.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RobotsStatus {
    Fetched,
    /// 4xx: no restriction (§2.3.1.3).
    Unavailable(u16),
    /// 5xx or network error: complete disallow (§2.3.1.4), after 30 days allow.
    Unreachable(String),
}

/// What robots.txt says about one URL, and by which rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotsDecision {
    pub allowed: bool,
    /// The deciding rule as written, e.g. `Disallow: /private`; or the reason without a rule.
    pub rule: Option<String>,
    /// Line in robots.txt, from 1.
    pub line: Option<u32>,
}
