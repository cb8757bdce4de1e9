//! Feeds, how they are polled, and the entries they bring.
//!
//! Must not know: who makes and who uses it.

use serde::{Deserialize, Serialize};

use super::{Day, Millis, Stamp, UrlKey};

/// What kind of document a feed turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeedFormat {
    Rss2,
    Rss1,
    Rss0,
    Atom,
    JsonFeed,
    NewsSitemap,
    Sitemap,
    SitemapIndex,
    /// A page of headlines, of an outlet without any feed.
    Section,
}

/// Operator's or server's verdict on a feed; a feed is never deleted by the crawler itself, and what the
/// operator removed leaves a tombstone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeedStatus {
    Active,
    Paused,
    /// The server said 410, or it moved to `moved_to`; polled at long intervals.
    Gone,
    /// Removed by the operator: a tombstone that nobody is shown. No poll brings the feed back.
    Removed,
}

/// A feed and all that the polling schedule needs to know about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Feed {
    pub key: UrlKey,
    pub url: String,
    pub outlet: String,
    pub pace_key: String,
    /// Comment group of the seed list, if any.
    pub group: Option<String>,
    pub title: Option<String>,
    pub language: Option<String>,
    pub format: Option<FeedFormat>,
    pub status: FeedStatus,
    pub added: Millis,
    pub poll: PollState,
    // Newer than stored records: it stays the last.
    #[serde(default, deserialize_with = "or_default")]
    pub provenance: Provenance,
}

impl Feed {
    /// A feed that the operator wanted and that nobody has polled yet; it is due when it is added.
    pub fn new(
        key: UrlKey,
        url: impl Into<String>,
        outlet: impl Into<String>,
        pace_key: impl Into<String>,
        added: Millis,
    ) -> Feed {
        Feed {
            key,
            url: url.into(),
            outlet: outlet.into(),
            pace_key: pace_key.into(),
            group: None,
            title: None,
            language: None,
            format: None,
            status: FeedStatus::Active,
            added,
            poll: PollState { next: added, ..PollState::default() },
            provenance: Provenance::default(),
        }
    }

    /// Since when the next poll is due: what puts it off makes it no less missed.
    pub fn due(&self) -> Millis {
        self.provenance.planned.unwrap_or(self.poll.next)
    }

    /// Does it speak for this outlet? What another feed says of an outlet's entries is hearsay.
    pub fn speaks_for(&self, outlet: &str) -> bool {
        self.outlet == outlet || self.provenance.speaks_for.as_deref() == Some(outlet)
    }

    /// The outlet on whose account it is polled, and whose coverage its polls are part of.
    pub fn account(&self) -> &str {
        self.provenance.trial.as_deref().unwrap_or(&self.outlet)
    }

    /// Is it polled at an outlet of which nobody knows yet whether it has a feed there?
    pub fn is_on_trial(&self) -> bool {
        self.provenance.trial.is_some()
    }

    /// Has it moved for good, to where it is polled instead?
    pub fn has_moved(&self) -> bool {
        self.status == FeedStatus::Gone && self.poll.moved_to.is_some()
    }

    /// Is it polled where it is, and was it a feed there the last time?
    pub fn brings(&self) -> bool {
        let PollState { moving_to, moved_to, body_hash, failures, .. } = &self.poll;
        let stays = moving_to.is_none() && moved_to.is_none();
        self.status == FeedStatus::Active && stays && body_hash.is_some() && *failures == 0.0
    }
}

/// Where a feed comes from, for whom it speaks, and what it has brought.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The feed that brought this one: a sitemap index, or a feed that was redirected to it. `None`:
    /// the operator wanted it.
    pub parent: Option<UrlKey>,
    /// The outlet that it speaks for beside its own: that of most of its entries, if that one has no
    /// feed of its own.
    pub speaks_for: Option<String>,
    /// Feeds that it brought.
    pub children: Vec<Child>,
    /// Feeds that its last answer listed and that are not followed: of other outlets, or too many.
    pub not_followed: u32,
    pub budget: Budget,
    // Newer than stored records: these six stay the last, in this order, and what is new comes behind them.
    /// When a poll last showed all that it lists.
    #[serde(default, deserialize_with = "or_default")]
    pub listed: Option<Millis>,
    /// The operator said for whom it speaks: what it lists teaches nothing.
    #[serde(default, deserialize_with = "or_default")]
    pub told: bool,
    /// The feed that is polled where this one was redirected to the last time, and not for good. There is one at
    /// most: when the redirect changes, its URL does, and its key stays.
    #[serde(default, deserialize_with = "or_default")]
    pub stand_in: Option<UrlKey>,
    /// Items that its last body listed beyond those that are read of a feed: the newest.
    #[serde(default, deserialize_with = "or_default")]
    pub left_out: u32,
    /// When the next poll was to be, where it has been put off since.
    #[serde(default, deserialize_with = "or_default")]
    pub planned: Option<Millis>,
    /// The outlet of the feed that was redirected here, to another outlet, until a feed was read here: that other one has
    /// named nothing, and pays nothing.
    #[serde(default, deserialize_with = "or_default")]
    pub trial: Option<String>,
}

