//! How many new entries a feed, and an outlet by all of its feeds, may bring on a day, and how many bytes may
//! be fetched for it. What an outlet lists costs requests and disk, so nobody lists as much as they like;
//! budgets grow with what is brought on usual days.
//!
//! Bytes are on the account of the outlet whose feeds listed what is fetched, so that no outlet uses up
//! another's.
//!
//! Must not know: where feeds and entries are kept.

use crate::model::{Brought, Budget, DAY, Millis, Taken};

/// How entries beyond a budget are counted for the outlet that listed them; beside the names of outcomes.
pub const OVER_BUDGET: &str = "over budget";

/// So many times a usual day's may be brought.
const GROWTH: u32 = 2;
/// Bytes that may be fetched on a day on an outlet's account before its past matters, and at most. The
/// first is four times what a large agency needs: 3,000 pages a day of 290 kB, the mean of today's news
/// pages. The last is what pages of half a mebibyte come to, one a second all day.
const BYTES: (i64, i64) = (4 << 30, 40 << 30);
/// Entries of an outlet that wait, of the last [`MEMORY`] days, beyond which its feeds bring no more.
const PENDING: i64 = 50_000;
/// Days before today that tell what is usual for an outlet, and days that are looked back for what waits.
pub const WEEK: i64 = 7;
pub const MEMORY: i64 = 30;

/// Whose entries a feed brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Of outlets that it speaks for.
    Own,
    /// Of others.
    Foreign,
}

impl Kind {
    pub fn of(self, brought: Brought) -> i64 {
        match self {
            Kind::Own => brought.own,
            Kind::Foreign => brought.foreign,
        }
    }

    /// What every feed may bring on a day, and what it may bring at most, however much it has brought
    /// before.
    fn of_a_feed(self) -> (u32, u32) {
        match self {
            Kind::Own => (5_000, 50_000),
            Kind::Foreign => (500, 50_000),
        }
    }

    /// The same of all feeds of an outlet together.
    fn of_an_outlet(self) -> (i64, i64) {
        match self {
            Kind::Own => (20_000, 100_000),
            Kind::Foreign => (1_000, 50_000),
        }
    }
}

/// The budget on the day of `at`: when a day is over, it counts among the usual ones.
pub fn on_day(budget: Budget, at: Millis) -> Budget {
    let day = at.div_euclid(DAY);
    if day <= budget.day {
        return budget;
    }
    // A quarter of the way to the last day's: a burst raises the next budget by half at most.
    let roll = |taken: Taken| {
        let usual = (3 * u64::from(taken.usual) + u64::from(taken.today)).div_ceil(4);
        Taken { usual: u32::try_from(usual).unwrap_or(u32::MAX), ..Taken::default() }
    };
    Budget { day, own: roll(budget.own), foreign: roll(budget.foreign) }
}

/// So many entries the feeds of an outlet may have brought on a day before its past matters.
pub fn unasked(kind: Kind) -> i64 {
    kind.of_an_outlet().0.min(PENDING / MEMORY)
}

/// How many more entries the feeds of an outlet may bring together on a day on which they have brought
/// `today`, after a week that brought `week`, while `pending` of the outlet's entries wait.
pub fn room(kind: Kind, today: i64, week: i64, pending: i64) -> u32 {
    let (least, most) = kind.of_an_outlet();
    let budget = (i64::from(GROWTH) * week / WEEK).clamp(least, most);
    let left = (budget - today).min(PENDING - pending);
    u32::try_from(left.max(0)).unwrap_or(u32::MAX)
}

/// So many bytes may be fetched on a day on an outlet's account after a week in which `week` were. What is
/// asked for beyond waits for the next day.
pub fn bytes(week: i64) -> i64 {
    (i64::from(GROWTH) * (week / WEEK)).clamp(BYTES.0, BYTES.1)
}

/// Are the bytes of a day used up? The week before, as [`bytes`] takes it, is only looked up where so many
/// were fetched that it matters.
pub fn used_up<E>(today: i64, week: impl FnOnce() -> Result<i64, E>) -> Result<bool, E> {
    Ok(today >= BYTES.0 && today >= bytes(week()?))
}

/// Takes so many new entries as the budget of a feed and the `room` of its outlet allow; what is beyond is
/// counted once a day, as often as it is listed. Returns how many are taken, and how many are beyond that
/// were not counted yet.
pub fn take(taken: &mut Taken, kind: Kind, new: usize, room: u32) -> (usize, u32) {
    let (least, most) = kind.of_a_feed();
    let most = taken.usual.saturating_mul(GROWTH).clamp(least, most);
    let left = most.saturating_sub(taken.today).min(room);
    let new = u32::try_from(new).unwrap_or(u32::MAX);
    let taking = new.min(left);
    taken.today = taken.today.saturating_add(taking);
    let beyond = new - taking;
    let uncounted = beyond.saturating_sub(taken.beyond);
    taken.beyond = taken.beyond.max(beyond);
    (taking as usize, uncounted)
}

