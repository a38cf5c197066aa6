//! What a drawing promises: its text in every format, and that no name can break out of it.

use proptest::prelude::*;

use super::*;
use crate::record::{BaseReason, CutReason, RunTally};
use crate::{EdgeKind, NodeName, OutlineEdge};

fn research() -> Outline {
    let edge = |from, to, kind| OutlineEdge { from, to, kind };
    let bounded = |times| EdgeKind::Bounded { times };
    Outline {
        name: "research",
        start: "plan",
        rescue: Some("fallback"),
        nodes: vec![
            "plan", "search", "analyse", "write", "check", "review", "output", "fallback",
        ],
        edges: vec![
            edge("plan", "search", EdgeKind::Always),
            edge("search", "analyse", EdgeKind::Always),
            edge("analyse", "search", bounded(2)),
            edge("analyse", "write", EdgeKind::Choice),
            edge("write", "check", EdgeKind::Always),
            edge("check", "review", EdgeKind::Always),
            edge("review", "write", bounded(3)),
            edge("review", "output", EdgeKind::Choice),
            edge("review", "fallback", EdgeKind::Choice),
            edge("output", END, EdgeKind::Always),
            edge("fallback", END, EdgeKind::Always),
        ],
    }
}

fn step(node: NodeName, next: NodeName, kind: StepKind) -> StepMeta {
    StepMeta {
        step: 0,
        node: node.into(),
        kind,
        next: (next != END).then_some(next.into()),
        looped: None,
        meters: BTreeMap::new(),
        entries: 0,
        at: jiff::Timestamp::UNIX_EPOCH,
    }
}

fn base(next: NodeName, why: BaseReason) -> StepMeta {
    let tally = RunTally::default();
    step("", next, StepKind::Base { tally, why })
}

/// The steps of a run that went through `nodes` and stands at the last.
fn walk(nodes: &[NodeName]) -> Vec<StepMeta> {
    let mut steps = vec![base(nodes[0], BaseReason::Started)];
    let pairs = nodes.windows(2);
    steps.extend(pairs.map(|pair| step(pair[0], pair[1], StepKind::Update)));
    steps
}

fn under_way() -> RunPath {
    RunPath::from_steps(&walk(&[
        "plan", "search", "analyse", "search", "analyse", "search", "analyse", "write", "check",
        "review", "write", "check",
    ]))
}

fn rescued() -> RunPath {
    let mut steps = walk(&["plan", "search", "analyse"]);
    steps.push(step(
        "analyse",
        "fallback",
        StepKind::Cut(CutReason::Deadline),
    ));
    steps.push(step("fallback", END, StepKind::Update));
    RunPath::from_steps(&steps)
}

#[test]
fn a_graph_is_drawn_in_every_format() {
    for format in [Format::Mermaid, Format::Dot, Format::Svg] {
        insta::assert_snapshot!(format!("graph.{format}"), draw(&research(), None, format));
    }
}

#[test]
fn a_run_under_way_is_marked_in_every_format() {
    let path = under_way();
    for format in [Format::Mermaid, Format::Dot, Format::Svg] {
        let drawn = draw(&research(), Some(&path), format);
        insta::assert_snapshot!(format!("under_way.{format}"), drawn);
    }
}

#[test]
fn the_way_to_the_rescue_is_drawn_where_a_run_took_it() {
    let path = rescued();
    for format in [Format::Mermaid, Format::Dot, Format::Svg] {
        let drawn = draw(&research(), Some(&path), format);
        insta::assert_snapshot!(format!("rescued.{format}"), drawn);
    }
}

#[test]
fn a_path_counts_visits_and_the_edges_taken() {
    let path = under_way();
    assert_eq!(path.visits["search"], 3);
    assert_eq!(path.visits["check"], 1, "it stands there a second time");
    assert_eq!(path.taken[&("analyse".into(), "search".into())], 2);
    assert_eq!(path.current.as_deref(), Some("check"));
    assert!(!path.done);
}

#[test]
fn a_cut_step_counts_as_a_visit_and_a_way_to_the_rescue() {
    let path = rescued();
    assert_eq!(path.visits["analyse"], 1);
    assert_eq!(path.taken[&("analyse".into(), "fallback".into())], 1);
    assert_eq!(path.taken[&("fallback".into(), END.into())], 1);
    assert_eq!(path.current, None);
    assert!(path.done);
}

#[test]
fn a_base_only_says_where_the_run_stands() {
    let mut steps = walk(&["plan", END]);
    steps.push(base("plan", BaseReason::Reopened));
    let path = RunPath::from_steps(&steps);
    assert_eq!(path.visits.len(), 1);
    assert_eq!(path.taken.len(), 1);
    assert_eq!(path.current.as_deref(), Some("plan"));
    assert!(!path.done);
}

#[test]
fn a_path_through_nodes_the_graph_lost_is_drawn_without_them() {
    let path = RunPath::from_steps(&walk(&["plan", "removed", "search"]));
    for format in [Format::Mermaid, Format::Dot, Format::Svg] {
        assert!(!draw(&research(), Some(&path), format).contains("removed"));
    }
}

#[test]
fn a_format_reads_what_it_shows() {
    for format in [Format::Mermaid, Format::Dot, Format::Svg] {
        assert_eq!(format.to_string().parse(), Ok(format));
    }
}

