//! The watched brands in use, and what happens when they change: every stored text is matched
//! again under the new version before one pointer is flipped.
//!
//! Must not know: the network, pages; it works on stored articles only.

mod edits;

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::mention::brands::{Shared, newly_shared};
use crate::mention::{self, Lexicon};
use crate::model::*;
use crate::query;
use crate::store::decision::{self, Decision, Effect, Recounted, Topic, Who};
use crate::store::{Ledger, StoreError, history, visit};

use super::steps::Steps;
use crate::crawl::Engine;
use crate::crawl::clock::now;

pub use edits::{Edit, listed};

/// A brand set with its lexicon.
#[derive(Debug)]
pub struct Watch {
    pub set: BrandSet,
    pub lexicon: Lexicon,
}

impl Watch {
    /// Builds the lexicon. Errors name the brand and the field.
    pub fn new(set: BrandSet) -> Result<Watch> {
        let lexicon = Lexicon::build(&set.brands)?.taught(&set.senses);
        Ok(Watch { set, lexicon })
    }

    /// Mention rows of one article under this brand set.
    pub fn rows(&self, record: &ArticleRecord) -> Vec<MentionRow> {
        let found = mention::mentions(&self.lexicon, &record.article, &record.outlet);
        mention::rows(&self.lexicon, record, &found)
    }
}

/// Reads a brand list: TOML with `[[brand]]`, or one name a line.
///
/// # Errors
/// They name the line, or the brand and the field.
pub fn read(text: &str) -> Result<Vec<Brand>> {
    Ok(mention::brands::read(text)?)
}

/// On which terms the brands are changed.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// Nothing is written: it is only told what would change.
    pub dry_run: bool,
    /// Only if this is the version in use.
    pub instead_of: Option<String>,
    /// A step is an article.
    pub steps: Steps,
}

/// The brands have been changed since whoever changes them looked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the brands have changed meanwhile: the set `{current}` is in use, not `{expected}`; look again, \
     then change them"
)]
pub struct Overtaken {
    pub expected: String,
    pub current: String,
}

/// Times that a recount looks for articles that came meanwhile, or begins again.
const PASSES: u32 = 1_000;

/// Brands that count at least one mention in these rows.
pub fn counting(rows: &[MentionRow]) -> Vec<String> {
    rows.iter().filter(|r| r.counted > 0).map(|r| r.brand.clone()).collect()
}

/// Takes up the brand set that another process on the same database has put into use.
pub(in crate::crawl) fn refresh(engine: &Engine) -> Result<()> {
    // What is read before the lock is there may be older than what a recount of this process has put there.
    let mut current = engine.watch.write().unwrap_or_else(|e| e.into_inner());
    let set = engine.store.brand_set()?;
    if current.set.version != set.version {
        tracing::info!(version = set.version, "changed brand set in use");
        *current = Arc::new(Watch::new(set)?);
    }
    Ok(())
}

/// The brands that the store counts by now.
pub(super) fn in_use(engine: &Engine) -> Result<Arc<Watch>> {
    refresh(engine)?;
    Ok(engine.watch.read().unwrap_or_else(|e| e.into_inner()).clone())
}

/// What a changed brand set would do to the counts, per brand and day.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Change {
    pub brand: String,
    pub day: Day,
    /// Counted mentions before and after.
    pub before: u64,
    pub after: u64,
    /// Articles that count the brand, before and after. If these and the mentions are as many as before, other
    /// articles count it, or each another number of mentions.
    #[serde(default)]
    pub articles_before: u64,
    #[serde(default)]
    pub articles_after: u64,
}

/// What the articles of a day count of a brand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    mentions: u64,
    articles: u64,
    /// Which articles these are, and how many mentions each counts: a sum, whatever their order.
    which: u64,
}

