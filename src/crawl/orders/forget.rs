//! Forgetting a URL or an outlet: texts, mentions, places in stories go, tallies follow, and a
//! tombstone keeps what is forgotten from being fetched again.
//!
//! Must not know: the network, how records are laid out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::dedupe::{Search, Stories};
use crate::frontier::address;
use crate::model::*;
use crate::query;
use crate::store::decision::{Change, Decision, Topic, Who};
use crate::store::{Ban, OutletRule, Store, StoreError};

use super::outlets;
use crate::crawl::Engine;
use crate::crawl::clock::now;
use crate::crawl::stories::{copies, rules};

/// Entries without an article that are forgotten in one commit.
const CHUNK: usize = 500;
/// How often stories are told apart that others change meanwhile.
const TRIES: usize = 20;
/// Moves that are followed from a URL to its article.
const MOST_MOVES: usize = 32;

/// What is gone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forgotten {
    /// The outlet, if a whole one was forgotten.
    pub outlet: Option<String>,
    pub articles: usize,
    /// Entries, those of the articles included.
    pub entries: usize,
    /// Feeds of the outlet, which are not polled any more.
    pub feeds: usize,
    /// Nothing of this URL was stored. It is not counted here, and will not be fetched.
    #[serde(default)]
    pub unseen: bool,
    /// What the URL led to at another outlet, which stays.
    #[serde(default)]
    pub led_to: Option<LedTo>,
}

/// An entry of another outlet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedTo {
    pub key: UrlKey,
    pub url: String,
}

/// Forgets a URL (or the key of an entry) with all entries that led to the same article of its outlet, and where none was
/// read there, the article whose page names it as its own; or, if `what` is no URL, an outlet that is known.
pub fn forget(engine: &Engine, who: &Who, what: &str) -> Result<Forgotten> {
    // Recounts and verification see the store before or after.
    let _alone = engine.counts.lock().unwrap_or_else(|e| e.into_inner());
    let key = what.trim().parse::<UrlKey>().ok();
    if key.is_some() || what.contains("://") {
        url(engine, who, what, key)
    } else {
        outlet(engine, who, what)
    }
}

fn url(engine: &Engine, who: &Who, what: &str, key: Option<UrlKey>) -> Result<Forgotten> {
    let store = engine.store.as_ref();
    let fresh = match key {
        Some(_) => None,
        None => Some(unseen(engine, what)?),
    };
    let asked = key.or(fresh.as_ref().map(|record| record.key)).unwrap_or_default();
    let known = store.url(asked)?;
    let outlet = fresh.as_ref().or(known.as_ref()).map(|record| record.outlet.clone());
    let End { target, entry, led_to } = end_of_moves(store, asked, &outlet.unwrap_or_default())?;
    let mut keys = BTreeSet::new();
    // Nobody has read an article there: the one whose page names the address is meant.
    let read = |entry: &UrlRecord| matches!(entry.outcome, Outcome::Article | Outcome::Forgotten);
    if !entry.as_ref().is_some_and(read) {
        for address in [asked, target] {
            keys.extend(store.url(address.named())?.map(|namer| namer.key));
        }
    }
    let mut entries = Vec::new();
    let is_new = entry.is_none() && fresh.is_some();
    match (entry, fresh) {
        (None, Some(fresh)) => entries.push(fresh),
        (None, None) if keys.is_empty() => {
            anyhow::bail!("no entry has the key {what}; see `crawler articles`")
        }
        _ => {}
    }
    let unseen = is_new && keys.is_empty();
    keys.insert(target);
    leading_to(engine, &mut keys)?;
    for key in keys {
        entries.extend(own_entry(engine, key)?);
    }
    let words = match entries.len() {
        0 | 1 => format!("entry {target} forgotten"),
        n => format!("entry {target} forgotten, and {} that led to it", n - 1),
    };
    let decision = who.decides(now(), Topic::Forgotten, words);
    let done = carry_out(engine, entries, Some(&decision))?;
    Ok(Forgotten { entries: done.entries - usize::from(is_new), unseen, led_to, ..done })
}

/// Where the moves of an entry end.
struct End {
    target: UrlKey,
    entry: Option<UrlRecord>,
    led_to: Option<LedTo>,
}

