//! Training and evaluation from folder to report, on pages of our own.

use std::path::PathBuf;

use super::train::Trainable;
use super::*;
use crate::extract::label::Model;

const TOPICS: [&str; 6] = ["bridge", "harbour", "school", "library", "station", "market"];

/// Thirty pages of ten outlets: navigation, article, teasers, footer.
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
            "id": format!("p{n:02}"), "lang": "en", "domain": format!("outlet{}.example", n % 10),
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
        boost.trees = 12;
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
        site_memory: false,
    }
}

#[test]
fn trained_models_read_back_and_extract() {
    let (_dir, folder) = corpus();
    for labeler in [Trainable::Threshold, Trainable::Trees] {
        let train_options =
            TrainOptions { corpora: vec![folder.clone()], settings: settings(labeler) };
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
fn the_memory_of_an_outlet_leaves_out_what_it_always_prints() {
    let offer =
        "<p>Our letter is what you get from us in the morning, and it is for all of you.</p>";
    let (_dir, folder) = corpus_with(offer);
    let report = |site_memory| {
        let subject = Subject::Model(Box::new(Model::by_hand()));
        let scope = eval::Scope::Article;
        let options = EvalOptions { scope, site_memory, ..options(&folder, subject) };
        eval(&options, &|_| {}).expect("a good corpus").summary.means
    };
    let (without, with) = (report(false), report(true));
    assert!(without.shingle.p < 0.95, "{without:?}");
    assert_eq!((with.shingle.p, with.shingle.r), (1.0, without.shingle.r));
}

#[test]
fn study_draws_its_figures() {
    let (_dir, folder) = corpus();
    let swarm = pso::Settings { particles: 40, generations: 8, ..pso::Settings::damped() };
    let options = StudyOptions {
        corpora: vec![folder],
        page_types: vec!["article".into()],
        swarm,
        folds: 2,
        sizes: vec![5, 10],
    };
    let study = study(&options, &|_| {}).expect("a good corpus");
    let names: Vec<&str> = study.figures.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["swarm-printed", "swarm-limited", "swarm-sizes", "features-alone"]);
    assert!(study.rows["TB"].1 <= study.rows["threshold, Modern"].1, "{}", study.table);
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