#[cfg(test)]
mod month;
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_is_counted_once_a_day() {
        let mut taken = Taken::default();
        assert_eq!(take(&mut taken, Kind::Foreign, 400, u32::MAX), (400, 0));
        assert_eq!(take(&mut taken, Kind::Foreign, 300, u32::MAX), (100, 200));
        assert_eq!(take(&mut taken, Kind::Foreign, 200, u32::MAX), (0, 0), "listed again");
        assert_eq!(take(&mut taken, Kind::Foreign, 250, u32::MAX), (0, 50));
        let next = on_day(Budget { day: 7, foreign: taken, ..Budget::default() }, 8 * DAY);
        assert_eq!(next.foreign, Taken { usual: 125, ..Taken::default() });
    }

    /// Whatever is listed, the budget of a day is at most one and a half times that of the day before.
    #[test]
    fn a_flood_opens_its_own_gate_slowly() {
        let mut budget = Budget::default();
        let mut before = 500_usize;
        for day in 1..60 {
            budget = on_day(budget, day * DAY);
            let (took, _) = take(&mut budget.foreign, Kind::Foreign, 1_000_000, u32::MAX);
            assert!(took <= (before * 3).div_ceil(2) + 2 && took <= 50_000, "{took} {before}");
            before = took;
        }
    }

    #[test]
    fn an_outlets_feeds_share_its_room() {
        for (kind, today, week, pending, room) in [
            (Kind::Own, 0, 0, 0, 20_000),
            (Kind::Own, 19_000, 0, 0, 1_000),
            (Kind::Own, 30_000, 0, 0, 0),
            (Kind::Own, 0, 7 * 15_000, 0, 30_000),
            (Kind::Own, 0, 7 * 90_000, 0, 50_000),
            (Kind::Own, 0, 0, 45_000, 5_000),
            (Kind::Own, 0, 0, 80_000, 0),
            (Kind::Foreign, 0, 0, 0, 1_000),
            (Kind::Foreign, 0, 7 * 4_000, 0, 8_000),
        ] {
            assert_eq!(super::room(kind, today, week, pending), room, "{kind:?} {today} {week}");
        }
    }

    /// However many feeds an outlet has and whatever they list: what it may bring grows by less than a
    /// third a day, and ends at what may wait.
    #[test]
    fn many_feeds_open_the_gate_of_their_outlet_slowly() {
        let mut days: Vec<i64> = Vec::new();
        for _ in 0..28 {
            let week: i64 = days.iter().rev().take(7).sum();
            let took = i64::from(super::room(Kind::Own, 0, week, 0));
            let before = days.last().copied().unwrap_or(20_000);
            assert!(3 * took < 4 * before && took <= 50_000, "{took} after {before}");
            days.push(took);
        }
    }

    /// An outlet that has everything fetched that it may: a day comes to at most twice the one before, and
    /// it takes a fortnight to the most there is.
    #[test]
    fn bytes_open_their_own_gate_slowly() {
        let mut days: Vec<i64> = Vec::new();
        for n in 0..60 {
            let week: i64 = days.iter().rev().take(7).sum();
            let most = bytes(week);
            assert!(!used_up(most - 1, || Ok::<_, ()>(week)).unwrap());
            assert!(used_up(most, || Ok::<_, ()>(week)).unwrap());
            let before = days.last().copied().unwrap_or(BYTES.0);
            assert!(most <= 2 * before && most <= BYTES.1, "{most} after {before}");
            assert!(n >= 7 || most <= 2 * BYTES.0, "{most} on day {n}");
            days.push(most);
        }
    }

    #[test]
    fn the_past_is_not_looked_up_for_what_every_outlet_may_cost() {
        let asked = |today| used_up(today, || Err::<i64, _>("asked"));
        assert_eq!(asked(BYTES.0 - 1), Ok(false));
        assert_eq!(asked(BYTES.0), Err("asked"));
    }

    /// A month of outlets as large as news outlets are, by one feed each, with weekends, and one day of so
    /// many times as much: nothing is held back. One of 3,000 entries a day is a large news agency. A page
    /// has 610 kB, which few have, and the feed, polled every five minutes, is never unchanged.
    #[test]
    fn usual_outlets_are_never_held_back() {
        for (per_day, most) in [(5_u32, 50), (60, 20), (400, 6), (1_500, 3), (3_000, 1)] {
            let (mut budget, mut days) = (Budget::default(), Vec::<i64>::new());
            let mut spent = Vec::<i64>::new();
            for day in 1..=31 {
                budget = on_day(budget, day * DAY);
                let weekend = if day % 7 >= 5 { 2 } else { 1 };
                let burst = if day == 20 { most } else { 1 };
                let new = per_day * burst / weekend;
                let week: i64 = days.iter().rev().take(7).sum();
                // Polled every half hour.
                let mut today = 0;
                for _ in 0..48 {
                    let part = new.div_ceil(48) as usize;
                    let room = super::room(Kind::Own, today, week, i64::from(per_day));
                    let (took, beyond) = take(&mut budget.own, Kind::Own, part, room);
                    assert_eq!((took, beyond), (part, 0), "{per_day} on day {day}");
                    today += took as i64;
                }
                days.push(today);
                let bytes = today * 610_000 + 288 * 500_000;
                let week: i64 = spent.iter().rev().take(7).sum();
                let used_up = used_up(bytes, || Ok::<_, ()>(week));
                assert_eq!(used_up, Ok(false), "{per_day} on day {day}");
                spent.push(bytes);
            }
        }
    }
}
