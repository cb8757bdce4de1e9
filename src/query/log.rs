//! Who decided what, and when.
//!
//! Must not know: how decisions are made.

use serde::{Deserialize, Serialize};

use super::place::LogPlace;
use super::time::day_zone;
use crate::model::{Day, Millis, day_of};
use crate::store::decision::{Topic, Via};
use crate::store::{Result, Store};

/// Which decisions. `None` = any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogQuery {
    /// Inclusive days of the configured zone.
    pub from: Option<Day>,
    pub to: Option<Day>,
    /// Name of a token or user.
    pub who: Option<String>,
    pub what: Option<Topic>,
    /// Only what stands behind this one.
    #[serde(default)]
    pub after: Option<LogPlace>,
    /// At most so many; 0 = all.
    pub limit: usize,
}

/// One decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    pub at: Millis,
    /// Name of a token or user; empty where an older version did not note it.
    pub who: String,
    pub via: Via,
    pub what: Topic,
    /// What was decided, in words.
    pub decision: String,
}

/// Decisions, the latest first.
pub fn log(store: &dyn Store, query: &LogQuery) -> Result<Vec<LogLine>> {
    let LogQuery { from, to, who, what, after, limit } = query;
    let zone = day_zone(store)?;
    let within = |at| {
        let day = day_of(at, &zone);
        from.is_none_or(|from| day >= from) && to.is_none_or(|to| day <= to)
    };
    let mut lines = Vec::new();
    // Gone as soon as a decision stands behind it.
    let mut behind = *after;
    store.decisions(*what, &mut |decision| {
        let asked = who.as_ref().is_none_or(|who| *who == decision.who.name);
        if !asked || !within(decision.at) {
            return true;
        }
        if behind.as_mut().is_some_and(|place| place.passes(decision.at)) {
            return true;
        }
        behind = None;
        lines.push(LogLine {
            at: decision.at,
            who: decision.who.name,
            via: decision.who.via,
            what: decision.topic,
            decision: decision.words,
        });
        *limit == 0 || lines.len() < *limit
    })?;
    Ok(lines)
}
