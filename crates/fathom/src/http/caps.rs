//! What an owner may use: runs under way, and the tokens and money that the runs of 24 hours spend together.
//!
//! The log of the runs is the account. A run that is deleted leaves what it spent in a file of its owner's folder, so that
//! deleting runs does not make room.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use axum::http::StatusCode;
use fathom_research::skills::budget::{COST_PICOS, TOKENS};
use fathom_research::workflows::answer;
use fathom_workflow::RunId;
use fathom_workflow::journal::RunFilter;
use fathom_workflow::record::{RunHeader, Status};
use jiff::{Timestamp, ToSpan as _, Unit};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::MutexGuard;

use super::access::Caller;
use super::error::{ApiError, ApiResult};
use super::service::Service;
use crate::deliver;
use crate::tokens::OwnerCaps;

/// After how many seconds an owner with too many runs under way should try again.
const RUN_ENDS_S: u64 = 5;

/// What deleted runs have spent, in an owner's folder.
const DELETED: &str = ".deleted-runs.json";

const PICOS_PER_MICRO: u64 = 1_000_000;

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

/// What an owner may still use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowance {
    tokens: Option<u64>,
    cost_micros: Option<u64>,
}

/// The caps that hold for a caller. Whoever needs no token has none.
fn of_caller(service: &Service, caller: &Caller) -> ApiResult<OwnerCaps> {
    match caller {
        Caller::Local => Ok(OwnerCaps::default()),
        Caller::Owner(owner) => Ok(service.tokens.caps(owner)?.or(service.limits.owner_caps())),
    }
}

/// What the caller may still use, with the turn that keeps it theirs until their run is committed; refused where a cap is
/// reached.
pub async fn take<'s>(
    service: &'s Service,
    caller: &Caller,
) -> ApiResult<(Allowance, Option<MutexGuard<'s, KnownSpending>>)> {
    let caps = of_caller(service, caller)?;
    if caps.is_empty() {
        return Ok((Allowance::default(), None));
    }
    let mut turn = service.spending.lock().await;
    let left = allowance(service, caller, caps, &mut turn).await?;
    Ok((left, Some(turn)))
}

