//! Who may speak for whom: a new feed, which feeds a feed may bring, for which outlet it speaks beside its own,
//! and what of an entry is hearsay (invariant 11). One outlet must not decide about another.
//!
//! Must not know: how a feed is asked or read.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Mutex;

use crate::feed;
use crate::frontier::{Address, address};
use crate::model::*;
use crate::store::{Result, Store};

/// Feeds that one sitemap index may have followed at a time, those not counted that bring no news …
pub const MOST_CHILDREN: usize = 500;
/// … and with those: what is polled for an index has an end, whatever it lists.
const MOST_KNOWN: usize = 3 * MOST_CHILDREN;
/// So rarely a sitemap is polled that an index has brought and that has no news in it.
pub const WITHOUT_NEWS: Millis = 7 * DAY;
/// A sitemap that its index has not listed for so long is asked as rarely as one that is gone.
const UNLISTED: Millis = 30 * DAY;
/// Fewer entries do not tell for whom a feed speaks.
const FEWEST: usize = 3;
/// So long it is believed which outlets have feeds of their own.
const FRESH: Millis = 10 * 60 * 1000;

/// The outlets that have a feed of their own, as of a while ago.
#[derive(Default)]
pub(in crate::crawl) struct Voices(Mutex<Option<(Millis, HashSet<String>)>>);

impl Voices {
    fn has_own(&self, store: &dyn Store, outlet: &str, now: Millis) -> Result<bool> {
        let mut known = self.0.lock().unwrap_or_else(|e| e.into_inner());
        match known.as_ref().filter(|(at, _)| (0..FRESH).contains(&(now - at))) {
            Some((_, outlets)) => Ok(outlets.contains(outlet)),
            None => {
                let outlets: HashSet<String> = own_of(store.feeds()?);
                let own = outlets.contains(outlet);
                *known = Some((now, outlets));
                Ok(own)
            }
        }
    }
}

/// The outlets with a feed of their own: one that the operator wanted, or that such a feed brought. Where a feed of another
/// outlet was redirected to says nothing of whoever is there.
fn own_of(feeds: Vec<Feed>) -> HashSet<String> {
    let voices: HashMap<UrlKey, &Feed> = feeds.iter().map(|feed| (feed.key, feed)).collect();
    let is_own = |feed: &&Feed| match feed.provenance.parent {
        None => true,
        Some(parent) => voices.get(&parent).is_some_and(|parent| parent.speaks_for(&feed.outlet)),
    };
    feeds.iter().filter(is_own).map(|feed| feed.outlet.clone()).collect()
}

/// A feed nobody has polled yet, due at once.
pub(in crate::crawl) fn new_feed(at: &Address, now: Millis) -> Feed {
    Feed::new(at.key, at.url.as_str(), at.outlet.as_str(), at.pace_key.as_str(), now)
}

/// The outlet of most entries.
fn most(entries: &[UrlRecord]) -> Option<&str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in entries {
        *counts.entry(&entry.outlet).or_default() += 1;
    }
    let (outlet, n) = counts.into_iter().max_by_key(|(_, n)| *n)?;
    (n >= FEWEST && 2 * n > entries.len()).then_some(outlet)
}

/// Learns from the entries of a poll for whom a feed speaks that the operator wanted: for the outlet
/// of most of them, too, unless that one has a feed of its own.
pub(in crate::crawl) fn learn(
    voices: &Voices,
    store: &dyn Store,
    feed: &mut Feed,
    entries: &[UrlRecord],
    now: Millis,
) -> Result<()> {
    if feed.provenance.parent.is_some() || feed.provenance.told {
        return Ok(());
    }
    if let Some(outlet) = most(entries).filter(|outlet| *outlet != feed.outlet) {
        let own = voices.has_own(store, outlet, now)?;
        feed.provenance.speaks_for = (!own).then(|| outlet.to_owned());
    }
    Ok(())
}

/// Of what a feed listed last, so many entries are looked at.
const LISTED: usize = 20;

/// Derives for whom the feeds speak of which this was not learned yet: those that were polled before it was
/// kept. The next answer of each would tell, too; what a hub pushes before would be hearsay.
pub(in crate::crawl) fn derive(voices: &Voices, store: &dyn Store, now: Millis) -> Result<()> {
    let unlearned = |feed: &Feed| {
        let Provenance { parent, listed, speaks_for, told, .. } = &feed.provenance;
        let known = parent.is_some() || listed.is_some() || speaks_for.is_some() || *told;
        feed.poll.successes > 0 && !known
    };
    for mut feed in store.feeds()?.into_iter().filter(unlearned) {
        let mut entries = Vec::new();
        for key in feed.poll.recent.iter().take(LISTED) {
            entries.extend(store.url(*key)?);
        }
        learn(voices, store, &mut feed, &entries, now)?;
        if feed.provenance.speaks_for.is_some() {
            store.set_feed(&feed)?;
        }
    }
    Ok(())
}

