//! The news agencies that an article credits: told to machines as its author or source, in its byline, in
//! the dateline of its first paragraph, in a note at its end. An agency that the prose speaks of ("told
//! Reuters") or that a caption names is none. Must not know: the tree, where an article is stored.

mod credit;
mod sites;
mod words;

use crate::model::{Block, Found, Label, Source};

/// Blocks before the first and behind the last paragraph that may hold a credit.
const AROUND: usize = 6;
/// Blocks behind the last paragraph that may hold a note.
const NOTES: usize = 15;
/// Paragraphs at the beginning that may begin with a dateline.
const OPENING: usize = 3;
/// Paragraphs at the end that may end in a credit, or be one.
const CLOSING: usize = 3;
/// What has so many words beside an agency's name may be the caption of its picture.
const CAPTION_WORDS: usize = 8;
/// Most agencies of one article.
const MOST: usize = 6;

/// The agencies, each once: first those that machines are `told`, then as the page names them; else the one on
/// whose own site (`url`) the article stands. What machines are told of an
/// outlet that is called as some agency is abbreviated is its own name.
pub fn credited(
    told: &[Found<String>],
    blocks: &[&Block],
    url: Option<&str>,
    outlet: Option<&str>,
) -> Vec<Found<String>> {
    let own = url.and_then(sites::of);
    let mut found = named(told, blocks);
    if let Some(namesake) = outlet.and_then(credit::abbreviated)
        && own != Some(namesake)
    {
        found.retain(|agency| agency.value != namesake || agency.source == Source::Visible);
    }
    if found.is_empty() && blocks.iter().any(|block| block.label.is_content()) {
        found.extend(own.map(|name| Found { value: name.to_owned(), source: Source::Url }));
    }
    found
}

/// Is it a note that names one?
pub fn is_noted(text: &str) -> bool {
    credit::speaks(text) && !credit::note(text).is_empty()
}

fn named(told: &[Found<String>], blocks: &[&Block]) -> Vec<Found<String>> {
    let mut found: Vec<Found<String>> = Vec::new();
    let mut add = |names: Vec<&'static str>, source: Source| {
        for name in names {
            if found.len() < MOST && !found.iter().any(|f| f.value == name) {
                found.push(Found { value: name.to_owned(), source });
            }
        }
    };
    for credit in told.iter().filter(|credit| credit::speaks(&credit.value)) {
        add(credit::byline(&credit.value), credit.source);
    }
    let content: Vec<usize> =
        (0..blocks.len()).filter(|&at| blocks[at].label.is_content()).collect();
    let (Some(&first), Some(&last)) = (content.first(), content.last()) else { return found };
    for at in first.saturating_sub(2 * AROUND)..first {
        add(beside(blocks, at, last), Source::Visible);
    }
    for &at in content.iter().take(OPENING) {
        let Block { text, label, .. } = blocks[at];
        add(credit::dateline(text), Source::Visible);
        add(credit::signed(text), Source::Visible);
        if matches!(label, Label::Heading | Label::Introduction) {
            add(credit::alone(text), Source::Visible);
        }
    }
    let paragraphs = || content.iter().map(|&at| blocks[at].text.as_str());
    for text in paragraphs().skip(content.len().saturating_sub(CLOSING)) {
        add(credit::closing(text), Source::Visible);
        if credit::speaks(text) {
            add(credit::note(text), Source::Visible);
        }
    }
    for at in
        (first..blocks.len().min(last + 1 + NOTES)).filter(|&at| !blocks[at].label.is_content())
    {
        let found = if at <= last + AROUND { beside(blocks, at, last) } else { noted(blocks[at]) };
        add(found, Source::Visible);
    }
    found
}

/// A line that is no paragraph: a byline, a note, or nothing but the agency's name.
fn beside(blocks: &[&Block], at: usize, last: usize) -> Vec<&'static str> {
    let block = blocks[at];
    if !credit::speaks(&block.text) {
        return Vec::new();
    }
    // Within and before the text it is a picture whose rights are told.
    if at < last && credit::of_rights(&block.text) {
        return Vec::new();
    }
    let caption = |at: Option<usize>| {
        at.and_then(|at| blocks.get(at)).is_some_and(|block| block.label == Label::Caption)
    };
    if block.label == Label::Author {
        return credit::byline(&block.text);
    }
    let found = noted(block);
    if !found.is_empty() {
        return found;
    }
    if matches!(block.label, Label::Caption | Label::Title | Label::Comment | Label::RelatedArticle)
    {
        return Vec::new();
    }
    let found = credit::signed(&block.text);
    // The credit of a picture stands behind or before its caption.
    let dated = block.text.bytes().any(|byte| byte.is_ascii_digit());
    let pictured =
        caption(at.checked_sub(1)) || at < last && !dated && is_caption_like(blocks.get(at + 1));
    if found.is_empty() && !pictured { credit::alone(&block.text) } else { found }
}

