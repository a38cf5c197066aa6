use super::*;
use crate::{Context, InvalidUpdate, NodeResult};

#[derive(serde::Serialize, serde::Deserialize)]
struct Tour(Vec<String>);

impl State for Tour {
    type Update = String;

    fn apply(&mut self, place: &String) -> Result<(), InvalidUpdate> {
        self.0.push(place.clone());
        Ok(())
    }
}

async fn visit(_: &Tour, ctx: &Context<()>) -> NodeResult<Tour> {
    Ok(ctx.node().to_owned())
}

fn tour() -> GraphBuilder<Tour, ()> {
    Graph::new("tour")
}

#[track_caller]
fn refused(builder: GraphBuilder<Tour, ()>) -> GraphError {
    match builder.build() {
        Ok(_) => panic!("the graph should have been refused"),
        Err(error) => error,
    }
}

#[test]
fn a_cycle_without_a_bound_is_refused_and_named() {
    let error = refused(
        tour()
            .node("a", visit)
            .node("b", visit)
            .node("c", visit)
            .start("a")
            .edge("a", "b")
            .edge("b", "c")
            .route("c", ["b", END], |_| END),
    );
    assert_eq!(
        error,
        GraphError::UnboundedCycle {
            nodes: vec!["b", "c", "b"]
        }
    );
    assert_eq!(
        error.to_string(),
        "the cycle b -> c -> b has no bound; give one of its edges one with `at_most`"
    );
}

#[test]
fn a_node_that_leads_to_itself_needs_a_bound_too() {
    let looping = || {
        tour()
            .node("a", visit)
            .start("a")
            .route("a", ["a", END], |_| "a")
    };
    assert_eq!(
        refused(looping()),
        GraphError::UnboundedCycle {
            nodes: vec!["a", "a"]
        }
    );
    assert!(looping().at_most(5, "a", "a", END).build().is_ok());
}

#[test]
fn a_diversion_must_not_close_a_cycle_either() {
    let error = refused(
        tour()
            .node("a", visit)
            .node("b", visit)
            .start("a")
            .edge("a", "b")
            .route("b", ["b", END], |_| END)
            .at_most(1, "b", "b", "a"),
    );
    assert_eq!(
        error,
        GraphError::UnboundedCycle {
            nodes: vec!["a", "b", "a"]
        }
    );
}

#[test]
fn unreachable_nodes_are_named() {
    let error = refused(
        tour()
            .node("a", visit)
            .node("b", visit)
            .node("c", visit)
            .start("a")
            .edge("a", END)
            .edge("b", "c")
            .edge("c", END),
    );
    assert_eq!(error.to_string(), "no run can reach \"b\", \"c\"");
}

#[test]
fn unknown_targets_are_named_with_the_node_that_names_them() {
    let error = refused(tour().node("a", visit).start("a").edge("a", "b"));
    assert_eq!(
        error.to_string(),
        "\"b\" is named by an edge or route out of \"a\", but there is no such node"
    );
    let error = refused(tour().node("a", visit).start("b").edge("a", END));
    assert_eq!(
        error.to_string(),
        "\"b\" is named by `start`, but there is no such node"
    );
    let error = refused(
        tour()
            .node("a", visit)
            .start("a")
            .route("a", ["a", END], |_| END)
            .at_most(1, "a", "a", "b"),
    );
    assert!(matches!(error, GraphError::UnknownNode { node: "b", .. }));
    let error = refused(
        tour()
            .node("a", visit)
            .start("a")
            .edge("a", END)
            .rescue("b"),
    );
    assert!(matches!(error, GraphError::UnknownNode { node: "b", .. }));
}

#[test]
fn what_is_declared_twice_or_not_at_all_is_refused() {
    let twice = refused(
        tour()
            .node("a", visit)
            .node("a", visit)
            .start("a")
            .edge("a", END),
    );
    assert_eq!(twice, GraphError::DuplicateNode { node: "a" });
    let reserved = refused(tour().node(END, visit).start(END).edge(END, END));
    assert_eq!(reserved, GraphError::ReservedName);
    assert_eq!(
        refused(tour().node("a", visit).edge("a", END)),
        GraphError::NoStart
    );
    assert_eq!(
        refused(tour().node("a", visit).start("a")),
        GraphError::NoExit { node: "a" }
    );
    let no_targets = refused(tour().node("a", visit).start("a").route("a", [], |_| END));
    assert_eq!(no_targets, GraphError::NoExit { node: "a" });
    let exits = refused(
        tour()
            .node("a", visit)
            .start("a")
            .edge("a", END)
            .edge("a", END),
    );
    assert_eq!(exits, GraphError::SecondExit { node: "a" });
    let phases = refused(
        tour()
            .node("a", visit)
            .start("a")
            .edge("a", END)
            .phase("a", |_| "x")
            .phase("a", |_| "y"),
    );
    assert_eq!(phases, GraphError::SecondPhase { node: "a" });
}

#[test]
fn bounds_belong_to_edges_and_divert_to_targets_without_one() {
    let looping = || {
        tour()
            .node("a", visit)
            .start("a")
            .route("a", ["a", END], |_| "a")
    };
    let no_edge = refused(
        looping()
            .at_most(1, "a", "a", END)
            .at_most(1, "a", "b", END),
    );
    assert_eq!(no_edge, GraphError::BoundWithoutEdge { from: "a", to: "b" });
    let second = refused(
        looping()
            .at_most(1, "a", "a", END)
            .at_most(2, "a", "a", END),
    );
    assert_eq!(second, GraphError::SecondBound { from: "a", to: "a" });
    let itself = refused(looping().at_most(1, "a", "a", "a"));
    assert_eq!(
        itself,
        GraphError::BoundedDiversion {
            from: "a",
            to: "a",
            otherwise: "a"
        }
    );
}

#[test]
fn a_bound_that_is_used_up_diverts_the_run() {
    let graph = tour()
        .node("a", visit)
        .start("a")
        .route("a", ["a", END], |_| "a")
        .at_most(2, "a", "a", END)
        .build()
        .unwrap();
    let (state, mut tally) = (Tour(Vec::new()), RunTally::default());
    for used in 1..=2 {
        let leave = graph.leave("a", &state, &tally).unwrap();
        assert_eq!(leave.to, Some("a"));
        let looped = leave.looped.unwrap();
        assert_eq!(looped.used, used);
        tally.loops.insert(looped.edge, looped.used);
    }
    let leave = graph.leave("a", &state, &tally).unwrap();
    assert_eq!(
        leave,
        StepExit {
            to: None,
            looped: None
        }
    );
    assert_eq!(graph.most_steps(), 3);
}

#[test]
fn the_outline_tells_always_choice_and_bounded_edges_apart() {
    let outline = tour()
        .node("a", visit)
        .node("b", visit)
        .node("c", visit)
        .start("a")
        .edge("a", "b")
        .route("b", ["a", "c"], |_| "c")
        .at_most(3, "b", "a", END)
        .edge("c", END)
        .rescue("c")
        .build()
        .unwrap()
        .outline();
    let kinds: Vec<_> = outline
        .edges
        .iter()
        .map(|edge| (edge.from, edge.to, edge.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            ("a", "b", EdgeKind::Always),
            ("b", "a", EdgeKind::Bounded { times: 3 }),
            ("b", "c", EdgeKind::Choice),
            ("b", END, EdgeKind::Choice),
            ("c", END, EdgeKind::Always),
        ]
    );
}
