//! Excerpts: each stands twice, under the part and under the whole.
//!
//! Must not know: how excerpts are found.

use super::format::keys::{self, key, said};
use super::tx::Tx;
use crate::model::*;
use crate::store::Result;
use crate::store::embedded::kv::Overlay;

/// Key under one of the two articles; `part`: that one is the excerpt.
pub fn excerpt_key(article: UrlKey, other: UrlKey, part: bool) -> Vec<u8> {
    key(keys::EXCERPT).id(article).id(other).byte(u8::from(part)).done()
}

/// What [`excerpt_key`] was made from.
pub fn excerpt_of_key(at: &[u8]) -> Option<(UrlKey, UrlKey, bool)> {
    said(at, 1, |parts| Some((parts.id()?, parts.id()?, parts.byte()? == 1)))
}

impl Overlay<'_> {
    pub fn excerpts_of(&self, article: UrlKey) -> Result<Vec<Excerpt>> {
        let mut found = Vec::new();
        for row in self.prefix::<f32>(&key(keys::EXCERPT).id(article).done()) {
            let (at, share) = row?;
            let (article, other, part) = excerpt_of_key(&at).ok_or_else(|| self.bad_key(&at))?;
            let (part, whole) = if part { (article, other) } else { (other, article) };
            found.push(Excerpt { part, whole, share });
        }
        Ok(found)
    }
}

impl Tx<'_> {
    pub fn link(&mut self, excerpts: &[Excerpt]) -> Result<()> {
        for Excerpt { part, whole, share } in excerpts {
            self.o.put(excerpt_key(*part, *whole, true), share)?;
            self.o.put(excerpt_key(*whole, *part, false), share)?;
        }
        Ok(())
    }

    pub fn remove_excerpts(&mut self, article: UrlKey) -> Result<()> {
        for Excerpt { part, whole, .. } in self.o.excerpts_of(article)? {
            self.o.del(excerpt_key(part, whole, true));
            self.o.del(excerpt_key(whole, part, false));
        }
        Ok(())
    }
}
