//! The PostgreSQL server that tests, proofs and benchmarks talk to: the caller's, or a private one.

use std::env;
use std::process::Command;

use anyhow::Result;

use xtask::postgres::Cluster;

/// Holds the URL of the server. Tests read it; callers set it to use a server of their own.
const VARIABLE: &str = "FATHOM_TEST_POSTGRES";

/// A server for the commands that are started here. A private one ends with this value.
pub struct TestServer {
    /// `None` if the caller has named a server, which commands inherit.
    private: Option<Cluster>,
}

impl TestServer {
    /// Takes the caller's server, or starts a private one.
    pub fn find_or_start() -> Result<Self> {
        let is_given = env::var_os(VARIABLE).is_some_and(|url| !url.is_empty());
        let private = if is_given {
            None
        } else {
            Some(Cluster::start()?)
        };
        Ok(Self { private })
    }

    /// Tells a command where the server is.
    pub fn pass_to(&self, command: &mut Command) {
        if let Some(cluster) = &self.private {
            command.env(VARIABLE, cluster.url());
        }
    }
}

/// Starts a private server, says where it is, and keeps it until the input ends.
pub fn serve() -> Result<()> {
    let cluster = Cluster::start()?;
    println!("{}", cluster.url());
    println!("{}", cluster.folder().display());
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
    Ok(())
}
