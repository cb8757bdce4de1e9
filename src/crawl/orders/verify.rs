//! Proof of the store's numbers beyond its own checks: stored texts are matched again with the
//! pinned brand version, and stories are recomputed by brute force on a sample (invariant 5).
//!
//! Must not know: the network, how records are laid out.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use anyhow::Result;

use crate::dedupe::rule::{self, Verdict};
use crate::dedupe::{self, Print};
use crate::mention;
use crate::model::*;
use crate::store::{Finding, StoreError, visit};

use super::brands::{self, Watch};
use super::steps::Steps;
use crate::crawl::Engine;
use crate::crawl::stories::rules;

/// Articles whose copies are searched by brute force.
const SAMPLE: usize = 200;
/// Members of a story that are all compared with each other, at most; in a larger one the article of the sample
/// with the others.
const WHOLE: usize = 50;

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    pub articles: u64,
    /// Of these, articles whose text has left by age: their rows cannot be matched again.
    pub without_text: u64,
}

/// Runs every check; each contradiction is one sentence. Commits go on meanwhile; a recount or a
/// forgetting waits. A step is an article.
///
/// # Errors
/// The store's; [`super::steps::Cancelled`].
pub fn verify(engine: &Engine, steps: &Steps, each: &mut dyn FnMut(Finding)) -> Result<Checked> {
    let _alone = engine.counts.lock().unwrap_or_else(|e| e.into_inner());
    let proven = engine.store.verify(each);
    damage(proven.map_err(Into::into), each)?;
    let mut watch = brands::in_use(engine)?;
    if !mention::brands::by_these_rules(&watch.set) {
        let next = "the next start of `crawler run`, or `crawler recount`, counts them again";
        each(Finding(format!(
            "the brands were counted by the rules of an earlier version: {next}"
        )));
    }
    let mut checked = Checked::default();
    let mut sample = Sample::default();
    let read = visit(
        |each| engine.store.articles(None, None, each),
        |record: ArticleRecord| -> Result<_> {
            steps.step()?;
            checked.articles += 1;
            day(engine, &record, each);
            checked.without_text += u64::from(!record.has_text());
            article(engine, &mut watch, &record, &mut sample, each).map(ControlFlow::Continue)
        },
    );
    damage(read, each)?;
    damage(entries(engine, &sample, each), each)?;
    damage(members(engine, &sample, each), each)?;
    damage(stories(engine, sample, each), each)?;
    Ok(checked)
}

/// Damage that ends a check is a finding: whatever lies behind it could not be looked at.
fn damage(checked: Result<()>, each: &mut dyn FnMut(Finding)) -> Result<()> {
    let Err(error) = checked else { return Ok(()) };
    match error.downcast_ref::<StoreError>() {
        Some(why @ StoreError::Corrupt { .. }) => {
            each(Finding(format!("{why}; what lies behind it was not checked")));
            Ok(())
        }
        _ => Err(error),
    }
}

/// An article counts on the day of its instant; also one that prints a day alone stands within it.
fn day(engine: &Engine, record: &ArticleRecord, each: &mut dyn FnMut(Finding)) {
    let Published { at, day, .. } = record.published;
    let of = day_of(at, &engine.zone);
    if day != of {
        each(Finding(format!(
            "article {} ({}): counts on {day}, its instant lies on {of}",
            record.key, record.final_url
        )));
    }
}

/// One article: its rows and its vector are those of its text. Where the text has left, its rows say of it what its
/// record does.
fn article(
    engine: &Engine,
    watch: &mut Arc<Watch>,
    record: &ArticleRecord,
    sample: &mut Sample,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let mut seen = rows(engine, watch, record)?;
    if seen.0 != seen.1 {
        let _commits_wait = engine.commits.write().unwrap_or_else(|e| e.into_inner());
        // Its outlet may have listed it between two looks: then it counts under another feed. Other processes
        // on the same database change brands, forget and list at any time: what contradicts is seen twice.
        while seen.0 != seen.1 {
            *watch = brands::in_use(engine)?;
            let now = engine.store.article(record.key)?;
            // Forgotten, or its text has just left.
            let Some(now) = now.filter(|now| now.has_text() == record.has_text()) else {
                return Ok(());
            };
            let again = rows(engine, watch, &now)?;
            if again == seen {
                each(differing(record, &seen.0, &seen.1));
                break;
            }
            seen = again;
        }
    }
    if !record.has_text() {
        return Ok(());
    }
    let text = &record.article.text;
    let stored = engine.store.vector(record.key, record.published.at)?;
    let stored = stored.map(|bytes| Print::decode(&bytes).ok().filter(|print| print.is_of(text)));
    if matches!(stored, Some(None)) {
        each(Finding(format!("article {}: its stored vector is not that of its text", record.key)));
    }
    // Its story was told with this one.
    let kept = stored.flatten().filter(|print| print.wording.is_some());
    let print = kept.unwrap_or_else(|| Print::of(text));
    sample.offer(record, print);
    Ok(())
}

