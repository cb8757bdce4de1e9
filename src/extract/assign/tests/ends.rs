//! What stands above the title, far behind the article and at its end.

use super::*;

#[test]
fn what_is_less_sure_far_behind_the_article_is_no_text() {
    let menu =
        "<p>All of the local news, the harbour, the yard and the weather of today</p>".repeat(3);
    let poll = "<p>Polled: will the bridge stay closed for the rest of the year?</p>";
    let near = format!("<div><h1>Bridge closed</h1>{}</div>{menu}", P.repeat(6));
    let texts = |far: &str, polled: f32| {
        let page = format!("{near}<div>{far}</div>");
        let score = |text: &str| match text.split(' ').next() {
            Some("The") => 0.95,
            Some("Road") => 0.9,
            Some("Polled:") => polled,
            _ => 0.1,
        };
        texts_of(&page, "Bridge closed", score).len()
    };
    assert_eq!(texts(poll, 0.6), 6);
    assert_eq!(texts(poll, 0.9), 7);
    assert_eq!(texts(&poll.repeat(3), 0.6), 6);
    // More than half as long as the article: a part of it.
    assert_eq!(texts(&poll.repeat(4), 0.6), 10);
    // Comments make a second part no less sure.
    let part = "<p>Road by road: what is open, what is closed and since when</p>".repeat(2);
    assert_eq!(texts(&format!("{part}<div class=comments>{poll}</div>"), 0.5), 8);
    assert_eq!(texts(&format!("{part}<h3>2 comments</h3></div><div>{poll}"), 0.5), 8);
}

#[test]
fn what_is_not_sure_above_the_title_is_no_text() {
    let notice = "<p>Please turn on scripts to read all that this site offers you</p>";
    let score = |text: &str, notice: f32| match text.split(' ').next() {
        Some("The") => 0.95,
        Some("Please") => notice,
        _ => 0.1,
    };
    let of = |above: &str, below: &str, notice: f32| {
        let page = format!("{above}<h1>Bridge closed</h1>{below}");
        texts_of(&page, "Bridge closed", |text| score(text, notice)).len()
    };
    let texts = |behind: usize, notice_is: f32| of(notice, &P.repeat(behind), notice_is);
    assert_eq!(texts(6, 0.8), 6);
    assert_eq!(texts(6, 0.9), 7);
    // What is below may be a line of another text.
    assert_eq!(texts(4, 0.8), 5);
    let comments = format!("<div class=comments>{}</div>", P.repeat(4));
    assert_eq!(of(notice, &format!("{}{comments}", P.repeat(4)), 0.8), 5);
    // So much above may be a part of the text, …
    assert_eq!(of(&notice.repeat(3), &P.repeat(6), 0.8), 6);
    assert_eq!(of(&notice.repeat(4), &P.repeat(6), 0.8), 10);
    // … and so may what is named a lead or stands in the element of the article.
    assert_eq!(of(&notice.replace("<p>", "<p class=summary>"), &P.repeat(6), 0.8), 7);
    assert_eq!(of(&format!("<article>{notice}"), &P.repeat(6), 0.8), 7);
    assert_eq!(of(&format!("<article>{notice}</article><article>"), &P.repeat(6), 0.8), 6);
}

#[test]
fn an_article_does_not_end_in_links_before_a_credit() {
    use Label::*;
    let link = "<p><a href=/x>Water stands higher than ever before in the old town today</a></p>";
    let note = "<p>Ada Lorn and Jo Doe in Paris contributed to this report on the river</p>";
    check(
        &format!("{P}{link}{P}{link}{note}"),
        "",
        &[],
        &[Paragraph, Paragraph, Paragraph, None, Credit],
    );
    // An address that is printed, and links alone.
    let address = link.replace(">Water", ">https://river.example says that water");
    check(&format!("{P}{address}{note}"), "", &[], &[Paragraph, Paragraph, Credit]);
    check(&format!("{link}{note}"), "", &[], &[Paragraph, Credit]);
}

#[test]
fn an_article_does_not_end_in_a_heading() {
    let heading = "<h2>What else has happened on the river in all of these years</h2>";
    assert_eq!(texts_of(&format!("{P}{heading}{P}{heading}"), "", |_| 0.9).len(), 3);
    // Unless there is nothing else.
    assert_eq!(texts_of(heading, "", |_| 0.9).len(), 1);
}
