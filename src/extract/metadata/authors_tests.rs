//! Authors of whole pages: who signs without a mark, and whom readers are told beside machines.

use super::*;
use crate::extract::dom::{Limits, parse};
use crate::extract::unseen::Unseen;

const URL: &str = "https://www.dailyexample.de/wirtschaft/werk-123";

fn check(html: &str, expect: &[&str]) {
    let hints = Hints { url: Some(URL), ..Hints::default() };
    let authors = read(&parse(html, &Limits::default()), &Unseen::default(), &hints).authors;
    let authors: Vec<&str> = authors.iter().map(|found| found.value.as_str()).collect();
    assert_eq!(authors, expect, "{html}");
}

/// A paragraph that no name is in.
fn prose() -> String {
    format!("<p>{}</p>", "The plant was opened on Monday after years of building. ".repeat(4))
}

/// Whoever comments names neither an author nor takes one away.
#[test]
fn comments_are_no_witnesses() {
    let page = |head: &str, comment: &str| {
        let text = prose();
        format!("<h1>Plant opens in town</h1>{head}{text}<div id=comments>{comment}</div>")
    };
    let bio = "<h4>Ann Archer</h4><p>Ann Archer has told of plants, towns and the people in them for ten years.</p>";
    check(&page("<p>Ann Archer</p>", bio), &[]);
    let about = "As so often, what Ann Archer tells us here is one side of the story; I was there, and the archer \
                 at the gate knew nothing of a plant that anybody had opened that day.";
    check(
        &page("<p>Ann Archer</p><p>20 Nov 2026</p>", &format!("<p>{about}</p>")),
        &["Ann Archer"],
    );
    // A page that is named so as a whole.
    let whole =
        format!("<div class=has-comments>{}</div>", page(&format!("<p>Ann Archer</p>{bio}"), ""));
    check(&whole, &["Ann Archer"]);
}

