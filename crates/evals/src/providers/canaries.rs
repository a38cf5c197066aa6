//! T29 for the providers crate: secrets that can be recognised go in as keys and settings, servers repeat them wherever
//! they can, and nothing that a run would log, store or show holds one.
//!
//! A part is one door. It makes calls with the canary and hands back all that came out; log records are watched at the
//! same time.

mod calls;
mod logs;
mod models;
mod pages;
mod search;

use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Result, ensure};
use fathom_providers::CallFailure;
use fathom_providers::call::{
    CallEvent, CallSettings, CallSink, Caller, ChainExhausted, RateLimitSettings, RetrySettings,
};
use fathom_providers::{Clock, SystemClock};
use futures::future::BoxFuture;
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use serde::Serialize;

use crate::proofs::{Proof, Setting};

/// A door and its calls.
type CanaryPart = (
    &'static str,
    fn(Canary) -> BoxFuture<'static, Result<Trace>>,
);

const PARTS: &[CanaryPart] = &[
    ("calls", calls::make),
    ("models", models::make),
    ("search", search::make),
    ("pages", pages::make),
];

pub(super) fn proof() -> Proof {
    Proof {
        id: "T29",
        what: "canary secrets come out nowhere",
        run: |setting| Box::pin(run(setting)),
    }
}

/// A secret that no text holds by chance, in letters that no encoding changes.
#[derive(Clone)]
pub(super) struct Canary(String);

impl Canary {
    fn new(rng: &mut StdRng) -> Self {
        Self(format!("canary{:016x}", rng.random::<u64>()))
    }

    pub(super) fn secret(&self) -> &str {
        &self.0
    }

    /// Also when it was cut.
    fn is_in(&self, text: &str) -> bool {
        let start = self.0.get(..14).unwrap_or(&self.0);
        text.contains(start)
    }
}

/// All that a part's calls left behind.
#[derive(Default)]
pub(super) struct Trace {
    texts: Mutex<Vec<String>>,
}

impl Trace {
    /// As it is stored and as it is logged.
    pub(super) fn note<T: Serialize + Debug>(&self, thing: &T) -> Result<()> {
        self.text(serde_json::to_string(thing)?);
        self.text(format!("{thing:?} {thing:#?}"));
        Ok(())
    }

    /// As people see it, too.
    pub(super) fn failure(&self, failure: &CallFailure) -> Result<()> {
        self.text(failure.to_string());
        self.note(failure)
    }

    pub(super) fn exhausted(&self, exhausted: &ChainExhausted) -> Result<()> {
        self.text(exhausted.to_string());
        self.note(exhausted)
    }

    pub(super) fn text(&self, text: String) {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        texts.push(text);
    }

    fn into_texts(self) -> Vec<String> {
        self.texts
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallSink for Trace {
    fn attempt(&self, event: CallEvent) {
        let json = serde_json::to_string(&event).unwrap_or_default();
        self.text(json);
        self.text(format!("{event:?}"));
    }
}

/// A caller that waits for nothing.
fn caller(clock: &Arc<SystemClock>) -> Caller {
    let settings = CallSettings {
        retry: RetrySettings {
            backoff_base: Duration::ZERO,
            rate_base: Duration::ZERO,
            ..RetrySettings::default()
        },
        limit: RateLimitSettings {
            rate_least: 1e6,
            ..RateLimitSettings::default()
        },
        ..CallSettings::default()
    };
    let rng = Box::new(StdRng::seed_from_u64(29));
    Caller::new(settings, clock.clone(), rng)
}

/// A call may take a minute.
fn soon(clock: &SystemClock) -> Duration {
    clock.elapsed() + Duration::from_secs(60)
}

async fn run(setting: Setting) -> Result<String> {
    let rounds = setting.size.pick(2, 50);
    let mut rng = StdRng::seed_from_u64(setting.seed);
    let logs = logs::watch()?;
    let mut told = Vec::new();
    for (name, part) in PARTS {
        let mut texts = 0;
        for _ in 0..rounds {
            let canary = Canary::new(&mut rng);
            logs.look_for(canary.clone());
            let trace = part(canary.clone()).await?.into_texts();
            ensure!(!trace.is_empty(), "{name}: nothing came out at all");
            texts += trace.len();
            if let Some(text) = trace.iter().find(|text| canary.is_in(text)) {
                anyhow::bail!("{name}: the canary came out in {text}");
            }
        }
        told.push(format!("{name} {texts} texts"));
    }
    let hits = logs.hits();
    ensure!(
        hits.is_empty(),
        "the canary is in the log: {}",
        hits.join(" | ")
    );
    let records = logs.records();
    Ok(format!(
        "{rounds} canaries a door, 0 hits in {} and {records} log records",
        told.join(", ")
    ))
}
