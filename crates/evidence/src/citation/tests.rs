use super::*;

const TRIAL: &str = "The trial enrolled 412 patients in Basel between May 2019 and June 2021. \
    Aspirin reduced the risk of stroke by 32.4% compared with placebo. \
    Bleeding was more common in the aspirin group. \
    Mortality did not differ between the groups.";

fn verdict(claim: &str) -> ClaimVerdict {
    let mut sources = CitedSources::new();
    sources.insert(1, SourceText::new(TRIAL, Language::ENGLISH));
    let all = check_text(claim, Language::ENGLISH, &sources);
    all.into_iter().next().expect("a claim").1
}

fn reasons(claim: &str) -> Vec<CitationReason> {
    verdict(claim).reasons
}

#[test]
fn what_the_source_says_is_supported_by_that_sentence() {
    for claim in [
        "Aspirin reduced the risk of stroke by 32.4% compared with placebo [1].",
        "Aspirin reduces the risk of stroke by 32% compared with placebo [1].",
        "Aspirin reduced the risk of stroke compared with placebo [1].",
        "The authors found that aspirin reduced the risk of stroke by 32.4 percent compared with placebo [1].",
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
fn a_title_in_quotation_marks_is_no_quotation() {
    let checked = verdict("The trial “Aspirin After Stroke” enrolled 412 patients in Basel [1].");
    assert!(
        matches!(checked.support, Support::NotChecked { .. }),
        "{checked:?}"
    );
}

#[test]
fn short_words_and_words_without_capitals_are_no_title() {
    for quote in ["it did not cut any", "not at all", "死亡率明显下降了"] {
        assert_eq!(
            reasons(&format!("The authors write “{quote}” [1].")),
            [CitationReason::QuoteNotFound {
                quote: quote.to_owned()
            }]
        );
    }
}

#[test]
fn a_quote_that_is_found_does_not_bear_out_an_invented_title() {
    let checked = verdict("According to “Lies After Stroke”, “Mortality did not differ” [1].");
    assert_eq!(checked.quotes.len(), 1);
    assert!(
        matches!(checked.support, Support::NotChecked { .. }),
        "{checked:?}"
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
    assert!(
        matches!(checked.support, Support::NotChecked { .. }),
        "{checked:?}"
    );
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
    let checked = check(&claim, &sources);
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
    let checked = check(&claim, &sources);
    assert!(
        matches!(checked.support, Support::Supported { .. }),
        "{checked:?}"
    );
}

fn held(source: &str, claim: &str) -> ClaimVerdict {
    let sources = CitedSources::from([(1, SourceText::new(source, Language::ENGLISH))]);
    check(&Claim::alone(claim, &[1]), &sources)
}

#[test]
fn what_says_more_or_something_else_in_the_same_words_could_not_be_checked() {
    let source = "In men, walking may be associated with fewer strokes than cycling. \
        Some of the 40 nurses in Basel and Geneva slept badly. \
        Deaths were 12 in the aspirin group and 17 in the placebo group. \
        Tea lowered the pulse only in the evening.";
    for (fault, claim) in [
        (
            "another name",
            "Some of the 40 nurses in Basel and Aspirin slept badly.",
        ),
        (
            "exchanged arms",
            "In men, cycling may be associated with fewer strokes than walking.",
        ),
        (
            "another population",
            "In nurses, walking may be associated with fewer strokes than cycling.",
        ),
        (
            "no population",
            "Walking may be associated with fewer strokes than cycling.",
        ),
        (
            "all for some",
            "All of the 40 nurses in Basel and Geneva slept badly.",
        ),
        (
            "a lost hedge",
            "In men, walking is associated with fewer strokes than cycling.",
        ),
        (
            "a cause",
            "In men, walking may be a cause of fewer strokes than cycling.",
        ),
        (
            "an addition",
            "Some of the 40 nurses in Basel and Geneva slept badly because of noise.",
        ),
        ("a lost limit", "Tea lowered the pulse."),
        (
            "another order",
            "Fewer strokes may be associated with walking in men than cycling.",
        ),
    ] {
        let checked = held(source, claim);
        assert!(
            matches!(checked.support, Support::NotChecked { .. }) && !checked.reasons.is_empty(),
            "{fault}: {checked:?}"
        );
        assert_eq!(
            checked.nearest.len(),
            1,
            "{fault}: what was nearest is told"
        );
    }
    let exchanged = "Deaths were 17 in the aspirin group and 12 in the placebo group.";
    let checked = held(source, exchanged);
    assert!(
        matches!(checked.support, Support::Contradicted { .. }),
        "{checked:?}"
    );
}

#[test]
fn the_reason_names_the_words_that_differ() {
    let checked =
        verdict("Aspirin reduced the risk of stroke in nurses compared with placebo [1].");
    let words = "in nurses".to_owned();
    assert_eq!(checked.reasons, [CitationReason::WordsNotFound { words }]);
    let Support::NotChecked { why } = checked.support else {
        panic!("{checked:?}");
    };
    assert_eq!(
        why,
        "the nearest sentence of its source does not say “in nurses”"
    );
}

#[test]
fn a_number_that_is_written_otherwise_is_equal_or_not_judged() {
    let source = "Patients with COVID-19 took 2 g of salt. Half of the patients had kinesin-8. \
        The culture held 3×10⁴ cells in all. The house is of the 18th century. \
        Of the nurses, 32.6% were men. Of the teachers 12 of 40 were women.";
    for claim in [
        "Patients with covid-19 took 2,000 mg of salt.",
        "50% of the patients had kinesin-8.",
    ] {
        let checked = held(source, claim);
        assert!(
            matches!(checked.support, Support::Supported { .. }),
            "{claim}: {checked:?}"
        );
    }
    for claim in [
        "The culture held 30,000 cells in all.",
        "The house is of the 1700s.",
        "Of the nurses, 32% were men.",
        "Of the teachers 30% were women.",
    ] {
        let checked = held(source, claim);
        assert!(
            matches!(checked.support, Support::NotChecked { .. }),
            "{claim}: {checked:?}"
        );
    }
}

#[test]
fn a_sentence_may_leave_out_what_limits_nothing() {
    let source = "Tea lowered the pulse (by 4 beats), and coffee raised it. \
        In the evening, cocoa had no effect. Milk soothed children, but only at night.";
    for (claim, said) in [
        ("Tea lowered the pulse.", true),
        ("Cocoa had no effect in the evening.", true),
        ("Cocoa had no effect.", false),
        ("Milk soothed children.", false),
    ] {
        let checked = held(source, claim);
        let supported = matches!(checked.support, Support::Supported { .. });
        assert_eq!(supported, said, "{claim}: {checked:?}");
    }
}

#[test]
fn outside_english_only_what_stands_word_for_word_is_supported() {
    let text = "Bäume kühlen die Luft um 2 Grad. Nachts ist die Wirkung klein.";
    let german = Language::detect(text).expect("a language");
    let sources = CitedSources::from([(1, SourceText::new(text, german))]);
    for (claim, said) in [
        ("Bäume kühlen die Luft um 2 Grad [1].", true),
        ("Bäume kühlen die Luft um 5 Grad [1].", false),
        ("Bäume kühlen die Luft nicht um 2 Grad [1].", false),
    ] {
        let all = check_text(claim, german, &sources);
        let checked = &all.first().expect("a claim").1;
        match (&checked.support, said) {
            (Support::Supported { .. }, true) | (Support::NotChecked { .. }, false) => {}
            other => panic!("{claim}: {other:?}"),
        }
    }
}
