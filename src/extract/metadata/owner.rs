//! Whose site a page is, where nobody signs its texts: somebody who is called as its address is, and who says "I" there. Must
//! not know who signs elsewhere.

use url::Url;

use crate::extract::dom::Id;
use crate::html::{Kind, name};

use super::alone::{has_given_name, is_likely};
use super::names::{self, Name, Voice, names};
use super::page::PageData;
use super::text::{normalise, squash};
use super::title::split_at_separators;
use super::words::NO_OWNERS;

/// A shorter text, in bytes, is no paragraph.
const PARAGRAPH: usize = 80;
/// So many paragraphs say "I".
const SPOKEN: usize = 2;
/// A longer text, in bytes, says more than whose the site is.
const SHORT: usize = 120;
/// Shorter words of a name are in many addresses.
const WORD: usize = 4;

/// The person whose name the site bears, in its name or below its pages, and its address as well. `is_own_text`: of a text of
/// the article.
pub(super) fn owner(
    page: &PageData<'_>,
    url: Option<&Url>,
    is_own_text: &dyn Fn(Id) -> bool,
) -> Option<Name> {
    if page.told("og:type").any(|kind| kind.contains("product")) {
        return None;
    }
    let host = url?.host_str()?;
    let labels: Vec<String> = host.split('.').map(squash).collect();
    let is_own = |name: &Name| {
        let key = squash(&name.text);
        let mut words = name.text.split(' ').map(squash).filter(|word| word.len() >= WORD);
        labels.contains(&key) || words.any(|word| labels.contains(&word))
    };
    let named = |text: &str| {
        let mut found = names(text, &[], Voice::Line);
        let name = found.pop().filter(|name| found.is_empty() && name.text == text)?;
        let last = name.text.rsplit(' ').next().unwrap_or_default().to_lowercase();
        let person = name.person
            && !name.desk
            && (2..=3).contains(&name.text.split(' ').count())
            && has_given_name(&name)
            && !NO_OWNERS.contains(last.as_str())
            && !names::may_be_outlet(&name.text)
            && is_likely(&name.text);
        (person && is_own(&name)).then_some(name)
    };
    let sites = page.told("og:site_name").map(|site| site.into_owned());
    let parts = page.title.iter().flat_map(|title| split_at_separators(title));
    let told = sites.chain(parts.map(str::to_owned)).find_map(|text| named(text.trim()));
    let owner = told.or_else(|| shown(page).find_map(|text| named(&text)))?;
    speaks(page, is_own_text).then_some(owner)
}

/// Whom links to the front page and notes of copyright name.
fn shown<'p>(page: &'p PageData<'_>) -> impl Iterator<Item = String> + 'p {
    let dom = page.dom;
    (0..).zip(&dom.nodes).filter_map(move |(id, node)| match node.kind() {
        Kind::Element if dom.tag(id) == Some(name!("a")) => {
            let home = dom.value(id, name!("href")).is_some_and(|href| href.trim() == "/");
            let text = if home { page.text(id) } else { None };
            text.map(std::borrow::Cow::into_owned)
        }
        Kind::Text => {
            let text =
                dom.characters(node).filter(|text| text.len() <= SHORT && text.contains('©'));
            let text = normalise(text?);
            let behind = text.split('©').nth(1)?;
            let is_year = |c: char| c.is_ascii_digit() || " -–,".contains(c);
            let holder = behind.trim_start_matches(is_year);
            let end = holder.find(['.', '|', ',', '•', '·']).unwrap_or(holder.len());
            Some(holder[..end].trim_end_matches(is_year).to_owned())
        }
        _ => None,
    })
}

/// Do some paragraphs of the article that quote nobody speak of whoever writes?
fn speaks(page: &PageData<'_>, is_own: &dyn Fn(Id) -> bool) -> bool {
    const SPEAKER: [&str; 8] = ["I ", "I'", "I’", "Ich ", " ich ", " je ", "Je ", "J’"];
    const QUOTES: [char; 6] = ['"', '“', '”', '„', '«', '»'];
    // "World War I" and "Elizabeth I" are numbered.
    let is_number = |before: &str| {
        let word = before.trim_end().rsplit(' ').next().unwrap_or_default();
        before.ends_with(' ')
            && word.starts_with(char::is_uppercase)
            && word.ends_with(char::is_alphanumeric)
    };
    let says = |text: &str| {
        SPEAKER.iter().any(|word| {
            let mut found = text.match_indices(word);
            found.any(|(at, _)| {
                let before = &text[..at];
                !before.ends_with(char::is_alphanumeric) && !is_number(before)
            })
        })
    };
    let texts = (0..).zip(&page.dom.nodes).filter(|(_, node)| node.kind() == Kind::Text);
    let spoken = texts.filter_map(|(id, node)| Some((id, page.dom.characters(node)?)));
    let mut spoken = spoken.filter(|(id, text)| {
        text.len() >= PARAGRAPH && !text.contains(QUOTES) && says(text) && is_own(*id)
    });
    spoken.nth(SPOKEN - 1).is_some()
}
