//! The dashboard as a person walks it: every view in every form, every form of it filled in, and the paths
//! that have keys of their own. `scripts/prove-dashboard` walks it over the store of a demo, with an audit
//! of accessibility (`CRAWLER_PROOF_AXE`: the file of axe-core), and takes pictures (`CRAWLER_PROOF_PICTURES`:
//! a folder).

use std::path::Path;
use std::time::{Duration, Instant};

use base64::Engine as _;
use crawler::config::Config;
use crawler::model::Scope;
use crawler::search;
use crawler::serve::tokens;
use crawler::store::decision::Who;
use serde_json::{Value, json};

use crate::client::get;
use crate::driver::Browser;
use crate::fixture::{self, Server};

/// The days that the walk looks at: of the fixture, or of the demo.
pub fn range(server: &Server) -> (String, String) {
    let lines = get(server.at, "/api/v1/mentions").json()["lines"].clone();
    let days = lines.as_array().into_iter().flatten().filter_map(|line| line["bucket"].as_str());
    let days: Vec<&str> = days.collect();
    let bound = |day: Option<&&str>| (*day.expect("a day with mentions")).to_owned();
    (bound(days.iter().min()), bound(days.iter().max()))
}

/// A server that a browser may log in at, over the fixture or over a store that is given, and the folder of
/// its index.
pub fn server() -> (Server, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let index = Some(dir.path().to_path_buf());
    let search = search::Settings {
        enabled: cfg!(feature = "search"),
        dir: index,
        ..search::Settings::default()
    };
    let engine = match std::env::var_os("CRAWLER_PROOF_DASHBOARD") {
        None => fixture::engine_with(search),
        Some(store) => fixture::engine_of(Path::new(&store), search),
    };
    #[cfg(feature = "search")]
    engine.search.keep_up(engine.store.as_ref(), crawler::crawl::clock::now(), &|| true).unwrap();
    (Server::behind(engine, Config::default().door()), dir)
}

pub struct Walk<'a> {
    pub browser: &'a Browser,
    pub home: String,
    pub days: (String, String),
}