/// The rows of an article, and what they should be: those of its text. Of a text that has left nobody knows what it
/// mentions.
fn rows(
    engine: &Engine,
    watch: &Watch,
    record: &ArticleRecord,
) -> Result<(Vec<MentionRow>, Vec<MentionRow>)> {
    let mut rows = engine.store.mentions_of(record.key)?;
    let mut expected = if record.has_text() {
        watch.rows(record)
    } else {
        let ArticleRecord { outlet, article, feed, backlog, .. } = record;
        let of_record = |row: &MentionRow| MentionRow {
            day: record.published.day,
            outlet: outlet.clone(),
            language: article.language.as_ref().map(|language| language.value.clone()),
            feed: *feed,
            backlog: *backlog,
            ..row.clone()
        };
        rows.iter().map(of_record).collect()
    };
    expected.sort_by(|a, b| a.brand.cmp(&b.brand));
    rows.sort_by(|a, b| a.brand.cmp(&b.brand));
    Ok((rows, expected))
}

/// Articles with the smallest hashes of their keys: as good as drawn by lot, and the same each time.
#[derive(Default)]
struct Sample(BTreeMap<u64, Sampled>);

struct Sampled {
    seen: Seen,
    print: Print,
}

/// When an article was published and came to the crawler.
#[derive(Clone, Copy)]
struct Seen {
    key: UrlKey,
    at: Millis,
    first_seen: Millis,
    fetched: Millis,
}

impl Sample {
    fn offer(&mut self, record: &ArticleRecord, print: Print) {
        let key = record.key;
        let hash = ((key.0 >> 64) as u64 ^ key.0 as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        if self.0.len() >= SAMPLE && self.0.last_key_value().is_some_and(|(most, _)| hash > *most) {
            return;
        }
        self.0.insert(hash, Sampled { seen: Seen::of(record), print });
        if self.0.len() > SAMPLE {
            self.0.pop_last();
        }
    }
}

impl Seen {
    fn of(record: &ArticleRecord) -> Seen {
        let ArticleRecord { key, first_seen, fetched, .. } = *record;
        Seen { key, at: record.published.at, first_seen, fetched }
    }
}

/// Says what differs, no more.
fn differing(record: &ArticleRecord, rows: &[MentionRow], expected: &[MentionRow]) -> Finding {
    let forms: [fn(&MentionRow) -> String; 3] = [
        |row| format!("{} {}+{}", row.brand, row.counted, row.suppressed),
        |row| {
            let MentionRow { brand, day, outlet, language, feed, backlog, own_outlet, .. } = row;
            let language = language.as_deref().unwrap_or("no language");
            format!(
                "{brand} on {day} at {outlet} in {language}, feed {feed}, backlog {backlog}, own outlet {own_outlet}"
            )
        },
        |row| {
            let place = |m: &Mention| {
                let block = m.block.map_or_else(|| "title".into(), |block| block.to_string());
                format!("{block}:{}–{} {}", m.start, m.end, m.zone.name())
            };
            let places: Vec<String> = row.mentions.iter().map(place).collect();
            format!("{} at {}", row.brand, places.join(", "))
        },
    ];
    let told = |rows: &[MentionRow], form: fn(&MentionRow) -> String| {
        rows.iter().map(form).collect::<Vec<_>>().join("; ")
    };
    let both = forms.map(|form| (told(expected, form), told(rows, form)));
    let differ = both.into_iter().find(|(meant, said)| meant != said);
    let (meant, said) = differ.unwrap_or_default();
    let of = if record.has_text() { "its text mentions" } else { "its record says" };
    let ArticleRecord { key, final_url, .. } = record;
    Finding(format!("article {key} ({final_url}): {of} [{meant}], its rows say [{said}]"))
}

/// An article counts under the feed, and as the backlog, of its entry, and stands in its story as of its outlet.
fn entries(engine: &Engine, sample: &Sample, each: &mut dyn FnMut(Finding)) -> Result<()> {
    let differs = |key: UrlKey| -> Result<Option<&'static str>> {
        let Some(record) = engine.store.article(key)? else { return Ok(None) };
        let listed = |url: UrlRecord| (url.feed, url.backlog) == (record.feed, record.backlog);
        if !engine.store.url(key)?.is_none_or(listed) {
            return Ok(Some("its feed or backlog is not that of its entry"));
        }
        let story = engine.store.story_of(key)?;
        let member = story.as_ref().and_then(|story| story.members.iter().find(|m| m.key == key));
        let known = member.is_none_or(|member| member.outlet == record.outlet);
        Ok((!known).then_some("its story has it as of another outlet"))
    };
    for Sampled { seen, .. } in sample.0.values() {
        if differs(seen.key)?.is_none() {
            continue;
        }
        // Its outlet may have listed it between two looks.
        let _commits_wait = engine.commits.write().unwrap_or_else(|e| e.into_inner());
        if let Some(what) = differs(seen.key)? {
            each(Finding(format!("article {}: {what}", seen.key)));
        }
    }
    Ok(())
}

