//! Who may compute: pages and feeds are read by as many threads as there are cores, and large
//! documents take turns among themselves, so that no number of them, each at the limits of counted
//! work, keeps ordinary ones waiting. The threads are always the same, so that each reads its next page
//! in the memory of the one before; on a pool that grows, the system clears fresh pages all the time.
//!
//! Must not know: what is computed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Semaphore, oneshot};

/// Bytes from which a document is large. Work is bounded by size, and most news pages are below a
/// third of this.
const LARGE: usize = 1 << 20;

type Job = Box<dyn FnOnce() + Send>;

/// The threads that compute, and the right to one of them.
#[derive(Debug)]
pub(super) struct Cores {
    any: Arc<Semaphore>,
    large: Arc<Semaphore>,
    /// The threads end when it is dropped.
    jobs: Sender<Job>,
}

impl Cores {
    /// For a machine with so many cores: half of them for large documents, and one thread in any
    /// case that reads none.
    pub(super) fn new(cores: usize) -> std::io::Result<Cores> {
        let large = (cores / 2).max(1);
        let any = cores.max(large + 1);
        let (jobs, waiting) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        for n in 0..any {
            let waiting = Arc::clone(&waiting);
            std::thread::Builder::new()
                .name(format!("reader-{n}"))
                .spawn(move || work(&waiting))?;
        }
        Ok(Cores {
            any: Arc::new(Semaphore::new(any)),
            large: Arc::new(Semaphore::new(large)),
            jobs,
        })
    }

    /// Waits for its turn, then starts to work on a document of so many bytes; the result comes when
    /// it is there, or an error if the work panicked. The turn ends with the work, whether or not
    /// anybody waits for it.
    pub(super) async fn start<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        // In this order: what waits for its turn among the large ones holds nothing else. They are
        // never closed, so a permit is never missing.
        let large = match bytes >= LARGE {
            true => self.large.clone().acquire_owned().await.ok(),
            false => None,
        };
        let any = self.any.clone().acquire_owned().await.ok();
        let (result, coming) = oneshot::channel();
        let asks = tracing::Span::current();
        // The threads are there as long as `self`.
        let _ = self.jobs.send(Box::new(move || {
            let turn = (large, any);
            let span = tracing::info_span!(parent: &asks, "read", bytes);
            let done = span.in_scope(|| catch_unwind(AssertUnwindSafe(work)));
            drop(turn);
            if let Ok(done) = done {
                // Nobody may be waiting any more.
                let _ = result.send(done);
            }
        }));
        coming
    }
}

/// Takes one job after another.
fn work(waiting: &Mutex<Receiver<Job>>) {
    loop {
        let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match job {
            Ok(job) => job(),
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn large_documents_leave_room_for_others() {
        for count in [1, 2, 8] {
            let cores = Arc::new(Cores::new(count).unwrap());
            let (begun, begins) = channel();
            let mut ends = Vec::new();
            let mut all = Vec::new();
            // As many as could take every core, all of them at work until they are told to end.
            for _ in 0..count + 1 {
                let (end, ended) = channel::<()>();
                let (cores, begun) = (cores.clone(), begun.clone());
                ends.push(end);
                all.push(tokio::spawn(async move {
                    let work = move || {
                        let _ = begun.send(());
                        let _ = ended.recv();
                    };
                    cores.start(LARGE, work).await.await
                }));
            }
            for _ in 0..(count / 2).max(1) {
                tokio::task::yield_now().await;
                while begins.try_recv().is_err() {
                    tokio::task::yield_now().await;
                }
            }
            let small = cores.start(LARGE - 1, || 7).await.await;
            assert_eq!(small.ok(), Some(7));
            assert!(begins.try_recv().is_err(), "too many large ones at a time");
            let panicked = cores.start(0, || panic!("as expected")).await.await;
            assert!(panicked.is_err());
            assert_eq!(cores.start(0, || 8).await.await.ok(), Some(8), "the thread has survived");
            drop(ends);
            for one in all {
                assert!(matches!(one.await, Ok(Ok(()))));
            }
        }
    }
}
