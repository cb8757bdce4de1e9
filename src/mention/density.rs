//! Where the mentions of a brand stop: an article that names it more often than any of its length
//! does was made to be counted.
//!
//! Of 1,748 pairs of an article and a brand in labelled news pages, none is beyond the cap; of 5,337
//! articles, 28 name any one word so often, most of them lists of goods. Must not know: how mentions
//! are found.

use std::collections::HashMap;

use crate::model::{Mention, Zone};

/// Mentions that an article of any length may count.
const FEW: u32 = 10;
/// One more for so many words.
const WORDS: u32 = 25;
/// However long it is.
const MOST: u32 = 200;
/// Mentions of one brand that are kept of an article, counted or not; what follows is not looked at.
const KEPT: u32 = 1_000;

/// Mentions of one brand that an article of so many words counts at most.
pub fn cap(words: u32) -> u32 {
    FEW.saturating_add(words / WORDS).min(MOST)
}

/// Takes what is beyond the cap out of the count, in page order, and what is beyond all measure out of
/// the list.
pub(super) fn stop(mentions: &mut Vec<Mention>, words: impl FnOnce() -> u32) {
    if mentions.len() <= FEW as usize {
        return;
    }
    let cap = cap(words());
    let mut seen: HashMap<String, (u32, u32)> = HashMap::new();
    mentions.retain_mut(|mention| {
        if !seen.contains_key(&mention.brand) {
            seen.insert(mention.brand.clone(), (0, 0));
        }
        let Some((counted, all)) = seen.get_mut(&mention.brand) else { return true };
        *all += 1;
        if mention.zone.counted() {
            *counted += 1;
            if *counted > cap {
                mention.zone = Zone::Stuffed;
            }
        }
        *all <= KEPT
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counted and stuffed of so many mentions in an article of so many words.
    fn check(mentions: u32, words: u32, expect: (usize, usize)) {
        let one = |start| Mention {
            brand: "Acme".into(),
            matched: "Acme".into(),
            block: Some(0),
            start,
            end: start + 4,
            zone: if start % 2 == 0 { Zone::Body } else { Zone::Caption },
        };
        let mut list: Vec<Mention> = (0..2 * mentions).map(one).collect();
        stop(&mut list, || words);
        let of = |zone| list.iter().filter(|m| m.zone == zone).count();
        assert_eq!((of(Zone::Body), of(Zone::Stuffed)), expect, "{mentions} of {words}");
        assert!(list.len() <= KEPT as usize);
    }

    #[test]
    fn mentions_stop_at_what_an_article_of_the_length_has() {
        check(10, 20, (10, 0));
        check(11, 20, (10, 1));
        check(50, 1_000, (50, 0));
        check(51, 1_000, (50, 1));
        check(300, 1_000_000, (200, 100));
        check(20_000, 20_000, (200, 300));
    }
}
