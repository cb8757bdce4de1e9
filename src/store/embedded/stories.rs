//! Mention rows and stories as they are stored: of a story a small head, an index of its members in
//! order, a row per member, and per brand the number of members that count it. The brands of single
//! members are read from the mention rows of the current brand set.
//!
//! Must not know: why stories change.

use std::collections::{BTreeMap, BTreeSet};

use super::Embedded;
use super::format::keys::{self, Parts, key, said};
use super::format::{ByArticle, MemberRow, encode};
use super::tx::Tx;
use crate::model::*;
use crate::store::embedded::kv::{Overlay, Writes, end_of};
use crate::store::rules::stories::{self, LONGEST_CHAIN, StoryRows};
use crate::store::{Result, StoreError};

/// Rows that are written at a time when stories are put in order.
const ORDERED: usize = 10_000;

impl Overlay<'_> {
    /// Brand → what the row of `article` counts, under one brand set.
    pub fn rows_of(&self, version: &str, article: UrlKey) -> Result<Vec<(String, ByArticle)>> {
        let prefix = key(keys::BY_ARTICLE).text(version).id(article).done();
        let mut rows = Vec::new();
        for row in self.prefix::<ByArticle>(&prefix) {
            let (at, row) = row?;
            rows.push((self.part(&at, prefix.len(), Parts::text)?, row));
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

    /// Keys of a story's members, in the order of their dates.
    pub fn member_keys(&self, story: UrlKey) -> impl Iterator<Item = Result<UrlKey>> + '_ {
        let prefix = key(keys::STORY_MEMBER).id(story).done();
        self.scan_raw(&prefix, &end_of(&prefix)).map(|row| {
            let (at, _) = row?;
            ranked(&at).map(|(_, rank)| rank.key).ok_or_else(|| self.bad_key(&at))
        })
    }

    /// A story with its members in order, who have no brands yet.
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
        members.sort_by_key(Member::standing);
        Ok(Some(Story { id, members, series: head.series, pattern: head.pattern }))
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
            brands.push((self.part(&at, prefix.len(), Parts::text)?, members));
        }
        Ok(brands)
    }
}

pub fn mention_key(version: &str, brand: &str, day: Day, article: UrlKey) -> Vec<u8> {
    key(keys::MENTION).text(version).text(brand).day(day).id(article).done()
}

pub fn member_index_key(story: UrlKey, rank: Rank) -> Vec<u8> {
    key(keys::STORY_MEMBER).id(story).at(rank.at).at(rank.first_seen).id(rank.key).done()
}

/// Where a story of several articles stands among those with a member of a day.
pub fn size_key(magnitude: u8, day: Day, story: UrlKey) -> Vec<u8> {
    key(keys::STORY_SIZE).byte(!magnitude).day(day).id(story).done()
}

/// Magnitude, day and story of such a key.
pub fn sized(index_key: &[u8]) -> Option<(u8, Day, UrlKey)> {
    said(index_key, 1, |parts| Some((!parts.byte()?, parts.day()?, parts.id()?)))
}

/// Story and rank of a key of the member index.
pub fn ranked(index_key: &[u8]) -> Option<(UrlKey, Rank)> {
    said(index_key, 1, |parts| {
        let story = parts.id()?;
        Some((story, Rank { at: parts.at()?, first_seen: parts.at()?, key: parts.id()? }))
    })
}

impl Embedded {
    /// Puts the stories of a store of an earlier format in order of size. What stands there already is
    /// removed: a program of before may have changed the stories since.
    pub fn order_stories(&self) -> Result<()> {
        let view = self.view();
        let mut writes = Writes::new();
        for row in view.scan_raw(&[keys::STORY_SIZE], &[keys::STORY_SIZE + 1]) {
            writes.insert(row?.0, None);
        }
        self.kv.apply(std::mem::take(&mut writes))?;
        for row in view.scan::<StoryHead>(&[keys::STORY], &[keys::STORY + 1]) {
            let head = match row {
                Ok((_, head)) if head.magnitude() > 0 => head,
                // What is damaged is for `verify` to name.
                Ok(_) | Err(StoreError::Corrupt { .. }) => continue,
                Err(e) => return Err(e),
            };
            for member in view.bare_story(head.id)?.into_iter().flat_map(|story| story.members) {
                let at = size_key(head.magnitude(), member.day, head.id);
                let value = encode(&at, &())?;
                writes.insert(at, Some(value));
            }
            if writes.len() >= ORDERED {
                self.kv.apply(std::mem::take(&mut writes))?;
            }
        }
        self.kv.apply(writes)
    }
}

