//! Walks through a store with a visitor that may fail.
//!
//! Must not know: what is visited.

use std::ops::ControlFlow;

use super::{Result, StoreError};

/// Whoever is handed one after another, until it returns `false`.
pub type Each<'a, T> = &'a mut dyn FnMut(T) -> bool;

/// Hands everything that `walk` comes by to `each`, until that breaks off or fails.
///
/// # Errors
/// Those of the store and of `each`.
pub fn visit<T, E: From<StoreError>>(
    walk: impl FnOnce(Each<T>) -> Result<()>,
    mut each: impl FnMut(T) -> std::result::Result<ControlFlow<()>, E>,
) -> std::result::Result<(), E> {
    let mut visited = Ok(());
    walk(&mut |item| match each(item) {
        Ok(flow) => flow.is_continue(),
        Err(error) => {
            visited = Err(error);
            false
        }
    })?;
    visited
}
