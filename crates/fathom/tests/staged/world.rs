//! A stage, a data folder, and the program run between them.

use std::path::PathBuf;
use std::process::Command;

use fathom_testworld::{Call, Page, Script, Stage};
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;

pub const QUESTION: &str = "What is known about street trees?";

pub struct World {
    pub stage: Stage,
    folder: TempDir,
    // Last, so that the stage ends before what it runs on.
    _runtime: Runtime,
}

/// What the program did.
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

pub fn pages() -> Vec<Page> {
    let page = |title: &str, text: &str| Page {
        title: title.to_owned(),
        text: text.to_owned(),
    };
    vec![
        page(
            "Street trees and cooling",
            "Street trees lowered the afternoon air temperature by 1.9 degrees in the trial of Halvern. \
             The cooling was strongest in streets with closed canopy.",
        ),
        page(
            "Water for street trees",
            "Young street trees need 120 litres of water a week in their first summer. \
             Without that water, a third of the street trees died.",
        ),
        page(
            "What street trees cost",
            "The cost of one street tree over forty years was 2,100 euros in Dunmere. \
             Maintenance makes up most of the cost of street trees.",
        ),
    ]
}

impl World {
    pub fn open(script: Script) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        Self {
            stage: runtime.block_on(Stage::open(script)).unwrap(),
            folder: tempfile::tempdir().unwrap(),
            _runtime: runtime,
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program with the stage for its whole world.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
        command
            .env_clear()
            .env("FATHOM_HOME", self.path("home"))
            .env("FATHOM_LEASE_S", "1")
            .envs(self.stage.environment())
            .env("USER", "ada")
            .current_dir(self.folder.path())
            .args(words);
        command
    }

    pub fn run(&self, words: &[&str]) -> Ran {
        self.run_with(&[], words)
    }

    pub fn run_with(&self, environment: &[(&str, &str)], words: &[&str]) -> Ran {
        let mut command = self.command(words);
        let output = command.envs(environment.iter().copied()).output().unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The question asked with more words, and its events.
    pub fn report(&self, more: &[&str]) -> Ran {
        let words = [&["report", QUESTION, "--json", "-q"], more].concat();
        self.run(&words)
    }

    /// How often each judgement was asked for: plan, analysis, sections, answer, review.
    pub fn judgements(&self) -> [usize; 5] {
        ["Plan", "Analysis", "Section", "Sentences", "Review"].map(|judgement| {
            let asked = |call: &Call| call.key.split(' ').next() == Some(judgement);
            self.count("model", asked)
        })
    }

    pub fn count(&self, kind: &str, wanted: impl Fn(&Call) -> bool) -> usize {
        let calls = self.stage.calls();
        let calls = calls.iter().filter(|call| call.kind == kind);
        calls.filter(|call| wanted(call)).count()
    }

    pub fn searches(&self) -> Vec<String> {
        let calls = self.stage.calls().into_iter();
        let searches = calls.filter(|call| call.kind == "search");
        searches.map(|call| call.key).collect()
    }
}

impl Ran {
    /// The last line of `--json`, which must agree with the code.
    #[track_caller]
    pub fn result(&self) -> Value {
        let last = self.out.lines().last();
        let last = last.unwrap_or_else(|| panic!("{}", self.err));
        let result: Value = serde_json::from_str(last).unwrap();
        assert_eq!(result["event"], "result");
        assert_eq!(result["exit"], self.code, "{}", self.err);
        result
    }

    /// The report of a run that ended as complete.
    #[track_caller]
    pub fn complete(&self) -> Value {
        let result = self.result();
        assert_eq!((self.code, &result["status"]), (0, &"complete".into()));
        assert_eq!(result["report"]["status"], "complete");
        result["report"].clone()
    }

    /// The report of a run that ended as partial, and why.
    #[track_caller]
    pub fn partial(&self) -> (Value, String) {
        let result = self.result();
        assert_eq!((self.code, &result["status"]), (3, &"partial".into()));
        let reason = &result["report"]["reason"];
        let reason = reason.as_str().unwrap().to_owned();
        (result["report"].clone(), reason)
    }
}

/// The sentences that a reader is told before the report.
pub fn caveats(report: &Value) -> String {
    let caveats = report["caveats"].as_array().unwrap().iter();
    let caveats = caveats.map(|caveat| caveat.as_str().unwrap());
    caveats.collect::<Vec<_>>().join("\n")
}
