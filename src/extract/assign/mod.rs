//! From content or not to what each block is: title, caption, comment, credit, byline, date line,
//! introduction, heading, paragraph. Rules, in this order; a block takes the first that fits. What is left
//! may still be tags or a pointer to related articles ([`beside`]).
//!
//! What a block looks like says less than a labeler that is sure: the rules for captions, credits and
//! bylines leave alone what is content with probability [`SURE`], that for captions longer ones from
//! [`LIKELY`] on. What stands above the article or far behind it ([`far`]) is told by the probability, too. The others
//! hold whatever the probability: titles and the text that follows them, date lines, comments, also those that only a
//! line announces ([`announced`]), further articles below the first ([`next`]), menus, links and headings at the end,
//! pointers to other articles, what nobody sees, dialogs that ask for consent, embedded posts and boxes ([`apart`]),
//! what buttons say ([`controls`]), and notes on who else reported, which a labeler takes for text.
//!
//! Must not know: how the labeler decided, how text is counted.

use crate::extract::dom::{Id, NONE};
use crate::extract::label::Scored;
use crate::extract::page::PageBlocks;
use crate::extract::segment::{Flags, Groups, LastLink, RawBlock};
use crate::extract::text::{Stats, squeezed_chars};
use crate::model::Label;

mod announced;
mod apart;
mod beside;
mod consent;
mod controls;
mod far;
mod line;
mod next;
mod pointer;
mod revealed;
mod tables;

use apart::{Boxes, Posts};
pub(super) use consent::Consent;

/// Content of this probability is text, whatever it looks like (measured: docs/extraction.md).
const SURE: f32 = 0.9;
/// Content of this probability and of so many words is no caption: leads stand below pictures, too.
const LIKELY: f32 = 0.7;
const LEAD_WORDS: u32 = 20;
/// Captions are shorter than this many words.
const CAPTION_WORDS: u32 = 80;
/// Credits and bylines are at most so many words.
const LINE_WORDS: u32 = 25;
/// An article has at least so many words where only a heading, or the element around its title, says where it ends.
const ARTICLE_WORDS: u32 = 60;
/// Notes on who else reported are at most so many words.
const NOTE_WORDS: u32 = 45;
/// Notes on liability are at most so many words.
const DISCLAIMER_WORDS: u32 = 100;
/// Date lines are at most so many words.
const DATE_WORDS: u32 = 15;

/// A label per block. `title` and `authors` are those that metadata found.
pub fn labels(
    page: &PageBlocks,
    scored: &[Scored],
    title: Option<&str>,
    authors: &[&str],
) -> Vec<Label> {
    let mut content: Vec<bool> = content(page, scored);
    let first = content.iter().position(|c| *c);
    let titled = title.and_then(|title| title_block(page, title, first));
    follow_title(page, scored, &mut content, titled);
    cut_menus(page, &mut content, titled);
    cut_consent(page, &mut content, titled);
    cut_apart(page, &mut content, titled);
    cut_next(page, &mut content, titled);
    let pointers = cut_pointers(page, &mut content);
    let comments = cut_comments(page, &mut content);
    cut_far(page, scored, &mut content, titled);
    cut_last_headings(page, &mut content);
    let first = content.iter().position(|c| *c);
    let last = content.iter().rposition(|c| *c);
    let comments_apart = comments_apart(page, &content);
    let mut labels = Vec::with_capacity(page.len());
    for (index, (block, stats)) in page.iter().enumerate() {
        let in_article =
            first.is_some_and(|f| index + 12 >= f) && last.is_some_and(|l| index <= l + 4);
        let text = page.text(index);
        let prose = stats.words >= 12 && stats.ends > 0;
        let likely = |least: f32| {
            content[index] && scored.get(index).is_some_and(|s| s.probability >= least)
        };
        let sure = likely(SURE);
        let lead = stats.words >= LEAD_WORDS && likely(LIKELY);
        let label = if titled == Some(index) {
            Label::Title
        } else if block.flags.has(Flags::COMMENTS) && comments_apart {
            Label::Comment
        } else if page.unseen(block).is_some() && !content[index] || !in_article {
            Label::None
        } else if !sure
            && stats.words <= LINE_WORDS
            && line::is_credit(text, line::names(text, block))
            || content[index] && stats.words <= NOTE_WORDS && line::is_note(text, stats)
            || content[index] && stats.words <= DISCLAIMER_WORDS && line::is_disclaimer(text)
        {
            Label::Credit
        } else if !sure && !lead && is_caption(page, block, stats.words) {
            Label::Caption
        } else if !sure
            && stats.words <= LINE_WORDS
            && !prose
            && line::is_byline(text, line::names(text, block), authors)
            && titled.is_none_or(|t| index + 8 > t)
        {
            Label::Author
        } else if stats.words <= DATE_WORDS
            && block.heading == 0
            && line::is_date(page, block, stats, text)
        {
            Label::Date
        } else if is_standfirst(page, index, titled, first, content[index]) {
            Label::Introduction
        } else if is_heading(page, index, &content, first, last) {
            Label::Heading
        } else if content[index] {
            Label::Paragraph
        } else {
            Label::None
        };
        labels.push(label);
    }
    cut_labelled_tail(page, &mut content, &mut labels);
    beside::name(page, &content, titled, &mut labels);
    for (found, label) in [(pointers, Label::RelatedArticle), (comments, Label::Comment)] {
        for index in found {
            if labels[index] == Label::None {
                labels[index] = label;
            }
        }
    }
    labels
}

