//! A served data folder: the program as a child, and a client that talks to it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};

use reqwest::{Method, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;

pub const QUESTION: &str = "Do street trees lower summer heat in towns?";

/// The name of the library that every test has.
pub const LIBRARY: &str = "trees";

/// A data folder, and what serves it.
pub struct Served {
    folder: TempDir,
    program: PathBuf,
    environment: Vec<(String, String)>,
    child: Option<(Child, BufReader<ChildStderr>)>,
    pub address: String,
    pub client: reqwest::Client,
    token: Option<String>,
}

impl Served {
    /// The program with its built-in workflows.
    pub fn open() -> Self {
        Self::with(&[])
    }

    pub fn with(environment: &[(&str, &str)]) -> Self {
        let mut served = Self::unstarted(Path::new(env!("CARGO_BIN_EXE_fathom")), environment);
        served.start();
        served
    }

    /// The program with the toy workflow of `examples/`, which counts down and may rest.
    pub fn toy() -> Self {
        Self::toy_with(&[])
    }

    pub fn toy_with(environment: &[(&str, &str)]) -> Self {
        let program = Path::new(env!("CARGO_BIN_EXE_fathom"));
        let program = program.with_file_name("examples").join("toy-workflow");
        let mut served = Self::unstarted(&program, environment);
        served.start();
        served
    }

    pub fn unstarted(program: &Path, environment: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let library = folder.path().join("home/owners/_local").join(LIBRARY);
        fill_library(&library);
        let environment = environment.iter();
        // The client is built with TLS elsewhere in the workspace, and then wants a provider although none is used.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self {
            folder,
            program: program.to_owned(),
            environment: environment
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            child: None,
            address: String::new(),
            client: reqwest::Client::builder().no_proxy().build().unwrap(),
            token: None,
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program in this folder, with nothing of the machine's own settings.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .env_clear()
            .env("FATHOM_HOME", self.path("home"))
            .env("FATHOM_LEASE_S", "1")
            .env("FATHOM_SERVE_LISTEN", "127.0.0.1:0")
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(self.folder.path())
            .args(words);
        command
    }

    /// Starts the service, and waits until it listens.
    pub fn start(&mut self) {
        let mut child = self
            .command(&["serve"])
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while said.read_line(&mut line).unwrap() > 0 {
            if let Some(address) = line.trim().strip_prefix("Listening on ") {
                self.address = address.to_owned();
                self.child = Some((child, said));
                return;
            }
            println!("{line}");
            line.clear();
        }
        let ended = child.wait();
        panic!("the service did not start: {ended:?}");
    }

    /// Ends the service as a crash would.
    pub fn kill(&mut self) {
        let (mut child, _) = self.child.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Asks the service to end, and gives the code it ends with and what it said.
    pub fn terminate(&mut self) -> (Option<i32>, String) {
        let (mut child, mut said) = self.child.take().unwrap();
        let id = child.id().to_string();
        let sent = Command::new("kill").args(["-s", "TERM", &id]).status();
        assert!(sent.unwrap().success());
        let code = child.wait().unwrap().code();
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut said, &mut rest).unwrap();
        (code, rest)
    }

    /// A token for an owner; the requests that follow carry it.
    pub fn log_in(&mut self, owner: &str) -> String {
        self.log_in_with(owner, &[])
    }

    /// The same with caps on what the owner may use.
    pub fn log_in_with(&mut self, owner: &str, caps: &[&str]) -> String {
        let words = [&["token", "add", owner], caps].concat();
        let added = self.command(&words).output().unwrap();
        let token = String::from_utf8(added.stdout).unwrap().trim().to_owned();
        assert!(token.starts_with("fathom_"), "{token}");
        self.token = Some(token.clone());
        token
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self
            .client
            .request(method, format!("{}{path}", self.address));
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    pub async fn get(&self, path: &str) -> Response {
        self.request(Method::GET, path).send().await.unwrap()
    }

    pub async fn post(&self, path: &str, body: &Value) -> Response {
        let request = self.request(Method::POST, path);
        request.json(body).send().await.unwrap()
    }

    #[track_caller]
    pub fn json(&self, path: &str) -> impl Future<Output = Value> {
        let sending = self.request(Method::GET, path).send();
        async move { expect(sending.await.unwrap(), StatusCode::OK).await }
    }

    /// Begins a run and gives its id.
    pub async fn begin(&self, body: &Value) -> String {
        let begun = expect(self.post("/runs", body).await, StatusCode::ACCEPTED).await;
        begun["id"].as_str().unwrap().to_owned()
    }

    /// Begins a report on the test's library.
    pub async fn report(&self, people: Value) -> String {
        let settings = json!({ "library": [LIBRARY], "people": people });
        let options = json!({ "settings": settings });
        let body = json!({ "workflow": "report", "question": QUESTION, "options": options });
        self.begin(&body).await
    }

    /// Follows a run to its end and gives the status.
    pub async fn ended(&self, run: &str) -> String {
        let events = self.get(&format!("/runs/{run}/events")).await;
        let text = events.text().await.unwrap();
        let end = text.split_once("event: end\n").expect(&text).1;
        let end: Value = serde_json::from_str(data(end)).unwrap();
        end["status"].as_str().unwrap().to_owned()
    }

    /// Cancels a run that is worked on, and waits until it has stopped.
    pub async fn cancel(&self, run: &str) {
        let path = format!("/runs/{run}/cancel");
        expect(self.post(&path, &Value::Null).await, StatusCode::ACCEPTED).await;
        assert_eq!(self.ended(run).await, "cancelled");
    }

    /// Follows a run until it has one of these statuses. The stream tells when to look.
    pub async fn until(&self, run: &str, status: &str) -> Value {
        let mut events = self.get(&format!("/runs/{run}/events")).await;
        loop {
            let shown = self.json(&format!("/runs/{run}")).await;
            if shown["status"] == status {
                return shown;
            }
            let more = events.chunk().await.unwrap();
            assert!(more.is_some(), "it ended before it was {status}: {shown}");
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some((mut child, _)) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The JSON of an answer that must have this status.
pub async fn expect(response: Response, status: StatusCode) -> Value {
    let (is, text) = (response.status(), response.text().await.unwrap());
    assert_eq!(is, status, "{text}");
    serde_json::from_str(&text).unwrap_or(Value::Null)
}

/// The data of the first event in a piece of a stream.
pub fn data(events: &str) -> &str {
    let line = events.lines().find_map(|line| line.strip_prefix("data: "));
    line.unwrap()
}

fn fill_library(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    let file = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    file(
        "trial.md",
        "# The Alder Street trial\n\nUnder a closed canopy of street trees the afternoon air was 1.9 °C cooler in summer than in streets without trees. The trial ran in twelve streets of two towns for three summers, and was paid for by the council.\n",
    );
    file(
        "night.md",
        "# Night heat\n\nAt night, street trees kept narrow streets of towns 0.4 °C warmer, because their crowns hold the heat of summer days. The sensors hung at head height in forty streets over one summer.\n",
    );
}