/// The articles of a story must be connected by copies. The rule in force has told them all: those of an
/// earlier one stay until all are told anew, and so does that rule.
fn members(engine: &Engine, sample: &Sample, each: &mut dyn FnMut(Finding)) -> Result<()> {
    let rule = rules::in_force(engine.store.as_ref())?;
    let tau = engine.settings.dedupe.tau;
    let copies = |a: &Print, b: &Print| matches!(rule::judge(rule, tau, a, b), Verdict::Copies(_));
    let print = |member: &Member| -> Result<Option<Print>> {
        let stored = engine.store.vector(member.key, member.at)?;
        // One that is missing or cannot be read is reported with its article.
        Ok(stored.and_then(|bytes| Print::decode(&bytes).ok()))
    };
    let mut looked = BTreeSet::new();
    for Sampled { seen, .. } in sample.0.values() {
        let Some(story) = engine.store.story_of(seen.key)? else { continue };
        let small = story.members.len() <= WHOLE;
        if story.members.len() < 2 || small && !looked.insert(story.id) {
            continue;
        }
        let apart = if small {
            let prints: Option<Vec<Print>> =
                story.members.iter().map(print).collect::<Result<_>>()?;
            prints.and_then(|prints| apart(&prints, copies)).map(|n| story.members[n].key)
        } else {
            alone(&story, seen.key, print, copies)?.then_some(seen.key)
        };
        if let Some(key) = apart {
            each(Finding(format!(
                "article {key} stands in the story {} of {} articles, but no copies connect it with \
                 the others (rule {})",
                story.id,
                story.members.len(),
                rule.version()
            )));
        }
    }
    Ok(())
}

/// The first of these that copies do not lead to from the first one.
fn apart(prints: &[Print], copies: impl Fn(&Print, &Print) -> bool) -> Option<usize> {
    let mut left: Vec<(usize, &Print)> = prints.iter().enumerate().skip(1).collect();
    let mut reached: Vec<&Print> = prints.first().into_iter().collect();
    while let Some(from) = reached.pop() {
        left.retain(|(_, print)| {
            let copy = copies(from, print);
            reached.extend(copy.then_some(*print));
            !copy
        });
    }
    left.first().map(|(n, _)| *n)
}

