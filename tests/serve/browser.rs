//! The dashboard in headless Chromium: what a person would see.

use std::path::PathBuf;
use std::process::Command;

use crate::fixture::{Server, key};

/// The first browser found in PATH.
fn browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .flat_map(|dir| names.map(|name| dir.join(name)))
        .find(|file| file.is_file())
}

/// The document after its scripts have run.
fn look(browser: &PathBuf, server: &Server, place: &str) -> String {
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(["--virtual-time-budget=10000", "--dump-dom"])
        .arg(format!("http://{}/#{place}", server.at))
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The same, if there is a browser.
#[cfg(feature = "search")]
pub fn seen(server: &Server, place: &str) -> Option<String> {
    let browser = browser()?;
    Some(look(&browser, server, place))
}

#[test]
fn the_numbers_appear() {
    let Some(browser) = browser() else {
        eprintln!("skipped: no chromium in PATH, so the dashboard was not looked at");
        return;
    };
    let server = Server::start();
    let range = "from=2024-05-01&to=2024-05-31";

    let overview = look(&browser, &server, range);
    assert!(overview.contains("All brands"), "{overview}");
    assert!(overview.contains("Nordlicht") && overview.contains("Vega"), "{overview}");

    // 2 articles, 1 story; see the fixture's texts.
    let brand = look(&browser, &server, &format!("brand=Nordlicht&{range}"));
    for words in [
        "<dt>mentions</dt><dd>6</dd>",
        "<dt>articles</dt><dd>2</dd>",
        "<dt>stories</dt><dd>1</dd>",
        "<dt>not counted</dt><dd>4</dd>",
        "2024-05-14",
        "<svg class=\"chart\"",
    ] {
        assert!(brand.contains(words), "{words} is missing: {brand}");
    }

    let day = look(&browser, &server, &format!("brand=Nordlicht&{range}&day=2024-05-15"));
    assert!(day.contains("1 article not counted") && day.contains("Rain expected"), "{day}");

    let place = format!("brand=Nordlicht&{range}&article={}", key(11));
    let article = look(&browser, &server, &place);
    for words in [
        "not counted: related article",
        "not counted: comment",
        "not counted: caption",
        "title=\"Nordlicht: counted (lead)\"",
        "title=\"Nordlicht: not counted (comment)\"",
        "&lt;img src=x onerror=",
    ] {
        assert!(article.contains(words), "{words} is missing: {article}");
    }
    assert!(!article.contains("<img src=\"x\"") && !article.contains("<title>owned"), "{article}");

    let story = look(&browser, &server, &format!("view=stories&story={}&{range}", key(11)));
    assert!(story.contains("5 h") && story.contains("88 %"), "{story}");

    let hebrew = look(&browser, &server, &format!("{range}&article={}", key(14)));
    assert!(hebrew.contains("lang=\"he\"") && hebrew.contains("dir=\"auto\""), "{hebrew}");

    let outlets = look(&browser, &server, &format!("view=outlets&{range}"));
    assert!(outlets.contains("wire.test") && outlets.contains("article 2"), "{outlets}");

    let status = look(&browser, &server, "view=status");
    assert!(status.contains("<dt>feeds</dt><dd>2</dd>"), "{status}");
}