/// Follows the moves of an entry as far as they stay at its outlet: whoever redirects chooses any address of anybody's.
fn end_of_moves(store: &dyn Store, asked: UrlKey, outlet: &str) -> Result<End> {
    let mut end = End { target: asked, entry: None, led_to: None };
    let mut next = asked;
    for _ in 0..MOST_MOVES {
        let Some(entry) = store.url(next)? else {
            return Ok(End { target: next, entry: None, ..end });
        };
        // An entry of a feed that speaks for this outlet, too, may have become its article.
        let is_its = entry.outlet == outlet
            || store.article(entry.key)?.is_some_and(|article| article.outlet == outlet);
        if !is_its {
            end.led_to = (entry.outcome != Outcome::Forgotten)
                .then_some(LedTo { key: entry.key, url: entry.canonical });
            break;
        }
        end.target = entry.key;
        let to = match entry.outcome {
            Outcome::Moved(to) | Outcome::Known(to) if to != next => Some(to),
            _ => None,
        };
        end.entry = Some(entry);
        match to {
            Some(to) => next = to,
            None => break,
        }
    }
    Ok(end)
}

fn outlet(engine: &Engine, who: &Who, name: &str) -> Result<Forgotten> {
    let store = engine.store.as_ref();
    let feeds = store.feeds()?;
    // One that was never seen has nothing to forget; `crawler outlets block` keeps it away.
    let outlet = query::outlet_known(store, name)?;
    // First, so that nothing new arrives meanwhile.
    let rule = store.outlet_rule(&outlet)?;
    let rule = OutletRule { ban: Some(Ban::Forgotten), since: now(), ..rule };
    let words = format!("outlet {outlet} is to be forgotten");
    let decision = who.decides(now(), Topic::Forgotten, words);
    store.change(Change::Rule(&outlet, &rule), Some(&decision))?;
    let feeds = outlets::set_feeds(store, &feeds, &outlet, FeedStatus::Paused, now())?;
    let mut keys = BTreeSet::new();
    store.urls(&mut |record| {
        if record.outlet == outlet {
            keys.insert(record.key);
        }
        true
    })?;
    // Articles whose pages turned out to be the outlet's.
    store.stories(None, None, &mut |story| {
        keys.extend(story.members.iter().filter(|m| m.outlet == outlet).map(|m| m.key));
        true
    })?;
    leading_to(engine, &mut keys)?;
    let mut entries = Vec::new();
    for key in keys {
        entries.extend(own_entry(engine, key)?);
    }
    let done = carry_out(engine, entries, None)?;
    // One that is cut short is not told as done.
    let decision = who.decides(now(), Topic::Forgotten, format!("outlet {outlet} forgotten"));
    store.change(Change::Nothing, Some(&decision))?;
    Ok(Forgotten { outlet: Some(outlet), feeds, ..done })
}

/// The entry of a key, unless it is another's or forgotten already.
fn own_entry(engine: &Engine, key: UrlKey) -> Result<Option<UrlRecord>> {
    let record = engine.store.url(key)?;
    Ok(record.filter(|record| record.key == key && record.outcome != Outcome::Forgotten))
}

/// The entry of a URL that was never seen.
fn unseen(engine: &Engine, url: &str) -> Result<UrlRecord> {
    let at = address(url, None).with_context(|| format!("`{url}` cannot be forgotten"))?;
    let now = now();
    Ok(UrlRecord {
        key: at.key,
        canonical: at.canonical,
        outlet: at.outlet,
        pace_key: at.pace_key,
        feed: UrlKey::default(),
        entry: Entry::default(),
        first_seen: now,
        arrival: day_of(now, &engine.zone),
        backlog: false,
        outcome: Outcome::Pending,
        attempts: 0,
        next: now,
        last_error: None,
        chain: Vec::new(),
        foreign: false,
        sight: Sight::Unnoted,
        arrived: Arrived::Seen,
    })
}

/// Adds every entry that ended as known or moved to one of these.
fn leading_to(engine: &Engine, keys: &mut BTreeSet<UrlKey>) -> Result<()> {
    loop {
        let mut more = BTreeSet::new();
        engine.store.urls(&mut |record| {
            if let Outcome::Known(to) | Outcome::Moved(to) = record.outcome
                && keys.contains(&to)
                && !keys.contains(&record.key)
            {
                more.insert(record.key);
            }
            true
        })?;
        if more.is_empty() {
            return Ok(());
        }
        keys.extend(more);
    }
}

