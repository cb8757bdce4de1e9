//! What alerts told and nobody has taken yet. It lies in the store with the alert itself; an attempt is
//! noted before it is made, so that whatever ends the process, it is made again later, and by one process
//! at a time. Whoever is told twice knows it by the event's name.
//!
//! Must not know: why something was told, how it travels.

use crate::crawl::Engine;
use crate::deliver::{News, Settings};
use crate::model::*;
use crate::query;
use crate::store::{Result, Store};

use super::clock::now;

/// How often a note is tried that others overtake.
const TRIES: usize = 20;

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
            let due = |delivery: &Delivery| !held && delivery.next.is_some_and(|next| next <= now);
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
                if old {
                    delivery.next = None;
                    delivery
                        .error
                        .get_or_insert_with(|| "the configuration names it no more".into());
                    changed = true;
                    continue;
                }
                let target = &delivery.target;
                let taken = |attempt: &Attempt| attempt.target == *target;
                // Another process may know a target that this one does not.
                if !engine.courier.knows(target)
                    || busy(target)
                    || claimed.iter().chain(&attempts).any(taken)
                {
                    continue;
                }
                delivery.attempts += 1;
                // Nobody else begins before this attempt has ended.
                let ends = settings.deadline.0 + SECOND;
                delivery.next = Some(now + pause(settings, delivery.attempts).max(ends));
                changed = true;
                let (rule, target) = (alert.rule.clone(), target.clone());
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
    if let Err(why) = &sent {
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
    sent: std::result::Result<(), String>,
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
            }
            Err(why) => {
                delivery.next = Some(now() + pause(settings, delivery.attempts));
                delivery.error = Some(why.clone());
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
    use super::*;
    use crate::crawl::orders::models;
    use crate::deliver;
    use crate::store::decision::Change;

    /// Quiet hours were asked for only when something happened: what had been refused was sent amid them.
    #[test]
    fn what_is_to_be_sent_again_waits_for_the_end_of_quiet_hours() {
        let mut settings = models::tests::settings();
        settings.deliver.targets = vec![deliver::Target {
            name: "desk".into(),
            webhook: Some("http://127.0.0.1:9/".into()),
            service: None,
            mail: Vec::new(),
            secret_file: None,
        }];
        let store = crate::store::memory();
        let engine = models::tests::engine_of(store.clone(), settings);
        let minute = now().rem_euclid(DAY) / MINUTE;
        let clock = |minute: i64| u32::try_from(minute.rem_euclid(24 * 60)).unwrap();
        let quiet = QuietHours { from: clock(minute - 60), to: clock(minute + 60) };
        let rule = AlertRule {
            name: "a".into(),
            when: When::Unusual,
            brands: Vec::new(),
            query: None,
            outlet: None,
            language: None,
            within: None,
            to: vec!["desk".into()],
            quiet: Some(quiet),
        };
        let mut alert = Alert::new(rule, now());
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

    #[test]
    fn pauses_double_up_to_the_longest() {
        let settings = Settings::default();
        let pauses: Vec<Millis> = (1..10).map(|n| pause(&settings, n) / SECOND).collect();
        assert_eq!(pauses, [30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
        assert_eq!(pause(&settings, u32::MAX), 3_600 * SECOND);
    }
}
