//! Who of this process waits for a pace key that is in use: a lease is handed to them before it is given
//! back, or whoever leases what is due would always come first.
//!
//! Must not know: stores, what a turn is used for.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot::{Receiver, Sender, channel};

use super::Turn;

/// Those who wait, by pace key; who has waited longest comes first.
#[derive(Default)]
pub(super) struct Waiting(Mutex<HashMap<String, VecDeque<Sender<Turn>>>>);

impl Waiting {
    /// A place in the queue of a pace key; whoever drops it has left.
    pub fn place(&self, pace_key: &str) -> Receiver<Turn> {
        let (sender, receiver) = channel();
        self.all().entry(pace_key.to_owned()).or_default().push_back(sender);
        receiver
    }

    /// Does anybody wait for this pace key?
    pub fn is_awaited(&self, pace_key: &str) -> bool {
        let mut all = self.all();
        let Some(queue) = all.get_mut(pace_key) else { return false };
        queue.retain(|sender| !sender.is_closed());
        let some = !queue.is_empty();
        if !some {
            all.remove(pace_key);
        }
        some
    }

    /// Hands a turn to whoever has waited longest; back if nobody waits.
    pub fn hand(&self, mut turn: Turn) -> Option<Turn> {
        let mut all = self.all();
        while let Some(next) = all.get_mut(&turn.lease.pace_key).and_then(VecDeque::pop_front) {
            match next.send(turn) {
                Ok(()) => return None,
                Err(back) => turn = back,
            }
        }
        all.remove(&turn.lease.pace_key);
        Some(turn)
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, VecDeque<Sender<Turn>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Lease, Pace};

    fn turn(pace_key: &str) -> Turn {
        Turn::new(Lease {
            pace_key: pace_key.to_owned(),
            owner: "w".to_owned(),
            epoch: 1,
            until: 0,
            pace: Pace::default(),
            tasks: Vec::new(),
            suspects: Vec::new(),
        })
    }

    #[test]
    fn turns_go_to_those_who_still_wait_in_their_order() {
        let waiting = Waiting::default();
        assert!(!waiting.is_awaited("a.test"));
        assert!(waiting.hand(turn("a.test")).is_some());
        let (gone, mut first, mut second) =
            (waiting.place("a.test"), waiting.place("a.test"), waiting.place("a.test"));
        drop(gone);
        assert!(waiting.is_awaited("a.test") && !waiting.is_awaited("b.test"));
        assert!(waiting.hand(turn("b.test")).is_some());
        assert!(waiting.hand(turn("a.test")).is_none());
        assert!(first.try_recv().is_ok() && second.try_recv().is_err());
        assert!(waiting.is_awaited("a.test"));
        drop(second);
        assert!(!waiting.is_awaited("a.test"));
        assert!(waiting.hand(turn("a.test")).is_some());
    }
}
