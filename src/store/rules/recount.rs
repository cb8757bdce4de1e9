//! A recount ends where it began: at the brand set that was current when it started.
//!
//! Must not know: how brands are matched.

use crate::model::BrandSet;
use crate::store::{Result, StoreError};

/// May a recount that began from the version `previous` make `set` the current one? Also if it is that
/// already: an answer may have been lost.
pub fn began_from(previous: &str, current: &str, set: &BrandSet) -> Result<()> {
    if current == previous || current == set.version {
        return Ok(());
    }
    Err(StoreError::StaleBrandSet { given: previous.to_owned(), current: current.to_owned() })
}
