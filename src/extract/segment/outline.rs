//! The elements around a page's blocks, each once: what is asked of a block's surroundings is worked
//! out for each element, from the outermost inwards, and not for each block on its way up.
//!
//! Must not know: texts, counts, labels.

use crate::extract::dom::{Dom, Id, NONE};
use crate::html::name;

use super::Blocks;

/// Index of an element among [`Outline::places`]; [`NOWHERE`] if there is none.
pub type At = u32;

/// No element: around the outermost one, or of a block without a container.
pub const NOWHERE: At = At::MAX;

/// An element that holds blocks, in itself or further in.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub node: Id,
    /// The element around it, which stands before it.
    pub around: At,
    /// Elements around it.
    pub depth: u32,
    /// Its tag and class names in one number.
    pub look: u64,
}

/// The containers of all blocks of a page and all that is around them.
#[derive(Debug, Default)]
pub struct Outline {
    pub places: Vec<Place>,
    /// Of each block its container.
    of: Vec<At>,
    /// Of each node its place.
    known: Vec<At>,
}

impl Outline {
    pub fn new(dom: &Dom, blocks: &Blocks) -> Outline {
        let count = blocks.list.len();
        let mut outline = Outline {
            places: Vec::with_capacity(2 * count),
            of: Vec::with_capacity(count),
            known: vec![NOWHERE; dom.nodes.len()],
        };
        let mut looks = Looks { dom, classes: vec![None; dom.class_lists()] };
        let mut path = Vec::new();
        for block in &blocks.list {
            // Up to what is known, and down again.
            let mut next = block.container;
            let mut around = NOWHERE;
            while let Some(&at) = outline.known.get(next as usize) {
                if at != NOWHERE {
                    around = at;
                    break;
                }
                path.push(next);
                next = dom.parent(next).unwrap_or(NONE);
            }
            while let Some(node) = path.pop() {
                let at = outline.places.len() as At;
                let depth = outline.place(around).map_or(0, |place| place.depth + 1);
                outline.places.push(Place { node, around, depth, look: looks.of(node) });
                if let Some(known) = outline.known.get_mut(node as usize) {
                    *known = at;
                }
                around = at;
            }
            outline.of.push(around);
        }
        outline
    }

    /// The container of a block.
    #[inline]
    pub fn of(&self, block: usize) -> At {
        self.of.get(block).copied().unwrap_or(NOWHERE)
    }

    /// The place of an element; [`NOWHERE`] if it holds no block.
    #[inline]
    pub fn at(&self, node: Id) -> At {
        self.known.get(node as usize).copied().unwrap_or(NOWHERE)
    }

    #[inline]
    pub fn place(&self, at: At) -> Option<&Place> {
        self.places.get(at as usize)
    }

    /// What is around a place.
    #[inline]
    pub fn around(&self, at: At) -> At {
        self.place(at).map_or(NOWHERE, |place| place.around)
    }

    /// The element of a place, [`NONE`] if there is none.
    #[inline]
    pub fn node(&self, at: At) -> Id {
        self.place(at).map_or(NONE, |place| place.node)
    }

    /// Tag and class names of a place in one number.
    #[inline]
    pub fn look(&self, at: At) -> u64 {
        self.place(at).map_or(NO_LOOK, |place| place.look)
    }
}

/// Which elements around a page's blocks are of some kind or lie in one that is, each looked at once.
pub struct Within {
    /// Of each place, once it was asked.
    known: Vec<Option<bool>>,
    /// The way up from a block to what is known.
    path: Vec<At>,
}

impl Within {
    pub fn new(outline: &Outline) -> Within {
        Within { known: vec![None; outline.places.len()], path: Vec::new() }
    }

    /// Does a block stand in an element that `is` of the kind?
    pub fn holds(&mut self, outline: &Outline, block: usize, is: impl Fn(Id) -> bool) -> bool {
        let mut at = outline.of(block);
        let mut holds = false;
        while let Some(place) = outline.place(at) {
            if let Some(known) = self.known[at as usize] {
                holds = known;
                break;
            }
            self.path.push(at);
            at = place.around;
        }
        while let Some(at) = self.path.pop() {
            holds = holds || is(outline.node(at));
            self.known[at as usize] = Some(holds);
        }
        holds
    }
}

/// Of no element: no tag, no classes.
const NO_LOOK: u64 = mix(0, 0);

/// What elements look like.
struct Looks<'d> {
    dom: &'d Dom<'d>,
    /// Of each class attribute of the page, once it was asked.
    classes: Vec<Option<u64>>,
}

impl Looks<'_> {
    fn of(&mut self, id: Id) -> u64 {
        let class = || hash(&self.dom.value(id, name!("class")).unwrap_or_default());
        let classes = match self.classes.get_mut(self.dom.class_list(id)) {
            Some(known) => *known.get_or_insert_with(class),
            None => class(),
        };
        mix(hash(self.dom.name(id)), classes)
    }
}

/// A text in one number.
pub(in crate::extract) fn hash(text: &str) -> u64 {
    let mut h = text.len() as u64;
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    for word in words {
        h = mix(h, u64::from_le_bytes(*word));
    }
    rest.iter().fold(h, |h, b| mix(h, u64::from(*b)))
}

/// Two numbers in one.
pub(in crate::extract) const fn mix(a: u64, b: u64) -> u64 {
    (a.rotate_left(5) ^ b).wrapping_mul(0x517c_c1b7_2722_0a95)
}
