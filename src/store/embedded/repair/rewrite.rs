//! Other versions of articles in the months of a store that nobody uses; a repair then makes a main
//! database that agrees with them.
//!
//! Must not know: why an article changes.

use std::path::Path;

use crate::model::ArticleRecord;
use crate::store::embedded::files::ARTICLES;
use crate::store::embedded::format::Month;
use crate::store::embedded::kv::Writes;
use crate::store::embedded::lock::DirLock;
use crate::store::embedded::months::Months;
use crate::store::{Result, Settings};

/// Replaces the records of articles; what the store has no record of is left out. Main still counts
/// the old ones until `repair` has run.
///
/// # Errors
/// The store is in use, or a record cannot be written.
pub fn rewrite(
    dir: &Path,
    settings: &Settings,
    records: &mut dyn Iterator<Item = ArticleRecord>,
) -> Result<u64> {
    let _lock = DirLock::take(dir)?;
    let months = Months::new(Some(&dir.join(ARTICLES)), settings);
    let (mut count, mut touched) = (0, Vec::new());
    for record in records {
        let month = Month::of(record.first_seen);
        if months.get(month, record.key)?.is_none() {
            continue;
        }
        let writes =
            Writes::from([(record.key.0.to_be_bytes().to_vec(), Some(months.pack(&record)?))]);
        months.append(month, writes)?;
        if !touched.contains(&month) {
            touched.push(month);
        }
        count += 1;
    }
    months.flush(&touched)?;
    Ok(count)
}
