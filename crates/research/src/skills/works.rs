//! Looks cited works up in the registers: what a reference lacks, and whether the work was retracted.
//!
//! Takes the cited sources that have a DOI; fills in what is not known of them. A register that does not answer costs the
//! fact and nothing else. Sources without a DOI, and runs that may not use the web, are left as they are.

use std::time::Duration;

use fathom_providers::Doi;
use fathom_providers::call::{CallEvent, CallKind};
use fathom_providers::works::{self, WorkAuthor};
use fathom_render::report::source::CitedSource;
use fathom_workflow::{NodeError, fan_out};

use crate::calls::{RecordedFailure, retries, terms};
use crate::reasoner::Ctx;
use crate::services::{SourceScope, WebServices};

/// All look-ups of a report together take no longer, and no more than half of the time that is left.
const LOOKUPS_MOST: Duration = Duration::from_secs(10);

/// How many works are looked up, and whether the registers may be asked at all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkLookupSettings<'a> {
    /// Registers are on the web.
    pub(crate) scope: SourceScope<'a>,
    /// Works with a DOI; 0 for none.
    pub(crate) max_work_lookups: usize,
    /// Look-ups under way at once.
    pub(crate) max_concurrency: usize,
}

/// Fills in the first `max_work_lookups` works in the order of their citation; gives what went wrong.
pub(crate) async fn complete(
    ctx: &Ctx,
    settings: WorkLookupSettings<'_>,
    sources: &mut [CitedSource],
) -> Result<Vec<RecordedFailure>, NodeError> {
    let Some(web) = ctx.deps().web(settings.scope) else {
        return Ok(Vec::new());
    };
    let mut wanted: Vec<Doi> = Vec::new();
    for doi in sources.iter().filter_map(doi) {
        if !wanted.contains(&doi) {
            wanted.push(doi);
        }
    }
    wanted.truncate(settings.max_work_lookups);
    let until = lookups_until(ctx, web);
    let looked_up = fan_out(wanted, settings.max_concurrency, |asked| async move {
        let found = look_up(ctx, web, &asked, until).await?;
        Ok::<_, NodeError>((asked, found))
    });
    let mut failures = Vec::new();
    for one in looked_up.await {
        let (asked, found) = one?;
        match found {
            Ok(Some(work)) => {
                let same = |source: &&mut CitedSource| doi(source).as_ref() == Some(&asked);
                sources
                    .iter_mut()
                    .filter(same)
                    .for_each(|source| fill_in(source, &work));
            }
            Ok(None) => {}
            Err(failure) => failures.push(RecordedFailure {
                message: format!("{asked} was not looked up: {}", failure.message),
                ..failure
            }),
        }
    }
    Ok(failures)
}

/// By the clock that calls go by.
fn lookups_until(ctx: &Ctx, web: &WebServices) -> Duration {
    let now = web.clock.elapsed();
    let left = terms(ctx, &*web.clock, CallKind::Search, &|_: CallEvent| {})
        .deadline
        .saturating_sub(now);
    now + LOOKUPS_MOST.min(left / 2)
}

fn doi(source: &CitedSource) -> Option<Doi> {
    Doi::told(source.doi.as_deref()?)
}

/// What the registers know of a work, asked once in a run; nothing where they do not have it.
async fn look_up(
    ctx: &Ctx,
    web: &WebServices,
    doi: &Doi,
    until: Duration,
) -> Result<Result<Option<works::Work>, RecordedFailure>, NodeError> {
    let asked = ctx.effect(format!("work/{doi}"), |call| async move {
        let sink = retries(&call);
        let mut terms = terms(ctx, &*web.clock, CallKind::Search, &sink);
        terms.deadline = terms.deadline.min(until);
        let found = web.works.look_up(doi, &terms).await;
        found.map_err(|exhausted| RecordedFailure {
            // One work is not worth a wait of the whole run.
            wake_at: None,
            ..RecordedFailure::from(&exhausted)
        })
    });
    Ok(asked.await?)
}

fn fill_in(source: &mut CitedSource, work: &works::Work) {
    source.retracted |= work.is_retracted();
    if source.title.is_empty() {
        source.title = work.title.clone().unwrap_or_default();
    }
    if source.authors.is_empty() {
        source.authors = work.authors.iter().map(author).collect();
    }
    if source.published.is_none() {
        source.published = work.published.map(|date| date.to_string());
    }
    if source.venue.is_none() {
        source.venue.clone_from(&work.venue);
    }
}

fn author(author: &WorkAuthor) -> String {
    match &author.given {
        Some(given) => format!("{given} {}", author.family),
        None => author.family.clone(),
    }
}
