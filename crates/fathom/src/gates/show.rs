//! What a person sees before deciding: a plan, a draft with what the review found, or the answers of an appraisal.

use fathom_render::appraisal::{Appraisal, details};
use fathom_research::ReportState;
use fathom_research::critique::{Critique, Severity};
use fathom_research::draft::Draft;
use fathom_research::plan::Plan;
use fathom_research::workflows::report;
use fathom_workflow::{Gate, Host};
use serde_json::Value;

use crate::exit::{Problem, Result};
use crate::screen::{TextStyle, harmless};

const FIRST_LINES: usize = 8;
const ITEMS_SHOWN: usize = 12;

/// What a breakpoint may bring, in the order in which it is read.
const PARTS: &[&str] = &[
    "figures",
    "plan",
    "sources",
    "findings",
    "contradictions",
    "gaps",
    "draft",
    "review",
    "errors",
];

/// What is to be decided at a gate: a plan or a draft where the workflow has one, else what the gate itself brings.
pub(super) async fn shown(host: &Host, gate: &Gate, coloured: bool) -> Result<String> {
    let header = host.header(gate.run).await?;
    let node = header.head.next.as_deref().unwrap_or_default();
    let state = if header.about.workflow == report::NAME {
        let state = host.view(gate.run, None).await?.state;
        Some(serde_json::from_value::<ReportState>(state).map_err(Problem::failed)?)
    } else {
        None
    };
    let bold = |text: &str| TextStyle::BOLD.paint(text, coloured);
    let mut lines = vec![
        String::new(),
        bold(&format!("{}.", capital(&gate.interrupt.reason))),
        String::new(),
    ];
    match &state {
        Some(state) => show_report(gate, node, state, &mut lines, bold),
        None => match appraisal(&gate.interrupt.show) {
            Some(appraisal) => lines.push(details(&appraisal, coloured)),
            None => show_fields(&gate.interrupt.show, &mut lines, bold),
        },
    }
    if let Some(deadline) = gate.interrupt.deadline {
        lines.push(format!(
            "Waiting until {}.",
            deadline.round(jiff::Unit::Second).unwrap_or(deadline)
        ));
    }
    Ok(lines.join("\n"))
}

/// The appraisal that a gate shows, if it shows one.
fn appraisal(show: &Value) -> Option<Appraisal> {
    serde_json::from_value(show.get("appraisal")?.clone()).ok()
}

fn show_report(
    gate: &Gate,
    node: &str,
    state: &ReportState,
    lines: &mut Vec<String>,
    bold: impl Fn(&str) -> String,
) {
    match (node, &state.plan, &state.draft) {
        ("plan_review", Some(plan), _) => show_plan(plan, lines, bold),
        ("final_review" | "critical_review", _, Some(draft)) => {
            let critique = state.review_of_draft();
            show_draft(state, draft, critique, lines, &bold);
            if let Some(critique) = critique {
                let least = match node {
                    "critical_review" => Severity::Suggestion,
                    _ => Severity::Major,
                };
                show_items(draft, critique, least, lines, bold);
            }
        }
        _ => show_parts(&gate.interrupt.show, state, lines, bold),
    }
}

/// What a gate of any workflow brings, field by field.
fn show_fields(show: &Value, lines: &mut Vec<String>, bold: impl Fn(&str) -> String) {
    for (name, part) in show.as_object().into_iter().flatten() {
        show_part(name, part, lines, &bold);
    }
}

/// What a breakpoint brought: a plan or a draft as at their own gates, all else by its name.
fn show_parts(
    show: &Value,
    state: &ReportState,
    lines: &mut Vec<String>,
    bold: impl Fn(&str) -> String,
) {
    let parts = PARTS
        .iter()
        .filter_map(|name| Some((*name, show.get(name)?)));
    for (name, part) in parts {
        match (name, part, &state.plan, &state.draft) {
            ("plan", _, Some(plan), _) => show_plan(plan, lines, &bold),
            ("draft", _, _, Some(draft)) => {
                show_draft(state, draft, state.review_of_draft(), lines, &bold);
            }
            _ => show_part(name, part, lines, &bold),
        }
    }
}

