//! All stories told anew by the newest rule: after a change of the rule, or of τ or the window. The stored
//! prints are made again from the texts where they lack what the rule asks for.
//!
//! Must not know: what the rule says, how records are laid out.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

use crate::dedupe::{Print, Rule, Search, Stories};
use crate::model::*;
use crate::store::decision::{Change, Topic, Who};
use crate::store::{LogPosition, Store, StoreError, visit};

use super::steps::Steps;
use crate::crawl::Engine;
use crate::crawl::clock::now;
use crate::crawl::stories::{copies, rules};

/// Prints that are written in one commit.
const PRINTS: usize = 500;
/// Times that what others have committed meanwhile is taken over.
const PASSES: u32 = 100;
/// Times that all is told, where others forget articles or change stories meanwhile.
const TOLD: u32 = 5;

/// What was told holds articles that are there no more.
#[derive(Debug, thiserror::Error)]
#[error("articles were forgotten meanwhile: try again")]
struct Gone;

/// What a rebuild did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rebuilt {
    /// Version of the rule that told the stories before, and of the one that tells them now.
    pub before: u32,
    pub rule: u32,
    pub articles: u64,
    /// Of these, articles whose text has left by age: they are judged by the words that are kept.
    pub without_text: u64,
    pub stories_before: u64,
    pub stories: u64,
    /// Articles that stand beside others than before: those of stories that were joined or taken apart.
    pub moved: u64,
    /// Stories that are marked *pattern* now.
    pub patterns: u64,
    pub dry_run: bool,
}

/// Tells all stories anew. Commits go on while they are told, and wait while they are exchanged, story by
/// story. What is taken back before that changes nothing; if the crawler ends during the exchange, the old
/// rule stays in force until the rebuild is ordered again. A step is an article. Where another process on the
/// same database forgets an article or changes a story meanwhile, it begins again.
///
/// # Errors
/// The store's; [`super::steps::Cancelled`].
pub fn rebuild(engine: &Engine, who: &Who, dry_run: bool, steps: &Steps) -> Result<Rebuilt> {
    let _alone = engine.counts.lock().unwrap_or_else(|e| e.into_inner());
    let mut told = 1;
    loop {
        match tell_all(engine, who, dry_run, steps) {
            Err(error) if told < TOLD && is_overtaken(&error) => told += 1,
            done => return done,
        }
    }
}

/// Has another process changed what was told?
fn is_overtaken(error: &anyhow::Error) -> bool {
    error.is::<Gone>() || matches!(error.downcast_ref(), Some(StoreError::StoryChanged))
}

fn tell_all(engine: &Engine, who: &Who, dry_run: bool, steps: &Steps) -> Result<Rebuilt> {
    let store = engine.store.as_ref();
    let rule = Rule::default();
    let mut telling = Telling::begin(engine, rule)?;
    telling.all(steps)?;
    telling.done.before = rules::in_force(store)?.version();
    telling.done.dry_run = dry_run;
    if dry_run {
        let told = telling.told()?;
        return Ok(compared(&told, telling.done).0);
    }
    // From here on nothing of this process comes between.
    let _commits_wait = engine.commits.write().unwrap_or_else(|e| e.into_inner());
    for _ in 0..PASSES {
        telling.since()?;
        let told = telling.told()?;
        let (done, groups) = compared(&told, telling.done.clone());
        for prints in telling.prints.chunks(PRINTS) {
            store.change(Change::Stories { prints, stories: &[] }, None)?;
        }
        telling.prints.clear();
        for stories in groups {
            store.change(Change::Stories { prints: &[], stories: &stories }, None)?;
        }
        rules::put(store, rule)?;
        // Other processes on the same database tell by the new rule from now on.
        if store.log_end()? == telling.position {
            let words = format!(
                "stories computed again by rule {}: {} of {} articles, {} moved",
                done.rule, done.stories, done.articles, done.moved
            );
            store.change(Change::Nothing, Some(&who.decides(now(), Topic::Store, words)))?;
            return Ok(done);
        }
    }
    bail!("other processes commit articles all the time: try again when they are idle")
}

