//! Alerts in the main database, by name. They are kept as JSON: newer fields need no new format.
//!
//! Must not know: what a rule waits for.

use super::format::keys::{self, key};
use super::kv::Overlay;
use crate::model::Alert;
use crate::store::{Result, StoreError};

/// An alert as it is kept.
pub fn written(alert: &Alert) -> Result<String> {
    serde_json::to_string(alert)
        .map_err(|e| StoreError::Other(format!("an alert cannot be written: {e}")))
}

/// An alert as it was kept.
pub fn read(text: &str) -> Result<Alert> {
    serde_json::from_slice(text.as_bytes())
        .map_err(|e| StoreError::Other(format!("an alert cannot be read: {e}")))
}

impl Overlay<'_> {
    pub fn alert(&self, name: &str) -> Result<Option<Alert>> {
        let text: Option<String> = self.get(&key(keys::ALERT).text(name).done())?;
        text.map(|text| read(&text)).transpose()
    }

    pub fn alerts(&self) -> Result<Vec<Alert>> {
        self.prefix::<String>(&[keys::ALERT]).map(|row| read(&row?.1)).collect()
    }
}
