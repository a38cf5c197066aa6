//! State is the fold of the log.

use std::sync::Arc;

use crate::record::{Loaded, RunTally, Snapshot, StepKind};
use crate::{Error, State};

/// Folds what was loaded, up to the last good record.
pub(crate) fn fold<S: State>(loaded: &Loaded) -> Result<(S, RunTally), Error> {
    let Snapshot { state, tally, .. } = &loaded.from;
    let (mut state, mut tally) = (state.decode_owned::<S>()?, tally.clone());
    for record in &loaded.records {
        match (&record.meta.kind, &record.payload) {
            (StepKind::Base { .. }, Some(payload)) => state = payload.decode_owned()?,
            (StepKind::Update, Some(payload)) => {
                let update: Arc<S::Update> = payload.decode()?;
                state
                    .apply(&update)
                    .map_err(|invalid| Error::InvalidUpdate {
                        node: record.meta.node.to_string(),
                        why: invalid.0,
                    })?;
            }
            (StepKind::Cut(_), _) => {}
            (StepKind::Base { .. } | StepKind::Update, None) => {
                return Err(Error::StoreDamaged {
                    what: format!("step {}", record.meta.step),
                    why: "it has no body".into(),
                });
            }
        }
        tally.count(&record.meta);
    }
    Ok((state, tally))
}

/// Folds a run that must be whole to go on.
pub(crate) fn whole<S: State>(loaded: Loaded) -> Result<(S, RunTally), Error> {
    match loaded.damage {
        Some(damage) => Err(Error::Damaged {
            run: loaded.run.id(),
            damage,
        }),
        None => fold(&loaded),
    }
}