/// A feed that another one brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Child {
    pub key: UrlKey,
    /// When it was last listed, to the day.
    pub listed: Millis,
}

/// New entries that a feed brought on one day (UTC), against what it brings usually.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Days since 1970-01-01.
    pub day: i64,
    /// Of outlets that it speaks for.
    pub own: Taken,
    /// Of others.
    pub foreign: Taken,
}

/// One kind of entries under a [`Budget`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// Taken on that day.
    pub today: u32,
    /// Taken on a usual day.
    pub usual: u32,
    /// The most that were listed beyond the budget at one poll of that day.
    pub beyond: u32,
}

/// Learned polling state of one feed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PollState {
    /// Next poll due at.
    pub next: Millis,
    /// Current interval, milliseconds; 0 until the first poll.
    pub interval: Millis,
    /// Learned arrivals, new entries per hour; 0 until the first poll.
    pub rate: f32,
    pub polls: u32,
    pub successes: u32,
    /// Weighted consecutive failures (hard 1, soft 0.5, DNS 0.25).
    pub failures: f32,
    pub last: Option<Millis>,
    pub last_success: Option<Millis>,
    pub last_error: Option<String>,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// SHA-256 prefix of the last body.
    pub body_hash: Option<u64>,
    pub last_unconditional: Option<Millis>,
    /// Polls since the last unconditional one. While validators lie, and no poll has a condition: polls in a row whose
    /// validators told that there are new entries.
    pub conditional_run: u32,
    /// The server gave the same validator with new entries.
    pub lying_validators: bool,
    /// Keys of the entries of the previous successful poll (overlap test), newest first, bounded.
    pub recent: Vec<UrlKey>,
    /// Polls without any overlap with the previous one: entries were probably lost.
    pub gaps: u32,
    /// Server-given floor for the interval (ttl, updatePeriod, max-age), milliseconds.
    pub floor: Millis,
    /// Why the interval is what it is, in words.
    pub why: String,
    /// Seconds east of UTC learned from this feed's zoned dates.
    pub offset: Option<i32>,
    /// A permanent redirect seen once, waiting for confirmation.
    pub moving_to: Option<String>,
    pub moved_to: Option<String>,
    /// Same body as this feed on the same outlet.
    pub duplicate_of: Option<UrlKey>,
    // Newer than stored records: these two stay the last, in this order. Nothing is added behind them: of a feed's
    // record they are not the end.
    /// When the publisher asks not to be polled.
    #[serde(default, deserialize_with = "or_default")]
    pub skips: Skips,
    /// When a poll last brought a body.
    #[serde(default, deserialize_with = "or_default")]
    pub last_body: Option<Millis>,
}

impl PollState {
    /// Of a feed that lies elsewhere from `next` on: how its entries arrive is known, what the server there says
    /// is not.
    pub fn elsewhere(&self, next: Millis) -> PollState {
        PollState {
            next,
            failures: 0.0,
            last_error: None,
            etag: None,
            last_modified: None,
            body_hash: None,
            last_unconditional: None,
            last_body: None,
            conditional_run: 0,
            lying_validators: false,
            moving_to: None,
            moved_to: None,
            duplicate_of: None,
            ..self.clone()
        }
    }
}

/// Hours and weekdays in which a publisher asks not to be polled (RSS 2.0 `skipHours`, `skipDays`),
/// in UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skips {
    /// Bit n: the hour that begins at n o'clock.
    pub hours: u32,
    /// Bit 0: Monday.
    pub days: u8,
}

/// A field that older records end before.
pub fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    // A record's checksum has told damage already: what is missing here was never written.
    Ok(T::deserialize(deserializer).unwrap_or_default())
}

