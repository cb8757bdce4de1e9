//! One look at the whole: sizes, queue, outcomes, and what is wrong, in sentences.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::mention;
use crate::model::*;
use crate::store::decision::Deployment;
use crate::store::{Result, Store, history};
use crate::words::{Language, Said, said};

use super::moves;
use super::past::Past;
use super::silence::{self, Silence, silences, stalled, unanswered};
use super::time::{day_zone, name_of};
use super::undelivered::undelivered;
use super::unusual;

/// Feeds that have failed for longer than this are worth a sentence.
const SILENT: Millis = 2 * DAY;
/// Silences that get a sentence each, and unusual days.
const MOST_SILENCES: usize = 10;
const MOST_UNUSUAL: usize = 10;
/// Sitemaps of an outlet beyond those that are followed, from which on somebody should know.
const MANY_NOT_FOLLOWED: u64 = 400;

/// A sentence about something that wants attention.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble(pub String);

/// Answer of [`status`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    pub version: String,
    pub feeds: usize,
    pub feeds_failing: usize,
    pub outlets: usize,
    pub brands: usize,
    pub brand_set: String,
    pub timezone: String,
    /// The model that labels pages, and since when; none before the first run.
    pub model: Option<Deployment>,
    /// First sights ever.
    pub entries: u64,
    /// By outcome name; sums to `entries`.
    pub outcomes: BTreeMap<String, u64>,
    pub pending: u64,
    pub leased: u64,
    /// When the next pace key becomes due (UTC milliseconds).
    pub next_due: Option<Millis>,
    /// Share of the polls due today that succeeded.
    pub coverage_today: Option<f64>,
    /// Bytes on disk.
    pub size: u64,
    /// Bytes of the archive; none if raw pages are not kept.
    pub archive: Option<u64>,
    /// Outlets and languages that bring clearly less than they used to.
    pub silent: Vec<Silence>,
    pub trouble: Vec<Trouble>,
    /// The same, for other languages; a daemon of before does not send it.
    #[serde(default)]
    pub said: Vec<Said>,
}

/// The state of a store at `now`, beside an archive of so many bytes and a configuration with these targets of alerts.
pub fn status(
    store: &dyn Store,
    past: &Past,
    archive: Option<u64>,
    targets: &[String],
    now: Millis,
) -> Result<Status> {
    let feeds = store.feeds()?;
    let set = store.brand_set()?;
    let due = store.due()?;
    let zone = day_zone(store)?;
    let today = day_of(now, &zone);
    let (yesterday, from) = (before(today), recent(today));
    let mut polls = Polls::default();
    let ledger = store.ledger(Some(from), None)?;
    let mut sums = past.before(store, from)?;
    sums.outlets.extend(feeds.iter().map(|feed| feed.outlet.clone()));
    for row in &ledger {
        sums.add(row);
        if row.day == Some(today) {
            polls.due += row.polls.due;
            polls.succeeded += row.polls.succeeded;
        }
    }
    let mut told = Vec::new();
    if feeds.is_empty() {
        told.push(said("trouble.no.feeds"));
    }
    if set.brands.is_empty() {
        told.push(said("trouble.no.brands"));
    }
    if !mention::brands::by_these_rules(&set) {
        told.push(said("trouble.rules"));
    }
    told.extend(deaf_alerts(store, &set)?);
    let failing: Vec<&Feed> = feeds.iter().filter(|f| f.poll.failures > 0.0).collect();
    for feed in &failing {
        let since = feed.poll.last_success.unwrap_or(feed.added);
        let wanted = match feed.status {
            FeedStatus::Active => true,
            // What a feed had brought and lists no more is nobody's loss.
            FeedStatus::Gone => !feed.has_moved() && feed.provenance.parent.is_none(),
            FeedStatus::Paused | FeedStatus::Removed => false,
        };
        if now - since > SILENT && wanted {
            let days = (now - since) / DAY;
            let why = feed.poll.last_error.as_deref().unwrap_or("unknown");
            let failing = said("trouble.failing").with("url", &feed.url).with("n", days);
            told.push(failing.with("why", why));
        }
    }
    told.extend(lost_moves(&feeds)?);
    if let Some(missing) = store.short_of()? {
        told.push(full(missing));
    }
    let lost = store.lost_months()?.into_iter();
    told.extend(lost.map(|month| said("trouble.lost.month").with("month", month)));
    let damaged = store.damaged_months()?.into_iter();
    told.extend(damaged.map(|month| said("trouble.damaged.month").with("month", month)));
    let mut silent = Vec::new();
    let rules = store.outlet_rules()?;
    match stalled(&feeds, &rules, now) {
        Some((since, due)) => {
            told.push(said("trouble.stalled").with("hours", since / HOUR).with("due", due));
        }
        None => {
            if let Some((since, why)) = unanswered(&feeds, now) {
                told.push(said("trouble.unanswered").with("hours", since / HOUR).with("why", why));
            }
            silent = silences(&ledger, &feeds, &rules, &zone, now);
        }
    }
    told.extend(silent.iter().take(MOST_SILENCES).map(Silence::said));
    if silent.len() > MOST_SILENCES {
        told.push(said("trouble.more.silent").with("n", silent.len() - MOST_SILENCES));
    }
    let mut odd = unusual::unusual(&ledger, &feeds, &zone, (yesterday, today), now);
    odd.extend(past.stuffed(store, today, &set.version)?);
    told.extend(out_of_the_ordinary(store, &odd, &feeds, now)?);
    told.extend(undelivered(&store.alerts()?, targets, now));
    let trouble = told.iter().map(|said| Trouble(Language::En.say(said))).collect();
    Ok(Status {
        version: env!("CARGO_PKG_VERSION").into(),
        feeds: feeds.len(),
        feeds_failing: failing.len(),
        outlets: sums.outlets.len(),
        brands: set.brands.len(),
        brand_set: set.version,
        timezone: name_of(&zone),
        model: history::deployments(store)?.pop(),
        entries: sums.entries,
        outcomes: sums.outcomes,
        pending: due.pending,
        leased: due.leased,
        next_due: due.next,
        coverage_today: (polls.due > 0).then(|| f64::from(polls.succeeded) / f64::from(polls.due)),
        size: store.size()?,
        archive,
        silent,
        trouble,
        said: told,
    })
}