#[test]
fn names_that_stand_alone() {
    let page =
        |head: &str, below: &str| format!("<h1>Plant opens in town</h1>{head}{}{below}", prose());
    let check = |head: &str, below: &str, expect: &[&str]| check(&page(head, below), expect);
    let one = &["Ann Archer"];
    // A date beside it, a role, a picture of the author, data, or a box that tells of the author.
    check("<p>Ann Archer</p><p>20 Nov 2026</p>", "", one);
    check("<div><span>Ann Archer |</span><i>20.11.2026 09:10</i></div>", "", one);
    check("<div>20 Nov 2026 <i>•</i> Ann Archer in <a href=/money>Money</a></div>", "", one);
    check("<p>Ann Archer</p><p>Senior Writer</p>", "", one);
    check("<div><img src=/avatars/7.png><p>Ann Archer</p></div>", "", one);
    check(
        "<p>Ann Archer</p>",
        "<script type=application/ld+json>{\"@type\":\"Person\",\"name\":\"Ann Archer\"}</script>",
        one,
    );
    let bio = "<h4>Ann Archer</h4><p>Ann Archer has told of plants, towns and the people in them for ten years.</p>";
    check("<p>Ann Archer</p>", bio, one);
    check(
        "<p>Ann Archer</p><p>x</p><p>x</p><p>x</p><p>20 Nov 2026</p>",
        "<h5>Ann Archer</h5>",
        one,
    );
    check("<p>Анна Петрова</p><p>20.11.2026</p>", "", &["Анна Петрова"]);
    check("<p>Ann Archer</p>", "", &[]);
    // Several, by commas or as lines alike.
    check(
        "<p>Ann Archer and Ben T. Wright</p><time>20 Nov 2026</time>",
        "",
        &["Ann Archer", "Ben T. Wright"],
    );
    // Behind one comma there may be whom somebody writes for.
    check("<p>Ann Archer, Valley Now</p><time>20 Nov 2026</time>", "", one);
    check(
        "<p>Ann Archer, Ben Wright, Eve Stone</p><i>20 Nov 2026</i>",
        "",
        &["Ann Archer", "Ben Wright", "Eve Stone"],
    );
    check(
        "<p>Ann Archer</p><p>Reporter</p><p>Ben Wright</p><p>Editor</p>",
        "",
        &["Ann Archer", "Ben Wright"],
    );
    // The title's words, places, sections, words of the text and whom the text tells of are no authors.
    let day = "<p>20 Nov 2026</p>";
    check(&format!("<p>Plant Opens</p>{day}"), "", &[]);
    check(&format!("<p>San Marino</p>{day}"), "", &[]);
    check(&format!("<p>Sport World</p>{day}"), "", &[]);
    check(&format!("<p>Power Coaching</p>{day}"), "<p>No coaching was needed.</p>", &[]);
    let told = "<p>When the plant was opened after so many years of waiting, it was Ann Archer who came first of all to see what was within.</p>";
    check(&format!("<p>Ann Archer</p>{day}"), told, &[]);
    let begins =
        "<p>Ann Archer came first of all when the plant was opened after so many years.</p>";
    check(&format!("<p>Ann Archer</p>{day}"), begins, &[]);
    check(&format!("<p>Ann Archer, 26, came first of all</p>{day}"), "", &[]);
    check(&format!("<p>Font Size</p>{day}"), "", &[]);
    check(&format!("<p>Valley Scale:</p>{day}"), "", &[]);
    check("<dl><dt>Ann Archer</dt><dd>20 Nov 2026</dd></dl>", "", &[]);
    // A word of the text is a name where a box tells of the author.
    check(
        "<p>Ann Green</p>",
        &bio.replace("Archer", "Green").replace("plants", "green plants"),
        &["Ann Green"],
    );
    // Links lead to sections and to articles about somebody; marks say so, too; headings and sentences are no bylines.
    check(&format!("<p><a href=/tag/ann>Ann Archer</a></p>{day}"), "", &[]);
    check(
        &format!("<p><a href=https://linkedin.com/in/ann>Ann Archer</a></p><p>Writer</p>{day}"),
        "",
        one,
    );
    check(&format!("<p class=kicker>Ann Archer</p>{day}"), "", &[]);
    check(&format!("<figure><figcaption>Ann Archer</figcaption></figure>{day}"), "", &[]);
    check(&format!("<h2>Ann Archer</h2>{day}"), "", &[]);
    check(&format!("<p><b>Ann Archer</b> came first.</p>{day}"), "", &[]);
    // Below the first paragraph, or in letters that tell nothing, a date is no witness.
    check("", &format!("{}<p>Ann Archer</p>{day}", prose()), &[]);
    check(&format!("<p>ANN ARCHER</p>{day}"), "", &[]);
    check(&format!("<p>王小明</p>{day}"), "", &[]);
    // A link to people needs more than a date; a further name looks like the first.
    check(&format!("<p><a href=https://linkedin.com/in/ann>Ann Archer</a></p>{day}"), "", &[]);
    check(&format!("<p>Ann Archer</p><p class=x>Ben Wright</p>{day}"), "", one);
    // Beside a desk that signs, too.
    check(&format!("<p class=byline>Daily Example</p>{day}<p>Ann Archer</p>"), "", one);
}

#[test]
fn whom_the_title_names_did_not_write_it() {
    let prose = prose();
    check(&format!("<h1>Ann Archer Wins</h1><p>Ann Archer</p><p>20 Nov 2026</p>{prose}"), &[]);
    check(
        &format!("<h1>Eve Stone Wins</h1><p>Ann Archer</p><p>20 Nov 2026</p>{prose}"),
        &["Ann Archer"],
    );
}

#[test]
fn handles_below_the_title() {
    let page = |head: &str| format!("<h1>Plant opens in town</h1>{head}{}", prose());
    check(&page("<p>20 Nov 2026</p><p>by valleyfan</p>"), &["valleyfan"]);
    check(&page("<p>By 3 Valleys,</p><p>20 Nov 2026</p>"), &["3 Valleys"]);
    // Not without a date, and neither sentences nor dates are names.
    check(&page("<p>by valleyfan</p>"), &[]);
    check(&page("<p>20 Nov 2026</p><p>By then it was late</p>"), &[]);
    check(&page("<p>20 Nov 2026</p><p>By this plant</p>"), &[]);
    check(&page("<p>20 Nov 2026</p><p>By 21 Nov 2026</p>"), &[]);
    check(&page("<p>20 Nov 2026</p><p>by admin</p>"), &[]);
    check(&page("<p>20 Nov 2026</p><p>by valleyfan <b>in the town</b></p>"), &[]);
}

