//! The rows of every table, from a store.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Table;
use crate::model::*;
use crate::query::series::{By, MentionsQuery, mentions};
use crate::store::{Result, Store, visit};

/// Counted and suppressed mentions of one brand in one article.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MentionCounts {
    pub counted: u32,
    pub suppressed: u32,
}

/// One exported article. Scripts rely on these names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExportRow {
    pub key: UrlKey,
    /// As the feed gave it.
    pub url: String,
    pub final_url: String,
    pub outlet: String,
    pub text: String,
    pub title: Option<String>,
    pub authors: Vec<String>,
    /// News agencies that it credits, the first first.
    pub agencies: Vec<String>,
    /// RFC 3339, UTC; for day precision the day alone.
    pub published: String,
    /// Day that the article is counted under.
    pub day: Day,
    pub language: Option<String>,
    /// The same for all copies of one story.
    pub story: Option<UrlKey>,
    /// First of its story.
    pub original: bool,
    /// What our own sightings say of its date.
    pub sighting: Sighting,
    /// In no table of columns: the table of mentions has them row by row.
    pub mentions: BTreeMap<String, MentionCounts>,
    pub charset: String,
    pub model: String,
    /// Sum of the memory of its outlet that it was read with, if one was used.
    pub memory: Option<String>,
    /// RFC 3339, UTC.
    pub first_seen: String,
    /// It came with the first poll of its feed.
    pub backlog: bool,
}

/// Hands every row of a table to `each`, by day, until it breaks off. `now` decides which days are
/// provisional.
pub fn export(
    store: &dyn Store,
    table: Table,
    (from, to): (Option<Day>, Option<Day>),
    now: Millis,
    each: &mut dyn FnMut(Value) -> ControlFlow<()>,
) -> Result<()> {
    let articles = |each: &mut dyn FnMut(ArticleRecord) -> Result<ControlFlow<()>>| {
        visit(|each| store.articles(from, to, each), each)
    };
    match table {
        Table::Articles => articles(&mut |record| Ok(each(json!(article(store, record)?)))),
        Table::Mentions => articles(&mut |record| mentioned(store, &record, each)),
        Table::Stories => articles(&mut |record| {
            Ok(story(store, record)?.map_or(ControlFlow::Continue(()), &mut *each))
        }),
        Table::Tallies => {
            let query = MentionsQuery { brand: None, from, to, by: By::Day };
            let mut lines = mentions(store, &query, now)?.lines;
            lines.sort_by(|a, b| (&a.bucket, &a.brand).cmp(&(&b.bucket, &b.brand)));
            let _ = lines.into_iter().try_for_each(|line| {
                each(json!({
                    "day": line.bucket,
                    "brand": line.brand,
                    "stories": line.stories,
                    "articles": line.articles,
                    "copies": line.copies,
                    "mentions": line.mentions,
                    "suppressed": line.suppressed,
                    "backlog": line.backlog,
                    "own": line.own,
                    "late": line.late,
                    "coverage": line.coverage,
                    "provisional": line.provisional,
                    "incomplete": line.incomplete,
                    "revised": line.revised,
                }))
            });
            Ok(())
        }
        Table::Coverage => {
            let mut rows = store.ledger(from, to)?;
            rows.sort_by(|a, b| (a.day, &a.outlet).cmp(&(b.day, &b.outlet)));
            let _ = rows.into_iter().try_for_each(|row| {
                each(json!({
                    "day": row.day,
                    "outlet": row.outlet,
                    "polls_due": row.polls.due,
                    "polls_succeeded": row.polls.succeeded,
                    "entries": row.entries,
                    "outcomes": row.outcomes,
                }))
            });
            Ok(())
        }
    }
}

/// RFC 3339, UTC.
fn instant(at: Millis) -> String {
    jiff::Timestamp::from_millisecond(at).unwrap_or_default().to_string()
}

fn article(store: &dyn Store, record: ArticleRecord) -> Result<ExportRow> {
    let story = store.story_head_of(record.key)?;
    let mentions = store
        .mentions_of(record.key)?
        .into_iter()
        .map(|r| (r.brand, MentionCounts { counted: r.counted, suppressed: r.suppressed }))
        .collect();
    let published = match record.published.precision {
        Precision::Day => record.published.day.to_string(),
        _ => jiff::Timestamp::from_millisecond(record.published.at)
            .map_or_else(|_| record.published.day.to_string(), |t| t.to_string()),
    };
    Ok(ExportRow {
        key: record.key,
        url: record.url,
        final_url: record.final_url,
        outlet: record.outlet,
        title: record.article.title.map(|t| t.value),
        authors: record.article.authors.into_iter().map(|a| a.value).collect(),
        agencies: record.agencies.into_iter().flatten().map(|a| a.value).collect(),
        published,
        day: record.published.day,
        language: record.article.language.map(|l| l.value),
        sighting: record.sighting,
        original: story.as_ref().is_none_or(|s| s.original.rank.key == record.key),
        story: story.map(|s| s.id),
        mentions,
        charset: record.charset.0,
        model: record.article.model,
        memory: record.memory.map(|memory| memory.sum),
        text: record.article.text,
        first_seen: instant(record.first_seen),
        backlog: record.backlog,
    })
}

/// A row per brand that an article names anywhere.
fn mentioned(
    store: &dyn Store,
    record: &ArticleRecord,
    each: &mut dyn FnMut(Value) -> ControlFlow<()>,
) -> Result<ControlFlow<()>> {
    let rows = store.mentions_of(record.key)?;
    if rows.is_empty() {
        return Ok(ControlFlow::Continue(()));
    }
    let story = store.story_head_of(record.key)?;
    let original = story.as_ref().is_none_or(|s| s.original.rank.key == record.key);
    Ok(rows.into_iter().try_for_each(|row| {
        each(json!({
            "day": row.day,
            "brand": row.brand,
            "counted": row.counted,
            "suppressed": row.suppressed,
            "outlet": row.outlet,
            "story": story.as_ref().map(|s| s.id),
            "url": record.url,
            "article": row.article,
            "language": row.language,
            "original": original,
            "backlog": row.backlog,
            "own": row.own_outlet,
            "stuffed": row.mentions.iter().any(|mention| mention.zone == Zone::Stuffed),
        }))
    }))
}

/// The story that an article is the original of.
fn story(store: &dyn Store, record: ArticleRecord) -> Result<Option<Value>> {
    let head = store.story_head_of(record.key)?;
    if head.as_ref().is_some_and(|head| head.original.rank.key != record.key) {
        return Ok(None);
    }
    let title = record.article.title.map(|title| title.value).or(record.feed_title);
    Ok(Some(json!({
        "day": record.published.day,
        "id": head.as_ref().map_or(record.key, |head| head.id),
        "original": record.key,
        "outlet": record.outlet,
        "title": title,
        "url": record.final_url,
        "articles": head.as_ref().map_or(1, |head| head.articles),
        "last": instant(head.as_ref().map_or(record.published.at, |head| head.last.at)),
        "series": head.is_some_and(|head| head.series),
    })))
}
