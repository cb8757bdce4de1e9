//! A connection that must be read: its answers leave at a smallest pace, or it ends. Bytes that are
//! taken one by one prolong nothing.
//!
//! Must not know: HTTP.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use super::share::State;

/// The slowest reader that is waited for, bytes a second.
pub const SLOWEST: u64 = 8 << 10;

/// A stream whose other end has to keep reading.
pub struct Paced<S> {
    stream: S,
    state: Option<Arc<State>>,
    patience: Duration,
    /// Since the last time that everything had left: bytes taken, and time spent waiting.
    taken: u64,
    waited: Duration,
    /// Since when a write is waiting, and when that ends.
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl<S> Paced<S> {
    pub fn new(stream: S, patience: Duration, state: Option<Arc<State>>) -> Paced<S> {
        Paced { stream, state, patience, taken: 0, waited: Duration::ZERO, waiting: None }
    }

    /// Waiting beyond patience and the bytes' own time is an error.
    fn watch<T>(&mut self, cx: &mut Context<'_>, poll: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if poll.is_ready() {
            if let Some((since, _)) = self.waiting.take() {
                self.waited += since.elapsed();
            }
            return poll;
        }
        let allowed = self.patience + Duration::from_millis(self.taken * 1_000 / SLOWEST);
        let left = allowed.saturating_sub(self.waited);
        let (_, end) = self
            .waiting
            .get_or_insert_with(|| (Instant::now(), Box::pin(tokio::time::sleep(left))));
        ready!(end.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write(cx, buf);
        if let Poll::Ready(Ok(n)) = &poll {
            self.taken = self.taken.saturating_add(*n as u64);
        }
        self.watch(cx, poll)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.stream).poll_flush(cx);
        let poll = self.watch(cx, poll);
        if let Poll::Ready(Ok(())) = &poll {
            (self.taken, self.waited) = (0, Duration::ZERO);
            if let Some(state) = &self.state {
                state.flushed();
            }
        }
        poll
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.watch(cx, poll)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    const PATIENCE: Duration = Duration::from_millis(50);

    #[tokio::test]
    async fn a_reader_that_stops_reading_ends() {
        let (_there, here) = tokio::io::duplex(4);
        let mut paced = Paced::new(here, PATIENCE, None);
        let error = paced.write_all(b"more than four").await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn a_reader_that_trickles_ends_and_one_that_reads_on_does_not() {
        for (bytes, pause, fits) in
            [(2, Duration::from_millis(5), false), (1 << 12, Duration::ZERO, true)]
        {
            let (mut there, here) = tokio::io::duplex(1 << 10);
            let mut paced = Paced::new(here, PATIENCE, None);
            let reader = tokio::spawn(async move {
                let mut some = vec![0; bytes];
                while there.read_exact(&mut some).await.is_ok() {
                    tokio::time::sleep(pause).await;
                }
            });
            let written = paced.write_all(&vec![0; 1 << 20]).await;
            assert_eq!(written.is_ok(), fits, "{bytes} bytes at a time");
            drop(paced);
            reader.await.unwrap();
        }
    }
}
