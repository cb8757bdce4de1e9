//! Contention for leases of a shared store, simulated: 1 to 1,000 workers ask one database for pace
//! keys whose work is spread as Zipf's law has it, by the rules of `crawl::run::dispatch` and of
//! `deploy/sql`. What a statement takes are the measured figures of docs/measurements/scale.md. The
//! same numbers each time: no clock is read, chance is seeded.
//!
//! Arguments: claim, key, question, return, turn, page: microseconds that a claim takes, each key of
//! it, the question for the next due one, a return, a commit, and each page in it.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

type Micros = u64;
const MILLI: Micros = 1_000;
const SECOND: Micros = 1_000_000;

/// Pace keys, and the exponent that their work falls by.
const KEYS: usize = 50_000;
const ZIPF: f64 = 1.0;
/// New pages a second, over all pace keys; each key is polled once an hour.
const PAGES: f64 = 40.0;
const HOUR: Micros = 3_600 * SECOND;
/// What is simulated, and from when on it is measured: the start is a crowd.
const UNTIL: Micros = 900 * SECOND;
const FROM: Micros = 300 * SECOND;

/// The shipped settings: delay of a pace key, pages of a lease.
const DELAY: Micros = SECOND;
const DRAIN: u32 = 8;
/// A page takes so long, at least and on average more.
const PAGE: (Micros, f64) = (100 * MILLI, 300_000.0);
/// As `crawl::run::dispatch` and `store::postgres` have it.
const IDLE: Micros = 500 * MILLI;
const JITTER: Micros = 128 * MILLI;
const TAKEN: Micros = 10 * MILLI;
const MOST_PATIENCE: u32 = 4;
const MARGIN: Micros = 500 * MILLI;
/// Statements that the database works on at a time.
const CORES: usize = 2;
/// A claim passes over a row that another one has just locked.
const PASS: Micros = 5;

/// What statements take.
#[derive(Clone, Copy)]
struct Costs {
    claim: Micros,
    key: Micros,
    question: Micros,
    give_back: Micros,
    turn: Micros,
    page: Micros,
}

#[derive(Clone, Copy)]
enum Event {
    Poll(usize),
    /// The worker's pause is over, if it is still the one of this number.
    Wake(usize, u64),
    /// A statement has been answered.
    Answered(Statement),
    Fetched {
        worker: usize,
        key: usize,
        left: u32,
    },
    /// The commit of so many pages is durable.
    Committed,
}

#[derive(Clone, Copy)]
enum Statement {
    Claim(usize),
    Return { worker: usize, key: usize },
}

#[derive(Clone, Default)]
struct Key {
    mean: f64,
    tasks: u32,
    next_at: Micros,
    last_owner: Option<usize>,
    leased: bool,
    since: Micros,
}

#[derive(Clone, Default)]
struct Worker {
    free: usize,
    /// Number of its pause; a claim under way has none.
    pause: u64,
    pausing: bool,
    leases: usize,
    /// Questions in a row that found nothing while it had no lease.
    patience: u32,
    idle_since: Micros,
    idle: Micros,
    pages: u64,
}

struct Simulation {
    costs: Costs,
    random: Pcg64Mcg,
    now: Micros,
    number: u64,
    events: BinaryHeap<Reverse<(Micros, u64, usize)>>,
    what: Vec<Event>,
    keys: Vec<Key>,
    due: BTreeSet<(Micros, usize)>,
    workers: Vec<Worker>,
    /// Keys of claims that are being worked on, by worker.
    given: Vec<Vec<usize>>,
    waiting: VecDeque<Statement>,
    busy: usize,
    turn: VecDeque<(usize, usize, u32)>,
    committing: Vec<(usize, usize, u32)>,
    claims: u64,
    empty: u64,
    leases: u64,
    pages: u64,
    database: Micros,
    turns: Micros,
    waits: Vec<Micros>,
}

