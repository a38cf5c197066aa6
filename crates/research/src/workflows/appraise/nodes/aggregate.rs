//! Judges the whole and hands the appraisal over.

use std::sync::Arc;

use fathom_workflow::NodeResult;

use super::super::outcome::appraisal;
use super::super::state::{State, Update};
use crate::reasoner::Ctx;

pub(crate) async fn aggregate(state: &State, ctx: &Ctx) -> NodeResult<State> {
    Ok(Update::Appraised(Arc::new(appraisal(state, ctx.now()))))
}
