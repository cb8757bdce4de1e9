//! What an operator is told before anything goes wrong: settings and their sources, what is missing for a
//! crawl, completions and manual pages.

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::process::{Daemon, Ended, Place, end, free_port, signal, wait_for};
use crate::scratch::Scratch;
use crate::web::Web;

/// What the doctor says, and how it ends.
fn doctor(place: &Place) -> (Option<i32>, Vec<Value>) {
    let ended = end(place.command(["doctor", "--json"]).spawn().unwrap());
    let lines = serde_json::from_str(&ended.out);
    (ended.code, lines.unwrap_or_else(|e| panic!("{e}: {}{}", ended.out, ended.err)))
}

/// What it says of one thing: is it good, and the words.
fn of(lines: &[Value], what: &str) -> (bool, String) {
    let line = lines.iter().find(|line| line["what"] == what);
    let line = line.unwrap_or_else(|| panic!("nothing about {what}: {lines:?}"));
    (line["good"] == true, line["says"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn a_crawl_without_a_contact_does_not_start() {
    let web = Web::start();
    let mut place = Place::seeded(&web);
    place.set("guard.allow=[]");
    place.run(["run", "--once"]).one_sentence(&[
        "no `contact` is set",
        "config.toml",
        "guard.allow",
    ]);
    place.run(["run"]).one_sentence(&["no `contact` is set"]);
    place.run(["run", "--role", "worker"]).one_sentence(&["no `contact` is set"]);
    let (code, lines) = doctor(&place);
    assert_eq!(code, Some(3));
    let (good, says) = of(&lines, "contact");
    assert!(!good && says.contains("contact = \"you@example.org\""), "{says}");
    // Who only serves asks nobody: the daemon is up when its socket answers.
    let daemon = Daemon::of(&place, place.command(["run", "--role", "serve"]));
    assert_eq!(place.json(["status"])["feeds"], place.json(["feeds"]).as_array().unwrap().len());
    drop(daemon);
}

#[test]
fn the_doctor_says_what_is_good_and_what_to_do() {
    let web = Web::start();
    let empty = Place::new();
    let (code, lines) = doctor(&empty);
    assert_eq!(code, Some(3));
    assert!(!of(&lines, "store").0);
    assert!(of(&lines, "store").1.contains("crawler seed FEEDS"));
    let mut place = Place::seeded(&web);
    place.run(["run", "--once"]).good();
    let (code, lines) = doctor(&place);
    let bad: Vec<_> = lines.iter().filter(|line| line["good"] != true).collect();
    // The web of the tests has feeds that fail; whatever is wrong is said by `status`, too.
    assert!(bad.iter().all(|line| line["what"] == "status"), "{bad:?}");
    assert_eq!(code, Some(if bad.is_empty() { 0 } else { 3 }));
    let said = place.run(["doctor"]);
    assert!(said.out.lines().any(|line| line.starts_with("good  disk ")), "{}", said.out);
    // While a daemon holds the store it is asked.
    let daemon = Daemon::start(&place);
    assert!(of(&doctor(&place).1, "store").0);
    daemon.terminate();
    place.write("key.pem", "no key");
    std::fs::set_permissions(place.path("key.pem"), std::fs::Permissions::from_mode(0o644))
        .unwrap();
    place.write("wrong.model", "no model");
    for setting in [
        "store.min_free_mib=900000000",
        "tls.certificate=key.pem",
        "tls.key=key.pem",
        "model=wrong.model",
        "brands=nowhere.toml",
        "listen=203.0.113.1:9",
        "contact=nobody",
    ] {
        place.set(setting);
    }
    let (code, lines) = doctor(&place);
    assert_eq!(code, Some(3));
    for (what, word) in [
        ("disk", "make room"),
        ("permissions", "chmod 600 key.pem"),
        ("tls", "key.pem"),
        ("model", "wrong.model"),
        ("brand list", "nowhere.toml"),
        ("listen", "cannot listen on 203.0.113.1:9"),
        ("contact", "neither a mail address nor a web page"),
        ("tokens", "crawler token add"),
    ] {
        let (good, says) = of(&lines, what);
        assert!(!good && says.contains(word), "{what}: {says}");
    }
    place.set("pace.dealy=1s");
    let (code, lines) = doctor(&place);
    assert_eq!((code, lines.len()), (Some(3), 1));
    assert!(of(&lines, "configuration").1.contains("is `pace.delay` meant?"));
}

#[test]
fn everything_was_good_though_alerts_and_archive_could_not_be_written() {
    let mut place = Place::new();
    place.write("config.toml", "[[deliver.targets]]\nname = \"desk\"\nwebhook = \"https://chat.test/x\"\n\
        secret_file = \"desk.secret\"\n[[deliver.targets]]\nname = \"owner\"\nmail = [\"a@b.test\"]\n\
        [deliver.mail]\nserver = \"smtps://mail.test\"\nfrom = \"a@b.test\"\nuser = \"a\"\n\
        password_file = \"mail.password\"\n");
    place.set("archive.dir=raw/pages");
    let (good, says) = of(&doctor(&place).1, "targets");
    assert!(!good && says.contains("desk.secret") && says.contains("mail.password"), "{says}");
    let (good, says) = of(&doctor(&place).1, "archive");
    assert!(good && says.contains("raw/pages can be written"), "{says}");
    place.write("desk.secret", "\n");
    place.write("mail.password", "secret");
    let (good, says) = of(&doctor(&place).1, "targets");
    assert!(!good && says.contains("desk.secret is empty") && !says.contains("mail"), "{says}");
    place.write("desk.secret", "secret");
    assert!(of(&doctor(&place).1, "targets").0);
    place.write("raw", "a file");
    for dir in ["/proc/x", "raw"] {
        place.set(&format!("archive.dir={dir}"));
        let (good, says) = of(&doctor(&place).1, "archive");
        assert!(!good && says.contains("`archive.dir`"), "{dir}: {says}");
    }
}

#[test]
fn every_file_with_a_secret_that_others_can_read_is_named() {
    let place = Place::new();
    let config = "[[deliver.targets]]\nname = \"desk\"\nwebhook = \"https://chat.test/hooks/T0\"\n\
                  secret_file = \"desk.secret\"\n\
                  [[deliver.targets]]\nname = \"owner\"\nmail = [\"a@b.test\"]\n\
                  [deliver.mail]\nserver = \"smtps://mail.test\"\nfrom = \"a@b.test\"\nuser = \"a\"\n\
                  password_file = \"mail.password\"\n";
    let files = ["config.toml", "desk.secret", "mail.password"];
    for (file, text) in files.into_iter().zip([config, "secret", "secret"]) {
        place.write(file, text);
        let open = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(place.path(file), open).unwrap();
    }
    for file in files {
        let (good, says) = of(&doctor(&place).1, "permissions");
        assert!(!good && says.contains(&format!("chmod 600 {file}")), "{file}: {says}");
        let closed = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(place.path(file), closed).unwrap();
    }
    assert!(of(&doctor(&place).1, "permissions").0);
}

#[test]
fn settings_are_shown_with_their_sources() {
    let mut place = Place::new();
    place.write("config.toml", "workers = 3\nstore = \"postgres://a:secret@127.0.0.1:1/news\"\n");
    place.set("contact=a@b.test");
    let mut command = place.command(["config", "show", "--json", "--data-dir", "elsewhere"]);
    command.env("CRAWLER_PACE__PAUSE", "9s");
    let shown: Vec<Value> = serde_json::from_str(&end(command.spawn().unwrap()).good()).unwrap();
    let check = |key: &str, value: Value, source: Value| {
        let setting = shown.iter().find(|s| s["key"] == key).unwrap();
        assert_eq!((&setting["value"], &setting["source"]), (&value, &source), "{key}");
    };
    check("workers", 3.into(), serde_json::json!({"file": "config.toml"}));
    check(
        "store.url",
        "postgres://a:…@127.0.0.1:1/news".into(),
        serde_json::json!({"file": "config.toml"}),
    );
    check("pace.pause", "9s".into(), serde_json::json!({"environment": "CRAWLER_PACE__PAUSE"}));
    check("contact", "a@b.test".into(), serde_json::json!({"flag": "--set"}));
    check("data_dir", "elsewhere".into(), serde_json::json!({"flag": "--data-dir"}));
    check("drain", 8.into(), "default".into());
    check("retention.texts", Value::Null, "default".into());
    let table = place.run(["config", "show", "guard"]).good();
    assert_eq!(table.lines().count(), 3, "{table}");
    let changed = place.run(["config", "show", "--changed"]).good();
    assert!(!changed.contains("drain") && changed.contains("flag --set"), "{changed}");
    place.run(["config", "show", "gaurd"]).one_sentence(&["is `guard` meant?"]);
    // Every shell's words, and a page for every command.
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(place.run(["completions", shell]).good().contains("mentions"), "{shell}");
    }
    place.run(["man", "man1"]).good();
    for page in ["crawler.1", "crawler-mentions.1", "crawler-outlets-block.1"] {
        let page = std::fs::read_to_string(place.path("man1").join(page)).unwrap();
        assert!(page.contains(".SH OPTIONS") && page.contains("\\-\\-data\\-dir"), "{page}");
    }
}

/// A copy of the shipped file was 93 changes.
#[test]
fn what_is_written_as_it_is_shipped_is_no_change() {
    let mut place = Place::new();
    place.settings.clear();
    place.write("config.toml", include_str!("../../config.toml"));
    let changed: Vec<Value> =
        serde_json::from_str(&place.run(["config", "show", "--changed", "--json"]).good()).unwrap();
    assert_eq!(changed, Vec::<Value>::new());
    assert!(of(&doctor(&place).1, "configuration").1.contains("; 0 settings not as shipped"));
    place.set("drain=9");
    let changed = place.run(["config", "show", "drain", "--changed"]).good();
    assert!(changed.contains("flag --set"), "{changed}");
    place.run(["config", "show", "workers", "--changed"]).good();
}

/// One after the other, each of them was free.
#[test]
fn two_keys_of_one_address_are_named() {
    let mut place = Place::new();
    let at = format!("127.0.0.1:{}", free_port());
    place.set(&format!("listen={at}"));
    place.set(&format!("metrics_listen={at}"));
    let lines = doctor(&place).1;
    assert!(of(&lines, "listen").0);
    let (good, says) = of(&lines, "metrics_listen");
    assert!(!good && says.contains("set `metrics_listen` to another address"), "{says}");
}

/// It was told to set another address, since a daemon with a database has no socket.
#[test]
fn a_daemon_with_a_database_may_hold_its_address() {
    let server = Scratch::start();
    let mut place = Place::new();
    let at = format!("127.0.0.1:{}", free_port());
    place.set(&format!("listen={at}"));
    place.set(&format!("store={}", server.database("doctor")));
    let daemon = place.command(["run", "--role", "serve"]).spawn().unwrap();
    wait_for("the daemon's address", || std::net::TcpStream::connect(&at).is_ok());
    let (good, says) = of(&doctor(&place).1, "listen");
    assert!(good && says.contains("held, and a daemon runs here"), "{says}");
    signal(&daemon, "TERM");
    end(daemon).good();
}

/// Nobody asked there, and nobody can ask over TLS: a daemon that was well was to have another address.
#[test]
fn a_daemon_with_a_database_is_known_by_its_other_address_or_not_at_all() {
    let server = Scratch::start();
    let mut place = Place::new();
    let at = format!("127.0.0.1:{}", free_port());
    place.set("listen=");
    place.set(&format!("metrics_listen={at}"));
    place.set(&format!("store={}", server.database("doctor")));
    let daemon = place.command(["run"]).spawn().unwrap();
    wait_for("the daemon's address", || std::net::TcpStream::connect(&at).is_ok());
    let (good, says) = of(&doctor(&place).1, "metrics_listen");
    assert!(good && says.contains("held, and a daemon runs here"), "{says}");
    place.set("tls.certificate=cert.pem");
    let (good, says) = of(&doctor(&place).1, "metrics_listen");
    assert!(good && says.contains("is held; if no daemon runs here, set"), "{says}");
    // One that runs would hold this one, too.
    place.set(&format!("listen=127.0.0.1:{}", free_port()));
    let (good, says) = of(&doctor(&place).1, "metrics_listen");
    assert!(!good && says.contains("set `metrics_listen` to another address"), "{says}");
    signal(&daemon, "TERM");
    end(daemon).good();
}

/// Whatever program said at the address that it was well was taken for a daemon.
#[test]
fn another_program_at_the_address_is_no_daemon() {
    let server = Scratch::start();
    let mut place = Place::new();
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = other.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut asked in other.incoming().flatten() {
            let _ = asked.read(&mut [0; 512]);
            let _ = asked
                .write_all(b"HTTP/1.1 200 OK\r\nserver: other\r\nconnection: close\r\n\r\nok\n");
        }
    });
    place.set(&format!("listen={at}"));
    place.set(&format!("store={}", server.database("doctor")));
    let (good, says) = of(&doctor(&place).1, "listen");
    assert!(!good && says.contains("set `listen` to another address"), "{says}");
}

#[test]
fn commands_that_need_no_store_run_without_one() {
    let place = Place::new();
    let check = |args: &[&str]| -> Ended { place.run(args) };
    for args in [&["config"][..], &["completions", "bash"], &["man"], &["doctor"]] {
        check(args);
    }
    assert!(!place.path("data").exists());
}
