//! Notes that people pin to days: "press release", "recall". They stand beside the numbers and change none.
//!
//! Must not know: what was counted on their day.

use serde::{Deserialize, Serialize};

use super::{Day, Millis};

/// A note at a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Its day, and which of that day's notes it is: `2026-11-20-1`.
    pub id: String,
    pub day: Day,
    /// The brand that it is about; `None`: all of them.
    #[serde(default)]
    pub brand: Option<String>,
    pub text: String,
    /// When it was written, and by whom.
    pub made: Millis,
    pub by: String,
}
