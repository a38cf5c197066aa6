//! Which sub-question each sentence serves best, and which few sentences each of them gets.

use std::collections::{BTreeMap, BTreeSet};

use fathom_evidence::Span;
use fathom_evidence::validate::agreement::agreements;
use fathom_evidence::validate::consistency::Statement;

use super::conflict::{CONTRADICTIONS_MOST, contradiction};
use super::hunt::{Hunt, Piece};
use crate::analysis::{Contradiction, Evidence};

/// Evidence that a sub-question gets for itself.
const EVIDENCE_MOST: usize = 8;

/// Of those, from one source.
const FROM_ONE_SOURCE: usize = 2;

/// A sub-question with fewer sentences of its own shares those of others.
const OWN_LEAST: usize = 2;

/// Further sentences of other sources that agree with one that was chosen.
const AGREEING_MOST: usize = 4;

/// What a sentence that only agrees counts of the confidence in the one it agrees with.
const AGREEING_SHARE: f64 = 0.95;

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
pub(super) fn share_out(hunt: &Hunt<'_>) -> (Vec<Evidence>, Vec<Contradiction>) {
    let mut chosen = dealt(hunt);
    add_agreeing(hunt, &mut chosen);
    let contradictions = add_opposed(hunt, &mut chosen);
    chosen.sort_by(|a, b| {
        let rank = b.rank.total_cmp(&a.rank);
        a.focus.cmp(&b.focus).then(rank).then(a.said.cmp(&b.said))
    });
    let evidence = chosen.iter().filter_map(|one| evidence(hunt, one));
    (evidence.collect(), contradictions)
}

/// Each sentence goes to the sub-question that it serves best.
fn dealt(hunt: &Hunt<'_>) -> Vec<Chosen> {
    let mut order: Vec<&Piece> = hunt.pieces.iter().collect();
    order.sort_by(|a, b| {
        let rank = b.rank.total_cmp(&a.rank);
        rank.then(a.focus.cmp(&b.focus)).then(a.said.cmp(&b.said))
    });
    let mut hands = Hands::default();
    for piece in &order {
        if !hands.is_taken(hunt, piece) {
            hands.give(hunt, piece, EVIDENCE_MOST);
        }
    }
    // What is left for a sub-question that got little may be said twice.
    for piece in order {
        hands.give(hunt, piece, OWN_LEAST);
    }
    hands.chosen
}

#[derive(Default)]
struct Hands {
    chosen: Vec<Chosen>,
    taken: BTreeMap<usize, Vec<Span>>,
}

impl Hands {
    /// Whether these words, or a part of them, were given away.
    fn is_taken(&self, hunt: &Hunt<'_>, piece: &Piece) -> bool {
        let Some(said) = hunt.gathered.said.get(piece.said) else {
            return true;
        };
        let spans = self.taken.get(&said.reading).map_or(&[][..], Vec::as_slice);
        spans.iter().any(|span| span.overlaps(said.span))
    }

    fn give(&mut self, hunt: &Hunt<'_>, piece: &Piece, most: usize) {
        let Some(said) = hunt.gathered.said.get(piece.said) else {
            return;
        };
        let reading = |one: &Chosen| hunt.gathered.said.get(one.said).map(|said| said.reading);
        let own: Vec<&Chosen> = self
            .chosen
            .iter()
            .filter(|one| one.focus == piece.focus)
            .collect();
        let same = own
            .iter()
            .filter(|one| reading(one) == Some(said.reading))
            .count();
        let again = own.iter().any(|one| one.said == piece.said);
        if own.len() >= most || same >= FROM_ONE_SOURCE || again {
            return;
        }
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
fn add_agreeing(hunt: &Hunt<'_>, chosen: &mut Vec<Chosen>) {
    let said = &hunt.gathered.said;
    let statements: Vec<Statement<'_>> = said
        .iter()
        .map(|one| Statement {
            source: "",
            start: one.span.start,
            text: one.quote,
        })
        .collect();
    let mut partners: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (left, right) in agreements(&statements, hunt.language) {
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
fn add_opposed(hunt: &Hunt<'_>, chosen: &mut Vec<Chosen>) -> Vec<Contradiction> {
    let mut shown = Vec::new();
    for dispute in hunt.disputes() {
        let find = |said: usize| chosen.iter().find(|one| one.said == said).copied();
        let (left, right) = (find(dispute.left), find(dispute.right));
        let missing = match (left, right) {
            (Some(_), Some(_)) => None,
            (Some(one), None) => Some((one, dispute.right)),
            (None, Some(one)) => Some((one, dispute.left)),
            (None, None) => continue,
        };
        let Some(found) = contradiction(&dispute, &hunt.gathered.said, &hunt.readings) else {
            continue;
        };
        if shown.len() >= CONTRADICTIONS_MOST {
            break;
        }
        shown.push(found);
        chosen.extend(missing.map(|(one, said)| Chosen {
            said,
            rank: one.rank * AGREEING_SHARE,
            confidence: one.confidence * AGREEING_SHARE,
            ..one
        }));
    }
    shown
}

fn evidence(hunt: &Hunt<'_>, chosen: &Chosen) -> Option<Evidence> {
    let said = hunt.gathered.said.get(chosen.said)?;
    let reading = hunt.readings.get(said.reading)?;
    let passage = reading.passages.get(said.passage)?;
    Some(Evidence {
        answers: hunt.focuses.get(chosen.focus)?.id,
        source: reading.source,
        span: said.span,
        quote: said.quote.to_owned(),
        sections: passage.sections.clone(),
        page: passage.page,
        confidence: chosen.confidence,
        relaxed: chosen.relaxed,
    })
}
