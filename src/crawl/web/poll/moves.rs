//! Where a feed is polled that is redirected, for now or for good, and what becomes of the feed itself.
//!
//! Must not know: how it is asked, what answers say.

use std::sync::Arc;

use crate::crawl::Engine;
use crate::crawl::web::gate::{Denied, banned, blocking};
use crate::crawl::web::lineage;
use crate::feed::schedule::{self, FailureClass, PollResult};
use crate::frontier::{Address, address};
use crate::model::*;
use crate::query::moves;
use crate::store::{self, Store};

/// Where a redirect to another pace key leads.
pub(super) struct Lead {
    pub to: String,
    /// What is to be added, or to be polled again or elsewhere, so that it is polled there.
    pub heir: Option<Feed>,
    /// See [`Provenance::stand_in`].
    stand_in: Option<UrlKey>,
    /// A feed was read there, and nothing has failed since.
    pub thrives: bool,
    /// Interval and rate of a stand-in that this takes elsewhere: its URLs do not last, and are asked for as often
    /// as it was.
    pub arrivals: Option<(Millis, f32)>,
}

/// The feed that is polled where another one redirects to, or why that one is not wanted.
pub(super) async fn follow(
    engine: &Engine,
    feed: &Feed,
    to: &Address,
    at: Millis,
) -> Result<Result<Feed, String>, Denied> {
    let (store, target) = (engine.store.clone(), to.clone());
    let ask = move || {
        if store.feed_removed(target.key)? {
            return Ok(Some(removed(target.url.as_str())));
        }
        banned(store.as_ref(), &target.outlet)
    };
    Ok(match blocking(ask).await? {
        Some(why) => Err(why),
        None => lineage::heir(feed, to, at),
    })
}

/// What the operator has to do about a feed that was removed.
fn removed(url: &str) -> String {
    format!("it was removed; `crawler seed {url}` takes that back")
}

/// How a redirect to another pace key is followed, or why it is not. What a redirect that is to last leads to for the
/// second time, or the first, is a feed like any other. Whatever else is not known becomes the stand-in: else a
/// redirect that leads elsewhere at each poll would bring one more feed each time.
pub(super) async fn lead(
    engine: &Arc<Engine>,
    feed: &Feed,
    to: &Address,
    permanent: bool,
    at: Millis,
) -> Result<Result<Lead, String>, Denied> {
    let heir = match follow(engine, feed, to, at).await? {
        Ok(heir) => heir,
        Err(why) => return Ok(Err(why)),
    };
    let (store, feed, key) = (engine.store.clone(), feed.clone(), to.key);
    let lead = move || {
        let to = heir.url.clone();
        let lasts = permanent && feed.poll.moving_to.as_ref().is_none_or(|before| *before == to);
        if lasts || store.feed(key)?.is_some() {
            let thrives = thrives(store.as_ref(), &feed, &to)?;
            let heir = (!thrives).then_some(heir);
            return Ok(Ok(Lead { to, heir, stand_in: None, thrives, arrivals: None }));
        }
        let heir = lineage::stand_in(&feed, heir);
        let stand_in = Some(heir.key);
        if feed.provenance.stand_in == stand_in && store.feed_removed(heir.key)? {
            return Ok(Err(removed(&to)));
        }
        let known = store.feed(heir.key)?;
        let there = known.as_ref().filter(|known| known.url == to);
        let there = there.filter(|known| known.status != FeedStatus::Gone);
        let thrives = there.is_some_and(Feed::brings);
        let arrivals = match (&known, there) {
            (Some(known), None) if known.poll.successes > 0 => {
                Some((known.poll.interval, known.poll.rate))
            }
            _ => None,
        };
        let heir = there.is_none().then_some(heir);
        Ok(Ok(Lead { to, heir, stand_in, thrives, arrivals }))
    };
    blocking(lead).await
}

/// Is a feed read where `feed` is redirected to?
fn thrives(store: &dyn Store, feed: &Feed, to: &str) -> store::Result<bool> {
    let heir = moves::heir(feed.key, to, &mut |key| store.feed(key))?;
    Ok(heir.is_some_and(|heir| heir.brings()))
}

/// Follows what a poll says of the feed itself: it is gone, is back, leads elsewhere, or has moved for good; then the
/// feed that is polled instead, if it is not yet.
pub(super) fn follow_fate(
    engine: &Engine,
    feed: &mut Feed,
    poll: &schedule::Poll,
    lead: Option<&Lead>,
) -> Option<Feed> {
    match &poll.result {
        PollResult::Failed { class: FailureClass::Gone, .. } => {
            feed.status = FeedStatus::Gone;
            feed.provenance.stand_in = None;
            return None;
        }
        PollResult::Failed { .. } => return None,
        _ => feed.provenance.stand_in = lead.and_then(|lead| lead.stand_in),
    }
    feed.status = FeedStatus::Active;
    let confirmed = poll.moved_to.as_ref().filter(|to| feed.poll.moved_to.as_ref() == Some(to));
    let Some(to) = confirmed else {
        feed.poll.moved_to = None;
        if let Some(lead) = lead {
            feed.poll.why = format!("redirected to {}, which is polled, too", lead.to);
        }
        return None;
    };
    let at = address(to, None).ok()?;
    if at.key == feed.key {
        // From http to https: the same feed at another door.
        feed.url.clone_from(to);
        feed.poll.moved_to = None;
        return None;
    }
    if lead.is_some_and(|lead| !lead.thrives) {
        // Whoever is away for a day may say the same.
        feed.poll.why = format!("moved for good to {to}, where no feed has been read yet");
        return None;
    }
    feed.status = FeedStatus::Gone;
    let longest = engine.settings.feed.schedule.failing_max.0;
    feed.poll.next = poll.at.saturating_add(longest);
    feed.poll.why = format!("moved for good to {to}, which is polled instead");
    // Inside the pace key, what was read now was read there.
    if lead.is_some() { None } else { lineage::heir(feed, &at, poll.at).ok() }
}