impl Tx<'_> {
    /// Adds to the number of a story's members that count a brand.
    fn add_brand(&mut self, story: UrlKey, brand: &str, members: u64) -> Result<()> {
        let at = key(keys::STORY_BRAND).text(&self.version).id(story).text(brand).done();
        let before: u64 = self.o.get(&at)?.unwrap_or_default();
        self.o.put(at, &(before + members))
    }

    /// A member's row and its place in the indexes.
    fn put_member_row(&mut self, story: UrlKey, member: &Member) -> Result<()> {
        let row = MemberRow::of(story, member);
        self.o.put(key(keys::MEMBER).id(member.key).done(), &row)?;
        self.o.put(member_index_key(story, member.rank()), &())?;
        let head = self.o.story_head(story)?;
        if let Some(magnitude) =
            head.map(|head| head.magnitude()).filter(|magnitude| *magnitude > 0)
        {
            self.o.put(size_key(magnitude, member.day, story), &())?;
        }
        self.o.put(key(keys::STORY_DAY).day(member.day).id(story).done(), &())
    }

    /// A story that has doubled stands elsewhere in the order of size, under each of its days.
    fn stand_by_size(&mut self, before: Option<&StoryHead>, now: &StoryHead) -> Result<()> {
        let (before, magnitude) = (before.map_or(0, StoryHead::magnitude), now.magnitude());
        if before == magnitude {
            return Ok(());
        }
        let members: Vec<UrlKey> = self.o.member_keys(now.id).collect::<Result<_>>()?;
        for member in members {
            let Some(row) = self.o.member_row(member)? else { continue };
            if before > 0 {
                self.o.del(size_key(before, row.day, now.id));
            }
            if magnitude > 0 {
                self.o.put(size_key(magnitude, row.day, now.id), &())?;
            }
        }
        Ok(())
    }

    /// Gives a story another name, to which the old one leads from now on.
    pub fn rename(&mut self, old: UrlKey, new: UrlKey) -> Result<()> {
        let Some(story) = self.o.bare_story(old)? else { return Ok(()) };
        stories::take_out(self, old)?;
        self.put_absorbed(old, new)?;
        stories::put(self, &Story { id: new, ..story })
    }
}

impl StoryRows for Tx<'_> {
    fn story_id(&mut self, id: UrlKey) -> Result<UrlKey> {
        self.o.story_id(id)
    }

    fn story_head(&mut self, id: UrlKey) -> Result<Option<StoryHead>> {
        self.o.story_head(id)
    }

    fn put_story_head(&mut self, head: &StoryHead) -> Result<()> {
        let before = self.o.story_head(head.id)?;
        self.stand_by_size(before.as_ref(), head)?;
        self.o.put(key(keys::STORY).id(head.id).done(), head)
    }

    fn story_brands(&mut self, head: &StoryHead) -> Result<Vec<(String, bool)>> {
        let counting = self.o.brands_of(&self.version, head.original.rank.key)?;
        let counts = |brand: String| {
            let original = counting.contains(&brand);
            (brand, original)
        };
        let brands = self.o.story_brands(&self.version, head.id)?.into_iter();
        Ok(brands.map(|(brand, _)| counts(brand)).collect())
    }

    fn put_member(&mut self, story: UrlKey, member: &Member) -> Result<()> {
        self.put_member_row(story, member)?;
        for brand in self.o.brands_of(&self.version, member.key)? {
            self.add_brand(story, &brand, 1)?;
        }
        Ok(())
    }

    fn set_nearest(&mut self, member: UrlKey, nearest: (UrlKey, f32)) -> Result<()> {
        let Some(mut row) = self.o.member_row(member)? else { return Ok(()) };
        row.nearest = Some(nearest);
        self.o.put(key(keys::MEMBER).id(member).done(), &row)
    }

    fn move_members(&mut self, from: UrlKey, into: UrlKey) -> Result<()> {
        let Some(story) = self.o.bare_story(from)? else { return Ok(()) };
        for (brand, members) in self.o.story_brands(&self.version, from)? {
            self.add_brand(into, &brand, members)?;
        }
        self.remove_story(from)?;
        story.members.iter().try_for_each(|member| self.put_member_row(into, member))
    }

    fn whole_story(&mut self, article: UrlKey) -> Result<Option<Story>> {
        match self.o.member_row(article)? {
            Some(row) => self.o.bare_story(row.story),
            None => Ok(None),
        }
    }

    fn stories_with(
        &mut self,
        articles: &BTreeSet<UrlKey>,
    ) -> Result<BTreeMap<UrlKey, BTreeMap<UrlKey, Sighting>>> {
        let mut stories = BTreeMap::new();
        for article in articles {
            if let Some(row) = self.o.member_row(*article)?
                && !stories.contains_key(&row.story)
                && let Some(story) = self.o.bare_story(row.story)?
            {
                let members = story.members.iter().map(|member| (member.key, member.sighting));
                stories.insert(story.id, members.collect());
            }
        }
        Ok(stories)
    }

    fn remove_story(&mut self, id: UrlKey) -> Result<()> {
        let (Some(head), Some(story)) = (self.o.story_head(id)?, self.o.bare_story(id)?) else {
            return Ok(());
        };
        for (brand, _) in self.o.story_brands(&self.version, id)? {
            self.o.del(key(keys::STORY_BRAND).text(&self.version).id(id).text(&brand).done());
        }
        for member in &story.members {
            self.o.del(key(keys::MEMBER).id(member.key).done());
            self.o.del(member_index_key(id, member.rank()));
            self.o.del(key(keys::STORY_DAY).day(member.day).id(id).done());
            self.o.del(size_key(head.magnitude(), member.day, id));
        }
        self.o.del(key(keys::STORY).id(id).done());
        Ok(())
    }

    fn put_absorbed(&mut self, gone: UrlKey, into: UrlKey) -> Result<()> {
        self.o.put(key(keys::ABSORBED).id(gone).done(), &into)
    }

    fn take_absorbed(&mut self, ids: &BTreeSet<UrlKey>) -> Result<BTreeSet<UrlKey>> {
        let mut taken = BTreeSet::new();
        for id in ids {
            let at = key(keys::ABSORBED).id(*id).done();
            if self.o.has(&at)? {
                self.o.del(at);
                taken.insert(*id);
            }
        }
        Ok(taken)
    }
}