/// Alerts that wait for brands which nobody watches: they would be quiet for ever.
fn deaf_alerts(store: &dyn Store, set: &BrandSet) -> Result<Vec<Said>> {
    let mut told = Vec::new();
    for Alert { rule, .. } in store.alerts()? {
        let unwatched = rule.unwatched(set).join(", ");
        if !unwatched.is_empty() {
            let deaf = said("trouble.alert.brands").with("name", rule.name);
            told.push(deaf.with("brands", unwatched));
        }
    }
    Ok(told)
}

/// Feeds that have moved for good to where nothing is read, and that bring nothing where they were.
fn lost_moves(feeds: &[Feed]) -> Result<Vec<Said>> {
    let known: BTreeMap<UrlKey, &Feed> = feeds.iter().map(|feed| (feed.key, feed)).collect();
    let mut told = Vec::new();
    for feed in feeds.iter().filter(|feed| feed.status != FeedStatus::Paused) {
        let Some(to) = &feed.poll.moved_to else { continue };
        let heir = moves::heir(feed.key, to, &mut |key| Ok(known.get(&key).copied().cloned()))?;
        let lost = match heir {
            Some(heir) if heir.status == FeedStatus::Paused => continue,
            Some(Feed { status: FeedStatus::Active, poll, .. }) if poll.moved_to.is_none() => {
                match poll.last_error.filter(|_| poll.body_hash.is_none()) {
                    Some(why) => said("trouble.moved").with("why", why),
                    None => continue,
                }
            }
            _ => said("trouble.moved.astray"),
        };
        told.push(lost.with("url", &feed.url).with("to", to));
    }
    Ok(told)
}

/// Says that so many bytes are missing, as `Store::short_of` tells.
pub fn nearly_full(missing: u64) -> String {
    Language::En.say(&full(missing))
}

fn full(missing: u64) -> Said {
    said("trouble.full").with("n", missing.div_ceil(1 << 20))
}

fn before(day: Day) -> Day {
    day.saturating_sub(jiff::Span::new().days(1))
}

/// The first day that is looked at each time; what was before is long over.
pub fn recent(today: Day) -> Day {
    silence::needed(today).min(unusual::needed(before(today)))
}

