//! The login in headless Chromium, driven as a person would drive it: without a session the
//! dashboard leads to the login page, a token opens it, logging out closes it.

use crawler::config::Config;
use crawler::model::Scope;
use crawler::serve::tokens;
use crawler::store::decision::Who;
use serde_json::{Value, json};

use crate::driver::Browser;
use crate::fixture::{Server, engine};

#[test]
fn a_person_logs_in_and_out() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::at("0.0.0.0:0", engine(), Config::default().door());
    let store = server.engine.store.as_ref();
    let token = tokens::add(store, &Who::program(), "person", &[Scope::Read], None).unwrap().token;
    let home = format!("http://{}/", server.at);

    browser.open(&home);
    browser.wait("the way to the login", |b| b.url().ends_with("/login"));
    browser.write("input[name=token]", "crawler_0123456789abcdef_guess");
    browser.click("button");
    browser.wait("a refusal", |b| b.page().contains("This token is not valid here."));

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
