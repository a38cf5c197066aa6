//! A database that an earlier version wrote must be opened, listed, shown and resumed by every later one.
//!
//! `fixtures/format-1.db` was written by the ignored test at the end of this file, with the first version of
//! the format. It is never written anew: when the format changes, a new generator writes `format-2.db` beside it,
//! and the tests below run on both. To write a fixture for the first time:
//! `cargo nextest run -p fathom-store --test stored_format --run-ignored only`.

#![expect(clippy::unwrap_used, reason = "tests: a broken promise panics")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fathom_store::Sqlite;
use fathom_workflow::interrupt::{Ask, Decision, Verdict};
use fathom_workflow::journal::RunFilter;
use fathom_workflow::record::Status;
use fathom_workflow::{
    Context, END, Engine, Error, Graph, InvalidUpdate, NewRun, NodeError, NodeResult, RunId, State,
    Store,
};
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

const FINISHED: &str = "018f0000-0000-7000-8000-000000000001";
const WAITING: &str = "018f0000-0000-7000-8000-000000000002";
const CUT: &str = "018f0000-0000-7000-8000-000000000003";
const FAILED: &str = "018f0000-0000-7000-8000-000000000004";
/// As [`CUT`], with fields in its records that this version does not know.
const WITH_MORE_FIELDS: &str = "018f0000-0000-7000-8000-000000000005";

const TEXT: &str = "the first answer; the second answer";

#[derive(Debug, Default, Serialize, Deserialize)]
struct Essay {
    /// Whether somebody is asked before the text is written.
    asks: bool,
    answers: Vec<String>,
    approved: bool,
    text: String,
}

#[derive(Serialize, Deserialize)]
enum Update {
    Gathered(Vec<String>),
    Approved,
    Written(String),
}

impl State for Essay {
    type Update = Update;

    fn apply(&mut self, update: &Update) -> Result<(), InvalidUpdate> {
        match update {
            Update::Gathered(answers) => self.answers.clone_from(answers),
            Update::Approved => self.approved = true,
            Update::Written(text) => self.text.clone_from(text),
        }
        Ok(())
    }
}

/// The outside world, and what is to go wrong in it.
#[derive(Default)]
struct World {
    /// The second call never ends.
    stalls: bool,
    /// Nothing can be written.
    fails: bool,
    /// How often the first call was made.
    first_calls: AtomicUsize,
}

async fn gather(_: &Essay, ctx: &Context<World>) -> NodeResult<Essay> {
    let world = ctx.deps();
    let first = ctx.effect("first", |_| async {
        world.first_calls.fetch_add(1, Ordering::Relaxed);
        "the first answer".to_owned()
    });
    let first = first.await?;
    let second = ctx.effect("second", |_| async {
        if world.stalls {
            std::future::pending::<()>().await;
        }
        "the second answer".to_owned()
    });
    Ok(Update::Gathered(vec![first, second.await?]))
}

async fn approve(essay: &Essay, ctx: &Context<World>) -> NodeResult<Essay> {
    if essay.asks {
        let ask = Ask {
            reason: "Shall it be written?".into(),
            show: serde_json::json!({ "answers": essay.answers }),
            within: None,
        };
        ctx.ask("approval", ask).await?;
    }
    Ok(Update::Approved)
}

async fn write(essay: &Essay, ctx: &Context<World>) -> NodeResult<Essay> {
    if ctx.deps().fails {
        return Err(NodeError::new("there is no ink"));
    }
    ctx.keep(*b"a page that was read");
    Ok(Update::Written(essay.answers.join("; ")))
}

fn engine(path: &Path, world: World) -> (Engine<Essay, World>, Arc<World>) {
    let graph = Graph::new("essay")
        .node("gather", gather)
        .node("approve", approve)
        .node("write", write)
        .start("gather")
        .edge("gather", "approve")
        .edge("approve", "write")
        .edge("write", END)
        .build()
        .unwrap();
    let world = Arc::new(world);
    let store: Arc<dyn Store> = Arc::new(Sqlite::open(path).unwrap());
    (Engine::new(graph, store, Arc::clone(&world)), world)
}

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/format-1.db")
}

/// A copy of the fixture that may be written to; it goes with the folder.
fn copy() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    std::fs::copy(fixture(), &path).unwrap();
    (folder, path)
}

fn id(run: &str) -> RunId {
    run.parse().unwrap()
}

