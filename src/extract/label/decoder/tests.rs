use proptest::prelude::*;

use super::*;
use crate::extract::dom::Limits;
use crate::extract::feature::rich;
use crate::extract::label::trees::decide;
use crate::extract::segment::Profile;

const ONE: &str = "The bridge was closed on Monday because the river had risen again.";
const TWO: &str = "Engineers are going to look at it and will say by Friday what is next.";
const SIX: &str = "Nobody was hurt.";

fn read(html: &str) -> PageBlocks<'_> {
    PageBlocks::read(html, Profile::Modern, &Limits::default())
}

/// The edits of a page whose blocks have these probabilities, as scopes and blocks.
fn check(html: &str, probabilities: &[f32], expect: &[(Scope, &[u32])]) {
    let page = read(html);
    assert_eq!(page.len(), probabilities.len(), "{html}");
    let rich = rich::rich(&page);
    let (cut, scored) = decide(0.5, &page, probabilities);
    let said = Said { page: &page, rich: &rich, probabilities, scored: &scored, cut };
    let found = edits(said);
    let found: Vec<(Scope, &[u32])> = found.iter().map(|e| (e.scope, &e.blocks[..])).collect();
    assert_eq!(found, expect, "{html}");
}

#[test]
fn what_is_likely_in_the_main_container_can_be_added() {
    let page = format!("<div><p>{ONE}<p>{TWO}<p>A {TWO}<p>B {TWO}</div>");
    let whole: (Scope, &[u32]) = (Scope::Main, &[2, 3]);
    check(&page, &[0.97, 0.9, 0.4, 0.2], &[whole, (Scope::Child, &[2]), (Scope::Child, &[3])]);
    // What is hopeless is left out, and so is what has few words.
    check(&page, &[0.97, 0.9, 0.4, 0.01], &[(Scope::Main, &[2])]);
    check(&format!("<div><p>{ONE}<p>{TWO}<p>{SIX}</div>"), &[0.97, 0.9, 0.4], &[]);
    // Where there is no content, another answers.
    check(&format!("<div><p>{ONE}<p>{TWO}</div>"), &[0.1, 0.1], &[]);
}

#[test]
fn links_repeats_and_what_nobody_sees_are_not_added() {
    let rest = |last: &str| format!("<div><p>{ONE}<p>{TWO}{last}</div>");
    check(&rest(&format!("<p><a href=x>A {TWO}</a>")), &[0.97, 0.9, 0.4], &[]);
    check(&rest(&format!("<p style='display:none'>A {TWO}</p>")), &[0.97, 0.9, 0.4], &[]);
    check(&rest(&format!("<p>{TWO}")), &[0.97, 0.9, 0.8], &[]);
}

#[test]
fn parts_beside_the_main_container_are_edits_of_their_own() {
    let page = format!("<div><p>{ONE}<p>{TWO}</div><section><p>A {ONE}<p>B {TWO}</section>");
    check(&page, &[0.97, 0.9, 0.3, 0.3], &[(Scope::Beside, &[2, 3])]);
}

#[test]
fn an_edit_is_made_where_it_gains_and_no_block_twice() {
    let html = format!("<div><p>{ONE}<p>{TWO}<p>A {TWO}<p>B {TWO}</div>");
    let page = read(&html);
    let probabilities = [0.97, 0.9, 0.4, 0.2];
    let rich = rich::rich(&page);
    let (cut, scored) = decide(0.5, &page, &probabilities);
    let said =
        Said { page: &page, rich: &rich, probabilities: &probabilities, scored: &scored, cut };
    let ready = |prior, large_margin| {
        let gains = Ensemble { prior, trees: Vec::new() };
        Ready::new(&Decoder { version: version(), gains, margin: 0.5, large_margin })
    };
    assert_eq!(ready(0.5, 0.5).choose(said), []);
    let made = ready(2.0, 0.5).choose(said);
    assert_eq!(made.iter().map(|m| &m.edit.blocks[..]).collect::<Vec<_>>(), [&[2, 3]]);
    let mut after = scored.clone();
    made.iter().for_each(|m| m.apply(&mut after));
    assert!(after.iter().all(|s| s.content && s.probability >= 0.5), "{after:?}");
    // The rest of the container is more than a third of the text: it has a margin of its own.
    let made = ready(0.4, 0.2).choose(said);
    assert_eq!(made.iter().map(|m| &m.edit.blocks[..]).collect::<Vec<_>>(), [&[2, 3]]);
    let made = ready(1.0, 3.0).choose(said);
    assert_eq!(made.iter().map(|m| &m.edit.blocks[..]).collect::<Vec<_>>(), [&[2], &[3]]);
}

proptest! {
    #[test]
    fn any_page_has_orderly_edits(
        parts in proptest::collection::vec((0..8usize, 0.0..1.0f32), 0..40),
    ) {
        let tags = ["<div>", "</div>", "<p>", "<section class=related>", "</section>", "<ul><li>", "</ul>", "<h2>"];
        let html: String = parts.iter().map(|(tag, _)| format!("{}{ONE}", tags[*tag])).collect();
        let page = read(&html);
        let probabilities: Vec<f32> =
            (0..page.len()).map(|i| parts[i % parts.len()].1).collect();
        let rich = rich::rich(&page);
        let (cut, scored) = decide(0.5, &page, &probabilities);
        let said = Said { page: &page, rich: &rich, probabilities: &probabilities, scored: &scored, cut };
        let edits = edits(said);
        for edit in &edits {
            prop_assert!(edit.blocks.windows(2).all(|w| w[0] < w[1]));
            prop_assert!(edit.blocks.iter().all(|&b| !scored[b as usize].content));
        }
        let matrix = matrix(said, &Facts::new(said), &edits);
        prop_assert_eq!((matrix.rows, matrix.cols), (edits.len(), FEATURES));
        prop_assert!(matrix.data.iter().all(|v| v.is_finite()));
        prop_assert_eq!(names().len(), FEATURES);
    }
}
