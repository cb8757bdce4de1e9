use super::*;
use crate::extract::dom::Limits;
use crate::extract::segment::Profile;

fn page(html: &str) -> PageBlocks<'_> {
    PageBlocks::read(html, Profile::Modern, &Limits::default())
}

fn tree(html: &str) -> SdTree {
    SdTree::new(&page(html), &keywords::all())
}

/// Step 7 to the letter.
const LETTER: Rule = Rule { reading: Reading::LevelCandidates, keywords: u64::MAX };

/// Regions as `density@level`, in page order.
fn regions(html: &str, t2: u32) -> Vec<String> {
    let tree = tree(html);
    let merged = tree.merge(t2);
    tree.regions.iter().zip(&merged.density).map(|(r, d)| format!("{d}@{}", r.level)).collect()
}

fn decide(html: &str, t1: f32, t2: u32) -> (PageType, Option<usize>, Vec<usize>) {
    let found = tree(html).merge(t2).decide(t1, LETTER);
    (found.page_type, found.article, found.comments)
}

/// So many words of five letters with their blanks: 6n − 1 characters.
fn words(n: usize) -> String {
    vec!["flood"; n].join(" ")
}

#[test]
fn weak_elements_merge_into_the_nearest_strong_one() {
    // html 1, body 2, div 3; the heading, the paragraphs and the list item's span are weak.
    let html =
        "<div><h1>Title</h1><p>1234567890<p><span>12345</span></div><ul><li><b>123</b>4</ul>";
    assert_eq!(regions(html, 0), ["20@3", "4@3"]);
    // What stands in no strong element belongs to the body.
    assert_eq!(regions("<p>12345<div>123</div>", 0), ["5@2", "3@3"]);
    // A cell is weak: its text goes to the row.
    assert_eq!(regions("<table><tr><td>12<td>345</table>", 0), ["5@5"]);
}

#[test]
fn nested_regions_do_not_count_twice() {
    assert_eq!(regions("<div>12345<div>123</div>12</div>", 0), ["7@3", "3@4"]);
    // Below a weak element, too.
    assert_eq!(regions("<ul><li>12<div>123</div></ul>", 0), ["2@3", "3@5"]);
}

#[test]
fn pruning_takes_whole_weak_elements() {
    let html = "<div><p>1234<p>123456789</div>";
    assert_eq!(regions(html, 4), ["9@3"]);
    assert_eq!(regions(html, 9), ["0@3"]);
    // Four and four characters in one cell are eight.
    assert_eq!(regions("<table><tr><td><p>1234<p>1234</table>", 5), ["8@5"]);
}

#[test]
fn what_a_style_hides_is_ignored() {
    for style in ["display:none", "visibility: hidden"] {
        let html = format!("<div style='{style}'><p>1234</div><div style='color:red'>123</div>");
        assert_eq!(regions(&html, 0), ["3@3"], "{style}");
    }
}

#[test]
fn distance_from_the_densest_region_is_equation_1() {
    let tree = tree("<div>1234567890</div><div>1234567</div><div>12</div>");
    let merged = tree.merge(2);
    let dfm: Vec<f32> = (0..3).map(|r| merged.dfm(r)).collect();
    assert_eq!(dfm, [0.0, 30.0, 100.0]);
    assert_eq!(merged.candidates(29.9), [0]);
    assert_eq!(merged.candidates(30.0), [0, 1]);
    assert_eq!(merged.candidates(100.0), [0, 1], "the pruned region is never one");
    assert!(tree.merge(10).candidates(100.0).is_empty());
}

#[test]
fn distance_from_the_ancestor_title_is_equation_2() {
    let diff = |html: &str| {
        let tree = tree(html);
        let merged = tree.merge(3);
        merged.title_diff(&(0..tree.regions.len()).collect::<Vec<_>>())
    };
    // article 3; h1 4, div 4.
    assert_eq!(diff("<article><h1>T</h1><div>12345</div></article>"), [Some(1), Some(0)]);
    // The nearest heading before it, here two levels higher than the inner div.
    assert_eq!(
        diff("<h2>T</h2><div>12345<div><div>12345</div></div></div>"),
        [Some(1), Some(0), Some(2)]
    );
    // A heading inside serves where none stands before; a heading after does not.
    assert_eq!(diff("<div><p>12345<h2>Title</h2></div>"), [Some(1)]);
    assert_eq!(diff("<div><p>12345</div><section><h2>Title</h2></section>"), [None, Some(1)]);
    assert_eq!(diff("<div><p>12345</div>"), [None]);
}

