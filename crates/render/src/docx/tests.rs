//! The promises of the document: it opens whatever its texts are, leads nowhere that it should not, and says what the
//! report says.

use std::collections::BTreeSet;
use std::io::{Cursor, Read as _};

use fathom_evidence::extract::{FormatHint, read};
use proptest::prelude::*;
use roxmltree::{Document as Tree, Node};

use super::*;

mod addresses;
mod lists;
mod order;
mod tables;
use crate::html::html;
use crate::markdown::markdown;
use crate::tests::sample;
use crate::{clean, notes};

/// The parts of the file by name.
fn unpacked(bytes: &[u8]) -> Vec<(String, String)> {
    let mut package = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut all = Vec::new();
    for at in 0..package.len() {
        let mut part = package.by_index(at).unwrap();
        let name = part.name().unwrap().into_owned();
        let mut text = String::new();
        part.read_to_string(&mut text).unwrap();
        all.push((name, text));
    }
    all
}

/// The part with the text.
fn text_of(bytes: &[u8]) -> String {
    let parts = unpacked(bytes).into_iter();
    let mut text = parts.filter(|(name, _)| name == "word/document.xml");
    text.next().unwrap().1
}

/// A sound file whose first section has this text.
fn with_text(text: &str) -> Vec<u8> {
    let mut report = sample::full();
    report.sections[0].text = text.to_owned();
    let bytes = docx(&report, &FormOptions::FULL).unwrap();
    assert_eq!(faults(&bytes), Vec::<String>::new());
    bytes
}

/// A paragraph as a reader sees it.
#[derive(Debug)]
struct Paragraph {
    style: String,
    /// The list whose mark it carries, and the level in it.
    mark: Option<(usize, usize)>,
    /// How far from the margin it begins, where it says so itself.
    left: Option<usize>,
    words: String,
}

fn paragraphs(text: &str) -> Vec<Paragraph> {
    let tree = Tree::parse(text).unwrap();
    let one = |node: Node<'_, '_>| {
        let of = |element: &str, attribute: &str| {
            let mut all = node.descendants();
            let element = all.find(|node| node.tag_name().name() == element)?;
            let mut all = element.attributes();
            let found = all.find(|one| one.name() == attribute)?;
            Some(found.value().to_owned())
        };
        let number = |element: &str, attribute: &str| of(element, attribute)?.parse().ok();
        let words = node.descendants().filter(Node::is_text);
        Paragraph {
            style: of("pStyle", "val").unwrap_or_default(),
            mark: number("numId", "val").zip(number("ilvl", "val")),
            left: number("ind", "left"),
            words: words.filter_map(|node| node.text()).collect(),
        }
    };
    let all = tree.descendants();
    all.filter(|node| node.tag_name().name() == "p")
        .map(one)
        .collect()
}

/// What in the file is broken or leads elsewhere than to the web; nothing if it is sound.
fn faults(bytes: &[u8]) -> Vec<String> {
    let parts = unpacked(bytes);
    let mut faults = Vec::new();
    let (mut wanted, mut there) = (BTreeSet::new(), BTreeSet::new());
    for (name, text) in &parts {
        let tree = match Tree::parse(text) {
            Ok(tree) => tree,
            Err(error) => {
                faults.push(format!("{name}: {error}"));
                continue;
            }
        };
        for node in tree.descendants().filter(Node::is_element) {
            faults.extend(order::misplaced(node));
            let of = |wanted: &str| {
                let mut all = node.attributes();
                all.find(|one| one.name() == wanted)
                    .map(|one| one.value().to_owned())
            };
            match node.tag_name().name() {
                "hyperlink" => wanted.extend(of("id").or_else(|| of("anchor"))),
                "bookmarkStart" => there.extend(of("name")),
                "Relationship" => {
                    there.extend(of("Id"));
                    let to = of("Target").unwrap_or_default();
                    let outside = of("TargetMode").is_some();
                    if outside && (clean::link(&to).is_none() || !addresses::is_uri(&to)) {
                        faults.push(format!("a way to {to}"));
                    }
                }
                "instrText" | "fldSimple" | "object" | "altChunk" | "drawing" => {
                    faults.push(node.tag_name().name().to_owned());
                }
                _ => {}
            }
        }
    }
    let lost = wanted.difference(&there).cloned();
    faults.extend(lost.map(|name| format!("no place {name}")));
    faults
}

