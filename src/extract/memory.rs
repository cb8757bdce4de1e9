//! Site memory: what an outlet prints on many of its pages is furniture, however much it reads like
//! prose: newsletter offers, disclaimers, house rules, teasers of the day.
//!
//! Of each page its fingerprints are kept ([`Printed`]); a memory is made from those of some pages, in
//! whatever order, and never changes, so that page, model and memory alone decide what is extracted.
//! Must not know: labelers, stores, how pages are gathered.

use std::collections::{HashMap, HashSet};

use super::label::Scored;
use super::page::PageBlocks;
use super::text;
use crate::model::{Article, Block, Label};

/// A text is furniture if it stood in at least so many stories …
const STORIES: usize = 3;
/// … and in one of so many of the stories remembered.
const ONE_OF: usize = 4;
/// Pages that share this part of the longer one's article, by words, are of one story: copies of each
/// other, or follow-ups that repeat its background.
const SHARED: f32 = 0.08;
/// But what more than half of so many pages print is no background, and makes no story.
const FEW: usize = 8;
/// Shorter blocks are left to the labeler: section headings repeat from article to article.
const LEAST_WORDS: u32 = 3;
/// Text of a lower probability is known without a memory.
const LIKELY: f32 = 0.1;
/// At most so many fingerprints, 8 bytes each: the texts of most stories.
const MOST: usize = 4096;
/// A page that would lose more than this share of its content's words is a copy of pages already
/// seen; the memory has nothing to say of it.
const COPY: f32 = 0.4;
/// Fingerprints kept of one page, of its article and in all: the smallest, which are the same of a
/// text wherever it stands.
const MOST_CONTENT: usize = 200;
const MOST_PRINTED: usize = 400;
/// Version of the encoded form.
const VERSION: u8 = 1;

/// What one page printed: fingerprints of the texts of its blocks, short ones left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// Text of the article, with its words; ascending.
    content: Vec<(u64, u16)>,
    /// All else; ascending.
    rest: Vec<u64>,
}

impl Printed {
    /// The fingerprints of a page. Whoever reads it again from the stored article finds the same.
    pub fn of(article: &Article) -> Printed {
        let mut content: Vec<(u64, u16)> = Vec::new();
        let mut rest: Vec<u64> = Vec::new();
        for block in &article.blocks {
            if block.label.is_content() {
                let words = text::count_words(&block.text, u16::MAX.into());
                if words >= LEAST_WORDS {
                    let words = u16::try_from(words).unwrap_or(u16::MAX);
                    content.push((fingerprint(&block.text), words));
                }
            } else if speaks(block) && is_long(&block.text) {
                rest.push(fingerprint(&block.text));
            }
        }
        content.sort_unstable();
        content.dedup_by_key(|(text, _)| *text);
        rest.sort_unstable();
        rest.dedup();
        rest.retain(|text| content.binary_search_by_key(text, |(text, _)| *text).is_err());
        content.truncate(MOST_CONTENT);
        rest.truncate(MOST_PRINTED - content.len());
        Printed { content, rest }
    }

    /// At most 3.7 KB.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        bytes.extend((self.content.len() as u16).to_be_bytes());
        for (text, words) in &self.content {
            bytes.extend(text.to_be_bytes());
            bytes.extend(words.to_be_bytes());
        }
        self.rest.iter().for_each(|text| bytes.extend(text.to_be_bytes()));
        bytes
    }

    /// `None`: these are not the bytes of [`Printed::encode`].
    pub fn decode(bytes: &[u8]) -> Option<Printed> {
        let (&[version, high, low], bytes) = bytes.split_first_chunk()?;
        let content = usize::from(u16::from_be_bytes([high, low])) * 10;
        let (content, rest) = bytes.split_at_checked(content)?;
        let (content, _) = content.as_chunks::<10>();
        let (rest, left) = rest.as_chunks::<8>();
        if version != VERSION || !left.is_empty() {
            return None;
        }
        let content = content.iter().map(|&[a, b, c, d, e, f, g, h, high, low]| {
            (u64::from_be_bytes([a, b, c, d, e, f, g, h]), u16::from_be_bytes([high, low]))
        });
        let rest = rest.iter().map(|text| u64::from_be_bytes(*text));
        Some(Printed { content: content.collect(), rest: rest.collect() })
    }

    /// Fingerprints of all its texts.
    fn texts(&self) -> impl Iterator<Item = u64> {
        self.content.iter().map(|(text, _)| *text).chain(self.rest.iter().copied())
    }
}