/// Resumes a run and checks that it comes to its end as if nothing had happened.
async fn resume(engine: &Engine<Essay, World>, run: &str) {
    let mut execution = engine.resume(id(run)).await.unwrap();
    let outcome = execution.run().await.unwrap();
    assert_eq!(outcome.status, Status::Completed, "{outcome:?}");
    assert_eq!(execution.state().text, TEXT);
}

#[tokio::test]
async fn every_run_is_listed_and_shown() {
    let (_folder, path) = copy();
    let (engine, _) = engine(&path, World::default());
    let page = engine.store().list(&RunFilter::default()).await.unwrap();
    assert_eq!(page.damaged, Vec::<String>::new());
    let mut listed: Vec<(String, String, u64)> = page
        .runs
        .iter()
        .map(|run| {
            let (id, status) = (run.id().to_string(), run.head.status.to_string());
            (id, status, run.head.step)
        })
        .collect();
    listed.sort();
    let expected = [
        (FINISHED, "completed", 3),
        (WAITING, "waiting", 1),
        (CUT, "running", 0),
        (FAILED, "failed", 2),
        (WITH_MORE_FIELDS, "running", 0),
    ];
    let expected = expected.map(|(id, status, step)| (id.to_owned(), status.to_owned(), step));
    assert_eq!(listed, expected);
    for (run, _, last) in &listed {
        for step in 0..=*last {
            let view = engine.view(id(run), Some(step)).await.unwrap();
            assert_eq!((view.step, view.damage), (step, None));
        }
        let events = engine.store().events(id(run), 0, usize::MAX).await.unwrap();
        assert!(!events.is_empty());
        let entries = engine.store().entries(id(run), 1).await.unwrap();
        assert!(entries.iter().any(|entry| entry.meta.key == "first"));
    }
}

#[tokio::test]
async fn a_finished_run_is_replayed_with_what_it_kept() {
    let (_folder, path) = copy();
    let (engine, world) = engine(&path, World::default());
    let replayed = engine.replay(id(FINISHED)).await.unwrap();
    assert_eq!((replayed.steps, replayed.state.text.as_str()), (3, TEXT));
    assert_eq!(world.first_calls.load(Ordering::Relaxed), 0);
    let hash = fathom_workflow::BlobHash::from_content(b"a page that was read");
    let page = engine.store().blob(hash).await.unwrap();
    assert_eq!(page.as_deref(), Some(&b"a page that was read"[..]));
}

#[tokio::test]
async fn a_run_at_a_gate_takes_an_answer_and_goes_on() {
    let (_folder, path) = copy();
    let (engine, _) = engine(&path, World::default());
    let gate = engine.gate(id(WAITING)).await.unwrap();
    assert_eq!(gate.interrupt.reason, "Shall it be written?");
    let decision = Decision::new(Verdict::Approve, "a person");
    engine.decide(&gate, decision).await.unwrap();
    resume(&engine, WAITING).await;
}

#[tokio::test]
async fn a_run_that_was_cut_goes_on_and_repeats_no_recorded_call() {
    for run in [CUT, WITH_MORE_FIELDS] {
        let (_folder, path) = copy();
        let (engine, world) = engine(&path, World::default());
        resume(&engine, run).await;
        assert_eq!(world.first_calls.load(Ordering::Relaxed), 0);
    }
}

#[tokio::test]
async fn a_failed_run_says_why_and_is_resumed() {
    let (_folder, path) = copy();
    let (engine, _) = engine(&path, World::default());
    let header = engine.header(id(FAILED)).await.unwrap();
    let reason = header.head.reason.unwrap();
    assert!(reason.contains("there is no ink"), "{reason}");
    resume(&engine, FAILED).await;
}

#[tokio::test]
async fn a_newer_format_is_refused_with_its_number() {
    let (_folder, path) = copy();
    let newer = Connection::open(&path).unwrap();
    newer.pragma_update(None, "user_version", 3).unwrap();
    drop(newer);
    let refused = Sqlite::open(&path).err().unwrap();
    let expected = Error::NewerFormat { found: 3, known: 2 };
    assert_eq!(refused.to_string(), expected.to_string());
}

#[tokio::test]
async fn a_run_of_a_newer_workflow_is_listed_and_refused_with_its_version() {
    let (_folder, path) = copy();
    change_header(&path, id(CUT), "about", 1, |about| {
        about["version"] = 2.into()
    });
    let (engine, _) = engine(&path, World::default());
    let page = engine.store().list(&RunFilter::default()).await.unwrap();
    assert_eq!((page.runs.len(), page.damaged.len()), (5, 0));
    let refused = engine.open(id(CUT)).await.err().unwrap();
    assert!(
        matches!(
            refused,
            Error::NewerVersion {
                written: 2,
                known: 1,
                ..
            }
        ),
        "{refused}"
    );
    resume(&engine, WITH_MORE_FIELDS).await;
}

