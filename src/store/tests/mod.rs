//! One suite over `&dyn Store`, run for each store; damage, crashes and a naive model beside it.

mod build;
mod crash;
mod damage;
mod leases;
mod naive;
mod suite;
mod upkeep;
