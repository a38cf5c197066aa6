//! `fathom appraise` as reviewers meet it.

use std::path::Path;

use crate::pdfs::pdf;
use crate::sandbox::{CommandRan, Sandbox};

fn examples() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/trials");
    folder.to_string_lossy().into_owned()
}

fn trial(name: &str) -> String {
    format!("{}/{name}", examples())
}

#[test]
fn a_folder_of_trials_gives_every_form_and_goes_on_where_it_was() {
    let sandbox = Sandbox::new();
    let trials = [
        "1-sound.md",
        "2-flawed-randomisation.md",
        "3-large-losses.md",
        "4-changed-outcome.md",
    ]
    .map(trial);
    for name in &trials {
        let file = Path::new(name)
            .file_name()
            .unwrap()
            .to_string_lossy()
            .into_owned();
        sandbox.file(&format!("trials/{file}"), std::fs::read(name).unwrap());
    }
    sandbox.file("trials/README.md", "Four made-up trials.");
    let ran = sandbox.run(&["appraise", "trials", "--out", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out.lines().nth(1).unwrap().starts_with("1-sound"),
        "{}",
        ran.out
    );
    assert!(
        ran.err.contains("[4/4] 4-changed-outcome: High"),
        "{}",
        ran.err
    );
    let expected = std::fs::read_to_string(trial("expected.csv")).unwrap();
    let made = |name: &str| std::fs::read(sandbox.path("out").join(name)).unwrap();
    assert_eq!(String::from_utf8(made("robvis.csv")).unwrap(), expected);
    for name in [
        "appraisals.json",
        "appraisals.html",
        "appraisals.docx",
        "traffic-lights.svg",
        "traffic-lights.png",
        "summary.svg",
        "summary.png",
    ] {
        assert!(!made(name).is_empty(), "{name}");
    }
    let again = sandbox.run(&["appraise", "trials", "--out", "out"]);
    assert_eq!(
        again.err.matches("(done before)").count(),
        4,
        "{}",
        again.err
    );
    assert_eq!(again.out, ran.out);
    let compared = sandbox.run(&["appraise", "compare", "out", "out/robvis.csv"]);
    assert!(
        compared.out.contains("Overall        4       4   1.00"),
        "{}",
        compared.out
    );
}

#[test]
fn a_trial_shows_its_answers_and_a_person_may_answer_otherwise() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["appraise", &trial("1-sound.md")]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out
            .contains("D1 Randomisation process: Low (D1.1: 1.2 Y, 1.1 Y, 1.3 PN)"),
        "{}",
        ran.out
    );
    sandbox.file(
        "answers.toml",
        "[[answers]]\nquestion = \"1.2\"\nanswer = \"N\"\nby = \"Ada\"\nwhy = \"The envelopes were open.\"\n",
    );
    let own = sandbox.run(&[
        "appraise",
        &trial("1-sound.md"),
        "--answers",
        "answers.toml",
    ]);
    assert!(
        own.out.contains("1.2 N   The envelopes were open."),
        "{}",
        own.out
    );
    assert!(own.out.contains("before: Y"), "{}", own.out);
    sandbox.file(
        "answers.toml",
        "[[answers]]\nquestion = \"9.9\"\nanswer = \"N\"\n",
    );
    let wrong = sandbox.run(&[
        "appraise",
        &trial("1-sound.md"),
        "--answers",
        "answers.toml",
    ]);
    assert_eq!(wrong.code, 2, "{}", wrong.err);
    assert!(wrong.err.contains("9.9"), "{}", wrong.err);
}

