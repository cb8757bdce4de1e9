//! Alerts over a store that was filled as a crawl fills it: outlets are polled, and list what they wrote.

use std::sync::Arc;

use super::*;
use crate::query::silence::silent;
use crate::store::{ArticleCommit, Claim, PageCommit, PollCommit};

const T0: Millis = MONDAY * HOUR;

/// A store in which Acme is watched, and some outlets are polled.
struct Press {
    store: Arc<dyn Store>,
    index: Search,
    sights: Sights,
    written: u32,
    /// Time between two polls.
    wait: Millis,
    zone: jiff::tz::TimeZone,
}

/// An article that counts Acme.
#[derive(Clone, Copy, Default)]
struct Wrote {
    headline: bool,
    backlog: bool,
    /// It is a copy of this one.
    of: Option<UrlKey>,
}

impl Press {
    fn new(outlets: &[&str]) -> Press {
        let store = crate::store::memory();
        let brands = vec![Brand { name: "Acme".into(), ..Brand::default() }];
        let set = BrandSet { version: "v".into(), brands, ..BrandSet::default() };
        store.recount_finish(&set, "").unwrap();
        let index = Search::new(Default::default());
        let (sights, zone) = (Sights::default(), jiff::tz::TimeZone::UTC);
        let press = Press { store, index, sights, written: 0, wait: HOUR, zone };
        outlets.iter().for_each(|outlet| press.follow(outlet, "feed", T0));
        press
    }

    fn follow(&self, outlet: &str, feed: &str, at: Millis) {
        let url = format!("https://{outlet}/{feed}");
        let key = UrlKey(url.bytes().fold(7, |key, byte| key << 5 ^ u128::from(byte)));
        assert_eq!(
            self.store.add_feeds(&[Feed::new(key, url, outlet, outlet, at)]).unwrap(),
            [true]
        );
    }

    /// The outlet's feed is polled, and lists such articles; their keys.
    fn polled(&mut self, outlet: &str, at: Millis, wrote: &[Wrote]) -> Vec<UrlKey> {
        self.answered(outlet, at, true, wrote)
    }

    /// The same of a poll that succeeds, or fails.
    fn answered(
        &mut self,
        outlet: &str,
        at: Millis,
        succeeded: bool,
        wrote: &[Wrote],
    ) -> Vec<UrlKey> {
        let feeds = self.store.feeds().unwrap();
        let mut feed = feeds.into_iter().find(|feed| feed.outlet == outlet).unwrap();
        let (due, day) = (feed.poll.next, day_of(at, &self.zone));
        feed.poll = PollState {
            interval: self.wait,
            last: Some(at),
            last_success: Some(at),
            next: at + self.wait,
            polls: feed.poll.polls + 1,
            ..PollState::default()
        };
        let keys: Vec<UrlKey> =
            (self.written..).take(wrote.len()).map(|n| UrlKey(u128::from(n) << 64 | 7)).collect();
        self.written += wrote.len() as u32;
        let entry = |(key, wrote): (&UrlKey, &Wrote)| UrlRecord {
            key: *key,
            canonical: format!("https://{outlet}/{key}"),
            outlet: outlet.into(),
            pace_key: outlet.into(),
            feed: feed.key,
            entry: Entry { url: format!("https://{outlet}/{key}"), ..Entry::default() },
            first_seen: at,
            arrival: day,
            backlog: wrote.backlog,
            outcome: Outcome::Pending,
            attempts: 0,
            next: at,
            last_error: None,
            chain: Vec::new(),
            foreign: false,
            sight: Sight::First,
            arrived: Arrived::Seen,
        };
        let entries: Vec<UrlRecord> = keys.iter().zip(wrote).map(entry).collect();
        let pace = self.store.pace(outlet).unwrap();
        let now = pace.map_or(at, |pace| pace.next_at.max(at));
        let claim = Claim { owner: "w".into(), now, until: now + DAY, keys: 1, drain: 100 };
        let lease = self.store.claim_key(&claim, outlet).unwrap().expect("free");
        let mut batch = self.store.batch().unwrap();
        let begins = day_begins(day, &self.zone).unwrap();
        let (pushed, feeds, read) = (false, Vec::new(), entries.clone());
        let poll = PollCommit { feed, due, at, day, begins, succeeded, pushed, entries, feeds };
        batch.poll(&lease, poll).unwrap();
        for (entry, wrote) in read.iter().zip(wrote) {
            let stories = wrote.of.map(|of| batch.member(of).unwrap().expect("a story").0);
            let stories = stories.into_iter().collect();
            let article = ArticleCommit {
                record: record(entry),
                mentions: vec![mention(entry, wrote)],
                brand_set: "v".into(),
                vector: Vec::new(),
                joining: Joining { stories, ..Joining::default() },
                excerpts: Vec::new(),
                printed: None,
            };
            let page = PageCommit {
                key: entry.key,
                outcome: Outcome::Article,
                at,
                retry: None,
                article: Some(article),
                discovered: Vec::new(),
                aliases: Vec::new(),
            };
            batch.page(&lease, page).unwrap();
        }
        batch.commit().unwrap();
        assert!(self.store.complete(&lease, &lease.pace).unwrap());
        keys
    }

