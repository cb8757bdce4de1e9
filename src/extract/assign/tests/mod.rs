//! What the blocks of small pages are named, rule by rule.

use super::*;
use crate::extract::dom::Limits;
use crate::extract::segment::Profile;

mod ends;

/// Labels of a page on which every paragraph of ten words or more is content, as surely as can be without
/// overruling a rule.
fn labels_of(html: &str, title: &str, authors: &[&str]) -> Vec<(Label, String)> {
    labels_at(0.89, html, title, authors)
}

fn labels_at(sure: f32, html: &str, title: &str, authors: &[&str]) -> Vec<(Label, String)> {
    let page = PageBlocks::read(html, Profile::Modern, &Limits::default());
    let scored: Vec<Scored> = page
        .iter()
        .map(|(_, s)| s.words >= 10)
        .map(|content| Scored { content, probability: if content { sure } else { 0.0 } })
        .collect();
    let labels = labels(&page, &scored, Some(title).filter(|t| !t.is_empty()), authors);
    labels.into_iter().enumerate().map(|(i, l)| (l, page.text(i).to_owned())).collect()
}

fn check(html: &str, title: &str, authors: &[&str], expect: &[Label]) {
    let found = labels_of(html, title, authors);
    let labels: Vec<Label> = found.iter().map(|(l, _)| *l).collect();
    assert_eq!(labels, expect, "{found:#?}");
}

const P: &str = "<p>The bridge was closed on Monday because the river had risen again.</p>";

#[test]
fn an_article_page_is_told_apart_block_by_block() {
    use Label::*;
    let page = format!(
        "<nav>Home</nav><article><h1>Bridge closed</h1><p class=lead>Nobody may cross it for now.</p>\
         <p class=byline>By Ada Lorn</p><time>20 Nov 2026</time>{P}\
         <figure><img><figcaption>The bridge at noon</figcaption><span>Photo: Bo Ek</span></figure>\
         <h2>What comes next</h2>{P}</article><h3>Bridge closed</h3>\
         <div id=comments><p>I saw this river rise more often than I can tell you.</p></div>"
    );
    check(
        &page,
        "Bridge closed",
        &["Ada Lorn"],
        &[
            None,
            Title,
            Introduction,
            Author,
            Date,
            Paragraph,
            Caption,
            Credit,
            Heading,
            Paragraph,
            None,
            Comment,
        ],
    );
}

#[test]
fn one_block_is_the_title() {
    use Label::*;
    check(
        &format!("<p>Bridge closed<h1>Bridge closed</h1>{P}<p>Bridge closed"),
        "Bridge closed",
        &[],
        &[None, Title, Paragraph, None],
    );
    check(&format!("<h1>Bridge Closed!</h1>{P}"), "“bridge closed”", &[], &[Title, Paragraph]);
    check(&format!("<h1>Else</h1>{P}"), "", &[], &[None, Paragraph]);
}

#[test]
fn a_linked_line_above_the_title_is_a_menu() {
    use Label::*;
    let menu =
        "<p><a href=/>All of the local news, the harbour, the yard and the weather today</a>";
    check(
        &format!("{menu}<h1>Bridge</h1>{P}{menu}{P}"),
        "Bridge",
        &[],
        &[None, Title, Paragraph, Paragraph, Paragraph],
    );
    check(&format!("{menu}{P}"), "", &[], &[Paragraph, Paragraph]);
}

#[test]
fn text_beside_a_picture_is_a_caption_and_a_paragraph_is_not() {
    use Label::*;
    check(
        &format!("{P}<div><img><div>At noon</div></div>{P}"),
        "",
        &[],
        &[Paragraph, Caption, Paragraph],
    );
    check(&format!("<div>{P}<img>{P}</div>"), "", &[], &[Paragraph, Paragraph]);
}

#[test]
fn what_is_sure_is_text_whatever_it_looks_like() {
    use Label::*;
    let check = |html: &str, rule: Label| {
        let labels = |sure: f32| -> Vec<Label> {
            labels_at(sure, html, "", &["Ada Lorn"]).into_iter().map(|(label, _)| label).collect()
        };
        assert_eq!(labels(0.89), [Paragraph, rule, Paragraph], "{html}");
        assert_eq!(labels(0.9), [Paragraph, Paragraph, Paragraph], "{html}");
    };
    let between = |text: &str| format!("<div>{P}{text}{P}</div>");
    check(
        &between(
            "<figure>The river rose by two metres in one night, say those who live on it.</figure>",
        ),
        Caption,
    );
    check(
        &between(
            "<p class=provider>Which power provider can you trust when the river has risen again?",
        ),
        Credit,
    );
    check(
        &between("<p class=author>Ada Lorn has seen the river rise more often than anybody"),
        Author,
    );
}

