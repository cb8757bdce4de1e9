//! Pseudo-classes and pseudo-elements by name (Selectors Level 4, HTML §4.16.3). Data only.

/// States that no element of a page has when it is opened, or that none has that holds text; `host` is outside of what
/// sheets of the page may say.
pub(super) const NEVER: [&str; 37] = [
    "hover",
    "focus",
    "focus-within",
    "focus-visible",
    "active",
    "target",
    "target-within",
    "visited",
    "autofill",
    "-webkit-autofill",
    "fullscreen",
    "-webkit-full-screen",
    "modal",
    "popover-open",
    "picture-in-picture",
    "user-invalid",
    "user-valid",
    "in-range",
    "out-of-range",
    "indeterminate",
    "playing",
    "paused",
    "host",
    "host-context",
    "current",
    "placeholder-shown",
    "default",
    "-webkit-drag",
    "-webkit-full-page-media",
    "-webkit-full-screen-ancestor",
    "past",
    "future",
    "active-view-transition",
    "active-view-transition-type",
    "target-current",
    "target-before",
    "target-after",
];

/// States of some elements alone, and those of them that have it. The rest may have it.
pub(super) const SOME: [(&str, &[&str]); 7] = [
    (
        "checked",
        &["input[type=checkbox i][checked]", "input[type=radio i][checked]", "option[selected]"],
    ),
    (
        "disabled",
        &[
            "button[disabled]",
            "fieldset[disabled]",
            "input[disabled]",
            "optgroup[disabled]",
            "option[disabled]",
            "select[disabled]",
            "textarea[disabled]",
        ],
    ),
    ("required", &["input[required]", "select[required]", "textarea[required]"]),
    ("link", &["a[href]", "area[href]"]),
    ("any-link", &["a[href]", "area[href]"]),
    ("-webkit-any-link", &["a[href]", "area[href]"]),
    ("read-write", &["input", "textarea", "[contenteditable]"]),
];

/// Those that may be met, which is not told here, and by which elements; any, if none is named.
pub(super) const UNTOLD: [(&str, &[&str]); 17] = [
    ("enabled", CONTROLS),
    ("optional", &["input", "select", "textarea"]),
    ("valid", CONTROLS),
    ("invalid", CONTROLS),
    ("read-only", &[]),
    ("defined", &[]),
    ("open", &["details", "dialog", "input", "select"]),
    ("state", &[]),
    ("local-link", &["a", "area"]),
    ("muted", MEDIA),
    ("has-slotted", &["slot"]),
    ("seeking", MEDIA),
    ("stalled", MEDIA),
    ("buffering", MEDIA),
    ("volume-locked", MEDIA),
    ("heading", &["h1", "h2", "h3", "h4", "h5", "h6"]),
    ("interest-source", &["a", "area", "button"]),
];

const CONTROLS: &[&str] = &[
    "button", "fieldset", "form", "input", "object", "optgroup", "option", "output", "select",
    "textarea",
];
const MEDIA: &[&str] = &["audio", "video"];

/// Pseudo-elements, which are no elements of the page (CSS Pseudo-Elements Level 4); the first four also behind one colon.
pub(super) const PARTS: [&str; 31] = [
    "before",
    "after",
    "first-letter",
    "first-line",
    "placeholder",
    "marker",
    "selection",
    "backdrop",
    "file-selector-button",
    "target-text",
    "spelling-error",
    "grammar-error",
    "details-content",
    "cue",
    "cue-region",
    "slotted",
    "part",
    "highlight",
    "view-transition",
    "view-transition-group",
    "view-transition-image-pair",
    "view-transition-old",
    "view-transition-new",
    "picker",
    "picker-icon",
    "checkmark",
    "scroll-marker",
    "scroll-marker-group",
    "scroll-button",
    "column",
    "search-text",
];
/// So many.
pub(super) const OLD_PARTS: usize = 4;
