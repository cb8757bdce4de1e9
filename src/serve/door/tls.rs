//! Certificate and key of the HTTPS listeners, from files that are read again on request.
//!
//! Must not know: HTTP, signals.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use anyhow::{Context, Result, bail};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde::{Deserialize, Serialize};
use tokio_rustls::TlsAcceptor;

/// Where certificate and key are; without them the listeners speak plain HTTP.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Files {
    /// PEM: the server's certificate, then those that lead to a known authority.
    pub certificate: Option<PathBuf>,
    /// PEM: its private key.
    pub key: Option<PathBuf>,
}

/// What new connections are greeted with.
pub struct Certificates {
    certificate: PathBuf,
    key: PathBuf,
    current: RwLock<Arc<ServerConfig>>,
}

impl fmt::Debug for Certificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.certificate.display())
    }
}

impl Certificates {
    /// Reads the files; `None`: there are none to be read.
    ///
    /// # Errors
    /// One is missing or unreadable, or they do not belong together.
    pub fn read(files: &Files) -> Result<Option<Arc<Certificates>>> {
        let (certificate, key) = match (&files.certificate, &files.key) {
            (None, None) => return Ok(None),
            (Some(certificate), Some(key)) => (certificate.clone(), key.clone()),
            _ => bail!("`tls.certificate` and `tls.key` belong together: set both or none"),
        };
        let current = RwLock::new(load(&certificate, &key)?);
        Ok(Some(Arc::new(Certificates { certificate, key, current })))
    }

    /// Reads the files again; what is under way goes on as it began.
    ///
    /// # Errors
    /// As [`Certificates::read`]; then everything stays as it is.
    pub fn read_again(&self) -> Result<()> {
        let new = load(&self.certificate, &self.key)?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = new;
        Ok(())
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone().into()
    }
}

fn load(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>> {
    let named = |what: &str, path: &Path| format!("cannot read {what} {}", path.display());
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .with_context(|| named("the certificate", certificate))?;
    if chain.is_empty() {
        bail!("there is no certificate in {}", certificate.display());
    }
    let private =
        PrivateKeyDer::from_pem_file(key).with_context(|| named("the private key", key))?;
    let provider = crate::tls::provider();
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .context("TLS cannot be set up")?
        .with_no_client_auth()
        .with_single_cert(chain, private)
        .with_context(|| {
            format!("{} and {} cannot be used together", certificate.display(), key.display())
        })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
