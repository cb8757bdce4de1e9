//! What each item of another store becomes here.
//!
//! Must not know: which store gives, which one takes.

use super::{Rows, articles, entries, log, outlets, stories};
use crate::model::*;
use crate::store::transfer::Item;
use crate::store::{Result, history};

/// Rows that only a transfer writes one by one.
pub trait OtherRows {
    /// Stores a brand set and uses it.
    fn use_brand_set(&mut self, set: &BrandSet) -> Result<()>;
    fn put_value(&mut self, name: &str, value: &[u8]) -> Result<()>;
    fn put_robots(&mut self, record: &RobotsRecord) -> Result<()>;
    /// The whole state of a pace key that nobody has leased.
    fn put_pace(&mut self, pace_key: &str, pace: &Pace) -> Result<()>;
    fn put_printed(&mut self, record: &ArticleRecord, printed: &[u8]) -> Result<()>;
}

/// Takes an item over into a store that has none of its kind under its key.
pub fn take(rows: &mut dyn Rows, item: Item) -> Result<()> {
    match item {
        Item::Brands(set) => rows.use_brand_set(&set),
        Item::Value { name, value } => match history::told_by(&name, &value.0, &rows.version())? {
            Some(told) => told.iter().try_for_each(|decision| rows.put_decision(decision)),
            None => rows.put_value(&name, &value.0),
        },
        Item::Decision(decision) => rows.put_decision(&decision),
        Item::Rule { outlet, rule } => outlets::set_rule(rows, &outlet, &rule),
        Item::Alert(alert) => rows.put_alert(&alert),
        Item::Note(note) => rows.put_note(&note).map(drop),
        Item::Feed(feed) => rows.put_feed(None, &feed),
        Item::Entry(record) => entries::insert(rows, &[*record]),
        Item::Alias { key, article } => rows.put_aliases(article, &[key]),
        Item::Article { record, vector, mentions, printed } => {
            let arrival = rows.url(record.key)?.map(|url| url.arrival);
            articles::put(rows, &record, arrival, &vector.0, &mentions)?;
            if let Some(printed) = printed {
                rows.put_printed(&record, &printed.0)?;
            }
            log::note(rows, record.key, record.published.at, false)
        }
        Item::Story(story) => stories::put(rows, &story),
        Item::Absorbed { id, story } => rows.put_absorbed(id, story),
        Item::Excerpt(excerpt) => rows.put_excerpts(&[excerpt]),
        Item::Polls { day, outlet, due, succeeded, left, brought } => {
            let ledger = rows.changes().ledger(day, &outlet);
            ledger.polls_due += due;
            ledger.polls_succeeded += succeeded;
            ledger.have_left(left);
            ledger.brought = brought;
            Ok(())
        }
        Item::Robots(record) => rows.put_robots(&record),
        Item::Pace { pace_key, pace } => rows.put_pace(&pace_key, &pace),
    }
}
