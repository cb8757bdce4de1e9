//! Filters → series and tables: what the command line, the HTTP API and the dashboard show. Every
//! answer is a plain serialisable value with the same words as the tables and the docs.
//!
//! Must not know: how answers are printed or transported.

mod articles;
mod changes;
mod export;
mod outlets;
mod series;
mod silence;
mod status;
mod why;

pub use articles::{
    ArticleLine, ArticleView, ArticlesQuery, Diff, ExcerptLine, StoryLine, StoryView,
};
pub use articles::{articles, diffs, show, show_story, stories};
pub use changes::{Change, What};
pub use export::{ExportRow, MentionCounts, export};
pub use outlets::{FeedLine, OutletLine, feeds, outlets};
pub use series::{By, COMPLETE, DayCoverage, Line, Mentions, MentionsQuery};
pub use series::{coverage_days, days, mentions};
pub use silence::{Silence, Source as SilentSource, silent};
pub use status::{Status, Trouble, status};
pub use why::{Why, why};
