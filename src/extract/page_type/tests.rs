//! Whole pages of our own, read as the crawler reads them.

use crate::extract::text::phrases::plain;
use crate::extract::{Hints, Limits, Model, article};
use crate::model::PageType;

const NAV: &str =
    "<nav><ul><li><a href=/>Home</a><li><a href=/s>Sport</a><li><a href=/w>Wetter</a></ul></nav>";
const FOOTER: &str =
    "<footer><p><a href=/i>Imprint</a> <a href=/p>Privacy</a> © The Daily</footer>";
const DATED: &str = "<script type=application/ld+json>{\"@type\":\"NewsArticle\",\"headline\":\"Gone\",\
    \"datePublished\":\"2026-11-20T10:00:00Z\"}</script>";
const TEXT: &str = "<p>The bridge over the Ells was closed on Monday because the river had risen again, \
    and it will not be opened before the end of the week. The mayor said that she was sorry.</p>";

/// A text of so many paragraphs; no two are alike.
fn text(paragraphs: usize) -> String {
    const DAYS: [&str; 6] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
    let of = |day: &&str| {
        format!(
            "<p>On {day} the engineers of {day}'s shift looked at the bridge over the Ells again, and said that \
             what they had seen on {day} was not what they had hoped to see. They will be back.</p>"
        )
    };
    DAYS.iter().take(paragraphs).map(of).collect()
}

fn page(title: &str, body: &str) -> String {
    format!(
        "<html><head><title>{title}</title></head><body>{NAV}<main>{body}</main>{FOOTER}</body></html>"
    )
}

fn check(title: &str, body: &str, expect: PageType) {
    let found =
        article(&page(title, body), &Hints::default(), &Model::embedded(), &Limits::default());
    assert_eq!(found.article.page_type, expect, "{title}: {body}\n{}", found.article.text);
}

#[test]
fn pages_that_are_gone_say_so() {
    for (title, heading, text) in [
        (
            "The Daily",
            "Sorry, this page no longer exists",
            "Try the search or go back to the front page.",
        ),
        ("404 | The Daily", "Oops!", "It seems that nothing lives at this address any more."),
        (
            "Page not found - The Daily",
            "Nothing here",
            "We looked everywhere. You may go to the front page and look again.",
        ),
        (
            "The Daily",
            "The Daily",
            "We are sorry, the article you are looking for has moved or was never here.",
        ),
        (
            "Seite nicht gefunden – Bote",
            "Hoppla",
            "Die gewünschte Adresse führt leider nirgendwohin.",
        ),
        (
            "Bote",
            "Fehler",
            "Der Artikel ist nicht mehr verfügbar. Zurück zur Startseite kommen Sie hier.",
        ),
        ("Le Jour", "Cette page n’existe plus", "Revenez à l’accueil ou essayez la recherche."),
        ("El Día", "Página no encontrada", "Puede volver a la portada."),
        ("O Dia", "Não encontramos a página", "Volte à página inicial ou use a busca."),
        ("Il Giorno", "Pagina non trovata", "Torna alla prima pagina."),
        ("Dzień", "Strona nie istnieje", "Wróć na stronę główną albo skorzystaj z wyszukiwarki."),
        ("День", "Страница не найдена", "Вернитесь на главную или воспользуйтесь поиском."),
        ("Gün", "Aradığınız sayfa bulunamadı", "Ana sayfaya dönebilirsiniz."),
        ("اليوم", "الصفحة غير موجودة", "يمكنك العودة إلى الصفحة الرئيسية."),
        ("روز", "صفحه مورد نظر یافت نشد", "به صفحهٔ نخست برگردید."),
        ("दिन", "पृष्ठ नहीं मिला", "मुख्य पृष्ठ पर वापस जाएँ।"),
        ("Hari", "Halaman tidak ditemukan", "Silakan kembali ke beranda."),
        ("日報", "お探しのページは見つかりませんでした", "トップページに戻ってください。"),
        ("日报", "抱歉，您访问的页面不存在", "请返回首页。"),
        ("일보", "페이지를 찾을 수 없습니다", "첫 화면으로 돌아가 주세요."),
    ] {
        check(title, &format!("<h1>{heading}</h1><p>{text}</p>"), PageType::Missing);
        // What day it is says nothing of the page.
        let clock =
            "<header><time datetime=2026-11-20T10:00>Friday, 20 November 2026</time></header>";
        check(title, &format!("{clock}<h1>{heading}</h1><p>{text}</p>"), PageType::Missing);
    }
}

