//! The control socket: how commands reach a daemon that holds the store. One JSON line asks, many
//! JSON lines answer. Mode 0600; only the holder of the store's lock removes a stale socket.
//!
//! Must not know: what the commands mean.

use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::crawl::Engine;
use crate::query::Emit;

use super::command::{self, Command};
use super::user;

/// Longest request line; a seed list of a few hundred thousand feeds fits.
const MAX_REQUEST: u64 = 64 << 20;
/// Commands answered at the same time.
const MAX_CLIENTS: usize = 16;
/// How long a client may say nothing before its request is whole: it takes a place from others.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is sent first. The version is read before the command: those of other versions may not be
/// readable.
#[derive(Serialize, Deserialize)]
struct Request<T> {
    version: String,
    command: T,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Reply {
    Row(Value),
    Error(String),
    Done,
}

/// Where the socket of a data directory is.
pub fn path(data_dir: &Path) -> PathBuf {
    data_dir.join("control.sock")
}

/// The listening socket; removed from the directory when dropped.
pub struct Control {
    path: PathBuf,
}

impl Drop for Control {
    fn drop(&mut self) {
        // Nothing more can be done about a socket that will not go; the next holder replaces it.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Listens on the control socket. The caller must hold the store's lock.
pub fn listen(
    engine: Arc<Engine>,
    data_dir: &Path,
    runtime: tokio::runtime::Handle,
) -> Result<Control> {
    let path = path(data_dir);
    if path.exists() {
        std::fs::remove_file(&path)
            .with_context(|| format!("cannot remove the stale socket {}", path.display()))?;
    }
    let listener = UnixListener::bind(&path)
        .with_context(|| format!("cannot listen on {}", path.display()))?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))
        .with_context(|| format!("cannot protect {}", path.display()))?;
    let clients = Arc::new(AtomicUsize::new(0));
    std::thread::Builder::new().name("control".into()).spawn(move || {
        for stream in listener.incoming() {
            let Ok(stream) = stream else { continue };
            let Some(place) = Place::take(&clients) else {
                let busy = Reply::Error("the daemon is busy with other commands".into());
                let _ = write(&mut &stream, &busy);
                continue;
            };
            let (engine, runtime) = (engine.clone(), runtime.clone());
            // A thread that cannot be started gives the place back, and the connection is closed.
            let _ = std::thread::Builder::new().name("command".into()).spawn(move || {
                let _place = place;
                if let Err(error) = serve(&engine, &runtime, &stream) {
                    tracing::debug!(error = %format!("{error:#}"), "control connection ended");
                }
            });
        }
    })?;
    Ok(Control { path })
}

/// One of the places for clients; free again when dropped, however the command ends.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(clients: &Arc<AtomicUsize>) -> Option<Place> {
        let place = Place(clients.clone());
        (clients.fetch_add(1, Ordering::SeqCst) < MAX_CLIENTS).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn write(to: &mut dyn Write, reply: &Reply) -> Result<()> {
    to.write_all(&serde_json::to_vec(reply)?)?;
    to.write_all(b"\n")?;
    Ok(())
}

fn serve(
    engine: &Arc<Engine>,
    runtime: &tokio::runtime::Handle,
    stream: &UnixStream,
) -> Result<()> {
    let mut out = BufWriter::new(stream);
    let who = {
        let _in = runtime.enter();
        user::peer(stream)?
    };
    let last = match read(stream) {
        Err(error) => Reply::Error(format!("{error:#}")),
        Ok(command) => {
            let emit: Emit<'_> = &mut |row| match write(&mut out, &Reply::Row(row)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            };
            match command::obey(engine, runtime, &who, command, emit) {
                Ok(()) => Reply::Done,
                Err(error) => Reply::Error(format!("{error:#}")),
            }
        }
    };
    write(&mut out, &last)?;
    Ok(out.flush()?)
}

/// The command that a client sends.
fn read(stream: &UnixStream) -> Result<Command> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut line = Vec::new();
    let read = BufReader::new(stream.take(MAX_REQUEST)).read_until(b'\n', &mut line);
    read.context("the request did not arrive")?;
    if !line.ends_with(b"\n") {
        bail!("the request is cut off, or longer than {} MiB", MAX_REQUEST >> 20);
    }
    let ours = env!("CARGO_PKG_VERSION");
    let unreadable = "the daemon cannot read the request";
    let request: Request<IgnoredAny> = serde_json::from_slice(&line).context(unreadable)?;
    if request.version != ours {
        let theirs = request.version;
        bail!(
            "the daemon is crawler {ours}, this command is crawler {theirs}: use the same version"
        );
    }
    let request: Request<Command> = serde_json::from_slice(&line).context(unreadable)?;
    Ok(request.command)
}

/// Sends a command to a daemon. `Ok(false)`: none is listening.
///
/// # Errors
/// The daemon's, or that it broke off.
pub fn ask(data_dir: &Path, command: &Command, emit: Emit<'_>) -> Result<bool> {
    let Ok(stream) = UnixStream::connect(path(data_dir)) else { return Ok(false) };
    let request = Request { version: env!("CARGO_PKG_VERSION").into(), command };
    let mut line = serde_json::to_vec(&request)?;
    line.push(b'\n');
    // A daemon that is busy says so before it has read everything.
    let sent = (&stream).write_all(&line);
    for line in BufReader::new(&stream).lines() {
        let line = line.context("the daemon broke off its answer")?;
        match serde_json::from_slice(line.as_bytes())
            .context("the daemon's answer cannot be read")?
        {
            Reply::Row(value) => {
                if emit(value).is_break() {
                    return Ok(true);
                }
            }
            Reply::Error(error) => bail!(error),
            Reply::Done => return Ok(true),
        }
    }
    match sent {
        Ok(()) => bail!("the daemon stopped before it had answered"),
        // In words: a broken pipe of ours would pass for a reader who has had enough.
        Err(error) => bail!("the daemon did not take the request: {error}"),
    }
}
