//! Containers amid a text that hold none of it: posts that networks embed, boxes that ask before they show one, and boxes
//! with a field for an address of mail. Their words are not the outlet's report, and are the same on many pages.
//!
//! Must not know: labelers, other rules.

use std::collections::HashSet;

use foldhash::fast::FixedState;

use crate::extract::dom::Id;
use crate::extract::page::PageBlocks;
use crate::extract::segment::Within;
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
/// … and ends at most so many elements above the field.
const LEVELS: usize = 6;
/// So many fields of a page are looked at.
const FIELDS: usize = 8;

/// Which blocks of a page stand in such a container.
pub(super) struct Apart<'p> {
    page: &'p PageBlocks,
    boxes: HashSet<Id, FixedState>,
    within: Within,
}

impl<'p> Apart<'p> {
    /// `content` is what a labeler has taken for text.
    pub(super) fn new(page: &'p PageBlocks, content: &[bool]) -> Apart<'p> {
        let boxes = fields(page).filter_map(|field| around(page, content, field)).collect();
        Apart { page, boxes, within: Within::new(&page.outline) }
    }

    /// Does a block stand in such a container?
    pub(super) fn holds(&mut self, block: usize) -> bool {
        let is = |id: Id| self.boxes.contains(&id) || is_named(self.page, id);
        self.within.holds(&self.page.outline, block, is)
    }
}

/// Is an element a post that is embedded, or a box that asks before it shows one?
fn is_named(page: &PageBlocks, id: Id) -> bool {
    let Some(class) = page.dom.value(id, name!("class")) else { return false };
    let lists = |list: &[&str], token: &str| list.iter().any(|n| n.eq_ignore_ascii_case(token));
    let mut tokens = class.split_ascii_whitespace();
    tokens.clone().any(|token| lists(POSTS, token))
        || tokens.any(asks)
            && page.dom.descend(id).take(WITHIN).any(|below| is_control(page, below))
}

fn asks(token: &str) -> bool {
    let token = token.to_ascii_lowercase().replace('_', "-");
    ASKING.iter().any(|name| token.contains(name))
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

/// The first fields of a page for an address of mail.
fn fields(page: &PageBlocks) -> impl Iterator<Item = Id> + '_ {
    let is_field = |id: &Id| {
        let says = |attribute| {
            let value = page.dom.value(*id, attribute).unwrap_or_default().to_ascii_lowercase();
            value.contains("email") || value.contains("e-mail")
        };
        page.dom.tag(*id) == Some(name!("input"))
            && (says(name!("type")) || says(name!("name")) || says(name!("placeholder")))
    };
    (0..page.dom.nodes.len() as Id).filter(is_field).take(FIELDS)
}

/// The outermost element around a field that holds little text, if one holds any: a form may be around the whole page.
fn around(page: &PageBlocks, content: &[bool], field: Id) -> Option<Id> {
    let levels: Vec<Id> = page.dom.ancestors(field).take(LEVELS).collect();
    let outline = &page.outline;
    // Of each place the innermost of them that it lies in; what is around a place stands before it.
    let mut innermost: Vec<Option<usize>> = Vec::with_capacity(outline.places.len());
    for place in &outline.places {
        let own = levels.iter().position(|level| *level == place.node);
        innermost.push(own.or_else(|| innermost.get(place.around as usize).copied().flatten()));
    }
    let mut words = vec![0; levels.len()];
    for (index, stats) in
        page.stats.iter().enumerate().filter(|(i, _)| content.get(*i) == Some(&true))
    {
        let level = innermost.get(outline.of(index) as usize).copied().flatten();
        if let Some(words) = level.and_then(|level| words.get_mut(level)) {
            *words += stats.words;
        }
    }
    let mut sum = 0;
    let sums = words.into_iter().map(|words| {
        sum += words;
        sum
    });
    let little = levels.into_iter().zip(sums).take_while(|(_, sum)| *sum <= BOX_WORDS);
    little.last().filter(|(_, sum)| *sum > 0).map(|(id, _)| id)
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
        let mut apart = Apart::new(&page, &vec![true; page.len()]);
        let found = (0..page.len()).filter(|index| apart.holds(*index));
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
}
