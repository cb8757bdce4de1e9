//! What stands beside an article and has a name of its own: its tags, and pointers to related articles. By
//! names of elements that hold nothing of the article, by where links lead, and by the line that announces
//! a list.
//!
//! Only blocks that nothing else has a name for are named. Must not know: labelers, what of these is taken for text.

use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use super::pointer::{LINE_WORDS, POINTER_WORDS, announces, announces_before_link};
use super::{lengths, lists};
use crate::extract::dom::Id;
use crate::extract::page::PageBlocks;
use crate::extract::segment::{Flags, Groups, LONGEST_NAMES, LastLink, RawBlock, words};
use crate::html::name;
use crate::model::Label;

/// So many blocks before and behind an article are looked at.
const BEFORE: usize = 20;
const BEHIND: usize = 80;
/// Elements around a block that are asked for their names.
const LEVELS: usize = 6;
/// Tags of one block have at most so many words.
const TAG_WORDS: u32 = 40;

/// Words in names of elements that hold tags.
const TAGS: &[&str] = &[
    "tag",
    "tags",
    "taglist",
    "tagi",
    "keyword",
    "keywords",
    "hashtag",
    "hashtags",
    "schlagwort",
    "schlagworte",
    "schlagwörter",
    "etiqueta",
    "etiquetas",
    "trefwoorden",
    "emneord",
];
/// Words in names of elements that point to related articles.
const RELATED: &[&str] = &[
    "related",
    "relation",
    "relacionada",
    "relacionadas",
    "relacionado",
    "relacionados",
    "correlati",
    "correlate",
    "recommended",
    "recommendation",
    "recommendations",
    "recirc",
    "recirculation",
    "similar",
    "suggested",
    "seealso",
    "readalso",
    "morefrom",
    "verwandte",
    "benzer",
    "podobne",
];
/// Two such words in a row.
const PAIRS: &[[&str; 2]] =
    &[["read", "also"], ["see", "also"], ["might", "also"], ["more", "on"], ["more", "from"]];
/// Parts of paths that lead to all articles with a tag.
const PATHS: &[&str] = &[
    "tag",
    "tags",
    "tagg",
    "tagi",
    "keyword",
    "keywords",
    "schlagwort",
    "etiqueta",
    "etiquetas",
    "emne",
    "emneord",
    "trefwoord",
];

/// Names what nothing else has a name for. `content` is the article.
pub(super) fn name(
    page: &PageBlocks,
    content: &[bool],
    titled: Option<usize>,
    labels: &mut [Label],
) {
    let Some(first) = content.iter().position(|c| *c) else { return };
    let last = content.iter().rposition(|c| *c).unwrap_or(first);
    let mut around = Around { page, holding: holding(page, content), known: HashMap::default() };
    let from = titled.map_or(first, |title| title.min(first)).saturating_sub(BEFORE);
    // The element of the list that a line has announced; without one, what is linked right behind it.
    let mut announced: Option<Option<Id>> = None;
    let mut last_link = LastLink::default();
    let window = labels.iter_mut().zip(page.iter()).enumerate();
    for (index, (label, (block, stats))) in window.take(last + 1 + BEHIND).skip(from) {
        if *label != Label::None || content[index] {
            announced = announced.filter(Option::is_some);
            continue;
        }
        let apart = Flags::FORM.0 | Flags::BUTTON.0 | Flags::DIALOG.0 | Flags::HIDDEN.0;
        let menu = index < first && block.flags.has(Flags::NAV);
        // Articles have footers, too, with their tags in them.
        let of_article = block.flags.0 & (Flags::ARTICLE.0 | Flags::MAIN.0) != 0;
        let of_site = menu || block.flags.has(Flags::FOOTER) && !of_article;
        if block.flags.0 & apart != 0 || of_site || page.unseen(block).is_some() {
            continue;
        }
        let linked = stats.link_words * 2 > stats.words;
        if let Some(named) = around.named(block) {
            if named == Label::RelatedArticle || stats.words <= TAG_WORDS {
                *label = named;
            }
            continue;
        }
        if linked
            && index > first
            && stats.words <= TAG_WORDS
            && leads_to_tags(page, block, &mut last_link)
        {
            *label = Label::Tags;
            continue;
        }
        let announces = stats.words <= LINE_WORDS && index > first && announces(page.text(index));
        if announces && !linked {
            *label = Label::RelatedArticle;
            announced = Some(around.list(block));
            continue;
        }
        let points = stats.link_words > 0 && stats.words <= POINTER_WORDS && index > first;
        let listed = match announced {
            Some(Some(list)) => around.of(block).any(|id| id == list),
            Some(None) => linked,
            None => false,
        };
        if listed || points && announces_before_link(page, block, index) {
            *label = Label::RelatedArticle;
        } else {
            announced = None;
        }
    }
}

