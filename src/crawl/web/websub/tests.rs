use super::*;

#[test]
fn a_hub_is_asked_again_before_its_lease_ends_and_ever_more_rarely_when_it_is_silent() {
    let mut one = Subscription::new("https://hub.test/", "https://a.test/feed").unwrap();
    assert_eq!(one.token.len(), 32);
    assert_ne!(one.token, one.secret);
    let lease = 10 * DAY;
    assert_eq!(one.due(lease), Millis::MIN);
    one.asked = Some(0);
    let waits: Vec<Millis> =
        (1..8).map(|attempts| Subscription { attempts, ..one.clone() }.due(lease) / HOUR).collect();
    assert_eq!(waits, [2, 4, 8, 16, 24, 24, 24]);
    one.until = Some(lease);
    one.granted = Some(lease);
    assert_eq!(one.due(lease), 8 * DAY);
    // Asked for a renewal and not answered yet.
    one.asked = Some(8 * DAY);
    one.attempts = 1;
    assert_eq!(one.due(lease), 8 * DAY + 2 * HOUR);
}

#[test]
fn a_short_lease_is_renewed_before_its_own_end_and_never_asked_for_twice_an_hour() {
    let mut one = Subscription::new("https://hub.test/", "https://a.test/feed").unwrap();
    one.asked = Some(0);
    for (granted, due) in [(DAY, DAY / 5 * 4), (2 * HOUR, 96 * MINUTE), (10 * SECOND, HOUR)] {
        one.until = Some(granted);
        one.granted = Some(granted);
        assert_eq!(one.due(10 * DAY), due, "{granted}");
    }
    // As it was stored before the lease's length was.
    let mut old = serde_json::to_value(&one).unwrap();
    old.as_object_mut().unwrap().remove("granted");
    let old: Subscription = serde_json::from_value(old).unwrap();
    assert_eq!((old.until, old.granted, old.due(10 * DAY)), (one.until, None, HOUR));
}

#[test]
fn a_hub_that_pushes_too_fast_is_told_to_come_again_and_noted() {
    let websub = Websub::default();
    let (feed, other) = (UrlKey(1), UrlKey(2));
    let one = Subscription::new("https://hub.test/", "https://a.test/feed").unwrap();
    websub.known.write().unwrap().insert(feed, one);
    let turns = |feed, at| (0..100).filter(|_| websub.has_turn(feed, at)).count();
    let day = 20_000 * DAY;
    assert_eq!(turns(feed, day), 10);
    assert_eq!(turns(other, day), 10, "each feed has turns of its own");
    assert_eq!(turns(feed, day + 5 * SECOND), 0);
    assert_eq!(turns(feed, day + 30 * SECOND), 3);
    assert_eq!(turns(feed, day - HOUR), 0, "a clock that was set gives nothing");
    let pushes = websub.of(feed).unwrap().pushes;
    assert_eq!((pushes.day, pushes.refused), (19_999, 100));
    assert_eq!(turns(feed, day + HOUR), 10);
    assert_eq!(websub.of(feed).unwrap().pushes.refused, 90, "of that day");
}

/// A feed that named another hub at each poll had it asked at each: a request to any address, for which all other hubs
/// waited.
#[test]
fn another_hub_of_a_feed_is_asked_no_sooner() {
    let (websub, store) = (Websub::default(), crate::store::memory());
    let (feed, lease) = (UrlKey(1), 10 * DAY);
    let wish = |hub: &str| websub.wish(store.as_ref(), feed, hub, "https://a.test/feed").unwrap();
    wish("https://hub.test/1");
    let mut first = websub.of(feed).unwrap();
    assert_eq!(first.due(lease), Millis::MIN);
    (first.asked, first.attempts, first.pushes.believed) = (Some(0), 3, 7);
    (first.until, first.error) = (Some(lease), Some("denied".to_owned()));
    websub.put(store.as_ref(), feed, first.clone()).unwrap();
    wish("https://hub.test/2");
    let second = websub.of(feed).unwrap();
    assert_eq!((second.hub.as_str(), second.due(lease)), ("https://hub.test/2", 8 * HOUR));
    assert_eq!((second.until, &second.error, second.pushes.believed), (None, &None, 7));
    assert!(second.token != first.token && second.secret != first.secret);
}

#[test]
fn what_runs_out_is_asked_for_before_what_is_new() {
    let websub = Websub::default();
    let known = |feed: u128, asked, until| {
        let new = Subscription::new("https://hub.test/", "https://a.test/feed").unwrap();
        let one = Subscription { asked, until, granted: until, ..new };
        websub.known.write().unwrap().insert(UrlKey(feed), one);
    };
    let next = |now| websub.due(10 * DAY, now).map(|(feed, _)| feed.0);
    known(1, None, None);
    known(2, Some(0), Some(10 * DAY));
    known(3, Some(0), Some(9 * DAY));
    assert_eq!(next(DAY), Some(1));
    assert_eq!(next(9 * DAY), Some(3));
    known(3, Some(9 * DAY), Some(19 * DAY));
    assert_eq!(next(9 * DAY), Some(2));
    known(2, Some(9 * DAY), Some(19 * DAY));
    assert_eq!(next(9 * DAY), Some(1));
    known(1, Some(9 * DAY), None);
    assert_eq!(next(9 * DAY), None);
}
