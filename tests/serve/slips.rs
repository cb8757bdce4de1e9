//! What the dashboard once got wrong, as a person meets it in a browser.

use crawler::config::Config;
use crawler::model::Scope;
use crawler::serve::tokens;
use crawler::store::decision::Who;
use serde_json::json;

use crate::client::order;
use crate::driver::Browser;
use crate::fixture::{Server, engine};

/// A browser at a server that asks for a token, and one that may write.
fn at_the_door() -> Option<(Browser, Server, String)> {
    let browser = Browser::start()?;
    let server = Server::at("0.0.0.0:0", engine(), Config::default().door());
    let store = server.engine.store.as_ref();
    let scopes = [Scope::Read, Scope::Write];
    let token = tokens::add(store, &Who::program(), "officer", &scopes, None).unwrap().token;
    Some((browser, server, token))
}

/// The same, logged in.
fn inside() -> Option<(Browser, Server, String)> {
    let (browser, server, token) = at_the_door()?;
    browser.open(&format!("http://{}/login", server.at));
    browser.write("input[name=token]", &token);
    browser.click("button");
    browser.wait("the numbers", |b| b.page().contains("All brands"));
    Some((browser, server, token))
}

/// Changes what the address says, and waits until that is drawn.
fn go(browser: &Browser, place: &str) {
    let mark = "document.getElementById('main').firstElementChild.dataset.old = 'yes';";
    browser.script(&format!("{mark} location.hash = {};", json!(format!("#{place}"))));
    let ready = "const main = document.getElementById('main'); \
                 return !main.hasAttribute('aria-busy') && !main.firstElementChild.dataset.old;";
    browser.wait(place, |b| b.script(ready) == true);
}

fn text(browser: &Browser) -> String {
    let text = browser.script("return document.getElementById('main').innerText;");
    text.as_str().unwrap_or_default().to_owned()
}

const TILES: &str =
    "return [...document.querySelectorAll('.tiles dd')].map((node) => node.textContent);";
/// Of the table of all brands: name, mentions, whether anything is drawn.
const ROWS: &str = "return [...document.querySelectorAll('main tbody tr')].slice(0, 2).map((row) => \
     [row.cells[0].innerText, row.cells[2].innerText, row.querySelectorAll('.spark rect').length > 0]);";

/// Only the first 4,000 days of the range and the first 10,000 lines were added up, and nothing said so.
#[test]
fn long_ranges_and_many_brands_are_added_up_whole() {
    let Some((browser, _server, _)) = inside() else { return };
    let all = json!([["Nordlicht", "6", true], ["Vega", "2", true]]);
    for days in ["from=2000-01-01&to=2024-05-31", "from=0001-01-01&to=9999-12-31"] {
        go(&browser, &format!("brand=Nordlicht&{days}"));
        assert_eq!(browser.script(TILES), json!(["6", "2", "1", "1", "4"]), "{days}");
        go(&browser, days);
        assert_eq!(browser.script(ROWS), all, "{days}");
    }
    // Answers have one line or day, and say that there are more.
    browser.script(
        "const real = window.fetch; window.fetch = (path, ...rest) => \
         real(String(path).replace('limit=10000', 'limit=1'), ...rest);",
    );
    go(&browser, "from=2024-05-10&to=2024-05-20");
    assert_eq!(browser.script(ROWS), all, "{}", text(&browser));
    go(&browser, "brand=Nordlicht&from=2024-05-10&to=2024-05-20");
    assert_eq!(browser.script(TILES), json!(["6", "2", "1", "1", "4"]));
}

/// The page for logging in led to the bare page.
#[test]
fn who_logs_in_comes_to_what_the_address_said() {
    let Some((browser, server, token)) = at_the_door() else { return };
    let home = format!("http://{}/", server.at);
    browser.open(&format!("{home}#brand=Nordlicht&from=2024-05-01&to=2024-05-31"));
    browser.wait("the way to the login", |b| b.url().ends_with("/login"));
    browser.write("input[name=token]", "wrong");
    browser.click("button");
    browser.wait("a refusal", |b| b.page().contains("This token is not valid here."));
    browser.write("input[name=token]", &token);
    browser.click("button");
    browser.wait("the brand", |b| b.page().contains("<dt>mentions</dt><dd>6</dd>"));
    assert!(browser.url().contains("brand=Nordlicht"), "{}", browser.url());
    // Once: who opens the bare page sees it.
    browser.open("about:blank");
    browser.open(&home);
    browser.wait("all brands", |b| b.page().contains("All brands"));
}

