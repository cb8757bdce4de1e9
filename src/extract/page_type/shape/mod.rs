//! A page seen from afar, as a row of numbers: how much text and how many links it has, which elements and
//! names, what is repeated, and what markup and address say of it.
//!
//! Linear in the page. Every value is finite. Order and number of columns are part of what was trained on
//! them: change [`VERSION`] with them. Must not know: how kinds are decided.

use super::Marked;
use crate::extract::page::PageBlocks;
use crate::extract::segment::{Flags, Groups, LONGEST_NAMES};
use crate::extract::text::ratio;
use crate::extract::text::stems::Stems;
use crate::html::name;
use crate::model::Label;

mod address;
mod cards;

pub use address::COUNT as ADDRESS;

/// Version of the columns.
pub const VERSION: u32 = 5;

/// What is described.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    pub page: &'a PageBlocks<'a>,
    pub labels: &'a [Label],
    pub marked: Marked,
    /// The page's URL, where it is known.
    pub address: Option<&'a str>,
}

/// Columns with their names.
pub type Columns = Vec<(&'static str, f32)>;

/// Describes a page.
pub fn columns(seen: Seen<'_>) -> Columns {
    let mut out = Vec::with_capacity(112);
    texts(seen, &mut out);
    elements(seen, &mut out);
    cards::describe(seen, &mut out);
    marks(seen.marked, &mut out);
    address::describe(seen.address, &mut out);
    out
}

/// The values alone.
pub fn row(seen: Seen<'_>) -> Vec<f32> {
    columns(seen).into_iter().map(|(_, value)| value).collect()
}

/// A block of so many words is prose.
const PROSE: u32 = 25;

/// The text that was taken and what was left.
fn texts(Seen { page, labels, .. }: Seen<'_>, out: &mut Columns) {
    let (mut words, mut linked, mut text, mut text_linked) = (0, 0, 0, 0);
    let (mut paragraphs, mut prose, mut longest, mut comments, mut ends) = (0_u32, 0, 0, 0, 0);
    let (mut left_prose, mut left_longest, mut dates, mut authors) = (0, 0, 0_u32, 0_u32);
    let (mut named_dates, mut named_authors, mut named_comments, mut discussion) =
        (0_u32, 0_u32, 0, 0);
    let (mut headings, mut linked_headings, mut text_headings) = (0_u32, 0_u32, 0_u32);
    let (mut quotes, mut tables, mut related, mut first, mut last) = (0, 0, 0_u32, None, 0);
    for (index, ((block, stats), label)) in page.iter().zip(labels).enumerate() {
        words += stats.words;
        linked += stats.link_words;
        let groups = block.own.0 | block.above.0;
        let named = |group: Groups| groups & group.0 != 0;
        named_dates += u32::from(block.own.has(Groups::DATE));
        named_authors += u32::from(block.own.has(Groups::AUTHOR));
        if named(Groups::COMMENT) || block.flags.has(Flags::COMMENTS) {
            named_comments += stats.words;
        }
        discussion += if named(Groups::DISCUSSION) { stats.words } else { 0 };
        quotes += if block.flags.has(Flags::QUOTE) { stats.words } else { 0 };
        tables += if block.flags.has(Flags::TABLE) { stats.words } else { 0 };
        if block.heading > 0 && stats.words > 0 {
            headings += 1;
            linked_headings += u32::from(stats.link_words * 2 > stats.words);
            text_headings += u32::from(label.is_content());
        }
        match label {
            Label::Comment => comments += stats.words,
            Label::Date | Label::AuthorDate => dates += 1,
            Label::Author => authors += 1,
            Label::RelatedArticle => related += 1,
            _ => {}
        }
        if label.is_content() && *label != Label::Heading {
            first = first.or(Some(index));
            last = index;
            text += stats.words;
            text_linked += stats.link_words;
            paragraphs += 1;
            longest = longest.max(stats.words);
            ends += stats.ends;
            prose += if stats.words >= PROSE { stats.words } else { 0 };
        } else if stats.words >= PROSE && stats.link_words * 3 < stats.words {
            left_prose += stats.words;
            left_longest = left_longest.max(stats.words);
        }
    }
    let of = |part: u32, whole: u32| if whole > 0 { ratio(part as f32, whole as f32) } else { 0.0 };
    let blocks = page.len() as u32;
    let span = first.map_or(0, |first| last + 1 - first) as u32;
    out.extend([
        ("words", words as f32),
        ("blocks", blocks as f32),
        ("linked share", of(linked, words)),
        ("linked words", linked as f32),
        ("text words", text as f32),
        ("text share", of(text, words)),
        ("text share of what is not linked", of(text, words.saturating_sub(linked))),
        ("linked share of the text", of(text_linked, text)),
        ("paragraphs", paragraphs as f32),
        ("words a paragraph", of(text, paragraphs)),
        ("prose share of the text", of(prose, text)),
        ("longest paragraph", longest as f32),
        ("longest paragraph's share", of(longest, text)),
        ("sentence ends a word of text", of(ends, text)),
        ("comment words", comments as f32),
        ("prose beside the text", left_prose as f32),
        ("prose beside the text, share", of(left_prose, text + left_prose)),
        ("longest beside the text", left_longest as f32),
        ("dates", dates as f32),
        ("authors", authors as f32),
        ("named dates", named_dates as f32),
        ("named authors", named_authors as f32),
        ("words in named comments, share", of(named_comments, words)),
        ("words in named discussions, share", of(discussion, words)),
        ("headings", headings as f32),
        ("linked headings", linked_headings as f32),
        ("linked headings, share", of(linked_headings, headings)),
        ("headings of the text", text_headings as f32),
        ("words in quotes, share", of(quotes, words)),
        ("words in tables, share", of(tables, words)),
        ("related articles", related as f32),
        ("first of the text, position", of(first.unwrap_or(0) as u32, blocks)),
        ("paragraphs in the span of the text, share", of(paragraphs, span)),
    ]);
}

/// How words in class names and ids begin, which pages of other kinds print again and again.
const NAMES: [&str; 24] = [
    "post",
    "message",
    "reply",
    "quote",
    "thread",
    "topic",
    "forum",
    "comment",
    "user",
    "avatar",
    "vote",
    "signature",
    "answer",
    "question",
    "card",
    "item",
    "teaser",
    "product",
    "price",
    "result",
    "archive",
    "category",
    "page",
    "filter",
];

static STEMS: Stems<{ NAMES.len() }> = Stems::new(&[&NAMES]);

/// Elements and the names that they have.
fn elements(Seen { page, .. }: Seen<'_>, out: &mut Columns) {
    let dom = &page.dom;
    let (mut articles, mut times, mut pictures, mut firsts, mut fields, mut areas) =
        (0_u32, 0_u32, 0_u32, 0_u32, 0_u32, 0_u32);
    let (mut cells, mut points, mut all, mut next, mut items) = (0_u32, 0_u32, 0_u32, 0_u32, 0_u32);
    let mut names = [0_u32; NAMES.len()];
    // What is in a class attribute is looked at once, however many elements have it.
    let mut classes: Vec<Option<u32>> = vec![None; dom.class_lists()];
    for id in 0..dom.nodes.len() as crate::extract::dom::Id {
        let Some(tag) = dom.tag(id) else { continue };
        all += 1;
        match tag {
            name!("article") => articles += 1,
            name!("time") => times += 1,
            name!("img") => pictures += 1,
            name!("h1") => firsts += 1,
            name!("input") | name!("select") | name!("button") => fields += 1,
            name!("textarea") => areas += 1,
            name!("td") => cells += 1,
            name!("li") => points += 1,
            name!("a") | name!("link") => {
                let rel = dom.value(id, name!("rel"));
                next += u32::from(rel.is_some_and(|rel| {
                    rel.eq_ignore_ascii_case("next") || rel.eq_ignore_ascii_case("prev")
                }));
            }
            _ => {}
        }
        items += u32::from(dom.may_have(id, &[name!("itemtype")]));
        let mut found = 0;
        let list = dom.class_list(id);
        if list > 0 {
            found = match classes.get(list).copied().flatten() {
                Some(known) => known,
                None => {
                    let new = begun(&dom.value(id, name!("class")).unwrap_or_default());
                    if let Some(known) = classes.get_mut(list) {
                        *known = Some(new);
                    }
                    new
                }
            };
        }
        if dom.may_have(id, &[name!("id")]) {
            found |= begun(&dom.value(id, name!("id")).unwrap_or_default());
        }
        while found != 0 {
            if let Some(count) = names.get_mut(found.trailing_zeros() as usize) {
                *count += 1;
            }
            found &= found - 1;
        }
    }
    out.extend([
        ("elements", all as f32),
        ("article elements", articles as f32),
        ("time elements", times as f32),
        ("pictures", pictures as f32),
        ("first headings", firsts as f32),
        ("fields", fields as f32),
        ("text fields", areas as f32),
        ("table cells", cells as f32),
        ("list items", points as f32),
        ("links to the next page", next as f32),
        ("items of microdata", items as f32),
    ]);
    out.extend(NAMES.iter().zip(names).map(|(name, count)| (*name, count as f32)));
}

/// Which of [`NAMES`] words of these names begin with, a bit each: words as in [`crate::extract::segment::words`].
fn begun(names: &str) -> u32 {
    let bytes = names.as_bytes();
    // As far as words are told.
    let bytes = &bytes[..bytes.len().min(LONGEST_NAMES)];
    let mut found = 0;
    STEMS.find(bytes, |at, name| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        let goes_on = before.is_some_and(|before| {
            before.is_ascii_uppercase()
                || before.is_ascii_lowercase() && !bytes[at].is_ascii_uppercase()
        });
        found |= u32::from(!goes_on) << name;
    });
    found
}

