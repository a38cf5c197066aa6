//! Every row of the decision matrix, on both sides of its threshold.

use fathom_render::answer::{Answered, Assessment, Measure};
use fathom_workflow::EdgeKind;

use crate::workflows::ask::assessment::{confidence, shortfalls};
use crate::workflows::ask::input::{AskInput, AskSettings};
use crate::workflows::ask::state::{AskChange, AskState, AskUpdate};
use crate::workflows::ask::{ASSESS, GENERATE, RETRIEVE, after_assess, graph};
use crate::{Question, workflows::ask::ending};

/// Good by every measure.
fn good() -> Assessment {
    Assessment {
        quality: 0.7,
        coverage: 0.5,
        relevance: 0.6,
        results: 5,
        below: Vec::new(),
    }
}

/// Where a run goes that has assessed its passages so.
fn after(assessment: Assessment, settings: &AskSettings) -> (&'static str, Vec<Measure>) {
    let below = shortfalls(&assessment, settings);
    let measures = below.iter().map(|short| short.measure).collect();
    let question = Question::parse_short("How do trees cool?", jiff::civil::date(2026, 11, 18));
    let now = jiff::Timestamp::UNIX_EPOCH;
    let mut state = AskState::new(question.unwrap(), Vec::new(), settings.clone(), now);
    let update = AskUpdate {
        stage: fathom_render::answer::StageTime {
            stage: "assess".to_owned(),
            ms: 1,
        },
        change: AskChange::Assessed(Assessment {
            below,
            ..assessment
        }),
        caveats: Vec::new(),
    };
    fathom_workflow::State::apply(&mut state, &update).unwrap();
    assert_eq!(ending(&state), fathom_workflow::RunEnding::Complete);
    (after_assess(&state), measures)
}

#[test]
fn passages_at_every_threshold_are_good_enough() {
    let settings = AskSettings::default();
    assert_eq!(after(good(), &settings), (GENERATE, vec![]));
}

#[test]
fn each_measure_below_its_threshold_is_named_and_leads_back_to_the_search() {
    let settings = AskSettings::default();
    type Spoil = fn(&mut Assessment);
    let rows: [(Measure, Spoil); 4] = [
        (Measure::Quality, |one| one.quality = 0.699),
        (Measure::Coverage, |one| one.coverage = 0.499),
        (Measure::Relevance, |one| one.relevance = 0.599),
        (Measure::Results, |one| one.results = 4),
    ];
    for (measure, spoil) in rows {
        let mut spoiled = good();
        spoil(&mut spoiled);
        assert_eq!(after(spoiled, &settings), (RETRIEVE, vec![measure]));
    }
    let nothing = Assessment {
        quality: 0.0,
        coverage: 0.0,
        relevance: 0.0,
        results: 0,
        below: Vec::new(),
    };
    assert_eq!(after(nothing, &settings).1.len(), 4);
}

#[test]
fn enough_results_are_half_of_those_wanted_and_never_fewer_than_three() {
    for (max_results, enough) in [(1, 3), (6, 3), (7, 3), (8, 4), (10, 5), (11, 5), (50, 25)] {
        let settings = AskSettings {
            max_results,
            ..AskSettings::default()
        };
        let with = |results| Assessment { results, ..good() };
        assert_eq!(settings.results_wanted(), enough);
        assert_eq!(after(with(enough), &settings).0, GENERATE);
        assert_eq!(after(with(enough - 1), &settings).0, RETRIEVE);
    }
}

#[test]
fn the_thresholds_are_settings() {
    let settings = AskSettings {
        quality_threshold: 0.9,
        ..AskSettings::default()
    };
    assert_eq!(after(good(), &settings).1, [Measure::Quality]);
}

#[test]
fn confidence_falls_where_the_second_search_is_poor_and_is_nothing_without_an_answer() {
    let poor = Assessment {
        below: shortfalls(
            &Assessment {
                results: 1,
                ..good()
            },
            &AskSettings::default(),
        ),
        ..good()
    };
    let once = confidence(&[good()], Answered::Yes);
    let twice = confidence(&[poor.clone(), good()], Answered::Yes);
    let still_poor = confidence(&[poor.clone(), poor], Answered::Yes);
    assert!((once - 0.6).abs() < 1e-9 && (twice - once).abs() < 1e-9);
    assert!(still_poor < once);
    assert!(confidence(&[good()], Answered::Partly) < once);
    assert!(confidence(&[good()], Answered::No) <= 0.0);
    assert!(confidence(&[], Answered::Yes) <= 0.0);
}

#[test]
fn the_graph_has_one_way_back_that_is_taken_once() {
    let graph = graph().unwrap();
    assert_eq!(graph.rescue(), Some(super::super::GIVE_UP));
    let bounds = graph
        .outline()
        .edges
        .into_iter()
        .filter_map(|edge| match edge.kind {
            EdgeKind::Bounded { times } => Some((edge.from, edge.to, times)),
            EdgeKind::Always | EdgeKind::Choice => None,
        });
    assert_eq!(bounds.collect::<Vec<_>>(), [(ASSESS, RETRIEVE, 1)]);
}

#[test]
fn an_input_with_defaults_alone_is_read() {
    let input: AskInput = serde_json::from_str(r#"{"question": "Why?"}"#).unwrap();
    assert_eq!(input.settings.max_execution_time_s, 60);
    assert!(input.earlier.is_empty());
}