#[test]
fn a_dialog_that_asks_for_consent_is_no_text() {
    use Label::*;
    let ask = "<p>We and our partners store cookies on your device, if you allow us to do so.</p>";
    for name in ["id=onetrust-consent-sdk", "class='box cookie-banner'", "id=CybotCookiebotDialog"]
    {
        let dialog = format!("<div {name}><div>{ask}</div></div>");
        check(&format!("{P}{P}{dialog}"), "", &[], &[Paragraph, Paragraph, None]);
        // Where it is most of the text, or holds the title, the name means something else.
        check(&dialog, "", &[], &[Paragraph]);
        let titled = format!("<div {name}><h1>Bridge</h1>{ask}</div>{P}{P}");
        check(&titled, "Bridge", &[], &[Title, Paragraph, Paragraph, Paragraph]);
    }
    let article = format!("<div class=cookies>{P}</div>{P}{P}");
    check(&article, "", &[], &[Paragraph, Paragraph, Paragraph]);
}

#[test]
fn posts_amid_the_text_are_none_of_it() {
    use Label::*;
    let post =
        "<blockquote class=twitter-tweet><p>We are proud of what all of us have done on the river.";
    check(&format!("{P}{post}</blockquote>{P}"), "", &[], &[Paragraph, None, Paragraph]);
    check(&format!("{post}</blockquote>{P}"), "", &[], &[Paragraph, Paragraph]);
}

/// A form beside the title let stand what else was apart.
#[test]
fn a_field_for_mail_beside_the_title_leaves_posts_apart() {
    use Label::*;
    let post =
        "<blockquote class=twitter-tweet><p>We are proud of what all of us have done on the river.";
    let title = "Nobody may cross the old bridge over the river before the end of spring";
    let form = "<form><input type=email><button>Send</button></form>";
    let page = format!("<header><h1>{title}</h1>{form}</header>{P}{P}{post}</blockquote>{P}");
    check(&page, title, &[], &[Title, None, Paragraph, Paragraph, None, Paragraph]);
}

#[test]
fn an_article_inside_a_container_named_after_comments_is_no_comment() {
    use Label::*;
    check(&format!("<div class=has-comments>{P}{P}</div>"), "", &[], &[Paragraph, Paragraph]);
}

#[test]
fn short_lines_are_told_by_their_words() {
    let none = Groups::default();
    let is_note = |text: &str| line::is_note(text, &crate::extract::text::stats(text, &[]));
    for credit in [
        "Foto: A. Berg",
        "(Borítókép: A. Berg)",
        "Picture credit: Agency",
        "© Agency",
        "Image credit Jo Doe",
        "(Quelle: APA)",
        "图片来源：网络",
    ] {
        assert!(line::is_credit(credit, none), "{credit}");
    }
    for disclaimer in [
        "【免责声明】本文仅代表作者本人观点，与本网无关。",
        "• 凡注明为其他媒体来源的信息，均为转载自其他媒体，转载并不代表本网赞同其观点。",
        "本文仅代表作者观点，不代表本报立场。",
    ] {
        assert!(line::is_disclaimer(disclaimer), "{disclaimer}");
    }
    for prose in [
        "免责声明不能免责，律师说。",
        "他说，这不代表市长的观点。",
        "《卫报》发言人回应称，该专栏作家的言论仅代表个人，不代表本报立场。",
    ] {
        assert!(!line::is_disclaimer(prose), "{prose}");
    }
    for note in [
        "（責任編輯：王小明）",
        "编辑： 王小明",
        "Mit Informationen der Agenturen dpa und AFP.",
        "— Jo Doe in Paris contributed to this report.",
        "(Reporting by Jo Doe; Editing by Bo Ek)",
        "— With assistance from Jo Doe",
        "Jo Doe in Paris contributed to this report. (Editing by Bo Ek)",
        "Mit Informationen von Jo Doe",
        "Mit Material von Jo Doe.",
        "Con informazioni di ANSA e di altri che hanno visto con i loro occhi ciò che è successo al ponte.",
    ] {
        assert!(is_note(note), "{note}");
    }
    for prose in [
        "Reporting by the council was late.",
        "Mit Material aus dem Archiv baut er.",
        "责任编辑在会上说，这座桥将于周一关闭，因为河水再次上涨。",
        "责任编辑制度改革",
        "责编的一天",
        "编辑：您怎么看这座桥？",
        "The bridge has been a big hit with visitors. (Reporting by Jo Doe; Editing by Bo Ek)",
        "The mayor will speak on Friday. (Jo Doe of Reuters contributed to this report.)",
        "Mit Informationen von Brightwater und dreißig Anwohnern hat die Polizei den Unfall nachgestellt.",
        "Con informazioni raccolte tra i vicini la polizia ha ricostruito ciò che è successo al ponte.",
    ] {
        assert!(!is_note(prose), "{prose}");
    }
    for byline in [
        "By Anna Berg and Karl Öst",
        "By: Anna Berg",
        "Von Eva Maier",
        "Autorka: Eva Nováková",
        "Autore: Eva Russo",
        "Yazar: Eva Kaya",
        "Tekst： Eva Nowak",
        "作者：王小明",
    ] {
        assert!(line::is_byline(byline, none, &[]), "{byline}");
    }
    for other in [
        "By the time it rained",
        "Von gestern bis heute war alles still.",
        "Photos matter",
        "Text Messages Matter",
    ] {
        assert!(!line::is_byline(other, none, &[]), "{other}");
        assert!(!line::is_credit(other, none), "{other}");
    }
}

