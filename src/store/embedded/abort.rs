//! Abort points: a documented test hook that ends the process as `kill -9` would, at a chosen pass
//! of a chosen step of the commit path, or when what a chosen URL brought is read.
//! `CRAWLER_ABORT_AT=name:n` aborts at the n-th pass (from 1) of the point `name`; without the variable
//! a point costs one atomic load.
//!
//! Must not know: what is written, or where.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The points of the commit path, in the order in which a commit passes them; taking,
/// prolonging and giving back a lease pass the last two.
pub const ABORT_POINTS: [&str; 6] =
    ["article-begin", "article-commit", "main-begin", "main-commit", "claim-begin", "claim-commit"];

/// The points of handing the journal over to the map, in their order.
pub const SETTLING_POINTS: [&str; 2] = ["settle-begin", "settle-commit"];

/// The points of a compaction, in their order.
pub const COMPACTION_POINTS: [&str; 4] =
    ["compact-copy", "compact-whole", "compact-aside", "compact-swap"];

/// The points of moving a database of an earlier version, in their order.
pub const MOVING_POINTS: [&str; 4] = ["moved-batch", "moved-whole", "moved-aside", "moved-named"];

static WANTED: OnceLock<Option<(String, u64)>> = OnceLock::new();
static PASSED: AtomicU64 = AtomicU64::new(0);

/// Passes the point `read:URL`, before what came from there is read.
pub fn abort_reading(url: &str) {
    if WANTED.get_or_init(wanted).as_ref().is_some_and(|(point, _)| point.starts_with("read:")) {
        abort_point(&format!("read:{url}"));
    }
}

/// Passes the point `name`; does not return if it is the one that the environment names.
pub fn abort_point(name: &str) {
    if let Some((point, n)) = WANTED.get_or_init(wanted)
        && point == name
        && PASSED.fetch_add(1, Ordering::SeqCst) + 1 == *n
    {
        std::process::abort();
    }
}

/// What the environment names.
fn wanted() -> Option<(String, u64)> {
    let value = std::env::var("CRAWLER_ABORT_AT").ok()?;
    let (name, n) = value.rsplit_once(':')?;
    Some((name.to_owned(), n.parse().ok()?))
}
