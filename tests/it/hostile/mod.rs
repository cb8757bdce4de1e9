//! A web of attackers: all of them at once, beside victims who publish as ever. What the victims' articles
//! count, their days and stories are what they are without the attackers; memory and disk stay within
//! bounds; `status` names those who go beyond what is taken. `scripts/prove-hostile` runs the long form,
//! which also holds the victims' delays against those without attackers.

mod attackers;
mod honest;
mod load;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use crate::process::{Daemon, Place, free_port, peak_of, wait_for};
use crate::server::Server;
use crate::websub::{signature, try_send};
use attackers::Attacker;
use honest::{Company, Web, start};
use load::Load;

/// Outlets that do nobody harm; the second has chosen a hub that does.
const VICTIMS: usize = 4;
/// What all requests together may hold, MiB.
const IN_FLIGHT: u64 = 64;
/// What the process takes beside pages, MiB: as in the web of faults.
const BASE: u64 = 256;
/// Disk that the store may take, MiB, and so much more for each minute.
const DISK: u64 = 64;
const DISK_A_MINUTE: u64 = 64;
/// So many times their delay without attackers is the victims' delay with them, at most.
const SLOWER: f64 = 1.2;

/// How long, and how much.
#[derive(Clone, Copy)]
pub struct Plan {
    /// Of each victim.
    articles: usize,
    /// Between two of them.
    period: Duration,
    /// Seconds of the long form.
    proof: Option<u64>,
}

impl Plan {
    /// When the n-th article of each victim is published, from the start: about one in each period, at
    /// another phase of the polls each time, so that their mean delay does not hang on where they stand.
    fn instant(self, n: usize) -> Duration {
        const GOLDEN: f64 = 0.618_033_988_749_895;
        let part = self.period.min(Duration::from_secs(2)) / 2;
        self.period * u32::try_from(n).unwrap() + part.mul_f64((n as f64 * GOLDEN).fract())
    }

    fn of_environment() -> Plan {
        let seconds = std::env::var("CRAWLER_PROOF_HOSTILE").ok();
        match seconds.map(|n| n.parse::<u64>().expect("a number of seconds")) {
            Some(seconds) => Plan {
                articles: (seconds / 5) as usize,
                period: Duration::from_secs(5),
                proof: Some(seconds),
            },
            None => Plan { articles: 6, period: Duration::from_millis(700), proof: None },
        }
    }
}

/// What came of one run.
struct Run {
    /// By victim and day: articles and mentions of Acme; and its stories by day.
    counted: Vec<String>,
    /// From the publication of each article of the victims to the poll that listed it, and to its request.
    delays: Vec<(usize, Duration, Duration)>,
    /// Cores that the web and the crawler kept busy.
    busy: (f64, f64),
    /// Largest resident size and the store's size at the end, MiB.
    peak: u64,
    disk: u64,
    outcomes: BTreeMap<String, String>,
    trouble: Vec<String>,
    /// Requests that each outlet saw.
    requests: Vec<usize>,
    took: Duration,
}