#[test]
fn the_next_article_of_a_page_is_no_text() {
    use Label::*;
    const LONG: &str = "<p>The bridge over the Ells was closed on Monday because the river had risen again, and \
        nobody who was asked on either side of it could say when it will be opened for carts.</p>";
    let first = format!("<article><h1>Bridge closed</h1>{LONG}</article>");
    let check = |rest: &str, expect: &[Label]| {
        check(&format!("{first}{rest}"), "Bridge closed", &[], expect)
    };
    check(
        &format!("<article><h1>River rises</h1>{P}{P}{P}</article>"),
        &[Title, Paragraph, None, None, None, None],
    );
    // Of a lower rank, or no article: a part of the text.
    check(
        &format!("<article><h2>What comes next</h2>{P}</article>"),
        &[Title, Paragraph, Heading, Paragraph],
    );
    check(
        &format!("<section><h1>What comes next</h1>{P}</section>"),
        &[Title, Paragraph, None, Paragraph],
    );
}

#[test]
fn pointers_to_other_articles_amid_the_text_are_none_of_it() {
    use Label::*;
    let check = |line: &str, expect: Label| {
        let html = format!("<main>{P}{line}{P}</main>");
        check(&html, "", &[], &[Paragraph, expect, Paragraph]);
    };
    let title = "Water stands higher than ever before in the old town, say those who measure it";
    check(&format!("<p>READ MORE: <a href=/x>{title}</a></p>"), RelatedArticle);
    check(&format!("<p><a href=/x>Lesen Sie auch | {title}</a></p>"), RelatedArticle);
    check(&format!("<p><a href=/x>【関連記事】{title}</a></p>"), RelatedArticle);
    check(&format!("<p>Читай также: <a href=/x>{title}</a></p>"), RelatedArticle);
    check(&format!("<p>WATCH: <a href=/x>{title}</a></p>"), RelatedArticle);
    // A sentence that says so, and one that begins otherwise.
    check(&format!("<p>Read more: {title}, and <a href=/x>who</a> does</p>"), Paragraph);
    check(&format!("<p>The mayor said: <a href=/x>{title}</a></p>"), Paragraph);
    check(&format!("<p>Watch how {title}: <a href=/x>here</a></p>"), Paragraph);
}

/// The texts that are content where the labeler is as sure of each text as `probability` says; from one half on it is
/// chosen.
fn texts_of(html: &str, title: &str, probability: impl Fn(&str) -> f32) -> Vec<String> {
    let page = PageBlocks::read(html, Profile::Modern, &Limits::default());
    let score = |index: usize| {
        let probability = probability(page.text(index));
        Scored { content: probability >= 0.5, probability }
    };
    let scored: Vec<Scored> = (0..page.len()).map(score).collect();
    let labels = labels(&page, &scored, Some(title).filter(|t| !t.is_empty()), &[]);
    let texts = labels.iter().enumerate().filter(|(_, label)| label.is_content());
    texts.map(|(index, _)| page.text(index).to_owned()).collect()
}

