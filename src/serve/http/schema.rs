//! The shapes of all answers, as data, in a small notation: `string`, `Name` (another schema),
//! `[T]` (list), `{T}` (object of T), `T?` (or null). A test holds real answers against them.
//!
//! Must not know: endpoints.

mod alerts;
mod notes;
mod orders;
mod search;
mod senses;
mod words;

use serde_json::{Map, Value, json};

use words::WORDS;

/// Name, type and meaning of a field.
type Field = (&'static str, &'static str, &'static str);

/// Objects by name, with their fields.
const OBJECTS: &[(&str, &[Field])] = &[
    (
        "Error",
        &[
            ("type", "string", "Always `about:blank` (RFC 9457 §4.2.1)"),
            ("title", "string", "The status in words"),
            ("status", "integer", "The status"),
            ("detail", "string", "What went wrong, in a sentence"),
            ("error", "string", "The same as `detail`"),
        ],
    ),
    (
        "Mentions",
        &[
            ("by", "By", "What a line stands for"),
            ("lines", "[Line]", "One per brand and bucket that has counts"),
            ("watched_since", "{Millis}", "Brand: since when it is watched"),
            ("outlets_since", "Millis?", "When the first feed was added"),
            ("changes", "[Change]", "Other brand sets and models in these days"),
            ("brand_set", "string", "Version of the brand set that made the counts"),
            ("timezone", "string", "Zone that days belong to"),
            ("truncated", "boolean", "There are more lines"),
        ],
    ),
    (
        "Line",
        &[
            ("brand", "string", "Name of the brand"),
            ("bucket", "string", "Day, Monday of the week, outlet, language or feed URL"),
            ("articles", "integer", "Articles with a counted mention, copies included"),
            ("stories", "integer", "Stories with a counting article, on the original's day"),
            ("copies", "integer", "Articles that are not the original of their story"),
            ("mentions", "integer", "Counted mentions: in title, lead and body"),
            ("suppressed", "integer", "Mentions elsewhere on the pages, not counted"),
            ("backlog", "integer", "Articles that came with the first poll of their feed"),
            ("own", "integer", "Counted mentions by the brand's own outlets"),
            ("coverage", "number?", "Share of the polls due from the first day on that succeeded"),
            ("provisional", "boolean", "The 48 hours of the last day are not over"),
            ("incomplete", "boolean", "Fewer than nine of ten of these polls succeeded"),
            ("late", "integer", "Counting articles first seen after those hours, no backlog"),
            ("revised", "boolean", "The counts changed after those hours"),
        ],
    ),
    (
        "Change",
        &[
            ("what", "What", "What has changed"),
            ("version", "string", "Hash of the model, version of the brand set"),
            ("at", "Millis", "Since when"),
            ("day", "Day", "The same as a day"),
        ],
    ),
    (
        "Deployment",
        &[
            ("id", "string", "Hash of the model"),
            ("at", "Millis", "Since when it labels pages"),
            ("origin", "Origin", "Came with the program, or was deployed by somebody"),
        ],
    ),
    (
        "Log",
        &[
            ("log", "[LogLine]", "Decisions, the latest first"),
            ("next", "string?", "`after` of the next page"),
            ("truncated", "boolean", "There are more"),
        ],
    ),
    (
        "LogLine",
        &[
            ("at", "Millis", "When it was decided"),
            ("who", "string", "Name of a token or user; empty where it was not noted"),
            ("via", "Via", "How they are known"),
            ("what", "Topic", "What it is about"),
            ("decision", "string", "What was decided, in words"),
        ],
    ),
    (
        "CoverageDays",
        &[
            ("days", "[DayCoverage]", "Every day asked for"),
            ("today", "Day", "The current day in the configured zone"),
            ("truncated", "boolean", "There are more days"),
        ],
    ),
    (
        "DayCoverage",
        &[
            ("day", "Day", "Publication day D"),
            ("coverage", "number?", "Share of the polls due in [D, D + 48 h) that succeeded"),
            ("provisional", "boolean", "The 48 hours are not over"),
            ("polls_due", "integer", "Polls due on the day itself"),
            ("polls_succeeded", "integer", "Those of them that succeeded"),
            ("entries", "integer", "First sights of entries on the day"),
            ("outcomes", "{integer}", "Of these entries, by outcome; sums to entries"),
            (
                "unusual",
                "[string]",
                "Outlets that brought far more than usual, or more than is taken",
            ),
        ],
    ),
    (
        "Articles",
        &[
            ("articles", "[ArticleLine]", "By publication day"),
            ("next", "string?", "`after` of the next page"),
            ("truncated", "boolean", "There are more"),
        ],
    ),
    (
        "ArticleLine",
        &[
            ("key", "UrlKey", "Name of the article"),
            ("day", "Day", "Day that it is counted under"),
            ("outlet", "string", "Registered domain of its publisher"),
            ("language", "string?", "BCP 47 primary subtag"),
            ("title", "string", "Title; empty if none was found"),
            ("url", "string", "After redirects"),
            ("story", "UrlKey?", "Story that it belongs to"),
            ("copies", "integer", "Other articles of the same story"),
            ("original", "boolean", "The original of its story"),
            ("sighting", "Sighting", "What our own sightings say of its date"),
            ("characters", "integer", "Length of its text"),
            ("mentions", "{integer}", "Brand: counted mentions"),
            ("suppressed", "{integer}", "Brand: mentions that are not counted"),
            ("stuffed", "[string]", "Brands whose mentions stop at the cap for its length"),
        ],
    ),
    (
        "ArticleView",
        &[
            ("record", "ArticleRecord", "The stored article"),
            ("mentions", "[MentionRow]", "One row per brand that occurs at all"),
            ("story", "Story?", "Story that it belongs to"),
            ("excerpts", "[ExcerptLine]", "Longer articles it stands in, shorter ones in it"),
        ],
    ),
    (
        "ExcerptLine",
        &[
            ("part", "UrlKey", "The excerpt"),
            ("whole", "UrlKey", "The longer article that it stands in"),
            ("share", "number", "Share of the excerpt's terms that the longer one has, 0 to 1"),
            ("outlet", "string", "Outlet of the other article"),
            ("title", "string", "Title of the other article"),
            ("url", "string", "The other article after redirects"),
        ],
    ),
    (
        "ArticleRecord",
        &[
            ("key", "UrlKey", "Name of the article"),
            ("url", "string", "As the feed gave it"),
            ("final_url", "string", "After redirects"),
            ("outlet", "string", "Registered domain of its publisher"),
            ("feed", "UrlKey", "Feed that it came from"),
            ("feed_title", "string?", "Title in the feed"),
            ("backlog", "boolean", "Came with the first poll of its feed"),
            ("first_seen", "Millis", "First committed sighting"),
            ("fetched", "Millis", "When the page was fetched"),
            ("charset", "[string]", "Encoding and where it was declared"),
            ("published", "Published", "Instant and day that it is counted under, and why"),
            ("article", "Article", "What extraction made of the page"),
            ("memory", "MemoryUsed?", "Memory of its outlet that it was read with"),
            ("sighting", "Sighting", "What our own sightings say of its date"),
            (
                "agencies",
                "[Found]?",
                "News agencies that it credits; null: read before that was asked",
            ),
        ],
    ),
    (
        "MemoryUsed",
        &[
            ("before", "Day", "Made of pages that were read before this day (UTC)"),
            ("pages", "integer", "Pages that it is made of"),
            ("texts", "integer", "Texts that the outlet prints in many of its stories"),
            ("sum", "string", "The same for memories that know the same texts"),
        ],
    ),
    (
        "Published",
        &[
            ("at", "Millis", "Publication instant"),
            ("day", "Day", "Day that the article is counted under"),
            ("precision", "Precision", "How exactly the date was printed"),
            ("zone", "ZoneSource", "Where its zone came from"),
            ("source", "Source", "Where the date was found"),
            ("printed", "string?", "As printed"),
        ],
    ),
    (
        "Article",
        &[
            ("title", "Found?", "Title"),
            ("authors", "[Found]", "Authors"),
            ("published", "Stamp?", "Date of publication as printed"),
            ("modified", "Stamp?", "Date of the last change as printed"),
            ("language", "Found?", "BCP 47 primary subtag"),
            ("canonical", "Found?", "Canonical URL that the page names"),
            ("site_name", "Found?", "Name of the site"),
            ("section", "Found?", "Section of the site"),
            ("image", "Found?", "Lead image"),
            (
                "signals",
                "[string]",
                "noindex, noarchive, reservations; hidden: only a script shows the article",
            ),
            ("page_type", "PageType", "Kind of page"),
            ("blocks", "[Block]", "Every block of the page, in page order"),
            ("text", "string", "Lead and body, one paragraph a line"),
            ("fallback", "boolean", "No block was labeled content and the fallback answered"),
            ("model", "string", "Hash of the model that labeled it"),
        ],
    ),
    ("Found", &[("value", "string", "The value"), ("source", "Source", "Where it was found")]),
    (
        "Stamp",
        &[
            ("printed", "string", "As printed"),
            ("local", "string", "Wall clock as printed"),
            ("offset", "integer?", "Seconds east of UTC; null: not printed"),
            ("precision", "Precision", "How exactly"),
            ("source", "Source", "Where it was found"),
        ],
    ),
    (
        "Block",
        &[
            ("text", "string", "White space normalised"),
            ("label", "Label", "What the block is"),
            ("probability", "number", "Of being content"),
        ],
    ),
    (
        "MentionRow",
        &[
            ("brand", "string", "Name of the brand"),
            ("day", "Day", "Day that the article is counted under"),
            ("article", "UrlKey", "The article"),
            ("outlet", "string", "Its outlet"),
            ("language", "string?", "Its language"),
            ("feed", "UrlKey", "Its feed"),
            ("backlog", "boolean", "Came with the first poll of its feed"),
            ("own_outlet", "boolean", "The outlet is the brand itself"),
            ("counted", "integer", "Mentions in title, lead and body"),
            ("suppressed", "integer", "Mentions elsewhere"),
            ("mentions", "[Mention]", "Each of them"),
        ],
    ),
    (
        "Mention",
        &[
            ("brand", "string", "Name of the brand"),
            ("matched", "string", "As it stands in the text"),
            ("block", "integer?", "Index into the blocks; null: the title of the metadata"),
            ("start", "integer", "First byte in the block's UTF-8 text"),
            ("end", "integer", "Byte after the last"),
            ("zone", "Zone", "Where it stands; title, lead and body count"),
        ],
    ),
    (
        "Stories",
        &[
            ("stories", "[StoryLine]", "Most carried first"),
            ("next", "string?", "`after` of the next page"),
            ("truncated", "boolean", "There are more"),
        ],
    ),
    (
        "StoryLine",
        &[
            ("id", "UrlKey", "Name of the story"),
            ("day", "Day", "Publication day of the original"),
            ("title", "string", "Title of the original"),
            ("outlet", "string", "Outlet of the original"),
            ("articles", "integer", "Original and copies"),
            ("outlets", "integer", "Outlets that carried it"),
            ("span", "integer", "Milliseconds from first to last publication"),
            ("series", "boolean", "A chain of changing texts rather than one story"),
            ("pattern", "boolean", "Of one pattern with another article, which is no copy"),
            ("brands", "[string]", "Brands that any of its articles counts"),
            ("excerpts", "integer", "Links of its articles with excerpts and longer articles"),
        ],
    ),
    (
        "StoryView",
        &[
            ("story", "Story", "The story"),
            ("titles", "[[string]]", "Per member: title and URL"),
            ("diffs", "[Diff]", "The member asked for against the original"),
            (
                "excerpts",
                "[ExcerptLine]",
                "Excerpts of its articles, longer articles they stand in",
            ),
        ],
    ),
    (
        "Diff",
        &[
            ("key", "UrlKey", "The member"),
            ("changes", "[SentenceChange]", "Sentence by sentence, in the order of the copy"),
            ("taken", "number", "Share of its terms in sentences of the original, word for word"),
            ("kept", "number", "Share of the original's terms in its sentences, word for word"),
        ],
    ),
    (
        "Story",
        &[
            ("id", "UrlKey", "Name of the story"),
            (
                "members",
                "[Member]",
                "Those whose dates are best supported first; the first is the original",
            ),
            ("series", "boolean", "A chain of changing texts rather than one story"),
            ("pattern", "boolean", "Of one pattern with another article, which is no copy"),
        ],
    ),
    (
        "Member",
        &[
            ("key", "UrlKey", "The article"),
            ("outlet", "string", "Its outlet"),
            ("at", "Millis", "Publication instant"),
            ("day", "Day", "Publication day"),
            ("first_seen", "Millis", "First committed sighting"),
            ("sighting", "Sighting", "What our own sightings say of its date"),
            ("nearest", "Nearest?", "Most similar earlier member"),
            ("brands", "[string]", "Brands that it counts"),
        ],
    ),
    (
        "Feeds",
        &[("feeds", "[FeedLine]", "By outlet and URL"), ("truncated", "boolean", "There are more")],
    ),
    (
        "FeedLine",
        &[
            ("key", "UrlKey", "Name of the feed"),
            ("url", "string", "Its URL"),
            ("outlet", "string", "Its outlet"),
            ("speaks_for", "string?", "The outlet that it speaks for beside its own"),
            ("group", "string?", "Comment group of the seed list"),
            ("title", "string?", "Its title"),
            ("language", "string?", "Its language"),
            ("format", "FeedFormat?", "null: not polled yet"),
            ("status", "FeedStatus", "Followed or not"),
            ("interval", "integer", "Milliseconds between polls"),
            ("next_poll", "Millis", "Next poll"),
            ("last_poll", "Millis?", "Last poll"),
            ("last_success", "Millis?", "Last poll that succeeded"),
            ("polls", "integer", "Polls so far"),
            ("successes", "integer", "Polls that succeeded"),
            ("failures", "number", "Consecutive failures, weighted by kind"),
            ("gaps", "integer", "Polls that may have missed entries"),
            ("why", "string", "Why this interval, or the last error"),
            ("moved_to", "string?", "New URL of a moved feed"),
            ("duplicate_of", "UrlKey?", "The feed with the same entries that is polled instead"),
        ],
    ),
    (
        "Outlets",
        &[("outlets", "[OutletLine]", "By name"), ("truncated", "boolean", "There are more")],
    ),
    (
        "OutletLine",
        &[
            ("outlet", "string", "Registered domain"),
            ("feeds", "integer", "Its feeds"),
            ("entries", "integer", "First sights of entries"),
            ("outcomes", "{integer}", "By outcome; sums to entries"),
            ("polls_due", "integer", "Polls that were due"),
            ("polls_succeeded", "integer", "Polls that succeeded"),
            ("last_success", "Millis?", "Last successful poll of any of its feeds"),
        ],
    ),
    (
        "BrandSet",
        &[
            ("version", "string", "Hash of its content"),
            ("brands", "[Brand]", "The brands"),
            ("since", "{Millis}", "Brand: since when it is watched"),
            ("senses", "{SenseLine}", "Brand: what was answered about its mentions, if anything"),
        ],
    ),
    (
        "Brand",
        &[
            ("name", "string", "Name"),
            ("aliases", "[string]", "Other names"),
            ("exclude", "[string]", "Phrases that cancel an overlapping match"),
            ("case", "CaseRule", "How letter case decides"),
            ("whole_word", "boolean", "Only whole words"),
            ("languages", "[string]", "Only in articles of these; empty: all"),
            ("require", "[string]", "Any of these words must be near"),
            ("within", "integer", "How near, in words; 0: anywhere in the article"),
            ("inflect", "[string]", "Languages whose endings are accepted"),
            ("outlets", "[string]", "The brand's own outlets"),
        ],
    ),
    (
        "Silence",
        &[
            ("source", "SilentSource", "What is silent"),
            ("name", "string", "The outlet, or the language as a tag"),
            ("hours", "integer", "So many hours up to now"),
            ("entries", "integer", "New entries in them"),
            ("usual", "integer", "New entries in the same hours of the weakest week before"),
            ("polls", "integer?", "Percent of the polls in these days that succeeded"),
        ],
    ),
    (
        "Status",
        &[
            ("version", "string", "Of the crawler"),
            ("feeds", "integer", "Feeds"),
            ("feeds_failing", "integer", "Feeds whose last poll failed"),
            ("outlets", "integer", "Outlets"),
            ("brands", "integer", "Brands"),
            ("brand_set", "string", "Version of the brand set"),
            ("timezone", "string", "Zone that days belong to"),
            ("model", "Deployment?", "The model that labels pages"),
            ("entries", "integer", "First sights of entries"),
            ("outcomes", "{integer}", "By outcome; sums to entries"),
            ("pending", "integer", "Entries waiting for an attempt"),
            ("leased", "integer", "Pace keys being worked on"),
            ("next_due", "Millis?", "When the next pace key becomes due"),
            ("coverage_today", "number?", "Share of the polls due today that succeeded"),
            ("size", "integer", "Bytes on disk"),
            ("archive", "integer?", "Bytes of the archive, if there is one"),
            ("silent", "[Silence]", "Outlets and languages that bring clearly less than they did"),
            ("trouble", "[string]", "What wants attention, in sentences"),
        ],
    ),
];

/// All objects, of all rooms.
fn objects() -> impl Iterator<Item = &'static (&'static str, &'static [Field])> {
    [OBJECTS, orders::OBJECTS, alerts::OBJECTS, notes::OBJECTS, search::OBJECTS, senses::OBJECTS]
        .into_iter()
        .flatten()
}

