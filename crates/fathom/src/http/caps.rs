//! What an owner may use: runs under way, and the tokens and money that the runs of 24 hours spend together.
//!
//! The log of the runs is the account, and what a run under way may still spend is held for it. A run that is deleted leaves
//! what it spent in a file of its owner's folder, so that deleting runs does not make room.

use std::collections::HashMap;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use axum::http::StatusCode;
use fathom_research::skills::budget::{COST_PICOS, TOKENS};
use fathom_workflow::RunId;
use fathom_workflow::journal::RunFilter;
use fathom_workflow::record::{RunHeader, Status};
use jiff::{Timestamp, ToSpan as _, Unit};
use serde::{Deserialize, Serialize};
use tokio::sync::MutexGuard;

use super::access::Caller;
use super::error::{ApiError, ApiResult};
use super::run_bounds::{Bounds, OwnerRoom, unspent};
use super::service::Service;
use crate::deliver;
use crate::tokens::OwnerCaps;

/// Runs read from the list at a time.
const PAGE: usize = 500;

/// After how many seconds an owner with too many runs under way should try again.
const RUN_ENDS_S: u64 = 5;

const DAY_S: u64 = 24 * 60 * 60;

/// What deleted runs have spent, in an owner's folder.
const DELETED: &str = ".deleted-runs.json";

const PICOS_PER_MICRO: u64 = 1_000_000;

/// Held while a run of a capped owner is committed or taken up; nothing where nothing is capped.
pub type CapTurn<'s> = Option<MutexGuard<'s, KnownSpending>>;

/// What runs have spent so far, so that a run's log is read once after each of its writes.
pub type KnownSpending = HashMap<RunId, (u64, Spent)>;

/// What one run has spent.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Spent {
    /// When the run was begun.
    begun_at: Timestamp,
    tokens: u64,
    cost_micros: u64,
}

/// The caps that hold for a caller. Whoever needs no token has none.
fn of_caller(service: &Service, caller: &Caller) -> ApiResult<OwnerCaps> {
    match caller {
        Caller::Local => Ok(OwnerCaps::default()),
        Caller::Owner(owner) => Ok(service.tokens.caps(owner)?.or(service.limits.owner_caps())),
    }
}

/// What the caller may still use, with the turn that keeps it theirs until their run is committed; refused where a cap is
/// reached. A run that is resumed takes no room from itself.
pub async fn take<'s>(
    service: &'s Service,
    caller: &Caller,
    resumed: Option<RunId>,
) -> ApiResult<(OwnerRoom, CapTurn<'s>)> {
    let caps = of_caller(service, caller)?;
    if caps.is_empty() {
        return Ok((OwnerRoom::default(), None));
    }
    let mut turn = service.spending.lock().await;
    let left = allowance(service, caller, caps, resumed, &mut turn).await?;
    let usual = service.limits.usual_bounds();
    Ok((OwnerRoom { left, usual }, Some(turn)))
}

/// The turn in which a run goes on that was resumed or waited for a person; refused where a cap is reached, or where the run
/// may still spend more than is left. Its own bounds stand in its log and stay as they are, so nothing less would hold.
pub async fn take_to_go_on<'s>(
    service: &'s Service,
    caller: &Caller,
    run: RunId,
) -> ApiResult<CapTurn<'s>> {
    let (room, turn) = take(service, caller, Some(run)).await?;
    if !room.is_unbounded() {
        let needed = unspent(&service.host.view(run, None).await?);
        check_fits(caller, needed.tokens, room.left.tokens, "tokens", 1)?;
        let (needed, left) = (needed.cost_micros, room.left.cost_micros);
        check_fits(caller, needed, left, "dollars", 1_000_000)?;
    }
    Ok(turn)
}

