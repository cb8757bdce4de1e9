//! Mention rows, stories and excerpts: how they are stored and what they add to tallies. The rules
//! are those of the embedded store.
//!
//! Must not know: how copies and mentions are found.

use std::collections::{BTreeMap, BTreeSet};

use super::connect::get;
use super::tx::Tx;
use super::types::{Record, count, head, member, number};
use crate::model::*;
use crate::store::{Result, StoreError};

impl Tx<'_> {
    /// Replaces the rows of one article under one brand set.
    pub fn put_rows(&mut self, version: &str, article: UrlKey, rows: &[MentionRow]) -> Result<()> {
        let sql = "DELETE FROM crawler_data.mentions WHERE article = $1 AND version = $2";
        self.conn.run(sql, &[&article, &version])?;
        let by_brand: BTreeMap<&str, &MentionRow> =
            rows.iter().map(|row| (row.brand.as_str(), row)).collect();
        for (brand, row) in by_brand {
            if row.article != article {
                return Err(StoreError::Other(format!(
                    "a mention row of {} was offered for the article {article}",
                    row.article
                )));
            }
            self.conn.run(
                "INSERT INTO crawler_data.mentions (version, brand, day, article, outlet, language, \
                 feed, backlog, own_outlet, counted, suppressed, mentions) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
                &[
                    &version,
                    &brand,
                    &row.day,
                    &article,
                    &row.outlet,
                    &row.language,
                    &row.feed,
                    &row.backlog,
                    &row.own_outlet,
                    &i64::from(row.counted),
                    &i64::from(row.suppressed),
                    &Record(&row.mentions),
                ],
            )?;
        }
        Ok(())
    }

    /// The id that a story goes by now.
    fn story_id(&mut self, id: UrlKey) -> Result<UrlKey> {
        let now = self.conn.value(super::read::PRESENT_ID, &[&id])?;
        Ok(now.unwrap_or(id))
    }

    fn head(&mut self, id: UrlKey) -> Result<Option<StoryHead>> {
        let sql = "SELECT * FROM crawler_data.stories WHERE id = $1";
        self.conn.row(sql, &[&id])?.map(|row| head(&row)).transpose()
    }

    fn put_head(&mut self, head: &StoryHead) -> Result<()> {
        self.conn.run(
            "INSERT INTO crawler_data.stories VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
             ON CONFLICT (id) DO UPDATE SET articles = excluded.articles, \
             first_at = excluded.first_at, first_seen = excluded.first_seen, \
             first_key = excluded.first_key, day = excluded.day, last_at = excluded.last_at, \
             last_seen = excluded.last_seen, last_key = excluded.last_key, \
             newest = excluded.newest, series = excluded.series",
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
            ],
        )?;
        Ok(())
    }

    /// Puts an article, whose rows are stored, into the story that it founds or joins.
    pub fn join_story(&mut self, member: Member, joining: Joining) -> Result<()> {
        let article = member.key;
        let mut heads: Vec<StoryHead> = Vec::new();
        for id in joining.stories {
            let id = self.story_id(id)?;
            if heads.iter().all(|head| head.id != id) {
                heads.extend(self.head(id)?);
            }
        }
        for head in &heads {
            self.count_story(head, -1)?;
        }
        let mut head = StoryHead::of(&member);
        head.id = heads.first().map_or(article, |head| head.id);
        head.series = joining.series;
        for other in &heads {
            head.absorb(other);
            if other.id != head.id {
                self.absorb(head.id, other.id)?;
            }
        }
        for (later, similarity) in joining.nearer {
            self.conn.run(
                "UPDATE crawler_data.members SET nearest = $2, similarity = $3 WHERE article = $1",
                &[&later, &article, &similarity],
            )?;
        }
        let member = Member { nearest: joining.nearest, ..member };
        self.put_member(head.id, &member)?;
        self.add_brands(head.id, article)?;
        self.put_head(&head)?;
        self.count_story(&head, 1)
    }

    fn put_member(&mut self, story: UrlKey, member: &Member) -> Result<()> {
        let (nearest, similarity) = member.nearest.unzip();
        self.conn.run(
            "INSERT INTO crawler_data.members \
             (article, story, outlet, at, day, first_seen, nearest, similarity) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            &[
                &member.key,
                &story,
                &member.outlet,
                &member.at,
                &member.day,
                &member.first_seen,
                &nearest,
                &similarity,
            ],
        )?;
        Ok(())
    }

    /// Adds a member's brands to those of its story.
    fn add_brands(&mut self, story: UrlKey, article: UrlKey) -> Result<()> {
        self.conn.run(
            "INSERT INTO crawler_data.story_brands AS s (version, story, brand, members) \
             SELECT version, $1, brand, 1 FROM crawler_data.mentions \
             WHERE article = $2 AND version = $3 AND counted > 0 \
             ON CONFLICT (version, story, brand) DO UPDATE SET members = s.members + 1",
            &[&story, &article, &self.version],
        )?;
        Ok(())
    }

    /// Moves all members of a story into another one, whose name its own leads to from now on.
    /// Heads and tallies are the caller's.
    fn absorb(&mut self, into: UrlKey, gone: UrlKey) -> Result<()> {
        let sql = "UPDATE crawler_data.members SET story = $1 WHERE story = $2";
        self.conn.run(sql, &[&into, &gone])?;
        self.conn.run(
            "INSERT INTO crawler_data.story_brands AS s (version, story, brand, members) \
             SELECT version, $1, brand, members FROM crawler_data.story_brands \
             WHERE story = $2 AND version = $3 \
             ON CONFLICT (version, story, brand) DO UPDATE SET members = s.members + excluded.members",
            &[&into, &gone, &self.version],
        )?;
        self.remove_story(gone)?;
        let sql = "INSERT INTO crawler_data.absorbed (id, story) VALUES ($1, $2) \
                   ON CONFLICT (id) DO UPDATE SET story = excluded.story";
        self.conn.run(sql, &[&gone, &into]).map(drop)
    }

    fn remove_story(&mut self, id: UrlKey) -> Result<()> {
        let sql = "DELETE FROM crawler_data.story_brands WHERE version = $1 AND story = $2";
        self.conn.run(sql, &[&self.version, &id])?;
        self.conn.run("DELETE FROM crawler_data.stories WHERE id = $1", &[&id]).map(drop)
    }

    /// Takes articles out of their stories; `rest` are the stories that the others form then. The
    /// rows of the articles must still be there.
    pub fn split_stories(&mut self, articles: &BTreeSet<UrlKey>, rest: &[Story]) -> Result<()> {
        let gone: Vec<UrlKey> = articles.iter().copied().collect();
        let rows = self.conn.rows(
            "SELECT * FROM crawler_data.members WHERE story IN \
             (SELECT story FROM crawler_data.members WHERE article = ANY ($1))",
            &[&gone],
        )?;
        let mut old: BTreeMap<UrlKey, BTreeSet<UrlKey>> = BTreeMap::new();
        for row in &rows {
            let (story, member) = member(row)?;
            old.entry(story).or_default().insert(member.key);
        }
        let before: BTreeSet<UrlKey> = old.values().flatten().copied().collect();
        let after: BTreeSet<UrlKey> =
            rest.iter().flat_map(|story| story.members.iter().map(|m| m.key)).collect();
        if after.iter().ne(before.difference(articles)) {
            return Err(StoreError::Other("a story has changed meanwhile: try again".to_owned()));
        }
        for id in old.keys() {
            if let Some(head) = self.head(*id)? {
                self.count_story(&head, -1)?;
            }
            self.conn.run("DELETE FROM crawler_data.members WHERE story = $1", &[id])?;
            self.remove_story(*id)?;
        }
        // Ids of stories absorbed long ago are keys of members: they follow their member.
        let all: Vec<UrlKey> = before.iter().copied().collect();
        let sql = "DELETE FROM crawler_data.absorbed WHERE id = ANY ($1) RETURNING id";
        let mut absorbed: BTreeSet<UrlKey> =
            self.conn.rows(sql, &[&all])?.iter().map(|row| get(row, 0)).collect::<Result<_>>()?;
        absorbed.extend(old.keys());
        for story in rest {
            for member in story.members.iter().filter(|m| m.key != story.id) {
                if absorbed.contains(&member.key) {
                    let sql = "INSERT INTO crawler_data.absorbed (id, story) VALUES ($1, $2)";
                    self.conn.run(sql, &[&member.key, &story.id])?;
                }
            }
            self.put_story(story)?;
        }
        Ok(())
    }

    /// Stores a whole story, and counts it by the rows of its members.
    pub fn put_story(&mut self, story: &Story) -> Result<()> {
        let mut heads = story.members.iter().map(StoryHead::of);
        let Some(mut head) = heads.next() else { return Ok(()) };
        heads.for_each(|other| head.absorb(&other));
        (head.id, head.series) = (story.id, story.series);
        for member in &story.members {
            self.put_member(story.id, member)?;
            self.add_brands(story.id, member.key)?;
        }
        self.put_head(&head)?;
        self.count_story(&head, 1)
    }

    /// A story counts once per brand that a member counts, on its original's day.
    fn count_story(&mut self, head: &StoryHead, sign: i64) -> Result<()> {
        let sql = "SELECT b.brand, b.members, EXISTS (SELECT 1 FROM crawler_data.mentions AS m \
                   WHERE m.article = $3 AND m.version = $1 AND m.brand = b.brand AND m.counted > 0) \
                   FROM crawler_data.story_brands AS b WHERE b.version = $1 AND b.story = $2";
        for row in self.conn.rows(sql, &[&self.version, &head.id, &head.first.key])? {
            if count(get(&row, 1)?) > 0 {
                let brand: String = get(&row, 0)?;
                self.tally(&brand, head.day, &Tally::of_story(get(&row, 2)?, sign));
            }
        }
        Ok(())
    }

    pub fn put_excerpts(&mut self, excerpts: &[Excerpt]) -> Result<()> {
        for Excerpt { part, whole, share } in excerpts {
            self.conn.run(
                "INSERT INTO crawler_data.excerpts (part, whole, share) VALUES ($1, $2, $3) \
                 ON CONFLICT (part, whole) DO UPDATE SET share = excluded.share",
                &[part, whole, share],
            )?;
        }
        Ok(())
    }
}
