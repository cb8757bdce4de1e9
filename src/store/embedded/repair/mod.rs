//! `crawler repair`: a new main database from the months of articles, which are the truth, from
//! what the damaged one still gives away, and from the second copy of the decisions. The
//! damaged database is set aside first and never written to; a repair that is cut short is begun
//! again by the next one.
//!
//! Must not know: how copies and mentions are found; whoever repairs brings them along.

mod months;
mod read;
mod rewrite;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::change::read_entry;
use super::decisions::{Decided, Decisions};
use super::files::{
    ARTICLES, MAIN, MARKER, REPAIRING, SALVAGE, SUSPECT, damaged_name, free_name, remove, rename,
    write_synced,
};
use super::format::keys::{self, Parts, key};
use super::format::{MemberRow, check_format, decode};
use super::kv::Kv;
use super::lock::DirLock;
use super::moving;
use super::open::cache;
use super::redb::RedbKv;
use super::{Embedded, aside};
use crate::model::*;
use crate::store::decision::Decision;
use crate::store::rules::articles::ArticleRows;
use crate::store::rules::decisions::DecisionRows;
use crate::store::rules::{feeds, outlets, sightings, stories};
use crate::store::transfer::AT_ONCE;
use crate::store::{Control, FORMAT, Reading, Remembered, Result, Settings, Store, StoreError};
use read::{EachRow, open_copy, readable, refuse_other_format};
pub use rewrite::rewrite;

/// In place of a name in the file that says that a repair is under way: there was no main.
const NO_MAIN: &str = "no main";

/// What belongs to an article beside its record.
#[derive(Clone, Debug)]
pub struct Adopted {
    /// Its entry, as far as the article tells; used if no better one is left.
    pub url: UrlRecord,
    pub aliases: Vec<UrlKey>,
    pub mentions: Vec<MentionRow>,
    pub vector: Vec<u8>,
    /// `None`: what its page printed is not known any more.
    pub printed: Option<Remembered>,
}

/// Where the watched brands were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrandsFrom {
    Main,
    Decisions,
}

/// What was taken over from the damaged main and the decisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Salvaged {
    pub feeds: u64,
    /// Feeds of which only the address is known.
    pub bare_feeds: u64,
    pub robots: u64,
    pub pace_keys: u64,
    /// Days and outlets whose polls are known.
    pub coverage: u64,
    pub rules: u64,
}

/// A repair under way; holds the store's lock.
pub struct Repair {
    store: Arc<Embedded>,
    /// The damaged main, as far as it opens.
    old: Option<Box<dyn Kv>>,
    decided: Decided,
    dir: PathBuf,
    aside: Option<PathBuf>,
    settings: Settings,
    now: Millis,
}

impl Repair {
    /// Takes the lock, sets the damaged main aside as `main.damaged-<day>` and starts a new one.
    ///
    /// # Errors
    /// There is no store, it is in use, or it is of a newer crawler: then nothing is touched.
    pub fn begin(
        dir: &Path,
        settings: &Settings,
        now: Millis,
        say: &mut dyn FnMut(String),
    ) -> Result<Repair> {
        let (main, marker) = (dir.join(MAIN), dir.join(REPAIRING));
        if !main.exists() && !dir.join(ARTICLES).exists() && !marker.exists() {
            return Err(StoreError::Other(format!("there is no store at {}", dir.display())));
        }
        let lock = DirLock::take(dir)?;
        moving::recover(&main)?;
        aside::clear(dir)?;
        let earlier = earlier(&marker);
        if earlier.is_some() {
            say("an earlier repair was cut short; it is begun again".to_owned());
        }
        let aside = match earlier.as_deref() {
            // There was no main: what is there now is half built.
            Some(NO_MAIN) => {
                remove(&main)?;
                None
            }
            Some(name) => {
                let aside = dir.join(name);
                if aside.exists() {
                    remove(&main)?;
                }
                Some(aside)
            }
            None => main.exists().then(|| free_name(dir, MAIN, now)),
        };
        let damaged = aside.as_deref().filter(|aside| aside.exists()).unwrap_or(&main);
        let mut old = None;
        if damaged.exists() {
            match open_copy(damaged, &main.with_extension(SALVAGE), cache(settings))? {
                Ok(kv) => {
                    refuse_other_format(&*kv, format_file(dir)).inspect_err(|_| {
                        // The copy is of no more use; if it stays, the next repair replaces it.
                        let _ = remove(&main.with_extension(SALVAGE));
                    })?;
                    old = Some(kv);
                }
                Err(why) => say(format!("the main database cannot be read at all: {why}")),
            }
        }
        let name = aside.as_deref().and_then(Path::file_name).and_then(|name| name.to_str());
        write_synced(&marker, &format!("{}\n", name.unwrap_or(NO_MAIN)))?;
        if let Some(aside) = &aside
            && !aside.exists()
            && main.exists()
        {
            rename(&main, aside)?;
        }
        let kv = RedbKv::open(&main, cache(settings))?;
        check_format(&kv)?;
        let mut store = Embedded::over(kv, dir, settings, lock);
        // Written anew at the end; until then the old ones must stay as they are.
        store.decisions = None;
        let decided = Decisions::new(dir).read()?;
        if decided.unreadable > 0 {
            let (n, of) = (decided.unreadable, decided.lines);
            say(format!(
                "left out, since they cannot be read: {n} of {of} lines of decisions.jsonl"
            ));
        }
        let (dir, settings) = (dir.to_owned(), settings.clone());
        let store = Arc::new(store);
        Ok(Repair { store, old, decided, dir, aside, settings, now })
    }

