//! Replies about runs that have ended, as they were last sent: clients ask for them again and again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use axum::body::Bytes;
use fathom_workflow::RunId;
use fathom_workflow::record::RunHeader;

use super::error::{ApiError, ApiResult};
use super::wire::RunDetail;

/// Runs whose reply is kept. When there are more, all are made anew.
const REPLIES_MAX: usize = 1_000;

/// The replies that were made, by their run.
#[derive(Default)]
pub struct RunReplies(Mutex<HashMap<RunId, KeptReply>>);

struct KeptReply {
    /// What the run was then. A run that was deleted may come again under its id, so all of it is compared.
    run: RunHeader,
    reply: Bytes,
}

impl RunReplies {
    /// What was sent about a run, if nothing has changed since its header was read.
    pub fn get(&self, run: &RunHeader) -> Option<Bytes> {
        let shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |shown: &&KeptReply| shown.run == *run;
        let shown = shown.get(&run.id()).filter(same);
        shown.map(|shown| shown.reply.clone())
    }

    /// The reply about a run, which is kept if the run has ended.
    pub fn put(&self, run: &RunHeader, detail: &RunDetail) -> ApiResult<Bytes> {
        let reply: Bytes = serde_json::to_vec(detail)
            .map_err(ApiError::internal)?
            .into();
        if run.head.status.is_finished() {
            let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if shown.len() >= REPLIES_MAX {
                shown.clear();
            }
            let kept = KeptReply {
                run: run.clone(),
                reply: reply.clone(),
            };
            shown.insert(run.id(), kept);
        }
        Ok(reply)
    }
}
