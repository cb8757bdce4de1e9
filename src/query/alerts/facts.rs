//! What a rule is judged by, as far as it needs it: counts by the hour, the latest articles, polls.
//!
//! Must not know: when a rule is met.

use std::collections::{BTreeMap, BTreeSet};

use super::rows::{self, Index, Row, Sights};
use crate::model::*;
use crate::query::silence::stalled;
use crate::query::time::{FirstHours, day_zone};
use crate::query::unanswered::Answered;
use crate::query::usual::{Polled, Series};
use crate::search::Search;
use crate::store::{Result, Store, history, missed};

/// Days of publication that are looked at for what is new.
pub const RECENT: i64 = 3;
/// What was first seen so many days after its day is no news.
const LATE: i64 = 2;
/// Fewer polls say nothing about coverage: further days are looked at …
pub const FEW_POLLS: u32 = 10;
/// … at most so many: a feed that is polled once a day has ten by then.
const MOST_DAYS: i64 = 14;

/// An article that the rule is about, of the last days.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recent {
    pub key: UrlKey,
    pub story: UrlKey,
    pub day: Day,
    pub first_seen: Millis,
    pub outlet: String,
    pub language: Option<String>,
    pub brands: Vec<String>,
    pub headline: bool,
}

/// What is known at an instant.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    pub now: Millis,
    pub today: Day,
    /// What was first seen before is no news.
    pub since: Millis,
    /// Version of the brand set in use; none where no brand is asked for, but a query.
    pub brand_set: String,
    /// How far the index for search is.
    pub index: Index,
    /// Articles, or entries where neither a brand nor a query is asked for.
    pub counted: Series,
    /// By first sight.
    pub recent: Vec<Recent>,
    /// Stories in `recent` that were told, with the latest article of each that was; where stories are told.
    pub told: BTreeMap<UrlKey, UrlKey>,
    /// Outlets of each story in `recent`, and when it was first seen there.
    pub carried: BTreeMap<UrlKey, BTreeMap<String, Millis>>,
    /// Outlets or languages that had such an article before what is news; where the alert does not know them.
    pub known: BTreeSet<String>,
    /// Since the day before, or since a day before that with which they are enough to be judged.
    pub polls: Polls,
    pub polls_from: Day,
    /// For so long nothing has been polled that is due.
    pub stalled: Option<Millis>,
}

/// Reads what a rule needs.
pub fn gather(
    store: &dyn Store,
    index: &Search,
    alert: &Alert,
    sights: &mut Sights,
    now: Millis,
) -> Answered<Facts> {
    let rule = &alert.rule;
    let zone = day_zone(store)?;
    let today = day_of(now, &zone);
    let mut facts = Facts { now, today, ..Facts::default() };
    if !rule.brands.is_empty() || rule.query.is_none() {
        facts.brand_set = store.brand_set()?.version;
    }
    facts.since = since(store, alert, &facts.brand_set)?;
    if let When::Coverage(_) = rule.when {
        polls(store, rule, &mut facts)?;
        return Ok(facts);
    }
    let span = jiff::Span::new();
    let back = if rule.when.compares() { Series::EXPECTING / 24 + LATE } else { RECENT };
    let within = rule.within.map_or(0, |within| within.0 / DAY + 1 + LATE);
    let first = today.saturating_sub(span.days(back.max(within)));
    if rule.names_articles() {
        articles(store, index, rule, first, &zone, sights, &mut facts)?;
    } else {
        entries(store, rule, first, &zone, &mut facts)?;
    }
    if rule.when.compares() {
        followed(store, rule, first, &zone, &mut facts)?;
        polls(store, rule, &mut facts)?;
    }
    stories(store, alert, &mut facts)?;
    if let When::NewOutlet | When::NewLanguage = rule.when {
        known_before(store, index, alert, sights, &mut facts)?;
    }
    Ok(facts)
}

/// Which of the stories were told, and who carries them.
fn stories(store: &dyn Store, alert: &Alert, facts: &mut Facts) -> Result<()> {
    let Alert { rule, state, .. } = alert;
    let carried = matches!(rule.when, When::Carried(_));
    if !carried && (rule.when != When::Headline || state.told.is_empty()) {
        return Ok(());
    }
    let stories: BTreeSet<UrlKey> = facts.recent.iter().map(|article| article.story).collect();
    for id in stories {
        let members = store.story(id)?.map(|story| story.members).unwrap_or_default();
        // Alone, an article has its story's name.
        let keys = members.iter().map(|member| member.key).chain([id]);
        let told = keys.filter_map(|key| Some((*state.told.get(&key)?, key))).max();
        facts.told.extend(told.map(|(_, key)| (id, key)));
        if carried {
            let outlets = facts.carried.entry(id).or_default();
            for Member { outlet, first_seen, .. } in members {
                let first = outlets.entry(outlet).or_insert(first_seen);
                *first = first_seen.min(*first);
            }
        }
    }
    Ok(())
}

