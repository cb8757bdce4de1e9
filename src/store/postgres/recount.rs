//! A changed brand set: rows of the new version are written beside the current ones, then one
//! transaction sums them up and moves the pointer.
//!
//! Must not know: how brands are matched.

use super::connect::get;
use super::tx::Tx;
use super::{Postgres, types::count};
use crate::model::*;
use crate::store::rules::recount::put_beside;
use crate::store::rules::transfer::OtherRows;
use crate::store::{Each, Recount, Result, StoreError};

impl Recount for Postgres {
    fn brand_set(&self) -> Result<BrandSet> {
        let sql = "SELECT b.record FROM crawler_data.state AS s \
                   JOIN crawler_data.brand_sets AS b ON b.version = s.brand_set";
        Ok(self.one(sql, &[])?.unwrap_or_default())
    }

    fn recount_put(&self, set: &BrandSet, article: UrlKey, rows: &[MentionRow]) -> Result<()> {
        self.write(|tx| {
            if !put_beside(tx, set, article, rows)? {
                return Ok(());
            }
            let sql = "INSERT INTO crawler_data.recounted (version, article) VALUES ($1, $2) \
                       ON CONFLICT DO NOTHING";
            tx.conn.run(sql, &[&set.version, &article]).map(drop)
        })
    }

    fn recount_missing(&self, set: &BrandSet, each: Each<UrlKey>) -> Result<()> {
        self.pool.call(|conn| {
            conn.rows(
                "SELECT a.key FROM crawler_data.articles AS a \
                 WHERE $1 <> (SELECT brand_set FROM crawler_data.state) AND NOT EXISTS \
                 (SELECT 1 FROM crawler_data.recounted AS r WHERE r.version = $1 AND r.article = a.key) \
                 ORDER BY a.key",
                &[&set.version],
            )
        })?
        .iter()
        .try_fold(true, |go_on, row| Ok(go_on && each(get(row, 0)?)))
        .map(drop)
    }
}

impl Tx<'_> {
    pub fn flip(&mut self, set: &BrandSet) -> Result<()> {
        if set.version != self.version {
            let left: Option<i64> = self.conn.value(
                "SELECT count(*) FROM crawler_data.articles AS a WHERE NOT EXISTS \
                 (SELECT 1 FROM crawler_data.recounted AS r WHERE r.version = $1 AND r.article = a.key)",
                &[&set.version],
            )?;
            if let Some(left @ 1..) = left {
                let version = set.version.clone();
                return Err(StoreError::NotRecounted { left: count(left), version });
            }
            // What an earlier attempt has left of the new version, and all of the others.
            self.conn.batch("DELETE FROM crawler_data.tallies; DELETE FROM crawler_data.story_brands; DELETE FROM crawler_data.recounted")?;
            let sql = "DELETE FROM crawler_data.mentions WHERE version <> $1";
            self.conn.run(sql, &[&set.version])?;
            self.conn.run(
                "INSERT INTO crawler_data.story_brands (version, story, brand, members) \
                 SELECT m.version, w.story, m.brand, count(*) FROM crawler_data.mentions AS m \
                 JOIN crawler_data.members AS w ON w.article = m.article \
                 WHERE m.version = $1 AND m.counted > 0 GROUP BY 1, 2, 3",
                &[&set.version],
            )?;
            self.conn.run(
                concat!(
                    "INSERT INTO crawler_data.tallies ",
                    "(version, brand, day, articles, mentions, suppressed, stories, originals, ",
                    "backlog, own, late, late_week) ",
                    "SELECT $1::text, * FROM (",
                    super::sums!(),
                    ") AS s",
                ),
                &[&set.version],
            )?;
            // From here on this transaction speaks of the new version.
        }
        self.use_brand_set(set)
    }
}
