//! The first command of the README, over the example library, without a model.

use std::path::{Path, PathBuf};

use fathom_evidence::extract::{self, FormatHint};
use serde_json::Value;

use super::sandbox::Sandbox;

const EXAMPLE: &str = "How much do street trees lower the air temperature in summer?";

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/street-trees")
}

/// The report, with its times taken out.
fn reported() -> Value {
    let library = examples();
    let library = library.to_str().unwrap();
    let words = [
        "report",
        EXAMPLE,
        "--library",
        library,
        "--format",
        "json",
        "-q",
    ];
    let ran = Sandbox::new().run(&words);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let mut report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["status"], "complete");
    report["finished_at"].take();
    report["figures"]["time_ms"].take();
    for source in report["sources"].as_array_mut().unwrap() {
        source["snapshot"]["taken_at"].take();
    }
    report
}

#[test]
fn the_same_command_gives_the_same_bytes_and_every_quote_stands_in_its_file() {
    let report = reported();
    let again = reported();
    assert_eq!(
        serde_json::to_string_pretty(&report).unwrap(),
        serde_json::to_string_pretty(&again).unwrap()
    );
    let quotes = quotes(&report);
    assert!(quotes.len() > 5, "{}", quotes.len());
    for quote in quotes {
        stands_in_its_file(&report, quote);
    }
}

#[test]
fn the_report_opens_with_what_the_studies_found_together() {
    let report = reported();
    let answer = report["answer"]["text"].as_str().unwrap();
    let opening = answer.lines().next().unwrap();
    assert!(opening.contains("afternoon cooling"), "{opening}");
    assert!(opening.contains("between 1.5 and 2.5 °C"), "{opening}");
}

#[test]
fn the_report_names_both_sides_on_nights_and_what_explains_them() {
    let report = reported();
    let told = report["summary"].as_str().unwrap();
    for side in [
        "> Closed canopy lowered the night air temperature in Halvern streets by 0.4 °C. [",
        "> Closed canopy raised the night air temperature in Halvern streets by 0.6 °C. [",
        "we see no conflict between the two once width is taken into account. [",
    ] {
        assert!(told.contains(side), "{told}");
    }
}

#[test]
fn every_quote_of_the_answer_and_its_disagreements_stands_in_a_file() {
    let report = reported();
    let texts = [&report["answer"]["text"], &report["summary"]];
    let lines = texts.iter().flat_map(|text| text.as_str().unwrap().lines());
    let quotes = lines.filter_map(|line| line.strip_prefix("> "));
    let quotes: Vec<&str> = quotes
        .map(|line| line.rsplit_once(" [").unwrap().0)
        .collect();
    assert!(quotes.len() > 5, "{quotes:?}");
    let files = std::fs::read_dir(examples()).unwrap();
    let files: Vec<String> = files
        .map(|file| {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let hint = FormatHint {
                file_name: Some(name),
                ..FormatHint::default()
            };
            let read = extract::read(&std::fs::read(&path).unwrap(), &hint);
            folded(&read.unwrap().text)
        })
        .collect();
    for quote in quotes {
        assert!(files.iter().any(|file| file.contains(quote)), "{quote}");
    }
}

fn quotes(report: &Value) -> Vec<&Value> {
    let lists = [("claims", "proofs"), ("contradictions", "sides")];
    let of = |(list, quotes): (&str, &'static str)| {
        let items = report[list].as_array().unwrap().iter();
        items.flat_map(move |item| item[quotes].as_array().unwrap())
    };
    lists.into_iter().flat_map(of).collect()
}

fn stands_in_its_file(report: &Value, quote: &Value) {
    let words = quote["quote"].as_str().unwrap();
    let place = |name: &str| usize::try_from(quote[name].as_u64().unwrap()).unwrap();
    let sources = report["sources"].as_array().unwrap();
    let source = sources
        .iter()
        .find(|source| source["number"] == quote["source"]);
    let name = source.unwrap()["location"].as_str().unwrap();
    let path = examples().join(name);
    let bytes = std::fs::read(&path).unwrap();
    let hint = FormatHint {
        file_name: Some(name),
        ..FormatHint::default()
    };
    let text = extract::read(&bytes, &hint).unwrap().text;
    assert_eq!(&text[place("start")..place("end")], words, "{name}");
    // Where the file is its own text, that is looked at too.
    let plain = path.extension().is_some_and(|ending| ending == "txt");
    assert!(!plain || folded(&String::from_utf8(bytes).unwrap()).contains(&folded(words)));
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
