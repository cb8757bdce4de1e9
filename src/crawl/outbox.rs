//! What alerts told and nobody has taken yet. It lies in the store with the alert itself; an attempt is
//! noted before it is made, so that whatever ends the process, it is made again later, and by one process
//! at a time. Whoever is told twice knows it by the event's name.
//!
//! Must not know: why something was told, how it travels.

use crate::crawl::Engine;
use crate::deliver::{News, NotTaken, Settings};
use crate::model::*;
use crate::query;
use crate::store::{Result, Store};

use super::clock::now;

/// How often a note is tried that others overtake.
const TRIES: usize = 20;
/// Why nothing was ever sent to a target.
const UNKNOWN: &str = "the configuration names it no more";

/// One attempt that has been noted.
#[derive(Clone, Debug)]
pub struct Attempt {
    pub rule: AlertRule,
    pub event: AlertEvent,
    pub target: String,
}

/// Time until the attempt after so many.
fn pause(settings: &Settings, attempts: u32) -> Millis {
    let doubled = settings.retry.0.saturating_mul(1 << attempts.saturating_sub(1).min(20));
    doubled.min(settings.retry_max.0)
}

/// Longest time until anything is tried again: no attempt and no pause lasts longer.
fn longest(settings: &Settings, target: &str) -> Millis {
    settings.retry_max.0.max(ends(settings, target))
}

/// Time after which an attempt at a target has ended.
fn ends(settings: &Settings, target: &str) -> Millis {
    settings.longest(target).0.saturating_add(SECOND)
}

/// Is a delivery to be tried at `now`? What is to be tried later than anything can be was noted before the clock was
/// set back; by a minute later, since the clock of another process that notes it may be ahead. What has never been
/// tried waits for quiet hours alone.
fn is_due(settings: &Settings, delivery: &Delivery, now: Millis) -> bool {
    let Delivery { target, attempts, .. } = delivery;
    let late = now.saturating_add(longest(settings, target)).saturating_add(MINUTE);
    delivery.next.is_some_and(|next| *attempts == 0 || next <= now || next > late)
}

/// Notes in a delivery that an attempt begins; nobody else begins one before it has ended.
pub fn begin(settings: &Settings, delivery: &mut Delivery, now: Millis) {
    delivery.attempts += 1;
    let pause = pause(settings, delivery.attempts).max(ends(settings, &delivery.target));
    delivery.next = Some(now.saturating_add(pause));
}

/// Notes an attempt at each delivery that is due, one per target, the oldest first; not at those of `busy`, and
/// not in the quiet hours of a rule: also what was not taken before them waits until they end.
pub fn claim(engine: &Engine, busy: &dyn Fn(&str) -> bool) -> Result<Vec<Attempt>> {
    let (store, now) = (engine.store.as_ref(), now());
    let settings = engine.courier.settings();
    let mut claimed: Vec<Attempt> = Vec::new();
    for mut alert in store.alerts()? {
        if !alert.events.iter().any(AlertEvent::is_waiting) {
            continue;
        }
        let mut attempts = Vec::new();
        let mut changed = false;
        let quiet = query::is_quiet(store, &alert.rule, now)?;
        for event in &mut alert.events {
            // Somebody waits for what a test comes to.
            let held = quiet && event.what != Happened::Test;
            let due = |delivery: &Delivery| !held && is_due(settings, delivery, now);
            if !event.deliveries.iter().any(due) {
                continue;
            }
            // Earlier versions left them in what was told.
            changed |= event.forget_ended(|key| store.url(key))?;
            let old = now.saturating_sub(event.at) > settings.give_up.0;
            for n in 0..event.deliveries.len() {
                let told = event.clone();
                let Some(delivery) = event.deliveries.get_mut(n) else { continue };
                if !due(delivery) {
                    continue;
                }
                let known = engine.courier.knows(&delivery.target);
                // However old it is, what nobody could try before is tried once.
                if old && (delivery.attempts > 0 || !known) {
                    delivery.next = None;
                    let why = if known { "no answer was noted" } else { UNKNOWN };
                    delivery.error.get_or_insert_with(|| why.into());
                    changed = true;
                    continue;
                }
                let target = &delivery.target;
                let taken = |attempt: &Attempt| attempt.target == *target;
                // Another process may know a target that this one does not.
                if !known || busy(target) || claimed.iter().chain(&attempts).any(taken) {
                    continue;
                }
                let (rule, target) = (alert.rule.clone(), target.clone());
                begin(settings, delivery, now);
                changed = true;
                attempts.push(Attempt { rule, event: told, target });
            }
        }
        if changed && store.keep_alert(&alert)? {
            claimed.append(&mut attempts);
        }
    }
    Ok(claimed)
}

