use std::io::Write;
use std::path::PathBuf;

use super::*;
use crate::learn::corpus::Corpus;

/// Two publishers' templates around articles; copies are not among them.
fn corpus(dir: &std::path::Path) -> PathBuf {
    let folder = dir.join("made");
    std::fs::create_dir_all(folder.join("pages")).expect("folder");
    let mut gold = std::fs::File::create(folder.join("gold.jsonl")).expect("gold");
    let people =
        ["council", "school", "harbour", "theatre", "station", "market", "library", "court"];
    for i in 0..24 {
        let lines: Vec<String> = (0..4)
            .map(|n| {
                let who = people[(i + n) % people.len()];
                format!("The {who} said on day {i} that it was late for the {n} of them.")
            })
            .collect();
        let title = format!("Late news number {i} for {}", people[i % people.len()]);
        let (open, close, menu) = match i % 6 {
            0 | 1 => ("<div>", "</div>", "<ul><li><a href=a>Home</a><li><a href=b>Sports</a></ul>"),
            2 | 3 => ("<p>", "</p>", "<div><a href=a>Menu</a><a href=b>Weather</a></div>"),
            _ => ("<td>", "</td>", "<p><a href=a>Front page</a></p><p>Log in</p>"),
        };
        let wrap = |l: &String| format!("{open}{l}{close}");
        let body: String = lines.iter().map(wrap).collect();
        let table = if open == "<td>" { format!("<table><tr>{body}</table>") } else { body };
        let html = format!(
            "<title>{title}</title>{menu}<h1>{title}</h1>{table}<p>All rights reserved by Us</p>"
        );
        std::fs::write(folder.join(format!("pages/{i}.html")), html).expect("page");
        let row = serde_json::json!({
            "id": i.to_string(), "title": title, "text": lines.join("\n"), "lang": "en",
            "domain": format!("paper{}.example", i % 6),
        });
        writeln!(gold, "{row}").expect("gold");
    }
    folder
}

#[test]
fn trained_labelers_find_the_article_and_survive_a_file() {
    let dir = tempfile::tempdir().expect("folder");
    let corpus = Corpus::load(&[corpus(dir.path())]).expect("corpus");
    let pages: Vec<&LabeledPage> = corpus.pages.iter().collect();
    for form in [Form::Maxent, Form::Memm, Form::Crf] {
        let model =
            train(&pages, Profile::Gibson2007, &Settings::of(form), "", &|_| ()).expect("trains");
        let model = Model::load(&model.bytes()).expect("was just written");
        for page in &pages {
            let blocks = crate::learn::pages::segment(page, model.profile()).expect("page");
            let scored = model.labeler().label(&blocks);
            let found = (0..blocks.len()).filter(|&i| scored[i].content).map(|i| blocks.text(i));
            assert_eq!(found.collect::<Vec<_>>().join("\n"), page.text(), "{form:?}");
        }
    }
}

#[test]
fn copies_show_the_article_in_the_other_template() {
    let dir = tempfile::tempdir().expect("folder");
    let corpus = Corpus::load(&[corpus(dir.path())]).expect("corpus");
    let (page, template) = (&corpus.pages[0], &corpus.pages[7]);
    assert_ne!(page.gold.domain, template.gold.domain);
    let article = copies::Article::of(page);
    let blocks = copies::template(template).expect("page");
    let own: Vec<String> = (0..blocks.len()).map(|i| blocks.text(i).to_owned()).collect();
    assert_eq!(copies::room(template, &blocks), 4);
    let copy = copies::put(&article, template, blocks).expect("there is room");
    let text = |content: bool| -> Vec<String> {
        let of = documents::aligned(&copy, &page.gold);
        let chosen = of.iter().enumerate().filter(|(_, c)| **c == content);
        chosen.map(|(i, _)| copy.text(i).to_owned()).collect()
    };
    assert_eq!(text(true).join("\n"), page.text());
    // Menus and the line at the foot are the template's, the headline is the article's.
    let kept = text(false).into_iter().filter(|t| own.contains(t)).count();
    assert_eq!((kept, text(false).len()), (own.len() - 5, own.len() - 4));
    let long = copies::Article { title: "t", lines: vec!["too many lines for this page"; 9] };
    let blocks = copies::template(template).expect("page");
    assert!(copies::put(&long, template, blocks).is_none());
}

/// A line was written into its block's first text node: a block that began with a link became all link.
#[test]
fn copies_do_not_make_a_link_of_a_line_that_began_with_one() {
    let dir = tempfile::tempdir().expect("folder");
    let folder = dir.path().join("linked");
    std::fs::create_dir_all(folder.join("pages")).expect("folder");
    let lines =
        ["Reuters said on Monday that it was late.", "The council had nothing to add to it."];
    let html = format!(
        "<title>Late</title><p><a href=r>Reuters</a>{}<p>The <a href=c>council had</a>{}",
        lines[0].trim_start_matches("Reuters"),
        lines[1].trim_start_matches("The council had"),
    );
    let mut rows = String::new();
    for (id, domain) in [("a", "one.example"), ("b", "two.example")] {
        std::fs::write(folder.join(format!("pages/{id}.html")), &html).expect("page");
        let text = lines.join("\n");
        let row = serde_json::json!({"id": id, "text": text, "title": "Late", "domain": domain});
        rows.push_str(&format!("{row}\n"));
    }
    std::fs::write(folder.join("gold.jsonl"), rows).expect("gold");
    let corpus = Corpus::load(&[folder]).expect("corpus");
    let article = copies::Article::of(&corpus.pages[0]);
    let blocks = copies::template(&corpus.pages[1]).expect("page");
    let copy = copies::put(&article, &corpus.pages[1], blocks).expect("there is room");
    let shown: Vec<(&str, u32)> =
        (0..copy.len()).map(|i| (copy.text(i), copy.stats[i].link_words)).collect();
    assert_eq!(shown, [(lines[0], 0), (lines[1], 0)]);
}

#[test]
fn the_study_runs_and_repeats() {
    let dir = tempfile::tempdir().expect("folder");
    let options = StudyOptions {
        corpora: vec![corpus(dir.path())],
        articles: 5,
        folds: 2,
        sigmas: vec![10.0],
        iterations: 20,
        beside: Vec::new(),
        ..StudyOptions::default()
    };
    let first = study(&options, &|_| ()).expect("runs");
    assert_eq!(first.csv, study(&options, &|_| ()).expect("runs").csv);
    let rows = first.csv.lines().count();
    // Header, prior, setups, options, ablation, amounts, untouched.
    assert_eq!(rows, 1 + 3 + 4 * 4 + 4 * 10 + 14 + 3 + 6, "{}", first.csv);
    assert!(first.table.contains("duplicates allowed, mixed sources"));
    let too_few = StudyOptions { least_per_source: 99, ..options };
    assert!(study(&too_few, &|_| ()).is_err());
}
