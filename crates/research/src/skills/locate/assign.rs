//! Which sub-question each sentence serves best, and which few sentences each of them gets.

use std::collections::{BTreeMap, BTreeSet};

use fathom_evidence::Span;
use fathom_evidence::validate::agreement::agreements;
use fathom_evidence::validate::consistency::Statement;

use super::conflict::{CONTRADICTIONS_MOST, Dispute, contradiction};
use super::copies::is_copied;
use super::evidence_search::{EvidencePiece, EvidenceSearch};
use super::sentence::QuotableSentence;
use crate::analysis::{Contradiction, Evidence};
use crate::words;

/// Evidence that a sub-question gets for itself.
const EVIDENCE_MOST: usize = 6;

/// Of those, from one source.
const FROM_ONE_SOURCE: usize = 2;

/// By so much a sentence must serve another sub-question better to be left to it.
const MUCH_BETTER: f64 = 0.2;

/// A sub-question with fewer sentences of its own shares those of others.
const OWN_LEAST: usize = 2;

/// Further sentences of other sources that agree with one that was chosen.
const AGREEING_MOST: usize = 4;

/// What a sentence that only agrees counts of the confidence in the one it agrees with.
const AGREEING_SHARE: f64 = 0.95;

/// A sentence that explains a conflict has so many terms of both its sides.
const EXPLAINS_SHARED: usize = 2;

/// A sentence chosen for a sub-question.
#[derive(Clone, Copy)]
struct Chosen {
    focus: usize,
    said: usize,
    rank: f64,
    confidence: f64,
    relaxed: bool,
}

/// Deals the accepted sentences out, adds those that agree with them or stand against them, and gives
/// the evidence and the contradictions.
pub(super) fn assign(search: &EvidenceSearch<'_>) -> (Vec<Evidence>, Vec<Contradiction>) {
    let mut chosen = dealt(search);
    add_agreeing(search, &mut chosen);
    let contradictions = add_opposed(search, &mut chosen);
    chosen.sort_by(|a, b| {
        let rank = b.rank.total_cmp(&a.rank);
        a.focus.cmp(&b.focus).then(rank).then(a.said.cmp(&b.said))
    });
    let evidence = chosen.iter().filter_map(|one| evidence(search, one));
    (evidence.collect(), contradictions)
}

/// The sub-questions choose in turns, each the best that is left for it. A sentence that serves another
/// much better is left to that one.
fn dealt(search: &EvidenceSearch<'_>) -> Vec<Chosen> {
    let mut best: BTreeMap<usize, f64> = BTreeMap::new();
    for piece in &search.pieces {
        let so_far = best.entry(piece.said).or_insert(piece.rank);
        *so_far = so_far.max(piece.rank);
    }
    let mut order: Vec<&EvidencePiece> = search.pieces.iter().collect();
    order.sort_by(|a, b| b.rank.total_cmp(&a.rank).then(a.said.cmp(&b.said)));
    let mut hands = Hands::default();
    for _ in 0..EVIDENCE_MOST {
        for focus in 0..search.focuses.len() {
            let fits = |piece: &&&EvidencePiece| {
                let best = best.get(&piece.said).copied().unwrap_or(piece.rank);
                piece.focus == focus
                    && piece.rank + MUCH_BETTER >= best
                    && hands.may_have(search, piece)
                    && !hands.is_taken(search, piece)
            };
            if let Some(piece) = order.iter().find(fits) {
                hands.give(search, piece);
            }
        }
    }
    // What is left for a sub-question that got little may be said twice.
    for piece in order {
        let own = hands.chosen.iter().filter(|one| one.focus == piece.focus);
        if own.count() < OWN_LEAST && hands.may_have(search, piece) {
            hands.give(search, piece);
        }
    }
    hands.chosen
}

#[derive(Default)]
struct Hands {
    chosen: Vec<Chosen>,
    taken: BTreeMap<usize, Vec<Span>>,
}

impl Hands {
    /// Whether these words, or a part of them, were given away, be it in the mouth of another.
    fn is_taken(&self, search: &EvidenceSearch<'_>, piece: &EvidencePiece) -> bool {
        let Some(said) = search.gathered.said.get(piece.said) else {
            return true;
        };
        let given = |one: &Chosen| search.gathered.said.get(one.said).map(|said| &said.lower);
        let told = |one: &Chosen| given(one) == Some(&said.lower);
        if self.chosen.iter().any(told) {
            return true;
        }
        let spans = self.taken.get(&said.reading).map_or(&[][..], Vec::as_slice);
        spans.iter().any(|span| span.overlaps(said.span))
    }

    /// Whether a sub-question does not have this sentence, nor too many of its source.
    fn may_have(&self, search: &EvidenceSearch<'_>, piece: &EvidencePiece) -> bool {
        let reading = |said: usize| search.gathered.said.get(said).map(|said| said.reading);
        let own = self.chosen.iter().filter(|one| one.focus == piece.focus);
        let mut same = 0;
        for one in own {
            same += usize::from(reading(one.said) == reading(piece.said));
            if one.said == piece.said {
                return false;
            }
        }
        same < FROM_ONE_SOURCE
    }

