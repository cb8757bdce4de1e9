//! How a browser drew the visible leaves of pages, as files: `DIR/CORPUS/ID.json`. What Spengler & Gallinari
//! 2009, §2.3, call style features: computed style and geometry.
//!
//! A file names its page and leaves as label files do ([`hand`](super::hand)), says how many style sheets
//! the page asks for and how many of them were not to be had, and holds no text. Must not know: browsers,
//! labelers.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::hand;
use crate::extract::dom::Kind;
use crate::extract::feature::leaf::STYLE;
use crate::extract::page::PageBlocks;

/// Longest file, bytes.
const LARGEST: u64 = 64 << 20;
/// How far ahead of the last leaf that was found the next one may stand, in what the browser drew, if its text
/// stands there several times.
const AHEAD: usize = 200;
/// Longer values are cut, in characters.
const CLIP: usize = 40;
/// What is seen before anybody scrolls, CSS pixels.
const FIRST_VIEW: f32 = 800.0;

/// What a browser says of a page that it has drawn.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seen {
    /// Style sheets that the page asks for, its own ones not counted, and those that did not come.
    pub sheets: usize,
    pub missing: usize,
    /// Of the document, CSS pixels.
    pub width: f32,
    pub height: f32,
    /// Text nodes and pictures in the order of the document.
    pub items: Vec<Item>,
}

/// A text node, or an element without text.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// Its text; of a picture the name of the element in angle brackets.
    pub text: String,
    pub look: Look,
}

/// How one leaf looks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Look {
    /// Left, top, width and height in the document, CSS pixels; all 0: it is not drawn.
    #[serde(rename = "box")]
    pub place: [f32; 4],
    /// Property and computed value of the element around it.
    pub css: BTreeMap<String, String>,
}

/// How the leaves of a page look.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drawn {
    pub id: String,
    /// Leaves of the page, and a sum over their texts ([`hand::sum`]).
    pub leaves: usize,
    pub sum: String,
    pub sheets: usize,
    pub missing: usize,
    pub width: f32,
    pub height: f32,
    /// By number; leaves that the browser has not are left out.
    pub looks: BTreeMap<usize, Look>,
}

/// Where the file of a page is.
pub fn path(dir: &Path, corpus: &str, id: &str) -> PathBuf {
    dir.join(corpus).join(format!("{id}.json"))
}

impl Drawn {
    /// Finds the leaves of a page in what a browser drew of it: both are in the order of the document, so
    /// that each leaf is the next item with its text.
    pub fn new(id: &str, leaves: &PageBlocks, seen: Seen) -> Drawn {
        let Seen { sheets, missing, width, height, items } = seen;
        let keys: Vec<String> = items.iter().map(|item| key(&item.text)).collect();
        let mut times: HashMap<&str, usize> = HashMap::new();
        keys.iter().for_each(|key| *times.entry(key).or_default() += 1);
        let mut looks = BTreeMap::new();
        let mut from = 0;
        for (at, (block, _)) in leaves.iter().enumerate() {
            let picture = leaves.dom.node(block.first).is_some_and(|n| n.kind() == Kind::Element);
            let wanted = match picture {
                true => format!("<{}>", leaves.dom.name(block.first)),
                false => key(leaves.text(at)),
            };
            let reach = if times.get(wanted.as_str()) == Some(&1) { keys.len() } else { AHEAD };
            let ahead = keys.iter().skip(from).take(reach).position(|key| *key == wanted);
            let Some(item) = ahead.and_then(|ahead| items.get(from + ahead)) else { continue };
            looks.insert(at, item.look.clone());
            from += ahead.unwrap_or(0) + 1;
        }
        let (count, sum) = (leaves.len(), hand::sum(leaves));
        Drawn { id: id.to_owned(), leaves: count, sum, sheets, missing, width, height, looks }
    }

    /// The features of its leaves.
    pub fn features(&self) -> Features<'_> {
        let mut counts: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
        for (property, value) in self.looks.values().flat_map(|look| &look.css) {
            *counts.entry(property).or_default().entry(value).or_default() += 1;
        }
        let usual = counts.into_iter().filter_map(|(property, values)| {
            let (value, _) = values.into_iter().max_by_key(|(_, count)| *count)?;
            Some((property, value))
        });
        Features { drawn: self, usual: usual.collect() }
    }

    /// Is it of these leaves?
    ///
    /// # Errors
    /// If it is of others.
    pub fn check(&self, leaves: &PageBlocks) -> Result<()> {
        if self.leaves != leaves.len() || self.sum != hand::sum(leaves) {
            bail!("`{}` was drawn with other leaves; draw it again", self.id);
        }
        Ok(())
    }

    /// Reads a file; `None` if there is none.
    ///
    /// # Errors
    /// Name the file.
    pub fn read(path: &Path) -> Result<Option<Drawn>> {
        let cannot = || format!("cannot read {}", path.display());
        let size = match std::fs::metadata(path) {
            Ok(found) => found.len(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(cannot),
        };
        if size > LARGEST {
            bail!("{} is longer than {} MiB", path.display(), LARGEST >> 20);
        }
        let text = std::fs::read(path).with_context(cannot)?;
        serde_json::from_slice(&text).map(Some).with_context(cannot)
    }

    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// Name the file.
    pub fn write(&self, path: &Path) -> Result<()> {
        hand::write_whole(path, &serde_json::to_vec(self)?)
    }
}

