//! Connections: a small pool over TLS, prepared statements, and patience with a database that is
//! restarting. A connection that failed is never used again.
//!
//! Must not know: what the statements say.

use std::collections::HashMap;
use std::net::IpAddr;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use postgres::config::{Host, SslMode};
use postgres::error::SqlState;
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::{FromSql, Json, ToSql};
use postgres::{Client, Config, Row, Statement};
use serde::de::DeserializeOwned;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::store::{Result, StoreError};

/// A value of a statement.
pub type Value<'a> = &'a (dyn ToSql + Sync);

/// How long a call goes on trying to reach the database.
pub const PATIENCE: Duration = Duration::from_secs(90);
/// Idle connections kept.
const KEPT: usize = 8;
/// Every session begins with it. A worker that freezes in the middle of a transaction loses it,
/// and with it the locks that the others wait for. Turns may take long, and each begins with what was committed
/// before, whatever limits and isolation the role or the database has. Texts are compressed by lz4 where the server
/// has it: its default, pglz, takes half of the time of an article's commit.
const SESSION: &str = "SET idle_in_transaction_session_timeout = '15s'; SET lock_timeout = 0; \
                       SET statement_timeout = 0; \
                       SET default_transaction_isolation = 'read committed'; \
                       SET TimeZone = 'UTC'; SET jit = off; SET client_min_messages = warning; \
                       SELECT set_config(name, 'lz4', false) FROM pg_settings \
                       WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)";

/// Begins a transaction that sees one instant.
pub const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// Between two statements of it whoever is told may take his time.
pub const UNHURRIED: &str = "SET LOCAL idle_in_transaction_session_timeout = 0";

pub struct Pool {
    config: Config,
    tls: MakeRustlsConnect,
    idle: Mutex<Vec<Conn>>,
    place: String,
}

/// One connection with its prepared statements.
pub struct Conn {
    client: Client,
    statements: HashMap<&'static str, Statement>,
    place: String,
    /// Not to be used again.
    spoiled: bool,
}

impl Pool {
    /// From `postgres://user:password@host:port/database?sslmode=require`; the password may stand in a
    /// file of its own. Nothing is dialled yet.
    pub fn new(url: &str, password_file: Option<&Path>) -> Result<Pool> {
        let mut config: Config = url.parse().map_err(|e| {
            // The URL holds a password: it is not repeated.
            StoreError::Other(format!("the database URL cannot be read: {e}"))
        })?;
        if let Some(file) = password_file {
            let text = std::fs::read_to_string(file).map_err(|source| StoreError::Io {
                what: format!("password file {} (store.password_file)", file.display()),
                source,
            })?;
            config.password(text.trim_end_matches(['\r', '\n']));
        }
        config
            .application_name(concat!("crawler ", env!("CARGO_PKG_VERSION")))
            .connect_timeout(Duration::from_secs(5))
            .keepalives_idle(Duration::from_secs(10))
            .keepalives_interval(Duration::from_secs(5))
            .keepalives_retries(3)
            .tcp_user_timeout(Duration::from_secs(20));
        let hosts = config.get_hosts().iter().map(|host| match host {
            Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            Host::Unix(path) => path.display().to_string(),
        });
        let hosts: Vec<String> = hosts.collect();
        let database = config.get_dbname().or(config.get_user()).unwrap_or_default();
        let place = format!("{} at {}", database, hosts.join(","));
        Ok(Pool { tls: tls()?, config, idle: Mutex::default(), place })
    }

    /// Is the database beyond this machine, and may the way to it be open to others?
    pub fn exposed(&self) -> bool {
        let beyond = |host: &Host| match host {
            Host::Tcp(name) => {
                let literal = name.trim_matches(['[', ']']).parse::<IpAddr>();
                name != "localhost" && !literal.is_ok_and(|ip| ip.to_canonical().is_loopback())
            }
            Host::Unix(_) => false,
        };
        // Other modes take what the server offers, and whoever stands between may offer nothing.
        self.config.get_ssl_mode() != SslMode::Require && self.config.get_hosts().iter().any(beyond)
    }

    /// A connection of its own, for whoever waits on it.
    pub fn dial(&self) -> Result<Client> {
        self.config.connect(self.tls.clone()).map_err(|e| failure(&self.place, &e))
    }