    fn give(&mut self, search: &EvidenceSearch<'_>, piece: &EvidencePiece) {
        let Some(said) = search.gathered.said.get(piece.said) else {
            return;
        };
        self.taken.entry(said.reading).or_default().push(said.span);
        self.chosen.push(Chosen {
            focus: piece.focus,
            said: piece.said,
            rank: piece.rank,
            confidence: piece.validated.candidate.verdict.confidence,
            relaxed: piece.validated.relaxed,
        });
    }
}

/// Adds sentences of other sources that say the same as one that was chosen.
fn add_agreeing(search: &EvidenceSearch<'_>, chosen: &mut Vec<Chosen>) {
    let said = &search.gathered.said;
    let statements: Vec<Statement<'_>> = said
        .iter()
        .map(|one| Statement {
            source: "",
            start: one.span.start,
            text: one.quote,
        })
        .collect();
    let mut partners: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let held: BTreeSet<usize> = chosen.iter().map(|one| one.said).collect();
    for (left, right) in agreements(&statements, search.language) {
        let quote = |at: usize| said.get(at).map_or("", |one| one.quote);
        let wanted = held.contains(&left) || held.contains(&right);
        if !wanted || is_copied(quote(left), quote(right)) {
            continue;
        }
        partners.entry(left).or_default().push(right);
        partners.entry(right).or_default().push(left);
    }
    let mut used: BTreeSet<usize> = chosen.iter().map(|one| one.said).collect();
    for one in chosen.clone() {
        let Some(own) = said.get(one.said) else {
            continue;
        };
        let mut sources = BTreeSet::from([own.reading]);
        for partner in partners.get(&one.said).into_iter().flatten() {
            let fresh = said.get(*partner).is_some_and(|other| {
                !other.hangs && !used.contains(partner) && sources.insert(other.reading)
            });
            if fresh && sources.len() <= AGREEING_MOST + 1 {
                used.insert(*partner);
                chosen.push(Chosen {
                    said: *partner,
                    rank: one.rank * AGREEING_SHARE,
                    confidence: one.confidence * AGREEING_SHARE,
                    ..one
                });
            }
        }
    }
}

/// Adds the other side of each conflict that a chosen sentence is in.
fn add_opposed(search: &EvidenceSearch<'_>, chosen: &mut Vec<Chosen>) -> Vec<Contradiction> {
    let mut shown = Vec::new();
    for dispute in &search.disputes {
        let find = |said: usize| chosen.iter().find(|one| one.said == said).copied();
        let (left, right) = (find(dispute.left), find(dispute.right));
        let missing = match (left, right) {
            (Some(_), Some(_)) => None,
            (Some(one), None) => Some((one, dispute.right)),
            (None, Some(one)) => Some((one, dispute.left)),
            (None, None) => continue,
        };
        let Some(found) = contradiction(dispute, &search.gathered.said, &search.readings) else {
            continue;
        };
        if shown.len() >= CONTRADICTIONS_MOST {
            break;
        }
        shown.push(found);
        let near = |one: Chosen, said: usize| Chosen {
            said,
            rank: one.rank * AGREEING_SHARE,
            confidence: one.confidence * AGREEING_SHARE,
            ..one
        };
        chosen.extend(missing.map(|(one, said)| near(one, said)));
        let known: BTreeSet<usize> = chosen.iter().map(|one| one.said).collect();
        if let Some(one) = left.or(right) {
            let why = explanation(search, dispute).filter(|said| !known.contains(said));
            chosen.extend(why.map(|said| near(one, said)));
        }
    }
    shown
}

/// A sentence of either source that tells why the two differ: it has words of explaining, and the most of
/// what both sides are about.
fn explanation(search: &EvidenceSearch<'_>, dispute: &Dispute) -> Option<usize> {
    let said = &search.gathered.said;
    let (left, right) = (said.get(dispute.left)?, said.get(dispute.right)?);
    let shared: BTreeSet<&usize> = left.terms.intersection(&right.terms).collect();
    let value = |one: &QuotableSentence<'_>| {
        let explains = words::all("explains").any(|word| words::holds(&one.lower, word));
        let of_either = one.reading == left.reading || one.reading == right.reading;
        let other = one.span != left.span && one.span != right.span;
        let held = one
            .terms
            .iter()
            .filter(|term| shared.contains(term))
            .count();
        (explains && of_either && other && held >= EXPLAINS_SHARED).then_some(held)
    };
    let rated = said
        .iter()
        .enumerate()
        .filter_map(|(at, one)| Some((value(one)?, at)));
    rated
        .max_by_key(|(held, at)| (*held, std::cmp::Reverse(*at)))
        .map(|(_, at)| at)
}

fn evidence(search: &EvidenceSearch<'_>, chosen: &Chosen) -> Option<Evidence> {
    let said = search.gathered.said.get(chosen.said)?;
    let reading = search.readings.get(said.reading)?;
    let passage = reading.passages.get(said.passage)?;
    Some(Evidence {
        answers: search.focuses.get(chosen.focus)?.id,
        source: reading.source,
        span: said.span,
        quote: said.quote.to_owned(),
        sections: passage.sections.clone(),
        page: passage.page,
        confidence: chosen.confidence,
        relaxed: chosen.relaxed,
    })
}
