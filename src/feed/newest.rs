//! Which items are kept of a feed that lists more than are read, and which sitemaps of an index: the newest, in
//! whatever order they stand.
//!
//! Must not know: what an item is.

use std::cmp::Reverse;

use crate::model::Stamp;

/// The newest of what is pushed, in its order.
pub(super) struct Newest<T> {
    most: usize,
    /// With the seconds at which they count as published.
    kept: Vec<(Option<i64>, T)>,
    /// The first and the last date that was printed.
    first: Option<i64>,
    last: Option<i64>,
    left_out: usize,
    /// Where the dates tell nothing, the newest stand at the end.
    grows: bool,
}

impl<T> Newest<T> {
    /// Keeps so many at most, and holds twice as many.
    pub(super) fn new(most: usize) -> Newest<T> {
        Newest { most, kept: Vec::new(), first: None, last: None, left_out: 0, grows: false }
    }

    /// Of a list that grows at its end, unless its dates say otherwise.
    pub(super) fn growing(most: usize) -> Newest<T> {
        Newest { grows: true, ..Newest::new(most) }
    }

    pub(super) fn push(&mut self, item: T, published: Option<&Stamp>) {
        if let Some(at) = published.and_then(seconds) {
            self.first.get_or_insert(at);
            self.last = Some(at);
        }
        // Without a date it is as old as the one before it.
        self.kept.push((self.last, item));
        if self.kept.len() > self.most.saturating_mul(2) {
            self.prune();
        }
    }

    /// What is kept, in the order of the feed, and how many are not.
    pub(super) fn finish(mut self) -> (Vec<T>, usize) {
        self.prune();
        (self.kept.into_iter().map(|(_, item)| item).collect(), self.left_out)
    }

    /// What is kept, the newest first, and how many are not.
    pub(super) fn newest_first(mut self) -> (Vec<T>, usize) {
        self.prune();
        let order = self.order();
        let mut kept: Vec<Option<T>> = self.kept.into_iter().map(|(_, item)| Some(item)).collect();
        let taken = order.into_iter().filter_map(|place| kept.get_mut(place)?.take());
        (taken.collect(), self.left_out)
    }

    fn prune(&mut self) {
        let length = self.kept.len();
        if length <= self.most {
            return;
        }
        let mut stays = vec![false; length];
        for place in self.order().into_iter().take(self.most) {
            stays[place] = true;
        }
        let mut stays = stays.into_iter();
        self.kept.retain(|_| stays.next().unwrap_or_default());
        self.left_out += length - self.kept.len();
    }

    /// The places of what is kept, the newest first.
    fn order(&self) -> Vec<usize> {
        let length = self.kept.len();
        // Of the same age, those at the end where the feed lists new items: at the top, unless its dates rise.
        let rises = self.first < self.last || self.grows && self.first == self.last;
        let mut order: Vec<usize> = (0..length).collect();
        order.sort_unstable_by_key(|&place| {
            let at = self.kept.get(place).and_then(|(at, _)| *at);
            let at = at.unwrap_or(if rises { i64::MIN } else { i64::MAX });
            (Reverse(at), if rises { length - place } else { place })
        });
        order
    }
}

fn seconds(stamp: &Stamp) -> Option<i64> {
    let utc = stamp.local.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(utc.timestamp().as_second() - i64::from(stamp.offset.unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feed::date;

    /// Items with their days of a month; 0: without a date.
    fn kept(most: usize, days: &[u32]) -> (Vec<usize>, usize) {
        let mut newest = Newest::new(most);
        for (place, day) in days.iter().enumerate() {
            let stamp = date::parse(&format!("2026-11-{day:02}T08:00:00Z"));
            newest.push(place, stamp.as_ref());
        }
        newest.finish()
    }

    fn newest_first(most: usize, days: &[u32]) -> (Vec<usize>, usize) {
        let mut newest = Newest::growing(most);
        for (place, day) in days.iter().enumerate() {
            let stamp = date::parse(&format!("2026-11-{day:02}T08:00:00Z"));
            newest.push(place, stamp.as_ref());
        }
        newest.newest_first()
    }

    #[test]
    fn a_list_that_grows_at_its_end() {
        assert_eq!(newest_first(3, &[0; 20]), (vec![19, 18, 17], 17));
        assert_eq!(newest_first(3, &[4; 5]), (vec![4, 3, 2], 2));
        assert_eq!(newest_first(3, &[1, 2, 3, 4, 5]), (vec![4, 3, 2], 2));
        assert_eq!(newest_first(3, &[5, 4, 3, 2, 1]), (vec![0, 1, 2], 2));
        assert_eq!(newest_first(9, &[5, 9, 1]), (vec![1, 0, 2], 0));
    }

    /// The first were kept, so that a feed that lists its oldest items first never brought a new one.
    #[test]
    fn the_newest_stay() {
        let days: Vec<u32> = (1..=28).collect();
        assert_eq!(kept(3, &days), (vec![25, 26, 27], 25));
        let falling: Vec<u32> = days.iter().rev().copied().collect();
        assert_eq!(kept(3, &falling), (vec![0, 1, 2], 25));
        assert_eq!(kept(3, &[5, 9, 1, 7, 2, 8, 3, 6, 4]), (vec![1, 3, 5], 6));
        assert_eq!(kept(3, &[5, 9]), (vec![0, 1], 0));
        assert_eq!(kept(0, &[5, 9]), (vec![], 2));
        // Without dates those at the top stay.
        assert_eq!(kept(3, &[0; 20]), (vec![0, 1, 2], 17));
        // Where some have none, the order tells.
        assert_eq!(kept(3, &[0, 1, 0, 2, 0, 0, 3, 0, 0]), (vec![6, 7, 8], 6));
        assert_eq!(kept(3, &[0, 0, 3, 0, 2, 0, 0, 1, 0]), (vec![0, 1, 2], 6));
        // All of one day.
        assert_eq!(kept(2, &[4, 4, 4, 4, 4]), (vec![0, 1], 3));
        assert_eq!(kept(2, &[3, 4, 4, 4, 4]), (vec![3, 4], 3));
    }
}
