//! Proofs and benchmarks of the service: the built program on loopback, and clients of every kind.

mod bench;
mod peer;
mod secrets;
mod served;
mod streams;
mod traversal;

use crate::proofs::Proof;

pub use bench::bench;

/// The proofs of RELIABILITY that need the whole program.
pub fn proofs() -> Vec<Proof> {
    vec![
        streams::many_clients(),
        streams::dead_clients(),
        secrets::proof(),
        traversal::proof(),
    ]
}
