use super::*;
use crate::frontier::address;
use crate::store::transfer::Item;

const T0: Millis = 1_795_000_000_000;

fn at(url: &str) -> Address {
    address(url, None).unwrap()
}

fn seed(url: &str) -> Feed {
    new_feed(&at(url), T0)
}

fn entries(urls: &[&str]) -> Vec<UrlRecord> {
    urls.iter()
        .map(|url| {
            let at = at(url);
            UrlRecord {
                key: at.key,
                canonical: at.canonical,
                outlet: at.outlet,
                pace_key: at.pace_key,
                feed: UrlKey(1),
                entry: Entry {
                    url: (*url).to_owned(),
                    title: Some("A title".to_owned()),
                    ..Entry::default()
                },
                first_seen: T0,
                arrival: Day::constant(2026, 11, 18),
                backlog: false,
                outcome: Outcome::Pending,
                attempts: 0,
                next: T0,
                last_error: None,
                chain: Vec::new(),
                foreign: false,
                sight: Sight::Unnoted,
                arrived: Arrived::Seen,
            }
        })
        .collect()
}

fn learned(feed: &str, own: &[&str], urls: &[&str]) -> Option<String> {
    let store = crate::store::memory();
    store.add_feeds(&own.iter().map(|url| seed(url)).collect::<Vec<_>>()).unwrap();
    let mut feed = seed(feed);
    learn(&Voices::default(), store.as_ref(), &mut feed, &entries(urls), T0).unwrap();
    feed.provenance.speaks_for
}

#[test]
fn a_feed_speaks_for_the_outlet_of_most_of_its_entries() {
    let paper = ["https://www.paper.test/1", "https://paper.test/2", "https://paper.test/3"];
    let hosted = "https://hosting.test/paper.xml";
    assert_eq!(learned(hosted, &[], &paper).as_deref(), Some("paper.test"));
    assert_eq!(learned(hosted, &["https://paper.test/feed"], &paper), None, "it has its own");
    assert_eq!(learned("https://paper.test/feed", &[], &paper), None, "its own outlet");
    assert_eq!(learned(hosted, &[], &paper[..2]), None, "too few");
    let mixed = ["https://a.test/1", "https://b.test/1", "https://c.test/1", "https://d.test/1"];
    assert_eq!(learned(hosted, &[], &mixed), None, "of nobody's most");
}

#[test]
fn hearsay_keeps_the_address_only() {
    let mut all = entries(&["http://b.test/1?utm_source=a&x=1", "https://a.test/2"]);
    let feed = seed("https://a.test/feed");
    all.iter_mut().for_each(|entry| mark_foreign(&feed, entry));
    assert!(all[0].foreign && all[0].entry.title.is_none());
    assert_eq!(all[0].entry.url, all[0].canonical.replace("https:", "http:"));
    assert!(!all[1].foreign && all[1].entry.title.is_some());
}

/// Of sitemaps that all bring news.
fn taken(feed: &mut Feed, listed: &[Address], now: Millis) -> Vec<Feed> {
    take_children(feed, listed, 0, now, &|_| true)
}

/// An index of an archive was followed from its front, and the sitemap of the day was never read.
#[test]
fn what_brings_no_news_leaves_its_place() {
    let mut index = seed("https://a.test/sitemap.xml");
    let list = |range: std::ops::Range<usize>| -> Vec<Address> {
        range.map(|n| at(&format!("https://a.test/{n}.xml"))).collect()
    };
    let all = list(0..700);
    let (first, rest) = all.split_at(MOST_CHILDREN);
    let new = taken(&mut index, &all, T0);
    assert_eq!(new.iter().map(|feed| feed.key).collect::<Vec<_>>(), keys(first));
    assert_eq!(index.provenance.not_followed, 200);
    assert!(taken(&mut index, &all, T0 + HOUR).is_empty(), "all of them may bring news");
    // All but ten have shown that they bring none; five more were not read of the index.
    let busy = keys(&first[..10]);
    let new = take_children(&mut index, &all, 5, T0 + DAY, &|key| busy.contains(&key));
    assert_eq!(new.iter().map(|feed| feed.key).collect::<Vec<_>>(), keys(rest));
    assert_eq!(index.provenance.not_followed, 5);
    assert_eq!(index.provenance.children.len(), 700, "they are polled, now and then");
    // Whatever an index lists, so many at most.
    for poll in 0..9 {
        let others = list(10_000 * poll..10_000 * poll + 1_000);
        take_children(&mut index, &others, 0, T0 + 2 * DAY, &|_| false);
    }
    assert_eq!(index.provenance.children.len(), MOST_KNOWN);
}

fn keys(of: &[Address]) -> Vec<UrlKey> {
    of.iter().map(|at| at.key).collect()
}

