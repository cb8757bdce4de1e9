//! Training and evaluation from folder to report, on pages of our own.

use std::path::PathBuf;

use super::eval::{compare, tables};
use super::train::Trainable;
use super::ziegler::pso;
use super::*;
use crate::extract::label::Model;

const TOPICS: [&str; 6] = ["bridge", "harbour", "school", "library", "station", "market"];

/// Thirty pages of five outlets: navigation, article, teasers, footer.
fn corpus() -> (tempfile::TempDir, PathBuf) {
    corpus_with("")
}

/// The same with `extra` after each article.
fn corpus_with(extra: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("temporary folder");
    let folder = dir.path().join("ours");
    std::fs::create_dir_all(folder.join("pages")).expect("folder");
    let mut gold = String::new();
    for n in 0..30 {
        let topic = TOPICS[n % TOPICS.len()];
        let lines: Vec<String> = (0..5)
            .map(|k| {
                // Words of their own keep the pages from being copies of each other.
                let own: String = (0..8).map(|w| format!(" name{n}x{k}y{w}")).collect();
                format!("The council said that the {topic} and{own} would be done before winter.")
            })
            .collect();
        let body: String = lines.iter().map(|l| format!("<p>{l}</p>")).collect();
        let menu: String =
            TOPICS.iter().map(|t| format!("<li><a href=/{t}>{t} {n}</a></li>")).collect();
        let html = format!(
            "<title>The {topic} of town {n}</title><nav><ul>{menu}</ul></nav><main>\
             <h1>The {topic} of town {n}</h1>{body}{extra}</main><aside><ul>{menu}</ul></aside>\
             <footer>Town paper {n}, all rights reserved</footer>"
        );
        std::fs::write(folder.join("pages").join(format!("p{n:02}.html")), html).expect("page");
        let row = serde_json::json!({
            "id": format!("p{n:02}"), "lang": "en", "domain": format!("outlet{}.example", n % 5),
            "text": lines.join("\n"), "title": format!("The {topic} of town {n}"),
        });
        gold.push_str(&format!("{row}\n"));
    }
    std::fs::write(folder.join("gold.jsonl"), gold).expect("gold");
    (dir, folder)
}

fn settings(labeler: Trainable) -> train::Settings {
    let mut settings = train::Settings { labeler, ..train::Settings::default() };
    settings.swarm.particles = 60;
    settings.swarm.generations = 15;
    for boost in [&mut settings.trees.first, &mut settings.trees.second] {
        boost.trees = 40;
        (boost.rows, boost.columns) = (0.7, 0.5);
        boost.least_leaf = 1.0;
    }
    settings.trees.inner_folds = 2;
    settings
}

fn options(folder: &std::path::Path, subject: Subject) -> EvalOptions {
    EvalOptions {
        corpora: vec![folder.to_path_buf()],
        subject,
        page_types: vec!["article".into()],
        brands: "Town".into(),
        scope: eval::Scope::Labels,
        against: Against::default(),
        site_memory: false,
        without_title: false,
        oracle: false,
    }
}

#[test]
fn trained_models_read_back_and_extract() {
    let (_dir, folder) = corpus();
    for labeler in [Trainable::Threshold, Trainable::Trees, Trainable::Whole] {
        let train_options = TrainOptions {
            corpora: vec![folder.clone()],
            annotations: None,
            settings: settings(labeler),
        };
        let trained = train(&train_options, &|_| {}).expect("a good corpus");
        let again = train(&train_options, &|_| {}).expect("a good corpus");
        assert_eq!(trained.bytes, again.bytes, "same seed, same model");
        let model = Model::load(&trained.bytes).expect("was just written");
        assert!(trained.card.contains(model.id()), "{}", trained.card);
        let report = eval(&options(&folder, Subject::Model(Box::new(model))), &|_| {});
        let report = report.expect("a good corpus");
        assert!(report.summary.means.sim > 0.9, "{}", report.table());
    }
}

#[test]
fn folds_cover_every_page_once() {
    let (_dir, folder) = corpus();
    let subject =
        Subject::Folds { settings: Box::new(settings(Trainable::Threshold)), folds: 3, seed: 1 };
    let report = eval(&options(&folder, subject), &|_| {}).expect("a good corpus");
    assert_eq!(report.pages.len(), 30);
    assert!(report.pages.windows(2).all(|w| w[0].id < w[1].id));
    assert!(report.table().contains("| ours | 30 |"), "{}", report.table());
    assert!(report.json().is_ok_and(|j| j.contains("\"corpus_hash\"")));
    assert_eq!(report.csv().map(|c| c.lines().count()).ok(), Some(31));
}

