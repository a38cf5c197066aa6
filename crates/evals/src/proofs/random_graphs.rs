//! T3 and T11: workflows drawn by chance, run through lost replies, crashes and moody people, by a
//! clock that leaps now and then or, for T11, is set wrong again and again.
//!
//! Every seed draws a graph, what its nodes do, and all that goes wrong. Time is the test's own, so
//! tens of thousands of runs take minutes, and a seed that fails does so again.

mod chance_faults;
mod course;
mod promises;
mod script;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use self::course::{ClockHabit, Course};
use super::{Proof, Setting};

/// In real time; a seed takes a few milliseconds. Whatever takes longer hangs.
const LONGEST_SEED: Duration = Duration::from_secs(20);

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
    let queue = Arc::new(SeedQueue {
        seeds: first..=first.saturating_add(seeds - 1),
        next: AtomicU64::new(0),
        under_way: Mutex::default(),
    });
    let (sender, mut ended) = unbounded_channel();
    for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
        let (queue, sender) = (Arc::clone(&queue), sender.clone());
        // A thread of its own: one that never returns must not keep the program from ending.
        thread::spawn(move || queue.work(habit, &sender));
    }
    drop(sender);
    let mut total = CourseFigures::new();
    for _ in queue.seeds.clone() {
        let Ok(Some(end)) = tokio::time::timeout(LONGEST_SEED, ended.recv()).await else {
            let stuck = queue.under_way().clone();
            bail!("seeds {stuck:?} panicked, or did not end within {LONGEST_SEED:?}");
        };
        for (what, count) in end? {
            *total.entry(what).or_default() += count;
        }
    }
    let told: Vec<String> = total
        .iter()
        .map(|(what, count)| format!("{count} {what}"))
        .collect();
    Ok(format!(
        "{seeds} seeds: {}; 0 broken promises",
        told.join(", ")
    ))
}

/// What happened, by its name.
type CourseFigures = BTreeMap<String, u64>;

/// Seeds from the first one on, taken by several threads.
struct SeedQueue {
    seeds: std::ops::RangeInclusive<u64>,
    next: AtomicU64,
    under_way: Mutex<BTreeSet<u64>>,
}

impl SeedQueue {
    /// Takes seeds until there are no more, or nobody wants to hear of them.
    fn work(&self, habit: ClockHabit, ended: &UnboundedSender<Result<CourseFigures>>) {
        loop {
            let number = self.next.fetch_add(1, Ordering::SeqCst);
            let seed = self.seeds.start().saturating_add(number);
            if !self.seeds.contains(&seed) {
                return;
            }
            self.under_way().insert(seed);
            let end = one(seed, habit).with_context(|| {
                format!("seed {seed} breaks a promise; the same again: --seed {seed}")
            });
            self.under_way().remove(&seed);
            if ended.send(end).is_err() {
                return;
            }
        }
    }

    fn under_way(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
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
        let (head, parks) = promises::check(&mut course).await?;
        let calls = course.world.calls(course.run);
        Ok(CourseFigures::from([
            (head.status.to_string(), 1),
            ("steps".into(), head.step),
            ("calls".into(), calls.into_values().map(u64::from).sum()),
            ("crashes".into(), course.crashes),
            ("faults".into(), course.faults),
            ("jumps of the clock".into(), course.jumps),
            ("parks".into(), parks),
        ]))
    })
}