/// All schemas by name.
pub(super) fn all() -> Map<String, Value> {
    let mut schemas = Map::new();
    for (name, fields) in objects() {
        schemas.insert(name.to_string(), object(fields));
    }
    // What one gives of a brand: all but its name has a default.
    for (name, required) in [("BrandGiven", json!([])), ("BrandListed", json!(["name"]))] {
        let mut given = schemas["Brand"].clone();
        given["required"] = required;
        schemas.insert(name.into(), given);
    }
    let day = json!({ "$ref": "#/components/schemas/Day" });
    let run = json!({
        "type": "array",
        "description": "First and last day",
        "prefixItems": [day, day],
        "minItems": 2,
        "maxItems": 2,
    });
    schemas.insert("DayRun".into(), run);
    for (name, words) in WORDS {
        schemas.insert(name.to_string(), json!({ "type": "string", "enum": words }));
    }
    let key = json!({ "type": "string", "pattern": "^[0-9a-f]{32}$" });
    schemas.insert("UrlKey".into(), key.clone());
    schemas.insert("Day".into(), json!({ "type": "string", "format": "date" }));
    let millis = json!({ "type": "integer", "description": "UTC milliseconds" });
    schemas.insert("Millis".into(), millis);
    let nearest = json!({
        "type": "array",
        "description": "Key and similarity, 0 to 1",
        "prefixItems": [key, { "type": "number" }],
        "minItems": 2,
        "maxItems": 2,
    });
    schemas.insert("Nearest".into(), nearest);
    let text = json!({ "type": "string" });
    let change = json!({
        "type": "object",
        "description": "What became of a sentence",
        "properties": {
            "same": text,
            "added": text,
            "removed": text,
            "edited": {
                "type": "object",
                "properties": { "was": text, "is": text },
                "required": ["was", "is"],
            },
        },
        "minProperties": 1,
        "maxProperties": 1,
    });
    schemas.insert("SentenceChange".into(), change);
    schemas
}

