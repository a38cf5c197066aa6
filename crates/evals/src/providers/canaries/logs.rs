//! Watches every record that this process logs, by `tracing` or by `log`, at every level, for canaries.

use std::fmt::{Debug, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use anyhow::{Context, Result};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::Canary;

/// One for the process, since loggers are set once.
static WATCH: OnceLock<Watch> = OnceLock::new();

#[derive(Default)]
pub(super) struct Watch {
    records: AtomicUsize,
    canaries: Mutex<Vec<Canary>>,
    hits: Mutex<Vec<String>>,
}

/// From now on, whatever is logged is looked at.
pub(super) fn watch() -> Result<&'static Watch> {
    if let Some(watch) = WATCH.get() {
        return Ok(watch);
    }
    let watch = WATCH.get_or_init(Watch::default);
    tracing::subscriber::set_global_default(Tracing).context("somebody else watches the log")?;
    log::set_logger(&Log).map_err(|_| anyhow::anyhow!("somebody else watches the log"))?;
    log::set_max_level(log::LevelFilter::Trace);
    Ok(watch)
}

impl Watch {
    pub(super) fn look_for(&self, canary: Canary) {
        let mut canaries = self.canaries.lock().unwrap_or_else(PoisonError::into_inner);
        canaries.push(canary);
    }

    pub(super) fn hits(&self) -> Vec<String> {
        let hits = self.hits.lock().unwrap_or_else(PoisonError::into_inner);
        hits.clone()
    }

    pub(super) fn records(&self) -> usize {
        self.records.load(Ordering::Relaxed)
    }

    /// Only records with a canary are kept.
    fn see(&self, record: String) {
        self.records.fetch_add(1, Ordering::Relaxed);
        let canaries = self.canaries.lock().unwrap_or_else(PoisonError::into_inner);
        if canaries.iter().any(|canary| canary.is_in(&record)) {
            let mut hits = self.hits.lock().unwrap_or_else(PoisonError::into_inner);
            hits.push(record);
        }
    }
}

fn see(record: String) {
    if let Some(watch) = WATCH.get() {
        watch.see(record);
    }
}

struct Log;

impl log::Log for Log {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        see(record.args().to_string());
    }

    fn flush(&self) {}
}

struct Tracing;

impl Subscriber for Tracing {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut words = LoggedWords::default();
        span.record(&mut words);
        see(words.0);
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        let mut words = LoggedWords::default();
        values.record(&mut words);
        see(words.0);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut words = LoggedWords::default();
        event.record(&mut words);
        see(words.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[derive(Default)]
struct LoggedWords(String);

impl Visit for LoggedWords {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Writing to a string does not fail.
        let _ = write!(self.0, "{field}={value:?} ");
    }
}