/// Stories under way.
struct Telling<'e> {
    engine: &'e Engine,
    search: Search,
    stories: Stories,
    /// As they stand in their stories.
    members: BTreeMap<UrlKey, Member>,
    /// Everything up to here is told.
    position: LogPosition,
    /// Made again, to be stored.
    prints: Vec<(UrlKey, Millis, Vec<u8>)>,
    done: Rebuilt,
}

/// Stories as they are and as they are to be.
struct Exchange {
    before: Vec<Story>,
    after: Vec<Story>,
}

impl<'e> Telling<'e> {
    fn begin(engine: &'e Engine, rule: Rule) -> Result<Telling<'e>> {
        let store = Arc::clone(&engine.store);
        // What cannot be read is like no text: `verify` tells of it.
        let source =
            move |key, at| print(store.as_ref(), key, at).ok()?.map(|(print, _)| Arc::new(print));
        let mut members = BTreeMap::new();
        engine.store.stories(None, None, &mut |story| {
            members.extend(story.members.into_iter().map(|member| (member.key, member)));
            true
        })?;
        Ok(Telling {
            engine,
            members,
            search: Search::new(engine.settings.dedupe.clone(), rule, Box::new(source)),
            stories: Stories::default(),
            position: engine.store.log_end()?,
            prints: Vec::new(),
            done: Rebuilt { rule: rule.version(), ..Rebuilt::default() },
        })
    }

    /// Tells all articles in the order of their publication.
    fn all(&mut self, steps: &Steps) -> Result<()> {
        let window = self.engine.settings.dedupe.window.0;
        let store = self.engine.store.as_ref();
        let mut expired = Millis::MIN;
        visit(
            |each| store.vectors(Millis::MIN, &mut |key, at, _| each((key, at))),
            |(key, at)| -> Result<_> {
                steps.step()?;
                self.article(key, at)?;
                if at.saturating_sub(window) > expired.saturating_add(DAY) {
                    expired = at.saturating_sub(window);
                    self.search.expire(expired, &mut |_| false);
                }
                Ok(ControlFlow::Continue(()))
            },
        )
    }

    /// Tells what has come since.
    fn since(&mut self) -> Result<()> {
        let store = self.engine.store.as_ref();
        let mut came = Vec::new();
        let mut gone = false;
        let (from, mut position) = (self.position, self.position);
        let whole = store.log_since(from, &mut |at, logged| {
            position = at;
            gone |= logged.gone;
            came.push((logged.article, logged.at));
            true
        })?;
        if gone || !whole {
            return Err(Gone.into());
        }
        if !came.is_empty() {
            // All that they may be told with.
            let first = came.iter().map(|(_, at)| *at).min().unwrap_or_default();
            let horizon = first.saturating_sub(self.engine.settings.dedupe.window.0);
            visit(
                |each| store.vectors(horizon, &mut |key, at, _| each((key, at))),
                |(key, at)| -> Result<_> {
                    if self.stories.holds(key)
                        && !self.search.holds(key)
                        && let Some((print, _)) = print(store, key, at)?
                    {
                        self.search.insert(key, at, print);
                        self.search.settle();
                    }
                    Ok(ControlFlow::Continue(()))
                },
            )?;
        }
        for (key, at) in came {
            self.article(key, at)?;
        }
        self.position = position;
        Ok(())
    }

    fn article(&mut self, key: UrlKey, at: Millis) -> Result<()> {
        let store = self.engine.store.as_ref();
        if self.stories.holds(key) {
            return Ok(());
        }
        let member = match self.members.get(&key) {
            Some(member) => Some(member.clone()),
            None => store.story_of(key)?.and_then(|story| own(story, key)),
        };
        // Forgotten since.
        let Some(member) = member else { return Ok(()) };
        let member = Member { nearest: None, ..member };
        let (print, made) = print(store, key, at)?.unwrap_or_default();
        self.done.articles += 1;
        self.done.without_text += u64::from(print.wording.is_none());
        if made && !self.done.dry_run {
            self.prints.push((key, at, print.encode()));
        }
        let found = self.search.near(key, at, &print);
        self.search.insert(key, at, print);
        self.search.settle();
        let drifted = |a: Rank, b: Rank| self.search.drifted((a.key, a.at), (b.key, b.at));
        self.stories.add(member, &found.copies, &found.patterns, drifted);
        Ok(())
    }

    fn told(&self) -> Result<Exchange> {
        let mut before = Vec::new();
        self.engine.store.stories(None, None, &mut |story| {
            before.push(story);
            true
        })?;
        let mut after = self.stories.to_stories();
        let now: BTreeMap<UrlKey, (UrlKey, &Member)> = before
            .iter()
            .flat_map(|story| story.members.iter().map(|member| (member.key, (story.id, member))))
            .collect();
        let originals: BTreeMap<UrlKey, Standing> = before
            .iter()
            .filter_map(|story| Some((story.id, story.members.first()?.standing())))
            .collect();
        for story in &mut after {
            for member in &mut story.members {
                // What polls have said of its date since.
                if let Some((_, known)) = now.get(&member.key) {
                    member.sighting = known.sighting;
                    member.brands.clone_from(&known.brands);
                }
            }
            story.members.sort_by_key(Member::standing);
            // The name that stays is that of the story with the first original, if its founder is here.
            let names = story.members.iter().filter_map(|m| originals.get_key_value(&m.key));
            let first = names.min_by_key(|(id, original)| (**original, **id)).map(|(id, _)| *id);
            if let Some(id) = first.or(story.members.first().map(|member| member.key)) {
                story.id = id;
            }
        }
        Ok(Exchange { before, after })
    }
}

fn own(story: Story, key: UrlKey) -> Option<Member> {
    story.members.into_iter().find(|member| member.key == key)
}

/// What is stored of a text, made again from the text if an earlier version made it; was it?
fn print(store: &dyn Store, key: UrlKey, at: Millis) -> Result<Option<(Print, bool)>> {
    let Some(bytes) = store.vector(key, at)? else { return Ok(None) };
    let stored = copies::decoded(key, &bytes).unwrap_or_default();
    if stored.is_whole() {
        return Ok(Some((stored, false)));
    }
    let record = store.article(key)?.filter(ArticleRecord::has_text);
    Ok(Some(match record {
        Some(record) => (Print::of(&record.article.text), true),
        None => (stored, false),
    }))
}

/// What has changed, and groups of new stories that take the place of as many articles' old ones.
fn compared(told: &Exchange, mut done: Rebuilt) -> (Rebuilt, Vec<Vec<Story>>) {
    done.stories_before = told.before.len() as u64;
    done.stories = told.after.len() as u64;
    done.patterns = told.after.iter().filter(|story| story.pattern).count() as u64;
    done.moved = 0;
    let place = |stories: &[Story]| -> BTreeMap<UrlKey, usize> {
        let members = |(n, story): (usize, &Story)| {
            story.members.iter().map(move |member| (member.key, n)).collect::<Vec<_>>()
        };
        stories.iter().enumerate().flat_map(members).collect()
    };
    let (was, is) = (place(&told.before), place(&told.after));
    let mut groups = Vec::new();
    let mut seen = vec![false; told.after.len()];
    for first in 0..told.after.len() {
        // The stories of both kinds that hang together by their members.
        let (mut new, mut old) = (BTreeSet::new(), BTreeSet::new());
        let mut open = vec![first];
        while let Some(n) = open.pop() {
            if seen.get(n).copied().unwrap_or(true) || !new.insert(n) {
                continue;
            }
            let members = told.after.get(n).map_or(&[][..], |story| &story.members);
            for n in members.iter().filter_map(|member| was.get(&member.key)) {
                if old.insert(*n) {
                    let members = told.before.get(*n).map_or(&[][..], |story| &story.members);
                    open.extend(members.iter().filter_map(|member| is.get(&member.key)));
                }
            }
        }
        for n in &new {
            if let Some(seen) = seen.get_mut(*n) {
                *seen = true;
            }
        }
        let stories: Vec<Story> = new.iter().filter_map(|n| told.after.get(*n).cloned()).collect();
        let stood: Vec<&Story> = old.iter().filter_map(|n| told.before.get(*n)).collect();
        if stories.is_empty()
            || stood.len() == 1 && stories.len() == 1 && stories.first() == stood.first().copied()
        {
            continue;
        }
        if stood.len() != 1 || stories.len() != 1 {
            done.moved += stories.iter().map(|story| story.members.len() as u64).sum::<u64>();
        }
        groups.push(stories);
    }
    (done, groups)
}
