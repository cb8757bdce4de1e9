//! What our own sightings say of the date of an article. A feed that was polled and did not list an
//! article says that it was not there yet: who dates it before that says otherwise. Only feeds that
//! speak for the outlet are asked, so that nobody decides about another's dates.
//!
//! Must not know: where feeds, entries and articles are kept, how dates are read.

use crate::model::*;

/// A date may be so much older than the poll that did not list the article: editors date by the draft,
/// caches answer late.
const GRACE: Millis = 6 * HOUR;

/// Polls that are further apart say nothing of the time between them: an outlet makes such a gap itself, by a
/// feed that fails or is empty. No feed that can be had is polled less often, unless the operator wants it.
const GAP: Millis = DAY;

/// What is known when a poll at `at` of a feed lists an entry for the first time.
pub fn sight(feed: &Feed, entry: UrlKey, at: Millis) -> Sight {
    // Before this was noted, the last poll was a whole one if it was the last success: no hub pushed.
    let last = feed.poll.last.filter(|last| feed.poll.last_success == Some(*last));
    let listed = feed.provenance.listed.or(last);
    let budget = &feed.provenance.budget;
    // What was listed may not have been taken, or was not the feed's to say.
    let left_out = budget.own.beyond > 0 || feed.poll.recent.contains(&entry);
    match listed.filter(|listed| *listed <= at && !left_out) {
        Some(listed) if feed.format == Some(FeedFormat::Section) => {
            Sight::LinkedAfter(listed.max(at.saturating_sub(GAP)))
        }
        Some(listed) if listed < at.saturating_sub(GAP) => Sight::AfterGap { listed, seen: at },
        Some(listed) => Sight::After(listed),
        None => Sight::First,
    }
}

/// Does the date that an article is counted under agree with how it was first listed?
pub fn judge(sight: Sight, published: &Published) -> Sighting {
    // Of a day the hour of the first sight is kept, or its end. Earlier versions kept its beginning, which lies on
    // a quarter of an hour in every zone: it ends when it is over.
    let beginning = published.precision == Precision::Day && published.at % (HOUR / 4) == 0;
    let latest = if beginning { published.at.saturating_add(DAY) } else { published.at };
    let since = |listed: Millis| latest >= listed.saturating_sub(GRACE);
    match sight {
        Sight::After(listed) | Sight::LinkedAfter(listed) if since(listed) => {
            Sighting::Corroborated
        }
        Sight::AfterGap { seen, .. } if since(seen.saturating_sub(GAP)) => Sighting::Corroborated,
        Sight::AfterGap { listed, .. } if since(listed) => Sighting::Open,
        // What was counted before keeps its place.
        Sight::Unnoted => Sighting::Corroborated,
        Sight::After(_) | Sight::AfterGap { .. } => Sighting::Contradicted,
        Sight::First | Sight::LinkedAfter(_) => Sighting::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tests::build::{T0, day, feed, id};

    #[test]
    fn what_polls_say_of_dates() {
        use Sighting::*;
        // On a quarter of an hour.
        const T: Millis = T0 - T0 % (HOUR / 4);
        let check = |sight, ago: Millis, precision, expect| {
            let published = Published {
                at: T - ago,
                day: day(20),
                precision,
                zone: ZoneSource::Printed,
                source: Source::Meta,
                printed: None,
            };
            assert_eq!(judge(sight, &published), expect, "{sight:?} {ago} {precision:?}");
        };
        let listed = Sight::After(T);
        check(listed, -HOUR, Precision::Instant, Corroborated);
        check(listed, GRACE, Precision::Minute, Corroborated);
        check(listed, GRACE + 1, Precision::Instant, Contradicted);
        check(listed, 6 * DAY, Precision::Instant, Contradicted);
        // Printed as a day, which has not been over for six hours.
        check(listed, DAY + GRACE, Precision::Day, Corroborated);
        check(listed, 2 * DAY, Precision::Day, Contradicted);
        // Kept as its end.
        check(listed, GRACE - 1, Precision::Day, Corroborated);
        check(listed, GRACE + 1, Precision::Day, Contradicted);
        check(listed, DAY + 1, Precision::Day, Contradicted);
        check(Sight::LinkedAfter(T), HOUR, Precision::Instant, Corroborated);
        check(Sight::LinkedAfter(T), 6 * DAY, Precision::Instant, Open);
        // Nobody saw the feed for days: it is not taken at its word about them.
        let gap = Sight::AfterGap { listed: T - 8 * DAY, seen: T };
        check(gap, DAY + GRACE, Precision::Instant, Corroborated);
        check(gap, DAY + GRACE + 1, Precision::Instant, Open);
        check(gap, 7 * DAY, Precision::Minute, Open);
        check(gap, 8 * DAY + GRACE, Precision::Instant, Open);
        check(gap, 8 * DAY + GRACE + 1, Precision::Instant, Contradicted);
        check(Sight::First, 6 * DAY, Precision::Instant, Open);
        check(Sight::Unnoted, 6 * DAY, Precision::Instant, Corroborated);
        check(Sight::First, 0, Precision::Instant, Open);
    }

    #[test]
    fn what_a_poll_knows() {
        let mut known = feed(1, "a.test");
        let check = |feed: &Feed, expect| assert_eq!(sight(feed, id(9), T0), expect);
        check(&known, Sight::First);
        // From before it was noted: the last poll succeeded …
        (known.poll.last, known.poll.last_success) = (Some(T0 - 7), Some(T0 - 7));
        check(&known, Sight::After(T0 - 7));
        // … or something else came last.
        known.poll.last_success = Some(T0 - 3);
        check(&known, Sight::First);
        known.provenance.listed = Some(T0 - DAY);
        check(&known, Sight::After(T0 - DAY));
        // The feed could not be had for long.
        known.provenance.listed = Some(T0 - 5 * DAY);
        check(&known, Sight::AfterGap { listed: T0 - 5 * DAY, seen: T0 });
        known.format = Some(FeedFormat::Section);
        check(&known, Sight::LinkedAfter(T0 - DAY));
        known.provenance.listed = Some(T0 - HOUR);
        check(&known, Sight::LinkedAfter(T0 - HOUR));
        known.poll.recent = vec![id(9)];
        check(&known, Sight::First);
        known.poll.recent = vec![id(8)];
        known.provenance.budget.own.beyond = 1;
        check(&known, Sight::First);
        known.provenance.budget.own.beyond = 0;
        // The clock was set back.
        known.provenance.listed = Some(T0 + 1);
        check(&known, Sight::First);
    }
}
