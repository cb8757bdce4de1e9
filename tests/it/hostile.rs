//! A web of attackers: all of them at once, beside victims who publish as ever. What the victims' articles
//! count, their days and stories are what they are without the attackers; memory and disk stay within
//! bounds; `status` names those who go beyond what is taken. `scripts/prove-hostile` runs the long form,
//! which also holds the victims' delays against those without attackers.

mod attackers;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::process::{Daemon, Place, peak_of, wait_for};
use crate::server::{Ask, Server, Step, answer};
use crate::web::html;
use crate::websub::{signature, try_send};
use attackers::Attacker;

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

/// What the handlers know of the web.
pub struct Web {
    addresses: Vec<SocketAddr>,
    plan: Plan,
    began: Mutex<Option<Instant>>,
    turns: AtomicUsize,
    /// Bodies of the requests that hubs got.
    asked: Mutex<Vec<String>>,
}

impl Web {
    fn url(&self, outlet: usize, path: &str) -> String {
        format!("http://{}{path}", self.addresses[outlet])
    }

    fn split(&self, outlet: usize) -> (String, u16) {
        let at = self.addresses[outlet];
        (at.ip().to_string(), at.port())
    }

    /// How many articles each victim has published so far; the first one was there before.
    fn published(&self) -> usize {
        let began = *self.began.lock().unwrap();
        let since = began.map_or(Duration::ZERO, |at| at.elapsed());
        let n = 1 + (since.as_millis() / self.plan.period.as_millis()) as usize;
        n.min(self.plan.articles)
    }

    /// Another number each time.
    fn turn(&self) -> usize {
        self.turns.fetch_add(1, Ordering::SeqCst)
    }
}

fn story(n: usize) -> String {
    format!("/story-{n}.html")
}

fn item(link: &str, date: &str) -> String {
    let date = if date.is_empty() { String::new() } else { format!("<pubDate>{date}</pubDate>") };
    format!("<item><title>Heard of</title><link>{link}</link>{date}</item>")
}

/// A feed of items, with its hub and its own address.
fn feed(items: &str, hub: Option<(&str, &str)>) -> String {
    let hub = hub.map_or_else(String::new, |(hub, own)| {
        format!("<a:link rel=\"hub\" href=\"{hub}\"/><a:link rel=\"self\" href=\"{own}\"/>")
    });
    format!(
        "<rss version=\"2.0\" xmlns:a=\"http://www.w3.org/2005/Atom\"><channel><title>F</title>{hub}{items}\
         </channel></rss>"
    )
}

/// What an outlet answers that does no harm.
fn honest(ask: &Ask, web: &Web) -> Vec<Step> {
    match ask.path {
        "/robots.txt" => {
            answer("200 OK", &[], "User-agent: *\nDisallow: /private/\nDisallow: /*utm_source=\n")
        }
        "/feed.xml" if ask.outlet < VICTIMS => {
            let published = web.published();
            let items: String = (published.saturating_sub(30)..published)
                .rev()
                .map(|n| item(&web.url(ask.outlet, &story(n)), ""))
                .collect();
            let (hub, own) = (web.url(VICTIMS, "/hub"), web.url(ask.outlet, "/feed.xml"));
            let hub = (ask.outlet == 1).then_some((hub.as_str(), own.as_str()));
            answer("200 OK", &["Content-Type: application/rss+xml"], feed(&items, hub))
        }
        "/feed.xml" => {
            let own: String =
                (0..5).map(|n| item(&web.url(ask.outlet, &format!("/own-{n}.html")), "")).collect();
            answer("200 OK", &["Content-Type: application/rss+xml"], feed(&own, None))
        }
        path => {
            let number =
                |head: &str| path.strip_prefix(head)?.strip_suffix(".html")?.parse::<usize>().ok();
            let day = |n: usize| format!("2026-11-{:02}T08:00:00Z", 10 + n % 3);
            let page = match (number("/story-"), number("/own-")) {
                (Some(n), _) if ask.outlet < VICTIMS && n < web.published() => {
                    // The first two share their stories.
                    let from = if n.is_multiple_of(2) { ask.outlet.max(1) } else { ask.outlet };
                    html((1_000 * from + n) as u64, ask.outlet, 1 + n % 3, &day(n))
                }
                (_, Some(n)) if ask.outlet >= VICTIMS => {
                    html((50_000 + 10 * ask.outlet + n) as u64, ask.outlet, 1, &day(n))
                        .replace("Acme", "Zeta")
                }
                _ => return answer("404 Not Found", &[], ""),
            };
            answer("200 OK", &["Content-Type: text/html; charset=utf-8"], page)
        }
    }
}

