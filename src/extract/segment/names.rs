//! What a site's own names for classes and ids hint at, word by word.

use std::ops::Range;
use std::sync::OnceLock;

/// What class and id names hint at: one bit per group of words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Groups(pub u32);

impl Groups {
    pub const ARTICLE: Groups = Groups(1);
    pub const TITLE: Groups = Groups(1 << 1);
    pub const LEAD: Groups = Groups(1 << 2);
    pub const CAPTION: Groups = Groups(1 << 3);
    pub const CREDIT: Groups = Groups(1 << 4);
    pub const AUTHOR: Groups = Groups(1 << 5);
    pub const DATE: Groups = Groups(1 << 6);
    pub const COMMENT: Groups = Groups(1 << 7);
    pub const NAVIGATION: Groups = Groups(1 << 8);
    pub const RELATED: Groups = Groups(1 << 9);
    pub const SHARE: Groups = Groups(1 << 10);
    pub const PROMOTION: Groups = Groups(1 << 11);
    pub const FOOTER: Groups = Groups(1 << 12);
    pub const SIDE: Groups = Groups(1 << 13);
    pub const NOTICE: Groups = Groups(1 << 14);
    pub const TAGS: Groups = Groups(1 << 15);
    pub const MEDIA: Groups = Groups(1 << 16);
    pub const FORM: Groups = Groups(1 << 17);
    pub const BOX: Groups = Groups(1 << 18);
    pub const HIDDEN: Groups = Groups(1 << 19);
    /// Names that mean readers' comments on one site and the article on another.
    pub const DISCUSSION: Groups = Groups(1 << 20);
    /// Number of groups.
    pub const COUNT: usize = 21;

