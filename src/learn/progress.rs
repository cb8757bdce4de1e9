//! What a long run says of itself while it goes on.
//!
//! Must not know: what is being done, how it is shown.

/// A step of a long run, for a progress bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// What is being done, in words.
    pub step: String,
    pub done: usize,
    pub of: usize,
    /// The figure being improved, if any.
    pub figure: Option<f64>,
}

/// Called from any thread; must not block.
pub type OnProgress<'a> = &'a (dyn Fn(Progress) + Sync);