fn start(plan: Plan) -> (Server, Arc<Web>) {
    let mut shared = None;
    let server = Server::start(VICTIMS + attackers::ALL.len(), |addresses| {
        let web = Arc::new(Web {
            addresses: addresses.to_vec(),
            plan,
            began: Mutex::default(),
            turns: AtomicUsize::new(1),
            asked: Mutex::default(),
        });
        shared = Some(web.clone());
        move |ask: &Ask| {
            let attacker = ask.outlet.checked_sub(VICTIMS).and_then(|n| attackers::ALL.get(n));
            attacker
                .and_then(|attacker| (attacker.reply)(ask, &web))
                .unwrap_or_else(|| honest(ask, &web))
        }
    });
    (server, shared.expect("the handler was made"))
}

/// What came of one run.
struct Run {
    /// By victim and day: articles and mentions of Acme; and its stories by day.
    counted: Vec<String>,
    /// From the publication of each article of the victims to its request.
    delays: Vec<(usize, Duration)>,
    /// Largest resident size and the store's size at the end, MiB.
    peak: u64,
    disk: u64,
    outcomes: BTreeMap<String, String>,
    trouble: Vec<String>,
    /// Requests that each outlet saw.
    requests: Vec<usize>,
    took: Duration,
}

fn run(plan: Plan, attacked: bool) -> Run {
    let (server, web) = start(plan);
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
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
    let outlets = if attacked { server.addresses.len() } else { VICTIMS };
    // The attackers first.
    let feeds: String = (0..outlets).rev().map(|n| server.url(n, "/feed.xml") + "\n").collect();
    place.write("feeds.txt", feeds);
    place.run(["seed", "feeds.txt"]).good();
    let began = Instant::now();
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
    let published = |n: usize| began + plan.period * u32::try_from(n).unwrap();
    let delays = pages_of_victims(&server)
        .into_iter()
        .map(|((victim, n), at)| (victim, at.saturating_duration_since(published(n))))
        .collect();
    let hits = server.hits();
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
    for (victim, at) in server.addresses[..VICTIMS].iter().enumerate() {
        let by = place.json([&["mentions", "--by", "outlet"][..], &days].concat());
        let of =
            by["lines"].as_array().unwrap().iter().find(|l| l["bucket"] == at.to_string().as_str());
        let of = of.expect("the victim is counted");
        for name in ["articles", "mentions", "suppressed", "backlog", "stories"] {
            if name != "backlog" {
                lines.push(format!("victim {victim}: {name} {}", of[name]));
            }
        }
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
    let alone = run(plan, false);
    let attacked = run(plan, true);
    let mut wrong = String::new();
    println!(
        "\n|victims|articles|mean delay|95th percentile|memory|disk|time|\n|--|--:|--:|--:|--:|--:|--:|"
    );
    let mut means = Vec::new();
    for (name, run) in [("alone", &alone), ("beside attackers", &attacked)] {
        let (mean, late) = delay(run.delays.iter().map(|(_, delay)| *delay));
        means.push(mean);
        println!(
            "|{name}|{}|{mean:.2} s|{late:.2} s|{} MiB|{} MiB|{} s|",
            run.delays.len(),
            run.peak,
            run.disk,
            run.took.as_secs()
        );
        for victim in 0..VICTIMS {
            let own = run.delays.iter().filter(|(of, _)| *of == victim);
            let (mean, late) = delay(own.clone().map(|(_, delay)| *delay));
            println!("|{name}: {victim}|{}|{mean:.2} s|{late:.2} s||||", own.count());
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
    for (a, b) in alone.counted.iter().zip(&attacked.counted).filter(|(a, b)| a != b) {
        let _ = writeln!(wrong, "alone: {a}; attacked: {b}");
    }
    if alone.counted.len() != attacked.counted.len() {
        let _ = writeln!(wrong, "{:?}\n{:?}", alone.counted, attacked.counted);
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
    // How long the short form takes is the machine's matter.
    if plan.proof.is_some() && slower > SLOWER {
        let _ = writeln!(wrong, "victims wait {slower:.2} times as long");
    }
    assert!(wrong.is_empty(), "{wrong}\n{:#?}", attacked.trouble);
}
