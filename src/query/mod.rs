//! Questions, and their answers from a store: what the command line, the HTTP API and the dashboard
//! show. Every answer is a plain serialisable value with the same words as the tables and the docs.
//!
//! Must not know: how answers are printed or transported.

mod alerts;
mod articles;
mod changes;
mod coverage;
mod export;
mod log;
pub mod moves;
mod notes;
mod opml;
mod outlets;
mod past;
mod place;
mod question;
mod report;
mod review;
mod robots;
mod search;
mod series;
mod silence;
#[cfg(test)]
mod simulated;
mod status;
mod time;
mod tokens;
mod unanswered;
mod undelivered;
mod unusual;
mod usual;
mod why;

pub use alerts::{
    AlertLine, AlertView, Digest, DigestLine, DigestQuery, DigestStory, Sights, alert, alert_known,
    alerts, digest, each_once, is_quiet, judged, trial,
};
pub use articles::{
    ArticleLine, ArticleView, ArticlesQuery, Diff, ExcerptLine, StoryLine, StoryView,
};
pub use articles::{articles, diffs, show, show_story, stories};
pub use changes::{Change, What};
pub use coverage::{Coverage, CoverageQuery, DayCoverage, Polled, coverage, is_incomplete};
pub use export::{Column, ExportRow, Kind, MentionCounts, SCHEMA, Table, export};
pub use log::{LogLine, LogQuery, log};
pub use notes::{NotesQuery, notes};
pub use opml::opml;
pub use outlets::{FeedLine, OutletLine, feeds, outlet_known, outlet_meant, outlets};
pub use past::Past;
pub use place::{LogPlace, Place};
pub use question::{Asked, Compared, Emit, Question, answer};
pub use report::{Report, ReportQuery, Voice, report};
pub use review::{
    Asking, Brands, Proportion, Review, ReviewQuery, SenseLine, brands, review, taught,
};
pub use search::{
    Estimate, EstimateDay, EstimateQuery, Hit, SearchDay, SearchQuery, SearchView, estimate, search,
};
pub use series::{By, Line, Mentions, MentionsQuery, mentions};
pub use silence::{Silence, Source as SilentSource, silent};
pub use status::{Status, Trouble, nearly_full, status};
pub use time::{instant, published};
pub use tokens::{TokenLine, tokens};
pub use unanswered::{Answered, Unanswered};
pub use unusual::Unusual;
pub use why::{Why, why};