    /// Are all bits of `other` set?
    pub fn has(self, other: Groups) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Words of class and id names, lower case, and their group; sorted by word at first use.
const WORDS: &[(Groups, &str)] = &[
    (
        Groups::ARTICLE,
        "article articlebody articletext articlecontent artikel articulo articolo artigo \
         story storybody body content contenido contenu contenuto conteudo inhalt entry post \
         postbody postcontent text texto texte testo paragraph absatz main news noticia \
         maincontent detail prose richtext rte longform page",
    ),
    (Groups::TITLE, "title titre titulo titolo titel headline heading header hed kicker head h1"),
    (
        Groups::LEAD,
        "lead lede intro introduction standfirst summary dek deck chapo entradilla \
         sottotitolo subtitle subtitulo teasertext abstract excerpt vorspann ingress manchet \
         subhead subheadline perex description sapo bajada copete",
    ),
    (
        Groups::CAPTION,
        "caption figcaption legend legende bildunterschrift didascalia bildtext wpcaption \
         leyenda pie alt",
    ),
    (
        Groups::CREDIT,
        "credit credits copyright source photographer quelle agency photocredit rights \
         provider",
    ),
    (
        Groups::AUTHOR,
        "author authors byline autor autore auteur forfatter contributor writer reporter \
         vcard bio redaction journalist signature firma",
    ),
    (
        Groups::DATE,
        "date datetime time timestamp published pubdate updated datum fecha data dateline \
         posted",
    ),
    (
        Groups::COMMENT,
        "comment comments commentlist kommentar kommentare comentario comentarios commentaire \
         commentaires commenti disqus reply replies livefyre kommentarer komentarze reacties \
         pinglun",
    ),
    (
        Groups::DISCUSSION,
        "respond response responses discussion forum coral review reviews guestbook thread \
         answer answers",
    ),
    (
        Groups::NAVIGATION,
        "nav navbar navigation menu submenu breadcrumb breadcrumbs pagination pager paging \
         toc tabs topbar masthead mainnav skip sitemap dropdown hamburger crumb crumbs prev \
         next",
    ),
    (
        Groups::RELATED,
        "related recommended recommendation recommendations recirc more morefrom readmore \
         teaser teasers popular trending mostread mostpopular latest similar suggested also \
         further outbrain taboola zergnet card cards feed list listing relacionadas \
         relacionados lire weitere lees topics topstories headlines carousel slider grid \
         promo onward archive archives",
    ),
    (
        Groups::SHARE,
        "share sharing shares social socials facebook twitter whatsapp addthis follow \
         bookmark print email tools toolbar actions action teilen partager compartir \
         sharedaddy addtoany sns",
    ),
    (
        Groups::PROMOTION,
        "ad ads adv advert advertisement advertising advertorial adsense banner sponsor \
         sponsored commercial anzeige werbung publicidad publicite pubblicita promotion promo \
         dfp gpt affiliate shop deal deals offer subscribe subscription newsletter \
         newsletters paywall premium signup abo cta donate donation marketing product",
    ),
    (Groups::FOOTER, "footer foot colophon bottom impressum imprint fuss pied legal"),
    (
        Groups::SIDE,
        "sidebar side aside rail right left widget widgets column secondary complementary \
         marginal",
    ),
    (
        Groups::NOTICE,
        "cookie cookies consent gdpr privacy notice disclaimer alert popup modal overlay \
         onetrust cmp banner toast message warning correction login signin register",
    ),
    (
        Groups::TAGS,
        "tag tags taglist keywords keyword category categories topic labels rubrik section \
         meta metadata info",
    ),
    (
        Groups::MEDIA,
        "image img photo photos picture media figure gallery video player audio embed \
         slideshow bild imagen foto thumbnail thumb infographic",
    ),
    (
        Groups::FORM,
        "form search input field button btn select poll vote quiz rating suche buscador \
         recherche",
    ),
    (
        Groups::BOX,
        "box infobox factbox module block panel inline insert fact facts sidebox callout \
         pullquote quote note readalso hint",
    ),
    (
        Groups::HIDDEN,
        "hidden hide invisible offscreen sr visuallyhidden screenreader assistive collapsed \
         noprint",
    ),
];

/// Groups of the words in class or id names (`articleBody`, `entry-content`, `comment_list`).
pub(in crate::extract) fn groups(names: &str) -> Groups {
    let bytes = names.as_bytes();
    let (mut at, mut found) = (0, 0);
    while let Some(word) = word(names, at) {
        at = word.end;
        found |= word_groups(bytes, word);
    }
    Groups(found)
}

/// So many bytes of names are read: framework names with hundreds of characters say nothing more at their end.
pub(in crate::extract) const LONGEST_NAMES: usize = 512;

/// Where the words of names stand: capitals of ASCII and the small letters behind them.
pub(in crate::extract) fn words(names: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || word(names, at).inspect(|word| at = word.end))
}

/// The first of them from `at` on.
#[inline]
fn word(names: &str, mut at: usize) -> Option<Range<usize>> {
    let bytes = &names.as_bytes()[..names.len().min(LONGEST_NAMES)];
    while !bytes.get(at)?.is_ascii_alphabetic() {
        at += 1;
    }
    let start = at;
    while bytes.get(at).is_some_and(u8::is_ascii_uppercase) {
        at += 1;
    }
    // Without a branch for each letter.
    loop {
        let count = small(eight(bytes, at));
        at += count;
        if count < 8 {
            return Some(start..at);
        }
    }
}

/// Eight bytes from `at` on, the first one lowest; zeros behind the end.
#[inline]
fn eight(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..).and_then(<[u8]>::first_chunk) {
        Some(eight) => u64::from_le_bytes(*eight),
        None => fewer(bytes, at),
    }
}

#[inline(never)]
fn fewer(bytes: &[u8], at: usize) -> u64 {
    match bytes.last_chunk() {
        Some(last) => {
            let passed = 8 * (at + 8 - bytes.len()) as u32;
            u64::from_le_bytes(*last).checked_shr(passed).unwrap_or(0)
        }
        None => bytes.iter().skip(at).rev().fold(0, |all, b| all << 8 | u64::from(*b)),
    }
}

