//! A workflow as the host sees it: JSON in, JSON out, whatever its types.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde::Serialize;
use serde_json::Value;

use super::{Definition, FirstState, edits};
use crate::interrupt::Decision;
use crate::runtime::Runtime;
use crate::{
    Engine, Error, Execution, NewRun, NodeName, Outline, Progress, ReplayReport, RunId, RunView,
    State,
};

/// A workflow behind JSON. Authors write a [`Definition`]; this is what the host makes of it.
#[async_trait]
pub trait Workflow: Send + Sync + 'static {
    /// The name that its runs are stored under.
    fn name(&self) -> NodeName;

    /// The version of the state that this program writes; newer ones are refused.
    fn version(&self) -> u32;

    /// The JSON schema of what a run is started with.
    fn input_schema(&self) -> &Value;

    /// The kind of what its runs bring: see [`Definition::outcome_kind`].
    fn outcome_kind(&self) -> &'static str;

    /// Its nodes and edges, to draw.
    fn outline(&self) -> Outline;

    /// Commits a new run. A title or time limit that `new` leaves out is the workflow's own.
    async fn start(&self, new: NewRun, input: Value) -> Result<Box<dyn OpenRun>, Error>;

    /// Takes a run up where its log ends: see [`Engine::open`].
    async fn open(&self, run: RunId) -> Result<Box<dyn OpenRun>, Error>;

    /// Takes a run up for a person: see [`Engine::resume`].
    async fn resume(&self, run: RunId) -> Result<Box<dyn OpenRun>, Error>;

    /// The state at a step, or at the last good one.
    async fn view(&self, run: RunId, at: Option<u64>) -> Result<RunView<Value>, Error>;

    /// What the run has brought, if it has brought anything yet.
    async fn outcome(&self, run: RunId) -> Result<Option<Value>, Error>;

    /// The state at the last good step, with what the run has brought, from one look at its log.
    async fn view_with_outcome(&self, run: RunId)
    -> Result<(RunView<Value>, Option<Value>), Error>;

    /// Asks a run to stop: see [`Engine::cancel`].
    async fn cancel(&self, run: RunId) -> Result<bool, Error>;

    /// Takes a decision that came after its gate's deadline.
    async fn reopen(&self, run: RunId, decision: Decision) -> Result<(), Error>;

    /// A new run that goes on from a step of another, with parts of its state changed.
    async fn fork(
        &self,
        run: RunId,
        at: u64,
        new: NewRun,
        edits: Option<Value>,
    ) -> Result<Box<dyn OpenRun>, Error>;

    /// Runs every recorded step again from the journal alone.
    async fn replay(&self, run: RunId) -> Result<ReplayReport<Value>, Error>;

    /// What a person may edit in the run as it stands; `None` if nothing.
    async fn editable(&self, run: RunId) -> Result<Option<Value>, Error>;

    /// Whether edits fit what a person may edit.
    async fn check_edits(&self, run: RunId, edits: &Value) -> Result<(), Error>;
}

/// A run that this process holds, whatever its state's type.
#[async_trait]
pub trait OpenRun: Send {
    /// Takes one step: see [`Execution::advance`].
    async fn advance(&mut self) -> Result<Progress, Error>;

    /// Says whether somebody works on the run: see [`Execution::set_idle`].
    fn set_idle(&mut self, idle: bool);

    /// Gives the run up unfinished: see [`Execution::release`].
    async fn release(&mut self);
}

#[async_trait]
impl<S: State, D: Send + Sync + 'static> OpenRun for Execution<S, D> {
    async fn advance(&mut self) -> Result<Progress, Error> {
        Execution::advance(self).await
    }

    fn set_idle(&mut self, idle: bool) {
        Execution::set_idle(self, idle);
    }

    async fn release(&mut self) {
        Execution::release(self).await;
    }
}

/// Makes a typed workflow speak JSON.
pub(super) fn typed<W: Definition>(
    runtime: &Arc<Runtime>,
    definition: W,
    deps: Arc<W::Deps>,
) -> Result<Arc<dyn Workflow>, Error> {
    let engine = Engine::on(Arc::clone(runtime), definition.graph()?, deps);
    let input_schema = schemars::schema_for!(W::Input).to_value();
    Ok(Arc::new(TypedWorkflow {
        engine,
        definition,
        input_schema,
    }))
}

/// A definition with the engine that runs it.
struct TypedWorkflow<W: Definition> {
    engine: Engine<W::State, W::Deps>,
    definition: W,
    input_schema: Value,
}

fn json<T: Serialize>(value: &T) -> Result<Value, Error> {
    serde_json::to_value(value).map_err(|source| Error::Encode { source })
}

fn in_json<S: Serialize>(view: RunView<S>) -> Result<RunView<Value>, Error> {
    Ok(RunView {
        state: json(&view.state)?,
        run: view.run,
        step: view.step,
        tally: view.tally,
        next: view.next,
        damage: view.damage,
    })
}

