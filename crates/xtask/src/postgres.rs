//! A private PostgreSQL server for tests: started on demand, gone without a trace.
//!
//! Takes a few settings, gives the URL of an empty database `fathom` on loopback, and can stop, kill
//! and restart the server on the same port. What is stored and how is left to the tests.

mod account;
mod folder;
mod guardian;
mod install;
mod place;
mod programs;
mod run;
mod settings;
#[cfg(test)]
mod tests;

use std::collections::hash_map::RandomState;
use std::env;
use std::hash::BuildHasher;
use std::net::{Ipv4Addr, TcpListener};
use std::ops::Range;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use account::Account;
use folder::Folder;
use guardian::Guardian;
use place::{Launch, Place, Server};
use programs::Programs;

/// The superuser and the database of every cluster.
const NAME: &str = "fathom";

/// Below the range that systems hand to outgoing connections. While the server is down, a client
/// that keeps reconnecting could otherwise be given this very port, and the server not come back.
const PORTS: Range<u16> = 15_000..32_000;
const PORT_TRIES: usize = 100;
/// How many ports a first start may lose to another program between the look and the launch.
const LAUNCH_TRIES: usize = 5;
/// Recovery after a kill replays the log, so this is far above the usual second.
const READY_LIMIT: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(50);

/// What a cluster may be started with beyond its own settings.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Names and values as in `postgresql.conf`; they win over the cluster's own.
    pub extra_settings: Vec<(String, String)>,
}

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
    // Fields are dropped in this order: the guardian stops the server and removes the folder, then
    // the server's process is collected, then the folder's lock is let go.
    _guardian: Guardian,
    server: Option<Server>,
    place: Place,
    port: u16,
}

impl Cluster {
    /// Starts a server with the cluster's own settings.
    ///
    /// # Errors
    /// When no PostgreSQL can be found or installed, or the server does not come up; the message
    /// says what to install or shows the end of the server's log.
    pub fn start() -> Result<Self> {
        Self::with(Options::default())
    }

    /// Starts a server with further settings.
    ///
    /// # Errors
    /// As [`Cluster::start`].
    pub fn with(options: Options) -> Result<Self> {
        let programs = Programs::find_or_install()?;
        folder::remove_leftovers(&env::temp_dir());

        let account = Account::for_server()?;
        let folder = Folder::create(&env::temp_dir())?;
        account.own(folder.path())?;

        let place = Place {
            programs,
            account,
            folder,
        };
        let guardian = Guardian::watch(&place)?;
        place.initialise(&options)?;
        let (server, port) = first_launch(&place)?;
        place.create_database(port)?;
        Ok(Self {
            _guardian: guardian,
            server: Some(server),
            place,
            port,
        })
    }

    /// Where clients connect. It stays the same for the whole life of the cluster.
    #[must_use]
    pub fn url(&self) -> String {
        format!(
            "postgres://{NAME}@{}:{}/{NAME}",
            Ipv4Addr::LOCALHOST,
            self.port
        )
    }

    /// Where the server keeps its data and its log.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.place.folder.path()
    }

    /// Stops the server and starts it again on the same port.
    ///
    /// # Errors
    /// When the server is not running, does not stop or does not come back.
    pub fn restart(&mut self, mode: Stop) -> Result<()> {
        self.stop(mode)?;
        self.start_again()
    }

    /// Stops the server and keeps its data for [`Cluster::start_again`].
    ///
    /// # Errors
    /// When the server is not running or does not stop in time.
    pub fn stop(&mut self, mode: Stop) -> Result<()> {
        let server = self
            .server
            .take()
            .context("the PostgreSQL server is not running: call `start_again` first")?;
        match self.place.stop(mode) {
            Ok(()) => server.wait_for_exit(),
            Err(error) => {
                self.server = Some(server);
                Err(error)
            }
        }
    }

    /// Starts a stopped or killed server on the same port.
    ///
    /// # Errors
    /// When the server is still running or does not come up in time.
    pub fn start_again(&mut self) -> Result<()> {
        if self.server.as_mut().is_some_and(Server::is_running) {
            bail!("the PostgreSQL server is already running: call `stop` or `kill_server` first");
        }
        self.server = None;
        let deadline = Instant::now() + READY_LIMIT;
        loop {
            match self.place.launch(self.port)? {
                Launch::Ready(server) => {
                    self.server = Some(server);
                    return Ok(());
                }
                // The sessions of a killed server outlive it for a moment and hold its memory.
                Launch::PortTaken | Launch::MemoryHeld if Instant::now() < deadline => {
                    thread::sleep(POLL)
                }
                Launch::PortTaken => bail!(
                    "another program took port {} while the server was down",
                    self.port
                ),
                Launch::MemoryHeld => {
                    bail!(
                        "sessions of the killed server still run after {} s",
                        READY_LIMIT.as_secs()
                    )
                }
            }
        }
    }

    /// Kills the main server process with SIGKILL, as a lack of memory would. Its sessions end on
    /// their own as soon as they notice.
    ///
    /// # Errors
    /// When the server is not running or cannot be killed.
    pub fn kill_server(&mut self) -> Result<()> {
        let server = self
            .server
            .take()
            .context("the PostgreSQL server is not running: call `start_again` first")?;
        server.kill()
    }
}

fn first_launch(place: &Place) -> Result<(Server, u16)> {
    for _ in 0..LAUNCH_TRIES {
        let port = free_port()?;
        match place.launch(port)? {
            Launch::Ready(server) => return Ok((server, port)),
            Launch::PortTaken => {}
            Launch::MemoryHeld => {
                bail!("a new PostgreSQL cluster found its memory in use; try again")
            }
        }
    }
    bail!(
        "{LAUNCH_TRIES} free ports in a row were taken by other programs before PostgreSQL could use them; try again"
    )
}

fn free_port() -> Result<u16> {
    for _ in 0..PORT_TRIES {
        let offset = RandomState::new().hash_one(PORTS.start) % (PORTS.len() as u64);
        let port = PORTS.start
            + u16::try_from(offset).context("the offset is below the length of the range")?;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(port);
        }
    }
    bail!(
        "no free port on 127.0.0.1 between {} and {} in {PORT_TRIES} tries",
        PORTS.start,
        PORTS.end
    )
}
