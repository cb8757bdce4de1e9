//! Trees for each block, then the page as a whole: what [`super::trees`] chose, edited by
//! [`super::decoder`].
//!
//! Must not know: how either was trained.

use serde::{Deserialize, Serialize};

use super::decoder::{self, Decoder, Edit, Made, Said, Scope};
use super::trees::{self, Trees};
use super::{Labeler, PageBlocks, Reason, Scored};

/// The labeler.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Whole {
    pub trees: Trees,
    pub decoder: Decoder,
}

impl Whole {
    /// What there is to decide on a page, and how it was decided.
    pub fn choices(&self, page: &PageBlocks) -> Choices {
        let read = trees::Ready::new(&self.trees).read(page);
        let said = said(page, &read);
        let edits = decoder::edits(said);
        let mut chosen = read.scored.clone();
        let made = decoder::Ready::new(&self.decoder).choose(said);
        made.iter().for_each(|made| made.apply(&mut chosen));
        Choices { trees: read.scored, edits, chosen }
    }

    /// Does it know the features that this program computes?
    pub fn fits(&self) -> bool {
        self.trees.fits() && self.decoder.version == decoder::version()
    }
}

/// What could be made of the trees' choice, and what was.
#[derive(Clone, Debug, PartialEq)]
pub struct Choices {
    /// The trees' own choice, block by block.
    pub trees: Vec<Scored>,
    /// All that could be added to it.
    pub edits: Vec<Edit>,
    /// The choice with the edits that were made.
    pub chosen: Vec<Scored>,
}

impl Labeler for Whole {
    fn label(&self, page: &PageBlocks) -> Vec<Scored> {
        Ready::new(self).label(page)
    }

    fn strongest(&self) -> Vec<(String, f32)> {
        self.trees.strongest()
    }

    /// Those of the trees; before them the edit that changed the block.
    fn reasons(&self, page: &PageBlocks) -> Vec<Vec<Reason>> {
        let mut reasons = self.trees.reasons(page);
        for Made { edit, log_odds } in Ready::new(self).read(page).1 {
            let text = format!("added, seen from the whole page: {}", name(edit.scope));
            for &block in &edit.blocks {
                if let Some(list) = reasons.get_mut(block as usize) {
                    list.insert(0, Reason { text: text.clone(), weight: log_odds });
                }
            }
        }
        reasons
    }
}

/// What the decoder is told of what the trees said.
fn said<'a>(page: &'a PageBlocks<'a>, read: &'a trees::Read) -> Said<'a> {
    let trees::Read { rich, probabilities, scored, cut } = read;
    Said { page, rich, probabilities, scored, cut: *cut }
}

/// What a scope is, in words.
fn name(scope: Scope) -> &'static str {
    match scope {
        Scope::Child => "part of the main container",
        Scope::Beside => "beside the main container",
        Scope::Main => "rest of the main container",
        Scope::Hole => "between other text, or right behind it",
    }
}

/// The labeler laid out for many pages.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ready {
    trees: trees::Ready,
    decoder: decoder::Ready,
}

impl Ready {
    pub(super) fn new(whole: &Whole) -> Ready {
        let (trees, decoder) = (&whole.trees, &whole.decoder);
        Ready { trees: trees::Ready::new(trees), decoder: decoder::Ready::new(decoder) }
    }

    fn read(&self, page: &PageBlocks) -> (Vec<Scored>, Vec<Made>) {
        let read = self.trees.read(page);
        let made = self.decoder.choose(said(page, &read));
        let mut scored = read.scored;
        made.iter().for_each(|made| made.apply(&mut scored));
        (scored, made)
    }
}

impl Labeler for Ready {
    fn label(&self, page: &PageBlocks) -> Vec<Scored> {
        self.read(page).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::dom::Limits;
    use crate::extract::label::trees::{Ensemble, Node, Tree, features};
    use crate::extract::segment::Profile;

    #[test]
    fn an_added_block_says_why() {
        let html = "<div><p>The bridge was closed on Monday because the river had risen again.\
                    <p>A second text of more than twelve words that is not about any bridge at all.</div>";
        let page = PageBlocks::read(html, Profile::Modern, &Limits::default());
        let rich = crate::extract::feature::rich::rich(&page);
        // By the first column, which counts words: the longer block is less likely.
        let node = Node {
            feature: 0,
            left: -1,
            right: -2,
            threshold: (rich.row(0)[0] + rich.row(1)[0]) / 2.0,
        };
        let tree = Tree { nodes: vec![node], leaves: vec![4.0, -1.0] };
        let trees = Ensemble { prior: 0.0, trees: vec![tree] };
        let trees = Trees { features: features(), first: trees.clone(), second: trees, cut: 0.5 };
        let content = |labeler: &dyn Labeler| -> Vec<bool> {
            labeler.label(&page).iter().map(|s| s.content).collect()
        };
        assert_eq!(content(&trees), [true, false]);
        let gains = Ensemble { prior: 2.0, trees: Vec::new() };
        let decoder =
            Decoder { version: decoder::version(), gains, margin: 0.5, large_margin: 0.5 };
        let whole = Whole { trees, decoder };
        assert_eq!(content(&whole), [true, true]);
        let reason = &whole.reasons(&page)[1][0];
        assert_eq!(reason.text, "added, seen from the whole page: rest of the main container");
        assert_eq!(reason.weight, 2.0);
    }
}