    /// Database and host, without the password.
    pub fn place(&self) -> &str {
        &self.place
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Conn>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection, idle or new.
    pub fn take(&self) -> Result<Conn> {
        loop {
            let idle = self.idle().pop();
            match idle {
                Some(conn) if conn.client.is_closed() => drop(conn),
                Some(conn) => return Ok(conn),
                None => break,
            }
        }
        let mut conn = Conn {
            client: self.dial()?,
            statements: HashMap::new(),
            place: self.place.clone(),
            spoiled: false,
        };
        conn.batch(SESSION)?;
        Ok(conn)
    }

    /// A connection in a transaction that sees the database as it is now.
    pub fn snapshot(&self) -> Result<Conn> {
        self.patiently(|| {
            let mut conn = self.take()?;
            conn.batch(&format!("{SNAPSHOT}; {UNHURRIED}"))?;
            Ok(conn)
        })
    }

    /// Takes back a connection on which nothing has failed and no transaction is open.
    pub fn give(&self, conn: Conn) {
        let mut idle = self.idle();
        if !conn.spoiled && idle.len() < KEPT {
            idle.push(conn);
        }
    }

    /// Runs a call that can be repeated; again and again while the database cannot be reached.
    pub fn call<R>(&self, mut call: impl FnMut(&mut Conn) -> Result<R>) -> Result<R> {
        self.patiently(|| {
            let mut conn = self.take()?;
            let result = call(&mut conn)?;
            self.give(conn);
            Ok(result)
        })
    }

    /// The same of a call that takes its connections itself.
    pub fn patiently<R>(&self, mut call: impl FnMut() -> Result<R>) -> Result<R> {
        let began = Instant::now();
        let mut attempt = 0;
        loop {
            match call() {
                Err(error @ StoreError::Unavailable { .. }) if began.elapsed() < PATIENCE => {
                    if attempt == 1 {
                        tracing::warn!("{error}; trying again for {} s", PATIENCE.as_secs());
                    }
                    self.mistrust();
                    pause(attempt);
                    attempt += 1;
                }
                result => return result,
            }
        }
    }

    /// After one connection has failed the idle ones will have, too: they have not noticed yet.
    pub fn mistrust(&self) {
        let idle = std::mem::take(&mut *self.idle());
        drop(idle);
    }
}

/// Waits before the next attempt: longer each time up to two seconds, and not all at once.
pub fn pause(attempt: u32) {
    let most = (50_u64 << attempt.min(6)).min(2_000);
    // The clock's last digits are chance enough for workers not to come back in step.
    let chance = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let chance = chance.map_or(0, |time| u64::from(time.subsec_nanos()) / 1_000);
    std::thread::sleep(Duration::from_millis(most / 2 + chance % (most / 2)));
}

impl Drop for Pool {
    /// Closing waits for the network, which the thread that drops the store may not be allowed to.
    fn drop(&mut self) {
        let idle = std::mem::take(&mut *self.idle());
        std::thread::spawn(move || drop(idle));
    }
}

fn tls() -> Result<MakeRustlsConnect> {
    use rustls_platform_verifier::BuilderVerifierExt;
    let provider = crate::tls::provider();
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(BuilderVerifierExt::with_platform_verifier)
        .map_err(|e| StoreError::Other(format!("TLS cannot be set up: {e}")))?;
    Ok(MakeRustlsConnect::new(config.with_no_client_auth()))
}

/// A failed call as an error that says whether trying again can help.
fn failure(place: &str, error: &postgres::Error) -> StoreError {
    let detail = match error.as_db_error() {
        Some(e) => e.message().to_owned(),
        None => std::error::Error::source(error)
            .map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}")),
    };
    if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) {
        return StoreError::Busy;
    }
    let again = match error.code() {
        // The server said something: only these pass by.
        Some(code) => {
            code.code().starts_with("08")
                || code.code().starts_with("57P")
                || [
                    SqlState::TOO_MANY_CONNECTIONS,
                    SqlState::T_R_SERIALIZATION_FAILURE,
                    SqlState::T_R_DEADLOCK_DETECTED,
                    SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
                ]
                .contains(code)
        }
        // A certificate that is no good stays so.
        None => error.is_closed() || io_cause(error) && !error.to_string().contains("TLS"),
    };
    if again {
        let gave_way = error.code().is_some_and(|code| code.code().starts_with("40"));
        let what = if gave_way { "let others go first" } else { "cannot be reached" };
        let detail = format!("{what}: {detail}");
        StoreError::Unavailable { place: place.to_owned(), detail }
    } else {
        StoreError::Other(format!("the database {place} refused: {detail}"))
    }
}

/// Was it the network?
fn io_cause(error: &postgres::Error) -> bool {
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        if error.is::<std::io::Error>() {
            return true;
        }
        cause = error.source();
    }
    // Waiting for a connection that took too long has no cause of its own.
    error.to_string().contains("connect")
}

impl Conn {
    fn failed(&mut self, error: &postgres::Error) -> StoreError {
        self.spoiled = true;
        failure(&self.place, error)
    }

