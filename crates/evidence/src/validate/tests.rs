use super::relevance::{Relevance, RelevanceVerdict};
use super::retry::{Retry, RetryDecision, RetrySettings};
use super::*;
use consistency::ConflictKind;

const TEXT: &str =
    "Aspirin reduced the risk of stroke. Patients \u{201C}felt well\u{201D} after it.";

fn candidate(quote: Option<&str>, confidence: f64) -> EvidenceCandidate {
    EvidenceCandidate {
        question: "Does aspirin reduce stroke?".to_owned(),
        source: "s".to_owned(),
        span: Span::new(0, TEXT.len()),
        passage: TEXT.to_owned(),
        verdict: RelevanceVerdict {
            label: Relevance::Direct,
            confidence,
            quote: quote.map(str::to_owned),
        },
    }
}

fn run(candidates: &[EvidenceCandidate], settings: &ValidationRules) -> Validation {
    let questions = ["Does aspirin reduce stroke?".to_owned()];
    validate(
        &questions,
        candidates,
        |id| (id == "s").then_some(TEXT),
        Language::ENGLISH,
        settings,
    )
}

fn relaxed() -> ValidationRules {
    let mut retry = Retry::new(RetrySettings::default());
    retry.decide(&run(&[], &ValidationRules::default()));
    retry.settings.rules
}

#[test]
fn a_quote_that_is_not_there_is_refused_in_every_mode() {
    for settings in [ValidationRules::default(), relaxed()] {
        let found = run(
            &[candidate(Some("reduced the risk of death"), 0.9)],
            &settings,
        );
        assert!(!found.evidence[0].accepted, "{found:?}");
        assert!(!found.completeness[0].met);
    }
}

#[test]
fn typography_is_forgiven_only_when_relaxed_and_then_it_is_marked() {
    let quote = candidate(Some("Patients \"felt well\" after it"), 0.9);
    assert!(!run(std::slice::from_ref(&quote), &ValidationRules::default()).evidence[0].accepted);
    let found = run(&[quote], &relaxed());
    assert!(found.evidence[0].accepted && found.evidence[0].relaxed);
    let at = found.evidence[0].quote.expect("a place");
    assert_eq!(
        at.of(TEXT),
        Some("Patients \u{201C}felt well\u{201D} after it")
    );
}

#[test]
fn a_passage_that_is_elsewhere_or_of_no_source_is_refused() {
    let mut moved = candidate(Some("Aspirin reduced"), 0.9);
    moved.span = Span::new(10, 30);
    let mut lost = candidate(Some("Aspirin reduced"), 0.9);
    lost.source = "other".to_owned();
    let found = run(&[moved, lost], &ValidationRules::default());
    assert!(
        found
            .evidence
            .iter()
            .all(|e| !e.accepted && e.reasons.len() == 1)
    );
}

#[test]
fn an_unsure_verdict_does_not_complete_a_question_at_first() {
    let unsure = [
        candidate(Some("Aspirin reduced"), 0.35),
        candidate(None, f64::NAN),
    ];
    assert!(!run(&unsure, &ValidationRules::default()).completeness[0].met);
    assert!(run(&unsure, &relaxed()).completeness[0].met);
}

#[test]
fn a_retry_widens_and_relaxes_as_promised_and_is_written_down() {
    let mut retry = Retry::new(RetrySettings {
        per_query_top_n: 150,
        top_k: 8,
        ..RetrySettings::default()
    });
    let nothing = run(&[], &ValidationRules::default());
    let RetryDecision::Retry {
        failed_questions,
        changes,
    } = retry.decide(&nothing)
    else {
        panic!("a failed question is tried again");
    };
    assert_eq!(failed_questions.len(), 1);
    assert_eq!(changes.len(), 7);
    assert_eq!(
        (retry.settings.per_query_top_n, retry.settings.top_k),
        (200, 10)
    );
    assert!(!retry.settings.use_structure && !retry.settings.rules.relevance_require_quote);
    assert_eq!(retry.settings.rules.existence, QuoteMode::Normalised);
    let saved = serde_json::to_string(&retry).expect("it can be saved");
    let mut again: Retry = serde_json::from_str(&saved).expect("it can be loaded");
    assert_eq!(again, retry);
    assert!(matches!(
        again.decide(&nothing),
        RetryDecision::ProceedMarked { .. }
    ));
    assert_eq!(again.validation_retry_log.len(), 1);
    assert_eq!(
        (
            again.validation_retry_log[0].attempt,
            again.validation_retry_log[0].limit
        ),
        (1, 1)
    );
}

