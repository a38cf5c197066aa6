//! What a reader is promised of a report that no model took part in.

use std::path::Path;

use serde_json::Value;

use super::sandbox::{CommandRan, Sandbox};

/// A document on a matter, long enough to be told from others.
fn survey(place: &str, sentence: &str) -> String {
    format!(
        "# Count at {place}\n\n{sentence} The count was made by hand on a dry day in {place}, from a folding chair beside \
         the road, by two people who took turns.\n"
    )
}

fn reported(sandbox: &Sandbox, question: &str, more: &[&str]) -> (CommandRan, Value) {
    let mut words = vec!["report", question, "--library", "papers", "-q"];
    words.extend(["--format", "json"]);
    words.extend(more);
    let ran = sandbox.run(&words);
    let report = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err));
    (ran, report)
}

/// The words of the answer, the disagreements and the sections, as the report counts them.
fn body_words(report: &Value) -> usize {
    let sections = report["sections"].as_array().unwrap().iter();
    let texts = sections.map(|section| &section["text"]);
    let texts = texts.chain([&report["answer"]["text"], &report["summary"]]);
    texts
        .map(|text| text.as_str().unwrap().split_whitespace().count())
        .sum()
}

fn gingko_library() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file(
        "papers/ginkgo.md",
        "# Street trees\n\nThe ginkgo bears drought and salt well. A ginkgo of forty years has a crown 8 metres wide.\n",
    );
    sandbox.file(
        "papers/limes.md",
        "# Limes\n\nLimes drop sticky sap on parked cars in June. They suffer in drought and want water.\n",
    );
    sandbox
}

#[test]
fn a_subject_that_no_document_mentions_is_told_first_and_near_passages_are_folded() {
    let sandbox = gingko_library();
    let question = "How much frost does a sequoia bear?";
    let (_, report) = reported(&sandbox, question, &[]);
    assert_eq!(report["answer"]["answered"], "no");
    let reason = report["answer"]["reason"].as_str().unwrap();
    assert!(reason.contains("do not mention “sequoia”"), "{reason}");
    assert_eq!(report["answer"]["text"], "");
    let shown = sandbox.run(&["report", question, "--library", "papers", "-q"]);
    let (head, passages) = shown.out.split_once("## Nearest passages").unwrap();
    assert!(head.contains("**Not answered.** Your documents do not mention “sequoia”"));
    assert!(!head.contains("> "), "{head}");
    assert!(passages.contains("drought"), "{passages}");
    assert_eq!(shown.out.matches("do not mention").count(), 1);
    sandbox.run(&[
        "report",
        question,
        "--library",
        "papers",
        "-q",
        "--out",
        "r.html",
    ]);
    let page = std::fs::read_to_string(sandbox.path("r.html")).unwrap();
    let (before, behind) = page.split_once("Nearest passages</summary>").unwrap();
    let (_, opening) = before.rsplit_once("<section").unwrap();
    assert!(opening.contains("<details>"), "{opening}");
    let (folded, _) = behind.split_once("</details>").unwrap();
    assert!(folded.contains("bears drought"), "{folded}");
}

#[test]
fn a_subject_that_is_misspelled_is_answered_with_the_nearest_term() {
    let sandbox = gingko_library();
    let (_, report) = reported(&sandbox, "How well does the gingko bear drought?", &[]);
    let answer = &report["answer"];
    let reason = answer["reason"].as_str().unwrap();
    assert!(
        reason.contains("“gingko”; did you mean “ginkgo”?"),
        "{reason}"
    );
    assert!(
        answer["text"]
            .as_str()
            .unwrap()
            .contains("bears drought and salt")
    );
}

#[test]
fn two_figures_for_one_measure_are_told_with_both_sides() {
    let sandbox = Sandbox::new();
    for (place, figure) in [("Orsby", "12,400"), ("Halvern", "18,900")] {
        let sentence = format!("The bridge over the Lenn carries {figure} vehicles a day.");
        sandbox.file(&format!("papers/{place}.md"), survey(place, &sentence));
    }
    let question = "How many vehicles does the bridge over the Lenn carry?";
    let (_, report) = reported(&sandbox, question, &[]);
    let told = report["summary"].as_str().unwrap();
    assert!(told.starts_with("Two sources disagree:"), "{told}");
    for figure in ["12,400", "18,900"] {
        let side = format!("> The bridge over the Lenn carries {figure} vehicles a day.");
        assert!(told.contains(&side), "{told}");
    }
    let shown = sandbox
        .run(&["report", question, "--library", "papers", "-q"])
        .out;
    assert!(shown.contains("## Where the sources disagree"), "{shown}");
}

