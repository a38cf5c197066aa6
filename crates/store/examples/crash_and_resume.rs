//! A run that dies in the middle and goes on, repeating nothing that was recorded.
//!
//! `cargo run --example crash_and_resume -p fathom-store`
//!
//! The program starts itself as a second process, which begins a small research run in a SQLite
//! file and aborts in the middle of its search. Then this process takes the run up. Every outside
//! call is noted in a file as it is made, so the two can be counted together.

#![allow(clippy::print_stdout, reason = "it shows what happens")]

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use fathom_store::Sqlite;
use fathom_workflow::event::EventKind;
use fathom_workflow::{
    Context, END, Engine, Error, Execution, Graph, InvalidUpdate, NewRun, NodeError, NodeResult,
    RunId, RuntimeSettings, State, SystemClock, fan_out,
};
use futures::TryStreamExt;
use serde::{Deserialize, Serialize};

const PLAN: &str = "plan";
const SEARCH: &str = "search";
const WRITE: &str = "write";

const QUERIES: [&str; 4] = ["tides", "moon", "sun", "storms"];

/// The first process dies after so many searches.
const SEARCHES_BEFORE_THE_CRASH: usize = 3;

#[derive(Default, Serialize, Deserialize)]
struct EssayState {
    queries: Vec<String>,
    found: Vec<String>,
    text: String,
}

#[derive(Serialize, Deserialize)]
enum EssayUpdate {
    Planned(Vec<String>),
    Found(Vec<String>),
    Written(String),
}

impl State for EssayState {
    type Update = EssayUpdate;

    fn apply(&mut self, update: &EssayUpdate) -> Result<(), InvalidUpdate> {
        match update {
            EssayUpdate::Planned(queries) => self.queries.clone_from(queries),
            EssayUpdate::Found(found) => self.found.extend_from_slice(found),
            EssayUpdate::Written(text) => self.text.clone_from(text),
        }
        Ok(())
    }
}

/// The outside world: it notes every call, and may end the process after some.
struct CrashingWorld {
    notes: PathBuf,
    crash_after: Option<usize>,
}

impl CrashingWorld {
    fn call(&self, what: &str) -> Result<String, String> {
        self.noted(what).map_err(|error| error.to_string())
    }

    fn noted(&self, what: &str) -> Result<String, std::io::Error> {
        let mut notes = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.notes)?;
        writeln!(notes, "{what}")?;
        if self.crash_after == Some(calls(&self.notes).len()) {
            println!("    … the process dies while \"{what}\" is under way");
            std::process::abort();
        }
        Ok(format!("what is known of {what}"))
    }
}

/// Makes a call whose answer is recorded.
async fn asked(ctx: &Context<CrashingWorld>, what: &str) -> Result<String, NodeError> {
    let answer = ctx.effect(what, |_| async { ctx.deps().call(what) });
    answer.await?.map_err(NodeError::new)
}

async fn plan(_: &EssayState, ctx: &Context<CrashingWorld>) -> NodeResult<EssayState> {
    asked(ctx, "outline").await?;
    Ok(EssayUpdate::Planned(QUERIES.map(String::from).to_vec()))
}

async fn search(state: &EssayState, ctx: &Context<CrashingWorld>) -> NodeResult<EssayState> {
    // One at a time, so that it is plain which answers had been stored at the crash.
    let found = fan_out(&state.queries, 1, |query| asked(ctx, query)).await;
    Ok(EssayUpdate::Found(
        found.into_iter().collect::<Result<_, NodeError>>()?,
    ))
}

async fn write(state: &EssayState, ctx: &Context<CrashingWorld>) -> NodeResult<EssayState> {
    asked(ctx, "prose").await?;
    Ok(EssayUpdate::Written(state.found.join("; ")))
}