#[test]
fn without_relaxation_only_the_search_widens() {
    let mut retry = Retry::new(RetrySettings {
        validation_relax_on_retry: false,
        ..RetrySettings::default()
    });
    retry.decide(&run(&[], &ValidationRules::default()));
    assert_eq!(retry.settings.rules, ValidationRules::default());
}

#[test]
fn complete_and_without_conflict_goes_on() {
    let found = run(
        &[candidate(Some("Aspirin reduced"), 0.9)],
        &ValidationRules::default(),
    );
    assert_eq!(Retry::default().decide(&found), RetryDecision::Proceed);
}

fn differences(left: &str, right: &str) -> Vec<ConflictKind> {
    let statements = [
        Statement {
            source: "a",
            start: 0,
            text: left,
        },
        Statement {
            source: "b",
            start: 0,
            text: right,
        },
    ];
    let found = consistency::conflicts(&statements, Language::ENGLISH);
    for conflict in &found {
        assert_eq!(
            conflict.left.span.of(left),
            Some(conflict.left.quote.as_str())
        );
        assert_eq!(
            conflict.right.span.of(right),
            Some(conflict.right.quote.as_str())
        );
    }
    found.iter().map(|conflict| conflict.difference).collect()
}

#[test]
fn conflicts_quote_both_sides() {
    for (left, right, difference) in [
        (
            "Aspirin reduced stroke risk by 32%.",
            "Aspirin reduced stroke risk by 12%.",
            ConflictKind::Number,
        ),
        (
            "Aspirin reduced stroke risk.",
            "Aspirin did not reduce stroke risk.",
            ConflictKind::Denied,
        ),
        (
            "Coffee increases blood pressure in adults.",
            "Coffee decreases blood pressure in adults.",
            ConflictKind::Turned,
        ),
        (
            "The bridge opened in May 1932.",
            "The bridge opened in June 1932.",
            ConflictKind::Date,
        ),
        (
            "Aspirin reduced stroke risk by 32% (95% interval 12% to 40%).",
            "Aspirin reduced stroke risk by 12%.",
            ConflictKind::Number,
        ),
        (
            "The trial enrolled 412 patients in nine hospitals.",
            "The trial enrolled 421 patients in nine hospitals.",
            ConflictKind::Number,
        ),
        (
            "Pain fell in the treated group (12 of 40 patients).",
            "Pain fell in the treated group (17 of 40 patients).",
            ConflictKind::Number,
        ),
    ] {
        assert_eq!(differences(left, right), [difference], "{left} / {right}");
    }
}

#[test]
fn agreement_and_other_subjects_are_no_conflict() {
    for (left, right) in [
        (
            "Aspirin reduced stroke risk by 32%.",
            "Aspirin reduced stroke risk by 32.4 percent.",
        ),
        (
            "Aspirin reduced stroke risk by 32%.",
            "Statins reduced heart attacks by 12%.",
        ),
        (
            "Aspirin reduced stroke risk.",
            "Aspirin did not affect mood.",
        ),
        ("Coffee increases alertness.", "Tea decreases stress."),
        (
            "Pain fell in the treated group (1,000 patients).",
            "Pain fell in the treated group (1000 patients).",
        ),
        (
            "In the aspirin group 12 of 40 patients died.",
            "In the placebo group 17 of 38 patients died.",
        ),
    ] {
        assert_eq!(differences(left, right), [], "{left} / {right}");
    }
}

#[test]
fn a_conflict_sends_its_question_back_when_conflicts_count() {
    let text = "Aspirin reduced stroke risk. Aspirin did not reduce stroke risk.";
    let mut one = candidate(Some("Aspirin reduced stroke risk"), 0.9);
    (one.passage, one.span) = (text.to_owned(), Span::new(0, text.len()));
    let questions = [one.question.clone()];
    let found = validate(
        &questions,
        &[one],
        |_| Some(text),
        Language::ENGLISH,
        &ValidationRules::default(),
    );
    assert!(matches!(
        Retry::default().decide(&found),
        RetryDecision::Retry { .. }
    ));
    let lenient = RetrySettings {
        validation_fail_on_consistency: false,
        ..RetrySettings::default()
    };
    assert_eq!(Retry::new(lenient).decide(&found), RetryDecision::Proceed);
}
