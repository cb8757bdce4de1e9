//! Texts and numbers of a form of their own, by name: what the API reads and nothing else.
//!
//! Must not know: which fields and parameters hold them.

use serde_json::{Value, json};

use crate::crawl::orders::{alerts, notes};

/// A length of time ([`crate::model::Span`]).
const SPAN: &str = "[0-9]{1,9} ?(ms|s|m|min|h|d)?";
/// A day of the calendar, leap years included.
const DAY: &str = "([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|\
                   02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|\
                   ([02468][048]|[13579][26])00)-02-29)";
const KEY: &str = "[0-9a-fA-F]{32}";
/// Any character that is no control character, but white space.
const PRINTED: &str = r"[^\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f]";
/// The same, and no white space.
const INKED: &str = r"[^\s\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f]";

/// Every form by its name.
pub(super) fn all() -> Vec<(&'static str, Value)> {
    let minute = "([01]?[0-9]|2[0-3]):[0-5]?[0-9]";
    vec![
        ("UrlKey", text("Name of an article, feed or story", KEY)),
        ("Day", json!({ "type": "string", "format": "date" })),
        ("Millis", json!({ "type": "integer", "description": "UTC milliseconds" })),
        ("Whole", json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX })),
        ("Filled", json!({ "type": "string", "minLength": 1 })),
        ("Span", text("For example 500ms, 10s, 5m, 2h or 30d", SPAN)),
        (
            "Delay",
            text("For example 10s; `default`: the polite delay again", &format!("default|{SPAN}")),
        ),
        ("QuietHours", text("For example 22:00-07:00", &format!("{minute}-{minute}"))),
        (
            "When",
            text(
                "What an alert waits for",
                "(at-least|carried) [1-9][0-9]{0,5}|coverage ([1-9][0-9]?|100)|unusual|falling|new-outlet|\
                 new-language|headline|daily|weekly",
            ),
        ),
        ("AlertName", {
            let name = "[.]*[A-Za-z0-9_-][A-Za-z0-9._-]*";
            let mut name = text("Letters, digits and -._, not only dots", name);
            name["maxLength"] = json!(alerts::LONGEST_NAME);
            name
        }),
        ("NoteText", {
            let mut words = text("In a few words", &format!("{PRINTED}*{INKED}{PRINTED}*"));
            words["maxLength"] = json!(notes::LONGEST);
            words
        }),
        ("EntityTags", text("An `ETag` in its quotes, or `*`", "\"[!#-~]*\"|\\*")),
        ("AfterArticle", text("`next` of the page before", &format!("{DAY}\\.{KEY}"))),
        ("AfterStory", text("`next` of the page before", &format!("[0-9]{{1,9}}\\.{DAY}\\.{KEY}"))),
        ("AfterDecision", text("`next` of the page before", "[0-9]{1,15}\\.[0-9]{1,9}")),
    ]
}

/// A text that is wholly of this pattern (ECMA-262, as JSON Schema asks for).
fn text(about: &str, pattern: &str) -> Value {
    json!({ "type": "string", "description": about, "pattern": format!("^({pattern})$") })
}
