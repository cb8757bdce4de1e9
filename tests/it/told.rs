//! What a command says agrees with what the tables show, and tells all that it did, also as JSON.

use serde_json::json;

use crate::process::Place;

/// A place whose store is that of the demo.
fn demo() -> Place {
    let place = Place::new();
    place.run(["demo", "--keep", "data"]).good();
    place
}

#[test]
fn digests_and_reports_say_the_same_numbers() {
    let place = demo();
    let digest = |args: &[&str]| place.run([&["digest"], args].concat()).good();
    // A digest of one brand said that it has all of the articles; shares were cut, not rounded.
    let days = ["--from", "2026-11-09", "--to", "2026-11-15"];
    let one = [&["--brand", "Halvorsen"], &days[..]].concat();
    let told = digest(&one);
    assert!(told.contains("; 16 % of all watched brands."), "{told}");
    assert!(digest(&days).contains(told.lines().nth(1).unwrap()), "{told}");
    let line = &place.json([&["digest"], &one[..]].concat())["lines"][0];
    assert_eq!((&line["share"], &line["articles"]), (&json!(16), &json!(26)), "{line}");
    // It named a story below "0 stories".
    let day = ["--from", "2026-11-13", "--to", "2026-11-13"];
    let told = digest(&day);
    let brand = "Brightwater: 1 article (6 before), 0 new stories and 1 of other days, 3 mentions";
    assert!(told.contains(brand), "{told}");
    assert!(told.contains("Lumina: 4 articles (3 before), 4 stories, 7 mentions"), "{told}");
    // It counted the articles that name the brand nowhere but where that is not counted.
    let told = place.run(["report", "--brand", "Halvorsen", "-o", "x.html"]).good();
    let said =
        "x.html with 19 stories and 26 articles; 71 more name it only where it is not counted\n";
    assert_eq!(told, said);
}
