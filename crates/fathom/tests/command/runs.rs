use super::sandbox::{QUESTION, Sandbox, exists};

#[test]
fn a_run_is_listed_shown_replayed_exported_and_deleted() {
    let sandbox = Sandbox::new();
    let id = sandbox.finished();
    let listed = sandbox.run(&["runs", "list"]).out;
    assert!(
        listed.contains(&id[..13]) && listed.contains(QUESTION),
        "{listed}"
    );
    assert!(listed.contains("  report  completed "), "{listed}");
    assert!(
        sandbox
            .run(&["runs", "list", "--status", "waiting"])
            .out
            .is_empty()
    );
    let shown = sandbox.run(&["runs", "show", &id[..18]]).out;
    assert!(
        shown.contains("status   completed") && shown.contains("plan"),
        "{shown}"
    );
    assert!(shown.contains("fathom runs export"), "{shown}");
    let path = sandbox.path("report.md");
    let told = sandbox.run(&["runs", "export", &id, "--out", &path.to_string_lossy()]);
    assert!(told.err.contains("report.md."), "{}", told.err);
    let replayed = sandbox.run(&["runs", "replay", &id]);
    assert_eq!(replayed.code, 0, "{}", replayed.err);
    assert!(replayed.out.starts_with("Identical: "), "{}", replayed.out);
    assert!(sandbox.run(&["runs", "export", &id]).out.starts_with("# "));
    let log = sandbox.run(&["runs", "export", &id, "--log"]).out;
    assert!(
        log.lines()
            .all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok())
    );
    let drawn = sandbox.run(&["graph", "report", "--run", &id]).out;
    assert_ne!(drawn, sandbox.run(&["graph", "report"]).out);
    assert_eq!(sandbox.run(&["runs", "keep", &id]).code, 0);
    assert_eq!(sandbox.run(&["runs", "delete", &id]).code, 0);
    assert_eq!(sandbox.run(&["runs", "show", &id]).code, 2);
}

#[test]
fn the_state_of_a_step_is_shown_and_a_step_that_is_not_there_is_refused() {
    let sandbox = Sandbox::new();
    let id = sandbox.finished();
    let first = sandbox.run(&["runs", "show", &id, "--at", "0"]).out;
    assert!(first.contains("\"plan\": null"), "{first}");
    let later = sandbox.run(&["runs", "show", &id, "--at", "1"]).out;
    assert!(later.contains("\"sub_questions\""), "{later}");
    let none = sandbox.run(&["runs", "show", &id, "--at", "999"]);
    assert_eq!(none.code, 2, "{}", none.err);
    assert!(none.err.contains("has no step 999"), "{}", none.err);
}

#[test]
fn a_finished_run_is_forked_with_an_edited_state_and_not_resumed() {
    let sandbox = Sandbox::new();
    let id = sandbox.finished();
    let resumed = sandbox.run(&["runs", "resume", &id]);
    assert_eq!(resumed.code, 1);
    assert!(
        resumed.err.contains("has ended (completed)"),
        "{}",
        resumed.err
    );
    let edits = sandbox.file("edits.toml", "[settings]\ntarget_length = 777\n");
    let edits = edits.to_str().unwrap();
    let forked = sandbox.run(&[
        "runs", "fork", &id, "--at", "1", "--edits", edits, "--json", "-q",
    ]);
    assert!([0, 3].contains(&forked.code), "{}", forked.err);
    let fork = forked.result()["run"].as_str().unwrap().to_owned();
    assert_ne!(fork, id);
    let shown = sandbox.run(&["runs", "show", &fork, "--at", "0"]).out;
    assert!(shown.contains("\"target_length\": 777"), "{shown}");
    sandbox.file("edits.toml", "[settings]\ntarget_lenght = 777\n");
    let refused = sandbox.run(&["runs", "fork", &id, "--at", "1", "--edits", edits]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.contains("settings.target_lenght"),
        "{}",
        refused.err
    );
}

#[test]
fn partial_reports_are_told_from_complete_ones_and_an_unknown_status_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.file(
        "nothing/soup.md",
        "# Soup\n\nLeek soup is boiled for twenty minutes.\n",
    );
    let words = ["report", QUESTION, "--library", "nothing", "-q"];
    assert_eq!(sandbox.run(&words).code, 3);
    let complete = sandbox.run(&["report", QUESTION, "--library", "library", "-q"]);
    assert_eq!(complete.code, 0, "{}", complete.err);
    let listed = |status: &str| sandbox.run(&["runs", "list", "--status", status]);
    let all = sandbox.run(&["runs", "list"]).out;
    let count = |word: &str| all.lines().filter(|line| line.contains(word)).count();
    assert_eq!((count(" partial "), count(" completed ")), (1, 1), "{all}");
    assert_eq!(listed("partial").out.lines().count(), 1);
    assert_eq!(listed("completed").out.lines().count(), 2);
    let as_json = sandbox
        .run(&["runs", "list", "--status", "partial", "--json"])
        .out;
    assert!(as_json.contains("\"partial\":true"), "{as_json}");
    let refused = listed("finnished");
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(
        refused.err.contains("waiting, completed, partial"),
        "{}",
        refused.err
    );
}

#[test]
fn a_memory_store_leaves_nothing_behind() {
    let sandbox = Sandbox::new();
    let words = ["report", QUESTION, "--library", "library", "-q"];
    let ran = sandbox.run_with(&[("FATHOM_STORE", "memory")], &words);
    assert!(ran.out.starts_with("# "), "{}", ran.err);
    assert!(!exists(sandbox.path("home/runs.db")));
}

