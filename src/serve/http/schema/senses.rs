//! The shapes of what is asked and known about the name that is meant.
//!
//! Must not know: paths.

use super::Field;

/// Objects by name, with their fields.
pub(super) const OBJECTS: &[(&str, &[Field])] = &[
    (
        "SenseLine",
        &[
            ("answers", "integer", "Answers about its mentions"),
            ("meant", "integer", "Of these: the brand is meant"),
            ("model", "boolean", "A model that they taught decides about the other mentions"),
            (
                "precision",
                "Proportion?",
                "Of the mentions that the model counts, those that are meant",
            ),
            (
                "recall",
                "Proportion?",
                "Of the mentions that are meant, those that the model counts",
            ),
        ],
    ),
    (
        "Proportion",
        &[
            (
                "value",
                "number",
                "Estimated on answers of outlets that the model was not taught with",
            ),
            ("low", "number", "95 % interval (Wilson), from"),
            ("high", "number", "to"),
            ("right", "integer", "So many"),
            ("of", "integer", "of so many answers"),
        ],
    ),
    (
        "Review",
        &[
            ("brand", "string", "Name of the brand"),
            ("version", "string", "Version of the brand set"),
            ("known", "SenseLine", "What was answered already"),
            ("mentions", "[Asking]", "Mentions to answer about, the most telling first"),
        ],
    ),
    (
        "Asking",
        &[
            ("article", "UrlKey", "Key of the article"),
            ("block", "integer?", "Which of its blocks; null: the metadata title"),
            ("start", "integer", "Where the match begins in it, bytes"),
            ("end", "integer", "Where it ends"),
            ("before", "string", "Text before the match"),
            ("matched", "string", "The match"),
            ("after", "string", "Text behind it"),
            ("outlet", "string", "Registered domain"),
            ("title", "string", "Title of the article"),
            ("day", "Day", "Publication day"),
            ("url", "string", "Where the article is"),
            (
                "probability",
                "number?",
                "That the brand is meant, by the model; null: there is none",
            ),
        ],
    ),
];
