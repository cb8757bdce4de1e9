//! How the model's values lie in columns: keys as uuid, days as date, whole records as json.
//!
//! Must not know: tables.

use std::error::Error;

use bytes::{BufMut, BytesMut};
use postgres::Row;
use postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use serde::Serialize;

use super::connect::{get, record};
use crate::model::*;
use crate::store::Result;

/// A record for a json column. The database's functions refuse a document that has an escaped NUL
/// anywhere: it becomes a space, which separates words as well and is as long.
#[derive(Debug)]
pub struct Record<'a, T>(pub &'a T);

impl<T: Serialize + std::fmt::Debug> ToSql for Record<'_, T> {
    fn to_sql(
        &self,
        _: &Type,
        out: &mut BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.put_slice(without_nul(serde_json::to_string(self.0)?).as_bytes());
        Ok(IsNull::No)
    }
    fn accepts(ty: &Type) -> bool {
        *ty == Type::JSON
    }
    to_sql_checked!();
}

/// JSON whose escaped NULs are spaces.
fn without_nul(json: String) -> String {
    const NUL: &str = "\\u0000";
    if !json.contains(NUL) {
        return json;
    }
    let mut clean = String::with_capacity(json.len());
    let mut rest = json.as_str();
    while let Some(at) = rest.find(NUL) {
        let (before, found) = rest.split_at(at);
        clean.push_str(before);
        // After an odd number of backslashes this one is escaped itself, and stands for itself.
        let backslashes = before.bytes().rev().take_while(|byte| *byte == b'\\').count();
        clean.push_str(if backslashes % 2 == 0 { " " } else { NUL });
        rest = found.strip_prefix(NUL).unwrap_or_default();
    }
    clean + rest
}

/// Text for a text column, which holds no NUL either.
pub fn plain(text: &str) -> String {
    text.replace('\0', " ")
}

/// Counts that are never negative, and wholes that fill all 64 bits.
pub fn count(n: i64) -> u64 {
    u64::try_from(n).unwrap_or(0)
}

/// For bigint columns.
pub fn number(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// A lease as it was given, without its tasks: all columns of a pace row from `first` on.
pub fn pace(row: &Row) -> Result<Pace> {
    Ok(Pace {
        next_at: get(row, 1)?,
        delay: get(row, 2)?,
        blocked_until: get(row, 3)?,
        response_ms: get(row, 4)?,
        failures: get(row, 5)?,
        hosts: record(row, 6)?,
        operator_delay: get(row, 7)?,
    })
}

/// A story's head: all columns of its row.
pub fn head(row: &Row) -> Result<StoryHead> {
    Ok(StoryHead {
        id: get(row, 0)?,
        articles: count(get(row, 1)?),
        original: Standing {
            sighting: sighting(row, 11)?,
            rank: Rank { at: get(row, 12)?, first_seen: get(row, 13)?, key: get(row, 14)? },
        },
        first: Rank { at: get(row, 2)?, first_seen: get(row, 3)?, key: get(row, 4)? },
        day: get(row, 5)?,
        last: Rank { at: get(row, 6)?, first_seen: get(row, 7)?, key: get(row, 8)? },
        newest: get(row, 9)?,
        series: get(row, 10)?,
        pattern: get(row, 15)?,
    })
}

/// For smallint columns, see `deploy/sql/0008_sightings.sql`.
pub fn sighting_number(sighting: Sighting) -> i16 {
    match sighting {
        Sighting::Corroborated => 0,
        Sighting::Open => 1,
        Sighting::Contradicted => 2,
    }
}

fn sighting(row: &Row, column: usize) -> Result<Sighting> {
    Ok(match get::<i16>(row, column)? {
        0 => Sighting::Corroborated,
        1 => Sighting::Open,
        _ => Sighting::Contradicted,
    })
}

/// A member, without its brands, and its story: all columns of its row.
pub fn member(row: &Row) -> Result<(UrlKey, Member)> {
    let nearest: Option<UrlKey> = get(row, 6)?;
    let similarity: Option<f32> = get(row, 7)?;
    let member = Member {
        key: get(row, 0)?,
        outlet: get(row, 2)?,
        at: get(row, 3)?,
        day: get(row, 4)?,
        first_seen: get(row, 5)?,
        sighting: sighting(row, 8)?,
        nearest: nearest.zip(similarity),
        brands: Vec::new(),
    };
    Ok((get(row, 1)?, member))
}

/// A mention row: its columns in the order of the table, the version left out.
pub fn mention_row(row: &Row) -> Result<MentionRow> {
    let short = |n: i64| u32::try_from(n).unwrap_or(u32::MAX);
    Ok(MentionRow {
        brand: get(row, 0)?,
        day: get(row, 1)?,
        article: get(row, 2)?,
        outlet: get(row, 3)?,
        language: get(row, 4)?,
        feed: get(row, 5)?,
        backlog: get(row, 6)?,
        own_outlet: get(row, 7)?,
        counted: short(get(row, 8)?),
        suppressed: short(get(row, 9)?),
        mentions: record(row, 10)?,
    })
}

/// An article's record, and its text and blocks if they are there, from three columns.
pub fn article(row: &Row, first: usize) -> Result<ArticleRecord> {
    let mut article: ArticleRecord = record(row, first)?;
    if let Some(text) = get(row, first + 1)? {
        article.article.text = text;
        article.article.blocks = record(row, first + 2)?;
    }
    Ok(article)
}

/// A tally from nine columns.
pub fn tally(row: &Row, first: usize) -> Result<Tally> {
    Ok(Tally {
        articles: get(row, first)?,
        mentions: get(row, first + 1)?,
        suppressed: get(row, first + 2)?,
        stories: get(row, first + 3)?,
        originals: get(row, first + 4)?,
        backlog: get(row, first + 5)?,
        own: get(row, first + 6)?,
        late: get(row, first + 7)?,
        late_week: get(row, first + 8)?,
    })
}