fn run(plan: Plan, company: Company) -> Run {
    let (server, web) = start(plan, company);
    let attacked = company == Company::Attackers;
    let free = format!("127.0.0.1:{}", free_port());
    let mut place = Place::new();
    for setting in [
        "feed.schedule.start=1s",
        "feed.schedule.min=1s",
        "feed.schedule.max=2s",
        "fetch.first_byte=4s",
        "fetch.total=20s",
        "fetch.min_rate=2000",
        "fetch.min_rate_grace=2s",
        "pace.retry_first=1s",
        "pace.retry_step=2s",
        "workers=32",
        "max_age=3650d",
    ] {
        place.set(setting);
    }
    place.set(&format!("pace.delay={}ms", if plan.proof.is_some() { 250 } else { 50 }));
    place.set(&format!("fetch.in_flight={}", IN_FLIGHT << 20));
    place.set(&format!("websub.callback=\"http://{free}\""));
    place.set(&format!("websub.listen=\"{free}\""));
    place.write("brands.txt", "Acme\nUmbra\nZeta\nGhost\nStuffed\n");
    place.run(["brands", "import", "brands.txt"]).good();
    let outlets = company.outlets();
    // The attackers first.
    let feeds: String = (0..outlets).rev().map(|n| server.url(n, "/feed.xml") + "\n").collect();
    place.write("feeds.txt", feeds);
    place.run(["seed", "feeds.txt"]).good();
    let load = match company {
        Company::Busy(cores) => Some(Load::start(cores)),
        _ => None,
    };
    let (before, began) = (load::spent("self"), Instant::now());
    *web.began.lock().unwrap() = Some(began);
    let daemon = Daemon::start(&place);
    let watch = peak_of(daemon.id());
    if attacked {
        let web = web.clone();
        std::thread::spawn(move || push(&web));
    }
    let wanted = VICTIMS * plan.articles;
    wait_for("the victims' articles", || {
        // The publishing takes its time.
        std::thread::sleep(Duration::from_millis(300));
        let seen: std::collections::HashSet<_> = pages_of_victims(&server).into_keys().collect();
        seen.len() >= wanted && articles_of_victims(&place, &server) >= wanted
    });
    if let Some(seconds) = plan.proof {
        std::thread::sleep(Duration::from_secs(seconds).saturating_sub(began.elapsed()));
    }
    let took = began.elapsed();
    let cores = |seconds: f64| seconds / took.as_secs_f64();
    let crawler = load::spent(&daemon.id().to_string());
    let busy = (cores(load::spent("self") - before), cores(crawler));
    drop(load);
    let mut trouble = Vec::new();
    for _ in 0..200 {
        trouble = said(&place);
        let missing =
            attackers::ALL.iter().enumerate().filter(|(n, a)| named(a, *n, &trouble).is_none());
        if !attacked || missing.filter(|(_, a)| a.named.is_some()).count() == 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(300));
    }
    let ended = daemon.terminate();
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let disk = place.json(["status"])["size"].as_u64().unwrap() >> 20;
    let outcomes = place.json(["outlets"]);
    let outcomes = outcomes.as_array().unwrap().iter().map(|line| {
        let of: Vec<String> = line["outcomes"]
            .as_object()
            .unwrap()
            .iter()
            .filter(|(_, n)| n.as_u64() > Some(0))
            .map(|(name, n)| format!("{n} {name}"))
            .collect();
        (line["outlet"].as_str().unwrap().to_owned(), of.join(", "))
    });
    let published = |n: usize| began + plan.instant(n);
    let hits = server.hits();
    let listed = |victim: usize, n: usize| {
        let polls = hits.iter().filter(|hit| hit.outlet == victim && hit.path == "/feed.xml");
        let first = polls.filter(|hit| hit.began >= published(n)).map(|hit| hit.ended).min();
        first.unwrap_or(published(n)).saturating_duration_since(published(n))
    };
    let delays = pages_of_victims(&server)
        .into_iter()
        .map(|((victim, n), at)| {
            (victim, listed(victim, n), at.saturating_duration_since(published(n)))
        })
        .collect();
    let requests =
        (0..outlets).map(|n| hits.iter().filter(|hit| hit.outlet == n).count()).collect();
    for hit in hits.iter().filter(|hit| hit.outlet < VICTIMS) {
        let forbidden = hit.path.starts_with("/private/") || hit.path.contains("utm_source");
        assert!(!forbidden, "{} of victim {} was requested", hit.path, hit.outlet);
    }
    place.run(["verify"]).good();
    Run {
        counted: counted(&place, &server),
        delays,
        busy,
        peak: watch.join().unwrap(),
        disk,
        outcomes: outcomes.collect(),
        trouble,
        requests,
        took,
    }
}

/// What `status` says.
fn said(place: &Place) -> Vec<String> {
    let status = place.json(["status"]);
    let trouble = status["trouble"].as_array().unwrap().iter();
    trouble.map(|said| said.as_str().unwrap_or_default().to_owned()).collect()
}

/// The sentence that names an attacker. The second victim's hub is the first attacker, too.
fn named<'s>(attacker: &Attacker, n: usize, trouble: &'s [String]) -> Option<&'s String> {
    let outlet = format!("127.0.0.{}:", VICTIMS + n + 2);
    let words = attacker.named?;
    trouble.iter().find(|said| said.contains(&outlet) && said.contains(words))
}