/// Fingerprints of the texts that an outlet prints in many of its stories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Pages that it was made of.
    pub pages: usize,
    /// Ascending.
    texts: Vec<u64>,
}

impl Memory {
    /// The memory of these pages.
    pub fn new<'a>(pages: impl IntoIterator<Item = &'a Printed>) -> Memory {
        let pages: Vec<&Printed> = pages.into_iter().collect();
        let stories = stories(&pages);
        let of = |page: usize| stories.get(page).copied().unwrap_or(page);
        let mut seen: HashMap<u64, HashSet<usize>> = HashMap::new();
        for (page, printed) in pages.iter().enumerate() {
            for text in printed.texts() {
                seen.entry(text).or_default().insert(of(page));
            }
        }
        let all: HashSet<usize> = (0..pages.len()).map(of).collect();
        let enough = STORIES.max(all.len().div_ceil(ONE_OF));
        let counts = seen.into_iter().map(|(text, stories)| (stories.len(), text));
        let mut known: Vec<(usize, u64)> = counts.filter(|(n, _)| *n >= enough).collect();
        known.sort_unstable_by_key(|&(n, text)| (std::cmp::Reverse(n), text));
        known.truncate(MOST);
        let mut texts: Vec<u64> = known.into_iter().map(|(_, text)| text).collect();
        texts.sort_unstable();
        Memory { pages: pages.len(), texts }
    }

    /// How many texts it knows.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The same for memories that know the same texts, and hardly for others.
    pub fn sum(&self) -> u64 {
        fnv(self.texts.iter().flat_map(|text| text.to_be_bytes()))
    }

    /// Does the outlet print this text in many of its stories?
    pub fn knows(&self, text: &str) -> bool {
        self.texts.binary_search(&fingerprint(text)).is_ok()
    }

    /// Takes the known texts out of the content; says which.
    pub fn apply(&self, page: &PageBlocks, scored: &mut [Scored]) -> Vec<usize> {
        let (mut words, mut lost) = (0, 0);
        let mut known: Vec<usize> = Vec::new();
        let content = scored.iter().zip(&page.stats).enumerate().filter(|(_, (s, _))| s.content);
        for (index, (_, stats)) in content {
            words += stats.words;
            if self.knows(page.text(index)) {
                lost += stats.words;
                known.push(index);
            }
        }
        if lost as f32 > COPY * words as f32 {
            return Vec::new();
        }
        for index in &known {
            if let Some(scored) = scored.get_mut(*index) {
                *scored = Scored { content: false, probability: scored.probability.min(0.49) };
            }
        }
        known
    }

    /// Names what it took away and nothing else has a name for.
    pub fn name(taken: &[usize], labels: &mut [Label]) {
        for index in taken {
            if let Some(label) = labels.get_mut(*index).filter(|label| **label == Label::None) {
                *label = Label::Repeated;
            }
        }
    }
}

/// Does a block that is no text of its article say that its text is furniture? Readers write comments, and what points
/// to another article says what stands there; what the labeler finds most unlikely as text needs no memory to be
/// known, and it is where anybody's words may stand: columns of comments, teasers, what nobody sees.
fn speaks(block: &Block) -> bool {
    match block.label {
        Label::Comment | Label::RelatedArticle => false,
        Label::Repeated => true,
        _ => block.probability >= LIKELY,
    }
}

/// Has a text [`LEAST_WORDS`]?
fn is_long(text: &str) -> bool {
    text::count_words(text, LEAST_WORDS) >= LEAST_WORDS
}

/// Texts of articles with their words, ascending.
type Texts = Vec<(u64, u16)>;

