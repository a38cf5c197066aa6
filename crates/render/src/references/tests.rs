use super::*;
use crate::sample;

fn list(style: &str) -> String {
    let lines = set(&sample::sources(), style.parse().unwrap());
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
        let lines = set(&sources, style.parse().unwrap());
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
                .any(|piece| matches!(piece, Piece::Link { .. }));
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
                set(&sources, style.parse().unwrap()).len(),
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
