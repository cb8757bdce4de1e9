//! Every key there is, and the one that was probably meant by a key that there is not.
//!
//! Must not know: where keys are read.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Config;

/// A key that is less like what was written than this is no help (Jaro and Winkler's similarity).
const LIKE: f64 = 0.8;

/// All keys, `section.key`, with the values of a configuration; `null`: not set.
pub fn all(config: &Config) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    // Plain data: there is nothing in it that JSON could not hold.
    let value = serde_json::to_value(config).unwrap_or_default();
    leaves("", value, &mut found);
    found
}

fn leaves(at: &str, value: Value, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(section) => {
            for (name, value) in section {
                let key = if at.is_empty() { name } else { format!("{at}.{name}") };
                leaves(&key, value, found);
            }
        }
        value => found.push((at.to_owned(), value)),
    }
}

/// What keys a configuration can have.
pub struct Keys(BTreeSet<String>);

impl Keys {
    pub fn new() -> Keys {
        Keys(all(&Config::default()).into_iter().map(|(key, _)| key).collect())
    }

    /// Is there such a key or section? Below a key there is nothing to know.
    pub fn has(&self, key: &str) -> bool {
        let below = |known: &String| {
            known == key
                || known.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'))
                || key.strip_prefix(known.as_str()).is_some_and(|rest| rest.starts_with('.'))
        };
        self.0.iter().any(below)
    }

    /// A key of this section, if it is one.
    pub fn within(&self, section: &str) -> Option<&str> {
        let inner =
            |key: &&String| key.strip_prefix(section).is_some_and(|rest| rest.starts_with('.'));
        self.0.iter().find(inner).map(String::as_str)
    }

    /// Says that there is no such key, and which one is most like it.
    pub fn unknown(&self, key: &str) -> String {
        let mut sections = BTreeSet::new();
        for known in &self.0 {
            for (at, _) in known.match_indices('.') {
                sections.insert(&known[..at]);
            }
        }
        let name = |key: &'_ str| -> usize { key.rfind('.').map_or(0, |at| at + 1) };
        let alike = |known: &str| {
            let whole = strsim::jaro_winkler(key, known);
            // The same key of another section is meant more often than another key of this one.
            let last = strsim::jaro_winkler(&key[name(key)..], &known[name(known)..]) - 0.02;
            whole.max(last)
        };
        let known = self.0.iter().map(String::as_str).chain(sections);
        let nearest = known.max_by(|a, b| alike(a).total_cmp(&alike(b)));
        match nearest.filter(|known| alike(known) >= LIKE) {
            Some(nearest) => format!("unknown key `{key}`: is `{nearest}` meant?"),
            None => format!("unknown key `{key}`: `crawler config show` lists all keys"),
        }
    }
}