/// Of each node, whether it holds some of the article.
fn holding(page: &PageBlocks, content: &[bool]) -> Vec<bool> {
    let mut holding = vec![false; page.dom.nodes.len()];
    for (block, _) in page.blocks.list.iter().zip(content).filter(|(_, content)| **content) {
        for id in std::iter::once(block.container).chain(page.dom.ancestors(block.container)) {
            let Some(known) = holding.get_mut(id as usize).filter(|known| !**known) else { break };
            *known = true;
        }
    }
    holding
}

/// The elements around blocks that hold nothing of the article.
struct Around<'p> {
    page: &'p PageBlocks<'p>,
    holding: Vec<bool>,
    /// What names of elements say.
    known: HashMap<Id, Option<Label>, FixedState>,
}

impl<'p> Around<'p> {
    fn of(&self, block: &RawBlock) -> impl Iterator<Item = Id> + '_ {
        around(self.page, &self.holding, block)
    }

    /// What the nearest of them that has such a name is called.
    fn named(&mut self, block: &RawBlock) -> Option<Label> {
        // The walk has seen all names, and most places are under none of these.
        let told = Groups::TAGS.0 | Groups::RELATED.0;
        if (block.above.0 | block.own.0) & told == 0 {
            return None;
        }
        let Around { page, holding, known } = self;
        around(page, holding, block)
            .find_map(|id| *known.entry(id).or_insert_with(|| named(page, id)))
    }

    /// The element that holds the list that a line announces.
    fn list(&self, block: &RawBlock) -> Option<Id> {
        self.of(block).nth(1)
    }
}

/// The elements around a block, the nearest first, up to those of `holding`.
fn around<'p, 'h>(
    page: &'p PageBlocks<'p>,
    holding: &'h [bool],
    block: &RawBlock,
) -> impl Iterator<Item = Id> + use<'p, 'h> {
    let own = std::iter::once(block.container);
    let all = own.chain(page.dom.ancestors(block.container)).take(LEVELS);
    all.take_while(|&id| holding.get(id as usize) == Some(&false))
}

/// What the names of an element say of it.
fn named(page: &PageBlocks, id: Id) -> Option<Label> {
    let class = page.dom.value(id, name!("class")).unwrap_or_default();
    let own = page.dom.value(id, name!("id")).unwrap_or_default();
    said([&class, &own])
}

/// What names say, word by word in lower case.
fn said(names: [&str; 2]) -> Option<Label> {
    /// What a word says alone, and its places in [`PAIRS`] as the first and as the second, one bit each.
    type Said = (Option<Label>, [u8; 2]);
    static WORDS: LazyLock<HashMap<&str, Said, FixedState>> = LazyLock::new(|| {
        let mut words: HashMap<&str, Said, FixedState> = HashMap::default();
        for (list, label) in [(TAGS, Label::Tags), (RELATED, Label::RelatedArticle)] {
            list.iter().for_each(|word| words.entry(word).or_default().0 = Some(label));
        }
        for (bit, pair) in PAIRS.iter().enumerate() {
            for (place, word) in pair.iter().enumerate() {
                words.entry(word).or_default().1[place] |= 1 << bit;
            }
        }
        words
    });
    let (mut tags, mut related, mut before) = (false, false, 0);
    for names in names {
        each_word(names, |word| {
            let &(label, [first, second]) = WORDS.get(word).unwrap_or(&(None, [0; 2]));
            tags |= label == Some(Label::Tags);
            related |= label == Some(Label::RelatedArticle) || before & second != 0;
            before = first;
        });
    }
    if tags {
        return Some(Label::Tags);
    }
    related.then_some(Label::RelatedArticle)
}

