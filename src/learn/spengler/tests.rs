//! From folder to labeled article and study, on pages of our own.

use std::path::PathBuf;

use super::*;
use crate::extract::label::Model;
use crate::extract::{self, Hints, Limits};
use crate::learn::corpus::Corpus;
use crate::learn::hand::{self, Hand, Mark};
use crate::learn::pages;

const LABELS: [Label; 5] =
    [Label::Title, Label::Paragraph, Label::Author, Label::Comment, Label::None];

fn page(n: usize) -> (String, serde_json::Value) {
    let title = format!("The bridge of town {n}");
    // Words of their own keep the pages from being copies of each other.
    let own = |k: usize| (0..8).map(|w| format!(" name{n}x{k}y{w}")).collect::<String>();
    let lines: Vec<String> =
        (0..4).map(|k| format!("The council said that{} would be done.", own(k))).collect();
    let body: String = lines
        .iter()
        .map(|l| format!("<p>{}</p>", l.replace("council", "<a href=/c>council</a>")))
        .collect();
    let comments: Vec<String> =
        (0..2).map(|k| format!("I never liked it, said{}.", own(10 + k))).collect();
    let below: String = comments.iter().map(|c| format!("<li>{c}</li>")).collect();
    let html = format!(
        "<title>{title} | Town Paper</title><nav><ul><li><a href=/>Home</a><li><a href=/s>Sport</a>\
         </ul></nav><main><h1>{title}</h1><div class=byline>By <b>Ann Berg</b></div>{body}</main>\
         <ol class=answers>{below}</ol><footer>Town Paper, all rights reserved</footer>"
    );
    let gold = serde_json::json!({
        "id": format!("p{n:02}"), "lang": "en", "domain": format!("outlet{}.example", n % 7),
        "text": lines.join("\n"), "title": title, "authors": ["Ann Berg"], "comments": comments,
    });
    (html, gold)
}

fn corpus() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("temporary folder");
    let folder = dir.path().join("ours");
    std::fs::create_dir_all(folder.join("pages")).expect("folder");
    let mut gold = String::new();
    for n in 0..21 {
        let (html, row) = page(n);
        std::fs::write(folder.join("pages").join(format!("p{n:02}.html")), html).expect("page");
        gold.push_str(&format!("{row}\n"));
    }
    std::fs::write(folder.join("gold.jsonl"), gold).expect("gold");
    (dir, folder)
}

fn settings() -> Settings {
    let mut settings = Settings { labels: LABELS.to_vec(), ..Settings::default() };
    settings.svm.passes = 10;
    settings.crf.iterations = 30;
    settings
}

fn trained(method: Method, settings: Settings) -> (Model, String) {
    let (_dir, folder) = corpus();
    let corpus = Corpus::load(&[folder]).expect("a good corpus");
    let pages: Vec<&LabeledPage> = corpus.pages.iter().collect();
    let run = || train(&pages, method, &settings, "", &|_| {}).expect("a good corpus");
    let bytes = run().bytes();
    assert_eq!(bytes, run().bytes(), "same seed, same model");
    let model = Model::load(&bytes).expect("was just written");
    let card = card(&settings, method, &model);
    (model, card)
}

#[test]
fn models_name_the_leaves_of_pages_they_have_not_seen() {
    for method in [Method::Svm, Method::Crf] {
        let (model, card) = trained(method, settings());
        assert!(card.contains("labels: title, paragraph, author, comment, none"), "{card}");
        assert_eq!(model.kind().name(), method.name().to_lowercase());
        let (html, gold) = page(33);
        let article =
            extract::article(&html, &Hints::default(), &model, &Limits::default()).article;
        assert_eq!(article.text, gold["text"].as_str().expect("text"), "lines are whole again");
        let with = |label: Label| -> Vec<&str> {
            article.blocks.iter().filter(|b| b.label == label).map(|b| b.text.as_str()).collect()
        };
        assert_eq!(with(Label::Title), ["The bridge of town 33"]);
        assert_eq!(with(Label::Author), ["Ann Berg"]);
        assert_eq!(with(Label::Comment).len(), 2);
        let sure = article.blocks.iter().all(|b| (b.probability >= 0.5) == b.label.is_content());
        assert!(sure && !article.fallback);
    }
}

