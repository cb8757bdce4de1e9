//! The clock of a page, where machines are told another. Must not know which dates are an article's.

use jiff::ToSpan;

use crate::model::Stamp;

use super::dates;
use super::page::PageData;

/// So many times are tried at most.
const TRIED: usize = 64;

/// An instant that machines are told in UTC as the page's own clock has it, where it marks up the same instant for readers
/// with the time of another zone: the day there is the one that is printed.
pub(super) fn in_own_zone(page: &PageData<'_>, told: &Stamp) -> Option<Stamp> {
    let times = page.seen().times.iter().take(TRIED).filter_map(|spot| page.machine(spot.id));
    let mut times = times.filter_map(|time| dates::parse(&time, None));
    let own = times.find(|own| {
        let offset = own.offset.filter(|&offset| offset != 0);
        let instant = offset.map(|offset| own.local.checked_sub(i64::from(offset).seconds()));
        instant.is_some_and(|instant| instant.ok() == Some(told.local))
    });
    Some(Stamp { source: told.source, ..own? })
}
