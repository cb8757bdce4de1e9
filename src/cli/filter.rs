//! The arguments that choose articles and stories.
//!
//! Must not know: how they are found.

use anyhow::Result;

use crate::model::Day;
use crate::query::ArticlesQuery;

/// Filters of `articles` and `stories`.
#[derive(clap::Args)]
pub(super) struct Filter {
    /// Only those that count this brand
    #[arg(long)]
    brand: Option<String>,
    /// First publication day
    #[arg(long, value_name = "DAY", value_parser = crate::model::written_day)]
    from: Option<Day>,
    /// Last publication day
    #[arg(long, value_name = "DAY", value_parser = crate::model::written_day)]
    to: Option<Day>,
    /// One publication day
    #[arg(long, value_name = "DAY", value_parser = crate::model::written_day, conflicts_with_all = ["from", "to"])]
    day: Option<Day>,
    /// Only this outlet (registered domain)
    #[arg(long)]
    outlet: Option<String>,
    /// Only this language (two letters)
    #[arg(long)]
    language: Option<String>,
    /// At most this many; 0 = all
    #[arg(long, default_value_t = 0)]
    limit: usize,
}

impl Filter {
    pub(super) fn query(self) -> Result<ArticlesQuery> {
        super::in_order(self.from, self.to)?;
        Ok(ArticlesQuery {
            brand: self.brand,
            from: self.from.or(self.day),
            to: self.to.or(self.day),
            outlet: self.outlet,
            language: self.language,
            suppressed: false,
            after: None,
            limit: self.limit,
        })
    }
}
