//! The style sheets that stand in a page itself: in its elements, and in addresses that hold what they name (RFC 2397);
//! and whether there are others.
//!
//! Must not know: rules.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use encoding_rs::{Encoding, UTF_8};
use percent_encoding::percent_decode_str;

use crate::extract::dom::{Dom, Id, Kind};
use crate::html::name;

use super::allowed::Allowed;
use super::css::{self, Import, Whole};

/// A sheet, and what its element and what imports it say of it.
pub(super) struct Sheet<'p> {
    /// Its element.
    pub id: Id,
    pub text: Cow<'p, str>,
    counts: Option<bool>,
    layer: Option<String>,
}

impl Sheet<'_> {
    pub fn whole(&self) -> Whole<'_> {
        Whole { counts: self.counts, layer: self.layer.as_deref() }
    }
}

/// Sheets that are imported into each other.
const MAX_DEPTH: usize = 4;
/// Sheets of one page that are read.
pub(super) const MAX_SHEETS: usize = 20_000;

/// What a page says of its styles itself.
pub(super) struct Written<'p> {
    /// Its sheets in their order, one more than are read at the most.
    pub sheets: Vec<Sheet<'p>>,
    /// `style` attributes count.
    pub styled: bool,
}

/// The sheets of a page that count.
pub(super) fn sheets<'p>(dom: &'p Dom<'p>) -> Written<'p> {
    let mut sheets = Vec::new();
    let (mut links, mut metas) = (Vec::new(), Vec::new());
    for (id, node) in (0..).zip(&dom.nodes) {
        match node.name() {
            name!("link") if node.kind() == Kind::Element && links_sheet(dom, id) => links.push(id),
            name!("meta") if node.kind() == Kind::Element => metas.push(id),
            _ => {}
        }
    }
    let mut all: Vec<Id> = dom.sheets().map(|(id, _)| id).chain(links.iter().copied()).collect();
    all.retain(|&id| is_sheet(dom, id));
    all.sort_unstable();
    let allowed = Allowed::of(dom, &metas, &all);
    let mut add = |id, text: Cow<'p, str>, linked| {
        // Those of another type are none (HTML §4.2.4, §4.2.6).
        if sheets.len() <= MAX_SHEETS && is_sheet(dom, id) && allowed.applies(id, &text, linked) {
            let media = dom.value(id, name!("media")).unwrap_or_default();
            put(&mut sheets, Sheet { id, text, counts: css::applies(&media), layer: None }, 0);
        }
    };
    dom.sheets().for_each(|(id, text)| add(id, text.into(), false));
    let mut linked = false;
    for id in links {
        if let Some(text) = dom.value(id, name!("href")).and_then(|address| held_by(&address)) {
            add(id, text.into(), true);
            linked = true;
        }
    }
    let styled = allowed.attributes();
    if linked {
        sheets.sort_by_key(|sheet| sheet.id);
    }
    Written { sheets, styled }
}

fn is_sheet(dom: &Dom, id: Id) -> bool {
    let kind = dom.value(id, name!("type")).unwrap_or_default();
    kind.is_empty() || kind.eq_ignore_ascii_case("text/css")
}

/// Adds a sheet behind those that it imports, if it counts for anybody.
fn put<'p>(sheets: &mut Vec<Sheet<'p>>, sheet: Sheet<'p>, depth: usize) {
    let Sheet { id, counts, ref layer, .. } = sheet;
    if counts == Some(false) {
        return;
    }
    if depth < MAX_DEPTH && sheets.len() <= MAX_SHEETS {
        css::imports(&sheet.text, &mut |import: Import<'_>| {
            let Some(text) = held_by(import.address) else { return };
            let layer = |own: Option<&str>| layer.clone().or_else(|| own.map(str::to_owned));
            // Layers come in the order in which they are named.
            if !import.before.trim_ascii().is_empty() {
                let text = import.before.to_owned().into();
                put(sheets, Sheet { id, text, counts, layer: layer(None) }, MAX_DEPTH);
            }
            let counts = css::and(counts, import.counts);
            put(
                sheets,
                Sheet { id, text: text.into(), counts, layer: layer(import.layer) },
                depth + 1,
            );
        });
    }
    if sheets.len() <= MAX_SHEETS {
        sheets.push(sheet);
    }
}

