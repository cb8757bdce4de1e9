//! Answers HTTP requests from a [`Web`] and logs them. One address for all outlets: the `Host`
//! header says which one is meant.

use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Uri, header};
use axum::response::Response;
use futures::stream;
use tokio::net::TcpListener;

use super::request::Request;
use super::site::{Body, Reply, Web};
use crate::model::Millis;

/// Bytes given to the connection at a time.
const CHUNK: usize = 64 * 1024;
/// All feeds changed last at this instant, as far as `Last-Modified` is concerned.
const MODIFIED: &str = "Sat, 14 Nov 2026 20:00:00 GMT";

/// Serves until `shutdown` resolves. Errors are the listener's.
pub async fn serve(
    listener: TcpListener,
    web: Arc<Web>,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let app = Router::new().fallback(answer).with_state(web);
    axum::serve(listener, app).with_graceful_shutdown(shutdown).await
}

/// A line of the log whose request is under way.
struct Line {
    web: Arc<Web>,
    number: usize,
}

impl Line {
    /// The last byte has been handed over.
    fn close(&self) {
        self.web.log_change(self.number, |request| {
            request.end.get_or_insert_with(now);
        });
    }
}

impl Drop for Line {
    /// The client went away before the end. When it did is seen late from here, on a busy machine by
    /// as much as its whole delay, so that what is known is only that it had come.
    fn drop(&mut self) {
        self.web.log_change(self.number, |request| {
            request.end.get_or_insert(request.start);
        });
    }
}

async fn answer(State(web): State<Arc<Web>>, uri: Uri, headers: HeaderMap) -> Response {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let host = text(header::HOST);
    let host = host.rsplit_once(':').map_or(host, |(name, _)| name).to_ascii_lowercase();
    let path = uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let number = web.log_start(Request {
        start: now(),
        end: None,
        host: host.clone(),
        path: path.clone(),
        status: 0,
        user_agent: text(header::USER_AGENT).to_owned(),
    });
    let line = Line { web: Arc::clone(&web), number };
    let Some(reply) = web.reply(&host, &path).or_else(|| web.reply(&host, &untracked(&path)))
    else {
        return finish(line, Response::builder(), 404, Bytes::from_static(b"not found\n"), 1);
    };
    let mut response = Response::builder();
    if let Some(kind) = &reply.content_type {
        response = response.header(header::CONTENT_TYPE, kind);
    }
    if let Some(target) = &reply.location {
        response = response.header(header::LOCATION, target);
    }
    let (chunk, times) = match body_of(reply).await {
        Ok(body) => body,
        Err(error) => {
            let error = Bytes::from(error.to_string());
            return finish(line, Response::builder(), 500, error, 1);
        }
    };
    if reply.validators {
        let tag = tag_of(&chunk);
        let unchanged = match text(header::IF_NONE_MATCH) {
            "" => text(header::IF_MODIFIED_SINCE) == MODIFIED,
            // RFC 9110 §13.1.3: If-Modified-Since is ignored beside If-None-Match.
            known => known == tag,
        };
        response = response.header(header::ETAG, tag).header(header::LAST_MODIFIED, MODIFIED);
        if unchanged {
            return finish(line, response, 304, Bytes::new(), 0);
        }
    }
    finish(line, response, reply.status, chunk, times)
}

/// Sends `chunk` `times` times and closes the log line after the last.
fn finish(
    line: Line,
    response: axum::http::response::Builder,
    status: u16,
    chunk: Bytes,
    times: usize,
) -> Response {
    line.web.log_change(line.number, |request| request.status = status);
    let length = chunk.len() * times;
    if length == 0 {
        line.close();
    }
    let body = stream::unfold((line, 0usize), move |(line, sent)| {
        let end = (sent + CHUNK).min(length);
        if sent >= length {
            return std::future::ready(None);
        }
        let piece = if times == 1 {
            chunk.slice(sent..end)
        } else {
            let cycle = chunk.iter().copied().cycle().skip(sent % chunk.len());
            cycle.take(end - sent).collect()
        };
        // Here, not at the end of the stream: with a known length nobody asks for that.
        if end == length {
            line.close();
        }
        std::future::ready(Some((Ok::<Bytes, io::Error>(piece), (line, end))))
    });
    let response =
        if status == 304 { response } else { response.header(header::CONTENT_LENGTH, length) };
    response
        .status(status)
        .body(axum::body::Body::from_stream(body))
        .unwrap_or_else(|_| Response::new(axum::body::Body::from("bad reply\n")))
}

