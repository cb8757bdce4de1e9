//! Is it as the rule says? From rule, memory and facts alone.
//!
//! Must not know: where facts come from, what becomes of events.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{FEW_POLLS, Facts, Recent};
use super::{at, cited, names};
use crate::model::*;
use crate::query::coverage::COMPLETE;
use crate::words::number;

/// Fewer articles are no burst, whatever is usual.
const FEW: u64 = 5;
/// A told story is one for so many days: as shipped, copies come at most 30 days apart (`dedupe.window`), some late.
const GROWS: i64 = 40;

/// What the rule remembers from here on, and what happened; of the articles it names only the keys.
pub fn judge(rule: &AlertRule, state: &AlertState, facts: &Facts) -> (AlertState, Vec<AlertEvent>) {
    let mut next = AlertState { begun: true, ..state.clone() };
    let oldest = facts.today.saturating_sub(jiff::Span::new().days(GROWS));
    next.told.retain(|_, day| *day >= oldest);
    next.brand_set.clone_from(&facts.brand_set);
    let events = match rule.when {
        When::AtLeast(least) => level(&mut next, facts, at_least(rule, least, facts)),
        When::Unusual | When::Falling => level(&mut next, facts, compared(rule, facts)),
        When::Coverage(percent) => level(&mut next, facts, coverage(rule, percent, facts)),
        When::Headline => stories(rule, &mut next, facts, |article, by| {
            article.headline && article.first_seen < by
        }),
        When::Carried(outlets) => stories(rule, &mut next, facts, |article, by| {
            let carried = facts.carried.get(&article.story).into_iter().flat_map(BTreeMap::values);
            let carried = carried.filter(|first_seen| **first_seen < by).count();
            article.first_seen < by && carried as u64 >= outlets
        }),
        When::NewOutlet | When::NewLanguage => newcomers(rule, state, &mut next, facts),
        When::Daily | When::Weekly => Vec::new(),
    };
    (next, events)
}

/// What a rule waits for, in words.
pub fn described(rule: &AlertRule) -> String {
    let hours = hours(rule);
    let of = subject(rule, false);
    match rule.when {
        When::AtLeast(n) => {
            let of = subject(rule, n == 1);
            format!("It waits for at least {} {of} in {hours} h", number(n))
        }
        When::Unusual => format!("It waits for more {of} in {hours} h than is usual"),
        When::Falling => format!("It waits for fewer {of} in {hours} h than is usual"),
        When::NewOutlet => format!("It waits for the first of an outlet among {of}"),
        When::NewLanguage => format!("It waits for the first in a language among {of}"),
        When::Headline => format!("It waits for {} in a headline", named(rule, &rule.brands)),
        When::Carried(n) => format!("It waits for a story in {n} outlets among {of}"),
        When::Coverage(n) => format!("It waits for less than {n} % of polls that succeed"),
        When::Daily => "It sends a digest of each day on the next morning".into(),
        When::Weekly => "It sends a digest of each week on Monday morning".into(),
    }
}

/// What is counted, one of it or several.
fn subject(rule: &AlertRule, one: bool) -> String {
    let (what, do_) =
        if one { (["article", "new entry"], ONE) } else { (["articles", "new entries"], MANY) };
    let mut words = what[usize::from(!rule.names_articles())].to_owned();
    if rule.names_articles() {
        words += &format!(" that {}", have(rule, &rule.brands, do_));
    }
    if let Some(outlet) = &rule.outlet {
        words += &format!(" of {outlet}");
    }
    if let Some(language) = &rule.language {
        words += &format!(" in {language}");
    }
    words
}

/// Of one article, and of several.
const ONE: [&str; 2] = ["counts", "has"];
const MANY: [&str; 2] = ["count", "have"];

/// What articles do that count these brands of the rule, or have what it looks for.
fn have(rule: &AlertRule, brands: &[String], [count, have]: [&str; 2]) -> String {
    let counted = (!brands.is_empty()).then(|| format!("{count} {}", names(brands)));
    let found = rule.query.as_ref().map(|query| format!("{have} \u{201c}{query}\u{201d}"));
    let both: Vec<String> = counted.into_iter().chain(found).collect();
    both.join(" and ")
}

