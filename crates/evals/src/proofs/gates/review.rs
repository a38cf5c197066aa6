//! The workflow with two gates: draft → review, which asks twice → deliver.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fathom_workflow::interrupt::{Answer, Ask};
use fathom_workflow::{Context, END, Graph, GraphError, InvalidUpdate, NodeResult, RunId, State};
use serde::{Deserialize, Serialize};

const DRAFT: &str = "draft";
pub(super) const REVIEW: &str = "review";
const DELIVER: &str = "deliver";
/// The first gate's key; the second's is the node's name.
pub(super) const PLAN: &str = "plan";
/// How long the second gate waits.
pub(super) const WITHIN: Duration = Duration::from_secs(3600);

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Review {
    pub(super) plan: Option<Answer>,
    pub(super) review: Option<Answer>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Update {
    Done,
    Reviewed(Box<[Answer; 2]>),
}

impl State for Review {
    type Update = Update;

    fn apply(&mut self, update: &Update) -> Result<(), InvalidUpdate> {
        if let Update::Reviewed(answers) = update {
            let [plan, review] = &**answers;
            self.plan = Some(plan.clone());
            self.review = Some(review.clone());
        }
        Ok(())
    }
}

/// Every call that was really made, by all engines together.
#[derive(Default)]
pub(super) struct Calls(Mutex<Vec<(RunId, String)>>);

impl Calls {
    fn make(&self, run: RunId, key: &str) {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls.push((run, key.to_owned()));
    }

    pub(super) fn made(&self, run: RunId, key: &str) -> usize {
        let calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |call: &&(RunId, String)| call.0 == run && call.1 == key;
        calls.iter().filter(same).count()
    }
}

pub(super) fn graph() -> Result<Graph<Review, Calls>, GraphError> {
    Graph::new("review")
        .node(DRAFT, draft)
        .node(REVIEW, review)
        .node(DELIVER, deliver)
        .start(DRAFT)
        .edge(DRAFT, REVIEW)
        .edge(REVIEW, DELIVER)
        .edge(DELIVER, END)
        .build()
}

async fn draft(_: &Review, ctx: &Context<Calls>) -> NodeResult<Review> {
    call(ctx, DRAFT).await?;
    Ok(Update::Done)
}

async fn review(_: &Review, ctx: &Context<Calls>) -> NodeResult<Review> {
    call(ctx, "read").await?;
    let plan = ctx.ask(PLAN, ask(None)).await?;
    let review = ctx.ask(REVIEW, ask(Some(WITHIN))).await?;
    Ok(Update::Reviewed(Box::new([plan, review])))
}

async fn deliver(_: &Review, ctx: &Context<Calls>) -> NodeResult<Review> {
    call(ctx, DELIVER).await?;
    Ok(Update::Done)
}

async fn call(ctx: &Context<Calls>, key: &str) -> Result<(), fathom_workflow::StepHalted> {
    ctx.effect(key, |_| async { ctx.deps().make(ctx.run(), key) })
        .await
}

fn ask(within: Option<Duration>) -> Ask {
    Ask {
        reason: "may it go on?".into(),
        show: serde_json::Value::Null,
        within,
    }
}
