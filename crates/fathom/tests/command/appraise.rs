//! `fathom appraise` as reviewers meet it.

use std::path::Path;

use crate::sandbox::Sandbox;

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
        "summary.svg",
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
    assert_eq!(missing.code, 3);
    assert!(missing.out.contains("cannot be read"), "{}", missing.out);
    let several = sandbox.run(&["appraise", "library", "--protocol", "library/paving.txt"]);
    assert_eq!(several.code, 2);
    assert!(several.err.contains("one trial"), "{}", several.err);
}