/// The labeler's decision, without what nobody sees, unless the whole article stands in what a script
/// shows ([`revealed`]); cells of a table together ([`tables`]). What is hidden from assistive software alone (`aria-hidden`) is seen.
fn content(page: &PageBlocks, scored: &[Scored]) -> Vec<bool> {
    let kept = revealed::containers(page, scored);
    let counts = |block: &RawBlock| page.unseen(block).is_none_or(|by| kept.contains(&by));
    let blocks = page.iter().zip(scored);
    let mut content: Vec<bool> =
        blocks.map(|((block, _), scored)| scored.content && counts(block)).collect();
    for (index, stats) in page.stats.iter().enumerate() {
        content[index] = content[index] && !controls::is_control(page, index, stats);
    }
    tables::complete(page, scored, &mut content);
    cut_link_tail(page, &mut content);
    content
}

/// An article does not end in links: what is mostly linked at its end, without a sentence, is a
/// list of other articles.
fn cut_link_tail(page: &PageBlocks, content: &mut [bool]) {
    for (chosen, stats) in content.iter_mut().zip(&page.stats).rev().filter(|(c, _)| **c) {
        if !is_linked(stats) {
            return;
        }
        *chosen = false;
    }
}

fn is_linked(stats: &Stats) -> bool {
    stats.link_words * 2 > stats.words && stats.ends == 0
}

/// Nor does it end in links before credits and the like, but in addresses that are printed; unless it is nothing else.
fn cut_labelled_tail(page: &PageBlocks, content: &mut [bool], labels: &mut [Label]) {
    let text = |index: &usize| labels.get(*index).is_some_and(|label| label.is_content());
    let stays = |index: &usize| {
        page.text(*index).starts_with("http") || !page.stats.get(*index).is_some_and(is_linked)
    };
    let Some(last) = (0..labels.len()).rev().filter(text).find(stays) else { return };
    for index in last + 1..labels.len() {
        if labels[index].is_content() {
            (labels[index], content[index]) = (Label::None, false);
        }
    }
}

/// Running text right below the title that was nearly chosen is the article, where all that was chosen stands above the
/// title: news in brief, terms of use.
fn follow_title(page: &PageBlocks, scored: &[Scored], content: &mut [bool], titled: Option<usize>) {
    let above = |titled: usize| content.iter().rposition(|c| *c).is_some_and(|last| last < titled);
    let Some(titled) = titled.filter(|titled| above(*titled)) else { return };
    let nearly = |index: usize, words: u32| {
        let (Some(block), Some(stats)) = (page.blocks.list.get(index), page.stats.get(index))
        else {
            return false;
        };
        stats.words >= words
            && stats.link_words * 3 <= stats.words
            && scored.get(index).is_some_and(|s| s.probability >= NEARLY)
            && !block.flags.has(Flags::COMMENTS)
            && page.unseen(block).is_none()
    };
    if !(titled + 1..=titled + RIGHT_BELOW).any(|index| nearly(index, PROSE_WORDS)) {
        return;
    }
    for (index, chosen) in content.iter_mut().enumerate() {
        *chosen = (titled + 1..=titled + BELOW).contains(&index) && nearly(index, BELOW_WORDS);
    }
}

