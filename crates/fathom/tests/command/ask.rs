//! `fathom ask`: an answer at once, what the documents do not say, and a talk.

use std::io::Write as _;
use std::process::Stdio;

use super::sandbox::{CommandRan, Sandbox};

const NIGHT: &str = "How much warmer do street trees keep narrow streets at night?";

fn ask(sandbox: &Sandbox, question: &str, more: &[&str]) -> CommandRan {
    let words = ["ask", question, "--library", "library"];
    sandbox.run(&[&words, more].concat())
}

/// What a person types into a talk, line by line.
fn talk(sandbox: &Sandbox, words: &[&str], typed: &str) -> (i32, String, String) {
    let mut child = sandbox
        .command()
        .args(["ask", "-i"])
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(typed.as_bytes())
        .unwrap();
    let ended = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        ended.status.code().unwrap(),
        text(ended.stdout),
        text(ended.stderr),
    )
}

#[test]
fn an_answer_comes_first_and_its_passages_say_where_they_stand() {
    let sandbox = Sandbox::new();
    let ran = ask(&sandbox, NIGHT, &["--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let (answer, sources) = ran.out.split_once("## Sources").unwrap();
    assert!(answer.contains("0.4 °C warmer"), "{}", ran.out);
    assert!(sources.contains("`night.md`, line 3"), "{}", ran.out);
    assert!(
        !ran.out.contains('\x1b'),
        "nothing but text goes into a pipe"
    );
    assert_eq!(ran.err, "");
}

#[test]
fn json_ends_with_one_line_that_has_the_answer_the_measures_and_the_stages() {
    let sandbox = Sandbox::new();
    let ran = ask(&sandbox, NIGHT, &["--json", "-q"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let result = ran.result();
    assert_eq!(
        (&result["event"], &result["exit"]),
        (&"result".into(), &0.into())
    );
    let answer = &result["answer"];
    assert_eq!(answer["status"], "answer");
    assert_eq!(answer["answered"], "yes", "{answer}");
    assert!(answer["text"].as_str().unwrap().contains("0.4 °C"));
    assert_eq!(answer["sources"][0]["location"], "night.md");
    assert_eq!(answer["sources"][0]["line"], 3);
    let stages: Vec<&str> = answer["stages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|stage| stage["stage"].as_str().unwrap())
        .collect();
    assert_eq!(stages.first(), Some(&"analyse"));
    assert_eq!(stages.last(), Some(&"generate"));
    for measure in ["quality", "coverage", "relevance"] {
        let value = answer["assessments"][0][measure].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&value), "{measure} {value}");
    }
}

#[test]
fn what_the_documents_do_not_mention_is_said_first_and_is_no_failure() {
    let sandbox = Sandbox::new();
    let ran = ask(&sandbox, "How do I restart a Kubernetes cluster?", &["-q"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let said = ran.out.find("Not answered").unwrap();
    let quoted = ran.out.find("\n> ").unwrap_or(usize::MAX);
    assert!(
        said < quoted && ran.out.contains("Kubernetes"),
        "{}",
        ran.out
    );
    // Three files cannot bring five passages, so it was searched for twice.
    assert!(ran.out.contains("Searched a second time"), "{}", ran.out);
}

#[test]
fn an_answer_refuses_a_subject_that_no_document_mentions_and_names_a_word_that_none_has() {
    let sandbox = Sandbox::new();
    let answer = |question: &str| {
        let ran = sandbox.run(&["answer", question, "--library", "library", "-q"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.out
    };
    let told = answer("How do I restart a Kubernetes cluster?");
    let refusal = "**Not answered.** Your documents do not mention “Kubernetes”";
    assert!(told.contains(refusal), "{told}");
    let told = answer("how far do street trees cool asteroids and towns?");
    let partly = "**Partly answered.** No document has the word “asteroids”.";
    assert!(told.contains(partly), "{told}");
}

#[test]
fn a_question_in_another_language_than_the_documents_is_told_so() {
    let sandbox = Sandbox::new();
    let question = "Was hat die Messung in Alder Street über den Lärm der Autos ergeben?";
    let ran = ask(&sandbox, question, &["-q"]);
    let told = "Die Dokumente sind in einer anderen Sprache geschrieben als die Frage";
    assert!(ran.out.contains(told), "{}", ran.out);
    let ran = ask(
        &sandbox,
        "What did the Alder Street trial find about the noise of lorries?",
        &["-q"],
    );
    assert!(!ran.out.contains("not in the language"), "{}", ran.out);
}

#[test]
fn a_german_question_gets_german_sentences() {
    let sandbox = Sandbox::new();
    sandbox.file(
        "library/nacht.md",
        "# Nacht\n\nNachts halten Straßenbäume schmale Straßen um 0,4 °C wärmer, weil ihre Kronen die Wärme des Tages halten.\n",
    );
    let question = "Um wie viel halten Straßenbäume nachts schmale Straßen wärmer?";
    let ran = ask(&sandbox, question, &["-q"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("0,4 °C wärmer"), "{}", ran.out);
    assert!(
        ran.out.contains("## Quellen") && ran.out.contains("Zeile 3"),
        "{}",
        ran.out
    );
}

#[test]
fn a_question_or_a_folder_that_cannot_be_used_is_refused() {
    let sandbox = Sandbox::new();
    for (words, told) in [
        (&["ask", "?", "--library", "library"][..], "characters"),
        (&["ask", NIGHT, "--library", "nowhere"], "nowhere"),
        (&["ask", NIGHT], "fathom library add"),
        (&["ask"], "QUESTION"),
        (
            &["ask", NIGHT, "--library", "library", "--out", "a.docx"],
            ".html",
        ),
        (
            &["ask", "-i", "--resume", "--library", "library"],
            "nothing was asked",
        ),
    ] {
        let ran = sandbox.run(words);
        assert_eq!(ran.code, 2, "{words:?}: {} {}", ran.out, ran.err);
        let err = ran.err.to_lowercase();
        assert!(err.contains(&told.to_lowercase()), "{words:?}: {}", ran.err);
    }
}

#[test]
fn an_answer_can_be_written_to_a_page_and_exported_from_its_run() {
    let sandbox = Sandbox::new();
    let ran = ask(&sandbox, NIGHT, &["--out", "answer.html", "--json"]);
    let page = std::fs::read_to_string(sandbox.path("answer.html")).unwrap();
    assert!(page.contains("0.4 °C warmer") && page.contains("night.md, line 3"));
    let run = ran.result()["run"].as_str().unwrap().to_owned();
    let exported = sandbox.run(&["runs", "export", &run, "--format", "md"]);
    assert!(exported.out.contains("0.4 °C warmer"), "{}", exported.err);
    let shown = sandbox.run(&["runs", "list", "--workflow", "ask"]);
    assert!(
        shown.out.contains("warmer do street trees"),
        "{}",
        shown.out
    );
    let drawn = sandbox.run(&["graph", "ask", "--run", &run]);
    assert!(drawn.out.contains("retrieve"), "{}", drawn.out);
    let replayed = sandbox.run(&["runs", "replay", &run]);
    assert_eq!(replayed.code, 0, "{}", replayed.err);
}

#[test]
fn a_talk_understands_what_follows_and_goes_on_after_it_was_left() {
    let sandbox = Sandbox::new();
    let typed = "How much cooler is the air under street trees?\nand at night?\n:sources\n:open 99\n:nonsense\n:quit\n";
    let (code, out, err) = talk(&sandbox, &["--library", "library"], typed);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("1.9 °C"), "{out}");
    let asked = "How much cooler is the air under street trees, and at night?";
    assert!(out.contains(asked), "{out}");
    assert!(out.contains("0.4 °C"), "{out}");
    assert!(err.contains(":open 2") && err.contains(":help"), "{err}");
    let run = err.trim_end().rsplit(' ').next().unwrap().to_owned();
    let again = ["--resume", run.as_str()];
    let (code, out, err) = talk(&sandbox, &again, "and in summer?\n:history\n");
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("under street trees, and in summer?"), "{out}");
    assert!(out.contains("1. How much cooler"), "{out}");
    assert!(out.contains("3. "), "{out}");
}

#[test]
fn a_talk_is_left_by_a_word_that_other_programs_are_left_by() {
    let sandbox = Sandbox::new();
    let (code, out, err) = talk(
        &sandbox,
        &["--library", "library"],
        "help\nquit\nWho asks?\n",
    );
    assert_eq!(code, 0, "{err}");
    assert!(err.contains(":sources"), "{err}");
    assert!(!out.contains("Who asks?"), "{out}");
}
