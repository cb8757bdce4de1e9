//! The style sheets that stand in a page itself: in its elements, and in addresses that hold what they name (RFC 2397).
//!
//! Must not know: rules.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;

use crate::extract::dom::{Dom, Id, Kind};
use crate::html::name;

use super::css;

/// A sheet, and what its element or the sheet that imports it says of readers that it is for.
pub(super) struct Sheet<'p> {
    /// Its element.
    pub id: Id,
    pub media: Cow<'p, str>,
    pub text: Cow<'p, str>,
}

/// Sheets that are imported into each other.
const MAX_DEPTH: usize = 4;
/// Sheets of one page that are read.
pub(super) const MAX_SHEETS: usize = 20_000;

/// The sheets of a page in their order, one more than are read at the most.
pub(super) fn sheets(dom: &Dom) -> Vec<Sheet<'_>> {
    let mut sheets = Vec::new();
    let media = |id| dom.value(id, name!("media")).unwrap_or_default();
    for (id, text) in dom.sheets() {
        let kind = dom.value(id, name!("type")).unwrap_or_default();
        // Those of another type are none (HTML §4.2.6).
        if kind.is_empty() || kind.eq_ignore_ascii_case("text/css") {
            put(&mut sheets, Sheet { id, media: media(id), text: text.into() }, 0);
        }
    }
    let elements = sheets.len();
    for (id, node) in (0..).zip(&dom.nodes) {
        if node.name() == name!("link")
            && node.kind() == Kind::Element
            && let Some(text) = linked(dom, id)
        {
            put(&mut sheets, Sheet { id, media: media(id), text: text.into() }, 0);
        }
    }
    if sheets.len() > elements {
        sheets.sort_by_key(|sheet| sheet.id);
    }
    sheets
}

/// Adds a sheet behind those that it imports.
fn put<'p>(sheets: &mut Vec<Sheet<'p>>, sheet: Sheet<'p>, depth: usize) {
    if depth < MAX_DEPTH && sheets.len() <= MAX_SHEETS {
        css::imports(&sheet.text, &mut |address, media| {
            if let Some(text) = held_by(address) {
                let media = match (&*sheet.media, media) {
                    (media, "") | ("", media) => media.to_owned(),
                    // For some readers of some readers.
                    (outer, inner) => format!("{outer} and ({inner})"),
                };
                put(
                    sheets,
                    Sheet { id: sheet.id, media: media.into(), text: text.into() },
                    depth + 1,
                );
            }
        });
    }
    if sheets.len() <= MAX_SHEETS {
        sheets.push(sheet);
    }
}

/// The sheet that a link holds in its address (HTML §4.6.7.20).
fn linked(dom: &Dom, id: Id) -> Option<String> {
    let rel = dom.value(id, name!("rel"))?;
    let has = |asked: &str| rel.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case(asked));
    let off = has("alternate") || dom.attr(id, "disabled").is_some();
    if off || !has("stylesheet") {
        return None;
    }
    held_by(&dom.value(id, name!("href"))?)
}

/// Is it an address that holds what it names?
pub(super) fn holds(address: &str) -> bool {
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
    if kind.next_back().is_some_and(|last| last.eq_ignore_ascii_case("base64")) {
        bytes.retain(|b| !b.is_ascii_whitespace());
        bytes = BASE64.decode(&bytes).ok()?;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
