//! What is done about claims that did not hold: another source, a mark, or away with them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use fathom_evidence::citation::{self, CitationReason, CitedSources, ClaimVerdict, Support};
use fathom_evidence::claim::{Claim, Stated};

use super::Fact;
use super::opinions::Opinions;
use crate::citations::{ClaimChange, Done, Judgement};
use crate::draft::DraftPlace;

/// Stands behind a sentence that could not be checked by its words alone.
pub(crate) const MARK: &str = " *(not confirmed)*";

/// Stands behind words whose evidence was accepted under relaxed rules only.
const RELAXED: &str = " *(weak match)*";

/// A text as it was before it was marked.
pub(crate) fn without_marks(text: &str) -> String {
    text.replace(MARK, "").replace(RELAXED, "")
}

/// Other sources that are tried for a claim, best known first.
const OTHERS_MOST: usize = 40;

/// The text with each claim that failed repaired, and what was done noted down.
pub(super) fn repaired(
    text: &str,
    place: &DraftPlace,
    found: &[(Claim, ClaimVerdict)],
    sources: &CitedSources<'_>,
    changes: &mut Vec<ClaimChange>,
) -> String {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for (claim, checked) in found {
        let unknown = cites_unknown(claim, sources);
        let failed = claim.stated == Stated::Fact && !holds(&checked.support);
        if !unknown && !failed {
            continue;
        }
        let (done, replacement) = repair(text, claim, checked, None, sources);
        changes.push(ClaimChange {
            place: place.clone(),
            claim: claim.text.clone(),
            why: why(checked),
            done,
        });
        edits.push((whole(text, claim), replacement));
    }
    apply(text, edits)
}

/// The text with each claim repaired that a model has spoken against, and without the mark behind one that it has
/// spoken for. What code has proven to be wrong is gone by now, whatever a model says.
pub(super) fn judged(
    text: &str,
    facts: &[Fact],
    opinions: &Opinions,
    sources: &CitedSources<'_>,
    changes: &mut Vec<ClaimChange>,
) -> String {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for fact in facts {
        let Some(held) = opinions.on(&fact.record) else {
            continue;
        };
        let Some((done, range, replacement)) = follows(text, fact, &held.judgement, sources) else {
            continue;
        };
        changes.push(ClaimChange {
            place: fact.place.clone(),
            claim: fact.claim.text.clone(),
            why: format!("a model judged it against its passages: {}", held.why),
            done,
        });
        edits.push((range, replacement));
    }
    if edits.is_empty() {
        text.to_owned()
    } else {
        apply(text, edits)
    }
}

/// The text with a mark behind what rests on nothing but evidence that relaxed rules accepted. Sentences that share their
/// citation share the mark.
pub(super) fn mark_relaxed(text: &str, facts: &[Fact]) -> String {
    let mut ends: BTreeMap<usize, bool> = BTreeMap::new();
    for fact in facts {
        let end = whole(text, &fact.claim).end;
        let is_marked = text.get(end..).is_some_and(|rest| rest.starts_with(MARK));
        let end = if is_marked { end + MARK.len() } else { end };
        *ends.entry(end).or_insert(true) &= fact.record.is_relaxed();
    }
    ends.retain(|_, is_relaxed| *is_relaxed);
    if ends.is_empty() {
        return text.to_owned();
    }
    let edits = ends.into_keys().map(|end| (end..end, RELAXED.to_owned()));
    apply(text, edits.collect())
}

/// What follows from a judgement: what is done, where, and the words that stand there then.
fn follows(
    text: &str,
    fact: &Fact,
    judgement: &Judgement,
    sources: &CitedSources<'_>,
) -> Option<(Done, Range<usize>, String)> {
    let range = whole(text, &fact.claim);
    let marked = text.get(range.end..)?.starts_with(MARK);
    let mark = range.end..range.end + if marked { MARK.len() } else { 0 };
    match (judgement, marked) {
        (Judgement::Supported, true) => Some((Done::Confirmed, mark, String::new())),
        (Judgement::Contradicted, _) | (Judgement::NotSupported, false) => {
            let (done, repaired) =
                repair(text, &fact.claim, &fact.checked, Some(judgement), sources);
            Some((done, range.start..mark.end, repaired))
        }
        (Judgement::Supported, false)
        | (Judgement::NotSupported, true)
        | (Judgement::CouldNotCheck { .. }, _) => None,
    }
}

