//! Gates on a terminal: shows what is to be decided, asks, and hands the decision to the engine.

mod editor;
mod show;

use std::io::BufRead;

use fathom_research::State;
use fathom_research::edits::Editable;
use fathom_workflow::interrupt::{Decision, Verdict};
use fathom_workflow::{Error, Gate, RunId};

use crate::exit::{Problem, Result};
use crate::screen;
use crate::signals::Signals;
use crate::wiring::Engine;

/// How the asking ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateAnswer {
    /// The run can go on.
    Decided,
    /// Nobody has decided; the run stays parked.
    Later,
}

/// A gate and all that is needed to decide at it.
struct OpenGate<'a> {
    engine: &'a Engine,
    gate: Gate,
    state: State,
    editable: Option<Editable>,
}

/// Who decides here, for the record.
pub fn decider() -> String {
    let name = ["USER", "LOGNAME", "USERNAME"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok());
    name.filter(|name| !name.is_empty())
        .unwrap_or_else(|| "someone at a terminal".to_owned())
}

/// What a waiting run asks, as plain text.
pub async fn described(engine: &Engine, run: RunId) -> Result<String> {
    let view = engine.view(run, None).await?;
    let node = view.next.as_deref().unwrap_or_default();
    let gate = engine.gate(run).await?;
    Ok(show::shown(&gate, node, &view.state, false))
}

/// Shows the gate at which a run waits and asks until there is a decision. Ctrl-C means later.
pub async fn attend(engine: &Engine, run: RunId, signals: &mut Signals) -> Result<GateAnswer> {
    let view = engine.view(run, None).await?;
    let node = view.next.as_deref().unwrap_or_default();
    let asked = OpenGate {
        engine,
        gate: engine.gate(run).await?,
        editable: Editable::of(&view.state),
        state: view.state,
    };
    let coloured = screen::stderr_is_coloured();
    screen::tell(&show::shown(&asked.gate, node, &asked.state, coloured));
    tokio::select! {
        attended = asked.ask() => attended,
        _ = signals.next() => {
            screen::tell("");
            Ok(GateAnswer::Later)
        }
    }
}

impl OpenGate<'_> {
    async fn ask(&self) -> Result<GateAnswer> {
        loop {
            let choices = "[a]pprove, [m]odify, [r]eject, [s]kip or [l]ater?";
            let Some(answer) = line(choices).await? else {
                return Ok(GateAnswer::Later);
            };
            let decision = match answer.to_lowercase().as_str() {
                "a" | "approve" | "y" | "yes" => Decision::new(Verdict::Approve, decider()),
                "s" | "skip" => Decision::new(Verdict::Skip, decider()),
                "r" | "reject" => Decision {
                    feedback: line("Why? (optional)").await?.filter(|why| !why.is_empty()),
                    ..Decision::new(Verdict::Reject, decider())
                },
                "m" | "modify" => match self.modified().await? {
                    Some(decision) => decision,
                    None => continue,
                },
                "l" | "later" => return Ok(GateAnswer::Later),
                _ => continue,
            };
            return self.decide(decision).await;
        }
    }

    /// The edits from an editor, asked for again until they fit; nothing if nothing was changed.
    async fn modified(&self) -> Result<Option<Decision>> {
        let Some(editable) = self.editable else {
            return feedback().await;
        };
        let mut text = editor::text(&editable.current(&self.state))?;
        loop {
            text = editor::edit(text).await?;
            match editor::taken(&text, editable, &self.state) {
                Ok(None) => {
                    screen::tell("Nothing was changed.");
                    return Ok(None);
                }
                Ok(Some(edited)) => {
                    return Ok(Some(Decision {
                        edits: edited.edits,
                        feedback: edited.feedback,
                        ..Decision::new(Verdict::Modify, decider())
                    }));
                }
                Err(why) => {
                    screen::tell(&format!("That cannot be used. {}", screen::harmless(&why)));
                    match line("[e]dit again or [d]rop the edits?").await?.as_deref() {
                        Some("e" | "edit" | "") => {}
                        _ => return Ok(None),
                    }
                }
            }
        }
    }

    async fn decide(&self, decision: Decision) -> Result<GateAnswer> {
        match self.engine.decide(&self.gate, decision).await {
            Ok(()) => Ok(GateAnswer::Decided),
            Err(error @ (Error::GateClosed { .. } | Error::NotWaiting { .. })) => {
                screen::tell(&format!("Your decision came too late: {error}."));
                Ok(GateAnswer::Decided)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Words alone, where there is nothing to edit; nothing if none are typed.
async fn feedback() -> Result<Option<Decision>> {
    let words = line("What should be done differently?").await?;
    let words = words.filter(|words| !words.is_empty());
    Ok(words.map(|words| Decision {
        feedback: Some(words),
        ..Decision::new(Verdict::Modify, decider())
    }))
}

/// A line that somebody types; nothing at the end of the input.
async fn line(prompt: &str) -> Result<Option<String>> {
    use std::io::Write;
    let mut err = std::io::stderr();
    // A prompt that nobody sees is no reason to fail.
    let _ = write!(err, "{prompt} ").and_then(|()| err.flush());
    let typed = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        read.map(|bytes| (bytes > 0).then(|| line.trim().to_owned()))
    });
    match typed.await {
        Ok(Ok(line)) => Ok(line),
        Ok(Err(error)) => Err(Problem::failed(format!(
            "your answer cannot be read: {error}"
        ))),
        Err(error) => Err(Problem::failed(error)),
    }
}
