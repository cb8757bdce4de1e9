//! Stories as they are stored: heads, members, and the number of members per brand.
//!
//! Must not know: why stories change.

use std::collections::{BTreeMap, BTreeSet};

use super::connect::get;
use super::read::present_id;
use super::tx::Tx;
use super::types::{head, member, number, sighting_number};
use crate::model::*;
use crate::store::Result;
use crate::store::rules::stories::StoryRows;

impl StoryRows for Tx<'_> {
    fn story_id(&mut self, id: UrlKey) -> Result<UrlKey> {
        present_id(&mut self.conn, id)
    }

    fn story_head(&mut self, id: UrlKey) -> Result<Option<StoryHead>> {
        let sql = "SELECT * FROM crawler_data.stories WHERE id = $1";
        self.conn.row(sql, &[&id])?.map(|row| head(&row)).transpose()
    }

    fn put_story_head(&mut self, head: &StoryHead) -> Result<()> {
        self.conn.run(
            "INSERT INTO crawler_data.stories VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, \
             $12, $13, $14, $15, $16) \
             ON CONFLICT (id) DO UPDATE SET articles = excluded.articles, \
             first_at = excluded.first_at, first_seen = excluded.first_seen, \
             first_key = excluded.first_key, day = excluded.day, last_at = excluded.last_at, \
             last_seen = excluded.last_seen, last_key = excluded.last_key, \
             newest = excluded.newest, series = excluded.series, pattern = excluded.pattern, \
             sighting = excluded.sighting, original_at = excluded.original_at, \
             original_seen = excluded.original_seen, original = excluded.original",
            &[
                &head.id,
                &number(head.articles),
                &head.first.at,
                &head.first.first_seen,
                &head.first.key,
                &head.day,
                &head.last.at,
                &head.last.first_seen,
                &head.last.key,
                &head.newest,
                &head.series,
                &sighting_number(head.original.sighting),
                &head.original.rank.at,
                &head.original.rank.first_seen,
                &head.original.rank.key,
                &head.pattern,
            ],
        )?;
        Ok(())
    }

    fn story_brands(&mut self, head: &StoryHead) -> Result<Vec<(String, bool)>> {
        let sql = "SELECT b.brand, EXISTS (SELECT 1 FROM crawler_data.mentions AS m \
                   WHERE m.article = $3 AND m.version = $1 AND m.brand = b.brand AND m.counted > 0) \
                   FROM crawler_data.story_brands AS b \
                   WHERE b.version = $1 AND b.story = $2 AND b.members > 0";
        let rows = self.conn.rows(sql, &[&self.version, &head.id, &head.original.rank.key])?;
        rows.iter().map(|row| Ok((get(row, 0)?, get(row, 1)?))).collect()
    }

    fn put_member(&mut self, story: UrlKey, member: &Member) -> Result<()> {
        let (nearest, similarity) = member.nearest.unzip();
        self.conn.run(
            "WITH brands AS (INSERT INTO crawler_data.story_brands AS s (version, story, brand, members) \
             SELECT version, $2, brand, 1 FROM crawler_data.mentions \
             WHERE article = $1 AND version = $10 AND counted > 0 \
             ON CONFLICT (version, story, brand) DO UPDATE SET members = s.members + 1) \
             INSERT INTO crawler_data.members \
             (article, story, outlet, at, day, first_seen, nearest, similarity, sighting) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            &[
                &member.key,
                &story,
                &member.outlet,
                &member.at,
                &member.day,
                &member.first_seen,
                &nearest,
                &similarity,
                &sighting_number(member.sighting),
                &self.version,
            ],
        )?;
        Ok(())
    }

    fn set_nearest(&mut self, member: UrlKey, (nearest, similarity): (UrlKey, f32)) -> Result<()> {
        let sql =
            "UPDATE crawler_data.members SET nearest = $2, similarity = $3 WHERE article = $1";
        self.conn.run(sql, &[&member, &nearest, &similarity]).map(drop)
    }

    fn move_members(&mut self, from: UrlKey, into: UrlKey) -> Result<()> {
        let sql = "UPDATE crawler_data.members SET story = $1 WHERE story = $2";
        self.conn.run(sql, &[&into, &from])?;
        self.conn.run(
            "INSERT INTO crawler_data.story_brands AS s (version, story, brand, members) \
             SELECT version, $1, brand, members FROM crawler_data.story_brands \
             WHERE story = $2 AND version = $3 \
             ON CONFLICT (version, story, brand) DO UPDATE SET members = s.members + excluded.members",
            &[&into, &from, &self.version],
        )?;
        self.remove_story(from)
    }

    fn whole_story(&mut self, article: UrlKey) -> Result<Option<Story>> {
        let sql = "SELECT s.* FROM crawler_data.members AS w \
                   JOIN crawler_data.stories AS s ON s.id = w.story WHERE w.article = $1";
        let Some(row) = self.conn.row(sql, &[&article])? else { return Ok(None) };
        let StoryHead { id, series, pattern, .. } = head(&row)?;
        let sql = "SELECT * FROM crawler_data.members WHERE story = $1";
        let rows = self.conn.rows(sql, &[&id])?;
        let members = rows.iter().map(|row| Ok(member(row)?.1)).collect::<Result<_>>()?;
        Ok(Some(Story { id, members, series, pattern }))
    }

    fn stories_with(
        &mut self,
        articles: &BTreeSet<UrlKey>,
    ) -> Result<BTreeMap<UrlKey, BTreeMap<UrlKey, Sighting>>> {
        let articles: Vec<UrlKey> = articles.iter().copied().collect();
        let rows = self.conn.rows(
            "SELECT * FROM crawler_data.members WHERE story IN \
             (SELECT story FROM crawler_data.members WHERE article = ANY ($1))",
            &[&articles],
        )?;
        let mut stories: BTreeMap<UrlKey, BTreeMap<UrlKey, Sighting>> = BTreeMap::new();
        for row in &rows {
            let (story, Member { key, sighting, .. }) = member(row)?;
            stories.entry(story).or_default().insert(key, sighting);
        }
        Ok(stories)
    }

    fn remove_story(&mut self, id: UrlKey) -> Result<()> {
        self.conn.run("DELETE FROM crawler_data.members WHERE story = $1", &[&id])?;
        let sql = "DELETE FROM crawler_data.story_brands WHERE version = $1 AND story = $2";
        self.conn.run(sql, &[&self.version, &id])?;
        self.conn.run("DELETE FROM crawler_data.stories WHERE id = $1", &[&id]).map(drop)
    }

    fn put_absorbed(&mut self, gone: UrlKey, into: UrlKey) -> Result<()> {
        let sql = "INSERT INTO crawler_data.absorbed (id, story) VALUES ($1, $2) \
                   ON CONFLICT (id) DO UPDATE SET story = excluded.story";
        self.conn.run(sql, &[&gone, &into]).map(drop)
    }

    fn take_absorbed(&mut self, ids: &BTreeSet<UrlKey>) -> Result<BTreeSet<UrlKey>> {
        let ids: Vec<UrlKey> = ids.iter().copied().collect();
        let sql = "DELETE FROM crawler_data.absorbed WHERE id = ANY ($1) RETURNING id";
        self.conn.rows(sql, &[&ids])?.iter().map(|row| get(row, 0)).collect()
    }
}
