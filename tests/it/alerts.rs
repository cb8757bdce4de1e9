//! Alerts from outside: what is told reaches those who are to be told, once they can be reached, whatever
//! dies meanwhile.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::process::{Daemon, Place, wait_for};
use crate::server::{Ask, Server, Step, answer};
use crate::web::html;

/// Articles that the press lists from the start, and later.
const FIRST: usize = 2;
const LATER: usize = 8;

/// A request to the webhook.
#[derive(Clone, Debug)]
struct Told {
    head: String,
    body: Value,
}

/// An outlet (0) whose feed grows when it is told to, and somebody who is told (1).
struct World {
    server: Server,
    grown: Arc<AtomicBool>,
    told: Arc<Mutex<Vec<Told>>>,
    /// How the webhook answers.
    status: Arc<AtomicUsize>,
}

const GOOD: usize = 204;
const BAD: usize = 503;
const MOVED: usize = 302;
/// It asks for an hour.
const LATER_PLEASE: usize = 429;
/// It takes what it is sent, and says nothing for ever.
const SILENT: usize = 0;

impl World {
    fn start() -> World {
        let grown: Arc<AtomicBool> = Arc::default();
        let told: Arc<Mutex<Vec<Told>>> = Arc::default();
        let status = Arc::new(AtomicUsize::new(GOOD));
        let (more, heard, says) = (grown.clone(), told.clone(), status.clone());
        let server = Server::start(2, |addresses| {
            let base = format!("http://{}", addresses[0]);
            move |ask: &Ask| match ask.outlet {
                0 => press(ask.path, &base, more.load(Ordering::Relaxed)),
                _ => {
                    let body = serde_json::from_str(ask.body).unwrap_or_default();
                    let head = ask.head.to_lowercase();
                    heard.lock().unwrap().push(Told { head, body });
                    match says.load(Ordering::Relaxed) {
                        GOOD => answer("204 No Content", &["Connection: close"], ""),
                        MOVED => {
                            let to = format!("Location: {base}/robots.txt");
                            answer("302 Found", &[&to, "Connection: close"], "")
                        }
                        LATER_PLEASE => {
                            let pause = ["Retry-After: 3600", "Connection: close"];
                            answer("429 Too Many Requests", &pause, "")
                        }
                        SILENT => {
                            vec![Step::Forever(Vec::new(), std::time::Duration::from_millis(50))]
                        }
                        _ => answer("503 Service Unavailable", &["Connection: close"], ""),
                    }
                }
            }
        });
        World { server, grown, told, status }
    }

    /// A place that follows the outlet, and knows the target `desk` and one that is dead.
    fn place(&self) -> Place {
        let mut place = Place::new();
        place.write("secret", "between us\n");
        let secret = place.path("secret");
        // Nobody listens there.
        place.set(&format!(
            "deliver.targets=[{{name=\"desk\",webhook=\"{}\",secret_file=\"{}\"}},\
             {{name=\"dead\",webhook=\"http://127.0.0.1:1/\"}}]",
            self.server.url(1, "/hook"),
            secret.display()
        ));
        place.set("deliver.retry=1s");
        place.set("deliver.retry_max=1s");
        place.set("deliver.deadline=2s");
        place.run(["seed", &self.server.url(0, "/feed.xml")]).good();
        place.run(["brands", "add", "Acme"]).good();
        place.run(["run", "--once"]).good();
        place
    }

    fn told(&self) -> Vec<Told> {
        self.told.lock().unwrap().clone()
    }

    fn says(&self, status: usize) {
        self.status.store(status, Ordering::Relaxed);
    }
}