/// What is named where a brand is: without one, what is looked for.
fn named(rule: &AlertRule, brands: &[String]) -> String {
    match &rule.query {
        Some(query) if brands.is_empty() => format!("\u{201c}{query}\u{201d}"),
        _ => names(brands),
    }
}

fn window(rule: &AlertRule) -> Millis {
    rule.within.map_or(DAY, |within| within.0)
}

fn hours(rule: &AlertRule) -> i64 {
    (window(rule) + HOUR - 1) / HOUR
}

/// A count that is, or is not, as the rule says.
struct Level {
    is: Is,
    /// What to say when that changes.
    event: AlertEvent,
}

#[derive(PartialEq)]
enum Is {
    So,
    /// Near enough that nothing changes: an alert that comes and goes says nothing.
    Between,
    NotSo,
}

fn level(next: &mut AlertState, facts: &Facts, level: Option<Level>) -> Vec<AlertEvent> {
    let Some(Level { is, mut event }) = level else { return Vec::new() };
    match (next.firing, is) {
        (None, Is::So) => next.firing = Some(facts.now),
        (Some(since), Is::NotSo) => {
            next.firing = None;
            event.what = Happened::Over;
            event.sentence = format!("Over: {}", event.sentence);
            event.details.push(format!("It had been firing since {}.", at(since)));
        }
        _ => return Vec::new(),
    }
    vec![event]
}

fn at_least(rule: &AlertRule, least: u64, facts: &Facts) -> Option<Level> {
    let from = facts.now - window(rule);
    let seen: Vec<&Recent> = facts.recent.iter().filter(|a| a.first_seen > from).collect();
    let count = match rule.names_articles() {
        true => seen.len() as u64,
        false => facts.counted.sum(from.div_euclid(HOUR), facts.now.div_euclid(HOUR) + 1),
    };
    let is = match count {
        n if n >= least => Is::So,
        // A fifth less.
        n if n >= least - (least / 5).min(least - 1) => Is::Between,
        _ => Is::NotSo,
    };
    let of = subject(rule, count == 1);
    let (told, least) = (number(count), number(least));
    let sentence = format!("{told} {of} in {} h; the alert is at {least}", hours(rule));
    Some(Level { is, event: counted(facts, sentence, count, None, &seen) })
}

fn compared(rule: &AlertRule, facts: &Facts) -> Option<Level> {
    let hours = hours(rule).clamp(1, 24);
    // Whole hours, as in the weeks before.
    let end = facts.now.div_euclid(HOUR);
    let count = facts.counted.sum(end - hours, end);
    let expected = facts.counted.expected(end, hours)?;
    let held = expected.compare(count);
    let (low, high) = held.usual;
    let is = match rule.when {
        When::Falling if held.is_far_below() => Is::So,
        When::Falling if count >= low => Is::NotSo,
        When::Unusual if held.is_far_above() && count >= FEW => Is::So,
        When::Unusual if count <= high => Is::NotSo,
        _ => Is::Between,
    };
    let of = subject(rule, false);
    let [told, low, high] = [count, low, high].map(number);
    let sentence = format!("{told} instead of {low} to {high} {of} in {hours} h");
    let within = (end - hours) * HOUR..end * HOUR;
    let seen: Vec<&Recent> =
        facts.recent.iter().filter(|a| within.contains(&a.first_seen)).collect();
    let mut event = counted(facts, sentence, count, Some(held.usual), &seen);
    event.details.insert(
        0,
        format!(
            "From {} to {}: {told}. The same hours of {} weeks before: {:.1} on average; nine of ten \
             counts lie from {low} to {high} (variance {:.1} times the mean).",
            at(within.start),
            at(within.end),
            expected.weeks,
            expected.mean,
            expected.spread
        ),
    );
    // Counts of incomplete days are too low.
    if let Some((_, sentence)) = covered(rule, facts).filter(|(share, _)| *share < COMPLETE) {
        event.details.push(format!("{sentence}."));
    }
    Some(Level { is, event })
}

