//! An article that a script shows: nothing of it is seen without. It stands in one container, or each of its blocks
//! fades in for itself.
//!
//! Must not know: labels, other rules.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

use crate::extract::dom::Id;
use crate::extract::label::Scored;
use crate::extract::page::PageBlocks;
use crate::extract::unseen::takes_away;
use crate::html::name;

/// So many names of a class are compared.
const CLASSES: usize = 32;

/// The containers that hold it; none if some of it is seen. What else a page hides stays hidden then.
pub(super) fn containers(page: &PageBlocks, scored: &[Scored]) -> HashSet<Id, FixedState> {
    let mut words: Vec<(Id, u64)> = Vec::new();
    let mut known: HashMap<Id, usize, FixedState> = HashMap::default();
    for ((block, stats), _) in page.iter().zip(scored).filter(|(_, s)| s.content) {
        match page.unseen(block) {
            None if block.heading == 0 => return HashSet::default(),
            None => {}
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
    words.iter().map(|&(id, _)| id).filter(|&id| id == most || fades.with(page, id)).collect()
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
    classes: Vec<String>,
}

impl Fading {
    fn of(page: &PageBlocks, id: Id) -> Fading {
        let class = page.dom.value(id, name!("class")).unwrap_or_default();
        let classes = class.split_ascii_whitespace().take(CLASSES).map(str::to_owned).collect();
        let style = page.dom.value(id, name!("style")).unwrap_or_default().into_owned();
        Fading { parent: page.dom.parent(id), apart: takes_away(&style), style, classes }
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
        let class = page.dom.value(id, name!("class")).unwrap_or_default();
        let mut classes = class.split_ascii_whitespace().take(CLASSES);
        classes.any(|class| self.classes.iter().any(|own| own == class))
    }
}
