//! Features in words: `words` = 3.4 becomes "29 words".
//!
//! By name, so that every labeler over these features can use it; a name that is not known here is
//! printed as it is. Must not know: labelers, how features are computed.

/// How a feature's value reads.
#[derive(Clone, Copy)]
enum Scale {
    /// ln(1 + x).
    Log,
    /// 0 to 1.
    Share,
    /// 0 or 1.
    Flag,
    Plain,
}

/// What stands where a share of neighbours is not known.
const UNKNOWN: f32 = -0.1;

use Scale::{Flag, Log, Plain, Share};

/// Features whose name alone does not say it.
const WORDING: [(&str, Scale, &str); 123] = [
    ("words", Log, "words"),
    ("characters", Log, "characters"),
    ("sentences", Log, "sentences"),
    ("end marks per word", Plain, "sentence ends per word"),
    ("end marks", Log, "sentence ends"),
    ("link density", Share, "of the words are links"),
    ("links", Log, "links"),
    ("punctuation", Share, "of the characters are punctuation"),
    ("stop words", Share, "of the words are stop words"),
    ("capitals", Share, "of the words begin with a capital"),
    ("numbers", Share, "of the words are numbers"),
    ("spaceless", Share, "of the characters are of scripts without spaces"),
    ("ends with mark", Flag, "ends like a sentence"),
    ("ends with colon or dots", Flag, "ends with a colon or dots"),
    ("begins upper", Flag, "begins with a capital"),
    ("begins lower", Flag, "begins with a small letter"),
    ("linked throughout", Flag, "linked throughout"),
    ("merged", Log, "elements inside"),
    ("after image", Flag, "right after a picture"),
    ("in p", Flag, "a <p>"),
    ("in li", Flag, "an <li>"),
    ("in td", Flag, "a <td>"),
    ("in div", Flag, "a <div>"),
    ("in other", Flag, "in another element than p, li, td, div"),
    ("parent is li", Flag, "directly in an <li>"),
    ("parent is p", Flag, "directly in a <p>"),
    ("index", Log, "blocks before it"),
    ("from end", Log, "blocks from it to the end"),
    ("words before", Share, "of the page's words before it"),
    ("prose before", Share, "of the page's running text before it"),
    ("from title", Plain, "blocks after the title"),
    ("from heading", Plain, "blocks after a heading"),
    ("in densest", Flag, "in the container with most running text"),
    ("in densest parent", Flag, "beside the container with most running text"),
    ("from densest start", Plain, "blocks after that container's start"),
    ("from densest end", Plain, "blocks before that container's end"),
    ("densest share", Share, "of the running text in the densest container"),
    ("depth from densest", Plain, "levels below the densest container"),
    ("steps to densest", Plain, "steps to the densest container"),
    ("prose run", Plain, "blocks of running text in a row before it"),
    ("prose since gap", Log, "words of running text just before it"),
    ("gap before", Plain, "blocks since running text"),
    ("same text", Plain, "blocks with the same text"),
    ("same shape", Log, "blocks of the same make"),
    ("same shape words", Log, "words in a block of the same make"),
    ("same shape link density", Share, "links in blocks of the same make"),
    ("same siblings", Log, "siblings of the same make"),
    ("same shape share of prose", Share, "of the running text in blocks of the same make"),
    ("longest of shape", Share, "of the longest block of the same make"),
    ("title overlap", Share, "of its words are in the title"),
    ("covers title", Share, "of the title's words are in it"),
    ("is title", Flag, "the title itself"),
    ("summary overlap", Share, "of its words are in the description"),
    ("covers summary", Share, "of the description's words are in it"),
    ("body overlap", Share, "of its words are in the page's articleBody"),
    ("has body", Flag, "the page gives an articleBody"),
    ("has summary", Flag, "the page gives a description"),
    ("page words", Log, "words on the page"),
    ("page prose", Log, "words of running text on the page"),
    ("page blocks", Log, "blocks on the page"),
    ("page link density", Share, "of the page's words are links"),
    ("page has article", Flag, "the page has an <article>"),
    ("page has title", Flag, "a block shows the page's title"),
    ("page paragraphs", Log, "paragraphs on the page"),
    ("page prose blocks", Log, "blocks of running text on the page"),
    ("content before", Share, "of the likely article before it"),
    ("content after", Share, "of the likely article after it"),
    ("content words", Log, "likely words of article on the page"),
    ("run share", Share, "of the likely article in its stretch"),
    ("largest run", Flag, "in the longest stretch of likely article"),
    ("after largest run", Flag, "after the longest stretch of likely article"),
    ("words to largest run", Log, "other words to the longest stretch of likely article"),
    ("unlikely to previous", Log, "other words since the last likely block"),
    ("unlikely to next", Log, "other words to the next likely block"),
    ("p window 6", Share, "likely article in the 6 blocks around it"),
    ("p window 12", Share, "likely article in the 12 blocks around it"),
    ("shape p", Share, "likely article in blocks like it"),
    ("deep shape p", Share, "likely article in blocks like it in containers alike"),
    ("largest p", Share, "the likeliest block of the page"),
    ("content since title", Share, "of the likely article since the title"),
    ("content share", Share, "of the page's words are likely article"),
    ("p of previous prose", Share, "likely: the text before it"),
    ("p of next prose", Share, "likely: the text after it"),
    ("share of prose", Share, "of the page's running text"),
    ("prose density", Share, "of its words running text"),
    ("blocks", Log, "blocks"),
    ("unlikely before", Log, "other words since the title"),
    ("offering words", Share, "of its words offer something"),
    ("referring words", Share, "of its words point to other pages"),
    ("legal words", Share, "of its words are of notices"),
    ("staff words", Share, "of its words name staff or agencies"),
    ("addressing words", Share, "of its words speak to readers"),
    ("commenting words", Share, "of its words are of comments and accounts"),
    ("links to pages like this", Share, "of it links to pages like this"),
    ("links to people", Share, "of it links to people and topics"),
    ("links elsewhere", Share, "of it links elsewhere"),
    ("italic", Flag, "set in italics"),
    ("bold", Flag, "set in bold"),
    ("begins bold", Flag, "begins in bold"),
    ("after rule", Flag, "right after a rule"),
    ("quotes", Plain, "quotation marks per word"),
    ("begins with bullet", Flag, "begins with a bullet"),
    ("early colon", Flag, "a colon near its start"),
    ("handles", Flag, "with an @ or a #"),
    ("shouting", Share, "of its letters are capitals"),
    ("page body words", Log, "words in the page's articleBody"),
    ("in candidate", Flag, "in the container that scores best by commas and names"),
    ("beside candidate", Flag, "beside the best-scoring container"),
    ("candidate score", Share, "of the best score in the containers around it"),
    ("candidate rivalled", Share, "of the best score elsewhere on the page"),
    ("page candidate score", Plain, "points for the page's best-scoring container"),
    ("steps to candidate", Plain, "levels below the best-scoring container"),
    ("from candidate start", Plain, "blocks after the best-scoring container's start"),
    ("from candidate end", Plain, "blocks after the best-scoring container's end"),
    ("candidate share", Share, "of the page's words in the best-scoring container"),
    ("since pointers", Plain, "blocks since a line that points to other pages"),
    ("prose since pointers", Log, "words of running text since such a line"),
    ("pointers before", Plain, "lines before it that point to other pages"),
    ("since comments", Plain, "blocks since a line about comments"),
    ("prose since comments", Log, "words of running text since a line about comments"),
    ("comments before", Plain, "lines about comments before it"),
    ("time of day", Flag, "with a time of day"),
    ("times of day near", Plain, "blocks with a time of day close by"),
];

