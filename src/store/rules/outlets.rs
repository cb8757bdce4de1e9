//! What the operator's rule about an outlet makes of its pace keys.
//!
//! Must not know: where rules and pace are kept.

use std::collections::{BTreeMap, BTreeSet};

use super::Rows;
use crate::model::Pace;
use crate::store::{Ban, OutletRule, Result};

/// Rules about outlets, and the pace that they change.
pub trait OutletRows {
    /// The empty rule where nothing was decided.
    fn rule(&mut self, outlet: &str) -> Result<OutletRule>;
    /// The bans among the rules about these outlets.
    fn bans(&mut self, outlets: &BTreeSet<String>) -> Result<BTreeMap<String, Ban>>;
    /// Replaces a rule; the empty one is removed.
    fn put_rule(&mut self, outlet: &str, rule: &OutletRule) -> Result<()>;
    fn pace(&mut self, pace_key: &str) -> Result<Pace>;
    /// Stores pause and operator's delay of a pace key; the rest of its pace stays.
    fn put_pause(&mut self, pace_key: &str, pace: &Pace) -> Result<()>;
}

/// Replaces what the operator decided about an outlet.
pub fn set_rule(rows: &mut dyn Rows, outlet: &str, new: &OutletRule) -> Result<()> {
    let old = rows.rule(outlet)?;
    let names: BTreeSet<&String> = old.pace_keys.iter().chain(&new.pace_keys).collect();
    for name in names {
        let mut pace = rows.pace(name)?;
        change_pace(&mut pace, name, &old, new);
        rows.put_pause(name, &pace)?;
    }
    rows.put_rule(outlet, new)
}

/// What a new rule about an outlet makes of the state of one of its pace keys.
fn change_pace(pace: &mut Pace, pace_key: &String, old: &OutletRule, new: &OutletRule) {
    let known = old.pace_keys.contains(pace_key);
    let ours = new.pace_keys.contains(pace_key);
    pace.operator_delay = new.delay.filter(|_| ours);
    match new.paused_until.filter(|_| ours) {
        Some(until) => pace.blocked_until = until,
        // The server's own pauses stay.
        None if known && old.paused_until == Some(pace.blocked_until) => pace.blocked_until = 0,
        None => {}
    }
}
