//! Workflows besides the built-in ones: the toy of `examples/`, and runs that this program cannot work on.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use fathom_store::Sqlite;
use fathom_workflow::{Context, END, Engine, Graph, InvalidUpdate, NewRun, NodeResult, State};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::sandbox::{CommandRan, QUESTION, Sandbox};

/// A rest that no test lives to see the end of.
const LONG_MS: u64 = 3_600_000;

fn start(sandbox: &Sandbox, input: &Value) -> CommandRan {
    let input = input.to_string();
    sandbox.toy(&["runs", "start", "countdown", "--input", &input, "--json"])
}

fn id(ran: &CommandRan) -> String {
    ran.result()["run"].as_str().unwrap().to_owned()
}

/// A toy run that was parked and then lost its process.
fn killed_while_parked(sandbox: &Sandbox, rest_ms: u64) -> String {
    let (child, id) = parked(sandbox, rest_ms);
    signal(&child, "KILL");
    child.wait_with_output().unwrap();
    id
}

/// A process that follows a parked toy run.
fn parked(sandbox: &Sandbox, rest_ms: u64) -> (Child, String) {
    let input = json!({ "from": 1, "rest_ms": rest_ms }).to_string();
    let mut child = sandbox
        .toy_command()
        .args(["runs", "start", "countdown", "--input", &input])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut next = || said.next().unwrap().unwrap();
    let first = next();
    let id = first.strip_prefix("Run ").unwrap().to_owned();
    while !next().contains("The run waits until") {}
    (child, id)
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-s", name, &id]).status();
    assert!(sent.unwrap().success());
}

#[test]
fn a_workflow_of_ones_own_is_started_listed_shown_drawn_replayed_and_exported() {
    let sandbox = Sandbox::new();
    let ran = start(&sandbox, &json!({ "from": 3 }));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let said = json!(["3…", "2…", "1…"]);
    assert_eq!(ran.result()["outcome"], said);
    let id = id(&ran);
    let listed = sandbox
        .toy(&["runs", "list", "--workflow", "countdown"])
        .out;
    assert!(listed.contains("Count down from 3"), "{listed}");
    let shown = sandbox.toy(&["runs", "show", &id]).out;
    assert!(shown.contains("workflow countdown"), "{shown}");
    let state = sandbox.toy(&["runs", "show", &id, "--at", "1"]).out;
    assert!(state.contains("\"left\": 2"), "{state}");
    let drawn = sandbox.toy(&["graph", "countdown", "--run", &id]).out;
    assert!(drawn.contains("count"), "{drawn}");
    assert_ne!(drawn, sandbox.toy(&["graph", "countdown"]).out);
    assert_eq!(sandbox.toy(&["runs", "replay", &id]).code, 0);
    let exported = sandbox.toy(&["runs", "export", &id]).out;
    assert_eq!(serde_json::from_str::<Value>(&exported).unwrap(), said);
}

