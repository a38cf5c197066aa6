//! Connections that are open and that nobody uses just now.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::address::Address;
use super::fault::Fault;
use super::link::Link;

/// The last one put back is taken first: its server process is the one still warm.
pub(super) struct Links {
    address: Arc<Address>,
    idle: Mutex<Vec<Arc<Link>>>,
}

impl Links {
    pub(super) fn to(address: Arc<Address>) -> Self {
        Self {
            address,
            idle: Mutex::default(),
        }
    }

    /// A clean connection, new if there is none. Whoever takes one bounds how many there are.
    pub(super) async fn take(&self) -> Result<Arc<Link>, Fault> {
        let idle = self.idle_link();
        match idle {
            Some(link) => Ok(link),
            None => Ok(Arc::new(Link::dial(&self.address).await?)),
        }
    }

    /// Keeps a connection for others, unless the answer it gave shows that it is no good.
    pub(super) fn put_back<T>(&self, link: Arc<Link>, answer: &Result<T, Fault>) {
        let is_lost = matches!(answer, Err(Fault::Gone { .. }));
        if !is_lost && link.is_clean() {
            self.lock().push(link);
        }
    }

    fn idle_link(&self) -> Option<Arc<Link>> {
        let mut idle = self.lock();
        idle.retain(|link| link.is_clean());
        idle.pop()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Link>>> {
        // A list of whole links is whole even if a holder of the lock panicked.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
