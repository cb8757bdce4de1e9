//! The accepting side: a bounded number of connections, none of which may sit idle.
//!
//! Must not know: HTTP.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep};

/// Connections open at the same time; more wait in the kernel's queue.
const CONNECTIONS: usize = 128;
/// A connection on which no byte moves for so long is closed. Longer than any answer takes.
const IDLE: Duration = Duration::from_secs(40);

/// A listener whose connections are counted and watched.
pub(super) struct Bounded {
    listener: TcpListener,
    free: Arc<Semaphore>,
}

impl Bounded {
    pub(super) fn new(listener: TcpListener) -> Bounded {
        Bounded { listener, free: Arc::new(Semaphore::new(CONNECTIONS)) }
    }
}

impl Listener for Bounded {
    type Io = Watched<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, SocketAddr) {
        // The semaphore is never closed; without a permit the connection would only not be counted.
        let permit = self.free.clone().acquire_owned().await.ok();
        let (stream, from) = Listener::accept(&mut self.listener).await;
        (Watched::new(stream, permit, IDLE), from)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A stream that ends with an error when it has been idle for too long.
pub(super) struct Watched<S> {
    stream: S,
    idle: Pin<Box<Sleep>>,
    patience: Duration,
    _permit: Option<OwnedSemaphorePermit>,
}

impl<S> Watched<S> {
    fn new(stream: S, permit: Option<OwnedSemaphorePermit>, patience: Duration) -> Watched<S> {
        let idle = Box::pin(tokio::time::sleep(patience));
        Watched { stream, idle, patience, _permit: permit }
    }

    /// Progress moves the end of patience; waiting beyond it is an error.
    fn watch<T>(&mut self, cx: &mut Context<'_>, poll: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        match poll {
            Poll::Ready(done) => {
                self.idle.as_mut().reset(Instant::now() + self.patience);
                Poll::Ready(done)
            }
            Poll::Pending => {
                ready!(self.idle.as_mut().poll(cx));
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.stream).poll_read(cx, buf);
        self.watch(cx, poll)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.watch(cx, poll)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.stream).poll_flush(cx);
        self.watch(cx, poll)
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

    #[tokio::test]
    async fn silence_ends_a_connection() {
        let (mut there, here) = tokio::io::duplex(64);
        let mut watched = Watched::new(here, None, Duration::from_millis(5));
        there.write_all(b"ab").await.unwrap();
        let mut two = [0; 2];
        watched.read_exact(&mut two).await.unwrap();
        assert_eq!(&two, b"ab");
        let error = watched.read_exact(&mut two).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn a_reader_that_stops_reading_ends_too() {
        let (_there, here) = tokio::io::duplex(4);
        let mut watched = Watched::new(here, None, Duration::from_millis(5));
        let error = watched.write_all(b"more than four").await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }
}