impl Sum {
    fn add(&mut self, row: &MentionRow) {
        if row.counted > 0 {
            self.mentions += u64::from(row.counted);
            self.articles += 1;
            let mut hash = DefaultHasher::new();
            (row.article, row.counted).hash(&mut hash);
            self.which = self.which.wrapping_add(hash.finish());
        }
    }
}

/// Result of a recount.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Recount {
    pub version: String,
    pub articles: u64,
    /// Of these, articles whose text has left by age: they keep what they counted for brands that
    /// are still watched, and cannot be searched for others.
    pub without_text: u64,
    pub changes: Vec<Change>,
    /// Brands that were not watched before.
    #[serde(default)]
    pub new: Vec<String>,
    /// Brands that are watched no more.
    #[serde(default)]
    pub no_longer_watched: Vec<String>,
    /// Alerts that name one of these, and are quiet about it from then on.
    #[serde(default)]
    pub alerts: Vec<String>,
    /// What brands that were watched already are no longer matched by.
    #[serde(default)]
    pub dropped: Vec<Dropped>,
    /// Names that count for several brands from now on.
    #[serde(default)]
    pub shared: Vec<Shared>,
    pub dry_run: bool,
}

/// What a brand loses when it is given anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    pub brand: String,
    /// Names that no longer count.
    pub aliases: Vec<String>,
    /// Phrases that no longer cancel a match.
    pub exclude: Vec<String>,
    /// Of its other keys, those that lose a value.
    pub keys: Vec<String>,
}

impl Dropped {
    /// What of these brands, watched before, the others leave out.
    fn between(before: &[Brand], after: &[Brand]) -> Vec<Dropped> {
        let gone = |old: &[String], new: &[String]| -> Vec<String> {
            old.iter().filter(|word| !new.contains(word)).cloned().collect()
        };
        let lost = |old: &Brand| {
            let new = after.iter().find(|new| new.name == old.name)?;
            let keys = [
                ("languages", &old.languages, &new.languages),
                ("require", &old.require, &new.require),
                ("inflect", &old.inflect, &new.inflect),
                ("outlets", &old.outlets, &new.outlets),
            ];
            let keys = keys.into_iter().filter(|(_, old, new)| !gone(old, new).is_empty());
            // These go back to what holds where nothing is said.
            let case = CaseRule::default();
            let back = [
                ("case", old.case != case && new.case == case),
                ("whole_word", !old.whole_word && new.whole_word),
                ("within", old.within > 0 && new.within == 0),
            ];
            let back = back.into_iter().filter(|(_, lost)| *lost).map(|(key, _)| key);
            let lost = Dropped {
                brand: old.name.clone(),
                aliases: gone(&old.aliases, &new.aliases),
                exclude: gone(&old.exclude, &new.exclude),
                keys: keys.map(|(key, ..)| key).chain(back).map(str::to_owned).collect(),
            };
            let any = [&lost.aliases, &lost.exclude, &lost.keys].iter().any(|l| !l.is_empty());
            any.then_some(lost)
        };
        before.iter().filter_map(lost).collect()
    }
}

/// Makes a versioned set from brands; known brands keep the instant since which they are watched.
pub fn versioned(brands: Vec<Brand>, previous: &BrandSet, now: Millis) -> BrandSet {
    let since = brands
        .iter()
        .map(|b| (b.name.clone(), previous.since.get(&b.name).copied().unwrap_or(now)))
        .collect();
    // What was answered about a brand stays with its name.
    let known = |(name, _): &(&String, &Sense)| brands.iter().any(|brand| brand.name == **name);
    let senses = previous.senses.iter().filter(known);
    resolved(brands.clone(), since, senses.map(|(n, s)| (n.clone(), s.clone())).collect())
}

/// A set with its version.
fn resolved(
    brands: Vec<Brand>,
    since: BTreeMap<String, Millis>,
    senses: BTreeMap<String, Sense>,
) -> BrandSet {
    BrandSet { version: mention::brands::version(&brands, &senses), brands, since, senses }
}