/// Forgets entries story by story, so that each story is told apart once. The decision is noted with
/// the first.
fn carry_out(
    engine: &Engine,
    entries: Vec<UrlRecord>,
    mut decision: Option<&Decision>,
) -> Result<Forgotten> {
    let mut done = Forgotten { entries: entries.len(), ..Forgotten::default() };
    let mut by_story: BTreeMap<Option<UrlKey>, Vec<UrlRecord>> = BTreeMap::new();
    for entry in entries {
        let story = engine.store.story_head_of(entry.key)?.map(|story| story.id);
        by_story.entry(story).or_default().push(entry);
    }
    // Those without a story last: if this is cut short, the others are found by them again.
    for (story, entries) in by_story.into_iter().rev() {
        let size = if story.is_some() { entries.len() } else { CHUNK };
        for entries in entries.chunks(size.max(1)) {
            // Commits wait for this lock: the stories stay as they are read.
            let _commits_wait = engine.commits.write().unwrap_or_else(|e| e.into_inner());
            done.articles += together(engine, entries, decision)?;
            decision = None;
        }
    }
    engine.memories.forget();
    Ok(done)
}

/// Forgets entries in one commit. Other processes on the same database may change their stories meanwhile: then
/// these are told apart anew.
fn together(engine: &Engine, entries: &[UrlRecord], decision: Option<&Decision>) -> Result<usize> {
    let mut tries = 1;
    loop {
        let rest = rest(engine, entries)?;
        match engine.store.change(Change::Forget { entries, rest: &rest }, decision) {
            Err(StoreError::StoryChanged) if tries < TRIES => tries += 1,
            done => return Ok(done?),
        }
    }
}

/// The stories that remain when these articles are gone.
fn rest(engine: &Engine, gone: &[UrlRecord]) -> Result<Vec<Story>> {
    let gone: BTreeSet<UrlKey> = gone.iter().map(|record| record.key).collect();
    let mut touched: BTreeMap<UrlKey, Story> = BTreeMap::new();
    for key in &gone {
        if let Some(story) = engine.store.story_of(*key)? {
            touched.insert(story.id, story);
        }
    }
    let rule = rules::in_force(engine.store.as_ref())?;
    let mut rest = Vec::new();
    for story in touched.into_values() {
        let left = story.members.into_iter().filter(|m| !gone.contains(&m.key)).collect();
        let store = Arc::clone(&engine.store);
        // A damaged print is like no text: its article stands alone.
        let source =
            move |key, at| copies::decoded(key, &store.vector(key, at).ok()??).map(Arc::new);
        let search = Search::new(engine.settings.dedupe.clone(), rule, Box::new(source));
        let mut stories = form(left, search);
        // Who holds its founder goes on under the story's name.
        for part in &mut stories {
            // The others of the pattern may be in other stories.
            part.pattern |= story.pattern;
            if part.members.iter().any(|m| m.key == story.id) {
                part.id = story.id;
            }
        }
        rest.extend(stories);
    }
    Ok(rest)
}

/// The stories that these articles form among themselves, whatever order they come in. `search` holds none
/// of them, and reads their prints back.
fn form(members: Vec<Member>, mut search: Search) -> Vec<Story> {
    let mut formed = Stories::default();
    for member in members {
        let print = search.print(member.key, member.at).unwrap_or_default();
        let found = search.near(member.key, member.at, &print);
        search.insert(member.key, member.at, Arc::unwrap_or_clone(print));
        search.settle();
        let drifted = |a: Rank, b: Rank| search.drifted((a.key, a.at), (b.key, b.at));
        formed.add(member, &found.copies, &found.patterns, drifted);
    }
    formed.to_stories()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dedupe::{Print, Rule, Settings, Vector};

    #[test]
    fn a_chain_without_its_link_is_two_stories() {
        let member = |n: u128| Member {
            key: UrlKey(n),
            outlet: "a.test".into(),
            at: n as Millis,
            day: jiff::civil::date(2026, 5, 4),
            first_seen: 0,
            sighting: Sighting::Open,
            nearest: None,
            brands: Vec::new(),
        };
        let text = |from: u32, to: u32| {
            Vector::of(&(from..to).map(|n| format!("word{n} ")).collect::<String>())
        };
        let texts = [text(0, 100), text(12, 112), text(24, 124)];
        let all = [member(1), member(2), member(3)];
        let ids = |stories: Vec<Story>| {
            let mut ids: Vec<(u128, usize)> =
                stories.iter().map(|s| (s.id.0, s.members.len())).collect();
            ids.sort_unstable();
            ids
        };
        let settings = Settings { tau: 0.8, ..Default::default() };
        let form = |members: Vec<Member>| {
            let texts = texts.clone();
            let source = move |key: UrlKey, _| {
                texts.get(key.0 as usize - 1).cloned().map(Print::from).map(Arc::new)
            };
            ids(form(members, Search::new(settings.clone(), Rule::default(), Box::new(source))))
        };
        assert_eq!(form(all.to_vec()), [(1, 3)]);
        assert_eq!(form(vec![all[0].clone(), all[2].clone()]), [(1, 1), (3, 1)]);
    }
}