/// What markup says.
fn marks(marked: Marked, out: &mut Columns) {
    let bit = |is: bool| f32::from(u8::from(is));
    out.extend([
        ("is dated", bit(marked.dated)),
        ("is called an article", bit(marked.article)),
        ("is called a list", bit(marked.list)),
        ("names items", bit(marked.items)),
        ("is shared as an article", bit(marked.shared_article)),
    ]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::extract::Limits;
    use crate::extract::segment::{Profile, words};

    fn of(html: &str, address: Option<&str>) -> Columns {
        let page = PageBlocks::read(html, Profile::Modern, &Limits::default());
        let labels = vec![Label::Paragraph; page.len()];
        columns(Seen { page: &page, labels: &labels, marked: Marked::default(), address })
    }

    fn value(columns: &Columns, name: &str) -> f32 {
        let found = columns.iter().find(|(known, _)| *known == name);
        found.unwrap_or_else(|| panic!("no column {name}")).1
    }

    #[test]
    fn what_is_repeated_and_named_is_counted() {
        let card = |n: usize| {
            format!(
                "<div class=newsCard><h3><a href=/{n}>Title {n}</a></h3><p>Some text of {n}</p></div>"
            )
        };
        let cards: String = (0..5).map(card).collect();
        let found = of(&format!("<main>{cards}</main>"), Some("https://a.example/tag/b?page=2"));
        assert_eq!(value(&found, "row of most words: count"), 5.0);
        assert_eq!(value(&found, "row of most words: words each"), 6.0);
        assert_eq!(value(&found, "row of most titles: with headings"), 1.0);
        assert_eq!(value(&found, "linked headings"), 5.0);
        assert_eq!((value(&found, "card"), value(&found, "post")), (5.0, 0.0));
        assert_eq!(value(&found, "address: of a list"), 1.0);
        // Paragraphs are no cards, however many there are.
        assert_eq!(value(&of(&"<p>Some text".repeat(9), None), "row of most words: count"), 0.0);
    }

    #[test]
    fn columns_have_names_of_their_own() {
        let names: Vec<&str> = of("", None).into_iter().map(|(name, _)| name).collect();
        let distinct: std::collections::BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(distinct.len(), names.len());
        assert!(names[names.len() - ADDRESS..].iter().all(|name| name.starts_with("address")));
    }

    proptest! {
        #[test]
        fn names_begin_words(names in "((post|Post|POST|newsCard|é|[A-Za-z0-9])[ _-]?){0,9}") {
            let begins = |at: usize, name: &str| {
                let word = names.as_bytes().get(at..at + name.len());
                word.is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes()))
            };
            let expect = words(&names).flat_map(|word| {
                (0..NAMES.len()).filter(move |name| begins(word.start, NAMES[*name]))
            });
            prop_assert_eq!(begun(&names), expect.fold(0, |found, name| found | 1 << name));
        }

        #[test]
        fn any_page_has_all_columns(html in "(<(div class=card|p|h2|a href=x|article|li)>|[ a-z]{1,9}|</div>){0,60}", address in ".{0,40}") {
            let found = of(&html, Some(&address));
            prop_assert_eq!(found.len(), of("", None).len());
            prop_assert!(found.iter().all(|(_, value)| value.is_finite()));
        }
    }
}
