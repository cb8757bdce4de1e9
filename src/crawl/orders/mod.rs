//! What operators do, beside a run or without one: feeds, outlets, brands, models, notes; forgetting, replay,
//! verification, repair.
//!
//! Must not know: how an order arrives, how its answer is printed.

pub mod alerts;
pub mod brands;
pub mod extract;
pub mod forget;
pub mod models;
pub mod notes;
pub mod outlets;
pub mod repair;
pub mod replay;
pub mod seed;
pub mod steps;
pub mod stories;
pub mod verify;
