//! Who may ask and what leaves the house, from outside: tokens beside a running daemon and without
//! one, files that nobody else may read, and nothing on a terminal that could move it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::process::{self, Daemon, Place, free_port, wait_for};
use crate::scratch::Scratch;
use crate::web::Web;

/// Status and body of a GET.
fn get(at: SocketAddr, path: &str, token: Option<&str>) -> (u16, String) {
    let mut stream = TcpStream::connect(at).unwrap();
    let bearer = token.map(|token| format!("Authorization: Bearer {token}\r\n"));
    let head = format!("GET {path} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n");
    stream.write_all(format!("{head}{}\r\n", bearer.unwrap_or_default()).as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

#[test]
fn tokens_are_made_beside_a_daemon_and_without_one() {
    let mut place = Place::new();
    let port = free_port();
    place.set(&format!("listen=\"0.0.0.0:{port}\""));
    place.set(&format!("metrics_listen=\"127.0.0.1:{}\"", free_port()));
    let before = place.run(["token", "add", "before"]).good();
    let daemon = Daemon::start(&place);
    let at = SocketAddr::from(([127, 0, 0, 1], port));
    wait_for("the listener", || TcpStream::connect(at).is_ok());
    let (status, said) = get(at, "/api/v1/brands", None);
    assert_eq!(status, 401);
    assert!(said.contains("crawler token add NAME --scope read"), "{said}");
    assert_eq!(get(at, "/healthz", None).0, 200);
    assert_eq!(get(at, "/api/v1/brands", Some(before.trim())).0, 200);

    let beside = place.json(["token", "add", "beside", "--scope", "metrics", "--expires", "90d"]);
    let beside = beside["token"].as_str().unwrap();
    assert_eq!(get(at, "/metrics", Some(beside)).0, 200);
    assert_eq!(get(at, "/api/v1/brands", Some(beside)).0, 403);
    place.run(["token", "revoke", "before"]).good();
    assert_eq!(get(at, "/api/v1/brands", Some(before.trim())).0, 401);
    daemon.terminate();

    let listed = place.json(["token"]);
    let names: Vec<&str> =
        listed.as_array().unwrap().iter().map(|line| line["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["before", "beside"]);
    assert!(listed[1]["used"].is_i64() && listed[1]["expires"].is_i64(), "{listed}");
    let table = place.run(["token", "list"]).good();
    assert!(table.contains("revoked") && table.contains("metrics"), "{table}");
    place.run(["token", "add", "beside"]).one_sentence(&["`beside`", "crawler token revoke"]);
    place.run(["token", "revoke", "nobody"]).one_sentence(&["`nobody`", "crawler token list"]);
    place.run(["token", "add", "x", "--scope", "all"]).code.filter(|code| *code == 2).unwrap();
    // No listing shows a secret.
    for shown in [listed.to_string(), table] {
        assert!(!shown.contains(beside) && !shown.contains(before.trim()));
    }
}

#[test]
fn a_worker_was_a_door_to_everything() {
    for (role, all) in [("worker", false), ("serve", true), ("all", true)] {
        let mut place = Place::new();
        let at = SocketAddr::from(([127, 0, 0, 1], free_port()));
        place.set(&format!("listen=\"{at}\""));
        let daemon = Daemon::of(&place, place.command(["run", "--role", role]));
        wait_for("the listener", || TcpStream::connect(at).is_ok());
        for path in ["/healthz", "/metrics"] {
            assert_eq!(get(at, path, None).0, 200, "{role}: {path}");
        }
        for path in ["/", "/login", "/api/v1/status", "/api/v1/mentions", "/api/v1/openapi.json"] {
            assert_eq!(get(at, path, None).0 != 404, all, "{role}: {path}");
        }
        let ended = daemon.terminate();
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        assert_eq!(ended.err.contains("dashboard on"), all, "{role}: {}", ended.err);
    }
}

#[test]
fn what_others_wrote_reaches_no_terminal_as_commands() {
    let place = Place::new();
    let hostile = "Acme\u{1b}[2J\u{202e}\u{9b}31m";
    let list = |name: &str| format!("[[brand]]\nname = {}\n", serde_json::json!(name));
    place.write("hostile.toml", list(hostile));
    // A name that no article can hold is refused; one that turns the line round is none of these.
    let turned = "Acme\u{202e}31m";
    place.write("turned.toml", list(turned));
    place.run(["brands", "import", "turned.toml"]).good();
    let said = |args: &[&str]| {
        let ended = place.run(args);
        ended.out + &ended.err
    };
    let shown = [
        said(&["brands"]),
        said(&["brands", "--json"]),
        said(&["brands", "import", "hostile.toml"]),
        said(&["mentions", "--brand", "Nobody"]),
        said(&["mentions", "--brand", hostile]),
        said(&["outlets", "pause", hostile]),
        said(&["seed", hostile]),
    ];
    for text in &shown {
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{9b}']), "{text:?}");
    }
    assert!(shown[0].contains("Acme\\u202e31m"), "{}", shown[0]);
    let json: serde_json::Value = serde_json::from_str(&shown[1]).unwrap();
    assert!(json.to_string().contains(turned), "{json}");
    assert!(shown[2].contains("Acme\\u001b[2J\\u202e"), "{}", shown[2]);
}

/// Every file and folder below, with its permissions.
fn modes(dir: &Path) -> Vec<(String, u32, bool)> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_owned()];
    while let Some(path) = open.pop() {
        let about = std::fs::symlink_metadata(&path).unwrap();
        found.push((
            path.display().to_string(),
            about.permissions().mode() & 0o777,
            about.is_dir(),
        ));
        if about.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|file| file.unwrap().path()));
        }
    }
    found
}

