//! Pieces of evidence that say the same, put together.

use std::collections::{BTreeMap, BTreeSet};

use fathom_evidence::Language;
use fathom_evidence::validate::agreement::agreements;
use fathom_evidence::validate::consistency::Statement;

use crate::analysis::{Contradiction, Evidence, Side};
use crate::skills::locate::is_copied;

/// Groups of places, each with its most central member first. Every place is in one group.
pub(super) fn groups(
    evidence: &[Evidence],
    contradictions: &[Contradiction],
    language: Language,
) -> Vec<Vec<usize>> {
    let statements: Vec<Statement<'_>> = evidence
        .iter()
        .map(|one| Statement {
            source: "",
            start: one.span.start,
            text: &one.quote,
        })
        .collect();
    let mut near: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (left, right) in agreements(&statements, language) {
        let (Some(one), Some(other)) = (evidence.get(left), evidence.get(right)) else {
            continue;
        };
        // Words that serve two sub-questions do not agree with themselves.
        let same = one.source == other.source && one.span.overlaps(other.span);
        // One who copies another bears nobody out.
        let copied = is_copied(&one.quote, &other.quote);
        if !same && !copied && !opposed(one, other, contradictions) {
            near.entry(left).or_default().insert(right);
            near.entry(right).or_default().insert(left);
        }
    }
    let sources = |at: usize| {
        let others = near.get(&at).into_iter().flatten();
        let others = others.filter_map(|other| Some(evidence.get(*other)?.source));
        others.collect::<BTreeSet<_>>().len()
    };
    let mut order: Vec<usize> = (0..evidence.len()).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(sources(*at)), *at));
    let mut taken = BTreeSet::new();
    let mut groups = Vec::new();
    for lead in order {
        if !taken.insert(lead) {
            continue;
        }
        let mut group = vec![lead];
        let others = near.get(&lead).into_iter().flatten().copied();
        group.extend(others.filter(|other| taken.insert(*other)));
        groups.push(group);
    }
    groups
}

fn opposed(one: &Evidence, other: &Evidence, contradictions: &[Contradiction]) -> bool {
    let is =
        |side: &Side, one: &Evidence| side.source == one.source && side.span.overlaps(one.span);
    contradictions.iter().any(|found| {
        (is(&found.left, one) && is(&found.right, other))
            || (is(&found.left, other) && is(&found.right, one))
    })
}
