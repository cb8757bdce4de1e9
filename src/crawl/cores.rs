//! Who may compute: pages and feeds are read on the blocking pool, at most so many at a time as there
//! are cores, and large documents take turns among themselves, so that no number of them, each at the
//! limits of counted work, keeps ordinary ones waiting.
//!
//! Must not know: what is computed.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// Bytes from which a document is large. Work is bounded by size, and most news pages are below a
/// third of this.
const LARGE: usize = 1 << 20;

/// The right to compute.
#[derive(Debug)]
pub(super) struct Cores {
    any: Arc<Semaphore>,
    large: Arc<Semaphore>,
}

impl Cores {
    /// For a machine with so many cores: half of them for large documents, and one computation in
    /// any case that is none.
    pub(super) fn new(cores: usize) -> Cores {
        let large = (cores / 2).max(1);
        let any = cores.max(large + 1);
        Cores { any: Arc::new(Semaphore::new(any)), large: Arc::new(Semaphore::new(large)) }
    }

    /// Waits for its turn, then starts to work on a document of so many bytes. The turn ends with the
    /// work, whether or not anybody waits for it.
    pub(super) async fn start<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> JoinHandle<T> {
        // In this order: what waits for its turn among the large ones holds nothing else. They are
        // never closed, so a permit is never missing.
        let large = match bytes >= LARGE {
            true => self.large.clone().acquire_owned().await.ok(),
            false => None,
        };
        let any = self.any.clone().acquire_owned().await.ok();
        tokio::task::spawn_blocking(move || {
            let _turn = (large, any);
            work()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[tokio::test]
    async fn large_documents_leave_room_for_others() {
        for count in [1, 2, 8] {
            let cores = Arc::new(Cores::new(count));
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
            drop(ends);
            for one in all {
                assert!(matches!(one.await, Ok(Ok(()))));
            }
        }
    }
}