    /// Looks at an alert, which remembers it; what it tells.
    fn look(&mut self, alert: &mut Alert, now: Millis) -> Vec<AlertEvent> {
        let known: BTreeSet<String> = alert.events.iter().map(|event| event.id.clone()).collect();
        let store = self.store.as_ref();
        let judged = judged(store, &self.index, alert, &mut self.sights, now).unwrap();
        if let Some(changed) = judged.changed {
            *alert = changed;
        }
        let new = |event: &&AlertEvent| !known.contains(&event.id);
        alert.events.iter().filter(new).cloned().collect()
    }

    fn sentences(&mut self, alert: &mut Alert, now: Millis) -> Vec<String> {
        self.look(alert, now).into_iter().map(|event| event.sentence).collect()
    }
}

fn record(entry: &UrlRecord) -> ArticleRecord {
    ArticleRecord {
        key: entry.key,
        url: entry.canonical.clone(),
        final_url: entry.canonical.clone(),
        outlet: entry.outlet.clone(),
        feed: entry.feed,
        feed_title: None,
        backlog: entry.backlog,
        first_seen: entry.first_seen,
        fetched: entry.first_seen,
        charset: ("UTF-8".to_owned(), "header".to_owned()),
        published: Published {
            at: entry.first_seen,
            day: entry.arrival,
            precision: Precision::Instant,
            zone: ZoneSource::Printed,
            source: Source::Meta,
            printed: None,
        },
        article: Article { text: "Acme.".into(), model: "m".into(), ..Article::default() },
        memory: None,
        sighting: Sighting::Open,
        agencies: None,
    }
}

fn mention(entry: &UrlRecord, wrote: &Wrote) -> MentionRow {
    let zone = if wrote.headline { Zone::Title } else { Zone::Body };
    let mention = Mention {
        brand: "Acme".into(),
        matched: "Acme".into(),
        block: Some(0),
        start: 0,
        end: 4,
        zone,
    };
    MentionRow {
        brand: "Acme".into(),
        day: entry.arrival,
        article: entry.key,
        outlet: entry.outlet.clone(),
        language: Some("en".into()),
        feed: entry.feed,
        backlog: entry.backlog,
        own_outlet: false,
        counted: 1,
        suppressed: 0,
        mentions: vec![mention],
    }
}

fn alert(when: &str) -> Alert {
    Alert::new(rule(when), T0)
}

/// An outlet was called new by its second article if it was added after the alert.
#[test]
fn who_is_known_by_what_was_no_news_is_not_new() {
    let mut press = Press::new(&["a.test"]);
    let (mut outlets, mut languages) = (alert("new-outlet"), alert("new-language"));
    press.polled("a.test", T0, &[]);
    for alert in [&mut outlets, &mut languages] {
        assert_eq!(press.sentences(alert, T0 + MINUTE), Vec::<String>::new());
    }
    let now = T0 + DAY;
    press.follow("b.test", "feed", now);
    press.polled("b.test", now, &[Wrote { backlog: true, ..Wrote::default() }; 3]);
    press.polled("b.test", now + HOUR, &[Wrote::default()]);
    for alert in [&mut outlets, &mut languages] {
        assert_eq!(press.sentences(alert, now + 2 * HOUR), Vec::<String>::new());
    }
    press.polled("a.test", now + 3 * HOUR, &[Wrote::default()]);
    let told = press.sentences(&mut outlets, now + 4 * HOUR);
    assert_eq!(told, ["First mention of Acme by a.test"]);
}

