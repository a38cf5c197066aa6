//! Ctrl-C, and processes that die.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use super::desk::{Desk, QUESTION};

/// A run whose library waits to be read: a pipe lies in it that nobody writes to.
fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill")
        .args(["-s", name, &id])
        .status()
        .unwrap();
    assert!(sent.success());
}

#[test]
fn a_run_whose_process_was_killed_at_its_gate_goes_on_in_another() {
    let desk = Desk::new();
    let mut child = desk
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
    let listed = desk.run(&["runs", "list", "--json"]).out;
    let run: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let id = run["about"]["id"].as_str().unwrap();
    let resumed = desk.run(&["runs", "resume", id, "-q"]);
    assert_eq!(resumed.code, 4, "{}", resumed.err);
    let ran = desk.run(&["runs", "review", id, "approve", "-q"]);
    assert!(ran.out.starts_with("# "), "{}", ran.err);
}
