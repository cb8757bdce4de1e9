//! One suite over `&dyn Store`, run for each store; damage, crashes and a naive model beside it.

/// Runs each case over a fresh store of each kind.
macro_rules! suite {
    ($($case:ident)*) => {
        mod memory_store { $(#[test] fn $case() { super::$case(&*crate::store::memory()); })* }
        mod disk_store { $(#[test] fn $case() {
            let dir = tempfile::tempdir().unwrap();
            let settings = crate::store::Settings::default();
            super::$case(&*crate::store::open(dir.path(), &settings).unwrap());
        })* }
        mod postgres_store { $(#[test] fn $case() {
            super::$case(&crate::store::tests::postgres::fresh());
        })* }
    };
}

mod alerts;
mod notes;
mod articles;
mod backup;
pub(in crate::store) mod build;
mod crash;
mod damage;
mod decisions;
mod frontier;
mod leases;
mod moving;
mod naive;
mod operator;
mod polls;
mod postgres;
mod printed;
mod provenance;
mod repair;
mod retention;
mod sightings;
mod suspects;
mod tokens;
mod transfer;
mod unheard;
mod upkeep;
mod vectors;