#[test]
fn who_signs_below_the_title_beside_whom_machines_are_told() {
    let page = |head: &str| {
        let told = "<meta name=author content='Ann Archer'>";
        let end = "<p>Ben Wright writes of plants.</p>";
        format!("{told}<h1>Plant opens in town</h1>{head}{}{end}", prose())
    };
    // Somebody else put the article there, or machines are told the first of several.
    check(&page("<p>By: Ben Wright</p>"), &["Ben Wright"]);
    check(&page("<h3>By <a href=/ben>Ben Wright</a>, <i>Columnist</i></h3>"), &["Ben Wright"]);
    check(&page("<p>By Ann Archer and Ben Wright</p>"), &["Ann Archer", "Ben Wright"]);
    check(
        &page("<p>Written by <b>Dr Ann Archer</b>, <b>Ben Wright</b></p>"),
        &["Dr Ann Archer", "Ben Wright"],
    );
    // A place, an office or a role is no further name.
    check(&page("<p>By <b>Ann Archer</b>, <i>Market Square</i></p>"), &["Ann Archer"]);
    check(&page("<p>By Ann Archer, Digital Editor and Master Gardener</p>"), &["Ann Archer"]);
    // A name that stands nowhere else is one against one.
    check(&page("<p>By Eve Stone</p>"), &["Ann Archer"]);
    // Nobody is somebody else whom readers are told, too; desks and other scripts tell nothing.
    check(&page("<b>Ann Archer</b><p>By Ben Wright</p>"), &["Ann Archer"]);
    check(&page("<p>By Daily Example</p>"), &["Ann Archer"]);
    check(&page("<p>By Анна Петрова</p>"), &["Ann Archer"]);
    // Not in pictures, within paragraphs or below the first ones.
    check(&page("<figure><p>By Ben Wright</p></figure>"), &["Ann Archer"]);
    check(
        &page(&format!("<p>It was opened <b>by Ben Wright</b> {}</p>", "then ".repeat(50))),
        &["Ann Archer"],
    );
    check(&page(&format!("{}<p>By Ben Wright</p>", prose().repeat(2))), &["Ann Archer"]);
}

#[test]
fn boxes_and_links() {
    // The box of an author may go on to tell of the author.
    let tells = "has told of plants, of towns and of the people in them for ten years. ".repeat(8);
    let box_of = |line: &str| {
        format!(
            "<h1>Plant opens in town</h1>{}<div class=author-box>{line}<p>She {tells}</p></div>",
            prose()
        )
    };
    check(&box_of("<b>Ann Archer</b>"), &["Ann Archer"]);
    check(&box_of("<b>Written by</b><b>Ann Archer</b>"), &["Ann Archer"]);
    check(&box_of("<b>Ann Archer tells of plants</b>"), &[]);
    // Links of one line are of one byline, far from the title too.
    let far = "<p>So it was.</p>".repeat(70);
    let line = "<div><a href=/author/ann>Ann Archer</a>, of plants <a href=/author/ben>Ben Wright</a></div>";
    check(&format!("<h1>Plant opens in town</h1>{far}{line}"), &["Ann Archer", "Ben Wright"]);
    // A link in a paragraph leads to somebody of whom the text tells, unless it says otherwise.
    let told = |rel: &str| {
        format!(
            "<h1>Plant opens in town</h1><p>In the town, as <a {rel} href=/profile/ben>Ben Wright</a> {tells}</p>"
        )
    };
    check(&told(""), &[]);
    check(&told("rel=author"), &["Ben Wright"]);
    check(
        &format!(
            "<h1>Plant opens in town</h1>{far}{}",
            told("").replace("<h1>Plant opens in town</h1>", "")
        ),
        &[],
    );
    // A person may stand beside the outlet in a byline of its own; a site may have a person's name.
    check(
        "<meta property=og:site_name content=Valley><h1>Plant opens in town</h1><p class=author>Valley</p><p class=author>Ann Archer</p>",
        &["Ann Archer"],
    );
    check(
        "<meta property=og:site_name content='Eve Stone'><h1>Plant opens in town</h1><p class=author>Eve Stone</p><p class=author>Ann Archer</p>",
        &["Eve Stone"],
    );
}