/// How many of eight bytes are small letters, from the first one on.
#[inline]
fn small(eight: u64) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * EACH;
    let low = eight & !HIGH;
    // No sum carries, as none is above 0xFF.
    let letters = (low + 0x1F * EACH) & !(low + 0x05 * EACH);
    let others = (eight | !letters) & HIGH;
    (others.trailing_zeros() / 8) as usize
}

/// The groups of a word in any case, looked up in a table built at first use: half a hash and the groups, half full. It is
/// small because it seldom is at hand.
fn word_groups(names: &[u8], word: Range<usize>) -> u32 {
    const LONGEST: usize = 18;
    const SLOTS: usize = 1024;
    static TABLE: OnceLock<[(u32, u32); SLOTS]> = OnceLock::new();
    if !(2..=LONGEST).contains(&word.len()) {
        return 0;
    }
    let table = TABLE.get_or_init(|| {
        let mut slots = [(0, 0); SLOTS];
        for (group, words) in WORDS {
            for word in words.split_ascii_whitespace() {
                let (mut at, told) = place(word.as_bytes(), 0..word.len());
                while slots[at % SLOTS].1 != 0 && slots[at % SLOTS].0 != told {
                    at += 1;
                }
                slots[at % SLOTS] = (told, slots[at % SLOTS].1 | group.0);
            }
        }
        slots
    });
    let (mut at, told) = place(names, word);
    loop {
        let (found, groups) = table[at % SLOTS];
        if groups == 0 || found == told {
            return groups;
        }
        at += 1;
    }
}

/// Two halves of the hash of a word of ASCII letters in any case: where it stands, and what tells it from others there.
/// Eight letters at a time are multiplied (FxHash).
#[inline]
fn place(names: &[u8], word: Range<usize>) -> (usize, u32) {
    const LOWER: u64 = 0x2020_2020_2020_2020;
    let mix = |before: u64, letters: u64| {
        (before.rotate_left(5) ^ letters).wrapping_mul(0x517c_c1b7_2722_0a95)
    };
    let letters = |at: usize| eight(names, at).swap_bytes() | LOWER;
    let (mut mixed, mut at) = (0, word.start);
    while at + 8 <= word.end {
        mixed = mix(mixed, letters(at));
        at += 8;
    }
    let rest = 8 * (word.end - at) as u32;
    mixed = mix(mixed, letters(at).checked_shr(u64::BITS - rest).unwrap_or(0));
    let high = (mixed >> 32) as u32;
    ((mixed as u32 ^ high) as usize, high)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same letter by letter.
    fn naive(names: &str) -> Vec<Range<usize>> {
        let bytes = &names.as_bytes()[..names.len().min(LONGEST_NAMES)];
        let mut found: Vec<Range<usize>> = Vec::new();
        for (at, byte) in bytes.iter().enumerate().filter(|(_, b)| b.is_ascii_alphabetic()) {
            match found.last_mut().filter(|last| last.end == at) {
                Some(last) if byte.is_ascii_lowercase() || bytes[at - 1].is_ascii_uppercase() => {
                    last.end += 1;
                }
                _ => found.push(at..at + 1),
            }
        }
        found
    }

    proptest! {
        #[test]
        fn words_stand_where_their_letters_do(names in "[A-Ca-c@`Z{|\\[z_ é0-9-]{0,30}|[a-z]{0,20}( [A-Za-z]{0,20}){0,3}") {
            let found: Vec<_> = words(&names).collect();
            prop_assert_eq!(&found, &naive(&names), "{}", names);
            for word in found {
                let alone = names[word.clone()].to_ascii_lowercase();
                let expect = place(alone.as_bytes(), 0..alone.len());
                prop_assert_eq!(place(names.as_bytes(), word), expect, "{}", names);
            }
        }
    }
}
