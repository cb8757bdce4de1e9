//! Texts, raw pages and URL memory leave by age beside the running daemon; the counts stay, through
//! a changed brand list, a verification and a repair, too.

use std::collections::BTreeSet;

use crate::process::{Daemon, Place, wait_for};
use crate::web::Web;

#[test]
fn what_is_old_leaves_and_the_counts_stay() {
    let web = Web::with(2, 5);
    let mut place = Place::seeded(&web);
    place.set("archive.dir=\"pages\"");
    place.run(["run", "--once"]).good();
    let mentions = place.json(["mentions"])["lines"].clone();
    let entries = place.json(["status"])["entries"].clone();
    let articles = place.json(["articles"]);
    let key = articles[0]["key"].as_str().unwrap().to_owned();
    assert!(articles[0]["characters"].as_u64().unwrap() > 0);
    let pages = place.path("pages");
    let files = || -> BTreeSet<_> {
        std::fs::read_dir(&pages).unwrap().map(|file| file.unwrap().file_name()).collect()
    };
    let old = files();
    assert!(!old.is_empty());
    for setting in ["retention.texts=30d", "retention.pages=30d", "retention.urls=30d"] {
        place.settings.extend(["--set".to_owned(), setting.to_owned()]);
    }
    // A hundred days later, by a clock of its own.
    place.write("off", (100 * 86_400_000_i64).to_string());
    let later = |args: &[&str]| {
        let mut command = place.command(args);
        command.env("CRAWLER_CLOCK", format!("1:{}", place.path("off").display()));
        command
    };
    std::fs::create_dir(place.path("kept")).unwrap();
    for name in &old {
        std::fs::copy(pages.join(name), place.path("kept").join(name)).unwrap();
    }
    // A clock that is so far ahead is not believed at once: what leaves does not come back.
    assert!(later(&["run", "--once"]).output().unwrap().status.success());
    let shown = later(&["articles", "--json"]).output().unwrap().stdout;
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&shown).unwrap(), articles);
    place.write("off", (107 * 86_400_000_i64).to_string());
    let daemon = Daemon::of(&place, later(&["run"]));
    wait_for("the texts to leave", || {
        let articles = place.json(["articles"]);
        articles.as_array().unwrap().iter().all(|article| article["characters"] == 0)
    });
    // What the feeds still list stays known, and is not asked for again.
    assert_eq!(place.json(["status"])["entries"], entries);
    let pages = web.hits().iter().filter(|hit| hit.path.ends_with(".html")).count();
    let shown = place.run(["show", &key]).good();
    assert!(shown.contains("The text is no longer kept, because of its age"), "{shown}");
    assert!(!place.json(["stories"]).as_array().unwrap().is_empty());
    assert_eq!(place.json(["mentions"])["lines"], mentions);
    let said = place.run(["verify"]).good();
    assert!(said.contains("kept without text: "), "{said}");
    // Another brand leaves those alone that were counted.
    let said = place.run(["brands", "add", "Zenith"]).good();
    assert!(said.contains("kept without text: "), "{said}");
    let said = place.run(["brands", "rm", "Zenith"]).good();
    assert!(said.contains("changed 0 counts"), "{said}");
    assert_eq!(place.json(["mentions"])["lines"], mentions);
    // What is read again does not bring the texts back.
    let again = place.json(["replay", "kept"]);
    let read = ["same", "changed", "without_text"].map(|name| again[name].clone());
    let known = place.json(["status"])["outcomes"]["article"].clone();
    assert_eq!(read, [0.into(), 0.into(), known], "{again}");
    let after = web.hits().iter().filter(|hit| hit.path.ends_with(".html")).count();
    assert_eq!(after, pages);
    daemon.terminate();
    assert!(files().is_disjoint(&old), "only what was begun since");
    std::fs::write(place.path("data/main/rows.redb"), b"not a database").unwrap();
    place.run(["repair"]).good();
    assert_eq!(place.json(["mentions"])["lines"], mentions);
    place.run(["verify"]).good();
}
