//! Labels set by hand: a page of the demo labelled by keyboard in a real browser, reloaded, printed and
//! trained on; the same from text files; and what may not be.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::process::{Place, wait_for};
use crate::server::{Ask, Server, answer};

const PAGE: &str = "<!doctype html><title>Bridge</title><script>document.title='owned'</script>\
    <nav><a href=/>Home</a> <a href=/sport>Sport</a></nav>\
    <div class=story><h1>Old bridge to close</h1><p>By <a href=/ann>Ann Berg</a></p>\
    <p>The council met on Monday to decide about the old bridge in the north of the town.</p>\
    <p>Repairs will take two years and cost eight million, engineers said in the evening.</p></div>\
    <div class=ad><a href=http://ad.example/>Buy shoes</a><img src=http://ad.example/p.gif alt=Shoes></div>";

/// Leaves of the page: Home, Sport, title, By, name, two paragraphs, the advertisement's two.
const TITLE: usize = 2;

fn corpus(place: &Place) {
    std::fs::create_dir_all(place.path("ours/pages")).unwrap();
    let mut gold = String::new();
    for id in ["a", "b"] {
        place.write(&format!("ours/pages/{id}.html"), PAGE);
        let text = "The council met on Monday to decide about the old bridge in the north of the town.\n\
                    Repairs will take two years and cost eight million, engineers said in the evening.";
        let line = json!({ "id": id, "lang": "en", "domain": "x.example", "text": text });
        gold.push_str(&format!("{line}\n"));
    }
    place.write("ours/gold.jsonl", gold);
}

/// Trains on a page or two, which is too little for a model that reads other pages. It is written, and said.
fn trained(place: &Place, args: &[&str]) {
    let ended = place.run(args);
    assert_eq!(ended.code, Some(3), "{}", ended.err);
    assert!(
        ended.err.contains("m.model: the model") && ended.err.contains("cannot be used"),
        "{}",
        ended.err
    );
}

#[test]
fn labels_from_files_are_kept_compared_and_trained_on() {
    let place = Place::new();
    corpus(&place);
    let annotate =
        |more: &[&str]| place.run([&["annotate", "ours", "--labels", "labels"][..], more].concat());
    let printed = annotate(&["--print", "a"]).good();
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), 9, "{printed}");
    assert_eq!(lines[TITLE], "2 h1 Old bridge to close");
    assert!(lines[8].ends_with("[picture: Shoes]"), "{printed}");

    place.write("all.txt", "# by hand\n2 title\n4 a\n5-6 paragraph\n7-8 advertisement\n");
    annotate(&["--keep", "a", "all.txt"]).good();
    annotate(&["--keep", "b", "all.txt"]).good();
    place.write("less.txt", "2 title\n5 paragraph\n");
    annotate(&["--pass", "2", "--keep", "a", "less.txt"]).good();
    assert!(annotate(&["--list"]).good().contains("2 of 2 pages finished in pass 1"));
    assert!(
        annotate(&["--list", "--pass", "2"]).good().contains("1 of 2 pages finished in pass 2")
    );
    let kept = std::fs::read_to_string(place.path("labels/ours/pass1/a.jsonl")).unwrap();
    assert!(!kept.contains("council") && kept.contains("\"label\":\"advertisement\""), "{kept}");

    let agreement = place.json(["annotate", "ours", "--labels", "labels", "--agreement"]);
    assert_eq!((&agreement["pages"], &agreement["leaves"]), (&json!(1), &json!(9)));
    let similarity = agreement["similarity"]["value"].as_f64().unwrap();
    assert!(similarity > 0.1 && similarity < 0.99, "{agreement}");
    let errors = place.json(["annotate", "ours", "--labels", "labels", "--against-gold"]);
    assert_eq!(errors.as_array().unwrap().len(), 3);
    for error in errors.as_array().unwrap() {
        assert_eq!(error["score"]["document_accuracy"], json!(1.0), "{error}");
    }

    let train =
        ["train", "--labeler", "svm", "--labels", "title,author,content,advertisement,none"];
    let with = ["--annotations", "labels", "-o", "m.model", "ours"];
    trained(&place, &[&train[..], &with].concat());
    place
        .run(["train", "--labeler", "threshold", "--annotations", "labels", "-o", "x", "ours"])
        .one_sentence(&["visible leaves"]);

    let check = |args: &[&str], words: &[&str]| annotate(args).one_sentence(words);
    check(&["--print", "c"], &["`c` is no page of ours"]);
    place.write("bad.txt", "2 title\n5-99 paragraph\n");
    check(&["--keep", "a", "bad.txt"], &["5-99", "it has 9"]);
    place.write("bad.txt", "2 title\n5 paragraf\n");
    check(&["--keep", "a", "bad.txt"], &["bad.txt", "line 2", "paragraf"]);
    check(&["--keep", "a", "nowhere.txt"], &["cannot read nowhere.txt"]);
    annotate(&["--pass", "2", "--keep", "b", "less.txt"]).good();
    place.write("ours/pages/a.html", format!("{PAGE}<p>One more"));
    // A page that was cut into other leaves since is left out, and named.
    let left_out = "1 page left out: the labels of `a` are of other leaves";
    assert!(annotate(&["--agreement"]).good().contains(left_out));
    assert!(annotate(&["--against-gold"]).good().contains(left_out));
    let agreement = place.json(["annotate", "ours", "--labels", "labels", "--agreement"]);
    assert_eq!((&agreement["pages"], &agreement["left_out"]), (&json!(1), &json!(["a"])));
    let ended = place.run([&train[..], &with].concat());
    assert_eq!(ended.code, Some(3), "{}", ended.err);
    assert!(ended.err.contains("left out: the labels of `a`"), "{}", ended.err);
    std::fs::remove_file(place.path("labels/ours/pass1/b.jsonl")).unwrap();
    check(&["--agreement"], &["`a`", "label it again"]);
    check(&["--against-gold"], &["`a`", "label it again"]);
    place.run([&train[..], &with].concat()).one_sentence(&["`a`", "label it again"]);
    place.write("labels/ours/pass1/a.jsonl", "{");
    check(&["--list"], &["a.jsonl line 1"]);
}

