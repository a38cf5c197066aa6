//! T4: two owners of one run. One is stopped past its lease, the other takes the run over and works,
//! then the first one goes on.
//!
//! Most interleavings happen in this process, where an owner is stopped at any operation of its store,
//! just before it or just after; some with real processes, by SIGSTOP and SIGCONT. The late owner must
//! be refused: the log has no fork, and nothing is committed under a fence that has been passed on.

mod interleaving;
mod pause;
mod processes;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use futures::future::try_join_all;

use self::interleaving::Arena;
use super::{Proof, Setting};
use crate::stores::Backend;

/// The proof, for the list.
pub fn proof() -> Proof {
    Proof {
        id: "T4",
        what: "two owners on one run, one stopped past its lease",
        run: |setting| Box::pin(run(setting)),
    }
}

/// What came of interleavings.
#[derive(Clone, Copy, Default)]
struct OwnerFigures {
    /// Those in which an owner was really stopped.
    stopped: u64,
    /// Those in which it was refused when it went on.
    refused: u64,
}

impl OwnerFigures {
    fn add(&mut self, other: Self) {
        self.stopped += other.stopped;
        self.refused += other.refused;
    }
}

async fn run(setting: Setting) -> Result<String> {
    let Setting { size, seed } = setting;
    let inside = [
        (Backend::Memory, size.pick(400, 7_500)),
        (Backend::Sqlite, size.pick(70, 2_000)),
        (Backend::Postgres, size.pick(26, 460)),
    ];
    let (mut total, mut told) = (OwnerFigures::default(), Vec::new());
    for (backend, wanted) in inside {
        let figures = interleavings(backend, wanted, seed).await?;
        told.push(format!("{} {}", figures.stopped, backend.name()));
        total.add(figures);
    }
    for backend in [Backend::Sqlite, Backend::Postgres] {
        let figures = processes::stop_and_go(backend, size.pick(2, 20), seed).await?;
        told.push(format!("{} {} processes", figures.stopped, backend.name()));
        total.add(figures);
    }
    Ok(format!(
        "{} interleavings ({}), {} of the stopped refused when they wrote, the rest before that or already done; 0 forks, 0 stale commits",
        total.stopped,
        told.join(", "),
        total.refused
    ))
}

/// Runs interleavings until an owner was stopped in as many as wanted.
async fn interleavings(backend: Backend, wanted: u64, seed: u64) -> Result<OwnerFigures> {
    let (stopped, next) = (AtomicU64::new(0), AtomicU64::new(0));
    let arenas = arenas(backend).await?;
    let workers = arenas.into_iter().map(|arena| {
        let (stopped, next) = (&stopped, &next);
        async move {
            let mut figures = OwnerFigures::default();
            while stopped.load(Ordering::SeqCst) < wanted {
                let number = next.fetch_add(1, Ordering::SeqCst);
                let seed = seed.wrapping_add(number);
                let case = tokio::spawn(interleaving::one(Arc::clone(&arena), seed));
                let figure = case.await??;
                stopped.fetch_add(figure.stopped, Ordering::SeqCst);
                figures.add(figure);
            }
            anyhow::Ok(figures)
        }
    });
    let mut total = OwnerFigures::default();
    for figures in try_join_all(workers).await? {
        total.add(figures);
    }
    Ok(total)
}

/// One place for each worker. Where leases lapse by a clock that a proof turns, nobody else may work
/// meanwhile; PostgreSQL's leases lapse by themselves, so there many wait at once.
async fn arenas(backend: Backend) -> Result<Vec<Arc<Arena>>> {
    const WAITING: usize = 16;
    match backend {
        Backend::Memory | Backend::Sqlite => {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            let arenas = (0..cores).map(|_| Arena::new(backend));
            let arenas = try_join_all(arenas).await?;
            Ok(arenas.into_iter().map(Arc::new).collect())
        }
        Backend::Postgres => {
            let arena = Arc::new(Arena::new(backend).await?);
            Ok(vec![arena; WAITING])
        }
    }
}
