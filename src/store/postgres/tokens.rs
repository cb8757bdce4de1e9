//! Tokens in a table of their own, so that every server knows the same.
//!
//! Must not know: how a secret is compared.

use super::Postgres;
use super::connect::{Conn, get, record};
use super::types::Record;
use crate::model::{Millis, Token};
use crate::store::{Result, Tokens};

impl Tokens for Postgres {
    fn token(&self, id: &str) -> Result<Option<Token>> {
        let sql = "SELECT record, used FROM crawler_data.tokens WHERE id = $1";
        self.pool.call(|conn| conn.row(sql, &[&id]))?.map(|row| token(&row)).transpose()
    }

    fn tokens(&self) -> Result<Vec<Token>> {
        let sql = "SELECT record, used FROM crawler_data.tokens ORDER BY id";
        self.pool.call(|conn| conn.rows(sql, &[]))?.iter().map(token).collect()
    }

    fn put_token(&self, token: &Token) -> Result<()> {
        self.pool.call(|conn| put(conn, token))
    }

    fn remove_token(&self, id: &str) -> Result<()> {
        let sql = "DELETE FROM crawler_data.tokens WHERE id = $1";
        self.pool.call(|conn| conn.run(sql, &[&id])).map(drop)
    }

    fn token_used(&self, id: &str, at: Millis) -> Result<()> {
        let sql = "UPDATE crawler_data.tokens SET used = greatest(used, $2) WHERE id = $1";
        self.pool.call(|conn| conn.run(sql, &[&id, &at])).map(drop)
    }
}

/// Inserts or replaces a token.
pub fn put(conn: &mut Conn, token: &Token) -> Result<()> {
    let sql = "INSERT INTO crawler_data.tokens (id, record, used) VALUES ($1, $2, $3) \
               ON CONFLICT (id) DO UPDATE SET record = excluded.record, \
               used = greatest(tokens.used, excluded.used)";
    conn.run(sql, &[&token.id, &Record(token), &token.used]).map(drop)
}

fn token(row: &postgres::Row) -> Result<Token> {
    Ok(Token { used: get(row, 1)?, ..record(row, 0)? })
}
