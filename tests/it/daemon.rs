//! `crawler run` from outside: commands beside it, a second one on the same directory, its end by
//! SIGTERM, what a crash leaves of its socket, and `run --once`.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use crate::process::{Daemon, Place, is_filled, wait_for};
use crate::web::{ARTICLES, OUTLETS, SHARED, Web};

/// Entries that end as articles: the listed ones, the moved within and the moved to a neighbour.
const ALL: usize = OUTLETS * (ARTICLES + 2);

fn articles(place: &Place) -> u64 {
    place.json(["status"])["outcomes"]["article"].as_u64().unwrap_or(0)
}

#[test]
fn once_ends_by_itself_with_every_entry_accounted_for() {
    let web = Web::start();
    let place = Place::seeded(&web);
    let said = place.run(["run", "--once"]).good();
    assert!(said.contains(&format!("{ALL} articles")) && said.contains(" 0 pending"), "{said}");
    let status = place.json(["status"]);
    let outcome = |name: &str| status["outcomes"][name].as_u64().unwrap_or(0) as usize;
    assert_eq!(outcome("article"), ALL, "{status}");
    assert_eq!(outcome("moved"), OUTLETS, "{status}");
    assert_eq!(outcome("forbidden"), OUTLETS, "{status}");
    assert_eq!(outcome("failed(status)"), OUTLETS, "{status}");
    assert_eq!(status["entries"], (OUTLETS * (ARTICLES + 5)) as u64, "{status}");
    // Text names Acme once, the furniture names Umbra and counts for nothing.
    let mentions = place.json(["mentions"]);
    let sum = |brand: &str, what: &str| -> i64 {
        let lines = mentions["lines"].as_array().unwrap().iter();
        lines.filter(|l| l["brand"] == brand).map(|l| l[what].as_i64().unwrap()).sum()
    };
    assert_eq!(sum("Acme", "mentions"), ALL as i64, "{mentions}");
    assert_eq!(sum("Acme", "articles"), ALL as i64);
    assert_eq!(sum("Acme", "stories"), (ALL - SHARED * (OUTLETS - 1)) as i64);
    assert_eq!(sum("Umbra", "mentions"), 0, "{mentions}");
    assert!(sum("Umbra", "suppressed") >= 7 * ALL as i64, "{mentions}");
    let stories = place.json(["stories"]);
    let sizes: Vec<&Value> = stories.as_array().unwrap().iter().map(|s| &s["articles"]).collect();
    assert_eq!(sizes, vec![OUTLETS; SHARED], "{stories}");
    stories_of_a_brand(&place);
    assert!(place.run(["verify"]).good().contains(&format!("{ALL} articles")));
    // What cron asks for.
    place.run(["status"]).good();
    // A second run has nothing to fetch but the feeds.
    let before = web.hits().len();
    place.run(["run", "--once"]).good();
    assert!(web.hits()[before..].iter().all(|hit| hit.path == "/feed.xml"));
    assert!(web.hits().iter().all(|hit| !hit.path.starts_with("/private/")));
}

