//! Mention rows and stories: how they are stored and what they add to tallies.
//!
//! A story is a small head, an index of its members in order, a row per member, and per brand the
//! number of members that count it: an article joins a story of a thousand as quickly as one of two.
//! Only a merge moves members, those of the stories that end. The brands of single members are read
//! from the mention rows of the current brand set.
//!
//! Must not know: how copies and mentions are found.

use std::collections::{BTreeMap, BTreeSet};

use super::format::keys::{self, Parts, key};
use super::format::{ByArticle, MemberRow};
use super::tx::Tx;
use crate::model::*;
use crate::store::embedded::kv::{Overlay, end_of};
use crate::store::{Result, StoreError};

/// Merges that one story id is followed through.
const LONGEST_CHAIN: usize = 100_000;

impl Overlay<'_> {
    /// Brand → what the row of `article` counts, under one brand set.
    pub fn rows_of(&self, version: &str, article: UrlKey) -> Result<Vec<(String, ByArticle)>> {
        let prefix = key(keys::BY_ARTICLE).text(version).id(article).done();
        let mut rows = Vec::new();
        for row in self.prefix::<ByArticle>(&prefix) {
            let (at, row) = row?;
            let brand = at.get(prefix.len()..).and_then(|rest| Parts(rest).text());
            rows.push((brand.ok_or_else(|| self.bad_key(&at))?, row));
        }
        Ok(rows)
    }

    /// The rows of `article` under one brand set.
    pub fn mentions_of(&self, version: &str, article: UrlKey) -> Result<Vec<MentionRow>> {
        let mut rows = Vec::new();
        for (brand, ByArticle { day, .. }) in self.rows_of(version, article)? {
            rows.extend(self.get(&mention_key(version, &brand, day, article))?);
        }
        Ok(rows)
    }

    /// Day of an entry's first sight.
    pub fn arrival(&self, id: UrlKey) -> Result<Option<Day>> {
        Ok(self.url(id)?.map(|url| url.arrival))
    }

    /// The id that a story goes by now.
    pub fn story_id(&self, id: UrlKey) -> Result<UrlKey> {
        let mut id = id;
        // What absorbed a story may have been absorbed in turn. Bounded, so that a damaged chain
        // that bites its tail ends too.
        for _ in 0..LONGEST_CHAIN {
            match self.get::<UrlKey>(&key(keys::ABSORBED).id(id).done())? {
                Some(next) => id = next,
                None => break,
            }
        }
        Ok(id)
    }

    pub fn story_head(&self, id: UrlKey) -> Result<Option<StoryHead>> {
        self.get(&key(keys::STORY).id(id).done())
    }

    pub fn member_row(&self, article: UrlKey) -> Result<Option<MemberRow>> {
        self.get(&key(keys::MEMBER).id(article).done())
    }

    /// The story of an article, and what it knows about it but the brands.
    pub fn member(&self, article: UrlKey) -> Result<Option<(UrlKey, Member)>> {
        Ok(self.member_row(article)?.map(|row| (row.story, row.member(article))))
    }

    /// Keys of a story's members, in order.
    pub fn member_keys(&self, story: UrlKey) -> impl Iterator<Item = Result<UrlKey>> + '_ {
        let prefix = key(keys::STORY_MEMBER).id(story).done();
        self.scan_raw(&prefix, &end_of(&prefix)).map(|row| {
            let (at, _) = row?;
            ranked(&at).map(|(_, rank)| rank.key).ok_or_else(|| self.bad_key(&at))
        })
    }

    /// A story with its members, who have no brands yet.
    pub fn bare_story(&self, id: UrlKey) -> Result<Option<Story>> {
        let Some(head) = self.story_head(id)? else { return Ok(None) };
        let mut members = Vec::new();
        for member in self.member_keys(id) {
            let member = member?;
            // Gone since the scan began, or another story's.
            if let Some(row) = self.member_row(member)?.filter(|row| row.story == id) {
                members.push(row.member(member));
            }
        }
        Ok(Some(Story { id, members, series: head.series }))
    }

    /// The brands that a member counts under `version`.
    pub fn brands_of(&self, version: &str, article: UrlKey) -> Result<Vec<String>> {
        let rows = self.rows_of(version, article)?.into_iter();
        Ok(rows.filter(|(_, row)| row.counted > 0).map(|(brand, _)| brand).collect())
    }

    pub fn story(&self, version: &str, id: UrlKey) -> Result<Option<Story>> {
        let Some(mut story) = self.bare_story(self.story_id(id)?)? else { return Ok(None) };
        self.add_brands(version, &mut story)?;
        Ok(Some(story))
    }

    /// Gives each member the brands that it counts under `version`.
    pub fn add_brands(&self, version: &str, story: &mut Story) -> Result<()> {
        for member in &mut story.members {
            member.brands = self.brands_of(version, member.key)?;
        }
        Ok(())
    }

    pub fn story_of(&self, version: &str, article: UrlKey) -> Result<Option<Story>> {
        match self.member_row(article)? {
            Some(row) => self.story(version, row.story),
            None => Ok(None),
        }
    }

    pub fn head_of(&self, article: UrlKey) -> Result<Option<StoryHead>> {
        match self.member_row(article)? {
            Some(row) => self.story_head(row.story),
            None => Ok(None),
        }
    }

    /// Brand → members of a story that count it.
    pub fn story_brands(&self, version: &str, id: UrlKey) -> Result<Vec<(String, u64)>> {
        let prefix = key(keys::STORY_BRAND).text(version).id(id).done();
        let mut brands = Vec::new();
        for row in self.prefix::<u64>(&prefix) {
            let (at, members) = row?;
            let brand = at.get(prefix.len()..).and_then(|rest| Parts(rest).text());
            brands.push((brand.ok_or_else(|| self.bad_key(&at))?, members));
        }
        Ok(brands)
    }

    /// Replaces the rows of one article under one brand set.
    pub fn put_rows(&mut self, version: &str, article: UrlKey, rows: &[MentionRow]) -> Result<()> {
        for (brand, row) in self.rows_of(version, article)? {
            self.del(mention_key(version, &brand, row.day, article));
            self.del(key(keys::BY_ARTICLE).text(version).id(article).text(&brand).done());
        }
        let by_brand: BTreeMap<&str, &MentionRow> =
            rows.iter().map(|row| (row.brand.as_str(), row)).collect();
        for (brand, row) in by_brand {
            if row.article != article {
                return Err(StoreError::Other(format!(
                    "a mention row of {} was offered for the article {article}",
                    row.article
                )));
            }
            self.put(mention_key(version, brand, row.day, article), row)?;
            let pointer =
                ByArticle { day: row.day, counted: row.counted, suppressed: row.suppressed };
            self.put(key(keys::BY_ARTICLE).text(version).id(article).text(brand).done(), &pointer)?;
        }
        Ok(())
    }
}

