//! A browser as a person drives it, over WebDriver (W3C).

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::json as request;

/// A browser that is driven over WebDriver (W3C); ends when dropped.
pub struct Browser {
    driver: Child,
    at: SocketAddr,
    session: String,
}

impl Browser {
    /// `None`: there is no driver here, which is told.
    pub fn start() -> Option<Browser> {
        let browser = Browser::driven();
        if browser.is_none() {
            eprintln!("skipped: no chromedriver in PATH, so no page was walked");
        }
        browser
    }

    fn driven() -> Option<Browser> {
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
            "goog:loggingPrefs": { "browser": "ALL" },
        } } });
        let made = request(at, "POST", "/session", &wanted);
        let session = made["value"]["sessionId"].as_str()?.to_owned();
        Some(Browser { driver, at, session })
    }

    pub fn tell(&self, method: &str, what: &str, body: &Value) -> Value {
        request(self.at, method, &format!("/session/{}/{what}", self.session), body)["value"].take()
    }

    pub fn open(&self, url: &str) {
        self.tell("POST", "url", &json!({ "url": url }));
    }

    pub fn url(&self) -> String {
        self.tell("GET", "url", &Value::Null).as_str().unwrap_or_default().to_owned()
    }

    pub fn page(&self) -> String {
        self.tell("GET", "source", &Value::Null).as_str().unwrap_or_default().to_owned()
    }

    /// The first element that a selector finds.
    pub fn find(&self, selector: &str) -> String {
        let body = json!({ "using": "css selector", "value": selector });
        let found = self.tell("POST", "element", &body);
        let id = found.as_object().and_then(|fields| fields.values().next()?.as_str());
        id.unwrap_or_else(|| panic!("nothing is {selector}: {found}")).to_owned()
    }

    pub fn click(&self, selector: &str) {
        self.tell("POST", &format!("element/{}/click", self.find(selector)), &json!({}));
    }

    pub fn write(&self, selector: &str, text: &str) {
        let what = format!("element/{}/value", self.find(selector));
        self.tell("POST", &what, &json!({ "text": text }));
    }

    /// What a function body returns; one that returns a promise is waited for.
    pub fn script(&self, body: &str) -> Value {
        self.tell("POST", "execute/sync", &json!({ "script": body, "args": [] }))
    }

    /// Presses keys, one after the other, wherever the focus is.
    pub fn press(&self, keys: &str) {
        let strokes = keys.chars().flat_map(|key| {
            ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key.to_string() }))
        });
        let strokes: Vec<Value> = strokes.collect();
        let actions = json!({ "actions": [{ "type": "key", "id": "keys", "actions": strokes }] });
        self.tell("POST", "actions", &actions);
    }

    /// A command of the DevTools protocol.
    pub fn devtools(&self, command: &str, params: &Value) -> Value {
        self.tell("POST", "goog/cdp/execute", &json!({ "cmd": command, "params": params }))
    }

    /// What the console said since it was last asked: warnings and errors.
    pub fn complaints(&self) -> Vec<String> {
        let log = self.tell("POST", "se/log", &json!({ "type": "browser" }));
        let lines = log.as_array().into_iter().flatten();
        let bad = lines
            .filter(|line| ["SEVERE", "WARNING"].contains(&line["level"].as_str().unwrap_or("")));
        bad.map(|line| line["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    pub fn wait(&self, what: &str, yes: impl Fn(&Browser) -> bool) {
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
