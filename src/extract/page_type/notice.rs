//! Pages that are no article and say so: one that is gone, one that is broken or bars the way, one
//! that asks for consent first.
//!
//! They answer with status 200 like any other page, so only their words tell. What they say is looked for
//! in titles and headings, part by part, and in a text of a few lines; never in a text of some length,
//! and, but for a text of a line or two, never on a page whose markup dates it like an article. So an
//! article about such pages stays one (measured: docs/page-types.md).
//!
//! Must not know: labelers, what becomes of such pages.

use std::collections::HashSet;
use std::sync::OnceLock;

use foldhash::fast::FixedState;

use crate::extract::assign::Consent;
use crate::extract::page::PageBlocks;
use crate::extract::text::phrases::{Beginnings, Phrases, begins_word, listed, plain};
use crate::html::name;
use crate::model::{Label, PageType};

/// With more words than this, a page whose title says that it is gone has a text all the same.
const GONE_WORDS: u32 = 150;
/// The same of a page whose title says that it is broken: news have such titles, too.
const BROKEN_WORDS: u32 = 80;
/// A text of so many words is nothing but the notice that it holds …
const NOTICE_WORDS: u32 = 60;
/// … and one of so many even on a page that is dated like an article.
const LINE_WORDS: u32 = 30;
/// Dialogs that ask for consent explain themselves in at most so many words.
const CONSENT_WORDS: u32 = 600;
/// A title or heading that is a notice has at most so many words in a part.
const HEAD_WORDS: usize = 12;
/// Buttons say at most so much.
const BUTTON_WORDS: u32 = 6;

/// What stands between the parts of a title.
const BARS: [char; 11] = ['|', '–', '—', '·', '•', '»', '«', ':', '：', '.', '!'];
/// The same, but within a word it is a part of it: "K-404".
const HYPHEN: &str = " - ";
/// Parts of titles that are notices as a whole.
const GONE: [&str; 12] = [
    "404",
    "404 error",
    "error 404",
    "fehler 404",
    "erreur 404",
    "http 404",
    "404 page",
    "not found",
    "404 not found",
    "410 gone",
    "ошибка 404",
    "エラー404",
];
const BROKEN: [&str; 13] = [
    "403",
    "403 forbidden",
    "500",
    "502",
    "503",
    "error 403",
    "error 500",
    "error 503",
    "error",
    "forbidden",
    "just a moment",
    "one moment please",
    "robot check",
];
/// How words that mean cookies begin, or what holds them where words are not parted.
const COOKIES: [&str; 25] = [
    "cookie",
    "evästei",
    "çerez",
    "slapuk",
    "sīkdat",
    "küpsis",
    "kolačić",
    "piškot",
    "süti",
    "galetes",
    "kakor",
    "informasjonskapsl",
    "бисквитк",
    "файлы cookie",
    "クッキー",
    "쿠키",
    "คุกกี้",
    "कुकी",
    "کوکی",
    "کوکیز",
    "تعريف الارتباط",
    "עוגיות",
    "gdpr",
    "rgpd",
    "dsgvo",
];

/// What pages of these kinds say; and what they print on the button that lets readers in.
struct Known {
    missing: Phrases,
    broken: Phrases,
    consent: Phrases,
    accept: HashSet<String, FixedState>,
    /// How what is on the button begins.
    accepting: Beginnings,
}

fn known() -> &'static Known {
    static KNOWN: OnceLock<Known> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let accept: HashSet<String, FixedState> = listed(include_str!("accept.txt")).collect();
        Known {
            missing: Phrases::new(include_str!("missing.txt")),
            broken: Phrases::new(include_str!("broken.txt")),
            consent: Phrases::new(include_str!("consent.txt")),
            accepting: Beginnings::of(&accept),
            accept,
        }
    })
}