    /// Where the damaged main is kept; `None`: there was none.
    pub fn aside(&self) -> Option<&Path> {
        self.aside.as_deref().filter(|aside| aside.exists())
    }

    /// Can anything be read from the damaged main?
    pub fn main_is_readable(&self) -> bool {
        self.old.is_some()
    }

    fn old_record<T: serde::de::DeserializeOwned>(&self, at: &[u8]) -> Option<T> {
        let old = self.old.as_ref()?;
        let value = old.get(at).ok()??;
        decode(at, &value).ok()
    }

    /// The watched brands, from main or from the decisions.
    pub fn brand_set(&self) -> Option<(BrandSet, BrandsFrom)> {
        let from_main = self
            .old_record::<String>(&key(keys::BRAND_POINTER).done())
            .and_then(|version| self.old_record(&key(keys::BRAND_SET).text(&version).done()));
        from_main.map(|set| (set, BrandsFrom::Main)).or_else(|| {
            let set = self.decided.brands.clone().filter(|set| !set.brands.is_empty());
            set.map(|set| (set, BrandsFrom::Decisions))
        })
    }

    /// A small named value, once [`Repair::salvage`] has run.
    pub fn meta(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.store.meta(name)
    }

    pub fn set_meta(&self, name: &str, value: &[u8]) -> Result<()> {
        self.store.set_meta(name, value)
    }

    /// Takes over what stands for itself, and sets the brands that articles are counted with.
    pub fn salvage(&self, set: &BrandSet, say: &mut dyn FnMut(String)) -> Result<Salvaged> {
        let mut done = Salvaged::default();
        if !set.brands.is_empty() || !set.version.is_empty() {
            self.store.rebuild(|tx| tx.begin_with(set))?;
        }
        let decided = &self.decided;
        let removed = |id: &UrlKey| {
            decided.feeds.get(id).is_some_and(|feed| feed.status == FeedStatus::Removed)
        };
        for table in [
            keys::META,
            keys::TOKEN,
            keys::ALERT,
            keys::NOTE,
            keys::ROBOTS,
            keys::PACE,
            keys::RULE,
            keys::FEED,
            keys::LEDGER,
        ] {
            self.old_rows(table, say, &mut |at, value| {
                let taken = self.store.rebuild(|tx| tx.take_over(at, value, self.now))?;
                let id = || Parts(at.get(1..).unwrap_or_default()).id().unwrap_or_default();
                if table == keys::FEED && removed(&id()) {
                    return Ok(taken);
                }
                let count = match table {
                    keys::FEED => &mut done.feeds,
                    keys::ROBOTS => &mut done.robots,
                    keys::PACE => &mut done.pace_keys,
                    keys::RULE => &mut done.rules,
                    keys::LEDGER => &mut done.coverage,
                    _ => return Ok(taken),
                };
                *count += u64::from(taken);
                Ok(taken)
            })?;
        }
        for feed in decided.feeds.values() {
            let feed = feed.clone().feed(self.now);
            let bare = self.store.rebuild(|tx| {
                if removed(&feed.key) {
                    // Main had not heard of it yet.
                    feeds::remove(tx, feed.key)?;
                }
                tx.take_feed(&feed)
            })?;
            done.bare_feeds += u64::from(bare && feed.status != FeedStatus::Removed);
        }
        for (outlet, rule) in &decided.outlets {
            if self.store.outlet_rule(outlet)? != *rule {
                self.store.rebuild(|tx| outlets::set_rule(tx, outlet, rule))?;
            }
        }
        for (name, rule) in &decided.alerts {
            // Main may not have heard of it yet.
            let known = self.store.alert(name)?.map(|alert| alert.rule);
            self.store.rebuild(|tx| match rule {
                Some(rule) if known.as_ref() != Some(rule) => {
                    tx.put_alert(&Alert::new(rule.clone(), self.now))
                }
                None if known.is_some() => tx.drop_alert(name),
                _ => Ok(()),
            })?;
        }
        for (id, note) in &decided.notes {
            self.store.rebuild(|tx| match note {
                Some(note) => tx.put_note(note).map(drop),
                None => tx.drop_note(id).map(drop),
            })?;
        }
        for record in decided.forgotten.values() {
            self.store.rebuild(|tx| tx.take_entry(record.clone(), self.now))?;
        }
        self.salvage_log(say)?;
        Ok(done)
    }

