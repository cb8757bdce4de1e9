//! What lies in the databases: keys, records, rows, and the format that a store says it has.
//!
//! Must not know: which database the bytes go to, what the records are for.

pub mod json;
pub mod keys;
mod record;
mod rows;

pub use record::{decode, encode, seal, unseal};
pub use rows::*;

use super::kv::{Kv, Writes};
use crate::store::{FORMAT, READABLE, Result, StoreError};
use keys::key;

/// The row that says the format.
pub fn format_record() -> Writes {
    Writes::from([(key(keys::FORMAT).done(), Some(FORMAT.to_be_bytes().to_vec()))])
}

/// Refuses a store of a format that is not read; writes the format of a new one.
pub fn check_format(kv: &dyn Kv) -> Result<()> {
    let found = match kv.get(&key(keys::FORMAT).done())? {
        Some(found) => found,
        None if kv.scan(&[0], &[0xff]).next().is_none() => {
            kv.apply(format_record())?;
            return kv.flush();
        }
        None => {
            let detail = "it has records but no format record".to_owned();
            return Err(StoreError::Corrupt { path: kv.place(), detail });
        }
    };
    match <[u8; 4]>::try_from(found.as_slice()).map(u32::from_be_bytes) {
        Ok(READABLE..=FORMAT) => Ok(()),
        Ok(found) if found > FORMAT => {
            Err(StoreError::Newer { path: kv.place(), found, known: FORMAT })
        }
        Ok(found @ 1..) => Err(StoreError::Older { path: kv.place(), found, known: FORMAT }),
        _ => {
            let detail = "its format record is not one".to_owned();
            Err(StoreError::Corrupt { path: kv.place(), detail })
        }
    }
}