fn press(path: &str, base: &str, grown: bool) -> Vec<Step> {
    let published = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    match path {
        "/robots.txt" => answer("404 Not Found", &[], ""),
        "/feed.xml" => {
            let all = if grown { FIRST + LATER } else { FIRST };
            let items: String = (0..all)
                .map(|n| format!("<item><title>{n}</title><link>{base}/{n}.html</link></item>"))
                .collect();
            crate::web::rss(&items)
        }
        path => {
            let seed =
                path.bytes().fold(7, |sum: u64, b| sum.wrapping_mul(31).wrapping_add(u64::from(b)));
            let page = html(seed, 0, 1, &published);
            // The last one has the brand in its headline, and more than that.
            let page = match path.starts_with("/9.") {
                true => ["<h1>", "<title>"].iter().fold(page, |page, tag| {
                    page.replace(tag, &format!("{tag}Acme &lt;script&gt; @all "))
                }),
                false => page,
            };
            answer("200 OK", &["Content-Type: text/html"], page)
        }
    }
}

/// What a test of an alert says that a target did not take.
fn not_taken(place: &Place, alert: &str) -> String {
    let tested = place.run(["alerts", "test", alert]);
    assert_eq!(tested.code, Some(3), "{}{}", tested.out, tested.err);
    tested.out
}

#[test]
fn what_happens_is_told_and_a_dead_target_keeps_nobody_waiting() {
    let world = World::start();
    let mut place = world.place();
    let add = |name: &str, rest: &[&str]| {
        let mut args = vec!["alerts", "add", name];
        args.extend(rest);
        place.run(args).good();
    };
    add("busy", &["--when", "at-least 5", "--brand", "Acme", "--to", "dead", "--to", "desk"]);
    add("calm", &["--when", "at-least 500", "--brand", "Acme", "--to", "desk"]);
    add("news", &["--when", "headline", "--brand", "Acme", "--to", "desk"]);
    let unknown = place.run(["alerts", "add", "x", "--when", "unusual", "--to", "nobody"]);
    unknown.one_sentence(&["no target `nobody`", "desk, dead"]);
    let targets = place.json(["alerts", "targets"]);
    assert_eq!((&targets[0]["name"], &targets[1]["name"]), (&"desk".into(), &"dead".into()));
    // What is there when an alert is set is no news.
    place.run(["run", "--once"]).good();
    assert!(world.told().is_empty(), "{:?}", world.told());

    world.grown.store(true, Ordering::Relaxed);
    place.run(["run", "--once"]).good();
    let told = world.told();
    let mut alerts: Vec<&str> = told.iter().map(|t| t.body["alert"].as_str().unwrap()).collect();
    alerts.sort_unstable();
    assert_eq!(alerts, ["busy", "news"], "{told:?}");
    let of = |name: &str| told.iter().find(|told| told.body["alert"] == name).unwrap();
    let busy = &of("busy").body;
    assert_eq!((&busy["count"], &busy["what"]), (&Value::from(LATER), &Value::from("fired")));
    assert_eq!(busy["sentence"], "8 articles that count Acme in 24 h; the alert is at 5");
    let news = &of("news").body;
    assert!(news["articles"][0]["title"].as_str().unwrap().contains("<script> @all"), "{news}");
    let text = news["text"].as_str().unwrap();
    assert!(!text.contains('<') && !text.contains('@') && text.contains("/9.html"), "{text}");
    assert!(of("busy").head.contains("x-crawler-event: busy-"), "{}", of("busy").head);
    assert!(of("busy").head.contains("x-crawler-signature: t="), "{}", of("busy").head);

    // One of two has it, the other is tried again; nothing is told twice.
    let history = place.json(["alerts", "history", "busy"]);
    let deliveries = &history[0]["deliveries"];
    assert!(deliveries[0]["done"].is_null() && deliveries[0]["next"].is_i64(), "{deliveries}");
    assert!(deliveries[1]["done"].is_i64() && deliveries[1]["next"].is_null(), "{deliveries}");
    place.run(["run", "--once"]).good();
    assert_eq!(world.told().len(), 2);
    let lines = place.json(["alerts"]);
    let line = |name: &str| {
        lines.as_array().unwrap().iter().find(|line| line["name"] == name).unwrap().clone()
    };
    assert!(line("busy")["firing"].is_i64() && line("busy")["waiting"] == 1, "{lines}");
    assert!(line("calm")["firing"].is_null() && line("news")["waiting"] == 0, "{lines}");

    // A try says at once what came of it.
    let tested = not_taken(&place, "busy");
    assert!(tested.contains("desk: taken") && tested.contains("dead: "), "{tested}");
    assert_eq!(world.told().last().unwrap().body["what"], "test");
    let digest = place.run(["digest", "--from", "2020-01-01", "--brand", "Acme"]).good();
    assert!(digest.contains("articles that count Acme 0"), "{digest}");
    // What the target asks for is the pause.
    world.says(LATER_PLEASE);
    place.set("deliver.retry_max=2h");
    not_taken(&place, "news");
    let event = &place.json(["alerts", "history", "news"])[0];
    let delivery = &event["deliveries"][0];
    let wait = delivery["next"].as_i64().unwrap() - event["at"].as_i64().unwrap();
    assert!((3_600_000..7_200_000).contains(&wait), "{event}");
    // Nothing said that a target had left the configuration. One that was tried lately may be another process's.
    let [desk, spare] = ["desk", "spare"]
        .map(|name| format!("{{name=\"{name}\",webhook=\"http://127.0.0.1:1/\"}}"));
    place.set(&format!("deliver.targets=[{desk},{spare}]"));
    let later = ["later", "--when", "at-least 500", "--brand", "Acme", "--to", "spare"];
    place.run([&["alerts", "add"], &later[..]].concat()).good();
    let named = |place: &Place, alert: &str, target: &str| {
        let told = format!(
            "the alert {alert} is sent to {target}, and the configuration names no such target"
        );
        ["status", "doctor"].map(|what| place.run([what]).out.contains(&told))
    };
    assert_eq!(named(&place, "later", "spare"), [false; 2]);
    place.set(&format!("deliver.targets=[{desk}]"));
    assert_eq!(named(&place, "later", "spare"), [true; 2]);
    assert_eq!(named(&place, "busy", "dead"), [false; 2]);
    place.run(["alerts", "rm", "busy"]).good();
    place.run(["alerts", "history", "busy"]).one_sentence(&["no alert is named `busy`"]);
    assert!(place.run(["verify"]).good().contains("articles"));
}