#[test]
fn labels_of_a_page_without_a_gold_text_are_trained_on() {
    let place = Place::new();
    corpus(&place);
    place.write("ours/gold.jsonl", "{\"id\":\"a\",\"url\":\"http://x.example/a\"}\n");
    place.write("all.txt", "2 title\n5-6 paragraph\n");
    place.run(["annotate", "ours", "--labels", "labels", "--keep", "a", "all.txt"]).good();
    let labels = ["train", "--labeler", "svm", "--labels", "title,content,none"];
    let with = ["--annotations", "labels", "-o", "m.model", "ours"];
    trained(&place, &[&labels[..], &with].concat());
}

#[test]
fn nothing_is_added_to_a_corpus_without_a_browser() {
    let place = Place::new();
    let args = ["annotate", "new", "--labels", "labels", "--drawn", "drawn"];
    let with = ["--capture", "http://127.0.0.1:9/story", "--browser", "no-such-browser"];
    place.run([&args[..], &with].concat()).one_sentence(&["cannot start the browser"]);
    assert!(!place.path("new").exists());
}

/// A browser that is told what to do through two pipes (Chrome DevTools Protocol).
struct Browser {
    child: Child,
    say: File,
    hear: BufReader<File>,
    session: Value,
    asked: u64,
}

/// A browser of this machine.
fn installed() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .flat_map(|dir| names.map(|name| dir.join(name)))
        .find(|file| file.is_file())
}

impl Browser {
    /// `None`: none is installed.
    fn open(place: &Place, address: &str) -> Option<Browser> {
        let file = installed()?;
        let [say, hear] = ["say", "hear"].map(|name| place.path(name));
        assert!(Command::new("mkfifo").args([&say, &hear]).status().unwrap().success());
        let start = "exec \"$0\" --headless --no-sandbox --disable-gpu --no-first-run \
            --disable-background-networking --disable-component-update --disable-sync \
            --window-size=1500,900 --remote-debugging-pipe \"--user-data-dir=$1\" about:blank \
            3<\"$2\" 4>\"$3\"";
        let child = Command::new("sh")
            .args(["-c", start])
            .args([&file, &place.path("profile"), &say, &hear])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Each waits until the other side is open, in the order in which the shell opens them.
        let say = File::options().write(true).open(say).unwrap();
        let hear = BufReader::new(File::open(hear).unwrap());
        let mut browser = Browser { child, say, hear, session: Value::Null, asked: 0 };
        let target = browser.ask("Target.createTarget", json!({ "url": address }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        browser.session = browser.ask("Target.attachToTarget", attach)["sessionId"].clone();
        Some(browser)
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let answer = self.answer(method, params);
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].clone()
    }

    fn answer(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let mut message = json!({ "id": self.asked, "method": method, "params": params });
        if !self.session.is_null() {
            message["sessionId"] = self.session.clone();
        }
        self.say.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let mut answer = Vec::new();
            self.hear.read_until(0, &mut answer).unwrap();
            answer.pop();
            let answer: Value = serde_json::from_slice(&answer).expect("the browser has gone");
            if answer["id"] == json!(self.asked) {
                return answer;
            }
        }
    }