#[test]
fn measures_of_two_things_are_no_disagreement() {
    let sandbox = Sandbox::new();
    sandbox.file(
        "papers/a.md",
        survey(
            "Orsby",
            "The bridge over the Lenn carries 12,400 vehicles a day.",
        ),
    );
    sandbox.file(
        "papers/b.md",
        survey(
            "Halvern",
            "The bridge over the Arn carries 18,900 vehicles a day.",
        ),
    );
    let (_, report) = reported(&sandbox, "How many vehicles do the bridges carry?", &[]);
    assert_eq!(report["contradictions"], serde_json::json!([]));
    assert_eq!(report["summary"], "");
}

#[test]
fn a_brief_is_written_in_the_language_of_its_question() {
    let cases = [
        (
            "Wie stark senken Straßenbäume die Lufttemperatur?",
            "# Straßenbäume\n\nDie Straßenbäume senkten die Lufttemperatur am Nachmittag um 1,7 Grad. Gemessen wurde drei Sommer lang in zwölf Straßen.\n",
            [
                "## Was die einzelnen Quellen sagen",
                "1 von 2 Dateien",
                "**Gelesene Quellen:**",
            ],
        ),
        (
            "De combien les arbres de rue abaissent-ils la température de l'air ?",
            "# Les arbres\n\nLes arbres de rue ont abaissé la température de l'air de 1,7 degré l'après-midi. Les mesures ont duré trois étés dans douze rues.\n",
            [
                "## Ce que dit chaque source",
                "1 fichier sur 2",
                "**Sources lues:**",
            ],
        ),
        (
            "¿Cuánto bajan los árboles de la calle la temperatura del aire?",
            "# Los árboles\n\nLos árboles de la calle bajaron la temperatura del aire 1,7 grados por la tarde. Las mediciones duraron tres veranos en doce calles.\n",
            [
                "## Lo que dice cada fuente",
                "1 de 2 archivos",
                "**Fuentes leídas:**",
            ],
        ),
    ];
    for (question, document, expected) in cases {
        let sandbox = Sandbox::new();
        sandbox.file("papers/a.md", document);
        sandbox.file("papers/photo.png", b"\x89PNG\r\n\x1a\n");
        let words = [
            "report",
            question,
            "--library",
            "papers",
            "-q",
            "--format",
            "md",
        ];
        let shown = sandbox.run(&words).out;
        for part in expected {
            assert!(shown.contains(part), "{part}\n{shown}");
        }
        assert!(shown.contains("1,7 "), "{shown}");
        for english in ["Answered", "Sources read", "could not", "Method", "Time"] {
            assert!(!shown.contains(english), "{english}\n{shown}");
        }
    }
}

#[test]
fn a_question_in_an_unknown_language_is_answered_plainly() {
    let sandbox = Sandbox::new();
    let question = "Kuinka paljon katupuut viilentävät ilmaa kesällä?";
    let ran = sandbox.run(&["report", question, "--library", "library", "-q"]);
    assert!([0, 3].contains(&ran.code), "{}", ran.err);
    let told = "**Not answered.** Nothing was found on the question.";
    assert!(ran.out.contains(told), "{}", ran.out);
}

#[test]
fn the_length_asked_for_is_kept_within_a_fifth() {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/street-trees");
    let library = library.to_str().unwrap();
    let asked = "How much do street trees lower the air temperature in summer?";
    let missing = "How much do ginkgo trees lower the air temperature in summer?";
    let sandbox = Sandbox::new();
    for length in [200, 300, 1_000] {
        let words = |question| {
            let length = length.to_string();
            let words = ["report", question, "--library", library, "-q"];
            let more = ["--format", "json", "--length", &length];
            let ran = sandbox.run(&[&words[..], &more].concat());
            body_words(&serde_json::from_str(&ran.out).unwrap())
        };
        let (answered, unanswered) = (words(asked), words(missing));
        let most = length * 6 / 5;
        assert!(
            (length * 4 / 5..=most).contains(&answered),
            "{answered} of {length}"
        );
        // Where nothing answers, a few near passages are enough.
        assert!((1..=most).contains(&unanswered), "{unanswered} of {length}");
    }
}

#[test]
fn the_best_passage_is_shown_however_short_the_report_is_to_be() {
    let sandbox = Sandbox::new();
    let question = "How much cooler was the afternoon air under street trees?";
    let words = [
        "report",
        question,
        "--library",
        "library",
        "-q",
        "--length",
        "100",
    ];
    let shown = sandbox.run(&words).out;
    assert!(shown.matches("1.9 °C cooler").count() >= 2, "{shown}");
}