#[tokio::test]
#[ignore = "it writes the fixture, which is kept as it is once a version was released"]
async fn write_the_fixture() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    write_run(&path, FINISHED, false, World::default()).await;
    write_run(&path, WAITING, true, World::default()).await;
    let fails = || World {
        fails: true,
        ..World::default()
    };
    write_run(&path, FAILED, false, fails()).await;
    for run in [CUT, WITH_MORE_FIELDS] {
        let stalls = World {
            stalls: true,
            ..World::default()
        };
        write_run(&path, run, false, stalls).await;
    }
    add_fields(&path, id(WITH_MORE_FIELDS));
    std::fs::create_dir_all(fixture().parent().unwrap()).unwrap();
    std::fs::copy(&path, fixture()).unwrap();
}

/// Writes a run with a store of its own, whose end tidies the file up.
async fn write_run(path: &Path, run: &str, asks: bool, world: World) {
    let (engine, _) = engine(path, world);
    let new = NewRun {
        id: id(run),
        ..NewRun::titled("What is known?")
    };
    let essay = Essay {
        asks,
        ..Essay::default()
    };
    let mut execution = engine.start(new, essay).await.unwrap();
    // Long enough for what is recorded to be written; one that stalls is cut off.
    let ran = tokio::time::timeout(Duration::from_secs(2), execution.run()).await;
    drop(ran);
    drop((execution, engine));
    let log = path.with_extension("db-wal");
    while log.exists() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Adds fields to the records of a run, as a later version might, with checksums that fit.
fn add_fields(path: &Path, run: RunId) {
    for (column, tag) in [("about", 1), ("head", 2)] {
        change_header(path, run, column, tag, add_field);
    }
    let database = Connection::open(path).unwrap();
    let key = run.as_uuid().as_bytes();
    let select = "SELECT meta, body FROM steps WHERE run = ?1 AND step = 0";
    let (meta, body): (Vec<u8>, Vec<u8>) = database
        .query_row(select, [key], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    let (meta, body) = (changed(&meta, add_field), changed(&body, add_field));
    let sum = checksum(run, 3, 0, &meta, Some(&body));
    let update = "UPDATE steps SET meta = ?2, body = ?3, sum = ?4 WHERE run = ?1 AND step = 0";
    let rows = database.execute(update, params![key, meta, body, sum]);
    assert_eq!(rows.unwrap(), 1);
}

/// Changes a part of a run's header, `about` or `head`, whose checksum begins with `tag`.
fn change_header(path: &Path, run: RunId, column: &str, tag: u8, change: fn(&mut Value)) {
    let database = Connection::open(path).unwrap();
    let key = run.as_uuid().as_bytes();
    let select = format!("SELECT {column} FROM runs WHERE id = ?1");
    let meta: Vec<u8> = database
        .query_row(&select, [key], |row| row.get(0))
        .unwrap();
    let meta = changed(&meta, change);
    let sum = checksum(run, tag, 0, &meta, None);
    let update = format!("UPDATE runs SET {column} = ?2, {column}_sum = ?3 WHERE id = ?1");
    let rows = database.execute(&update, params![key, meta, sum]);
    assert_eq!(rows.unwrap(), 1);
}

fn changed(json: &[u8], change: fn(&mut Value)) -> Vec<u8> {
    let mut value = serde_json::from_slice(json).unwrap();
    change(&mut value);
    serde_json::to_vec(&value).unwrap()
}

fn add_field(record: &mut Value) {
    record["added_later"] = serde_json::json!({ "by": ["a", "newer", "version"] });
}

/// The checksum of format 1, for rows without a key.
fn checksum(run: RunId, tag: u8, number: u64, meta: &[u8], body: Option<&[u8]>) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&[tag, u8::from(body.is_some())]);
    hasher.update(run.as_uuid().as_bytes());
    hasher.update(&number.to_le_bytes());
    hasher.update(&0_u64.to_le_bytes());
    hasher.update(&(meta.len() as u64).to_le_bytes());
    hasher.update(meta);
    hasher.update(body.unwrap_or_default());
    hasher.finalize().as_bytes()[..16].to_vec()
}
