//! Lines that are nothing but what a button says, that an advertisement stands here, or that the rest is for those who
//! pay.
//!
//! Must not know: labelers, other rules.

use std::collections::HashSet;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use crate::extract::page::PageBlocks;
use crate::extract::segment::Flags;
use crate::extract::text::Stats;
use crate::extract::text::paid;
use crate::extract::text::phrases::{Beginnings, listed, plain};

/// Such a line has at most so many bytes.
const OFFER: usize = 160;

/// A sentence of so many words that stands on the list is such a line: "De tekst gaat verder onder de foto."
const WHOLE_SENTENCE: u32 = 5;

/// Is a block no more than such a line? What is quoted is said by somebody, what ends in a full stop is a sentence, and a
/// single word that heads a text or stands in a list may be a subject of it.
pub(super) fn is_control(page: &PageBlocks, index: usize, stats: &Stats) -> bool {
    let line = page.text(index);
    if stats.ends > 1 || line.len() > OFFER {
        return false;
    }
    let is_sentence = line.ends_with('.') && !line.ends_with("..") && stats.words < WHOLE_SENTENCE;
    let Some(block) = page.blocks.list.get(index) else { return false };
    let may_be_subject = stats.words <= 1 && (block.heading > 0 || block.flags.has(Flags::LIST));
    if is_sentence || may_be_subject {
        return false;
    }
    if !BEGINNINGS.may_begin(line) {
        return false;
    }
    let told = plain(line);
    let says = KNOWN.contains(&told) || paid::is_offer(&told);
    says && !line.contains(['"', '“', '”', '„', '«', '»', '‘', '「'].as_slice())
}

/// The phrases of `controls.txt`, and those of what is paid for.
static KNOWN: LazyLock<HashSet<String, FixedState>> =
    LazyLock::new(|| listed(include_str!("controls.txt")).chain(paid::phrases()).collect());

static BEGINNINGS: LazyLock<Beginnings> = LazyLock::new(|| Beginnings::of(KNOWN.iter()));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::dom::Limits;
    use crate::extract::segment::Profile;

    fn is_one(html: &str) -> bool {
        let page = PageBlocks::read(html, Profile::Modern, &Limits::default());
        assert_eq!(page.len(), 1, "{html}");
        is_control(&page, 0, &page.stats[0])
    }

    #[test]
    fn lines_that_buttons_say() {
        for line in [
            "Advertisement",
            "— ADVERTISEMENT —",
            "Loading…",
            "↑ Back to top",
            "Follow us!",
            "La suite après cette publicité",
            "Реклама",
            "返回顶部",
            "광고",
            "Saken fortsetter under bildet",
            "De tekst gaat verder onder de foto.",
            "Il vous reste 70 % de cet article à découvrir.",
            "Subscribe to continue reading",
            "Already a subscriber? Log in",
            "Nur für Abonnenten",
            "Чтобы читать дальше, оформите подписку",
            "この記事は有料会員限定です",
        ] {
            assert!(is_one(&format!("<p>{line}</p>")), "{line}");
        }
        for line in [
            "Advertisement is the art of being seen.",
            "Back to top form",
            "The loading of ships",
            "Read more",
            "Follow us to the bridge",
            "“Please wait.”",
            "“Follow us!”",
            "Please wait.",
            "Hulu will be exclusive to subscribers.",
            "Netflix Games is available to subscribers.",
            "Netflix solo para suscriptores",
            "Sky Sport: nur für Abonnenten.",
            "Telia tilaajille",
            "Pozostało jeszcze 10 dni.",
            "She asked him to continue reading.",
            "Nur für Abonnenten.",
        ] {
            assert!(!is_one(&format!("<p>{line}</p>")), "{line}");
        }
        for (html, expect) in [
            ("<h2>Advertising</h2>", false),
            ("<ul><li>Advertising</ul>", false),
            ("<h2>Back to top</h2>", true),
            ("<ul><li>Back to top</ul>", true),
        ] {
            assert_eq!(is_one(html), expect, "{html}");
        }
    }
}