#[test]
fn broken_and_barred_pages_say_so() {
    for (title, heading, text) in [
        (
            "Just a moment...",
            "daily.test",
            "Checking your browser before you can go on. This takes a few seconds.",
        ),
        ("503", "Service unavailable", "The server is busy. Try again in a while."),
        (
            "Access denied",
            "Access denied",
            "You don't have permission to access this address on this server.",
        ),
        ("The Daily", "We are down for maintenance", "It will not take long."),
        ("Bote", "Wartungsarbeiten", "Wir sind gleich wieder da."),
        ("Le Jour", "Une erreur est survenue", "Réessayez dans un instant."),
        ("День", "Доступ запрещен", "Попробуйте позже."),
        ("日报", "系统维护", "请稍后再来。"),
    ] {
        check(title, &format!("<h1>{heading}</h1><p>{text}</p>"), PageType::Broken);
    }
}

#[test]
fn walls_that_ask_for_consent_are_told_by_words_and_by_the_platform() {
    for (heading, text, accept) in [
        (
            "We value your privacy",
            "We and our 800 partners store cookies on your device to show ads and to measure how they do. You may change your mind at any time.",
            "Accept all",
        ),
        (
            "Weiter mit Werbung",
            "Wir und unsere Partner verwenden Cookies, um Anzeigen zu zeigen und zu messen. Sie können das jederzeit widerrufen.",
            "Alle akzeptieren",
        ),
        (
            "Le respect de votre vie privée",
            "Nous et nos partenaires utilisons des cookies pour mesurer la publicité. Vous pouvez changer d’avis.",
            "Tout accepter",
        ),
        (
            "Szanujemy Twoją prywatność",
            "My i nasi partnerzy używamy plików cookie, aby pokazywać reklamy i mierzyć ich skuteczność.",
            "Akceptuję",
        ),
        (
            "Prima di continuare",
            "Noi e i nostri partner usiamo i cookie per mostrare annunci e misurarli.",
            "Accetta tutto",
        ),
        (
            "プライバシー設定",
            "当社とパートナーは広告のためにクッキーを使用します。いつでも変更できます。",
            "同意する",
        ),
    ] {
        let body = format!("<h1>{heading}</h1><p>{text}</p><button>{accept}</button>");
        check("The Daily", &body, PageType::Consent);
    }
    let platform = format!("<div id=onetrust-consent-sdk><h2>Hello</h2>{TEXT}</div>");
    check("The Daily", &platform, PageType::Consent);
}

#[test]
fn articles_about_such_pages_stay_articles() {
    // Long enough to be a text of its own.
    check(
        "Page not found: a short history",
        &format!("<h1>Page not found</h1>{}", text(6)),
        PageType::Article,
    );
    check(
        "Access denied: reporters barred",
        &format!("<h1>Access denied</h1>{}", text(3)),
        PageType::Article,
    );
    check("Bridge closed", &format!("<h1>Bridge closed</h1>{TEXT}"), PageType::Article);
    // Short, but dated as articles are.
    let dated = format!("{DATED}<h1>Error 404</h1>{TEXT}");
    check("Error 404", &dated, PageType::Article);
    let time = "<time datetime=2026-11-20>20 November 2026</time>";
    for title in ["Error 404", "Maintenance: bridge closed"] {
        let by = "<p><a href=/ann>Ann Archer</a></p>";
        check(title, &format!("<h1>{title}</h1>{by}{time}{TEXT}"), PageType::Article);
        check(title, &format!("{time}<h1>{title}</h1>{TEXT}"), PageType::Article);
    }
    // The dates of other articles.
    let others = format!("<h3><a href=/x>River rises by two metres</a></h3>{time}");
    check("Error 404", &format!("<h1>Error 404</h1>{others}{TEXT}"), PageType::Missing);
    // A part of a word, and a number amid a title.
    for title in ["Kestrel presents the K-404", "Score: 500: the town rejoices"] {
        check(title, &format!("<h1>{title}</h1>{TEXT}"), PageType::Article);
    }
    // About consent, with the site's own dialog below.
    let about = "<p>Cookies are what most sites ask about first, and most readers accept them without a look, \
        a study of four hundred readers in nine towns says. Who reads on is tired of it.</p>";
    let dialog = "<div class=cookie-banner><h2>We value your privacy</h2><p>We use cookies.</p><button>Accept all</button></div>";
    check(
        "Why readers say yes",
        &format!("<h1>Why readers say yes</h1>{about}{}{dialog}", text(3)),
        PageType::Article,
    );
}

