//! The sentences of passages, and whether they are running text.

use fathom_evidence::document::ParagraphRole;
use fathom_evidence::question::{names_review, pools_studies};
use fathom_evidence::terms::words;
use fathom_evidence::{Language, Span, sentences};

use crate::analysis::Evidence;
use crate::skills::locate::Reading;

/// Sentences are taken from so many of the first passages.
const PASSAGES_LOOKED_AT: usize = 20;

/// So many fields with names make a row of a table.
const ROW_FIELDS: usize = 3;

/// Sentences of fewer words say little alone; so many characters say enough in a script without spaces.
const WORDS_LEAST: usize = 4;
pub(super) const SPACELESS_LEAST: usize = 40;

/// A sentence of fewer words is hardly understood alone.
pub(super) const FEW_WORDS: usize = 7;

/// Between two neighbours there is a blank, a line end or the space between two paragraphs.
pub(super) const GAP_CHARS: usize = 2;

/// A sentence of a piece of evidence.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sentence {
    /// The place of the evidence.
    pub(crate) evidence: usize,
    /// Within the source's text.
    pub(crate) span: Span,
    pub(crate) text: String,
    /// The headings above it, outermost first.
    pub(super) headings: Vec<String>,
    /// Whether its passage begins with it.
    pub(super) first: bool,
    /// Whether it is running text and no question.
    pub(super) prose: bool,
    /// The title of the review in which it tells what several studies found together.
    pub(super) review: Option<String>,
}

/// The sentences of the first passages, in their order, where nothing is known of their documents but the titles.
pub(crate) fn of_passages(
    evidence: &[Evidence],
    titles: &[&str],
    language: Language,
) -> Vec<Sentence> {
    let mut found = Vec::new();
    let titled = evidence.iter().zip(titles).enumerate();
    for (at, (piece, title)) in titled.take(PASSAGES_LOOKED_AT) {
        let review = Some(*title).filter(|title| names_review(title, language));
        found.extend(of_piece(at, piece, review, |_| false, language));
    }
    found
}

/// The sentences of the first passages, in their order.
pub(crate) fn of_evidence(
    evidence: &[Evidence],
    readings: &[&Reading],
    language: Language,
) -> Vec<Sentence> {
    let mut found = Vec::new();
    for (at, piece) in evidence.iter().enumerate().take(PASSAGES_LOOKED_AT) {
        let reading = readings.iter().find(|one| one.source == piece.source);
        let title = reading.and_then(|one| one.document.about.title.as_deref());
        let review = title.filter(|title| names_review(title, language));
        let is_code = |span: Span| {
            let mut paragraphs = reading.iter().flat_map(|one| &one.document.paragraphs);
            paragraphs.any(|one| one.role == ParagraphRole::Code && one.span.overlaps(span))
        };
        found.extend(of_piece(at, piece, review, is_code, language));
    }
    found
}

/// The sentences of one passage that say enough alone. `is_code` tells whether a span of its source is program text.
fn of_piece(
    at: usize,
    piece: &Evidence,
    review: Option<&str>,
    is_code: impl Fn(Span) -> bool,
    language: Language,
) -> Vec<Sentence> {
    let mut found = Vec::new();
    let mut term: Option<Span> = None;
    for within in sentences(&piece.quote, language) {
        let Some(text) = within.of(&piece.quote) else {
            continue;
        };
        if words_of(text) < WORDS_LEAST && text.chars().count() < SPACELESS_LEAST {
            term = (!text.ends_with(['.', '!', '?'])).then_some(within);
            continue;
        }
        // What a list explains stands before the explanation: "-u", "100-999".
        let near = |term: &Span| within.start.saturating_sub(term.end) <= GAP_CHARS;
        let begins = term
            .take()
            .filter(near)
            .map_or(within.start, |term| term.start);
        let within = Span::new(begins, within.end);
        let text = within.of(&piece.quote).unwrap_or(text);
        let span = within.moved(piece.span.start);
        found.push(Sentence {
            evidence: at,
            span,
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            headings: piece.sections.clone(),
            first: within.start == 0,
            prose: reads_as_prose(text) && !is_code(span),
            review: review
                .filter(|_| pools_studies(text, language))
                .map(str::to_owned),
        });
    }
    found
}

/// Running text, as far as its signs tell, and no question.
pub(super) fn reads_as_prose(text: &str) -> bool {
    !text.ends_with('?')
        && !looks_like_code(text)
        && !looks_like_row(text)
        && !looks_like_titles(text)
}

/// Titles one after another, as in a table of contents: no full stop, and nearly all words begin large.
fn looks_like_titles(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let large = words
        .iter()
        .filter(|word| word.starts_with(char::is_uppercase))
        .count();
    words.len() >= FEW_WORDS && !text.ends_with(['.', '!', ':']) && large * 10 >= words.len() * 7
}

/// A row of a table as it is read, such as "street: Mill Lane; trees: 14; °C: 1.9" or "Mill Lane | 14 | 1.9".
fn looks_like_row(text: &str) -> bool {
    let fields = text.split("; ");
    let named = fields.filter(|field| field.contains(": ")).count();
    named >= ROW_FIELDS || text.split(" | ").count() >= ROW_FIELDS
}

/// Program text that a document does not mark as such.
fn looks_like_code(text: &str) -> bool {
    [">>>", "=>", "->", "::", "{", "}", "&mut", "();"]
        .iter()
        .any(|sign| text.contains(sign))
}

/// How many words a text has.
pub(super) fn words_of(text: &str) -> usize {
    words(text).count()
}
