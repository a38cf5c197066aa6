use super::*;

const TRIAL: &str = "The trial enrolled 412 patients in Basel between May 2019 and June 2021. \
    Aspirin reduced the risk of stroke by 32.4% compared with placebo. \
    Bleeding was more common in the aspirin group. \
    Mortality did not differ between the groups.";

fn verdict(claim: &str) -> ClaimVerdict {
    let mut sources = CitedSources::new();
    sources.insert(1, SourceText::new(TRIAL, Language::ENGLISH));
    let all = check_text(
        claim,
        Language::ENGLISH,
        &sources,
        &CitationSettings::default(),
    );
    all.into_iter().next().expect("a claim").1
}

fn reasons(claim: &str) -> Vec<CitationReason> {
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
        [CitationReason::NumberNotFound { number }]
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
        [CitationReason::UnknownSource { id: 7 }]
    );
}

#[test]
fn a_fact_without_a_citation_is_named() {
    assert_eq!(
        reasons("Aspirin reduced the risk of stroke."),
        [CitationReason::NoCitation]
    );
}

#[test]
fn a_quote_that_is_not_there_is_refused() {
    let quote = "reduced the risk of death".to_owned();
    assert_eq!(
        reasons("Aspirin “reduced the risk of death” [1]."),
        [CitationReason::QuoteNotFound { quote }]
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
        [CitationReason::NameNotFound { name }]
    );
    let date = "April 2019".to_owned();
    assert_eq!(
        reasons("The trial enrolled 412 patients in Basel from April 2019 [1]."),
        [CitationReason::DateNotFound { date }]
    );
}

#[test]
fn a_claim_on_something_else_has_little_in_common() {
    let checked = verdict("Solar panels produce cheaper power than coal in deserts [1].");
    assert_eq!(checked.support, Support::NotSupported);
    assert!(
        matches!(checked.reasons[..], [CitationReason::LittleInCommon { .. }]),
        "{checked:?}"
    );
}

#[test]
fn two_sentences_told_as_one_are_supported_by_both() {
    let checked = verdict(
        "Bleeding was more common in the aspirin group, and mortality did not differ between the groups [1].",
    );
    let Support::Supported { by } = &checked.support else {
        panic!("{checked:?}");
    };
    assert_eq!(by.len(), 2);
}

#[test]
fn a_number_that_belongs_to_something_else_is_named() {
    let number = "412".to_owned();
    assert_eq!(
        reasons("Aspirin reduced the risk of stroke by 412% compared with placebo [1]."),
        [CitationReason::NumberElsewhere { number }]
    );
    let text = "Of 40 patients on aspirin 12 died. Of 38 patients on placebo 17 died.";
    let sources = CitedSources::from([(1, SourceText::new(text, Language::ENGLISH))]);
    let claim = Claim::alone("Of 40 patients on aspirin 17 died.", &[1]);
    let checked = check(&claim, &sources, &CitationSettings::default());
    assert!(
        matches!(checked.support, Support::Contradicted { .. }),
        "{checked:?}"
    );
}

#[test]
fn what_is_quoted_is_not_held_against_the_source_again() {
    let checked = verdict("The authors write “Mortality did not differ” [1].");
    assert!(
        matches!(checked.support, Support::Supported { .. }),
        "{checked:?}"
    );
}

#[test]
fn a_claim_put_freely_is_left_open_rather_than_blamed() {
    let checked = verdict("Taking aspirin makes a stroke less probable than taking nothing [1].");
    assert!(
        matches!(checked.support, Support::NotChecked { .. }),
        "{checked:?}"
    );
}

#[test]
fn of_two_sentences_alike_the_one_with_the_same_small_words_is_taken() {
    let text = "Cholesterol did change between groups. Cholesterol did not change between groups in the second year.";
    let sources = CitedSources::from([(1, SourceText::new(text, Language::ENGLISH))]);
    let claim = Claim::alone(
        "Cholesterol did not change between groups in the second year.",
        &[1],
    );
    let checked = check(&claim, &sources, &CitationSettings::default());
    assert!(
        matches!(checked.support, Support::Supported { .. }),
        "{checked:?}"
    );
}