/// Days beside counts were those of UTC; a day that is none was an error of the program.
#[test]
fn days_are_those_of_the_zone() {
    let Some((browser, _server, _)) = inside() else { return };
    let days = browser.script(
        "return (async () => { const { dayOf } = await import('/dom.js'); const at = Date.UTC(2024, 4, 14, 22, 30); \
         return ['Europe/Berlin', 'UTC', 'No/Where'].map((zone) => dayOf(at, zone)); })();",
    );
    assert_eq!(days, json!(["2024-05-15", "2024-05-14", "2024-05-14 22:30 UTC"]));
    browser.script("location.hash = '#to=garbage';");
    browser.wait("what is wrong", |b| text(b).contains("`garbage` is not a day"));
}

/// Each digit loaded the page and made an entry of the history.
#[test]
fn who_types_a_day_makes_one_entry_of_the_history() {
    let Some((browser, _server, _)) = inside() else { return };
    go(&browser, "from=2024-04-20&to=2024-05-31");
    let entries = || browser.script("return history.length;").as_u64().unwrap();
    let says = |day: &str| {
        browser.wait(day, |b| {
            let place = b.script("return location.hash;");
            place.as_str().is_some_and(|place| place.contains(&format!("from={day}")))
        });
    };
    let before = entries();
    browser.script("document.getElementById('from').focus();");
    browser.press("05022024");
    says("2024-05-02");
    assert_eq!(entries(), before + 1);
    browser.script(
        "document.getElementById('from').value = '2024-05-03'; \
                    document.getElementById('from').dispatchEvent(new Event('change'));",
    );
    says("2024-05-03");
    assert_eq!(entries(), before + 1);
}

/// A name of one long word made every page wider than the screen.
#[test]
fn a_long_name_fits_on_the_screen() {
    let Some((browser, server, token)) = inside() else { return };
    let name = "Nordlicht".repeat(17);
    for (path, body) in [
        (format!("brands/{name}"), json!({ "name": name })),
        ("alerts/a".to_owned(), json!({ "when": "daily", "brands": [name] })),
    ] {
        let request = format!("PUT /api/v1/{path}");
        let fields = ["Content-Type: application/json"];
        let set = order(server.at, &token, &request, &fields, body.to_string());
        assert_eq!(set.status, 200, "{}", set.body);
    }
    let days = "from=2024-05-01&to=2024-05-31";
    for width in [1_200, 390] {
        let screen =
            json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 400 });
        browser.devtools("Emulation.setDeviceMetricsOverride", &screen);
        for place in [
            days.to_owned(),
            format!("{days}&compare={name}%0ANordlicht"),
            format!("{days}&brand={name}"),
            "view=brands".to_owned(),
            format!("view=brands&edit={name}"),
            "view=alerts".to_owned(),
            "view=alerts&alert=a".to_owned(),
            "view=alerts&make=1".to_owned(),
        ] {
            go(&browser, &place);
            let wide = "return document.documentElement.scrollWidth - document.documentElement.clientWidth;";
            assert_eq!(browser.script(wide), 0, "{place} at {width}");
        }
    }
}

/// Somebody else changed the brands meanwhile: no answer could be saved any more.
#[test]
fn answers_of_a_review_outlive_a_change_of_the_brands() {
    let Some((browser, server, token)) = inside() else { return };
    go(&browser, "view=brands&review=Nordlicht");
    browser.wait("a question", |b| text(b).contains("Mention 1 of"));
    browser.press("y");
    let fields = ["Content-Type: application/json"];
    let set =
        order(server.at, &token, "PUT /api/v1/brands/Weekend", &fields, "{\"name\":\"Weekend\"}");
    assert_eq!(set.status, 200, "{}", set.body);
    let save = "[...document.querySelectorAll('main button')].find((one) => one.textContent === 'Count so').click();";
    browser.script(save);
    browser.wait("what happened", |b| text(b).contains("What you have entered is still here"));
    browser.script(save);
    browser.wait("the counts", |b| text(b).contains("matched"));
}