#[test]
fn a_store_is_its_owners_alone_and_a_forgotten_address_is_nowhere_in_it() {
    let web = Web::start();
    let place = Place::seeded(&web);
    // As a version before has left it.
    for (path, _, folder) in modes(&place.path("data")) {
        let mode = if folder { 0o755 } else { 0o644 };
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    place.run(["run", "--once"]).good();
    place.run(["backup", "copy"]).good();
    for dir in ["data", "copy"] {
        for (path, mode, folder) in modes(&place.path(dir)) {
            assert_eq!(mode, if folder { 0o700 } else { 0o600 }, "{path}");
        }
    }
    let articles = place.json(["articles"]);
    let url = articles[0]["url"].as_str().unwrap().to_owned();
    let path = url.rsplit_once('/').map(|(_, last)| last).unwrap();
    assert!(place.run(["export", "--whole"]).good().contains(&url), "{path}");
    place.run(["forget", &url]).good();
    let whole = place.run(["export", "--whole"]).good();
    let tombstones: Vec<&str> = whole.lines().filter(|line| line.contains("forgotten")).collect();
    assert!(!tombstones.is_empty());
    for line in tombstones {
        assert!(!line.contains(&url), "{line}");
    }
    let decisions = std::fs::read_to_string(place.path("data/decisions.jsonl")).unwrap();
    assert!(!decisions.contains(&url), "{decisions}");
    // It is known again all the same.
    place.run(["run", "--once"]).good();
    let still = place.json(["articles"]).to_string();
    assert!(!still.contains(&format!("\"{url}\"")), "{still}");
    place.run(["verify"]).good();
}

/// Whoever decides is known by the system, beside a daemon and without one; what was forgotten is named
/// by its key alone.
#[test]
fn the_log_tells_who_decided_what() {
    let web = Web::start();
    let place = Place::seeded(&web);
    place.run(["run", "--once"]).good();
    let article = place.json(["articles"])[0].clone();
    let text = |name: &str| article[name].as_str().unwrap().to_owned();
    let (url, key, outlet) = (text("url"), text("key"), text("outlet"));
    let daemon = Daemon::start(&place);
    place.run(["outlets", "delay", &outlet, "7s"]).good();
    place.run(["forget", &url]).good();
    daemon.terminate();
    place.run(["brands", "add", "Globex"]).good();
    place.run(["token", "add", "office"]).good();

    let log = place.json(["log"]);
    let log = log.as_array().unwrap();
    let own = std::process::Command::new("id").arg("-un").output().unwrap();
    let own = String::from_utf8(own.stdout).unwrap().trim().to_owned();
    let said: Vec<(&str, &str, &str)> = log
        .iter()
        .filter(|line| line["who"] == own.as_str() && line["what"] != "feed")
        .map(|line| {
            let text = |name: &str| line[name].as_str().unwrap();
            (text("via"), text("what"), text("decision"))
        })
        .take(4)
        .collect();
    let (delayed, forgotten) = (
        format!("outlet {outlet} requested with a delay of 7000 ms"),
        format!("entry {key} forgotten"),
    );
    assert_eq!(
        said[..2],
        [("user", "token", "token office made, for read"), ("user", "brands", "watched: Globex"),]
    );
    assert!(said[2].2.starts_with(&forgotten) && said[2].1 == "forgotten", "{said:?}");
    assert_eq!(said[3], ("user", "outlet", delayed.as_str()));
    let feeds = place.json(["log", "--what", "feed", "--who", &own]);
    assert_eq!(feeds.as_array().unwrap().len(), web.feeds().lines().count());
    assert_eq!(place.json(["log", "--to", "2001-01-01"]), serde_json::json!([]));
    let table = place.run(["log", "--what", "outlet"]).good();
    assert!(table.contains(&delayed) && table.ends_with("1 decision\n"), "{table}");
    // The second copy has the log, too.
    let copy = std::fs::read_to_string(place.path("data/decisions.jsonl")).unwrap();
    let decided: Vec<&str> = copy.lines().filter(|line| line.starts_with("{\"decided\"")).collect();
    assert_eq!(decided.len(), log.len());
    for text in [serde_json::to_string(log).unwrap(), decided.join("\n"), table] {
        assert!(!text.contains(&url), "{text}");
    }
    place.run(["verify"]).good();
}

/// It asked a database for its tokens on a thread of the runtime, and ended.
#[test]
fn a_daemon_over_a_database_began_to_listen_beyond_loopback_and_panicked() {
    let server = Scratch::start();
    let mut place = Place::new();
    let port = free_port();
    place.set(&format!("listen=\"0.0.0.0:{port}\""));
    place.set(&format!("store={}", server.database("door")));
    let daemon = place.command(["run"]).spawn().unwrap();
    let at = SocketAddr::from(([127, 0, 0, 1], port));
    wait_for("the listener", || TcpStream::connect(at).is_ok());
    assert_eq!(get(at, "/api/v1/brands", None).0, 401);
    let token = place.run(["token", "add", "office"]).good();
    assert_eq!(get(at, "/api/v1/log?what=token", Some(token.trim())).0, 200);
    process::signal(&daemon, "TERM");
    let ended = process::end(daemon);
    assert!(ended.err.contains("nobody has a token yet"), "{}", ended.err);
}
