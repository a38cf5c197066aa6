//! What runs have brought and read, as resources: reports and answers, and the stored text of each source.

use fathom_research::workflows::search;
use fathom_workflow::RunId;
use fathom_workflow::journal::RunFilter;
use fathom_workflow::record::{RunHeader, Status};
use rmcp::model::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};

use super::{brought, stored};
use crate::http::Service;
use crate::http::access::{self, Caller};
use crate::http::error::{ApiError, ApiResult};
use crate::http::runs;
use crate::{deliver, run_list};

const SCHEME: &str = "fathom://runs/";
const MARKDOWN: &str = "text/markdown";

/// Resources on one page of the list.
const PAGE: usize = 50;

/// Where the report or answer of a run is read.
pub fn report_uri(run: RunId) -> String {
    format!("{SCHEME}{run}/report")
}

/// Where the stored text of a source is read.
pub fn source_uri(run: RunId, number: u32) -> String {
    format!("{SCHEME}{run}/sources/{number}")
}

/// The reports and answers that the caller may see, newest first.
pub async fn list(
    service: &Service,
    caller: &Caller,
    after: Option<&str>,
) -> ApiResult<ListResourcesResult> {
    let filter = RunFilter {
        statuses: vec![Status::Completed.to_string()],
        after: after.map(runs::cursor).transpose()?,
        limit: PAGE,
        ..RunFilter::default()
    };
    // What a search found was told at once, and is no report.
    let wanted = |run: &RunHeader| caller.may_see(run) && run.about.workflow != search::NAME;
    let found = run_list::find(&service.host, filter, wanted).await?;
    let resources = found.runs.iter().map(|run| {
        let about = &run.about;
        Resource::new(report_uri(about.id), about.title.clone())
            .with_description(format!("{}, {}", about.workflow, about.created_at))
            .with_mime_type(MARKDOWN)
    });
    let mut list = ListResourcesResult::with_all_items(resources.collect());
    list.next_cursor = found.next.map(runs::page_after);
    Ok(list)
}

/// How the addresses of resources are made.
pub fn templates() -> ListResourceTemplatesResult {
    let report = ResourceTemplate::new(format!("{SCHEME}{{run}}/report"), "report")
        .with_description("The report or answer of a run")
        .with_mime_type(MARKDOWN);
    let source = ResourceTemplate::new(format!("{SCHEME}{{run}}/sources/{{number}}"), "source")
        .with_description("The stored text of a source that a run has read")
        .with_mime_type("text/plain");
    ListResourceTemplatesResult::with_all_items(vec![report, source])
}

/// Reads a resource.
pub async fn read(service: &Service, caller: &Caller, uri: &str) -> ApiResult<ReadResourceResult> {
    let unknown = || ApiError::not_found(format!("there is no resource {uri}")).at("uri");
    let path = uri.strip_prefix(SCHEME).ok_or_else(unknown)?;
    let parts: Vec<&str> = path.split('/').collect();
    let contents = match parts.as_slice() {
        [run, "report"] => {
            let run = access::find(service, caller, run).await?;
            let brought = deliver::outcome(&service.host, run.id()).await?;
            let brought = brought.ok_or_else(|| {
                let status = &run.header.head.status;
                ApiError::conflict(format!("the run has brought nothing yet: it is {status}"))
            })?;
            ResourceContents::text(brought::text(&brought)?, uri).with_mime_type(MARKDOWN)
        }
        [run, "sources", number] => {
            let run = access::find(service, caller, run).await?;
            let number = number.parse().map_err(|_| unknown())?;
            let source = stored::find(service, &run, number).await?;
            ResourceContents::text(source.text, uri)
        }
        _ => return Err(unknown()),
    };
    Ok(ReadResourceResult::new(vec![contents]))
}
