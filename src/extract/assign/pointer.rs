//! Lines that point to other articles: "Read also: …", linked behind the colon, and lines that only announce what is
//! linked behind them. By the phrases of `related.txt`.
//!
//! Must not know: labelers, names of elements, other rules.

use std::collections::HashSet;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use foldhash::fast::FixedState;

use crate::extract::dom::Id;
use crate::extract::page::PageBlocks;
use crate::extract::segment::{LastLink, RawBlock};
use crate::extract::text::phrases::{Beginnings, listed, plain};
use crate::extract::text::{self, Stats, is_spaceless, is_word};
use crate::html::name;
use crate::model::is_ignorable;

/// A line that announces a list has at most so many words, …
pub(super) const LINE_WORDS: u32 = 8;
/// … and a headline behind what announces it so many, or twice as many where words are counted by characters.
pub(super) const POINTER_WORDS: u32 = 30;
/// What announces one has at most so many words, counted so.
const LABEL_WORDS: u32 = 16;
/// A headline has at least so many words.
const TITLE_WORDS: u32 = 2;
/// So many words of a title may stand outside of its link.
const SPARE: u32 = 1;

/// Does a block say nothing but that there are other articles: "Read more: …", each linked behind what announces it?
/// Labelers take it for text where it stands between paragraphs.
pub(super) fn is_pointer(page: &PageBlocks, index: usize, stats: &Stats) -> bool {
    let Some(block) = page.blocks.list.get(index) else { return false };
    let links = page.blocks.links_of(block);
    let count = links.len() as u32;
    let apart = stats.words.saturating_sub(stats.link_words);
    if stats.link_words == 0 || apart > LABEL_WORDS * count + SPARE {
        return false;
    }
    let text = page.text(index);
    if beginning(text).is_none() {
        return false;
    }
    let within = |at: u32| at.saturating_sub(block.range.start) as usize;
    let linked: Vec<_> = links.iter().map(|l| within(l.range.start)..within(l.range.end)).collect();
    let starts: Vec<usize> = linked.iter().map(|link| link.start).collect();
    let whole = apart == 0;
    let first = page.dom.text(block.first).filter(|first| first.len() <= KNOWN.reach());
    let edge = |told: &str| first.is_some_and(|first| plain(first) == told);
    // An address that is printed is part of what is said.
    if linked.iter().any(|link| text.get(link.clone()).is_some_and(|l| l.starts_with("http"))) {
        return false;
    }
    let Some(label) = label(text, &starts, whole, edge) else { return false };
    let title_words = if stats.spaceless * 2 > stats.chars { 2 } else { 1 } * POINTER_WORDS;
    let titles = text.get(label..).map_or(0, words);
    if titles < TITLE_WORDS || titles > title_words * count {
        return false;
    }
    // What is neither linked nor announces.
    let mut at = label;
    let mut rest = 0;
    let gaps = linked.iter().map(|link| (link.start, link.end)).chain([(text.len(), text.len())]);
    for (start, end) in gaps {
        if let Some(gap) = text.get(at..start) {
            let again = self::label(gap, &[gap.len()], false, |_| false).unwrap_or(0);
            rest += gap.get(again..).map_or(0, words);
        }
        at = at.max(end);
    }
    rest <= SPARE
}

fn words(text: &str) -> u32 {
    text::stats(text, &[]).words
}

/// Where the words of a line begin that may announce another article.
fn beginning(text: &str) -> Option<usize> {
    text.find(is_letter)
        .filter(|begin| text.get(*begin..).is_some_and(|text| KNOWN.may_begin(text)))
}

