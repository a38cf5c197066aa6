use std::path::{Path, PathBuf};
use std::sync::Arc;

use fathom_evidence::extract::InProcessReader;
use fathom_workflow::interrupt::Verdict as Decision;
use fathom_workflow::{Definition as _, END};
use jiff::Timestamp;

use super::routes::*;
use super::state::ReportState;
use super::*;
use crate::analysis::{Analysis, Finding, Strength};
use crate::critique::{Critique, ReviewOpinion, ReviewScores, ReviewThresholds, Severity};
use crate::draft::Draft;
use crate::library::{Libraries, Library};
use crate::plan::SubQuestionId;
use crate::question::QUESTION_CHARS;
use crate::reasoner::Reasoners;
use crate::skills::stop::{StopReason, StopSignals};
use crate::workflows::report::state::{Decided, Gate, SearchRound};
use crate::{DocumentCache, Question, ServiceFaults, Services, Settings};

fn state(change: impl FnOnce(&mut Settings)) -> ReportState {
    let question = Question::parse(
        "How do street trees cool a town?",
        jiff::civil::date(2026, 11, 16),
    );
    let mut settings = Settings::default();
    change(&mut settings);
    ReportState::new(question.unwrap(), settings, Timestamp::UNIX_EPOCH)
}

fn decided(gate: Gate, verdict: Decision, edited: bool, by: Option<&str>) -> Decided {
    Decided {
        gate,
        verdict,
        feedback: None,
        edited,
        by: by.map(str::to_owned),
        at: Timestamp::UNIX_EPOCH,
    }
}

fn draft(version: u32) -> Arc<Draft> {
    Arc::new(Draft {
        answer: String::new(),
        version,
        title: String::new(),
        summary: String::new(),
        sections: Vec::new(),
        conclusion: String::new(),
        ..Draft::default()
    })
}

fn critique(score: f64, critical: bool, left: bool) -> Arc<Critique> {
    let opinion = ReviewOpinion {
        scores: ReviewScores {
            accuracy: score,
            completeness: score,
            coherence: score,
            citation: score,
            methodology: score,
            style: score,
        },
        ..ReviewOpinion::default()
    };
    let item = crate::critique::ReviewRemark {
        category: crate::critique::ReviewCategory::Citation,
        severity: Severity::Critical,
        place: crate::draft::DraftPlace::Whole,
        description: String::new(),
        fix: None,
        proven: true,
    };
    let proven = if critical { vec![item] } else { Vec::new() };
    Arc::new(Critique::new(
        1,
        opinion,
        proven,
        left,
        &ReviewThresholds::default(),
    ))
}

#[test]
fn the_graph_is_sound_and_its_longest_run_is_known() {
    let graph = graph().unwrap();
    assert_eq!(graph.name(), NAME);
    assert_eq!(graph.rescue(), Some(FALLBACK));
    assert!(graph.most_steps() < 500, "{}", graph.most_steps());
}

#[test]
fn a_plan_is_shown_to_a_person_only_where_that_is_set() {
    assert_eq!(after_plan(&state(|_| {})), SEARCH);
    assert_eq!(
        after_plan(&state(|s| s.people.hitl_after_planning = true)),
        PLAN_REVIEW
    );
}

#[test]
fn a_word_on_the_plan_leads_where_the_specification_says() {
    let after = |verdict, edited, by| {
        let mut state = state(|_| {});
        state
            .decisions
            .push(decided(Gate::Plan, verdict, edited, by));
        after_plan_review(&state)
    };
    assert_eq!(after(Decision::Approve, false, Some("ada")), SEARCH);
    assert_eq!(after(Decision::Skip, false, Some("ada")), SEARCH);
    assert_eq!(after(Decision::Modify, true, Some("ada")), SEARCH);
    assert_eq!(after(Decision::Modify, false, Some("ada")), PLAN);
    assert_eq!(after(Decision::Reject, false, Some("ada")), END);
    assert_eq!(
        after(Decision::Reject, false, None),
        FALLBACK,
        "a deadline is no refusal"
    );
    assert_eq!(after(Decision::Approve, false, None), SEARCH);
}