#[test]
fn out_with_the_ending_of_a_form_writes_that_form_and_no_folder() {
    let sandbox = Sandbox::new();
    let sound = trial("1-sound.md");
    for (name, begins) in [
        ("lights.png", b"\x89PNG".as_slice()),
        ("table.csv", b"Study,D1"),
        ("all.json", b"["),
    ] {
        let ran = sandbox.run(&["appraise", &sound, "--out", name]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let bytes = std::fs::read(sandbox.path(name)).unwrap();
        assert!(bytes.starts_with(begins), "{name}");
        assert!(ran.err.contains(&format!("Wrote {name}.")), "{}", ran.err);
    }
    for out in ["no/such/all.csv", "no/such/folder"] {
        let refused = sandbox.run(&["appraise", &sound, "--out", out]);
        assert_eq!(refused.code, 2, "{}", refused.err);
        let told = "The folder no/such does not exist.";
        assert!(refused.err.contains(told), "{}", refused.err);
    }
    let refused = sandbox.run(&["appraise", &sound, "--out", "all.pdf"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(
        refused.err.contains("cannot be written as .pdf"),
        "{}",
        refused.err
    );
    assert!(!sandbox.path("all.pdf").exists());
}

#[test]
fn what_is_no_trial_is_told_with_the_reason() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["appraise", "library/paving.txt"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(
        ran.out
            .contains("not appraised: no sentence says that participants were assigned at random"),
        "{}",
        ran.out
    );
    let missing = sandbox.run(&["appraise", "nothing.pdf"]);
    assert_eq!(missing.code, 2);
    let why = "There is no file or folder nothing.pdf";
    assert!(missing.err.contains(why), "{}", missing.err);
    let several = sandbox.run(&["appraise", "library", "--protocol", "library/paving.txt"]);
    assert_eq!(several.code, 2);
    assert!(several.err.contains("one trial"), "{}", several.err);
}

#[test]
fn a_register_entry_beside_reports_is_told_and_fails_no_batch() {
    let sandbox = Sandbox::new();
    for name in ["1-sound.md", "4-register-entry.txt"] {
        sandbox.file(
            &format!("trials/{name}"),
            std::fs::read(trial(name)).unwrap(),
        );
    }
    let ran = sandbox.run(&["appraise", "trials"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let told = "4-register-entry: a protocol or register entry, not a report";
    assert!(ran.err.contains(told), "{}", ran.err);
    assert!(
        ran.out.contains("give this file as --protocol"),
        "{}",
        ran.out
    );
    let alone = sandbox.run(&["appraise", "trials/4-register-entry.txt"]);
    assert_eq!(alone.code, 3, "{}", alone.err);
}

/// What the command prints of one file, which must not be appraised.
fn refused(sandbox: &Sandbox, name: &str, text: impl AsRef<[u8]>, more: &[&str]) -> String {
    sandbox.file(name, text);
    let ran = sandbox.run(&[&["appraise", name, "-q"], more].concat());
    assert_eq!(ran.code, 3, "{name}: {}{}", ran.out, ran.err);
    let (_, why) = ran.out.split_once("not appraised: ").unwrap();
    why.trim().to_owned()
}

#[test]
fn every_document_that_cannot_be_appraised_is_refused_by_its_own_reason() {
    let sandbox = Sandbox::new();
    let protocol = "# Walking for sleep: study protocol\n\n## Methods\n\nAdults will be randomised to two groups. They will receive \
                    advice. Sleep will be measured by diary. Data will be analysed by assignment.\n";
    let why = refused(&sandbox, "protocol.md", protocol, &[]);
    assert!(
        why.starts_with("it looks like the protocol of a trial"),
        "{why}"
    );
    let cohort = "# Sleep and walking\n\n## Abstract\n\nThis was a prospective cohort study of 400 adults.\n";
    let why = refused(&sandbox, "cohort.md", cohort, &[]);
    assert!(why.starts_with("it looks like a cohort study"), "{why}");
    let why = refused(&sandbox, "scan.pdf", pdf("0 0 612 792 re f\n"), &[]);
    assert!(why.contains("no text"), "{why}");
    let keys = "/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -44 \
        /O <0102030405060708091011121314151617181920212223242526272829303132> \
        /U <3231302928272625242322212019181716151413121110090807060504030201> >> /ID [<00> <00>]";
    let locked = pdf("BT /F1 11 Tf 72 700 Td (Adults were randomised.) Tj ET\n");
    let locked = locked.replace("/Root 1 0 R", &format!("/Root 1 0 R {keys}"));
    let why = refused(&sandbox, "locked.pdf", locked, &[]);
    assert!(why.contains("protected by a password"), "{why}");
    let sound = std::fs::read(trial("1-sound.md")).unwrap();
    let outcome = ["--outcome", "bone mineral density"];
    let why = refused(&sandbox, "sound.md", sound, &outcome);
    assert!(
        why.starts_with("the report does not speak of the outcome \"bone mineral density\""),
        "{why}"
    );
}

#[test]
fn two_articles_a_missing_part_and_other_designs_are_appraised_and_told() {
    let sandbox = Sandbox::new();
    let sound = std::fs::read_to_string(trial("1-sound.md")).unwrap();
    let appraised = |name: &str, text: &str| -> CommandRan {
        sandbox.file(name, text);
        sandbox.run(&["appraise", name, "-q"])
    };
    let article = |title: &str| {
        format!(
            "# {title}\n\n## Abstract\n\nShort.\n\n## Methods\n\nAdults were randomised to walking or rest.\n\n## Results\n\n\
             Some.\n\n## References\n\n1. A.\n\n"
        )
    };
    let two = appraised("two.md", &format!("{}{}", article("One"), article("Two")));
    let told =
        "The file holds 2 articles; number 1 was appraised. Split the file to appraise the others.";
    assert!(two.out.contains(told), "{}", two.out);
    let without = "# A randomised trial of walking\n\n## Abstract\n\nAdults were randomised to walking or rest.\n\n## Results\n\nSleep was longer.\n";
    let without = appraised("without.md", without);
    assert_eq!(without.code, 3, "{}", without.err);
    assert!(
        without.out.contains("No methods section was found"),
        "{}",
        without.out
    );
    for (name, sentences, design) in [
        (
            "cluster.md",
            "This was a cluster-randomised trial. Twelve villages were randomised to the two arms.",
            "This looks like a cluster-randomised trial. RoB 2 has a variant of its own for it",
        ),
        (
            "crossover.md",
            "This was a randomised crossover trial. A washout period of two weeks lay between the treatments.",
            "This looks like a crossover trial. RoB 2 has a variant of its own for it",
        ),
    ] {
        let text = sound.replacen("## Methods\n", &format!("## Methods\n\n{sentences}\n"), 1);
        let ran = appraised(name, &text);
        assert!(ran.out.contains(design), "{name}: {}", ran.out);
        assert!(ran.out.contains("need that part added"), "{}", ran.out);
    }
    let parallel = appraised("parallel.md", &sound);
    assert!(
        !parallel.out.contains("variant of its own"),
        "{}",
        parallel.out
    );
}

/// A run of the first example that waits for a person, by its id.
fn under_review(sandbox: &Sandbox) -> String {
    let ran = sandbox.run(&["appraise", &trial("1-sound.md"), "--review"]);
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert_eq!(ran.out, "");
    let (_, after) = ran.err.split_once("fathom runs review ").unwrap();
    after.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn a_person_changes_an_answer_at_the_review_and_both_are_kept() {
    let sandbox = Sandbox::new();
    let id = under_review(&sandbox);
    let shown = sandbox.run(&["runs", "show", &id]).out;
    assert!(shown.contains("D1 Randomisation process: Low"), "{shown}");
    let review = |edits: &str| {
        let file = sandbox.file("edits.toml", edits);
        let file = file.to_str().unwrap();
        sandbox.run(&[
            "runs", "review", &id, "modify", "--edits", file, "--format", "json", "-q",
        ])
    };
    for (edits, told) in [
        (
            "[[answers]]\nquestion = \"9.9\"\nanswer = \"N\"\n",
            "there is no question 9.9",
        ),
        (
            "[[answers]]\nquestion = \"1.2\"\nanswer = \"NA\"\n",
            "does not take the answer NA",
        ),
        (
            "[[answers]]\nquestion = \"1.2\"\nanswer = \"Y\"\n",
            "approve it instead",
        ),
        ("[[replies]]\nquestion = \"1.2\"\n", "replies"),
    ] {
        let wrong = review(edits);
        assert_eq!(wrong.code, 2, "{edits}: {}", wrong.err);
        assert!(wrong.err.contains(told), "{}", wrong.err);
    }
    let done = review(
        "[[answers]]\nquestion = \"1.2\"\nanswer = \"N\"\nwhy = \"The envelopes were open.\"\n",
    );
    assert_eq!(done.code, 0, "{}", done.err);
    let made: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    let first = &made["domains"][0];
    assert_eq!(
        (&first["judgement"], &first["replaced"]),
        (&"High".into(), &"Low".into())
    );
    let answer = &first["answers"][1];
    assert_eq!(answer["by"]["person"], "ada");
    assert_eq!(answer["rationale"], "The envelopes were open.");
    assert_eq!(answer["replaced"]["answer"], "Y");
    assert_eq!(made["overall"]["judgement"], "High");
    assert_eq!(made["overall"]["replaced"], "Low");
    assert_eq!(made["review"]["by"], "ada");
    assert_eq!(made["review"]["result"]["answers"], 1);
    let replayed = sandbox.run(&["runs", "replay", &id]);
    assert_eq!(replayed.code, 0, "{}", replayed.err);
}

#[test]
fn an_appraisal_that_a_person_does_not_accept_goes_out_marked() {
    let sandbox = Sandbox::new();
    let id = under_review(&sandbox);
    let ran = sandbox.run(&[
        "runs",
        "review",
        &id,
        "reject",
        "--feedback",
        "Wrong trial.",
    ]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(
        ran.out
            .contains("Reviewed: ada did not accept it: Wrong trial."),
        "{}",
        ran.out
    );
    let listed = sandbox.run(&["runs", "list", "--status", "partial"]).out;
    assert!(listed.starts_with(&id[..13]), "{listed}");
}

#[test]
fn a_batch_under_review_is_written_when_all_are_decided() {
    let sandbox = Sandbox::new();
    for name in ["1-sound.md", "2-flawed-randomisation.md"] {
        sandbox.file(
            &format!("trials/{name}"),
            std::fs::read(trial(name)).unwrap(),
        );
    }
    let words = ["appraise", "trials", "--review", "--out", "out"];
    let ran = sandbox.run(&words);
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert_eq!(
        ran.err.matches("waiting for your review").count(),
        4,
        "{}",
        ran.err
    );
    let again = sandbox.run(&words);
    assert_eq!(again.code, 4, "{}", again.err);
    let listed = sandbox.run(&["runs", "list", "--status", "waiting"]).out;
    assert_eq!(
        listed.lines().count(),
        2,
        "no trial was begun twice: {listed}"
    );
    for line in listed.lines() {
        let id = line.split_whitespace().next().unwrap();
        assert_eq!(
            sandbox.run(&["runs", "review", id, "approve", "-q"]).code,
            0
        );
    }
    let written = sandbox.run(&words);
    assert_eq!(written.code, 0, "{}", written.err);
    let table = std::fs::read_to_string(sandbox.path("out/robvis.csv")).unwrap();
    assert_eq!(table.lines().count(), 3, "{table}");
}

#[test]
fn a_run_gives_its_appraisal_in_every_form() {
    let sandbox = Sandbox::new();
    let input = format!("{{\"document\": \"{}\"}}", trial("1-sound.md"));
    let words = [
        "runs", "start", "appraise", "--input", &input, "-q", "--out", "one.csv",
    ];
    let ran = sandbox.run(&words);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let table = std::fs::read_to_string(sandbox.path("one.csv")).unwrap();
    let expected = std::fs::read_to_string(trial("expected.csv")).unwrap();
    assert_eq!(table.lines().nth(1), expected.lines().nth(1));
    let listed = sandbox.run(&["runs", "list"]).out;
    let id = listed.split_whitespace().next().unwrap();
    for (name, begins) in [
        ("a.html", "<!doctype html>"),
        ("a.json", "{"),
        ("a.csv", "Study,D1,D2,D3,D4,D5,Overall"),
        ("a.svg", "<svg "),
        ("a.md", "# Risk of bias"),
        ("a.docx", "PK"),
        ("a.png", "\u{fffd}PNG"),
    ] {
        let ran = sandbox.run(&["runs", "export", id, "--out", name]);
        assert_eq!(ran.code, 0, "{name}: {}", ran.err);
        let bytes = std::fs::read(sandbox.path(name)).unwrap();
        assert!(
            String::from_utf8_lossy(&bytes).starts_with(begins),
            "{name}"
        );
    }
    let wrong = sandbox.run(&["runs", "export", id, "--out", "a.bib"]);
    assert_eq!(wrong.code, 2, "{}", wrong.err);
    assert!(wrong.err.contains(".png"), "{}", wrong.err);
}