#[test]
fn two_labels_leave_the_naming_to_the_rules() {
    let binary = Settings { labels: vec![Label::None, Label::Paragraph], ..settings() };
    let (model, _) = trained(Method::Svm, binary);
    let (html, _) = page(40);
    let article = extract::article(&html, &Hints::default(), &model, &Limits::default()).article;
    let titles = article.blocks.iter().filter(|b| b.label == Label::Title).count();
    assert_eq!((titles, article.text.lines().count()), (1, 4));
}

#[test]
fn the_strongest_features_are_those_that_tell() {
    let (model, _) = trained(Method::Svm, settings());
    let Kind::Leaves(leaves) = model.kind() else { panic!("{:?}", model.kind()) };
    let [best, worst] = leaves.strongest(Label::Title, 3).expect("a known label");
    assert!(best.iter().any(|w| w.name.contains("h1")), "{best:?}");
    assert!(best[0].weight > 0.0 && worst[0].weight < 0.0);
    assert_eq!(leaves.strongest(Label::Credit, 3), None);
}

#[test]
fn a_model_whose_parts_do_not_belong_together_is_refused() {
    let (model, _) = trained(Method::Svm, settings());
    let Kind::Leaves(good) = model.kind().clone() else { panic!("{:?}", model.kind()) };
    let check = |change: fn(&mut Leaves), expect: bool| {
        let mut leaves = good.clone();
        change(&mut leaves);
        let file = Model::new(Profile::Leaf2009, Kind::Leaves(leaves), "").bytes();
        assert_eq!(Model::load(&file).is_ok(), expect);
    };
    check(|_| {}, true);
    check(|l| l.labels.truncate(1), false);
    check(|l| l.scales.truncate(1), false);
    check(|l| l.chain.weights.truncate(1), false);
    check(|l| l.chain.weights[0] = f32::NAN, false);
}

#[test]
fn the_study_reports_what_the_corpus_marks() {
    let (_dir, folder) = corpus();
    let options = StudyOptions {
        corpora: vec![folder],
        annotations: None,
        page_types: vec!["article".into()],
        settings: Settings { labels: Label::ALL.to_vec(), ..settings() },
        sizes: vec![2, 5, 500],
        samples: 2,
        seed: 1,
    };
    let study = study(&options, &|_| {}).expect("a good corpus");
    let table = &study.table;
    // Twenty-one titles and authors are fewer than a label needs.
    assert!(table.contains("### ours: paragraph, comment, none"), "{table}");
    assert!(table.contains("### ours: paragraph, none"), "{table}");
    assert_eq!(table.matches("| CRF, All |").count(), 4, "{table}");
    assert!(table.contains("| comment | 28 | 14 | 100.00 | 100.00 | 100.00 |"), "{table}");
    assert!(table.contains("2 random samples per size"), "{table}");
    assert_eq!(study.figures[0].csv.lines().count(), 1 + 2 * 2 * 2);
}

