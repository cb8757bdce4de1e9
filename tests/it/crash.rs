//! The process dies — by `kill -9` at random instants, and by itself at every abort point of the
//! commit path — and is started again until the crawl is done. What is found then is what an
//! undisturbed crawl finds, and the web saw no forbidden, overlapping or hasty request.

use std::time::{Duration, Instant};

use crawler::store::{ABORT_POINTS, COMPACTION_POINTS};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde_json::{Value, json};

use crate::process::{Daemon, Place, end, signal};
use crate::web::Web;

/// Distance between two requests to one outlet.
const DELAY: Duration = Duration::from_millis(50);
/// Instants are kept in milliseconds: a distance can look that much shorter from outside.
const GRAIN: Duration = Duration::from_millis(1);
/// Kills in the short form; `CRAWLER_PROOF_KILLS` asks for another number.
const KILLS: usize = 5;
/// A crawl of this web has no more than so many crashes in it.
const PER_CRAWL: usize = 4;

fn place(web: &Web) -> Place {
    let mut place = Place::seeded(web);
    place.set(&format!("pace.delay={}ms", DELAY.as_millis()));
    place
}

/// Everything that must not depend on crashes: no instants of the crawl, no counts of polls, no
/// story ids (they are named after the member that came first), no addresses.
fn result(web: &Web, place: &Place) -> Value {
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
fn polite(web: &Web) {
    let hits = web.hits();
    assert!(hits.iter().all(|hit| !hit.path.starts_with("/private/")), "a forbidden request");
    for outlet in 0..web.addresses.len() {
        let mut last: Option<&crate::web::Hit> = None;
        for hit in hits.iter().filter(|hit| hit.outlet == outlet) {
            if let Some(last) = last {
                let gap = hit.began.checked_duration_since(last.ended).unwrap_or_default();
                let (one, two) = (&last.path, &hit.path);
                assert!(gap + GRAIN >= DELAY, "outlet {outlet}: {gap:?} from {one} to {two}");
            }
            last = Some(hit);
        }
    }
}

/// Compares with an undisturbed crawl, name by name so that a difference can be read.
fn same(web: &Web, place: &Place, undisturbed: &Value, how: &str) {
    let verified = place.run(["verify"]);
    assert_eq!(verified.code, Some(0), "{how}: {}{}", verified.out, verified.err);
    let found = result(web, place);
    for (name, expect) in undisturbed.as_object().unwrap() {
        let (expect, found) = (expect.to_string(), found[name].to_string());
        assert!(expect == found, "{how}: {name}\nundisturbed {expect}\ndisturbed   {found}");
    }
    polite(web);
}

/// An undisturbed crawl, and how long it takes.
fn undisturbed() -> (Value, Duration) {
    let web = Web::start();
    let place = place(&web);
    let began = Instant::now();
    place.run(["run", "--once"]).good();
    let took = began.elapsed();
    assert!(place.run(["verify"]).good().contains("every number"));
    polite(&web);
    (result(&web, &place), took)
}

#[test]
fn killed_at_random_instants_it_ends_as_if_undisturbed() {
    let (expect, took) = undisturbed();
    let wanted =
        std::env::var("CRAWLER_PROOF_KILLS").map_or(KILLS, |n| n.parse().expect("a number"));
    let mut random = Pcg64Mcg::seed_from_u64(7);
    let (mut kills, mut crawls) = (0, 0);
    while kills < wanted {
        let web = Web::start();
        let place = place(&web);
        let mut here = 0;
        let mut instants = Vec::new();
        while here < PER_CRAWL && kills < wanted {
            let instant = took.mul_f64(random.random_range(0.0..1.0));
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
    println!("{kills} kills in {crawls} crawls, each as the undisturbed one ({took:?})");
}

#[test]
fn it_survives_every_abort_point() {
    let (expect, _) = undisturbed();
    let rounds: Vec<(&str, u32)> =
        ABORT_POINTS.iter().flat_map(|point| [(*point, 1), (*point, 3)]).collect();
    // Most of a crawl is waiting: several run side by side.
    std::thread::scope(|scope| {
        for share in rounds.chunks(rounds.len().div_ceil(4)) {
            let expect = &expect;
            scope.spawn(move || {
                for (point, n) in share {
                    let web = Web::start();
                    let place = place(&web);
                    let at = format!("{point}:{n}");
                    let mut command = place.command(["run", "--once"]);
                    let died = end(command.env("CRAWLER_ABORT_AT", &at).spawn().unwrap());
                    assert_eq!(died.code, None, "nothing died at {at}: {}{}", died.out, died.err);
                    place.run(["run", "--once"]).good();
                    same(&web, &place, expect, &format!("aborted at {at}"));
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
        command.env("CRAWLER_ABORT_AT", format!("main-apply:{n}"));
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
    assert!(said.contains("the main database takes"), "{said}");
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