#[test]
fn threads_are_told_by_what_their_software_says() {
    let posts = format!("<h1>Bridge closed</h1>{}", text(4));
    let thread = "<script type=application/ld+json>{\"@type\":\"DiscussionForumPosting\",\"headline\":\"Bridge closed\"}</script>";
    check("Bridge closed", &format!("{thread}{posts}"), PageType::Forum);
    check(
        "Bridge closed",
        &format!("<div itemscope itemtype=https://schema.org/DiscussionForumPosting>{posts}</div>"),
        PageType::Forum,
    );
    for marks in [
        "id=phpbb",
        "id=wpforo",
        "class='nav pg_viewthread'",
        "class='topic bbpress single single-topic'",
        "itemscope itemtype=https://schema.org/Question",
    ] {
        check("Bridge closed", &format!("<div {marks}>{posts}</div>"), PageType::Forum);
    }
    // Outlets have topics, too, and answer what is often asked.
    let asked = format!("<div itemscope itemtype=https://schema.org/Question>{posts}</div>");
    for body in [
        format!("<div class='single single-topic'>{posts}</div>"),
        format!("<div itemscope itemtype=https://schema.org/FAQPage>{asked}</div>"),
        format!("<article itemscope itemtype=https://schema.org/NewsArticle>{asked}</article>"),
    ] {
        check("Bridge closed", &body, PageType::Article);
    }
    // An article of a site that also has a forum.
    check("Bridge closed", &format!("{DATED}<div id=phpbb>{posts}</div>"), PageType::Article);
}

#[test]
fn lists_are_told_by_what_their_software_says() {
    let body = format!("<h1>Bridges</h1>{}", text(6));
    for (classes, expect) in [
        ("archive category category-bridges", PageType::Multiple),
        ("archive author author-anna paged-2", PageType::Multiple),
        // A text that is kept in an archive, and one of the archive's posts.
        ("archive", PageType::Article),
        ("archive category single single-post", PageType::Article),
        ("post-template archive category postid-12", PageType::Article),
        ("archives category", PageType::Article),
    ] {
        let html = page("Bridges", &body).replace("<body>", &format!("<body class='{classes}'>"));
        let found = article(&html, &Hints::default(), &Model::embedded(), &Limits::default());
        assert_eq!(found.article.page_type, expect, "{classes}");
    }
    // What is dated as articles are is one; teasers and share cards say nothing of the page.
    let kind = |marks: &str| {
        let told = page("Bridges", &format!("{marks}{body}"))
            .replace("<body>", "<body class='archive category'>");
        let found = article(&told, &Hints::default(), &Model::embedded(), &Limits::default());
        found.article.page_type
    };
    let published = "<meta property=article:published_time content=2026-11-20T10:00:00Z>";
    for marks in [DATED, published] {
        assert_eq!(kind(marks), PageType::Article, "{marks}");
    }
    for marks in [
        "<meta property=og:type content=article>",
        "<div itemscope itemtype=https://schema.org/Article><h2 itemprop=headline>One</h2>\
         <time itemprop=datePublished datetime=2026-11-20T10:00:00Z>20 November</time><p>More.</p></div>",
    ] {
        assert_eq!(kind(marks), PageType::Multiple, "{marks}");
    }
}

/// What is said of the bridge, by number; no two are alike.
fn said(number: usize) -> String {
    const WHO: [&str; 6] = ["Anna", "Bela", "Cem", "Dora", "Edit", "Femi"];
    const WHAT: [&str; 5] =
        ["the old piers", "the new railing", "the ferry", "the toll", "the north ramp"];
    let (who, what) = (WHO[number % 6], WHAT[number % 5]);
    format!(
        "{who} wrote to me that {what} will be next, and after {number} years of waiting I believe it at last."
    )
}

fn kind_at(url: &str, title: &str, body: &str) -> PageType {
    let hints = Hints { url: Some(url), ..Hints::default() };
    article(&page(title, body), &hints, &Model::embedded(), &Limits::default()).article.page_type
}