#[test]
fn pages_without_a_gold_text_count_by_their_snippets() {
    let (_dir, folder) = corpus();
    let more = "{\"id\":\"q1\",\"domain\":\"q.example\",\"must_contain\":[\"so it was\"]}\n\
                {\"id\":\"q2\",\"domain\":\"q.example\"}\n";
    let gold = std::fs::read_to_string(folder.join("gold.jsonl")).expect("gold");
    std::fs::write(folder.join("gold.jsonl"), gold + more).expect("gold");
    for id in ["q1", "q2"] {
        let page = folder.join("pages").join(format!("{id}.html"));
        std::fs::write(page, "<p>The council met on Monday, and so it was decided.").expect("page");
    }
    let subject = Subject::Model(Box::new(Model::embedded()));
    let report = eval(&options(&folder, subject), &|_| {}).expect("a report");
    assert_eq!((report.summary.pages, report.summary.text_pages), (31, 30));
    let snippets = report.summary.snippets.expect("of one page");
    assert_eq!(snippets.tp + snippets.fn_, 1);
}

#[test]
fn an_oracle_asks_for_a_labeler_that_decides_about_the_page() {
    let (_dir, folder) = corpus();
    let folds =
        Subject::Folds { settings: Box::new(settings(Trainable::Threshold)), folds: 3, seed: 1 };
    for subject in [folds, Subject::Model(Box::new(Model::by_hand()))] {
        let asked = EvalOptions { oracle: true, ..options(&folder, subject) };
        let refused = eval(&asked, &|_| {}).expect_err("no decoder").to_string();
        assert!(refused.contains("labeler `whole`"), "{refused}");
    }
    let asked = EvalOptions {
        oracle: true,
        ..options(&folder, Subject::Model(Box::new(Model::embedded())))
    };
    let report = eval(&asked, &|_| {}).expect("a good corpus");
    let all = report.oracle["all"];
    assert_eq!(all.pages, 30);
    assert!(all.trees > 0.0 && all.oracle >= all.trees, "{all:?}");
    assert!(report.table().contains("with gold's edits"));
}

#[test]
fn titles_can_be_left_out_on_both_sides() {
    let (dir, folder) = corpus();
    let path = folder.join("gold.jsonl");
    let gold = std::fs::read_to_string(&path).expect("gold");
    let mut titled = Vec::new();
    let mut texts = Vec::new();
    for (number, line) in gold.lines().enumerate() {
        let mut row: serde_json::Value = serde_json::from_str(line).expect("gold");
        let body = row["text"].as_str().expect("a text").to_owned();
        let whole = format!("{}\n{body}", row["title"].as_str().expect("a title"));
        // Some systems count the title, others do not.
        let text = if number % 2 == 0 { &whole } else { &body };
        texts.push(serde_json::json!({ "id": row["id"], "text": text }).to_string());
        row["text"] = whole.into();
        titled.push(row.to_string());
    }
    std::fs::write(&path, titled.join("\n")).expect("gold");
    let file = dir.path().join("texts.jsonl");
    std::fs::write(&file, texts.join("\n")).expect("texts");
    let exact = |without_title| {
        let subject = Subject::Texts(vec![file.clone()]);
        let options = EvalOptions { without_title, ..options(&folder, subject) };
        eval(&options, &|_| {}).expect("good texts").summary.means.exact
    };
    assert_eq!((exact(false), exact(true)), (0.5, 1.0));
}

