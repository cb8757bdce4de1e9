//! The process dies — by `kill -9` at random instants, and by itself at every abort point of the
//! commit path — and is started again until the crawl is done. What is found then is what an
//! undisturbed crawl finds, and the web saw no forbidden, overlapping or hasty request.

use std::time::{Duration, Instant};

use crawler::store::{ABORT_POINTS, COMPACTION_POINTS, SETTLING_POINTS};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde_json::{Value, json};

use crate::process::{Daemon, Place, end, signal};
use crate::web::Web;

/// Distance between two requests to one outlet.
pub const DELAY: Duration = Duration::from_millis(50);
/// Instants are kept in milliseconds: a distance can look that much shorter from outside.
const GRAIN: Duration = Duration::from_millis(1);
/// Kills in the short form; `CRAWLER_PROOF_KILLS` asks for another number.
const KILLS: usize = 6;
/// A crawl has no more than so many crashes in it, a short one and a long one. In a short one a page takes
/// up much of the time: three ends may well find the same one under way, twice alone, and leave it out, as
/// they should (`quarantine`).
const PER_CRAWL: [usize; 2] = [2, 20];
/// They come within that share of the time of an undisturbed crawl, so that the last one is likely to come
/// before the end.
const WITHIN: [f64; 2] = [1.0, 0.2];

/// The web of this form of the tests; `CRAWLER_PROOF_WEB=OUTLETS,ARTICLES` asks for another size.
pub fn web() -> Web {
    let size = std::env::var("CRAWLER_PROOF_WEB").unwrap_or_default();
    match size.split_once(',') {
        Some((outlets, articles)) => {
            Web::with(outlets.parse().expect("a number"), articles.parse().expect("a number"))
        }
        None => Web::start(),
    }
}

pub fn place(web: &Web) -> Place {
    let mut place = Place::seeded(web);
    place.set(&format!("pace.delay={}ms", DELAY.as_millis()));
    place
}

/// Everything that must not depend on crashes: no instants of the crawl, no counts of polls, no
/// story ids (they are named after the member that came first), no addresses.
pub fn result(web: &Web, place: &Place) -> Value {
    let pick = |value: &Value, names: &[&str]| -> Value {
        names.iter().map(|name| ((*name).to_owned(), value[*name].clone())).collect()
    };
    let each = |list: Value, names: &[&str]| -> Vec<Value> {
        list.as_array().unwrap().iter().map(|value| pick(value, names)).collect()
    };
    let mentions = place.json(["mentions"]);
    let counts =
        ["brand", "bucket", "articles", "stories", "copies", "mentions", "suppressed", "backlog"];
    let status = place.json(["status"]);
    let export = place.run(["export"]).good();
    let rows: Vec<Value> = export.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let known = [
        "url",
        "final_url",
        "outlet",
        "text",
        "title",
        "published",
        "day",
        "language",
        "original",
        "mentions",
        "charset",
        "model",
    ];
    let mut articles: Vec<Value> = rows.iter().map(|row| pick(row, &known)).collect();
    articles.sort_by_key(|row| row["url"].to_string());
    // Which articles share a story, by their URLs.
    let mut stories = std::collections::BTreeMap::<String, Vec<String>>::new();
    for row in &rows {
        let url = row["url"].as_str().unwrap().to_owned();
        stories.entry(row["story"].to_string()).or_default().push(url);
    }
    let mut stories: Vec<Vec<String>> = stories.into_values().collect();
    stories.iter_mut().for_each(|urls| urls.sort());
    stories.sort();
    let whole = json!({
        "mentions": each(mentions["lines"].clone(), &counts),
        "outlets": each(place.json(["outlets"]), &["outlet", "feeds", "entries", "outcomes"]),
        "status": pick(&status, &["feeds", "feeds_failing", "entries", "outcomes", "pending", "leased"]),
        "feeds": each(place.json(["feeds"]), &["url", "outlet", "title", "format", "status", "gaps"]),
        "articles": articles,
        "stories": stories,
    });
    let mut whole: Value = serde_json::from_str(&web.anonymous(&whole.to_string())).unwrap();
    // Ports decide the order of outlets; names do not.
    for list in ["outlets", "feeds", "articles", "stories"] {
        whole[list].as_array_mut().unwrap().sort_by_key(Value::to_string);
    }
    whole
}