/// The stories of a brand, of all days and of each, are those of its articles: the most carried first.
fn stories_of_a_brand(place: &Place) {
    let articles = place.json(["articles", "--limit", "0"]);
    let articles = articles.as_array().unwrap();
    let days: BTreeSet<&str> = articles.iter().map(|line| line["day"].as_str().unwrap()).collect();
    let (mut ranges, first) = (vec![("0001-01-01", "9999-01-01")], days.first().unwrap());
    ranges.extend(days.iter().flat_map(|day| [(*day, *day), (*first, *day)]));
    for (from, to) in ranges {
        let asked = |line: &&Value| {
            let day = line["day"].as_str().unwrap();
            line["mentions"]["Acme"].is_u64() && from <= day && day <= to
        };
        let ids: BTreeSet<&str> =
            articles.iter().filter(asked).map(|line| line["story"].as_str().unwrap()).collect();
        let mut expected: Vec<(Reverse<u64>, &str, &str)> = articles
            .iter()
            .filter(|line| {
                line["original"] == true && ids.contains(line["story"].as_str().unwrap())
            })
            .map(|line| {
                let text = |name: &str| line[name].as_str().unwrap();
                (Reverse(line["copies"].as_u64().unwrap() + 1), text("day"), text("story"))
            })
            .collect();
        expected.sort();
        let all =
            ["stories", "--brand", "Acme", "--from", from, "--to", to, "--min", "1", "--limit"];
        for limit in ["0", "1", "3", "9"] {
            let found = place.json(all.into_iter().chain([limit]));
            let found: Vec<(Reverse<u64>, &str, &str)> = found
                .as_array()
                .unwrap()
                .iter()
                .map(|line| {
                    let text = |name: &str| line[name].as_str().unwrap();
                    (Reverse(line["articles"].as_u64().unwrap()), text("day"), text("id"))
                })
                .collect();
            let most = limit.parse().ok().filter(|most| *most > 0).unwrap_or(expected.len());
            assert_eq!(found, expected[..most.min(expected.len())], "{from} {to} {limit}");
        }
    }
}

#[test]
fn a_daemon_waits_for_its_first_feed() {
    let web = Web::start();
    let place = Place::new();
    let daemon = Daemon::start(&place);
    let status = place.run(["status"]);
    assert_eq!(status.code, Some(3), "{}", status.out);
    assert!(status.out.contains("no feeds yet"), "{}", status.out);
    place.run(["seed", &web.url(0, "/feed.xml")]).good();
    wait_for("an article", || articles(&place) > 0);
    assert_eq!(daemon.terminate().code, Some(0));
}

#[test]
fn commands_work_beside_a_running_daemon() {
    let web = Web::start();
    let place = Place::seeded(&web);
    let daemon = Daemon::start(&place);
    place.run(["run"]).one_sentence(&["held by another process", "process "]);
    place.run(["run", "--once"]).one_sentence(&["held by another process"]);
    wait_for("all articles", || articles(&place) as usize == ALL);

    let seeded = place.run(["seed", &web.url(0, "/feed.xml"), &web.url(0, "/other.xml")]).good();
    assert!(seeded.contains("1 added, 1 already known"), "{seeded}");
    let removed = place.run(["feeds", "rm", &web.url(0, "/other.xml")]);
    removed.good();
    assert_eq!(place.json(["feeds"]).as_array().unwrap().len(), OUTLETS);

    let added = place.json(["brands", "add", "statement"]);
    assert_eq!(added["articles"], ALL as u64, "{added}");
    let mentions = place.json(["mentions", "--brand", "statement"]);
    let lines = mentions["lines"].as_array().unwrap();
    assert_eq!(lines.iter().map(|l| l["mentions"].as_i64().unwrap()).sum::<i64>(), ALL as i64);
    place.run(["brands", "rm", "statement"]).good();

    assert_eq!(place.run(["export", "--jsonl"]).good().lines().count(), ALL);
    assert_eq!(place.run(["export", "--csv"]).good().lines().count(), 2 * ALL + 1);
    assert!(place.run(["verify"]).good().contains("every number"));
    place.run(["backup", "copy"]).good();
    assert!(is_filled(&place.path("copy")));
    place.run(["backup", "copy"]).one_sentence(&["copy"]);
    place.run(["restore", "copy", "--data-dir", "second"]).good();
    let log = place.json(["log", "--what", "store", "--data-dir", "second"]);
    assert!(log.to_string().contains("restored from copy"), "{log}");
    let second = place.json(["mentions", "--data-dir", "second"]);
    assert_eq!(second["lines"], place.json(["mentions"])["lines"]);
    assert!(place.run(["verify", "--data-dir", "second"]).good().contains("every number"));
    place.run(["restore", "copy"]).one_sentence(&["data"]);
    place.run(["show", "00000000000000000000000000000000"]).one_sentence(&["no article"]);

    let ended = daemon.terminate();
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.out.contains("0 pending"), "{}", ended.out);
    assert!(!place.path("data/control.sock").exists());
    assert_eq!(articles(&place) as usize, ALL);
}

