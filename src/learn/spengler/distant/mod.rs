//! Labels of visible leaves that nobody set (distant supervision): what a page tells machines about
//! itself is looked for among the leaves that readers see, for those of the thirty labels of Spengler &
//! Gallinari 2009, Tab. 2, that no corpus marks.
//!
//! What is article comes from the gold by alignment ([`marks`](super::marks)); the rest rests on a
//! [`Sign`]. Must not know: features, labelers, labels set by hand.

mod leaf;
mod said;
mod sign;

use serde::Serialize;

use super::marks;
use crate::extract::metadata::Metadata;
use crate::extract::page::PageBlocks;
use crate::learn::corpus::LabeledPage;
use crate::model::Label;
use leaf::Leaf;
use said::Said;

/// What a label rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Sign {
    /// The corpus' gold, by alignment and looks.
    Gold,
    /// What metadata says is printed in the leaf: headline, authors, days, section, keywords,
    /// description, name of the site.
    Metadata,
    /// Elements and attributes with a meaning: `figcaption`, `time`, `itemprop`, `rel` …
    Markup,
    /// Where a link leads: a sharing service, a feed, a printer …
    Link,
    /// Class and id of an element around the leaf that holds nothing of the article's text.
    Name,
    /// Words of the leaf itself.
    Words,
}

impl Sign {
    pub const ALL: [Sign; 6] =
        [Sign::Gold, Sign::Metadata, Sign::Markup, Sign::Link, Sign::Name, Sign::Words];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Sign::Gold => "gold",
            Sign::Metadata => "metadata",
            Sign::Markup => "markup",
            Sign::Link => "link",
            Sign::Name => "name",
            Sign::Words => "words",
        }
    }
}

/// Looks for one kind of sign in a leaf.
type Find = fn(&Leaf<'_>, &Said) -> Option<Label>;

/// The label of each leaf and what it rests on; nothing where it is `none`.
pub fn labels(
    page: &LabeledPage,
    blocks: &PageBlocks,
    metadata: &Metadata,
) -> Vec<(Label, Option<Sign>)> {
    let gold = marks::labels(page, blocks);
    let said = Said::of(page, blocks, metadata, &gold);
    gold.iter()
        .enumerate()
        .map(|(at, &label)| {
            let leaf = Leaf::of(blocks, at, &said.holding);
            if label != Label::None {
                return refined(label, &leaf, &said);
            }
            if leaf.text.is_empty() && !leaf.picture {
                return (Label::None, None);
            }
            let tries: [(Sign, Find); 5] = [
                (Sign::Link, sign::link),
                (Sign::Markup, sign::markup),
                (Sign::Metadata, sign::metadata),
                (Sign::Name, sign::name),
                (Sign::Words, sign::words),
            ];
            tries
                .iter()
                .find_map(|(sign, found)| Some((found(&leaf, &said)?, Some(*sign))))
                .unwrap_or((Label::None, None))
        })
        .collect()
}

/// The gold knows text, but not what kind of text.
fn refined(label: Label, leaf: &Leaf<'_>, said: &Said) -> (Label, Option<Sign>) {
    let refined = match label {
        _ if !label.is_content() => match label {
            Label::Author if said.is_day(leaf) => Some((Label::AuthorDate, Sign::Metadata)),
            _ => None,
        },
        _ if leaf.within("figcaption") => sign::markup(leaf, said).map(|l| (l, Sign::Markup)),
        _ if leaf.heading() => Some((Label::Heading, Sign::Markup)),
        _ if leaf.at == said.first && leaf.is_named(sign::LEAD) => {
            Some((Label::Introduction, Sign::Name))
        }
        _ => None,
    };
    refined.map_or((label, Some(Sign::Gold)), |(label, sign)| (label, Some(sign)))
}

#[cfg(test)]
mod tests;
