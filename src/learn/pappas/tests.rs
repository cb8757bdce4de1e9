use super::*;
use crate::learn::corpus::{GoldPage, Post, test_page};

/// A tree with these regions of characters, each a `<div>` after one heading; `*` names a comment.
fn tree(regions: &[&str]) -> SdTree {
    let divs: String = regions
        .iter()
        .map(|r| match r.strip_prefix('*') {
            Some(n) => {
                format!("<div class=comment>{}</div>", "x".repeat(n.parse().expect("a number")))
            }
            None => format!("<div>{}</div>", "x".repeat(r.parse().expect("a number"))),
        })
        .collect();
    let html = format!("<h1>T</h1>{divs}");
    let limits = crate::extract::Limits::default();
    let page = crate::extract::PageBlocks::read(&html, Profile::Modern, &limits);
    SdTree::new(&page, &keywords::all())
}

/// Step 7 to the letter.
const LETTER: Rule = Rule { reading: Reading::LevelCandidates, keywords: u64::MAX };

const A: PageType = PageType::Article;
const AC: PageType = PageType::ArticleWithComments;
const M: PageType = PageType::Multiple;

#[test]
fn the_grid_holds_what_the_labeler_decides() {
    let tree = tree(&["100", "*60", "80", "30"]);
    let grid = Grid::of(&tree, LETTER);
    for (i, t2) in T2.into_iter().enumerate() {
        for t1 in 0..T1 {
            let found = tree.merge(t2).decide(t1 as f32, LETTER).page_type;
            assert_eq!(grid.at((t1, i)), found, "T1 {t1}, T2 {t2}");
        }
    }
    // One region, two on one level, comments among them, nothing left.
    let at = |t1, t2| grid.at((t1, T2.iter().position(|t| *t == t2).expect("on the grid")));
    assert_eq!([at(0, 20), at(30, 20), at(50, 20), at(50, 100)], [A, M, AC, M]);
}

#[test]
fn learning_finds_the_thresholds_that_separate() {
    // Articles beside a region of 70, threads of regions of 80 and more, comments of 75.
    let pages = [
        (A, tree(&["100", "70"])),
        (A, tree(&["200", "140", "10"])),
        (AC, tree(&["100", "*75"])),
        (M, tree(&["100", "80", "90"])),
    ];
    let grids: Vec<Grid> = pages.iter().map(|(_, t)| Grid::of(t, LETTER)).collect();
    let of = |keep: &dyn Fn(PageType) -> bool| -> Vec<(PageType, &Grid)> {
        pages.iter().zip(&grids).filter(|((c, _), _)| keep(*c)).map(|((c, _), g)| (*c, g)).collect()
    };
    let ((t1, t2), best) = learn(&of(&|_| true));
    assert_eq!((T2[t2], best), (20, 1.0));
    assert!((25..30).contains(&t1), "{t1}");
    // Each class alone: anything that keeps one region, or lets many in.
    assert!(learn(&of(&|c| c == A)).0.0 < 30);
    assert!(learn(&of(&|c| c == M)).0.0 >= 20);
    // Classes weigh the same: one of two articles wrong, the others right.
    let half = precision(&of(&|_| true), (30, 3));
    assert!((half - 2.0 / 3.0).abs() < 1e-12, "{half}");
    assert_eq!(learn(&[]), ((50, 3), 0.0), "the middle of equal ones");
}

#[test]
fn classes_follow_the_gold() {
    let check = |kind: Option<&str>, comments: &[&str], expect| {
        let mut page = test_page("a", "x.example", "Text");
        page.gold.page_type = kind.map(str::to_owned);
        page.gold.comments = comments.iter().map(|c| (*c).to_owned()).collect();
        assert_eq!(class(&page), expect, "{kind:?}");
    };
    check(None, &[], Some(A));
    check(Some("article"), &["Well said"], Some(AC));
    check(Some("forum"), &["Well said"], Some(M));
    check(Some("listing"), &[], Some(M));
    check(Some("collection"), &[], Some(M));
    check(Some("product"), &[], None);
}

#[test]
fn gold_regions_are_found_in_blocks() {
    let text = "The bridge was closed on Monday";
    let comments = ["It was about time that they did", "I never used that bridge at all"];
    let mut gold = GoldPage {
        text: Some(format!("{text}\nbecause the river had risen again")),
        comments: comments.map(str::to_owned).to_vec(),
        ..GoldPage::default()
    };
    let blocks =
        ["Home", text, "because the river had risen, again?", comments[1], "Read more of this"];
    let found = Gold::of(&gold, &blocks);
    assert_eq!(found.density, [65, 63]);
    let page = found.beside(&[None, Some(0), Some(0), Some(1), Some(0)]);
    assert_eq!(page.detected, [31 + 35 + 17, 31]);
    assert_eq!(page.common, [(0, 0, 31 + 35), (1, 1, 31)]);
    // Posts are regions of their own, and the whole thread is none.
    gold.posts = comments.map(|c| Post { text: c.to_owned() }).to_vec();
    gold.page_type = Some("forum".into());
    assert_eq!(Gold::of(&gold, &blocks).density, [31, 31]);
    gold.posts.clear();
    assert!(Gold::of(&gold, &blocks).density.is_empty());
}

#[test]
fn samples_differ_in_their_domains() {
    let mut pages = Vec::new();
    for (kind, comment) in [("article", None), ("article", Some("Well")), ("forum", None)] {
        for n in 0..40 {
            // Half of the pages are of one domain, a few of none.
            let domain = match n {
                0..20 => "big.example".to_owned(),
                20..24 => String::new(),
                _ => format!("small{n}.example"),
            };
            let mut page = test_page(&format!("{kind}{n}{comment:?}"), &domain, "Text");
            page.gold.page_type = Some(kind.into());
            page.gold.comments.extend(comment.map(str::to_owned));
            pages.push(page);
        }
    }
    let domains = |chosen: &[usize]| {
        let all: std::collections::BTreeSet<_> = chosen.iter().map(|i| pages[*i].group()).collect();
        assert!(all.iter().all(|g| !g.0.is_empty()));
        all.len()
    };
    let diverse = sample::diverse(&pages, 17, 1);
    assert_eq!((diverse.len(), domains(&diverse)), (51, 17));
    assert_eq!(diverse, sample::diverse(&pages, 17, 1));
    assert_ne!(diverse, sample::diverse(&pages, 17, 2));
    let narrow = sample::narrow(&pages, 17, 1, 1);
    assert_eq!((narrow.len(), domains(&narrow)), (51, 1));
}
