//! Some corpora count the page's title as the first line of the article, ours and most others do
//! not. Scoring can leave that line out of the gold and of every text alike.
//!
//! Must not know: metrics, labelers.

use anyhow::Result;

use crate::extract::dom::{self, Dom, Limits};
use crate::extract::text::squeeze;
use crate::learn::corpus::LabeledPage;
use crate::learn::pages;

/// Longer lines, in characters, are no titles.
const LONGEST: usize = 300;

/// The gold's first line, squeezed, if it is the page's title: it stands in `<title>`, or a heading
/// of the first three levels says the same.
pub(super) fn headline(page: &LabeledPage) -> Result<Option<String>> {
    let first = page.text().lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or("");
    let wanted = squeeze(first);
    if wanted.is_empty() || first.chars().count() > LONGEST {
        return Ok(None);
    }
    let html = pages::html(page)?;
    let dom = dom::parse(&html, &Limits::default());
    Ok(shows(&dom, &wanted).then_some(wanted))
}

fn shows(dom: &Dom, wanted: &str) -> bool {
    (0..dom.nodes.len() as dom::Id).any(|id| match dom.name(id) {
        "title" => squeeze(&dom.text_of(id)).contains(wanted),
        "h1" | "h2" | "h3" => squeeze(&dom.text_of(id)) == wanted,
        _ => false,
    })
}

/// A text without its first line, if that is the title.
pub(super) fn without<'a>(text: &'a str, headline: &str) -> &'a str {
    let trimmed = text.trim_start();
    let (first, rest) = trimmed.split_once('\n').unwrap_or((trimmed, ""));
    if squeeze(first) == headline { rest } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_known_by_the_page_and_cut_once() {
        let check = |html: &str, line: &str, expect: bool| {
            let dom = dom::parse(html, &Limits::default());
            assert_eq!(shows(&dom, &squeeze(line)), expect, "{html}");
        };
        check("<title>Bridge closed | The Daily</title><p>It was.", "Bridge closed", true);
        check("<title>The Daily</title><h2>Bridge closed!</h2>", "Bridge closed", true);
        check("<title>The Daily</title><p>Bridge closed", "Bridge closed", false);
        let key = squeeze("Bridge closed");
        assert_eq!(without("\nBridge closed.\nIt was.", &key), "It was.");
        assert_eq!(without("It was.\nBridge closed", &key), "It was.\nBridge closed");
        assert_eq!(without("Bridge closed", &key), "");
    }
}