/// What has this probability was nearly chosen.
const NEARLY: f32 = 0.15;
/// So many blocks behind the title such a text begins, with a block of so many words; …
const RIGHT_BELOW: usize = 7;
const PROSE_WORDS: u32 = 40;
/// … so many blocks behind it the text may go on, with blocks of so many words.
const BELOW: usize = 40;
const BELOW_WORDS: u32 = 10;

/// What is linked throughout, without a sentence, above the title is a menu.
fn cut_menus(page: &PageBlocks, content: &mut [bool], titled: Option<usize>) {
    let above = content.iter_mut().zip(&page.stats).take(titled.unwrap_or(0));
    for (chosen, stats) in above {
        *chosen &= stats.link_words < stats.words || stats.ends > 0;
    }
}

/// A dialog that asks for consent is no text, unless the title or half of the text stands in such
/// containers.
fn cut_consent(page: &PageBlocks, content: &mut [bool], titled: Option<usize>) {
    let mut consent = Consent::new(page);
    cut_unless_most(page, content, titled, |index| consent.asks(index));
}

/// Nor are posts of networks and boxes that ask readers for something ([`apart`]), each unless so much of it stands there.
fn cut_apart(page: &PageBlocks, content: &mut [bool], titled: Option<usize>) {
    let mut posts = Posts::new(page);
    cut_unless_most(page, content, titled, |index| posts.hold(index));
    let mut boxes = Boxes::new(page, content, titled);
    cut_unless_most(page, content, titled, |index| boxes.hold(index));
}

fn cut_unless_most(
    page: &PageBlocks,
    content: &mut [bool],
    titled: Option<usize>,
    mut holds: impl FnMut(usize) -> bool,
) {
    let (mut inside, mut all) = (0, 0);
    let mut found = Vec::new();
    for (index, stats) in page.stats.iter().enumerate().filter(|(i, _)| content[*i]) {
        all += u64::from(stats.words);
        if holds(index) {
            inside += u64::from(stats.words);
            found.push(index);
        }
    }
    if inside * 2 < all && !titled.is_some_and(holds) {
        found.into_iter().for_each(|index| content[index] = false);
    }
}

/// What stands in another article below the one with the title is no text, unless nothing else is.
fn cut_next(page: &PageBlocks, content: &mut [bool], titled: Option<usize>) {
    let Some(titled) = titled else { return };
    let (mut others, mut least) = (next::articles(page, titled), LINE_WORDS);
    if others.is_empty()
        && let Some(first) = (titled + 1..content.len()).find(|&index| content[index])
    {
        (others, least) = (next::headed(page, titled, first), ARTICLE_WORDS);
    }
    if others.is_empty() {
        return;
    }
    let mut kept = content.to_vec();
    let mut words = 0;
    for ((chosen, block), stats) in kept.iter_mut().zip(&page.blocks.list).zip(&page.stats) {
        *chosen &= !next::holds(page, &others, block.container);
        words += if *chosen { stats.words } else { 0 };
    }
    if words >= least {
        content.copy_from_slice(&kept);
    }
}

/// Lines amid the text that only point to another article are none of it, nor are those that announce a list which is
/// none; gives them.
fn cut_pointers(page: &PageBlocks, content: &mut [bool]) -> Vec<usize> {
    let points = |index: usize, stats: &Stats| {
        pointer::is_pointer(page, index, stats)
            || content.get(index + 1) != Some(&true) && pointer::is_announcement(page, index, stats)
    };
    let chosen = page.stats.iter().enumerate().filter(|(index, _)| content[*index]);
    let mut found: Vec<usize> =
        chosen.filter(|(index, stats)| points(*index, stats)).map(|(index, _)| index).collect();
    announced_links(page, content, &mut found);
    for &index in &found {
        content[index] = false;
    }
    found
}

/// Headlines of other articles behind a line that announces them, linked throughout, and that line.
fn announced_links(page: &PageBlocks, content: &[bool], found: &mut Vec<usize>) {
    let mut announced = false;
    let mut last_link = LastLink::default();
    for (index, stats) in page.stats.iter().enumerate() {
        let linked = stats.link_words > 0 && stats.link_words >= stats.words;
        if !linked || stats.ends > u32::from(pointer::asks(page.text(index))) {
            announced = false;
            continue;
        }
        let chosen = content.get(index) == Some(&true);
        let Some(before) = index.checked_sub(1).filter(|_| chosen) else { continue };
        let opens = |stats: &Stats| pointer::is_announcement(page, before, stats);
        if !announced
            && page.stats.get(before).is_some_and(opens)
            && pointer::leads_on(page, index, &mut last_link)
        {
            announced = true;
            found.extend(content.get(before).filter(|chosen| **chosen).map(|_| before));
        }
        found.extend(announced.then_some(index));
    }
}

