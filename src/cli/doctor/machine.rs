//! What can be told without the store: settings, clock, disk, files, addresses.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Result, anyhow, bail};

use crate::cli::{brands, context, print};
use crate::config::{Config, Loaded, Origin};
use crate::extract;
use crate::serve::door::tls::Certificates;
use crate::serve::http::POLICY;
use crate::serve::socket;

use super::Line;

/// Before this (2026-01-01) there was no crawler: a clock that says so has lost its time.
const FIRST: Duration = Duration::from_secs(1_767_225_600);
/// So long a daemon may take to say that it is well.
const PATIENCE: Duration = Duration::from_secs(2);
/// Files from further in the future than this were not written by this clock.
const AHEAD: Duration = Duration::from_secs(60);

pub(super) fn configuration(loaded: &Loaded) -> Line {
    let from = match &loaded.file {
        Some(path) => path.display().to_string(),
        None => "no file".into(),
    };
    let changed = loaded.changed().len();
    Line::good(
        "configuration",
        format!(
            "{from}; {} not as shipped (`crawler config show`)",
            print::many(changed as u64, "setting")
        ),
    )
}

pub(super) fn contact(config: &Config) -> Line {
    let opened = config.guard.allow.len() as u64;
    match (config.identity().contact(), opened) {
        (Some(contact), _) if contact.contains('@') || contact.contains("://") => {
            Line::good("contact", format!("{contact} is sent with every request"))
        }
        (Some(contact), _) => Line::bad(
            "contact",
            format!(
                "`{contact}` is neither a mail address nor a web page: set one that publishers can write to"
            ),
        ),
        (None, 0) => Line::bad(
            "contact",
            "none, so `crawler run` does not start: set contact = \"you@example.org\" in config.toml, \
             or CRAWLER_CONTACT",
        ),
        (None, n) => Line::good(
            "contact",
            format!("none: only the {} in `guard.allow` may be requested", print::many(n, "range")),
        ),
    }
}

/// The clock, as far as files of the store tell.
pub(super) fn clock(config: &Config) -> Line {
    let now = SystemTime::now();
    let says = jiff::Timestamp::try_from(now).map_or_else(
        |_| "an impossible time".into(),
        |t| t.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
    );
    if now < UNIX_EPOCH + FIRST {
        return Line::bad("time", format!("the clock says {says}: set it, and keep it by NTP"));
    }
    let main = config.data_dir.join("main");
    let newest = [config.data_dir.as_path(), &main]
        .into_iter()
        .filter_map(|path| path.metadata().ok()?.modified().ok())
        .max();
    match newest.and_then(|newest| newest.duration_since(now).ok()) {
        Some(ahead) if ahead > AHEAD => Line::bad(
            "time",
            format!(
                "the clock says {says}, and the store was written {} later: one of both clocks was \
                 wrong; set this one by NTP",
                print::length(i64::try_from(ahead.as_millis()).unwrap_or(i64::MAX))
            ),
        ),
        _ => Line::good("time", says),
    }
}

/// Room where the store is, or will be.
pub(super) fn disk(config: &Config) -> Line {
    if config.store.url.is_some() {
        return Line::good("disk", "the store is a database; nothing lies in the data directory");
    }
    let looked = || -> Result<String> {
        let dir = existing(&config.data_dir)?;
        let disk = rustix::fs::statvfs(&dir)
            .map_err(|e| anyhow!("the free space at {} cannot be read: {e}", dir.display()))?;
        let free = disk.f_bavail.saturating_mul(disk.f_frsize);
        let least = config.store.min_free_mib << 20;
        let says = format!("{} are free at {}", print::bytes(free), dir.display());
        if free < least {
            bail!(
                "{says}, and nothing new is requested below {} (`store.min_free_mib`): make room",
                print::bytes(least)
            );
        }
        Ok(says)
    };
    Line::of("disk", looked())
}