    /// The log of decisions, from main and from the second copy.
    fn salvage_log(&self, say: &mut dyn FnMut(String)) -> Result<()> {
        let mut rows = Vec::new();
        self.old_rows(keys::DECISION, say, &mut |at, value| {
            let entry = read_entry(at, value);
            let good = entry.is_some();
            rows.extend(entry);
            Ok(good)
        })?;
        rows.sort_by_key(|(number, _)| *number);
        let mut log: Vec<Decision> = rows.into_iter().map(|(_, decision)| decision).collect();
        let known: HashSet<(Millis, String)> =
            log.iter().map(|decision| (decision.at, decision.words.clone())).collect();
        let more = self.decided.log.iter();
        log.extend(more.filter(|d| !known.contains(&(d.at, d.words.clone()))).cloned());
        log.sort_by_key(|decision| decision.at);
        for part in log.chunks(AT_ONCE) {
            self.store.rebuild(|tx| part.iter().try_for_each(|d| tx.put_decision(d)))?;
        }
        Ok(())
    }

    /// Every readable row of a table of the damaged main; `each` says whether it made sense.
    fn old_rows(
        &self,
        table: u8,
        say: &mut dyn FnMut(String),
        each: &mut EachRow<'_, bool>,
    ) -> Result<()> {
        let Some(old) = &self.old else { return Ok(()) };
        let breaks = readable(&**old, &[table], &[table + 1], &mut |at, value| {
            if !each(at, value)? {
                say(format!("{} is damaged and left out", keys::describe(at)));
            }
            Ok(())
        })?;
        if breaks > 0 {
            let name = keys::table_name(table);
            say(format!("places among the {name} that cannot be read: {breaks}"));
        }
        Ok(())
    }

    /// The old entry of an article: from a tombstone, else from main.
    fn old_entry(&self, id: UrlKey) -> Option<UrlRecord> {
        self.old_record(&key(keys::URL).id(id).done()).filter(|url: &UrlRecord| url.key == id)
    }

    /// Takes over the entries that are no articles, and other keys of articles. Entries whose
    /// article is lost are to be fetched again: returns how many.
    pub fn entries(&self, say: &mut dyn FnMut(String)) -> Result<u64> {
        let mut again = 0;
        self.old_rows(keys::URL, say, &mut |at, value| {
            let Ok(url) = decode::<UrlRecord>(at, value) else { return Ok(false) };
            again += u64::from(self.store.rebuild(|tx| tx.take_entry(url, self.now))?);
            Ok(true)
        })?;
        self.old_rows(keys::ALIAS, say, &mut |at, value| {
            let Ok(article) = decode::<UrlKey>(at, value) else { return Ok(false) };
            self.store.rebuild(|tx| tx.take_alias(at, article)).map(|()| true)
        })?;
        let mut others = Vec::new();
        self.store.urls(&mut |url| {
            if matches!(url.outcome, Outcome::Known(_) | Outcome::Moved(_)) {
                others.push(url.key);
            }
            true
        })?;
        for id in others {
            if let Some(url) = self.store.url(id)? {
                again += u64::from(self.store.rebuild(|tx| tx.check_target(url, self.now))?);
            }
        }
        Ok(again)
    }

