//! T3 and T11: workflows drawn by chance, run through lost replies, crashes and moody people, by a
//! clock that leaps now and then or, for T11, is set wrong again and again.
//!
//! Every seed draws a graph, what its nodes do, and all that goes wrong. Time is the test's own, so
//! tens of thousands of runs take minutes, and a seed that fails does so again.

mod chance_faults;
mod course;
mod promises;
mod script;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anyhow::{Context, Result, anyhow};

use self::course::{ClockHabit, Course};
use super::{Proof, Setting};

/// T3, for the list.
pub fn proof() -> Proof {
    Proof {
        id: "T3",
        what: "random graphs under random faults",
        run: |Setting { size, seed }| {
            Box::pin(run(size.pick(500, 50_000), seed, ClockHabit::Leaps))
        },
    }
}

/// T11, for the list.
pub fn wild_clocks() -> Proof {
    Proof {
        id: "T11",
        what: "random graphs by clocks that jump",
        run: |Setting { size, seed }| {
            Box::pin(run(size.pick(300, 10_000), seed, ClockHabit::Jumps))
        },
    }
}

async fn run(seeds: u64, first: u64, habit: ClockHabit) -> Result<String> {
    let hunt = Arc::new(SeedHunt {
        first,
        seeds,
        habit,
        next: AtomicU64::new(0),
        found: AtomicBool::new(false),
    });
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let hunters: Vec<_> = (0..threads)
        .map(|_| {
            let hunt = Arc::clone(&hunt);
            tokio::task::spawn_blocking(move || hunt.go())
        })
        .collect();
    let mut figures = CourseFigures::default();
    for hunter in hunters {
        figures.add(hunter.await??);
    }
    let CourseFigures {
        ends,
        steps,
        calls,
        crashes,
        faults,
        jumps,
    } = figures;
    let ends: Vec<String> = ends
        .iter()
        .map(|(status, runs)| format!("{runs} {status}"))
        .collect();
    let ends = ends.join(", ");
    Ok(format!(
        "{seeds} seeds ({ends}), {steps} steps, {calls} calls, {crashes} crashes, {faults} faults, {jumps} jumps of the clock, 0 broken promises"
    ))
}

/// Seeds from the first one on, taken by several threads.
struct SeedHunt {
    first: u64,
    seeds: u64,
    habit: ClockHabit,
    next: AtomicU64,
    /// Set when a promise was broken: one is enough.
    found: AtomicBool,
}

#[derive(Default)]
struct CourseFigures {
    /// Runs by the status they ended or wait in.
    ends: BTreeMap<String, u64>,
    steps: u64,
    calls: u64,
    crashes: u64,
    faults: u64,
    jumps: u64,
}

impl CourseFigures {
    fn add(&mut self, other: Self) {
        for (status, runs) in other.ends {
            *self.ends.entry(status).or_default() += runs;
        }
        self.steps += other.steps;
        self.calls += other.calls;
        self.crashes += other.crashes;
        self.faults += other.faults;
        self.jumps += other.jumps;
    }
}

impl SeedHunt {
    fn go(&self) -> Result<CourseFigures> {
        let mut figures = CourseFigures::default();
        while !self.found.load(Ordering::SeqCst) {
            let number = self.next.fetch_add(1, Ordering::SeqCst);
            if number >= self.seeds {
                break;
            }
            let seed = self.first.wrapping_add(number);
            let told = || anyhow!("seed {seed} breaks a promise; the same again: --seed {seed}");
            match one(seed, self.habit).with_context(told) {
                Ok(run) => figures.add(run),
                Err(error) => {
                    self.found.store(true, Ordering::SeqCst);
                    return Err(error);
                }
            }
        }
        Ok(figures)
    }
}

/// One seed, alone on a runtime whose timers take no time.
fn one(seed: u64, habit: ClockHabit) -> Result<CourseFigures> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()?;
    runtime.block_on(async {
        let mut course = Course::begin(seed, habit)?;
        course.play().await?;
        let head = promises::check(&mut course).await?;
        Ok(CourseFigures {
            ends: BTreeMap::from([(head.status.to_string(), 1)]),
            steps: head.step,
            calls: course
                .world
                .calls(course.run)
                .into_values()
                .map(u64::from)
                .sum(),
            crashes: course.crashes,
            faults: course.faults,
            jumps: course.jumps,
        })
    })
}
