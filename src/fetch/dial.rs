//! Names to addresses that may be dialled. What the guard passes here is what the connector
//! dials: there is no second look-up in between that could answer differently.
//!
//! Must not know: URLs, HTTP.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::guard::{Guard, NO_CONTACT};

/// Answer of a look-up.
pub type Found = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;
/// A way to look names up.
pub type Lookup = Arc<dyn Fn(String) -> Found + Send + Sync>;

/// The system's resolver.
pub fn system() -> Lookup {
    Arc::new(|name| {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(found.map(|addr| addr.ip()).collect())
        })
    })
}

/// No address of a name may be dialled.
#[derive(Debug, thiserror::Error)]
#[error("{why}")]
pub struct Denied {
    /// In words.
    pub why: String,
    /// Whatever is looked up, the next answer will be denied too.
    pub lasts: bool,
}

impl Denied {
    fn lasting(why: String) -> Denied {
        Denied { why, lasts: true }
    }
}

/// The name could not be resolved.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unresolved(pub String);

/// The resolver of the one client.
pub struct Names {
    pub guard: Arc<Guard>,
    pub hosts: Arc<HashMap<String, SocketAddr>>,
    pub lookup: Lookup,
}

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let name = name.as_str().trim_end_matches('.').to_ascii_lowercase();
        let guard = self.guard.clone();
        if let Some(addr) = self.hosts.get(&name).copied() {
            return Box::pin(async move {
                guard.socket(addr).map_err(Denied::lasting)?;
                Ok(Box::new(std::iter::once(addr)) as Addrs)
            });
        }
        let lookup = self.lookup.clone();
        Box::pin(async move {
            let local = name == "localhost" || name.ends_with(".localhost");
            let found = if local {
                // RFC 6761 §6.3: never asked of DNS.
                vec![IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)]
            } else {
                match lookup(name).await {
                    Ok(found) => found,
                    // Whatever it would have been, nothing was opened.
                    Err(_) if guard.opens_nothing() => {
                        return Err(Denied::lasting(NO_CONTACT.into()).into());
                    }
                    Err(e) => return Err(Unresolved(e.to_string()).into()),
                }
            };
            let mut reason = None;
            let mut passed = Vec::new();
            for ip in found {
                match guard.address(ip) {
                    Ok(()) => passed.push(SocketAddr::new(ip, 0)),
                    Err(why) => reason = reason.or(Some(why)),
                }
            }
            match (passed.is_empty(), reason) {
                (false, _) => Ok(Box::new(passed.into_iter()) as Addrs),
                // A resolver that answers with an address of its own (a portal's, say) does so for a
                // while.
                (true, Some(why)) => {
                    let lasts = local || why == NO_CONTACT;
                    Err(Denied { why, lasts }.into())
                }
                (true, None) => Err(Unresolved("no address".to_owned()).into()),
            }
        })
    }
}
