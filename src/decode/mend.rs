//! Text that was encoded twice: UTF-8 that somebody read as windows-1252 and wrote as UTF-8 again, so
//! that "it’s" has become "itâ€™s". A page of nothing else is read back whole; of others, what no clean text holds.
//!
//! Must not know: bytes, declarations, markup.

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::Encoding;

/// Pairs such as "Ã©" are mended from so many on a page that cannot be meant as they stand.
const PAIRS: usize = 3;

/// A page is read back whole from so many characters on that were encoded twice.
const WHOLE: usize = 20;

/// A sequence that reads as one character's UTF-8.
struct Found {
    at: Range<usize>,
    meant: char,
    /// Of two characters, "Ã" or "Â" and another.
    pair: bool,
    /// A capital "Ã" or "Â" before a mark or blank may end a word: "«AMANHû".
    open: bool,
}

/// The text with what was encoded twice read back, and how many sequences that were.
///
/// If all runs of characters beyond ASCII read as UTF-8, all of it was. Else sequences of three and four characters
/// ("â€™", "â‚¬", "ðŸ™‚") are always read back: no writing system puts "€" or "Ÿ" behind such a letter. Of pairs only
/// those that begin with "Ã" or "Â" are, and only on a page that holds [`PAIRS`] which are nothing else: "É»" may well
/// be meant.
pub(super) fn mend(text: Cow<'_, str>) -> (Cow<'_, str>, usize) {
    if let Some((mended, count)) = whole(&text) {
        return (mended.into(), count);
    }
    let mut found: Vec<Found> = sequences(&text).collect();
    if found.iter().filter(|f| f.pair && !f.open).count() < PAIRS {
        found.retain(|f| !f.pair);
    }
    if found.is_empty() {
        return (text, 0);
    }
    let mut mended = String::with_capacity(text.len());
    let mut done = 0;
    for Found { at, meant, .. } in &found {
        mended.push_str(text.get(done..at.start).unwrap_or_default());
        mended.push(*meant);
        done = at.end;
    }
    mended.push_str(text.get(done..).unwrap_or_default());
    (mended.into(), found.len())
}

/// The text read back, and how many characters that were, if each run of characters beyond ASCII reads as UTF-8: clean
/// text has letters that stand alone. Nothing is copied before that is known.
fn whole(text: &str) -> Option<(String, usize)> {
    let mut run = Vec::new();
    let mut count = 0;
    for (_, beyond) in runs(text) {
        count += meant(beyond, &mut run)?.chars().count();
    }
    if count < WHOLE {
        return None;
    }
    let mut mended = String::with_capacity(text.len());
    for (clean, beyond) in runs(text) {
        mended.push_str(clean);
        mended.push_str(meant(beyond, &mut run)?);
    }
    Some((mended, count))
}

/// Each run of characters beyond ASCII behind those that stand before it; the last may be empty.
fn runs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (clean, from) = rest.split_at(Encoding::ascii_valid_up_to(rest.as_bytes()));
        let end = from.bytes().position(|b| b.is_ascii()).unwrap_or(from.len());
        let (beyond, behind) = from.split_at(end);
        let more = !rest.is_empty();
        rest = behind;
        more.then_some((clean, beyond))
    })
}

/// A run of characters read back, if it reads as UTF-8.
fn meant<'r>(beyond: &str, run: &'r mut Vec<u8>) -> Option<&'r str> {
    run.clear();
    for c in beyond.chars() {
        run.push(byte(c)?);
    }
    let meant = std::str::from_utf8(run).ok()?;
    (!meant.contains(char::is_control)).then_some(meant)
}

/// All sequences that read as the UTF-8 of one character, in order.
fn sequences(text: &str) -> impl Iterator<Item = Found> + '_ {
    let bytes = text.as_bytes();
    // "Â", "Ã", "â" and "ð" are 0xC3 and one byte more.
    memchr::memchr_iter(0xC3, bytes).filter_map(move |at| {
        let lead = match bytes.get(at + 1)? {
            0x82 => 0xC2,
            0x83 => 0xC3,
            0xA2 => 0xE2,
            0xB0 => 0xF0,
            _ => return None,
        };
        let length = match lead {
            0xE2 => 3,
            0xF0 => 4,
            _ => 2,
        };
        let mut encoded = [lead, 0, 0, 0];
        let mut end = at + 2;
        let mut rest = text.get(end..)?.chars();
        for slot in encoded.get_mut(1..length)? {
            let c = rest.next()?;
            *slot = byte(c).filter(|b| (0x80..0xC0).contains(b))?;
            end += c.len_utf8();
        }
        let meant = std::str::from_utf8(encoded.get(..length)?).ok()?.chars().next()?;
        // Punctuation, "€" and "™"; symbols and faces. Others would begin as words may ("âš…").
        let known = match length {
            3 => matches!(meant, '\u{2000}'..='\u{206F}' | '€' | '™'),
            4 => meant >= '\u{1F000}',
            _ => true,
        };
        if !known {
            return None;
        }
        // "ÂŠ" would be a control character: nobody wrote that.
        if meant.is_control() {
            return None;
        }
        let pair = length == 2;
        let next = text.get(at + 2..)?.chars().next()?;
        let before = text.get(..at)?.chars().next_back();
        let blank = meant == '\u{A0}' && !before.is_some_and(char::is_alphabetic);
        let open = pair && closes(next) && !blank && !before.is_some_and(char::is_lowercase);
        Some(Found { at: at..end, meant, pair, open })
    })
}

