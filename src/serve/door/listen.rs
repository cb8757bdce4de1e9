//! The accepting side: every connection gets a place, a protocol with deadlines, and an end.
//!
//! Must not know: routes, what is answered.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tower_service::Service;

use super::client::{Peer, client};
use super::share::{Seat, Share};
use super::stream::Paced;
use super::{Deadlines, Door};

/// Longest head of a request, bytes.
const HEAD: usize = 16 << 10;
/// How long requests under way may take to finish after a stop.
const GRACE: Duration = Duration::from_secs(3);
/// Pause after a connection could not be accepted: mostly no file descriptor is left.
const PAUSE: Duration = Duration::from_millis(200);

/// Serves until `stop` turns true; requests under way are finished first, for a few seconds.
pub async fn listen(
    listener: TcpListener,
    router: Router,
    door: Arc<Door>,
    mut stop: watch::Receiver<bool>,
) {
    let share = Share::new(door.settings.clients.connections);
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = wait(&mut stop) => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, from)) => {
                    let seat = share.sit(client(from.ip()));
                    let tls = door.settings.tls.as_ref().map(|certificates| certificates.acceptor());
                    let peer =
                        Peer { address: from.ip(), lane: seat.lane, encrypted: tls.is_some() };
                    let (router, deadlines) = (router.clone(), door.settings.deadlines);
                    connections.spawn(connection(stream, tls, seat, peer, router, deadlines, stop.clone()));
                }
                // Whoever went before he was greeted.
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionAborted => {}
                Err(error) => {
                    tracing::warn!(%error, "a connection cannot be accepted");
                    tokio::time::sleep(PAUSE).await;
                }
            },
        }
    }
    drop(listener);
    // What is not done by then is cut off.
    let _ = tokio::time::timeout(GRACE, async { while connections.join_next().await.is_some() {} })
        .await;
}

/// Returns when the value is true or can no longer become true.
async fn wait(stop: &mut watch::Receiver<bool>) {
    // An error means that the sender has gone: the daemon is ending.
    let _ = stop.wait_for(|stop| *stop).await;
}

async fn connection(
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    seat: Seat,
    peer: Peer,
    router: Router,
    deadlines: Deadlines,
    stop: watch::Receiver<bool>,
) {
    // Without it small answers may wait for an acknowledgement; nothing else depends on it.
    let _ = stream.set_nodelay(true);
    let Some(tls) = tls else { return exchange(stream, seat, peer, router, deadlines, stop).await };
    let greeted = tokio::select! {
        greeted = tokio::time::timeout(deadlines.head, tls.accept(stream)) => greeted,
        () = seat.lost() => return,
    };
    // Who speaks no TLS, or none that we do, has come to the wrong door.
    if let Ok(Ok(stream)) = greeted {
        exchange(stream, seat, peer, router, deadlines, stop).await;
    }
}

async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    seat: Seat,
    peer: Peer,
    router: Router,
    deadlines: Deadlines,
    mut stop: watch::Receiver<bool>,
) {
    let state = seat.state.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        state.answering();
        request.extensions_mut().insert(peer);
        let (mut router, state) = (router.clone(), state.clone());
        async move {
            let answer = router.call(request).await;
            state.leaving();
            answer
        }
    });
    let stream = Paced::new(stream, deadlines.answer, Some(seat.state.clone()));
    // The deadline of a head runs from the last answer on: it ends idle connections, too.
    let exchange = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(deadlines.head)
        .max_buf_size(HEAD)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(exchange);
    // How a connection ends is its client's affair.
    tokio::select! {
        _ = exchange.as_mut() => {}
        () = seat.lost() => {}
        () = wait(&mut stop) => {
            exchange.as_mut().graceful_shutdown();
            let _ = exchange.await;
        }
    }
}