#[test]
fn cardinality_and_classes_are_kept() {
    let tree = tree(
        "<div class='a b' id=user-list><p>1<p>2</div><div class='a  b'>3</div><div>4</div>\
         <section class='a b'>5</section>",
    );
    let of = |f: fn(&Region) -> u32| tree.regions.iter().map(f).collect::<Vec<_>>();
    assert_eq!(of(|r| r.cardinality), [2, 0, 0, 0]);
    assert_eq!(of(|r| r.group), [0, 0, 1, 2]);
    assert_eq!(tree.regions[0].names, 1 << 3, "user");
}

#[test]
fn the_article_is_the_candidate_closest_to_root_and_title() {
    let long = words(20);
    // The heading's own element is the first region everywhere here.
    let deep = format!("<h1>T</h1><div><div>{long}</div></div><div>{long}</div>");
    assert_eq!(decide(&deep, 0.0, 20), (PageType::Article, Some(2), vec![]));
    // Of equal level, the one whose title is nearest: h2 stands beside the second.
    let tie = format!("<h1>T</h1><main><div>{long}</div><h2>U</h2><div>{long}</div></main>");
    assert_eq!(decide(&tie, 0.0, 20).1, Some(3));
}

#[test]
fn the_types_follow_the_regions() {
    use PageType::*;
    let check = |html: &str, t1: f32, expect: (PageType, Option<usize>, Vec<usize>)| {
        assert_eq!(decide(html, t1, 20), expect, "{html}");
    };
    let (long, half) = (words(20), words(10));
    let title = "<h1>The bridge</h1>";
    check(&format!("{title}<div>{long}</div><div>{half}</div>"), 40.0, (Article, Some(1), vec![]));
    // The second region becomes a candidate: many areas on one level.
    check(&format!("{title}<div>{long}</div><div>{half}</div>"), 60.0, (Multiple, Some(1), vec![]));
    // On another level it does not make the page one of many.
    check(
        &format!("{title}<div>{long}</div><ul><li><div>{half}</div></ul>"),
        60.0,
        (Article, Some(1), vec![]),
    );
    // A keyword in its class, id or text makes it comments.
    for other in [
        format!("<div class=comment-list>{half}</div>"),
        format!("<div class=x id=reply-1>{half}</div>"),
        format!("<div>Ada wrote: {half}</div>"),
        format!("<div><p>{half}<p>3 Kommentare zu diesem Beitrag</div>"),
    ] {
        let html = format!("{title}<div>{long}</div>{other}");
        check(&html, 60.0, (ArticleWithComments, Some(1), vec![2]));
        check(&html, 10.0, (Article, Some(1), vec![]));
        let everywhere = Rule { reading: Reading::LevelRegions, ..Rule::default() };
        assert_eq!(tree(&html).merge(20).decide(10.0, everywhere).comments, [2], "{html}");
    }
    // The same look as a comment is a comment; a keyword elsewhere on the page is not.
    check(
        &format!(
            "<main>{title}<div>{long}</div><div class=c>Bo said: {half}</div>\
             <div class=c>{half}</div></main>"
        ),
        60.0,
        (ArticleWithComments, Some(1), vec![2, 3]),
    );
    check(
        &format!(
            "<main>{title}<div>{long}</div></main><aside><div class=user>{half}</div></aside>"
        ),
        60.0,
        (Multiple, Some(1), vec![]),
    );
    // Without a title, or without any region.
    check(&format!("<div>{long}</div>"), 0.0, (Multiple, None, vec![]));
    check("", 0.0, (Multiple, None, vec![]));
}

#[test]
fn css_groups_make_a_page_one_of_many_before_comments_are_looked_for() {
    use PageType::*;
    let (long, half) = (words(20), words(10));
    let check = |html: &str, t1: f32, expect: [PageType; 4]| {
        let tree = tree(html);
        let merged = tree.merge(20);
        let found = Reading::ALL
            .map(|reading| merged.decide(t1, Rule { reading, ..Rule::default() }).page_type);
        assert_eq!(found, expect, "{html} at T1 {t1}");
    };
    let post = format!("<div class=post>{half}</div>");
    // Two posts alike, and another region on another level.
    let thread = format!("<h1>T</h1>{post}{post}<ul><li><div class=side>{long}</div></ul>");
    check(&thread, 60.0, [Article, Article, Multiple, Multiple]);
    check(&thread, 0.0, [Article; 4]);
    // Different looks are no group; neither are equal ones on different levels.
    let other = format!("<h1>T</h1><p>{long}</p>{post}<ul><li>{post}</ul>");
    check(&other, 60.0, [Article; 4]);
    // Comments that are no candidates are found among the regions alone; once they are candidates,
    // those of one look are areas.
    let comment = format!("<div class=comment>{half}</div>");
    let talk = format!("<h1>T</h1><div class=text>{long}</div>{comment}{comment}");
    check(&talk, 0.0, [Article, ArticleWithComments, Article, ArticleWithComments]);
    check(&talk, 60.0, [ArticleWithComments, ArticleWithComments, Multiple, Multiple]);
}

