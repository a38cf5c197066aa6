//! The tools: what each is called, what it says of itself, and what it does.

use std::time::Duration;

use fathom_research::workflows::{answer, ask, report};
use fathom_workflow::read_input;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::arguments::{
    AnswerArguments, AskArguments, ResearchArguments, ReviewArguments, SearchArguments,
    SourceArguments, StatusArguments,
};
use super::brought::{self, ToolOutput};
use super::follow::Follower;
use super::stored;
use crate::http::access::{self, Caller};
use crate::http::actions;
use crate::http::admit::{self, IdempotencyKey, StartRequest};
use crate::http::error::{ApiError, ApiResult};
use crate::http::{Service, search};

/// Seconds that a status may be waited for.
const WAIT_MOST_S: u64 = 600;

/// What can be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ToolName {
    Research,
    Answer,
    Ask,
    Search,
    ReadSource,
    RunStatus,
    Review,
}

impl ToolName {
    /// Every tool, in the order of a list.
    pub const ALL: [Self; 7] = [
        Self::Research,
        Self::Answer,
        Self::Ask,
        Self::Search,
        Self::ReadSource,
        Self::RunStatus,
        Self::Review,
    ];

    /// The tool of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// What it is called by.
    pub fn name(self) -> &'static str {
        self.into()
    }

    fn description(self) -> &'static str {
        match self {
            Self::Research => {
                "Researches a question and writes a report whose every claim cites a source that was read. Takes minutes."
            }
            Self::Answer => {
                "Answers a question in a few sentences from sources that are searched for and read, with checked citations. Takes up to two minutes."
            }
            Self::Ask => {
                "Asks the person's own documents and gives the passages that answer. Takes seconds."
            }
            Self::Search => "Puts one query and lists what it found. Nothing is read.",
            Self::ReadSource => {
                "Gives the stored text of a source that a run has read, by the number that its report or answer cites it with."
            }
            Self::RunStatus => {
                "Tells how a run stands; gives its report or answer once it has ended, and what it asks while it waits for a person."
            }
            Self::Review => {
                "Records a person's decision on a run that waits for one: approve, reject, modify or skip. Only on the person's word."
            }
        }
    }

    fn schema(self) -> JsonObject {
        match self {
            Self::Research => schema::<ResearchArguments>(),
            Self::Answer => schema::<AnswerArguments>(),
            Self::Ask => schema::<AskArguments>(),
            Self::Search => schema::<SearchArguments>(),
            Self::ReadSource => schema::<SourceArguments>(),
            Self::RunStatus => schema::<StatusArguments>(),
            Self::Review => schema::<ReviewArguments>(),
        }
    }

    /// The tool as a list shows it.
    pub fn described(self) -> Tool {
        let only_reads = matches!(self, Self::Search | Self::ReadSource | Self::RunStatus);
        let hints = ToolAnnotations::new()
            .read_only(only_reads)
            .destructive(false);
        Tool::new(self.name(), self.description(), self.schema()).with_annotations(hints)
    }
}

fn schema<T: JsonSchema>() -> JsonObject {
    let schema = schemars::schema_for!(T).to_value();
    match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    }
}

/// One call of a tool.
pub struct ToolCall<'a> {
    /// What all requests share.
    pub service: &'a Service,
    /// Who calls.
    pub caller: &'a Caller,
    /// Waits for runs, and tells the client how they come along.
    pub follower: Follower<'a>,
}

impl ToolCall<'_> {
    /// Does what a tool is called for.
    pub async fn run(&self, tool: ToolName, arguments: Value) -> ApiResult<ToolOutput> {
        match tool {
            ToolName::Research => {
                let asked: ResearchArguments = read_input(arguments)?;
                let leave = asked.r#async;
                self.work(report::NAME, asked.input(), leave).await
            }
            ToolName::Answer => {
                let asked: AnswerArguments = read_input(arguments)?;
                let leave = asked.r#async;
                self.work(answer::NAME, asked.input(), leave).await
            }
            ToolName::Ask => {
                let asked: AskArguments = read_input(arguments)?;
                self.work(ask::NAME, asked.input(), false).await
            }
            ToolName::Search => self.search(read_input(arguments)?).await,
            ToolName::ReadSource => {
                stored::read(self.service, self.caller, read_input(arguments)?).await
            }
            ToolName::RunStatus => self.status(read_input(arguments)?).await,
            ToolName::Review => self.review(read_input(arguments)?).await,
        }
    }

    /// Begins a run, and unless it is left to itself, waits until it has ended or asks a person.
    async fn work(
        &self,
        workflow: &str,
        input: Map<String, Value>,
        leave: bool,
    ) -> ApiResult<ToolOutput> {
        let request = StartRequest {
            workflow: workflow.to_owned(),
            input,
            keep: false,
        };
        let none = IdempotencyKey::none();
        let begun = admit::start(self.service, self.caller, none, request).await;
        let run = begun.map_err(|error| error.without("settings."))?.run;
        if !leave {
            self.follower.follow(run, None).await?;
        }
        brought::output(self.service, run).await
    }

    async fn search(&self, asked: SearchArguments) -> ApiResult<ToolOutput> {
        let found = search::found(self.service, self.caller, asked.into()).await?;
        let results = found["results"].as_array().cloned().unwrap_or_default();
        let line = |(nth, result): (usize, &Value)| {
            let part = |name: &str| result[name].as_str().unwrap_or_default().to_owned();
            let (title, place, snippet) = (part("title"), part("location"), part("snippet"));
            format!("{}. {title}\n   {place}\n   {snippet}", nth + 1)
        };
        let lines: Vec<String> = results.iter().enumerate().map(line).collect();
        let text = if lines.is_empty() {
            "No matches.".to_owned()
        } else {
            lines.join("\n")
        };
        Ok(ToolOutput::new(text, found))
    }

    async fn status(&self, asked: StatusArguments) -> ApiResult<ToolOutput> {
        if asked.wait_s > WAIT_MOST_S {
            let why = format!("it is at most {WAIT_MOST_S}");
            return Err(ApiError::invalid("wait_s", why));
        }
        let run = self.find(&asked.run).await?.id();
        if asked.wait_s > 0 {
            let patience = Duration::from_secs(asked.wait_s);
            self.follower
                .waiting_only()
                .follow(run, Some(patience))
                .await?;
        }
        brought::output(self.service, run).await
    }

    async fn review(&self, asked: ReviewArguments) -> ApiResult<ToolOutput> {
        let run = self.find(&asked.run).await?;
        let reviewed = actions::decide(self.service, self.caller, &run, asked.into()).await?;
        let text = if reviewed.late {
            "The time for it had passed, so the run returns to its gate with the decision."
        } else {
            "The decision is recorded and the run goes on; ask run_status how it stands."
        };
        Ok(ToolOutput::new(text.to_owned(), json!(reviewed)))
    }

    async fn find(&self, run: &str) -> ApiResult<access::OwnedRun> {
        let found = access::find(self.service, self.caller, run).await;
        found.map_err(|error| error.renamed("id", "run"))
    }
}