    fn statement(&mut self, sql: &'static str) -> Result<Statement> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql).map_err(|e| self.failed(&e))?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }

    /// Several statements without values.
    pub fn batch(&mut self, sql: &str) -> Result<()> {
        self.client.batch_execute(sql).map_err(|e| self.failed(&e))
    }

    /// Rows changed.
    pub fn run(&mut self, sql: &'static str, values: &[Value]) -> Result<u64> {
        let statement = self.statement(sql)?;
        self.client.execute(&statement, values).map_err(|e| self.failed(&e))
    }

    pub fn rows(&mut self, sql: &'static str, values: &[Value]) -> Result<Vec<Row>> {
        let statement = self.statement(sql)?;
        self.client.query(&statement, values).map_err(|e| self.failed(&e))
    }

    /// The first row.
    pub fn row(&mut self, sql: &'static str, values: &[Value]) -> Result<Option<Row>> {
        let statement = self.statement(sql)?;
        self.client.query_opt(&statement, values).map_err(|e| self.failed(&e))
    }

    /// The first column of the first row.
    pub fn value<T: for<'a> FromSql<'a>>(
        &mut self,
        sql: &'static str,
        values: &[Value],
    ) -> Result<Option<T>> {
        self.row(sql, values)?.map(|row| get(&row, 0)).transpose()
    }

    /// The record in the first column of the first row.
    pub fn record<T: DeserializeOwned>(
        &mut self,
        sql: &'static str,
        values: &[Value],
    ) -> Result<Option<T>> {
        self.row(sql, values)?.map(|row| record(&row, 0)).transpose()
    }

    /// The records in the first column of all rows.
    pub fn records<T: DeserializeOwned>(
        &mut self,
        sql: &'static str,
        values: &[Value],
    ) -> Result<Vec<T>> {
        self.rows(sql, values)?.iter().map(|row| record(row, 0)).collect()
    }

    /// Rows one by one as they come, until `each` returns false.
    pub fn each(
        &mut self,
        sql: &'static str,
        values: &[Value],
        each: &mut dyn FnMut(&Row) -> Result<bool>,
    ) -> Result<()> {
        let statement = self.statement(sql)?;
        // Until it is through, what comes next on this connection is the rest of the rows.
        let spoiled = std::mem::replace(&mut self.spoiled, true);
        let found = self.client.query_raw(&statement, values.iter().copied());
        let mut rows = match found {
            Ok(rows) => rows,
            Err(error) => return Err(failure(&self.place, &error)),
        };
        loop {
            match rows.next() {
                Err(error) => return Err(failure(&self.place, &error)),
                Ok(None) => break,
                Ok(Some(row)) => {
                    if !each(&row)? {
                        return Ok(());
                    }
                }
            }
        }
        drop(rows);
        self.spoiled = spoiled;
        Ok(())
    }
}

/// A record from a json column.
pub fn record<T: DeserializeOwned>(row: &Row, column: usize) -> Result<T> {
    get::<Json<T>>(row, column).map(|json| json.0)
}

/// One column of a row.
pub fn get<'r, T: FromSql<'r>>(row: &'r Row, column: usize) -> Result<T> {
    row.try_get(column).map_err(|e| {
        let cause = std::error::Error::source(&e).map(|c| format!(": {c}")).unwrap_or_default();
        StoreError::Other(format!("a record of the database cannot be read: {e}{cause}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_beyond_this_machine_is_exposed_without_required_tls() {
        for (url, exposed) in [
            ("postgres://u@db.test/x", true),
            ("postgres://u@db.test/x?sslmode=prefer", true),
            ("postgres://u@db.test/x?sslmode=disable", true),
            ("postgres://u@db.test/x?sslmode=require", false),
            ("postgres://u@10.0.0.1/x", true),
            ("postgres://u@127.0.0.1/x", false),
            ("postgres://u@[::1]/x", false),
            ("postgres://u@localhost/x", false),
            ("postgres://u@%2Fvar%2Frun%2Fpostgresql/x", false),
            ("postgres://u@localhost,db.test/x", true),
        ] {
            assert_eq!(Pool::new(url, None).unwrap().exposed(), exposed, "{url}");
        }
    }

    #[test]
    fn the_password_may_stand_in_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("password");
        std::fs::write(&file, "open sesame\n").unwrap();
        let pool = Pool::new("postgres://u@db.test/x", Some(&file)).unwrap();
        assert_eq!(pool.config.get_password(), Some(&b"open sesame"[..]));
        let missing = Pool::new("postgres://u@db.test/x", Some(&dir.path().join("none")));
        assert!(missing.err().unwrap().to_string().contains("store.password_file"));
    }
}