/// One item of a feed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Absolute URL as the feed gave it (resolved against the feed's base).
    pub url: String,
    pub id: Option<String>,
    pub title: Option<String>,
    /// Plain text, tags removed.
    pub summary: Option<String>,
    pub published: Option<Stamp>,
    pub authors: Vec<String>,
    pub categories: Vec<String>,
    pub language: Option<String>,
}

/// What the feeds of an outlet brought on a day: new entries, and what was fetched for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brought {
    /// Of outlets that they speak for.
    pub own: i64,
    /// Of others.
    pub foreign: i64,
    // Newer than stored rows: it stays the last.
    /// Bytes of answers to what was asked for on account of its feeds: them and what they listed.
    #[serde(default, deserialize_with = "or_default")]
    pub bytes: i64,
}

/// Bytes that were fetched on an outlet's account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spent {
    /// That of the feed.
    pub outlet: String,
    /// Of the requests, in the configured zone.
    pub day: Day,
    /// Decoded.
    pub bytes: u64,
}

/// Per day and outlet: polls due and answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Polls {
    pub due: u32,
    pub succeeded: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A feed in a record of before `planned`.
    const WITHOUT_PLANNED: &[u8] = b"\
        \0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\
        \x13https://a.test/feed\x06a.test\x06a.test\0\0\0\0\0\
        \n\x0e\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\
        \x03\0\x03why\0\0\0\0\x03\x01\x01\x12\
        \x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\0\0\0\
        \x01\x80\x9c\xda\xbf\xc4h\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x03\x04";

    /// Records of feeds from before `skips`, `last_body`, `provenance` and what is newest in it stay readable, in both
    /// stores.
    #[test]
    fn older_records() {
        let state = PollState { next: 7, gaps: 3, why: "why".to_owned(), ..PollState::default() };
        let whole = postcard::to_stdvec(&state).expect("a record");
        // Two numbers of `skips`, and the mark of `None`.
        let old = &whole[..whole.len() - 3];
        assert_eq!(postcard::take_from_bytes::<PollState>(old), Ok((state.clone(), &b""[..])));
        let mut json = serde_json::to_value(&state).expect("a record");
        let fields = json.as_object_mut().expect("an object");
        assert!(fields.remove("skips").is_some() && fields.remove("last_body").is_some());
        assert_eq!(serde_json::from_value::<PollState>(json).expect("an older record"), state);
        let new = PollState { skips: Skips { hours: 3, days: 1 }, last_body: Some(9), ..state };
        let record = postcard::to_stdvec(&new).expect("a record");
        assert_eq!(postcard::from_bytes::<PollState>(&record), Ok(new.clone()));
        let mut feed = Feed::new(UrlKey(1), "https://a.test/feed", "a.test", "a.test", 5);
        let whole = postcard::to_stdvec(&feed).expect("a record");
        let provenance = postcard::to_stdvec(&feed.provenance).expect("a record");
        let before = &whole[..whole.len() - provenance.len()];
        for old in [before, &before[..before.len() - 3]] {
            assert_eq!(postcard::take_from_bytes::<Feed>(old), Ok((feed.clone(), &b""[..])));
        }
        feed.poll = new;
        feed.provenance = Provenance {
            parent: Some(UrlKey(2)),
            listed: Some(1_795_900_000_000),
            stand_in: Some(UrlKey(3)),
            left_out: 4,
            ..Provenance::default()
        };
        let old = WITHOUT_PLANNED;
        assert_eq!(postcard::take_from_bytes::<Feed>(old), Ok((feed.clone(), &b""[..])));
        let mut json = serde_json::to_value(&feed).expect("a record");
        let provenance = json["provenance"].as_object_mut().expect("an object");
        assert!(provenance.remove("planned").is_some());
        assert_eq!(serde_json::from_value::<Feed>(json).expect("an older record"), feed);
        feed.provenance.planned = Some(6);
        // Before `trial`: without the mark of `None`.
        let whole = postcard::to_stdvec(&feed).expect("a record");
        let old = &whole[..whole.len() - 1];
        assert_eq!(postcard::take_from_bytes::<Feed>(old), Ok((feed.clone(), &b""[..])));
        feed.provenance.trial = Some("b.test".to_owned());
        let record = postcard::to_stdvec(&feed).expect("a record");
        assert_eq!(postcard::from_bytes::<Feed>(&record), Ok(feed));
    }
}