/// May this stand behind the last letter of a word?
fn closes(c: char) -> bool {
    matches!(c, '\u{A0}' | '»' | '›' | '‘' | '’' | '“' | '”' | '„' | '‚' | '…' | '–' | '—' | '·')
}

/// The byte of a character in windows-1252 (WHATWG Encoding, index-windows-1252); those of the range
/// 0x80 to 0x9F stand for themselves, too, for what was read as ISO-8859-1.
fn byte(c: char) -> Option<u8> {
    /// 0x80 to 0x9F; 0: no character of its own.
    const HIGH: [u16; 32] = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
        0x0152, 0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC,
        0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
    ];
    match u32::from(c) {
        0 => None,
        code @ 0x80..=0xFF => u8::try_from(code).ok(),
        code => (0x80u8..).zip(HIGH).find(|(_, high)| u32::from(*high) == code).map(|(b, _)| b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As somebody who takes UTF-8 for windows-1252 writes it.
    fn twice(text: &str) -> String {
        encoding_rs::WINDOWS_1252.decode_without_bom_handling(text.as_bytes()).0.into_owned()
    }

    #[test]
    fn what_was_encoded_twice_is_read_back() {
        for text in [
            "It’s “here” – and… done — €5",
            "Müller aß Käse; Ärger über Öl, größer",
            "L’été à Noël, déjà vu, ça va",
            "São João: ação, não, três",
            "smile 🙂 it’s all right",
        ] {
            let (mended, count) = mend(twice(text).into());
            assert_eq!(mended, text);
            assert!(count > 0);
        }
        // Of ISO-8859-1 the same, with control characters.
        assert_eq!(mend("it\u{E2}\u{80}\u{99}s".into()).0, "it’s");
        // Beside clean text.
        assert_eq!(mend("déjà, itâ€™s été".into()), ("déjà, it’s été".into(), 1));
    }

    #[test]
    fn what_may_be_meant_stays() {
        for text in [
            "«É» et «È», É» À» Ã» Â»",
            "AMANHû, «AMANHû, AMANHÔ, IRMÃ… MANHÃ– FÃ ",
            "Â© Ã© are signs of a wrong encoding",
            "Ã ã â ê € ™ â € ™",
            "ðæ Ðað Seyðisfjörður",
            "CHÂTEAU, PÂTÉ, ÂGE, pâté",
            "ĐÃ QUA… ĐÔ",
            "ÂŠ ÂŸ Âž, âš…",
        ] {
            assert_eq!(mend(text.into()), (text.into(), 0));
        }
    }

    #[test]
    fn a_page_of_nothing_else_is_read_back_whole() {
        for text in [
            "Köprü salı günü iki yıllığına kapatıldı, çünkü üç ayağında çatlak bulundu. ",
            "Hội đồng thành phố quyết định đóng cửa cầu cảng cũ trong hai năm. ",
            "Veće je odlučilo da će most biti zatvoren; šef kaže: „Žao mi je“. ",
            "Старый мост закрыли на два года. ",
            "قرر المجلس إغلاق الجسر القديم لمدة عامين. ",
            "古い橋を二年間閉鎖することを決めた。",
        ] {
            let text = format!("<p>{}</p>", text.repeat(5));
            let (mended, count) = mend(twice(&text).into());
            assert_eq!(mended, text);
            assert_eq!(count, text.chars().filter(|c| !c.is_ascii()).count());
            // A clean word tells that the page was encoded once: then what is no clean text is read back alone.
            let clean = format!("{}<p>été</p>", twice("salı ".repeat(30).as_str()));
            assert_eq!(mend(clean.as_str().into()), (clean.as_str().into(), 0));
        }
        let few = twice(&"salı ".repeat(19));
        assert_eq!(mend(few.as_str().into()).1, 0);
    }

    #[test]
    fn pairs_are_mended_from_three_on() {
        let check = |text: &str, expect: &str| assert_eq!(mend(text.into()).0, expect);
        check("cafÃ©, thÃ©", "cafÃ©, thÃ©");
        check("cafÃ©, thÃ©, ZoÃ«", "café, thé, Zoë");
        check("cafÃ©, thÃ©, ZoÃ«, Ã„rger, 20\u{C2}\u{A0}%", "café, thé, Zoë, Ärger, 20\u{A0}%");
        // What is open counts for nothing by itself.
        check("Aû Aû Aû Aû", "Aû Aû Aû Aû");
    }

    proptest::proptest! {
        /// Words of languages in Latin script, with their punctuation. Letters of Latin-1 stand beside those of
        /// Latin-1 or ASCII: no language has both "Ã" and "Š".
        #[test]
        fn clean_text_never_changes(
            words in proptest::collection::vec(
                "[«“„‘¿¡(]?([A-Z]?[a-zß-öø-ÿāăąćčďđēęěğįıłńňőœřśşšţťūůűųźżžạ-ỹ]{1,9}|[À-ÖØ-Þ]?[a-zß-öø-ÿ]{1,9}\
                 |[A-ZÀ-ÖØ-Þ]{1,9}|[A-ZŒŠŸŽ]{1,9}|[0-9]{1,4}[€%°£]?)[»”’“…–—.,;:!?)]?",
                0..60,
            ),
        ) {
            let text = words.join(" ");
            proptest::prop_assert_eq!(mend(text.as_str().into()), (text.as_str().into(), 0));
        }

        #[test]
        fn what_is_mended_is_shorter_and_is_not_mended_again(text in "([a-zé’“àÃÂâ€™ð©»]|\\PC){0,60}") {
            let broken = twice(&text);
            let (mended, count) = mend(broken.as_str().into());
            proptest::prop_assert!(count == 0 || mended.len() < broken.len());
        }
    }
}
