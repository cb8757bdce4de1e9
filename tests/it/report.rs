//! A report is one file that needs nothing else, says what the questions answer, and runs nothing that
//! publishers write.

use crate::process::Place;
use crate::web::Web;

#[test]
fn a_report_says_what_the_questions_answer_and_loads_nothing() {
    let web = Web::start();
    let place = Place::seeded(&web);
    place.run(["run", "--once"]).good();
    let days: Vec<String> = place.json(["mentions", "--brand", "Acme"])["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["bucket"].as_str().unwrap().to_owned())
        .collect();
    let (from, to) = (days.first().unwrap(), days.last().unwrap());
    let period = ["--from", from, "--to", to];
    place.run(["notes", "add", from, "<script>press</script> release", "--brand", "Acme"]).good();
    place.run(["notes", "add", to, "recall"]).good();
    place.run(["notes", "add", to, "not this", "--brand", "Umbra"]).good();
    place.run(["notes", "add", to, "x", "--brand", "Nobody"]).one_sentence(&["no brand is named"]);
    place.run(["notes", "rm", "2020-01-01-1"]).one_sentence(&["no note has the id"]);
    let mut args = vec!["report", "--brand", "Acme", "-o", "report.html"];
    args.extend(period);
    let said = place.run(&args).good();
    assert!(said.starts_with("report.html with "), "{said}");
    let page = std::fs::read_to_string(place.path("report.html")).unwrap();
    let report = place.json(["report", "--brand", "Acme", "--from", from, "--to", to]);
    let sum = |name: &str| -> i64 {
        report["days"].as_array().unwrap().iter().map(|line| line[name].as_i64().unwrap()).sum()
    };
    for (figure, what) in
        [("stories", "stories"), ("articles", "articles"), ("mentions", "mentions")]
    {
        assert!(page.contains(&format!("<li><b>{}</b>", sum(figure))), "{what}");
    }
    let articles = report["articles"].as_array().unwrap();
    assert!(!articles.is_empty());
    for (at, article) in articles.iter().enumerate() {
        assert!(page.contains(&format!("<li id=\"a{0}\" value=\"{0}\"", at + 1)));
        assert!(page.contains(article["key"].as_str().unwrap()));
    }
    // Every link inside leads somewhere.
    for link in page.split("href=\"#").skip(1) {
        let to = link.split('"').next().unwrap();
        assert!(page.contains(&format!("id=\"{to}\"")), "#{to} leads nowhere");
    }
    for never in ["<script", "<img", "<link", "<iframe", "src=", "url(", "@import", " on"] {
        let tags = page.split('<').skip(1).map(|tag| tag.split('>').next().unwrap_or_default());
        assert!(!tags.clone().any(|tag| format!("<{tag}").contains(never)), "{never}");
    }
    assert!(page.contains("default-src 'none'"));
    assert!(page.contains("&lt;script&gt;press&lt;/script&gt; release"), "{page}");
    assert!(page.contains("recall") && !page.contains("not this"));
    // Into standard output that is a file: its sentence was written over the beginning of the page.
    let (html, err) = (place.path("out.html"), place.path("err"));
    args[4] = "/dev/stdout";
    let open = |path| std::fs::File::create(path).unwrap();
    let mut command = place.command(&args);
    assert!(command.stdout(open(&html)).stderr(open(&err)).status().unwrap().success());
    assert_eq!(std::fs::read_to_string(html).unwrap(), page);
    let told = std::fs::read_to_string(err).unwrap();
    assert_eq!(told, said.replace("report.html", "/dev/stdout"));
    // The same in German; another language is refused.
    let mut german = vec!["report", "--brand", "Acme", "--language", "de"];
    german.extend(period);
    let german = place.run(&german).good();
    for words in
        ["<html lang=\"de\">", "Acme in der Presse", "Was nicht gezählt wurde", "Nennungen"]
    {
        assert!(german.contains(words), "{words}: {german}");
    }
    let numbers = |page: &str| page.matches("<td class=\"number\">").count();
    assert_eq!(numbers(&german), numbers(&page));
    let other = place.run(["report", "--brand", "Acme", "--language", "fr"]);
    assert_ne!(other.code, Some(0));
    // Printed, where there is a Chromium; else the sentence says what to do.
    let printed = place.run(["report", "--brand", "Acme", "-o", "report.pdf"]);
    if printed.code == Some(0) {
        assert!(std::fs::read(place.path("report.pdf")).unwrap().starts_with(b"%PDF-"));
    } else {
        printed.one_sentence(&["hromium", ".html"]);
    }
    place.run(["report", "--brand", "Nobody"]).one_sentence(&["no brand is named `Nobody`"]);
    place
        .run(["report", "--brand", "Acme", "--from", "2020-01-01", "--to", "2026-01-01"])
        .one_sentence(&["1100 days"]);
    // A brand without a mention in these days has a report, too.
    let none = place
        .run(["report", "--brand", "Acme", "--from", "2001-01-01", "--to", "2001-01-03"])
        .good();
    assert!(none.contains("<li><b>0</b>"), "{none}");
}
