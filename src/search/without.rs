//! What stands in place of the index in a program that was built without it.
//!
//! Must not know: what an index is.

use super::{Failed, Filter, Found, Kept, Settings, State, Wanted};
use crate::model::Millis;
use crate::store::Store;

/// No index.
pub struct Search;

impl Search {
    pub fn new(_: Settings) -> Search {
        Search
    }

    pub fn enabled(&self) -> bool {
        false
    }

    pub fn kept(&self) -> bool {
        false
    }

    /// # Errors
    /// Always.
    pub fn find(&self, _: &dyn Store, _: &Wanted, _: &Filter) -> Result<(Found, State), Failed> {
        Err(Failed::Without)
    }

    /// # Errors
    /// Always.
    pub fn keep_up(&self, _: &dyn Store, _: Millis, _: &dyn Fn() -> bool) -> Result<Kept, Failed> {
        Err(Failed::Without)
    }

    /// # Errors
    /// Always.
    pub fn rebuild(&self, _: &dyn Store, _: Millis, _: &dyn Fn() -> bool) -> Result<Kept, Failed> {
        Err(Failed::Without)
    }

    /// # Errors
    /// Always.
    pub fn check(&self) -> Result<(), Failed> {
        Err(Failed::Without)
    }

    pub fn leave(&self) {}
}
