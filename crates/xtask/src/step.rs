//! One step of a check: run, timed, told in one line.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// Runs `act` and prints the step's line. `remedy` completes the error of a failed step.
pub fn step<T>(name: &str, remedy: &str, act: impl FnOnce() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    let outcome = act();
    let word = if outcome.is_ok() { "ok" } else { "FAILED" };
    println!("{name}: {word}, {}", seconds(start.elapsed()));
    outcome.with_context(|| format!("{name} failed; {remedy}"))
}

pub fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
