//! Pseudo-classes and pseudo-elements by name (Selectors Level 4, HTML §4.16.3): those that Chromium 156 reads
//! (`scripts/browser-words` tells what differs). Data only.

/// States that no element of a page has when it is opened, or that none has that holds text; `host` is outside of what
/// sheets of the page may say.
pub(super) const NEVER: [&str; 57] = [
    "hover",
    "focus",
    "focus-within",
    "focus-visible",
    "active",
    "target",
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
    "navigation-source",
    "interest-target",
    "xr-overlay",
    "granted",
    "unbounded",
    "window-inactive",
    // Of scroll bars.
    "horizontal",
    "vertical",
    "start",
    "end",
    "increment",
    "decrement",
    "single-button",
    "double-button",
    "no-button",
    "corner-present",
    // The browser's own, which it reads in sheets of pages, too.
    "-internal-autofill-previewed",
    "-internal-autofill-selected",
    "-internal-dialog-in-top-layer",
    "-internal-popover-in-top-layer",
    "-internal-relative-anchor",
    "-internal-select-has-slotted-button",
    "-internal-text-field",
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
pub(super) const UNTOLD: [(&str, &[&str]); 9] = [
    ("enabled", CONTROLS),
    ("optional", &["input", "select", "textarea"]),
    ("valid", CONTROLS),
    ("invalid", CONTROLS),
    ("read-only", &[]),
    ("defined", &[]),
    ("open", &["details", "dialog", "input", "select"]),
    ("state", &[]),
    ("interest-source", &["a", "area", "button"]),
];

const CONTROLS: &[&str] = &[
    "button", "fieldset", "form", "input", "object", "optgroup", "option", "output", "select",
    "textarea",
];

/// Pseudo-elements, which are no elements of the page (CSS Pseudo-Elements Level 4); the first four also behind one colon.
pub(super) const PARTS: [&str; 34] = [
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
    "view-transition-group-children",
    "interest-button",
    "permission-icon",
    "select-listbox",
];
/// So many.
pub(super) const OLD_PARTS: usize = 4;
