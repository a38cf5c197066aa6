//! T3: workflows drawn by chance, run through lost replies, crashes, clock jumps and moody people.
//!
//! Every seed draws a graph, what its nodes do, and all that goes wrong. Time is the test's own, so
//! tens of thousands of runs take minutes, and a seed that fails does so again.

mod chance;
mod course;
mod promises;
mod script;
mod stage;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anyhow::{Context, Result, anyhow};

use self::course::Course;
use super::{Proof, Setting};

pub fn proof() -> Proof {
    Proof {
        id: "T3",
        what: "random graphs under random faults",
        run: |setting| Box::pin(run(setting)),
    }
}

async fn run(setting: Setting) -> Result<String> {
    let seeds = setting.size.pick(500, 50_000);
    let hunt = Arc::new(Hunt {
        first: setting.seed,
        seeds,
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
    let mut figures = Figures::default();
    for hunter in hunters {
        figures.add(hunter.await??);
    }
    let Figures {
        ends,
        steps,
        calls,
        crashes,
        faults,
    } = figures;
    let ends: Vec<String> = ends
        .iter()
        .map(|(status, runs)| format!("{runs} {status}"))
        .collect();
    let ends = ends.join(", ");
    Ok(format!(
        "{seeds} seeds ({ends}), {steps} steps, {calls} calls, {crashes} crashes, {faults} faults, 0 broken promises"
    ))
}

/// Seeds from the first one on, taken by several threads.
struct Hunt {
    first: u64,
    seeds: u64,
    next: AtomicU64,
    /// Set when a promise was broken: one is enough.
    found: AtomicBool,
}

#[derive(Default)]
struct Figures {
    /// Runs by the status they ended or wait in.
    ends: BTreeMap<String, u64>,
    steps: u64,
    calls: u64,
    crashes: u64,
    faults: u64,
}

impl Figures {
    fn add(&mut self, other: Self) {
        for (status, runs) in other.ends {
            *self.ends.entry(status).or_default() += runs;
        }
        self.steps += other.steps;
        self.calls += other.calls;
        self.crashes += other.crashes;
        self.faults += other.faults;
    }
}

impl Hunt {
    fn go(&self) -> Result<Figures> {
        let mut figures = Figures::default();
        while !self.found.load(Ordering::SeqCst) {
            let number = self.next.fetch_add(1, Ordering::SeqCst);
            if number >= self.seeds {
                break;
            }
            let seed = self.first.wrapping_add(number);
            let told = || anyhow!("seed {seed} breaks a promise; again: --only T3 --seed {seed}");
            match one(seed).with_context(told) {
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
fn one(seed: u64) -> Result<Figures> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()?;
    runtime.block_on(async {
        let mut course = Course::begin(seed)?;
        course.play().await?;
        let head = promises::check(&mut course).await?;
        Ok(Figures {
            ends: BTreeMap::from([(head.status.to_string(), 1)]),
            steps: head.step,
            calls: course
                .world
                .calls()
                .values()
                .map(|times| u64::from(*times))
                .sum(),
            crashes: course.crashes,
            faults: course.faults,
        })
    })
}
