//! T11: a clock that is set wrong, by seconds or by years, in either direction.
//!
//! Each schedule is one run with gates, timers and calls that never return, a clock that jumps at any
//! moment, and an engine that is thrown away and built again. The proof keeps a reckoning of its own:
//! by it no timer may fire early, and once its moment has come opening the run must see it fire, once.

mod audit;
mod held;
mod schedule;
mod trip;

use anyhow::{Context as _, Result};
use fathom_workflow::NewRun;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::{Proof, Setting};
use schedule::Schedule;
use trip::{Trip, some_time};

/// What happens to a run at rest before its deadlines are let pass one by one.
const ACTIONS: usize = 24;

pub fn proof() -> Proof {
    Proof {
        id: "T11",
        what: "clocks that jump",
        run: |setting| Box::pin(prove(setting)),
    }
}

async fn prove(setting: Setting) -> Result<String> {
    let schedules = setting.size.pick(300, 10_000);
    let mut total = Figures::default();
    for nth in 0..schedules {
        let seed = setting.seed.wrapping_add(nth);
        let figures = play(seed)
            .await
            .with_context(|| format!("the schedule of seed {seed}"))?;
        total.add(&figures);
    }
    let Figures {
        jumps,
        restarts,
        timed_out,
        decided,
        late,
        cut,
    } = total;
    Ok(format!(
        "{schedules} schedules, {jumps} jumps, {restarts} restarts: {timed_out} gates timed \
             out, {decided} decided, {late} late answers refused, {cut} runs out of time; 0 timers \
             early, lost or doubled"
    ))
}

#[derive(Default)]
struct Figures {
    jumps: u64,
    restarts: u64,
    timed_out: u64,
    decided: u64,
    late: u64,
    cut: u64,
}

impl Figures {
    fn add(&mut self, other: &Self) {
        self.jumps += other.jumps;
        self.restarts += other.restarts;
        self.timed_out += other.timed_out;
        self.decided += other.decided;
        self.late += other.late;
        self.cut += other.cut;
    }
}

async fn play(seed: u64) -> Result<Figures> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let limit = rng.random_bool(0.5).then(|| some_time(&mut rng));
    let trip = Trip::draw(&mut rng, limit.is_some());
    let stages = trip.stages.clone();
    let mut schedule = Schedule::new(rng, limit)?;
    let new = NewRun {
        id: schedule.run,
        time_limit: limit,
        ..NewRun::titled("a trip")
    };
    let begun = schedule.engine.start(new, trip).await?;
    schedule.work(begun).await?;
    for _ in 0..ACTIONS {
        schedule.act().await?;
    }
    schedule.run_out().await?;
    audit::check(
        &schedule.store,
        schedule.run,
        &stages,
        &mut schedule.figures,
    )
    .await?;
    Ok(schedule.figures)
}