async fn allowance(
    service: &Service,
    caller: &Caller,
    caps: OwnerCaps,
    known: &mut KnownSpending,
) -> ApiResult<Allowance> {
    let name = caller.name();
    let since = Timestamp::now() - 24.hours();
    let runs = runs_since(service, caller, since).await?;
    let is_under_way =
        |run: &&RunHeader| !run.head.status.is_finished() && run.head.status != Status::Waiting;
    known.retain(|_, (_, spent)| spent.begun_at >= since);
    let under_way = runs.iter().filter(is_under_way).count();
    if let Some(most) = caps.max_runs.filter(|most| under_way >= *most) {
        let message = format!(
            "{name} has {under_way} runs under way and may have {most} (max_runs); begin the next when one has ended"
        );
        return Err(reached(message, RUN_ENDS_S));
    }
    let mut spent = deleted(service, caller);
    spent.retain(|one| one.begun_at >= since);
    for run in &runs {
        spent.push(spent_by(service, run, known).await?);
    }
    spent.sort_by_key(|one| one.begun_at);
    let left = |cap: Option<u64>, amount: fn(&Spent) -> u64, told: CapWords<'_>| {
        cap.map(|cap| left_of(cap, &spent, amount, told))
            .transpose()
    };
    Ok(Allowance {
        tokens: left(
            caps.max_tokens,
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

/// The runs of a caller that were begun since then.
async fn runs_since(
    service: &Service,
    caller: &Caller,
    since: Timestamp,
) -> ApiResult<Vec<RunHeader>> {
    let mut filter = RunFilter {
        created_from: Some(since),
        ..RunFilter::default()
    };
    let mut runs = Vec::new();
    // Every page is further on in a list that ends.
    loop {
        let page = service.host.list(&filter).await?;
        runs.extend(page.runs.into_iter().filter(|run| caller.may_see(run)));
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

/// What a cap leaves, of what runs have spent, the oldest first; refused where it leaves nothing, with the moment at which
/// enough of the oldest are a day old.
fn left_of(
    cap: u64,
    spent: &[Spent],
    amount: fn(&Spent) -> u64,
    told: CapWords<'_>,
) -> ApiResult<u64> {
    let total: u64 = spent.iter().map(amount).sum();
    if total < cap {
        return Ok(cap - total);
    }
    let mut rest = total;
    let freed = spent.iter().find(|one| {
        rest -= amount(one);
        rest < cap
    });
    let freed = freed.map(|one| one.begun_at + 24.hours());
    let CapWords {
        name,
        option,
        unit,
        scale,
    } = told;
    let shown = |amount: u64| amount as f64 / scale as f64;
    let (total, most) = (shown(total), shown(cap));
    let when = freed.and_then(|at| at.round(Unit::Second).ok());
    let when = when
        .map(|at| format!("the next run can begin at {at}, or "))
        .unwrap_or_default();
    let message = format!(
        "{name} has used {total} {unit} in 24 hours and may use {most}; {when}once the operator raises the cap: \
         fathom token limit {name} --{option} N"
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

impl Allowance {
    /// Bounds what one run may spend, whatever its input says.
    pub fn bound(self, workflow: &str, input: &mut Value) {
        let Some(settings) = input.get_mut("settings") else {
            return;
        };
        let (tokens, cost, settings) = if workflow == answer::NAME {
            ("token_budget", "max_cost_micros", settings)
        } else {
            let Some(caps) = settings.get_mut("caps") else {
                return;
            };
            ("tokens", "cost_micros", caps)
        };
        for (name, left) in [(tokens, self.tokens), (cost, self.cost_micros)] {
            if let Some(left) = left {
                let set = settings[name].as_u64().unwrap_or(u64::MAX);
                settings[name] = json!(set.min(left));
            }
        }
    }
}

/// What a run has spent that is about to be deleted; nothing where its owner is not capped.
pub async fn spent_of(
    service: &Service,
    caller: &Caller,
    run: &RunHeader,
) -> ApiResult<Option<Spent>> {
    if of_caller(service, caller)?.is_empty() {
        return Ok(None);
    }
    let mut known = service.spending.lock().await;
    spent_by(service, run, &mut known).await.map(Some)
}

/// Keeps what a deleted run has spent.
pub async fn keep_spent(service: &Service, caller: &Caller, spent: Spent) -> ApiResult<()> {
    let _one_writer = service.spending.lock().await;
    let since = Timestamp::now() - 24.hours();
    let mut all = deleted(service, caller);
    all.push(spent);
    all.retain(|one| one.begun_at >= since && one.tokens + one.cost_micros > 0);
    let path = deleted_file(service, caller);
    let write = || -> std::io::Result<()> {
        let folder = path.parent().unwrap_or(&path);
        std::fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&serde_json::to_vec(&all)?)?;
        file.persist(&path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(ApiError::internal)
}

fn deleted_file(service: &Service, caller: &Caller) -> PathBuf {
    service.libraries.join(caller.folder()).join(DELETED)
}

/// What deleted runs have spent; nothing where none was.
fn deleted(service: &Service, caller: &Caller) -> Vec<Spent> {
    let kept = std::fs::read(deleted_file(service, caller)).unwrap_or_default();
    serde_json::from_slice(&kept).unwrap_or_default()
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
        let words = CapWords {
            name: "ada",
            option: "max-tokens",
            unit: "tokens",
            scale: 1,
        };
        left_of(cap, all, |one| one.tokens, words)
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
        assert!(!told.contains("can begin at"), "{told}");
    }

    #[test]
    fn a_run_gets_no_more_than_is_left() {
        let allowance = Allowance {
            tokens: Some(50),
            cost_micros: None,
        };
        let mut input = json!({ "settings": { "token_budget": 200, "max_cost_micros": null } });
        allowance.bound("answer", &mut input);
        assert_eq!(
            input["settings"],
            json!({ "token_budget": 50, "max_cost_micros": null })
        );
        let mut input = json!({ "settings": { "caps": { "tokens": null } } });
        allowance.bound("report", &mut input);
        assert_eq!(input["settings"]["caps"]["tokens"], 50);
    }
}
