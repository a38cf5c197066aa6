//! Holds our scorer to the verdicts of the one that scores from outside.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use super::questions::TestQuestion;
use super::score::{AnswerRow, Scorer, matches, parse_output, plain};

/// Prints lead, whole text and both verdicts for every case that it is given.
const PYTHON: &str = r#"
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("scoring", sys.argv[1])
scoring = importlib.util.module_from_spec(spec)
spec.loader.exec_module(scoring)
for question, output in json.loads(sys.argv[2]):
    result = scoring.result_of(output) if output.strip() else {}
    lead, whole, said = scoring.read_answer(result)
    verdicts = [scoring.judge(question, lead, whole, said, first) for first in (700, None)]
    print(json.dumps([lead, whole, *verdicts]))
"#;

fn question(gold: &[&str], gold_all: &[&str], answerable: bool) -> Value {
    json!({
        "id": "made-up", "library": "made-up", "kind": "fact", "language": "en", "question": "made up?",
        "gold": gold, "gold_all": gold_all, "evidence_file": "", "answerable": answerable,
    })
}

fn report(fields: Value) -> String {
    let line = json!({"event": "result", "status": "complete", "report": fields});
    format!("{{\"event\": \"step_started\"}}\n{line}\n{{\"event\": \"late\"}}\n")
}

fn cases() -> Vec<(Value, String)> {
    let code = question(&[r"\b127\b"], &[], true);
    let both = question(&[], &["N ?\\+ ?2", "N ?\\+ ?1"], true);
    let option = question(&["--purge", r"(?<!\w)-P\b"], &[], true);
    let no = question(&["^\\W*no[,.;:]"], &[], true);
    let nothing = question(&[], &[], false);
    let quoted =
        json!({"title": "Exit", "summary": "It **returns** `127` [1, 2](#s) , *always* ."});
    let late =
        json!({"summary": "x ".repeat(400), "sections": [{"title": "A", "text": "It is 127."}]});
    let refusal = "Your documents do not mention *ginkgo*.";
    let answer = |answered: &str, reason: &str, text: &str| {
        json!({"answer": {"answered": answered, "reason": reason, "text": text, "agree": 1, "dispute": 0},
            "summary": "", "sections": [{"title": "S", "text": "from N + 1 to N+2"}]})
    };
    let partial = json!({"status": "partial", "reason": "the sources say nothing that answers the question",
        "summary": "", "sections": []});
    vec![
        (code.clone(), report(quoted.clone())),
        (code.clone(), report(late)),
        (code.clone(), report(partial.clone())),
        (code.clone(), report(answer("no", refusal, "See 127."))),
        (
            code.clone(),
            report(answer("partly", "one of two = half", "See 128.")),
        ),
        (code.clone(), String::new()),
        (code.clone(), "The status is 127".to_owned()),
        (
            code,
            json!({"answered": false, "answer": "Perhaps 126."}).to_string(),
        ),
        (
            both.clone(),
            report(answer("yes", "", "Two of the N+2 disks")),
        ),
        (both, report(quoted.clone())),
        (
            option.clone(),
            report(answer("yes", "", "Use the option –P or ‑‑purge.")),
        ),
        (option, report(answer("yes", "", "Use a-P"))),
        (
            no.clone(),
            report(answer("yes", "", "“No, aliases are not.”")),
        ),
        (no, report(answer("yes", "", "They do not"))),
        (nothing.clone(), report(partial)),
        (nothing.clone(), report(answer("no", refusal, ""))),
        (
            nothing.clone(),
            report(answer("no", "", "Die Dokumente sagen dazu nichts.")),
        ),
        (
            nothing.clone(),
            report(answer("no", "", "Aucun des documents n'en parle.")),
        ),
        (nothing.clone(), report(quoted)),
        (nothing, String::new()),
    ]
}

/// The folder of public sets; without it a test says that it did not run.
fn data() -> Option<PathBuf> {
    let data = std::env::var_os("FATHOM_DATA").map(PathBuf::from);
    if data.is_none() {
        tell("FATHOM_DATA is not set");
    }
    data
}

fn tell(line: &str) {
    println!("did not run: {line}");
}

#[test]
fn both_scorers_give_the_same_verdicts() {
    let Some(tool) = data().map(|data| data.join("../tools/score-answers.py")) else {
        return;
    };
    let cases = cases();
    let given = serde_json::to_string(&cases).unwrap();
    let python = Command::new("python3")
        .args(["-c", PYTHON])
        .arg(&tool)
        .arg(given)
        .output();
    let Ok(python) = python else {
        return tell("there is no python3");
    };
    let said = String::from_utf8_lossy(&python.stderr);
    assert!(python.status.success(), "{said}");
    let theirs = String::from_utf8(python.stdout).unwrap();
    let theirs: Vec<Value> = theirs
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(theirs.len(), cases.len());
    let scorer = Scorer::new(700).unwrap();
    for ((question, output), theirs) in cases.into_iter().zip(theirs) {
        let question: TestQuestion = serde_json::from_value(question).unwrap();
        let read = parse_output(&output);
        let row = AnswerRow {
            lead: read.lead,
            whole: read.whole,
            said: read.said,
            ..AnswerRow::default()
        };
        let scored = scorer.score(&question, &row).unwrap();
        let (once, anywhere) = (scored.at_once.name(), scored.anywhere.name());
        let ours = json!([row.lead, row.whole, once, anywhere]);
        assert_eq!(ours, theirs, "{output}");
    }
}

#[test]
fn every_pattern_of_the_given_questions_is_understood() {
    let Some(data) = data() else { return };
    let sets = super::questions::read(&data, None).unwrap();
    for question in sets.all() {
        assert!(question.question.len() >= 10, "{}", question.id);
        for gold in question.gold.iter().chain(&question.gold_all) {
            let asked = matches(gold, &plain(&question.question)).unwrap();
            assert!(!asked, "{} answers itself: {gold}", question.id);
        }
    }
}

#[test]
fn what_a_report_says_of_itself_is_read() {
    let (_, output) = cases().into_iter().nth(4).unwrap();
    assert_eq!(parse_output(&output).answered.as_deref(), Some("partly"));
}

#[test]
fn the_same_questions_are_drawn_every_time() {
    let Some(data) = data() else { return };
    let sets = super::questions::read(&data, None).unwrap();
    let draw = || -> Vec<String> {
        let sample = sets.sample(3, 3);
        sample.iter().map(|one| one.id.clone()).collect()
    };
    assert_eq!(draw(), draw());
}