fn check_fits(
    caller: &Caller,
    needed: Option<u64>,
    left: Option<u64>,
    unit: &str,
    scale: u64,
) -> ApiResult<()> {
    let Some(left) = left.filter(|left| needed.is_none_or(|needed| needed > *left)) else {
        return Ok(());
    };
    let shown = |amount: u64| amount as f64 / scale as f64;
    let needed = match needed {
        Some(needed) => format!("{} {unit}", shown(needed)),
        None => format!("any number of {unit}"),
    };
    let (name, left) = (caller.name(), shown(left));
    let message = format!(
        "this run may still use {needed}, and {name} has {left} left for it; fork it to go on with what is left, or try \
         again when other runs have ended"
    );
    Err(reached(message, RUN_ENDS_S))
}

async fn allowance(
    service: &Service,
    caller: &Caller,
    caps: OwnerCaps,
    resumed: Option<RunId>,
    known: &mut KnownSpending,
) -> ApiResult<Bounds> {
    let name = caller.name();
    let since = Timestamp::now() - 24.hours();
    let runs = counted_runs(service, caller, since).await?;
    let takes_room = |run: &RunHeader| is_under_way(run) && Some(run.id()) != resumed;
    known.retain(|_, (_, spent)| spent.begun_at >= since);
    let under_way = runs.iter().filter(|run| takes_room(run)).count();
    if let Some(most) = caps.max_runs.filter(|most| under_way >= *most) {
        let message = format!(
            "{name} has {under_way} runs under way and may have {most} (max_runs); begin the next when one has \
             ended"
        );
        return Err(reached(message, RUN_ENDS_S));
    }
    let usage = usage(service, caller, &runs, since, takes_room, known).await?;
    let left = |cap: Option<u64>, held: u64, amount: fn(&Spent) -> u64, told: CapWords<'_>| {
        cap.map(|cap| left_of(cap, &usage.spent, held, amount, told))
            .transpose()
    };
    Ok(Bounds {
        tokens: left(
            caps.max_tokens,
            usage.held_tokens,
            |one| one.tokens,
            CapWords {
                name,
                option: "max-tokens",
                unit: "tokens",
                scale: 1,
            },
        )?,
        cost_micros: left(
            caps.max_cost_micros,
            usage.held_cost_micros,
            |one| one.cost_micros,
            CapWords {
                name,
                option: "max-cost",
                unit: "dollars",
                scale: 1_000_000,
            },
        )?,
    })
}

/// What the caps of an owner are compared with.
struct Usage {
    /// By the runs of 24 hours, the oldest first.
    spent: Vec<Spent>,
    /// For runs under way.
    held_tokens: u64,
    held_cost_micros: u64,
}