/// A byline is a whole line, whatever elements it is made of, and ends at a break or a block.
#[test]
fn bylines_of_several_elements_and_breaks() {
    let one = &["Ann Archer"];
    let two = &["Ann Archer", "Ben Wright"];
    let three = &["Ann Archer", "Ben Wright", "Eve Stone"];
    let head = |head: &str, expect: &[&str]| {
        check(&format!("<h1>Plant opens in town</h1>{head}{}", prose()), expect);
    };
    head("<p>By <a href=/p/ann>Ann Archer</a> and <a href=/p/ben>Ben Wright</a></p>", two);
    head("<p>By <b>Ann Archer</b> and <b>Ben Wright</b></p>", two);
    head(
        "<p>By <a href=/a>Ann Archer</a>, <a href=/b>Ben Wright</a> and <a href=/c>Eve Stone</a></p>",
        three,
    );
    head("<p>By Ann Archer &amp; <a href=/ben>Ben Wright</a> • 20 Nov 2026</p>", two);
    head("<p>By Ann Archer and <a href=/author/ben>Ben Wright</a></p>", two);
    head("<p>By <a href=/author/ann>Ann Archer</a> and Ben Wright</p>", two);
    head(
        "<div class=byline>By <a href=/ann>Ann Archer</a> and <a href=/ben>Ben Wright</a></div>",
        two,
    );
    // Another link of the line leads to a section or a place.
    head("<p>By <a href=/ann>Ann Archer</a> | <b>Valley Life</b></p>", one);
    head("<p>By <a href=/ann>Ann Archer</a>, <b>Market Square</b></p>", one);
    head("<h4>Author(s)</h4><ul><li>Ann Archer<li>Ben Wright</ul><p>Eve Stone</p>", two);
    // Others than the author.
    head(
        "<p>By <a href=/author/ann>Ann Archer</a></p><p>Contributions from: <a href=/author/ben>Ben Wright</a>, <a href=/author/eve>Eve Stone</a></p>",
        one,
    );
    head(
        "<p>Reviewed by <a href=/author/ben>Ben Wright</a>, written by <a href=/author/ann>Ann Archer</a></p>",
        one,
    );
    // Breaks and blocks end a line.
    let text = "The plant was opened on Monday after years of building. ".repeat(5);
    check(&format!("<h1>Plant opens in town</h1><p>By Ann Archer<br><br>{text}</p>"), one);
    check(
        &format!("<h1>Plant opens in town</h1><p>By ANN ARCHER<br>Staff Writer<br>{text}</p>"),
        &["ANN ARCHER"],
    );
    check(
        &format!(
            "<h1>Plant opens in town</h1><div>20 Nov 2026<br>By <i>Ann Archer</i>, Reporter<br>{text}</div>"
        ),
        one,
    );
    for behind in ["PhD", ", Engineer, Valley Works", "at 12:32 PM"] {
        check(
            &format!(
                "<h1>Plant opens in town</h1><div>{text}<br>Posted by Ann Archer {behind}</div>"
            ),
            one,
        );
    }
    check(&format!("<div>20 Nov 2026<br>By Ann Archer, AFP<br><p>{text}</p></div>"), one);
    for above in
        ["<strong>20 November 2026</strong>", "<em>Town is to lose its link for a year</em>"]
    {
        let head = format!("<h1>Plant opens in town</h1><div>{above}<br>By Ann Archer</div>");
        check(&format!("{head}<p>{text}</p>"), one);
    }
    // Within a paragraph it holds nothing but names, and stands before the text.
    for line in [
        "Von Angela Merkel kam kein Wort.",
        "Par Emmanuel Macron interposé.",
        "By Avon River sat the mill",
        "By Bob Miller, Reader",
        "By Golden Gate",
        "<b>Silent Water</b><br>By Nora Field",
    ] {
        for before in ["20 Nov 2026", text.as_str()] {
            if before.len() < 20 && line.starts_with("By G") {
                continue;
            }
            check(
                &format!("<h1>Plant opens in town</h1><div>{before}<br>{line}<br>{text}</div>"),
                &[],
            );
        }
    }
    check(&format!("<h1>Plant opens in town</h1><div>By Ann Archer<p>{text}</p></div>"), one);
    // A sentence within a paragraph is no line.
    check(&format!("<h1>Plant opens in town</h1><p>{text} <b>By Ann Archer</b> {text}</p>"), &[]);
}

