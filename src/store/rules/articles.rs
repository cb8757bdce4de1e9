//! Articles: what comes with one, and what goes with it.
//!
//! Must not know: how articles, mentions and copies were found, where records are kept.

use std::collections::{BTreeMap, BTreeSet};

use super::{Rows, log, sightings, stories, sums};
use crate::model::*;
use crate::store::{ArticleCommit, Remembered, Result, StoreError};

/// Articles and what belongs to them alone.
pub trait ArticleRows {
    /// Version of the brand set in use.
    fn version(&self) -> String;
    /// Those of `keys` that are articles.
    fn articles_among(&mut self, keys: &[UrlKey]) -> Result<BTreeSet<UrlKey>>;
    /// Stores record and vector of an article; `mentions` are its rows, which are stored apart.
    fn put_article(
        &mut self,
        record: &ArticleRecord,
        vector: &[u8],
        mentions: &[MentionRow],
    ) -> Result<()>;
    /// Replaces the vector of an article published `at`.
    fn put_print(&mut self, article: UrlKey, at: Millis, vector: &[u8]) -> Result<()>;
    /// Its record, with or without the text.
    fn article(&mut self, key: UrlKey) -> Result<Option<ArticleRecord>>;
    /// Replaces what its record, and its rows under every brand set, say of how it was listed. Returns its
    /// rows under the brand set in use, as they were.
    fn put_listing(&mut self, key: UrlKey, listing: Listing) -> Result<Vec<MentionRow>>;
    /// Removes all of an article but its entry and its story. Returns when it was published, and its
    /// rows under the brand set in use.
    fn take_article(&mut self, key: UrlKey) -> Result<Option<(Millis, Vec<MentionRow>)>>;
    /// Replaces the rows of an article under one brand set.
    fn put_rows(&mut self, version: &str, article: UrlKey, mentions: &[&MentionRow]) -> Result<()>;
    fn put_excerpts(&mut self, excerpts: &[Excerpt]) -> Result<()>;
    /// Remembers what a page printed, and lets leave what is in excess of its day, and what is too old.
    fn remember(&mut self, record: &ArticleRecord, printed: &Remembered) -> Result<()>;
}

/// How an article was first listed by one who speaks for it.
#[derive(Clone, Copy, Debug)]
pub struct Listing {
    pub feed: UrlKey,
    pub backlog: bool,
    pub sighting: Sighting,
}

impl Listing {
    /// The record as it says.
    pub fn in_record(self, record: ArticleRecord) -> ArticleRecord {
        let Listing { feed, backlog, sighting } = self;
        ArticleRecord { feed, backlog, sighting, ..record }
    }

    /// A mention row as it says.
    pub fn in_row(self, row: MentionRow) -> MentionRow {
        let Listing { feed, backlog, .. } = self;
        MentionRow { feed, backlog, ..row }
    }
}

/// The article that an entry ends as. Returns that outcome.
pub fn add(
    rows: &mut dyn Rows,
    url: &UrlRecord,
    commit: Option<ArticleCommit>,
    aliases: &[UrlKey],
) -> Result<Outcome> {
    let Some(commit) = commit else {
        return Err(StoreError::Other(format!(
            "the entry {} ends as an article without one",
            url.key
        )));
    };
    let sighting = sightings::judge(url.sight, &commit.record.published);
    let record = &ArticleRecord { sighting, ..commit.record };
    if record.key != url.key {
        return Err(StoreError::Other(format!(
            "the article {} was offered for the entry {}",
            record.key, url.key
        )));
    }
    let current = rows.version();
    if commit.brand_set != current {
        return Err(StoreError::StaleBrandSet { given: commit.brand_set, current });
    }
    put(rows, record, Some(url.arrival), &commit.vector, &commit.mentions)?;
    if let Some(printed) = &commit.printed {
        rows.remember(record, printed)?;
    }
    rows.put_excerpts(&commit.excerpts)?;
    log::note(rows, record.key, record.published.at, false)?;
    stories::join(rows, stories::member_of(record), commit.joining)?;
    rows.put_aliases(url.key, &others(url.key, aliases))?;
    Ok(Outcome::Article)
}

/// Takes over what is known since an article's own outlet was seen to list it, by this entry: until then only
/// others had named it. It counts under the outlet's feed from then on.
pub fn listed(rows: &mut dyn Rows, key: UrlKey, own: &UrlRecord) -> Result<()> {
    let Some(record) = rows.article(key)? else { return Ok(()) };
    rows.changes().listed.push(key);
    let sighting = sightings::judge(own.sight, &record.published);
    let listing = Listing { feed: own.feed, backlog: own.backlog, sighting };
    let arrival = rows.url(key)?.map(|url| url.arrival);
    for row in rows.put_listing(key, listing)? {
        rows.changes().tally(&row.brand, row.day, &sums::of_row(&row, arrival, -1));
        let row = listing.in_row(row);
        rows.changes().tally(&row.brand, row.day, &sums::of_row(&row, arrival, 1));
    }
    stories::stand(rows, key, sighting)
}

/// The keys that are not the article's own, each once.
pub fn others(article: UrlKey, aliases: &[UrlKey]) -> Vec<UrlKey> {
    let others: BTreeSet<UrlKey> = aliases.iter().copied().filter(|key| *key != article).collect();
    others.into_iter().collect()
}

/// Stores an article whose entry arrived on the day given, and counts it.
pub fn put(
    rows: &mut dyn Rows,
    record: &ArticleRecord,
    arrival: Option<Day>,
    vector: &[u8],
    mentions: &[MentionRow],
) -> Result<()> {
    rows.put_article(record, vector, mentions)?;
    count(rows, record.key, arrival, mentions)
}

/// Counts an article whose record is stored, and stores its rows.
pub fn count(
    rows: &mut dyn Rows,
    article: UrlKey,
    arrival: Option<Day>,
    mentions: &[MentionRow],
) -> Result<()> {
    rows.changes().articles += 1;
    let version = rows.version();
    for row in put_rows(rows, &version, article, mentions)? {
        rows.changes().tally(&row.brand, row.day, &sums::of_row(row, arrival, 1));
    }
    Ok(())
}

/// Replaces the rows of an article under one brand set: one per brand. Returns them.
pub fn put_rows<'r>(
    rows: &mut dyn Rows,
    version: &str,
    article: UrlKey,
    mentions: &'r [MentionRow],
) -> Result<Vec<&'r MentionRow>> {
    if let Some(row) = mentions.iter().find(|row| row.article != article) {
        return Err(StoreError::Other(format!(
            "a mention row of {} was offered for the article {article}",
            row.article
        )));
    }
    let by_brand: BTreeMap<&str, &MentionRow> =
        mentions.iter().map(|row| (row.brand.as_str(), row)).collect();
    let mentions: Vec<&MentionRow> = by_brand.into_values().collect();
    rows.put_rows(version, article, &mentions)?;
    Ok(mentions)
}

/// Removes all of an article but its entry and its story.
pub fn remove(rows: &mut dyn Rows, key: UrlKey) -> Result<()> {
    let arrival = rows.url(key)?.map(|url| url.arrival);
    let Some((at, mentions)) = rows.take_article(key)? else { return Ok(()) };
    for row in mentions {
        rows.changes().tally(&row.brand, row.day, &sums::of_row(&row, arrival, -1));
    }
    rows.changes().articles -= 1;
    log::note(rows, key, at, true)
}