async fn usage(
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
fn is_under_way(run: &RunHeader) -> bool {
    match &run.head.status {
        Status::Waiting => run.head.wake_at.is_some(),
        status => !status.is_finished(),
    }
}

/// The runs of a caller that were begun since then, and those that are under way however old they are.
async fn counted_runs(
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

/// How a cap is told.
#[derive(Clone, Copy)]
struct CapWords<'a> {
    /// Whose it is.
    name: &'a str,
    /// The flag that changes it.
    option: &'static str,
    unit: &'static str,
    /// How many of what is counted make one of the unit.
    scale: u64,
}

/// What a cap leaves of what runs have spent, the oldest first, and what is held for those under way; refused where it leaves
/// nothing, with the moment at which enough of the oldest are a day old.
fn left_of(
    cap: u64,
    spent: &[Spent],
    held: u64,
    amount: fn(&Spent) -> u64,
    told: CapWords<'_>,
) -> ApiResult<u64> {
    let CapWords {
        name,
        option,
        unit,
        scale,
    } = told;
    let shown = |amount: u64| amount as f64 / scale as f64;
    let total: u64 = spent.iter().map(amount).sum();
    let most = shown(cap);
    let raise = format!("fathom token limit {name} --{option} N");
    if cap == 0 {
        let message =
            format!("{name} may use no {unit}, until the operator raises the cap: {raise}");
        return Err(reached(message, DAY_S));
    }
    if total < cap {
        let left = (cap - total).saturating_sub(held);
        if left > 0 {
            return Ok(left);
        }
        let message = format!(
            "{name} may use {most} {unit} in 24 hours, and runs under way may use all that is left; begin the next when one has \
             ended, or with smaller budgets for all"
        );
        return Err(reached(message, RUN_ENDS_S));
    }
    let mut rest = total;
    let freed = spent.iter().find(|one| {
        rest -= amount(one);
        rest < cap
    });
    let freed = freed.map(|one| one.begun_at + 24.hours());
    let total = shown(total);
    let when = freed.and_then(|at| at.round(Unit::Second).ok());
    let when = when
        .map(|at| format!("the next run can begin at {at}, or "))
        .unwrap_or_default();
    let message = format!(
        "{name} has used {total} {unit} in 24 hours and may use {most}; {when}once the operator raises the cap: {raise}"
    );
    let wait = freed.map(|at| at.duration_since(Timestamp::now()));
    let wait = wait.and_then(|wait| Duration::try_from(wait).ok());
    Err(reached(
        message,
        wait.map_or(RUN_ENDS_S, |wait| wait.as_secs() + 1),
    ))
}

fn reached(message: String, retry_after_s: u64) -> ApiError {
    let error = ApiError::new(StatusCode::TOO_MANY_REQUESTS, "cap_reached", message);
    error.retry_after(retry_after_s)
}

/// Deletes a run and keeps what it has spent, where its owner is capped. Nobody begins a run in between.
pub async fn delete(service: &Service, caller: &Caller, run: &RunHeader) -> ApiResult<()> {
    if of_caller(service, caller)?.is_empty() {
        return Ok(service.host.delete(run.id()).await?);
    }
    let mut known = service.spending.lock().await;
    let mut all = deleted(service, caller)?;
    all.push(spent_by(service, run, &mut known).await?);
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

    fn spent(hours_ago: i64, tokens: u64) -> Spent {
        Spent {
            begun_at: Timestamp::now() - hours_ago.hours(),
            tokens,
            cost_micros: 0,
        }
    }

    fn left(cap: u64, all: &[Spent]) -> ApiResult<u64> {
        left_beside(cap, all, 0)
    }

    fn left_beside(cap: u64, all: &[Spent], held: u64) -> ApiResult<u64> {
        let words = CapWords {
            name: "ada",
            option: "max-tokens",
            unit: "tokens",
            scale: 1,
        };
        left_of(cap, all, held, |one| one.tokens, words)
    }

    #[test]
    fn a_cap_says_what_is_left_and_when_there_is_room_again() {
        let all = [spent(23, 40), spent(20, 40), spent(1, 30)];
        assert_eq!(left(200, &all).unwrap(), 90);
        let told = left(100, &all).unwrap_err().sentence();
        let at = (all[0].begun_at + 24.hours()).round(Unit::Second).unwrap();
        assert!(
            told.contains("110 tokens") && told.contains(&at.to_string()),
            "{told}"
        );
        let told = left(70, &all).unwrap_err().sentence();
        let at = (all[1].begun_at + 24.hours()).round(Unit::Second).unwrap();
        assert!(told.contains(&at.to_string()), "{told}");
        let told = left(0, &all).unwrap_err().sentence();
        assert!(
            told.starts_with("ada may use no tokens") && !told.contains("can begin at"),
            "{told}"
        );
    }

    #[test]
    fn what_runs_under_way_may_still_spend_is_not_given_away_again() {
        let all = [spent(1, 30)];
        assert_eq!(left_beside(100, &all, 60).unwrap(), 10);
        let told = left_beside(100, &all, 70).unwrap_err().sentence();
        assert!(told.contains("runs under way"), "{told}");
    }

    #[test]
    fn a_broken_account_is_not_an_empty_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(DELETED);
        assert!(read_deleted(&path).unwrap().is_empty());
        std::fs::write(&path, "[{").unwrap();
        assert!(read_deleted(&path).is_err());
    }
}
