//! What 200 pages at once hold in memory, through the door of pages with its cache.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use async_trait::async_trait;
use fathom_providers::SystemClock;
use fathom_providers::call::{CallContext, CallEvent, CallKind, CallSettings, Caller};
use fathom_providers::fetch::{AllowList, FetchLimits, FetchNetwork, Fetcher, NameResolver};
use fathom_providers::pages::{MemoryPageCache, PageDeps, PageSettings, Pages};
use futures::future::try_join_all;
use rand::rngs::StdRng;
use rand::{RngCore as _, SeedableRng as _};

use super::server::{Canned, Server};
use crate::figure::{Figure, peak_kib, resident_kib};

const PAGES: usize = 200;
const PAGE_BYTES: usize = 512 * 1024;
const TARGET_MB: f64 = 300.0;

/// Every name is this machine: each page comes from a host of its own, so that all are fetched at once.
struct Loopback;

#[async_trait]
impl NameResolver for Loopback {
    async fn resolve(&self, _name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(vec![Ipv4Addr::LOCALHOST.into()])
    }
}

pub(super) async fn measure() -> Result<()> {
    let mut bytes = vec![0; PAGE_BYTES];
    StdRng::seed_from_u64(22).fill_bytes(&mut bytes);
    let paths = (0..PAGES).map(|n| {
        // No two bodies are the same, or the cache would hold one for all.
        bytes[..8].copy_from_slice(&n.to_be_bytes());
        (format!("/{n}"), Canned::ok("text/plain", bytes.clone()))
    });
    let paths: HashMap<String, Canned> = paths.collect();
    let server = Server::start(paths, false).await?;
    let pages = door(server.port)?;
    let before = resident_kib();
    let urls: Vec<String> = (0..PAGES)
        .map(|n| format!("http://h{n}.example.com:{}/{n}", server.port))
        .collect();
    let sink = |event: CallEvent| drop(event);
    let terms = CallContext {
        kind: CallKind::Page,
        deadline: Duration::from_secs(600),
        sink: &sink,
    };
    let reads = try_join_all(urls.iter().map(|url| pages.read(url, &terms))).await?;
    ensure!(reads.iter().all(|read| read.bytes.len() == PAGE_BYTES));
    let megabytes = |kib: u64| kib as f64 * 1024.0 / 1e6;
    Figure::named("200 pages at once, all held")
        .with("page_bytes", PAGE_BYTES)
        .number("grown_mb", megabytes(peak_kib().saturating_sub(before)))
        .number("bodies_mb", (PAGES * PAGE_BYTES) as f64 / 1e6)
        .number("server_and_rest_mb", megabytes(before))
        .number("target_mb", TARGET_MB)
        .print();
    Ok(())
}

fn door(port: u16) -> Result<Pages> {
    let hosts: Vec<String> = (0..PAGES)
        .map(|n| format!("h{n}.example.com:{port}"))
        .collect();
    let network = FetchNetwork {
        resolver: Arc::new(Loopback),
        ..FetchNetwork::system()?
    };
    let clock = Arc::new(SystemClock::default());
    let rng = Box::new(StdRng::seed_from_u64(1));
    let deps = PageDeps {
        fetcher: Fetcher::new(
            network,
            AllowList::parse(&hosts.join(","))?,
            FetchLimits::default(),
        ),
        caller: Arc::new(Caller::new(CallSettings::default(), clock.clone(), rng)),
        clock,
        cache: Arc::new(MemoryPageCache::default()),
    };
    Ok(Pages::new(deps, PageSettings::default()))
}