#[test]
fn the_socket_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let web = Web::start();
    let place = Place::seeded(&web);
    let _daemon = Daemon::start(&place);
    wait_for("the socket's mode", || {
        let mode = std::fs::metadata(place.path("data/control.sock")).unwrap().permissions().mode();
        mode & 0o777 == 0o600
    });
}

#[test]
fn a_stale_socket_is_replaced_and_stops_nobody() {
    let web = Web::start();
    let place = Place::seeded(&web);
    // Dropped by kill -9: the socket stays behind.
    drop(Daemon::start(&place));
    assert!(place.path("data/control.sock").exists());
    assert!(place.run(["mentions"]).good().contains("brand"));
    let daemon = Daemon::start(&place);
    wait_for("all articles", || articles(&place) as usize == ALL);
    daemon.terminate().good();
}

#[test]
fn a_daemon_of_another_version_says_so() {
    use std::io::{BufRead, BufReader, Write};
    use std::os::unix::net::UnixListener;
    let place = Place::new();
    std::fs::create_dir(place.path("data")).unwrap();
    let listener = UnixListener::bind(place.path("data/control.sock")).unwrap();
    std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut question = String::new();
        BufReader::new(&stream).read_line(&mut question).unwrap();
        assert!(question.contains(env!("CARGO_PKG_VERSION")), "{question}");
        (&stream).write_all(b"{\"error\":\"the daemon is crawler 9.9.9\"}\n").unwrap();
    });
    place.run(["mentions"]).one_sentence(&["the daemon is crawler 9.9.9"]);
}

#[test]
fn terminated_early_it_ends_well_and_goes_on_later() {
    let web = Web::start();
    let mut place = Place::seeded(&web);
    place.set("pace.delay=40ms");
    let daemon = Daemon::start(&place);
    wait_for("the first pages", || web.hits().len() > 12);
    daemon.terminate().good();
    let before = articles(&place);
    assert!(place.run(["verify"]).good().contains("every number"));
    place.run(["run", "--once"]).good();
    assert_eq!(articles(&place) as usize, ALL, "{before} before");
    // Nothing that was committed is fetched a second time.
    let mut pages: Vec<(usize, String)> =
        web.hits().into_iter().map(|hit| (hit.outlet, hit.path)).collect();
    pages.retain(|(_, path)| path.starts_with("/news-"));
    let all = pages.len();
    pages.sort();
    pages.dedup();
    assert_eq!(pages.len(), all);
}

#[test]
fn the_service_manager_is_told_how_the_daemon_is() {
    let web = Web::start();
    let place = Place::seeded(&web);
    let manager = std::os::unix::net::UnixDatagram::bind(place.path("notify")).unwrap();
    manager.set_read_timeout(Some(std::time::Duration::from_secs(60))).unwrap();
    let heard = || {
        let mut state = [0; 64];
        let length = manager.recv(&mut state).unwrap();
        String::from_utf8_lossy(&state[..length]).into_owned()
    };
    let mut command = place.command(["run"]);
    command.env("NOTIFY_SOCKET", place.path("notify")).env("WATCHDOG_USEC", "4000000");
    let daemon = Daemon::of(&place, command);
    assert_eq!(heard(), "READY=1");
    assert_eq!(heard(), "WATCHDOG=1");
    assert_eq!(daemon.terminate().code, Some(0));
    let mut last = heard();
    while last == "WATCHDOG=1" {
        last = heard();
    }
    assert_eq!(last, "STOPPING=1");
}

#[test]
fn a_hangup_reads_the_brand_list_again() {
    let web = Web::start();
    let mut place = Place::seeded(&web);
    place.set("brands=brands.txt");
    let daemon = Daemon::start(&place);
    let brands = || place.json(["brands"]).to_string();
    assert!(brands().contains("Acme") && !brands().contains("Zenith"));
    place.write("brands.txt", "Acme\nUmbra\nZenith\n");
    daemon.signal("HUP");
    wait_for("the new brand", || brands().contains("Zenith"));
    // A list that cannot be read changes nothing, and the daemon goes on.
    std::fs::remove_file(place.path("brands.txt")).unwrap();
    daemon.signal("HUP");
    let ended = daemon.terminate();
    assert_eq!(ended.code, Some(0));
    assert!(brands().contains("Zenith"));
}

