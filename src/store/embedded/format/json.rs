//! Records that are kept as JSON: newer fields need no new format.
//!
//! Must not know: which records those are.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::store::{Result, StoreError};

/// A record that is kept so.
pub trait Json: Serialize + DeserializeOwned {
    /// What it is, with its article, for messages.
    const WHAT: &str;
}

/// A record as it is kept.
pub fn written<T: Json>(record: &T) -> Result<String> {
    serde_json::to_string(record)
        .map_err(|e| StoreError::Other(format!("{} cannot be written: {e}", T::WHAT)))
}

/// A record as it was kept.
pub fn read<T: Json>(text: &str) -> Result<T> {
    serde_json::from_slice(text.as_bytes())
        .map_err(|e| StoreError::Other(format!("{} cannot be read: {e}", T::WHAT)))
}