#[test]
fn what_is_looked_for_is_told_as_what_counts_a_brand() {
    let world = World::start();
    let place = world.place();
    let add = |name: &str, rest: &[&str]| {
        let mut args = vec!["alerts", "add", name];
        args.extend(rest);
        place.run(args)
    };
    // The last article has it in its headline, all have the brand.
    add("all", &["--when", "headline", "--query", "\"acme script\"", "--to", "desk"]).good();
    add("none", &["--when", "headline", "--query", "zebra", "--to", "desk"]).good();
    add("both", &["--when", "at-least 1", "--query", "script", "--brand", "Acme", "--to", "desk"])
        .good();
    add("not", &["--when", "at-least 1", "--query", "acme NOT acme", "--to", "desk"]).good();
    add("many", &["--when", "at-least 8", "--query", "acme", "--to", "desk"]).good();
    add("fresh", &["--when", "new-outlet", "--query", "acme", "--to", "desk"]).good();
    add("x", &["--when", "headline", "--query", "\"acme"]).one_sentence(&["phrase begins"]);
    add("x", &["--when", "headline", "--query", " "]).one_sentence(&["query is empty"]);
    add("x", &["--when", "headline"]).one_sentence(&["needs a brand or a query"]);
    add("x", &["--when", "daily", "--query", "acme"]).one_sentence(&["leave the query out"]);
    place.run(["run", "--once"]).good();
    assert!(world.told().is_empty(), "{:?}", world.told());

    world.grown.store(true, Ordering::Relaxed);
    place.run(["run", "--once"]).good();
    place.run(["run", "--once"]).good();
    let mut told: Vec<String> = world
        .told()
        .iter()
        .map(|told| format!("{}: {}", told.body["alert"], told.body["sentence"]))
        .collect();
    told.sort();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[0].starts_with("\"all\": \"“\\\"acme script\\\"” in the headline"), "{told:?}");
    let both = "1 article that counts Acme and has “script” in 24 h; the alert is at 1";
    assert_eq!(told[1], format!("\"both\": \"{both}\""));
    let many = "8 articles that have “acme” in 24 h; the alert is at 8";
    assert_eq!(told[2], format!("\"many\": \"{many}\""));

    let without = "search.enabled=false";
    place.run(["run", "--once", "--set", without]).good();
    place
        .run(["alerts", "add", "x", "--when", "unusual", "--query", "acme", "--set", without])
        .one_sentence(&["search is switched off"]);
}