/// Is no other member of its story a copy of an article? Those that were found nearest come first.
fn alone(
    story: &Story,
    key: UrlKey,
    print: impl Fn(&Member) -> Result<Option<Print>>,
    copies: impl Fn(&Print, &Print) -> bool,
) -> Result<bool> {
    let Some(member) = story.members.iter().find(|member| member.key == key) else {
        return Ok(false);
    };
    let Some(own) = print(member)? else { return Ok(false) };
    let linked = |other: &Member| {
        member.nearest.is_some_and(|(nearest, _)| nearest == other.key)
            || other.nearest.is_some_and(|(nearest, _)| nearest == key)
    };
    let mut others: Vec<&Member> = story.members.iter().filter(|other| other.key != key).collect();
    others.sort_by_key(|other| !linked(other));
    for other in others {
        // It may be the one.
        let Some(print) = print(other)? else { return Ok(false) };
        if copies(&own, &print) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Every copy of an article of the sample must share its story.
fn stories(engine: &Engine, sample: Sample, each: &mut dyn FnMut(Finding)) -> Result<()> {
    let settings = &engine.settings.dedupe;
    let rule = rules::in_force(engine.store.as_ref())?;
    let mut check = |key: UrlKey, at: Millis, bytes: &[u8]| -> Result<()> {
        // Reported with its article.
        let Ok(print) = Print::decode(bytes) else { return Ok(()) };
        for Sampled { seen, print: own } in sample.0.values() {
            if seen.key == key || seen.at.abs_diff(at) > settings.window.0.unsigned_abs() {
                continue;
            }
            let Verdict::Copies(sim) = rule::judge(rule, settings.tau, own, &print) else {
                continue;
            };
            if together(engine, seen.key, key)? {
                continue;
            }
            let other = engine.store.article(key)?;
            if other.is_some_and(|other| compared(settings, *seen, Seen::of(&other))) {
                each(Finding(format!(
                    "articles {} and {key} are copies (sim^σ {sim:.3}, rule {}) but stand in \
                     different stories",
                    seen.key,
                    rule.version()
                )));
            }
        }
        Ok(())
    };
    visit(
        |each| engine.store.vectors(Millis::MIN, &mut |key, at, bytes| each((key, at, bytes))),
        |(key, at, bytes): (UrlKey, Millis, Vec<u8>)| {
            check(key, at, &bytes).map(ControlFlow::Continue)
        },
    )
}

/// Was the one that came first surely still held when the other was committed?
fn compared(settings: &dedupe::Settings, a: Seen, b: Seen) -> bool {
    let (first, second) = if a.fetched <= b.fetched { (a, b) } else { (b, a) };
    // A day to spare between fetching and committing.
    first.at.max(first.first_seen) >= settings.horizon(second.fetched.saturating_add(DAY))
}

/// Do two articles share a story now? If not at once, then while commits wait: one may have been
/// merged into the other's between two looks.
fn together(engine: &Engine, a: UrlKey, b: UrlKey) -> Result<bool> {
    let id = |key| -> Result<Option<UrlKey>> {
        Ok(engine.store.story_head_of(key)?.map(|story| story.id))
    };
    if id(a)? == id(b)? {
        return Ok(true);
    }
    let _commits_wait = engine.commits.write().unwrap_or_else(|e| e.into_inner());
    Ok(id(a)? == id(b)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crawl::orders::models;
    use crate::crawl::orders::repair::tests::{self as filled, fill_with};
    use crate::store::Store;
    use crate::store::decision::{Change, Who};

    fn findings(engine: &Engine) -> Vec<String> {
        let mut findings = Vec::new();
        verify(engine, &Steps::default(), &mut |finding| findings.push(finding.0)).unwrap();
        findings
    }

    fn all_stories(store: &dyn Store) -> Vec<Story> {
        let mut stories = Vec::new();
        store
            .stories(None, None, &mut |story| {
                stories.push(story);
                true
            })
            .unwrap();
        stories
    }

    #[tokio::test]
    async fn stories_that_nothing_connects_are_told() {
        let dir = tempfile::tempdir().unwrap();
        let engine = fill_with(dir.path(), &|record| record).await;
        assert_eq!(findings(&engine), Vec::<String>::new());
        // The chain, whose ends are no copies of each other, and two that stand alone.
        let (chain, alone): (Vec<Story>, Vec<Story>) =
            all_stories(engine.store.as_ref()).into_iter().partition(|s| s.members.len() > 1);
        let join = |stories: &[&Story]| {
            let mut members: Vec<Member> =
                stories.iter().flat_map(|story| story.members.clone()).collect();
            members.sort_by_key(Member::standing);
            let joined = Story { members, ..stories[0].clone() };
            let change = Change::Stories { prints: &[], stories: &[joined] };
            engine.store.change(change, None).unwrap();
        };
        join(&[&alone[0], &alone[1]]);
        join(&[&chain[0], &alone[2]]);
        let found = findings(&engine);
        assert_eq!(found.len(), 2, "{found:?}");
        let rule = rules::in_force(engine.store.as_ref()).unwrap().version();
        let said = format!("but no copies connect it with the others (rule {rule})");
        assert!(found.iter().all(|finding| finding.ends_with(&said)), "{found:?}");
    }

    #[tokio::test]
    async fn days_and_feeds_that_contradict_instants_and_entries_are_told() {
        let dir = tempfile::tempdir().unwrap();
        let berlin = jiff::tz::TimeZone::get("Europe/Berlin").unwrap();
        let changed = |mut record: ArticleRecord| {
            if record.url.ends_with("/3") {
                record.published.day = record.published.day.tomorrow().unwrap();
            }
            if record.url.ends_with("/4") {
                record.feed = UrlKey(7);
            }
            if record.url.ends_with("/5") {
                // As earlier versions had it: at midnight of the day.
                record.published.precision = Precision::Day;
                let midnight = record.published.day.to_zoned(berlin.clone()).unwrap();
                record.published.at = midnight.timestamp().as_millisecond();
            }
            record
        };
        let engine = fill_with(dir.path(), &changed).await;
        let found = findings(&engine);
        let told = |what: &str| found.iter().filter(|finding| finding.contains(what)).count();
        assert_eq!(
            (found.len(), told("counts on"), told("not that of its entry")),
            (2, 1, 1),
            "{found:?}"
        );
    }

    /// As of another process on the same database.
    fn beside(engine: &Engine) -> Arc<Engine> {
        models::tests::engine_of(engine.store.clone(), engine.settings.clone())
    }

    fn watch_a_word(engine: &Engine) {
        let brand = Brand { name: "word3007".into(), whole_word: true, ..Brand::default() };
        let (edit, terms) = (brands::Edit::Add(vec![brand]), brands::Terms::default());
        brands::edit(engine, &Who::program(), edit, &terms).unwrap();
    }

    #[tokio::test]
    async fn brands_that_another_process_changes_contradict_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let engine = fill_with(dir.path(), &|record| record).await;
        let other = beside(&engine);
        watch_a_word(&other);
        assert_eq!(findings(&engine), Vec::<String>::new());
        // Nor when it happens between two looks.
        let mut watch = brands::in_use(&engine).unwrap();
        let brands = vec!["word3007".to_owned()];
        let terms = brands::Terms::default();
        brands::edit(&other, &Who::program(), brands::Edit::Remove(brands), &terms).unwrap();
        let record = record_of(&engine, 3);
        let mut told = Vec::new();
        let mut look = |watch: &mut Arc<Watch>, record: &ArticleRecord| {
            let mut each = |finding: Finding| told.push(finding.0);
            article(&engine, watch, record, &mut Sample::default(), &mut each).unwrap();
            std::mem::take(&mut told)
        };
        assert_eq!(look(&mut watch, &record), Vec::<String>::new());
        // One that is forgotten by now has no rows.
        let url = engine.store.url(record.key).unwrap().unwrap();
        engine.store.change(Change::Forget { entries: &[url], rest: &[] }, None).unwrap();
        assert_eq!(look(&mut watch, &record), Vec::<String>::new());
    }

    fn record_of(engine: &Engine, n: usize) -> ArticleRecord {
        let key = filled::record(n, UrlKey(0)).key;
        engine.store.article(key).unwrap().unwrap()
    }

    #[test]
    fn in_a_large_story_an_article_needs_one_copy() {
        let member = |n: u128, nearest: Option<u128>| Member {
            key: UrlKey(n),
            outlet: "a.test".into(),
            at: n as Millis,
            day: jiff::civil::date(2026, 5, 4),
            first_seen: 0,
            sighting: Sighting::Open,
            nearest: nearest.map(|key| (UrlKey(key), 0.9)),
            brands: Vec::new(),
        };
        let members = vec![member(1, None), member(2, None), member(3, Some(1)), member(4, None)];
        let story = Story { id: UrlKey(1), members, series: false, pattern: false };
        let text = |n: Millis| {
            let from = if n == 4 { 500 } else { 0 };
            let words: String = (from..from + 100).map(|word| format!("word{word} ")).collect();
            Print::of(&words)
        };
        let copies = |a: &Print, b: &Print| a == b;
        let check = |key, expect| {
            let print = |member: &Member| Ok(Some(text(member.at)));
            assert_eq!(alone(&story, UrlKey(key), print, copies).unwrap(), expect, "{key}");
        };
        check(1, false);
        check(3, false);
        check(4, true);
        // What cannot be read may be the copy.
        let unread = |member: &Member| Ok((member.key != UrlKey(2)).then(|| text(member.at)));
        assert!(!alone(&story, UrlKey(4), unread, copies).unwrap());
    }
}
