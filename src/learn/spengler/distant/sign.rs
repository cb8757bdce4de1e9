//! The signs: what a leaf's link, markup, printed metadata, names and words tell.
//!
//! The lists are narrow: a label that is missed costs a training leaf, a wrong one teaches an error.
//! Must not know: the gold beyond where the article stands.

use super::leaf::Leaf;
use super::said::Said;
use crate::extract::text::squeeze;
use crate::learn::spengler::marks;
use crate::model::Label;

/// Names of an article's lead.
pub const LEAD: &[&str] = &[
    "lead",
    "lede",
    "intro",
    "introduction",
    "standfirst",
    "ingress",
    "vorspann",
    "chapo",
    "sapo",
];
/// Where links lead that share the page they stand on.
const SHARES: &[&str] = &[
    "facebook.com/share",
    "facebook.com/dialog",
    "twitter.com/intent",
    "twitter.com/share",
    "twitter.com/home?status",
    "x.com/intent",
    "x.com/share",
    "linkedin.com/share",
    "pinterest.com/pin/create",
    "reddit.com/submit",
    "wa.me/?",
    "api.whatsapp.com/send",
    "whatsapp://send",
    "t.me/share",
    "telegram.me/share",
    "tumblr.com/share",
    "tumblr.com/widgets/share",
    "digg.com/submit",
    "del.icio.us/post",
    "delicious.com/save",
    "delicious.com/post",
    "stumbleupon.com/submit",
    "vk.com/share",
    "vkontakte.ru/share",
    "connect.ok.ru",
    "xing.com/spi",
    "line.me/r/msg",
    "line.naver.jp",
    "getpocket.com/save",
    "share.flipboard.com",
    "bsky.app/intent",
    "threads.net/intent",
    "news.ycombinator.com/submitlink",
    "newsvine.com/_tools",
    "technorati.com/fav",
    "google.com/bookmarks",
    "plus.google.com/share",
    "myweb2.search.yahoo.com",
    "bookmarks.yahoo.com",
    "addthis.com/bookmark",
    "b.hatena.ne.jp/",
    "service.weibo.com/share",
];
const PRINT: &[&str] =
    &["print", "printer", "printable", "drucken", "imprimer", "imprimir", "stampa"];
const EMAIL: &[&str] =
    &["emailarticle", "emailthis", "sendtofriend", "emailafriend", "email-article", "mailarticle"];
const TAGS: &[&str] = &["tag", "tags", "keyword", "keywords", "taglist", "schlagwort", "etiqueta"];
const TOPICS: &[&str] =
    &["topic", "topics", "thema", "themen", "tema", "temas", "dossier", "sujet"];
const AUTHORS: &[&str] = &["author", "authors", "autor", "autoren", "auteur", "autore", "byline"];

/// Where the leaf's link leads.
pub fn link(leaf: &Leaf<'_>, said: &Said) -> Option<Label> {
    let href = leaf.of_link("href")?.trim().to_lowercase();
    if let Some(address) = href.strip_prefix("mailto:") {
        let near = said.near.contains(&leaf.at);
        return match address.split_once('?') {
            Some(("", _)) => Some(Label::EmailArticle),
            _ => near.then_some(Label::Contact),
        };
    }
    if SHARES.iter().any(|service| href.contains(service)) {
        return Some(Label::SocialBookmark);
    }
    let kind = leaf.of_link("type").unwrap_or_default();
    let path = href.split(['?', '#']).next().unwrap_or("").trim_end_matches('/');
    let feed = [".rss", ".rdf", ".atom", "/rss", "/feed", "/rss.xml", "/feed.xml", "/rss.php"];
    if kind.contains("rss") || kind.contains("atom") || feed.iter().any(|end| path.ends_with(end)) {
        return Some(Label::RssFeed);
    }
    if !said.near.contains(&leaf.at) {
        return None;
    }
    let rel = leaf.of_link("rel").unwrap_or_default().to_lowercase();
    let rel = |kind: &str| rel.split_ascii_whitespace().any(|r| r == kind);
    let segments: Vec<&str> = path.split(['/', '.', '_', '-']).collect();
    let leads = |words: &[&str]| words.iter().any(|word| segments.contains(word));
    let asks = |keys: &[&str]| keys.iter().any(|key| href.contains(key));
    let beside = leaf.at < said.first || leaf.at > said.last;
    if href.starts_with("javascript:") && href.contains("print(") || leads(PRINT) && beside {
        return Some(Label::PrintPage);
    }
    if EMAIL.iter().any(|word| href.contains(word)) {
        return Some(Label::EmailArticle);
    }
    if asks(&["page=all", "pagewanted=all", "singlepage", "fullpage", "pagewanted=print"]) {
        return Some(Label::SinglePage);
    }
    if rel("next") || beside && asks(&["page=2", "page=3", "page=4", "/page/2", "/page/3"]) {
        return Some(Label::NextPage);
    }
    if !beside {
        return None;
    }
    if rel("author") || leads(AUTHORS) && said.is_author(leaf) {
        return Some(Label::Author);
    }
    if rel("tag") || leads(TAGS) {
        return Some(Label::Tags);
    }
    leads(TOPICS).then_some(Label::Topics)
}

