//! Containers amid a text that hold none of it: posts that networks embed, boxes that ask before they show one, and boxes
//! with a field for an address of mail. Their words are not the outlet's report, and are the same on many pages.
//!
//! Must not know: labelers, other rules.

use std::collections::HashSet;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use foldhash::fast::FixedState;

use super::{lengths, lists};
use crate::extract::dom::Id;
use crate::extract::page::PageBlocks;
use crate::extract::segment::{Flags, Within};
use crate::html::name;

/// Classes of the elements that networks' own code puts around their posts, lower case.
const POSTS: &[&str] = &[
    "bluesky-embed",
    "fb-post",
    "fb-video",
    "instagram-media",
    "mastodon-embed",
    "reddit-card",
    "reddit-embed",
    "reddit-embed-bq",
    "text-post-media",
    "tiktok-embed",
    "twitter-tweet",
    "twitter-video",
];

/// What names of containers hold that ask before they show what another site has, lower case, and …
const ASKING: &[&str] = &[
    "embed-consent",
    "consent-embed",
    "consent-placeholder",
    "placeholder-consent",
    "embed-placeholder",
    "embed-privacy",
    "content-consent",
    "external-consent",
    "two-click",
    "twoclick",
    "optin-embed",
    "embed-optin",
];
/// … how many nodes below one may be a button or a box to tick.
const WITHIN: usize = 60;

/// A box with a field for an address has at most so many words of text, …
const BOX_WORDS: u32 = 60;
/// … ends at most so many elements above the field, …
const LEVELS: usize = 6;
/// … and holds at most one paragraph before the form, of at most so many words: else it is a part of the article.
const OFFER_WORDS: u32 = 20;
/// Elements that hold a part of an article, as those do that hold a `time`.
const PARTS: &[&str] = &["article", "body", "li", "main", "section"];
/// So many fields of a page are looked at.
const FIELDS: usize = 8;

/// Which blocks of a page stand in posts that are embedded and in boxes that ask before they show one.
pub(super) struct Posts<'p> {
    page: &'p PageBlocks<'p>,
    within: Within,
}

impl<'p> Posts<'p> {
    pub(super) fn new(page: &'p PageBlocks<'p>) -> Posts<'p> {
        Posts { page, within: Within::new(&page.outline) }
    }

    /// Does a block stand in such a container?
    pub(super) fn hold(&mut self, block: usize) -> bool {
        self.within.holds(&self.page.outline, block, |id| is_named(self.page, id))
    }
}

/// Which blocks of a page stand in boxes with a field for an address of mail.
pub(super) struct Boxes<'p> {
    page: &'p PageBlocks<'p>,
    boxes: HashSet<Id, FixedState>,
    within: Within,
}

impl<'p> Boxes<'p> {
    /// `content` is what a labeler has taken for text, `titled` the block with the title.
    pub(super) fn new(
        page: &'p PageBlocks<'p>,
        content: &[bool],
        titled: Option<usize>,
    ) -> Boxes<'p> {
        let around = |field| around(page, content, titled, field);
        let boxes = fields(page).filter_map(around).collect();
        Boxes { page, boxes, within: Within::new(&page.outline) }
    }

    /// Does a block stand in such a box?
    pub(super) fn hold(&mut self, block: usize) -> bool {
        self.within.holds(&self.page.outline, block, |id| self.boxes.contains(&id))
    }
}

/// Is an element a post that is embedded, or a box that asks before it shows one?
fn is_named(page: &PageBlocks, id: Id) -> bool {
    let Some(class) = page.dom.value(id, name!("class")) else { return false };
    static LENGTHS: [u32; 256] = lengths(POSTS);
    class.split_ascii_whitespace().any(|token| lists(&LENGTHS, POSTS, token))
        || asks(&class) && page.dom.descend(id).take(WITHIN).any(|below| is_control(page, below))
}

