//! Proofs and benchmarks of the providers crate.
//!
//! Most of its proofs are its own tests, at one size; `prove providers` runs those and passes their figures on. The
//! proofs that belong to no single door are here.

mod canaries;
mod doors;
mod memory;
mod outputs;
mod overhead;
mod server;
mod tests;

use anyhow::{Result, bail};

use crate::bench;
use crate::proofs::Proof;

/// The proofs of RELIABILITY that need only the providers crate.
pub fn proofs() -> Vec<Proof> {
    let mut proofs = tests::proofs();
    proofs.extend([outputs::proof(), canaries::proof()]);
    proofs.sort_by_key(|proof| proof.id);
    proofs
}

const PARTS: [&str; 2] = ["overhead", "memory"];

/// `bench providers [--only PART,PART]`. Each part runs in a process of its own, so that one's memory is not another's.
pub async fn bench(rest: &[&str]) -> Result<()> {
    match rest {
        [] => PARTS.iter().try_for_each(|part| again(part)),
        ["--only", "overhead"] => overhead::measure().await,
        ["--only", "memory"] => memory::measure().await,
        ["--only", parts] if parts.contains(',') => parts.split(',').try_for_each(again),
        other => bail!(
            "\"{}\" is not known here; there is --only with {}",
            other.join(" "),
            PARTS.join(", ")
        ),
    }
}

fn again(part: &str) -> Result<()> {
    bench::again(&["bench", "providers", "--only", part.trim()])
}