/// A story was told again when it was printed again five days later, as first seen by whoever did.
#[test]
fn a_story_that_is_printed_again_is_told_once() {
    let mut press = Press::new(&["a.test", "b.test", "c.test"]);
    let mut headline = alert("headline");
    let mut carried: Vec<Alert> = ["carried 2", "carried 3"].map(alert).to_vec();
    for outlet in ["a.test", "b.test", "c.test"] {
        press.polled(outlet, T0, &[]);
    }
    let (mut told, mut first) = ([0; 3], None);
    for (day, outlet) in
        [(0, "a.test"), (1, "b.test"), (7, "c.test"), (35, "b.test"), (60, "a.test")]
    {
        let at = T0 + day * DAY + HOUR;
        let wrote = Wrote { headline: true, of: first, ..Wrote::default() };
        first = first.or(press.polled(outlet, at, &[wrote]).first().copied());
        told[0] += press.look(&mut headline, at + MINUTE).len();
        for (n, alert) in carried.iter_mut().enumerate() {
            let events = press.look(alert, at + MINUTE);
            told[n + 1] += events.len();
            for event in events {
                let first = format!("First at a.test ({}); in ", instant(T0 + HOUR));
                assert!(event.details[0].starts_with(&first), "{:?}", event.details);
            }
        }
        // Days on which nothing comes.
        for after in 1..5 {
            told[0] += press.look(&mut headline, at + after * DAY).len();
        }
    }
    assert_eq!(told, [1, 1, 1]);
}

/// Ten articles a day, and two days on which the crawler was down: the press was said to have fallen silent, and then
/// to have written too much.
#[test]
fn days_on_which_nothing_was_polled_are_no_fall_and_no_burst() {
    let mut press = Press::new(&["a.test"]);
    let mut alerts: Vec<Alert> = ["falling", "unusual"].map(alert).to_vec();
    let (down, up) = (T0 + 35 * DAY + 9 * HOUR, T0 + 37 * DAY + 9 * HOUR);
    press.polled("a.test", T0, &[]);
    let mut told = Vec::new();
    let mut hour = 1;
    // Then a day on which nothing is written: that is told.
    let silent = T0 + 45 * DAY;
    while hour < 47 * 24 {
        let at = T0 + hour * HOUR;
        let n = match (hour % 24, at) {
            (8..18, at) if at < silent => 1,
            _ => 0,
        };
        if at == up {
            // What piled up comes with the second poll; the alerts are looked at before the first.
            for alert in &mut alerts {
                told.extend(press.look(alert, at).into_iter().map(|event| (hour, event.sentence)));
            }
            press.polled("a.test", at, &[Wrote::default(); 20]);
        } else if !(down..up).contains(&at) {
            press.polled("a.test", at, &vec![Wrote::default(); n]);
        }
        if hour >= 34 * 24 && !(down..up).contains(&at) {
            for alert in &mut alerts {
                told.extend(press.look(alert, at).into_iter().map(|event| (hour, event.sentence)));
            }
        }
        hour += 1;
    }
    let fell = told.iter().map(|(hour, _)| hour / 24).collect::<Vec<_>>();
    assert!(!fell.is_empty() && fell.iter().all(|day| *day >= 45), "{told:?}");
}

/// Most polls were of one outlet. When its server was down, nothing was judged, of any brand.
#[test]
fn an_outlet_with_most_of_the_polls_keeps_no_alert_from_being_judged() {
    let mut press = Press::new(&["a.test", "b.test", "c.test", "index.test"]);
    let mut unusual = alert("unusual");
    for hour in 0..36 * 24 {
        let at = T0 + hour * HOUR;
        for outlet in ["a.test", "b.test", "c.test"] {
            let n = usize::from(outlet == "a.test" && hour > 0 && (8..18).contains(&(hour % 24)));
            press.polled(outlet, at, &vec![Wrote::default(); n]);
        }
        for minute in (0..12).filter(|_| hour >= 34 * 24) {
            let at = at + minute * 5 * MINUTE;
            press.answered("index.test", at, hour < 35 * 24 || minute % 3 > 0, &[]);
        }
    }
    let at = T0 + 36 * DAY;
    press.polled("a.test", at, &[Wrote::default(); 60]);
    let told = press.sentences(&mut unusual, at + HOUR);
    assert_eq!(told.len(), 1, "{told:?}");
}