#[test]
fn blocks_get_content_comments_and_type() {
    let html = format!(
        "<main><h1>The bridge</h1><div class=text><p>{}<p>Short</div><div class=comments><p>{}</div>\
         </main><footer>{}</footer>",
        words(20),
        words(15),
        words(5)
    );
    let sd = Sd { t1: 40.0, ..Sd::default() };
    let page = page(&html);
    let verdict = sd.judge(&page);
    let content: Vec<bool> = verdict.blocks.iter().map(|s| s.content).collect();
    assert_eq!(content, [false, true, false, false, false]);
    assert!(verdict.blocks.iter().all(|s| (s.probability >= 0.5) == s.content));
    assert_eq!(verdict.named, [(3, Label::Comment)]);
    assert_eq!(verdict.page_type, Some(PageType::ArticleWithComments));
    assert_eq!(sd.label(&page), verdict.blocks);
    // Handed on to the article.
    let model = super::super::Model::new(Profile::Modern, super::super::Kind::Sd(sd), "");
    let hints = crate::extract::Hints::default();
    let article = crate::extract::article(&html, &hints, &model, &Limits::default()).article;
    assert_eq!(article.page_type, PageType::ArticleWithComments);
    assert_eq!(article.blocks[3].label, Label::Comment);
    assert_eq!(article.text, words(20));
}

#[test]
fn a_page_of_many_areas_keeps_them_all() {
    let post = words(20);
    let html = format!("<h1>Thread</h1><div>{post}</div><div>{post}</div><div>{post}</div>");
    let verdict = Sd { t1: 100.0, ..Sd::default() }.judge(&page(&html));
    assert_eq!(verdict.page_type, Some(PageType::Multiple));
    assert_eq!(verdict.blocks.iter().filter(|s| s.content).count(), 3);
}

#[test]
fn keywords_fit_their_bits() {
    let all = keywords::all();
    assert!(all.len() <= 64 && all.iter().all(|w| !w.is_empty() && *w == w.to_lowercase()));
    assert_eq!(all[..6], keywords::paper());
    let many: Vec<String> = (0..80).map(|n| format!("word{n:02}.")).collect();
    let tree = SdTree::new(&page("<div>WORD03. word63. word70.</div>"), &many);
    assert_eq!(tree.units[0].keywords, 1 << 3 | 1 << 63);
}

proptest::proptest! {
    /// Densities against a naive reference: for each character of a visible block, the strong
    /// element it belongs to is found by climbing.
    #[test]
    fn densities_agree_with_climbing(
        parts in proptest::collection::vec((0usize..12, 0usize..9), 0..40),
    ) {
        let tags = ["<div>", "</div>", "<p>", "<ul>", "<li>", "</ul>", "<table><tr><td>",
            "</table>", "<section>", "</section>", "<b>", "</b>"];
        let html: String =
            parts.iter().map(|(tag, n)| format!("{}{}", tags[*tag], "x".repeat(*n))).collect();
        let page = page(&html);
        let tree = SdTree::new(&page, &[]);
        let merged = tree.merge(0);
        let strong = ["body", "div", "ul", "table", "tbody", "tr", "section"];
        let mut naive = std::collections::BTreeMap::new();
        for (i, block) in page.blocks.list.iter().enumerate() {
            let mut at = block.container;
            while !strong.contains(&page.dom.name(at)) {
                at = page.dom.parent(at).expect("every block stands in the body");
            }
            *naive.entry(at).or_insert(0) += page.text(i).chars().count() as u32;
        }
        let found = tree.regions.iter().map(|r| r.node).zip(merged.density.iter().copied());
        proptest::prop_assert_eq!(found.collect::<std::collections::BTreeMap<_, _>>(), naive);
        for t2 in [0, 3, 8] {
            let merged = tree.merge(t2);
            for t1 in [0.0, 50.0, 100.0] {
                let found = merged.decide(t1, LETTER);
                let inside = |r: &usize| found.candidates.contains(r);
                proptest::prop_assert!(found.article.iter().all(inside));
                proptest::prop_assert!(found.comments.iter().all(inside));
                proptest::prop_assert!(found.candidates.iter().all(|&r| merged.dfm(r) <= t1));
            }
        }
    }
}