    /// The value of an expression on the page.
    fn value(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true });
        self.ask("Runtime.evaluate", params)["result"]["value"].clone()
    }

    fn wait(&mut self, expression: &str) {
        // While a page is loaded there is nothing to ask.
        wait_for(expression, || {
            let params = json!({ "expression": expression, "returnByValue": true });
            self.answer("Runtime.evaluate", params)["result"]["result"]["value"] == json!(true)
        });
    }

    fn press(&mut self, keys: &str) {
        for key in keys.chars() {
            let key = key.to_string();
            self.ask(
                "Input.dispatchKeyEvent",
                json!({ "type": "keyDown", "key": key, "text": key }),
            );
            self.ask("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key }));
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `crawler annotate` until it is dropped.
struct Tool {
    child: Child,
    address: String,
}

impl Tool {
    fn start(place: &Place) -> Tool {
        let mut child = place.command(["annotate", "ours", "--labels", "labels"]).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).unwrap_or_else(|| panic!("{line}"));
        Tool { child, address: format!("http://{}", address.trim()) }
    }

    /// The answer to a request, head and body.
    fn raw(&self, request: &str) -> String {
        let at = self.address.trim_start_matches("http://").trim_end_matches('/');
        let mut stream = std::net::TcpStream::connect(at).unwrap();
        let request = request.replace("HOST", at);
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn put(&self, page: &str, body: &str) -> String {
        let head = "Content-Type: application/json\r\nConnection: close\r\n";
        let length = body.len();
        self.raw(&format!(
            "PUT /pages/{page} HTTP/1.1\r\nHost: HOST\r\n{head}Content-Length: {length}\r\n\r\n{body}"
        ))
    }
}

impl Drop for Tool {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_page_is_labelled_by_keyboard() {
    let place = Place::new();
    corpus(&place);
    let tool = Tool::start(&place);
    let Some(mut browser) = Browser::open(&place, &tool.address) else {
        eprintln!("skipped: no chromium in PATH, so no page was labelled by keyboard");
        return;
    };
    browser.wait("document.querySelectorAll('#tree .number').length === 9");
    // The title; the author's name; two paragraphs at once; the subtree of the advertisement.
    browser.press("jjtjaJ");
    assert_eq!(browser.value("document.querySelectorAll('#tree .chosen').length"), json!(2));
    browser.press("p");
    browser.press("hx");
    browser.wait("document.getElementById('state').textContent === 'saved'");
    // A slip, and back.
    browser.press("kkku");
    let labels = "[...document.querySelectorAll('#tree .label')].map((l) => l.textContent).join()";
    let undone = browser.value(labels);
    browser.press("x");
    let expect = ",,title,,author,paragraph,paragraph,advertisement,advertisement";
    browser.wait(&format!("{labels} === '{expect}'"));
    assert_ne!(undone, json!(expect));
    browser.wait("document.getElementById('state').textContent === 'saved'");

    browser.ask("Page.reload", json!({}));
    browser.wait(&format!("{labels} === '{expect}'"));
    let frame = browser.value("document.getElementById('frame').getAttribute('sandbox')");
    assert_eq!(frame, json!(""), "no script may run in the page");
    if let Some(to) = std::env::var_os("CRAWLER_PICTURE") {
        browser.press("jjjjj");
        std::thread::sleep(std::time::Duration::from_secs(2));
        let picture = browser.ask("Page.captureScreenshot", json!({}));
        std::fs::write(to, picture["data"].as_str().unwrap()).unwrap();
    }
    browser.press("n");
    browser.wait("document.getElementById('progress').textContent === '1 of 2 pages finished'");
    browser.wait("location.hash === '#b'");

    let kept = std::fs::read_to_string(place.path("labels/ours/pass1/a.jsonl")).unwrap();
    assert!(kept.contains("\"done\":true") && kept.contains("\"element\":"), "{kept}");
    let train =
        ["train", "--labeler", "svm", "--labels", "title,author,content,advertisement,none"];
    let with = ["--annotations", "labels", "-o", "m.model", "ours"];
    trained(&place, &[&train[..], &with].concat());
    let shown = place.run(["model", "show", "--weights", "advertisement", "m.model"]).good();
    assert!(shown.starts_with("for advertisement"), "{shown}");
}

#[test]
fn only_this_machines_own_page_may_ask() {
    let place = Place::new();
    corpus(&place);
    let tool = Tool::start(&place);
    let get = |path: &str, more: &str| {
        tool.raw(&format!("GET {path} HTTP/1.1\r\nHost: HOST\r\n{more}Connection: close\r\n\r\n"))
    };
    let frame = get("/frames/a", "");
    assert!(frame.starts_with("HTTP/1.1 200"), "{frame}");
    assert!(frame.contains("sandbox") && frame.contains("default-src 'none'"), "{frame}");
    for bad in ["<script", "href=", "src=", "owned"] {
        assert!(!frame.contains(bad), "{bad}: {frame}");
    }
    assert!(get("/pages/c", "").starts_with("HTTP/1.1 404"));
    assert!(get("/pages/a", "Origin: http://evil.example\r\n").starts_with("HTTP/1.1 403"));
    let rebound = "GET /desk HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
    assert!(tool.raw(rebound).starts_with("HTTP/1.1 421"));
    let said = |to: usize, revision: &str| {
        let marks = json!([{ "from": 2, "to": to, "label": "title" }]);
        let said = json!({ "marks": marks, "done": true, "seconds": 9, "revision": revision });
        tool.put("a", &said.to_string())
    };
    let put = |body: &str| tool.put("a", body);
    let bad = said(9, "");
    assert!(bad.starts_with("HTTP/1.1 400") && bad.contains("it has 9"), "{bad}");
    assert!(put("{\"marks\":0}").starts_with("HTTP/1.1 400"));
    let blind = put("{\"marks\":[],\"done\":true,\"seconds\":9}");
    assert!(blind.starts_with("HTTP/1.1 400") && blind.contains("revision"), "{blind}");
    assert!(!place.path("labels/ours/pass1/a.jsonl").exists());
    let good = said(2, "");
    assert!(good.starts_with("HTTP/1.1 204"), "{good}");
    assert!(get("/desk", "").contains("\"state\":\"done\""));
    // Who has not seen these labels cannot replace them.
    let late = said(3, "");
    assert!(late.starts_with("HTTP/1.1 409") && late.contains("another tab"), "{late}");
    let kept = std::fs::read_to_string(place.path("labels/ours/pass1/a.jsonl")).unwrap();
    assert!(kept.contains("\"to\":2"), "{kept}");
    let revision = good.split("crawler-revision: ").nth(1).and_then(|rest| rest.lines().next());
    let revision = revision.unwrap_or_else(|| panic!("{good}"));
    assert!(get("/pages/a", "").contains(&format!("\"revision\":\"{revision}\"")));
    assert!(said(3, revision).starts_with("HTTP/1.1 204"));
}

#[test]
fn labels_are_not_lost_to_another_tab_or_a_failed_save() {
    let place = Place::new();
    corpus(&place);
    let tool = Tool::start(&place);
    let Some(mut browser) = Browser::open(&place, &tool.address) else {
        eprintln!("skipped: no chromium in PATH, so nothing was saved from two tabs");
        return;
    };
    let labels = "[...document.querySelectorAll('#tree .label')].map((l) => l.textContent).join()";
    let state = "document.getElementById('state').textContent";
    browser.wait("document.querySelectorAll('#tree .number').length === 9");
    // Another tab labels the title; this one knows nothing of it.
    let other = "{\"marks\":[{\"from\":2,\"to\":2,\"label\":\"title\"}],\"done\":true,\"seconds\":9,\"revision\":\"\"}";
    assert!(tool.put("a", other).starts_with("HTTP/1.1 204"));
    browser.press("jp");
    browser.wait(&format!("{state}.includes('another tab')"));
    browser.wait(&format!("{labels} === ',,title,,,,,,'"));
    let kept = std::fs::read_to_string(place.path("labels/ours/pass1/a.jsonl")).unwrap();
    assert!(kept.contains("\"label\":\"title\"") && kept.contains("\"done\":true"), "{kept}");
    browser.press("jp");
    browser.wait(&format!("{state} === 'saved'"));

    // A page that cannot be saved stays open, and is not finished.
    browser.press("n");
    browser.wait("location.hash === '#b'");
    browser.wait(&format!("{labels} === ',,,,,,,,'"));
    let folder = place.path("labels/ours/pass1");
    std::fs::rename(&folder, place.path("aside")).unwrap();
    std::fs::write(&folder, "in the way").unwrap();
    browser.press("jjt");
    browser.wait(&format!("{state}.startsWith('not saved')"));
    browser.press("n");
    browser.wait(&format!("{state}.startsWith('not saved')"));
    assert_eq!(browser.value("location.hash"), json!("#b"));
    let progress = "document.getElementById('progress').textContent";
    assert_eq!(browser.value(progress), json!("1 of 2 pages finished"));
    assert_eq!(browser.value(labels), json!(",,title,,,,,,"));
    std::fs::remove_file(&folder).unwrap();
    std::fs::rename(place.path("aside"), &folder).unwrap();
    browser.press("n");
    browser.wait(&format!("{progress} === '2 of 2 pages finished'"));
    let kept = std::fs::read_to_string(place.path("labels/ours/pass1/b.jsonl")).unwrap();
    assert!(kept.contains("\"label\":\"title\""), "{kept}");
}

#[test]
fn a_browser_says_how_leaves_look() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("ours/pages")).unwrap();
    let style = "<style>h1{font-size:40px;text-align:center}p{color:rgb(1,2,3)}</style>\
                 <link rel=stylesheet href=/gone.css><script>document.body.textContent = ''</script>";
    let mut gold = String::new();
    for id in ["a", "b", "c", "d", "e", "f"] {
        place.write(
            &format!("ours/pages/{id}.html"),
            PAGE.replace("<nav>", &format!("{style}<nav>")),
        );
        let text = format!("Page {id}: the council met on Monday to decide about the old bridge.");
        let line = json!({ "id": id, "domain": format!("{id}.example"), "text": text });
        gold.push_str(&format!("{line}\n"));
    }
    place.write("ours/gold.jsonl", gold);
    let args = ["annotate", "ours", "--labels", "labels", "--drawn", "drawn", "--browser"];
    place
        .run([&args[..], &["no-browser"]].concat())
        .one_sentence(&["cannot start the browser `no-browser`"]);
    let Some(browser) = installed() else { return };
    let said = place.run([&args[..], &[browser.to_str().unwrap()]].concat()).good();
    assert_eq!(said.trim(), "6 pages drawn: 54 of 54 leaves, 6 of 6 style sheets missing");
    let file = std::fs::read_to_string(place.path("drawn/ours/a.json")).unwrap();
    assert!(!file.contains("council"), "{file}");
    let drawn: Value = serde_json::from_str(&file).unwrap();
    let css = |leaf: usize| drawn["looks"][leaf.to_string()]["css"].clone();
    assert_eq!(css(TITLE)["font-size"], "40px");
    assert_eq!(css(TITLE)["text-align"], "center");
    assert_eq!(css(TITLE + 3)["color"], "rgb(1, 2, 3)");
    let place_of = |leaf: usize| drawn["looks"][leaf.to_string()]["box"][1].as_f64().unwrap();
    assert!(place_of(TITLE) < place_of(TITLE + 3));

    let study = ["train", "--labeler", "svm", "--study-of", "spengler2009", "--study", "out"];
    place.run([&study[..], &["--drawn", "drawn", "ours"]].concat()).good();
    let tables = std::fs::read_to_string(place.path("out/tables.md")).unwrap();
    assert!(tables.contains("6 style sheets, of which 6 are missing"), "{tables}");
    assert!(tables.contains("| SVM, style as drawn |"), "{tables}");
}

#[test]
fn a_page_of_the_web_is_added_and_drawn_with_its_sheets() {
    let Some(browser) = installed() else { return };
    let place = Place::new();
    let site = Server::start(1, |_| {
        |ask: &Ask| match ask.path {
            "/style.css" => answer("200 OK", &["Content-Type: text/css"], "h1 { font-size: 77px }"),
            "/story" => answer(
                "200 OK",
                &["Content-Type: text/html; charset=utf-8"],
                PAGE.replace("<nav>", "<link rel=stylesheet href=style.css><nav>"),
            ),
            _ => answer("404 Not Found", &[], ""),
        }
    });
    let url = site.url(0, "/story");
    let args = ["annotate", "new", "--labels", "labels", "--drawn", "drawn", "--capture", &url];
    let said = place.run([&args[..], &["--browser", browser.to_str().unwrap()]].concat()).good();
    assert!(said.contains("1 pages drawn: 9 of 9 leaves, 0 of 1 style sheets missing"), "{said}");
    let gold = std::fs::read_to_string(place.path("new/gold.jsonl")).unwrap();
    let gold: Value = serde_json::from_str(gold.trim()).unwrap();
    assert_eq!(gold["url"], json!(url));
    let id = gold["id"].as_str().unwrap();
    let drawn = std::fs::read_to_string(place.path(&format!("drawn/new/{id}.json"))).unwrap();
    let drawn: Value = serde_json::from_str(&drawn).unwrap();
    assert_eq!(drawn["looks"][TITLE.to_string()]["css"]["font-size"], "77px");
    // The crawl's own rules hold for the page itself, and it is added once.
    assert!(site.hits().iter().any(|hit| hit.path == "/robots.txt"));
    place.run(args).one_sentence(&["is in new already"]);
}
