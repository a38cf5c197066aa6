//! A workflow of one's own, served by the ordinary commands of `fathom`: it counts down, and may rest between numbers.
//!
//! ```text
//! cargo run -p fathom --example toy-workflow -- runs start countdown --input '{"from": 3}'
//! cargo run -p fathom --example toy-workflow -- graph countdown
//! ```

use std::process::ExitCode;
use std::time::Duration;

use fathom_workflow::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const COUNT: &str = "count";

#[derive(Serialize, Deserialize, JsonSchema)]
struct Input {
    from: u32,
    #[serde(default)]
    rest_ms: u64,
}

#[derive(Serialize, Deserialize)]
struct Countdown {
    left: u32,
    asked: Input,
    said: Vec<String>,
}

impl State for Countdown {
    type Update = String;

    fn apply(&mut self, said: &String) -> Result<(), InvalidUpdate> {
        self.left = self.left.saturating_sub(1);
        self.said.push(said.clone());
        Ok(())
    }
}

/// One step. While it rests the run is parked, so that no process need wait for it.
async fn count(state: &Countdown, ctx: &Context<()>) -> NodeResult<Countdown> {
    if state.asked.rest_ms > 0 {
        let next = ctx.now() + Duration::from_millis(state.asked.rest_ms);
        let reason = "the next number is not due";
        ctx.park_until("rest", next, reason).await?;
    }
    let say = |_| async { format!("{}…", state.left) };
    Ok(ctx.effect("say", say).await?)
}

struct CountdownWorkflow;

impl Definition for CountdownWorkflow {
    type State = Countdown;
    type Deps = ();
    type Input = Input;

    fn graph(&self) -> Result<Graph<Countdown, ()>, GraphError> {
        let more = |state: &Countdown| if state.left > 0 { COUNT } else { END };
        let graph = Graph::new("countdown").node(COUNT, count).start(COUNT);
        let graph = graph.route(COUNT, [COUNT, END], more);
        graph.at_most(1_000, COUNT, COUNT, END).build()
    }

    fn begin(&self, asked: Input, _: &(), _: jiff::Timestamp) -> BeginResult<Countdown> {
        let (left, said) = (asked.from, Vec::new());
        let title = format!("Count down from {left}");
        Ok(FirstState::titled(title, Countdown { left, asked, said }))
    }

    fn outcome(&self, state: &Countdown) -> Option<Value> {
        (state.left == 0).then(|| json!(state.said))
    }
}

fn main() -> ExitCode {
    fathom::run_with(|host| host.register(CountdownWorkflow, ()))
}
