//! What a redirect leads to is waited for in place, since whoever puts it off begins anew with the redirect. Only so long,
//! by so many at the same time, and until all are to stop.
//!
//! Must not know: what is waited for, who says that all are to stop.

use std::sync::Arc;

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::crawl::clock::{self, now};
use crate::model::{Failure, MINUTE, Millis};

use super::{ASK, Denied, Turn};

/// The redirects of a task wait so long for their hosts, all together.
const LONGEST: Millis = 5 * MINUTE;

/// Says whether whoever waits is to stop.
pub type Stop = Arc<dyn Fn() -> bool + Send + Sync>;

/// The places of those who wait.
pub(super) struct UnderWay {
    places: Semaphore,
    /// So many are kept for what outlets list of their own.
    kept: usize,
}

impl UnderWay {
    /// Places for a quarter of the workers: the others go on however many hosts ask for long delays.
    pub fn new(workers: usize) -> UnderWay {
        let places = (workers / 4).max(1);
        UnderWay { places: Semaphore::new(places), kept: places / 2 }
    }

    /// A place to wait so long. Without one this was an attempt: else the redirect might be asked for without end.
    pub fn place(&self, turn: &mut Turn, wait: Millis) -> Result<SemaphorePermit<'_>, Denied> {
        turn.waited = turn.waited.saturating_add(wait);
        let is_room = !turn.hearsay || self.places.available_permits() > self.kept;
        let place = self.places.try_acquire().ok().filter(|_| is_room && turn.waited <= LONGEST);
        place.ok_or(Denied::Failed(Failure::WaitTooLong))
    }
}

impl Turn {
    /// Is whoever uses it to stop waiting?
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop())
    }

    /// Waits so long, or is put off.
    pub(super) async fn pass(&self, wait: Millis) -> Result<(), Denied> {
        let until = now().saturating_add(wait);
        while now() < until {
            if self.is_stopped() {
                return Err(Denied::paused(until));
            }
            clock::sleep(ASK.min(until - now())).await;
        }
        Ok(())
    }
}
