//! Lists of runs as people ask for them: by status, text and workflow, with partial told from complete.

use fathom_workflow::journal::{ListCursor, RunFilter, RunPage};
use fathom_workflow::record::{RunHeader, Status};
use fathom_workflow::{Error, Host};

/// What a completed run is called that brought less than was asked for.
pub const PARTIAL: &str = "partial";

/// What can be asked for as a status, besides the phases that a workflow of one's own names.
pub const STATUSES: [&str; 13] = [
    "pending",
    "planning",
    "searching",
    "analyzing",
    "writing",
    "reviewing",
    "revising",
    "running",
    "waiting",
    "completed",
    PARTIAL,
    "failed",
    "cancelled",
];

/// The first word that is no status: neither one of those there are, nor a phase that a run is in.
pub async fn unknown_status<'w>(
    host: &Host,
    words: &'w [String],
) -> Result<Option<&'w str>, Error> {
    for word in words.iter().map(String::as_str) {
        if STATUSES.contains(&word) {
            continue;
        }
        let filter = RunFilter {
            statuses: vec![word.to_owned()],
            limit: 1,
            ..RunFilter::default()
        };
        if host.list(&filter).await?.runs.is_empty() {
            return Ok(Some(word));
        }
    }
    Ok(None)
}

/// Whether a completed run brought less than was asked for.
pub fn is_partial(run: &RunHeader) -> bool {
    run.head.status == Status::Completed && run.head.reason.is_some()
}

/// The runs of a filter that the caller wants, newest first, as many as its limit says. The store does not tell partial
/// from complete, so what it gives is looked through.
pub async fn find(
    host: &Host,
    mut filter: RunFilter,
    wanted: impl Fn(&RunHeader) -> bool,
) -> Result<RunPage, Error> {
    let asked = std::mem::take(&mut filter.statuses);
    let wants_partial = asked.iter().any(|word| word == PARTIAL);
    filter.statuses.clone_from(&asked);
    if wants_partial {
        filter.statuses.push(Status::Completed.to_string());
    }
    let fits = |run: &RunHeader| {
        let status = run.head.status.as_str();
        let by_status = asked.is_empty()
            || (wants_partial && is_partial(run))
            || asked.iter().any(|word| word == status);
        by_status && wanted(run)
    };
    let limit = filter.page_size();
    let mut found = RunPage::default();
    // Every page is further on in a list that ends.
    loop {
        let page = host.list(&filter).await?;
        found.damaged.extend(page.damaged);
        for run in page.runs.into_iter().filter(&fits) {
            if found.runs.len() == limit {
                found.next = found.runs.last().map(after);
                return Ok(found);
            }
            found.runs.push(run);
        }
        filter.after = page.next;
        if page.next.is_none() {
            return Ok(found);
        }
        if found.runs.len() == limit {
            found.next = page.next;
            return Ok(found);
        }
    }
}

/// Where the list goes on after a run.
fn after(run: &RunHeader) -> ListCursor {
    ListCursor {
        created_at: run.about.created_at,
        id: run.id(),
    }
}
