//! A server on loopback that says, step by step, what a test wants said, and keeps a log of what it
//! was asked: one address for each outlet, so that each is a pace key of its own.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// One request as the server sees it.
pub struct Ask<'a> {
    pub outlet: usize,
    pub path: &'a str,
    /// The whole request head.
    pub head: &'a str,
    /// What a POST brought.
    pub body: &'a str,
}

/// One step of an answer; after the last one the connection waits for its next request.
#[derive(Clone)]
pub enum Step {
    Send(Vec<u8>),
    /// The same bytes again and again, with a pause before each, until the client goes away.
    Forever(Vec<u8>, Duration),
    Close,
    /// Close so that the client's system reports a reset.
    Reset,
}

/// One line of the log.
#[derive(Clone, Debug)]
pub struct Hit {
    pub outlet: usize,
    pub path: String,
    pub began: Instant,
    /// Just before the last step: nobody can have read the whole answer earlier.
    pub ended: Instant,
    pub status: u16,
}

type Handler = dyn Fn(&Ask) -> Vec<Step> + Send + Sync;

/// The running server; its threads end with the process.
pub struct Server {
    pub addresses: Vec<SocketAddr>,
    log: Arc<Mutex<Vec<Hit>>>,
}

impl Server {
    /// Listens on one loopback address for each outlet; `handler` knows all of them.
    pub fn start<H>(outlets: usize, handler: impl FnOnce(&[SocketAddr]) -> H) -> Server
    where
        H: Fn(&Ask) -> Vec<Step> + Send + Sync + 'static,
    {
        let listeners: Vec<TcpListener> = (0..outlets)
            .map(|n| TcpListener::bind(format!("127.0.{}.{}:0", n / 200, n % 200 + 2)).unwrap())
            .collect();
        let addresses: Vec<SocketAddr> =
            listeners.iter().map(|l| l.local_addr().unwrap()).collect();
        let log = Arc::new(Mutex::new(Vec::new()));
        let handler: Arc<Handler> = Arc::new(handler(&addresses));
        for (outlet, listener) in listeners.into_iter().enumerate() {
            let (handler, log) = (handler.clone(), log.clone());
            std::thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    let (handler, log) = (handler.clone(), log.clone());
                    std::thread::spawn(move || {
                        // A client that goes away (killed, as many here are) is no trouble.
                        let _ = serve(&*handler, &log, outlet, stream);
                    });
                }
            });
        }
        Server { addresses, log }
    }

    pub fn url(&self, outlet: usize, path: &str) -> String {
        format!("http://{}{path}", self.addresses[outlet])
    }

    /// What was asked so far and has been answered, in order of arrival.
    pub fn hits(&self) -> Vec<Hit> {
        let mut hits = self.log.lock().unwrap().clone();
        hits.sort_by_key(|hit| hit.began);
        hits
    }
}

fn serve(
    handler: &Handler,
    log: &Mutex<Vec<Hit>>,
    outlet: usize,
    mut stream: TcpStream,
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    while let Some(head) = peek(&stream)? {
        let began = Instant::now();
        let path = head.split(' ').nth(1).unwrap_or("/").to_owned();
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.trim().parse::<usize>().ok())?
        });
        let mut body = String::new();
        if let Some(length) = length {
            let mut whole = vec![0; head.len() + length];
            stream.read_exact(&mut whole)?;
            body = String::from_utf8_lossy(&whole[head.len()..]).into_owned();
        }
        let steps = handler(&Ask { outlet, path: &path, head: &head, body: &body });
        if length.is_none() {
            // A connection closed over unread bytes is reset.
            let unread = usize::from(matches!(steps.last(), Some(Step::Reset)));
            let mut request = vec![0; head.len() - unread];
            stream.read_exact(&mut request)?;
        }
        let status = steps.iter().find_map(|step| match step {
            Step::Send(bytes) => std::str::from_utf8(bytes.get(9..12)?).ok()?.parse().ok(),
            _ => None,
        });
        let status = status.unwrap_or(0);
        let count = steps.len();
        for (n, step) in steps.into_iter().enumerate() {
            if n + 1 == count {
                let hit = Hit { outlet, path: path.clone(), began, ended: Instant::now(), status };
                log.lock().unwrap().push(hit);
            }
            match step {
                Step::Send(bytes) => stream.write_all(&bytes)?,
                Step::Forever(bytes, pause) => loop {
                    std::thread::sleep(pause);
                    stream.write_all(&bytes)?;
                },
                Step::Close | Step::Reset => return Ok(()),
            }
        }
    }
    Ok(())
}

/// The next request head, still to be read; `None` at the end of the connection.
fn peek(stream: &TcpStream) -> std::io::Result<Option<String>> {
    let mut bytes = vec![0; 16 * 1024];
    loop {
        let got = stream.peek(&mut bytes)?;
        if got == 0 {
            return Ok(None);
        }
        if let Some(end) = bytes[..got].windows(4).position(|four| four == b"\r\n\r\n") {
            return Ok(Some(String::from_utf8_lossy(&bytes[..end + 4]).into_owned()));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A whole answer.
pub fn answer(status: &str, fields: &[&str], body: impl AsRef<[u8]>) -> Vec<Step> {
    let body = body.as_ref();
    let mut head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n", body.len());
    for field in fields {
        head = head + field + "\r\n";
    }
    vec![Step::Send([head.as_bytes(), b"\r\n", body].concat())]
}