fn engine(
    folder: &Path,
    crash_after: Option<usize>,
) -> Result<Engine<EssayState, CrashingWorld>, Error> {
    let graph = Graph::new("essay")
        .node(PLAN, plan)
        .node(SEARCH, search)
        .node(WRITE, write)
        .start(PLAN)
        .edge(PLAN, SEARCH)
        .edge(SEARCH, WRITE)
        .edge(WRITE, END)
        .build()?;
    let store = Arc::new(Sqlite::open(folder.join("runs.db"))?);
    let world = Arc::new(CrashingWorld {
        notes: folder.join("calls.txt"),
        crash_after,
    });
    // A dead process keeps its runs until their lease has lapsed; here nobody wants to wait long.
    let settings = RuntimeSettings {
        lease: Duration::from_millis(500),
        ..RuntimeSettings::default()
    };
    Ok(Engine::with(
        graph,
        store,
        world,
        Arc::new(SystemClock),
        settings,
    ))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [folder, run] = words.as_slice() {
        return begin(Path::new(folder), run.parse()?).await;
    }
    let folder = tempfile::tempdir()?;
    let run = RunId::new();
    println!("1.  Another process begins run {run}.");
    let died = Command::new(std::env::current_exe()?)
        .arg(folder.path())
        .arg(run.to_string())
        .status()?;
    println!("    It ended with: {died}.\n");
    resume(folder.path(), run).await
}

async fn begin(folder: &Path, id: RunId) -> Result<(), Box<dyn std::error::Error>> {
    let calls_before_the_crash = 1 + SEARCHES_BEFORE_THE_CRASH;
    let engine = engine(folder, Some(calls_before_the_crash))?;
    let new = NewRun {
        id,
        ..NewRun::titled("What moves the sea?")
    };
    engine
        .start(new, EssayState::default())
        .await?
        .run()
        .await?;
    Ok(())
}

async fn resume(folder: &Path, run: RunId) -> Result<(), Box<dyn std::error::Error>> {
    let before = calls(&folder.join("calls.txt"));
    println!("2.  Outside calls it made: {}", before.join(", "));
    let engine = engine(folder, None)?;
    let head = engine.header(run).await?.head;
    println!(
        "    Recorded: {} step(s), and {} answers of the next.\n",
        head.step, head.entries
    );

    println!("3.  This process takes the run up.");
    let mut execution = open_when_free(&engine, run).await?;
    let outcome = execution.run().await?;
    let all = calls(&folder.join("calls.txt"));
    println!(
        "    Outside calls made now: {}",
        all[before.len()..].join(", ")
    );
    let kept: Vec<&String> = before
        .iter()
        .filter(|call| times(&all, call) == 1)
        .collect();
    println!("    Not repeated: {kept:?}");
    println!(
        "    It is {}: {:?}\n",
        outcome.status,
        execution.state().text
    );

    println!("4.  Replayed from the journal, with no outside call:");
    let replayed = engine.replay(run).await?;
    println!(
        "    {} steps, {} answers, the same state.",
        replayed.steps, replayed.answers
    );
    let events: Vec<_> = engine.runtime().events(run, 0).try_collect().await?;
    let resumed = events.iter().find_map(|event| match &event.kind {
        EventKind::RunResumed { step, attempt, .. } => Some((step, attempt)),
        _ => None,
    });
    if let Some((step, attempt)) = resumed {
        let told = events.len();
        println!("    Its {told} events tell of the crash: step {step} was begun {attempt} times.");
    }
    Ok(())
}

/// Waits for the dead process's lease to lapse.
async fn open_when_free(
    engine: &Engine<EssayState, CrashingWorld>,
    run: RunId,
) -> Result<Execution<EssayState, CrashingWorld>, Error> {
    for _ in 0..50 {
        match engine.open(run).await {
            Err(Error::Held { .. }) => tokio::time::sleep(Duration::from_millis(100)).await,
            opened => return opened,
        }
    }
    engine.open(run).await
}

fn calls(notes: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(notes).unwrap_or_default();
    text.lines().map(String::from).collect()
}

fn times(calls: &[String], call: &str) -> usize {
    calls.iter().filter(|made| *made == call).count()
}