/// Tries to write where a directory is or will be made; the directory, or the nearest one above it that there is.
fn written(dir: &Path) -> Result<PathBuf> {
    let there = existing(dir)?;
    // Asking for the rights is not enough: to root some directories say yes and take nothing.
    tempfile::tempfile_in(&there).map_err(|error| {
        let error = error.get_ref().map_or_else(|| error.to_string(), ToString::to_string);
        anyhow!(
            "{} cannot be written ({error}): run the crawler as the user it belongs to, or name another",
            there.display()
        )
    })?;
    Ok(there)
}

/// The directory, or the nearest one above it that there is.
fn existing(dir: &Path) -> Result<PathBuf> {
    let dir = std::path::absolute(dir)?;
    let found = dir.ancestors().find(|dir| dir.exists());
    let found = found.ok_or_else(|| anyhow!("{} is nowhere", dir.display()))?;
    if !found.is_dir() {
        bail!("{} is no directory: name another", found.display());
    }
    Ok(found.to_owned())
}

/// May this user write the store, and may nobody else read what is secret?
pub(super) fn permissions(loaded: &Loaded) -> Line {
    let config = &loaded.config;
    let mut wrong = Vec::new();
    if config.store.url.is_none() {
        match written(&config.data_dir) {
            Err(error) => wrong.push(error.to_string()),
            Ok(dir) => {
                let own = dir == std::path::absolute(&config.data_dir).unwrap_or_default();
                if own && open_to_others(&dir) {
                    wrong.push(format!("other users can read {0}: chmod 700 {0}", dir.display()));
                }
            }
        }
    }
    let in_file = |setting: &crate::config::Setting| {
        matches!(setting.source, Origin::File(_)) && setting.is_secret()
    };
    let mut secret: Vec<&Path> = Vec::new();
    if loaded.settings().iter().any(in_file) {
        secret.extend(loaded.file.as_deref());
    }
    secret.extend(config.store.password_file.as_deref());
    secret.extend(config.tls.key.as_deref());
    secret.extend(config.deliver.mail.password_file.as_deref());
    secret.extend(config.deliver.targets.iter().filter_map(|t| t.secret_file.as_deref()));
    secret.sort_unstable();
    secret.dedup();
    for file in secret.into_iter().filter(|file| open_to_others(file)) {
        wrong.push(format!(
            "other users can read {0}, which holds a secret: chmod 600 {0}",
            file.display()
        ));
    }
    if wrong.is_empty() {
        Line::good("permissions", "the store can be written, and nobody else reads what is secret")
    } else {
        Line::bad("permissions", wrong.join("; "))
    }
}

/// May users beyond owner and group read it? A group is a choice, as of systemd's credentials.
fn open_to_others(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.permissions().mode() & 0o007 != 0)
}

/// The model file, read and tried; or the one in the program.
pub(super) fn model(config: &Config) -> Line {
    let looked = || -> Result<String> {
        let model = context::model(config.model.as_ref())?;
        extract::trial::trial(&model).map_err(|why| anyhow!(why))?;
        let from = match &config.model {
            Some(file) => file.display().to_string(),
            None => "in the program".into(),
        };
        Ok(format!("{} ({from}) reads a plain page", print::clip(model.id(), 13)))
    };
    Line::of("model", looked())
}

pub(super) fn tls(config: &Config) -> Line {
    let looked = Certificates::read(&config.tls).map(|tls| match tls {
        Some(_) => "certificate and key belong together".into(),
        None => "none: plain HTTP".into(),
    });
    Line::of("tls", looked)
}

/// Directories beside the store that the configuration names.
pub(super) fn folders(config: &Config) -> Vec<Line> {
    let index = config.search.dir.as_ref().filter(|_| config.search.enabled);
    let named =
        [("archive", "archive.dir", config.archive.dir.as_ref()), ("search", "search.dir", index)];
    let tried = |(what, key, dir): (&'static str, &str, Option<&PathBuf>)| {
        let dir = dir?;
        let tried = written(dir).map_err(|error| anyhow!("`{key}`: {error}"));
        Some(Line::of(what, tried.map(|_| format!("{} can be written", dir.display()))))
    };
    named.into_iter().filter_map(tried).collect()
}