/// The story of each page, named after one of its pages.
fn stories(pages: &[&Printed]) -> Vec<usize> {
    let mut on: HashMap<u64, usize> = HashMap::new();
    pages.iter().flat_map(|page| page.texts()).for_each(|text| *on.entry(text).or_default() += 1);
    let tells = |text: u64| {
        pages.len() < FEW || on.get(&text).is_none_or(|pages_on| pages_on * 2 <= pages.len())
    };
    let telling = |page: &&Printed| -> Texts {
        page.content.iter().copied().filter(|(text, _)| tells(*text)).collect()
    };
    let texts: Vec<Texts> = pages.iter().map(telling).collect();
    let mut story: Vec<usize> = (0..pages.len()).collect();
    for (a, page) in texts.iter().enumerate() {
        for (b, other) in texts.iter().enumerate().take(a) {
            let (Some(&one), Some(&two)) = (story.get(a), story.get(b)) else { continue };
            if one != two && are_near(page, other) {
                story.iter_mut().filter(|story| **story == one).for_each(|story| *story = two);
            }
        }
    }
    story
}

/// Is so much of the longer one in both that they are of one story?
fn are_near(page: &Texts, other: &Texts) -> bool {
    let words = |texts: &Texts| texts.iter().map(|(_, words)| u32::from(*words)).sum::<u32>();
    let (mut shared, mut there) = (0, other.iter().peekable());
    for (text, n) in page {
        while there.next_if(|(other, _)| other < text).is_some() {}
        if there.peek().is_some_and(|(other, _)| other == text) {
            shared += u32::from(*n);
        }
    }
    shared > 0 && shared as f32 >= SHARED * words(page).max(words(other)) as f32
}

fn fingerprint(text: &str) -> u64 {
    fnv(text.bytes())
}

