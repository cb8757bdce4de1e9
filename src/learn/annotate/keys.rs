//! The key of each label, in the order in which they are listed.
//!
//! Small letters for what most pages have. `h j k l n u` move, begin the next page and undo. Must not
//! know: pages.

use crate::model::Label;

/// Labels and their keys.
pub const KEYS: [(Label, char); 30] = [
    (Label::Title, 't'),
    (Label::Subtitle, 's'),
    (Label::Introduction, 'i'),
    (Label::Paragraph, 'p'),
    (Label::Heading, 'e'),
    (Label::Caption, 'c'),
    (Label::Credit, 'm'),
    (Label::Author, 'a'),
    (Label::Date, 'd'),
    (Label::AuthorDate, 'D'),
    (Label::Contributor, 'C'),
    (Label::Publisher, 'q'),
    (Label::Contact, 'o'),
    (Label::Copyright, 'y'),
    (Label::Category, 'g'),
    (Label::Topics, 'T'),
    (Label::Tags, 'w'),
    (Label::RelatedArticle, 'r'),
    (Label::Comment, 'v'),
    (Label::Multimedia, 'M'),
    (Label::SocialBookmark, 'b'),
    (Label::EmailArticle, 'E'),
    (Label::PrintPage, 'P'),
    (Label::Recommendation, 'R'),
    (Label::RssFeed, 'F'),
    (Label::CurrentPage, 'U'),
    (Label::NextPage, 'N'),
    (Label::SinglePage, 'S'),
    (Label::Advertisement, 'x'),
    (Label::None, '0'),
];

/// The label of a key.
pub fn of_key(key: char) -> Option<Label> {
    KEYS.iter().find(|(_, own)| *own == key).map(|(label, _)| *label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_label_has_a_key_of_its_own() {
        for label in Label::ALL {
            assert_eq!(KEYS.iter().filter(|(of, _)| *of == label).count(), 1, "{label:?}");
        }
        let moves = "hjklnuJK";
        for (at, (_, key)) in KEYS.iter().enumerate() {
            assert!(!moves.contains(*key) && KEYS[..at].iter().all(|(_, k)| k != key), "{key}");
        }
    }
}
