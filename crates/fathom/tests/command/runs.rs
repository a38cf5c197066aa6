use super::desk::{Desk, QUESTION, exists};

#[test]
fn a_run_is_listed_shown_replayed_exported_and_deleted() {
    let desk = Desk::new();
    let id = desk.finished();
    let listed = desk.run(&["runs", "list"]).out;
    assert!(
        listed.contains(&id[..13]) && listed.contains(QUESTION),
        "{listed}"
    );
    assert!(
        desk.run(&["runs", "list", "--status", "waiting"])
            .out
            .is_empty()
    );
    let shown = desk.run(&["runs", "show", &id[..18]]).out;
    assert!(
        shown.contains("status   completed") && shown.contains("plan"),
        "{shown}"
    );
    let replayed = desk.run(&["runs", "replay", &id]);
    assert_eq!(replayed.code, 0, "{}", replayed.err);
    assert!(
        replayed.out.starts_with("The same again"),
        "{}",
        replayed.out
    );
    assert!(desk.run(&["runs", "export", &id]).out.starts_with("# "));
    let log = desk.run(&["runs", "export", &id, "--log"]).out;
    assert!(
        log.lines()
            .all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok())
    );
    let drawn = desk.run(&["graph", "report", "--run", &id]).out;
    assert_ne!(drawn, desk.run(&["graph", "report"]).out);
    assert_eq!(desk.run(&["runs", "keep", &id]).code, 0);
    assert_eq!(desk.run(&["runs", "delete", &id]).code, 0);
    assert_eq!(desk.run(&["runs", "show", &id]).code, 2);
}

#[test]
fn the_state_of_a_step_is_shown_and_a_step_that_is_not_there_is_refused() {
    let desk = Desk::new();
    let id = desk.finished();
    let first = desk.run(&["runs", "show", &id, "--at", "0"]).out;
    assert!(first.contains("\"plan\": null"), "{first}");
    let later = desk.run(&["runs", "show", &id, "--at", "1"]).out;
    assert!(later.contains("\"sub_questions\""), "{later}");
    let none = desk.run(&["runs", "show", &id, "--at", "999"]);
    assert_eq!(none.code, 2, "{}", none.err);
    assert!(none.err.contains("has no step 999"), "{}", none.err);
}

#[test]
fn a_finished_run_is_forked_with_an_edited_state_and_not_resumed() {
    let desk = Desk::new();
    let id = desk.finished();
    let resumed = desk.run(&["runs", "resume", &id]);
    assert_eq!(resumed.code, 1);
    assert!(
        resumed.err.contains("has ended (completed)"),
        "{}",
        resumed.err
    );
    let edits = desk.file("edits.toml", "[settings]\ntarget_length = 777\n");
    let edits = edits.to_str().unwrap();
    let forked = desk.run(&[
        "runs", "fork", &id, "--at", "1", "--edits", edits, "--json", "-q",
    ]);
    assert!([0, 3].contains(&forked.code), "{}", forked.err);
    let fork = forked.result()["run"].as_str().unwrap().to_owned();
    assert_ne!(fork, id);
    let shown = desk.run(&["runs", "show", &fork, "--at", "0"]).out;
    assert!(shown.contains("\"target_length\": 777"), "{shown}");
    desk.file("edits.toml", "[settings]\ntarget_lenght = 777\n");
    let refused = desk.run(&["runs", "fork", &id, "--at", "1", "--edits", edits]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.contains("settings.target_lenght"),
        "{}",
        refused.err
    );
}

#[test]
fn a_memory_store_leaves_nothing_behind() {
    let desk = Desk::new();
    let words = ["report", QUESTION, "--library", "library", "-q"];
    let ran = desk.run_with(&[("FATHOM_STORE", "memory")], &words);
    assert!(ran.out.starts_with("# "), "{}", ran.err);
    assert!(!exists(desk.path("home/runs.db")));
}
