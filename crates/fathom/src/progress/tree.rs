//! What is known of a run from its events: its steps, the calls of each, and what was spent.

use std::collections::BTreeMap;

use fathom_research::skills::budget::{COST_PICOS, TOKENS};
use fathom_workflow::event::{Event, EventKind, Level};
use jiff::Timestamp;

use crate::screen;

#[derive(Default)]
pub(super) struct ProgressTree {
    rows: Vec<StepRow>,
    meters: BTreeMap<String, u64>,
    began: Option<Timestamp>,
    note: Option<String>,
    /// What is being written, until its step has ended.
    draft: Option<String>,
}

/// One step.
pub(super) struct StepRow {
    step: u64,
    node: String,
    began: Timestamp,
    ended: Option<Timestamp>,
    cut: bool,
    /// Of each kind of call, how many were begun and how many are done.
    calls: BTreeMap<String, (u32, u32)>,
    retries: u32,
}

impl ProgressTree {
    pub(super) fn new(began: Option<Timestamp>) -> Self {
        Self {
            began,
            ..Self::default()
        }
    }

    pub(super) fn take(&mut self, event: &Event) {
        self.began.get_or_insert(event.at);
        match &event.kind {
            EventKind::StepStarted { step, node, .. } => self.begin(*step, node, event.at),
            EventKind::StepFinished { step, .. } => self.end(*step, event.at, false),
            EventKind::StepCut { step, .. } => self.end(*step, event.at, true),
            EventKind::EffectStarted { step, key } => {
                if let Some(row) = self.row_mut(*step) {
                    row.calls.entry(kind_of(key)).or_default().0 += 1;
                }
            }
            EventKind::EffectRetried { step, .. } => {
                if let Some(row) = self.row_mut(*step) {
                    row.retries += 1;
                }
            }
            EventKind::EffectProgressed { text, .. } => {
                let draft = self.draft.get_or_insert_default();
                if !draft.is_empty() {
                    draft.push(' ');
                }
                draft.push_str(text);
            }
            EventKind::EffectFinished {
                step, key, meters, ..
            } => {
                if let Some(row) = self.row_mut(*step) {
                    row.calls.entry(kind_of(key)).or_default().1 += 1;
                }
                for (meter, amount) in meters {
                    *self.meters.entry(meter.to_string()).or_default() += amount;
                }
            }
            EventKind::Spent { meter, amount } => {
                *self.meters.entry(meter.to_string()).or_default() += amount;
            }
            EventKind::Log {
                level: Level::Warn | Level::Error,
                message,
            } => self.note = Some(message.clone()),
            _ => {}
        }
    }

    fn begin(&mut self, step: u64, node: &str, at: Timestamp) {
        self.note = None;
        // A step that is begun again after a gate or a crash goes on in its row.
        if self.row(step).is_none() {
            self.rows.push(StepRow {
                step,
                node: node.to_owned(),
                began: at,
                ended: None,
                cut: false,
                calls: BTreeMap::new(),
                retries: 0,
            });
        }
    }

    fn end(&mut self, step: u64, at: Timestamp, cut: bool) {
        self.draft = None;
        if let Some(row) = self.row_mut(step) {
            row.ended = Some(at);
            row.cut = cut;
        }
    }

    pub(super) fn rows(&self) -> &[StepRow] {
        &self.rows
    }

    pub(super) fn row(&self, step: u64) -> Option<&StepRow> {
        self.rows.iter().rev().find(|row| row.step == step)
    }

    fn row_mut(&mut self, step: u64) -> Option<&mut StepRow> {
        self.rows.iter_mut().rev().find(|row| row.step == step)
    }

    pub(super) fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    pub(super) fn draft(&self) -> Option<&str> {
        self.draft.as_deref()
    }

    /// Time, tokens and money so far.
    pub(super) fn sums(&self, now: Timestamp) -> String {
        let mut sums = duration(self.began.unwrap_or(now), now);
        if let Some(tokens) = self.meters.get(TOKENS).filter(|tokens| **tokens > 0) {
            sums.push_str(&format!(", {} tokens", grouped(*tokens)));
        }
        if let Some(cost) = self.meters.get(COST_PICOS).filter(|cost| **cost > 0) {
            sums.push_str(&format!(", ${:.4}", *cost as f64 / 1e12));
        }
        sums
    }
}