fn coverage(rule: &AlertRule, percent: u64, facts: &Facts) -> Option<Level> {
    let event = |sentence| AlertEvent::new(facts.now, Happened::Fired, sentence);
    if let Some(long) = facts.stalled {
        let sentence = format!("No feed{} has been polled for {} h", whose(rule), long / HOUR);
        return Some(Level { is: Is::So, event: event(sentence) });
    }
    let (share, sentence) = covered(rule, facts)?;
    let is = if share < percent { Is::So } else { Is::NotSo };
    Some(Level { is, event: event(format!("{sentence}; the alert is at {percent} %")) })
}

/// Percent of the latest polls that succeeded, also in words; `None`: there were too few.
fn covered(rule: &AlertRule, facts: &Facts) -> Option<(u64, String)> {
    let Polls { due, succeeded } = facts.polls;
    if due < FEW_POLLS {
        return None;
    }
    // Not rounded: it would say 90 % of what is less than 90 %.
    let share = 100 * u64::from(succeeded) / u64::from(due);
    let since = match facts.polls_from.tomorrow() {
        Ok(next) if next < facts.today => facts.polls_from.to_string(),
        _ => "yesterday".to_owned(),
    };
    let [succeeded, due] = [succeeded, due].map(number);
    let words = format!("{succeeded} of {due} polls since {since} succeeded");
    Some((share, format!("Coverage{} is {share} %: {words}", whose(rule))))
}

fn whose(rule: &AlertRule) -> String {
    rule.outlet.as_ref().map_or_else(String::new, |outlet| format!(" of {outlet}"))
}

/// An event about a count, with what makes it up.
fn counted(
    facts: &Facts,
    sentence: String,
    count: u64,
    usual: Option<(u64, u64)>,
    seen: &[&Recent],
) -> AlertEvent {
    let mut event = AlertEvent::new(facts.now, Happened::Fired, sentence);
    (event.count, event.usual) = (Some(count), usual);
    let mut stories: BTreeMap<UrlKey, Vec<&Recent>> = BTreeMap::new();
    let mut outlets: BTreeMap<&str, u64> = BTreeMap::new();
    for article in seen {
        stories.entry(article.story).or_default().push(article);
        *outlets.entry(&article.outlet).or_default() += 1;
    }
    let mut stories: Vec<Vec<&Recent>> = stories.into_values().collect();
    stories.sort_by_key(|story| std::cmp::Reverse(story.len()));
    if let Some((story, first)) = stories.first().and_then(|story| Some((story, story.first()?)))
        && story.len() > 1
    {
        event.details.push(format!(
            "{} of them are one story, first at {} ({}).",
            number(story.len()),
            first.outlet,
            at(first.first_seen)
        ));
    }
    if outlets.len() > 1 {
        let mut outlets: Vec<(&str, u64)> = outlets.into_iter().collect();
        outlets.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        let most: Vec<String> =
            outlets.iter().take(3).map(|(outlet, n)| format!("{outlet} {}", number(n))).collect();
        let all = number(outlets.len());
        event.details.push(format!("They are of {all} outlets: {}.", most.join(", ")));
    }
    // One of each story.
    event.articles = stories.iter().filter_map(|s| s.first()).map(|a| cited(a.key)).collect();
    event
}

/// Is nothing known of what was there before? So it is at the first look, and when other brands are counted.
fn is_first(state: &AlertState, facts: &Facts) -> bool {
    !state.begun || state.brand_set != facts.brand_set
}

