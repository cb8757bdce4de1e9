//! The model file: what a labeler learned, in one versioned and checked format.
//!
//! Layout: 8 bytes magic, format version (u32, little endian), 32 bytes SHA-256 of all that
//! follows, then the content in postcard.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::all::All;
use super::{Gibson, Labeler, Leaves, Sd, Thresholds, Trees, Whole, trees, whole};
use crate::extract::segment::Profile;
use crate::model::hex;

const MAGIC: &[u8; 8] = b"crawlmdl";
/// Version of the format that this program writes; it reads all up to it.
pub const VERSION: u32 = 2;
const HEADER: usize = 8 + 4 + 32;

/// A labeler with its parameters. New kinds go to the end: their position is what is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Kind {
    /// Ziegler & Skubacz 2007 §3.
    Threshold(Thresholds),
    /// Baseline PR; profile [`Profile::Ziegler2007`].
    Pr,
    /// Baseline TB; profile [`Profile::Text`].
    Tb,
    /// Boosted trees in two passes.
    Trees(Trees),
    /// Gibson et al. 2007: maxent, MEMM or CRF over their eleven feature types.
    Gibson(Gibson),
    /// Pappas et al. 2012.
    Sd(Sd),
    /// Spengler & Gallinari 2009; profile [`Profile::Leaf2009`].
    Leaves(Leaves),
    /// Boosted trees, and the page as a whole; since version 2.
    Whole(Whole),
}

impl Kind {
    /// The name of the labeler on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Threshold(_) => "threshold",
            Kind::Pr => "pr",
            Kind::Tb => "tb",
            Kind::Trees(_) => "trees",
            Kind::Gibson(gibson) => gibson.name(),
            Kind::Sd(_) => "sd",
            Kind::Leaves(leaves) => leaves.name(),
            Kind::Whole(_) => "whole",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Content {
    profile: Profile,
    kind: Kind,
    note: String,
}

/// Labelers that are laid out for many pages.
#[derive(Clone, Debug, PartialEq)]
enum Ready {
    Trees(trees::Ready),
    Whole(whole::Ready),
}

/// A trained labeler and the segmentation it was trained on.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    content: Content,
    id: String,
    /// Trees laid out for labeling.
    ready: Option<Ready>,
}

/// Why bytes are not a usable model; each message is one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    #[error("this is not a crawler model")]
    NotAModel,
    #[error(
        "the model has format version {found}, this crawler knows up to {VERSION}: install a newer crawler"
    )]
    Newer { found: u32 },
    #[error("the model's checksum does not match its content: it was damaged, fetch it again")]
    Checksum,
    #[error(
        "the model was trained on other block features than this crawler computes: use the model that came with it, or train again"
    )]
    Features,
    #[error("the model cannot be read although its checksum is right: {0}")]
    Content(String),
}

impl Model {
    /// A model of this kind, trained on this profile; `note` is a line for people.
    pub fn new(profile: Profile, kind: Kind, note: &str) -> Model {
        let content = Content { profile, kind, note: note.to_owned() };
        let id = hex(&digest(&encode(&content)));
        Model::of(content, id)
    }

    fn of(content: Content, id: String) -> Model {
        let ready = match &content.kind {
            Kind::Trees(trees) => Some(Ready::Trees(trees::Ready::new(trees))),
            Kind::Whole(whole) => Some(Ready::Whole(whole::Ready::new(whole))),
            _ => None,
        };
        Model { content, id, ready }
    }

    /// The deployed model (`deploy/model/trees.model`, with its card beside it).
    pub fn embedded() -> Model {
        const FILE: &[u8] = include_bytes!("../../../deploy/model/trees.model");
        Model::load(FILE).expect("the embedded model is loaded by a test of this module")
    }

    /// Baseline PR: every block that pruning and removal leave.
    pub fn pr() -> Model {
        Model::new(Profile::Ziegler2007, Kind::Pr, "all blocks of Fig. 2")
    }

    /// Baseline TB: every text node.
    pub fn tb() -> Model {
        Model::new(Profile::Text, Kind::Tb, "all text nodes")
    }

    /// The untrained thresholds of [`Thresholds::by_hand`].
    pub fn by_hand() -> Model {
        let kind = Kind::Threshold(Thresholds::by_hand());
        Model::new(Profile::Modern, kind, "set by hand, not trained")
    }

