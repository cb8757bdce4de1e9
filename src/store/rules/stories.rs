//! Stories: which articles they have, and what they add to tallies. A story is a small head, and per
//! brand the number of its members that count it, so that an article joins a story of a thousand as
//! quickly as one of two; only a merge moves members, those of the stories that end.
//!
//! Must not know: how copies are found, where stories are kept.

use std::collections::{BTreeMap, BTreeSet};

use super::{Rows, sums};
use crate::model::*;
use crate::store::{Result, StoreError};

/// Merges that the id of a story is followed through.
pub const LONGEST_CHAIN: u64 = 100_000;

/// Stories, their members, and the names they had.
pub trait StoryRows {
    /// The id that a story goes by now.
    fn story_id(&mut self, id: UrlKey) -> Result<UrlKey>;
    fn story_head(&mut self, id: UrlKey) -> Result<Option<StoryHead>>;
    fn put_story_head(&mut self, head: &StoryHead) -> Result<()>;
    /// The brands that members of a story count, and whether its first article counts them.
    fn story_brands(&mut self, head: &StoryHead) -> Result<Vec<(String, bool)>>;
    /// Puts an article, whose rows are stored, into a story, and adds the brands that it counts.
    fn put_member(&mut self, story: UrlKey, member: &Member) -> Result<()>;
    /// Replaces which earlier article a member is most like, if it is a member.
    fn set_nearest(&mut self, member: UrlKey, nearest: (UrlKey, f32)) -> Result<()>;
    /// Moves members and brands of a story into another one, and removes its head.
    fn move_members(&mut self, from: UrlKey, into: UrlKey) -> Result<()>;
    /// The story of an article, its members in any order and without their brands.
    fn whole_story(&mut self, article: UrlKey) -> Result<Option<Story>>;
    /// The stories that these articles are in, with all their members and what polls say of their dates.
    fn stories_with(
        &mut self,
        articles: &BTreeSet<UrlKey>,
    ) -> Result<BTreeMap<UrlKey, BTreeMap<UrlKey, Sighting>>>;
    /// Removes a story: head, members and brands.
    fn remove_story(&mut self, id: UrlKey) -> Result<()>;
    /// From now on the name of a story leads to another one.
    fn put_absorbed(&mut self, gone: UrlKey, into: UrlKey) -> Result<()>;
    /// Removes such names; returns those of `ids` that were some.
    fn take_absorbed(&mut self, ids: &BTreeSet<UrlKey>) -> Result<BTreeSet<UrlKey>>;
}

/// An article as a member of its story, before it has joined one.
pub fn member_of(record: &ArticleRecord) -> Member {
    Member {
        key: record.key,
        outlet: record.outlet.clone(),
        at: record.published.at,
        day: record.published.day,
        first_seen: record.first_seen,
        sighting: record.sighting,
        nearest: None,
        brands: Vec::new(),
    }
}

/// Puts an article, whose rows are stored, into the story that it founds or joins.
pub fn join(rows: &mut dyn Rows, member: Member, joining: Joining) -> Result<()> {
    let article = member.key;
    let mut heads: Vec<StoryHead> = Vec::new();
    for id in joining.stories {
        let id = rows.story_id(id)?;
        if heads.iter().all(|head| head.id != id) {
            heads.extend(rows.story_head(id)?);
        }
    }
    for head in &heads {
        count(rows, head, -1)?;
    }
    let mut head = StoryHead::of(&member);
    head.id = heads.first().map_or(article, |head| head.id);
    (head.series, head.pattern) = (joining.series, !joining.patterns.is_empty());
    for other in &heads {
        head.absorb(other);
        if other.id != head.id {
            rows.move_members(other.id, head.id)?;
            rows.put_absorbed(other.id, head.id)?;
        }
    }
    for (later, similarity) in joining.nearer {
        rows.set_nearest(later, (article, similarity))?;
    }
    rows.put_member(head.id, &Member { nearest: joining.nearest, ..member })?;
    rows.put_story_head(&head)?;
    count(rows, &head, 1)?;
    for id in joining.patterns {
        let id = rows.story_id(id)?;
        if let Some(other) = rows.story_head(id)?.filter(|other| !other.pattern) {
            rows.put_story_head(&StoryHead { pattern: true, ..other })?;
        }
    }
    Ok(())
}