impl StepRow {
    pub(super) fn name(&self) -> String {
        spaced(&self.node)
    }

    pub(super) fn is_done(&self) -> bool {
        self.ended.is_some()
    }

    pub(super) fn is_cut(&self) -> bool {
        self.cut
    }

    /// Its calls and its time.
    pub(super) fn told(&self, now: Timestamp) -> String {
        let mut parts: Vec<String> = Vec::new();
        let calls = self.calls.iter();
        for (kind, (begun, done)) in calls.filter(|(kind, _)| !is_bookkeeping(kind)) {
            parts.push(if self.is_done() || begun == done {
                screen::counted(u64::from(*done), kind)
            } else {
                format!("{done}/{}", screen::counted(u64::from(*begun), kind))
            });
        }
        if self.retries > 0 {
            parts.push(screen::counted(u64::from(self.retries), "retry"));
        }
        parts.push(duration(self.began, self.ended.unwrap_or(now)));
        parts.join(", ")
    }
}

pub(super) fn spaced(node: &str) -> String {
    node.replace('_', " ")
}

/// Records that a replay needs and no person waits for: measured paces, counts and times.
fn is_bookkeeping(kind: &str) -> bool {
    ["pace", "time", "mentions", "library", "stock", "lines"].contains(&kind)
}

/// What a key is of: "search/3" of "search".
fn kind_of(key: &str) -> String {
    let letters = key.chars().take_while(|c| c.is_alphabetic() || *c == '_');
    match letters.collect::<String>() {
        kind if kind.is_empty() => "call".to_owned(),
        kind => spaced(&kind),
    }
}

fn duration(from: Timestamp, to: Timestamp) -> String {
    let seconds = to.duration_since(from).as_secs_f64().max(0.0);
    match seconds {
        short if short < 60.0 => format!("{short:.1} s"),
        long => {
            let whole = long as u64;
            format!("{}:{:02} min", whole / 60, whole % 60)
        }
    }
}

/// A number with its thousands set apart.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(number: u64, second: i64, kind: EventKind) -> Event {
        let at = Timestamp::from_second(second).unwrap();
        Event { number, at, kind }
    }

    #[test]
    fn a_tree_counts_the_calls_of_each_step_and_what_they_cost() {
        let mut tree = ProgressTree::default();
        let started = EventKind::StepStarted {
            step: 1,
            node: "plan_review".into(),
            phase: "planning".into(),
        };
        tree.take(&event(1, 0, started));
        for key in ["search/0", "search/1", "read/a.md", "pace"] {
            let (step, key) = (1, key.to_owned());
            tree.take(&event(2, 1, EventKind::EffectStarted { step, key }));
        }
        for attempt in [1, 2] {
            let retried = EventKind::EffectRetried {
                step: 1,
                key: "search/0".into(),
                attempt,
                wait_ms: 9,
                reason: "busy".into(),
            };
            tree.take(&event(3, 1, retried));
        }
        let finished = EventKind::EffectFinished {
            step: 1,
            key: "search/0".into(),
            ms: 9,
            meters: [
                (TOKENS.into(), 1_234_567),
                (COST_PICOS.into(), 1_500_000_000),
            ]
            .into(),
        };
        tree.take(&event(3, 2, finished));
        let now = Timestamp::from_second(75).unwrap();
        let row = tree.row(1).unwrap();
        assert_eq!(row.name(), "plan review");
        assert_eq!(row.told(now), "0/1 read, 1/2 searches, 2 retries, 1:15 min");
        assert_eq!(tree.sums(now), "1:15 min, 1,234,567 tokens, $0.0015");
    }

    #[test]
    fn the_time_counts_from_when_the_person_began_to_wait() {
        let mut tree = ProgressTree::new(Some(Timestamp::from_second(0).unwrap()));
        let workflow = "report".into();
        tree.take(&event(1, 40, EventKind::RunStarted { workflow }));
        assert_eq!(tree.sums(Timestamp::from_second(75).unwrap()), "1:15 min");
    }
}
