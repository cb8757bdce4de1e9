//! Which of the sheets that stand in a page browsers apply: those of one set (CSSOM §6.2), which the page's own policies
//! allow (Content Security Policy Level 3 §6.7) and which are what their links say (Subresource Integrity §3.3).
//!
//! Must not know: rules.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256, Sha384, Sha512};

use crate::extract::dom::{Dom, Id};
use crate::html::name;

/// What a page says of its sheets.
pub(super) struct Allowed<'d> {
    dom: &'d Dom,
    /// The title of the sheets that apply beside those without one.
    set: Option<Cow<'d, str>>,
    /// Policies with the elements that say them.
    policies: Vec<(Id, String)>,
}

/// Policies of one page that are read.
const MAX_POLICIES: usize = 8;

impl<'d> Allowed<'d> {
    /// `metas`: the page's elements of that name; `sheets`: the elements of its sheets, also of those that are loaded,
    /// in their order.
    pub fn of(dom: &'d Dom, metas: &[Id], sheets: &[Id]) -> Allowed<'d> {
        let says = |id: Id, asked: &str| {
            let says = dom.value(id, name!("http-equiv"));
            says.is_some_and(|says| says.trim_ascii().eq_ignore_ascii_case(asked))
        };
        let content =
            |id: Id| dom.value(id, name!("content")).filter(|text| !text.trim_ascii().is_empty());
        let named =
            metas.iter().filter(|&&id| says(id, "default-style")).find_map(|&id| content(id));
        let set = named.or_else(|| sheets.iter().find_map(|&id| title(dom, id)));
        let policies = metas.iter().filter(|&&id| {
            says(id, "content-security-policy")
                && dom.parent(id).is_some_and(|parent| dom.tag(parent) == Some(name!("head")))
        });
        let policies = policies.filter_map(|&id| Some((id, content(id)?.to_ascii_lowercase())));
        Allowed { dom, set, policies: policies.take(MAX_POLICIES).collect() }
    }

    /// Does a sheet apply? `linked`: it stands in the address of a link.
    pub fn applies(&self, id: Id, text: &str, linked: bool) -> bool {
        let of_set = title(self.dom, id).is_none_or(|title| self.set.as_ref() == Some(&title));
        of_set
            && (!linked || is_whole(self.dom, id, text))
            && self.policies.iter().filter(|(said, _)| *said < id).all(|(said, policy)| {
                let Some(list) = sources(policy, "style-src-elem") else { return true };
                // Hashes and what is used once are written in letters of both cases.
                let content = self.dom.value(*said, name!("content")).unwrap_or_default();
                let once = self.dom.attr(id, "nonce").filter(|once| !once.is_empty());
                let is_once = once.is_some_and(|once| {
                    content.split([' ', ';']).any(|word| word == format!("'nonce-{once}'"))
                });
                is_once
                    || match linked {
                        true => words(list).any(|word| word == "data:"),
                        false => may_stand(list) || has_hash(&content, text),
                    }
            })
    }

    /// Do `style` attributes?
    pub fn attributes(&self) -> bool {
        self.policies
            .iter()
            .all(|(_, policy)| sources(policy, "style-src-attr").is_none_or(may_stand))
    }
}

/// The title of a sheet that belongs to a set; sheets of shadow roots belong to none.
fn title(dom: &Dom, id: Id) -> Option<Cow<'_, str>> {
    let title = dom.attr(id, "title").filter(|title| !title.is_empty())?;
    let apart = dom.ancestors(id).any(|above| dom.tag(above) == Some(name!("template")));
    (!apart).then_some(title)
}

/// The sources that a policy allows for this kind of styles, if it says so of any.
fn sources<'p>(policy: &'p str, kind: &str) -> Option<&'p str> {
    let of = |asked: &str| {
        policy.split(';').find_map(|directive| {
            let rest = directive.trim_ascii().strip_prefix(asked)?;
            (rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_whitespace())).then_some(rest)
        })
    };
    of(kind).or_else(|| of("style-src")).or_else(|| of("default-src"))
}

fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split_ascii_whitespace()
}

/// Do sources allow what stands in the page?
fn may_stand(list: &str) -> bool {
    let is_exact = |word: &str| word.starts_with("'nonce-") || word.starts_with("'sha");
    words(list).any(|word| word == "'unsafe-inline'") && !words(list).any(is_exact)
}

/// Is a hash of the text among the words?
fn has_hash(list: &str, text: &str) -> bool {
    let quoted = list.split([' ', ';']).map(|word| word.trim_ascii().trim_matches('\''));
    let mut hashes = quoted.filter(|word| word.starts_with("sha"));
    hashes.any(|hash| is_hash(hash, text))
}

fn is_hash(hash: &str, text: &str) -> bool {
    let Some((kind, digest)) = hash.split_once('-') else { return false };
    let own = match kind.to_ascii_lowercase().as_str() {
        "sha256" => STANDARD.encode(Sha256::digest(text)),
        "sha384" => STANDARD.encode(Sha384::digest(text)),
        "sha512" => STANDARD.encode(Sha512::digest(text)),
        _ => return false,
    };
    digest.split('?').next() == Some(&own)
}

/// Is the sheet of a link what its hashes say, if it has some? Of several kinds the strongest counts.
fn is_whole(dom: &Dom, id: Id, text: &str) -> bool {
    let Some(hashes) = dom.attr(id, "integrity") else { return true };
    let known = ["sha512-", "sha384-", "sha256-"];
    let of = |kind: &str| words(&hashes).filter(|word| word.starts_with(kind)).collect::<Vec<_>>();
    let strongest = known.iter().map(|kind| of(kind)).find(|found| !found.is_empty());
    strongest.is_none_or(|found| found.iter().take(8).any(|hash| is_hash(hash, text)))
}