/// A new run with the title and time limit that its caller left out.
fn completed(mut new: NewRun, title: String, time_limit: Option<Duration>) -> NewRun {
    if new.title.is_empty() {
        new.title = title;
    }
    new.time_limit = new.time_limit.or(time_limit);
    new
}

impl<W: Definition> TypedWorkflow<W> {
    fn check_ready(&self, state: &W::State) -> Result<(), Error> {
        let ready = self.definition.check_ready(state, self.engine.deps());
        ready.map_err(|why| Error::NotReady { why })
    }

    /// Gives a run up again that this process cannot work on.
    async fn ready(
        &self,
        mut execution: Execution<W::State, W::Deps>,
    ) -> Result<Box<dyn OpenRun>, Error> {
        match self.check_ready(execution.state()) {
            Ok(()) => Ok(Box::new(execution)),
            Err(error) => {
                execution.release().await;
                Err(error)
            }
        }
    }

    async fn state(&self, run: RunId) -> Result<W::State, Error> {
        Ok(self.engine.view(run, None).await?.state)
    }
}

#[async_trait]
impl<W: Definition> Workflow for TypedWorkflow<W> {
    fn name(&self) -> NodeName {
        self.engine.graph().name()
    }

    fn version(&self) -> u32 {
        self.engine.graph().version()
    }

    fn input_schema(&self) -> &Value {
        &self.input_schema
    }

    fn outcome_kind(&self) -> &'static str {
        self.definition.outcome_kind()
    }

    fn outline(&self) -> Outline {
        self.engine.graph().outline()
    }

    async fn start(&self, new: NewRun, input: Value) -> Result<Box<dyn OpenRun>, Error> {
        let input: W::Input = edits::read_input(input)?;
        let now = self.engine.runtime().clock().now();
        let FirstState {
            title,
            state,
            time_limit,
        } = self.definition.begin(input, self.engine.deps(), now)?;
        self.check_ready(&state)?;
        let new = completed(new, title, time_limit);
        Ok(Box::new(self.engine.start(new, state).await?))
    }

    async fn open(&self, run: RunId) -> Result<Box<dyn OpenRun>, Error> {
        self.ready(self.engine.open(run).await?).await
    }

    async fn resume(&self, run: RunId) -> Result<Box<dyn OpenRun>, Error> {
        self.check_ready(&self.state(run).await?)?;
        Ok(Box::new(self.engine.resume(run).await?))
    }

    async fn view(&self, run: RunId, at: Option<u64>) -> Result<RunView<Value>, Error> {
        in_json(self.engine.view(run, at).await?)
    }

    async fn outcome(&self, run: RunId) -> Result<Option<Value>, Error> {
        Ok(self.definition.outcome(&self.state(run).await?))
    }

    async fn view_with_outcome(
        &self,
        run: RunId,
    ) -> Result<(RunView<Value>, Option<Value>), Error> {
        let view = self.engine.view(run, None).await?;
        let outcome = self.definition.outcome(&view.state);
        Ok((in_json(view)?, outcome))
    }

    async fn cancel(&self, run: RunId) -> Result<bool, Error> {
        self.engine.cancel(run).await
    }

    async fn reopen(&self, run: RunId, decision: Decision) -> Result<(), Error> {
        self.engine.reopen(run, decision).await
    }

    async fn fork(
        &self,
        run: RunId,
        at: u64,
        new: NewRun,
        edits: Option<Value>,
    ) -> Result<Box<dyn OpenRun>, Error> {
        let origin = self.engine.view(run, Some(at)).await?;
        let edited = match edits {
            Some(edits) => Some(self.definition.edit_state(&origin.state, &edits)?),
            None => None,
        };
        self.check_ready(edited.as_ref().unwrap_or(&origin.state))?;
        let about = origin.run.about;
        let new = completed(new, about.title, about.time_limit);
        let edit = |state: &mut W::State| {
            if let Some(edited) = edited {
                *state = edited;
            }
        };
        Ok(Box::new(self.engine.fork(run, at, new, edit).await?))
    }

    async fn replay(&self, run: RunId) -> Result<ReplayReport<Value>, Error> {
        let replayed = self.engine.replay(run).await?;
        Ok(ReplayReport {
            steps: replayed.steps,
            answers: replayed.answers,
            state: json(&replayed.state)?,
        })
    }

    async fn editable(&self, run: RunId) -> Result<Option<Value>, Error> {
        Ok(self.definition.editable(&self.state(run).await?))
    }

    async fn check_edits(&self, run: RunId, edits: &Value) -> Result<(), Error> {
        let state = self.state(run).await?;
        Ok(self.definition.check_edits(&state, edits)?)
    }
}
