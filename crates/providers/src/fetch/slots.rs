//! A host is asked so many things at once and no more.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::TargetHost;

/// Above this many, hosts that nobody waits for are forgotten.
const HOSTS_KEPT: usize = 1_024;

pub(super) struct HostSlots {
    at_once: usize,
    hosts: Mutex<HashMap<TargetHost, Arc<Semaphore>>>,
}

impl HostSlots {
    pub(super) fn new(at_once: usize) -> Self {
        Self {
            at_once,
            hosts: Mutex::default(),
        }
    }

    /// Waits for the host's turn; the turn ends when the permit is dropped.
    pub(super) async fn take(&self, host: &TargetHost) -> Option<OwnedSemaphorePermit> {
        let semaphore = self.semaphore(host);
        // Our semaphores are never closed, so there is always a permit.
        semaphore.acquire_owned().await.ok()
    }

    fn semaphore(&self, host: &TargetHost) -> Arc<Semaphore> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() > HOSTS_KEPT {
            hosts.retain(|_, semaphore| Arc::strong_count(semaphore) > 1);
        }
        let fresh = || Arc::new(Semaphore::new(self.at_once));
        Arc::clone(hosts.entry(host.clone()).or_insert_with(fresh))
    }
}