/// Stories with an article that is as wanted, each told once. `wanted` says whether it was so by an instant.
fn stories(
    rule: &AlertRule,
    next: &mut AlertState,
    facts: &Facts,
    wanted: impl Fn(&Recent, Millis) -> bool,
) -> Vec<AlertEvent> {
    let mut new: BTreeMap<UrlKey, &Recent> = BTreeMap::new();
    for article in facts.recent.iter().filter(|article| wanted(article, Millis::MAX)) {
        if !facts.told.contains_key(&article.story) {
            new.entry(article.story).or_insert(article);
        }
    }
    // What was told stays so for as long as its story grows.
    for article in &facts.recent {
        if let Some(day) = facts.told.get(&article.story).and_then(|key| next.told.get_mut(key)) {
            *day = article.day.max(*day);
        }
    }
    let mut new: Vec<&Recent> = new.into_values().collect();
    new.sort_by_key(|article| (article.first_seen, article.key));
    next.told.extend(new.iter().map(|article| (article.key, article.day)));
    new.retain(|article| !wanted(article, facts.since));
    if new.is_empty() {
        return Vec::new();
    }
    let brands: BTreeSet<String> = new.iter().flat_map(|a| a.brands.iter().cloned()).collect();
    let brands: Vec<String> = brands.into_iter().collect();
    let named = named(rule, &brands);
    let carried = |article: &Recent| facts.carried.get(&article.story).map_or(0, BTreeMap::len);
    let sentence = match (rule.when, new.as_slice()) {
        (When::Carried(_), [one]) => {
            format!("A story that {} is in {} outlets", have(rule, &brands, ONE), carried(one))
        }
        (When::Carried(least), all) => {
            let which = have(rule, &brands, MANY);
            format!("{} stories that {which} are in {least} outlets or more", number(all.len()))
        }
        (_, [one]) => format!("{named} in the headline of an article of {}", one.outlet),
        (_, all) => format!("{named} in the headlines of {} stories", number(all.len())),
    };
    let mut event = AlertEvent::new(facts.now, Happened::Fired, sentence);
    event.count = Some(new.len() as u64);
    event.details = new
        .iter()
        .take(CITED)
        .map(|article| {
            let outlets = facts.carried.get(&article.story);
            let first = outlets.and_then(|all| all.iter().min_by_key(|(_, seen)| **seen));
            match outlets.zip(first) {
                // Others may have had the story before.
                None => format!("Seen at {} ({}).", article.outlet, at(article.first_seen)),
                Some((outlets, (outlet, seen))) => {
                    let all: Vec<String> = outlets.keys().cloned().collect();
                    let first = format!("First at {outlet} ({})", at(*seen));
                    format!("{first}; in {} outlets: {}.", number(all.len()), names(&all))
                }
            }
        })
        .collect();
    event.articles = new.iter().map(|article| cited(article.key)).collect();
    vec![event]
}

/// Outlets or languages that never counted a brand before.
fn newcomers(
    rule: &AlertRule,
    state: &AlertState,
    next: &mut AlertState,
    facts: &Facts,
) -> Vec<AlertEvent> {
    if is_first(state, facts) {
        next.known.clear();
    }
    next.known.extend(facts.known.iter().cloned());
    let mut new: BTreeMap<String, &Recent> = BTreeMap::new();
    for article in &facts.recent {
        let name = match rule.when {
            When::NewOutlet => Some(article.outlet.clone()),
            _ => article.language.clone(),
        };
        let Some(name) = name.filter(|name| !next.known.contains(name)) else { continue };
        if article.first_seen < facts.since {
            next.known.insert(name);
        } else {
            new.entry(name).or_insert(article);
        }
    }
    next.known.extend(new.keys().cloned());
    if new.is_empty() {
        return Vec::new();
    }
    let all: Vec<String> = new.keys().cloned().collect();
    let by = if rule.when == When::NewOutlet { "by" } else { "in" };
    let sentence = format!("First mention of {} {by} {}", named(rule, &rule.brands), names(&all));
    let mut event = AlertEvent::new(facts.now, Happened::Fired, sentence);
    event.count = Some(all.len() as u64);
    event.details = new
        .iter()
        .take(CITED)
        .map(|(name, article)| {
            let (outlet, seen) = (&article.outlet, at(article.first_seen));
            match rule.when {
                When::NewOutlet => format!("{name}: first seen {seen}."),
                _ => format!("{name}: first seen {seen}, at {outlet}."),
            }
        })
        .collect();
    let mut keys: Vec<UrlKey> = new.values().map(|article| article.key).collect();
    keys.dedup();
    event.articles = keys.into_iter().map(cited).collect();
    vec![event]
}
