//! What people decided: who, when and in plain words, and what changes with it. These are the entries
//! of the one log of decisions; the histories of models and brand sets are those of its entries that
//! carry an effect.
//!
//! Must not know: how an order is given, where the log is kept.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::*;

use super::OutletRule;

/// One entry of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    pub at: Millis,
    pub who: Who,
    pub topic: Topic,
    /// What was decided, with its arguments. Of what is forgotten it names the key, never the address.
    pub words: String,
    pub effect: Option<Effect>,
}

/// Whoever decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Who {
    pub name: String,
    pub via: Via,
}

/// How somebody is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Via {
    /// By a token over HTTP: its name.
    Token,
    /// A user of the machine that the command was given on.
    User,
    /// A file that the configuration names, read by a daemon of this user.
    Configuration,
    /// The program itself, by its version.
    Program,
    /// Noted by a version that did not ask who.
    Unknown,
}

impl Via {
    /// As people write it.
    pub fn name(self) -> &'static str {
        match self {
            Via::Token => "token",
            Via::User => "user",
            Via::Configuration => "configuration",
            Via::Program => "program",
            Via::Unknown => "unknown",
        }
    }
}

impl Who {
    /// The program itself.
    pub fn program() -> Who {
        Who { name: format!("crawler {}", env!("CARGO_PKG_VERSION")), via: Via::Program }
    }

    /// Their decision.
    pub fn decides(&self, at: Millis, topic: Topic, words: String) -> Decision {
        Decision { at, who: self.clone(), topic, words, effect: None }
    }
}

/// What a decision is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Topic {
    Feed,
    Outlet,
    Brands,
    Model,
    Token,
    Alert,
    Note,
    Forgotten,
    /// The store as a whole: repaired, copied, taken over.
    Store,
}

impl Topic {
    /// Every topic.
    pub const ALL: [Topic; 9] = [
        Topic::Feed,
        Topic::Outlet,
        Topic::Brands,
        Topic::Model,
        Topic::Token,
        Topic::Alert,
        Topic::Note,
        Topic::Forgotten,
        Topic::Store,
    ];

    /// As people write it.
    pub fn name(self) -> &'static str {
        match self {
            Topic::Feed => "feed",
            Topic::Outlet => "outlet",
            Topic::Brands => "brands",
            Topic::Model => "model",
            Topic::Token => "token",
            Topic::Alert => "alert",
            Topic::Note => "note",
            Topic::Forgotten => "forgotten",
            Topic::Store => "store",
        }
    }

    /// Is it kept for good? By models and brand sets the counts are explained.
    pub fn lasts(self) -> bool {
        matches!(self, Topic::Brands | Topic::Model)
    }
}

impl std::str::FromStr for Topic {
    type Err = String;
    fn from_str(s: &str) -> Result<Topic, String> {
        let found = Topic::ALL.into_iter().find(|topic| topic.name() == s);
        let names = || Topic::ALL.map(Topic::name).join(", ");
        found.ok_or_else(|| format!("`{s}` is not what a decision is about; there are {}", names()))
    }
}

/// What a decision makes of the counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    Model(Deployment),
    Brands(Recounted),
}

/// A model that was put into use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deployment {
    /// Hash of the model.
    pub id: String,
    /// Since when it labels (UTC milliseconds).
    pub at: Millis,
    pub origin: Origin,
}

/// Who chose a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// It came with the program; that of a newer program replaces it.
    Shipped,
    /// Somebody deployed it; it stays until somebody deploys another.
    Deployed,
}

impl Origin {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Shipped => "shipped",
            Origin::Deployed => "deployed",
        }
    }
}

/// A brand set that was put into use, and the days whose counts that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recounted {
    /// Version of the brand set.
    pub version: String,
    pub at: Millis,
    /// No brands were watched before.
    pub first: bool,
    /// Brand → runs of days (first, last) whose counts differ from those before.
    pub changed: BTreeMap<String, Vec<(Day, Day)>>,
}

/// What a decision changes in the store, in the same commit.
#[derive(Clone, Copy)]
pub enum Change<'a> {
    /// Nothing more than what its entry says.
    Nothing,
    /// A feed is to be polled, unless it is known.
    NewFeed(&'a Feed),
    /// A feed's record is replaced and scheduled again (pause, resume), if it is known. If a decision pauses it, feeds
    /// that repeat it are polled in its place.
    Feed(&'a Feed),
    /// Of a feed only stays that it was removed. If that is a decision, feeds that repeat it are polled in its place.
    FeedRemoved(UrlKey),
    /// The rule of an outlet is replaced; pause and delay take effect on its pace keys (those of the
    /// old rule are freed), at once or when the lease under way ends.
    Rule(&'a str, &'a OutletRule),
    /// Entries end as [`Outcome::Forgotten`] for good, unknown ones too. Of an article goes
    /// everything: record, vector, rows, tallies, place in its story. `rest` are the stories that the
    /// other members of the articles' stories form now; if it has other members than are left:
    /// [`super::StoreError::StoryChanged`]. What polls say of the members' dates stays as the store has it.
    Forget { entries: &'a [UrlRecord], rest: &'a [Story] },
    /// Stories take the place of those that their members are in now, and prints of articles (key,
    /// publication instant, bytes) that of those stored. If those stories have other members than these:
    /// [`super::StoreError::StoryChanged`]. What polls say of the members' dates stays as the store has it.
    Stories { prints: &'a [(UrlKey, Millis, Vec<u8>)], stories: &'a [Story] },
    /// A recount ends: the pointer moves from the version `previous` to this set, story brand lists
    /// and tallies are replaced, old rows dropped. [`super::StoreError::StaleBrandSet`] if the
    /// pointer has moved away from `previous`.
    BrandSet { set: &'a BrandSet, previous: &'a str },
    /// A token is inserted or replaced.
    Token(&'a Token),
    /// An alert takes the place of the one with its name and revision, and is of the next; of revision 0
    /// there must be none. Else nothing is changed.
    Alert(&'a Alert),
    /// An alert is dropped, and all that it told.
    AlertRemoved(&'a str),
    /// A note is pinned to its day, unless there is one of its id.
    Note(&'a Note),
    /// The note of this id is dropped.
    NoteRemoved(&'a str),
}
