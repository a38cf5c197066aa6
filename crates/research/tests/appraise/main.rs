//! The workflow `appraise` over the example trials, without a model and without a network.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests may panic and print what they saw"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use fathom_evidence::extract::{self, FormatHint, InProcessReader};
use fathom_evidence::validate::retry::RetrySettings;
use fathom_render::appraisal::{
    AnsweredBy, AnsweredQuestion, Appraisal, Domain, Judgement, SignalAnswer, csv,
};
use fathom_research::library::{Libraries, Library, LibraryFault};
use fathom_research::reasoner::{
    AppraiseTask, Ctx, Reasoner, ReasonerError, Reasoners, SignalOpinion, TrialAppraiser,
};
use fathom_research::workflows::appraise::state::State;
use fathom_research::workflows::appraise::{self, AppraiseInput, GivenAnswer};
use fathom_research::{DocumentCache, ServiceFaults, Services};
use fathom_workflow::{Engine, MemoryStore, NewRun, Store};

/// Reads files as they are.
struct Files;

#[async_trait]
impl Libraries for Files {
    fn open(&self, _: &[PathBuf]) -> Arc<dyn Library> {
        panic!("no library is searched here")
    }

    fn absolute(&self, root: &Path) -> std::io::Result<PathBuf> {
        Ok(root.to_owned())
    }

    async fn read_file(&self, path: &Path) -> Result<Vec<u8>, LibraryFault> {
        std::fs::read(path).map_err(|error| LibraryFault::Unreadable {
            name: path.display().to_string(),
            why: error.to_string(),
        })
    }
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/trials")
        .join(name)
}

fn input(document: &Path) -> AppraiseInput {
    serde_json::from_value(serde_json::json!({ "document": document })).unwrap()
}

async fn appraise(input: AppraiseInput) -> Appraisal {
    appraise_with(Reasoners::new(None), input).await
}

async fn appraise_with(reasoners: Reasoners, input: AppraiseInput) -> Appraisal {
    let state = run(reasoners, input).await;
    Arc::unwrap_or_clone(state.appraisal.unwrap())
}

/// A whole run, to its last state.
async fn run(reasoners: Reasoners, input: AppraiseInput) -> State {
    let services = Services {
        reasoners,
        libraries: Arc::new(Files),
        web: None,
        reader: Arc::new(InProcessReader),
        encoder: None,
        documents: DocumentCache::default(),
        faults: ServiceFaults::default(),
    };
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let engine = Engine::new(appraise::graph().unwrap(), store, Arc::new(services));
    let state = State::new(input);
    let mut execution = engine.start(NewRun::titled("trial"), state).await.unwrap();
    let outcome = execution.run().await.unwrap();
    let state = execution.state().clone();
    assert!(state.appraisal.is_some(), "{outcome:?}");
    state
}

fn question<'a>(appraisal: &'a Appraisal, id: &str) -> &'a AnsweredQuestion {
    let mut all = appraisal.domains.iter().flat_map(|domain| &domain.answers);
    all.find(|one| one.id == id).unwrap()
}

/// A report that says next to nothing of how the trial was run.
fn bare_trial(folder: &Path) -> PathBuf {
    let path = folder.join("bare.md");
    let text = "# A randomised trial of walking\n\n## Methods\n\nAdults were randomised to walking or rest. Sleep was timed.\n\n\
                ## Results\n\nSleep was longer with walking, by twenty minutes a night.\n";
    std::fs::write(&path, text).unwrap();
    path
}

/// The questions that it has no sentence for; it says that it was randomised.
const BARE_FAILED: [&str; 21] = [
    "1.2", "1.3", "2.1", "2.2", "2.3", "2.4", "2.5", "2.6", "2.7", "3.1", "3.2", "3.3", "3.4",
    "4.1", "4.2", "4.3", "4.4", "4.5", "5.1", "5.2", "5.3",
];

const TRIALS: [&str; 4] = [
    "1-sound.md",
    "2-flawed-randomisation.md",
    "3-large-losses.md",
    "4-changed-outcome.md",
];

/// How many of an example's participants were lost in both arms together.
fn lost(label: &str) -> Option<&'static str> {
    match label {
        "1-sound" => Some("5"),
        "2-flawed-randomisation" => Some("3"),
        "3-large-losses" => Some("70"),
        "4-changed-outcome" => Some("5"),
        _ => None,
    }
}

