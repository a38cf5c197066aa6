//! A run's whole log as JSON lines, for other programs to read.

use std::sync::Arc;

use futures::Stream;
use serde::Serialize;
use serde_json::Value;

use crate::event::Event;
use crate::record::{EntryMeta, RunHeader, StepMeta, StepRecord};
use crate::runtime::Runtime;
use crate::{Error, Payload, RunId};

impl Runtime {
    /// Everything the log holds of a run, as JSON lines: its header, each step with its journal,
    /// its events.
    pub fn export(
        self: &Arc<Self>,
        run: RunId,
    ) -> impl Stream<Item = Result<String, Error>> + Send + use<> {
        let runtime = Arc::clone(self);
        futures::stream::unfold(Some(ExportCursor::Header), move |at| {
            let runtime = Arc::clone(&runtime);
            async move {
                match runtime.export_part(run, at?).await {
                    Ok((lines, next)) => Some((Ok(lines), next)),
                    Err(error) => Some((Err(error), None)),
                }
            }
        })
    }

    async fn export_part(
        &self,
        run: RunId,
        part: ExportCursor,
    ) -> Result<(String, Option<ExportCursor>), Error> {
        let header = self.header(run).await?;
        let mut lines = String::new();
        match part {
            ExportCursor::Header => {
                line(&mut lines, &ExportLine::Run(&header))?;
                Ok((lines, Some(ExportCursor::Step(0))))
            }
            ExportCursor::Step(step) if step <= header.head.step => {
                let view = StepView::from_record(self.step(run, step).await?)?;
                self.export_journal(&mut lines, run, step).await?;
                line(&mut lines, &ExportLine::Step(&view))?;
                Ok((lines, Some(ExportCursor::Step(step + 1))))
            }
            ExportCursor::Step(step) => {
                self.export_journal(&mut lines, run, step).await?;
                Ok((lines, Some(ExportCursor::Events(0))))
            }
            ExportCursor::Events(after) => {
                let events = self.store.events(run, after, EXPORT_PAGE).await?;
                for event in &events {
                    line(&mut lines, &ExportLine::Event(event))?;
                }
                Ok((
                    lines,
                    events.last().map(|last| ExportCursor::Events(last.number)),
                ))
            }
        }
    }

    async fn export_journal(&self, lines: &mut String, run: RunId, step: u64) -> Result<(), Error> {
        for entry in self.store.entries(run, step).await? {
            let content = entry.payload.decode_owned()?;
            line(
                lines,
                &ExportLine::Journal {
                    meta: &entry.meta,
                    content,
                },
            )?;
        }
        Ok(())
    }
}

/// One recorded step as it stands in the log, readable without its workflow.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepView {
    /// Node, kind, time and what the step spent.
    #[serde(flatten)]
    pub meta: StepMeta,
    /// The update, or the whole state of a base; absent for a step that was cut short.
    pub content: Option<Value>,
}

impl StepView {
    pub(crate) fn from_record(record: StepRecord) -> Result<Self, Error> {
        let StepRecord { meta, payload } = record;
        let content = payload.as_ref().map(Payload::decode_owned).transpose()?;
        Ok(Self { meta, content })
    }
}

const EXPORT_PAGE: usize = 512;

/// Where an export is.
enum ExportCursor {
    Header,
    Step(u64),
    Events(u64),
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum ExportLine<'a> {
    Run(&'a RunHeader),
    Step(&'a StepView),
    Journal {
        #[serde(flatten)]
        meta: &'a EntryMeta,
        content: Value,
    },
    Event(&'a Event),
}

fn line(lines: &mut String, value: &ExportLine<'_>) -> Result<(), Error> {
    let json = serde_json::to_string(value).map_err(|source| Error::Encode { source })?;
    lines.push_str(&json);
    lines.push('\n');
    Ok(())
}
