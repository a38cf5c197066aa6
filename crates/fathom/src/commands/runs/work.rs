//! `fathom runs work`: takes up runs that are due, until Ctrl-C.

use tokio_util::sync::CancellationToken;

use super::RunsContext;
use crate::exit::{Exit, Result};
use crate::screen;
use crate::signals::Signals;

/// Works on due runs of every workflow, `limit` at most at a time.
pub(super) async fn work(context: &RunsContext, limit: usize) -> Result<Exit> {
    let mut signals = Signals::listen()?;
    let host = context.working_host(None).await?;
    let stop = CancellationToken::new();
    screen::tell("Taking up runs that are due. Ctrl-C stops.");
    let working = host.work(limit, stop.clone());
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