#[test]
fn it_searches_on_until_a_round_says_stop() {
    let after = |stop, findings: usize| {
        let mut state = state(|_| {});
        let finding = Finding {
            statement: String::new(),
            answers: SubQuestionId(0),
            evidence: Vec::new(),
            strength: Strength::Weak,
            confidence: 0.5,
        };
        state.analysis = Some(Arc::new(Analysis {
            findings: vec![finding; findings],
            ..Analysis::default()
        }));
        let signals = StopSignals {
            iteration: 0.0,
            coverage: 0.0,
            confidence: 0.0,
            gaps: 0.0,
            completeness: 0.0,
        };
        state.rounds.push(SearchRound {
            signals,
            new_evidence: 0,
            stop,
        });
        after_analyse(&state)
    };
    assert_eq!(after(None, 0), SEARCH);
    assert_eq!(after(None, 3), SEARCH);
    assert_eq!(after(Some(StopReason::Time), 3), WRITE);
    assert_eq!(after(Some(StopReason::NothingNew), 0), FALLBACK);
    assert_eq!(
        after_search(&state(|_| {})),
        FALLBACK,
        "nothing was found at all"
    );
}

#[test]
fn a_review_leads_to_output_revision_or_fallback() {
    let after = |score, critical, version, change: fn(&mut Settings)| {
        let mut state = state(change);
        state.draft = Some(draft(version));
        let left = state.revisions() < state.settings.max_iterations;
        state.critique = Some(critique(score, critical, left));
        after_review(&state)
    };
    assert_eq!(after(8.0, false, 1, |_| {}), OUTPUT);
    assert_eq!(
        after(8.0, false, 1, |s| s.people.hitl_before_output = true),
        FINAL_REVIEW
    );
    assert_eq!(after(8.0, true, 1, |_| {}), WRITE);
    assert_eq!(
        after(8.0, true, 1, |s| s.people.hitl_on_critical = true),
        CRITICAL_REVIEW
    );
    assert_eq!(after(6.0, false, 1, |_| {}), WRITE);
    assert_eq!(after(6.0, false, 3, |_| {}), WRITE);
    assert_eq!(
        after(6.0, false, 4, |_| {}),
        FALLBACK,
        "three revisions are used up"
    );
    assert_eq!(after(2.0, false, 4, |_| {}), FALLBACK);
    assert_eq!(after(6.0, false, 1, |s| s.max_iterations = 0), FALLBACK);
}

#[test]
fn a_word_on_the_report_leads_where_the_specification_says() {
    let after = |verdict, edited| {
        let mut state = state(|_| {});
        state
            .decisions
            .push(decided(Gate::Final, verdict, edited, Some("ada")));
        after_final_review(&state)
    };
    assert_eq!(after(Decision::Approve, false), OUTPUT);
    assert_eq!(after(Decision::Modify, true), OUTPUT);
    assert_eq!(after(Decision::Modify, false), WRITE);
    assert_eq!(after(Decision::Reject, false), FALLBACK);
}

#[test]
fn a_critical_draft_that_a_person_accepts_still_meets_the_final_review() {
    let after = |verdict, change: fn(&mut Settings)| {
        let mut state = state(change);
        state.draft = Some(draft(1));
        state.critique = Some(critique(8.0, true, true));
        state
            .decisions
            .push(decided(Gate::Critical, verdict, false, Some("ada")));
        after_critical_review(&state)
    };
    assert_eq!(after(Decision::Approve, |_| {}), OUTPUT);
    assert_eq!(
        after(Decision::Approve, |s| s.people.hitl_before_output = true),
        FINAL_REVIEW
    );
    assert_eq!(
        after(Decision::Skip, |_| {}),
        WRITE,
        "left to the reviewer, who asks for a revision"
    );
    assert_eq!(after(Decision::Reject, |_| {}), FALLBACK);
}

/// Nothing is opened to begin a run.
struct NoLibraries;

