//! How many bytes of bodies are held at the same time. A body takes up only what has come of it, so
//! that whoever sends slowly keeps nobody waiting.
//!
//! Must not know: what bodies are for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::http::header;
use futures::StreamExt;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::body;
use super::problem::Problem;

/// How long it is waited for room, or for a turn.
const WAIT: Duration = Duration::from_secs(if cfg!(test) { 0 } else { 5 });

/// Room for bodies, a permit per byte.
pub(super) struct Room(Semaphore);

/// What a body has taken up; given back when it is dropped.
pub(super) struct Held {
    room: Arc<Room>,
    bytes: AtomicUsize,
    /// There was none for the rest.
    full: AtomicBool,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.room.0.add_permits(self.bytes.load(Ordering::Relaxed));
    }
}

impl Room {
    pub(super) fn of(bytes: usize) -> Arc<Room> {
        Arc::new(Room(Semaphore::new(bytes.min(Semaphore::MAX_PERMITS))))
    }

    /// Reads a body of at most so many bytes, piece by piece as there is room.
    ///
    /// # Errors
    /// Those of [`body::read`]; 503 if there is no room.
    pub(super) async fn read(
        self: &Arc<Room>,
        body: Body,
        most: usize,
        deadline: Duration,
    ) -> Result<(Vec<u8>, Arc<Held>), Problem> {
        let (bytes, full) = (AtomicUsize::new(0), AtomicBool::new(false));
        let held = Arc::new(Held { room: self.clone(), bytes, full });
        let taking = held.clone();
        let pieces = body.into_data_stream().then(move |piece| {
            let held = taking.clone();
            async move {
                let piece = piece?;
                let wanted = u32::try_from(piece.len()).unwrap_or(u32::MAX);
                let taken = tokio::time::timeout(WAIT, held.room.0.acquire_many(wanted)).await;
                let Ok(Ok(permits)) = taken else {
                    held.full.store(true, Ordering::Relaxed);
                    return Err(axum::Error::new("there is no room"));
                };
                permits.forget();
                held.bytes.fetch_add(piece.len(), Ordering::Relaxed);
                Ok(piece)
            }
        });
        let read = body::read(Body::from_stream(pieces), most, deadline).await;
        if held.full.load(Ordering::Relaxed) {
            return Err(busy());
        }
        Ok((read?, held))
    }
}

/// Waits for a turn.
///
/// # Errors
/// 503: it takes too long.
pub(super) async fn turn(turns: &Semaphore) -> Result<SemaphorePermit<'_>, Problem> {
    match tokio::time::timeout(WAIT, turns.acquire()).await {
        Ok(Ok(turn)) => Ok(turn),
        _ => Err(busy()),
    }
}

fn busy() -> Problem {
    let sentence = "too much is being read for others: send it again in a few seconds";
    Problem::unavailable(sentence).with(header::RETRY_AFTER, WAIT.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_finds_no_room_is_told_when_to_come_again_and_gives_back_what_it_took() {
        let room = Room::of(8);
        let read = async |text: &'static str| {
            let read = room.read(Body::from(text), 100, Duration::from_secs(600)).await;
            read.map_err(|refused| refused.status().as_u16())
        };
        let (bytes, held) = read("12345").await.expect("there is room");
        assert_eq!(bytes, b"12345");
        assert_eq!(read("6789").await.map(|(bytes, _)| bytes), Err(503));
        assert!(read("678").await.is_ok());
        drop(held);
        assert!(read("12345678").await.is_ok());
        assert_eq!(room.0.available_permits(), 8);
        assert_eq!(turn(&Semaphore::new(0)).await.err().map(|r| r.status().as_u16()), Some(503));
    }
}
