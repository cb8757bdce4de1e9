//! Entries: where each stands in its queue, and how it changes by what becomes of it.
//!
//! Must not know: how entries and articles were found, where they are kept.

use std::collections::BTreeMap;

use super::{Rows, articles, budget};
use crate::model::*;
use crate::store::rules::budget::{Kind, OVER_BUDGET};
use crate::store::{BLOCKED, Ban, Result, StoreError};

/// Entries, their tasks, and the other keys that articles have.
pub trait EntryRows {
    fn url(&mut self, key: UrlKey) -> Result<Option<UrlRecord>>;
    /// Those of `keys` that are entries, and whether only others have named them so far.
    fn known_urls(&mut self, keys: &[UrlKey]) -> Result<BTreeMap<UrlKey, bool>>;
    /// Stores entries that are not there yet; each that is pending gets its task.
    fn insert_urls(&mut self, entries: &[UrlRecord]) -> Result<()>;
    /// Replaces an entry and its task.
    fn replace_url(&mut self, old: &UrlRecord, new: &UrlRecord) -> Result<()>;
    /// Removes entries that are not pending.
    fn remove_urls(&mut self, keys: &[UrlKey]) -> Result<()>;
    /// Those of `keys` that are other keys of an article.
    fn aliases(&mut self, keys: &[UrlKey]) -> Result<BTreeMap<UrlKey, Alias>>;
    fn put_aliases(&mut self, article: UrlKey, keys: &[UrlKey]) -> Result<()>;
}

/// What another key of an article leads to.
#[derive(Clone, Copy, Debug)]
pub struct Alias {
    pub article: UrlKey,
    /// The article has been forgotten.
    pub forgotten: bool,
}

impl Alias {
    /// How an entry ends that turns out to be such a key.
    fn outcome(self) -> Outcome {
        if self.forgotten { Outcome::Forgotten } else { Outcome::Known(self.article) }
    }
}

/// First sights of entries, and first sights by those that speak for them; others change nothing.
/// Returns how many were new.
pub fn first_sights(rows: &mut dyn Rows, entries: Vec<UrlRecord>) -> Result<u64> {
    let new = sight(rows, entries)?;
    insert(rows, &new)?;
    Ok(new.len() as u64)
}

/// What becomes of entries beyond the budget of the feed that brought them; they are taken on another day if they are
/// still listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// They are counted for the feed's outlet.
    Counted,
    /// Nothing: what led to them waits, and is counted itself.
    Waits,
}

/// First sights of entries that a feed brought, as far as its budget goes. What is beyond is not taken.
pub fn brought(
    rows: &mut dyn Rows,
    feed: &mut Feed,
    entries: Vec<UrlRecord>,
    (day, at): (Day, Millis),
    beyond: Beyond,
) -> Result<u64> {
    feed.provenance.budget = budget::on_day(feed.provenance.budget, at);
    let new = sight(rows, entries)?;
    let (mut own, mut foreign): (Vec<_>, Vec<_>) = new.into_iter().partition(|new| !new.foreign);
    let mut left_out = 0;
    for (new, kind) in [(&mut own, Kind::Own), (&mut foreign, Kind::Foreign)] {
        let room = if new.is_empty() { 0 } else { room(rows, &feed.outlet, day, kind, new.len())? };
        let taken = match kind {
            Kind::Own => &mut feed.provenance.budget.own,
            Kind::Foreign => &mut feed.provenance.budget.foreign,
        };
        let counted = taken.beyond;
        let (taking, uncounted) = budget::take(taken, kind, new.len(), room);
        new.truncate(taking);
        match beyond {
            Beyond::Counted => left_out += i64::from(uncounted),
            Beyond::Waits => taken.beyond = counted,
        }
    }
    if !(own.is_empty() && foreign.is_empty()) {
        let brought = &mut rows.changes().ledger(day, &feed.outlet).brought;
        brought.own += own.len() as i64;
        brought.foreign += foreign.len() as i64;
    }
    own.extend(foreign);
    insert(rows, &own)?;
    if left_out > 0 {
        let left = BTreeMap::from([(OVER_BUDGET.to_owned(), left_out)]);
        rows.changes().ledger(day, &feed.outlet).have_left(left);
    }
    Ok(own.len() as u64)
}

/// How many more entries of a kind the feeds of an outlet may bring on a day, all of them together. Its
/// past is looked up only where so many come that it matters.
fn room(rows: &mut dyn Rows, outlet: &str, day: Day, kind: Kind, new: usize) -> Result<u32> {
    let today = standing(rows, outlet, day)?.0;
    let today = kind.of(today);
    if today.saturating_add_unsigned(new as u64) <= budget::unasked(kind) {
        return Ok(u32::MAX);
    }
    let (mut week, mut pending) = (0, 0);
    for back in 0..budget::MEMORY {
        let Ok(before) = day.checked_sub(jiff::Span::new().days(back)) else { break };
        let (brought, waiting) = standing(rows, outlet, before)?;
        pending += waiting;
        if (1..=budget::WEEK).contains(&back) {
            week += kind.of(brought);
        }
    }
    Ok(budget::room(kind, today, week, pending))
}

