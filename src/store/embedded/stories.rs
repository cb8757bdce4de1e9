//! Mention rows and stories: how they are stored and what they add to tallies.
//!
//! The brands of a story's members are not stored with the story but read from the mention rows of
//! the current brand set: so a recount flips one pointer, and every story follows.
//!
//! Must not know: how copies and mentions are found.

use std::collections::{BTreeMap, BTreeSet};

use super::keys::{self, Parts, key};
use super::record::ByArticle;
use super::tx::Tx;
use crate::model::*;
use crate::store::kv::Overlay;
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

    /// A story as stored: members without brands.
    pub fn bare_story(&self, id: UrlKey) -> Result<Option<Story>> {
        self.get(&key(keys::STORY).id(id).done())
    }

    /// Gives each member the brands that it counts under `version`.
    pub fn with_brands(&self, version: &str, mut story: Story) -> Result<Story> {
        for member in &mut story.members {
            member.brands = self
                .rows_of(version, member.key)?
                .into_iter()
                .filter(|(_, row)| row.counted > 0)
                .map(|(brand, _)| brand)
                .collect();
        }
        Ok(story)
    }

    pub fn story(&self, version: &str, id: UrlKey) -> Result<Option<Story>> {
        match self.bare_story(self.story_id(id)?)? {
            Some(story) => self.with_brands(version, story).map(Some),
            None => Ok(None),
        }
    }

    pub fn story_of(&self, version: &str, article: UrlKey) -> Result<Option<Story>> {
        match self.get::<UrlKey>(&key(keys::MEMBER).id(article).done())? {
            Some(id) => self.story(version, id),
            None => Ok(None),
        }
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

/// The brands that count a story, and the day it counts on: its original's.
pub fn story_brands(story: &Story) -> Option<(Day, BTreeSet<&str>)> {
    let day = story.members.first()?.day;
    Some((day, story.members.iter().flat_map(|m| m.brands.iter().map(String::as_str)).collect()))
}

fn days(story: &Story) -> BTreeSet<Day> {
    story.members.iter().map(|m| m.day).collect()
}

impl Tx<'_> {
    pub fn rows_of(&self, version: &str, article: UrlKey) -> Result<Vec<(String, ByArticle)>> {
        self.o.rows_of(version, article)
    }

    pub fn put_rows(&mut self, version: &str, article: UrlKey, rows: &[MentionRow]) -> Result<()> {
        self.o.put_rows(version, article, rows)
    }

    /// Takes out of tallies and indexes every stored story that `story` continues or absorbs: by
    /// id, by `absorbed`, or because it holds one of its members.
    pub fn leave_stories(&mut self, story: &Story, absorbed: &[UrlKey]) -> Result<Vec<Story>> {
        let mut ids = BTreeSet::new();
        for id in absorbed.iter().chain([&story.id]) {
            ids.insert(self.o.story_id(*id)?);
        }
        for member in &story.members {
            if let Some(id) = self.o.get::<UrlKey>(&key(keys::MEMBER).id(member.key).done())? {
                ids.insert(self.o.story_id(id)?);
            }
        }
        let mut old = Vec::new();
        for id in ids {
            let Some(story) = self.o.bare_story(id)? else { continue };
            let story = self.o.with_brands(&self.version, story)?;
            self.take_out(&story);
            old.push(story);
        }
        Ok(old)
    }

    /// Stores `story`, grown by the members of the `old` stories that it continues.
    pub fn join_story(&mut self, article: UrlKey, story: Story, old: Vec<Story>) -> Result<()> {
        let id = self.o.story_id(story.id)?;
        if !story.members.iter().any(|m| m.key == article) {
            return Err(StoreError::Other(format!("the story {id} lacks its article {article}")));
        }
        let mut members: BTreeMap<UrlKey, Member> = BTreeMap::new();
        for member in old.iter().flat_map(|s| &s.members).chain(&story.members) {
            members.insert(member.key, Member { brands: Vec::new(), ..member.clone() });
        }
        let mut members: Vec<Member> = members.into_values().collect();
        members.sort_by_key(|m| (m.at, m.first_seen, m.key));
        let story = Story { id, members, series: story.series };

        for gone in old.iter().filter(|s| s.id != id) {
            self.o.put(key(keys::ABSORBED).id(gone.id).done(), &id)?;
        }
        self.put_story(story)
    }

    /// Takes articles out of their stories; `rest` are the stories that the others form then. The
    /// rows of the articles must still be there.
    pub fn split_stories(&mut self, articles: &BTreeSet<UrlKey>, rest: &[Story]) -> Result<()> {
        let mut old: BTreeMap<UrlKey, Story> = BTreeMap::new();
        for article in articles {
            if let Some(story) = self.o.story_of(&self.version, *article)? {
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
            self.take_out(story);
        }
        // Ids of stories absorbed long ago are keys of members: they follow their member.
        let mut absorbed = BTreeSet::new();
        for member in &before {
            let at = key(keys::ABSORBED).id(*member).done();
            if self.o.has(&at)? || old.contains_key(member) {
                absorbed.insert(*member);
                self.o.del(at);
            }
            self.o.del(key(keys::MEMBER).id(*member).done());
        }
        for story in rest {
            for member in story.members.iter().filter(|m| m.key != story.id) {
                if absorbed.contains(&member.key) {
                    self.o.put(key(keys::ABSORBED).id(member.key).done(), &story.id)?;
                }
            }
            self.put_story(story.clone())?;
        }
        Ok(())
    }

    /// A story, its indexes and what it counts; its members' pointers stay.
    fn take_out(&mut self, story: &Story) {
        self.count_story(story, -1);
        for day in days(story) {
            self.o.del(key(keys::STORY_DAY).day(day).id(story.id).done());
        }
        self.o.del(key(keys::STORY).id(story.id).done());
    }

    /// Stores `story` in place of the one named `old`, whose name leads to it from now on.
    pub fn replace_story(&mut self, story: Story, old: UrlKey) -> Result<()> {
        if let Some(before) = self.o.story(&self.version, old)? {
            self.take_out(&before);
        }
        self.o.put(key(keys::ABSORBED).id(old).done(), &story.id)?;
        self.put_story(story)
    }

    /// Stores a story with its pointers and indexes, and counts it.
    fn put_story(&mut self, mut story: Story) -> Result<()> {
        let id = story.id;
        for member in &mut story.members {
            member.brands.clear();
            self.o.put(key(keys::MEMBER).id(member.key).done(), &id)?;
        }
        for day in days(&story) {
            self.o.put(key(keys::STORY_DAY).day(day).id(id).done(), &())?;
        }
        self.o.put(key(keys::STORY).id(id).done(), &story)?;
        let story = self.o.with_brands(&self.version, story)?;
        self.count_story(&story, 1);
        Ok(())
    }

    fn count_story(&mut self, story: &Story, sign: i64) {
        let Some((day, brands)) = story_brands(story) else { return };
        for brand in brands {
            self.tally(brand, day, &Tally { stories: sign, ..Tally::default() });
        }
    }
}