/// Elements and attributes that mean something.
pub fn markup(leaf: &Leaf<'_>, said: &Said) -> Option<Label> {
    if leaf.within("figcaption") {
        let credit = leaf.is_named(&["credit", "credits", "copyright", "source", "photographer"])
            || marks::supplement(leaf.text) == Label::Credit;
        return Some(if credit { Label::Credit } else { Label::Caption });
    }
    let near = said.near.contains(&leaf.at);
    let crumbs = leaf.is_named(&["breadcrumb", "breadcrumbs", "crumb", "crumbs"])
        || leaf.attr("itemtype").is_some_and(|kind| kind.contains("BreadcrumbList"));
    if crumbs && leaf.text.chars().any(char::is_alphanumeric) {
        let linked = leaf.of_link("href").is_some() && leaf.attr("aria-current").is_none();
        return Some(if linked { Label::Category } else { Label::CurrentPage });
    }
    if leaf.picture {
        let own = leaf.at + 8 >= said.first && leaf.at <= said.last && leaf.within("figure");
        return own.then_some(Label::Multimedia);
    }
    if !near || leaf.text.is_empty() {
        return None;
    }
    match leaf.attr("itemprop").as_deref() {
        Some("headline") if leaf.at < said.first && !said.titles.is_empty() => {
            return Some(Label::Title);
        }
        Some("alternativeHeadline") => return Some(Label::Subtitle),
        Some("datePublished" | "dateModified" | "dateCreated") => return Some(Label::Date),
        Some("articleSection") => return Some(Label::Category),
        Some("keywords") => return Some(Label::Tags),
        Some("copyrightHolder" | "copyrightYear") => return Some(Label::Copyright),
        Some("comment" | "commentText") => return Some(Label::Comment),
        Some("author") => return Some(author(leaf, said)),
        _ => {}
    }
    (leaf.within("time") && said.day(leaf).is_some()).then_some(Label::Date)
}

fn author(leaf: &Leaf<'_>, said: &Said) -> Label {
    if said.is_day(leaf) { Label::AuthorDate } else { Label::Author }
}

/// What the page says of its article is printed in the leaf.
pub fn metadata(leaf: &Leaf<'_>, said: &Said) -> Option<Label> {
    if !said.near.contains(&leaf.at) || leaf.text.is_empty() {
        return None;
    }
    let text = squeeze(leaf.text);
    let before = leaf.at < said.first;
    if before && said.titles.contains(&text) && (leaf.within("h1") || leaf.within("h2")) {
        return Some(Label::Title);
    }
    if before && said.is_description(&text) {
        return Some(Label::Subtitle);
    }
    if said.is_author(leaf) && (before || leaf.at > said.last) {
        return Some(author(leaf, said));
    }
    if said.is_day(leaf) {
        return Some(Label::Date);
    }
    if before && said.section.as_ref() == Some(&text) {
        return Some(Label::Category);
    }
    if leaf.at > said.last && leaf.of_link("href").is_some() && said.keywords.contains(&text) {
        return Some(Label::Tags);
    }
    let close = leaf.at + 12 >= said.first && !leaf.within("nav") && !leaf.within("footer");
    (close && said.site.as_ref() == Some(&text)).then_some(Label::Publisher)
}

/// Names of containers that hold nothing of the article's text.
pub fn name(leaf: &Leaf<'_>, said: &Said) -> Option<Label> {
    let advertisement = &[
        "ad",
        "ads",
        "advert",
        "advertisement",
        "advertising",
        "adsense",
        "adslot",
        "dfp",
        "gpt",
        "sponsored",
        "anzeige",
        "werbung",
        "publicidad",
        "publicite",
        "reklama",
        "outbrain",
        "taboola",
    ];
    if leaf.is_named(advertisement) {
        return Some(Label::Advertisement);
    }
    let after = leaf.at > said.last;
    let comments = &["comment", "comments", "commentlist", "disqus", "kommentare", "comentarios"];
    if after && !leaf.picture && leaf.is_named(comments) {
        return Some(Label::Comment);
    }
    if !said.near.contains(&leaf.at) {
        return None;
    }
    if leaf.is_named(&["share", "sharing", "sharebar", "shares", "bookmark", "bookmarks"]) {
        return Some(Label::SocialBookmark);
    }
    if leaf.is_named(&["recommend"]) {
        return Some(Label::Recommendation);
    }
    if leaf.is_named(&["caption", "captions", "bildunterschrift", "legende"]) && !leaf.picture {
        return Some(Label::Caption);
    }
    if leaf.is_named(&["credit", "credits", "photocredit"]) && !leaf.picture {
        return Some(Label::Credit);
    }
    if leaf.text.is_empty() {
        return None;
    }
    let linked = leaf.of_link("href").is_some();
    if linked && leaf.is_named(&["related", "relacionadas", "relacionados", "seealso", "correlati"])
    {
        return Some(Label::RelatedArticle);
    }
    if linked && leaf.is_named(TAGS) {
        return Some(Label::Tags);
    }
    if linked && after && leaf.is_named(TOPICS) {
        return Some(Label::Topics);
    }
    let dated = said.day(leaf).is_some();
    if dated && leaf.is_named(&["date", "datetime", "timestamp", "published", "dateline", "datum"])
    {
        return Some(Label::Date);
    }
    let short = leaf.text.split_whitespace().count() <= 8;
    if short && !dated && leaf.is_named(&["byline", "author", "authors", "autor", "auteur"]) {
        return Some(if after { Label::Contributor } else { Label::Author });
    }
    let deck = &["subtitle", "subheadline", "deck", "dek", "kicker", "standfirst", "overline"];
    let before = leaf.at < said.first && leaf.at + 12 >= said.first;
    (before && !linked && leaf.is_named(deck)).then_some(Label::Subtitle)
}

/// Words that say themselves what they are.
pub fn words(leaf: &Leaf<'_>, _: &Said) -> Option<Label> {
    let text = leaf.text.to_lowercase();
    let rights = ["©", "(c) 19", "(c) 20", "all rights reserved", "copyright 19", "copyright 20"];
    rights.iter().any(|sign| text.contains(sign)).then_some(Label::Copyright)
}
