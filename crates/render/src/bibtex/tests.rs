use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::Deserialize;
use serde_bibtex::de::Deserializer;

use super::*;
use crate::tests::sample;

/// An entry as another program reads it.
#[derive(Debug, Deserialize)]
struct BibtexRecord {
    entry_type: String,
    entry_key: String,
    fields: BTreeMap<String, String>,
}

fn read(text: &str) -> Result<Vec<BibtexRecord>, String> {
    let entries = Deserializer::from_str(text).into_iter_regular_entry();
    let entries: Result<Vec<BibtexRecord>, _> = entries.collect();
    entries.map_err(|fault| format!("{fault:?}:\n{text}"))
}

#[test]
fn entries_hold_what_is_known() {
    insta::assert_snapshot!(bibtex(&sample::full()));
}

#[test]
fn a_parser_reads_back_what_was_written() {
    let report = sample::full();
    let read = read(&bibtex(&report)).unwrap();
    assert_eq!(read.len(), report.sources.len());
    let trial = &read[0];
    assert_eq!(
        (trial.entry_type.as_str(), trial.entry_key.as_str()),
        ("article", "vanderberg2023cooling")
    );
    assert_eq!(trial.fields["doi"], "10.5555/jus.2023.0117");
    assert_eq!(
        trial.fields["author"],
        "van der Berg, Ada and Lind, Bo Carl and Moss, D."
    );
    assert_eq!(read[2].fields["author"], "{Orsby Town Council}");
    assert_eq!(
        read[2].fields["title"],
        "{Heat plan [draft *2*] | shade \\& water}"
    );
    assert_eq!(read[6].entry_type, "techreport");
}

#[test]
fn a_report_without_sources_gives_no_entry() {
    assert_eq!(bibtex(&sample::empty()), "");
}

#[test]
fn works_that_look_alike_have_keys_of_their_own() {
    let mut report = sample::full();
    let one = report.sources.remove(0);
    report.sources = vec![one; 40];
    let read = read(&bibtex(&report)).unwrap();
    let keys: BTreeSet<&str> = read.iter().map(|entry| entry.entry_key.as_str()).collect();
    assert_eq!(keys.len(), 40);
    assert!(keys.contains("vanderberg2023coolingb") && keys.contains("vanderberg2023cooling-2"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_text_gives_entries_that_parse(text in "[-{}\\\\\"@%#$&_^~,=a-cA é王1./:and \n']{0,40}") {
        let report = sample::filled_with(&text);
        let read = read(&bibtex(&report)).map(|entries| entries.len());
        prop_assert_eq!(read, Ok(report.sources.len()));
    }
}
