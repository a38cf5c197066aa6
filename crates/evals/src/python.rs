//! Peers in Python, installed by pip into a virtual environment in the target folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Pinned, so that the same figures can be had again.
pub(crate) const LANGGRAPH: [&str; 2] = ["langgraph==1.2.20", "langgraph-checkpoint-sqlite==3.1.2"];

/// A script and the Python that runs it.
pub(crate) struct PeerScript {
    python: PathBuf,
    script: PathBuf,
}

impl PeerScript {
    /// Writes the script down and installs what it needs.
    pub(crate) fn install(name: &str, text: &str, packages: &[&str]) -> Result<Self> {
        let program = std::env::current_exe().context("this program cannot find itself")?;
        let target = program.ancestors().nth(2);
        let folder = target.context("there is no target folder")?.join("peer");
        std::fs::create_dir_all(&folder)?;
        let script = folder.join(name);
        std::fs::write(&script, text)?;
        let venv = folder.join("venv");
        let python = venv.join("bin/python");
        if !python.exists() {
            let mut make = Command::new("python3");
            succeed(make.args(["-m", "venv"]).arg(&venv))?;
        }
        let mut pip = Command::new(&python);
        succeed(pip.args(["-m", "pip", "install", "--quiet"]).args(packages))?;
        Ok(Self { python, script })
    }

    /// The script, to be started with further words.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.python);
        command.arg(Path::new(&self.script));
        command
    }

    /// The version of a package as it is installed.
    pub(crate) fn version(&self, package: &str) -> Result<String> {
        let ask = format!("import importlib.metadata as m; print(m.version('{package}'))");
        output(Command::new(&self.python).args(["-c", &ask]))
    }
}

fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status();
    if !status.context("Python 3 is needed")?.success() {
        bail!("{command:?} failed, see above");
    }
    Ok(())
}

/// What a command prints; its own words where it fails.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.output().context("Python 3 is needed")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim_end());
    }
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}
