//! The steps of the workflows, one verb a file. Each reads the state and gives an update.

pub(crate) mod analyse;
pub(crate) mod check;
pub(crate) mod fallback;
pub(crate) mod output;
pub(crate) mod people;
pub(crate) mod plan;
pub(crate) mod review;
pub(crate) mod search;
pub(crate) mod write;

pub(crate) use search::kinds;

use fathom_evidence::{Language, question};

use crate::calls::RecordedFailure;
use crate::degradation::{Degradation, JudgedPart};
use crate::reasoner::{Ctx, Judged};
use crate::state::{Change, ErrorEntry, State, Update};

/// Puts an update together, with what went wrong on the way.
pub(crate) struct Notes {
    errors: Vec<ErrorEntry>,
    degraded: Vec<Degradation>,
    reasoners: Vec<String>,
}

impl Notes {
    pub(crate) fn new() -> Self {
        Self {
            errors: Vec::new(),
            degraded: Vec::new(),
            reasoners: Vec::new(),
        }
    }

    /// Takes a judgement in, and notes it if the first choice could not make it.
    pub(crate) fn take<T>(&mut self, judged: Judged<T>, part: JudgedPart) -> T {
        if !judged.errors.is_empty() {
            let reasoner = judged.by.clone();
            self.degraded(Degradation::MadeBy { part, reasoner });
            self.errors.extend(judged.errors);
        }
        self.reasoners.push(judged.by);
        judged.value
    }

    pub(crate) fn error(&mut self, ctx: &Ctx, failure: RecordedFailure) {
        self.errors.push(failure.logged(ctx));
    }

    pub(crate) fn errors(&mut self, errors: &[ErrorEntry]) {
        self.errors.extend_from_slice(errors);
    }

    pub(crate) fn degraded(&mut self, degradation: Degradation) {
        self.degraded.push(degradation);
    }

    pub(crate) fn update(self, change: Change) -> Update {
        Update {
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
pub(crate) fn language(state: &State) -> Language {
    question::read(state.question.text()).language
}
