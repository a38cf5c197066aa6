//! Reports that version 1 of the state stored: every later version lists, shows and resumes them.
//!
//! `fixtures/reports-1.db` was written by `fathom report … --library … --depth quick`: one run is finished, one waits for
//! the final review (with a time limit of decades), and one was cancelled at that review. It is never made anew: a
//! change that cannot read it needs a migration.

use super::sandbox::Sandbox;

const FINISHED: &str = "01a1e58e-3e8b";
const WAITING: &str = "01a1e58e-4433";
const CANCELLED: &str = "01a1e58e-47b5";

fn stored() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file(
        "home/runs.db",
        include_bytes!("../fixtures/reports-1.db").as_slice(),
    );
    sandbox
}

#[test]
fn stored_reports_are_listed_shown_and_exported() {
    let sandbox = stored();
    let listed = sandbox.run(&["runs", "list"]).out;
    for (run, status) in [
        (FINISHED, "completed"),
        (WAITING, "waiting"),
        (CANCELLED, "cancelled"),
    ] {
        let line = listed.lines().find(|line| line.starts_with(run));
        assert!(line.is_some_and(|line| line.contains(status)), "{listed}");
        let shown = sandbox.run(&["runs", "show", run]);
        assert_eq!(shown.code, 0, "{}", shown.err);
        let state = sandbox.run(&["runs", "show", run, "--at", "3"]);
        assert!(state.out.contains("\"evidence\""), "{}", state.err);
    }
    let exported = sandbox.run(&["runs", "export", FINISHED]);
    assert_eq!(exported.code, 0, "{}", exported.err);
    assert!(exported.out.contains("1.9 °C"), "{}", exported.out);
    for format in ["html", "json", "bibtex"] {
        let exported = sandbox.run(&["runs", "export", FINISHED, "--format", format]);
        assert_eq!(exported.code, 0, "{format}: {}", exported.err);
    }
}

#[test]
fn a_stored_report_that_waits_is_approved() {
    let sandbox = stored();
    let approved = sandbox.run(&["runs", "review", WAITING, "approve", "-q"]);
    assert_eq!(approved.code, 0, "{}", approved.err);
    assert!(approved.out.starts_with("# Do street trees cool the air"));
}

#[test]
fn a_stored_report_that_was_cancelled_is_resumed() {
    let sandbox = stored();
    let resumed = sandbox.run(&["runs", "resume", CANCELLED, "-q"]);
    assert_eq!(resumed.code, 4, "it asks again: {}", resumed.err);
    let approved = sandbox.run(&["runs", "review", CANCELLED, "approve", "-q"]);
    assert_eq!(approved.code, 0, "{}", approved.err);
}
