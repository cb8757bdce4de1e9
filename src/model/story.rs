//! Stories: articles that are copies of each other.
//!
//! Must not know: who makes and who uses it.

use serde::{Deserialize, Serialize};

use super::{Day, Millis, Sighting, UrlKey};

/// One article of a story.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    pub key: UrlKey,
    pub outlet: String,
    /// Publication instant.
    pub at: Millis,
    pub day: Day,
    pub first_seen: Millis,
    /// What our own sightings say of `at`.
    #[serde(default)]
    pub sighting: Sighting,
    /// Most similar earlier member and sim^σ to it.
    pub nearest: Option<(UrlKey, f32)>,
    /// Brands that this member counts at least once (current brand set).
    pub brands: Vec<String>,
}

/// When an article was published: publication instant, first seen, key.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Rank {
    pub at: Millis,
    pub first_seen: Millis,
    pub key: UrlKey,
}

/// What orders the members of a story: what our own sightings say of their dates, then these. So no
/// outlet makes itself the original by its own word alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Standing {
    pub sighting: Sighting,
    pub rank: Rank,
}

impl Member {
    /// When it was published.
    pub fn rank(&self) -> Rank {
        Rank { at: self.at, first_seen: self.first_seen, key: self.key }
    }

    /// Its place among the members of its story.
    pub fn standing(&self) -> Standing {
        Standing { sighting: self.sighting, rank: self.rank() }
    }
}

/// A story without its members: as small for a thousand as for one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredHead", into = "StoredHead")]
pub struct StoryHead {
    pub id: UrlKey,
    /// Number of members.
    pub articles: u64,
    /// The original.
    pub original: Standing,
    /// Publication day of the original.
    pub day: Day,
    /// The earliest and the latest member by their dates.
    pub first: Rank,
    pub last: Rank,
    /// Latest publication or first sight of a member.
    pub newest: Millis,
    /// See [`Story::series`].
    pub series: bool,
    /// See [`Story::pattern`].
    pub pattern: bool,
}

/// A [`StoryHead`] as it is stored: what was added to it later stands at its end.
#[derive(Serialize, Deserialize)]
struct StoredHead {
    id: UrlKey,
    articles: u64,
    first: Rank,
    day: Day,
    last: Rank,
    newest: Millis,
    series: bool,
    /// `None`: the earliest, by a date that is corroborated.
    #[serde(default, deserialize_with = "super::feed::or_default")]
    original: Option<Standing>,
    #[serde(default, deserialize_with = "super::feed::or_default")]
    pattern: bool,
}

/// The original of a story whose earliest member has a corroborated date.
fn earliest(first: Rank) -> Standing {
    Standing { sighting: Sighting::Corroborated, rank: first }
}

impl From<StoredHead> for StoryHead {
    fn from(stored: StoredHead) -> StoryHead {
        let StoredHead { id, articles, first, day, last, newest, series, original, pattern } =
            stored;
        let original = original.unwrap_or_else(|| earliest(first));
        StoryHead { id, articles, original, day, first, last, newest, series, pattern }
    }
}

impl From<StoryHead> for StoredHead {
    fn from(head: StoryHead) -> StoredHead {
        let StoryHead { id, articles, original, day, first, last, newest, series, pattern } = head;
        let original = Some(original).filter(|original| *original != earliest(first));
        StoredHead { id, articles, first, day, last, newest, series, original, pattern }
    }
}

impl StoryHead {
    /// How often its number of articles can be halved: 0 for one article, 1 for two and three, 2 up to seven.
    pub fn magnitude(&self) -> u8 {
        self.articles.checked_ilog2().and_then(|times| u8::try_from(times).ok()).unwrap_or(0)
    }

    /// The head of a story of one.
    pub fn of(member: &Member) -> StoryHead {
        StoryHead {
            id: member.key,
            articles: 1,
            original: member.standing(),
            day: member.day,
            first: member.rank(),
            last: member.rank(),
            newest: member.at.max(member.first_seen),
            series: false,
            pattern: false,
        }
    }

    /// Takes over what another story's head says about its members.
    pub fn absorb(&mut self, other: &StoryHead) {
        self.articles += other.articles;
        if other.original < self.original {
            (self.original, self.day) = (other.original, other.day);
        }
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
        self.newest = self.newest.max(other.newest);
        self.pattern |= other.pattern;
    }
}

/// How a new article joins the stories of its copies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Joining {
    /// The stories it joins, which are one from now on; the first keeps its name, those of the
    /// others become aliases. None: it founds its own, named after it.
    pub stories: Vec<UrlKey>,
    /// Most similar earlier member and sim^σ to it.
    pub nearest: Option<(UrlKey, f32)>,
    /// Later members that have no earlier member more like them than the new one, and sim^σ.
    pub nearer: Vec<(UrlKey, f32)>,
    /// See [`Story::series`].
    pub series: bool,
    /// Stories with articles that are of one pattern with it, which are marked from now on, like its own.
    pub patterns: Vec<UrlKey>,
}

/// A connected component of the copies relation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Story {
    /// Key of the member that founded it; stays when the original changes.
    pub id: UrlKey,
    /// Members sorted by [`Standing`]: the first is the original.
    pub members: Vec<Member>,
    /// Ends below τ − 0.15 that are no copies, or a span of more than seven days.
    pub series: bool,
    /// A member is of one pattern with an article of its window: the same words, worded otherwise or with
    /// other names and numbers. They are no copies.
    #[serde(default)]
    pub pattern: bool,
}

/// An article of which a large part stands in a longer one. Excerpts are no copies: they belong to
/// other stories, and no tally knows them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Excerpt {
    pub part: UrlKey,
    pub whole: UrlKey,
    /// Share of the part's terms that the whole has.
    pub share: f32,
}