fn holds(support: &Support) -> bool {
    matches!(support, Support::Supported { .. })
}

fn cites_unknown(claim: &Claim, sources: &CitedSources<'_>) -> bool {
    claim
        .citations
        .iter()
        .any(|cited| !sources.contains_key(&cited.id))
}

/// The words that take a failed claim's place, and what that is called. Where a model speaks against it, the sources
/// that it cites no longer count.
fn repair(
    text: &str,
    claim: &Claim,
    checked: &ClaimVerdict,
    against: Option<&Judgement>,
    sources: &CitedSources<'_>,
) -> (Done, String) {
    let words = &words_of(text, claim);
    let cited: BTreeSet<u32> = claim.citations.iter().map(|cited| cited.id).collect();
    let known: Vec<u32> = cited
        .iter()
        .copied()
        .filter(|id| sources.contains_key(id))
        .collect();
    if claim.stated != Stated::Fact {
        return (Done::Recited, with_citations(words, &known));
    }
    let bearing = |id: &u32| {
        let alone = Claim::alone(&claim.text, &[*id]);
        holds(&citation::check(&alone, sources).support)
    };
    let cleared = known.iter().filter(|_| against.is_none());
    let good: Vec<u32> = cleared.copied().filter(bearing).collect();
    if !good.is_empty() {
        return (Done::Recited, with_citations(words, &good));
    }
    let others = sources
        .keys()
        .filter(|id| !cited.contains(id))
        .take(OTHERS_MOST);
    if let Some(other) = others.copied().find(|id| bearing(id)) {
        return (Done::Recited, with_citations(words, &[other]));
    }
    let denied = against.is_some_and(|judgement| *judgement == Judgement::Contradicted);
    if denied || must_go(claim, checked) {
        (Done::Removed, String::new())
    } else {
        (
            Done::Marked,
            format!("{}{MARK}", with_citations(words, &known)),
        )
    }
}

/// Whether a claim says what its sources are proven to deny or not to have, so that a mark would not do. A figure that
/// nobody is cited for, and that no source bears out, is one that nobody gave.
fn must_go(claim: &Claim, checked: &ClaimVerdict) -> bool {
    let figure = || claim.text.contains(|c: char| c.is_ascii_digit());
    match checked.support {
        Support::Contradicted { .. } => true,
        Support::NotSupported => figure() || !checked.reasons.contains(&CitationReason::NoCitation),
        Support::Supported { .. } | Support::NotChecked { .. } => false,
    }
}

/// The claim's words as they are written, without its citations.
fn words_of(text: &str, claim: &Claim) -> String {
    let mut words = String::new();
    let mut from = claim.span.start;
    let inside = claim.citations.iter().map(|cited| cited.span);
    for span in inside.filter(|span| claim.span.holds(*span)) {
        if span.start >= from {
            words.push_str(text.get(from..span.start).unwrap_or_default().trim_end());
            from = span.end;
        }
    }
    words.push_str(text.get(from..claim.span.end).unwrap_or_default());
    words.trim_end().to_owned()
}

fn with_citations(words: &str, ids: &[u32]) -> String {
    let ids: String = ids.iter().map(|id| format!(" [{id}]")).collect();
    let stop = words.len() - words.trim_end_matches(['.', '!', '?']).len();
    let (body, end) = words.split_at(words.len() - stop);
    format!("{body}{ids}{end}")
}

/// The claim with the citations behind it.
fn whole(text: &str, claim: &Claim) -> Range<usize> {
    let ends = claim.citations.iter().map(|cited| cited.span);
    let ends = ends.filter(|span| span.start >= claim.span.start && span.start <= text.len());
    let end = ends.map(|span| span.end).fold(claim.span.end, usize::max);
    // A full stop may follow the last citation.
    let stops = text.get(end..).map_or(0, |rest| {
        rest.len() - rest.trim_start_matches(['.', '!', '?']).len()
    });
    claim.span.start..end + stops
}