#[test]
fn an_event_outlives_whatever_ends_between_it_and_its_delivery() {
    let world = World::start();
    let place = world.place();
    let args = ["alerts", "add", "busy", "--when", "at-least 5", "--brand", "Acme", "--to", "desk"];
    place.run(args).good();
    place.run(["run", "--once"]).good();
    world.grown.store(true, Ordering::Relaxed);
    // Refused, then led elsewhere: nothing follows there, and nothing is lost.
    world.says(BAD);
    place.run(["run", "--once"]).good();
    assert_eq!(world.told().len(), 1);
    world.says(MOVED);
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    place.run(["run", "--once"]).good();
    assert_eq!(world.told().len(), 2);
    let error = place.json(["alerts", "history", "busy"])[0]["deliveries"][0]["error"].clone();
    assert!(error.as_str().unwrap().contains("redirects are not followed"), "{error}");
    // The process dies while the target has it and has not said so.
    world.says(SILENT);
    let daemon = Daemon::start(&place);
    wait_for("an attempt", || world.told().len() > 2);
    drop(daemon);
    world.says(GOOD);
    let daemon = Daemon::start(&place);
    wait_for("another attempt", || {
        place.json(["alerts"])[0]["waiting"] == 0 && world.told().len() > 3
    });
    assert_eq!(daemon.terminate().code, Some(0));
    // Whoever gets it again knows it by its name.
    let told = world.told();
    let id = told[0].body["id"].as_str().unwrap();
    assert!(id.starts_with("busy-") && id.ends_with("-1"), "{id}");
    assert!(told.iter().all(|told| told.body["id"] == id), "{told:?}");
}

/// How a mail server is.
#[derive(Default)]
struct Post {
    busy: AtomicBool,
    /// Seconds that it looks through a mail before it says that it has it.
    slow: AtomicUsize,
    /// Seconds that it thinks about an address.
    hesitant: AtomicUsize,
    /// Of these addresses it knows none.
    gone: Mutex<Vec<&'static str>>,
}

/// A mail with those that it is for.
#[derive(Clone, Debug)]
struct Mail {
    to: Vec<String>,
    text: String,
}

/// A mail server; what it was sent.
fn mail_server(post: Arc<Post>) -> (std::net::SocketAddr, Arc<Mutex<Vec<Mail>>>) {
    use std::io::{BufRead, BufReader, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let mails: Arc<Mutex<Vec<Mail>>> = Arc::default();
    let kept = mails.clone();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            if post.busy.load(Ordering::Relaxed) {
                let _ = stream.write_all(b"421 later\r\n");
                continue;
            }
            let _ = stream.write_all(b"220 mail.test\r\n");
            let mut lines =
                BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
            let mut to = Vec::new();
            while let Some(line) = lines.next() {
                let answer = match line.split(' ').next().unwrap_or_default() {
                    "EHLO" => "250-mail.test\r\n250 8BITMIME\r\n",
                    "RCPT" => {
                        let hesitant = post.hesitant.load(Ordering::Relaxed) as u64;
                        std::thread::sleep(std::time::Duration::from_secs(hesitant));
                        let gone = post.gone.lock().unwrap();
                        if gone.iter().any(|gone| line.contains(gone)) {
                            "550 5.1.1 no such user\r\n"
                        } else {
                            to.push(line["RCPT TO:".len()..].to_owned());
                            "250 good\r\n"
                        }
                    }
                    "DATA" => {
                        let _ = stream.write_all(b"354 go on\r\n");
                        let mail: Vec<String> =
                            lines.by_ref().take_while(|line| line != ".").collect();
                        let slow = post.slow.load(Ordering::Relaxed) as u64;
                        std::thread::sleep(std::time::Duration::from_secs(slow));
                        let (to, text) = (std::mem::take(&mut to), mail.join("\n"));
                        kept.lock().unwrap().push(Mail { to, text });
                        "250 taken\r\n"
                    }
                    "QUIT" => "221 bye\r\n",
                    _ => "250 good\r\n",
                };
                if stream.write_all(answer.as_bytes()).is_err() {
                    break;
                }
            }
        }
    });
    (address, mails)
}