#[test]
fn a_fork_of_it_goes_on_from_a_step_with_an_edited_state() {
    let sandbox = Sandbox::new();
    let id = id(&start(&sandbox, &json!({ "from": 2 })));
    let edits = sandbox.file("edits.json", r#"{"left": 1}"#);
    let edits = edits.to_str().unwrap();
    let fork = [
        "runs", "fork", &id, "--at", "1", "--edits", edits, "--json", "-q",
    ];
    let forked = sandbox.toy(&fork);
    assert_eq!(
        forked.result()["outcome"],
        json!(["2…", "1…"]),
        "{}",
        forked.err
    );
    sandbox.file("edits.json", r#"{"lefd": 1}"#);
    let refused = sandbox.toy(&fork);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(
        refused.err.contains("did you mean left?"),
        "{}",
        refused.err
    );
}

#[test]
fn an_input_that_does_not_fit_is_refused_by_its_field() {
    let sandbox = Sandbox::new();
    let refused = start(&sandbox, &json!({ "from": "three" }));
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(
        refused
            .err
            .contains("from: it must be a whole number, 0 or more, not the text \"three\""),
        "{}",
        refused.err
    );
    let start = ["runs", "start", "countdown", "--input"];
    let ran = sandbox.toy(&[&start[..], &["{from"]].concat());
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--input @FILE"), "{}", ran.err);
    sandbox.file("input.json", r#"{"from": 1}"#);
    let ran = sandbox.toy(&[&start[..], &["@input.json", "-q"]].concat());
    assert_eq!((ran.code, ran.out.as_str()), (0, "[\n  \"1…\"\n]\n"));
    let unknown = sandbox.toy(&["runs", "start", "countup", "--input", "{}"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("countdown, report"), "{}", unknown.err);
}

#[test]
fn a_form_that_the_outcome_does_not_have_is_refused_before_the_run() {
    let sandbox = Sandbox::new();
    let start = |more: &[&str]| {
        let words = [
            "runs",
            "start",
            "countdown",
            "--input",
            r#"{"from": 1}"#,
            "-q",
        ];
        sandbox.toy(&[&words[..], more].concat())
    };
    for more in [["--out", "x.md"], ["--format", "html"], ["--out", "x.xyz"]] {
        let refused = start(&more);
        assert_eq!(refused.code, 2, "{}", refused.err);
        let told = "This workflow brings JSON and has no other form.";
        assert!(refused.err.contains(told), "{}", refused.err);
    }
    let refused = start(&["--out", "no/such/x.json"]);
    assert!(
        refused.err.contains("no/such does not exist"),
        "{}",
        refused.err
    );
    assert_eq!(
        sandbox.toy(&["runs", "list"]).out,
        "",
        "nothing was started"
    );
    assert_eq!(start(&["--out", "x.json"]).code, 0);
    let written = std::fs::read_to_string(sandbox.path("x.json")).unwrap();
    assert_eq!(written, "[\n  \"1…\"\n]\n");
}

#[test]
fn a_report_is_started_from_json_with_its_library_found_again_and_its_slips_refused() {
    let sandbox = Sandbox::new();
    let start = |settings: Value| {
        let input = json!({ "question": QUESTION, "settings": settings }).to_string();
        sandbox.run(&["runs", "start", "report", "--input", &input, "--json", "-q"])
    };
    let slip = start(json!({ "library": ["library"], "caps": { "tokenz": 1 } }));
    assert_eq!(slip.code, 2, "{}", slip.err);
    let told = "settings.caps.tokenz: there is no such field; did you mean tokens?";
    assert!(slip.err.contains(told), "{}", slip.err);
    let slip = start(json!({ "library": ["library"], "citation_style": "vancover" }));
    assert_eq!(slip.code, 2, "{}", slip.err);
    assert!(slip.err.contains("vancouver"), "{}", slip.err);
    let wrong = start(json!([1]));
    assert!(!wrong.err.contains("struct"), "{}", wrong.err);
    let ran = start(json!({ "library": ["library"] }));
    assert!([0, 3].contains(&ran.code), "{}", ran.err);
    let shown = sandbox.run(&["runs", "show", &id(&ran), "--at", "0"]).out;
    assert!(shown.contains("SANDBOX/library"), "{shown}");
}

#[test]
fn a_parked_run_says_so_and_goes_on_by_itself() {
    let sandbox = Sandbox::new();
    let ran = start(&sandbox, &json!({ "from": 2, "rest_ms": 200 }));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.result()["outcome"], json!(["2…", "1…"]));
    let told = "the next number is not due. Ctrl-C leaves it waiting.";
    assert_eq!(ran.err.matches(told).count(), 2, "{}", ran.err);
}

#[test]
fn ctrl_c_leaves_a_parked_run_parked_and_a_resume_does_not_wait() {
    let sandbox = Sandbox::new();
    let (child, id) = parked(&sandbox, LONG_MS);
    signal(&child, "INT");
    let code = child.wait_with_output().unwrap().status.code();
    assert_eq!(code, Some(130));
    let listed = sandbox.toy(&["runs", "list", "--status", "waiting"]).out;
    assert_eq!(listed.lines().count(), 1, "{listed}");
    let resumed = sandbox.toy(&["runs", "resume", &id, "--json", "-q"]);
    assert_eq!(
        resumed.result()["outcome"],
        json!(["1…"]),
        "{}",
        resumed.err
    );
}

#[test]
fn a_cancelled_and_a_killed_run_are_resumed() {
    let sandbox = Sandbox::new();
    let id = killed_while_parked(&sandbox, LONG_MS);
    assert_eq!(sandbox.toy(&["runs", "cancel", &id]).code, 0);
    let shown = sandbox.toy(&["runs", "show", &id]).out;
    assert!(shown.contains("status   cancelled"), "{shown}");
    let resumed = sandbox.toy(&["runs", "resume", &id, "--json", "-q"]);
    assert_eq!(
        resumed.result()["outcome"],
        json!(["1…"]),
        "{}",
        resumed.err
    );
}

#[test]
fn runs_that_are_due_are_taken_up_without_anybody_resuming_them() {
    let sandbox = Sandbox::new();
    let id = killed_while_parked(&sandbox, 1_000);
    let mut working = sandbox
        .toy_command()
        .args(["runs", "work"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Stopped any earlier, it may end before it has told of the run.
    let done = format!("{id}  completed");
    let told = BufReader::new(working.stderr.take().unwrap()).lines();
    let mut told = told.map(Result::unwrap);
    assert!(told.any(|line| line.contains(&done)), "it tells of the run");
    signal(&working, "INT");
    assert_eq!(working.wait().unwrap().code(), Some(130));
    let shown = sandbox.toy(&["runs", "show", &id]).out;
    assert!(shown.contains("status   completed"), "{shown}");
}

#[test]
fn a_run_of_an_unknown_workflow_is_listed_shown_and_refused_by_name() {
    let sandbox = Sandbox::new();
    let id = killed_while_parked(&sandbox, LONG_MS);
    let listed = sandbox.run(&["runs", "list"]).out;
    assert!(listed.contains("Count down from 1"), "{listed}");
    let shown = sandbox.run(&["runs", "show", &id]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    assert!(shown.out.contains("next: count"), "{}", shown.out);
    let beyond = sandbox.run(&["runs", "show", &id, "--at", "99"]);
    assert_eq!(beyond.code, 2, "{}", beyond.err);
    assert!(
        beyond.err.contains("its steps are 0 to 0"),
        "{}",
        beyond.err
    );
    let whole = sandbox.run(&["runs", "show", &id, "--json"]).out;
    let whole: Value = serde_json::from_str(&whole).unwrap();
    assert_eq!(whole["state"]["records"][0]["content"]["left"], 1);
    for words in [["runs", "resume"], ["runs", "replay"], ["runs", "export"]] {
        let refused = sandbox.run(&[&words[..], &[&id]].concat());
        assert_eq!(refused.code, 1, "{}", refused.err);
        let told = "belongs to the workflow \"countdown\", which this program does not know";
        assert!(refused.err.contains(told), "{}", refused.err);
        assert!(
            refused
                .err
                .contains("it knows answer, appraise, ask, report, search"),
            "{}",
            refused.err
        );
    }
}

/// A state that a later version of a workflow wrote.
#[derive(Serialize, Deserialize)]
struct Later {
    news: String,
}

impl State for Later {
    type Update = ();

    fn apply(&mut self, _: &()) -> Result<(), InvalidUpdate> {
        Ok(())
    }
}

async fn nothing(_: &Later, _: &Context<()>) -> NodeResult<Later> {
    Ok(())
}

#[tokio::test]
async fn a_state_of_a_newer_version_is_listed_and_refused_with_the_version() {
    let sandbox = Sandbox::new();
    sandbox.run(&["runs", "list"]);
    let store = Arc::new(Sqlite::open(sandbox.path("home/runs.db")).unwrap());
    let graph = Graph::new("report").version(99).node("plan", nothing);
    let graph = graph.start("plan").edge("plan", END).build().unwrap();
    let engine = Engine::new(graph, store, Arc::new(()));
    let news = "of tomorrow".to_owned();
    let run = engine
        .start(NewRun::titled("From tomorrow"), Later { news })
        .await;
    let mut run = run.unwrap();
    run.release().await;
    let id = run.id().to_string();
    drop((run, engine));
    assert!(sandbox.run(&["runs", "list"]).out.contains("From tomorrow"));
    let shown = sandbox.run(&["runs", "show", &id, "--at", "0"]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    assert!(shown.out.contains("of tomorrow"), "{}", shown.out);
    let refused = sandbox.run(&["runs", "resume", &id]);
    assert_eq!(refused.code, 1, "{}", refused.err);
    let told = "written by version 99 of the workflow \"report\"";
    assert!(refused.err.contains(told), "{}", refused.err);
}