/// One field: figures in a line, a list item by item, anything else as it is.
fn show_part(name: &str, part: &Value, lines: &mut Vec<String>, bold: impl Fn(&str) -> String) {
    match part {
        Value::Object(figures) => {
            let figures = figures.iter();
            let figures = figures.map(|(name, value)| format!("{} {value}", plain(name)));
            let figures: Vec<String> = figures.collect();
            lines.push(format!("  {}", harmless(&figures.join(", "))));
            lines.push(String::new());
        }
        Value::Array(items) => {
            lines.push(bold(&capital(&plain(name))));
            if items.is_empty() {
                lines.push("  none".to_owned());
            }
            let items = items.iter().map(|item| match item {
                Value::String(text) => format!("  {}", harmless(text)),
                other => format!("  {}", harmless(&other.to_string())),
            });
            lines.extend(items);
            lines.push(String::new());
        }
        value => lines.push(harmless(&format!("  {} {value}", plain(name)))),
    }
}

/// A field's name as words.
fn plain(name: &str) -> String {
    name.replace('_', " ")
}

fn show_plan(plan: &Plan, lines: &mut Vec<String>, bold: impl Fn(&str) -> String) {
    lines.push(bold("Sub-questions"));
    for (nth, sub) in plan.sub_questions.iter().enumerate() {
        lines.push(format!("  {}. {}", nth + 1, harmless(&sub.text)));
    }
    lines.push(bold("Searches"));
    for query in &plan.queries {
        let kind = format!("{:?}", query.kind).to_lowercase();
        lines.push(format!("  {kind}: {}", harmless(&query.text)));
    }
    lines.push(bold("Sections"));
    for section in &plan.sections {
        lines.push(format!("  {}", harmless(&section.title)));
    }
    for warning in &plan.warnings {
        lines.push(format!("  note: {}", harmless(warning)));
    }
    lines.push(String::new());
}

fn show_draft(
    state: &ReportState,
    draft: &Draft,
    critique: Option<&Critique>,
    lines: &mut Vec<String>,
    bold: impl Fn(&str) -> String,
) {
    lines.push(bold(&harmless(&draft.title)));
    let mut figures = vec![
        format!("{} words", draft.words()),
        format!("{} sources", state.sources.len()),
    ];
    if let Some(check) = state.check_of_draft() {
        let counts = check.counts();
        figures.push(format!(
            "{} of {} claims supported",
            counts.supported, counts.claims
        ));
    }
    if let Some(critique) = critique.filter(|critique| critique.is_by_model()) {
        figures.push(format!("score {:.1} of 10", critique.score));
    }
    lines.push(format!("  {}", figures.join(", ")));
    let texts = draft.answer.lines().chain(draft.summary.lines());
    let summary = texts.filter(|line| !line.trim().is_empty());
    lines.extend(
        summary
            .take(FIRST_LINES)
            .map(|line| format!("  {}", harmless(line))),
    );
    for section in &draft.sections {
        lines.push(format!("  § {}", harmless(&section.title)));
    }
    lines.push(String::new());
}

fn show_items(
    draft: &Draft,
    critique: &Critique,
    least: Severity,
    lines: &mut Vec<String>,
    bold: impl Fn(&str) -> String,
) {
    let items: Vec<_> = critique
        .items
        .iter()
        .filter(|item| item.severity >= least)
        .collect();
    if items.is_empty() {
        return;
    }
    lines.push(bold("What the review found"));
    for item in items.iter().take(ITEMS_SHOWN) {
        let severity = item.severity.name();
        let place = draft.name(&item.place);
        lines.push(format!(
            "  {severity}, {}: {}",
            harmless(&place),
            harmless(&item.description)
        ));
    }
    if items.len() > ITEMS_SHOWN {
        lines.push(format!("  and {} more", items.len() - ITEMS_SHOWN));
    }
    lines.push(String::new());
}

fn capital(sentence: &str) -> String {
    let sentence = harmless(sentence);
    let mut letters = sentence.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().collect::<String>() + letters.as_str(),
        None => sentence,
    }
}
