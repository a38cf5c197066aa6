//! Proofs of what Fathom survives, figures on public sets, and benchmarks beside peers. Measures, never ships.

#![warn(missing_docs)]

pub mod answers;
pub mod appraise;
pub mod bench;
pub mod evidence;
mod figure;
pub mod ledger;
mod loopback;
pub mod proofs;
pub mod providers;
mod python;
pub mod service;
pub mod stores;
pub mod victim;
mod weight;
