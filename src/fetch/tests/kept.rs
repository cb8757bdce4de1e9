//! Connections that are kept for the next request, and closed by the other end.

use super::*;

/// Whatever else goes wrong, on a kept connection or a new one, never makes us ask twice.
#[tokio::test]
async fn nothing_is_asked_twice() {
    let good = || ok("", b"x");
    for second in [
        vec![raw("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab"), Close],
        vec![raw("HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n")],
        vec![raw("no http\r\n\r\n"), Close],
    ] {
        let server = Server::start(vec![good(), second, good()]).await;
        let fetcher = fetcher(&small());
        let url = server.url("/");
        assert_eq!(fetcher.get(Request::new(&url, Kind::Page)).await.unwrap().status, 200);
        let second = fetcher.get(Request::new(&url, Kind::Page)).await;
        assert!(second.is_err() || second.is_ok_and(|r| r.status == 503));
        assert_eq!(server.heads().len(), 2);
    }
    for first in [vec![Close], vec![Reset], vec![raw("HTTP/1.1 200"), Close]] {
        let server = Server::start(vec![first, good()]).await;
        let url = server.url("/");
        let got = fetcher(&small()).get(Request::new(&url, Kind::Page)).await;
        assert!(matches!(got, Err(FetchError::Failed(Failure::Reset(_)))), "{got:?}");
        assert_eq!(server.heads().len(), 1);
    }
}

/// A server that closes a kept connection while we ask over it is asked once more, over a new one, and only by GET.
#[tokio::test]
async fn a_kept_connection_that_closes_fails_no_request() {
    let good = || ok("", b"x");
    for closing in [vec![Close], vec![Reset], vec![raw("HTTP/1.1 200"), Close]] {
        let server = Server::start(vec![good(), closing.clone(), good()]).await;
        let fetcher = fetcher(&small());
        let url = server.url("/");
        for _ in 0..2 {
            assert_eq!(fetcher.get(Request::new(&url, Kind::Page)).await.unwrap().status, 200);
        }
        assert_eq!(server.heads().len(), 3);
        assert_eq!(server.connections.load(Ordering::SeqCst), 2);
        // It is not asked over a kept one any more.
        for n in 4..6 {
            fetcher.get(Request::new(&url, Kind::Page)).await.unwrap();
            assert_eq!(server.heads().len(), n);
            assert!(server.heads()[n - 1].contains("connection: close"));
        }

        // The new one breaks, too: that is the answer.
        let server = Server::start(vec![good(), closing.clone(), vec![Close]]).await;
        let url = server.url("/");
        fetcher.get(Request::new(&url, Kind::Page)).await.unwrap();
        let got = fetcher.get(Request::new(&url, Kind::Page)).await;
        assert!(matches!(got, Err(FetchError::Failed(Failure::Reset(_)))), "{got:?}");
        assert_eq!(server.heads().len(), 3);

        // What changes something is not repeated.
        let server = Server::start(vec![good(), closing, good()]).await;
        let url = server.url("/");
        fetcher.get(Request::new(&url, Kind::Page)).await.unwrap();
        let form = Request { form: Some("a=b"), ..Request::new(&url, Kind::Hub) };
        assert!(fetcher.get(form).await.is_err());
        assert_eq!(server.heads().len(), 2);
    }
    // Closed while idle, whether we have noticed or not.
    let server = Server::start(vec![[good(), vec![Close]].concat()]).await;
    let fetcher = fetcher(&small());
    let url = server.url("/");
    for n in 1..=3 {
        fetcher.get(Request::new(&url, Kind::Page)).await.unwrap();
        assert_eq!(server.heads().len(), n);
    }
}