/// Topics and brands of a byline are no authors, and bars join no names.
#[test]
fn topics_beside_a_linked_author() {
    let one = &["Ann Archer"];
    let ann = "<a class=x href=/author/ann>Ann Archer</a>";
    let told = "<meta name=author content='Ann Archer'>";
    for topic in [
        " · <a class=x href=/tag/taylor-swift>Taylor Swift</a>",
        " · <a class=x href=/tag/a>Taylor Swift</a> · <a class=x href=/tag/b>Wall Street</a>",
        " | <a class=x href=/tag/rl>Premier League</a>",
        " and <a class=x href=/tag/rl>Real Madrid</a>",
        ", <a class=x href=/tag/rl>Real Madrid</a>",
        " / <a class=x href=/tag/e>Elon Musk</a>",
        " for <a class=x href=/brand>Harper Stone</a>",
        " • <a class=x href=#c>Gift Article</a>",
    ] {
        for by in ["By ", ""] {
            let page = format!("<h1>Plant opens in town</h1><p>{by}{ann}{topic}</p>{}", prose());
            check(&page, one);
            check(&format!("{told}{page}"), one);
        }
    }
    let both = "<a href=/author/ann>Ann Archer</a> and <a href=/team/ben>Ben Wright</a>";
    check(
        &format!("<h1>Plant opens in town</h1><p>By {both}</p>{}", prose()),
        &["Ann Archer", "Ben Wright"],
    );
    for line in ["By Ann Archer | Premier League", "By Ann Archer • Taylor Swift"] {
        check(&format!("<h1>Plant opens in town</h1><p>{line}</p>{}", prose()), one);
    }
}

/// Machines are told the first of a list that readers see.
#[test]
fn lists_led_by_whom_machines_are_told() {
    let page = |line: &str| {
        let told = "<meta name=author content='Ann Archer'>";
        format!("{told}<h1>Plant opens in town</h1>{line}{}", prose())
    };
    check(
        &page(
            "<p><a href=/a>Ann Archer</a><span>, </span><a href=/b>Ben Wright</a> &amp; <a href=/c>Eve Stone</a></p>",
        ),
        &["Ann Archer", "Ben Wright", "Eve Stone"],
    );
    check(&page("<p>Ann Archer and Ben Wright came to the town</p>"), &["Ann Archer"]);
}

#[test]
fn outlets_told_as_authors() {
    let page = |told: &str, line: &str| {
        format!("<meta name=author content='{told}'><h1>Plant opens in town</h1>{line}{}", prose())
    };
    let line = "<p>By Ann Archer and Ben Wright, Valley Times</p>";
    check(&page("Valley Times", line), &["Ann Archer", "Ben Wright"]);
    check(&page("Valley Press", line), &["Ann Archer", "Ben Wright"]);
    check(&page("Valley Wave (www.valley.example)", line), &["Ann Archer", "Ben Wright"]);
    // Below the text others sign other articles.
    let card = "<div><a href=/x>Harbour dredged</a> <a href=/author/ben>Ben Wright</a></div>";
    for card in [card, "<div><p>By Ben Wright</p></div>"] {
        for told in ["Emily Post", "Associated Press", "新华社"] {
            check(&format!("{}{}{card}", page(told, ""), prose()), &[told]);
        }
    }
    for told in ["Valley Times", "Valley Press"] {
        check(&page(told, ""), &[told]);
    }
}

#[test]
fn desks_and_columns_told_as_authors() {
    let text = prose();
    let page = |told: &str, line: &str| {
        format!("<meta name=author content='{told}'><h1>Plant opens in town</h1>{line}{text}")
    };
    for told in ["Guest Column", "AFP", "Haber Merkezi", "Special Correspondent", "Fact Check"] {
        check(&page(told, "<p>By Ann Archer</p>"), &["Ann Archer"]);
    }
    check(&page("Guest Column", ""), &["Guest Column"]);
    let ann = page("Ann Archer", "<p>By Ben Wright</p>");
    check(&ann, &["Ann Archer"]);
    // A name that is a word of buttons, too.
    let marked = "<p class=byline>By Michelle Price</p><p class=author-name>Ben Wright</p>";
    check(&page("Michelle Price", marked), &["Michelle Price"]);
}