/// Who had such an article before what is news: all of them where the alert knows nothing yet. Later those alone
/// that seem to be new: an outlet's first poll brings what is no news, and yet it is known by that.
fn known_before(
    store: &dyn Store,
    index: &Search,
    alert: &Alert,
    sights: &mut Sights,
    facts: &mut Facts,
) -> Answered<()> {
    let Alert { rule, state, .. } = alert;
    let by_outlet = rule.when == When::NewOutlet;
    let news: Vec<&Recent> =
        facts.recent.iter().filter(|article| article.first_seen >= facts.since).collect();
    if !state.begun || state.brand_set != facts.brand_set {
        let news: BTreeSet<UrlKey> = news.iter().map(|article| article.key).collect();
        let known = &mut facts.known;
        rows::each(store, index, rule, sights, None, |row| {
            if !news.contains(&row.article) {
                known.extend(if by_outlet { Some(row.outlet) } else { row.language });
            }
            Ok(())
        })?;
        return Ok(());
    }
    let mut seems_new: BTreeMap<String, Millis> = BTreeMap::new();
    for article in news {
        let name = if by_outlet { Some(&article.outlet) } else { article.language.as_ref() };
        if let Some(name) = name.filter(|name| !state.known.contains(*name)) {
            seems_new.entry(name.clone()).or_insert(article.first_seen);
        }
    }
    for (name, first) in seems_new {
        let mut of_it = rule.clone();
        let part = if by_outlet { &mut of_it.outlet } else { &mut of_it.language };
        *part = Some(name.clone());
        let mut older = Vec::new();
        rows::each(store, index, &of_it, sights, None, |row| {
            older.push(row.article);
            Ok(())
        })?;
        for key in older {
            if sights.of(store, key)?.is_some_and(|seen| seen < first) {
                facts.known.insert(name);
                break;
            }
        }
    }
    Ok(())
}

/// Since when what is first seen is news: since the rule is set, or other brands are counted. What was looked at
/// with the same brands is known to the alert.
fn since(store: &dyn Store, alert: &Alert, brand_set: &str) -> Result<Millis> {
    let Alert { made, state, .. } = alert;
    if state.begun && state.brand_set == brand_set {
        return Ok(Millis::MIN);
    }
    let recounts = history::recounts(store)?;
    let counted = recounts.iter().rev().find(|recounted| recounted.version == brand_set);
    let counted = counted.map_or(Millis::MIN, |recounted| recounted.at);
    Ok(counted.max(state.since).max(*made))
}

/// The story of an article; alone, it is its own.
fn story_of(store: &dyn Store, article: UrlKey) -> Result<UrlKey> {
    Ok(store.story_head_of(article)?.map_or(article, |head| head.id))
}

fn articles(
    store: &dyn Store,
    index: &Search,
    rule: &AlertRule,
    first: Day,
    zone: &jiff::tz::TimeZone,
    sights: &mut Sights,
    facts: &mut Facts,
) -> Answered<()> {
    let mut rows: BTreeMap<UrlKey, (Row, Vec<String>)> = BTreeMap::new();
    facts.index = rows::each(store, index, rule, sights, Some(first), |row| {
        if row.backlog {
            return Ok(());
        }
        if let Some((known, brands)) = rows.get_mut(&row.article) {
            brands.extend(row.brand);
            known.headline |= row.headline;
            return Ok(());
        }
        let brands = row.brand.iter().cloned().collect();
        rows.insert(row.article, (row, brands));
        Ok(())
    })?;
    let window = rule.within.map_or(DAY, |within| within.0);
    let since = facts.now - if rule.when.counts() { window + HOUR } else { RECENT * DAY };
    for (key, (row, brands)) in rows {
        let Some(seen) = sights.of(store, key)? else { continue };
        let last = row.day.saturating_add(jiff::Span::new().days(LATE));
        if seen > facts.now || day_of(seen, zone) > last {
            continue;
        }
        facts.counted.add(seen.div_euclid(HOUR), 1);
        if seen >= since {
            facts.recent.push(Recent {
                key,
                story: story_of(store, key)?,
                day: row.day,
                first_seen: seen,
                outlet: row.outlet,
                language: row.language,
                brands,
                headline: row.headline,
            });
        }
    }
    facts.recent.sort_by_key(|article| (article.first_seen, article.key));
    Ok(())
}