#[test]
fn what_a_sitemap_has_shown() {
    let child = |url: &str, format, polled: bool, interval, recent: &[UrlKey]| {
        let mut feed = seed(url);
        feed.added = T0;
        feed.provenance.parent = Some(UrlKey(1));
        feed.format = Some(format);
        feed.poll.successes = polled.into();
        (feed.poll.interval, feed.poll.recent) = (interval, recent.to_vec());
        feed
    };
    let check = |feed: Feed, news: bool, plain: bool| {
        let said = (brings_news(&feed, DAY, T0 + HOUR), is_plain(&feed, T0 + HOUR));
        assert_eq!(said, (news, plain), "{}", feed.url);
        // A name says nothing for ever, nor does what was never read.
        let late = T0 + WITHOUT_NEWS;
        let never = feed.format.is_none() || feed.format == Some(FeedFormat::Sitemap);
        assert_eq!(
            is_plain(&feed, late),
            never && feed.provenance.parent.is_some(),
            "{}",
            feed.url
        );
        assert_eq!(brings_news(&feed, DAY, late), news && !never, "{}", feed.url);
    };
    let (plain, news) = (FeedFormat::Sitemap, FeedFormat::NewsSitemap);
    let some = [UrlKey(7)];
    check(child("https://a.test/posts-1.xml", plain, true, HOUR, &[]), false, true);
    check(child("https://a.test/not-read-yet.xml", plain, false, 0, &[]), true, true);
    check(child("https://a.test/news.xml", plain, true, DAY, &[]), true, false);
    check(child("https://news.test/posts-1.xml", plain, true, DAY, &[]), false, true);
    check(child("https://a.test/today.xml", news, true, HOUR, &some), true, false);
    check(child("https://a.test/2019.xml", news, true, DAY, &some), false, false);
    let mut own = child("https://a.test/own.xml", plain, true, DAY, &[]);
    own.provenance.parent = None;
    assert!(!is_plain(&own, T0 + HOUR));
}

#[test]
fn an_index_brings_so_many_sitemaps_of_its_own_outlet() {
    let mut index = seed("https://a.test/sitemap.xml");
    let list = |from: usize, n: usize| -> Vec<Address> {
        (from..from + n).map(|n| at(&format!("https://a.test/{n}.xml"))).collect()
    };
    let mut listed = list(0, 3);
    listed.push(at("https://b.test/1.xml"));
    let new = taken(&mut index, &listed, T0);
    assert_eq!(
        new.iter().map(|feed| feed.url.as_str()).collect::<Vec<_>>(),
        ["https://a.test/0.xml", "https://a.test/1.xml", "https://a.test/2.xml"]
    );
    assert!(new.iter().all(|feed| feed.provenance.parent == Some(index.key)));
    assert_eq!(index.provenance.not_followed, 1);
    assert!(taken(&mut index, &listed, T0 + DAY).is_empty());
    // Others at every poll, for weeks.
    let mut followed = 3;
    for poll in 1..200 {
        let new = taken(&mut index, &list(1_000 * poll, 1_000), T0 + poll as i64 * HOUR);
        followed += new.len();
    }
    assert_eq!((followed, index.provenance.children.len()), (MOST_CHILDREN, MOST_CHILDREN));
    assert_eq!(index.provenance.not_followed, 1_000);
    // What it does not list any more makes room.
    let later = T0 + 40 * DAY;
    assert_eq!(taken(&mut index, &list(0, 10), later).len(), 7, "three were known");
    assert_eq!(index.provenance.children.len(), 10);
    // What it brought brings nothing.
    let mut child = new[0].clone();
    assert!(taken(&mut child, &list(5_000, 3), T0).is_empty());
    assert_eq!(child.provenance.not_followed, 3);
    index.format = Some(FeedFormat::SitemapIndex);
    assert_eq!(orphaned(Some(&index), &child), None, "listed");
    taken(&mut index, &[], later + 40 * DAY);
    assert!(orphaned(Some(&index), &child).unwrap().contains("does not list it any more"));
    assert!(orphaned(None, &child).is_some());
    assert_eq!(orphaned(None, &index), None);
}

#[test]
fn a_redirect_leads_to_another_outlet_once_and_on_trial() {
    let feed = seed("https://a.test/feed");
    let there = heir(&feed, &at("https://hosting.test/a.xml"), T0).unwrap();
    assert_eq!(there.provenance.parent, Some(feed.key));
    assert!(there.speaks_for("a.test"));
    // Whoever is there has not said that a feed is.
    assert_eq!((there.account(), there.is_on_trial()), ("a.test", true));
    let its = entries(&["https://a.test/1", "https://a.test/2", "https://a.test/3"]);
    assert_eq!(unconfirmed(Some(&feed), &there, &its), None);
    let others = entries(&["https://hosting.test/1", "https://hosting.test/2", "https://b.test/3"]);
    let why = unconfirmed(Some(&feed), &there, &others[..2]);
    assert_eq!(why, None, "too few tell nothing");
    let others = [others, entries(&["https://hosting.test/4"])].concat();
    assert!(unconfirmed(Some(&feed), &there, &others).unwrap().contains("of hosting.test"));
    assert!(heir(&there, &at("https://b.test/feed"), T0).unwrap_err().contains("another outlet"));
    let home = heir(&there, &at("https://a.test/new"), T0).unwrap();
    assert_eq!(home.provenance.parent, Some(feed.key));
    let near = heir(&feed, &at("https://feeds.a.test/feed"), T0).unwrap();
    assert!(!near.is_on_trial());
    assert_eq!((near.provenance.parent, near.provenance.speaks_for), (Some(feed.key), None));
}