impl Simulation {
    fn new(workers: usize, slots: usize, costs: Costs) -> Simulation {
        let sum: f64 = (1..=KEYS).map(|n| (n as f64).powf(-ZIPF)).sum();
        let keys = (1..=KEYS).map(|n| Key {
            mean: PAGES * 3_600.0 * (n as f64).powf(-ZIPF) / sum,
            ..Key::default()
        });
        let mut it = Simulation {
            costs,
            random: Pcg64Mcg::seed_from_u64(17),
            now: 0,
            number: 0,
            events: BinaryHeap::new(),
            what: Vec::new(),
            keys: keys.collect(),
            due: BTreeSet::new(),
            workers: vec![Worker { free: slots, ..Worker::default() }; workers],
            given: vec![Vec::new(); workers],
            waiting: VecDeque::new(),
            busy: 0,
            turn: VecDeque::new(),
            committing: Vec::new(),
            claims: 0,
            empty: 0,
            leases: 0,
            pages: 0,
            database: 0,
            turns: 0,
            waits: Vec::new(),
        };
        for key in 0..KEYS {
            let at = it.random.random_range(0..HOUR);
            it.after(at, Event::Poll(key));
        }
        for worker in 0..workers {
            let at = it.random.random_range(0..IDLE);
            it.workers[worker].pausing = true;
            it.after(at, Event::Wake(worker, 0));
        }
        it
    }

    fn after(&mut self, wait: Micros, event: Event) {
        self.events.push(Reverse((self.now + wait, self.number, self.what.len())));
        self.number += 1;
        self.what.push(event);
    }

    fn measured(&self) -> bool {
        self.now >= FROM
    }

    fn run(&mut self) {
        while let Some(Reverse((at, _, what))) = self.events.pop() {
            if at > UNTIL {
                break;
            }
            self.now = at;
            match self.what[what] {
                Event::Poll(key) => self.poll(key),
                Event::Wake(worker, pause) => {
                    if self.workers[worker].pausing && self.workers[worker].pause == pause {
                        self.ask(worker);
                    }
                }
                Event::Answered(statement) => self.answered(statement),
                Event::Fetched { worker, key, left } => {
                    self.turn.push_back((worker, key, left));
                    self.commit();
                }
                Event::Committed => self.committed(),
            }
        }
    }

    /// A poll comes due; it will bring as many pages as chance wants.
    fn poll(&mut self, key: usize) {
        // Poisson by Knuth, in parts so that the product stays a number.
        let (mut pages, mut mean) = (0, self.keys[key].mean);
        while mean > 0.0 {
            let floor = (-mean.min(30.0)).exp();
            mean -= 30.0;
            let mut product = self.random.random::<f64>();
            while product > floor {
                pages += 1;
                product *= self.random.random::<f64>();
            }
        }
        self.keys[key].tasks += 1 + pages;
        self.schedule(key);
    }

    fn schedule(&mut self, key: usize) {
        let it = &mut self.keys[key];
        if !it.leased && it.tasks > 0 {
            it.since = it.next_at.max(self.now);
            self.due.insert((it.since, key));
        }
    }

    fn ask(&mut self, worker: usize) {
        let it = &mut self.workers[worker];
        it.pausing = false;
        it.pause += 1;
        self.claims += u64::from(self.now >= FROM);
        self.work(Statement::Claim(worker));
    }

    fn work(&mut self, statement: Statement) {
        self.waiting.push_back(statement);
        self.serve();
    }

    fn serve(&mut self) {
        while self.busy < CORES {
            let Some(statement) = self.waiting.pop_front() else { break };
            let takes = match statement {
                Statement::Claim(worker) => self.claim(worker),
                Statement::Return { .. } => self.costs.give_back,
            };
            self.busy += 1;
            self.database += if self.measured() { takes } else { 0 };
            self.after(takes, Event::Answered(statement));
        }
    }

