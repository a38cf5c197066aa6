use super::*;
use crate::sample;

fn list(style: CitationStyle) -> String {
    let lines = sample::sources()
        .iter()
        .map(|source| format!("[{}] {}", source.number.0, plain(&reference(source, style))))
        .collect::<Vec<_>>();
    lines.join("\n")
}

#[test]
fn numeric_references_are_plain() {
    insta::assert_snapshot!(list(CitationStyle::Numeric));
}

#[test]
fn apa_references_follow_the_seventh_edition() {
    insta::assert_snapshot!(list(CitationStyle::Apa));
}

#[test]
fn ieee_references_quote_titles_and_put_initials_first() {
    insta::assert_snapshot!(list(CitationStyle::Ieee));
}

#[test]
fn vancouver_references_have_bare_initials() {
    insta::assert_snapshot!(list(CitationStyle::Vancouver));
}

fn by(authors: usize, style: CitationStyle) -> String {
    let mut source = sample::sources().remove(0);
    let letters = ('A'..='Z').cycle().take(authors);
    source.authors = letters
        .map(|letter| format!("{letter}da Lind{letter}"))
        .collect();
    plain(&reference(&source, style))
}

#[test]
fn each_style_names_as_many_authors_as_it_allows() {
    let apa = by(20, CitationStyle::Apa);
    assert!(
        apa.starts_with("LindA, A., LindB, B.,") && apa.contains("LindS, S., & LindT, T. (2023)"),
        "{apa}"
    );
    let apa = by(22, CitationStyle::Apa);
    assert!(apa.contains("LindS, S., . . . LindV, V. (2023)"), "{apa}");
    assert!(!apa.contains("LindT"));
    assert!(by(2, CitationStyle::Apa).starts_with("LindA, A., & LindB, B. (2023)"));
    assert!(by(6, CitationStyle::Ieee).contains("E. LindE, and F. LindF, “Cooling"));
    assert!(by(7, CitationStyle::Ieee).starts_with("A. LindA et al., “Cooling"));
    assert!(by(6, CitationStyle::Vancouver).contains("LindE E, LindF F. Cooling"));
    assert!(by(7, CitationStyle::Vancouver).contains("LindF F, et al. Cooling"));
    assert!(
        by(4, CitationStyle::Numeric).starts_with("Ada LindA, Bda LindB, Cda LindC et al. Cooling")
    );
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
