//! The door of the HTTP server: connections that are shared fairly between clients and end when
//! they dawdle, names under which the crawler may be asked, and how much each client may ask.
//!
//! Must not know: routes, answers, the store.

mod client;
mod host;
mod listen;
mod rate;
mod share;
mod stream;
pub mod tls;
pub(super) mod token;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

pub(super) use client::{Peer, forwarded};
pub(super) use host::{Hosts, name_of};
pub(super) use listen::listen;
pub(super) use rate::{Rates, Who};
pub(super) use share::Lane;

/// Questions of one client that are answered at the same time; its others wait.
const TURNS: usize = 4;
/// A refused token costs its address so many requests.
const GUESS: f64 = 10.0;

/// What each client may use of the server. A client is an address (of IPv6, a network of 64 bits) or
/// a token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Clients {
    /// Connections open at the same time, of all clients together.
    pub connections: usize,
    /// Requests of one client per second in the long run.
    pub rate: u32,
    /// Requests of one client at once after it was quiet.
    pub burst: u32,
}

impl Default for Clients {
    fn default() -> Clients {
        Clients { connections: 512, rate: 50, burst: 500 }
    }
}

/// How long a client may take for each part of an exchange. Bytes that trickle prolong none of them.
#[derive(Clone, Copy, Debug)]
pub struct Deadlines {
    /// From the connection or the last answer until a request's head is complete.
    pub head: Duration,
    /// Until a request's body is complete.
    pub body: Duration,
    /// Until an answer has left, beside what its bytes take at [`stream::SLOWEST`].
    pub answer: Duration,
}

impl Default for Deadlines {
    fn default() -> Deadlines {
        let [head, body, answer] = [15, 20, 20].map(Duration::from_secs);
        Deadlines { head, body, answer }
    }
}

/// How a listener is guarded.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Names under which the crawler is asked, beside IP literals and loopback names.
    pub hosts: Vec<String>,
    /// Proxies whose word counts for who asks.
    pub proxies: Vec<IpNet>,
    pub clients: Clients,
    pub deadlines: Deadlines,
    /// `None`: plain HTTP.
    pub tls: Option<Arc<tls::Certificates>>,
}

/// One listener's door.
pub(super) struct Door {
    pub settings: Settings,
    pub hosts: Hosts,
    pub rates: Rates,
}

impl Door {
    pub(super) fn new(settings: Settings) -> Arc<Door> {
        let hosts = Hosts::new(&settings.hosts);
        let rates = Rates::new(&settings.clients, || Arc::new(Semaphore::new(TURNS)));
        Arc::new(Door { settings, hosts, rates })
    }

    /// A token of this address was refused: guessing is dear.
    pub(super) fn guessed(&self, address: IpAddr) {
        // Whoever owes already owes no more than the account allows.
        let _ = self.rates.take(&Who::Address(address), GUESS, Instant::now());
    }
}