/// New entries of an outlet, or of all.
fn entries(
    store: &dyn Store,
    rule: &AlertRule,
    first: Day,
    zone: &jiff::tz::TimeZone,
    facts: &mut Facts,
) -> Result<()> {
    let mut hours = FirstHours::of(zone);
    if let Some(begins) = hours.begins(facts.today).filter(|_| rule.when.compares()) {
        facts.counted.compared_on(begins);
    }
    for row in store.ledger(Some(first), None)? {
        let asked = rule.outlet.as_ref().is_none_or(|outlet| *outlet == row.outlet);
        let begins = row.day.and_then(|day| hours.begins(day));
        if let Some(begins) = begins.filter(|_| asked) {
            match rule.when.compares() {
                true => facts.counted.add_comparable_day(begins, &row.arrivals),
                false => facts.counted.add_day(begins, &row.arrivals),
            }
        }
    }
    Ok(())
}

/// Since when there were polls, and how many of them succeeded: while nothing was polled, nothing was counted.
fn followed(
    store: &dyn Store,
    rule: &AlertRule,
    first: Day,
    zone: &jiff::tz::TimeZone,
    facts: &mut Facts,
) -> Result<()> {
    let (today, series) = (facts.today, &mut facts.counted);
    let mut days: BTreeMap<Day, Polled> = first
        .series(jiff::Span::new().days(1))
        .take_while(|day| *day <= today)
        .map(|day| (day, Polled::new()))
        .collect();
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    let mut number = |outlet: &str| match numbers.get(outlet) {
        Some(known) => *known,
        None => {
            let new = numbers.len() as u32;
            numbers.insert(outlet.to_owned(), new);
            new
        }
    };
    for row in store.ledger(Some(first), Some(today))?.into_iter().filter(|row| row.polls.due > 0) {
        if let Some(day) = row.day.and_then(|day| days.get_mut(&day)) {
            day.insert(number(&row.outlet), row.polls);
        }
    }
    let feeds = store.feeds()?;
    // What is overdue is in no ledger yet.
    for feed in feeds.iter().filter(|feed| feed.status == FeedStatus::Active) {
        for due in missed(feed, facts.now) {
            if let Some(day) = days.get_mut(&day_of(due, zone)) {
                let polls = day.entry(number(feed.account())).or_default();
                polls.due = polls.due.saturating_add(1);
            }
        }
    }
    // The first poll brings what was there before, and its day is not a whole one.
    let of = |feed: &&Feed| rule.outlet.as_ref().is_none_or(|outlet| *outlet == feed.outlet);
    if let Some(added) = feeds.iter().filter(of).map(|feed| feed.added).min() {
        series.followed_since((added.div_euclid(DAY) + 1) * 24);
    }
    let asked = rule.outlet.as_deref().map(number);
    let mut hours = FirstHours::of(zone);
    let mut followed = BTreeSet::new();
    for (day, outlets) in days {
        let Some(start) = hours.get(day) else { continue };
        if asked.map_or(!outlets.is_empty(), |asked| outlets.contains_key(&asked)) {
            followed.insert(start);
        }
        series.polled(start, outlets);
    }
    series.followed_on(&followed);
    Ok(())
}

fn polls(store: &dyn Store, rule: &AlertRule, facts: &mut Facts) -> Result<()> {
    let before = |days| facts.today.saturating_sub(jiff::Span::new().days(days));
    let (yesterday, first) = (before(1), before(MOST_DAYS));
    let mut days = match &rule.outlet {
        None => store.polls(Some(first), Some(facts.today))?,
        Some(outlet) => {
            let mut rows = store.ledger(Some(first), Some(facts.today))?;
            rows.retain(|row| row.outlet == *outlet);
            rows.into_iter().filter_map(|row| Some((row.day?, row.polls))).collect()
        }
    };
    days.sort_by_key(|(day, _)| std::cmp::Reverse(*day));
    facts.polls_from = yesterday;
    for (day, polls) in days {
        if day < yesterday && facts.polls.due >= FEW_POLLS {
            break;
        }
        facts.polls_from = day.min(facts.polls_from);
        facts.polls.due = facts.polls.due.saturating_add(polls.due);
        facts.polls.succeeded = facts.polls.succeeded.saturating_add(polls.succeeded);
    }
    let mut feeds = store.feeds()?;
    feeds.retain(|feed| rule.outlet.as_ref().is_none_or(|outlet| *outlet == feed.account()));
    // Who asks whether it is polled is not helped by a pause that puts the poll off.
    feeds.iter_mut().for_each(|feed| feed.poll.next = feed.due());
    facts.stalled = stalled(&feeds, &store.outlet_rules()?, facts.now).map(|(long, _)| long);
    Ok(())
}
