//! What leaves the store and the archive by age: texts, raw pages, URL memory, robots.txt records. Beside the running
//! crawl and in small steps, so that nobody waits long.
//!
//! Must not know: how the store lies on disk.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::archive;
use crate::frontier::robots;
use crate::model::*;
use crate::store::Pruned;

use crate::crawl::Engine;

/// Articles and entries looked at in one step.
const TEXTS: usize = 200;
const ENTRIES: usize = 2_000;
/// Entries looked at in one go: a round through ten million takes a day of them.
const MOST_ENTRIES: usize = 500_000;
/// Robots records, which can be half a mebibyte each, looked at in one step and in one go.
const ROBOTS: usize = 50;
const MOST_ROBOTS: usize = 5_000;
/// Between two steps others write.
const PAUSE: Duration = Duration::from_millis(20);
/// Shortest memory of URLs: feeds list some entries again, and those would be fetched again.
pub const SHORTEST: Span = Span(7 * DAY);

/// Shortest memory of what pages printed: what a day needs is there to its end.
pub const SHORTEST_MEMORY: Span = Span(2 * DAY);

/// Ages after which things leave; `None`: never.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Retention {
    /// Texts and blocks of articles; counts, stories and metadata stay.
    pub texts: Option<Span>,
    /// Files of the archive.
    pub pages: Option<Span>,
    /// Entries that are no articles and that no feed lists any more; of those of articles all but the
    /// address.
    pub urls: Option<Span>,
    /// What pages printed, for the memories of outlets, but for each outlet's latest pages.
    pub memory: Span,
}

impl Default for Retention {
    fn default() -> Retention {
        Retention { texts: None, pages: None, urls: None, memory: Span(30 * DAY) }
    }
}

/// What left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left {
    pub texts: u64,
    pub urls: u64,
    /// robots.txt records that nobody has asked for since long.
    pub robots: u64,
    /// Files of the archive, and their bytes.
    pub files: u64,
    pub bytes: u64,
}

/// Takes out what is older at `now` than the settings say, until it is done or `stop` says so.
///
/// # Errors
/// Of the store or of the archive, with the name of the file.
pub fn prune(engine: &Engine, now: Millis, stop: &dyn Fn() -> bool) -> anyhow::Result<Left> {
    let ages = &engine.settings.retention;
    let now = engine.store.ages_until(now)?;
    let mut left = Left::default();
    let before = |age| now.saturating_sub(age);
    // Files go first: they need no room, and give some.
    if let (Some(age), Some(dir)) = (ages.pages, &engine.settings.archive.dir) {
        (left.files, left.bytes) = archive::expire(dir, before(age.0))?;
    }
    if let Some(age) = ages.urls {
        let step = || engine.store.prune_entries(before(age.0), ENTRIES);
        left.urls = steps(MOST_ENTRIES / ENTRIES, stop, step)?;
    }
    let (fetched, unreachable) = (before(robots::KEEP), before(robots::KEEP_UNREACHABLE));
    let step = || engine.store.prune_robots(fetched, unreachable, ROBOTS);
    left.robots = steps(MOST_ROBOTS / ROBOTS, stop, step)?;
    if let Some(age) = ages.texts {
        let step = || engine.store.prune_texts(before(age.0), TEXTS);
        left.texts = steps(usize::MAX, stop, step)?;
    }
    Ok(left)
}

fn steps(
    most: usize,
    stop: &dyn Fn() -> bool,
    mut step: impl FnMut() -> crate::store::Result<Pruned>,
) -> crate::store::Result<u64> {
    let mut dropped = 0;
    for _ in 0..most {
        if stop() {
            break;
        }
        let done = step()?;
        dropped += done.dropped;
        if !done.more {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    Ok(dropped)
}
