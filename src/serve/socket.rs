//! The control socket: how commands reach a daemon that holds the store. One JSON line asks, many
//! JSON lines answer. Mode 0600; only the holder of the store's lock removes a stale socket.
//!
//! Must not know: what the commands mean.

use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::crawl::Engine;

use super::command::{self, Command};

/// Longest request line; a seed list of a few hundred thousand feeds fits.
const MAX_REQUEST: u64 = 64 << 20;
/// Commands answered at the same time.
const MAX_CLIENTS: usize = 16;

#[derive(Serialize, Deserialize)]
struct Question {
    version: String,
    command: Command,
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
            if clients.fetch_add(1, Ordering::SeqCst) >= MAX_CLIENTS {
                clients.fetch_sub(1, Ordering::SeqCst);
                let busy = Reply::Error("the daemon is busy with other commands".into());
                let _ = write(&mut &stream, &busy);
                continue;
            }
            let (engine, runtime, count) = (engine.clone(), runtime.clone(), clients.clone());
            let spawned = std::thread::Builder::new().name("command".into()).spawn(move || {
                if let Err(error) = serve(&engine, &runtime, &stream) {
                    tracing::debug!(error = %format!("{error:#}"), "control connection ended");
                }
                count.fetch_sub(1, Ordering::SeqCst);
            });
            if spawned.is_err() {
                clients.fetch_sub(1, Ordering::SeqCst);
            }
        }
    })?;
    Ok(Control { path })
}

fn write(to: &mut dyn Write, reply: &Reply) -> Result<()> {
    serde_json::to_writer(&mut *to, reply)?;
    to.write_all(b"\n")?;
    Ok(())
}

fn serve(
    engine: &Arc<Engine>,
    runtime: &tokio::runtime::Handle,
    stream: &UnixStream,
) -> Result<()> {
    let mut line = String::new();
    BufReader::new(stream.take(MAX_REQUEST)).read_line(&mut line)?;
    let mut out = BufWriter::new(stream);
    let question: Question = match serde_json::from_str(&line) {
        Ok(question) => question,
        Err(error) => {
            write(&mut out, &Reply::Error(format!("the daemon cannot read the request: {error}")))?;
            return Ok(out.flush()?);
        }
    };
    let ours = env!("CARGO_PKG_VERSION");
    if question.version != ours {
        let sentence = format!(
            "the daemon is crawler {ours}, this command is crawler {}: use the same version",
            question.version
        );
        write(&mut out, &Reply::Error(sentence))?;
        return Ok(out.flush()?);
    }
    let result = command::answer(engine, runtime, question.command, &mut |row| {
        write(&mut out, &Reply::Row(row)).is_ok()
    });
    match result {
        Ok(()) => write(&mut out, &Reply::Done)?,
        Err(error) => write(&mut out, &Reply::Error(format!("{error:#}")))?,
    }
    Ok(out.flush()?)
}

/// Asks a daemon. `Ok(false)`: none is listening.
pub fn ask(data_dir: &Path, command: &Command, row: &mut dyn FnMut(Value) -> bool) -> Result<bool> {
    let Ok(stream) = UnixStream::connect(path(data_dir)) else { return Ok(false) };
    let question = Question { version: env!("CARGO_PKG_VERSION").into(), command: command.clone() };
    let mut out = BufWriter::new(&stream);
    serde_json::to_writer(&mut out, &question)?;
    out.write_all(b"\n")?;
    out.flush()?;
    for line in BufReader::new(&stream).lines() {
        let line = line.context("the daemon broke off its answer")?;
        match serde_json::from_str(&line).context("the daemon's answer cannot be read")? {
            Reply::Row(value) => {
                if !row(value) {
                    return Ok(true);
                }
            }
            Reply::Error(error) => bail!(error),
            Reply::Done => return Ok(true),
        }
    }
    bail!("the daemon stopped before it had answered")
}
