//! How much each client may ask: an account that fills at a steady rate up to a limit, and turns of
//! which it has a few at a time.
//!
//! Must not know: HTTP, what a request costs the crawler.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use super::Clients;

/// Accounts kept at most. Whoever has more addresses than this is not held by any of them.
const MOST: usize = 10_000;

/// Whose account it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Who {
    Address(IpAddr),
    /// By its id.
    Token(String),
}

struct Account {
    left: f64,
    at: Instant,
    turns: Arc<Semaphore>,
}

/// The accounts of all clients.
pub struct Rates {
    rate: f64,
    burst: f64,
    turns: fn() -> Arc<Semaphore>,
    accounts: Mutex<HashMap<Who, Account>>,
}

impl Rates {
    pub fn new(clients: &Clients, turns: fn() -> Arc<Semaphore>) -> Rates {
        let (rate, burst) = (f64::from(clients.rate.max(1)), f64::from(clients.burst.max(1)));
        Rates { rate, burst, turns, accounts: Mutex::default() }
    }

    /// Takes `cost` from an account, and gives the turns of its owner.
    ///
    /// # Errors
    /// It is empty: how long until one request is there again.
    pub fn take(&self, who: &Who, cost: f64, now: Instant) -> Result<Arc<Semaphore>, Duration> {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if accounts.len() >= MOST && !accounts.contains_key(who) {
            accounts.retain(|_, account| self.left(account, now) < self.burst);
            if accounts.len() >= MOST {
                accounts.clear();
            }
        }
        let account = accounts.entry(who.clone()).or_insert_with(|| Account {
            left: self.burst,
            at: now,
            turns: (self.turns)(),
        });
        let left = self.left(account, now);
        if left < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - left) / self.rate));
        }
        // Whoever is refused dearly owes for it; no longer than a minute.
        account.left = (left - cost).max(-60.0 * self.rate);
        account.at = now;
        Ok(account.turns.clone())
    }

    fn left(&self, account: &Account, now: Instant) -> f64 {
        let passed = now.saturating_duration_since(account.at).as_secs_f64();
        (account.left + passed * self.rate).min(self.burst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates() -> Rates {
        let clients = Clients { connections: 1, rate: 2, burst: 3 };
        Rates::new(&clients, || Arc::new(Semaphore::new(1)))
    }

    #[test]
    fn an_account_fills_again_and_others_are_not_touched() {
        let (rates, now) = (rates(), Instant::now());
        let [one, other] = ["192.0.2.1", "192.0.2.2"].map(|a| Who::Address(a.parse().unwrap()));
        for _ in 0..3 {
            assert!(rates.take(&one, 1.0, now).is_ok());
        }
        assert_eq!(rates.take(&one, 1.0, now).unwrap_err(), Duration::from_millis(500));
        assert!(rates.take(&other, 1.0, now).is_ok());
        assert!(rates.take(&Who::Token("a".into()), 1.0, now).is_ok());
        let later = now + Duration::from_millis(500);
        assert!(rates.take(&one, 1.0, later).is_ok());
        assert!(rates.take(&one, 1.0, later).is_err());
        // Long quiet does not save up more than the burst.
        let much_later = later + Duration::from_secs(1_000);
        assert_eq!((0..9).filter(|_| rates.take(&one, 1.0, much_later).is_ok()).count(), 3);
    }

    #[test]
    fn accounts_are_bounded() {
        let (rates, now) = (rates(), Instant::now());
        for n in 0..2 * MOST as u32 {
            let who = Who::Address(IpAddr::from(n.to_be_bytes()));
            assert!(rates.take(&who, 1.0, now).is_ok());
        }
        assert!(rates.accounts.lock().unwrap().len() <= MOST);
    }

    proptest::proptest! {
        /// Never more than the burst and what has come since the first request.
        #[test]
        fn no_client_gets_more_than_its_rate(waits in proptest::collection::vec(0u64..900, 1..60)) {
            let (rates, start) = (rates(), Instant::now());
            let who = Who::Address(IpAddr::from([192, 0, 2, 1]));
            let (mut passed, mut given) = (0, 0u64);
            for wait in waits {
                passed += wait;
                given += u64::from(rates.take(&who, 1.0, start + Duration::from_millis(passed)).is_ok());
                proptest::prop_assert!(given <= 3 + passed * 2 / 1_000);
            }
        }
    }
}
