//! What the runs of an owner have spent: the log of the runs is the account.
//!
//! A run that is deleted leaves what it spent in a file of its owner's folder, so that deleting runs does not make room.

use std::collections::HashMap;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use fathom_research::skills::budget::{COST_PICOS, TOKENS};
use fathom_workflow::RunId;
use fathom_workflow::journal::RunFilter;
use fathom_workflow::record::{RunHeader, Status};
use jiff::{Timestamp, ToSpan as _};
use serde::{Deserialize, Serialize};

use super::access::Caller;
use super::error::{ApiError, ApiResult};
use super::run_bounds::{Bounds, unspent};
use super::service::Service;
use crate::deliver;

/// Runs read from the list at a time.
const PAGE: usize = 500;

/// What deleted runs have spent, in an owner's folder.
const DELETED: &str = ".deleted-runs.json";

const PICOS_PER_MICRO: u64 = 1_000_000;

/// What runs have spent so far, so that a run's log is read once after each of its writes.
pub type KnownSpending = HashMap<RunId, (u64, Spent)>;

/// What one run has spent.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Spent {
    /// When the run was begun.
    pub begun_at: Timestamp,
    /// By all its steps.
    pub tokens: u64,
    /// In millionths of a dollar.
    pub cost_micros: u64,
}

/// What the caps of an owner are compared with.
pub struct Usage {
    /// By the runs of 24 hours, the oldest first.
    pub spent: Vec<Spent>,
    /// Tokens that runs under way, however old, may still spend.
    pub held_tokens: u64,
    /// The same in millionths of a dollar.
    pub held_cost_micros: u64,
}

/// What the runs of a caller have spent since then, and what is held for those that take room.
pub async fn usage(
    service: &Service,
    caller: &Caller,
    runs: &[RunHeader],
    since: Timestamp,
    takes_room: impl Fn(&RunHeader) -> bool,
    known: &mut KnownSpending,
) -> ApiResult<Usage> {
    let mut usage = Usage {
        spent: deleted(service, caller)?,
        held_tokens: 0,
        held_cost_micros: 0,
    };
    usage.spent.retain(|one| one.begun_at >= since);
    for run in runs {
        let is_recent = run.about.created_at >= since;
        if !takes_room(run) {
            if is_recent {
                usage.spent.push(spent_by(service, run, known).await?);
            }
            continue;
        }
        // Whatever is recorded after this look is counted twice rather than not at all.
        let view = service.host.view(run.id(), None).await;
        // A run that cannot be read on goes on nowhere.
        if let Ok(view) = &view {
            let Bounds {
                tokens,
                cost_micros,
            } = unspent(view);
            usage.hold(tokens.unwrap_or_default(), cost_micros.unwrap_or_default());
        }
        let header = view.map_or_else(|_| run.clone(), |view| view.run);
        let spent = spent_by(service, &header, known).await?;
        if is_recent {
            usage.spent.push(spent);
        } else {
            // No day frees it, but the end of the run does.
            usage.hold(spent.tokens, spent.cost_micros);
        }
    }
    usage.spent.sort_by_key(|one| one.begun_at);
    Ok(usage)
}

impl Usage {
    fn hold(&mut self, tokens: u64, cost_micros: u64) {
        self.held_tokens = self.held_tokens.saturating_add(tokens);
        self.held_cost_micros = self.held_cost_micros.saturating_add(cost_micros);
    }
}

/// Whether a run spends, now or without anybody's word: one that waits goes on by itself at its `wake_at`, unchecked.
pub fn is_under_way(run: &RunHeader) -> bool {
    match &run.head.status {
        Status::Waiting => run.head.wake_at.is_some(),
        status => !status.is_finished(),
    }
}

/// The runs of a caller that were begun since then, and those that are under way however old they are.
pub async fn counted_runs(
    service: &Service,
    caller: &Caller,
    since: Timestamp,
) -> ApiResult<Vec<RunHeader>> {
    let mut filter = RunFilter {
        limit: PAGE,
        ..RunFilter::default()
    };
    let counts = |run: &RunHeader| {
        caller.may_see(run) && (run.about.created_at >= since || is_under_way(run))
    };
    let mut runs = Vec::new();
    // Every page is further on in a list that ends.
    loop {
        let page = service.host.list(&filter).await?;
        runs.extend(page.runs.into_iter().filter(counts));
        filter.after = page.next;
        if filter.after.is_none() {
            return Ok(runs);
        }
    }
}

/// What a run has spent in the steps that it has recorded.
async fn spent_by(
    service: &Service,
    run: &RunHeader,
    known: &mut KnownSpending,
) -> ApiResult<Spent> {
    if let Some((rev, spent)) = known.get(&run.id())
        && *rev == run.head.rev
    {
        return Ok(*spent);
    }
    let steps = deliver::steps(&service.host, run.id()).await?;
    let meter = |name: &str| -> u64 {
        let amounts = steps.iter().filter_map(|step| step.meters.get(name));
        amounts.sum()
    };
    let spent = Spent {
        begun_at: run.about.created_at,
        tokens: meter(TOKENS),
        cost_micros: meter(COST_PICOS).div_ceil(PICOS_PER_MICRO),
    };
    known.insert(run.id(), (run.head.rev, spent));
    Ok(spent)
}

/// Deletes a run and keeps what it has spent.
pub async fn delete(
    service: &Service,
    caller: &Caller,
    run: &RunHeader,
    known: &mut KnownSpending,
) -> ApiResult<()> {
    let mut all = deleted(service, caller)?;
    all.push(spent_by(service, run, known).await?);
    service.host.delete(run.id()).await?;
    let since = Timestamp::now() - 24.hours();
    all.retain(|one| one.begun_at >= since && one.tokens + one.cost_micros > 0);
    let path = deleted_file(service, caller);
    let write = || -> std::io::Result<()> {
        let folder = path.parent().unwrap_or(&path);
        fathom_store::create_private_folder(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&serde_json::to_vec(&all)?)?;
        file.as_file().sync_all()?;
        file.persist(&path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(ApiError::internal)
}

fn deleted_file(service: &Service, caller: &Caller) -> PathBuf {
    service.libraries.join(caller.folder()).join(DELETED)
}

/// What deleted runs have spent; nothing where none was. A file that cannot be read is not taken for that.
fn deleted(service: &Service, caller: &Caller) -> ApiResult<Vec<Spent>> {
    read_deleted(&deleted_file(service, caller))
}

fn read_deleted(path: &Path) -> ApiResult<Vec<Spent>> {
    let broken = |error: &dyn std::fmt::Display| {
        let path = path.display();
        ApiError::internal(format!(
            "what deleted runs have spent is not known: {path}: {error}"
        ))
    };
    match std::fs::read(path) {
        Ok(kept) => serde_json::from_slice(&kept).map_err(|error| broken(&error)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(broken(&error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_account_is_not_an_empty_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(DELETED);
        assert!(read_deleted(&path).unwrap().is_empty());
        std::fs::write(&path, "[{").unwrap();
        assert!(read_deleted(&path).is_err());
    }
}