    /// Locks the rows; returns how long it takes.
    fn claim(&mut self, worker: usize) -> Micros {
        let locked: usize = self.given.iter().map(Vec::len).sum();
        let free = self.workers[worker].free;
        let (now, keys) = (self.now, &self.keys);
        let mine = |key: usize| {
            keys[key]
                .last_owner
                .is_none_or(|last| last == worker || keys[key].next_at + MARGIN <= now)
        };
        let due = self.due.iter().take_while(|(due, _)| *due <= now);
        let found: Vec<(Micros, usize)> =
            due.filter(|(_, key)| mine(*key)).take(free).copied().collect();
        for at in &found {
            self.due.remove(at);
            self.keys[at.1].leased = true;
            self.given[worker].push(at.1);
        }
        let costs = &self.costs;
        let asks = if found.is_empty() { costs.question } else { 0 };
        costs.claim + costs.key * found.len() as Micros + PASS * locked as Micros + asks
    }

    fn answered(&mut self, statement: Statement) {
        self.busy -= 1;
        match statement {
            Statement::Claim(worker) => self.claimed(worker),
            Statement::Return { worker, key } => {
                self.keys[key].leased = false;
                self.keys[key].last_owner = Some(worker);
                self.schedule(key);
                let it = &mut self.workers[worker];
                it.free += 1;
                it.leases -= 1;
                if it.leases == 0 {
                    it.idle_since = self.now;
                }
                if it.pausing {
                    self.ask(worker);
                }
            }
        }
        self.serve();
    }

    fn claimed(&mut self, worker: usize) {
        let given = std::mem::take(&mut self.given[worker]);
        if given.is_empty() {
            self.empty += u64::from(self.measured());
            return self.rest(worker);
        }
        let it = &mut self.workers[worker];
        if it.leases == 0 {
            it.idle += self.now - it.idle_since.max(FROM.min(self.now));
        }
        it.leases += given.len();
        it.patience = 0;
        it.free -= given.len();
        for key in given {
            if self.measured() {
                self.leases += 1;
                self.waits.push(self.now - self.keys[key].since);
            }
            let most = DRAIN.min(self.keys[key].tasks);
            self.keys[key].tasks -= most;
            self.fetch(worker, key, most);
        }
        if self.workers[worker].free > 0 { self.ask(worker) } else { self.rest(worker) }
    }

    /// Until something is due for this worker, or a slot is free.
    fn rest(&mut self, worker: usize) {
        let wait = if self.workers[worker].free == 0 {
            IDLE
        } else {
            let keys = &self.keys;
            let theirs = |&(due, key): &(Micros, usize)| match keys[key].last_owner {
                Some(last) if last != worker => due.max(keys[key].next_at + MARGIN),
                _ => due,
            };
            let first = self.due.first().map_or(Micros::MAX, |(due, _)| due.saturating_add(MARGIN));
            let next = self.due.iter().take_while(|(due, _)| *due <= first).map(theirs).min();
            next.map_or(IDLE, |next| if next > self.now { next - self.now } else { TAKEN })
        };
        let jitter = self.random.random_range(0..JITTER);
        let it = &mut self.workers[worker];
        it.patience = if it.leases == 0 { (it.patience + 1).min(MOST_PATIENCE) } else { 0 };
        let most = IDLE * 2_u64.pow(it.patience.saturating_sub(1));
        let wait = wait.max(if it.patience < 2 { 0 } else { most / 2 });
        let idle = most + jitter;
        it.pausing = true;
        let pause = it.pause;
        self.after(wait.min(idle), Event::Wake(worker, pause));
    }

    fn fetch(&mut self, worker: usize, key: usize, left: u32) {
        let wait = self.keys[key].next_at.saturating_sub(self.now);
        let more = -(1.0 - self.random.random::<f64>()).ln() * PAGE.1;
        let page = PAGE.0 + more as Micros;
        self.keys[key].next_at = self.now + wait + page + DELAY;
        self.after(wait + page, Event::Fetched { worker, key, left });
    }

