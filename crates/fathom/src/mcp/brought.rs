//! What a run has brought, or how it stands, for an assistant to read: text, and the same as data.

use fathom_render::FormOptions;
use fathom_workflow::RunId;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use super::resources;
use crate::cli::ReportFormat;
use crate::deliver::{self, Deliverable};
use crate::exit::Exit;
use crate::http::Service;
use crate::http::access::OwnedRun;
use crate::http::error::{ApiError, ApiResult};
use crate::http::runs;
use crate::http::wire::RunDetail;

/// What a tool gives.
pub struct ToolOutput {
    /// For reading.
    text: String,
    /// For programs.
    data: Value,
    /// Whether it tells of a failure.
    failed: bool,
}

impl ToolOutput {
    /// What went well.
    pub fn new(text: String, data: Value) -> Self {
        Self {
            text,
            data,
            failed: false,
        }
    }

    /// As the protocol has it.
    pub fn into_result(self) -> CallToolResult {
        let content = vec![ContentBlock::text(self.text)];
        let mut result = if self.failed {
            CallToolResult::error(content)
        } else {
            CallToolResult::success(content)
        };
        result.structured_content = Some(self.data);
        result
    }
}

/// A refusal as the protocol has it: a sentence that an assistant can act on.
pub fn refused(error: ApiError) -> CallToolResult {
    let content = vec![ContentBlock::text(error.sentence())];
    let mut result = CallToolResult::error(content);
    result.structured_content = Some(json!(error.body()));
    result
}

/// How a run stands, with what it brought or what it asks.
pub async fn output(service: &Service, run: RunId) -> ApiResult<ToolOutput> {
    let header = service.host.header(run).await?;
    let has_ended = header.head.status.is_finished();
    let detail = runs::detail(service, &OwnedRun { header }).await?;
    let brought = if has_ended {
        deliver::outcome(&service.host, run).await?
    } else {
        None
    };
    let mut data = json!(detail);
    let Some(brought) = brought else {
        return Ok(ToolOutput {
            text: standing(&detail, has_ended),
            data,
            failed: has_ended,
        });
    };
    data["report"] = json!(resources::report_uri(run));
    data["sources"] = sources(service, run).await?;
    Ok(ToolOutput {
        text: text(&brought)?,
        data,
        failed: brought.ending().1 == Exit::Failed,
    })
}

/// What a run brought, as Markdown, or as JSON where it has no words.
pub fn text(brought: &Deliverable) -> ApiResult<String> {
    let bytes = brought.bytes(ReportFormat::Md, &FormOptions::default())?;
    String::from_utf8(bytes).map_err(ApiError::internal)
}

/// The sources that the report or answer cites, each with the address of its stored text.
async fn sources(service: &Service, run: RunId) -> ApiResult<Value> {
    let outcome = service.host.outcome(run).await?.unwrap_or_default();
    let sources = outcome["sources"].as_array().into_iter().flatten();
    let sources = sources.filter_map(|source| {
        let number = u32::try_from(source["number"].as_u64()?).ok()?;
        Some(json!({
            "number": number,
            "title": source["title"],
            "location": source["location"],
            "text": resources::source_uri(run, number),
        }))
    });
    Ok(sources.collect())
}

/// How a run stands that has brought nothing yet.
fn standing(detail: &RunDetail, has_ended: bool) -> String {
    let run = &detail.summary;
    let reason = run.reason.as_deref();
    if let Some(gate) = &detail.gate {
        return format!(
            "Run {} waits for a person: {}\nShow the person what is under \"gate\", and pass the decision on with the tool review.",
            run.id, gate.reason
        );
    }
    if has_ended {
        let why = reason.unwrap_or("it brought nothing");
        return format!("Run {} is {}: {why}", run.id, run.status);
    }
    let why = reason.map(|reason| format!(", {reason}"));
    format!(
        "Run {} is {}{}. Ask run_status for what it brings.",
        run.id,
        run.status,
        why.unwrap_or_default()
    )
}