/// Does a class attribute hold one of [`ASKING`]?
fn asks(class: &str) -> bool {
    static NAMES: LazyLock<AhoCorasick> = LazyLock::new(|| {
        let names =
            AhoCorasick::builder().ascii_case_insensitive(true).prefilter(false).build(ASKING);
        names.expect("a few names make an automaton")
    });
    match class.contains('_') {
        true => NAMES.is_match(&class.replace('_', "-")),
        false => NAMES.is_match(class),
    }
}

/// A button, or a box to tick.
fn is_control(page: &PageBlocks, id: Id) -> bool {
    let is_box =
        || page.dom.value(id, name!("type")).is_some_and(|t| t.eq_ignore_ascii_case("checkbox"));
    match page.dom.tag(id) {
        Some(name!("button")) => true,
        Some(name!("input")) => is_box(),
        _ => false,
    }
}

/// The first fields of a page that an address of mail is written into.
fn fields(page: &PageBlocks) -> impl Iterator<Item = Id> {
    let is_field = |id: &Id| {
        let value = |attribute| page.dom.value(*id, attribute).unwrap_or_default();
        let says = |attribute| {
            let value = value(attribute).to_ascii_lowercase();
            value.contains("email") || value.contains("e-mail")
        };
        let kind = || value(name!("type")).trim_ascii().to_ascii_lowercase();
        page.dom.tag(*id) == Some(name!("input"))
            && match kind().as_str() {
                "email" => true,
                "" | "text" => says(name!("name")) || says(name!("placeholder")),
                _ => false,
            }
    };
    // Every node of the page is asked for its name.
    let named = (0..).zip(&page.dom.nodes).filter(|(_, node)| node.name() == name!("input"));
    named.map(|(id, _)| id).filter(is_field).take(FIELDS)
}