/// What a page is that says of itself that it is no article. `dated`: its markup says when it was
/// published, as that of articles does.
pub(super) fn notice(page: &PageBlocks, labels: &[Label], dated: bool) -> Option<PageType> {
    let content = || labels.iter().enumerate().filter(|(_, l)| l.is_content()).map(|(i, _)| i);
    let words: u32 = content().filter_map(|i| page.stats.get(i)).map(|s| s.words).sum();
    if words > CONSENT_WORDS {
        return None;
    }
    let consent = || asks(page, content(), words, dated).then_some(PageType::Consent);
    if words > GONE_WORDS {
        return consent();
    }
    let known = known();
    if !dated {
        for head in heads(page) {
            if GONE.contains(&head.as_str()) || known.missing.mostly(&head) {
                return Some(PageType::Missing);
            }
            let broken = BROKEN.contains(&head.as_str()) || known.broken.mostly(&head);
            if broken && words <= BROKEN_WORDS {
                return Some(PageType::Broken);
            }
        }
    }
    if words <= if dated { LINE_WORDS } else { NOTICE_WORDS } {
        let text: String = content().map(|i| page.text(i)).collect::<Vec<_>>().join(" ");
        let text = plain(&text);
        if known.missing.within(&text).is_some() {
            return Some(PageType::Missing);
        }
        if known.broken.within(&text).is_some() {
            return Some(PageType::Broken);
        }
    }
    consent()
}

/// Is what was taken for the text a dialog that asks for consent?
fn asks(
    page: &PageBlocks,
    content: impl Iterator<Item = usize> + Clone,
    words: u32,
    dated: bool,
) -> bool {
    let words_of = |i: usize| page.stats.get(i).map_or(0, |s| s.words);
    let mut consent = Consent::new(page);
    let of_platform = content.clone().filter(|&i| consent.asks(i)).map(words_of);
    if words > 0 && of_platform.sum::<u32>() * 5 >= words * 4 {
        return true;
    }
    let known = known();
    let button = |i: &usize| {
        let text = page.text(*i);
        (1..=BUTTON_WORDS).contains(&words_of(*i))
            && known.accepting.may_begin(text)
            && known.accept.contains(&plain(text))
    };
    if dated || !(0..page.len()).any(|i| button(&i)) {
        return false;
    }
    let (mut about, mut asked) = (0, heads(page).iter().any(|h| known.consent.mostly(h)));
    for i in content {
        let text = plain(page.text(i));
        let asks = known.consent.within(&text).is_some();
        asked |= asks;
        if asks || COOKIES.iter().any(|stem| begins_word(&text, stem)) {
            about += words_of(i);
        }
    }
    asked && about * 2 >= words && (about > 0 || words == 0)
}

/// Parts of the page's title and its first headings, in [`plain`] form, and each of them whole.
fn heads(page: &PageBlocks) -> Vec<String> {
    let dom = &page.dom;
    let title =
        dom.descend(dom.root()).find(|&id| dom.tag(id).is_some_and(|t| t == name!("title")));
    let title: Option<String> = title.map(|id| dom.text_of(id));
    let headings =
        page.iter().enumerate().filter(|(_, (block, _))| (1..=2).contains(&block.heading));
    let headings = headings.take(3).map(|(index, _)| page.text(index).to_owned());
    let lines = title.into_iter().chain(page.evidence.title.clone()).chain(headings);
    let mut heads = Vec::new();
    for line in lines {
        let parts = line.split(HYPHEN).flat_map(|part| part.split(BARS)).map(plain);
        let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
        let last = parts.len().saturating_sub(1);
        let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let told = parts.into_iter().enumerate();
        // Amid a title a number is the day, the price or the score.
        let told = told.filter(|(at, part)| *at == 0 || *at == last || !is_number(part));
        heads.extend(told.map(|(_, part)| part));
        heads.push(plain(&line));
    }
    heads.retain(|head| {
        !head.is_empty() && head.split(' ').count() <= HEAD_WORDS && head.chars().count() <= 120
    });
    heads
}