/// Sentences about who brings more than usual, or more than is taken, today and yesterday.
fn out_of_the_ordinary(
    store: &dyn Store,
    odd: &[unusual::Unusual],
    feeds: &[Feed],
    now: Millis,
) -> Result<Vec<Said>> {
    let mut told: Vec<Said> =
        odd.iter().rev().take(MOST_UNUSUAL).map(unusual::Unusual::said).collect();
    if odd.len() > MOST_UNUSUAL {
        told.push(said("trouble.more.unusual").with("n", odd.len() - MOST_UNUSUAL));
    }
    told.extend(unusual::hubs(store, now)?);
    let mut beyond: BTreeMap<&str, u64> = BTreeMap::new();
    for feed in feeds {
        *beyond.entry(&feed.outlet).or_default() += u64::from(feed.provenance.not_followed);
    }
    let many = beyond.into_iter().filter(|(_, n)| *n >= MANY_NOT_FOLLOWED);
    told.extend(
        many.take(MOST_UNUSUAL)
            .map(|(outlet, n)| said("trouble.sitemaps").with("outlet", outlet).with("n", n)),
    );
    let mut unread: BTreeMap<&str, u64> = BTreeMap::new();
    let read = feeds.iter().filter(|feed| feed.status == FeedStatus::Active);
    for feed in read.filter(|feed| feed.provenance.left_out > 0) {
        *unread.entry(&feed.outlet).or_default() += u64::from(feed.provenance.left_out);
    }
    let mut unread: Vec<(&str, u64)> = unread.into_iter().collect();
    unread.sort_by_key(|(_, n)| Reverse(*n));
    told.extend(
        unread
            .into_iter()
            .take(MOST_UNUSUAL)
            .map(|(outlet, n)| said("trouble.left.out").with("outlet", outlet).with("n", n)),
    );
    Ok(told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::memory;

    /// It went quiet when its brand was renamed, and nothing said so.
    #[test]
    fn an_alert_on_a_brand_that_nobody_watches_is_named() {
        let store = memory();
        let brands = vec![Brand { name: "Acme Corp".into(), ..Brand::default() }];
        let set = BrandSet { version: "v".into(), brands, ..BrandSet::default() };
        store.recount_finish(&set, "").unwrap();
        let rule = |name: &str, brands: &[&str]| AlertRule {
            name: name.into(),
            when: When::Headline,
            brands: brands.iter().map(|&brand| brand.into()).collect(),
            query: None,
            outlet: None,
            language: None,
            within: None,
            to: Vec::new(),
            quiet: None,
        };
        for rule in [rule("front", &["Acme", "Acme Corp"]), rule("burst", &["Acme Corp"])] {
            let who = crate::store::decision::Who::program();
            let decision = who.decides(1, crate::store::decision::Topic::Alert, String::new());
            let alert = Alert::new(rule, 1);
            let change = crate::store::decision::Change::Alert(&alert);
            assert_eq!(store.change(change, Some(&decision)).unwrap(), 1);
        }
        let status = status(store.as_ref(), &Past::default(), None, &[], DAY).unwrap();
        let named = |trouble: &&Trouble| trouble.0.contains("the alert ");
        let named: Vec<&str> =
            status.trouble.iter().filter(named).map(|trouble| trouble.0.as_str()).collect();
        assert_eq!(named.len(), 1, "{named:?}");
        assert!(named[0].starts_with("the alert front names brands that are not watched: Acme;"));
    }

    /// A feed that had answered 410 was named nowhere.
    #[test]
    fn what_is_gone_is_named_unless_it_has_moved_or_was_only_brought() {
        const NOW: Millis = 1_795_000_000_000;
        let gone = |n: u32, moved_to: Option<&str>, parent| {
            let (key, url) = (UrlKey(u128::from(n)), format!("https://a.test/{n}"));
            let mut feed = Feed::new(key, url, "a.test", "a.test", NOW - 9 * DAY);
            feed.status = FeedStatus::Gone;
            feed.poll.failures = 2.0;
            feed.poll.last_error = Some("HTTP status 410".into());
            feed.poll.moved_to = moved_to.map(str::to_owned);
            feed.provenance.parent = parent;
            feed
        };
        let feeds = [
            gone(1, None, None),
            gone(2, Some("https://b.test/2"), None),
            gone(3, None, Some(UrlKey(1))),
        ];
        let store = memory();
        store.add_feeds(&feeds).unwrap();
        let status = status(store.as_ref(), &Past::default(), None, &[], NOW).unwrap();
        let failing = "no poll of https://a.test/1 has succeeded for 9 days: HTTP status 410";
        let named = |trouble: &&Trouble| trouble.0.contains("has succeeded for");
        let named: Vec<&Trouble> = status.trouble.iter().filter(named).collect();
        assert_eq!(named, [&Trouble(failing.into())]);
    }
}
