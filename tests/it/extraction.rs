//! Any bytes at all become an article: within the limits, without a panic, the same every time.

use crawler::decode;
use crawler::extract::{self, Hints, Limits, Model, PageBlocks};
use proptest::prelude::*;

/// Small enough that pages of a few kilobytes reach each of them.
const LIMITS: Limits = Limits { depth: 24, nodes: 400, attributes: 60, blocks: 12, bytes: 3_000 };

/// Bytes of pages and of what is none: markup that nests, repeats and breaks off, words of many
/// scripts, linked data, declarations of other encodings, plain noise.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    const PIECES: [&str; 28] = [
        "<div class='article-body' id=x>",
        "</div>",
        "<p>",
        "<h1>",
        "<table><tr><td>",
        "<b><i>",
        "</b>",
        "<svg><path d='M0'/>",
        "<math><mi>",
        "<template>",
        "<select><option>",
        "<script type='application/ld+json'>{\"@type\":\"NewsArticle\",\"headline\":\"Bridge\"",
        ",\"datePublished\":\"2026-11-20T10:00:00Z\"}",
        "</script>",
        "<script>",
        "<style>",
        "<!--",
        "-->",
        "<meta charset=windows-1251>",
        "<meta property=og:title content='Bridge closed'>",
        "<time datetime=2026-11-20>",
        "<a href=/x>",
        "<img><figure><figcaption>",
        "<div id=comments>",
        "It rained on Monday, and the bridge was closed. Nobody may cross it for now. ",
        "今天天气很好。 Газпром ",
        "&amp;&lt;&nosuch;&#x110000;",
        "By Ada Lorn, 20 November 2026 ",
    ];
    let piece = prop_oneof![
        8 => prop::sample::select(&PIECES[..]).prop_map(|p| p.as_bytes().to_vec()),
        1 => (prop::sample::select(&PIECES[..]), 1..60usize).prop_map(|(p, n)| p.repeat(n).into_bytes()),
        1 => prop::collection::vec(any::<u8>(), 0..40),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_bytes_end_within_the_limits_and_the_same(bytes in bytes(), kind in "(text/html(; charset=[a-z0-9-]{1,12})?)?") {
        let text = decode::html(&bytes, Some(&kind), None).text;
        prop_assert_eq!(&text, &decode::html(&bytes, Some(&kind), None).text);
        for model in [Model::embedded(), Model::by_hand()] {
            let page = PageBlocks::read(&text, model.profile(), &LIMITS);
            // The document, head, body and what the token at the limit still made come on top.
            prop_assert!(page.dom.nodes.len() <= LIMITS.nodes as usize + 32);
            let deepest = (0..page.dom.nodes.len() as u32).map(|n| page.dom.ancestors(n).count()).max();
            prop_assert!(deepest <= Some(LIMITS.depth as usize + 16));
            let once = extract::article(&text, &Hints::default(), &model, &LIMITS);
            prop_assert_eq!(once.article.blocks.len(), page.len());
            prop_assert!(page.len() <= LIMITS.blocks as usize);
            prop_assert!(page.blocks.text.len() as u64 <= 4 * LIMITS.bytes);
            if text.len() as u64 > LIMITS.bytes {
                prop_assert!(once.limit.is_some());
            }
            let twice = extract::article(&text, &Hints::default(), &model, &LIMITS);
            prop_assert_eq!(once.article, twice.article);
        }
    }
}

/// What every Arabic page below says, one paragraph each.
const ARABIC: [&str; 4] = [
    "أعلنت وزارة النقل يوم الاثنين أن الجسر القديم في وسط المدينة أغلق بعد ارتفاع منسوب النهر، وأنه لن \
     يفتح قبل نهاية الأسبوع.",
    "وقال رئيس البلدية إن فرق الصيانة بدأت العمل منذ الصباح الباكر، مضيفا: «سلامة السكان أهم من أي شيء آخر».",
    "ومن المتوقع أن تستغرق أعمال الإصلاح نحو ثلاثة أيام، وستوفر شركة سيمنز معدات القياس اللازمة لفحص الأعمدة.",
    "وكانت السلطات قد حذرت في وقت سابق من خطر الفيضانات، ودعت المواطنين إلى استخدام الطرق البديلة.",
];

/// Arabic articles in the make-ups that news sites use today; no labelled corpus holds any, so these
/// are ours.
#[test]
fn arabic_articles_are_read_whole_and_alone() {
    let paragraphs: String = ARABIC.iter().map(|p| format!("<p>{p}</p>")).collect();
    let divided: String = ARABIC.iter().map(|p| format!("<div class=c1>{p}</div>")).collect();
    let broken = ARABIC.join("<br><br>");
    let menu = "<ul><li><a href=/>الرئيسية</a><li><a href=/s>سياسة</a><li><a href=/e>اقتصاد</a>\
        <li><a href=/r>رياضة</a></ul>";
    let more = "<h3>اقرأ أيضا</h3><ul><li><a href=/1>سيمنز تفتح مصنعا جديدا في العاصمة</a><li>\
        <a href=/2>أمطار غزيرة متوقعة خلال الأيام المقبلة</a><li><a href=/3>ارتفاع أسعار الوقود</a></ul>";
    let comments = "<div id=comments class=comments><h3>التعليقات</h3><p>أتمنى أن يفتح الجسر قريبا \
        لأن الطريق الآخر مزدحم جدا كل صباح.</p></div>";
    let pages = [
        format!(
            "<nav>{menu}</nav><article><h1>إغلاق الجسر القديم</h1>{paragraphs}</article>\
             <aside>{more}</aside>{comments}<footer>جميع الحقوق محفوظة</footer>"
        ),
        format!(
            "<div class=menu>{menu}</div><div class=page><h1>إغلاق الجسر القديم</h1><div \
             class=details>{divided}</div><div class=related>{more}</div></div>{comments}\
             <div class=footer>جميع الحقوق محفوظة</div>"
        ),
        format!(
            "<table><tr><td>{menu}<td><h1>إغلاق الجسر القديم</h1><div class=news>{broken}</div>\
             <td>{more}</table><p>جميع الحقوق محفوظة</p>"
        ),
    ];
    for page in pages {
        let html = format!("<html lang=ar dir=rtl><title>إغلاق الجسر القديم</title><body>{page}");
        let found =
            extract::article(&html, &Hints::default(), &Model::embedded(), &Limits::default());
        let text: Vec<&str> = found.article.text.lines().collect();
        assert_eq!(text, ARABIC, "{html}");
        let language = found.article.language.map(|l| l.value);
        assert_eq!(language.as_deref(), Some("ar"));
    }
}
