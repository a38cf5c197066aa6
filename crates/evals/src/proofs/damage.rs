//! T7: bytes flipped and records lost, in files and in rows.
//!
//! A specimen that uses every table is damaged in copies, one after the other, and read whole. Each
//! answer must be the good one, or a refusal that says so; no panic, no hang. What was not harmed
//! goes on: unfinished runs end, and new ones begin.

mod database;
mod judge;
mod rows;
mod specimen;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use rand::SeedableRng;
use rand::rngs::SmallRng;

use self::database::SpecimenDatabase;
use self::judge::DamageVerdict;
use self::rows::RowHarm;
use super::Setting;
use crate::stores::Backend;

/// Whatever takes longer hangs.
const LONGEST_TRIAL: Duration = Duration::from_secs(120);

/// What is harmed in one trial.
#[derive(Clone, Debug)]
enum Harm<'a> {
    /// Rows of these tables.
    Rows(&'a [RowHarm]),
    /// Bytes of a SQLite file.
    File,
    /// Bytes of the log that a crash left beside it.
    Log,
}

pub(super) async fn prove(Setting { size, seed }: Setting) -> Result<String> {
    let panics_before = panics().len();
    let mut told = Vec::new();
    // The quick size harms several rows in one trial.
    let (rounds, at_once) = size.pick((1, 3), (4, 1));
    for backend in [Backend::Sqlite, Backend::Postgres] {
        let mut database = SpecimenDatabase::make(backend).await?;
        let rows = vec![rows::every_harm(&database).await?; rounds].concat();
        let by_row: Vec<Harm<'_>> = rows.chunks(at_once).map(Harm::Rows).collect();
        let mut harms = vec![("rows", by_row)];
        if backend == Backend::Sqlite {
            harms.push(("files", vec![Harm::File; size.pick(80, 700)]));
            harms.push(("logs", vec![Harm::Log; size.pick(20, 200)]));
        }
        for (what, harms) in harms {
            let mut tally: BTreeMap<DamageVerdict, u64> = BTreeMap::new();
            for (trial, harm) in (0..).zip(&harms) {
                let mut rng = SmallRng::seed_from_u64(seed.wrapping_add(trial));
                let (done, harmed) = database.harm(harm, &mut rng).await?;
                let judging = tokio::time::timeout(LONGEST_TRIAL, database.judge(harmed.as_ref()));
                let verdict = judging.await.context("it hangs").flatten();
                let verdict = verdict.with_context(|| format!("trial {trial}: {done}"))?;
                *tally.entry(verdict).or_default() += 1;
            }
            ensure!(
                what == "rows" || tally.contains_key(&DamageVerdict::Same),
                "no harm to {what} was borne"
            );
            let trials = harms.len();
            told.push(format!(
                "{trials} to {what} of {}: {tally:?}",
                backend.name()
            ));
        }
    }
    let seen = panics();
    let panicked = seen.get(panics_before);
    ensure!(panicked.is_none(), "a panic: {panicked:?}");
    Ok(format!("{}; 0 silent, 0 panics, 0 hangs", told.join("; ")))
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
