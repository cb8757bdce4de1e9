//! Decisions: what each changes, with its entry in the log, and how long entries stay.
//!
//! Must not know: who decides, where the log is kept.

use super::{Rows, feeds, outcomes, outlets, stories};
use crate::model::Token;
use crate::store::Result;
use crate::store::decision::{Change, Decision};

/// An entry leaves when so many later ones have come, unless its topic lasts.
pub const KEPT: u64 = if cfg!(test) { 1_000 } else { 100_000 };

/// The log, and what else only decisions write.
pub trait DecisionRows {
    /// Appends an entry, and drops those that leave.
    fn put_decision(&mut self, decision: &Decision) -> Result<()>;
    fn put_token(&mut self, token: &Token) -> Result<()>;
}

/// Carries out a change and notes its decision, if it has one; what changes nothing is not noted.
/// Returns how many feeds were changed, or articles forgotten. The pointer to the brand set is moved
/// by each store in its own way, before.
pub fn change(
    rows: &mut dyn Rows,
    change: &Change<'_>,
    decision: Option<&Decision>,
) -> Result<usize> {
    let (changed, noted) = match *change {
        Change::Nothing | Change::BrandSet { .. } => (0, true),
        Change::NewFeed(feed) => {
            let new = feeds::seed(rows, std::slice::from_ref(feed))?.contains(&true);
            (usize::from(new), new)
        }
        Change::Feed(feed) => {
            let known = feeds::set(rows, feed)?;
            (usize::from(known), known)
        }
        Change::FeedRemoved(key) => {
            let known = feeds::remove(rows, key)?;
            (usize::from(known), known)
        }
        Change::Rule(outlet, rule) => {
            outlets::set_rule(rows, outlet, rule)?;
            (0, true)
        }
        Change::Forget { entries, rest } => (outcomes::forget(rows, entries, rest)?, true),
        Change::Stories { prints, stories } => {
            for (article, at, print) in prints {
                rows.put_print(*article, *at, print)?;
            }
            stories::exchange(rows, stories)?;
            (0, true)
        }
        Change::Token(token) => {
            rows.put_token(token)?;
            (0, true)
        }
    };
    if let Some(decision) = decision.filter(|_| noted) {
        rows.put_decision(decision)?;
    }
    Ok(changed)
}