/// Makes an attempt and notes what came of it.
///
/// # Errors
/// The store's; that it was not taken is no error.
pub async fn attempt(engine: &std::sync::Arc<Engine>, attempt: Attempt) -> Result<()> {
    let Attempt { rule, event, target } = attempt;
    let sent = engine.courier.send(&target, News { rule: &rule, event: &event }).await;
    if let Err(NotTaken { why, .. }) = &sent {
        tracing::warn!(alert = rule.name, event = event.id, target, "not delivered: {why}");
    }
    let shared = engine.clone();
    let noted = tokio::task::spawn_blocking(move || {
        let settings = shared.courier.settings();
        note(shared.store.as_ref(), settings, (&rule.name, &event.id, &target), sent)
    });
    noted.await.unwrap_or_else(|error| {
        tracing::error!(%error, "a delivery was not noted");
        Ok(())
    })
}

/// Notes what came of an attempt at the delivery of (alert, event) to a target.
fn note(
    store: &dyn Store,
    settings: &Settings,
    (name, id, target): (&str, &str, &str),
    sent: std::result::Result<(), NotTaken>,
) -> Result<()> {
    for _ in 0..TRIES {
        let Some(mut alert) = store.alert(name)? else { return Ok(()) };
        let event = alert.events.iter_mut().find(|event| event.id == id);
        let deliveries = event.map(|event| &mut event.deliveries).into_iter().flatten();
        let Some(delivery) = deliveries.into_iter().find(|delivery| delivery.target == target)
        else {
            return Ok(());
        };
        match &sent {
            Ok(()) => {
                delivery.done = Some(now());
                (delivery.next, delivery.error) = (None, None);
                delivery.left.clear();
            }
            Err(NotTaken { why, pause: asked, left }) => {
                let asked = asked.unwrap_or(0).min(settings.retry_max.0);
                delivery.next = Some(now() + pause(settings, delivery.attempts).max(asked));
                delivery.error = Some(why.clone());
                if !left.is_empty() {
                    delivery.left.clone_from(left);
                }
            }
        }
        if store.keep_alert(&alert)? {
            return Ok(());
        }
    }
    // It is tried again when the note of the attempt runs out.
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::crawl::orders::models;
    use crate::deliver;
    use crate::store::decision::Change;

    /// One that knows the target `desk`, and its store.
    fn engine() -> (Arc<Engine>, Arc<dyn Store>) {
        let mut settings = models::tests::settings();
        settings.deliver.targets = vec![deliver::Target {
            name: "desk".into(),
            webhook: Some("http://127.0.0.1:9/".into()),
            service: None,
            mail: Vec::new(),
            secret_file: None,
        }];
        let store = crate::store::memory();
        (models::tests::engine_of(store.clone(), settings), store)
    }

    fn rule(target: &str) -> AlertRule {
        AlertRule {
            name: "a".into(),
            when: When::Unusual,
            brands: Vec::new(),
            query: None,
            outlet: None,
            language: None,
            within: None,
            to: vec![target.into()],
            quiet: None,
        }
    }

    /// Quiet hours were asked for only when something happened: what had been refused was sent amid them.
    #[test]
    fn what_is_to_be_sent_again_waits_for_the_end_of_quiet_hours() {
        let (engine, store) = engine();
        let minute = now().rem_euclid(DAY) / MINUTE;
        let clock = |minute: i64| u32::try_from(minute.rem_euclid(24 * 60)).unwrap();
        let quiet = QuietHours { from: clock(minute - 60), to: clock(minute + 60) };
        let mut alert = Alert::new(AlertRule { quiet: Some(quiet), ..rule("desk") }, now());
        for what in [Happened::Fired, Happened::Test] {
            alert.note(AlertEvent::new(now(), what, String::new()), now() - 1);
        }
        let set = |alert: &Alert| store.change(Change::Alert(alert), None).unwrap();
        assert_eq!(set(&alert), 1);
        let claimed = || {
            let attempts = claim(&engine, &|_| false).unwrap();
            attempts.iter().map(|attempt| attempt.event.what).collect::<Vec<_>>()
        };
        assert_eq!(claimed(), [Happened::Test]);
        let mut alert = store.alert("a").unwrap().unwrap();
        alert.rule.quiet = None;
        assert_eq!(set(&alert), 1);
        assert_eq!(claimed(), [Happened::Fired]);
    }

    /// When the clock was set back by a day, nothing was sent for a day. What was old and had not been tried was given
    /// up as if the configuration did not name its target.
    #[test]
    fn what_waits_too_long_is_due_and_what_is_old_is_tried_once() {
        let known = Some("HTTP status 503");
        let unknown = Some("the configuration names it no more");
        for (target, age, attempts, wait, error, claimed, given_up) in [
            ("desk", 0, 1, -1, known, true, None),
            ("desk", 0, 1, HOUR / 2, known, false, None),
            // Another process has begun it, and its clock is ahead of this one.
            ("desk", 0, 8, HOUR + SECOND, known, false, None),
            ("desk", 0, 1, DAY, known, true, None),
            ("desk", -DAY, 0, DAY, None, true, None),
            ("desk", 8 * DAY, 0, -1, None, true, None),
            ("desk", 8 * DAY, 1, -1, known, false, known),
            ("desk", 8 * DAY, 1, -1, None, false, Some("no answer was noted")),
            ("gone", 0, 0, -1, None, false, None),
            ("gone", 8 * DAY, 0, -1, None, false, unknown),
        ] {
            let (engine, store) = engine();
            let mut alert = Alert::new(rule(target), now());
            let at = now() - age;
            alert.note(AlertEvent::new(at, Happened::Fired, String::new()), now());
            let delivery = &mut alert.events[0].deliveries[0];
            (delivery.attempts, delivery.next) = (attempts, Some(now() + wait));
            delivery.error = error.map(str::to_owned);
            store.change(Change::Alert(&alert), None).unwrap();
            let case = format!("{target}, {age} old, {attempts} attempts, {wait} to wait");
            assert_eq!(claim(&engine, &|_| false).unwrap().len(), usize::from(claimed), "{case}");
            let alert = store.alert("a").unwrap().unwrap();
            let delivery = &alert.events[0].deliveries[0];
            assert_eq!(delivery.attempts, attempts + u32::from(claimed), "{case}");
            assert_eq!(delivery.next.is_none(), given_up.is_some(), "{case}");
            if given_up.is_some() {
                assert_eq!(delivery.error.as_deref(), given_up, "{case}");
            }
        }
    }

    /// Chat services say when they take something again; nobody read it.
    #[test]
    fn a_target_may_ask_for_a_pause() {
        let settings = Settings::default();
        for (asked, pause) in [
            (None, 30 * SECOND),
            (Some(SECOND), 30 * SECOND),
            (Some(600 * SECOND), 600 * SECOND),
            (Some(DAY), HOUR),
        ] {
            let store = crate::store::memory();
            let mut alert = Alert::new(rule("desk"), now());
            alert.note(AlertEvent::new(now(), Happened::Fired, String::new()), now());
            alert.events[0].deliveries[0].attempts = 1;
            store.change(Change::Alert(&alert), None).unwrap();
            let (id, began) = (&alert.events[0].id, now());
            let left = vec!["gone@a.test".to_owned()];
            let sent = Err(NotTaken { why: "later".into(), pause: asked, left: left.clone() });
            note(store.as_ref(), &settings, ("a", id, "desk"), sent).unwrap();
            let alert = store.alert("a").unwrap().unwrap();
            let delivery = &alert.events[0].deliveries[0];
            let next = delivery.next.unwrap();
            assert!((began + pause..=now() + pause).contains(&next), "{asked:?}: {next}");
            assert_eq!(delivery.left, left);
        }
    }

    #[test]
    fn pauses_double_up_to_the_longest() {
        let settings = Settings::default();
        let pauses: Vec<Millis> = (1..10).map(|n| pause(&settings, n) / SECOND).collect();
        assert_eq!(pauses, [30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
        assert_eq!(pause(&settings, u32::MAX), 3_600 * SECOND);
    }
}
