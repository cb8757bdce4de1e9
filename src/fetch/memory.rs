//! How much memory all bodies together may take. Every body begins with a small share, so that many
//! slow answers do not keep the others from being asked for; the few that outgrow it wait for the
//! whole of their cap.
//!
//! Must not know: sockets, codings.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::model::Failure;

/// Bodies that can begin at the same time, at least.
const BEGINNINGS: usize = 64;

/// The budget; one permit is a KiB.
#[derive(Clone, Debug)]
pub struct Memory {
    beginnings: Arc<Semaphore>,
    rests: Arc<Semaphore>,
    /// KiB that a body begins with.
    share: u32,
}

/// What one body holds of it; given back when dropped.
#[derive(Debug)]
pub struct Reservation {
    beginning: OwnedSemaphorePermit,
    rest: Option<OwnedSemaphorePermit>,
    /// Largest size of the body, KiB.
    cap: u32,
}

impl Memory {
    /// A budget of so many bytes.
    pub fn new(bytes: usize) -> Memory {
        let half = kib(bytes / 2) as usize;
        Memory {
            beginnings: Arc::new(Semaphore::new(half)),
            rests: Arc::new(Semaphore::new(half)),
            share: kib(bytes / 2 / BEGINNINGS).max(1),
        }
    }

    /// Waits for the share that a body with this cap, in bytes, begins with.
    pub async fn begin(&self, cap: usize) -> Result<Reservation, Failure> {
        let cap = kib(cap);
        let beginning = acquire(&self.beginnings, self.share.min(cap)).await?;
        Ok(Reservation { beginning, rest: None, cap })
    }

    /// Waits for the rest of the cap if a body of this size, in bytes, has outgrown its share. It
    /// can be larger than that by what one slice decodes to.
    pub async fn grow(&self, reserved: &mut Reservation, bytes: usize) -> Result<(), Failure> {
        let share = reserved.beginning.num_permits();
        if reserved.rest.is_none() && kib(bytes) as usize > share {
            let rest = reserved.cap.saturating_sub(u32::try_from(share).unwrap_or(u32::MAX));
            reserved.rest = Some(acquire(&self.rests, rest).await?);
        }
        Ok(())
    }

    /// KiB that nobody holds.
    #[cfg(test)]
    pub fn free(&self) -> (usize, usize) {
        (self.beginnings.available_permits(), self.rests.available_permits())
    }
}

async fn acquire(from: &Arc<Semaphore>, kib: u32) -> Result<OwnedSemaphorePermit, Failure> {
    // It is never closed.
    from.clone().acquire_many_owned(kib).await.map_err(|e| Failure::Connect(e.to_string()))
}

impl Reservation {
    /// Gives back what a whole body of this size, in bytes, does not take.
    pub fn shrink(&mut self, bytes: usize) {
        let need = kib(bytes) as usize;
        let beginning = self.beginning.num_permits();
        drop(self.beginning.split(beginning.saturating_sub(need)));
        if let Some(rest) = &mut self.rest {
            drop(rest.split(rest.num_permits().saturating_sub(need.saturating_sub(beginning))));
        }
    }
}

/// Permits for so many bytes.
fn kib(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX)
}
