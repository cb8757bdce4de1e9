//! Random claims, returns, pauses and passing time, against a model that looks at every pace key
//! each time.

use proptest::prelude::*;

use super::build::*;
use crate::model::*;
use crate::store::*;

const KEYS: usize = 6;

#[derive(Clone, Debug)]
enum Step {
    Pass(Millis),
    Claim(usize),
    /// For a commit without a request.
    Hold(usize),
    /// The lease given so many leases ago, with the next request so much later.
    Complete(usize, Millis),
    Extend(usize, Millis),
    Block(usize, Millis),
    /// The clock is set.
    Shift(Millis),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0i64..30_000).prop_map(Step::Pass),
        (1usize..4).prop_map(Step::Claim),
        (0..KEYS).prop_map(Step::Hold),
        (0usize..4, 0i64..20_000).prop_map(|(n, ms)| Step::Complete(n, ms)),
        (0usize..4, 0i64..90_000).prop_map(|(n, ms)| Step::Extend(n, ms)),
        (0..KEYS, -5_000i64..50_000).prop_map(|(key, ms)| Step::Block(key, ms)),
        (-100_000i64..100_000).prop_map(Step::Shift),
    ]
}

#[derive(Default)]
struct Key {
    name: String,
    task: Millis,
    next_at: Millis,
    blocked_until: Millis,
    /// Until when the operator has paused it, whatever the clock says.
    ordered: Option<Millis>,
    until: Option<Millis>,
    epoch: u64,
}

impl Key {
    fn due(&self) -> Millis {
        self.task.max(self.next_at).max(self.blocked_until)
    }
    fn held_by(&self, lease: &Lease) -> bool {
        self.name == lease.pace_key && self.epoch == lease.epoch && self.until.is_some()
    }
}

fn run(store: &dyn Store, steps: &[Step]) {
    let mut keys = Vec::new();
    for n in 0..KEYS {
        let name = format!("{n}.test");
        let mut feed = feed(n as u32, &name);
        feed.poll.next = T0 + 7_000 * n as Millis;
        keys.push(Key { name, task: feed.poll.next, ..Key::default() });
        store.add_feeds(&[feed]).unwrap();
    }
    let mut now = T0;
    let mut given: Vec<Lease> = Vec::new();
    for step in steps {
        match step {
            Step::Pass(ms) => now += ms,
            Step::Claim(n) => {
                for key in &mut keys {
                    key.until = key.until.filter(|until| *until > now);
                }
                let mut due: Vec<&mut Key> =
                    keys.iter_mut().filter(|k| k.until.is_none() && k.due() <= now).collect();
                due.sort_by(|a, b| (a.due(), &a.name).cmp(&(b.due(), &b.name)));
                due.truncate(*n);
                let leases = store.claim(&Claim { keys: *n, ..claim(now) }).unwrap();
                for key in &mut due {
                    key.epoch += 1;
                    key.until = Some(now + MINUTE);
                    key.next_at = key.next_at.max(now);
                }
                let expected: Vec<_> = due.iter().map(|k| (&*k.name, k.epoch)).collect();
                let found: Vec<_> = leases.iter().map(|l| (&*l.pace_key, l.epoch)).collect();
                assert_eq!(found, expected);
                given.extend(leases);
            }
            Step::Hold(n) => {
                for key in &mut keys {
                    key.until = key.until.filter(|until| *until > now);
                }
                let key = &mut keys[*n];
                let lease = store.claim_for_commit(&claim(now), &key.name).unwrap();
                assert_eq!(lease.is_some(), key.until.is_none());
                if let Some(lease) = lease {
                    key.epoch += 1;
                    key.until = Some(now + MINUTE);
                    assert_eq!((lease.epoch, lease.pace.next_at), (key.epoch, key.next_at));
                    given.push(lease);
                }
            }
            Step::Complete(n, ms) => {
                let Some(lease) = given.iter().rev().nth(*n) else { continue };
                let pace = Pace { next_at: now + ms, ..lease.pace.clone() };
                let key = keys.iter_mut().find(|k| k.held_by(lease));
                assert_eq!(store.complete(lease, &pace).unwrap(), key.is_some());
                if let Some(key) = key {
                    key.until = None;
                    key.next_at = pace.next_at;
                    key.blocked_until = key.blocked_until.max(pace.blocked_until);
                }
            }
            Step::Extend(n, ms) => {
                let Some(lease) = given.iter().rev().nth(*n) else { continue };
                let key = keys.iter_mut().find(|k| k.held_by(lease));
                assert_eq!(store.extend(lease, now + ms).unwrap(), key.is_some());
                if let Some(key) = key {
                    key.until = Some(now + ms);
                }
            }
            Step::Block(n, ms) => {
                pause_until(store, &keys[*n].name, now + ms);
                keys[*n].blocked_until = now + ms;
                keys[*n].ordered = Some(now + ms);
            }
            Step::Shift(ms) => {
                now += ms;
                store.shift(*ms).unwrap();
                for key in &mut keys {
                    let ever = |at: &&mut Millis| **at > 0;
                    key.task += ms;
                    let own = key.ordered != Some(key.blocked_until);
                    [Some(&mut key.next_at), own.then_some(&mut key.blocked_until)]
                        .into_iter()
                        .flatten()
                        .chain(key.until.as_mut())
                        .filter(ever)
                        .for_each(|at| *at += ms);
                }
            }
        }
        let next = keys.iter().map(|k| k.due().max(k.until.unwrap_or(0))).min();
        let leased = keys.iter().filter(|k| k.until.is_some()).count() as u64;
        assert_eq!(store.due().unwrap(), Due { next, pending: 0, leased });
    }
    clean(store);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn claims_are_those_of_the_model(steps in proptest::collection::vec(step(), 1..60)) {
        run(&*memory(), &steps);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]
    /// A shared database's schedule does not follow the clock of one machine.
    #[test]
    fn claims_of_a_database_are_those_of_the_model(
        steps in proptest::collection::vec(step(), 1..60)
    ) {
        let shifted = |step: &Step| matches!(step, Step::Shift(_));
        let steps: Vec<Step> = steps.into_iter().filter(|step| !shifted(step)).collect();
        run(&super::postgres::fresh(), &steps);
    }
}
