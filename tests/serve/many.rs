//! The dashboard where there is much of something: brands, articles of a day. The page is told of it by answers that
//! are changed on their way, since no store of a test holds so much.

use serde_json::json;

use crate::client::get;
use crate::dashboard::{Walk, range, server};
use crate::driver::Browser;
use crate::fixture::Server;

/// A page whose answers pass through `change(url, body)`, and which keeps in `asked` what it asks for.
fn told<'a>(browser: &'a Browser, server: &Server, change: &str) -> Walk<'a> {
    let walk = Walk::over(browser, server);
    walk.open("view=status");
    let script = format!(
        "const change = (url, body) => {{ {change} }}; const real = window.fetch; window.asked = []; \
         window.fetch = async (path, options) => {{ \
           const url = new URL(path, location.href); window.asked.push(url.pathname + url.search); \
           const response = await real(path, options); \
           const body = await response.json(); change(url, body); \
           return new Response(JSON.stringify(body), {{ status: response.status, headers: response.headers }}); }};"
    );
    browser.script(&script);
    walk
}

/// Goes to another place of the same page.
fn go(walk: &Walk<'_>, place: &str) {
    walk.browser.script(&format!("location.hash = {};", json!(place)));
}

/// Each brand was asked for by itself: the second view of a minute was refused, for too many requests.
#[test]
fn hundreds_of_brands_take_few_requests() {
    let Some(browser) = Browser::start() else { return };
    let (server, _index) = server();
    let change = "if (url.pathname === '/api/v1/brands') for (let i = 0; i < 398; i += 1) body.brands.push({ name: `Brand ${i}` }); \
                  if (url.pathname === '/api/v1/mentions' && url.search.includes('from=2024-01-01&to=2024-12-31') && body.lines) { \
                    body.truncated = true; body.lines = body.lines.slice(0, 1); }";
    let walk = told(&browser, &server, change);
    go(&walk, "#from=2024-01-01&to=2024-12-31");
    walk.says("Counts per brand");
    let asked = "return window.asked.filter((path) => path.startsWith('/api/v1/mentions')).length;";
    // The whole year, and then 25 days at a time.
    assert_eq!(browser.script(asked), 16);
    let sum = "return [...document.querySelectorAll('main .scroll:first-of-type tbody tr')] \
               .reduce((n, row) => n + Number(row.cells[2].textContent), 0);";
    let lines = get(server.at, "/api/v1/mentions").json()["lines"].clone();
    let all: u64 =
        lines.as_array().unwrap().iter().map(|line| line["mentions"].as_u64().unwrap()).sum();
    assert_eq!(browser.script(sum), all, "{}", walk.text());
}

/// A day said that as many articles count as stood on its first page.
#[test]
fn a_part_of_a_day_says_how_many_articles_count() {
    let Some(browser) = Browser::start() else { return };
    let (server, _index) = server();
    let change = "if (url.pathname === '/api/v1/articles') { body.articles = body.articles.slice(0, 1); \
                  body.next = `${body.articles[0].day}.${body.articles[0].key}`; }";
    let walk = told(&browser, &server, change);
    go(&walk, "#brand=Nordlicht&day=2024-05-14");
    walk.says("1 of 2 articles counted, on this page");
    go(&walk, "#brand=Nordlicht&day=2024-05-15");
    walk.says("0 articles counted");
}

/// A column stood there for each of hundreds of brands.
#[cfg(feature = "search")]
#[test]
fn a_table_of_what_is_found_has_few_columns() {
    let Some(browser) = Browser::start() else { return };
    let (server, _index) = server();
    let change = "if (url.pathname === '/api/v1/search') body.days = [{ day: '2024-05-14', articles: 0, \
                  brands: Object.fromEntries(Array.from({ length: 39 }, (_, i) => [`Brand ${i}`, i + 1])) }, \
                  { day: '2024-05-15', articles: 0, brands: { constructor: 90 } }];";
    let walk = told(&browser, &server, change);
    go(&walk, "#view=search&q=nowhere");
    walk.says("The table has the 12 brands with most articles, of 40.");
    let heads =
        "return [...document.querySelectorAll('main thead th')].map((head) => head.textContent);";
    let heads = browser.script(heads);
    let heads: Vec<&str> =
        heads.as_array().into_iter().flatten().filter_map(|head| head.as_str()).collect();
    assert_eq!(heads.len(), 2 + 12, "{heads:?}");
    assert!(heads.contains(&"Brand 38") && !heads.contains(&"Brand 2"), "{heads:?}");
    // Of a brand with such a name a day without it had no number.
    assert!(heads.contains(&"constructor") && !walk.text().contains("NaN"), "{}", walk.text());
}

/// The field stood there whatever the alert waits for, and what was written into it counted for nothing.
#[test]
fn an_alert_asks_for_a_number_only_where_it_has_one() {
    let Some(browser) = Browser::start() else { return };
    let (server, _index) = server();
    let walk = Walk::over(&browser, &server);
    walk.open("view=alerts&make=1");
    let shown = "return document.querySelector('main [name=n]').checkVisibility();";
    for (when, number) in [("unusual", false), ("at-least", true), ("daily", false)] {
        walk.fill("when", when);
        assert_eq!(browser.script(shown), number, "{when}");
    }
}

/// Paper is white, whichever colours the screen has: black letters stood on dark tables where a browser does not see
/// to that itself.
#[test]
fn paper_is_white() {
    let Some(browser) = Browser::start() else { return };
    let (server, _index) = server();
    let walk = Walk::over(&browser, &server);
    let dark = json!([{ "name": "prefers-color-scheme", "value": "dark" }]);
    let card = "return getComputedStyle(document.querySelector('main .scroll')).backgroundColor;";
    for (media, colour) in [("screen", "rgb(30, 33, 37)"), ("print", "rgb(255, 255, 255)")] {
        let emulated = json!({ "media": media, "features": dark });
        browser.devtools("Emulation.setEmulatedMedia", &emulated);
        walk.open("view=mentions");
        assert_eq!(browser.script(card), colour, "{media}");
    }
}

/// A report was wider than a phone.
#[test]
fn a_report_fits_a_phone() {
    let Some(browser) = Browser::start() else { return };
    let (server, _index) = server();
    let screen = json!({ "width": 390, "height": 900, "deviceScaleFactor": 1, "mobile": false });
    browser.devtools("Emulation.setDeviceMetricsOverride", &screen);
    let (from, to) = range(&server);
    let path = format!("api/v1/brands/Nordlicht/report.html?from={from}&to={to}");
    browser.open(&format!("http://{}/{path}", server.at));
    browser.wait("the report", |b| b.page().contains("What was not counted"));
    let wide =
        "return document.documentElement.scrollWidth - document.documentElement.clientWidth;";
    assert_eq!(browser.script(wide), 0);
    // A bar has no width of its own there.
    let cell = "return getComputedStyle(document.querySelector('td:has(> .share)')).minWidth;";
    assert_ne!(browser.script(cell), "144px");
}
