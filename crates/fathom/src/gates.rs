//! Gates on a terminal: shows what is to be decided, asks, and hands the decision to the engine.

mod editor;
mod show;

use std::io::BufRead;

use fathom_workflow::interrupt::{Decision, Verdict};
use fathom_workflow::{Error, Gate, Host, RunId};
use serde_json::Value;

use crate::exit::{Problem, Result};
use crate::signals::Signals;
use crate::{edits, screen};

/// How the asking ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateAnswer {
    /// The run can go on.
    Decided,
    /// Nobody has decided; the run stays parked.
    Later,
}

/// A gate and all that is needed to decide at it.
struct GatePrompt<'a> {
    host: &'a Host,
    gate: Gate,
    /// What may be edited, as it stands.
    editable: Option<Value>,
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
pub async fn described(host: &Host, run: RunId) -> Result<String> {
    show::shown(host, &host.gate(run).await?, false).await
}

/// Shows the gate at which a run waits and asks until there is a decision. Ctrl-C means later.
pub async fn attend(host: &Host, run: RunId, signals: &mut Signals) -> Result<GateAnswer> {
    let asked = GatePrompt {
        host,
        gate: host.gate(run).await?,
        editable: host.editable(run).await?,
    };
    screen::tell(&show::shown(host, &asked.gate, screen::stderr_is_coloured()).await?);
    tokio::select! {
        answer = asked.ask() => answer,
        _ = signals.next() => {
            screen::tell("");
            Ok(GateAnswer::Later)
        }
    }
}

impl GatePrompt<'_> {
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
        let Some(editable) = &self.editable else {
            return feedback().await;
        };
        let mut text = editor::text(editable)?;
        loop {
            text = match editor::edit(text).await {
                Ok(edited) => edited,
                Err(problem) => {
                    screen::tell(&screen::harmless(&problem.to_string()));
                    return Ok(None);
                }
            };
            let why = match editor::taken(&text, editable) {
                Ok(None) => {
                    screen::tell("Nothing was changed.");
                    return Ok(None);
                }
                Ok(Some(edited)) => match self.unfit(edited.edits.as_ref()).await? {
                    None => {
                        return Ok(Some(Decision {
                            edits: edited.edits,
                            feedback: edited.feedback,
                            ..Decision::new(Verdict::Modify, decider())
                        }));
                    }
                    Some(why) => why,
                },
                Err(why) => why,
            };
            screen::tell(&format!("That cannot be used. {}", screen::harmless(&why)));
            match line("[e]dit again or [d]rop the edits?").await?.as_deref() {
                Some("e" | "edit" | "") => {}
                _ => return Ok(None),
            }
        }
    }

    /// Why the edits do not fit what they change; nothing if they do.
    async fn unfit(&self, edits: Option<&Value>) -> Result<Option<String>> {
        let Some(edits) = edits else { return Ok(None) };
        match self.host.check_edits(self.gate.run, edits).await {
            Ok(()) => Ok(None),
            Err(Error::InvalidInput(invalid)) => Ok(Some(edits::explained(&invalid))),
            Err(error) => Err(error.into()),
        }
    }

    async fn decide(&self, decision: Decision) -> Result<GateAnswer> {
        match self.host.decide(&self.gate, decision).await {
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
