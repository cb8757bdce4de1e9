//! Which library does the cryptography of TLS, for all that connect and all that are connected to.
//!
//! Must not know: who connects, and to whom.

use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};

/// The cryptography; from now on also that of whoever makes a connection without naming one (reqwest).
pub fn provider() -> Arc<CryptoProvider> {
    // An error says that one is there already.
    let _ = ring::default_provider().install_default();
    CryptoProvider::get_default().cloned().unwrap_or_else(|| Arc::new(ring::default_provider()))
}
