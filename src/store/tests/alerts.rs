//! Alerts: each store keeps the same of them, and of two who change one the second is told.

use super::build::*;
use super::decisions::decision;
use crate::model::*;
use crate::store::decision::{Change, Topic};
use crate::store::*;

suite! {
    an_alert_is_kept_changed_and_removed
}

pub fn alert(name: &str) -> Alert {
    let rule = AlertRule {
        name: name.to_owned(),
        when: When::AtLeast(3),
        brands: vec!["Acme".to_owned()],
        query: None,
        outlet: None,
        language: Some("en".to_owned()),
        within: Some(Span(6 * HOUR)),
        to: vec!["desk".to_owned()],
        quiet: Some("22:00-07:00".parse().unwrap()),
    };
    let mut alert = Alert::new(rule, T0);
    let mut event = AlertEvent::new(T0, Happened::Fired, "31 instead of 6 to 14".to_owned());
    event.usual = Some((6, 14));
    alert.note(event, T0);
    alert.state.told.insert(id(11), day(18));
    alert
}

fn an_alert_is_kept_changed_and_removed(store: &dyn Store) {
    let [one, two] = ["b", "a"].map(alert);
    let said = decision(1, Topic::Alert);
    assert_eq!(store.change(Change::Alert(&one), Some(&said)).unwrap(), 1);
    assert!(store.keep_alert(&two).unwrap());
    let names = || -> Vec<String> {
        store.alerts().unwrap().into_iter().map(|alert| alert.rule.name).collect()
    };
    assert_eq!(names(), ["a", "b"]);
    let kept = store.alert("b").unwrap().unwrap();
    assert_eq!(kept, Alert { revision: 1, ..one.clone() });
    // Somebody else was faster.
    assert!(!store.keep_alert(&one).unwrap());
    assert_eq!(store.change(Change::Alert(&one), Some(&said)).unwrap(), 0);
    let over = Alert { last: 7, ..kept };
    assert!(store.keep_alert(&over).unwrap());
    assert!(!store.keep_alert(&over).unwrap());
    assert_eq!(store.alert("b").unwrap().map(|alert| (alert.revision, alert.last)), Some((2, 7)));
    let gone = decision(2, Topic::Alert);
    assert_eq!(store.change(Change::AlertRemoved("b"), Some(&gone)).unwrap(), 1);
    assert_eq!(store.change(Change::AlertRemoved("b"), Some(&gone)).unwrap(), 0);
    assert_eq!((store.alert("b").unwrap(), names()), (None, vec!["a".to_owned()]));
    // Made, and removed: what had no effect is not noted.
    let mut noted = 0;
    store
        .decisions(Some(Topic::Alert), &mut |_| {
            noted += 1;
            true
        })
        .unwrap();
    assert_eq!(noted, 2);
    clean(store);
}
