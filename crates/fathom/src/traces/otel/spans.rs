//! The spans of a run, from its events.

use std::collections::BTreeMap;
use std::time::SystemTime;

use fathom_research::skills::budget::{FETCHES, QUERIES, TOKENS, TOKENS_WRITTEN};
use fathom_workflow::event::{Event, EventKind};
use fathom_workflow::record::Meters;

/// A run with its steps.
#[derive(Debug)]
pub struct RunSpans {
    pub from: SystemTime,
    pub to: SystemTime,
    /// How it ended.
    pub status: String,
    /// Tokens that models read and wrote.
    pub read: u64,
    pub written: u64,
    pub steps: Vec<StepSpan>,
}

/// A step with its calls.
#[derive(Debug)]
pub struct StepSpan {
    pub node: String,
    pub from: SystemTime,
    pub to: SystemTime,
    pub calls: Vec<CallSpan>,
}

/// A call of somebody outside.
#[derive(Debug)]
pub struct CallSpan {
    pub kind: CallKind,
    pub from: SystemTime,
    pub to: SystemTime,
    pub retries: u32,
}

/// Who was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// A model, with the tokens that it read and wrote.
    Model { read: u64, written: u64 },
    /// A search or a page.
    Tool(&'static str),
}

impl CallKind {
    /// By what it spent; nothing where nobody outside was called.
    fn from_meters(meters: &Meters) -> Option<Self> {
        let meter = |name| meters.get(name).copied();
        if let Some(tokens) = meter(TOKENS) {
            let written = meter(TOKENS_WRITTEN).unwrap_or(0);
            let read = tokens.saturating_sub(written);
            return Some(Self::Model { read, written });
        }
        meter(QUERIES)
            .map(|_| Self::Tool("search"))
            .or_else(|| meter(FETCHES).map(|_| Self::Tool("read_page")))
    }
}

impl RunSpans {
    /// The spans of a run's events, in their order.
    pub fn from_events(events: &[Event]) -> Self {
        let at = |event: Option<&Event>| event.map_or(SystemTime::UNIX_EPOCH, |one| one.at.into());
        let mut spans = Self {
            from: at(events.first()),
            to: at(events.last()),
            status: String::new(),
            read: 0,
            written: 0,
            steps: Vec::new(),
        };
        // Calls under way: when they began, and how often they were tried again.
        let mut open: BTreeMap<(u64, &str), (SystemTime, u32)> = BTreeMap::new();
        for event in events {
            spans.take(event, &mut open);
        }
        spans
    }

    fn take<'e>(
        &mut self,
        event: &'e Event,
        open: &mut BTreeMap<(u64, &'e str), (SystemTime, u32)>,
    ) {
        let at: SystemTime = event.at.into();
        if let Some(step) = self.steps.last_mut() {
            step.to = at;
        }
        match &event.kind {
            EventKind::StepStarted { node, .. } => self.steps.push(StepSpan {
                node: node.to_string(),
                from: at,
                to: at,
                calls: Vec::new(),
            }),
            EventKind::EffectStarted { step, key } => {
                open.insert((*step, key), (at, 0));
            }
            EventKind::EffectRetried { step, key, .. } => {
                if let Some((_, retries)) = open.get_mut(&(*step, key.as_str())) {
                    *retries += 1;
                }
            }
            EventKind::EffectFinished {
                step, key, meters, ..
            } => {
                let begun = open.remove(&(*step, key.as_str()));
                let kind = CallKind::from_meters(meters);
                let (Some((from, retries)), Some(kind)) = (begun, kind) else {
                    return;
                };
                if let CallKind::Model { read, written } = kind {
                    self.read += read;
                    self.written += written;
                }
                let call = CallSpan {
                    kind,
                    from,
                    to: at,
                    retries,
                };
                if let Some(step) = self.steps.last_mut() {
                    step.calls.push(call);
                }
            }
            EventKind::RunFinished { status, .. } => self.status = status.to_string(),
            _ => {}
        }
    }
}
