//! Who may keep a connection when there are too many: each client has as many as every other. A
//! newcomer takes the place of whoever has most; a few places beyond are for questions about the
//! crawler's health, and nobody waits for them.
//!
//! Must not know: sockets, HTTP.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// Places beyond the shared ones.
const RESERVE: usize = 64;
/// In place of the moment since when a connection is quiet: a request is being answered …
const ANSWERING: u64 = u64::MAX;
/// … or its answer is on its way.
const LEAVING: u64 = u64::MAX - 1;

/// What a connection may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    All,
    /// Health only: all shared places are taken.
    Health,
}

/// The places of one listener.
pub struct Share {
    places: Mutex<BTreeMap<u64, Place>>,
    most: usize,
    /// Counts seats and moments of quiet.
    moments: AtomicU64,
}

struct Place {
    client: IpAddr,
    lane: Lane,
    state: Arc<State>,
}

/// What is known of a connection while it lasts.
pub struct State {
    /// Since which moment it waits for a request.
    quiet: AtomicU64,
    end: Notify,
    share: Arc<Share>,
}

impl State {
    /// A request has come.
    pub fn answering(&self) {
        self.quiet.store(ANSWERING, Ordering::Relaxed);
    }

    /// Its answer is made.
    pub fn leaving(&self) {
        self.quiet.store(LEAVING, Ordering::Relaxed);
    }

    /// Everything written has left.
    pub fn flushed(&self) {
        let now = self.share.moment();
        // Only an answer's end is news.
        let _ = self.quiet.compare_exchange(LEAVING, now, Ordering::Relaxed, Ordering::Relaxed);
    }

    fn quiet_since(&self) -> Option<u64> {
        Some(self.quiet.load(Ordering::Relaxed)).filter(|since| *since < LEAVING)
    }
}

/// A connection's place; free again when dropped.
pub struct Seat {
    id: u64,
    pub lane: Lane,
    pub state: Arc<State>,
}

impl Seat {
    /// Returns when the place has been given to another.
    pub async fn lost(&self) {
        self.state.end.notified().await;
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.state.share.places().remove(&self.id);
    }
}

impl Share {
    /// `most` places, and the reserve.
    pub fn new(most: usize) -> Arc<Share> {
        Arc::new(Share { places: Mutex::default(), most: most.max(1), moments: AtomicU64::new(0) })
    }

    fn places(&self) -> MutexGuard<'_, BTreeMap<u64, Place>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn moment(&self) -> u64 {
        self.moments.fetch_add(1, Ordering::Relaxed)
    }

    /// A place for a connection of this client; somebody else may lose his for it.
    pub fn sit(self: &Arc<Share>, client: IpAddr) -> Seat {
        let mut places = self.places();
        let shared = places.values().filter(|place| place.lane == Lane::All).count();
        let lane = if shared < self.most {
            Lane::All
        } else if let Some(loser) = loser(&places, client) {
            turn_out(&mut places, loser);
            Lane::All
        } else {
            let reserve: Vec<u64> =
                places.iter().filter(|(_, p)| p.lane == Lane::Health).map(|(id, _)| *id).collect();
            if let Some(oldest) = reserve.first().filter(|_| reserve.len() >= RESERVE) {
                turn_out(&mut places, *oldest);
            }
            Lane::Health
        };
        let id = self.moment();
        let state =
            Arc::new(State { quiet: AtomicU64::new(id), end: Notify::new(), share: self.clone() });
        places.insert(id, Place { client, lane, state: state.clone() });
        Seat { id, lane, state }
    }
}

fn turn_out(places: &mut BTreeMap<u64, Place>, id: u64) {
    if let Some(place) = places.remove(&id) {
        place.state.end.notify_one();
    }
}