    /// Reads a model file.
    pub fn load(bytes: &[u8]) -> Result<Model, ModelError> {
        let (header, body) = bytes.split_at_checked(HEADER).ok_or(ModelError::NotAModel)?;
        let header = header.strip_prefix(MAGIC).ok_or(ModelError::NotAModel)?;
        let (version, checksum) = header.split_at(4);
        let found = version.iter().rev().fold(0u32, |n, b| n << 8 | u32::from(*b));
        if found > VERSION {
            return Err(ModelError::Newer { found });
        }
        let digest = digest(body);
        if digest[..] != *checksum {
            return Err(ModelError::Checksum);
        }
        let (content, rest): (Content, _) =
            postcard::take_from_bytes(body).map_err(|e| ModelError::Content(e.to_string()))?;
        if !rest.is_empty() {
            return Err(ModelError::Content(format!("{} bytes are left over", rest.len())));
        }
        let fits = match &content.kind {
            Kind::Trees(trees) => trees.fits(),
            Kind::Gibson(gibson) => gibson.fits(),
            Kind::Leaves(leaves) => leaves.fits(),
            Kind::Whole(whole) => whole.fits(),
            Kind::Threshold(_) | Kind::Pr | Kind::Tb | Kind::Sd(_) => true,
        };
        if !fits {
            return Err(ModelError::Features);
        }
        Ok(Model::of(content, hex(&digest)))
    }

    /// The model as a file.
    pub fn bytes(&self) -> Vec<u8> {
        let body = encode(&self.content);
        let mut out = MAGIC.to_vec();
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&digest(&body));
        out.extend_from_slice(&body);
        out
    }

    /// Hash of profile, kind and parameters: 64 hex digits.
    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn profile(&self) -> Profile {
        self.content.profile
    }

    pub fn kind(&self) -> &Kind {
        &self.content.kind
    }

    pub fn note(&self) -> &str {
        &self.content.note
    }

    /// The labeler that this model makes.
    pub fn labeler(&self) -> &dyn Labeler {
        match &self.ready {
            Some(Ready::Trees(ready)) => ready,
            Some(Ready::Whole(ready)) => ready,
            None => self.explainer(),
        }
    }

    /// The same as it was trained: it knows its reasons, and labels more slowly.
    pub fn explainer(&self) -> &dyn Labeler {
        match &self.content.kind {
            Kind::Threshold(thresholds) => thresholds,
            Kind::Pr | Kind::Tb => &All,
            Kind::Trees(trees) => trees,
            Kind::Gibson(gibson) => gibson,
            Kind::Sd(sd) => sd,
            Kind::Leaves(leaves) => leaves,
            Kind::Whole(whole) => whole,
        }
    }
}

fn encode(content: &Content) -> Vec<u8> {
    postcard::to_stdvec(content).expect("postcard writes any of these types to memory")
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_survive_writing_and_reading() {
        let whole = Model::new(Profile::Modern, Kind::Whole(Whole::default()), "");
        assert_eq!(Model::load(&whole.bytes()), Err(ModelError::Features));
        for model in [Model::pr(), Model::tb(), Model::by_hand(), Model::embedded()] {
            let read = Model::load(&model.bytes()).expect("was just written");
            assert_eq!(read, model);
            assert_eq!(read.id().len(), 64);
        }
        assert_ne!(Model::pr().id(), Model::tb().id());
    }

    #[test]
    fn trees_over_other_features_are_refused() {
        let load = |features| {
            let trees = Trees { features, ..Trees::default() };
            Model::load(&Model::new(Profile::Modern, Kind::Trees(trees), "").bytes()).map(|_| ())
        };
        assert_eq!(load(super::super::trees::features()), Ok(()));
        assert_eq!(load(7), Err(ModelError::Features));
    }

    #[test]
    fn each_defect_has_its_own_sentence() {
        let good = Model::by_hand().bytes();
        let check = |bytes: Vec<u8>, expect: ModelError| {
            assert_eq!(Model::load(&bytes), Err(expect));
        };
        check(Vec::new(), ModelError::NotAModel);
        check(b"<html>".repeat(20), ModelError::NotAModel);
        let mut newer = good.clone();
        newer[8] = 9;
        check(newer, ModelError::Newer { found: 9 });
        let mut damaged = good.clone();
        let last = damaged.len() - 1;
        damaged[last] ^= 1;
        check(damaged, ModelError::Checksum);
        check(good[..good.len() - 3].to_vec(), ModelError::Checksum);
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_hurt(bytes in proptest::collection::vec(0u8.., 0..200)) {
            let _ = Model::load(&bytes);
            let mut framed = MAGIC.to_vec();
            framed.extend_from_slice(&VERSION.to_le_bytes());
            framed.extend_from_slice(&digest(&bytes));
            framed.extend_from_slice(&bytes);
            let _ = Model::load(&framed);
        }
    }
}