/// The targets of alerts, and the files that these need.
pub(super) fn targets(config: &Config) -> Option<Line> {
    let count = config.deliver.targets.len() as u64;
    let wrong = config.deliver.unreadable();
    (count > 0).then(|| match wrong.is_empty() {
        true => Line::good(
            "targets",
            format!("{} (`crawler alerts test NAME` sends a test)", print::many(count, "target")),
        ),
        false => Line::bad("targets", format!("alerts cannot be sent: {}", wrong.join("; "))),
    })
}

/// Addresses and lists that the configuration names.
pub(super) fn listening(config: &Config) -> Vec<Line> {
    let mut lines = Vec::new();
    let hubs = config.websub.callback.as_ref().map_or("", |_| config.websub.listen.as_str());
    let keys = [
        ("listen", config.listen.as_str()),
        ("metrics_listen", &config.metrics_listen),
        ("websub.listen", hubs),
    ];
    // Each is held until all were tried: two of them may be one.
    let tried: Vec<_> = keys
        .into_iter()
        .filter(|(_, at)| !at.is_empty())
        .map(|(key, at)| (key, at, TcpListener::bind(at)))
        .collect();
    // A daemon that runs holds all of its addresses.
    let none_is_free = tried.iter().all(|(.., bound)| bound.is_err());
    for (key, at, bound) in &tried {
        lines.push(match bound {
            Ok(_) => Line::good(key, format!("{at} is free")),
            Err(error) => {
                let in_use = error.kind() == std::io::ErrorKind::AddrInUse;
                match if in_use { running(config) } else { Some(false) } {
                    Some(true) => Line::good(key, format!("{at} is held, and a daemon runs here")),
                    None if none_is_free => Line::good(
                        key,
                        format!(
                            "{at} is held; if no daemon runs here, set `{key}` to another address"
                        ),
                    ),
                    _ => Line::bad(
                        key,
                        format!("cannot listen on {at}: {error}: set `{key}` to another address"),
                    ),
                }
            }
        });
    }
    if let Some(file) = &config.brands {
        let read = brands::read(file);
        lines.push(Line::of(
            "brand list",
            read.map(|list| {
                format!("{} in {}", print::many(list.len() as u64, "brand"), file.display())
            }),
        ));
    }
    lines
}

/// Does a daemon run here? It holds the data directory, or, where the store is a database, answers at its address; `None`:
/// that cannot be told, as it has none or answers over TLS alone.
fn running(config: &Config) -> Option<bool> {
    if config.store.url.is_none() {
        let socket = socket::path(&config.data_dir);
        return Some(std::os::unix::net::UnixStream::connect(socket).is_ok());
    }
    let plain = config.tls.certificate.is_none();
    let at = [&config.listen, &config.metrics_listen].into_iter().find(|at| !at.is_empty());
    at.filter(|_| plain).map(|at| is_well(at).unwrap_or_default())
}

/// Does a daemon answer at an address that it is well?
fn is_well(at: &str) -> std::io::Result<bool> {
    /// Longest answer that is read, bytes.
    const LONGEST: u64 = 4 << 10;
    let mut daemon = TcpStream::connect(at)?;
    daemon.set_read_timeout(Some(PATIENCE))?;
    daemon.set_write_timeout(Some(PATIENCE))?;
    daemon.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    daemon.take(LONGEST).read_to_end(&mut answer)?;
    // Other programs say that they are well, too.
    let ours = format!("content-security-policy: {POLICY}\r\n");
    let answer = String::from_utf8_lossy(&answer);
    Ok(answer.starts_with("HTTP/1.1 200 ") && answer.contains(&ours) && answer.ends_with("ok\n"))
}