#[tokio::test]
async fn the_example_trials_get_the_judgements_that_a_reviewer_would_give() {
    let mut appraisals = Vec::new();
    for name in TRIALS {
        let appraisal = appraise(input(&example(name))).await;
        println!("{}", fathom_render::appraisal::details(&appraisal, false));
        appraisals.push(appraisal);
    }
    let expected = std::fs::read_to_string(example("expected.csv")).unwrap();
    assert_eq!(csv(&appraisals), expected);
    for appraisal in &appraisals {
        let facts: Vec<&str> = appraisal
            .facts
            .iter()
            .map(|fact| fact.name.as_str())
            .collect();
        let value = |name: &str| {
            let mut facts = appraisal.facts.iter();
            facts.find(|fact| fact.name == name).map(|fact| &fact.value)
        };
        assert_eq!(
            value("lost").map(String::as_str),
            lost(&appraisal.study.label)
        );
        for wanted in [
            "design",
            "arms",
            "randomised",
            "lost by arm",
            "blinding",
            "concealment",
            "registration",
            "funding",
        ] {
            assert!(
                facts.contains(&wanted),
                "{wanted} of {}: {facts:?}",
                appraisal.study.label
            );
        }
    }
}

#[tokio::test]
async fn every_answer_has_a_rule_path_and_every_quote_stands_in_the_report() {
    for name in TRIALS {
        let path = example(name);
        let hint = FormatHint {
            file_name: Some(name),
            ..FormatHint::default()
        };
        let document = extract::read(&std::fs::read(&path).unwrap(), &hint).unwrap();
        let appraisal = appraise(input(&path)).await;
        assert_eq!(appraisal.domains.len(), Domain::ALL.len());
        for domain in &appraisal.domains {
            assert!(!domain.path.rules.is_empty(), "{}", domain.domain);
            for one in &domain.answers {
                let proven = one.by == AnsweredBy::Rules && one.id != "3.2";
                assert_eq!(proven, !one.quotes.is_empty(), "{name} {}", one.id);
                for quote in &one.quotes {
                    assert_eq!(document.at(quote.span), Some(quote.text.as_str()));
                }
            }
        }
        let notes = appraisal.notes.join(" ");
        assert!(notes.contains("No language model was used"), "{notes}");
    }
}

#[tokio::test]
async fn a_question_without_evidence_is_located_once_more_under_relaxed_rules() {
    let folder = tempfile::tempdir().unwrap();
    let appraisal = appraise(input(&bare_trial(folder.path()))).await;
    let [entry] = &appraisal.validation_retry_log[..] else {
        panic!("{:?}", appraisal.validation_retry_log);
    };
    assert_eq!((entry.attempt, entry.limit), (1, 1));
    assert!(!entry.failed_questions.is_empty());
    let changes: Vec<(&str, &str, &str)> = entry
        .changes
        .iter()
        .map(|one| (one.setting.as_str(), one.from.as_str(), one.to.as_str()))
        .collect();
    assert_eq!(
        changes,
        [
            ("use_structure", "true", "false"),
            ("per_query_top_n", "50", "100"),
            ("top_k", "5", "8"),
            ("completeness_require_relevance", "true", "false"),
            ("relevance_min_confidence", "0.5", "0.3"),
            ("relevance_require_quote", "true", "false"),
            ("existence", "exact", "normalised"),
        ]
    );
    // A passage must share a word with the question: where none does even then, the question stays failed.
    assert_eq!(entry.failed_questions, BARE_FAILED);
    assert_eq!(
        appraisal.failed_questions,
        ["1.2", "2.4", "2.5", "2.6", "4.1", "4.2", "4.4", "4.5"]
    );
}

#[tokio::test]
async fn only_failed_questions_are_located_again_and_what_passed_then_is_marked() {
    let folder = tempfile::tempdir().unwrap();
    let state = run(Reasoners::new(None), input(&bare_trial(folder.path()))).await;
    let again = &state.retry.validation_retry_log[0].failed_questions;
    let accepted = state.evidence.iter().filter(|one| one.accepted);
    for one in accepted.clone() {
        let id = &one.candidate.question;
        assert_eq!(one.relaxed, again.contains(id), "{id}");
    }
    assert!(accepted.clone().any(|one| one.relaxed));
    assert!(accepted.clone().any(|one| !one.relaxed));
}