/// Where the words end that begin a line and announce another article, if a sign ends them or one of these `edges` does.
/// In a text that is linked as a `whole` the end of the element that the line begins with may (`is_element`).
fn label(
    text: &str,
    edges: &[usize],
    whole: bool,
    is_element: impl Fn(&str) -> bool,
) -> Option<usize> {
    let begin = beginning(text)?;
    let mut found = None;
    let mut ends = 0;
    let mut letters = text.get(begin..)?.char_indices().map(|(at, c)| (begin + at, c)).peekable();
    while let Some((at, c)) = letters.next() {
        let end = at + c.len_utf8();
        if end > begin + KNOWN.reach() || ends > LINE_WORDS {
            break;
        }
        let next = letters.peek().is_some_and(|&(_, next)| is_letter(next));
        if !is_letter(c) || next && !edges.contains(&end) {
            continue;
        }
        ends += 1;
        let told = plain(text.get(begin..end)?);
        if !KNOWN.begin(&told) {
            break;
        }
        let Some(strong) = KNOWN.announces_before(&told) else { continue };
        let sign = Sign::before(text.get(end..)?);
        let (signs, _) = signs_before(text.get(end..)?);
        let at_edge = edges.iter().any(|edge| (end..=end + signs).contains(edge));
        let ended = match sign {
            Sign::Parting => true,
            Sign::Ending => strong,
            // Many a headline begins with such words: "Full coverage of …".
            Sign::Blank => strong && (at_edge || whole && is_element(&told)),
            Sign::None => strong && at_edge,
        };
        if ended {
            found = Some(end);
        }
    }
    found
}

/// What stands behind a word.
enum Sign {
    None,
    Blank,
    /// What ends a sentence or a part of one: a headline may go on behind it.
    Ending,
    /// A colon, a bar, an arrow: anything else.
    Parting,
}

impl Sign {
    fn before(rest: &str) -> Sign {
        let (length, blank) = signs_before(rest);
        let signs = || rest.get(..length).unwrap_or_default().chars();
        // Signs that join the parts of a word do so where no blank is.
        let parts = |c: char| !is_blank(c) && !NAMES.contains(c) && !ENDING.contains(c);
        if signs().any(|c| parts(c) && (blank || !JOINING.contains(c))) {
            Sign::Parting
        } else if signs().any(|c| ENDING.contains(c)) && (blank || length == rest.len()) {
            Sign::Ending
        } else if blank {
            Sign::Blank
        } else {
            Sign::None
        }
    }
}

/// Signs that end sentences and parts of them, …
const ENDING: &str = ".,;!?…؟،؛。、，；！？।۔";
/// … that join words, …
const JOINING: &str = "-‐‑/・･";
/// … and that belong to the words behind them.
const NAMES: &str = "'’‘\"“”„‚«‹「『《([{（【#@$€£&%+*";

/// How many bytes before the next letter are none, and whether a blank is among them.
fn signs_before(rest: &str) -> (usize, bool) {
    let length = rest.find(is_letter).unwrap_or(rest.len());
    let signs = rest.get(..length).unwrap_or_default();
    (length, signs.contains(char::is_whitespace))
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || is_ignorable(c)
}

fn is_letter(c: char) -> bool {
    is_word(c) && !matches!(c, '\u{200D}' | '\u{FE0E}' | '\u{FE0F}')
}

/// Is a block nothing but a line that announces related articles?
pub(super) fn is_announcement(page: &PageBlocks, index: usize, stats: &Stats) -> bool {
    let text = page.text(index);
    stats.words <= LINE_WORDS && KNOWN.may_begin(text) && KNOWN.is_phrase(&plain(text))
}

/// Is what a block links to called something, and elsewhere? Headings may be links to themselves, and an address that is
/// printed is part of what is said.
pub(super) fn leads_on(page: &PageBlocks, index: usize, last: &mut LastLink<bool>) -> bool {
    let Some(block) = page.blocks.list.get(index) else { return false };
    let elsewhere =
        |id: Id| page.dom.value(id, name!("href")).is_none_or(|href| !href.trim().starts_with('#'));
    !page.text(index).starts_with("http")
        && page.blocks.links_of(block).iter().all(|link| last.of(link, elsewhere))
}

/// Does a line end as headlines do that ask or call?
pub(super) fn asks(line: &str) -> bool {
    let line = line.trim_end_matches(|c: char| !c.is_alphanumeric() && !"?!？！؟".contains(c));
    line.ends_with(['?', '!', '？', '！', '؟'])
}

/// Does the text before a block's first link announce it ("Read more: …")?
pub(super) fn announces_before_link(page: &PageBlocks, block: &RawBlock, index: usize) -> bool {
    let Some(link) = page.blocks.links_of(block).first() else { return false };
    let before = (link.range.start.saturating_sub(block.range.start)) as usize;
    page.text(index).get(..before).is_some_and(announces)
}

