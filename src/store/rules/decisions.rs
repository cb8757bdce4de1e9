//! Decisions: what each changes, with its entry in the log, and how long entries stay.
//!
//! Must not know: who decides, where the log is kept.

use super::entries::EntryRows;
use super::{Rows, feeds, outcomes, outlets, stories};
use crate::model::{Alert, AlertEvent, FeedStatus, Note, Token};
use crate::store::Result;
use crate::store::decision::{Change, Decision};

/// An entry leaves when so many later ones have come, unless its topic lasts.
pub const KEPT: u64 = if cfg!(test) { 1_000 } else { 100_000 };

/// The log, and what else only decisions write.
pub trait DecisionRows {
    /// Appends an entry, and drops those that leave.
    fn put_decision(&mut self, decision: &Decision) -> Result<()>;
    fn put_token(&mut self, token: &Token) -> Result<()>;
    fn alert(&mut self, name: &str) -> Result<Option<Alert>>;
    fn alerts(&mut self) -> Result<Vec<Alert>>;
    fn put_alert(&mut self, alert: &Alert) -> Result<()>;
    fn drop_alert(&mut self, name: &str) -> Result<()>;
    /// `false`: there is one of its id, which stays.
    fn put_note(&mut self, note: &Note) -> Result<bool>;
    /// `false`: there is none of this id.
    fn drop_note(&mut self, id: &str) -> Result<bool>;
}

/// Carries out a change and notes its decision, if it has one; what changes nothing is not noted.
/// Returns how many feeds, alerts or notes were changed, or
/// articles forgotten. The pointer to the brand set is moved
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
            // Where an outlet is paused, so are all its feeds, and none has a decision of its own.
            if let Some(decision) = decision.filter(|_| known && feed.status == FeedStatus::Paused)
            {
                feeds::release(rows, feed.key, decision.at)?;
            }
            (usize::from(known), known)
        }
        Change::FeedRemoved(key) => {
            let gone = feeds::remove(rows, key)?;
            for key in &gone {
                if let Some(decision) = decision {
                    feeds::release(rows, *key, decision.at)?;
                }
            }
            (usize::from(!gone.is_empty()), !gone.is_empty())
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
        Change::Alert(alert) => {
            let kept = keep(rows, alert)?;
            (usize::from(kept), kept)
        }
        Change::AlertRemoved(name) => {
            let known = rows.alert(name)?.is_some();
            rows.drop_alert(name)?;
            (usize::from(known), known)
        }
        Change::Note(note) => {
            let new = rows.put_note(note)?;
            (usize::from(new), new)
        }
        Change::NoteRemoved(id) => {
            let known = rows.drop_note(id)?;
            (usize::from(known), known)
        }
    };
    if let Some(decision) = decision.filter(|_| noted) {
        rows.put_decision(decision)?;
    }
    Ok(changed)
}

/// Puts an alert in the place of the one that it was made of; `false`: that is another by now. What it tells
/// anew of articles that have been forgotten meanwhile is left out.
pub fn keep(rows: &mut (impl DecisionRows + EntryRows + ?Sized), alert: &Alert) -> Result<bool> {
    let found = rows.alert(&alert.rule.name)?;
    let revision = found.as_ref().map_or(0, |found| found.revision);
    if revision != alert.revision {
        return Ok(false);
    }
    let told = found.map_or_else(Vec::new, |found| found.events);
    let mut alert = Alert { revision: revision + 1, ..alert.clone() };
    let known = |event: &AlertEvent| told.iter().any(|told| told.id == event.id);
    for event in alert.events.iter_mut().filter(|event| !known(event)) {
        event.forget_ended(|key| rows.url(key))?;
    }
    rows.put_alert(&alert)?;
    Ok(true)
}