    /// Vectors in order of publication.
    pub fn vectors(&self, each: &mut dyn FnMut(UrlKey, Millis, Vec<u8>) -> bool) -> Result<()> {
        self.store.vectors(Millis::MIN, each)
    }

    pub fn read_article(&self, id: UrlKey) -> Result<Option<ArticleRecord>> {
        self.store.article(id)
    }

    /// See [`crate::store::Batch::member`].
    pub fn member(&self, article: UrlKey) -> Result<Option<(UrlKey, Member)>> {
        self.store.view().member(article)
    }

    /// See [`crate::store::Batch::story_head`].
    pub fn story_head(&self, id: UrlKey) -> Result<Option<StoryHead>> {
        self.store.view().story_head(id)
    }

    /// Puts an article into the story that it founds or joins, as in a commit.
    pub fn join(
        &self,
        record: &ArticleRecord,
        joining: Joining,
        excerpts: &[Excerpt],
    ) -> Result<()> {
        self.store.rebuild(|tx| {
            tx.put_excerpts(excerpts)?;
            let sight = tx.o.url(record.key)?.map(|url| url.sight);
            let sighting = match sight.filter(|sight| *sight != Sight::Unnoted) {
                Some(sight) => sightings::judge(sight, &record.published),
                // Its entry is lost, or older.
                None => record.sighting,
            };
            let member = Member { sighting, ..stories::member_of(record) };
            stories::join(tx, member, joining)
        })
    }

    /// Reads vectors back, for as long as it is kept; the repair cannot end before it is dropped.
    pub fn source(
        &self,
    ) -> impl Fn(UrlKey, Millis) -> Result<Option<Vec<u8>>> + Send + Sync + 'static {
        let store = self.store.clone();
        move |key, at| store.vector(key, at)
    }

    /// Gives the stories their old names, where main still tells them; returns how many there are.
    pub fn name_stories(&self) -> Result<u64> {
        let mut stories = 0;
        let mut names = Vec::new();
        self.store.stories(None, None, &mut |story| {
            stories += 1;
            let before = story.members.iter().find_map(|member| {
                self.old_record::<MemberRow>(&key(keys::MEMBER).id(member.key).done())
            });
            let before = before.map(|row| row.story);
            names.extend(before.filter(|before| *before != story.id).map(|b| (story.id, b)));
            true
        })?;
        for (id, before) in names {
            self.store.rebuild(|tx| tx.rename_story(id, before))?;
        }
        Ok(stories)
    }

    /// Makes it the store.
    pub fn finish(mut self) -> Result<()> {
        let store = Arc::get_mut(&mut self.store).ok_or_else(|| {
            StoreError::Other("the vectors of the repaired store are still being read".to_owned())
        })?;
        store.decisions = Some(Decisions::new(&self.dir));
        self.store.write_decisions()?;
        self.store.flush()?;
        write_synced(&self.dir.join(MARKER), &format!("{}\n", FORMAT))?;
        drop(self.old);
        remove(&self.dir.join(MAIN).with_extension(SALVAGE))?;
        for file in [SUSPECT, REPAIRING] {
            match std::fs::remove_file(self.dir.join(file)) {
                Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                    return Err(StoreError::Io { what: format!("file {file}"), source });
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Was a main set aside on this UTC day, and its repair brought to its end? Then whatever damaged it
/// may be at work still.
pub fn repaired_today(dir: &Path, now: Millis) -> bool {
    dir.join(damaged_name(MAIN, now)).exists() && !dir.join(REPAIRING).exists()
}

/// Under which name the repair that was cut short set main aside. The file is complete before main
/// is touched: a garbled one means that it was not.
fn earlier(marker: &Path) -> Option<String> {
    let text = std::fs::read_to_string(marker).ok()?;
    let name = text.strip_suffix('\n')?;
    let ours = name == NO_MAIN || name.starts_with("main.damaged-") && !name.contains('/');
    ours.then(|| name.to_owned())
}

/// What the file beside main says about the format.
fn format_file(dir: &Path) -> Option<u32> {
    std::fs::read_to_string(dir.join(MARKER)).ok()?.trim().parse().ok()
}