#[test]
fn what_a_redirect_brought_is_asked_as_long_as_it_leads_there() {
    let mut feed = seed("https://a.test/feed");
    let there = heir(&feed, &at("https://b.test/feed?sig=1"), T0).unwrap();
    let held = stand_in(&feed, there.clone());
    assert_eq!((held.provenance.parent, held.url.as_str()), (Some(feed.key), there.url.as_str()));
    assert!(held.key != there.key && held.key != feed.key);
    feed.provenance.stand_in = Some(held.key);
    assert_eq!(orphaned(Some(&feed), &held), None);
    feed.provenance.stand_in = None;
    assert!(orphaned(Some(&feed), &held).unwrap().contains("does not lead here any more"));
    // A move that was none.
    feed.poll.moving_to = Some(there.url.clone());
    (feed.poll.last, feed.poll.last_body) = (Some(T0), Some(T0));
    assert_eq!(orphaned(Some(&feed), &there), None);
    feed.poll.moving_to = None;
    assert!(orphaned(Some(&feed), &there).unwrap().contains("does not lead here any more"));
    let mut read = there.clone();
    read.poll.body_hash = Some(7);
    assert_eq!(orphaned(Some(&feed), &read), None, "it may be right for all we know");
    feed.poll.last = Some(T0 + 1);
    assert_eq!(orphaned(Some(&feed), &there), None, "the feed itself fails");
}

#[test]
fn an_index_of_sitemaps_may_move() {
    let mut index = seed("https://a.test/sitemap.xml");
    index.format = Some(FeedFormat::SitemapIndex);
    let there = heir(&index, &at("https://maps.a.test/all.xml"), T0).unwrap();
    index.poll.moved_to = Some(there.url.clone());
    assert_eq!(orphaned(Some(&index), &there), None);
}

#[test]
fn the_operator_says_for_whom_a_feed_speaks() {
    use crate::crawl::orders::outlets::{Voice, give_voice};
    use crate::store::decision::Who;
    let store = crate::store::memory();
    let paper = ["https://paper.test/1", "https://paper.test/2", "https://paper.test/3"];
    let hosted = seed("https://hosting.test/paper.xml");
    store.add_feeds(std::slice::from_ref(&hosted)).unwrap();
    let who = Who::program();
    let say = |voice| give_voice(store.as_ref(), &who, hosted.clone(), voice).unwrap();
    let learned = |mut feed: Feed| {
        let voices = Voices::default();
        learn(&voices, store.as_ref(), &mut feed, &entries(&paper), T0).unwrap();
        feed.provenance.speaks_for
    };
    assert_eq!(learned(say(Voice::Own)), None);
    let other = Voice::Also("https://www.other.test/x".to_owned());
    assert_eq!(learned(say(other)).as_deref(), Some("other.test"));
    let stored = store.feed(hosted.key).unwrap().unwrap();
    assert!(stored.speaks_for("other.test") && !stored.speaks_for("paper.test"));
    assert_eq!(learned(say(Voice::Learned)).as_deref(), Some("paper.test"));
    assert!(give_voice(store.as_ref(), &who, hosted, Voice::Also("??".to_owned())).is_err());
}

#[test]
fn for_whom_older_feeds_speak_is_derived_from_what_they_brought() {
    let paper = entries(&["https://paper.test/1", "https://paper.test/2", "https://paper.test/3"]);
    let mut old = seed("https://hosting.test/paper.xml");
    old.poll.successes = 7;
    old.poll.recent = paper.iter().map(|entry| entry.key).collect();
    let new = Feed {
        poll: PollState { successes: 0, ..old.poll.clone() },
        ..seed("https://hosting.test/new.xml")
    };
    let mut items = paper.into_iter().map(|entry| Ok(Item::Entry(Box::new(entry))));
    let to = crate::store::memory();
    let feeds = [&old, &new].map(|feed| Ok(Item::Feed(Box::new(feed.clone()))));
    to.import(&mut feeds.into_iter().chain(&mut items)).unwrap();
    derive(&Voices::default(), to.as_ref(), T0).unwrap();
    let voice = |feed: &Feed| to.feed(feed.key).unwrap().unwrap().provenance.speaks_for;
    assert_eq!((voice(&old).as_deref(), voice(&new)), (Some("paper.test"), None));
}
