//! A place of its own for each test: a data folder, a library, and the program run in them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

pub const QUESTION: &str = "Do street trees lower summer heat in towns?";

pub struct Sandbox {
    folder: TempDir,
}

/// What the program did.
pub struct CommandRan {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Sandbox {
    pub fn new() -> Self {
        let sandbox = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        sandbox.file(
            "library/trial.md",
            "# The Alder Street trial\n\nUnder a closed canopy of street trees the afternoon air was 1.9 °C cooler in summer than in streets without trees. The trial ran in twelve streets of two towns for three summers, and was paid for by the council.\n",
        );
        sandbox.file(
            "library/night.md",
            "# Night heat\n\nAt night, street trees kept narrow streets of towns 0.4 °C warmer, because their crowns hold the heat of summer days. The sensors hung at head height in forty streets over one summer.\n",
        );
        sandbox.file(
            "library/paving.txt",
            "Light paving lowers the heat of a street surface by 15 °C at noon in summer. It does little for the air that people breathe. Street trees do more, where they have water and grow well.\n",
        );
        sandbox
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// The program in this place, with nothing of the machine's own settings.
    pub fn command(&self) -> Command {
        self.command_of(Path::new(env!("CARGO_BIN_EXE_fathom")))
    }

    /// The program with the toy workflow of `examples/`.
    pub fn toy_command(&self) -> Command {
        let program = Path::new(env!("CARGO_BIN_EXE_fathom"));
        self.command_of(&program.with_file_name("examples").join("toy-workflow"))
    }

    fn command_of(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("FATHOM_HOME", self.path("home"))
            .env("USER", "ada")
            // Nobody waits long for the lease of a process that was killed.
            .env("FATHOM_LEASE_S", "3")
            .current_dir(self.folder.path());
        command
    }

    pub fn run(&self, words: &[&str]) -> CommandRan {
        ran(self, &self.command().args(words).output().unwrap())
    }

    pub fn toy(&self, words: &[&str]) -> CommandRan {
        ran(self, &self.toy_command().args(words).output().unwrap())
    }

    pub fn run_with(&self, environment: &[(&str, &str)], words: &[&str]) -> CommandRan {
        let mut command = self.command();
        command.args(words).envs(environment.iter().copied());
        ran(self, &command.output().unwrap())
    }

    /// A finished run, by its id.
    pub fn finished(&self) -> String {
        let ran = self.run(&["report", QUESTION, "--library", "library", "--json", "-q"]);
        ran.result()["run"].as_str().unwrap().to_owned()
    }

    /// A run that waits at a gate, by its id.
    pub fn waiting(&self, gate: &str) -> String {
        let words = [
            "report",
            QUESTION,
            "--library",
            "library",
            "--review",
            gate,
            "--json",
            "-q",
        ];
        let ran = self.run(&words);
        assert_eq!(ran.code, 4, "{}", ran.err);
        ran.result()["run"].as_str().unwrap().to_owned()
    }
}

fn ran(sandbox: &Sandbox, output: &Output) -> CommandRan {
    // Paths differ from test to test.
    let place = sandbox.folder.path().to_str().unwrap();
    let text = |bytes: &[u8]| {
        String::from_utf8(bytes.to_vec())
            .unwrap()
            .replace(place, "SANDBOX")
    };
    CommandRan {
        code: output.status.code().unwrap_or(-1),
        out: text(&output.stdout),
        err: text(&output.stderr),
    }
}

impl CommandRan {
    /// The last line of `--json`.
    pub fn result(&self) -> serde_json::Value {
        let last = self
            .out
            .lines()
            .last()
            .unwrap_or_else(|| panic!("{}", self.err));
        serde_json::from_str(last).unwrap()
    }
}

pub fn exists(path: impl AsRef<Path>) -> bool {
    path.as_ref().exists()
}