#[test]
fn texts_of_anybody_are_scored_and_compared() {
    let (dir, folder) = corpus();
    let gold = std::fs::read_to_string(folder.join("gold.jsonl")).expect("gold");
    let texts = |name: &str, keep: usize, pages: usize| {
        let rows: Vec<String> = gold
            .lines()
            .take(pages)
            .map(|line| {
                let gold: serde_json::Value = serde_json::from_str(line).expect("gold");
                let text = gold["text"].as_str().expect("a text");
                let lines: Vec<&str> = text.lines().take(keep).collect();
                serde_json::json!({ "id": gold["id"], "text": lines.join("\n") }).to_string()
            })
            .collect();
        let file = dir.path().join(name);
        std::fs::write(&file, rows.join("\n")).expect("texts");
        file
    };
    let (whole, half, some) =
        (texts("a.jsonl", 9, 30), texts("b.jsonl", 2, 30), texts("c.jsonl", 9, 12));
    let evaluate = |subject: PathBuf, others: &[(&str, &PathBuf)]| {
        let files = others.iter().map(|(n, f)| (n.to_string(), f.to_path_buf())).collect();
        let options = EvalOptions {
            against: Against { files, folder: None },
            ..options(&folder, Subject::Texts(vec![subject]))
        };
        eval(&options, &|_| {}).expect("good texts")
    };
    let report = evaluate(whole.clone(), &[("half", &half), ("some", &some)]);
    assert_eq!((report.summary.means.exact, report.missing), (1.0, 0));
    assert_eq!(report.others.iter().map(|o| o.missing).collect::<Vec<_>>(), [0, 18]);
    let table = report.table();
    assert!(table.contains("| half | 0.") && table.contains("some has no text for 18"), "{table}");
    let comparison = report.comparison.as_ref().expect("others were named");
    let of = |other: &str| {
        let rows = comparison.rows.iter().filter(|r| r.figure == "sim" && r.other == other);
        rows.map(|r| (r.pages, r.verdict)).next()
    };
    assert_eq!(of("half"), Some((30, compare::Verdict::Ahead)));
    assert_eq!(of("some"), Some((12, compare::Verdict::Level)));
    let csv = tables::comparison_csv(comparison).expect("memory");
    assert_eq!(csv.lines().count(), 1 + comparison.rows.len());
    assert_eq!(report.svg().matches("<polyline").count(), 3);
    let behind = evaluate(half, &[("whole", &whole)]);
    let rows = behind.comparison.expect("another was named").rows;
    assert!(rows.iter().any(|r| r.verdict == compare::Verdict::Behind && r.difference.high < 0.0));
    assert!(tables::worst(&report.pages, 3).contains("0 of 30 pages took over 200 ms"));
}

#[test]
fn the_memory_of_an_outlet_leaves_out_what_it_always_prints() {
    let offer = "<p>Our letter brings it all.</p>";
    let means = |extra, site_memory| {
        let (_dir, folder) = corpus_with(extra);
        let subject = Subject::Model(Box::new(Model::by_hand()));
        let scope = Scope::Article;
        let options = EvalOptions { scope, site_memory, ..options(&folder, subject) };
        eval(&options, &|_| {}).expect("a good corpus").summary.means
    };
    let (without, with) = (means(offer, false), means(offer, true));
    assert!(without.shingle.p < with.shingle.p, "{without:?} {with:?}");
    assert_eq!(with, means("", false), "as if the offer were not there");
}

#[test]
fn study_draws_its_figures() {
    let (_dir, folder) = corpus();
    let swarm = pso::Settings { particles: 40, generations: 8, ..pso::Settings::damped() };
    let options = ziegler::StudyOptions {
        corpora: vec![folder],
        page_types: vec!["article".into()],
        pages: None,
        swarm,
        folds: 2,
        sizes: vec![5, 10],
    };
    let study = ziegler::study(&options, &|_| {}).expect("a good corpus");
    let names: Vec<&str> = study.figures.iter().map(|f| f.name.as_str()).collect();
    let figures = ["swarm-printed", "swarm-limited", "swarm-sizes", "features-alone"];
    let modern = figures.map(|f| format!("{f}-modern"));
    assert_eq!(names, [&figures[..], &modern.each_ref().map(String::as_str)].concat());
    assert!(study.rows["TB"].1 <= study.rows["threshold, *modern*"].1, "{}", study.table);
    // One feature tells menus from prose here: the others add nothing to it.
    assert!(study.table.contains("the difference is +0.000 [0.000, 0.000]"), "{}", study.table);
}

#[test]
fn the_shipped_trees_fit_and_know_prose_from_furniture() {
    let bytes = include_bytes!("../../deploy/model/trees.model");
    let model = Model::load(bytes).expect("the shipped model reads");
    let (_dir, folder) = corpus();
    let report = eval(&options(&folder, Subject::Model(Box::new(model))), &|_| {});
    let report = report.expect("a good corpus");
    assert!(report.summary.means.sim > 0.95, "{}", report.table());
}