#[test]
fn brands_added_and_removed_at_once_are_all_added_and_removed() {
    let place = Place::new();
    let names: Vec<String> = (0..12).map(|n| format!("Brand{n}")).collect();
    let (kept, gone) = names.split_at(6);
    place.write("brands.txt", gone.join("\n"));
    let daemon = Daemon::start(&place);
    place.run(["brands", "import", "brands.txt"]).good();
    std::thread::scope(|scope| {
        for name in kept {
            scope.spawn(|| place.run(["brands", "add", name]).good());
        }
        for name in gone {
            scope.spawn(|| place.run(["brands", "rm", name]).good());
        }
    });
    let set = place.json(["brands"]);
    let mut watched: Vec<&str> =
        set["brands"].as_array().unwrap().iter().map(|b| b["name"].as_str().unwrap()).collect();
    watched.sort_unstable();
    assert_eq!(watched, kept);
    daemon.terminate().good();
}

#[test]
fn a_request_that_cannot_be_read_is_answered_in_a_sentence_and_harms_nobody() {
    let place = Place::new();
    let daemon = Daemon::start(&place);
    let send = |line: &[u8]| {
        let mut stream = UnixStream::connect(place.path("data/control.sock")).unwrap();
        stream.write_all(line).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let ours = env!("CARGO_PKG_VERSION");
    for (line, words) in [
        ("", "the request is cut off"),
        ("\n", "cannot read the request"),
        ("{}\n", "missing field `version`"),
        // The command of another version may be of any form.
        ("{\"version\":\"0.0.0\",\"command\":[1]}\n", "use the same version"),
        (&format!("{{\"version\":\"{ours}\",\"command\":{{\"order\":\"dance\"}}}}\n"), "dance"),
        (&format!("{{\"version\":\"{ours}\",\"command\":{{\"question\":\"st"), "is cut off"),
    ] {
        let answer = send(line.as_bytes());
        assert!(answer.starts_with("{\"error\":") && answer.contains(words), "{line}: {answer}");
    }
    assert!(send(b"\xff\n").contains("cannot read the request"));
    // Those who connect and say nothing do not keep others waiting for long.
    let silent: Vec<UnixStream> =
        (0..4).map(|_| UnixStream::connect(place.path("data/control.sock")).unwrap()).collect();
    assert!(place.json(["status"]).is_object());
    drop(silent);
    daemon.terminate().good();
}

#[test]
fn what_ends_well_closes_its_files_and_what_is_killed_is_not_read_whole() {
    let web = Web::start();
    let place = Place::seeded(&web);
    let journals = || {
        let months = std::fs::read_dir(place.path("data/articles")).unwrap();
        let folders = months.map(|month| month.unwrap().path()).chain([place.path("data/main")]);
        folders.filter(|folder| folder.join("journal").exists()).count()
    };
    place.run(["run", "--once"]).good();
    assert_eq!(journals(), 0, "after a single run");
    let daemon = Daemon::start(&place);
    wait_for("an answer", || articles(&place) == ALL as u64);
    daemon.terminate().good();
    assert_eq!(journals(), 0, "after a daemon");
    let daemon = Daemon::start(&place);
    wait_for("an answer", || articles(&place) == ALL as u64);
    wait_for("a journal", || journals() > 0);
    daemon.signal("KILL");
    drop(daemon);
    assert!(journals() > 0);
    let read = Arc::new(AtomicBool::new(false));
    let note = read.clone();
    let mut builder = redb::Database::builder();
    builder.set_repair_callback(move |_| note.store(true, Ordering::Relaxed));
    drop(builder.open(place.path("data/main/rows.redb")).unwrap());
    assert!(!read.load(Ordering::Relaxed));
    assert!(place.run(["verify"]).good().contains(&format!("{ALL} articles")));
}