#[test]
fn labels_sign_nothing() {
    for label in [
        "Son Güncelleme",
        "Giriş Tarihi",
        "Haberi Kaydet",
        "Tanggal Terbit",
        "Baca Juga",
        "Cập Nhật",
        "Fecha Publicación",
        "Última Atualização",
        "Data Publikacji",
        "Τελευταία Ενημέρωση",
        "Laatst Bijgewerkt",
        "Reading Time",
        "Press Release",
        "Members Only",
    ] {
        let page = format!(
            "<h1>Plant opens in town</h1><div>{label}</div><div>20.11.2026 09:10</div>{}",
            prose()
        );
        check(&page, &[]);
    }
}

/// The outlet's own desk signs where it says so and nobody else does.
#[test]
fn bylines_of_the_outlet() {
    let page = |line: &str| format!("<h1>Plant opens in town</h1>{line}{}", prose());
    check(&page("<p><i>3 min read</i> · <i>By Daily Example</i></p>"), &["Daily Example"]);
    check(&page("<p>By Daily Example</p><p>By Ann Archer</p>"), &["Ann Archer"]);
}

#[test]
fn family_names_first() {
    check("<meta name=citation_author content='Archer, Ann B.'>", &["Ann B. Archer"]);
}

#[test]
fn footers_of_articles() {
    let footer = "<footer>Posted by <a href=/author/ann>Ann Archer</a></footer>";
    let page = |inside: &str, below: &str| {
        format!(
            "<main><article><h1>Plant opens in town</h1>{}{inside}</article>{below}</main>",
            prose().repeat(3)
        )
    };
    check(&page(footer, ""), &["Ann Archer"]);
    check(&page("<footer><p>Posted by Ann Archer<br>on Monday</p></footer>", ""), &["Ann Archer"]);
    check(
        &page("<footer>Thanks to all. <a rel=author href=/ann>Ann Archer</a></footer>", ""),
        &["Ann Archer"],
    );
    // Nor do quotations, cards and comments, or whoever else is linked.
    let mark = "<a href=/author/mark>Mark Twain</a>";
    for inside in [
        format!("<blockquote><p>So it is.</p><footer>{mark}</footer></blockquote>"),
        "<blockquote><p>So it is.</p><footer>By Mark Twain</footer></blockquote>".to_owned(),
        "<figure><footer>By Mark Twain</footer></figure>".to_owned(),
        "<div class=card><h3><a href=/x>Harbour dredged again</a></h3><footer>By Mark Twain</footer></div>".to_owned(),
        "<section id=talk><div class=post><p>Bad news.</p><footer>Posted by Mark Twain</footer></div></section>".to_owned(),
        format!("<footer>{mark} and 12 others like this</footer>"),
        format!("<footer>Photo by {mark}</footer>"),
        format!("<footer><p>Reviewed by {mark}</p></footer>"),
        format!("<footer><p>Website by {mark}</p></footer>"),
        format!("<footer><p>Read next: {mark}</p></footer>"),
        "<footer><p>Tags: roads</p><div class=comments><p>By Mark Twain</p></div></footer>".to_owned(),
        "<footer><ul><li>By Mark Twain</ul></footer>".to_owned(),
        "<footer><h4>Keep on</h4><p>By Mark Twain</p></footer>".to_owned(),
    ] {
        check(&page(&inside, ""), &[]);
    }
    // Other footers sign nothing.
    check(&page("", footer), &[]);
    check(&page(footer, &format!("<article><h2>Another plant</h2>{footer}</article>")), &[]);
}

#[test]
fn labels_in_the_margin() {
    let page = |aside: &str| {
        format!("<h1>Plant opens in town</h1>{}<aside>{aside}</aside>", prose().repeat(9))
    };
    let day = "<h3>Published</h3><p>20 Nov 2026</p>";
    check(&page(&format!("{day}<h3>Author</h3><p>Ann Archer</p>")), &["Ann Archer"]);
    check(
        &page(
            "<h3>Date</h3><p>November 2026</p><h3>Author(s)</h3><ul><li>Ann Archer<li>Ben Wright</ul>",
        ),
        &["Ann Archer", "Ben Wright"],
    );
    check(&page("<h3>Author</h3><p>Ann Archer</p>"), &[]);
    check(&page(&format!("{day}<h3>Authors</h3><p>Ann Archer</p>")), &[]);
    check(&page(&format!("{day}<h3>Author</h3><p>Sport World</p>")), &[]);
    // A book that the text is about.
    let book = "<h3>Silent Water</h3><dl><dt>Author<dd>Nora Field<dt>Publisher<dd>Faber<dt>Published<dd>3 November 2026</dl>";
    check(&page(book), &[]);
    for label in ["ISBN: 978-1", "Pages", "Title:"] {
        check(&page(&format!("{day}<p>{label}</p><p>Author:</p><p>Nora Field</p>")), &[]);
    }
}