/// Is a line one of those that announce related articles, whatever follows its first words?
pub(super) fn announces(line: &str) -> bool {
    let spaceless = !line.is_ascii() && line.chars().any(is_spaceless);
    if !spaceless && !KNOWN.may_begin(line) {
        return false;
    }
    let line = plain(line);
    if spaceless && line.chars().any(is_spaceless) {
        return KNOWN.within.is_match(&line);
    }
    let ends = line.match_indices(' ').map(|(at, _)| at).chain([line.len()]);
    ends.take_while(|&end| end <= KNOWN.longest)
        .any(|end| KNOWN.words.contains(line.get(..end).unwrap_or("")))
}

static KNOWN: LazyLock<Known> = LazyLock::new(Known::new);

/// The phrases of `related.txt`.
struct Known {
    words: HashSet<String, FixedState>,
    /// No phrase of words is longer, in bytes.
    longest: usize,
    spaceless: HashSet<String, FixedState>,
    /// The same, to be found within a line.
    within: AhoCorasick,
    /// What points to another article only right before its title.
    before: HashSet<String, FixedState>,
    /// How all of these begin.
    beginnings: Beginnings,
    /// All of these, in order.
    all: Vec<String>,
}

impl Known {
    fn new() -> Known {
        let lines = |before: bool| {
            let all = include_str!("related.txt").lines();
            let is_before = |line: &str| {
                line.split(':').next().is_some_and(|key| key.ends_with(", before a title"))
            };
            all.filter(move |line| is_before(line) == before).flat_map(listed)
        };
        type Set = HashSet<String, FixedState>;
        let (spaceless, words): (Set, Set) =
            lines(false).partition(|phrase| phrase.chars().any(is_spaceless));
        let longest = words.iter().map(String::len).max().unwrap_or(0);
        let within = AhoCorasick::new(&spaceless).expect("some phrases make an automaton");
        let before: Set = lines(true).collect();
        let mut all: Vec<String> = words.iter().chain(&spaceless).chain(&before).cloned().collect();
        all.sort_unstable();
        let beginnings = Beginnings::of(&all);
        Known { words, longest, spaceless, within, before, beginnings, all }
    }

    /// May a line begin with one of them?
    fn may_begin(&self, line: &str) -> bool {
        self.beginnings.may_begin(line)
    }

    /// Does one of them begin so?
    fn begin(&self, start: &str) -> bool {
        let at = self.all.partition_point(|phrase| phrase.as_str() < start);
        self.all.get(at).is_some_and(|phrase| phrase.starts_with(start))
    }

    fn is_phrase(&self, line: &str) -> bool {
        self.words.contains(line) || self.spaceless.contains(line)
    }

    /// Does a phrase announce a title right behind it, and would it without a sign between them?
    fn announces_before(&self, phrase: &str) -> Option<bool> {
        let strong = self.is_phrase(phrase);
        (strong || self.before.contains(phrase)).then_some(strong)
    }