#[test]
fn another_article_that_no_element_holds_is_told_by_its_head() {
    const OTHER: &str =
        "<p>The river rose by two metres in one night, say those who live on it since long.</p>";
    let page = |head: &str| {
        format!(
            "<div><h1>Bridge closed</h1></div><div class=x><div>{}</div>\
             <div class=more>{head}{OTHER}{OTHER}</div></div>",
            P.repeat(5)
        )
    };
    let date = "<span class=post-date>19 Nov 2026</span>";
    let texts = |head: &str| texts_of(&page(head), "Bridge closed", |_| 0.8).len();
    let title = "<h1>River rises</h1>";
    assert_eq!(texts(&format!("{title}{date}")), 5);
    assert_eq!(texts(&format!("{title}<p class=byline>By Ada Lorn</p>")), 5);
    // Neither dated nor signed, of a lower rank, or the title once more: a part of the text.
    assert_eq!(texts(title), 8);
    assert!(texts(&format!("<h2>River rises</h2>{date}")) > 7);
    assert!(texts(&format!("<h1>Bridge closed</h1>{date}")) > 6);
    // Hardly anything would be left.
    let short = page(&format!("{title}{date}")).replacen(P, "", 2);
    assert!(texts_of(&short, "Bridge closed", |_| 0.8).len() > 5);
}

#[test]
fn the_text_is_that_below_the_title_where_only_others_stand_above() {
    let long = "The bridge was closed on Monday because the river had risen again. ".repeat(4);
    let brief = "Water stands higher than ever before in the old town today.";
    let page = |after: &str| {
        format!("<div><p>{brief}</p></div><h1>Bridge closed</h1><div><p>{long}</p>{after}</div>")
    };
    let texts = |after: &str, likely: f32| {
        texts_of(&page(after), "Bridge closed", |text| match text {
            _ if text == brief => 0.9,
            _ if text.starts_with("The bridge") => likely,
            "Bridge closed" => 0.0,
            _ => 0.9,
        })
    };
    assert_eq!(texts("", 0.2), [long.trim()]);
    // It was far from being chosen, or some text below the title was.
    assert_eq!(texts("", 0.1), [brief]);
    let after = "Nobody may cross it for now, says the mayor of the town.";
    assert_eq!(texts(&format!("<p>{after}</p>"), 0.2), [brief, after]);
}

#[test]
fn a_longer_text_that_is_likely_is_no_caption() {
    use Label::*;
    let caption = |sure: f32, words: usize| {
        let text = "word ".repeat(words);
        let html = format!("<div>{P}<figure>{text}</figure>{P}</div>");
        labels_at(sure, &html, "", &[]).get(1).map(|(label, _)| *label)
    };
    assert_eq!(caption(0.69, 20), Some(Caption));
    assert_eq!(caption(0.7, 20), Some(Paragraph));
    assert_eq!(caption(0.7, 19), Some(Caption));
}

#[test]
fn a_line_that_announces_a_list_is_text_only_if_the_list_is() {
    let link = "<li><a href=/x>Water stands higher than ever before in the old town</a></li>";
    let page = format!("<main>{P}{P}<h3>Related articles</h3><ul>{link}{link}</ul></main>");
    let texts = |list: f32| {
        let likely = |text: &str| if text.starts_with("Water") { list } else { 0.9 };
        texts_of(&page, "", likely).len()
    };
    assert_eq!(texts(0.1), 2);
    let page = format!("<main>{P}{P}<h3>See also</h3>{P}</main>");
    assert_eq!(texts_of(&page, "", |_| 0.9).len(), 4);
}

