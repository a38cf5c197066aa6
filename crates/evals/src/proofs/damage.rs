//! T7: bytes flipped and records lost, in files and in rows.
//!
//! A specimen that uses every table is damaged in copies, one after the other, and read whole. Each
//! answer must be the good one, or a refusal that says so; no panic, no hang. What was not harmed
//! goes on: unfinished runs end, new ones begin, and nothing old changes by it.

mod files;
mod judge;
mod rows;
mod specimen;

use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use futures::{StreamExt, stream};

use super::{Proof, Setting};
use files::SpecimenFiles;
use judge::Difference;
use rows::SpecimenTables;

/// Whatever takes longer hangs.
const LONGEST_TRIAL: Duration = Duration::from_secs(120);
/// How many broken promises are told.
const TOLD: usize = 5;

/// The proof, for the list.
pub fn proof() -> Proof {
    Proof {
        id: "T7",
        what: "flipped bytes and lost records",
        run: |setting| Box::pin(prove(setting)),
    }
}

async fn prove(Setting { size, seed }: Setting) -> Result<String> {
    let panics_before = panics().len();
    let files = SpecimenFiles::make().await?;
    let tables = SpecimenTables::make().await?;
    // Every column of every table, and so often. The quick size harms several rows in one trial.
    let (rounds, rows_at_once) = size.pick((1, 3), (4, 1));
    let tallies = [
        (
            "files of SQLite",
            files.flip(size.pick(80, 700), seed).await?,
        ),
        (
            "rows of SQLite",
            files.change_rows(rounds, rows_at_once, seed).await?,
        ),
        (
            "rows of PostgreSQL",
            tables.change_rows(rounds, rows_at_once, seed).await?,
        ),
    ];
    let seen = panics();
    let panicked = seen.get(panics_before);
    ensure!(panicked.is_none(), "a panic: {panicked:?}");
    let told = tallies.map(|(what, tally)| format!("{what}: {tally}"));
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

/// Runs trials, a few at once, and counts how they ended. A trial says what it harmed and what came of
/// it; no difference means that the store would not open, and said why.
async fn count_trials<T, F>(
    at_once: usize,
    trials: impl IntoIterator<Item = T>,
    run: impl Fn(T) -> F,
) -> Result<String>
where
    F: Future<Output = Result<(String, Option<Difference>)>>,
{
    let in_time = |trial| tokio::time::timeout(LONGEST_TRIAL, run(trial));
    let mut ended = stream::iter(trials).map(in_time).buffer_unordered(at_once);
    let (mut same, mut refused, mut unopened, mut broken) = (0, 0, 0, Vec::new());
    while let Some(trial) = ended.next().await {
        let Ok(trial) = trial else {
            bail!("a trial hangs after {} s", LONGEST_TRIAL.as_secs());
        };
        match trial? {
            (_, None) => unopened += 1,
            (harm, Some(difference)) => match difference.broken.first() {
                Some(first) => broken.push(format!("{harm}: {first}")),
                None if difference.refused.is_empty() => same += 1,
                None => refused += 1,
            },
        }
    }
    let (all, count) = (same + refused + unopened + broken.len(), broken.len());
    broken.truncate(TOLD);
    ensure!(
        count == 0,
        "{count} of {all} broke a promise:\n{}",
        broken.join("\n")
    );
    Ok(format!(
        "{all} trials, {same} read the same, {refused} refused in part, {unopened} refused whole"
    ))
}