/// A feature and its value in words.
pub fn phrase(name: &str, value: f32) -> String {
    if let Some((step, rest)) = name.strip_prefix("at ").and_then(|n| n.split_once(' ')) {
        return format!("block {step}: {}", phrase(rest, value));
    }
    if let Some((level, rest)) = name.strip_prefix("ancestor ").and_then(|n| n.split_once(' ')) {
        return format!("container {level} up: {}", phrase(rest, value));
    }
    if let Some((level, rest)) = name.strip_prefix("level ").and_then(|n| n.split_once(' ')) {
        let what = if rest == "p" { "likely article" } else { "of the likely article" };
        let whose =
            if level == "0" { "its container".into() } else { format!("container {level} up") };
        return format!("{whose}: {} {what}", percent(value));
    }
    if let Some(step) = name.strip_prefix("p ").filter(|s| s.starts_with(['+', '-'])) {
        let whose = if step == "+0" { "it".to_owned() } else { format!("block {step}") };
        return format!("at first look {whose} is article: {}", percent(value));
    }
    let known = WORDING.iter().find(|(known, _, _)| *known == name);
    let flag = ["inside ", "named ", "within named "].iter().any(|p| name.starts_with(p));
    match known {
        Some((_, Log, words)) => format!("{:.0} {words}", value.exp_m1().max(0.0)),
        Some((_, Share, words)) => format!("{} {words}", percent(value)),
        Some((_, Flag, words)) => yes_or_no(words, value),
        Some((_, Plain, words)) => format!("{} {words}", number(value)),
        None if flag => yes_or_no(name, value),
        None => format!("{name} {}", number(value)),
    }
}

fn yes_or_no(words: &str, value: f32) -> String {
    if value > 0.5 { words.to_owned() } else { format!("not {words}") }
}

fn percent(share: f32) -> String {
    if share == UNKNOWN { "unknown".to_owned() } else { format!("{:.0} %", share * 100.0) }
}

fn number(value: f32) -> String {
    let text = format!("{value:.2}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short.is_empty() || short == "-0" { "0".to_owned() } else { short.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::{context, rich};
    use super::*;

    #[test]
    fn values_read_as_words() {
        let check = |name: &str, value: f32, expect: &str| assert_eq!(phrase(name, value), expect);
        check("words", 30f32.ln_1p() - 1e-4, "30 words");
        check("link density", 0.25, "25 % of the words are links");
        check("inside nav", 1.0, "inside nav");
        check("inside nav", 0.0, "not inside nav");
        check("is title", 0.0, "not the title itself");
        check("at -1 words", 0.0, "block -1: 0 words");
        check("p +0", 0.931, "at first look it is article: 93 %");
        check("p -2", -0.1, "at first look block -2 is article: unknown");
        check("level 0 p", 0.37, "its container: 37 % likely article");
        check("ancestor 2 share of prose", 0.5, "container 2 up: 50 % of the page's running text");
        check("depth", 12.0, "depth 12");
        check("something new", -0.5, "something new -0.5");
    }

    #[test]
    fn wording_is_of_features_that_exist() {
        let names = [rich::names(), context::names()].concat();
        for (name, _, _) in WORDING {
            assert!(names.iter().any(|n| n == name || n.ends_with(&format!(" {name}"))), "{name}");
        }
    }
}
