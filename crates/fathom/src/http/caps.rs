//! What an owner may use: runs under way, and the tokens and money that the runs of 24 hours spend together.
//!
//! What was spent is in `spending.rs`; here it is held against the caps, and whoever is refused is told why and for how long.

use std::time::Duration;

use axum::http::StatusCode;
use fathom_workflow::RunId;
use fathom_workflow::record::RunHeader;
use jiff::{Timestamp, ToSpan as _, Unit};
use tokio::sync::MutexGuard;

use super::access::Caller;
use super::error::{ApiError, ApiResult};
use super::run_bounds::{Bounds, OwnerRoom, unspent};
use super::service::Service;
use super::spending::{self, KnownSpending, Spent, is_under_way};
use crate::tokens::OwnerCaps;

/// After how many seconds an owner with too many runs under way should try again.
const RUN_ENDS_S: u64 = 5;

const DAY_S: u64 = 24 * 60 * 60;

/// Held while a run of a capped owner is committed or taken up; nothing where nothing is capped.
pub type CapTurn<'s> = Option<MutexGuard<'s, KnownSpending>>;

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
    let runs = spending::counted_runs(service, caller, since).await?;
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
    let usage = spending::usage(service, caller, &runs, since, takes_room, known).await?;
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

/// Deletes a run; where its owner is capped, what it has spent still counts. Nobody begins a run in between.
pub async fn delete(service: &Service, caller: &Caller, run: &RunHeader) -> ApiResult<()> {
    if of_caller(service, caller)?.is_empty() {
        return Ok(service.host.delete(run.id()).await?);
    }
    let mut known = service.spending.lock().await;
    spending::delete(service, caller, run, &mut known).await
}

fn reached(message: String, retry_after_s: u64) -> ApiError {
    let error = ApiError::new(StatusCode::TOO_MANY_REQUESTS, "cap_reached", message);
    error.retry_after(retry_after_s)
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
}