/// The words of names, in lower case: `relatedLinks` and `related-links` have two.
fn each_word(names: &str, mut each: impl FnMut(&str)) {
    if names.is_ascii() {
        let lower = names.to_ascii_lowercase();
        words(names).filter_map(|word| lower.get(word)).for_each(each);
        return;
    }
    let mut lower = false;
    let mut word = String::new();
    // As far as names of ASCII are read.
    for c in names.chars().take(LONGEST_NAMES) {
        let letter = c.is_alphabetic();
        if !word.is_empty() && (!letter || lower && c.is_uppercase()) {
            each(&word);
            word.clear();
        }
        if letter {
            word.extend(c.to_lowercase());
        }
        lower = c.is_lowercase();
    }
    if !word.is_empty() {
        each(&word);
    }
}

/// Do all links of a block lead to what has a tag?
fn leads_to_tags(page: &PageBlocks, block: &RawBlock, last: &mut LastLink<bool>) -> bool {
    let links = page.blocks.links_of(block);
    !links.is_empty() && links.iter().all(|link| last.of(link, |id| leads_to_tag(page, id)))
}

fn leads_to_tag(page: &PageBlocks, link: Id) -> bool {
    let says = |rel: &str| rel.split_ascii_whitespace().any(|r| r.eq_ignore_ascii_case("tag"));
    static LENGTHS: [u32; 256] = lengths(PATHS);
    let path = |href: &str| {
        let path = href.split(['?', '#']).next().unwrap_or("");
        path.split('/').any(|part| lists(&LENGTHS, PATHS, part))
    };
    page.dom.value(link, name!("rel")).is_some_and(|rel| says(&rel))
        || page.dom.value(link, name!("href")).is_some_and(|href| path(&href))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::dom::Limits;
    use crate::extract::segment::Profile;

    const TEXT: &str = "<p>The bridge was closed on Monday because the river had risen again.</p>";

    /// The names of blocks behind a paragraph.
    fn names(behind: &str) -> Vec<&'static str> {
        let html =
            format!("<main class=tag-x><h1>Bridge</h1><div>{TEXT}{TEXT}{behind}</div></main>");
        let page = PageBlocks::read(&html, Profile::Modern, &Limits::default());
        let is_text = |index: usize| page.text(index).starts_with("The bridge was");
        let content: Vec<bool> = (0..page.len()).map(is_text).collect();
        let mut labels = vec![Label::None; page.len()];
        name(&page, &content, Some(0), &mut labels);
        assert_eq!(labels[..3], [Label::None; 3], "title and text");
        labels[3..].iter().map(|label| label.name()).collect()
    }

    #[test]
    fn tags_are_told_by_names_and_links() {
        let tags =
            |html: &str, count: usize| assert_eq!(names(html), vec!["tags"; count], "{html}");
        tags("<ul class=article__tags><li><a href=/a>Rivers</a><li><a href=/b>Bridges</a></ul>", 2);
        tags("<div class=PostTags>Tags: <a href=/a>Rivers</a>, <a href=/b>Bridges</a></div>", 1);
        tags("<div><a href=/tag/rivers>Rivers</a> <a rel=tag href=/b>Bridges</a></div>", 1);
        assert_eq!(names("<div><a href=/rivers>Rivers</a></div>"), ["none"]);
        assert_eq!(names("<div class=stage><a href=/rivers>Rivers</a></div>"), ["none"]);
    }

    #[test]
    fn related_articles_are_told_by_names_and_announcements() {
        let check = |html: &str, expect: &[&str]| assert_eq!(names(html), expect, "{html}");
        let link = "<li><a href=/x>The river has risen again this week</a>";
        let two = ["related-article"; 2];
        let three = ["related-article"; 3];
        check(&format!("<aside class=relatedLinks><h3>Rivers</h3><ul>{link}</ul></aside>"), &two);
        check(
            &format!("<div class=w-rel><h3>Lesen Sie auch</h3><ul>{link}{link}</ul></div>"),
            &three,
        );
        check(
            &format!("<h3>Czytaj też:</h3><ul>{link}</ul><div>Imprint</div>"),
            &["related-article", "related-article", "none"],
        );
        check("<div>See also: <a href=/x>The river has risen</a></div>", &["related-article"]);
        check("<div><h2>関連記事</h2><a href=/x>川の水位が上がった</a></div>", &two);
        check(&format!("<div><h3>Weather</h3><ul>{link}</ul></div>"), &["none", "none"]);
        check("</div></main><footer class=related>Rivers</footer>", &["none"]);
        check(
            "<div>Read more</div><form class=related><input>Related</form>",
            &["related-article", "none"],
        );
    }
}