#[test]
fn lists_are_told_by_how_they_look() {
    let teaser = |n: usize| {
        format!(
            "<div class=teaser><a href=/{n}><img src=/{n}.jpg></a><h3><a href=/{n}>Bridge news number {n} of \
             the week</a></h3><span class=date>{n} November 2026</span><p>{}</p><a href=/{n}>Read more</a></div>",
            said(n)
        )
    };
    let teasers: String = (1..20).map(teaser).collect();
    let list = format!(
        "<h1>Bridges</h1><div class=archive>{teasers}</div><div class=pagination><a href=?page=2 rel=next>2</a></div>"
    );
    assert_eq!(
        kind_at("https://daily.example/category/bridges/", "Bridges | The Daily", &list),
        PageType::Multiple
    );
    // What linked data call an article is one, whatever it looks like.
    let told = |body: &str| kind_at("https://walkers.example/forum/t/77", "Bridges", body);
    assert!(told(&format!("{DATED}{list}")).outcome().is_none());
    // An article with a box of teasers below it, and one with what readers say of it.
    let few: String = (1..7).map(teaser).collect();
    let article = format!("{DATED}<article><h1>Bridge closed</h1>{}</article>", text(6));
    let at = "https://daily.example/2026/11/20/bridge-over-the-ells-closed";
    assert_eq!(
        kind_at(at, "Bridge closed", &format!("{article}<aside><h2>More</h2>{few}</aside>")),
        PageType::Article
    );
    // Whoever comments decides nothing, however many they are and whatever they write.
    let comment = |n: usize| {
        format!("<li class=comment><b class=author>walker{n}</b><p>{}</p></li>", said(n))
    };
    for (count, marks) in [(7, DATED), (7, ""), (60, ""), (400, "")] {
        let comments: String = (1..count).map(comment).collect();
        let body = format!(
            "{marks}<article><h1>Bridge closed</h1>{}</article><div id=comments><ol>{comments}</ol></div>",
            text(6)
        );
        let found = kind_at(at, "Bridge closed", &body);
        assert!(found.outcome().is_none(), "{count} comments: {found:?}");
    }
}

#[test]
fn some_addresses_say_enough() {
    let posts: String =
        (1..8).map(|n| format!("<div><b>walker{n}</b><p>{}</p></div>", said(n))).collect();
    let body = format!("<h1>Bridge closed</h1>{posts}");
    let kind = |url: &str, marks: &str| kind_at(url, "Bridge closed", &format!("{marks}{body}"));
    assert_eq!(kind("https://walkers.example/viewtopic.php?t=77", ""), PageType::Forum);
    assert_eq!(kind("https://walkers.example/", ""), PageType::Multiple);
    // What linked data call an article is one, wherever it stands.
    for url in ["https://walkers.example/forum/bridges/77", "https://walkers.example/"] {
        assert!(kind(url, DATED).outcome().is_none(), "{url}");
    }
    // Sections of opinion are called forums, too: what its head calls an article is one there, but for threads' numbers.
    let shared = "<meta property=og:type content=article>";
    let dated = "<meta property=article:published_time content=2026-11-20T10:00:00Z>";
    let head = format!("{shared}{dated}");
    let opinion = "https://daily.example/forum/why-the-bridge-must-go";
    for url in [opinion, "https://daily.example/forum/2026/11/20/why-the-bridge-must-go"] {
        assert!(kind(url, &head).outcome().is_none(), "{url}");
    }
    for marks in ["", shared, dated] {
        assert_eq!(kind(opinion, marks), PageType::Forum, "{marks}");
    }
    for url in [
        "https://walkers.example/forum/3-bridges/77-closed",
        "https://walkers.example/forums/topic/bridges",
    ] {
        assert_eq!(kind(url, &head), PageType::Forum, "{url}");
    }
}

#[test]
fn a_beginning_is_an_article_and_says_that_it_is_partial() {
    let html = page(
        "Bridge closed",
        &format!("<h1>Bridge closed</h1>{TEXT}<div>Subscribe to continue reading.</div>"),
    );
    let found = article(&html, &Hints::default(), &Model::embedded(), &Limits::default()).article;
    assert_eq!(found.page_type, PageType::Article);
    assert_eq!(found.signals, ["partial"]);
    assert!(found.text.starts_with("The bridge"));
}

#[test]
fn every_list_is_of_phrases() {
    for lines in [
        include_str!("missing.txt"),
        include_str!("broken.txt"),
        include_str!("consent.txt"),
        include_str!("accept.txt"),
        include_str!("../text/paid.txt"),
        include_str!("../text/offers.txt"),
        include_str!("../assign/related.txt"),
        include_str!("../text/comments.txt"),
        include_str!("../assign/controls.txt"),
    ] {
        let mut keys = std::collections::HashSet::new();
        for line in lines.lines() {
            let (key, phrases) = line.split_once(": ").expect("a language");
            // "en", "en, counted".
            let language = key.split(", ").next().expect("a language");
            assert!(language.len() == 2 && keys.insert(key), "{line}");
            assert!(phrases.split("; ").all(|p| !plain(p).is_empty()), "{line}");
        }
    }
}
