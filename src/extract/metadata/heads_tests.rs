//! Authors of whole pages: who signs in the head of an article in other ways, at its end, or by the site's name; and
//! what machines are told in more ways.

use super::*;
use crate::extract::dom::{Limits, parse};
use crate::extract::unseen::Unseen;

fn check_at(url: &str, html: &str, expect: &[&str]) {
    let hints = Hints { url: Some(url), ..Hints::default() };
    let authors = read(&parse(html, &Limits::default()), &Unseen::default(), &hints).authors;
    let authors: Vec<&str> = authors.iter().map(|found| found.value.as_str()).collect();
    assert_eq!(authors, expect, "{html}");
}

fn check(html: &str, expect: &[&str]) {
    check_at("https://www.dailyexample.de/wirtschaft/werk-123", html, expect);
}

/// An article with what stands above its title, below it, and below its text.
fn article(above: &str, head: &str, below: &str) -> String {
    let prose = "The plant was opened on Monday after years of building, and all of the town had come to see it. ";
    let prose = format!("<p>{}</p>", prose.repeat(3)).repeat(3);
    format!("<article>{above}<h1>Plant opens in town</h1>{head}{prose}{below}</article>")
}

#[test]
fn degrees_and_offices_are_witnesses() {
    let check = |head: &str, expect: &[&str]| check(&article("", head, ""), expect);
    check("<p>Ann Archer, PhD</p>", &["Ann Archer"]);
    check(
        "<p>\n          Ann Archer, DVM; Ben Wright, BA, VTS (Birds) &amp; Eve Moreau, DVM\n   </p>",
        &["Ann Archer", "Ben Wright", "Eve Moreau"],
    );
    check("<p>Ann Archer, political correspondent</p>", &["Ann Archer"]);
    check("<p>Ann Archer Political Correspondent</p>", &["Ann Archer"]);
    for other in [
        "<p>Ann Archer</p>",
        "<p>Ann Archer, mayor</p>",
        "<p>Valley Springs, CA</p>",
        "<p>Fact checked by</p><p>Ann Archer, PhD</p>",
        "<p>Green Energy, MD</p>",
        "<p>Mass Effect, PC</p>",
    ] {
        check(other, &[]);
    }
}

#[test]
fn a_bold_paragraph_signs_what_the_outlet_does() {
    let outlet = "<meta property=og:site_name content='Valley Herald'><meta name=author content='Valley Herald'>";
    let page = |head: &str| format!("{outlet}{}", article("", head, ""));
    check(&page("<p><strong>Ann Archer/Ben Wright</strong></p>"), &["Ann Archer", "Ben Wright"]);
    check(&page("<p><b>Ann Archer</b></p>"), &["Ann Archer"]);
    for other in [
        "<p><b>Hi Friends</b></p>",
        "<p><b>VALLEY – BAY TOWN</b></p>",
        "<p><b>Ann Archer</b> came first.</p>",
        "<p>Ann Archer</p>",
        "<p><b>Opening Day</b></p><p>It was the opening.</p>",
        "<p><b>Buckingham Palace</b></p>",
        "<p><b>Black Friday</b></p>",
        "<p><b>Roast Beef and Valley Pudding</b></p>",
    ] {
        check(&page(other), &["Valley Herald"]);
    }
    // Where machines are told nobody it may be anything.
    check(&article("", "<p><b>Ann Archer</b></p>", ""), &[]);
}

#[test]
fn links_to_one_of_a_team_beside_a_date() {
    let link = "<a href=/team/ann-archer>Ann Archer</a>";
    check(&article("", &format!("<div>{link}</div><div>4 March 2026</div>"), ""), &["Ann Archer"]);
    let above = format!("<div><i>4 March 2026</i><i> / </i>{link}</div>");
    check(&article(&above, "", ""), &["Ann Archer"]);
    // Not without a date, nor where others are linked so: teams of sports.
    check(&article(&format!("<div>{link}</div>"), "", ""), &[]);
    let others = "<p><a href=/team/valley-owls>Valley Owls</a></p>";
    check(&article(&above, "", others), &[]);
    check(&article(&above.replace("/team/", "/topic/"), "", ""), &[]);
    let club = above.replace("ann-archer", "red-owls").replace("Ann Archer", "Red Owls");
    check(&article(&club, "", ""), &[]);
}

