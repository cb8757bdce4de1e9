//! One plain object per article, for other programs.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::model::*;
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
    pub mentions: BTreeMap<String, MentionCounts>,
    pub charset: String,
    pub model: String,
    /// Sum of the memory of its outlet that it was read with, if one was used.
    pub memory: Option<String>,
}

/// Hands every article to `each`, by publication day, until it breaks off.
pub fn export(
    store: &dyn Store,
    from: Option<Day>,
    to: Option<Day>,
    each: &mut dyn FnMut(ExportRow) -> ControlFlow<()>,
) -> Result<()> {
    visit(|each| store.articles(from, to, each), |record| Ok(each(row(store, record)?)))
}

fn row(store: &dyn Store, record: ArticleRecord) -> Result<ExportRow> {
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
    })
}
