use super::*;

fn sub(text: &str) -> SubQuestion {
    SubQuestion {
        text: text.into(),
        needs: Vec::new(),
    }
}

fn query(text: &str, kind: SourceKind, serves: u32) -> Query {
    Query {
        terms: Vec::new(),
        text: text.into(),
        intent: String::new(),
        kind,
        priority: 1,
        serves: SubQuestionId(serves),
    }
}

fn plan() -> Plan {
    Plan {
        sub_questions: vec![sub("What cools?"), sub("How much?")],
        queries: vec![query("street trees cooling", SourceKind::Web, 0)],
        sections: vec![PlannedSection {
            title: "Cooling".into(),
            answers: vec![SubQuestionId(0), SubQuestionId(1)],
        }],
        ..Plan::default()
    }
}

#[test]
fn a_sound_plan_has_no_fault() {
    assert_eq!(plan().faults(true), []);
}

#[test]
fn each_rule_that_is_broken_is_named() {
    assert_eq!(
        Plan::default().faults(true),
        [
            PlanFault::FewSubQuestions { count: 0 },
            PlanFault::NoQuery,
            PlanFault::NoSection
        ]
    );
    let mut twice = plan();
    twice
        .queries
        .push(query("Street  trees Cooling", SourceKind::Web, 1));
    twice.queries.push(query("other", SourceKind::Web, 7));
    assert_eq!(
        twice.faults(true),
        [
            PlanFault::QueryTwice {
                text: "Street  trees Cooling".into()
            },
            PlanFault::UnknownSubQuestion { number: 8 }
        ]
    );
    // The same words put to another kind of source are another query.
    let mut kinds = plan();
    kinds
        .queries
        .push(query("street trees cooling", SourceKind::Academic, 0));
    assert_eq!(kinds.faults(true), []);
}

#[test]
fn a_plan_without_queries_gets_them_from_its_sub_questions_by_depth() {
    let kinds = |depth, local_only| -> Vec<SourceKind> {
        let bare = Plan {
            queries: Vec::new(),
            ..plan()
        };
        let mended = bare.mended(depth, local_only);
        assert_eq!(mended.faults(true), []);
        mended.queries.iter().map(|query| query.kind).collect()
    };
    use SourceKind::{Academic, Local, News, Web};
    assert_eq!(kinds(Depth::Quick, false), [Web, Web]);
    assert_eq!(
        kinds(Depth::Standard, false),
        [Web, Academic, Web, Academic]
    );
    assert_eq!(
        kinds(Depth::Comprehensive, false),
        [Web, Academic, News, Web, Academic, News]
    );
    assert_eq!(kinds(Depth::Standard, true), [Local, Local]);
}

#[test]
fn mending_leaves_nothing_that_a_rule_forbids_save_what_is_missing() {
    let mut broken = plan();
    broken.confidence = f64::NAN;
    broken
        .queries
        .push(query("street TREES cooling", SourceKind::Web, 1));
    broken.queries.push(query("nowhere", SourceKind::Web, 9));
    broken.queries.push(query(" ", SourceKind::Web, 0));
    broken.sections[0].answers.push(SubQuestionId(9));
    broken.sub_questions[0].needs.push(SubQuestionId(9));
    let mended = broken.mended(Depth::Quick, false);
    assert_eq!(mended.faults(true), []);
    assert_eq!((mended.queries.len(), mended.confidence), (1, 0.0));
}