#[test]
fn styles_differ_without_a_model() {
    let sandbox = Sandbox::new();
    let paragraph = |nth: usize| {
        format!(
            "## Part {nth}\n\nStreet trees lower the heat of summer in towns, as count {nth} shows. The air below their crowns was cooler.\n\n"
        )
    };
    let text: String = (1..=4).map(paragraph).collect();
    sandbox.file("papers/a.md", format!("# First\n\n{text}"));
    sandbox.file(
        "papers/b.md",
        "# Second\n\nStreet trees lower the heat of summer where they have water.\n",
    );
    let question = "Do street trees lower the heat of summer?";
    let section = |style: &str| {
        let (_, report) = reported(&sandbox, question, &["--style", style]);
        report["sections"][0]["text"].as_str().unwrap().to_owned()
    };
    let academic = section("academic");
    assert_eq!(academic.matches("### First").count(), 1, "{academic}");
    assert!(academic.contains("#### Part 2"), "{academic}");
    let technical = section("technical");
    assert!(technical.contains("### First › Part 2"), "{technical}");
    let executive = section("executive");
    assert_eq!(executive.matches("### First").count(), 1, "{executive}");
    assert_eq!(executive.matches("\n> ").count(), 2, "{executive}");
}

#[test]
fn a_library_that_mostly_cannot_be_read_says_so_also_when_quiet() {
    let sandbox = gingko_library();
    for name in ["a", "b", "c"] {
        sandbox.file(&format!("papers/{name}.png"), b"\x89PNG\r\n\x1a\n");
    }
    let question = "How well does the ginkgo bear drought?";
    let ran = sandbox.run(&["report", question, "--library", "papers", "-q"]);
    let told =
        "Most of your library is missing here: 3 of 5 files could not be read and were left out.";
    assert_eq!(ran.out.matches(told).count(), 1, "{}", ran.out);
    let file = sandbox.run(&[
        "report",
        question,
        "--library",
        "papers",
        "-q",
        "--format",
        "md",
    ]);
    assert_eq!(file.out.matches(told).count(), 1, "{}", file.out);
}

#[test]
fn a_price_that_is_not_told_is_said_to_be_missing_and_a_cost_in_time_is_no_price() {
    let sandbox = Sandbox::new();
    sandbox.file(
        "papers/calls.md",
        "# Calls\n\nA virtual call costs two loads from memory and one jump.\n",
    );
    sandbox.file(
        "papers/licences.md",
        "# Licences\n\nA licence is given to every member who asks for one in writing.\n",
    );
    let answered = |question: &str| {
        let (_, report) = reported(&sandbox, question, &[]);
        report["answer"].clone()
    };
    let call = answered("how much does a virtual call cost?");
    assert!(
        call["text"].as_str().unwrap().contains("two loads"),
        "{call}"
    );
    let licence = answered("What does a licence cost?");
    assert_eq!(licence["answered"], "no");
    let reason = licence["reason"].as_str().unwrap();
    assert!(reason.contains("amount of money"), "{reason}");
}

#[test]
fn one_file_answers_for_itself() {
    let sandbox = gingko_library();
    let question = "How wide is the crown of a ginkgo?";
    let words = ["report", question, "--library", "papers/ginkgo.md", "-q"];
    let ran = sandbox.run(&words);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("8 metres wide"), "{}", ran.out);
    assert!(ran.out.contains("1 source cited, 1 read"), "{}", ran.out);
}

#[test]
fn a_file_that_changes_after_it_was_read_is_quoted_as_it_was() {
    let sandbox = gingko_library();
    let question = "How wide is the crown of a ginkgo?";
    let words = [
        "report",
        question,
        "--library",
        "papers",
        "--stop",
        "after search",
        "--json",
        "-q",
    ];
    let stopped = sandbox.run(&words);
    assert_eq!(stopped.code, 4, "{}", stopped.err);
    let id = stopped.result()["run"].as_str().unwrap().to_owned();
    sandbox.file(
        "papers/ginkgo.md",
        "# Street trees\n\nThe crown of a ginkgo is 90 metres wide.\n",
    );
    std::fs::remove_file(sandbox.path("papers/limes.md")).unwrap();
    let done = sandbox.run(&["runs", "review", &id, "approve", "-q"]);
    assert!([0, 3].contains(&done.code), "{}", done.err);
    let shown = sandbox.run(&["runs", "export", &id, "--format", "json"]);
    let report: Value = serde_json::from_str(&shown.out).unwrap();
    let answer = report["answer"]["text"].as_str().unwrap();
    assert!(answer.contains("8 metres wide"), "{answer}");
    let claims = &report["figures"]["claims"];
    assert_eq!(claims["supported"], claims["claims"]);
}

#[test]
fn a_report_that_is_piped_ends_with_its_sources_and_a_file_tells_its_method() {
    let sandbox = gingko_library();
    let words = [
        "report",
        "How well does the ginkgo bear drought?",
        "--library",
        "papers",
    ];
    let piped = sandbox.run(&words);
    assert!(
        !piped.out.contains("How this report was made"),
        "{}",
        piped.out
    );
    assert!(piped.out.trim_end().lines().last().unwrap().contains(".md"));
    assert!(
        piped.err.trim_end().ends_with("--out report.html"),
        "{}",
        piped.err
    );
    sandbox.run(&[&words[..], &["--out", "r.md"]].concat());
    let file = std::fs::read_to_string(sandbox.path("r.md")).unwrap();
    assert!(file.contains("## How this report was made"), "{file}");
}
