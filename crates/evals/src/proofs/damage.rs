//! T7: bytes flipped and records lost, in files and in rows.
//!
//! A specimen that uses every table is damaged in copies, one after the other, and read whole. Each
//! answer must be the good one, or a refusal that says so; no panic, no hang. What was not harmed
//! goes on: unfinished runs end, and new ones begin.

mod database;
mod judge;
mod rows;
mod specimen;

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use fathom_workflow::RunId;
use rand::SeedableRng;
use rand::rngs::SmallRng;

use self::database::SpecimenDatabase;
use self::judge::DamageVerdict;
use super::{Proof, Setting};
use crate::stores::Backend;

/// Whatever takes longer hangs.
const LONGEST_TRIAL: Duration = Duration::from_secs(120);

/// The proof, for the list.
pub fn proof() -> Proof {
    Proof {
        id: "T7",
        what: "flipped bytes and lost records",
        run: |setting| Box::pin(prove(setting)),
    }
}

/// What may have been harmed. What was not must be read, and go on, as if nothing had happened.
enum Harmed {
    Anything,
    /// Records of those runs.
    Runs(BTreeSet<RunId>),
}

async fn prove(Setting { size, seed }: Setting) -> Result<String> {
    let panics_before = panics().len();
    let mut told = Vec::new();
    // The quick size harms several rows in one trial.
    let (rounds, at_once) = size.pick((1, 3), (4, 1));
    for backend in [Backend::Sqlite, Backend::Postgres] {
        let mut database = SpecimenDatabase::make(backend).await?;
        let harms = rows::every_harm(&database).await?;
        let harms = vec![harms; rounds].concat();
        let mut tally = TrialTally::default();
        for (trial, some) in (0..).zip(harms.chunks(at_once)) {
            let mut rng = SmallRng::seed_from_u64(seed.wrapping_add(trial));
            database.mend().await?;
            let harmed = rows::harm(&database, some, &mut rng).await?;
            let verdict = in_time(database.judge(&Harmed::Runs(harmed))).await;
            tally.add(verdict, || format!("seed {seed}, trial {trial}: {some:?}"))?;
        }
        told.push(format!("rows of {}: {tally}", backend.name()));
        if backend == Backend::Sqlite {
            type Flip = fn(&SpecimenDatabase, &mut SmallRng) -> Result<String>;
            let flips: [(&str, u64, Flip); 2] = [
                ("files", size.pick(80, 700), SpecimenDatabase::flip),
                ("logs", size.pick(20, 200), SpecimenDatabase::flip_log),
            ];
            for (what, trials, flip) in flips {
                let mut tally = TrialTally::default();
                for trial in 0..trials {
                    let mut rng = SmallRng::seed_from_u64(seed.wrapping_add(trial));
                    database.mend().await?;
                    let harm = flip(&database, &mut rng)?;
                    let verdict = in_time(database.judge(&Harmed::Anything)).await;
                    tally.add(verdict, || format!("seed {seed}, trial {trial}: {harm}"))?;
                }
                ensure!(tally.same > 0, "no harm to {what} was borne");
                told.push(format!("{what} of SQLite: {tally}"));
            }
        }
    }
    let seen = panics();
    let panicked = seen.get(panics_before);
    ensure!(panicked.is_none(), "a panic: {panicked:?}");
    Ok(format!("{}; 0 silent, 0 panics, 0 hangs", told.join("; ")))
}

async fn in_time(trial: impl Future<Output = Result<DamageVerdict>>) -> Result<DamageVerdict> {
    let ended = tokio::time::timeout(LONGEST_TRIAL, trial).await;
    ended.context("it hangs")?
}

/// How trials ended.
#[derive(Default)]
struct TrialTally {
    same: u64,
    refused: u64,
    unopened: u64,
}

impl TrialTally {
    fn add(&mut self, verdict: Result<DamageVerdict>, harm: impl Fn() -> String) -> Result<()> {
        match verdict.with_context(&harm)? {
            DamageVerdict::Same => self.same += 1,
            DamageVerdict::RefusedInPart => self.refused += 1,
            DamageVerdict::RefusedWhole => self.unopened += 1,
        }
        Ok(())
    }
}

impl std::fmt::Display for TrialTally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (same, refused, unopened) = (self.same, self.refused, self.unopened);
        let all = same + refused + unopened;
        write!(
            f,
            "{all} trials, {same} read the same, {refused} refused in part, {unopened} refused whole"
        )
    }
}

/// The panics on any thread since the first call. A store answers for its own threads, so a panic
/// there could pass for an error. A test that fails beside this proof is not counted.
fn panics() -> MutexGuard<'static, Vec<String>> {
    static WATCH: Once = Once::new();
    static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let seen = || SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    WATCH.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let file = info.location().map_or("", |place| place.file());
            if !file.contains("evals/tests/") {
                seen().push(info.to_string());
            }
            before(info);
        }));
    });
    seen()
}
