//! The login in headless Chromium, driven as a person would drive it: without a session the
//! dashboard leads to the login page, a token opens it, logging out closes it.

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crawler::config::Config;
use crawler::model::Scope;
use crawler::serve::tokens;
use crawler::store::decision::Who;
use serde_json::{Value, json};

use crate::client::json as request;
use crate::fixture::{Server, engine};

/// A browser that is driven over WebDriver (W3C); ends when dropped.
struct Browser {
    driver: Child,
    at: SocketAddr,
    session: String,
}

impl Browser {
    /// `None`: there is no driver here.
    fn start() -> Option<Browser> {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let lines = BufReader::new(driver.stdout.take()?).lines().map_while(Result::ok);
        let port = lines
            .filter_map(|line| {
                line.rsplit_once("started successfully on port ").map(|p| p.1.to_owned())
            })
            .find_map(|port| port.trim_end_matches('.').parse::<u16>().ok())?;
        let at = SocketAddr::from(([127, 0, 0, 1], port));
        let arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"];
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": { "args": arguments },
        } } });
        let made = request(at, "POST", "/session", &wanted);
        let session = made["value"]["sessionId"].as_str()?.to_owned();
        Some(Browser { driver, at, session })
    }

    fn tell(&self, method: &str, what: &str, body: &Value) -> Value {
        request(self.at, method, &format!("/session/{}/{what}", self.session), body)["value"].take()
    }

    fn open(&self, url: &str) {
        self.tell("POST", "url", &json!({ "url": url }));
    }

    fn url(&self) -> String {
        self.tell("GET", "url", &Value::Null).as_str().unwrap_or_default().to_owned()
    }

    fn page(&self) -> String {
        self.tell("GET", "source", &Value::Null).as_str().unwrap_or_default().to_owned()
    }

    /// The first element that a selector finds.
    fn find(&self, selector: &str) -> String {
        let body = json!({ "using": "css selector", "value": selector });
        let found = self.tell("POST", "element", &body);
        let id = found.as_object().and_then(|fields| fields.values().next()?.as_str());
        id.unwrap_or_else(|| panic!("nothing is {selector}: {found}")).to_owned()
    }

    fn click(&self, selector: &str) {
        self.tell("POST", &format!("element/{}/click", self.find(selector)), &json!({}));
    }

    fn write(&self, selector: &str, text: &str) {
        let what = format!("element/{}/value", self.find(selector));
        self.tell("POST", &what, &json!({ "text": text }));
    }

    fn wait(&self, what: &str, yes: impl Fn(&Browser) -> bool) {
        let began = Instant::now();
        while !yes(self) {
            assert!(began.elapsed() < Duration::from_secs(60), "{what}: {}", self.page());
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ends the browser; the driver alone would leave it.
        if TcpStream::connect(self.at).is_ok() {
            request(self.at, "DELETE", &format!("/session/{}", self.session), &Value::Null);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

#[test]
fn a_person_logs_in_and_out() {
    let Some(browser) = Browser::start() else {
        eprintln!("skipped: no chromedriver in PATH, so the login was not walked");
        return;
    };
    let server = Server::at("0.0.0.0:0", engine(), Config::default().door());
    let store = server.engine.store.as_ref();
    let token = tokens::add(store, &Who::program(), "person", &[Scope::Read], None).unwrap().token;
    let home = format!("http://{}/", server.at);

    browser.open(&home);
    browser.wait("the way to the login", |b| b.url().ends_with("/login"));
    browser.write("input[name=token]", "crawler_0123456789abcdef_guess");
    browser.click("button");
    browser.wait("a refusal", |b| b.page().contains("This token is of no use here."));

    browser.write("input[name=token]", &token);
    browser.click("button");
    browser.wait("the numbers", |b| b.url().starts_with(&home) && b.page().contains("All brands"));
    // No script reads the session.
    let cookies = json!({ "script": "return document.cookie", "args": [] });
    assert_eq!(browser.tell("POST", "execute/sync", &cookies), "");

    // The page draws its footer anew now and then: what was found may be gone before it is clicked.
    browser.wait("the login page", |b| {
        if b.url().starts_with(&home) && b.page().contains("log in or out") {
            b.click("footer a");
        }
        b.page().contains("Log out")
    });
    browser.click("form[action='/logout'] button");
    browser.wait("the end of the session", |b| b.tell("GET", "cookie", &Value::Null) == json!([]));
    browser.open(&home);
    browser.wait("the way to the login", |b| b.url().ends_with("/login"));
}
