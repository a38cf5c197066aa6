//! Where a server lives (programs, account, folder) and the work done there: initialise, launch,
//! stop. When to do what is decided by the cluster.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::account::Account;
use super::folder::Folder;
use super::programs::Programs;
use super::run::run;
use super::{NAME, Options, POLL, READY_LIMIT, Stop, settings};

const LOG_TAIL_LINES: usize = 20;

pub(super) struct Place {
    pub(super) programs: Programs,
    pub(super) account: Account,
    pub(super) folder: Folder,
}

/// How a launch ended, apart from the errors nobody can mend by trying again.
pub(super) enum Launch {
    Ready(Server),
    PortTaken,
    /// Sessions of a killed predecessor still use its shared memory.
    MemoryHeld,
}

/// The main server process. Dropping it kills and collects it.
pub(super) struct Server(Child);

impl Place {
    pub(super) fn initialise(&self, options: &Options) -> Result<()> {
        // Trust is safe here: the server listens on loopback and on a socket in a closed folder.
        run(self
            .command("initdb")
            .args(["--auth=trust", "--encoding=UTF8", "--no-locale", "--username", NAME, "--pgdata"])
            .arg(self.folder.data()))
        .with_context(|| {
            let parent = self.folder.path().parent().unwrap_or(Path::new("/")).display();
            format!("cannot create a PostgreSQL cluster; the server's account must be able to enter {parent}")
        })?;
        let path = self.folder.data().join("postgresql.conf");
        OpenOptions::new()
            .append(true)
            .open(&path)
            .and_then(|mut file| {
                file.write_all(settings::text(self.folder.path(), options).as_bytes())
            })
            .with_context(|| format!("cannot write the server's settings to {}", path.display()))
    }

    /// Starts the server and waits until it answers.
    pub(super) fn launch(&self, port: u16) -> Result<Launch> {
        let log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.folder.log());
        let log = log.with_context(|| {
            format!(
                "cannot open the server's log {}",
                self.folder.log().display()
            )
        })?;
        let log_start = log.metadata().map_or(0, |log| log.len());
        let mut server = self.spawn(port, log)?;

        let deadline = Instant::now() + READY_LIMIT;
        while server.is_running() {
            if self.answers(port) {
                return Ok(Launch::Ready(server));
            }
            if Instant::now() > deadline {
                bail!(
                    "PostgreSQL did not answer within {} s; its log ends:\n{}",
                    READY_LIMIT.as_secs(),
                    self.log_tail()
                );
            }
            thread::sleep(POLL);
        }

        let log = self.log_from(log_start);
        if log.contains("could not create any TCP/IP sockets") {
            Ok(Launch::PortTaken)
        } else if log.contains("pre-existing shared memory block") {
            Ok(Launch::MemoryHeld)
        } else {
            bail!(
                "PostgreSQL ended while starting; its log ends:\n{}",
                self.log_tail()
            )
        }
    }

    pub(super) fn create_database(&self, port: u16) -> Result<()> {
        run(self
            .command("createdb")
            .arg("--host")
            .arg(self.folder.path())
            .args(["--port", &port.to_string(), "--username", NAME, NAME]))
    }

    pub(super) fn stop(&self, mode: Stop) -> Result<()> {
        let mode = match mode {
            Stop::Fast => "fast",
            Stop::Immediate => "immediate",
        };
        let limit = READY_LIMIT.as_secs().to_string();
        run(self
            .command("pg_ctl")
            .args(["stop", "-s", "-w", "-t", &limit, "-m", mode, "-D"])
            .arg(self.folder.data()))
        .with_context(|| {
            format!(
                "PostgreSQL did not stop; its log ends:\n{}",
                self.log_tail()
            )
        })
    }

    fn spawn(&self, port: u16, log: File) -> Result<Server> {
        let copy = log.try_clone().context("cannot share the server's log")?;
        self.command("postgres")
            .arg("-D")
            .arg(self.folder.data())
            .args(["-p", &port.to_string()])
            .stdout(copy)
            .stderr(log)
            .spawn()
            .map(Server)
            .context("cannot start the PostgreSQL server")
    }

    /// Asks through the socket in the cluster's own folder: on the port, another server might answer.
    fn answers(&self, port: u16) -> bool {
        let mut ask = self.command("pg_isready");
        ask.args([
            "--quiet",
            "--timeout=5",
            "--port",
            &port.to_string(),
            "--host",
        ])
        .arg(self.folder.path());
        ask.status().is_ok_and(|status| status.success())
    }

    fn command(&self, program: &str) -> Command {
        self.account
            .command(&self.programs.path(program), self.folder.path())
    }

    fn log_from(&self, start: u64) -> String {
        let bytes = fs::read(self.folder.log()).unwrap_or_default();
        let start = usize::try_from(start).unwrap_or(0).min(bytes.len());
        String::from_utf8_lossy(&bytes[start..]).into_owned()
    }

    fn log_tail(&self) -> String {
        let log = self.log_from(0);
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(LOG_TAIL_LINES)..].join("\n")
    }
}

impl Server {
    pub(super) fn is_running(&mut self) -> bool {
        matches!(self.0.try_wait(), Ok(None))
    }

    pub(super) fn wait_for_exit(mut self) -> Result<()> {
        self.0
            .wait()
            .context("cannot wait for the PostgreSQL server to end")?;
        Ok(())
    }

    pub(super) fn kill(mut self) -> Result<()> {
        self.0.kill().context("cannot kill the PostgreSQL server")?;
        self.wait_for_exit()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail only for a process that has already been collected.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