/// When each article of the victims was first answered with itself.
fn pages_of_victims(server: &Server) -> HashMap<(usize, usize), Instant> {
    let mut first = HashMap::new();
    for hit in server.hits().into_iter().filter(|hit| hit.outlet < VICTIMS && hit.status == 200) {
        let number = hit.path.strip_prefix("/story-").and_then(|path| path.strip_suffix(".html"));
        if let Some(n) = number.and_then(|n| n.parse().ok()) {
            first.entry((hit.outlet, n)).or_insert(hit.ended);
        }
    }
    first
}

fn articles_of_victims(place: &Place, server: &Server) -> usize {
    let outlets = place.json(["outlets"]);
    let all = outlets.as_array().unwrap().iter();
    all.filter(|line| {
        server.addresses[..VICTIMS].iter().any(|at| line["outlet"] == at.to_string().as_str())
    })
    .map(|line| line["outcomes"]["article"].as_u64().unwrap_or(0) as usize)
    .sum()
}

/// What is counted of the victims, without their addresses.
fn counted(place: &Place, server: &Server) -> Vec<String> {
    let mut lines = Vec::new();
    let days = ["--from", "2026-11-01", "--to", "2026-11-30", "--brand", "Acme"];
    // Of two that print the same at the same instant, either may be the original.
    let mut stories = 0;
    for (victim, at) in server.addresses[..VICTIMS].iter().enumerate() {
        let by = place.json([&["mentions", "--by", "outlet"][..], &days].concat());
        let of =
            by["lines"].as_array().unwrap().iter().find(|l| l["bucket"] == at.to_string().as_str());
        let of = of.expect("the victim is counted");
        for name in ["articles", "mentions", "suppressed"] {
            lines.push(format!("victim {victim}: {name} {}", of[name]));
        }
        stories += of["stories"].as_u64().unwrap_or(0);
        let articles = place.json(["articles", "--outlet", &at.to_string(), "--limit", "1000"]);
        let mut mine: Vec<String> = articles
            .as_array()
            .unwrap()
            .iter()
            .map(|line| {
                let path = line["url"].as_str().unwrap().rsplit('/').next().unwrap();
                format!("victim {victim}: {path} {} {}", line["day"], line["mentions"])
            })
            .collect();
        mine.sort();
        lines.extend(mine);
    }
    lines.push(format!("victims: {stories} stories"));
    let by = place.json([&["mentions", "--by", "day"][..], &days].concat());
    for line in by["lines"].as_array().unwrap() {
        lines.push(format!(
            "{}: {} articles, {} stories",
            line["bucket"], line["articles"], line["stories"]
        ));
    }
    lines
}

