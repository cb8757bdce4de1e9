use super::*;
use crate::model::PageType;

const PAGE: &str = "<html><head><title>Bridge closed | The Daily</title></head><body>
<nav><ul><li><a href=/>Acme</a><li><a href=/s>Sports</a></ul></nav>
<main><h1>Bridge closed</h1>
<p>The bridge over the Ells was closed on Monday because the river had risen again, and it will
not be opened before the end of the week. The mayor said that she was sorry.</p>
<h2>What comes next</h2>
<p>Engineers of the Acme company are going to look at it, and they will say by Friday whether it
can be used again. Until then there is a bus on the other side.</p></main>
<aside><h3>More</h3><p><a href=/2>Acme opens a shop in the city and all are there to see it</a></p></aside>
<div id=comments><p class=comment>I think that Acme should have done this when it was dry and not in the rain.</p></div>
</body></html>";

#[test]
fn an_article_is_its_text_and_nothing_else() {
    let found = article(PAGE, &Hints::default(), &Model::by_hand(), &Limits::default());
    let article = found.article;
    assert_eq!(found.limit, None);
    assert!(!article.fallback);
    let lines: Vec<&str> = article.text.lines().collect();
    assert_eq!(lines.len(), 3, "{}", article.text);
    assert!(lines[0].starts_with("The bridge over the Ells") && lines[0].ends_with("sorry."));
    assert_eq!(lines[1], "What comes next");
    assert!(lines[2].ends_with("other side."));
    assert_eq!(article.page_type, PageType::ArticleWithComments);
    assert_eq!(article.language.map(|l| l.value).as_deref(), Some("en"));
    assert_eq!(article.title.map(|t| t.value).as_deref(), Some("Bridge closed"));
    let labels: Vec<Label> = article.blocks.iter().map(|b| b.label).collect();
    let expect = "None None Title Paragraph Heading Paragraph None None Comment";
    assert_eq!(labels.iter().map(|l| format!("{l:?}")).collect::<Vec<_>>().join(" "), expect);
}

#[test]
fn agencies_are_credited_in_sight() {
    for line in ["(Reuters)", "Reuters contributed to this report."] {
        for (attribute, expect) in [("", &["Reuters"][..]), ("hidden", &[]), ("class=comment", &[])]
        {
            let line = format!("<p {attribute}>{line}</p><p>The bridge");
            let page = PAGE.replace("<p>The bridge", &line);
            let found = article(&page, &Hints::default(), &Model::by_hand(), &Limits::default());
            let agencies: Vec<&str> = found.agencies.iter().map(|a| a.value.as_str()).collect();
            assert_eq!(agencies, expect, "{line}");
        }
    }
}

#[test]
fn a_title_that_only_machines_are_told_is_told_apart() {
    let told = |title: &str| {
        let card = format!("<meta property=og:title content='{title}'>");
        let data = format!("{{\"@type\":\"NewsArticle\",\"headline\":\"{title}\"}}");
        format!("{card}<script type=application/ld+json>{data}</script></head>")
    };
    let headless = PAGE.replace("<h1>Bridge closed</h1>", "");
    let check = |told_as: &str, seen: bool| {
        let page = headless.replace("</head>", &told(told_as));
        let found = article(&page, &Hints::default(), &Model::by_hand(), &Limits::default());
        let signals = found.article.signals;
        assert_eq!(!signals.iter().any(|s| s == TITLE_UNSEEN), seen, "{told_as}: {signals:?}");
    };
    check("Bridge closed", true);
    check("Acme wins", false);
    // In letters of another case, and in a line of the page.
    check("DAILY bridge", true);
    check("The river had risen again", true);
    check("The river of Acme had risen again", false);
    // A name may be a number.
    check("4711 wins: bridge closed", false);
    check("Bridge 4711 closed", false);
    check("DAILY bridge 2026", false);
    // What nobody sees shows nothing.
    let hidden = "<p hidden>Acme wins</p></body>";
    let page = headless.replace("</head>", &told("Acme wins")).replace("</body>", hidden);
    let found = article(&page, &Hints::default(), &Model::by_hand(), &Limits::default());
    assert_eq!(found.article.title.map(|title| title.value).as_deref(), Some("Acme wins"));
    assert!(found.article.signals.iter().any(|signal| signal == TITLE_UNSEEN));
    // A headline that is shown is the title, whatever machines are told.
    let page = PAGE.replace("</head>", &told("Acme wins"));
    let found = article(&page, &Hints::default(), &Model::by_hand(), &Limits::default());
    assert!(found.article.blocks.iter().any(|block| block.label == Label::Title));
    assert!(!found.article.signals.iter().any(|signal| signal == TITLE_UNSEEN));
}

