//! `fathom runs show`: where a run stands, the way it went, and its state at a step.

use fathom_workflow::display::DisplayLimits;
use fathom_workflow::record::{RunHeader, Status, StepKind, StepMeta};
use fathom_workflow::{Error, Host, RunId, StepView, WAITED_MS};
use serde_json::{Value, json};

use super::list;
use crate::exit::{Problem, Result};
use crate::{deliver, gates, screen};

/// Records of a run that is shown without its workflow.
const RECORDS_SHOWN: usize = 1_000;

pub(super) async fn show(host: &Host, run: RunId, at: Option<u64>, as_json: bool) -> Result<()> {
    let header = host.header(run).await?;
    let last = header.head.step;
    if let Some(step) = at.filter(|at| *at > last) {
        return Err(Error::NoSuchStep { run, step, last }.into());
    }
    let steps = deliver::steps(host, run).await?;
    let state = if at.is_some() || as_json {
        Some(state(host, run, at).await?)
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
    if header.head.status == Status::Waiting && !header.head.parked && at.is_none() {
        lines.push(gates::described(host, run).await?);
    }
    if header.head.status == Status::Completed && at.is_none() {
        lines.push(format!("See what it ended in: fathom runs export {run}"));
    }
    screen::print_line(&screen::harmless(&lines.join("\n")))
}

/// The state as of a step, with its long fields cut short. Where the program cannot read the state, the records up to
/// that step stand in its place.
async fn state(host: &Host, run: RunId, at: Option<u64>) -> Result<Value> {
    let whole = match host.view(run, at).await {
        Ok(view) => {
            if let Some(damage) = view.damage {
                screen::tell(&format!(
                    "Only steps up to {} can be read: {}",
                    view.step, damage.why
                ));
            }
            view.state
        }
        Err(error @ (Error::UnknownWorkflow { .. } | Error::NewerVersion { .. })) => {
            screen::tell(&format!(
                "{}\nShowing its records instead.",
                Problem::failed(error)
            ));
            let records = host.steps(run, 0, RECORDS_SHOWN).await?.into_iter();
            let shown = |record: &StepView| at.is_none_or(|at| record.meta.step <= at);
            json!({ "records": records.filter(shown).collect::<Vec<_>>() })
        }
        Err(error) => return Err(error.into()),
    };
    Ok(DisplayLimits::default().apply(&whole))
}

fn about(run: &RunHeader) -> Vec<String> {
    let mut lines = vec![
        format!("run      {}", run.id()),
        format!("workflow {}", run.about.workflow),
        format!("title    {}", run.about.title),
        format!("status   {}", list::status_in_words(run)),
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
