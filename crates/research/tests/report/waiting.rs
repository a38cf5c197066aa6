//! A run that waits for people: the wait is not the run's own time, and what comes after it is dated after it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use fathom_evidence::extract::InProcessReader;
use fathom_render::Report;
use fathom_research::reasoner::Reasoners;
use fathom_research::settings::GateSettings;
use fathom_research::skills::stop::StopReason;
use fathom_research::workflows::report;
use fathom_research::workflows::report::breakpoint::{Breakpoint, Moment, Step, StopPlace};
use fathom_research::{DocumentCache, Question, ReportState, ServiceFaults, Services, Settings};
use fathom_workflow::interrupt::{Decision, Verdict};
use fathom_workflow::record::Status;
use fathom_workflow::{Clock, Engine, ManualClock, MemoryStore, NewRun};
use jiff::Timestamp;
use jiff::civil::date;

use crate::folder::{Examples, on_examples};

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

/// More than a run of this graph has gates.
const GATES_MOST: usize = 10;

fn engine(clock: &Arc<ManualClock>) -> Engine<ReportState, Services> {
    let services = Services {
        reasoners: Reasoners::new(None),
        libraries: Arc::new(Examples::default()),
        web: None,
        reader: Arc::new(InProcessReader),
        encoder: None,
        documents: DocumentCache::default(),
        faults: ServiceFaults::default(),
    };
    Engine::with(
        report::graph().unwrap(),
        Arc::new(MemoryStore::with_clock(clock.clone())),
        Arc::new(services),
        clock.clone(),
        fathom_workflow::RuntimeSettings::default(),
    )
}

struct WaitedRun {
    report: Arc<Report>,
    /// When each gate was passed.
    approved: Vec<Timestamp>,
}

/// A run that works for five minutes and waits so long at each gate.
async fn run(people: GateSettings, wait: Duration) -> WaitedRun {
    let clock = Arc::new(ManualClock::at("2026-11-16T12:00:00Z".parse().unwrap()));
    let engine = engine(&clock);
    let settings = Settings {
        people,
        ..on_examples(Settings::default())
    };
    let new = NewRun {
        time_limit: Some(settings.time_limit()),
        ..NewRun::titled("trees")
    };
    let question = "How much do street trees cool a city, and what do they cost?";
    let question = Question::parse(question, date(2026, 11, 16)).unwrap();
    let state = ReportState::new(question, settings, clock.now());
    let mut execution = engine.start(new, state).await.unwrap();
    let run = execution.id();
    clock.advance(5 * MINUTE);
    let mut outcome = execution.run().await.unwrap();
    let mut approved = Vec::new();
    while outcome.status == Status::Waiting && approved.len() < GATES_MOST {
        clock.advance(wait);
        approved.push(clock.now());
        let gate = engine.gate(run).await.unwrap();
        let decision = Decision::new(Verdict::Approve, "kim");
        engine.decide(&gate, decision).await.unwrap();
        outcome = engine.open(run).await.unwrap().run().await.unwrap();
    }
    assert_eq!(outcome.status, Status::Completed);
    let replayed = engine.replay(run).await.unwrap();
    let report = replayed.state.report.unwrap();
    WaitedRun { report, approved }
}

#[tokio::test]
async fn an_hour_at_each_gate_costs_no_search_and_is_no_part_of_the_time_on_page_one() {
    let people = GateSettings {
        hitl_after_planning: true,
        hitl_before_output: true,
        plan_review_s: 24 * 3600,
        final_review_s: 24 * 3600,
        ..GateSettings::default()
    };
    let waited = run(people.clone(), HOUR).await;
    let straight = run(people, Duration::ZERO).await;
    assert_eq!(waited.approved.len(), 2, "both gates were passed");

    let (waited, straight) = (waited.report, straight.report);
    let rounds = waited.method.rounds.iter();
    let stops: Vec<_> = rounds.map(|round| round.stop).collect();
    assert!(!stops.contains(&Some(StopReason::Time)), "{stops:?}");
    assert_eq!(waited.method.rounds, straight.method.rounds);
    assert_eq!(waited.method.queries, straight.method.queries);
    assert_eq!(waited.figures, straight.figures);
    assert_eq!(waited.figures.time_ms, 5 * 60 * 1000);
}

#[tokio::test]
async fn what_a_step_does_after_an_answer_is_dated_after_it() {
    let stop_before = |step| Breakpoint {
        timeout_s: 24 * 3600,
        ..Breakpoint::new(StopPlace {
            moment: Moment::Before,
            step,
        })
    };
    let people = GateSettings {
        breakpoints: vec![stop_before(Step::Search), stop_before(Step::Output)],
        ..GateSettings::default()
    };
    let WaitedRun { report, approved } = run(people, HOUR).await;
    let (last, searches) = approved.split_last().unwrap();
    assert_eq!(report.finished_at, *last);
    assert_eq!(report.figures.time_ms, 5 * 60 * 1000);
    let snapshots = report.sources.iter().flat_map(|source| &source.snapshot);
    let read_at: BTreeSet<_> = snapshots.map(|snapshot| snapshot.taken_at).collect();
    assert!(!read_at.is_empty());
    assert!(
        read_at.iter().all(|at| searches.contains(at)),
        "{read_at:?}"
    );
}