/// FNV-1a: the same on every machine and in every version.
fn fnv(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::extract::dom::Limits;
    use crate::extract::segment::Profile;
    use crate::model::PageType;

    const OFFER: &str = "Get our letter every morning and read what matters.";
    const ONE: &str = "The bridge was closed on Monday because the river had risen again.";
    const TWO: &str = "Engineers are going to look at it and will say by Friday what is next.";

    fn printed(content: &[&str], rest: &[&str]) -> Printed {
        let block =
            |label| move |text: &&str| Block { text: (*text).into(), label, probability: 0.5 };
        let blocks = content.iter().map(block(Label::Paragraph));
        let blocks = blocks.chain(rest.iter().map(block(Label::None))).collect();
        let article = Article { page_type: PageType::Article, blocks, ..Article::default() };
        Printed::of(&article)
    }

    proptest! {
        #[test]
        fn a_long_text_is_one_of_enough_words(text in "[a_,. 京都]{0,12}|\\PC{0,20}") {
            prop_assert_eq!(is_long(&text), text::stats(&text, &[]).words >= LEAST_WORDS);
        }
    }

    /// Paragraphs that no other page has.
    fn own(page: usize) -> Vec<String> {
        (0..12)
            .map(|i| format!("Page {page} says in its paragraph {i} what nobody else does."))
            .collect()
    }

    /// A page of twelve paragraphs of its own and some that it shares.
    fn story(page: usize, shared: &[&str]) -> Printed {
        let own = own(page);
        let texts: Vec<&str> =
            own.iter().map(String::as_str).chain(shared.iter().copied()).collect();
        printed(&texts, &["Home", "All the news of today"])
    }

    fn check(memory: &Memory, paragraphs: &[&str], expect: &[bool]) {
        let html: String = paragraphs.iter().map(|p| format!("<p>{p}</p>")).collect();
        let page = PageBlocks::read(&html, Profile::Modern, &Limits::default());
        let mut scored = vec![Scored { content: true, probability: 0.9 }; page.len()];
        let taken = memory.apply(&page, &mut scored);
        let found: Vec<bool> = scored.iter().map(|s| s.content).collect();
        assert_eq!(found, expect, "{paragraphs:?}");
        assert!(scored.iter().all(|s| (s.probability >= 0.5) == s.content));
        let gone: Vec<usize> = (0..expect.len()).filter(|i| !expect[*i]).collect();
        assert_eq!(taken, gone);
        let mut labels = vec![Label::None; expect.len()];
        labels[0] = Label::Caption;
        Memory::name(&[0, 1], &mut labels);
        assert_eq!(labels[..2], [Label::Caption, Label::Repeated], "a better name stays");
    }

    #[test]
    fn what_three_stories_share_is_furniture_on_a_fourth() {
        let offered = [story(1, &[OFFER]), story(2, &[OFFER]), story(3, &[OFFER])];
        let memory = Memory::new(&offered);
        assert_eq!((memory.pages, memory.len()), (3, 2));
        check(&memory, &[ONE, TWO, OFFER], &[true, true, false]);
        check(&Memory::new(&offered[1..]), &[ONE, TWO, OFFER], &[true, true, true]);
        // It need not have been taken for article text there.
        let aside = [1, 2, 3].map(|n| printed(&[&own(n)[0]], &[OFFER]));
        check(&Memory::new(&aside), &[ONE, TWO, OFFER], &[true, true, false]);
    }

    #[test]
    fn what_few_of_many_stories_share_is_no_furniture() {
        let mut pages: Vec<Printed> = (0..9).map(|n| story(n, &[])).collect();
        pages.extend((9..12).map(|n| story(n, &[OFFER])));
        check(&Memory::new(&pages), &[ONE, TWO, OFFER], &[true, true, false]);
        pages.extend([story(12, &[])]);
        check(&Memory::new(&pages), &[ONE, TWO, OFFER], &[true, true, true]);
    }

    #[test]
    fn copies_are_one_story() {
        let copies = [0, 0, 0].map(|n| story(n, &[OFFER]));
        let text = own(0);
        let mut text: Vec<&str> = text.iter().map(String::as_str).take(2).collect();
        let more = own(9);
        text.extend(more.iter().map(String::as_str));
        text.push(OFFER);
        // A rewritten fourth one is kept whole, too.
        check(&Memory::new(&copies), &text, &[true; 15]);
        let others = [1, 2].map(|n| story(n, &[OFFER]));
        let all = copies.iter().chain(&others);
        let expect: Vec<bool> = text.iter().map(|text| *text != OFFER).collect();
        check(&Memory::new(all), &text, &expect);
    }

    #[test]
    fn background_of_a_running_story_stays() {
        let background = [ONE, TWO];
        let mut pages: Vec<Printed> = (0..6).map(|n| story(n, &background)).collect();
        pages.extend((6..12).map(|n| story(n, &[OFFER])));
        let next = own(12);
        let mut next: Vec<&str> = next.iter().map(String::as_str).collect();
        next.extend([ONE, TWO, OFFER]);
        let expect: Vec<bool> = next.iter().map(|text| *text != OFFER).collect();
        check(&Memory::new(&pages), &next, &expect);
    }

    #[test]
    fn what_most_pages_print_makes_no_story() {
        // Short reports: the offer is a third of each.
        let brief = |n: usize| printed(&[&own(n)[0], &own(n)[1], OFFER], &[]);
        let pages: Vec<Printed> = (0..8).map(brief).collect();
        check(&Memory::new(&pages), &[ONE, TWO, OFFER], &[true, true, false]);
        check(&Memory::new(&pages[1..]), &[ONE, TWO, OFFER], &[true, true, true]);
    }

    #[test]
    fn a_page_of_known_texts_keeps_them() {
        let all = [1, 2, 3].map(|n| story(n, &[OFFER]));
        check(&Memory::new(&all), &[OFFER, "Nothing more today."], &[true, true]);
    }

    #[test]
    fn what_readers_and_teasers_say_is_no_furniture() {
        let check = |label, probability, expect: bool| {
            let page = |n: usize| {
                let block = |text: &str, label, probability| Block {
                    text: text.into(),
                    label,
                    probability,
                };
                let own = own(n).into_iter().map(|text| block(&text, Label::Paragraph, 0.9));
                let blocks = own.chain([block(OFFER, label, probability)]).collect();
                Printed::of(&Article { blocks, ..Article::default() })
            };
            let pages = [1, 2, 3].map(page);
            assert_eq!(Memory::new(&pages).knows(OFFER), expect, "{label:?} {probability}");
        };
        check(Label::Paragraph, 0.9, true);
        check(Label::None, 0.3, true);
        check(Label::Repeated, 0.0, true);
        check(Label::Comment, 0.3, false);
        check(Label::RelatedArticle, 0.3, false);
        check(Label::None, 0.02, false);
    }

    #[test]
    fn short_lines_do_not_count_and_the_texts_of_most_stories_stay() {
        let short = [1, 2, 3].map(|n| story(n, &["Background"]));
        check(&Memory::new(&short), &["Background", ONE, TWO], &[true, true, true]);
        let many = |page: usize| {
            let texts: Vec<String> =
                (0..MOST_PRINTED).map(|i| format!("Text {i} of row {}", page / 4)).collect();
            printed(&[], &texts.iter().map(String::as_str).collect::<Vec<_>>())
        };
        // Twelve rows of texts on four pages each are more than fit.
        let mut pages: Vec<Printed> = (0..44).map(many).collect();
        pages.truncate(12);
        assert_eq!(Memory::new(&pages).len(), 3 * MOST_PRINTED);
    }

    proptest! {
        /// Whatever the order; as by looking at every path of shared texts and every story.
        #[test]
        fn a_memory_is_what_the_definition_says(
            pages in proptest::collection::vec(
                (proptest::collection::btree_set(0u8..30, 0..6), proptest::collection::btree_set(0u8..30, 0..6)),
                0..12,
            ),
        ) {
            let text = |n: &u8| format!("This is text number {n}");
            let all: Vec<Printed> = pages.iter().map(|(content, rest)| {
                let texts = |of: &BTreeSet<u8>| of.iter().map(text).collect::<Vec<_>>();
                let (content, rest) = (texts(content), texts(rest));
                let by_ref = |of: &Vec<String>| of.iter().map(|t| t.as_str().to_owned()).collect::<Vec<_>>();
                let (content, rest) = (by_ref(&content), by_ref(&rest));
                printed(
                    &content.iter().map(String::as_str).collect::<Vec<_>>(),
                    &rest.iter().map(String::as_str).collect::<Vec<_>>(),
                )
            }).collect();
            let memory = Memory::new(&all);
            prop_assert_eq!(&memory, &Memory::new(all.iter().rev()));
            let on = |n: &u8| pages.iter().filter(|(c, r)| c.contains(n) || r.contains(n)).count();
            let telling = |page: usize| -> BTreeSet<u8> {
                let all = pages[page].0.iter().copied();
                all.filter(|n| pages.len() < FEW || on(n) * 2 <= pages.len()).collect()
            };
            let near = |a: usize, b: usize| {
                let (a, b) = (telling(a), telling(b));
                let both = a.intersection(&b).count();
                both > 0 && both as f32 >= SHARED * a.len().max(b.len()) as f32
            };
            // Everything that can be reached from a page is its story.
            let story = |page: usize| {
                let mut reached = BTreeSet::from([page]);
                for _ in 0..pages.len() {
                    let more: Vec<usize> = (0..pages.len())
                        .filter(|b| reached.iter().any(|a| near(*a, *b))).collect();
                    reached.extend(more);
                }
                reached.first().copied()
            };
            let stories: BTreeSet<_> = (0..pages.len()).map(story).collect();
            for n in 0u8..30 {
                let on = (0..pages.len()).filter(|p| pages[*p].0.contains(&n) || pages[*p].1.contains(&n));
                let count = on.map(story).collect::<BTreeSet<_>>().len();
                let known = count >= STORIES && count * ONE_OF >= stories.len();
                prop_assert_eq!(memory.knows(&text(&n)), known, "text {}", n);
            }
        }

        #[test]
        fn pages_come_back_from_their_bytes(
            content in proptest::collection::btree_map(any::<u64>(), any::<u16>(), 0..9),
            rest in proptest::collection::btree_set(any::<u64>(), 0..9),
            cut in 1usize..8,
        ) {
            let page = Printed { content: content.into_iter().collect(), rest: rest.into_iter().collect() };
            let bytes = page.encode();
            prop_assert_eq!(Printed::decode(&bytes), Some(page));
            prop_assert_eq!(Printed::decode(&bytes[..bytes.len() - cut.min(bytes.len())]), None);
        }
    }
}
