//! The robots.txt rules that are held in memory: of as many origins as fit into a number of bytes, those
//! that were asked for last. All of them are in the store too, with the bodies they were read from.
//!
//! Must not know: how robots.txt is fetched, what the rules say.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::frontier::Robots;
use crate::model::RobotsRecord;

/// What is known of an origin's robots.txt, and what it says.
#[derive(Clone)]
pub(super) struct Rules {
    /// Without its body.
    pub record: Arc<RobotsRecord>,
    pub robots: Arc<Robots>,
}

impl Rules {
    /// Reads a record for a product token.
    pub fn of(record: RobotsRecord, token: &str) -> Rules {
        let robots = Arc::new(Robots::of(&record, token));
        let record = Arc::new(RobotsRecord { body: String::new(), ..record });
        Rules { record, robots }
    }

    /// Bytes of memory that are held, tables included.
    fn bytes(&self) -> usize {
        const BESIDE: usize = 512;
        BESIDE + 3 * self.record.origin.len() + self.robots.bytes()
    }
}

/// See the module's documentation.
pub(super) struct Cache {
    /// Bytes held at most.
    most: usize,
    bytes: usize,
    /// Counts what is asked for.
    turn: u64,
    /// By origin, each with the turn in which it was asked for last.
    rules: HashMap<String, (u64, Rules)>,
    turns: BTreeMap<u64, String>,
}

impl Cache {
    pub fn new(most: usize) -> Cache {
        Cache { most, bytes: 0, turn: 0, rules: HashMap::new(), turns: BTreeMap::new() }
    }

    pub fn get(&mut self, origin: &str) -> Option<Rules> {
        let (turn, rules) = self.rules.get_mut(origin)?;
        let name = self.turns.remove(turn)?;
        self.turn += 1;
        *turn = self.turn;
        self.turns.insert(self.turn, name);
        Some(rules.clone())
    }

    /// Holds the rules of an origin instead of those that were held, if they fit at all.
    pub fn put(&mut self, rules: Rules) {
        let origin = rules.record.origin.clone();
        self.drop(&origin);
        self.turn += 1;
        self.bytes += rules.bytes();
        self.turns.insert(self.turn, origin.clone());
        self.rules.insert(origin, (self.turn, rules));
        while self.bytes > self.most
            && let Some((_, oldest)) = self.turns.first_key_value()
        {
            let oldest = oldest.clone();
            self.drop(&oldest);
        }
    }

    pub fn clear(&mut self) {
        *self = Cache::new(self.most);
    }

    fn drop(&mut self, origin: &str) {
        if let Some((turn, rules)) = self.rules.remove(origin) {
            self.turns.remove(&turn);
            self.bytes -= rules.bytes();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::RobotsStatus;

    fn rules(n: usize, body: &str) -> Rules {
        let record = RobotsRecord {
            origin: format!("https://{n}.test:443"),
            fetched: 0,
            fresh_until: 0,
            status: RobotsStatus::Fetched,
            body: body.into(),
            unreachable_since: None,
        };
        Rules::of(record, "crawler")
    }

    /// 500 KiB each, thousands of rules.
    #[test]
    fn large_files_push_out_what_was_not_asked_for() {
        let large: String =
            (0..19_900).map(|n| format!("Disallow: /section/{n:06}\n")).collect::<String>();
        let body = format!("User-agent: *\n{large}");
        let mut held = Cache::new(8 << 20);
        for n in 0..60 {
            held.put(rules(n, &body));
            assert!(held.get("https://0.test:443").is_some(), "asked for each time");
            assert!(held.bytes <= held.most);
            let bytes: usize = held.rules.values().map(|(_, rules)| rules.bytes()).sum();
            assert_eq!(held.bytes, bytes);
            assert_eq!(held.rules.len(), held.turns.len());
            // No second copy of the body lies beside its rules.
            assert!(held.rules.values().all(|(_, rules)| rules.record.body.is_empty()));
        }
        assert!(held.rules.len() > 5, "{} of 8 MiB", held.rules.len());
        assert!(held.get("https://59.test:443").is_some());
        assert!(held.get("https://1.test:443").is_none());
        // Of the same origin only the last is held.
        let before = held.rules.len();
        held.put(rules(59, ""));
        assert_eq!(held.rules.len(), before);
        held.clear();
        assert_eq!((held.bytes, held.rules.len(), held.turns.len()), (0, 0, 0));
    }

    #[test]
    fn small_files_count_too() {
        let mut held = Cache::new(1 << 20);
        (0..5_000).for_each(|n| held.put(rules(n, "User-agent: *\nDisallow: /x\n")));
        assert!(held.bytes <= held.most && held.rules.len() > 1_000, "{}", held.rules.len());
    }
}
