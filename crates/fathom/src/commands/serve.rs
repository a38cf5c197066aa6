//! `fathom serve`: the service, until Ctrl-C.

use std::net::SocketAddr;
use std::sync::Arc;

use fathom_workflow::{Host, WorkedRun};
use tokio_util::sync::CancellationToken;

use super::RunsContext;
use crate::cli::ServeArgs;
use crate::exit::{Exit, Problem, Result};
use crate::http::{self, Service, metrics};
use crate::screen;
use crate::settings::FlagValues;
use crate::signals::Signals;
use crate::tokens::TokenBook;
use crate::traces::Traces;

pub async fn run(context: RunsContext) -> Result<Exit> {
    let RunsContext {
        settings,
        host,
        libraries,
    } = context;
    let mut signals = Signals::listen()?;
    let tokens = TokenBook::open(&settings.home)?;
    let address: SocketAddr = settings.listen.parse().map_err(|_| {
        let given = &settings.listen;
        Problem::usage(format!("\"{given}\" is no address to listen on"))
            .advise("Write an address and a port: --listen 127.0.0.1:7575")
    })?;
    let is_loopback = address.ip().is_loopback();
    if !is_loopback && tokens.is_empty()? {
        return Err(Problem::usage(format!(
            "{address} can be reached from other machines, so a token is needed"
        ))
        .advise("Add one with: fathom token add OWNER"));
    }
    let listening = http::listen(address).await?;
    screen::tell(&format!("Listening on http://{}", listening.address));
    if !host.store().is_durable() {
        screen::tell("The store is in memory: runs are gone when the service ends.");
    }
    let stop = CancellationToken::new();
    let figures = metrics::start()?;
    let traces = settings.traces_url.as_deref();
    let traces = traces
        .map(|address| Traces::start(address, settings.lookup("FATHOM_MODEL")))
        .transpose()?;
    let service = Arc::new(Service::new(
        host.clone(),
        settings,
        libraries,
        tokens,
        is_loopback,
        figures,
        stop.clone(),
    ));
    let workers = service.limits.workers;
    let serving = listening.serve(service);
    let working = host.work(workers, stop.clone(), |worked| {
        note(&host, traces.as_ref(), &worked);
    });
    let mut both = std::pin::pin!(futures::future::join(serving, working));
    let exit = tokio::select! {
        _ = &mut both => return Ok(Exit::Complete),
        exit = signals.next() => exit,
    };
    screen::tell("Stopping: runs under way are parked and go on when the service is back.");
    stop.cancel();
    // Whoever cannot wait leaves at once; the runs are free when their leases have lapsed.
    tokio::select! {
        _ = &mut both => {}
        _ = signals.next() => {}
    }
    if let Some(traces) = traces.clone() {
        traces.stop().await;
    }
    Ok(exit)
}

/// What the flags say about settings.
pub fn flags(args: ServeArgs) -> FlagValues {
    FlagValues::default()
        .table("serve")
        .flag("listen", "--listen", args.listen)
        .flag("workers", "--workers", args.workers)
        .flag("hosts", "--host", args.host)
}

/// Tells the log of a run that the background work has left, counts it and traces it.
pub(super) fn note(host: &Host, traces: Option<&Traces>, worked: &WorkedRun) {
    match worked {
        WorkedRun::Worked(run, outcome) => {
            let reason = outcome.reason.as_deref();
            tracing::info!(%run, status = %outcome.status, reason, "worked on a run");
            let (host, run) = (host.clone(), *run);
            let traces = traces.cloned();
            tokio::spawn(async move {
                metrics::count_run(&host, run).await;
                if let Some(traces) = traces {
                    traces.tell(&host, run).await;
                }
            });
        }
        WorkedRun::Skipped(skipped) => {
            tracing::debug!(run = %skipped.run, error = %skipped.error, "a run was not taken up");
        }
    }
}
