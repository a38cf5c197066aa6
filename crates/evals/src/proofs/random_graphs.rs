//! T3 and T11: workflows drawn by chance, run through lost replies, crashes and moody people, by a
//! clock that leaps now and then or, for T11, is set wrong again and again.
//!
//! Every seed draws a graph, what its nodes do, and all that goes wrong. Time is the test's own, so
//! tens of thousands of runs take minutes, and a seed that fails does so again.

mod course;
mod person;
mod promises;
mod script;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::sync::mpsc::unbounded_channel;

pub(super) use self::course::ClockHabit;
use self::course::Course;
use super::Setting;

/// In real time; a seed takes a few milliseconds. Whatever takes longer hangs.
const LONGEST_SEED: Duration = Duration::from_secs(20);

pub(super) async fn prove(Setting { size, seed }: Setting, habit: ClockHabit) -> Result<String> {
    let seeds = match habit {
        ClockHabit::Leaps => size.pick(500, 50_000),
        ClockHabit::Jumps => size.pick(300, 10_000),
    };
    let next = Arc::new(AtomicU64::new(0));
    let (sender, mut ended) = unbounded_channel();
    for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
        let (next, sender) = (Arc::clone(&next), sender.clone());
        // A thread of its own: one that never returns must not keep the program from ending.
        thread::spawn(move || {
            loop {
                let number = next.fetch_add(1, Ordering::SeqCst);
                let end = || one(seed.wrapping_add(number), habit);
                if number >= seeds || sender.send((number, end())).is_err() {
                    return;
                }
            }
        });
    }
    drop(sender);
    let (mut total, mut done) = (CourseFigures::new(), vec![false; seeds as usize]);
    for _ in 0..seeds {
        let Ok(Some((number, end))) = tokio::time::timeout(LONGEST_SEED, ended.recv()).await else {
            let begun = next.load(Ordering::SeqCst).min(seeds);
            let stuck = (0..begun).filter(|number| !done[*number as usize]);
            let stuck: Vec<u64> = stuck.map(|number| seed.wrapping_add(number)).collect();
            bail!("seeds {stuck:?} panicked, or did not end within {LONGEST_SEED:?}");
        };
        done[number as usize] = true;
        let again = seed.wrapping_add(number);
        for (what, count) in end.with_context(|| format!("the same again: --seed {again}"))? {
            *total.entry(what).or_default() += count;
        }
    }
    let told = total.iter().map(|(what, count)| format!("{count} {what}"));
    let told: Vec<String> = told.collect();
    let told = told.join(", ");
    Ok(format!("{seeds} seeds: {told}; 0 broken promises"))
}

/// What happened, by its name.
type CourseFigures = BTreeMap<String, u64>;

/// One seed, alone on a runtime whose timers take no time.
fn one(seed: u64, habit: ClockHabit) -> Result<CourseFigures> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()?;
    runtime.block_on(async {
        let mut course = Course::begin(seed, habit)?;
        let played = course.play().await;
        course.world.verdict()?;
        played?;
        let (head, parks) = promises::check(&course).await?;
        let calls = course.world.calls(course.run);
        Ok(CourseFigures::from([
            (head.status.to_string(), 1),
            ("steps".into(), head.step),
            ("calls".into(), calls.into_values().map(u64::from).sum()),
            ("crashes".into(), course.crashes),
            ("faults".into(), course.faults.struck()),
            ("jumps of the clock".into(), course.jumps),
            ("parks".into(), parks),
        ]))
    })
}
