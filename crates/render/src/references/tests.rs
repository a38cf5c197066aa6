use super::*;
use crate::tests::sample;

fn list(style: &str) -> String {
    let lines = set(&sample::sources(), &style.parse().unwrap());
    let lines = lines
        .iter()
        .map(|line| format!("[{}] {}", line.source.0, plain(&line.pieces)));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn numeric_references_are_plain() {
    insta::assert_snapshot!(list("numeric"));
}

#[test]
fn six_styles_set_the_same_works_each_in_its_way() {
    for style in [
        "apa",
        "ieee",
        "vancouver",
        "mla",
        "nature",
        "chicago-author-date",
    ] {
        insta::assert_snapshot!(style, list(style));
    }
}

#[test]
fn every_style_keeps_the_order_and_loses_no_author_and_no_address() {
    let sources = sample::sources();
    for style in CitationStyle::names() {
        let lines = set(&sources, &style.parse().unwrap());
        let numbers: Vec<u32> = lines.iter().map(|line| line.source.0).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7], "{style}");
        let first = plain(&lines[0].pieces).to_lowercase();
        assert!(first.contains("berg"), "{style}: {first}");
        assert!(!first.contains("ahead of print"), "{style}: {first}");
        for (line, source) in lines.iter().zip(&sources) {
            let words = plain(&line.pieces);
            let linked = line
                .pieces
                .iter()
                .any(|piece| matches!(piece, ReferencePiece::Link { .. }));
            assert!(
                linked || words.contains(&source.location),
                "{style}: {words}"
            );
            assert_eq!(
                words.contains("Retracted."),
                source.retracted,
                "{style}: {words}"
            );
            assert_eq!(
                words.contains("[Not read"),
                source.snapshot.is_none(),
                "{style}"
            );
        }
    }
}

#[test]
fn any_text_in_a_work_is_set_in_any_style() {
    for text in [
        "{",
        "$x$",
        "}{\\",
        "*a* _b_ <c>",
        "\u{202e}",
        "",
        "et al.",
        "\u{0}1900-99-99",
        "10.1/{",
    ] {
        let sources = sample::filled_with(text).sources;
        for style in ["apa", "ieee", "vancouver", "mla", "nature", "alphanumeric"] {
            assert_eq!(
                set(&sources, &style.parse().unwrap()).len(),
                7,
                "{style} {text:?}"
            );
        }
    }
}

#[test]
fn a_style_that_is_not_known_is_refused_with_the_nearest_names() {
    let refused = "vancover".parse::<CitationStyle>().unwrap_err().to_string();
    assert!(
        refused.contains("\"vancover\"") && refused.contains("vancouver"),
        "{refused}"
    );
    let refused = "chicago".parse::<CitationStyle>().unwrap_err().to_string();
    assert!(refused.contains("chicago-"), "{refused}");
    assert_eq!(" APA ".parse::<CitationStyle>().unwrap().name(), "apa");
    let stored = serde_json::to_string(&"ieee".parse::<CitationStyle>().unwrap()).unwrap();
    assert_eq!(stored, "\"ieee\"");
}

#[test]
fn a_stored_style_that_is_not_known_any_more_is_kept_and_sets_a_numbered_list() {
    let stored: CitationStyle = serde_json::from_str("\"of-tomorrow\"").unwrap();
    assert_eq!(serde_json::to_string(&stored).unwrap(), "\"of-tomorrow\"");
    assert_eq!(list_in(&stored), list_in(&CitationStyle::default()));
    assert!(stored.check().is_err());
    assert!(CitationStyle::default().check().is_ok());
    assert!("apa".parse::<CitationStyle>().unwrap().check().is_ok());
}

#[test]
fn a_doi_is_an_address_whatever_stands_before_it() {
    for doi in [
        "10.5555/x.1",
        "doi:10.5555/x.1",
        "https://dx.doi.org/10.5555/x.1",
        " DOI 10.5555/x.1",
    ] {
        assert_eq!(
            doi_link(doi).as_deref(),
            Some("https://doi.org/10.5555/x.1"),
            "{doi}"
        );
    }
    for none in [
        "",
        "10.5555",
        "10./x",
        "javascript:10.x/alert(1)",
        "10.5555/ a b",
    ] {
        assert_eq!(doi_link(none), None, "{none}");
    }
}

/// An article without a volume, with this title.
fn article(title: &str) -> Vec<CitedSource> {
    let mut source = sample::sources().remove(0);
    source.title = title.to_owned();
    vec![source]
}

#[test]
fn a_title_keeps_the_words_that_a_style_is_not_to_add() {
    let titles = [
        "Why Epub ahead of print matters: ahead of print, or in press",
        "A note [published online ahead of print] on (shade,) and stops",
        "Who asked?. Nobody",
        ".NET and trees",
    ];
    for style in CitationStyle::names() {
        let parsed = style.parse().unwrap();
        let line = |title: &str| plain(&set(&article(title), &parsed)[0].pieces);
        // Some styles of chemistry and physics print no titles.
        let titled = line("Plain Words").to_lowercase().contains("plain words");
        for title in titles.iter().filter(|_| titled) {
            let words = line(title);
            let rest = words.to_lowercase().replacen(&title.to_lowercase(), "", 1);
            assert!(rest.len() < words.len(), "{style}: {words}");
            assert!(!rest.contains("ahead of print"), "{style}: {words}");
            assert!(!rest.contains("in press"), "{style}: {words}");
        }
    }
}

