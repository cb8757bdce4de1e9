//! URL to bytes.
pub mod body;
pub mod guard;
pub mod headers;