#[async_trait::async_trait]
impl Libraries for NoLibraries {
    fn open(&self, _: &[PathBuf]) -> Arc<dyn Library> {
        panic!("nothing is searched here")
    }

    fn absolute(&self, root: &Path) -> std::io::Result<PathBuf> {
        Ok(Path::new("/home/ada").join(root))
    }

    async fn read_file(&self, _: &Path) -> Result<Vec<u8>, crate::library::LibraryFault> {
        panic!("nothing is read here")
    }
}

fn services() -> Services {
    Services {
        reasoners: Reasoners::new(None),
        libraries: Arc::new(NoLibraries),
        web: None,
        reader: Arc::new(InProcessReader),
        encoder: None,
        documents: DocumentCache::default(),
        faults: ServiceFaults::default(),
    }
}

#[test]
fn a_run_needs_something_to_search_and_settings_that_can_be_used() {
    let (mut services, web) = (services(), state(|_| {}));
    let own = state(|settings| settings.library = vec!["papers".into()]);
    let ready =
        |state: &ReportState, services: &Services| ReportWorkflow.check_ready(state, services);
    assert!(ready(&own, &services).is_ok());
    assert!(
        ready(&web, &services)
            .unwrap_err()
            .contains("nothing to search")
    );
    services.faults.web = Some("FATHOM_SERPER_URL cannot be used".to_owned());
    assert!(ready(&own, &services).is_ok());
    assert!(
        ready(&web, &services)
            .unwrap_err()
            .contains("FATHOM_SERPER_URL")
    );
    services.faults.reasoning = Some("OPENAI_BASE_URL cannot be used".to_owned());
    assert!(
        ready(&own, &services)
            .unwrap_err()
            .contains("OPENAI_BASE_URL")
    );
}

#[test]
fn the_schema_of_the_input_has_the_bounds_that_questions_are_held_to() {
    let schema = schemars::schema_for!(ReportInput).to_value();
    let question = &schema["properties"]["question"];
    assert_eq!(question["minLength"], *QUESTION_CHARS.start());
    assert_eq!(question["maxLength"], *QUESTION_CHARS.end());
    assert_eq!(schema["required"], serde_json::json!(["question"]));
}

#[test]
fn the_time_of_a_run_counts_from_when_it_was_asked() {
    let now = Timestamp::from_second(1_000).unwrap();
    let began = |asked_at: Option<i64>| {
        let input = ReportInput {
            question: "How do street trees cool a town?".to_owned(),
            context: None,
            domain: Vec::new(),
            date: None,
            depth: Default::default(),
            style: Default::default(),
            settings: Settings::default(),
            asked_at: asked_at.map(|second| Timestamp::from_second(second).unwrap()),
        };
        let begun = ReportWorkflow.begin(input, &services(), now);
        begun.unwrap().state.started_at
    };
    assert_eq!(began(Some(940)).as_second(), 940, "a library was read");
    assert_eq!(began(Some(2_000)), now, "nobody asks in the future");
    assert_eq!(began(None), now);
}

#[test]
fn a_draft_that_is_edited_in_a_fork_loses_what_was_found_about_the_old_one() {
    let mut run = state(|_| {});
    run.draft = Some(draft(1));
    run.check = Some(Arc::default());
    run.critique = Some(critique(9.0, false, false));
    let edit = |edits| ReportWorkflow.edit_state(&run, &edits);
    let edited = edit(serde_json::json!({ "draft": { "summary": "Trees cure gout [1]." } }));
    let edited = edited.unwrap();
    assert_eq!(edited.draft.unwrap().summary, "Trees cure gout [1].");
    assert_eq!((edited.check, edited.critique), (None, None));
    let same = edit(serde_json::json!({ "feedback": "shorter" })).unwrap();
    assert_eq!((&same.check, &same.critique), (&run.check, &run.critique));
    let forged = edit(serde_json::json!({ "check": { "claims": [] } })).unwrap_err();
    assert_eq!(forged.field, "check");
}