/// The hub: it agrees to whatever it is asked, and pushes as fast as it can. The thread ends with the test.
fn push(web: &Web) {
    let mut agreed: HashMap<String, (String, String)> = HashMap::new();
    let mut ready: HashMap<String, ([String; 2], String)> = HashMap::new();
    loop {
        let asked = std::mem::take(&mut *web.asked.lock().unwrap());
        for form in asked {
            let form: HashMap<String, String> =
                url::form_urlencoded::parse(form.as_bytes()).into_owned().collect();
            let query = url::form_urlencoded::Serializer::new(String::new())
                .append_pair("hub.mode", "subscribe")
                .append_pair("hub.topic", &form["hub.topic"])
                .append_pair("hub.challenge", "c")
                .finish();
            let _ = try_send("GET", &format!("{}?{query}", form["hub.callback"]), &[], "");
            let secret = form["hub.secret"].clone();
            agreed.insert(form["hub.callback"].clone(), (form["hub.topic"].clone(), secret));
        }
        for (callback, (topic, secret)) in &agreed {
            // What is refused comes again as it is: making it takes longer than refusing it, on the
            // machine that all share.
            let (fields, body) = ready.entry(callback.clone()).or_insert_with(|| {
                let body = attackers::delivery(web, topic);
                let kind = "Content-Type: application/rss+xml".to_owned();
                ([signature(secret, &body), kind], body)
            });
            let answer = try_send("POST", callback, fields, body);
            if matches!(answer, Ok((202, _))) {
                ready.remove(callback);
            }
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Mean and 95th percentile, seconds.
fn delay(of: impl Iterator<Item = Duration>) -> (f64, f64) {
    let mut sorted: Vec<f64> = of.map(|delay| delay.as_secs_f64()).collect();
    sorted.sort_by(f64::total_cmp);
    (sorted.iter().sum::<f64>() / sorted.len() as f64, sorted[sorted.len() * 95 / 100])
}

#[test]
fn attackers_change_nothing_for_others() {
    let plan = Plan::of_environment();
    let alone = run(plan, Company::Nobody);
    let attacked = run(plan, Company::Attackers);
    let mut runs = vec![("alone", &alone), ("beside attackers", &attacked)];
    let mut controls = Vec::new();
    if plan.proof.is_some() {
        let busier = (attacked.busy.0 - alone.busy.0).max(0.0);
        controls.push(("beside as many that behave", run(plan, Company::Behaving)));
        controls.push(("alone, beside the web's load", run(plan, Company::Busy(busier))));
    }
    runs.extend(controls.iter().map(|(name, run)| (*name, run)));
    let mut wrong = String::new();
    println!(
        "\n|victims|articles|mean delay|95th percentile|until listed|web|crawler|memory|disk|time|\n\
         |--|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    );
    let mut means = Vec::new();
    for (name, run) in &runs {
        let (mean, late) = delay(run.delays.iter().map(|(_, _, delay)| *delay));
        let (listed, _) = delay(run.delays.iter().map(|(_, listed, _)| *listed));
        means.push(mean);
        println!(
            "|{name}|{}|{mean:.2} s|{late:.2} s|{listed:.2} s|{:.2}|{:.2}|{} MiB|{} MiB|{} s|",
            run.delays.len(),
            run.busy.0,
            run.busy.1,
            run.peak,
            run.disk,
            run.took.as_secs()
        );
        for victim in 0..VICTIMS {
            let own = run.delays.iter().filter(|(of, ..)| *of == victim);
            let (mean, late) = delay(own.clone().map(|(_, _, delay)| *delay));
            let (listed, _) = delay(own.clone().map(|(_, listed, _)| *listed));
            println!(
                "|{name}: {victim}|{}|{mean:.2} s|{late:.2} s|{listed:.2} s||||||",
                own.count()
            );
        }
    }
    println!();
    println!("|attacker|requests|its entries|`status`|\n|--|--:|--|--|");
    let addresses: Vec<&String> = attacked.outcomes.keys().collect();
    for (n, attacker) in attackers::ALL.iter().enumerate() {
        let outlet = format!("127.0.0.{}:", VICTIMS + n + 2);
        let address = addresses.iter().find(|known| known.starts_with(&outlet));
        let of = address.and_then(|at| attacked.outcomes.get(*at)).cloned().unwrap_or_default();
        let said = named(attacker, n, &attacked.trouble).cloned();
        let mut sentence = said.clone().unwrap_or_else(|| "–".to_owned());
        for (outlet, at) in addresses.iter().enumerate() {
            sentence = sentence.replace(at.as_str(), &format!("outlet-{outlet}"));
        }
        println!("|{}|{}|{of}|{sentence}|", attacker.name, attacked.requests[VICTIMS + n]);
        if attacker.named.is_some() && said.is_none() {
            let _ = writeln!(wrong, "status does not name: {}", attacker.name);
        }
    }
    println!();
    for (name, run) in &runs[1..] {
        for (a, b) in alone.counted.iter().zip(&run.counted).filter(|(a, b)| a != b) {
            let _ = writeln!(wrong, "alone: {a}; {name}: {b}");
        }
        if alone.counted.len() != run.counted.len() {
            let _ = writeln!(wrong, "{:?}\n{:?}", alone.counted, run.counted);
        }
    }
    let memory = BASE + 12 * IN_FLIGHT;
    if attacked.peak > memory {
        let _ = writeln!(wrong, "{} MiB of memory, not {memory}", attacked.peak);
    }
    let disk = DISK + DISK_A_MINUTE * attacked.took.as_secs().div_ceil(60);
    if attacked.disk > disk {
        let _ = writeln!(wrong, "{} MiB on disk, not {disk}", attacked.disk);
    }
    let slower = means[1] / means[0];
    println!("Delay of the victims' articles: {slower:.2} times that without attackers.");
    for ((name, _), mean) in runs.iter().zip(&means).skip(2) {
        println!("- {:.2} times that {name}", means[1] / mean);
    }
    // How long the short form takes is the machine's matter.
    if plan.proof.is_some() && slower > SLOWER {
        let _ = writeln!(wrong, "victims wait {slower:.2} times as long");
    }
    assert!(wrong.is_empty(), "{wrong}\n{:#?}", attacked.trouble);
}
