//! The clock of a page, where machines are told another. Must not know which dates are an article's.

use jiff::ToSpan;

use crate::model::Stamp;

use super::around::in_prose;
use super::dates;
use super::page::PageData;
use super::seen::Spot;

/// So many times are tried at most.
const TRIED: usize = 64;
/// Parts of the marks of a time of publication.
const PUBLISHED: [&str; 2] = ["published", "pubdate"];

/// An instant that machines are told in UTC as the page's own clock has it, where it marks up the same instant for readers
/// with the time of another zone: the day there is the one that is printed. Such a time stands above the first paragraph or
/// is marked as that of publication, and in no sentence: others tell when a match begins.
pub(super) fn in_own_zone(page: &PageData<'_>, told: &Stamp) -> Option<Stamp> {
    let seen = page.seen();
    let head = seen.headings.first().map_or(0, |heading| heading.position);
    let prose = seen.prose.iter().find(|&&position| position > head);
    let is_of_head = |spot: &Spot| {
        prose.is_none_or(|&prose| spot.position < prose) || {
            let marks = page.marks(spot.id);
            PUBLISHED.iter().any(|mark| marks.contains(mark))
        }
    };
    // What it shows as a date is its own day.
    let is_shown = |spot: &Spot, own: &Stamp| {
        let text = page.text(spot.id).unwrap_or_default();
        let is_own = |printed: &Stamp| printed.local.date() == own.local.date();
        let says = |printed: Stamp| {
            is_own(&printed) || dates::other_reading(&printed).is_some_and(|other| is_own(&other))
        };
        !in_prose(page, spot.id, &text) && dates::parse(&text, None).is_none_or(says)
    };
    let times = seen.times.iter().take(TRIED);
    let times = times.filter_map(|spot| Some((spot, dates::parse(&page.machine(spot.id)?, None)?)));
    let same = times.filter(|(_, own)| {
        let offset = own.offset.filter(|&offset| offset != 0);
        let instant = offset.map(|offset| own.local.checked_sub(i64::from(offset).seconds()));
        instant.is_some_and(|instant| instant.ok() == Some(told.local))
    });
    let mut own = same.filter(|(spot, own)| is_of_head(spot) && is_shown(spot, own));
    own.next().map(|(_, own)| Stamp { source: told.source, ..own })
}
