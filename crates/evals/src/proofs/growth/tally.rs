//! The workflow that is weighed: every step makes a call, keeps a page and brings a note, each of
//! the same size.

use std::fmt;

use fathom_workflow::{Context, END, Graph, GraphError, InvalidUpdate, NodeResult, State};
use serde::{Deserialize, Serialize};

const NOTE: &str = "note";
/// More than are ever taken.
const MOST_STEPS: u32 = 100_000;
const ANSWER: usize = 400;
const PAGE: usize = 1_000;
const LENGTH: usize = 300;

/// What becomes of the notes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Memory {
    /// The state stays as small as it was.
    Forgets,
    /// The state grows with every step.
    KeepsAll,
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Forgets => "forgets",
            Self::KeepsAll => "keeps all",
        })
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct Notes {
    memory: Memory,
    wanted: u64,
    taken: u64,
    notes: Vec<String>,
}

impl Notes {
    pub(super) fn new(memory: Memory, wanted: u64) -> Self {
        Self {
            memory,
            wanted,
            taken: 0,
            notes: Vec::new(),
        }
    }
}

impl State for Notes {
    type Update = String;

    fn apply(&mut self, note: &String) -> Result<(), InvalidUpdate> {
        self.taken += 1;
        if self.memory == Memory::Forgets {
            self.notes.clear();
        }
        self.notes.push(note.clone());
        Ok(())
    }
}

pub(super) fn graph() -> Result<Graph<Notes, ()>, GraphError> {
    Graph::new("growth")
        .node(NOTE, note)
        .start(NOTE)
        .route(NOTE, [NOTE, END], |notes: &Notes| {
            if notes.taken < notes.wanted {
                NOTE
            } else {
                END
            }
        })
        .at_most(MOST_STEPS, NOTE, NOTE, END)
        .build()
}

async fn note(_: &Notes, ctx: &Context<()>) -> NodeResult<Notes> {
    let answer: String = ctx
        .effect("call", |_| async { filled(ctx, ANSWER) })
        .await?;
    ctx.keep(filled(ctx, PAGE).into_bytes());
    Ok(answer[ANSWER - LENGTH..].to_owned())
}

/// Text of a length, another for every step of every run.
fn filled(ctx: &Context<()>, length: usize) -> String {
    format!("{:>length$}", format!("{} {}", ctx.run(), ctx.step()))
}
