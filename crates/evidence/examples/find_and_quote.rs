//! Finds what some files say on a question, and quotes it with the place it stands at:
//!
//! `cargo run --example find_and_quote -p fathom-evidence -- "Why is every loop bounded?" *.md`

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing is what an example is for"
)]

use std::collections::BTreeMap;
use std::error::Error;
use std::process::ExitCode;

use fathom_evidence::extract::{self, FormatHint};
use fathom_evidence::locate::{LocateSettings, PassageCandidate, PassageEntry, PassageIndex};
use fathom_evidence::passage::{self, passages};
use fathom_evidence::terms::Terms;
use fathom_evidence::{Document, Passage, quote};

struct Read {
    document: Document,
    passages: Vec<Passage>,
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let question = words.next();
    let files: Vec<String> = words.collect();
    let (Some(question), false) = (question, files.is_empty()) else {
        eprintln!("usage: find_and_quote QUESTION FILE…");
        return ExitCode::from(2);
    };
    match answer(&question, &files) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn answer(question: &str, files: &[String]) -> Result<(), Box<dyn Error>> {
    let mut read = BTreeMap::new();
    for file in files {
        match open(file) {
            Ok(found) => {
                read.insert(file.as_str(), found);
            }
            // One that cannot be read is no reason to leave the others.
            Err(error) => eprintln!("{file}: {error}"),
        }
    }
    let entries = read
        .iter()
        .flat_map(|(file, read)| PassageEntry::from_document(file, &read.document, &read.passages))
        .collect();
    let language = read
        .values()
        .next()
        .ok_or("none of the files could be read")?
        .document
        .language();
    let pool = PassageIndex::new(entries, language);
    for candidate in pool.locate(question, &LocateSettings::default()) {
        if let Some(read) = read.get(candidate.key.source.as_str()) {
            show(question, &candidate, read);
        }
    }
    Ok(())
}

fn open(file: &str) -> Result<Read, Box<dyn Error>> {
    let bytes = std::fs::read(file)?;
    let hint = FormatHint {
        file_name: Some(file),
        ..FormatHint::default()
    };
    let document = extract::read(&bytes, &hint)?;
    let passages = passages(&document, &passage::PassageSettings::default());
    Ok(Read { document, passages })
}

fn show(question: &str, candidate: &PassageCandidate, read: &Read) {
    let is_it = |passage: &Passage| passage.id == candidate.key.passage;
    let Some(at) = read.passages.iter().position(is_it) else {
        return;
    };
    let document = &read.document;
    let passage = &read.passages[at];
    let terms = Terms::new(document.language());
    let asked = terms.telling(question);
    let shared = |text: &str| {
        let said = terms.telling(text);
        asked.iter().filter(|term| said.contains(term)).count()
    };
    let sentences = passage.sentences.iter();
    let texts = sentences.filter_map(|span| Some((span, document.at(*span)?)));
    let Some((span, sentence)) = texts.max_by_key(|(_, text)| shared(text)) else {
        return;
    };
    let by: Vec<&str> = candidate
        .support
        .iter()
        .map(|s| s.locator.as_str())
        .collect();
    let sections = passage.sections.join(" › ");
    println!("{} · {sections}", candidate.key.source);
    println!("    found by {}", by.join(", "));
    let proof = quote::find(&document.text, sentence, &quote::QuoteSettings::default());
    let place = proof.map_or(*span, |found| found.span);
    println!("    “{}”", sentence.replace('\n', " "));
    println!("    bytes {} to {}\n", place.start, place.end);
}
