//! Several processes on one PostgreSQL crawl one web: what they count is what one process with a
//! store of its own counts, and the web sees no forbidden, overlapping or hasty request — also when
//! workers are killed, frozen past their leases and thawed, connections cut and the server
//! restarted. `scripts/prove-cluster` runs the long form.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::crash;
use crate::process::{Place, end, signal, wait_for};
use crate::scratch::Scratch;
use crate::web::Web;

/// Workers on one database; `CRAWLER_PROOF_WORKERS` asks for another number.
const WORKERS: usize = 3;
/// Disturbances of the short form; `CRAWLER_PROOF_DISTURBANCES` asks for another number.
const DISTURBANCES: usize = 6;
/// Most of them in one crawl.
const PER_CRAWL: usize = 20;
/// Longer than a lease lasts with these settings.
const FROZEN: Duration = Duration::from_secs(4);

fn number(name: &str, otherwise: usize) -> usize {
    std::env::var(name).map_or(otherwise, |n| n.parse().expect("a number"))
}

/// A place whose store is a new database on this server, with the web's feeds.
fn place(web: &Web, server: &Scratch, name: &str) -> Place {
    let mut place = Place::new();
    for setting in [
        &format!("store={}", server.database(name)),
        &format!("pace.delay={}ms", crash::DELAY.as_millis()),
        "drain=4",
        "fetch.first_byte=1s",
        "fetch.total=1s",
    ] {
        place.set(setting);
    }
    place.watch(web.feeds(), "Acme\nUmbra\n");
    place
}

/// Workers, each in a process of its own, what they say in a file of its own.
struct Workers<'a> {
    place: &'a Place,
    children: Vec<Child>,
    started: usize,
}

impl Workers<'_> {
    fn start(place: &Place, number: usize) -> Workers<'_> {
        let mut workers = Workers { place, children: Vec::new(), started: 0 };
        for _ in 0..number {
            let child = workers.spawn();
            workers.children.push(child);
        }
        workers
    }

    fn spawn(&mut self) -> Child {
        let said = std::fs::File::create(self.place.path(&format!("said-{}", self.started)));
        self.started += 1;
        let mut command = self.place.command(["run", "--role", "worker"]);
        command.env("CRAWLER_LOG", "info").stdout(Stdio::null()).stderr(said.unwrap());
        command.spawn().unwrap()
    }

    /// Kills one and starts another in its place.
    fn replace(&mut self, n: usize) {
        self.children[n].kill().unwrap();
        self.children[n].wait().unwrap();
        self.children[n] = self.spawn();
    }

    /// What all of them said.
    fn said(&self) -> String {
        (0..self.started)
            .filter_map(|n| std::fs::read_to_string(self.place.path(&format!("said-{n}"))).ok())
            .collect()
    }

    /// Waits until every entry has ended.
    fn finish(&mut self) {
        wait_for("the last entry", || {
            for child in &mut self.children {
                let ended = child.try_wait().unwrap();
                assert!(ended.is_none(), "a worker ended by itself: {ended:?}");
            }
            let status = self.place.json(["status"]);
            let all = status["entries"].as_u64().unwrap_or(0) > 0 && status["pending"] == 0;
            all && self.place.json(["feeds"]).as_array().unwrap().iter().all(|f| f["polls"] != 0)
        });
    }

    fn terminate(mut self) {
        for child in &self.children {
            signal(child, "TERM");
        }
        for child in &mut self.children {
            assert!(child.wait().unwrap().success(), "a worker ended badly");
        }
    }
}

impl Drop for Workers<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.said());
        }
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn several_workers_count_what_one_process_counts() {
    let (expect, alone) = crash::undisturbed();
    let server = Scratch::start();
    let web = crash::web();
    let place = place(&web, &server, "calm");
    let began = Instant::now();
    let mut workers = Workers::start(&place, number("CRAWLER_PROOF_WORKERS", WORKERS));
    workers.finish();
    let took = began.elapsed();
    workers.terminate();
    crash::same(&web, &place, &expect, "several workers");
    // What a reader of another process sees.
    let before = place.json(["mentions"]);
    place.run(["run", "--once"]).good();
    assert_eq!(place.json(["mentions"])["lines"], before["lines"]);
    // The whole store moves into a directory, and from there into another database.
    place.run(["export", "--whole", "-o", "whole.jsonl"]).good();
    let directory = Place { settings: Place::new().settings, dir: place.dir, clock: None };
    directory.run(["import", "whole.jsonl"]).good();
    crash::same(&web, &directory, &expect, "moved into a directory");
    let back = directory.run(["export", "--whole"]).good();
    let mut third = Place { settings: directory.settings.clone(), dir: directory.dir, clock: None };
    third.set(&format!("store={}", server.database("third")));
    third.feed(["import", "-"], &back).good();
    crash::same(&web, &third, &expect, "moved into another database");
    assert_eq!(third.json(["mentions"])["lines"], before["lines"]);
    println!("undisturbed: as one process, {took:?} (one process with its own store: {alone:?})");
}

#[test]
fn disturbed_workers_count_what_one_process_counts() {
    let (expect, _) = crash::undisturbed();
    let mut server = Scratch::start();
    let mut random = Pcg64Mcg::seed_from_u64(11);
    let wanted = number("CRAWLER_PROOF_DISTURBANCES", DISTURBANCES);
    let (mut done, mut crawls, mut fenced) = (0, 0, 0);
    let mut kinds = [0; 5];
    while done < wanted {
        let web = crash::web();
        let place = place(&web, &server, &format!("wild{crawls}"));
        let mut workers = Workers::start(&place, number("CRAWLER_PROOF_WORKERS", WORKERS));
        let mut frozen: Option<(usize, Instant)> = None;
        let here = (wanted - done).min(PER_CRAWL);
        for n in 0..here {
            std::thread::sleep(Duration::from_millis(random.random_range(50..700)));
            if let Some((worker, since)) = frozen
                && since.elapsed() > FROZEN
            {
                signal(&workers.children[worker], "CONT");
                frozen = None;
            }
            let worker = random.random_range(0..workers.children.len());
            // All kinds come in the short form.
            let kind = match if n < 5 { n } else { random.random_range(0..5) } {
                0 if frozen.is_some() => 1,
                4 if frozen.is_some_and(|(frozen, _)| frozen == worker) => 1,
                kind => kind,
            };
            match kind {
                0 => {
                    signal(&workers.children[worker], "STOP");
                    frozen = Some((worker, Instant::now()));
                }
                1 => drop(server.cut()),
                2 => server.tell("crash"),
                3 => server.tell("restart"),
                _ => workers.replace(worker),
            }
            kinds[kind] += 1;
            done += 1;
        }
        if let Some((worker, since)) = frozen {
            std::thread::sleep(FROZEN.saturating_sub(since.elapsed()));
            signal(&workers.children[worker], "CONT");
        }
        workers.finish();
        fenced += workers.said().matches("lease lost").count();
        workers.terminate();
        // Leases that nobody gave back end.
        end(place.command(["run", "--once"]).spawn().unwrap()).good();
        crash::same(&web, &place, &expect, &format!("disturbed crawl {crawls}"));
        crawls += 1;
    }
    let [frozen, cut, crashed, restarted, killed] = kinds;
    println!(
        "{killed} workers killed, {frozen} frozen past their leases, connections cut {cut} times, \
         server crashed {crashed} and restarted {restarted} times in {crawls} crawls, each as the \
         undisturbed one; {fenced} results dropped under lost leases"
    );
}