#[test]
fn chinese_articles_are_found_without_spaces() {
    let page = "<div class=nav><a href=/>首页</a> <a href=/n>新闻</a></div><h1>大桥关闭</h1>
        <div><p>星期一，由于河水再次上涨，这座大桥被关闭了，在本周末之前不会重新开放。市长说她对此感到抱歉。</p>
        <p>公司的工程师将会去看一看，他们会在星期五之前说明这座桥是否还可以使用。</p></div>";
    let found = article(page, &Hints::default(), &Model::by_hand(), &Limits::default()).article;
    assert_eq!(found.text.lines().count(), 2, "{}", found.text);
    assert!(!found.fallback);
    assert_eq!(found.language.map(|l| l.value).as_deref(), Some("zh"));
}

#[test]
fn day_and_month_stand_in_the_order_of_the_texts_language() {
    let text = "<p>Cây cầu bắc qua sông đã bị đóng cửa vào thứ hai vì nước lại dâng cao, chính quyền thành phố cho biết như vậy.</p>
        <p>Không ai được phép đi qua cho đến khi nước rút, thị trưởng nói với người dân, và một chiếc phà sẽ chở họ sang sông.</p>
        <p>Các tiểu thương gần sông đã xin giúp đỡ, và hội đồng sẽ họp vào tuần tới để bàn về việc này cùng với dân.</p>
        <p>Theo ông, kinh phí sửa chữa đã được chuẩn bị từ năm ngoái và công việc sẽ bắt đầu ngay khi trời tạnh mưa trở lại.</p>";
    let day = |date: &str| {
        let page = format!(
            "<html lang=en-US><article><h1>Cầu đóng cửa</h1><p class=date>{date}</p>{text}</article>"
        );
        let found =
            article(&page, &Hints::default(), &Model::by_hand(), &Limits::default()).article;
        assert_eq!(found.language.map(|l| l.value).as_deref(), Some("vi"));
        found.published.map(|stamp| stamp.local.date().to_string())
    };
    assert_eq!(day("05/11/2026").as_deref(), Some("2026-11-05"));
    // Another date of the page says which is the month.
    assert_eq!(day("05/11/2026</p><p>2026-05-11").as_deref(), Some("2026-05-11"));
}

#[test]
fn pages_without_content_fall_back_to_the_heaviest_container() {
    let page = "<div><p>Kubo zirro.<p>Vada nolli.</div>";
    let found = article(page, &Hints::default(), &Model::by_hand(), &Limits::default()).article;
    assert!(found.fallback);
    assert_eq!(found.text, "Kubo zirro.\nVada nolli.");
    let page = "<div><p>Kubo zirro.<p>Vada nolli.</div><figure><figcaption>This is what it was like
        when they were all there, and then it was not. It is so.</figcaption></figure>";
    let found = article(page, &Hints::default(), &Model::by_hand(), &Limits::default()).article;
    assert_eq!((found.fallback, found.text.lines().count()), (true, 2));
    let empty = article("", &Hints::default(), &Model::by_hand(), &Limits::default()).article;
    assert_eq!(empty.text, "");
    assert_eq!(empty.page_type, PageType::Unknown);
}

#[test]
fn baselines_take_all_blocks() {
    let page = "<p>a<script>var x</script><button>b</button><p>c";
    let text = |model: &Model| {
        PageBlocks::read(page, model.profile(), &Limits::default()).blocks.text.replace('\n', "|")
    };
    assert_eq!(text(&Model::tb()), "a|var x|b|c|");
    assert_eq!(text(&Model::pr()), "a c|");
}

proptest::proptest! {
    #[test]
    fn any_text_ends_and_ends_the_same(html in "(<(/?(p|h1|h2|div|figure|img|a href=x|ul|li|article|div id=comments|time|svg|table))>|[a-zA-Z]{1,8}|[ .,!]|今天|©|By ){0,80}") {
        for model in [Model::by_hand(), Model::pr(), Model::tb()] {
            let once = article(&html, &Hints::default(), &model, &Limits::default());
            let twice = article(&html, &Hints::default(), &model, &Limits::default());
            proptest::prop_assert_eq!(&once.article, &twice.article);
            let words = |t: &str| text::stats(t, &[]).words;
            let all: u32 = once.article.blocks.iter().map(|b| words(&b.text)).sum();
            proptest::prop_assert!(words(&once.article.text) <= all);
        }
    }
}
