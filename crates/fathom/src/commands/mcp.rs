//! `fathom mcp`: the tools and resources for one MCP client, over standard input and output.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{RunsContext, serve};
use crate::cli::McpArgs;
use crate::exit::{Exit, Result};
use crate::http::{Service, metrics};
use crate::mcp;
use crate::settings::FlagValues;
use crate::signals::Signals;
use crate::tokens::TokenBook;

pub async fn run(context: RunsContext) -> Result<Exit> {
    let RunsContext {
        settings,
        host,
        libraries,
    } = context;
    let mut signals = Signals::listen()?;
    let tokens = TokenBook::open(&settings.home)?;
    let stop = CancellationToken::new();
    let figures = metrics::start()?;
    let service = Service::new(
        host.clone(),
        settings,
        libraries,
        tokens,
        true,
        figures,
        stop.clone(),
    );
    let workers = service.limits.workers;
    let serving = mcp::serve_stdio(Arc::new(service));
    let working = host.work(workers, stop.clone(), |worked| {
        serve::note(&host, None, &worked)
    });
    let mut working = std::pin::pin!(working);
    let ended = tokio::select! {
        served = serving => served.map(|()| Exit::Complete),
        _ = &mut working => Ok(Exit::Complete),
        exit = signals.next() => Ok(exit),
    };
    stop.cancel();
    // Runs under way are parked; who starts the program again goes on with them.
    tokio::select! {
        _ = &mut working => {}
        _ = signals.next() => {}
    }
    ended
}

/// What the flags say about settings.
pub fn flags(args: McpArgs) -> FlagValues {
    let library = args.library;
    let tables = ["report", "answer", "ask"].into_iter();
    tables.fold(FlagValues::default(), |flags, table| {
        flags.table(table).flag("library", "--library", &library)
    })
}