/// The outermost element around a field that holds little text, if one holds any, and neither the title nor a part of the
/// article: a form may be around the whole page, or stand below each entry of a live blog.
fn around(page: &PageBlocks, content: &[bool], titled: Option<usize>, field: Id) -> Option<Id> {
    let is_part = |id: Id| {
        let dated = |below| page.dom.tag(below) == Some(name!("time"));
        PARTS.contains(&page.dom.name(id)) || page.dom.descend(id).take(WITHIN).any(dated)
    };
    let above = page.dom.ancestors(field).take(LEVELS);
    let mut levels: Vec<Id> = above.take_while(|id| !is_part(*id)).collect();
    let outline = &page.outline;
    // Of each place the innermost of them that it lies in; what is around a place stands before it.
    let mut innermost: Vec<Option<usize>> = Vec::with_capacity(outline.places.len());
    for place in &outline.places {
        let own = levels.iter().position(|level| *level == place.node);
        innermost.push(own.or_else(|| innermost.get(place.around as usize).copied().flatten()));
    }
    let level = |index| innermost.get(outline.of(index) as usize).copied().flatten();
    if let Some(level) = titled.and_then(level) {
        levels.truncate(level);
    }
    let form = levels.iter().position(|id| page.dom.tag(*id) == Some(name!("form")));
    let start = form.and_then(|form| levels.get(form).copied()).unwrap_or(field);
    // Words of text, and paragraphs before the form, longer ones as several.
    let mut held = vec![(0, 0); levels.len()];
    for (index, (block, stats)) in
        page.iter().enumerate().filter(|(i, _)| content.get(*i) == Some(&true))
    {
        let Some(at) = level(index) else { continue };
        let Some((words, paragraphs)) = held.get_mut(at) else { continue };
        *words += stats.words;
        let is_before = block.first < start && form.is_none_or(|form| at > form);
        if block.flags.has(Flags::PARAGRAPH) && is_before {
            *paragraphs += if stats.words > OFFER_WORDS { 2 } else { 1 };
        }
    }
    let (mut words, mut paragraphs) = (0, 0);
    let sums = held.into_iter().map(|held| {
        words += held.0;
        paragraphs += held.1;
        (words, paragraphs)
    });
    let is_little = |(words, paragraphs): (u32, u32)| words <= BOX_WORDS && paragraphs <= 1;
    let little = levels.into_iter().zip(sums).take_while(|(_, held)| is_little(*held));
    little.last().filter(|(_, (words, _))| *words > 0).map(|(id, _)| id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::dom::Limits;
    use crate::extract::segment::Profile;

    const TEXT: &str = "<p>The bridge was closed on Monday because the river had risen again.</p>";

    /// The texts that stand in such containers on a page whose every block is content.
    fn apart(between: &str) -> Vec<String> {
        let html = format!("<main>{}{between}{}</main>", TEXT.repeat(9), TEXT.repeat(9));
        let page = PageBlocks::read(&html, Profile::Modern, &Limits::default());
        let (mut posts, mut boxes) =
            (Posts::new(&page), Boxes::new(&page, &vec![true; page.len()], None));
        let found = (0..page.len()).filter(|index| posts.hold(*index) || boxes.hold(*index));
        found.map(|index| page.text(index).to_owned()).collect()
    }

    #[test]
    fn posts_of_networks_are_apart() {
        for class in
            ["twitter-tweet", "'x instagram-media'", "TikTok-embed", "fb-post", "bluesky-embed"]
        {
            let post = format!("<blockquote class={class}><p>We are proud of it</p></blockquote>");
            assert_eq!(apart(&post), ["We are proud of it"], "{class}");
        }
        assert!(
            apart("<blockquote class=twitter><p>We are proud of it</p></blockquote>").is_empty()
        );
    }

    #[test]
    fn boxes_that_ask_are_apart() {
        let ask = "<p>Here stands a post of Acme</p>";
        for control in ["<button>Show it</button>", "<label><input type=checkbox> Show it</label>"]
        {
            let found = apart(&format!("<div class=x-embed-consent__box>{ask}{control}</div>"));
            assert_eq!(found, ["Here stands a post of Acme", "Show it"], "{control}");
        }
        assert!(apart(&format!("<div class=embed-consent>{ask}</div>")).is_empty());
        assert!(
            apart(&format!("<div class=consent>{ask}<button>Show it</button></div>")).is_empty()
        );
    }

    #[test]
    fn boxes_with_a_field_for_mail_are_apart() {
        let form = "<form><input type=email><button>Sign up</button></form>";
        let offer = "<h3>Morning Tide</h3><p>All that Acme does, each weekday at seven.</p>";
        let found =
            apart(&format!("<div class=c-promo>{offer}{form}<p>You agree to it.</p></div>"));
        assert_eq!(found.len(), 4, "{found:?}");
        assert_eq!(apart(&format!("<div><div>{offer}</div>{form}</div>")).len(), 3);
        assert_eq!(apart(form), ["Sign up"]);
        let named = "<form><input name=user_email placeholder=You><p>Sign up</p></form>";
        assert_eq!(apart(named), ["Sign up"]);
        assert!(apart("<form><input name=q><p>Search</p></form>").is_empty());
        // A form around the whole page.
        assert!(apart(&format!("<form>{}<input type=email></form>", TEXT.repeat(9))).is_empty());
    }

    #[test]
    fn text_before_a_field_for_mail_is_none_of_its_box() {
        let form = "<form><input type=email><button>Sign up</button></form>";
        // What nobody writes an address into.
        for field in [
            "type=hidden name=email",
            "type=checkbox name=by_email",
            "type=submit name=email placeholder=E-mail",
        ] {
            let form = format!("<form><input {field}><button>Share</button></form>");
            assert!(apart(&format!("<div>{TEXT}{form}</div>")).is_empty(), "{field}");
        }
        let entry = "<h3>10:15</h3><p>Acme opens its gates.</p>";
        for entry in [
            format!("<div><article>{entry}{form}</article></div>"),
            format!("<div><section>{entry}{form}</section></div>"),
            format!("<ul><li>{entry}{form}</li></ul>"),
            format!("<div><time>10:15</time>{entry}{form}</div>"),
            format!("<div>{TEXT}{TEXT}{form}</div>"),
            format!("<div><p>{}</p>{form}</div>", "Acme has said what it builds. ".repeat(7)),
        ] {
            assert_eq!(apart(&entry), ["Sign up"], "{entry}");
        }
    }
}
