//! The day that readers are shown beside the title, where machines are told that of the last publishing. Must not know how
//! dates are found.

use jiff::Unit;

use crate::extract::metadata::dates;
use crate::extract::metadata::page::PageData;
use crate::extract::metadata::seen;
use crate::model::Stamp;

/// Days that lie further apart than those of one instant in any two zones.
const ZONES: i32 = 2;
/// So many texts from a date stands how long the article takes to be read, and such a text has at most so many bytes.
const TIMED: usize = 4;
const SHORT: usize = 60;
/// How long an article takes to be read, as systems print it that tell an instant alone.
const READS: [&str; 6] = [
    "min read",
    "minute read",
    "min. lesezeit",
    "min lesezeit",
    "min de lecture",
    "min. de lecture",
];

/// A date beside the title that is not called that of a change.
pub(super) struct Beside {
    pub stamp: Stamp,
    /// Where it stands.
    pub position: usize,
    /// It stands alone or is called that of publication: other lines tell of the day of a concert or a death.
    pub sure: bool,
}

/// The day that readers are shown beside the title, where machines are told the same day as that of publication and of
/// the last change, as systems do that publish anew with each change: one day alone, and so much before that no zone
/// makes them one. `lone`: nothing is told of a change; then the time that it takes to read stands beside the day.
pub(super) fn shown_before(
    page: &PageData<'_>,
    beside: &[Beside],
    told: &Stamp,
    lone: bool,
) -> Option<Stamp> {
    let Beside { stamp: first, position, .. } = beside.iter().find(|shown| shown.sure)?;
    let span = first.local.date().until((Unit::Day, told.local.date())).ok()?;
    let sure = span.get_days() >= ZONES
        && dates::other_reading(first).is_none()
        && beside.iter().all(|other| other.stamp.local.date() == first.local.date())
        && (!lone || is_timed(page, *position) && !has_label(page, *position));
    sure.then(|| first.clone())
}

/// Is the last text before a place that says something a single word: "Recorded", "Died"?
fn has_label(page: &PageData<'_>, at: usize) -> bool {
    let lines = &page.seen().lines;
    let before = &lines[..lines.partition_point(|line| line.position < at)];
    let mut texts = before.iter().rev().take(TIMED).filter_map(|line| page.text(line.id));
    let last = texts.find(|text| text.contains(char::is_alphanumeric));
    last.is_some_and(|text| !text.trim().contains(' '))
}

/// Does a text near a place tell how long the article takes to be read?
fn is_timed(page: &PageData<'_>, at: usize) -> bool {
    let mut texts = seen::near(&page.seen().lines, at, TIMED).iter().filter_map(|line| {
        let text = page.text(line.id)?;
        (text.len() <= SHORT).then(|| text.to_lowercase())
    });
    texts.any(|text| READS.iter().any(|reads| text.contains(reads)))
}