/// Pages outlet0 to outlet3 are labelled by hand; the other outlets' pages have what they tell themselves.
#[test]
fn thirty_labels_are_judged_on_pages_labelled_by_hand() {
    let (dir, folder) = corpus();
    let annotations = dir.path().join("labels");
    let all = Corpus::load(std::slice::from_ref(&folder)).expect("a good corpus");
    for page in all.pages.iter().filter(|page| page.group().0 < "outlet4") {
        let blocks = pages::segment(page, Profile::Leaf2009).expect("a page");
        let labels = gold_labels(page, &blocks);
        let mark =
            |(at, label): (usize, &Label)| Mark { from: at, to: at, label: *label, element: None };
        let marks = labels.iter().enumerate().map(mark).collect();
        let hand = Hand::new(&page.gold.id, &blocks, marks, true).expect("good marks");
        hand.write(&hand::path(&annotations, "ours", 1, &page.gold.id)).expect("room");
    }
    let options = |annotations: PathBuf| StudyOptions {
        corpora: vec![folder.clone()],
        annotations: Some(annotations),
        page_types: vec!["article".into()],
        settings: settings(),
        sizes: Vec::new(),
        samples: 0,
        seed: 1,
    };
    let table = study(&options(annotations), &|_| {}).expect("a good corpus").table;
    assert!(table.contains("12 pages labelled by hand, 9 others"), "{table}");
    // Of 48 paragraphs three leaves each; the page's last line is a copyright line that the gold ignores.
    assert!(table.contains("| paragraph | 108 | 0 | 0 | 0 | 0 | 0 | 144 | 100.00"), "{table}");
    assert!(table.contains("| copyright | 0 | 0 | 0 | 0 | 0 | 9 | 0 | 0.00"), "{table}");
    assert!(table.contains("| CRF, both | "), "{table}");
    assert!(table.contains("| title | 12 | 100.00 | 100.00 | 100.00 |"), "{table}");
    let error = study(&options(dir.path().join("nothing")), &|_| {}).expect_err("no labels");
    assert!(error.to_string().contains("has labels of no page"), "{error:#}");
}

#[test]
fn label_sets_say_what_counts_as_what() {
    let set = |labels: &[Label]| Settings { labels: labels.to_vec(), ..Settings::default() };
    assert!(Settings::default().check().is_ok());
    assert!(set(&[Label::Title, Label::Paragraph]).check().is_err());
    assert!(set(&[Label::None]).check().is_err());
    assert!(set(&[Label::None, Label::Date, Label::None]).check().is_err());
    let check = |labels: &[Label], gold, expect| assert_eq!(set(labels).target(gold), expect);
    let binary = [Label::Paragraph, Label::None];
    check(&binary, Label::Introduction, Label::Paragraph);
    check(&binary, Label::Title, Label::None);
    let few = [Label::Introduction, Label::Paragraph, Label::Comment, Label::None];
    check(&few, Label::Introduction, Label::Introduction);
    check(&few, Label::Heading, Label::Paragraph);
    check(&[Label::Comment, Label::None], Label::Paragraph, Label::None);
}

/// Pages on which a label can be told by the label before alone: 1 2 or 0 0 behind a mark.
#[test]
fn transitions_tell_what_features_do_not() {
    let mut pages = Vec::new();
    for n in 0..20 {
        let mut rows = Rows::default();
        let mut gold = Vec::new();
        for i in 0..8 {
            let first = (n + i / 2) % 2 == 0;
            // The first of a pair is known, the second looks the same in both.
            rows.push([(if i % 2 == 1 { 2 } else { u32::from(first) }, 1.0)]);
            gold.push(if !first {
                Label::None
            } else if i % 2 == 0 {
                Label::Title
            } else {
                Label::Paragraph
            });
        }
        pages.push(LeafPage { rows, gold });
    }
    let names = ["a", "b", "c"].map(str::to_owned).into();
    let leaves = LeafPages { names, pages };
    let settings = Settings {
        labels: vec![Label::Title, Label::Paragraph, Label::None],
        ..Settings::default()
    };
    let right = |method| {
        let fitted = fit(&leaves, &(0..15).collect::<Vec<_>>(), method, &settings, "", &|_| {});
        let test = &leaves.pages[15..];
        test.iter().filter(|page| fitted.predict(page) == page.gold).count()
    };
    assert_eq!(right(Method::Crf), 5);
    assert_eq!(right(Method::Svm), 0);
}