#[test]
fn a_draft_that_a_fork_edits_is_checked_and_counted_anew_wherever_it_goes_on() {
    let sandbox = Sandbox::new();
    let id = sandbox.finished();
    let exported = sandbox
        .run(&["runs", "export", &id, "--format", "json"])
        .out;
    let before: serde_json::Value = serde_json::from_str(&exported).unwrap();
    let draft = r#"{"draft": {"conclusion": "Trees cure gout in nine of ten dogs [99].\n\nStreet trees kept narrow streets 0.4 °C warmer at night [1]."}}"#;
    let edits = sandbox.file("edits.json", draft);
    let edits = edits.to_str().unwrap();
    // After the draft was written, after its check, and after its review.
    for step in ["4", "5", "6"] {
        let ran = sandbox.run(&[
            "runs", "fork", &id, "--at", step, "--edits", edits, "--json", "-q",
        ]);
        assert_eq!(ran.code, 0, "{step}: {}", ran.err);
        let report = ran.result()["report"].clone();
        let conclusion = report["conclusion"].as_str().unwrap();
        assert!(!conclusion.contains("gout"), "{step}: {conclusion}");
        assert!(conclusion.contains("0.4 °C"), "{step}: {conclusion}");
        let count = |report: &serde_json::Value, name: &str| {
            report["figures"]["claims"][name].as_u64().unwrap()
        };
        assert_eq!(
            count(&report, "removed"),
            count(&before, "removed") + 1,
            "{step}"
        );
        assert_eq!(
            count(&report, "claims"),
            count(&before, "claims") + 1,
            "{step}"
        );
    }
}

#[test]
fn runs_are_listed_by_the_day_they_were_started() {
    let sandbox = Sandbox::new();
    let id = sandbox.finished();
    let listed = |flags: &[&str]| sandbox.run(&[&["runs", "list"], flags].concat()).out;
    assert!(listed(&["--since", "2020-01-01"]).contains(&id[..13]));
    assert!(listed(&["--before", "2999-01-01"]).contains(&id[..13]));
    assert_eq!(listed(&["--since", "2999-01-01"]), "");
    assert_eq!(listed(&["--before", "2020-01-01"]), "");
}

#[test]
fn a_damaged_run_says_so_in_the_list() {
    let sandbox = Sandbox::new();
    let (whole, hurt) = (sandbox.finished(), sandbox.finished());
    let file = rusqlite::Connection::open(sandbox.path("home/runs.db")).unwrap();
    let changed = file.execute(
        "UPDATE steps SET body = zeroblob(8) WHERE step = 2 AND run = (SELECT run FROM steps GROUP BY run ORDER BY run DESC LIMIT 1)",
        [],
    );
    assert_eq!(changed.unwrap(), 1);
    drop(file);
    let ran = sandbox.run(&["runs", "list"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let line = |id: &str| {
        let is_of = |line: &&str| id.starts_with(line.split(' ').next().unwrap());
        ran.out.lines().find(is_of).unwrap().to_owned()
    };
    assert!(line(&hurt).contains("damaged"), "{}", ran.out);
    assert!(!line(&whole).contains("damaged"), "{}", ran.out);
    assert!(
        ran.err.contains(&format!("{hurt} is damaged: ")),
        "{}",
        ran.err
    );
}

#[test]
fn a_gate_in_a_memory_store_says_that_the_decision_will_be_lost() {
    let sandbox = Sandbox::new();
    let words = [
        "report",
        QUESTION,
        "--library",
        "library",
        "--review",
        "plan",
    ];
    let ran = sandbox.run_with(&[("FATHOM_STORE", "memory")], &words);
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(
        ran.err.contains("no other command can decide"),
        "{}",
        ran.err
    );
    assert!(!ran.err.contains("fathom runs review"), "{}", ran.err);
}

#[test]
fn a_question_takes_its_field_its_day_and_bounds_on_results() {
    let sandbox = Sandbox::new();
    let ask = |more: &[&str]| {
        let words = [
            &["report", QUESTION, "--library", "library", "--json", "-q"],
            more,
        ]
        .concat();
        sandbox.run(&words)
    };
    let ran = ask(&[
        "--domain",
        "forestry",
        "--domain",
        "towns",
        "--date",
        "2024-05-17",
        "--years",
        "2015-2024",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let last: serde_json::Value = serde_json::from_str(ran.out.lines().last().unwrap()).unwrap();
    let question = &last["report"]["question"];
    assert_eq!(question["domain"], serde_json::json!(["forestry", "towns"]));
    assert_eq!(question["asked_on"], "2024-05-17");
    let told = "--years narrows what is searched on the web; your own documents are all searched.";
    assert!(ran.err.contains(told), "{}", ran.err);
    for (flags, told) in [
        (["--years", "2024-2015"], "set the earlier one first"),
        (["--years", "soon"], "no span of years"),
        (["--language", "klingon"], "is no language"),
    ] {
        let ran = ask(&flags);
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.contains(told), "{}", ran.err);
    }
    let many = sandbox.run_with(
        &[("FATHOM_REPORT_MAX_RESULTS_PER_QUERY", "51")],
        &["report", QUESTION, "--library", "library"],
    );
    assert_eq!(many.code, 2, "{}", many.err);
    assert!(many.err.contains("from 1 to 50"), "{}", many.err);
}