/// Is it a caption, or a sentence before the text that is none of it?
fn is_caption_like(block: Option<&&Block>) -> bool {
    block.is_some_and(|block| {
        block.label == Label::Caption
            || block.label == Label::None && block.text.split_whitespace().count() >= CAPTION_WORDS
    })
}

/// A note on who took part, or whose rights the text is; what stands below a picture may be that, too.
fn noted(block: &Block) -> Vec<&'static str> {
    match block.label {
        Label::Comment | Label::Title | Label::RelatedArticle => Vec::new(),
        Label::Caption if !credit::of_rights(&block.text) => Vec::new(),
        _ if !credit::speaks(&block.text) => Vec::new(),
        _ => credit::note(&block.text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(label: Label, text: &str) -> Block {
        Block { text: text.into(), label, probability: 0.5 }
    }

    fn check(told: &[&str], blocks: &[(Label, &str)], expect: &[&str]) {
        let told: Vec<Found<String>> =
            told.iter().map(|t| Found { value: (*t).to_owned(), source: Source::JsonLd }).collect();
        let blocks: Vec<Block> = blocks.iter().map(|(label, text)| block(*label, text)).collect();
        let blocks: Vec<&Block> = blocks.iter().collect();
        let found = credited(&told, &blocks, None, None);
        let found: Vec<&str> = found.iter().map(|f| f.value.as_str()).collect();
        assert_eq!(found, expect, "{told:?} {blocks:?}");
    }

    #[test]
    fn credits_stand_in_known_places() {
        use Label::*;
        let prose =
            (Paragraph, "The plant opened on Friday, its owner told Reuters in an interview.");
        check(&[], &[prose], &[]);
        check(&["Ann Archer", "Reuters"], &[prose], &["Reuters"]);
        check(&[], &[(Author, "By Ann Archer, Associated Press"), prose], &["AP"]);
        check(&[], &[(Date, "Source: AFP"), prose], &["AFP"]);
        check(&[], &[(None, "Reuters"), prose], &["Reuters"]);
        check(&[], &[(Caption, "The plant"), (Credit, "Reuters"), prose], &[]);
        check(&[], &[(Credit, "Reuters"), (Caption, "The plant"), prose], &[]);
        let beneath = (None, "The plant as seen by visitors on Friday from the river.");
        check(&[], &[(Credit, "Ann Archer | Reuters"), beneath, prose], &[]);
        check(&[], &[(Heading, "The Associated Press"), prose], &["AP"]);
        check(&[], &[(Credit, "Photo: Reuters"), prose], &[]);
        check(&[], &[(Paragraph, "LONDON (Reuters) - The plant opened."), prose], &["Reuters"]);
        check(&[], &[prose, (Paragraph, "Es öffnete am Freitag. (dpa/AFP)")], &["dpa", "AFP"]);
        check(&[], &[prose, (Credit, "Mit Material der dpa")], &["dpa"]);
        check(&["dpa"], &[(Paragraph, "Berlin (dpa) - Es öffnete."), (Paragraph, "dpa")], &["dpa"]);
        let rights = (Caption, "Copyright © 2026 The Press Association. All rights reserved.");
        check(&[], &[prose, rights], &["PA Media"]);
        check(&[], &[(Credit, "Copyright Ann Archer/AP"), prose, prose], &[]);
        check(&[], &[], &[]);
    }

    #[test]
    fn on_its_own_site_an_agency_signs_unless_another_does() {
        let check = |text: &str, url: &str, expect: &[&str]| {
            let found = credited(&[], &[&block(Label::Paragraph, text)], Some(url), None);
            let found: Vec<&str> = found.iter().map(|f| f.value.as_str()).collect();
            assert_eq!(found, expect, "{text} {url}");
        };
        let prose = "The plant opened on Friday, and all came to see it.";
        check(prose, "https://www.aa.com.tr/en/economy/plant/1", &["Anadolu"]);
        check("LONDON (Reuters) - The plant opened.", "https://www.aa.com.tr/en/1", &["Reuters"]);
        check(prose, "https://WWW.AA.COM.TR:443/1", &["Anadolu"]);
        check(prose, "https://aa.com.tr.example/1", &[]);
        check(prose, "https://www.aa.com.tr@example.com/1", &[]);
        check(prose, "https://www.example.com/aa.com.tr", &[]);
        check("", "", &[]);
        assert_eq!(credited(&[], &[], Some("https://www.aa.com.tr/"), None), []);
    }

    #[test]
    fn an_outlet_that_is_called_as_an_agency_is_abbreviated_is_not_it() {
        let told = [Found { value: "CNA".to_owned(), source: Source::JsonLd }];
        let prose = block(Label::Paragraph, "The plant opened on Friday.");
        let found = |outlet: &str, url: &str| credited(&told, &[&prose], Some(url), Some(outlet));
        assert_eq!(found("CNA", "https://www.example.com/1"), []);
        assert_eq!(found("CNA", "https://www.cna.com.tw/1"), told);
        assert_eq!(found("The Example Times", "https://www.example.com/1"), told);
    }
}