/// What the web saw, over all restarts.
pub fn polite(web: &Web, delay: Duration) {
    let hits = web.hits();
    assert!(hits.iter().all(|hit| !hit.path.starts_with("/private/")), "a forbidden request");
    for outlet in 0..web.addresses.len() {
        let mut last: Option<&crate::server::Hit> = None;
        for hit in hits.iter().filter(|hit| hit.outlet == outlet) {
            if let Some(last) = last {
                let gap = hit.began.checked_duration_since(last.ended).unwrap_or_default();
                let (one, two) = (&last.path, &hit.path);
                assert!(gap + GRAIN >= delay, "outlet {outlet}: {gap:?} from {one} to {two}");
            }
            last = Some(hit);
        }
    }
}

/// Compares with an undisturbed crawl, name by name so that a difference can be read.
pub fn same(web: &Web, place: &Place, undisturbed: &Value, how: &str) {
    let verified = place.run(["verify"]);
    assert_eq!(verified.code, Some(0), "{how}: {}{}", verified.out, verified.err);
    let found = result(web, place);
    for (name, expect) in undisturbed.as_object().unwrap() {
        let (expect, found) = (expect.to_string(), found[name].to_string());
        // Of thousands of articles, the place where they differ says enough.
        let at = expect.bytes().zip(found.bytes()).take_while(|(a, b)| a == b).count();
        let near = |text: &str| {
            let from = at.saturating_sub(400);
            String::from_utf8_lossy(&text.as_bytes()[from..text.len().min(at + 400)]).into_owned()
        };
        let (undisturbed, disturbed) = (near(&expect), near(&found));
        assert!(
            expect == found,
            "{how}: {name}\nundisturbed …{undisturbed}…\ndisturbed   …{disturbed}…"
        );
    }
    polite(web, DELAY);
}

/// An undisturbed crawl, and how long it takes.
pub fn undisturbed() -> (Value, Duration) {
    let web = web();
    let place = place(&web);
    let began = Instant::now();
    place.run(["run", "--once"]).good();
    let took = began.elapsed();
    assert!(place.run(["verify"]).good().contains("every number"));
    polite(&web, DELAY);
    (result(&web, &place), took)
}

#[test]
fn killed_at_random_instants_it_ends_as_if_undisturbed() {
    let (expect, took) = undisturbed();
    let wanted =
        std::env::var("CRAWLER_PROOF_KILLS").map_or(KILLS, |n| n.parse().expect("a number"));
    let mut random = Pcg64Mcg::seed_from_u64(7);
    let form = usize::from(std::env::var_os("CRAWLER_PROOF_WEB").is_some());
    let (per_crawl, longest) = (PER_CRAWL[form], took.mul_f64(WITHIN[form]));
    let (mut kills, mut crawls) = (0, 0);
    while kills < wanted {
        let web = web();
        let place = place(&web);
        let mut here = 0;
        let mut instants = Vec::new();
        while here < per_crawl && kills < wanted {
            let instant = longest.mul_f64(random.random_range(0.0..1.0));
            instants.push(instant);
            // The daemon and the single run take turns.
            let child = match crawls % 2 {
                0 => place.command(["run", "--once"]),
                _ => place.command(["run"]),
            }
            .spawn()
            .unwrap();
            std::thread::sleep(instant);
            signal(&child, "KILL");
            let ended = end(child);
            if ended.code.is_some() {
                break;
            }
            here += 1;
            kills += 1;
        }
        place.run(["run", "--once"]).good();
        same(&web, &place, &expect, &format!("killed after {instants:?}"));
        crawls += 1;
    }
    let articles = expect["articles"].as_array().unwrap().len();
    println!(
        "- {kills} kills in {crawls} crawls of {articles} articles, each as the undisturbed one ({took:?})"
    );
}