/// A place that sends mails to a server.
fn mailing(server: std::net::SocketAddr, targets: &str) -> Place {
    let mut place = Place::new();
    place.set(targets);
    place.set(&format!("deliver.mail={{server=\"smtp://{server}\",from=\"crawler@a.test\"}}"));
    place.set("deliver.retry=1s");
    place.set("deliver.deadline=4s");
    place.run(["brands", "add", "Acme"]).good();
    place
}

/// It was sent again and again to whoever took longer to say that it has it.
#[test]
fn a_mail_is_taken_however_long_its_server_looks_through_it() {
    let post: Arc<Post> = Arc::default();
    post.slow.store(5, Ordering::Relaxed);
    let (address, mails) = mail_server(post);
    let place = mailing(address, "deliver.targets=[{name=\"press\",mail=[\"press@a.test\"]}]");
    place.run(["alerts", "add", "lost", "--when", "coverage 90", "--to", "press"]).good();
    let tested = place.run(["alerts", "test", "lost"]).good();
    assert!(tested.contains("press: taken"), "{tested}");
    assert_eq!(mails.lock().unwrap().len(), 1);
}

/// Each address could take until the deadline, and nobody waited any more when the text was taken.
#[test]
fn no_text_is_begun_after_the_deadline() {
    let post: Arc<Post> = Arc::default();
    post.hesitant.store(3, Ordering::Relaxed);
    let (address, mails) = mail_server(post);
    let all = "mail=[\"a@a.test\",\"b@a.test\"]";
    let place = mailing(address, &format!("deliver.targets=[{{name=\"press\",{all}}}]"));
    place.run(["alerts", "add", "lost", "--when", "coverage 90", "--to", "press"]).good();
    let tested = not_taken(&place, "lost");
    assert!(tested.contains("no answer within 4s"), "{tested}");
    assert_eq!(mails.lock().unwrap().len(), 0);
}

/// One colleague had left, and nobody got any mail.
#[test]
fn an_address_that_is_refused_keeps_a_mail_from_no_other() {
    let post: Arc<Post> = Arc::default();
    *post.gone.lock().unwrap() = vec!["gone@a.test", "away@a.test"];
    let (address, mails) = mail_server(post.clone());
    let all = "mail=[\"a@a.test\",\"gone@a.test\",\"away@a.test\",\"b@a.test\"]";
    let place = mailing(address, &format!("deliver.targets=[{{name=\"press\",{all}}}]"));
    place.run(["alerts", "add", "lost", "--when", "coverage 90", "--to", "press"]).good();
    let tested = not_taken(&place, "lost");
    for address in ["gone@a.test", "away@a.test"] {
        let why = format!("{address}: permanent error (550): 5.1.1 no such user");
        assert!(tested.contains(&why), "{tested}");
    }
    assert!(!tested.contains(" a@a.test"), "{tested}");
    let to = |n: usize| mails.lock().unwrap()[n].to.clone();
    assert_eq!(to(0), ["<a@a.test>", "<b@a.test>"]);
    // Who has it does not get it again.
    *post.gone.lock().unwrap() = vec!["gone@a.test"];
    let daemon = Daemon::start(&place);
    wait_for("the mail", || mails.lock().unwrap().len() > 1);
    assert_eq!(to(1), ["<away@a.test>"]);
    post.gone.lock().unwrap().clear();
    wait_for("the last mail", || place.json(["alerts"])[0]["waiting"] == 0);
    assert_eq!(daemon.terminate().code, Some(0));
    assert_eq!((to(2), mails.lock().unwrap().len()), (vec!["<gone@a.test>".to_owned()], 3));
}

