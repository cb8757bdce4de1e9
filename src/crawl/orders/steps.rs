//! How far an order is, and whether whoever gave it still wants it: one end is held by who works, the
//! other by who looks on.
//!
//! Must not know: orders, who looks on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// The steps of one order; clones are about the same one.
#[derive(Clone, Debug, Default)]
pub struct Steps(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    done: AtomicU64,
    /// 0: not known.
    all: AtomicU64,
    cancelled: AtomicBool,
}

/// Whoever gave the order has taken it back, and nothing was changed by what was done of it so far, or
/// what was changed is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the order was cancelled")]
pub struct Cancelled;

impl Steps {
    /// There are about so many.
    pub fn expect(&self, all: u64) {
        self.0.all.store(all, Relaxed);
    }

    /// One has been done.
    ///
    /// # Errors
    /// There shall be no more.
    pub fn step(&self) -> Result<(), Cancelled> {
        self.0.done.fetch_add(1, Relaxed);
        self.go_on()
    }

    /// Is the order still wanted?
    ///
    /// # Errors
    /// It is not.
    pub fn go_on(&self) -> Result<(), Cancelled> {
        if self.0.cancelled.load(Relaxed) { Err(Cancelled) } else { Ok(()) }
    }

    /// Takes the order back. One that is past its last step ends all the same.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Relaxed);
    }

    /// How many were done, and of how many.
    pub fn read(&self) -> (u64, Option<u64>) {
        let (done, all) = (self.0.done.load(Relaxed), self.0.all.load(Relaxed));
        (done, (all > 0).then_some(all.max(done)))
    }
}
