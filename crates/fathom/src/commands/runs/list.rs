//! `fathom runs list`: runs, newest first.

use std::collections::BTreeSet;
use std::io::IsTerminal as _;
use std::time::Duration;

use fathom_workflow::journal::{RunFilter, RunPage};
use fathom_workflow::record::{RunHeader, Status};
use fathom_workflow::{Host, RunId};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::json;

use crate::cli;
use crate::exit::{Problem, Result};
use crate::run_list::{self, PARTIAL, STATUSES, is_partial};
use crate::screen::{self, TextColour, TextStyle};

/// The part of an id that holds its time; ids of one list seldom share more.
const SHORT_ID: usize = 13;

/// Runs that nobody works on and that are looked at for one list.
const DUE_MAX: usize = 10_000;

pub(super) async fn list(args: cli::ListArgs, host: &Host) -> Result<()> {
    if let Some(unknown) = run_list::unknown_status(host, &args.status).await? {
        return Err(
            Problem::usage(format!("no run has the status \"{unknown}\""))
                .advise(format!("Choose one of {}", STATUSES.join(", "))),
        );
    }
    let page = found(&args, host).await?;
    for damaged in &page.damaged {
        screen::tell(&format!("Unreadable: {damaged}"));
    }
    let ids: Vec<String> = page.runs.iter().map(|run| run.id().to_string()).collect();
    let columns = Columns {
        id: shortest(&ids),
        workflow: longest(page.runs.iter().map(|run| &*run.about.workflow)),
    };
    let abandoned = abandoned(&page.runs, host).await?;
    for run in &page.runs {
        let damage = damage(run, host).await;
        let is_abandoned = abandoned.contains(&run.id());
        let line = if args.json {
            let mut line = json!(run);
            line[PARTIAL] = json!(is_partial(run));
            line["abandoned"] = json!(is_abandoned);
            line["damage"] = json!(damage);
            line.to_string()
        } else {
            row(run, &columns, is_abandoned, damage.is_some())
        };
        screen::print_line(&line)?;
        if let Some(damage) = damage.filter(|_| !args.json) {
            screen::tell(&format!("{} is damaged: {damage}", run.id()));
        }
    }
    if !abandoned.is_empty() && !args.json {
        screen::tell(
            "The process of a stopped run has ended; continue with: fathom runs resume ID",
        );
    }
    if page.runs.is_empty() {
        screen::tell("No matches.");
    }
    if page.next.is_some() && !args.json {
        screen::tell("There are more; raise --limit to see them.");
    }
    Ok(())
}

/// The runs of the page that nobody works on, although they are not over and wait for nothing.
async fn abandoned(runs: &[RunHeader], host: &Host) -> Result<BTreeSet<RunId>> {
    let is_under_way =
        |run: &&RunHeader| matches!(run.head.status, Status::Pending | Status::Running(_));
    let under_way: Vec<&RunHeader> = runs.iter().filter(is_under_way).collect();
    let workflows: BTreeSet<&str> = under_way.iter().map(|run| &*run.about.workflow).collect();
    let mut unheld = BTreeSet::new();
    for workflow in workflows {
        let due = host
            .store()
            .due(workflow, Timestamp::now(), Duration::ZERO, DUE_MAX);
        unheld.extend(due.await?);
    }
    let ids = under_way.iter().map(|run| run.id());
    Ok(ids.filter(|run| unheld.contains(run)).collect())
}

/// What of a run's log cannot be read, in a sentence.
async fn damage(run: &RunHeader, host: &Host) -> Option<String> {
    match host.store().load(run.id(), None).await {
        Ok(loaded) => loaded
            .damage
            .map(|damage| format!("{}: {}", damage.what, damage.why)),
        Err(error) => Some(error.to_string()),
    }
}