    /// The next worker's turn: all that it has finished.
    fn commit(&mut self) {
        if !self.committing.is_empty() {
            return;
        }
        let Some((worker, _, _)) = self.turn.front().copied() else { return };
        let pages = std::mem::take(&mut self.turn).into_iter();
        let (its, others): (Vec<_>, Vec<_>) = pages.partition(|page| page.0 == worker);
        (self.committing, self.turn) = (its, others.into());
        let takes = self.costs.turn + self.costs.page * self.committing.len() as Micros;
        self.turns += if self.measured() { takes } else { 0 };
        self.after(takes, Event::Committed);
    }

    fn committed(&mut self) {
        for (worker, key, left) in std::mem::take(&mut self.committing) {
            if self.measured() {
                self.pages += 1;
                self.workers[worker].pages += 1;
            }
            if left > 1 {
                self.fetch(worker, key, left - 1);
            } else {
                self.work(Statement::Return { worker, key });
            }
        }
        self.commit();
    }
}

/// Jain's index: 1 where all have the same, 1/n where one has all.
fn fairness(shares: &[f64]) -> f64 {
    let (sum, squares) = shares.iter().fold((0.0, 0.0), |(s, q), x| (s + x, q + x * x));
    if squares > 0.0 { sum * sum / (shares.len() as f64 * squares) } else { 1.0 }
}

fn line(workers: usize, slots: usize, costs: Costs) {
    let mut it = Simulation::new(workers, slots, costs);
    it.run();
    let seconds = (UNTIL - FROM) as f64 / SECOND as f64;
    let span = (UNTIL - FROM) as f64;
    let idle: f64 = it
        .workers
        .iter()
        .map(|w| {
            let now = if w.leases == 0 { UNTIL - w.idle_since.max(FROM) } else { 0 };
            (w.idle + now) as f64 / span
        })
        .sum();
    it.waits.sort_unstable();
    let wait = |share: f64| {
        let at = (it.waits.len().saturating_sub(1) as f64 * share) as usize;
        it.waits.get(at).copied().unwrap_or_default() / MILLI
    };
    let pages: Vec<f64> = it.workers.iter().map(|w| w.pages as f64).collect();
    println!(
        "|{workers}|{slots}|{:.0}|{:.0}|{:.0} %|{:.1}|{}|{}|{:.0} %|{:.0} %|{:.0} %|{:.2}|",
        it.claims as f64 / seconds,
        it.leases as f64 / seconds,
        100.0 * it.empty as f64 / it.claims.max(1) as f64,
        it.pages as f64 / seconds,
        wait(0.5),
        wait(0.99),
        100.0 * idle / workers as f64,
        100.0 * it.database as f64 / span / CORES as f64,
        100.0 * it.turns as f64 / span,
        fairness(&pages),
    );
}

fn main() {
    let given: Vec<Micros> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let cost = |n: usize, otherwise| given.get(n).copied().unwrap_or(otherwise);
    let costs = Costs {
        claim: cost(0, 1_500),
        key: cost(1, 150),
        question: cost(2, 300),
        give_back: cost(3, 400),
        turn: cost(4, 2_000),
        page: cost(5, 5_500),
    };
    // `cargo bench` passes `--bench`; `cargo test` passes nothing and wants it short.
    let fleets: &[(usize, usize)] = if std::env::args().any(|a| a == "--bench") {
        &[(1, 1_000), (10, 100), (100, 10), (1_000, 1), (10, 64), (100, 64), (1_000, 64)]
    } else {
        &[(10, 64)]
    };
    println!(
        "|workers|leases of each|claims/s|leases/s|for nothing|pages/s|wait, median ms|wait, 99 % ms|idle|database|turn|fairness|"
    );
    println!("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (workers, slots) in fleets {
        line(*workers, *slots, costs);
    }
}
