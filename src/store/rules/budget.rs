//! How many new entries a feed may bring on a day. What an outlet lists costs requests and disk, so
//! nobody lists as much as they like; the budget grows with what a feed brings on usual days.
//!
//! Must not know: where feeds and entries are kept.

use crate::model::{Budget, DAY, Millis, Taken};

/// Entries that every feed may bring on a day, of outlets that it speaks for and of others.
const OWN: u32 = 5_000;
const FOREIGN: u32 = 500;
/// So many times a usual day's may be brought.
const GROWTH: u32 = 2;
/// However much a feed has brought before.
const MOST: u32 = 50_000;

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

/// Takes so many new entries as the budget allows; what is beyond is counted once a day, as often as
/// it is listed. Returns how many are taken, and how many are beyond that were not counted yet.
pub fn take(taken: &mut Taken, foreign: bool, new: usize) -> (usize, u32) {
    let least = if foreign { FOREIGN } else { OWN };
    let most = taken.usual.saturating_mul(GROWTH).clamp(least, MOST);
    let left = most.saturating_sub(taken.today);
    let new = u32::try_from(new).unwrap_or(u32::MAX);
    let taking = new.min(left);
    taken.today = taken.today.saturating_add(taking);
    let beyond = new - taking;
    let uncounted = beyond.saturating_sub(taken.beyond);
    taken.beyond = taken.beyond.max(beyond);
    (taking as usize, uncounted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_is_counted_once_a_day() {
        let mut taken = Taken::default();
        assert_eq!(take(&mut taken, true, 400), (400, 0));
        assert_eq!(take(&mut taken, true, 300), (100, 200));
        assert_eq!(take(&mut taken, true, 200), (0, 0), "listed again");
        assert_eq!(take(&mut taken, true, 250), (0, 50));
        let next = on_day(Budget { day: 7, foreign: taken, ..Budget::default() }, 8 * DAY);
        assert_eq!(next.foreign, Taken { usual: 125, ..Taken::default() });
    }

    /// Whatever is listed, the budget of a day is at most one and a half times that of the day before.
    #[test]
    fn a_flood_opens_its_own_gate_slowly() {
        let mut budget = Budget::default();
        let mut before = FOREIGN as usize;
        for day in 1..60 {
            budget = on_day(budget, day * DAY);
            let (took, _) = take(&mut budget.foreign, true, 1_000_000);
            assert!(
                took <= (before * 3).div_ceil(2) + 2 && took <= MOST as usize,
                "{took} {before}"
            );
            before = took;
        }
    }
}