/// Does a link name a sheet that counts at once (HTML §4.6.7.20)?
fn links_sheet(dom: &Dom, id: Id) -> bool {
    let Some(rel) = dom.value(id, name!("rel")) else { return false };
    let has = |asked: &str| rel.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case(asked));
    has("stylesheet") && !has("alternate") && dom.attr(id, "disabled").is_none()
}

/// Does the page load neither style sheets nor scripts? Else it is not known what letters stand on.
pub(super) fn stands_alone(dom: &Dom, sheets: &[Sheet<'_>]) -> bool {
    let is_sheet = |value: &str| {
        let value = value.to_ascii_lowercase();
        ["stylesheet", "style", "text/css"].contains(&value.trim_ascii()) || value.contains(".css")
    };
    // Whatever makes it one: a damaged page may have lost a part.
    let loads = |id| match dom.tag(id) {
        Some(name!("script")) => dom.attr(id, "src").is_some(),
        tag => {
            tag == Some(name!("link"))
                && !dom.value(id, name!("href")).is_some_and(|address| holds(&address))
                && ["rel", "rev", "as", "type", "href"].into_iter().any(|name| {
                    let value = dom.attr(id, name);
                    value.is_some_and(|value| value.split_ascii_whitespace().any(is_sheet))
                })
        }
    };
    let imports = |sheet: &str| {
        let mut places = memchr::memchr_iter(b'@', sheet.as_bytes());
        places.any(|at| {
            let (name, rest) = sheet[at + 1..].split_at_checked(6).unwrap_or_default();
            let address = rest.trim_ascii_start().trim_start_matches("url(");
            name.eq_ignore_ascii_case("import") && !holds(address.trim_start_matches(['"', '\'']))
        })
    };
    !(0..dom.nodes.len() as Id).any(loads) && !sheets.iter().any(|sheet| imports(&sheet.text))
}

/// Is it an address that holds what it names?
fn holds(address: &str) -> bool {
    let address = address.trim_ascii_start();
    address.split_at_checked(5).is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("data:"))
}

/// The style sheet that an address holds.
fn held_by(address: &str) -> Option<String> {
    // As addresses are read (URL §4.4): without what breaks lines, to the fragment.
    const BASE64: GeneralPurpose = GeneralPurpose::new(
        &base64::alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true),
    );
    if !holds(address) {
        return None;
    }
    let address = address.trim_ascii().replace(['\t', '\n', '\r'], "");
    let (kind, text) = address.get(5..)?.split_once(',')?;
    let text = text.split('#').next().unwrap_or_default();
    let mut kind = kind.split(';').map(str::trim_ascii);
    if !kind.next()?.eq_ignore_ascii_case("text/css") {
        return None;
    }
    let mut bytes: Vec<u8> = percent_decode_str(text).collect();
    if kind.clone().next_back().is_some_and(|last| last.eq_ignore_ascii_case("base64")) {
        bytes.retain(|b| !b.is_ascii_whitespace());
        bytes = BASE64.decode(&bytes).ok()?;
    }
    // As bytes of a sheet are read (CSS Syntax §3.2).
    let label = kind.find_map(|part| {
        let (name, label) = part.split_once('=')?;
        name.trim_ascii().eq_ignore_ascii_case("charset").then_some(label)
    });
    let label = label.map(|label| label.trim_ascii().trim_matches('"'));
    let encoding = label.and_then(|label| Encoding::for_label(label.as_bytes())).unwrap_or(UTF_8);
    Some(encoding.decode(&bytes).0.into_owned())
}
