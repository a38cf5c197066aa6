//! The built program as a service on loopback, in a data folder of its own.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
pub(super) use fathom_testworld::street_tree_pages as pages;
use fathom_testworld::{Script, Stage};
use reqwest::{Method, RequestBuilder};
use serde_json::Value;
use tempfile::TempDir;

use crate::loopback;

/// How long a service may take until it listens, on a busy machine.
const STARTS_WITHIN: Duration = Duration::from_secs(60);

/// What is asked of every world here.
pub(super) const TASK: &str = "What is known about street trees?";

/// The words before the address that a service listens on.
const LISTENS: &str = "Listening on ";

/// A running service. It ends when it is dropped.
pub(super) struct Served {
    folder: TempDir,
    child: Child,
    environment: Vec<(String, String)>,
    pub(super) address: String,
    pub(super) client: reqwest::Client,
}

impl Served {
    /// The program with these settings, and nothing of the machine's own.
    pub(super) async fn open(environment: &[(&str, &str)]) -> Result<Self> {
        Self::of(&program("fathom")?, environment).await
    }

    /// The same with the toy workflow of `examples`, which counts down.
    pub(super) async fn toy(environment: &[(&str, &str)]) -> Result<Self> {
        Self::of(&program("examples/toy-workflow")?, environment).await
    }

    async fn of(program: &Path, environment: &[(&str, &str)]) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        std::fs::create_dir(folder.path().join("home"))?;
        let environment: Vec<(String, String)> = environment
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let log = File::create(folder.path().join("log"))?;
        let child = command(program, folder.path(), &environment)
            .arg("serve")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .context("the service did not start")?;
        let mut served = Self {
            folder,
            child,
            environment,
            address: String::new(),
            client: loopback::client()?,
        };
        served.address = served.listening().await?;
        Ok(served)
    }

    async fn listening(&mut self) -> Result<String> {
        let begun = tokio::time::Instant::now();
        loop {
            let log = self.log()?;
            let told = log.lines().find_map(|line| line.strip_prefix(LISTENS));
            // A line that is still being written has no end.
            if let Some(address) = told.filter(|_| log.ends_with('\n')) {
                return Ok(address.trim().to_owned());
            }
            if let Some(status) = self.child.try_wait()? {
                bail!("the service ended with {status}: {log}");
            }
            ensure!(begun.elapsed() < STARTS_WITHIN, "it does not listen: {log}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// What it has written to standard error.
    pub(super) fn log(&self) -> Result<String> {
        Ok(std::fs::read_to_string(self.folder.path().join("log"))?)
    }

    /// The folder that holds its data folder, and nothing that it may open.
    pub(super) fn outside(&self) -> &Path {
        self.folder.path()
    }

    /// Its data folder.
    pub(super) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(super) fn process(&self) -> u32 {
        self.child.id()
    }

    /// What a command of the program prints, on the same data folder, errors included.
    pub(super) fn told(&self, words: &[&str]) -> Result<String> {
        let mut command = command(&program("fathom")?, self.outside(), &self.environment);
        let done = command.args(words).output()?;
        let said = [done.stdout, done.stderr].concat();
        Ok(String::from_utf8_lossy(&said).into_owned())
    }

    pub(super) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client
            .request(method, format!("{}{path}", self.address))
    }

    pub(super) async fn json(&self, path: &str) -> Result<Value> {
        let got = self.request(Method::GET, path).send().await?;
        Ok(got.error_for_status()?.json().await?)
    }

    pub(super) async fn text(&self, path: &str) -> Result<String> {
        Ok(self.request(Method::GET, path).send().await?.text().await?)
    }

    /// Begins a run and gives its id.
    pub(super) async fn begin(&self, body: &Value) -> Result<String> {
        let begun = self
            .request(Method::POST, "/runs")
            .json(body)
            .send()
            .await?;
        let begun: Value = begun.error_for_status()?.json().await?;
        let id = begun["id"].as_str().context("a run has an id")?;
        Ok(id.to_owned())
    }

    /// How many sockets it has open.
    pub(super) fn sockets(&self) -> Result<usize> {
        let handles = std::fs::read_dir(format!("/proc/{}/fd", self.process()))?;
        let sockets = handles.flatten().filter(|handle| {
            let target = std::fs::read_link(handle.path());
            target.is_ok_and(|target| target.to_string_lossy().starts_with("socket:"))
        });
        Ok(sockets.count())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(program: &Path, folder: &Path, environment: &[(String, String)]) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("FATHOM_HOME", folder.join("home"))
        .env("FATHOM_SERVE_LISTEN", "127.0.0.1:0")
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .current_dir(folder);
    command
}

/// A program of the workspace, which lies beside this one or, for a test, one folder up.
fn program(name: &str) -> Result<PathBuf> {
    let own = std::env::current_exe().context("this program cannot find itself")?;
    let mut folders = own.ancestors().skip(1).take(2);
    let found = folders.find_map(|folder| Some(folder.join(name)).filter(|path| path.is_file()));
    found.with_context(|| {
        format!("{name} is not built: cargo build -p fathom --bin fathom --examples")
    })
}

/// A service whose whole world is scripted.
pub(super) async fn in_a_world(script: Script, more: &[(&str, &str)]) -> Result<(Stage, Served)> {
    let stage = Stage::open(script).await?;
    let world = stage.environment();
    let world = world.iter().map(|(name, value)| (*name, value.as_str()));
    let environment: Vec<_> = world.chain(more.iter().copied()).collect();
    let served = Served::open(&environment).await?;
    Ok((stage, served))
}
