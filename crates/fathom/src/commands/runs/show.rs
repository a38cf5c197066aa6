//! `fathom runs show`: where a run stands, the way it went, and its state at a step.

use fathom_workflow::display::DisplayLimits;
use fathom_workflow::record::{Run, Status, StepKind, StepMeta};
use fathom_workflow::{RunId, WAITED_MS};
use serde_json::{Value, json};

use super::RunsContext;
use crate::commands::graph;
use crate::exit::{Problem, Result};
use crate::{gates, screen};

pub(super) async fn show(
    context: &RunsContext,
    run: RunId,
    at: Option<u64>,
    as_json: bool,
) -> Result<()> {
    let header = context.looking.header(run).await?;
    let steps = graph::steps(&*context.store, run).await?;
    let state = if at.is_some() || as_json {
        Some(state(context, run, at).await?)
    } else {
        None
    };
    if as_json {
        let whole = json!({ "run": header, "steps": steps, "state": state });
        return screen::print_line(&whole.to_string());
    }
    let mut lines = about(&header);
    match state {
        Some(state) => {
            lines.push(serde_json::to_string_pretty(&state).map_err(Problem::failed)?);
        }
        None => lines.extend(steps.iter().map(step)),
    }
    if let Some(next) = &header.head.next {
        lines.push(format!("next: {next}"));
    }
    if header.head.status == Status::Waiting && at.is_none() {
        lines.push(gates::described(&context.looking, run).await?);
    }
    screen::print_line(&screen::harmless(&lines.join("\n")))
}

/// The state as of a step, with its long fields cut short.
async fn state(context: &RunsContext, run: RunId, at: Option<u64>) -> Result<Value> {
    let view = context.looking.view(run, at).await?;
    if let Some(damage) = view.damage {
        screen::tell(&format!(
            "Only steps up to {} can be read: {}",
            view.step, damage.why
        ));
    }
    let whole = serde_json::to_value(&view.state).map_err(Problem::failed)?;
    Ok(DisplayLimits::default().apply(&whole))
}

fn about(run: &Run) -> Vec<String> {
    let mut lines = vec![
        format!("run      {}", run.id()),
        format!("title    {}", run.about.title),
        format!("status   {}", run.head.status),
        format!("started  {}", shown(run.about.created_at)),
        format!("updated  {}", shown(run.head.updated_at)),
    ];
    if let Some(reason) = &run.head.reason {
        lines.push(format!("reason   {reason}"));
    }
    if let Some(until) = run.head.wake_at {
        lines.push(format!("waiting  until {}", shown(until)));
    }
    if let Some(origin) = &run.about.forked_from {
        lines.push(format!(
            "forked   from step {} of {}",
            origin.step, origin.run
        ));
    }
    lines.push(String::new());
    lines
}

fn step(step: &StepMeta) -> String {
    let what = match &step.kind {
        StepKind::Base { .. } => "start".to_owned(),
        StepKind::Update => step.node.to_string(),
        StepKind::Cut(cut) => format!("{} (cut short: {cut})", step.node),
    };
    let spent = step.meters.iter().map(|(meter, amount)| match &**meter {
        WAITED_MS => format!("waited {} s", amount / 1_000),
        meter => format!("{amount} {meter}"),
    });
    let spent = spent.collect::<Vec<_>>().join(", ");
    format!("{:>4}  {what:<18} {}  {spent}", step.step, shown(step.at))
        .trim_end()
        .to_owned()
}

fn shown(at: jiff::Timestamp) -> String {
    at.round(jiff::Unit::Second).unwrap_or(at).to_string()
}