#[test]
fn an_unknown_format_is_told_the_choices() {
    let error = "png".parse::<Format>().unwrap_err();
    insta::assert_snapshot!(
        error,
        @r#"a graph cannot be drawn as "png"; choose mermaid, dot or svg"#
    );
}

/// Names full of what means something to one of the formats.
fn names() -> impl Strategy<Value = Vec<NodeName>> {
    let awkward = prop::collection::vec(
        prop::sample::select(vec![
            "\"", "\\", "&", "<", ">", "'", "#", ";", "|", "[", "]", "{", "}", "(", ")", "`", "--",
            "->", "\n", "\r", "\t", "\0", "\u{1b}", "\u{fffe}", "]]>", "-->", "&amp;", "#quot;",
            "</text>", "end", "1. ", "- ", "_", "é", "語", " ", "a",
        ]),
        1..6,
    );
    let name = prop_oneof![any::<String>(), awkward.prop_map(|parts| parts.concat())];
    prop::collection::hash_set(name, 3).prop_filter_map("reserved", |names| {
        let leak = |name: String| -> NodeName { Box::leak(name.into_boxed_str()) };
        let names: Vec<NodeName> = names.into_iter().map(leak).collect();
        (!names.contains(&END)).then_some(names)
    })
}

fn named(names: &[NodeName]) -> Outline {
    let edge = |from, to, kind| OutlineEdge { from, to, kind };
    Outline {
        name: names[2],
        start: names[0],
        rescue: Some(names[1]),
        nodes: names.to_vec(),
        edges: vec![
            edge(names[0], names[1], EdgeKind::Always),
            edge(names[1], names[0], EdgeKind::Bounded { times: 2 }),
            edge(names[1], names[2], EdgeKind::Choice),
            edge(names[2], END, EdgeKind::Always),
        ],
    }
}

/// A name as it can be shown on one line; what cannot be shown is replaced.
fn on_a_line(name: &str, is_space: fn(char) -> bool) -> String {
    let shown = |character: char| match character {
        _ if is_space(character) => ' ',
        _ if character.is_control() => char::REPLACEMENT_CHARACTER,
        _ => character,
    };
    name.chars().map(shown).collect()
}

/// Text outside double quotes, and the texts inside; a backslash keeps a quote inside.
fn unquoted(text: &str) -> (String, Vec<String>) {
    let (mut outside, mut inside) = (String::new(), Vec::new());
    let mut quoted: Option<String> = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (&mut quoted, character) {
            (None, '"') => quoted = Some(String::new()),
            (None, _) => outside.push(character),
            (Some(_), '"') => inside.extend(quoted.take()),
            (Some(held), '\\') => held.extend(['\\'].into_iter().chain(characters.next())),
            (Some(held), _) => held.push(character),
        }
    }
    assert_eq!(quoted, None, "a quote is left open in {text}");
    (outside, inside)
}

proptest! {
    #[test]
    fn names_stay_inside_their_quotes_in_dot(names in names()) {
        let (outside, inside) = unquoted(&draw(&named(&names), None, Format::Dot));
        let (plain, _) = unquoted(&draw(&named(&["a", "b", "c"]), None, Format::Dot));
        prop_assert_eq!(outside, plain);
        for name in names {
            let shown = on_a_line(name, char::is_whitespace);
            let read = |text: &String| {
                let text = text.strip_suffix("\\nrescue").unwrap_or(text);
                text.replace("\\\\", "\0").replace("\\\"", "\"").replace('\0', "\\").replace("&amp;", "&")
            };
            prop_assert!(inside.iter().any(|text| read(text) == shown), "{shown:?} in {inside:?}");
        }
    }

    #[test]
    fn names_stay_inside_their_quotes_in_mermaid(names in names()) {
        let body = |names: &[NodeName]| {
            let drawn = draw(&named(names), None, Format::Mermaid);
            let title = drawn.lines().nth(1).unwrap().to_owned();
            (title.clone(), unquoted(&drawn.replace(&title, "")))
        };
        let (title, (outside, inside)) = body(&names);
        let (_, (plain, _)) = body(&["a", "b", "c"]);
        prop_assert_eq!(outside, plain);
        prop_assert!(!inside.contains(&String::new()));
        for text in inside.iter().map(|text| text.trim_end_matches("<br/>rescue")).chain([&*title]) {
            prop_assert!(!text.contains(['<', '>', '&', '`', '\\', '*', '[', '|']), "{text:?}");
        }
    }

    #[test]
    fn an_svg_is_xml_that_holds_every_name(names in names()) {
        let drawn = draw(&named(&names), Some(&under_way()), Format::Svg);
        let xml = roxmltree::Document::parse(&drawn).unwrap();
        let tags = ["svg", "title", "desc", "style", "rect", "g", "path", "text", "tspan"];
        for element in xml.descendants().filter(roxmltree::Node::is_element) {
            prop_assert!(tags.contains(&element.tag_name().name()), "{element:?}");
        }
        let titles: Vec<&str> = xml
            .descendants()
            .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "title")))
            .map(|node| node.text().unwrap_or_default())
            .collect();
        for name in names {
            let shown = on_a_line(name, |character| "\t\n\r".contains(character));
            let shown = shown.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}");
            prop_assert!(titles.contains(&shown.as_str()), "{shown:?} in {titles:?}");
        }
    }
}