/// Changes what is known of a member's date, and so perhaps the original and the day of its story.
pub fn stand(rows: &mut dyn Rows, article: UrlKey, sighting: Sighting) -> Result<()> {
    let Some(mut story) = rows.whole_story(article)? else { return Ok(()) };
    let Some(member) = story.members.iter_mut().find(|member| member.key == article) else {
        return Ok(());
    };
    if std::mem::replace(&mut member.sighting, sighting) == sighting {
        return Ok(());
    }
    take_out(rows, story.id)?;
    put(rows, &story)
}

/// Takes articles out of their stories; `rest` are the stories that the others form then. The rows
/// of the articles must still be there.
pub fn split(rows: &mut dyn Rows, articles: &BTreeSet<UrlKey>, rest: &[Story]) -> Result<()> {
    let old = rows.stories_with(articles)?;
    form(rows, &old, articles, rest)
}

/// Puts stories in the place of those that their members are in.
pub fn exchange(rows: &mut dyn Rows, stories: &[Story]) -> Result<()> {
    let old = rows.stories_with(&keys_of(stories))?;
    form(rows, &old, &BTreeSet::new(), stories)
}

fn keys_of(stories: &[Story]) -> BTreeSet<UrlKey> {
    stories.iter().flat_map(|story| story.members.iter().map(|member| member.key)).collect()
}

/// Puts stories in the place of `old` ones, which have the same members but for those that are `gone`. They were
/// told before this transaction began: polls may have said more of dates since.
fn form(
    rows: &mut dyn Rows,
    old: &BTreeMap<UrlKey, BTreeMap<UrlKey, Sighting>>,
    gone: &BTreeSet<UrlKey>,
    rest: &[Story],
) -> Result<()> {
    let sightings: BTreeMap<UrlKey, Sighting> =
        old.values().flatten().map(|(key, sighting)| (*key, *sighting)).collect();
    let before: BTreeSet<UrlKey> = sightings.keys().copied().collect();
    if keys_of(rest).iter().ne(before.difference(gone)) {
        return Err(StoreError::StoryChanged);
    }
    for id in old.keys() {
        take_out(rows, *id)?;
    }
    // Names of stories absorbed long ago are keys of members: they follow their member.
    let mut absorbed = rows.take_absorbed(&before)?;
    absorbed.extend(old.keys());
    for story in rest {
        for member in story.members.iter().filter(|member| member.key != story.id) {
            if absorbed.contains(&member.key) {
                rows.put_absorbed(member.key, story.id)?;
            }
        }
        let mut story = story.clone();
        for member in &mut story.members {
            member.sighting = sightings.get(&member.key).copied().unwrap_or(member.sighting);
        }
        put(rows, &story)?;
    }
    Ok(())
}

/// Stores a whole story, and counts it by the rows of its members.
pub fn put(rows: &mut dyn Rows, story: &Story) -> Result<()> {
    let mut heads = story.members.iter().map(StoryHead::of);
    let Some(mut head) = heads.next() else { return Ok(()) };
    heads.for_each(|other| head.absorb(&other));
    (head.id, head.series, head.pattern) = (story.id, story.series, story.pattern);
    for member in &story.members {
        rows.put_member(story.id, member)?;
    }
    rows.put_story_head(&head)?;
    count(rows, &head, 1)
}

/// Removes a whole story, and what it counts.
pub fn take_out(rows: &mut dyn Rows, id: UrlKey) -> Result<()> {
    if let Some(head) = rows.story_head(id)? {
        count(rows, &head, -1)?;
    }
    rows.remove_story(id)
}

/// A story counts once per brand that a member counts, on its original's day.
fn count(rows: &mut dyn Rows, head: &StoryHead, by: i64) -> Result<()> {
    for (brand, original) in rows.story_brands(head)? {
        rows.changes().tally(&brand, head.day, &sums::of_story(original, by));
    }
    Ok(())
}