/// For four weeks after a feed got another URL nothing was held against what its outlet had brought.
#[test]
fn an_outlet_is_known_when_its_feed_has_another_url() {
    let mut press = Press::new(&["a.test"]);
    let mut rule = rule("unusual");
    rule.outlet = Some("a.test".into());
    let mut unusual = Alert::new(rule, T0);
    press.polled("a.test", T0, &[]);
    for hour in 1..36 * 24 {
        let at = T0 + hour * HOUR;
        if hour == 35 * 24 {
            let feed = press.store.feeds().unwrap().remove(0);
            assert!(press.store.remove_feed(feed.key).unwrap());
            press.follow("a.test", "feed2", at);
        }
        let n = if (8..18).contains(&(hour % 24)) { 1 } else { 0 };
        press.polled("a.test", at, &vec![Wrote::default(); n]);
        if hour >= 34 * 24 {
            assert_eq!(press.sentences(&mut unusual, at), Vec::<String>::new(), "{hour}");
        }
    }
    let at = T0 + 36 * DAY;
    press.polled("a.test", at, &[Wrote::default(); 60]);
    let told = press.sentences(&mut unusual, at + HOUR);
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("70 instead of "), "{told:?}");
    // Nor is it overlooked when it falls silent.
    for hour in 1..72 {
        press.polled("a.test", at + hour * HOUR, &[]);
    }
    let names: Vec<String> =
        silent(press.store.as_ref(), at + 72 * HOUR).unwrap().into_iter().map(|s| s.name).collect();
    assert_eq!(names, ["a.test"]);
}

/// A feed that is polled once a day was never judged.
#[test]
fn coverage_of_few_polls_looks_further_back() {
    let mut press = Press { wait: DAY, ..Press::new(&["a.test"]) };
    let (brands, outlet) = (Vec::new(), Some("a.test".into()));
    let mut lost = Alert::new(AlertRule { brands, outlet, ..rule("coverage 90") }, T0);
    let mut told = Vec::new();
    // Every second poll is missed.
    for day in [0, 2, 4, 6, 8, 10, 12] {
        let at = T0 + day * DAY;
        press.polled("a.test", at, &[]);
        told.extend(press.sentences(&mut lost, at + MINUTE).into_iter().map(|said| (day, said)));
    }
    let share = "Coverage of a.test is 50 %: 5 of 10 polls since 2026-06-09 succeeded";
    assert_eq!(told, [(10, format!("{share}; the alert is at 90 %"))]);
}

/// In India an alert on the last hour was over each midnight: nothing was held against nothing.
#[test]
fn an_hour_that_is_left_out_ends_no_alert() {
    for (zone, hours) in [("Asia/Kolkata", 1), ("Asia/Kolkata", 2), ("Europe/Berlin", 1)] {
        let mut press = Press::new(&["a.test"]);
        press.zone = jiff::tz::TimeZone::get(zone).unwrap();
        press.store.set_meta("timezone", zone.as_bytes()).unwrap();
        let within = Some(Span(hours * HOUR));
        let rule = AlertRule { brands: Vec::new(), within, ..rule("falling") };
        let mut falling = Alert::new(rule, T0);
        let silent = 36 * 24 + 15;
        let mut told = Vec::new();
        for hour in 0..silent + 12 {
            let at = T0 + hour * HOUR + MINUTE;
            let n = if hour < silent { 12 } else { 0 };
            press.polled("a.test", at, &vec![Wrote::default(); n]);
            if hour >= 35 * 24 {
                let events = press.look(&mut falling, at + MINUTE);
                told.extend(events.into_iter().map(|event| (hour - silent, event.what)));
            }
        }
        assert_eq!(told, [(hours, Happened::Fired)], "{zone}");
    }
}