/// Comments below a line that announces them are no text; gives them.
fn cut_comments(page: &PageBlocks, content: &mut [bool]) -> Vec<usize> {
    let found = announced::comments(page, content);
    for &index in &found {
        content[index] = false;
    }
    found
}

/// What is less sure above the title and far behind the article is no text ([`far`]). Comments, which are named so
/// later, are not looked at: they are less sure, too.
fn cut_far(page: &PageBlocks, scored: &[Scored], content: &mut [bool], titled: Option<usize>) {
    let apart = comments_apart(page, content);
    let comments = |block: &RawBlock| apart && block.flags.has(Flags::COMMENTS);
    let blocks = page.blocks.list.iter().zip(&*content);
    let mut text: Vec<bool> = blocks.map(|(block, chosen)| *chosen && !comments(block)).collect();
    far::cut_above(page, scored, &mut text, titled);
    far::cut_behind(page, scored, &mut text, titled);
    for ((chosen, block), text) in content.iter_mut().zip(&page.blocks.list).zip(text) {
        *chosen &= text || comments(block);
    }
}

/// A heading that no text follows is that of something else.
fn cut_last_headings(page: &PageBlocks, content: &mut [bool]) {
    let is_heading = |index: usize| page.blocks.list.get(index).is_some_and(|b| b.heading > 0);
    let Some(last) = (0..content.len()).rfind(|&i| content[i] && !is_heading(i)) else { return };
    content.iter_mut().skip(last + 1).for_each(|chosen| *chosen = false);
}

/// A container named after comments that begins before the article does is not one of comments.
fn comments_apart(page: &PageBlocks, content: &[bool]) -> bool {
    let first_prose = page
        .iter()
        .zip(content)
        .find(|((block, stats), c)| **c && stats.words >= 10 && block.heading == 0);
    first_prose.is_none_or(|((block, _), _)| !block.flags.has(Flags::COMMENTS))
}

/// The one block that shows the article's title: an `<h1>` that matches, else another heading,
/// else the last match before the text begins.
fn title_block(page: &PageBlocks, title: &str, first: Option<usize>) -> Option<usize> {
    let wanted: String = squeezed_chars(title).collect();
    if wanted.is_empty() {
        return None;
    }
    let mut best: Option<(u32, usize)> = None;
    let mut squeezed = String::new();
    for (index, (block, stats)) in page.iter().enumerate() {
        let below = first.is_some_and(|first| index > first);
        if stats.words > 60
            || block.flags.has(Flags::COMMENTS) && below
            || page.unseen(block).is_some()
        {
            continue;
        }
        let exact = may_begin(page.text(index), &wanted)
            && squeezed_chars(page.text(index)).eq(wanted.chars());
        let mut near = false;
        if !exact && (1..3).contains(&block.heading) {
            squeezed.clear();
            squeezed.extend(squeezed_chars(page.text(index)));
            near = squeezed.len() * 10 >= wanted.len() * 6
                && (wanted.contains(squeezed.as_str()) || squeezed.contains(wanted.as_str()));
        }
        if !exact && !near {
            continue;
        }
        let after = first.is_some_and(|f| index > f + 3);
        let linked = stats.link_words * 2 > stats.words;
        let rank = match block.heading {
            1 => 80,
            0 => 20,
            h => 60 - 5 * u32::from(h),
        } + u32::from(exact) * 10
            - if after { 15 } else { 0 }
            - if linked { 4 } else { 0 };
        let closer =
            best.is_none_or(|(r, _)| rank > r || rank == r && block.heading == 0 && !after);
        if closer {
            best = Some((rank, index));
        }
    }
    best.map(|(_, index)| index)
}

/// May the letters and digits of a text begin as those that are wanted? Most are told by the first.
fn may_begin(text: &str, wanted: &str) -> bool {
    let first = text.bytes().find(|b| b.is_ascii_alphanumeric() || !b.is_ascii());
    first.is_some_and(|b| {
        !b.is_ascii() || wanted.as_bytes().first() == Some(&b.to_ascii_lowercase())
    })
}

