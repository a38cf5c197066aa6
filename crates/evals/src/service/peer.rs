//! A peer to measure the service beside: LangGraph behind FastAPI, in a process of its own.

use std::process::Stdio;

use anyhow::{Context as _, Result, bail};
use fathom_testworld::Stage;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::python::{LANGGRAPH, PeerScript};

const SCRIPT: &str = include_str!("../../peer/langgraph_service.py");

/// Besides LangGraph, pinned likewise.
const PACKAGES: [&str; 3] = ["fastapi==0.163.0", "uvicorn==0.54.0", "httpx==0.28.1"];

/// The peer, serving. It ends when it is dropped.
pub(super) struct PeerService {
    child: Child,
    pub(super) address: String,
    /// What it is made of, with versions.
    pub(super) name: String,
}

impl PeerService {
    /// Installs it where it is not, and starts it in the same world as ours.
    pub(super) async fn start(stage: &Stage) -> Result<Self> {
        let packages = [&LANGGRAPH[..], &PACKAGES].concat();
        let script = PeerScript::install("langgraph_service.py", SCRIPT, &packages)?;
        let name = format!(
            "langgraph {} behind fastapi {}",
            script.version("langgraph")?,
            script.version("fastapi")?
        );
        let mut command = Command::from(script.command());
        command.envs(stage.environment());
        let (child, address) = start(command).await?;
        Ok(Self {
            child,
            address,
            name,
        })
    }

    pub(super) fn process(&self) -> u32 {
        self.child.id().unwrap_or_default()
    }
}

/// Starts a server that prints its address, and waits for that.
pub(super) async fn start(mut command: Command) -> Result<(Child, String)> {
    let mut child = command.stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
    let out = child.stdout.take().context("it prints its address")?;
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line).await?;
    if line.trim().is_empty() {
        bail!("the server ended before it told its address");
    }
    Ok((child, format!("http://{}", line.trim())))
}