/// The names of those brands that are not among the others.
fn without(brands: &[Brand], others: &[Brand]) -> Vec<String> {
    let others: HashSet<&str> = others.iter().map(|brand| brand.name.as_str()).collect();
    let names = brands.iter().map(|brand| brand.name.clone());
    names.filter(|name| !others.contains(name.as_str())).collect()
}

/// Changes the watched brands and recounts all stored articles. Articles that are committed
/// meanwhile are recounted too, before the pointer flips.
///
/// # Errors
/// A brand cannot be matched or is not there; [`Overtaken`]; [`super::steps::Cancelled`], then nothing
/// has changed; the store's.
pub fn edit(engine: &Engine, who: &Who, edit: Edit, terms: &Terms) -> Result<Recount> {
    let decision = who.decides(now(), Topic::Brands, edit.words());
    let _one_at_a_time = engine.counts.lock().unwrap_or_else(|e| e.into_inner());
    for again in 1.. {
        // Read under the lock: two edits at once both count. Those of other processes on the same
        // database do not wait for it: who comes second begins again from what the first has left.
        let previous = engine.store.brand_set()?;
        if let Some(expected) = terms.instead_of.as_ref().filter(|v| **v != previous.version) {
            let (expected, current) = (expected.clone(), previous.version);
            return Err(Overtaken { expected, current }.into());
        }
        let brands = edit.clone().applied(previous.brands.clone())?;
        let mut set = versioned(brands, &previous, now());
        if let Edit::Teach { brand, answers } = &edit {
            let sense = query::taught(engine.store.as_ref(), &previous, brand, answers)?;
            set.senses.remove(brand);
            if !sense.answers.is_empty() {
                set.senses.insert(brand.clone(), sense);
            }
            set = resolved(set.brands, set.since, set.senses);
        }
        let done = recount(engine, decision.clone(), set, &previous, terms);
        let stale = done.as_ref().is_err_and(|error| {
            matches!(error.downcast_ref(), Some(StoreError::StaleBrandSet { .. }))
        });
        if !stale || again == PASSES {
            return done;
        }
    }
    bail!("the brand set changes all the time: try again later")
}

/// At the start of a daemon or a run: where an earlier version's rules have counted, every text is matched again by
/// those of this one. `None`: nothing was to be done. Only then: programs of two versions on one database would else go
/// on contradicting each other.
///
/// # Errors
/// As of [`edit`].
pub fn begin(engine: &Engine, terms: &Terms) -> Result<Option<Recount>> {
    if mention::brands::by_these_rules(&engine.store.brand_set()?) {
        return Ok(None);
    }
    edit(engine, &Who::program(), Edit::Keep, terms).map(Some)
}

