//! Tells systemd how the daemon is (sd_notify(3)): up, alive, stopping. Without `NOTIFY_SOCKET`
//! nothing is sent.
//!
//! Must not know: what the daemon does.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::mpsc;
use std::time::Duration;

/// How often a manager is asked for patience.
const ASK_EVERY: Duration = Duration::from_secs(10);

/// See [`Notify::patience`].
pub(super) struct Patience {
    _alive: mpsc::Sender<()>,
}

/// The way to the service manager.
pub(super) struct Notify {
    socket: Option<(UnixDatagram, SocketAddr)>,
}

impl Notify {
    /// Reads where to from the environment; an address that cannot be used counts as none.
    pub(super) fn from_environment() -> Notify {
        let socket = std::env::var("NOTIFY_SOCKET").ok().and_then(|name| {
            let address = match name.strip_prefix('@') {
                Some(name) => SocketAddr::from_abstract_name(name),
                None => SocketAddr::from_pathname(&name),
            };
            Some((UnixDatagram::unbound().ok()?, address.ok()?))
        });
        Notify { socket }
    }

    /// Sends a state such as `READY=1`. A manager that does not listen is no trouble of ours.
    pub(super) fn send(&self, state: &str) {
        if let Some((socket, address)) = &self.socket {
            let _ = socket.send_to_addr(state.as_bytes(), address);
        }
    }

    /// Asks the manager to be patient for as long as the value lives: a store may have to be moved or
    /// rebuilt first. `None`: there is no manager.
    pub(super) fn patience() -> Option<Patience> {
        let notify = Notify::from_environment();
        notify.socket.as_ref()?;
        let (alive, ended) = mpsc::channel();
        std::thread::spawn(move || {
            while ended.recv_timeout(ASK_EVERY) == Err(mpsc::RecvTimeoutError::Timeout) {
                notify.send(&format!("EXTEND_TIMEOUT_USEC={}", 6 * ASK_EVERY.as_micros()));
            }
        });
        Some(Patience { _alive: alive })
    }

    /// How often the manager wants to hear that this process is alive: twice within its patience.
    pub(super) fn watchdog() -> Option<Duration> {
        let ours = std::env::var("WATCHDOG_PID")
            .ok()
            .is_none_or(|pid| pid == std::process::id().to_string());
        let patience: u64 = std::env::var("WATCHDOG_USEC").ok()?.parse().ok()?;
        (ours && patience > 0).then(|| Duration::from_micros(patience / 2))
    }
}
