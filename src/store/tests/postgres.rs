//! A PostgreSQL of our own for the suite: one throw-away cluster for all tests of this process, a
//! database for each. It ends with the process. Where PostgreSQL is missing these tests fail.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::model::*;
use crate::store::postgres::Postgres;
use crate::store::*;

/// Keeps the cluster alive: it ends when this process, and with it the pipe, does.
struct Cluster {
    _script: Child,
    url: String,
}

fn cluster() -> &'static Cluster {
    static CLUSTER: OnceLock<Cluster> = OnceLock::new();
    CLUSTER.get_or_init(|| {
        let mut script =
            Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/postgres-scratch"))
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .expect("scripts/postgres-scratch starts");
        let mut url = String::new();
        let out = script.stdout.take().expect("piped");
        BufReader::new(out).read_line(&mut url).expect("its URL");
        assert!(url.starts_with("postgres://"), "PostgreSQL is needed: apt-get install postgresql");
        Cluster { _script: script, url: url.trim().to_owned() }
    })
}

fn client() -> ::postgres::Client {
    ::postgres::Client::connect(&cluster().url, ::postgres::NoTls).unwrap()
}

/// URL of a new database.
fn database() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("t{}", NEXT.fetch_add(1, Ordering::Relaxed));
    client().batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
    let (server, _) = cluster().url.rsplit_once('/').unwrap();
    format!("{server}/{name}")
}

fn settings(url: &str) -> Settings {
    // The suite's pace keys know no delay: a lease that has ended frees them at once.
    Settings { url: Some(url.to_owned()), unknown_delay: Span(0), ..Settings::default() }
}

fn opened(url: &str) -> Postgres {
    Postgres::open(url, &settings(url)).unwrap()
}

/// A store in a database of its own.
pub fn fresh() -> Postgres {
    opened(&database())
}