#[tokio::test]
async fn without_relaxation_a_retry_looks_wider_and_keeps_the_rules() {
    let folder = tempfile::tempdir().unwrap();
    let mut strict = input(&bare_trial(folder.path()));
    strict.validation.validation_relax_on_retry = false;
    let state = run(Reasoners::new(None), strict).await;
    let changes = state.retry.validation_retry_log[0].changes.iter();
    let changed: Vec<&str> = changes.map(|one| one.setting.as_str()).collect();
    assert_eq!(changed, ["use_structure", "per_query_top_n", "top_k"]);
    assert!(state.evidence.iter().all(|one| !one.relaxed));
}

#[tokio::test]
async fn a_retry_stays_under_its_caps() {
    let folder = tempfile::tempdir().unwrap();
    let mut wide = input(&bare_trial(folder.path()));
    wide.validation = RetrySettings {
        per_query_top_n: 150,
        top_k: 9,
        ..RetrySettings::default()
    };
    let appraisal = appraise(wide).await;
    let to = |setting: &str| {
        let mut changes = appraisal.validation_retry_log[0].changes.iter();
        changes
            .find(|one| one.setting == setting)
            .unwrap()
            .to
            .clone()
    };
    assert_eq!(
        (to("per_query_top_n").as_str(), to("top_k").as_str()),
        ("200", "10")
    );
}

#[tokio::test]
async fn with_no_retry_left_the_run_goes_on_and_marks_what_failed() {
    let folder = tempfile::tempdir().unwrap();
    let mut none = input(&bare_trial(folder.path()));
    none.validation.validation_max_retries = 0;
    let appraisal = appraise(none).await;
    assert!(appraisal.validation_retry_log.is_empty());
    assert_eq!(appraisal.failed_questions, BARE_FAILED);
    assert_eq!(
        appraisal.domains.len(),
        5,
        "the judgements are made all the same"
    );
}

#[tokio::test]
async fn a_conflict_sends_its_questions_back_only_where_conflicts_count() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trial.md");
    let text = std::fs::read_to_string(example(TRIALS[0])).unwrap();
    let doubt = "Placebo tablets were identical in appearance and taste to lumerine.";
    let text = text.replace(
        doubt,
        &format!("{doubt} Placebo tablets were not identical in appearance and taste to lumerine."),
    );
    std::fs::write(&path, text).unwrap();
    let failed_first = |appraisal: &Appraisal| {
        let first = appraisal.validation_retry_log.first();
        first.map_or_else(Vec::new, |entry| entry.failed_questions.clone())
    };
    let strict = appraise(input(&path)).await;
    assert!(!strict.conflicts.is_empty(), "both sides are quoted");
    assert!(
        failed_first(&strict).contains(&"2.1".to_owned()),
        "{:?}",
        failed_first(&strict)
    );
    // The report keeps contradicting itself, so the budget is used up and the question goes on marked.
    assert_eq!(strict.validation_retry_log.len(), 1);
    assert!(strict.failed_questions.contains(&"2.1".to_owned()));
    assert_eq!(strict.domains.len(), 5);
    let mut lenient = input(&path);
    lenient.validation.validation_fail_on_consistency = false;
    let lenient = appraise(lenient).await;
    assert!(!failed_first(&lenient).contains(&"2.1".to_owned()));
    assert_eq!(
        lenient.conflicts, strict.conflicts,
        "it is told all the same"
    );
}

#[tokio::test]
async fn a_protocol_is_searched_for_the_selection_of_the_result() {
    let mut with_protocol = input(&example(TRIALS[3]));
    with_protocol.protocol = Some(example("4-register-entry.txt"));
    let appraisal = appraise(with_protocol).await;
    let selected = question(&appraisal, "5.2");
    assert_eq!(selected.answer, SignalAnswer::ProbablyYes);
    let planned = selected
        .quotes
        .iter()
        .find(|quote| quote.from_protocol)
        .unwrap();
    assert!(planned.text.contains("pain at rest"), "{}", planned.text);
}

#[tokio::test]
async fn a_persons_answer_stands_before_the_rules_and_both_are_kept() {
    let mut reviewed = input(&example(TRIALS[0]));
    reviewed.answers = vec![GivenAnswer {
        question: "1.2".to_owned(),
        answer: SignalAnswer::No,
        by: "Ada".to_owned(),
        why: "The system showed the next assignment.".to_owned(),
    }];
    let appraisal = appraise(reviewed).await;
    let one = question(&appraisal, "1.2");
    assert_eq!(one.by, AnsweredBy::Person("Ada".to_owned()));
    assert_eq!(one.replaced.as_ref().unwrap().answer, SignalAnswer::Yes);
    assert_eq!(appraisal.domains[0].judgement, Judgement::High);
    assert_eq!(appraisal.domains[0].replaced, Some(Judgement::Low));
    assert_eq!(appraisal.settled_overall(), Some(Judgement::High));
    assert_eq!(appraisal.overall.unwrap().replaced, Some(Judgement::Low));
}

