//! Alerts in the main database, by name.
//!
//! Must not know: what a rule waits for.

use super::format::json::{self, Json};
use super::format::keys::{self, key};
use super::kv::Overlay;
use crate::model::Alert;
use crate::store::Result;

impl Json for Alert {
    const WHAT: &str = "an alert";
}

impl Overlay<'_> {
    pub fn alert(&self, name: &str) -> Result<Option<Alert>> {
        let text: Option<String> = self.get(&key(keys::ALERT).text(name).done())?;
        text.map(|text| json::read(&text)).transpose()
    }

    pub fn alerts(&self) -> Result<Vec<Alert>> {
        self.prefix::<String>(&[keys::ALERT]).map(|row| json::read(&row?.1)).collect()
    }
}