#[test]
fn no_style_sets_an_address_or_a_stop_twice() {
    for style in CitationStyle::names() {
        let parsed = style.parse().unwrap();
        for title in ["Do trees cool?", "Shade!", "Shade"] {
            let line = &set(&article(title), &parsed)[0];
            let links = line.pieces.iter();
            let links = links.filter(|piece| matches!(piece, ReferencePiece::Link { .. }));
            assert_eq!(links.count(), 1, "{style}: {}", plain(&line.pieces));
            let words = plain(&line.pieces);
            for twice in ["?.", "!.", "..", ",)", " ."] {
                assert!(!words.contains(twice), "{style}: {words}");
            }
        }
    }
}

#[test]
fn the_day_of_reading_is_told_once_whatever_else_has_its_numbers() {
    let mut source = sample::sources().remove(2);
    source.title = "16 of 2026 plans".to_owned();
    source.published = Some("2026-11-16".to_owned());
    let line = |style: &str| {
        let lines = set(std::slice::from_ref(&source), &style.parse().unwrap());
        plain(&lines[0].pieces)
    };
    assert!(line("apa").contains("(read 2026-11-16)"), "{}", line("apa"));
    let ieee = line("ieee");
    assert!(ieee.contains("Accessed: Nov. 16, 2026"), "{ieee}");
    assert!(!ieee.contains("(read"), "{ieee}");
}

#[test]
fn the_file_is_told_even_if_the_title_has_its_name_inside() {
    let mut source = sample::sources().remove(6);
    source.location = "shade".to_owned();
    let lines = set(&[source], &"apa".parse().unwrap());
    assert!(plain(&lines[0].pieces).ends_with("File shade"));
}

/// A small style of a reader's own.
const OWN_STYLE: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0">
  <info><title>Orsby House Style</title><id>orsby</id><updated>2026-01-01T00:00:00+00:00</updated></info>
  <macro name="title"><text variable="title" quotes="true"/></macro>
  <citation><layout><text variable="citation-number"/></layout></citation>
  <bibliography><layout suffix="."><group delimiter="; "><names variable="author"/><text macro="title"/></group></layout></bibliography>
</style>"#;

#[test]
fn any_csl_file_is_a_style_and_is_stored_with_its_text() {
    let style: CitationStyle = format!("\u{feff}{OWN_STYLE}\n").parse().unwrap();
    assert_eq!(style.name(), "Orsby House Style");
    let line = plain(&set(&article("Shade"), &style)[0].pieces);
    assert_eq!(
        line,
        "Ada van der Berg, Bo Carl Lind, D. Moss; “Shade.” https://doi.org/10.5555/jus.2023.0117"
    );
    let stored = serde_json::to_string(&style).unwrap();
    let again: CitationStyle = serde_json::from_str(&stored).unwrap();
    assert_eq!(again, style);
    assert_eq!(list_in(&again), list_in(&style));
}

fn list_in(style: &CitationStyle) -> Vec<String> {
    let lines = set(&sample::sources(), style);
    lines.iter().map(|line| plain(&line.pieces)).collect()
}

#[test]
fn a_text_that_is_no_style_of_its_own_is_refused_with_the_reason() {
    let refused = |text: &str| text.parse::<CitationStyle>().unwrap_err();
    for text in ["<html><body/></html>", "<style", "<a><b></a>"] {
        assert!(matches!(refused(text), StyleError::Invalid(_)), "{text}");
    }
    let dependent = r#"<style xmlns="http://purl.org/net/xbiblio/csl" version="1.0"><info><title>Annals</title><id>a</id>
        <link href="http://www.zotero.org/styles/apa" rel="independent-parent"/><updated>2026-01-01T00:00:00+00:00</updated></info></style>"#;
    let said = refused(dependent).to_string();
    assert!(
        said.contains("give the file of http://www.zotero.org/styles/apa instead"),
        "{said}"
    );
    let start = OWN_STYLE.find("<bibliography>").unwrap();
    let no_list = format!("{}</style>", &OWN_STYLE[..start]);
    assert_eq!(refused(&no_list), StyleError::NoBibliography);
    let endless = OWN_STYLE.replace(
        "<text variable=\"title\" quotes=\"true\"/>",
        "<text macro=\"title\"/>",
    );
    assert_eq!(refused(&endless), StyleError::TooDeep);
    let deep = OWN_STYLE.replace("<text macro=\"title\"/>", &"<group>".repeat(20_000));
    assert_eq!(refused(&deep), StyleError::TooDeep);
    let long = format!("{OWN_STYLE}<!--{}-->", "x".repeat(512 * 1024));
    assert_eq!(refused(&long), StyleError::TooLong);
}

#[test]
fn a_file_with_a_doi_keeps_its_name_in_every_style() {
    let mut source = sample::sources().remove(6);
    source.location = "papers/shade 2021.pdf".to_owned();
    source.doi = Some("10.5555/shade".to_owned());
    for style in ["numeric", "apa", "ieee", "vancouver", "mla", "nature"] {
        let lines = set(&[source.clone()], &style.parse().unwrap());
        let line = plain(&lines[0].pieces);
        assert!(line.contains("10.5555/shade"), "{line}");
        assert!(line.contains("[File papers/shade 2021.pdf]"), "{line}");
    }
}