#[test]
fn headlines_behind_a_line_that_announces_them_are_no_text() {
    use Label::*;
    const LINK: &str = "<a href=/x>Water stands higher than ever before in the old town today</a>";
    let between = |box_: &str, expect: &[Label]| {
        let html = format!("<main>{P}{box_}{P}</main>");
        let labels: Vec<Label> = labels_of(&html, "", &[]).into_iter().map(|(l, _)| l).collect();
        let all: Vec<Label> =
            [Paragraph].iter().chain(expect).chain(&[Paragraph]).copied().collect();
        assert_eq!(labels, all, "{box_}");
    };
    let two = [RelatedArticle; 2];
    let three = [RelatedArticle; 3];
    between(&format!("<p><b>Read also:</b></p><p>{LINK}</p>"), &two);
    between(&format!("<p>Lesen Sie auch</p><p>{LINK}</p><p>{LINK}</p>"), &three);
    between(&format!("<h4>Related stories</h4><ul><li>{LINK}<li>{LINK}</ul>"), &three);
    between(&format!("<div><span>See also</span><div><h4>{LINK}</h4></div></div>"), &two);
    let asked = LINK.replace("today", "today, and why?");
    between(&format!("<p>Zobacz także:</p><p>{asked}</p><p>{LINK}</p>"), &three);
    between(&format!("<p>Ссылки по теме:</p><ul><li>{LINK}<li>{LINK}</ul>"), &three);
    // What is no announcement, and what is more than a link, or less.
    let itself = LINK.replace("/x", "#x");
    between(&format!("<p>See also</p><h3>{itself}</h3>"), &[RelatedArticle, Paragraph]);
    between(&format!("<p>The mayor says</p><p>{LINK}</p>"), &[None, Paragraph]);
    let told = format!("<p>Read also:</p><p>{LINK}, as the mayor said.</p>");
    between(&told, &[RelatedArticle, Paragraph]);
    between(
        &format!("<p>Read also:</p><p>{LINK}</p>{P}"),
        &[RelatedArticle, RelatedArticle, Paragraph],
    );
}

#[test]
fn a_sentence_with_a_time_is_no_date_line() {
    use Label::*;
    let check = |line: &str, expect: Label| {
        let html = format!("<div>{P}<p>{line}</p>{P}</div>");
        check(&html, "", &[], &[Paragraph, expect, Paragraph]);
    };
    check("<time>10:22</time> The water of the river rises by two metres in one night.", Paragraph);
    check("The bridge over the river will open to all on <time>1 December</time>.", Paragraph);
    check("<time>20 November 2026, 10:22</time>", Date);
    check("Published on <time>20 November 2026 at 10:22</time> by Ada Lorn.", Date);
    check("By Ada Lorn and Bo Ek of the Daily News, on <time>20 Nov 2026</time>", Date);
}

#[test]
fn blocks_that_fade_in_one_by_one_are_one_article() {
    let fade = "opacity:0;transform:translateY(20px)";
    let of = |html: &str| texts_of(html, "", |text| if text.len() > 30 { 0.9 } else { 0.0 }).len();
    let all = |html: &str| of(&format!("<script src=x></script>{html}"));
    let block = format!("<div style='{fade}'>{P}</div>");
    let page = format!("<main><h1>Bridge</h1>{block}{block}{block}</main>");
    assert_eq!(all(&page), 3);
    assert_eq!(of(&format!("<link rel=stylesheet href=x>{page}")), 3);
    // Nothing can show it.
    assert_eq!(of(&format!("<script type=application/ld+json></script>{page}")), 0);
    let sheet = "<style>.fade{opacity:0}</style>";
    let named = format!("<div class='fade a'>{P}</div><div class='fade b'>{P}</div>");
    assert_eq!(all(&format!("{sheet}<main>{named}</main>")), 2);
    let sheet_of_data = "<style>[data-aos]{opacity:0}</style>";
    let marked = format!("<div data-aos=fade-up>{P}</div><div data-aos=fade-left>{P}</div>");
    assert_eq!(all(&format!("{sheet_of_data}<main>{marked}</main>")), 2);
    // What every element of a component has tells nothing.
    for scoped in ["data-v-7ba5bd90", "data-testid=a", "data-id=1"] {
        let panels = format!("<div {scoped}>{P}{P}</div><div {scoped}>{P}</div>");
        let hidden = "<style>main>div{opacity:0}</style>";
        assert_eq!(all(&format!("{hidden}<main>{panels}</main>")), 2, "{scoped}");
    }
    // A byline that was chosen and is seen makes no text of its own.
    let byline = "<p>By Ann Archer of the Daily in Ells</p>";
    let seven = block.repeat(7);
    assert_eq!(all(&format!("<main><h1>Bridge</h1>{byline}{seven}</main>")), 8);
    assert_eq!(all(&format!("{sheet}<main>{byline}{}</main>", named.repeat(4))), 9);
    // Beside a text that is seen, and elsewhere, what is hidden stays so.
    assert_eq!(all(&format!("<main>{P}{block}{block}</main>")), 1);
    assert_eq!(all(&format!("<main>{P}{}</main>", block.repeat(20))), 1);
    assert_eq!(all(&format!("<main>{}{seven}</main>", byline.repeat(2))), 2);
    let long = format!("<main><div style='{fade}'>{P}{P}</div></main>");
    assert_eq!(all(&format!("{long}<div>{block}</div>")), 2);
    let panel = format!("<div style='display:none'>{P}</div>");
    assert_eq!(all(&format!("<main>{panel}{panel}</main>")), 1);
    let panel = format!("<div style='display:none'>{}</div>", P.repeat(9));
    assert_eq!(all(&format!("<main>{byline}{panel}</main>")), 1);
}

