use std::collections::BTreeMap;

use proptest::prelude::*;

use super::choose::{Candidate, choose};
use super::*;
use crate::mention::{Lexicon, mentions};
use crate::model::*;

fn ford() -> Brand {
    Brand { name: "Ford".into(), whole_word: true, ..Brand::default() }
}

fn article(paragraphs: &[&str]) -> Article {
    let block =
        |text: &&str| Block { text: (*text).to_owned(), label: Label::Paragraph, probability: 1.0 };
    Article { blocks: paragraphs.iter().map(block).collect(), ..Article::default() }
}

/// An answer about the first mention of an article of its own.
fn answer(number: u128, text: &str, meant: bool) -> Answer {
    let (article, outlet) = (article(&[text]), format!("outlet{number}.example"));
    let found = mentions(&Lexicon::build(&[ford()]).unwrap(), &article, &outlet);
    let sighted = sight("Ford", &article, &outlet, &found).remove(0).1;
    Answer {
        article: UrlKey(number),
        block: Some(0),
        start: found[0].start,
        meant,
        outlet,
        mark: sighted.mark,
        traits: sighted.traits(),
    }
}

/// Twelve answers: six about cars, six about people.
fn answers() -> Vec<Answer> {
    let cars = ["pickup", "hybrid", "sedan", "van", "truck", "engine"];
    let people = ["Harrison", "Gerald", "Harrison", "Tom", "Harrison", "Gerald"];
    let car = |(n, word): (u128, &&str)| {
        answer(n, &format!("Shares rose as Ford launched its {word} for customers in Ohio."), true)
    };
    let person = |(n, word): (u128, &&str)| {
        answer(n, &format!("The film shows {word} Ford walking home after the last scene."), false)
    };
    (0..).zip(&cars).map(car).chain((100..).zip(&people).map(person)).collect()
}

fn zones(senses: &BTreeMap<String, Sense>, article: &Article) -> Vec<Zone> {
    let lexicon = Lexicon::build(&[ford()]).unwrap().taught(senses);
    mentions(&lexicon, article, "a.example").into_iter().map(|mention| mention.zone).collect()
}

/// Of "Ford`s" the "s" was the next word, and "`" a mark.
#[test]
fn apostrophes_tell_the_same() {
    let traits = |mark: &str| {
        let page = article(&[&format!("Shares rose as Ford{mark}s pickup sold well.")]);
        let found = mentions(&Lexicon::build(&[ford()]).unwrap(), &page, "a.example");
        sight("Ford", &page, "a.example", &found).remove(0).1.traits()
    };
    for mark in ["’", "`", "´", "‘", "‛", "′", "＇"] {
        assert_eq!(traits(mark), traits("'"), "{mark}");
    }
    assert_ne!(traits("-"), traits("'"));
}

#[test]
fn without_answers_nothing_changes() {
    let page = article(&["Harrison Ford met the head of Ford in Ohio."]);
    let none = BTreeMap::new();
    let empty = BTreeMap::from([("Ford".to_owned(), Sense::default())]);
    assert_eq!(zones(&none, &page), [Zone::Body, Zone::Body]);
    assert_eq!(zones(&empty, &page), [Zone::Body, Zone::Body]);
    assert_eq!(learn(&[], &[]), None);
}

#[test]
fn answers_teach_what_is_meant() {
    let answers = answers();
    let model = learn(&answers, &[]).expect("enough of both");
    assert_eq!(learn(&answers, &[]), Some(model.clone()), "the same answers, the same model");
    assert_eq!((model.precision.of > 0, model.recall.of), (true, 6));
    let senses = BTreeMap::from([("Ford".to_owned(), Sense { answers, model: Some(model) })]);
    let cars = article(&["Customers waited for Ford as it launched another pickup truck."]);
    assert_eq!(zones(&senses, &cars), [Zone::Body]);
    let actor = article(&["In the last scene of the film Harrison Ford goes home."]);
    assert_eq!(zones(&senses, &actor), [Zone::OtherSense]);
}

