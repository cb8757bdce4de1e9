//! Tokens in the main database, by id.
//!
//! Must not know: how a secret is compared.

use super::format::keys::{self, key};
use super::{COMMIT, Embedded};
use crate::model::{Millis, Token};
use crate::store::rules::decisions::DecisionRows;
use crate::store::{Result, Tokens};

impl Tokens for Embedded {
    fn token(&self, id: &str) -> Result<Option<Token>> {
        self.view().get(&key(keys::TOKEN).text(id).done())
    }

    fn tokens(&self) -> Result<Vec<Token>> {
        self.view().prefix(&[keys::TOKEN]).map(|row| Ok(row?.1)).collect()
    }

    fn put_token(&self, token: &Token) -> Result<()> {
        self.write(COMMIT, true, |tx| tx.put_token(token))
    }

    fn remove_token(&self, id: &str) -> Result<()> {
        self.write(COMMIT, true, |tx| {
            tx.o.del(key(keys::TOKEN).text(id).done());
            Ok(())
        })
    }

    /// Not flushed: if it is lost, so is the memory of one use.
    fn token_used(&self, id: &str, at: Millis) -> Result<()> {
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
