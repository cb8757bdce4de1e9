//! Which of the sheets that stand in a page browsers apply: those of one set (CSSOM §6.2), which the page's own policies
//! allow (Content Security Policy Level 3 §6.7) and which are what their links say (Subresource Integrity §3.3).
//!
//! Must not know: rules.

use std::borrow::Cow;
use std::collections::HashSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use foldhash::fast::RandomState;
use sha2::{Digest, Sha256, Sha384, Sha512};

use crate::extract::dom::{Dom, Id};
use crate::html::name;

/// What a page says of its sheets.
pub(super) struct Allowed<'d> {
    dom: &'d Dom<'d>,
    /// The title of the sheets that apply beside those without one.
    set: Option<Cow<'d, str>>,
    /// Policies with the elements that say them.
    policies: Vec<(Id, Policy)>,
}

/// What a policy allows; `None`: it says nothing of these.
struct Policy {
    sheets: Option<Sources>,
    attributes: Option<Sources>,
}

/// Sources of styles.
#[derive(Default)]
struct Sources {
    inline: bool,
    data: bool,
    nonces: HashSet<String, RandomState>,
    /// Of each kind ([`KINDS`]).
    hashes: [HashSet<String, RandomState>; 3],
}

/// Policies of one page that are read.
const MAX_POLICIES: usize = 8;

/// Kinds of hashes, the strongest first.
const KINDS: [&str; 3] = ["sha512", "sha384", "sha256"];

impl<'d> Allowed<'d> {
    /// `metas`: the page's elements of that name; `sheets`: the elements of its sheets, also of those that are loaded,
    /// in their order.
    pub fn of(dom: &'d Dom<'d>, metas: &[Id], sheets: &[Id]) -> Allowed<'d> {
        let says = |id: Id, asked: &str| {
            let says = dom.value(id, name!("http-equiv"));
            says.is_some_and(|says| says.trim_ascii().eq_ignore_ascii_case(asked))
        };
        let content =
            |id: Id| dom.value(id, name!("content")).filter(|text| !text.trim_ascii().is_empty());
        let named = metas.iter().filter(|&&id| says(id, "default-style"));
        let named = named.filter(|&&id| holder(dom, id).is_none()).find_map(|&id| content(id));
        let set = named.or_else(|| sheets.iter().find_map(|&id| title(dom, id)));
        let policies = metas.iter().filter(|&&id| {
            says(id, "content-security-policy")
                && dom.parent(id).is_some_and(|parent| dom.tag(parent) == Some(name!("head")))
        });
        let policies = policies.filter_map(|&id| Some((id, content(id)?))).take(MAX_POLICIES);
        let policies = policies.map(|(id, text)| (id, Policy::read(&text))).collect();
        Allowed { dom, set, policies }
    }

    /// Does a sheet apply? `linked`: it stands in the address of a link.
    pub fn applies(&self, id: Id, text: &str, linked: bool) -> bool {
        let of_set = title(self.dom, id).is_none_or(|title| self.set.as_ref() == Some(&title));
        if !of_set || linked && !is_whole(self.dom, id, text) {
            return false;
        }
        let before = || self.policies.iter().filter(|(said, _)| *said < id);
        let nonce = self.dom.attr(id, "nonce").filter(|nonce| !nonce.is_empty());
        // Of each kind that is asked for one hash, however many policies ask.
        let mut own: [Option<String>; 3] = Default::default();
        before().filter_map(|(_, policy)| policy.sheets.as_ref()).all(|sources| {
            nonce.as_deref().is_some_and(|nonce| sources.nonces.contains(nonce))
                || match linked {
                    true => sources.data,
                    false => {
                        sources.may_stand()
                            || sources.hashes.iter().zip(KINDS).zip(&mut own).any(
                                |((hashes, kind), own)| {
                                    !hashes.is_empty()
                                        && hashes
                                            .contains(own.get_or_insert_with(|| digest(kind, text)))
                                },
                            )
                    }
                }
        })
    }

    /// Do `style` attributes?
    pub fn attributes(&self) -> bool {
        let mut said = self.policies.iter().filter_map(|(_, policy)| policy.attributes.as_ref());
        said.all(Sources::may_stand)
    }
}

impl Policy {
    fn read(text: &str) -> Policy {
        let words = |asked: &str| {
            text.split(';').find_map(|directive| {
                let mut words = directive.split_ascii_whitespace();
                words.next()?.eq_ignore_ascii_case(asked).then_some(words)
            })
        };
        let of = |kind| {
            let said = words(kind).or_else(|| words("style-src"));
            said.or_else(|| words("default-src")).map(Sources::read)
        };
        Policy { sheets: of("style-src-elem"), attributes: of("style-src-attr") }
    }
}

impl Sources {
    fn read<'w>(words: impl Iterator<Item = &'w str>) -> Sources {
        let mut sources = Sources::default();
        for word in words {
            sources.inline |= word.eq_ignore_ascii_case("'unsafe-inline'");
            sources.data |= word.eq_ignore_ascii_case("data:");
            let quoted = word.strip_prefix('\'').and_then(|word| word.strip_suffix('\''));
            let Some((kind, text)) = quoted.and_then(|word| word.split_once('-')) else { continue };
            if kind.eq_ignore_ascii_case("nonce") {
                sources.nonces.insert(text.to_owned());
            } else if let Some(at) = KINDS.iter().position(|one| kind.eq_ignore_ascii_case(one)) {
                sources.hashes[at].insert(in_one_alphabet(text));
            }
        }
        sources
    }

    /// Do they allow what stands in the page?
    fn may_stand(&self) -> bool {
        self.inline && self.nonces.is_empty() && self.hashes.iter().all(HashSet::is_empty)
    }
}

/// What an element stands in that is no part of the page as readers with scripts see it.
pub(super) fn holder(dom: &Dom, id: Id) -> Option<Id> {
    let apart = |tag| matches!(tag, Some(name!("noscript") | name!("template")));
    dom.ancestors(id).find(|above| apart(dom.tag(*above)))
}

/// The title of a sheet that belongs to a set; sheets of shadow roots belong to none.
fn title<'a>(dom: &'a Dom<'a>, id: Id) -> Option<Cow<'a, str>> {
    let title = dom.attr(id, "title").filter(|title| !title.is_empty())?;
    holder(dom, id).is_none().then_some(title)
}

/// A hash in the alphabet of [`digest`]; it may be written in that of addresses, too.
fn in_one_alphabet(hash: &str) -> String {
    hash.replace('-', "+").replace('_', "/")
}

/// The hash of a text, of one of the [`KINDS`].
fn digest(kind: &str, text: &str) -> String {
    match kind {
        "sha256" => STANDARD.encode(Sha256::digest(text)),
        "sha384" => STANDARD.encode(Sha384::digest(text)),
        _ => STANDARD.encode(Sha512::digest(text)),
    }
}

/// Is the sheet of a link what its hashes say, if it has some? Of several kinds the strongest counts.
fn is_whole(dom: &Dom, id: Id, text: &str) -> bool {
    let Some(hashes) = dom.attr(id, "integrity") else { return true };
    let of = |kind: &'static str| {
        hashes.split_ascii_whitespace().filter_map(move |word| {
            let hash = word.strip_prefix(kind)?.strip_prefix('-')?;
            hash.split('?').next()
        })
    };
    let strongest = KINDS.into_iter().find(|kind| of(kind).next().is_some());
    strongest.is_none_or(|kind| {
        let own = digest(kind, text);
        of(kind).any(|hash| in_one_alphabet(hash) == own)
    })
}
