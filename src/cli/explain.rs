//! What `crawler extract` shows of its reasons: blocks as text, or the page with its blocks
//! coloured, as one HTML file that loads and runs nothing.

use crate::extract::explain::{Area, Explained, Explanation};
use crate::extract::label::Reason;
use crate::model::{Article, Block, Label, escaped};

use super::print;

/// Reasons printed per block on the terminal.
const SHOWN: usize = 5;

/// Each block with label, probability and its strongest reasons.
pub(super) fn text(explanation: &Explanation) -> String {
    let article = &explanation.extraction.article;
    let mut out = String::new();
    for (block, explained) in article.blocks.iter().zip(&explanation.blocks) {
        out.push_str(&format!(
            "{:>15} {:4.2}  {}\n",
            name(block.label),
            block.probability,
            print::clip(&block.text, 160)
        ));
        let reasons: Vec<String> = explained.reasons.iter().take(SHOWN).map(weighed).collect();
        if !reasons.is_empty() {
            out.push_str(&format!("{:>20}  {}\n", "", reasons.join(" · ")));
        }
    }
    if article.fallback {
        out.push_str(
            "no block was labeled content: the container with most running text answered\n",
        );
    }
    out
}

fn weighed(reason: &Reason) -> String {
    if reason.weight.is_finite() {
        format!("{:+.1} {}", reason.weight, reason.text)
    } else {
        reason.text.clone()
    }
}

/// Short enough for a column.
fn name(label: Label) -> &'static str {
    match label {
        Label::RelatedArticle => "related",
        other => other.name(),
    }
}

const STYLE: &str = include_str!("explain.css");

/// The page as an HTML document. All of it is text of the page escaped and markup of ours: nothing
/// of the page's own markup, scripts, styles or addresses is taken over.
pub(super) fn html(explanation: &Explanation, source: &str) -> String {
    let article = &explanation.extraction.article;
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src \
         'unsafe-inline'\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>Blocks of {}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n",
        escaped(source)
    );
    head(&mut out, article, source);
    out.push_str("</header>\n<main>\n");
    let mut open: Vec<&Area> = Vec::new();
    for (block, explained) in article.blocks.iter().zip(&explanation.blocks) {
        let same = open.iter().zip(&explained.within).take_while(|(a, b)| **a == *b).count();
        for _ in same..open.len() {
            out.push_str("</section>\n");
        }
        open.truncate(same);
        for area in &explained.within[same..] {
            let (tag, name) = (escaped(&area.tag), escaped(&area.name));
            out.push_str(&format!("<section><span class=\"area\">{tag} <i>{name}</i></span>\n"));
            open.push(area);
        }
        out.push_str(&one(block, explained));
    }
    for _ in open {
        out.push_str("</section>\n");
    }
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn head(out: &mut String, article: &Article, source: &str) {
    let title = article.title.as_ref().map_or("(no title)", |t| t.value.as_str());
    let language = article.language.as_ref().map_or("?", |l| l.value.as_str());
    let words = article.text.split_whitespace().count();
    out.push_str(&format!(
        "<h1 dir=\"auto\">{}</h1>\n<p>{} · language {} · {} of article in {} · \
         model {}{}</p>\n<ul>\n",
        escaped(title),
        escaped(source),
        escaped(language),
        print::many(words as u64, "word"),
        print::many(article.blocks.len() as u64, "block"),
        escaped(article.model.get(..12).unwrap_or(&article.model)),
        if article.fallback { " · no block was labeled content: fallback" } else { "" },
    ));
    for label in Label::ALL {
        let count = article.blocks.iter().filter(|b| b.label == label).count();
        if count > 0 {
            let name = name(label);
            out.push_str(&format!("<li class=\"{name}\">{name} {count}</li>\n"));
        }
    }
    out.push_str(
        "</ul>\n<p class=\"hint\">Point at a block, or step to it with Tab, to see why.</p>\n",
    );
}

fn one(block: &Block, explained: &Explained) -> String {
    let label = name(block.label);
    let mut why = format!("<b>{label}</b>, probability of article text {:.2}", block.probability);
    for reason in &explained.reasons {
        let side = if reason.weight > 0.0 { "for" } else { "against" };
        why.push_str(&format!("<span class=\"{side}\">{}</span>", escaped(&weighed(reason))));
    }
    let make = match (explained.heading, explained.item) {
        (1..=6, _) => format!(" h{}", explained.heading),
        (_, true) => " item".to_owned(),
        _ => String::new(),
    };
    format!(
        "<div class=\"block {label}{make}\" tabindex=\"0\"><span dir=\"auto\">{}</span>\
         <div class=\"why\">{why}</div></div>\n",
        escaped(&block.text)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{self, Hints, Limits, Model};

    fn explained(page: &str) -> Explanation {
        extract::explain(page, &Hints::default(), &Model::embedded(), &Limits::default())
    }

    #[test]
    fn nothing_of_the_page_runs_or_loads() {
        let page = "<title>T</title><nav class='\"><script>alert(1)</script>'><a href='javascript:x()'>\
                    Go</a></nav><p onclick=x()>Two &lt;img src=x onerror=alert(1)&gt; words and &amp;quot; \
                    more &lt;/div&gt;&lt;script src=//evil.example&gt; of them.</p><img src=//a.example>";
        let shown = html(&explained(page), "<b>file</b>");
        let body = &shown[shown.find("<body>").expect("a body")..];
        for forbidden in ["<script", "<img", "onclick", "href=", "src=x onerror=\"", "<b>file"] {
            assert!(!body.contains(forbidden), "{forbidden}: {body}");
        }
        assert!(shown.contains("default-src 'none'"));
        assert!(body.contains("&lt;script src=//evil.example&gt;"), "{body}");
        let count = |what: &str| body.matches(what).count();
        assert_eq!(count("<section>"), count("</section>"));
        assert_eq!(count("class=\"block "), 2);
    }

    #[test]
    fn every_block_has_its_reasons() {
        let e = explained(
            "<nav><a href=/>Home</a></nav><p>It rained in the town, and the council met.",
        );
        let shown = text(&e);
        assert!(shown.lines().count() >= 4, "{shown}");
        assert!(shown.lines().next().is_some_and(|l| l.contains("none") && l.ends_with("Home")));
        assert!(html(&e, "page").contains("class=\"for\""));
    }
}
