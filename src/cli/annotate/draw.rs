//! `crawler annotate --drawn DIR`: pages drawn by a headless Chromium, which is asked for by name and belongs to
//! no other command. Each page comes from this process, on loopback; no script but ours runs in it.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use super::Browsed;
use crate::cli::context::{Context, runtime};
use crate::cli::extract;
use crate::decode;
use crate::learn::annotate::{self, Desk};
use crate::learn::drawn::{Drawn, Seen};
use crate::serve::http::annotate::serve;

/// How long the browser may take for a page.
const LONGEST: Duration = Duration::from_secs(180);
/// How long it waits for what a page loads, by its own clock, milliseconds.
const LOADING: u32 = 20_000;

/// Draws the labelled pages of the corpus as they lie, or all where none is labelled; nothing is asked of the
/// web.
pub(super) fn all(desk: Desk, folder: PathBuf, browser: &Path) -> Result<()> {
    check(browser)?;
    let ids = desk.labelled()?;
    draw(desk, &ids, &folder, browser, false)
}

/// Fetches a page as the crawl would, adds it to the corpus, and draws it with what it loads.
pub(super) fn capture(
    url: &str,
    corpus: &Path,
    labels: PathBuf,
    folder: &Path,
    browser: &Path,
    context: &Context,
) -> Result<()> {
    check(browser)?;
    let (url, bytes, content_type) = extract::fetch(url, context)?;
    let page = decode::html(&bytes, content_type.as_deref(), None);
    let id = annotate::add(corpus, &url, &page.text)?;
    println!("{url} is page {id}");
    draw(Desk::open(corpus.to_owned(), labels, 1)?, &[id], folder, browser, true)
}

/// Is there a browser?
fn check(browser: &Path) -> Result<()> {
    let mut asked = Command::new(browser);
    let asked = asked.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.with_context(|| {
        format!("cannot start the browser `{}`; --browser names another", browser.display())
    })?;
    Ok(())
}

fn draw(desk: Desk, ids: &[String], folder: &Path, browser: &Path, online: bool) -> Result<()> {
    let desk = Arc::new(Browsed { desk, online });
    let runtime = runtime()?;
    let listener = runtime.block_on(tokio::net::TcpListener::bind(("127.0.0.1", 0)))?;
    let address = listener.local_addr()?;
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let serving = runtime.spawn(serve(listener, desk.clone(), stopped));
    let mut sums = (0, 0, 0, 0);
    let mut failed = 0;
    for id in ids {
        let seen = look(browser, &format!("http://{address}/drawn/{}", segment(id)), online);
        let drawn = seen.and_then(|seen| desk.desk.drawn(id, seen));
        let drawn: Drawn = match drawn {
            Ok(drawn) => drawn,
            Err(error) => {
                eprintln!("crawler: {id}: {error:#}");
                failed += 1;
                continue;
            }
        };
        desk.desk.keep_drawn(folder, &drawn)?;
        sums.0 += drawn.leaves;
        sums.1 += drawn.looks.len();
        sums.2 += drawn.sheets;
        sums.3 += drawn.missing;
    }
    stop.send_replace(true);
    runtime.block_on(serving).context("the server ended")?;
    let (leaves, looks, sheets, missing) = sums;
    println!(
        "{} pages drawn: {looks} of {leaves} leaves, {missing} of {sheets} style sheets missing",
        ids.len() - failed
    );
    if failed > 0 {
        bail!("{failed} pages were not drawn");
    }
    Ok(())
}

/// What the browser makes of a page.
fn look(browser: &Path, url: &str, online: bool) -> Result<Seen> {
    let profile = tempfile::tempdir().context("cannot make a folder for the browser")?;
    let mut command = Command::new(browser);
    command
        .args(["--headless", "--disable-gpu", "--no-first-run", "--hide-scrollbars"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--disable-extensions", "--window-size=1280,1024", "--dump-dom"])
        .arg(format!("--virtual-time-budget={LOADING}"))
        .arg(format!("--user-data-dir={}", profile.path().display()));
    if !online {
        command.arg("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1");
    }
    // Its sandbox does not work for root.
    #[cfg(unix)]
    if rustix::process::geteuid().is_root() {
        command.arg("--no-sandbox");
    }
    let started =
        command.arg(url).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = started.spawn().context("cannot start the browser")?;
    let mut out = child.stdout.take().context("the browser says nothing")?;
    let (say, hear) = std::sync::mpsc::channel();
    let reading = std::thread::spawn(move || {
        let mut text = String::new();
        let read = out.read_to_string(&mut text);
        let _ = say.send(read.map(|_| text));
    });
    let said = hear.recv_timeout(LONGEST);
    let _ = child.kill();
    let _ = child.wait();
    let text = match said {
        Ok(text) => text.context("cannot read what the browser says")?,
        Err(RecvTimeoutError::Timeout) => {
            bail!("the browser takes longer than {} seconds", LONGEST.as_secs())
        }
        Err(RecvTimeoutError::Disconnected) => bail!("the browser went away"),
    };
    let _ = reading.join();
    let found =
        text.split_once("<pre id=\"drawn\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let (json, _) = found.context("the browser did not draw the page")?;
    serde_json::from_slice(json.as_bytes()).context("what the browser says cannot be read")
}

/// An id as it may stand in a URL's path (RFC 3986 §3.3).
fn segment(id: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let one = |byte: u8| match plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    id.bytes().map(one).collect()
}
