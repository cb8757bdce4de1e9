//! A hint that somebody has made work due: `NOTIFY` of the database, waited for on a connection of its
//! own. Nothing depends on it; who misses it finds the work at his next question.
//!
//! Must not know: what the work is.

use std::sync::{Arc, Weak};
use std::time::Duration;

use postgres::fallible_iterator::FallibleIterator;

use super::connect::{Pool, pause};

/// The channel.
pub const WORK: &str = "crawler_work";
/// How often it is looked whether the store is still in use.
const LOOK: Duration = Duration::from_secs(1);

/// Calls `wake` at each hint, and after each new connection, since something may have been missed,
/// as long as the pool is there.
pub fn listen(pool: &Arc<Pool>, wake: Box<dyn Fn() + Send>) -> std::io::Result<()> {
    let pool = Arc::downgrade(pool);
    let listening = move || {
        let mut attempt = 0;
        while pool.strong_count() > 0 {
            if hear(&pool, &wake).is_some() {
                attempt = 0;
            }
            pause(attempt);
            attempt += 1;
        }
    };
    std::thread::Builder::new().name("hints".into()).spawn(listening).map(drop)
}

/// Until the connection breaks; `None` if there was none.
fn hear(pool: &Weak<Pool>, wake: &dyn Fn()) -> Option<()> {
    let mut client = pool.upgrade()?.dial().ok()?;
    client.batch_execute(&format!("LISTEN {WORK}")).ok()?;
    wake();
    while pool.strong_count() > 0 {
        let heard = client.notifications().timeout_iter(LOOK).next();
        match heard {
            Ok(Some(_)) => wake(),
            Ok(None) if !client.is_closed() => {}
            Ok(None) | Err(_) => break,
        }
    }
    Some(())
}