/// The runs that were asked for.
async fn found(args: &cli::ListArgs, host: &Host) -> Result<RunPage> {
    let filter = RunFilter {
        statuses: args.status.clone(),
        text: args.text.clone(),
        workflow: args.workflow.clone(),
        created_from: args.since.map(beginning).transpose()?,
        created_before: args.before.map(beginning).transpose()?,
        limit: usize::from(args.limit),
        ..RunFilter::default()
    };
    Ok(run_list::find(host, filter, |_| true).await?)
}

/// When a day begins here.
fn beginning(day: Date) -> Result<Timestamp> {
    let begun = day.to_zoned(TimeZone::system()).map_err(Problem::usage)?;
    Ok(begun.timestamp())
}

/// The status, with what lists alone would not tell.
pub(super) fn status_in_words(run: &RunHeader) -> String {
    if is_partial(run) {
        format!("{} ({PARTIAL})", run.head.status)
    } else {
        run.head.status.to_string()
    }
}

/// How much of the ids must be shown to tell them apart.
fn shortest(ids: &[String]) -> usize {
    let distinct = |length: usize| {
        let begun: BTreeSet<_> = ids.iter().map(|id| id.get(..length)).collect();
        begun.len() == ids.len()
    };
    let longest = ids.iter().map(String::len).max().unwrap_or(SHORT_ID);
    (SHORT_ID..longest)
        .find(|length| distinct(*length))
        .unwrap_or(longest)
}

/// How wide the columns are whose texts differ from list to list.
struct Columns {
    id: usize,
    workflow: usize,
}

fn longest<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    texts.map(console::measure_text_width).max().unwrap_or(0)
}

fn row(run: &RunHeader, columns: &Columns, abandoned: bool, damaged: bool) -> String {
    let coloured = screen::stdout_is_coloured();
    let id = run.id().to_string();
    let id = id.get(..columns.id).unwrap_or(&id);
    let workflow = screen::harmless(&run.about.workflow);
    let workflow = console::pad_str(&workflow, columns.workflow, console::Alignment::Left, None);
    let status = &run.head.status;
    let colour = match status {
        _ if abandoned || damaged => TextColour::Red,
        Status::Completed if is_partial(run) => TextColour::Yellow,
        Status::Completed => TextColour::Green,
        Status::Failed | Status::Cancelled => TextColour::Red,
        Status::Waiting => TextColour::Yellow,
        Status::Pending | Status::Running(_) => TextColour::Cyan,
    };
    let status = if damaged {
        "damaged"
    } else if abandoned {
        "stopped"
    } else if is_partial(run) {
        PARTIAL
    } else {
        status.as_str()
    };
    let status = TextStyle::in_colour(colour).paint(&format!("{status:<10}"), coloured);
    let age = TextStyle::DIM.paint(
        &format!("{:>8}", age(run.about.created_at, Timestamp::now())),
        coloured,
    );
    let mut title = screen::harmless(&run.about.title);
    // What a program reads is given whole.
    if std::io::stdout().is_terminal() {
        let room = screen::width().saturating_sub(columns.id + columns.workflow + 26);
        title = console::truncate_str(&title, room, "…").into_owned();
    }
    format!("{id}  {workflow}  {status} {age}  {title}")
}

pub(super) fn age(then: Timestamp, now: Timestamp) -> String {
    let minutes = now.duration_since(then).as_mins().max(0);
    match (minutes, minutes / 60, minutes / 60 / 24) {
        (0, _, _) => "now".to_owned(),
        (minutes, 0, _) => format!("{minutes} min"),
        (_, hours, 0) => format!("{hours} h"),
        (_, _, days) => format!("{days} d"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_shown_as_short_as_they_differ() {
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            shortest(&ids(&[
                "01a1e155-3fda-70a9-9a60",
                "01a1e156-3fda-70a9-9a60"
            ])),
            13
        );
        assert_eq!(
            shortest(&ids(&[
                "01a1e155-3fda-70a9-9a60",
                "01a1e155-3fda-71a9-9a60"
            ])),
            16
        );
        assert_eq!(shortest(&[]), 13);
    }
}