/// Why a feed that `parent` was redirected to is not followed: it lies at another outlet, and most of
/// its entries are not of one that `parent` speaks for.
pub(in crate::crawl) fn unconfirmed(
    parent: Option<&Feed>,
    feed: &Feed,
    entries: &[UrlRecord],
) -> Option<String> {
    let parent = parent.filter(|parent| !parent.speaks_for(&feed.outlet))?;
    let outlet = most(entries).filter(|outlet| !parent.speaks_for(outlet))?;
    Some(format!(
        "{} was redirected here, but most entries are of {outlet}; `crawler seed {}` follows it",
        parent.url, feed.url
    ))
}

/// Marks entries of outlets that the feed does not speak for: nothing is kept of what it says of them
/// but where they are, in the canonical form.
pub(in crate::crawl) fn mark_foreign(feed: &Feed, entry: &mut UrlRecord) {
    entry.foreign = !feed.speaks_for(&entry.outlet);
    if entry.foreign {
        let url = canonical_url(&entry.entry.url, &entry.canonical);
        entry.entry = Entry { url, ..Entry::default() };
    }
}

/// May an entry go on at an outlet where it was redirected to: its own, or one that its feed speaks for?
pub(in crate::crawl) fn own(entry: &UrlRecord, feed: Option<&Feed>, outlet: &str) -> bool {
    entry.outlet == outlet || feed.is_some_and(|feed| feed.speaks_for(outlet))
}

/// The canonical form of a URL, by the scheme that it was given with: not every server speaks the other.
pub(in crate::crawl) fn canonical_url(given: &str, canonical: &str) -> String {
    let plain = given.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http:"));
    match canonical.strip_prefix("https:").filter(|_| plain) {
        Some(rest) => format!("http:{rest}"),
        None => canonical.to_owned(),
    }
}

/// Takes over which sitemaps an index lists, the best first; returns those that are new. Only the operator's own
/// feeds bring others, of outlets that they speak for, and so many at most: what brings no news leaves its place to
/// others. How many are left out, those that were not even read of the index (`unread`) among them, is noted in the feed.
pub(in crate::crawl) fn take_children(
    feed: &mut Feed,
    listed: &[Address],
    unread: usize,
    at: Millis,
    brings_news: &dyn Fn(UrlKey) -> bool,
) -> Vec<Feed> {
    let today = at.div_euclid(DAY) * DAY;
    let followed = |child: &Address| {
        feed.provenance.parent.is_none() && child.key != feed.key && feed.speaks_for(&child.outlet)
    };
    let mut children: BTreeMap<UrlKey, Millis> =
        feed.provenance.children.iter().map(|child| (child.key, child.listed)).collect();
    let mut left_out = unread;
    let mut unknown = Vec::new();
    let mut seen = HashSet::new();
    for child in listed {
        match children.get_mut(&child.key) {
            _ if !followed(child) => left_out += 1,
            Some(listed) => *listed = today,
            None if seen.insert(child.key) => unknown.push(child),
            None => {}
        }
    }
    children.retain(|_, listed| at.saturating_sub(*listed) < UNLISTED);
    let mut places = MOST_CHILDREN.saturating_sub(children.len());
    if places < unknown.len() {
        let taken = children.keys().filter(|key| brings_news(**key)).count();
        places = MOST_CHILDREN.saturating_sub(taken);
    }
    let places = places.min(MOST_KNOWN.saturating_sub(children.len())).min(unknown.len());
    left_out += unknown.len() - places;
    let new = unknown.into_iter().take(places).map(|child| {
        children.insert(child.key, today);
        child_of(feed, child, at)
    });
    let new = new.collect();
    feed.provenance.children =
        children.into_iter().map(|(key, listed)| Child { key, listed }).collect();
    feed.provenance.not_followed = u32::try_from(left_out).unwrap_or(u32::MAX);
    new
}