/// A closing line that tells of somebody who writes may be a reader's, a box's or the text's own.
#[test]
fn closing_lines_sign_nothing() {
    let page = |end: &str| format!("<h1>Plant opens in town</h1>{}{end}", prose());
    for end in [
        "<section id=discussion><h2>Discussion</h2><p>Ann Archer is a terrible writer and should be fired</p></section>",
        "<h3>12 comments</h3><div><p>Ann Archer is a reporter I trust.</p></div>",
        "<section><h2>Our team</h2><p>Ann Archer is a reporter and hosts our podcast</p></section>",
        "<p>Ann Archer is the author of three books on the valley.</p>",
        "<p>Ann Archer is a professor of hydrology at the college.</p>",
    ] {
        check(&page(end), &[]);
    }
}

/// WordPress leads on from the root of a site to its authors by their numbers.
#[test]
fn numbered_authors() {
    let page = |href: &str| {
        format!("<h1>Plant opens in town</h1><div><a href='{href}'>Ann Archer</a></div>{}", prose())
    };
    for href in
        ["/?author=9", "https://www.dailyexample.de/?author=9", "https://dailyexample.de?author=9"]
    {
        check(&page(href), &["Ann Archer"]);
    }
    for href in ["/u/?author=bob", "/u?author=9", "https://dailyexample.de/talk/?author=9"] {
        check(&page(href), &[]);
    }
}

/// Names of `meta` elements that newsrooms of one country have.
#[test]
fn names_of_metas() {
    for name in ["content_author", "articleAuthor"] {
        check(
            &format!(
                "<meta name={name} content='Sari Wijaya, Budi Hartono'><h1>Plant opens</h1>{}",
                prose()
            ),
            &["Sari Wijaya", "Budi Hartono"],
        );
    }
    check(&format!("<meta name=content_category content='Sari Wijaya'>{}", prose()), &[]);
}

/// Lines that sign in a way of their own, whole pages.
#[test]
fn lines_that_sign_by_their_form() {
    let page = |head: &str| format!("<h1>Plant opens in town</h1>{head}{}", prose());
    check(&page("<p>Deniz KARACA/YEŞİLKOY, (YHA)-</p>"), &["Deniz KARACA"]);
    check(&page("<p>【佐藤 健一】</p>"), &["佐藤健一"]);
    check(&page("<p>【佐藤 健一、鈴木 花子】</p>"), &["佐藤健一", "鈴木花子"]);
    check(&page("<p>김민수·이영희 기자</p>"), &["김민수", "이영희"]);
    check(&page("<p>김민수, 이영희 기자</p>"), &["김민수", "이영희"]);
    check(&page("<p>Autor: ČTK, Martin Rybář</p><p>20. 11. 2026</p>"), &["Martin Rybář"]);
    check(&page("<address><a href=/toimittaja/1>Antti Salo</a> LL</address>"), &["Antti Salo"]);
    check(
        &page("<div class=credit-title-nameEditor>Sari Wijaya, Budi Hartono</div>"),
        &["Sari Wijaya", "Budi Hartono"],
    );
    check(&page("<div class=photo-credit>Sari Wijaya, Budi Hartono</div>"), &[]);
    check(&page("<address>Valley Road, Market Square</address>"), &[]);
    // A portal is told, the reporter shown.
    check(
        &format!(
            "<meta property=og:article:author content='해오름뉴스 | 네이바'>{}",
            page("<em class=media_end_head_journalist_name>정해린 기자</em>")
        ),
        &["정해린"],
    );
    // Two names behind "by" are no handle.
    check(&page("<p>20 Nov 2026</p><p>by valley, fan</p>"), &[]);
}