pub fn mention_key(version: &str, brand: &str, day: Day, article: UrlKey) -> Vec<u8> {
    key(keys::MENTION).text(version).text(brand).day(day).id(article).done()
}

pub fn member_index_key(story: UrlKey, rank: Rank) -> Vec<u8> {
    key(keys::STORY_MEMBER).id(story).at(rank.at).at(rank.first_seen).id(rank.key).done()
}

/// Story and rank of a key of the member index.
pub fn ranked(index_key: &[u8]) -> Option<(UrlKey, Rank)> {
    let mut parts = Parts(index_key.get(1..)?);
    let story = parts.id()?;
    let rank = Rank { at: parts.at()?, first_seen: parts.at()?, key: parts.id()? };
    parts.end()?;
    Some((story, rank))
}

impl Tx<'_> {
    pub fn rows_of(&self, version: &str, article: UrlKey) -> Result<Vec<(String, ByArticle)>> {
        self.o.rows_of(version, article)
    }

    pub fn put_rows(&mut self, version: &str, article: UrlKey, rows: &[MentionRow]) -> Result<()> {
        self.o.put_rows(version, article, rows)
    }

    /// Puts an article, whose rows are stored, into the story that it founds or joins.
    pub fn join_story(&mut self, member: Member, joining: Joining) -> Result<()> {
        let article = member.key;
        let mut heads: Vec<StoryHead> = Vec::new();
        for id in joining.stories {
            let id = self.o.story_id(id)?;
            if heads.iter().all(|head| head.id != id) {
                heads.extend(self.o.story_head(id)?);
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
            if let Some(mut row) = self.o.member_row(later)? {
                row.nearest = Some((article, similarity));
                self.o.put(key(keys::MEMBER).id(later).done(), &row)?;
            }
        }
        let member = Member { nearest: joining.nearest, ..member };
        self.put_member(head.id, &member)?;
        for brand in self.o.brands_of(&self.version, article)? {
            self.add_brand(head.id, &brand, 1)?;
        }
        self.o.put(key(keys::STORY).id(head.id).done(), &head)?;
        self.count_story(&head, 1)
    }

    /// A member's row and its place in the indexes.
    fn put_member(&mut self, story: UrlKey, member: &Member) -> Result<()> {
        let row = MemberRow::of(story, member);
        self.o.put(key(keys::MEMBER).id(member.key).done(), &row)?;
        self.o.put(member_index_key(story, member.rank()), &())?;
        self.o.put(key(keys::STORY_DAY).day(member.day).id(story).done(), &())
    }

    /// Adds to the number of a story's members that count a brand.
    fn add_brand(&mut self, story: UrlKey, brand: &str, members: u64) -> Result<()> {
        let at = key(keys::STORY_BRAND).text(&self.version).id(story).text(brand).done();
        let before: u64 = self.o.get(&at)?.unwrap_or_default();
        self.o.put(at, &(before + members))
    }

    /// Moves all members of a story into another one, whose name its own leads to from now on.
    /// Heads and tallies are the caller's.
    fn absorb(&mut self, into: UrlKey, gone: UrlKey) -> Result<()> {
        let Some(story) = self.o.bare_story(gone)? else { return Ok(()) };
        for member in &story.members {
            self.o.del(member_index_key(gone, member.rank()));
            self.o.del(key(keys::STORY_DAY).day(member.day).id(gone).done());
            self.put_member(into, member)?;
        }
        let version = self.version.clone();
        for (brand, members) in self.o.story_brands(&version, gone)? {
            self.o.del(key(keys::STORY_BRAND).text(&version).id(gone).text(&brand).done());
            self.add_brand(into, &brand, members)?;
        }
        self.o.del(key(keys::STORY).id(gone).done());
        self.o.put(key(keys::ABSORBED).id(gone).done(), &into)
    }

    /// Takes articles out of their stories; `rest` are the stories that the others form then. The
    /// rows of the articles must still be there.
    pub fn split_stories(&mut self, articles: &BTreeSet<UrlKey>, rest: &[Story]) -> Result<()> {
        let mut old: BTreeMap<UrlKey, Story> = BTreeMap::new();
        for article in articles {
            if let Some(row) = self.o.member_row(*article)?
                && !old.contains_key(&row.story)
                && let Some(story) = self.o.bare_story(row.story)?
            {
                old.insert(story.id, story);
            }
        }
        let members = |stories: &mut dyn Iterator<Item = &Story>| -> BTreeSet<UrlKey> {
            stories.flat_map(|s| s.members.iter().map(|m| m.key)).collect()
        };
        let before = members(&mut old.values());
        let after = members(&mut rest.iter());
        if after.iter().ne(before.difference(articles)) {
            return Err(StoreError::Other("a story has changed meanwhile: try again".to_owned()));
        }
        for story in old.values() {
            self.take_out(story)?;
        }
        // Ids of stories absorbed long ago are keys of members: they follow their member.
        let mut absorbed = BTreeSet::new();
        for member in &before {
            let at = key(keys::ABSORBED).id(*member).done();
            if self.o.has(&at)? || old.contains_key(member) {
                absorbed.insert(*member);
                self.o.del(at);
            }
        }
        for story in rest {
            for member in story.members.iter().filter(|m| m.key != story.id) {
                if absorbed.contains(&member.key) {
                    self.o.put(key(keys::ABSORBED).id(member.key).done(), &story.id)?;
                }
            }
            self.put_story(story)?;
        }
        Ok(())
    }

    /// A whole story: head, members, indexes and what it counts.
    fn take_out(&mut self, story: &Story) -> Result<()> {
        if let Some(head) = self.o.story_head(story.id)? {
            self.count_story(&head, -1)?;
        }
        let version = self.version.clone();
        for (brand, _) in self.o.story_brands(&version, story.id)? {
            self.o.del(key(keys::STORY_BRAND).text(&version).id(story.id).text(&brand).done());
        }
        for member in &story.members {
            self.o.del(key(keys::MEMBER).id(member.key).done());
            self.o.del(member_index_key(story.id, member.rank()));
            self.o.del(key(keys::STORY_DAY).day(member.day).id(story.id).done());
        }
        self.o.del(key(keys::STORY).id(story.id).done());
        Ok(())
    }

    /// Gives a story another name, to which the old one leads from now on.
    pub fn rename(&mut self, old: UrlKey, new: UrlKey) -> Result<()> {
        let Some(story) = self.o.bare_story(old)? else { return Ok(()) };
        self.take_out(&story)?;
        self.o.put(key(keys::ABSORBED).id(old).done(), &new)?;
        self.put_story(&Story { id: new, ..story })
    }

    /// Stores a whole story with its indexes, and counts it by the rows of its members.
    pub fn put_story(&mut self, story: &Story) -> Result<()> {
        let mut heads = story.members.iter().map(StoryHead::of);
        let Some(mut head) = heads.next() else { return Ok(()) };
        heads.for_each(|other| head.absorb(&other));
        (head.id, head.series) = (story.id, story.series);
        for member in &story.members {
            self.put_member(story.id, member)?;
            for brand in self.o.brands_of(&self.version, member.key)? {
                self.add_brand(story.id, &brand, 1)?;
            }
        }
        self.o.put(key(keys::STORY).id(story.id).done(), &head)?;
        self.count_story(&head, 1)
    }

    /// A story counts once per brand that a member counts, on its original's day.
    fn count_story(&mut self, head: &StoryHead, sign: i64) -> Result<()> {
        let counting = self.o.brands_of(&self.version, head.first.key)?;
        for (brand, _) in self.o.story_brands(&self.version, head.id)? {
            self.tally(&brand, head.day, &Tally::of_story(counting.contains(&brand), sign));
        }
        Ok(())
    }
}