    /// No phrase is written with more bytes: vowel signs and marks may come on top.
    fn reach(&self) -> usize {
        self.longest * 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::dom::Limits;
    use crate::extract::segment::Profile;

    /// Is this line a pointer?
    fn points(line: &str) -> bool {
        let page = PageBlocks::read(line, Profile::Modern, &Limits::default());
        assert_eq!(page.len(), 1, "{line}");
        is_pointer(&page, 0, &page.stats[0])
    }

    const LINK: &str = "<a href=/x>Acme opens its second plant in Calder after long talks</a>";

    #[test]
    fn a_sign_or_the_edge_of_a_link_ends_what_announces() {
        for sign in [
            ": ", " - ", "- ", " ", "", ". ", "! ", " / ", " ► ", " → ", " ▶️ ", " › ", "… ", "; ",
            ", ", " => ", " 👉 ", " | ", "&nbsp;: ", "&rlm;: ",
        ] {
            assert!(points(&format!("<p>Read also{sign}{LINK}</p>")), "{sign:?}");
            assert!(points(&format!("<p><strong>Read also{sign}</strong>{LINK}</p>")), "{sign:?}");
        }
        for [before, behind] in
            [["[", "]"], ["(", ")"], ["► ", ""], ["» ", ""], ["* ", ""], ["• ", ""], [">>> ", ""]]
        {
            assert!(points(&format!("<p>{before}Read also: {LINK}{behind}</p>")), "{before}");
        }
        let inside = LINK.replace("Acme", "Read also – Acme");
        assert!(points(&format!("<p>{inside}</p>")));
        assert!(points("<p><a href=/x><b>Relacionado</b> La fábrica de Acme abre</a></p>"));
        assert!(points(
            "<p><a href=/x><i>Baca juga</i> Acme membuka pabrik kedua di Calder</a></p>"
        ));
    }

    #[test]
    fn lines_of_one_paragraph_all_point() {
        assert!(points(&format!("<p>Read also: {LINK}<br>Read also: {LINK}</p>")));
        assert!(points(&format!("<p>Read also: {LINK}, {LINK}</p>")));
        assert!(!points(&format!(
            "<p>Read also: {LINK}<br>The mayor of the town said: {LINK}</p>"
        )));
    }

    #[test]
    fn announcements_of_many_languages_and_spellings() {
        for line in [
            "Full story",
            "ICYMI",
            "More:",
            "Lesen Sie dazu auch",
            "Mehr lesen",
            "À LIRE AUSSI",
            "Lire la suite",
            "Lee más",
            "Te recomendamos",
            "Veja mais",
            "Confira:",
            "Guarda anche",
            "Luister ook",
            "Se även",
            "Čtěte více",
            "Ezt is olvassa el",
            "Bővebben:",
            "Διαβάστε:",
            "Διάβασε επίσης",
            "Bunu da oku",
            "Baca pula",
            "Подробнее:",
            "См. также",
            "Також читайте",
            "Детальніше:",
            "در همین زمینه",
            "یہ بھی پڑھیے",
            "यह भी देखें",
            "यह भी पढ़ें-",
            "【動画】",
            "【関連】",
            "추천기사",
            "อ่านต่อ",
            "Citește mai mult",
            "ראו גם",
            "اقرأ أيضا",
            "اقرأ أيضاً",
            "اقرأ أيضًا",
            "إقرأ أيضاً",
            "اقرا ايضا",
            "اقرأ ايضا",
        ] {
            assert!(points(&format!("<p><strong>{line}</strong> {LINK}</p>")), "{line}");
        }
        // Headlines without spaces are as long as others.
        let thai = "ตำรวจเร่งตามหาคนขับรถชนแล้วหนีบนถนนเลียบชายฝั่งหลังเกิดเหตุเมื่อคืนที่ผ่านมา";
        assert!(points(&format!("<p>อ่านข่าวที่เกี่ยวข้อง: <a href=/x>{thai}</a></p>")));
    }

    #[test]
    fn what_is_said_of_what_is_linked_is_no_pointer() {
        for line in [
            "The mayor said: LINK",
            "Read also what the mayor said: LINK",
            "Read also: the mayor said that LINK",
            "Read also: LINK, as the mayor said",
            "Watch LINK",
            "More LINK",
            "More, says the mayor: LINK",
            "Confira LINK",
            "<a href=/x>Watch-maker Acme opens its second plant</a>",
            "<a href=/x>More's the pity, says the mayor of the town</a>",
            "<a href=/x>Read more about what Acme opens in Calder</a>",
            "<a href=/x>Read more…</a>",
            "More: <a href=/x>http://acme.example/plants of the town</a>",
            "<a href=/x>Recommended doses of vitamins may change</a>",
            "<a href=/x>Acme opens its second plant in Calder</a>",
            "<a href=/x>Full Coverage Acme Foundation</a>",
            "<a href=/x>See More Acme Products in Store</a>",
            "<a href=/x>در همین زمینه شرکت اپل کارخانه دوم خود را افتتاح کرد</a>",
            "<a href=/x>動画・音楽配信のNetflixが値上げ</a>",
            "<a href=/x>画像・音声を作るAcmeの新製品</a>",
            "<a href=/x>関連・周辺機器のAcmeが値上げ</a>",
        ] {
            let line = line.replace("LINK", LINK);
            assert!(!points(&format!("<p>{line}</p>")), "{line}");
        }
        assert!(!points("<p>Read also: the mayor of the town</p>"));
    }
}