#[test]
fn a_mail_waits_for_its_server() {
    let post: Arc<Post> = Arc::default();
    post.busy.store(true, Ordering::Relaxed);
    let (address, mails) = mail_server(post.clone());
    let place = mailing(address, "deliver.targets=[{name=\"press\",mail=[\"press@a.test\"]}]");
    place.run(["brands", "add", "Acme <script>alert(1)</script>"]).good();
    let brand = "Acme <script>alert(1)</script>";
    let args = ["alerts", "add", "news", "--when", "headline", "--brand", brand, "--to", "press"];
    place.run(args).good();
    let tested = not_taken(&place, "news");
    assert!(tested.contains("press: ") && tested.contains("1 attempt"), "{tested}");
    assert!(mails.lock().unwrap().is_empty());
    post.busy.store(false, Ordering::Relaxed);
    let daemon = Daemon::start(&place);
    wait_for("the mail", || !mails.lock().unwrap().is_empty());
    assert_eq!(daemon.terminate().code, Some(0));
    let mail = mails.lock().unwrap()[0].text.clone();
    for field in ["Message-ID: <news-", "To: press@a.test", "Auto-Submitted: auto-generated"] {
        assert!(mail.contains(field), "{mail}");
    }
    assert!(mail.contains("multipart/alternative") && mail.contains("text/html"), "{mail}");
    assert!(!mail.contains("<script"), "parts are encoded: {mail}");
}

/// A run that one outlet kept busy for hours told nothing until its end.
#[test]
fn a_single_run_tells_what_happens_before_its_end() {
    let order = Arc::new(Mutex::new(Vec::new()));
    let grown = Arc::new(AtomicBool::new(false));
    let (noted, more) = (order.clone(), grown.clone());
    let web = Server::start(3, |_| {
        move |ask: &Ask| match (ask.outlet, ask.path) {
            (0 | 1, "/feed.xml") => {
                let item = "<item><title>Acme</title><link>/9.html</link></item>";
                crate::web::rss(if more.load(Ordering::Relaxed) { item } else { "" })
            }
            (0, "/9.html") => press(ask.path, "", true),
            (1, "/9.html") => {
                // It answers once somebody is told, or at last.
                for _ in 0..400 {
                    if noted.lock().unwrap().contains(&"told") {
                        break;
                    }
                    std::thread::sleep(std::time::Duration::from_millis(50));
                }
                noted.lock().unwrap().push("answered");
                answer("404 Not Found", &[], "")
            }
            (2, _) => {
                noted.lock().unwrap().push("told");
                answer("204 No Content", &["Connection: close"], "")
            }
            _ => answer("404 Not Found", &[], ""),
        }
    });
    let mut place = Place::new();
    let hook = web.url(2, "/hook");
    place.set(&format!("deliver.targets=[{{name=\"desk\",webhook=\"{hook}\"}}]"));
    for limit in ["first_byte", "total"] {
        place.set(&format!("fetch.{limit}=60s"));
    }
    place.write("feeds.txt", [0, 1].map(|n| web.url(n, "/feed.xml")).join("\n"));
    place.run(["seed", "feeds.txt"]).good();
    place.run(["brands", "add", "Acme"]).good();
    place.run(["run", "--once"]).good();
    place.run(["alerts", "add", "news", "--when", "headline", "--brand", "Acme", "--to", "desk"]);
    grown.store(true, Ordering::Relaxed);
    // Ten minutes are two seconds.
    place.clock = Some("300".to_owned());
    place.run(["run", "--once"]).good();
    assert_eq!(*order.lock().unwrap(), ["told", "answered"]);
}
