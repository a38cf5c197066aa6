//! A private PostgreSQL server for tests: started on demand, gone without a trace.
//!
//! Gives the URL of an empty database on loopback, and can restart the server on the same port. What is
//! stored and how is left to the tests.

mod programs;

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::BuildHasher;
use std::net::{Ipv4Addr, TcpListener};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use programs::{ServerPrograms, run};

/// The superuser of every cluster.
const USER: &str = "fathom";

/// Below the range that systems hand to outgoing connections. While the server is down, a client
/// that keeps reconnecting could otherwise be given this very port, and the server not come back.
const PORTS: Range<u16> = 15_000..32_000;
const PORT_TRIES: usize = 100;

/// How many ports a start may lose to another program between the look and the launch.
const LAUNCH_TRIES: usize = 3;

/// In seconds. Recovery after a crash replays the log, so this is far above the usual second.
const READY_LIMIT: &str = "60";

const LOG_TAIL_LINES: usize = 20;

/// Waits until its standard input ends, which happens when the owner drops it and also when the owner is
/// killed; then stops the server and removes the folder. Arguments: `pg_ctl`, the data folder, the
/// cluster's folder. A server that outlasts the stop ends itself when it misses its folder.
const GUARDIAN: &str = r#"
read -r _
"$1" stop -s -D "$2" -m immediate -t 10
rm -rf "$3"
"#;

/// How a running server is told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Ends the sessions and writes everything out: a planned restart.
    Fast,
    /// Drops everything at once, so that the next start recovers from the log: a crash.
    Immediate,
}

/// One private server with its own folder, port and database. Dropping it stops the server and
/// removes the folder; the same happens when the process that owns it is killed.
pub struct Cluster {
    guardian: Child,
    programs: ServerPrograms,
    folder: TempDir,
    port: u16,
}

impl Cluster {
    /// Starts a server, which takes about two seconds.
    ///
    /// # Errors
    /// When no PostgreSQL can be found or installed, or the server does not come up; the message
    /// says what to install or shows the end of the server's log.
    pub fn start() -> Result<Self> {
        let programs = ServerPrograms::find_or_install()?;
        let folder = tempfile::Builder::new().prefix("fathom-pg-").tempdir()?;
        programs.own(folder.path())?;
        let mut cluster = Self {
            guardian: guardian(&programs, folder.path())?,
            programs,
            folder,
            port: 0,
        };
        // Trust is safe here: the server listens on loopback and on a socket in a closed folder.
        let options = [
            "--auth=trust",
            "--encoding=UTF8",
            "--no-locale",
            "--no-sync",
        ];
        run(cluster
            .programs
            .command("initdb", cluster.folder())
            .args(options)
            .args(["--username", USER, "--pgdata"])
            .arg(cluster.data()))
        .context(
            "a PostgreSQL cluster cannot be made; can its account enter the temporary folder?",
        )?;
        cluster.launch()?;
        Ok(cluster)
    }

    /// Where clients connect. It stays the same for the whole life of the cluster.
    #[must_use]
    pub fn url(&self) -> String {
        let (host, port) = (Ipv4Addr::LOCALHOST, self.port);
        format!("postgres://{USER}@{host}:{port}/postgres")
    }

    /// Where the server keeps its data and its log.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Stops the server and starts it again on the same port.
    ///
    /// # Errors
    /// When the server does not stop or does not come back.
    pub fn restart(&mut self, mode: Stop) -> Result<()> {
        let mode = match mode {
            Stop::Fast => "fast",
            Stop::Immediate => "immediate",
        };
        self.control(&["restart", "-m", mode])
    }

    /// Finds a port and starts the server on it.
    fn launch(&mut self) -> Result<()> {
        let mut refused = None;
        for _ in 0..LAUNCH_TRIES {
            self.port = free_port()?;
            // What the server is started with, `pg_ctl restart` gives it again. Benchmarks without
            // `fsync` would promise speeds that no careful user gets.
            let options = format!(
                "-p {} -k '{}' -c listen_addresses=127.0.0.1 -c max_connections=200 \
                 -c shared_buffers=64MB -c fsync=on",
                self.port,
                self.folder().display()
            );
            match self.control(&["start", "-o", &options]) {
                Ok(()) => return Ok(()),
                Err(error) => refused = Some(error),
            }
        }
        Err(refused.context("PostgreSQL was not started")?)
    }

    fn control(&self, arguments: &[&str]) -> Result<()> {
        let log = self.folder().join("server.log");
        let mut command = self.programs.command("pg_ctl", self.folder());
        command.args(arguments).arg("-D").arg(self.data());
        command
            .args(["-s", "-w", "-t", READY_LIMIT, "-l"])
            .arg(&log);
        run(&mut command).with_context(|| {
            let log = fs::read_to_string(&log).unwrap_or_default();
            let lines: Vec<&str> = log.lines().collect();
            let tail = lines[lines.len().saturating_sub(LOG_TAIL_LINES)..].join("\n");
            format!("PostgreSQL did not start or stop; its log ends:\n{tail}")
        })
    }

    fn data(&self) -> PathBuf {
        self.folder().join("data")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.guardian.stdin.take());
        let _ = self.guardian.wait();
    }
}

fn guardian(programs: &ServerPrograms, folder: &Path) -> Result<Child> {
    programs
        .account_command(Path::new("sh"), folder)
        .args(["-c", GUARDIAN, "fathom-pg-guardian"])
        .arg(programs.path("pg_ctl"))
        .arg(folder.join("data"))
        .arg(folder)
        // The folder goes away under the guardian.
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("cannot start `sh` to watch over the PostgreSQL server")
}

fn free_port() -> Result<u16> {
    for _ in 0..PORT_TRIES {
        let offset = RandomState::new().hash_one(0) % (PORTS.len() as u64);
        let port = PORTS.start + u16::try_from(offset)?;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(port);
        }
    }
    bail!("no free port on 127.0.0.1 in {PORT_TRIES} tries")
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;

    use super::*;

    /// What `psql` prints for a query.
    fn query(cluster: &Cluster, sql: &str) -> String {
        let mut psql = cluster
            .programs
            .account_command(Path::new("psql"), cluster.folder());
        let output = psql.args(["-X", "-q", "-A", "-t", "-c", sql, &cluster.url()]);
        let output = output.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    #[test]
    fn a_cluster_restarts_on_its_port_and_leaves_nothing_behind() {
        let mut cluster = Cluster::start().unwrap_or_else(|error| panic!("{error:#}"));
        let (folder, url, port) = (cluster.folder().to_owned(), cluster.url(), cluster.port);
        query(&cluster, "create table kept as select 7");
        for mode in [Stop::Fast, Stop::Immediate] {
            cluster.restart(mode).unwrap();
            assert_eq!(cluster.url(), url);
            assert_eq!(query(&cluster, "select * from kept"), "7");
        }
        assert_eq!(query(&cluster, "show fsync"), "on");
        drop(cluster);
        assert!(!folder.exists());
        assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err());
    }
}