/// Sixty pages: articles, articles with comments and threads, each of a domain of its own.
fn three_types() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("temporary folder");
    let folder = dir.path().join("types");
    std::fs::create_dir_all(folder.join("pages")).expect("folder");
    let mut gold = String::new();
    for n in 0..60 {
        let say = |k: usize, words: usize| -> String {
            (0..words).map(|w| format!("word{n}x{k}y{w} ")).collect()
        };
        let (kind, divs, row) = match n % 3 {
            0 => (
                "article",
                format!("<div>{}</div><div>{}</div>", say(0, 60), say(1, 20)),
                serde_json::json!({"text": say(0, 60)}),
            ),
            1 => (
                "article",
                format!(
                    "<div class=text>{}</div><div id=comments class=talk>{}</div>",
                    say(0, 60),
                    say(1, 55)
                ),
                serde_json::json!({"text": say(0, 60), "comments": [say(1, 55)]}),
            ),
            _ => (
                "forum",
                (0..4).map(|k| format!("<div>{}</div>", say(k, 50 + k))).collect(),
                serde_json::json!({
                    "text": say(0, 50),
                    "posts": (0..4).map(|k| serde_json::json!({"text": say(k, 50 + k)}))
                        .collect::<Vec<_>>(),
                }),
            ),
        };
        let html = format!("<h1>Page {n}</h1>{divs}");
        std::fs::write(folder.join("pages").join(format!("p{n:02}.html")), html).expect("page");
        let mut row = row;
        row["id"] = format!("p{n:02}").into();
        row["domain"] = format!("outlet{n}.example").into();
        row["page_type"] = kind.into();
        gold.push_str(&format!("{row}\n"));
    }
    std::fs::write(folder.join("gold.jsonl"), gold).expect("gold");
    (dir, folder)
}

#[test]
fn sd_learns_its_thresholds_and_types_pages() {
    let (_dir, folder) = three_types();
    let types = ["article", "forum"].map(str::to_owned).to_vec();
    let settings = train::Settings { page_types: types.clone(), ..settings(Trainable::Sd) };
    let trained = train(
        &TrainOptions { corpora: vec![folder.clone()], annotations: None, settings },
        &|_| {},
    );
    let trained = trained.expect("a good corpus");
    assert!(trained.card.contains("T2 20, precision 1.0000"), "{}", trained.card);
    let model = Model::load(&trained.bytes).expect("was just written");
    let subject = Subject::Model(Box::new(model));
    let options =
        EvalOptions { scope: Scope::Article, page_types: types, ..options(&folder, subject) };
    let report = eval(&options, &|_| {}).expect("a good corpus");
    let structure = report.summary.structure;
    assert_eq!((structure.pages, structure.precision), (60, 1.0), "{}", report.table());
    assert!(report.table().contains("diversity 1.000"), "{}", report.table());
    // Articles and their comments are found to the letter; a thread is one region here, which is
    // paired with one of its four posts: (1 + 1 + 1/4) / 3.
    assert!((structure.regions.strict - 0.75).abs() < 0.01, "{}", report.table());
}

#[test]
fn sd_study_fills_its_table() {
    let (_dir, folder) = three_types();
    let options = pappas::StudyOptions {
        corpora: vec![folder],
        profile: crate::extract::Profile::Modern,
        settings: pappas::Settings::default(),
        per_class: 20,
        draws: 3,
        folds: 5,
        seed: 1,
    };
    let study = pappas::study(&options, &|_| {}).expect("a good corpus");
    let names: Vec<&str> = study.figures.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["sd-learning", "sd-t1", "sd-t2"]);
    let all = &study.diverse[3];
    assert_eq!(all.precision, 1.0, "{}", study.table);
    assert_eq!(all.confusion, [[80, 0, 0], [0, 80, 0], [0, 0, 80]]);
    assert!(all.regions.jaccard > 0.99, "{}", study.table);
    // With the extreme T1 = 0 comments are seen among the regions, and threads are one article.
    assert!(study.figures[0].csv.contains("\nArticle with Comments,20,1.000000\n"));
    assert!(study.table.contains("| level-candidates | 1.000 | 0.000 | "), "{}", study.table);
    assert!(study.table.contains("| group-regions (in use) | 1.000 | 1.000 | "), "{}", study.table);
    assert!(study.figures[1].csv.contains("\nMultiple areas,0,0.000000\n"));
    assert!(study.table.contains("| `user` | 0.0 / 0.0 / 0.0 |"), "{}", study.table);
}