/// What the feeds of an outlet have brought on a day, and how many of its entries of that day are pending.
fn standing(rows: &mut dyn Rows, outlet: &str, day: Day) -> Result<(Brought, i64)> {
    let mut row = rows.ledger(day, outlet)?;
    if let Some(added) = rows.changes().added(day, outlet) {
        row.add(added);
    }
    Ok((row.brought, row.outcomes.get(Outcome::Pending.name()).copied().unwrap_or(0)))
}

/// Those of `entries` that are not known yet, each once. What only others had named, and is named now by
/// one who speaks for it, is as if it had been seen now.
fn sight(rows: &mut dyn Rows, entries: Vec<UrlRecord>) -> Result<Vec<UrlRecord>> {
    let mut new: BTreeMap<UrlKey, UrlRecord> = BTreeMap::new();
    for mut entry in entries {
        // What came with the first poll of another's feed may be fresh.
        entry.backlog &= !entry.foreign;
        if entry.foreign {
            entry.arrived = Arrived::Not;
        }
        match new.get(&entry.key) {
            Some(known) if entry.foreign || !known.foreign => {}
            _ => drop(new.insert(entry.key, entry)),
        }
    }
    let keys: Vec<UrlKey> = new.keys().copied().collect();
    for (key, hearsay) in rows.known_urls(&keys)? {
        let Some(own) = new.remove(&key).filter(|entry| hearsay && !entry.foreign) else {
            continue;
        };
        if let Some(old) = rows.url(key)? {
            confirm(rows, &old, own)?;
        }
    }
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let keys: Vec<UrlKey> = new.keys().copied().collect();
    for (key, alias) in rows.aliases(&keys)? {
        if let Some(entry) = new.get_mut(&key) {
            entry.outcome = alias.outcome();
        }
    }
    let bans = rows.bans(&new.values().map(|entry| entry.outlet.clone()).collect())?;
    let entries: Vec<UrlRecord> = new
        .into_values()
        .map(|entry| {
            let ban = bans.get(&entry.outlet).copied();
            under_ban(entry, ban)
        })
        .collect();
    for entry in &entries {
        confirm_known(rows, entry)?;
    }
    Ok(entries)
}

/// Takes over what one who speaks for an entry says of it: feed, backlog and sight are its own from then on. How
/// it ended on hearsay counts no more, unless its outlet's answers made it an article. (What is *known* as another one's
/// copy may be an article of its own now.)
fn confirm(rows: &mut dyn Rows, old: &UrlRecord, own: UrlRecord) -> Result<()> {
    // Where its outlet led before it was there (to the front page, say) is not where it leads now.
    let stays = matches!(old.outcome, Outcome::Article | Outcome::Forgotten);
    if old.outcome == Outcome::Article {
        articles::listed(rows, old.key, &own)?;
    }
    let new = if stays {
        listed(old, &own)
    } else {
        let bans = rows.bans(&[own.outlet.clone()].into())?;
        let ban = bans.get(&own.outlet).copied();
        under_ban(own, ban)
    };
    counted_anew(rows, old, &new)?;
    confirm_known(rows, &new)
}

/// An entry of which only others had spoken, since one who speaks for it has listed it. It arrives now: alerts have judged
/// the hour of its first sight. Where it has been counted then, as versions of before did, it stays counted.
fn listed(old: &UrlRecord, own: &UrlRecord) -> UrlRecord {
    let UrlRecord { feed, backlog, sight, .. } = *own;
    let arrived = match old.arrived {
        Arrived::Not => own.arrives().map_or(Arrived::Not, |(day, at)| Arrived::Listed(day, at)),
        counted => counted,
    };
    UrlRecord { feed, backlog, sight, arrived, foreign: false, ..old.clone() }
}

/// Replaces an entry that may count under another day of arrival, and counts as one of its outlet's from now on.
fn counted_anew(rows: &mut dyn Rows, old: &UrlRecord, new: &UrlRecord) -> Result<()> {
    rows.changes().entry(old, -1);
    rows.changes().entry(new, 1);
    rows.replace_url(old, new)
}

/// An entry of an outlet's own feed turns out to be an article that only others had named: they have
/// named the outlet's article, under another address.
pub fn confirm_known(rows: &mut dyn Rows, own: &UrlRecord) -> Result<()> {
    let Outcome::Known(article) = own.outcome else { return Ok(()) };
    let Some(old) = rows.url(article)?.filter(|old| old.outcome == Outcome::Article) else {
        return Ok(());
    };
    if own.foreign || !old.foreign || old.outlet != own.outlet {
        return Ok(());
    }
    articles::listed(rows, article, own)?;
    // What has arrived is the entry that the outlet lists.
    counted_anew(rows, &old, &UrlRecord { arrived: Arrived::Not, ..listed(&old, own) })
}

