//! Tokens in the main database, by id.
//!
//! Must not know: how a secret is compared.

use super::format::keys::{self, key};
use super::{COMMIT, Embedded};
use crate::model::{Millis, Token};
use crate::store::Result;
use crate::store::rules::decisions::DecisionRows;

impl Embedded {
    pub fn read_token(&self, id: &str) -> Result<Option<Token>> {
        self.view().get(&key(keys::TOKEN).text(id).done())
    }

    pub fn read_tokens(&self) -> Result<Vec<Token>> {
        self.view().prefix(&[keys::TOKEN]).map(|row| Ok(row?.1)).collect()
    }

    pub fn write_token(&self, token: &Token) -> Result<()> {
        self.write(COMMIT, true, |tx| tx.put_token(token))
    }

    pub fn delete_token(&self, id: &str) -> Result<()> {
        self.write(COMMIT, true, |tx| {
            tx.o.del(key(keys::TOKEN).text(id).done());
            Ok(())
        })
    }

    /// Not flushed: if it is lost, so is the memory of one use.
    pub fn note_token_use(&self, id: &str, at: Millis) -> Result<()> {
        self.write(COMMIT, false, |tx| {
            let row = key(keys::TOKEN).text(id).done();
            if let Some(mut token) = tx.o.get::<Token>(&row)? {
                token.used = token.used.max(Some(at));
                tx.o.put(row, &token)?;
            }
            Ok(())
        })
    }
}
