//! Stores for proofs: each proof gets one of its own, empty, and leaves nothing behind.
//!
//! A [`Site`] is the place where such a store keeps its data. It can be opened many times, as a
//! program that is started again would, and its address can be handed to another process.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use fathom_store::{Postgres, Sqlite, SqliteOptions};
use fathom_workflow::{Clock, MemoryStore, Store, SystemClock};
use tempfile::TempDir;
use tokio_postgres::NoTls;
use uuid::Uuid;

/// Holds the URL of a PostgreSQL server; `cargo xtask` sets it.
const POSTGRES: &str = "FATHOM_TEST_POSTGRES";

const NO_POSTGRES: &str = "no PostgreSQL for the proofs: run `cargo xtask prove engine` or \
    `cargo xtask test`, which start one, or set FATHOM_TEST_POSTGRES to a server's URL";

/// A file system in memory, where Linux has one.
const FAST: &str = "/dev/shm";

/// The stores that are proven and measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// In this process, and gone with it.
    Memory,
    /// A file.
    Sqlite,
    /// A schema of the server that `cargo xtask` names.
    Postgres,
}

impl Backend {
    /// Every store, the quickest first.
    pub const ALL: [Self; 3] = [Self::Memory, Self::Sqlite, Self::Postgres];

    /// As people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// What a SQLite file lies on. A real disk syncs every commit, which a proof about the order of
/// commits, and not about power cuts, need not pay for many thousand times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disk {
    /// The disk of the temporary folder.
    Real,
    /// A file system in memory, where there is one.
    Fast,
}

/// Where a proof's store lives. Dropping it removes what it holds.
pub struct Site {
    ground: Ground,
    clock: Arc<dyn Clock>,
}

enum Ground {
    Memory(Arc<MemoryStore>),
    File { folder: TempDir },
    Schema(Schema),
}

impl Site {
    /// A site whose leases run by the machine's clock.
    pub async fn new(backend: Backend, disk: Disk) -> Result<Self> {
        Self::with_clock(backend, disk, Arc::new(SystemClock)).await
    }

    /// A site whose leases run by `clock`. PostgreSQL goes by its own clock all the same.
    pub async fn with_clock(backend: Backend, disk: Disk, clock: Arc<dyn Clock>) -> Result<Self> {
        let ground = match backend {
            Backend::Memory => {
                Ground::Memory(Arc::new(MemoryStore::with_clock(Arc::clone(&clock))))
            }
            Backend::Sqlite => Ground::File {
                folder: folder(disk)?,
            },
            Backend::Postgres => Ground::Schema(Schema::create(&server()?).await?),
        };
        Ok(Self { ground, clock })
    }

    /// The store, opened anew as a program that starts would. A memory store is the same one again.
    pub async fn open(&self) -> Result<Arc<dyn Store>> {
        match &self.ground {
            Ground::Memory(store) => Ok(Arc::clone(store) as Arc<dyn Store>),
            Ground::File { folder } => sqlite(&file(folder), Arc::clone(&self.clock)),
            Ground::Schema(schema) => postgres(&schema.url).await,
        }
    }

    /// What [`open`] takes, for another process. A memory store cannot be reached from one.
    pub fn address(&self) -> Result<String> {
        match &self.ground {
            Ground::Memory(_) => bail!("a memory store has no address"),
            Ground::File { folder } => Ok(format!("{SQLITE}{}", file(folder).display())),
            Ground::Schema(schema) => Ok(schema.url.clone()),
        }
    }

    /// The file of a SQLite store.
    pub fn path(&self) -> Option<PathBuf> {
        match &self.ground {
            Ground::File { folder } => Some(file(folder)),
            Ground::Memory(_) | Ground::Schema(_) => None,
        }
    }
}

const SQLITE: &str = "sqlite:";

/// Opens the store at an address that [`Site::address`] gave.
pub async fn open(address: &str) -> Result<Arc<dyn Store>> {
    match address.strip_prefix(SQLITE) {
        Some(path) => sqlite(Path::new(path), Arc::new(SystemClock)),
        None => postgres(address).await,
    }
}

pub(crate) fn sqlite(path: &Path, clock: Arc<dyn Clock>) -> Result<Arc<dyn Store>> {
    let options = SqliteOptions {
        clock,
        ..SqliteOptions::default()
    };
    Ok(Arc::new(Sqlite::open_with(path, options)?))
}

async fn postgres(url: &str) -> Result<Arc<dyn Store>> {
    Ok(Arc::new(Postgres::connect(url).await?))
}

fn folder(disk: Disk) -> Result<TempDir> {
    let fast = Path::new(FAST);
    match disk {
        Disk::Fast if fast.is_dir() => TempDir::with_prefix_in("fathom-proof-", fast),
        Disk::Fast | Disk::Real => TempDir::with_prefix("fathom-proof-"),
    }
    .context("no folder could be made for the proof's database")
}

fn file(folder: &TempDir) -> PathBuf {
    folder.path().join("fathom.db")
}

/// The URL of the server that proofs may use.
pub fn server() -> Result<String> {
    match std::env::var(POSTGRES) {
        Ok(url) if !url.is_empty() => Ok(url),
        _ => bail!(NO_POSTGRES),
    }
}

/// A schema of a proof's own, dropped with all it holds.
struct Schema {
    server: String,
    name: String,
    /// Leads every connection into the schema.
    url: String,
}

impl Schema {
    async fn create(server: &str) -> Result<Self> {
        let name = format!("proof_{}", Uuid::now_v7().simple());
        execute(server, &format!("CREATE SCHEMA {name}")).await?;
        let mark = if server.contains('?') { '&' } else { '?' };
        Ok(Self {
            url: format!("{server}{mark}options=-csearch_path%3D{name}"),
            server: server.to_owned(),
            name,
        })
    }
}

impl Drop for Schema {
    /// On a thread of its own, since a drop cannot await.
    fn drop(&mut self) {
        let server = std::mem::take(&mut self.server);
        // A session that was left behind must not keep the proof waiting for its locks.
        let statement = format!(
            "SET lock_timeout = '5s'; DROP SCHEMA IF EXISTS {} CASCADE",
            self.name
        );
        let dropping = std::thread::spawn(move || {
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map(|runtime| runtime.block_on(execute(&server, &statement)))
        });
        // A server that is gone by now took the schema with it, or will be thrown away.
        let _ = dropping.join();
    }
}

async fn execute(server: &str, statement: &str) -> Result<()> {
    let (client, connection) = tokio_postgres::connect(server, NoTls)
        .await
        .context("the PostgreSQL server for the proofs does not answer")?;
    let work = async {
        let done = client.batch_execute(statement).await;
        drop(client);
        done
    };
    let (done, _) = tokio::join!(work, connection);
    done.with_context(|| format!("PostgreSQL refused `{statement}`"))
}