/// The path without campaign parameters, which publishers' servers ignore.
fn untracked(path: &str) -> String {
    let Some((path, query)) = path.split_once('?') else { return path.to_owned() };
    let kept: Vec<&str> = query.split('&').filter(|part| !part.starts_with("utm_")).collect();
    if kept.is_empty() { path.to_owned() } else { format!("{path}?{}", kept.join("&")) }
}

async fn body_of(reply: &Reply) -> io::Result<(Bytes, usize)> {
    Ok(match &reply.body {
        Body::Bytes(bytes) => (Bytes::copy_from_slice(bytes), 1),
        Body::File(path) => (Bytes::from(tokio::fs::read(path).await?), 1),
        Body::Repeat { chunk, times } => (Bytes::copy_from_slice(chunk), *times),
    })
}

fn tag_of(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    format!("\"{:016x}\"", hasher.finish())
}

fn now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;

    async fn get(port: u16, host: &str, path: &str, more: &str) -> Vec<u8> {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        let head =
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{more}\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        answer
    }

    #[test]
    fn campaign_parameters_are_ignored() {
        for (path, expect) in [
            ("/a", "/a"),
            ("/a?utm_source=x", "/a"),
            ("/a?id=1&utm_source=x&utm_medium=y", "/a?id=1"),
            ("/a?utm_source=x&id=1", "/a?id=1"),
        ] {
            assert_eq!(untracked(path), expect, "{path}");
        }
    }

    #[tokio::test]
    async fn outlets_are_told_apart_and_logged() {
        let mut web = Web::default();
        let feed = Reply { validators: true, ..Reply::ok(b"<rss/>".to_vec()) };
        web.add("www.one.test", "/feed", feed).unwrap();
        let big = Body::Repeat { chunk: b"abc".to_vec(), times: 100_000 };
        web.add("www.two.test", "/big?x=1", Reply { body: big, ..Reply::ok(Vec::new()) }).unwrap();
        let web = Arc::new(web);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let server = tokio::spawn(serve(listener, Arc::clone(&web), async {
            let _ = stopped.await;
        }));

        let plain = String::from_utf8(get(port, "www.one.test", "/feed", "").await).unwrap();
        assert!(plain.starts_with("HTTP/1.1 200") && plain.ends_with("<rss/>"), "{plain}");
        let tag = plain.lines().find_map(|l| l.strip_prefix("etag: ")).unwrap().to_owned();
        for (more, expect) in [
            (format!("If-None-Match: {tag}\r\n"), "HTTP/1.1 304"),
            (format!("If-None-Match: \"x\"\r\nIf-Modified-Since: {MODIFIED}\r\n"), "HTTP/1.1 200"),
            (format!("If-Modified-Since: {MODIFIED}\r\n"), "HTTP/1.1 304"),
        ] {
            let answer = get(port, "www.one.test:8080", "/feed", &more).await;
            assert!(String::from_utf8(answer).unwrap().starts_with(expect), "{more}");
        }
        let big = get(port, "www.two.test", "/big?x=1", "").await;
        assert!(big.len() > 300_000 && big.ends_with(b"abcabc"));
        assert!(get(port, "www.two.test", "/feed", "").await.starts_with(b"HTTP/1.1 404"));

        let _ = stop.send(());
        server.await.unwrap().unwrap();
        let log = web.requests();
        let statuses: Vec<u16> = log.iter().map(|request| request.status).collect();
        assert_eq!(statuses, [200, 304, 200, 304, 200, 404]);
        assert_eq!((log[1].host.as_str(), log[4].path.as_str()), ("www.one.test", "/big?x=1"));
        assert!(log.iter().all(|request| request.end >= Some(request.start)));
    }
}
