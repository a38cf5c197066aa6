use super::sandbox::{QUESTION, Sandbox};

#[test]
fn without_a_terminal_a_gate_parks_the_run_and_says_how_to_decide() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&[
        "report",
        QUESTION,
        "--library",
        "library",
        "--review",
        "plan",
    ]);
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert_eq!(ran.out, "");
    assert!(ran.err.contains("fathom runs review"), "{}", ran.err);
    let listed = sandbox.run(&["runs", "list", "--status", "waiting"]).out;
    assert_eq!(listed.lines().count(), 1);
    let id = listed.split_whitespace().next().unwrap();
    let shown = sandbox.run(&["runs", "show", id]).out;
    for part in ["Sub-questions", "Searches", "Sections"] {
        assert!(shown.contains(part), "{shown}");
    }
}

#[test]
fn an_approved_plan_goes_on_to_the_report() {
    let sandbox = Sandbox::new();
    let id = sandbox.waiting("plan");
    let waits = sandbox.run(&["runs", "resume", &id]);
    assert_eq!(waits.code, 4, "{}", waits.err);
    let ran = sandbox.run(&["runs", "review", &id[..18], "approve"]);
    assert!([0, 3].contains(&ran.code), "{}", ran.err);
    assert!(ran.out.starts_with("# "), "{}", ran.out);
    let late = sandbox.run(&["runs", "review", &id, "approve"]);
    assert_eq!(late.code, 1, "{}", late.err);
    assert!(
        late.err.contains("is not waiting for a decision"),
        "{}",
        late.err
    );
}

#[test]
fn a_rejected_plan_ends_the_run_without_a_report() {
    let sandbox = Sandbox::new();
    let id = sandbox.waiting("plan");
    let ran = sandbox.run(&[
        "runs",
        "review",
        &id,
        "reject",
        "--feedback",
        "Not what I meant.",
    ]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("ended without a report"), "{}", ran.err);
    let shown = sandbox.run(&["runs", "show", &id, "--json"]).out;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let decided = &shown["state"]["decisions"][0];
    assert_eq!(decided["by"], "ada");
    assert_eq!(decided["feedback"], "Not what I meant.");
    let listed = sandbox.run(&["runs", "list"]).out;
    assert!(listed.contains("cancelled"), "{listed}");
    let shown = sandbox.run(&["runs", "show", &id]).out;
    let why = "reason   ada did not accept the plan: Not what I meant.";
    assert!(shown.contains(why), "{shown}");
    let resumed = sandbox.run(&["runs", "resume", &id]);
    assert!(
        resumed.err.contains("has ended (cancelled)"),
        "{}",
        resumed.err
    );
}

#[test]
fn a_missing_folder_for_the_report_is_told_before_the_run_goes_on() {
    let sandbox = Sandbox::new();
    let id = sandbox.waiting("plan");
    for words in [
        ["runs", "review", &id, "approve"],
        ["runs", "resume", &id, "-q"],
    ] {
        let ran = sandbox.run(&[&words[..], &["--out", "no/such/report.md"]].concat());
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.contains("no/such does not exist"), "{}", ran.err);
    }
    let shown = sandbox.run(&["runs", "show", &id]).out;
    assert!(shown.contains("status   waiting"), "{shown}");
}

#[test]
fn edits_are_checked_by_field_before_they_are_taken() {
    let sandbox = Sandbox::new();
    let id = sandbox.waiting("plan");
    let review = |edits: &str| {
        let file = sandbox.file("edits.toml", edits);
        sandbox.run(&[
            "runs",
            "review",
            &id,
            "modify",
            "--edits",
            file.to_str().unwrap(),
            "-q",
        ])
    };
    let wrong = review(
        "[[queries]]\ntext = \"trees\"\nintent = \"\"\nkind = \"moon\"\npriority = 1\nserves = 0\n",
    );
    assert_eq!(wrong.code, 2, "{}", wrong.err);
    assert!(wrong.err.contains("queries[0].kind"), "{}", wrong.err);
    let empty = review("queries = []\n");
    assert!(empty.err.contains("no search query"), "{}", empty.err);
    let slip = review("querys = []\n");
    assert!(slip.err.contains("did you mean queries?"), "{}", slip.err);
    assert_eq!(review("[[queries]]\n").code, 2);
    let right = review(
        "[[queries]]\ntext = \"light paving at noon\"\nintent = \"paving\"\nkind = \"local\"\npriority = 1\nserves = 0\n",
    );
    assert!([0, 3].contains(&right.code), "{}", right.err);
    let shown = sandbox.run(&["runs", "show", &id, "--json"]).out;
    assert!(shown.contains("light paving at noon"));
}

#[test]
fn to_modify_takes_something_to_change() {
    let sandbox = Sandbox::new();
    let id = sandbox.waiting("plan");
    insta::assert_snapshot!(sandbox.run(&["runs", "review", &id, "modify"]).err, @r"
    error: Modify needs edits or feedback.
    Add --edits FILE (JSON or TOML), or --feedback TEXT
    ");
    let ran = sandbox.run(&["runs", "review", &id, "perhaps"]);
    assert_eq!(ran.code, 2);
}
