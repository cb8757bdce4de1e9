//! An article that a script shows: nothing of it is seen without, but a line or two beside it may be. It stands in one
//! container, or each of its blocks fades in for itself.
//!
//! Must not know: labels, other rules.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

use crate::extract::dom::Id;
use crate::extract::label::Scored;
use crate::extract::page::PageBlocks;
use crate::extract::unseen::takes_away;
use crate::html::name;

/// So many classes, and so many attributes, of an element are compared.
const NAMES: usize = 32;

/// A byline or a date may be seen beside what fades in: lines of fewer words than this that end no sentence, …
const LINE_WORDS: u32 = 12;
/// … and of all of them one word for so many. Whoever shows a text does not have more counted by hiding it beside.
const SHARE: u64 = 10;

/// The containers that hold it; none if it is not nearly all that was chosen. What else a page hides stays hidden then.
pub(super) fn containers(page: &PageBlocks, scored: &[Scored]) -> HashSet<Id, FixedState> {
    let mut seen: u64 = 0;
    let mut words: Vec<(Id, u64)> = Vec::new();
    let mut known: HashMap<Id, usize, FixedState> = HashMap::default();
    for ((block, stats), _) in page.iter().zip(scored).filter(|(_, s)| s.content) {
        match page.unseen(block) {
            None if block.heading > 0 => {}
            None if stats.ends == 0 && stats.words < LINE_WORDS => seen += u64::from(stats.words),
            None => return HashSet::default(),
            Some(by) => {
                let at = *known.entry(by).or_insert(words.len());
                if at == words.len() {
                    words.push((by, 0));
                }
                words[at].1 += u64::from(stats.words);
            }
        }
    }
    if words.is_empty() || !may_be_shown(page) {
        return HashSet::default();
    }
    let Some(&(most, _)) = words.iter().max_by_key(|(_, sum)| *sum) else {
        return HashSet::default();
    };
    let fades = Fading::of(page, most);
    words.retain(|&(id, _)| id == most || fades.with(page, id));
    // What is taken away is a panel, of comments or of another text, unless it is all there is.
    let hidden: u64 = words.iter().map(|(_, words)| words).sum();
    if seen > 0 && (fades.apart || seen * SHARE > hidden) {
        return HashSet::default();
    }
    words.into_iter().map(|(id, _)| id).collect()
}

/// Has the page a script that may show what it hides, or does it load a sheet?
fn may_be_shown(page: &PageBlocks) -> bool {
    let dom = &page.dom;
    (0..dom.nodes.len() as Id).any(|id| match dom.tag(id) {
        Some(name!("script")) => {
            let kind = dom.value(id, name!("type")).unwrap_or_default();
            !kind.trim_ascii().to_ascii_lowercase().ends_with("json")
        }
        Some(name!("link")) => dom.value(id, name!("rel")).is_some_and(|rel| {
            rel.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case("stylesheet"))
        }),
        _ => false,
    })
}

/// How a container is hidden, as far as its attributes tell.
struct Fading {
    parent: Option<Id>,
    /// It is a panel of its own: taken away by `display`.
    apart: bool,
    style: String,
    names: Vec<String>,
}

/// Parts of the names of attributes that scripts find what fades in by: `data-aos`. Others stand on all that one component
/// or one test has to do with, panels too (`data-v-7ba5bd90`, `data-testid`).
const MOVES: [&str; 8] = ["aos", "sal", "anim", "scroll", "reveal", "fade", "wow", "inview"];

/// The classes of an element, and its attributes of data that speak of motion.
fn names(page: &PageBlocks, id: Id) -> Vec<String> {
    let class = page.dom.value(id, name!("class")).unwrap_or_default();
    let classes = class.split_ascii_whitespace().take(NAMES).map(str::to_owned);
    let attributes = page.dom.attributes(id).take(NAMES).map(|found| found.lower().into_owned());
    let moves = |name: &String| {
        let parts = name.strip_prefix("data-").map(|name| name.split('-'));
        parts.is_some_and(|mut parts| parts.any(|part| MOVES.iter().any(|m| part.starts_with(m))))
    };
    classes.chain(attributes.filter(moves)).collect()
}

impl Fading {
    fn of(page: &PageBlocks, id: Id) -> Fading {
        let style = page.dom.value(id, name!("style")).unwrap_or_default().into_owned();
        Fading {
            parent: page.dom.parent(id),
            apart: takes_away(&style),
            style,
            names: names(page, id),
        }
    }

    /// Does another fade in beside it?
    fn with(&self, page: &PageBlocks, id: Id) -> bool {
        if self.apart || self.parent != page.dom.parent(id) {
            return false;
        }
        let style = page.dom.value(id, name!("style")).unwrap_or_default();
        if !self.style.is_empty() || !style.is_empty() {
            return self.style == *style;
        }
        names(page, id).iter().any(|name| self.names.contains(name))
    }
}