/// Features of style of the leaves of a page: what sets a leaf apart from most others there, and where it stands.
#[derive(Debug)]
pub struct Features<'d> {
    drawn: &'d Drawn,
    /// The value that most leaves have, by property.
    usual: BTreeMap<&'d str, &'d str>,
}

impl Features<'_> {
    /// Calls `each` with the name and value of every feature of a leaf.
    pub fn leaf(&self, leaf: usize, each: &mut dyn FnMut(&str, f32)) {
        let Some(look) = self.drawn.looks.get(&leaf) else { return };
        let usual = |property: &str| self.usual.get(property).copied().unwrap_or("");
        for (property, value) in look.css.iter().filter(|(key, value)| usual(key) != value.as_str())
        {
            let value: String = value.chars().take(CLIP).collect();
            each(&format!("{STYLE}{property}:{value}"), 1.0);
        }
        let [left, top, width, height] = look.place;
        if width <= 0.0 || height <= 0.0 {
            each(&format!("{STYLE}not-drawn"), 1.0);
            return;
        }
        let of = |part: f32, whole: f32| if whole > 0.0 { part / whole } else { 0.0 };
        let pixels = |size: &str| size.strip_suffix("px").and_then(|size| size.parse::<f32>().ok());
        let size = look.css.get("font-size").and_then(|size| pixels(size));
        let letters = of(size.unwrap_or(0.0), pixels(usual("font-size")).unwrap_or(0.0));
        for (name, value) in [
            ("left", of(left, self.drawn.width)),
            ("top", of(top, self.drawn.height)),
            ("wide", of(width, self.drawn.width)),
            ("high", height / 100.0),
            ("letters", letters),
        ] {
            each(&format!("{STYLE}{name}"), value);
        }
        // Steps of an eighth, for what grows in no straight line.
        each(&format!("{STYLE}letters:{}", (8.0 * letters).round() as i32), 1.0);
        let column = (8.0 * of(left, self.drawn.width)).floor() as i32;
        each(&format!("{STYLE}column:{column}"), 1.0);
        if top < FIRST_VIEW {
            each(&format!("{STYLE}first-view"), 1.0);
        }
    }
}

/// What two readings of one text have in common: white space and what is not shown do not count.
fn key(text: &str) -> String {
    let shown = |c: &char| {
        let mark = matches!(c, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}' | '\u{FEFF}');
        !c.is_whitespace() && !c.is_control() && !mark
    };
    text.chars().filter(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::Profile;
    use crate::extract::dom::Limits;

    fn item(text: &str, size: &str, place: [f32; 4]) -> Item {
        let css = [("font-size".to_owned(), size.to_owned())].into();
        Item { text: text.into(), look: Look { place, css } }
    }

    fn features(drawn: &Drawn, leaf: usize) -> BTreeMap<String, f32> {
        let mut found = BTreeMap::new();
        drawn.features().leaf(leaf, &mut |name, value| found.extend([(name.to_owned(), value)]));
        found
    }

    #[test]
    fn leaves_are_found_in_order_and_described() {
        let html = "<h1>The  bridge</h1><p>More</p><img src=x><p>More</p><p>Gone</p>";
        let leaves = PageBlocks::read(html, Profile::Leaf2009, &Limits::default());
        let seen = Seen {
            sheets: 2,
            missing: 1,
            width: 1000.0,
            height: 2000.0,
            items: vec![
                item("drawn by a script", "9px", [0.0; 4]),
                item("The bridge\n", "32px", [250.0, 100.0, 500.0, 40.0]),
                item("More", "16px", [250.0, 1500.0, 500.0, 40.0]),
                item("<img>", "16px", [0.0; 4]),
                item("More", "8px", [0.0, 1600.0, 10.0, 10.0]),
            ],
        };
        let drawn = Drawn::new("a", &leaves, seen);
        assert_eq!(drawn.looks.keys().copied().collect::<Vec<_>>(), [0, 1, 2, 3]);
        let title = features(&drawn, 0);
        for (name, value) in [
            ("style:font-size:32px", 1.0),
            ("style:letters", 2.0),
            ("style:letters:16", 1.0),
            ("style:left", 0.25),
            ("style:column:2", 1.0),
            ("style:first-view", 1.0),
        ] {
            assert_eq!(title.get(name), Some(&value), "{name} in {title:?}");
        }
        let plain = features(&drawn, 1);
        assert_eq!(
            (plain.get("style:first-view"), plain.get("style:font-size:16px")),
            (None, None)
        );
        assert!(features(&drawn, 2).contains_key("style:not-drawn"));
        assert_eq!(features(&drawn, 3).get("style:letters"), Some(&0.5));
        assert!(features(&drawn, 4).is_empty());
        assert!(drawn.check(&leaves).is_ok());

        let folder = tempfile::tempdir().expect("a folder");
        let file = path(folder.path(), "ours", "a");
        assert_eq!(Drawn::read(&file).expect("none yet"), None);
        drawn.write(&file).expect("written");
        assert_eq!(Drawn::read(&file).expect("read"), Some(drawn.clone()));
        let text = std::fs::read_to_string(&file).expect("text");
        assert!(!text.contains("bridge") && !text.contains("More"), "{text}");
        let other = PageBlocks::read("<p>Else", Profile::Leaf2009, &Limits::default());
        assert!(drawn.check(&other).is_err());
    }
}
