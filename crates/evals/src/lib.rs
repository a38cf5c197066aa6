//! Proofs of what Fathom survives, and its benchmarks. Measures, never ships.

pub mod bench;
pub mod evidence;
mod figure;
pub mod ledger;
pub mod proofs;
pub mod stores;
pub mod victim;