#[test]
fn desks_beside_a_date() {
    let check = |head: &str, expect: &[&str]| check(&article("", head, ""), expect);
    check("<p>Herald Editorial Team</p><p>4 March 2026</p>", &["Herald Editorial Team"]);
    let site = "<meta property=og:site_name content='Valley Herald'>";
    check(
        &format!("{site}<p>The Valley Herald Team</p><p>4 March 2026</p>"),
        &["The Valley Herald Team"],
    );
    for other in [
        "<p>Help Desk</p><p>4 March 2026</p>",
        "<p>Our Team</p><p>4 March 2026</p>",
        "<p>Meet The Team</p><p>4 March 2026</p>",
        "<p>Herald Editorial Team</p>",
        "<h2>Meet The Team</h2><p>4 March 2026</p>",
        "<p><a href=/sections/team>The Herald Team</a></p><p>4 March 2026</p>",
        "<p>Meet the whole team</p><p>4 March 2026</p>",
    ] {
        check(other, &[]);
    }
}

#[test]
fn the_end_of_the_lead() {
    let check =
        |head: &str, expect: &[&str]| check(&article("", &format!("<p>{head}</p>"), ""), expect);
    let lead = "The plant is late again, and nobody wants to say why it is";
    check(&format!("{lead}, writes ANN ARCHER."), &["ANN ARCHER"]);
    check(&format!("{lead}, writes Ann Archer"), &["Ann Archer"]);
    check(&format!("{lead}, says ANN ARCHER"), &["ANN ARCHER"]);
    check(&format!("{lead}. By Ann Archer"), &["Ann Archer"]);
    check(&format!("{lead}. Ein Gastbeitrag von Anna Arndt"), &["Anna Arndt"]);
    for other in [
        "says Ann Archer.",
        "writes the mayor.",
        "writes Ann Archer in her book.",
        "by Ann Archer",
        "reports Valley Brothers.",
        "as one” writes Ann Archer.",
    ] {
        check(&format!("{lead}, {other}"), &[]);
    }
    check(&format!("{lead}. By Monday all was over"), &[]);
    for around in ["blockquote", "figcaption", "li"] {
        check(&format!("</p><{around}>{lead}. By Ann Archer</{around}><p>"), &[]);
    }
    // The text tells of her.
    let prose = "Nobody in the town had waited for it as long as Ann Archer, and she was not there to see it. ";
    let told = format!("{lead}, writes Ann Archer.</p><p>{}", prose.repeat(3));
    check(&told, &[]);
    let told = format!(
        "{lead}, writes Ann Archer.</p><p>Ann Archer said so. {}",
        prose.replace("Ann Archer", "she").repeat(3)
    );
    check(&told, &[]);
}

#[test]
fn boxes_and_microdata_below_the_text() {
    let text = "<p>Many came to see it, and more will come in the weeks ahead.</p>".repeat(70);
    let check =
        |below: &str, expect: &[&str]| check(&article("", "", &format!("{text}{below}")), expect);
    check(
        "<div class=author-bio><h4>About Ann Archer</h4><p>She writes of plants.</p></div>",
        &["Ann Archer"],
    );
    check("<div class=author-bio><h4>About The Plant</h4><p>It makes things.</p></div>", &[]);
    let author = |name: &str| {
        format!(
            "<span itemprop=author itemscope itemtype=http://schema.org/Person><i itemprop=name>{name}</i></span>"
        )
    };
    check(&author("Ann Archer"), &["Ann Archer"]);
    // Two who do not agree are not of one article.
    check(&format!("{}{}", author("Ann Archer"), author("Ben Wright")), &[]);
    check("<a href=/author-dashboard>Write</a>", &[]);
}