/// An object with these fields and no others.
fn object(fields: &[Field]) -> Value {
    let property = |(field, kind, about): &Field| {
        let mut schema = notation(kind);
        schema["description"] = json!(about);
        (field.trim_end_matches('?').to_owned(), schema)
    };
    let properties: Map<String, Value> = fields.iter().map(property).collect();
    let required = fields.iter().map(|(field, _, _)| *field).filter(|field| !field.ends_with('?'));
    json!({
        "type": "object",
        "properties": properties,
        "required": required.collect::<Vec<_>>(),
        "additionalProperties": false,
    })
}

fn notation(kind: &str) -> Value {
    if let Some(inner) = kind.strip_suffix('?') {
        return json!({ "anyOf": [notation(inner), { "type": "null" }] });
    }
    if let Some(inner) = kind.strip_prefix('[').and_then(|k| k.strip_suffix(']')) {
        return json!({ "type": "array", "items": notation(inner) });
    }
    if let Some(inner) = kind.strip_prefix('{').and_then(|k| k.strip_suffix('}')) {
        return json!({ "type": "object", "additionalProperties": notation(inner) });
    }
    match kind {
        "string" | "integer" | "number" | "boolean" | "object" => json!({ "type": kind }),
        name => json!({ "$ref": format!("#/components/schemas/{name}") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_stands_for_two_shapes() {
        let mut names: Vec<&str> = objects().map(|(name, _)| *name).collect();
        names.extend(WORDS.iter().map(|(name, _)| *name));
        let all = all();
        for (name, fields) in objects().map(|(name, fields)| (*name, fields.len())) {
            let properties = all[name]["properties"].as_object().map(Map::len);
            assert_eq!(properties, Some(fields), "{name}");
        }
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    }
}
