//! What is stored as tables, for other programs. Their columns are versioned: names and meanings stay,
//! columns may be added at the end; [`SCHEMA`] grows when anything else changes.
//!
//! Must not know: files, formats, how rows travel.

mod columns;
mod rows;

pub use columns::{Column, Kind};
pub use rows::{ExportRow, MentionCounts, export};

use serde::{Deserialize, Serialize};

/// Version of all tables together.
pub const SCHEMA: u32 = 1;

/// A table.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Table {
    /// A row per article, with its text.
    Articles,
    /// A row per article and brand that it names anywhere.
    Mentions,
    /// A row per day and brand: the counts.
    Tallies,
    /// A row per story.
    Stories,
    /// A row per day of arrival and outlet: polls, and entries by outcome.
    Coverage,
}

impl Table {
    pub const ALL: [Table; 5] =
        [Table::Articles, Table::Mentions, Table::Tallies, Table::Stories, Table::Coverage];

    /// The name on the command line, in paths and in docs.
    pub fn name(self) -> &'static str {
        match self {
            Table::Articles => "articles",
            Table::Mentions => "mentions",
            Table::Tallies => "tallies",
            Table::Stories => "stories",
            Table::Coverage => "coverage",
        }
    }

    /// Its columns, in their order.
    pub fn columns(self) -> &'static [Column] {
        columns::of(self)
    }
}