/// Stores entries that are not there yet, and counts them.
pub fn insert(rows: &mut dyn Rows, entries: &[UrlRecord]) -> Result<()> {
    for entry in entries {
        rows.changes().entry(entry, 1);
    }
    rows.insert_urls(entries)
}

/// Stores what has become of an entry, and counts it.
pub fn replace(rows: &mut dyn Rows, old: &UrlRecord, new: &UrlRecord) -> Result<()> {
    if new.outcome != old.outcome {
        rows.changes().outcome(old, -1);
        rows.changes().outcome(new, 1);
    }
    rows.replace_url(old, new)
}

/// Ends an entry, known or not, as forgotten.
pub fn forget(rows: &mut dyn Rows, entry: &UrlRecord) -> Result<()> {
    match rows.url(entry.key)? {
        Some(old) if old.outcome == Outcome::Forgotten => Ok(()),
        Some(old) => replace(rows, &old, &tombstone(old.clone())),
        None => insert(rows, &[tombstone(entry.clone())]),
    }
}

/// How an entry ends because an article, present or forgotten, already stands under its key or one
/// of these: two entries that lead to one canonical URL must not become two articles.
pub fn same_article(
    rows: &mut dyn Rows,
    key: UrlKey,
    aliases: &[UrlKey],
) -> Result<Option<Outcome>> {
    let keys: Vec<UrlKey> = [key].iter().chain(aliases).copied().collect();
    let known = rows.aliases(&keys)?;
    if let Some(alias) = known.get(&key) {
        return Ok(Some(alias.outcome()));
    }
    for other in aliases.iter().filter(|other| **other != key) {
        if let Some(alias) = known.get(other).filter(|alias| alias.article != key) {
            return Ok(Some(alias.outcome()));
        }
        match rows.url(*other)?.map(|url| url.outcome) {
            Some(Outcome::Article) => return Ok(Some(Outcome::Known(*other))),
            Some(Outcome::Forgotten) => return Ok(Some(Outcome::Forgotten)),
            Some(Outcome::Known(article)) if article != key => {
                let url = rows.url(article)?;
                let forgotten = url.is_some_and(|url| url.outcome == Outcome::Forgotten);
                return Ok(Some(Alias { article, forgotten }.outcome()));
            }
            _ => {}
        }
    }
    Ok(None)
}

/// Lowest queue priority.
pub const LAST_PRIORITY: u8 = 4;

/// Up to this priority tasks are urgent: polls, and first attempts at what an outlet's own feeds bring.
/// Others give way to them.
pub const LAST_URGENT: u8 = 1;

/// Where a fetch stands in its queue.
pub fn priority(record: &UrlRecord) -> u8 {
    // What the outlet itself lists goes before what others say of it.
    match (record.foreign, record.backlog, record.attempts) {
        (true, ..) => LAST_PRIORITY,
        (_, true, _) => 3,
        (_, _, 0) => 1,
        _ => 2,
    }
}

/// The task of a pending URL. The URL as the feed gave it; after a redirect, where it led.
pub fn fetch_task(record: &UrlRecord) -> Task {
    let as_given = record.chain.is_empty() && !record.entry.url.is_empty();
    Task {
        kind: TaskKind::Fetch,
        key: record.key,
        url: if as_given { record.entry.url.clone() } else { record.canonical.clone() },
        due: record.next,
        attempts: record.attempts,
    }
}

/// What is kept of an entry that is forgotten: its key, by which it is known again, and what it is
/// counted under. Not its address.
pub fn tombstone(record: UrlRecord) -> UrlRecord {
    UrlRecord {
        canonical: String::new(),
        entry: Entry::default(),
        outcome: Outcome::Forgotten,
        last_error: None,
        chain: Vec::new(),
        ..record
    }
}

/// An entry at its first sight, as the operator's rule about its outlet has it.
fn under_ban(mut record: UrlRecord, ban: Option<Ban>) -> UrlRecord {
    match ban {
        Some(Ban::Forgotten) => record.outcome = Outcome::Forgotten,
        Some(Ban::Blocked) if record.outcome == Outcome::Pending => {
            record.outcome = Outcome::Refused(BLOCKED.to_owned());
        }
        _ => {}
    }
    if record.outcome == Outcome::Forgotten { tombstone(record) } else { record }
}

/// Puts a pending entry off to another attempt; `false`: it has been already.
pub fn put_off(record: &mut UrlRecord, retry: Option<(Millis, String)>) -> Result<bool> {
    let Some((next, why)) = retry else {
        return Err(StoreError::Other(format!(
            "the entry {} stays pending without a next attempt",
            record.key
        )));
    };
    if next == record.next && record.last_error.as_ref() == Some(&why) {
        return Ok(false);
    }
    record.next = next;
    record.attempts = record.attempts.saturating_add(1);
    record.last_error = Some(why);
    Ok(true)
}
