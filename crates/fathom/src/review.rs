//! A person's decision on a run, in time or late, from wherever it comes.

use fathom_workflow::interrupt::Decision;
use fathom_workflow::record::Status;
use fathom_workflow::{Error, Host, RunId};

/// How a decision was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decided {
    /// At the gate, while it stood open.
    InTime,
    /// After its deadline: the run returns to the gate with it.
    Late,
}

/// Answers the question that a run asks. `asked` is the gate that the person has seen, by step and key; without it the
/// open one is meant.
pub async fn decide(
    host: &Host,
    run: RunId,
    asked: Option<(u64, String)>,
    decision: Decision,
) -> Result<Decided, Error> {
    // Edits for a gate whose time has passed are checked when the run is back there.
    if let Some(edits) = &decision.edits
        && host.header(run).await?.head.status == Status::Waiting
    {
        host.check_edits(run, edits).await?;
    }
    let taken = match (host.gate(run).await, asked) {
        (Ok(open), Some((step, key))) if (open.step, &open.key) != (step, &key) => {
            let why = format!("it asks at the gate \"{}\" of step {}", open.key, open.step);
            return Err(Error::GateClosed { run, why });
        }
        (Ok(open), _) => host.decide(&open, decision.clone()).await,
        (Err(error), _) => Err(error),
    };
    let why = match taken {
        Ok(()) => return Ok(Decided::InTime),
        Err(why @ (Error::GateClosed { .. } | Error::NotWaiting { .. })) => why,
        Err(error) => return Err(error),
    };
    match host.reopen(run, decision).await {
        Ok(()) => Ok(Decided::Late),
        // No gate was missed, so what was said first is what matters.
        Err(Error::GateClosed { .. } | Error::NotWaiting { .. }) => Err(why),
        Err(error) => Err(error),
    }
}
