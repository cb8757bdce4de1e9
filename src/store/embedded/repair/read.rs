//! Reading databases that may be damaged anywhere: an error is a place that cannot be read.
//!
//! Must not know: what is made of the rows.

use std::path::Path;

use crate::model::UrlKey;
use crate::store::embedded::files::{copy_files, remove};
use crate::store::embedded::format::keys::{self, key};
use crate::store::embedded::format::{VECTORS, check_format, vector_key};
use crate::store::embedded::kv::{Kv, end_of};
use crate::store::embedded::moving::is_old;
use crate::store::embedded::redb::{RedbKv, length};
use crate::store::embedded::sled::SledKv;
use crate::store::{FORMAT, Result, StoreError};

/// Unreadable places after which the search goes on in longer strides.
const PATIENCE: u32 = 64;
/// Of strides among vectors, five hours each.
const CENTURY: u32 = if cfg!(test) { 1 << 8 } else { 1 << 18 };
/// What is done with each row; the call's error ends the reading.
pub type EachRow<'a, R> = dyn FnMut(&[u8], &[u8]) -> Result<R> + 'a;

/// Opens a copy of a damaged database, if it can be opened at all and holds anything; else says why
/// not. What was appended to its file is cut off, if it does not open with it. Of a database of an earlier version, snapshot files only speed up opening, and the settings file
/// only repeats the defaults: it is tried without them, too.
///
/// # Errors
/// The copy cannot be made.
pub fn open_copy(
    damaged: &Path,
    copy: &Path,
    cache: u64,
) -> Result<std::result::Result<Box<dyn Kv>, String>> {
    let holds = |kv: &dyn Kv| kv.scan(&[], &[0xff; 64]).next().is_some();
    let mut why = None;
    if !is_old(damaged) {
        for cut in [false, true] {
            remove(copy)?;
            copy_files(damaged, copy, &[])?;
            if cut && !length::cut(copy).is_ok_and(|cuts| cuts) {
                break;
            }
            let reason = match RedbKv::open_damaged(copy, cache) {
                Ok(kv) if holds(&kv) => return Ok(Ok(Box::new(kv))),
                Ok(_) => "it has lost its records".to_owned(),
                Err(StoreError::Corrupt { detail, .. }) => detail,
                Err(e) => e.to_string(),
            };
            why.get_or_insert(reason);
        }
        remove(copy)?;
        return Ok(Err(why.unwrap_or_default()));
    }
    for without in [&[][..], &["snap."], &["snap.", "conf"]] {
        remove(copy)?;
        copy_files(damaged, copy, without)?;
        let reason = match SledKv::open(copy) {
            // To sled, a log that is unreadable from its beginning is an empty one.
            Ok(kv) if holds(&kv) => return Ok(Ok(Box::new(kv))),
            Ok(_) => "it has lost its records".to_owned(),
            Err(StoreError::Corrupt { detail, .. }) => detail,
            Err(e) => e.to_string(),
        };
        why.get_or_insert(reason);
    }
    remove(copy)?;
    Ok(Err(why.unwrap_or_default()))
}

/// Refuses the database of another format. `beside`: the format that the file beside it names; a
/// damaged format record may look like another one.
pub fn refuse_other_format(kv: &dyn Kv, beside: Option<u32>) -> Result<()> {
    match kv.get(&key(keys::FORMAT).done()) {
        Ok(Some(_)) if beside.is_none_or(|beside| beside != FORMAT) => match check_format(kv) {
            Err(e @ (StoreError::Newer { .. } | StoreError::Older { .. })) => Err(e),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

/// Every row with `from <= key < to` that can be read, in order. Behind a place that cannot, the
/// search goes on in strides of growing length; returns how many such places there were.
pub fn readable(kv: &dyn Kv, from: &[u8], to: &[u8], each: &mut EachRow<'_, ()>) -> Result<u32> {
    let mut from = from.to_vec();
    let (mut breaks, mut in_a_row) = (0, 0);
    while from.as_slice() < to {
        let start = from.clone();
        let mut rows = kv.scan(&start, to);
        loop {
            match rows.next() {
                None => return Ok(breaks),
                Some(Ok((at, value))) => {
                    each(&at, &value)?;
                    from = at;
                    from.push(0);
                    in_a_row = 0;
                }
                Some(Err(_)) => break,
            }
        }
        breaks += u32::from(in_a_row == 0);
        in_a_row += 1;
        let before_vectors = from.as_slice() < &VECTORS[..];
        let stride = match in_a_row {
            ..PATIENCE if before_vectors => 4,
            _ if before_vectors => 2,
            // By the instants that they stand under: a minute, five hours, and then all of them.
            ..PATIENCE => VECTORS.len() + 6,
            PATIENCE..CENTURY => VECTORS.len() + 5,
            _ => VECTORS.len() + 1,
        };
        from.resize(from.len().max(stride), 0);
        from.truncate(stride);
        from = end_of(&from);
        if before_vectors && from.as_slice() > &VECTORS[..] {
            (from, in_a_row) = (vector_key(0, UrlKey(0)), 1);
        } else if !before_vectors && !from.starts_with(&VECTORS) {
            // Nothing stands behind them.
            break;
        }
    }
    Ok(breaks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::HOUR;
    use crate::store::embedded::kv::{Rows, Writes};
    use crate::store::embedded::ram::RamKv;

    /// A map with a row that cannot be read, or with none from there on that can.
    struct Broken(RamKv, Vec<u8>, bool);

    impl Kv for Broken {
        fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
            self.0.get(key)
        }
        fn scan(&self, from: &[u8], to: &[u8]) -> Rows<'_> {
            let unreadable = || Err(StoreError::Other("unreadable".to_owned()));
            if self.2 {
                let rows = self.0.scan(from, &self.1);
                return Box::new(rows.chain(std::iter::once_with(unreadable)));
            }
            Box::new(self.0.scan(from, to).map(move |row| match row? {
                (at, _) if at == self.1 => unreadable(),
                row => Ok(row),
            }))
        }
        fn apply(&self, writes: Writes) -> Result<()> {
            self.0.apply(writes)
        }
        fn flush(&self) -> Result<()> {
            Ok(())
        }
        fn size(&self) -> Result<u64> {
            self.0.size()
        }
        fn place(&self) -> String {
            self.0.place()
        }
    }

    /// All others are, whether the row is of an article or of a vector.
    #[test]
    fn a_row_that_cannot_be_read_costs_no_other() {
        let ids = (0..40_u128).map(|n| UrlKey(n << 120 | n));
        let rows: Vec<Vec<u8>> = ids
            .clone()
            .map(|id| id.0.to_be_bytes().to_vec())
            .chain(ids.map(|id| vector_key(id.0 as u8 as i64 * HOUR, id)))
            .collect();
        for broken in [7, 39, 40, 47, 79] {
            for to_the_end in [false, true] {
                let kv = Broken(RamKv::default(), rows[broken].clone(), to_the_end);
                kv.apply(rows.iter().map(|at| (at.clone(), Some(vec![1]))).collect()).unwrap();
                let mut found = Vec::new();
                let breaks = readable(&kv, &[], &[0xff; 64], &mut |at, _| {
                    found.push(at.to_vec());
                    Ok(())
                });
                assert_eq!(breaks.unwrap(), 1);
                let mut expected = rows.clone();
                expected.truncate(if to_the_end { broken } else { rows.len() });
                expected.retain(|at| *at != rows[broken]);
                assert_eq!(found, expected);
            }
        }
    }
}
