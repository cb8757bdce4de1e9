//! What rows add to the sums that tables are made of, the same in every store.
//!
//! Must not know: where rows and sums are kept.

use crate::model::{Day, MentionRow, Tally};

/// Days that a published day or a week, from its Monday on, is still provisional for.
const PROVISIONAL: i64 = 1;

/// The Monday of a day's week.
pub fn monday(day: Day) -> Day {
    let back = i64::from(day.weekday().to_monday_zero_offset());
    day.saturating_sub(jiff::Span::new().days(back))
}

/// The first day on which a bucket of `span` days is no longer provisional.
pub fn final_from(first: Day, span: i64) -> Day {
    first.saturating_add(jiff::Span::new().days(span + PROVISIONAL))
}

/// What the mention row of an article first seen on the day `arrival` adds (or, with −1, takes away).
pub(in crate::store) fn of_row(row: &MentionRow, arrival: Option<Day>, sign: i64) -> Tally {
    let when = |yes: bool| if yes && row.counted > 0 { sign } else { 0 };
    let counted = sign * i64::from(row.counted);
    let late = |first: Day, span| {
        when(!row.backlog && arrival.is_some_and(|day| day >= final_from(first, span)))
    };
    Tally {
        articles: when(true),
        mentions: counted,
        suppressed: sign * i64::from(row.suppressed),
        backlog: when(row.backlog),
        own: if row.own_outlet { counted } else { 0 },
        late: late(row.day, 1),
        late_week: late(monday(row.day), 7),
        ..Tally::default()
    }
}

/// What one story adds (or takes away) for a brand that its members count, on the day of its original.
pub(in crate::store) fn of_story(original_counts: bool, sign: i64) -> Tally {
    let originals = if original_counts { sign } else { 0 };
    Tally { stories: sign, originals, ..Tally::default() }
}
