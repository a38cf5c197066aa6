//! The diary as workflows of a host.

use std::sync::Arc;
use std::time::Duration;

use fathom_workflow::*;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Diary, Script, Stage, World, world};

/// A diary that begins with a line of the caller's.
pub struct DiaryWorkflow {
    pub graph: fn() -> GraphBuilder<Diary, World>,
    pub version: u32,
}

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct FirstLine {
    first: String,
}

impl Definition for DiaryWorkflow {
    type State = Diary;
    type Deps = World;
    type Input = FirstLine;

    fn graph(&self) -> Result<Graph<Diary, World>, GraphError> {
        (self.graph)().version(self.version).build()
    }

    fn begin(&self, input: FirstLine, _: &World, _: Timestamp) -> BeginResult<Diary> {
        if input.first.is_empty() {
            return Err(InvalidInput::at("first", "write something"));
        }
        Ok(FirstState {
            title: input.first.clone(),
            state: Diary {
                lines: vec![input.first],
            },
            time_limit: Some(Duration::from_secs(3600)),
        })
    }

    fn outcome(&self, diary: &Diary) -> Option<Value> {
        (diary.lines.len() > 3).then(|| json!(diary.lines))
    }

    fn editable(&self, diary: &Diary) -> Option<Value> {
        Some(json!({"lines": diary.lines}))
    }
}

impl Stage {
    /// A host over this stage, as another process would have it.
    pub fn host(&self, workflows: &[DiaryWorkflow], scripts: &[(&'static str, Script)]) -> Host {
        self.host_with(workflows, scripts, HostSettings::default())
            .0
    }

    /// A host with settings of its own, and what its nodes touch.
    pub fn host_with(
        &self,
        workflows: &[DiaryWorkflow],
        scripts: &[(&'static str, Script)],
        settings: HostSettings,
    ) -> (Host, Arc<World>) {
        let (store, clock) = (self.store.clone(), self.clock.clone());
        let runtime = Runtime::with(store, clock, RuntimeSettings::default());
        let world = world(scripts);
        let mut host = Host::builder(runtime).settings(settings);
        for DiaryWorkflow { graph, version } in workflows {
            let (graph, version) = (*graph, *version);
            host = host
                .register(DiaryWorkflow { graph, version }, world.clone())
                .unwrap();
        }
        (host.build(), world)
    }
}

/// The workflow "line" in its first version.
pub const LINE: DiaryWorkflow = DiaryWorkflow {
    graph: super::line,
    version: 1,
};

pub async fn begin(host: &Host, workflow: &str) -> RunId {
    let input = json!({"first": "dear diary"});
    host.start(workflow, NewRun::untitled(), input)
        .await
        .unwrap()
}
