use super::*;

const TRIAL: &str = "The trial enrolled 412 patients in Basel between May 2019 and June 2021. \
    Aspirin reduced the risk of stroke by 32.4% compared with placebo. \
    Bleeding was more common in the aspirin group. \
    Mortality did not differ between the groups.";

fn verdict(claim: &str) -> Checked {
    let mut sources = Sources::new();
    sources.insert(1, SourceText::new(TRIAL, Language::ENGLISH));
    let all = check_text(claim, Language::ENGLISH, &sources, &Settings::default());
    all.into_iter().next().expect("a claim").1
}

fn reasons(claim: &str) -> Vec<Reason> {
    verdict(claim).reasons
}

#[test]
fn what_the_source_says_is_supported_by_that_sentence() {
    for claim in [
        "Aspirin reduced the risk of stroke by 32.4% compared with placebo [1].",
        "Compared with placebo, aspirin reduced stroke risk by 32% [1].",
        "The risk of stroke was reduced by aspirin [1].",
    ] {
        let checked = verdict(claim);
        let Support::Supported { by } = &checked.support else {
            panic!("{claim}: {checked:?}");
        };
        let words = by[0].span.of(TRIAL).expect("a span of the source");
        assert!(words.starts_with("Aspirin reduced"), "{words}");
    }
}

#[test]
fn a_changed_number_is_named() {
    let number = "42%".trim_end_matches('%').to_owned();
    assert_eq!(
        reasons("Aspirin reduced the risk of stroke by 42% compared with placebo [1]."),
        [Reason::NumberNotFound { number }]
    );
}

#[test]
fn a_denial_or_another_direction_contradicts() {
    for claim in [
        "Aspirin did not reduce the risk of stroke compared with placebo [1].",
        "Aspirin increased the risk of stroke by 32.4% compared with placebo [1].",
        "Mortality did differ between the groups [1].",
        "Bleeding was less common in the aspirin group [1].",
    ] {
        let checked = verdict(claim);
        assert!(
            matches!(checked.support, Support::Contradicted { .. }),
            "{claim}: {checked:?}"
        );
    }
}

#[test]
fn an_id_without_a_source_is_never_supported() {
    assert_eq!(
        reasons("Aspirin reduced the risk of stroke [7]."),
        [Reason::UnknownSource { id: 7 }]
    );
}

#[test]
fn a_fact_without_a_citation_is_named() {
    assert_eq!(
        reasons("Aspirin reduced the risk of stroke."),
        [Reason::NoCitation]
    );
}

#[test]
fn a_quote_that_is_not_there_is_refused() {
    let quote = "reduced the risk of death".to_owned();
    assert_eq!(
        reasons("Aspirin “reduced the risk of death” [1]."),
        [Reason::QuoteNotFound { quote }]
    );
    let checked = verdict("Aspirin “reduced the risk of stroke” [1].");
    assert_eq!(
        checked.quotes[0].span.of(TRIAL),
        Some("reduced the risk of stroke")
    );
}

#[test]
fn another_name_or_date_is_named() {
    let name = "Geneva".to_owned();
    assert_eq!(
        reasons("The trial enrolled 412 patients in Geneva [1]."),
        [Reason::NameNotFound { name }]
    );
    let date = "April 2019".to_owned();
    assert_eq!(
        reasons("The trial enrolled 412 patients in Basel from April 2019 [1]."),
        [Reason::DateNotFound { date }]
    );
}

#[test]
fn a_claim_on_something_else_has_little_in_common() {
    let checked = verdict("Solar panels produce cheaper power than coal in deserts [1].");
    assert_eq!(checked.support, Support::NotSupported);
    assert!(
        matches!(checked.reasons[..], [Reason::LittleInCommon { .. }]),
        "{checked:?}"
    );
}