/// The model of the other outlets, of which there were none, counted nothing: "0 % of what is meant counts".
#[test]
fn outlets_that_cannot_be_held_out_say_nothing() {
    let (mut one, mut most) = (answers(), answers());
    one.iter_mut().for_each(|answer| answer.outlet = "daily.example".into());
    let model = learn(&one, &[]).expect("enough of both");
    assert_eq!((model.precision.of, model.recall.of), (0, 0));
    // One outlet has nearly all of one kind: held out, it would leave one answer about people.
    for answer in most.iter_mut().filter(|answer| !answer.meant).skip(1) {
        answer.outlet = "screen.example".into();
    }
    let model = learn(&most, &[]).expect("enough of both");
    assert!((1..=6).contains(&model.recall.of), "{:?}", model.recall);
    assert!(model.recall.right > 0, "{:?}", model.recall);
}

#[test]
fn an_answer_holds_whatever_the_model_says_and_few_make_no_model() {
    let text = "Shares rose as Ford launched its pickup for customers in Ohio.";
    let one = answer(1, text, false);
    assert_eq!(learn(std::slice::from_ref(&one), &[]), None);
    let senses = BTreeMap::from([("Ford".to_owned(), Sense { answers: vec![one], model: None })]);
    assert_eq!(zones(&senses, &article(&[text])), [Zone::OtherSense]);
    assert_eq!(zones(&senses, &article(&["Ford grows."])), [Zone::Body]);
    let alike: Vec<Answer> =
        answers().into_iter().filter(|answer| answer.meant).cycle().take(40).collect();
    assert_eq!(learn(&alike, &[]), None, "all the same");
}

#[test]
fn never_two_of_one_story_are_asked_about() {
    let pool: Vec<Candidate> = answers()
        .into_iter()
        .zip(0u128..)
        .map(|(answer, n)| Candidate {
            outlet: answer.outlet,
            story: UrlKey(n / 3),
            traits: answer.traits,
        })
        .collect();
    for known in [0, 8] {
        let known: Vec<Answer> = answers().into_iter().take(known).collect();
        let chosen = choose(&known, &Default::default(), &pool, 10);
        let mut stories: Vec<UrlKey> = chosen.iter().map(|at| pool[*at].story).collect();
        stories.sort_unstable();
        assert_eq!(stories, [0, 1, 2, 3].map(UrlKey));
    }
    assert_eq!(choose(&[], &Default::default(), &[], 5), Vec::<usize>::new());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn any_text_is_judged_and_its_features_are_bounded(
        texts in prop::collection::vec("(\\PC|Ford |Ford's |京都|'s|-| ){0,120}", 0..4),
        start in 0u32..200,
        length in 0u32..9,
    ) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let page = article(&texts);
        let lexicon = Lexicon::build(&[ford()]).unwrap();
        let mut found = mentions(&lexicon, &page, "a.example");
        // A mention that is none, as a damaged row might have.
        found.push(Mention {
            brand: "Ford".into(),
            matched: String::new(),
            block: Some(0),
            start,
            end: start + length,
            zone: Zone::Body,
        });
        for (_, sighted) in sight("Ford", &page, "a.example", &found) {
            let traits = sighted.traits();
            prop_assert!(traits.len() < 3_000);
            prop_assert!(traits.is_sorted_by_key(|(number, _)| *number));
            prop_assert!(traits.iter().all(|(_, value)| value.abs() < 1 << 20));
        }
    }

    #[test]
    fn any_model_is_asked_without_harm(
        bias in any::<i64>(),
        weights in prop::collection::vec(any::<(u32, i32)>(), 0..9),
        traits in prop::collection::vec(any::<(u32, i32)>(), 0..9),
    ) {
        let model = SenseModel { bias, weights, ..SenseModel::default() };
        let p = probability(score(&model, &traits));
        prop_assert!((0.0..=1.0).contains(&p));
    }
}
