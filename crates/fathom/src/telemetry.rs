//! Log lines for who looks for a fault: to standard error, chosen by FATHOM_LOG, off unless set.

use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::exit::{Problem, Result};

const VARIABLE: &str = "FATHOM_LOG";

/// How lines are written: `text`, or `json` for programs.
const FORMAT: &str = "FATHOM_LOG_FORMAT";

/// Starts logging as FATHOM_LOG says: `debug`, or `fathom_store=trace,warn`.
pub fn start() -> Result<()> {
    let Some(wanted) = std::env::var(VARIABLE).ok().filter(|text| !text.is_empty()) else {
        return Ok(());
    };
    let targets: Targets = wanted.parse().map_err(|_| {
        Problem::usage(format!(
            "{VARIABLE} is set to \"{wanted}\", which is no log filter"
        ))
        .advise("Write a level (error, warn, info, debug, trace), or fathom_store=debug,warn")
    })?;
    let format = std::env::var(FORMAT).unwrap_or_default();
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_writer(std::io::stderr);
    let lines = match format.as_str() {
        "json" => lines.json().flatten_event(true).boxed(),
        "" | "text" => lines.boxed(),
        other => {
            return Err(Problem::usage(format!(
                "{FORMAT} is set to \"{other}\"; choose text or json"
            )));
        }
    };
    // A second start, in a test, finds the first one's.
    let _ = tracing_subscriber::registry()
        .with(targets)
        .with(lines)
        .try_init();
    Ok(())
}
