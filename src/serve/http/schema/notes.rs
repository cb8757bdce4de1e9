//! The shapes of notes. A field whose name ends in `?` may be left out.
//!
//! Must not know: paths.

use super::Field;

/// Objects by name, with their fields.
pub(super) const OBJECTS: &[(&str, &[Field])] = &[
    (
        "NoteGiven",
        &[
            ("day", "Day", "The day that it is pinned to"),
            ("brand?", "string?", "The brand that it is about; null: all"),
            ("text", "NoteText", "What happened"),
        ],
    ),
    ("Notes", &[("notes", "[Note]", "By day"), ("truncated", "boolean", "There are more")]),
    (
        "Note",
        &[
            ("id", "string", "Its day, and which of that day's notes it is"),
            ("day", "Day", "The day that it is pinned to"),
            ("brand", "string?", "The brand that it is about; null: all"),
            ("text", "string", "What happened"),
            ("made", "Millis", "When it was written"),
            ("by", "string", "Who wrote it"),
        ],
    ),
    ("NoteRemoved", &[("id", "string", "Id of the note")]),
];
