//! The shapes of alerts and of what they tell. A field whose name ends in `?` may be left out.
//!
//! Must not know: paths.

use super::Field;

/// Objects by name, with their fields.
pub(super) const OBJECTS: &[(&str, &[Field])] = &[
    (
        "AlertGiven",
        &[
            ("name?", "AlertName", "The same as in the path"),
            ("when", "When", "What it waits for"),
            (
                "brands?",
                "[string]",
                "Articles that count any of these; neither these nor a query: new entries",
            ),
            (
                "query?",
                "string?",
                "Articles that have what is looked for, as in a search; beside brands: of theirs only these",
            ),
            ("outlet?", "string?", "Only of this outlet"),
            ("language?", "string?", "Only in this language"),
            ("within?", "Span?", "Time that is looked back for a count; else 24h"),
            ("to?", "[string]", "Targets of the configuration, by name"),
            ("quiet?", "QuietHours?", "Hours in which nothing is sent"),
        ],
    ),
    ("Alerts", &[("alerts", "[AlertLine]", "By name"), ("truncated", "boolean", "There are more")]),
    ("AlertLine", &LINE),
    (
        "Targets",
        &[
            ("targets", "[Target]", "By the configuration"),
            ("truncated", "boolean", "There are more"),
        ],
    ),
    ("Target", &[("name", "string", "By it alerts name it")]),
    (
        "AlertView",
        &[
            LINE[0],
            LINE[1],
            LINE[2],
            LINE[3],
            LINE[4],
            LINE[5],
            LINE[6],
            LINE[7],
            LINE[8],
            LINE[9],
            LINE[10],
            LINE[11],
            LINE[12],
            LINE[13],
            ("events", "[AlertEvent]", "What it told, the latest first; the last 200"),
        ],
    ),
    (
        "AlertEvent",
        &[
            ("id", "string", "Of its own for ever: who gets it twice knows by it"),
            ("at", "Millis", "When"),
            ("what", "Happened", "What kind of thing happened"),
            ("sentence", "string", "What happened, with its numbers"),
            ("details", "[string]", "The arithmetic, line by line"),
            ("count", "integer?", "What was counted"),
            ("usual", "[integer]?", "The count usually lies from the first to the second"),
            ("articles", "[Cited]", "Of these it speaks, at most ten"),
            ("deliveries", "[Delivery]", "One per target"),
        ],
    ),
    (
        "Cited",
        &[
            ("key", "UrlKey", "The article"),
            ("day", "Day", "Publication day"),
            ("outlet", "string", "Registered domain"),
            ("title", "string", "Its title"),
            ("url", "string", "Where it was read"),
        ],
    ),
    (
        "Delivery",
        &[
            ("target", "string", "Name of the target"),
            ("attempts", "integer", "Attempts so far"),
            ("next", "Millis?", "When it is tried next; null: not any more"),
            ("done", "Millis?", "When it was taken"),
            ("error", "string?", "Why it was not taken the last time"),
            ("left", "[string]", "Addresses that have refused a mail that others have taken"),
        ],
    ),
    (
        "AlertSet",
        &[
            ("name", "string", "Name of the alert"),
            ("replaced", "boolean", "There was one of this name; what it told stays"),
        ],
    ),
    ("AlertRemoved", &[("name", "string", "Name of the alert")]),
    (
        "AlertTested",
        &[
            ("name", "string", "Name of the alert"),
            ("id", "string", "Name of the event"),
            ("deliveries", "[Delivery]", "What came of it, per target"),
        ],
    ),
];

/// What every view of an alert has.
const LINE: [Field; 14] = [
    ("name", "string", "Name of the alert"),
    ("when", "When", "What it waits for"),
    (
        "brands",
        "[string]",
        "Articles that count any of these; neither these nor a query: new entries",
    ),
    (
        "query",
        "string?",
        "Articles that have what is looked for, as in a search; beside brands: of theirs only these",
    ),
    ("outlet", "string?", "Only of this outlet"),
    ("language", "string?", "Only in this language"),
    ("within", "Span?", "Time that is looked back for a count"),
    ("to", "[string]", "Targets of the configuration, by name"),
    ("quiet", "QuietHours?", "Hours in which nothing is sent"),
    ("made", "Millis", "When it was first set"),
    ("firing", "Millis?", "Since when it is as the rule says"),
    ("last_event", "Millis?", "When it last told something"),
    ("waiting", "integer", "Events that are still to be sent"),
    (
        "failed",
        "integer",
        "Events that a target did not take for so long that nobody tries any more",
    ),
];
