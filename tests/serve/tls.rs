//! HTTPS: the certificate of the files is shown, another one once they are read again, and what
//! cannot be read changes nothing.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use crawler::config::Config;
use crawler::model::Scope;
use crawler::serve::door::Settings;
use crawler::serve::door::tls::{Certificates, Files};
use crawler::serve::{http, tokens};
use crawler::store::decision::Who;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};

use crate::fixture::{Server, engine};

/// A certificate of its own authority for 127.0.0.1.
fn make(dir: &Path, name: &str) -> Files {
    let file = |end: &str| dir.join(format!("{name}.{end}"));
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"])
        .args(["-nodes", "-days", "30", "-subj", "/CN=crawler test"])
        .args(["-addext", "subjectAltName=IP:127.0.0.1"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .arg("-keyout")
        .arg(file("key"))
        .arg("-out")
        .arg(file("crt"))
        .output()
        .expect("openssl is there");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    Files { certificate: Some(file("crt")), key: Some(file("key")) }
}

/// What a request is answered by whoever trusts this certificate alone; `None`: it trusts nobody here.
fn ask(at: SocketAddr, trusted: &Path, request: &str) -> Option<String> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(trusted).unwrap()).unwrap();
    let provider = crawler::tls::provider();
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(at.ip().to_string()).unwrap();
    let client = rustls::ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = rustls::StreamOwned::new(client, TcpStream::connect(at).unwrap());
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = Vec::new();
    // A server may leave without saying so.
    let _ = stream.read_to_end(&mut answer);
    Some(String::from_utf8(answer).unwrap())
}

#[test]
fn the_certificate_is_that_of_the_files() {
    let dir = tempfile::tempdir().unwrap();
    let (first, second) = (make(dir.path(), "first"), make(dir.path(), "second"));
    let used = Files {
        certificate: Some(dir.path().join("used.crt")),
        key: Some(dir.path().join("used.key")),
    };
    let (at_certificate, at_key) = (used.certificate.clone().unwrap(), used.key.clone().unwrap());
    let put = |files: &Files| {
        std::fs::copy(files.certificate.as_ref().unwrap(), &at_certificate).unwrap();
        std::fs::copy(files.key.as_ref().unwrap(), &at_key).unwrap();
    };
    put(&first);
    let certificates = Certificates::read(&used).unwrap().unwrap();
    let tls = Some(certificates.clone());
    let server = Server::at("0.0.0.0:0", engine(), Settings { tls, ..Config::default().door() });
    let [one, two] = [&first, &second].map(|files| files.certificate.clone().unwrap());
    let get = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.at);

    let answer = ask(server.at, &one, &get).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("ok\n"), "{answer}");
    assert!(answer.to_lowercase().contains("strict-transport-security: max-age="), "{answer}");
    assert_eq!(ask(server.at, &two, &get), None);

    // Over TLS the session's cookie goes nowhere else.
    let store = server.engine.store.as_ref();
    let form = format!(
        "token={}",
        tokens::add(store, &Who::program(), "t", &[Scope::Read], None).unwrap().token
    );
    let login = format!(
        "POST /login HTTP/1.1\r\nHost: {at}\r\nOrigin: https://{at}\r\nConnection: close\r\n\
         Content-Length: {}\r\n\r\n{form}",
        form.len(),
        at = server.at
    );
    let entered = ask(server.at, &one, &login).unwrap();
    assert!(entered.starts_with("HTTP/1.1 303") && entered.contains("; Secure"), "{entered}");

    put(&second);
    certificates.read_again().unwrap();
    assert!(ask(server.at, &two, &get).is_some());
    assert_eq!(ask(server.at, &one, &get), None);

    for (file, text, words) in [
        (&at_key, "no key", "private key"),
        (&at_certificate, "no certificate", "no certificate in"),
    ] {
        put(&first);
        std::fs::write(file, text).unwrap();
        let error = format!("{:#}", certificates.read_again().unwrap_err());
        assert!(error.contains(words) && error.contains(&file.display().to_string()), "{error}");
        assert!(ask(server.at, &two, &get).is_some());
    }
    std::fs::copy(&one, &at_certificate).unwrap();
    std::fs::copy(second.key.as_ref().unwrap(), &at_key).unwrap();
    let error = certificates.read_again().unwrap_err().to_string();
    assert!(error.contains("cannot be used together"), "{error}");
    assert!(Certificates::read(&Files { key: None, ..used }).is_err());
}

#[test]
fn hubs_are_answered_over_tls_too() {
    let dir = tempfile::tempdir().unwrap();
    let files = make(dir.path(), "hubs");
    let tls = Certificates::read(&files).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let at = listener.local_addr().unwrap();
    let (_stop, stopped) = tokio::sync::watch::channel(false);
    let door = Settings { tls, ..Config::default().hubs_door() };
    runtime.spawn(http::callback::serve(listener, engine(), door, stopped));
    let get = format!("GET /websub/unknown HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n\r\n");
    let answer = ask(at, files.certificate.as_ref().unwrap(), &get).unwrap();
    assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
}

#[test]
fn who_speaks_no_tls_hurts_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let files = make(dir.path(), "only");
    let tls = Certificates::read(&files).unwrap();
    let server = Server::behind(engine(), Settings { tls, ..Config::default().door() });
    let mut stream = TcpStream::connect(server.at).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let mut said = Vec::new();
    // An alert, or just the end.
    let _ = stream.read_to_end(&mut said);
    assert!(!said.starts_with(b"HTTP"));
    let get = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.at);
    assert!(ask(server.at, files.certificate.as_ref().unwrap(), &get).is_some());
}