/// Makes the edits, from the last to the first. One that overlaps its neighbour is left for the next look.
fn apply(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut text = text.to_owned();
    let mut from = usize::MAX;
    for (range, replacement) in edits {
        if range.end > from || text.get(range.clone()).is_none() {
            continue;
        }
        from = range.start;
        text.replace_range(range, &replacement);
    }
    tidy(&text)
}

/// Leaves no trace of a sentence that went: no double blank, no empty list item.
fn tidy(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let body: Vec<&str> = line.split_whitespace().collect();
        let empty_item = matches!(body.as_slice(), ["-" | "*" | ">"]);
        let blank_again =
            body.is_empty() && lines.last().is_some_and(|last| last.trim().is_empty());
        if !empty_item && !blank_again {
            lines.push(format!(
                "{}{}",
                line.get(..indent).unwrap_or_default(),
                body.join(" ")
            ));
        }
    }
    lines.join("\n").trim().to_owned()
}

fn why(checked: &ClaimVerdict) -> String {
    let reasons: Vec<String> = checked
        .reasons
        .iter()
        .map(CitationReason::explain)
        .collect();
    if reasons.is_empty() {
        "its sources do not bear it out".to_owned()
    } else {
        reasons.join("; ")
    }
}

#[cfg(test)]
mod tests {
    use fathom_evidence::Language;
    use fathom_evidence::citation::{SourceText, check_text};

    use super::*;

    fn repaired_text(text: &str) -> (String, Vec<Done>) {
        let one = "Street trees cooled the afternoon air by 1.9 °C. The trial ran for two summers in Halvern.";
        let two = "Young trees need 120 litres of water a week in their first summer.";
        let sources: CitedSources<'_> = [(1, one), (2, two)]
            .map(|(id, text)| (id, SourceText::new(text, Language::ENGLISH)))
            .into();
        let found = check_text(text, Language::ENGLISH, &sources);
        let mut changes = Vec::new();
        let repaired = repaired(text, &DraftPlace::Summary, &found, &sources, &mut changes);
        (
            repaired,
            changes.into_iter().map(|change| change.done).collect(),
        )
    }

    #[test]
    fn what_holds_is_left_as_it_is() {
        let text = "Street trees cooled the afternoon air by 1.9 °C [1].\n\n- The trial ran for two summers in Halvern [1].";
        assert_eq!(repaired_text(text), (text.to_owned(), vec![]));
    }

    #[test]
    fn a_claim_that_cites_the_wrong_source_gets_the_right_one() {
        let (text, done) = repaired_text("Street trees cooled the afternoon air by 1.9 °C [2].");
        assert_eq!(text, "Street trees cooled the afternoon air by 1.9 °C [1].");
        assert_eq!(done, [Done::Recited]);
    }

    #[test]
    fn a_fabricated_source_never_stays() {
        let (text, done) = repaired_text(
            "Street trees cooled the afternoon air by 1.9 °C [1][9]. Trees cure gout in nine of ten dogs [7].",
        );
        assert_eq!(text, "Street trees cooled the afternoon air by 1.9 °C [1].");
        assert_eq!(done, [Done::Recited, Done::Removed]);
    }

    #[test]
    fn a_changed_number_goes_and_leaves_no_trace() {
        let (text, done) = repaired_text(
            "Lead in.\n\n- Street trees cooled the afternoon air by 3.9 °C [1].\n- Young trees need 120 litres of water a week in their first summer [2].",
        );
        assert_eq!(
            text,
            "Lead in.\n\n- Young trees need 120 litres of water a week in their first summer [2]."
        );
        assert_eq!(done, [Done::Removed]);
    }

    #[test]
    fn a_fact_without_a_citation_is_given_one_or_marked() {
        let (text, done) = repaired_text(
            "The trial ran for two summers in Halvern. Councils in the north prefer awnings over planting.",
        );
        assert_eq!(
            text,
            "The trial ran for two summers in Halvern [1]. Councils in the north prefer awnings over planting. *(not confirmed)*"
        );
        assert_eq!(done, [Done::Recited, Done::Marked]);
    }
}
