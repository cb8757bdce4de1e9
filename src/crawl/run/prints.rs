//! Prints of earlier versions are written anew in fewer bytes, beside the running crawl and some at a time.
//! Each print says how it is written, so a run that is cut short goes on where it ended.
//!
//! Must not know: how a print lies in bytes, how the store lies on disk.

use anyhow::Result;

use crate::dedupe::Print;
use crate::model::Millis;
use crate::store::decision::Change;
use crate::store::{Store, StoreError};

/// Prints written in one commit: two megabytes.
const AT_ONCE: usize = if cfg!(test) { 2 } else { 1_000 };
/// Named value: the instant up to which all prints are written anew; the end of time: all.
const DONE: &str = "prints-written-anew";

/// Writes all prints of earlier versions anew, until `stop` says so; returns how many it wrote.
///
/// # Errors
/// The store cannot be read or written.
pub fn shorten(store: &dyn Store, stop: &dyn Fn() -> bool) -> Result<u64> {
    let done = store.meta(DONE)?.and_then(|bytes| <[u8; 8]>::try_from(bytes).ok());
    let begun = done.map(Millis::from_be_bytes);
    let mut from = begun.unwrap_or(Millis::MIN);
    let mut written = 0;
    while from < Millis::MAX && !stop() {
        let (mut prints, mut cut) = (Vec::new(), false);
        let read = store.vectors(from, &mut |key, at, bytes| {
            // What cannot be read is for `verify` to report.
            let shorter = Print::shorter(&bytes).ok().flatten();
            prints.extend(shorter.map(|bytes| (key, at, bytes)));
            cut = prints.len() >= AT_ONCE || stop();
            from = at;
            !cut
        });
        let damage = match read {
            Err(error @ StoreError::Corrupt { .. }) => Some(error),
            read => read.map(|()| None)?,
        };
        if !prints.is_empty() {
            store.change(Change::Stories { prints: &prints, stories: &[] }, None)?;
            written += prints.len() as u64;
        }
        // What else was published at the last instant may be still to come.
        from = if cut || damage.is_some() { from } else { Millis::MAX };
        store.set_meta(DONE, &from.to_be_bytes())?;
        if let Some(error) = damage {
            // Whoever needs what is damaged says so; the rest waits until it is mended. A later round that comes no
            // further says nothing new.
            if begun != Some(from) {
                tracing::error!("term vectors of earlier versions stay as they are: {error}");
            }
            break;
        }
    }
    Ok(written)
}
