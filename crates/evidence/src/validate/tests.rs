use super::relevance::{Judge, LexicalJudge, Relevance};
use super::retry::{Decision, Retry, RetrySettings};
use super::*;
use consistency::Difference;

const TEXT: &str =
    "Aspirin reduced the risk of stroke. Patients \u{201C}felt well\u{201D} after it.";

fn candidate(quote: Option<&str>, confidence: f64) -> Candidate {
    Candidate {
        question: "Does aspirin reduce stroke?".to_owned(),
        source: "s".to_owned(),
        span: Span::new(0, TEXT.len()),
        passage: TEXT.to_owned(),
        verdict: Verdict {
            label: Relevance::Direct,
            confidence,
            quote: quote.map(str::to_owned),
        },
    }
}

fn run(candidates: &[Candidate], settings: &Settings) -> Validation {
    let questions = ["Does aspirin reduce stroke?".to_owned()];
    validate(
        &questions,
        candidates,
        |id| (id == "s").then_some(TEXT),
        Language::ENGLISH,
        settings,
    )
}

fn relaxed() -> Settings {
    let mut retry = Retry::new(RetrySettings::default());
    retry.decide(&run(&[], &Settings::default()));
    retry.settings.rules
}

#[test]
fn a_quote_that_is_not_there_is_refused_in_every_mode() {
    for settings in [Settings::default(), relaxed()] {
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
    assert!(!run(std::slice::from_ref(&quote), &Settings::default()).evidence[0].accepted);
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
    let found = run(&[moved, lost], &Settings::default());
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
    assert!(!run(&unsure, &Settings::default()).completeness[0].met);
    assert!(run(&unsure, &relaxed()).completeness[0].met);
}

#[test]
fn the_lexical_judge_quotes_the_sentence_that_answers() {
    let judge = LexicalJudge {
        language: Language::ENGLISH,
    };
    let verdict = judge.judge("Does aspirin reduce the risk of stroke?", TEXT);
    assert_eq!(verdict.label, Relevance::Direct);
    assert_eq!(
        verdict.quote.as_deref(),
        Some("Aspirin reduced the risk of stroke.")
    );
    assert_eq!(
        judge.judge("How are solar panels recycled?", TEXT).label,
        Relevance::None
    );
}

#[test]
fn a_retry_widens_and_relaxes_as_promised_and_is_written_down() {
    let mut retry = Retry::new(RetrySettings {
        per_query_top_n: 150,
        top_k: 8,
        ..RetrySettings::default()
    });
    let nothing = run(&[], &Settings::default());
    let Decision::Retry {
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
    assert_eq!(retry.settings.rules.existence, Existence::Normalised);
    let saved = serde_json::to_string(&retry).expect("it can be saved");
    let mut again: Retry = serde_json::from_str(&saved).expect("it can be loaded");
    assert_eq!(again, retry);
    assert!(matches!(
        again.decide(&nothing),
        Decision::ProceedMarked { .. }
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
    retry.decide(&run(&[], &Settings::default()));
    assert_eq!(retry.settings.rules, Settings::default());
}

#[test]
fn complete_and_without_conflict_goes_on() {
    let found = run(
        &[candidate(Some("Aspirin reduced"), 0.9)],
        &Settings::default(),
    );
    assert_eq!(Retry::default().decide(&found), Decision::Proceed);
}

fn differences(left: &str, right: &str) -> Vec<Difference> {
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
            Difference::Number,
        ),
        (
            "Aspirin reduced stroke risk.",
            "Aspirin did not reduce stroke risk.",
            Difference::Denied,
        ),
        (
            "Coffee increases blood pressure in adults.",
            "Coffee decreases blood pressure in adults.",
            Difference::Turned,
        ),
        (
            "The bridge opened in May 1932.",
            "The bridge opened in June 1932.",
            Difference::Date,
        ),
        (
            "Aspirin reduced stroke risk by 32% (95% interval 12% to 40%).",
            "Aspirin reduced stroke risk by 12%.",
            Difference::Number,
        ),
        (
            "The trial enrolled 412 patients in nine hospitals.",
            "The trial enrolled 421 patients in nine hospitals.",
            Difference::Number,
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
        &Settings::default(),
    );
    assert!(matches!(
        Retry::default().decide(&found),
        Decision::Retry { .. }
    ));
    let lenient = RetrySettings {
        validation_fail_on_consistency: false,
        ..RetrySettings::default()
    };
    assert_eq!(Retry::new(lenient).decide(&found), Decision::Proceed);
}