/// In a `<figcaption>` or a figure, named a caption, or right after a picture and no paragraph.
fn is_caption(page: &PageBlocks, block: &RawBlock, words: u32) -> bool {
    if words > CAPTION_WORDS {
        return false;
    }
    let flags = block.flags;
    flags.has(Flags::FIGCAPTION)
        || flags.has(Flags::FIGURE) && !flags.has(Flags::QUOTE) && !flags.has(Flags::TABLE)
        || block.own.has(Groups::CAPTION) && block.heading == 0
        || block.after_image
            && block.heading == 0
            && !flags.has(Flags::PARAGRAPH)
            && !flags.has(Flags::LIST)
            && beside_picture(page, block)
}

/// Does a picture stand in the same container as the block, just before it?
fn beside_picture(page: &PageBlocks, block: &RawBlock) -> bool {
    let mut at = block.first;
    for _ in 0..3 {
        let mut before = page.dom.prev_sibling(at);
        while let Some(node) = before {
            let is_picture = |n: Id| matches!(page.dom.name(n), "img" | "picture" | "video");
            if is_picture(node) {
                return true;
            }
            if page.dom.element(node).is_some() {
                return page.dom.descend(node).take(8).any(is_picture);
            }
            if page.dom.text(node).is_some_and(|t| !t.trim().is_empty()) {
                return false;
            }
            before = page.dom.prev_sibling(node);
        }
        at = page.dom.parent(at).unwrap_or(NONE);
        if at == NONE {
            return false;
        }
    }
    false
}

/// The lead between title and text: content, or named a lead and of some length.
fn is_standfirst(
    page: &PageBlocks,
    index: usize,
    title: Option<usize>,
    first: Option<usize>,
    content: bool,
) -> bool {
    let (Some(block), Some(stats), Some(first)) =
        (page.blocks.list.get(index), page.stats.get(index), first)
    else {
        return false;
    };
    let named = block.own.has(Groups::LEAD);
    let after_title = title.is_some_and(|t| index > t && index <= t + 5);
    let plain = stats.link_words * 3 <= stats.words && stats.words >= 6;
    if content {
        return index <= first + 1
            && (named || after_title && block.heading > 1 && stats.words >= 6);
    }
    let of_article = !block.flags.has(Flags::NAV) && !block.flags.has(Flags::ASIDE);
    let beside_title = title.and_then(|t| page.blocks.list.get(t)).is_some_and(|title| {
        let top = page.dom.parent(title.container).and_then(|p| page.dom.parent(p));
        top.is_some_and(|top| page.dom.ancestors(block.container).take(4).any(|a| a == top))
    });
    index < first && after_title && plain && of_article && named && beside_title
}

/// A section heading: between content, directly followed by content of the same container.
fn is_heading(
    page: &PageBlocks,
    index: usize,
    content: &[bool],
    first: Option<usize>,
    last: Option<usize>,
) -> bool {
    let (Some(block), Some(stats)) = (page.blocks.list.get(index), page.stats.get(index)) else {
        return false;
    };
    let labeled = content.get(index) == Some(&true);
    if block.heading == 0
        || block.heading == 1 && !labeled
        || stats.words > 40
        || stats.link_words * 2 > stats.words
    {
        return false;
    }
    if first.is_none_or(|f| index < f) || last.is_none_or(|l| index > l) {
        return false;
    }
    if labeled {
        return true;
    }
    if controls::is_control(page, index, stats) {
        return false;
    }
    let next = index + 1;
    content.get(next) == Some(&true)
        && page.blocks.list.get(next).is_some_and(|after| {
            page.dom.parent(after.container) == page.dom.parent(block.container)
        })
}

/// Of each first byte, the lengths of the words of a list in lower case that begin with it, a bit each: it tells most
/// names of classes to be none of them.
const fn lengths(list: &[&str]) -> [u32; 256] {
    let mut lengths = [0; 256];
    let mut index = 0;
    while index < list.len() {
        lengths[list[index].as_bytes()[0] as usize] |= 1 << list[index].len();
        index += 1;
    }
    lengths
}

/// Is a name, in any case, on a list with these [`lengths`]?
fn lists(lengths: &[u32; 256], list: &[&str], name: &str) -> bool {
    let first = name.bytes().next().map_or(0, |b| usize::from(b.to_ascii_lowercase()));
    name.len() < 32
        && lengths[first] >> name.len() & 1 != 0
        && list.iter().any(|listed| listed.eq_ignore_ascii_case(name))
}

/// An element and all that hold it.
fn around(page: &PageBlocks, id: Id) -> impl Iterator<Item = Id> {
    std::iter::once(id).chain(page.dom.ancestors(id))
}

#[cfg(test)]
mod tests;
