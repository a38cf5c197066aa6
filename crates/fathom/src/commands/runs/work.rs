//! `fathom runs work`: takes up runs that are due, until Ctrl-C.

use fathom_workflow::WorkedRun;
use tokio_util::sync::CancellationToken;

use super::RunsContext;
use crate::exit::{Exit, Result};
use crate::screen;
use crate::signals::Signals;

/// Works on due runs of every workflow, `limit` at most at a time.
pub(super) async fn work(context: &RunsContext, limit: usize) -> Result<Exit> {
    let mut signals = Signals::listen()?;
    let stop = CancellationToken::new();
    screen::tell("Taking up runs that are due. Ctrl-C stops.");
    let working = context
        .host
        .work(limit, stop.clone(), |worked| tell(&worked));
    tokio::pin!(working);
    let exit = tokio::select! {
        () = &mut working => return Ok(Exit::Complete),
        exit = signals.next() => exit,
    };
    stop.cancel();
    // Whoever cannot wait leaves at once; the runs are free when their leases have lapsed.
    tokio::select! {
        () = &mut working => {}
        _ = signals.next() => {}
    }
    Ok(exit)
}

/// A line for each run. One that others have, or that the store did not give just now, is tried again and not told of.
fn tell(worked: &WorkedRun) {
    let line = match worked {
        WorkedRun::Worked(run, outcome) => {
            let reason = outcome.reason.as_ref().map(|reason| format!(": {reason}"));
            format!("{run}  {}{}", outcome.status, reason.unwrap_or_default())
        }
        WorkedRun::Skipped(skipped) if skipped.lasting => {
            format!("{}  left alone: {}", skipped.run, skipped.error)
        }
        WorkedRun::Skipped(_) => return,
    };
    screen::tell(&screen::harmless(&line));
}