#[tokio::test]
async fn of_two_peoples_answers_the_later_stands_and_the_earlier_is_kept() {
    let mut reviewed = input(&example(TRIALS[0]));
    let given = |answer: SignalAnswer, by: &str| GivenAnswer {
        question: "1.2".to_owned(),
        answer,
        by: by.to_owned(),
        why: String::new(),
    };
    reviewed.answers = vec![
        given(SignalAnswer::No, "Ada"),
        given(SignalAnswer::ProbablyYes, "Bob"),
    ];
    let appraisal = appraise(reviewed).await;
    let one = question(&appraisal, "1.2");
    let all: Vec<(SignalAnswer, &str)> = one
        .earlier()
        .map(|before| (before.answer, before.by.name()))
        .collect();
    assert_eq!(one.by, AnsweredBy::Person("Bob".to_owned()));
    assert_eq!(
        all,
        [
            (SignalAnswer::No, "Ada"),
            (SignalAnswer::Yes, "phrase rules")
        ]
    );
}

#[tokio::test]
async fn what_cannot_be_appraised_says_why_and_has_no_judgement() {
    let folder = tempfile::tempdir().unwrap();
    let refused = async |name: &str, text: &str, outcome: Option<&str>| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let mut input = input(&path);
        input.outcome = outcome.map(str::to_owned);
        let appraisal = appraise(input).await;
        assert!(appraisal.domains.is_empty() && appraisal.overall.is_none());
        appraisal.refused.unwrap()
    };
    let sound = std::fs::read_to_string(example(TRIALS[0])).unwrap();
    let outcome = refused("sound.md", &sound, Some("bone mineral density")).await;
    assert!(outcome.contains("bone mineral density"), "{outcome}");
    let empty = refused("empty.md", "  \n", None).await;
    assert!(empty.contains("nothing in it"), "{empty}");
    let review =
        "# Light: a systematic review\n\n## Methods\n\nWe searched PubMed and Embase for trials.\n";
    assert!(
        refused("review.md", review, None)
            .await
            .contains("systematic review")
    );
    let missing = appraise(input(&folder.path().join("nothing.md"))).await;
    assert!(missing.refused.unwrap().contains("cannot be read"));
}

/// Answers as a model would: one question with words of the report, one with words that do not stand in it.
struct ScriptedAppraiser;

impl Reasoner for ScriptedAppraiser {
    fn name(&self) -> &str {
        "scripted"
    }
}

#[async_trait]
impl TrialAppraiser for ScriptedAppraiser {
    async fn answer_signals(
        &self,
        _: &Ctx,
        task: &AppraiseTask<'_>,
    ) -> Result<Vec<SignalOpinion>, ReasonerError> {
        let opinion = |id: &str, quote: &str| SignalOpinion {
            id: id.to_owned(),
            answer: SignalAnswer::ProbablyNo,
            why: "So it seems.".to_owned(),
            quote: Some(quote.to_owned()),
        };
        let all = [
            opinion(
                "1.2",
                "after the participant had been entered and had consented",
            ),
            opinion("1.1", "a coin was tossed behind a curtain"),
        ];
        let asked =
            |one: &SignalOpinion| task.questions.iter().any(|question| question.id == one.id);
        Ok(all.into_iter().filter(asked).collect())
    }
}

#[tokio::test]
async fn a_models_answer_counts_with_words_of_the_report_and_the_judgement_is_codes() {
    let mut reasoners = Reasoners::new(None);
    reasoners.appraisers.push(Arc::new(ScriptedAppraiser));
    let appraisal = appraise_with(reasoners, input(&example(TRIALS[0]))).await;
    assert_eq!(appraisal.appraiser, "scripted");
    let proven = question(&appraisal, "1.2");
    assert_eq!(proven.by, AnsweredBy::Model("scripted".to_owned()));
    assert_eq!(proven.answer, SignalAnswer::ProbablyNo);
    let made_up = question(&appraisal, "1.1");
    assert_eq!(
        made_up.by,
        AnsweredBy::Rules,
        "the rules answer in its place"
    );
    assert_eq!(appraisal.domains[0].judgement, Judgement::High);
    assert_eq!(appraisal.domains[0].path.rules, ["D1.6"]);
}
