//! Lines of a page that may begin by saying who wrote: told once, since several rules read them. Must not know who is
//! named.

use super::names;
use super::page::PageData;

/// The places of such lines among [`super::seen::Seen::lines`], in page order.
pub(super) fn openings<'p>(page: &'p PageData<'_>) -> &'p [usize] {
    page.openings.get_or_init(|| {
        let lines = page.seen().lines.iter().enumerate();
        let may =
            lines.filter(|(_, line)| page.dom.text(line.id).is_some_and(names::may_introduce));
        may.map(|(at, _)| at).collect()
    })
}