#[test]
fn what_machines_are_told_in_other_ways() {
    let meta = |name: &str, content: &str| format!("<meta name='{name}' content='{content}'>");
    let check =
        |head: &str, expect: &[&str]| check(&format!("{head}{}", article("", "", "")), expect);
    for name in ["byline", "author_name", "article.author", "vf:author", "dable:author"] {
        check(&meta(name, "By Ann Archer"), &["Ann Archer"]);
    }
    let page = r#"{"title":"Plant opens","author":"Ann Archer","section":"News"}"#;
    check(&meta("parsely-page", page), &["Ann Archer"]);
    let page = r#"{"authors":["Ann Archer","Ben Wright"],"author":"Ann Archer"}"#;
    check(&meta("parsely-page", page), &["Ann Archer", "Ben Wright"]);
    check(&meta("parsely-page", "{Ann Archer"), &[]);
    check(&meta("parsely-page", r#"{"title":"Ann Archer"}"#), &[]);
    for label in ["Geschreven door", "Skrevet av", "Napisane przez", "Kirjoittanut", "Yazan"] {
        let card = |label: &str| {
            format!("{}{}", meta("twitter:label1", label), meta("twitter:data1", "Ann Archer"))
        };
        check(&card(label), &["Ann Archer"]);
        check(&card("Reading time"), &[]);
    }
    check(&meta("creator", "Ann Archer"), &[]);
}

#[test]
fn a_site_is_somebodys() {
    let spoken = "<p>I went to see the plant in the town, and I was not the only one who had come to see it.</p>".repeat(3);
    let page = |head: &str, foot: &str, prose: &str| {
        format!("{head}<h1>Plant opens in town</h1>{prose}<footer>{foot}</footer>")
    };
    let site = "<title>Plant opens in town | Anna Archer</title>";
    let one = &["Anna Archer"];
    check_at("https://annaarcher.example/plant", &page(site, "", &spoken), one);
    check_at("https://www.archer.example/plant", &page(site, "", &spoken), one);
    let foot = "© 2024–2026 Anna Archer. All rights reserved.";
    check_at("https://annaarcher.example/plant", &page("", foot, &spoken), one);
    let home = "<a href=/>Anna Archer</a>";
    check_at("https://anna.blogs.example/plant", &page("", home, &spoken), one);
    // The address is another's, nobody speaks, nobody is called so, or somebody else signs.
    check_at("https://valleyherald.example/plant", &page(site, "", &spoken), &[]);
    let told = spoken.replace("I ", "We ");
    check_at("https://annaarcher.example/plant", &page(site, "", &told), &[]);
    for shop in ["Green Roads", "Musikhaus Archer", "Mother Jones"] {
        let url = format!("https://{}.example/plant", shop.to_lowercase().replace(' ', ""));
        check_at(&url, &page(&site.replace("Anna Archer", shop), "", &spoken), &[]);
    }
    let war = spoken.replace("I went", "They went in World War I").replace("I was", "none was");
    check_at("https://annaarcher.example/plant", &page(site, "", &war), &[]);
    let quoted = spoken.replace("I went", "“I went").replace("it.", "it.”");
    check_at("https://annaarcher.example/plant", &page(site, "", &quoted), &[]);
    let readers = format!("<p>The plant is open.</p><h2>3 comments</h2>{spoken}");
    check_at("https://annaarcher.example/plant", &page(site, "", &readers), &[]);
    let kind = format!("{site}<meta property=og:type content=product>");
    check_at("https://annaarcher.example/plant", &page(&kind, "", &spoken), &[]);
    for other in ["Anna Observer", "Isabella Bank"] {
        let url = format!("https://{}.example/plant", other.to_lowercase().replace(' ', ""));
        check_at(&url, &page(&site.replace("Anna Archer", other), "", &spoken), &[]);
    }
    let signed = format!("<p>By Ben Wright</p>{spoken}");
    check_at("https://annaarcher.example/plant", &page(site, "", &signed), &["Ben Wright"]);
}

/// Journalists whom a text tells of, and authors of books, sign nothing.
#[test]
fn who_signs_in_chinese() {
    let prose = "港口经过多年建设于星期一由市长宣布开放，许多参加过建设的人都来到现场观看了开放仪式，市民们也来了。";
    let page = |head: &str, end: &str| {
        let prose = format!("<p>{prose}</p>").repeat(3);
        format!(
            "<title>港口昨日开放</title><article><h1>港口昨日开放</h1>{head}{prose}<p>{prose}{end}</p></article>"
        )
    };
    let one = &["王小明"];
    check(&page("", "（本报记者 王小明）"), one);
    check(&page("", "（山谷日报记者 王小明）"), one);
    check(&page("<p>来源：山谷日报 作者：王小明</p>", ""), one);
    for other in ["（记者 提问）", "（本报记者 现场报道）", "（受伤记者 刘洋）"]
    {
        check(&page("", other), &[]);
        check(&page(&format!("<p>{other}</p>"), ""), &[]);
    }
    for other in ["书名：旧桥 作者：王小明", "来源：山谷日报 作者：管理员"]
    {
        check(&page(&format!("<p>{other}</p>"), ""), &[]);
    }
}
