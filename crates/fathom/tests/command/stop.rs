//! Ctrl-C, and processes that die.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use super::sandbox::{QUESTION, Sandbox};

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill")
        .args(["-s", name, &id])
        .status()
        .unwrap();
    assert!(sent.success());
}

/// Goes on with a run until it begins to search a library that takes a while to read.
fn searching(sandbox: &Sandbox, id: &str) -> (Child, impl Iterator<Item = String> + use<>) {
    let mut child = sandbox
        .command()
        .args(["runs", "review", id, "approve", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    let mut events = out.lines().map(Result::unwrap);
    let begun = |line: &String| line.contains("step_started") && line.contains("searching");
    assert!(
        events.by_ref().any(|line| begun(&line)),
        "it never searched"
    );
    (child, events)
}

fn ended(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn ctrl_c_stops_the_run_and_says_how_to_go_on() {
    const FILES: usize = 3_000;
    let sandbox = Sandbox::new();
    let id = sandbox.waiting("plan");
    let text = "Street trees and paving, heat and shade, one street after another. ".repeat(20);
    for nth in 0..FILES {
        sandbox.file(&format!("library/many/{nth}.txt"), &text);
    }
    let (child, events) = searching(&sandbox, &id);
    signal(&child, "INT");
    let last = events.last().unwrap();
    let (code, said) = ended(child);
    assert_eq!(code, Some(130), "{said}");
    assert!(last.contains("\"status\":\"cancelled\""), "{last}");
    let how = format!("Stopped. Continue with: fathom runs resume {id}");
    assert!(said.contains(&how), "{said}");
    std::fs::remove_dir_all(sandbox.path("library/many")).unwrap();
    let ran = sandbox.run(&["runs", "resume", &id, "-q"]);
    assert!([0, 3].contains(&ran.code), "{}", ran.err);
    assert!(ran.out.starts_with("# "), "{}", ran.out);
}

#[test]
fn a_run_whose_process_was_killed_at_its_gate_goes_on_in_another() {
    let sandbox = Sandbox::new();
    let mut child = sandbox
        .command()
        .args([
            "report",
            QUESTION,
            "--library",
            "library",
            "--review",
            "plan",
            "--json",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut events = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = events.next().unwrap().unwrap();
    assert!(first.contains("run_started"), "{first}");
    signal(&child, "KILL");
    child.wait().unwrap();
    let listed = sandbox.run(&["runs", "list", "--json"]).out;
    let run: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let id = run["about"]["id"].as_str().unwrap();
    let resumed = sandbox.run(&["runs", "resume", id, "-q"]);
    assert_eq!(resumed.code, 4, "{}", resumed.err);
    let ran = sandbox.run(&["runs", "review", id, "approve", "-q"]);
    assert!(ran.out.starts_with("# "), "{}", ran.err);
}
