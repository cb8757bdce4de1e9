//! Which rule tells the stories of a store: the one that told them first, until all are told anew.
//!
//! Must not know: what a rule says, how stories are told.

use anyhow::{Context, Result};

use crate::dedupe::Rule;
use crate::store::{self, Store};

/// The name of the row that holds the rule's version.
pub(in crate::crawl) const NAME: &str = "story-rule";

/// The rule in force. A store that names none has stories of the first.
///
/// # Errors
/// The store's; a newer crawler has told the stories.
pub(in crate::crawl) fn in_force(store: &dyn Store) -> Result<Rule> {
    let Some(bytes) = store.meta(NAME)? else { return Ok(Rule::Words) };
    let version = String::from_utf8_lossy(&bytes);
    version.parse().ok().and_then(Rule::of_version).with_context(|| {
        format!("the stories follow rule {version}: install a crawler that knows it")
    })
}

/// A store without stories is told by the newest rule.
pub(in crate::crawl) fn begin(store: &dyn Store) -> Result<()> {
    if store.meta(NAME)?.is_some() {
        return Ok(());
    }
    let mut told = false;
    store.stories(None, None, &mut |_| {
        told = true;
        false
    })?;
    if !told {
        put(store, Rule::default())?;
    }
    Ok(())
}

/// From now on stories are told by this rule.
pub(in crate::crawl) fn put(store: &dyn Store, rule: Rule) -> store::Result<()> {
    store.set_meta(NAME, &written(rule))
}

/// The row's value.
pub(in crate::crawl) fn written(rule: Rule) -> Vec<u8> {
    rule.version().to_string().into_bytes()
}