/// May a feed that an index brought still bring news? Not a plain sitemap, nor one that grows no more (its interval has
/// become the `longest`). One that was never read, and one that calls itself news, has a while to show it.
pub(in crate::crawl) fn brings_news(feed: &Feed, longest: Millis, at: Millis) -> bool {
    let waits = feed.poll.successes == 0 || feed::names_news(&feed.url);
    waits && is_new(feed, at) || !is_plain(feed, at) && feed.poll.interval < longest
}

/// Is it a sitemap that an index brought and that lists addresses without news? In some indexes all names have "news" in
/// them.
pub(in crate::crawl) fn is_plain(feed: &Feed, at: Millis) -> bool {
    feed.provenance.parent.is_some()
        && feed.format == Some(FeedFormat::Sitemap)
        && feed.poll.recent.is_empty()
        && !(feed::names_news(&feed.url) && is_new(feed, at))
}

/// Has it not been here for as long as a plain sitemap waits?
fn is_new(feed: &Feed, at: Millis) -> bool {
    at.saturating_sub(feed.added) < WITHOUT_NEWS
}

fn child_of(feed: &Feed, at: &Address, now: Millis) -> Feed {
    let speaks_for = match &feed.provenance.speaks_for {
        Some(other) if *other == at.outlet => Some(feed.outlet.clone()),
        other => other.clone(),
    };
    let provenance = Provenance { parent: Some(feed.key), speaks_for, ..Provenance::default() };
    Feed { group: feed.group.clone(), provenance, ..new_feed(at, now) }
}

/// Why a feed that another one brought is not asked any more: that one is gone, has not listed it for long, or does
/// not lead there any more.
pub(in crate::crawl) fn orphaned(parent: Option<&Feed>, feed: &Feed) -> Option<String> {
    feed.provenance.parent?;
    let Some(parent) = parent else {
        return Some("the feed that brought it was removed".to_owned());
    };
    let astray = || format!("{} does not lead here any more", parent.url);
    if feed.key == stand_in_key(parent.key) {
        return (parent.provenance.stand_in != Some(feed.key)).then(astray);
    }
    let PollState { moving_to, moved_to, last, last_body, .. } = &parent.poll;
    if [moving_to, moved_to].into_iter().flatten().any(|to| *to == feed.url) {
        return None;
    }
    if parent.provenance.children.iter().any(|child| child.key == feed.key) {
        return None;
    }
    if parent.format == Some(FeedFormat::SitemapIndex) {
        return Some(format!("{} does not list it any more", parent.url));
    }
    // A move that was none: no feed was ever read here, and one is where it was.
    let back = last_body.is_some() && last_body == last;
    (back && feed.poll.body_hash.is_none()).then(astray)
}

/// The feed that goes on where `feed` was redirected to.
///
/// # Errors
/// Why it is not followed: a feed that another one brought leads to another outlet.
pub(in crate::crawl) fn heir(
    feed: &Feed,
    to: &Address,
    at: Millis,
) -> std::result::Result<Feed, String> {
    let stays = feed.speaks_for(&to.outlet);
    if !stays && feed.provenance.parent.is_some() {
        return Err(format!("it is of another outlet; `crawler seed {}` follows it", to.url));
    }
    let speaks_for = match &feed.provenance.speaks_for {
        Some(other) if *other != to.outlet => Some(other.clone()),
        _ if feed.outlet != to.outlet => Some(feed.outlet.clone()),
        _ => None,
    };
    // It may lead anywhere: what is there is that outlet's own once a feed was read.
    let trial = Some(feed.account()).filter(|account| *account != to.outlet).map(str::to_owned);
    Ok(Feed {
        key: to.key,
        url: to.url.to_string(),
        outlet: to.outlet.clone(),
        pace_key: to.pace_key.clone(),
        status: FeedStatus::Active,
        poll: feed.poll.elsewhere(at),
        provenance: Provenance {
            parent: feed.provenance.parent.or(Some(feed.key)),
            speaks_for,
            budget: feed.provenance.budget,
            trial,
            ..Provenance::default()
        },
        ..feed.clone()
    })
}

/// The key of the feed that is polled where `feed` is redirected to for now. It is that of no URL.
pub(in crate::crawl) fn stand_in_key(feed: UrlKey) -> UrlKey {
    address::key(&format!("where {feed} leads"))
}

/// An heir of `feed` for as long as it leads there; then it goes where `feed` leads next, or is gone.
pub(in crate::crawl) fn stand_in(feed: &Feed, heir: Feed) -> Feed {
    let provenance = Provenance { parent: Some(feed.key), ..heir.provenance };
    Feed { key: stand_in_key(feed.key), provenance, ..heir }
}

#[cfg(test)]
mod tests;
