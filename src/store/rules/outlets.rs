//! What the operator's rule about an outlet makes of its pace keys.
//!
//! Must not know: where rules and pace are kept.

use crate::model::Pace;
use crate::store::OutletRule;

/// What a new rule about an outlet makes of the state of one of its pace keys.
pub fn change_pace(pace: &mut Pace, pace_key: &String, old: &OutletRule, new: &OutletRule) {
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