#[test]
fn comments_below_a_line_that_announces_them_are_named_so() {
    use Label::*;
    let reader = "<p>It was closed last year as well, and nobody did anything.</p>";
    let page = format!("<div>{}</div><h3>2 comments</h3><div>{reader}</div>", P.repeat(9));
    let found = labels_of(&page, "", &[]);
    let last: Vec<Label> = found.iter().skip(9).map(|(label, _)| *label).collect();
    assert_eq!(last, [None, Comment], "{found:#?}");
}

#[test]
fn the_words_of_a_heading_that_its_id_repeats_name_nothing() {
    use Label::*;
    let page = |attributes: &str| {
        format!("{P}<h3 {attributes}>The agency that measures how high the river has risen</h3>{P}")
    };
    check(&page("id=the-agency-that-measures"), "", &[], &[Paragraph, Heading, Paragraph]);
    let other = page("class=source").replace("The agency", "The office");
    check(&other, "", &[], &[Paragraph, Credit, Paragraph]);
    let author = page("id=the-author-who-measures").replace("The agency that", "The author who");
    check(&author, "", &[], &[Paragraph, Heading, Paragraph]);
    let signed = page("class=author").replace("The agency that", "Ada Lorn who");
    check(&signed, "", &[], &[Paragraph, Author, Paragraph]);
}

#[test]
fn cells_of_a_table_are_text_together() {
    let row = |team: &str, points: &str| format!("<tr><td>{team}<td>20<td>{points}");
    let rows = [row("Ells United", "41"), row("Bridge Rovers", "38"), row("North Ramp", "36")];
    let table = format!("{P}<table>{}</table>{P}", rows.concat());
    let cells = ["Ells United", "20", "41", "Bridge Rovers", "20", "38", "North Ramp", "20", "36"];
    // Of names the labeler is rather sure, of numbers it is not; and the other way round.
    for (names, numbers, expect) in [(0.6, 0.4, 9), (0.2, 0.5, 6), (0.55, 0.1, 3)] {
        let score = |text: &str| match text.split(' ').count() {
            1 => numbers,
            2 => names,
            _ => 0.9,
        };
        let texts = texts_of(&table, "", score);
        let of_table = texts.iter().filter(|text| cells.contains(&text.as_str())).count();
        assert_eq!(of_table, expect, "{names} {numbers}: {texts:?}");
    }
    // A link and what is surely none are not taken along.
    let foot = "<tr><td><a href=/u>Leave us</a><td>Nobody reads<td>40";
    let long = table.replace("</table>", &format!("{foot}</table>"));
    let score = |text: &str| match text {
        "Nobody reads" => 0.1,
        "20" | "41" | "38" | "36" | "40" | "Leave us" => 0.4,
        _ => 0.8,
    };
    let texts = texts_of(&long, "", score);
    assert!(texts.contains(&"40".to_owned()), "{texts:?}");
    assert!(!texts.iter().any(|text| text == "Leave us" || text == "Nobody reads"), "{texts:?}");
    // A table that lays out a page: its cells hold more than one block.
    let menu = "<td><p>Home<p>Sport<p>Work<td>";
    let layout = format!("<table><tr>{menu}{P}{P}<tr>{menu}{P}{P}</table>");
    let score = |text: &str| if text.contains("river") { 0.9 } else { 0.2 };
    assert_eq!(texts_of(&layout, "", score).len(), 4);
    // What nobody sees stays out.
    let hidden = table.replace("<td>20", "<td hidden>20");
    let texts = texts_of(&hidden, "", |text| if text.contains(' ') { 0.7 } else { 0.45 });
    assert!(!texts.iter().any(|text| text == "20"), "{texts:?}");
}
