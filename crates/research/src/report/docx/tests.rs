//! The promises of the document: it opens whatever its texts are, leads nowhere that it should not, and says what the
//! report says.

use std::collections::BTreeSet;
use std::io::{Cursor, Read as _};

use fathom_evidence::extract::{Hint, read};
use proptest::prelude::*;
use roxmltree::{Document as Tree, Node};

use super::*;

mod lists;
mod tables;
use crate::report::html::{HtmlOptions, html};
use crate::report::markdown::{MarkdownOptions, markdown};
use crate::report::{clean, method, sample};

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
    let bytes = docx(&report).unwrap();
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
                    if outside && (clean::link(&to).is_none() || !is_uri(&to)) {
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

/// Whether an address is one by RFC 3986, told without the parser that the product uses.
fn is_uri(text: &str) -> bool {
    let (whole, fragment) = text.split_once('#').unwrap_or((text, ""));
    let (scheme, rest) = whole.split_once(':').unwrap_or_default();
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len())),
        None => ("", rest),
    };
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let (host, port) = match host.strip_prefix('[').map(|host| host.split_once(']')) {
        Some(Some((numbers, port))) => match numbers.parse::<std::net::Ipv6Addr>() {
            Ok(_) => ("numbers", port),
            Err(_) => return false,
        },
        Some(None) => return false,
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let port = port.strip_prefix(':').unwrap_or("0");
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/?@!$&'()*+,;=%".contains(c);
    let hex = |part: &str| part.len() >= 2 && u8::from_str_radix(&part[..2], 16).is_ok();
    (scheme == "mailto" || (scheme.starts_with("http") && !host.is_empty()))
        && port.parse::<u16>().is_ok()
        && [host, path, fragment]
            .iter()
            .all(|part| part.chars().all(plain))
        && text.split('%').skip(1).all(hex)
}

/// Addresses that Word would refuse the whole file for, and some that it takes.
const ADDRESSES: [&str; 12] = [
    "http://[::1/",
    "http://[::1]:80/",
    "http://example.org:99999999/",
    "https://example.org/%zz[x]",
    "https://example.org/50%",
    "https://example.org/?a[]=%5B",
    "https://example.org/#a#b",
    "https://a..example/",
    "https://例え.example/木?q=ü",
    "mailto:a@b.example?subject=%x",
    "http://%41/",
    "https://user:word@example.org:8080/",
];

#[test]
fn an_address_that_word_would_refuse_is_shown_as_plain_words() {
    for address in ADDRESSES {
        let report = sample::filled_with(address);
        assert_eq!(faults(&docx(&report).unwrap()), Vec::<String>::new());
    }
    let mut report = sample::full();
    report.summary = "Read [the first plan](http://[::1/), <http://example.org:99999999/> or \
                      [the second *plan*](https://example.org/a?b=c&d)."
        .to_owned();
    let bytes = docx(&report).unwrap();
    let text = text_of(&bytes);
    for words in ["the first plan", "http://example.org:99999999/"] {
        let run = format!("<w:r><w:rPr></w:rPr><w:t xml:space=\"preserve\">{words}</w:t></w:r>");
        assert!(text.contains(&run), "{words}");
    }
    let relations = unpacked(&bytes).remove(4).1;
    assert!(!relations.contains("9999"));
    assert!(relations.contains("Target=\"https://example.org/a?b=c&amp;d\""));
}

#[test]
fn our_own_reader_finds_every_heading_quote_and_reference_in_it() {
    let report = sample::full();
    let hint = Hint {
        file_name: Some("report.docx"),
        ..Hint::default()
    };
    let document = read(&docx(&report).unwrap(), &hint).unwrap();
    let text = clean::skeleton(&document.text);
    let titles = parts(&report, true)
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
    let bytes = docx(&report).unwrap();
    assert_eq!(faults(&bytes), Vec::<String>::new());
    let body = text_of(&bytes);
    for source in &report.sources {
        let id = source.id.0;
        assert!(body.contains(&format!("w:name=\"source{id}\"")), "{id}");
    }
    assert!(body.contains("w:anchor=\"source1\" w:tooltip=\""));
}

#[test]
fn a_partial_report_says_so_before_its_figures() {
    let body = text_of(&docx(&sample::partial()).unwrap());
    let warning = body.find("This is a partial report").unwrap();
    assert!(warning < body.find("Claims: ").unwrap());
    assert!(faults(&docx(&sample::empty()).unwrap()).is_empty());
}

#[test]
fn the_same_report_gives_the_same_bytes() {
    assert_eq!(
        docx(&sample::full()).unwrap(),
        docx(&sample::full()).unwrap()
    );
}

#[test]
fn no_part_of_the_file_bears_the_time_of_its_making() {
    let bytes = docx(&sample::full()).unwrap();
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
        source.about.title = "n".repeat(300);
    }
    let name = clean::name(&"n".repeat(300));
    let hash = method::short_hash(&report.claims[0].proofs[0]);
    let body = text_of(&docx(&report).unwrap());
    assert!(body.contains(&format!("tooltip=\"{name}\"")));
    assert!(body.contains(&format!("] ({name})")));
    assert!(body.contains(&format!("] {hash} ")));
    let page = markdown(&report, &MarkdownOptions::default());
    assert!(page.contains(&format!(" ({name})")));
    assert!(page.contains(&format!("`{hash}`")));
    let page = html(&report, &HtmlOptions::default());
    assert!(page.contains(&format!("\"auto\">{name}</span>")));
    assert!(page.contains(&format!("{name}</span> · <code")));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_the_texts_are_the_file_is_sound(text in "(?s).{0,80}") {
        let bytes = docx(&sample::filled_with(&text)).unwrap();
        prop_assert_eq!(faults(&bytes), Vec::<String>::new());
    }

    #[test]
    fn whatever_the_addresses_are_the_file_is_sound(
        scheme in "(https?://|mailto:)",
        host in r"[a-z.:@%!木\[\]0-9]{0,12}",
        path in r"[/?#]?[a-z%0-9\[\]{}|^!&=;木#?@/:]{0,20}",
        known in proptest::sample::select(ADDRESSES.to_vec()),
    ) {
        let address = format!("{scheme}{host}{path}");
        for text in [address.clone(), format!("[words](<{address}>) <{address}> [w]({known}{path})")] {
            let bytes = docx(&sample::filled_with(&text)).unwrap();
            prop_assert_eq!(faults(&bytes), Vec::<String>::new());
        }
    }

    #[test]
    fn markup_in_the_texts_stays_text(text in r#"[<>&"'\]\[() :/w.p!*_#|`\n-]{0,60}(file:///etc|javascript:x|https://example\.org/?a=1&b=2)?"#) {
        let bytes = docx(&sample::filled_with(&text)).unwrap();
        prop_assert_eq!(faults(&bytes), Vec::<String>::new());
    }
}