#[test]
fn our_own_reader_finds_every_heading_quote_and_reference_in_it() {
    let report = sample::full();
    let hint = FormatHint {
        file_name: Some("report.docx"),
        ..FormatHint::default()
    };
    let document = read(&docx(&report, &FormOptions::FULL).unwrap(), &hint).unwrap();
    let text = clean::skeleton(&document.text);
    let titles = parts(&report, &FormOptions::FULL)
        .into_iter()
        .map(|part| part.title(&report));
    let quotes = report.claims.iter().flat_map(|claim| &claim.proofs);
    let quotes = quotes.map(|proof| proof.quote.clone());
    // References cut long titles short.
    let sources = report.sources.iter();
    let sources = sources.map(|source| source.name().chars().take(60).collect());
    for words in titles.chain(quotes).chain(sources) {
        assert!(
            text.contains(&clean::skeleton(&words)),
            "{words} is missing"
        );
    }
    assert_eq!(
        document.about.title.as_deref(),
        Some(title(&report).as_str())
    );
}

#[test]
fn each_citation_leads_to_its_reference_and_names_the_source() {
    let report = sample::full();
    let bytes = docx(&report, &FormOptions::FULL).unwrap();
    assert_eq!(faults(&bytes), Vec::<String>::new());
    let body = text_of(&bytes);
    for source in &report.sources {
        let id = source.number.0;
        assert!(body.contains(&format!("w:name=\"source{id}\"")), "{id}");
    }
    assert!(body.contains("w:anchor=\"source1\" w:tooltip=\""));
}

#[test]
fn a_partial_report_says_so_before_its_figures() {
    let body = text_of(&docx(&sample::partial(), &FormOptions::FULL).unwrap());
    let warning = body.find("This is a partial report").unwrap();
    assert!(warning < body.find("Claims:").unwrap());
    assert!(faults(&docx(&sample::empty(), &FormOptions::FULL).unwrap()).is_empty());
}

#[test]
fn the_same_report_gives_the_same_bytes() {
    assert_eq!(
        docx(&sample::full(), &FormOptions::FULL).unwrap(),
        docx(&sample::full(), &FormOptions::FULL).unwrap()
    );
}

#[test]
fn no_part_of_the_file_bears_the_time_of_its_making() {
    let bytes = docx(&sample::full(), &FormOptions::FULL).unwrap();
    let mut package = zip::ZipArchive::new(Cursor::new(&bytes)).unwrap();
    for at in 0..package.len() {
        let part = package.by_index(at).unwrap();
        let stored = part.last_modified();
        assert_eq!(stored, Some(zip::DateTime::DEFAULT), "part {at}");
    }
    for (name, text) in unpacked(&bytes) {
        assert!(!text.contains("dcterms"), "{name} tells a time");
    }
}

#[test]
fn names_and_hashes_are_cut_as_in_the_other_formats() {
    let mut report = sample::full();
    for source in &mut report.sources {
        source.title = "n".repeat(300);
    }
    let name = clean::name(&"n".repeat(300));
    let hash = notes::short_hash(&report.claims[0].proofs[0]);
    let body = text_of(&docx(&report, &FormOptions::FULL).unwrap());
    assert!(body.contains(&format!("tooltip=\"{name}\"")));
    assert!(body.contains(&format!("({name})")));
    assert!(body.contains(&format!(">{hash}<")));
    let page = markdown(&report, &FormOptions::FULL);
    assert!(page.contains(&format!(" ({name})")));
    assert!(page.contains(&format!("`{hash}`")));
    let page = html(&report);
    assert!(page.contains(&format!(" ({name})")));
    assert!(page.contains(&format!("{name}</span> · <code")));
}

#[test]
fn second_looks_relaxed_proofs_and_revisions_stand_in_every_format() {
    let mut report = sample::full();
    report.conclusion = "Streets stayed warmer at night [2]. *(weak match)*".to_owned();
    let body = text_of(&docx(&report, &FormOptions::FULL).unwrap());
    let forms = [body, markdown(&report, &FormOptions::FULL), html(&report)];
    for form in &forms {
        for told in [
            "(weak match)",
            "accepted under relaxed rules",
            "Second looks under relaxed rules",
            "Draft 2, summary: 1 new sentence",
        ] {
            assert!(form.contains(told), "{told}: {form}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_the_texts_are_the_file_is_sound(text in "(?s).{0,80}") {
        let bytes = docx(&sample::filled_with(&text), &FormOptions::FULL).unwrap();
        prop_assert_eq!(faults(&bytes), Vec::<String>::new());
    }

    #[test]
    fn markup_in_the_texts_stays_text(text in r#"[<>&"'\]\[() :/w.p!*_#|`\n-]{0,60}(file:///etc|javascript:x|https://example\.org/?a=1&b=2)?"#) {
        let bytes = docx(&sample::filled_with(&text), &FormOptions::FULL).unwrap();
        prop_assert_eq!(faults(&bytes), Vec::<String>::new());
    }
}
