//! The runs that are damaged: between them they fill every table and take every kind of record.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use fathom_workflow::event::Level;
use fathom_workflow::interrupt::{Answer, Ask, Decision, Verdict};
use fathom_workflow::record::{Status, StepKind, Tally};
use fathom_workflow::{
    BlobHash, Context, END, Engine, Graph, GraphError, InvalidUpdate, ManualClock, NewRun,
    NodeError, NodeResult, RunId, RuntimeSettings, State, Store,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::reading::{Digest, digest};

const WORK: &str = "work";
/// The workflow of every run in it.
pub(super) const WORKFLOW: &str = "notebook";

/// Enough for the engine to write a snapshot.
const LONG: usize = 270;
/// Over the size from which a body is kept apart.
const LARGE: usize = 270_000;
const PAGE: usize = 10_000;
const WITHIN: Duration = Duration::from_secs(3600);

/// What the nodes of a run do, one after the other.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Task {
    /// A few words.
    Jot,
    /// Calls, spends, logs.
    Call,
    /// A call whose answer is large.
    LargeCall,
    /// An update that is large.
    LargeNote,
    /// Bytes kept beside the log.
    Keep,
    Ask,
    Fail,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Notebook {
    tasks: Vec<Task>,
    notes: Vec<String>,
}

impl State for Notebook {
    type Update = String;

    fn apply(&mut self, note: &String) -> Result<(), InvalidUpdate> {
        self.notes.push(note.clone());
        Ok(())
    }
}

/// A store filled with runs, and what to look for in it.
pub(super) struct Specimen {
    pub(super) runs: Vec<RunId>,
    /// Bytes kept beside the log, with the run that kept them.
    pub(super) blobs: Vec<(RunId, BlobHash)>,
    /// Runs that wait or have not begun.
    pub(super) unfinished: Vec<RunId>,
}

/// Fills a store. The engine's clock stands still, so that nothing depends on how long it takes.
pub(super) async fn fill(store: Arc<dyn Store>) -> Result<Specimen> {
    let clock = Arc::new(ManualClock::at(Timestamp::from_second(1_770_000_000)?));
    let engine = engine_by(store, Arc::clone(&clock))?;
    let rich = [Task::Call, Task::LargeCall, Task::Keep, Task::Jot];
    let asks = [Task::Call, Task::Ask, Task::Jot];
    let completed = Status::Completed;
    let long = run(&engine, "long", &[Task::Jot; LONG], &completed).await?;
    let rich_run = run(&engine, "rich", &rich, &completed).await?;
    let failed = run(
        &engine,
        "failed",
        &[Task::Call, Task::Fail],
        &Status::Failed,
    )
    .await?;
    let noted = [Task::Keep, Task::LargeNote, Task::Jot];
    let large = run(&engine, "large", &noted, &completed).await?;
    let reopened = run(&engine, "reopened", &asks, &Status::Waiting).await?;
    clock.advance(WITHIN);
    engine.drive(reopened).await?;
    let late = Decision::new(Verdict::Modify, "a latecomer");
    engine.reopen(reopened, late).await?;
    engine.drive(reopened).await?;
    let waiting = run(&engine, "waiting", &asks, &Status::Waiting).await?;
    let young = engine
        .start(
            NewRun::titled("young"),
            notebook("young", &[Task::Call, Task::Keep]),
        )
        .await?
        .id();
    let kept = |name| BlobHash::from_content(&kept(name));
    Ok(Specimen {
        runs: vec![long, rich_run, failed, large, reopened, waiting, young],
        blobs: vec![(rich_run, kept("rich")), (large, kept("large"))],
        unfinished: vec![waiting, young],
    })
}

/// The state after every step, folded here and not by the engine.
pub(super) async fn history(store: &Arc<dyn Store>, run: RunId) -> Result<Vec<Digest>> {
    let (mut notebook, mut tally) = (notebook("", &[]), Tally::default());
    let mut states = Vec::new();
    for record in store.steps(run, 0, usize::MAX >> 1).await? {
        match (&record.meta.kind, &record.payload) {
            (StepKind::Base { .. }, Some(state)) => notebook = state.decode_owned()?,
            (StepKind::Update, Some(note)) => notebook.notes.push(note.decode_owned()?),
            (StepKind::Base { .. } | StepKind::Update, None) | (StepKind::Cut(_), _) => {}
        }
        tally.count(&record.meta);
        states.push(digest(&(&notebook, &tally, &record.meta.next)));
    }
    Ok(states)
}

/// Begins a new run and ends it.
pub(super) async fn another(store: &Arc<dyn Store>) -> Result<()> {
    let engine = engine(Arc::clone(store))?;
    let tasks = [Task::Call, Task::Keep, Task::Jot];
    let run = run(&engine, "another", &tasks, &Status::Completed).await?;
    let notes = engine.view(run, None).await?.state.notes.len();
    ensure!(notes == 4, "it has {notes} notes, not 4");
    Ok(())
}

/// An engine to read the specimen with, or to go on with it.
pub(super) fn engine(store: Arc<dyn Store>) -> Result<Engine<Notebook, ()>> {
    let long_after = Timestamp::from_second(1_770_000_000)? + 2 * WITHIN;
    engine_by(store, Arc::new(ManualClock::at(long_after)))
}

fn engine_by(store: Arc<dyn Store>, clock: Arc<ManualClock>) -> Result<Engine<Notebook, ()>> {
    let settings = RuntimeSettings {
        // The young run's creator is gone at once, and nobody is to wait for its lease.
        lease: Duration::ZERO,
        take_up_after: Duration::ZERO,
        ..RuntimeSettings::default()
    };
    Ok(Engine::with(graph()?, store, Arc::new(()), clock, settings))
}

async fn run(
    engine: &Engine<Notebook, ()>,
    name: &str,
    tasks: &[Task],
    ends: &Status,
) -> Result<RunId> {
    let mut execution = engine
        .start(NewRun::titled(name), notebook(name, tasks))
        .await?;
    let outcome = execution.run().await?;
    ensure!(outcome.status == *ends, "the {name} run ended {outcome:?}");
    Ok(execution.id())
}

fn notebook(name: &str, tasks: &[Task]) -> Notebook {
    Notebook {
        tasks: tasks.to_vec(),
        notes: vec![name.to_owned()],
    }
}

fn graph() -> Result<Graph<Notebook, ()>, GraphError> {
    Graph::new(WORKFLOW)
        .node(WORK, work)
        .start(WORK)
        .route(WORK, [WORK, END], |notebook: &Notebook| {
            if notebook.notes.len() > notebook.tasks.len() {
                END
            } else {
                WORK
            }
        })
        .at_most(LONG as u32, WORK, WORK, END)
        .build()
}

async fn work(notebook: &Notebook, ctx: &Context<()>) -> NodeResult<Notebook> {
    let done = notebook.notes.len() - 1;
    let name = format!("{} {done}", notebook.notes[0]);
    match notebook.tasks[done] {
        Task::Jot => Ok(name),
        Task::Call => {
            let mut answers = Vec::new();
            for query in 0..3 {
                let answer = format!("answer {query} to {name}");
                answers.push(
                    ctx.effect(format!("query {query}"), |call| async move {
                        call.spend("tokens", 17);
                        answer
                    })
                    .await?,
                );
            }
            ctx.log(Level::Info, "three queries answered");
            Ok(answers.join("; "))
        }
        Task::LargeCall => {
            let text = ctx.effect("page", |_| async { text(&name, LARGE) }).await?;
            Ok(format!("{} characters", text.len()))
        }
        Task::LargeNote => Ok(text(&name, LARGE)),
        Task::Keep => Ok(ctx.keep(kept(&notebook.notes[0])).to_string()),
        Task::Ask => {
            let ask = Ask {
                reason: "may it go on?".into(),
                show: serde_json::json!({ "so far": done }),
                within: Some(WITHIN),
            };
            match ctx.ask("gate", ask).await? {
                Answer::Decided { decision, .. } => Ok(format!("decided by {}", decision.by)),
                Answer::TimedOut { .. } => Ok("nobody came".into()),
            }
        }
        Task::Fail => Err(NodeError::new("it was to fail")),
    }
}

/// Text in which no two parts are equal, so that a moved page is a changed one.
fn text(name: &str, length: usize) -> String {
    let mut text = String::with_capacity(length + 64);
    for line in 0.. {
        if text.len() >= length {
            break;
        }
        text.push_str(&format!("line {line} of {name}\n"));
    }
    text
}

fn kept(name: &str) -> Vec<u8> {
    text(&format!("the page kept by {name}"), PAGE).into_bytes()
}
