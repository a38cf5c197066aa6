//! What the last review said.

use serde::Serialize;

use crate::critique::{Category, Critique, Scores, Severity, Verdict};

#[derive(Serialize)]
pub(super) struct Review<'r> {
    /// The draft it is about, from 1.
    draft: u32,
    /// 0 to 10, weighed by code.
    score: f64,
    scores: Scores,
    verdict: Verdict,
    /// 0 to 1: what another revision may have brought.
    potential: f64,
    summary: &'r str,
    items: Vec<Item<'r>>,
}

#[derive(Serialize)]
struct Item<'r> {
    category: Category,
    severity: Severity,
    /// As in a claim; `whole` for the report as a whole.
    place: &'static str,
    section: Option<usize>,
    description: &'r str,
    fix: Option<&'r str>,
    /// Code found it, so it is no matter of opinion.
    proven: bool,
}

impl<'r> Review<'r> {
    pub(super) fn of(critique: &'r Critique) -> Self {
        let items = critique.items.iter().map(|item| {
            let (place, section) = super::place(&item.place);
            Item {
                category: item.category,
                severity: item.severity,
                place,
                section,
                description: &item.description,
                fix: item.fix.as_deref(),
                proven: item.proven,
            }
        });
        Self {
            draft: critique.version,
            score: critique.score,
            scores: critique.scores,
            verdict: critique.verdict,
            potential: critique.potential,
            summary: &critique.summary,
            items: items.collect(),
        }
    }
}