#[test]
fn it_survives_every_abort_point() {
    let (expect, _) = undisturbed();
    // A long crawl passes each point often enough to die late as well.
    let late = std::env::var_os("CRAWLER_PROOF_WEB").map(|_| 40);
    let passes: Vec<u32> = [1, 3].into_iter().chain(late).collect();
    let settling = SETTLING_POINTS.iter().flat_map(|point| [1, 2].map(|pass| (*point, pass)));
    let rounds: Vec<(&str, u32)> = ABORT_POINTS
        .iter()
        .flat_map(|point| passes.iter().map(move |pass| (*point, *pass)))
        .chain(settling)
        .collect();
    // Most of a crawl is waiting: several run side by side.
    std::thread::scope(|scope| {
        for share in rounds.chunks(rounds.len().div_ceil(4)) {
            let expect = &expect;
            scope.spawn(move || {
                for (point, n) in share {
                    let web = web();
                    let place = place(&web);
                    let at = format!("{point}:{n}");
                    let mut command = place.command(["run", "--once"]);
                    let died = end(command.env("CRAWLER_ABORT_AT", &at).spawn().unwrap());
                    assert_eq!(died.code, None, "nothing died at {at}: {}{}", died.out, died.err);
                    place.run(["run", "--once"]).good();
                    same(&web, &place, expect, &format!("aborted at {at}"));
                    println!("- aborted at {at}: as the undisturbed one");
                }
            });
        }
    });
}

#[test]
fn a_daemon_killed_while_a_backup_is_read_leaves_both_whole() {
    let web = Web::start();
    let place = place(&web);
    let daemon = Daemon::start(&place);
    crate::process::wait_for("some pages", || web.hits().len() > 16);
    place.run(["backup", "copy"]).good();
    drop(daemon);
    place.run(["restore", "copy", "--data-dir", "second"]).good();
    assert!(place.run(["verify", "--data-dir", "second"]).good().contains("every number"));
    assert!(place.run(["verify"]).good().contains("every number"));
}

#[test]
fn a_recount_that_dies_counts_the_old_brands_or_the_new() {
    let web = Web::start();
    let place = Place::seeded(&web);
    place.run(["run", "--once"]).good();
    let counts = || result(&web, &place)["mentions"].clone();
    let old = counts();
    let mut died = 0;
    for n in [1, 2, 7, 30, 1_000] {
        let mut command = place.command(["brands", "add", "statement"]);
        command.env("CRAWLER_ABORT_AT", format!("main-begin:{n}"));
        let ended = end(command.spawn().unwrap());
        assert!(matches!(ended.code, None | Some(0)), "{}", ended.err);
        died += usize::from(ended.code.is_none());
        assert!(place.run(["verify"]).good().contains("every number"), "died at {n}");
        let now = counts();
        let new = now.as_array().unwrap().iter().any(|line| line["brand"] == "statement");
        assert!(new || now == old, "died at {n}: {now}");
        assert!(new || ended.code.is_none(), "a recount that ended well counts");
        if new {
            place.run(["brands", "rm", "statement"]).good();
        }
        assert_eq!(counts(), old);
    }
    assert!(died >= 3, "only {died} recounts died");
}

#[test]
fn a_compaction_that_dies_at_any_point_leaves_the_store_as_it_was() {
    let web = Web::start();
    let place = Place::seeded(&web);
    place.run(["run", "--once"]).good();
    let mentions = place.json(["mentions"]);
    for point in COMPACTION_POINTS {
        let mut command = place.command(["compact"]);
        let died = end(command.env("CRAWLER_ABORT_AT", format!("{point}:1")).spawn().unwrap());
        assert_eq!(died.code, None, "{point} was not passed: {}{}", died.out, died.err);
        place.run(["verify"]).good();
        assert_eq!(place.json(["mentions"]), mentions, "{point}");
    }
    let said = place.run(["compact"]).good();
    assert!(said.contains("the databases now take"), "{said}");
    place.run(["verify"]).good();
    assert_eq!(place.json(["mentions"]), mentions);
}

#[test]
fn a_store_is_compacted_beside_the_daemon() {
    let web = Web::start();
    let place = Place::seeded(&web);
    let daemon = Daemon::start(&place);
    for _ in 0..3 {
        place.run(["compact"]).good();
    }
    daemon.terminate();
    place.run(["run", "--once"]).good();
    place.run(["verify"]).good();
}
