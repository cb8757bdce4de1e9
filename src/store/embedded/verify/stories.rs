//! Stories: heads, members and their order, day index, brands, ids of stories that were absorbed.

use std::collections::HashMap;

use super::{Check, Look};
use crate::model::*;
use crate::store::embedded::excerpts::{excerpt_key, excerpt_of_key};
use crate::store::embedded::format::keys::{self, Parts, key};
use crate::store::embedded::format::{MemberRow, Pointer};
use crate::store::embedded::read::day_and_id;
use crate::store::embedded::recount::each_story_brand;
use crate::store::embedded::stories::{member_index_key, ranked, size_key, sized};
use crate::store::{Result, StoreError};

impl Check<'_> {
    pub fn stories(&mut self) -> Result<()> {
        self.heads()?;
        self.members()?;
        self.story_brands()?;
        self.table(keys::EXCERPT, |check, at, share: f32| {
            let Some((article, other, part)) = excerpt_of_key(at) else { return Ok(()) };
            match check.look::<f32>(&excerpt_key(other, article, !part))? {
                Look::Broken => {}
                Look::Found(theirs) if theirs == share => {}
                _ => check.say(at, "does not stand under the other article"),
            }
            if !check.has(&key(keys::POINTER).id(article).done())? {
                check.say(at, "belongs to no article");
            }
            Ok(())
        })?;
        self.table(keys::ABSORBED, |check, at, id: UrlKey| {
            if !check.has(&key(keys::STORY).id(id).done())?
                && !check.has(&key(keys::ABSORBED).id(id).done())?
            {
                check.say(at, format!("leads to {id}, which is missing"));
            }
            Ok(())
        })
    }

    /// Every head against the members that the index names, who are readable.
    fn heads(&mut self) -> Result<()> {
        self.table(keys::STORY, |check, at, head: StoryHead| {
            if at != key(keys::STORY).id(head.id).done() {
                check.say(at, format!("holds the story {}", head.id));
            }
            let mut found: Option<StoryHead> = None;
            for member in check.view.member_keys(head.id) {
                let member = match member {
                    Ok(member) => member,
                    // Reported where the index is checked.
                    Err(StoreError::Corrupt { .. }) => continue,
                    Err(e) => return Err(e),
                };
                let Look::Found(row) =
                    check.look::<MemberRow>(&key(keys::MEMBER).id(member).done())?
                else {
                    continue;
                };
                let one = StoryHead::of(&row.member(member));
                match &mut found {
                    Some(found) => found.absorb(&one),
                    None => found = Some(one),
                }
            }
            let Some(mut found) = found else {
                check.say(at, "has no members");
                return Ok(());
            };
            (found.id, found.series, found.pattern) = (head.id, head.series, head.pattern);
            if found != head {
                check.say(at, format!("says {head:?}, its members say {found:?}"));
            }
            Ok(())
        })
    }

    fn members(&mut self) -> Result<()> {
        self.table(keys::MEMBER, |check, at, row: MemberRow| {
            let article = Parts(at.get(1..).unwrap_or_default()).id().unwrap_or_default();
            let story = row.story;
            match check.look::<StoryHead>(&key(keys::STORY).id(story).done())? {
                Look::Broken => {}
                Look::Missing => check.say(at, format!("leads to {story}, which is missing")),
                Look::Found(head) if head.magnitude() == 0 => {}
                Look::Found(head) => {
                    if !check.has(&size_key(head.magnitude(), row.day, story))? {
                        check.say(at, format!("is missing from the size index of {}", row.day));
                    }
                }
            }
            if !check.has(&member_index_key(story, row.rank(article)))? {
                check.say(at, format!("leads to {story}, which lacks the article"));
            }
            if !check.has(&key(keys::STORY_DAY).day(row.day).id(story).done())? {
                check.say(at, format!("is missing from the day index of {}", row.day));
            }
            match check.look::<Pointer>(&key(keys::POINTER).id(article).done())? {
                Look::Broken => {}
                Look::Missing => check.say(at, "belongs to no article"),
                Look::Found(p) if p.day != row.day || p.at != row.at => check
                    .say(at, format!("says {}, the article was published on {}", row.day, p.day)),
                Look::Found(_) => {}
            }
            Ok(())
        })?;
        self.table(keys::STORY_MEMBER, |check, at, ()| {
            let Some((story, rank)) = ranked(at) else { return Ok(()) };
            match check.look::<MemberRow>(&key(keys::MEMBER).id(rank.key).done())? {
                Look::Broken => {}
                Look::Found(row) if row.story != story => {
                    check.say(at, format!("has a member that points to {}", row.story));
                }
                Look::Found(row) if row.rank(rank.key) != rank => {
                    check.say(at, "has its member out of order");
                }
                Look::Found(_) => {}
                Look::Missing => check.say(at, "has a member without a pointer"),
            }
            Ok(())
        })?;
        self.table(keys::STORY_DAY, |check, at, ()| {
            let Some((day, id)) = day_and_id(at) else { return Ok(()) };
            check.member_on(at, day, id)
        })?;
        self.table(keys::STORY_SIZE, |check, at, ()| {
            let Some((magnitude, day, id)) = sized(at) else { return Ok(()) };
            match check.look::<StoryHead>(&key(keys::STORY).id(id).done())? {
                Look::Found(head) if head.magnitude() != magnitude => {
                    check.say(at, format!("has a story of {} articles", head.articles));
                }
                // One that is missing has no member either.
                Look::Found(_) | Look::Missing | Look::Broken => {}
            }
            check.member_on(at, day, id)
        })
    }

    /// Says so of a place in an index whose story has no member on its day.
    fn member_on(&mut self, at: &[u8], day: Day, story: UrlKey) -> Result<()> {
        for member in self.view.member_keys(story) {
            let Ok(member) = member else { continue };
            match self.look::<MemberRow>(&key(keys::MEMBER).id(member).done())? {
                Look::Found(row) if row.day != day => {}
                // An unreadable one may be the member.
                Look::Found(_) | Look::Broken => return Ok(()),
                Look::Missing => {}
            }
        }
        self.say(at, "has no story with a member on that day");
        Ok(())
    }

    fn story_brands(&mut self) -> Result<()> {
        let mut counts: HashMap<(UrlKey, String), u64> = HashMap::new();
        let counted = each_story_brand(self.view, &self.version, &mut |story, brand, members| {
            counts.insert((story, brand.to_owned()), members);
            Ok(())
        });
        let readable = match counted {
            Ok(()) => true,
            // Reported above; numbers of the others would only repeat it.
            Err(StoreError::Corrupt { .. }) => false,
            Err(e) => return Err(e),
        };
        let current = key(keys::STORY_BRAND).text(&self.version).done();
        self.table(keys::STORY_BRAND, |check, at, members: u64| {
            let Some(rest) = at.strip_prefix(current.as_slice()) else { return Ok(()) };
            let mut parts = Parts(rest);
            let (Some(id), Some(brand)) = (parts.id(), parts.text()) else { return Ok(()) };
            let count = counts.remove(&(id, brand)).unwrap_or_default();
            if readable && members != count {
                check.say(at, format!("says {members} members, their rows say {count}"));
            }
            Ok(())
        })?;
        for ((id, brand), count) in counts {
            let at = key(keys::STORY_BRAND).text(&self.version).id(id).text(&brand).done();
            if readable && !self.has(&at)? {
                self.say(&at, format!("is missing, the rows of {count} members say otherwise"));
            }
        }
        Ok(())
    }
}
