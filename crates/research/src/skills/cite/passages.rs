//! The passages that a sentence is held against: the places that code found for it with the words around them, and where
//! it could not tell, what else its sources have that is nearest.

use fathom_evidence::Span;
use fathom_evidence::bm25::{self, Bm25};

use super::{CitationChecker, Fact};
use crate::analysis::Evidence;

/// Passages that are shown for one sentence.
const PASSAGES_MOST: usize = 3;

/// Bytes on each side of a place: "it" and "they" mean something only with what stands before.
const AROUND_BYTES: usize = 300;

pub(super) fn shown_for(
    fact: &Fact,
    checker: &CitationChecker,
    evidence: &[Evidence],
) -> Vec<String> {
    let proofs = &fact.record.proofs;
    if !proofs.is_empty() {
        return around(
            proofs.iter().map(|proof| (proof.source.0, proof.span)),
            checker,
        );
    }
    let quotes = nearest(fact, checker, evidence);
    let told = |source: u32, span: Span| {
        let sentence = checker.texts.get(&source).and_then(|text| text.at(span));
        sentence.is_some_and(|words| quotes.iter().any(|quote| quote.contains(words)))
    };
    let near = fact.checked.nearest.iter();
    let near = near.map(|near| (near.source, near.span));
    let mut shown = around(near.filter(|(source, span)| !told(*source, *span)), checker);
    shown.extend(quotes);
    shown.truncate(PASSAGES_MOST);
    shown
}

/// Places with the words around them, those that touch as one.
fn around(places: impl Iterator<Item = (u32, Span)>, checker: &CitationChecker) -> Vec<String> {
    let mut spans: Vec<(u32, Span)> = Vec::new();
    for (source, span) in places {
        let Some(document) = checker.texts.get(&source) else {
            continue;
        };
        let span = widened(&document.text, span);
        match spans.last_mut() {
            Some((before, last)) if *before == source && last.end >= span.start => {
                last.end = last.end.max(span.end);
            }
            _ => spans.push((source, span)),
        }
    }
    let text =
        |(source, span): &(u32, Span)| Some(checker.texts.get(source)?.at(*span)?.to_owned());
    spans.iter().filter_map(text).take(PASSAGES_MOST).collect()
}

/// The span with the words around it, cut between words.
fn widened(text: &str, span: Span) -> Span {
    let before = text.floor_char_boundary(span.start.saturating_sub(AROUND_BYTES));
    let after = text.floor_char_boundary(span.end.saturating_add(AROUND_BYTES));
    let lead = text.get(before..span.start).unwrap_or_default();
    let tail = text.get(span.end..after).unwrap_or_default();
    let cut = match before {
        0 => 0,
        _ => lead.find(char::is_whitespace).unwrap_or(lead.len()),
    };
    let kept = if after == text.len() {
        tail.len()
    } else {
        tail.rfind(char::is_whitespace).unwrap_or(0)
    };
    Span::new(before + cut, span.end + kept)
}

fn nearest(fact: &Fact, checker: &CitationChecker, evidence: &[Evidence]) -> Vec<String> {
    let cited = evidence
        .iter()
        .filter(|piece| fact.record.cites.contains(&piece.source));
    let mut quotes: Vec<&str> = cited.map(|piece| piece.quote.as_str()).collect();
    quotes.sort_unstable();
    quotes.dedup();
    let index = Bm25::build(&quotes, checker.language, &bm25::Bm25Settings::default());
    let mut ranked: Vec<(f32, &str)> = index
        .scores(&fact.record.text)
        .into_iter()
        .zip(quotes)
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let best = ranked.into_iter().take(PASSAGES_MOST);
    best.map(|(_, quote)| quote.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_shown_with_the_words_around_it_and_no_half_word() {
        let text = format!(
            "{} The trees died. {}",
            "früher ".repeat(80),
            "später ".repeat(80)
        );
        let start = text.find("The trees").unwrap();
        let span = widened(&text, Span::new(start, start + "The trees died.".len()));
        let shown = span.of(&text).unwrap().trim();
        assert!(shown.len() > 500 && shown.len() < 640, "{}", shown.len());
        assert!(
            shown.starts_with("früher") && shown.ends_with("später"),
            "{shown}"
        );
        let short = "They died.";
        assert_eq!(widened(short, Span::new(0, 10)), Span::new(0, 10));
    }
}