/// Whose place a newcomer gets: of the client with most, the connection that has been quiet for
/// longest; one that is being answered only if that client has two more than the newcomer.
fn loser(places: &BTreeMap<u64, Place>, newcomer: IpAddr) -> Option<u64> {
    let mut counts: HashMap<IpAddr, usize> = HashMap::new();
    for place in places.values().filter(|place| place.lane == Lane::All) {
        *counts.entry(place.client).or_default() += 1;
    }
    let own = counts.get(&newcomer).copied().unwrap_or(0);
    // Among equals the newcomer itself.
    let (rich, most) =
        counts.into_iter().max_by_key(|(client, n)| (*n, *client == newcomer, *client))?;
    let theirs = || places.iter().filter(|(_, p)| p.lane == Lane::All && p.client == rich);
    let quiet = theirs()
        .filter_map(|(id, place)| Some((place.state.quiet_since()?, *id)))
        .min()
        .map(|(_, id)| id);
    quiet.or_else(|| theirs().map(|(id, _)| *id).next().filter(|_| most > own + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(n: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, n])
    }

    fn held(share: &Share, client: IpAddr) -> usize {
        share.places().values().filter(|p| p.client == client && p.lane == Lane::All).count()
    }

    #[test]
    fn a_crowd_of_one_client_leaves_the_others_their_places() {
        let share = Share::new(8);
        let guest = share.sit(address(1));
        let crowd: Vec<Seat> = (0..1_000).map(|_| share.sit(address(2))).collect();
        assert_eq!((held(&share, address(1)), held(&share, address(2))), (1, 7));
        let more: Vec<Seat> = (0..3).map(|_| share.sit(address(1))).collect();
        assert!(more.iter().all(|seat| seat.lane == Lane::All));
        assert_eq!((held(&share, address(1)), held(&share, address(2))), (4, 4));
        drop((guest, more, crowd));
        assert!(share.places().is_empty());
    }

    #[test]
    fn who_is_being_answered_stays_and_newcomers_are_heard_about_health() {
        let share = Share::new(3);
        let busy: Vec<Seat> = (0..3).map(|_| share.sit(address(1))).collect();
        busy.iter().for_each(|seat| seat.state.answering());
        let late: Vec<Seat> = (0..200).map(|_| share.sit(address(1))).collect();
        assert!(late.iter().all(|seat| seat.lane == Lane::Health));
        assert_eq!(share.places().len(), 3 + RESERVE);
        // An answer that has left makes room again.
        busy[1].state.leaving();
        assert_eq!(share.sit(address(1)).lane, Lane::Health);
        busy[1].state.flushed();
        assert_eq!(share.sit(address(1)).lane, Lane::All);
        assert_eq!(held(&share, address(1)), 2);
    }

    #[test]
    fn the_longest_quiet_goes_first() {
        let share = Share::new(2);
        let [first, second] = [share.sit(address(1)), share.sit(address(1))];
        first.state.answering();
        first.state.leaving();
        first.state.flushed();
        let _third = share.sit(address(1));
        assert!(share.places().contains_key(&first.id));
        assert!(!share.places().contains_key(&second.id));
    }

    proptest::proptest! {
        /// However they come and go, only who has most loses a place, and to nobody who has more.
        #[test]
        fn shares_are_even(steps in proptest::collection::vec((0u8..4, proptest::bool::ANY), 1..80)) {
            let share = Share::new(6);
            let mut seats: Vec<(u8, Seat)> = Vec::new();
            let counts = || (0..4).map(|n| held(&share, address(n))).collect::<Vec<usize>>();
            for (who, leaves) in steps {
                if leaves {
                    if let Some(at) = seats.iter().position(|(n, _)| *n == who) {
                        seats.remove(at);
                    }
                    continue;
                }
                let before = counts();
                let seat = share.sit(address(who));
                proptest::prop_assert_eq!(seat.lane, Lane::All);
                seats.push((who, seat));
                let (after, who) = (counts(), usize::from(who));
                let most = before.iter().max().copied().unwrap_or(0);
                for n in 0..4 {
                    let gained = usize::from(n == who);
                    if after[n] < before[n] + gained {
                        proptest::prop_assert!(before.iter().sum::<usize>() == 6);
                        proptest::prop_assert!(before[n] == most && before[who] <= most);
                    }
                }
                proptest::prop_assert!(after.iter().sum::<usize>() <= 6);
                seats.retain(|(_, seat)| share.places().contains_key(&seat.id));
            }
        }
    }
}
