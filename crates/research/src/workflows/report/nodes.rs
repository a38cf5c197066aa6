//! The nodes of the report workflow, one verb a file. Each reads the state and gives an update.

pub(crate) mod analyse;
pub(crate) mod check;
pub(crate) mod fallback;
pub(crate) mod gates;
pub(crate) mod output;
pub(crate) mod plan;
pub(crate) mod review;
pub(crate) mod search;
pub(crate) mod write;

use fathom_evidence::{Language, question};
use fathom_render::report::EXTRACTIVE;
use jiff::Timestamp;

use crate::calls::RecordedFailure;
use crate::degradation::{Degradation, JudgedPart};
use crate::reasoner::{self, Ctx, Judged};
use crate::skills::effort::Effort;
use crate::workflows::report::state::{ErrorEntry, ReportState, ReportUpdate, StateChange};

/// Puts an update together, with what went wrong on the way.
pub(crate) struct Notes {
    ctx: Ctx,
    node: &'static str,
    at: Timestamp,
    errors: Vec<ErrorEntry>,
    degraded: Vec<Degradation>,
    reasoners: Vec<String>,
}

impl Notes {
    pub(crate) fn new(ctx: &Ctx) -> Self {
        Self {
            ctx: ctx.clone(),
            node: ctx.node(),
            at: ctx.now(),
            errors: Vec::new(),
            degraded: Vec::new(),
            reasoners: Vec::new(),
        }
    }

    /// Takes a judgement in, and notes it if the first choice could not make it.
    pub(crate) fn take<T>(&mut self, judged: Judged<T>, part: JudgedPart) -> T {
        if !judged.failures.is_empty() {
            let reasoner = judged.by.clone();
            self.degraded(Degradation::MadeBy { part, reasoner });
            self.failures(judged.failures);
        }
        self.reasoners.push(judged.by);
        judged.value
    }

    /// Notes who judged something.
    pub(crate) fn reasoner(&mut self, name: &str) {
        if !self.reasoners.iter().any(|known| known == name) {
            self.reasoners.push(name.to_owned());
        }
    }

    pub(crate) fn failures(&mut self, failures: Vec<RecordedFailure>) {
        let entries = failures.into_iter().map(|failure| ErrorEntry {
            node: self.node.to_owned(),
            at: self.at,
            category: failure.category,
            severity: failure.severity,
            attempts: failure.attempts,
            message: failure.message,
        });
        self.errors.extend(entries);
    }

    pub(crate) fn degraded(&mut self, degradation: Degradation) {
        self.degraded.push(degradation);
    }

    /// Notes that a model was asked for less than all, or for nothing, because it is too slow for it.
    pub(crate) fn less_by_model(&mut self, effort: Effort, part: JudgedPart) {
        match effort {
            Effort::Full => {}
            Effort::Lean => self.degraded(Degradation::SlowModel),
            Effort::Nothing => self.degraded(Degradation::MadeBy {
                part,
                reasoner: EXTRACTIVE.to_owned(),
            }),
        }
    }

    pub(crate) fn update(mut self, change: StateChange) -> ReportUpdate {
        self.failures(reasoner::overcome(&self.ctx));
        ReportUpdate {
            before: None,
            change,
            step: None,
            errors: self.errors,
            degraded: self.degraded,
            reasoners: self.reasoners,
        }
    }
}

/// The language a report is written in: that of its question.
pub(crate) fn language(state: &ReportState) -> Language {
    question::language(state.question.text())
}
