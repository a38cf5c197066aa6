//! The PostgreSQL server that tests, proofs and benchmarks talk to: the caller's, or a private one.

use std::env;
use std::process::Command;

use anyhow::Result;

use xtask::postgres::Cluster;

/// Holds the URL of the server. Tests read it; callers set it to use a server of their own.
const VARIABLE: &str = "FATHOM_TEST_POSTGRES";

pub enum Postgres {
    OfTheCaller,
    Private(Cluster),
}

impl Postgres {
    pub fn at_hand() -> Result<Self> {
        match env::var_os(VARIABLE) {
            Some(url) if !url.is_empty() => Ok(Self::OfTheCaller),
            _ => Ok(Self::Private(Cluster::start()?)),
        }
    }

    /// Tells a command where the server is. The caller's own setting is inherited as it is.
    pub fn tell(&self, command: &mut Command) {
        match self {
            Self::OfTheCaller => {}
            Self::Private(cluster) => {
                command.env(VARIABLE, cluster.url());
            }
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