/// Counts again with these brands instead of the `previous`.
fn recount(
    engine: &Engine,
    decision: Decision,
    set: BrandSet,
    previous: &BrandSet,
    terms: &Terms,
) -> Result<Recount> {
    let Terms { dry_run, steps, .. } = terms.clone();
    steps.expect(stored(engine)?);
    let dropped = Dropped::between(&previous.brands, &set.brands);
    let shared = newly_shared(&set.brands, &previous.brands);
    let new = without(&set.brands, &previous.brands);
    let no_longer_watched = without(&previous.brands, &set.brands);
    let mut alerts = engine.store.alerts()?;
    alerts.retain(|alert| alert.rule.brands.iter().any(|name| no_longer_watched.contains(name)));
    let alerts = alerts.into_iter().map(|alert| alert.rule.name).collect();
    let watch = Watch::new(set)?;
    if watch.set.version == previous.version && !dry_run {
        // Rows are a function of text, brands and rules: they are there already.
        let version = watch.set.version;
        return Ok(Recount {
            version,
            articles: 0,
            without_text: 0,
            changes: Vec::new(),
            new,
            no_longer_watched,
            alerts,
            dropped,
            shared,
            dry_run,
        });
    }
    let mut recount = Running {
        engine,
        watch: &watch,
        dry_run,
        steps,
        articles: 0,
        without_text: 0,
        changes: BTreeMap::new(),
    };
    visit(
        |each| engine.store.articles(None, None, each),
        |record| recount.article(&record).map(ControlFlow::Continue),
    )
    .context("recount")?;
    if !dry_run {
        // Commits wait for this lock: what arrived since the first pass is recounted here.
        let _commits_wait = engine.commits.write().unwrap_or_else(|e| e.into_inner());
        for pass in 1.. {
            let mut missing = Vec::new();
            engine.store.recount_missing(&watch.set, &mut |key| {
                missing.push(key);
                true
            })?;
            for key in missing {
                if let Some(record) = engine.store.article(key)? {
                    recount.article(&record)?;
                }
            }
            let effect = Some(Effect::Brands(recount.note(previous)));
            let decision = Decision { at: now(), effect, ..decision.clone() };
            let change =
                decision::Change::BrandSet { set: &watch.set, previous: &previous.version };
            match engine.store.change(change, Some(&decision)) {
                // Other processes on the same database commit meanwhile.
                Err(StoreError::NotRecounted { .. }) if pass < PASSES => {}
                done => {
                    done?;
                    break;
                }
            }
        }
        let mut current = engine.watch.write().unwrap_or_else(|e| e.into_inner());
        *current = Arc::new(Watch::new(watch.set.clone())?);
    }
    let Running { articles, without_text, changes, .. } = recount;
    let changes = changes
        .into_iter()
        .filter(|(_, (before, after))| before != after)
        .map(|((brand, day), (before, after))| Change {
            brand,
            day,
            before: before.mentions,
            after: after.mentions,
            articles_before: before.articles,
            articles_after: after.articles,
        })
        .collect();
    let version = watch.set.version;
    Ok(Recount {
        version,
        articles,
        without_text,
        changes,
        new,
        no_longer_watched,
        alerts,
        dropped,
        shared,
        dry_run,
    })
}

/// Articles, by the ledger: those forgotten left out.
fn stored(engine: &Engine) -> Result<u64> {
    let ledger = engine.store.ledger(None, None)?;
    let articles = |row: &Ledger| row.outcomes.get(Outcome::Article.name()).copied();
    Ok(ledger.iter().filter_map(articles).sum())
}

/// A recount under way.
struct Running<'a> {
    engine: &'a Engine,
    watch: &'a Watch,
    dry_run: bool,
    steps: Steps,
    articles: u64,
    without_text: u64,
    /// What was counted before, and after.
    changes: BTreeMap<(String, Day), (Sum, Sum)>,
}

impl Running<'_> {
    /// What the store keeps of this recount.
    fn note(&self, previous: &BrandSet) -> Recounted {
        let mut days: BTreeMap<String, Vec<Day>> = BTreeMap::new();
        for ((brand, day), (before, after)) in &self.changes {
            if before != after {
                days.entry(brand.clone()).or_default().push(*day);
            }
        }
        Recounted {
            version: self.watch.set.version.clone(),
            at: now(),
            first: previous.brands.is_empty(),
            changed: days.into_iter().map(|(b, days)| (b, history::runs(days))).collect(),
        }
    }

    fn article(&mut self, record: &ArticleRecord) -> Result<()> {
        self.steps.step()?;
        self.articles += 1;
        let before = self.engine.store.mentions_of(record.key)?;
        for row in &before {
            let counts = self.changes.entry((row.brand.clone(), row.day)).or_default();
            counts.0.add(row);
        }
        let rows = if record.has_text() {
            self.watch.rows(record)
        } else {
            self.without_text += 1;
            let watched = |row: &MentionRow| self.watch.set.since.contains_key(&row.brand);
            before.into_iter().filter(watched).collect()
        };
        if !self.dry_run {
            self.engine.store.recount_put(&self.watch.set, record.key, &rows)?;
        }
        for row in rows {
            self.changes.entry((row.brand.clone(), row.day)).or_default().1.add(&row);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
