//! The shapes of what is ordered and of what orders answer. A field whose name ends in `?` may be left out.
//!
//! Must not know: paths.

use super::Field;

/// Objects by name, with their fields.
pub(super) const OBJECTS: &[(&str, &[Field])] = &[
    ("FeedList", &[("feeds", "[string]", "URLs of feeds or sites")]),
    (
        "SeededLines",
        &[
            ("lines", "[Seeded]", "What became of each line of the list"),
            ("truncated", "boolean", "There were more lines"),
        ],
    ),
    (
        "Seeded",
        &[
            ("line", "integer", "Line in the list, from 1; 0: the list as a whole"),
            ("url", "string", "URL of the feed; empty where none can be read"),
            ("result", "SeedResult", "What became of it"),
            ("detail", "string", "The error, or what was found"),
        ],
    ),
    ("FeedRemoved", &[("removed", "string", "URL of the feed")]),
    (
        "FeedPaused",
        &[("url", "string", "URL of the feed"), ("status", "FeedStatus", "Followed or not")],
    ),
    (
        "VoiceGiven",
        &[
            ("outlet?", "string?", "The outlet that it speaks for, too"),
            ("learn?", "boolean", "It finds out from its entries for whom it speaks"),
        ],
    ),
    (
        "FeedVoice",
        &[
            ("url", "string", "URL of the feed"),
            ("outlet", "string", "Its outlet"),
            ("speaks_for", "string?", "The outlet that it speaks for beside its own"),
            ("told", "boolean", "Somebody said so; else it is learned"),
        ],
    ),
    ("PauseGiven", &[("for?", "Span?", "How long; else until it is resumed")]),
    ("DelayGiven", &[("time", "Delay", "Time between two requests")]),
    (
        "OutletDecided",
        &[
            ("outlet", "string", "Registered domain"),
            ("pace_keys", "[string]", "Pace keys that it is asked under"),
            (
                "shared_with",
                "[string]",
                "Other outlets under them, which pause and delay reach, too",
            ),
            ("feeds", "integer", "Feeds paused or resumed"),
            ("paused_until", "Millis?", "Until when; 9223372036854775807: until it is resumed"),
            ("delay", "integer?", "Milliseconds between two requests, if they are fixed"),
            ("blocked", "boolean", "Nothing is requested any more"),
        ],
    ),
    ("BrandList", &[("brands", "[BrandListed]", "The brands to watch, and no others")]),
    ("AnswersGiven", &[("answers", "[MentionAnswer]", "Answers about mentions")]),
    (
        "MentionAnswer",
        &[
            ("article", "UrlKey", "Key of the article"),
            ("block", "Whole?", "Which of its blocks; null: the metadata title"),
            ("start", "Whole", "Where the match begins in it, bytes"),
            ("meant", "boolean?", "The brand is meant; null takes an answer back"),
        ],
    ),
    (
        "Recount",
        &[
            ("version", "string", "Version of the brand set"),
            ("articles", "integer", "Articles matched again"),
            ("without_text", "integer", "Of these, articles whose text has left by age"),
            ("changes", "[CountChange]", "Counts that change"),
            ("new", "[string]", "Brands that were not watched before"),
            ("no_longer_watched", "[string]", "Brands that are watched no more"),
            (
                "alerts",
                "[string]",
                "Alerts that name one of these, and are quiet about it from then on",
            ),
            ("dropped", "[BrandDropped]", "What brands that were watched are no longer matched by"),
            ("shared", "[SharedName]", "Names that count for several brands from then on"),
            ("dry_run", "boolean", "Nothing was changed"),
        ],
    ),
    (
        "BrandDropped",
        &[
            ("brand", "string", "Name of the brand"),
            ("aliases", "[string]", "Names that no longer count"),
            ("exclude", "[string]", "Phrases that no longer cancel a match"),
            ("keys", "[string]", "Of its other keys, those that lose a value"),
        ],
    ),
    (
        "CountChange",
        &[
            ("brand", "string", "Name of the brand"),
            ("day", "Day", "Publication day"),
            ("before", "integer", "Counted mentions before"),
            ("after", "integer", "Counted mentions after"),
            ("articles_before", "integer", "Articles that counted the brand before"),
            (
                "articles_after",
                "integer",
                "Articles that count it after; if all four numbers are as before, it is counted otherwise: in other articles, or by another number in each",
            ),
        ],
    ),
    (
        "BrandSets",
        &[("sets", "[BrandSetUsed]", "Oldest first"), ("truncated", "boolean", "There are more")],
    ),
    (
        "BrandSetUsed",
        &[
            ("version", "string", "Version of the brand set"),
            ("at", "Millis", "Since when"),
            ("first", "boolean", "No brands were watched before"),
            ("changed", "{[DayRun]}", "Brand: runs of days whose counts it changed"),
        ],
    ),
    (
        "Models",
        &[("models", "[Deployment]", "Oldest first"), ("truncated", "boolean", "There are more")],
    ),
    (
        "Deployed",
        &[
            ("id", "string", "Hash of the model"),
            ("previous", "string?", "The model in use before"),
            ("unchanged", "boolean", "It was in use already"),
        ],
    ),
    (
        "StoriesRebuilt",
        &[
            ("before", "integer", "Version of the rule that told the stories before"),
            ("rule", "integer", "Version of the rule that tells them now"),
            ("articles", "integer", "Articles"),
            ("without_text", "integer", "Of these, articles whose text has left by age"),
            ("stories_before", "integer", "Stories before"),
            ("stories", "integer", "Stories now"),
            ("moved", "integer", "Articles that stand beside others than before"),
            ("patterns", "integer", "Stories that are marked *pattern* now"),
            ("dry_run", "boolean", "Nothing was changed"),
        ],
    ),
    ("ForgetGiven", &[("what", "Filled", "URL or key of an article, or the name of an outlet")]),
    (
        "Forgotten",
        &[
            ("outlet", "string?", "The outlet, if a whole one was forgotten"),
            ("articles", "integer", "Articles"),
            ("entries", "integer", "Entries, those of the articles included"),
            ("feeds", "integer", "Feeds of the outlet, which are not polled any more"),
            ("unseen", "boolean", "Nothing of this URL was stored; it will not be fetched"),
            ("led_to", "LedTo?", "What the URL led to at another outlet, which stays"),
        ],
    ),
    ("LedTo", &[("key", "Key", "An entry's key"), ("url", "string", "Its URL")]),
    (
        "Verified",
        &[
            ("lines", "[VerifiedLine]", "A line per finding; the last tells what was checked"),
            ("truncated", "boolean", "There were more lines"),
        ],
    ),
    (
        "VerifiedLine",
        &[
            ("finding?", "string", "A contradiction, in a sentence"),
            ("articles?", "integer", "Articles checked"),
            ("without_text?", "integer", "Of these, articles whose text has left by age"),
            ("findings?", "integer", "Contradictions"),
        ],
    ),
    (
        "Why",
        &[
            ("outlet", "string", "Registered domain"),
            ("sentences", "[string]", "Why"),
            ("said", "[Said]", "The same sentences, for other languages"),
        ],
    ),
    ("Jobs", &[("jobs", "[Job]", "The latest first")]),
    (
        "Job",
        &[
            ("id", "string", "Name of the job"),
            ("order", "string", "What was ordered"),
            ("who", "string", "Name of the token"),
            ("at", "Millis", "When"),
            ("ended", "Millis?", "When it ended"),
            ("state", "JobState", "What has become of it"),
            ("done", "integer", "Steps done: articles, or lines of a list"),
            ("of", "integer?", "Steps there are; null: not known"),
            ("error", "string?", "Why it failed"),
            ("answer?", "[object]", "Values that the order has answered"),
            ("truncated?", "boolean", "There were more values"),
        ],
    ),
    (
        "Page",
        &[
            ("url?", "string?", "Where the page is from; tells outlet and date"),
            ("html", "Filled", "The page"),
        ],
    ),
    (
        "Extracted",
        &[
            ("article", "Article", "What extraction made of the page"),
            ("zones", "[Zone]", "Per block: the zone of what stands in it"),
            ("reasons", "[[Reason]]", "Per block, the most telling first"),
            ("mentions", "[Mention]", "Of the watched brands, with the zones that they stand in"),
            ("charset", "[string]", "Encoding and where it was declared"),
        ],
    ),
    (
        "Reason",
        &[
            ("text", "string", "In words, with the value"),
            ("weight", "number", "Above 0: for content; in the model's own measure"),
        ],
    ),
];