impl<'a> Walk<'a> {
    /// All days of a server.
    pub fn over(browser: &'a Browser, server: &Server) -> Walk<'a> {
        Walk { browser, home: format!("http://{}/", server.at), days: range(server) }
    }

    /// Opens a view and waits until it is drawn.
    pub fn open(&self, place: &str) {
        let (from, to) = &self.days;
        self.browser.open("about:blank");
        self.browser.open(&format!("{}#from={from}&to={to}&{place}", self.home));
        self.drawn(place);
    }

    pub fn drawn(&self, what: &str) {
        let ready = "const main = document.getElementById('main'); return document.readyState === 'complete' \
                     && !!main && !main.hasAttribute('aria-busy') && !main.querySelector(':scope > .quiet') \
                     && !!document.querySelector('footer select');";
        self.browser.wait(what, |browser| browser.script(ready) == true);
    }

    pub fn text(&self) -> String {
        let text = self.browser.script("return document.getElementById('main').innerText;");
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Waits for words in the view.
    pub fn says(&self, words: &str) {
        let began = Instant::now();
        while !self.text().contains(words) {
            assert!(began.elapsed() < Duration::from_secs(30), "`{words}`: {}", self.text());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Clicks the button, link or summary with these words.
    fn click(&self, words: &str) {
        let click = format!(
            "const all = [...document.querySelectorAll('main button, main a, main summary')]; \
             const found = all.find((node) => node.textContent.trim() === {}); found?.click(); \
             return !!found;",
            json!(words)
        );
        assert_eq!(self.browser.script(&click), true, "no `{words}`: {}", self.text());
    }

    /// Writes into the field of a form, and tells the page of it.
    pub fn fill(&self, name: &str, value: &str) {
        let write = format!(
            "const node = document.querySelector(`main [name={name}]`); node.value = {}; \
             for (const kind of ['input', 'change']) node.dispatchEvent(new Event(kind, {{ bubbles: true }}));",
            json!(value)
        );
        self.browser.script(&write);
    }

    /// Presses Enter in a field of a form.
    fn enter(&self, name: &str) {
        self.browser.script(&format!("document.querySelector('main [name={name}]').focus();"));
        self.browser.press("\u{E007}");
    }

    fn place(&self) -> String {
        self.browser.script("return location.hash;").as_str().unwrap_or_default().to_owned()
    }

    /// Nothing may be wrong with the page as it stands.
    fn look(&self, what: &str) {
        let complaints = self.browser.complaints();
        assert_eq!(complaints, Vec::<String>::new(), "{what}");
        let elsewhere = "return performance.getEntriesByType('resource').map((one) => one.name) \
                         .filter((name) => !name.startsWith(location.origin) && !name.startsWith('data:'));";
        assert_eq!(self.browser.script(elsewhere), json!([]), "{what} asks elsewhere");
        let wide =
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth;";
        assert_eq!(self.browser.script(wide), 0, "{what} is wider than the screen");
        // Whoever does not see the page knows each control by a name.
        let nameless = "return [...document.querySelectorAll('input, select, textarea, button')] \
                        .filter((node) => !node.labels?.length && !node.getAttribute('aria-label') && !node.textContent.trim()) \
                        .map((node) => node.outerHTML);";
        assert_eq!(self.browser.script(nameless), json!([]), "{what}");
        if let Some(axe) = std::env::var_os("CRAWLER_PROOF_AXE") {
            let axe = std::fs::read_to_string(axe).expect("the file of axe-core");
            // The page's own policy lets no script run that is not its own: the driver is not bound by it.
            let audit = format!(
                "{axe}; return axe.run(document, {{ resultTypes: ['violations'] }}).then((found) => \
                 found.violations.map((one) => one.id + ': ' + one.nodes.map((node) => node.target.join(' ')).join(', ')));"
            );
            assert_eq!(self.browser.script(&audit), json!([]), "{what}");
        }
    }

    /// Takes a picture, if somebody wants some.
    fn picture(&self, name: &str) {
        let Some(folder) = std::env::var_os("CRAWLER_PROOF_PICTURES") else { return };
        let size = self.browser.script(
            "const page = document.documentElement; return [page.scrollWidth, page.scrollHeight];",
        );
        let clip = json!({ "x": 0, "y": 0, "width": size[0], "height": size[1].as_f64().map(|h| h.min(1_800.0)), "scale": 1 });
        let taken = self.browser.devtools(
            "Page.captureScreenshot",
            &json!({ "format": "webp", "quality": 80, "captureBeyondViewport": true, "clip": clip }),
        );
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(taken["data"].as_str().expect("a picture"))
            .expect("base64");
        let file = Path::new(&folder).join(format!("{name}.webp"));
        std::fs::write(&file, bytes).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    }
}

/// Screens and colours in which every view is looked at.
const FORMS: [(&str, &str, u32, bool); 3] = [
    ("light", "light", 1_200, false),
    ("dark", "dark", 1_200, false),
    ("phone", "light", 390, true),
];

/// Views by name, for an article, a story, an outlet and two brands.
fn views(server: &Server, days: &(String, String)) -> Vec<(&'static str, String)> {
    let ask = |path: &str| {
        let between = if path.contains('?') { '&' } else { '?' };
        get(server.at, &format!("/api/v1/{path}{between}from={}&to={}", days.0, days.1)).json()
    };
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let lines = get(server.at, "/api/v1/brands").json()["brands"].clone();
    let names: Vec<String> = lines.as_array().unwrap().iter().map(|b| text(&b["name"])).collect();
    let brand = name(server, days);
    let other = names.iter().find(|name| **name != brand).expect("a second brand");
    let articles =
        ask(&format!("articles?brand={}&suppressed=true", encoded(&brand)))["articles"].clone();
    let off = |article: &&Value| article["suppressed"].as_object().map_or(0, serde_json::Map::len);
    let article =
        text(&articles.as_array().unwrap().iter().max_by_key(off).expect("an article")["key"]);
    let day = text(&articles[0]["day"]);
    let story = text(&ask("stories")["stories"][0]["id"]);
    let outlet = text(&articles[0]["outlet"]);
    let (first, second) = (encoded(&brand), encoded(other));
    let mut views = vec![
        ("brands-compared", format!("compare={first}%0A{second}")),
        ("overview", String::new()),
        ("brand", format!("brand={first}")),
        ("day", format!("brand={first}&day={day}")),
        ("article", format!("brand={first}&article={article}")),
        ("blocks", format!("blocks=all&article={article}")),
        ("stories", "view=stories".to_owned()),
        ("story", format!("view=stories&story={story}")),
        ("alerts", "view=alerts".to_owned()),
        ("alert-editor", "view=alerts&make=1".to_owned()),
        ("outlets", "view=outlets".to_owned()),
        ("outlet", format!("view=outlets&outlet={outlet}")),
        ("brands", "view=brands".to_owned()),
        ("brand-editor", format!("view=brands&edit={first}")),
        ("review", format!("view=brands&review={first}")),
        ("status", "view=status".to_owned()),
    ];
    if cfg!(feature = "search") {
        views.push(("search", format!("view=search&q={first}")));
    }
    views
}

/// The brand with the most mentions.
fn name(server: &Server, days: &(String, String)) -> String {
    let path = format!("/api/v1/mentions?by=outlet&from={}&to={}", days.0, days.1);
    let lines = get(server.at, &path).json()["lines"].clone();
    let mut sums = std::collections::BTreeMap::new();
    for line in lines.as_array().into_iter().flatten() {
        *sums.entry(line["brand"].as_str().unwrap().to_owned()).or_insert(0) +=
            line["mentions"].as_u64().unwrap();
    }
    sums.into_iter().max_by_key(|(_, n)| *n).expect("a brand").0
}

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[test]
fn every_view_stands_in_every_form() {
    let Some(browser) = Browser::start() else { return };
    let (server, _index) = server();
    let walk = Walk::over(&browser, &server);
    for (form, scheme, width, mobile) in FORMS {
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        browser.devtools("Emulation.setEmulatedMedia", &media);
        let screen =
            json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": mobile });
        browser.devtools("Emulation.setDeviceMetricsOverride", &screen);
        for (view, place) in views(&server, &walk.days) {
            walk.open(&place);
            let what = format!("{view}, {form}");
            walk.look(&what);
            let error =
                browser.script("return document.querySelector('main .error')?.innerText ?? null;");
            assert_eq!(error, Value::Null, "{what}");
            walk.picture(&format!("{view}-{form}"));
        }
    }
}

#[test]
fn the_page_shows_the_numbers_of_the_api_in_two_languages() {
    let Some(browser) = Browser::start() else { return };
    let (server, _index) = server();
    let days = range(&server);
    let brand = name(&server, &days);
    let path = format!("/api/v1/mentions?brand={}&from={}&to={}", encoded(&brand), days.0, days.1);
    let lines = get(server.at, &path).json()["lines"].clone();
    let sum = |field: &str| -> u64 {
        lines.as_array().unwrap().iter().map(|line| line[field].as_u64().unwrap()).sum()
    };
    let expected = ["mentions", "articles", "stories", "copies", "suppressed"]
        .map(|field| sum(field).to_string());
    let walk = Walk::over(&browser, &server);
    walk.open(&format!("brand={}", encoded(&brand)));
    let tiles =
        "return [...document.querySelectorAll('.tiles dd')].map((node) => node.textContent);";
    assert_eq!(browser.script(tiles), json!(expected));
    // What is saved has every day and the same sums.
    let saved = "const module = await import('/save.js'); const rows = [...document.querySelectorAll('main .scroll:first-of-type tbody tr')]; \
                 return [module.csv(['a', 'b'], [['=1+1', -1], ['x\"y', 'a,b'], [null, '@x']]), rows.length];";
    let script = format!("return (async () => {{ {saved} }})();");
    assert_eq!(browser.script(&script)[0], "a,b\r\n'=1+1,-1\r\n\"x\"\"y\",\"a,b\"\r\n,'@x\r\n");
    let drawn = "return (async () => { const { standalone } = await import('/save.js'); \
                 return standalone(document.querySelector('svg.chart')).text; })();";
    let drawing = browser.script(drawn).as_str().unwrap_or_default().to_owned();
    assert!(drawing.starts_with("<svg") && drawing.contains("fill=\"rgb("), "{drawing}");
    assert!(!drawing.contains("class="), "{drawing}");

    browser.script("localStorage.setItem('crawler-language', 'de');");
    walk.open(&format!("brand={}", encoded(&brand)));
    assert_eq!(browser.script(tiles), json!(expected));
    assert_eq!(browser.script("return document.documentElement.lang;"), "de");
    let text = walk.text();
    assert!(text.contains("Nennungen") && text.contains("Tag für Tag"), "{text}");
    walk.look("German");
    // What the server says of an outlet is said in German, too.
    let ask = "return (async () => { const { say } = await import('/words.js'); \
               const ask = async (path) => (await fetch(`/api/v1/${path}`)).json(); \
               const { outlets } = await ask('outlets?limit=1'); const outlet = outlets[0].outlet; \
               const why = await ask(`outlets/${outlet}/why`); \
               return { outlet, said: why.said.map(say), english: why.sentences }; })();";
    let why = browser.script(ask);
    walk.open(&format!("view=outlets&outlet={}", encoded(why["outlet"].as_str().unwrap())));
    let text = walk.text();
    let (said, english) = (why["said"].as_array().unwrap(), why["english"].as_array().unwrap());
    assert!(!said.is_empty() && said.len() == english.len(), "{why}");
    for (said, english) in said.iter().zip(english) {
        assert_ne!(said, english);
        assert!(text.contains(said.as_str().unwrap()), "{said}: {text}");
    }
}

#[test]
fn what_is_decided_on_the_page_is_decided() {
    let Some(browser) = Browser::start() else { return };
    if std::env::var_os("CRAWLER_PROOF_DASHBOARD").is_some() {
        return;
    }
    let (server, _index) = server();
    let store = server.engine.store.as_ref();
    let scopes = [Scope::Read, Scope::Write];
    let token = tokens::add(store, &Who::program(), "officer", &scopes, None).unwrap().token;
    let walk = Walk::over(&browser, &server);

    // Without a session an order is refused, and the page says what to do.
    walk.open("view=alerts&make=1");
    walk.fill("name", "burst");
    walk.click("Save");
    walk.says("Log in with a token that may write");
    walk.fill("when", "at-least");
    walk.fill("n", "3");
    walk.fill("token", "wrong");
    walk.enter("token");
    walk.says("This token is not valid here");
    walk.fill("token", &token);
    walk.click("Log in");
    // Who went to the page for logging in lost what was typed.
    walk.says("What you have entered is still here");
    browser.complaints();

    // An alert: made, tried, changed with a slip, removed after a second question.
    walk.click("Save");
    browser.wait("the alert", |_| walk.place().contains("alert=burst"));
    walk.says("3 or more");
    walk.click("Send a test");
    walk.says("nothing was sent");
    let rule = || get(server.at, "/api/v1/alerts").json()["alerts"].clone();
    assert_eq!(rule()[0]["when"], "at-least 3");
    walk.click("Edit");
    browser.wait("the editor", |_| walk.place().contains("edit=burst"));
    walk.drawn("the editor");
    walk.fill("language", "en");
    walk.click("Save");
    walk.says("leave the language out");
    walk.fill("language", "");
    walk.fill("quiet", "22:00-07:00");
    // Nobody has to know the names of the targets.
    browser.script("document.querySelector('input[name=to][value=desk]').click();");
    walk.click("Save");
    browser.wait("the alert", |_| !walk.place().contains("edit="));
    assert_eq!((&rule()[0]["quiet"], &rule()[0]["to"]), (&json!("22:00-07:00"), &json!(["desk"])));
    walk.drawn("the alert");
    walk.click("Remove");
    assert_eq!(rule().as_array().map(Vec::len), Some(1), "it was only asked");
    walk.click("Really: Remove?");
    browser.wait("the end of it", |_| rule() == json!([]));

    // An alert that waits for what a search finds.
    walk.open("view=alerts&make=1");
    walk.fill("name", "found");
    walk.fill("query", "harbour NOT fire");
    // The session ends while the order is followed: the page had it sent again.
    browser.script(
        "const real = window.fetch; let open = false, answer; \
         window.fetch = async (url, options) => { \
           if (url.includes('/jobs/slow')) { \
             if (!open) return Response.json({ error: 'Your session has ended.' }, { status: 401 }); \
             window.fetch = real; \
             return Response.json({ id: 'slow', state: 'done', answer: [answer] }); } \
           const told = await real(url, options); \
           open ||= told.type === 'opaqueredirect'; \
           if (options?.method !== 'PUT') return told; \
           answer = await told.json(); \
           return Response.json({ id: 'slow', state: 'running', done: 1, of: 3 }, { status: 202 }); };",
    );
    walk.click("Save");
    walk.says("Your session has ended. The order goes on");
    walk.fill("token", &token);
    walk.enter("token");
    browser.wait("the alert", |_| walk.place().contains("alert=found"));
    assert_eq!(rule()[0]["query"], "harbour NOT fire");

    // A note: pinned, marked in the chart, removed after a second question.
    walk.open("view=mentions&brand=Nordlicht");
    let notes = || get(server.at, "/api/v1/notes").json()["notes"].clone();
    walk.click("Pin a note to a day");
    walk.fill("text", "<b>press</b> release");
    walk.click("Pin");
    walk.says("<b>press</b> release");
    assert_eq!((&notes()[0]["brand"], &notes()[0]["by"]), (&json!("Nordlicht"), &json!("officer")));
    walk.drawn("the note");
    assert_eq!(browser.script("return document.querySelectorAll('.chart .pin').length"), 1);
    walk.click("Remove");
    walk.click("Really: Remove?");
    browser.wait("the end of it", |_| notes() == json!([]));

    // A brand: tried first, watched, watched no more.
    walk.open("view=brands&make=1");
    walk.fill("name", "Weekend");
    if cfg!(feature = "search") {
        // What the estimate leaves out stood below the form, as `[object Object]`.
        walk.says("(letter case is ignored)");
        let told = "return document.querySelector('main .told').innerText;";
        assert_eq!(browser.script(told), "");
    }
    walk.fill("case", "any");
    walk.click("What would change");
    walk.says("1 count would change");
    let names = || get(server.at, "/api/v1/brands").json()["brands"].to_string();
    assert!(!names().contains("Weekend"));
    walk.click("Save");
    browser.wait("the brand", |_| walk.place().contains("brand=Weekend"));
    assert!(names().contains("Weekend"), "{}", names());
    walk.open("view=brands&edit=Weekend");
    walk.click("Watch it no more");
    walk.click("Really: Watch it no more?");
    browser.wait("the end of it", |_| !names().contains("Weekend"));
    // A twin of another is told of.
    walk.open("view=brands&make=1");
    walk.fill("name", "nordlicht");
    walk.click("Save");
    walk.says("“Nordlicht” is a name of several brands");
    walk.open("view=brands&edit=nordlicht");
    walk.click("Watch it no more");
    walk.click("Really: Watch it no more?");
    browser.wait("the end of it", |_| !names().contains("nordlicht"));

    // Mentions by keys alone.
    walk.open("view=brands&review=Nordlicht");
    walk.says("Mention 1 of");
    browser.press("y");
    walk.says("That was the last one");
    browser.press("un");
    walk.says("That was the last one");
    walk.click("Count so");
    walk.says("1 count has changed");
    let answers = &get(server.at, "/api/v1/brands").json()["senses"]["Nordlicht"];
    assert_eq!((&answers["answers"], &answers["meant"]), (&json!(1), &json!(0)));

    // An outlet and its feed.
    walk.open("view=outlets&outlet=wire.test");
    walk.fill("for", "2h");
    walk.click("Pause");
    walk.says("Paused: ");
    walk.fill("time", "soon");
    walk.click("Set the delay");
    walk.says("`time`:");
    walk.fill("time", "10s");
    walk.click("Set the delay");
    walk.says("Between two requests: 10 s");
    walk.click("Resume");
    walk.says("It is asked");
    walk.fill("for", "");
    walk.click("Pause");
    walk.says("until it is resumed");
    // Feeds by a list and by a file; what cannot be read is told line by line.
    walk.open("view=outlets");
    walk.says("paused");
    walk.fill("feeds", "not a url\nhttps://wire.test/feed");
    browser.script(
        "const opml = '<opml version=\"2.0\"><body><outline text=\"n\" xmlUrl=\"https://new.test/feed\"/></body></opml>'; \
         const held = new DataTransfer(); held.items.add(new File([opml], 'feeds.opml')); \
         document.querySelector('main input[type=file]').files = held.files;",
    );
    walk.click("Add feeds");
    walk.says("has a space in it");
    walk.says("https://new.test/feed");
    let urls = || get(server.at, "/api/v1/feeds").body;
    assert!(urls().contains("https://new.test/feed"), "{}", urls());
    walk.open("view=outlets&outlet=new.test");
    walk.click("Remove");
    walk.click("Really: Remove?");
    browser.wait("the end of it", |_| !urls().contains("https://new.test/feed"));
}

/// What an address says is open is open, and what is opened stands in the address.
#[test]
fn what_is_opened_stands_in_the_address() {
    let Some(browser) = Browser::start() else { return };
    let (server, _index) = server();
    let walk = Walk::over(&browser, &server);
    let brand = encoded(&name(&server, &walk.days));
    walk.open(&format!("brand={brand}&open=agency"));
    walk.says("own reporting");
    walk.click("By place in the article");
    browser.wait("the address", |_| walk.place().contains("zone"));
    let place = walk.place();
    assert!(place.contains("agency"), "{place}");
    walk.look("opened");
    // The report of these days is a page of its own.
    let report = "return document.querySelector('main a[href*=\"report.html\"]').href;";
    let report = browser.script(report).as_str().unwrap_or_default().to_owned();
    browser.open(&report);
    browser.wait("the report", |b| b.page().contains("What was not counted"));
    let styled = "return getComputedStyle(document.querySelector('main')).maxWidth !== 'none';";
    assert_eq!(browser.script(styled), true, "its own styles apply");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn the_page_for_logging_in_speaks_the_chosen_language() {
    let Some(browser) = Browser::start() else { return };
    let (server, _index) = server();
    let walk = Walk::over(&browser, &server);
    let open = || browser.open(&format!("{}login", walk.home));
    open();
    browser.wait("English", |b| b.page().contains("Log out of this browser"));
    walk.look("login");
    browser.script("localStorage.setItem('crawler-language', 'de');");
    open();
    browser.wait("German", |_| walk.text().contains("In diesem Browser abmelden"));
    browser.write("input[name=token]", "wrong");
    browser.click("button");
    browser.wait("what is wrong", |_| walk.text().contains("Dieses Token gilt hier nicht"));
    let complaints = browser.complaints();
    assert!(complaints.iter().all(|said| said.contains("401")), "{complaints:?}");
}
